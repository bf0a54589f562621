// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platter/accelerator/bus_core.h"
#include "platter/scheduling/fixed_point.h"

namespace platter::accelerator {

/// Parameters that an accelerator is built with.
struct AcceleratorParameters {
  std::uint32_t entries = 32;
  std::uint32_t lanes = 4;
  scheduling::FixedPointFormat format;
};

/// The accelerator's reference model: bit- and cycle-exact to the RTL, as docs/reference/scheduler_accelerator.md
/// states it. Its whole state is a value that can be copied.
class ReferenceCore : public BusCoreIf {
 public:
  struct Entry {
    bool valid = false;
    bool write = false;
    std::uint8_t cls = 0;
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    std::uint32_t angle = 0;
    std::uint32_t end_cylinder = 0;
    std::uint32_t end_head = 0;
    std::uint32_t end_angle = 0;
    std::uint32_t transfer = 0;
    std::uint32_t credit = 0;
    std::uint32_t sequence = 0;
  };

  /// Everything that a soft reset clears.
  struct Registers {
    std::uint32_t ctrl = 0;
    bool done = false;
    bool error = false;
    std::uint32_t head_pos = 0, head_angle = 0, slack = 0;
    std::uint32_t next_pos = 0, next_angle = 0, next_tag = 0, sweep = 0;
    std::uint32_t margin = 0, head_switch = 0, write_settle = 0;
    std::uint32_t overhead_read = 0, overhead_write = 0, next_overhead_ar = 0, next_overhead_aw = 0;
    std::uint32_t result = 0, result_cost = 0, cycles = 0, decisions = 0, refused = 0;
    std::uint32_t e_pos = 0, e_angle = 0, e_end_pos = 0, e_end_angle = 0, e_transfer = 0, e_credit = 0;
    std::uint32_t seek_index = 0, seek_base = 0, seek_cell = 0, seek_last = 0;
    std::uint32_t next_sequence = 0;
    std::uint32_t occupancy = 0;
  };

  struct State {
    Registers registers;
    std::vector<Entry> entries;
    scheduling::SeekTable seek;
  };

  explicit ReferenceCore(const AcceleratorParameters& parameters);

  BusResponse access(const BusRequest& request) override;
  void reset() override;

  const AcceleratorParameters& parameters() const { return parameters_; }
  const State& state() const { return state_; }
  /// The state for a reader: registers that matter to a decision and the valid entries, one a line.
  std::string describe() const;

 private:
  bool write(std::uint32_t address, std::uint32_t data);
  bool read(std::uint32_t address, std::uint32_t& data) const;
  bool insert(std::uint32_t tag);
  void decide();
  std::uint32_t hop(std::uint32_t cylinder, std::uint32_t head, std::uint32_t angle, std::uint32_t to_cylinder,
                    std::uint32_t to_head, std::uint32_t to_angle, bool write, std::uint32_t overhead) const;

  AcceleratorParameters parameters_;
  State state_;
};

}  // namespace platter::accelerator
