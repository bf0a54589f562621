// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/simulated_disks.h"

#include <algorithm>
#include <stdexcept>

#include "platter/core/random.h"
#include "platter/core/sc_time.h"

namespace platter::host::media_server {

namespace {

constexpr core::Picoseconds kRound = kRoundTime * core::kPicosecondsPerNanosecond;

}  // namespace

SimulatedDisks::SimulatedDisks(const AdmissionRunOptions& options, const profile::DriveProfile& profile,
                               const engine::EngineFactory& create_engine)
    : options_(options) {
  drive::DriveConfig config;
  config.profile = profile;
  config.holds_data = false;
  config.guard_quantile = options.guard_quantile;
  for (std::uint32_t i = 0; i < options.disks; ++i) {
    const std::string name = "disk" + std::to_string(i);
    config.seed = core::RandomStream(options.seed, name).bits();
    disks_.push_back(std::make_unique<drive::Drive>(name.c_str(), config, create_engine));
  }
  array::ArrayConfig layer;
  layer.drives = options.disks;
  layer.sector_bytes = disks_[0]->planner().geometry().sector_bytes();
  layer.drive_bytes = disks_[0]->capacity_sectors() * layer.sector_bytes;
  layer.tags = profile.queue_depth;
  layer.holds_data = false;
  array::StripeArea area;  // the disks are concatenated, because the server places its data itself
  area.unit_bytes = layer.drive_bytes;
  area.bytes = layer.drive_bytes * options.disks;
  layer.areas = {area};
  array_ = std::make_unique<array::Array>("array", layer);
  for (std::uint32_t i = 0; i < options.disks; ++i) array_->disk_init_sockets[i].bind(disks_[i]->host_tgt_socket);
  disk_bytes_ = layer.drive_bytes;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates, so that commands can be submitted
}

core::Picoseconds SimulatedDisks::busy(std::size_t phase) const {
  core::Picoseconds busy = 0;
  for (std::uint32_t disk = 0; disk < options_.disks; ++disk)
    if (works(disk, phase)) busy += disks_[disk]->busy(core::now_ps());
  return busy;
}

bool SimulatedDisks::on_failed(Range<Fragment> fragments, std::size_t phase) const {
  return std::any_of(fragments.begin(), fragments.end(),
                     [this, phase](const Fragment& f) { return !works(f.disk, phase) && f.blocks > 0; });
}

void SimulatedDisks::round(const StoredLibrary& library, const AdmissionControl& control,
                           const std::vector<Playback>& playbacks) {
  const Round now = control.now();
  const bool fails = options_.failure && now == options_.failure->round;
  const std::size_t phase = !options_.failure || now < options_.failure->round ? 0 : fails ? 1 : 2;
  SimulatedRounds& counted = phases_[phase];
  ++counted.rounds;
  round_begin_ = core::now_ps();
  const core::Picoseconds busy_before = busy(phase);
  if (fails) disks_[options_.failure->disk]->set_alive(false);
  current_.clear();
  for (const Playback& playback : playbacks) {
    if (!playback.active(now)) continue;
    const Round own = now - playback.admission.start;
    const StoredStream& stream = library.streams[playback.stream];
    if (stream.primary(own).blocks == 0) continue;
    ++counted.stream_rounds;
    StreamRound& of = stream_rounds_.take();
    of = {};
    of.phase = phase;
    of.on_way = 1;  // keeps the round from ending before all reads are submitted
    current_.push_back(&of);
    Copy copy = playback.admission.copies[static_cast<std::size_t>(own)];
    if (phase == 2 && on_failed(stream.fragments(copy, own), phase)) {  // not yet in the round of the failure
      copy = copy == Copy::Primary ? Copy::Backup : Copy::Primary;
      if (stream.fragments(copy, own).empty()) of.lost = true;
    }
    for (const Fragment& fragment : stream.fragments(copy, own)) {
      if (works(fragment.disk, phase))
        accounted_[phase] += options_.times.access(std::uint64_t{fragment.blocks} * options_.block_bytes);
      read(library.strides[playback.stream], playback.storing * library.set_blocks[fragment.disk], copy, fragment, of);
    }
    --of.on_way;
  }
  sc_core::sc_start(core::to_sc_time(kRound));
  const std::uint64_t late_before = counted.late;
  for (StreamRound* of : current_) {
    of->late = of->on_way > 0;
    if (of->lost)
      ++counted.lost;
    else if (of->late)
      ++counted.late;
    if (!of->late) stream_rounds_.give_back(*of);
  }
  counted.late_rounds += counted.late > late_before ? 1 : 0;
  busy_[phase] += busy(phase) - busy_before;
  for (std::uint32_t disk = 0; disk < options_.disks; ++disk)
    if (works(disk, phase)) reserved_[phase] += control.reserved(now, disk);
}

void SimulatedDisks::read(const StrideMap& strides, std::uint64_t offset_blocks, Copy copy, const Fragment& fragment,
                          StreamRound& of) {
  const StrideMap::Place place = strides.locate(copy, fragment);
  for (std::uint32_t i = 0; i < place.count; ++i) {
    Read& read = reads_.take();
    read.of = &of;
    read.client = this;
    read.cls = core::RequestClass::Continuous;
    read.address = fragment.disk * disk_bytes_ + (offset_blocks + place.extents[i].first_block) * options_.block_bytes;
    read.length = place.extents[i].blocks * options_.block_bytes;
    read.deadline = round_begin_ + kRound;
    ++of.on_way;
    ++phases_[of.phase].reads;
    array_->submit(read);
  }
}

void SimulatedDisks::finished(array::ArrayRequest& request) {
  auto& read = static_cast<Read&>(request);
  StreamRound& of = *read.of;
  if (read.status != command::CommandStatus::Good) of.lost = true;
  reads_.give_back(read);
  if (--of.on_way == 0 && of.late) stream_rounds_.give_back(of);
}

std::uint64_t SimulatedDisks::decisions() const {
  std::uint64_t decisions = 0;
  for (const auto& disk : disks_)
    for (std::size_t i = 0; i < disk->actuators(); ++i) decisions += disk->engine(i).statistics().decisions;
  return decisions;
}

std::array<SimulatedRounds, 3> SimulatedDisks::result() const {
  std::array<SimulatedRounds, 3> phases = phases_;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases[i].rounds == 0) continue;
    const double all =
        static_cast<double>(kRoundTime) * static_cast<double>(phases[i].rounds) * (options_.disks - (i > 0 ? 1 : 0));
    if (all == 0) continue;
    phases[i].busy_share = static_cast<double>(busy_[i]) / core::kPicosecondsPerNanosecond / all;
    phases[i].accounted_share = static_cast<double>(accounted_[i]) / all;
    phases[i].reserved_share = static_cast<double>(reserved_[i]) / all;
  }
  return phases;
}

}  // namespace platter::host::media_server
