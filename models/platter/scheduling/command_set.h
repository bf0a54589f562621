// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "platter/scheduling/command.h"

namespace platter::scheduling {

/// The commands of a flat policy: dense, in order of age, no allocation once its capacity is reached.
class CommandSet {
 public:
  explicit CommandSet(std::size_t capacity) { commands_.reserve(capacity); }

  void insert(const Command& command) {
    auto at = commands_.end();
    while (at != commands_.begin() && older(command, **(at - 1))) --at;  // nearly always at the end
    commands_.insert(at, &command);
  }

  void remove(Tag tag) {
    const auto at = std::find_if(commands_.begin(), commands_.end(), [tag](const Command* c) { return c->tag == tag; });
    if (at != commands_.end()) commands_.erase(at);
  }

  bool empty() const { return commands_.empty(); }
  std::size_t size() const { return commands_.size(); }
  auto begin() const { return commands_.begin(); }
  auto end() const { return commands_.end(); }
  const Command& oldest() const { return *commands_.front(); }

 private:
  std::vector<const Command*> commands_;
};

}  // namespace platter::scheduling
