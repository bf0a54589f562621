// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tuple>

#include "platter/accelerator/registers.h"

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;

std::int64_t low_bits(std::int64_t value, unsigned width) { return value & ((std::int64_t{1} << width) - 1); }

std::int64_t bits(std::uint32_t word, unsigned lsb, unsigned width) { return low_bits(word >> lsb, width); }
unsigned flag(bool set, unsigned place) { return set ? 1u << place : 0u; }

std::int64_t as_signed(std::int64_t value, unsigned width) {
  return (value >> (width - 1)) & 1 ? value - (std::int64_t{1} << width) : value;
}

// Quotient towards minus infinity.
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

unsigned order_cycles(unsigned c) { return c > 1 ? (1U << c) + 8 * c - 8 : 9; }

Golden::Golden(const Parameters& parameters)
    : parameters_(parameters),
      seek_base_table_(parameters.segs()),
      seek_delta_table_(parameters.segs()),
      seek_cells_(parameters.cells()) {
  hard_reset();
}

void Golden::hard_reset() { soft_reset(); }

void Golden::soft_reset() {
  table_.assign(parameters_.entries, Entry{});
  list_.clear();
  sums_stale_ = true;
  debts_stale_ = false;
  work_ = ended_ = Work::None;
  busy_left_ = busy_total_ = 0;
  pending_decision_ = decision_ = Decision{};
  order_ = Order{};
  collection_ = Collection{};
  guard_en_ = next_c_only_ = sweep_down_ = mask_en_ = irq_en_ = done_ = error_ = false;
  head_cyl_ = head_head_ = head_time_ = 0;
  head_write_ = false;
  defer_c_ = rest_cost_ = false;
  defer_ = grace_ = age_cap_ = age_scale_ = most_ = depth_ = 0;
  shares_.fill(0);
  reserve_ = age_now_ = margin_ = risk_ = risk_charge_ = head_switch_ = write_settle_ = 0;
  overhead_rr_ = overhead_rw_ = overhead_wr_ = overhead_ww_ = delay_ = 0;
  setting_ = ClusterSetting{};
  next_valid_ = false;
  next_tag_ = 0;
  sweep_ = due_ = 0;
  cluster_count_ = 0;
  ordered_ = false;
  mask_.assign(parameters_.entries, false);
  staged_ = Entry{};
  seek_index_ = seek_base_ = seek_cell_ = seek_first_ = seek_second_ = 0;
  seq_ = cycles_ = decisions_ = busy_cycles_ = stall_cycles_ = refused_count_ = forced_count_ = 0;
}

// ---------------------------------------------------------------------------------------------- bus

Golden::Answer Golden::write(std::uint32_t address, std::uint32_t data, unsigned strobe) {
  if (strobe != 0xF) return {};
  const std::int64_t angle = low_bits(data, parameters_.angle_w), time = low_bits(data, parameters_.time_w()),
                     sum = low_bits(data, parameters_.sum_w()), cyl = low_bits(data, parameters_.cyl_w),
                     head = bits(data, 21, 6);
  const std::uint32_t tag = data & 0xFFFF;
  const bool in_range = tag < parameters_.entries;
  const bool in_use = in_range && table_[tag].valid;
  const Answer okay{true, 0};
  const bool ageing = parameters_.has(Parameters::kAgeing), ahead = parameters_.has(Parameters::kLookAhead);
  const bool limits = parameters_.has(Parameters::kLimits), zero_latency = parameters_.has(Parameters::kZeroLatency);
  // What the sums depend on.
  const auto stale = [this, okay] {
    sums_stale_ = true;
    return okay;
  };
  if (address >= reg::kMask0 && address <= reg::kMask7 && address % 4 == 0) {
    const unsigned first = (address - reg::kMask0) / 4 * 32;
    for (unsigned i = 0; i < 32 && first + i < parameters_.entries; ++i) mask_[first + i] = bits(data, i, 1);
    return okay;
  }
  switch (address) {
    case reg::kCtrl:
      guard_en_ = bits(data, 0, 1);
      next_c_only_ = bits(data, 1, 1);
      sweep_down_ = bits(data, 2, 1);
      mask_en_ = bits(data, 3, 1);
      irq_en_ = bits(data, 4, 1);
      defer_c_ = ageing && bits(data, 5, 1);
      rest_cost_ = zero_latency && bits(data, 6, 1);
      return stale();
    case reg::kClear: {
      const bool operation_ends = ended_ == Work::Decide || ended_ == Work::Cluster;
      if (bits(data, 0, 1) && !operation_ends) done_ = false;
      if (bits(data, 1, 1)) error_ = false;
      if (bits(data, 2, 1)) decisions_ = busy_cycles_ = stall_cycles_ = refused_count_ = forced_count_ = 0;
      if (bits(data, 8, 1)) soft_reset();
      return okay;
    }
    case reg::kHeadPos: head_cyl_ = cyl, head_head_ = head, head_write_ = bits(data, 27, 1); return okay;
    case reg::kHeadTime: head_time_ = sum; return okay;
    case reg::kReserve: reserve_ = sum; return okay;
    case reg::kAgeNow: age_now_ = sum; return okay;
    case reg::kMargin: margin_ = angle; return stale();
    case reg::kRisk: risk_ = angle; return stale();
    case reg::kRiskCharge: risk_charge_ = angle; return okay;
    case reg::kHeadSwitch: head_switch_ = time; return stale();
    case reg::kWriteSettle: write_settle_ = time; return stale();
    case reg::kOverheadRr: overhead_rr_ = time; return stale();
    case reg::kOverheadRw: overhead_rw_ = time; return stale();
    case reg::kOverheadWr: overhead_wr_ = time; return stale();
    case reg::kOverheadWw: overhead_ww_ = time; return stale();
    case reg::kDelay: delay_ = time; return stale();
    case reg::kDefer: defer_ = ageing ? low_bits(data, parameters_.time_w() - 1) : 0; return okay;
    case reg::kGrace: grace_ = limits ? sum : 0; return okay;
    case reg::kAgeCap: age_cap_ = ageing ? bits(data, 0, 17) : 0; return okay;
    case reg::kAgeScale: age_scale_ = ageing ? bits(data, 0, 18) : 0; return okay;
    case reg::kAhead:
      most_ = ahead ? bits(data, 0, 9) : 0;
      depth_ = ahead ? bits(data, 16, 3) : 0;
      return okay;
    case reg::kAheadShare:
      for (unsigned i = 0; i < 4; ++i) shares_[i] = ahead ? bits(data, 8 * i, 8) : 0;
      return okay;
    case reg::kOp: return bits(data, 0, 1) ? op_cluster() : op_decide();
    case reg::kCluster:
      setting_.max = bits(data, 0, 9);
      setting_.take_c = bits(data, 9, 1);
      setting_.take_d = bits(data, 10, 1);
      setting_.stop_at_c = bits(data, 11, 1);
      setting_.down = bits(data, 12, 1);
      setting_.order = bits(data, 13, 1);
      return okay;
    case reg::kClusterFrom: setting_.from = cyl; return okay;
    case reg::kClusterSpan: setting_.span = cyl; return okay;
    case reg::kEPos:
      staged_.cyl = cyl, staged_.head = head;
      staged_.write = bits(data, 27, 1), staged_.klass = static_cast<unsigned>(bits(data, 28, 2));
      staged_.limit_kind = limits ? static_cast<unsigned>(bits(data, 30, 2)) : 0;
      return okay;
    case reg::kELimit: staged_.limit = limits ? sum : 0; return okay;
    case reg::kERest: staged_.rest = zero_latency ? angle : 0; return okay;
    case reg::kEAngle: staged_.angle = angle; return okay;
    case reg::kEEndPos: staged_.end_cyl = cyl, staged_.end_head = head; return okay;
    case reg::kEEndAngle: staged_.end_angle = angle; return okay;
    case reg::kETransfer: staged_.transfer = sum; return okay;
    case reg::kEDeadline: staged_.deadline = sum; return okay;
    case reg::kEAge: staged_.age = sum; return okay;
    case reg::kInsert: return in_range && !in_use ? insert(tag) : refuse();
    case reg::kRemove: return in_use ? take_out(tag, false) : refuse();
    case reg::kServe: return in_use ? take_out(tag, true) : refuse();
    case reg::kSeekIndex: seek_index_ = bits(data, 0, 10); return okay;
    case reg::kSeekBase: seek_base_ = low_bits(data, parameters_.base_w()); return okay;
    case reg::kSeekDelta:
      if (seek_index_ < parameters_.segs()) {
        const auto segment = static_cast<std::size_t>(seek_index_);
        seek_base_table_[segment] = as_signed(seek_base_, parameters_.base_w());
        seek_delta_table_[segment] = as_signed(low_bits(data, parameters_.delta_w()), parameters_.delta_w());
      }
      seek_index_ = low_bits(seek_index_ + 1, 10);
      return stale();
    case reg::kSeekCell: seek_cell_ = bits(data, 0, 10); return okay;
    case reg::kSeekLast:
      seek_first_ = bits(data, 0, parameters_.place_w()), seek_second_ = bits(data, 16, parameters_.place_w());
      return okay;
    case reg::kSeekGroup:
      if (seek_cell_ < parameters_.cells()) {
        seek_cells_[static_cast<std::size_t>(seek_cell_)] = {bits(data, 0, parameters_.seg_w), seek_first_, seek_second_,
                                                             bits(data, 16, parameters_.place_w())};
      }
      seek_cell_ = low_bits(seek_cell_ + 1, 10);
      return stale();
    default: return {};
  }
}

std::optional<std::uint32_t> Golden::read(std::uint32_t address) const {
  const auto word = [](std::int64_t value) { return std::optional<std::uint32_t>(static_cast<std::uint32_t>(value)); };
  const auto order_tags = [&](std::size_t first) {
    std::int64_t tags = 0;
    for (std::size_t i = 0; i < 4 && first + i < order_.tags.size(); ++i) {
      tags |= std::int64_t{order_.tags[first + i]} << 8 * i;
    }
    return word(tags);
  };
  if (address >= reg::kMask0 && address <= reg::kMask7 && address % 4 == 0) {
    const unsigned first = (address - reg::kMask0) / 4 * 32;
    std::int64_t mask = 0;
    for (unsigned i = 0; i < 32 && first + i < parameters_.entries; ++i) mask |= std::int64_t{mask_[first + i]} << i;
    return word(mask);
  }
  switch (address) {
    case reg::kId: return word(0x504C5453);
    case reg::kVersion: return word(0x0400);
    case reg::kParams:
      return word(parameters_.entries | parameters_.lanes << 9 | parameters_.angle_w << 14 | parameters_.cyl_w << 19 |
                  parameters_.seg_m << 24 | parameters_.seg_w << 27);
    case reg::kOrderer: return word(parameters_.order_m);
    case reg::kFeatures: return word(parameters_.features);
    case reg::kCtrl:
      return word(guard_en_ | next_c_only_ << 1 | sweep_down_ << 2 | mask_en_ << 3 | irq_en_ << 4 | defer_c_ << 5 |
                  rest_cost_ << 6);
    case reg::kDefer: return word(defer_);
    case reg::kGrace: return word(grace_);
    case reg::kAgeCap: return word(age_cap_);
    case reg::kAgeScale: return word(age_scale_);
    case reg::kAhead: return word(most_ | depth_ << 16);
    case reg::kAheadShare: return word(shares_[0] | shares_[1] << 8 | shares_[2] << 16 | shares_[3] << 24);
    case reg::kExpired: return word(decision_.expired.value_or(0) | flag(decision_.expired.has_value(), 8));
    case reg::kELimit: return word(staged_.limit);
    case reg::kERest: return word(staged_.rest);
    case reg::kStatus: return word(flag(busy(), 0) | flag(done_, 1) | flag(error_, 2) | occupancy() << 8);
    case reg::kHeadPos: return word(head_cyl_ | head_head_ << 21 | head_write_ << 27);
    case reg::kHeadTime: return word(head_time_);
    case reg::kReserve: return word(reserve_);
    case reg::kAgeNow: return word(age_now_);
    case reg::kMargin: return word(margin_);
    case reg::kRisk: return word(risk_);
    case reg::kRiskCharge: return word(risk_charge_);
    case reg::kHeadSwitch: return word(head_switch_);
    case reg::kWriteSettle: return word(write_settle_);
    case reg::kOverheadRr: return word(overhead_rr_);
    case reg::kOverheadRw: return word(overhead_rw_);
    case reg::kOverheadWr: return word(overhead_wr_);
    case reg::kOverheadWw: return word(overhead_ww_);
    case reg::kDelay: return word(delay_);
    case reg::kCluster:
      return word(setting_.max | setting_.take_c << 9 | setting_.take_d << 10 | setting_.stop_at_c << 11 | setting_.down << 12 |
                  setting_.order << 13);
    case reg::kClusterFrom: return word(setting_.from);
    case reg::kClusterSpan: return word(setting_.span);
    case reg::kResult: return word(decision_.tag | flag(decision_.valid, 8) | flag(decision_.forced, 9));
    case reg::kResultKey: return word(decision_.key);
    case reg::kRefused: return word(decision_.refused);
    case reg::kCycles: return word(cycles_);
    case reg::kNext: return word(next_tag_ | flag(next_valid_, 8));
    case reg::kSweep: return word(sweep_);
    case reg::kDue: return word(due_);
    case reg::kClusterCount: return word(cluster_count_ | flag(ordered_, 9));
    case reg::kOrderCost: return word(order_.cost);
    case reg::kOrderTags0: return order_tags(0);
    case reg::kOrderTags1: return order_tags(4);
    case reg::kOrderTags2: return order_tags(8);
    case reg::kEPos:
      return word(staged_.cyl | staged_.head << 21 | staged_.write << 27 | std::int64_t{staged_.klass} << 28 |
                  std::int64_t{staged_.limit_kind} << 30);
    case reg::kEAngle: return word(staged_.angle);
    case reg::kEEndPos: return word(staged_.end_cyl | staged_.end_head << 21);
    case reg::kEEndAngle: return word(staged_.end_angle);
    case reg::kETransfer: return word(staged_.transfer);
    case reg::kEDeadline: return word(staged_.deadline);
    case reg::kEAge: return word(staged_.age);
    case reg::kSeekIndex: return word(seek_index_);
    case reg::kSeekBase: return word(seek_base_);
    case reg::kSeekCell: return word(seek_cell_);
    case reg::kSeekLast: return word(seek_first_ | seek_second_ << 16);
    case reg::kDecisions: return word(decisions_);
    case reg::kBusyCycles: return word(busy_cycles_);
    case reg::kStallCycles: return word(stall_cycles_);
    case reg::kRefusedCount: return word(refused_count_);
    case reg::kForcedCount: return word(forced_count_);
    default: return std::nullopt;
  }
}

std::uint32_t Golden::specified(std::uint32_t address) const {
  switch (work_) {
    case Work::None: break;
    case Work::Insert:
    case Work::Remove:
    case Work::Serve:
      if (address == reg::kHeadPos) return 0;
      if (address == reg::kStatus) return (1U << reg::kStatusOccupancyLsb) - 1;
      break;
    case Work::Decide:
      if (address == reg::kNext || address == reg::kSweep || address == reg::kDue) return 0;
      if (looks_ahead() &&
          (address == reg::kResult || address == reg::kResultKey || address == reg::kRefused || address == reg::kExpired)) {
        return 0;
      }
      break;
    case Work::Cluster:
      if (address >= reg::kClusterCount && address <= reg::kOrderTags2) return 0;
      if (address >= reg::kMask0 && address <= reg::kMask7) return 0;
      break;
  }
  return ~0U;
}

void Golden::clock(bool write_waits) {
  ended_ = Work::None;
  if (!busy()) return;
  ++busy_cycles_;
  if (write_waits) ++stall_cycles_;
  if (--busy_left_ > 0) return;
  ended_ = work_;
  work_ = Work::None;
  if (ended_ == Work::Decide) {
    decision_ = pending_decision_;
    ++decisions_;
    refused_count_ += decision_.refused;
    forced_count_ += decision_.forced;
  }
  if (ended_ == Work::Decide || ended_ == Work::Cluster) {
    done_ = true;
    cycles_ = busy_total_;
  }
}

Golden::Answer Golden::start(Work work, unsigned cycles) {
  work_ = work;
  busy_left_ = busy_total_ = cycles;
  return {true, cycles};
}

Golden::Answer Golden::refuse() {
  error_ = true;
  return {};
}

// ---------------------------------------------------------------------------------------------- table and list

Golden::Answer Golden::insert(unsigned tag) {
  table_[tag] = staged_;
  table_[tag].valid = true;
  table_[tag].seq = seq_;
  seq_ = static_cast<std::uint32_t>(low_bits(seq_ + 1, parameters_.seq_w));
  unsigned higher = 0;
  for (const unsigned other : list_) higher += table_[other].cyl > staged_.cyl;
  list_.insert(list_.end() - higher, tag);
  if (staged_.continuous()) sums_stale_ = true;
  if (next_valid_) debts_stale_ = true;
  return start(Work::Insert, higher + 2);
}

Golden::Answer Golden::take_out(unsigned tag, bool serve) {
  const unsigned before = occupancy();
  Entry& e = table_[tag];
  if (e.continuous()) sums_stale_ = true;
  if (serve) head_cyl_ = e.end_cyl, head_head_ = e.end_head, head_write_ = e.write;
  e.valid = false;
  list_.erase(std::find(list_.begin(), list_.end(), tag));
  return start(serve ? Work::Serve : Work::Remove, before + 1);
}

std::int64_t Golden::rank(unsigned tag) const { return low_bits(std::int64_t{table_[tag].seq} - seq_, parameters_.seq_w); }

// ---------------------------------------------------------------------------------------------- hops

std::int64_t Golden::saturate(std::int64_t value) const { return std::clamp<std::int64_t>(value, 0, parameters_.time_limit()); }

// What of a hop depends on the distance alone.
Golden::Hop Golden::seek_hop(std::int64_t distance) const {
  const std::int64_t steps = std::int64_t{1} << parameters_.seg_m;
  std::int64_t index = distance, frac = 0;
  if (distance >= steps) {
    unsigned k = 0;
    while (distance >> (k + 1)) ++k;
    const unsigned below = k - parameters_.seg_m;
    const std::int64_t mantissa = low_bits(distance >> below, parameters_.seg_m);
    index = (below + 1) * steps + mantissa;
    frac = low_bits(distance, below) << (parameters_.frac_w() - below);
  }
  const Cell& cell = seek_cells_[static_cast<std::size_t>(index)];
  const std::int64_t place = frac >> (parameters_.frac_w() - parameters_.place_w());
  const int beyond = (place > cell.first) + (place > cell.second) + (place > cell.third);
  const auto segment = static_cast<std::size_t>(cell.group | beyond);
  const std::int64_t line =
      seek_base_table_[segment] + floor_div(seek_delta_table_[segment] * frac, std::int64_t{1} << parameters_.frac_w());
  Hop hop;
  hop.seek = saturate(line);
  hop.beyond = static_cast<unsigned>(beyond);
  hop.seek_below = hop.seek > line;
  hop.seek_above = hop.seek < line;
  return hop;
}

std::int64_t Golden::overhead(bool write, bool after_write) const {
  if (write) return after_write ? overhead_ww_ : overhead_wr_;
  return after_write ? overhead_rw_ : overhead_rr_;
}

Golden::Hop Golden::hop(const Place& from, const Place& to, bool write, std::int64_t overhead) const {
  const std::int64_t turn = parameters_.turn();
  const std::int64_t distance = std::abs(to.cyl - from.cyl);
  const bool switches = to.head != from.head;
  Hop hop = seek_hop(distance);
  hop.position = std::max(hop.seek, switches ? head_switch_ : 0);
  if (write && (distance != 0 || switches)) {
    const std::int64_t settled = hop.position + as_signed(write_settle_, parameters_.time_w());
    hop.position = saturate(settled);
    hop.settle_below = hop.position > settled;
    hop.settle_above = hop.position < settled;
  }
  hop.arrival = saturate(overhead + hop.position);
  hop.arrival_above = hop.arrival < overhead + hop.position;
  const std::int64_t arrived = low_bits(from.angle + hop.arrival, parameters_.angle_w);
  hop.arrival_wraps = from.angle + hop.arrival >= turn;
  hop.wait_wraps = to.angle < arrived;
  hop.wait = low_bits(to.angle - arrived, parameters_.angle_w);
  hop.late = hop.wait < margin_;
  hop.risky = !hop.late && hop.wait < risk_;
  const std::int64_t reach = hop.arrival + hop.wait + (hop.late ? turn : 0);
  hop.reach = saturate(reach);
  hop.reach_above = hop.reach < reach;
  hop.cost = hop.reach + (hop.risky ? risk_charge_ : 0);
  const std::int64_t worst = hop.reach + (hop.risky ? turn : 0);
  hop.worst = saturate(worst);
  hop.worst_above = hop.worst < worst;
  return hop;
}

Golden::Hop Golden::hop_from_head(unsigned tag) const {
  const Entry& e = table_[tag];
  return hop({head_cyl_, head_head_, low_bits(head_time_, parameters_.angle_w)}, {e.cyl, e.head, e.angle}, e.write,
             overhead(e.write, head_write_));
}

Golden::Hop Golden::hop_between(unsigned from, unsigned to) const {
  const Entry& e = table_[from];
  const Entry& f = table_[to];
  return hop({e.end_cyl, e.end_head, e.end_angle}, {f.cyl, f.head, f.angle}, f.write,
             saturate(delay_ + overhead(f.write, e.write)));
}

Golden::Hop Golden::hop_ahead(unsigned from, unsigned to) const {
  const Entry& e = table_[from];
  const Entry& f = table_[to];
  return hop({e.end_cyl, e.end_head, e.end_angle}, {f.cyl, f.head, f.angle}, f.write, overhead(f.write, e.write));
}

// ---------------------------------------------------------------------------------------------- DECIDE

bool Golden::earlier(std::int64_t a, std::int64_t b) const {
  return low_bits(a - b, parameters_.sum_w()) >> (parameters_.sum_w() - 1);
}

std::vector<unsigned> Golden::sweep_order() const {
  std::vector<unsigned> sweep;
  for (const unsigned tag : list_) {
    if (table_[tag].continuous()) sweep.push_back(tag);
  }
  if (sweep_down_) std::reverse(sweep.begin(), sweep.end());
  return sweep;
}

void Golden::work_out_sums() {
  const std::vector<unsigned> sweep = sweep_order();
  next_valid_ = !sweep.empty();
  next_tag_ = 0;
  sweep_ = due_ = 0;
  for (std::size_t i = sweep.size(); i-- > 0;) {
    const Entry& e = table_[sweep[i]];
    if (i + 1 == sweep.size()) {
      sweep_ = e.transfer;
      due_ = e.deadline;
    } else {
      sweep_ = std::min(e.transfer + hop_between(sweep[i], sweep[i + 1]).worst + sweep_, parameters_.sum_limit());
      if (earlier(e.deadline, due_)) due_ = e.deadline;
    }
    next_tag_ = sweep[i];
  }
  sums_stale_ = false;
  debts_stale_ = next_valid_;  // without a sweep there are none
}

void Golden::work_out_debts() {
  const std::vector<unsigned> sweep = sweep_order();
  const auto h = [&](std::size_t from, std::size_t to) { return hop_between(sweep[from], sweep[to]).worst; };
  for (const unsigned tag : list_) table_[tag].debt = table_[tag].transfer;
  for (std::size_t i = 1; i < sweep.size(); ++i) {
    table_[sweep[i]].debt = (i + 1 < sweep.size() ? h(i - 1, i + 1) - h(i, i + 1) : 0) - h(i - 1, i);
  }
  for (const unsigned tag : list_) table_[tag].debt += hop_between(tag, next_tag_).worst;
  debts_stale_ = false;
}

std::int64_t Golden::cost(unsigned tag) const {
  const Hop hop = hop_from_head(tag);
  const std::int64_t rest = table_[tag].rest;
  if (rest == 0) return hop.cost;
  return saturate(hop.arrival + (hop.wait < rest ? hop.wait : rest_cost_ ? rest : 0));
}

std::int64_t Golden::waited(unsigned tag) const { return low_bits(age_now_ - table_[tag].age, parameters_.sum_w()); }

std::int64_t Golden::aged(unsigned tag) const {
  const std::int64_t weighted = age_scale_ == 0 ? waited(tag) : std::min(waited(tag), age_cap_) * age_scale_ >> 6;
  return std::min(weighted, parameters_.time_limit());
}

std::int64_t Golden::key(unsigned tag) const { return cost(tag) + (deferred(tag) ? defer_ : -aged(tag)); }

std::int64_t Golden::to_limit(unsigned tag) const {
  return as_signed(low_bits(table_[tag].limit - head_time_, parameters_.sum_w()), parameters_.sum_w());
}

bool Golden::goes_first(unsigned tag) const {
  const unsigned kind = table_[tag].limit_kind;
  return kind == 1 ? missed(tag) : kind == 3 && !missed(tag) && to_limit(tag) < grace_;
}

bool Golden::expired(unsigned tag) const {
  return table_[tag].valid && in_mask(tag) && table_[tag].limit_kind == 2 && missed(tag);
}

bool Golden::competes(unsigned tag) const {
  const Entry& e = table_[tag];
  if (!e.valid) return false;
  if (!in_mask(tag) || expired(tag)) return false;
  return !(active() && next_c_only_ && e.continuous() && !is_next(tag));
}

std::int64_t Golden::left() const {
  return as_signed(low_bits(due_ - head_time_, parameters_.sum_w()), parameters_.sum_w()) - reserve_;
}

std::int64_t Golden::need(unsigned tag) const {
  return hop_from_head(tag).worst + sweep_ + (is_next(tag) ? 0 : table_[tag].debt);
}

Golden::Decision Golden::decide() const {
  Decision decision;
  std::vector<std::tuple<bool, std::int64_t, std::int64_t, unsigned>> order;  // not due, key, age, tag
  for (unsigned tag = 0; tag < parameters_.entries; ++tag) {
    if (!decision.expired && expired(tag)) decision.expired = tag;
    if (!competes(tag)) continue;
    if (active() && need(tag) > left()) {
      ++decision.refused;
      continue;
    }
    order.emplace_back(!goes_first(tag), key(tag), rank(tag), tag);
  }
  std::sort(order.begin(), order.end());
  for (const auto& candidate : order) decision.candidates.push_back(std::get<3>(candidate));
  if (!order.empty()) {
    decision.valid = true;
    decision.tag = decision.candidates.front();
    decision.key = key(decision.tag);
  } else if (active()) {
    decision.valid = decision.forced = true;
    decision.tag = next_tag_;
  }
  if (looks_ahead()) look_ahead(decision);
  return decision;
}

Golden::Examined Golden::examine(unsigned tag) const {
  Examined examined;
  examined.tag = tag;
  examined.total = key(tag);
  std::vector<bool> used(parameters_.entries);
  used[tag] = true;
  unsigned from = tag;
  for (unsigned access = 0; access < std::min<std::int64_t>(depth_, 4); ++access) {
    ++examined.searches;
    std::optional<std::tuple<std::int64_t, std::int64_t, unsigned>> best;  // cost, age, tag
    bool tie_by_age = false, tie_by_tag = false;
    for (const unsigned to : list_) {
      if (used[to] || !in_mask(to)) continue;
      const std::tuple<std::int64_t, std::int64_t, unsigned> one{hop_ahead(from, to).cost, rank(to), to};
      if (!best || std::get<0>(one) < std::get<0>(*best)) {
        tie_by_age = tie_by_tag = false;
      } else if (std::get<0>(one) == std::get<0>(*best)) {
        (std::get<1>(one) == std::get<1>(*best) ? tie_by_tag : tie_by_age) = true;
      }
      if (!best || one < *best) best = one;
    }
    if (!best) break;
    examined.tie_by_age |= tie_by_age;
    examined.tie_by_tag |= tie_by_tag;
    examined.taken.push_back(std::get<2>(*best));
    examined.total += std::get<0>(*best) * shares_[access] >> 8;
    from = std::get<2>(*best);
    used[from] = true;
  }
  return examined;
}

void Golden::look_ahead(Decision& decision) const {
  decision.end = AheadEnd::NoFurther;
  for (const unsigned tag : decision.candidates) {
    if (!decision.examined.empty()) {
      if (goes_first(decision.tag) && !goes_first(tag)) {
        decision.end = AheadEnd::Due;
        return;
      }
      if (key(tag) >= decision.key) {
        decision.end = AheadEnd::Key;
        return;
      }
    }
    decision.examined.push_back(examine(tag));
    const Examined& examined = decision.examined.back();
    if (decision.examined.size() == 1 || examined.total < decision.key) {
      decision.tag = tag;
      decision.key = examined.total;
    }
    if (static_cast<std::int64_t>(decision.examined.size()) == most_) {
      decision.end = AheadEnd::Most;
      return;
    }
  }
}

unsigned Golden::ahead_cycles(const Decision& decision) const {
  if (decision.end == AheadEnd::NoLookAhead) return 0;
  const unsigned pass = parameters_.rows() + reg::kDecisionLatency;
  unsigned cycles = decision.end == AheadEnd::Most ? 1 : 2;
  for (std::size_t i = 0; i < decision.examined.size(); ++i) {
    cycles += 2 + decision.examined[i].searches * (pass + 5);
    if (static_cast<std::int64_t>(i + 1) != most_) cycles += pass + 1;
  }
  return cycles;
}

Golden::Answer Golden::op_decide() {
  const unsigned n = occupancy(), c = continuous_entries();
  const unsigned pass = parameters_.rows() + reg::kDecisionLatency;
  unsigned cycles = pass;
  if (guard_en_ && (sums_stale_ || debts_stale_)) {
    cycles += 2;
    if (sums_stale_) {
      cycles += n + (c > 2 ? c - 2 : 0) + 13;
      work_out_sums();
    }
    if (debts_stale_) {
      cycles += pass + 2;
      work_out_debts();
    }
  }
  pending_decision_ = decide();
  return start(Work::Decide, cycles + ahead_cycles(pending_decision_));
}

// ---------------------------------------------------------------------------------------------- CLUSTER

Golden::Collection Golden::collect() const {
  std::vector<unsigned> way = list_;
  if (setting_.down) std::reverse(way.begin(), way.end());
  Collection found;
  for (const unsigned tag : way) {
    const Entry& e = table_[tag];
    ++found.looked_at;
    if (setting_.down ? e.cyl > setting_.from : e.cyl < setting_.from) {
      ++found.before;
      continue;
    }
    if (setting_.stop_at_c && e.continuous()) {
      found.end = End::StopAtC;
      return found;
    }
    if (!(e.continuous() ? setting_.take_c : setting_.take_d)) {
      ++found.not_taken;
      continue;
    }
    if (!found.tags.empty() && std::abs(e.cyl - table_[found.tags.front()].cyl) > setting_.span) {
      found.end = End::Span;
      return found;
    }
    found.tags.push_back(tag);
    if (static_cast<std::int64_t>(found.tags.size()) == setting_.max) {
      found.end = End::Max;
      return found;
    }
  }
  return found;
}

// best[set][last]: least cost of serving the set with `last` at its end. The way back from the whole set takes, at each
// step, the entry collected first of those with which the least cost is kept.
Golden::Order Golden::best_order(const std::vector<unsigned>& tags) const {
  const std::size_t c = tags.size();
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  const auto limited = [this](const Hop& hop) { return std::min(hop.cost, parameters_.time_limit()); };
  std::vector<std::int64_t> from_head(c);
  std::vector<std::vector<std::int64_t>> between(c, std::vector<std::int64_t>(c));
  for (std::size_t i = 0; i < c; ++i) {
    from_head[i] = limited(hop_from_head(tags[i]));
    for (std::size_t j = 0; j < c; ++j) between[i][j] = limited(hop_between(tags[i], tags[j]));
  }
  const std::size_t all = (std::size_t{1} << c) - 1;
  std::vector<std::vector<std::int64_t>> best(all + 1, std::vector<std::int64_t>(c, kNever));
  for (std::size_t set = 1; set <= all; ++set) {
    for (std::size_t last = 0; last < c; ++last) {
      if (!(set >> last & 1)) continue;
      const std::size_t rest = set & ~(std::size_t{1} << last);
      if (rest == 0) best[set][last] = from_head[last];
      for (std::size_t before = 0; before < c; ++before) {
        if (rest >> before & 1) best[set][last] = std::min(best[set][last], best[rest][before] + between[before][last]);
      }
    }
  }
  Order order;
  order.cost = *std::min_element(best[all].begin(), best[all].end());
  std::int64_t cost = order.cost;
  std::size_t after = c;  // none
  for (std::size_t set = all; set != 0;) {
    std::size_t chosen = c;
    for (std::size_t last = 0; last < c; ++last) {
      if (!(set >> last & 1) || best[set][last] + (after < c ? between[last][after] : 0) != cost) continue;
      if (chosen < c) order.tie = true;
      chosen = std::min(chosen, last);
    }
    order.tags.insert(order.tags.begin(), tags[chosen]);
    cost = best[set][chosen];
    set &= ~(std::size_t{1} << chosen);
    after = chosen;
  }
  return order;
}

Golden::Answer Golden::op_cluster() {
  collection_ = collect();
  const auto c = static_cast<unsigned>(collection_.tags.size());
  mask_.assign(parameters_.entries, false);
  for (const unsigned tag : collection_.tags) mask_[tag] = true;
  cluster_count_ = c;
  ordered_ = setting_.order && c >= 1 && c <= parameters_.order_m;
  order_ = ordered_ ? best_order(collection_.tags) : Order{};
  return start(Work::Cluster, collection_.looked_at + 2 + (ordered_ ? c * c + 13 + order_cycles(c) : 0));
}

}  // namespace platter::testing
