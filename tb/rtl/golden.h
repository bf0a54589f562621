// SPDX-License-Identifier: Apache-2.0
//
// The scheduling accelerator as docs/reference/scheduler_accelerator.md describes it, in the plainest way: registers as numbers, the list as a list,
// an operation as loops over the entries. What an operation works out is known when it is written to OP; clock() says when it becomes visible.
//
// The model is written by hand on purpose, although rtl/registers.toml describes bits, access and cycles of the registers. An error
// in that description must show as a difference. Only addresses, the place of one field and DecisionLatency come from registers.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace platter::testing {

struct Parameters {
  unsigned entries = 32;
  unsigned lanes = 4;
  unsigned order_m = 6;
  unsigned angle_w = 16;
  unsigned cyl_w = 18;
  unsigned seg_m = 5;
  unsigned seg_w = 9;
  unsigned seq_w = 24;
  unsigned features = 0;

  static constexpr unsigned kAgeing = 1, kLookAhead = 2, kLimits = 4, kZeroLatency = 8;
  bool has(unsigned part) const { return features & part; }

  unsigned time_w() const { return angle_w + 4; }
  unsigned sum_w() const { return angle_w + 12; }
  unsigned frac_w() const { return cyl_w - 1 - seg_m; }
  unsigned place_w() const { return frac_w() < 9 ? frac_w() : 9; }
  unsigned base_w() const { return time_w() + 2; }
  unsigned delta_w() const { return time_w() - 2; }
  unsigned cells() const { return (cyl_w - seg_m + 1) << seg_m; }
  unsigned segs() const { return 1U << seg_w; }
  unsigned rows() const { return entries / lanes; }
  std::int64_t turn() const { return std::int64_t{1} << angle_w; }
  std::int64_t time_limit() const { return (std::int64_t{1} << time_w()) - 1; }
  std::int64_t sum_limit() const { return (std::int64_t{1} << sum_w()) - 1; }
};

/// Cycles that the orderer takes for a cluster of c entries: docs/reference/cluster_order.md.
unsigned order_cycles(unsigned c);

class Golden {
 public:
  static constexpr unsigned kContinuous = 1;

  struct Entry {
    bool valid = false;
    std::int64_t cyl = 0, head = 0, angle = 0, end_cyl = 0, end_head = 0, end_angle = 0;
    std::int64_t transfer = 0, deadline = 0, age = 0, limit = 0, rest = 0;
    bool write = false;
    unsigned klass = 0, limit_kind = 0;
    std::uint32_t seq = 0;
    std::int64_t debt = 0;

    bool continuous() const { return klass == kContinuous; }
  };

  struct Answer {
    bool okay = false;  // else SLVERR
    unsigned busy = 0;  // cycles for which the write keeps BUSY set; 0: it starts no work
  };

  enum class Work { None, Insert, Remove, Serve, Decide, Cluster };

  /// A hop with everything on the way to its cost.
  struct Hop {
    std::int64_t seek = 0, position = 0, arrival = 0, wait = 0, reach = 0, cost = 0, worst = 0;
    unsigned beyond = 0;  // segments of the cell passed
    bool late = false, risky = false;
    bool arrival_wraps = false;  // angle + t passes the index
    bool wait_wraps = false;     // the sector lies before the angle of arrival
    bool seek_below = false, seek_above = false;
    bool settle_below = false, settle_above = false, arrival_above = false, reach_above = false, worst_above = false;
  };

  /// Why the look-ahead examined no further candidate.
  enum class AheadEnd { NoLookAhead, Most, NoFurther, Due, Key };

  struct Examined {
    unsigned tag = 0;
    std::int64_t total = 0;
    std::vector<unsigned> taken;  // the accesses ahead
    unsigned searches = 0;        // for them; one more than they are if no entry was left
    bool tie_by_age = false, tie_by_tag = false;
  };

  struct Decision {
    bool valid = false, forced = false;
    unsigned tag = 0;
    std::int64_t key = 0;
    unsigned refused = 0;
    std::optional<unsigned> expired;
    std::vector<unsigned> candidates;  // in the order in which they precede each other
    std::vector<Examined> examined;    // by the look-ahead
    AheadEnd end = AheadEnd::NoLookAhead;
  };

  enum class End { List, StopAtC, Span, Max };

  /// What a CLUSTER has collected, in the order of collecting, and why it ended.
  struct Collection {
    std::vector<unsigned> tags;
    unsigned looked_at = 0;
    unsigned before = 0, not_taken = 0;  // entries passed over
    End end = End::List;
  };

  struct ClusterSetting {
    std::int64_t max = 0, from = 0, span = 0;
    bool take_c = false, take_d = false, stop_at_c = false, down = false, order = false;
  };

  struct Order {
    std::vector<unsigned> tags;
    std::int64_t cost = 0;
    bool tie = false;  // another order costs the same
  };

  explicit Golden(const Parameters& parameters);

  /// A bus write. Work that it starts shows its result when clock() has been called as often as the answer says.
  Answer write(std::uint32_t address, std::uint32_t data, unsigned strobe = 0xF);

  /// A bus read; nothing is SLVERR.
  std::optional<std::uint32_t> read(std::uint32_t address) const;

  /// The bits of that answer which are specified now.
  std::uint32_t specified(std::uint32_t address) const;

  /// The end of a cycle; the write of that cycle, if any, comes after it. In a busy cycle a write may have waited.
  void clock(bool write_waits);

  void hard_reset();

  bool busy() const { return busy_left_ > 0; }
  unsigned busy_left() const { return busy_left_; }
  Work work() const { return work_; }
  /// What ended at the end of the cycle before.
  Work ended() const { return ended_; }
  bool irq() const { return done_ && irq_en_; }

  // State, and what would be worked out now: for stimuli and coverage.
  const std::vector<Entry>& entries() const { return table_; }
  const std::vector<unsigned>& list() const { return list_; }
  unsigned occupancy() const { return static_cast<unsigned>(list_.size()); }
  unsigned continuous_entries() const { return static_cast<unsigned>(sweep_order().size()); }
  std::uint32_t next_seq() const { return seq_; }
  bool sums_stale() const { return sums_stale_; }
  bool debts_stale() const { return debts_stale_; }
  bool guard_enabled() const { return guard_en_; }
  bool active() const { return guard_en_ && next_valid_; }
  bool next_only() const { return next_c_only_; }
  bool sweeps_down() const { return sweep_down_; }
  bool masks() const { return mask_en_; }
  bool in_mask(unsigned tag) const { return !mask_en_ || mask_[tag]; }
  std::vector<unsigned> sweep_order() const;
  std::int64_t seek(std::int64_t distance) const { return seek_hop(distance).seek; }
  Hop hop_from_head(unsigned tag) const;
  Hop hop_between(unsigned from, unsigned to) const;
  /// An access ahead, after another one.
  Hop hop_ahead(unsigned from, unsigned to) const;
  /// What DECIDE charges for reaching an entry.
  std::int64_t cost(unsigned tag) const;
  std::int64_t waited(unsigned tag) const;
  std::int64_t aged(unsigned tag) const;
  bool defers() const { return defer_c_; }
  bool deferred(unsigned tag) const { return defer_c_ && table_[tag].continuous(); }
  std::int64_t to_limit(unsigned tag) const;
  bool missed(unsigned tag) const { return hop_from_head(tag).worst > to_limit(tag); }
  bool goes_first(unsigned tag) const;
  bool expired(unsigned tag) const;
  std::int64_t key(unsigned tag) const;
  bool competes(unsigned tag) const;
  std::int64_t left() const;
  std::int64_t need(unsigned tag) const;
  bool is_next(unsigned tag) const { return next_valid_ && next_tag_ == tag; }
  std::int64_t sweep() const { return sweep_; }
  std::int64_t due() const { return due_; }
  std::int64_t head_time() const { return head_time_; }
  std::int64_t reserve() const { return reserve_; }
  std::int64_t age_now() const { return age_now_; }
  std::int64_t margin() const { return margin_; }
  std::int64_t risk() const { return risk_; }
  std::int64_t age_cap() const { return age_cap_; }
  std::int64_t age_scale() const { return age_scale_; }
  std::int64_t grace() const { return grace_; }
  bool rest_cost() const { return rest_cost_; }
  std::int64_t most() const { return most_; }
  std::int64_t depth() const { return depth_; }
  std::int64_t share(unsigned access) const { return shares_[access]; }
  bool looks_ahead() const { return most_ > 0 && depth_ > 0; }
  /// Of the last OP written, which need not have ended.
  const Decision& decision() const { return pending_decision_; }
  const Collection& collection() const { return collection_; }
  const ClusterSetting& cluster_setting() const { return setting_; }
  bool ordered() const { return ordered_; }
  const Order& order() const { return order_; }

 private:
  struct Place {
    std::int64_t cyl, head, angle;
  };

  struct Cell {
    std::int64_t group = 0, first = 0, second = 0, third = 0;
  };

  Answer start(Work work, unsigned cycles);
  Answer refuse();
  Answer insert(unsigned tag);
  Answer take_out(unsigned tag, bool serve);
  Answer op_decide();
  Answer op_cluster();
  void work_out_sums();
  void work_out_debts();
  Decision decide() const;
  std::int64_t rank(unsigned tag) const;
  Examined examine(unsigned tag) const;
  void look_ahead(Decision& decision) const;
  unsigned ahead_cycles(const Decision& decision) const;
  Collection collect() const;
  Order best_order(const std::vector<unsigned>& tags) const;
  bool earlier(std::int64_t a, std::int64_t b) const;
  std::int64_t saturate(std::int64_t value) const;
  std::int64_t overhead(bool write, bool after_write) const;
  Hop seek_hop(std::int64_t distance) const;
  Hop hop(const Place& from, const Place& to, bool write, std::int64_t overhead) const;
  void soft_reset();

  Parameters parameters_;
  std::vector<std::int64_t> seek_base_table_, seek_delta_table_;
  std::vector<Cell> seek_cells_;

  std::vector<Entry> table_;
  std::vector<unsigned> list_;  // tags in the order of the list
  bool sums_stale_, debts_stale_;

  Work work_, ended_;
  unsigned busy_left_, busy_total_;
  Decision pending_decision_, decision_;
  Order order_;
  Collection collection_;

  bool guard_en_, next_c_only_, sweep_down_, mask_en_, irq_en_, done_, error_;
  std::int64_t head_cyl_, head_head_, head_time_;
  bool head_write_;
  bool defer_c_, rest_cost_;
  std::int64_t defer_, grace_, age_cap_, age_scale_, most_, depth_;
  std::array<std::int64_t, 4> shares_;
  std::int64_t reserve_, age_now_, margin_, risk_, risk_charge_, head_switch_;
  std::int64_t write_settle_;  // as its register's bits
  std::int64_t overhead_rr_, overhead_rw_, overhead_wr_, overhead_ww_, delay_;
  ClusterSetting setting_;
  bool next_valid_;
  unsigned next_tag_;
  std::int64_t sweep_, due_;
  unsigned cluster_count_;
  bool ordered_;
  std::vector<bool> mask_;  // by tag
  Entry staged_;
  std::int64_t seek_index_, seek_base_, seek_cell_, seek_first_, seek_second_;
  std::uint32_t seq_, cycles_, decisions_, busy_cycles_, stall_cycles_, refused_count_, forced_count_;
};

}  // namespace platter::testing
