// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "platter/command/tlm/initiator_port.h"
#include "platter/command/tlm/target_port.h"
#include "platter/command/tlm/command_extension.h"
#include "platter/core/pool.h"
#include "platter/core/ring_buffer.h"
#include "platter/host/array/block_cache.h"
#include "platter/host/array/stale_units.h"
#include "platter/host/array/stream_buffer.h"
#include "platter/host/array/stripe_map.h"

namespace platter::host::array {

using core::Picoseconds;

struct ArrayRequest;

/// Hears of the requests that it has submitted.
class ArrayClientIf {
 public:
  virtual ~ArrayClientIf() = default;
  /// The request has ended; it may be submitted again from here.
  virtual void finished(ArrayRequest& request) = 0;
};

/// A host's request: a read, a write, or a flush of all drives. It, and its data, are the array's from Array::submit() to ArrayClientIf::finished().
struct ArrayRequest : command::Command, command::Result {
  // From the host.
  std::uint8_t* data = nullptr;  ///< null: timing only
  ArrayClientIf* client = nullptr;

  // From the array; `timing` is the last command's, the time before in `queue`.
  Picoseconds host_queue = 0;    ///< of the response time: until its last command had a tag of its drive
  std::uint64_t lost_bytes = 0;  ///< that no drive which lives holds; of a flush: that were answered, and are perhaps on no media

 private:
  friend class Array;
  /// Who asks: a host, or the array itself.
  enum class Role : std::uint8_t { Host, Rebuild, Fetch };

  Role role_ = Role::Host;
  bool waited_ = false;            ///< for its stream's buffer to be filled
  std::uint32_t pending_ = 0;      ///< fragments
  StreamBuffer* buffer_ = nullptr; ///< of a read that goes on from the one before
  Picoseconds since_ = 0;
};

struct CacheOptions {
  std::uint64_t bytes = 0;  ///< 0: none
  std::uint32_t block_bytes = 8192;
};

struct RebuildOptions {
  std::uint32_t outstanding = 1;     ///< units on their way at once, over all drives; 0: no rebuild
  std::uint32_t bytes_per_s = 0;     ///< at most; 0: as fast as `outstanding` allows
};

/// Double buffers for streams that read on and on.
struct StreamBufferOptions {
  std::uint32_t units = 0;  ///< of the stripe map, in each half; 0: no buffers
  Picoseconds idle = 10 * core::kPicosecondsPerSecond;  ///< a stream that has not read for so long gives its buffer to the next one
};

struct ArrayConfig {
  std::uint32_t drives = 1;  ///< at most kMostDrives
  std::uint64_t drive_bytes = 0;
  std::uint32_t sector_bytes = 512;
  std::vector<StripeArea> areas;
  std::uint32_t tags = 32;  ///< commands in a drive at once; what is more waits in the drive's host queue
  std::array<std::uint32_t, core::kRequestClasses> class_tags{~0u, ~0u, ~0u};  ///< the same for each class
  std::uint32_t most_command_bytes = 1u << 20;  ///< units are not joined beyond it
  bool holds_data = true;  ///< false: the drives are timing only
  CacheOptions cache;
  StreamBufferOptions stream_buffers;
  RebuildOptions rebuild;
  Picoseconds poll = 0;  ///< how often the STATE of a dead drive is read; 0: never, its return is told
};

inline constexpr std::uint32_t kMostDrives = 32;
/// Bytes of a unit that a rebuild copies at a time.
inline constexpr std::uint32_t kRebuildPiece = 256 * 1024;

/// What the array has done for one class of requests.
struct ArrayCounters {
  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t late = 0;        ///< completed after their deadline
  std::uint64_t cache_hits = 0;  ///< reads that took no drive, nor a stream's buffer
  std::uint64_t redirected = 0;  ///< commands whose reads went on to the other copy, their drive having died under them
  Picoseconds response = 0;      ///< sum over the completed
  Picoseconds host_queue = 0;    ///< the part of it in the host: see ArrayRequest
};

/// What the streams' buffers have done for reads that went on from the one before, and ended well.
struct StreamBufferCounters {
  std::uint64_t hits = 0;       ///< all of it was there
  std::uint64_t underruns = 0;  ///< all of it came from the buffer, but had to be waited for
  std::uint64_t misses = 0;     ///< some of it was asked of a drive
  std::uint64_t fetched_bytes = 0;
};

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
class Array : public sc_core::sc_module, public tlm::tlm_mm_interface, private ArrayClientIf {
 public:
  SC_HAS_PROCESS(Array);
  /// Throws std::invalid_argument for a configuration that makes no array.
  Array(const sc_core::sc_module_name& name, const ArrayConfig& config);
  ~Array() override;

 private:
  struct SocketRequest;
  using Port = command::TargetPort<Array, SocketRequest, sc_core::SC_ZERO_OR_MORE_BOUND>;
  friend Port;
  Port port_;

 public:
  Port::Socket& host_tgt_socket;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<Array>> disk_init_sockets;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged_optional<Array>> best_effort_init_sockets;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_optional<Array>> register_init_sockets;

  const StripeMap& map() const { return map_; }
  std::uint64_t capacity_bytes() const { return map_.capacity_bytes(); }
  const ArrayCounters& counters(core::RequestClass cls) const { return counters_[static_cast<std::size_t>(cls)]; }
  /// Requests that have not ended.
  std::uint64_t outstanding() const { return outstanding_; }

  /// Ends, good or bad, by a call of the request's client: never within this one.
  void submit(ArrayRequest& request);

  /// The drive dies (by its STATE register, if bound), or is taken out of service (if not).
  void kill(std::uint32_t drive);
  /// The drive is switched on again (by its STATE register, if bound), and put to use: at once, or when nothing from before its
  /// death is left, neither a command in it nor a write that it has missed.
  void revive(std::uint32_t drive);
  /// The drive lives again: it is put to use as by revive(), and its stale units are rebuilt.
  void drive_returned(std::uint32_t drive);

  bool alive(std::uint32_t drive) const { return drives_[drive].alive; }
  /// Commands given to the drive so far, those in it, and those in its host queue.
  std::uint64_t sent(std::uint32_t drive) const { return drives_[drive].sent; }
  std::uint32_t in_drive(std::uint32_t drive) const { return drives_[drive].in_drive; }
  std::size_t queued(std::uint32_t drive) const;
  /// Units of the drive that are not what was written last.
  std::uint64_t stale_units(std::uint32_t drive) const { return drives_[drive].stale.count(); }
  std::uint64_t rebuilt_units(std::uint32_t drive) const { return drives_[drive].rebuilt; }
  std::uint64_t rebuilt_bytes(std::uint32_t drive) const { return drives_[drive].rebuilt_bytes; }
  /// When the last of its stale units was rebuilt or written, 0: there were none; core::kNoDeadline while some are.
  Picoseconds fresh_since(std::uint32_t drive) const { return stale_units(drive) > 0 ? core::kNoDeadline : drives_[drive].fresh_since; }
  std::uint64_t deaths(std::uint32_t drive) const { return drives_[drive].deaths; }

  const StreamBufferCounters& stream_buffer_counters() const { return stream_counters_; }
  /// Memory of all of them: two halves for each stream that lives.
  std::uint64_t stream_buffer_bytes() const { return stream_buffer_bytes_; }

 private:
  enum class Kind : std::uint8_t { Read, Write, Rebuild, Flush };
  /// What a request has of one unit (of one block, of a read through the cache; a flush: of one drive).
  struct Fragment {
    ArrayRequest* request = nullptr;
    const StripeMap::Area* area = nullptr;
    std::uint64_t unit = 0;
    std::uint64_t within = 0;  ///< bytes
    std::uint32_t length = 0;
    Kind kind = Kind::Read;
    std::uint8_t on_way = 0;   ///< commands
    std::uint8_t written = 0;  ///< copies, a bit each
    bool attempted = false;    ///< a write has been sent to a drive
    command::CommandStatus refused = command::CommandStatus::Good;  ///< of a write: by a drive that lives, and why
    bool spoiled = false;      ///< its unit was written under a rebuild, or by transport_dbg under a read
    bool ahead = false;        ///< a write that waits for no rebuild
    std::uint32_t blockers = 0;
    std::uint64_t order = 0;
    Fragment* older = nullptr;                 ///< in its bucket of `units_`
    Fragment* younger = nullptr;
    std::array<Fragment*, 2> next{};           ///< in the command for each copy; the first one also among those that wait for a fetch
    std::uint64_t end() const { return within + length; }
  };
  struct Command : command::CommandExtension {
    explicit Command(tlm::tlm_mm_interface* manager) : payload(manager) { payload.set_extension<command::CommandExtension>(this); }

    tlm::tlm_generic_payload payload;
    Fragment* first = nullptr;
    Fragment* last = nullptr;
    std::uint32_t copy = 0;
    std::uint32_t drive = 0;
    std::uint32_t life = 0;  ///< of the drive, when it was sent
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    bool scattered = false;  ///< its units do not lie side by side for the host
    bool bounced = false;    ///< by way of `data`
    std::vector<std::uint8_t> data;  ///< where the host's does not lie as the drive wants it
  };
  struct DrivePort {
    std::array<core::RingBuffer<Command*>, core::kRequestClasses> backlog;
    std::array<std::uint32_t, core::kRequestClasses> class_in_drive{};
    std::array<command::InitiatorPort, 2> ways;
    Command* open = nullptr;               ///< being put together
    std::uint32_t in_drive = 0;
    std::uint32_t life = 0;  ///< counts its deaths
    std::uint64_t died_order = 0;  ///< fragments below it came before its last death
    bool alive = true;
    StaleUnits stale;
    std::uint64_t sent = 0;
    std::uint64_t rebuilt = 0;
    std::uint64_t rebuilt_bytes = 0;
    Picoseconds fresh_since = 0;
    std::uint64_t deaths = 0;
    std::uint32_t drive_deaths = 0;      ///< by the drive's own count, when its flush or its return was last seen
    std::uint64_t unflushed_bytes = 0;   ///< answered since its last flush, not by way of FUA: perhaps in its buffer only
    std::uint64_t cursor = 0;        ///< of the rebuild
    bool rebuild_blocked = false;    ///< no stale unit has a source
  };
  /// A request by way of the socket.
  struct SocketRequest : ArrayRequest {
    tlm::tlm_generic_payload* payload = nullptr;
    int host = 0;
    bool blocking_call = false;
    bool over = false;
    sc_core::sc_event done;
  };
  /// A unit that is copied to where it is stale.
  struct Rebuild : ArrayRequest {
    std::uint32_t drive = 0;  ///< where it is stale
    std::uint64_t unit = 0;
    std::uint32_t copy = 0;
    bool writing = false;
    std::uint32_t done = 0;  ///< bytes of the unit; the next piece is on its way
    std::vector<std::uint8_t> bytes;
    std::uint32_t piece() const { return std::min(length - done, kRebuildPiece); }
  };

  struct Stream;
  /// A half of a stream's buffer on its way.
  struct Fetch : ArrayRequest {
    Stream* of = nullptr;
    std::uint32_t half = 0;
    std::uint32_t room = 0;             ///< bytes, that it ever had
    Fragment* first_waiting = nullptr;  ///< reads that want it
    Fragment* last_waiting = nullptr;
  };
  struct Stream : StreamBuffer {
    std::array<Fetch, 2> fetches;
    std::uint32_t id = 0;
    Picoseconds last_read = 0;
    Picoseconds deadline = core::kNoDeadline;  ///< of its last read
    bool to_fetch = false;
  };

  // The host's side: the port's owner.
  bool begin(int host, tlm::tlm_generic_payload& payload);
  void answer(tlm::tlm_generic_payload& payload, SocketRequest* request);
  void answered() {}
  void responses_wait() { response_event_.notify(sc_core::SC_ZERO_TIME); }
  void call(tlm::tlm_generic_payload& payload);
  unsigned int look(tlm::tlm_generic_payload& payload);
  SocketRequest& accept(tlm::tlm_generic_payload& payload);
  void submit(SocketRequest& request);
  static command::CommandStatus objection(const tlm::tlm_generic_payload& payload);
  void finished(ArrayRequest& request) override;
  static void close(SocketRequest& request);
  void respond() { port_.send_responses(); }

  // Requests and fragments.
  command::CommandStatus check(const ArrayRequest& request) const;
  void cut(ArrayRequest& request);
  void add(ArrayRequest& request, const StripeMap::Area& area, std::uint64_t address, std::uint32_t length, Kind kind);
  void chain(Fragment& fragment);
  static bool conflict(const Fragment& older, const Fragment& younger);
  /// A continuous request waits for it: what it waits for may be no rebuild, as those wait for all others.
  void put_ahead(Fragment& fragment);
  Fragment*& bucket(std::uint64_t unit) {
    return units_[static_cast<std::size_t>(unit * 0x9E37'79B9'7F4A'7C15ull >> 44) & (units_.size() - 1)];
  }
  /// Of what a fragment's next command reads or writes, within its unit: a rebuild goes by pieces.
  static std::uint64_t piece_begin(const Fragment& fragment) {
    return fragment.kind == Kind::Rebuild ? static_cast<const Rebuild&>(*fragment.request).done : fragment.within;
  }
  std::uint64_t address_of(const Fragment& fragment) const {
    return map_.address_of(*fragment.area, fragment.unit) + piece_begin(fragment);
  }
  static std::uint32_t piece_length(const Fragment& fragment) {
    return fragment.kind == Kind::Rebuild ? static_cast<const Rebuild&>(*fragment.request).piece() : fragment.length;
  }
  static bool whole(const Fragment& fragment) { return fragment.length == fragment.area->unit_bytes; }
  void dispatch(Fragment& fragment);
  void dispatch_read(Fragment& fragment);
  /// Copies to which a write may go, a bit each: on drives that live, and not stale unless it covers the unit.
  std::uint32_t writable(const Fragment& fragment);
  void dispatch_write(Fragment& fragment);
  void dispatch_rebuild(Fragment& fragment);
  bool from_cache(Fragment& fragment);
  bool from_stream(Fragment& fragment);
  void settle_write(Fragment& fragment);
  void settle(Fragment& fragment);
  void lose(Fragment& fragment);
  void end(ArrayRequest& request);
  bool cached(const StripeMap::Area& area) const { return area.cached && config_.cache.bytes != 0; }

  // Flushes.
  void flush_drives();
  void settle_flush(Fragment& fragment, command::CommandStatus status, std::uint32_t drive);
  void end_flush();
  void note_deaths(std::uint32_t drive);

  // Streams' buffers.
  Stream* follow(const ArrayRequest& read);
  Stream& stream_of(const ArrayRequest& read);
  void want(Stream& stream);
  void fetch(Stream& stream);
  void fetched(Fetch& fetch);
  void written(std::uint64_t begin, std::uint64_t end) {
    for (const auto& stream : streams_) stream->invalidate(begin, end);
  }

  /// Does all there is to do; `callbacks`: requests that have ended are told.
  void work(bool callbacks);
  void tell_ended() { work(true); }

  // The drives' side.
  bool stale(const UnitPlace& place) const { return drives_[place.drive].stale.test(place.physical); }
  bool usable(const UnitPlace& place) const { return drives_[place.drive].alive && !stale(place); }
  void set_stale(const UnitPlace& place);
  void clear_stale(const UnitPlace& place);
  void append(Fragment& fragment, std::uint32_t copy, const UnitPlace& place);
  void close(std::uint32_t drive);
  void enqueue(Command& command, command::Operation operation, std::uint8_t* data);
  void send(std::uint32_t drive);
  /// A drive has given an answer.
  void answered(Command& command);
  tlm::tlm_sync_enum nb_transport_bw(int drive, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void finish(Command& command);
  void take_bytes(const Command& command, const Fragment& fragment, std::uint64_t offset);
  void free(tlm::tlm_generic_payload* payload) override;
  std::size_t way(std::uint32_t drive, core::RequestClass cls) const {
    return cls != core::RequestClass::Continuous && best_effort_init_sockets[drive].size() > 0 ? 1 : 0;
  }
  void died(std::uint32_t drive);
  /// Puts those of `returning_` to use that nothing from before keeps back; false if there are none.
  bool complete_returns();
  /// Is a write under way that belongs on the drive too, and came before its last death?
  bool missed_write(std::uint32_t drive) const;
  /// False where the drive's registers are not bound.
  bool drive_register(std::uint32_t drive, tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value);
  void poll();

  // The rebuild.
  void rebuild();
  bool rebuild_one(std::uint32_t drive);
  void rebuild_step(Fragment& fragment, bool good);
  void rebuilt(Rebuild& op);
  void rebuild_again();
  bool under_rebuild(std::uint64_t unit) const;
  bool behind_rebuild(const Fragment& write);

  static Command& command_of(tlm::tlm_generic_payload& payload) {
    return static_cast<Command&>(*payload.get_extension<command::CommandExtension>());
  }

  ArrayConfig config_;
  StripeMap map_;
  BlockCache cache_;
  std::vector<DrivePort> drives_;
  std::array<ArrayCounters, core::kRequestClasses> counters_;
  std::uint64_t outstanding_ = 0;

  core::Pool<Fragment> fragments_;
  core::Pool<Command> commands_;
  core::Pool<SocketRequest> socket_requests_;
  core::Pool<Rebuild> rebuilds_;

  std::vector<Fragment*> units_;  ///< fragments on their way by unit, in chains, the youngest first
  std::uint64_t next_order_ = 0;
  std::uint64_t writers_ = 0;  ///< fragments of writes and rebuilds among them: reads alone wait for nothing
  core::RingBuffer<Fragment*> ready_;
  core::RingBuffer<ArrayRequest*> ended_;
  std::vector<std::uint32_t> opened_;  ///< drives with an open command
  std::uint64_t to_send_ = 0;          ///< drives, a bit each
  std::uint64_t returning_ = 0;        ///< drives that live again but are not in use yet, a bit each
  bool working_ = false;
  sc_core::sc_event ended_event_;

  struct Flush {
    ArrayRequest* request = nullptr;
    std::uint64_t order = 0;
  };
  core::RingBuffer<Flush> flushes_;    ///< the first waits for older writes, or is on its way
  core::RingBuffer<Fragment*> held_;   ///< of writes that wait for a flush
  bool flushing_ = false;              ///< the first flush is on its way
  std::uint64_t lost_unflushed_bytes_ = 0;  ///< with a drive that died; no flush has said so yet

  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::uint32_t> stream_ids_;   ///< theirs
  core::RingBuffer<Stream*> to_fetch_;
  StreamBufferCounters stream_counters_;
  std::uint64_t stream_buffer_bytes_ = 0;

  std::vector<Rebuild*> active_rebuilds_;
  std::uint32_t rebuild_turn_ = 0;
  bool rebuild_wanted_ = false;
  Picoseconds rebuild_from_ = 0;  ///< not before, by its rate
  sc_core::sc_event rebuild_event_;
  sc_core::sc_event poll_event_;

  sc_core::sc_event response_event_;
};

}  // namespace platter::host::array
