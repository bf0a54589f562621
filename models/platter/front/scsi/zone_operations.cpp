// SPDX-License-Identifier: Apache-2.0
//
// The operations of zones (ZBC, INCITS 536, 5): REPORT ZONES and zone management.
#include <algorithm>

#include "platter/core/big_endian.h"
#include "platter/front/scsi/logical_unit.h"
#include "platter/front/scsi/operation.h"
#include "platter/mapping/zones/zone_report.h"

namespace platter::scsi {

using command::CommandStatus;
using core::big_endian::get;
using core::big_endian::put;
using zones::ZoneReport;

namespace {

SenseData invalid(std::uint16_t byte) { return {sense::kInvalidField, SenseData::Field{true, byte, 8}}; }

void report_zones(LogicalUnit& unit, Task& task) {
  constexpr std::uint8_t kPartial = 0x80;
  constexpr std::uint8_t kOption = 0x3F;
  const std::uint64_t start = get(&task.cdb[2], 8);
  const std::uint64_t allocation = get(&task.cdb[10], 4);
  const std::uint64_t room = std::max<std::uint64_t>(allocation, ZoneReport::kHeaderBytes) - ZoneReport::kHeaderBytes;
  ZoneReport report;
  const CommandStatus status = unit.zones()->report(start, task.cdb[14] & kOption, (task.cdb[14] & kPartial) != 0,
                                                    static_cast<std::size_t>(room / ZoneReport::kDescriptorBytes), report);
  if (status == CommandStatus::BadAddress) return unit.fail(task, {sense::kOutOfRange, start});
  if (status != CommandStatus::Good) return unit.fail(task, invalid(14));
  std::vector<std::uint8_t> data(ZoneReport::kHeaderBytes + report.zones.size() * ZoneReport::kDescriptorBytes);
  zones::write_report(report, data.data(), put);
  unit.send(task, data, allocation);
}

/// CLOSE, FINISH, OPEN and RESET WRITE POINTER, by service action.
void manage_zones(LogicalUnit& unit, Task& task) {
  if (unit.modes().write_protected()) return unit.fail(task, sense::kWriteProtected);
  const bool all = (task.cdb[14] & 0x01) != 0;
  const std::uint64_t start = get(&task.cdb[2], 8);
  if (!all && start >= unit.identity().sectors) return unit.fail(task, {sense::kOutOfRange, start});
  unit.manage_zones(task, static_cast<command::ZoneAction>(task.cdb[1] & 0x1F), all ? 0 : start, all);
}

void managed(LogicalUnit& unit, Task& task) { unit.end(task); }

}  // namespace

void add_zone_operations(std::vector<Operation>& table) {
  const auto add = [&table](std::uint8_t code, std::uint8_t action, std::string_view name, Conflict conflict,
                            const CdbBytes& usage, Operation::Step start, Operation::Step next) {
    add_row(table, code, action, name, conflict, Operation::kMedium, usage, start, next).of_zones = true;
  };
  add(0x95, 0x00, "REPORT ZONES", Conflict::Reads,
      {0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBF}, report_zones, nullptr);
  constexpr CdbBytes kOut = {0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0x01};
  add(0x94, 0x01, "CLOSE ZONE", Conflict::All, kOut, manage_zones, managed);
  add(0x94, 0x02, "FINISH ZONE", Conflict::All, kOut, manage_zones, managed);
  add(0x94, 0x03, "OPEN ZONE", Conflict::All, kOut, manage_zones, managed);
  add(0x94, 0x04, "RESET WRITE POINTER", Conflict::All, kOut, manage_zones, managed);
}

}  // namespace platter::scsi
