/* SPDX-License-Identifier: Apache-2.0 */
#include "ahci_driver.h"

#include <string.h>

/* Registers (AHCI 1.3.1, section 3) */
enum {
  GHC = 0x04,
  IS = 0x08,
  PI = 0x0C,
  PORT = 0x100,
  CLB = PORT + 0x00,
  CLBU = PORT + 0x04,
  FB = PORT + 0x08,
  FBU = PORT + 0x0C,
  PXIS = PORT + 0x10,
  PXIE = PORT + 0x14,
  CMD = PORT + 0x18,
  TFD = PORT + 0x20,
  SIG = PORT + 0x24,
  SSTS = PORT + 0x28,
  SERR = PORT + 0x30,
  SACT = PORT + 0x34,
  CI = PORT + 0x38
};
enum { GHC_IE = 1 << 1, CMD_ST = 1 << 0, CMD_FRE = 1 << 4, CMD_FR = 1 << 14, CMD_CR = 1 << 15, TFD_BUSY = 0x88 };
#define PXIS_ERRORS 0x78000000u /* TFES, HBFS, HBDS, IFS */
#define GHC_AE 0x80000000u

/* Commands (ACS-4) */
enum { READ_QUEUED = 0x60, WRITE_QUEUED = 0x61, READ_LOG_EXT = 0x2F, FLUSH_CACHE_EXT = 0xEA, IDENTIFY_DEVICE = 0xEC };

/* The driver's memory: command list, received FISes, a page of data, and command tables of 256 bytes. */
enum { LIST_AT = 0x0, RECEIVED_AT = 0x400, PAGE_AT = 0x600, TABLES_AT = 0x1000, TABLE_BYTES = 0x100, REGIONS_AT = 0x80 };

static uint32_t get(struct ahci_port* p, uint32_t offset) { return p->bus.read(p->bus.context, offset); }
static void set(struct ahci_port* p, uint32_t offset, uint32_t value) { p->bus.write(p->bus.context, offset, value); }
static void put32(struct ahci_port* p, uint32_t at, uint32_t value) { memcpy(p->bus.memory + at, &value, sizeof value); }

/* Fills a slot: header, command FIS in a table, and one physical region of up to 4 MiB. */
static void prepare(struct ahci_port* p, unsigned slot, unsigned table_number, uint8_t command, uint64_t lba, uint16_t features,
                    uint16_t count, bool write, uint64_t data, uint32_t bytes) {
  const uint32_t table = TABLES_AT + table_number * TABLE_BYTES;
  const uint64_t address = p->bus.address + table;
  uint8_t* fis = p->bus.memory + table;
  memset(fis, 0, 20);
  fis[0] = 0x27;
  fis[1] = 0x80;
  fis[2] = command;
  fis[3] = (uint8_t)features;
  fis[11] = (uint8_t)(features >> 8);
  for (int i = 0; i < 3; ++i) {
    fis[4 + i] = (uint8_t)(lba >> (8 * i));
    fis[8 + i] = (uint8_t)(lba >> (8 * (i + 3)));
  }
  fis[7] = 0x40;
  fis[12] = (uint8_t)count;
  fis[13] = (uint8_t)(count >> 8);
  put32(p, table + REGIONS_AT, (uint32_t)data);
  put32(p, table + REGIONS_AT + 4, (uint32_t)(data >> 32));
  put32(p, table + REGIONS_AT + 8, 0);
  put32(p, table + REGIONS_AT + 12, bytes - 1);
  put32(p, LIST_AT + 32 * slot, 5u | (write ? 1u << 6 : 0u) | (bytes > 0 ? 1u << 16 : 0u));
  put32(p, LIST_AT + 32 * slot + 4, 0);
  put32(p, LIST_AT + 32 * slot + 8, (uint32_t)address);
  put32(p, LIST_AT + 32 * slot + 12, (uint32_t)(address >> 32));
}

/* Reads the causes of an interrupt and clears them, so that a later interrupt is a new one. */
static uint32_t acknowledge(struct ahci_port* p) {
  const uint32_t causes = get(p, PXIS);
  set(p, PXIS, causes);
  set(p, IS, 1);
  return causes;
}

static void stop(struct ahci_port* p) {
  set(p, CMD, get(p, CMD) & ~(uint32_t)CMD_ST);
  while ((get(p, CMD) & CMD_CR) != 0) p->bus.wait(p->bus.context);
}

static void start(struct ahci_port* p) {
  set(p, SERR, ~0u);
  acknowledge(p);
  set(p, CMD, get(p, CMD) | CMD_FRE | CMD_ST);
}

/* Runs a command that is not queued in slot 0, and waits for its end. A queued command in that slot keeps its table; its header is restored. */
static bool alone(struct ahci_port* p, uint8_t command, uint64_t lba, uint16_t count, uint32_t bytes) {
  uint8_t header[32];
  uint32_t causes = 0;
  memcpy(header, p->bus.memory + LIST_AT, sizeof header);
  prepare(p, 0, AHCI_SLOTS, command, lba, 0, count, false, p->bus.address + PAGE_AT, bytes);
  set(p, CI, 1);
  while ((get(p, CI) & 1) != 0 && (causes & PXIS_ERRORS) == 0) {
    p->bus.wait(p->bus.context);
    causes = acknowledge(p);
  }
  acknowledge(p);
  memcpy(p->bus.memory + LIST_AT, header, sizeof header);
  return (causes & PXIS_ERRORS) == 0;
}

static uint16_t word(const struct ahci_port* p, unsigned index) {
  uint16_t value;
  memcpy(&value, p->bus.memory + PAGE_AT + 2 * index, sizeof value);
  return value;
}

bool ahci_start(struct ahci_port* p, const struct ahci_bus* bus) {
  memset(p, 0, sizeof *p);
  p->bus = *bus;
  set(p, GHC, GHC_AE);
  if ((get(p, PI) & 1) == 0 || (get(p, SSTS) & 0xF) != 3) return false;
  stop(p);
  const uint64_t list = bus->address + LIST_AT, received = bus->address + RECEIVED_AT;
  set(p, CLB, (uint32_t)list);
  set(p, CLBU, (uint32_t)(list >> 32));
  set(p, FB, (uint32_t)received);
  set(p, FBU, (uint32_t)(received >> 32));
  set(p, PXIE, PXIS_ERRORS | 0x0Fu); /* errors, and each frame that ends a command */
  set(p, GHC, GHC_AE | GHC_IE);
  set(p, CMD, get(p, CMD) | CMD_FRE);
  while ((get(p, TFD) & TFD_BUSY) != 0) p->bus.wait(p->bus.context);
  if (get(p, SIG) != 0x101) return false;
  start(p);
  if (!alone(p, IDENTIFY_DEVICE, 0, 0, 512)) return false;
  if ((word(p, 76) & 1u << 8) == 0) return false;       /* no NCQ */
  if ((word(p, 106) & 0xD000u) == 0x5000) return false; /* logical sectors of more than 512 bytes */
  p->depth = (word(p, 75) & 0x1Fu) + 1;
  memcpy(&p->sectors, p->bus.memory + PAGE_AT + 200, sizeof p->sectors);
  return true;
}

int ahci_submit(struct ahci_port* p, bool write, uint64_t lba, unsigned count, uint64_t data, ahci_done done, void* context) {
  unsigned tag = 0;
  while (tag < p->depth && (p->busy >> tag & 1) != 0) ++tag;
  if (tag == p->depth) return -1;
  prepare(p, tag, tag, write ? WRITE_QUEUED : READ_QUEUED, lba, (uint16_t)count, (uint16_t)(tag << 3), write, data,
          count * 512);
  p->commands[tag].done = done;
  p->commands[tag].context = context;
  p->busy |= 1u << tag;
  set(p, SACT, 1u << tag);
  set(p, CI, 1u << tag);
  return (int)tag;
}

bool ahci_flush(struct ahci_port* p) { return p->busy == 0 && alone(p, FLUSH_CACHE_EXT, 0, 0, 0); }

static void end(struct ahci_port* p, uint32_t tags, uint8_t error) {
  p->busy &= ~tags;
  for (unsigned tag = 0; tag < p->depth; ++tag)
    if ((tags >> tag & 1) != 0) p->commands[tag].done(p->commands[tag].context, tag, error);
}

/* An error stops the queue. The log says which command has failed; the others are sent again (Serial ATA 3.x, 13.6.4). */
static void recover(struct ahci_port* p) {
  ++p->errors;
  stop(p);
  start(p);
  if (!alone(p, READ_LOG_EXT, 0x10, 1, 512)) return end(p, p->busy, 0x04);
  const uint8_t* log = p->bus.memory + PAGE_AT;
  const uint32_t failed = (log[0] & 0x80) == 0 ? 1u << (log[0] & 0x1F) & p->busy : 0;
  const uint8_t error = log[3];
  const uint32_t again = p->busy & ~failed;
  end(p, failed, error);
  set(p, SACT, again);
  set(p, CI, again);
}

void ahci_interrupt(struct ahci_port* p) {
  const uint32_t causes = acknowledge(p);
  const uint32_t open = get(p, SACT) | get(p, CI);
  end(p, p->busy & ~open, 0);
  if ((causes & PXIS_ERRORS) != 0) recover(p);
}
