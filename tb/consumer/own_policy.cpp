// SPDX-License-Identifier: Apache-2.0
//
// A policy of the program's own, which the drive's firmware runs, beside a policy of Platter. Two drives get the same reads.
//
//   own_policy
//
// Exit code 1 if a read has failed, or if the own policy needs as long as first come, first served.
#include <memory>

#include "platter/drive/drive.h"
#include "platter/engine/firmware_engine.h"
#include "platter/scheduling/flat_scheduler.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"
#include "platter/system/engines.h"
#include "random_reads.h"

namespace {

using namespace platter;

/// The shortest positioning time first. For each turn of the disk that a command has waited, it counts as half a millisecond nearer.
class PatientSptf : public scheduling::FlatScheduler {
 public:
  PatientSptf(const mechanics::AccessPlanner& planner, std::size_t capacity) : FlatScheduler(capacity), planner_(planner) {}

  scheduling::Decision pick(const mechanics::HeadState& head, core::Picoseconds now) override {
    const scheduling::Command* best = nullptr;
    core::Picoseconds best_cost = 0;
    for (const scheduling::Command* command : commands()) {  // the oldest first
      const core::Picoseconds needs =
          planner_.estimate(head, command->extent, now, command->data_ready, command->overhead_end).positioning();
      const core::Picoseconds turns = (now - command->arrival) / planner_.rotation().period();
      const core::Picoseconds cost = needs - turns * core::kPicosecondsPerMillisecond / 2;
      if (best != nullptr && cost >= best_cost) continue;
      best = command;
      best_cost = cost;
    }
    return best == nullptr ? scheduling::Decision{} : scheduling::Decision::serve(best->tag);
  }

 private:
  const mechanics::AccessPlanner& planner_;
};

}  // namespace

int sc_main(int, char**) {
  drive::DriveConfig config;
  config.profile = system::load_drive("atlas10k");

  // The engine makes its policy here, and again when the drive fails.
  const auto own = [&config](const engine::EngineContext& context) {
    engine::FirmwareCost cost;
    cost.clock_period = context.clock_period;
    cost.base_cycles = config.profile.firmware_base_cycles;
    cost.candidate_cycles = config.profile.firmware_candidate_cycles;
    return std::make_unique<engine::FirmwareEngine>(
        context.module.c_str(),
        [&planner = context.planner, depth = context.queue_depth] { return std::make_unique<PatientSptf>(planner, depth); },
        cost);
  };
  ReadDrive patient("patient", config, own, 50);

  system::EngineOptions options(config.profile);
  options.policy = scheduling::find_policy("FCFS");
  ReadDrive fcfs("fcfs", config, system::engine_factory(options), 50);

  sc_core::sc_start();
  const bool good = patient.report() && fcfs.report();
  return good && patient.host.last < fcfs.host.last ? 0 : 1;
}
