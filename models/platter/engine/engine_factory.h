// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "platter/engine/engine_if.h"
#include "platter/scheduling/free_space_if.h"

namespace platter::engine {

/// What an engine is built with. The factory itself supplies the policy.
struct EngineContext {
  const mechanics::AccessPlanner& planner;              ///< the drive's mechanics
  std::uint32_t queue_depth;                            ///< entries: tags of the queue, and those for destages
  Picoseconds clock_period;                             ///< of the controller
  const scheduling::FreeSpaceIf* free_space = nullptr;  ///< set if the policy decides where writes go
  bool bind_reads = false;                              ///< see scheduling::SchedulerContext
  std::string drive = "disk";                           ///< the drive's name
};
/// Called once, inside the drive's constructor, so that the engine's modules become the drive's children.
using EngineFactory = std::function<std::unique_ptr<EngineIf>(const EngineContext&)>;

}  // namespace platter::engine
