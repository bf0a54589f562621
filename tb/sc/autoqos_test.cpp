// SPDX-License-Identifier: Apache-2.0
//
// AutoQoS above a simulated drive, through the drive's registers.
#include "testing.h"

#include "platter/host/autoqos/autoqos.h"
#include "platter/host/autoqos/rate_stream.h"
#include "platter/host/autoqos/stream_meter.h"

namespace platter::testing {
namespace {

using namespace host::autoqos;

constexpr Picoseconds kS = core::kPicosecondsPerSecond;
constexpr std::uint64_t kApart = 200'000'000;

/// A multimedia stream from 10 to 30 s, and two best-effort streams all the time.
struct Desk {
  explicit Desk(std::uint64_t multimedia_rate, std::uint64_t best_effort_rate = 10'000'000)
      : disk("disk", config(), system::engine_factory(fcfs())), host("host"), meter(3, 60, kS, 0) {
    host.disk_init_socket.bind(disk.host_tgt_socket);
    host.best_effort_init_socket.bind(disk.host_tgt_socket);
    for (std::uint32_t i = 0; i < 3; ++i) {
      if (i == 0 && multimedia_rate == 0) continue;
      RateStreamOptions o;
      o.stream = i;
      o.cls = i == 0 ? RequestClass::Continuous : i == 1 ? RequestClass::Discrete : RequestClass::Background;
      o.enters = i == 0 ? 10 * kS + kMs : 0;
      if (i == 0) o.leaves = 30 * kS;
      o.rates = {{0, i == 0 ? multimedia_rate : best_effort_rate}};
      o.file_offset = i * kApart / 512 * 512;
      o.file_bytes = kApart / 512 * 512;
      streams.push_back(std::make_unique<RateStream>(o));
      host.add_producer(*streams.back());
    }
    host.add_observer(meter);
    manager = std::make_unique<AutoQos>("autoqos", QosManagerOptions{}, kS, [this] { return meter.opened(); });
    manager->register_init_socket.bind(disk.register_tgt_socket);
  }
  static drive::DriveConfig config() {
    drive::DriveConfig c;
    c.profile = system::load_drive("st340810a");
    c.holds_data = false;
    c.profile.token_rate_bytes_per_s = 1'000'000;  // which the manager sets to none
    return c;
  }
  static system::EngineOptions fcfs() {
    system::EngineOptions o;
    o.policy = *scheduling::find_policy("FCFS");
    return o;
  }
  double mean(std::uint32_t stream, std::size_t from, std::size_t to) const {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += static_cast<double>(meter.of(stream).bytes[i]);
    return sum / static_cast<double>(to - from);
  }

  drive::Drive disk;
  workload::Initiator host;
  StreamMeter meter;
  std::vector<std::unique_ptr<RateStream>> streams;
  std::unique_ptr<AutoQos> manager;
};

TEST(AutoQos, GivesMultimediaItsRateAndTheDiskBack) {
  Desk desk(8'000'000);
  run_until(40 * kS + kMs);
  const auto& records = desk.manager->records();
  ASSERT_EQ(records.size(), 40u);
  EXPECT_NEAR(desk.mean(0, 14, 30), 8e6, 0.4e6);
  EXPECT_NEAR(desk.mean(1, 33, 40), desk.mean(1, 1, 10), 0.1 * desk.mean(1, 1, 10));
  EXPECT_LT(desk.mean(1, 14, 30), 0.8 * desk.mean(1, 1, 10));
  EXPECT_EQ(records[9].state, QosState::Default);
  EXPECT_EQ(records[10].state, QosState::Inference);
  EXPECT_EQ(records[10].limit, 5'520'000u);
  EXPECT_EQ(records[10].window.opened, 1u);
  EXPECT_EQ(records[13].state, QosState::Managed);
  EXPECT_EQ(records.back().state, QosState::Default);
  EXPECT_EQ(desk.disk.host_port().admission().token_bucket().rate(), 0u);
}

TEST(AutoQos, ReadsWhatTheStreamsGotAndWritesWhatItDecides) {
  Desk desk(8'000'000);
  for (std::size_t second = 0; second < 25; ++second) {
    run_until(static_cast<Picoseconds>(second + 1) * kS);
    run_until(core::now_ps() + 1);
    const AutoQos::Record& record = desk.manager->records().back();
    ASSERT_EQ(desk.manager->records().size(), second + 1);
    EXPECT_EQ(record.window.multimedia_bytes, desk.meter.of(0).bytes[second]) << second;
    EXPECT_EQ(record.window.best_effort_bytes, desk.meter.of(1).bytes[second] + desk.meter.of(2).bytes[second]) << second;
    EXPECT_EQ(desk.disk.host_port().admission().token_bucket().rate(), record.limit) << second;
    if (second > 11) {
      EXPECT_LE(record.window.best_effort_bytes, desk.manager->records()[second - 1].limit + drive::TokenBucket::kDefaultDepth)
          << second;
    }
  }
}

TEST(AutoQos, TouchesNothingWithoutMultimedia) {
  Desk desk(0);
  run_until(20 * kS + kMs);
  for (const AutoQos::Record& record : desk.manager->records()) {
    EXPECT_EQ(record.state, QosState::Default);
    EXPECT_EQ(record.limit, 0u);
  }
  EXPECT_EQ(desk.disk.host_port().admission().token_bucket().rate(), 0u);
}

TEST(RecognisedClasses, DecideTheClassAtTheHostsQueue) {
  Desk desk(8'000'000, 4'000'000);
  RecognisedClasses recognised{StreamRecogniserOptions{}};
  desk.host.set_classifier(recognised);
  desk.host.add_observer(recognised);
  run_until(5 * kS);
  // Both best-effort streams have a rate, so a recogniser that sees only their reads takes them for multimedia.
  EXPECT_EQ(recognised.recogniser().recognised(), 2u);
  EXPECT_GT(desk.meter.of(1).multimedia_commands, 0u);
  EXPECT_LT(desk.meter.of(1).multimedia_commands, desk.meter.of(1).commands);
}

}  // namespace
}  // namespace platter::testing
