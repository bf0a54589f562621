// SPDX-License-Identifier: Apache-2.0
//
// The drive as servers see it: its registers, the token bucket at its port, its failure and revival.
#include "testing.h"

#include <array>

#include "base_protocol_checker.h"
#include "platter/drive/drive_registers.h"

namespace platter::testing {
namespace {

using profile::DriveProfile;

constexpr Picoseconds us(double value) { return core::to_picoseconds(value, kUs); }

/// Accesses a drive's registers in any way, from any process.
struct RegisterHost : Registers {
  using Registers::counter, Registers::Registers;

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& data, unsigned length = 4) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    register_init_socket->b_transport(payload, delay);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    return payload.get_response_status();
  }
  std::uint64_t counter(RequestClass cls, std::uint32_t offset) { return counter(drive::reg::counter(cls, offset)); }
};

std::vector<std::uint8_t> media_blocks(const drive::Drive& disk, std::uint64_t lba, std::uint32_t blocks) {
  std::vector<std::uint8_t> bytes(std::size_t{blocks} * 512);
  disk.media().read(lba * 512, bytes.data(), bytes.size());
  return bytes;
}

// --- registers ---------------------------------------------------------------------------------------------------------

TEST(DriveRegisters, SayWhatThePortHasDone) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  RegisterHost registers("registers", *disk);
  AtHost host("host", *disk);
  const auto submit = [&](bool write, std::uint64_t lba, std::uint32_t blocks, RequestClass cls, Picoseconds deadline) {
    Transaction& t = host.make();
    t.set(write, lba, blocks);
    t.extension.cls = cls;
    t.extension.deadline = deadline;
    host.submit(t);
  };
  submit(false, 0, 8, RequestClass::Continuous, 7205 * kUs);   // ends in the picosecond of its deadline
  submit(false, 64, 8, RequestClass::Continuous, 7206 * kUs);  // late
  submit(true, 128, 4, RequestClass::Background, core::kNoDeadline);
  submit(false, 256, 1, RequestClass::Discrete, 1 * kMs);                   // late
  submit(false, kToyBlocks, 1, RequestClass::Discrete, core::kNoDeadline);  // refused
  run_until(1 * kMs);
  EXPECT_EQ(registers.read(drive::reg::kOutstanding), 4u);
  EXPECT_EQ(registers.counter(drive::reg::kBusyLow), static_cast<std::uint64_t>(1 * kMs - kToyFcfsDecision))
      << "the access that runs counts up to now";
  run_until(200 * kMs);
  EXPECT_EQ(registers.read(drive::reg::kId), 0x504C4452u);
  EXPECT_EQ(registers.read(drive::reg::kVersion), 0x00010005u);
  EXPECT_EQ(registers.read(drive::reg::kState), 1u);
  EXPECT_EQ(registers.read(drive::reg::kFailures), 0u);
  EXPECT_EQ(registers.read(drive::reg::kDepth), 32u);
  EXPECT_EQ(registers.read(drive::reg::kOutstanding), 0u);
  using C = RequestClass;
  const std::array<std::array<std::uint64_t, 6>, 3> expected = {{
      {1, 0, 512, 0, 1, 1},   // discrete: reads, writes, bytes of each, late, failed
      {2, 0, 8192, 0, 1, 0},  // continuous
      {0, 1, 0, 2048, 0, 0},  // background
  }};
  for (const C cls : {C::Discrete, C::Continuous, C::Background}) {
    const auto& e = expected[static_cast<std::size_t>(cls)];
    EXPECT_EQ(registers.counter(cls, drive::reg::kReads), e[0]) << core::to_string(cls);
    EXPECT_EQ(registers.counter(cls, drive::reg::kWrites), e[1]) << core::to_string(cls);
    EXPECT_EQ(registers.counter(cls, drive::reg::kReadBytes), e[2]) << core::to_string(cls);
    EXPECT_EQ(registers.counter(cls, drive::reg::kWrittenBytes), e[3]) << core::to_string(cls);
    EXPECT_EQ(registers.counter(cls, drive::reg::kLate), e[4]) << core::to_string(cls);
    EXPECT_EQ(registers.counter(cls, drive::reg::kFailed), e[5]) << core::to_string(cls);
  }
  EXPECT_EQ(registers.counter(drive::reg::kBusyLow), static_cast<std::uint64_t>(disk->actuator().busy(core::now_ps())));
}

TEST(DriveRegisters, SayWhatClassesUsedOfTheirBudgets) {
  using C = RequestClass;
  const auto disk = make_drive("disk", "CELLO(3|1|0)", "firmware", toy_profile());
  RegisterHost registers("registers", *disk);
  AtHost host("host", *disk);
  const auto read = [&](C cls, std::uint32_t offset) {
    return static_cast<Picoseconds>(registers.counter(drive::reg::disk_time(cls, offset)));
  };
  run_until(1 * kUs);
  EXPECT_EQ(read(C::Continuous, drive::reg::kBudget), 1'500 * kMs);
  EXPECT_EQ(read(C::Discrete, drive::reg::kBudget), 500 * kMs);
  EXPECT_EQ(read(C::Background, drive::reg::kBudget), 0);
  EXPECT_EQ(registers.counter(drive::reg::kBudgetInterval), static_cast<std::uint64_t>(2'000 * kMs));
  EXPECT_EQ(registers.counter(drive::reg::kSlack), static_cast<std::uint64_t>(core::kNoDeadline));
  for (std::uint64_t i = 0; i < 4; ++i) {
    Transaction& t = host.make();
    t.set(false, i * 1000, 8);
    t.extension.cls = i == 1 ? C::Continuous : i == 2 ? C::Background : C::Discrete;
    if (i == 1) t.extension.deadline = 100 * kMs;
    host.submit(t);
  }
  run_until(1 * kMs);
  // The first decision left time for a discrete command: 100 ms, less the sweep, the movement to it and the bus.
  const auto slack = static_cast<Picoseconds>(registers.counter(drive::reg::kSlack));
  EXPECT_GT(slack, 80 * kMs);
  EXPECT_LT(slack, 100 * kMs - 800 * kUs);
  EXPECT_EQ(registers.counter(drive::reg::kSweep), static_cast<std::uint64_t>(800 * kUs));
  run_until(1'000 * kMs);
  EXPECT_EQ(read(C::Background, drive::reg::kUsed), 0);
  EXPECT_GT(read(C::Background, drive::reg::kReassigned), 0) << "it has no weight";
  EXPECT_GT(read(C::Continuous, drive::reg::kUsed), 0);
  Picoseconds sum = 0;
  for (const C cls : {C::Discrete, C::Continuous, C::Background}) {
    EXPECT_EQ(read(cls, drive::reg::kDiskTime), read(cls, drive::reg::kUsed) + read(cls, drive::reg::kReassigned));
    sum += read(cls, drive::reg::kDiskTime);
  }
  EXPECT_EQ(sum, disk->actuator().busy(core::now_ps()));
  run_until(2'000 * kMs);
  EXPECT_EQ(read(C::Continuous, drive::reg::kUsed), 0) << "a new interval";
  EXPECT_GT(read(C::Continuous, drive::reg::kDiskTime), 0);
}

TEST(DriveRegisters, HaveNoBudgetsUnderOtherPolicies) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  RegisterHost registers("registers", *disk);
  AtHost host("host", *disk);
  run_until(1 * kMs);
  EXPECT_EQ(registers.counter(drive::reg::kBudgetInterval), 0u);
  EXPECT_EQ(registers.counter(drive::reg::disk_time(RequestClass::Discrete, drive::reg::kBudget)), 0u);
}

TEST(DriveRegisters, RefuseWhatIsNoRegister) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  RegisterHost registers("registers", *disk);
  AtHost host("host", *disk);
  run_until(1 * kMs);
  std::uint32_t data = 0;
  for (const std::uint64_t address : {0x002u, 0x01Cu, 0x02Cu, 0x130u, 0x1C0u, 0xFFCu})
    for (const auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND})
      EXPECT_EQ(registers.access(command, address, data), tlm::TLM_ADDRESS_ERROR_RESPONSE) << address;
  for (const std::uint64_t address : {0x000u, 0x010u, 0x018u, 0x028u, 0x030u, 0x034u, 0x100u, 0x16Cu})
    EXPECT_EQ(registers.access(tlm::TLM_WRITE_COMMAND, address, data), tlm::TLM_COMMAND_ERROR_RESPONSE) << address;
  EXPECT_EQ(registers.access(tlm::TLM_READ_COMMAND, 0, data, 2), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(registers.access(tlm::TLM_IGNORE_COMMAND, 0, data), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_TRUE(disk->power().alive());
}

TEST(DriveRegisters, HoldTheUpperHalf) {
  DriveProfile profile = toy_profile();
  const auto disk = make_drive("disk", "SSTF", "firmware", profile, false);
  RegisterHost registers("registers", *disk);
  AtHost host("host", *disk);
  // The busy time passes 2^32 ps (4.29 ms) in the first access, which begins at its decision.
  const Picoseconds decided = kToyFcfsDecision;
  const Picoseconds carry = decided + (Picoseconds{1} << 32);
  host.submit(false, 0, 8);
  run_until(carry - 1);
  EXPECT_EQ(registers.read(drive::reg::kBusyLow), 0xFFFFFFFFu);
  run_until(carry);
  EXPECT_EQ(registers.read(drive::reg::kBusyLow + 4), 0u) << "as of when the lower half was read";
  EXPECT_EQ(registers.counter(drive::reg::kBusyLow), std::uint64_t{1} << 32);
}

// --- the token bucket --------------------------------------------------------------------------------------------------

/// A rate of one token a millisecond; a depth of two tokens.
DriveProfile gated_profile() {
  DriveProfile p = toy_profile();
  p.token_rate_bytes_per_s = 4'096'000;
  p.token_depth_bytes = 8192;
  return p;
}

TEST(DriveTokens, HoldTheRequestPhaseOfBestEffort) {
  const auto disk = make_drive("disk", "FCFS", "firmware", gated_profile());
  RegisterHost registers("registers", *disk);
  AtHost best_effort("best_effort");
  AtHost media("media");
  BaseProtocolChecker checker("checker");
  best_effort.disk_init_socket.bind(checker.checked_tgt_socket);
  checker.checked_init_socket.bind(disk->host_tgt_socket);
  media.disk_init_socket.bind(disk->host_tgt_socket);
  std::vector<Transaction*> t;
  // Tokens: 1, 1, 2, 1 (of 512 bytes), and 3, which is more than the depth: it goes when the bucket is full.
  for (const std::uint32_t blocks : {8u, 8u, 9u, 1u, 24u, 8u}) {
    t.push_back(&best_effort.make());
    t.back()->set(t.size() % 2 == 0, 256 * t.size(), blocks);
    t.back()->extension.cls = t.size() % 2 == 0 ? RequestClass::Background : RequestClass::Discrete;
    best_effort.submit(*t.back());
  }
  std::vector<Transaction*> c;
  for (int i = 0; i < 3; ++i) {
    c.push_back(&media.make());
    c.back()->set(false, 2048 + 64 * static_cast<std::uint64_t>(i), 64);
    c.back()->extension.cls = RequestClass::Continuous;
    media.submit(*c.back());
  }
  run_until(us(500));
  EXPECT_EQ(registers.read(drive::reg::kInLine), 1u) << "the host's other ones wait with it";
  EXPECT_EQ(registers.read(drive::reg::kTokenLevel), 2048u);
  EXPECT_EQ(registers.read(drive::reg::kOutstanding), 5u);
  run_until(500 * kMs);
  const std::vector<Picoseconds> expected = {0, 0, 2 * kMs, 3 * kMs, 5 * kMs, 7 * kMs};
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(t[i]->end_req, expected[i]) << "command " << i;
    EXPECT_EQ(t[i]->timing().accepted, expected[i]) << "command " << i;
    EXPECT_EQ(t[i]->status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(t[i]->timing().parts(), t[i]->timing().response());
  }
  for (const Transaction* x : c) EXPECT_EQ(x->end_req, 0) << "continuous commands pass";
  EXPECT_EQ(registers.read(drive::reg::kInLine), 0u);
}

TEST(DriveTokens, AChangeHoldsAtOnceForWhatWaits) {
  const auto disk = make_drive("disk", "FCFS", "firmware", gated_profile());
  RegisterHost registers("registers", *disk);
  AtHost host("host", *disk);
  for (std::uint64_t i = 0; i < 7; ++i) host.submit(true, 128 * i, 16);
  std::vector<Picoseconds> taken;
  host.on_accepted = [&](Transaction& x) { taken.push_back(x.end_req); };
  run_until(us(500));  // the bucket has half a token; two are needed
  registers.write(drive::reg::kTokenRate, 1'024'000);
  EXPECT_EQ(registers.read(drive::reg::kTokenRate), 1'024'000u);
  run_until(us(6499));
  EXPECT_EQ(taken.size(), 1u);
  run_until(us(6501));  // 1.5 tokens of 4 ms later
  EXPECT_EQ(taken.size(), 2u);
  registers.write(drive::reg::kTokenDepth, 5000);  // a depth of one token: a command of two passes with one, and leaves a debt
  EXPECT_EQ(registers.read(drive::reg::kTokenDepth), 4096u);
  run_until(us(30'000));
  registers.write(drive::reg::kTokenRate, 0);
  run_until(us(30'001));
  EXPECT_EQ(taken, (std::vector<Picoseconds>{0, us(6500), us(10'500), us(18'500), us(26'500), us(30'000), us(30'000)}));
}

TEST(DriveTokens, BlockingCallersAreServedInTheirOrder) {
  const auto disk = make_drive("disk", "FCFS", "firmware", gated_profile());
  std::vector<std::unique_ptr<Transaction>> t;
  for (int i = 0; i < 6; ++i) t.push_back(std::make_unique<Transaction>(nullptr));
  std::vector<std::size_t> order;
  Script script("script", *disk, [&](Script& s) {
    for (std::size_t i = 0; i < t.size(); ++i) {
      s.spawn([&, i] {
        t[i]->set(true, 128 * i, i == 2 ? 16 : 1);  // the third needs two tokens; those behind it do not overtake it
        s.transport(*t[i]);
      });
      s.pause(us(1));
    }
  });
  run_until(300 * kMs);
  const std::vector<Picoseconds> expected = {0, us(1), us(2000), us(3000), us(4000), us(5000)};
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(t[i]->status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(t[i]->timing().accepted, expected[i]) << "caller " << i;
  }
}

TEST(DriveTokens, ACommandThatWaitsForThemCanBeAborted) {
  const auto disk = make_drive("disk", "FCFS", "firmware", gated_profile());
  AtHost host("host");
  AtHost other("other");
  host.disk_init_socket.bind(disk->host_tgt_socket);
  other.disk_init_socket.bind(disk->host_tgt_socket);
  std::vector<Transaction*> t;
  for (int i = 0; i < 5; ++i) {
    AtHost& of = i < 4 ? host : other;
    t.push_back(&of.make());
    t.back()->set(true, 128 * static_cast<std::uint64_t>(i), 8, 1);
    t.back()->extension.tag = 4 + i;
    of.submit(*t.back());
  }
  Transaction called(nullptr);
  Script script("script", *disk, [&](Script& s) {
    s.pause(us(1));
    called.set(true, 1024, 8, 1);
    called.extension.tag = 9;
    s.transport(called);
  });
  run_until(us(100));
  for (const std::uint16_t tag : {std::uint16_t{6}, std::uint16_t{9}}) {
    EXPECT_TRUE(disk->abort(core::Tag(tag)));
    EXPECT_FALSE(disk->abort(core::Tag(tag))) << "once";
  }
  EXPECT_FALSE(disk->abort(core::Tag(7))) << "its host has not sent it yet";
  run_until(200 * kMs);
  for (const Transaction* x : {t[2], &called}) {
    EXPECT_EQ(x->extension.status, CommandStatus::Aborted);
    EXPECT_EQ(x->timing().completed, us(100));
    EXPECT_EQ(media_blocks(*disk, x->lba(), 8), std::vector<std::uint8_t>(4096, 0));
  }
  EXPECT_EQ(t[4]->end_req, us(1000)) << "the tokens are for those that wait";
  EXPECT_EQ(t[3]->end_req, us(2000));
  EXPECT_EQ(t[3]->status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(disk->host_port().rejected(), 0u);
  EXPECT_TRUE(host.all_released());
}

TEST(DriveTokens, AnAbortMeansTheCommandThatHasTheTag) {
  const auto disk = make_drive("disk", "FCFS", "firmware", gated_profile());
  AtHost host("host", *disk);
  AtHost other("other", *disk);
  for (AtHost* of : {&host, &other}) {
    Transaction& t = of->make();
    t.set(true, 0, 8, 1);
    t.extension.tag = 5;
    of->submit(t);
  }
  run_until(us(100));
  EXPECT_FALSE(disk->abort(core::Tag(5))) << "its access runs";
  run_until(200 * kMs);
  EXPECT_EQ(disk->host_port().completed(), 1u);
  EXPECT_EQ(disk->host_port().rejected(), 1u) << "the other one has a tag in use";
}

TEST(DriveTokens, WaitForAFullQueueToo) {
  DriveProfile profile = gated_profile();
  profile.queue_depth = 1;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  AtHost best_effort("best_effort", *disk);
  AtHost media("media", *disk);
  for (std::uint64_t i = 0; i < 20; ++i) {
    best_effort.submit(true, 128 * i, 8);
    media.submit(false, 128 * i + 64, 8, 0, [](auto& e) { e.cls = RequestClass::Continuous; });
  }
  run_until(2000 * kMs);
  EXPECT_EQ(best_effort.finished(), 20u);
  EXPECT_EQ(media.finished(), 20u);
  EXPECT_TRUE(best_effort.all_released() && media.all_released());
}

// --- tags --------------------------------------------------------------------------------------------------------------

TEST(DriveTags, GoToTheOneThatHasWaitedLongest) {
  DriveProfile profile = toy_profile();
  profile.queue_depth = 2;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  std::array<int, 4> served{};
  AtHost host("host", *disk);
  AtHost other("other", *disk);
  for (AtHost* of : {&host, &other}) {
    of->on_finished = [of, count = &served[of == &host ? 0 : 1]](const Transaction& /*t*/) {
      if (core::now_ps() >= 1'000 * kMs) return;
      ++*count;
      Transaction& next = of->reuse();
      next.set(false, 0, 8);
      of->submit_within(next);
    };
    of->submit(false, 0, 8);
  }
  Script script("script", *disk, [&](Script& s) {
    for (const std::size_t i : {2u, 3u})
      s.spawn([&, i] {
        for (Transaction t(nullptr); core::now_ps() < 1'000 * kMs;) {
          s.access(t, false, 256, 8);
          served[i] += core::now_ps() < 1'000 * kMs ? 1 : 0;
        }
      });
  });
  run_until(1'100 * kMs);
  EXPECT_GT(served[0], 10);
  for (const int count : served) EXPECT_NEAR(count, served[0], 1) << "in turn";
}

// --- failure -------------------------------------------------------------------------------------------------------------

TEST(DriveFailure, AnswersEverythingAtOnceAndComesBack) {
  DriveProfile profile = gated_profile();
  profile.queue_depth = 3;
  drive::DriveConfig config;
  config.profile = profile;
  config.fails_at = 5 * kMs;
  const auto disk =
      std::make_unique<drive::Drive>("disk", config, system::engine_factory(engine_options("FCFS", "firmware", profile)));
  RegisterHost registers("registers", *disk);
  AtHost best_effort("best_effort", *disk);
  AtHost media("media", *disk);
  std::vector<Transaction*> t;
  for (std::uint64_t i = 0; i < 4; ++i) t.push_back(&best_effort.submit(true, 128 * i, 16, 1));  // the others wait for tokens
  std::vector<std::unique_ptr<Transaction>> blocking;
  for (int i = 0; i < 3; ++i) blocking.push_back(std::make_unique<Transaction>(nullptr));
  Script script("script", *disk, [&](Script& s) {
    for (std::size_t i = 0; i < blocking.size(); ++i)
      s.spawn([&, i] {
        blocking[i]->set(false, 640, 8);
        blocking[i]->extension.cls = i < 2 ? RequestClass::Continuous : RequestClass::Background;
        s.transport(*blocking[i]);
      });
  });
  t.push_back(&media.make());  // the queue is full
  t.back()->set(false, 64, 8);
  t.back()->extension.cls = RequestClass::Continuous;
  media.submit(*t.back());
  run_until(5 * kMs + 1);
  EXPECT_FALSE(disk->power().alive());
  EXPECT_EQ(registers.read(drive::reg::kState), 0u);
  const auto failed = [](const Transaction& x) {
    EXPECT_EQ(x.status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(x.extension.status, CommandStatus::DriveFailed);
    EXPECT_EQ(x.timing().completed, 5 * kMs);
    EXPECT_EQ(x.timing().parts(), x.timing().response());
  };
  for (const Transaction* x : t) failed(*x);
  for (const auto& x : blocking) failed(*x);
  EXPECT_EQ(disk->queue().occupancy(), 0u);
  EXPECT_TRUE(disk->engine().empty());
  EXPECT_EQ(media_blocks(*disk, 0, 16), std::vector<std::uint8_t>(16 * 512, 0)) << "it had not been written";
  EXPECT_EQ(registers.counter(drive::reg::kBusyLow), static_cast<std::uint64_t>(5 * kMs - kToyFcfsDecision));
  run_until(10 * kMs);
  Transaction& later = best_effort.submit(false, 0, 8);
  run_until(11 * kMs);
  EXPECT_EQ(later.extension.status, CommandStatus::DriveFailed);
  EXPECT_EQ(later.timing().completed, 10 * kMs);
  registers.write(drive::reg::kState, 1);
  EXPECT_EQ(registers.read(drive::reg::kFailures), 1u);
  Transaction& first = media.submit(false, 0, 8, 0, [](auto& e) { e.cls = RequestClass::Continuous; });
  run_until(50 * kMs);
  EXPECT_EQ(first.status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(first.timing().seek, 0) << "the arm comes back at cylinder 0";
  EXPECT_EQ(registers.counter(drive::reg::counter(RequestClass::Continuous, drive::reg::kReads)), 1u);
  EXPECT_EQ(registers.counter(drive::reg::counter(RequestClass::Continuous, drive::reg::kFailed)), 3u);
}

}  // namespace
}  // namespace platter::testing
