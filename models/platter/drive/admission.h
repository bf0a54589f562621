// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "platter/command/tlm/command_extension.h"
#include "platter/core/timed_call.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/power.h"
#include "platter/drive/token_bucket.h"
#include "platter/drive/zone_keeper.h"

namespace platter::drive {

/// A command that the host presents to the drive.
struct Request {
  tlm::tlm_generic_payload* payload = nullptr;
  Picoseconds since = 0;
  std::uint32_t generation = 0;  ///< the drive's failure count when the command was presented
  bool in_line = false;          ///< waits for tokens
  bool withdrawn = false;        ///< the host has aborted it
  int host = QueueEntry::kBlockingCall;
  bool for_tag = false;         ///< waits for a tag only
  bool decided = false;         ///< the drive has accepted or refused it
  QueueEntry* entry = nullptr;  ///< of an accepted call
  TokenBucket::Ticket ticket = 0;

  /// Withdraws it if it has this tag, and says so. It leaves the line with the next call of `admit`.
  bool withdraw(Tag tag) {
    const auto* extension = payload->get_extension<command::CommandExtension>();
    const bool found = !withdrawn && extension != nullptr && extension->tag == tag.value;
    withdrawn = withdrawn || found;
    return found;
  }
};

/// The class of a command that may be out of range: an invalid class counts as discrete.
inline core::RequestClass class_of(const command::CommandExtension* extension) {
  return extension != nullptr && core::valid(extension->cls) ? extension->cls : core::RequestClass::Discrete;
}

/// Decides which commands the drive accepts, and when. A command must be valid, the drive must not have failed and must be ready, and a tag and
/// the tokens must be available.
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
  /// `released`: called when the first command that waits for tokens may be accepted.
  Admission(const Rules& rules, const HazardQueue& queue, const Power& power, std::function<void()> released)
      : rules_(rules), queue_(queue), power_(power), release_(core::Rank::Tokens, std::move(released)) {
    bucket_.set(rules.token_rate, rules.token_depth, 0);
  }

  /// `zones` permits commands as well.
  void bind_zones(ZoneKeeper& zones) { zones_ = &zones; }

  Request request(tlm::tlm_generic_payload& payload) const { return {&payload, core::now_ps(), power_.failures()}; }
  /// Returns Good if the command is accepted, or the status with which it is refused; nothing if it must wait: for the drive to be ready, for a tag
  /// (`full`: there is none for it), or for tokens.
  std::optional<command::CommandStatus> admit(Request& request, bool full);
  std::uint64_t capacity_bytes() const { return rules_.capacity_bytes; }

  const TokenBucket& token_bucket() const { return bucket_; }
  /// Rate in bytes per second (0: off), depth in bytes. Takes effect at once, also for waiting commands.
  void set_token_bucket(std::uint32_t rate, std::uint32_t depth);
  /// Removes all commands that wait for tokens.
  void clear();

 private:
  command::CommandStatus check(const tlm::tlm_generic_payload& payload, const command::CommandExtension* extension) const;
  void schedule_release();

  Rules rules_;
  const HazardQueue& queue_;
  const Power& power_;
  TokenBucket bucket_;
  ZoneKeeper* zones_ = nullptr;
  core::TimedCall release_;
};

}  // namespace platter::drive
