// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "platter/accelerator/own_rtl.h"
#include "platter/core/timed_call.h"
#include "platter/engine/engine_if.h"
#include "platter/mechanics/access_planner.h"

namespace platter::accelerator {

/// An engine of a user's own RTL behind the port `platter_candidates`. Commands enter its table as they arrive. The decision for the end of the access under
/// way is asked for when the access begins, and again when a command has arrived or been withdrawn. Each exchange takes the cycles that the RTL takes,
/// and none begins before the last one has ended. The RTL's answer changes nothing in its table: an update says which command is served.
///
/// With a reference policy every decision is compared with the policy's, for the same state and time. The first difference ends the simulation.
class CandidatesEngine : public sc_core::sc_module, public engine::EngineIf {
 public:
  using SchedulerFactory = std::function<std::unique_ptr<scheduling::SchedulerIf>()>;
  /// A fault of the RTL or a difference, before the simulation reports it.
  using FaultHandler = std::function<void(const OwnRtl&, const std::string& report)>;

  struct Options {
    std::string notation;        ///< of the engine, for messages
    SchedulerFactory reference;  ///< null: decisions are not compared
    std::string policy;          ///< of the reference, for messages
    FaultHandler on_fault;       ///< may be null
  };

  CandidatesEngine(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, std::uint32_t queue_depth,
                   Options options, std::unique_ptr<OwnRtl> rtl);

  void bind_sink(engine::DecisionSinkIf& sink) override { sink_ = &sink; }
  void insert(const scheduling::Command& command) override;
  bool withdraw(const scheduling::Command& command) override;
  void moved(const scheduling::Command& command) override;
  bool empty() const override { return count_ == 0; }
  void prepare(const scheduling::HeadState& at, core::Picoseconds when) override;
  void decide(const scheduling::HeadState& head, core::Picoseconds now) override;
  void reset() override;
  core::Picoseconds prepared_from() const override { return is_ready_ ? answered_ : core::kNoDeadline; }
  engine::EngineStatistics statistics() const override { return statistics_; }

  OwnRtl& rtl() { return *rtl_; }

 private:
  bool is_for(const scheduling::HeadState& head, core::Picoseconds when) const {
    return is_prepared_ && when == when_ && head == head_;
  }
  void update(CandidateUpdate::Kind kind, const scheduling::Command& command);
  /// What is prepared must be asked for again, after all changes of this instant.
  void ask_again();
  void ask();
  scheduling::Decision compared(const scheduling::Decision& found);
  /// Calls the handler and reports the error.
  void fail(const std::string& what);
  std::string state() const;

  const mechanics::AccessPlanner& planner_;
  Options options_;
  std::unique_ptr<OwnRtl> rtl_;
  std::unique_ptr<scheduling::SchedulerIf> reference_;
  engine::DecisionSinkIf* sink_ = nullptr;
  std::vector<const scheduling::Command*> commands_;  ///< by tag; null: none
  std::uint32_t count_ = 0;
  core::Picoseconds free_ = 0;     ///< end of the last exchange
  core::Picoseconds changed_ = 0;  ///< the last change of the table, or begin of the preparation

  bool is_prepared_ = false;  ///< a decision for head_ at when_ is wanted
  bool is_ready_ = false;     ///< and the table is still that for which answer_ was given
  bool has_failed_ = false;
  scheduling::HeadState head_;
  core::Picoseconds when_ = 0;
  CandidateAnswer answer_;
  core::Picoseconds answered_ = 0;
  CandidateQuestion question_;  ///< the last one

  engine::EngineStatistics statistics_;
  core::TimedCall request_;
};

}  // namespace platter::accelerator
