// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <memory>
#include <tlm>
#include <vector>

#include "platter/front/serving/file_descriptor.h"
#include "platter/front/vfio_user/connection.h"

namespace platter::vfio_user {

/// The parts of a client's memory that the device may access, and how each is reached: memory that comes with the descriptor of a file that cannot
/// shrink (a sealed memfd, as QEMU's; a file on hugetlbfs is taken for one) is mapped here; that of another file is read and written; memory without a
/// file is accessed by messages. The simulation waits during such a message, see `Connection::ask`.
class GuestMemory {
 public:
  /// What DMA_MAP says of a part.
  struct Part {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  ///< in the file
    bool writable = false;     ///< and readable
  };

  explicit GuestMemory(Connection& connection) : connection_(connection) {}

  /// Adds a part, with its file or without one. Returns an errno; 0: it is added.
  int map(const Part& part, serving::FileDescriptor file);
  /// Removes the part that begins there and has so many bytes. False if there is none.
  bool unmap(std::uint64_t address, std::uint64_t bytes);
  void unmap_all() { regions_.clear(); }
  std::size_t regions() const { return regions_.size(); }

  /// Most bytes of a message; at first, and at most, kMostTransfer.
  void limit_messages(std::uint64_t bytes);

  /// Moves bytes between the memory and `data`. A response that is not OK means that only a front part of them may have been moved.
  tlm::tlm_response_status access(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes);

 private:
  struct Unmap {
    std::uint64_t bytes;
    void operator()(std::uint8_t* at) const { munmap(at, bytes); }
  };
  /// With neither a mapping nor a file: accessed by messages.
  struct Region {
    std::uint64_t address;
    std::uint64_t bytes;
    std::unique_ptr<std::uint8_t, Unmap> mapping;
    serving::FileDescriptor file;
    std::uint64_t offset = 0;  ///< in the file
  };
  static constexpr std::size_t kMostRegions = 4096;

  bool transfer_by_message(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes);

  Connection& connection_;
  std::vector<Region> regions_;  ///< by address, without overlap
  std::uint64_t most_transfer_ = kMostTransfer;
};

}  // namespace platter::vfio_user
