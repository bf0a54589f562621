// SPDX-License-Identifier: Apache-2.0
//
// A benchmark of a disk, as anybody writes one: random reads of a device, each timed. Prints a line for each read: the offset, the time of CLOCK_MONOTONIC
// before it [ns], and the time that it took [ns].
//
//   read_times DEVICE READS BYTES [sum]     with sum: only the sum of all times [ns]
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) exit(3);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int failed(const char* what) {
  perror(what);
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: read_times DEVICE READS BYTES [sum]\n");
    return 2;
  }
  const long reads = atol(argv[2]);
  const size_t bytes = (size_t)atol(argv[3]);
  const int disk = open(argv[1], O_RDONLY | O_DIRECT);
  if (disk < 0) return failed(argv[1]);
  uint64_t size = 0;
  if (ioctl(disk, BLKGETSIZE64, &size) != 0) return failed("BLKGETSIZE64");
  void* data = NULL;
  if (posix_memalign(&data, 4096, bytes) != 0) return 1;
  uint64_t state = 1;
  int64_t sum = 0;
  for (long i = 0; i < reads; ++i) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t offset = (state >> 20) % (size / bytes) * bytes;
    const int64_t begin = now_ns();
    if (pread(disk, data, bytes, (off_t)offset) != (ssize_t)bytes) return failed("pread");
    const int64_t took = now_ns() - begin;
    sum += took;
    if (argc == 4) printf("%" PRIu64 " %" PRId64 " %" PRId64 "\n", offset, begin, took);
  }
  if (argc > 4) printf("%" PRId64 "\n", sum);
  free(data);
  return close(disk) == 0 ? 0 : 1;
}
