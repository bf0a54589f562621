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

  const struct platter_sched_cluster cluster = {.max = 513, .discrete = true};
  uint32_t mask[8];
  platter_sched_collect(dev, &cluster, mask, 0, 0);
  expect("platter_sched_collect", 15, (int)(registers[PLATTER_SCHED_CLUSTER / 4] >> PLATTER_SCHED_CLUSTER_MAX_LSB & 511u), 32,
         registers);
}

int main(void) {
  for (uint32_t features = 0; features < 16; ++features) {
    memset(registers, 0, sizeof registers);
    put(PLATTER_SCHED_ID, PLATTER_SCHED_ID_VALUE);
    version(PLATTER_SCHED_MAP_MAJOR, PLATTER_SCHED_MAP_MINOR);
    put(PLATTER_SCHED_PARAMS, 32u << PLATTER_SCHED_PARAMS_ENTRIES_LSB | 16u << PLATTER_SCHED_PARAMS_ANGLE_W_LSB);
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
      late_interrupt(&dev);
      put(PLATTER_SCHED_STATUS, 0);
    }
    memcpy(before, registers, sizeof before);
    expect("platter_sched_expired", features, platter_sched_expired(&dev),
           features & PLATTER_SCHED_LIMITS ? PLATTER_SCHED_EMPTY : PLATTER_SCHED_NO_FEATURE, before);
  }
  struct platter_sched dev;
  for (uint32_t major = PLATTER_SCHED_MAP_MAJOR - 1; major <= PLATTER_SCHED_MAP_MAJOR + 1; ++major)
    for (uint32_t minor = PLATTER_SCHED_MAP_MINOR - 1; minor <= PLATTER_SCHED_MAP_MINOR + 1; ++minor) {
      version(major, minor);
      const int known = major == PLATTER_SCHED_MAP_MAJOR && minor >= PLATTER_SCHED_MAP_MINOR;
      expect("platter_sched_init", 15, platter_sched_init(&dev, registers), known ? PLATTER_SCHED_OK : PLATTER_SCHED_NO_DEVICE,
             registers);
    }
  return wrong;
}
