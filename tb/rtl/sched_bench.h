// SPDX-License-Identifier: Apache-2.0
//
// The design beside the golden model: every access goes to both, every answer is compared.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "axil_driver.h"
#include "dut.h"
#include "golden.h"
#include "platter/accelerator/registers.h"

namespace platter::testing {

/// A curve like a drive's, any numbers (negative slopes, clamped sums, segments in any order), or a few ticks.
enum class SeekTable { Realistic, Arbitrary, Small };

class SchedBench {
 public:
  explicit SchedBench(std::uint64_t seed = 1);

  Dut& dut() { return *dut_; }
  AxilDriver<Dut>& bus() { return bus_; }
  Golden& golden() { return *golden_; }
  const Parameters& parameters() const { return parameters_; }
  std::mt19937_64& random() { return random_; }

  /// Cycles of a decision: D in the documentation.
  unsigned duration() const;

  /// What differed so far; empty while design and golden model agree.
  const std::vector<std::string>& differences() const { return differences_; }

  bool write(std::uint32_t address, std::uint32_t data, unsigned strobe = 0xF);
  void check_read(std::uint32_t address);
  void check_all_registers();

  /// START, the exact number of busy cycles (by the interrupt or by polling STATUS), every result register.
  void decide();

  /// Both to the state after reset; the seek table is zero in both.
  void reset();

  // Random stimuli, weighted towards ties, limits and borderline guards.
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::int64_t random_angle();
  std::int64_t random_time();
  void load_seek_table(SeekTable kind);
  void randomize_configuration();
  void randomize_decision();
  void insert_random(unsigned tag);
  void run_random(unsigned decisions, unsigned stop_after_differences = 5);

 private:
  void note(const std::string& text);
  std::int64_t random_cylinder();
  void change_table();

  std::unique_ptr<Dut> dut_;
  AxilDriver<Dut> bus_;
  Parameters parameters_;
  std::unique_ptr<Golden> golden_;
  std::mt19937_64 random_;
  std::vector<std::string> differences_;
  bool few_values_ = false;  // stimuli from a handful of values, so that costs collide
};

}  // namespace platter::testing
