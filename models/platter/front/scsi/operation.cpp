// SPDX-License-Identifier: Apache-2.0
#include "platter/front/scsi/operation.h"

#include <algorithm>

namespace platter::scsi {

namespace {

/// Where the operations of each code begin, and how many they are.
struct Index {
  struct Group {
    std::uint16_t first = 0;
    std::uint16_t count = 0;
  };
  std::vector<Operation> table;
  std::array<Group, 256> groups{};

  Index() {
    add_media_operations(table);
    add_page_operations(table);
    add_reservation_operations(table);
    add_zone_operations(table);
    std::stable_sort(table.begin(), table.end(), [](const Operation& a, const Operation& b) {
      return a.code != b.code ? a.code < b.code : a.action < b.action;
    });
    for (std::size_t i = table.size(); i-- > 0;) {
      Group& group = groups[table[i].code];
      group.first = static_cast<std::uint16_t>(i);
      ++group.count;
    }
  }
};

const Index& index() {
  static const Index made;
  return made;
}

}  // namespace

Operation& add_row(std::vector<Operation>& table, std::uint8_t code, std::uint8_t action, std::string_view name,
                   Conflict conflict, Operation::Needs needs, CdbBytes usage, Operation::Step start, Operation::Step next) {
  constexpr std::uint8_t kBytes[] = {6, 10, 10, 0, 16, 12};  // by the group of the code (SPC-4, 4.2.5.1)
  usage[0] = code;
  if (action != Operation::kNoAction) usage[1] = action;
  return table.emplace_back(Operation{code, action, name, kBytes[code >> 5], conflict, needs, usage, start, next});
}

const std::vector<Operation>& operations() { return index().table; }

const Operation* find_operation(const CdbBytes& cdb) {
  const Index::Group& group = index().groups[cdb[0]];
  for (std::size_t i = group.first; i < std::size_t{group.first} + group.count; ++i) {
    const Operation& each = index().table[i];
    if (each.action == Operation::kNoAction || each.action == (cdb[1] & 0x1F)) return &each;
  }
  return nullptr;
}

bool has_actions(std::uint8_t code) {
  const Index::Group& group = index().groups[code];
  return group.count > 0 && index().table[group.first].action != Operation::kNoAction;
}

SenseData::Field unused_bit(const Operation& operation, const CdbBytes& cdb, bool limits) {
  SenseData::Field field;
  const CdbBytes usage = limits && operation.limits_page != 0 ? with_limits(operation.usage) : operation.usage;
  for (std::uint16_t i = 1; i < operation.bytes; ++i) {
    const auto action = static_cast<std::uint8_t>(i == 1 && operation.action != Operation::kNoAction ? 0x1F : 0);
    const auto extra = static_cast<std::uint8_t>(cdb[i] & ~(usage[i] | action));
    if (extra == 0) continue;
    field.byte = i;
    field.bit = 7;
    while ((extra >> field.bit & 1) == 0) --field.bit;
    break;
  }
  return field;
}

}  // namespace platter::scsi
