// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/accelerator_engine.h"

#include <algorithm>

#include "platter/accelerator/decision_cycles.h"
#include "platter/accelerator/registers.h"
#include "platter/core/sc_time.h"

namespace platter::accelerator {

using core::Picoseconds;
using scheduling::Command;
using scheduling::Decision;
using scheduling::HeadState;
using Event = DecisionCourse::Event;

AcceleratorEngine::Device::Device(std::unique_ptr<BusCoreIf> core, Picoseconds clock_period)
    : irq("irq"), target("target", std::move(core), clock_period) {
  target.irq_o.bind(irq);
}

AcceleratorEngine::AcceleratorEngine(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner,
                                     std::uint32_t queue_depth, const AcceleratorParameters& parameters, const Options& options,
                                     std::unique_ptr<BusCoreIf> core)
    : sc_module(name),
      options_(options),
      loader_(planner, parameters),
      port_(options.clock_period),
      table_(queue_depth),
      program_(new_program()),
      request_(core::Rank::Request, [this] { request(); }),
      device_(std::move(core), options.clock_period) {
  changes_.arrived.reserve(queue_depth);
  changes_.withdrawn.reserve(queue_depth);
  port_.bus_init_socket.bind(device_.target.bus_tgt_socket);
  SC_METHOD(interrupt);
  sensitive << device_.irq.posedge_event();
  dont_initialize();
}

std::unique_ptr<AcceleratorProgram> AcceleratorEngine::new_program() const {
  return make_program({options_.policy, loader_.parameters(), loader_.scale(), loader_.cylinders(), table_.tags(),
                       options_.interpretations, options_.ahead_candidates, options_.ahead_accesses, loader_.longest_hop()});
}

Picoseconds AcceleratorEngine::decision_bound() const {
  return port_.time(most_cycles(loader_.built(), *program_, table_.tags(), loader_.rests()));
}

void AcceleratorEngine::start_of_simulation() {  // the firmware's power-on sequence, before time 0
  loader_.check_identity(port_);
  loader_.load_seek_table(port_);
  load_drive();
  port_.restart();
}

/// Sets all registers except the seek table.
void AcceleratorEngine::load_drive() {
  loader_.load_mechanics(port_, options_.margins);
  bound_ = decision_bound();
  delay_ = loader_.scale().time(bound_);
  port_.set(reg::kDelay, delay_);
}

void AcceleratorEngine::reset() {
  port_.not_before(core::now_ps());
  port_.write(reg::kClear, 1u << reg::kClearSoftResetLsb);  // after an operation in progress; this cancels its interrupt
  port_.forget_all();
  load_drive();
  port_.end_work();
  program_ = new_program();
  request_.cancel();
  table_.clear();
  changes_.arrived.clear();
  changes_.withdrawn.clear();
  count_ = 0;
  course_.reset();
}

// --- commands ------------------------------------------------------------------------------------------------------

void AcceleratorEngine::insert(const Command& command) {
  const Picoseconds now = core::now_ps();
  ++count_;
  course_.asked = course_.inserted = now;
  course_.on(Event::Change);
  warn_of_ignored_deadline(command);
  if (course_.running()) {
    changes_.arrived.push_back(&command);
    return;
  }
  port_.not_before(now);
  if (program_->arrived(*this, command)) recall(command);
  // After all arrivals of this instant: one decision covers them all.
  if (course_.prepared() && course_.when() > now) request_.now();
}

void AcceleratorEngine::warn_of_ignored_deadline(const Command& command) {
  if (told_ || !program_->guarded() || !scheduling::has_own_deadline(command) || limited(command)) return;
  told_ = true;
  SC_REPORT_WARNING(
      "/platter/accelerator/deadline",
      "an accelerator without limits keeps the deadlines of continuous commands only; those of others are ignored");
}

bool AcceleratorEngine::withdraw(const Command& command) {
  const Picoseconds now = core::now_ps();
  --count_;
  if (const auto at = std::find(changes_.arrived.begin(), changes_.arrived.end(), &command); at != changes_.arrived.end()) {
    changes_.arrived.erase(at);  // the accelerator has not seen it
    return true;
  }
  course_.on(Event::Change);
  if (course_.running()) {
    changes_.withdrawn.push_back(&command);
    return false;
  }
  course_.asked = now;
  port_.not_before(now);
  take_back(command);
  if (course_.prepared() && course_.when() > now) request_.now();
  return true;
}

bool AcceleratorEngine::withdraws_at_once(const Command& command) const {
  return !course_.running() || std::find(changes_.arrived.begin(), changes_.arrived.end(), &command) != changes_.arrived.end();
}

bool AcceleratorEngine::withdrawn(const Decision& decision) const {
  return decision.kind == Decision::Kind::Serve &&
         std::any_of(changes_.withdrawn.begin(), changes_.withdrawn.end(),
                     [&](const Command* command) { return command->tag == decision.tag; });
}

void AcceleratorEngine::moved(const Command& command) {
  if (!table_.has(command) || course_.running())
    SC_REPORT_FATAL("/platter/accelerator/moved", "the accelerator does not serve a mapping that moves blocks");
  withhold(command);
  recall(command);
}

void AcceleratorEngine::take_back(const Command& command) {
  if (table_.has(command)) {  // otherwise the program withholds it
    withhold(command);
    table_.debts_no_longer_hold();
  }
  program_->withdrawn(*this, command);
}

void AcceleratorEngine::apply_changes() {
  for (const Command* command : changes_.withdrawn) {
    take_back(*command);
    sink_->left(command->tag);
  }
  changes_.withdrawn.clear();
  for (const Command* command : changes_.arrived)
    if (program_->arrived(*this, *command)) recall(*command);
  changes_.arrived.clear();
}

void AcceleratorEngine::recall(const Command& command) {
  // In the table, only commands of the sweep are continuous. A continuous command without a deadline is entered as background.
  const bool sweeps = in_sweep(command);
  const core::RequestClass cls =
      command.cls == core::RequestClass::Continuous && !sweeps ? core::RequestClass::Background : command.cls;
  AcceleratorProgram::LimitUse limit;
  if (limited(command)) limit = program_->limit_of(command, loader_.grace(table_.commands(), bound_));
  loader_.stage(port_, command, cls, program_->guarded(), sweeps, limit);
  program_->stage(*this, command);
  port_.write(reg::kInsert, command.tag.value);
  port_.started_work(reg::cycles::insert(table_.beyond(command.extent.cylinder)));
  table_.enter(command, sweeps, limit.kind != 0, core::now_ps());
}

void AcceleratorEngine::withhold(const Command& command) {
  port_.write(reg::kRemove, command.tag.value);
  port_.started_work(reg::cycles::remove(table_.entries()));
  table_.leave(command, in_sweep(command), limited(command));
}

void AcceleratorEngine::take(core::Tag tag) {
  const Command& command = *table_.commands()[tag.value];
  const mechanics::Extent& extent = command.extent;
  port_.write(reg::kServe, tag.value);
  port_.started_work(reg::cycles::remove(table_.entries()));
  port_.assume(reg::kHeadPos, loader_.position(extent.end_cylinder, extent.end_head, extent.write));
  table_.leave(command, in_sweep(command), limited(command));
  --count_;
  table_.settle_direction();
  program_->served(*this, command);
}

bool AcceleratorEngine::limited(const Command& command) const {
  if (!loader_.parameters().has(kLimits) || !program_->guarded()) return false;
  if (!scheduling::has_own_deadline(command) && !command.high_priority) return false;
  return program_->limit_of(command, 0).kind != 0;
}

void AcceleratorEngine::set(std::uint32_t address, std::uint32_t data) {
  if (address == reg::kCtrl && !port_.holds(address, data)) table_.sums_no_longer_hold();
  port_.set(address, data);
}

// --- decisions -----------------------------------------------------------------------------------------------------

void AcceleratorEngine::prepare(const HeadState& at, Picoseconds when) {
  if (course_.is_for(at, when)) return;
  course_.prepare(at, when, core::now_ps());
  if (!course_.running() && count_ > 0) start();
}

void AcceleratorEngine::request() {
  if (course_.stage() == DecisionCourse::Stage::Prepared && count_ > 0) start();
}

void AcceleratorEngine::decide(const HeadState& head, Picoseconds now) {
  if (!course_.is_for(head, now)) course_.prepare(head, now, now);
  course_.on(Event::Await);
  if (course_.running() && course_.inserted == now)
    course_.on(Event::Outdate);  // commands that arrived in this instant take part
  if (course_.ready())
    deliver(now);
  else if (!course_.running())
    start();
}

void AcceleratorEngine::start() {
  port_.not_before(core::now_ps());
  // An entry's deadline is staged again before it wraps around.
  while (const Command* old = table_.staged_before(core::now_ps(), loader_.comparable() / 2)) moved(*old);
  if (course_.waiting()) program_->asked(*this, course_.when());
  const HeadState& head = course_.head();
  const bool downward = table_.downward(head.cylinder);
  set(reg::kCtrl,
      program_->control() | (static_cast<std::uint32_t>(downward) << reg::kCtrlSweepDownLsb) | (1u << reg::kCtrlIrqEnLsb));
  port_.set(reg::kHeadPos, loader_.position(head.cylinder, head.head, head.last_was_write));
  if (program_->guarded()) {
    const std::uint32_t backlog = loader_.scale().sum(std::max<Picoseconds>(head.bus_free - course_.when(), 0));
    port_.set(reg::kReserve, std::min(backlog + kGuardSafetyTicks, loader_.parameters().format.sum_max()));
  }
  if (table_.any_limited()) port_.set(reg::kGrace, loader_.scale().sum(loader_.grace(table_.commands(), bound_)));
  // If the decision is late, the access begins when the result will have been read.
  const Effort effort = program_->effort(table_.entries());
  const std::uint32_t cycles = decision_cycles(loader_.built(), effort, table_.entries(), program_->begin_accesses(),
                                               table_.decide_cycles(loader_.built(), program_->guarded(), effort.ordered > 0));
  course_.instant = std::max(course_.when(), port_.idle() + port_.time(cycles));
  const std::uint32_t code = program_->begin(*this, {course_.instant, head, downward, bound_});
  port_.set(reg::kHeadTime, loader_.scale().time_of_day(course_.instant));
  course_.on(Event::Start);
  operate(code);
}

void AcceleratorEngine::operate(std::uint32_t code) {
  const bool decides = code == AcceleratorProgram::kDecide;
  // An exact order does not include the time that decisions may take; the guard does.
  const bool orders = !decides && (port_.value(reg::kCluster) >> reg::kClusterOrderLsb & 1) != 0;
  const std::uint32_t delay = orders ? 0 : delay_;
  if ((orders || decides) && port_.value(reg::kDelay) != delay) {
    table_.sums_no_longer_hold();
    port_.set(reg::kDelay, delay);
  }
  course_.started = port_.idle();
  port_.write(reg::kOp, code << reg::kOpCodeLsb);
  if (!decides) {  // a CLUSTER sets the mask
    for (std::uint32_t word = reg::kMask0; word <= reg::kMask7; word += 4) port_.forget(word);
  } else if ((port_.value(reg::kCtrl) >> reg::kCtrlGuardEnLsb & 1) != 0) {
    table_.decided();
  }
}

void AcceleratorEngine::interrupt() {
  if (!course_.running()) return;  // the interrupt rose in the instant of a reset
  port_.not_before(core::now_ps());
  // The measured number of cycles, not the specified one: BUSY is set from the cycle after OP until the interrupt rises.
  statistics_.cycles += static_cast<std::uint64_t>((core::now_ps() - course_.started) / options_.clock_period) - 1;
  const AcceleratorProgram::Step step = program_->ended(*this);
  course_.answered = port_.free();
  port_.write(reg::kClear, 1u << reg::kClearDoneLsb);
  const bool anew = !step.decision && step.operation == AcceleratorProgram::kAnew;
  if (anew) program_->refused(*this);
  if (anew || course_.outdated() || (step.decision && withdrawn(*step.decision)) || (!course_.waiting() && !changes_.none())) {
    start_anew();
  } else if (!step.decision) {
    operate(step.operation);
  } else {
    const bool waiting = course_.waiting();
    course_.decision = *step.decision;
    course_.on(Event::Complete);
    if (waiting)
      deliver(core::now_ps());
    else
      sink_->preparation_changed();
  }
}

void AcceleratorEngine::start_anew() {
  course_.on(Event::Discard);
  apply_changes();
  if (count_ > 0) {
    start();
  } else if (course_.waiting()) {  // all commands have been withdrawn
    course_.decision = {};
    course_.instant = course_.answered;
    deliver(core::now_ps());
  }
}

void AcceleratorEngine::deliver(Picoseconds now) {
  const Picoseconds effective = std::max({now, course_.instant, course_.answered});
  const Decision decision = course_.decision;
  course_.on(Event::Deliver);
  ++statistics_.decisions;
  statistics_.latency += (course_.instant > course_.when() ? effective : course_.answered) - course_.asked;
  port_.not_before(now);
  if (decision.kind == Decision::Kind::Serve) {
    statistics_.forced += decision.forced ? 1 : 0;
    take(decision.tag);
  }
  apply_changes();
  sink_->decided(decision, effective);
}

engine::EngineStatistics AcceleratorEngine::statistics() const {
  engine::EngineStatistics statistics = statistics_;
  statistics.access_cycles = device_.target.access_cycles();
  statistics += device_.target.core().statistics();
  return statistics;
}

}  // namespace platter::accelerator
