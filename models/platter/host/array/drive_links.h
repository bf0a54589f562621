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

/// A command to one drive: fragments of one request that lie side by side there.
struct LinkCommand : command::CommandExtension {
  explicit LinkCommand(tlm::tlm_mm_interface* manager) : payload(manager) {
    payload.set_extension<command::CommandExtension>(this);
  }

  tlm::tlm_generic_payload payload;
  Fragment* first = nullptr;
  Fragment* last = nullptr;
  std::uint32_t copy = 0;
  std::uint32_t drive = 0;
  std::uint32_t life = 0;  ///< of the drive, when it was sent
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  bool scattered = false;          ///< its units do not lie side by side for the host
  bool bounced = false;            ///< by way of `data`
  std::vector<std::uint8_t> data;  ///< where the host's does not lie as the drive wants it
};

/// Hears of the commands.
class LinkSinkIf {
 public:
  virtual ~LinkSinkIf() = default;
  /// By a drive, or because it is out of service: then of a life of the drive that is over. The command is the links' again afterwards.
  virtual void answered(LinkCommand& command) = 0;
  /// All answers that came by one call of a drive have been told.
  virtual void heard() = 0;
};

/// The ways to the drives: a queue in the host for each of them, first in first out in each class, continuous before discrete before background,
/// and so many commands in the drive. What comes to lie side by side on a drive goes there as one command.
class DriveLinks : public tlm::tlm_mm_interface {
 public:
  /// Within the constructor of the module whose sockets these are.
  DriveLinks(const ArrayConfig& config, LinkSinkIf& sink);
  ~DriveLinks() override;
  DriveLinks(const DriveLinks&) = delete;
  DriveLinks& operator=(const DriveLinks&) = delete;

  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<DriveLinks>> disk_init_sockets;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged_optional<DriveLinks>> best_effort_init_sockets;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_optional<DriveLinks>> register_init_sockets;

  /// The fragment goes to a copy, which begins at `address` of the drive.
  void append(Fragment& fragment, std::uint32_t copy, std::uint32_t drive, std::uint64_t address);
  void flush(Fragment& fragment, std::uint32_t drive);
  /// What has been put together goes into the queues; false where there is nothing.
  bool close_all();
  /// Gives the drives what they may have; false where nothing has changed since.
  bool send_all();

  /// Out of service: what waits for the drive is answered by DriveDead. Commands that are in it belong to a life of the drive that is over.
  void take_out(std::uint32_t drive);
  void put_in(std::uint32_t drive) { links_[drive].in_service = true; }
  bool of_this_life(const LinkCommand& command) const { return command.life == links_[command.drive].life; }

  /// The bytes of a read that do not lie where the host wants them.
  static void deliver(const LinkCommand& command, const Fragment& fragment, const std::uint8_t* bytes);
  /// False where the drive's registers are not bound, or do not answer.
  bool access_register(std::uint32_t drive, tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value);
  bool has_registers(std::uint32_t drive) const { return register_init_sockets[drive].size() > 0; }

  std::uint64_t sent(std::uint32_t drive) const { return links_[drive].sent; }
  std::uint32_t in_drive(std::uint32_t drive) const { return links_[drive].in_drive; }
  std::size_t queued(std::uint32_t drive) const;

 private:
  struct Link {
    std::array<core::RingBuffer<LinkCommand*>, core::kRequestClasses> backlog;
    std::array<std::uint32_t, core::kRequestClasses> class_in_drive{};
    std::array<command::InitiatorPort, 2> ways;
    LinkCommand* open = nullptr;  ///< being put together
    std::uint32_t in_drive = 0;
    std::uint32_t life = 0;  ///< counts its deaths
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
  void answered(LinkCommand& command);
  tlm::tlm_sync_enum nb_transport_bw(int drive, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void free(tlm::tlm_generic_payload* payload) override { commands_.give_back(command_of(*payload)); }

  const ArrayConfig& config_;
  LinkSinkIf& sink_;
  std::vector<Link> links_;
  core::Pool<LinkCommand> commands_;
  std::vector<std::uint32_t> opened_;  ///< drives with an open command
  std::uint64_t to_send_ = 0;          ///< drives, a bit each
};

}  // namespace platter::host::array
