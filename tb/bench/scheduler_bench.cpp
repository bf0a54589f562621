// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <random>

#include "platter/config/loader.h"
#include "platter/scheduling/policies.h"

namespace {

using namespace platter;

/// A decision in a full queue, and the command that comes in for the one served.
void Decide(benchmark::State& state, const char* policy) {
  const auto depth = static_cast<std::size_t>(state.range(0));
  const mechanics::DriveProfile profile = config::load_drive("cheetah9lp");
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

}  // namespace
