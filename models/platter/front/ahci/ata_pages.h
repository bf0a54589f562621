// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platter/command/command.h"
#include "platter/drive/duration_statistics.h"
#include "platter/front/ahci/duration_logs.h"
#include "platter/mapping/zones/zones.h"
#include "platter/profile/drive_profile.h"

namespace platter::ahci {

/// The identity of an ATA device, from the profile of the drive behind it.
struct AtaIdentity {
  std::string model;                 ///< up to 40 characters of ASCII
  std::string serial;                ///< up to 20 characters of ASCII
  std::string firmware;              ///< up to 8 characters of ASCII
  std::uint64_t sectors = 0;         ///< that the host sees
  std::uint32_t sector_bytes = 512;  ///< bytes of a sector
  std::uint32_t physical_log2 = 0;   ///< 2^this sectors are a physical one
  std::uint32_t rpm = 0;             ///< speed of the spindle
  std::uint32_t queue_depth = 32;    ///< 1 to 32
  std::uint64_t buffer_bytes = 0;    ///< of the drive's buffer
  bool write_cache = false;          ///< the drive has one, on at power-up
  bool read_ahead = false;           ///< the drive reads ahead, on at power-up
  profile::ZonesProfile zones;       ///< zones that are written in order
  std::uint32_t actuators = 1;       ///< each with a range of the sectors, all of the same size
  bool duration_limits = false;      ///< hosts may use and change duration descriptors
  command::DurationTable durations;  ///< the descriptors at power-up

  /// Most sectors of a data block of READ MULTIPLE and WRITE MULTIPLE: those of a data FIS (Serial ATA 3.x, 10.5.12).
  std::uint32_t most_multiple() const { return 8192 / sector_bytes; }
  /// Of the drive with this profile. `sectors`: Drive::capacity_sectors(). Precondition: `serial` has up to 20 characters of ASCII.
  static AtaIdentity of(const profile::DriveProfile& profile, std::uint64_t sectors, const std::string& serial);
};

/// @cond of the implementation

/// What can be switched while the device runs.
struct AtaSettings {
  bool write_cache = false;
  bool read_ahead = false;
  bool smart = true;
  bool sense_reporting = false;
  bool success_sense = false;    ///< queued commands that end well may have sense data, and log 0Fh has it
  bool duration_limits = false;  ///< commands may have a duration limit
  command::DurationTable durations;
  bool preserved = true;  ///< a COMRESET keeps the settings (software settings preservation)
  std::uint8_t udma_mode = 6;
  std::uint8_t multiple = 0;  ///< sectors of a data block of READ MULTIPLE and WRITE MULTIPLE; 0: off
};

enum class PowerMode : std::uint8_t { Active, Idle, Standby };

/// What the drive has counted.
struct AtaCounters {
  std::uint64_t reads = 0;  ///< commands
  std::uint64_t writes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t failed = 0;         ///< commands that ended with an error
  std::uint64_t pending = 0;        ///< sectors that could not be read, and have not been written since
  std::uint64_t reallocated = 0;    ///< sectors on spares
  std::uint64_t reallocations = 0;  ///< attempts to put a sector on a spare
  std::uint64_t uncorrectable = 0;  ///< accesses that ended with an error of the media
  std::uint64_t timeouts = 0;       ///< commands that were never answered
  std::uint64_t power_on_s = 0;
  std::uint64_t power_cycles = 1;
  std::uint64_t spin_ups = 1;
};

/// The last queued command that failed, for log 10h (Serial ATA 3.x, 13.7.4).
struct QueuedError {
  bool queued = true;  ///< false: a command that is not queued came while queued ones were in progress
  std::uint8_t tag = 0;
  std::uint8_t status = 0;
  std::uint8_t error = 0;
  std::uint64_t lba = 0;
  std::uint8_t device = 0;
  std::uint16_t count = 0;
  std::uint8_t sense_key = 0;
  std::uint8_t sense_code = 0;
  std::uint8_t sense_qualifier = 0;
};

/// A command that ended with an error, for the error logs.
struct ErrorRecord {
  std::uint8_t command = 0;
  std::uint16_t features = 0;
  std::uint16_t count = 0;
  std::uint64_t lba = 0;  ///< that it asked for
  std::uint8_t device = 0;
  std::uint8_t status = 0;
  std::uint8_t error = 0;
  std::uint64_t bad_lba = 0;  ///< that it ended at
  std::uint64_t power_on_s = 0;
};

/// A self-test: its execution status (ACS-4, 9.19: 0 good, 1 aborted, 7 a read has failed, 15 it runs) and the failing sector.
struct SelfTest {
  std::uint8_t status = 0;
  std::uint8_t left = 0;  ///< tenths, while it runs
  bool extended = false;
  std::uint64_t lba = 0;
  std::uint64_t extended_s = 0;  ///< time of an extended one

  /// The byte of status and progress.
  std::uint8_t byte() const { return static_cast<std::uint8_t>(status << 4 | left); }
};
inline constexpr std::uint8_t kTestRuns = 15;

/// A self-test that has ended.
struct TestRecord : SelfTest {
  std::uint64_t power_on_s = 0;
};

/// What the device remembers for its logs, oldest first.
struct DeviceHistory {
  static constexpr std::size_t kErrors = 5;
  static constexpr std::size_t kTests = 19;

  std::vector<ErrorRecord> errors;  ///< the last ones
  std::uint32_t error_count = 0;    ///< of all
  std::vector<TestRecord> tests;    ///< the last ones
  SelfTest test;                    ///< the present or last one
  std::uint16_t sct_action = 0;     ///< of the last SCT command
  std::uint16_t sct_function = 0;
};

/// IDENTIFY DEVICE data (ACS-4, 7.13).
Page identify(const AtaIdentity& identity, const AtaSettings& settings);

/// The sources from which pages are made.
struct PageSource {
  const AtaIdentity& identity;
  const AtaSettings& settings;
  const AtaCounters& counters;
  const QueuedError& queued_error;
  const DeviceHistory& history;
  PowerMode power;
  const SuccessSense& successes;
  const drive::DurationStatistics& durations;
};

inline constexpr std::uint8_t kLogQueuedError = 0x10;
inline constexpr std::uint8_t kLogPositioningRanges = 0x47;
inline constexpr std::uint8_t kLogSctStatus = 0xE0;

/// Returns pages of a log (ACS-4, 9), 512 bytes each; nothing if the log does not exist or has too few pages. `general_purpose`: for READ LOG EXT,
/// otherwise for SMART READ LOG.
std::optional<Page> log_pages(const PageSource& source, std::uint8_t log, std::uint32_t first, std::uint32_t count,
                              bool general_purpose);

/// The data of REPORT ZONES EXT (ZAC, 7.4), of `bytes` bytes.
Page zone_report(const zones::ZoneReport& report, std::size_t bytes);

/// SMART READ DATA and SMART READ THRESHOLDS (ATA8-ACS, 7.53; SFF-8035i).
Page smart_data(const AtaCounters& counters, const SelfTest& test);
Page smart_thresholds();

/// @endcond

}  // namespace platter::ahci
