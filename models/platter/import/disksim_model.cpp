// SPDX-License-Identifier: Apache-2.0
#include "platter/import/disksim_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "platter/core/nearest.h"

namespace platter::disksim {

namespace fs = std::filesystem;

void ModelReader::read_model(const Block& block) {
  const Reader model(block, model_table(), carrier_.problems);
  const auto part = [&](std::string_view key, std::string_view type, std::string_view or_type = {}) -> const Block* {
    const Assignment* found = model.find(key);
    if (found == nullptr || !found->value.block) return nullptr;
    if (found->value.block->type == type || found->value.block->type == or_type) return found->value.block.get();
    report(carrier_.problems, found->value.place, key,
           fmt::format("found {}, expected a block {}{}{}", found->value.what(), type, or_type.empty() ? "" : " or ", or_type));
    return nullptr;
  };
  const Block* mechanics_block = part("Mechanical Model", "dm_mech_g1");
  const Block* layout_block = part("Layout Model", "dm_layout_g1", "dm_layout_g4");
  const bool patterns = layout_block != nullptr && layout_block->type == "dm_layout_g4";
  std::optional<Reader> mechanics;
  std::optional<Reader> layout;
  if (mechanics_block != nullptr) mechanics.emplace(*mechanics_block, mechanics_table(), carrier_.problems);
  if (layout_block != nullptr)
    layout.emplace(*layout_block, patterns ? pattern_layout_table() : layout_table(), carrier_.problems);
  carrier_.stop_on_problems();
  carrier_.carry(model);
  carrier_.remark_on(Remark::Kind::NoEffect, model, "Block count", "");  // removed again if the value is right
  carrier_.carry(*mechanics);
  carrier_.carry(*layout);
  carrier_.stop_on_problems();
  const std::string access = mechanics->word("Access time type");
  if (access != "trackSwitchPlusRotation") {
    if (access == "constant" || access == "averageRotation")
      carrier_.remark_on(Remark::Kind::NoEffect, *mechanics, "Access time type", "DiskSim 4.0 always computes the access time");
    else
      report(carrier_.problems, mechanics->place("Access time type"), "Access time type",
             fmt::format("found {}, expected trackSwitchPlusRotation, averageRotation or constant", access));
  }
  read_seek(*mechanics);
  if (patterns)
    PatternLayoutReader(carrier_).read_layout(*layout, model);
  else
    LayoutReader(carrier_).read_layout(*layout);
}

void ModelReader::read_seek(const Reader& mechanics) {
  struct SeekType {
    std::string_view name;
    std::vector<std::string_view> keys;
  };
  static const std::vector<SeekType> types = {
      {"constant", {"Constant seek time"}},
      {"linear", {"Single cylinder seek time", "Average seek time", "Full strobe seek time"}},
      {"curve", {"Single cylinder seek time", "Average seek time", "Full strobe seek time"}},
      {"hpl", {"HPL seek equation values"}},
      {"hplplus10", {"HPL seek equation values", "First ten seek times"}},
      {"extracted", {"Full seek curve"}},
  };
  const std::string name = mechanics.word("Seek type");
  const auto type = std::find_if(types.begin(), types.end(), [&name](const SeekType& t) { return t.name == name; });
  if (type == types.end()) {
    std::vector<std::string_view> names;
    std::string list;
    for (const SeekType& t : types) {
      names.push_back(t.name);
      list += (list.empty() ? "" : ", ") + std::string(t.name);
    }
    report(carrier_.problems, mechanics.place("Seek type"), "Seek type",
           fmt::format("found {}, expected one of {}{}", name, list, core::did_you_mean(name, names)));
    return;
  }
  std::set<std::string_view> all;
  for (const SeekType& t : types) all.insert(t.keys.begin(), t.keys.end());
  const std::size_t before = carrier_.problems.size();
  for (const std::string_view key : all) {
    const Assignment* found = mechanics.find(key);
    const bool wanted = std::find(type->keys.begin(), type->keys.end(), key) != type->keys.end();
    if (wanted && found == nullptr)
      report(carrier_.problems, mechanics.place(), key, fmt::format("is missing: Seek type {} needs it", name));
    if (!wanted && found != nullptr)
      remark(carrier_.import.remarks, Remark::Kind::NoEffect, found->place, key,
             found->value.kind == Value::Kind::List ? "a list" : found->value.text,
             fmt::format("Seek type {} does not use it", name));
  }
  if (carrier_.problems.size() != before) return;

  profile::SeekProfile& seek = carrier_.import.profile.seek;
  if (name == "extracted") return read_seek_file(mechanics);
  if (name == "constant") {
    const double us = mechanics.microseconds("Constant seek time");
    seek.points_us = {{1, us}, {2, us}};
    return carrier_.remark_on(Remark::Kind::Changed, mechanics, "Seek type",
                              "carried over as DiskSim's manual says, because DiskSim's code for it is defective");
  }
  if (name == "linear" || name == "curve") return read_three_points(mechanics, name == "curve");

  std::vector<double> values;
  if (!read_list(mechanics, "HPL seek equation values", 6, values)) return;
  seek.model = profile::SeekModel::SqrtLinear;
  // The first value is in cylinders; the square root applies below it.
  seek.knee_cylinders = static_cast<std::uint32_t>(std::clamp(values[0] / 1000 - 1, 0.0, 1e6));
  seek.a_us = values[1];
  seek.b_us = values[2];
  seek.c_us = values[3];
  seek.d_us = values[4];
  if (name == "hpl") {
    if (values[5] != -1000) seek.points_us = {{1, values[5]}};
    return;
  }
  std::vector<double> ten;
  if (!read_list(mechanics, "First ten seek times", 10, ten)) return;
  for (std::size_t i = 0; i < ten.size(); ++i) seek.points_us.emplace_back(static_cast<std::uint32_t>(i + 1), ten[i]);
}

/// Reads a list of times; of a longer list only the first `count`.
bool ModelReader::read_list(const Reader& mechanics, std::string_view key, std::size_t count, std::vector<double>& us) {
  const Value& list = mechanics.find(key)->value;
  if (list.items.size() < count) {
    report(carrier_.problems, list.place, key, fmt::format("has {} values, expected {}", list.items.size(), count));
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Value& value = list.items[i];
    const bool may_be_negative = count == 6 && i == 5;
    if (!value.is_number() || (value.real < 0 && !may_be_negative)) {
      report(carrier_.problems, value.place, key, fmt::format("found {}, expected a number from 0", value.what()));
      return false;
    }
    us.push_back(value.shifted(3));
  }
  return true;
}

void ModelReader::read_seek_file(const Reader& mechanics) {
  const Assignment& assignment = *mechanics.find("Full seek curve");
  const fs::path file = fs::path(*mechanics.place().file).parent_path() / assignment.value.text;
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    throw error_at(assignment.value.place, fmt::format("the seek curve {}: no such file", file.string()));
  std::vector<SeekPoint> points = read_seek_curve(file);
  carrier_.import.files.push_back(file.string());
  const auto by_distance = [](const SeekPoint& a, const SeekPoint& b) { return a.distance < b.distance; };
  const auto name = std::make_shared<const std::string>(file.string());
  const auto changed = [&](std::size_t line, std::uint32_t distance, const std::string& why) {
    remark(carrier_.import.remarks, Remark::Kind::Changed, {name, line, 1}, "seek distance", std::to_string(distance), why);
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!by_distance(points[i], points[i - 1])) continue;
    changed(points[i].line, points[i].distance, "the distances are not in ascending order; they are sorted here");
    break;
  }
  std::stable_sort(points.begin(), points.end(), by_distance);
  auto& table = carrier_.import.profile.seek.points_us;
  auto& writes = carrier_.import.profile.seek.write_points_us;
  for (const SeekPoint& point : points) {
    if (point.distance == 0) {
      if (point.us != 0) changed(point.line, 0, "a seek of no distance takes no time");
    } else if (!table.empty() && table.back().first == point.distance) {
      changed(point.line, point.distance, "is given twice; the first one is used");
    } else {
      table.emplace_back(point.distance, point.us);
      if (point.write_us) writes.emplace_back(point.distance, *point.write_us);
    }
  }
  if (table.empty()) {
    report(carrier_.problems, {name, points.front().line, 1}, "", "holds no distance above 0");
    return;
  }
  remark_doubtful(points, name);
  if (!writes.empty()) {
    if (writes.size() == 1) writes.emplace_back(writes.front().first + 1, writes.front().second);
    if (carrier_.import.profile.write_settle_us != 0)
      carrier_.remark_on(Remark::Kind::Changed, mechanics, "Add. write settling delay",
                         "here 0, because the seek curve's times of writes contain it");
    carrier_.import.profile.write_settle_us = 0;
  }
  if (table.size() == 1) table.emplace_back(table.front().first + 1, table.front().second);
  if (table.front().first > 1)
    changed(points.front().line, table.front().first, "is the shortest distance; its time is also used for shorter ones");
}

/// Adds a remark for each point that lies below or above all of the nearest two on either side, by more than a tenth of its own time. A seek
/// over a longer distance takes longer: the measured curves of drives stray by less, beside single wrong values.
void ModelReader::remark_doubtful(const std::vector<SeekPoint>& points, const std::shared_ptr<const std::string>& name) {
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    double least = points[i + 1].us;
    double most = least;
    const std::size_t last = std::min(i + 2, points.size() - 1);
    for (std::size_t other = i < 2 ? 0 : i - 2; other <= last; ++other) {
      if (other == i) continue;
      least = std::min(least, points[other].us);
      most = std::max(most, points[other].us);
    }
    const double us = points[i].us;
    if (points[i].distance == 0 || (us >= least / 1.1 && us <= most / 0.9)) continue;
    remark(carrier_.import.remarks, Remark::Kind::Doubtful, {name, points[i].line, 1}, "seek distance",
           std::to_string(points[i].distance),
           fmt::format("takes {:g} us, {} its neighbours, which take {:g} to {:g}: a wrong measurement?", us,
                       us < least ? "less than all" : "more than all", least, most));
  }
}

/// Reads three seek times, and makes a line or curve through them.
void ModelReader::read_three_points(const Reader& mechanics, bool curve) {
  const double one = mechanics.microseconds("Single cylinder seek time");
  const double average = mechanics.microseconds("Average seek time");
  const double full = mechanics.microseconds("Full strobe seek time");
  const std::uint32_t cylinders = carrier_.import.profile.geometry.cylinders;
  const double count = cylinders;
  profile::SeekProfile& seek = carrier_.import.profile.seek;
  // Lee (1993): the mean over all pairs of cylinders is the average time.
  const double root = (-10 * one + 15 * average - 5 * full) / (3 * std::sqrt(count));
  const double slope = (7 * one - 15 * average + 8 * full) / (3 * count);
  if (curve && average > one && root >= 0 && slope >= 0 && cylinders >= 8) {
    const auto time = [&](double distance) { return one + root * std::sqrt(distance - 1) + slope * (distance - 1); };
    seek.model = profile::SeekModel::ThreePoint;  // the same curve, given by three of its points
    seek.single_us = one;
    seek.average_us = time((count - 1) / 3);
    seek.full_us = time(count - 1);
    return carrier_.remark_on(Remark::Kind::Changed, mechanics, "Seek type",
                              "carried over as DiskSim's manual says, because DiskSim's code for it is defective");
  }
  const auto line = [&](double distance) {
    return distance <= count / 3 ? one + 3 * (distance - 1) / count * (average - one)
                                 : average + (3 * distance - count) / (2 * count) * (full - average);
  };
  std::set<std::uint32_t> distances{1, 2, cylinders / 3, cylinders / 3 + 1, std::max(cylinders, 2u) - 1};
  distances.erase(0);
  for (const std::uint32_t distance : distances) seek.points_us.emplace_back(distance, line(distance));
  carrier_.remark_on(Remark::Kind::Changed, mechanics, "Seek type",
                     curve ? "no such curve goes through these times, so straight lines are used, as DiskSim's manual says"
                           : "carried over as DiskSim's manual says, because DiskSim's code for it is defective");
}

}  // namespace platter::disksim
