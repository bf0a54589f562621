// SPDX-License-Identifier: Apache-2.0
//
// The policies of eager writing: queues worked by hand on the paper drive (eager_drives.h), and what holds for any queue.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "eager_drives.h"
#include "platter/mapping/eager/free_search.h"
#include "platter/scheduling/gap_statistics.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {
namespace {

using core::Cylinder;
using core::Head;
using core::Lba;
using eager::Block;
using eager::Place;
using testing::paper_place;

constexpr Picoseconds kUs = core::kPicosecondsPerMicrosecond;

std::vector<PolicySpec> eager_policies() {
  std::vector<PolicySpec> specs;
  for (const PolicyInfo& row : policy_table())
    if (row.places) specs.push_back(*find_policy(row.name));
  return specs;
}

/// A policy on the paper drive, of which only the given places are free.
class Desk {
 public:
  Desk(const char* policy, const std::vector<Place>& free, bool bind_reads = false)
      : planner_(testing::paper_drive()),
        layout_(planner_, 4096),
        map_(testing::map_with_free(layout_, free)),
        search_(planner_, map_, 3) {
    commands_.reserve(64);
    scheduler_ = find_policy(policy)->create({planner_, 64, 0, {}, {}, &search_, bind_reads});
  }

  /// Tag of a read of the block at a place.
  Tag read(Place place) { return add(planner_.resolve(layout_.first_sector(place), 8, false)); }
  Tag write() {
    Extent extent;
    extent.blocks = 8;
    extent.write = true;
    return add(extent);
  }
  Decision pick(std::uint32_t cylinder, Picoseconds now = 0) {
    return scheduler_->pick({Cylinder(cylinder), Head(0), false}, now);
  }
  void remove(Tag tag) { scheduler_->remove(tag); }
  bool empty() const { return scheduler_->empty(); }
  DecisionWork work() { return scheduler_->work({}); }
  const GapStatistics& gaps() const { return *scheduler_->gaps(); }

 private:
  Tag add(const Extent& extent) {
    Command command;
    command.tag = Tag(static_cast<std::uint16_t>(commands_.size()));
    command.sequence = commands_.size();
    command.extent = extent;
    commands_.push_back(command);
    scheduler_->insert(commands_.back());
    return commands_.back().tag;
  }

  AccessPlanner planner_;
  eager::BlockLayout layout_;
  eager::BlockMap map_;
  eager::FreeSearch search_;
  std::vector<Command> commands_;
  std::unique_ptr<SchedulerIf> scheduler_;
};

void expect_serve(const Decision& decision, Tag tag) {
  EXPECT_EQ(decision.kind, Decision::Kind::Serve);
  EXPECT_EQ(decision.tag, tag);
}

void expect_write(const Decision& decision, Tag tag, Place place, bool hidden) {
  EXPECT_EQ(decision.kind, Decision::Kind::Write);
  EXPECT_EQ(decision.tag, tag);
  EXPECT_EQ(decision.place, place);
  EXPECT_EQ(decision.hidden, hidden);
}

TEST(EagerPolicies, AreNotForDrivesThatWriteInPlaceNorTheOthersForThoseThatDoNot) {
  EXPECT_EQ(eager_policies().size(), 6u);
  for (const PolicyInfo& row : policy_table()) {
    if (!row.parameters.empty()) continue;
    EXPECT_EQ(placing_objection(*find_policy(row.name), row.places), "") << row.name;
    EXPECT_NE(placing_objection(*find_policy(row.name), !row.places), "") << row.name;
    if (row.places) {
      EXPECT_EQ(row.accelerated, Accelerated::No) << row.name;
    }
  }
  EXPECT_EQ(placing_objection(*find_policy("SATF-EW"), false),
            "policy SATF-EW writes to free blocks; expected eager.enabled = true");
  EXPECT_EQ(placing_objection(*find_policy("SPTF"), true),
            "policy SPTF writes in place; with eager.enabled expected one of SATF-EW, FreeBW-SATF, FreeBW-SCAN, "
            "FreeBW-Hybrid, Read-First, Credit-EW");
}

TEST(EagerPolicies, IdleServeAndEmpty) {
  for (const PolicySpec& policy : eager_policies()) {
    SCOPED_TRACE(policy.row->name);
    Desk desk(policy.row->name.data(), {paper_place(3, 0, 0)});
    EXPECT_TRUE(desk.empty());
    EXPECT_EQ(desk.pick(0).kind, Decision::Kind::Idle);
    EXPECT_EQ(desk.work().candidates, 0u);
    const Tag write = desk.write();
    EXPECT_FALSE(desk.empty());
    expect_write(desk.pick(0), write, paper_place(3, 0, 0), false);  // without reads at once
    EXPECT_GT(desk.work().candidates, 0u);
    const Tag later = desk.write();
    EXPECT_EQ(desk.pick(0).tag, write) << "the oldest write first";
    desk.remove(write);
    EXPECT_EQ(desk.pick(0).tag, later);
    desk.remove(later);
    const Tag read = desk.read(paper_place(9, 1, 4));
    expect_serve(desk.pick(0), read);
    desk.remove(read);
    EXPECT_TRUE(desk.empty());
    EXPECT_EQ(desk.pick(0).kind, Decision::Kind::Idle);
  }
}

// From cylinder 0, head 0, at time 0. A read of block i there ends at (i + 1) * 800 us. A write to block i of cylinder 1 settles at
// 1,000 + 200 us; block 2 begins at 1,600 and is written at 2,400.

TEST(SatfEw, ServesTheCheaperOfTheClosestReadAndTheClosestFreeBlock) {
  Desk desk("SATF-EW", {paper_place(1, 0, 2), paper_place(1, 0, 5)});
  const Tag write = desk.write();
  const Tag far = desk.read(paper_place(20, 0, 4));
  const Tag near = desk.read(paper_place(0, 0, 3));  // ends at 3,200
  expect_write(desk.pick(0), write, paper_place(1, 0, 2), false);
  const Tag nearer = desk.read(paper_place(0, 0, 2));  // ends at 2,400 too: a read goes first
  expect_serve(desk.pick(0), nearer);
  desk.remove(nearer);
  desk.remove(write);
  expect_serve(desk.pick(0), near);
  desk.remove(near);
  expect_serve(desk.pick(0), far);
}

TEST(ReadFirst, WritesOnlyWhenThereIsNoRead) {
  Desk desk("Read-First", {paper_place(0, 0, 0)});
  const Tag write = desk.write();
  const Tag far = desk.read(paper_place(30, 1, 7));
  const Tag near = desk.read(paper_place(2, 0, 6));
  expect_serve(desk.pick(0), near);
  desk.remove(near);
  expect_serve(desk.pick(0), far);
  desk.remove(far);
  expect_write(desk.pick(0), write, paper_place(0, 0, 0), false);
}

// The read: block 5 of cylinder 10, head 0. The seek takes 1,090 us, so it begins at 4,000 and ends at 4,800.
struct Gap {
  std::vector<Place> free;
  Place taken = eager::BlockMap::kNoPlace;
};

TEST(FreeBandwidth, AWriteGoesIntoTheGapIfTheReadComesNoLater) {
  const std::vector<Gap> gaps = {
      {{paper_place(0, 0, 1)}, paper_place(0, 0, 1)},    // 800 to 1,600, there at 2,690
      {{paper_place(0, 0, 2)}, paper_place(0, 0, 2)},    // 1,600 to 2,400, there at 3,490
      {{paper_place(0, 0, 3)}},                          // to 3,200, there at 4,290: too late
      {{paper_place(0, 1, 1)}, paper_place(0, 1, 1)},    // the other head: switch and settling end at 700
      {{paper_place(10, 0, 2)}, paper_place(10, 0, 2)},  // on the target's cylinder: settled at 1,290
      {{paper_place(10, 0, 4)}, paper_place(10, 0, 4)},  // to 4,000, just in time
      {{paper_place(10, 1, 3)}, paper_place(10, 1, 3)},  // to 3,200, back on head 0 at 3,700
      {{paper_place(10, 1, 4)}},                         // to 4,000, and no time for the head switch
      {{paper_place(5, 0, 2)}, paper_place(5, 0, 2)},    // on the way: 1,240, to 2,400, and 1,040 more
      {{paper_place(5, 0, 3)}},                          // to 3,200, there at 4,240
      {{paper_place(4, 0, 2)}},                          // in time, but no candidate: cylinders 0, 2, 5, 7 and 10 are
      {{paper_place(11, 0, 2)}},                         // beyond the target is none either
      {{paper_place(10, 0, 2), paper_place(0, 0, 1)}, paper_place(0, 0, 1)},  // the earliest completion wins
  };
  for (const char* policy : {"FreeBW-SATF", "FreeBW-SCAN", "FreeBW-Hybrid"})
    for (const Gap& gap : gaps) {
      Desk desk(policy, gap.free);
      const Tag read = desk.read(paper_place(10, 0, 5));
      const Tag write = desk.write();
      SCOPED_TRACE(std::string(policy) + " " + std::to_string(gap.free.front().value));
      if (gap.taken != eager::BlockMap::kNoPlace)
        expect_write(desk.pick(0), write, gap.taken, true);
      else
        expect_serve(desk.pick(0), read);
    }
}

TEST(FreeBandwidth, TheChosenReadStaysChosenWhileWritesGoBeforeIt) {
  Desk desk("FreeBW-SATF", {paper_place(0, 0, 1), paper_place(0, 0, 2)});
  const Tag chosen = desk.read(paper_place(10, 0, 5));
  const Tag first = desk.write();
  const Tag second = desk.write();
  expect_write(desk.pick(0), first, paper_place(0, 0, 1), true);
  desk.remove(first);
  const Tag closer = desk.read(paper_place(0, 0, 3));
  expect_write(desk.pick(0, 1600 * kUs), second, paper_place(0, 0, 2), true);
  desk.remove(second);
  expect_serve(desk.pick(0, 2400 * kUs), chosen);
  desk.remove(chosen);
  expect_serve(desk.pick(0, 2400 * kUs), closer);  // planned anew
  // The gap of the chosen one: from 1,090 to 4,000 us; the closer one is served where it comes.
  EXPECT_EQ(desk.gaps().gaps, 2u);
  EXPECT_EQ(desk.gaps().filled, 1u);
  EXPECT_EQ(desk.gaps().total, 2'910 * kUs);
  EXPECT_EQ(desk.gaps().sizes[5], 1u);
  EXPECT_EQ(desk.gaps().sizes[0], 1u);
  EXPECT_EQ(desk.gaps().writes[2], 1u);
  EXPECT_EQ(desk.gaps().writes[0], 1u);
}

TEST(EagerPolicies, CountAGapForEveryReadServed) {
  for (const PolicySpec& policy : eager_policies()) {
    SCOPED_TRACE(policy.row->name);
    Desk desk(policy.row->name.data(), {paper_place(31, 1, 0)});
    const Tag read = desk.read(paper_place(10, 0, 5));
    expect_serve(desk.pick(0), read);
    EXPECT_EQ(desk.gaps().gaps, 1u);
    EXPECT_EQ(desk.gaps().total, 2'910 * kUs);
    EXPECT_EQ(desk.gaps().writes[0], 1u);
  }
}

TEST(FreeBandwidth, ScanSweepsOverTheReadsAndTurnsAtTheLast) {
  Desk desk("FreeBW-SCAN", {paper_place(31, 1, 0)});
  const Tag ahead = desk.read(paper_place(20, 0, 0));
  const Tag behind = desk.read(paper_place(9, 0, 4));
  const Tag next = desk.read(paper_place(15, 0, 7));
  expect_serve(desk.pick(10), next);
  desk.remove(next);
  expect_serve(desk.pick(15), ahead);
  desk.remove(ahead);
  const Tag lower = desk.read(paper_place(3, 0, 4));
  expect_serve(desk.pick(20), behind);
  desk.remove(behind);
  expect_serve(desk.pick(9), lower);
}

TEST(FreeBandwidth, HybridIsScanWhileAWriteIsQueuedAndSatfWhenNoneIs) {
  // From cylinder 10 at 0: the read behind (1,000 us, begins at 1,600) ends before the one ahead (1,040 us, begins at 4,000).
  for (const bool writes : {false, true}) {
    Desk desk("FreeBW-Hybrid", {paper_place(31, 1, 0)});
    const Tag behind = desk.read(paper_place(9, 0, 2));
    const Tag ahead = desk.read(paper_place(15, 0, 5));
    if (writes) desk.write();
    expect_serve(desk.pick(10), writes ? ahead : behind);
  }
}

TEST(BoundReads, KeepToTheSeekDirectionUntilNoneIsAhead) {
  for (const char* policy : {"SATF-EW", "FreeBW-SATF", "Read-First", "Credit-EW"}) {
    SCOPED_TRACE(policy);
    Desk desk(policy, {paper_place(31, 1, 0)}, true);
    const Tag behind = desk.read(paper_place(9, 0, 2));
    const Tag ahead = desk.read(paper_place(15, 0, 5));
    expect_serve(desk.pick(10), ahead);
    desk.remove(ahead);
    expect_serve(desk.pick(15), behind);  // it turns
    const Tag above = desk.read(paper_place(16, 0, 2));
    expect_serve(desk.pick(15), behind);
    desk.remove(behind);
    expect_serve(desk.pick(15), above);
  }
}

// A closest write is over at 2,400 (cylinder 1, block 2), which makes the credit of a hidden one 1,920 us.

TEST(CreditEw, AReadIsCreditedWithTheWritesThatItsGapHides) {
  Desk desk("Credit-EW", {paper_place(1, 0, 2), paper_place(10, 0, 3)});
  const Tag bare = desk.read(paper_place(0, 0, 3));     // ends at 3,200; nothing is free on its cylinder
  const Tag gapped = desk.read(paper_place(10, 0, 5));  // ends at 4,800, 2,880 with the write to its own cylinder
  expect_serve(desk.pick(0), bare);                     // without writes it is SATF
  desk.remove(bare);
  const Tag again = desk.read(paper_place(0, 0, 3));
  const Tag write = desk.write();
  expect_write(desk.pick(0), write, paper_place(10, 0, 3), true);
  desk.remove(write);
  expect_serve(desk.pick(0), again);
  EXPECT_NE(gapped, again);
}

TEST(CreditEw, ADearReadWaitsWhileThereAreWritesAtHand) {
  // The reads so far took 800 us; one of 5,000 and more is above 2.9 times that. A write to cylinder 0 takes 800.
  Desk desk("Credit-EW", {paper_place(0, 0, 0)});
  const Tag cheap = desk.read(paper_place(0, 0, 0));
  expect_serve(desk.pick(0), cheap);
  desk.remove(cheap);
  const Tag dear = desk.read(paper_place(0, 0, 7));
  expect_serve(desk.pick(0), dear);  // no write, no choice; the mean is now 887 us
  const Tag write = desk.write();
  // The gap would hide the write; its credit of 640 us leaves 5,760.
  expect_write(desk.pick(0), write, paper_place(0, 0, 0), false);
}

// --- any queue -------------------------------------------------------------------------------------------------------

/// A closed queue under a policy: each command that is served is replaced, until `fresh` have come; then the queue runs empty.
class Closed {
 public:
  Closed(const PolicySpec& policy, double dilution, double read_fraction, std::size_t depth, std::uint64_t seed,
         bool bind_reads = false)
      : planner_(testing::paper_drive(64)),
        layout_(planner_, 4096),
        map_(layout_, dilution),
        search_(planner_, map_, 3),
        read_fraction_(read_fraction),
        commands_(depth),
        blocks_(depth),
        random_(seed) {
    map_.place_at_random(seed);
    scheduler_ = policy.create({planner_, depth, 0, {}, {}, &search_, bind_reads});
  }

  /// Serves all; the longest time from arrival to end.
  Picoseconds run(int fresh) {
    for (std::size_t t = 0; t < commands_.size(); ++t) arrive(t);
    int left = static_cast<int>(commands_.size());
    Picoseconds longest = 0;
    const std::uint32_t free = map_.free_count();
    while (left > 0) {
      const Decision decision = scheduler_->pick(head_, now_);
      const std::size_t t = decision.tag.value;
      Command& command = commands_.at(t);
      EXPECT_TRUE(waiting_.at(t)) << "each command is served once";
      if (!waiting_[t]) return 0;
      if (decision.kind == Decision::Kind::Write) {
        EXPECT_TRUE(command.extent.write);
        EXPECT_TRUE(map_.free(decision.place));
        for (std::size_t o = 0; o < commands_.size(); ++o) {
          if (waiting_[o] && commands_[o].extent.write) {
            EXPECT_LE(command.sequence, commands_[o].sequence) << "the oldest write first";
          }
        }
        const Extent extent = planner_.resolve(layout_.first_sector(decision.place), 8, true);
        if (decision.hidden) expect_hidden(extent);
        scheduler_->remove(decision.tag);
        now_ += planner_.commit(head_, extent, now_).total();
        map_.move(blocks_[t], decision.place);
        for (std::size_t o = 0; o < commands_.size(); ++o)  // reads follow their block
          if (waiting_[o] && blocks_[o] == blocks_[t] && !commands_[o].extent.write)
            commands_[o].extent = planner_.resolve(layout_.first_sector(decision.place), 8, false);
      } else {
        EXPECT_EQ(decision.kind, Decision::Kind::Serve);
        EXPECT_FALSE(command.extent.write);
        EXPECT_EQ(command.extent.first, layout_.first_sector(map_.place_of(blocks_[t]))) << "it reads where the block is";
        scheduler_->remove(decision.tag);
        now_ += planner_.commit(head_, command.extent, now_).total();
      }
      EXPECT_EQ(map_.free_count(), free);
      waiting_[t] = false;
      ++served_;
      longest = std::max(longest, now_ - command.arrival);
      if (fresh > 0) {
        --fresh;
        arrive(t);
      } else {
        --left;
      }
    }
    EXPECT_TRUE(scheduler_->empty());
    return longest;
  }

  std::uint64_t served() const { return served_; }
  std::uint64_t hidden() const { return hidden_; }

 private:
  void arrive(std::size_t t) {
    Command& command = commands_[t];
    command = {};
    command.tag = Tag(static_cast<std::uint16_t>(t));
    command.sequence = next_++;
    command.arrival = now_;
    blocks_[t] = Block(static_cast<std::uint32_t>(random_() % map_.blocks()));
    if (static_cast<double>(random_() % 1000) >= read_fraction_ * 1000) {
      command.extent.blocks = 8;
      command.extent.write = true;
    } else {
      command.extent = planner_.resolve(layout_.first_sector(map_.place_of(blocks_[t])), 8, false);
    }
    waiting_.resize(commands_.size());
    waiting_[t] = true;
    scheduler_->insert(command);
  }

  /// Some read ends after the write exactly when it would have ended without it.
  void expect_hidden(const Extent& write) {
    ++hidden_;
    HeadState after = head_;
    const Picoseconds end = planner_.commit(after, write, now_).total();
    bool undelayed = false;
    for (std::size_t o = 0; o < commands_.size(); ++o)
      if (waiting_[o] && !commands_[o].extent.write)
        undelayed = undelayed || end + planner_.estimate(after, commands_[o].extent, now_ + end).total() ==
                                     planner_.estimate(head_, commands_[o].extent, now_).total();
    EXPECT_TRUE(undelayed);
  }

  AccessPlanner planner_;
  eager::BlockLayout layout_;
  eager::BlockMap map_;
  eager::FreeSearch search_;
  double read_fraction_;
  std::vector<Command> commands_;
  std::vector<Block> blocks_;
  std::vector<bool> waiting_;
  std::mt19937_64 random_;
  std::unique_ptr<SchedulerIf> scheduler_;
  HeadState head_;
  Picoseconds now_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t served_ = 0;
  std::uint64_t hidden_ = 0;
};

TEST(EagerPolicies, ServeEveryRequestOnceInAnyLoad) {
  for (const PolicySpec& policy : eager_policies())
    for (const double reads : {0.0, 0.1, 0.5, 0.9, 1.0})
      for (const std::size_t depth : {1u, 4u, 32u}) {
        SCOPED_TRACE(policy.name() + " reads " + std::to_string(reads) + " depth " + std::to_string(depth));
        Closed closed(policy, depth == 4 ? 1.02 : 2.0, reads, depth, depth);
        closed.run(600);
        EXPECT_EQ(closed.served(), 600 + depth);
        const bool fills = policy.row->name != "SATF-EW" && policy.row->name != "Read-First";
        if (reads == 0.5 && depth == 32) {
          EXPECT_EQ(closed.hidden() > 100, fills);
        }
        if (::testing::Test::HasFailure()) return;
      }
}

TEST(EagerPolicies, ServeEveryRequestOnceWithBoundReads) {
  for (const PolicySpec& policy : eager_policies())
    for (const double reads : {0.1, 0.5, 1.0}) {
      SCOPED_TRACE(policy.name() + " reads " + std::to_string(reads));
      Closed closed(policy, 2, reads, 32, 3, true);
      closed.run(1000);
      EXPECT_EQ(closed.served(), 1032u);
    }
}

TEST(EagerPolicies, ScanLeavesNoRequestBehind) {
  // Among 32 a read waits for two sweeps at the most, each of at most 32 others and what comes meanwhile, and a write for gaps: bounded
  // by four times the queue of accesses that take a full stroke and a turn each.
  Closed closed(*find_policy("FreeBW-SCAN"), 2, 0.5, 32, 7);
  EXPECT_LT(closed.run(4000), 4 * 32 * (1'630 + 6'400 + 800) * kUs);
}

}  // namespace
}  // namespace platter::scheduling
