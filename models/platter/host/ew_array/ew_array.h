// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/command/tlm/initiator_port.h"
#include "platter/command/tlm/target_port.h"
#include "platter/core/pool.h"
#include "platter/core/ring_buffer.h"
#include "platter/host/array/config.h"

namespace platter::host {

/// When a write is complete for the host.
enum class WriteAnswer {
  All,    ///< when all copies are on the media
  First,  ///< when one copy is on the media; the others follow in the background
};

/// What an EwArray is constructed with.
struct EwArrayOptions {
  std::uint32_t drives = 2;          ///< number of drives
  std::uint32_t copies = 2;          ///< of each block, each on another drive; at most `drives`
  std::uint32_t block_bytes = 4096;  ///< of the array; as large as the drives' eager blocks, which are always written whole
  WriteAnswer answer = WriteAnswer::All;  ///< when a write is complete
  std::uint32_t sector_bytes = 512;       ///< of the drives
};

/// The former name.
using ArrayOptions = EwArrayOptions;

/// EW-Array (Zhang et al. 2002), in its simple form: several drives that write eagerly, with `copies` copies of each block. Copy
/// k of block b is on drive (b + k) mod N, as its block (b / N) * copies + k. A read goes to the copy whose drive has the fewest
/// outstanding commands. A write goes to all copies at once. Each drive receives its commands in the order in which the array
/// received them, and returns the data of that order, so any copy may be read at any time.
///
/// Sockets: `host_tgt_socket` is like a drive's (nb_transport, b_transport, transport_dbg); `disk_init_sockets[i]` leads to drive i. A command is
/// split at block boundaries and ends with its last piece; its timing is that of this piece, and the time before it counts as `queue`.
///
/// A sector that cannot be read is read from the next copy. The whole block of the bad copy is then written again from a good one, in the
/// background, one block at a time. A write of a part of a block that a drive cannot carry out, because it cannot read the rest of the block,
/// is repaired in the same way; until then the block is not read there.
///
/// Flushes and host tags are not supported (COMMAND_ERROR). The drives must have the same capacity.
///
/// Address and length must be whole sectors. The array does not check that: a drive then refuses its piece, but other pieces of the same
/// write may already be on other drives.
class EwArray : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  SC_HAS_PROCESS(EwArray);
  /// `drive_bytes`: capacity that each drive offers to its host, `Drive::capacity_sectors()` times the sector size. Throws
  /// std::invalid_argument if there are more copies than drives, if a number is 0, or if the copies of one block do not fit.
  EwArray(const sc_core::sc_module_name& name, const EwArrayOptions& options, std::uint64_t drive_bytes);
  ~EwArray() override;

 private:
  struct Job;
  using Port = command::TargetPort<EwArray, Job>;
  friend Port;
  Port port_;

 public:
  Port::Socket& host_tgt_socket;  ///< commands of hosts
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<EwArray>>
      disk_init_sockets;  ///< one to each drive's `host_tgt_socket`

  std::uint64_t capacity_bytes() const { return capacity_bytes_; }  ///< that the host sees
  /// Commands sent to drive `drive` so far.
  std::uint64_t sent(std::size_t drive) const { return drives_[drive].sent; }
  /// What it has done about sectors that could not be read.
  const array::ArrayErrors& errors() const { return errors_; }

 private:
  /// A command of the host.
  struct Job : command::Command, command::Result {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t pieces = 0;  ///< pieces for which the response waits
    int host = 0;
    bool blocking_call = false;
  };
  /// The part of a command inside one block, in progress on `copies` drives, or on one.
  struct Piece {
    Job* job = nullptr;            ///< null once the response no longer waits for it
    std::uint32_t copies = 0;      ///< copies in progress
    std::uint32_t unreadable = 0;  ///< copies that could not be read; of a write, those whose rest of the block could not
    std::uint64_t block = 0;
    std::uint64_t within = 0;  ///< offset in the block, bytes
    std::uint8_t* data = nullptr;
    std::uint32_t length = 0;
    std::uint32_t copy = 0;  ///< that is being read
  };
  /// A copy of a block with a sector that cannot be read, until it has been written again.
  struct BadCopy {
    std::uint64_t block = 0;
    std::uint32_t copy = 0;
    bool stale = false;  ///< it lacks a write
    bool tried = false;  ///< its repair has failed: the next one comes after a write
  };
  /// The repair under way: reads the block of `bad` from the copy `from`, and writes it.
  struct Repair {
    bool on = false;
    BadCopy bad;
    std::uint32_t from = 0;
    bool writing = false;
    bool overtaken = false;  ///< a younger write of the block has been sent: the bytes must be read again
    std::vector<std::uint8_t> bytes;
  };
  struct Command : command::CommandExtension {
    explicit Command(tlm::tlm_mm_interface* manager) : payload(manager) {
      payload.set_extension<command::CommandExtension>(this);
    }

    tlm::tlm_generic_payload payload;
    Piece* piece = nullptr;  ///< null: of the repair
    std::size_t drive = 0;
    std::uint32_t copy = 0;
    std::vector<std::uint8_t> data;  ///< of a write: the host's data may be freed before the last copy is written
  };
  struct DrivePort {
    core::RingBuffer<Command*> backlog;
    command::InitiatorPort way;
    std::uint32_t outstanding = 0;  ///< commands outstanding, backlog included
    std::uint64_t sent = 0;
  };

  // Callbacks of `port_`.
  bool begin(int host, tlm::tlm_generic_payload& payload);
  void answer(tlm::tlm_generic_payload& payload, Job* job);
  void answered() {}
  void responses_wait() { response_event_.notify(sc_core::SC_ZERO_TIME); }
  void call(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int look(tlm::tlm_generic_payload& payload);

  tlm::tlm_sync_enum nb_transport_bw(int drive, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void free(tlm::tlm_generic_payload* payload) override;

  Job& accept(tlm::tlm_generic_payload& payload);
  command::CommandStatus check(const tlm::tlm_generic_payload& payload) const;
  void split(Job& job);
  void enqueue(Piece& piece, std::uint32_t copy);
  Command& make(std::uint64_t block, std::uint32_t copy);
  void send(std::size_t drive);
  void finish(std::size_t drive, Command& command);
  /// A drive could not read its copy: reads the next one. Returns false if there is none.
  bool redirect(Piece& piece);
  /// The entry of a copy; the end if it is not bad.
  std::vector<BadCopy>::iterator find_bad(std::uint64_t block, std::uint32_t copy);
  /// Reads prefer the copy of the lowest rank: good ones, of those the one whose drive has the fewest commands.
  std::pair<std::uint32_t, std::uint32_t> rank(std::uint64_t block, std::uint32_t copy);
  void note_bad(std::uint64_t block, std::uint32_t copy, bool stale);
  void begin_repair();
  void send_repair();
  void finish_repair(command::CommandStatus status);
  /// A write of a block has been sent to its copies.
  void overtake_repair(std::uint64_t block);
  void end(Job& job);
  void respond() { port_.send_responses(); }
  /// Reports status and times to the host.
  static void close(Job& job);

  /// Location of copy `copy` of block `block`.
  std::size_t drive_of(std::uint64_t block, std::uint32_t copy) const { return (block + copy) % options_.drives; }
  std::uint64_t address_of(std::uint64_t block, std::uint32_t copy) const {
    return (block / options_.drives * options_.copies + copy) * options_.block_bytes;
  }
  /// Calls `visit(block, offset in it, offset in the data, length)` for each block of a range.
  template <typename Visit>
  void for_each_block(std::uint64_t address, std::uint64_t length, Visit visit) const;
  static Command& command_of(tlm::tlm_generic_payload& payload) {
    return static_cast<Command&>(*payload.get_extension<command::CommandExtension>());
  }

  EwArrayOptions options_;
  std::uint64_t capacity_bytes_;
  std::vector<DrivePort> drives_;
  array::ArrayErrors errors_;
  std::vector<BadCopy> bad_;
  Repair repair_;
  core::Pool<Job> jobs_;
  core::Pool<Piece> pieces_;
  core::Pool<Command> commands_;
  sc_core::sc_event response_event_;
  sc_core::sc_event finished_event_;  ///< for b_transport: a call has ended
};

}  // namespace platter::host
