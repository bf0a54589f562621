// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/lockstep_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/accelerator/registers.h"

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

LockstepCore::LockstepCore(std::unique_ptr<ReferenceCore> model, std::unique_ptr<BusCoreIf> rtl)
    : model_(std::move(model)), rtl_(std::move(rtl)) {
  since_.reserve(kCheckpointAccesses);
  checkpoint();
}

void LockstepCore::checkpoint() {
  checkpoint_ = model_->state();
  since_.clear();
}

void LockstepCore::reset() {
  model_->reset();
  rtl_->reset();
  checkpoint();
}

BusResponse LockstepCore::access(const BusRequest& request) {
  // Only between decisions: a replay cannot restore a pending result.
  if (since_.size() >= kCheckpointAccesses - 1 && !model_->state().registers.done) checkpoint();
  since_.push_back(request);
  const BusResponse model = model_->access(request);
  const BusResponse rtl = rtl_->access(request);
  ++statistics_.responses;
  if (request.write && request.address == reg::kStart) ++statistics_.decisions;
  if (!(model == rtl)) fail(request, model, rtl);
  return model;
}

void LockstepCore::fail(const BusRequest& request, const BusResponse& model, const BusResponse& rtl) {
  ++statistics_.mismatches;
  std::string report = fmt::format(
      "model and RTL differ at response {} (after {} decisions), {} {} (0x{:03x}) data 0x{:08x} at {} ps\n"
      "  model: {}\n  RTL:   {}\nmodel's registers:\n{}RTL's registers:\n{}model's table:\n{}",
      statistics_.responses, statistics_.decisions, request.write ? "write" : "read", register_name(request.address),
      request.address, request.data, request.start, format_response(model), format_response(rtl),
      dump_registers(*model_), dump_registers(*rtl_), model_->describe());
  if (handler_) handler_(*this, report);
  throw LockstepMismatch(report);
}

void LockstepCore::replay(BusCoreIf& core) const {
  const core::Picoseconds start = since_.empty() ? 0 : since_.front().start;
  const auto put = [&](std::uint32_t address, std::uint32_t data) { core.access({true, address, data, start}); };
  const ReferenceCore::Registers& r = checkpoint_.registers;
  put(reg::kSeekIndex, 0);
  for (const scheduling::SeekTable::Segment& segment : checkpoint_.seek.segments) {
    put(reg::kSeekBase, static_cast<std::uint32_t>(segment.base));
    put(reg::kSeekDelta, static_cast<std::uint32_t>(segment.delta));
  }
  put(reg::kSeekCell, 0);
  for (const scheduling::SeekTable::Cell& cell : checkpoint_.seek.cells) {
    put(reg::kSeekLast, (cell.last[0] << reg::kSeekLastFirstLsb) | (cell.last[1] << reg::kSeekLastSecondLsb));
    put(reg::kSeekGroup, (cell.group << reg::kSeekGroupSegmentLsb) | (cell.last[2] << reg::kSeekGroupThirdLsb));
  }
  std::vector<std::size_t> tags;  // in order of age
  for (std::size_t tag = 0; tag < checkpoint_.entries.size(); ++tag)
    if (checkpoint_.entries[tag].valid) tags.push_back(tag);
  const auto age = [&](std::size_t tag) {
    return (r.next_sequence - checkpoint_.entries[tag].sequence) & 0xFF'FFFFu;
  };
  std::sort(tags.begin(), tags.end(), [&](std::size_t a, std::size_t b) { return age(a) > age(b); });
  for (const std::size_t tag : tags) {
    const ReferenceCore::Entry& e = checkpoint_.entries[tag];
    put(reg::kEPos, e.cylinder | (e.head << reg::kEPosHeadLsb) |
                        (static_cast<std::uint32_t>(e.write) << reg::kEPosWriteLsb) |
                        (static_cast<std::uint32_t>(e.cls) << reg::kEPosClassLsb));
    put(reg::kEAngle, e.angle);
    put(reg::kEEndPos, e.end_cylinder | (e.end_head << reg::kEEndPosHeadLsb));
    put(reg::kEEndAngle, e.end_angle);
    put(reg::kETransfer, e.transfer);
    put(reg::kECredit, e.credit);
    put(reg::kInsert, static_cast<std::uint32_t>(tag));
  }
  const std::pair<std::uint32_t, std::uint32_t> registers[] = {
      {reg::kCtrl, r.ctrl},           {reg::kHeadPos, r.head_pos},          {reg::kHeadAngle, r.head_angle},
      {reg::kSlack, r.slack},         {reg::kNextPos, r.next_pos},          {reg::kNextAngle, r.next_angle},
      {reg::kNextTag, r.next_tag},    {reg::kSweep, r.sweep},               {reg::kMargin, r.margin},
      {reg::kHeadSwitch, r.head_switch},          {reg::kWriteSettle, r.write_settle},
      {reg::kOverheadRead, r.overhead_read},      {reg::kOverheadWrite, r.overhead_write},
      {reg::kNextOverheadAr, r.next_overhead_ar}, {reg::kNextOverheadAw, r.next_overhead_aw},
      {reg::kEPos, r.e_pos},          {reg::kEAngle, r.e_angle},            {reg::kEEndPos, r.e_end_pos},
      {reg::kEEndAngle, r.e_end_angle},           {reg::kETransfer, r.e_transfer},
      {reg::kECredit, r.e_credit},    {reg::kSeekIndex, r.seek_index},      {reg::kSeekBase, r.seek_base},
      {reg::kSeekCell, r.seek_cell},  {reg::kSeekLast, r.seek_last}};
  for (const auto& [address, data] : registers) put(address, data);
  if (r.error) put(reg::kRemove, static_cast<std::uint32_t>(checkpoint_.entries.size()));  // refused, which sets STATUS.ERROR
  for (const BusRequest& request : since_) core.access(request);
}

}  // namespace platter::accelerator
