/* SPDX-License-Identifier: Apache-2.0
 *
 * Platter as a library for C: simulated disks, to which a program sends requests in simulated time.
 * docs/reference/c_library.md is its page.
 *
 * All devices of a process share one simulated time. Create them before the first platter_run(), and call all functions
 * from one thread. A process cannot start a second simulation, but a copy of it by fork() continues on its own.
 *
 * Times are absolute simulated times in picoseconds, from 0. Functions return a code; platter_error() has the text of
 * the last one that was not PLATTER_OK.
 */
#ifndef PLATTER_H
#define PLATTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The interface. It changes only if a program must be compiled again. */
#define PLATTER_ABI 1

/* An absolute time that is never reached: no deadline, or "until the last request has completed". */
#define PLATTER_FOREVER INT64_MAX

/* What a function returns. */
enum {
  PLATTER_OK = 0,
  PLATTER_BAD_INPUT = 1,    /* a configuration or a file: the text has file, line, key and what was expected */
  PLATTER_BAD_ARGUMENT = 2, /* a value that a function does not take */
  PLATTER_BAD_STATE = 3,    /* a device after the first run, another thread, a call from within a callback */
  PLATTER_FAILED = 4        /* the simulation stopped, for example by a mismatch in lock-step */
};

/* What a request does. */
enum { PLATTER_READ = 0, PLATTER_WRITE = 1, PLATTER_FLUSH = 2 };

/* Classes of requests. */
enum { PLATTER_DISCRETE = 0, PLATTER_CONTINUOUS = 1, PLATTER_BACKGROUND = 2 };

/* A disk, or an array of disks. */
typedef struct platter_device platter_device;

typedef struct platter_request {
  size_t size;      /* sizeof(platter_request); set by platter_request_init() */
  int operation;    /* PLATTER_READ, PLATTER_WRITE, PLATTER_FLUSH */
  int cls;          /* class of the request; PLATTER_DISCRETE */
  uint64_t block;   /* first block; 0 for a flush */
  uint32_t blocks;  /* number of blocks; 0 for a flush */
  uint32_t stream;  /* number of the stream of a continuous request; 0 */
  int64_t deadline; /* absolute time in ps; PLATTER_FOREVER */
  int fua;          /* 1: a write completes when it is on the media; 0 */
  void* data;       /* blocks * platter_block_bytes() bytes; a read writes them when it completes, a write is copied by
                           platter_submit(). NULL: times only */
  uint64_t cookie;  /* comes back with the completion */
} platter_request;

/* Statuses of a completion besides 0 are errors; platter_status_text() has their texts. */
enum { PLATTER_GOOD = 0, PLATTER_ABORTED = 10, PLATTER_UNREADABLE = 11 };

typedef struct platter_completion {
  platter_device* device;
  uint64_t request;  /* number that platter_submit() gave */
  uint64_t cookie;   /* of the request */
  int status;        /* PLATTER_GOOD, or why it failed */
  int operation;     /* of the request */
  int64_t issued;    /* time of platter_submit() */
  int64_t started;   /* the drive has decided for it; 0 for a request of the buffer, or a failed one */
  int64_t completed; /* time of the response */
  /* Where the time from `issued` to `completed` went, in ps: */
  int64_t queue, overhead, seek, settle, rotation, transfer, bus;
  uint64_t first_bad; /* with PLATTER_UNREADABLE: the first block that cannot be read */
} platter_completion;

/* Called when a request completes, within platter_run(). It may call platter_submit(), platter_cancel() and platter_now(). */
typedef void (*platter_callback)(const platter_completion* completion, void* context);

/* PLATTER_ABI of the library. */
int platter_abi(void);
/* "MAJOR.MINOR.PATCH". */
const char* platter_version(void);
/* Text of the last error, in this process. Valid until the next call that fails. */
const char* platter_error(void);
/* A few words for a status. */
const char* platter_status_text(int status);

/* Makes a device of a scenario: the text of a TOML file (docs/reference/configuration.md), as `format = 1\ndrive = "wd22tb"\npolicy = "SPTF"`.
 * Its host is a drive or an array; its load counts for nothing. `name`: for messages, and of the device in waves.
 * `disk`: file that keeps the contents of the drive (docs/reference/power_loss.md), or NULL; only for one drive. */
int platter_create(const char* scenario, const char* name, const char* disk, platter_device** device);
/* The same with the scenario in a file. */
int platter_create_from_file(const char* path, const char* name, const char* disk, platter_device** device);
/* Frees the device's contents; not within a callback. Its requests that have not completed get no completion. It takes part in the simulation
 * until the process ends. */
void platter_destroy(platter_device* device);

/* Bytes of a block, and number of blocks. */
uint32_t platter_block_bytes(const platter_device* device);
uint64_t platter_blocks(const platter_device* device);

/* Sets a request to a discrete read of one block without a deadline and without data. */
void platter_request_init(platter_request* request);
/* Issues a request now. Any number may be outstanding: those for which the drive has no tag wait in the library, in their
 * order. `number`: of the request, from 1; may be NULL. */
int platter_submit(platter_device* device, const platter_request* request, uint64_t* number);
/* Withdraws a request that waits. It completes with PLATTER_ABORTED; one whose access has begun completes normally.
 * `cancelled`: 1 or 0; may be NULL. Not for an array. */
int platter_cancel(platter_device* device, uint64_t number, int* cancelled);

/* The present time. */
int64_t platter_now(void);
/* Simulates until the time `until`, or until a request has completed for which there is no callback, whichever comes first.
 * With PLATTER_FOREVER it ends, at the latest, when no request of any device is outstanding. */
int platter_run(int64_t until);
/* Takes the oldest completion that platter_run() has left. Returns 1, or 0 if there is none, or in another thread. */
int platter_next(platter_completion* completion);
/* Completions of this device go to `callback` at once. NULL: to platter_next() again. */
int platter_on_completion(platter_device* device, platter_callback callback, void* context);

/* The power of a device fails now, with what this means for its contents (docs/reference/power_loss.md), and returns. */
int platter_cut_power(platter_device* device);
int platter_restore_power(platter_device* device);
/* Writes what drive `drive` of the device would hold if its power failed now into a new disk file. */
int platter_power_image(platter_device* device, uint32_t drive, const char* path);

/* Statistics of all requests so far, as JSON (docs/reference/statistics.md). Valid until the next call for this device. */
int platter_statistics(platter_device* device, const char** json);

/* Records waves of the device into an FST file, until platter_waves_end() or the end of the scenario's window `waves.to_s`.
 * To be called before the first platter_run(), of a device whose engine is no RTL. */
int platter_waves_begin(platter_device* device, const char* path);
/* Completes the file. */
int platter_waves_end(platter_device* device);

#ifdef __cplusplus
}
#endif

#endif
