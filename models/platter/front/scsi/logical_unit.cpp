// SPDX-License-Identifier: Apache-2.0
#include "platter/front/scsi/logical_unit.h"

#include <algorithm>
#include <utility>

#include "platter/core/sc_time.h"

namespace platter::scsi {

using command::CommandStatus;
using Heard = command::InitiatorPort::Heard;
using Place = Task::Course::Place;

LogicalUnit::LogicalUnit(const sc_core::sc_module_name& name, const UnitIdentity& identity)
    : sc_module(name),
      disk_init_socket("disk_init_socket"),
      control_("control"),
      register_init_socket(control_.register_init_socket),
      identity_(identity),
      modes_(identity) {
  disk_init_socket.register_nb_transport_bw(this, &LogicalUnit::nb_transport_bw);
  for (std::uint32_t tag = 0; tag < identity_.queue_depth; ++tag) {
    slots_.push_back(std::make_unique<Slot>(this));
    slots_.back()->payload.set_extension<command::CommandExtension>(slots_.back().get());
    slots_.back()->payload.set_byte_enable_ptr(nullptr);
    free_tags_.push_back(identity_.queue_depth - 1 - tag);
  }
  SC_METHOD(send_backlog);
  sensitive << issued_;
  dont_initialize();
}

LogicalUnit::~LogicalUnit() {
  for (const auto& slot : slots_) slot->payload.clear_extension<command::CommandExtension>();
}

void LogicalUnit::detach(const Nexus& nexus) {
  attentions_.remove(nexus);
  for (Task* const each : tasks_)
    if (each->nexus == &nexus) each->nexus = nullptr;  // they end without it
  reservations_.forget(nexus);
}

UnitCounters LogicalUnit::counters() {
  using drive::reg::ErrorCounter;
  UnitCounters c;
  c.read_bytes = control_.sum(drive::reg::kReadBytes);
  c.written_bytes = control_.sum(drive::reg::kWrittenBytes);
  c.recovered = control_.errors(ErrorCounter::Recovered);
  c.retried = control_.errors(ErrorCounter::Retried);
  c.uncorrectable = control_.errors(ErrorCounter::Uncorrectable);
  c.write_errors = control_.errors(ErrorCounter::WriteErrors);
  c.pending = control_.errors(ErrorCounter::Pending);
  c.resets = control_.errors(ErrorCounter::Resets) + control_.errors(ErrorCounter::LinkDrops);
  c.scrubbed_blocks = control_.errors(ErrorCounter::ScrubbedBlocks);
  c.starts = control_.read(drive::reg::kStarts);
  c.power_on_minutes = static_cast<std::uint64_t>(core::now_ps() / core::kPicosecondsPerSecond / 60);
  return c;
}

// --- the drive's state -----------------------------------------------------------------------------------------------

/// A loss of power, a failure and a restart of the drive since the last look become unit attention conditions.
void LogicalUnit::look_at_drive() {
  const std::uint32_t failures = control_.read(drive::reg::kFailures);
  const std::uint32_t losses = control_.read(drive::reg::kPowerLosses);
  const std::uint32_t resets = control_.read(drive::reg::counter(drive::reg::ErrorCounter::Resets));
  if (failures == seen_.failures && losses == seen_.losses && resets == seen_.resets) return;
  const bool power = losses != seen_.losses;
  seen_ = {failures, losses, resets};
  if (power) {
    modes_.reset();
    apply_caching();
    reservations_.lose_power();
    if (!identity_.cache_saved) attentions_.drop_deferred();  // otherwise a lost write still matters
    take_back_stops();
    stopped_ = false;
  }
  attentions_.establish(power ? sense::kPowerOn : sense::kInternalReset, [](const Nexus&) { return true; });
}

void LogicalUnit::apply_caching() {
  const bool write_back = modes_.write_cache() && std::none_of(tasks_.begin(), tasks_.end(),
                                                               [](const Task* each) { return each->course.writes_through; });
  control_.write(drive::reg::kCache,
                 (write_back ? drive::reg::kCacheWriteBack : 0) | (modes_.read_ahead() ? drive::reg::kCacheReadAhead : 0));
}

void LogicalUnit::write_through(Task& task) {
  task.course.writes_through = true;
  apply_caching();
}

Sense LogicalUnit::readiness() {
  const std::uint32_t power = control_.read(drive::reg::kPower);
  awaited_ = false;
  if ((power & drive::reg::kPowerOn) == 0) return sense::kNotReady;
  if ((power & drive::reg::kPowerReady) == 0) {
    awaited_ = (control_.read(drive::reg::kState) & drive::reg::kStateAlive) != 0;
    return awaited_ ? sense::kBecomingReady : sense::kUnitFailure;
  }
  return stopped_ ? sense::kNeedsStart : sense::kNone;
}

bool LogicalUnit::stops_otherwise(const Task& task) const {
  // POWER CONDITION, and without one START.
  const auto condition = [](const Task& of) { return of.cdb[4] & (of.cdb[4] >> 4 != 0 ? 0xF0 : 0x01); };
  return std::any_of(tasks_.begin(), tasks_.end(), [&](const Task* other) {
    return other->course.stops && other->owner != this && !other->aborted && condition(*other) != condition(task);
  });
}

void LogicalUnit::take_back_stops() {
  for (const std::unique_ptr<Task>& each : carriers_) each->course.stops = false;
}

// --- tasks -----------------------------------------------------------------------------------------------------------

void LogicalUnit::begin(Task& task) {
  task.course = {};
  task.status = Status::Good;
  task.sense = {};
  task.wanted = 0;
  task.aborted = false;
  task.descriptors = modes_.descriptor_sense();
  task.course.order = begun_++;
  enter(task);
  look_at_drive();
  const Operation* const found = find_operation(task.cdb);
  const Operation* const operation = found != nullptr && offers(*found) ? found : nullptr;
  if (operation == nullptr || operation->needs != Operation::kNothing)
    if (const std::optional<SenseData> attention = attentions_.take(*task.nexus)) return fail(task, *attention);
  if (operation == nullptr)
    return fail(task, found == nullptr && has_actions(task.cdb[0])
                          ? SenseData(sense::kInvalidField, SenseData::Field{true, 1, 4})
                          : SenseData(sense::kInvalidOpcode, SenseData::Field{true, 0, 8}));
  task.course.operation = operation;
  if (const SenseData::Field field = unused_bit(*operation, task.cdb, identity_.duration_limits); field.bit < 8)
    return fail(task, {sense::kInvalidField, field});
  if (reservations_.conflicts(*task.nexus, operation->conflict)) return end(task, Status::ReservationConflict);
  if (operation->needs == Operation::kMedium)
    if (const Sense why = readiness(); !(why == sense::kNone)) return fail(task, why);
  operation->start(*this, task);
}

void LogicalUnit::send(Task& task, const std::vector<std::uint8_t>& data, std::uint64_t allocation) {
  task.wanted = std::min<std::uint64_t>(data.size(), allocation);
  const auto bytes = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(task.wanted, task.limit));
  task.data.assign(data.begin(), data.begin() + bytes);
  end(task);
}

void LogicalUnit::end(Task& task, Status status) {
  task.status = status;
  leave(task);
}

void LogicalUnit::fail(Task& task, const SenseData& sense) {
  task.sense = sense;
  end(task, Status::CheckCondition);
}

void LogicalUnit::enter(Task& task) {
  tasks_.push_back(&task);
  if (task.attribute == command::TaskAttribute::Ordered) ++ordered_;
}

void LogicalUnit::leave(Task& task) {
  if (const auto lock = std::find(locks_.begin(), locks_.end(), &task); lock != locks_.end()) locks_.erase(lock);
  const auto at = std::find(tasks_.begin(), tasks_.end(), &task);
  *at = tasks_.back();
  tasks_.pop_back();
  if (task.attribute == command::TaskAttribute::Ordered) --ordered_;
  if (task.course.writes_through) apply_caching();
  if (!backlog_.empty()) issued_.notify(sc_core::SC_ZERO_TIME);  // accesses may have waited for this task
  task.owner->ended(task);
}

Task& LogicalUnit::answer_early(Task& task, Status status) {
  carriers_.push_back(std::make_unique<Task>());
  Task& carrier = *carriers_.back();
  carrier.owner = this;
  carrier.nexus = task.nexus;
  carrier.cdb = task.cdb;
  carrier.attribute = task.attribute;
  carrier.course = std::move(task.course);
  enter(carrier);
  end(task, status);
  return carrier;
}

void LogicalUnit::ended(Task& task) {
  if (task.course.stops && task.status != Status::Good) stopped_ = false;  // the flush failed, so it has not stopped
  carriers_.remove_if([&task](const std::unique_ptr<Task>& each) { return each.get() == &task; });
}

// --- accesses --------------------------------------------------------------------------------------------------------

void LogicalUnit::access(Task& task, command::Operation operation, std::uint64_t first, std::uint64_t blocks,
                         std::uint8_t* bytes, bool fua) {
  command::Command& c = task.course.access;
  c = {};
  c.operation = operation;
  c.address = (identity_.first_sector + first) * identity_.sector_bytes;
  c.length = static_cast<std::uint32_t>(blocks * identity_.sector_bytes);
  c.attribute = task.attribute;
  c.fua = fua;
  c.issued = core::now_ps();
  if (identity_.duration_limits && task.course.operation->limits_page != 0) c.duration = limits_index(task.cdb);
  if (const std::uint32_t limit = modes_.recovery_limit_ms(); limit > 0)
    c.recovery_limit = core::Picoseconds{limit} * core::kPicosecondsPerMillisecond;
  task.course.bytes = bytes;
  issue(task);
}

void LogicalUnit::manage_zones(Task& task, command::ZoneAction action, std::uint64_t start, bool all) {
  command::Command& c = task.course.access;
  c = {};
  c.operation = command::Operation::Zone;
  c.zone_action = action;
  c.all_zones = all;
  c.address = start * identity_.sector_bytes;
  c.attribute = task.attribute;
  c.issued = core::now_ps();
  task.course.bytes = nullptr;
  issue(task);
}

bool LogicalUnit::locked_out(const Task& task) const {
  const command::Command& c = task.course.access;
  if (c.flush()) return false;
  return std::any_of(locks_.begin(), locks_.end(), [&](const Task* other) {
    const command::Command& o = other->course.access;
    return other != &task && (c.zone() || (c.address < o.address + o.length && o.address < c.address + c.length));
  });
}

LogicalUnit::Fences LogicalUnit::fences() const {
  Fences found;
  if (ordered_ == 0) return found;
  for (const Task* const task : tasks_) {
    if (!task->course.several && task->course.place != Place::Backlog) continue;  // the drive keeps the order
    found.any = std::min(found.any, task->course.order);
    if (task->attribute == command::TaskAttribute::Ordered) found.ordered = std::min(found.ordered, task->course.order);
  }
  return found;
}

bool LogicalUnit::waits(const Task& task, const Fences& fences) const {
  if (!locks_.empty() && locked_out(task)) return true;
  // A task that has begun goes on. It waits for locks only, and their owners wait for nobody.
  if (task.attribute == command::TaskAttribute::HeadOfQueue || task.course.step > 0) return false;
  return (task.attribute == command::TaskAttribute::Ordered ? fences.any : fences.ordered) < task.course.order;
}

void LogicalUnit::issue(Task& task) {
  task.course.place = Place::Backlog;
  disk_init_socket.issued(task.course.access);
  if (task.attribute == command::TaskAttribute::HeadOfQueue)
    backlog_.push_front(&task);
  else
    backlog_.push_back(&task);
  issued_.notify(sc_core::SC_ZERO_TIME);
}

void LogicalUnit::send_backlog() {
  if (link_.sending) return;  // this is a nested call: the drive has answered within `link_.way.send`
  link_.sending = true;
  Fences others = fences();
  for (std::size_t at = 0; at < backlog_.size() && !free_tags_.empty() && !link_.way.busy();) {
    Task& task = *backlog_[at];
    if (waits(task, others)) {
      ++at;
      continue;
    }
    backlog_.erase(backlog_.begin() + static_cast<std::ptrdiff_t>(at));
    if (task.course.locked && task.course.step == 0) locks_.push_back(&task);
    task.course.place = Place::Drive;
    task.course.tag = free_tags_.back();
    free_tags_.pop_back();
    Slot& slot = *slots_[task.course.tag];
    slot.task = &task;
    task.course.access.tag = static_cast<int>(identity_.first_tag + task.course.tag);
    if (task.course.access.duration != 0) {
      slot.limits = modes_.durations();
      task.course.access.durations = &slot.limits;
    }
    command::set_command(slot.payload, slot, task.course.access, task.course.bytes);
    if (link_.way.send(disk_init_socket, slot.payload) == Heard::Answered) answered(slot.payload);
    at = 0;  // others may wait no longer, and tasks may have ended meanwhile
    others = fences();
  }
  link_.sending = false;
}

tlm::tlm_sync_enum LogicalUnit::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& /*delay*/) {
  const Heard heard = link_.way.receive(payload, phase);
  if (heard == Heard::Taken) send_backlog();
  if (heard != Heard::Answered) return tlm::TLM_ACCEPTED;
  answered(payload);
  return tlm::TLM_COMPLETED;
}

void LogicalUnit::answered(tlm::tlm_generic_payload& payload) {
  auto& slot = static_cast<Slot&>(*payload.get_extension<command::CommandExtension>());
  Task& task = *std::exchange(slot.task, nullptr);
  const command::Result result = slot;
  payload.release();
  task.course.place = Place::Unit;
  ended_in_drive(task, result);
  if (!backlog_.empty()) issued_.notify(sc_core::SC_ZERO_TIME);
}

/// The payload, and with it the tag, is free again.
void LogicalUnit::free(tlm::tlm_generic_payload* payload) {
  const auto& slot = static_cast<const Slot&>(*payload->get_extension<command::CommandExtension>());
  free_tags_.push_back(static_cast<std::uint32_t>(slot.tag) - identity_.first_tag);
}

void LogicalUnit::ended_in_drive(Task& task, const command::Result& result) {
  const command::Command& c = task.course.access;
  ++task.course.step;
  if (c.flush() && result.status == CommandStatus::WriteFault && (task.aborted || task.owner == this))
    attentions_.defer(task.nexus, result.sense());  // the drive tells of a lost write only once
  if (task.aborted) return leave(task);
  if (result.status == CommandStatus::Good) {
    task.course.recovered = task.course.recovered || result.timing.recovery > 0;
    task.course.done += c.length / identity_.sector_bytes;
    task.course.operation->next(*this, task);
    return;
  }
  if (result.status == CommandStatus::Unavailable) {  // the command ends well, and the sense data says that there is no data
    task.data.clear();
    task.sense = result.sense();
    return end(task);
  }
  SenseData sense = result.sense();
  const bool unreadable = result.status == CommandStatus::Unreadable;
  if (unreadable || (result.status == CommandStatus::WriteFault && !c.flush()))
    sense.information = result.first_bad - identity_.first_sector;
  if (c.read() && task.course.bytes != nullptr && task.course.bytes == task.data.data()) {
    // The blocks before the first one that cannot be read. Any other failure leaves no data.
    const std::uint64_t bad = unreadable ? result.first_bad * identity_.sector_bytes : 0;
    const std::uint64_t readable = bad > c.address ? bad - c.address : 0;
    task.data.resize(static_cast<std::size_t>(std::min<std::uint64_t>({task.data.size(), readable, task.limit})));
  }
  fail(task, sense);
}

// --- task management -------------------------------------------------------------------------------------------------

void LogicalUnit::abort(Task& task) {
  if (std::exchange(task.aborted, true)) return;  // it ends with its access
  switch (task.course.place) {
    case Place::Drive:
      control_.abort(identity_.first_tag + task.course.tag);  // the drive answers, now or when the access has ended
      return;
    case Place::Backlog:
      backlog_.erase(std::find(backlog_.begin(), backlog_.end(), &task));
      disk_init_socket.withdrawn(task.course.access);
      break;
    case Place::Unit: break;
  }
  leave(task);
}

void LogicalUnit::abort_all(const std::function<bool(const Task& task)>& of) {
  const std::vector<Task*> all = tasks_;
  for (Task* const task : all) {
    const bool there = std::find(tasks_.begin(), tasks_.end(), task) != tasks_.end();
    if (there && task->owner != this && !task->aborted && of(*task)) abort(*task);
  }
}

void LogicalUnit::reset(const Sense& attention) {
  abort_all([](const Task&) { return true; });
  reservations_.reset();
  modes_.reset();
  take_back_stops();
  if (stopped_) {
    stopped_ = false;
    control_.write(drive::reg::kSpindle, 1);
  }
  apply_caching();
  attentions_.establish(attention, [](const Nexus&) { return true; });
}

}  // namespace platter::scsi
