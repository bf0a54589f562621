// SPDX-License-Identifier: Apache-2.0
//
// RESERVE and RELEASE (SPC-2, 7.21 to 7.24), PERSISTENT RESERVE IN and OUT (SPC-4, 6.15, 6.16).
#include <algorithm>

#include "platter/core/big_endian.h"
#include "platter/front/scsi/logical_unit.h"
#include "platter/front/scsi/operation.h"

namespace platter::scsi {

using core::big_endian::get;

namespace {

void reserve(LogicalUnit& unit, Task& task) { unit.end(task, unit.reservations().reserve(*task.nexus)); }
void release(LogicalUnit& unit, Task& task) { unit.end(task, unit.reservations().release(*task.nexus)); }

void reserve_in(LogicalUnit& unit, Task& task) {
  enum Action : std::uint8_t { kKeys, kReservation, kCapabilities };
  const std::uint64_t allocation = get(&task.cdb[7], 2);
  switch (task.cdb[1] & 0x1F) {
    case kKeys: return unit.send(task, unit.reservations().keys(), allocation);
    case kReservation: return unit.send(task, unit.reservations().reservation(), allocation);
    case kCapabilities: return unit.send(task, Reservations::capabilities(), allocation);
    default: return unit.send(task, unit.reservations().full_status(), allocation);
  }
}

void reserve_out(LogicalUnit& unit, Task& task) {
  constexpr std::size_t kListBytes = 24;
  task.wanted = get(&task.cdb[5], 4);
  if (task.wanted != kListBytes || task.data.size() < kListBytes) return unit.fail(task, sense::kListLength);
  if ((task.cdb[2] & 0xF0) != 0) return unit.fail(task, {sense::kInvalidField, SenseData::Field{true, 2, 7}});  // the scope
  // SPEC_I_PT, ALL_TG_PT and APTPL, as REPORT CAPABILITIES says.
  if (task.data[20] != 0) return unit.fail(task, {sense::kInvalidParameter, SenseData::Field{false, 20, 8}});
  Reservations::Request request;
  request.action = task.cdb[1] & 0x1F;
  request.type = task.cdb[2] & 0x0F;
  request.key = get(task.data.data(), 8);
  request.action_key = get(&task.data[8], 8);
  const Reservations::Effect effect = unit.reservations().change(*task.nexus, request);
  const auto among = [](const std::vector<std::string>& names) {
    return [&names](const Nexus& nexus) { return std::find(names.begin(), names.end(), nexus.name) != names.end(); };
  };
  const auto told = among(effect.told);
  if (!effect.told.empty()) unit.establish(effect.attention, told);
  if (!effect.kept.empty()) unit.establish(sense::kReservationsReleased, among(effect.kept));
  if (effect.aborts) unit.abort_all([&](const Task& other) { return &other != &task && told(*other.nexus); });
  if (effect.status == Status::CheckCondition) return unit.fail(task, effect.sense);
  unit.end(task, effect.status);
}

}  // namespace

void add_reservation_operations(std::vector<Operation>& table) {
  using O = Operation;
  add_row(table, 0x16, O::kNoAction, "RESERVE (6)", Conflict::None, O::kAttention, {}, reserve);
  add_row(table, 0x17, O::kNoAction, "RELEASE (6)", Conflict::None, O::kAttention, {}, release);
  add_row(table, 0x56, O::kNoAction, "RESERVE (10)", Conflict::None, O::kAttention, {}, reserve);
  add_row(table, 0x57, O::kNoAction, "RELEASE (10)", Conflict::None, O::kAttention, {}, release);
  std::uint8_t action = 0;
  for (const std::string_view name : {"READ KEYS", "READ RESERVATION", "REPORT CAPABILITIES", "READ FULL STATUS"})
    add_row(table, 0x5E, action++, name, Conflict::Reserve, O::kAttention, {0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, reserve_in);
  action = 0;
  for (const std::string_view name :
       {"REGISTER", "RESERVE", "RELEASE", "CLEAR", "PREEMPT", "PREEMPT AND ABORT", "REGISTER AND IGNORE EXISTING KEY"})
    add_row(table, 0x5F, action++, name, Conflict::None, O::kAttention, {0, 0, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF},
            reserve_out);
}

}  // namespace platter::scsi
