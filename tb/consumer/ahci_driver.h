/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver for one port of an AHCI 1.3.1 adapter with a disk, for firmware without an operating system. It uses queued commands and an interrupt,
 * and recovers from errors. It needs only C11 and the functions of `struct ahci_bus`.
 *
 * The machine must be little-endian, as the structures in memory are.
 */
#ifndef AHCI_DRIVER_H
#define AHCI_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { AHCI_SLOTS = 32, AHCI_MEMORY_BYTES = 0x4000 };

/* How the driver reaches the hardware. */
struct ahci_bus {
  void* context;
  uint32_t (*read)(void* context, uint32_t offset); /* a register of the adapter */
  void (*write)(void* context, uint32_t offset, uint32_t value);
  void (*wait)(void* context); /* waits for an interrupt, at most 1 ms; not at all if one is pending */
  uint8_t* memory;             /* AHCI_MEMORY_BYTES for the driver, aligned to 1 KiB ... */
  uint64_t address;            /* ... and their address for the adapter */
};

/* Called within ahci_interrupt() when a command has ended. `error`: the ATA error register, or 0. It may call ahci_submit(), but neither
 * ahci_interrupt() nor ahci_flush(). */
typedef void (*ahci_done)(void* context, unsigned tag, uint8_t error);

struct ahci_port {
  struct ahci_bus bus;
  unsigned depth;   /* of the device's queue */
  uint64_t sectors; /* its capacity */
  uint32_t busy;    /* tags in use */
  unsigned errors;  /* recovered */
  struct {
    ahci_done done;
    void* context;
  } commands[AHCI_SLOTS];
};

/* Starts port 0, identifies the device, and switches interrupts on. Returns false if there is no disk, if IDENTIFY DEVICE fails, if the disk has no
 * NCQ, or if its sectors do not have 512 bytes. */
bool ahci_start(struct ahci_port* port, const struct ahci_bus* bus);

/* Sends a queued read or write of `count` sectors of 512 bytes (1 to 8,192). `data` is an even address on the adapter's bus. Neither is checked: with a larger
 * count, wrong data is moved. Returns the tag, or -1 if the queue is full. */
int ahci_submit(struct ahci_port* port, bool write, uint64_t lba, unsigned count, uint64_t data, ahci_done done, void* context);

/* Writes the device's cached data to the media. Returns false if a command is in the queue, or if the flush fails. */
bool ahci_flush(struct ahci_port* port);

/* Call this for each interrupt. It calls `done` for every command that has ended. */
void ahci_interrupt(struct ahci_port* port);

#ifdef __cplusplus
}
#endif
#endif
