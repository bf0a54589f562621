// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platter/scheduling/arrival_parameters.h"
#include "platter/scheduling/interpretations.h"
#include "platter/scheduling/scheduler_if.h"
#include "platter/scheduling/weight.h"

namespace platter::scheduling {

/// How continuous commands with a deadline enter the SPTF policies.
enum class GuardMode : std::uint8_t {
  None,            ///< deadlines are ignored
  Pooled,          ///< all remaining continuous commands compete with all discrete ones
  NextContinuous,  ///< only the next continuous command of the sweep competes
};

/// The numbers in the notation of a policy of your own, in the order in which it declares its parameters.
class OwnValues {
 public:
  static constexpr std::size_t kMax = 8;  ///< parameters that a policy may have

  /// Number of parameters that the policy has declared.
  std::size_t size() const { return count_; }
  /// Throws core::SimulationError if the policy has not declared this parameter. Counted from 0.
  double operator[](std::size_t index) const {
    if (index >= count_) refuse(index);
    return values_[index];
  }
  /// At most kMax times.
  void add(double value) { values_.at(count_++) = value; }

 private:
  [[noreturn]] void refuse(std::size_t index) const;

  std::array<double, kMax> values_{};
  std::size_t count_ = 0;
};

/// The parameters in the parentheses of a policy's notation.
struct PolicyParameters {
  Weight weight;                ///< w: of a command's wait; R: of a reversal of direction
  Weight delay;                 ///< c of `OPS:SLACK(c|w)`: most turns by which continuous commands are put off
  ClassWeights shares;          ///< C, D, B: of the classes continuous, discrete, background
  std::uint32_t requests = 0;   ///< M: largest number of requests of an exact order; 0: the policy makes none
  std::uint32_t cylinders = 0;  ///< T: extent of a cluster
  std::uint32_t groups = 0;     ///< g: number of groups of streams
  OwnValues own;                ///< of a policy of your own
};

/// Rules of a drive's firmware, which go before the policy.
struct FirmwareRules {
  Picoseconds age_limit = 0;       ///< a command that has waited this long goes first; 0: no rule holds
  bool stream_first = false;       ///< a sequential stream goes before all others that are younger than the limit
  std::uint32_t stream_reach = 0;  ///< a command continues a stream if it begins at most this many blocks behind it

  /// The rules that a profile states.
  static FirmwareRules of(const profile::DriveProfile& profile) {
    return {core::to_picoseconds(profile.age_limit_s, core::kPicosecondsPerSecond), profile.stream_first,
            profile.cache.segments > 0 ? profile.cache.segment_blocks : 0};
  }
};

/// How an SPTF policy counts with the spread of the arrivals.
enum class ArrivalCost : std::uint8_t {
  Mean,      ///< not at all: every arrival is at its mean
  Margin,    ///< an arrival less than a margin before its sector counts as a miss
  Expected,  ///< the mean over all arrivals
};

/// What a policy is constructed with.
struct SchedulerContext {
  const AccessPlanner& planner;  ///< the drive's mechanics
  std::size_t capacity;          ///< most commands in the policy at once; their tags are below it
  /// Longest time (ps) from the end of an access to the start of the next, when the deadline guard allows only the sweep's next command. The
  /// guard charges it for each hop of the sweep.
  Picoseconds decision_bound;
  Interpretations interpretations = {};     ///< of what a paper leaves open
  PolicyParameters parameters = {};         ///< of the notation
  const FreeSpaceIf* free_space = nullptr;  ///< eager writing: not null for a policy that decides where writes go
  /// Eager writing: reads, too, are served only in the direction in which the arm looks for free blocks.
  bool bind_reads = false;
  FirmwareRules rules = {};         ///< of the drive's firmware
  ArrivalParameters arrivals = {};  ///< how it counts with the spread of the arrivals
};

/// The program of the scheduling accelerator that runs a policy (models/platter/accelerator).
enum class Accelerated : std::uint8_t {
  No,         ///< firmware only
  Elevator,   ///< the next request in the direction of the elevator
  Sptf,       ///< the shortest positioning time of all
  Intervals,  ///< intervals between continuous requests
  Clusters,   ///< clusters of an elevator in exact orders
  Slack,      ///< slack stealing with a look ahead
  Limited,    ///< the shortest positioning time of all whose limit is near
};
/// Its name in `platter list policies`.
std::string_view to_string(Accelerated program);

struct OwnPolicy;

/// One row of the policy table, or a policy of your own (`own`).
///
/// A program may have a policy of its own without a row in the table: it fills a PolicyInfo with `name`, `description` and `create`, and
/// sets system::EngineOptions::policy to `PolicySpec{&info, {}, "NAME"}`. The PolicyInfo must outlive the drive. The engine firmware runs it.
struct PolicyInfo {
  std::string_view name;                                            ///< with the letters of its parameters: OPS:SCAN/CI-OPT(M)
  std::string_view parameters;                                      ///< these letters, "M|T"; empty: none
  std::string_view description;                                     ///< a line of plain text
  std::unique_ptr<SchedulerIf> (*create)(const SchedulerContext&);  ///< makes a scheduler
  Accelerated accelerated = Accelerated::No;                        ///< the program of the accelerator that runs it
  /// The guard of the accelerator's program. It says nothing about firmware, where SchedulerIf::keeps_deadlines() tells whether the policy
  /// has a guard.
  GuardMode guard = GuardMode::None;
  bool places = false;  ///< decides where writes go; needs a mapping with free blocks, which no other policy can serve
  ArrivalCost cost = ArrivalCost::Mean;  ///< of the accelerator's program
  const OwnPolicy* own = nullptr;        ///< what a shared object offers; null for a row of the table
};

/// All policies; feeds the factory, `platter list policies` and the suggestions of error messages.
const std::vector<PolicyInfo>& policy_table();

/// A policy as selected by a notation: a row of the table and its parameters.
struct PolicySpec {
  const PolicyInfo* row = nullptr;  ///< never null in what find_policy() gives
  PolicyParameters parameters;      ///< of the notation
  std::string notation;             ///< as it was written

  /// The shortest form of the notation.
  std::string name() const;
  /// Makes a scheduler with the parameters of this notation, which replace those of `context`. If it keeps deadlines, it comes inside an
  /// OwnDeadlines, which checks those outside the sweep. Planner and free space of `context` must outlive it.
  std::unique_ptr<SchedulerIf> create(SchedulerContext context) const;
};

/// The policy that a notation names; nothing if it names none. Blanks are ignored, except in the name of a file.
/// `own:FILE.so(0.5|3)` names the policy of a shared object, which is loaded then and stays loaded.
std::optional<PolicySpec> find_policy(std::string_view notation);

/// Why the notation names no policy, and what was expected; empty if it names one.
std::string policy_objection(std::string_view notation);

/// Why the policy cannot run on a drive where the policy decides where writes go (`placing`), or on one where it does not; empty if it can.
std::string placing_objection(const PolicySpec& policy, bool placing);

/// True if the guard protects this command.
inline bool in_sweep(const Command& command) {
  return command.cls == RequestClass::Continuous && command.deadline != kNoDeadline;
}

/// True for a command with a deadline that belongs to no sweep; it is checked alone.
inline bool has_own_deadline(const Command& command) { return command.deadline != kNoDeadline && !in_sweep(command); }

/// @cond rows of the policy table
std::unique_ptr<SchedulerIf> create_fcfs(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_sstf(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_scan(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_look(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_c_look(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_sptf(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_sptf_margin(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_satf_risk(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_limited_sptf(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_sptf_next_c(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_sptf_unguarded(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_interval(const SchedulerContext& context);
/// CI-OPT over the whole disk, for commands that are in no sweep.
std::unique_ptr<SchedulerIf> create_second_phase(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_cluster(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_satf_ew(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_read_first(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_freebw_satf(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_freebw_scan(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_freebw_hybrid(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_credit_ew(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_v_r(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_edf(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_scan_edf(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_round_robin(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_group_sweep(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_tps_scan(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_tps_opt(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_slack(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_famish(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_famish_late(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_cello(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_fair_queue(const SchedulerContext& context);
/// @endcond

}  // namespace platter::scheduling
