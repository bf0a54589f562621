// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace platter::core {

/// First in, first out; allocates only when it must grow (std::deque allocates all the time).
template <typename T>
class RingBuffer {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T& front() const { return items_[head_]; }
  /// Precondition: place < size().
  T& operator[](std::size_t place) { return items_[(head_ + place) & (items_.size() - 1)]; }

  void push_back(const T& item) {
    if (size_ == items_.size()) grow();
    items_[(head_ + size_) & (items_.size() - 1)] = item;
    ++size_;
  }
  void pop_front() {
    head_ = (head_ + 1) & (items_.size() - 1);
    --size_;
  }
  /// Removes those for which `leaves` is true, and returns how many. The others keep their order.
  template <typename Predicate>
  std::size_t remove_if(Predicate leaves) {
    const std::size_t before = size_;
    for (std::size_t left = before; left > 0; --left) {
      const T item = front();
      pop_front();
      if (!leaves(item)) push_back(item);
    }
    return before - size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 16 : items_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = items_[(head_ + i) & (items_.size() - 1)];
    items_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> items_;  // a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace platter::core
