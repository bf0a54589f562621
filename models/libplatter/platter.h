/* SPDX-License-Identifier: Apache-2.0
 *
 * Platter as a library for C: simulated disks, to which a program sends requests in simulated time.
 * docs/reference/c_library.md is its page.
 *
 * All devices of a process share one simulated time. Create them before the first platter_run(), and call all functions
 * from one thread. A process cannot start a second simulation, but a copy of it by fork() continues on its own.
 *
 * Times are absolute simulated times in picoseconds, from 0. Functions return a code; platter_error() has the text of
 * the last one that was not PLATTER_OK. Every function that returns a code can return PLATTER_BAD_ARGUMENT, for a null
 * pointer or a device that was destroyed, and PLATTER_BAD_STATE, from another thread. Its other codes stand beside it.
 */
#ifndef PLATTER_H
#define PLATTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of the binary interface. It increases when programs must be compiled again. platter_abi() returns that of the library. */
#define PLATTER_ABI 1

/* An absolute time that is never reached: no deadline, or "until the last request has completed". */
#define PLATTER_FOREVER INT64_MAX

/* What a function returns. */
enum {
  PLATTER_OK = 0,
  PLATTER_BAD_INPUT = 1,    /* a configuration or a file: the text has file, line, key and what was expected */
  PLATTER_BAD_ARGUMENT = 2, /* a value that a function does not take */
  PLATTER_BAD_STATE = 3,    /* a device after the first run, another thread, a call from within a callback */
  PLATTER_FAILED = 4        /* the simulation stopped, for example by a mismatch in lock-step; it cannot go on */
};

/* What a request does. */
enum { PLATTER_READ = 0, PLATTER_WRITE = 1, PLATTER_FLUSH = 2 };

/* Classes of requests: of no stream; of a stream, with a deadline; without haste (docs/reference/glossary.md#class). */
enum { PLATTER_DISCRETE = 0, PLATTER_CONTINUOUS = 1, PLATTER_BACKGROUND = 2 };

/* A disk, or an array of disks. */
typedef struct platter_device platter_device;

/* platter_request_init() sets the value in brackets. */
typedef struct platter_request {
  size_t size;     /* sizeof(platter_request), set by platter_request_init() */
  int operation;   /* PLATTER_READ, PLATTER_WRITE, PLATTER_FLUSH [PLATTER_READ] */
  int cls;         /* class of the request [PLATTER_DISCRETE] */
  uint64_t block;  /* first block; a flush ignores it [0] */
  uint32_t blocks; /* number of blocks, together at most 1 GiB; a flush ignores it [1] */
  uint32_t stream; /* number of the stream of a continuous request [0] */
  int64_t
      deadline; /* absolute time in ps by which it should complete, for policies; a late one completes too [PLATTER_FOREVER] */
  int fua;      /* 1: a write completes when it is on the media, and a read comes from there [0] */
  void* data;   /* blocks * platter_block_bytes() bytes, or NULL: times only [NULL]. Of a write, platter_submit() copies
                           them. A read that completes with PLATTER_GOOD fills them, another leaves them as they are.
                           The memory of a read must live until its completion, or until platter_destroy(). */
  uint64_t cookie; /* comes back with the completion [0] */
} platter_request;

/* Statuses of a completion besides 0 are errors. platter_status_text() has the texts of all, also of those of drives with zones (13 to 20). */
enum {
  PLATTER_GOOD = 0,
  PLATTER_DRIVE_FAILED = 8, /* for example, the power is off */
  PLATTER_NO_COPY = 9,      /* of an array: no drive that works has the data */
  PLATTER_ABORTED = 10,     /* by platter_cancel(), a fault of the scenario, or the rules of zones */
  PLATTER_UNREADABLE = 11,  /* a block cannot be read */
  PLATTER_WRITE_FAULT = 12  /* a block cannot be written */
};

typedef struct platter_completion {
  platter_device* device;
  uint64_t request;  /* number that platter_submit() gave */
  uint64_t cookie;   /* of the request */
  int status;        /* PLATTER_GOOD, or why it failed */
  int operation;     /* of the request */
  int64_t issued;    /* time of platter_submit() */
  int64_t started;   /* the drive has decided for it, or serves it from its buffer. 0 for a request that has failed. On a
                            single drive one with PLATTER_UNREADABLE or PLATTER_WRITE_FAULT has its time, too */
  int64_t completed; /* time of the response */
  /* Where the time from `issued` to `completed` went, in ps; their sum is that time (docs/reference/drive.md#timing): */
  int64_t queue, overhead, seek, settle, rotation, transfer, bus;
  uint64_t first_bad; /* with PLATTER_UNREADABLE and PLATTER_WRITE_FAULT: the first block that could not be read or written */
} platter_completion;

/* Called when a request completes, within platter_run() or platter_cancel(). `completion` is valid during the call only.
 * It may call platter_request_init(), platter_submit(), platter_cancel(), platter_next(), platter_now(), and those that only return a number or a
 * constant text.
 * platter_destroy() has no effect there. All others return PLATTER_BAD_STATE. */
typedef void (*platter_callback)(const platter_completion* completion, void* context);

/* PLATTER_ABI of the library. */
int platter_abi(void);
/* "MAJOR.MINOR.PATCH". */
const char* platter_version(void);
/* Text of the last error of the calling thread. Valid until its next call that fails. */
const char* platter_error(void);
/* A few words for a status; "?" for a number that is none. */
const char* platter_status_text(int status);

/* Makes a device of a scenario: the text of a TOML file (docs/reference/configuration.md), as `format = 1\ndrive = "wd22tb"\npolicy = "SPTF"`.
 * Its key `host.kind` is drive or array; its load counts for nothing. `name`: for messages, and of the device in waves; NULL: "device" with a number.
 * `disk`: file that keeps the contents of the drive (docs/reference/power_loss.md), or NULL; only for one drive.
 * PLATTER_BAD_INPUT: an error in scenario or disk file, another host, or RTL that is not there. PLATTER_BAD_STATE: after the first platter_run(). */
int platter_create(const char* scenario, const char* name, const char* disk, platter_device** device);
/* The same with the scenario in a file. */
int platter_create_from_file(const char* path, const char* name, const char* disk, platter_device** device);
/* Gives the device up. Its completions that were not taken are dropped, and its requests that have not completed get none.
 * It takes part in the simulation until the process ends. No effect for NULL, and from a callback or another thread. */
void platter_destroy(platter_device* device);

/* Bytes of a block, and number of blocks. 0 for NULL or a device that was destroyed. */
uint32_t platter_block_bytes(const platter_device* device);
uint64_t platter_blocks(const platter_device* device);

/* Sets a request to a discrete read of one block without a deadline and without data. */
void platter_request_init(platter_request* request);
/* Issues a request now. Any number may be outstanding: those for which the drive has no tag wait in the library, in their
 * order. `number`: of the request, from 1, which its completion has as `request`; may be NULL.
 * PLATTER_BAD_ARGUMENT: a field of the request has a value that it cannot have. */
int platter_submit(platter_device* device, const platter_request* request, uint64_t* number);
/* Withdraws a request that waits. It completes with PLATTER_ABORTED; one whose access has begun completes normally.
 * `cancelled`: 1 if it was withdrawn, or 0, also for a number that is not outstanding; may be NULL.
 * PLATTER_BAD_ARGUMENT: the device is an array. */
int platter_cancel(platter_device* device, uint64_t number, int* cancelled);

/* The present time. */
int64_t platter_now(void);
/* Simulates until the time `until`, or until a request has completed for which there is no callback, whichever comes first.
 * With PLATTER_FOREVER it ends, at the latest, when no request of any device is outstanding.
 * It returns at once, and no time passes, while platter_next() has a completion: take all of them first.
 * PLATTER_BAD_ARGUMENT: `until` has passed, or is beyond 2^62 ps (53 days) and not PLATTER_FOREVER.
 * PLATTER_FAILED: the simulation stopped; from then on platter_run() returns PLATTER_BAD_STATE. */
int platter_run(int64_t until);
/* Takes the oldest completion that platter_run() or platter_cancel() has left. Returns 1, or 0 if there is none, or in another thread. */
int platter_next(platter_completion* completion);
/* Completions of this device go to `callback` at once. NULL: to platter_next() again. */
int platter_on_completion(platter_device* device, platter_callback callback, void* context);

/* platter_cut_power(): the power of all drives of the device fails now, with what this means for their contents (docs/reference/power_loss.md),
 * and stays off. platter_restore_power(): it returns now. No effect if it is off, or on, already. */
int platter_cut_power(platter_device* device);
int platter_restore_power(platter_device* device);
/* Writes what drive `drive` of the device would hold if its power failed now into a new disk file. `drive`: 0, or the number in an array.
 * PLATTER_BAD_ARGUMENT: no such drive, the file exists or cannot be written, or the drive writes eagerly. */
int platter_power_image(platter_device* device, uint32_t drive, const char* path);

/* Statistics of all requests so far, as JSON (docs/reference/statistics.md). Valid until the next platter_statistics() of this device. */
int platter_statistics(platter_device* device, const char** json);

/* Records waves of the device from time 0 into an FST file, until platter_waves_end(). The scenario's window (`observe.wave_*`) does not count.
 * To be called before the first platter_run(), otherwise PLATTER_BAD_STATE. PLATTER_BAD_ARGUMENT: the device has such a file already, or its
 * engine has RTL. PLATTER_BAD_INPUT: the file cannot be written, or this library was built without
 * Verilator, and so writes no waves. */
int platter_waves_begin(platter_device* device, const char* path);
/* Completes the file. Without it the file does not appear. PLATTER_BAD_ARGUMENT: there is none, or it was completed. PLATTER_BAD_INPUT or
 * PLATTER_FAILED: it cannot be written. */
int platter_waves_end(platter_device* device);

#ifdef __cplusplus
}
#endif

#endif
