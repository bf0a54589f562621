// SPDX-License-Identifier: Apache-2.0
#include "platter/front/vfio_user/interrupts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace platter::vfio_user {

using serving::FileDescriptor;

namespace {

constexpr std::uint32_t kIntx = 0;
constexpr std::uint32_t kMsi = 1;
constexpr std::uint32_t kFlagNone = 1, kFlagEvent = 4, kFlagMask = 8, kFlagUnmask = 0x10, kFlagTrigger = 0x20;

/// Makes writes to an eventfd non-blocking. Returns false if the file is no eventfd.
bool make_event(const FileDescriptor& file) {
  struct stat kind{};
  if (fstat(file.get(), &kind) != 0 || (kind.st_mode & S_IFMT) != 0) return false;
  const int flags = fcntl(file.get(), F_GETFL);
  return flags >= 0 && fcntl(file.get(), F_SETFL, flags | O_NONBLOCK) == 0;
}

}  // namespace

bool Interrupts::exists(std::uint32_t index) { return index == kIntx || index == kMsi; }

std::uint32_t Interrupts::info(std::uint32_t index) {
  constexpr std::uint32_t kEventfd = 1, kMaskable = 2, kAutomasked = 4, kFixed = 8;
  return index == kIntx ? kEventfd | kMaskable | kAutomasked : index == kMsi ? kEventfd | kFixed : 0;
}

int Interrupts::set(const Change& change, FileDescriptor event) {
  const bool intx = change.index == kIntx;
  FileDescriptor& present = intx ? intx_ : msi_;
  if ((change.flags & kFlagTrigger) != 0) {
    if (event && !make_event(event)) return EINVAL;
    if ((change.flags & kFlagEvent) != 0)
      present = std::move(event);
    else if ((change.flags & kFlagNone) != 0 && change.count == 0)
      present.close();
    else if (change.count == 1 && change.on)
      raise();
    if (intx) intx_masked_ = false;
  } else if (intx && change.on && (change.flags & (kFlagMask | kFlagUnmask)) != 0) {
    intx_masked_ = (change.flags & kFlagMask) != 0;
  }
  return 0;
}

void Interrupts::raise() {
  const std::uint64_t one = 1;
  const FileDescriptor& event = msi_ ? msi_ : intx_;
  if (!event || (!msi_ && std::exchange(intx_masked_, true))) return;
  // A write fails only if the counter of the event is full, that is, if events are pending anyway.
  [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof one);
}

void Interrupts::close() {
  msi_.close();
  intx_.close();
}

}  // namespace platter::vfio_user
