// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace platter::buffer {

/// The numbers 0 … count - 1 in the order of their last use. A use takes constant time, and nothing is allocated.
class UseOrder {
 public:
  explicit UseOrder(std::size_t count) : links_(count + 1), end_(count) { clear(); }

  /// None has been used: they are in ascending order.
  void clear() {
    const std::size_t size = links_.size();
    for (std::size_t i = 0; i < size; ++i) links_[i] = {(i + size - 1) % size, (i + 1) % size};
  }
  void use(std::size_t number) {
    Link& link = links_[number];
    links_[link.older].newer = link.newer;
    links_[link.newer].older = link.older;
    Link& ends = links_[end_];
    link = {ends.older, end_};
    links_[ends.older].newer = number;
    ends.older = number;
  }

  /// From `oldest()` on, `newer()` leads to each number, and then to `end()`.
  std::size_t oldest() const { return links_[end_].newer; }
  std::size_t newest() const { return links_[end_].older; }
  std::size_t newer(std::size_t number) const { return links_[number].newer; }
  std::size_t end() const { return end_; }

 private:
  struct Link {
    std::size_t older;
    std::size_t newer;
  };

  std::vector<Link> links_;  ///< by number; that of `end_` joins the newest and the oldest number, so the links form a ring
  std::size_t end_;
};

}  // namespace platter::buffer
