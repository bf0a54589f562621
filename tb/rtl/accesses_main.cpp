// SPDX-License-Identifier: Apache-2.0
//
// The accesses that a scenario makes to its accelerator's registers, as text: time (ps), w or r, address, data written or read, 1 if it
// was accepted, cycles from its first one until it and its work have ended. scripts/ppa power replays them on a netlist.
//
//   accesses FILE UNTIL_S SCENARIO [KEY=VALUE ...]      the engine has to be model
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <systemc>
#include <vector>

#include "platter/core/types.h"
#include "platter/system/run.h"
#include "platter/system/scenario.h"

// libsystemc's own main prints its banner before sc_main.
namespace {
[[maybe_unused]] const int kQuiet = setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
}

int sc_main(int argc, char** argv) {
  using namespace platter;
  if (argc < 4) {
    std::fprintf(stderr, "accesses: expected FILE UNTIL_S SCENARIO [KEY=VALUE ...]\n");
    return 2;
  }
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  int code = 0;
  try {
    const system::Scenario scenario = system::load_scenario(argv[3], {argv + 4, argv + argc});
    if (scenario.engine.notation != "model")
      scenario.refuse("engine", "found \"" + scenario.engine.notation + "\", expected model");
    system::RunOptions options;
    options.until = core::to_picoseconds(std::stod(argv[2]), core::kPicosecondsPerSecond);
    options.on_access = [file](const accelerator::BusRequest& request, const accelerator::BusResponse& response) {
      std::fprintf(file, "%lld %c %u %u %d %u\n", static_cast<long long>(request.start), request.write ? 'w' : 'r',
                   request.address, request.write ? request.data : response.data, response.ok,
                   std::max(response.cycles, response.busy_cycles));
    };
    scenario.host->make(scenario, options)->run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "accesses: %s\n", error.what());
    code = 2;
  }
  std::fclose(file);
  return code;
}
