// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platter/front/scsi/scsi_target.h"
#include "platter/front/serving/memory.h"

namespace platter::iscsi {

class Session;

/// A SCSI command of a session, from its PDU to its response.
struct Command : scsi::Task {
  enum class State : std::uint8_t {
    Receiving,  ///< data is to come
    Waiting,    ///< waits for memory
    Ready,      ///< waits for commands before it
    Running,    ///< the target has it
  };

  Session* session = nullptr;  ///< null: it has gone
  std::uint32_t tag = 0;       ///< ITT
  std::uint64_t lun = 0;
  std::uint32_t expected = 0;  ///< Expected Data Transfer Length
  bool reads = false;
  bool writes = false;
  bool numbered = false;  ///< it takes room in the window: it is not an immediate one
  State state = State::Receiving;
  bool unsolicited = false;        ///< Data-Out PDUs without an R2T are to come
  std::uint32_t burst_end = 0;     ///< of the present sequence of Data-Out PDUs
  std::uint32_t transfer_tag = 0;  ///< TTT of the present R2T
  std::uint32_t data_sn = 0;       ///< of the next Data-Out PDU
  std::uint32_t sequences = 0;     ///< R2Ts so far
  std::uint64_t held = 0;          ///< bytes of shared memory
  bool managed = false;            ///< task management functions wait for its end
};

/// What the sessions of a server share: the target, its name, and the commands, which may outlive their sessions.
class Portal : private scsi::TaskOwnerIf {
 public:
  Portal(scsi::ScsiTarget& target, std::string name, std::uint32_t window)
      : target_(target), name_(std::move(name)), window_(window) {}

  scsi::ScsiTarget& target() const { return target_; }
  const std::string& name() const { return name_; }
  /// Commands that a session may have in progress, and as many immediate ones.
  std::uint32_t window() const { return window_; }

  Command& acquire();
  void release(Command& command);
  /// The session of a command that the target has is going. `memory` accounts for the data until the command has ended.
  void orphan(Command& command, serving::Memory& memory);

  void enter(Session& session) { sessions_.push_back(&session); }
  void leave(Session& session);
  /// Ends the session of the same initiator port, if there is one (session reinstatement; RFC 7143, 6.3.5).
  void reinstate(const Session& by, const std::string& nexus);
  /// Asks all initiators to log out.
  void say_farewell();
  /// Drops what other sessions have not yet given to the target. `tells`: their initiator ports get a unit attention condition of the unit.
  void drop_pending(const Session& by, std::uint64_t lun, bool all_units, bool tells);
  /// A number for a session: TSIH, never 0.
  std::uint16_t next_handle() {
    if (++handle_ == 0) ++handle_;
    return handle_;
  }

 private:
  static constexpr std::size_t kKept = 256;                         ///< unused commands that are kept
  static constexpr std::size_t kKeptBytes = std::size_t{64} << 10;  ///< memory that an unused command keeps

  void ended(scsi::Task& task) override;

  scsi::ScsiTarget& target_;
  std::string name_;
  std::uint32_t window_;
  std::vector<std::unique_ptr<Command>> idle_;
  std::vector<std::unique_ptr<Command>> busy_;
  std::vector<std::pair<Command*, serving::Memory*>> orphans_;
  std::vector<Session*> sessions_;
  std::uint16_t handle_ = 0;
};

}  // namespace platter::iscsi
