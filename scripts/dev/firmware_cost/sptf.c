/* SPDX-License-Identifier: Apache-2.0 */
#include "hop.h"

/* Is `entry`, at the same cost, to be taken before `best`? */
static inline int goes_first(const struct entry* entry, const struct entry* best) {
  if (entry->sequence == best->sequence) return entry->tag < best->tag;
  return older(entry->sequence, best->sequence);
}

static void report(struct decision* out, const struct entry* best, uint32_t cost, uint32_t forced) {
  out->tag = best == 0 ? 0 : best->tag;
  out->cost = best == 0 ? 0 : cost;
  out->valid = best != 0;
  out->forced = forced;
}

/* The least cost; an entry whose arm arrives later than the best one's sector needs no look at the angle. */
void sptf(const struct seek_table* seek, const struct drive* drive, const struct place* head, const struct entry* entries,
          uint32_t count, struct decision* out) {
  const struct entry* best = 0;
  uint32_t best_cost = kTimeMax + 1;
  for (const struct entry* e = entries; e != entries + count; ++e) {
    const uint32_t t = arrival(seek, drive, head, &e->start, e->write, drive->overhead[e->write]);
    if (t > best_cost) continue;
    const uint32_t cost = after_wait(drive, head, &e->start, t);
    if (cost < best_cost || (cost == best_cost && goes_first(e, best))) {
      best = e;
      best_cost = cost;
    }
  }
  report(out, best, best_cost, 0);
}

/* The same under the guard, which is asked only about an entry that would be picked. */
void sptf_guard(const struct seek_table* seek, const struct drive* drive, const struct place* head,
                const struct entry* entries, uint32_t count, const struct guard* guard, struct decision* out) {
  const struct entry* best = 0;
  const struct entry* next = 0;
  uint32_t best_cost = kTimeMax + 1;
  const int32_t room = (int32_t)(guard->slack - guard->sweep);
  for (const struct entry* e = entries; e != entries + count; ++e) {
    const uint32_t is_next = e->tag == guard->next_tag;
    if (is_next) next = e;
    const uint32_t t = arrival(seek, drive, head, &e->start, e->write, drive->overhead[e->write]);
    if (t > best_cost) continue;
    const uint32_t cost = after_wait(drive, head, &e->start, t);
    if (cost > best_cost || (cost == best_cost && !goes_first(e, best))) continue;
    int32_t need = (int32_t)cost;
    if (!is_next) {
      need += e->extra;
      /* Onward to the sweep takes at least no time: often that is answer enough. */
      if (need > room) continue;
      need += (int32_t)hop(seek, drive, &e->end, &guard->next, guard->next_write, drive->next_overhead[e->write]);
    }
    if (need > room) continue;
    best = e;
    best_cost = cost;
  }
  if (best == 0 && next != 0) {
    report(out, next, hop(seek, drive, head, &next->start, next->write, drive->overhead[next->write]), 1);
    return;
  }
  report(out, best, best_cost, 0);
}
