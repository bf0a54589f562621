/* SPDX-License-Identifier: Apache-2.0
 *
 * The accelerator's decisions as firmware: the arithmetic of docs/reference/scheduler_accelerator.md ("What a decision
 * computes") with the default parameters, AngleW = 16, CylW = 18, SegM = 5, on 32-bit integers. Everything that does not change from
 * decision to decision is laid out beforehand. scripts/dev/firmware-cost fills these structures by the same layout.
 */
#ifndef PLATTER_FIRMWARE_DECISION_H
#define PLATTER_FIRMWARE_DECISION_H

#include <stdint.h>

enum {
  kAngleW = 16,
  kTurn = 1 << kAngleW,
  kTimeMax = (1 << (kAngleW + 4)) - 1,
  kSegM = 5,
  kFracW = 18 - 1 - kSegM,
  kPlaceW = 9,
  kCells = (18 - kSegM + 1) << kSegM,
  kSegments = 512,
  kMaxOrdered = 12 /* commands of an exact order */
};

/* A cell of the seek table: its first segment and where its first three segments end. */
struct cell {
  uint16_t group, last1, last2, last3;
};
struct segment {
  int32_t base, delta;
};
struct seek_table {
  uint8_t lead[256]; /* position of the leading one of a byte */
  struct cell cells[kCells];
  struct segment segments[kSegments];
};

/* A place on the disk: where an access starts, ends, or where the head is. */
struct place {
  uint32_t cylinder, head, angle;
};

/* A command in the table. Entries stand side by side in any order; what is not in use is not there. */
struct entry {
  struct place start, end;
  uint32_t write;
  int32_t extra;     /* transfer - credit */
  uint32_t sequence; /* number of insertion, 24 bits */
  uint32_t tag;
};

struct drive {
  uint32_t margin, head_switch;
  int32_t write_settle;
  uint32_t overhead[2];      /* of a read, of a write */
  uint32_t next_overhead[2]; /* of the next command after a read, after a write */
};

/* The guard: the first command of the sweep, what the sweep takes from its start, and the time that is left. */
struct guard {
  struct place next;
  uint32_t next_write, next_tag, sweep, slack;
};

struct decision {
  uint32_t tag, cost, valid, forced;
};

void sptf(const struct seek_table* seek, const struct drive* drive, const struct place* head, const struct entry* entries,
          uint32_t count, struct decision* out);
void sptf_guard(const struct seek_table* seek, const struct drive* drive, const struct place* head, const struct entry* entries,
                uint32_t count, const struct guard* guard, struct decision* out);

/* matrix[j * kMaxOrdered + i]: from the end of command i to the start of command j; first[j]: from the head. */
void cost_matrix(const struct seek_table* seek, const struct drive* drive, const struct place* head,
                 const struct entry* entries, uint32_t count, uint32_t* first, uint32_t* matrix);

/* The order of least total cost through all commands. `table` has 2^count rows of `count` words. Returns the cost. */
uint32_t held_karp(uint32_t count, const uint32_t* first, const uint32_t* matrix, uint32_t* table, uint8_t* order);

#endif
