// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <tlm>
#include <vector>

#include "platter/accelerator/registers.h"
#include "platter/core/types.h"

namespace platter::accelerator {

/// The firmware's side of the accelerator's bus: accesses one after the other, each of which takes its time, and a copy of what the
/// registers hold, so that a value is not written twice.
class RegisterPort {
 public:
  explicit RegisterPort(core::Picoseconds clock_period);

  tlm_utils::simple_initiator_socket<RegisterPort> bus_init_socket;

  void write(std::uint32_t address, std::uint32_t data);
  std::uint32_t read(std::uint32_t address);
  /// Writes the register unless it holds this value already.
  void set(std::uint32_t address, std::uint32_t data);
  /// Does the register hold this value, as far as is known?
  bool holds(std::uint32_t address, std::uint32_t data) const {
    return known_[address / 4] != 0 && values_[address / 4] == data;
  }
  /// The last value that was set or assumed.
  std::uint32_t value(std::uint32_t address) const { return values_[address / 4]; }
  /// The accelerator itself has set the register to this value.
  void assume(std::uint32_t address, std::uint32_t data);
  /// The accelerator has changed the register.
  void forget(std::uint32_t address) { known_[address / 4] = 0; }
  void forget_all();

  /// When the next access may begin.
  core::Picoseconds free() const { return free_; }
  /// The next access begins no earlier than at `time`.
  void not_before(core::Picoseconds time) { free_ = free_ > time ? free_ : time; }
  /// The last write has started work of `cycles` cycles.
  void started_work(std::uint32_t cycles) { work_end_ = free_ + time(cycles + 1) - time(reg::cycles::access()); }
  /// When an operation can begin: the port is free, and the work has ended.
  core::Picoseconds idle() const { return free_ > work_end_ ? free_ : work_end_; }
  /// All work has ended with the last access.
  void end_work() { work_end_ = free_; }
  /// The accesses so far took no time: they were before the simulation began.
  void restart() { free_ = work_end_ = 0; }
  core::Picoseconds time(std::uint32_t cycles) const { return clock_period_ * core::Picoseconds{cycles}; }

 private:
  void access(std::uint32_t address);

  core::Picoseconds clock_period_;
  tlm::tlm_generic_payload payload_;
  std::uint32_t word_ = 0;
  core::Picoseconds free_ = 0;
  core::Picoseconds work_end_ = 0;
  std::vector<std::uint32_t> values_;  ///< by address / 4
  std::vector<std::uint8_t> known_;    ///< the same; not of bool, because bits take longer to read
};

}  // namespace platter::accelerator
