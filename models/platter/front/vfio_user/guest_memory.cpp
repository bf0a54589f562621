// SPDX-License-Identifier: Apache-2.0
#include "platter/front/vfio_user/guest_memory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

namespace platter::vfio_user {

using serving::FileDescriptor;

namespace {

/// True if the file cannot shrink, so that its mapping is safe. An access beyond the end of the file would raise SIGBUS.
bool keeps_size(const FileDescriptor& file) {
  constexpr auto kHugePages = 0x958458F6;  // linux/magic.h
  struct statfs system{};
  const int seals = fcntl(file.get(), F_GET_SEALS);
  return (seals >= 0 && (seals & F_SEAL_SHRINK) != 0) || (fstatfs(file.get(), &system) == 0 && system.f_type == kHugePages);
}

/// Copies bytes between a file and a buffer. Returns false if not all of them could be copied.
bool transfer_by_file(bool write, int file, std::uint64_t offset, std::uint8_t* data, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const auto at = static_cast<off_t>(offset + done);
    const ssize_t part = write ? pwrite(file, data + done, bytes - done, at) : pread(file, data + done, bytes - done, at);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return false;
    done += static_cast<std::uint64_t>(part);
  }
  return true;
}

}  // namespace

int GuestMemory::map(const Part& part, FileDescriptor file) {
  const auto after =
      std::find_if(regions_.begin(), regions_.end(), [&](const Region& region) { return region.address > part.address; });
  const bool free = (after == regions_.end() || part.bytes <= after->address - part.address) &&
                    (after == regions_.begin() || std::prev(after)->bytes <= part.address - std::prev(after)->address);
  if (part.bytes == 0 || part.address + (part.bytes - 1) < part.address || !free) return EINVAL;
  if (regions_.size() == kMaxRegions) return ENOSPC;
  Region region{part.address, part.bytes, {}, {}, part.offset};
  if (file) {
    struct stat about{};
    if (fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || part.offset % 4096 != 0 ||
        part.offset > static_cast<std::uint64_t>(about.st_size) ||
        part.bytes > static_cast<std::uint64_t>(about.st_size) - part.offset)
      return EINVAL;
    if (!part.writable) {
      // not mapped: memory that cannot be written, such as firmware, is not used for DMA
    } else if (!keeps_size(file)) {
      region.file = std::move(file);
    } else {
      void* const at =
          mmap(nullptr, part.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), static_cast<off_t>(part.offset));
      if (at == MAP_FAILED) return errno;
      region.mapping = {static_cast<std::uint8_t*>(at), Unmap{part.bytes}};
    }
  }
  regions_.insert(after, std::move(region));
  return 0;
}

bool GuestMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
  const auto found = std::find_if(regions_.begin(), regions_.end(),
                                  [&](const Region& region) { return region.address == address && region.bytes == bytes; });
  if (found == regions_.end()) return false;
  regions_.erase(found);
  return true;
}

void GuestMemory::limit_messages(std::uint64_t bytes) { most_transfer_ = std::min<std::uint64_t>(bytes, kMaxTransfer); }

tlm::tlm_response_status GuestMemory::access(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes) {
  for (std::uint64_t left = bytes; left > 0;) {
    const auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                        [](std::uint64_t at, const Region& region) { return at < region.address; });
    if (after == regions_.begin() || address - std::prev(after)->address >= std::prev(after)->bytes)
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    const Region& region = *std::prev(after);
    const std::uint64_t offset = address - region.address;
    const std::uint64_t part = std::min(left, region.bytes - offset);
    if (region.file) {
      if (!transfer_by_file(write, region.file.get(), region.offset + offset, data, part))
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    } else if (!region.mapping) {
      // The client's own messages are handled meanwhile and may change the list, so the region is not used afterwards.
      if (!transfer_by_message(write, address, data, part)) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    } else if (write) {
      std::memcpy(region.mapping.get() + offset, data, part);
    } else {
      std::memcpy(data, region.mapping.get() + offset, part);
    }
    address += part;
    data += part;
    left -= part;
  }
  return tlm::TLM_OK_RESPONSE;
}

/// Sends DMA_READ or DMA_WRITE, and waits for the answer. Returns false if a message fails.
bool GuestMemory::transfer_by_message(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t part = std::min(bytes - done, most_transfer_);
    Bytes body = body_of(address + done, part);
    const std::size_t before = body.size();  // bytes before the data
    if (write) body.insert(body.end(), data + done, data + done + part);
    const std::optional<Bytes> answer = connection_.ask(write ? kDmaWrite : kDmaRead, body);
    if (!answer || (!write && answer->size() != before + part)) return false;
    if (!write) std::memcpy(data + done, answer->data() + before, part);
    done += part;
  }
  return true;
}

}  // namespace platter::vfio_user
