// SPDX-License-Identifier: Apache-2.0
#include "platter/front/scsi/unit_pages.h"

#include <algorithm>
#include <array>

#include "platter/core/big_endian.h"
#include "platter/front/scsi/duration_pages.h"
#include "platter/profile/parameters.h"
#include "platter/version.h"

namespace platter::scsi {

using core::big_endian::put;
using core::big_endian::Writer;

namespace {

constexpr const char* kVendor = "PLATTER";

/// Peripheral device type: a direct access block device, or a host managed zoned block device (ZBC, 6.1).
std::uint8_t device_type(const UnitIdentity& d) { return d.zones.model == profile::ZoneModel::Managed ? 0x14 : 0x00; }

/// ASCII, left-aligned in `length` characters.
std::string text(const std::string& value, std::size_t length) {
  std::string made = value.substr(0, length);
  for (char& c : made)
    if (c < 0x20 || c > 0x7E) c = '?';
  made.resize(length, ' ');
  return made;
}

// --- vital product data -----------------------------------------------------------------------------------------------

/// A designation descriptor (SPC-4, 7.8.6.1).
void designator(Bytes& page, std::uint8_t code_set, std::uint8_t kind, const Bytes& value) {
  Writer(page).put(code_set).put(kind).put(std::uint8_t{0}).put(static_cast<std::uint8_t>(value.size()));
  page.insert(page.end(), value.begin(), value.end());
}

Bytes identification(const UnitIdentity& d) {
  constexpr std::uint8_t kBinary = 1;
  constexpr std::uint8_t kAscii = 2;
  constexpr std::uint8_t kUtf8 = 3;
  constexpr std::uint8_t kIscsi = 5 << 4;
  constexpr std::uint8_t kTargetPort = 0x80 | 1 << 4;  // with a protocol identifier, of the target port
  constexpr std::uint8_t kTarget = 0x80 | 2 << 4;
  Bytes page;
  Bytes naa(8);
  put(naa.data(), d.world_wide_name(), naa.size());
  designator(page, kBinary, 3, naa);
  Bytes vendor;
  Writer(vendor).put(std::string_view(text(kVendor, 8) + text(d.product, 16) + d.serial));
  designator(page, kAscii, 1, vendor);
  designator(page, kBinary | kIscsi, kTargetPort | 4, {0, 0, 0, 1});
  const auto name = [&page](std::uint8_t kind, std::string value) {
    value.resize((value.size() + 4) / 4 * 4);  // ends with at least one zero
    designator(page, kUtf8 | kIscsi, kind, Bytes(value.begin(), value.end()));
  };
  if (!d.target.empty()) {
    name(kTargetPort | 8, d.target + ",t,0x0001");
    name(kTarget | 8, d.target);
  }
  return page;
}

Bytes block_limits(const UnitIdentity& d) {
  Bytes page(60);
  page[0] = 1;  // WSNZ: WRITE SAME of 0 blocks is refused
  page[1] = static_cast<std::uint8_t>(std::min<std::uint64_t>(d.most_blocks(), 255));  // of COMPARE AND WRITE
  put(&page[2], std::uint64_t{1} << d.physical_log2, 2);
  put(&page[4], d.most_blocks(), 4);
  put(&page[32], d.sectors, 8);  // of WRITE SAME
  return page;
}

Bytes characteristics(const UnitIdentity& d) {
  Bytes page(60);
  put(&page[0], d.rpm, 2);
  page[3] = 2;  // 3.5 inch
  if (d.zones.model == profile::ZoneModel::Aware)
    page[4] = 1 << 4;  // ZONED (ZBC, 6.4.2): host-managed units have their device type
  return page;
}

/// Zoned block device characteristics (ZBC, 6.4.3).
Bytes zone_characteristics(const UnitIdentity& d) {
  constexpr std::uint32_t kNotReported = 0xFFFF'FFFFu;
  const bool managed = d.zones.model == profile::ZoneModel::Managed;
  Bytes page(60);
  page[0] = managed && d.zones.unrestricted_reads ? 1 : 0;       // URSWRZ
  put(&page[4], managed ? kNotReported : d.zones.max_open, 4);   // optimal open sequential write preferred zones
  put(&page[8], kNotReported, 4);                                // of them written out of order
  put(&page[12], managed ? d.zones.max_open : kNotReported, 4);  // open sequential write required zones
  return page;
}

/// Concurrent positioning ranges (SBC-5, 6.6.3): the sectors of each actuator.
Bytes positioning_ranges(const UnitIdentity& d) {
  Bytes page(60 + std::size_t{32} * d.actuators);
  const std::uint64_t sectors = d.sectors / d.actuators;
  for (std::uint32_t i = 0; i < d.actuators; ++i) {
    std::uint8_t* const range = &page[60 + std::size_t{32} * i];
    range[0] = static_cast<std::uint8_t>(i);
    range[1] = 1;  // storage elements
    put(range + 8, i * sectors, 8);
    put(range + 16, sectors, 8);
  }
  return page;
}

/// A page is a row here. The last two are of a unit with zones, and of one with several actuators.
struct VitalPage {
  std::uint8_t code;
  Bytes (*body)(const UnitIdentity& identity);
};
Bytes supported(const UnitIdentity& identity);
constexpr VitalPage kVitalPages[] = {
    {0x00, supported},
    {0x80, [](const UnitIdentity& d) { return Bytes(d.serial.begin(), d.serial.end()); }},
    {0x83, identification},
    {0xB0, block_limits},
    {0xB1, characteristics},
    {0xB2, [](const UnitIdentity&) { return Bytes(4); }},  // fully provisioned
    {0xB6, zone_characteristics},
    {0xB9, positioning_ranges},
};
bool offered(const UnitIdentity& d, const VitalPage& page) {
  if (page.code == 0xB9) return d.actuators > 1;
  return page.code != 0xB6 || d.zones.model != profile::ZoneModel::None;
}

Bytes supported(const UnitIdentity& identity) {
  Bytes codes;
  for (const VitalPage& each : kVitalPages)
    if (offered(identity, each)) codes.push_back(each.code);
  return codes;
}

// --- log pages --------------------------------------------------------------------------------------------------------

/// Appends a log parameter. `control`: its control byte.
void parameter(Bytes& page, std::uint16_t code, std::uint8_t control, const Bytes& value) {
  Writer(page).put(code).put(control).put(static_cast<std::uint8_t>(value.size()));
  page.insert(page.end(), value.begin(), value.end());
}
void counter(Bytes& page, std::uint16_t code, std::uint64_t value) {
  Bytes number(8);
  put(number.data(), value, number.size());
  parameter(page, code, 0x02, number);  // a bounded counter
}
constexpr std::uint8_t kList = 0x03;  ///< of a parameter: a binary list

void error_counters(Bytes& page, std::uint64_t retried, std::uint64_t corrected, std::uint64_t bytes, std::uint64_t failed) {
  counter(page, 0, 0);  // without a delay
  counter(page, 1, corrected);
  counter(page, 2, retried);
  counter(page, 3, corrected);
  counter(page, 4, retried);
  counter(page, 5, bytes);
  counter(page, 6, failed);
}

void background_scan(Bytes& page, const UnitCounters& c) {
  Bytes status(12);
  put(status.data(), c.power_on_minutes, 4);
  status[5] = c.scrubbed_blocks > 0 ? 1 : 0;  // a scan is active, or none has run
  parameter(page, 0, kList, status);
}

void start_stop(Bytes& page, const UnitCounters& c) {
  Bytes cycles(4);
  put(cycles.data(), c.starts, 4);
  const Bytes unknown(4, 0xFF);
  parameter(page, 3, kList, unknown);  // specified cycles over the lifetime
  parameter(page, 4, kList, cycles);
}

struct LogPage {
  std::uint8_t code;
  void (*body)(Bytes& page, const UnitCounters& counters);
};
void supported_logs(Bytes& page, const UnitCounters& counters);
constexpr std::uint8_t kSupportedLogs = 0x00;
constexpr std::uint8_t kBeforeDurations = 0x15;
constexpr LogPage kLogPages[] = {
    {kSupportedLogs, supported_logs},
    {0x02, [](Bytes& p, const UnitCounters& c) { error_counters(p, 0, 0, c.written_bytes, c.write_errors); }},
    {0x03, [](Bytes& p, const UnitCounters& c) { error_counters(p, c.retried, c.recovered, c.read_bytes, c.uncorrectable); }},
    {0x05, [](Bytes& p, const UnitCounters&) { error_counters(p, 0, 0, 0, 0); }},
    {0x06, [](Bytes& p, const UnitCounters& c) { counter(p, 0, c.resets); }},
    {0x0D, [](Bytes& p, const UnitCounters&) { parameter(p, 0, kList, {0, 0xFF}); }},  // no temperature is known
    {0x0E, start_stop},
    {0x15, background_scan},
    {0x2F, [](Bytes& p, const UnitCounters&) { parameter(p, 0, kList, {0, 0, 0xFF, 0}); }},  // no exception
};

void supported_logs(Bytes& page, const UnitCounters& /*counters*/) {
  for (const LogPage& each : kLogPages) page.push_back(each.code);
}

/// All pages, and the subpage of duration limits.
void supported_sublogs(Bytes& page, bool durations) {
  for (const LogPage& each : kLogPages) {
    page.push_back(each.code);
    page.push_back(0);
    if (each.code == kSupportedLogs) {
      page.push_back(each.code);
      page.push_back(0xFF);
    }
    if (durations && each.code == kBeforeDurations) page.insert(page.end(), {kDurationLog, kDurationSublog});
  }
}

}  // namespace

UnitIdentity UnitIdentity::of(const profile::DriveProfile& profile, std::uint64_t sectors, const std::string& serial,
                              const std::string& target) {
  UnitIdentity d;
  d.product = profile.name;
  d.revision = PLATTER_VERSION;
  d.serial = serial;
  d.target = target;
  d.sectors = sectors;
  d.sector_bytes = profile.geometry.sector_bytes;
  while (profile.geometry.blocks_per_physical_sector() >> (d.physical_log2 + 1) != 0) ++d.physical_log2;
  d.rpm = static_cast<std::uint32_t>(profile.rpm + 0.5);
  d.queue_depth = profile.queue_depth;
  d.zones = profile.zones;
  d.actuators = profile.geometry.actuators;
  d.duration_limits = profile.limits.supported;
  d.durations = profile::duration_table(profile.limits);
  d.segments = profile.cache.segments;
  d.buffer_bytes = std::uint64_t{profile.cache.segments} * profile.cache.segment_blocks * profile.geometry.sector_bytes;
  d.write_cache = d.segments > 0 && profile.cache.write_back != profile::WriteBack::Off;
  d.cache_saved = profile.power_loss.cache == profile::LostCache::Saved;
  d.read_ahead = d.segments > 0 && profile.cache.read_ahead != profile::ReadAhead::None;
  return d;
}

UnitIdentity UnitIdentity::of_actuator(std::uint32_t number) const {
  UnitIdentity d = *this;
  d.actuators = 1;
  d.sectors = sectors / actuators;
  d.queue_depth = queue_depth / actuators;
  d.segments = segments / actuators;
  d.buffer_bytes = buffer_bytes / actuators;
  d.first_sector = number * d.sectors;
  d.first_tag = number * d.queue_depth;
  return d;
}

std::uint64_t UnitIdentity::world_wide_name() const {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325u;  // FNV-1a
  for (const char c : product + serial) hash = (hash ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01B3u;
  return hash >> 4 | std::uint64_t{3} << 60;
}

Bytes standard_inquiry(const UnitIdentity& d) {
  Bytes data(96);
  data[0] = device_type(d);
  data[2] = 0x06;  // SPC-4
  data[3] = 0x12;  // HISUP, response data format 2
  data[4] = static_cast<std::uint8_t>(data.size() - 5);
  data[7] = 0x02;  // CMDQUE
  const std::string names = text(kVendor, 8) + text(d.product, 16) + text(d.revision, 4);
  std::copy(names.begin(), names.end(), data.begin() + 8);
  constexpr std::array<std::uint16_t, 4> kVersions = {0x00A0, 0x0460, 0x04C0, 0x0960};  // SAM-5, SPC-4, SBC-3, iSCSI
  for (std::size_t i = 0; i < kVersions.size(); ++i) put(&data[58 + 2 * i], kVersions[i], 2);
  return data;
}

Bytes no_unit_inquiry() {
  Bytes data(36);
  data[0] = 0x7F;  // no device, and none can be there
  data[2] = 0x06;
  data[3] = 0x02;
  data[4] = static_cast<std::uint8_t>(data.size() - 5);
  std::fill(data.begin() + 8, data.end(), std::uint8_t{' '});
  return data;
}

std::optional<Bytes> vital_product_data(const UnitIdentity& identity, std::uint8_t code) {
  for (const VitalPage& each : kVitalPages) {
    if (each.code != code || !offered(identity, each)) continue;
    Bytes page(4);
    const Bytes body = each.body(identity);
    page[0] = device_type(identity);
    page[1] = code;
    put(&page[2], body.size(), 2);
    page.insert(page.end(), body.begin(), body.end());
    return page;
  }
  return std::nullopt;
}

std::optional<Bytes> log_page(const UnitCounters& counters, std::uint8_t code, std::uint8_t subcode, std::uint16_t from) {
  const auto* const found =
      std::find_if(std::begin(kLogPages), std::end(kLogPages), [code](const LogPage& p) { return p.code == code; });
  const bool subpages = code == kSupportedLogs && subcode == 0xFF;
  const bool of_durations = code == kDurationLog && subcode == kDurationSublog && counters.durations != nullptr;
  if (!of_durations && (found == std::end(kLogPages) || (subcode != 0 && !subpages))) return std::nullopt;
  Bytes body;
  if (subpages)
    supported_sublogs(body, counters.durations != nullptr);
  else if (of_durations)
    body = duration_log(*counters.durations);
  else
    found->body(body, counters);
  if (code != kSupportedLogs) {
    std::size_t at = 0;
    while (at < body.size() && core::big_endian::get<std::uint16_t>(&body[at]) < from) at += std::size_t{4} + body[at + 3];
    body.erase(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(at));
  }
  Bytes page(4);
  page[0] = static_cast<std::uint8_t>(code | (subcode != 0 ? 0x40 : 0));
  page[1] = subcode;
  put(&page[2], body.size(), 2);
  page.insert(page.end(), body.begin(), body.end());
  return page;
}

Bytes capacity_10(const UnitIdentity& d) {
  Bytes data(8);
  put(data.data(), std::min<std::uint64_t>(d.sectors - 1, 0xFFFF'FFFFu), 4);
  put(&data[4], d.sector_bytes, 4);
  return data;
}

Bytes capacity_16(const UnitIdentity& d) {
  Bytes data(32);
  put(data.data(), d.sectors - 1, 8);
  put(&data[8], d.sector_bytes, 4);
  if (d.zones.model == profile::ZoneModel::Managed) data[12] = 1 << 4;  // RC BASIS: the last block of the unit
  data[13] = static_cast<std::uint8_t>(d.physical_log2);
  return data;
}

}  // namespace platter::scsi
