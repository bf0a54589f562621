// SPDX-License-Identifier: Apache-2.0
#include "platter/sheet/make_drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "platter/core/random.h"
#include "platter/params/describe.h"
#include "platter/profile/parameters.h"
#include "platter/sheet/seek_fit.h"
#include "platter/sheet/track_plan.h"

namespace platter::sheet {

namespace {

constexpr double kFullShare = 1.93;       // full stroke over the average
constexpr double kSkewTurns = 0.07;       // from track to track
constexpr double kServoFractions = 128;   // of a turn
constexpr double kHeadSwitchShare = 0.9;  // of a seek to the next track
constexpr std::uint32_t kLeastCylinders = 1000;
// The drive from which the density of tracks of others is scaled: 22 TB on 20 surfaces with 560,000 tracks.
constexpr double kScaleTracks = 560000;
constexpr double kScaleBytes = 1.1e12;
constexpr std::uint32_t kSegments = 32;
constexpr std::uint32_t kWriteSegments = 11;

double rounded(double value, int digits) {
  double factor = 1;
  for (int i = 0; i < digits; ++i) factor *= 10;
  return std::floor(value * factor + 0.5) / factor;
}

/// A number, and what made it.
struct Known {
  double value = 0;
  std::string why;
};

class Maker {
 public:
  explicit Maker(const Sheet& sheet) : sheet_(sheet) {}
  NewDrive make();

 private:
  bool is_given(std::string_view key) const { return (sheet_.*sheet_row(key).field).has_value(); }
  double given(std::string_view key) const { return *(sheet_.*sheet_row(key).field); }
  std::string source_of(const std::string& key) const {
    const auto found = sheet_.sources.find(key);
    return found != sheet_.sources.end() ? " (" + found->second + ")" : " (of the sheet)";
  }
  bool has_cache() const { return is_given("cache") && given("cache") > 0; }
  /// The sheet's number.
  Known stated(const std::string& key) const {
    return {given(key), fmt::format("{} {}{}", key, show_quantity(given(key), sheet_row(key).measure), source_of(key))};
  }
  /// The sheet's number, or the one that a rule or an assumption makes.
  Known number(const std::string& key, double otherwise, const std::string& rule) const {
    if (is_given(key)) return stated(key);
    const char* kind = rule.rfind("rule: ", 0) == 0 ? "" : "assumed: ";
    return {otherwise, fmt::format("{} {}, {}{}", key, show_quantity(otherwise, sheet_row(key).measure), kind, rule)};
  }
  /// A contradiction; `key` is reported with its position.
  void object(const std::string& key, const std::string& message) {
    params::Position at = sheet_.at(key);
    if (at.file.empty()) at.file = "drive new";
    const bool option = at.line == 0 && sheet_.positions.count(key) != 0;
    problems_.push_back({at.file, at.line, at.column, option ? "" : key, message});
  }
  void stop_on_problems() const {
    if (!problems_.empty()) throw core::ConfigError(problems_);
  }
  void because(const std::string& key, const std::string& reason) { drive_.reasons[key] = reason; }

  void take_size();
  void take_seeks();
  void plan_tracks();
  void fit_curves();
  void set_skews();
  void set_electronics();
  void state_others();
  double skew_for(double us) const { return std::ceil(us / turn_us_ * kServoFractions - 1e-9) / kServoFractions; }
  double write_seek_us(std::uint32_t distance) const {
    return std::max(seek_us(profile_.seek.points_us, distance), seek_us(profile_.seek.write_points_us, distance));
  }

  const Sheet& sheet_;
  NewDrive drive_;
  profile::DriveProfile& profile_ = drive_.profile;
  std::vector<core::ConfigProblem> problems_;
  double turn_us_ = 0;
  double block_bytes_ = 512;
  std::uint64_t blocks_ = 0;
  SeekNumbers reads_;
  SeekNumbers writes_;
  std::string reads_why_;
  std::string writes_why_;
};

NewDrive Maker::make() {
  for (const char* key : {"rpm", "heads"})
    if (!is_given(key)) object(key, fmt::format("is missing: {}", sheet_row(key).meaning));
  if (!is_given("capacity") && !is_given("sectors")) object("capacity", "is missing: the capacity, or the number of sectors");
  if (sheet_.name.empty()) object("name", "is missing: name of the drive");
  if (sheet_.write_cache == "on" && !has_cache()) object("write_cache", "found on, expected off, or a buffer by the key cache");
  stop_on_problems();
  profile_ = sheet_.given;
  profile_.name = sheet_.name;
  profile_.source = sheet_.source.empty() ? "data sheet" : sheet_.source;
  because("format", "");
  because("name", "");
  because("source", "");
  take_size();
  take_seeks();
  stop_on_problems();
  plan_tracks();
  stop_on_problems();
  fit_curves();
  set_skews();
  set_electronics();
  state_others();
  return std::move(drive_);
}

void Maker::take_size() {
  profile::GeometryProfile& geometry = profile_.geometry;
  const Known rpm = stated("rpm");
  profile_.rpm = rpm.value;
  because("mechanics.rpm", rpm.why);
  turn_us_ = 60e6 / rpm.value;
  const Known heads = stated("heads");
  geometry.surfaces = static_cast<std::uint32_t>(heads.value);
  because("geometry.surfaces", heads.why);

  const Known block = number("sector_bytes", 512, "the usual block");
  block_bytes_ = block.value;
  geometry.sector_bytes = static_cast<std::uint32_t>(block.value);
  because("geometry.sector_bytes", block.why);

  const double bytes = is_given("capacity") ? given("capacity") : given("sectors") * block_bytes_;
  const Known physical =
      number("physical_sector", bytes >= 2e12 ? std::max(4096.0, block_bytes_) : block_bytes_, "sectors of 4 KiB from 2 TB on");
  geometry.physical_sector_bytes = static_cast<std::uint32_t>(physical.value);
  because("geometry.physical_sector_bytes", physical.why);
  if (std::fmod(physical.value, block_bytes_) != 0 || physical.value < block_bytes_)
    object("physical_sector",
           fmt::format("found {:.0f} bytes, expected a multiple of a block of {:.0f}", physical.value, block_bytes_));

  // The numbers of blocks that makers agreed on, of 512 bytes.
  constexpr double kStep = 0x1p21;
  const double gigabytes = bytes * 1e-9;
  const bool large = bytes >= 8e12;
  const double agreed = large             ? std::ceil(bytes / 512 / kStep) * kStep
                        : gigabytes >= 50 ? 97696368 + 1953504 * (std::floor(gigabytes + 0.5) - 50)
                                          : std::floor(bytes / 512);
  const Known sectors = number("sectors", std::floor(agreed * 512 / block_bytes_),
                               fmt::format("rule: {} of {}",
                                           large             ? "SFF-8447: the next multiple of 2^21"
                                           : gigabytes >= 50 ? "IDEMA LBA1-03"
                                                             : "all blocks",
                                           show_quantity(bytes, Measure::Size)));
  blocks_ = static_cast<std::uint64_t>(sectors.value);
  geometry.blocks = static_cast<std::int64_t>(blocks_);
  because("geometry.blocks", (is_given("capacity") ? stated("capacity").why + "; " : "") + sectors.why +
                                 "; what the tracks hold beyond it is spare");
  constexpr double kTolerance = 0.02;
  if (is_given("capacity") && is_given("sectors") && std::abs(sectors.value * block_bytes_ / bytes - 1) > kTolerance)
    object("sectors", fmt::format("found {:.0f}, expected about {:.0f}: sectors x bytes of a sector is the capacity",
                                  sectors.value, bytes / block_bytes_));
}

void Maker::take_seeks() {
  // Published averages of drives of that speed.
  const double rpm = profile_.rpm;
  const double usual = rpm < 8600 ? 7400 : rpm < 12500 ? 3800 : 2900;
  const char* whose = rpm < 8600    ? "as the Ultrastar HC310, the 7,200 rpm drive with a published one"
                      : rpm < 12500 ? "as the Savvio 10K.4, the 10,000 rpm drive with a published one"
                                    : "as the C15K600, the 15,000 rpm drive with a published one";
  const Known average = is_given("seek_full") && !is_given("seek_average")
                            ? number("seek_average", rounded(given("seek_full") / kFullShare, 0),
                                     "seek_full / 1.93, the mean of 12 drives (1.67 to 2.27)")
                            : number("seek_average", usual, whose);
  const Known single = number("seek_single", 300, "0.20 to 0.45 ms on drives since 2008");
  const Known full =
      number("seek_full", rounded(kFullShare * average.value, 0), "1.93 x seek_average, the mean of 12 drives (1.67 to 2.27)");
  reads_ = {single.value, average.value, full.value};
  reads_why_ = fmt::format("{}; {}; {}", single.why, average.why, full.why);

  const Known write_single =
      number("seek_write_single", single.value + 200, "seek_single + 0.2 ms (0.1 to 0.3 on other drives)");
  const Known write_average =
      number("seek_write_average", average.value + 600, "seek_average + 0.6 ms (0.2 to 1.0 on other drives)");
  const Known write_full = number("seek_write_full", full.value + (write_average.value - average.value),
                                  "longer than a read's by as much as the average is");
  writes_ = {write_single.value, write_average.value, write_full.value};
  writes_why_ = fmt::format("{}; {}; {}", write_single.why, write_average.why, write_full.why);

  const auto check = [this](const std::string& begin, const SeekNumbers& n) {
    const std::string key = [&] {
      for (const char* end : {"full", "average", "single"})
        if (is_given(begin + end)) return begin + end;
      return std::string("seek_full");
    }();
    if (n.full_us <= n.average_us)
      object(key,
             fmt::format("found a full stroke of {:g} ms and an average of {:g} ms, expected a full stroke that takes longer",
                         n.full_us * 1e-3, n.average_us * 1e-3));
    else if (n.average_us <= n.single_us)
      object(is_given(begin + "average") ? begin + "average" : key,
             fmt::format("found an average of {:g} ms and {:g} ms to the next track, expected an average that takes longer",
                         n.average_us * 1e-3, n.single_us * 1e-3));
  };
  check("seek_", reads_);
  if (problems_.empty()) check("seek_write_", writes_);
}

void Maker::plan_tracks() {
  profile::GeometryProfile& geometry = profile_.geometry;
  const double turns_per_s = 1e6 / turn_us_;
  const double per_rate = 1 / (turns_per_s * block_bytes_);  // blocks of a track that passes at 1 byte/s
  const double switch_us = std::max(reads_.single_us, writes_.single_us);
  const bool slow_switch = skew_for(switch_us) > kSkewTurns;
  const Known skew = number("track_skew", slow_switch ? skew_for(switch_us) : kSkewTurns,
                            slow_switch ? "rule: a seek of a write to the next track, rounded up to 1/128 turn"
                                        : "0.06 to 0.2 turn on drives since 2012; it covers a seek to the next track");
  geometry.track_skew_turns = rounded(skew.value, 6);
  because("geometry.track_skew_turns", skew.why);

  // The sectors of a track as they are stated, or as the rate needs them. A rate above the stated sectors is objected to.
  const auto track_of = [&](const char* sectors, const char* rate, const char* how) -> std::optional<Known> {
    if (is_given(sectors)) {
      Known track = stated(sectors);
      if (is_given(rate) && given(rate) * per_rate > track.value)
        object(rate, fmt::format("found {}, expected at most {:.1f} MB/s: {:.0f} sectors of {:.0f} bytes x {:g} turns/s",
                                 show_quantity(given(rate), Measure::Rate), track.value / per_rate * 1e-6, track.value,
                                 block_bytes_, turns_per_s));
      return track;
    }
    if (is_given(rate)) return Known{given(rate) * (1 + skew.value) * per_rate, stated(rate).why + how};
    return std::nullopt;
  };
  const double surfaces = geometry.surfaces;
  const double scaled_tracks = std::floor(kScaleTracks * std::sqrt(double(blocks_) * block_bytes_ / surfaces / kScaleBytes));
  Known outer;
  Known inner;
  if (const std::optional<Known> track =
          track_of("sectors_outer", "rate_outer", " x (1 + track skew) / turns per second / bytes of a sector")) {
    outer = *track;
  } else {
    const double tracks = is_given("tracks") ? given("tracks") : scaled_tracks;
    outer.value = double(blocks_) / (tracks * surfaces) * 2 / (kMeanFactor * (1 + kInnerShare));
    outer.why = is_given("tracks") ? stated("tracks").why + ", from which the mean track follows"
                                   : fmt::format(
                                         "no rate is known; assumed: {:.0f} tracks a surface, 560,000 x the root of its "
                                         "capacity over 1.1 TB (as a drive of 22 TB)",
                                         tracks);
  }
  if (const std::optional<Known> track = track_of("sectors_inner", "rate_inner", ", likewise")) {
    inner = *track;
  } else {
    inner = {outer.value * kInnerShare,
             "the innermost track has 0.47 of the outermost one, assumed (0.44 to 0.60 on other drives)"};
  }
  const std::string inner_key = is_given("sectors_inner")   ? "sectors_inner"
                                : is_given("rate_inner")    ? "rate_inner"
                                : is_given("sectors_outer") ? "sectors_outer"
                                                            : "rate_outer";
  if (inner.value > outer.value)
    object(inner_key,
           fmt::format("found {:.0f} sectors on the innermost track and {:.0f} on the outermost one, expected no more inside",
                       inner.value, outer.value));
  const Known zones =
      number("zones", is_given("year") && given("year") < 2012 ? 15 : 50,
             is_given("year") && given("year") < 2012 ? "14 or 15 on drives of 2007" : "45 to 60 on drives since 2012");
  const std::uint32_t whole = geometry.blocks_per_physical_sector();
  if (!(inner.value >= whole && outer.value <= profile::kMaxTrackSectors))
    object(inner_key, fmt::format("found {:.0f} to {:.0f} sectors on a track, expected {} to {}", inner.value, outer.value,
                                  whole, profile::kMaxTrackSectors));
  stop_on_problems();

  const Known deviation = number("density_deviation", 0.03, "heads of one drive differ by about 3 %");
  const Known seed = number("seed", 1, "any other one gives another drive of the kind");
  core::RandomStream densities(static_cast<std::uint64_t>(seed.value), "densities of the surfaces");
  std::vector<double> drawn;
  double mean = 0;
  for (std::uint32_t i = 0; i < geometry.surfaces; ++i) {
    drawn.push_back(deviation.value * densities.normal());
    mean += drawn.back() / surfaces;
  }
  double left = surfaces;  // what the other surfaces have
  for (std::uint32_t i = 0; i < geometry.surfaces; ++i) {
    const double density = i + 1 < geometry.surfaces ? rounded(1 + drawn[i] - mean, 4) : rounded(left, 4);
    geometry.surface_densities.push_back(density);
    left -= density;
  }
  because("geometry.surface_densities",
          fmt::format("{}; drawn from a normal distribution, sum kept; {}", deviation.why, seed.why));

  TrackNumbers tracks{outer.value, inner.value, static_cast<std::uint32_t>(zones.value), whole, geometry.surface_densities};
  const std::string holds = fmt::format("{:.0f} blocks outside, {:.0f} inside, mean 1.03 x theirs", outer.value, inner.value);
  if (is_given("tracks")) {
    geometry.cylinders = static_cast<std::uint32_t>(given("tracks"));
    because("geometry.cylinders", stated("tracks").why);
    if (const std::uint64_t room = blocks_on(tracks, geometry.cylinders); room < blocks_) {
      if (!is_given("rate_outer") && !is_given("sectors_outer")) {  // rounding only: the tracks were made to hold them
        while (blocks_on(tracks, geometry.cylinders) < blocks_) tracks.outer += whole;
      } else {
        object("tracks",
               fmt::format(
                   "found {}, but {} surfaces of so many tracks hold {} blocks ({}), expected at least {}, the stated capacity",
                   geometry.cylinders, geometry.surfaces, room, holds, blocks_));
      }
    }
  } else {
    geometry.cylinders = cylinders_for(tracks, blocks_, profile::kMaxCylinders);
    because("geometry.cylinders", fmt::format("the least number that holds the blocks; the mean track has 1.03 x ({:.0f} + "
                                              "{:.0f}) / 2 blocks (1.00 to 1.06 on 11 drives)",
                                              outer.value, inner.value));
    const std::string key = is_given("rate_outer") ? "rate_outer" : is_given("sectors_outer") ? "sectors_outer" : "heads";
    if (geometry.cylinders > profile::kMaxCylinders)
      object(key, fmt::format("found too little for the capacity: {} surfaces ({}) would need more than {} tracks each; rate x "
                              "turn x tracks is the capacity",
                              geometry.surfaces, holds, profile::kMaxCylinders));
    else if (geometry.cylinders < kLeastCylinders)
      object(key, fmt::format("found too much for the capacity: {} surfaces ({}) would need {} tracks each, expected at least "
                              "{}; rate x turn x tracks is the capacity",
                              geometry.surfaces, holds, geometry.cylinders, kLeastCylinders));
  }
  stop_on_problems();

  geometry.layout = profile::LayoutKind::Bands;
  geometry.mapping = profile::Mapping::Serpentine;
  because("geometry.layout", "assumed: bands of tracks on one surface, as on the drives since 2012 whose layout was measured");
  because("geometry.mapping", "assumed: the surfaces in descending order in every other group of bands");
  const Known band = number("band", 128, "115 to 315 on drives since 2012");
  geometry.band_tracks = static_cast<std::uint32_t>(band.value);
  because("geometry.band_tracks", band.why);

  const std::vector<std::uint32_t> sectors = zone_sectors(tracks);
  for (std::uint32_t zone = 0; zone < tracks.zones; ++zone) {
    profile::ZoneProfile& one = geometry.zones.emplace_back();
    one.first_cylinder = zone_begin(zone, tracks.zones, geometry.cylinders);
    one.last_cylinder = zone_begin(zone + 1, tracks.zones, geometry.cylinders) - 1;
    one.sectors_per_track = sectors[zone];
  }
  because("geometry.zone.first_cylinder", fmt::format("{}; all have the same number of cylinders", zones.why));
  because("geometry.zone.last_cylinder", "");
  because("geometry.zone.sectors_per_track", fmt::format("outermost: {}; innermost: {}; between them linear, and a bulge that "
                                                         "makes the mean 1.03 times theirs; whole physical sectors",
                                                         outer.why, inner.why));

  for (const auto& [n, begin] : {std::pair{&reads_, "seek_"}, {&writes_, "seek_write_"}})
    if (const std::string why = seek_objection(*n, geometry.cylinders); !why.empty()) {
      std::string key = std::string(begin) + "average";
      for (const char* end : {"average", "full", "single"})
        if (is_given(std::string(begin) + end)) {
          key = std::string(begin) + end;
          break;
        }
      object(key, why);
    }
}

void Maker::fit_curves() {
  const std::uint32_t cylinders = profile_.geometry.cylinders;
  const auto fit = [&](const SeekNumbers& numbers, SeekPoints& points, const std::string& why) {
    const SeekFit made = fit_seek(numbers, cylinders);
    points = made.points;
    return fmt::format(
        "{}. t(d) = single + {:.4f} ms x min(1, ln d / ln 1000) + the time of an arm that has full speed from {:.0f} cylinders "
        "on ({}), so that the average of the manuals is met",
        why, made.delta_us * 1e-3, made.knee,
        made.delta_us > 0 ? "0.32 of all" : "less than 0.32 of all, because the settling cannot be negative");
  };
  profile_.seek.model = profile::SeekModel::Table;
  because("seek.model", "points of the curve below");
  because("seek.points_us", fit(reads_, profile_.seek.points_us, reads_why_));
  because("seek.write_points_us", fit(writes_, profile_.seek.write_points_us, writes_why_));
  profile_.head_switch_us = rounded(kHeadSwitchShare * reads_.single_us, 1);
  because("mechanics.head_switch_us",
          "assumed: 0.9 of a seek to the next track; the seek over the shift of the surfaces takes longer");
}

void Maker::set_skews() {
  profile::GeometryProfile& geometry = profile_.geometry;
  const Known most = number("misalignment", 63, "up to 63 tracks on the one drive where it was measured (Toshiba P300)");
  core::RandomStream shifts(static_cast<std::uint64_t>(sheet_.seed.value_or(1)), "shifts of the surfaces");
  const auto limit = static_cast<std::uint64_t>(most.value);
  for (std::uint32_t i = 0; i < geometry.surfaces; ++i)
    geometry.surface_shifts_tracks.push_back(double(shifts.below(limit + 1)));
  because("geometry.surface_shifts_tracks", most.why + "; drawn evenly");

  double largest = 0;  // between neighbouring surfaces
  for (std::uint32_t i = 1; i < geometry.surfaces; ++i)
    largest = std::max(largest, std::abs(geometry.surface_shifts_tracks[i] - geometry.surface_shifts_tracks[i - 1]));
  const auto seek = [this](double tracks) {
    return tracks < 1 ? profile_.head_switch_us : write_seek_us(static_cast<std::uint32_t>(tracks));
  };
  const double band = geometry.band_tracks;
  const Known head = number("head_skew", skew_for(seek(largest)),
                            fmt::format("rule: a seek of a write over {:.0f} tracks, the largest shift between neighbouring "
                                        "surfaces, rounded up to 1/128 turn",
                                        largest));
  const Known turn =
      number("band_skew", skew_for(seek(geometry.surfaces % 2 == 0 ? band : 1)),
             fmt::format("rule: a seek of a write to the next group, over {:.0f} tracks, rounded up to 1/128 turn",
                         geometry.surfaces % 2 == 0 ? band : 1));
  const Known zone{is_given("band_skew") ? turn.value : skew_for(seek(band + most.value)),
                   is_given("band_skew")
                       ? "as band_skew"
                       : "rule: a seek of a write over a band and the largest shift, rounded up to 1/128 turn"};
  geometry.head_skew_turns = rounded(head.value, 6);
  geometry.band_skew_turns = rounded(turn.value, 6);
  geometry.zone_skew_turns = rounded(zone.value, 6);
  because("geometry.head_skew_turns", head.why);
  because("geometry.band_skew_turns", turn.why);
  because("geometry.zone_skew_turns", zone.why);

  const Known near =
      number("spread_near", 100, "the median of five drives of 1996 to 1999 is 0.09 ms; none is known of a drive of today");
  const Known far =
      number("spread_far", 200, "the median of five drives of 1996 to 1999 is 0.21 ms; none is known of a drive of today");
  profile_.arrival_spread_us = {{0, near.value}, {1, far.value}};
  because("mechanics.arrival_spread_us", near.why + "; " + far.why);
}

void Maker::set_electronics() {
  const bool sas = sheet_.interface == "sas";
  const std::string interface = fmt::format("interface {}{}", sheet_.interface,
                                            sheet_.positions.count("interface") != 0 ? source_of("interface") : ", assumed");
  const bool cached = sheet_.write_cache.empty() ? !sas : sheet_.write_cache == "on";
  const Known overhead = sas ? number("overhead", 200, "three manuals of SAS drives")
                             : number("overhead", 300, "a few tenths of a millisecond with SATA");
  const Known hit = number("cached_overhead", 30, "30 us, and the transfer");
  profile_.overhead.read_miss_us = {overhead.value, overhead.value};
  profile_.overhead.read_hit_us = {hit.value, hit.value};
  const bool fast_writes = cached && has_cache();
  const double write = fast_writes ? hit.value : overhead.value;
  profile_.overhead.write_us = {write, write};
  for (const char* last : {"read", "write"}) {
    because(fmt::format("overhead.read_hit_after_{}_us", last), hit.why);
    because(fmt::format("overhead.read_miss_after_{}_us", last), interface + "; " + overhead.why);
    because(fmt::format("overhead.write_after_{}_us", last),
            fast_writes ? "a cached write: " + hit.why : "as a read from the media: the write is not cached");
  }

  const double newest = sas && !(is_given("year") && given("year") < 2013) ? 1200e6 : 600e6;
  const Known rate =
      number("interface_rate", newest, sas ? (newest > 1e9 ? "SAS of 12 Gbit/s" : "SAS of 6 Gbit/s") : "SATA of 6 Gbit/s");
  profile_.bus_read_block_us = profile_.bus_write_block_us = rounded(block_bytes_ / rate.value * 1e6, 4);
  for (const char* key : {"bus.read_block_us", "bus.write_block_us"}) because(key, interface + "; " + rate.why);

  profile::CacheProfile& cache = profile_.cache;
  if (has_cache()) {
    cache.segments = kSegments;
    cache.segment_blocks = static_cast<std::uint32_t>(std::max(1.0, given("cache") / kSegments / block_bytes_));
    cache.read_ahead = profile::ReadAhead::Segment;
    cache.read_ahead_blocks = profile_.geometry.zones.front().sectors_per_track;
    cache.read_ahead_on_hit = true;
    cache.keep_read_blocks = true;
    cache.write_back = fast_writes ? profile::WriteBack::Interleaved : profile::WriteBack::Off;
    cache.write_segments = fast_writes ? kWriteSegments : 0;
    because("cache.segments", "assumed: 32, as many as the Cheetah 15K.5 of 2007 has");
    because("cache.segment_blocks", stated("cache").why + " over the segments");
    because("cache.read_ahead", "assumed: ahead of every read that leaves the drive without another command");
    because("cache.read_ahead_blocks", "assumed: as many as the outermost track has");
    because("cache.read_ahead_on_hit", "assumed: a stream that is read from the buffer goes on");
    because("cache.keep_read_blocks", "assumed: a buffer of this size keeps what the host has read");
    because("cache.write_back", sheet_.write_cache.empty()
                                    ? "assumed: on with SATA, off with SAS"
                                    : fmt::format("write_cache {}{}", sheet_.write_cache, source_of("write_cache")));
    because("cache.write_segments",
            fast_writes ? "assumed: a third of the segments, as on the Cheetah 15K.5" : "no writes are cached");
  }
  const Known depth = sas ? number("queue_depth", 128, "the interface allows more, and makers differ")
                          : number("queue_depth", 32, "32 tags of SATA's NCQ");
  profile_.queue_depth = static_cast<std::uint32_t>(depth.value);
  because("queue.depth", depth.why);
  profile_.task_attributes = sas;
  because("queue.task_attributes", interface);
  if (sheet_.positions.count("controller.overhead_overlap") == 0) {
    profile_.overhead_overlap = true;
    because("controller.overhead_overlap", "assumed: commands are prepared while the arm serves others");
  }
}

void Maker::state_others() {
  for (const auto& [key, position] : sheet_.positions) {
    const std::string section = key.substr(0, key.find('.'));
    if (section == key || section == "sources") continue;
    because(key, "stated" + source_of(section));
  }
}

}  // namespace

NewDrive make_drive(const Sheet& sheet) { return Maker(sheet).make(); }

std::string profile_text(const NewDrive& drive, const Sheet& sheet) {
  profile::DriveProfile profile = drive.profile;
  params::Grammar grammar;
  profile::add_to(grammar, profile);
  const std::string from = sheet.file.empty() ? "the options of its command line"
                                              : "the sheet " + std::filesystem::path(sheet.file).filename().string();
  return fmt::format(
             "# Made by `platter drive new` from {}.\n# Above each value is the number of the sheet, the rule or the "
             "assumption that made it "
             "(docs/reference/data_sheet.md).\n",
             from) +
         params::commented_toml(grammar, drive.reasons);
}

}  // namespace platter::sheet
