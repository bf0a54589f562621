// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <systemc>

#include "platter/core/timed_call.h"
#include "platter/front/exec/channel.h"
#include "platter/front/nbd/block_initiator.h"

namespace platter::exec {

/// Carries out the calls of a program in simulated time. A call begins at the program's present time, and the program's time is then the end of the
/// call. A call that follows at the same time reaches the drive before the drive does anything else at this time, as with any host that replaces a
/// command at once. To be constructed during elaboration.
class ProgramServer : public sc_core::sc_module, private nbd::BlockClientIf {
 public:
  /// A drive that does not answer for so long has failed (Linux: the timeout of a SCSI disk).
  static constexpr std::int64_t kTimeoutPs = std::int64_t{30} * 1'000'000'000'000;

  explicit ProgramServer(const sc_core::sc_module_name& name);

  /// `tap`: as command::TappedSocket::bind_tap() has it.
  template <typename Tap>
  void bind(Tap& tap) {
    initiator_.disk_init_socket.bind_tap(tap);
  }
  /// Simulates until `over()` is true between two calls, and then until the program's last time. `over` is asked again after each ring of the
  /// channel's bell. While the program computes, the simulation stands.
  void serve(Channel& channel, const std::function<bool()>& over);

 private:
  void answered(nbd::BlockRequest& request) override;
  /// Waits for the program's next call or its end, and begins the call: now, or by `arrival_`.
  void go_on();
  void begin();
  /// The call under way has ended. `error`: 0 or a number of errno.
  void end(int error);
  bool fits(const Call& call) const;
  void issue(const Call& call, std::uint64_t from, std::uint64_t bytes);
  /// Ends the simulation that serve() has begun.
  void finish();
  void run_to(std::int64_t time);

  nbd::BlockInitiator initiator_;
  serving::Memory memory_;
  core::TimedCall arrival_;  ///< of a call
  core::TimedCall timeout_;  ///< of the call under way
  Channel* channel_ = nullptr;
  const std::function<bool()>* over_ = nullptr;
  std::uint32_t posted_ = 0;       ///< number of the call under way
  std::uint32_t outstanding_ = 0;  ///< requests of this call
  int error_ = 0;                  ///< of this call
  bool ended_ = false;             ///< the program has, or its time has come to the end of simulated time
};

}  // namespace platter::exec
