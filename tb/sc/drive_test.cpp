// SPDX-License-Identifier: Apache-2.0
//
// The drive at its socket: transport interfaces, phases, back-pressure, refusals, and times compared with hand calculations.
#include "testing.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base_protocol_checker.h"
#include "platter/core/random.h"

namespace platter::testing {
namespace {

using core::RandomStream;
using drive::ControllerState;

constexpr Picoseconds us(double value) { return core::to_picoseconds(value, kUs); }

/// The toy drive's behaviour with one command at a time under FCFS, calculated sector by sector and independently of the planner's formulas.
class ToyOracle {
 public:
  CommandTiming serve(Picoseconds issued, bool write, std::uint64_t lba, std::uint32_t blocks) {
    static constexpr Picoseconds kOverhead[2][2] = {{300 * kUs, 310 * kUs}, {320 * kUs, 330 * kUs}};
    CommandTiming t;
    t.issued = t.accepted = issued;
    t.started = issued + kToyFcfsDecision;
    t.queue = kToyFcfsDecision;
    t.overhead = kOverhead[write][last_was_write_];
    go_to(lba, write, t.seek, t.settle);
    Picoseconds ready = t.started + t.overhead + t.seek + t.settle;
    // Data crosses the bus from the end of the overhead on, faster than it is written: its first block is enough.
    const Picoseconds data_ready = issued + t.overhead + 5 * kUs;
    if (write && data_ready > ready) {
      t.bus = data_ready - ready;
      ready = data_ready;
    }
    const Picoseconds first = sector_start(lba, ready);
    t.rotation = first - ready;
    Picoseconds end = first;
    Picoseconds bus = 0;
    for (std::uint64_t block = lba; block < lba + blocks; ++block) {
      if (block != lba && block % kToyTrack == 0) {
        Picoseconds seek = 0;
        Picoseconds settle = 0;
        go_to(block, write, seek, settle);
        end += seek + settle;
      }
      end = sector_start(block, end) + 100 * kUs;
      bus = std::max(bus, end) + 5 * kUs;
    }
    t.transfer = end - first;
    t.completed = write ? end : bus;
    if (!write) t.bus = bus - end;
    last_was_write_ = write;
    return t;
  }

 private:
  static Picoseconds sector_start(std::uint64_t lba, Picoseconds from) {
    const Picoseconds phase = static_cast<Picoseconds>(lba % kToyTrack) * 100 * kUs;
    Picoseconds start = from / kToyTurn * kToyTurn + phase;
    if (start < from) start += kToyTurn;
    return start;
  }
  void go_to(std::uint64_t lba, bool write, Picoseconds& seek, Picoseconds& settle) {
    const auto cylinder = static_cast<std::int64_t>(lba / kToyCylinder);
    const auto head = static_cast<std::int64_t>(lba / kToyTrack % 2);
    const std::int64_t distance = cylinder > cylinder_ ? cylinder - cylinder_ : cylinder_ - cylinder;
    seek = distance == 0 ? 0 : (1'000 + 10 * (distance - 1)) * kUs;
    if (head != head_) seek = std::max(seek, 500 * kUs);
    settle = write && (distance != 0 || head != head_) ? 200 * kUs : 0;
    cylinder_ = cylinder;
    head_ = head;
  }

  std::int64_t cylinder_ = 0;
  std::int64_t head_ = 0;
  bool last_was_write_ = false;
};

void expect_times(const CommandTiming& actual, const CommandTiming& expected) {
  EXPECT_EQ(actual.issued, expected.issued);
  EXPECT_EQ(actual.accepted, expected.accepted);
  EXPECT_EQ(actual.started, expected.started);
  EXPECT_EQ(actual.completed, expected.completed);
  EXPECT_EQ(actual.queue, expected.queue);
  EXPECT_EQ(actual.overhead, expected.overhead);
  EXPECT_EQ(actual.seek, expected.seek);
  EXPECT_EQ(actual.settle, expected.settle);
  EXPECT_EQ(actual.rotation, expected.rotation);
  EXPECT_EQ(actual.transfer, expected.transfer);
  EXPECT_EQ(actual.bus, expected.bus);
  EXPECT_EQ(actual.parts(), actual.response());
}

struct Io {
  bool write;
  std::uint64_t lba;
  std::uint32_t blocks;
};

std::vector<Io> random_ios(std::size_t count, std::uint64_t seed, std::uint32_t most_blocks, std::uint64_t capacity) {
  RandomStream random(seed, "ios");
  std::vector<Io> ios;
  for (std::size_t i = 0; i < count; ++i) {
    const auto blocks = static_cast<std::uint32_t>(1 + random.below(most_blocks));
    // Half of them close together, so that short seeks, head switches and none at all occur too.
    const std::uint64_t span = random.below(2) == 0 ? capacity : 1'000;
    ios.push_back({random.below(2) == 0, random.below(span - blocks + 1), blocks});
  }
  return ios;
}

/// Keeps `depth` commands of a list outstanding until the list ends.
class ClosedLoop {
 public:
  ClosedLoop(AtHost& host, std::vector<Io> ios, std::size_t depth) : host_(host), ios_(std::move(ios)) {
    timings.resize(ios_.size());
    host_.on_finished = [this](Transaction& transaction) {
      timings[numbers_.at(&transaction)] = transaction.timing();
      EXPECT_EQ(transaction.status(), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(transaction.timing().completed, transaction.begin_resp);
      issue();
    };
    for (std::size_t i = 0; i < depth; ++i) issue();
  }

  bool done() const { return host_.finished() == ios_.size(); }
  std::vector<CommandTiming> timings;  ///< in the order of the list

 private:
  void issue() {
    if (next_ == ios_.size()) return;
    const Io& io = ios_[next_];
    Transaction& transaction = host_.reuse();
    numbers_[&transaction] = next_++;
    transaction.set(io.write, io.lba, io.blocks);
    host_.submit(transaction);
  }

  AtHost& host_;
  std::vector<Io> ios_;
  std::map<const Transaction*, std::size_t> numbers_;
  std::size_t next_ = 0;
};

// --- b_transport, transport_dbg ----------------------------------------------------------------------------------------

TEST(DriveBlocking, ReadReturnsWhatWasWrittenAndZeroElsewhere) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  BaseProtocolChecker checker("checker");
  Script script("script", [](Script& s) {
    Transaction t(nullptr);
    s.access(t, false, 0, 4);
    EXPECT_EQ(t.data, std::vector<std::uint8_t>(2048, 0)) << "never written";
    // The media keeps chunks of 128 blocks: across a chunk's end, over a whole one, and the last block of the drive.
    const std::vector<std::pair<std::uint64_t, std::uint32_t>> places = {{127, 2}, {250, 140}, {kToyBlocks - 1, 1}};
    std::uint8_t fill = 1;
    for (const auto& [lba, blocks] : places) s.access(t, true, lba, blocks, fill++);
    fill = 1;
    for (const auto& [lba, blocks] : places) {
      s.access(t, false, lba, blocks);
      EXPECT_EQ(t.data, std::vector<std::uint8_t>(std::size_t{blocks} * 512, fill)) << "block " << lba;
      ++fill;
    }
    s.access(t, false, 126, 4);  // the neighbours of the first write
    std::vector<std::uint8_t> expected(2048, 0);
    std::fill(expected.begin() + 512, expected.begin() + 1536, std::uint8_t{1});
    EXPECT_EQ(t.data, expected);
  });
  script.disk_init_socket.bind(checker.checked_tgt_socket);
  checker.checked_init_socket.bind(disk->host_tgt_socket);
  script.run_to_end();
  EXPECT_EQ(disk->host_port().completed(), 8u);
  EXPECT_EQ(disk->host_port().rejected(), 0u);
  EXPECT_EQ(disk->queue().occupancy(), 0u);
}

TEST(DriveBlocking, AnnotatedDelayIsWaitedFor) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  Script script("script", *disk, [](Script& s) {
    Transaction t(nullptr);
    t.set(false, 0, 8);
    s.transport(t, 3 * kMs);
    EXPECT_EQ(t.timing().issued, 3 * kMs);
    EXPECT_EQ(t.timing().completed, us(7205));
    EXPECT_EQ(core::now_ps(), us(7205)) << "the call comes back with no time left to wait for";
    EXPECT_EQ(t.begin_resp, us(7205));
  });
  script.run_to_end();
}

TEST(DriveBlocking, WithoutAnExtensionToo) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  Script script("script", *disk, [](Script& s) {
    Transaction t(nullptr);
    t.set(true, 0, 8, 0x5A);
    t.payload.clear_extension(&t.extension);
    s.transport(t);
    EXPECT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(core::now_ps(), us(7200));
    t.payload.set_address(1);
    s.transport(t);
    EXPECT_EQ(t.status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  script.run_to_end();
}

TEST(DriveBlocking, ManyCallersShareTheQueue) {
  profile::DriveProfile profile = toy_profile();
  profile.queue_depth = 2;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  constexpr std::size_t kCallers = 7;
  std::vector<std::unique_ptr<Transaction>> transactions;
  for (std::size_t i = 0; i < kCallers; ++i) transactions.push_back(std::make_unique<Transaction>(nullptr));
  std::size_t done = 0;
  Script script("script", *disk, [&](Script& s) {
    for (std::size_t i = 0; i < kCallers; ++i)
      s.spawn([&, i] {
        transactions[i]->set(true, 128 * i, 1, static_cast<std::uint8_t>(i + 1));
        s.transport(*transactions[i]);
        ++done;
      });
  });
  run_until(100 * kMs);
  EXPECT_EQ(done, kCallers);
  std::uint32_t waited = 0;
  for (const auto& t : transactions) {
    EXPECT_EQ(t->status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(t->timing().issued, 0) << "the time before the queue took it belongs to the response";
    EXPECT_EQ(t->timing().parts(), t->timing().response());
    waited += t->timing().accepted > 0 ? 1u : 0u;
  }
  EXPECT_EQ(waited, kCallers - 2);
}

TEST(DriveDebug, ReachesTheMediaWithoutTime) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    const auto debug = [&](tlm::tlm_command command, std::uint64_t address, std::vector<std::uint8_t>& data) {
      t.payload.set_command(command);
      t.payload.set_address(address);
      t.payload.set_data_ptr(data.data());
      t.payload.set_data_length(static_cast<unsigned>(data.size()));
      return s.disk_init_socket->transport_dbg(t.payload);
    };
    // Any byte address, across a chunk of the media.
    std::vector<std::uint8_t> data(300, 7);
    EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, 65'536 - 100, data), 300u);
    std::vector<std::uint8_t> back(302, 0xEE);
    EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, 65'536 - 101, back), 302u);
    std::vector<std::uint8_t> expected(302, 7);
    expected.front() = expected.back() = 0;
    EXPECT_EQ(back, expected);
    // The end of the drive: as many bytes as there are.
    EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, kToyBlocks * 512 - 10, data), 10u);
    EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, kToyBlocks * 512, back), 0u);
    EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, ~std::uint64_t{0}, back), 0u);
    EXPECT_EQ(debug(tlm::TLM_IGNORE_COMMAND, 0, back), 0u);
    EXPECT_EQ(core::now_ps(), 0);
    EXPECT_EQ(disk->host_port().completed() + disk->host_port().rejected(), 0u);
    // And a timed read sees it.
    s.access(t, false, 127, 2);
    EXPECT_EQ(t.data[411], 0);
    EXPECT_EQ(t.data[412], 7);
    EXPECT_EQ(t.data[711], 7);
    EXPECT_EQ(t.data[712], 0);
  });
  script.run_to_end();
}

// --- times -------------------------------------------------------------------------------------------------------------

TEST(DriveTiming, ReadByHand) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  Script script("script", *disk, [](Script& s) {
    Transaction t(nullptr);
    s.access(t, false, 0, 8);
    // Decision 0.9, overhead 300: at 300.9 us sector 0 comes round at 6,400. Eight sectors, and the last one's bus time.
    EXPECT_EQ(t.timing().queue, us(0.9));
    EXPECT_EQ(t.timing().overhead, us(300));
    EXPECT_EQ(t.timing().seek, 0);
    EXPECT_EQ(t.timing().settle, 0);
    EXPECT_EQ(t.timing().rotation, us(6099.1));
    EXPECT_EQ(t.timing().transfer, us(800));
    EXPECT_EQ(t.timing().bus, us(5));
    EXPECT_EQ(t.timing().completed, us(7205));
    // Cylinder 10, head 0: 1,090 us of seek from 7,205 + 0.9 + 300, then sector 0 at 12,800.
    s.access(t, false, 1280, 4);
    EXPECT_EQ(t.timing().seek, us(1090));
    EXPECT_EQ(t.timing().rotation, us(12'800 - 8'595.9));
    EXPECT_EQ(t.timing().completed, us(13'205));
    // The other head of the same cylinder, sector 20: a head switch.
    s.access(t, false, 1280 + 64 + 20, 1);
    EXPECT_EQ(t.timing().seek, us(500));
    EXPECT_EQ(t.timing().completed, us(12'800 + 2'000 + 100 + 5));
  });
  script.run_to_end();
}

TEST(DriveTiming, WriteByHand) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  Script script("script", *disk, [](Script& s) {
    Transaction t(nullptr);
    // The first block is in the buffer 5 us after the overhead, which began with the decision: 325, and the heads are there at 320.9; no move, so no
    // settling. Sector 0 at 6,400, a turn for 64 sectors, head switch and settling lose a turn, 36 sectors more.
    s.access(t, true, 0, 100);
    EXPECT_EQ(t.timing().overhead, us(320));
    EXPECT_EQ(t.timing().settle, 0);
    EXPECT_EQ(t.timing().bus, us(4.1));
    EXPECT_EQ(t.timing().rotation, us(6075));
    EXPECT_EQ(t.timing().transfer, us(16'400));
    EXPECT_EQ(t.timing().completed, us(22'800));
    // Write after write, one cylinder on, head 1 to head 0: 330 + 1,000 + 200.
    s.access(t, true, 128, 1);
    EXPECT_EQ(t.timing().overhead, us(330));
    EXPECT_EQ(t.timing().seek, us(1000));
    EXPECT_EQ(t.timing().settle, us(200));
    EXPECT_EQ(t.timing().completed, us(25'700));
    // Read after write.
    s.access(t, false, 130, 1);
    EXPECT_EQ(t.timing().overhead, us(310));
    EXPECT_EQ(t.timing().settle, 0);
    EXPECT_EQ(t.timing().completed, us(25'600 + 6'400 + 200 + 100 + 5));
  });
  script.run_to_end();
}

TEST(DriveTiming, RandomCommandsEqualTheSectorBySectorOracle) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  const std::vector<Io> ios = random_ios(scaled(2'000), 3, 400, kToyBlocks);
  Script script("script", *disk, [&](Script& s) {
    ToyOracle oracle;
    RandomStream random(4, "pauses");
    Transaction t(nullptr);
    for (const Io& io : ios) {
      if (random.below(2) == 0) s.pause(static_cast<Picoseconds>(random.below(20'000'000'000)));
      const CommandTiming expected = oracle.serve(core::now_ps(), io.write, io.lba, io.blocks);
      s.access(t, io.write, io.lba, io.blocks);
      expect_times(t.timing(), expected);
      if (::testing::Test::HasFailure()) return;
    }
  });
  script.run_to_end();
  EXPECT_EQ(disk->host_port().completed(), ios.size());
}

TEST(DriveTiming, EqualsThePlannersEstimateOnAMeasuredDrive) {
  profile::DriveProfile profile = system::load_drive("atlas10k");
  profile.cache = {};
  profile.firmware_base_cycles = 120;
  profile.firmware_candidate_cycles = 60;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile, false);
  const mechanics::AccessPlanner& planner = disk->planner();
  const std::vector<Io> ios = random_ios(scaled(500), 5, 700, planner.geometry().block_count());
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    mechanics::HeadState head;
    for (const Io& io : ios) {
      const Picoseconds start = core::now_ps() + kToyFcfsDecision;
      const mechanics::Extent extent = planner.resolve(core::Lba(io.lba), io.blocks, io.write);
      const Picoseconds data_ready =
          core::now_ps() + planner.command_overhead(io.write, head.last_was_write) + extent.data_lead;
      const mechanics::AccessTime time = planner.commit(head, extent, start, data_ready);
      s.access(t, io.write, io.lba, io.blocks);
      EXPECT_EQ(t.timing().started, start);
      EXPECT_EQ(t.timing().overhead, time.overhead);
      EXPECT_EQ(t.timing().seek, time.seek);
      EXPECT_EQ(t.timing().settle, time.settle);
      EXPECT_EQ(t.timing().rotation, time.rotation);
      EXPECT_EQ(t.timing().transfer, time.transfer);
      EXPECT_EQ(t.timing().parts(), t.timing().response());
      const Picoseconds media_end = start + time.positioning() + time.media;
      if (io.write) {
        EXPECT_EQ(t.timing().completed, media_end);
      } else {
        EXPECT_EQ(t.timing().completed, start + time.positioning() + time.bus_finish);
        EXPECT_GE(t.timing().completed, media_end + planner.bus_block_time(false));
      }
      if (::testing::Test::HasFailure()) return;
    }
  });
  script.run_to_end();
}

TEST(DriveTiming, LooselyAndApproximatelyTimedAgree) {
  const std::vector<Io> ios = random_ios(scaled(1'000), 6, 200, kToyBlocks);
  const auto lt_disk = make_drive("lt_disk", "SPTF", "firmware", toy_profile());
  std::vector<CommandTiming> lt;
  Script script("script", *lt_disk, [&](Script& s) {
    Transaction t(nullptr);
    for (const Io& io : ios) {
      s.access(t, io.write, io.lba, io.blocks);
      lt.push_back(t.timing());
    }
  });
  const auto at_disk = make_drive("at_disk", "SPTF", "firmware", toy_profile());
  AtHost host("host", *at_disk);
  ClosedLoop loop(host, ios, 1);
  sc_core::sc_start();
  ASSERT_TRUE(script.done());
  ASSERT_TRUE(loop.done());
  for (std::size_t i = 0; i < ios.size(); ++i) ASSERT_TRUE(same_times(lt[i], loop.timings[i])) << "command " << i;
  EXPECT_GT(lt.back().completed, 0);
}

TEST(DriveTiming, BusyTimeAndOccupancyByHand) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  AtHost host("host", *disk);
  Transaction& a = host.submit(false, 0, 8);
  Transaction& b = host.submit(false, 1280, 4);
  run_until(us(7202));  // the first read's last block is still on the bus
  EXPECT_EQ(disk->queue().occupancy(), 2u);
  EXPECT_EQ(disk->queue().occupancy_integral(core::now_ps()), 2.0 * static_cast<double>(us(7202)));
  EXPECT_EQ(disk->actuator().busy(core::now_ps()), us(7200 - 0.9) + us(2));
  run_until(20 * kMs);
  // a: 0.9 to 7,200, with the host at 7,205. b: decided meanwhile, from 7,200 on; sector 0 at 12,800, four sectors, bus.
  EXPECT_EQ(a.timing().completed, us(7205));
  EXPECT_EQ(b.timing().completed, us(13'205));
  EXPECT_EQ(b.timing().queue, us(7200));
  EXPECT_EQ(b.timing().rotation, us(4210));
  EXPECT_EQ(disk->actuator().busy(core::now_ps()), us(7199.1) + us(6000));
  EXPECT_EQ(disk->queue().occupancy_integral(core::now_ps()), static_cast<double>(us(7205) + us(13'205)));
}

TEST(DriveTiming, BusyTimeNeverRunsBack) {
  profile::DriveProfile profile = toy_profile();
  profile.firmware_base_cycles = 200'000;  // a millisecond, to see what happens while it decides
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  AtHost host("host", *disk);
  for (int i = 0; i < 5; ++i) host.submit(false, static_cast<std::uint64_t>(1'000 * i), 1);
  Picoseconds last = 0;
  for (Picoseconds now = 0; host.finished() < 5; now += 100 * kUs) {
    run_until(now);
    const Picoseconds busy = disk->actuator().busy(now);
    ASSERT_GE(busy, last) << "at " << now;
    ASSERT_LE(busy, last + 100 * kUs) << "at " << now;
    last = busy;
  }
  EXPECT_GT(last, 0);
}

TEST(DriveTiming, PhasesOfAnAccessAsAnObserverSeesThem) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  DriveWatch watch;
  disk->add_probe(watch);
  AtHost host("host", *disk);
  host.submit(true, 1280 + 20, 1, 1, [](auto& e) { e.tag = 5; });
  std::uint32_t half_way = 0;
  std::uint32_t at_start = 9;
  Script script("script", [&](Script& s) {
    s.pause_until(us(320.9));
    at_start = disk->actuator().arm().cylinder_at(core::now_ps());
    s.pause_until(us(320.9 + 1090.0 / 2));
    half_way = disk->actuator().arm().cylinder_at(core::now_ps());
    EXPECT_EQ(disk->actuator().current_tag(), 5);
  });
  run_until(20 * kMs);
  const std::vector<std::pair<ControllerState, Picoseconds>> expected = {
      {ControllerState::Decide, 0},          {ControllerState::Decide, 0},          {ControllerState::Overhead, us(0.9)},
      {ControllerState::Seek, us(320.9)},    {ControllerState::Settle, us(1410.9)}, {ControllerState::Rotate, us(1610.9)},
      {ControllerState::Transfer, us(2000)}, {ControllerState::Idle, us(2100)}};
  ASSERT_EQ(watch.states.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(watch.states[i].state, expected[i].first) << i;
    EXPECT_EQ(watch.states[i].since, expected[i].second) << i;
  }
  EXPECT_EQ(watch.tags, std::vector<int>{5});
  EXPECT_EQ(watch.most, 1u);
  EXPECT_EQ(at_start, 0u);
  EXPECT_EQ(half_way, 5u);
  EXPECT_EQ(disk->actuator().arm().cylinder_at(core::now_ps()), 10u);
  EXPECT_EQ(disk->actuator().current_tag(), -1);
}

class DriveObserved : public ::testing::TestWithParam<const char*> {};

TEST_P(DriveObserved, ObserversAndDataChangeNoTime) {
  const std::vector<Io> ios = random_ios(scaled(3'000), 7, 100, kToyBlocks);
  const auto plain = make_drive("plain", GetParam(), "firmware", toy_profile());
  const auto watched = make_drive("watched", GetParam(), "firmware", toy_profile());
  const auto empty = make_drive("empty", GetParam(), "firmware", toy_profile(), false);
  DriveWatch watch;
  watched->add_probe(watch);
  AtHost plain_host("plain_host", *plain);
  AtHost watched_host("watched_host", *watched);
  AtHost empty_host("empty_host", *empty);
  ClosedLoop a(plain_host, ios, 32);
  ClosedLoop b(watched_host, ios, 32);
  ClosedLoop c(empty_host, ios, 32);
  sc_core::sc_start();
  ASSERT_TRUE(a.done() && b.done() && c.done());
  for (std::size_t i = 0; i < ios.size(); ++i) {
    ASSERT_TRUE(same_times(a.timings[i], b.timings[i])) << "observer, command " << i;
    ASSERT_TRUE(same_times(a.timings[i], c.timings[i])) << "timing only, command " << i;
  }
  EXPECT_EQ(watch.tags.size(), ios.size());
  EXPECT_EQ(watch.most, 32u);
  EXPECT_FALSE(empty->media().keeps_bytes());
}

INSTANTIATE_TEST_SUITE_P(Policies, DriveObserved, ::testing::Values("FCFS", "SSTF", "SPTF", "SCAN"));

// --- the four phases ---------------------------------------------------------------------------------------------------

struct PhaseCase {
  const char* name;
  EndResponse end;
  Picoseconds response_delay;
  Picoseconds request_delay;

  friend std::ostream& operator<<(std::ostream& out, const PhaseCase& c) { return out << c.name; }
};

class DrivePhases : public ::testing::TestWithParam<PhaseCase> {};

TEST_P(DrivePhases, EveryWayToEndAResponse) {
  const auto disk = make_drive("disk", "SPTF", "firmware", toy_profile());
  BaseProtocolChecker checker("checker");
  AtHost host("host");
  host.end_response = GetParam().end;
  host.response_delay = GetParam().response_delay;
  host.request_delay = GetParam().request_delay;
  host.disk_init_socket.bind(checker.checked_tgt_socket);
  checker.checked_init_socket.bind(disk->host_tgt_socket);
  std::vector<Transaction*> all;
  for (int i = 0; i < 100; ++i) {  // three times what the queue takes
    const auto lba = static_cast<std::uint64_t>((i * 1'237) % 16'000);
    all.push_back(&host.submit(i % 3 == 0, lba, 1 + static_cast<std::uint32_t>(i % 5), static_cast<std::uint8_t>(i)));
  }
  sc_core::sc_start();
  EXPECT_EQ(host.finished(), 100u);
  EXPECT_EQ(checker.completed(), 100u);
  EXPECT_EQ(checker.outstanding(), 0u);
  EXPECT_TRUE(host.all_released());
  Picoseconds last = -1;
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->finished_order < b->finished_order; });
  for (const Transaction* t : all) {
    EXPECT_EQ(t->status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(t->extension.status, CommandStatus::Good);
    EXPECT_EQ(t->timing().issued, t->begin_req);
    EXPECT_EQ(t->timing().accepted, t->end_req);
    EXPECT_EQ(t->timing().completed, t->begin_resp);
    EXPECT_EQ(t->timing().parts(), t->timing().response());
    if (last >= 0) {
      EXPECT_GE(t->begin_resp, last + GetParam().response_delay) << "the response channel is one";
    }
    last = t->begin_resp;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, DrivePhases,
                         ::testing::Values(PhaseCase{"completed", EndResponse::Completed, 0, 0},
                                           PhaseCase{"completed_request_annotated", EndResponse::Completed, 0, 50 * kUs},
                                           PhaseCase{"completed_annotated", EndResponse::CompletedDelayed, 9 * kMs, 0},
                                           PhaseCase{"updated", EndResponse::Updated, 0, 0},
                                           PhaseCase{"later_at_once", EndResponse::Later, 0, 0},
                                           PhaseCase{"later", EndResponse::Later, 9 * kMs, 0},
                                           PhaseCase{"later_annotated", EndResponse::LaterDelayed, 9 * kMs, 20 * kUs}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(DriveBackPressure, AFullQueueHoldsTheRequestPhase) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  AtHost host("host", *disk);
  std::vector<Transaction*> all;
  for (std::uint64_t i = 0; i < 34; ++i) all.push_back(&host.submit(false, 128 * i, 1));
  run_until(us(6'000));  // before the first one's sector
  EXPECT_EQ(host.accepted(), 32u);
  EXPECT_TRUE(host.requesting()) << "number 33 is in its request phase";
  EXPECT_EQ(host.backlog(), 1u) << "and number 34 has to wait for it";
  EXPECT_EQ(disk->queue().occupancy(), 32u);
  EXPECT_EQ(all[32]->end_req, -1);
  sc_core::sc_start();
  EXPECT_EQ(host.finished(), 34u);
  EXPECT_EQ(all[32]->end_req, all[0]->begin_resp);
  EXPECT_EQ(all[33]->end_req, all[1]->begin_resp);
  EXPECT_EQ(all[33]->begin_req, all[32]->end_req);
  // If a host does not set the time of issue, the request counts as issued at BEGIN_REQ, not when the queue accepted it.
  EXPECT_EQ(all[32]->timing().issued, 0);
  EXPECT_EQ(all[32]->timing().accepted, all[32]->end_req);
  EXPECT_EQ(all[32]->timing().parts(), all[32]->timing().response());
  EXPECT_EQ(disk->host_port().rejected(), 0u);
}

TEST(DriveBackPressure, OrRejectsByConfiguration) {
  profile::DriveProfile profile = toy_profile();
  profile.reject_when_full = true;
  profile.queue_depth = 4;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  BaseProtocolChecker checker("checker");
  AtHost host("host");
  host.disk_init_socket.bind(checker.checked_tgt_socket);
  checker.checked_init_socket.bind(disk->host_tgt_socket);
  std::vector<Transaction*> all;
  for (std::uint64_t i = 0; i < 6; ++i) all.push_back(&host.submit(true, 128 * i, 1, 1));
  sc_core::sc_start();
  EXPECT_EQ(host.finished(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(all[i]->status(), i < 4 ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(all[i]->extension.status, i < 4 ? CommandStatus::Good : CommandStatus::QueueFull);
    EXPECT_EQ(all[i]->end_req, 0);
  }
  EXPECT_EQ(all[5]->begin_resp, 0);
  EXPECT_EQ(disk->host_port().rejected(), 2u);
  EXPECT_EQ(disk->host_port().completed(), 4u);
  // The same rule holds for a blocking call.
  EXPECT_TRUE(host.all_released());
}

TEST(DriveBackPressure, ABlockingCallIsRejectedToo) {
  profile::DriveProfile profile = toy_profile();
  profile.reject_when_full = true;
  profile.queue_depth = 1;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  Transaction first(nullptr);
  Transaction second(nullptr);
  Script script("script", *disk, [&](Script& s) {
    s.spawn([&] {
      first.set(false, 0, 1);
      s.transport(first);
    });
    s.pause(kUs);
    second.set(false, 0, 1);
    s.transport(second);
    EXPECT_EQ(core::now_ps(), kUs);
    EXPECT_EQ(second.status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(second.extension.status, CommandStatus::QueueFull);
  });
  script.run_to_end();
  EXPECT_EQ(first.status(), tlm::TLM_OK_RESPONSE);
}

// --- refusals ----------------------------------------------------------------------------------------------------------

struct Refusal {
  const char* name;
  std::function<void(Transaction&)> spoil;
  tlm::tlm_response_status response;
  CommandStatus status;
};

const std::vector<Refusal>& refusals() {
  static std::uint8_t enable = 0xFF;
  const auto address = [](std::uint64_t a) { return [a](Transaction& t) { t.payload.set_address(a); }; };
  const auto length = [](unsigned l) {
    return [l](Transaction& t) {
      t.payload.set_data_length(l);
      t.payload.set_streaming_width(l);
    };
  };
  static const std::vector<Refusal> table = {
      {"at the end", address(kToyBlocks * 512), tlm::TLM_ADDRESS_ERROR_RESPONSE, CommandStatus::BadAddress},
      {"over the end", address((kToyBlocks - 1) * 512), tlm::TLM_ADDRESS_ERROR_RESPONSE, CommandStatus::BadAddress},
      {"far past the end", address(std::uint64_t{1} << 63), tlm::TLM_ADDRESS_ERROR_RESPONSE, CommandStatus::BadAddress},
      {"end wraps", address(~std::uint64_t{0} - 511), tlm::TLM_ADDRESS_ERROR_RESPONSE, CommandStatus::BadAddress},
      {"unaligned", address(256), tlm::TLM_ADDRESS_ERROR_RESPONSE, CommandStatus::BadAddress},
      {"no length", length(0), tlm::TLM_BURST_ERROR_RESPONSE, CommandStatus::BadLength},
      {"short of a sector", length(511), tlm::TLM_BURST_ERROR_RESPONSE, CommandStatus::BadLength},
      {"odd length", length(1023), tlm::TLM_BURST_ERROR_RESPONSE, CommandStatus::BadLength},
      {"longer than the drive", length(0xFFFF'FE00u), tlm::TLM_ADDRESS_ERROR_RESPONSE, CommandStatus::BadAddress},
      {"byte enables",
       [](Transaction& t) {
         t.payload.set_byte_enable_ptr(&enable);
         t.payload.set_byte_enable_length(1);
       },
       tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, CommandStatus::BadByteEnable},
      {"streaming", [](Transaction& t) { t.payload.set_streaming_width(512); }, tlm::TLM_BURST_ERROR_RESPONSE,
       CommandStatus::BadBurst},
      {"streaming width of nothing", [](Transaction& t) { t.payload.set_streaming_width(0); }, tlm::TLM_BURST_ERROR_RESPONSE,
       CommandStatus::BadBurst},
      {"no command", [](Transaction& t) { t.payload.set_command(tlm::TLM_IGNORE_COMMAND); }, tlm::TLM_COMMAND_ERROR_RESPONSE,
       CommandStatus::BadCommand},
      {"a read that flushes", [](Transaction& t) { t.extension.flush = true; }, tlm::TLM_COMMAND_ERROR_RESPONSE,
       CommandStatus::BadCommand},
      {"tag past the queue", [](Transaction& t) { t.extension.tag = 32; }, tlm::TLM_GENERIC_ERROR_RESPONSE,
       CommandStatus::BadTag},
      {"negative tag", [](Transaction& t) { t.extension.tag = -2; }, tlm::TLM_GENERIC_ERROR_RESPONSE, CommandStatus::BadTag},
      {"tag of any size", [](Transaction& t) { t.extension.tag = 65'536; }, tlm::TLM_GENERIC_ERROR_RESPONSE,
       CommandStatus::BadTag},
  };
  return table;
}

TEST(DriveRefusals, BlockingCallsComeBackAtOnceWithTheReason) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  BaseProtocolChecker checker("checker");
  Script script("script", [&](Script& s) {
    std::uint64_t refused = 0;
    for (const Refusal& refusal : refusals()) {
      SCOPED_TRACE(refusal.name);
      Transaction t(nullptr);
      t.set(false, 0, 2);
      refusal.spoil(t);
      s.transport(t);
      EXPECT_EQ(t.status(), refusal.response);
      EXPECT_EQ(t.extension.status, refusal.status);
      EXPECT_EQ(t.data[0], 0xEE) << "nothing was read";
      EXPECT_EQ(core::now_ps(), 0);
      EXPECT_EQ(disk->host_port().rejected(), ++refused);
    }
    EXPECT_EQ(disk->queue().occupancy(), 0u);
    EXPECT_EQ(disk->host_port().completed(), 0u);
    Transaction good(nullptr);
    s.access(good, false, 0, 2);
    EXPECT_EQ(good.extension.status, CommandStatus::Good);
  });
  script.disk_init_socket.bind(checker.checked_tgt_socket);
  checker.checked_init_socket.bind(disk->host_tgt_socket);
  script.run_to_end();
}

TEST(DriveRefusals, NonBlockingCallsGetAResponsePhase) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  BaseProtocolChecker checker("checker");
  AtHost host("host");
  host.end_response = EndResponse::Later;
  host.response_delay = 10 * kUs;
  host.disk_init_socket.bind(checker.checked_tgt_socket);
  checker.checked_init_socket.bind(disk->host_tgt_socket);
  std::vector<Transaction*> all;
  for (const Refusal& refusal : refusals()) {
    Transaction& t = host.make();
    t.set(false, 0, 2);
    refusal.spoil(t);
    all.push_back(&t);
    host.submit(t);
  }
  Transaction& good = host.submit(false, 0, 2);
  sc_core::sc_start();
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(refusals()[i].name);
    EXPECT_EQ(all[i]->status(), refusals()[i].response);
    EXPECT_EQ(all[i]->extension.status, refusals()[i].status);
    EXPECT_EQ(all[i]->begin_resp, static_cast<Picoseconds>(i) * 10 * kUs) << "one response at a time, in order";
    EXPECT_EQ(all[i]->timing().completed, all[i]->begin_resp);
    EXPECT_EQ(all[i]->timing().parts(), all[i]->timing().response());
  }
  EXPECT_EQ(good.status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(disk->host_port().rejected(), all.size());
  EXPECT_TRUE(host.all_released());
}

TEST(DriveTags, TheHostsTagIsUsedAndFreeWithItsResponse) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  DriveWatch watch;
  disk->add_probe(watch);
  AtHost host("host", *disk);
  const auto tagged = [&](int tag, std::uint64_t lba) -> Transaction& {
    Transaction& t = host.submit(false, lba, 1, 0, [&](auto& e) { e.tag = tag; });
    return t;
  };
  Transaction& a = tagged(31, 0);
  Transaction& b = tagged(31, 128);  // in use
  Transaction& c = tagged(0, 256);
  Transaction& d = tagged(CommandExtension::kAnyTag, 384);  // gets 1
  Transaction* e = nullptr;
  host.on_finished = [&](Transaction& t) {
    if (&t == &a) e = &tagged(31, 512);
  };
  sc_core::sc_start();
  EXPECT_EQ(a.extension.status, CommandStatus::Good);
  EXPECT_EQ(b.extension.status, CommandStatus::BadTag);
  EXPECT_EQ(b.status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(c.extension.status, CommandStatus::Good);
  EXPECT_EQ(d.extension.status, CommandStatus::Good);
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->extension.status, CommandStatus::Good);
  EXPECT_EQ(watch.tags, (std::vector<int>{31, 0, 1, 31}));
}

TEST(DriveProtocol, PhasesOutOfTurnAreErrorsAndNotLost) {
  profile::DriveProfile profile = toy_profile();
  profile.queue_depth = 1;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  AtHost host("host", *disk);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<Transaction*> t;
  for (int i = 0; i < 3; ++i) {
    t.push_back(&host.make());
    t.back()->set(false, 0, 1);
    t.back()->payload.acquire();
  }
  const auto send = [&](Transaction& transaction, tlm::tlm_phase phase) {
    sc_core::sc_time delay;
    try {
      host.disk_init_socket->nb_transport_fw(transaction.payload, phase, delay);
      return std::string("no error");
    } catch (const sc_core::sc_report& error) {
      return std::string(error.get_msg_type()) + " " + error.get_msg();
    }
  };
  EXPECT_EQ(send(*t[0], tlm::BEGIN_RESP), "/platter/host_port/phase nb_transport_fw takes BEGIN_REQ and END_RESP only");
  EXPECT_EQ(send(*t[0], tlm::END_RESP), "/platter/host_port/phase END_RESP although no response phase runs");
  EXPECT_EQ(send(*t[0], tlm::BEGIN_REQ), "no error");
  EXPECT_EQ(send(*t[1], tlm::BEGIN_REQ), "no error");  // waits for the only tag
  EXPECT_EQ(send(*t[2], tlm::BEGIN_REQ),
            "/platter/host_port/phase BEGIN_REQ although the previous request phase has not ended");
  EXPECT_EQ(disk->queue().occupancy(), 1u);
}

// --- policies in the whole drive -------------------------------------------------------------------------------------

TEST(DrivePolicy, ScanRunsToTheEdgeAndLookDoesNot) {
  const auto scan = make_drive("scan", "SCAN", "firmware", toy_profile());
  const auto look = make_drive("look", "LOOK", "firmware", toy_profile());
  AtHost scan_host("scan_host", *scan);
  AtHost look_host("look_host", *look);
  std::vector<std::array<Transaction*, 3>> t;
  for (AtHost* host : {&scan_host, &look_host})
    t.push_back({&host->submit(false, 128 * 20, 1), &host->submit(false, 128 * 5, 1), &host->submit(false, 128 * 10, 1)});
  sc_core::sc_start();
  // Both go up over 5 and 10 to 20; then a request behind the arm comes for each.
  for (auto& three : t) {
    EXPECT_LT(three[1]->timing().completed, three[2]->timing().completed);
    EXPECT_LT(three[2]->timing().completed, three[0]->timing().completed);
  }
  const Picoseconds now = core::now_ps();
  ASSERT_EQ(scan->actuator().state().cylinder.value, 20u);
  const Picoseconds busy = scan->actuator().busy(now);
  std::uint32_t furthest = 0;
  Transaction& up = scan_host.submit(false, 128 * 7, 1);
  Transaction& direct = look_host.submit(false, 128 * 7, 1);
  for (Picoseconds at = now; scan_host.finished() < 4; at += 100 * kUs) {
    run_until(at);
    furthest = std::max(furthest, scan->actuator().arm().cylinder_at(at));
  }
  EXPECT_EQ(furthest, 127u);
  // 20 to 127 takes 2,060 us, 127 to 7 takes 2,190 us; LOOK seeks 13 cylinders. One candidate: 180 cycles a decision. The one at
  // the edge is made on the way there.
  const Picoseconds decision = kToyFcfsDecision;
  EXPECT_EQ(direct.timing().queue, decision);
  EXPECT_EQ(direct.timing().seek, us(1120));
  EXPECT_EQ(up.timing().queue, decision + us(2060));
  EXPECT_EQ(up.timing().seek, us(2190));
  EXPECT_EQ(up.timing().parts(), up.timing().response());
  EXPECT_EQ(scan->actuator().busy(core::now_ps()) - busy, up.timing().response() - decision - us(5))
      << "the run to the edge is busy time";
}

TEST(DrivePolicy, CommandsOfOneInstantAreAllSeenByTheFirstDecision) {
  const auto disk = make_drive("disk", "SSTF", "firmware", toy_profile());
  AtHost host("host", *disk);
  Transaction& far = host.submit(false, 128 * 100, 1);
  Transaction& near = host.submit(false, 128, 1);
  sc_core::sc_start();
  EXPECT_LT(near.timing().started, far.timing().started);
  EXPECT_EQ(near.timing().queue, (120 + 2 * 60) * 5'000) << "two candidates";
}

// --- a command that arrives in the instant in which an access ends ---------------------------------------------------

/// A toy drive whose reads complete in the instant in which their access ends.
profile::DriveProfile prompt_profile() {
  profile::DriveProfile profile = toy_profile();
  profile.bus_read_block_us = profile.bus_write_block_us = 0;
  return profile;
}

/// A host that sends a command a given number of zero-time waits after the response to another one.
class Replacing {
 public:
  Replacing(const std::string& name, drive::Drive& disk, int waits)
      : host((name + "_host").c_str()), script_((name + "_script").c_str(), [this, waits](Script& script) {
          sc_core::wait(answered_);
          for (int i = 0; i < waits; ++i) script.pause(0);
          replacement = &host.submit(false, 128 + 30, 1);
        }) {
    host.disk_init_socket.bind(disk.host_tgt_socket);
    host.on_finished = [this](Transaction& t) {
      if (&t == first) answered_.notify();
    };
  }

  AtHost host;
  Transaction* first = nullptr;
  Transaction* replacement = nullptr;

 private:
  sc_core::sc_event answered_;
  Script script_;
};

class SameInstant : public ::testing::TestWithParam<std::tuple<Engine, int>> {};

/// One command far away is queued, and a near one replaces the completed command. The near one must be served first, however many delta cycles after
/// the response it arrives. Two drives end their accesses together: neither waits for the other indefinitely.
TEST_P(SameInstant, AReplacementTakesPartInTheNextDecision) {
  const auto& [engine, waits] = GetParam();
  std::array<std::unique_ptr<drive::Drive>, 2> disks;
  std::array<std::unique_ptr<Replacing>, 2> hosts;
  std::array<Transaction*, 2> far{};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = "disk" + std::to_string(i);
    disks[i] = make_drive(name.c_str(), engine.policy, engine.engine, prompt_profile());
    hosts[i] = std::make_unique<Replacing>(name, *disks[i], waits);
    hosts[i]->first = &hosts[i]->host.submit(false, 10, 1);
    far[i] = &hosts[i]->host.submit(false, 128 * 100, 1);
  }
  sc_core::sc_start();
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_NE(hosts[i]->replacement, nullptr);
    const Transaction& replacement = *hosts[i]->replacement;
    EXPECT_EQ(replacement.timing().issued, hosts[i]->first->timing().completed);
    EXPECT_LT(replacement.finished_order, far[i]->finished_order) << "disk " << i;
    const drive::StallStatistics& stall = disks[i]->dispatcher().statistics();
    EXPECT_EQ(stall.stalls, 1u) << "the arm waits for the decision on the command that has come, and for no other";
    EXPECT_EQ(replacement.timing().queue, stall.stall);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SameInstant,
                         ::testing::Combine(::testing::Values(Engine{"SPTF", "firmware"}, Engine{"SSTF", "firmware"},
                                                              Engine{"SPTF", "model"}, Engine{"SPTF", "rtl"},
                                                              Engine{"SPTF", "lockstep"}),
                                            ::testing::Values(0, 1, 7)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).policy) + "_" + std::get<0>(test.param).engine + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

/// The callers of b_transport resume after the response.
TEST(DriveSameInstant, ABlockingCallTakesPartToo) {
  const auto disk = make_drive("disk", "SSTF", "firmware", prompt_profile());
  std::array<Picoseconds, 3> ends{};
  Script script("script", *disk, [&](Script& s) {
    s.spawn([&] {
      Transaction far(nullptr);
      s.access(far, false, 128 * 100, 1);
      ends[1] = core::now_ps();
    });
    Transaction t(nullptr);
    s.access(t, false, 0, 1);
    ends[0] = core::now_ps();
    s.access(t, false, 128, 1);
    ends[2] = core::now_ps();
  });
  sc_core::sc_start();
  ASSERT_TRUE(script.done());
  EXPECT_LT(ends[0], ends[2]);
  EXPECT_LT(ends[2], ends[1]);
}

/// Endless activity at one time does not block the drive.
TEST(DriveSameInstant, ALoopOfDeltaCyclesIsNotWaitedForForEver) {
  const auto disk = make_drive("disk", "SSTF", "firmware", prompt_profile());
  Replacing late("late", *disk, 2'000);
  late.first = &late.host.submit(false, 0, 1);
  Transaction& far = late.host.submit(false, 128 * 100, 1);
  sc_core::sc_start();
  EXPECT_EQ(late.replacement->timing().issued, late.first->timing().completed);
  EXPECT_LT(far.finished_order, late.replacement->finished_order);
}

/// A decision begun for a command that arrived just before the end of the access is discarded if another command arrives as it ends.
TEST(DriveSameInstant, ADecisionUnderWayIsMadeAnew) {
  const auto disk = make_drive("disk", "SPTF", "model", prompt_profile());
  Replacing replacing("replacing", *disk, 0);
  AtHost& host = replacing.host;
  Transaction& first = host.submit(false, 10, 1);
  sc_core::sc_start();
  const Picoseconds end = first.begin_resp;
  const Picoseconds again = (end / kToyTurn + 2) * kToyTurn;
  run_until(again);
  replacing.first = &host.submit(false, 10, 1);
  run_until(again + end - 100'000);
  Transaction& far = host.submit(false, 128 * 100, 1);
  sc_core::sc_start();
  ASSERT_NE(replacing.replacement, nullptr);
  ASSERT_EQ(replacing.first->begin_resp, again + end);
  EXPECT_LT(replacing.replacement->finished_order, far.finished_order);
}

}  // namespace
}  // namespace platter::testing
