/* SPDX-License-Identifier: Apache-2.0
 *
 * A database's simulator in small: transactions arrive as a Poisson process, compute, and read pages of a table from a
 * simulated drive. The program has its own list of events; the drive's time follows it.
 *
 *   queueing [TRANSACTIONS_PER_S]
 */
#include <math.h>
#include <platter.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMax = 4096, kPages = 4, kTransactions = 2000 };
static const double kSecond = 1e12; /* ps */

/* An event of the simulator: a transaction arrives (page 0), or has computed and reads its next page. */
typedef struct {
  int64_t at;
  int transaction;
} event;

static event events[kMax];
static int pending;
static struct {
  int64_t begin;
  int pages;
} transactions[kTransactions];

static void schedule(int64_t at, int transaction) {
  int i = pending++;
  for (; i > 0 && events[i - 1].at < at; --i) events[i] = events[i - 1];
  events[i] = (event){at, transaction};
}

static double uniform(void) { return (rand() + 1.0) / (RAND_MAX + 2.0); }
static int64_t exponential(double mean_s) { return (int64_t)(-log(uniform()) * mean_s * kSecond); }

static void must(int code) {
  if (code == PLATTER_OK) return;
  fprintf(stderr, "queueing: %s\n", platter_error());
  exit(1);
}

int main(int argc, char** argv) {
  const double rate = argc > 1 ? atof(argv[1]) : 20;
  platter_device* disk;
  must(platter_create("format = 1\ndrive = \"atlas10k\"\npolicy = \"SPTF\"\n", "disk", NULL, &disk));
  const uint64_t pages = platter_blocks(disk) / 16;
  srand(1);
  int arrived = 0, ended = 0;
  double sum = 0;
  schedule(exponential(1 / rate), arrived++);
  while (ended < kTransactions) {
    /* The drive runs until the next event, or until one of its requests has completed. */
    must(platter_run(pending > 0 ? events[pending - 1].at : PLATTER_FOREVER));
    platter_completion done;
    if (platter_next(&done)) {
      const int t = (int)done.cookie;
      if (++transactions[t].pages == kPages) {
        sum += (double)(platter_now() - transactions[t].begin);
        ++ended;
      } else {
        schedule(platter_now() + exponential(0.002), t); /* it computes */
      }
      continue;
    }
    const event next = events[--pending];
    if (transactions[next.transaction].pages == 0) {
      transactions[next.transaction].begin = next.at;
      if (arrived < kTransactions) schedule(next.at + exponential(1 / rate), arrived++);
    }
    platter_request read;
    platter_request_init(&read);
    read.block = (uint64_t)(uniform() * (double)pages) * 16;
    read.blocks = 16;
    read.cookie = (uint64_t)next.transaction;
    must(platter_submit(disk, &read, NULL));
  }
  printf("%d transactions of %d pages, mean %.2f ms\n", ended, kPages, sum / ended * 1e-9);
  return 0;
}
