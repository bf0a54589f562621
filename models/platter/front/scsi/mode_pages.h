// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platter/front/scsi/sense.h"
#include "platter/front/scsi/unit_identity.h"

namespace platter::scsi {

/// @cond of the implementation

/// The mode pages of a disk (SPC-4, 7.5; SBC-3, 6.5): what a host reads by MODE SENSE, and what MODE SELECT may change. Nothing is saved.
class ModePages {
 public:
  explicit ModePages(const UnitIdentity& identity);

  // What the pages say now.
  bool write_cache() const { return write_cache(*find(kCaching)); }
  bool read_ahead() const { return (find(kCaching)->current[12] & 0x20) == 0; }
  bool descriptor_sense() const { return (find(kControl)->current[2] & 0x04) != 0; }
  bool write_protected() const { return (find(kControl)->current[4] & 0x08) != 0; }
  /// PER: an access that needed retries is reported.
  bool reports_recovered() const { return (find(kRecovery)->current[2] & 0x04) != 0; }
  /// What the T2A and T2B pages say; those of the identity without such pages.
  const command::DurationTable& durations() const { return durations_; }
  /// Most time of a command's recovery, ms; 0: no limit.
  std::uint32_t recovery_limit_ms() const { return find(kRecovery)->current[10] * 256u + find(kRecovery)->current[11]; }

  enum class Control : std::uint8_t { Current, Changeable, Default, Saved };
  /// The pages that a MODE SENSE with this page and subpage code returns; nothing: there is no such page.
  std::optional<std::vector<std::uint8_t>> pages(std::uint8_t code, std::uint8_t subcode, Control control) const;
  /// Checks the pages of a MODE SELECT, which begin at this position of the list. Returns what cannot be set, and where it is. `write_cache`: the bit
  /// WCE that they would set.
  std::optional<SenseData> check(const std::vector<std::uint8_t>& list, std::size_t begin, bool& write_cache) const;
  /// Sets the pages. Precondition: nothing is wrong with them. Returns true if a value has changed.
  bool select(const std::vector<std::uint8_t>& list, std::size_t begin);
  /// As after power-up.
  void reset();

 private:
  static constexpr std::uint8_t kRecovery = 0x01;
  static constexpr std::uint8_t kCaching = 0x08;
  static constexpr std::uint8_t kControl = 0x0A;
  static constexpr std::uint8_t kExceptions = 0x1C;

  struct Page {
    std::vector<std::uint8_t> initial;
    std::vector<std::uint8_t> changeable;
    std::vector<std::uint8_t> current;
    std::uint8_t code() const { return initial[0] & 0x3F; }
    std::uint8_t subcode() const { return (initial[0] & 0x40) != 0 ? initial[1] : 0; }
    std::size_t header() const { return subcode() != 0 ? 4 : 2; }
  };
  static bool write_cache(const Page& caching) { return (caching.current[2] & 0x04) != 0; }
  void read_durations();
  const Page* find(std::uint8_t code) const;
  /// Puts the pages of a MODE SELECT into `pages`. Returns what cannot be set.
  static std::optional<SenseData> put(const std::vector<std::uint8_t>& list, std::size_t begin, std::vector<Page>& pages);

  std::vector<Page> pages_;  ///< by code
  command::DurationTable durations_;
};

/// @endcond

}  // namespace platter::scsi
