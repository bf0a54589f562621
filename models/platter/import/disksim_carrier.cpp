// SPDX-License-Identifier: Apache-2.0
#include "platter/import/disksim_carrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <variant>

namespace platter::disksim {

template <typename Object>
void Carrier::set(const params::Table<Object>& parameters, std::string_view key, double value, Object& object,
                  const Place& place, std::string_view source_key) {
  const auto p = std::find_if(parameters.begin(), parameters.end(), [key](const auto& row) { return row.key == key; });
  if (p == parameters.end()) throw std::logic_error("the profile has no key " + std::string(key));
  if (!(value >= p->range.minimum && value <= p->range.maximum)) {
    report(problems, place, source_key,
           fmt::format("gives {} = {:g}, expected {:g} to {:g}", key, value, p->range.minimum, p->range.maximum));
    return;
  }
  std::visit(
      [&](auto field) {
        using Target = std::remove_pointer_t<decltype(field)>;
        if constexpr (std::is_same_v<Target, bool>) {
          *field = value != 0;
        } else if constexpr (std::is_same_v<Target, std::uint32_t>) {
          if (value < 0 || value > 0xFFFF'FFFFu)
            report(problems, place, source_key, fmt::format("found {:.0f}, expected 0 to 4294967295", value));
          else
            *field = static_cast<std::uint32_t>(value);
        } else if constexpr (std::is_same_v<Target, params::Choice>) {  // its values equal DiskSim's numbers
          field.set(static_cast<std::size_t>(value));
        } else if constexpr (std::is_same_v<Target, double>) {
          *field = value;
        } else {
          throw std::logic_error("the profile's key takes no number");
        }
      },
      p->field(object));
}

template <typename Object>
void Carrier::carry(const Reader& reader, const params::Table<Object>& parameters, Object& object) {
  for (const Row& row : reader.table()) {
    const Assignment* found = reader.find(row.key);
    if (row.fate != Fate::Carried || found == nullptr) continue;
    set(parameters, row.profile_key, scaled(found->value, row.scale), object, found->value.place, row.key);
  }
  reader.remark_lost(import.remarks);
}

template void Carrier::carry(const Reader&, const params::Table<profile::DriveProfile>&, profile::DriveProfile&);
template void Carrier::carry(const Reader&, const params::Table<profile::ZoneProfile>&, profile::ZoneProfile&);
template void Carrier::set(const params::Table<profile::DriveProfile>&, std::string_view, double, profile::DriveProfile&,
                           const Place&, std::string_view);

double Carrier::scaled(const Value& value, Scale scale) const {
  switch (scale) {
    case Scale::One: return value.real;
    case Scale::Milliseconds: return value.shifted(3);
    case Scale::Overhead: return value.shifted(3) * time_scale;
    case Scale::Command: return (value.shifted(3) + per_request_us) * time_scale;
  }
  return 0;
}

void Carrier::remark_dropped(const Reader& zone, std::string_view key, const std::vector<std::int64_t>& numbers,
                             const std::string& why) {
  if (numbers.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < numbers.size() && i < 8; ++i) list += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
  if (numbers.size() > 8) list += fmt::format(", ... ({})", numbers.size());
  remark(import.remarks, Remark::Kind::NotCarriedOver, zone.place(key), key, list, why);
}

}  // namespace platter::disksim
