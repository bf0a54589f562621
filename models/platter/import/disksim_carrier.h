// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platter/import/disksim_tables.h"
#include "platter/params/row.h"
#include "platter/profile/parameters.h"

namespace platter::disksim {

/// Copies values from parameter blocks into a profile, and records a remark for each value that it cannot copy unchanged.
class Carrier {
 public:
  Import import;
  Problems problems;
  double time_scale = 1;      ///< of overheads
  double per_request_us = 0;  ///< added to each command

  profile::DriveProfile& profile() { return import.profile; }

  /// Sets all keys of a table that are carried over as they are.
  void carry(const Reader& reader) { carry(reader, profile::drive_parameters(), import.profile); }
  void carry(const Reader& reader, profile::ZoneProfile& zone) { carry(reader, profile::zone_parameters(), zone); }
  double scaled(const Value& value, Scale scale) const;
  void set_drive(std::string_view key, double value, const Reader& reader, std::string_view source_key) {
    set(profile::drive_parameters(), key, value, import.profile, reader.place(source_key), source_key);
  }
  void remark_on(Remark::Kind kind, const Reader& reader, std::string_view key, const std::string& why) {
    const Assignment* found = reader.find(key);
    remark(import.remarks, kind, reader.place(key), key, found != nullptr ? found->value.text : "", why);
  }
  void remark_dropped(const Reader& zone, std::string_view key, const std::vector<std::int64_t>& numbers,
                      const std::string& why);
  /// Throws core::ConfigError.
  void stop_on_problems() const {
    if (!problems.empty()) throw core::ConfigError(problems);
  }

 private:
  template <typename Object>
  void carry(const Reader& reader, const params::Table<Object>& parameters, Object& object);
  /// Sets a key of the profile, within the range that the profile's own table allows.
  template <typename Object>
  void set(const params::Table<Object>& parameters, std::string_view key, double value, Object& object, const Place& place,
           std::string_view source_key);
};

}  // namespace platter::disksim
