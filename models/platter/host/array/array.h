// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/core/probes.h"
#include "platter/core/timed_call.h"
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
#include "platter/host/array/write_copies.h"

namespace platter::host::array {

/// The array's view of a drive.
struct ArrayDriveReport {
  std::uint64_t queued = 0;         ///< commands in the drive's queue in the host
  std::uint32_t in_drive = 0;       ///< commands in the drive
  bool alive = true;                ///< the array uses it
  std::uint64_t stale_units = 0;    ///< units that do not hold the data written last
  std::uint64_t rebuilt_units = 0;  ///< units rebuilt so far

  /// All are equal.
  bool operator==(const ArrayDriveReport& o) const {
    return queued == o.queued && in_drive == o.in_drive && alive == o.alive && stale_units == o.stale_units &&
           rebuilt_units == o.rebuilt_units;
  }
};

/// Observes an array without affecting it.
class ArrayProbeIf {
 public:
  virtual ~ArrayProbeIf() = default;
  /// The array's view of a drive has changed.
  virtual void changed(Picoseconds time, std::uint32_t drive, const ArrayDriveReport& report) = 0;
};

/// A host layer above the ports of 1 to 32 drives: striping, mirroring, a cache, and the handling of drive failures.
///
/// The array splits a request into fragments at the boundaries of its map. Fragments that are adjacent on a drive go there as one
/// command. The request ends with its last fragment. Requests that overlap are carried out in the order of arrival, on every
/// copy. Each drive has a queue in the host: first in, first out within each class; continuous before discrete before background.
///
/// Hosts: `submit()` for those in this library; `host_tgt_socket` (nb_transport, b_transport, transport_dbg) for others. END_REQ
/// is never delayed. Host tags and task attributes are not supported (COMMAND_ERROR). Writes to mirrored areas carry FUA.
///
/// A flush waits for every older write, then goes to all drives that have not failed; younger writes wait for it. The status Good means that all
/// writes completed as good before it are on the media. NoCopy means that a drive has failed with writes in its buffer.
///
/// Drives: `disk_init_sockets[i]`; if bound, `best_effort_init_sockets[i]` for discrete and background commands (see
/// workload::Initiator); and `register_init_sockets[i]` for the drive's registers.
///
/// A drive counts as failed from its first DriveFailed response until `drive_revived()`. Reads go to the other copy, also those
/// that were in the failed drive. Writes go to the copies on drives that have not failed; the other copies are stale until they
/// are rebuilt in the background. See docs/reference/array.md.
class Array : public sc_core::sc_module, private LinkSinkIf, private RequestEndIf, private SocketOwnerIf {
 public:
  SC_HAS_PROCESS(Array);
  /// Throws std::invalid_argument for an invalid configuration. A default ArrayConfig is invalid: set `drives`, `drive_bytes` and `areas`.
  Array(const sc_core::sc_module_name& name, const ArrayConfig& config);

 private:
  ArrayConfig config_;
  sc_core::sc_event ended_event_;
  core::TimedCall rebuild_;
  core::TimedCall poll_;
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
  WriteCopies copies_;
  ReadAhead read_ahead_;

 public:
  HostSocket::Socket& host_tgt_socket;                                       ///< commands of hosts
  decltype(DriveLinks::disk_init_sockets)& disk_init_sockets;                ///< one to each drive's `host_tgt_socket`
  decltype(DriveLinks::best_effort_init_sockets)& best_effort_init_sockets;  ///< a second one to each; need not be bound
  decltype(DriveLinks::register_init_sockets)&
      register_init_sockets;  ///< one to each drive's `register_tgt_socket`; need not be bound

  /// The probe must live until it is removed, or as long as the simulation runs.
  void add_probe(ArrayProbeIf& probe) {
    report();
    probes_.add(probe);
  }
  void remove_probe(ArrayProbeIf& probe) { probes_.remove(probe); }  ///< ends the registration

  std::uint32_t drives() const { return config_.drives; }                 ///< number of drives
  const StripeMap& map() const { return map_; }                           ///< the layout
  std::uint64_t capacity_bytes() const { return map_.capacity_bytes(); }  ///< that the host sees
  const ArrayCounters& counters(core::RequestClass cls) const {
    return account_.classes[core::index_of(cls)];
  }  ///< of a class of requests
  /// Requests that have not ended.
  std::uint64_t outstanding() const { return account_.outstanding; }

  /// Submits a request, which belongs to the array, with its data, until ArrayClientIf::finished(). That call, whether the request ended well or not,
  /// never happens within this one. May be called from any process. Throws std::invalid_argument if the request has no client, or an invalid class.
  void submit(ArrayRequest& request) override;

  /// Makes the drive fail (through its STATE register, if bound), or takes it out of service (if not). This function and the next three may be
  /// called from any process, but not from a probe's callback. They throw std::out_of_range if there is no such drive.
  void fail(std::uint32_t drive);
  /// Revives the drive (through its STATE register, if bound) and uses it again: at once, or as soon as no command from before
  /// its failure is in it and no write that it has missed is in progress.
  void revive(std::uint32_t drive);
  /// As revive(), but an empty drive replaces the failed one: all of its units are stale. Units of areas that are not mirrored
  /// stay stale until they are written as a whole. If the array knows of no failure, it first takes the drive out of service, without a
  /// write to STATE: the drive finishes the commands that it has, and the array counts them as failed.
  void replace(std::uint32_t drive);
  /// The drive has been revived: uses it again as revive() does, and rebuilds its stale units.
  void drive_revived(std::uint32_t drive);

  /// What the array knows of the drive. This function and those below that take a drive have the precondition that there is such a drive.
  ArrayDriveReport report_of(std::uint32_t drive) const {
    return {queued(drive), in_drive(drive), alive(drive), stale_units(drive), rebuilt_units(drive)};
  }
  bool alive(std::uint32_t drive) const { return states_.alive(drive); }        ///< false: the array knows of its failure
  std::uint64_t sent(std::uint32_t drive) const { return links_.sent(drive); }  ///< commands sent to the drive so far
  std::uint32_t in_drive(std::uint32_t drive) const { return links_.in_drive(drive); }  ///< commands in the drive now
  std::size_t queued(std::uint32_t drive) const { return links_.queued(drive); }  ///< commands that wait for it in the host
  /// Units of the drive that do not hold the data written last.
  std::uint64_t stale_units(std::uint32_t drive) const { return states_.stale_units(drive).count(); }
  /// Of a unit's copy: it lacks data in these bytes of the unit, because it is stale or because its source could not be read.
  bool lacks(const UnitPlace& place, std::uint64_t within, std::uint64_t length) const {
    return states_.stale(place) || states_.lost(place.drive, place.address + within, place.address + within + length);
  }
  std::uint64_t rebuilt_units(std::uint32_t drive) const { return rebuilder_.rebuilt_units(drive); }  ///< so far
  std::uint64_t rebuilt_bytes(std::uint32_t drive) const { return rebuilder_.rebuilt_bytes(drive); }  ///< so far
  /// When the last of its stale units was rebuilt or written; 0: there were none; core::kNoDeadline while some units are stale.
  Picoseconds fresh_since(std::uint32_t drive) const { return states_.fresh_since(drive); }
  std::uint64_t failures(std::uint32_t drive) const { return states_.failures(drive); }  ///< of the drive so far

  /// What it has done about sectors that drives could not read.
  ArrayErrors errors() const {
    ArrayErrors errors = account_.errors;
    errors.repaired = rebuilder_.repaired();
    errors.lost_sectors = rebuilder_.lost_sectors();
    return errors;
  }

  const StreamBufferCounters& stream_buffer_counters() const { return read_ahead_.counters(); }  ///< of all streams
  /// Memory of all stream buffers: two halves each.
  std::uint64_t stream_buffer_bytes() const { return read_ahead_.memory_bytes(); }

 private:
  void require(std::uint32_t drive) const;

  // Requests.
  command::CommandStatus check(const ArrayRequest& request) const;
  void start(ArrayRequest& request);
  void refuse(ArrayRequest& request, command::CommandStatus status) override;
  void ended(ArrayRequest& request) override;
  unsigned int look(tlm::tlm_generic_payload& payload) override;
  std::uint32_t copy_to_look_at(const StripeMap::Area& area, std::uint64_t unit, std::uint64_t within,
                                std::uint64_t length) const;
  /// Accesses the part of `payload` within one unit. Returns the number of bytes.
  std::uint64_t look_at(const tlm::tlm_generic_payload& payload, std::uint64_t at, std::uint64_t length, std::uint8_t* data);

  /// Processes everything that is pending. `callbacks`: also reports ended requests to their clients.
  void work(bool callbacks);
  bool work_once(bool callbacks);
  /// Tells the probes what has changed since the last call.
  void report();
  void tell_ended() { work(true); }
  void respond() { host_.respond(); }

  // Fragments.
  void dispatch(Fragment& fragment);
  void dispatch_read(Fragment& fragment);
  void dispatch_write(Fragment& fragment);
  void append(Fragment& fragment, std::uint32_t copy);
  /// A copy of the bytes to be read has no good sector at byte `at` of the fragment.
  void bad_sector(Fragment& fragment, std::uint32_t copy, std::uint64_t at) const;
  /// A read of this copy, whose fragment lies at byte `at` of the drive, has ended with an unreadable sector.
  void unreadable(Fragment& fragment, const LinkCommand& command, std::uint64_t at);
  bool from_cache(const Fragment& fragment);
  void settle_write(Fragment& fragment);
  void update_cache(const Fragment& fragment, bool good);

  // Flushes.
  void flush_drives();
  void settle_flush(Fragment& fragment, command::CommandStatus status, std::uint32_t drive);
  void end_flush();
  void note_failures(std::uint32_t drive);

  // Responses of the drives.
  void answered(LinkCommand& command) override;
  void heard() override { work(true); }
  void take_bytes(const LinkCommand& command, const Fragment& fragment, std::uint64_t offset);

  // Failure and revival.
  void failed(std::uint32_t drive);
  /// Uses again those drives of `reviving_` for which all earlier commands and missed writes have ended. Returns false if there are none.
  bool complete_revivals();
  /// True if a write is in progress that belongs on this drive and arrived before its last failure.
  bool missed_write(std::uint32_t drive) const;
  void poll();
  void rebuild_again();

  struct {
    std::array<ArrayCounters, core::kRequestClasses> classes;  ///< by class
    std::uint64_t outstanding = 0;                             ///< requests that have not ended
    ArrayErrors errors;                                        ///< without what the rebuilder counts
  } account_;
  core::RingBuffer<ArrayRequest*> ended_;
  std::uint64_t reviving_ = 0;  ///< revived drives that are not yet in use, one bit each
  bool working_ = false;
  core::Probes<ArrayProbeIf> probes_;
  std::vector<ArrayDriveReport> reported_;
};

}  // namespace platter::host::array
