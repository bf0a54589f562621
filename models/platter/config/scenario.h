// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "platter/core/error.h"
#include "platter/mapping/eager/options.h"
#include "platter/mechanics/drive_profile.h"
#include "platter/scheduling/readings.h"

namespace platter::config {

/// A file that a configuration names: the text as it stands there, and where it is.
struct FileName {
  std::string text;
  std::filesystem::path path;

  bool empty() const { return text.empty(); }
};

struct ContinuousWorkload {
  std::int64_t streams = 0;
  double round_s = 1.0;
  std::string size = "tables";
  std::vector<FileName> tables;
  std::int64_t mean_bytes = 200'000;
  std::int64_t deviation_bytes = 0;
  std::string placement = "random";
  std::int64_t span_bytes = 0;
};

struct DiscreteWorkload {
  std::string source = "none";
  double rate_per_s = 0;
  std::int64_t outstanding = 1;
  std::int64_t max_outstanding = 0;
  double read_fraction = 1.0;
  std::string size = "fixed";
  std::int64_t mean_bytes = 4096;
  std::int64_t deviation_bytes = 0;
  double deadline_ms = 0;
  std::int64_t align_bytes = 0;
  std::int64_t span_bytes = 0;
  FileName trace;
  std::string trace_format = "auto";
  std::string trace_device;
  std::string past_end = "error";
  double trace_speed = 1.0;
};

/// Several drives in the place of one.
struct ArrayLayout {
  std::uint32_t drives = 1;
  std::string kind = "ew";
  std::uint32_t copies = 1;
  std::string answer = "all";
  // striped
  std::uint32_t unit_bytes = 65'536;
  std::uint32_t tags = 0;  ///< 0: as many as the drive's queue is deep
  std::int64_t cache_bytes = 0;
  std::uint32_t cache_block_bytes = 8192;
  std::uint32_t stream_buffer_units = 0;
  std::uint32_t rebuild_outstanding = 1;
  std::uint32_t rebuild_bytes_per_s = 0;

  bool striped() const { return kind == "striped"; }
  /// Is there a host layer between workload and drives?
  bool present() const { return drives > 1 || striped(); }
};

/// What configurations have in common: a file, and a drive in it.
struct Configuration {
  struct Position {
    std::string file;
    std::size_t line = 0;
    std::size_t column = 0;
  };

  std::int64_t format = 1;
  std::string drive_name;  ///< the drive's profile, as the configuration names it
  mechanics::DriveProfile drive;
  std::string file;
  std::map<std::string, Position> positions;  ///< where each key that was given stands

  /// Where the key stands; the file as a whole if it was not given.
  Position at(const std::string& key) const {
    const auto found = positions.find(key);
    return found != positions.end() ? found->second : Position{file, 0, 0};
  }
  /// Throws core::ConfigError: what is wrong with the key's value, and where it stands.
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const {
    const Position position = at(key);
    throw core::ConfigError({{position.file, position.line, position.column, key, message}});
  }
};

/// A run, as its scenario file describes it.
struct Scenario : Configuration {
  std::string engine = "firmware";
  std::string policy = "SPTF";
  scheduling::Readings readings;
  double accelerator_clock_mhz = 200;
  std::int64_t accelerator_margin_ticks = 0;
  std::int64_t accelerator_risk_ticks = 0;
  double accelerator_risk_probability = 0.5;
  eager::EagerOptions eager;
  ArrayLayout array;
  ContinuousWorkload continuous;
  DiscreteWorkload discrete;
  std::int64_t seed = 1;
  double warmup_s = 0;
  double measure_s = 10;
  double dies_at_s = 0;     ///< 0: never
  double returns_at_s = 0;  ///< 0: never
  std::uint32_t dying_drive = 0;  ///< of a striped array
  double wave_from_s = 0;
  double wave_to_s = 2;
  std::int64_t wave_angle_samples = 64;
};

}  // namespace platter::config
