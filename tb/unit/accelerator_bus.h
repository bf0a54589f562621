// SPDX-License-Identifier: Apache-2.0
//
// A reference core behind its bus, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/registers.h"

namespace platter::testing {

class AcceleratorBus {
 public:
  explicit AcceleratorBus(const accelerator::AcceleratorParameters& parameters) : core_(parameters) {}

  accelerator::BusResponse write(std::uint32_t address, std::int64_t data) {
    return core_.access({true, address, static_cast<std::uint32_t>(data), 0});
  }
  /// A write that must be taken; the cycles for which it keeps BUSY set.
  std::uint32_t put(std::uint32_t address, std::int64_t data) {
    const accelerator::BusResponse response = write(address, data);
    EXPECT_TRUE(response.ok) << address;
    return response.busy_cycles == 0 ? 0 : response.busy_cycles - 1;
  }
  std::uint32_t get(std::uint32_t address) {
    const accelerator::BusResponse response = core_.access({false, address, 0, 0});
    EXPECT_TRUE(response.ok) << address;
    return response.data;
  }
  bool readable(std::uint32_t address) { return core_.access({false, address, 0, 0}).ok; }

  void load(const scheduling::SeekTable& table) {
    namespace reg = accelerator::reg;
    put(reg::kSeekIndex, 0);
    for (const scheduling::SeekTable::Segment& segment : table.segments) {
      put(reg::kSeekBase, segment.base);
      put(reg::kSeekDelta, segment.delta);
    }
    put(reg::kSeekCell, 0);
    for (const scheduling::SeekTable::Cell& cell : table.cells) {
      put(reg::kSeekLast, cell.last[0] | (cell.last[1] << 16));
      put(reg::kSeekGroup, cell.group | (cell.last[2] << 16));
    }
  }

  accelerator::ReferenceCore& core() { return core_; }

 private:
  accelerator::ReferenceCore core_;
};

}  // namespace platter::testing
