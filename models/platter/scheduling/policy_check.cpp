// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/policy_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "platter/core/random.h"

namespace platter::scheduling {

namespace {

constexpr std::size_t kCapacity = 64;

bool same(const Decision& a, const Decision& b) {
  return a.kind == b.kind && a.tag == b.tag && a.cylinder == b.cylinder && a.until == b.until;
}

class Checker {
 public:
  Checker(const PolicySpec& policy, const AccessPlanner& planner, std::uint64_t seed)
      : planner_(planner), random_(seed, "policy check"), commands_(kCapacity), held_(kCapacity, false) {
    for (auto& scheduler : schedulers_) scheduler = policy.create({planner, kCapacity, 0});
  }

  /// One load: commands arrive beside the decisions, and then none until all are served. Returns false after a violation.
  bool load() {
    const std::size_t most = 1 + random_.below(kCapacity);
    begin_sweep(most);
    for (std::uint64_t left = 20 + random_.below(80); left > 0; --left) {
      while (count_ < most && random_.below(4) != 0) insert(RequestClass::Discrete, kNoDeadline);
      if (count_ > 0 && random_.below(16) == 0) withdraw();
      if (!decide()) return false;
    }
    const std::size_t waiting = count_;
    for (std::size_t tries = 0; count_ > 0; ++tries) {
      if (tries > 4 * kCapacity)
        return fail(
            fmt::format("it still holds {} of {} commands after {} decisions without an arrival, expected that it serves all",
                        count_, waiting, tries));
      if (!decide()) return false;
    }
    return agrees();
  }

  const PolicyCheck& result() const { return result_; }

 private:
  bool fail(const std::string& what) {
    if (result_.violation.empty()) result_.violation = fmt::format("decision {}: {}", result_.decisions, what);
    return false;
  }

  /// The policies know whether they hold commands.
  bool agrees() {
    for (const auto& scheduler : schedulers_)
      if (scheduler->empty() != (count_ == 0))
        return fail(fmt::format("empty() is {}, but it holds {} commands", scheduler->empty(), count_));
    return true;
  }

  void insert(RequestClass cls, Picoseconds deadline) {
    Tag tag(0);
    while (held_[tag.value]) tag = Tag(static_cast<std::uint16_t>(tag.value + 1));
    Command& command = commands_[tag.value];
    command = {};
    command.tag = tag;
    command.sequence = ++sequence_;
    command.arrival = now_;
    command.cls = cls;
    command.deadline = deadline;
    command.stream = static_cast<std::uint32_t>(random_.below(8));
    command.extent = anywhere(random_.below(3) == 0);
    held_[tag.value] = true;
    ++count_;
    for (const auto& scheduler : schedulers_) scheduler->insert(command);
  }

  Extent anywhere(bool write) {
    const auto blocks = static_cast<std::uint32_t>(1 + random_.below(64));
    return planner_.resolve(core::Lba(random_.below(planner_.geometry().block_count() - blocks)), blocks, write);
  }

  /// Some continuous commands whose deadlines a sweep keeps, in any order and with one other command before each.
  void begin_sweep(std::size_t most) {
    const std::size_t count = random_.below(1 + most / 2);
    const Picoseconds hop = planner_.longest_hop() + planner_.rotation().period() * 4;
    for (std::size_t i = 0; i < count; ++i)
      insert(RequestClass::Continuous, now_ + hop * static_cast<Picoseconds>(2 * (count + 1)));
  }

  Tag any() {
    std::uint64_t which = random_.below(count_);
    for (std::size_t i = 0;; ++i)
      if (held_[i] && which-- == 0) return Tag(static_cast<std::uint16_t>(i));
  }

  void forget(Tag tag) {
    held_[tag.value] = false;
    --count_;
  }

  void withdraw() {
    const Tag tag = any();
    forget(tag);
    ++result_.withdrawn;
    for (const auto& scheduler : schedulers_) scheduler->withdraw(tag);
  }

  /// Asks both, as the firmware does.
  bool ask(Decision& decision) {
    std::array<Decision, 2> answers;
    for (std::size_t i = 0; i < schedulers_.size(); ++i) {
      SchedulerIf& scheduler = *schedulers_[i];
      std::size_t calls = 0;
      do {
        scheduler.work(head_);
        answers[i] = scheduler.has_time(head_, now_) ? scheduler.pick(head_, now_) : scheduler.next_of_sweep(head_, now_);
        if (++calls > 4 * kCapacity) return fail("it asks to be called again without end");
      } while (answers[i].kind == Decision::Kind::Again);
    }
    ++result_.decisions;
    if (!same(answers[0], answers[1]))
      return fail("two schedulers that got the same calls decide differently, expected the same");
    decision = answers[0];
    return true;
  }

  bool decide() {
    Decision decision;
    if (!ask(decision)) return false;
    switch (decision.kind) {
      case Decision::Kind::Serve: return serve(decision.tag);
      case Decision::Kind::Move:
        now_ += planner_.longest_hop();
        head_.cylinder = decision.cylinder;
        return true;
      case Decision::Kind::Idle:
        if (count_ == 0) return true;
        if (decision.until == kNoDeadline) {  // it may wait for another command, which `load` sees to
          now_ += core::kPicosecondsPerSecond / 1000;
          return true;
        }
        if (decision.until <= now_)
          return fail(fmt::format("at {} ps it waits until {} ps, expected a later time", now_, decision.until));
        now_ = decision.until;
        return true;
      default: return fail("it chooses the place of a write, expected that it serves a command");
    }
  }

  bool serve(Tag tag) {
    if (tag.value >= kCapacity || !held_[tag.value])
      return fail(fmt::format("it serves tag {}, expected the tag of one of the {} commands that it holds", tag.value, count_));
    const Command& command = commands_[tag.value];
    const mechanics::CommittedAccess access =
        planner_.commit(head_, command.extent, now_, command.data_ready, command.overhead_end);
    now_ += access.total();
    if (command.deadline != kNoDeadline && command.cls == RequestClass::Continuous) {
      if (schedulers_[0]->keeps_deadlines() && now_ > command.deadline)
        return fail(fmt::format(
            "it says that it keeps deadlines, but a command of the sweep ends {} us after its deadline, which a sweep had kept",
            (now_ - command.deadline) / core::kPicosecondsPerMicrosecond));
      ++result_.deadlines;
    }
    forget(tag);
    ++result_.served;
    for (const auto& scheduler : schedulers_) scheduler->remove(tag);
    return agrees();
  }

  const AccessPlanner& planner_;
  core::RandomStream random_;
  std::vector<Command> commands_;
  std::vector<bool> held_;
  std::array<std::unique_ptr<SchedulerIf>, 2> schedulers_;
  std::size_t count_ = 0;
  std::uint64_t sequence_ = 0;
  Picoseconds now_ = 0;
  HeadState head_;
  PolicyCheck result_;
};

}  // namespace

PolicyCheck check_policy(const PolicySpec& policy, const AccessPlanner& planner, std::uint64_t situations, std::uint64_t seed) {
  Checker checker(policy, planner, seed);
  while (checker.result().decisions < situations && checker.load()) {
  }
  return checker.result();
}

}  // namespace platter::scheduling
