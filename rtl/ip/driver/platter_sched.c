/* SPDX-License-Identifier: Apache-2.0 */
#include "platter_sched.h"

#define LSB(name) PLATTER_SCHED_##name##_LSB
#define GET(value, name) (((value) >> PLATTER_SCHED_##name##_LSB) & ((1u << PLATTER_SCHED_##name##_WIDTH) - 1u))
#define PUT(value, name) (((uint32_t)(value) & ((1u << PLATTER_SCHED_##name##_WIDTH) - 1u)) << PLATTER_SCHED_##name##_LSB)

static void set_ctrl(struct platter_sched* dev, uint32_t lsb, bool value) {
  const uint32_t ctrl = (dev->ctrl & ~(1u << lsb)) | (uint32_t)value << lsb;
  /* Writing CTRL makes the sums of the sweep stale, which costs cycles. */
  if (ctrl == dev->ctrl) return;
  /* The write may raise the interrupt at once, by an operation that has ended, and until it has ended an interrupt that is disabled may be
   * raised: the handler takes it in both cases. */
  dev->ctrl |= ctrl;
  platter_sched_write(dev, PLATTER_SCHED_CTRL, ctrl);
  dev->ctrl = ctrl;
}

/* More than this many bits, which are less than 32 or all; of two's complement. */
static bool beyond(uint32_t value, uint32_t bits) { return bits < 32 && value >> bits != 0; }
static bool beyond_signed(int32_t value, uint32_t bits) {
  return value < -((int32_t)1 << (bits - 1)) || value >= (int32_t)1 << (bits - 1);
}

static bool in_use(const struct platter_sched* dev, uint32_t tag) {
  return tag < dev->entries && (dev->in_use[tag / 32] >> tag % 32 & 1u) != 0;
}

int platter_sched_init(struct platter_sched* dev, volatile uint32_t* base) {
  dev->base = base;
  if (platter_sched_read(dev, PLATTER_SCHED_ID) != PLATTER_SCHED_ID_VALUE) return PLATTER_SCHED_NO_DEVICE;
  const uint32_t version = platter_sched_read(dev, PLATTER_SCHED_VERSION);
  const uint32_t oldest = PUT(PLATTER_SCHED_MAP_MAJOR, VERSION_MAJOR) | PUT(PLATTER_SCHED_MAP_MINOR, VERSION_MINOR);
  if (GET(version, VERSION_MAJOR) != PLATTER_SCHED_MAP_MAJOR || version < oldest) return PLATTER_SCHED_NO_DEVICE;
  platter_sched_write(dev, PLATTER_SCHED_CLEAR,
                      PUT(1, CLEAR_DONE) | PUT(1, CLEAR_ERROR) | PUT(1, CLEAR_COUNTERS) | PUT(1, CLEAR_SOFT_RESET));
  const uint32_t params = platter_sched_read(dev, PLATTER_SCHED_PARAMS);
  dev->entries = GET(params, PARAMS_ENTRIES);
  dev->lanes = GET(params, PARAMS_LANES);
  dev->angle_w = GET(params, PARAMS_ANGLE_W);
  dev->cyl_w = GET(params, PARAMS_CYL_W);
  dev->seg_m = GET(params, PARAMS_SEG_M);
  dev->seg_w = GET(params, PARAMS_SEG_W);
  dev->order_max = GET(platter_sched_read(dev, PLATTER_SCHED_ORDERER), ORDERER_MAX);
  dev->features = GET(platter_sched_read(dev, PLATTER_SCHED_FEATURES), FEATURES_SET);
  dev->ctrl = 0;
  for (uint32_t word = 0; word < 8; ++word) dev->in_use[word] = 0;
  return PLATTER_SCHED_OK;
}

void platter_sched_set_timing(struct platter_sched* dev, const struct platter_sched_timing* timing) {
  platter_sched_write(dev, PLATTER_SCHED_MARGIN, timing->margin);
  platter_sched_write(dev, PLATTER_SCHED_RISK, timing->risk);
  platter_sched_write(dev, PLATTER_SCHED_RISK_CHARGE, timing->risk_charge);
  platter_sched_write(dev, PLATTER_SCHED_HEAD_SWITCH, timing->head_switch);
  platter_sched_write(dev, PLATTER_SCHED_WRITE_SETTLE, PUT(timing->write_settle, WRITE_SETTLE_TICKS));
  platter_sched_write(dev, PLATTER_SCHED_OVERHEAD_RR, timing->overhead[0][0]);
  platter_sched_write(dev, PLATTER_SCHED_OVERHEAD_RW, timing->overhead[0][1]);
  platter_sched_write(dev, PLATTER_SCHED_OVERHEAD_WR, timing->overhead[1][0]);
  platter_sched_write(dev, PLATTER_SCHED_OVERHEAD_WW, timing->overhead[1][1]);
  platter_sched_write(dev, PLATTER_SCHED_DELAY, timing->delay);
}

uint32_t platter_sched_cells(const struct platter_sched* dev) { return (dev->cyl_w - dev->seg_m + 1u) << dev->seg_m; }

int platter_sched_load_seek(struct platter_sched* dev, const struct platter_sched_cell* cells, uint32_t cell_count,
                            const struct platter_sched_segment* segments, uint32_t segment_count) {
  if (cell_count != platter_sched_cells(dev) || segment_count > 1u << dev->seg_w) return PLATTER_SCHED_BAD_SIZE;
  const uint32_t place_w = dev->cyl_w - 1 - dev->seg_m < 9 ? dev->cyl_w - 1 - dev->seg_m : 9;
  for (uint32_t i = 0; i < segment_count; ++i)
    if (beyond_signed(segments[i].base, dev->angle_w + 6) || beyond_signed(segments[i].delta, dev->angle_w + 2))
      return PLATTER_SCHED_BAD_VALUE;
  for (uint32_t i = 0; i < cell_count; ++i)
    if (beyond(cells[i].group, dev->seg_w) || beyond(cells[i].last[0] | (uint32_t)cells[i].last[1] | cells[i].last[2], place_w))
      return PLATTER_SCHED_BAD_VALUE;
  platter_sched_write(dev, PLATTER_SCHED_SEEK_INDEX, 0);
  for (uint32_t i = 0; i < segment_count; ++i) {
    platter_sched_write(dev, PLATTER_SCHED_SEEK_BASE, PUT(segments[i].base, SEEK_BASE_TICKS));
    platter_sched_write(dev, PLATTER_SCHED_SEEK_DELTA, PUT(segments[i].delta, SEEK_DELTA_TICKS));
  }
  platter_sched_write(dev, PLATTER_SCHED_SEEK_CELL, 0);
  for (uint32_t i = 0; i < cell_count; ++i) {
    platter_sched_write(dev, PLATTER_SCHED_SEEK_LAST,
                        PUT(cells[i].last[0], SEEK_LAST_FIRST) | PUT(cells[i].last[1], SEEK_LAST_SECOND));
    platter_sched_write(dev, PLATTER_SCHED_SEEK_GROUP,
                        PUT(cells[i].group, SEEK_GROUP_SEGMENT) | PUT(cells[i].last[2], SEEK_GROUP_THIRD));
  }
  return PLATTER_SCHED_OK;
}

void platter_sched_set_guard(struct platter_sched* dev, bool enable, uint32_t reserve) {
  platter_sched_write(dev, PLATTER_SCHED_RESERVE, reserve);
  set_ctrl(dev, LSB(CTRL_GUARD_EN), enable);
}

void platter_sched_set_sweep(struct platter_sched* dev, bool down, bool next_only) {
  set_ctrl(dev, LSB(CTRL_SWEEP_DOWN), down);
  set_ctrl(dev, LSB(CTRL_NEXT_C_ONLY), next_only);
}

void platter_sched_enable_irq(struct platter_sched* dev, bool enable) { set_ctrl(dev, LSB(CTRL_IRQ_EN), enable); }

static bool lacks(const struct platter_sched* dev, uint32_t feature) { return (dev->features & feature) == 0; }

int platter_sched_set_ageing(struct platter_sched* dev, const struct platter_sched_ageing* ageing) {
  if (lacks(dev, PLATTER_SCHED_AGEING)) return PLATTER_SCHED_NO_FEATURE;
  /* DEFER keeps angle_w + 3 bits of what the map has. */
  if (ageing->scale >> PLATTER_SCHED_AGE_SCALE_WEIGHT_WIDTH != 0 || ageing->cap >> PLATTER_SCHED_AGE_CAP_UNITS_WIDTH != 0 ||
      ageing->defer >> (dev->angle_w + 3) != 0)
    return PLATTER_SCHED_BAD_VALUE;
  platter_sched_write(dev, PLATTER_SCHED_AGE_SCALE, ageing->scale);
  platter_sched_write(dev, PLATTER_SCHED_AGE_CAP, ageing->cap);
  platter_sched_write(dev, PLATTER_SCHED_DEFER, ageing->defer);
  set_ctrl(dev, LSB(CTRL_DEFER_C), ageing->defer_continuous);
  return PLATTER_SCHED_OK;
}

int platter_sched_set_look_ahead(struct platter_sched* dev, uint32_t most, uint32_t depth, const uint8_t shares[4]) {
  if (lacks(dev, PLATTER_SCHED_LOOK_AHEAD)) return PLATTER_SCHED_NO_FEATURE;
  if (most >> PLATTER_SCHED_AHEAD_MOST_WIDTH != 0 || depth > 4) return PLATTER_SCHED_BAD_VALUE;
  if (most != 0 && (depth == 0 || shares == 0)) return PLATTER_SCHED_BAD_VALUE;
  if (shares != 0)
    platter_sched_write(dev, PLATTER_SCHED_AHEAD_SHARE,
                        PUT(shares[0], AHEAD_SHARE_FIRST) | PUT(shares[1], AHEAD_SHARE_SECOND) |
                            PUT(shares[2], AHEAD_SHARE_THIRD) | PUT(shares[3], AHEAD_SHARE_FOURTH));
  platter_sched_write(dev, PLATTER_SCHED_AHEAD, PUT(most, AHEAD_MOST) | PUT(depth, AHEAD_DEPTH));
  return PLATTER_SCHED_OK;
}

int platter_sched_set_grace(struct platter_sched* dev, uint32_t grace) {
  if (lacks(dev, PLATTER_SCHED_LIMITS)) return PLATTER_SCHED_NO_FEATURE;
  if (beyond(grace, dev->angle_w + 12)) return PLATTER_SCHED_BAD_VALUE;
  platter_sched_write(dev, PLATTER_SCHED_GRACE, grace);
  return PLATTER_SCHED_OK;
}

int platter_sched_set_rest_cost(struct platter_sched* dev, bool enable) {
  if (lacks(dev, PLATTER_SCHED_ZERO_LATENCY)) return PLATTER_SCHED_NO_FEATURE;
  set_ctrl(dev, LSB(CTRL_REST_COST), enable);
  return PLATTER_SCHED_OK;
}

int platter_sched_expired(const struct platter_sched* dev) {
  if (lacks(dev, PLATTER_SCHED_LIMITS)) return PLATTER_SCHED_NO_FEATURE;
  const uint32_t expired = platter_sched_read(dev, PLATTER_SCHED_EXPIRED);
  return GET(expired, EXPIRED_VALID) != 0 ? (int)GET(expired, EXPIRED_TAG) : PLATTER_SCHED_EMPTY;
}

int platter_sched_insert(struct platter_sched* dev, uint32_t tag, const struct platter_sched_command* command) {
  if (tag >= dev->entries || in_use(dev, tag)) return PLATTER_SCHED_BAD_TAG;
  const bool limits = !lacks(dev, PLATTER_SCHED_LIMITS), zero_latency = !lacks(dev, PLATTER_SCHED_ZERO_LATENCY);
  if ((command->limit_kind != PLATTER_SCHED_NO_LIMIT && !limits) || (command->rest != 0 && !zero_latency))
    return PLATTER_SCHED_NO_FEATURE;
  if (command->cls > PLATTER_SCHED_BACKGROUND || command->limit_kind > PLATTER_SCHED_LIMIT_KEEP ||
      beyond(command->rest, dev->angle_w))
    return PLATTER_SCHED_BAD_VALUE;
  platter_sched_write(dev, PLATTER_SCHED_E_POS,
                      PUT(command->start.cylinder, E_POS_CYL) | PUT(command->start.head, E_POS_HEAD) |
                          PUT(command->write != 0, E_POS_WRITE) | PUT(command->cls, E_POS_CLASS) |
                          PUT(command->limit_kind, E_POS_LIMIT));
  platter_sched_write(dev, PLATTER_SCHED_E_ANGLE, command->start.angle);
  platter_sched_write(dev, PLATTER_SCHED_E_END_POS,
                      PUT(command->end.cylinder, E_END_POS_CYL) | PUT(command->end.head, E_END_POS_HEAD));
  platter_sched_write(dev, PLATTER_SCHED_E_END_ANGLE, command->end.angle);
  platter_sched_write(dev, PLATTER_SCHED_E_TRANSFER, command->transfer);
  platter_sched_write(dev, PLATTER_SCHED_E_DEADLINE, command->deadline);
  platter_sched_write(dev, PLATTER_SCHED_E_AGE, command->age);
  if (limits) platter_sched_write(dev, PLATTER_SCHED_E_LIMIT, command->limit);
  if (zero_latency) platter_sched_write(dev, PLATTER_SCHED_E_REST, command->rest);
  platter_sched_write(dev, PLATTER_SCHED_INSERT, PUT(tag, INSERT_TAG));
  dev->in_use[tag / 32] |= 1u << tag % 32;
  return PLATTER_SCHED_OK;
}

static int take_out(struct platter_sched* dev, uint32_t offset, uint32_t tag) {
  if (!in_use(dev, tag)) return PLATTER_SCHED_BAD_TAG;
  platter_sched_write(dev, offset, tag);
  dev->in_use[tag / 32] &= ~(1u << tag % 32);
  return PLATTER_SCHED_OK;
}

int platter_sched_remove(struct platter_sched* dev, uint32_t tag) { return take_out(dev, PLATTER_SCHED_REMOVE, tag); }

int platter_sched_serve(struct platter_sched* dev, uint32_t tag) { return take_out(dev, PLATTER_SCHED_SERVE, tag); }

void platter_sched_set_head(struct platter_sched* dev, uint32_t cylinder, uint32_t head, bool wrote) {
  platter_sched_write(dev, PLATTER_SCHED_HEAD_POS,
                      PUT(cylinder, HEAD_POS_CYL) | PUT(head, HEAD_POS_HEAD) | PUT(wrote, HEAD_POS_WRITE));
}

void platter_sched_start(struct platter_sched* dev, uint32_t time, uint32_t age_now) {
  platter_sched_write(dev, PLATTER_SCHED_HEAD_TIME, time);
  platter_sched_write(dev, PLATTER_SCHED_AGE_NOW, age_now);
  /* The end of an earlier operation that nobody looked at is not this one's. */
  platter_sched_write(dev, PLATTER_SCHED_CLEAR, PUT(1, CLEAR_DONE));
  platter_sched_write(dev, PLATTER_SCHED_OP, PUT(0, OP_CODE));
}

bool platter_sched_done(struct platter_sched* dev) {
  if (GET(platter_sched_read(dev, PLATTER_SCHED_STATUS), STATUS_DONE) == 0) return false;
  platter_sched_write(dev, PLATTER_SCHED_CLEAR, PUT(1, CLEAR_DONE));
  return true;
}

bool platter_sched_irq(struct platter_sched* dev) { return GET(dev->ctrl, CTRL_IRQ_EN) != 0 && platter_sched_done(dev); }

int platter_sched_result(struct platter_sched* dev, struct platter_sched_decision* decision) {
  const uint32_t result = platter_sched_read(dev, PLATTER_SCHED_RESULT);
  decision->tag = GET(result, RESULT_TAG);
  decision->forced = GET(result, RESULT_FORCED) != 0;
  decision->key = (int32_t)platter_sched_read(dev, PLATTER_SCHED_RESULT_KEY);
  decision->refused = GET(platter_sched_read(dev, PLATTER_SCHED_REFUSED), REFUSED_COUNT);
  return GET(result, RESULT_VALID) != 0 ? PLATTER_SCHED_OK : PLATTER_SCHED_EMPTY;
}

/* Waits without the interrupt, whose handler would clear DONE first. */
static void wait_done(struct platter_sched* dev) {
  while (!platter_sched_done(dev)) {
  }
}

int platter_sched_decide(struct platter_sched* dev, uint32_t time, uint32_t age_now, struct platter_sched_decision* decision) {
  set_ctrl(dev, LSB(CTRL_IRQ_EN), false);
  platter_sched_start(dev, time, age_now);
  wait_done(dev);
  return platter_sched_result(dev, decision);
}

int platter_sched_collect(struct platter_sched* dev, const struct platter_sched_cluster* cluster, uint32_t mask[8],
                          uint8_t* order_tags, uint32_t* order_cost) {
  if (cluster->order && dev->order_max == 0) return PLATTER_SCHED_BAD_SIZE;
  if (beyond(cluster->from, dev->cyl_w) || beyond(cluster->span, dev->cyl_w)) return PLATTER_SCHED_BAD_VALUE;
  const uint32_t max = cluster->max < dev->entries ? cluster->max : dev->entries;
  set_ctrl(dev, LSB(CTRL_IRQ_EN), false);
  platter_sched_write(dev, PLATTER_SCHED_CLUSTER,
                      PUT(max, CLUSTER_MAX) | PUT(cluster->continuous, CLUSTER_TAKE_C) |
                          PUT(cluster->discrete, CLUSTER_TAKE_D) | PUT(cluster->stop_at_continuous, CLUSTER_STOP_AT_C) |
                          PUT(cluster->down, CLUSTER_DOWN) | PUT(cluster->order, CLUSTER_ORDER));
  platter_sched_write(dev, PLATTER_SCHED_CLUSTER_FROM, cluster->from);
  platter_sched_write(dev, PLATTER_SCHED_CLUSTER_SPAN, cluster->span);
  platter_sched_write(dev, PLATTER_SCHED_CLEAR, PUT(1, CLEAR_DONE));
  platter_sched_write(dev, PLATTER_SCHED_OP, PUT(1, OP_CODE));
  wait_done(dev);
  for (uint32_t word = 0; word < 8; ++word) mask[word] = platter_sched_read(dev, PLATTER_SCHED_MASK0 + 4 * word);
  const uint32_t outcome = platter_sched_read(dev, PLATTER_SCHED_CLUSTER_COUNT);
  const uint32_t count = GET(outcome, CLUSTER_COUNT_COUNT);
  if (GET(outcome, CLUSTER_COUNT_ORDERED) != 0 && order_tags != 0) {
    for (uint32_t i = 0; i < count; ++i)
      order_tags[i] = (uint8_t)(platter_sched_read(dev, PLATTER_SCHED_ORDER_TAGS0 + 4 * (i / 4)) >> 8 * (i % 4));
  }
  if (order_cost != 0) *order_cost = platter_sched_read(dev, PLATTER_SCHED_ORDER_COST);
  return (int)count;
}

void platter_sched_set_mask(struct platter_sched* dev, const uint32_t* mask) {
  if (mask != 0) {
    for (uint32_t word = 0; word < (dev->entries + 31) / 32; ++word)
      platter_sched_write(dev, PLATTER_SCHED_MASK0 + 4 * word, mask[word]);
  }
  set_ctrl(dev, LSB(CTRL_MASK_EN), mask != 0);
}
