// SPDX-License-Identifier: Apache-2.0
#include "platter/import/disksim_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "platter/import/disksim_model.h"
#include "platter/import/disksim_topology.h"
#include "platter/mechanics/access_planner.h"

namespace platter::disksim {

namespace fs = std::filesystem;
using profile::DriveProfile;

namespace {

/// Reads a whole disk: overheads, cache, bus; layout and mechanics by ModelReader.
class Importer {
 public:
  Importer(const Document& document, ImportOptions options)
      : document_(document), options_(std::move(options)), topology_(document) {}
  Import run();

 private:
  void read_disk(const Block& block, const Candidate& candidate);
  void read_bus(const Reader& disk, const Candidate& candidate);
  void read_overheads(const Reader& disk);
  void read_extra_disconnect(const Reader& disk);
  void read_cache(const Reader& disk);

  const Document& document_;
  ImportOptions options_;
  Topology topology_;
  Carrier carrier_;
};

Import Importer::run() {
  carrier_.import.files = document_.files;
  topology_.check_block_types(carrier_.problems, carrier_.import.remarks);
  const Candidate candidate = topology_.choose(options_.disk, carrier_.problems);
  const Block& block = *document_.named.at(candidate.spec);
  DriveProfile& profile = carrier_.import.profile;
  profile.name = options_.name.empty() ? candidate.spec : options_.name;
  // Overheads that were measured on a drive contain its firmware's time.
  profile.firmware_base_cycles = 0;
  profile.firmware_candidate_cycles = 0;
  if (block.type == "dm_disk") {
    profile.bus_overlap = false;
    ModelReader(carrier_).read_model(block);
    remark(carrier_.import.remarks, Remark::Kind::NotCarriedOver, block.place, block.type, block.name,
           "holds layout and mechanics only, so overheads, bus and cache stay empty");
  } else {
    if (block.type != "disksim_disk")
      throw error_at(block.place, fmt::format("{} is a {}, expected a disksim_disk", block.name, block.type));
    read_disk(block, candidate);
  }
  carrier_.stop_on_problems();
  try {
    const mechanics::AccessPlanner planner(profile);
    carrier_.import.blocks = planner.geometry().block_count();
  } catch (const std::invalid_argument& error) {
    throw error_at(block.place, fmt::format("the disk {} cannot be built: {}", block.name, error.what()));
  }
  const bool patterns = profile.geometry.layout == profile::LayoutKind::Tree;
  for (Remark& entry : carrier_.import.remarks)
    if (entry.key == "Block count")
      entry.why = fmt::format("the {} {} blocks, and only this number has an effect", patterns ? "layout holds" : "zones hold",
                              carrier_.import.blocks);
  const auto is_right = [&](const Remark& entry) {  // with patterns it is the number of the last block
    return entry.key == "Block count" && (entry.value == std::to_string(carrier_.import.blocks) ||
                                          (patterns && entry.value == std::to_string(carrier_.import.blocks - 1)));
  };
  carrier_.import.remarks.erase(std::remove_if(carrier_.import.remarks.begin(), carrier_.import.remarks.end(), is_right),
                                carrier_.import.remarks.end());
  const auto order = [this](const Remark& entry) {
    const auto file = std::find(carrier_.import.files.begin(), carrier_.import.files.end(), entry.file);
    return std::make_tuple(entry.kind, file - carrier_.import.files.begin(), entry.line, entry.column);
  };
  std::stable_sort(carrier_.import.remarks.begin(), carrier_.import.remarks.end(),
                   [&order](const Remark& a, const Remark& b) { return order(a) < order(b); });
  return std::move(carrier_.import);
}

void Importer::read_disk(const Block& block, const Candidate& candidate) {
  const Reader disk(block, disk_table(), carrier_.problems);
  if (const Assignment* queue = disk.find("Scheduler"); queue != nullptr && queue->value.block) {
    if (queue->value.block->type == "disksim_ioqueue") {
      carrier_.carry(Reader(*queue->value.block, queue_table(), carrier_.problems));
    } else {
      report(carrier_.problems, queue->value.place, "Scheduler",
             fmt::format("found {}, expected a block disksim_ioqueue", queue->value.what()));
    }
  }
  if (const Assignment* model = disk.find("Model"); model != nullptr && model->value.block) {
    if (model->value.block->type == "dm_disk")
      ModelReader(carrier_).read_model(*model->value.block);
    else
      report(carrier_.problems, model->value.place, "Model",
             fmt::format("found {}, expected a block dm_disk", model->value.what()));
  }
  carrier_.stop_on_problems();
  carrier_.time_scale = disk.number("Time scale for overheads");
  carrier_.per_request_us = disk.microseconds("Per-request overhead time");
  carrier_.carry(disk);
  read_overheads(disk);
  read_extra_disconnect(disk);
  read_cache(disk);
  read_bus(disk, candidate);

  const double depth = disk.number("Max queue length");
  if (carrier_.import.profile.bus_never_disconnect) {
    carrier_.import.profile.queue_depth = 1;
    if (depth > 1)
      carrier_.remark_on(Remark::Kind::Changed, disk, "Max queue length",
                         "here 1, because no command comes while another one keeps the bus");
    return;
  }
  if (depth > 1) carrier_.set_drive("queue.depth", std::min(depth, 256.0), disk, "Max queue length");
  if (depth > 256) carrier_.remark_on(Remark::Kind::Changed, disk, "Max queue length", "a queue has at most 256 tags");
}

void Importer::read_bus(const Reader& disk, const Candidate& candidate) {
  const double own = std::max(0.0, disk.microseconds("Bulk sector transfer time"));
  if (disk.number("Bulk sector transfer time") < 0)
    carrier_.remark_on(Remark::Kind::Changed, disk, "Bulk sector transfer time",
                       "read as 0; extraction tools write a negative time where they could measure none");
  std::array<double, 2> block_us{own, own};  // to the host, from it
  std::array<std::string, 2> from{"Bulk sector transfer time", "Bulk sector transfer time"};
  bool nearest_bus = true;
  bool nearest_controller = true;
  // The slowest of the disk, its bus and the controller at the other end determines the block time.
  for (auto part = candidate.path.rbegin(); part != candidate.path.rend(); ++part) {
    const Value& component = **part;
    const bool is_bus = component.text == "disksim_bus";
    const Block& block = topology_.block_of(component);
    if (block.type != component.text) {
      report(carrier_.problems, component.place, component.name,
             fmt::format("is made of {}, a {}, expected a {}", block.name, block.type, component.text));
      continue;
    }
    const std::size_t before = carrier_.problems.size();
    const Reader reader(block, is_bus ? bus_table() : controller_table(), carrier_.problems);
    if (carrier_.problems.size() != before) continue;
    bool& nearest = is_bus ? nearest_bus : nearest_controller;
    if (!nearest) {
      for (const Row& row : reader.table())
        if (row.fate == Fate::Used && reader.number(row.key) != 0)
          carrier_.remark_on(Remark::Kind::NotCarriedOver, reader, row.key,
                             "belongs to a part that is further from the drive than its own bus");
    } else if (is_bus) {
      block_us[0] = std::max(block_us[0], reader.microseconds("Read block transfer time"));
      block_us[1] = std::max(block_us[1], reader.microseconds("Write block transfer time"));
    } else {
      for (double& us : block_us) us = std::max(us, reader.microseconds("Bulk sector transfer time"));
    }
    nearest = false;
    reader.remark_lost(carrier_.import.remarks);
  }
  carrier_.set_drive("bus.read_block_us", block_us[0], disk, "Bulk sector transfer time");
  carrier_.set_drive("bus.write_block_us", block_us[1], disk, "Bulk sector transfer time");

  // Up to level 1 the arm waits until the data of the last command has left the drive.
  const double preseeking = disk.number("Preseeking level");
  carrier_.import.profile.bus_overlap = preseeking == 2;
  if (preseeking == 1)
    carrier_.remark_on(Remark::Kind::Changed, disk, "Preseeking level",
                       "read as 0, which differs by the completion overhead only");

  // The watermark at which a read's transfer begins.
  const double high = disk.number("High (read) water mark");
  if (disk.flag("Set watermark by reqsize")) {
    carrier_.set_drive("bus.read_watermark", high, disk, "High (read) water mark");
  } else if (const double blocks = std::ceil(high * disk.number("Segment size (in blks)")); blocks > 1) {
    carrier_.import.profile.bus_read_watermark = 1;
    carrier_.remark_on(
        Remark::Kind::Changed, disk, "High (read) water mark",
        fmt::format(
            "a share of the segment in DiskSim, and of the request here; both are the same for reads of up to {} blocks",
            blocks));
  }
  if (disk.number("Read disconnect afterwrite") != disk.number("Read disconnect afterread"))
    carrier_.remark_on(Remark::Kind::Changed, disk, "Read disconnect afterwrite",
                       "the value of Read disconnect afterread is used");
}

void Importer::read_overheads(const Reader& disk) {
  // With write caching every write has the overheads of a "hit", whatever the buffer holds; without it those of a "miss".
  const bool cached = disk.number("Fast write level") != 0;
  for (const std::string last : {"read", "write"}) {
    const std::string hit = "Write hit over. after " + last;
    const std::string miss = "Write miss over. after " + last;
    const std::string& taken = cached ? hit : miss;
    const std::string& left = cached ? miss : hit;
    if (const Assignment* found = disk.find(taken))
      carrier_.set_drive("overhead.write_after_" + last + "_us", carrier_.scaled(found->value, Scale::Command), disk, taken);
    if (disk.number(left) != 0 && disk.number(left) != disk.number(taken))
      carrier_.remark_on(Remark::Kind::NoEffect, disk, left,
                         fmt::format("at Fast write level {:g} every write is a \"{}\"", disk.number("Fast write level"),
                                     cached ? "hit" : "miss"));
  }
  if (disk.number("Minimum seek delay") != 0)
    carrier_.remark_on(Remark::Kind::Changed, disk, "Minimum seek delay",
                       "applies to writes on the track under the head only; seeks are longer");
}

/// Handles a write that releases the bus before its data has arrived.
void Importer::read_extra_disconnect(const Reader& disk) {
  const bool extra = disk.flag("Extra write disconnect");
  if (disk.number("Other reselect overhead") != 0)
    carrier_.remark_on(extra ? Remark::Kind::NotCarriedOver : Remark::Kind::NoEffect, disk, "Other reselect overhead",
                       extra ? "a write releases the bus only once here" : "it has an effect only with Extra write disconnect");
  for (const std::string_view key :
       {"Extradisc disconnect overhead", "Extradisc inter-disconnect delay", "Extradisc 2nd disconnect overhead",
        "Extradisc command overhead", "Extradisc seek delta"}) {
    if (disk.number(key) == 0) continue;
    if (!extra)
      carrier_.remark_on(Remark::Kind::NoEffect, disk, key, "it has an effect only with Extra write disconnect");
    else
      carrier_.remark_on(Remark::Kind::NotCarriedOver, disk, key, "a write releases the bus only once here");
  }
  if (!extra) return;
  // DiskSim lets such a drive write its first sector when this many blocks have arrived (15 for writes of 45 blocks or more).
  carrier_.import.profile.bus_write_watermark_blocks = 10;
  carrier_.remark_on(Remark::Kind::Changed, disk, "Extra write disconnect",
                     "writing begins with 10 blocks in the buffer; DiskSim waits for 15 blocks if the write has 45 or more");
}

void Importer::read_cache(const Reader& disk) {
  profile::CacheProfile& cache = carrier_.import.profile.cache;
  if (!disk.flag("Enable caching in buffer")) cache.segments = 0;
  if (disk.number("Enable caching in buffer") == 2)
    carrier_.remark_on(Remark::Kind::Changed, disk, "Enable caching in buffer", "read as 1");
  // A zero-latency drive works in whole tracks, and keeps blocks that the host has received. DiskSim has no parameter for this: there all
  // drives keep them.
  cache.keep_read_blocks = carrier_.import.profile.zero_latency_read;
  const double level = disk.number("Buffer continuous read");
  const double least = disk.number("Minimum read-ahead (blks)");
  const double most = std::max(disk.number("Maximum read-ahead (blks)"), least);
  if (level != 0) carrier_.set_drive("cache.read_ahead_blocks", most, disk, "Maximum read-ahead (blks)");
  if (level != 0 && least != 0)
    carrier_.remark_on(Remark::Kind::NotCarriedOver, disk, "Minimum read-ahead (blks)", "any command stops the read-ahead");
  if (most != 0 && (level == 0 || level == 4))
    carrier_.remark_on(
        Remark::Kind::NoEffect, disk, "Maximum read-ahead (blks)",
        level == 0 ? "there is no read-ahead" : "at Buffer continuous read 4 the track alone limits the read-ahead");
  if (level != 0 && disk.find("Allow almost read hits") != nullptr) {
    if (disk.flag("Allow almost read hits"))
      carrier_.remark_on(
          Remark::Kind::Changed, disk, "Allow almost read hits",
          "holds for all blocks that the read-ahead has yet to fetch; in DiskSim only for the block under the head");
    else
      carrier_.remark_on(Remark::Kind::Doubtful, disk, "Allow almost read hits",
                         "a read that comes just before its first block ends the read-ahead and waits a turn, so a faster host "
                         "gets less; extraction tools write 0 without a measurement");
  }
  const double over = disk.number("Read-ahead over requested");
  cache.read_ahead_from_request_start = over != 0;
  if (over == -1)
    carrier_.remark_on(Remark::Kind::Changed, disk, "Read-ahead over requested",
                       "read as 1; DiskSim drops a read's blocks from the segment when they have been sent");
  else if (over != 0 && (level == 0 || level == 4 || most != 0))
    carrier_.remark_on(Remark::Kind::NoEffect, disk, "Read-ahead over requested",
                       "it has an effect only where the segment's size alone limits the read-ahead");
}

}  // namespace

Import import_drive(const fs::path& file, const ImportOptions& options) {
  const Document document = read_document(file);
  Import import = Importer(document, options).run();
  std::string files;
  for (const std::string& name : import.files) files += (files.empty() ? "" : ", ") + relative_name(name, import);
  import.profile.name = plain(import.profile.name);
  import.profile.source = "DiskSim 4.0 parameters: " + files;
  return import;
}

}  // namespace platter::disksim
