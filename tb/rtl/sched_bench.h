// SPDX-License-Identifier: Apache-2.0
//
// The design beside the golden model, cycle by cycle: step() compares every output pin with what the page promises for
// the inputs of that cycle, whatever drives them. So each test checks every answer, its cycle, BUSY and the interrupt.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dut.h"
#include "golden.h"
#include "platter/accelerator/registers.h"

namespace platter::testing {

struct BusWrite {
  std::uint32_t address, data;
  unsigned strobe = 0xF;
};

/// A curve like a drive's, any numbers (negative slopes, clamped sums, segments in any order), or a few ticks.
enum class SeekTable { Realistic, Arbitrary, Small };

class SchedBench {
 public:
  /// AWPROT of a write that no variant refuses: privileged and secure.
  static constexpr unsigned kAllowed = 1;

  explicit SchedBench(std::uint64_t seed = 1);

  Dut& dut() { return *dut_; }
  const Golden& golden() const { return *golden_; }
  const Parameters& parameters() const { return parameters_; }
  std::mt19937_64& random() { return random_; }

  /// Cycles of a DECIDE with nothing stale.
  unsigned duration() const { return parameters_.rows() + accelerator::reg::kDecisionLatency; }

  /// What differed so far; empty while design and golden model agree.
  const std::vector<std::string>& differences() const { return differences_; }

  // ------------------------------------------------------------------------------------------- cycles

  /// One clock cycle with the inputs as they are; the pins then show what follows the edge.
  void step(unsigned cycles = 1);
  std::uint64_t cycle() const { return cycle_; }
  /// Cycles with busy_o high so far.
  std::uint64_t busy_cycles() const { return dut_busy_cycles_; }
  /// Numbers of the cycles in which the last write was carried out and the last read was accepted.
  std::uint64_t write_accepted() const { return write_accepted_; }
  std::uint64_t read_accepted() const { return read_accepted_; }

  /// Offers a write; step() takes each VALID back once it has been accepted.
  void drive_write(std::uint32_t address, std::uint32_t data, unsigned strobe = 0xF, unsigned protection = kAllowed);
  void release_write();
  void drive_read(std::uint32_t address);
  void release_read();

  // ------------------------------------------------------------------------------------------- accesses

  /// A whole write, until its response is taken; true if it was answered by OKAY. Does not wait for the work it starts.
  bool write(std::uint32_t address, std::uint32_t data, unsigned strobe = 0xF, unsigned protection = kAllowed);
  /// Writes one behind the other, without waiting for responses: each channel offers its next beat when the one before has been
  /// taken, so one of them may run a beat ahead. Each channel pauses in `pauses` percent of the cycles. Whether each was answered by OKAY.
  std::vector<bool> write_queued(const std::vector<BusWrite>& writes, unsigned pauses = 0);
  /// A whole read; the data, 0 if it was answered by SLVERR.
  std::uint32_t read(std::uint32_t address);
  /// A write while nothing is at work, and the work that it starts; returns the cycles for which busy_o was high.
  unsigned work(std::uint32_t address, std::uint32_t data);
  /// Until BUSY is clear.
  void wait();
  void check_all_registers();
  unsigned decide() { return work(accelerator::reg::kOp, 0); }
  unsigned cluster() { return work(accelerator::reg::kOp, 1); }

  /// Both to the state after reset; the seek table is zero in both.
  void reset();
  /// Three cycles of rst_ni without a VALID, with BREADY and RREADY as they are; the seek table stays.
  void hard_reset();

  // ------------------------------------------------------------------------------------------- random stimuli

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  void load_seek_table(SeekTable kind);
  void randomize_configuration();
  /// The registers of the optional parts, present or not.
  void randomize_features();
  void randomize_head();
  void insert_random(unsigned tag);
  void run_random(unsigned decisions, unsigned stop_after_differences = 5);

  /// How often what was meant to be reached was reached, by name.
  const std::map<std::string, std::uint64_t>& cover() const { return cover_; }

 private:
  /// Of the model, before a write changes it.
  struct Before {
    bool sums_stale, debts_stale;
    unsigned occupancy, lowest, highest, busy_left;
    Golden::Work work;
  };

  void note(const std::string& text);
  std::uint32_t addressed(std::uint32_t address, unsigned protection) const;
  void check_pin(const char* name, std::uint32_t seen, std::uint32_t expected);

  // A reader beside the writes: what waits in the queue first, then anything, with back-pressure.
  void drive_reader();
  void watch(std::uint32_t address) { watched_.push_back(address); }
  void watch_outcome(Golden::Work work);
  void drain();

  std::uint32_t u32(std::int64_t value) const { return static_cast<std::uint32_t>(value); }
  std::int64_t sum_bits(std::int64_t value) const { return value & parameters_.sum_limit(); }
  std::int64_t random_angle();
  std::int64_t random_time();
  std::int64_t random_cylinder();
  std::int64_t random_age();
  std::optional<unsigned> random_entry();
  void random_epoch();
  void random_writes(const std::vector<BusWrite>& writes);
  std::vector<BusWrite> staged_random(bool continuous);
  void stage_random(bool continuous) { random_writes(staged_random(continuous)); }
  void retire_old_entries();
  void take_out_random();
  unsigned free_tag();
  void change_table();
  void follow_up();
  void near_limits();
  void near_rest();
  void near_cap();
  void near_grace();
  void insert_near_limit();
  void insert_near_total();
  void near_deadline();
  void random_cluster();
  void random_refusal();
  void clear_in_halves(std::uint32_t bits);
  void random_queue();
  void random_hard_reset();
  void disturb(unsigned percent);
  void disturb();

  void declare_points();
  void hit(const std::string& point);
  void hit_if(bool reached, const char* point);
  void cover_hop(const Golden::Hop& hop, const std::string& where);
  void cover_bus(bool take_read);
  void cover_reset();
  void cover_clear_in_halves(const BusWrite& write);
  void cover_write(std::uint32_t address, std::uint32_t data, const Golden::Answer& answer, const Before& before);
  void cover_decide(const Before& before);
  void cover_ageing(unsigned tag);
  void cover_limits();
  void cover_zero_latency(unsigned tag);
  void cover_look_ahead();
  void cover_cluster();

  std::unique_ptr<Dut> dut_;
  Parameters parameters_;
  std::unique_ptr<Golden> golden_;
  std::mt19937_64 random_;
  std::vector<std::string> differences_;
  std::map<std::string, std::uint64_t> cover_;

  std::uint64_t cycle_ = 0, dut_busy_cycles_ = 0, write_accepted_ = 0, read_accepted_ = 0, work_begins_ = 0;
  bool write_waits_ = false, write_okay_ = false;  // a response stands at B
  bool address_held_ = false, data_held_ = false;  // taken, and the write not yet carried out
  std::uint32_t held_address_ = 0, held_data_ = 0;
  unsigned held_strobe_ = 0;
  bool read_waits_ = false;  // and at R
  std::optional<std::uint32_t> read_data_;
  std::uint32_t read_specified_ = 0, read_address_ = 0, last_read_ = 0;
  bool last_write_okay_ = false;
  std::uint64_t responses_ = 0;  // to writes, taken
  std::string last_write_;

  // For the cover points: the work under way, and what kept the present write waiting.
  std::string running_;
  Golden::Work stalled_by_ = Golden::Work::None;
  std::uint64_t *held_b_, *held_r_, *address_first_, *data_first_, *read_while_busy_, *both_accepted_, *other_address_,
      *other_data_;
  bool read_between_ = false;  // the halves of the write under way
  // Refused commands so far, and those before each entry came
  std::uint32_t refusals_ = 0;
  std::vector<std::uint32_t> refusals_before_;

  bool random_bus_ = false;  // orders of AW and W, pauses, back-pressure, reads beside the writes
  bool reader_drives_ = false;
  std::deque<std::uint32_t> watched_;

  bool few_values_ = false;  // stimuli from a handful of values, so that keys collide
  unsigned continuous_percent_ = 10, goal_ = 8;
  bool guarded_ = true;
  unsigned limit_percent_ = 0, rest_percent_ = 0;
  bool masked_by_cluster_ = false;
  std::int64_t day_ = 0, weighted_ = 0;  // about now
};

}  // namespace platter::testing
