// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/lockstep_core.h"

#include <fmt/format.h>

#include "platter/accelerator/registers.h"
#include "platter/accelerator/state_loader.h"

namespace platter::accelerator {

namespace {

std::string format_response(const BusResponse& r) {
  return fmt::format("data 0x{:08x} {} cycles {} busy {} irq after {} irq {}", r.data, r.ok ? "OKAY" : "SLVERR", r.cycles,
                     r.busy_cycles, r.irq_cycles, r.irq);
}

const char* register_name(std::uint32_t address) {
  for (const reg::RegisterInfo& info : reg::kRegisters)
    if (info.offset == address) return info.name;
  return "?";
}

}  // namespace

std::string dump_registers(BusCoreIf& core) {
  std::string text;
  for (const reg::RegisterInfo& info : reg::kRegisters) {
    if (info.access == reg::Access::WriteOnly) continue;
    BusRequest request;
    request.address = info.offset;
    text += fmt::format("  {} = 0x{:08x}\n", info.name, core.access(request).data);
  }
  return text;
}

LockstepCore::LockstepCore(std::unique_ptr<ReferenceCore> model, std::unique_ptr<BusCoreIf> rtl, Sampling sampling)
    : model_(std::move(model)),
      rtl_(std::move(rtl)),
      sampling_(std::move(sampling)),
      places_(sampling_.seed, "lockstep " + sampling_.name),
      window_(sampling_.all()) {
  since_.reserve(kCheckpointAccesses);
  checkpoint();
}

engine::EngineStatistics LockstepCore::statistics() const {
  engine::EngineStatistics statistics;
  statistics.compared = compared_.responses;
  statistics.operations_compared = compared_.operations;
  statistics.mismatches = compared_.mismatches;
  if (sampled()) statistics.windows = compared_.windows;
  return statistics;
}

void LockstepCore::checkpoint() {
  checkpoint_ = model_->state();
  since_.clear();
}

void LockstepCore::reset() {
  model_->reset();
  rtl_->reset();
  counted_ = {};
  knows_decision_ = knows_cluster_ = knows_operation_ = knows_sweep_ = true;
  checkpoint();
}

BusResponse LockstepCore::access(const BusRequest& request) {
  const bool operation = request.write && request.address == reg::kOp;
  const bool compared = sampling_.all() || compares(request);
  if (operation) ++decided_;
  if (!compared) {
    if (request.write && (request.address == reg::kSeekDelta || request.address == reg::kSeekGroup)) seek_table_loaded_ = false;
    return model_->access(request);
  }
  // Only between operations: a replay cannot restore a pending result.
  if (since_.size() >= kCheckpointAccesses - 1 && is_loadable(model_->state())) checkpoint();
  since_.push_back(request);
  const BusResponse model = model_->access(request);
  BusResponse rtl = rtl_->access(request);
  ++compared_.responses;
  if (operation) ++compared_.operations;
  if (sampled()) {
    note_known(request);
    complete(request, model, rtl);
  }
  if (!(model == rtl)) fail(request, model, rtl);
  return model;
}

bool LockstepCore::compares(const BusRequest& request) {
  const bool operation = request.write && request.address == reg::kOp;
  if (window_ && operation && left_ == 0) {
    window_ = false;
    do interval_begin_ += sampling_.interval;
    while (interval_begin_ + sampling_.interval <= decided_);
    window_begin_ = interval_begin_ + places_.below(sampling_.interval - sampling_.compared + 1);
  }
  if (!window_ && decided_ >= window_begin_ && is_loadable(model_->state())) begin_window(request.start);
  if (window_ && operation) --left_;
  return window_;
}

void LockstepCore::begin_window(core::Picoseconds start) {
  window_ = true;
  left_ = sampling_.compared;
  ++compared_.windows;
  const ReferenceCore::State& state = model_->state();
  load_state(*rtl_, state, start, !seek_table_loaded_);
  seek_table_loaded_ = true;
  knows_decision_ = knows_cluster_ = knows_operation_ = false;
  knows_sweep_ = !state.sums_stale;
  for (std::size_t i = 0; i < counted_.size(); ++i)
    counted_[i] = state.word(reg::kDecisions + 4 * static_cast<std::uint32_t>(i));
  checkpoint();
}

void LockstepCore::note_known(const BusRequest& request) {
  if (!request.write) return;
  if (request.address == reg::kOp) {
    knows_operation_ = true;
    ((request.data >> reg::kOpCodeLsb & 1) == 0 ? knows_decision_ : knows_cluster_) = true;
    knows_sweep_ = knows_sweep_ || !model_->state().sums_stale;
  } else if (request.address == reg::kClear) {
    const bool anew = (request.data >> reg::kClearSoftResetLsb & 1) != 0;
    if (anew || (request.data >> reg::kClearCountersLsb & 1) != 0) counted_ = {};
    if (anew) knows_decision_ = knows_cluster_ = knows_operation_ = knows_sweep_ = true;
  }
}

void LockstepCore::complete(const BusRequest& request, const BusResponse& model, BusResponse& rtl) const {
  if (request.write || !rtl.ok) return;
  switch (request.address) {
    case reg::kDecisions:
    case reg::kBusyCycles:
    case reg::kStallCycles:
    case reg::kRefusedCount:
    case reg::kForcedCount: rtl.data += counted_[(request.address - reg::kDecisions) / 4]; break;
    case reg::kResult:
    case reg::kResultKey:
    case reg::kRefused:
    case reg::kExpired:
      if (!knows_decision_) rtl.data = model.data;
      break;
    case reg::kCycles:
      if (!knows_operation_) rtl.data = model.data;
      break;
    case reg::kNext:
    case reg::kSweep:
    case reg::kDue:
      if (!knows_sweep_) rtl.data = model.data;
      break;
    case reg::kClusterCount:
    case reg::kOrderCost:
    case reg::kOrderTags0:
    case reg::kOrderTags1:
    case reg::kOrderTags2:
      if (!knows_cluster_) rtl.data = model.data;
      break;
    default: break;
  }
}

void LockstepCore::fail(const BusRequest& request, const BusResponse& model, const BusResponse& rtl) {
  ++compared_.mismatches;
  std::string report = fmt::format(
      "model and RTL differ at response {} (after {} operations{}), {} {} (0x{:03x}) data 0x{:08x} at {} ps\n"
      "  model: {}\n  RTL:   {}\nmodel's registers:\n{}RTL's registers:\n{}model's table:\n{}",
      compared_.responses, compared_.operations, sampled() ? fmt::format(", in window {}", compared_.windows) : std::string(),
      request.write ? "write" : "read", register_name(request.address), request.address, request.data, request.start,
      format_response(model), format_response(rtl), dump_registers(*model_), dump_registers(*rtl_), model_->describe());
  if (handler_) handler_(*this, report);
  throw LockstepMismatch(report);
}

void LockstepCore::replay(BusCoreIf& core) const {
  load_state(core, checkpoint_, since_.empty() ? 0 : since_.front().start, true);
  for (const BusRequest& request : since_) core.access(request);
}

}  // namespace platter::accelerator
