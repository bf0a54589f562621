// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <array>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/command/tlm/initiator_port.h"
#include "platter/core/pool.h"
#include "platter/core/ring_buffer.h"
#include "platter/host/array/config.h"
#include "platter/host/array/fragment.h"

namespace platter::host::array {

/// A command to one drive: fragments of one request that are adjacent on the drive.
struct LinkCommand : command::CommandExtension {
  explicit LinkCommand(tlm::tlm_mm_interface* manager) : payload(manager) {
    payload.set_extension<command::CommandExtension>(this);
  }

  tlm::tlm_generic_payload payload;
  Fragment* first = nullptr;
  Fragment* last = nullptr;
  std::uint32_t copy = 0;
  std::uint32_t drive = 0;
  std::uint32_t generation = 0;  ///< generation of the drive when the command was sent
  Picoseconds sent_at = 0;       ///< when it was sent
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  bool scattered = false;          ///< its units are not adjacent in the array's addresses
  bool bounced = false;            ///< the transfer uses `data`
  std::vector<std::uint8_t> data;  ///< bounce buffer, used if the host's data is not contiguous as the drive needs it
};

/// Receives the responses to commands.
class LinkSinkIf {
 public:
  virtual ~LinkSinkIf() = default;
  /// A command has ended: the drive has responded, or is out of service; in the latter case the command belongs to an earlier
  /// generation of the drive. After this call the command belongs to DriveLinks again.
  virtual void answered(LinkCommand& command) = 0;
  /// All responses that one call of a drive has brought have been reported.
  virtual void heard() = 0;
};

/// The routes to the drives. Each drive has a queue in the host (first in, first out within each class; continuous before discrete before background)
/// and a limited number of commands in the drive. The commands of a repair are of class background. So that repairs go on under a load that leaves no
/// time, one that has waited for 100 ms goes first. A drive that has had one for 250 ms, because its policy always prefers others, gets no further
/// commands but those of class continuous until it has answered. Fragments that are adjacent on a drive are joined into one command.
class DriveLinks : public tlm::tlm_mm_interface {
 public:
  /// Call this within the constructor of the module that has these sockets.
  DriveLinks(const ArrayConfig& config, LinkSinkIf& sink);
  ~DriveLinks() override;
  DriveLinks(const DriveLinks&) = delete;
  DriveLinks& operator=(const DriveLinks&) = delete;

  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<DriveLinks>> disk_init_sockets;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged_optional<DriveLinks>> best_effort_init_sockets;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_optional<DriveLinks>> register_init_sockets;

  /// Adds the fragment, for one copy, to the drive's commands; the copy begins at `address` of the drive.
  void append(Fragment& fragment, std::uint32_t copy, std::uint32_t drive, std::uint64_t address);
  void flush(Fragment& fragment, std::uint32_t drive);
  /// Puts the joined commands into the queues; returns false if there are none.
  bool close_all();
  /// Sends to the drives as many commands as they may have; returns false if nothing has changed since the last call.
  bool send_all();

  /// Takes the drive out of service: its waiting commands end with DriveFailed. Commands that are in the drive now belong to an
  /// earlier generation of it.
  void take_out(std::uint32_t drive);
  void put_in(std::uint32_t drive) { links_[drive].in_service = true; }
  /// Counts the drive's failures.
  std::uint32_t generation(std::uint32_t drive) const { return links_[drive].generation; }
  bool of_this_generation(const LinkCommand& command) const { return command.generation == links_[command.drive].generation; }
  /// Another drive takes the place of one that is out of service.
  void replace(std::uint32_t drive) { links_[drive].first_generation = links_[drive].generation; }
  /// True if the command was sent to a drive that has been replaced since.
  bool of_replaced_drive(const LinkCommand& command) const {
    return command.generation < links_[command.drive].first_generation;
  }

  /// Copies the bytes of a read from the bounce buffer, if it was used, to the host's memory.
  static void deliver(const LinkCommand& command, const Fragment& fragment, const std::uint8_t* bytes);
  /// Returns false if the drive's registers are not bound or respond with an error.
  bool access_register(std::uint32_t drive, tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value);
  bool has_registers(std::uint32_t drive) const { return register_init_sockets[drive].size() > 0; }

  std::uint64_t sent(std::uint32_t drive) const { return links_[drive].sent; }
  std::uint32_t in_drive(std::uint32_t drive) const { return links_[drive].in_drive; }
  std::size_t queued(std::uint32_t drive) const;

 private:
  struct Link {
    std::array<core::RingBuffer<LinkCommand*>, core::kRequestClasses + 1> backlog;  ///< by class, and those of repairs
    std::array<std::uint32_t, core::kRequestClasses> class_in_drive{};
    std::array<command::InitiatorPort, 2> ways;
    LinkCommand* open = nullptr;  ///< command to which fragments are being joined
    std::uint32_t in_drive = 0;
    std::vector<const LinkCommand*> repairs;  ///< of them, commands of repairs, the oldest first
    std::uint32_t generation = 0;             ///< counts its failures
    std::uint32_t first_generation = 0;       ///< of the drive that is in this place now
    bool in_service = true;
    std::uint64_t sent = 0;
  };

  static LinkCommand& command_of(tlm::tlm_generic_payload& payload) {
    return static_cast<LinkCommand&>(*payload.get_extension<command::CommandExtension>());
  }
  std::size_t way(std::uint32_t drive, core::RequestClass cls) const {
    return cls != core::RequestClass::Continuous && best_effort_init_sockets[drive].size() > 0 ? 1 : 0;
  }
  LinkCommand& begin(Fragment& fragment, std::uint32_t drive);
  void close(std::uint32_t drive);
  std::uint8_t* place_data(LinkCommand& command);
  void enqueue(LinkCommand& command, command::Operation operation, std::uint8_t* data);
  void send(std::uint32_t drive);
  LinkCommand* next_of(Link& link, std::uint32_t drive);
  /// The first command of a backlog, if it may be sent now.
  LinkCommand* take(Link& link, std::uint32_t drive, std::size_t backlog);
  void answered(LinkCommand& command);
  tlm::tlm_sync_enum nb_transport_bw(int drive, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void free(tlm::tlm_generic_payload* payload) override { commands_.give_back(command_of(*payload)); }

  const ArrayConfig& config_;
  LinkSinkIf& sink_;
  std::vector<Link> links_;
  core::Pool<LinkCommand> commands_;
  std::vector<std::uint32_t> opened_;  ///< drives with an open command
  std::uint64_t to_send_ = 0;          ///< drives with something to send, one bit each
};

}  // namespace platter::host::array
