// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/energy_account.h"

#include <algorithm>
#include <stdexcept>

namespace platter::drive {

namespace {

Picoseconds seconds(double value) { return core::to_picoseconds(value, core::kPicosecondsPerSecond); }

/// When a rest reaches a depth; kNoDeadline: never.
Picoseconds after(double value) { return value > 0 ? seconds(value) : core::kNoDeadline; }

}  // namespace

PowerTable power_table(const profile::PowerProfile& p) {
  const auto given_or = [](double watts, double otherwise) { return watts > 0 ? watts : otherwise; };
  const double unloaded = given_or(p.spindle_unloaded_w, p.spindle_w);
  const double slow = given_or(p.spindle_slow_w, unloaded);
  const double idle_a = given_or(p.electronics_idle_a_w, p.electronics_w);
  const double idle_b = given_or(p.electronics_idle_b_w, idle_a);
  const double idle_c = given_or(p.electronics_idle_c_w, idle_b);
  const double ready = p.spindle_w + p.electronics_w;
  const double active = ready + p.active_w;
  PowerTable watts{};
  const auto set = [&watts](PowerState state, double value) { watts[index_of(state)] = value; };
  set(PowerState::Off, 0);
  set(PowerState::Standby, given_or(p.electronics_standby_w, idle_c));
  set(PowerState::Start, given_or(p.start_w, active));
  set(PowerState::IdleC, slow + idle_c);
  set(PowerState::IdleB, unloaded + idle_b);
  set(PowerState::Load, active);
  set(PowerState::IdleA, p.spindle_w + idle_a);
  set(PowerState::Idle, ready);
  for (const PowerState state : {PowerState::Overhead, PowerState::Coast, PowerState::Settle, PowerState::Rotation})
    set(state, active);
  set(PowerState::Accelerate, active + p.coil_w);
  set(PowerState::Read, active + p.read_w);
  set(PowerState::Write, active + p.write_w);
  set(PowerState::ReadAhead, active + p.read_w);
  return watts;
}

EnergyAccount::EnergyAccount(const mechanics::AccessPlanner& planner, const profile::PowerProfile& power, Picoseconds spin_up)
    : planner_(planner),
      watts_(power_table(power)),
      depths_{{{PowerState::IdleA, after(power.idle_a_s), 0},
               {PowerState::IdleB, after(power.idle_b_s), seconds(power.idle_b_recovery_s)},
               {PowerState::IdleC, after(power.idle_c_s), seconds(power.idle_c_recovery_s)},
               {PowerState::Standby, after(power.standby_s), spin_up}}} {
  const mechanics::SeekCurve& curve = planner.seek_curve();
  const std::uint32_t longest = curve.cylinders() - 1;
  const auto knee = static_cast<std::uint32_t>(power.coast_share * longest);
  for (const Depth& depth : depths_)
    if (depth.state != PowerState::IdleA) least_recovering_ = std::min(least_recovering_, depth.after);
  settle_ = curve(1);
  most_current_ = std::max<Picoseconds>(curve(std::clamp<std::uint32_t>(knee, 1, longest)) - settle_, 0);
}

// --- the account -----------------------------------------------------------------------------------------------------

template <typename Visit>
void EnergyAccount::for_each_rest(Picoseconds end, Visit visit) const {
  PowerState state = on_ ? rest_ : PowerState::Off;
  Picoseconds from = end_;
  for (const Depth& depth : depths_) {
    if (depth.state >= state || depth.after >= end - end_) continue;  // written so that no sum overflows
    const Picoseconds reached = std::max(from, end_ + depth.after);
    if (reached > from) visit(state, from, reached);
    from = reached;
    state = depth.state;
  }
  if (end > from) visit(state, from, end);
}

EnergyAccount EnergyAccount::at(Picoseconds now) const {
  EnergyAccount copy = *this;
  const auto open = read_ahead_ != nullptr ? read_ahead_->open_read_ahead(now) : std::nullopt;
  copy.read_ahead_ = nullptr;
  if (open) copy.read_ahead(now, open->begin, open->end);
  return copy;
}

PowerTimes EnergyAccount::times(Picoseconds now) const {
  const EnergyAccount account = at(now);
  PowerTimes times = account.sums_;
  const auto add = [&](PowerState state, Picoseconds begin, Picoseconds end) {
    times[index_of(state)] += std::max<Picoseconds>(std::min(end, now) - begin, 0);
  };
  for (std::size_t i = 0; i < account.count_; ++i)
    add(account.intervals_[i].state, account.intervals_[i].begin, account.intervals_[i].end);
  account.for_each_rest(now, add);
  return times;
}

PowerState EnergyAccount::state(Picoseconds now) const {
  const EnergyAccount account = at(now + 1);  // so a read-ahead that goes on does not end at `now`
  for (std::size_t i = 0; i < account.count_; ++i)
    if (now >= account.intervals_[i].begin && now < account.intervals_[i].end) return account.intervals_[i].state;
  PowerState last = PowerState::Idle;
  account.for_each_rest(now + 1, [&last](PowerState state, Picoseconds, Picoseconds) { last = state; });
  return last;
}

bool EnergyAccount::rests(Picoseconds now) const {
  if (rest_ != PowerState::Idle || !on_) return true;
  if (now >= end_ && now - end_ < least_recovering_) return false;
  return state(now) <= PowerState::Load;
}

void EnergyAccount::fold(Picoseconds now) {
  std::size_t over = 0;
  for (; over < count_ && intervals_[over].end <= now; ++over)
    sums_[index_of(intervals_[over].state)] += intervals_[over].end - intervals_[over].begin;
  std::move(intervals_.begin() + static_cast<std::ptrdiff_t>(over), intervals_.begin() + static_cast<std::ptrdiff_t>(count_),
            intervals_.begin());
  count_ -= over;
}

void EnergyAccount::cut(Picoseconds now) {
  while (count_ > 0 && intervals_[count_ - 1].begin >= now) --count_;
  if (count_ > 0) intervals_[count_ - 1].end = std::min(intervals_[count_ - 1].end, now);
  end_ = std::min(end_, now);
}

void EnergyAccount::append(PowerState state, Picoseconds duration) {
  if (duration <= 0) return;
  if (count_ == intervals_.size())
    throw std::logic_error("the account of energy has more activities than a drive can have at once");
  intervals_[count_++] = {state, end_, end_ + duration};
  end_ += duration;
}

void EnergyAccount::rest_until(Picoseconds now, Picoseconds begin) {
  if (read_ahead_ != nullptr) {
    if (const auto open = read_ahead_->open_read_ahead(now)) {
      read_ahead_->read_ahead_entered();
      read_ahead(now, open->begin, open->end);
    }
  }
  fold(now);
  std::array<Interval, 5> rests{};
  std::size_t parts = 0;
  for_each_rest(begin, [&](PowerState state, Picoseconds from, Picoseconds end) { rests[parts++] = {state, from, end}; });
  for (std::size_t i = 0; i < parts; ++i) append(rests[i].state, rests[i].end - rests[i].begin);
  fold(now);
}

// --- activities ------------------------------------------------------------------------------------------------------

void EnergyAccount::append_seek(std::uint32_t distance, Picoseconds duration) {
  const Picoseconds wanted = distance > 0 ? std::min(planner_.seek_curve()(distance) - settle_, most_current_) : 0;
  const Picoseconds settle = std::min(distance > 0 ? settle_ : duration, duration);
  const Picoseconds current = std::clamp<Picoseconds>(wanted, 0, duration - settle);
  append(PowerState::Accelerate, current / 2);
  append(PowerState::Coast, duration - settle - current);
  append(PowerState::Accelerate, current - current / 2);
  append(PowerState::Settle, settle);
}

void EnergyAccount::access(Picoseconds now, Picoseconds begin, std::uint32_t distance, const mechanics::AccessTime& time,
                           bool write) {
  rest_until(now, begin);
  append(PowerState::Overhead, time.overhead);
  append_seek(distance, time.seek + std::min<Picoseconds>(time.settle, 0));
  append(PowerState::Settle, std::max<Picoseconds>(time.settle, 0) + time.data_wait);
  append(PowerState::Rotation, time.rotation);
  append(write ? PowerState::Write : PowerState::Read, time.transfer);
}

void EnergyAccount::move(Picoseconds now, Picoseconds begin, std::uint32_t distance, Picoseconds seek) {
  rest_until(now, begin);
  append_seek(distance, seek);
}

void EnergyAccount::read_ahead(Picoseconds now, Picoseconds begin, Picoseconds end) {
  if (end <= begin) return;  // it was to begin later
  rest_until(now, begin);
  append(PowerState::ReadAhead, end - end_);
}

std::optional<EnergyAccount::Waking> EnergyAccount::wake(Picoseconds now) {
  if (rest_ == PowerState::Idle && now - end_ < least_recovering_) return std::nullopt;
  const PowerState rest = rest_ == PowerState::Standby ? rest_ : state(now);
  const auto depth = std::find_if(depths_.begin(), depths_.end(), [rest](const Depth& each) { return each.state == rest; });
  if (depth == depths_.end() || depth->state == PowerState::IdleA) return std::nullopt;
  rest_until(now, now);
  rest_ = PowerState::Idle;
  const Picoseconds ready = now + depth->recovery;
  start_ = {rest == PowerState::IdleB ? PowerState::Load : PowerState::Start, end_, ready};
  append(start_.state, ready - end_);
  return Waking{ready, rest == PowerState::Standby};
}

void EnergyAccount::stop(Picoseconds now) {
  if (start_.end > now) cut(std::max(now, start_.begin));
  start_.end = now;
  rest_until(now, std::max(now, end_));
  rest_ = PowerState::Standby;
}

void EnergyAccount::interrupted(Picoseconds now) {
  cut(now);
  append(start_.state, start_.end - now);
}

void EnergyAccount::set_on(Picoseconds now, bool on) {
  if (const PowerState was = state(now); was == PowerState::Standby || was == PowerState::IdleC || was == PowerState::IdleB)
    rest_ = was;
  cut(now);
  rest_until(now, now);
  on_ = on;
  if (on) append(start_.state, start_.end - now);
}

}  // namespace platter::drive
