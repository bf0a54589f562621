// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "platter/front/scsi/reservations.h"
#include "platter/front/scsi/task.h"

namespace platter::scsi {

class LogicalUnit;

/// @cond of the implementation

using CdbBytes = std::array<std::uint8_t, Task::kCdbBytes>;

/// What an operation code does. An operation is a row of a table.
struct Operation {
  static constexpr std::uint8_t kNoAction = 0xFF;
  /// What the unit looks at before the operation begins.
  enum Needs : std::uint8_t {
    kNothing = 0,    ///< carried out although a unit attention condition is pending
    kAttention = 1,  ///< reports a pending unit attention condition instead
    kMedium = 3,     ///< the same, and needs a drive that is ready
  };

  std::uint8_t code;
  std::uint8_t action;  ///< service action; kNoAction: it has none
  std::string_view name;
  std::uint8_t bytes;  ///< of the CDB
  Conflict conflict;
  Needs needs;
  /// The bits of the CDB that it looks at (CDB usage data of SPC-4, 6.35.3). A CDB with another bit is refused.
  CdbBytes usage;
  using Step = void (*)(LogicalUnit& unit, Task& task);
  Step start;
  Step next = nullptr;           ///< after each access that has ended well
  bool of_zones = false;         ///< of a unit with zones only
  std::uint8_t limits_page = 0;  ///< CDLP of a unit with duration limits: 1 T2A, 2 T2B; 0: the command has no index of them
};

/// The usage data of READ (16) and WRITE (16) with the duration limit index (DLD2, DLD1, DLD0; SBC-4, 5.16).
constexpr CdbBytes with_limits(CdbBytes usage) {
  usage[1] = static_cast<std::uint8_t>(usage[1] | 0x01);
  usage[14] = static_cast<std::uint8_t>(usage[14] | 0xC0);
  return usage;
}
/// The index of such a command; 0: none.
constexpr std::uint8_t limits_index(const CdbBytes& cdb) {
  return static_cast<std::uint8_t>((cdb[1] & 0x01) << 2 | cdb[14] >> 6);
}

/// The operations of a disk, by code and service action.
const std::vector<Operation>& operations();
/// Null: there is none.
const Operation* find_operation(const CdbBytes& cdb);
/// True if the code has service actions.
bool has_actions(std::uint8_t code);
/// Refuses a CDB with a bit that the operation does not use. Returns the field; `bit` is 8 if there is none. `limits`: the unit has duration limits.
SenseData::Field unused_bit(const Operation& operation, const CdbBytes& cdb, bool limits);

/// Appends a row, whose CDB has the length of its code's group. Code and action become part of the usage data.
Operation& add_row(std::vector<Operation>& table, std::uint8_t code, std::uint8_t action, std::string_view name,
                   Conflict conflict, Operation::Needs needs, CdbBytes usage, Operation::Step start,
                   Operation::Step next = nullptr);
/// Appends the operations of a group to the table.
void add_media_operations(std::vector<Operation>& table);
void add_page_operations(std::vector<Operation>& table);
void add_reservation_operations(std::vector<Operation>& table);
void add_zone_operations(std::vector<Operation>& table);

/// @endcond

}  // namespace platter::scsi
