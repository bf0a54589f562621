// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "platter/scheduling/command.h"

namespace platter::scheduling {

/// The commands of a flat policy: dense, in order of age, no allocation up to its capacity.
class CommandSet {
 public:
  /// `capacity`: most commands at once.
  explicit CommandSet(std::size_t capacity) { commands_.reserve(capacity); }

  /// Takes a command in, which must live until it is removed.
  void insert(const Command& command) {
    auto at = commands_.end();
    while (at != commands_.begin() && older(command, **(at - 1))) --at;  // nearly always at the end
    commands_.insert(at, &command);
  }

  /// Takes a command out. Returns false if there is none with this tag.
  bool remove(Tag tag) {
    const auto at = std::find_if(commands_.begin(), commands_.end(), [tag](const Command* c) { return c->tag == tag; });
    if (at == commands_.end()) return false;
    commands_.erase(at);
    return true;
  }

  bool empty() const { return commands_.empty(); }              ///< Are there no commands?
  std::size_t size() const { return commands_.size(); }         ///< number of commands
  auto begin() const { return commands_.begin(); }              ///< pointers to the commands, the oldest first
  auto end() const { return commands_.end(); }                  ///< the end of these pointers
  const Command& oldest() const { return *commands_.front(); }  ///< precondition: not empty

 private:
  std::vector<const Command*> commands_;
};

}  // namespace platter::scheduling
