// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace platter::core {

/// Object pool; grows to peak use.
template <typename T>
class Pool {
 public:
  /// Returns an idle object in the state in which its last user left it, or a new one constructed with `arguments`.
  template <typename... Arguments>
  T& take(Arguments&&... arguments) {
    if (idle_.empty()) {
      all_.push_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
      idle_.reserve(all_.size());
      return *all_.back();
    }
    T& item = *idle_.back();
    idle_.pop_back();
    return item;
  }
  void give_back(T& item) { idle_.push_back(&item); }

  const std::vector<std::unique_ptr<T>>& all() const { return all_; }
  std::size_t in_use() const { return all_.size() - idle_.size(); }

 private:
  std::vector<std::unique_ptr<T>> all_;
  std::vector<T*> idle_;
};

}  // namespace platter::core
