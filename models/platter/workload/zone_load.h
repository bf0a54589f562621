// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "platter/core/random.h"
#include "platter/core/ring_buffer.h"
#include "platter/params/statistic.h"
#include "platter/workload/request.h"
#include "platter/workload/zone_parameters.h"

namespace platter::workload {

/// What a load on zones has issued.
struct ZoneLoadCounts {
  std::uint64_t written_bytes = 0;  ///< by the host
  std::uint64_t copied_bytes = 0;   ///< by the cleaner
  std::uint64_t resets = 0;
  std::uint64_t cleaned_zones = 0;
  std::uint64_t cleaned_units = 0;  ///< units of these zones, live or not
  std::uint64_t live_units = 0;     ///< of these, live when the cleaner began with their zone
  std::uint64_t waits = 0;          ///< writes that waited for an empty zone
  core::Picoseconds waited = 0;     ///< sum of the waits that have ended
  std::uint64_t empty_zones = 0;    ///< now

  /// Those since `begin`.
  ZoneLoadCounts since(const ZoneLoadCounts& begin) const;
};
const params::Statistics<ZoneLoadCounts>& zone_load_rows();

/// A producer whose writes begin at the write pointers of zones. It is closed: it keeps requests outstanding.
///
/// The host must issue the requests of a class in the order in which it got them. Reads and writes have the size of one unit.
class ZoneLoad : public ProducerIf {
 public:
  /// `first_job`: job number of the host's requests; the next one is that of the cleaner's.
  ZoneLoad(const ZoneLoadParameters& load, const ZoneSpace& space, std::int32_t first_job, std::uint64_t seed);

  std::uint32_t closed_depth() const override { return depth_; }
  const ZoneLoadCounts& counts() const { return counts_; }

 protected:
  using Unit = std::uint64_t;  ///< zone times units of a zone, plus the place in the zone

  void fill(Request& request, command::Operation operation, Unit unit, core::Picoseconds now) const;
  /// A command that resets a zone.
  void fill_reset(Request& request, std::uint32_t zone, core::Picoseconds now) const;
  std::uint32_t zone_of(Unit unit) const { return static_cast<std::uint32_t>(unit / space_.units); }
  Unit unit_of(const Request& request) const { return (request.address - space_.first_byte) / unit_bytes_; }

  ZoneSpace space_;
  std::uint64_t unit_bytes_;
  std::uint32_t depth_;
  double read_fraction_;
  std::int32_t job_;
  core::RandomStream kinds_;
  core::RandomStream places_;
  ZoneLoadCounts counts_;
};

/// Writers that each fill a zone and take turns. Zones form a ring: a writer whose zone is full takes an empty zone, or the one that has been full
/// for the longest time, which it resets.
class ZoneRing : public ZoneLoad {
 public:
  ZoneRing(const ZoneLoadParameters& load, const ZoneSpace& space, std::int32_t first_job, std::uint64_t seed);

  bool next(Request& request, core::Picoseconds now) override;

 private:
  struct Writer {
    std::uint32_t zone = 0;
    std::uint32_t written = 0;  ///< units
  };

  /// One of the units that are written.
  Unit some_unit(std::uint64_t of);

  std::vector<Writer> writers_;
  std::size_t turn_ = 0;
  std::uint32_t fresh_ = 0;         ///< the next zone that was never written
  std::deque<std::uint32_t> full_;  ///< the oldest one first
};

/// A log of units. A write of a logical unit goes to the end of the log, and its unit before is dead. When few zones are empty, a cleaner reads the
/// live units of the full zone that has the fewest, writes them to a zone of its own, and resets the zone.
///
/// The first writes are those of all logical units in their order; later ones are at random places. A read is of a logical unit at random.
class ZoneLog : public ZoneLoad {
 public:
  using Place = std::uint32_t;  ///< a unit; kMaxUnits of zone_parameters.cpp has 24 bits
  static constexpr Place kNowhere = ~Place{0};

  ZoneLog(const ZoneLoadParameters& load, const ZoneSpace& space, std::int32_t first_job, std::uint64_t seed);

  bool next(Request& request, core::Picoseconds now) override;
  bool more() const override { return host_can() || cleaner_can(); }
  void ended(const Request& request) override;
  /// Where a logical unit is, or kNowhere.
  Place place_of(std::uint32_t logical) const { return places_of_[logical]; }
  /// The logical unit that was written there last, or kNowhere since the reset of its zone.
  std::uint32_t written_at(Place unit) const { return owners_[unit]; }
  std::uint32_t logical_units() const { return space_.logical_units; }
  std::size_t waiting() const { return waiting_.size(); }  ///< writes of the host that wait for an empty zone

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// The zone that the host or the cleaner writes.
  struct End {
    std::uint32_t zone = kNone;
    std::uint32_t written = 0;
  };
  struct Zone {
    std::uint32_t live = 0;
    std::uint32_t writes = 0;  ///< outstanding
    std::uint32_t reads = 0;   ///< of the host, outstanding
    bool full = false;
  };
  /// A live unit that the cleaner moves.
  struct Copy {
    std::uint32_t logical = 0;
    Place from = kNowhere;
  };

  bool host_can() const { return host_outstanding_ + waiting_.size() < depth_ || (!waiting_.empty() && host_has_room()); }
  bool cleaner_can() const;
  bool host_has_room() const { return host_.zone != kNone || empty_.size() > 1; }  // the cleaner needs one
  /// False if the host can issue nothing more: its writes wait for room.
  bool host_request(Request& request, core::Picoseconds now);
  void host_write(Request& request, core::Picoseconds now);
  void cleaner_request(Request& request, core::Picoseconds now);
  /// The next unit of an end, which takes an empty zone if it has none.
  Place append(End& end, std::uint32_t logical);
  /// The logical unit is at `unit` from now on.
  void move(std::uint32_t logical, Place unit);
  /// Whether its logical unit was not written elsewhere since.
  bool live(Place unit) const { return owners_[unit] != kNowhere && places_of_[owners_[unit]] == unit; }
  /// Lets the cleaner begin with the next zone, if it should. Passes over units that have died since the cleaner began with theirs.
  void advance_cleaner();
  void choose_victim();

  std::uint32_t cleaner_depth_;
  std::uint32_t reserve_;
  core::RequestClass cleaner_class_;
  std::vector<Place> places_of_;       ///< of each logical unit
  std::vector<std::uint32_t> owners_;  ///< of each unit
  std::vector<Zone> zones_;
  std::deque<std::uint32_t> empty_;
  End host_;
  End cleaner_;
  std::uint32_t filled_ = 0;                     ///< logical units that have been written
  core::RingBuffer<core::Picoseconds> waiting_;  ///< writes of the host without room: since when
  std::uint32_t host_outstanding_ = 0;
  std::uint32_t cleaner_outstanding_ = 0;
  // Of the cleaner's present zone:
  std::uint32_t victim_ = kNone;
  std::uint32_t looked_at_ = 0;                  ///< units that were read, or that are dead
  core::RingBuffer<Copy> copies_;                ///< read, and not written
  std::vector<std::pair<Place, Copy>> copying_;  ///< being written, and where to
  bool resetting_ = false;
};

/// Precondition: zone_load_objection() has nothing to say.
std::unique_ptr<ZoneLoad> make_zone_load(const ZoneLoadParameters& load, const ZoneSpace& space, std::int32_t first_job,
                                         std::uint64_t seed);

}  // namespace platter::workload
