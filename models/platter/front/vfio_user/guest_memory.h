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

/// The parts of a client's memory that the device may access:
///
/// - Memory that comes with the file descriptor of a file that cannot shrink is mapped. Such a file is a sealed memfd, as QEMU's is; a file on
///   hugetlbfs is taken for one.
/// - Memory that comes with the file descriptor of another file is accessed by reading and writing the file.
/// - Memory without a file descriptor is accessed by messages. The simulation waits during such an access, for at most 5 s (see `Connection::ask`).
class GuestMemory {
 public:
  /// A part as DMA_MAP describes it.
  struct Part {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  ///< in the file
    bool writable = false;     ///< it may be read and written
  };

  explicit GuestMemory(Connection& connection) : connection_(connection) {}

  /// Adds a part, with or without a file. Returns an errno, or 0 if the part has been added.
  int map(const Part& part, serving::FileDescriptor file);
  /// Removes the part with this address and size. Returns false if there is none.
  bool unmap(std::uint64_t address, std::uint64_t bytes);
  void unmap_all() { regions_.clear(); }
  std::size_t regions() const { return regions_.size(); }

  /// Limits the bytes of a DMA message. Without a call, and at most, they are kMaxTransfer.
  void limit_messages(std::uint64_t bytes);

  /// Copies bytes between the memory and `data`. If the response is not OK, only the first bytes may have been copied, or none.
  tlm::tlm_response_status access(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes);

 private:
  struct Unmap {
    std::uint64_t bytes;
    void operator()(std::uint8_t* at) const { munmap(at, bytes); }
  };
  /// A part of the client's memory: mapped, in a file, or accessed by messages if it has neither.
  struct Region {
    std::uint64_t address;
    std::uint64_t bytes;
    std::unique_ptr<std::uint8_t, Unmap> mapping;
    serving::FileDescriptor file;
    std::uint64_t offset = 0;  ///< in the file
  };
  static constexpr std::size_t kMaxRegions = 4096;

  bool transfer_by_message(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes);

  Connection& connection_;
  std::vector<Region> regions_;  ///< by address, without overlap
  std::uint64_t most_transfer_ = kMaxTransfer;
};

}  // namespace platter::vfio_user
