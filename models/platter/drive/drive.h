// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <systemc>

#include "platter/drive/actuator_unit.h"
#include "platter/drive/controller.h"
#include "platter/drive/drive_registers.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/host_port.h"
#include "platter/drive/power.h"
#include "platter/drive/spindle.h"
#include "platter/engine/engine_factory.h"
#include "platter/mapping/eager/eager_mapping.h"
#include "platter/media/media.h"

namespace platter::drive {

struct DriveConfig {
  profile::DriveProfile profile;
  bool holds_data = true;  ///< false: timing only, no bytes are kept
  eager::EagerOptions eager = {};
  std::uint64_t seed = 1;  ///< of the blocks' first places under eager writing
  Picoseconds dies_at = core::kNoDeadline;
};

/// A hard-disk drive: TLM-2.0 target for a host, mechanics, and a scheduling engine of any make.
///
/// Sockets: `host_tgt_socket` (see HostPort) and, if bound, `register_tgt_socket` (see DriveRegisters). The kernel's time
/// resolution must be 1 ps.
class Drive : public sc_core::sc_module {
 public:
  /// Throws std::invalid_argument for a profile that describes no drive, and for eager writing on one that cannot do it.
  Drive(const sc_core::sc_module_name& name, const DriveConfig& config, const engine::EngineFactory& create_engine);
  ~Drive() override;

 private:
  mechanics::AccessPlanner planner_;
  media::Media media_;
  std::unique_ptr<mapping::MappingIf> mapping_;
  std::unique_ptr<engine::EngineIf> engine_;
  Probes probes_;
  HazardQueue queue_;
  ActuatorUnit actuator_;
  Spindle spindle_;
  Controller controller_;
  Power power_;
  HostPort host_port_;
  DriveRegisters registers_;

 public:
  HostPort::Port::Socket& host_tgt_socket;
  tlm_utils::simple_target_socket_optional<DriveRegisters>& register_tgt_socket;

  const mechanics::AccessPlanner& planner() const { return planner_; }
  engine::EngineIf& engine() { return *engine_; }
  const engine::EngineIf& engine() const { return *engine_; }
  const HazardQueue& queue() const { return queue_; }
  const Dispatcher& dispatcher() const { return controller_.dispatcher(); }
  const ActuatorUnit& actuator() const { return actuator_; }
  const Spindle& spindle() const { return spindle_; }
  const Power& power() const { return power_; }
  const HostPort& host_port() const { return host_port_; }
  CacheStatistics cache_statistics() const {
    return controller_.cache() != nullptr ? controller_.cache()->statistics() : CacheStatistics{};
  }
  /// Null for a drive without a buffer.
  const buffer::SegmentBuffer* segments() const {
    return controller_.cache() != nullptr ? &controller_.cache()->segments() : nullptr;
  }
  const media::Media& media() const { return media_; }
  /// What the host sees of it.
  std::uint64_t capacity_sectors() const { return mapping_->capacity_sectors(); }
  /// Null without eager writing.
  const eager::EagerMapping* eager_mapping() const { return dynamic_cast<const eager::EagerMapping*>(mapping_.get()); }
  /// What would be durable if the power failed now. The drive goes on.
  DurableImage power_loss_image() const { return controller_.power_loss_image(); }
  /// Starts from these disks, whatever is on the drive's own. Precondition: the drive has the same profile and options as theirs, and no
  /// command. Throws std::runtime_error where, under eager writing, a block has no copy, or the image is of a drive that holds no data.
  void power_up(const DurableImage& image) { controller_.mount(image); }
  /// Dies, or comes back: see Power.
  void set_alive(bool alive) { power_.set_alive(alive); }
  /// See HostPort.
  bool abort(Tag tag) { return host_port_.abort(tag); }
  /// See Admission.
  void set_token_bucket(std::uint32_t rate, std::uint32_t depth) { host_port_.admission().set_token_bucket(rate, depth); }
  /// A probe lives as long as it is added.
  void add_probe(ProbeIf& probe) { probes_.add(probe); }
  void remove_probe(ProbeIf& probe) { probes_.remove(probe); }
};

}  // namespace platter::drive
