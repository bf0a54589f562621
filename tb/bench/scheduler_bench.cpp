// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <random>

#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/registers.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"

namespace {

using namespace platter;

/// A decision in a full queue, and the command that comes in for the one served.
void Decide(benchmark::State& state, const char* policy) {
  const auto depth = static_cast<std::size_t>(state.range(0));
  const profile::DriveProfile profile = system::load_drive("cheetah9lp");
  const mechanics::AccessPlanner planner(profile);
  const auto scheduler = scheduling::find_policy(policy)->create({planner, static_cast<std::uint32_t>(depth), 0});
  std::mt19937_64 random(1);
  std::vector<scheduling::Command> commands(depth);
  std::uint64_t sequence = 0;
  const auto renew = [&](scheduling::Command& command) {
    command.sequence = sequence++;
    command.extent = planner.resolve(core::Lba(random() % (planner.geometry().block_count() - 8)), 8, false);
    scheduler->insert(command);
  };
  for (std::size_t i = 0; i < depth; ++i) {
    commands[i].tag = core::Tag(static_cast<std::uint16_t>(i));
    renew(commands[i]);
  }
  mechanics::HeadState head{};
  core::Picoseconds now = 0;
  for (auto _ : state) {
    const scheduling::Decision decision = scheduler->pick(head, now);
    scheduling::Command& served = commands[decision.tag.value];
    scheduler->remove(decision.tag);
    now += planner.commit(head, served.extent, now).total();
    renew(served);
  }
}
BENCHMARK_CAPTURE(Decide, SPTF, "SPTF")->Arg(32)->Arg(128)->Arg(256);
BENCHMARK_CAPTURE(Decide, LOOK, "LOOK")->Arg(32)->Arg(128)->Arg(256);
BENCHMARK_CAPTURE(Decide, FCFS, "FCFS")->Arg(32)->Arg(128)->Arg(256);
BENCHMARK_CAPTURE(Decide, CI_OPT_6, "OPS:SCAN/CI-OPT(6)")->Arg(32)->Arg(128)->Arg(256);
BENCHMARK_CAPTURE(Decide, CLUST_REQ_6, "OPS:SCAN/CLUST-REQ(6)")->Arg(32)->Arg(128)->Arg(256);
BENCHMARK_CAPTURE(Decide, CLUST_REQ_12, "OPS:SCAN/CLUST-REQ(12)")->Arg(32);

namespace reg = accelerator::reg;

/// The accelerator's reference model with a full table: DECIDE with the guard, SERVE, INSERT of another command of the
/// class served. Of `entries`, `continuous` are in the sweep.
void AcceleratorModel(benchmark::State& state) {
  const auto continuous = static_cast<std::uint32_t>(state.range(1));
  accelerator::AcceleratorParameters parameters;
  parameters.entries = static_cast<std::uint32_t>(state.range(0));
  const profile::DriveProfile profile = system::load_drive("cheetah9lp");
  const mechanics::AccessPlanner planner(profile);
  const scheduling::TickScale scale(parameters.format, planner.rotation().period());
  accelerator::ReferenceCore core(parameters);
  const auto put = [&core](std::uint32_t address, std::int64_t data) {
    core.access({true, address, static_cast<std::uint32_t>(data), 0});
  };
  const scheduling::SeekTable table = scheduling::SeekTable::fit(planner.seek_curve(), scale);
  for (const scheduling::SeekTable::Segment& segment : table.segments) {
    put(reg::kSeekBase, segment.base);
    put(reg::kSeekDelta, segment.delta);
  }
  for (const scheduling::SeekTable::Cell& cell : table.cells) {
    put(reg::kSeekLast, cell.last[0] | (cell.last[1] << 16));
    put(reg::kSeekGroup, cell.group | (cell.last[2] << 16));
  }
  put(reg::kMargin, 2);
  put(reg::kHeadSwitch, scale.time(planner.head_switch()));
  put(reg::kWriteSettle, scale.ceil(planner.write_settle()));
  put(reg::kDelay, 500);
  put(reg::kCtrl, 1u << reg::kCtrlGuardEnLsb);

  std::mt19937_64 random(1);
  std::uint32_t now = 0;
  const auto insert = [&](std::uint32_t tag, bool in_sweep) {
    const mechanics::Extent extent =
        planner.resolve(core::Lba(random() % (planner.geometry().block_count() - 16)), 16, random() % 4 == 0);
    put(reg::kEPos, extent.cylinder.value | (extent.head.value << reg::kEPosHeadLsb) |
                        (static_cast<std::uint32_t>(extent.write) << reg::kEPosWriteLsb) |
                        (static_cast<std::uint32_t>(in_sweep) << reg::kEPosClassLsb));
    put(reg::kEAngle, scale.angle(extent.start_angle));
    put(reg::kEEndPos, extent.end_cylinder.value | (extent.end_head.value << reg::kEEndPosHeadLsb));
    put(reg::kEEndAngle, scale.angle(extent.end_angle));
    put(reg::kETransfer, 3000);
    put(reg::kEDeadline, now + 1500 * parameters.format.turn());
    put(reg::kEAge, now);
    put(reg::kInsert, tag);
  };
  for (std::uint32_t tag = 0; tag < parameters.entries; ++tag) insert(tag, tag < continuous);
  for (auto _ : state) {
    now = (now + parameters.format.turn() / 2) & parameters.format.sum_max();
    put(reg::kHeadTime, now);
    put(reg::kOp, 0);
    const std::uint32_t tag = core.access({false, reg::kResult, 0, 0}).data & 0xFF;
    put(reg::kClear, 1);
    const bool in_sweep = core.state().entries[tag].cls == static_cast<std::uint8_t>(core::RequestClass::Continuous);
    put(reg::kServe, tag);
    insert(tag, in_sweep);
  }
  const auto count = [&core](std::uint32_t address) { return static_cast<double>(core.state().word(address)); };
  state.counters["forced"] = count(reg::kForcedCount) / count(reg::kDecisions);
  state.counters["refused"] = count(reg::kRefusedCount) / count(reg::kDecisions);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(AcceleratorModel)
    ->ArgNames({"entries", "continuous"})
    ->Args({32, 0})
    ->Args({32, 25})
    ->Args({256, 25})
    ->Args({256, 200});

}  // namespace
