// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/reference_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace platter::accelerator {

namespace {

constexpr std::uint32_t field(std::uint32_t word, std::uint32_t lsb, std::uint32_t width) {
  return (word >> lsb) & static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
}

using reg::ones;
namespace cycles = reg::cycles;

constexpr bool flag(std::uint32_t word, std::uint32_t lsb) { return (word >> lsb & 1) != 0; }

constexpr std::int64_t sign_extend(std::uint32_t word, unsigned width) {
  const std::int64_t value = word & ones(width);
  return (value >> (width - 1)) != 0 ? value - (std::int64_t{1} << width) : value;
}

constexpr std::uint8_t kContinuous = reg::kEPosClassContinuous;

constexpr std::uint32_t kOrderTags[] = {reg::kOrderTags0, reg::kOrderTags1, reg::kOrderTags2};

}  // namespace

// --- a hop ---------------------------------------------------------------------------------------------------------

/// "A hop" of docs/reference/scheduler_accelerator.md, with the current configuration.
class ReferenceCore::HopUnit {
 public:
  struct Reach {
    std::uint32_t cost;
    std::uint32_t worst;
  };

  explicit HopUnit(const ReferenceCore& core)
      : cells_(core.state_.seek.cells.data()),
        segments_(core.state_.seek.segments.data()),
        seg_m_(core.parameters_.format.seg_m),
        frac_w_(core.parameters_.format.frac_w()),
        place_shift_(frac_w_ - core.parameters_.format.place_w()),
        angle_mask_(core.parameters_.format.angle_mask()),
        turn_(core.parameters_.format.turn()),
        time_max_(core.parameters_.format.time_max()),
        margin_(core.word(reg::kMargin)),
        risk_(core.word(reg::kRisk)),
        risk_charge_(core.word(reg::kRiskCharge)),
        head_switch_(core.word(reg::kHeadSwitch)),
        write_settle_(static_cast<std::int32_t>(sign_extend(core.word(reg::kWriteSettle), core.parameters_.format.time_w()))),
        delay_(core.word(reg::kDelay)),
        rest_cost_(flag(core.word(reg::kCtrl), reg::kCtrlRestCostLsb)),
        overheads_{{core.word(reg::kOverheadRr), core.word(reg::kOverheadRw)},
                   {core.word(reg::kOverheadWr), core.word(reg::kOverheadWw)}},
        head_pos_(core.word(reg::kHeadPos)),
        head_angle_(core.word(reg::kHeadTime) & angle_mask_) {}

  /// In a decision.
  Reach from_head(const Entry& to) const { return from_head(to, to.rest); }

  /// In a matrix of costs, which must not depend on how an access before it went.
  Reach from_head_in_order(const Entry& to) const { return from_head(to, 0); }

  /// From the end of an entry.
  Reach from(const Entry& entry, const Extent& extent, const Entry& to) const {
    return hop(extent.end_cylinder, extent.end_head, extent.end_angle, to,
               std::min(delay_ + overheads_[to.write][entry.write], time_max_), 0);
  }

  /// The same without DELAY: in a look-ahead.
  Reach ahead(const Entry& entry, const Extent& extent, const Entry& to) const {
    return hop(extent.end_cylinder, extent.end_head, extent.end_angle, to, overheads_[to.write][entry.write], 0);
  }

 private:
  Reach from_head(const Entry& to, std::uint32_t rest) const {
    return hop(field(head_pos_, reg::kHeadPosCylLsb, reg::kHeadPosCylWidth),
               field(head_pos_, reg::kHeadPosHeadLsb, reg::kHeadPosHeadWidth), head_angle_, to,
               overheads_[to.write][flag(head_pos_, reg::kHeadPosWriteLsb)], rest);
  }

  std::uint32_t seek(std::uint32_t distance) const {
    const unsigned low = 31 - static_cast<unsigned>(__builtin_clz(distance | (1u << seg_m_))) - seg_m_;
    const scheduling::SeekTable::Cell& cell = cells_[(low << seg_m_) + (distance >> low)];
    const std::uint32_t frac = (distance & ((1u << low) - 1)) << (frac_w_ - low);
    const std::uint32_t place = frac >> place_shift_;
    const std::uint32_t beyond = static_cast<std::uint32_t>(place > cell.last[0]) +
                                 static_cast<std::uint32_t>(place > cell.last[1]) +
                                 static_cast<std::uint32_t>(place > cell.last[2]);
    const scheduling::SeekTable::Segment& segment = segments_[cell.group | beyond];
    const std::int64_t ticks = segment.base + ((std::int64_t{segment.delta} * frac) >> frac_w_);
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ticks, 0, time_max_));
  }

  Reach hop(std::uint32_t cylinder, std::uint32_t head, std::uint32_t angle, const Entry& to, std::uint32_t overhead,
            std::uint32_t rest) const {
    const std::uint32_t distance = cylinder > to.cylinder ? cylinder - to.cylinder : to.cylinder - cylinder;
    // Branch-free, because the conditions are nearly random.
    const bool switches = head != to.head;
    const bool settles = to.write & ((distance != 0) | switches);
    const std::uint32_t moved = std::max(seek(distance), switches ? head_switch_ : 0);
    const std::int32_t settled = static_cast<std::int32_t>(moved) + (settles ? write_settle_ : 0);
    const std::uint32_t position = std::min(static_cast<std::uint32_t>(std::max(settled, 0)), time_max_);
    const std::uint32_t arrival = std::min(overhead + position, time_max_);
    const std::uint32_t wait = (to.angle - (angle + arrival)) & angle_mask_;
    const bool late = wait < margin_;
    const bool risky = !late & (wait < risk_);
    const std::uint32_t reach = std::min(arrival + wait + (late ? turn_ : 0), time_max_);
    const std::uint32_t worst = std::min(reach + (risky ? turn_ : 0), time_max_);
    if (rest == 0) return {reach + (risky ? risk_charge_ : 0), worst};
    const std::uint32_t lost = wait < rest ? wait : (rest_cost_ ? rest : 0);
    return {std::min(arrival + lost, time_max_), worst};
  }

  const scheduling::SeekTable::Cell* cells_;
  const scheduling::SeekTable::Segment* segments_;
  unsigned seg_m_, frac_w_, place_shift_;
  std::uint32_t angle_mask_, turn_, time_max_;
  std::uint32_t margin_, risk_, risk_charge_, head_switch_;
  std::int32_t write_settle_;
  std::uint32_t delay_;
  bool rest_cost_;
  std::uint32_t overheads_[2][2];  ///< by to.write, from.write
  std::uint32_t head_pos_, head_angle_;
};

// --- the bus -------------------------------------------------------------------------------------------------------

ReferenceCore::ReferenceCore(const AcceleratorParameters& parameters)
    : parameters_(parameters), built_(parameters.built()), path_(parameters.order_m) {
  state_.entries.resize(parameters_.entries);
  state_.extents.resize(parameters_.entries);
  state_.list.reserve(parameters_.entries);
  candidates_.reserve(parameters_.entries);
  taken_.resize(parameters_.entries);
  state_.seek.segments.resize(parameters_.format.segments());
  state_.seek.cells.resize(parameters_.format.cells());
  for (const reg::RegisterInfo& info : reg::kRegisters)
    ports_[info.offset / 4] = {info.access != reg::Access::WriteOnly, info.access != reg::Access::ReadOnly, info.hops,
                               reg::held(info.offset, built_)};
  start_afresh();
}

void ReferenceCore::reset() { start_afresh(); }

void ReferenceCore::start_afresh() {
  State& s = state_;
  s.words.fill(0);
  for (const reg::RegisterInfo& info : reg::kRegisters)
    if (info.kind == reg::Kind::Constant) word(info.offset) = reg::constant(info.offset, built_);
  s.done = s.error = false;
  s.sums_stale = s.debts_stale = true;
  s.continuous = 0;
  s.insertions = 0;
  std::fill(s.entries.begin(), s.entries.end(), Entry{});
  std::fill(s.extents.begin(), s.extents.end(), Extent{});
  s.list.clear();
}

BusResponse ReferenceCore::access(const BusRequest& request) {
  BusResponse response;
  response.cycles = cycles::access();
  if (request.write) {
    const bool irq_before = irq();
    std::uint32_t busy = 0;
    response.ok = write(request.address, request.data, busy);
    if (busy != 0) {
      word(reg::kBusyCycles) += busy;
      response.busy_cycles = busy + 1;
      if (irq() && !irq_before) response.irq_cycles = response.busy_cycles;
    }
  } else {
    response.ok = read(request.address, response.data);
  }
  response.irq = irq();
  return response;
}

bool ReferenceCore::write(std::uint32_t address, std::uint32_t data, std::uint32_t& busy) {
  if (address % 4 != 0 || address / 4 >= kWords || !ports_[address / 4].writable) return false;
  const Port& port = ports_[address / 4];
  switch (address) {
    case reg::kClear: clear(data); return true;
    case reg::kOp: busy = operate(field(data, reg::kOpCodeLsb, reg::kOpCodeWidth)); return true;
    case reg::kInsert: busy = insert(field(data, reg::kInsertTagLsb, reg::kInsertTagWidth)); break;
    case reg::kRemove: busy = remove(field(data, reg::kRemoveTagLsb, reg::kRemoveTagWidth)); break;
    case reg::kServe: {
      const std::uint32_t tag = field(data, reg::kServeTagLsb, reg::kServeTagWidth);
      busy = remove(tag);
      if (busy == 0) break;
      const Extent& extent = state_.extents[tag];
      word(reg::kHeadPos) = (extent.end_cylinder << reg::kHeadPosCylLsb) |
                            (std::uint32_t{extent.end_head} << reg::kHeadPosHeadLsb) |
                            (static_cast<std::uint32_t>(state_.entries[tag].write) << reg::kHeadPosWriteLsb);
      break;
    }
    case reg::kSeekDelta:
    case reg::kSeekGroup:
      address == reg::kSeekDelta ? fill_segment(data) : fill_cell(data);
      forget_hops();
      return true;
    default:
      word(address) = data & port.held;
      if (port.hops) forget_hops();
      if (address == reg::kCtrl) state_.sums_stale = true;
      return true;
  }
  if (busy != 0) return true;
  state_.error = true;  // the table refuses the command
  return false;
}

bool ReferenceCore::read(std::uint32_t address, std::uint32_t& data) const {
  if (address % 4 != 0 || address / 4 >= kWords || !ports_[address / 4].readable) return false;
  data = word(address);
  if (address == reg::kStatus)  // work ends within the access that starts it, so BUSY always reads as 0
    data = (static_cast<std::uint32_t>(state_.done) << reg::kStatusDoneLsb) |
           (static_cast<std::uint32_t>(state_.error) << reg::kStatusErrorLsb) |
           (static_cast<std::uint32_t>(state_.list.size()) << reg::kStatusOccupancyLsb);
  return true;
}

void ReferenceCore::clear(std::uint32_t bits) {
  if (flag(bits, reg::kClearSoftResetLsb)) return start_afresh();
  if (flag(bits, reg::kClearDoneLsb)) state_.done = false;
  if (flag(bits, reg::kClearErrorLsb)) state_.error = false;
  if (flag(bits, reg::kClearCountersLsb))
    for (std::uint32_t address = reg::kDecisions; address <= reg::kForcedCount; address += 4) word(address) = 0;
}

void ReferenceCore::fill_segment(std::uint32_t data) {
  std::uint32_t& index = word(reg::kSeekIndex);
  const scheduling::FixedPointFormat& f = parameters_.format;
  if (index < state_.seek.segments.size())
    state_.seek.segments[index] = {static_cast<std::int32_t>(sign_extend(word(reg::kSeekBase), f.base_w())),
                                   static_cast<std::int32_t>(sign_extend(data, f.delta_w()))};
  index = (index + 1) & ones(reg::kSeekIndexIndexWidth);
}

void ReferenceCore::fill_cell(std::uint32_t data) {
  std::uint32_t& index = word(reg::kSeekCell);
  const scheduling::FixedPointFormat& f = parameters_.format;
  const std::uint32_t last = word(reg::kSeekLast);
  if (index < state_.seek.cells.size())
    state_.seek.cells[index] = {
        field(data, reg::kSeekGroupSegmentLsb, f.seg_w),
        {field(last, reg::kSeekLastFirstLsb, f.place_w()), field(last, reg::kSeekLastSecondLsb, f.place_w()),
         field(data, reg::kSeekGroupThirdLsb, f.place_w())}};
  index = (index + 1) & ones(reg::kSeekCellIndexWidth);
}

void ReferenceCore::forget_hops() {
  state_.sums_stale = true;
  for (const std::uint8_t tag : state_.list) {
    Extent& extent = state_.extents[tag];
    extent.after = extent.around = extent.onward = {};
  }
}

// --- table and list ------------------------------------------------------------------------------------------------

/// Returns the cycles of work; 0: refused.
std::uint32_t ReferenceCore::insert(std::uint32_t tag) {
  State& s = state_;
  if (tag >= parameters_.entries || s.entries[tag].valid) return 0;
  const std::uint32_t start = word(reg::kEPos);
  const std::uint32_t end = word(reg::kEEndPos);
  Entry& entry = s.entries[tag];
  entry.cylinder = field(start, reg::kEPosCylLsb, reg::kEPosCylWidth);
  entry.angle = word(reg::kEAngle);
  entry.age = word(reg::kEAge);
  entry.head = static_cast<std::uint8_t>(field(start, reg::kEPosHeadLsb, reg::kEPosHeadWidth));
  entry.cls = static_cast<std::uint8_t>(field(start, reg::kEPosClassLsb, reg::kEPosClassWidth));
  entry.write = flag(start, reg::kEPosWriteLsb);
  entry.limit_kind = static_cast<std::uint8_t>(field(start, reg::kEPosLimitLsb, reg::kEPosLimitWidth));
  entry.limit = word(reg::kELimit);
  entry.rest = word(reg::kERest);
  entry.valid = true;
  entry.number = s.insertions++;
  Extent& extent = s.extents[tag];
  extent.end_cylinder = field(end, reg::kEEndPosCylLsb, reg::kEEndPosCylWidth);
  extent.end_head = static_cast<std::uint8_t>(field(end, reg::kEEndPosHeadLsb, reg::kEEndPosHeadWidth));
  extent.end_angle = word(reg::kEEndAngle);
  extent.transfer = word(reg::kETransfer);
  extent.deadline = word(reg::kEDeadline);
  extent.part = extent.transfer;  // for a continuous entry `work_out_sums` sets it
  extent.after = extent.around = extent.onward = {};

  const auto place =
      std::upper_bound(s.list.begin(), s.list.end(), entry.cylinder,
                       [&s](std::uint32_t cylinder, std::uint8_t other) { return cylinder < s.entries[other].cylinder; });
  const auto beyond = static_cast<std::uint32_t>(s.list.end() - place);
  s.list.insert(place, static_cast<std::uint8_t>(tag));
  s.debts_stale = true;
  if (entry.cls == kContinuous) {
    s.sums_stale = true;
    ++s.continuous;
  }
  return cycles::insert(beyond);
}

/// Returns the cycles of work; 0: refused. The contents of the entry stay readable.
std::uint32_t ReferenceCore::remove(std::uint32_t tag) {
  State& s = state_;
  if (tag >= parameters_.entries || !s.entries[tag].valid) return 0;
  Entry& entry = s.entries[tag];
  const auto count = static_cast<std::uint32_t>(s.list.size());
  auto place = std::lower_bound(s.list.begin(), s.list.end(), entry.cylinder, [&s](std::uint8_t other, std::uint32_t cylinder) {
    return s.entries[other].cylinder < cylinder;
  });
  while (*place != tag) ++place;
  s.list.erase(place);
  entry.valid = false;
  if (entry.cls == kContinuous) {
    s.sums_stale = true;
    --s.continuous;
  }
  return cycles::remove(count);
}

bool ReferenceCore::is_older(const Entry& a, const Entry& b) const {
  // Compares the low bits of the insertion numbers, relative to the next number. An entry that 2^24 others have followed counts as new again.
  const auto place = [this](const Entry& e) { return (e.number - state_.insertions) & ((std::uint64_t{1} << reg::kSeqW) - 1); };
  return place(a) < place(b);
}

// --- operations ----------------------------------------------------------------------------------------------------

std::uint32_t ReferenceCore::operate(std::uint32_t code) {
  const std::uint32_t busy = code == 0 ? decide() : collect();
  word(reg::kCycles) = busy;
  state_.done = true;
  return busy;
}

std::uint32_t ReferenceCore::decide() {
  State& s = state_;
  const bool guard = flag(word(reg::kCtrl), reg::kCtrlGuardEnLsb);
  const HopUnit hops(*this);
  std::uint32_t busy = cycles::decide_pass(built_);
  if (guard && (s.sums_stale || (s.debts_stale && s.continuous > 0))) {  // debts exist only while there is a sweep
    busy += cycles::stale();
    if (s.sums_stale) {
      busy += cycles::sums(static_cast<std::uint32_t>(s.list.size()), s.continuous);
      work_out_sums(hops);
    }
    if (s.continuous > 0) {
      busy += cycles::debts(built_);
      work_out_debts(hops);
    }
  }
  busy += choose(hops, guard);
  ++word(reg::kDecisions);
  return busy;
}

void ReferenceCore::work_out_sums(const HopUnit& hops) {
  State& s = state_;
  s.sums_stale = false;
  s.debts_stale = true;
  std::array<std::uint8_t, 256> sweep;
  std::size_t n = 0;
  for (const std::uint8_t tag : s.list)
    if (s.entries[tag].cls == kContinuous) sweep[n++] = tag;
  if (n == 0) {
    word(reg::kNext) = word(reg::kSweep) = word(reg::kDue) = 0;
    return;
  }
  if (flag(word(reg::kCtrl), reg::kCtrlSweepDownLsb)) std::reverse(sweep.begin(), sweep.begin() + n);

  const auto worst = [&](Extent::Known& known, std::uint8_t from, std::uint8_t to) {
    const Entry& a = s.entries[from];
    const Entry& b = s.entries[to];
    if (known.from != a.number || known.to != b.number) known = {a.number, b.number, hops.from(a, s.extents[from], b).worst};
    return std::int64_t{known.ticks};
  };
  const unsigned sum_w = parameters_.format.sum_w();
  const Extent& last = s.extents[sweep[n - 1]];
  std::uint64_t tail = last.transfer;
  std::uint32_t due = last.deadline;
  std::int64_t hop_on = 0;  // from the entry after this one to its successor
  for (std::size_t i = n - 1; i-- > 0;) {
    Extent& extent = s.extents[sweep[i]];
    const std::int64_t hop = worst(extent.after, sweep[i], sweep[i + 1]);
    Extent& beyond = s.extents[sweep[i + 1]];
    beyond.part = -hop - hop_on;
    if (i + 2 < n) beyond.part += worst(beyond.around, sweep[i], sweep[i + 2]);
    hop_on = hop;
    tail += extent.transfer + static_cast<std::uint64_t>(hop);
    tail = std::min<std::uint64_t>(tail, parameters_.format.sum_max());
    if (((extent.deadline - due) >> (sum_w - 1) & 1) != 0) due = extent.deadline;
  }
  word(reg::kNext) = (std::uint32_t{sweep[0]} << reg::kNextTagLsb) | (1u << reg::kNextValidLsb);
  word(reg::kSweep) = static_cast<std::uint32_t>(tail);
  word(reg::kDue) = due;
}

/// Precondition: there is a sweep, and its sums are up to date.
void ReferenceCore::work_out_debts(const HopUnit& hops) {
  State& s = state_;
  s.debts_stale = false;
  const Entry& next = s.entries[field(word(reg::kNext), reg::kNextTagLsb, reg::kNextTagWidth)];
  for (const std::uint8_t tag : s.list) {
    Extent& extent = s.extents[tag];
    Entry& entry = s.entries[tag];
    if (extent.onward.to != next.number) extent.onward = {entry.number, next.number, hops.from(entry, extent, next).worst};
    entry.debt = extent.part + extent.onward.ticks;
  }
}

bool ReferenceCore::masked(std::uint32_t tag) const {
  return flag(word(reg::kCtrl), reg::kCtrlMaskEnLsb) && !flag(word(reg::kMask0 + tag / 32 * 4), tag % 32);
}

bool ReferenceCore::goes_before(const Pick& pick, const Pick& rival) const {
  if (!rival.found) return true;
  if (pick.due != rival.due) return pick.due;
  if (pick.key != rival.key) return pick.key < rival.key;
  const Entry& a = state_.entries[pick.tag];
  const Entry& b = state_.entries[rival.tag];
  return is_older(a, b) || (!is_older(b, a) && pick.tag < rival.tag);
}

/// Returns the cycles of the look-ahead.
std::uint32_t ReferenceCore::choose(const HopUnit& hops, bool guard) {
  const State& s = state_;
  const std::uint32_t ctrl = word(reg::kCtrl);
  const std::uint32_t next = word(reg::kNext);
  const bool active = guard && flag(next, reg::kNextValidLsb);
  const bool next_only = active && flag(ctrl, reg::kCtrlNextCOnlyLsb);
  const bool defers = flag(ctrl, reg::kCtrlDeferCLsb);
  const std::uint32_t next_tag = field(next, reg::kNextTagLsb, reg::kNextTagWidth);
  const unsigned sum_w = parameters_.format.sum_w();
  const std::uint32_t sum_mask = ones(sum_w);
  const std::uint32_t time_max = parameters_.format.time_max();
  const std::uint32_t age_now = word(reg::kAgeNow);
  const std::uint32_t age_cap = word(reg::kAgeCap);
  const std::uint64_t age_scale = word(reg::kAgeScale);
  const std::int64_t put_off = word(reg::kDefer);
  const std::uint32_t head_time = word(reg::kHeadTime);
  const std::int64_t grace = word(reg::kGrace);
  const std::int64_t left = sign_extend(word(reg::kDue) - head_time, sum_w) - std::int64_t{word(reg::kReserve)};
  const std::int64_t room = left - std::int64_t{word(reg::kSweep)};
  const bool looks_ahead = field(word(reg::kAhead), reg::kAheadMostLsb, reg::kAheadMostWidth) != 0 &&
                           field(word(reg::kAhead), reg::kAheadDepthLsb, reg::kAheadDepthWidth) != 0;

  Pick best;
  std::uint32_t refused = 0;
  std::uint32_t expired = parameters_.entries;
  candidates_.clear();
  for (const std::uint8_t tag : s.list) {
    const Entry& e = s.entries[tag];
    if (masked(tag)) continue;
    const HopUnit::Reach reach = hops.from_head(e);
    bool due = false;
    if (e.limit_kind != 0) {
      const std::int64_t to_limit = sign_extend(e.limit - head_time, sum_w);
      const bool missed = reach.worst > to_limit;
      if (e.limit_kind == reg::kEPosLimitWithdraw && missed) {
        expired = std::min<std::uint32_t>(expired, tag);
        continue;
      }
      due = e.limit_kind == reg::kEPosLimitFirst ? missed : e.limit_kind == reg::kEPosLimitKeep && !missed && grace > to_limit;
    }
    const bool is_next = active && tag == next_tag;
    if (next_only && e.cls == kContinuous && !is_next) continue;
    if (active && reach.worst + (is_next ? 0 : e.debt) > room) {
      ++refused;
      continue;
    }
    std::int64_t key = reach.cost;
    if (defers && e.cls == kContinuous) {
      key += put_off;
    } else {
      const std::uint32_t waited = (age_now - e.age) & sum_mask;
      key -= static_cast<std::int64_t>(
          age_scale == 0
              ? std::min(waited, time_max)
              : std::min<std::uint64_t>((std::min(waited, age_cap) * age_scale) >> reg::kAgeScaleWeightFraction, time_max));
    }
    const Pick pick{tag, key, due, true};
    if (looks_ahead) candidates_.push_back(pick);
    if (goes_before(pick, best)) best = pick;
  }

  const std::uint32_t busy = looks_ahead ? look_ahead(hops, best) : 0;
  const bool forced = !best.found && active;
  word(reg::kResult) = 0;
  if (best.found || forced)
    word(reg::kResult) = ((best.found ? best.tag : next_tag) << reg::kResultTagLsb) | (1u << reg::kResultValidLsb) |
                         (static_cast<std::uint32_t>(forced) << reg::kResultForcedLsb);
  word(reg::kResultKey) = best.found ? static_cast<std::uint32_t>(best.key) : 0;
  word(reg::kRefused) = refused;
  word(reg::kExpired) = expired == parameters_.entries ? 0 : (expired << reg::kExpiredTagLsb) | (1u << reg::kExpiredValidLsb);
  word(reg::kRefusedCount) += refused;
  word(reg::kForcedCount) += static_cast<std::uint32_t>(forced);
  return busy;
}

/// The entry that is reached most cheaply from the end of an entry, of those that are not taken.
ReferenceCore::Pick ReferenceCore::cheapest_after(const HopUnit& hops, std::uint32_t from) const {
  const State& s = state_;
  Pick best;
  for (const std::uint8_t tag : s.list) {
    if (taken_[tag] || masked(tag)) continue;
    const Pick pick{tag, hops.ahead(s.entries[from], s.extents[from], s.entries[tag]).cost, false, true};
    if (goes_before(pick, best)) best = pick;
  }
  return best;
}

/// Replaces the candidate of least key by the one of least total. Returns the cycles that it takes.
std::uint32_t ReferenceCore::look_ahead(const HopUnit& hops, Pick& best) {
  const std::uint32_t most = field(word(reg::kAhead), reg::kAheadMostLsb, reg::kAheadMostWidth);
  const std::uint32_t depth =
      std::min(field(word(reg::kAhead), reg::kAheadDepthLsb, reg::kAheadDepthWidth), reg::kAheadDepthMax);
  std::uint32_t busy = cycles::ahead_begin();
  Pick candidate = best;
  best = {};
  std::sort(candidates_.begin(), candidates_.end(), [this](const Pick& a, const Pick& b) { return goes_before(a, b); });
  for (std::uint32_t examined = 0;;) {
    if (!candidate.found || (best.found && (candidate.due != best.due || candidate.key >= best.key)))
      return busy + cycles::ahead_end();
    std::fill(taken_.begin(), taken_.end(), false);
    taken_[candidate.tag] = true;
    Pick total = candidate;
    std::uint32_t from = candidate.tag;
    for (std::uint32_t level = 0; level < depth; ++level) {
      busy += cycles::ahead_access(built_);
      const Pick next = cheapest_after(hops, from);
      if (!next.found) break;
      total.key += (next.key * field(word(reg::kAheadShare), reg::kAheadShareFirstWidth * level, reg::kAheadShareFirstWidth)) >>
                   reg::kAheadShareFirstFraction;
      taken_[next.tag] = true;
      from = next.tag;
    }
    if (!best.found || total.key < best.key) best = total;
    busy += cycles::ahead_candidate();
    if (++examined == most) return busy;
    busy += cycles::ahead_search(built_);
    candidate = examined < candidates_.size() ? candidates_[examined] : Pick{};
  }
}

std::uint32_t ReferenceCore::collect() {
  const State& s = state_;
  const std::uint32_t control = word(reg::kCluster);
  const std::uint32_t most = field(control, reg::kClusterMaxLsb, reg::kClusterMaxWidth);
  const bool take_c = flag(control, reg::kClusterTakeCLsb);
  const bool take_d = flag(control, reg::kClusterTakeDLsb);
  const bool stop_at_c = flag(control, reg::kClusterStopAtCLsb);
  const bool down = flag(control, reg::kClusterDownLsb);
  const std::uint32_t from = word(reg::kClusterFrom);
  const std::uint32_t span = word(reg::kClusterSpan);
  std::array<std::uint8_t, 256> collected;
  std::uint32_t count = 0;
  std::uint32_t looked_at = 0;
  for (std::uint32_t address = reg::kMask0; address <= reg::kMask7; address += 4) word(address) = 0;
  while (looked_at < s.list.size()) {
    const std::uint8_t tag = s.list[down ? s.list.size() - 1 - looked_at : looked_at];
    ++looked_at;
    const Entry& e = s.entries[tag];
    if (down ? e.cylinder > from : e.cylinder < from) continue;
    const bool continuous = e.cls == kContinuous;
    if (stop_at_c && continuous) break;
    if (!(continuous ? take_c : take_d)) continue;
    if (count > 0) {
      const std::uint32_t first = s.entries[collected[0]].cylinder;
      if ((down ? first - e.cylinder : e.cylinder - first) > span) break;
    }
    collected[count++] = tag;
    word(reg::kMask0 + tag / 32 * 4) |= 1u << tag % 32;
    if (count == most) break;
  }

  const bool ordered = flag(control, reg::kClusterOrderLsb) && count >= 1 && count <= parameters_.order_m;
  for (const std::uint32_t address : kOrderTags) word(address) = 0;
  word(reg::kOrderCost) = 0;
  word(reg::kClusterCount) =
      (count << reg::kClusterCountCountLsb) | (static_cast<std::uint32_t>(ordered) << reg::kClusterCountOrderedLsb);
  std::uint32_t busy = cycles::collect(looked_at);
  if (ordered) {
    order(collected, count);
    busy += cycles::order(count);
  }
  return busy;
}

void ReferenceCore::order(const std::array<std::uint8_t, 256>& collected, std::uint32_t count) {
  const State& s = state_;
  const HopUnit hops(*this);
  const std::uint32_t time_max = parameters_.format.time_max();
  for (std::uint32_t to = 0; to < count; ++to) {
    const Entry& entry = s.entries[collected[to]];
    path_.set_start(to, std::min(hops.from_head_in_order(entry).cost, time_max));
    for (std::uint32_t from = 0; from < count; ++from) {
      const std::uint8_t tag = collected[from];
      path_.set_hop(from, to, std::min(hops.from(s.entries[tag], s.extents[tag], entry).cost, time_max));
    }
  }
  word(reg::kOrderCost) = path_.solve(count);
  for (std::uint32_t i = 0; i < count; ++i) word(kOrderTags[i / 4]) |= std::uint32_t{collected[path_[i]]} << (8 * (i % 4));
}

std::string ReferenceCore::describe() const {
  const State& s = state_;
  std::string text = fmt::format(
      "decisions {} result 0x{:x} key {} refused {} ctrl 0x{:x} head 0x{:x} at {} next 0x{:x} sweep {} due {} "
      "reserve {} occupancy {}{}{}\n",
      word(reg::kDecisions), word(reg::kResult), static_cast<std::int32_t>(word(reg::kResultKey)), word(reg::kRefused),
      word(reg::kCtrl), word(reg::kHeadPos), word(reg::kHeadTime), word(reg::kNext), word(reg::kSweep), word(reg::kDue),
      word(reg::kReserve), s.list.size(), s.sums_stale ? " sums stale" : "", s.debts_stale ? " debts stale" : "");
  for (const std::uint8_t tag : s.list) {
    const Entry& e = s.entries[tag];
    const Extent& x = s.extents[tag];
    text += fmt::format(
        "  tag {:3} {} class {} at {}/{}@{} to {}/{}@{} transfer {} deadline {} age {} limit {} {} rest {} debt {} number {}\n",
        tag, e.write ? "write" : "read ", e.cls, e.cylinder, e.head, e.angle, x.end_cylinder, x.end_head, x.end_angle,
        x.transfer, x.deadline, e.age, e.limit_kind, e.limit, e.rest, e.debt, e.number);
  }
  return text;
}

}  // namespace platter::accelerator
