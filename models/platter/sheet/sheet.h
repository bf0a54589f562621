// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platter/params/source.h"
#include "platter/profile/drive_profile.h"
#include "platter/sheet/quantity.h"

namespace platter::sheet {

/// What a data sheet says of a drive, in the units of Measure. What is not given is made by a rule (make_drive()).
struct Sheet : params::Source {
  std::int64_t format = 1;
  std::string name;
  std::string source;
  std::string interface = "sata";  ///< or sas
  std::string write_cache;         ///< on, off; empty: by the interface
  std::optional<double> capacity, sectors, sector_bytes, physical_sector;
  std::optional<double> rpm, heads, year;
  std::optional<double> seek_single, seek_average, seek_full;
  std::optional<double> seek_write_single, seek_write_average, seek_write_full;
  std::optional<double> rate_outer, rate_inner, sectors_outer, sectors_inner, tracks;
  std::optional<double> zones, band, track_skew, head_skew, band_skew, misalignment, density_deviation;
  std::optional<double> cache, interface_rate, queue_depth, overhead, cached_overhead;
  std::optional<double> spread_near, spread_far, seed;
  std::map<std::string, std::string> sources;  ///< by key: where its value comes from
  profile::DriveProfile given;                 ///< keys of a profile that the sheet states as they are
};

/// A number of a sheet.
struct SheetRow {
  std::string_view key;
  Measure measure;
  double least;
  double most;
  std::string_view meaning;
  std::optional<double> Sheet::* field;
};
const std::vector<SheetRow>& sheet_rows();
/// The row of a key, which exists.
const SheetRow& sheet_row(std::string_view key);

/// A key of a sheet whose value is a word.
struct SheetWord {
  std::string_view key;
  std::vector<std::string_view> words;  ///< empty: any text
  std::string_view meaning;
  std::string Sheet::* field;
};
const std::vector<SheetWord>& sheet_words();

/// Reads a sheet. Throws core::ConfigError with every problem: unknown keys, units, values out of range.
Sheet load_sheet(const std::filesystem::path& file);

/// Sets a key of the sheet from an option of the command line, and remembers that as its position. Throws core::ConfigError.
void set_option(Sheet& sheet, const std::string& option, const std::string& key, const std::string& text);

}  // namespace platter::sheet
