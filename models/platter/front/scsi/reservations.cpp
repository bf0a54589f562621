// SPDX-License-Identifier: Apache-2.0
#include "platter/front/scsi/reservations.h"

#include <algorithm>
#include <array>

#include "platter/core/big_endian.h"

namespace platter::scsi {

using core::big_endian::Writer;

namespace {

/// Service actions of PERSISTENT RESERVE OUT.
enum Action : std::uint8_t { kRegister, kReserve, kRelease, kClear, kPreempt, kPreemptAndAbort, kRegisterAndIgnore };

constexpr std::uint16_t kTypes = 0xEA01;  ///< of persistent reservations, as REPORT CAPABILITIES has them

bool valid(std::uint8_t type) { return type == 1 || type == 3 || (type >= 5 && type <= 8); }
bool exclusive_access(std::uint8_t type) { return type == 3 || type == 6 || type == 8; }

Reservations::Effect refused(Status status, const Sense& sense = {}) {
  Reservations::Effect effect;
  effect.status = status;
  effect.sense = sense;
  return effect;
}
const Reservations::Effect& conflict() {
  static const Reservations::Effect made = refused(Status::ReservationConflict);
  return made;
}

}  // namespace

const Reservations::Registration* Reservations::find(const Nexus& nexus) const {
  for (const Registration& each : registrations_)
    if (each.name == nexus.name) return &each;
  return nullptr;
}

bool Reservations::holds(const Nexus& nexus) const {
  if (type_ == 0 || find(nexus) == nullptr) return false;
  return all_registrants() || holder_ == nexus.name;
}

bool Reservations::conflicts(const Nexus& nexus, Conflict conflict) const {
  if (conflict == Conflict::None) return false;
  if (reserved_by_ != nullptr) return reserved_by_ != &nexus;
  if (type_ == 0 || conflict == Conflict::Reserve || holds(nexus)) return false;
  if ((registrants_only() || all_registrants()) && find(nexus) != nullptr) return false;
  return conflict == Conflict::All || exclusive_access(type_);
}

Status Reservations::reserve(const Nexus& nexus) {
  if (!registrations_.empty() || (reserved_by_ != nullptr && reserved_by_ != &nexus)) return Status::ReservationConflict;
  reserved_by_ = &nexus;
  return Status::Good;
}

Status Reservations::release(const Nexus& nexus) {
  if (!registrations_.empty()) return Status::ReservationConflict;
  forget(nexus);
  return Status::Good;
}

// --- what can be read ------------------------------------------------------------------------------------------------

std::vector<std::uint8_t> Reservations::keys() const {
  std::vector<std::uint8_t> data;
  Writer writer(data);
  writer.put(generation_).put(static_cast<std::uint32_t>(8 * registrations_.size()));
  for (const Registration& each : registrations_) writer.put(each.key);
  return data;
}

std::vector<std::uint8_t> Reservations::reservation() const {
  std::vector<std::uint8_t> data;
  Writer writer(data);
  writer.put(generation_).put(std::uint32_t{type_ == 0 ? 0u : 16u});
  if (type_ == 0) return data;
  const auto holder = std::find_if(registrations_.begin(), registrations_.end(),
                                   [this](const Registration& each) { return each.name == holder_; });
  writer.put(all_registrants() || holder == registrations_.end() ? std::uint64_t{0} : holder->key);
  writer.zeroes(5).put(type_).zeroes(2);
  return data;
}

std::vector<std::uint8_t> Reservations::capabilities() {
  std::vector<std::uint8_t> data;
  Writer(data).put(std::uint16_t{8}).put(std::uint8_t{0}).put(std::uint8_t{0x80}).put(kTypes).zeroes(2);
  return data;
}

std::vector<std::uint8_t> Reservations::full_status() const {
  std::vector<std::uint8_t> list;
  for (const Registration& each : registrations_) {
    const bool holder = type_ != 0 && (all_registrants() || each.name == holder_);
    std::string name = each.name;
    name.resize(std::max<std::size_t>((name.size() + 4) / 4 * 4, 20));
    Writer writer(list);
    writer.put(each.key).zeroes(4).put(static_cast<std::uint8_t>(holder ? 1 : 0));
    writer.put(static_cast<std::uint8_t>(holder ? type_ : 0)).zeroes(4).put(std::uint16_t{1});
    writer.put(static_cast<std::uint32_t>(4 + name.size()));
    writer.put(std::uint8_t{0x45}).zeroes(1).put(static_cast<std::uint16_t>(name.size())).put(std::string_view(name));  // iSCSI
  }
  std::vector<std::uint8_t> data;
  Writer(data).put(generation_).put(static_cast<std::uint32_t>(list.size())).put(list.data(), list.size());
  return data;
}

// --- changes ---------------------------------------------------------------------------------------------------------

std::vector<std::string> Reservations::others(const Nexus& nexus) const {
  std::vector<std::string> names;
  for (const Registration& each : registrations_)
    if (each.name != nexus.name) names.push_back(each.name);
  return names;
}

void Reservations::end_reservation() {
  type_ = 0;
  holder_.clear();
}

Reservations::Effect Reservations::released(const Nexus& nexus) {
  Effect effect;
  if (registrants_only() || all_registrants()) {
    effect.attention = sense::kReservationsReleased;
    effect.told = others(nexus);
  }
  end_reservation();
  return effect;
}

void Reservations::remove(const std::string& name) {
  registrations_.erase(std::remove_if(registrations_.begin(), registrations_.end(),
                                      [&name](const Registration& each) { return each.name == name; }),
                       registrations_.end());
}

Reservations::Effect Reservations::register_key(const Nexus& nexus, const Request& request) {
  ++generation_;
  if (request.action_key == 0) {
    const bool ends = holds(nexus) && (!all_registrants() || registrations_.size() == 1);
    const Effect effect = ends ? released(nexus) : Effect{};
    remove(nexus.name);
    return effect;
  }
  for (Registration& each : registrations_) {
    if (each.name != nexus.name) continue;
    each.key = request.action_key;
    return {};
  }
  registrations_.push_back({nexus.name, request.action_key});
  return {};
}

Reservations::Effect Reservations::make(const Nexus& nexus, const Request& request) {
  if (type_ != 0) return holds(nexus) && type_ == request.type ? Effect{} : conflict();
  type_ = request.type;
  holder_ = nexus.name;
  return {};
}

Reservations::Effect Reservations::give_back(const Nexus& nexus, const Request& request) {
  if (!holds(nexus)) return {};
  if (type_ != request.type) return refused(Status::CheckCondition, sense::kInvalidRelease);
  return released(nexus);
}

Reservations::Effect Reservations::clear(const Nexus& nexus, const Request& /*request*/) {
  Effect effect;
  effect.attention = sense::kReservationsPreempted;
  effect.told = others(nexus);
  ++generation_;
  registrations_.clear();
  end_reservation();
  return effect;
}

Reservations::Effect Reservations::preempt(const Nexus& nexus, const Request& request) {
  const bool of_all = type_ != 0 && all_registrants();
  if (request.action_key == 0 && !of_all) return refused(Status::CheckCondition, sense::kInvalidParameter);
  const auto meant = [&request](const Registration& each) { return request.action_key == 0 || each.key == request.action_key; };
  if (std::none_of(registrations_.begin(), registrations_.end(), meant)) return conflict();
  const bool takes =
      of_all ? request.action_key == 0
             : type_ != 0 && std::any_of(registrations_.begin(), registrations_.end(),
                                         [&](const Registration& each) { return each.name == holder_ && meant(each); });
  Effect effect;
  effect.attention = sense::kRegistrationsPreempted;
  effect.aborts = request.action == kPreemptAndAbort;
  for (const Registration& each : registrations_)
    if (meant(each) && each.name != nexus.name) effect.told.push_back(each.name);
  ++generation_;
  for (const std::string& name : effect.told) remove(name);
  if (takes) {
    if (type_ != request.type) effect.kept = others(nexus);
    type_ = request.type;
    holder_ = nexus.name;
  }
  return effect;
}

Reservations::Effect Reservations::change(const Nexus& nexus, const Request& request) {
  constexpr std::array<Change, kActions> kChanges = {
      &Reservations::register_key, &Reservations::make,    &Reservations::give_back,   &Reservations::clear,
      &Reservations::preempt,      &Reservations::preempt, &Reservations::register_key};
  if (reserved_by_ != nullptr) return conflict();
  const Registration* const own = find(nexus);
  const bool known = own != nullptr ? own->key == request.key : request.action == kRegister && request.key == 0;
  if (request.action != kRegisterAndIgnore && !known) return conflict();
  const bool typed = request.action == kReserve || request.action == kRelease || request.action == kPreempt ||
                     request.action == kPreemptAndAbort;
  if (typed && !valid(request.type)) return refused(Status::CheckCondition, sense::kInvalidField);
  return (this->*kChanges[request.action])(nexus, request);
}

}  // namespace platter::scsi
