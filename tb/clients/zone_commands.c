// SPDX-License-Identifier: Apache-2.0
//
// Sends the same random commands to two host-managed SCSI drives and prints what both answer. It is the only program of `guest zones` that is not
// of Debian: scripts/guest compiles it on the host and puts it into the initial file system.
//
//   zone_commands REFEREE DRIVE SEED COMMANDS [OPERATION]     REFEREE and DRIVE are nodes of the driver sg; OPERATION is left out
//
// Output, one line for each command:
//
//   C NUMBER OPERATION LBA BLOCKS OPTION CONDITION ANSWER ANSWER
//
// LBA, BLOCKS and LENGTH are decimal, everything else is hexadecimal. OPTION is ALL of a zone management command, or byte 14 of REPORT ZONES, whose
// BLOCKS is the allocation length in bytes. CONDITION is that of the zone of LBA before the command, or - beyond the end of the drive. The first
// answer is that of the referee. An answer is STATUS:KEY/ASC/ASCQ, of a read STATUS:KEY/ASC/ASCQ:DIGEST, and of REPORT ZONES
// STATUS:KEY/ASC/ASCQ:LENGTH:SAME:DIGEST. The digest is of what was read, or of the fields of the descriptors. What is written follows from NUMBER and
// the place in the command. QEMU's iSCSI client does not say how many bytes a drive has sent, so an answer does not either.
//
// A read whose data differs makes a line
//
//   D NUMBER SECTORS ZEROS ZEROS BYTES
//
// with the number of sectors that differ, of those that are zeros on the referee and on the drive, and of the bytes that differ in the others.
//
// After each command both drives report their zones. A zone that differs makes a line
//
//   Z NUMBER ZONE CONDITION POINTER CONDITION POINTER
//
// and is then reset on both drives (operation `even`), so that one difference has no others behind it. At the end everything is read from both.
#include <fcntl.h>
#include <inttypes.h>
#include <scsi/sg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { kSector = 512, kMaxBlocks = 512, kMaxZones = 1024, kHeader = 64, kDescriptor = 64, kTimeout = 60000 };
enum { kEmpty = 1, kImplicit, kExplicit, kClosed, kFull = 0xE };

struct answer {
  unsigned status, key, asc, ascq;
};
struct zone {
  unsigned type, condition;
  uint64_t start, blocks, pointer;
};

static const char* name_of[2];
static int file_of[2];
static uint8_t data_of[2][kHeader + kMaxZones * kDescriptor + kMaxBlocks * kSector];
static struct zone zones_of[2][kMaxZones];
static unsigned zone_count;
static uint64_t drive_blocks, random_state;

static void fail(const char* what) {
  printf("FAILED: zone_commands: %s\n", what);
  exit(1);
}

/// SplitMix64.
static uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

static uint64_t below(uint64_t limit) {
  random_state += 0x9E3779B97F4A7C15;
  return mixed(random_state) % limit;
}

static uint64_t get(const uint8_t* from, unsigned bytes) {
  uint64_t value = 0;
  while (bytes-- > 0) value = value << 8 | *from++;
  return value;
}

static void put(uint8_t* to, uint64_t value, unsigned bytes) {
  while (bytes-- > 0) {
    to[bytes] = (uint8_t)value;
    value >>= 8;
  }
}

/// FNV-1a of 32 bits.
static uint32_t digest(uint32_t of, const uint8_t* data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) of = (of ^ data[i]) * 16777619u;
  return of;
}
static const uint32_t kDigest = 2166136261u;

static struct answer send(unsigned drive, const uint8_t cdb[16], int direction, uint32_t bytes) {
  uint8_t sense[64] = {0};
  if (direction == SG_DXFER_FROM_DEV) memset(data_of[drive], 0, bytes);
  struct sg_io_hdr io = {0};
  io.interface_id = 'S';
  io.dxfer_direction = bytes > 0 ? direction : SG_DXFER_NONE;
  io.cmd_len = 16;
  io.mx_sb_len = sizeof sense;
  io.dxfer_len = bytes;
  io.dxferp = data_of[drive];
  io.cmdp = (uint8_t*)cdb;
  io.sbp = sense;
  io.timeout = kTimeout;
  if (ioctl(file_of[drive], SG_IO, &io) != 0) fail(name_of[drive]);
  if (io.host_status != 0) {
    printf("FAILED: zone_commands: %s: operation %02x: host status %x\n", name_of[drive], cdb[0], io.host_status);
    exit(1);
  }
  struct answer answer = {io.status, 0, 0, 0};
  if (io.sb_len_wr > 0) {
    const bool fixed = (sense[0] & 0x7E) == 0x70;
    answer.key = sense[fixed ? 2 : 1] & 0xF;
    answer.asc = sense[fixed ? 12 : 2];
    answer.ascq = sense[fixed ? 13 : 3];
  }
  return answer;
}

/// Descriptor `i` of the report in the drive's buffer. A write pointer that is not valid is all ones.
static struct zone descriptor(unsigned drive, unsigned i) {
  const uint8_t* from = data_of[drive] + kHeader + i * kDescriptor;
  struct zone zone = {from[0] & 0xF, from[1] >> 4, get(from + 16, 8), get(from + 8, 8), get(from + 24, 8)};
  if (zone.condition != kEmpty && zone.condition > kClosed) zone.pointer = UINT64_MAX;
  if (zone.condition == 0) zone.pointer = UINT64_MAX;
  return zone;
}

/// Those in the drive's buffer.
static unsigned descriptors(unsigned drive, uint32_t allocation) {
  const unsigned fitting = (allocation - kHeader) / kDescriptor;
  const uint64_t listed = get(data_of[drive], 4) / kDescriptor;
  return listed < fitting ? (unsigned)listed : fitting;
}

static void report_cdb(uint8_t cdb[16], uint64_t lba, uint32_t allocation, unsigned option) {
  memset(cdb, 0, 16);
  cdb[0] = 0x95;
  put(cdb + 2, lba, 8);
  put(cdb + 10, allocation, 4);
  cdb[14] = (uint8_t)option;
}

/// All zones of a drive.
static unsigned look(unsigned drive) {
  uint8_t cdb[16];
  const uint32_t allocation = kHeader + (zone_count > 0 ? zone_count : kMaxZones) * kDescriptor;
  report_cdb(cdb, 0, allocation, 0);
  const struct answer answer = send(drive, cdb, SG_DXFER_FROM_DEV, allocation);
  const unsigned count = descriptors(drive, allocation);
  if (answer.status != 0 || count == 0) fail("no report of all zones");
  for (unsigned i = 0; i < count; ++i) zones_of[drive][i] = descriptor(drive, i);
  drive_blocks = get(data_of[drive] + 8, 8) + 1;
  return count;
}

// --- a random command ------------------------------------------------------------------------------------------------

struct command {
  const char* operation;
  uint8_t code, action;
  uint64_t lba;
  uint32_t blocks;  ///< or the allocation length of a report
  unsigned option;
};

static const struct zone* zone_at(uint64_t lba) {
  for (unsigned i = 0; i < zone_count; ++i)
    if (lba >= zones_of[0][i].start && lba - zones_of[0][i].start < zones_of[0][i].blocks) return &zones_of[0][i];
  return NULL;
}

/// Mostly one of few zones around the first one that is written in order, so that the limit of open zones is reached.
static const struct zone* some_zone(void) {
  unsigned first = 0;
  while (first < zone_count && zones_of[0][first].type == 1) ++first;
  const uint64_t draw = below(100);
  if (draw < 78) return &zones_of[0][(first + below(14)) % zone_count];
  if (draw < 84) return &zones_of[0][below(first > 0 ? first : 1)];
  if (draw < 90) return &zones_of[0][zone_count - 1];
  return &zones_of[0][below(zone_count)];
}

static uint32_t some_length(uint64_t lba, const struct zone* zone) {
  const uint64_t left = zone->start + zone->blocks > lba ? zone->start + zone->blocks - lba : 1;
  const uint64_t draw = below(100);
  if (draw < 40) return (uint32_t)(8 * (1 + below(8)));
  if (draw < 70) return (uint32_t)(8 * (1 + below(kMaxBlocks / 8)));
  if (draw < 85) return (uint32_t)(left < kMaxBlocks ? left : kMaxBlocks);
  if (draw < 91) return (uint32_t)(left < kMaxBlocks - 8 ? left + 8 : kMaxBlocks);
  if (draw < 97) return (uint32_t)(1 + below(63));
  return draw < 99 ? 1 : 0;
}

static uint64_t some_place(const struct zone* zone, bool write) {
  const uint64_t pointer = zone->pointer == UINT64_MAX ? zone->start + 8 * below(zone->blocks / 8) : zone->pointer;
  const uint64_t draw = below(100);
  if (draw < (write ? 65u : 25u)) return pointer;
  if (draw < 75) return zone->start + below(pointer - zone->start + 1);
  if (draw < 80) return zone->start + 8 * below(zone->blocks / 8);
  if (draw < 85) return zone->start;
  if (draw < 90) return pointer + 8 * (1 + below(8));
  if (draw < 96) return zone->start + zone->blocks - 8 * (1 + below(4));
  if (draw < 98) return drive_blocks - below(16);
  return draw < 99 ? drive_blocks + below(4096) : below(drive_blocks);
}

static void random_io(struct command* c, bool write) {
  const struct zone* zone = some_zone();
  c->lba = some_place(zone, write);
  c->blocks = some_length(c->lba, zone);
}

static struct command random_command(void) {
  struct command c = {0};
  const uint64_t draw = below(100);
  if (draw < 38) {
    c.operation = "write";
    c.code = 0x8A;
    random_io(&c, true);
    return c;
  }
  if (draw < 41) {
    c.operation = "same";  // WRITE SAME(16), in which no blocks means all of them
    c.code = 0x93;
    random_io(&c, true);
    if (c.blocks == 0) c.blocks = 8;
    return c;
  }
  if (draw < 55) {
    c.operation = "read";
    c.code = 0x88;
    random_io(&c, false);
    return c;
  }
  if (draw < 90) {
    static const char* const kNames[] = {"close", "finish", "open", "reset"};
    c.code = 0x94;
    c.action = draw < 62 ? 1 : draw < 68 ? 2 : draw < 82 ? 3 : 4;
    c.operation = kNames[c.action - 1];
    c.lba = some_zone()->start;
    const uint64_t place = below(100);
    if (place < 4) c.lba += 1 + below(2047);
    if (place >= 96) c.lba = drive_blocks + below(3) * 2048;
    c.option = below(100) < (c.action == 4 || c.action == 2 ? 3u : 6u);
    return c;
  }
  static const uint8_t kOptions[] = {0, 1, 2, 3, 4, 5, 6, 7, 0x10, 0x11, 0x3F};
  c.operation = "report";
  c.code = 0x95;
  c.option = (unsigned)(below(100) < 85 ? kOptions[below(sizeof kOptions)] : below(64)) | (below(2) ? 0x80 : 0);
  c.lba = below(100) < 50 ? 0 : below(100) < 94 ? some_zone()->start + below(2048) : drive_blocks + below(4096);
  // No room for the header makes scsi_debug write beyond its buffer, so 64 bytes are the least.
  c.blocks = (uint32_t)(kHeader + (below(2) ? kDescriptor * below(zone_count + 8) : below(kDescriptor * 8)));
  return c;
}

/// The command's answer, as text.
static void carry_out(const struct command* c, uint64_t number, unsigned drive, char* text, size_t room) {
  uint8_t cdb[16] = {c->code, c->action};
  uint32_t bytes = 0;
  int direction = SG_DXFER_NONE;
  if (c->code == 0x95) {
    report_cdb(cdb, c->lba, c->blocks, c->option);
    bytes = c->blocks;
    direction = SG_DXFER_FROM_DEV;
  } else {
    put(cdb + 2, c->lba, 8);
    put(cdb + 10, c->code == 0x94 ? 0 : c->blocks, 4);
    if (c->code == 0x94) cdb[14] = (uint8_t)c->option;
    if (c->code == 0x88) direction = SG_DXFER_FROM_DEV;
    if (c->code == 0x8A || c->code == 0x93) direction = SG_DXFER_TO_DEV;
    if (direction != SG_DXFER_NONE) bytes = (c->code == 0x93 ? 1 : c->blocks) * kSector;
    if (direction == SG_DXFER_TO_DEV)
      for (uint32_t i = 0; i < bytes; i += 8) put(data_of[drive] + i, mixed(number << 32 | i), 8);
  }
  const struct answer answer = send(drive, cdb, direction, bytes);
  int used = snprintf(text, room, "%02x:%x/%02x/%02x", answer.status, answer.key, answer.asc, answer.ascq);
  const uint8_t* data = data_of[drive];
  if (answer.status != 0) return;
  if (c->code == 0x95) {
    uint32_t of = digest(kDigest, data + 8, 8);
    for (unsigned i = 0; i < descriptors(drive, c->blocks); ++i) {
      const struct zone zone = descriptor(drive, i);
      uint8_t row[32] = {(uint8_t)zone.type, (uint8_t)zone.condition, data[kHeader + i * kDescriptor + 1] & 3};
      put(row + 8, zone.start, 8);
      put(row + 16, zone.blocks, 8);
      put(row + 24, zone.pointer, 8);
      of = digest(of, row, sizeof row);
    }
    snprintf(text + used, room - (size_t)used, ":%" PRIu64 ":%u:%08x", get(data, 4), data[4] & 0xF, of);
  } else if (c->code == 0x88) {
    snprintf(text + used, room - (size_t)used, ":%08x", digest(kDigest, data, bytes));
  }
}

static void both(const struct command* c, uint64_t number) {
  char answers[2][96];
  const struct zone* zone = zone_at(c->lba);
  char condition[8] = "-";
  if (zone) snprintf(condition, sizeof condition, "%x", zone->condition);
  for (unsigned drive = 0; drive < 2; ++drive) carry_out(c, number, drive, answers[drive], sizeof answers[drive]);
  printf("C %" PRIu64 " %s %" PRIu64 " %" PRIu32 " %02x %s %s %s\n", number, c->operation, c->lba, c->blocks, c->option,
         condition, answers[0], answers[1]);
  if (c->code != 0x88 || strncmp(answers[0], "00:", 3) != 0 || strncmp(answers[1], "00:", 3) != 0) return;
  static const uint8_t kZeros[kSector];
  unsigned different = 0, zeros[2] = {0, 0}, bytes = 0;
  for (uint32_t i = 0; i < c->blocks; ++i) {
    const uint8_t *const a = data_of[0] + i * kSector, *const b = data_of[1] + i * kSector;
    if (memcmp(a, b, kSector) == 0) continue;
    ++different;
    const bool no_a = memcmp(a, kZeros, kSector) == 0, no_b = memcmp(b, kZeros, kSector) == 0;
    zeros[0] += no_a;
    zeros[1] += no_b;
    if (no_a || no_b) continue;
    for (unsigned k = 0; k < kSector; ++k) bytes += a[k] != b[k];
  }
  if (different > 0) printf("D %" PRIu64 " %u %u %u %u\n", number, different, zeros[0], zeros[1], bytes);
}

/// Makes the zones of both drives equal, and says where they were not.
static void even_out(uint64_t number) {
  for (unsigned drive = 0; drive < 2; ++drive)
    if (look(drive) != zone_count) fail("another number of zones");
  for (unsigned i = 0; i < zone_count; ++i) {
    const struct zone *a = &zones_of[0][i], *b = &zones_of[1][i];
    if (a->type != b->type || a->start != b->start || a->blocks != b->blocks) fail("another zone");
    if (a->condition == b->condition && a->pointer == b->pointer) continue;
    printf("Z %" PRIu64 " %u %x %" PRId64 " %x %" PRId64 "\n", number, i, a->condition, (int64_t)a->pointer, b->condition,
           (int64_t)b->pointer);
    const struct command reset = {"even", 0x94, 4, a->start, 0, 0};
    both(&reset, number);
    for (unsigned drive = 0; drive < 2; ++drive) {
      zones_of[drive][i].condition = kEmpty;
      zones_of[drive][i].pointer = a->start;
    }
  }
}

int main(int count, char** arguments) {
  if (count != 5 && count != 6) fail("expected REFEREE DRIVE SEED COMMANDS [OPERATION]");
  for (unsigned drive = 0; drive < 2; ++drive) {
    name_of[drive] = arguments[1 + drive];
    file_of[drive] = open(name_of[drive], O_RDWR);
    if (file_of[drive] < 0) fail(name_of[drive]);
    const uint8_t ready[16] = {0};
    for (unsigned i = 0; i < 8; ++i) send(drive, ready, SG_DXFER_NONE, 0);  // takes its unit attentions
  }
  random_state = mixed(strtoull(arguments[3], NULL, 10));
  const uint64_t commands = strtoull(arguments[4], NULL, 10);
  const unsigned referee = look(0);
  if (look(1) != referee) fail("the drives have different numbers of zones");
  zone_count = referee;
  const struct command reset = {"reset", 0x94, 4, 0, 0, 1};
  both(&reset, 0);
  even_out(0);
  for (uint64_t number = 1; number <= commands; ++number) {
    struct command c = random_command();
    while (count == 6 && strcmp(c.operation, arguments[5]) == 0) c = random_command();
    both(&c, number);
    even_out(number);
  }
  for (unsigned i = 0; i < zone_count; ++i)
    for (uint64_t at = 0; at < zones_of[0][i].blocks; at += kMaxBlocks) {
      const uint64_t left = zones_of[0][i].blocks - at;
      const struct command c = {"read", 0x88, 0, zones_of[0][i].start + at, (uint32_t)(left < kMaxBlocks ? left : kMaxBlocks),
                                0};
      both(&c, commands + 1);
    }
  return 0;
}
