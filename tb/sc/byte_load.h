// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the tests of eager writing: a drive that writes eagerly, and a load of real bytes that knows which contents are possible.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "testing.h"

namespace platter::testing {

inline constexpr std::uint32_t kBlock = 8;  ///< sectors

inline std::unique_ptr<drive::Drive> make_eager(const char* name, const std::string& policy, profile::DriveProfile profile,
                                                double dilution = 2, bool holds_data = true, std::uint64_t seed = 1) {
  drive::DriveConfig config;
  config.profile = std::move(profile);
  config.holds_data = holds_data;
  config.eager.enabled = true;
  config.eager.dilution = dilution;
  config.seed = seed;
  return std::make_unique<drive::Drive>(name, config,
                                        system::engine_factory(engine_options(policy, "firmware", config.profile)));
}

/// The contents that each of the host's blocks may have: those of the last completed write, and of all writes since.
class Shadow {
 public:
  explicit Shadow(std::uint64_t blocks) : versions_(blocks, {{std::vector<std::uint8_t>(kBlock * 512), 0}}) {}

  /// Records a write. Call it in the order in which the drive accepts the writes.
  void accept(const Transaction& write, std::uint64_t number) {
    for_each_block(write, [&](std::uint64_t block, std::uint64_t within, std::uint64_t from, std::uint64_t length) {
      Version next{versions_[block].back().bytes, number};
      std::copy_n(write.data.begin() + static_cast<std::ptrdiff_t>(from), length,
                  next.bytes.begin() + static_cast<std::ptrdiff_t>(within));
      versions_[block].push_back(std::move(next));
    });
  }
  void acknowledge(const Transaction& write, std::uint64_t number) {
    for_each_block(write, [&](std::uint64_t block, std::uint64_t, std::uint64_t, std::uint64_t) {
      auto& versions = versions_[block];
      versions.erase(versions.begin(),
                     std::find_if(versions.begin(), versions.end(), [number](const Version& v) { return v.number >= number; }));
    });
  }
  /// The data that the read must return according to the order of arrival.
  std::vector<std::uint8_t> latest(const Transaction& read) const {
    std::vector<std::uint8_t> bytes(read.data.size());
    for_each_block(read, [&](std::uint64_t block, std::uint64_t within, std::uint64_t to, std::uint64_t length) {
      std::copy_n(versions_[block].back().bytes.begin() + static_cast<std::ptrdiff_t>(within), length,
                  bytes.begin() + static_cast<std::ptrdiff_t>(to));
    });
    return bytes;
  }
  /// May the block have these contents after a loss of power?
  bool allows(std::uint64_t block, const std::vector<std::uint8_t>& bytes) const {
    return std::any_of(versions_[block].begin(), versions_[block].end(), [&](const Version& v) { return v.bytes == bytes; });
  }

 private:
  struct Version {
    std::vector<std::uint8_t> bytes;
    std::uint64_t number;
  };
  template <typename Visit>
  static void for_each_block(const Transaction& t, Visit visit) {
    const std::uint64_t begin = t.lba() * 512;
    const std::uint64_t end = begin + t.data.size();
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t within = at % (kBlock * 512);
      const std::uint64_t length = std::min(kBlock * 512 - within, end - at);
      visit(at / (kBlock * 512), within, at - begin, length);
      at += length;
    }
  }
  std::vector<std::vector<Version>> versions_;
};

/// Random reads and writes of real bytes, with `outstanding` commands at a time: aligned blocks, parts of blocks, and several
/// blocks. Every read is compared with the contents that the order of arrival implies.
class ByteLoad {
 public:
  ByteLoad(AtHost& host, std::uint64_t blocks, std::uint64_t hot, std::uint64_t seed)
      : shadow(blocks), host_(host), hot_(hot), random_(seed) {
    host.on_accepted = [this](Transaction& t) {
      if (t.write()) {
        shadow.accept(t, t.accepted_order + 1);
      } else {
        expected_[&t] = shadow.latest(t);
      }
    };
    host.on_finished = [this](Transaction& t) {
      ASSERT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
      ASSERT_EQ(t.timing().parts(), t.timing().response());
      if (t.write()) {
        shadow.acknowledge(t, t.accepted_order + 1);
      } else {
        ASSERT_EQ(t.data, expected_[&t]) << t.blocks() << " sectors at " << t.lba();
        ++reads;
      }
      if (left_ > 0) next();
    };
  }

  void start(std::uint32_t outstanding, std::uint32_t requests) {
    left_ = requests;
    for (std::uint32_t i = 0; i < outstanding; ++i) next();
  }

  Shadow shadow;
  std::uint64_t reads = 0;

 private:
  void next() {
    --left_;
    Transaction& t = host_.make();
    const std::uint64_t kind = random_() % 4;
    std::uint32_t sectors = kBlock;
    std::uint64_t lba = random_() % hot_ * kBlock;
    if (kind == 1) {  // within a block, or across a boundary
      sectors = 1 + static_cast<std::uint32_t>(random_() % 7);
      lba += random_() % kBlock;
    } else if (kind == 2) {
      sectors = static_cast<std::uint32_t>(kBlock * (2 + random_() % 3));
    } else if (kind == 3) {
      sectors = 1 + static_cast<std::uint32_t>(random_() % 30);
      lba += random_() % kBlock;
    }
    t.set(random_() % 2 != 0, lba, sectors);
    if (t.write())
      for (std::uint8_t& byte : t.data) byte = static_cast<std::uint8_t>(random_());
    host_.submit(t);
  }

  AtHost& host_;
  std::uint64_t hot_;
  std::mt19937_64 random_;
  std::uint32_t left_ = 0;
  std::map<const Transaction*, std::vector<std::uint8_t>> expected_;
};

}  // namespace platter::testing
