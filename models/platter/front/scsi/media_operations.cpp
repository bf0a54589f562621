// SPDX-License-Identifier: Apache-2.0
//
// The operations that access the medium (SBC-3, 5).
#include <algorithm>
#include <cstring>
#include <limits>

#include "platter/core/big_endian.h"
#include "platter/front/scsi/logical_unit.h"
#include "platter/front/scsi/operation.h"

namespace platter::scsi {

using Access = command::Operation;
using core::big_endian::get;

namespace {

constexpr std::uint64_t kPiece = std::uint64_t{256} << 10;  ///< bytes of an access whose data the host neither gives nor gets

constexpr std::uint8_t kFua = 0x08;
constexpr std::uint8_t kImmediate = 0x02;

std::uint64_t sector_bytes(const LogicalUnit& unit) { return unit.identity().sector_bytes; }

/// Where the logical block address and the length of a CDB are, by the group of its operation code (SPC-4, 4.2.5.1).
struct Fields {
  std::size_t lba;
  std::size_t lba_bytes;
  std::size_t length;
  std::size_t length_bytes;
};
constexpr Fields kFields[] = {{1, 3, 4, 1}, {2, 4, 7, 2}, {2, 4, 7, 2}, {}, {2, 8, 10, 4}, {2, 4, 6, 4}};

/// Reads address and length, and checks them against the capacity and against `most` blocks. Returns false if it has failed the task.
bool locate(LogicalUnit& unit, Task& task, std::uint64_t most) {
  const Fields& place = kFields[task.cdb[0] >> 5];
  Task::Course& c = task.course;
  c.first = get(&task.cdb[place.lba], place.lba_bytes);
  c.blocks = get(&task.cdb[place.length], place.length_bytes);
  if (place.lba == 1) {  // 6 bytes: the address has 21 bits, and length 0 is 256 blocks
    c.first &= 0x1F'FFFF;
    if (c.blocks == 0) c.blocks = 256;
  }
  const std::uint64_t sectors = unit.identity().sectors;
  if (c.first > sectors || c.blocks > sectors - c.first) {
    unit.fail(task, {sense::kOutOfRange, c.first});
    return false;
  }
  if (c.blocks > most) {
    unit.fail(task, {sense::kInvalidField, SenseData::Field{true, static_cast<std::uint16_t>(place.length), 8}});
    return false;
  }
  return true;
}
bool locate(LogicalUnit& unit, Task& task) { return locate(unit, task, unit.identity().most_blocks()); }

/// The same of a command that writes.
bool locate_write(LogicalUnit& unit, Task& task, std::uint64_t most) {
  if (unit.modes().write_protected()) {
    unit.fail(task, sense::kWriteProtected);
    return false;
  }
  return locate(unit, task, most);
}
bool locate_write(LogicalUnit& unit, Task& task) { return locate_write(unit, task, unit.identity().most_blocks()); }

/// Ends a task whose accesses are done.
void finish(LogicalUnit& unit, Task& task, Status status = Status::Good) {
  if (task.course.recovered && unit.modes().reports_recovered()) return unit.fail(task, sense::kRecoveredWithRetries);
  unit.end(task, status);
}
void finished(LogicalUnit& unit, Task& task) { finish(unit, task); }

// --- READ, WRITE ----------------------------------------------------------------------------------------------------

void read(LogicalUnit& unit, Task& task) {
  if (!locate(unit, task)) return;
  const std::uint64_t sector = sector_bytes(unit);
  task.wanted = task.course.blocks * sector;
  task.course.blocks = std::min<std::uint64_t>(task.course.blocks, (task.limit + sector - 1) / sector);  // what the host takes
  if (task.course.blocks == 0) return unit.end(task);
  task.data.resize(task.course.blocks * sector);
  unit.access(task, Access::Read, task.course.first, task.course.blocks, task.data.data(), (task.cdb[1] & kFua) != 0);
}
void read_ended(LogicalUnit& unit, Task& task) {
  task.data.resize(std::min<std::size_t>(task.data.size(), task.limit));
  finish(unit, task);
}

/// The blocks of a write are those that the host gives. Fewer bytes than the command asks for must be whole blocks. Returns false if it has ended the
/// task.
bool take_given(LogicalUnit& unit, Task& task) {
  const std::uint64_t sector = sector_bytes(unit);
  task.wanted = task.course.blocks * sector;
  if (task.data.size() < task.wanted && task.data.size() % sector != 0) {
    unit.fail(task, sense::kInvalidUnit);
    return false;
  }
  task.course.blocks = std::min<std::uint64_t>(task.course.blocks, task.data.size() / sector);
  if (task.course.blocks == 0) unit.end(task);
  return task.course.blocks > 0;
}
void write_given(LogicalUnit& unit, Task& task, bool fua) {
  if (!take_given(unit, task)) return;
  unit.access(task, Access::Write, task.course.first, task.course.blocks, task.data.data(), fua);
}
void write(LogicalUnit& unit, Task& task) {
  if (locate_write(unit, task)) write_given(unit, task, task.cdb[0] != 0x0A && (task.cdb[1] & kFua) != 0);
}

// --- VERIFY, WRITE AND VERIFY ------------------------------------------------------------------------------------------

/// BYTCHK: what the blocks are compared with (SBC-3, 5.33).
enum Check : std::uint8_t { kNoCheck = 0, kEach = 1, kReserved = 2, kOne = 3 };
Check check_of(const Task& task) { return static_cast<Check>(task.cdb[1] >> 1 & 3); }

/// The position of the first byte of a piece that differs from the host's data; nothing: none does.
std::uint64_t difference(const Task& task, std::uint64_t piece_at, std::uint64_t bytes, std::uint64_t period) {
  for (std::uint64_t i = 0; i < bytes; ++i)
    if (task.course.scratch[i] != task.data[period == 0 ? piece_at + i : (piece_at + i) % period]) return piece_at + i;
  return std::numeric_limits<std::uint64_t>::max();
}

void read_piece(LogicalUnit& unit, Task& task, std::uint64_t done) {
  Task::Course& c = task.course;
  const std::uint64_t sector = sector_bytes(unit);
  const std::uint64_t blocks = std::min(c.blocks - done, std::max<std::uint64_t>(kPiece / sector, 1));
  c.scratch.resize(blocks * sector);
  unit.access(task, Access::Read, c.first + done, blocks, c.scratch.data(), true);
}

void verify(LogicalUnit& unit, Task& task) {
  if (!locate(unit, task)) return;
  const Check check = check_of(task);
  if (check == kReserved) return unit.fail(task, {sense::kInvalidField, SenseData::Field{true, 1, 2}});
  const std::uint64_t sector = sector_bytes(unit);
  Task::Course& c = task.course;
  if (c.blocks == 0) return unit.end(task);
  task.wanted = check == kEach ? c.blocks * sector : check == kOne ? sector : 0;
  if (task.data.size() < task.wanted) return unit.fail(task, sense::kInvalidUnit);  // a part would not be verified
  if (check == kNoCheck) return unit.access(task, Access::Read, c.first, c.blocks, nullptr, true);
  c.several = c.blocks * sector > kPiece;
  read_piece(unit, task, 0);
}

/// Compares a piece that has been read; `done`: blocks of the pieces so far, this one included.
void compared(LogicalUnit& unit, Task& task, std::uint64_t done, Check check) {
  const std::uint64_t sector = sector_bytes(unit);
  const std::uint64_t bytes = task.course.access.length;
  const std::uint64_t at = check == kNoCheck ? std::numeric_limits<std::uint64_t>::max()
                                             : difference(task, done * sector - bytes, bytes, check == kOne ? sector : 0);
  if (at != std::numeric_limits<std::uint64_t>::max()) return unit.fail(task, {sense::kMiscompare, at});
  if (done == task.course.blocks) return finish(unit, task);
  read_piece(unit, task, done);
}
void verified(LogicalUnit& unit, Task& task) { compared(unit, task, task.course.done, check_of(task)); }

void write_and_verify(LogicalUnit& unit, Task& task) {
  if (check_of(task) > kEach) return unit.fail(task, {sense::kInvalidField, SenseData::Field{true, 1, 2}});
  task.course.several = true;
  if (locate_write(unit, task)) write_given(unit, task, true);
}
void written_then_verified(LogicalUnit& unit, Task& task) {
  Task::Course& c = task.course;
  if (c.step == 1) return read_piece(unit, task, 0);
  compared(unit, task, c.done - c.blocks, check_of(task));
}

// --- COMPARE AND WRITE, ORWRITE ----------------------------------------------------------------------------------------

void read_all(LogicalUnit& unit, Task& task) {
  Task::Course& c = task.course;
  c.locked = c.several = true;
  c.scratch.resize(c.blocks * sector_bytes(unit));
  unit.access(task, Access::Read, c.first, c.blocks, c.scratch.data(), false);
}

void compare_and_write(LogicalUnit& unit, Task& task) {
  if (!locate_write(unit, task)) return;
  task.wanted = 2 * task.course.blocks * sector_bytes(unit);
  if (task.data.size() != task.wanted) return unit.fail(task, {sense::kInvalidField, SenseData::Field{true, 13, 8}});
  if (task.course.blocks == 0) return unit.end(task);
  read_all(unit, task);
}
void compared_and_written(LogicalUnit& unit, Task& task) {
  Task::Course& c = task.course;
  if (c.step > 1) return finish(unit, task);
  const std::uint64_t bytes = c.access.length;
  if (const std::uint64_t at = difference(task, 0, bytes, 0); at != std::numeric_limits<std::uint64_t>::max())
    return unit.fail(task, {sense::kMiscompare, at});
  unit.access(task, Access::Write, c.first, c.blocks, task.data.data() + bytes, (task.cdb[1] & kFua) != 0);
}

void or_write(LogicalUnit& unit, Task& task) {
  if (locate_write(unit, task) && take_given(unit, task)) read_all(unit, task);
}
void or_written(LogicalUnit& unit, Task& task) {
  Task::Course& c = task.course;
  if (c.step > 1) return finish(unit, task);
  for (std::size_t i = 0; i < c.scratch.size(); ++i) c.scratch[i] |= task.data[i];
  unit.access(task, Access::Write, c.first, c.blocks, c.scratch.data(), (task.cdb[1] & kFua) != 0);
}

// --- WRITE SAME --------------------------------------------------------------------------------------------------------

void write_piece(LogicalUnit& unit, Task& task) {
  Task::Course& c = task.course;
  const std::uint64_t blocks = std::min(c.blocks - c.done, c.scratch.size() / sector_bytes(unit));
  unit.access(task, Access::Write, c.first + c.done, blocks, c.scratch.data(), false);
}
void write_same(LogicalUnit& unit, Task& task) {
  if (!locate_write(unit, task, unit.identity().sectors)) return;
  Task::Course& c = task.course;
  const std::uint64_t sector = sector_bytes(unit);
  const bool no_data = task.cdb[0] == 0x93 && (task.cdb[1] & 0x01) != 0;  // NDOB: zeroes
  task.wanted = no_data ? 0 : sector;
  const bool ten = task.cdb[0] == 0x41;
  // WSNZ: to the end of the disk only by a length.
  if (c.blocks == 0)
    return unit.fail(task, {sense::kInvalidField, SenseData::Field{true, static_cast<std::uint16_t>(ten ? 7 : 10), 8}});
  if (task.data.size() != task.wanted) return unit.fail(task, sense::kInvalidField);
  c.scratch.resize(std::min(c.blocks, std::max<std::uint64_t>(kPiece / sector, 1)) * sector);
  for (std::size_t at = 0; at < c.scratch.size() && !no_data; at += sector)
    std::memcpy(&c.scratch[at], task.data.data(), sector);
  c.several = c.blocks * sector > c.scratch.size();
  write_piece(unit, task);
}
void same_written(LogicalUnit& unit, Task& task) {
  if (task.course.done == task.course.blocks) return finish(unit, task);
  write_piece(unit, task);
}

// --- PRE-FETCH, SYNCHRONIZE CACHE, START STOP UNIT ----------------------------------------------------------------------

/// Reads into the drive's buffer what it has room for. A length of 0 reaches to the end of the disk.
void prefetch(LogicalUnit& unit, Task& task) {
  const UnitIdentity& d = unit.identity();
  if (!locate(unit, task, d.sectors)) return;
  Task::Course& c = task.course;
  if (c.blocks == 0) c.blocks = d.sectors - c.first;
  const std::uint64_t room = std::min<std::uint64_t>(d.buffer_bytes / d.sector_bytes, d.most_blocks());
  const bool fits = c.blocks <= room;
  c.blocks = std::min(c.blocks, room);
  if (c.blocks == 0) return unit.end(task);
  Task* going = &task;
  if ((task.cdb[1] & kImmediate) != 0) {
    going = &unit.answer_early(task, fits ? Status::ConditionMet : Status::Good);
  }
  going->course.done = fits ? 0 : 1;  // this tells it apart at its end
  unit.access(*going, Access::Read, going->course.first, going->course.blocks, nullptr, false);
}
void prefetched(LogicalUnit& unit, Task& task) {
  unit.end(task, task.course.done == task.course.blocks ? Status::ConditionMet : Status::Good);
}

void synchronize_cache(LogicalUnit& unit, Task& task) {
  if (!locate(unit, task, unit.identity().sectors)) return;
  Task& going = (task.cdb[1] & kImmediate) != 0 ? unit.answer_early(task) : task;
  unit.access(going, Access::Flush, 0, 0, nullptr, false);
}

/// POWER CONDITION of START STOP UNIT (SBC-3, 5.25).
enum Power : std::uint8_t { kStartValid = 0, kActive = 1, kIdle = 2, kStandby = 3 };

bool stops(const Task& task) {
  const auto power = static_cast<std::uint8_t>(task.cdb[4] >> 4);
  return power == kStandby || (power == kStartValid && (task.cdb[4] & 0x01) == 0);
}
/// After a stop the unit needs a START. In the standby condition an access starts the spindle.
bool needs_start(const Task& task) { return task.cdb[4] >> 4 == kStartValid; }
void start_stop(LogicalUnit& unit, Task& task) {
  const auto power = static_cast<std::uint8_t>(task.cdb[4] >> 4);
  const bool starts = power == kStartValid && (task.cdb[4] & 0x01) != 0;
  if (!starts && unit.reservations().conflicts(*task.nexus, Conflict::All)) return unit.end(task, Status::ReservationConflict);
  if (power > kStandby || (task.cdb[3] & 0x0F) != 0)
    return unit.fail(task, {sense::kInvalidField, SenseData::Field{true, 4, 7}});
  if (const Sense why = unit.readiness(); !(why == sense::kNone) && !(why == sense::kNeedsStart)) return unit.fail(task, why);
  if (unit.stops_otherwise(task)) return unit.fail(task, sense::kStopInProgress);
  unit.take_back_stops();  // the latest command is what counts
  if (!stops(task)) {
    unit.set_stopped(false);
    unit.control().write(drive::reg::kSpindle, 1);
    return unit.end(task);
  }
  Task* going = &task;
  if ((task.cdb[1] & 0x01) != 0) {
    unit.set_stopped(needs_start(task));  // from its answer on
    going = &unit.answer_early(task);
  }
  going->course.stops = true;
  unit.access(*going, Access::Flush, 0, 0, nullptr, false);
}
void stopped(LogicalUnit& unit, Task& task) {
  if (task.course.stops) {
    unit.control().write(drive::reg::kSpindle, 0);
    unit.set_stopped(needs_start(task));
  }
  unit.end(task);
}

}  // namespace

void add_media_operations(std::vector<scsi::Operation>& table) {
  using O = scsi::Operation;
  // The length of a CDB, and where its address and length are, follow from the code.
  const auto add = [&table](std::uint8_t code, std::string_view name, Conflict conflict, std::uint8_t flags, O::Step start,
                            O::Step next) {
    const Fields& place = kFields[code >> 5];
    O& row = add_row(table, code, O::kNoAction, name, conflict, O::kMedium, {0, flags}, start, next);
    for (std::size_t i = 0; i < place.lba_bytes; ++i) row.usage[place.lba + i] = 0xFF;
    for (std::size_t i = 0; i < place.length_bytes; ++i) row.usage[place.length + i] = 0xFF;
    if (place.lba == 1)
      row.usage[1] = 0x1F;
    else
      row.usage[std::size_t{row.bytes} - (row.bytes == 10 ? 4 : 2)] = 0x1F;  // GROUP NUMBER, which has no effect
  };
  constexpr std::uint8_t kAccess = 0x18;  // DPO, FUA
  constexpr std::uint8_t kCheck = 0x16;   // DPO, BYTCHK
  add(0x08, "READ (6)", Conflict::Reads, 0, read, read_ended);
  add(0x28, "READ (10)", Conflict::Reads, kAccess, read, read_ended);
  add(0xA8, "READ (12)", Conflict::Reads, kAccess, read, read_ended);
  add(0x88, "READ (16)", Conflict::Reads, kAccess, read, read_ended);
  add(0x0A, "WRITE (6)", Conflict::All, 0, write, finished);
  add(0x2A, "WRITE (10)", Conflict::All, kAccess, write, finished);
  add(0xAA, "WRITE (12)", Conflict::All, kAccess, write, finished);
  add(0x8A, "WRITE (16)", Conflict::All, kAccess, write, finished);
  add(0x2F, "VERIFY (10)", Conflict::Reads, kCheck, verify, verified);
  add(0xAF, "VERIFY (12)", Conflict::Reads, kCheck, verify, verified);
  add(0x8F, "VERIFY (16)", Conflict::Reads, kCheck, verify, verified);
  add(0x2E, "WRITE AND VERIFY (10)", Conflict::All, kCheck, write_and_verify, written_then_verified);
  add(0xAE, "WRITE AND VERIFY (12)", Conflict::All, kCheck, write_and_verify, written_then_verified);
  add(0x8E, "WRITE AND VERIFY (16)", Conflict::All, kCheck, write_and_verify, written_then_verified);
  add(0x41, "WRITE SAME (10)", Conflict::All, 0, write_same, same_written);
  add(0x93, "WRITE SAME (16)", Conflict::All, 0x01, write_same, same_written);  // NDOB
  add(0x8B, "ORWRITE (16)", Conflict::All, kAccess, or_write, or_written);
  add(0x34, "PRE-FETCH (10)", Conflict::Reads, kImmediate, prefetch, prefetched);
  add(0x90, "PRE-FETCH (16)", Conflict::Reads, kImmediate, prefetch, prefetched);
  add(0x35, "SYNCHRONIZE CACHE (10)", Conflict::All, kImmediate, synchronize_cache, finished);
  add(0x91, "SYNCHRONIZE CACHE (16)", Conflict::All, kImmediate, synchronize_cache, finished);
  for (O& row : table)
    if (row.code == 0x88 || row.code == 0x8A) row.limits_page = row.code == 0x88 ? 1 : 2;
  add_row(table, 0x89, O::kNoAction, "COMPARE AND WRITE", Conflict::All, O::kMedium,
          {0, kAccess, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0xFF, 0x1F}, compare_and_write,
          compared_and_written);
  add_row(table, 0x1B, O::kNoAction, "START STOP UNIT", Conflict::Reserve, O::kAttention, {0, 0x01, 0, 0x0F, 0xF7}, start_stop,
          stopped);
}

}  // namespace platter::scsi
