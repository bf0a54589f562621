// SPDX-License-Identifier: Apache-2.0
//
// The drive with its buffer: hits, read-ahead, cached writes, and SCSI's command ordering. In every case the data is that of
// the order in which the drive accepted the commands.
#include "testing.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "base_protocol_checker.h"
#include "platter/core/random.h"

namespace platter::testing {
namespace {

using command::TaskAttribute;
using profile::DriveProfile;
using profile::ReadAhead;
using profile::WriteBack;

constexpr Picoseconds us(double value) { return core::to_picoseconds(value, kUs); }

/// The toy drive with a buffer, and SCSI's task attributes.
DriveProfile cached_profile(WriteBack write_back = WriteBack::Interleaved) {
  DriveProfile p = cached_toy_profile(write_back);
  p.task_attributes = true;
  return p;
}

std::vector<std::uint8_t> media_bytes(const drive::Drive& disk, std::uint64_t lba, std::uint32_t blocks) {
  std::vector<std::uint8_t> bytes(std::size_t{blocks} * 512);
  disk.media().read(lba * 512, bytes.data(), bytes.size());
  return bytes;
}

std::vector<std::uint8_t> filled(std::uint8_t fill, std::uint32_t blocks) {
  return std::vector<std::uint8_t>(std::size_t{blocks} * 512, fill);
}

// --- random traffic against a shadow -----------------------------------------------------------------------------------

constexpr std::uint64_t kSpan = 1'536;  // blocks in use: twelve cylinders

/// Reads, writes, FUA, flushes, ordered and head-of-queue commands, up to 40 at a time, compared with a memory that is updated
/// in the order of acceptance.
class Traffic {
 public:
  Traffic(drive::Drive& disk, AtHost& host, std::uint64_t commands, std::uint64_t seed, bool attributes, bool data = true)
      : disk_(disk),
        host_(host),
        left_(commands),
        random_(seed, "traffic"),
        attributes_(attributes),
        data_(data),
        shadow_(kSpan * 512),
        writer_(kSpan, -1) {
    host_.on_accepted = [this](Transaction& t) { accepted(t); };
    host_.on_finished = [this](Transaction& t) { finished(t); };
    for (int i = 0; i < 40; ++i) issue();
  }

  std::uint64_t reads = 0, flushes = 0, fua_writes = 0, ordered = 0, head_of_queue = 0, probes = 0;
  std::map<std::uint64_t, CommandTiming> timings;  ///< by order of acceptance

  void check_end() {
    EXPECT_EQ(left_, 0u);
    EXPECT_TRUE(in_drive_.empty()) << "nothing waits for ever";
    EXPECT_TRUE(host_.all_released());
    EXPECT_EQ(disk_.queue().occupancy(), 0u);
    if (disk_.segments() != nullptr) {
      EXPECT_FALSE(disk_.segments()->any_dirty());
    }
    if (data_) {
      EXPECT_TRUE(media_bytes(disk_, 0, kSpan) == shadow_);
    }
  }

 private:
  void issue() {
    if (left_ == 0) return;
    --left_;
    Transaction& t = host_.reuse();
    t.extension.flush = false;
    t.extension.fua = false;
    t.extension.attribute = TaskAttribute::Simple;
    if (random_.below(80) == 0) {
      t.set_flush();
    } else {
      const bool hot = random_.below(10) < 6;  // 64 frequently used blocks across the end of a track
      const auto blocks = static_cast<std::uint32_t>(1 + random_.below(random_.below(20) == 0 ? 50 : 12));
      const std::uint64_t span = hot ? 64 : kSpan;
      std::uint64_t first = (hot ? 96 : 0) + random_.below(span - blocks + 1);
      const bool write = random_.below(2) == 0;
      if (random_.below(3) == 0 && last_end_ + blocks <= kSpan) first = last_end_;  // continues where the last command ended
      last_end_ = first + blocks;
      t.set(write, first, blocks);
      if (write)
        for (std::uint8_t& byte : t.data) byte = static_cast<std::uint8_t>(random_.bits());
      if (!data_) t.payload.set_data_ptr(nullptr);
      t.extension.fua = random_.below(8) == 0;
    }
    if (attributes_) {
      const std::uint64_t dice = random_.below(40);
      if (dice == 0) t.extension.attribute = TaskAttribute::Ordered;
      if (dice == 1) t.extension.attribute = TaskAttribute::HeadOfQueue;
    }
    host_.submit(t);
  }

  void accepted(Transaction& t) {
    in_drive_.insert(&t);
    if (t.extension.flush) return;
    const auto at = static_cast<std::ptrdiff_t>(t.payload.get_address());
    const auto size = static_cast<std::ptrdiff_t>(t.data.size());
    if (t.write()) {
      if (data_) std::copy(t.data.begin(), t.data.end(), shadow_.begin() + at);
      for (std::uint64_t b = t.lba(); b < t.lba() + t.blocks(); ++b) writer_[b] = static_cast<std::int64_t>(t.accepted_order);
    } else {
      expected_[&t].assign(shadow_.begin() + at, shadow_.begin() + at + size);
    }
  }

  /// Checks that the media holds the blocks of [first, first + blocks) whose newest write is `by` or older than `before`.
  void expect_on_media(std::uint64_t first, std::uint64_t blocks, std::int64_t by, std::int64_t before, const char* what) {
    const std::vector<std::uint8_t> bytes = media_bytes(disk_, first, static_cast<std::uint32_t>(blocks));
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::int64_t writer = writer_[first + b];
      if (writer < 0 || (writer != by && writer >= before)) continue;
      const auto from = static_cast<std::ptrdiff_t>(b * 512);
      ASSERT_TRUE(std::equal(bytes.begin() + from, bytes.begin() + from + 512,
                             shadow_.begin() + static_cast<std::ptrdiff_t>((first + b) * 512)))
          << what << ", block " << first + b;
    }
  }

  /// transport_dbg at any byte address must show the data that has been acknowledged.
  void probe() {
    ++probes;
    const std::uint64_t from = random_.below(kSpan * 512 - 5'000);
    std::vector<std::uint8_t> bytes(1 + random_.below(5'000));
    Transaction debug(nullptr);
    debug.payload.set_command(tlm::TLM_READ_COMMAND);
    debug.payload.set_address(from);
    debug.payload.set_data_ptr(bytes.data());
    debug.payload.set_data_length(static_cast<unsigned>(bytes.size()));
    ASSERT_EQ(host_.disk_init_socket->transport_dbg(debug.payload), bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint64_t block = (from + i) / 512;
      const bool under_way = std::any_of(in_drive_.begin(), in_drive_.end(), [&](const Transaction* t) {
        return t->write() && t->lba() <= block && block < t->lba() + t->blocks();
      });
      if (under_way) {
        i += 511 - (from + i) % 512;
        continue;
      }
      ASSERT_EQ(bytes[i], shadow_[from + i]) << "byte " << i << " from byte " << from;
    }
  }

  void finished(Transaction& t) {
    EXPECT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
    in_drive_.erase(&t);
    const CommandTiming& timing = t.timing();
    timings[t.accepted_order] = timing;
    EXPECT_EQ(timing.parts(), timing.response());
    for (const Picoseconds part : {timing.queue, timing.overhead, timing.seek, timing.rotation, timing.transfer, timing.bus}) {
      EXPECT_GE(part, 0) << "a part of command " << t.accepted_order;
    }
    EXPECT_GE(timing.seek + timing.settle, 0);
    const bool hoq = t.extension.attribute == TaskAttribute::HeadOfQueue;
    const bool is_ordered = t.extension.attribute == TaskAttribute::Ordered;
    ordered += is_ordered;
    head_of_queue += hoq;
    for (const Transaction* other : in_drive_) {
      const bool older = other->accepted_order < t.accepted_order;
      if (t.extension.flush && other->write()) {
        EXPECT_FALSE(older) << "a flush ended before an older write";
      }
      if (other->extension.flush) {
        EXPECT_FALSE(older) << "a command overtook a flush";
      }
      if (is_ordered) {
        EXPECT_FALSE(older) << "an ordered command ended before an older one";
      }
      if (other->extension.attribute == TaskAttribute::Ordered && !hoq) {
        EXPECT_FALSE(older) << "a command overtook an ordered one";
      }
    }
    const auto number = static_cast<std::int64_t>(t.accepted_order);
    if (t.extension.flush) {
      ++flushes;
      if (data_) expect_on_media(0, kSpan, -1, number, "flush");
    } else if (t.write()) {
      if (t.extension.fua) {
        ++fua_writes;
        if (data_) expect_on_media(t.lba(), t.blocks(), number, -1, "FUA write");
      }
    } else {
      ++reads;
      if (data_ && t.extension.fua) expect_on_media(t.lba(), t.blocks(), -1, number, "FUA read");
      if (data_) {
        ASSERT_TRUE(t.data == expected_[&t])
            << "read of " << t.blocks() << " blocks at " << t.lba() << ", accepted as number " << t.accepted_order;
      }
    }
    if (data_ && random_.below(20) == 0) probe();
    issue();
  }

  drive::Drive& disk_;
  AtHost& host_;
  std::uint64_t left_;
  core::RandomStream random_;
  bool attributes_;
  bool data_;
  std::vector<std::uint8_t> shadow_;
  std::vector<std::int64_t> writer_;  ///< number of the command that wrote a block last, in order of acceptance
  std::uint64_t last_end_ = 0;
  std::set<const Transaction*> in_drive_;
  std::map<const Transaction*, std::vector<std::uint8_t>> expected_;
};

struct CacheCase {
  const char* name;
  const char* policy;
  const char* engine;
  std::function<void(DriveProfile&)> change;

  friend std::ostream& operator<<(std::ostream& out, const CacheCase& c) { return out << c.name; }
};

DriveProfile profile_of(const CacheCase& c) {
  DriveProfile p = cached_profile();
  c.change(p);
  return p;
}

std::vector<CacheCase> cases() {
  const auto zero_latency = [](DriveProfile& p) { p.zero_latency_read = p.zero_latency_write = true; };
  return {
      {"off", "SPTF", "firmware", [](DriveProfile& p) { p.cache.write_back = WriteBack::Off; }},
      {"append", "SPTF", "firmware", [](DriveProfile& p) { p.cache.write_back = WriteBack::Append; }},
      {"interleaved", "SPTF", "firmware", [](DriveProfile&) {}},
      {"fcfs", "FCFS", "firmware", [](DriveProfile&) {}},
      {"c_look", "C-LOOK", "firmware", [](DriveProfile&) {}},
      {"scan", "SCAN", "firmware", [](DriveProfile&) {}},
      {"aged", "ASPTF(0.01)", "firmware", [](DriveProfile&) {}},
      {"intervals", "OPS:SCAN/CI-SPTF", "firmware", [](DriveProfile&) {}},
      {"parts", "OPS:SCAN/CI-OPT(4)", "firmware", [](DriveProfile&) {}},
      {"clusters", "OPS:SCAN/CLUST-REQ(4)", "firmware", [](DriveProfile&) {}},
      {"model", "SPTF", "model", [](DriveProfile&) {}},
      {"zero_latency", "SPTF", "firmware", zero_latency},
      {"zero_latency_off", "SSTF", "firmware",
       [=](DriveProfile& p) {
         zero_latency(p);
         p.cache.write_back = WriteBack::Off;
       }},
      {"one_segment", "SPTF", "firmware",
       [](DriveProfile& p) {
         p.cache.segments = 1;
         p.cache.write_segments = 1;
       }},
      {"one_segment_append", "FCFS", "firmware",
       [](DriveProfile& p) {
         p.cache.segments = 1;
         p.cache.write_back = WriteBack::Append;
       }},
      {"more_write_segments_than_segments", "SPTF", "firmware",
       [](DriveProfile& p) {
         p.cache.segments = 3;
         p.cache.write_segments = 9;
       }},
      {"many_segments", "SPTF", "firmware",
       [](DriveProfile& p) {
         p.cache.segments = 64;
         p.cache.write_segments = 64;
       }},
      {"separate", "SPTF", "firmware",
       [](DriveProfile& p) {
         p.cache.separate_write_segments = true;
         p.cache.write_segments = 3;
       }},
      {"no_hits_on_writes", "SPTF", "firmware", [](DriveProfile& p) { p.cache.read_hits_on_writes = false; }},
      {"drops_what_was_read", "SPTF", "firmware", [](DriveProfile& p) { p.cache.keep_read_blocks = false; }},
      {"tiny_segments", "SPTF", "firmware", [](DriveProfile& p) { p.cache.segment_blocks = 5; }},
      {"slow_bus", "SPTF", "firmware", [](DriveProfile& p) { p.bus_read_block_us = p.bus_write_block_us = 250; }},
      {"bus_without_overlap", "SPTF", "firmware",
       [=](DriveProfile& p) {
         zero_latency(p);
         p.bus_overlap = false;
         p.bus_read_block_us = p.bus_write_block_us = 150;
         p.bus_read_watermark = 0.5;
         p.bus_reselect_us = 30;
         p.bus_preparation_us = 10;
         p.bus_read_completion_us = 7;
         p.bus_write_completion_us = 9;
         p.bus_write_watermark_blocks = 4;
       }},
      {"everything_kept", "SPTF", "firmware",
       [](DriveProfile& p) {
         p.cache.keep_passing_sectors = true;
         p.cache.read_ahead = ReadAhead::Cylinder;
         p.cache.read_ahead_on_hit = true;
         p.cache.stop_in_sector = true;
       }},
      {"next_track", "SPTF", "firmware",
       [](DriveProfile& p) {
         p.cache.read_ahead = ReadAhead::NextTrack;
         p.cache.read_ahead_sequential = true;
         p.overhead_overlap = true;
       }},
      {"whole_track", "SPTF", "firmware",
       [](DriveProfile& p) {
         p.cache.read_ahead = ReadAhead::WholeTrackNext;
         p.cache.segment_blocks = 128;
       }},
      {"no_times", "SPTF", "firmware",
       [](DriveProfile& p) {  // phases of zero length
         p.overhead = {};
         p.bus_read_block_us = p.bus_write_block_us = 0;
         p.head_switch_us = p.write_settle_us = 0;
         p.firmware_base_cycles = p.firmware_candidate_cycles = 0;
         p.cache.read_ahead_on_hit = true;
       }},
      {"shallow_queue", "SPTF", "firmware", [](DriveProfile& p) { p.queue_depth = 3; }},
      {"no_segments", "SPTF", "firmware", [](DriveProfile& p) { p.cache = {}; }},
  };
}

class CacheTraffic : public ::testing::TestWithParam<CacheCase> {};

TEST_P(CacheTraffic, BytesAreThoseOfTheOrderOfAcceptance) {
  const auto disk = make_drive("disk", GetParam().policy, GetParam().engine, profile_of(GetParam()));
  BaseProtocolChecker checker("checker");
  AtHost host("host");
  host.disk_init_socket.bind(checker.checked_tgt_socket);
  checker.checked_init_socket.bind(disk->host_tgt_socket);
  constexpr std::uint64_t kCommands = scaled(6'000);
  Traffic traffic(*disk, host, kCommands, 21, true);
  sc_core::sc_start();
  EXPECT_EQ(host.finished(), kCommands);
  traffic.check_end();
  EXPECT_GT(traffic.reads, kCommands / 3);
  EXPECT_GT(traffic.flushes, kCommands / 200);
  EXPECT_GT(traffic.fua_writes, kCommands / 40);
  EXPECT_GT(traffic.ordered, kCommands / 100);
  EXPECT_GT(traffic.head_of_queue, kCommands / 100);
  EXPECT_GT(traffic.probes, kCommands / 40);
  const drive::CacheStatistics& cache = disk->cache_statistics();
  const bool writes = disk->segments() != nullptr && disk->segments()->write_back();
  EXPECT_EQ(cache.cached_writes > kCommands / 20, writes) << cache.cached_writes;
  EXPECT_EQ(cache.destages > 0, writes);
  EXPECT_LE(cache.destages, cache.cached_writes);
  EXPECT_EQ(cache.read_hits > 0, disk->segments() != nullptr);
}

TEST_P(CacheTraffic, AnObserverChangesNothing) {
  DriveProfile profile = profile_of(GetParam());
  // The times must not coincide, because the kernel chooses the order of two events in the same picosecond.
  for (double* time : {&profile.overhead.read_hit_us[0], &profile.overhead.read_miss_us[0], &profile.overhead.write_us[0],
                       &profile.bus_read_block_us, &profile.bus_write_block_us})
    *time += 0.013'577;
  const auto plain = make_drive("plain", GetParam().policy, GetParam().engine, profile);
  const auto watched = make_drive("watched", GetParam().policy, GetParam().engine, profile);
  DriveWatch watch;
  watched->add_probe(watch);
  AtHost plain_host("plain_host", *plain);
  AtHost watched_host("watched_host", *watched);
  constexpr std::uint64_t kCommands = scaled(1'500);
  Traffic a(*plain, plain_host, kCommands, 22, true);
  Traffic b(*watched, watched_host, kCommands, 22, true);
  sc_core::sc_start();
  ASSERT_EQ(a.timings.size(), kCommands);
  ASSERT_EQ(b.timings.size(), kCommands);
  for (const auto& [number, timing] : a.timings) ASSERT_TRUE(same_times(timing, b.timings.at(number))) << "command " << number;
  EXPECT_EQ(plain->actuator().busy(core::now_ps()), watched->actuator().busy(core::now_ps()));
  EXPECT_LE(plain->actuator().busy(core::now_ps()), core::now_ps());
  EXPECT_EQ(plain->actuator().current_tag(), -1);
}

INSTANTIATE_TEST_SUITE_P(Profiles, CacheTraffic, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

// --- reads by hand -----------------------------------------------------------------------------------------------------

TEST(CacheReads, AHitOnTheReadAheadCostsNoMechanics) {
  const auto disk = make_drive("disk", "FCFS", "firmware", cached_profile());
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, false, 0, 8);  // sector 0 at 6,400; the read-ahead goes on to block 32, 9,600
    EXPECT_EQ(t.timing().completed, us(7205));
    s.pause_until(us(20'000));
    const Picoseconds busy = disk->actuator().busy(core::now_ps());
    s.access(t, false, 8, 24);
    EXPECT_EQ(t.timing().response(), us(50 + 24 * 5));
    EXPECT_EQ(t.timing().overhead, us(50));
    EXPECT_EQ(t.timing().bus, us(24 * 5));
    EXPECT_EQ(t.timing().queue + t.timing().seek + t.timing().rotation + t.timing().transfer, 0);
    EXPECT_EQ(disk->actuator().busy(core::now_ps()), busy);
    s.access(t, false, 0, 32);  // with what the host has got before
    EXPECT_EQ(t.timing().response(), us(50 + 32 * 5));
    EXPECT_EQ(disk->cache_statistics().read_hits, 2u);
  });
  script.run_to_end();
}

TEST(CacheReads, AHitDuringTheReadAheadWaitsForItsBlocks) {
  const auto disk = make_drive("disk", "FCFS", "firmware", cached_profile());
  AtHost host("host", *disk);
  host.submit(false, 0, 8);
  run_until(us(7'310));  // block 8 came at 7,300
  Transaction& hit = host.submit(false, 8, 20);
  run_until(us(7'400));
  // The arm cannot leave before it has read the data that the hit needs.
  Transaction& next = host.submit(false, 1280, 1);
  sc_core::sc_start();
  EXPECT_EQ(hit.timing().completed, us(6'400 + 28 * 100 + 5));
  EXPECT_EQ(hit.timing().parts(), hit.timing().response());
  EXPECT_GE(next.timing().started + next.timing().overhead, us(6'400 + 28 * 100));
  EXPECT_EQ(next.timing().seek, us(1'090));
}

TEST(CacheReads, APartialHitSendsItsFirstBlocksAtOnceAndReadsTheRest) {
  DriveProfile profile = cached_profile();
  profile.cache.read_ahead = ReadAhead::None;
  profile.bus_read_block_us = 90;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 0, 16, 0x77);
    Transaction flush(nullptr);
    flush.set_flush();
    s.transport(flush);
    s.access(t, false, 64, 8);
    s.pause_until(us(40'000));  // 1,600 into a turn
    s.access(t, false, 64, 16);
    // The rest, blocks 72 to 79, comes under the head from 38,400 + 6,400 + 800 on.
    EXPECT_EQ(t.timing().completed, us(38'400 + 6'400 + 1'600 + 90));
    EXPECT_EQ(t.timing().transfer, us(800));
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    EXPECT_EQ(disk->cache_statistics().partial_hits, 1u);
    s.access(t, false, 0, 16);
    EXPECT_EQ(t.data, filled(0x77, 16));
  });
  script.run_to_end();
}

class CacheBusHold : public ::testing::TestWithParam<bool> {
 protected:
  /// The bus is requested when all data of a read is there.
  static DriveProfile profile_with_reselect() {
    DriveProfile profile = cached_profile();
    profile.cache.read_ahead = ReadAhead::None;
    profile.bus_read_block_us = 10;
    profile.bus_reselect_us = 40;
    profile.bus_read_watermark = 1;
    return profile;
  }
};

TEST_P(CacheBusHold, TheRestOfAPartialHitNeedsTheBusAgainOnlyWhereItWasLeft) {
  DriveProfile profile = profile_with_reselect();
  profile.bus_hold_read = GetParam();
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, false, 64, 8);
    s.pause_until(us(40'000));
    s.access(t, false, 64, 16);
    EXPECT_EQ(disk->cache_statistics().partial_hits, 1u);
    // Block 79 is in the buffer at 46,400. The data before it has left by then, or waits for it and for the bus.
    EXPECT_EQ(t.timing().completed, us(46'400 + (GetParam() ? 10 : 40 + 8 * 10)));
    EXPECT_EQ(t.timing().parts(), t.timing().response());
  });
  script.run_to_end();
}

TEST_P(CacheBusHold, AReadFromTheMediaNeedsTheBusAgainUnlessItNeverDisconnects) {
  DriveProfile profile = profile_with_reselect();
  profile.bus_preparation_us = 30;
  profile.bus_never_disconnect = GetParam();
  profile.queue_depth = 1;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  AtHost host("host", *disk);
  const Transaction& read = host.submit(false, 64, 8);
  Transaction& write = host.submit(true, 1280, 4);  // the queue is full until the read has its status
  sc_core::sc_start();
  EXPECT_EQ(read.timing().completed % us(6'400), us((64 + 8) * 100 + (GetParam() ? 10 : 70 + 8 * 10)) % us(6'400));
  EXPECT_GE(write.timing().started, read.timing().completed);
}

INSTANTIATE_TEST_SUITE_P(Holds, CacheBusHold, ::testing::Bool());

class CachePartialHit : public ::testing::TestWithParam<WriteBack> {};

TEST_P(CachePartialHit, AWriteOverTheBufferedPartWaitsForTheRead) {
  DriveProfile profile = cached_profile(GetParam());
  profile.cache.read_ahead = ReadAhead::None;
  const auto disk = make_drive("disk", "SSTF", "firmware", profile);
  AtHost host("host", *disk);
  host.submit(false, 12'800, 8);
  run_until(us(40'000));
  Transaction& busy = host.submit(false, 0, 1);  // so that the read has to wait
  run_until(us(41'000));
  Transaction& read = host.submit(false, 12'800, 16);  // half of it is in the buffer
  Transaction& write = host.submit(true, 12'800, 4, 0x66);
  sc_core::sc_start();
  EXPECT_EQ(disk->cache_statistics().partial_hits, 1u);
  EXPECT_LT(busy.finished_order, read.finished_order);
  EXPECT_EQ(read.data, filled(0, 16)) << "accepted before the write";
  EXPECT_EQ(write.status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(host.finished(), 4u);
  EXPECT_EQ(media_bytes(*disk, 12'800, 4), filled(0x66, 4));
}

INSTANTIATE_TEST_SUITE_P(WriteBacks, CachePartialHit, ::testing::Values(WriteBack::Off, WriteBack::Interleaved));

TEST(CacheReads, AReadOverAWaitingWriteIsWhole) {
  // The write waits for an ordered command. The read comes from the buffer and the media, overlaid with the write's data.
  DriveProfile profile = cached_profile();
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  AtHost host("host", *disk);
  host.submit(false, 0, 8);
  run_until(us(20'000));
  host.submit(true, 4, 8, 0x31, [](auto& e) { e.fua = true; });
  Transaction& whole = host.submit(false, 0, 16);
  Transaction& younger = host.submit(true, 2, 4, 0x32);
  sc_core::sc_start();
  std::vector<std::uint8_t> expected(16 * 512, 0);
  std::fill(expected.begin() + 4 * 512, expected.begin() + 12 * 512, std::uint8_t{0x31});
  EXPECT_EQ(whole.data, expected);
  EXPECT_EQ(younger.status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(media_bytes(*disk, 2, 4), filled(0x32, 4));
  EXPECT_EQ(media_bytes(*disk, 6, 6), filled(0x31, 6));
}

TEST(CacheReads, WhatAWaitingWriteHoldsHasToCrossTheBusFirstAndOnce) {
  DriveProfile profile = cached_profile();
  profile.bus_write_block_us = 1'000;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  AtHost host("host", *disk);
  Transaction& first = host.submit(true, 6'400, 1, 1);  // these two have the write segments
  Transaction& second = host.submit(true, 9'600, 1, 2);
  Transaction& write = host.submit(true, 12'800, 4, 3);  // waits for one
  Transaction& read = host.submit(false, 12'799, 3, 0, [](auto& e) { e.attribute = TaskAttribute::HeadOfQueue; });
  sc_core::sc_start();
  EXPECT_EQ(first.timing().completed, us(1'320));
  EXPECT_EQ(second.timing().completed, us(2'320));
  // The read: overhead 310, 1,980 to cylinder 99, sector 63 of head 1 at 6,300; sectors 0 and 1 of cylinder 100 a turn later,
  // from 12,800 to 13,000, and 5 us of bus. Behind it the write's data: the second of its four blocks is there at 15,005.
  EXPECT_EQ(read.timing().started, 0);
  EXPECT_EQ(read.timing().completed, us(15'005));
  std::vector<std::uint8_t> expected(3 * 512, 3);
  std::fill(expected.begin(), expected.begin() + 512, std::uint8_t{0});
  EXPECT_EQ(read.data, expected);
  // The first destage: cylinder 50, sector 0 at 19,200. Then the write has a segment, and its data is in it already.
  EXPECT_EQ(write.timing().completed, us(19'300));
  EXPECT_EQ(write.timing().bus, 0);
  EXPECT_EQ(media_bytes(*disk, 12'800, 4), filled(3, 4));
}

TEST(CacheReads, ForceUnitAccessReadsTheMedia) {
  const auto disk = make_drive("disk", "FCFS", "firmware", cached_profile());
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, false, 0, 8);
    s.pause_until(us(20'000));
    t.extension.fua = true;
    s.access(t, false, 8, 8);
    EXPECT_GT(t.timing().transfer, 0);
    EXPECT_EQ(disk->cache_statistics().read_hits, 0u);
    t.extension.fua = false;
    s.access(t, true, 8, 8, 0x21);
    t.extension.fua = true;
    s.access(t, false, 8, 8);  // the write is on the media before
    EXPECT_EQ(t.data, filled(0x21, 8));
    EXPECT_EQ(media_bytes(*disk, 8, 8), filled(0x21, 8));
  });
  script.run_to_end();
}

/// Also after an older write over the same blocks that waits for room in the buffer, or is not cached either.
class ForceUnitAccess : public ::testing::TestWithParam<bool> {};

TEST_P(ForceUnitAccess, ReturnsOnlyWhatIsOnTheMedia) {
  const auto disk = make_drive("disk", "SSTF", "firmware", cached_profile());
  AtHost host("host", *disk);
  for (const std::uint64_t lba : {6'400u, 9'600u}) host.submit(true, lba, 1, 1);  // these two have the write segments
  host.submit(true, 12'800, 4, 3, [](auto& e) { e.fua = GetParam(); });
  const Transaction& read = host.submit(false, 12'798, 4, 0, [](auto& e) { e.fua = true; });
  bool on_media = false;
  host.on_finished = [&](Transaction& t) { on_media |= &t == &read && media_bytes(*disk, 12'800, 4) == filled(3, 4); };
  sc_core::sc_start();
  EXPECT_TRUE(on_media);
  EXPECT_EQ(read.data[2 * 512], 3);
}

INSTANTIATE_TEST_SUITE_P(OfTheWrite, ForceUnitAccess, ::testing::Bool());

// --- writes by hand ----------------------------------------------------------------------------------------------------

TEST(CacheWrites, AreCompleteWhenTheirDataIsInTheBufferAndReadBackBeforeAndAfterTheyReachTheMedia) {
  const auto disk = make_drive("disk", "FCFS", "firmware", cached_profile());
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 1280, 16, 0x5A);
    EXPECT_EQ(t.timing().response(), us(320 + 16 * 5));
    EXPECT_EQ(t.timing().overhead, us(320));
    EXPECT_EQ(t.timing().bus, us(80));
    EXPECT_EQ(media_bytes(*disk, 1280, 16), filled(0, 16)) << "not yet";
    EXPECT_EQ(disk->kept_bytes(), 16u * 512);
    EXPECT_TRUE(disk->segments()->any_dirty());
    s.access(t, false, 1280, 16);
    EXPECT_EQ(t.data, filled(0x5A, 16));
    EXPECT_EQ(t.timing().response(), us(60 + 80));
    EXPECT_EQ(media_bytes(*disk, 1280, 16), filled(0, 16)) << "still not";
    s.pause_until(us(30'000));
    EXPECT_EQ(media_bytes(*disk, 1280, 16), filled(0x5A, 16));
    EXPECT_FALSE(disk->segments()->any_dirty());
    EXPECT_EQ(disk->kept_bytes(), 16u * 512) << "in one place";
    s.access(t, false, 1280, 16);
    EXPECT_EQ(t.data, filled(0x5A, 16));
    EXPECT_EQ(t.timing().transfer, 0) << "the segment still holds them";
    EXPECT_EQ(disk->cache_statistics().destages, 1u);
  });
  script.run_to_end();
}

TEST(CacheWrites, WaitForASegmentAndLoseNothing) {
  const auto disk = make_drive("disk", "SSTF", "firmware", cached_profile());
  AtHost host("host", *disk);
  std::vector<Transaction*> writes;
  for (std::uint64_t i = 0; i < 10; ++i)
    writes.push_back(&host.submit(true, 1'280 * i + 5, 4, static_cast<std::uint8_t>(i + 1)));  // two find a segment
  Transaction& flush = host.flush();
  sc_core::sc_start();
  int at_once = 0;
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(writes[i]->status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(media_bytes(*disk, 1'280 * i + 5, 4), filled(static_cast<std::uint8_t>(i + 1), 4));
    EXPECT_EQ(writes[i]->timing().parts(), writes[i]->timing().response());
    EXPECT_LT(writes[i]->timing().completed, flush.timing().completed);
    at_once += writes[i]->timing().queue == 0;
  }
  EXPECT_EQ(at_once, 2);
  EXPECT_EQ(disk->cache_statistics().cached_writes, 10u);
  EXPECT_EQ(disk->cache_statistics().destages, 10u);
}

TEST(CacheWrites, TakeTheRoomInTheOrderOfTheirArrival) {
  const auto disk = make_drive("disk", "FCFS", "firmware", cached_profile(WriteBack::Append));
  AtHost host("host", *disk);
  Transaction* other = nullptr;
  std::uint64_t next = 0;
  const auto stream = [&] { host.submit(true, std::exchange(next, next + 4), 4); };
  host.on_finished = [&](Transaction& t) {
    if (&t != other && core::now_ps() < us(200'000)) stream();
  };
  stream();
  run_until(us(2'000));
  other = &host.submit(true, 12'800, 4);  // the stream's segment is never clean by itself
  sc_core::sc_start();
  EXPECT_LT(other->timing().completed, us(40'000));
  EXPECT_GT(next, 300u);
}

TEST(CacheWrites, GoToTheMediaWithoutAWaitForTheDataOfOthers) {
  DriveProfile profile = cached_profile();
  profile.bus_write_block_us = 1'000;
  const auto disk = make_drive("disk", "SSTF", "firmware", profile);
  AtHost host("host", *disk);
  host.submit(true, 6'400, 1, 1);
  run_until(us(2'000));
  host.submit(true, 6'401, 1, 2);  // follows when the first one is written
  run_until(us(4'000));
  Transaction& fua = host.submit(true, 12'800, 64, 3, [](auto& e) { e.fua = true; });
  run_until(us(40'000));
  EXPECT_EQ(media_bytes(*disk, 6'401, 1), filled(2, 1));
  sc_core::sc_start();
  EXPECT_GT(fua.timing().completed, us(68'000));
}

TEST(CacheWrites, TakeTheirPagesOnceAndZerosNone) {
  const auto disk = make_drive("disk", "SPTF", "firmware", cached_profile());
  AtHost host("host", *disk);
  constexpr std::uint64_t kWrites = 500;
  for (const std::uint8_t fill : {std::uint8_t{7}, std::uint8_t{0}}) {
    for (std::uint64_t i = 0; i < kWrites; ++i) host.submit(true, 32 * i, 8, fill);
    Transaction& flush = host.flush();
    sc_core::sc_start();
    EXPECT_EQ(flush.status(), tlm::TLM_OK_RESPONSE);
    EXPECT_FALSE(disk->segments()->any_dirty());
    EXPECT_EQ(disk->kept_bytes(), fill == 0 ? 0 : kWrites * 4096) << "all are on the media, and nothing is kept beside";
  }
}

TEST(CacheWrites, OneThatGoesOnWhereTheBufferEndsIsWrittenWithIt) {
  const auto disk = make_drive("disk", "FCFS", "firmware", cached_profile(WriteBack::Append));
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 1280, 4, 1);  // goes to the media at once
    s.access(t, true, 1284, 4, 2);
    s.access(t, true, 1288, 4, 3);
    EXPECT_EQ(t.timing().queue, 0);
    s.access(t, true, 2560, 4, 4);  // elsewhere: waits until the segment is clean
    EXPECT_GT(t.timing().queue, us(1'000));
    s.pause_until(us(60'000));
    EXPECT_EQ(disk->cache_statistics().destages, 3u) << "the first, the two behind it, the last";
    EXPECT_EQ(media_bytes(*disk, 1280, 4), filled(1, 4));
    EXPECT_EQ(media_bytes(*disk, 1284, 4), filled(2, 4));
    EXPECT_EQ(media_bytes(*disk, 1288, 4), filled(3, 4));
    EXPECT_EQ(media_bytes(*disk, 2560, 4), filled(4, 4));
  });
  script.run_to_end();
}

TEST(CacheWrites, AFlushWaitsForTheMediaAndForceUnitAccessToo) {
  const auto disk = make_drive("disk", "FCFS", "firmware", cached_profile());
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 1280, 8, 0x11);
    Transaction flush(nullptr);
    flush.set_flush();
    s.transport(flush);
    EXPECT_EQ(media_bytes(*disk, 1280, 8), filled(0x11, 8));
    EXPECT_GT(flush.timing().response(), us(1'000));
    EXPECT_EQ(flush.timing().parts(), flush.timing().response());
    t.extension.fua = true;
    s.access(t, true, 1284, 8, 0x22);
    EXPECT_EQ(media_bytes(*disk, 1284, 8), filled(0x22, 8));
    EXPECT_GT(t.timing().transfer, 0);
    t.extension.fua = false;
    s.access(t, true, 1284, 8, 0x33);
    t.extension.fua = true;
    s.access(t, true, 1280, 8, 0x44);  // over blocks that still wait
    EXPECT_EQ(media_bytes(*disk, 1280, 8), filled(0x44, 8));
    EXPECT_EQ(media_bytes(*disk, 1288, 4), filled(0x33, 4));
  });
  script.run_to_end();
}

TEST(CacheWrites, DebugTransportSeesAndChangesWhatTheBufferHolds) {
  const auto disk = make_drive("disk", "FCFS", "firmware", cached_profile());
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 1280, 4, 0x5A);
    const auto debug = [&](tlm::tlm_command command, std::uint64_t address, std::vector<std::uint8_t>& data) {
      Transaction d(nullptr);
      d.payload.set_command(command);
      d.payload.set_address(address);
      d.payload.set_data_ptr(data.data());
      d.payload.set_data_length(static_cast<unsigned>(data.size()));
      return s.disk_init_socket->transport_dbg(d.payload);
    };
    std::vector<std::uint8_t> bytes(1'000, 0xEE);
    EXPECT_EQ(debug(tlm::TLM_READ_COMMAND, 1280 * 512 - 300, bytes), 1'000u);  // at no sector's boundary
    for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], i < 300 ? 0 : 0x5A) << i;
    std::vector<std::uint8_t> patch(10, 0x77);
    EXPECT_EQ(debug(tlm::TLM_WRITE_COMMAND, 1281 * 512 + 100, patch), 10u);
    s.access(t, false, 1280, 4);
    EXPECT_EQ(std::count(t.data.begin(), t.data.end(), std::uint8_t{0x77}), 10);
    s.pause_until(us(30'000));
    const std::vector<std::uint8_t> media = media_bytes(*disk, 1280, 4);
    EXPECT_EQ(std::count(media.begin(), media.end(), std::uint8_t{0x77}), 10) << "the destage brings it to the media";
    EXPECT_EQ(media[512 + 100], 0x77);
  });
  script.run_to_end();
}

TEST(CacheWrites, NeedASegment) {
  DriveProfile none = cached_profile();
  none.cache.write_segments = 0;
  EXPECT_THROW(make_drive("none", "FCFS", "firmware", none), std::invalid_argument);
  DriveProfile separate = cached_profile();
  separate.cache.segments = 1;
  separate.cache.separate_write_segments = true;
  EXPECT_THROW(make_drive("separate", "FCFS", "firmware", separate), std::invalid_argument);
}

TEST(CacheWrites, ShareTheAcceleratorsTableWithTheHost) {
  // 32 tags, 32 entries, and destages between them: a command whose entry is taken waits, and every command completes.
  DriveProfile profile = cached_profile();
  profile.queue_depth = 32;
  const auto disk = make_drive("disk", "SPTF", "rtl", profile);
  std::uint32_t answered = 0;
  Script script("script", *disk, [&](Script& s) {
    for (std::uint32_t host = 0; host < 40; ++host)
      s.spawn([&s, &answered, host] {
        Transaction transaction(nullptr);
        for (std::uint32_t i = 0; i < 8; ++i) {
          s.access(transaction, (host + i) % 2 == 0, (host * 977 + i * 4099) % (kToyBlocks - 8), 8);
          ++answered;
        }
      });
  });
  sc_core::sc_start();
  EXPECT_EQ(answered, 320u);
  EXPECT_GT(disk->cache_statistics().cached_writes, 0u);
}

// --- order -------------------------------------------------------------------------------------------------------------

TEST(CacheOrder, NothingOvertakesAnOrderedCommandAndItOvertakesNothing) {
  DriveProfile profile = cached_profile(WriteBack::Off);
  profile.bus_read_block_us = 300;  // an older read's data is still on the bus when its media access ends
  const auto disk = make_drive("disk", "SSTF", "firmware", profile);
  AtHost host("host", *disk);
  Transaction& far = host.submit(false, 12'800, 64);
  Transaction& ordered = host.submit(true, 12'992, 1, 1, [](auto& e) { e.attribute = TaskAttribute::Ordered; });
  Transaction& near = host.submit(false, 0, 1);
  Transaction& flush = host.flush();
  sc_core::sc_start();
  EXPECT_LE(far.timing().completed, ordered.timing().completed);
  EXPECT_LT(far.finished_order, ordered.finished_order);
  EXPECT_LT(ordered.finished_order, near.finished_order);
  EXPECT_LT(ordered.finished_order, flush.finished_order);
  EXPECT_GT(near.timing().started, far.timing().started + far.timing().overhead);
}

TEST(CacheOrder, TheHeadOfTheQueueIsServedNext) {
  const auto disk = make_drive("disk", "SSTF", "firmware", cached_profile());
  AtHost host("host", *disk);
  std::vector<Transaction*> simple;
  for (std::uint64_t i = 0; i < 5; ++i) simple.push_back(&host.submit(false, 128 * i, 1));
  Transaction& ordered = host.submit(false, 640, 1, 0, [](auto& e) { e.attribute = TaskAttribute::Ordered; });
  run_until(us(1'000));  // the first access is in progress
  const auto urgent = [&](std::uint64_t lba, bool write = false) -> Transaction& {
    return host.submit(write, lba, 1, 0, [write](auto& e) {
      e.fua = write;
      e.attribute = TaskAttribute::HeadOfQueue;
    });
  };
  Transaction& released = urgent(0, true);  // waits for that access
  Transaction& first = urgent(16'000);
  Transaction& second = urgent(15'000);
  sc_core::sc_start();
  EXPECT_EQ(simple[0]->finished_order, 0u);
  EXPECT_EQ(second.finished_order, 1u) << "the last to come is the head";
  EXPECT_EQ(first.finished_order, 2u);
  EXPECT_EQ(released.finished_order, 3u);
  EXPECT_EQ(second.timing().started, simple[0]->timing().started + simple[0]->timing().overhead + simple[0]->timing().rotation +
                                         simple[0]->timing().transfer);
  EXPECT_EQ(ordered.finished_order, 8u);
}

TEST(CacheOrder, TaskAttributesAreRefusedWhereTheDriveHasNone) {
  DriveProfile profile = cached_profile();
  profile.task_attributes = false;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  Script script("script", *disk, [&](Script& s) {
    for (const TaskAttribute attribute : {TaskAttribute::Ordered, TaskAttribute::HeadOfQueue}) {
      Transaction t(nullptr);
      t.set(false, 0, 1);
      t.extension.attribute = attribute;
      s.transport(t);
      EXPECT_EQ(t.status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
      EXPECT_EQ(t.extension.status, CommandStatus::BadCommand);
    }
    EXPECT_EQ(disk->host_port().rejected(), 2u);
  });
  script.run_to_end();
}

TEST(CacheOrder, ContinuousReadsKeepTheirDeadlinesBesideCachedWrites) {
  DriveProfile profile = cached_profile();
  const auto disk = make_drive("disk", "SPTF", "firmware", profile);
  AtHost host("host", *disk);
  core::RandomStream random(31, "round");
  constexpr Picoseconds kRound = 300 * kMs;
  constexpr int kRounds = 20;
  int late = 0;
  std::uint64_t discrete = 0;
  const auto issue = [&] {
    if (core::now_ps() >= kRounds * kRound) return;
    Transaction& t = host.reuse();
    t.extension.cls = RequestClass::Discrete;
    t.extension.deadline = core::kNoDeadline;
    t.set(random.below(2) == 0, random.below(kToyBlocks - 8), static_cast<std::uint32_t>(1 + random.below(8)));
    host.submit(t);
    ++discrete;
  };
  host.on_finished = [&](Transaction& t) {
    if (t.extension.cls == RequestClass::Continuous)
      late += t.timing().completed > t.extension.deadline;
    else
      issue();
  };
  for (int i = 0; i < 16; ++i) issue();
  for (int round = 0; round < kRounds; ++round) {
    run_until(round * kRound);
    for (int i = 0; i < 8; ++i) {
      Transaction& t = host.reuse();
      t.extension.cls = RequestClass::Continuous;
      t.extension.deadline = (round + 1) * kRound;
      t.set(false, random.below(kToyBlocks - 40), 40);
      host.submit(t);
    }
  }
  sc_core::sc_start();
  EXPECT_EQ(late, 0);
  EXPECT_GT(discrete, 300u);
  EXPECT_FALSE(disk->segments()->any_dirty());
}

}  // namespace
}  // namespace platter::testing
