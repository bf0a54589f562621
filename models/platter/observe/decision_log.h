// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platter/drive/drive.h"
#include "platter/scheduling/continuous_sweep.h"

namespace platter::observe {

enum class GuardVerdict {
  None,     ///< there is no guard, or no continuous command waits
  Passes,   ///< serving the command leaves the sweep the time that it needs
  Refuses,  ///< it does not
};

/// A command that waits in a drive, as a decision sees it.
struct Candidate {
  int tag = -1;
  std::int64_t number = command::Command::kNoNumber;  ///< of the host's request
  core::RequestClass cls = core::RequestClass::Discrete;
  std::uint32_t stream = 0;
  bool write = false;
  bool internal = false;  ///< the drive's own: a write of buffered blocks
  core::Lba first;
  std::uint32_t blocks = 0;
  std::uint32_t cylinder = 0;
  bool placed = false;  ///< it has blocks and a cylinder: no overhead or hazard holds it, and no policy is yet to place it
  core::Picoseconds arrival = 0;
  mechanics::AccessTime access;  ///< if it were served when the decision takes effect
  core::Picoseconds cost = 0;    ///< of it the part that the engine compares (EngineIf::compared_part)
  GuardVerdict guard = GuardVerdict::None;
  core::Picoseconds excess = 0;  ///< by how much the sweep would miss its deadline; negative: what it would have to spare
};

/// What a decision meant for a followed request.
struct Sight {
  std::size_t request;  ///< which of the followed ones, from 0
  std::string drive;
  core::Picoseconds asked;
  core::Picoseconds effective;
  scheduling::Decision::Kind kind;
  bool forced;               ///< the engine's guard passed no candidate, or (`rule`) a deadline outside the sweep was kept
  scheduling::Rule rule;     ///< what has chosen the command
  drive::Stage stage;        ///< of the request's command, before the decision
  bool in_engine;            ///< it has an entry of the engine
  bool stuck;                ///< a fault keeps it from being answered
  bool changes_zones;        ///< a zone management command at work
  bool held_back;            ///< the decision did not consider it (EngineIf::held_back)
  bool limited;              ///< if so: until shortly before its limit, not for a batch
  std::uint32_t candidates;  ///< commands in the engine
  Candidate own;
  std::optional<Candidate> chosen;
  bool is_chosen;
};

/// Notes every decision that a drive makes while it holds a command of a followed request: which command was chosen, what the chosen
/// command and the followed one would cost, and what the deadline guard says of each of the two. Costs and guard are in exact
/// arithmetic, with the bound that the engine's guard charges, whatever the engine computes with. A command belongs to a request if it
/// has its number: an array passes the number on to the parts that it makes.
class DecisionLog {
 public:
  /// `requests`: the numbers of those that are followed.
  DecisionLog(std::vector<std::uint64_t> requests, scheduling::SweepStart sweep_start);
  ~DecisionLog();

  /// To be called before the simulation starts. This object must live for as long as the drive runs.
  void watch(drive::Drive& drive, const std::string& name);
  /// In the order of the decisions.
  const std::vector<Sight>& sights() const { return sights_; }

 private:
  class Watch;

  std::vector<std::uint64_t> requests_;
  scheduling::SweepStart sweep_start_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::vector<Sight> sights_;
};

}  // namespace platter::observe
