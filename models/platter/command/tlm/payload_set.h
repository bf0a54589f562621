// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace platter::command {

/// The payloads that a TLM target has received and not yet given back, by address. Allocates only when it must grow.
class PayloadSet {
 public:
  /// False if the payload is in the set already.
  bool insert(const void* payload) {
    if (kPlaces * (size_ + 1) > table_.size()) grow();
    std::size_t at = home(payload);
    for (; table_[at] != nullptr; at = next(at))
      if (table_[at] == payload) return false;
    table_[at] = payload;
    ++size_;
    return true;
  }

  /// No effect if it is not in the set.
  void erase(const void* payload) {
    if (size_ == 0) return;
    std::size_t hole = home(payload);
    for (; table_[hole] != payload; hole = next(hole))
      if (table_[hole] == nullptr) return;
    --size_;
    // Linear probing: what follows moves up where the hole would cut it off from its home.
    for (std::size_t at = next(hole); table_[at] != nullptr; at = next(at)) {
      if (((at - home(table_[at])) & (table_.size() - 1)) < ((at - hole) & (table_.size() - 1))) continue;
      table_[hole] = table_[at];
      hole = at;
    }
    table_[hole] = nullptr;
  }

  std::size_t size() const { return size_; }

 private:
  /// The highest bits of the product: of addresses at equal distances, as payloads of one pool have, these differ most evenly.
  std::size_t home(const void* payload) const {
    return static_cast<std::size_t>((std::uint64_t{reinterpret_cast<std::uintptr_t>(payload)} * 0x9E37'79B9'7F4A'7C15u) >>
                                    shift_);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (table_.size() - 1); }

  void grow() {
    std::vector<const void*> smaller(table_.empty() ? 64 : 2 * table_.size(), nullptr);
    shift_ = table_.empty() ? 64 - 6 : shift_ - 1;
    smaller.swap(table_);
    size_ = 0;
    for (const void* payload : smaller)
      if (payload != nullptr) insert(payload);
  }

  static constexpr std::size_t kPlaces = 4;  ///< at least, for each payload: so few that collide, wherever they lie in memory
  std::vector<const void*> table_;           ///< 2^(64 - shift_)
  unsigned shift_ = 0;
  std::size_t size_ = 0;
};

}  // namespace platter::command
