// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platter/accelerator/bus_core.h"
#include "platter/accelerator/registers.h"
#include "platter/scheduling/fixed_point.h"
#include "platter/scheduling/path_order.h"

namespace platter::accelerator {

/// Parameters that an accelerator is built with.
struct AcceleratorParameters {
  static constexpr std::uint32_t kMaxEntries = 256;

  std::uint32_t entries = 32;  ///< a multiple of `lanes`
  std::uint32_t lanes = 4;
  std::uint32_t order_m = 6;   ///< most commands that the orderer can order; 0: no orderer
  std::uint32_t features = 0;  ///< optional parts, a sum of Feature
  scheduling::FixedPointFormat format;

  bool has(Feature part) const { return (features & part) != 0; }
  /// As the contract's formulas take them.
  reg::Parameters built() const {
    return {entries, lanes, order_m, format.angle_w, format.cyl_w, format.seg_m, format.seg_w, features};
  }

  friend bool operator==(const AcceleratorParameters& a, const AcceleratorParameters& b) {
    return a.entries == b.entries && a.lanes == b.lanes && a.order_m == b.order_m && a.features == b.features &&
           a.format == b.format;
  }
};

/// The accelerator's reference model: bit- and cycle-exact to the RTL, as docs/reference/scheduler_accelerator.md
/// states it. Its whole state is a value that can be copied. An access allocates nothing.
class ReferenceCore : public BusCoreIf {
 public:
  /// The part of an entry that a decision reads for every entry.
  struct Entry {
    std::uint32_t cylinder = 0;
    std::uint32_t angle = 0;
    std::uint32_t age = 0;
    std::uint8_t head = 0;
    std::uint8_t cls = 0;
    bool write = false;
    bool valid = false;
    std::uint8_t limit_kind = 0;
    std::uint32_t limit = 0;
    std::uint32_t rest = 0;
    std::uint64_t number = 0;  ///< insertion number; the low 24 bits are its age
    std::int64_t debt = 0;
  };

  /// The rest of an entry. Hops between entries are cached as long as both entries and the configuration stay unchanged, so a
  /// sweep that has gained or lost one entry is recomputed from the hops beside it.
  struct Extent {
    struct Known {
      std::uint64_t from = kNobody;  ///< insertion numbers
      std::uint64_t to = kNobody;
      std::uint32_t ticks = 0;
    };
    std::uint32_t end_cylinder = 0;
    std::uint32_t end_angle = 0;
    std::uint32_t transfer = 0;
    std::uint32_t deadline = 0;
    std::uint8_t end_head = 0;
    std::int64_t part = 0;
    Known after;   ///< from this entry to the next one of the sweep
    Known around;  ///< from the entry before this one to the one after it
    Known onward;  ///< from this entry to NEXT
  };

  static constexpr std::size_t kWords = reg::kForcedCount / 4 + 1;

  struct State {
    std::array<std::uint32_t, kWords> words{};  ///< by address / 4: the value that the register reads as
    bool done = false;
    bool error = false;
    bool sums_stale = true;
    bool debts_stale = true;
    std::uint32_t continuous = 0;  ///< entries of that class
    std::uint64_t insertions = 0;
    std::vector<Entry> entries;  ///< by tag
    std::vector<Extent> extents;
    std::vector<std::uint8_t> list;  ///< tags sorted by cylinder, then by age
    scheduling::SeekTable seek;

    std::uint32_t word(std::uint32_t address) const { return words[address / 4]; }
  };

  explicit ReferenceCore(const AcceleratorParameters& parameters);

  BusResponse access(const BusRequest& request) override;
  void reset() override;

  const AcceleratorParameters& parameters() const { return parameters_; }
  const State& state() const { return state_; }
  /// The state as text: the registers that affect a decision, and the valid entries in the order of the list, one a line.
  std::string describe() const;

 private:
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  class HopUnit;

  /// What an access may do with an address.
  struct Port {
    bool readable = false;
    bool writable = false;
    bool hops = false;       ///< a write makes the sums stale
    std::uint32_t held = 0;  ///< writable bits; a write sets the others to 0
  };

  std::uint32_t& word(std::uint32_t address) { return state_.words[address / 4]; }
  std::uint32_t word(std::uint32_t address) const { return state_.word(address); }
  bool irq() const { return state_.done && (word(reg::kCtrl) >> reg::kCtrlIrqEnLsb & 1) != 0; }

  void start_afresh();
  /// `busy`: cycles of the work that the write started.
  bool write(std::uint32_t address, std::uint32_t data, std::uint32_t& busy);
  bool read(std::uint32_t address, std::uint32_t& data) const;
  void clear(std::uint32_t bits);
  void fill_segment(std::uint32_t data);
  void fill_cell(std::uint32_t data);
  void forget_hops();
  std::uint32_t insert(std::uint32_t tag);
  std::uint32_t remove(std::uint32_t tag);
  std::uint32_t operate(std::uint32_t code);
  std::uint32_t decide();
  std::uint32_t collect();
  void order(const std::array<std::uint8_t, 256>& collected, std::uint32_t count);
  void work_out_sums(const HopUnit& hops);
  void work_out_debts(const HopUnit& hops);
  struct Pick {
    std::uint32_t tag = 0;
    std::int64_t key = 0;
    bool due = false;
    bool found = false;
  };
  std::uint32_t choose(const HopUnit& hops, bool guard);
  Pick cheapest_after(const HopUnit& hops, std::uint32_t tag) const;
  std::uint32_t look_ahead(const HopUnit& hops, Pick& best);
  bool goes_before(const Pick& pick, const Pick& rival) const;
  bool masked(std::uint32_t tag) const;
  bool is_older(const Entry& a, const Entry& b) const;

  AcceleratorParameters parameters_;
  reg::Parameters built_;
  std::array<Port, kWords> ports_{};
  State state_;
  std::vector<Pick> candidates_;  ///< of the decision that is worked out
  std::vector<bool> taken_;       ///< by tag: entries that do not take part in a search ahead
  scheduling::PathOrder<std::uint32_t> path_;
};

}  // namespace platter::accelerator
