// SPDX-License-Identifier: Apache-2.0
//
// AutoQoS without a drive: the test application's reads, the manager's states, the recogniser.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "platter/host/autoqos/qos_manager.h"
#include "platter/host/autoqos/rate_stream.h"
#include "platter/host/autoqos/stream_recogniser.h"

namespace platter {
namespace {

using namespace host::autoqos;
using core::RequestClass;

constexpr Picoseconds kMs = core::kPicosecondsPerMillisecond;
constexpr Picoseconds kS = core::kPicosecondsPerSecond;

// --- rate streams ------------------------------------------------------------------------------------------------------

RateStreamOptions a_read_a_second() {
  RateStreamOptions o;
  o.rates = {{0, 1000}};
  o.command_bytes = 1000;
  o.file_offset = 50'000;
  o.file_bytes = 3500;
  return o;
}

/// The next command's time, asked for at `now`; -1: none.
Picoseconds time_of_next(RateStream& stream, Picoseconds now) {
  workload::Request request;
  return stream.next(request, now) ? request.issued : -1;
}

TEST(RateStream, ReadsItsFileOnceAPeriod) {
  RateStreamOptions options = a_read_a_second();
  options.enters = 2 * kS;
  options.leaves = 7 * kS;
  options.cls = RequestClass::Continuous;
  options.stream = 3;
  RateStream stream(options);
  EXPECT_EQ(stream.closed_depth(), 1u);
  workload::Request request;
  const std::vector<std::uint64_t> offsets = {50'000, 51'000, 52'000, 50'000,
                                              51'000};  // the rest of the file is no whole command
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto due = static_cast<Picoseconds>(2 + i) * kS;
    ASSERT_TRUE(stream.next(request, i == 0 ? 0 : due - 700 * kMs));
    EXPECT_EQ(request.issued, due);
    EXPECT_EQ(request.address, offsets[i]);
    EXPECT_EQ(request.length, 1000u);
    EXPECT_EQ(request.cls, RequestClass::Continuous);
    EXPECT_EQ(request.stream, 3u);
    EXPECT_FALSE(request.write());
  }
  EXPECT_FALSE(stream.next(request, 6300 * kMs));  // the next period begins when it has left
}

TEST(RateStream, CatchesUpWithFourPeriodsAtMost) {
  RateStream stream(a_read_a_second());
  EXPECT_EQ(time_of_next(stream, 0), 0);
  // The first read ends in the middle of the third period: two are due, then it is on time again.
  EXPECT_EQ(time_of_next(stream, 2500 * kMs), 2500 * kMs);
  EXPECT_EQ(time_of_next(stream, 2500 * kMs), 2500 * kMs);
  EXPECT_EQ(time_of_next(stream, 2500 * kMs), 3 * kS);
  // This one ends at 20 s: the periods before 16 s are given up, those that began at 16, ..., 20 s are read without pause.
  for (int i = 0; i < 5; ++i) EXPECT_EQ(time_of_next(stream, 20 * kS), 20 * kS) << i;
  EXPECT_EQ(time_of_next(stream, 20 * kS), 21 * kS);
}

TEST(RateStream, ChangesItsRateWithThePeriodThatBegins) {
  RateStreamOptions options = a_read_a_second();
  options.rates = {{0, 1000}, {2 * kS, 500}, {5 * kS, 2000}};
  RateStream stream(options);
  for (const Picoseconds due : {Picoseconds{0}, kS, 2 * kS, 4 * kS, 6 * kS, 6 * kS + 500 * kMs})
    EXPECT_EQ(time_of_next(stream, 0), due);
  EXPECT_EQ(stream.wanted(1999 * kMs), 1000u);
  EXPECT_EQ(stream.wanted(2 * kS), 500u);
  EXPECT_EQ(stream.wanted(9 * kS), 2000u);
}

TEST(RateStream, ReadsAPeriodsCommandsOneAfterTheOther) {
  RateStreamOptions options = a_read_a_second();
  options.commands_per_period = 3;
  options.rates = {{0, 3000}};
  RateStream stream(options);
  EXPECT_EQ(time_of_next(stream, 0), 0);
  EXPECT_EQ(time_of_next(stream, 100 * kMs), 100 * kMs);
  EXPECT_EQ(time_of_next(stream, 200 * kMs), 200 * kMs);
  EXPECT_EQ(time_of_next(stream, 300 * kMs), kS);
  for (const Picoseconds end : {1300 * kMs, 2300 * kMs}) {
    options.leaves = 1250 * kMs;  // within the second period, whose first read ends in time, or too late
    RateStream leaving(options);
    for (const Picoseconds now : {Picoseconds{0}, 100 * kMs, 200 * kMs, 300 * kMs}) time_of_next(leaving, now);
    EXPECT_EQ(time_of_next(leaving, end), -1);
    EXPECT_EQ(leaving.periods(9 * kS).all, end < 2 * kS ? 1u : 2u);
    EXPECT_EQ(leaving.periods(9 * kS).missed, end < 2 * kS ? 0u : 1u);
  }
}

TEST(RateStream, WithoutARateTakesWhatItGets) {
  RateStreamOptions options = a_read_a_second();
  options.rates = {{0, 0}};
  RateStream stream(options);
  for (const Picoseconds now : {Picoseconds{0}, kMs, 2 * kMs, 5 * kS, 5 * kS + 1}) EXPECT_EQ(time_of_next(stream, now), now);
}

TEST(RateStream, CountsPeriodsThatWereMissed) {
  RateStream stream(a_read_a_second());
  EXPECT_EQ(time_of_next(stream, 0), 0);
  EXPECT_EQ(stream.periods(900 * kMs).all, 0u);
  EXPECT_EQ(time_of_next(stream, kS), kS) << "just in time";
  EXPECT_EQ(stream.periods(kS).all, 1u);
  EXPECT_EQ(stream.periods(kS).missed, 0u);
  EXPECT_EQ(stream.periods(3900 * kMs).all, 3u) << "still waiting for the second one's read";
  EXPECT_EQ(stream.periods(3900 * kMs).missed, 2u);
  EXPECT_EQ(time_of_next(stream, 10 * kS), 10 * kS);
  // From 1 s on: one late, four given up, three to be caught up with, late as well; the next one may just be in time.
  EXPECT_EQ(stream.periods(10 * kS).all, 9u);
  EXPECT_EQ(stream.periods(10 * kS).missed, 8u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(time_of_next(stream, 10 * kS), 10 * kS);
  EXPECT_EQ(time_of_next(stream, 10 * kS), 10 * kS);
  EXPECT_EQ(time_of_next(stream, 10500 * kMs), 11 * kS);
  EXPECT_EQ(stream.periods(11 * kS).all, 11u);
  EXPECT_EQ(stream.periods(11 * kS).missed, 8u);
}

TEST(RateStream, HasNoPeriodsWithoutARateNorAfterItsEnd) {
  RateStreamOptions options = a_read_a_second();
  options.leaves = 3 * kS;
  RateStream stream(options);
  time_of_next(stream, 0);
  EXPECT_EQ(stream.periods(100 * kS).all, 3u);
  options.rates = {{0, 0}};
  RateStream bulk(options);
  time_of_next(bulk, 0);
  time_of_next(bulk, kS);
  EXPECT_EQ(bulk.periods(2 * kS).all, 0u);
}

TEST(RateStream, IsLateByItsHostsClock) {
  RateStreamOptions options = a_read_a_second();
  options.jitter = 0.25;
  options.commands_per_period = 2;
  options.rates = {{0, 2000}};
  RateStream stream(options);
  Picoseconds least = kS, most = 0, sum = 0;
  constexpr int kPeriods = 2000;
  for (int i = 0; i < kPeriods; ++i) {
    const Picoseconds late = time_of_next(stream, 0) - i * kS;
    least = std::min(least, late);
    most = std::max(most, late);
    sum += late;
    EXPECT_EQ(time_of_next(stream, i * kS + 400 * kMs), i * kS + 400 * kMs) << "the second read of a period waits for no clock";
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 2 * kMs);
  EXPECT_GT(most, 248 * kMs);
  EXPECT_LE(most, 250 * kMs);
  EXPECT_NEAR(static_cast<double>(sum) / kPeriods, 125.0 * kMs, 6.0 * kMs);
  EXPECT_EQ(time_of_next(stream, kPeriods * kS + 600 * kMs), kPeriods * kS + 600 * kMs) << "nor does one that is late";
}

TEST(RateStream, ExponentialPeriodsAndRandomPlacesComeFromTheSeed) {
  RateStreamOptions options = a_read_a_second();
  options.periodic = false;
  options.sequential = false;
  RateStream one(options), same(options);
  options.seed = 2;
  RateStream other(options);
  workload::Request a, b, c;
  int equal_to_other = 0;
  Picoseconds last = 0;
  for (int i = 0; i < 4000; ++i) {
    ASSERT_TRUE(one.next(a, 0) && same.next(b, 0) && other.next(c, 0));
    EXPECT_EQ(a.issued, b.issued);
    EXPECT_EQ(a.address, b.address);
    equal_to_other += a.issued == c.issued && a.issued > 0 ? 1 : 0;
    EXPECT_TRUE(a.address == 50'000 || a.address == 51'000 || a.address == 52'000) << a.address;
    EXPECT_GE(a.issued, last);
    last = a.issued;
  }
  EXPECT_EQ(equal_to_other, 0);
  EXPECT_NEAR(static_cast<double>(last) / 4000, 1.0 * kS, 0.1 * kS);
}

// --- the manager -------------------------------------------------------------------------------------------------------

class Manager : public testing::Test {
 protected:
  static QosManagerOptions options() {
    QosManagerOptions o;
    o.disk_bytes_per_s = 10'000'000;
    o.probe_windows = 2;
    o.most_probe_windows = 8;
    return o;
  }
  std::uint32_t window(std::uint64_t multimedia, std::uint64_t best_effort, std::uint64_t opened = 0) {
    return manager.window({kS, multimedia, best_effort, opened, 990 * kMs});
  }
  /// Multimedia of 4 MB/s is found in a disk that does 8, which leaves 4.
  void reach_managed() {
    ASSERT_EQ(window(2'000'000, 6'000'000, 1), 2'000'000u);
    for (const std::uint32_t limit : {2'000'000u, 2'000'000u, 4'000'000u}) ASSERT_EQ(window(4'000'000, 2'000'000), limit);
    ASSERT_EQ(manager.state(), QosState::Managed);
  }

  QosManager manager{options()};
};

TEST_F(Manager, DoesNothingWithoutMultimedia) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(window(0, 9'000'000), 0u);
  EXPECT_EQ(manager.state(), QosState::Default);
}

TEST_F(Manager, InfersTheRateAndLeavesTheRestOfTheObservedAggregate) {
  EXPECT_EQ(window(2'000'000, 6'000'000, 1), 2'000'000u);  // 0.20 of the disk
  EXPECT_EQ(manager.state(), QosState::Inference);
  EXPECT_EQ(window(5'000'000, 2'000'000), 2'000'000u);  // catches up: does not count
  EXPECT_EQ(window(4'000'000, 2'000'000), 2'000'000u);
  EXPECT_EQ(window(4'200'000, 2'000'000), 3'900'000u);  // 8 - 4.1, not 10 - 4.1
  EXPECT_EQ(manager.state(), QosState::Managed);
  EXPECT_EQ(manager.multimedia_rate(), 4'100'000u);
  EXPECT_EQ(manager.aggregate_rate(), 8'000'000u);
}

TEST_F(Manager, TakesTheDisksRateWhereBestEffortShowedNothing) {
  window(4'000'000, 2'000'000, 1);  // no more than what inference leaves it
  window(4'000'000, 2'000'000);
  window(4'000'000, 2'000'000);
  EXPECT_EQ(window(4'000'000, 2'000'000), 6'000'000u);
}

TEST_F(Manager, TakesADecreaseAsInterferenceUntilItKnowsBetter) {
  reach_managed();
  EXPECT_EQ(window(3'600'000, 4'000'000), 4'000'000u);  // a tenth less is the same
  EXPECT_EQ(window(3'599'999, 4'000'000), 2'000'000u);
  EXPECT_EQ(manager.state(), QosState::Inference);
  window(4'000'000, 2'000'000);
  window(4'000'000, 2'000'000);
  // It was interference: the disk did 7.6 MB/s then and no more.
  EXPECT_EQ(window(4'000'000, 2'000'000), 3'599'999u);
  EXPECT_EQ(manager.aggregate_rate(), 7'599'999u);
}

TEST_F(Manager, LetsBestEffortTakeUpARealDecrease) {
  reach_managed();
  EXPECT_EQ(window(1'500'000, 4'000'000), 2'000'000u);
  window(1'000'000, 2'000'000);
  window(1'000'000, 2'000'000);
  EXPECT_EQ(window(1'000'000, 2'000'000), 7'000'000u);  // of the 8 as before, not of the 5.5 in the window of the change
}

TEST_F(Manager, InfersAnIncreaseAnew) {
  reach_managed();
  EXPECT_EQ(window(4'400'000, 4'000'000), 4'000'000u);
  EXPECT_EQ(window(4'400'001, 3'500'000), 2'000'000u);
  window(6'500'000, 2'000'000);
  window(6'000'000, 2'000'000);
  EXPECT_EQ(window(6'000'000, 2'000'000), 2'000'000u);
  EXPECT_EQ(manager.multimedia_rate(), 6'000'000u);
}

TEST_F(Manager, ProbesAtFullRateWhereBestEffortUsesItsLimit) {
  reach_managed();
  EXPECT_EQ(window(4'000'000, 4'000'000), 4'000'000u);
  EXPECT_EQ(window(4'000'000, 4'000'000), 4'200'000u);  // 0.02 of the disk
  EXPECT_EQ(window(4'000'000, 3'000'000), 4'200'000u);
  EXPECT_EQ(window(4'000'000, 3'000'000), 4'200'000u);  // it does not want more
  EXPECT_EQ(window(4'000'000, 4'000'000), 4'200'000u);
  EXPECT_EQ(window(4'000'000, 4'000'000), 4'400'000u);
}

TEST_F(Manager, ProbesMoreRarelyAfterEachHarm) {
  reach_managed();
  for (const int windows : {4, 8, 8}) {  // doubled twice, then the most
    window(3'000'000, 4'500'000);
    for (int i = 0; i < 3; ++i) window(4'000'000, 2'000'000);
    const std::uint32_t limit = manager.limit();
    EXPECT_EQ(limit, 3'500'000u);
    for (int i = 1; i < windows; ++i) EXPECT_EQ(window(4'000'000, limit), limit) << windows << ' ' << i;
    EXPECT_EQ(window(4'000'000, limit), limit + 200'000) << windows;
  }
}

TEST_F(Manager, AStreamThatOpensStartsAnInference) {
  reach_managed();
  EXPECT_EQ(window(4'000'000, 4'000'000, 1), 2'000'000u);
  window(6'000'000, 2'000'000);
  window(6'000'000, 2'000'000, 1);  // one more: begins anew
  for (int i = 0; i < 2; ++i) EXPECT_EQ(window(7'000'000, 900'000), 2'000'000u);
  EXPECT_EQ(window(7'000'000, 900'000), 1'000'000u);
}

TEST_F(Manager, MayTakeABusyDiskBelowTheLimitAsOverloaded) {
  QosManagerOptions watchful = options();
  watchful.overload_share = 0.95;
  manager = QosManager(watchful);
  reach_managed();
  EXPECT_EQ(window(4'000'000, 3'600'000), 4'000'000u);                              // the limit holds best effort, not the disk
  EXPECT_EQ(manager.window({kS, 4'000'000, 3'500'000, 0, 900 * kMs}), 4'000'000u);  // the disk has time
  EXPECT_EQ(window(4'000'000, 3'500'000), 2'000'000u);
  window(6'000'000, 2'000'000);
  window(5'500'000, 2'000'000);
  EXPECT_EQ(window(5'500'000, 2'000'000), 2'000'000u);  // it wanted 5.5 of the 7.5 all the time
  EXPECT_EQ(manager.multimedia_rate(), 5'500'000u);
  EXPECT_EQ(manager.aggregate_rate(), 7'500'000u);
}

TEST_F(Manager, NeverTurnsTheLimitOffWhereNothingIsLeft) {
  window(7'900'000, 2'100'000, 1);
  for (int i = 0; i < 3; ++i) window(12'000'000, 2'000'000);
  EXPECT_EQ(manager.limit(), 200'000u);
}

TEST_F(Manager, EndsWithMultimedia) {
  reach_managed();
  EXPECT_EQ(window(0, 4'000'000), 0u);
  EXPECT_EQ(manager.state(), QosState::Default);
  EXPECT_EQ(manager.aggregate_rate(), 0u);
  window(1'000'000, 6'000'000, 1);
  EXPECT_EQ(window(0, 2'000'000), 0u);  // and within an inference
  EXPECT_EQ(window(0, 2'000'000, 1), 2'000'000u) << "opened, but nothing has come yet";
}

TEST(ManagerWindows, MayHaveAnyLengthAndNumber) {
  QosManagerOptions options;
  options.disk_bytes_per_s = 10'000'000;
  options.inference_windows = 1;
  QosManager manager(options);
  const auto window = [&](std::uint64_t multimedia, std::uint64_t best_effort) {
    return manager.window({kS / 2, multimedia, best_effort, 0, 0});
  };
  EXPECT_EQ(window(1'000'000, 3'000'000), 2'000'000u);
  EXPECT_EQ(window(2'000'000, 1'000'000), 4'000'000u);
}

TEST(ManagerWindows, MayBeOfTheFastestAndTheSlowestDisk) {
  QosManagerOptions options;
  options.inference_windows = options.probe_windows = 1;
  options.disk_bytes_per_s = 4'294'967'295;
  QosManager fast(options);
  for (const std::uint64_t best_effort : {4'294'967'000u, 800'000'000u, 4'294'000'000u}) fast.window({kS, 1000, best_effort});
  EXPECT_EQ(fast.limit(), 4'294'967'295u);
  options.disk_bytes_per_s = 4;
  EXPECT_EQ(QosManager(options).window({kS, 1, 1}), 1u) << "0 would be no limit";
}

// --- the recogniser ----------------------------------------------------------------------------------------------------

constexpr std::uint32_t kBytes = 262'144;

/// Reads of one application on a disk that takes 10 ms for each: when they come and what is made of them.
struct Reader {
  std::uint64_t offset;
  std::vector<Picoseconds> arrivals;
  bool sequential = true;
  bool writes = false;
  Picoseconds service = 10 * kMs;
  std::size_t file_reads = 1 << 20;  ///< then the next file, 1 GB behind
  std::vector<RequestClass> classes = {};

  std::uint64_t place(std::size_t i) const {
    if (!sequential) return offset + (i * i * 977 % 1009 * 2 + 1) * kBytes;
    return offset + (i / file_reads << 30) + i % file_reads * kBytes;
  }
  std::size_t multimedia() const {
    return static_cast<std::size_t>(std::count(classes.begin(), classes.end(), RequestClass::Continuous));
  }
};

void play(StreamRecogniser& recogniser, std::vector<Reader*> readers) {
  struct Event {
    Picoseconds time;
    bool arrives;  // ends come first
    Reader* reader;
    std::size_t command;
  };
  std::vector<Event> events;
  for (Reader* reader : readers)
    for (std::size_t i = 0; i < reader->arrivals.size(); ++i) {
      events.push_back({reader->arrivals[i], true, reader, i});
      events.push_back({reader->arrivals[i] + reader->service, false, reader, i});
    }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : !a.arrives && b.arrives; });
  for (const Event& event : events) {
    Reader& reader = *event.reader;
    if (event.arrives)
      reader.classes.push_back(recogniser.arrives(event.time, reader.place(event.command), kBytes, reader.writes));
    else if (!reader.writes)
      recogniser.ends(event.time, reader.place(event.command), kBytes);
  }
}

std::vector<Picoseconds> every(Picoseconds period, int count, Picoseconds from = 0) {
  std::vector<Picoseconds> times;
  for (int i = 0; i < count; ++i) times.push_back(from + i * period);
  return times;
}

/// Eight periods decide.
StreamRecogniserOptions eight(Picoseconds trial) {
  StreamRecogniserOptions options;
  options.periods = 8;
  options.trial = trial;
  return options;
}
StreamRecogniserOptions without_trials() { return eight(0); }

TEST(Recogniser, FindsAPeriodicStreamWithItsTenthRead) {
  StreamRecogniser recogniser(without_trials());
  Reader stream{1 << 30, every(30 * kMs, 40)};
  play(recogniser, {&stream});
  // The second read begins the first period that counts, the tenth ends the eighth.
  for (std::size_t i = 0; i < stream.classes.size(); ++i)
    EXPECT_EQ(stream.classes[i], i < 9 ? RequestClass::Discrete : RequestClass::Continuous) << i;
  EXPECT_EQ(recogniser.recognised(), 1u);
  EXPECT_EQ(recogniser.opened(), 1u);
}

TEST(Recogniser, FindsBurstsThatComePeriodically) {
  StreamRecogniser recogniser(without_trials());
  Reader stream{0, {}};
  for (int second = 0; second < 12; ++second)
    for (int i = 0; i < 16; ++i) stream.arrivals.push_back(second * kS + i * 10 * kMs);
  play(recogniser, {&stream});
  EXPECT_EQ(stream.multimedia(), 3u * 16) << "from the second's burst on that ends the eighth period between bursts";
}

TEST(Recogniser, KnowsABulkCopy) {
  for (const Picoseconds pause : {Picoseconds{0}, kMs / 10, kMs}) {
    StreamRecogniser recogniser(without_trials());
    Reader copy{0, every(10 * kMs + pause, 1000)};
    play(recogniser, {&copy});
    EXPECT_EQ(copy.multimedia(), 0u) << pause;
  }
}

TEST(Recogniser, KnowsRandomReadsAndWrites) {
  for (const Picoseconds trial : {Picoseconds{0}, kS}) {
    StreamRecogniser recogniser(eight(trial));
    Reader random{0, every(30 * kMs, 500), false};
    Reader writes{1ull << 34, every(30 * kMs, 500, kMs), true, true};
    play(recogniser, {&random, &writes});
    EXPECT_EQ(random.multimedia(), 0u);
    EXPECT_EQ(writes.multimedia(), 0u);
  }
}

TEST(Recogniser, KnowsAnAperiodicReader) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    StreamRecogniserOptions defaults;
    defaults.trial = 0;
    StreamRecogniser recogniser(defaults);
    RateStreamOptions options = a_read_a_second();
    options.periodic = false;
    options.rates = {{0, 10'000}};  // 100 ms on average
    options.seed = seed;
    RateStream aperiodic(options);
    Reader reader{0, {}};
    Picoseconds now = 0;
    for (int i = 0; i < 2000; ++i) {
      reader.arrivals.push_back(time_of_next(aperiodic, now));
      now = reader.arrivals.back() + reader.service;
    }
    play(recogniser, {&reader});
    EXPECT_EQ(reader.multimedia(), 0u) << seed;
  }
}

TEST(Recogniser, TellsInterleavedStreamsApart) {
  StreamRecogniser recogniser(without_trials());
  Reader fast{0, every(25 * kMs, 200)};
  Reader slow{1ull << 32, every(70 * kMs, 70, 3 * kMs)};
  Reader copy{1ull << 33, every(10 * kMs, 500, 1)};
  Reader random{1ull << 34, every(17 * kMs, 290, 2), false};
  play(recogniser, {&fast, &slow, &copy, &random});
  EXPECT_EQ(fast.multimedia(), 200u - 9);
  EXPECT_EQ(slow.multimedia(), 70u - 9);
  EXPECT_EQ(copy.multimedia(), 0u);
  EXPECT_EQ(random.multimedia(), 0u);
  EXPECT_EQ(recogniser.recognised(), 2u);
}

TEST(Recogniser, ForgetsAStreamThatWasSilent) {
  StreamRecogniser recogniser(without_trials());
  Reader stream{0, every(30 * kMs, 20)};
  const std::vector<Picoseconds> again = every(30 * kMs, 20, stream.arrivals.back() + 2 * kS + kMs);
  stream.arrivals.insert(stream.arrivals.end(), again.begin(), again.end());
  play(recogniser, {&stream});
  EXPECT_EQ(stream.multimedia(), 2u * 11);
  EXPECT_EQ(recogniser.opened(), 2u);
}

TEST(Recogniser, ForgetsTheStreamUsedLongestAgo) {
  StreamRecogniserOptions options = without_trials();
  options.streams = 2;
  StreamRecogniser recogniser(options);
  Reader stream{0, every(30 * kMs, 40)};
  Reader one{1ull << 33, every(10 * kMs, 120, 1)};
  play(recogniser, {&stream, &one});
  EXPECT_EQ(stream.multimedia(), 31u);
  StreamRecogniser crowded(options);
  Reader again{0, every(30 * kMs, 40)};
  Reader random{1ull << 33, every(10 * kMs, 120, 1), false};
  play(crowded, {&again, &random});
  EXPECT_EQ(again.multimedia(), 0u);
}

TEST(RecogniserTrial, ExposesAStreamThatTheDiskHoldsUp) {
  const StreamRecogniserOptions options = eight(500 * kMs);
  // Held up: the next read comes as soon as the last one ends, until it is multimedia and its service falls to 10 ms of its 30.
  StreamRecogniser recogniser(options);
  Picoseconds now = 0;
  std::vector<RequestClass> classes;
  for (std::uint64_t i = 0; i < 60; ++i) {
    classes.push_back(recogniser.arrives(now, i * kBytes, kBytes, false));
    const bool exposed = classes.back() == RequestClass::Continuous;
    recogniser.ends(now + (exposed ? 10 : 40) * kMs, i * kBytes, kBytes);
    now += (exposed ? 30 : 40) * kMs;
  }
  for (std::size_t i = 0; i < classes.size(); ++i)
    EXPECT_EQ(classes[i], i < 7 ? RequestClass::Discrete : RequestClass::Continuous) << i;
  EXPECT_EQ(recogniser.recognised(), 1u);
  EXPECT_EQ(recogniser.opened(), 1u) << "it opened once, for its trial";
}

TEST(RecogniserTrial, GoesOnWithAStreamThatPauses) {
  // Bursts of 16 reads every 200 ms, held up as before: eight periods do not fit into the trial.
  const auto play_bursts = [](StreamRecogniser& recogniser, Picoseconds length, const std::vector<Picoseconds>& gaps) {
    Picoseconds now = 0;
    Picoseconds period_start = 0;
    std::uint64_t multimedia = 0;
    for (std::uint64_t i = 0; now < length; ++i) {
      if (i % 16 == 0) {
        now = std::max(now, period_start);
        period_start += gaps[i / 16 % gaps.size()];
      }
      const bool exposed = recogniser.arrives(now, i * kBytes, kBytes, false) == RequestClass::Continuous;
      multimedia += exposed ? 1 : 0;
      now += (exposed ? 5 : 20) * kMs;
      recogniser.ends(now, i * kBytes, kBytes);
    }
    return multimedia;
  };
  StreamRecogniser regular(eight(500 * kMs));
  play_bursts(regular, 20 * kS, {200 * kMs});
  EXPECT_EQ(regular.recognised(), 1u);
  // Where gaps differ it is over after sixteen of them.
  StreamRecogniser aperiodic(eight(kS));
  const std::uint64_t tried = play_bursts(aperiodic, 60 * kS, {250 * kMs, 900 * kMs, 400 * kMs, 700 * kMs});
  EXPECT_EQ(aperiodic.recognised(), 0u);
  EXPECT_GT(tried, 16u * 8);
  EXPECT_LE(tried, 16u * 22);
}

TEST(RecogniserTrial, TakesTheOldestStreamFirst) {
  const StreamRecogniserOptions options = eight(500 * kMs);
  StreamRecogniser recogniser(options);
  Reader first{0, every(10 * kMs, 300)};                     // tried until 570 ms
  Reader slow{1ull << 33, every(60 * kMs, 20, 1)};           // bound to wait: 8 reads by 420 ms
  Reader fast{1ull << 34, every(10 * kMs, 300, 100 * kMs)};  // 8 reads by 170 ms, but younger
  slow.service = 60 * kMs;
  play(recogniser, {&first, &slow, &fast});
  const auto tried_from = [](const Reader& reader) {
    return reader.arrivals[static_cast<std::size_t>(
        std::find(reader.classes.begin(), reader.classes.end(), RequestClass::Continuous) - reader.classes.begin())];
  };
  EXPECT_EQ(tried_from(first), 70 * kMs);
  EXPECT_EQ(tried_from(slow), 600 * kMs + 1);
  EXPECT_GT(tried_from(fast), tried_from(slow) + options.trial);
}

TEST(RecogniserTrial, IsOverForABulkCopyAndComesOnce) {
  const StreamRecogniserOptions options = eight(500 * kMs);
  StreamRecogniser recogniser(options);
  Reader copy{0, every(10 * kMs, 1000)};
  play(recogniser, {&copy});
  EXPECT_EQ(copy.multimedia(), 50u);
  EXPECT_EQ(copy.classes[7], RequestClass::Continuous);
  EXPECT_EQ(copy.classes[57], RequestClass::Discrete);
  EXPECT_EQ(recogniser.recognised(), 0u);
}

TEST(RecogniserTrial, TakesOneStreamAtATime) {
  const StreamRecogniserOptions options = eight(500 * kMs);
  StreamRecogniser recogniser(options);
  Reader one{0, every(10 * kMs, 300)};
  Reader other{1ull << 33, every(10 * kMs, 300, 1)};
  play(recogniser, {&one, &other});
  for (std::size_t i = 0; i < 300; ++i)
    EXPECT_FALSE(one.classes[i] == RequestClass::Continuous && other.classes[i] == RequestClass::Continuous) << i;
  EXPECT_EQ(one.multimedia(), 50u);
  EXPECT_EQ(other.multimedia(), 50u);
}

TEST(RecogniserHeir, OfAMultimediaStreamIsMultimediaFromItsSecondReadOn) {
  StreamRecogniser recogniser(eight(500 * kMs));
  Reader stream{0, every(30 * kMs, 200)};
  stream.file_reads = 40;
  play(recogniser, {&stream});
  for (std::size_t i = 0; i < stream.classes.size(); ++i)
    EXPECT_EQ(stream.classes[i], i < 7 || (i >= 40 && i % 40 == 0) ? RequestClass::Discrete : RequestClass::Continuous) << i;
  EXPECT_EQ(recogniser.opened(), 1u) << "the manager need not infer again";
  EXPECT_EQ(recogniser.recognised(), 1u);
}

TEST(RecogniserHeir, OfAMultimediaStreamHasToBePeriodicToo) {
  StreamRecogniser recogniser(eight(500 * kMs));
  Reader reader{0, every(30 * kMs, 40)};
  reader.file_reads = 40;
  const std::vector<Picoseconds> copy = every(10 * kMs, 1000, reader.arrivals.back() + 30 * kMs);
  reader.arrivals.insert(reader.arrivals.end(), copy.begin(), copy.end());
  play(recogniser, {&reader});
  const auto multimedia = std::count(reader.classes.begin() + 40, reader.classes.end(), RequestClass::Continuous);
  EXPECT_GT(multimedia, 30);   // half a second
  EXPECT_LT(multimedia, 250);  // and trials, with waits of 1, 2 and 4 seconds between them
}

TEST(RecogniserHeir, OfCopiesIsTriedMoreAndMoreRarely) {
  for (const Picoseconds handover : {Picoseconds{0}, 100 * kMs}) {
    StreamRecogniserOptions options = eight(500 * kMs);
    options.handover = handover;
    StreamRecogniser recogniser(options);
    Reader copies{0, every(10 * kMs, 10'000)};
    copies.file_reads = 100;
    play(recogniser, {&copies});
    if (handover == 0)
      EXPECT_EQ(copies.multimedia(), 100u * 50) << "a trial for each file of a second";
    else
      EXPECT_NEAR(static_cast<double>(copies.multimedia()), 8 * 50, 100) << "after 1, 2, 4, 8 and from then on 16 s";
  }
}

TEST(RecogniserHeir, AStreamAfterACopyIsFoundAfterTheWait) {
  // A copy of two files, then a stream that the disk holds up unless it is multimedia.
  StreamRecogniser recogniser(eight(500 * kMs));
  Reader copy{0, every(10 * kMs, 200)};
  copy.file_reads = 100;
  play(recogniser, {&copy});
  Picoseconds now = copy.arrivals.back() + 10 * kMs;
  const Picoseconds begun = now;
  Picoseconds found = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const std::uint64_t place = (std::uint64_t{1} << 35) + i * kBytes;
    const bool exposed = recogniser.arrives(now, place, kBytes, false) == RequestClass::Continuous;
    if (found == 0 && exposed) found = now;
    recogniser.ends(now + (exposed ? 10 : 40) * kMs, place, kBytes);
    now += (exposed ? 30 : 40) * kMs;
  }
  EXPECT_EQ(recogniser.recognised(), 1u);
  EXPECT_LE(found, begun + 2 * kS);
}

TEST(RecogniserHeir, IsNoneOfAStreamThatGoesOn) {
  StreamRecogniser recogniser(eight(500 * kMs));
  Reader stream{0, every(30 * kMs, 200)};
  Reader copy{1ull << 40, every(10 * kMs, 300, 1005 * kMs)};  // begins in the stream's pause
  Reader random{1ull << 45, every(17 * kMs, 300, kMs / 2), false};
  play(recogniser, {&stream, &copy, &random});
  EXPECT_LE(copy.multimedia(), 50u + 2) << "its own trial, and what it reads until the stream goes on";
  EXPECT_EQ(random.multimedia(), 0u);
  EXPECT_EQ(stream.multimedia(), 193u);
  EXPECT_EQ(recogniser.recognised(), 1u);
}

TEST(RecogniserHeir, GivesATrialBackToAStreamThatGoesOn) {
  StreamRecogniser recogniser(eight(500 * kMs));
  Reader stream{0, every(200 * kMs, 30)};                    // tried from 1,400 ms on
  Reader copy{1ull << 40, every(10 * kMs, 30, 1450 * kMs)};  // begins in a pause of the trial
  play(recogniser, {&stream, &copy});
  EXPECT_EQ(copy.multimedia(), 14u) << "until the stream goes on at 1,600 ms";
  EXPECT_EQ(stream.multimedia(), 23u);
  EXPECT_EQ(recogniser.opened(), 1u);
}

TEST(RecogniserHeir, OfACopyAmongOthersIsItsOwn) {
  // Three applications copy short files; one plays, from short files too.
  StreamRecogniser recogniser(eight(500 * kMs));
  std::vector<Reader> copies;
  for (std::uint64_t i = 0; i < 3; ++i) {
    copies.push_back({i << 42, every(10 * kMs, 6000, static_cast<Picoseconds>(i) * 3 * kMs)});
    copies.back().file_reads = 130 + 7 * i;
  }
  Reader stream{5ull << 42, every(30 * kMs, 2000, kMs)};
  stream.file_reads = 90;
  play(recogniser, {&copies[0], &copies[1], &copies[2], &stream});
  for (const Reader& copy : copies) EXPECT_LT(copy.multimedia(), 600u);
  EXPECT_GT(stream.multimedia(), 1900u);
  EXPECT_EQ(recogniser.recognised(), 1u);
}

}  // namespace
}  // namespace platter
