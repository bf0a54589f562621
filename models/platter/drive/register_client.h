// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>

#include "platter/drive/duration_statistics.h"
#include "platter/drive/register_map.h"

namespace platter::drive {

/// Reaches the registers of a drive, for an adapter in front of it.
class RegisterClient : public sc_core::sc_module {
 public:
  using Socket = tlm_utils::simple_initiator_socket<RegisterClient>;
  explicit RegisterClient(const sc_core::sc_module_name& name)
      : sc_module(name), register_init_socket("register_init_socket") {}

  Socket register_init_socket;  ///< to `register_tgt_socket` of the drive

  std::uint32_t read(std::uint32_t address) {
    std::uint32_t value = 0;
    access_register(register_init_socket, tlm::TLM_READ_COMMAND, address, value);
    return value;
  }
  /// Returns false if the drive refuses the value.
  bool write(std::uint32_t address, std::uint32_t value) {
    return access_register(register_init_socket, tlm::TLM_WRITE_COMMAND, address, value) == tlm::TLM_OK_RESPONSE;
  }
  std::uint64_t counter(std::uint32_t address) {
    const std::uint32_t low = read(address);
    return std::uint64_t{read(address + 4)} << 32 | low;
  }
  std::uint64_t errors(reg::ErrorCounter of) { return counter(reg::counter(of)); }
  DurationStatistics durations() {
    DurationStatistics all;
    for (const bool write : {false, true})
      for (std::uint32_t number = 0; number < reg::kDurationNumbers; ++number) {
        DurationCounters& c = all.of[write ? 1 : 0][number];
        std::uint32_t field = 0;
        for (std::uint64_t* const to : {&c.commands, &c.inactive_missed, &c.active_missed, &c.guideline_missed, &c.in_recovery,
                                        &c.aborted, &c.unavailable})
          *to = counter(reg::duration_counter(write, number, field++));
      }
    return all;
  }
  /// Sum of a counter over all classes; `offset`: such as reg::kReads.
  std::uint64_t sum(std::uint32_t offset) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < core::kRequestClasses; ++i)
      all += counter(reg::counter(static_cast<core::RequestClass>(i), offset));
    return all;
  }
  /// `bit`: reg::kCacheWriteBack or reg::kCacheReadAhead.
  void switch_cache(std::uint32_t bit, bool on) {
    const std::uint32_t now = read(reg::kCache);
    write(reg::kCache, on ? now | bit : now & ~bit);
  }
  /// Aborts a command. Returns false if there is no such command, or if it is too late.
  bool abort(std::uint32_t tag) { return write(reg::kAbort, tag); }
};

}  // namespace platter::drive
