/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLATTER_FIRMWARE_HOP_H
#define PLATTER_FIRMWARE_HOP_H

#include "decision.h"

static inline uint32_t low_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

#ifdef PLATTER_DIRECT_SEEK
/* One word a cylinder instead: faster, for as much memory as the drive has cylinders. */
static inline int32_t seek_ticks(const struct seek_table* seek, uint32_t distance) { return ((const int32_t*)seek)[distance]; }
#else
/* Seek time of a distance. No core without Zbb counts leading zeros: a byte's leading one comes from a table. */
static inline int32_t seek_ticks(const struct seek_table* seek, uint32_t distance) {
  uint32_t index = distance;
  uint32_t frac = 0;
  if (distance >= 1u << kSegM) {
    uint32_t lead;
    if (distance < 1u << 8)
      lead = seek->lead[distance];
    else if (distance < 1u << 16)
      lead = 8 + seek->lead[distance >> 8];
    else
      lead = 16 + seek->lead[distance >> 16];
    const uint32_t low = lead - kSegM;
    index = (distance >> low) + (low << kSegM); /* the leading one itself counts as the row's + 1 */
    frac = (distance << (kFracW - low)) & ((1u << kFracW) - 1);
  }
  const struct cell* cell = &seek->cells[index];
  const uint32_t place = frac >> (kFracW - kPlaceW);
  const uint32_t beyond = (place > cell->last1) + (place > cell->last2) + (place > cell->last3);
  const struct segment* segment = &seek->segments[cell->group | beyond];
  const int32_t ticks = segment->base + ((segment->delta * (int32_t)frac) >> kFracW);
  if ((uint32_t)ticks <= kTimeMax) return ticks;
  return ticks < 0 ? 0 : kTimeMax;
}
#endif

/* Overhead and positioning from one place to another: the time from now to the wait for the sector. */
static inline uint32_t arrival(const struct seek_table* seek, const struct drive* drive, const struct place* from,
                               const struct place* to, uint32_t write, uint32_t overhead) {
  int32_t distance = (int32_t)(to->cylinder - from->cylinder);
  if (distance < 0) distance = -distance;
  int32_t position = seek_ticks(seek, (uint32_t)distance);
  const uint32_t switches = to->head != from->head;
  if (switches && position < (int32_t)drive->head_switch) position = (int32_t)drive->head_switch;
  if (write && (distance != 0 || switches)) {
    position += drive->write_settle;
    if (position < 0) position = 0;
    if (position > kTimeMax) position = kTimeMax;
  }
  return low_of(overhead + (uint32_t)position, kTimeMax);
}

/* The wait for the sector, saturated with what came before it. */
static inline uint32_t after_wait(const struct drive* drive, const struct place* from, const struct place* to, uint32_t t) {
  uint32_t wait = (to->angle - from->angle - t) & (kTurn - 1);
  if (wait < drive->margin) wait += kTurn;
  return low_of(t + wait, kTimeMax);
}

static inline uint32_t hop(const struct seek_table* seek, const struct drive* drive, const struct place* from,
                           const struct place* to, uint32_t write, uint32_t overhead) {
  return after_wait(drive, from, to, arrival(seek, drive, from, to, write, overhead));
}

/* Is the command with insertion number `a` older than that with `b`? */
static inline int older(uint32_t a, uint32_t b) { return ((a - b) >> 23) & 1; }

#endif
