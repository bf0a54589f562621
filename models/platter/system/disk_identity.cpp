// SPDX-License-Identifier: Apache-2.0
#include "platter/system/disk_identity.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "platter/core/error.h"
#include "platter/drive/zone_keeper.h"
#include "platter/mapping/zones/zones.h"
#include "platter/mechanics/geometry.h"

namespace platter::system {

namespace {

/// FNV-1a.
std::uint64_t digest(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

}  // namespace

media::DiskIdentity disk_identity(const Scenario& s, std::uint32_t number) {
  const mechanics::Geometry geometry(s.drive.geometry);
  media::DiskIdentity identity;
  identity.drive = s.drive.name;
  identity.sectors = geometry.block_count();
  identity.sector_bytes = geometry.sector_bytes();
  identity.torn_together = geometry.blocks_per_physical_sector();
  identity.number = number;
  const auto drive = configuration(s).at("drive");
  std::string beside = s.drive.geometry.actuators > 1 ? drive.at("actuators").dump() : "";
  if (s.drive.zones.model != profile::ZoneModel::None) {
    const zones::ZoneOptions zones = zones::options_of(s.drive, identity.sectors);
    beside = drive.at("zones").dump();
    identity.zones = zones::Zones(zones).count();
  }
  identity.layout = digest(drive.at("geometry").dump() + beside);
  if (s.eager.enabled) {
    identity.block_bytes = s.eager.block_bytes;
    identity.headers = identity.sectors;
    identity.seed = static_cast<std::uint64_t>(s.run.seed);
  }
  return identity;
}

std::vector<std::uint64_t> save_power_image(const Scenario& s, const drive::Drive& drive, std::uint32_t number,
                                            const std::filesystem::path& path) {
  if (s.eager.enabled) throw std::invalid_argument("path: an image of a drive with eager writing cannot be written");
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) throw std::invalid_argument(fmt::format("path: {} exists", path.string()));
  try {
    media::DiskFile file(path, disk_identity(s, number));
    const drive::DurableImage image = drive.power_loss_image();
    std::vector<std::uint64_t> unreadable = image.media.save(file);
    image.defects.save(file);
    if (image.zones) drive::ZoneKeeper::save(*image.zones, file);
    return unreadable;
  } catch (const core::InputError& error) {
    throw std::invalid_argument(fmt::format("path: {}", error.what()));
  }
}

}  // namespace platter::system
