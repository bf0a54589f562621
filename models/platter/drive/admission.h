// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <systemc>

#include "platter/command/tlm/command_extension.h"
#include "platter/core/sc_time.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/power.h"
#include "platter/drive/token_bucket.h"

namespace platter::drive {

/// A command that asks to be taken.
struct Request {
  tlm::tlm_generic_payload* payload = nullptr;
  Picoseconds since = 0;
  std::uint32_t life = 0;  ///< of the drive, when it asked
  bool in_line = false;    ///< for tokens
  TokenBucket::Ticket ticket = 0;
};

/// The class of a command that is perhaps out of range: a bad one counts as discrete.
inline core::RequestClass class_of(const command::CommandExtension* extension) {
  return extension != nullptr && core::valid(extension->cls) ? extension->cls : core::RequestClass::Discrete;
}

/// Which commands the drive takes, and when: those that it can execute, as its power, its tags and its token bucket let them.
class Admission {
 public:
  struct Rules {
    std::uint64_t capacity_bytes = 0;
    std::uint32_t sector_bytes = 512;
    bool reject_when_full = false;
    bool task_attributes = false;
    std::uint32_t token_rate = 0;  ///< see `set_token_bucket`
    std::uint32_t token_depth = 0;
  };
  Admission(const Rules& rules, const HazardQueue& queue, const Power& power) : rules_(rules), queue_(queue), power_(power) {
    bucket_.set(rules.token_rate, rules.token_depth, 0);
  }

  Request request(tlm::tlm_generic_payload& payload) const { return {&payload, core::now_ps(), power_.deaths(), false, 0}; }
  /// The status with which the command may go on, Good or why it is refused; nothing: it waits, for a tag or for tokens.
  std::optional<command::CommandStatus> admit(Request& request);
  std::uint64_t capacity_bytes() const { return rules_.capacity_bytes; }

  const TokenBucket& token_bucket() const { return bucket_; }
  /// Bytes a second (0: off) and depth in bytes; holds at once, also for what waits.
  void set_token_bucket(std::uint32_t rate, std::uint32_t depth);
  /// Nothing is in line for tokens any more.
  void clear();
  /// The first in line for tokens may pass.
  const sc_core::sc_event& released() const { return release_event_; }

 private:
  command::CommandStatus check(const tlm::tlm_generic_payload& payload, const command::CommandExtension* extension) const;
  void schedule_release();

  Rules rules_;
  const HazardQueue& queue_;
  const Power& power_;
  TokenBucket bucket_;
  sc_core::sc_event release_event_;
};

}  // namespace platter::drive
