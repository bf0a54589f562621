// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <systemc>

#include "platter/drive/actuator.h"
#include "platter/drive/command_queue.h"
#include "platter/drive/controller.h"
#include "platter/drive/host_port.h"
#include "platter/drive/media.h"
#include "platter/drive/read_write_channel.h"
#include "platter/drive/spindle.h"

namespace platter::drive {

/// What an engine is built with; the policy is the maker's business.
struct EngineContext {
  const mechanics::AccessPlanner& planner;
  std::uint32_t queue_depth;
  Picoseconds clock_period;
};
/// Called once, inside the drive's constructor, so that the engine's modules become the drive's children.
using EngineFactory = std::function<std::unique_ptr<EngineIf>(const EngineContext&)>;

struct DriveConfig {
  mechanics::DriveProfile profile;
  bool holds_data = true;  ///< false: timing only, no bytes are kept
};

/// A hard-disk drive: TLM-2.0 target for a host, mechanics, and a scheduling engine of any make.
///
/// Socket: `host_tgt_socket` (see HostPort). The kernel's time resolution must be 1 ps.
class Drive : public sc_core::sc_module {
 public:
  /// Throws std::invalid_argument for a profile that describes no drive.
  Drive(const sc_core::sc_module_name& name, const DriveConfig& config, const EngineFactory& create_engine);
  ~Drive() override;

 private:
  mechanics::AccessPlanner planner_;
  std::unique_ptr<Media> media_;
  std::unique_ptr<EngineIf> engine_;
  CommandQueue queue_;
  Actuator actuator_;
  Spindle spindle_;
  ReadWriteChannel channel_;
  Controller controller_;
  HostPort host_port_;

 public:
  tlm_utils::simple_target_socket<HostPort>& host_tgt_socket;

  const mechanics::AccessPlanner& planner() const { return planner_; }
  EngineIf& engine() { return *engine_; }
  const CommandQueue& queue() const { return queue_; }
  const Controller& controller() const { return controller_; }
  const Actuator& actuator() const { return actuator_; }
  const Spindle& spindle() const { return spindle_; }
  const HostPort& host_port() const { return host_port_; }
  const Media* media() const { return media_.get(); }
  /// Before the simulation starts.
  void set_observer(DriveObserverIf* observer);
};

}  // namespace platter::drive
