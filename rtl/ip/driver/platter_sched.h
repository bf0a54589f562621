/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bare-metal driver of the disk command scheduler: C99, no library, no memory of its own beyond struct platter_sched.
 *
 * The registers must be mapped as device memory: no cache, accesses of 32 bits in the order of the program, and a write has reached the
 * accelerator before the next instruction that depends on it. The processor must see them in its own byte order: the driver swaps nothing.
 *
 * The accelerator stalls a write while it is busy, so no function polls before it writes. A write that the accelerator refuses is an error
 * response on the bus, which most processors take as a fault; the driver therefore keeps the tags in use and returns an error instead.
 * One execution context calls the driver for one accelerator at a time; only platter_sched_irq() belongs in an interrupt handler, which
 * may run late: after a call that disables the interrupt it does nothing.
 *
 * Times are in ticks: 2^angle_w ticks are one turn of the spindle. A time of day (of a decision, a deadline, a limit) counts modulo
 * 2^(angle_w + 12), and its low angle_w bits are the spindle's angle at that time. Deadlines and limits must be within 2,048 turns (half of
 * that range) of the instant of each decision: one that is farther ahead is read as already past.
 *
 * Cylinders, heads, angles, times and overheads are not checked: only the low bits that the instance has are used, without an error. The
 * contract is Platter's reference of the scheduling accelerator.
 */
#ifndef PLATTER_SCHED_H
#define PLATTER_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "platter_sched_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PLATTER_SCHED_OK = 0,
  PLATTER_SCHED_NO_DEVICE = -1,  /* no accelerator at this address, or one with another register map */
  PLATTER_SCHED_BAD_TAG = -2,    /* no such tag, or it is in use and must not be, or the other way round */
  PLATTER_SCHED_BAD_SIZE = -3,   /* the table has fewer cells or segments, or there is no such orderer */
  PLATTER_SCHED_EMPTY = -4,      /* there is nothing to pick */
  PLATTER_SCHED_NO_FEATURE = -5, /* the instance lacks the optional part */
  PLATTER_SCHED_BAD_VALUE = -6   /* a checked setting is beyond its range, or would do nothing; no register has been written */
};

enum platter_sched_class {
  PLATTER_SCHED_DISCRETE = PLATTER_SCHED_E_POS_CLASS_DISCRETE,
  PLATTER_SCHED_CONTINUOUS = PLATTER_SCHED_E_POS_CLASS_CONTINUOUS,
  PLATTER_SCHED_BACKGROUND = PLATTER_SCHED_E_POS_CLASS_BACKGROUND
};

/* What the limit of a command does. "Could miss it": would miss it even if it were picked, with the worst rotational wait that is possible. */
enum platter_sched_limit {
  PLATTER_SCHED_NO_LIMIT = PLATTER_SCHED_E_POS_LIMIT_NONE,
  /* Picked first in a decision in which it could miss its limit. */
  PLATTER_SCHED_LIMIT_FIRST = PLATTER_SCHED_E_POS_LIMIT_FIRST,
  /* Does not compete in such a decision. */
  PLATTER_SCHED_LIMIT_WITHDRAW = PLATTER_SCHED_E_POS_LIMIT_WITHDRAW,
  /* Picked first while it can still keep its limit, and less than the grace is left. */
  PLATTER_SCHED_LIMIT_KEEP = PLATTER_SCHED_E_POS_LIMIT_KEEP
};

struct platter_sched {
  volatile uint32_t* base;
  uint32_t entries, lanes, order_max; /* what the instance was built with */
  uint32_t angle_w, cyl_w, seg_m, seg_w;
  uint32_t features;      /* its optional parts */
  volatile uint32_t ctrl; /* what CTRL holds; the interrupt handler looks at it */
  uint32_t in_use[8];     /* one bit for each tag */
};

/* All in ticks. */
struct platter_sched_timing {
  uint32_t margin;      /* a rotational wait below it is charged one more turn */
  uint32_t risk;        /* a wait from margin to below this may miss its sector; 0: none may */
  uint32_t risk_charge; /* what such a wait is charged: the probability of a miss times one turn */
  uint32_t head_switch;
  int32_t write_settle;    /* added to a write that moves arm or head; may be negative */
  uint32_t overhead[2][2]; /* [the command writes][the one before wrote] */
  uint32_t delay;          /* from the end of an access to the beginning of the next */
};

/* A line: its value where its cell begins, within 32 turns of zero, and its rise over the whole cell, less than two turns. */
struct platter_sched_segment {
  int32_t base, delta;
};
/* The first of its segments, and the last places of three of them: less than 2^min(9, cyl_w - 1 - seg_m). */
struct platter_sched_cell {
  uint16_t group, last[3];
};

struct platter_sched_place {
  uint32_t cylinder, head, angle;
};

struct platter_sched_command {
  struct platter_sched_place start, end; /* of the first sector, where it begins; of the last, where it ends */
  uint32_t transfer;                     /* from the one to the other */
  uint32_t deadline;                     /* of a continuous command: time of day by which its last sector must have passed */
  /* Time of its arrival, in any unit: the same as that of `age_now` of platter_sched_start(). The difference, the time that it has waited, is
   * subtracted from its cost. Without platter_sched_set_ageing(), one unit is one tick. 0 for all, with age_now 0: no ageing. */
  uint32_t age;
  uint8_t write;
  uint8_t cls;        /* enum platter_sched_class */
  uint8_t limit_kind; /* enum platter_sched_limit */
  uint32_t limit;     /* time of day by which the first sector must have been reached */
  /* Least rotational wait at which it begins in the middle of its sectors: a turn less the time from the start of the first to the start of the
   * last, at least 1 and at most 2^angle_w - 1. 0: it never does, as one of a single sector or of several tracks. */
  uint32_t rest;
};

struct platter_sched_decision {
  uint32_t tag;
  int32_t key;      /* cost minus the time waited, in ticks; with look-ahead the total that was compared; 0 if forced */
  uint32_t refused; /* commands that the guard refused */
  bool forced;      /* no command passed the guard, so the next one of the sweep was picked */
};

struct platter_sched_ageing {
  uint32_t scale; /* of the time waited, in 1/64 of a tick for each unit of age, to 2^18 - 1; 0: one tick a unit, without cap */
  uint32_t cap;   /* longest time waited that counts, in units of age, to 2^17 - 1 */
  bool defer_continuous; /* continuous commands do not age; `defer` is added to their key */
  uint32_t defer;        /* to 8 turns less one tick */
};

struct platter_sched_cluster {
  uint32_t max;              /* most commands; 0: no limit */
  uint32_t from, span;       /* cylinders, less than 2^cyl_w */
  bool continuous, discrete; /* classes that are taken */
  bool stop_at_continuous;   /* a continuous command ends the cluster */
  bool down;                 /* towards lower cylinders */
  bool order;                /* the best order is found; needs an orderer */
};

static inline uint32_t platter_sched_read(const struct platter_sched* dev, uint32_t offset) { return dev->base[offset / 4]; }
static inline void platter_sched_write(const struct platter_sched* dev, uint32_t offset, uint32_t value) {
  dev->base[offset / 4] = value;
}

/* Identifies the accelerator, brings it to its state after reset (the seek table stays) and reads its parameters. */
int platter_sched_init(struct platter_sched* dev, volatile uint32_t* base);

/* Sets the times of the drive, by which all later decisions count. */
void platter_sched_set_timing(struct platter_sched* dev, const struct platter_sched_timing* timing);

/* The cells are all those of the instance: (cyl_w - seg_m + 1) << seg_m. The segments may be fewer than 2^seg_w. Nothing is loaded if one is beyond its
 * range: PLATTER_SCHED_BAD_VALUE. */
int platter_sched_load_seek(struct platter_sched* dev, const struct platter_sched_cell* cells, uint32_t cell_count,
                            const struct platter_sched_segment* segments, uint32_t segment_count);
/* The number of cells of the instance. */
uint32_t platter_sched_cells(const struct platter_sched* dev);

/* The guard keeps the continuous commands on time. `reserve`: ticks that are subtracted from the time left. */
void platter_sched_set_guard(struct platter_sched* dev, bool enable, uint32_t reserve);
/* `down`: the sweep of the continuous commands goes to lower cylinders. `next_only`: while the guard is on, only the next one of them
 * competes. */
void platter_sched_set_sweep(struct platter_sched* dev, bool down, bool next_only);
/* Whether the end of an operation raises the interrupt; an operation that has ended already may raise it at once. */
void platter_sched_enable_irq(struct platter_sched* dev, bool enable);

/* The optional parts. Each is off after platter_sched_init(); PLATTER_SCHED_NO_FEATURE if the instance lacks it. */
int platter_sched_set_ageing(struct platter_sched* dev, const struct platter_sched_ageing* ageing);
/* Weighs the next `depth` accesses (1 to 4) after each of the `most` best candidates (to 511), with shares in 1/256; most = 0: no look-ahead,
 * whatever depth (to 4) and shares. `shares` may be a null pointer then, and only then. */
int platter_sched_set_look_ahead(struct platter_sched* dev, uint32_t most, uint32_t depth, const uint8_t shares[4]);
/* How long before its limit a command of kind PLATTER_SCHED_LIMIT_KEEP begins to go first, less than 4,096 turns. */
int platter_sched_set_grace(struct platter_sched* dev, uint32_t grace);
/* The cost of an access that begins in the middle of its sectors includes its `rest`. */
int platter_sched_set_rest_cost(struct platter_sched* dev, bool enable);
/* The lowest tag of the commands of kind PLATTER_SCHED_LIMIT_WITHDRAW that would have missed their limit at worst, had the last decision
 * picked them; PLATTER_SCHED_EMPTY if there is none. Does not take it out: the next decision, from another place of the head, judges anew. */
int platter_sched_expired(const struct platter_sched* dev);

/* Enters a command under a free tag, below `entries`. One with a limit or a rest needs the optional part. PLATTER_SCHED_BAD_TAG: the tag is not below
 * `entries`, or in use. PLATTER_SCHED_NO_FEATURE: the part is missing. PLATTER_SCHED_BAD_VALUE: class, kind of limit or rest is beyond its range. */
int platter_sched_insert(struct platter_sched* dev, uint32_t tag, const struct platter_sched_command* command);
/* Takes the command out. PLATTER_SCHED_BAD_TAG: no command has this tag. */
int platter_sched_remove(struct platter_sched* dev, uint32_t tag);
/* Takes the command out; the head is then where it ends. PLATTER_SCHED_BAD_TAG: no command has this tag. */
int platter_sched_serve(struct platter_sched* dev, uint32_t tag);

/* Where the head is, and whether it wrote. platter_sched_serve() does the same by itself. */
void platter_sched_set_head(struct platter_sched* dev, uint32_t cylinder, uint32_t head, bool wrote);

/* Begins a decision. `time`: time of day at which the access will begin. `age_now`: the present time in the unit of the commands' `age`. The
 * decision ends with STATUS.DONE and, if it is enabled, the interrupt. If another one is under way, the call waits for its end, and the interrupt of
 * that one comes too. */
void platter_sched_start(struct platter_sched* dev, uint32_t time, uint32_t age_now);
/* For the interrupt handler: true if the accelerator raised it, which is then cleared; false while the interrupt is disabled. */
bool platter_sched_irq(struct platter_sched* dev);
/* Without the interrupt: true if the decision has ended, once. */
bool platter_sched_done(struct platter_sched* dev);
/* What the decision that has ended picked; PLATTER_SCHED_EMPTY if nothing. Does not take it out. */
int platter_sched_result(struct platter_sched* dev, struct platter_sched_decision* decision);
/* Disables the interrupt, begins a decision, waits for its end and reads what it picked. The interrupt stays disabled: see
 * platter_sched_enable_irq(). A decision that is still under way is waited for, and its result is lost. */
int platter_sched_decide(struct platter_sched* dev, uint32_t time, uint32_t age_now, struct platter_sched_decision* decision);

/* Disables the interrupt (it stays disabled), collects commands, waits, and sets one bit for each collected tag in mask[0 .. 7]. With `order` and 1
 * to order_max collected, `order_tags` (room for order_max; may be a null pointer) gets their best order, and *order_cost (may be a null pointer) its
 * cost in ticks. Returns how many were collected, or a negative code: PLATTER_SCHED_BAD_SIZE for an order without an orderer, PLATTER_SCHED_BAD_VALUE
 * for cylinders beyond their range. The accelerator's mask then has the collected commands. Whether the next decision uses it stays
 * as platter_sched_set_mask() has set it. */
int platter_sched_collect(struct platter_sched* dev, const struct platter_sched_cluster* cluster, uint32_t mask[8],
                          uint8_t* order_tags, uint32_t* order_cost);
/* Lets only the commands of a mask compete, of which (entries + 31) / 32 words are read; a null pointer: all of them. The next command of the sweep
 * is picked even outside it, if none passes the guard. */
void platter_sched_set_mask(struct platter_sched* dev, const uint32_t* mask);

#ifdef __cplusplus
}
#endif

#endif
