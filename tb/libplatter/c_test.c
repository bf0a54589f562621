/* SPDX-License-Identifier: Apache-2.0
 *
 * A program in C with libplatter:  c_test FOLDER. It prints what is wrong, and ends with 1. */
#include <platter.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;
#define CHECK(condition)                                                                                                  \
  ((condition) ? (void)0                                                                                                  \
               : (++wrong, (void)fprintf(stderr, "%s:%d: %s; the last error is \"%s\"\n", __FILE__, __LINE__, #condition, \
                                         platter_error())))
#define MUST(call) CHECK((call) == PLATTER_OK)

static const char kDrive[] = "format = 1\ndrive = \"atlas10k\"\npolicy = \"SPTF\"\n";
static const char kSlow[] =
    "format = 1\n[drive]\nfile = \"atlas10k\"\nport.token_rate_bytes_per_s = 4096\nport.token_depth_bytes = 4096\nqueue.depth "
    "= 16\n";
static const int64_t kMillisecond = 1000000000;

static uint64_t state = 7;
static uint64_t drawn(uint64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 24) % below;
}

static platter_request request_of(int operation, uint64_t block, uint32_t blocks, void* data) {
  platter_request request;
  platter_request_init(&request);
  request.operation = operation;
  request.block = block;
  request.blocks = blocks;
  request.data = data;
  return request;
}

static void bad_input(void) {
  platter_device* none = NULL;
  CHECK(platter_create("format = 1\ndrive = \"atlas10k\"\npolcy = \"SPTF\"\n", "mine", NULL, &none) == PLATTER_BAD_INPUT);
  CHECK(strstr(platter_error(), "mine:3") != NULL && strstr(platter_error(), "policy") != NULL);
  CHECK(none == NULL);
  CHECK(platter_create("format = 1\ndrive = ", "mine", NULL, &none) == PLATTER_BAD_INPUT);
  CHECK(platter_create(NULL, "mine", NULL, &none) == PLATTER_BAD_ARGUMENT);
  CHECK(platter_create_from_file("/nowhere.toml", NULL, NULL, &none) == PLATTER_BAD_INPUT);
  CHECK(platter_create("format = 1\ndrive = \"atlas10k\"\n[host]\nkind = \"media-server\"\n", "mine", NULL, &none) ==
        PLATTER_BAD_INPUT);
  /* RTL that is not built in is refused before it is compiled, and what follows goes on. */
  CHECK(platter_create("format = 1\ndrive = \"wd22tb\"\nengine = \"rtl\"\n", "mine", NULL, &none) == PLATTER_BAD_INPUT);
  CHECK(none == NULL && strstr(platter_error(), "mine:3:10: engine: the RTL of ") == platter_error());
  platter_request_init(NULL);
  CHECK(platter_next(NULL) == 0);
}

static void bad_requests(platter_device* disk) {
  const uint64_t blocks = platter_blocks(disk);
  platter_request request = request_of(PLATTER_READ, blocks, 1, NULL);
  CHECK(platter_submit(disk, &request, NULL) == PLATTER_BAD_ARGUMENT);
  request = request_of(PLATTER_READ, blocks - 1, 2, NULL);
  CHECK(platter_submit(disk, &request, NULL) == PLATTER_BAD_ARGUMENT);
  request = request_of(PLATTER_READ, 0, 0, NULL);
  CHECK(platter_submit(disk, &request, NULL) == PLATTER_BAD_ARGUMENT);
  request = request_of(9, 0, 1, NULL);
  CHECK(platter_submit(disk, &request, NULL) == PLATTER_BAD_ARGUMENT);
  request = request_of(PLATTER_READ, 0, 1, NULL);
  request.cls = 3;
  CHECK(platter_submit(disk, &request, NULL) == PLATTER_BAD_ARGUMENT);
  request.cls = PLATTER_DISCRETE;
  request.deadline = -1;
  CHECK(platter_submit(disk, &request, NULL) == PLATTER_BAD_ARGUMENT);
  request.deadline = PLATTER_FOREVER;
  request.size = 8;
  CHECK(platter_submit(disk, &request, NULL) == PLATTER_BAD_ARGUMENT);
  CHECK(platter_submit(NULL, &request, NULL) == PLATTER_BAD_ARGUMENT);
}

/* Completions up to `count`, each of which must be whole. */
static void take(int count, platter_completion* last) {
  int64_t before = 0;
  for (int taken = 0; taken < count;) {
    MUST(platter_run(PLATTER_FOREVER));
    if (!platter_next(last)) {
      CHECK(taken == count);
      return;
    }
    ++taken;
    CHECK(last->completed >= before && last->completed == platter_now());
    CHECK(last->status != PLATTER_GOOD ||
          last->queue + last->overhead + last->seek + last->settle + last->rotation + last->transfer + last->bus ==
              last->completed - last->issued);
    before = last->completed;
  }
}

static void bytes(platter_device* disk) {
  static unsigned char out[8 * 512], in[8 * 512];
  platter_completion done;
  for (size_t i = 0; i < sizeof out; ++i) out[i] = (unsigned char)(i * 7);
  platter_request request = request_of(PLATTER_WRITE, 1000, 8, out);
  MUST(platter_submit(disk, &request, NULL));
  memset(out, 0, sizeof out); /* the library has a copy */
  take(1, &done);
  request = request_of(PLATTER_READ, 1000, 8, in);
  request.cookie = 99;
  uint64_t number = 0;
  MUST(platter_submit(disk, &request, &number));
  take(1, &done);
  CHECK(done.status == PLATTER_GOOD && done.cookie == 99 && done.request == number && done.device == disk);
  for (size_t i = 0; i < sizeof in; ++i) CHECK(in[i] == (unsigned char)(i * 7));
  /* A read without bytes leaves none; a flush has no block. */
  request = request_of(PLATTER_FLUSH, 0, 0, NULL);
  MUST(platter_submit(disk, &request, NULL));
  take(1, &done);
  CHECK(done.status == PLATTER_GOOD && done.operation == PLATTER_FLUSH);
}

/* More than the queue holds, of which some are withdrawn. */
static void many(platter_device* disk) {
  enum { kMany = 100 };
  uint64_t numbers[kMany];
  const uint64_t blocks = platter_blocks(disk);
  for (int i = 0; i < kMany; ++i) {
    platter_request request = request_of(PLATTER_READ, drawn(blocks / 8) * 8, 8, NULL);
    MUST(platter_submit(disk, &request, &numbers[i]));
  }
  int cancelled = 0, yes;
  platter_completion done;
  MUST(platter_cancel(disk, numbers[kMany - 1], &yes)); /* waits in the library */
  CHECK(yes == 1);
  CHECK(platter_next(&done) == 1 && done.status == PLATTER_ABORTED && done.request == numbers[kMany - 1]);
  take(1, &done);
  for (int i = 0; i < kMany - 1; ++i) {
    MUST(platter_cancel(disk, numbers[i], &yes)); /* one is under way, one has ended */
    cancelled += yes;
  }
  CHECK(cancelled == kMany - 3);
  int good = 0, aborted = 0;
  while (MUST(platter_run(PLATTER_FOREVER)), platter_next(&done)) {
    good += done.status == PLATTER_GOOD;
    aborted += done.status == PLATTER_ABORTED;
  }
  CHECK(good == 1 && aborted == kMany - 3);
  CHECK(strcmp(platter_status_text(PLATTER_ABORTED), "aborted") == 0);
}

/* With a bucket of one token: more requests than there are tags, before the drive knows one, and while one has passed and one is at its port. */
static void cancel_before_the_drive(platter_device* slow) {
  enum { kAll = 16 + 6 };
  uint64_t numbers[kAll];
  platter_completion done;
  for (int first = 0; first < 2; ++first) {
    for (int i = 0; i < kAll; ++i) {
      const platter_request request = request_of(PLATTER_WRITE, 8 * (uint64_t)i, 8, NULL);
      MUST(platter_submit(slow, &request, &numbers[i]));
    }
    if (first == 1) take(1, &done);
    for (int i = kAll - 1, yes = 0; i >= first; --i) {
      MUST(platter_cancel(slow, numbers[i], &yes));
      CHECK(yes == 1);
    }
    for (int i = first; i < kAll; ++i) {
      take(1, &done);
      CHECK(done.status == PLATTER_ABORTED && done.queue == done.completed - done.issued && done.completed == platter_now());
    }
    MUST(platter_run(PLATTER_FOREVER));
    CHECK(platter_next(&done) == 0);
  }
}

/* A closed loop, once by platter_next() and once by a callback: the same times. */
static platter_device* loop_disk;
static int loop_left, loop_depth;
static int64_t loop_sum, loop_last;
static void issue_one(void) {
  platter_request request = request_of(PLATTER_READ, drawn(platter_blocks(loop_disk) / 8) * 8, 8, NULL);
  MUST(platter_submit(loop_disk, &request, NULL));
}
/* What a callback must not call. */
static void refused_within_a_callback(void) {
  platter_device* none = NULL;
  const char* json = NULL;
  CHECK(platter_run(PLATTER_FOREVER) == PLATTER_BAD_STATE);
  CHECK(platter_create(kDrive, "within", NULL, &none) == PLATTER_BAD_STATE && none == NULL);
  CHECK(platter_on_completion(loop_disk, NULL, NULL) == PLATTER_BAD_STATE);
  CHECK(platter_cut_power(loop_disk) == PLATTER_BAD_STATE && platter_restore_power(loop_disk) == PLATTER_BAD_STATE);
  CHECK(platter_power_image(loop_disk, 0, "/nowhere/image") == PLATTER_BAD_STATE);
  CHECK(platter_statistics(loop_disk, &json) == PLATTER_BAD_STATE && json == NULL);
  CHECK(platter_waves_begin(loop_disk, "/nowhere/waves.fst") == PLATTER_BAD_STATE);
  CHECK(platter_waves_end(loop_disk) == PLATTER_BAD_STATE);
  platter_destroy(loop_disk);
  CHECK(platter_blocks(loop_disk) > 0); /* it is still there */
}
static void ended(const platter_completion* done, void* context) {
  CHECK(context == &loop_left);
  if (loop_left % 100 == 0) refused_within_a_callback();
  loop_sum += done->completed - done->issued;
  loop_last = done->completed;
  if (loop_left-- > 0) issue_one();
}
static void loop(int by_callback) {
  const int64_t begin = platter_now();
  state = 5;
  loop_left = 300 - loop_depth;
  loop_sum = 0;
  MUST(platter_on_completion(loop_disk, by_callback ? ended : NULL, &loop_left));
  for (int i = 0; i < loop_depth; ++i) issue_one();
  if (by_callback) {
    MUST(platter_run(PLATTER_FOREVER));
  } else {
    platter_completion done;
    while (MUST(platter_run(PLATTER_FOREVER)), platter_next(&done)) {
      loop_sum += done.completed - done.issued;
      loop_last = done.completed;
      if (loop_left-- > 0) issue_one();
    }
  }
  MUST(platter_on_completion(loop_disk, NULL, NULL));
  loop_last -= begin;
}

/* platter_cancel() calls the callback of a request that waits in the library. */
static void withdrawn(const platter_completion* done, void* context) {
  CHECK(done->status == PLATTER_ABORTED);
  refused_within_a_callback();
  ++*(int*)context;
}
static void cancel_by_callback(platter_device* disk) {
  uint64_t last = 0;
  int calls = 0, yes = 0;
  platter_completion done;
  for (int i = 0; i < 100; ++i) {
    platter_request request = request_of(PLATTER_READ, (uint64_t)i * 8, 8, NULL);
    MUST(platter_submit(disk, &request, &last));
  }
  loop_disk = disk;
  MUST(platter_on_completion(disk, withdrawn, &calls));
  MUST(platter_cancel(disk, last, &yes));
  MUST(platter_on_completion(disk, NULL, NULL));
  CHECK(yes == 1 && calls == 1);
  MUST(platter_cancel(disk, last, &yes));
  CHECK(yes == 0); /* it is not outstanding any more */
  take(99, &done);
}

/* While a completion has not been taken, no time passes; platter_destroy() drops those of its device. */
static void completions_that_are_not_taken(platter_device* disk, platter_device* other) {
  platter_completion done;
  platter_request request = request_of(PLATTER_READ, 80, 8, NULL);
  MUST(platter_submit(disk, &request, NULL));
  MUST(platter_submit(other, &request, NULL));
  MUST(platter_run(PLATTER_FOREVER));
  const int64_t now = platter_now();
  MUST(platter_run(now + kMillisecond));
  CHECK(platter_now() == now);
  CHECK(platter_next(&done) == 1);
  MUST(platter_run(PLATTER_FOREVER));
  platter_destroy(other);
  CHECK(platter_blocks(other) == 0 && platter_block_bytes(NULL) == 0);
  while (platter_next(&done)) CHECK(done.device == disk);
  request = request_of(PLATTER_READ, 80, 8, NULL);
  CHECK(platter_submit(other, &request, NULL) == PLATTER_BAD_ARGUMENT);
}

/* A copy of the process in mid-run goes on as the original does. */
static void copies(platter_device* disk) {
  loop_disk = disk;
  loop_depth = 16;
  int ends[2];
  CHECK(pipe(ends) == 0);
  state = 11;
  for (int i = 0; i < loop_depth; ++i) issue_one();
  platter_completion done;
  take(5, &done);
  const pid_t child = fork();
  const int here = child != 0;
  int64_t sum = 0;
  for (int i = 0; i < 200; ++i) {
    issue_one();
    MUST(platter_run(PLATTER_FOREVER));
    CHECK(platter_next(&done));
    sum += done.completed;
  }
  if (!here) {
    const ssize_t written = write(ends[1], &sum, sizeof sum);
    _exit(written == (ssize_t)sizeof sum && wrong == 0 ? 0 : 1);
  }
  int64_t other = 0;
  int status = 1;
  CHECK(read(ends[0], &other, sizeof other) == (ssize_t)sizeof other && other == sum);
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  while (MUST(platter_run(PLATTER_FOREVER)), platter_next(&done)) continue;
}

static void power(platter_device* disk, const char* folder) {
  char path[500];
  platter_completion done;
  snprintf(path, sizeof path, "%s/lost.img", folder);
  MUST(platter_power_image(disk, 0, path));
  CHECK(access(path, R_OK) == 0);
  CHECK(platter_power_image(disk, 0, path) == PLATTER_BAD_ARGUMENT); /* it exists */
  CHECK(platter_power_image(disk, 1, path) == PLATTER_BAD_ARGUMENT);
  platter_request request = request_of(PLATTER_READ, 8, 8, NULL);
  MUST(platter_submit(disk, &request, NULL));
  MUST(platter_run(platter_now() + kMillisecond / 10));
  MUST(platter_cut_power(disk));
  take(1, &done);
  CHECK(done.status == PLATTER_DRIVE_FAILED && strcmp(platter_status_text(done.status), "the drive has failed") == 0);
  CHECK(strcmp(platter_status_text(PLATTER_WRITE_FAULT), "a sector cannot be written") == 0);
  CHECK(strcmp(platter_status_text(200), "?") == 0);
  MUST(platter_restore_power(disk));
  MUST(platter_submit(disk, &request, NULL));
  take(1, &done);
  CHECK(done.status == PLATTER_GOOD);
}

static void* elsewhere(void* disk) {
  platter_request request = request_of(PLATTER_READ, 0, 1, NULL);
  platter_completion done;
  CHECK(platter_submit(disk, &request, NULL) == PLATTER_BAD_STATE);
  CHECK(platter_next(&done) == 0 && strstr(platter_error(), "another thread") != NULL);
  return NULL;
}

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : ".";
  char path[500];
  platter_device *disk = NULL, *twin = NULL, *array = NULL, *late = NULL, *slow = NULL;
  CHECK(platter_abi() == PLATTER_ABI && strlen(platter_version()) >= 5);
  bad_input();
  snprintf(path, sizeof path, "%s/disk.img", folder);
  MUST(platter_create(kDrive, "disk", path, &disk));
  MUST(platter_create(kDrive, "twin", NULL, &twin));
  MUST(platter_create(
      "format = 1\ndrive = \"atlas10k\"\n[host]\nkind = \"array\"\n[array]\nkind = \"striped\"\ndrives = 2\ncopies = 2\n",
      "array", NULL, &array));
  MUST(platter_create(kSlow, "slow", NULL, &slow));
  if (disk == NULL || twin == NULL || array == NULL || slow == NULL) return 1;
  CHECK(platter_block_bytes(disk) == 512 && platter_blocks(disk) == platter_blocks(twin) && platter_blocks(array) > 0);
  snprintf(path, sizeof path, "%s/waves.fst", folder);
  const int waves = platter_waves_begin(twin, path) == PLATTER_OK;
  if (waves) CHECK(platter_waves_begin(twin, path) == PLATTER_BAD_ARGUMENT);
  bad_requests(disk);
  bytes(disk);
  CHECK(platter_create(kDrive, "late", NULL, &late) == PLATTER_BAD_STATE && late == NULL);
  CHECK(platter_run(0) == PLATTER_BAD_ARGUMENT);
  const int64_t later = platter_now() + 5 * kMillisecond;
  MUST(platter_run(later));
  CHECK(platter_now() == later);
  bytes(array);
  uint64_t number;
  platter_request request = request_of(PLATTER_READ, 0, 1, NULL);
  MUST(platter_submit(array, &request, &number));
  CHECK(platter_cancel(array, number, NULL) == PLATTER_BAD_ARGUMENT);
  platter_completion done;
  take(1, &done);
  many(disk);
  cancel_before_the_drive(slow);
  cancel_by_callback(disk);
  loop_disk = twin;
  loop_depth = 8;
  loop(0);
  const int64_t sum = loop_sum, last = loop_last;
  CHECK(sum > 0);
  loop_disk = twin;
  loop(1);
  /* The arm and the angle at the start differ, so the times agree in the mean only. */
  CHECK(llabs(loop_sum - sum) < sum / 20 && llabs(loop_last - last) < last / 20);
  copies(disk);
  power(disk, folder);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, elsewhere, disk) == 0 && pthread_join(thread, NULL) == 0);
  const char* json = NULL;
  MUST(platter_statistics(disk, &json));
  CHECK(json != NULL && strstr(json, "\"discrete\"") != NULL);
  if (waves) {
    MUST(platter_waves_end(twin));
    CHECK(access(path, R_OK) == 0);
    CHECK(platter_waves_end(twin) == PLATTER_BAD_ARGUMENT); /* and the simulation goes on */
  }
  completions_that_are_not_taken(disk, twin);
  if (wrong == 0) puts("all is well");
  return wrong != 0;
}
