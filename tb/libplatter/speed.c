/* SPDX-License-Identifier: Apache-2.0
 *
 * Random reads of 4 KB in a closed loop, as `platter bench` runs them:  speed DEPTH COUNT */
#include <platter.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static platter_device* disk;
static uint64_t left, state = 1, blocks;
static void next(void) {
  platter_request r;
  platter_request_init(&r);
  state = state * 6364136223846793005u + 1442695040888963407u;
  r.block = (state >> 20) % (blocks / 8) * 8;
  r.blocks = 8;
  if (platter_submit(disk, &r, NULL) != PLATTER_OK) {
    fprintf(stderr, "%s\n", platter_error());
    exit(1);
  }
}
static void done(const platter_completion* c, void* context) {
  (void)c;
  (void)context;
  if (left > 0) {
    --left;
    next();
  }
}
int main(int argc, char** argv) {
  int depth = argc > 1 ? atoi(argv[1]) : 1;
  uint64_t count = argc > 2 ? strtoull(argv[2], 0, 10) : 100000;
  int poll = argc > 3;
  char text[200];
  snprintf(text, sizeof text, "format = 1\ndrive = \"atlas10k\"\nengine = \"firmware\"\npolicy = \"%s\"\n",
           depth == 1 ? "FCFS" : "SPTF");
  if (platter_create(text, "disk", NULL, &disk) != PLATTER_OK) {
    fprintf(stderr, "%s\n", platter_error());
    return 1;
  }
  blocks = platter_blocks(disk);
  left = count - (uint64_t)depth;
  if (!poll) platter_on_completion(disk, done, NULL);
  clock_t t0 = clock();
  for (int i = 0; i < depth; ++i) next();
  if (!poll) {
    if (platter_run(PLATTER_FOREVER) != PLATTER_OK) {
      fprintf(stderr, "%s\n", platter_error());
      return 1;
    }
  } else {
    platter_completion c;
    for (uint64_t n = 0; n < count;) {
      if (platter_run(PLATTER_FOREVER) != PLATTER_OK) {
        fprintf(stderr, "%s\n", platter_error());
        return 1;
      }
      while (platter_next(&c)) {
        ++n;
        done(&c, NULL);
      }
    }
  }
  double s = (double)(clock() - t0) / CLOCKS_PER_SEC;
  printf("%.0f requests/CPU-s, %.6f s simulated\n", (double)count / s, (double)platter_now() * 1e-12);
  return 0;
}
