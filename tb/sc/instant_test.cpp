// SPDX-License-Identifier: Apache-2.0
//
// What happens in one instant happens in an order that the model gives, whoever else waits for this instant or watches.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "array_rig.h"
#include "platter/core/random.h"
#include "platter/core/timed_call.h"

namespace platter::testing {
namespace {

using core::Rank;
using core::TimedCall;

constexpr std::array<Rank, 8> kRanks = {Rank::Decision, Rank::Arrival, Rank::Response, Rank::Failure,
                                        Rank::Access,   Rank::Layer,   Rank::Request,  Rank::Tokens};

/// Does nothing at some times, as an observer might.
class Idler : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Idler);
  Idler(const sc_core::sc_module_name& name, std::vector<Picoseconds> times) : sc_module(name), times_(std::move(times)) {
    SC_THREAD(run);
  }

 private:
  void run() {
    for (const Picoseconds time : times_)
      if (time > core::now_ps()) wait(core::to_sc_time(time - core::now_ps()));
  }

  std::vector<Picoseconds> times_;
};

struct Made {
  Picoseconds time;
  std::size_t call;
  friend bool operator==(const Made& a, const Made& b) { return a.time == b.time && a.call == b.call; }
  friend std::ostream& operator<<(std::ostream& out, const Made& m) { return out << m.call << " at " << m.time; }
};

/// Parameter: the seed of the times, of the order in which the calls are asked for, and of the other processes.
class TimedCalls : public ::testing::TestWithParam<int> {};

TEST_P(TimedCalls, AreMadeByTimeRankAndConstruction) {
  core::RandomStream random(static_cast<std::uint64_t>(GetParam()), "calls");
  constexpr std::size_t kCalls = 48;
  std::vector<std::unique_ptr<TimedCall>> calls;
  std::vector<Made> made;
  std::vector<std::unique_ptr<Idler>> idlers;
  for (std::size_t i = 0; i < kCalls; ++i) {
    calls.push_back(
        std::make_unique<TimedCall>(kRanks[i % kRanks.size()], [&made, i] { made.push_back({core::now_ps(), i}); }));
    if (random.below(2) == 0) continue;
    std::vector<Picoseconds> times;
    for (int k = 0; k < 6; ++k) times.push_back(static_cast<Picoseconds>(random.below(8)) * kUs);
    std::sort(times.begin(), times.end());
    idlers.push_back(std::make_unique<Idler>(("idler" + std::to_string(i)).c_str(), times));
  }
  // The earliest of the times asked for since the last cancellation counts.
  std::map<std::size_t, Picoseconds> asked;
  for (int k = 0; k < 300; ++k) {
    const std::size_t i = random.below(kCalls);
    if (random.below(6) == 0) {
      calls[i]->cancel();
      asked.erase(i);
      continue;
    }
    const auto when = static_cast<Picoseconds>(random.below(8)) * kUs;
    calls[i]->at(when);
    const auto [at, fresh] = asked.emplace(i, when);
    if (!fresh) at->second = std::min(at->second, when);
  }
  std::vector<std::tuple<Picoseconds, Rank, std::size_t>> order;
  for (const auto& [i, when] : asked) order.emplace_back(when, kRanks[i % kRanks.size()], i);
  std::sort(order.begin(), order.end());
  run_until(100 * kUs);
  std::vector<Made> expected;
  for (const auto& [when, rank, i] : order) expected.push_back({when, i});
  EXPECT_EQ(made, expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimedCalls, ::testing::Range(0, 6));

TEST(TimedCall, FollowsAllProcessesAndPrecedesTheNextCallWithItsOwn) {
  std::string said;
  sc_core::sc_event event;
  // Constructed, and asked for, in the other order.
  TimedCall last(Rank::Decision, [&] { said += "decision "; });
  TimedCall second(Rank::Response, [&] { said += "second "; });
  TimedCall first(Rank::Access, [&] {
    said += "first ";
    event.notify(sc_core::SC_ZERO_TIME);
    last.now();
  });
  Script late("late", [&](Script& script) {
    script.pause_until(10 * kUs);
    for (int delta = 0; delta < 5; ++delta) sc_core::wait(sc_core::SC_ZERO_TIME);
    said += "thread ";
  });
  Script follower("follower", [&](Script& /*script*/) {
    sc_core::wait(event);
    sc_core::wait(sc_core::SC_ZERO_TIME);
    said += "follower ";
  });
  last.at(10 * kUs);
  second.at(10 * kUs);
  first.at(10 * kUs);
  run_until(20 * kUs);
  EXPECT_EQ(said, "thread first follower second decision ");
}

TEST(TimedCall, IsNotBlockedByALoopOfDeltaCycles) {
  std::uint32_t deltas = 0;
  std::uint32_t at_call = 0;
  TimedCall call(Rank::Access, [&] { at_call = deltas; });
  Script loop("loop", [&](Script& script) {
    script.pause_until(kUs);
    for (; deltas < 5'000; ++deltas) sc_core::wait(sc_core::SC_ZERO_TIME);
  });
  call.at(kUs);
  run_until(2 * kUs);
  EXPECT_EQ(deltas, 5'000u);
  EXPECT_GT(at_call, 900u);
  EXPECT_LT(at_call, 1'100u);
}

TEST(TimedCall, MayThrow) {
  int made = 0;
  TimedCall throws(Rank::Access, [] { SC_REPORT_ERROR("/platter/test", "thrown"); });
  TimedCall other(Rank::Access, [&] { ++made; });
  throws.at(kUs);
  other.at(3 * kUs);
  EXPECT_THROW(run_until(2 * kUs), sc_core::sc_report);
  EXPECT_EQ(made, 0);
}

/// Parameter: the drives that are watched, one bit each.
class EqualDrives : public ::testing::TestWithParam<unsigned> {};

/// The same command to drives of the same mechanics: all respond in the same picosecond, in the order of the drives.
TEST_P(EqualDrives, RespondInTheirOrderWhoeverIsWatched) {
  constexpr std::size_t kDrives = 4;
  std::vector<std::unique_ptr<drive::Drive>> drives;
  std::vector<std::unique_ptr<AtHost>> hosts;
  std::vector<DriveWatch> watches(kDrives);
  std::vector<Made> responses;
  for (std::size_t i = 0; i < kDrives; ++i) {
    drives.push_back(make_drive(("disk" + std::to_string(i)).c_str(), "FCFS", "firmware", toy_profile()));
    hosts.push_back(std::make_unique<AtHost>(("host" + std::to_string(i)).c_str()));
    hosts[i]->disk_init_socket.bind(drives[i]->host_tgt_socket);
    hosts[i]->on_finished = [&responses, i](Transaction&) { responses.push_back({core::now_ps(), i}); };
    if ((GetParam() >> i & 1) != 0) drives[i]->add_probe(watches[i]);
  }
  const std::array<std::uint64_t, 5> blocks = {5'000, 17, 12'000, 800, 9'999};
  for (const std::uint64_t block : blocks)
    for (std::size_t i = kDrives; i-- > 0;) hosts[i]->submit(block % 2 == 0, block, 4);
  run_until(1'000 * kMs);
  ASSERT_EQ(responses.size(), kDrives * blocks.size());
  for (std::size_t k = 0; k < responses.size(); ++k) {
    EXPECT_EQ(responses[k].call, k % kDrives) << k;
    EXPECT_EQ(responses[k].time, responses[k / kDrives * kDrives].time) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Watched, EqualDrives, ::testing::Range(0u, 16u));

/// A mirrored array of equal drives, and a host that keeps 24 requests outstanding. Copies are written in the same instant, and the order of
/// responses decides which commands go to the drives next.
struct LoadedArray {
  LoadedArray(const std::string& name, unsigned watched)
      : rig(config(), toy_profile(), "SPTF", name), watches(rig.drives.size()), host((name + "_host").c_str()) {
    for (std::size_t i = 0; i < watches.size(); ++i)
      if ((watched >> i & 1) != 0) rig.drives[i]->add_probe(watches[i]);
    host.disk_init_socket.bind(rig.array->host_tgt_socket);
    host.on_finished = [this](Transaction& transaction) {
      ended.push_back({core::now_ps(), transaction.lba()});
      if (ended.size() < 600) submit();
    };
    for (int k = 0; k < 24; ++k) submit();
  }
  static ArrayConfig config() {
    ArrayConfig config;
    config.drives = 4;
    config.tags = 2;
    config.holds_data = false;
    config.areas = {area_of(500, 8 * 512, true)};
    return config;
  }
  void submit() {
    const bool write = random.below(3) > 0;
    const std::uint64_t lba = random.below(480) * 8;
    host.submit(write, lba, 1 + static_cast<std::uint32_t>(random.below(20)));
  }

  ArrayRig rig;
  std::vector<DriveWatch> watches;
  AtHost host;
  core::RandomStream random{4, "requests"};
  std::vector<Made> ended;
};

/// Parameter: the drives that are watched, one bit each.
class WatchedArray : public ::testing::TestWithParam<unsigned> {};

TEST_P(WatchedArray, EndsTheSameRequestsAtTheSameTimes) {
  LoadedArray plain("plain", 0);
  LoadedArray watched("watched", GetParam());
  run_until(60'000 * kMs);
  EXPECT_GE(plain.ended.size(), 600u);
  EXPECT_EQ(plain.ended, watched.ended);
}

INSTANTIATE_TEST_SUITE_P(Watched, WatchedArray, ::testing::Values(1u, 2u, 5u, 8u, 10u, 14u, 15u));

}  // namespace
}  // namespace platter::testing
