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
