// SPDX-License-Identifier: Apache-2.0
#include "platter/import/disksim_topology.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/core/nearest.h"

namespace platter::disksim {

const std::string* Topology::spec_of(const std::string& component) const {
  for (const Instantiation& instantiation : document_.instantiations)
    for (const Value& name : instantiation.components)
      if (name.kind == Value::Kind::Word && name.text == component) return &instantiation.type;
  return nullptr;
}

const Block& Topology::block_of(const Value& component) const {
  const std::string* spec = spec_of(component.name);
  if (spec == nullptr) throw error_at(component.place, fmt::format("nothing instantiates the component {}", component.name));
  const auto found = document_.named.find(*spec);
  if (found == document_.named.end())
    throw error_at(component.place,
                   fmt::format("there is no block {}, from which the component {} is made", *spec, component.name));
  return *found->second;
}

void Topology::walk(const Value& component, std::vector<const Value*>& path, std::vector<Candidate>& found) const {
  if (component.kind != Value::Kind::Component) return;
  if (component.text == "disksim_disk") {
    Candidate candidate;
    candidate.spec = block_of(component).name;
    candidate.component = component.name;
    candidate.place = component.place;
    candidate.path = path;
    found.push_back(std::move(candidate));
  }
  const bool between = component.text == "disksim_bus" || component.text == "disksim_ctlr";
  if (between) path.push_back(&component);
  for (const Value& below : component.items) walk(below, path, found);
  if (between) path.pop_back();
}

std::vector<Candidate> Topology::candidates() const {
  std::vector<Candidate> found;
  std::vector<const Value*> path;
  for (const Value& component : document_.topologies) walk(component, path, found);
  if (!found.empty()) return found;
  const auto is_disk = [this](const std::string& name) {
    const auto block = document_.named.find(name);
    return block != document_.named.end() && block->second->type == "disksim_disk";
  };
  for (const Instantiation& instantiation : document_.instantiations)
    if (is_disk(instantiation.type)) found.push_back({instantiation.type, "", instantiation.place, {}});
  if (!found.empty()) return found;
  for (const std::string_view type : {"disksim_disk", "dm_disk"}) {
    for (const auto& block : document_.blocks)
      if (block->type == type && document_.named.at(block->name) == block) found.push_back({block->name, "", block->place, {}});
    if (!found.empty()) break;
  }
  return found;
}

Candidate Topology::choose(const std::string& disk, const Problems& problems) const {
  std::vector<Candidate> found = candidates();
  std::vector<std::string_view> names;
  for (const Candidate& candidate : found)
    if (std::find(names.begin(), names.end(), candidate.spec) == names.end()) names.push_back(candidate.spec);
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  const std::string& file = document_.files.front();
  if (found.empty()) {
    if (!problems.empty()) throw core::ConfigError(problems);  // misspelt block types are the more likely cause
    throw core::InputError(file, 0, 0, "describes no disk, expected a block disksim_disk or dm_disk");
  }
  if (!disk.empty()) {
    for (const Candidate& candidate : found)
      if (candidate.spec == disk || candidate.component == disk) return candidate;
    throw core::InputError(file, 0, 0, fmt::format("has no disk {}{}; it has {}", disk, core::did_you_mean(disk, names), list));
  }
  if (names.size() > 1)
    throw core::InputError(file, 0, 0, fmt::format("has {} disks: {}; choose one with --disk", names.size(), list));
  return found.front();
}

void Topology::check_block_types(Problems& problems, Remarks& remarks) const {
  std::vector<std::string_view> known(kOtherBlocks.begin(), kOtherBlocks.end());
  known.insert(known.end(), kReadBlocks.begin(), kReadBlocks.end());
  for (const auto& block : document_.blocks) {
    if (std::find(known.begin(), known.end(), block->type) != known.end()) continue;
    if (core::nearest_name(block->type, known).empty())
      remark(remarks, Remark::Kind::NotCarriedOver, block->place, block->type, block->name, "unknown type of block");
    else
      report(problems, block->place, block->type, "there is no such type of block" + core::did_you_mean(block->type, known));
  }
  for (const auto& block : document_.redefined)
    remark(
        remarks, Remark::Kind::NoEffect, block->place, block->type, block->name,
        fmt::format("the block of line {} has the same name and is used instead", document_.named.at(block->name)->place.line));
}

}  // namespace platter::disksim
