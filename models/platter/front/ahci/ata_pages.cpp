// SPDX-License-Identifier: Apache-2.0
#include "platter/front/ahci/ata_pages.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

#include "platter/mapping/zones/zone_report.h"
#include "platter/profile/parameters.h"
#include "platter/version.h"

namespace platter::ahci {

namespace {

constexpr std::size_t kPageBytes = 512;
constexpr std::uint64_t kValid = std::uint64_t{1} << 63;  // of a field of eight bytes in a log

void put(Page& page, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) page[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}
void word(Page& page, std::size_t index, std::uint32_t value) { put(page, 2 * index, value, 2); }

/// ASCII in words whose first character is the upper byte, padded with spaces.
void text(Page& page, std::size_t first_word, std::size_t words, const std::string& value) {
  for (std::size_t i = 0; i < 2 * words; ++i) {
    const auto c = static_cast<unsigned char>(i < value.size() ? value[i] : ' ');
    page[2 * first_word + (i ^ 1)] = c >= 0x20 && c < 0x7F ? c : '?';
  }
}

/// Sets the last byte so that the sum of all bytes is 0.
void add_checksum(Page& page) {
  page[kPageBytes - 1] = 0;
  page[kPageBytes - 1] = static_cast<std::uint8_t>(-std::accumulate(page.begin(), page.end(), 0u));
}

/// NAA 3, locally assigned, with a hash of model and serial (FNV-1a).
std::uint64_t world_wide_name(const AtaIdentity& identity) {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325u;
  for (const char c : identity.model + identity.serial) hash = (hash ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01B3u;
  return hash >> 4 | std::uint64_t{3} << 60;
}

// --- log 30h, IDENTIFY DEVICE data (ACS-4, 9.11) ----------------------------------------------------------------------

constexpr std::array<std::uint8_t, 7> kIdentifyPages = {0, 1, 2, 3, 4, 8, 9};

bool zoned(const AtaIdentity& identity) { return identity.zones.model != profile::ZoneModel::None; }
bool managed(const AtaIdentity& identity) { return identity.zones.model == profile::ZoneModel::Managed; }
/// The last page is that of zones.
std::size_t identify_pages(const AtaIdentity& identity) { return kIdentifyPages.size() - (zoned(identity) ? 0 : 1); }

Page identify_page(const PageSource& s, std::uint8_t number) {
  if (number == 1) return identify(s.identity, s.settings);
  Page page(kPageBytes);
  put(page, 0, kValid | std::uint64_t{number} << 16 | 1, 8);
  const auto field = [&page](std::size_t at, std::uint64_t value) { put(page, at, kValid | value, 8); };
  const auto bit = [](bool set, unsigned place) { return std::uint64_t{set} << place; };
  switch (number) {
    case 0:
      put(page, 0, 1, 8);
      page[8] = static_cast<std::uint8_t>(identify_pages(s.identity));
      std::copy_n(kIdentifyPages.begin(), identify_pages(s.identity), page.begin() + 9);
      break;
    case 2:
      field(8, s.identity.sectors);
      // How many logical sectors are a physical one; the size of a logical sector follows.
      field(16, bit(true, 61) | bit(s.identity.physical_log2 > 0, 62) | std::uint64_t{s.identity.physical_log2} << 16);
      field(24, s.identity.sector_bytes / 2);
      field(32, s.identity.buffer_bytes);
      break;
    case 3:
      field(8, bit(true, 32) | bit(true, 29) | bit(s.identity.read_ahead, 25) | bit(s.identity.write_cache, 24) |
                   bit(true, 23) | bit(true, 22) | bit(true, 20) | bit(true, 12) | bit(true, 11) | bit(true, 5) | bit(true, 2) |
                   bit(s.identity.duration_limits, 47));  // sense data of queued commands that end well
      field(16, 0);
      field(24, s.identity.rpm);
      put(page, 56, world_wide_name(s.identity), 8);
      if (zoned(s.identity)) field(104, managed(s.identity) ? 0 : 1);
      field(136, s.identity.queue_depth - 1);
      field(144, bit(true, 0));
      if (s.identity.duration_limits) {
        field(168, bit(true, 0) | bit(true, 1));  // command duration limits, and guidelines
        field(176, 1);                            // shortest and longest limit, us
        field(184, 0xFFFF'FFFF);
      }
      break;
    case 4:
      field(8, bit(s.settings.write_cache, 13) | bit(s.settings.sense_reporting, 10) | bit(s.settings.read_ahead, 7) |
                   bit(s.settings.smart, 6) | bit(s.settings.success_sense, 18) | bit(s.settings.duration_limits, 21));
      break;
    case 9: {  // zoned device information (ZAC, 9.2)
      constexpr std::uint64_t kNotReported = 0xFFFF'FFFF;
      field(8, bit(s.identity.zones.unrestricted_reads, 0));
      field(24, managed(s.identity) ? kNotReported : s.identity.zones.max_open);
      field(32, kNotReported);
      field(40, managed(s.identity) ? s.identity.zones.max_open : kNotReported);
      field(48, 0x05CF);  // ZAC, INCITS 537
      break;
    }
    default: field(8, 0x7 | bit(true, 11)); break;  // Serial ATA: 1.5, 3 and 6 Gb/s; priorities
  }
  return page;
}

// --- other logs -------------------------------------------------------------------------------------------------------

Page queued_error_page(const QueuedError& e) {
  Page page(kPageBytes);
  page[0] = static_cast<std::uint8_t>((e.queued ? 0 : 0x80) | e.tag);
  page[2] = e.status;
  page[3] = e.error;
  for (std::size_t i = 0; i < 3; ++i) {
    page[4 + i] = static_cast<std::uint8_t>(e.lba >> 8 * i);
    page[8 + i] = static_cast<std::uint8_t>(e.lba >> 8 * (i + 3));
  }
  page[7] = e.device;
  put(page, 12, e.count, 2);
  page[14] = e.sense_key;
  page[15] = e.sense_code;
  page[16] = e.sense_qualifier;
  put(page, 17, e.lba, 6);
  add_checksum(page);
  return page;
}

constexpr std::array<std::uint8_t, 3> kStatisticsPages = {0, 1, 9};
/// The last one is of a device with duration limits.
std::size_t statistics_pages(const AtaIdentity& identity) {
  return kStatisticsPages.size() - (identity.duration_limits ? 0 : 1);
}

/// Device statistics (ACS-4, 9.5).
Page statistics_page(const PageSource& s, std::uint8_t number) {
  Page page(kPageBytes);
  put(page, 0, std::uint64_t{number} << 16 | 1, 8);
  if (number == 0) {
    page[8] = static_cast<std::uint8_t>(statistics_pages(s.identity));
    std::copy_n(kStatisticsPages.begin(), statistics_pages(s.identity), page.begin() + 9);
    return page;
  }
  if (number == 9) return duration_statistics(s.durations);
  if (number != 1) return Page(kPageBytes);
  constexpr std::uint64_t kSupported = 3ull << 62;  // supported and valid
  const auto field = [&page](std::size_t at, std::uint64_t value) { put(page, at, kSupported | value, 8); };
  field(8, s.counters.power_cycles);
  field(16, s.counters.power_on_s / 3600);
  field(24, s.counters.written_bytes / s.identity.sector_bytes);
  field(32, s.counters.writes);
  field(40, s.counters.read_bytes / s.identity.sector_bytes);
  field(48, s.counters.reads);
  return page;
}

/// SCT status (ACS-4, 8.5). The model has no temperature.
Page sct_status(const DeviceHistory& history) {
  constexpr std::uint8_t kNoTemperature = 0x80;
  Page page(kPageBytes);
  put(page, 0, 3, 2);  // format
  put(page, 2, 1, 2);  // version of the manufacturer
  put(page, 16, history.sct_action, 2);
  put(page, 18, history.sct_function, 2);
  for (const std::size_t at : {200u, 201u, 202u, 203u, 204u}) page[at] = kNoTemperature;
  return page;
}

/// An LBA of 48 bits in the order of the shadow registers: the present values each before the previous ones.
void put_shadow_lba(Page& page, std::size_t at, std::uint64_t lba) {
  for (std::size_t i = 0; i < 3; ++i) {
    page[at + 2 * i] = static_cast<std::uint8_t>(lba >> 8 * i);
    page[at + 2 * i + 1] = static_cast<std::uint8_t>(lba >> 8 * (i + 3));
  }
}

constexpr std::uint64_t kState = 0x03;  // active or idle, of an error record

std::uint64_t hours(std::uint64_t seconds) { return seconds / 3600; }

/// Summary SMART error log (ATA8-ACS, A.2): the last five errors, each with its command.
Page summary_errors(const DeviceHistory& history) {
  Page page(kPageBytes);
  page[0] = 1;
  page[1] = static_cast<std::uint8_t>(history.errors.size());
  for (std::size_t i = 0; i < history.errors.size(); ++i) {
    const ErrorRecord& e = history.errors[i];
    const std::size_t command = 2 + 90 * i + 48;  // the last of five
    page[command + 1] = static_cast<std::uint8_t>(e.features);
    page[command + 2] = static_cast<std::uint8_t>(e.count);
    put(page, command + 3, e.lba, 3);
    page[command + 6] = e.device;
    page[command + 7] = e.command;
    put(page, command + 8, e.power_on_s * 1000, 4);
    const std::size_t error = 2 + 90 * i + 60;
    page[error + 1] = e.error;
    page[error + 2] = static_cast<std::uint8_t>(e.count);
    put(page, error + 3, e.bad_lba, 3);
    page[error + 6] = static_cast<std::uint8_t>((e.device & 0xF0) | (e.bad_lba >> 24 & 0x0F));
    page[error + 7] = e.status;
    put(page, error + 27, kState, 1);
    put(page, error + 28, hours(e.power_on_s), 2);
  }
  put(page, 452, history.error_count, 2);
  add_checksum(page);
  return page;
}

/// Extended comprehensive SMART error log (ACS-4, 9.7): the last four errors.
Page extended_errors(const DeviceHistory& history) {
  constexpr std::size_t kOfPage = 4;
  Page page(kPageBytes);
  page[0] = 1;
  const std::size_t shown = std::min(history.errors.size(), kOfPage);
  put(page, 2, shown > 0 ? 1 : 0, 2);
  for (std::size_t i = 0; i < shown;
       ++i) {  // the index is that of the latest, which is the first; older ones follow from the end
    const ErrorRecord& e = history.errors[history.errors.size() - 1 - i];
    const std::size_t record = 4 + 124 * (i == 0 ? 0 : kOfPage - i);
    const std::size_t command = record + 72;
    put(page, command + 1, e.features, 2);
    put(page, command + 3, e.count, 2);
    put_shadow_lba(page, command + 5, e.lba);
    page[command + 11] = e.device;
    page[command + 12] = e.command;
    put(page, command + 14, e.power_on_s * 1000, 4);
    const std::size_t error = record + 90;
    page[error + 1] = e.error;
    put(page, error + 2, e.count, 2);
    put_shadow_lba(page, error + 4, e.bad_lba);
    page[error + 10] = e.device;
    page[error + 11] = e.status;
    put(page, error + 31, kState, 1);
    put(page, error + 32, hours(e.power_on_s), 2);
  }
  put(page, 500, history.error_count, 2);
  add_checksum(page);
  return page;
}

/// SMART self-test log (06h) and its extended form (07h; ACS-4, 9.9 and 9.19). A test that runs is the newest entry.
Page test_log(const PageSource& source, bool extended) {
  std::vector<TestRecord> tests = source.history.tests;
  if (source.history.test.status == kTestRuns) {
    if (tests.size() == DeviceHistory::kTests) tests.erase(tests.begin());
    tests.push_back({source.history.test, source.counters.power_on_s});
  }
  Page page(kPageBytes);
  put(page, 0, 1, extended ? 1 : 2);
  const std::size_t bytes = extended ? 26 : 24;
  const std::size_t from = extended ? 4 : 2;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const TestRecord& test = tests[i];
    const std::size_t at = from + bytes * i;
    page[at] = test.extended ? 2 : 1;
    page[at + 1] = test.byte();
    put(page, at + 2, hours(test.power_on_s), 2);
    put(page, at + 5, test.status == 7 ? test.lba : (std::uint64_t{1} << 48) - 1, extended ? 6 : 4);
  }
  put(page, extended ? 2 : 508, tests.size(), extended ? 2 : 1);
  add_checksum(page);
  return page;
}

/// Selective self-test log: no test has been recorded.
Page selective_test_log() {
  Page page(kPageBytes);
  put(page, 0, 1, 2);
  add_checksum(page);
  return page;
}

/// SMART attributes, in their order.
constexpr std::array<std::uint8_t, 11> kAttributes = {0x04, 0x05, 0x09, 0x0C, 0xBB, 0xBC, 0xC4, 0xC5, 0xC6, 0xF1, 0xF2};

/// Concurrent positioning ranges (ACS-5, 9.6): the sectors of each actuator.
Page positioning_ranges(const AtaIdentity& identity) {
  Page page(kPageBytes);
  page[0] = static_cast<std::uint8_t>(identity.actuators);
  const std::uint64_t sectors = identity.sectors / identity.actuators;
  for (std::uint32_t i = 0; i < identity.actuators; ++i) {
    const std::size_t at = 64 + std::size_t{32} * i;
    page[at] = static_cast<std::uint8_t>(i);
    page[at + 1] = 1;  // storage elements
    put(page, at + 8, i * sectors, 8);
    put(page, at + 16, sectors, 8);
  }
  return page;
}

struct LogInfo {
  std::uint8_t log;
  std::uint16_t pages;
  bool general_purpose;
  bool smart;
};
constexpr std::array kLogs = {
    LogInfo{0x01, 1, false, true},
    LogInfo{0x03, 1, true, false},
    LogInfo{0x04, 2, true, true},
    LogInfo{0x06, 1, false, true},
    LogInfo{0x07, 1, true, false},
    LogInfo{0x09, 1, false, true},
    LogInfo{0x10, 1, true, false},
    LogInfo{0x12, 1, true, false},
    LogInfo{0x13, 1, true, false},
    LogInfo{0x30, 9, true, true},
    LogInfo{0x47, 1, true, false},
    LogInfo{0xE0, 1, true, true},
    LogInfo{kLogSuccessSense, 2, true, false},
    LogInfo{kLogDurations, 1, true, false},
};

/// Does the device have this log? Log 47h is of one with several actuators.
bool offered(const LogInfo& info, const AtaIdentity& identity, bool general_purpose) {
  if (info.log == kLogPositioningRanges && identity.actuators == 1) return false;
  return general_purpose ? info.general_purpose : info.smart;
}

std::uint16_t pages_of(const LogInfo& info, const AtaIdentity& identity) {
  if (!identity.duration_limits && (info.log == kLogSuccessSense || info.log == kLogDurations)) return 0;
  if (identity.duration_limits && info.log == 0x04) return 10;
  return static_cast<std::uint16_t>(info.pages + (info.log == 0x30 && zoned(identity) ? 1 : 0));
}

Page directory(const AtaIdentity& identity, bool general_purpose) {
  Page page(kPageBytes);
  put(page, 0, 1, 2);  // version
  for (const LogInfo& info : kLogs)
    if (offered(info, identity, general_purpose)) put(page, std::size_t{2} * info.log, pages_of(info, identity), 2);
  return page;
}

Page log_page(const PageSource& s, std::uint8_t log, std::uint32_t number) {
  switch (log) {
    case 0x04: return statistics_page(s, static_cast<std::uint8_t>(number));
    case kLogQueuedError: return queued_error_page(s.queued_error);
    case 0x30: {
      const auto page = static_cast<std::uint8_t>(number);
      const auto* const end = kIdentifyPages.begin() + identify_pages(s.identity);
      const bool there = std::find(kIdentifyPages.begin(), end, page) != end;
      return there ? identify_page(s, page) : Page(kPageBytes);
    }
    case kLogPositioningRanges: return positioning_ranges(s.identity);
    case kLogSctStatus: return sct_status(s.history);
    case kLogDurations: return duration_log(s.settings.durations);
    case 0x01: return summary_errors(s.history);
    case 0x03: return extended_errors(s.history);
    case 0x06: return test_log(s, false);
    case 0x07: return test_log(s, true);
    case 0x12:
    case 0x13: {  // NCQ NON-DATA, SEND and RECEIVE FPDMA QUEUED (Serial ATA 3.x, 13.7.5 and 13.7.6): those of zones, deadline handling
      Page page(kPageBytes);
      if (zoned(s.identity)) page[log == 0x12 ? 0x1C : 0x10] = log == 0x12 ? 0x01 : 0x03;
      if (log == 0x12 && s.identity.duration_limits) page[4] = 0x07;  // deadline handling, with WDNC and RDNC
      return page;
    }
    default: return selective_test_log();
  }
}

}  // namespace

AtaIdentity AtaIdentity::of(const profile::DriveProfile& profile, std::uint64_t sectors, const std::string& serial) {
  AtaIdentity identity;
  identity.model = "PLATTER " + profile.name;
  identity.serial = serial;
  identity.firmware = PLATTER_VERSION;
  identity.sectors = sectors;
  identity.sector_bytes = profile.geometry.sector_bytes;
  while (profile.geometry.blocks_per_physical_sector() >> (identity.physical_log2 + 1) != 0) ++identity.physical_log2;
  identity.rpm = static_cast<std::uint32_t>(profile.rpm + 0.5);
  identity.queue_depth = std::min(profile.queue_depth, 32u);
  identity.buffer_bytes = std::uint64_t{profile.cache.segments} * profile.cache.segment_blocks * profile.geometry.sector_bytes;
  identity.write_cache = profile.cache.segments > 0 && profile.cache.write_back != profile::WriteBack::Off;
  identity.zones = profile.zones;
  identity.actuators = profile.geometry.actuators;
  identity.duration_limits = profile.limits.supported;
  identity.durations = profile::duration_table(profile.limits);
  identity.read_ahead = profile.cache.segments > 0 && profile.cache.read_ahead != profile::ReadAhead::None;
  return identity;
}

Page identify(const AtaIdentity& d, const AtaSettings& settings) {
  Page page(kPageBytes);
  const auto bit = [](bool set, unsigned place) { return set ? 1u << place : 0u; };
  word(page, 0, 0x0040);
  // Cylinders, heads and sectors a track for old hosts (ATA-6, 6.2). These are the largest values, and no more cylinders than the capacity holds.
  constexpr std::uint32_t kHeads = 16;
  constexpr std::uint32_t kTrackSectors = 63;
  constexpr std::uint64_t kMaxCylinders = 16383;
  word(page, 1, static_cast<std::uint32_t>(std::min(d.sectors / (std::uint64_t{kHeads} * kTrackSectors), kMaxCylinders)));
  word(page, 3, kHeads);
  word(page, 6, kTrackSectors);
  text(page, 10, 10, d.serial);
  text(page, 23, 4, d.firmware);
  text(page, 27, 20, d.model);
  word(page, 47, 0x8000 | d.most_multiple());
  word(page, 48, 0x4000);
  word(page, 49, 0x0F00);
  word(page, 50, 0x4000);
  word(page, 53, 0x0006);
  word(page, 59, settings.multiple != 0 ? 0x0100u | settings.multiple : 0);
  put(page, 120, std::min<std::uint64_t>(d.sectors, 0x0FFF'FFFF), 4);
  word(page, 63, 0x0007);
  word(page, 64, 0x0003);
  for (const std::size_t w : {65u, 66u, 67u, 68u}) word(page, w, 120);  // cycle times, ns
  word(page, 75, d.queue_depth - 1);
  word(page, 76,
       0x8000 | 0x1000 | 0x0300 | 0x000E);  // READ LOG DMA EXT, NCQ priority, the host may save power, NCQ, three speeds
  // Now 6 Gb/s; NCQ NON-DATA, RECEIVE FPDMA QUEUED.
  word(page, 77, 0x0006 | bit(zoned(d) || d.duration_limits, 5) | bit(zoned(d), 6));
  word(page, 78, 0x00C0);  // NCQ autosense, software settings preservation
  word(page, 79, bit(settings.preserved, 6));
  word(page, 80, 0x0FF0 | bit(d.actuators > 1, 12));  // all standards up to ACS-4; ACS-5 has the log of several actuators
  const std::uint32_t features = bit(true, 14) | bit(true, 3);
  word(page, 82, features | bit(true, 0) | bit(d.write_cache, 5) | bit(d.read_ahead, 6));
  word(page, 83, 0x4000 | bit(true, 13) | bit(true, 12) | bit(true, 10));
  word(page, 84, 0x4000 | bit(true, 8) | bit(true, 6) | bit(true, 5));
  word(page, 85, features | bit(settings.smart, 0) | bit(settings.write_cache, 5) | bit(settings.read_ahead, 6));
  word(page, 86, bit(true, 15) | bit(true, 13) | bit(true, 12) | bit(true, 10));
  word(page, 87, 0x4000 | bit(true, 8) | bit(true, 6) | bit(true, 5));
  word(page, 88, 0x007F | 0x0100u << settings.udma_mode);
  put(page, 200, d.sectors, 8);
  word(page, 106, 0x4000 | bit(d.physical_log2 > 0, 13) | bit(d.sector_bytes != 512, 12) | d.physical_log2);
  word(page, 69, bit(d.zones.model == profile::ZoneModel::Aware, 0));
  const std::uint64_t name = world_wide_name(d);
  for (std::size_t i = 0; i < 4; ++i) word(page, 108 + i, name >> (48 - 16 * i) & 0xFFFF);
  if (d.sector_bytes != 512) put(page, 234, d.sector_bytes / 2, 4);
  word(page, 119, 0x4000 | bit(true, 6) | bit(true, 3));  // sense data reporting, READ LOG DMA EXT
  word(page, 120, 0x4000 | bit(settings.sense_reporting, 6) | bit(true, 3));
  word(page, 206, 0x0009);  // SCT, and its error recovery control
  word(page, 217, d.rpm);
  word(page, 222, 0x103F);
  page[510] = 0xA5;
  add_checksum(page);
  return page;
}

std::optional<Page> log_pages(const PageSource& source, std::uint8_t log, std::uint32_t first, std::uint32_t count,
                              bool general_purpose) {
  if (count == 0) return std::nullopt;
  if (log == 0) return first == 0 && count == 1 ? std::optional(directory(source.identity, general_purpose)) : std::nullopt;
  const auto* const info = std::find_if(kLogs.begin(), kLogs.end(), [log](const LogInfo& each) { return each.log == log; });
  if (info == kLogs.end() || !offered(*info, source.identity, general_purpose)) return std::nullopt;
  if (first + count > pages_of(*info, source.identity)) return std::nullopt;
  if (log == kLogSuccessSense) {
    const Page both = success_sense_log(source.successes);
    const auto at = [&both](std::size_t page) { return both.begin() + static_cast<std::ptrdiff_t>(page * kPageBytes); };
    return Page(at(first), at(first + count));
  }
  Page pages;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const Page page = log_page(source, log, i);
    pages.insert(pages.end(), page.begin(), page.end());
  }
  return pages;
}

Page zone_report(const zones::ZoneReport& report, std::size_t bytes) {
  Page page(bytes);
  zones::write_report(report, page.data(), [](std::uint8_t* to, std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(value >> 8 * i);
  });
  return page;
}

Page smart_data(const AtaCounters& counters, const SelfTest& test) {
  struct Attribute {
    std::uint8_t id;
    std::uint16_t flags;
    std::uint64_t raw;
  };
  const std::array<Attribute, kAttributes.size()> attributes = {{{0x04, 0x0032, counters.spin_ups},
                                                                 {0x05, 0x0033, counters.reallocated},
                                                                 {0x09, 0x0032, counters.power_on_s / 3600},
                                                                 {0x0C, 0x0032, counters.power_cycles},
                                                                 {0xBB, 0x0032, counters.uncorrectable},
                                                                 {0xBC, 0x0032, counters.timeouts},
                                                                 {0xC4, 0x0032, counters.reallocations},
                                                                 {0xC5, 0x0012, counters.pending},
                                                                 {0xC6, 0x0010, counters.pending},
                                                                 {0xF1, 0x0000, counters.written_bytes / 512},
                                                                 {0xF2, 0x0000, counters.read_bytes / 512}}};
  Page page(kPageBytes);
  put(page, 0, 0x0010, 2);
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const std::size_t at = 2 + 12 * i;
    page[at] = attributes[i].id;
    put(page, at + 1, attributes[i].flags, 2);
    page[at + 3] = page[at + 4] = 100;  // normalised value, now and at worst
    put(page, at + 5, attributes[i].raw, 6);
  }
  page[363] = test.byte();
  page[367] = 0x11;  // EXECUTE OFF-LINE IMMEDIATE, self-tests
  page[370] = 1;     // error logs
  page[372] = 1;     // minutes of a short self-test
  const std::uint64_t minutes = std::clamp<std::uint64_t>((test.extended_s + 59) / 60, 1, 0xFFFF);
  page[373] = static_cast<std::uint8_t>(std::min<std::uint64_t>(minutes, 0xFF));
  if (minutes >= 0xFF) put(page, 375, minutes, 2);
  put(page, 368, 0x0003, 2);
  add_checksum(page);
  return page;
}

Page smart_thresholds() {
  Page page(kPageBytes);
  put(page, 0, 0x0010, 2);
  std::size_t at = 2;
  for (const std::uint8_t id : kAttributes) {
    page[at] = id;
    at += 12;
  }
  add_checksum(page);
  return page;
}

}  // namespace platter::ahci
