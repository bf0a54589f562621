// SPDX-License-Identifier: Apache-2.0
//
// The requests of a job: shares, laws, order, times and seeds.
#include "platter/workload/job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "platter/workload/places.h"

namespace platter::workload {
namespace {

using core::kPicosecondsPerMillisecond;
using core::kPicosecondsPerSecond;
using core::Picoseconds;
using core::RequestClass;
using Kind = JobParameters::Kind;

constexpr Target kDrive{1'000'000, 512};

JobParameters job(const std::string& name, Kind rw) {
  JobParameters made;
  made.name = name;
  made.rw = rw;
  return made;
}

std::vector<Request> requests_of(const JobParameters& parameters, std::size_t count, std::uint64_t seed = 1,
                                 const Target& target = kDrive) {
  EXPECT_FALSE(region_objection(parameters, target));
  JobProducer producer(parameters, 0, 0, target, seed);
  std::vector<Request> requests;
  Request request;
  while (requests.size() < count && producer.next(request, 0)) requests.push_back(request);
  return requests;
}

bool same(const Request& a, const Request& b) {
  return a.issued == b.issued && a.address == b.address && a.length == b.length && a.operation == b.operation &&
         a.cls == b.cls && a.deadline == b.deadline && a.job == b.job;
}

/// Whether a count of n draws agrees with a share: within five deviations.
void expect_share(double count, double n, double share) {
  EXPECT_NEAR(count, n * share, 5 * std::sqrt(n * share * (1 - share)) + 1e-9);
}

// --- notation ------------------------------------------------------------------------------------------------------

TEST(FioNotation, SizesHaveTheUnitsOfFio) {
  for (const auto& [text, bytes] : std::map<std::string, std::uint64_t>{{"4096", 4096},
                                                                        {"4096b", 4096},
                                                                        {"4k", 4096},
                                                                        {"4K", 4096},
                                                                        {"4kB", 4096},
                                                                        {"1m", 1 << 20},
                                                                        {"2g", std::uint64_t{2} << 30},
                                                                        {"1t", std::uint64_t{1} << 40},
                                                                        {"1p", std::uint64_t{1} << 50}}) {
    const auto amount = find_amount(text);
    ASSERT_TRUE(amount) << text;
    EXPECT_EQ(amount->bytes, bytes) << text;
    EXPECT_EQ(amount->notation, text);
  }
  EXPECT_EQ(find_amount("25%")->of(1000), 250u);
  // fio reads 4kib as 4,000 bytes and 4ki as 4,096. Both are refused.
  for (const char* text : {"", "k", "4x", "4kib", "4ki", "-4k", "4.5k", "101%", "%", "1z", "20000000p", "4k "})
    EXPECT_FALSE(find_amount(text)) << text;
  EXPECT_EQ(find_block_size("4k,64k")->bytes, (std::array<std::uint64_t, 2>{4096, 65536}));
  for (const char* text : {"0", "4k,", ",4k", "4k,8k,16k"}) EXPECT_FALSE(find_block_size(text)) << text;
  const auto range = find_block_range("1k-4k,8k-8k");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->bounds[kOfReads].most, 4096u);
  EXPECT_EQ(range->bounds[kOfWrites].least, 8192u);
  for (const char* text : {"4k-1k", "4k", "0-4k", "-"}) EXPECT_FALSE(find_block_range(text)) << text;
}

TEST(FioNotation, OpenSharesDivideTheRestEvenly) {
  const auto split = find_block_split("4k/50:64k/:32k");
  ASSERT_TRUE(split);
  ASSERT_EQ(split->shares[kOfReads].size(), 3u);
  EXPECT_DOUBLE_EQ(split->shares[kOfReads][1].percent, 25);
  EXPECT_DOUBLE_EQ(split->shares[kOfWrites][2].percent, 25);
  for (const char* text : {"4k/50", "4k/60:8k/60", "4k/50:8k/x", "/50:8k/50", "0/100"})
    EXPECT_FALSE(find_block_split(text)) << text;
  const auto zoned = find_distribution("zoned:50/5:30/15:20/");
  ASSERT_TRUE(zoned);
  EXPECT_DOUBLE_EQ(zoned->zones[2].size_percent, 80);
  for (const char* text : {"zoned:", "zoned:50/50", "zoned:100/0:0/100", "zoned:60/10:60/90", "zipf", "zipf:0", "zipf:1.1:0.5",
                           "pareto:1", "gauss:3"})
    EXPECT_FALSE(find_distribution(text)) << text;
}

// --- places --------------------------------------------------------------------------------------------------------

TEST(Permutation, HasEveryValueOnce) {
  core::RandomStream random(1, "permutation");
  for (const std::uint64_t size : {1u, 2u, 3u, 4u, 5u, 1000u, 1024u, 1025u}) {
    const Permutation permutation(size, random);
    std::vector<int> seen(size);
    for (std::uint64_t i = 0; i < size; ++i) ++seen.at(permutation(i));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(size)) << size;
  }
  const Permutation large((std::uint64_t{1} << 45) + 1, random);
  EXPECT_LT(large(0), large.size());
}

TEST(ZipfLaw, RanksHaveTheFrequenciesOfTheLaw) {
  constexpr std::size_t kRanks = 1000;
  constexpr int kDraws = 400'000;
  for (const double theta : {0.5, 1.0, 1.1, 2.5}) {
    SCOPED_TRACE(theta);
    core::RandomStream random(7, "zipf");
    const ZipfLaw law(kRanks, theta);
    std::vector<double> counts(kRanks + 1);
    for (int i = 0; i < kDraws; ++i) ++counts.at(law.rank(random));
    double norm = 0;
    for (std::size_t k = 1; k <= kRanks; ++k) norm += std::pow(static_cast<double>(k), -theta);
    double chi_square = 0;
    double tail = 0;
    double tail_count = 0;
    int cells = 0;
    for (std::size_t k = 1; k <= kRanks; ++k) {
      const double expected = kDraws * std::pow(static_cast<double>(k), -theta) / norm;
      if (expected < 20) {
        tail += expected;
        tail_count += counts[k];
        continue;
      }
      chi_square += (counts[k] - expected) * (counts[k] - expected) / expected;
      ++cells;
    }
    if (tail > 0) chi_square += (tail_count - tail) * (tail_count - tail) / tail;
    EXPECT_LT(chi_square, cells + 5 * std::sqrt(2.0 * cells));
    EXPECT_EQ(counts[0], 0);
  }
  core::RandomStream random(7, "zipf");
  const ZipfLaw huge(std::uint64_t{1} << 45, 0.9);
  for (int i = 0; i < 10'000; ++i) EXPECT_LE(huge.rank(random), std::uint64_t{1} << 45);
}

TEST(Job, ZipfHasItsHotPlacesAllOverTheRegion) {
  JobParameters zipf = job("zipf", Kind::Randread);
  zipf.size = Amount(1000 * 4096);
  zipf.offset = Amount(8192);
  zipf.random_distribution = *find_distribution("zipf:1.1");
  constexpr std::size_t kCount = 100'000;
  std::vector<std::pair<double, std::size_t>> hits(1000);
  for (std::size_t i = 0; i < hits.size(); ++i) hits[i].second = i;
  for (const Request& request : requests_of(zipf, kCount)) ++hits.at((request.address - 8192) / 4096).first;
  std::sort(hits.rbegin(), hits.rend());
  double norm = 0;
  for (int k = 1; k <= 1000; ++k) norm += std::pow(k, -1.1);
  for (int k = 1; k <= 4; ++k) expect_share(hits[static_cast<std::size_t>(k - 1)].first, kCount, std::pow(k, -1.1) / norm);
  double mean = 0;
  for (std::size_t k = 0; k < 50; ++k) mean += static_cast<double>(hits[k].second) / 50;
  EXPECT_NEAR(mean, 500, 5 * 1000 / std::sqrt(12 * 50));
}

TEST(Job, ParetoHasItsShare) {
  JobParameters pareto = job("pareto", Kind::Randread);
  pareto.size = Amount(1000 * 4096);
  pareto.random_distribution = *find_distribution("pareto:0.2");
  std::vector<double> hits(1000);
  constexpr std::size_t kCount = 100'000;
  for (const Request& request : requests_of(pareto, kCount)) ++hits.at(request.address / 4096);
  std::sort(hits.rbegin(), hits.rend());
  double hot = 0;
  for (std::size_t i = 0; i < 200; ++i) hot += hits[i];
  EXPECT_NEAR(hot / kCount, 0.8, 0.01);  // a fifth of the places has four fifths of the accesses
}

TEST(Job, ZonesHaveTheirShares) {
  JobParameters zoned = job("zoned", Kind::Randread);
  zoned.bs = *find_block_size("512");
  zoned.size = Amount(10'000 * 512);
  zoned.random_distribution = *find_distribution("zoned:60/10:0/20:40/70");
  constexpr std::size_t kCount = 50'000;
  std::array<double, 3> hits{};
  for (const Request& request : requests_of(zoned, kCount)) {
    const std::uint64_t place = request.address / 512;
    ++hits[place < 1000 ? 0 : place < 3000 ? 1 : 2];
  }
  expect_share(hits[0], kCount, 0.6);
  EXPECT_EQ(hits[1], 0);
  expect_share(hits[2], kCount, 0.4);
}

TEST(Job, UniformPlacesAreUsedOnceInAPassUnlessTheyAreDrawnIndependently) {
  JobParameters uniform = job("uniform", Kind::Randread);
  uniform.size = Amount(500 * 4096);
  for (const bool independent : {false, true}) {
    uniform.norandommap = independent;
    std::vector<int> hits(500);
    for (const Request& request : requests_of(uniform, 1500)) ++hits.at(request.address / 4096);
    const auto [least, most] = std::minmax_element(hits.begin(), hits.end());
    EXPECT_EQ(*least == 3 && *most == 3, !independent);
  }
  uniform.norandommap = false;
  const std::vector<Request> two_passes = requests_of(uniform, 1000);
  EXPECT_FALSE(std::equal(two_passes.begin(), two_passes.begin() + 500, two_passes.begin() + 500,
                          [](const Request& a, const Request& b) { return a.address == b.address; }));
}

TEST(Job, PlacesLieInTheRegionAtMultiplesOfTheAlignment) {
  JobParameters random = job("random", Kind::Randrw);
  random.offset = *find_amount("50%");
  random.size = Amount(1 << 20);
  random.bssplit = *find_block_split("512/50:8k/50");
  random.blockalign = Amount(2048);
  const std::uint64_t first = 500'000 * 512 / 2048 * 2048;
  for (const Request& request : requests_of(random, 5000)) {
    ASSERT_EQ((request.address - first) % 2048, 0u);
    ASSERT_GE(request.address, first);
    ASSERT_LE(request.address + request.length, first + (1 << 20));
  }
}

TEST(Job, ASequenceIsInOrderAndBeginsAnewAtTheEndOfItsRegion) {
  JobParameters sequence = job("sequence", Kind::Write);
  sequence.offset = Amount(4096);
  sequence.size = Amount(10 * 4096 + 512);
  const std::vector<Request> requests = requests_of(sequence, 25);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].address, 4096 + i % 10 * 4096);
    EXPECT_TRUE(requests[i].write());
  }
  // Reads and writes each have their own sequence, as in fio.
  std::array<std::uint64_t, 2> next{};
  for (const Request& request : requests_of(job("both", Kind::Rw), 500)) {
    EXPECT_EQ(request.address, next[request.write()]);
    next[request.write()] += 4096;
  }
  EXPECT_GT(next[0], 0u);
  EXPECT_GT(next[1], 0u);
}

// --- sizes, directions, classes ------------------------------------------------------------------------------------

TEST(Job, SharesOfReadsSizesAndDeadlinesAreThoseAskedFor) {
  JobParameters mixed = job("mixed", Kind::Randrw);
  mixed.rwmixread = 70;
  mixed.bssplit = *find_block_split("4k/60:64k/30:8k/10,512/100");
  mixed.cmdprio_percentage = *find_percentages("5,0");
  mixed.cmdprio_deadline_ms = 200;
  mixed.cls = JobParameters::Class::Background;
  mixed.cmdprio_class = JobParameters::PriorityClass::Discrete;
  constexpr std::size_t kCount = 50'000;
  double reads = 0;
  double urgent = 0;
  std::map<std::uint32_t, double> sizes;
  for (const Request& request : requests_of(mixed, kCount)) {
    const bool is_urgent = request.deadline != core::kNoDeadline;
    EXPECT_EQ(request.cls, is_urgent ? RequestClass::Discrete : RequestClass::Background);
    if (is_urgent) {
      EXPECT_EQ(request.deadline - request.issued, 200 * kPicosecondsPerMillisecond);
    }
    if (request.write()) {
      EXPECT_FALSE(is_urgent);
      EXPECT_EQ(request.length, 512u);
      continue;
    }
    ++reads;
    urgent += is_urgent;
    ++sizes[request.length];
  }
  expect_share(reads, kCount, 0.7);
  expect_share(urgent, reads, 0.05);
  expect_share(sizes[4096], reads, 0.6);
  expect_share(sizes[65536], reads, 0.3);
  expect_share(sizes[8192], reads, 0.1);
}

TEST(Job, ARangeHasTheMultiplesOfItsLeastSize) {
  JobParameters ranged = job("ranged", Kind::Randread);
  ranged.bsrange = *find_block_range("1k-4k");
  constexpr std::size_t kCount = 40'000;
  std::map<std::uint32_t, double> sizes;
  for (const Request& request : requests_of(ranged, kCount)) ++sizes[request.length];
  ASSERT_EQ(sizes.size(), 4u);
  for (const auto& [size, count] : sizes) {
    EXPECT_EQ(size % 1024, 0u);
    expect_share(count, kCount, 0.25);
  }
}

// --- times ---------------------------------------------------------------------------------------------------------

TEST(Job, ARateHasItsArrivals) {
  JobParameters linear = job("linear", Kind::Randread);
  linear.rate_iops = 200;
  linear.startdelay_s = 1;
  linear.runtime_s = 2;
  EXPECT_EQ(linear.depth(), 0u);
  const std::vector<Request> requests = requests_of(linear, 1000);
  ASSERT_EQ(requests.size(), 400u);
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(requests[i].issued, kPicosecondsPerSecond + static_cast<Picoseconds>(i) * 5 * kPicosecondsPerMillisecond);
  JobParameters poisson = job("poisson", Kind::Randread);
  poisson.rate_iops = 200;
  poisson.rate_process = JobParameters::Arrivals::Poisson;
  constexpr std::size_t kCount = 50'000;
  const std::vector<Request> random = requests_of(poisson, kCount);
  double squares = 0;
  for (std::size_t i = 1; i < random.size(); ++i) {
    const double gap = static_cast<double>(random[i].issued - random[i - 1].issued) * 1e-12;
    squares += gap * gap;
  }
  EXPECT_NEAR(static_cast<double>(random.back().issued) * 1e-12, kCount / 200.0, 5 * std::sqrt(kCount) / 200);
  EXPECT_NEAR(squares / kCount * 200 * 200, 2, 0.15);
}

TEST(Job, ADepthIsFilledFirstAndThenEachRequestThinks) {
  JobParameters closed = job("closed", Kind::Randread);
  closed.iodepth = 3;
  closed.thinktime_us = 500;
  closed.startdelay_s = 0.001;
  closed.io_size = Amount(5 * 4096);
  JobProducer producer(closed, 2, 0, kDrive, 1);
  EXPECT_EQ(producer.closed_depth(), 3u);
  Request request;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(producer.next(request, 0));
    EXPECT_EQ(request.issued, kPicosecondsPerMillisecond);
    EXPECT_EQ(request.job, 2);
  }
  ASSERT_TRUE(producer.next(request, 7 * kPicosecondsPerMillisecond));
  EXPECT_EQ(request.issued, 7'500'000'000);
  ASSERT_TRUE(producer.next(request, 9 * kPicosecondsPerMillisecond));
  EXPECT_FALSE(producer.next(request, 10 * kPicosecondsPerMillisecond)) << "all of io_size is issued";
  // With a rate and a depth, an arrival waits for its turn.
  closed.io_size = {};
  closed.thinktime_us = 0;
  closed.iodepth = 1;
  closed.rate_iops = 1000;
  closed.startdelay_s = 0;
  JobProducer paced(closed, 0, 0, kDrive, 1);
  for (const auto& [asked_ms, issued_ms] :
       std::vector<std::pair<Picoseconds, Picoseconds>>{{0, 0}, {0, 1}, {5, 5}, {5, 5}, {5, 5}, {5, 5}, {5, 6}}) {
    ASSERT_TRUE(paced.next(request, asked_ms * kPicosecondsPerMillisecond));
    EXPECT_EQ(request.issued, issued_ms * kPicosecondsPerMillisecond);
  }
}

// --- limits --------------------------------------------------------------------------------------------------------

TEST(Job, ShareZeroIsAbsentAndShareOneIsAll) {
  const JobParameters reads = job("job", Kind::Randread);
  const auto expect_same = [](const JobParameters& a, const JobParameters& b, const char* what) {
    const std::vector<Request> one = requests_of(a, 3000);
    const std::vector<Request> two = requests_of(b, 3000);
    EXPECT_EQ(one.size(), two.size()) << what;
    EXPECT_TRUE(std::equal(one.begin(), one.end(), two.begin(), two.end(), same)) << what;
  };
  for (const char* split : {"4k/100", "4k", "4k/100:64k/0", "1m/0:4k", "4k/100:1m", "4k/30:4k/70"}) {
    JobParameters one_size = reads;
    one_size.bssplit = *find_block_split(split);
    expect_same(one_size, reads, split);
  }
  JobParameters mixed = reads;
  mixed.bssplit = *find_block_split("4k/50:8k/50");
  JobParameters with_absent = reads;
  with_absent.bssplit = *find_block_split("1m/0:4k/50:2m/0:8k/50:4m/0");
  expect_same(with_absent, mixed, "sizes of share 0");
  JobParameters ranged = reads;
  ranged.bsrange = *find_block_range("4k-4k");
  expect_same(ranged, reads, "bsrange");
  for (const auto& [percent, kind] : {std::pair(100, Kind::Randread), std::pair(0, Kind::Randwrite)}) {
    JobParameters both = job("job", Kind::Randrw);
    both.rwmixread = percent;
    both.bs = *find_block_size(percent == 100 ? "4k,64k" : "64k,4k");
    expect_same(both, job("job", kind), "rwmixread");
  }
  JobParameters urgent = reads;
  urgent.cmdprio_deadline_ms = 30;
  urgent.cmdprio_class = JobParameters::PriorityClass::Continuous;
  expect_same(urgent, reads, "cmdprio_percentage = 0");
  urgent.cmdprio_percentage = *find_percentages("0,100");
  expect_same(urgent, reads, "cmdprio_percentage of writes");
  urgent.cmdprio_percentage = *find_percentages("100");
  JobParameters continuous = reads;
  continuous.cls = JobParameters::Class::Continuous;
  continuous.deadline_ms = 30;
  expect_same(urgent, continuous, "cmdprio_percentage = 100");
  JobParameters whole = reads;
  whole.offset = *find_amount("0%");
  whole.size = *find_amount("100%");
  whole.blockalign = Amount(4096);
  expect_same(whole, reads, "the whole drive");
  JobParameters zoned = reads;
  JobParameters with_empty = reads;
  zoned.random_distribution = *find_distribution("zoned:60/20:40/80");
  with_empty.random_distribution = *find_distribution("zoned:60/20:40/80:0/0");
  expect_same(with_empty, zoned, "a zone of share 0");
}

TEST(Job, IssuesItsSizeAndLessThanOneRequestMore) {
  for (const char* split : {"4k/100", "512/50:64k/50", "4k/99:1m/1"})
    for (const std::uint64_t bytes : {512u, 4096u, 100'000u, 10'000'000u}) {
      JobParameters finite = job("finite", Kind::Randrw);
      finite.bssplit = *find_block_split(split);
      finite.io_size = Amount(bytes);
      const std::vector<Request> requests = requests_of(finite, 100'000);
      ASSERT_FALSE(requests.empty());
      std::uint64_t sum = 0;
      for (const Request& request : requests) sum += request.length;
      EXPECT_GE(sum, bytes) << split;
      EXPECT_LT(sum - requests.back().length, bytes) << split;
    }
  JobParameters whole = job("whole", Kind::Randwrite);
  whole.size = Amount(777 * 4096);
  whole.io_size = *find_amount("100%");
  EXPECT_EQ(requests_of(whole, 10'000).size(), 777u) << "each place once";
}

// --- seeds ---------------------------------------------------------------------------------------------------------

TEST(Job, TheSeedAndTheNameGiveTheRequestsWhateverElseThereIs) {
  JobParameters mixed = job("a", Kind::Randrw);
  mixed.bsrange = *find_block_range("512-64k");
  mixed.cmdprio_percentage = *find_percentages("10");
  mixed.cmdprio_deadline_ms = 20;
  const std::vector<Request> first = requests_of(mixed, 1000);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), requests_of(mixed, 1000).begin(), same));
  EXPECT_FALSE(std::equal(first.begin(), first.end(), requests_of(mixed, 1000, 2).begin(), same));
  mixed.name = "b";
  EXPECT_FALSE(std::equal(first.begin(), first.end(), requests_of(mixed, 1000).begin(), same));
  // The times of completions change the times of the requests only.
  mixed.name = "a";
  JobProducer late(mixed, 0, 0, kDrive, 1);
  Request request;
  for (const Request& one : first) {
    ASSERT_TRUE(late.next(request, 77 * kPicosecondsPerSecond));
    ASSERT_EQ(request.address, one.address);
    ASSERT_EQ(request.length, one.length);
    ASSERT_EQ(request.operation, one.operation);
    ASSERT_EQ(request.deadline == core::kNoDeadline, one.deadline == core::kNoDeadline);
  }
}

TEST(Job, RegionsThatDoNotFitAreRefused) {
  const auto key = [](const char* offset, const char* size, const char* bs, const char* law = "random") {
    JobParameters one = job("one", Kind::Randread);
    one.offset = *find_amount(offset);
    one.size = *find_amount(size);
    one.bs = *find_block_size(bs);
    one.random_distribution = *find_distribution(law);
    const auto objection = region_objection(one, kDrive);
    return objection ? objection->first : std::string();
  };
  EXPECT_EQ(key("0", "0", "4k"), "");
  EXPECT_EQ(key("100%", "0", "4k"), "offset");
  EXPECT_EQ(key("1t", "0", "4k"), "offset");
  EXPECT_EQ(key("256000000", "256000000", "4k"), "");
  EXPECT_EQ(key("256000512", "256000000", "4k"), "size");
  EXPECT_EQ(key("50%", "80%", "4k"), "");  // a share ends at the drive's end
  EXPECT_EQ(key("0", "4k", "8k"), "size");
  EXPECT_EQ(key("0", "8k", "4k", "zoned:50/1:50/99"), "random_distribution");
}

}  // namespace
}  // namespace platter::workload
