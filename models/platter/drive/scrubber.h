// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "platter/core/timed_call.h"
#include "platter/drive/dispatcher.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/recovery.h"

namespace platter::drive {

/// Reads the media in the background, to find blocks that cannot be read before a host needs them: scrubbing, and the self-tests.
///
/// Scrubbing reads one piece after the other in the order of the blocks, while no command of a host is in the drive and none has arrived or
/// ended for `recovery.scrub_after_ms`. A host's command waits at most for the access that runs. The short self-test reads the pending
/// sectors, and then pieces that are spread over the drive; hosts' commands go on beside it. The extended one reads the whole drive once, as
/// scrubbing does, and finds all of its bad blocks.
class Scrubber {
 public:
  enum class Test : std::uint8_t { None, Runs, Good, Aborted, ReadFailed };

  Scrubber(const mechanics::AccessPlanner& planner, const profile::RecoveryProfile& profile, Recovery& recovery,
           HazardQueue& queue, std::vector<Dispatcher*> dispatchers);

  /// False if commands of hosts need not be told.
  bool on() const { return on_; }
  /// A command of a host has arrived or ended: the idle time begins anew.
  void activity(Picoseconds now) {
    last_ = now;
    if (!busy()) wake_.at(now + idle_);
  }
  bool owns(const QueueEntry& entry) const { return &entry == &entry_; }
  /// Its access has ended at `now`; `bad`: the block of the media that could not be read; `fresh`: the drive has not known that before.
  void ended(std::optional<std::uint64_t> bad, bool fresh, Picoseconds now);
  /// The drive has stopped working: nothing happens before `resume`.
  void halt();
  /// The drive accepts commands again, and so its idle time begins. A self-test that has been started meanwhile begins too.
  void resume(Picoseconds now) {
    halted_ = false;
    last_ = now;
    if (on_ || test_ == Test::Runs) wake_.now();
  }

  void start_test(bool extended);
  void stop_test() {
    if (test_ == Test::Runs) end_test(Test::Aborted);
  }
  Test test() const { return test_; }
  /// The last self-test was the extended one.
  bool extended() const { return extended_; }
  /// Tenths of the self-test that are left, begun ones included; 0 when none runs.
  std::uint32_t test_left() const;
  /// Time that an extended self-test takes on an idle drive without bad blocks.
  Picoseconds extended_time() const;
  /// The first block that the last self-test could not read.
  std::uint64_t test_block() const { return test_block_; }

 private:
  bool busy() const { return entry_.used(); }
  /// Every actuator is idle, and an access could begin at once; a self-test ends a rest.
  bool may_move() const {
    const auto may = test_ == Test::Runs ? &Dispatcher::idle : &Dispatcher::may_move;
    return std::all_of(dispatchers_.begin(), dispatchers_.end(), [may](const Dispatcher* each) { return (each->*may)(); });
  }
  void wake();
  void submit(std::uint64_t first, std::uint32_t blocks);
  /// Submits the next piece of the self-test; false if it has ended.
  bool next_of_test();
  bool next_of_short_test();
  void end_test(Test end) {
    test_ = end;
    on_ = scrub_after_ > 0;
  }
  /// Pieces of the short self-test.
  std::uint64_t test_pieces() const {
    return std::clamp<std::uint64_t>(planner_.geometry().block_count() / blocks_, 1, kTestPieces);
  }
  /// The short self-test runs: it does not wait for idle time.
  bool reads_behind_hosts() const { return test_ == Test::Runs && !extended_; }

  static constexpr std::uint32_t kTestPieces = 128;

  const mechanics::AccessPlanner& planner_;
  Recovery& recovery_;
  HazardQueue& queue_;
  std::vector<Dispatcher*> dispatchers_;  ///< by actuator
  Picoseconds scrub_after_;
  Picoseconds idle_;  ///< time without a host's command after which it reads
  bool on_;
  Picoseconds limit_;  ///< of the recovery, in scrubbing
  std::uint32_t blocks_;
  bool halted_ = false;
  QueueEntry entry_;
  std::uint64_t cursor_ = 0;
  Picoseconds last_ = 0;  ///< activity of a host
  Test test_ = Test::None;
  std::uint64_t test_block_ = 0;
  std::uint64_t test_pending_ = 0;  ///< the next pending sector to read
  std::uint32_t test_piece_ = 0;
  bool extended_ = false;
  mutable Picoseconds extended_time_ = 0;  ///< once it has been asked for
  bool test_failed_ = false;               ///< the extended self-test has found a bad block
  std::uint64_t test_cursor_ = 0;          ///< of the extended self-test
  std::uint64_t run_ = 0;                  ///< number of the last self-test
  std::uint64_t of_run_ = 0;               ///< the self-test to which the access under way belongs; 0: it scrubs
  core::TimedCall wake_;
};

}  // namespace platter::drive
