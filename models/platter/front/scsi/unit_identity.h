// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/command/duration.h"
#include "platter/profile/drive_profile.h"

namespace platter::scsi {

/// The identity of a logical unit, from the profile of the drive behind it.
struct UnitIdentity {
  std::string product;               ///< up to 16 characters of ASCII
  std::string revision;              ///< up to 4 characters of ASCII
  std::string serial;                ///< up to 20 characters of ASCII
  std::string target;                ///< SCSI name of the target, such as its iSCSI name
  std::uint64_t sectors = 0;         ///< that the host sees
  std::uint32_t sector_bytes = 512;  ///< bytes of a sector
  std::uint32_t physical_log2 = 0;   ///< 2^this sectors are a physical one
  std::uint32_t rpm = 0;             ///< speed of the spindle
  std::uint32_t queue_depth = 32;    ///< commands in the drive
  std::uint64_t buffer_bytes = 0;    ///< of the drive's buffer
  std::uint32_t segments = 0;        ///< of the buffer
  bool write_cache = false;          ///< the drive has one, on at power-up
  bool cache_saved = false;          ///< what only the buffer holds lasts over a loss of power
  bool read_ahead = false;           ///< the drive reads ahead, on at power-up
  profile::ZonesProfile zones;       ///< of the drive
  std::uint32_t actuators = 1;       ///< of the unit, each with a range of the sectors, all of the same size
  std::uint64_t first_sector = 0;    ///< of the unit, in the drive
  std::uint32_t first_tag = 0;       ///< the lowest of the drive's tags that the unit uses
  bool duration_limits = false;      ///< hosts may use and change duration descriptors
  command::DurationTable durations;  ///< the descriptors at power-up

  /// Of the drive with this profile. `sectors`: Drive::capacity_sectors(). Precondition: `serial` has up to 20 characters of ASCII.
  static UnitIdentity of(const profile::DriveProfile& profile, std::uint64_t sectors, const std::string& serial,
                         const std::string& target);
  /// Of the unit that is one actuator of this drive: it has its share of the sectors, of the tags and of the segments.
  UnitIdentity of_actuator(std::uint32_t number) const;
  /// NAA 3, locally assigned (SPC-4, 7.8.6.6.4).
  std::uint64_t world_wide_name() const;
  /// Most logical blocks of a command that transfers data.
  std::uint64_t most_blocks() const { return (std::uint64_t{32} << 20) / sector_bytes; }
};

}  // namespace platter::scsi
