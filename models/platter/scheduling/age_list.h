// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/scheduling/command.h"

namespace platter::scheduling {

/// Commands in order of age, linked by their tags: insertion at the end, removal and look-up take a constant time, without allocation.
class AgeList {
 public:
  /// Tags are below `capacity`.
  explicit AgeList(std::size_t capacity) : links_(capacity) {}

  void insert(const Command& command) {
    std::size_t before = last_;
    while (before != kNone && older(command, *links_[before].command)) before = links_[before].previous;  // nearly never
    const std::size_t index = command.tag.value;
    const std::size_t after = before != kNone ? links_[before].next : first_;
    links_[index] = {&command, before, after};
    (before != kNone ? links_[before].next : first_) = index;
    (after != kNone ? links_[after].previous : last_) = index;
  }

  /// Does nothing if the command is not there.
  void remove(Tag tag) {
    const Link link = links_[tag.value];
    if (link.command == nullptr) return;
    (link.previous != kNone ? links_[link.previous].next : first_) = link.next;
    (link.next != kNone ? links_[link.next].previous : last_) = link.previous;
    links_[tag.value] = {};
  }

  bool contains(Tag tag) const { return links_[tag.value].command != nullptr; }
  bool empty() const { return first_ == kNone; }
  /// Null if there is none.
  const Command* oldest() const { return first_ != kNone ? links_[first_].command : nullptr; }
  const Command* youngest() const { return last_ != kNone ? links_[last_].command : nullptr; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Link {
    const Command* command = nullptr;
    std::size_t previous = kNone;
    std::size_t next = kNone;
  };

  std::vector<Link> links_;  ///< by tag
  std::size_t first_ = kNone;
  std::size_t last_ = kNone;
};

}  // namespace platter::scheduling
