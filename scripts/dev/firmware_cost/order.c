/* SPDX-License-Identifier: Apache-2.0 */
#include "hop.h"

void cost_matrix(const struct seek_table* seek, const struct drive* drive, const struct place* head,
                 const struct entry* entries, uint32_t count, uint32_t* first, uint32_t* matrix) {
  for (uint32_t j = 0; j < count; ++j) {
    const struct entry* to = &entries[j];
    const uint32_t write = to->write;
    const uint32_t overhead = drive->overhead[write];
    uint32_t* row = matrix + j * kMaxOrdered;
    first[j] = hop(seek, drive, head, &to->start, write, overhead);
    for (uint32_t i = 0; i < count; ++i)
      if (i != j) row[i] = hop(seek, drive, &entries[i].end, &to->start, write, overhead);
  }
}

/* What a way cannot cost: it stands for places in a row that no way ends at, and a hop can be added to it. */
#define FAR 0x40000000u

#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define FETCH(i) const uint32_t cost##i = (i) < count && (set >> (i) & 1) != 0 ? row[i] : FAR;
/* A better way is rarely found: the empty statement keeps the compiler from a branch over a single move, which would be taken
 * most times. */
#define TRY(i)                                                   \
  if ((i) < count) {                                             \
    const uint32_t cost = cost##i + column[i];                   \
    if (__builtin_expect(cost < best, 0)) {                      \
      best = cost;                                               \
      __asm__ volatile("");                                      \
    }                                                            \
  }

/* Held and Karp: table[S][j] is the least cost of a way from the head through the set S that ends at j. Every row is fetched
 * into registers once, then extended by each of the commands outside; with `count` known to the compiler there is no loop
 * over the members. */
static inline __attribute__((always_inline)) void fill(const uint32_t count, const uint32_t* first, const uint32_t* matrix,
                                                       uint32_t* table) {
  const uint32_t all = (1u << count) - 1;
  for (uint32_t j = 0; j < count; ++j) table[(1u << j) * count + j] = first[j];
  uint32_t* row = table;
  for (uint32_t set = 1; set < all; ++set) {
    row += count;
    EACH(FETCH)
    const uint32_t* column = matrix;
    uint32_t* to = row; /* step further on is the place for S and j */
    uint32_t step = count;
    for (uint32_t bit = 1; bit <= all; bit <<= 1) {
      if ((set & bit) == 0) {
        uint32_t best = FAR;
        EACH(TRY)
        to[step] = best;
      }
      column += kMaxOrdered;
      ++to;
      step <<= 1;
    }
  }
}

uint32_t held_karp(uint32_t count, const uint32_t* first, const uint32_t* matrix, uint32_t* table, uint8_t* order) {
  switch (count) {
#define CASE(n) \
  case n: fill(n, first, matrix, table); break;
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
    default: return 0;
  }

  /* The way back: which member did each cost come from? Among equals the lowest number. */
  uint32_t set = (1u << count) - 1;
  const uint32_t* end = table + set * count;
  uint32_t j = 0;
  for (uint32_t i = 1; i < count; ++i)
    if (end[i] < end[j]) j = i;
  const uint32_t total = end[j];
  for (uint32_t at = count; --at != 0;) {
    order[at] = (uint8_t)j;
    const uint32_t cost = table[set * count + j];
    set &= ~(1u << j);
    const uint32_t* before = table + set * count;
    uint32_t i = 0;
    while ((set >> i & 1) == 0 || before[i] + matrix[j * kMaxOrdered + i] != cost) ++i;
    j = i;
  }
  order[0] = (uint8_t)j;
  return total;
}
