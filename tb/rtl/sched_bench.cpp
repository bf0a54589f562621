// SPDX-License-Identifier: Apache-2.0
#include "sched_bench.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;

std::string hex(std::uint32_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

Parameters read_parameters(AxilDriver<Dut>& bus) {
  const std::uint32_t word = bus.read(reg::kParams).data;
  const auto field = [word](unsigned lsb, unsigned width) { return (word >> lsb) & ((1U << width) - 1); };
  Parameters parameters;
  parameters.entries = field(reg::kParamsEntriesLsb, reg::kParamsEntriesWidth);
  parameters.lanes = field(reg::kParamsLanesLsb, reg::kParamsLanesWidth);
  parameters.angle_w = field(reg::kParamsAngleWLsb, reg::kParamsAngleWWidth);
  parameters.cyl_w = field(reg::kParamsCylWLsb, reg::kParamsCylWWidth);
  parameters.seg_m = field(reg::kParamsSegMLsb, reg::kParamsSegMWidth);
  parameters.seg_w = field(reg::kParamsSegWLsb, reg::kParamsSegWWidth);
  parameters.seq_w = dut_seq_w();
  return parameters;
}

}  // namespace

SchedBench::SchedBench(std::uint64_t seed) : dut_(make_dut()), bus_(*dut_), random_(seed) {
  bus_.reset();
  parameters_ = read_parameters(bus_);
  reset();
}

void SchedBench::reset() {
  bus_.reset();
  golden_ = std::make_unique<Golden>(parameters_);
  write(reg::kSeekIndex, 0);
  write(reg::kSeekBase, 0);
  for (unsigned i = 0; i < parameters_.segs(); ++i) write(reg::kSeekDelta, 0);
  write(reg::kSeekCell, 0);
  write(reg::kSeekLast, 0);
  for (unsigned i = 0; i < parameters_.cells(); ++i) write(reg::kSeekGroup, 0);
  bus_.reset();
  golden_->hard_reset();
}

unsigned SchedBench::duration() const {
  return parameters_.entries / parameters_.lanes + reg::kDecisionLatency;
}

void SchedBench::note(const std::string& text) {
  differences_.push_back("cycle " + std::to_string(bus_.cycle()) + ": " + text);
}

bool SchedBench::write(std::uint32_t address, std::uint32_t data, unsigned strobe) {
  const std::uint64_t begin = bus_.cycle();
  const AxilResponse response = bus_.write(address, data, strobe);
  const bool expected = golden_->write(address, data, strobe);
  if (response.okay != expected) {
    note("write of " + hex(data) + " to " + hex(address) + (expected ? " was refused" : " was taken"));
  }
  if (bus_.cycle() - begin != 2) note("a write took " + std::to_string(bus_.cycle() - begin) + " cycles");
  return response.okay;
}

void SchedBench::check_read(std::uint32_t address) {
  const std::uint64_t begin = bus_.cycle();
  const AxilResponse response = bus_.read(address);
  const auto expected = golden_->read(address);
  if (response.okay != expected.has_value()) {
    note("read of " + hex(address) + (expected ? " was refused" : " was answered"));
  } else if (expected && response.data != *expected) {
    note("read of " + hex(address) + " gave " + hex(response.data) + ", expected " + hex(*expected));
  }
  if (bus_.cycle() - begin != 2) note("a read took " + std::to_string(bus_.cycle() - begin) + " cycles");
}

void SchedBench::check_all_registers() {
  for (const auto& info : reg::kRegisters) check_read(info.offset);
}

void SchedBench::decide() {
  write(reg::kStart, static_cast<std::uint32_t>(random_()));
  // The write took two cycles: START in cycle 0, the response in cycle 1. Now it is cycle 2.
  const bool irq_before = golden_->irq();
  for (unsigned cycle = 2; cycle <= duration(); ++cycle) {
    bus_.settle();
    if (static_cast<bool>(dut_->irq_o) != irq_before) note("the interrupt changed in cycle " + std::to_string(cycle));
    // Reads are answered meanwhile, and still show the state before.
    if (cycle % 2 == 0 && cycle + 1 <= duration()) {
      constexpr std::uint32_t kWatched[] = {reg::kStatus, reg::kResult, reg::kResultCost, reg::kStatus};
      check_read(kWatched[below(4)]);
      ++cycle;
    } else {
      bus_.edge();
    }
  }
  golden_->finish(duration());
  bus_.settle();
  if (static_cast<bool>(dut_->irq_o) != golden_->irq()) note("the interrupt is wrong after the decision");
  for (const std::uint32_t address :
       {reg::kStatus, reg::kResult, reg::kResultCost, reg::kCycles, reg::kDecisions, reg::kRefused}) {
    check_read(address);
  }
}

std::int64_t SchedBench::random_angle() {
  const std::uint64_t turn = std::uint64_t{1} << parameters_.angle_w;
  if (few_values_) return static_cast<std::int64_t>((turn - 14 + 7 * below(7)) % turn);
  if (chance(10)) return static_cast<std::int64_t>((turn - 2 + below(4)) % turn);
  return static_cast<std::int64_t>(below(turn));
}

std::int64_t SchedBench::random_time() {
  const std::uint64_t turn = std::uint64_t{1} << parameters_.angle_w;
  if (few_values_) return static_cast<std::int64_t>(below(3) * 7);
  if (chance(5)) return static_cast<std::int64_t>((std::uint64_t{1} << parameters_.time_w()) - 1 - below(3));
  if (chance(10)) return static_cast<std::int64_t>(below(std::uint64_t{1} << parameters_.time_w()));
  if (chance(20)) return 0;
  return static_cast<std::int64_t>(below(turn / 2));
}

std::int64_t SchedBench::random_cylinder() {
  const std::uint64_t cylinders = std::uint64_t{1} << parameters_.cyl_w;
  if (few_values_) return static_cast<std::int64_t>(cylinders / 2 + below(3) - 1);
  if (chance(10)) return static_cast<std::int64_t>(chance(50) ? below(3) : cylinders - 1 - below(3));
  if (chance(20)) return static_cast<std::int64_t>(cylinders / 2 + below(cylinders / 16));
  return static_cast<std::int64_t>(below(cylinders));
}

void SchedBench::load_seek_table(SeekTable kind) {
  const unsigned m = parameters_.seg_m;
  const double turn = std::ldexp(1.0, static_cast<int>(parameters_.angle_w));
  // First distance of each cell, and the one after the last.
  const auto first = [m](unsigned index) {
    const unsigned steps = 1U << m;
    return index < steps ? double(index)
                         : std::ldexp(double(steps + index % steps), static_cast<int>(index / steps) - 1);
  };
  const auto curve = [&](double distance) {
    const double share = distance / std::ldexp(1.0, static_cast<int>(parameters_.cyl_w));
    return distance == 0 ? 0.0 : std::floor(turn * (0.1 + 1.2 * std::sqrt(share) + 0.4 * share));
  };
  const unsigned cells = parameters_.cells();
  const unsigned segs = parameters_.segs();
  const std::uint64_t places = std::uint64_t{1} << parameters_.place_w();
  // As a loader does: groups of four segments at multiples of four, then pairs, then single ones, as long as each cell
  // that follows can still have one.
  std::vector<unsigned> sizes(cells, 1);
  unsigned room = segs - cells;
  for (unsigned& size : sizes) {
    const unsigned more = 1U << below(3);
    if (more - 1 <= room) size = more, room -= more - 1;
  }
  std::vector<unsigned> groups(cells);
  unsigned next = 0;
  for (const unsigned size : {4U, 2U, 1U}) {
    for (unsigned i = 0; i < cells; ++i) {
      if (sizes[i] == size) groups[i] = next, next += size;
    }
  }
  std::vector<std::int64_t> bases(segs), deltas(segs);
  write(reg::kSeekCell, below(2) ? 0 : 0x400);  // only ten bits count
  for (unsigned i = 0; i < cells; ++i) {
    std::uint64_t lasts[3];
    for (std::uint64_t& last : lasts) last = chance(20) ? (chance(50) ? 0 : places - 1) : below(places);
    std::sort(lasts, lasts + 3);
    for (unsigned k = sizes[i] - 1; k < 3; ++k) lasts[k] = places - 1;
    unsigned group = groups[i];
    if (kind != SeekTable::Realistic && chance(30)) {  // anything at all
      for (std::uint64_t& last : lasts) last = below(places);
      group = static_cast<unsigned>(below(segs));
    }
    write(reg::kSeekLast, static_cast<std::uint32_t>(lasts[0] | lasts[1] << 16));
    write(reg::kSeekGroup, static_cast<std::uint32_t>(group | lasts[2] << 16));
    for (unsigned k = 0; k < sizes[i]; ++k) {
      const auto base = static_cast<std::int64_t>(curve(first(i)));
      const auto rise = static_cast<std::int64_t>(curve(first(i + 1))) - base;
      const std::int64_t bend = k == 0 ? 0 : static_cast<std::int64_t>(below(64)) - 32;
      bases[groups[i] + k] = base - bend;
      deltas[groups[i] + k] = rise + 2 * bend;
    }
  }
  write(reg::kSeekIndex, 0);
  for (unsigned i = 0; i < segs; ++i) {
    if (kind == SeekTable::Arbitrary && chance(70)) {
      bases[i] = static_cast<std::int64_t>(random_());
      deltas[i] = static_cast<std::int64_t>(random_());
    } else if (kind == SeekTable::Small) {
      bases[i] = static_cast<std::int64_t>(7 * below(5)) - 7;
      deltas[i] = static_cast<std::int64_t>(below(15)) - 7;
    }
    write(reg::kSeekBase, static_cast<std::uint32_t>(bases[i]));
    write(reg::kSeekDelta, static_cast<std::uint32_t>(deltas[i]));
  }
}

void SchedBench::randomize_configuration() {
  few_values_ = chance(30);
  const std::int64_t turn = std::int64_t{1} << parameters_.angle_w;
  write(reg::kHeadSwitch, static_cast<std::uint32_t>(random_time()));
  const std::int64_t settle = random_time();
  write(reg::kWriteSettle, static_cast<std::uint32_t>(chance(40) ? -settle : settle));
  write(reg::kOverheadRead, static_cast<std::uint32_t>(random_time()));
  write(reg::kOverheadWrite, static_cast<std::uint32_t>(random_time()));
  write(reg::kNextOverheadAr, static_cast<std::uint32_t>(random_time()));
  write(reg::kNextOverheadAw, static_cast<std::uint32_t>(random_time()));
  const std::int64_t margins[] = {0, few_values_ ? 7 : 1, few_values_ ? 14 : turn / 50, static_cast<std::int64_t>(below(static_cast<std::uint64_t>(turn))),
                                  turn - 1};
  write(reg::kMargin, static_cast<std::uint32_t>(margins[below(5)]));
}

void SchedBench::insert_random(unsigned tag) {
  const auto u32 = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const std::uint64_t turn = std::uint64_t{1} << parameters_.angle_w;
  const auto duration_of = [&] {
    return chance(5) ? random_() & 0xFFFFFFFF : below(few_values_ ? 3 : 4 * turn);
  };
  const std::uint64_t heads = few_values_ ? 2 : 64;
  write(reg::kEPos, u32(random_cylinder() | std::int64_t(below(heads)) << 18 | std::int64_t(below(2)) << 24 |
                        std::int64_t(below(4)) << 25));
  write(reg::kEAngle, u32(random_angle()));
  if (!few_values_ || chance(50)) {
    write(reg::kEEndPos, u32(random_cylinder() | std::int64_t(below(heads)) << 18));
    write(reg::kEEndAngle, u32(random_angle()));
    write(reg::kETransfer, u32(std::int64_t(duration_of())));
    write(reg::kECredit, chance(50) ? 0 : u32(std::int64_t(duration_of())));
  }
  write(reg::kInsert, tag | u32(std::int64_t(random_() & 0xFFFF0000)));
}

void SchedBench::change_table() {
  const auto tag = [this] { return static_cast<unsigned>(below(parameters_.entries)); };
  const unsigned entries = parameters_.entries;
  if (chance(3)) {  // fill or empty it
    const bool fill = chance(60);
    for (unsigned i = 0; i < entries; ++i) {
      if (fill != golden_->entries()[i].valid) fill ? insert_random(i) : void(write(reg::kRemove, i));
    }
  }
  for (std::uint64_t n = below(4); n > 0; --n) insert_random(tag());
  for (std::uint64_t n = below(3); n > 0; --n) write(reg::kRemove, tag());
  if (chance(20)) {
    write(reg::kECredit, static_cast<std::uint32_t>(below(std::uint64_t{1} << parameters_.angle_w)));
    write(reg::kSetCredit, tag());
  }
  if (chance(3)) {
    constexpr std::uint32_t kTagRegisters[] = {reg::kInsert, reg::kRemove, reg::kSetCredit};
    write(kTagRegisters[below(3)], entries + static_cast<std::uint32_t>(below(0x10000 - entries)));
  }
  // Ages are exact while no entry outlives half the insertion numbers: with few of them, retire the old ones.
  if (parameters_.seq_w < 24) {
    const std::uint32_t half = 1U << (parameters_.seq_w - 1);
    for (unsigned i = 0; i < entries; ++i) {
      const Golden::Entry& entry = golden_->entries()[i];
      const std::uint32_t age = (golden_->next_seq() - entry.seq) & (2 * half - 1);
      if (entry.valid && age > half / 2) write(reg::kRemove, i);
    }
  }
}

void SchedBench::randomize_decision() {
  const auto u32 = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  write(reg::kHeadPos, u32(random_cylinder() | std::int64_t(below(few_values_ ? 2 : 64)) << 18));
  write(reg::kHeadAngle, u32(random_angle()));
  if (chance(60)) write(reg::kCtrl, u32(std::int64_t(below(16))));
  if (chance(50)) {
    write(reg::kNextPos, u32(random_cylinder() | std::int64_t(below(64)) << 18 | std::int64_t(below(2)) << 24));
    write(reg::kNextAngle, u32(random_angle()));
    const auto limit = chance(90) ? parameters_.entries : 256;
    write(reg::kNextTag, u32(std::int64_t(below(limit)) | (chance(85) ? 0x100 : 0)));
    write(reg::kSweep, u32(std::int64_t(below(std::uint64_t{8} << parameters_.angle_w))));
  }
  // A slack near what one of the entries needs, to the tick.
  std::vector<unsigned> used;
  for (unsigned i = 0; i < parameters_.entries; ++i) {
    if (golden_->entries()[i].valid) used.push_back(i);
  }
  if (!used.empty() && chance(70)) {
    const std::int64_t need = golden_->need(used[below(used.size())]) + std::int64_t(below(3)) - 1;
    write(reg::kSlack, u32(std::clamp<std::int64_t>(need, 0, (std::int64_t{1} << parameters_.sum_w()) - 1)));
  } else if (chance(50)) {
    write(reg::kSlack, chance(30) ? 0 : static_cast<std::uint32_t>(random_()));
  }
}

void SchedBench::run_random(unsigned decisions, unsigned stop_after_differences) {
  for (unsigned i = 0; i < decisions && differences_.size() < stop_after_differences; ++i) {
    if (i % 100 == 0) randomize_configuration();
    if (i % 500 == 0) {
      constexpr SeekTable kKinds[] = {SeekTable::Realistic, SeekTable::Arbitrary, SeekTable::Small};
      load_seek_table(kKinds[i / 500 % 3]);
    }
    if (chance(1) && chance(20)) {
      write(reg::kClear, 0x100);
      randomize_configuration();
    }
    change_table();
    randomize_decision();
    decide();
    if (chance(20)) write(reg::kClear, static_cast<std::uint32_t>(below(4)));
    if (i % 500 == 0) check_all_registers();
  }
}

}  // namespace platter::testing
