// SPDX-License-Identifier: Apache-2.0
//
// The operations that tell of the unit and set it (SPC-4, 6; SBC-3, 5).
#include <algorithm>

#include "platter/core/big_endian.h"
#include "platter/front/scsi/logical_unit.h"
#include "platter/front/scsi/operation.h"

namespace platter::scsi {

using core::big_endian::get;
using core::big_endian::put;
using core::big_endian::Writer;

namespace {

SenseData field(std::uint16_t byte, std::uint8_t bit = 8) { return {sense::kInvalidField, SenseData::Field{true, byte, bit}}; }

// --- INQUIRY, REQUEST SENSE, TEST UNIT READY, REPORT LUNS, READ CAPACITY -------------------------------------------------

void inquiry(LogicalUnit& unit, Task& task) {
  const std::uint64_t allocation = get(&task.cdb[3], 2);
  if ((task.cdb[1] & 0x01) == 0) {
    if (task.cdb[2] != 0) return unit.fail(task, field(2));
    return unit.send(task, standard_inquiry(unit.identity()), allocation);
  }
  const std::optional<Bytes> page = vital_product_data(unit.identity(), task.cdb[2]);
  if (!page) return unit.fail(task, field(2));
  unit.send(task, *page, allocation);
}

void request_sense(LogicalUnit& unit, Task& task) {
  const std::optional<SenseData> attention = unit.take_attention(*task.nexus);
  const SenseData sense = attention ? *attention : SenseData(unit.readiness());
  unit.send(task, to_bytes(sense, (task.cdb[1] & 0x01) != 0), task.cdb[4]);
}

void test_unit_ready(LogicalUnit& unit, Task& task) { unit.end(task); }

void report_luns(LogicalUnit& unit, Task& task) {
  constexpr std::uint8_t kWellKnown = 1;  // of which there are none
  constexpr std::uint8_t kAll = 2;
  if (task.cdb[2] > kAll) return unit.fail(task, field(2));
  const std::uint64_t allocation = get(&task.cdb[6], 4);
  if (allocation < 16) return unit.fail(task, field(6));
  const std::uint32_t units = task.cdb[2] == kWellKnown ? 0 : unit.units();
  Bytes data(8 + 8 * std::size_t{units});
  put(data.data(), 8 * std::uint64_t{units}, 4);
  for (std::uint32_t i = 0; i < units; ++i) data[8 + 8 * std::size_t{i} + 1] = static_cast<std::uint8_t>(i);
  unit.send(task, data, allocation);
}

void read_capacity_10(LogicalUnit& unit, Task& task) { unit.send(task, capacity_10(unit.identity()), 8); }
void read_capacity_16(LogicalUnit& unit, Task& task) { unit.send(task, capacity_16(unit.identity()), get(&task.cdb[10], 4)); }

// --- MODE SENSE, MODE SELECT, LOG SENSE ----------------------------------------------------------------------------------

constexpr std::uint8_t kModeSense10 = 0x5A;
constexpr std::uint8_t kModeSelect10 = 0x55;

/// The block descriptor (SBC-3, 6.5.2.2), 8 or 16 bytes.
Bytes block_descriptor(const UnitIdentity& d, bool large) {
  Bytes block(large ? 16 : 8);
  if (large) {
    put(block.data(), d.sectors, 8);
    put(&block[12], d.sector_bytes, 4);
  } else {
    put(block.data(), std::min<std::uint64_t>(d.sectors, 0xFFFF'FFFFu), 4);
    put(&block[5], d.sector_bytes, 3);
  }
  return block;
}

void mode_sense(LogicalUnit& unit, Task& task) {
  const bool ten = task.cdb[0] == kModeSense10;
  const bool large = ten && (task.cdb[1] & 0x10) != 0;
  const bool block = (task.cdb[1] & 0x08) == 0;
  const auto control = static_cast<ModePages::Control>(task.cdb[2] >> 6);
  if (control == ModePages::Control::Saved) return unit.fail(task, sense::kSavingUnsupported);
  const auto pages = unit.modes().pages(task.cdb[2] & 0x3F, task.cdb[3], control);
  if (!pages) return unit.fail(task, field(2, 5));
  const auto device = static_cast<std::uint8_t>((unit.modes().write_protected() ? 0x80 : 0) | 0x10);  // WP, DPOFUA
  const Bytes descriptor = block ? block_descriptor(unit.identity(), large) : Bytes();
  Bytes data(ten ? 8 : 4);
  data.insert(data.end(), descriptor.begin(), descriptor.end());
  data.insert(data.end(), pages->begin(), pages->end());
  if (!ten && data.size() > 256) return unit.fail(task, field(2, 5));  // more than MODE DATA LENGTH can tell
  if (ten) {
    put(data.data(), data.size() - 2, 2);
    data[3] = device;
    data[4] = large ? 1 : 0;
    put(&data[6], descriptor.size(), 2);
  } else {
    data[0] = static_cast<std::uint8_t>(data.size() - 1);
    data[2] = device;
    data[3] = static_cast<std::uint8_t>(descriptor.size());
  }
  unit.send(task, data, ten ? get(&task.cdb[7], 2) : task.cdb[4]);
}

/// Where the pages of a MODE SELECT begin, behind header and block descriptor.
std::size_t header_bytes(const Task& task) { return task.cdb[0] == kModeSelect10 ? 8 : 4; }
std::size_t descriptor_bytes(const Task& task) { return task.cdb[0] == kModeSelect10 ? get(&task.data[6], 2) : task.data[3]; }

/// Sets the mode pages, tells the other ports, and ends the task.
void apply_modes(LogicalUnit& unit, Task& task) {
  if (unit.modes().select(task.data, header_bytes(task) + descriptor_bytes(task))) {
    unit.establish(sense::kModeChanged, [&task](const Nexus& nexus) { return &nexus != task.nexus; });
    unit.apply_caching();
  }
  task.course.writes_through = false;
  unit.end(task);
}

void mode_select(LogicalUnit& unit, Task& task) {
  const bool ten = task.cdb[0] == kModeSelect10;
  if ((task.cdb[1] & 0x01) != 0) return unit.fail(task, field(1, 0));  // SP: nothing can be saved
  if ((task.cdb[1] & 0x10) == 0) return unit.fail(task, field(1, 4));  // PF: all pages have the standard's form
  const std::uint64_t length = ten ? get(&task.cdb[7], 2) : task.cdb[4];
  task.wanted = length;
  if (length == 0) return unit.end(task);
  const std::size_t header = header_bytes(task);
  if (task.data.size() < length || length < header) return unit.fail(task, sense::kListLength);
  task.data.resize(length);
  const std::size_t block = descriptor_bytes(task);
  const bool large = ten && (task.data[4] & 0x01) != 0;
  const auto wrong = [](std::size_t at) {
    return SenseData(sense::kInvalidParameter, SenseData::Field{false, static_cast<std::uint16_t>(at), 8});
  };
  if (block != 0) {
    Bytes expected = block_descriptor(unit.identity(), large);
    if (block != expected.size()) return unit.fail(task, wrong(ten ? 6 : 3));
    if (task.data.size() - header < block) return unit.fail(task, sense::kListLength);
    const std::size_t count = large ? 8 : 4;  // 0 blocks: as many as there are
    if (get(&task.data[header], count) == 0) std::fill_n(expected.begin(), count, std::uint8_t{0});
    if (!std::equal(expected.begin(), expected.end(), task.data.begin() + static_cast<std::ptrdiff_t>(header)))
      return unit.fail(task, wrong(header));
  }
  bool write_cache = false;
  if (const std::optional<SenseData> why = unit.modes().check(task.data, header + block, write_cache))
    return unit.fail(task, *why);
  if (!unit.modes().write_cache() || write_cache) return apply_modes(unit, task);
  // What is in the cache goes to the media first. If it cannot, the cache stays on.
  unit.write_through(task);
  unit.access(task, command::Operation::Flush, 0, 0, nullptr, false);
}

void log_sense(LogicalUnit& unit, Task& task) {
  UnitCounters counters = unit.counters();
  const drive::DurationStatistics durations =
      unit.identity().duration_limits && task.cdb[3] != 0 ? unit.control().durations() : drive::DurationStatistics{};
  if (unit.identity().duration_limits) counters.durations = &durations;
  const std::optional<Bytes> page =
      log_page(counters, task.cdb[2] & 0x3F, task.cdb[3], static_cast<std::uint16_t>(get(&task.cdb[5], 2)));
  if (!page) return unit.fail(task, field(2, 5));
  unit.send(task, *page, get(&task.cdb[7], 2));
}

// --- REPORT SUPPORTED OPERATION CODES, REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS ----------------------------------------

/// A command timeouts descriptor (SPC-4, 6.35.4): no times are known.
void put_timeouts(Bytes& data) { Writer(data).put(std::uint16_t{10}).zeroes(10); }

void report_operations(LogicalUnit& unit, Task& task) {
  enum Options : std::uint8_t { kAll = 0, kCode = 1, kAction = 2, kEither = 3 };
  const bool timeouts = (task.cdb[2] & 0x80) != 0;
  const auto options = static_cast<std::uint8_t>(task.cdb[2] & 0x07);
  const std::uint64_t allocation = get(&task.cdb[6], 4);
  if (options > kEither) return unit.fail(task, field(2, 2));
  // CDLP, with RWCDLP: the mode page that has the duration descriptors of the command.
  const auto limits_page = [&unit](const Operation& each) {
    return unit.identity().duration_limits ? each.limits_page : std::uint8_t{0};
  };
  Bytes data;
  if (options == kAll) {
    data.resize(4);
    for (const Operation& each : operations()) {
      if (!unit.offers(each)) continue;
      const bool action = each.action != Operation::kNoAction;
      Writer(data)
          .put(each.code)
          .put(std::uint8_t{0})
          .put(std::uint16_t{action ? each.action : std::uint8_t{0}})
          .put(std::uint8_t{0});
      const std::uint8_t page = limits_page(each);
      Writer(data)
          .put(static_cast<std::uint8_t>((page != 0 ? 0x40 : 0) | page << 2 | (timeouts ? 2 : 0) | (action ? 1 : 0)))
          .put(std::uint16_t{each.bytes});
      if (timeouts) put_timeouts(data);
    }
    put(data.data(), data.size() - 4, 4);
    return unit.send(task, data, allocation);
  }
  const std::uint8_t code = task.cdb[3];
  const std::uint64_t action = get(&task.cdb[4], 2);
  const bool actions = has_actions(code);
  const bool known_code = std::any_of(operations().begin(), operations().end(),
                                      [&](const Operation& o) { return o.code == code && unit.offers(o); });
  if (known_code && ((options == kCode && actions) || (options == kAction && !actions))) return unit.fail(task, field(2, 2));
  const auto found = std::find_if(operations().begin(), operations().end(), [&](const Operation& each) {
    return each.code == code && unit.offers(each) &&
           (each.action == Operation::kNoAction ? options != kEither || action == 0 : each.action == action);
  });
  constexpr std::uint8_t kAbsent = 1;
  constexpr std::uint8_t kStandard = 3;
  const bool there = found != operations().end();
  const std::uint8_t page = there ? limits_page(*found) : std::uint8_t{0};
  Writer(data)
      .put(static_cast<std::uint8_t>(page != 0 ? 1 : 0))
      .put(static_cast<std::uint8_t>((there && timeouts ? 0x80 : 0) | page << 3 | (there ? kStandard : kAbsent)));
  Writer(data).put(std::uint16_t{there ? found->bytes : std::uint8_t{0}});
  if (there) {
    const CdbBytes usage = page != 0 ? with_limits(found->usage) : found->usage;
    data.insert(data.end(), usage.begin(), usage.begin() + found->bytes);
  }
  if (there && timeouts) put_timeouts(data);
  unit.send(task, data, allocation);
}

void report_task_management(LogicalUnit& unit, Task& task) {
  const std::uint64_t allocation = get(&task.cdb[6], 4);
  if (allocation < 4) return unit.fail(task, field(6));
  const bool extended = (task.cdb[2] & 0x80) != 0;
  Bytes data(extended ? 16 : 4);
  data[0] = 0xDA;  // abort task, abort task set, clear task set, logical unit reset, target reset
  if (extended) data[3] = 12;
  unit.send(task, data, allocation);
}

// --- SEND DIAGNOSTIC, READ DEFECT DATA ------------------------------------------------------------------------------------

void send_diagnostic(LogicalUnit& unit, Task& task) {
  constexpr std::uint8_t kShort = 1;  // in the background
  constexpr std::uint8_t kAbort = 4;
  const auto code = static_cast<std::uint8_t>(task.cdb[1] >> 5);
  const bool simple = (task.cdb[1] & 0x04) != 0;
  if (get(&task.cdb[3], 2) != 0) return unit.fail(task, field(3));
  if (simple ? code != 0 : code != 0 && code != kShort && code != kAbort) return unit.fail(task, field(1, 7));
  if (simple && !(unit.readiness() == sense::kNone)) return unit.fail(task, sense::kSelfTestFailed);
  if (code != 0) unit.control().write(drive::reg::kSelfTest, code == kShort ? 1 : 0);
  unit.end(task);
}

/// The grown list has the sectors that are on spares. There is no primary list.
void read_defects(LogicalUnit& unit, Task& task) {
  constexpr std::uint8_t kShortBlock = 0;
  constexpr std::uint8_t kLongBlock = 3;
  const bool ten = task.cdb[0] == 0x37;
  const std::uint8_t asked = task.cdb[ten ? 2 : 1];
  const auto format = static_cast<std::uint8_t>(asked & 0x07);
  const std::size_t bytes = format == kLongBlock ? 8 : 4;
  const std::uint64_t first = ten ? 0 : get(&task.cdb[2], 4);
  const std::vector<std::uint64_t> defects = (asked & 0x08) != 0 ? unit.defects() : std::vector<std::uint64_t>();
  Bytes data(ten ? 4 : 8);
  data[1] = static_cast<std::uint8_t>((asked & 0x18) | (format == kLongBlock ? kLongBlock : kShortBlock));
  const std::uint64_t room = ten ? 0xFFFF : 0xFFFF'FFFFu;
  std::uint64_t length = 0;
  for (std::uint64_t i = first; i < defects.size() && length + bytes <= room; ++i, length += bytes) {
    data.resize(data.size() + bytes);
    put(&data[data.size() - bytes], defects[i], bytes);
  }
  put(&data[ten ? 2 : 4], length, ten ? 2 : 4);
  const std::uint64_t allocation = ten ? get(&task.cdb[7], 2) : get(&task.cdb[6], 4);
  if (format == kShortBlock || format == kLongBlock) return unit.send(task, data, allocation);
  // Another format than the one asked for.
  task.wanted = std::min<std::uint64_t>(data.size(), allocation);
  data.resize(std::min<std::size_t>(task.wanted, task.limit));
  task.data = std::move(data);
  unit.fail(task, Sense{0x1, 0x1C, 0x00});  // defect list not found
}

}  // namespace

void add_page_operations(std::vector<Operation>& table) {
  using O = Operation;
  const auto add = [&table](std::uint8_t code, std::string_view name, Conflict conflict, O::Needs needs, const CdbBytes& usage,
                            O::Step start, O::Step next = nullptr, std::uint8_t action = O::kNoAction) {
    add_row(table, code, action, name, conflict, needs, usage, start, next);
  };
  add(0x00, "TEST UNIT READY", Conflict::Reserve, O::kMedium, {}, test_unit_ready);
  add(0x03, "REQUEST SENSE", Conflict::None, O::kNothing, {0, 0x01, 0, 0, 0xFF}, request_sense);
  add(0x12, "INQUIRY", Conflict::None, O::kNothing, {0, 0x01, 0xFF, 0xFF, 0xFF}, inquiry);
  add(0x15, "MODE SELECT (6)", Conflict::All, O::kAttention, {0, 0x11, 0, 0, 0xFF}, mode_select, apply_modes);
  add(0x55, "MODE SELECT (10)", Conflict::All, O::kAttention, {0, 0x11, 0, 0, 0, 0, 0, 0xFF, 0xFF}, mode_select, apply_modes);
  add(0x1A, "MODE SENSE (6)", Conflict::All, O::kAttention, {0, 0x08, 0xFF, 0xFF, 0xFF}, mode_sense);
  add(0x5A, "MODE SENSE (10)", Conflict::All, O::kAttention, {0, 0x18, 0xFF, 0xFF, 0, 0, 0, 0xFF, 0xFF}, mode_sense);
  add(0x1D, "SEND DIAGNOSTIC", Conflict::All, O::kAttention, {0, 0xF7, 0, 0xFF, 0xFF}, send_diagnostic);
  add(0x25, "READ CAPACITY (10)", Conflict::Reserve, O::kMedium, {}, read_capacity_10);
  add(0x37, "READ DEFECT DATA (10)", Conflict::Reads, O::kMedium, {0, 0, 0x1F, 0, 0, 0, 0, 0xFF, 0xFF}, read_defects);
  add(0xB7, "READ DEFECT DATA (12)", Conflict::Reads, O::kMedium, {0, 0x1F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
      read_defects);
  add(0x4D, "LOG SENSE", Conflict::Reserve, O::kAttention, {0, 0, 0xFF, 0xFF, 0, 0xFF, 0xFF, 0xFF, 0xFF}, log_sense);
  add(0x9E, "READ CAPACITY (16)", Conflict::Reserve, O::kMedium, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF},
      read_capacity_16, nullptr, 0x10);
  add(0xA0, "REPORT LUNS", Conflict::None, O::kNothing, {0, 0, 0xFF, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}, report_luns);
  add(0xA3, "REPORT SUPPORTED OPERATION CODES", Conflict::Reserve, O::kAttention,
      {0, 0, 0x87, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, report_operations, nullptr, 0x0C);
  add(0xA3, "REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS", Conflict::Reserve, O::kAttention,
      {0, 0, 0x80, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}, report_task_management, nullptr, 0x0D);
}

}  // namespace platter::scsi
