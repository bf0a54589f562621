// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/part_program.h"

namespace platter::accelerator {

/// CI-SPTF and CI-OPT. CLUSTER operations find the D-requests of an interval. CI-SPTF lets all of them compete in a DECIDE;
/// CI-OPT counts them, divides them into parts, and orders one part after the other.
///
/// CLUSTER_SPAN counts from the first request collected, so a CLUSTER of one finds that request first. Each part is collected
/// from the beginning of the interval: by then the parts before it have been served or withheld, and commands that have since
/// arrived in the list's interval are withheld until the list has been served.
class IntervalProgram : public PartProgram {
 public:
  explicit IntervalProgram(const ProgramContext& context);

  std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) override;
  Step ended(RegisterPortIf& port) override;
  Effort most_effort(std::uint32_t entries) const override { return effort_to_begin(entries, true); }
  Effort effort(std::uint32_t entries) const override;
  std::uint32_t most_withheld() const override { return orders() ? most_ : queue_depth(); }

 protected:
  bool came(ProgramHostIf& host, const scheduling::Command& command) override;
  void gone(ProgramHostIf& host, const scheduling::Command& command, bool of_part, bool whole) override;
  void given_up(ProgramHostIf& host) override;
  bool goes_on() const override { return !plan_.parts.empty() || any_withheld(false); }
  void gone_on(ProgramHostIf& host) override;

 private:
  /// The operation in progress.
  enum class Phase : std::uint8_t {
    Present,  ///< a CLUSTER of one: the first request in the current interval
    Beyond,   ///< a CLUSTER of one: the first request beyond it in the elevator's direction
    Count,    ///< a CLUSTER of all requests in the interval
    Order,    ///< a CLUSTER of a part in an exact order
    Decide,
  };
  /// Position of the elevator, and its list.
  struct State {
    std::uint32_t low = 0;  ///< the current interval
    std::uint32_t high = 0;
    bool upward = true;
    bool listed = false;
    std::vector<std::uint32_t> parts;  ///< sizes of the parts still to be ordered

    std::uint32_t first() const { return upward ? low : high; }
    std::uint32_t last() const { return upward ? high : low; }
    bool covers(std::uint32_t cylinder) const { return cylinder >= low && cylinder <= high; }
  };

  bool orders() const { return most_ > 0; }
  Step find(RegisterPortIf& port, std::uint32_t from, Phase phase);
  Step find_beyond(RegisterPortIf& port);
  Step none_in_interval(RegisterPortIf& port);
  Step none_beyond(RegisterPortIf& port);
  Step take_interval(RegisterPortIf& port, std::uint32_t from);
  Step order_part(RegisterPortIf& port);
  Step decide(const Step& step) {
    phase_ = Phase::Decide;
    return step;
  }
  void halve(std::uint32_t count);
  void add_refusals(Effort& effort, std::uint32_t commands, bool any_refused) const;
  Effort effort_to_begin(std::uint32_t entries, bool any_refused) const;
  void end_list();
  void plan_anew(ProgramHostIf& host, bool postponed_too);
  void enter_interval_beyond(std::uint32_t cylinder);
  void enter_interval_of(State& state, std::uint32_t cylinder) const;

  std::uint32_t last_cylinder_;
  std::uint32_t capacity_;
  std::vector<std::uint32_t> bounds_;  ///< cylinders of the round's continuous requests, in order of arrival
  bool from_edge_ = true;              ///< no continuous request of the round has been served yet
  std::uint32_t from_ = 0;             ///< cylinder of the last one served
  State state_;
  State plan_;  ///< as of the decision in progress
  bool turned_ = false;
  Phase phase_ = Phase::Decide;
};

}  // namespace platter::accelerator
