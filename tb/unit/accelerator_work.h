// SPDX-License-Identifier: Apache-2.0
//
// Random accesses to an accelerator, for tests.
#pragma once

#include <cstdint>
#include <random>
#include <set>

#include "platter/accelerator/bus_core.h"
#include "platter/accelerator/registers.h"
#include "platter/scheduling/fixed_point.h"

namespace platter::testing {

namespace reg = accelerator::reg;
using accelerator::BusRequest;

inline BusRequest write(std::uint32_t address, std::uint32_t data) { return {true, address, data, 0}; }
inline BusRequest read(std::uint32_t address) { return {false, address, 0, 0}; }

/// Random but sensible work: set up, enter, remove, decide, read back.
class Work {
 public:
  explicit Work(std::uint64_t seed) : random_(seed) {}

  template <typename Send>
  void set_up(const Send& send) {
    send(write(reg::kSeekIndex, 0));
    for (std::uint32_t i = 0; i < scheduling::FixedPointFormat{}.segments(); ++i) {
      send(write(reg::kSeekBase, i * 90));
      send(write(reg::kSeekDelta, i % 5 == 0 ? 0xFFF000u : 90u));
    }
    send(write(reg::kSeekCell, 0));
    for (std::uint32_t i = 0; i < scheduling::FixedPointFormat{}.cells(); ++i) {
      send(write(reg::kSeekLast, bits(9) | bits(9) << 16));
      send(write(reg::kSeekGroup, i | bits(9) << 16));
    }
    send(write(reg::kMargin, 40));
    send(write(reg::kRisk, 400));
    send(write(reg::kRiskCharge, 9000));
    send(write(reg::kHeadSwitch, 2000));
    send(write(reg::kWriteSettle, 0xFFFFF0u));
    send(write(reg::kDelay, 77));
    send(write(reg::kOverheadRw, 500));
    send(write(reg::kClusterSpan, 4000));
    send(write(reg::kCtrl, 0x11));
  }

  template <typename Send>
  void step(const Send& send) {
    const std::uint32_t tag = bits(5);
    switch (bits(3)) {
      case 0:
      case 1:
        if (tags_.count(tag) != 0) return;
        send(write(reg::kEPos, bits(13) | bits(2) << 21 | bits(1) << 27 | bits(1) << 28 | bits(2) << 30));
        send(write(reg::kEAngle, bits(16)));
        send(write(reg::kEEndPos, bits(13)));
        send(write(reg::kEEndAngle, bits(16)));
        send(write(reg::kETransfer, bits(14)));
        send(write(reg::kEDeadline, bits(24)));
        send(write(reg::kEAge, bits(18)));
        send(write(reg::kELimit, bits(24)));
        send(write(reg::kERest, bits(1) != 0 ? bits(16) : 0));
        send(write(reg::kInsert, tag));
        tags_.insert(tag);
        break;
      case 2:
        send(write(reg::kRemove, tag));  // now and then refused
        tags_.erase(tag);
        break;
      case 3:
        send(write(reg::kCluster, bits(4) | bits(5) << 9));
        send(write(reg::kClusterFrom, bits(13)));
        send(write(reg::kOp, 1));
        send(read(reg::kMask0));
        send(read(reg::kOrderTags0));
        send(write(reg::kClear, 1));
        break;
      case 4:
        if (bits(3) == 0) send(write(reg::kCtrl, 0x11 | bits(3) << 1 | bits(2) << 5));
        send(write(reg::kReserve, bits(20)));
        send(write(reg::kAgeNow, bits(18)));
        send(write(reg::kDefer, bits(18)));
        send(write(reg::kGrace, bits(22)));
        send(write(reg::kAgeCap, bits(17)));
        send(write(reg::kAgeScale, bits(1) != 0 ? bits(9) : 0));
        send(write(reg::kAhead, bits(2) | bits(3) << 16));
        send(write(reg::kAheadShare, bits(32)));
        break;
      default:
        send(write(reg::kHeadTime, bits(24)));
        send(write(reg::kOp, 0));
        const std::uint32_t result = send(read(reg::kResult)).data;
        send(read(reg::kResultKey));
        send(read(reg::kExpired));
        send(read(reg::kRefused));
        if ((result & 0x100) != 0) {
          send(write(reg::kServe, result & 0xFF));
          tags_.erase(result & 0xFF);
        }
        send(write(reg::kClear, 3));
    }
  }

 private:
  std::uint32_t bits(unsigned n) { return static_cast<std::uint32_t>(random_() >> (64 - n)); }
  std::mt19937_64 random_;
  std::set<std::uint32_t> tags_;
};

}  // namespace platter::testing
