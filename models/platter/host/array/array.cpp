// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/array.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "platter/core/sc_time.h"
#include "platter/core/seeded_bug.h"
#include "platter/drive/drive_registers.h"

namespace platter::host::array {

using command::CommandStatus;
using core::now_ps;
using Kind = Fragment::Kind;

namespace {

Picoseconds since(const ArrayRequest& request) { return request.issued >= 0 ? std::min(request.issued, now_ps()) : now_ps(); }

ArrayConfig checked(const ArrayConfig& config) {
  if (config.drives == 0 || config.drives > kMaxDrives)
    throw std::invalid_argument("an array has 1 to " + std::to_string(kMaxDrives) + " drives");
  if (config.tags == 0 || std::count(config.class_tags.begin(), config.class_tags.end(), 0u) > 0)
    throw std::invalid_argument("an array needs a tag in each drive, for each class");
  return config;
}

}  // namespace

Array::Array(const sc_core::sc_module_name& name, const ArrayConfig& config)
    : sc_module(name),
      config_(checked(config)),
      rebuild_(core::Rank::Layer, [this] { rebuild_again(); }),
      poll_(core::Rank::Layer, [this] { poll(); }),
      map_(config.drives, config.drive_bytes, config.sector_bytes, config.areas),
      cache_(config.cache.block_bytes != 0 ? static_cast<std::uint32_t>(config.cache.bytes / config.cache.block_bytes) : 0,
             config.cache.block_bytes),
      planner_(config_, map_, order_, flushes_, *this),
      host_("host_tgt_socket", *this, response_event_),
      links_(config_, *this),
      states_(config.drives, map_.physical_units()),
      rebuilder_(config_, map_, states_, links_, order_, planner_, rebuild_),
      copies_(map_, states_, order_, rebuilder_),
      read_ahead_(config_, map_, order_, planner_),
      host_tgt_socket(host_.socket()),
      disk_init_sockets(links_.disk_init_sockets),
      best_effort_init_sockets(links_.best_effort_init_sockets),
      register_init_sockets(links_.register_init_sockets),
      reported_(config.drives) {
  for (const StripeMap::Area& area : map_.areas())
    if (planner_.cached(area) && (config.cache.block_bytes == 0 || config.cache.block_bytes % config.sector_bytes != 0 ||
                                  area.unit_bytes % config.cache.block_bytes != 0))
      throw std::invalid_argument("the units of a cached area must be whole blocks of the cache, those whole sectors");
    else if (!planner_.cached(area) && config.stream_buffers.units > kMaxHalfBytes / area.unit_bytes)
      throw std::invalid_argument("a half of a stream's buffer has at most " + std::to_string(kMaxHalfBytes) + " bytes");
  SC_METHOD(tell_ended);
  sensitive << ended_event_;
  dont_initialize();
  SC_METHOD(respond);
  sensitive << response_event_;
  dont_initialize();
}

// --- requests ----------------------------------------------------------------------------------------------------

CommandStatus Array::check(const ArrayRequest& request) const {
  const bool ordered = request.tag != command::Command::kAnyTag || request.attribute != command::TaskAttribute::Simple;
  if (!request.in_range() || ordered || request.zone()) return CommandStatus::BadCommand;
  if (request.flush()) return CommandStatus::Good;
  if (request.length == 0 || request.length % config_.sector_bytes != 0) return CommandStatus::BadLength;
  if (request.address % config_.sector_bytes != 0 || request.address >= capacity_bytes() ||
      request.length > capacity_bytes() - request.address)
    return CommandStatus::BadAddress;
  return CommandStatus::Good;
}

void Array::start(ArrayRequest& request) {
  request.progress.since = since(request);
  request.timing.accepted = -1;
  ++account_.outstanding;
  ++account_.classes[core::index_of(request.cls)].submitted;
}

void Array::submit(ArrayRequest& request) {
  if (request.client == nullptr) throw std::invalid_argument("a request needs a client that hears of its end");
  if (!core::valid(request.cls)) throw std::invalid_argument("a request needs a class");
  request.timing = {};
  request.host_queue = 0;
  request.lost_bytes = 0;
  request.progress.buffer = nullptr;
  request.progress.waited = false;
  start(request);
  request.status = check(request);
  if (request.status != CommandStatus::Good) {
    ended(request);
  } else if (request.flush()) {
    flushes_.push(request, order_);
  } else {
    if (config_.stream_buffers.units > 0 && !request.write() && !request.fua && request.cls == core::RequestClass::Continuous &&
        !planner_.cached(map_.area_at(request.address)))
      request.progress.buffer = read_ahead_.follow(request);
    if (request.write()) read_ahead_.written(request.address, request.address + request.length);
    planner_.cut(request);
  }
  work(false);
}

void Array::refuse(ArrayRequest& request, CommandStatus status) {
  request.status = status;
  start(request);
  ended(request);
  work(false);
}

void Array::ended(ArrayRequest& request) {
  switch (request.progress.role) {
    case ArrayRequest::Role::Host: break;
    case ArrayRequest::Role::Rebuild:
    case ArrayRequest::Role::Repair: rebuilder_.ended(request); return;
    case ArrayRequest::Role::Fetch: read_ahead_.ended(request); return;
  }
  const Picoseconds now = now_ps();
  command::CommandTiming& timing = request.timing;
  ArrayCounters& counters = account_.classes[core::index_of(request.cls)];
  --account_.outstanding;
  const bool no_drive = timing.accepted < 0;
  if (no_drive) timing.accepted = now;
  request.host_queue = timing.accepted - request.progress.since;
  if (request.status == CommandStatus::Good) {
    timing.issued = request.progress.since;
    timing.completed = now;
    if (no_drive) timing.started = now;
    timing.queue += timing.response() - timing.parts();
    ++counters.completed;
    if (now > request.deadline) ++counters.late;
    StreamBufferCounters& buffers = read_ahead_.counters();
    if (request.progress.buffer != nullptr)
      ++(!no_drive ? buffers.misses : request.progress.waited ? buffers.underruns : buffers.hits);
    else if (no_drive && !request.flush())
      ++counters.cache_hits;
    counters.response += timing.response();
    counters.host_queue += request.host_queue;
  } else {
    timing = command::CommandTiming::waited(request.progress.since, timing.accepted, now);
    ++counters.failed;
  }
  ended_.push_back(&request);
}

bool Array::work_once(bool callbacks) {
  if (order_.any_ready()) {
    dispatch(order_.take_ready());
    return true;
  }
  if (links_.close_all() || links_.send_all()) return true;
  if (flushes_.ready(order_)) {
    flush_drives();
    return true;
  }
  if (read_ahead_.fetch_next()) return true;
  if (reviving_ != 0 && complete_revivals()) return true;
  if (rebuilder_.wanted()) {
    rebuilder_.begin();
    return true;
  }
  if (!callbacks || ended_.empty()) return false;
  ArrayRequest& request = *ended_.front();
  ended_.pop_front();
  request.client->finished(request);
  return true;
}

void Array::work(bool callbacks) {
  if (working_) return;
  working_ = true;
  while (work_once(callbacks)) {
  }
  working_ = false;
  if (!probes_.empty()) report();
  if (!ended_.empty()) ended_event_.notify(sc_core::SC_ZERO_TIME);
}

void Array::report() {
  for (std::uint32_t drive = 0; drive < config_.drives; ++drive) {
    const ArrayDriveReport report = report_of(drive);
    if (report == reported_[drive]) continue;
    reported_[drive] = report;
    probes_.tell([&](ArrayProbeIf& probe) { probe.changed(now_ps(), drive, report); });
  }
}

// --- fragments -----------------------------------------------------------------------------------------------------

void Array::dispatch(Fragment& fragment) {
  switch (fragment.kind) {
    case Kind::Read: dispatch_read(fragment); break;
    case Kind::Write: dispatch_write(fragment); break;
    case Kind::Rebuild: rebuilder_.dispatch(fragment); break;
    case Kind::Flush: break;  // a flush has no blockers: flush_drives()
  }
}

void Array::append(Fragment& fragment, std::uint32_t copy) {
  const UnitPlace place = map_.place(*fragment.area, fragment.unit, copy);
  links_.append(fragment, copy, place.drive, place.address + fragment.piece_begin());
}

bool Array::from_cache(const Fragment& fragment) {
  if (!planner_.cached(*fragment.area) || fragment.request->fua) return false;
  const ArrayRequest& request = *fragment.request;
  const std::uint64_t block = fragment.address();
  const std::uint64_t begin = std::max(block, request.address);
  const std::uint64_t end = std::min<std::uint64_t>(block + fragment.length, request.address + request.length);
  return cache_.read(block, static_cast<std::uint32_t>(begin - block),
                     request.data != nullptr ? request.data + (begin - request.address) : nullptr,
                     static_cast<std::uint32_t>(end - begin));
}

void Array::dispatch_read(Fragment& fragment) {
  if (read_ahead_.serve(fragment)) return;
  if (from_cache(fragment)) {
    planner_.settle(fragment);
    return;
  }
  for (std::uint32_t copy = 0; copy < fragment.area->copies(); ++copy) {
    const UnitPlace place = map_.place(*fragment.area, fragment.unit, copy);
    if (!states_.usable(place) && !(core::seeded("stale_copy_read") && states_.alive(place.drive))) continue;
    if ((fragment.unreadable >> copy & 1) != 0) continue;
    const std::uint64_t at = place.address + fragment.within;
    if (const std::uint64_t lost = states_.first_lost(place.drive, at, at + fragment.length); lost < at + fragment.length) {
      bad_sector(fragment, copy, lost - at);
      continue;
    }
    if (fragment.unreadable != 0) ++account_.errors.redirected;
    append(fragment, copy);
    return;
  }
  if (fragment.unreadable != 0) {
    if (fragment.request->progress.role == ArrayRequest::Role::Host) ++account_.errors.unreadable;
    fragment.request->status = CommandStatus::Unreadable;
    planner_.settle(fragment);
    return;
  }
  planner_.lose(fragment);
}

void Array::bad_sector(Fragment& fragment, std::uint32_t copy, std::uint64_t at) const {
  fragment.unreadable |= static_cast<std::uint8_t>(1u << copy);
  fragment.request->first_bad = (fragment.address() + at) / config_.sector_bytes;
}

void Array::unreadable(Fragment& fragment, const LinkCommand& command, std::uint64_t at) {
  const std::uint64_t bad = command.first_bad * config_.sector_bytes;
  if (bad >= at && bad < at + fragment.length) bad_sector(fragment, command.copy, bad - at);
  order_.again(fragment);  // the others of the command have only not been read
}

void Array::dispatch_write(Fragment& fragment) {
  const std::uint32_t copies = copies_.writable(fragment);
  if (copies == 0) {
    if (order_.wait_for_rebuild(fragment)) return;
    if (fragment.attempted)
      settle_write(fragment);
    else
      planner_.lose(fragment);
    return;
  }
  copies_.sent(fragment, copies);
  for (std::uint32_t copy = 0; copy < fragment.area->copies(); ++copy)
    if ((copies >> copy & 1) != 0) append(fragment, copy);
}

void Array::settle_write(Fragment& fragment) {
  const WriteCopies::Outcome outcome = copies_.settle(fragment);
  if (outcome == WriteCopies::Outcome::Again) {  // one drive has failed and the other has been revived
    order_.again(fragment);
    return;
  }
  const bool good = outcome == WriteCopies::Outcome::Good;
  ArrayRequest& request = *fragment.request;
  if (!good && request.status == CommandStatus::Good)
    request.status = fragment.refused != CommandStatus::Good ? fragment.refused : CommandStatus::DriveFailed;
  if (planner_.cached(*fragment.area)) update_cache(fragment, good);
  planner_.settle(fragment);
}

void Array::update_cache(const Fragment& fragment, bool good) {
  const ArrayRequest& request = *fragment.request;
  const std::uint64_t begin = fragment.address();
  for (std::uint64_t at = begin; at < begin + fragment.length;) {
    const auto within = static_cast<std::uint32_t>((at - fragment.area->begin) % cache_.block_bytes());
    const auto length =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(cache_.block_bytes() - within, begin + fragment.length - at));
    if (good)
      cache_.update(at - within, within, request.data != nullptr ? request.data + (at - request.address) : nullptr, length);
    else
      cache_.erase(at - within);
    at += length;
  }
}

// --- flushes -------------------------------------------------------------------------------------------------------

void Array::flush_drives() {
  ArrayRequest& request = flushes_.begin();
  ++request.progress.pending;  // keeps the request from ending before all fragments exist
  for (std::uint32_t drive = 0; drive < config_.drives; ++drive) {
    if (!states_.alive(drive)) continue;
    Fragment& fragment = order_.make_apart();
    fragment.request = &request;
    fragment.kind = Kind::Flush;
    ++request.progress.pending;
    links_.flush(fragment, drive);
  }
  if (--request.progress.pending == 0) end_flush();
}

void Array::settle_flush(Fragment& fragment, CommandStatus status, std::uint32_t drive) {
  ArrayRequest& request = *fragment.request;
  order_.give_back(fragment);
  if (status == CommandStatus::Good) {
    note_failures(drive);
    states_.flushed(drive);
  } else if (status != CommandStatus::DriveFailed) {
    request.status = status;
  }
  if (--request.progress.pending == 0) end_flush();
}

void Array::end_flush() {
  ArrayRequest& request = flushes_.end(order_);
  if (const std::uint64_t lost = states_.take_lost_bytes(); lost > 0) {
    request.status = CommandStatus::NoCopy;
    request.lost_bytes = lost;
  }
  ended(request);
}

void Array::note_failures(std::uint32_t drive) {
  std::uint32_t failures = states_.noted_failures(drive);
  links_.access_register(drive, tlm::TLM_READ_COMMAND, drive::reg::kFailures, failures);
  states_.note_failures(drive, failures);
}

// --- responses of the drives -----------------------------------------------------------------------------------------

void Array::take_bytes(const LinkCommand& command, const Fragment& fragment, std::uint64_t offset) {
  const std::uint8_t* bytes = fragment.request->data != nullptr ? command.payload.get_data_ptr() + offset : nullptr;
  DriveLinks::deliver(command, fragment, bytes);
  if (planner_.cached(*fragment.area) && !fragment.spoiled) cache_.insert(fragment.address(), bytes);
}

void Array::answered(LinkCommand& command) {
  const bool this_generation = links_.of_this_generation(command);
  // A drive that was replaced meanwhile has taken its data with it, so its good answers count as failures.
  const CommandStatus status = links_.of_replaced_drive(command) ? CommandStatus::DriveFailed : command.status;
  const bool good = status == CommandStatus::Good;
  if (status == CommandStatus::DriveFailed && this_generation) failed(command.drive);
  ArrayRequest& request = *command.first->request;
  request.timing = command.timing;
  request.timing.queue += command.issued - request.progress.since;
  const bool redirect = status == CommandStatus::DriveFailed && command.first->kind == Kind::Read;
  if (redirect && command.first->area->mirrored) ++account_.classes[core::index_of(command.cls)].redirected;
  if (good && this_generation && command.first->kind == Kind::Write && !command.fua)
    states_.answered_write(command.drive, command.length);
  std::uint64_t offset = 0;
  for (Fragment* f = command.first; f != nullptr;) {
    Fragment& fragment = *f;
    f = fragment.next[command.copy];
    --fragment.on_way;
    const std::uint32_t length = fragment.length;
    switch (fragment.kind) {
      case Kind::Read:
        if (redirect) {
          order_.again(fragment);
          break;
        }
        if (status == CommandStatus::Unreadable) {
          unreadable(fragment, command, command.address + offset);
          break;
        }
        if (good) {
          take_bytes(command, fragment, offset);
          if (fragment.unreadable != 0) rebuilder_.repair(*fragment.area, fragment.unit, 1 - command.copy);
        } else {
          request.status = status;
        }
        planner_.settle(fragment);
        break;
      case Kind::Write:
        if (good) {
          states_.clear_lost(command.drive, command.address + offset, command.address + offset + length);
          WriteCopies::written(fragment, command.copy, !this_generation);
        } else if (status != CommandStatus::DriveFailed)
          fragment.refused = status;
        if (fragment.on_way == 0) settle_write(fragment);
        break;
      case Kind::Rebuild: rebuilder_.answered(fragment, command, good); break;
      case Kind::Flush: settle_flush(fragment, status, command.drive); break;
    }
    offset += length;
  }
}

// --- failure and revival ----------------------------------------------------------------------------------------------

void Array::failed(std::uint32_t drive) {
  reviving_ &= ~(std::uint64_t{1} << drive);
  if (config_.poll > 0) poll_.in(config_.poll);
  if (!states_.fail(drive, order_.next())) return;
  copies_.drive_failed(drive);
  links_.take_out(drive);
}

void Array::require(std::uint32_t drive) const {
  if (drive >= config_.drives) throw std::out_of_range("array: there is no drive " + std::to_string(drive));
}

void Array::fail(std::uint32_t drive) {
  require(drive);
  std::uint32_t state = 0;
  links_.access_register(drive, tlm::TLM_WRITE_COMMAND, drive::reg::kState, state);
  failed(drive);
  work(false);
}

void Array::revive(std::uint32_t drive) {
  require(drive);
  std::uint32_t state = drive::reg::kStateAlive;
  links_.access_register(drive, tlm::TLM_WRITE_COMMAND, drive::reg::kState, state);
  drive_revived(drive);
}

void Array::replace(std::uint32_t drive) {
  require(drive);
  if (states_.alive(drive)) failed(drive);
  links_.replace(drive);
  copies_.drive_replaced(drive);
  revive(drive);
}

void Array::drive_revived(std::uint32_t drive) {
  require(drive);
  note_failures(drive);
  if (states_.alive(drive)) return;
  reviving_ |= std::uint64_t{1} << drive;
  complete_revivals();
  work(false);
}

bool Array::missed_write(std::uint32_t drive) const {
  return order_.any([&](const Fragment& f) {
    if (f.kind != Kind::Write || f.order >= states_.failed_order(drive)) return false;
    for (std::uint32_t copy = 0; copy < f.area->copies(); ++copy)
      if (map_.place(*f.area, f.unit, copy).drive == drive) return true;
    return false;
  });
}

bool Array::complete_revivals() {
  const std::uint64_t before = reviving_;
  for (std::uint32_t drive = 0; drive < config_.drives; ++drive) {
    if ((reviving_ >> drive & 1) == 0 || links_.in_drive(drive) > 0 || missed_write(drive)) continue;
    reviving_ &= ~(std::uint64_t{1} << drive);
    copies_.put_to_use(drive);
    links_.put_in(drive);
    rebuilder_.drive_revived();
  }
  return reviving_ != before;
}

void Array::poll() {
  bool any_failed = false;
  for (std::uint32_t drive = 0; drive < config_.drives; ++drive) {
    if (states_.alive(drive)) continue;
    std::uint32_t state = 0;
    if (links_.access_register(drive, tlm::TLM_READ_COMMAND, drive::reg::kState, state) &&
        (state & drive::reg::kStateAlive) != 0)
      drive_revived(drive);
    else if (links_.has_registers(drive))
      any_failed = true;
  }
  if (any_failed) poll_.in(config_.poll);
}

void Array::rebuild_again() {
  rebuilder_.want();
  work(true);
}

// --- transport_dbg -------------------------------------------------------------------------------------------------

/// The copy that transport_dbg reads: if possible, one that a read with time could use too. Returns the number of copies if there is none.
std::uint32_t Array::copy_to_look_at(const StripeMap::Area& area, std::uint64_t unit, std::uint64_t within,
                                     std::uint64_t length) const {
  std::uint32_t found = area.copies();
  for (std::uint32_t copy = area.copies(); copy-- > 0;) {
    const UnitPlace place = map_.place(area, unit, copy);
    if (copies_.lacks_data(area, unit, copy) ||
        states_.lost(place.drive, place.address + within, place.address + within + length))
      continue;
    if (found == area.copies() || states_.usable(place) || !states_.usable(map_.place(area, unit, found))) found = copy;
  }
  return found;
}

std::uint64_t Array::look_at(const tlm::tlm_generic_payload& payload, std::uint64_t at, std::uint64_t length,
                             std::uint8_t* data) {
  const StripeMap::Area& area = map_.area_at(at);
  const std::uint64_t unit = map_.unit_at(area, at);
  const std::uint64_t within = (at - area.begin) % area.unit_bytes;
  std::uint64_t reached = 0;
  const std::uint32_t read = copy_to_look_at(area, unit, within, length);
  const std::uint32_t rebuilt = order_.rebuilt_copies(unit);
  for (std::uint32_t copy = 0; copy < area.copies(); ++copy) {
    const UnitPlace place = map_.place(area, unit, copy);
    if (payload.is_read() ? copy != read : copies_.lacks_data(area, unit, copy) || (rebuilt >> copy & 1) != 0) continue;
    tlm::tlm_generic_payload look;
    look.set_command(payload.get_command());
    look.set_address(place.address + within);
    look.set_data_ptr(data);
    look.set_data_length(static_cast<unsigned>(length));
    reached = links_.disk_init_sockets[place.drive]->transport_dbg(look);
    const std::uint64_t first = (look.get_address() + config_.sector_bytes - 1) / config_.sector_bytes;
    const std::uint64_t end = (look.get_address() + reached) / config_.sector_bytes;
    if (payload.is_write() && first < end)
      states_.clear_lost(place.drive, first * config_.sector_bytes, end * config_.sector_bytes);
  }
  if (payload.is_write()) {
    for (std::uint32_t copy = 0; copy < area.copies() && reached > 0; ++copy)
      if ((rebuilt >> copy & 1) != 0) copies_.set_missing(area, unit, copy);
    read_ahead_.written(at, at + length);
    if (planner_.cached(area))
      for (std::uint64_t block = at - within % cache_.block_bytes(); block < at + length; block += cache_.block_bytes())
        cache_.erase(block);
    order_.spoil(unit);
  }
  return reached;
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
    const std::uint64_t part = std::min(area.unit_bytes - (at - area.begin) % area.unit_bytes, length - done);
    const std::uint64_t reached = look_at(payload, at, part, payload.get_data_ptr() + done);
    done += reached;
    if (reached < part) break;  // the drives hold no data
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return static_cast<unsigned>(done);
}

}  // namespace platter::host::array
