// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "platter/scheduling/guarded_scheduler.h"
#include "platter/scheduling/ordered_part.h"
#include "platter/scheduling/postponed.h"

namespace platter::scheduling {

namespace {

/// CI-SPTF and CI-OPT (Balafoutis et al., section 2.1): SCAN serves the continuous requests. Before each of them the other requests between
/// it and the previous one are served, under the deadline guard. docs/reference/policies.md has the rules.
class IntervalScheduler : public GuardedScheduler {
 public:
  /// With `each_part`, and without a sweep, a list lasts until its first part has been served.
  explicit IntervalScheduler(const SchedulerContext& context, bool each_part = false)
      : GuardedScheduler(context),
        most_(context.parameters.requests),
        after_(context.interpretations.after_sweep),
        each_part_(each_part),
        capacity_(context.capacity),
        last_cylinder_(context.planner.geometry().cylinders() - 1),
        high_(last_cylinder_),
        postponed_(context.capacity, context.interpretations.postponed),
        part_(context.planner, context.parameters.requests) {
    bounds_.reserve(context.capacity);
    list_.reserve(context.capacity);
    refused_.reserve(context.capacity);
  }

  void insert(const Command& command) override {
    FlatScheduler::insert(command);
    if (!in_sweep(command)) return;
    postponed_.continuous_came(sweep_.empty(), command.deadline);
    if (sweep_.empty()) {  // a new round
      bounds_.clear();
      from_edge_ = true;
    }
    if (bounds_.size() == capacity_) bounds_.erase(bounds_.begin());
    bounds_.push_back(command.extent.cylinder.value);
    sweep_.insert(command);
    plan_anew();
  }

  void remove(Tag tag) override { take_out(tag, true); }
  void withdraw(Tag tag) override { take_out(tag, false); }

  void begin_round() override { plan_anew(); }

  DecisionWork work(const HeadState& head) override {
    if (after_ == AfterSweep::Idle && sweep_.empty()) return {commands().size(), 0};
    form(head);
    if (part_.ordered()) return {part_.size() + (sweep_.empty() ? 0u : 1u), 0};
    return {commands().size(), part_.steps()};
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    if (waits(now)) return commands().empty() ? Decision{} : Decision::wait(round_end_ + 1);
    form(head);
    const bool refusable = !part_.empty() && !sweep_.empty();
    const Command* next = most_ == 0 ? nearest(head, now) : next_of_part(head, now);
    if (sweep_.empty()) return postponed_.without_sweep(next, now);
    if (next != nullptr) return Decision::serve(next->tag);
    return refusable && (!list_.empty() || any_covered()) ? Decision::again() : next_of_sweep(head, now);
  }

 private:
  struct Entry {
    const Command* command;
    std::size_t part;
  };

  // --- intervals -----------------------------------------------------------------------------------------------------

  /// True while, in the interpretation `Idle`, discrete requests are not served between a round's last continuous request and its end.
  bool waits(Picoseconds now) const { return after_ == AfterSweep::Idle && sweep_.empty() && now <= round_end_; }

  /// True if the command competes in the current interval.
  bool covers(const Command& command) const {
    const std::uint32_t cylinder = command.extent.cylinder.value;
    return cylinder >= low_ && cylinder <= high_ && !postponed_.contains(command.tag) && !sweep_.contains(command.tag);
  }

  bool any_covered() const {
    return std::any_of(commands().begin(), commands().end(), [this](const Command* c) { return covers(*c); });
  }

  /// Enters, after the round's last continuous request, the interval that begins at its cylinder.
  void enter_interval_beyond(std::uint32_t cylinder) {
    low_ = 0;
    high_ = last_cylinder_;
    if (bounds_.empty()) return;
    (upward_ ? low_ : high_) = cylinder;
    for (const std::uint32_t bound : bounds_) {
      if (bound > cylinder && upward_) high_ = std::min(high_, bound);
      if (bound < cylinder && !upward_) low_ = std::max(low_, bound);
    }
  }

  /// Enters the interval of `cylinder`; on a bound, the one that the elevator meets first.
  void enter_interval_of(std::uint32_t cylinder) {
    low_ = 0;
    high_ = last_cylinder_;
    for (const std::uint32_t bound : bounds_) {
      if (upward_ ? bound < cylinder : bound <= cylinder) low_ = std::max(low_, bound);
      if (upward_ ? bound >= cylinder : bound > cylinder) high_ = std::min(high_, bound);
    }
  }

  /// Without a sweep: moves on to the next interval with requests, and back to the current one only after a turn.
  bool advance() {
    for (int turn = 0; turn < 2; ++turn) {
      const Command* next = nullptr;
      for (const Command* command : commands()) {
        const core::Cylinder at = command->extent.cylinder;
        if (postponed_.contains(command->tag) || (upward_ ? at.value <= high_ : at.value >= low_)) continue;
        if (next == nullptr || (upward_ ? at < next->extent.cylinder : at > next->extent.cylinder)) next = command;
      }
      if (next != nullptr) {
        enter_interval_of(next->extent.cylinder.value);
        return true;
      }
      upward_ = !upward_;
      if (any_covered()) return true;
    }
    return false;
  }

  /// Determines the interval and, for exact orders, the part that are served next.
  void form(const HeadState& head) {
    if (!sweep_.empty()) {
      sweep_.prepare(head);
      upward_ = sweep_.upward();
      const std::uint32_t from = !from_edge_ ? from_ : upward_ ? 0 : last_cylinder_;
      const std::uint32_t next = sweep_.first().extent.cylinder.value;
      low_ = std::min(from, next);
      high_ = std::max(from, next);
    }
    if (most_ == 0) {
      if (sweep_.empty() && !any_covered()) advance();
      return;
    }
    if (!part_.empty()) return;
    const bool anew = each_part_ && sweep_.empty();
    if (anew) list_.clear();
    if (list_.empty()) {
      if (!listed_ || anew || !sweep_.empty()) make_list(head);
      if (list_.empty() && sweep_.empty() && advance()) make_list(head);
      if (list_.empty()) return;
    }
    const std::size_t number = list_.front().part;
    auto end = list_.begin();
    while (end != list_.end() && end->part == number) part_.add(*(end++)->command);
    front_ = std::prev(end)->command->extent.cylinder.value;
    list_.erase(list_.begin(), end);
  }

  // --- CI-SPTF -------------------------------------------------------------------------------------------------------

  struct Refused {
    const Command* command;
    Picoseconds time;
  };

  /// The nearest command that the guard allows; nearer ones are postponed.
  const Command* nearest(const HeadState& head, Picoseconds now) {
    const Command* best = nullptr;
    Picoseconds best_time = 0;
    refused_.clear();
    for (const Command* command : commands()) {  // in order of age: the first of equals stays
      if (!covers(*command)) continue;
      const AccessTime access = estimate(*command, head, now);
      if (best != nullptr && access.positioning() >= best_time) continue;
      if (!sweep_.empty() && !sweep_.allows(*command, planner_.guarded(access), now, head.bus_free)) {
        refused_.push_back({command, access.positioning()});
        continue;
      }
      best = command;
      best_time = access.positioning();
    }
    for (const Refused& refused : refused_)
      if (best == nullptr || refused.time < best_time || (refused.time == best_time && older(*refused.command, *best)))
        postponed_.add(refused.command->tag);
    return best;
  }

  // --- CI-OPT --------------------------------------------------------------------------------------------------------

  /// Lists the interval's requests in SCAN order, and halves the list until no part is too large for an exact order.
  void make_list(const HeadState& head) {
    if (each_part_ && listed_ && sweep_.empty()) {
      list_from(front_);
      if (list_.empty()) {  // nothing is ahead
        upward_ = !upward_;
        list_from(upward_ ? 0 : last_cylinder_);
      }
    } else {
      list_from(upward_ ? 0 : last_cylinder_);
      if (after_ == AfterSweep::Disk && sweep_.empty()) start_at_nearer_end(head);
    }
    std::sort(list_.begin(), list_.end(), [this](const Entry& a, const Entry& b) {
      const core::Cylinder x = a.command->extent.cylinder;
      const core::Cylinder y = b.command->extent.cylinder;
      if (x != y) return upward_ ? x < y : y < x;
      return older(*a.command, *b.command);
    });
    std::size_t parts = 0;
    halve(0, list_.size(), parts);
    listed_ = !list_.empty();
  }

  /// Takes in the interval's requests that are not behind a cylinder.
  void list_from(std::uint32_t cylinder) {
    for (const Command* command : commands()) {
      const std::uint32_t at = command->extent.cylinder.value;
      if (covers(*command) && (upward_ ? at >= cylinder : at <= cylinder)) list_.push_back({command, 0});
    }
  }

  /// Over the whole disk: a list begins at its end nearer to the arm, as a sweep does.
  void start_at_nearer_end(const HeadState& head) {
    core::Cylinder low(last_cylinder_);
    core::Cylinder high(0);
    for (const Entry& entry : list_) {
      low = std::min(low, entry.command->extent.cylinder);
      high = std::max(high, entry.command->extent.cylinder);
    }
    upward_ = distance(low, head.cylinder) <= distance(high, head.cylinder);
  }

  void halve(std::size_t begin, std::size_t end, std::size_t& parts) {
    if (end - begin > most_) {
      const std::size_t middle = begin + (end - begin + 1) / 2;
      halve(begin, middle, parts);
      halve(middle, end, parts);
      return;
    }
    for (std::size_t i = begin; i < end; ++i) list_[i].part = parts;
    ++parts;
  }

  const Command* next_of_part(const HeadState& head, Picoseconds now) {
    if (part_.empty()) return nullptr;
    if (!part_.ordered()) part_.order(head, now);
    while (!part_.empty()) {
      const Command& next = part_.first();
      if (sweep_.empty() || allowed(next, head, now)) return &next;
      postponed_.add(next.tag);
      part_.remove(next.tag);
    }
    return nullptr;
  }

  void end_list() {
    list_.clear();
    part_.clear();
  }

  void plan_anew() {
    end_list();
    listed_ = false;
  }

  /// Removes a command. The interval advances only after a continuous request that was served.
  void take_out(Tag tag, bool served) {
    const Command* continuous = nullptr;
    if (sweep_.contains(tag))
      for (const Command* command : commands())
        if (command->tag == tag) continuous = command;
    FlatScheduler::remove(tag);
    postponed_.remove(tag);
    const auto at = std::find_if(list_.begin(), list_.end(), [tag](const Entry& e) { return e.command->tag == tag; });
    if (at != list_.end() && !served)
      list_.erase(at);
    else if (part_.remove(tag) ? !served : served || continuous != nullptr)  // not if one that has come later is withdrawn
      plan_anew();
    if (continuous == nullptr) return;
    sweep_.remove(tag);
    if (served) {
      from_edge_ = false;
      from_ = continuous->extent.cylinder.value;
    }
    if (!sweep_.empty()) return;
    plan_anew();
    postponed_.last_served();
    round_end_ = continuous->deadline;
    if (after_ != AfterSweep::Intervals) bounds_.clear();
    if (served) enter_interval_beyond(from_);
  }

  // -------------------------------------------------------------------------------------------------------------------

  std::size_t most_;  ///< requests of an exact order; 0: CI-SPTF
  AfterSweep after_;
  bool each_part_;
  std::size_t capacity_;
  std::uint32_t last_cylinder_;
  std::vector<std::uint32_t> bounds_;  ///< cylinders of the round's continuous requests, in order of arrival
  bool upward_ = true;
  bool from_edge_ = true;       ///< none of the round's continuous requests has been served
  std::uint32_t from_ = 0;      ///< where the last one was
  Picoseconds round_end_ = -1;  ///< the last deadline
  std::uint32_t low_ = 0;       ///< the current interval
  std::uint32_t high_;
  PostponedCommands postponed_;
  std::vector<Refused> refused_;  ///< by the guard, in a decision of CI-SPTF
  std::uint32_t front_ = 0;       ///< the farthest cylinder of the last part
  bool listed_ = false;           ///< the requests of the current interval have been listed
  std::vector<Entry> list_;       ///< of the parts that follow
  OrderedPart part_;              ///< the current part
};

}  // namespace

std::unique_ptr<SchedulerIf> create_interval(const SchedulerContext& context) {
  return std::make_unique<IntervalScheduler>(context);
}

std::unique_ptr<SchedulerIf> create_second_phase(const SchedulerContext& context) {
  SchedulerContext second = context;
  second.interpretations.after_sweep = AfterSweep::Disk;
  return std::make_unique<IntervalScheduler>(second, context.interpretations.phase_list == PhaseList::Part);
}

}  // namespace platter::scheduling
