// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "platter/engine/engine_if.h"
#include "platter/scheduling/free_space_if.h"

namespace platter::engine {

/// What a drive gives to its engine. The policy is not among it: a factory brings its own. The references stay valid as long as the engine.
struct EngineContext {
  const mechanics::AccessPlanner& planner;  ///< the drive's mechanics: how long an access takes
  std::uint32_t queue_depth;                ///< most commands in the engine at once; their tags are below it
  Picoseconds clock_period;                 ///< of the controller, in picoseconds
  /// Not null if the drive writes eagerly. The engine must then choose the place of every write, and answer with Decision::write.
  const scheduling::FreeSpaceIf* free_space = nullptr;
  bool bind_reads = false;  ///< with eager writing: see eager::EagerOptions
  /// The drive's own name (`basename()`), without those of its parents. That of a further actuator ends in "_1".
  std::string drive = "disk";
  std::string module{"engine"};  ///< a name that no other module of the drive has
};
/// Makes the engine of one actuator of a drive, which owns it. Called once for each actuator, inside the drive's constructor; an exception
/// leaves that constructor. An engine need not be a module. If it is one, it becomes a child of the drive; those of Platter have the name
/// `EngineContext::module`.
using EngineFactory = std::function<std::unique_ptr<EngineIf>(const EngineContext&)>;

}  // namespace platter::engine
