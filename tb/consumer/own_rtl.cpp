// SPDX-License-Identifier: Apache-2.0
//
// RTL of the program's own as the engine of a drive, beside a drive with Platter's RTL. Each has its wave file, the second one only if this build of
// Platter writes waves.
//
//   own_rtl OWN.fst PLATTER.fst
//
// Verilator's header comes first: some versions of it do not compile after SystemC's.
#include <Vnearest.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "platter/drive/drive.h"
#include "platter/observe/wave_file.h"
#include "platter/observe/wave_probe.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"
#include "platter/system/engines.h"
#include "random_reads.h"

namespace {

using namespace platter;
using core::Picoseconds;

/// Serves the command that the module `nearest` chooses. The module takes a cycle for each command, and one more.
class NearestRtl : public engine::EngineIf {
 public:
  NearestRtl(Picoseconds clock_period, const char* waves) : period_(clock_period), top_(&context_) {
    context_.traceEverOn(true);
    top_.trace(&waves_, 99);
    waves_.open(waves);
  }
  ~NearestRtl() override {
    waves_.close();
    top_.final();
  }

  void bind_sink(engine::DecisionSinkIf& sink) override { sink_ = &sink; }
  void insert(const scheduling::Command& command) override { commands_.push_back(&command); }
  bool withdraw(const scheduling::Command& command) override {
    commands_.erase(std::find(commands_.begin(), commands_.end(), &command));
    return true;
  }
  void moved(const scheduling::Command&) override {}
  bool empty() const override { return commands_.empty(); }
  void prepare(const mechanics::HeadState&, Picoseconds) override {}
  void decide(const mechanics::HeadState& head, Picoseconds now) override {
    Picoseconds time = std::max(now, clocked_);  // the file has one time axis
    top_.head_i = head.cylinder.value;
    top_.start_i = 1;
    cycle(time);
    top_.start_i = 0;
    for (const scheduling::Command* command : commands_) {
      top_.valid_i = 1;
      top_.cylinder_i = command->extent.cylinder.value;
      top_.tag_i = static_cast<std::uint16_t>(command->tag.value);
      cycle(time);
    }
    top_.valid_i = 0;
    ++statistics_.decisions;
    statistics_.cycles += commands_.size() + 1;
    statistics_.latency += time - now;
    scheduling::Decision decision;  // idle
    if (top_.found_o) {
      const core::Tag tag(top_.tag_o);
      decision = scheduling::Decision::serve(tag);
      commands_.erase(std::find_if(commands_.begin(), commands_.end(), [tag](const auto* c) { return c->tag == tag; }));
    }
    sink_->decided(decision, time);
  }
  void reset() override { commands_.clear(); }
  Picoseconds prepared_from() const override { return core::kNoDeadline; }
  engine::EngineStatistics statistics() const override { return statistics_; }

 private:
  void cycle(Picoseconds& time) {
    for (const int clock : {0, 1}) {
      top_.clk_i = clock;
      top_.eval();
      waves_.dump(static_cast<std::uint64_t>(time + clock * period_ / 2));
    }
    clocked_ = time += period_;
  }

  Picoseconds period_;
  Picoseconds clocked_ = 0;
  VerilatedContext context_;
  VerilatedFstC waves_;
  Vnearest top_;
  engine::DecisionSinkIf* sink_ = nullptr;
  std::vector<const scheduling::Command*> commands_;  // the oldest first
  engine::EngineStatistics statistics_;
};

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 3) return 2;
  drive::DriveConfig config;
  config.profile = system::load_drive("atlas10k");
  ReadDrive own(
      "own", config,
      [&](const engine::EngineContext& context) { return std::make_unique<NearestRtl>(context.clock_period, argv[1]); }, 10);

  system::EngineOptions options(config.profile);
  options.engine = *system::find_engine("rtl");
  options.policy = scheduling::find_policy("SPTF");
  const bool writes_waves = observe::WaveFile::is_built();
  if (writes_waves) options.tracing = accelerator::RtlCore::traced();
  ReadDrive platters("platters", config, system::engine_factory(options), 10);
  std::optional<observe::WaveFile> waves;
  std::optional<observe::WaveProbe> probe;
  if (writes_waves) {
    waves.emplace(argv[2], 0, core::kPicosecondsPerSecond);
    probe.emplace("probe", platters.disk, *waves, "disk", 48, "SPTF", "rtl");
    waves->add(*system::traced_design_of(platters.disk.engine()));
  }

  sc_core::sc_start();
  if (waves) waves->commit();
  return own.report() && platters.report() ? 0 : 1;
}
