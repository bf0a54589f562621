// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/front/exec/channel.h"
#include "platter/front/serving/file_descriptor.h"

namespace platter::exec {

/// What a program finds.
struct DeviceFacts {
  std::string path;  ///< absolute
  std::uint64_t capacity_bytes = 0;
  std::uint32_t block_bytes = 0;
  std::uint32_t physical_bytes = 0;
  std::int64_t clock_cost_ps = 0;
  std::int64_t epoch_s = 0;  ///< seconds since 1970 at the simulated time 0
};

/// The channel of the process that has the drive, in memory of its own. While it lives, programs take the drive for alive.
class SharedChannel {
 public:
  /// Throws std::system_error if there is no memory.
  explicit SharedChannel(const DeviceFacts& facts);
  ~SharedChannel();
  SharedChannel(const SharedChannel&) = delete;
  SharedChannel& operator=(const SharedChannel&) = delete;

  Channel& operator*() const { return *channel_; }
  Channel* operator->() const { return channel_; }
  /// By which a program finds it, as long as this process lives.
  std::string path() const;
  /// From now on every call of a program fails.
  void close();

 private:
  serving::FileDescriptor memory_;
  Channel* channel_ = nullptr;
  bool open_ = true;
};

}  // namespace platter::exec
