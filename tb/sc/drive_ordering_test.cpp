// SPDX-License-Identifier: Apache-2.0
//
// Overlapping commands and flushes: in whatever order a policy serves the queue, the data is that of the order in which the
// drive accepted the commands.
#include "testing.h"

#include <map>
#include <set>

#include "base_protocol_checker.h"
#include "platter/core/random.h"

namespace platter::testing {
namespace {

class DriveOrdering : public ::testing::TestWithParam<Engine> {};

/// Random traffic against a shadow memory that is updated in the order of acceptance.
class ShadowedTraffic {
 public:
  ShadowedTraffic(AtHost& host, std::uint64_t commands, std::uint64_t seed)
      : host_(host), left_(commands), random_(seed, "traffic"), shadow_(kToyBlocks * 512) {
    host_.on_accepted = [this](Transaction& t) { accepted(t); };
    host_.on_finished = [this](Transaction& t) { finished(t); };
    for (int i = 0; i < 40; ++i) issue();  // more than the queue takes
  }

  std::uint64_t reads = 0;
  std::uint64_t flushes = 0;
  std::uint64_t overlaps = 0;   ///< commands accepted while an older one with which they conflict was in progress
  std::uint64_t reordered = 0;  ///< commands that finished before one accepted earlier
  const std::vector<std::uint8_t>& shadow() const { return shadow_; }

 private:
  void issue() {
    if (left_ == 0) return;
    --left_;
    Transaction& t = host_.reuse();
    t.extension.flush = false;
    if (random_.below(60) == 0) {
      t.set_flush();
    } else {
      const bool hot = random_.below(10) < 7;  // 64 frequently used blocks across the end of a track
      const auto blocks = static_cast<std::uint32_t>(1 + random_.below(hot ? 16 : 8));
      const std::uint64_t span = hot ? 64 : kToyBlocks;
      const std::uint64_t first = (hot ? 96 : 0) + random_.below(span - blocks + 1);
      t.set(random_.below(2) == 0, first, blocks);
      if (t.write())
        for (std::uint8_t& byte : t.data) byte = static_cast<std::uint8_t>(random_.bits());
    }
    host_.submit(t);
  }

  static bool order_matters(const Transaction& older, const Transaction& younger) {
    if (older.extension.flush || younger.extension.flush) return older.extension.flush || older.write();
    if (!older.write() && !younger.write()) return false;
    return older.lba() < younger.lba() + younger.blocks() && younger.lba() < older.lba() + older.blocks();
  }

  void accepted(Transaction& t) {
    for (const Transaction* other : in_drive_)
      if (order_matters(*other, t)) {
        ++overlaps;
        break;
      }
    in_drive_.insert(&t);
    if (t.extension.flush) return;
    const std::size_t at = t.payload.get_address();
    if (t.write())
      std::copy(t.data.begin(), t.data.end(), shadow_.begin() + static_cast<std::ptrdiff_t>(at));
    else
      expected_[&t].assign(shadow_.begin() + static_cast<std::ptrdiff_t>(at),
                           shadow_.begin() + static_cast<std::ptrdiff_t>(at + t.data.size()));
  }

  void finished(Transaction& t) {
    EXPECT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
    in_drive_.erase(&t);
    for (const Transaction* other : in_drive_)
      if (other->accepted_order < t.accepted_order) {
        ++reordered;
        break;
      }
    for (const Transaction* other : in_drive_) {
      if (t.extension.flush && other->write()) {
        EXPECT_GT(other->accepted_order, t.accepted_order) << "a flush ended before an older write";
      }
      if (other->extension.flush) {
        EXPECT_GT(other->accepted_order, t.accepted_order) << "a command overtook a flush";
      }
    }
    if (t.extension.flush) {
      ++flushes;
    } else if (!t.write()) {
      ++reads;
      ASSERT_EQ(t.data, expected_[&t]) << "read of " << t.blocks() << " blocks at " << t.lba() << ", accepted as number "
                                       << t.accepted_order;
    }
    issue();
  }

  AtHost& host_;
  std::uint64_t left_;
  core::RandomStream random_;
  std::vector<std::uint8_t> shadow_;
  std::set<const Transaction*> in_drive_;
  std::map<const Transaction*, std::vector<std::uint8_t>> expected_;
};

TEST_P(DriveOrdering, EveryReadSeesTheWritesAcceptedBeforeIt) {
  const auto disk = make_drive("disk", GetParam().policy, GetParam().engine, toy_profile());
  BaseProtocolChecker checker("checker");
  AtHost host("host");
  host.disk_init_socket.bind(checker.checked_tgt_socket);
  checker.checked_init_socket.bind(disk->host_tgt_socket);
  constexpr std::uint64_t kCommands = scaled(8'000);
  ShadowedTraffic traffic(host, kCommands, 11);
  sc_core::sc_start();
  EXPECT_EQ(host.finished(), kCommands) << "nothing is left waiting for ever";
  EXPECT_TRUE(host.all_released());
  EXPECT_GT(traffic.reads, kCommands / 3);
  EXPECT_GT(traffic.flushes, kCommands / 200);
  EXPECT_GT(traffic.overlaps, kCommands / 10) << "the traffic must be dangerous";
  if (std::string(GetParam().policy) != "FCFS") {
    EXPECT_GT(traffic.reordered, kCommands / 10);
  }
  // The media hold the same at the end.
  std::vector<std::uint8_t> bytes(kToyBlocks * 512);
  Transaction all(nullptr);
  all.payload.set_command(tlm::TLM_READ_COMMAND);
  all.payload.set_address(0);
  all.payload.set_data_ptr(bytes.data());
  all.payload.set_data_length(static_cast<unsigned>(bytes.size()));
  EXPECT_EQ(host.disk_init_socket->transport_dbg(all.payload), bytes.size());
  EXPECT_TRUE(bytes == traffic.shadow());
}

INSTANTIATE_TEST_SUITE_P(Engines, DriveOrdering,
                         ::testing::Values(Engine{"FCFS", "firmware"}, Engine{"SSTF", "firmware"}, Engine{"SCAN", "firmware"},
                                           Engine{"LOOK", "firmware"}, Engine{"C-LOOK", "firmware"}, Engine{"SPTF", "firmware"},
                                           Engine{"SPTF(unguarded)", "firmware"}, Engine{"SPTF", "model"},
                                           Engine{"SPTF", "lockstep"}, Engine{"ASPTF(0.01)", "firmware"},
                                           Engine{"OPS:SCAN/CI-OPT(6)", "firmware"},
                                           Engine{"OPS:SCAN/CLUST-REQ(6)", "firmware"}),
                         name_of_engine);

TEST(DriveHazards, WriteReadWriteOnOnePlaceKeepTheirOrder) {
  const auto disk = make_drive("disk", "SSTF", "firmware", toy_profile());
  AtHost host("host", *disk);
  // All on cylinder 100, except the last read, which begins on cylinder 99, and a near one. SSTF serves the near ones first.
  Transaction& w1 = host.submit(true, 12'800, 2, 0x11);
  Transaction& r1 = host.submit(false, 12'801, 2);
  Transaction& w2 = host.submit(true, 12'802, 2, 0x22);  // overlaps the read, not the first write
  Transaction& w3 = host.submit(true, 12'800, 1, 0x33);  // overlaps the first write only
  Transaction& r2 = host.submit(false, 12'799, 5);
  Transaction& near = host.submit(false, 0, 1);
  sc_core::sc_start();
  EXPECT_LT(near.timing().started, w1.timing().started);
  EXPECT_LT(r2.timing().started, w1.timing().started) << "no read waits for a write";
  EXPECT_LE(w1.timing().completed, w3.timing().started);
  EXPECT_LE(r1.timing().started + r1.timing().overhead + r1.timing().transfer, w2.timing().started);
  const auto bytes = [](std::initializer_list<std::uint8_t> blocks) {
    std::vector<std::uint8_t> data;
    for (const std::uint8_t fill : blocks) data.insert(data.end(), 512, fill);
    return data;
  };
  EXPECT_EQ(r1.data, bytes({0x11, 0})) << "accepted after the first write, before the second";
  EXPECT_EQ(r2.data, bytes({0, 0x33, 0x11, 0x22, 0x22})) << "all of it still in the buffer, the newest on top";
}

TEST(DriveHazards, AReadFromTheBufferWaitsForTheDataToBeThere) {
  profile::DriveProfile profile = toy_profile();
  profile.bus_write_block_us = 5'000;
  const auto disk = make_drive("disk", "SSTF", "firmware", profile);
  AtHost host("host", *disk);
  // Overhead, then a block every 5 ms: the eleventh block, the last one that the read needs, is in the buffer at 55.32 ms.
  Transaction& write = host.submit(true, 12'800, 30, 0x44);
  Transaction& read = host.submit(false, 12'799, 12);  // a cylinder nearer
  sc_core::sc_start();
  EXPECT_LT(read.timing().started, write.timing().started);
  EXPECT_EQ(read.timing().completed, 55'320 * kUs);
  EXPECT_EQ(read.timing().parts(), read.timing().response());
  EXPECT_EQ(read.data[511], 0);
  EXPECT_EQ(read.data[512], 0x44);
}

TEST(DriveHazards, AWriteThatIsPutOffHoldsUpNoContinuousRead) {
  // A discrete write far away, and a continuous read of the same place with a deadline. Discrete reads near the arm arrive
  // continually, so the write never has the shortest positioning time.
  const auto disk = make_drive("disk", "SPTF", "firmware", toy_profile());
  AtHost host("host", *disk);
  const Transaction& write = host.submit(true, 16'000, 64, 1);
  Transaction& read = host.submit(false, 16'000, 64, 0, [](auto& e) {
    e.cls = RequestClass::Continuous;
    e.deadline = 200 * kMs;
  });
  std::uint64_t next = 0;
  const auto nearby = [&] {
    next = (next + 37) % 256;
    Transaction& t = host.reuse();
    t.set(false, next, 1);
    host.submit(t);
  };
  for (int i = 0; i < 20; ++i) nearby();
  CommandTiming read_timing;
  bool write_finished = false;
  host.on_finished = [&](Transaction& t) {
    if (&t == &write) {
      write_finished = true;
    } else if (&t == &read && read_timing.completed == 0) {
      read_timing = t.timing();
      EXPECT_FALSE(write_finished) << "the read is to overtake the write";
      EXPECT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(t.data, std::vector<std::uint8_t>(64 * 512, 1));
    } else {
      nearby();
    }
  };
  run_until(400 * kMs);
  EXPECT_LE(read_timing.completed, 200 * kMs);
  EXPECT_GT(read_timing.completed, 100 * kMs) << "the guard let the near ones go first while it could";
}

TEST(DriveHazards, NeighboursAndReadsDoNotWait) {
  const auto disk = make_drive("disk", "SSTF", "firmware", toy_profile());
  AtHost host("host", *disk);
  // The head starts at cylinder 0. Older commands are at the far end; younger ones that are adjacent to them, but do not overlap, start nearer.
  Transaction& far_write = host.submit(true, 12'800, 8, 1);  // cylinder 100
  Transaction& before = host.submit(true, 12'792, 8, 2);     // ends where the first starts, cylinder 99
  Transaction& far_read = host.submit(false, 12'928, 8);     // cylinder 101
  Transaction& same_read = host.submit(false, 12'920, 16);   // overlaps the read, starts on cylinder 100
  sc_core::sc_start();
  EXPECT_LE(before.timing().completed, far_write.timing().started);
  EXPECT_LT(same_read.timing().started, far_read.timing().started);
}

TEST(DriveHazards, AFlushWaitsForOlderWritesAndHoldsYoungerCommands) {
  const auto disk = make_drive("disk", "SSTF", "firmware", toy_profile());
  BaseProtocolChecker checker("checker");
  AtHost host("host");
  host.disk_init_socket.bind(checker.checked_tgt_socket);
  checker.checked_init_socket.bind(disk->host_tgt_socket);
  Transaction& old_read = host.submit(false, 16'000, 1);  // the farthest of all: a flush does not wait for reads
  Transaction& write_a = host.submit(true, 12'800, 1, 1);
  Transaction& write_b = host.submit(true, 6'400, 1, 1);
  Transaction& flush_a = host.flush();
  Transaction& young_read = host.submit(false, 0, 1);
  Transaction& flush_b = host.flush();
  Transaction& young_write = host.submit(true, 128, 1, 1);
  sc_core::sc_start();
  EXPECT_EQ(host.finished(), 7u);
  EXPECT_LT(write_b.timing().completed, write_a.timing().completed);
  EXPECT_EQ(flush_a.timing().completed, write_a.timing().completed);
  EXPECT_LT(write_a.finished_order, flush_a.finished_order);
  EXPECT_EQ(flush_a.status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(flush_a.timing().parts(), flush_a.timing().response());
  EXPECT_EQ(flush_a.timing().queue, flush_a.timing().response());
  EXPECT_EQ(flush_b.timing().completed, flush_a.timing().completed) << "two flushes, no write between them";
  EXPECT_GT(young_read.timing().started, flush_a.timing().completed);
  EXPECT_GT(young_write.timing().started, flush_b.timing().completed);
  EXPECT_GT(old_read.timing().completed, flush_a.timing().completed);
}

TEST(DriveHazards, AFlushOfAnIdleDriveIsOverAtOnce) {
  const auto disk = make_drive("disk", "SPTF", "firmware", toy_profile());
  AtHost host("host", *disk);
  Transaction& flush = host.flush();
  Transaction& read = host.submit(false, 0, 1);
  sc_core::sc_start();
  EXPECT_EQ(flush.timing().completed, 0);
  EXPECT_EQ(flush.status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(read.status(), tlm::TLM_OK_RESPONSE);
}

TEST(DriveHazards, BlockingFlushComesAfterTheWrites) {
  const auto disk = make_drive("disk", "SPTF", "firmware", toy_profile());
  Transaction write(nullptr);
  Transaction flush(nullptr);
  Script script("script", *disk, [&](Script& s) {
    s.spawn([&] {
      write.set(true, 12'800, 1, 9);
      s.transport(write);
    });
    s.pause(kUs);
    flush.set_flush();
    s.transport(flush);
    EXPECT_EQ(write.status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(core::now_ps(), write.timing().completed);
  });
  script.run_to_end();
  EXPECT_EQ(flush.status(), tlm::TLM_OK_RESPONSE);
}

}  // namespace
}  // namespace platter::testing
