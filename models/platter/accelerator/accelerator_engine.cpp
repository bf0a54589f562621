// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/accelerator_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/accelerator/lockstep_core.h"
#include "platter/accelerator/registers.h"
#include "platter/core/sc_time.h"

namespace platter::accelerator {

using core::Picoseconds;
using drive::Command;
using drive::Decision;
using drive::HeadState;

namespace {

constexpr std::uint32_t kAccessCycles = 2;
/// Most register accesses that may stand between the end of an access and the next decision's result: head, overheads, sweep,
/// credits, start and result ...
constexpr std::uint32_t kAccessesPerDecision = 24;
/// ... and every tag of the queue entered just before.
constexpr std::uint32_t kAccessesPerInsert = 9;

}  // namespace

AcceleratorEngine::AcceleratorEngine(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner,
                                     std::uint32_t queue_depth, const AcceleratorParameters& parameters,
                                     const Options& options, std::unique_ptr<BusCoreIf> core)
    : sc_module(name),
      bus_init_socket("bus_init_socket"),
      irq_i("irq_i"),
      planner_(planner),
      parameters_(parameters),
      options_(options),
      scale_(parameters.format, planner.rotation().period()),
      seek_table_(scheduling::SeekTable::fit(planner.seek_curve(), scale_)),
      commands_(queue_depth),
      sweep_(planner, queue_depth, decision_bound()),
      shadow_(1024),
      shadow_valid_(1024),
      credits_(queue_depth),
      irq_("irq"),
      target("target", std::move(core), options.clock_period) {
  pending_.reserve(queue_depth);
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

Picoseconds AcceleratorEngine::decision_bound() const {
  const std::uint32_t decision = parameters_.entries / parameters_.lanes + reg::kDecisionLatency + 1;
  const auto inserts = static_cast<std::uint32_t>(commands_.size()) * kAccessesPerInsert;
  return options_.clock_period * Picoseconds{decision + kAccessCycles * (kAccessesPerDecision + inserts)};
}

// --- bus -----------------------------------------------------------------------------------------------------------

void AcceleratorEngine::write(std::uint32_t address, std::uint32_t data) {
  word_ = data;
  payload_.set_command(tlm::TLM_WRITE_COMMAND);
  payload_.set_address(address);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = core::to_sc_time(port_time_ - core::now_ps());
  bus_init_socket->b_transport(payload_, delay);
  port_time_ = core::now_ps() + core::to_ps(delay);
  if (payload_.is_response_error())
    SC_REPORT_ERROR("/platter/accelerator/refused",
                    fmt::format("write of 0x{:x} to register 0x{:03x} was refused", data, address).c_str());
}

std::uint32_t AcceleratorEngine::read(std::uint32_t address) {
  payload_.set_command(tlm::TLM_READ_COMMAND);
  payload_.set_address(address);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = core::to_sc_time(port_time_ - core::now_ps());
  bus_init_socket->b_transport(payload_, delay);
  port_time_ = core::now_ps() + core::to_ps(delay);
  if (payload_.is_response_error())
    SC_REPORT_ERROR("/platter/accelerator/refused", fmt::format("read of register 0x{:03x} was refused", address).c_str());
  return word_;
}

void AcceleratorEngine::set(std::uint32_t address, std::uint32_t data) {
  const std::size_t index = address / 4;
  if (shadow_valid_[index] && shadow_[index] == data) return;
  shadow_valid_[index] = true;
  shadow_[index] = data;
  write(address, data);
}

std::uint32_t AcceleratorEngine::position(core::Cylinder cylinder, core::Head head) const {
  return (cylinder.value << reg::kHeadPosCylLsb) | (head.value << reg::kHeadPosHeadLsb);
}

void AcceleratorEngine::start_of_simulation() {  // what the firmware does when the drive is switched on, before time 0
  const std::uint32_t id = read(reg::kId);
  const std::uint32_t built = read(reg::kParams);
  const std::uint32_t expected =
      (parameters_.entries << reg::kParamsEntriesLsb) | (parameters_.lanes << reg::kParamsLanesLsb) |
      (parameters_.format.angle_w << reg::kParamsAngleWLsb) | (parameters_.format.cyl_w << reg::kParamsCylWLsb) |
      (parameters_.format.seg_m << reg::kParamsSegMLsb) | (parameters_.format.seg_w << reg::kParamsSegWLsb);
  if (id != reg::kIdValue || built != expected)
    SC_REPORT_ERROR("/platter/accelerator/identity",
                    fmt::format("ID 0x{:08x} PARAMS 0x{:08x}, expected 0x{:08x} and 0x{:08x}", id, built, reg::kIdValue,
                                expected)
                        .c_str());
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
  set(reg::kMargin, kLeastMarginTicks + options_.margin_ticks);
  set(reg::kHeadSwitch, scale_.time(planner_.head_switch()));
  set(reg::kWriteSettle, static_cast<std::uint32_t>(scale_.ceil(planner_.write_settle())));
  const bool guarded = options_.guard != scheduling::GuardMode::None;
  set(reg::kCtrl, (static_cast<std::uint32_t>(guarded) << reg::kCtrlGuardEnLsb) |
                      (static_cast<std::uint32_t>(options_.guard == scheduling::GuardMode::NextContinuous)
                       << reg::kCtrlNextCOnlyLsb) |
                      (1u << reg::kCtrlAutoRemoveLsb) | (1u << reg::kCtrlIrqEnLsb));
  port_time_ = 0;
}

// --- commands ------------------------------------------------------------------------------------------------------

void AcceleratorEngine::insert(const Command& command) {
  ++count_;
  if (deciding_)
    pending_.push_back(&command);
  else
    enter(command);
}

void AcceleratorEngine::enter(const Command& command) {
  port_time_ = std::max(port_time_, core::now_ps());
  const mechanics::Extent& extent = command.extent;
  // For the table, continuous is what the sweep looks after; without a deadline a command is nobody's care.
  const core::RequestClass cls = command.cls == core::RequestClass::Continuous && !scheduling::in_sweep(command)
                                     ? core::RequestClass::Background
                                     : command.cls;
  set(reg::kEPos, position(extent.cylinder, extent.head) |
                      (static_cast<std::uint32_t>(extent.write) << reg::kEPosWriteLsb) |
                      (static_cast<std::uint32_t>(cls) << reg::kEPosClassLsb));
  set(reg::kEAngle, scale_.angle(extent.start_angle));
  if (options_.guard != scheduling::GuardMode::None) {
    set(reg::kEEndPos, position(extent.end_cylinder, extent.end_head));
    set(reg::kEEndAngle, scale_.angle(extent.end_angle));
    set(reg::kETransfer, scale_.sum(sweep_.node(extent)));
    set(reg::kECredit, 0);
    credits_[command.tag.value] = 0;
    if (scheduling::in_sweep(command)) sweep_.insert(command);
  }
  write(reg::kInsert, command.tag.value);
  commands_[command.tag.value] = &command;
}

void AcceleratorEngine::sync_sweep(const HeadState& head) {
  if (sweep_.empty()) {
    set(reg::kNextTag, 0);
    return;
  }
  sweep_.prepare(head);
  for (std::size_t tag = 0; tag < commands_.size(); ++tag) {
    const core::Tag t(static_cast<std::uint16_t>(tag));
    if (!sweep_.contains(t)) continue;
    const auto credit = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(scale_.floor(sweep_.credit(t)), 0, parameters_.format.sum_max()));
    if (credit == credits_[tag]) continue;
    credits_[tag] = credit;
    set(reg::kECredit, credit);
    write(reg::kSetCredit, static_cast<std::uint32_t>(tag));
  }
  const Command& next = sweep_.first();
  set(reg::kNextPos, position(next.extent.cylinder, next.extent.head) |
                         (static_cast<std::uint32_t>(next.extent.write) << reg::kNextPosWriteLsb));
  set(reg::kNextAngle, scale_.angle(next.extent.start_angle));
  set(reg::kNextTag, next.tag.value | (1u << reg::kNextTagValidLsb));
  set(reg::kSweep, scale_.sum(sweep_.sweep()));
  const Picoseconds bound = sweep_.decision_bound();
  set(reg::kNextOverheadAr, scale_.time(bound + planner_.overhead(next.extent.write, false)));
  set(reg::kNextOverheadAw, scale_.time(bound + planner_.overhead(next.extent.write, true)));
}

// --- decisions -----------------------------------------------------------------------------------------------------

void AcceleratorEngine::decide(const HeadState& head, Picoseconds now) {
  asked_ = now;
  deciding_ = true;
  port_time_ = std::max(port_time_, now);
  if (options_.guard != scheduling::GuardMode::None) sync_sweep(head);
  set(reg::kHeadPos, position(head.cylinder, head.head));
  set(reg::kOverheadRead, scale_.time(planner_.overhead(false, head.last_was_write)));
  set(reg::kOverheadWrite, scale_.time(planner_.overhead(true, head.last_was_write)));
  // The instant at which the result will have been read, and so the access can begin.
  const std::uint32_t decision = parameters_.entries / parameters_.lanes + reg::kDecisionLatency + 1;
  const bool guarded = !sweep_.empty();
  const std::uint32_t cycles = kAccessCycles * (guarded ? 2u : 1u) + decision + kAccessCycles;
  const Picoseconds effective = port_time_ + options_.clock_period * Picoseconds{cycles};
  if (guarded) {
    const std::int64_t slack = scale_.floor(sweep_.slack(effective, head.bus_free)) - kGuardSafetyTicks;
    write(reg::kSlack, static_cast<std::uint32_t>(std::clamp<std::int64_t>(slack, 0, parameters_.format.sum_max())));
  }
  write(reg::kHeadAngle, scale_.angle(planner_.rotation().angle_at(effective)));
  started_ = port_time_;
  write(reg::kStart, 1);
}

void AcceleratorEngine::interrupt() {
  port_time_ = std::max(port_time_, core::now_ps());
  // As it came, not as it is specified: BUSY is set from the cycle after START until the interrupt rises.
  statistics_.cycles += static_cast<std::uint64_t>((core::now_ps() - started_) / options_.clock_period) - 1;
  const std::uint32_t result = read(reg::kResult);
  const Picoseconds effective = port_time_;
  write(reg::kClear, 1u << reg::kClearDoneLsb);
  deciding_ = false;
  ++statistics_.decisions;
  statistics_.latency += effective - asked_;

  Decision decision;
  if ((result & (1u << reg::kResultValidLsb)) != 0) {
    const core::Tag tag(static_cast<std::uint16_t>(result & ((1u << reg::kResultTagWidth) - 1)));
    decision = Decision::serve(tag);
    decision.forced = (result & (1u << reg::kResultForcedLsb)) != 0;
    statistics_.forced += decision.forced ? 1 : 0;
    sweep_.remove(tag);
    commands_[tag.value] = nullptr;
    --count_;
  }
  for (const Command* command : pending_) enter(*command);
  pending_.clear();
  sink_->decided(decision, effective);
}

drive::EngineStatistics AcceleratorEngine::statistics() const {
  drive::EngineStatistics statistics = statistics_;
  statistics.access_cycles = target.access_cycles();
  if (const auto* pair = dynamic_cast<const LockstepCore*>(&target.core())) {
    statistics.compared = pair->statistics().responses;
    statistics.decisions_compared = pair->statistics().decisions;
    statistics.mismatches = pair->statistics().mismatches;
  }
  return statistics;
}

}  // namespace platter::accelerator
