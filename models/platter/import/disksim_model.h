// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platter/import/disksim_carrier.h"
#include "platter/mechanics/geometry.h"
#include "platter/mechanics/tree_layout.h"

namespace platter::disksim {

/// Reads a dm_disk: mechanics and layout.
class ModelReader {
 public:
  explicit ModelReader(Carrier& carrier) : carrier_(carrier) {}
  void read_model(const Block& block);

 private:
  void read_seek(const Reader& mechanics);
  void read_seek_file(const Reader& mechanics);
  void remark_doubtful(const std::vector<SeekPoint>& points, const std::shared_ptr<const std::string>& name);
  void read_three_points(const Reader& mechanics, bool curve);
  bool read_list(const Reader& mechanics, std::string_view key, std::size_t count, std::vector<double>& us);

  Carrier& carrier_;
};

/// Reads a dm_layout_g1: geometry, zones, spares and defects.
class LayoutReader {
 public:
  explicit LayoutReader(Carrier& carrier) : carrier_(carrier) {}
  void read_layout(const Reader& layout);

 private:
  void read_zone(const Reader& zone, const std::string& layout_units);
  void read_sparing(const Reader& zone, profile::ZoneProfile& profile);
  std::vector<std::uint32_t> read_slips(const Reader& zone, std::uint32_t places);
  void drop_slips_without_spares(const Reader& zone, profile::ZoneProfile& profile);
  void read_defects(const Reader& zone, profile::ZoneProfile& profile);
  bool holds_block(const mechanics::Geometry& geometry, const profile::ZoneProfile& zone, std::uint32_t physical) const;
  profile::GeometryProfile with_only(const profile::ZoneProfile& zone) const;

  Carrier& carrier_;
  std::uint32_t scheme_ = 0;  ///< of sparing
  std::uint32_t range_ = 1;   ///< cylinders
};

/// Reads a dm_layout_g4: a tree of patterns, slips and remaps.
class PatternLayoutReader {
 public:
  explicit PatternLayoutReader(Carrier& carrier) : carrier_(carrier) {}
  void read_layout(const Reader& layout, const Reader& model);

 private:
  class Nodes;

  void read_slips(const Reader& layout, const mechanics::TreeLayout& tree);
  void read_remaps(const Reader& layout);

  Carrier& carrier_;
};

}  // namespace platter::disksim
