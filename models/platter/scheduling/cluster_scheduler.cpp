// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platter/scheduling/guarded_scheduler.h"
#include "platter/scheduling/ordered_part.h"
#include "platter/scheduling/postponed.h"

namespace platter::scheduling {

namespace {

/// CLUST-REQ and CLUST-CYL (Balafoutis et al., section 4.2): clusters of the next requests of an elevator, whatever their
/// class, in exact orders under the deadline guard. docs/reference/policies.md has the rules.
class ClusterScheduler : public GuardedScheduler {
 public:
  explicit ClusterScheduler(const SchedulerContext& context)
      : GuardedScheduler(context),
        most_(context.parameters.requests),
        reach_(context.parameters.cylinders > 0 ? context.parameters.cylinders : context.planner.geometry().cylinders()),
        last_cylinder_(context.planner.geometry().cylinders() - 1),
        discrete_only_(context.interpretations.clusters == ClusterContents::Discrete),
        from_arm_(context.interpretations.cluster_from == ClusterFrom::Arm),
        restarts_(context.interpretations.cluster_round == ClusterRound::Restart),
        postponed_(context.capacity, context.interpretations.postponed),
        part_(context.planner, most_) {
    ahead_.reserve(most_ + 1);
  }

  void insert(const Command& command) override {
    FlatScheduler::insert(command);
    if (!in_sweep(command)) return;
    postponed_.continuous_came(sweep_.empty(), command.deadline);
    if (sweep_.empty() && restarts_) {
      restart_ = true;
      part_.clear();
    }
    sweep_.insert(command);
  }

  void remove(Tag tag) override {
    FlatScheduler::remove(tag);
    postponed_.remove(tag);
    if (!part_.remove(tag))
      part_.clear();
    else if (part_.empty())
      pass_cluster();
    if (!sweep_.contains(tag)) return;
    sweep_.remove(tag);
    if (sweep_.empty()) postponed_.last_served();
  }

  void withdraw(Tag tag) override {
    FlatScheduler::remove(tag);
    postponed_.remove(tag);
    if (part_.remove(tag)) part_.clear();  // the cluster is formed again, from its old start
    sweep_.remove(tag);
    if (sweep_.empty()) postponed_.last_served();
  }

  DecisionWork work(const HeadState& head) override {
    form(head);
    if (part_.ordered()) return {part_.size() + (sweep_.empty() ? 0u : 1u), 0};
    return {commands().size(), part_.steps()};
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    form(head);
    upward_ = planned_upward_;
    if (!part_.empty() && !part_.ordered()) part_.order(head, now);
    if (sweep_.empty()) return postponed_.without_sweep(part_.empty() ? nullptr : &part_.first(), now);
    while (!part_.empty()) {
      const Command& next = part_.first();
      if (allowed(next, head, now)) return Decision::serve(next.tag);
      if (sweep_.contains(next.tag)) break;
      postponed_.add(next.tag);
      part_.remove(next.tag);
      if (part_.empty()) pass_cluster();
    }
    return GuardedScheduler::next_of_sweep(head, now);
  }

  Decision next_of_sweep(const HeadState& head, Picoseconds now) override {
    if (!part_.ordered()) part_.clear();  // the cluster has been formed but not ordered
    return GuardedScheduler::next_of_sweep(head, now);
  }

 private:
  /// Forms the cluster that is served next.
  void form(const HeadState& head) {
    if (!sweep_.empty()) sweep_.prepare(head);
    if (restart_) {
      upward_ = sweep_.upward();
      front_ = core::Cylinder(upward_ ? 0 : last_cylinder_);
      at_front_ = true;
      restart_ = false;
    }
    if (!part_.empty()) return;
    const core::Cylinder from = at_front_ ? front_ : head.cylinder;
    planned_upward_ = upward_;
    find_ahead(from);
    if (ahead_.empty()) {
      planned_upward_ = !upward_;
      find_ahead(from);
      if (ahead_.empty()) planned_upward_ = upward_;
    }
    for (const Command* command : ahead_) {
      if (distance(command->extent.cylinder, ahead_.front()->extent.cylinder) > reach_) break;
      const bool alone = discrete_only_ && sweep_.contains(command->tag);
      if (alone && !part_.empty()) break;
      part_.add(*command);
      end_ = command->extent.cylinder;
      if (alone) break;
    }
  }

  /// The current cluster is empty: the next one begins at its end, or at the arm.
  void pass_cluster() {
    front_ = end_;
    at_front_ = !from_arm_;
  }

  /// The next requests from here in the direction of the sweep, in its order; on one cylinder by age.
  void find_ahead(core::Cylinder from) {
    ahead_.clear();
    for (const Command* command : commands()) {  // in order of age
      const core::Cylinder cylinder = command->extent.cylinder;
      if (postponed_.contains(command->tag) || (planned_upward_ ? cylinder < from : cylinder > from)) continue;
      auto at = ahead_.end();
      while (at != ahead_.begin() && distance(cylinder, from) < distance((*(at - 1))->extent.cylinder, from)) --at;
      ahead_.insert(at, command);
      if (ahead_.size() > most_) ahead_.pop_back();
    }
  }

  std::size_t most_;     ///< requests of a cluster
  std::uint32_t reach_;  ///< cylinders from its first request to its last
  std::uint32_t last_cylinder_;
  bool discrete_only_;  ///< a continuous request is a cluster of its own
  bool from_arm_;       ///< clusters begin at the arm
  bool restarts_;       ///< the elevator restarts with each round
  bool upward_ = true;
  bool planned_upward_ = true;  ///< direction of the cluster that was formed last
  bool restart_ = false;        ///< a round has begun: the elevator follows its sweep
  core::Cylinder front_{0};     ///< the end of the last cluster, or the edge where the elevator restarted
  core::Cylinder end_{0};       ///< of the present cluster
  bool at_front_ = false;       ///< the next cluster begins there, not at the arm
  PostponedCommands postponed_;
  std::vector<const Command*> ahead_;
  OrderedPart part_;  ///< what is left of the current cluster
};

}  // namespace

std::unique_ptr<SchedulerIf> create_cluster(const SchedulerContext& context) {
  return std::make_unique<ClusterScheduler>(context);
}

}  // namespace platter::scheduling
