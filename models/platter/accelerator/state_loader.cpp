// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/state_loader.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "platter/accelerator/registers.h"

namespace platter::accelerator {

namespace {

/// Writes over a core's bus. A register that already has the value is not written again.
class Writer {
 public:
  Writer(BusCoreIf& core, core::Picoseconds start) : core_(core), start_(start) {}

  void put(std::uint32_t address, std::uint32_t data) { core_.access({true, address, data, start_}); }
  void set(std::uint32_t address, std::uint32_t data) {
    std::optional<std::uint32_t>& word = words_[address / 4];
    if (word == data) return;
    word = data;
    put(address, data);
  }
  /// After a soft reset every register is 0.
  void forget() { words_.fill(0u); }

 private:
  BusCoreIf& core_;
  core::Picoseconds start_;
  std::array<std::optional<std::uint32_t>, ReferenceCore::kWords> words_{};
};

bool sums_hold(const ReferenceCore::State& state) { return !state.sums_stale; }

void load_seek_table(Writer& writer, const scheduling::SeekTable& table) {
  writer.put(reg::kSeekIndex, 0);
  for (const scheduling::SeekTable::Segment& segment : table.segments) {
    writer.put(reg::kSeekBase, static_cast<std::uint32_t>(segment.base));
    writer.put(reg::kSeekDelta, static_cast<std::uint32_t>(segment.delta));
  }
  writer.put(reg::kSeekCell, 0);
  for (const scheduling::SeekTable::Cell& cell : table.cells) {
    writer.put(reg::kSeekLast, (cell.last[0] << reg::kSeekLastFirstLsb) | (cell.last[1] << reg::kSeekLastSecondLsb));
    writer.put(reg::kSeekGroup, (cell.group << reg::kSeekGroupSegmentLsb) | (cell.last[2] << reg::kSeekGroupThirdLsb));
  }
}

void load_entries(Writer& writer, const ReferenceCore::State& s) {
  std::vector<std::uint8_t> tags = s.list;
  std::sort(tags.begin(), tags.end(),
            [&s](std::uint8_t a, std::uint8_t b) { return s.entries[a].number < s.entries[b].number; });
  for (const std::uint8_t tag : tags) {
    const ReferenceCore::Entry& e = s.entries[tag];
    const ReferenceCore::Extent& x = s.extents[tag];
    writer.set(reg::kEPos, (e.cylinder << reg::kEPosCylLsb) | (std::uint32_t{e.head} << reg::kEPosHeadLsb) |
                               (static_cast<std::uint32_t>(e.write) << reg::kEPosWriteLsb) |
                               (std::uint32_t{e.cls} << reg::kEPosClassLsb) |
                               (std::uint32_t{e.limit_kind} << reg::kEPosLimitLsb));
    writer.set(reg::kEAngle, e.angle);
    writer.set(reg::kEEndPos, (x.end_cylinder << reg::kEEndPosCylLsb) | (std::uint32_t{x.end_head} << reg::kEEndPosHeadLsb));
    writer.set(reg::kEEndAngle, x.end_angle);
    writer.set(reg::kETransfer, x.transfer);
    if (e.cls == reg::kEPosClassContinuous) writer.set(reg::kEDeadline, x.deadline);
    writer.set(reg::kEAge, e.age);
    writer.set(reg::kELimit, e.limit);
    writer.set(reg::kERest, e.rest);
    writer.put(reg::kInsert, tag);
  }
}

}  // namespace

bool is_loadable(const ReferenceCore::State& state) {
  return !state.done && !(sums_hold(state) && state.debts_stale && state.continuous > 0);
}

void load_state(BusCoreIf& core, const ReferenceCore::State& s, core::Picoseconds start, bool seek_table) {
  Writer writer(core, start);
  writer.put(reg::kClear, 1u << reg::kClearSoftResetLsb);
  writer.forget();
  if (seek_table) {
    load_seek_table(writer, s.seek);
    for (const std::uint32_t address : {reg::kSeekIndex, reg::kSeekBase, reg::kSeekCell, reg::kSeekLast})
      writer.put(address, s.word(address));
  }
  load_entries(writer, s);
  for (const reg::RegisterInfo& info : reg::kRegisters)
    if (info.access == reg::Access::ReadWrite) writer.set(info.offset, s.word(info.offset));
  // Sums that hold were worked out with the present configuration, guard and entries: whatever changes them makes them stale.
  if (is_loadable(s) && sums_hold(s)) writer.put(reg::kOp, 0);
  if (s.error) writer.put(reg::kRemove, static_cast<std::uint32_t>(s.entries.size()));  // refused, which sets STATUS.ERROR
  writer.put(reg::kClear, (1u << reg::kClearDoneLsb) | (1u << reg::kClearCountersLsb));
}

}  // namespace platter::accelerator
