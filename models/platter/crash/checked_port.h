// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/command/tlm/initiator_port.h"
#include "platter/core/random.h"
#include "platter/crash/history.h"

namespace platter::crash {

/// How the port changes the workload that passes it.
struct PortOptions {
  std::uint64_t seed = 1;
  std::uint32_t flush_every = 16;  ///< a flush after this many writes; 0: none
  double fua_share = 0.1;          ///< of the writes
};

/// Stands between a host and a drive or an array. It gives every write its own bytes, checks the bytes of every read, adds FUA and flushes, and
/// keeps the history of the blocks. After a loss of power the host is dead, and the port itself reads all blocks back.
class CheckedPort : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  CheckedPort(const sc_core::sc_module_name& name, History history, const PortOptions& options);
  ~CheckedPort() override;

  tlm_utils::simple_target_socket<CheckedPort> host_tgt_socket;
  tlm_utils::simple_initiator_socket<CheckedPort> disk_init_socket;  ///< the host's commands
  tlm_utils::simple_initiator_socket<CheckedPort> own_init_socket;   ///< to the same target: the port's own

  /// Tells of a block that could not be read whether a copy of it can be. Without it, a block has one copy.
  void set_other_copies(std::function<bool(std::uint64_t block)> readable) { copy_readable_ = std::move(readable); }

  History& history() { return history_; }
  /// The first check that failed.
  const std::optional<std::string>& violation() const { return violation_; }
  void note(const std::string& violation) {
    if (!violation_) violation_ = violation;
  }

  /// The power fails: the host dies at this moment, and hears nothing any more. To be called before the drives lose their power.
  void power_lost();
  /// Reads all written blocks, `outstanding` commands at a time, and calls `done` within the simulation.
  void read_back(std::uint32_t outstanding, std::function<void()> done);
  /// Writes `count` times to blocks that have been written before, with flushes and FUA as the options say.
  void write_more(std::uint32_t count);
  /// Commands of the port that have not ended.
  bool idle() const { return queue_.empty() && in_drive_ == 0; }

  std::uint64_t commands() const { return commands_; }  ///< of the host and of the port

 private:
  /// A command of the port.
  struct Own : command::CommandExtension {
    explicit Own(tlm::tlm_mm_interface* manager) : payload(manager) {}
    tlm::tlm_generic_payload payload;
    command::Command command;
    std::vector<std::uint8_t> data;
    std::vector<Version> versions;  ///< of a flush: covered; of a read: the oldest allowed
    Version version = 0;            ///< of a write
    std::uint32_t life = 0;         ///< losses of power at its issue
  };
  /// A command of the host in the drive.
  struct Open {
    command::Command command;
    std::vector<std::uint8_t> data;
    std::vector<Version> oldest;
    Version version = 0;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum own_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void free(tlm::tlm_generic_payload* payload) override;

  std::uint64_t block_of(std::uint64_t address) const { return address / history_.block_bytes(); }
  void begin(tlm::tlm_generic_payload& payload);
  void end(tlm::tlm_generic_payload& payload);
  void taken(const tlm::tlm_generic_payload& payload);
  void count_write();

  Own& acquire(command::Operation operation, std::uint64_t first, std::uint32_t blocks);
  void enqueue(Own& own) { queue_.push_back(&own); }
  void send();
  void own_taken(Own& own);
  void finish(Own& own);
  void finish_read(Own& own);
  static Own& own_of(tlm::tlm_generic_payload& payload) {
    return static_cast<Own&>(*payload.get_extension<command::CommandExtension>());
  }

  History history_;
  std::function<bool(std::uint64_t block)> copy_readable_;
  PortOptions options_;
  core::RandomStream random_;
  std::optional<std::string> violation_;
  bool frozen_ = false;  ///< the host is dead
  std::unordered_map<const tlm::tlm_generic_payload*, Open> open_;
  std::uint32_t writes_since_flush_ = 0;
  std::uint64_t commands_ = 0;

  std::vector<std::unique_ptr<Own>> own_;
  std::vector<Own*> idle_;
  std::deque<Own*> queue_;
  command::InitiatorPort way_;
  std::uint32_t in_drive_ = 0;
  std::uint32_t limit_ = 4;
  std::uint32_t life_ = 0;
  bool sending_ = false;
  std::uint32_t reads_ = 0;  ///< of the present read_back, that have not ended
  std::function<void()> done_;
};

}  // namespace platter::crash
