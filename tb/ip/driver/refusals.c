/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver refuses: calls for an optional part that the instance lacks, settings beyond their registers. The registers are plain memory. Prints what is wrong; exit code 1 then. */
#include <stdio.h>
#include <string.h>

#include "platter_sched.h"

static uint32_t registers[1024];
static int wrong;

static void expect(const char* call, uint32_t features, int answer, int expected, const uint32_t* before) {
  if (answer != expected) {
    printf("%s of an instance with parts %u: answered %d, expected %d\n", call, (unsigned)features, answer, expected);
    wrong = 1;
  }
  if (expected < 0 && memcmp(before, registers, sizeof registers) != 0) {
    printf("%s of an instance with parts %u: refused, but registers were written\n", call, (unsigned)features);
    wrong = 1;
  }
}

static void put(uint32_t address, uint32_t value) { registers[address / 4] = value; }

static void version(uint32_t major, uint32_t minor) {
  put(PLATTER_SCHED_VERSION, major << PLATTER_SCHED_VERSION_MAJOR_LSB | minor << PLATTER_SCHED_VERSION_MINOR_LSB);
}

/* Each number of a segment and of a cell at its limits and beyond them: nothing is loaded then. */
static void seek_table(struct platter_sched* dev) {
  static struct platter_sched_cell cells[448];
  uint32_t before[1024];
  struct platter_sched_segment segments[2] = {{0, 0}, {0, 0}};
  const int32_t bases[][2] = {{1 << 21, -1}, {(1 << 21) - 1, 0}, {-(1 << 21), 0}, {-(1 << 21) - 1, -1}};
  const int32_t deltas[][2] = {{1 << 17, -1}, {(1 << 17) - 1, 0}, {-(1 << 17), 0}, {-(1 << 17) - 1, -1}};
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned of_delta = 0; of_delta < 2; ++of_delta) {
      segments[1].base = of_delta ? 0 : bases[i][0];
      segments[1].delta = of_delta ? deltas[i][0] : 0;
      memcpy(before, registers, sizeof before);
      expect("platter_sched_load_seek, segment", 15, platter_sched_load_seek(dev, cells, 448, segments, 2),
             (of_delta ? deltas : bases)[i][1] == 0 ? PLATTER_SCHED_OK : PLATTER_SCHED_BAD_VALUE, before);
    }
  }
  segments[1].delta = 0;
  for (unsigned number = 0; number < 4; ++number) {
    for (unsigned over = 0; over < 2; ++over) {
      uint16_t* value = number == 3 ? &cells[447].group : &cells[447].last[number];
      *value = (uint16_t)(511 + over);
      memcpy(before, registers, sizeof before);
      expect("platter_sched_load_seek, cell", 15, platter_sched_load_seek(dev, cells, 448, segments, 2),
             over ? PLATTER_SCHED_BAD_VALUE : PLATTER_SCHED_OK, before);
      *value = 0;
    }
  }
  memcpy(before, registers, sizeof before);
  expect("platter_sched_load_seek, cells", 15, platter_sched_load_seek(dev, cells, 447, segments, 2), PLATTER_SCHED_BAD_SIZE,
         before);
  expect("platter_sched_load_seek, segments", 15, platter_sched_load_seek(dev, cells, 448, segments, 513),
         PLATTER_SCHED_BAD_SIZE, before);
}

/* An interrupt that is taken late does not take the end of an operation that is waited for. */
static void late_interrupt(struct platter_sched* dev) {
  put(PLATTER_SCHED_STATUS, 1u << PLATTER_SCHED_STATUS_DONE_LSB);
  platter_sched_enable_irq(dev, true);
  put(PLATTER_SCHED_CLEAR, 0);
  expect("platter_sched_irq, enabled", 15, platter_sched_irq(dev) && registers[PLATTER_SCHED_CLEAR / 4] != 0, 1, registers);
  platter_sched_enable_irq(dev, false);
  put(PLATTER_SCHED_CLEAR, 0);
  expect("platter_sched_irq, disabled", 15, platter_sched_irq(dev) || registers[PLATTER_SCHED_CLEAR / 4] != 0, 0, registers);
  expect("platter_sched_done", 15, platter_sched_done(dev) && registers[PLATTER_SCHED_CLEAR / 4] != 0, 1, registers);

  const struct platter_sched_cluster cluster = {.max = 513, .discrete = true, .from = 262143, .span = 262143};
  const struct platter_sched_cluster from = {.from = 262144}, span = {.span = 262144};
  uint32_t mask[8], before[1024];
  memcpy(before, registers, sizeof before);
  expect("platter_sched_collect, from", 15, platter_sched_collect(dev, &from, mask, 0, 0), PLATTER_SCHED_BAD_VALUE, before);
  expect("platter_sched_collect, span", 15, platter_sched_collect(dev, &span, mask, 0, 0), PLATTER_SCHED_BAD_VALUE, before);
  platter_sched_collect(dev, &cluster, mask, 0, 0);
  expect("platter_sched_collect", 15, (int)(registers[PLATTER_SCHED_CLUSTER / 4] >> PLATTER_SCHED_CLUSTER_MAX_LSB & 511u), 32,
         registers);
}

int main(void) {
  for (uint32_t features = 0; features < 16; ++features) {
    memset(registers, 0, sizeof registers);
    put(PLATTER_SCHED_ID, PLATTER_SCHED_ID_VALUE);
    version(PLATTER_SCHED_MAP_MAJOR, PLATTER_SCHED_MAP_MINOR);
    put(PLATTER_SCHED_PARAMS, 32u << PLATTER_SCHED_PARAMS_ENTRIES_LSB | 16u << PLATTER_SCHED_PARAMS_ANGLE_W_LSB |
                                  18u << PLATTER_SCHED_PARAMS_CYL_W_LSB | 5u << PLATTER_SCHED_PARAMS_SEG_M_LSB |
                                  9u << PLATTER_SCHED_PARAMS_SEG_W_LSB);
    put(PLATTER_SCHED_FEATURES, features << PLATTER_SCHED_FEATURES_SET_LSB);

    struct platter_sched dev;
    if (platter_sched_init(&dev, registers) != PLATTER_SCHED_OK) return puts("no device"), 1;

    const struct platter_sched_ageing ageing = {0};
    const uint8_t shares[4] = {0};
    const struct platter_sched_command plain = {0}, limited = {.limit_kind = PLATTER_SCHED_LIMIT_FIRST}, rested = {.rest = 1};
    uint32_t before[1024];

#define EXPECT(part, call)                                                                                              \
  do {                                                                                                                  \
    memcpy(before, registers, sizeof before);                                                                           \
    expect(#call, features, call, (features & (part)) == (part) ? PLATTER_SCHED_OK : PLATTER_SCHED_NO_FEATURE, before); \
  } while (0)
    EXPECT(PLATTER_SCHED_AGEING, platter_sched_set_ageing(&dev, &ageing));
    EXPECT(PLATTER_SCHED_LOOK_AHEAD, platter_sched_set_look_ahead(&dev, 1, 1, shares));
    EXPECT(PLATTER_SCHED_LIMITS, platter_sched_set_grace(&dev, 1));
    EXPECT(PLATTER_SCHED_ZERO_LATENCY, platter_sched_set_rest_cost(&dev, true));
    EXPECT(0u, platter_sched_insert(&dev, 0, &plain));
    EXPECT(PLATTER_SCHED_LIMITS, platter_sched_insert(&dev, 1, &limited));
    EXPECT(PLATTER_SCHED_ZERO_LATENCY, platter_sched_insert(&dev, 2, &rested));
    if (features == 15) {
#define REFUSED(call)                                               \
  do {                                                              \
    memcpy(before, registers, sizeof before);                       \
    expect(#call, features, call, PLATTER_SCHED_BAD_VALUE, before); \
  } while (0)
      const struct platter_sched_ageing most = {.scale = (1u << 18) - 1, .cap = (1u << 17) - 1, .defer = (8u << 16) - 1};
      const struct platter_sched_ageing scale = {.scale = 1u << 18}, cap = {.cap = 1u << 17}, defer = {.defer = 8u << 16};
      EXPECT(15u, platter_sched_set_ageing(&dev, &most));
      REFUSED(platter_sched_set_ageing(&dev, &scale));
      REFUSED(platter_sched_set_ageing(&dev, &cap));
      REFUSED(platter_sched_set_ageing(&dev, &defer));
      const struct platter_sched_command kind = {.limit_kind = 4}, cls = {.cls = 3};
      REFUSED(platter_sched_insert(&dev, 3, &kind));
      REFUSED(platter_sched_insert(&dev, 3, &cls));
      EXPECT(15u, platter_sched_set_look_ahead(&dev, 511, 4, shares));
      REFUSED(platter_sched_set_look_ahead(&dev, 512, 4, shares));
      REFUSED(platter_sched_set_look_ahead(&dev, 1, 5, shares));
      /* "1 to 4 accesses", "most = 0: no look-ahead", a null pointer then only */
      EXPECT(15u, platter_sched_set_look_ahead(&dev, 0, 0, 0));
      EXPECT(15u, platter_sched_set_look_ahead(&dev, 0, 4, shares));
      EXPECT(15u, platter_sched_set_look_ahead(&dev, 1, 1, shares));
      REFUSED(platter_sched_set_look_ahead(&dev, 3, 0, shares));
      REFUSED(platter_sched_set_look_ahead(&dev, 1, 1, 0));
      REFUSED(platter_sched_set_look_ahead(&dev, 0, 5, 0));
      REFUSED(platter_sched_set_look_ahead(&dev, 1u << 31, 1, shares));
      /* "At least 1 and at most 2^angle_w - 1. 0: it never does" */
      const struct platter_sched_command whole = {.rest = (1u << 16) - 1}, turn = {.rest = 1u << 16}, high = {.rest = 1u << 31};
      EXPECT(15u, platter_sched_insert(&dev, 4, &whole));
      REFUSED(platter_sched_insert(&dev, 5, &turn));
      REFUSED(platter_sched_insert(&dev, 5, &high));
      /* "Less than 4,096 turns" */
      EXPECT(15u, platter_sched_set_grace(&dev, (1u << 28) - 1));
      REFUSED(platter_sched_set_grace(&dev, 1u << 28));
      seek_table(&dev);
      late_interrupt(&dev);
      put(PLATTER_SCHED_STATUS, 0);
    }
    memcpy(before, registers, sizeof before);
    expect("platter_sched_expired", features, platter_sched_expired(&dev),
           features & PLATTER_SCHED_LIMITS ? PLATTER_SCHED_EMPTY : PLATTER_SCHED_NO_FEATURE, before);
  }
  struct platter_sched dev;
  for (uint32_t major = PLATTER_SCHED_MAP_MAJOR - 1; major <= PLATTER_SCHED_MAP_MAJOR + 1; ++major)
    for (uint32_t minor = 0; minor <= PLATTER_SCHED_MAP_MINOR + 1; ++minor) {
      version(major, minor);
      const int known = major == PLATTER_SCHED_MAP_MAJOR && minor + 1 > PLATTER_SCHED_MAP_MINOR;
      expect("platter_sched_init", 15, platter_sched_init(&dev, registers), known ? PLATTER_SCHED_OK : PLATTER_SCHED_NO_DEVICE,
             registers);
    }
  return wrong;
}
