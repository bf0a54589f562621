// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/array.h"

#include <algorithm>
#include <stdexcept>

#include "platter/core/sc_time.h"
#include "platter/drive/drive_registers.h"

namespace platter::host::array {

using command::CommandExtension;
using command::CommandStatus;
using Heard = command::InitiatorPort::Heard;
using core::now_ps;
using core::RequestClass;
using core::to_sc_time;

namespace {

constexpr std::array<RequestClass, core::kRequestClasses> kPriority = {RequestClass::Continuous, RequestClass::Discrete,
                                                                       RequestClass::Background};

/// A unit whose rebuild has failed is not tried again before.
constexpr Picoseconds kRetry = core::kPicosecondsPerMillisecond;
/// Microseconds between two units of a rebuild whose rate is limited, at the most: twelve days.
constexpr std::uint64_t kLongestPause = 1'000'000'000'000;

constexpr std::uint64_t kMostBufferBytes = std::uint64_t{1} << 30;

constexpr std::size_t index(RequestClass cls) { return static_cast<std::size_t>(cls); }

Picoseconds since(const ArrayRequest& request) {
  return request.issued >= 0 ? std::min(request.issued, now_ps()) : now_ps();
}

std::uint32_t checked_drives(std::uint32_t drives) {
  if (drives == 0 || drives > kMostDrives)
    throw std::invalid_argument("an array has 1 to " + std::to_string(kMostDrives) + " drives");
  return drives;
}

}  // namespace

Array::Array(const sc_core::sc_module_name& name, const ArrayConfig& config)
    : sc_module(name),
      port_("host_tgt_socket", *this, "/platter/array/phase"),
      host_tgt_socket(port_.socket),
      disk_init_sockets("disk_init_sockets", checked_drives(config.drives)),
      best_effort_init_sockets("best_effort_init_sockets", config.drives),
      register_init_sockets("register_init_sockets", config.drives),
      config_(config),
      map_(config.drives, config.drive_bytes, config.sector_bytes, config.areas),
      cache_(config.cache.block_bytes != 0 ? static_cast<std::uint32_t>(config.cache.bytes / config.cache.block_bytes) : 0,
             config.cache.block_bytes),
      drives_(config.drives),
      units_(1024, nullptr) {
  if (config.tags == 0 || std::count(config.class_tags.begin(), config.class_tags.end(), 0u) > 0)
    throw std::invalid_argument("an array needs a tag in each drive, for each class");
  for (const StripeMap::Area& area : map_.areas())
    if (cached(area) && (config.cache.block_bytes == 0 || config.cache.block_bytes % config.sector_bytes != 0 ||
                         area.unit_bytes % config.cache.block_bytes != 0))
      throw std::invalid_argument("the units of a cached area must be whole blocks of the cache, those whole sectors");
    else if (!cached(area) && config.stream_buffers.units > kMostBufferBytes / area.unit_bytes)
      throw std::invalid_argument("a half of a stream's buffer has at most " + std::to_string(kMostBufferBytes) + " bytes");
  for (DrivePort& port : drives_) port.stale = StaleUnits(map_.physical_units());
  opened_.reserve(config.drives);
  active_rebuilds_.reserve(config.rebuild.outstanding);
  for (std::uint32_t i = 0; i < config.drives; ++i) {
    disk_init_sockets[i].register_nb_transport_bw(this, &Array::nb_transport_bw, static_cast<int>(i));
    best_effort_init_sockets[i].register_nb_transport_bw(this, &Array::nb_transport_bw, static_cast<int>(i));
  }
  SC_METHOD(tell_ended);
  sensitive << ended_event_;
  dont_initialize();
  SC_METHOD(respond);
  sensitive << response_event_;
  dont_initialize();
  SC_METHOD(rebuild_again);
  sensitive << rebuild_event_;
  dont_initialize();
  SC_METHOD(poll);
  sensitive << poll_event_;
  dont_initialize();
}

Array::~Array() {
  for (const auto& command : commands_.all()) command->payload.clear_extension<CommandExtension>();
}

std::size_t Array::queued(std::uint32_t drive) const {
  std::size_t commands = 0;
  for (const auto& backlog : drives_[drive].backlog) commands += backlog.size();
  return commands;
}

// --- requests ----------------------------------------------------------------------------------------------------

CommandStatus Array::check(const ArrayRequest& request) const {
  if (request.deadline < 0) return CommandStatus::BadCommand;
  if (request.length == 0 || request.length % config_.sector_bytes != 0) return CommandStatus::BadLength;
  if (request.address % config_.sector_bytes != 0 || request.address >= capacity_bytes() ||
      request.length > capacity_bytes() - request.address)
    return CommandStatus::BadAddress;
  return CommandStatus::Good;
}

void Array::submit(ArrayRequest& request) {
  if (request.client == nullptr) throw std::invalid_argument("a request needs a client that hears of its end");
  if (!core::valid(request.cls)) throw std::invalid_argument("a request needs a class");
  request.since_ = since(request);
  request.timing = {};
  request.timing.accepted = -1;
  request.host_queue = 0;
  request.lost_bytes = 0;
  request.buffer_ = nullptr;
  request.waited_ = false;
  ++outstanding_;
  ++counters_[index(request.cls)].submitted;
  request.status = request.flush() ? CommandStatus::Good : check(request);
  if (request.status != CommandStatus::Good) {
    end(request);
  } else if (request.flush()) {
    flushes_.push_back({&request, next_order_++});
  } else {
    if (config_.stream_buffers.units > 0 && !request.write() && request.cls == RequestClass::Continuous)
      request.buffer_ = follow(request);
    cut(request);
  }
  work(false);
}

void Array::cut(ArrayRequest& request) {
  const std::uint64_t end = request.address + request.length;
  if (request.write()) written(request.address, end);
  ++request.pending_;  // not before all of them are known
  for (std::uint64_t at = request.address; at < end;) {
    const StripeMap::Area& area = map_.area_at(at);
    const std::uint64_t within = (at - area.begin) % area.unit_bytes;
    if (!request.write() && cached(area)) {
      const std::uint64_t block = at - within % cache_.block_bytes();
      add(request, area, block, cache_.block_bytes(), Kind::Read);
      at = block + cache_.block_bytes();
    } else {
      const auto length = static_cast<std::uint32_t>(std::min(area.unit_bytes - within, end - at));
      add(request, area, at, length, request.write() ? Kind::Write : Kind::Read);
      at += length;
    }
  }
  if (--request.pending_ == 0) this->end(request);
}

bool Array::conflict(const Fragment& older, const Fragment& younger) {
  if (older.within >= younger.end() || younger.within >= older.end()) return false;
  if (younger.kind == Kind::Read || younger.kind == Kind::Rebuild) return older.kind == Kind::Write;
  return older.kind != Kind::Rebuild || !younger.ahead;
}

void Array::put_ahead(Fragment& fragment) {
  if (fragment.ahead || fragment.blockers == 0) return;
  for (Fragment* older = bucket(fragment.unit); older != nullptr; older = older->older) {
    if (older->unit != fragment.unit || older->order >= fragment.order || !conflict(*older, fragment)) continue;
    if (older->kind != Kind::Rebuild) {
      put_ahead(*older);
    } else {
      older->spoiled = true;
      if (--fragment.blockers == 0) ready_.push_back(&fragment);
    }
  }
  fragment.ahead = true;
}

void Array::chain(Fragment& fragment) {
  Fragment*& front = bucket(fragment.unit);
  fragment.older = front;
  fragment.younger = nullptr;
  if (front != nullptr) front->younger = &fragment;
  front = &fragment;
}

void Array::add(ArrayRequest& request, const StripeMap::Area& area, std::uint64_t address, std::uint32_t length, Kind kind) {
  if (fragments_.in_use() >= 2 * units_.size()) {
    std::vector<Fragment*> chains(units_.size() * 4, nullptr);
    chains.swap(units_);
    for (Fragment* f : chains)
      while (f != nullptr) {
        Fragment* next = f->older;
        chain(*f);
        f = next;
      }
  }
  Fragment& fragment = fragments_.take();
  fragment = {};
  fragment.request = &request;
  fragment.area = &area;
  fragment.unit = map_.unit_at(area, address);
  fragment.within = address - map_.address_of(area, fragment.unit);
  fragment.length = length;
  fragment.kind = kind;
  fragment.order = next_order_++;
  fragment.ahead = request.cls == RequestClass::Continuous;
  if (kind != Kind::Read || writers_ > 0)
    for (Fragment* older = bucket(fragment.unit); older != nullptr; older = older->older) {
      if (older->unit != fragment.unit) continue;
      if (conflict(*older, fragment)) {
        ++fragment.blockers;
        if (fragment.ahead && !active_rebuilds_.empty()) put_ahead(*older);
      } else if (older->kind == Kind::Rebuild && kind == Kind::Write) {
        older->spoiled = true;
      }
    }
  if (kind != Kind::Read) ++writers_;
  if (kind == Kind::Write && !flushes_.empty()) {
    ++fragment.blockers;
    held_.push_back(&fragment);
  }
  chain(fragment);
  ++request.pending_;
  if (fragment.blockers == 0) ready_.push_back(&fragment);
}

void Array::settle(Fragment& fragment) {
  if (writers_ > 0)
    for (Fragment* f = bucket(fragment.unit); f != nullptr; f = f->older)
      if (f->unit == fragment.unit && f->order > fragment.order && conflict(fragment, *f) && --f->blockers == 0)
        ready_.push_back(f);
  if (fragment.kind != Kind::Read) --writers_;
  (fragment.younger != nullptr ? fragment.younger->older : bucket(fragment.unit)) = fragment.older;
  if (fragment.older != nullptr) fragment.older->younger = fragment.younger;
  ArrayRequest& request = *fragment.request;
  fragments_.give_back(fragment);
  if (--request.pending_ == 0) end(request);
}

void Array::lose(Fragment& fragment) {
  ArrayRequest& request = *fragment.request;
  request.status = CommandStatus::NoCopy;
  const std::uint64_t begin = address_of(fragment);
  request.lost_bytes += std::min<std::uint64_t>(begin + fragment.length, request.address + request.length) -
                        std::max(begin, request.address);
  settle(fragment);
}

void Array::end(ArrayRequest& request) {
  switch (request.role_) {
    case ArrayRequest::Role::Host: break;
    case ArrayRequest::Role::Rebuild: rebuilt(static_cast<Rebuild&>(request)); return;
    case ArrayRequest::Role::Fetch: fetched(static_cast<Fetch&>(request)); return;
  }
  const Picoseconds now = now_ps();
  command::CommandTiming& timing = request.timing;
  ArrayCounters& counters = counters_[index(request.cls)];
  --outstanding_;
  const bool no_drive = timing.accepted < 0;
  if (no_drive) timing.accepted = now;
  request.host_queue = timing.accepted - request.since_;
  if (request.status == CommandStatus::Good) {
    timing.issued = request.since_;
    timing.completed = now;
    if (no_drive) timing.started = now;
    timing.queue += timing.response() - timing.parts();
    ++counters.completed;
    if (now > request.deadline) ++counters.late;
    if (request.buffer_ != nullptr)
      ++(!no_drive ? stream_counters_.misses : request.waited_ ? stream_counters_.underruns : stream_counters_.hits);
    else if (no_drive && !request.flush())
      ++counters.cache_hits;
    counters.response += timing.response();
    counters.host_queue += request.host_queue;
  } else {
    command::CommandTiming failed;
    failed.issued = request.since_;
    failed.accepted = timing.accepted;
    failed.completed = now;
    failed.queue = failed.response();
    timing = failed;
    ++counters.failed;
  }
  ended_.push_back(&request);
}

void Array::work(bool callbacks) {
  if (working_) return;
  working_ = true;
  for (;;) {
    if (!ready_.empty()) {
      Fragment& fragment = *ready_.front();
      ready_.pop_front();
      dispatch(fragment);
    } else if (!opened_.empty()) {
      for (std::size_t i = 0; i < opened_.size(); ++i) close(opened_[i]);
      opened_.clear();
    } else if (to_send_ != 0) {
      for (std::uint32_t drive = 0; to_send_ >> drive != 0; ++drive)
        if ((to_send_ >> drive & 1) != 0) {
          to_send_ &= ~(std::uint64_t{1} << drive);
          send(drive);
        }
    } else if (!flushes_.empty() && !flushing_ && writers_ - active_rebuilds_.size() == held_.size()) {
      flush_drives();  // all writes on their way are younger
    } else if (!to_fetch_.empty()) {
      Stream& stream = *to_fetch_.front();
      to_fetch_.pop_front();
      fetch(stream);
    } else if (returning_ != 0 && complete_returns()) {
      continue;
    } else if (rebuild_wanted_) {
      rebuild();
    } else if (callbacks && !ended_.empty()) {
      ArrayRequest& request = *ended_.front();
      ended_.pop_front();
      request.client->finished(request);
    } else {
      break;
    }
  }
  working_ = false;
  if (!ended_.empty()) ended_event_.notify(sc_core::SC_ZERO_TIME);
}

// --- fragments -----------------------------------------------------------------------------------------------------

void Array::dispatch(Fragment& fragment) {
  switch (fragment.kind) {
    case Kind::Read: dispatch_read(fragment); break;
    case Kind::Write: dispatch_write(fragment); break;
    case Kind::Rebuild: dispatch_rebuild(fragment); break;
    case Kind::Flush: break;  // has nothing to wait for: flush_drives()
  }
}

bool Array::from_cache(Fragment& fragment) {
  if (!cached(*fragment.area) || fragment.request->fua) return false;
  const ArrayRequest& request = *fragment.request;
  const std::uint64_t block = address_of(fragment);
  const std::uint64_t begin = std::max(block, request.address);
  const std::uint64_t end = std::min<std::uint64_t>(block + fragment.length, request.address + request.length);
  return cache_.read(block, static_cast<std::uint32_t>(begin - block),
                     request.data != nullptr ? request.data + (begin - request.address) : nullptr,
                     static_cast<std::uint32_t>(end - begin));
}

void Array::dispatch_read(Fragment& fragment) {
  if (from_stream(fragment)) return;
  if (from_cache(fragment)) {
    settle(fragment);
    return;
  }
  for (std::uint32_t copy = 0; copy < fragment.area->copies(); ++copy) {
    const UnitPlace place = map_.place(*fragment.area, fragment.unit, copy);
    if (!usable(place)) continue;
    append(fragment, copy, place);
    return;
  }
  lose(fragment);
}

std::uint32_t Array::writable(const Fragment& fragment) {
  std::uint32_t copies = 0;
  for (std::uint32_t copy = 0; copy < fragment.area->copies(); ++copy) {
    const UnitPlace place = map_.place(*fragment.area, fragment.unit, copy);
    if (drives_[place.drive].alive && (!stale(place) || (whole(fragment) && !behind_rebuild(fragment)))) copies |= 1u << copy;
  }
  return copies;
}

void Array::dispatch_write(Fragment& fragment) {
  const std::uint32_t copies = writable(fragment);
  if (copies == 0) {
    if (fragment.attempted)
      settle_write(fragment);
    else
      lose(fragment);
    return;
  }
  fragment.attempted = true;
  for (std::uint32_t copy = 0; copy < fragment.area->copies(); ++copy)
    if ((copies >> copy & 1) != 0) append(fragment, copy, map_.place(*fragment.area, fragment.unit, copy));
}

void Array::settle_write(Fragment& fragment) {
  const StripeMap::Area& area = *fragment.area;
  std::uint32_t good = fragment.written;
  if (area.mirrored && !whole(fragment))  // a copy that has become stale under it lacks another part of the unit, and is no copy
    for (std::uint32_t copy = 0; copy < area.copies(); ++copy)
      if (stale(map_.place(area, fragment.unit, copy))) good &= ~(1u << copy);
  if (good == 0 && fragment.refused == CommandStatus::Good && writable(fragment) != 0) {  // a drive has died, and the other has returned
    ready_.push_back(&fragment);
    return;
  }
  if (area.mirrored) {
    bool kept = false;  // of a write that has failed on all copies: one, as they may differ
    for (std::uint32_t copy = 0; copy < area.copies(); ++copy) {
      const UnitPlace place = map_.place(area, fragment.unit, copy);
      if (good == 0) {
        if (!stale(place) && kept) set_stale(place);
        kept = kept || !stale(place);
      } else if ((good >> copy & 1) == 0) {
        set_stale(place);
      } else if (whole(fragment)) {
        clear_stale(place);
      }
    }
  }
  ArrayRequest& request = *fragment.request;
  if (good == 0 && request.status == CommandStatus::Good)
    request.status = fragment.refused != CommandStatus::Good ? fragment.refused : CommandStatus::DriveDead;
  if (cached(area)) {
    const std::uint64_t begin = address_of(fragment);
    for (std::uint64_t at = begin; at < begin + fragment.length;) {
      const auto within = static_cast<std::uint32_t>((at - area.begin) % cache_.block_bytes());
      const auto length = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(cache_.block_bytes() - within, begin + fragment.length - at));
      if (good != 0)
        cache_.update(at - within, within, request.data != nullptr ? request.data + (at - request.address) : nullptr, length);
      else
        cache_.erase(at - within);
      at += length;
    }
  }
  settle(fragment);
}

// --- flushes -------------------------------------------------------------------------------------------------------

void Array::flush_drives() {
  flushing_ = true;
  ArrayRequest& request = *flushes_.front().request;
  ++request.pending_;  // not before all of them are known
  for (std::uint32_t drive = 0; drive < config_.drives; ++drive) {
    if (!drives_[drive].alive) continue;
    Fragment& fragment = fragments_.take();
    fragment = {};
    fragment.request = &request;
    fragment.kind = Kind::Flush;
    ++request.pending_;
    Command& command = commands_.take(this);
    command.first = command.last = &fragment;
    command.copy = 0;
    command.drive = drive;
    command.address = 0;
    command.length = 0;
    command.bounced = false;
    command.fua = false;
    enqueue(command, command::Operation::Flush, nullptr);
  }
  if (--request.pending_ == 0) end_flush();
}

void Array::settle_flush(Fragment& fragment, CommandStatus status, std::uint32_t drive) {
  ArrayRequest& request = *fragment.request;
  fragments_.give_back(fragment);
  if (status == CommandStatus::Good) {
    note_deaths(drive);
    drives_[drive].unflushed_bytes = 0;
  } else if (status != CommandStatus::DriveDead) {
    request.status = status;
  }
  if (--request.pending_ == 0) end_flush();
}

void Array::end_flush() {
  ArrayRequest& request = *flushes_.front().request;
  flushes_.pop_front();
  flushing_ = false;
  if (lost_unflushed_bytes_ > 0) {
    request.status = CommandStatus::NoCopy;
    request.lost_bytes = lost_unflushed_bytes_;
    lost_unflushed_bytes_ = 0;
  }
  while (!held_.empty() && (flushes_.empty() || held_.front()->order < flushes_.front().order)) {
    Fragment& fragment = *held_.front();
    held_.pop_front();
    if (--fragment.blockers == 0) ready_.push_back(&fragment);
  }
  end(request);
}

void Array::note_deaths(std::uint32_t drive) {
  DrivePort& port = drives_[drive];
  std::uint32_t deaths = port.drive_deaths;
  drive_register(drive, tlm::TLM_READ_COMMAND, drive::reg::kDeaths, deaths);
  if (deaths == port.drive_deaths) return;
  port.drive_deaths = deaths;
  lost_unflushed_bytes_ += port.unflushed_bytes;
  port.unflushed_bytes = 0;
}

// --- streams' buffers ----------------------------------------------------------------------------------------------

Array::Stream& Array::stream_of(const ArrayRequest& read) {
  const auto known = std::find(stream_ids_.begin(), stream_ids_.end(), read.stream);
  if (known != stream_ids_.end()) return *streams_[static_cast<std::size_t>(known - stream_ids_.begin())];
  const Picoseconds past = now_ps() - config_.stream_buffers.idle;
  const auto over = std::find_if(streams_.begin(), streams_.end(), [past](const auto& stream) {
    return stream->last_read <= past && !stream->fetching() && !stream->to_fetch;
  });
  if (over != streams_.end()) {
    stream_ids_[static_cast<std::size_t>(over - streams_.begin())] = read.stream;
    return **over;
  }
  stream_ids_.push_back(read.stream);
  streams_.push_back(std::make_unique<Stream>());
  return *streams_.back();
}

Array::Stream* Array::follow(const ArrayRequest& read) {
  Stream& stream = stream_of(read);
  stream.id = read.stream;
  stream.last_read = now_ps();
  stream.deadline = read.deadline;
  if (!stream.read(read.address, read.address + read.length)) return nullptr;
  want(stream);
  return &stream;
}

void Array::want(Stream& stream) {
  if (stream.to_fetch || stream.wanted() == StreamBuffer::kNowhere) return;
  stream.to_fetch = true;
  to_fetch_.push_back(&stream);
}

void Array::fetch(Stream& stream) {
  stream.to_fetch = false;
  const std::uint64_t begin = stream.wanted();
  if (begin >= capacity_bytes()) return;
  for (const Fetch& other : stream.fetches)  // who waits for one half may want a piece of the one before, too
    if (other.first_waiting != nullptr) return;
  const StripeMap::Area& area = map_.area_at(begin);
  if (cached(area)) return;
  const auto length =
      static_cast<std::uint32_t>(std::min(config_.stream_buffers.units * area.unit_bytes, area.end() - begin));
  const std::uint32_t half = stream.fetch(begin, begin + length, next_order_);
  Fetch& fetch = stream.fetches[half];
  if (fetch.room < length) {
    stream_buffer_bytes_ += length - fetch.room;
    fetch.room = length;
    if (config_.holds_data) stream.bytes(half).resize(length);
  }
  fetch.role_ = ArrayRequest::Role::Fetch;
  fetch.of = &stream;
  fetch.half = half;
  fetch.address = begin;
  fetch.length = length;
  fetch.cls = RequestClass::Continuous;
  fetch.stream = stream.id;
  fetch.deadline = stream.deadline;  // it is wanted when the read after the last one comes
  fetch.data = config_.holds_data ? stream.bytes(half).data() : nullptr;
  fetch.status = CommandStatus::Good;
  fetch.since_ = now_ps();
  cut(fetch);
}

bool Array::from_stream(Fragment& fragment) {
  ArrayRequest& request = *fragment.request;
  if (request.buffer_ == nullptr || request.fua) return false;
  auto& stream = static_cast<Stream&>(*request.buffer_);
  const std::uint64_t begin = address_of(fragment);
  std::uint32_t half = 0;
  switch (stream.find(begin, begin + fragment.length, fragment.order, half)) {
    case StreamBuffer::Found::No: return false;
    case StreamBuffer::Found::Awaited: {
      Fetch& fetch = stream.fetches[half];
      fragment.next[0] = nullptr;
      (fetch.first_waiting != nullptr ? fetch.last_waiting->next[0] : fetch.first_waiting) = &fragment;
      fetch.last_waiting = &fragment;
      request.waited_ = true;
      return true;
    }
    case StreamBuffer::Found::Filled: break;
  }
  if (config_.holds_data && request.data != nullptr)
    stream.copy(begin, begin + fragment.length, request.data + (begin - request.address));
  settle(fragment);
  return true;
}

void Array::fetched(Fetch& fetch) {
  Stream& stream = *fetch.of;
  const bool good = fetch.status == CommandStatus::Good;
  stream.fetched(fetch.half, good);
  for (Fragment* f = fetch.first_waiting; f != nullptr; f = f->next[0]) ready_.push_back(f);
  fetch.first_waiting = nullptr;
  if (!good) return;  // until the stream reads again
  stream_counters_.fetched_bytes += fetch.length;
  want(stream);
}

// --- commands --------------------------------------------------------------------------------------------------------

void Array::append(Fragment& fragment, std::uint32_t copy, const UnitPlace& place) {
  DrivePort& port = drives_[place.drive];
  const std::uint64_t address = place.address + piece_begin(fragment);
  fragment.next[copy] = nullptr;
  ++fragment.on_way;
  if (Command* open = port.open) {
    if (open->first->request == fragment.request && open->copy == copy && open->address + open->length == address &&
        open->length + fragment.length <= config_.most_command_bytes) {
      if (address_of(*open->last) + open->last->length != address_of(fragment)) open->scattered = true;
      open->last->next[copy] = &fragment;
      open->last = &fragment;
      open->length += fragment.length;
      return;
    }
    close(place.drive);
  } else {
    opened_.push_back(place.drive);
  }
  Command& command = commands_.take(this);
  command.first = command.last = &fragment;
  command.copy = copy;
  command.drive = place.drive;
  command.address = address;
  command.length = piece_length(fragment);
  command.scattered = false;
  port.open = &command;
}

void Array::close(std::uint32_t drive) {
  DrivePort& port = drives_[drive];
  Command& command = *port.open;
  port.open = nullptr;
  const ArrayRequest& request = *command.first->request;
  const Kind kind = command.first->kind;
  const bool write = kind == Kind::Write || (kind == Kind::Rebuild && static_cast<const Rebuild&>(request).writing);
  command.fua = request.fua || (write && command.first->area->mirrored);
  std::uint8_t* data = nullptr;
  command.bounced = false;
  if (request.data != nullptr) {
    const std::uint64_t begin = address_of(*command.first);
    if (!command.scattered && begin >= request.address && begin + command.length <= request.address + request.length) {
      data = request.data + (begin - request.address);
    } else {
      command.bounced = true;
      if (command.data.size() < command.length) command.data.resize(command.length);
      data = command.data.data();
      if (write)
        for (const Fragment* f = command.first; f != nullptr; f = f->next[command.copy]) {
          std::copy_n(request.data + (address_of(*f) - request.address), f->length, data);
          data += f->length;
        }
      data = command.data.data();
    }
  }
  enqueue(command, command::read_or_write(write), data);
}

void Array::enqueue(Command& command, command::Operation operation, std::uint8_t* data) {
  command::Command sent = *command.first->request;
  sent.operation = operation;
  sent.address = command.address;
  sent.length = command.length;
  sent.fua = command.fua;
  sent.issued = now_ps();
  command::set_command(command.payload, command, sent, data);
  drives_[command.drive].backlog[index(command.cls)].push_back(&command);
  to_send_ |= std::uint64_t{1} << command.drive;
}

void Array::send(std::uint32_t drive) {
  DrivePort& port = drives_[drive];
  while (port.alive && port.in_drive < config_.tags) {
    Command* next = nullptr;
    for (const RequestClass cls : kPriority) {
      auto& backlog = port.backlog[index(cls)];
      if (backlog.empty() || port.class_in_drive[index(cls)] >= config_.class_tags[index(cls)] ||
          port.ways[way(drive, cls)].busy())
        continue;
      next = backlog.front();
      backlog.pop_front();
      break;
    }
    if (next == nullptr) return;
    Command& command = *next;
    const std::size_t by = way(drive, command.cls);
    ++port.sent;
    ++port.in_drive;
    ++port.class_in_drive[index(command.cls)];
    command.life = port.life;
    const Heard heard = by == 0 ? port.ways[0].send(disk_init_sockets[drive], command.payload)
                                : port.ways[1].send(best_effort_init_sockets[drive], command.payload);
    if (heard == Heard::Answered) answered(command);
  }
}

tlm::tlm_sync_enum Array::nb_transport_bw(int drive, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                          sc_core::sc_time& /*delay*/) {
  const auto number = static_cast<std::uint32_t>(drive);
  Command& command = command_of(payload);
  const Heard heard = drives_[number].ways[way(number, command.cls)].receive(payload, phase);
  if (heard == Heard::Nothing) return tlm::TLM_ACCEPTED;
  to_send_ |= std::uint64_t{1} << number;
  if (heard == Heard::Answered) answered(command);
  work(true);
  return heard == Heard::Answered ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

void Array::answered(Command& command) {
  DrivePort& port = drives_[command.drive];
  --port.in_drive;
  --port.class_in_drive[index(command.cls)];
  if (command.status == CommandStatus::DriveDead && command.life == port.life) died(command.drive);
  finish(command);
  command.payload.release();
}

void Array::free(tlm::tlm_generic_payload* payload) { commands_.give_back(command_of(*payload)); }

void Array::take_bytes(const Command& command, const Fragment& fragment, std::uint64_t offset) {
  const ArrayRequest& request = *fragment.request;
  const std::uint64_t begin = address_of(fragment);
  const std::uint8_t* bytes = request.data != nullptr ? command.payload.get_data_ptr() + offset : nullptr;
  if (command.bounced) {
    const std::uint64_t from = std::max(begin, request.address);
    const std::uint64_t to = std::min<std::uint64_t>(begin + fragment.length, request.address + request.length);
    std::copy_n(bytes + (from - begin), to - from, request.data + (from - request.address));
  }
  if (cached(*fragment.area) && !fragment.spoiled) cache_.insert(begin, bytes);
}

void Array::finish(Command& command) {
  const bool good = command.status == CommandStatus::Good;
  ArrayRequest& request = *command.first->request;
  request.timing = command.timing;
  request.timing.queue += command.issued - request.since_;
  const bool redirect = command.status == CommandStatus::DriveDead && command.first->kind == Kind::Read;
  if (redirect && command.first->area->mirrored) ++counters_[index(command.cls)].redirected;
  if (good && command.first->kind == Kind::Write && !command.fua) {
    DrivePort& port = drives_[command.drive];
    (command.life == port.life ? port.unflushed_bytes : lost_unflushed_bytes_) += command.length;
  }
  std::uint64_t offset = 0;
  for (Fragment* f = command.first; f != nullptr;) {
    Fragment& fragment = *f;
    f = fragment.next[command.copy];
    --fragment.on_way;
    const std::uint32_t length = fragment.length;
    switch (fragment.kind) {
      case Kind::Read:
        if (redirect) {
          ready_.push_back(&fragment);
          break;
        }
        if (good)
          take_bytes(command, fragment, offset);
        else
          request.status = command.status;
        settle(fragment);
        break;
      case Kind::Write:
        if (good)
          fragment.written |= static_cast<std::uint8_t>(1u << command.copy);
        else if (command.status != CommandStatus::DriveDead)
          fragment.refused = command.status;
        if (fragment.on_way == 0) settle_write(fragment);
        break;
      case Kind::Rebuild: rebuild_step(fragment, good); break;
      case Kind::Flush: settle_flush(fragment, command.status, command.drive); break;
    }
    offset += length;
  }
}

// --- death and return ----------------------------------------------------------------------------------------------

void Array::died(std::uint32_t drive) {
  DrivePort& port = drives_[drive];
  returning_ &= ~(std::uint64_t{1} << drive);
  if (!port.alive) return;
  port.alive = false;
  port.died_order = next_order_;
  ++port.life;
  ++port.deaths;
  lost_unflushed_bytes_ += port.unflushed_bytes;
  port.unflushed_bytes = 0;
  const Picoseconds now = now_ps();
  for (auto& backlog : port.backlog)
    while (!backlog.empty()) {
      Command& command = *backlog.front();
      backlog.pop_front();
      command.status = CommandStatus::DriveDead;
      command.timing = {};
      command.timing.accepted = now;
      finish(command);
      commands_.give_back(command);
    }
  if (config_.poll > 0) poll_event_.notify(to_sc_time(config_.poll));
}

bool Array::drive_register(std::uint32_t drive, tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value) {
  if (register_init_sockets[drive].size() == 0) return false;
  return drive::access_register(register_init_sockets[drive], command, offset, value) == tlm::TLM_OK_RESPONSE;
}

void Array::kill(std::uint32_t drive) {
  std::uint32_t state = 0;
  drive_register(drive, tlm::TLM_WRITE_COMMAND, drive::reg::kState, state);
  died(drive);
  work(false);
}

void Array::revive(std::uint32_t drive) {
  std::uint32_t state = drive::reg::kStateAlive;
  drive_register(drive, tlm::TLM_WRITE_COMMAND, drive::reg::kState, state);
  drive_returned(drive);
}

void Array::drive_returned(std::uint32_t drive) {
  note_deaths(drive);
  if (drives_[drive].alive) return;
  returning_ |= std::uint64_t{1} << drive;
  complete_returns();
  work(false);
}

bool Array::missed_write(std::uint32_t drive) const {
  for (const Fragment* f : units_)
    for (; f != nullptr; f = f->older)
      if (f->kind == Kind::Write && f->order < drives_[drive].died_order)
        for (std::uint32_t copy = 0; copy < f->area->copies(); ++copy)
          if (map_.place(*f->area, f->unit, copy).drive == drive) return true;
  return false;
}

bool Array::complete_returns() {
  const std::uint64_t before = returning_;
  for (std::uint32_t drive = 0; drive < config_.drives; ++drive) {
    DrivePort& port = drives_[drive];
    if ((returning_ >> drive & 1) == 0 || port.in_drive > 0 || missed_write(drive)) continue;
    returning_ &= ~(std::uint64_t{1} << drive);
    port.alive = true;
    for (DrivePort& other : drives_) other.rebuild_blocked = false;
    rebuild_wanted_ = true;
  }
  return returning_ != before;
}

void Array::poll() {
  bool any_dead = false;
  for (std::uint32_t drive = 0; drive < config_.drives; ++drive) {
    if (drives_[drive].alive) continue;
    std::uint32_t state = 0;
    if (drive_register(drive, tlm::TLM_READ_COMMAND, drive::reg::kState, state) && (state & drive::reg::kStateAlive) != 0)
      drive_returned(drive);
    else if (register_init_sockets[drive].size() > 0)
      any_dead = true;
  }
  if (any_dead) poll_event_.notify(to_sc_time(config_.poll));
}

// --- rebuild -------------------------------------------------------------------------------------------------------

void Array::set_stale(const UnitPlace& place) {
  DrivePort& port = drives_[place.drive];
  port.stale.set(place.physical);
  if (!port.alive) return;
  port.rebuild_blocked = false;
  rebuild_wanted_ = true;
}

void Array::clear_stale(const UnitPlace& place) {
  DrivePort& port = drives_[place.drive];
  if (!port.stale.test(place.physical)) return;
  port.stale.clear(place.physical);
  if (port.stale.count() == 0) port.fresh_since = now_ps();
}

bool Array::under_rebuild(std::uint64_t unit) const {
  return std::any_of(active_rebuilds_.begin(), active_rebuilds_.end(), [unit](const Rebuild* r) { return r->unit == unit; });
}

bool Array::behind_rebuild(const Fragment& write) {
  for (const Fragment* f = bucket(write.unit); f != nullptr; f = f->older)
    if (f->unit == write.unit && f->kind == Kind::Rebuild && f->order < write.order) return true;
  return false;
}

void Array::rebuild() {
  rebuild_wanted_ = false;
  while (active_rebuilds_.size() < config_.rebuild.outstanding) {
    const Picoseconds now = now_ps();
    if (now < rebuild_from_) {
      rebuild_event_.notify(to_sc_time(rebuild_from_ - now));
      return;
    }
    bool begun = false;
    for (std::uint32_t i = 0; i < config_.drives && !begun; ++i) {
      const std::uint32_t drive = (rebuild_turn_ + i) % config_.drives;
      begun = rebuild_one(drive);
      if (begun) rebuild_turn_ = drive + 1;
    }
    if (!begun) return;
  }
}

bool Array::rebuild_one(std::uint32_t drive) {
  DrivePort& port = drives_[drive];
  if (!port.alive || port.stale.count() == 0 || port.rebuild_blocked) return false;
  bool waiting = false;
  std::uint64_t at = port.stale.next(port.cursor);
  if (at >= map_.physical_units()) at = port.stale.next(0);
  for (const std::uint64_t first = at;;) {
    UnitCopy stale_copy;
    map_.unit_of(drive, at, stale_copy);
    const StripeMap::Area& area = map_.area_of_unit(stale_copy.unit);
    if (under_rebuild(stale_copy.unit)) {
      waiting = true;
    } else if (usable(map_.place(area, stale_copy.unit, 1 - stale_copy.copy))) {
      Rebuild& op = rebuilds_.take();
      op.drive = drive;
      op.unit = stale_copy.unit;
      op.copy = stale_copy.copy;
      op.writing = false;
      op.done = 0;
      op.address = map_.address_of(area, op.unit);
      op.length = static_cast<std::uint32_t>(area.unit_bytes);
      op.role_ = ArrayRequest::Role::Rebuild;
      op.cls = RequestClass::Background;
      if (config_.holds_data) {
        op.bytes.resize(op.length);
        op.data = op.bytes.data();
      }
      op.since_ = now_ps();
      active_rebuilds_.push_back(&op);
      if (config_.rebuild.bytes_per_s > 0)
        rebuild_from_ = std::max(now_ps(), rebuild_from_) +
                        static_cast<Picoseconds>(std::min((area.unit_bytes * 1'000'000 + config_.rebuild.bytes_per_s - 1) /
                                                              config_.rebuild.bytes_per_s, kLongestPause)) *
                            core::kPicosecondsPerMicrosecond;
      port.cursor = at + 1;
      add(op, area, op.address, op.length, Kind::Rebuild);
      return true;
    }
    at = port.stale.next(at + 1);
    if (at >= map_.physical_units()) at = port.stale.next(0);
    if (at == first) break;
  }
  port.rebuild_blocked = !waiting;
  return false;
}

void Array::dispatch_rebuild(Fragment& fragment) {
  const auto& op = static_cast<const Rebuild&>(*fragment.request);
  const UnitPlace to = map_.place(*fragment.area, fragment.unit, op.copy);
  const UnitPlace from = map_.place(*fragment.area, fragment.unit, 1 - op.copy);
  if (drives_[to.drive].alive && stale(to) && op.writing)
    append(fragment, op.copy, to);
  else if (drives_[to.drive].alive && stale(to) && usable(from))
    append(fragment, 1 - op.copy, from);
  else
    settle(fragment);
}

void Array::rebuild_step(Fragment& fragment, bool good) {
  auto& op = static_cast<Rebuild&>(*fragment.request);
  if (good && !op.writing && !fragment.spoiled) {
    op.writing = true;
    ready_.push_back(&fragment);
    return;
  }
  if (good && !fragment.spoiled) {
    op.done += op.piece();
    if (op.done < op.length) {
      op.writing = false;
      ready_.push_back(&fragment);
      return;
    }
    DrivePort& port = drives_[op.drive];
    clear_stale(map_.place(*fragment.area, fragment.unit, op.copy));
    ++port.rebuilt;
    port.rebuilt_bytes += op.length;
  }
  if (!good) rebuild_from_ = std::max(rebuild_from_, now_ps() + kRetry);
  settle(fragment);
}

void Array::rebuilt(Rebuild& op) {
  active_rebuilds_.erase(std::find(active_rebuilds_.begin(), active_rebuilds_.end(), &op));
  rebuilds_.give_back(op);
  rebuild_wanted_ = true;
}

void Array::rebuild_again() {
  rebuild_wanted_ = true;
  work(true);
}

// --- the host's socket -----------------------------------------------------------------------------------------------

CommandStatus Array::objection(const tlm::tlm_generic_payload& payload) {
  const auto* extension = payload.get_extension<CommandExtension>();
  if (extension != nullptr && !extension->in_range()) return CommandStatus::BadCommand;
  if (extension != nullptr &&
      (extension->tag != CommandExtension::kAnyTag || extension->attribute != command::TaskAttribute::Simple))
    return CommandStatus::BadCommand;
  if (extension != nullptr && extension->flush)
    return payload.is_read() || payload.is_write() ? CommandStatus::BadCommand : CommandStatus::Good;
  if (!payload.is_read() && !payload.is_write()) return CommandStatus::BadCommand;
  if (payload.get_byte_enable_ptr() != nullptr) return CommandStatus::BadByteEnable;
  if (payload.get_streaming_width() < payload.get_data_length()) return CommandStatus::BadBurst;
  return CommandStatus::Good;
}

Array::SocketRequest& Array::accept(tlm::tlm_generic_payload& payload) {
  SocketRequest& request = socket_requests_.take();
  static_cast<ArrayRequest&>(request) = {};
  request.payload = &payload;
  request.blocking_call = false;
  request.over = false;
  request.client = this;
  static_cast<command::Command&>(request) = command::command_of(payload);
  if (!core::valid(request.cls)) request.cls = RequestClass::Discrete;  // it is refused
  request.data = payload.get_data_ptr();
  return request;
}

void Array::submit(SocketRequest& request) {
  const CommandStatus status = objection(*request.payload);
  if (status == CommandStatus::Good) {
    submit(static_cast<ArrayRequest&>(request));
    return;
  }
  request.status = status;
  request.since_ = since(request);
  request.timing.accepted = -1;
  ++outstanding_;
  ++counters_[index(request.cls)].submitted;
  end(request);
  work(false);
}

bool Array::begin(int host, tlm::tlm_generic_payload& payload) {
  SocketRequest& request = accept(payload);
  request.host = host;
  submit(request);
  return true;
}

void Array::finished(ArrayRequest& ended) {
  auto& request = static_cast<SocketRequest&>(ended);
  if (!request.blocking_call) {
    port_.respond(request.host, *request.payload, &request);
    respond();
    return;
  }
  close(request);
  request.over = true;
  request.done.notify(sc_core::SC_ZERO_TIME);
}

void Array::answer(tlm::tlm_generic_payload& /*payload*/, SocketRequest* request) {
  close(*request);
  socket_requests_.give_back(*request);
}

void Array::close(SocketRequest& request) {
  if (request.timing.completed != now_ps()) {  // the host kept the response channel busy
    const Picoseconds waited = now_ps() - request.timing.completed;
    (request.status == CommandStatus::Good ? request.timing.bus : request.timing.queue) += waited;
    request.timing.completed = now_ps();
  }
  command::set_result(*request.payload, request);
}

void Array::call(tlm::tlm_generic_payload& payload) {
  SocketRequest& request = accept(payload);
  request.blocking_call = true;
  submit(request);
  while (!request.over) wait(request.done);
  socket_requests_.give_back(request);
}

unsigned int Array::look(tlm::tlm_generic_payload& payload) {
  if (payload.get_data_ptr() == nullptr || payload.get_address() >= capacity_bytes() ||
      (!payload.is_read() && !payload.is_write()))
    return 0;
  const auto length = std::min<std::uint64_t>(payload.get_data_length(), capacity_bytes() - payload.get_address());
  std::uint64_t done = 0;
  while (done < length) {
    const std::uint64_t at = payload.get_address() + done;
    const StripeMap::Area& area = map_.area_at(at);
    const std::uint64_t unit = map_.unit_at(area, at);
    const std::uint64_t within = (at - area.begin) % area.unit_bytes;
    const std::uint64_t part = std::min(area.unit_bytes - within, length - done);
    std::uint64_t reached = 0;
    for (std::uint32_t copy = 0; copy < area.copies(); ++copy) {
      const UnitPlace place = map_.place(area, unit, copy);
      if (stale(place)) continue;
      tlm::tlm_generic_payload look;
      look.set_command(payload.get_command());
      look.set_address(place.address + within);
      look.set_data_ptr(payload.get_data_ptr() + done);
      look.set_data_length(static_cast<unsigned>(part));
      reached = disk_init_sockets[place.drive]->transport_dbg(look);
      if (payload.is_read()) break;
    }
    if (payload.is_write()) {
      written(at, at + part);
      if (cached(area))
        for (std::uint64_t block = at - within % cache_.block_bytes(); block < at + part; block += cache_.block_bytes())
          cache_.erase(block);
      for (Fragment* f = bucket(unit); f != nullptr; f = f->older)
        if (f->unit == unit) f->spoiled = true;
    }
    done += reached;
    if (reached < part) break;  // drives without bytes
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return static_cast<unsigned>(done);
}

}  // namespace platter::host::array
