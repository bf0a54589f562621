// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platter/front/scsi/task.h"

namespace platter::scsi {

/// @cond of the implementation

/// Which reservations of another initiator port refuse an operation (SPC-4, 5.12.1).
enum class Conflict : std::uint8_t {
  None,     ///< none
  Reserve,  ///< those of RESERVE (SPC-2), and none that is persistent
  Reads,    ///< also persistent ones for exclusive access
  All,      ///< also persistent ones for exclusive writing
};

/// The reservations of a logical unit: those of RESERVE and RELEASE (SPC-2, 5.5), and persistent ones (SPC-4, 5.12).
class Reservations {
 public:
  bool conflicts(const Nexus& nexus, Conflict conflict) const;

  // RESERVE and RELEASE.
  Status reserve(const Nexus& nexus);
  Status release(const Nexus& nexus);
  /// The initiator port has gone: a reservation of RESERVE ends.
  void forget(const Nexus& nexus) {
    if (reserved_by_ == &nexus) reserved_by_ = nullptr;
  }
  /// A reset of the unit: a reservation of RESERVE ends.
  void reset() { reserved_by_ = nullptr; }
  /// Nothing outlives a loss of power (there is no APTPL).
  void lose_power() { *this = Reservations(); }

  // PERSISTENT RESERVE IN: the parameter data.
  std::vector<std::uint8_t> keys() const;
  std::vector<std::uint8_t> reservation() const;
  std::vector<std::uint8_t> full_status() const;
  static std::vector<std::uint8_t> capabilities();

  /// What PERSISTENT RESERVE OUT asks for.
  struct Request {
    std::uint8_t action = 0;
    std::uint8_t type = 0;
    std::uint64_t key = 0;
    std::uint64_t action_key = 0;
  };
  /// What follows from it.
  struct Effect {
    Status status = Status::Good;
    Sense sense;                    ///< of CheckCondition
    Sense attention;                ///< the unit attention condition of the ports in `told`
    std::vector<std::string> told;  ///< names of initiator ports
    bool aborts = false;            ///< their commands are aborted
    std::vector<std::string> kept;  ///< ports that stay registered under a reservation of another type: RESERVATIONS RELEASED
  };
  Effect change(const Nexus& nexus, const Request& request);
  static constexpr std::uint8_t kActions = 7;  ///< of PERSISTENT RESERVE OUT, from 0 on

 private:
  struct Registration {
    std::string name;  ///< of the initiator port
    std::uint64_t key = 0;
  };
  using Change = Effect (Reservations::*)(const Nexus& nexus, const Request& request);

  const Registration* find(const Nexus& nexus) const;
  bool all_registrants() const { return type_ >= 7; }
  bool registrants_only() const { return type_ == 5 || type_ == 6; }
  bool holds(const Nexus& nexus) const;
  /// The other ports that are registered.
  std::vector<std::string> others(const Nexus& nexus) const;
  void remove(const std::string& name);
  void end_reservation();
  /// The effect of the end of the reservation on others.
  Effect released(const Nexus& nexus);

  Effect register_key(const Nexus& nexus, const Request& request);
  Effect make(const Nexus& nexus, const Request& request);
  Effect give_back(const Nexus& nexus, const Request& request);
  Effect clear(const Nexus& nexus, const Request& request);
  Effect preempt(const Nexus& nexus, const Request& request);

  const Nexus* reserved_by_ = nullptr;  ///< by RESERVE
  std::vector<Registration> registrations_;
  std::uint32_t generation_ = 0;
  std::uint8_t type_ = 0;  ///< of the persistent reservation; 0: there is none
  std::string holder_;     ///< unless it belongs to all registrants
};

/// @endcond

}  // namespace platter::scsi
