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
  // Only between operations: a replay cannot restore a pending result.
  if (since_.size() >= kCheckpointAccesses - 1 && !model_->state().done) checkpoint();
  since_.push_back(request);
  const BusResponse model = model_->access(request);
  const BusResponse rtl = rtl_->access(request);
  ++statistics_.responses;
  if (request.write && request.address == reg::kOp) ++statistics_.decisions;
  if (!(model == rtl)) fail(request, model, rtl);
  return model;
}

void LockstepCore::fail(const BusRequest& request, const BusResponse& model, const BusResponse& rtl) {
  ++statistics_.mismatches;
  std::string report = fmt::format(
      "model and RTL differ at response {} (after {} decisions), {} {} (0x{:03x}) data 0x{:08x} at {} ps\n"
      "  model: {}\n  RTL:   {}\nmodel's registers:\n{}RTL's registers:\n{}model's table:\n{}",
      statistics_.responses, statistics_.decisions, request.write ? "write" : "read", register_name(request.address),
      request.address, request.data, request.start, format_response(model), format_response(rtl), dump_registers(*model_),
      dump_registers(*rtl_), model_->describe());
  if (handler_) handler_(*this, report);
  throw LockstepMismatch(report);
}

void LockstepCore::replay(BusCoreIf& core) const {
  const core::Picoseconds start = since_.empty() ? 0 : since_.front().start;
  const auto put = [&](std::uint32_t address, std::uint32_t data) { core.access({true, address, data, start}); };
  const ReferenceCore::State& s = checkpoint_;
  put(reg::kSeekIndex, 0);
  for (const scheduling::SeekTable::Segment& segment : s.seek.segments) {
    put(reg::kSeekBase, static_cast<std::uint32_t>(segment.base));
    put(reg::kSeekDelta, static_cast<std::uint32_t>(segment.delta));
  }
  put(reg::kSeekCell, 0);
  for (const scheduling::SeekTable::Cell& cell : s.seek.cells) {
    put(reg::kSeekLast, (cell.last[0] << reg::kSeekLastFirstLsb) | (cell.last[1] << reg::kSeekLastSecondLsb));
    put(reg::kSeekGroup, (cell.group << reg::kSeekGroupSegmentLsb) | (cell.last[2] << reg::kSeekGroupThirdLsb));
  }
  std::vector<std::uint8_t> tags = s.list;
  std::sort(tags.begin(), tags.end(),
            [&s](std::uint8_t a, std::uint8_t b) { return s.entries[a].number < s.entries[b].number; });
  for (const std::uint8_t tag : tags) {
    const ReferenceCore::Entry& e = s.entries[tag];
    const ReferenceCore::Extent& x = s.extents[tag];
    put(reg::kEPos, (e.cylinder << reg::kEPosCylLsb) | (std::uint32_t{e.head} << reg::kEPosHeadLsb) |
                        (static_cast<std::uint32_t>(e.write) << reg::kEPosWriteLsb) |
                        (std::uint32_t{e.cls} << reg::kEPosClassLsb));
    put(reg::kEAngle, e.angle);
    put(reg::kEEndPos, (x.end_cylinder << reg::kEEndPosCylLsb) | (std::uint32_t{x.end_head} << reg::kEEndPosHeadLsb));
    put(reg::kEEndAngle, x.end_angle);
    put(reg::kETransfer, x.transfer);
    put(reg::kEDeadline, x.deadline);
    put(reg::kEAge, e.age);
    put(reg::kInsert, tag);
  }
  for (const reg::RegisterInfo& info : reg::kRegisters)
    if (info.access == reg::Access::ReadWrite) put(info.offset, s.word(info.offset));
  if (s.error) put(reg::kRemove, static_cast<std::uint32_t>(s.entries.size()));  // refused, which sets STATUS.ERROR
  put(reg::kClear, 1u << reg::kClearCountersLsb);
  for (const BusRequest& request : since_) core.access(request);
}

}  // namespace platter::accelerator
