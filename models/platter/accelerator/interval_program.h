// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/part_program.h"

namespace platter::accelerator {

/// CI-SPTF and CI-OPT: CLUSTERs find the D-requests of an interval; CI-SPTF lets all of them compete in a DECIDE, CI-OPT
/// counts them and orders one part after the other.
///
/// CLUSTER_SPAN counts from the first one collected, so a CLUSTER of one finds that one first. A part is collected from the
/// beginning of the interval: the parts before it have been served or withheld by then, and what has come for the list's
/// interval meanwhile is withheld until the list has been served.
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
  /// The operation that runs.
  enum class Phase : std::uint8_t {
    Present,  ///< a CLUSTER of one: the first of the present interval
    Beyond,   ///< the first one beyond it in the direction of the elevator
    Count,    ///< all of the interval
    Order,    ///< a part
    Decide,
  };
  /// Where the elevator is and what it has listed.
  struct State {
    std::uint32_t low = 0;  ///< the present interval
    std::uint32_t high = 0;
    bool upward = true;
    bool listed = false;
    std::vector<std::uint32_t> parts;  ///< sizes of the parts that follow

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
  std::vector<std::uint32_t> bounds_;  ///< cylinders of the round's continuous requests, as they came
  bool from_edge_ = true;              ///< none of the round's continuous requests has been served
  std::uint32_t from_ = 0;             ///< where the last one was
  State state_;
  State plan_;  ///< as of the decision that is being made
  bool turned_ = false;
  Phase phase_ = Phase::Decide;
};

}  // namespace platter::accelerator
