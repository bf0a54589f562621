// SPDX-License-Identifier: Apache-2.0
#include "exec/device.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "exec/session.h"

namespace platter::exec {

namespace {

constexpr int kMaxDescriptors = 1 << 16;
bool ours[kMaxDescriptors];

constexpr int kMaxLinks = 40;                 // that Linux follows in a path
constexpr std::size_t kMaxCall = 0x7ffff000;  // as Linux has it

/// Removes //, /./ and /../ from an absolute path, in place.
void normalise(char* path) {
  char* out = path;
  const char* in = path;
  while (*in != '\0') {
    while (*in == '/') ++in;
    const char* const end = strchrnul(in, '/');
    const auto length = static_cast<std::size_t>(end - in);
    if (length == 0 || (length == 1 && in[0] == '.')) {
    } else if (length == 2 && in[0] == '.' && in[1] == '.') {
      while (out > path && *--out != '/') {
      }
    } else {
      *out++ = '/';
      memmove(out, in, length);
      out += length;
    }
    in = end;
  }
  *out = '\0';
}

/// The data of a call, piece after piece.
class Pieces {
 public:
  Pieces(const iovec* pieces, int count) : pieces_(pieces), count_(count) {}
  void take(void* to, std::size_t bytes) {
    each(bytes, [&to](std::uint8_t* at, std::size_t length) {
      memcpy(to, at, length);
      to = static_cast<std::uint8_t*>(to) + length;
    });
  }
  void put(const void* from, std::size_t bytes) {
    each(bytes, [&from](std::uint8_t* at, std::size_t length) {
      memcpy(at, from, length);
      from = static_cast<const std::uint8_t*>(from) + length;
    });
  }

 private:
  template <typename Copy>
  void each(std::size_t bytes, Copy copy) {
    while (bytes > 0 && piece_ < count_) {
      const std::size_t length = std::min(bytes, pieces_[piece_].iov_len - used_);
      if (length > 0) copy(static_cast<std::uint8_t*>(pieces_[piece_].iov_base) + used_, length);
      bytes -= length;
      used_ += length;
      if (used_ < pieces_[piece_].iov_len) continue;
      ++piece_;
      used_ = 0;
    }
  }

  const iovec* pieces_;
  const int count_;
  int piece_ = 0;
  std::size_t used_ = 0;  ///< of that piece
};

/// Reads or writes `bytes` from `at` on, at most Channel::kDataBytes with the rest of the first and last block. Returns 0 or a number of errno.
int transfer_part(bool write, Pieces& data, std::uint64_t at, std::size_t bytes, bool fua) {
  Channel& to = *channel();
  Turn turn;
  const std::uint64_t block = to.block_bytes;
  const std::uint64_t begin = at / block * block;
  const std::uint64_t end = (at + bytes + block - 1) / block * block;
  if (!write) {
    if (const int error = turn.call(CallKind::Read, begin, end - begin, false); error != 0) return error;
    data.put(to.data + (at - begin), bytes);
    return 0;
  }
  // Blocks of which only a part is written are read before.
  const bool head = at != begin;
  const bool tail = at + bytes != end && (end - begin > block || !head);
  std::uint8_t* const last = to.data + (end - begin - block);
  if (tail) {
    if (const int error = turn.call(CallKind::Read, end - block, block, false); error != 0) return error;
    if (last != to.data) memcpy(last, to.data, block);
  }
  if (head)
    if (const int error = turn.call(CallKind::Read, begin, block, false); error != 0) return error;
  data.take(to.data + (at - begin), bytes);
  return turn.call(CallKind::Write, begin, end - begin, fua);
}

bool is_aligned(const iovec* pieces, int count, std::uint64_t offset, std::uint64_t block) {
  for (int i = 0; i < count; ++i)
    if (reinterpret_cast<std::uintptr_t>(pieces[i].iov_base) % block != 0 || pieces[i].iov_len % block != 0) return false;
  return offset % block == 0;
}

/// Whether a path is the name of the device.
bool is_its_name(int folder, const char* path) {
  const Channel* const found = channel();
  const char* const wanted = strrchr(found->device, '/') + 1;
  const char* const slash = strrchr(path, '/');
  if (strcmp(slash != nullptr ? slash + 1 : path, wanted) != 0) return false;
  char whole[2 * PATH_MAX];
  whole[0] = '\0';
  if (path[0] != '/') {
    char name[64] = "/proc/self/cwd";
    if (folder != AT_FDCWD) snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
    const long length = syscall(SYS_readlinkat, AT_FDCWD, name, whole, PATH_MAX);
    if (length < 0) return false;
    whole[length] = '/';
    whole[length + 1] = '\0';
  }
  const std::size_t before = strlen(whole);
  if (before + strlen(path) >= sizeof whole) return false;
  strcpy(whole + before, path);
  normalise(whole);
  return strcmp(whole, found->device) == 0;
}

template <typename Value>
int give(void* to, Value value) {
  memcpy(to, &value, sizeof value);
  return 0;
}

}  // namespace

bool is_device(int folder, const char* path, bool follow) {
  if (channel() == nullptr || path == nullptr) return false;
  if (is_its_name(folder, path)) return true;
  const int error = errno;
  char link[PATH_MAX];
  char target[PATH_MAX];
  bool found = false;
  for (int i = 0; follow && !found && i < kMaxLinks; ++i) {
    const long length = syscall(SYS_readlinkat, folder, path, target, sizeof target - 1);
    if (length <= 0) break;
    target[length] = '\0';
    // A descriptor of the device has names such as /dev/stdin and /dev/fd/3.
    found = strcmp(target, kDescriptorTarget) == 0;
    const char* const slash = strrchr(path, '/');
    const std::size_t before = target[0] != '/' && slash != nullptr ? static_cast<std::size_t>(slash + 1 - path) : 0;
    if (before + strlen(target) >= sizeof link) break;
    memmove(link, path, before);
    strcpy(link + before, target);
    path = link;
    found = found || is_its_name(folder, path);
  }
  errno = error;
  return found;
}

bool is_ours(int fd) { return fd >= 0 && fd < kMaxDescriptors && ours[fd]; }
void set_ours(int fd, bool value) {
  if (fd >= 0 && fd < kMaxDescriptors) ours[fd] = value;
}

void find_inherited() {
  const int limit = std::min<int>(kMaxDescriptors, 1024);  // those of shells are low
  for (int fd = 0; fd < limit; ++fd) {
    if (syscall(SYS_fcntl, fd, F_GETFD) < 0) continue;
    char name[64];
    char found[64] = "";
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const long length = syscall(SYS_readlinkat, AT_FDCWD, name, found, sizeof found - 1);
    set_ours(fd, length > 0 && strcmp(found, kDescriptorTarget) == 0);
  }
  errno = 0;
}

int open_device(int flags) {
  if ((flags & O_DIRECTORY) != 0) return fail(ENOTDIR);
  if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return fail(EEXIST);
  const auto made = static_cast<int>(syscall(SYS_memfd_create, kDescriptorName, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (made < 0) return -1;
  constexpr int kNotLasting = O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW;
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", made);
  const auto once = static_cast<int>(syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CLOEXEC, 0));
  const bool good = once >= 0 && syscall(SYS_ftruncate, once, static_cast<off_t>(flags & ~kNotLasting)) == 0 &&
                    syscall(SYS_fcntl, made, F_ADD_SEALS, F_SEAL_WRITE) == 0 &&
                    syscall(SYS_dup3, once, made, (flags & O_CLOEXEC) != 0 ? O_CLOEXEC : 0) >= 0;
  const int error = errno;
  if (once >= 0) syscall(SYS_close, once);
  if (!good || made >= kMaxDescriptors) {
    syscall(SYS_close, made);
    return fail(good ? EMFILE : error);
  }
  set_ours(made, true);
  return made;
}

int flags_of(int fd) {
  struct stat facts{};
  return syscall(SYS_fstat, fd, &facts) == 0 ? static_cast<int>(facts.st_size) : -1;
}
void set_flags(int fd, int flags) { syscall(SYS_ftruncate, fd, static_cast<off_t>(flags)); }

off_t seek(int fd, off_t offset, int whence) {
  const auto size = static_cast<off_t>(channel()->capacity_bytes);
  switch (whence) {
    case SEEK_SET: break;
    case SEEK_CUR: offset += syscall(SYS_lseek, fd, 0, SEEK_CUR); break;
    case SEEK_END: offset += size; break;
    default: return fail(EINVAL);
  }
  if (offset < 0 || offset > size) return fail(EINVAL);
  return syscall(SYS_lseek, fd, offset, SEEK_SET);
}

ssize_t transfer(int fd, bool write, const iovec* pieces, int count, off_t offset, bool durable) {
  const int flags = flags_of(fd);
  if (flags < 0 || (flags & O_PATH) != 0 || (flags & O_ACCMODE) == (write ? O_RDONLY : O_WRONLY)) return fail(EBADF);
  if (count < 0 || count > IOV_MAX) return fail(EINVAL);
  std::size_t bytes = 0;
  for (int i = 0; i < count; ++i) {
    if (pieces[i].iov_len > SSIZE_MAX - bytes) return fail(EINVAL);
    bytes += pieces[i].iov_len;
  }
  const Channel& to = *channel();
  const std::uint64_t size = to.capacity_bytes;
  const bool at_position = offset == kAtPosition;
  if (at_position) offset = syscall(SYS_lseek, fd, 0, SEEK_CUR);
  if (offset < 0) return fail(EINVAL);
  auto at = static_cast<std::uint64_t>(offset);  // also with O_APPEND, which a block device ignores
  if (bytes == 0) return 0;
  if (at >= size) return write ? fail(ENOSPC) : 0;
  if ((flags & O_DIRECT) != 0 && !is_aligned(pieces, count, at, to.block_bytes)) return fail(EINVAL);
  bytes = static_cast<std::size_t>(std::min<std::uint64_t>({bytes, kMaxCall, size - at}));
  const bool fua = write && (durable || (flags & O_DSYNC) != 0);  // O_SYNC contains O_DSYNC
  Pieces data(pieces, count);
  std::size_t done = 0;
  int error = 0;
  while (done < bytes) {
    const std::size_t part = std::min<std::size_t>(bytes - done, Channel::kDataBytes - at % to.block_bytes);
    error = transfer_part(write, data, at, part, fua);
    if (error != 0) break;
    done += part;
    at += part;
  }
  if (at_position && done > 0) syscall(SYS_lseek, fd, static_cast<off_t>(at), SEEK_SET);
  if (done == 0) return fail(error);
  return static_cast<ssize_t>(done);
}

int flush(int fd) {
  if ((flags_of(fd) & O_PATH) != 0) return fail(EBADF);
  int error = 0;
  {
    Turn turn;
    error = turn.call(CallKind::Flush, 0, 0, false);
  }
  return error == 0 ? 0 : fail(error);
}

int control(unsigned long request, void* argument) {
  const Channel& to = *channel();
  switch (request) {
    case BLKGETSIZE64: return give(argument, to.capacity_bytes);
    case BLKGETSIZE: return give(argument, static_cast<unsigned long>(to.capacity_bytes / 512));
    case BLKSSZGET: return give(argument, static_cast<int>(to.block_bytes));
    case BLKPBSZGET:
    case BLKIOMIN: return give(argument, static_cast<unsigned>(to.physical_bytes));
    case BLKIOOPT:
    case BLKDISCARDZEROES: return give(argument, 0U);
    case BLKALIGNOFF:
    case BLKROGET: return give(argument, 0);
    case BLKROTATIONAL: return give(argument, static_cast<unsigned short>(1));
    case BLKSECTGET: return give(argument, static_cast<unsigned short>(Channel::kMaxRequestBytes / 512));
    case BLKBSZGET:
    case FIGETBSZ: return give(argument, 4096);
    case BLKRAGET:
    case BLKFRAGET: return give(argument, 0L);
    case BLKBSZSET:
    case BLKRASET:
    case BLKFRASET:
    case BLKFLSBUF: return 0;  // there is no page cache
    case BLKRRPART: return fail(EINVAL);
    case BLKDISCARD:
    case BLKSECDISCARD:
    case BLKZEROOUT: return fail(EOPNOTSUPP);
    default: return fail(ENOTTY);
  }
}

void describe(struct stat& facts) {
  facts = {};
  facts.st_dev = makedev(0, 5);
  facts.st_ino = 0x504c;
  facts.st_mode = S_IFBLK | 0660;
  facts.st_nlink = 1;
  facts.st_uid = getuid();
  facts.st_gid = getgid();
  facts.st_rdev = makedev(240, 0);  // of local use
  facts.st_blksize = 4096;
  facts.st_atim.tv_sec = facts.st_mtim.tv_sec = facts.st_ctim.tv_sec = channel()->epoch_s;
}

}  // namespace platter::exec
