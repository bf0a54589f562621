/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Firmware on a bare RV32IMC core with the accelerator on its bus: carries out the steps of the mailbox with the driver. Decisions end by
 * the machine's external interrupt.
 */
#include "mailbox.h"
#include "platter_sched.h"

static struct platter_sched sched;
static struct mailbox* const box = (struct mailbox*)MAILBOX_ADDRESS;
static volatile uint32_t done;

enum { MIE_MEIE = 1 << 11, MSTATUS_MIE = 1 << 3 };

__attribute__((interrupt("machine"), aligned(4))) static void handler(void) {
  if (platter_sched_irq(&sched)) {
    done = 1;
    ++box->interrupts;
  } else {
    ++box->others;
    __asm__ volatile("csrc mie, %0" ::"r"(MIE_MEIE)); /* it would come again at once */
  }
}

static void wait_for_interrupt(void) {
  for (;;) {
    /* Interrupts are off while this is read, so none comes between the read and wfi. A pending interrupt still ends wfi. */
    __asm__ volatile("csrc mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
    const uint32_t ended = done | box->others;
    if (!ended) __asm__ volatile("wfi");
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
    if (ended) return;
  }
}

static void load_seek(void) {
  static struct platter_sched_cell cells[MAILBOX_CELLS];
  static struct platter_sched_segment segments[MAILBOX_SEGMENTS];
  for (uint32_t i = 0; i < MAILBOX_CELLS; ++i) {
    cells[i].group = (uint16_t)box->cell[i][0];
    for (uint32_t k = 0; k < 3; ++k) cells[i].last[k] = (uint16_t)box->cell[i][1 + k];
  }
  for (uint32_t i = 0; i < box->segments; ++i)
    segments[i] = (struct platter_sched_segment){(int32_t)box->segment[i][0], (int32_t)box->segment[i][1]};
  /* One cell too few is an error; then all. */
  if (platter_sched_load_seek(&sched, cells, MAILBOX_CELLS - 1, segments, box->segments) != PLATTER_SCHED_BAD_SIZE) return;
  box->loaded = platter_sched_load_seek(&sched, cells, MAILBOX_CELLS, segments, box->segments) == PLATTER_SCHED_OK;
}

static void decide(const struct mailbox_step* s, struct mailbox_answer* a) {
  struct platter_sched_decision d;
  int code;
  if (s->kind == STEP_POLL) {
    code = platter_sched_decide(&sched, s->time, s->age, &d);
  } else {
    const bool late = s->kind == STEP_DECIDE_LATE;
    platter_sched_enable_irq(&sched, !late);
    done = 0;
    platter_sched_start(&sched, s->time, s->age);
    if (late) platter_sched_enable_irq(&sched, true);
    wait_for_interrupt();
    code = platter_sched_result(&sched, &d);
  }
  a->tag = d.tag;
  a->key = (uint32_t)d.key;
  a->refused = d.refused;
  a->forced = d.forced;
  a->expired = (uint32_t)platter_sched_expired(&sched);
  if (code == PLATTER_SCHED_OK) code = platter_sched_serve(&sched, d.tag);
  a->code = (uint32_t)code;
}

static void collect(const struct mailbox_step* s, struct mailbox_answer* a) {
  const struct platter_sched_cluster cluster = {.max = s->tag,
                                                .from = s->place[0],
                                                .span = s->transfer,
                                                .continuous = s->cls & 1,
                                                .discrete = s->cls >> 1 & 1,
                                                .stop_at_continuous = s->cls >> 2 & 1,
                                                .down = s->cls >> 3 & 1,
                                                .order = s->cls >> 4 & 1};
  uint8_t tags[12] = {0};
  a->code = (uint32_t)platter_sched_collect(&sched, &cluster, a->mask, tags, &a->cost);
  for (uint32_t i = 0; i < 12; ++i) a->order[i / 4] |= (uint32_t)tags[i] << 8 * (i % 4);
}

static void insert(const struct mailbox_step* s, struct mailbox_answer* a) {
  const struct platter_sched_command command = {.start = {s->place[0], s->place[1], s->place[2]},
                                                .end = {s->end[0], s->end[1], s->end[2]},
                                                .transfer = s->transfer,
                                                .deadline = s->deadline,
                                                .age = s->age,
                                                .write = (uint8_t)s->write,
                                                .cls = (uint8_t)s->cls,
                                                .limit_kind = (uint8_t)s->limit_kind,
                                                .limit = s->limit,
                                                .rest = s->rest};
  a->code = (uint32_t)platter_sched_insert(&sched, s->tag, &command);
}

static uint32_t set_ageing(const struct mailbox_step* s) {
  const struct platter_sched_ageing ageing = {
      .scale = s->time, .cap = s->age, .defer_continuous = s->tag != 0, .defer = s->transfer};
  return (uint32_t)platter_sched_set_ageing(&sched, &ageing);
}

static uint32_t set_look_ahead(const struct mailbox_step* s) {
  uint8_t shares[4];
  for (uint32_t i = 0; i < 4; ++i) shares[i] = (uint8_t)(s->time >> 8 * i);
  return (uint32_t)platter_sched_set_look_ahead(&sched, s->tag, s->cls, shares);
}

/* The entry of the program. Returns the code of platter_sched_init(). */
int run(void) {
  static uint32_t mask[8];
  /* Nothing else at this address is taken for an accelerator. */
  if (platter_sched_init(&sched, (volatile uint32_t*)MAILBOX_DEVICE + PLATTER_SCHED_CTRL / 4) != PLATTER_SCHED_NO_DEVICE)
    return 1;
  const int code = platter_sched_init(&sched, (volatile uint32_t*)MAILBOX_DEVICE);
  if (code != PLATTER_SCHED_OK) return code;
  box->entries = sched.entries;
  box->lanes = sched.lanes;
  box->order_max = sched.order_max;
  box->features = sched.features;

  __asm__ volatile("csrw mtvec, %0" ::"r"(&handler));
  __asm__ volatile("csrs mie, %0" ::"r"(MIE_MEIE));
  __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE));

  const uint32_t* t = box->timing;
  const struct platter_sched_timing timing = {t[0], t[1], t[2], t[3], (int32_t)t[4], {{t[5], t[6]}, {t[7], t[8]}}, t[9]};
  platter_sched_set_timing(&sched, &timing);
  load_seek();

  for (uint32_t i = 0; i < box->steps; ++i) {
    const struct mailbox_step* s = &box->step[i];
    struct mailbox_answer* a = &box->answer[i];
    switch (s->kind) {
      case STEP_INSERT: insert(s, a); break;
      case STEP_REMOVE: a->code = (uint32_t)platter_sched_remove(&sched, s->tag); break;
      case STEP_DECIDE:
      case STEP_DECIDE_LATE:
      case STEP_POLL: decide(s, a); break;
      case STEP_COLLECT:
        collect(s, a);
        for (uint32_t word = 0; word < 8; ++word) mask[word] = a->mask[word];
        break;
      case STEP_GUARD: platter_sched_set_guard(&sched, s->tag != 0, s->time); break;
      case STEP_SWEEP: platter_sched_set_sweep(&sched, s->tag & 1, s->tag >> 1 & 1); break;
      case STEP_MASK: platter_sched_set_mask(&sched, s->tag != 0 ? mask : 0); break;
      case STEP_HEAD: platter_sched_set_head(&sched, s->place[0], s->place[1], s->write != 0); break;
      case STEP_AGEING: a->code = set_ageing(s); break;
      case STEP_AHEAD: a->code = set_look_ahead(s); break;
      case STEP_GRACE: a->code = (uint32_t)platter_sched_set_grace(&sched, s->time); break;
      case STEP_REST: a->code = (uint32_t)platter_sched_set_rest_cost(&sched, s->tag != 0); break;
      default: return 2;
    }
  }
  return code;
}
