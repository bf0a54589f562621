// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <algorithm>
#include <cstdlib>

#include "platter/accelerator/registers.h"

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;

std::int64_t low_bits(std::int64_t value, unsigned width) { return value & ((std::int64_t{1} << width) - 1); }

std::int64_t bits(std::uint32_t word, unsigned lsb, unsigned width) { return low_bits(word >> lsb, width); }

std::int64_t as_signed(std::int64_t value, unsigned width) {
  return (value >> (width - 1)) & 1 ? value - (std::int64_t{1} << width) : value;
}

// Quotient towards minus infinity.
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

Golden::Golden(const Parameters& parameters)
    : parameters_(parameters),
      seek_base_table_(parameters.segs()),
      seek_delta_table_(parameters.segs()),
      seek_cells_(parameters.cells()) {
  hard_reset();
}

void Golden::hard_reset() {
  busy_ = false;
  soft_reset();
}

void Golden::soft_reset() {
  table_.assign(parameters_.entries, Entry{});
  result_ = Decision{};
  guard_en_ = next_c_only_ = auto_remove_ = irq_en_ = done_ = error_ = false;
  head_cyl_ = head_head_ = head_angle_ = slack_ = 0;
  next_cyl_ = next_head_ = next_angle_ = next_tag_ = 0;
  next_write_ = next_valid_ = false;
  sweep_ = margin_ = head_switch_ = write_settle_ = 0;
  overhead_read_ = overhead_write_ = next_overhead_ar_ = next_overhead_aw_ = 0;
  staged_ = Entry{};
  seek_index_ = seek_base_ = seek_cell_ = seek_first_ = seek_second_ = 0;
  seq_ = cycles_ = decisions_ = 0;
}

unsigned Golden::occupancy() const {
  return static_cast<unsigned>(std::count_if(table_.begin(), table_.end(), [](const Entry& e) { return e.valid; }));
}

bool Golden::write(std::uint32_t address, std::uint32_t data, unsigned strobe) {
  if (strobe != 0xF) return false;
  const unsigned angle_w = parameters_.angle_w, cyl_w = parameters_.cyl_w;
  const std::int64_t angle = low_bits(data, angle_w), time = low_bits(data, parameters_.time_w()),
                     sum = low_bits(data, parameters_.sum_w()), cyl = low_bits(data, cyl_w),
                     head = bits(data, 18, 6);
  const std::uint32_t tag = data & 0xFFFF;
  const bool in_range = tag < parameters_.entries;
  const bool in_use = in_range && table_[tag].valid;
  const auto refuse = [this] {
    error_ = true;
    return false;
  };
  switch (address) {
    case reg::kCtrl:
      guard_en_ = bits(data, 0, 1);
      next_c_only_ = bits(data, 1, 1);
      auto_remove_ = bits(data, 2, 1);
      irq_en_ = bits(data, 3, 1);
      return true;
    case reg::kClear:
      if (bits(data, 0, 1)) done_ = false;
      if (bits(data, 1, 1)) error_ = false;
      if (bits(data, 8, 1)) soft_reset();
      return true;
    case reg::kHeadPos: head_cyl_ = cyl, head_head_ = head; return true;
    case reg::kHeadAngle: head_angle_ = angle; return true;
    case reg::kSlack: slack_ = sum; return true;
    case reg::kNextPos: next_cyl_ = cyl, next_head_ = head, next_write_ = bits(data, 24, 1); return true;
    case reg::kNextAngle: next_angle_ = angle; return true;
    case reg::kNextTag: next_tag_ = bits(data, 0, 8), next_valid_ = bits(data, 8, 1); return true;
    case reg::kSweep: sweep_ = sum; return true;
    case reg::kMargin: margin_ = angle; return true;
    case reg::kHeadSwitch: head_switch_ = time; return true;
    case reg::kWriteSettle: write_settle_ = time; return true;
    case reg::kOverheadRead: overhead_read_ = time; return true;
    case reg::kOverheadWrite: overhead_write_ = time; return true;
    case reg::kNextOverheadAr: next_overhead_ar_ = time; return true;
    case reg::kNextOverheadAw: next_overhead_aw_ = time; return true;
    case reg::kStart:
      pending_ = decide();
      busy_ = true;
      return true;
    case reg::kEPos:
      staged_.cyl = cyl, staged_.head = head;
      staged_.write = bits(data, 24, 1), staged_.klass = static_cast<unsigned>(bits(data, 25, 2));
      return true;
    case reg::kEAngle: staged_.angle = angle; return true;
    case reg::kEEndPos: staged_.end_cyl = cyl, staged_.end_head = head; return true;
    case reg::kEEndAngle: staged_.end_angle = angle; return true;
    case reg::kETransfer: staged_.transfer = sum; return true;
    case reg::kECredit: staged_.credit = sum; return true;
    case reg::kInsert:
      if (!in_range || in_use) return refuse();
      table_[tag] = staged_;
      table_[tag].valid = true;
      table_[tag].seq = seq_;
      seq_ = static_cast<std::uint32_t>(low_bits(seq_ + 1, parameters_.seq_w));
      return true;
    case reg::kRemove:
      if (!in_use) return refuse();
      table_[tag].valid = false;
      return true;
    case reg::kSetCredit:
      if (!in_use) return refuse();
      table_[tag].credit = staged_.credit;
      return true;
    case reg::kSeekIndex: seek_index_ = bits(data, 0, 10); return true;
    case reg::kSeekBase: seek_base_ = low_bits(data, parameters_.base_w()); return true;
    case reg::kSeekDelta:
      if (seek_index_ < parameters_.segs()) {
        const auto segment = static_cast<std::size_t>(seek_index_);
        seek_base_table_[segment] = as_signed(seek_base_, parameters_.base_w());
        seek_delta_table_[segment] = as_signed(low_bits(data, parameters_.delta_w()), parameters_.delta_w());
      }
      seek_index_ = low_bits(seek_index_ + 1, 10);
      return true;
    case reg::kSeekCell: seek_cell_ = bits(data, 0, 10); return true;
    case reg::kSeekLast:
      seek_first_ = bits(data, 0, parameters_.place_w()), seek_second_ = bits(data, 16, parameters_.place_w());
      return true;
    case reg::kSeekGroup:
      if (seek_cell_ < parameters_.cells()) {
        seek_cells_[static_cast<std::size_t>(seek_cell_)] = {bits(data, 0, parameters_.seg_w), seek_first_, seek_second_,
                                                             bits(data, 16, parameters_.place_w())};
      }
      seek_cell_ = low_bits(seek_cell_ + 1, 10);
      return true;
    default: return false;
  }
}

std::optional<std::uint32_t> Golden::read(std::uint32_t address) const {
  const auto word = [](std::int64_t value) { return std::optional<std::uint32_t>(static_cast<std::uint32_t>(value)); };
  switch (address) {
    case reg::kId: return word(0x504C5453);
    case reg::kVersion: return word(0x0200);
    case reg::kParams:
      return word(parameters_.entries | parameters_.lanes << 9 | parameters_.angle_w << 14 |
                  parameters_.cyl_w << 19 | parameters_.seg_m << 24 | parameters_.seg_w << 27);
    case reg::kCtrl: return word(guard_en_ | next_c_only_ << 1 | auto_remove_ << 2 | irq_en_ << 3);
    case reg::kStatus: return word(busy_ | done_ << 1 | error_ << 2 | occupancy() << 8);
    case reg::kHeadPos: return word(head_cyl_ | head_head_ << 18);
    case reg::kHeadAngle: return word(head_angle_);
    case reg::kSlack: return word(slack_);
    case reg::kNextPos: return word(next_cyl_ | next_head_ << 18 | next_write_ << 24);
    case reg::kNextAngle: return word(next_angle_);
    case reg::kNextTag: return word(next_tag_ | next_valid_ << 8);
    case reg::kSweep: return word(sweep_);
    case reg::kMargin: return word(margin_);
    case reg::kHeadSwitch: return word(head_switch_);
    case reg::kWriteSettle: return word(write_settle_);
    case reg::kOverheadRead: return word(overhead_read_);
    case reg::kOverheadWrite: return word(overhead_write_);
    case reg::kNextOverheadAr: return word(next_overhead_ar_);
    case reg::kNextOverheadAw: return word(next_overhead_aw_);
    case reg::kResult: return word(result_.tag | result_.valid << 8 | result_.forced << 9);
    case reg::kResultCost: return word(result_.cost);
    case reg::kCycles: return word(cycles_);
    case reg::kDecisions: return word(decisions_);
    case reg::kRefused: return word(result_.refused);
    case reg::kEPos:
      return word(staged_.cyl | staged_.head << 18 | staged_.write << 24 | std::int64_t{staged_.klass} << 25);
    case reg::kEAngle: return word(staged_.angle);
    case reg::kEEndPos: return word(staged_.end_cyl | staged_.end_head << 18);
    case reg::kEEndAngle: return word(staged_.end_angle);
    case reg::kETransfer: return word(staged_.transfer);
    case reg::kECredit: return word(staged_.credit);
    case reg::kSeekIndex: return word(seek_index_);
    case reg::kSeekBase: return word(seek_base_);
    case reg::kSeekCell: return word(seek_cell_);
    case reg::kSeekLast: return word(seek_first_ | seek_second_ << 16);
    default: return std::nullopt;
  }
}

void Golden::finish(unsigned cycles) {
  busy_ = false;
  done_ = true;
  result_ = pending_;
  cycles_ = cycles;
  ++decisions_;
  if (auto_remove_ && result_.valid) table_[result_.tag].valid = false;
}

std::int64_t Golden::saturate(std::int64_t value) const {
  return std::clamp<std::int64_t>(value, 0, (std::int64_t{1} << parameters_.time_w()) - 1);
}

std::int64_t Golden::seek(std::int64_t distance) const {
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
  return saturate(seek_base_table_[segment] +
                  floor_div(seek_delta_table_[segment] * frac, std::int64_t{1} << parameters_.frac_w()));
}

std::int64_t Golden::hop(const Place& from, const Place& to, bool write, std::int64_t overhead) const {
  const std::int64_t turn = std::int64_t{1} << parameters_.angle_w;
  const std::int64_t distance = std::abs(to.cyl - from.cyl);
  const bool switches = to.head != from.head;
  std::int64_t position = std::max(seek(distance), switches ? head_switch_ : 0);
  if (write && (distance != 0 || switches)) position += as_signed(write_settle_, parameters_.time_w());
  const std::int64_t arrival = saturate(overhead + saturate(position));
  std::int64_t wait = low_bits(to.angle - (from.angle + arrival), parameters_.angle_w);
  if (wait < margin_) wait += turn;
  return saturate(arrival + wait);
}

std::int64_t Golden::cost(unsigned tag) const {
  const Entry& e = table_[tag];
  return hop({head_cyl_, head_head_, head_angle_}, {e.cyl, e.head, e.angle}, e.write,
             e.write ? overhead_write_ : overhead_read_);
}

std::int64_t Golden::need(unsigned tag) const {
  const Entry& e = table_[tag];
  if (tag == next_tag_) return cost(tag) + sweep_;
  const std::int64_t onward = hop({e.end_cyl, e.end_head, e.end_angle}, {next_cyl_, next_head_, next_angle_},
                                  next_write_, e.write ? next_overhead_aw_ : next_overhead_ar_);
  return cost(tag) + e.transfer + onward + sweep_ - e.credit;
}

bool Golden::older(const Entry& a, const Entry& b) const {
  return low_bits(std::int64_t{a.seq} - b.seq, parameters_.seq_w) >> (parameters_.seq_w - 1);
}

Golden::Decision Golden::decide() const {
  Decision decision;
  for (unsigned tag = 0; tag < parameters_.entries; ++tag) {
    const Entry& e = table_[tag];
    const bool is_next = tag == next_tag_;
    if (!e.valid || (active() && next_c_only_ && e.klass == 1 && !is_next)) continue;
    if (active() && need(tag) > slack_) {
      ++decision.refused;
      continue;
    }
    const std::int64_t price = cost(tag);
    if (!decision.valid || price < decision.cost ||
        (price == decision.cost && older(e, table_[decision.tag]))) {
      decision.valid = true;
      decision.tag = tag;
      decision.cost = price;
    }
  }
  if (!decision.valid && active() && next_tag_ < parameters_.entries &&
      table_[static_cast<unsigned>(next_tag_)].valid) {
    decision.valid = decision.forced = true;
    decision.tag = static_cast<unsigned>(next_tag_);
    decision.cost = cost(decision.tag);
  }
  return decision;
}

}  // namespace platter::testing
