// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <utility>
#include <vector>

#include "platter/core/sc_time.h"

namespace platter::core {

/// What a timed call does. Calls of one instant are made in this order.
enum class Rank : std::uint8_t {
  Arrival,   ///< a host issues its requests
  Watch,     ///< once, at time 0: recording begins with the hosts' first requests in place
  Failure,   ///< a drive fails or is revived at a configured time
  Layer,     ///< a layer above the drives continues its own work
  Access,    ///< an access or another movement ends, an arm becomes free, an accelerator raises its interrupt
  Response,  ///< a drive responds
  Tokens,    ///< a command that waited for tokens may enter a drive
  Request,   ///< an engine begins a decision that it prepares
  Decision,  ///< a drive that is free decides
};

/// A call at a simulation time. Several calls of the same time are made one after another: by rank, and within a rank in the order in which
/// the objects were constructed (the drives of an array: by their number). Neither the order in which they were asked for nor any other
/// event of the kernel affects this order. So an observer, which adds events, changes no result.
///
/// A call is made when the kernel has no other activity at this time, after any number of delta cycles. All other processes therefore run
/// before, and what follows from a call at the same time happens before the next one. After 1,000 delta cycles at one time the calls are
/// made in any case, so that a loop of delta cycles elsewhere does not block them.
///
/// To be constructed during elaboration.
class TimedCall {
 public:
  TimedCall(Rank rank, std::function<void()> call)
      : calendar_(Calendar::of_present_construction()), call_(std::move(call)), order_(calendar_->next_order(rank)) {}
  ~TimedCall() { cancel(); }
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;

  /// Asks for the call at `when` (>= now). Without effect if it has been asked for at an earlier time or the same.
  void at(Picoseconds when) { calendar_->enter(*this, when); }
  void in(Picoseconds delay) { at(now_ps() + delay); }
  /// At the present time, never within this function.
  void now() { at(now_ps()); }
  void cancel() { calendar_->remove(*this); }

  /// True if neither a process nor a timed call is pending at this time. A caller that finds this as the last act of a timed call need not
  /// ask for a call at the present time.
  bool quiet() const { return calendar_->quiet(); }

 private:
  friend class LocalTime;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// The calls that have been asked for: a heap, the next one first. It takes one event of the kernel for each instant with calls.
  class Calendar : public sc_core::sc_module {
   public:
    SC_HAS_PROCESS(Calendar);
    explicit Calendar(const sc_core::sc_module_name& name) : sc_module(name) {
      SC_METHOD(make_calls);
      sensitive << event_;
    }

    /// That of the LocalTime under construction; otherwise that of the simulation.
    static std::shared_ptr<Calendar> of_present_construction() {
      if (std::shared_ptr<Calendar> local = local_.lock()) return local;
      std::shared_ptr<Calendar> calendar = existing_.lock();
      if (!calendar) existing_ = calendar = std::make_shared<Calendar>(sc_core::sc_gen_unique_name("calendar"));
      return calendar;
    }

    std::uint64_t next_order(Rank rank) { return static_cast<std::uint64_t>(rank) << kRankShift | constructed_++; }

    void enter(TimedCall& call, Picoseconds when) {
      if (call.place_ != kNone && call.when_ <= when) return;
      call.when_ = when;
      if (call.place_ == kNone) {
        call.place_ = heap_.size();
        heap_.push_back(&call);
      }
      rise(call);
      if (!held_ && heap_.front() == &call) notify();
    }
    void remove(TimedCall& call) {
      const std::size_t hole = call.place_;
      if (hole == kNone) return;
      call.place_ = kNone;
      TimedCall& last = *heap_.back();
      heap_.pop_back();
      if (&last == &call) return;
      put(last, hole);
      rise(last);
      sink(last);
    }
    bool quiet() const {
      return (is_local_ || !sc_core::sc_pending_activity_at_current_time()) &&
             (heap_.empty() || heap_.front()->when_ > now_ps());
    }

    // For a LocalTime.
    static std::shared_ptr<Calendar> begin_local() {
      auto calendar = std::make_shared<Calendar>(sc_core::sc_gen_unique_name("calendar"));
      calendar->is_local_ = true;
      local_ = calendar;
      return calendar;
    }
    static void end_local() { local_.reset(); }
    Picoseconds reached() const { return reached_; }
    /// Local time becomes `time`, after the calls before it.
    void advance(Picoseconds time) {
      while (!heap_.empty() && heap_.front()->when_ < time) make_next();
      reached_ = known_now = std::max(reached_, time);
    }
    /// Makes the next call at its time. Returns false if there is none.
    bool step() {
      if (heap_.empty()) return false;
      make_next();
      return true;
    }
    /// While it exists, the time is known to be `now` (and then that of the calls), and the kernel is not asked for calls. At the end of the outermost one
    /// the kernel is to make the calls that are left. A call may throw a report.
    class Held {
     public:
      Held(Calendar& calendar, Picoseconds now)
          : calendar_(calendar), outer_(std::exchange(known_now, now)), inner_(std::exchange(calendar.held_, true)) {}
      ~Held() {
        known_now = outer_;
        if (inner_) return;
        calendar_.held_ = false;
        if (!calendar_.heap_.empty()) calendar_.notify();
      }
      Held(const Held&) = delete;
      Held& operator=(const Held&) = delete;

     private:
      Calendar& calendar_;
      Picoseconds outer_;  ///< known_now before
      bool inner_;         ///< it is within another one of the same calendar
    };

   private:
    static constexpr int kRankShift = 56;
    static constexpr unsigned kMaxDeltas = 1'000;

    static bool before(const TimedCall& a, const TimedCall& b) {
      return a.when_ != b.when_ ? a.when_ < b.when_ : a.order_ < b.order_;
    }
    void put(TimedCall& call, std::size_t place) {
      heap_[place] = &call;
      call.place_ = place;
    }
    void rise(TimedCall& call) {
      std::size_t at = call.place_;
      for (; at > 0 && before(call, *heap_[(at - 1) / 2]); at = (at - 1) / 2) put(*heap_[(at - 1) / 2], at);
      put(call, at);
    }
    void sink(TimedCall& call) {
      std::size_t at = call.place_;
      for (;;) {
        std::size_t child = 2 * at + 1;
        if (child + 1 < heap_.size() && before(*heap_[child + 1], *heap_[child])) ++child;
        if (child >= heap_.size() || !before(*heap_[child], call)) break;
        put(*heap_[child], at);
        at = child;
      }
      put(call, at);
    }

    void notify() {
      // without effect if it has been notified for an earlier time
      event_.notify(to_sc_time(heap_.front()->when_ - to_ps(sc_core::sc_time_stamp())));
    }
    void make_next() {
      TimedCall& next = *heap_.front();
      if (is_local_) reached_ = known_now = std::max(reached_, next.when_);
      remove(next);
      next.call_();
    }
    /// Another process is active at this time, and is to go first.
    bool must_wait(Picoseconds now) {
      if (!sc_core::sc_pending_activity_at_current_time()) return false;
      if (instant_ != now) deltas_ = 0;
      instant_ = now;
      return ++deltas_ < kMaxDeltas;
    }
    void make_calls() {
      const Picoseconds now = now_ps();
      const Held held(*this, now);
      while (!heap_.empty() && heap_.front()->when_ <= now && !must_wait(now)) make_next();
    }

    inline static std::weak_ptr<Calendar> existing_;
    inline static std::weak_ptr<Calendar> local_;  ///< of the LocalTime under construction
    std::vector<TimedCall*> heap_;
    std::uint64_t constructed_ = 0;
    sc_core::sc_event event_;
    bool held_ = false;  ///< calls are entered without a notification of the kernel
    Picoseconds instant_ = -1;
    unsigned deltas_ = 0;
    bool is_local_ = false;
    Picoseconds reached_ = 0;  ///< local time
  };

  std::shared_ptr<Calendar> calendar_;
  std::function<void()> call_;
  std::uint64_t order_;
  Picoseconds when_ = 0;
  std::size_t place_ = kNone;  ///< in the calendar
};

/// Local time of one object, ahead of the kernel: temporal decoupling (IEEE 1666-2011, 10.1). The timed calls of the object have a calendar of
/// their own. Within a Scope, now_ps() is the object's local time, and its calls can be made without the kernel. Local time never decreases.
/// The kernel makes the calls that nobody has made before their time.
///
/// An object that runs ahead constructs a LocalTime before its other members, and calls constructed() after them.
class LocalTime {
 public:
  LocalTime() : calendar_(TimedCall::Calendar::begin_local()) {}
  ~LocalTime() { constructed(); }
  LocalTime(const LocalTime&) = delete;
  LocalTime& operator=(const LocalTime&) = delete;
  void constructed() { TimedCall::Calendar::end_local(); }

  /// The object acts at its local time. If that is before the kernel's time plus `delay`, it first advances so far.
  class Scope {
   public:
    /// `time` null: an object in the kernel's time; no effect.
    explicit Scope(LocalTime* time, Picoseconds delay = 0) {
      if (time == nullptr) return;
      calendar_ = time->calendar_.get();
      const Picoseconds kernel = to_ps(sc_core::sc_time_stamp());
      held_.emplace(*calendar_, calendar_->reached());
      calendar_->advance(std::max(known_now, kernel + delay));
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    /// Makes the next timed call of the object, at its time. Returns false if there is none.
    bool step() const { return calendar_->step(); }
    /// Local time after the kernel's, ps.
    Picoseconds ahead() const { return known_now - to_ps(sc_core::sc_time_stamp()); }

   private:
    TimedCall::Calendar* calendar_ = nullptr;
    std::optional<TimedCall::Calendar::Held> held_;
  };

 private:
  std::shared_ptr<TimedCall::Calendar> calendar_;
};

}  // namespace platter::core
