// SPDX-License-Identifier: Apache-2.0
//
// The calls that look at a path or a descriptor.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "exec/device.h"
#include "exec/interpose.h"
#include "exec/session.h"

namespace {

using platter::exec::fail;
using platter::exec::is_device;
using platter::exec::is_ours;

using Facts = struct stat;

int described(Facts* facts) {
  platter::exec::describe(*facts);
  return 0;
}

/// Whether a path relative to a descriptor, or an empty path at it, is the device.
bool is_device_at(int folder, const char* path, int flags) {
  return is_device(folder, path, (flags & AT_SYMLINK_NOFOLLOW) == 0) ||
         ((flags & AT_EMPTY_PATH) != 0 && (path == nullptr || *path == '\0') && is_ours(folder));
}

int may_access(int mode) { return (mode & X_OK) == 0 ? 0 : fail(EACCES); }

char* resolved(char* to) {
  const char* const device = platter::exec::channel()->device;
  return to == nullptr ? strdup(device) : strcpy(to, device);
}

}  // namespace

PLATTER_INTERPOSE(int, stat, const char* path, Facts* facts) {
  return is_device(AT_FDCWD, path) ? described(facts) : PLATTER_NEXT(stat)(path, facts);
}
PLATTER_ALSO(stat, stat64)
PLATTER_INTERPOSE(int, lstat, const char* path, Facts* facts) {
  return is_device(AT_FDCWD, path, false) ? described(facts) : PLATTER_NEXT(lstat)(path, facts);
}
PLATTER_ALSO(lstat, lstat64)
PLATTER_INTERPOSE(int, fstat, int fd, Facts* facts) { return is_ours(fd) ? described(facts) : PLATTER_NEXT(fstat)(fd, facts); }
PLATTER_ALSO(fstat, fstat64)
PLATTER_INTERPOSE(int, fstatat, int folder, const char* path, Facts* facts, int flags) {
  return is_device_at(folder, path, flags) ? described(facts) : PLATTER_NEXT(fstatat)(folder, path, facts, flags);
}
PLATTER_ALSO(fstatat, fstatat64)
// The names of programs that were linked with a C library before 2.33.
PLATTER_INTERPOSE(int, __xstat, int version, const char* path, Facts* facts) {
  return is_device(AT_FDCWD, path) ? described(facts) : PLATTER_NEXT(__xstat)(version, path, facts);
}
PLATTER_ALSO(__xstat, __xstat64)
PLATTER_INTERPOSE(int, __lxstat, int version, const char* path, Facts* facts) {
  return is_device(AT_FDCWD, path, false) ? described(facts) : PLATTER_NEXT(__lxstat)(version, path, facts);
}
PLATTER_ALSO(__lxstat, __lxstat64)
PLATTER_INTERPOSE(int, __fxstat, int version, int fd, Facts* facts) {
  return is_ours(fd) ? described(facts) : PLATTER_NEXT(__fxstat)(version, fd, facts);
}
PLATTER_ALSO(__fxstat, __fxstat64)
PLATTER_INTERPOSE(int, __fxstatat, int version, int folder, const char* path, Facts* facts, int flags) {
  return is_device_at(folder, path, flags) ? described(facts) : PLATTER_NEXT(__fxstatat)(version, folder, path, facts, flags);
}
PLATTER_ALSO(__fxstatat, __fxstatat64)

PLATTER_INTERPOSE(int, statx, int folder, const char* path, int flags, unsigned mask, struct statx* to) {
  if (!is_device_at(folder, path, flags)) return PLATTER_NEXT(statx)(folder, path, flags, mask, to);
  Facts facts;
  platter::exec::describe(facts);
  *to = {};
  to->stx_mask = STATX_BASIC_STATS;
  to->stx_blksize = static_cast<std::uint32_t>(facts.st_blksize);
  to->stx_nlink = static_cast<std::uint32_t>(facts.st_nlink);
  to->stx_uid = facts.st_uid;
  to->stx_gid = facts.st_gid;
  to->stx_mode = static_cast<std::uint16_t>(facts.st_mode);
  to->stx_ino = facts.st_ino;
  to->stx_atime.tv_sec = to->stx_mtime.tv_sec = to->stx_ctime.tv_sec = facts.st_mtim.tv_sec;
  to->stx_rdev_major = major(facts.st_rdev);
  to->stx_rdev_minor = minor(facts.st_rdev);
  to->stx_dev_major = major(facts.st_dev);
  to->stx_dev_minor = minor(facts.st_dev);
  return 0;
}

PLATTER_INTERPOSE(int, access, const char* path, int mode) {
  return is_device(AT_FDCWD, path) ? may_access(mode) : PLATTER_NEXT(access)(path, mode);
}
PLATTER_INTERPOSE(int, faccessat, int folder, const char* path, int mode, int flags) {
  return is_device_at(folder, path, flags) ? may_access(mode) : PLATTER_NEXT(faccessat)(folder, path, mode, flags);
}
PLATTER_INTERPOSE(int, euidaccess, const char* path, int mode) {
  return is_device(AT_FDCWD, path) ? may_access(mode) : PLATTER_NEXT(euidaccess)(path, mode);
}
PLATTER_ALSO(euidaccess, eaccess)

PLATTER_INTERPOSE(char*, realpath, const char* path, char* to) {
  return is_device(AT_FDCWD, path) ? resolved(to) : PLATTER_NEXT(realpath)(path, to);
}
PLATTER_INTERPOSE(char*, __realpath_chk, const char* path, char* to, size_t room) {
  if (!is_device(AT_FDCWD, path)) return PLATTER_NEXT(__realpath_chk)(path, to, room);
  if (room < PATH_MAX) abort();
  return resolved(to);
}
PLATTER_INTERPOSE(char*, canonicalize_file_name, const char* path) {
  return is_device(AT_FDCWD, path) ? resolved(nullptr) : PLATTER_NEXT(canonicalize_file_name)(path);
}
PLATTER_INTERPOSE(ssize_t, readlink, const char* path, char* to, size_t room) {
  return is_device(AT_FDCWD, path, false) ? fail(EINVAL) : PLATTER_NEXT(readlink)(path, to, room);
}
PLATTER_INTERPOSE(ssize_t, readlinkat, int folder, const char* path, char* to, size_t room) {
  return is_device(folder, path, false) ? fail(EINVAL) : PLATTER_NEXT(readlinkat)(folder, path, to, room);
}
PLATTER_INTERPOSE(ssize_t, __readlink_chk, const char* path, char* to, size_t bytes, size_t room) {
  if (bytes > room) abort();
  return platter_readlink(path, to, bytes);
}
PLATTER_INTERPOSE(ssize_t, __readlinkat_chk, int folder, const char* path, char* to, size_t bytes, size_t room) {
  if (bytes > room) abort();
  return platter_readlinkat(folder, path, to, bytes);
}

// The device has no extended attributes.
PLATTER_INTERPOSE(ssize_t, getxattr, const char* path, const char* name, void* value, size_t room) {
  return is_device(AT_FDCWD, path) ? fail(ENODATA) : PLATTER_NEXT(getxattr)(path, name, value, room);
}
PLATTER_INTERPOSE(ssize_t, lgetxattr, const char* path, const char* name, void* value, size_t room) {
  return is_device(AT_FDCWD, path, false) ? fail(ENODATA) : PLATTER_NEXT(lgetxattr)(path, name, value, room);
}
PLATTER_INTERPOSE(ssize_t, listxattr, const char* path, char* names, size_t room) {
  return is_device(AT_FDCWD, path) ? 0 : PLATTER_NEXT(listxattr)(path, names, room);
}
PLATTER_INTERPOSE(ssize_t, llistxattr, const char* path, char* names, size_t room) {
  return is_device(AT_FDCWD, path, false) ? 0 : PLATTER_NEXT(llistxattr)(path, names, room);
}
