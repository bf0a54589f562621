// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <vector>

#include "platter/front/iscsi/parameters.h"
#include "platter/front/iscsi/pdu_stream.h"
#include "platter/front/iscsi/portal.h"
#include "platter/front/serving/memory.h"
#include "platter/front/serving/session_if.h"

namespace platter::iscsi {

/// One session of iSCSI (RFC 7143) with its only connection, without the socket: bytes in, bytes out.
///
/// Error recovery level is 0, so the session ends if the initiator breaks the protocol. Immediate and unsolicited data, R2T, digests, NOP, text, task
/// management and logout are there. A command goes to the target when its data is complete.
///
/// The data of requests takes memory that all sessions share: of a read from its start until it has been sent, of a write from its first R2T. Commands
/// wait for it in their order. Unsolicited data takes memory in any case; the window of commands bounds it.
class Session : public serving::SessionIf, public scsi::TaskOwnerIf {
 public:
  static constexpr std::uint32_t kMaxBytes = 32u << 20;  ///< most data of a command

  /// Portal and memory must outlive the session.
  Session(Portal& portal, serving::Memory& memory);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void connected(const std::string& address) override { address_ = address; }
  Room room() override { return takes_input() ? reader_.room() : Room{nullptr, 0}; }
  void received(std::size_t bytes) override;
  void resume() override;
  bool takes_input() const override { return state_ != State::Over && writer_.unsent_bytes() <= kMaxUnsent; }
  Piece output() const override { return writer_.output(); }
  void sent(std::size_t bytes) override { writer_.sent(bytes); }
  std::uint64_t unsent_bytes() const override { return writer_.unsent_bytes(); }
  bool over() const override { return state_ == State::Over; }
  bool client_holds_memory() const override;
  std::uint64_t held_bytes() const override { return memory_.held(); }

  void ended(scsi::Task& task) override;

  /// The target shuts down: asks the initiator to log out (RFC 7143, 11.9).
  void say_farewell();
  /// Ends the session; its commands are aborted.
  void close();
  const scsi::Nexus& nexus() const { return nexus_; }
  /// Drops the commands that the target does not have yet. Returns false if there are none.
  bool drop_pending(std::uint64_t lun, bool all_units);

 private:
  enum class State : std::uint8_t { Login, FullFeature, Over };
  /// A task management function whose response waits for the end of commands.
  struct Management {
    std::uint32_t tag;
    std::vector<const Command*> awaited;
    bool carried_out = false;
  };
  static constexpr std::uint64_t kMaxUnsent = std::uint64_t{64} << 20;  ///< bytes of answers that the initiator has not taken
  static constexpr std::uint64_t kCommandBytes = 512;                   ///< bytes of a command without its data
  static constexpr std::size_t kMaxText = std::size_t{16} << 10;        ///< bytes of a text over several PDUs
  static constexpr std::uint32_t kMaxLogins = 32;                       ///< PDUs of a login

  bool step();
  void full_feature(const Pdu& pdu);
  /// Returns false if the PDU is outside of the window, and is ignored.
  bool in_sequence(const Pdu& pdu);
  /// MaxCmdSN. It never decreases: a command that takes room in the window also takes a number.
  std::uint32_t last_number() const { return next_.command + portal_.window() - numbered_ - 1; }

  // Login and text.
  void login(const Pdu& pdu);
  /// Collects text over several PDUs. Returns false while more is to come, or if it is too long.
  bool collect(const Pdu& pdu);
  LoginStatus objection(const Pdu& pdu) const;
  void answer_login(const Pdu& pdu, LoginStatus status, std::uint8_t flags, const Text& answers);
  void enter_full_feature(const Pdu& pdu);
  void text(const Pdu& pdu);

  // Commands and their data.
  void begin_command(const Pdu& pdu);
  void refuse(Command& command, const scsi::Sense& sense);
  void data_out(const Pdu& pdu);
  void proceed(Command& command);
  bool take_memory(Command& command);
  void request_data(Command& command);
  void ready(Command& command);
  void run_ready();
  void send_data(Command& command, bool with_status);
  void respond(Command& command);
  void remove(Command& command);
  void withdraw(Command& command);
  void release(Command& command);
  Command* find(std::uint32_t tag) const;

  // Others.
  void manage(const Pdu& pdu);
  void management_response(std::uint32_t tag, ManagementResponse response);
  /// Answers the functions that wait for nothing any more.
  void answer_managements();
  void nop(const Pdu& pdu);
  void logout(const Pdu& pdu);
  void reject(const Pdu& pdu, RejectReason reason);
  /// Sends a PDU; `status`: it has a StatSN of its own.
  void send(Header& header, bool status, const std::uint8_t* data = nullptr, std::size_t bytes = 0);

  Portal& portal_;
  std::string address_;  ///< by which the initiator has come, for discovery; empty: unknown
  serving::Memory& shared_;
  serving::Memory::Holder memory_;
  PduReader reader_;
  PduWriter writer_;
  State state_ = State::Login;
  Parameters parameters_;
  struct {
    std::uint32_t pdus = 0;
    std::string text;               ///< of the PDUs so far that will be continued
    std::vector<std::string> keys;  ///< that have come
    bool declared = false;          ///< MaxRecvDataSegmentLength has been sent
    bool named = false;             ///< TargetPortalGroupTag has been sent
  } login_;
  struct {
    std::uint32_t command = 0;   ///< ExpCmdSN
    std::uint32_t status = 1;    ///< StatSN of the next response
    std::uint32_t transfer = 0;  ///< TTT of the last R2T
  } next_;
  scsi::Nexus nexus_;
  bool attached_ = false;
  std::vector<Command*> commands_;  ///< in progress, in their order
  std::deque<Command*> waiting_;    ///< for memory
  std::uint32_t numbered_ = 0;      ///< commands in progress that take room in the window
  std::uint32_t ordered_ = 0;       ///< commands with an attribute that are not with the target yet
  bool reviewing_ = false;          ///< `run_ready` is at work
  std::list<Management> managements_;
};

}  // namespace platter::iscsi
