// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platter/import/disksim_tables.h"

namespace platter::disksim {

/// A candidate for the disk to import, and the parts between it and the host.
struct Candidate {
  std::string spec;       ///< name of its block
  std::string component;  ///< empty: not part of a topology
  Place place;
  std::vector<const Value*> path;  ///< buses and controllers, outermost first
};

/// Finds the blocks of a document that make up a disk.
class Topology {
 public:
  explicit Topology(const Document& document) : document_(document) {}

  void check_block_types(Problems& problems, Remarks& remarks) const;
  /// The disk of this name, or the only one. Throws core::InputError. Throws core::ConfigError with the problems found so far if there is no disk.
  Candidate choose(const std::string& disk, const Problems& problems) const;
  /// The block that a component of the topology is made from. Throws core::InputError.
  const Block& block_of(const Value& component) const;

 private:
  std::vector<Candidate> candidates() const;
  void walk(const Value& component, std::vector<const Value*>& path, std::vector<Candidate>& found) const;
  const std::string* spec_of(const std::string& component) const;

  const Document& document_;
};

}  // namespace platter::disksim
