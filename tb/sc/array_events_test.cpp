// SPDX-License-Identifier: Apache-2.0
//
// Drives fail, are revived and are replaced between any two events of a write. The drives here are stubs: the test decides
// which of them takes its next step, and when. A shadow model of the bytes holds after every event:
// - a drive that is alive and has no stale unit has every write that has ended well;
// - a read returns the bytes of the order of arrival, or NoCopy if no drive that is alive holds them;
// - when all drives are alive again and rebuilt, nothing that has ended well is missing, and all copies are the same.
#include "array_rig.h"

#include "platter/core/random.h"
#include "platter/drive/register_map.h"

namespace platter::testing {
namespace {

constexpr std::uint64_t kUnitSectors = 4;
constexpr std::uint64_t kUnitBytes = kUnitSectors * kSector;
constexpr std::uint8_t kEmpty = 0xA5;  ///< bytes of a drive that nobody has written

/// A drive whose commands take their steps when the test says so: a write puts its first half on the media, then the rest, then
/// it answers. `obeys`: a drive that has failed fails its commands; otherwise it carries them out.
class SteppedDrive : public sc_core::sc_module {
 public:
  SteppedDrive(const sc_core::sc_module_name& name, std::uint64_t bytes, bool obeys)
      : sc_module(name),
        host_tgt_socket("host_tgt_socket"),
        register_tgt_socket("register_tgt_socket"),
        media(bytes),
        told(bytes / kSector, true),
        obeys_(obeys) {
    host_tgt_socket.register_nb_transport_fw(this, &SteppedDrive::nb_transport_fw);
    register_tgt_socket.register_b_transport(this, &SteppedDrive::b_transport);
  }

  tlm_utils::simple_target_socket<SteppedDrive> host_tgt_socket;
  tlm_utils::simple_target_socket_optional<SteppedDrive> register_tgt_socket;
  std::vector<std::uint8_t> media;
  std::vector<bool> told;  ///< of each sector: the array has heard that it was written

  std::size_t commands() const { return commands_.size(); }
  void set_alive(bool alive) {
    if (alive_ && !alive) ++failures_;
    alive_ = alive;
  }
  void empty() {
    std::fill(media.begin(), media.end(), kEmpty);
    told.assign(told.size(), true);
  }
  /// The next step of a command. `refuses`: a write that has not begun is refused, and of a read one sector after the other cannot be read.
  void step(std::size_t which, bool refuses) {
    Work& work = commands_.at(which);
    auto& extension = *work.payload->get_extension<CommandExtension>();
    const bool fails = obeys_ && (!alive_ || work.failures != failures_);
    const std::size_t begin = work.payload->get_address();
    const std::size_t length = work.payload->get_data_length();
    refuses = refuses && !fails && (!work.payload->is_write() || work.steps == 0);
    if (!fails && !refuses && work.payload->is_write() && work.steps < 2) {
      const std::size_t half = length / kSector / 2 * kSector;
      const std::size_t from = work.steps == 0 ? 0 : half;
      const std::size_t to = work.steps == 0 ? half : length;
      std::copy(work.payload->get_data_ptr() + from, work.payload->get_data_ptr() + to,
                media.begin() + static_cast<std::ptrdiff_t>(begin + from));
      for (std::size_t s = (begin + from) / kSector; s < (begin + to) / kSector; ++s) told[s] = false;
      ++work.steps;
      return;
    }
    if (!fails && !refuses && work.payload->is_read())
      std::copy_n(media.begin() + static_cast<std::ptrdiff_t>(begin), length, work.payload->get_data_ptr());
    if (!fails && !refuses && work.payload->is_write())
      for (std::size_t s = begin / kSector; s < (begin + length) / kSector; ++s) told[s] = true;
    extension.status = fails                      ? CommandStatus::DriveFailed
                       : !refuses                 ? CommandStatus::Good
                       : work.payload->is_write() ? CommandStatus::QueueFull
                                                  : CommandStatus::Unreadable;
    extension.first_bad = begin / kSector + (refuses ? bad_++ % std::max<std::size_t>(length / kSector, 1) : 0);
    extension.timing = {};
    extension.timing.issued = extension.timing.accepted = extension.issued;
    extension.timing.started = extension.timing.completed = core::now_ps();
    extension.timing.queue = core::now_ps() - extension.issued;
    tlm::tlm_generic_payload& payload = *work.payload;
    commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(which));
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host_tgt_socket->nb_transport_bw(payload, phase, delay);
    payload.release();
  }

 private:
  struct Work {
    tlm::tlm_generic_payload* payload;
    std::uint32_t failures;
    int steps;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& /*delay*/) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    payload.acquire();
    commands_.push_back({&payload, failures_ + (alive_ ? 0u : ~0u), 0});
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    std::uint32_t value = payload.get_address() == drive::reg::kState ? (alive_ ? drive::reg::kStateAlive : 0u) : failures_;
    if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), &value, sizeof value);
    } else {
      std::memcpy(&value, payload.get_data_ptr(), sizeof value);
      set_alive((value & drive::reg::kStateAlive) != 0);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  std::vector<Work> commands_;
  bool obeys_;
  bool alive_ = true;
  std::uint32_t failures_ = 0;
  std::size_t bad_ = 0;  ///< reads refused so far
};

struct EventCase {
  const char* name;
  std::uint32_t drives;
  std::uint64_t units;  ///< more than drives: further rows, whose backups are elsewhere
  bool obeys;           ///< the array stops a drive by its registers
  std::uint32_t rebuild;

  friend std::ostream& operator<<(std::ostream& out, const EventCase& c) { return out << c.name; }
};

/// The array above such drives, a host, and the shadow model. `begin` makes a new array out of it.
class EventRig : public ArrayClientIf {
 public:
  explicit EventRig(const EventCase& of) : of_(of) {
    ArrayConfig config;
    config.drives = of.drives;
    config.areas = {area_of(of.units, kUnitBytes, true)};
    config.rebuild.outstanding = of.rebuild;
    config.drive_bytes = 2 * ((of.units + of.drives - 1) / of.drives) * kUnitBytes;
    array = std::make_unique<Array>("array", config);
    for (std::uint32_t i = 0; i < config.drives; ++i) {
      drives.push_back(std::make_unique<SteppedDrive>(("disk" + std::to_string(i)).c_str(), config.drive_bytes, of.obeys));
      array->disk_init_sockets[i].bind(drives[i]->host_tgt_socket);
      if (of.obeys) array->register_init_sockets[i].bind(drives[i]->register_tgt_socket);
    }
    settle();
  }

  std::vector<std::unique_ptr<SteppedDrive>> drives;
  std::unique_ptr<Array> array;
  Ledger ledger{kSector};
  std::uint64_t good_writes = 0, failed_writes = 0, no_copies = 0;
  std::string history;

  void begin() {
    ASSERT_EQ(array->outstanding(), 0u) << history;
    for (std::uint32_t d = 0; d < of_.drives; ++d) {
      ASSERT_TRUE(array->alive(d) && array->stale_units(d) == 0) << history;
      std::fill(drives[d]->media.begin(), drives[d]->media.end(), std::uint8_t{0});
      drives[d]->told.assign(drives[d]->told.size(), true);
    }
    ledger = Ledger(array->capacity_bytes());
    number_ = 0;
    jobs_used_ = 0;
    history.clear();
  }
  void write(std::uint64_t sector, std::uint64_t sectors, bool continuous = false) {
    submit(true, sector, sectors, continuous);
  }
  void read(std::uint64_t sector) { submit(false, sector, 1); }
  void flush() {
    Job& job = next_job();
    job.operation = command::Operation::Flush;
    job.length = 0;
    history += " flush";
    array->submit(job);
    settle();
  }
  void fail(std::uint32_t d) {
    history += " fail" + std::to_string(d);
    array->fail(d);
    settle();
    check();
  }
  void revive(std::uint32_t d) {
    history += " revive" + std::to_string(d);
    array->revive(d);
    settle();
    check();
  }
  void replace(std::uint32_t d) {
    history += " replace" + std::to_string(d);
    drives[d]->empty();
    array->replace(d);
    replaced_ |= 1u << d;
    settle();
    check();
  }
  /// A command of this drive, or else of the next one that has any, takes a step. False if there is none.
  bool step(std::uint32_t d, std::size_t which = 0, bool refuses = false) {
    d %= of_.drives;
    for (std::uint32_t i = 0; i < of_.drives; ++i, d = (d + 1) % of_.drives) {
      if (drives[d]->commands() == 0) continue;
      history += " ." + std::to_string(d);
      drives[d]->step(which % drives[d]->commands(), refuses);
      settle();
      check();
      return true;
    }
    return false;
  }
  /// Reads every unit: the bytes are right, or NoCopy is.
  void read_all() {
    for (std::uint64_t unit = 0; unit < of_.units; ++unit) {
      const bool held = is_held(unit);
      Job& job = submit(false, unit * kUnitSectors, kUnitSectors);
      for (int i = 0; i < 1000 && !job.ended; ++i) step(static_cast<std::uint32_t>(i));
      ASSERT_TRUE(job.ended) << history;
      if (job.status == CommandStatus::Good) continue;
      ASSERT_TRUE(job.status == CommandStatus::NoCopy || job.status == CommandStatus::Unreadable) << history;
      ASSERT_FALSE(held) << "unit " << unit << " is on a drive that is alive:" << history;
      ++no_copies;
    }
  }
  /// Everything ends, all drives return, and nothing is missing.
  void end() {
    run_down();
    ASSERT_NO_FATAL_FAILURE(read_all());
    for (std::uint32_t d = 0; d < of_.drives; ++d)
      if (!array->alive(d)) revive(d);
    for (int turn = 0; turn < 200 && !fresh(); ++turn) {
      run_down();
      sc_core::sc_start(1, sc_core::SC_MS);
    }
    if (of_.rebuild == 0) rewrite();
    ASSERT_TRUE(fresh()) << history;
    ASSERT_EQ(array->outstanding(), 0u) << history;
    for (std::uint64_t unit = 0; unit < of_.units; ++unit)
      for (std::uint64_t s = 0; s < kUnitSectors; ++s)
        for (std::uint32_t copy = 0; copy < 2; ++copy)  // what the first one has is the sector's contents for the second one
          ASSERT_TRUE(array->lacks(place_of(unit, copy), s * kSector, kSector) ||
                      ledger.look(unit * kUnitSectors + s, bytes_of(unit, copy) + s * kSector, ~std::uint64_t{0}))
              << "sector " << s << " of unit " << unit << ":" << history;
    if (std::exchange(lost_sectors_, array->errors().lost_sectors) < array->errors().lost_sectors) rewrite();
  }

 private:
  struct Job : ArrayRequest {
    std::vector<std::uint8_t> bytes;
    std::uint64_t number = 0;
    bool ended = false;
  };

  Job& next_job() {
    if (jobs_used_ == jobs_.size()) jobs_.push_back(std::make_unique<Job>());
    Job& job = *jobs_[jobs_used_++];
    job.client = this;
    job.ended = false;
    job.number = ++number_;
    job.cls = RequestClass::Discrete;
    return job;
  }
  Job& submit(bool write, std::uint64_t sector, std::uint64_t sectors, bool continuous = false) {
    Job& job = next_job();
    if (continuous) job.cls = RequestClass::Continuous;
    job.operation = command::read_or_write(write);
    job.address = sector * kSector;
    job.length = static_cast<std::uint32_t>(sectors * kSector);
    job.bytes.assign(job.length, 0xEE);
    job.data = job.bytes.data();
    if (write) ledger.accept(job, job.number);
    history += (write ? " w" : " r") + std::to_string(sector) + "+" + std::to_string(sectors);
    array->submit(job);
    settle();
    return job;
  }
  void finished(ArrayRequest& request) override {
    auto& job = static_cast<Job&>(request);
    job.ended = true;
    const bool good = job.status == CommandStatus::Good;
    if (job.flush()) return;
    history += (good ? " ok" : " bad") + std::to_string(job.address / kSector);
    if (job.write()) {
      ledger.ended(job, job.number);
      ++(good ? good_writes : failed_writes);
    } else if (good) {
      for (std::uint64_t s = 0; s < job.length / kSector; ++s)
        ASSERT_TRUE(ledger.look(job.address / kSector + s, job.data + s * kSector, job.number))
            << "sector " << s << ":" << history;
    }
  }
  void settle() {
    sc_core::sc_start(1, sc_core::SC_PS);
    for (std::uint32_t d = 0; d < of_.drives; ++d) {
      if ((replaced_ >> d & 1) == 0) continue;
      if (array->alive(d))
        replaced_ &= ~(1u << d);
      else
        drives[d]->empty();  // what carries on does so in the drive that is gone
    }
  }
  void run_down() {
    for (int i = 0; i < 5000 && step(static_cast<std::uint32_t>(i)); ++i) {
    }
  }
  bool fresh() const {
    for (std::uint32_t d = 0; d < of_.drives; ++d)
      if (!array->alive(d) || array->stale_units(d) > 0) return false;
    return true;
  }
  /// Without a rebuild units become fresh by being written.
  void rewrite() {
    for (std::uint64_t unit = 0; unit < of_.units; ++unit) {
      submit(true, unit * kUnitSectors, kUnitSectors);
      run_down();
    }
  }
  UnitPlace place_of(std::uint64_t unit, std::uint32_t copy) const {
    return array->map().place(array->map().areas()[0], unit, copy);
  }
  /// Sectors of this copy were lost in a rebuild. Of a stale unit the array lacks all.
  bool has_lost(const UnitPlace& place) const {
    std::uint64_t lost = 0;
    for (std::uint64_t s = 0; s < kUnitSectors; ++s) lost += array->lacks(place, s * kSector, kSector) ? 1u : 0u;
    return lost > 0 && lost < kUnitSectors;
  }
  const std::uint8_t* bytes_of(std::uint64_t unit, std::uint32_t copy) const {
    const UnitPlace place = place_of(unit, copy);
    return drives[place.drive]->media.data() + place.address;
  }
  bool is_complete(std::uint64_t unit, std::uint32_t copy) const {
    for (std::uint64_t s = 0; s < kUnitSectors; ++s)
      if (!ledger.allows(unit * kUnitSectors + s, bytes_of(unit, copy) + s * kSector)) return false;
    return true;
  }
  /// Does a drive that is alive hold the unit for certain, as far as the array has been told? A write that has failed leaves one
  /// copy of two; which one is not the matter here. Nor is what a drive does that carries on after its failure.
  bool is_held(std::uint64_t unit) const {
    bool all_alive = true;
    bool held = false;
    for (std::uint32_t copy = 0; copy < 2; ++copy) {
      const UnitPlace place = place_of(unit, copy);
      all_alive = all_alive && array->alive(place.drive);
      bool certain = of_.obeys && array->alive(place.drive) && is_complete(unit, copy);
      if (has_lost(place)) return false;  // a read that needs both copies may fail
      for (std::uint64_t s = 0; s < kUnitSectors; ++s)
        certain =
            certain && drives[place.drive]->told[place.address / kSector + s] && !ledger.in_doubt(unit * kUnitSectors + s);
      held = held || certain;
    }
    return held || all_alive;
  }
  /// Drives that are alive and have no stale unit have everything that has ended well.
  void check() {
    for (std::uint64_t unit = 0; unit < of_.units; ++unit)
      for (std::uint32_t copy = 0; copy < 2; ++copy) {
        const std::uint32_t d = place_of(unit, copy).drive;
        if (!array->alive(d) || array->stale_units(d) > 0 || has_lost(place_of(unit, copy))) continue;
        ASSERT_TRUE(is_complete(unit, copy)) << "unit " << unit << " on drive " << d << ":" << history;
      }
  }

  const EventCase of_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::size_t jobs_used_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t lost_sectors_ = 0;  ///< in rebuilds so far
  std::uint32_t replaced_ = 0;      ///< drives that are not in use yet, one bit each
};

class ArrayEvents : public ::testing::TestWithParam<EventCase> {};

/// Every instant of a failure, of a return and of a second failure, in several orders of the drives' events. With two writes, the
/// second one arrives at first, or right after the return, before the drive is used.
TEST_P(ArrayEvents, NothingIsLostAtAnyEventOfAWrite) {
  EventRig rig(GetParam());
  struct Write {
    std::uint64_t sector, sectors;
  };
  const std::vector<std::vector<Write>> scenarios = {{{0, 4}},         {{1, 2}},         {{0, 2}, {2, 2}},
                                                     {{0, 4}, {1, 2}}, {{1, 2}, {0, 4}}, {{2, 4}, {0, 8}}};
  const std::vector<std::uint32_t> orders = {0b000000, 0b111111, 0b010101, 0b000111, 0b111000, 0b001011};
  constexpr std::uint32_t kLast = 7;
  std::uint64_t runs = 0;
  for (const auto& writes : scenarios)
    for (const std::uint32_t order : orders)
      for (std::uint32_t variant = 0; variant < 24; ++variant) {
        const std::uint32_t first = variant % 2;
        const bool replaced = variant / 2 % 2 != 0;
        const std::uint32_t second = variant / 4 % 3;  // none, the other one, the same one
        const bool late = variant / 12 != 0;
        if (late && writes.size() < 2) continue;
        for (std::uint32_t fails = 0; fails <= kLast; ++fails)
          for (std::uint32_t returns = fails; returns <= kLast; ++returns)
            for (std::uint32_t again = returns; again <= (second == 0 ? returns : kLast); ++again) {
              if (kSanitized && ++runs % 10 != 0) continue;
              ASSERT_NO_FATAL_FAILURE(rig.begin());
              rig.write(writes[0].sector, writes[0].sectors);
              if (writes.size() > 1 && !late) rig.write(writes[1].sector, writes[1].sectors);
              for (std::uint32_t at = 0; at <= kLast + 4; ++at) {
                if (at == fails) rig.fail(first);
                if (at == returns) {
                  if (replaced)
                    rig.replace(first);
                  else
                    rig.revive(first);
                  if (late) rig.write(writes[1].sector, writes[1].sectors);
                }
                if (second != 0 && at == again) rig.fail(second == 1 ? 1 - first : first);
                rig.step(order >> at % 6 & 1);
                if (HasFatalFailure()) return;
              }
              ASSERT_NO_FATAL_FAILURE(rig.end());
            }
      }
  EXPECT_GT(rig.good_writes, rig.failed_writes);
  EXPECT_GT(rig.failed_writes, 0u);
  EXPECT_GT(rig.no_copies, 0u);
}

/// Any order of everything: reads, writes and flushes arrive, drives take steps, fail, return. Sectors that cannot be read are repaired. A drive is replaced only when each of the
/// others says that it has everything; so nothing that has ended well may ever be missing.
TEST_P(ArrayEvents, NothingIsLostInAnyOrderOfEvents) {
  EventRig rig(GetParam());
  core::RandomStream random(7, GetParam().name);
  const std::uint32_t drives = GetParam().drives;
  const std::uint64_t sectors = GetParam().units * kUnitSectors;
  const auto draw = [&random](std::uint64_t limit) { return static_cast<std::uint32_t>(random.below(limit)); };
  std::uint64_t replaced = 0;
  for (std::uint32_t run = 0; run < scaled(6000); ++run) {
    ASSERT_NO_FATAL_FAILURE(rig.begin());
    for (std::uint32_t i = 0; i < 40; ++i) {
      const std::uint32_t d = draw(drives);
      const std::uint32_t what = draw(24);
      if (what < 4) {
        const std::uint64_t length = 1 + draw(6);
        if (draw(3) == 0)
          rig.write(draw(GetParam().units) * kUnitSectors, kUnitSectors, draw(2) == 0);
        else
          rig.write(draw(std::min<std::uint64_t>(8, sectors - length + 1)), length, draw(2) == 0);
      } else if (what == 4) {
        rig.flush();
      } else if (what == 8) {
        rig.read(draw(8));
      } else if (what == 5) {
        if (rig.array->alive(d) || draw(2) == 0) rig.fail(d);
      } else if (what == 6 || what == 7) {
        bool others = true;
        for (std::uint32_t o = 0; o < drives; ++o)
          others = others && (o == d || (rig.array->alive(o) && rig.array->stale_units(o) == 0));
        if (rig.array->alive(d)) continue;
        if (others && draw(2) == 0) {
          rig.replace(d);
          ++replaced;
        } else {
          rig.revive(d);
        }
      } else {
        rig.step(d, draw(3), draw(8) == 0);
      }
      if (HasFatalFailure()) return;
    }
    ASSERT_NO_FATAL_FAILURE(rig.end());
  }
  EXPECT_GT(replaced, scaled(500));
  EXPECT_GT(rig.good_writes, scaled(10'000));
  EXPECT_EQ(rig.array->errors().repaired >= scaled(30), GetParam().rebuild > 0);
  EXPECT_EQ(rig.array->errors().lost_sectors >= scaled(30), GetParam().rebuild > 0);
}

/// A write fails on both drives. The one that returns first has the data from then on, whichever it is.
TEST(ArrayDoubt, TheDriveThatReturnsFirstDecides) {
  EventRig rig({"Doubt", 2, 2, true, 1});
  for (const std::uint32_t first : {0u, 1u})
    for (const std::uint32_t steps : {0u, 1u, 2u})
      for (const bool replaced : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(rig.begin());
        rig.write(0, 4);
        for (std::uint32_t i = 0; i < steps; ++i) rig.step(1 - first);
        rig.fail(0);
        rig.fail(1);
        while (rig.step(0)) {
        }
        EXPECT_EQ(rig.array->stale_units(0) + rig.array->stale_units(1), 0u);
        rig.revive(first);
        ASSERT_TRUE(rig.array->alive(first));
        EXPECT_EQ(rig.array->stale_units(1 - first), 1u) << "the copies may differ";
        const std::uint64_t no_copies = rig.no_copies;
        ASSERT_NO_FATAL_FAILURE(rig.read_all());
        EXPECT_EQ(rig.no_copies, no_copies) << rig.history;
        if (replaced) rig.replace(1 - first);
        ASSERT_NO_FATAL_FAILURE(rig.end());
      }
  EXPECT_EQ(rig.good_writes, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, ArrayEvents,
                         ::testing::Values(EventCase{"TwoDrives", 2, 3, true, 1},
                                           EventCase{"TwoDrivesThatCarryOn", 2, 3, false, 1},
                                           EventCase{"ThreeDrives", 3, 7, true, 2}, EventCase{"NoRebuild", 2, 2, true, 0}),
                         [](const auto& test) { return std::string(test.param.name); });

/// The same with drives that take their time: one fails after each event of the kernel that a write has, and is replaced or
/// revived after each later one.
TEST(ArrayEventsOfDrives, NothingIsLostWhenADriveIsReplacedAtAnyOfThem) {
  ArrayConfig config;
  config.drives = 2;
  config.areas = {area_of(6, 4096, true)};
  ArrayRig rig(config);
  Array& array = *rig.array;
  struct Host : ArrayClientIf {
    void finished(ArrayRequest& /*request*/) override { ended = true; }
    bool ended = false;
  } host, reader;
  constexpr std::uint32_t kBytes = 3 * 4096;
  std::vector<std::uint8_t> data(kBytes);
  std::vector<std::uint8_t> zeroes(6 * 4096);
  ArrayRequest request;
  request.client = &host;
  const auto submit = [&](bool write) {
    host.ended = false;
    request.operation = command::read_or_write(write);
    request.address = 0;
    request.length = kBytes;
    request.data = data.data();
    array.submit(request);
  };
  // A read that holds the other drive up, so that the one that fails answers first.
  std::vector<std::uint8_t> read(4096);
  ArrayRequest ahead;
  ahead.client = &reader;
  ahead.length = 4096;
  ahead.data = read.data();
  const auto hold_up = [&](std::uint32_t drive) {
    ahead.address = (3 + (1 - drive)) * 4096;
    ASSERT_EQ(array.map().place(array.map().areas()[0], ahead.address / 4096, 0).drive, drive);
    reader.ended = false;
    array.submit(ahead);
  };
  const auto next_event = [] {
    sc_core::sc_start(sc_core::sc_pending_activity_at_future_time() ? sc_core::sc_time_to_pending_activity()
                                                                    : core::to_sc_time(kUs));
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  };
  const auto is_fresh = [&array] {
    return array.alive(0) && array.alive(1) && array.stale_units(0) + array.stale_units(1) == 0;
  };
  run_until(kUs);
  std::uint8_t stamp = 0;
  std::uint32_t most = 0;
  std::uint64_t trials = 0;
  for (const std::uint32_t drive : {0u, 1u})
    for (const bool replaced : {true, false})
      for (std::uint32_t fails = 0; fails < 60; ++fails) {
        bool over = false;  // the write has ended before the failure
        for (std::uint32_t returns = fails; returns < fails + 12 && !over; ++returns) {
          ++trials;
          std::fill(data.begin(), data.end(), ++stamp);
          hold_up(1 - drive);
          submit(true);
          std::uint32_t event = 0;
          for (; event < fails && !host.ended; ++event) next_event();
          over = host.ended;
          array.fail(drive);
          for (; event < returns; ++event) next_event();
          if (replaced) {
            tlm::tlm_generic_payload empty;
            empty.set_write();
            empty.set_data_ptr(zeroes.data());
            empty.set_data_length(static_cast<unsigned>(zeroes.size()));
            rig.drives[drive]->host_tgt_socket.get_base_export()->transport_dbg(empty);
            array.replace(drive);
          } else {
            array.revive(drive);
          }
          for (int i = 0; i < 20'000 && !(host.ended && reader.ended && is_fresh()); ++i) next_event();
          ASSERT_TRUE(host.ended && reader.ended && is_fresh());
          ASSERT_EQ(request.status, CommandStatus::Good);
          array.fail(1 - drive);
          submit(false);
          for (int i = 0; i < 20'000 && !host.ended; ++i) next_event();
          ASSERT_EQ(request.status, CommandStatus::Good);
          ASSERT_EQ(data, std::vector<std::uint8_t>(kBytes, stamp)) << "fails at " << fails << ", returns at " << returns;
          array.revive(1 - drive);
          for (int i = 0; i < 20'000 && !is_fresh(); ++i) next_event();
          most = std::max(most, fails);
        }
        if (over) break;
      }
  EXPECT_GT(most, 5u);
  EXPECT_GT(trials, 200u);
}

}  // namespace
}  // namespace platter::testing
