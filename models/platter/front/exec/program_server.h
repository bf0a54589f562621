// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <systemc>

#include "platter/front/exec/channel.h"
#include "platter/front/nbd/block_initiator.h"

namespace platter::exec {

/// Carries out the calls of a program in simulated time. A call begins at the program's present time, and the program's time is then the end of the
/// call. To be constructed during elaboration.
class ProgramServer : public sc_core::sc_module, private nbd::BlockClientIf {
 public:
  /// A drive that does not answer for so long has failed (Linux: the timeout of a SCSI disk).
  static constexpr std::int64_t kTimeoutPs = std::int64_t{30} * 1'000'000'000'000;

  explicit ProgramServer(const sc_core::sc_module_name& name);

  template <typename Socket>
  void bind(Socket& disk) {
    initiator_.disk_init_socket.bind(disk);
  }
  /// Serves until `over()` is true between two calls. It is asked again after each ring of the channel's bell. Then simulates until the
  /// program's last time.
  void serve(Channel& channel, const std::function<bool()>& over);

 private:
  void answered(nbd::BlockRequest& request) override;
  int carry_out(Channel& channel, const Call& call);
  bool fits(const Channel& channel, const Call& call) const;
  void issue(Channel& channel, const Call& call, std::uint64_t from, std::uint64_t bytes);
  /// Simulates until a time, and everything that is due then; ends early when the call has been answered.
  void run_to(std::int64_t time);

  nbd::BlockInitiator initiator_;
  serving::Memory memory_;
  Channel* channel_ = nullptr;  ///< during a call
  std::uint32_t outstanding_ = 0;
  bool waiting_ = false;  ///< for answers
  int error_ = 0;         ///< of the call under way
};

}  // namespace platter::exec
