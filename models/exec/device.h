// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstdint>

namespace platter::exec {

/// The result of a call that fails.
inline int fail(int error) { return errno = error, -1; }

/// Whether a path names the device. `folder`: a descriptor as openat() takes it. `follow`: so do the names of its descriptors, such as /dev/stdin.
bool is_device(int folder, const char* path, bool follow = true);

/// Whether a descriptor is one of the device. It is a descriptor of the kernel, so that dup(), fork() and execve() share its position. Its file is
/// empty memory that can be neither read nor written, so calls that this library does not take fail. The size of that file has the flags.
bool is_ours(int fd);
void set_ours(int fd, bool ours);
/// Finds the descriptors that were inherited.
void find_inherited();

/// open() of the device. Returns -1 with errno.
int open_device(int flags);
/// The flags of open(), as far as they last.
int flags_of(int fd);
void set_flags(int fd, int flags);

constexpr off_t kAtPosition = -1;
/// Reads or writes at an offset, or at the position of the descriptor and moves it. Returns what read() and write() return, with errno.
ssize_t transfer(int fd, bool write, const iovec* pieces, int count, off_t offset, bool durable);
off_t seek(int fd, off_t offset, int whence);
int flush(int fd);
/// ioctl() of the device.
int control(unsigned long request, void* argument);
void describe(struct stat& facts);

}  // namespace platter::exec
