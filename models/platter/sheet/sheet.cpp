// SPDX-License-Identifier: Apache-2.0
#include "platter/sheet/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "platter/core/nearest.h"
#include "platter/params/document.h"
#include "platter/profile/parameters.h"

namespace platter::sheet {

namespace {

constexpr double kMegabyte = 1e6;
constexpr double kMillisecond = 1e3;

/// Reads a value and checks its range. Returns what is wrong, "" if nothing is.
std::string read_into(const SheetRow& row, std::string_view text, std::optional<double>& field) {
  double value = 0;
  if (std::string objection = read_quantity(text, row.measure, value); !objection.empty()) return objection;
  if (!(value >= row.least && value <= row.most))
    return fmt::format("found {}, expected {} to {}", show_quantity(value, row.measure), show_quantity(row.least, row.measure),
                       show_quantity(row.most, row.measure));
  field = value;
  return {};
}

std::string read_into(const SheetWord& row, std::string_view text, std::string& field) {
  if (!row.words.empty() && std::find(row.words.begin(), row.words.end(), text) == row.words.end())
    return fmt::format("found \"{}\", expected one of {}{}", text, fmt::join(row.words, ", "),
                       core::did_you_mean(text, row.words));
  field = text;
  return {};
}

/// Keys of a profile that no rule makes. A sheet states them as they are.
bool is_stated(std::string_view key) {
  for (const std::string_view begin : {"power.", "controller.", "mechanics.spin_up_s"})
    if (key.substr(0, begin.size()) == begin) return true;
  return false;
}

const params::Table<profile::DriveProfile>& stated_parameters() {
  static const auto table = [] {
    params::Table<profile::DriveProfile> stated;
    for (const auto& parameter : profile::drive_parameters())
      if (is_stated(parameter.key)) stated.push_back(parameter);
    return stated;
  }();
  return table;
}

/// The rows of a sheet, as those of any other configuration.
const params::Table<Sheet>& sheet_parameters() {
  static const auto source_keys = [] {
    std::vector<std::string> keys;
    for (const SheetRow& row : sheet_rows()) keys.push_back("sources." + std::string(row.key));
    for (const SheetWord& row : sheet_words()) keys.push_back("sources." + std::string(row.key));
    for (const std::string_view section : {"power", "controller", "mechanics"})
      keys.push_back("sources." + std::string(section));
    return keys;
  }();
  static const auto table = [] {
    params::Table<Sheet> rows;
    rows.push_back(params::required(
        params::Parameter<Sheet>{"format", "", "version of the file format", params::at(&Sheet::format), params::Range{1, 1}}));
    for (const SheetRow& row : sheet_rows())
      rows.push_back({row.key, unit_of(row.measure), row.meaning, [&row](Sheet& sheet) -> params::Field {
                        std::optional<double>& field = sheet.*row.field;
                        return params::Notated{
                            [&field, &row] { return field ? show_quantity(*field, row.measure) : std::string(); },
                            [&field, &row](std::string_view text) { return read_into(row, text, field); }, true, true};
                      }});
    for (const SheetWord& row : sheet_words())
      rows.push_back({row.key, "", row.meaning, [&row](Sheet& sheet) -> params::Field {
                        std::string& field = sheet.*row.field;
                        return params::Notated{[&field] { return field; },
                                               [&field, &row](std::string_view text) { return read_into(row, text, field); },
                                               false, false};
                      }});
    for (const std::string& key : source_keys) {
      const std::string of = key.substr(std::string_view("sources.").size());
      rows.push_back({key, "", "where the value of the key comes from",
                      [of](Sheet& sheet) -> params::Field { return &sheet.sources[of]; }});
    }
    return rows;
  }();
  return table;
}

}  // namespace

const std::vector<SheetRow>& sheet_rows() {
  using S = Sheet;
  constexpr double kByte = 1;
  static const std::vector<SheetRow> rows{
      {"capacity", Measure::Size, 1e9, 1e17, "capacity as the sheet states it", &S::capacity},
      {"sectors", Measure::Count, 1e6, 0x1p48, "blocks of the host; without it they follow from the capacity", &S::sectors},
      {"sector_bytes", Measure::Count, 512, 4096, "bytes of a block of the host", &S::sector_bytes},
      {"physical_sector", Measure::Count, 512, 65536, "bytes of a physical sector", &S::physical_sector},
      {"rpm", Measure::Speed, 1000, 30000, "spindle speed", &S::rpm},
      {"heads", Measure::Count, 1, profile::kMaxSurfaces, "data surfaces", &S::heads},
      {"year", Measure::Count, 1980, 2100, "year of the drive, for the rules that depend on it", &S::year},
      {"seek_single", Measure::Time, 10, 20 * kMillisecond, "seek of a read to the next track", &S::seek_single},
      {"seek_average", Measure::Time, 100, 100 * kMillisecond, "average seek of a read, by the definition of the manuals",
       &S::seek_average},
      {"seek_full", Measure::Time, 100, 200 * kMillisecond, "seek of a read over the full stroke", &S::seek_full},
      {"seek_write_single", Measure::Time, 10, 20 * kMillisecond, "seek of a write to the next track", &S::seek_write_single},
      {"seek_write_average", Measure::Time, 100, 100 * kMillisecond, "average seek of a write", &S::seek_write_average},
      {"seek_write_full", Measure::Time, 100, 200 * kMillisecond, "seek of a write over the full stroke", &S::seek_write_full},
      {"rate_outer", Measure::Rate, 0.1 * kMegabyte, 1e4 * kMegabyte, "sustained rate at the outer edge", &S::rate_outer},
      {"rate_inner", Measure::Rate, 0.1 * kMegabyte, 1e4 * kMegabyte, "sustained rate at the inner edge", &S::rate_inner},
      {"sectors_outer", Measure::Count, 8, profile::kMaxTrackSectors, "blocks of the outermost track", &S::sectors_outer},
      {"sectors_inner", Measure::Count, 8, profile::kMaxTrackSectors, "blocks of the innermost track", &S::sectors_inner},
      {"tracks", Measure::Count, 1000, profile::kMaxCylinders, "tracks of a surface", &S::tracks},
      {"zones", Measure::Count, 1, 400, "zones of a surface", &S::zones},
      {"band", Measure::Count, 1, 100000, "tracks of a band", &S::band},
      {"track_skew", Measure::Turns, 0, 1, "angle from a track to the next one", &S::track_skew},
      {"head_skew", Measure::Turns, 0, 1, "angle from a band to that of the next surface", &S::head_skew},
      {"band_skew", Measure::Turns, 0, 1, "angle from a group of bands to the next one", &S::band_skew},
      {"misalignment", Measure::Count, 0, 10000, "tracks by which surfaces are shifted against each other, at most",
       &S::misalignment},
      {"density_deviation", Measure::Share, 0, 0.2, "deviation of the surfaces' density around 1", &S::density_deviation},
      {"cache", Measure::Size, 0, 1e11 * kByte, "size of the buffer", &S::cache},
      {"interface_rate", Measure::Rate, kMegabyte, 1e4 * kMegabyte, "rate of the interface", &S::interface_rate},
      {"queue_depth", Measure::Count, 1, profile::kMaxTags, "tags of the command queue", &S::queue_depth},
      {"overhead", Measure::Time, 0, 100 * kMillisecond, "command overhead of an access to the media", &S::overhead},
      {"cached_overhead", Measure::Time, 0, 100 * kMillisecond,
       "command overhead of a cached write, and of a read from the buffer", &S::cached_overhead},
      {"spread_near", Measure::Time, 0, 10 * kMillisecond, "deviation of the arrival on the same cylinder", &S::spread_near},
      {"spread_far", Measure::Time, 0, 10 * kMillisecond, "deviation of the arrival after a seek", &S::spread_far},
      {"seed", Measure::Count, 0, 1e9, "seed of what is drawn: densities and shifts of the surfaces", &S::seed},
  };
  return rows;
}

const SheetRow& sheet_row(std::string_view key) {
  return *std::find_if(sheet_rows().begin(), sheet_rows().end(), [key](const SheetRow& row) { return row.key == key; });
}

const std::vector<SheetWord>& sheet_words() {
  static const std::vector<SheetWord> rows{
      {"name", {}, "name of the drive", &Sheet::name},
      {"source", {}, "where the sheet's numbers come from", &Sheet::source},
      {"interface", {"sata", "sas"}, "interface of the drive", &Sheet::interface},
      {"write_cache", {"on", "off"}, "writes are complete in the buffer", &Sheet::write_cache},
  };
  return rows;
}

Sheet load_sheet(const std::filesystem::path& file) {
  Sheet sheet;
  params::Grammar grammar;
  grammar.add(sheet_parameters(), sheet);
  grammar.add(stated_parameters(), sheet.given);
  std::vector<core::ConfigProblem> problems;
  params::Document(file, {}, params::KeySpace(), params::file_beside).read(grammar, sheet, problems);
  for (auto entry = sheet.sources.begin(); entry != sheet.sources.end();)
    entry = entry->second.empty() ? sheet.sources.erase(entry) : std::next(entry);
  if (!problems.empty()) throw core::ConfigError(problems);
  return sheet;
}

void set_option(Sheet& sheet, const std::string& option, const std::string& key, const std::string& text) {
  std::string objection;
  for (const SheetRow& row : sheet_rows())
    if (row.key == key) objection = read_into(row, text, sheet.*row.field);
  for (const SheetWord& row : sheet_words())
    if (row.key == key) objection = read_into(row, text, sheet.*row.field);
  if (!objection.empty()) throw core::ConfigError({{option, 0, 0, "", objection}});
  sheet.positions[key] = {option, 0, 0};
  sheet.sources[key] = "of the command line";
}

}  // namespace platter::sheet
