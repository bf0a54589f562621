// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <random>

#include "platter/buffer/segment_buffer.h"
#include "platter/system/drives.h"

namespace {

using namespace platter;
using core::Lba;
using core::Picoseconds;

/// Places all over a measured drive, the same in every run.
struct Places {
  explicit Places(const char* name) : profile(system::load_drive(name)), planner(profile) {
    std::mt19937_64 random(1);
    for (std::uint64_t& block : blocks) block = random() % (planner.geometry().block_count() - 8);
  }
  profile::DriveProfile profile;
  mechanics::AccessPlanner planner;
  std::array<std::uint64_t, 4096> blocks{};
};

const Places& places() {
  static const Places all("cheetah9lp");
  return all;
}

void BlockToPlace(benchmark::State& state) {
  const Places& p = places();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(p.planner.geometry().to_physical(Lba(p.blocks[i++ % p.blocks.size()])));
}
BENCHMARK(BlockToPlace);

/// The same on 22 TB: 60 zones on 20 surfaces of different density, bands of 128 tracks.
void BlockToPlaceInBands(benchmark::State& state) {
  profile::GeometryProfile profile;
  profile.layout = profile::LayoutKind::Bands;
  profile.cylinders = 560000;
  profile.surfaces = 20;
  profile.band_tracks = 128;
  profile.mapping = profile::Mapping::Serpentine;
  for (std::uint32_t z = 0; z < 60; ++z) {
    profile::ZoneProfile zone;
    zone.first_cylinder = z * 9333;
    zone.last_cylinder = zone.first_cylinder + 9332;
    zone.sectors_per_track = 5068 - z * 45;
    profile.zones.push_back(zone);
  }
  for (std::uint32_t h = 0; h < 20; ++h) profile.surface_densities.push_back(0.97 + 0.003 * h);
  const mechanics::Geometry geometry(profile);
  std::mt19937_64 random(1);
  std::array<std::uint64_t, 4096> blocks{};
  for (std::uint64_t& block : blocks) block = random() % geometry.block_count();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(geometry.to_physical(Lba(blocks[i++ % blocks.size()])));
}
BENCHMARK(BlockToPlaceInBands);

void Resolve(benchmark::State& state) {
  const Places& p = places();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(p.planner.resolve(Lba(p.blocks[i++ % p.blocks.size()]), 8, false));
}
BENCHMARK(Resolve);

void Estimate(benchmark::State& state) {
  const Places& p = places();
  std::vector<mechanics::Extent> extents;
  for (const std::uint64_t block : p.blocks) extents.push_back(p.planner.resolve(Lba(block), 8, false));
  const mechanics::HeadState head{};
  Picoseconds now = 0;
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(p.planner.estimate(head, extents[i++ % extents.size()], now += 12345));
}
BENCHMARK(Estimate);

/// A random read through the buffer: looked for, read, read-ahead begun, looked at a while later, stopped.
void ReadThroughBuffer(benchmark::State& state) {
  const Places& p = places();
  profile::CacheProfile cache;
  cache.segments = 16;
  cache.segment_blocks = 512;
  cache.read_ahead = profile::ReadAhead::NextTrack;
  buffer::SegmentBuffer buffer(p.planner, cache);
  Picoseconds now = 0;
  std::size_t i = 0;
  for (auto _ : state) {
    const Lba first(p.blocks[i++ % p.blocks.size()]);
    benchmark::DoNotOptimize(buffer.find(first, 8, now));
    const std::size_t segment = buffer.read_done(first, 8, 0, nullptr);
    buffer.start_read_ahead(segment, first, 8, {}, now);
    mechanics::HeadState place;
    benchmark::DoNotOptimize(buffer.stop(now + core::kPicosecondsPerMillisecond, place));
    now += 5 * core::kPicosecondsPerMillisecond;
  }
}
BENCHMARK(ReadThroughBuffer);

}  // namespace
