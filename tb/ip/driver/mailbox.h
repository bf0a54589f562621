/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What driver_sim puts into the memory of the RV32 core, and what the firmware leaves there. All members are of 32 bits, so that both compilers lay
 * it out alike.
 */
#ifndef PLATTER_MAILBOX_H
#define PLATTER_MAILBOX_H

#include <stdint.h>

enum {
  MAILBOX_ADDRESS = 0x100000,
  MAILBOX_STACK = 0x7F0000,
  MAILBOX_DEVICE = 0x40000000,
  MAILBOX_CELLS = 448,
  MAILBOX_SEGMENTS = 512,
  MAILBOX_STEPS = 4096
};

enum mailbox_kind {
  STEP_INSERT,      /* tag, place ... age */
  STEP_REMOVE,      /* tag */
  STEP_DECIDE,      /* time, age; ends by the interrupt, and the command picked is served */
  STEP_DECIDE_LATE, /* the same, the interrupt enabled when the decision has begun */
  STEP_POLL,        /* the same without the interrupt */
  STEP_COLLECT,     /* number: most commands; place[0]: from; transfer: span; cls: bits of struct platter_sched_cluster */
  STEP_GUARD,       /* tag: on; time: reserve */
  STEP_SWEEP,       /* tag: bit 0 down, bit 1 next only */
  STEP_MASK,        /* tag: on, with the mask that was collected last */
  STEP_HEAD,        /* place[0 .. 1], write */
  STEP_AGEING,      /* time: scale; age: cap; transfer: defer; tag: defer continuous commands */
  STEP_AHEAD,       /* tag: most; cls: depth; time: shares, a byte each */
  STEP_GRACE,       /* time */
  STEP_REST         /* tag: charge the rest */
};

struct mailbox_step {
  uint32_t kind, tag, place[3], end[3], write, cls, transfer, deadline, age, time, limit_kind, limit, rest;
};

struct mailbox_answer {
  uint32_t code, tag, key, refused, forced; /* code: what the driver returned */
  uint32_t expired;                         /* of a decision */
  uint32_t mask[8], order[3], cost;
};

struct mailbox {
  uint32_t timing[10];
  uint32_t cell[MAILBOX_CELLS][4];
  uint32_t segment[MAILBOX_SEGMENTS][2];
  uint32_t segments;
  uint32_t steps;
  struct mailbox_step step[MAILBOX_STEPS];
  struct mailbox_answer answer[MAILBOX_STEPS];
  uint32_t interrupts; /* that the handler has taken */
  uint32_t others;     /* that were not the accelerator's */
  uint32_t entries, lanes, order_max, features, loaded;
};

#endif
