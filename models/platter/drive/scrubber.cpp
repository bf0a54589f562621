// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/scrubber.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using core::now_ps;

namespace {

/// Idle time before a piece of the extended self-test, on a drive that does not scrub.
constexpr Picoseconds kTestIdle = 10 * core::kPicosecondsPerMillisecond;

}  // namespace

Scrubber::Scrubber(const mechanics::AccessPlanner& planner, const profile::RecoveryProfile& profile, Recovery& recovery,
                   HazardQueue& queue, std::vector<Dispatcher*> dispatchers)
    : planner_(planner),
      recovery_(recovery),
      queue_(queue),
      dispatchers_(std::move(dispatchers)),
      scrub_after_(core::to_picoseconds(profile.scrub_after_ms, core::kPicosecondsPerMillisecond)),
      idle_(scrub_after_ > 0 ? scrub_after_ : kTestIdle),
      on_(scrub_after_ > 0),
      limit_(profile.scrub_limit_turns > 0 ? planner.rotation().period() * Picoseconds{profile.scrub_limit_turns}
                                           : core::kNoDeadline),
      blocks_(profile.scrub_blocks),
      wake_(core::Rank::Layer, [this] { wake(); }) {
  if (on()) wake_.at(scrub_after_);
}

void Scrubber::halt() {
  halted_ = true;
  wake_.cancel();
  entry_ = QueueEntry{};
  stop_test();
}

void Scrubber::submit(std::uint64_t first, std::uint32_t blocks) {
  const Picoseconds now = now_ps();
  const std::uint32_t actuator = planner_.geometry().actuator_of(core::Lba(first));
  const std::uint64_t left = planner_.geometry().actuator_end(actuator) - first;
  Dispatcher& dispatcher = *dispatchers_[actuator];
  entry_ = QueueEntry{};
  entry_.actuator = static_cast<std::uint8_t>(actuator);
  entry_.enter(Stage::Received);
  entry_.asked.fua = true;  // from the media
  if (of_run_ == 0 || extended_) entry_.asked.recovery_limit = limit_;
  entry_.command.cls = core::RequestClass::Background;
  entry_.command.extent =
      planner_.resolve_inside(core::Lba(first), static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, left)));
  entry_.command.sequence = queue_.next_sequence();
  entry_.command.arrival = entry_.result.timing.issued = now;
  entry_.command.overhead_end = now + planner_.command_overhead(false, dispatcher.unit().state().last_was_write);
  dispatcher.submit(entry_);
}

void Scrubber::wake() {
  if (halted_ || busy()) return;
  if (reads_behind_hosts() && next_of_test()) return;
  if (!on()) return;
  const Picoseconds now = now_ps();
  const Picoseconds due = last_ + idle_;
  if (now < due || !may_move() || queue_.occupancy() > 0) {
    wake_.at(now < due ? due : now + idle_);
    return;
  }
  if (test_ == Test::Runs && next_of_test()) return;
  if (scrub_after_ == 0) return;
  of_run_ = 0;
  if (cursor_ >= planner_.geometry().block_count()) cursor_ = 0;
  submit(cursor_, blocks_);
}

void Scrubber::ended(std::optional<std::uint64_t> bad, bool fresh, Picoseconds now) {
  const mechanics::Extent extent = entry_.command.extent;
  entry_.enter(Stage::Done);
  entry_.enter(Stage::Free);
  media::MediaErrors& errors = recovery_.faults().errors();
  std::uint64_t end = extent.first.value + extent.blocks;
  if (bad) {
    end = (*bad / recovery_.faults().together() + 1) * recovery_.faults().together();
    errors.scrub_errors += fresh ? 1 : 0;
  }
  errors.scrubbed_blocks += end - extent.first.value;
  recovery_.faults().keep_counters();
  if (of_run_ == 0) {
    cursor_ = end;
  } else if (of_run_ == run_ && test_ == Test::Runs) {  // not a piece of a self-test before this one
    if (bad && !test_failed_) test_block_ = *bad;
    test_failed_ = test_failed_ || bad;
    test_cursor_ = end;
    if (bad && !extended_) end_test(Test::ReadFailed);
  }
  if (reads_behind_hosts()) {
    wake_.now();
  } else if (on()) {
    const bool idle = last_ + idle_ <= now && queue_.occupancy() == 0;
    wake_.at(idle ? now : std::max(now, last_ + idle_));
  }
}

// --- the self-test ----------------------------------------------------------------------------------------------------

void Scrubber::start_test(bool extended) {
  test_ = Test::Runs;
  ++run_;
  extended_ = extended;
  on_ = on_ || extended;
  test_failed_ = false;
  test_block_ = test_pending_ = test_cursor_ = 0;
  test_piece_ = 0;
  last_ = now_ps();
  wake_.now();
}

std::uint32_t Scrubber::test_left() const {
  if (test_ != Test::Runs) return 0;
  const std::uint64_t whole = extended_ ? planner_.geometry().block_count() : test_pieces();
  const std::uint64_t left = whole - std::min<std::uint64_t>(whole, extended_ ? test_cursor_ : test_piece_);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(9, (10 * left + whole - 1) / whole));
}

Picoseconds Scrubber::extended_time() const {
  if (extended_time_ > 0) return extended_time_;
  // The whole media would take a moment, which a served host has not: samples, each for its part of the drive.
  constexpr std::uint64_t kSamples = 256;
  constexpr std::uint64_t kMaxBlocks = 4096;
  const std::uint64_t capacity = planner_.geometry().block_count();
  const std::uint64_t part = std::max<std::uint64_t>(1, capacity / kSamples);
  const auto blocks = static_cast<std::uint32_t>(std::min(part, kMaxBlocks));
  for (std::uint64_t first = 0; first + part <= capacity; first += part)
    extended_time_ += planner_.resolve(core::Lba(first), blocks, false).media / blocks * static_cast<Picoseconds>(part);
  // The overhead of a piece costs a turn.
  extended_time_ += static_cast<Picoseconds>((capacity + blocks_ - 1) / blocks_) * planner_.rotation().period();
  return extended_time_;
}

bool Scrubber::next_of_test() {
  of_run_ = run_;
  if (!extended_) return next_of_short_test();
  if (test_cursor_ < planner_.geometry().block_count()) {
    submit(test_cursor_, blocks_);
    return true;
  }
  end_test(test_failed_ ? Test::ReadFailed : Test::Good);
  return false;
}

bool Scrubber::next_of_short_test() {
  const std::uint64_t whole = recovery_.faults().together();
  const auto pending = recovery_.faults().pending().lower_bound(test_pending_);
  if (pending != recovery_.faults().pending().end()) {
    test_pending_ = *pending + 1;
    submit(*pending * whole, static_cast<std::uint32_t>(whole));
    return true;
  }
  const std::uint64_t capacity = planner_.geometry().block_count();
  const std::uint64_t pieces = test_pieces();
  if (test_piece_ < pieces) {
    submit(capacity / pieces * test_piece_++ / whole * whole, blocks_);
    return true;
  }
  end_test(Test::Good);
  return false;
}

}  // namespace platter::drive
