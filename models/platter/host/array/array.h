// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <systemc>
#include <tlm>

#include "platter/host/array/block_cache.h"
#include "platter/host/array/config.h"
#include "platter/host/array/drive_links.h"
#include "platter/host/array/drive_states.h"
#include "platter/host/array/flush_queue.h"
#include "platter/host/array/host_socket.h"
#include "platter/host/array/planner.h"
#include "platter/host/array/read_ahead.h"
#include "platter/host/array/rebuilder.h"
#include "platter/host/array/unit_order.h"

namespace platter::host::array {

/// A host layer above the ports of 1 to 32 drives: striping, mirroring, a cache, and what to do when a drive dies.
///
/// A request is cut where its map cuts it; what comes to lie side by side on a drive goes there as one command; the request ends with its
/// last part. Requests over the same bytes are carried out in the order of arrival, on every copy. Each drive has a queue in the host,
/// first in first out in each class, continuous before discrete before background.
///
/// Hosts: `submit()` for those in this library; `host_tgt_socket` (nb_transport, b_transport, transport_dbg) for others. No END_REQ is ever
/// late. Host tags and task attributes are not taken (COMMAND_ERROR). Writes to mirrored areas carry FUA.
///
/// A flush waits for every older write, then goes to all drives that live; younger writes wait for it. It is good when all that was answered good
/// before is on the media; NoCopy says that a drive has died with writes in its buffer.
///
/// Drives: `disk_init_sockets[i]`, and if bound `best_effort_init_sockets[i]` for discrete and background commands (see
/// workload::Initiator), and `register_init_sockets[i]` for the drive's registers.
///
/// A drive is dead from its first DriveDead on until `drive_returned()`. Reads go to the other copy, also those that it had; writes go to the
/// copies that live, the others are stale until they are rebuilt in the background. See docs/reference/array.md.
class Array : public sc_core::sc_module, private LinkSinkIf, private RequestEndIf, private SocketOwnerIf {
 public:
  SC_HAS_PROCESS(Array);
  /// Throws std::invalid_argument for a configuration that makes no array.
  Array(const sc_core::sc_module_name& name, const ArrayConfig& config);

 private:
  ArrayConfig config_;
  sc_core::sc_event ended_event_;
  sc_core::sc_event rebuild_event_;
  sc_core::sc_event poll_event_;
  sc_core::sc_event response_event_;
  StripeMap map_;
  BlockCache cache_;
  UnitOrder order_;
  FlushQueue flushes_;
  Planner planner_;
  HostSocket host_;
  DriveLinks links_;
  DriveStates states_;
  Rebuilder rebuilder_;
  ReadAhead read_ahead_;

 public:
  HostSocket::Socket& host_tgt_socket;
  decltype(DriveLinks::disk_init_sockets)& disk_init_sockets;
  decltype(DriveLinks::best_effort_init_sockets)& best_effort_init_sockets;
  decltype(DriveLinks::register_init_sockets)& register_init_sockets;

  const StripeMap& map() const { return map_; }
  std::uint64_t capacity_bytes() const { return map_.capacity_bytes(); }
  const ArrayCounters& counters(core::RequestClass cls) const { return account_.classes[core::index_of(cls)]; }
  /// Requests that have not ended.
  std::uint64_t outstanding() const { return account_.outstanding; }

  /// Ends, good or bad, by a call of the request's client: never within this one.
  void submit(ArrayRequest& request) override;

  /// The drive dies (by its STATE register, if bound), or is taken out of service (if not).
  void kill(std::uint32_t drive);
  /// The drive is switched on again (by its STATE register, if bound), and put to use: at once, or when nothing from before its
  /// death is left, neither a command in it nor a write that it has missed.
  void revive(std::uint32_t drive);
  /// The drive lives again: it is put to use as by revive(), and its stale units are rebuilt.
  void drive_returned(std::uint32_t drive);

  bool alive(std::uint32_t drive) const { return states_.alive(drive); }
  /// Commands given to the drive so far, those in it, and those in its host queue.
  std::uint64_t sent(std::uint32_t drive) const { return links_.sent(drive); }
  std::uint32_t in_drive(std::uint32_t drive) const { return links_.in_drive(drive); }
  std::size_t queued(std::uint32_t drive) const { return links_.queued(drive); }
  /// Units of the drive that are not what was written last.
  std::uint64_t stale_units(std::uint32_t drive) const { return states_.stale_units(drive).count(); }
  std::uint64_t rebuilt_units(std::uint32_t drive) const { return rebuilder_.rebuilt_units(drive); }
  std::uint64_t rebuilt_bytes(std::uint32_t drive) const { return rebuilder_.rebuilt_bytes(drive); }
  /// When the last of its stale units was rebuilt or written, 0: there were none; core::kNoDeadline while some are.
  Picoseconds fresh_since(std::uint32_t drive) const { return states_.fresh_since(drive); }
  std::uint64_t deaths(std::uint32_t drive) const { return states_.deaths(drive); }

  const StreamBufferCounters& stream_buffer_counters() const { return read_ahead_.counters(); }
  /// Memory of all of them: two halves for each stream that lives.
  std::uint64_t stream_buffer_bytes() const { return read_ahead_.memory_bytes(); }

 private:
  // Requests.
  command::CommandStatus check(const ArrayRequest& request) const;
  void start(ArrayRequest& request);
  void refuse(ArrayRequest& request, command::CommandStatus status) override;
  void ended(ArrayRequest& request) override;
  unsigned int look(tlm::tlm_generic_payload& payload) override;
  /// One unit of it; how many bytes.
  std::uint64_t look_at(const tlm::tlm_generic_payload& payload, std::uint64_t at, std::uint64_t length, std::uint8_t* data);

  /// Does all there is to do; `callbacks`: requests that have ended are told.
  void work(bool callbacks);
  bool work_once(bool callbacks);
  void tell_ended() { work(true); }
  void respond() { host_.respond(); }

  // Fragments.
  void dispatch(Fragment& fragment);
  void dispatch_read(Fragment& fragment);
  /// Copies to which a write may go, a bit each: on drives that live, and not stale unless it covers the unit.
  std::uint32_t writable(const Fragment& fragment) const;
  void dispatch_write(Fragment& fragment);
  void append(Fragment& fragment, std::uint32_t copy);
  bool from_cache(const Fragment& fragment);
  void settle_write(Fragment& fragment);
  void mark_copies(const Fragment& fragment, std::uint32_t good);
  void update_cache(const Fragment& fragment, bool good);

  // Flushes.
  void flush_drives();
  void settle_flush(Fragment& fragment, command::CommandStatus status, std::uint32_t drive);
  void end_flush();
  void note_deaths(std::uint32_t drive);

  // Answers of the drives.
  void answered(LinkCommand& command) override;
  void heard() override { work(true); }
  void take_bytes(const LinkCommand& command, const Fragment& fragment, std::uint64_t offset);

  // Death and return.
  void died(std::uint32_t drive);
  /// Puts those of `returning_` to use that nothing from before keeps back; false if there are none.
  bool complete_returns();
  /// Is a write under way that belongs on the drive too, and came before its last death?
  bool missed_write(std::uint32_t drive) const;
  void poll();
  void rebuild_again();

  struct {
    std::array<ArrayCounters, core::kRequestClasses> classes;
    std::uint64_t outstanding = 0;
  } account_;
  core::RingBuffer<ArrayRequest*> ended_;
  std::uint64_t returning_ = 0;  ///< drives that live again but are not in use yet, a bit each
  bool working_ = false;
};

}  // namespace platter::host::array
