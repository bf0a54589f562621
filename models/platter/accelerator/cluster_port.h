// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "platter/accelerator/accelerator_program.h"
#include "platter/accelerator/registers.h"

namespace platter::accelerator {

/// The registers of CLUSTER and of the mask, as programs use them.
class ClusterPort {
 public:
  struct Collect {
    std::uint32_t from = 0;    ///< cylinder where collecting begins
    std::uint32_t span = ~0u;  ///< farthest distance from the first collected
    std::uint32_t most = 0;    ///< 0: no limit
    bool down = false;
    bool take_continuous = false;  ///< other classes are always taken
    bool order = false;
  };
  /// Most accesses of `collect`, and of `order`.
  static constexpr std::uint32_t kCollectAccesses = 3;
  static constexpr std::uint32_t kOrderAccesses = 3;

  explicit ClusterPort(const ProgramContext& context)
      : mask_words_((context.parameters.entries + 31) / 32), span_max_((1u << context.parameters.format.cyl_w) - 1) {}

  std::uint32_t mask_words() const { return mask_words_; }

  /// Sets what the next CLUSTER collects.
  void collect(RegisterPortIf& port, const Collect& what) const {
    port.set(reg::kClusterFrom, what.from);
    port.set(reg::kClusterSpan, std::min(what.span, span_max_));
    port.set(reg::kCluster, (what.most << reg::kClusterMaxLsb) | (1u << reg::kClusterTakeDLsb) |
                                (bit(what.take_continuous) << reg::kClusterTakeCLsb) |
                                (bit(what.down) << reg::kClusterDownLsb) | (bit(what.order) << reg::kClusterOrderLsb));
  }
  /// Number of commands that the last CLUSTER has collected.
  std::uint32_t count(RegisterPortIf& port) const {
    return port.read(reg::kClusterCount) >> reg::kClusterCountCountLsb & ((1u << reg::kClusterCountCountWidth) - 1);
  }
  /// The lowest tag in the mask: after a CLUSTER with `most` 1, the command collected.
  core::Tag first(RegisterPortIf& port) const {
    for (std::uint32_t i = 0; i < mask_words_; ++i)
      if (const std::uint32_t word = port.read(reg::kMask0 + 4 * i); word != 0)
        return core::Tag(static_cast<std::uint16_t>(32 * i + static_cast<std::uint32_t>(__builtin_ctz(word))));
    return {};
  }
  /// Reads the tags of the last exact order, which has `count` commands.
  void order(RegisterPortIf& port, std::uint32_t count, std::vector<core::Tag>& tags) const {
    constexpr std::uint32_t kWords[] = {reg::kOrderTags0, reg::kOrderTags1, reg::kOrderTags2};
    tags.clear();
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i % 4 == 0) word = port.read(kWords[i / 4]);
      tags.emplace_back(static_cast<std::uint16_t>(word >> 8 * (i % 4) & 0xFF));
    }
  }
  /// The words of the mask.
  void mask_of(RegisterPortIf& port, std::vector<std::uint32_t>& words) const {
    for (std::uint32_t i = 0; i < mask_words_; ++i) words[i] = port.read(reg::kMask0 + 4 * i);
  }
  void set_mask(RegisterPortIf& port, const std::vector<std::uint32_t>& words) const {
    for (std::uint32_t i = 0; i < mask_words_; ++i) port.set(reg::kMask0 + 4 * i, words[i]);
  }
  /// Lets only the command `*only` compete, or none if `only` is null.
  void mask(RegisterPortIf& port, const core::Tag* only) const {
    for (std::uint32_t i = 0; i < mask_words_; ++i)
      port.set(reg::kMask0 + 4 * i, only != nullptr && only->value / 32 == i ? 1u << only->value % 32 : 0);
  }

 private:
  static std::uint32_t bit(bool value) { return value ? 1 : 0; }

  std::uint32_t mask_words_;
  std::uint32_t span_max_;
};

}  // namespace platter::accelerator
