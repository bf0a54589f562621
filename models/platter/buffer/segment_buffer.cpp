// SPDX-License-Identifier: Apache-2.0
#include "platter/buffer/segment_buffer.h"

#include <algorithm>
#include <stdexcept>

namespace platter::buffer {

using mechanics::TrackRun;
using profile::ReadAhead;
using profile::WriteBack;

namespace {

/// The first block behind those that the actuator of `block` reaches.
std::uint64_t end_of_reach(const mechanics::Geometry& geometry, std::uint64_t block) {
  return geometry.actuator_end(geometry.actuator_of(Lba(block)));
}

}  // namespace

SegmentBuffer::SegmentBuffer(const AccessPlanner& planner, const profile::CacheProfile& profile)
    : planner_(planner),
      profile_(profile),
      segments_(profile.segments),
      uses_(profile.segments),
      part_blocks_(std::max(1u, profile.segment_blocks)) {
  if (profile_.separate_write_segments)
    for (std::size_t i = 0; i < std::min<std::size_t>(profile_.write_segments, segments_.size() - 1); ++i)
      segments_[i].reserved = true;
  if (const std::string why = objection(profile_); !why.empty()) throw std::invalid_argument(why);
}

std::string SegmentBuffer::objection(const profile::CacheProfile& profile) {
  if (profile.segments > 0 && profile.segment_blocks == 0) return "found 0, expected at least 1 sector in a segment";
  if (profile.segments == 0 || profile.write_back == WriteBack::Off) return {};
  if (profile.write_back == WriteBack::Interleaved && profile.write_segments == 0)
    return "found 0, expected at least 1: writes are cached, and no segment is for them";
  if (profile.separate_write_segments && (profile.write_segments == 0 || profile.segments == 1))
    return "writes are cached in segments of their own, and there is none beside those for reads";
  return {};
}

void SegmentBuffer::clear() {
  for (Segment& segment : segments_) {
    const bool reserved = segment.reserved;
    segment = {};
    segment.reserved = reserved;
  }
  uses_.clear();
  some_empty_ = true;
  dirty_segments_ = 0;
  stream_ = stopped_ = {};
  arm_held_ = 0;
}

// --- reads -----------------------------------------------------------------------------------------------------------

Hit SegmentBuffer::find(Lba first, std::uint32_t blocks, Picoseconds now) {
  if (stream_.active) advance(now);
  Hit best;
  const bool coming = stream_.active && first.value >= segments_[stream_.segment].first && first.value <= stream_.limit;
  if (!coming && !may_have(first.value)) return best;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    if (first.value < segment.first) continue;
    const bool filling = stream_.active && stream_.segment == i;
    if (first.value >= segment.end && !(filling && profile_.almost_read_hits && first.value <= stream_.limit)) continue;
    if (segment.written && (!profile_.read_hits_on_writes || segment.reserved)) continue;
    // A read-ahead into the segment continues for this read, unless another access waits for the actuator.
    const std::uint64_t wanted = std::min(first.value + blocks, end_of_reach(planner_.geometry(), first.value));
    const bool fetches = filling && (!stream_.ends || wanted <= stream_.limit);
    const std::uint64_t reach =
        std::max(fetches ? barrier(segment.end, wanted) : segment.end, std::min(segment.end, first.value + blocks));
    if (reach <= first.value) continue;
    const auto there = static_cast<std::uint32_t>(std::min<std::uint64_t>(reach - first.value, blocks));
    if (there <= best.blocks) continue;
    best = {there == blocks ? Hit::Kind::Whole : Hit::Kind::Partial, there, i};
  }
  return best;
}

void SegmentBuffer::use(const Hit& hit, Lba first, std::uint32_t blocks) {
  Segment& segment = segments_[hit.segment];
  uses_.use(hit.segment);
  if (!keeps() && !segment.dirty()) drop(segment, first.value + blocks);
  if (stream_.active && stream_.segment == hit.segment && !stream_.ends) {
    stream_.limit = std::max({stream_.limit, read_ahead_limit(segment, first.value, blocks, {}), first.value + blocks});
    stream_.limit = barrier(stream_.next, stream_.limit);
    stream_.promised = std::max(stream_.promised, first.value + blocks);
  }
  if (stream_.active && stream_.segment == hit.segment && first.value + blocks > stream_.run_first + stream_.run_blocks)
    leave_track();  // the host wants blocks after the track's end
}

Picoseconds SegmentBuffer::bus_start(const Hit& hit, Lba first, std::uint32_t blocks, Picoseconds block_time,
                                     Picoseconds earliest) {
  const std::uint64_t end = first.value + blocks;
  const std::uint64_t in = stream_.next;
  if (!stream_.active || stream_.segment != hit.segment || end <= in) return earliest;
  // Continues the read-ahead from the current run. The old state is restored below; `advance` will compute all this again.
  const Stream saved = stream_;
  if (end > stream_.run_first + stream_.run_blocks) leave_track();
  Picoseconds start = earliest;
  for (std::uint64_t block = std::max(in, first.value); block < end;) {
    while (block >= stream_.run_first + stream_.run_blocks)
      begin_run(rest_of_track(stream_.run_first + stream_.run_blocks), stream_.start + stream_.duration);
    const auto arrives = [this](std::uint64_t b) {
      return stream_.start + stream_.duration * static_cast<Picoseconds>(b - stream_.run_first + 1) / stream_.run_blocks;
    };
    // Within a run blocks come at a steady rate: the first or the last of them decides.
    const std::uint64_t last = std::min(end, stream_.run_first + stream_.run_blocks) - 1;
    for (const std::uint64_t b : {block, last})
      start = std::max(start, arrives(b) - block_time * static_cast<Picoseconds>(b - first.value));
    block = last + 1;
  }
  stream_ = saved;
  return start;
}

std::size_t SegmentBuffer::read_done(Lba first, std::uint32_t blocks, std::uint32_t passed, const Hit* continues) {
  const std::uint64_t end = first.value + blocks;
  std::size_t index = 0;
  if (continues != nullptr && segments_[continues->segment].end == first.value) {
    index = continues->segment;
  } else {
    index = reusable(false);
    if (index == kNone) return kNone;
    Segment& segment = segments_[index];
    segment = Segment{};
    segment.first = segment.end = first.value - passed;
  }
  Segment& segment = segments_[index];
  segment.written = false;
  extend(segment, end);
  if (!keeps()) drop(segment, end);
  uses_.use(index);
  return index;
}

void SegmentBuffer::drop(Segment& segment, std::uint64_t end) {
  segment.first = std::max(segment.first, end);
  segment.end = std::max(segment.end, segment.first);
  if (segment.empty()) some_empty_ = true;
}

std::uint32_t SegmentBuffer::passing(const Extent& extent, Picoseconds rotation) const {
  if (!profile_.keep_passing_sectors || extent.blocks >= profile_.segment_blocks) return 0;
  const Picoseconds sector = extent.media / extent.sectors;
  if (extent.tracks != 1 || sector == 0) return 0;
  const std::uint32_t room = std::min(extent.start_sector, profile_.segment_blocks - extent.blocks);
  auto kept = static_cast<std::uint32_t>(std::min<Picoseconds>(rotation / sector, room));
  // Slipped and spare sectors before it hold no blocks.
  while (kept > 0) {
    if (kept > extent.first.value) {
      kept = static_cast<std::uint32_t>(extent.first.value);
      continue;
    }
    const mechanics::PhysicalAddress at = planner_.geometry().to_physical(Lba(extent.first.value - kept));
    if (planner_.geometry().arm_at(at.cylinder, at.head) == extent.cylinder && at.head == extent.head &&
        at.sector.value < extent.start_sector)
      break;
    --kept;
  }
  const std::uint64_t first = extent.first.value;
  return barrier(first - kept, first) < first ? 0 : kept;
}

std::size_t SegmentBuffer::reusable(bool for_write) {
  // Empty segments first, then the least recently used one. Segments with blocks to be written are not reused.
  const auto least_recently_used = [&](bool of_empty) {
    for (std::size_t i = uses_.oldest(); i != uses_.end(); i = uses_.newer(i)) {
      const Segment& segment = segments_[i];
      if (of_empty && !segment.empty()) continue;
      if (!segment.dirty() && !(profile_.separate_write_segments && segment.reserved != for_write)) return i;
    }
    return kNone;
  };
  if (some_empty_) {
    some_empty_ = false;
    for (const Segment& segment : segments_) {
      if (!segment.empty()) continue;
      some_empty_ = true;
      break;
    }
    const std::size_t empty = some_empty_ ? least_recently_used(true) : kNone;
    if (empty != kNone) return empty;
  }
  return least_recently_used(false);
}

void SegmentBuffer::extend(Segment& segment, std::uint64_t end) {
  segment.end = std::max(segment.end, end);
  if (segment.end - segment.first > profile_.segment_blocks) segment.first = segment.end - profile_.segment_blocks;
  mark(segment.first, segment.end);
}

void SegmentBuffer::mark(std::uint64_t from, std::uint64_t end) {
  for (std::uint64_t number = from / part_blocks_; number * part_blocks_ < end; ++number) {
    const std::uint64_t part = number % kParts;
    std::uint64_t& word = marks_[part / 64];
    if ((word >> (part % 64) & 1) != 0) continue;
    word |= std::uint64_t{1} << (part % 64);
    ++marked_;
  }
  if (marked_ > most_marked_) renew_marks();
}

void SegmentBuffer::renew_marks() {
  marks_ = {};
  marked_ = 0;
  most_marked_ = kParts;
  for (const Segment& segment : segments_)
    if (!segment.empty()) mark(segment.first, segment.end);
  most_marked_ = marked_ + kMarksToRenew;
}

// --- read-ahead ------------------------------------------------------------------------------------------------------

SegmentBuffer::TrackRest SegmentBuffer::rest_of_track(std::uint64_t block) const {
  return {block, planner_.geometry().track_run(Lba(block), 0xFFFF'FFFFu)};
}

std::uint64_t SegmentBuffer::track_first(std::uint64_t block) const {
  // The track's first block is at most as many blocks back as the sector's index on its track; slips only reduce the distance.
  const mechanics::Geometry& geometry = planner_.geometry();
  const TrackRun run = geometry.track_run(Lba(block), 1);
  std::uint64_t first = block - std::min<std::uint64_t>(block, run.sector);
  while (first < block && track_end(first) <= block) first = track_end(first);
  return first;
}

std::uint64_t SegmentBuffer::read_ahead_limit(const Segment& segment, std::uint64_t first, std::uint32_t blocks,
                                              const TrackRest& next) const {
  const mechanics::Geometry& geometry = planner_.geometry();
  const std::uint64_t end = first + blocks;
  const std::uint64_t capacity = end_of_reach(geometry, first);
  if (end >= capacity) return end;
  if (whole_track()) {
    const std::uint64_t limit = track_end(end - 1);
    return profile_.read_ahead == ReadAhead::WholeTrackNext && limit < capacity ? track_end(limit) : limit;
  }
  if (profile_.read_ahead == ReadAhead::NextTrack) {
    const std::uint64_t limit = next.from == end ? next.end() : track_end(end);
    const bool began_before = segment.first < end && track_end(segment.first) <= end;  // on an earlier track
    return began_before && limit < capacity ? track_end(limit) : limit;
  }
  std::uint64_t limit = profile_.read_ahead_blocks != 0
                            ? end + profile_.read_ahead_blocks
                            : (profile_.read_ahead_from_request_start ? end : first) + profile_.segment_blocks;
  if (profile_.read_ahead == ReadAhead::Track) {
    limit = std::min(limit, track_end(end - 1));
  } else if (profile_.read_ahead == ReadAhead::Cylinder) {
    const core::Cylinder cylinder = geometry.to_physical(Lba(end - 1)).cylinder;
    std::uint64_t edge = track_end(end - 1);
    while (edge < capacity && edge < limit && geometry.to_physical(Lba(edge)).cylinder == cylinder) edge = track_end(edge);
    limit = std::min(limit, edge);
  }
  // Blocks after the request must not overwrite the kept blocks of the request. If the request fills the segment, the drive reads ahead all the same.
  if (profile_.keep_read_blocks)
    limit = std::min(limit, (blocks < profile_.segment_blocks ? first : end) + profile_.segment_blocks);
  return std::max(std::min(limit, capacity), end);
}

void SegmentBuffer::begin_run(const TrackRest& rest, Picoseconds from) {
  const TrackRun& run = rest.run;
  const mechanics::Rotation& rotation = planner_.rotation();
  Picoseconds seek = 0;
  Picoseconds settle = 0;
  if (run.cylinder != stream_.place.cylinder || run.head != stream_.place.head)
    planner_.move(stream_.place.cylinder, stream_.place.head, run.cylinder, run.head, false, seek, settle);
  stream_.moved = from + seek;
  const Picoseconds begin = rotation.phase_of(run.start_angle);
  stream_.start = stream_.moved + rotation.wait(rotation.phase(stream_.moved), begin);
  stream_.duration = run.full_turn ? rotation.period() : rotation.wait(begin, rotation.phase_of(run.end_angle));
  stream_.run_first = rest.from;
  stream_.run_blocks = run.blocks;
  stream_.place.cylinder = run.cylinder;
  stream_.place.head = run.head;
}

void SegmentBuffer::start_read_ahead(std::size_t segment, Lba first, std::uint32_t blocks, const HeadState& place,
                                     Picoseconds now, bool after_hit, std::uint64_t wanted) {
  stream_ = stopped_ = Stream{};
  if (segment == kNone || profile_.read_ahead == ReadAhead::None) return;
  const std::uint64_t next = after_hit ? segments_[segment].end : first.value + blocks;
  const TrackRest rest = next < end_of_reach(planner_.geometry(), first.value) ? rest_of_track(next) : TrackRest{next, {}};
  std::uint64_t limit = std::max(read_ahead_limit(segments_[segment], first.value, blocks, rest), wanted);
  if (wanted > 0 && !after_hit)
    limit = std::min(limit, next + profile_.segment_blocks);  // their first blocks stay until the bus takes them
  limit = barrier(next, limit, true);
  if (whole_track() && !after_hit) {
    const std::uint64_t last_track = track_first(next - 1);
    const std::uint64_t from = std::max(last_track, segments_[segment].first);
    if (from > last_track && barrier(last_track, from) == from) {
      // The part of the track that has been read began to pass under the head this long ago. One turn after that, the track's front has passed too.
      const TrackRun read = planner_.geometry().track_run(Lba(from), static_cast<std::uint32_t>(next - from));
      const Picoseconds period = planner_.rotation().period();
      stream_.wraps = true;
      stream_.front = last_track;
      stream_.front_in = now + period - period * Picoseconds{read.sectors} / read.track_sectors;
    }
  }
  if (next >= limit && !stream_.wraps) return;
  stream_.active = true;
  stream_.moves_arm = true;
  stream_.began = now;
  stream_.next = next;
  stream_.segment = segment;
  stream_.limit = limit;
  stream_.place = place;
  if (next < limit && !(stream_.wraps && next == track_end(next - 1))) {
    begin_run(rest, now);
  } else {  // the request ends at its track's end: only the track's front is left
    stream_.run_first = next;
    stream_.moved = stream_.start = now;
  }
}

void SegmentBuffer::leave_track() {
  if (!stream_.wraps) return;
  stream_.wraps = false;
  if (looked_ < stream_.start + stream_.duration) return;  // the run continues to the track's end anyway
  stream_.run_first += stream_.run_blocks;
  stream_.run_blocks = 0;
  stream_.moved = stream_.start = looked_;
  stream_.duration = 0;
}

void SegmentBuffer::advance(Picoseconds now) {
  looked_ = now;
  Segment& segment = segments_[stream_.segment];
  while (true) {
    if (now < stream_.start) return;
    const Picoseconds elapsed = now - stream_.start;
    const std::uint64_t in = stream_.run_blocks == 0 ? 0
                             : elapsed >= stream_.duration
                                 ? stream_.run_blocks
                                 : static_cast<std::uint64_t>(elapsed * stream_.run_blocks / stream_.duration);
    stream_.next = std::min(stream_.run_first + in, stream_.limit);
    extend(segment, stream_.next);
    if (in < stream_.run_blocks && stream_.next < stream_.limit) return;
    Picoseconds from = stream_.start + stream_.duration;
    ended_ = stream_.run_blocks == 0
                 ? from
                 : stream_.start + stream_.duration * static_cast<Picoseconds>(stream_.next - stream_.run_first) /
                                       static_cast<Picoseconds>(stream_.run_blocks);
    if (stream_.wraps) {
      if (now < stream_.front_in) return;
      ended_ = stream_.front_in;
      stream_.wraps = false;
      segment.first = std::min(segment.first, stream_.front);
      mark(segment.first, segment.end);
      from = stream_.front_in;
    }
    if (stream_.next >= stream_.limit) {
      stream_.active = false;
      return;
    }
    begin_run(rest_of_track(stream_.run_first + stream_.run_blocks), from);
  }
}

Picoseconds SegmentBuffer::read_ahead_until(Picoseconds now) {
  if (!stream_.active) return ended_;
  // The old state is restored: later results depend on when the buffer was last looked at.
  const Stream stream = stream_;
  const Segment segment = segments_[stream.segment];
  const Picoseconds looked = looked_;
  const Picoseconds ended = ended_;
  advance(now);
  const Picoseconds until = stream_.active ? now : ended_;
  stream_ = stream;
  segments_[stream.segment] = segment;
  looked_ = looked;
  ended_ = ended;
  mark(segment.first, segment.end);  // `advance` may have taken marks of its first blocks back
  return until;
}

Picoseconds SegmentBuffer::run_to_promise() {
  const std::uint64_t last = stream_.promised - 1;
  while (last >= stream_.run_first + stream_.run_blocks)
    begin_run(rest_of_track(stream_.run_first + stream_.run_blocks), stream_.start + stream_.duration);
  const auto run_blocks = static_cast<Picoseconds>(stream_.run_blocks);
  return stream_.start +
         (stream_.duration * static_cast<Picoseconds>(last - stream_.run_first + 1) + run_blocks - 1) / run_blocks;
}

void SegmentBuffer::cancel() {
  if (stream_.active && stream_.next < stream_.promised) {
    arm_held_ = std::max(arm_held_, run_to_promise());
    extend(segments_[stream_.segment], stream_.promised);
  }
  stream_.active = false;
}

void SegmentBuffer::cancel(std::size_t segment) {
  if (stream_.active && stream_.segment == segment) cancel();
  if (stopped_.segment == segment) stopped_.active = false;
}

void SegmentBuffer::resume(Lba first) {
  if (!stopped_.active || !profile_.almost_read_hits) return;
  if (first.value < segments_[stopped_.segment].first || first.value > stopped_.limit) return;
  stream_ = stopped_;
  stream_.moves_arm = true;
  stopped_.active = false;
}

Picoseconds SegmentBuffer::stop(Picoseconds now, HeadState& place) {
  if (stream_.active) advance(now);
  if (stream_.active && !stream_.ends && now >= stream_.began) stopped_ = stream_;
  if (stream_.active && stream_.next < stream_.promised) {
    stream_.limit = stream_.promised;
    stream_.ends = true;
    stream_.wraps = false;
    const Stream running = stream_;
    arm_held_ = std::max(arm_held_, run_to_promise());
    if (stream_.moves_arm) {
      place.cylinder = stream_.place.cylinder;
      place.head = stream_.place.head;
    }
    stream_ = running;
    stream_.moves_arm = false;
    return std::max(now, arm_held_);
  }
  if (stream_.active && now < stream_.began) {  // it has not begun to move
    stream_.active = false;
    stream_.moves_arm = false;
  }
  if (stream_.moves_arm) {  // also if the read-ahead has already ended
    place.cylinder = stream_.place.cylinder;
    place.head = stream_.place.head;
    stream_.moves_arm = false;
  }
  if (!stream_.active) return std::max(now, arm_held_);
  stream_.active = false;
  if (now < stream_.moved) return stream_.moved;  // a move that has begun is completed
  const Picoseconds elapsed = now - stream_.start;
  if (profile_.stop_in_sector || elapsed < 0 || elapsed >= stream_.duration) return now;
  const Picoseconds sector = elapsed * stream_.run_blocks / stream_.duration;  // the one under the head
  return std::max(now, stream_.start + stream_.duration * (sector + 1) / stream_.run_blocks);
}

// --- writes ----------------------------------------------------------------------------------------------------------

bool SegmentBuffer::accept_write(Lba first, std::uint32_t blocks) {
  const std::uint64_t end = first.value + blocks;
  std::size_t index = segments_.size();
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    if (!segment.dirty()) continue;
    const std::uint64_t unwritten = segment.dirty_end - segment.dirty_first;
    const bool appends = first.value == segment.dirty_end && unwritten + blocks <= profile_.segment_blocks;
    const bool replaces = first.value >= segment.destaging_end && end <= segment.dirty_end;
    if (replaces || (appends && index == segments_.size())) {
      index = i;
    } else if (first.value < segment.dirty_end && segment.dirty_first < end) {
      return false;  // the order of the two writes must be kept
    }
  }
  if (index == segments_.size()) {
    const std::uint32_t limit = profile_.write_back == WriteBack::Append ? 1 : profile_.write_segments;
    if (dirty_segments_ >= limit) return false;
    index = reusable(true);
    if (index == kNone) return false;
    cancel(index);
    ++dirty_segments_;
    Segment& segment = segments_[index];
    const bool reserved = segment.reserved;
    segment = Segment{};
    segment.reserved = reserved;
    segment.written = true;
    segment.first = segment.end = segment.dirty_first = segment.destaging_end = segment.dirty_end = first.value;
  }
  Segment& segment = segments_[index];
  segment.dirty_end = std::max(segment.dirty_end, end);
  extend(segment, end);
  uses_.use(index);
  invalidate(first, blocks);  // older copies
  return true;
}

bool SegmentBuffer::dirty(Lba first, std::uint32_t blocks) const {
  if (dirty_segments_ == 0) return false;
  const std::uint64_t end = first.value + blocks;
  return std::any_of(segments_.begin(), segments_.end(), [&](const Segment& segment) {
    return segment.dirty() && segment.dirty_first < end && first.value < segment.dirty_end;
  });
}

bool SegmentBuffer::next_destage(DirtyBlocks& blocks) {
  for (std::size_t i = uses_.oldest(); i != uses_.end(); i = uses_.newer(i)) {
    Segment& segment = segments_[i];
    if (!segment.dirty() || segment.destaging_end != segment.dirty_first) continue;
    segment.destaging_end = segment.dirty_end;
    blocks = {i, Lba(segment.dirty_first), static_cast<std::uint32_t>(segment.dirty_end - segment.dirty_first),
              segment.data_end};
    return true;
  }
  return false;
}

void SegmentBuffer::destaged(const DirtyBlocks& blocks) {
  Segment& segment = segments_[blocks.segment];
  segment.dirty_first = segment.destaging_end;
  if (segment.dirty()) return;
  --dirty_segments_;
  if (!profile_.read_hits_on_writes || segment.reserved) make_empty(segment);
}

void SegmentBuffer::invalidate(Lba first, std::uint32_t blocks) {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    Segment& segment = segments_[i];
    const bool over = segment.overlaps(first.value, first.value + blocks) && !profile_.write_updates_reads;
    if (segment.dirty() || !(over || (profile_.write_discards_reads && !segment.written))) continue;
    cancel(i);
    make_empty(segment);
  }
}

void SegmentBuffer::forget(Lba first, std::uint32_t blocks) {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    Segment& segment = segments_[i];
    if (segment.dirty() || !segment.overlaps(first.value, first.value + blocks)) continue;
    cancel(i);
    make_empty(segment);
  }
}

}  // namespace platter::buffer
