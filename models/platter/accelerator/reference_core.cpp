// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/reference_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/accelerator/registers.h"

namespace platter::accelerator {

namespace {

constexpr std::uint32_t field(std::uint32_t word, std::uint32_t lsb, std::uint32_t width) {
  return (word >> lsb) & static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
}

constexpr std::uint32_t low(std::uint32_t word, std::uint32_t width) { return field(word, 0, width); }

constexpr std::int64_t sign_extend(std::uint32_t word, unsigned width) {
  const std::int64_t value = low(word, width);
  return (value >> (width - 1)) != 0 ? value - (std::int64_t{1} << width) : value;
}

constexpr unsigned kHeadW = 6;
constexpr unsigned kSequenceW = 24;
constexpr std::uint32_t kAccessCycles = 2;

/// A position word as it is kept: the cylinder at its width, everything above `kept_bits` gone.
std::uint32_t keep_position(std::uint32_t data, unsigned cyl_w, unsigned kept_bits) {
  const std::uint32_t cylinder = low(data, cyl_w);
  return cylinder | (field(data, reg::kEPosHeadLsb, kept_bits - reg::kEPosHeadLsb) << reg::kEPosHeadLsb);
}

std::uint32_t cylinder_of(std::uint32_t position) { return low(position, reg::kEPosCylWidth); }
std::uint32_t head_of(std::uint32_t position) { return field(position, reg::kEPosHeadLsb, kHeadW); }

}  // namespace

ReferenceCore::ReferenceCore(const AcceleratorParameters& parameters) : parameters_(parameters) {
  state_.entries.resize(parameters_.entries);
  state_.seek.segments.resize(parameters_.format.segments());
  state_.seek.cells.resize(parameters_.format.cells());
}

void ReferenceCore::reset() {
  state_.registers = Registers{};
  std::fill(state_.entries.begin(), state_.entries.end(), Entry{});
}

BusResponse ReferenceCore::access(const BusRequest& request) {
  BusResponse response;
  response.cycles = kAccessCycles;
  const bool irq_enabled = field(state_.registers.ctrl, reg::kCtrlIrqEnLsb, 1) != 0;
  if (request.write) {
    const bool irq_before = irq_enabled && state_.registers.done;
    response.ok = write(request.address, request.data);
    if (response.ok && request.address == reg::kStart) {
      response.busy_cycles = state_.registers.cycles + 1;
      if (irq_enabled && !irq_before) response.irq_cycles = response.busy_cycles;
    }
  } else {
    response.ok = read(request.address, response.data);
  }
  response.irq = state_.registers.done && field(state_.registers.ctrl, reg::kCtrlIrqEnLsb, 1) != 0;
  return response;
}

bool ReferenceCore::write(std::uint32_t address, std::uint32_t data) {
  Registers& r = state_.registers;
  const scheduling::FixedPointFormat& f = parameters_.format;
  switch (address) {
    case reg::kCtrl: r.ctrl = low(data, 4); return true;
    case reg::kClear:
      if (field(data, reg::kClearSoftResetLsb, 1) != 0) {
        reset();
        return true;
      }
      if (field(data, reg::kClearDoneLsb, 1) != 0) r.done = false;
      if (field(data, reg::kClearErrorLsb, 1) != 0) r.error = false;
      return true;
    case reg::kHeadPos: r.head_pos = keep_position(data, f.cyl_w, 24); return true;
    case reg::kHeadAngle: r.head_angle = low(data, f.angle_w); return true;
    case reg::kSlack: r.slack = low(data, f.sum_w()); return true;
    case reg::kNextPos: r.next_pos = keep_position(data, f.cyl_w, 25); return true;
    case reg::kNextAngle: r.next_angle = low(data, f.angle_w); return true;
    case reg::kNextTag: r.next_tag = low(data, 9); return true;
    case reg::kSweep: r.sweep = low(data, f.sum_w()); return true;
    case reg::kMargin: r.margin = low(data, f.angle_w); return true;
    case reg::kHeadSwitch: r.head_switch = low(data, f.time_w()); return true;
    case reg::kWriteSettle: r.write_settle = low(data, f.time_w()); return true;
    case reg::kOverheadRead: r.overhead_read = low(data, f.time_w()); return true;
    case reg::kOverheadWrite: r.overhead_write = low(data, f.time_w()); return true;
    case reg::kNextOverheadAr: r.next_overhead_ar = low(data, f.time_w()); return true;
    case reg::kNextOverheadAw: r.next_overhead_aw = low(data, f.time_w()); return true;
    case reg::kStart: decide(); return true;
    case reg::kEPos: r.e_pos = keep_position(data, f.cyl_w, 27); return true;
    case reg::kEAngle: r.e_angle = low(data, f.angle_w); return true;
    case reg::kEEndPos: r.e_end_pos = keep_position(data, f.cyl_w, 24); return true;
    case reg::kEEndAngle: r.e_end_angle = low(data, f.angle_w); return true;
    case reg::kETransfer: r.e_transfer = low(data, f.sum_w()); return true;
    case reg::kECredit: r.e_credit = low(data, f.sum_w()); return true;
    case reg::kInsert:
      if (!insert(low(data, reg::kInsertTagWidth))) break;
      return true;
    case reg::kRemove:
    case reg::kSetCredit: {
      const std::uint32_t tag = low(data, reg::kRemoveTagWidth);
      if (tag >= parameters_.entries || !state_.entries[tag].valid) break;
      if (address == reg::kRemove) {
        state_.entries[tag].valid = false;
        --r.occupancy;
      } else {
        state_.entries[tag].credit = r.e_credit;
      }
      return true;
    }
    case reg::kSeekIndex: r.seek_index = low(data, reg::kSeekIndexIndexWidth); return true;
    case reg::kSeekBase: r.seek_base = low(data, f.base_w()); return true;
    case reg::kSeekDelta:
      if (r.seek_index < state_.seek.segments.size())
        state_.seek.segments[r.seek_index] = {static_cast<std::int32_t>(sign_extend(r.seek_base, f.base_w())),
                                              static_cast<std::int32_t>(sign_extend(data, f.delta_w()))};
      r.seek_index = low(r.seek_index + 1, reg::kSeekIndexIndexWidth);
      return true;
    case reg::kSeekCell: r.seek_cell = low(data, reg::kSeekCellIndexWidth); return true;
    case reg::kSeekLast:
      r.seek_last = (field(data, reg::kSeekLastFirstLsb, f.place_w()) << reg::kSeekLastFirstLsb) |
                    (field(data, reg::kSeekLastSecondLsb, f.place_w()) << reg::kSeekLastSecondLsb);
      return true;
    case reg::kSeekGroup:
      if (r.seek_cell < state_.seek.cells.size())
        state_.seek.cells[r.seek_cell] = {field(data, reg::kSeekGroupSegmentLsb, f.seg_w),
                                          {field(r.seek_last, reg::kSeekLastFirstLsb, f.place_w()),
                                           field(r.seek_last, reg::kSeekLastSecondLsb, f.place_w()),
                                           field(data, reg::kSeekGroupThirdLsb, f.place_w())}};
      r.seek_cell = low(r.seek_cell + 1, reg::kSeekCellIndexWidth);
      return true;
    default: return false;
  }
  r.error = true;  // a command that the table refuses
  return false;
}

bool ReferenceCore::read(std::uint32_t address, std::uint32_t& data) const {
  const Registers& r = state_.registers;
  switch (address) {
    case reg::kId: data = reg::kIdValue; return true;
    case reg::kVersion:
      data = (reg::kVersionMajor << reg::kVersionMajorLsb) | (reg::kVersionMinor << reg::kVersionMinorLsb);
      return true;
    case reg::kParams:
      data = (parameters_.entries << reg::kParamsEntriesLsb) | (parameters_.lanes << reg::kParamsLanesLsb) |
             (parameters_.format.angle_w << reg::kParamsAngleWLsb) | (parameters_.format.cyl_w << reg::kParamsCylWLsb) |
             (parameters_.format.seg_m << reg::kParamsSegMLsb) | (parameters_.format.seg_w << reg::kParamsSegWLsb);
      return true;
    case reg::kCtrl: data = r.ctrl; return true;
    case reg::kStatus:  // a decision ends within the access that starts it: BUSY is never seen
      data = (static_cast<std::uint32_t>(r.done) << reg::kStatusDoneLsb) |
             (static_cast<std::uint32_t>(r.error) << reg::kStatusErrorLsb) |
             (r.occupancy << reg::kStatusOccupancyLsb);
      return true;
    case reg::kHeadPos: data = r.head_pos; return true;
    case reg::kHeadAngle: data = r.head_angle; return true;
    case reg::kSlack: data = r.slack; return true;
    case reg::kNextPos: data = r.next_pos; return true;
    case reg::kNextAngle: data = r.next_angle; return true;
    case reg::kNextTag: data = r.next_tag; return true;
    case reg::kSweep: data = r.sweep; return true;
    case reg::kMargin: data = r.margin; return true;
    case reg::kHeadSwitch: data = r.head_switch; return true;
    case reg::kWriteSettle: data = r.write_settle; return true;
    case reg::kOverheadRead: data = r.overhead_read; return true;
    case reg::kOverheadWrite: data = r.overhead_write; return true;
    case reg::kNextOverheadAr: data = r.next_overhead_ar; return true;
    case reg::kNextOverheadAw: data = r.next_overhead_aw; return true;
    case reg::kResult: data = r.result; return true;
    case reg::kResultCost: data = r.result_cost; return true;
    case reg::kCycles: data = r.cycles; return true;
    case reg::kDecisions: data = r.decisions; return true;
    case reg::kRefused: data = r.refused; return true;
    case reg::kEPos: data = r.e_pos; return true;
    case reg::kEAngle: data = r.e_angle; return true;
    case reg::kEEndPos: data = r.e_end_pos; return true;
    case reg::kEEndAngle: data = r.e_end_angle; return true;
    case reg::kETransfer: data = r.e_transfer; return true;
    case reg::kECredit: data = r.e_credit; return true;
    case reg::kSeekIndex: data = r.seek_index; return true;
    case reg::kSeekBase: data = r.seek_base; return true;
    case reg::kSeekCell: data = r.seek_cell; return true;
    case reg::kSeekLast: data = r.seek_last; return true;
    default: return false;
  }
}

bool ReferenceCore::insert(std::uint32_t tag) {
  Registers& r = state_.registers;
  if (tag >= parameters_.entries || state_.entries[tag].valid) return false;
  Entry& entry = state_.entries[tag];
  entry.valid = true;
  entry.write = field(r.e_pos, reg::kEPosWriteLsb, 1) != 0;
  entry.cls = static_cast<std::uint8_t>(field(r.e_pos, reg::kEPosClassLsb, reg::kEPosClassWidth));
  entry.cylinder = cylinder_of(r.e_pos);
  entry.head = head_of(r.e_pos);
  entry.angle = r.e_angle;
  entry.end_cylinder = cylinder_of(r.e_end_pos);
  entry.end_head = head_of(r.e_end_pos);
  entry.end_angle = r.e_end_angle;
  entry.transfer = r.e_transfer;
  entry.credit = r.e_credit;
  entry.sequence = r.next_sequence;
  r.next_sequence = low(r.next_sequence + 1, kSequenceW);
  ++r.occupancy;
  return true;
}

std::uint32_t ReferenceCore::hop(std::uint32_t cylinder, std::uint32_t head, std::uint32_t angle,
                                 std::uint32_t to_cylinder, std::uint32_t to_head, std::uint32_t to_angle, bool write,
                                 std::uint32_t overhead) const {
  const scheduling::FixedPointFormat& f = parameters_.format;
  const std::uint32_t distance = cylinder > to_cylinder ? cylinder - to_cylinder : to_cylinder - cylinder;
  const bool switches = head != to_head;
  std::int64_t position = state_.seek.ticks(f, distance);
  if (switches) position = std::max<std::int64_t>(position, state_.registers.head_switch);
  if (write && (distance != 0 || switches)) {
    position += sign_extend(state_.registers.write_settle, f.time_w());
    position = std::clamp<std::int64_t>(position, 0, f.time_max());
  }
  const auto t = static_cast<std::uint32_t>(std::min<std::int64_t>(overhead + position, f.time_max()));
  std::uint32_t wait = (to_angle - (angle + t)) & f.angle_mask();
  if (wait < state_.registers.margin) wait += f.turn();
  return std::min(t + wait, f.time_max());
}

void ReferenceCore::decide() {
  Registers& r = state_.registers;
  const bool active = field(r.ctrl, reg::kCtrlGuardEnLsb, 1) != 0 && field(r.next_tag, reg::kNextTagValidLsb, 1) != 0;
  const bool next_only = active && field(r.ctrl, reg::kCtrlNextCOnlyLsb, 1) != 0;
  const std::uint32_t next_tag = field(r.next_tag, reg::kNextTagTagLsb, reg::kNextTagTagWidth);

  std::uint32_t best = parameters_.entries;
  std::uint32_t best_cost = 0;
  std::uint32_t next_cost = 0;
  std::uint32_t refused = 0;
  for (std::uint32_t tag = 0; tag < parameters_.entries; ++tag) {
    const Entry& e = state_.entries[tag];
    if (!e.valid) continue;
    const bool is_next = tag == next_tag;
    if (next_only && e.cls == static_cast<std::uint8_t>(core::RequestClass::Continuous) && !is_next) continue;
    const std::uint32_t cost =
        hop(cylinder_of(r.head_pos), head_of(r.head_pos), r.head_angle, e.cylinder, e.head, e.angle, e.write,
            e.write ? r.overhead_write : r.overhead_read);
    if (is_next) next_cost = cost;
    if (active) {
      std::int64_t need = std::int64_t{cost} + r.sweep;
      if (!is_next) {
        const std::uint32_t onward =
            hop(e.end_cylinder, e.end_head, e.end_angle, cylinder_of(r.next_pos), head_of(r.next_pos), r.next_angle,
                field(r.next_pos, reg::kNextPosWriteLsb, 1) != 0, e.write ? r.next_overhead_aw : r.next_overhead_ar);
        need += std::int64_t{e.transfer} + onward - e.credit;
      }
      if (need > r.slack) {
        ++refused;
        continue;
      }
    }
    const auto is_older = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t gap = low(state_.entries[a].sequence - state_.entries[b].sequence, kSequenceW);
      return (gap >> (kSequenceW - 1)) != 0;
    };
    if (best == parameters_.entries || cost < best_cost || (cost == best_cost && is_older(tag, best))) {
      best = tag;
      best_cost = cost;
    }
  }

  bool forced = false;
  if (best == parameters_.entries && active && next_tag < parameters_.entries && state_.entries[next_tag].valid) {
    best = next_tag;
    best_cost = next_cost;
    forced = true;
  }
  if (best != parameters_.entries) {
    r.result = (best << reg::kResultTagLsb) | (1u << reg::kResultValidLsb) |
               (static_cast<std::uint32_t>(forced) << reg::kResultForcedLsb);
    r.result_cost = best_cost;
    if (field(r.ctrl, reg::kCtrlAutoRemoveLsb, 1) != 0) {
      state_.entries[best].valid = false;
      --r.occupancy;
    }
  } else {
    r.result = 0;
    r.result_cost = 0;
  }
  r.refused = refused;
  r.cycles = parameters_.entries / parameters_.lanes + reg::kDecisionLatency;
  ++r.decisions;
  r.done = true;
}

std::string ReferenceCore::describe() const {
  const Registers& r = state_.registers;
  std::string text = fmt::format(
      "decisions {} result 0x{:x} cost {} refused {} ctrl 0x{:x} head 0x{:x}@{} slack {} next 0x{:x}@{} tag 0x{:x} "
      "sweep {} occupancy {}\n",
      r.decisions, r.result, r.result_cost, r.refused, r.ctrl, r.head_pos, r.head_angle, r.slack, r.next_pos,
      r.next_angle, r.next_tag, r.sweep, r.occupancy);
  for (std::size_t tag = 0; tag < state_.entries.size(); ++tag) {
    const Entry& e = state_.entries[tag];
    if (!e.valid) continue;
    text += fmt::format("  tag {:3} {} class {} at {}/{}@{} to {}/{}@{} transfer {} credit {} seq {}\n", tag,
                        e.write ? "write" : "read ", e.cls, e.cylinder, e.head, e.angle, e.end_cylinder, e.end_head,
                        e.end_angle, e.transfer, e.credit, e.sequence);
  }
  return text;
}

}  // namespace platter::accelerator
