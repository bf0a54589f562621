// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/accelerator_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/accelerator/lockstep_core.h"
#include "platter/accelerator/registers.h"
#include "platter/core/sc_time.h"

namespace platter::accelerator {

using core::Picoseconds;
using scheduling::Command;
using scheduling::Decision;
using scheduling::HeadState;

namespace {

constexpr std::uint32_t kAccessCycles = 2;
/// Most accesses between the end of an access and the result of the next decision: CTRL, HEAD_POS, RESERVE, HEAD_TIME, OP, and
/// afterwards CLEAR and SERVE. The program's accesses are not included.
constexpr std::uint32_t kAccessesPerDecision = 7;
/// The staging registers and INSERT.
constexpr std::uint32_t kAccessesPerInsert = 8;
constexpr std::uint32_t kAccessesPerRest = 1;   ///< E_REST
constexpr std::uint32_t kAccessesPerLimit = 1;  ///< E_LIMIT
constexpr std::uint32_t kAccessesForGrace = 1;  ///< GRACE, in a decision
/// OP and CLEAR of an operation, and the cycle of its interrupt.
constexpr std::uint32_t kAccessesPerOperation = 2;
constexpr std::uint32_t kInterruptCycles = 1;
/// Cycles of a CLUSTER in addition to one for each entry; and of an exact order in addition to the orderer's cycles and one for
/// each cost.
constexpr std::uint32_t kClusterCycles = 2;
constexpr std::uint32_t kOrderCycles = 13;
/// DELAY is set to 0 for an exact order, and back to its value for the guard.
constexpr std::uint32_t kAccessesPerOrder = 2;
/// Cycles for which INSERT and SERVE keep the accelerator busy, in addition to one for each entry.
constexpr std::uint32_t kInsertCycles = 2;
constexpr std::uint32_t kServeCycles = 1;
/// Cycles of the sums, in addition to one for each entry and one for each continuous entry; of the debts, in addition to a pass
/// over the table; and of recomputing either.
constexpr std::uint32_t kSumsCycles = 13;
constexpr std::uint32_t kDebtsCycles = 2;
constexpr std::uint32_t kStaleCycles = 2;
/// Cycles of a look-ahead: of its end; of each candidate; of each access ahead, in addition to a pass over the table.
constexpr std::uint32_t kAheadCycles = 2;
constexpr std::uint32_t kCandidateCycles = 2;
constexpr std::uint32_t kAheadPassCycles = 5;
constexpr std::uint32_t kLimitKeep = 3;  ///< of E_POS.LIMIT: the command goes first to be in time
/// Times of day wrap around, and can be compared up to half their range. This many turns of it are kept in reserve.
constexpr Picoseconds kTurnsKept = 16;

std::uint32_t distance(core::Cylinder a, core::Cylinder b) { return a > b ? a.value - b.value : b.value - a.value; }

}  // namespace

AcceleratorEngine::AcceleratorEngine(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner,
                                     std::uint32_t queue_depth, const AcceleratorParameters& parameters, const Options& options,
                                     std::unique_ptr<BusCoreIf> core)
    : sc_module(name),
      bus_init_socket("bus_init_socket"),
      irq_i("irq_i"),
      planner_(planner),
      parameters_(parameters),
      options_(options),
      scale_(parameters.format, planner.rotation().period()),
      seek_table_(scheduling::SeekTable::fit(planner.seek_curve(), scale_)),
      longest_hop_(planner.longest_hop()),
      shadow_(1024),
      shadow_valid_(1024),
      commands_(queue_depth),
      request_(core::Rank::Request, [this] { request(); }),
      irq_("irq"),
      target("target", std::move(core), options.clock_period) {
  program_ = new_program();
  rests_ = parameters_.has(kZeroLatency) && planner_.zero_latency();
  pending_.reserve(queue_depth);
  withdrawn_.reserve(queue_depth);
  bus_init_socket.bind(target.bus_tgt_socket);
  target.irq_o.bind(irq_);
  irq_i.bind(irq_);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&word_));
  payload_.set_data_length(4);
  payload_.set_streaming_width(4);
  payload_.set_byte_enable_ptr(nullptr);
  SC_METHOD(interrupt);
  sensitive << irq_i.pos();
  dont_initialize();
}

std::unique_ptr<AcceleratorProgram> AcceleratorEngine::new_program() const {
  return make_program({options_.policy, parameters_, scale_, planner_.geometry().cylinders(),
                       static_cast<std::uint32_t>(commands_.size()), options_.interpretations, options_.ahead_candidates,
                       options_.ahead_accesses});
}

Picoseconds AcceleratorEngine::decision_bound() const {
  // Worst case: all commands arrive at the last moment, while an operation runs whose result is then discarded.
  const auto entries = static_cast<std::uint32_t>(commands_.size());
  const Effort effort = program_->most_effort(entries);
  const std::uint32_t decision = 2 * pass_cycles() + kStaleCycles + 2 * entries + kSumsCycles + kDebtsCycles + 1 +
                                 further_cycles(effort, entries) +
                                 kAccessCycles * (kAccessesPerDecision + (parameters_.has(kLimits) ? kAccessesForGrace : 0) +
                                                  program_->begin_accesses() + effort.accesses);
  const std::uint32_t insert = kAccessCycles * insert_accesses() + kInsertCycles + 1;
  const std::uint32_t withhold = kAccessCycles + entries + kServeCycles + insert + entries;  // and recalled at once
  return time(2 * decision + entries * insert + entries * (entries - 1) / 2 + entries + kServeCycles +
              program_->most_withheld() * withhold);
}

// --- bus -----------------------------------------------------------------------------------------------------------

void AcceleratorEngine::access(std::uint32_t address) {
  payload_.set_address(address);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  const Picoseconds now = core::now_ps();
  sc_core::sc_time delay = core::to_sc_time(std::max<Picoseconds>(port_time_ - now, 0));
  bus_init_socket->b_transport(payload_, delay);
  port_time_ = now + core::to_ps(delay);
  if (payload_.is_response_error())
    SC_REPORT_ERROR("/platter/accelerator/refused",
                    (payload_.is_write() ? fmt::format("write of 0x{:x} to register 0x{:03x} was refused", word_, address)
                                         : fmt::format("read of register 0x{:03x} was refused", address))
                        .c_str());
}

void AcceleratorEngine::write(std::uint32_t address, std::uint32_t data) {
  word_ = data;
  payload_.set_command(tlm::TLM_WRITE_COMMAND);
  access(address);
}

std::uint32_t AcceleratorEngine::read(std::uint32_t address) {
  payload_.set_command(tlm::TLM_READ_COMMAND);
  access(address);
  return word_;
}

void AcceleratorEngine::set(std::uint32_t address, std::uint32_t data) {
  const std::size_t index = address / 4;
  if (shadow_valid_[index] && shadow_[index] == data) return;
  if (address == reg::kCtrl) sums_stale_ = true;
  shadow_valid_[index] = true;
  shadow_[index] = data;
  write(address, data);
}

std::uint32_t AcceleratorEngine::position(core::Cylinder cylinder, core::Head head, bool written) const {
  return (cylinder.value << reg::kHeadPosCylLsb) | (head.value << reg::kHeadPosHeadLsb) |
         (static_cast<std::uint32_t>(written) << reg::kHeadPosWriteLsb);
}

void AcceleratorEngine::check_identity() {
  const std::uint32_t id = read(reg::kId);
  const std::uint32_t version = read(reg::kVersion) >> reg::kVersionMajorLsb;
  const std::uint32_t built = read(reg::kParams);
  const std::uint32_t expected =
      (parameters_.entries << reg::kParamsEntriesLsb) | (parameters_.lanes << reg::kParamsLanesLsb) |
      (parameters_.format.angle_w << reg::kParamsAngleWLsb) | (parameters_.format.cyl_w << reg::kParamsCylWLsb) |
      (parameters_.format.seg_m << reg::kParamsSegMLsb) | (parameters_.format.seg_w << reg::kParamsSegWLsb);
  const std::uint32_t orderer = read(reg::kOrderer);
  const std::uint32_t features = read(reg::kFeatures);
  if (id != reg::kIdValue || version != reg::kVersionMajor || built != expected || orderer != parameters_.order_m ||
      features != parameters_.features)
    SC_REPORT_ERROR(
        "/platter/accelerator/identity",
        fmt::format("ID 0x{:08x} VERSION {} PARAMS 0x{:08x} ORDERER {} FEATURES {}, expected 0x{:08x}, {}, 0x{:08x}, {} and {}",
                    id, version, built, orderer, features, reg::kIdValue, reg::kVersionMajor, expected, parameters_.order_m,
                    parameters_.features)
            .c_str());
}

void AcceleratorEngine::load_seek_table() {
  set(reg::kSeekIndex, 0);
  for (const scheduling::SeekTable::Segment& segment : seek_table_.segments) {
    write(reg::kSeekBase, static_cast<std::uint32_t>(segment.base));
    write(reg::kSeekDelta, static_cast<std::uint32_t>(segment.delta));
  }
  set(reg::kSeekCell, 0);
  for (const scheduling::SeekTable::Cell& cell : seek_table_.cells) {
    set(reg::kSeekLast, (cell.last[0] << reg::kSeekLastFirstLsb) | (cell.last[1] << reg::kSeekLastSecondLsb));
    write(reg::kSeekGroup, (cell.group << reg::kSeekGroupSegmentLsb) | (cell.last[2] << reg::kSeekGroupThirdLsb));
  }
  if (seek_table_.lift_ticks > kSeekLiftTicks)
    SC_REPORT_WARNING("/platter/accelerator/seek_table",
                      fmt::format("the drive's seek curve needs more than the accelerator's {} segments; the table lies up to "
                                  "{:.1f} us above it",
                                  parameters_.format.segments(), seek_table_.max_error_us)
                          .c_str());
}

void AcceleratorEngine::start_of_simulation() {  // the firmware's power-on sequence, before time 0
  check_identity();
  load_seek_table();
  switch_on();
  port_time_ = work_end_ = 0;
}

/// Sets all registers except the seek table.
void AcceleratorEngine::switch_on() {
  const std::uint32_t margin = std::min(kLeastMarginTicks + options_.margin_ticks, parameters_.format.angle_mask());
  set(reg::kMargin, margin);
  set(reg::kRisk, options_.risk_ticks > 0 ? std::min(margin + options_.risk_ticks, parameters_.format.angle_mask()) : 0);
  set(reg::kRiskCharge, std::min(static_cast<std::uint32_t>(options_.risk_probability * parameters_.format.turn()),
                                 parameters_.format.angle_mask()));
  set(reg::kHeadSwitch, scale_.time(planner_.head_switch()));
  set(reg::kWriteSettle, static_cast<std::uint32_t>(scale_.ceil(planner_.write_settle())));
  set(reg::kOverheadRr, scale_.time(planner_.overhead(false, false)));
  set(reg::kOverheadRw, scale_.time(planner_.overhead(false, true)));
  set(reg::kOverheadWr, scale_.time(planner_.overhead(true, false)));
  set(reg::kOverheadWw, scale_.time(planner_.overhead(true, true)));
  bound_ = decision_bound();
  delay_ = scale_.time(bound_);
  set(reg::kDelay, delay_);
}

void AcceleratorEngine::reset() {
  port_time_ = std::max(port_time_, core::now_ps());
  write(reg::kClear, 1u << reg::kClearSoftResetLsb);  // after an operation in progress; this cancels its interrupt
  std::fill(shadow_valid_.begin(), shadow_valid_.end(), false);
  switch_on();
  work_end_ = port_time_;
  program_ = new_program();
  request_.cancel();
  std::fill(commands_.begin(), commands_.end(), nullptr);
  pending_.clear();
  withdrawn_.clear();
  count_ = entries_ = continuous_ = limited_ = 0;
  sums_stale_ = debts_stale_ = true;
  direction_known_ = downward_ = false;
  prepared_ = running_ = again_ = ready_ = waiting_ = false;
  inserted_ = -1;
}

// --- commands ------------------------------------------------------------------------------------------------------

void AcceleratorEngine::insert(const Command& command) {
  const Picoseconds now = core::now_ps();
  ++count_;
  ready_ = false;
  asked_ = inserted_ = now;
  if (!told_ && program_->guarded() && scheduling::has_own_deadline(command) && !limits(command)) {
    told_ = true;
    SC_REPORT_WARNING(
        "/platter/accelerator/deadline",
        "an accelerator without limits keeps the deadlines of continuous commands only; those of others are ignored");
  }
  if (running_) {
    pending_.push_back(&command);
    return;
  }
  port_time_ = std::max(port_time_, now);
  enter(command);
  // After all arrivals of this instant: one decision covers them all.
  if (prepared_ && when_ > now) request_.now();
}

bool AcceleratorEngine::withdraw(const Command& command) {
  const Picoseconds now = core::now_ps();
  --count_;
  if (const auto at = std::find(pending_.begin(), pending_.end(), &command); at != pending_.end()) {
    pending_.erase(at);  // the accelerator has not seen it
    return true;
  }
  ready_ = false;
  if (running_) {
    withdrawn_.push_back(&command);
    return false;
  }
  asked_ = now;
  port_time_ = std::max(port_time_, now);
  take_back(command);
  if (prepared_ && when_ > now) request_.now();
  return true;
}

bool AcceleratorEngine::withdraws_at_once(const Command& command) const {
  return !running_ || std::find(pending_.begin(), pending_.end(), &command) != pending_.end();
}

bool AcceleratorEngine::withdrawn(const Decision& decision) const {
  return decision.kind == Decision::Kind::Serve &&
         std::any_of(withdrawn_.begin(), withdrawn_.end(),
                     [&](const Command* command) { return command->tag == decision.tag; });
}

void AcceleratorEngine::moved(const Command& command) {
  if (commands_[command.tag.value] != &command || running_)
    SC_REPORT_FATAL("/platter/accelerator/moved", "the accelerator does not serve a mapping that moves blocks");
  withhold(command);
  load(command);
}

void AcceleratorEngine::take_back(const Command& command) {
  if (commands_[command.tag.value] != nullptr) {  // otherwise the program withholds it
    withhold(command);
    debts_stale_ = true;
    if (program_->guarded() && scheduling::in_sweep(command)) {
      sums_stale_ = true;
      --continuous_;
      direction_known_ = direction_known_ && continuous_ > 0;
    }
  }
  program_->withdrawn(*this, command);
}

void AcceleratorEngine::enter_pending() {
  for (const Command* command : withdrawn_) {
    take_back(*command);
    sink_->left(command->tag);
  }
  withdrawn_.clear();
  for (const Command* command : pending_) enter(*command);
  pending_.clear();
}

void AcceleratorEngine::enter(const Command& command) {
  if (program_->arrived(*this, command)) load(command);
}

void AcceleratorEngine::load(const Command& command) {
  const mechanics::Extent& extent = command.extent;
  const bool in_sweep = program_->guarded() && scheduling::in_sweep(command);
  // In the table, only commands of the sweep are continuous. A continuous command without a deadline is entered as background.
  const core::RequestClass cls =
      command.cls == core::RequestClass::Continuous && !in_sweep ? core::RequestClass::Background : command.cls;
  const bool limited = limits(command);
  set(reg::kEPos, position(extent.cylinder, extent.head, extent.write) |
                      (static_cast<std::uint32_t>(cls) << reg::kEPosClassLsb) |
                      (limited ? kLimitKeep << reg::kEPosLimitLsb : 0));
  if (limited) {
    const Picoseconds latest = std::min(command.deadline, farthest_deadline()) - planner_.bus_block_time(false);
    set(reg::kELimit, scale_.time_of_day(latest - planner_.hold(extent)));
    ++limited_;
  }
  set(reg::kEAngle, scale_.angle(extent.start_angle));
  if (rests_) {
    const Picoseconds rest = planner_.least_wait_replaced(extent);
    set(reg::kERest,
        rest > 0 ? static_cast<std::uint32_t>(std::clamp<std::int64_t>(scale_.ceil(rest), 1, parameters_.format.angle_mask()))
                 : 0);
  }
  set(reg::kEEndPos, position(extent.end_cylinder, extent.end_head, false));
  if (program_->guarded()) {
    set(reg::kEEndAngle, scale_.angle(extent.end_angle));
    set(reg::kETransfer, scale_.sum(planner_.hold(extent)));
    if (in_sweep) {
      set(reg::kEDeadline,
          scale_.time_of_day(std::min(command.deadline, farthest_deadline()) - planner_.bus_block_time(false)));
    }
  }
  program_->stage(*this, command);
  std::uint32_t beyond = 0;
  for (const Command* other : commands_)
    if (other != nullptr && other->extent.cylinder > extent.cylinder) ++beyond;
  write(reg::kInsert, command.tag.value);
  work_end_ = port_time_ + time(beyond + kInsertCycles + 1 - kAccessCycles);
  commands_[command.tag.value] = &command;
  ++entries_;
  debts_stale_ = true;
  if (in_sweep) {
    ++continuous_;
    sums_stale_ = true;
  }
}

void AcceleratorEngine::withhold(const Command& command) {
  write(reg::kRemove, command.tag.value);
  work_end_ = port_time_ + time(entries_ + kServeCycles + 1 - kAccessCycles);
  commands_[command.tag.value] = nullptr;
  --entries_;
  if (limits(command)) --limited_;
}

void AcceleratorEngine::take(core::Tag tag) {
  const Command& command = *commands_[tag.value];
  const mechanics::Extent& extent = command.extent;
  write(reg::kServe, tag.value);
  work_end_ = port_time_ + time(entries_ + kServeCycles + 1 - kAccessCycles);
  shadow_[reg::kHeadPos / 4] = position(extent.end_cylinder, extent.end_head, extent.write);
  shadow_valid_[reg::kHeadPos / 4] = true;
  commands_[tag.value] = nullptr;
  --count_;
  --entries_;
  if (limits(command)) --limited_;
  if (program_->guarded() && scheduling::in_sweep(command)) {
    sums_stale_ = true;
    --continuous_;
  }
  direction_known_ = continuous_ > 0;
  program_->served(*this, command);
}

bool AcceleratorEngine::limits(const Command& command) const {
  return parameters_.has(kLimits) && program_->guarded() && scheduling::has_own_deadline(command);
}

/// Times of day can be compared up to half their range. A deadline that is put earlier is safe.
Picoseconds AcceleratorEngine::farthest_deadline() const {
  const unsigned range = parameters_.format.sum_w() - parameters_.format.angle_w - 1;
  return core::now_ps() + planner_.rotation().period() * ((Picoseconds{1} << range) - kTurnsKept);
}

Picoseconds AcceleratorEngine::grace() const {
  Picoseconds longest = 0;
  for (const Command* command : commands_)
    if (command != nullptr) longest = std::max(longest, planner_.hold(command->extent));
  return longest + 2 * longest_hop_ + bound_;
}

std::uint32_t AcceleratorEngine::insert_accesses() const {
  return kAccessesPerInsert + program_->stage_accesses() + (rests_ ? kAccessesPerRest : 0) +
         (parameters_.has(kLimits) ? kAccessesPerLimit : 0);
}

// --- decisions -----------------------------------------------------------------------------------------------------

/// The sweep starts at the extreme that is nearer to the arm when its first command arrives, and keeps its direction until it is
/// empty.
std::uint32_t AcceleratorEngine::direction() {
  if (continuous_ > 0 && !direction_known_) {
    core::Cylinder low(~0u);
    core::Cylinder high(0);
    for (const Command* command : commands_) {
      if (command == nullptr || !scheduling::in_sweep(*command)) continue;
      low = std::min(low, command->extent.cylinder);
      high = std::max(high, command->extent.cylinder);
    }
    downward_ = distance(low, at_.cylinder) > distance(high, at_.cylinder);
  }
  return static_cast<std::uint32_t>(downward_) << reg::kCtrlSweepDownLsb;
}

/// Cycles of the next DECIDE.
std::uint32_t AcceleratorEngine::decide_cycles(bool sums_stale) const {
  std::uint32_t cycles = pass_cycles();
  if (!program_->guarded() || !(sums_stale || (debts_stale_ && continuous_ > 0))) return cycles;
  cycles += kStaleCycles;
  if (sums_stale) cycles += entries_ + (continuous_ > 2 ? continuous_ - 2 : 0) + kSumsCycles;
  if (continuous_ > 0) cycles += pass_cycles() + kDebtsCycles;
  return cycles;
}

/// Cycles of a decision in addition to one DECIDE and the program's accesses.
std::uint32_t AcceleratorEngine::further_cycles(const Effort& effort, std::uint32_t entries) const {
  const std::uint32_t operations = effort.decides + effort.clusters;
  std::uint32_t cycles = (operations - 1) * (kAccessCycles * kAccessesPerOperation + kInterruptCycles) +
                         effort.clusters * (entries + kClusterCycles);
  if (effort.decides > 1) cycles += (effort.decides - 1) * pass_cycles();
  if (effort.ahead > 0)
    cycles += kAheadCycles +
              effort.candidates * (kCandidateCycles + effort.ahead * (pass_cycles() + kAheadPassCycles) + pass_cycles() + 1);
  if (effort.ordered > 0)
    cycles += effort.ordered * effort.ordered + kOrderCycles + order_cycles(effort.ordered) + kAccessCycles * kAccessesPerOrder;
  return cycles;
}

void AcceleratorEngine::prepare(const HeadState& at, Picoseconds when) {
  if (prepared_ && when == when_ && at == at_) return;
  prepared_ = true;
  at_ = at;
  when_ = when;
  ready_ = false;
  asked_ = core::now_ps();
  if (running_)
    again_ = true;
  else if (count_ > 0)
    start();
}

void AcceleratorEngine::request() {
  if (prepared_ && !running_ && !ready_ && count_ > 0) start();
}

void AcceleratorEngine::decide(const HeadState& head, Picoseconds now) {
  waiting_ = true;
  if (!prepared_ || now != when_ || !(head == at_)) {
    prepared_ = true;
    at_ = head;
    when_ = now;
    asked_ = now;
    again_ = running_;
    ready_ = false;
  }
  if (running_ && inserted_ == now) again_ = true;  // commands that arrived in this instant take part
  if (ready_)
    deliver(now);
  else if (!running_)
    start();
}

void AcceleratorEngine::start() {
  port_time_ = std::max(port_time_, core::now_ps());
  if (waiting_) program_->asked(*this, when_);
  const std::uint32_t control = program_->control() | direction() | (1u << reg::kCtrlIrqEnLsb);
  set(reg::kCtrl, control);
  set(reg::kHeadPos, position(at_.cylinder, at_.head, at_.last_was_write));
  if (program_->guarded()) {
    const std::uint32_t backlog = scale_.sum(std::max<Picoseconds>(at_.bus_free - when_, 0));
    set(reg::kReserve, std::min(backlog + kGuardSafetyTicks, parameters_.format.sum_max()));
  }
  if (limited_ > 0) set(reg::kGrace, scale_.sum(grace()));
  // If the decision is late, the access begins when the result will have been read.
  const Effort effort = program_->effort(entries_);
  const std::uint32_t cycles = kAccessCycles * (1 + program_->begin_accesses() + effort.accesses) + 1 +
                               decide_cycles(sums_stale_ || effort.ordered > 0) + further_cycles(effort, entries_);
  instant_ = std::max(when_, std::max(port_time_, work_end_) + time(cycles));
  const std::uint32_t code = program_->begin(*this, {instant_, at_, downward_, bound_});
  set(reg::kHeadTime, scale_.time_of_day(instant_));
  operate(code);
}

void AcceleratorEngine::operate(std::uint32_t code) {
  // An exact order does not include the time that decisions may take; the guard does.
  const bool orders = code == AcceleratorProgram::kCluster && (shadow_[reg::kCluster / 4] >> reg::kClusterOrderLsb & 1) != 0;
  const std::uint32_t delay = orders ? 0 : delay_;
  if ((orders || code == AcceleratorProgram::kDecide) && shadow_[reg::kDelay / 4] != delay) {
    sums_stale_ = true;
    set(reg::kDelay, delay);
  }
  started_ = std::max(port_time_, work_end_);
  running_ = true;
  write(reg::kOp, code << reg::kOpCodeLsb);
  if (code == AcceleratorProgram::kDecide && (shadow_[reg::kCtrl / 4] >> reg::kCtrlGuardEnLsb & 1) != 0) {
    if (sums_stale_) debts_stale_ = true;
    if (continuous_ > 0) debts_stale_ = false;
    sums_stale_ = false;
  } else if (code == AcceleratorProgram::kCluster) {  // a CLUSTER sets the mask
    for (std::uint32_t word = reg::kMask0; word <= reg::kMask7; word += 4) shadow_valid_[word / 4] = false;
  }
}

void AcceleratorEngine::interrupt() {
  if (!running_) return;  // the interrupt rose in the instant of a reset
  port_time_ = std::max(port_time_, core::now_ps());
  // The measured number of cycles, not the specified one: BUSY is set from the cycle after OP until the interrupt rises.
  statistics_.cycles += static_cast<std::uint64_t>((core::now_ps() - started_) / options_.clock_period) - 1;
  const AcceleratorProgram::Step step = program_->ended(*this);
  answered_ = port_time_;
  write(reg::kClear, 1u << reg::kClearDoneLsb);
  running_ = false;
  const bool anew = !step.decision && step.operation == AcceleratorProgram::kAnew;
  if (anew) program_->refused(*this);
  if (anew || again_ || (step.decision && withdrawn(*step.decision)) ||
      (!waiting_ && !(pending_.empty() && withdrawn_.empty()))) {
    start_anew();
  } else if (!step.decision) {
    operate(step.operation);
  } else {
    decision_ = *step.decision;
    ready_ = true;
    if (waiting_)
      deliver(core::now_ps());
    else
      sink_->preparation_changed();
  }
}

void AcceleratorEngine::start_anew() {
  again_ = false;
  enter_pending();
  if (count_ > 0) {
    start();
  } else if (waiting_) {  // all commands have been withdrawn
    decision_ = {};
    instant_ = answered_;
    deliver(core::now_ps());
  }
}

void AcceleratorEngine::deliver(Picoseconds now) {
  const Picoseconds effective = std::max({now, instant_, answered_});
  const Decision decision = decision_;
  waiting_ = ready_ = prepared_ = false;
  ++statistics_.decisions;
  statistics_.latency += (instant_ > when_ ? effective : answered_) - asked_;
  port_time_ = std::max(port_time_, now);
  if (decision.kind == Decision::Kind::Serve) {
    statistics_.forced += decision.forced ? 1 : 0;
    take(decision.tag);
  }
  enter_pending();
  sink_->decided(decision, effective);
}

engine::EngineStatistics AcceleratorEngine::statistics() const {
  engine::EngineStatistics statistics = statistics_;
  statistics.access_cycles = target.access_cycles();
  if (const auto* pair = dynamic_cast<const LockstepCore*>(&target.core())) {
    statistics.compared = pair->statistics().responses;
    statistics.decisions_compared = pair->statistics().decisions;
    statistics.mismatches = pair->statistics().mismatches;
    if (pair->sampled()) statistics.windows = pair->statistics().windows;
  }
  return statistics;
}

}  // namespace platter::accelerator
