// SPDX-License-Identifier: Apache-2.0
//
// The scheduling accelerator as docs/reference/scheduler_accelerator.md describes it, in the plainest way:
// registers as numbers, a decision as a loop over the entries. Knows no clock; the tests count cycles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace platter::testing {

struct Parameters {
  unsigned entries = 32;
  unsigned lanes = 4;
  unsigned angle_w = 16;
  unsigned cyl_w = 18;
  unsigned seg_m = 5;
  unsigned seg_w = 9;
  unsigned seq_w = 24;

  unsigned time_w() const { return angle_w + 4; }
  unsigned sum_w() const { return angle_w + 12; }
  unsigned frac_w() const { return cyl_w - 1 - seg_m; }
  unsigned place_w() const { return frac_w() < 9 ? frac_w() : 9; }
  unsigned base_w() const { return time_w() + 2; }
  unsigned delta_w() const { return time_w() - 2; }
  unsigned cells() const { return (cyl_w - seg_m + 1) << seg_m; }
  unsigned segs() const { return 1U << seg_w; }
};

class Golden {
 public:
  struct Entry {
    bool valid = false;
    std::int64_t cyl = 0, head = 0, angle = 0, end_cyl = 0, end_head = 0, end_angle = 0;
    std::int64_t transfer = 0, credit = 0;
    bool write = false;
    unsigned klass = 0;
    std::uint32_t seq = 0;
  };

  struct Decision {
    bool valid = false;
    bool forced = false;
    unsigned tag = 0;
    std::int64_t cost = 0;
    unsigned refused = 0;
  };

  explicit Golden(const Parameters& parameters);

  /// A bus write; false is SLVERR. START computes the decision, which finish() makes visible.
  bool write(std::uint32_t address, std::uint32_t data, unsigned strobe = 0xF);

  /// A bus read; nothing is SLVERR.
  std::optional<std::uint32_t> read(std::uint32_t address) const;

  /// The end of a decision that took this many cycles.
  void finish(unsigned cycles);

  void hard_reset();

  bool busy() const { return busy_; }
  bool irq() const { return done_ && irq_en_; }
  const Decision& result() const { return result_; }
  const std::vector<Entry>& entries() const { return table_; }
  unsigned occupancy() const;
  std::uint32_t next_seq() const { return seq_; }

  // What a decision would compute now.
  std::int64_t seek(std::int64_t distance) const;
  std::int64_t cost(unsigned tag) const;
  std::int64_t need(unsigned tag) const;
  Decision decide() const;

 private:
  struct Place {
    std::int64_t cyl, head, angle;
  };

  struct Cell {
    std::int64_t group = 0, first = 0, second = 0, third = 0;
  };

  std::int64_t saturate(std::int64_t value) const;
  std::int64_t hop(const Place& from, const Place& to, bool write, std::int64_t overhead) const;
  bool older(const Entry& a, const Entry& b) const;
  bool active() const { return guard_en_ && next_valid_; }
  void soft_reset();

  Parameters parameters_;
  std::vector<std::int64_t> seek_base_table_, seek_delta_table_;
  std::vector<Cell> seek_cells_;
  std::vector<Entry> table_;
  Decision pending_, result_;

  bool guard_en_, next_c_only_, auto_remove_, irq_en_;
  bool busy_ = false, done_, error_;
  std::int64_t head_cyl_, head_head_, head_angle_, slack_;
  std::int64_t next_cyl_, next_head_, next_angle_, next_tag_;
  bool next_write_, next_valid_;
  std::int64_t sweep_, margin_, head_switch_, write_settle_;  // write_settle_ as its register's bits
  std::int64_t overhead_read_, overhead_write_, next_overhead_ar_, next_overhead_aw_;
  Entry staged_;
  std::int64_t seek_index_, seek_base_, seek_cell_, seek_first_, seek_second_;
  std::uint32_t seq_, cycles_, decisions_;
};

}  // namespace platter::testing
