// SPDX-License-Identifier: Apache-2.0
#include "sched_bench.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;
using Work = Golden::Work;

constexpr std::size_t kMaxDifferences = 30;

std::string hex(std::uint32_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

std::string name_of(std::uint32_t address) {
  for (const auto& info : reg::kRegisters) {
    if (info.offset == address) return info.name;
  }
  return hex(address);
}

bool is_operation(Work work) { return work == Work::Decide || work == Work::Cluster; }

const char* name_of(Work work) {
  switch (work) {
    case Work::Insert: return "insert";
    case Work::Remove: return "remove";
    case Work::Serve: return "serve";
    case Work::Decide: return "decide";
    case Work::Cluster: return "cluster";
    case Work::None: break;
  }
  return "nothing";
}

}  // namespace

SchedBench::SchedBench(std::uint64_t seed) : dut_(make_dut()), random_(seed) {
  dut_->s_axil_wstrb_i = 0xF;
  dut_->s_axil_bready_i = dut_->s_axil_rready_i = 1;
  // Two reads without a model tell what to compare with.
  const auto peek = [this](std::uint32_t address) {
    drive_read(address);
    for (const int clock : {0, 1, 0}) {
      dut_->clk_i = static_cast<std::uint8_t>(clock);
      dut_->eval();
      if (clock) release_read();
    }
    const std::uint32_t data = dut_->s_axil_rdata_o;
    dut_->clk_i = 1;
    dut_->eval();
    return data;
  };
  hard_reset();
  const std::uint32_t word = peek(reg::kParams);
  const auto field = [word](unsigned lsb, unsigned width) { return (word >> lsb) & ((1U << width) - 1); };
  parameters_.entries = field(reg::kParamsEntriesLsb, reg::kParamsEntriesWidth);
  parameters_.lanes = field(reg::kParamsLanesLsb, reg::kParamsLanesWidth);
  parameters_.angle_w = field(reg::kParamsAngleWLsb, reg::kParamsAngleWWidth);
  parameters_.cyl_w = field(reg::kParamsCylWLsb, reg::kParamsCylWWidth);
  parameters_.seg_m = field(reg::kParamsSegMLsb, reg::kParamsSegMWidth);
  parameters_.seg_w = field(reg::kParamsSegWLsb, reg::kParamsSegWWidth);
  parameters_.order_m = peek(reg::kOrderer);
  parameters_.features = peek(reg::kFeatures);
  parameters_.seq_w = dut_seq_w();
  refusals_before_.resize(parameters_.entries);
  declare_points();
  reset();
}

void SchedBench::reset() {
  hard_reset();  // not compared: the state is unknown after power-up
  golden_ = std::make_unique<Golden>(parameters_);
  write(reg::kSeekIndex, 0);
  write(reg::kSeekBase, 0);
  for (unsigned i = 0; i < parameters_.segs(); ++i) write(reg::kSeekDelta, 0);
  write(reg::kSeekCell, 0);
  write(reg::kSeekLast, 0);
  for (unsigned i = 0; i < parameters_.cells(); ++i) write(reg::kSeekGroup, 0);
  hard_reset();
}

void SchedBench::hard_reset() {
  dut_->s_axil_awvalid_i = dut_->s_axil_wvalid_i = dut_->s_axil_arvalid_i = 0;
  dut_->rst_ni = 0;
  if (golden_) {
    step(3);
  } else {
    for (unsigned i = 0; i < 3; ++i, ++cycle_) {
      dut_->clk_i = 0;
      dut_->eval();
      dut_->clk_i = 1;
      dut_->eval();
    }
  }
  dut_->rst_ni = 1;
}

void SchedBench::note(const std::string& text) {
  if (differences_.size() >= kMaxDifferences) return;
  differences_.push_back("cycle " + std::to_string(cycle_) + ": " + text + " (after " + last_write_ + " accepted in cycle " +
                         std::to_string(write_accepted_) + "; at work: " + name_of(golden_->work()) + ", " +
                         std::to_string(golden_->busy_left()) + " busy cycles left, " + std::to_string(golden_->occupancy()) +
                         " entries, " + std::to_string(golden_->continuous_entries()) + " continuous)");
}

void SchedBench::check_pin(const char* name, std::uint32_t seen, std::uint32_t expected) {
  if (seen != expected) note(std::string(name) + " is " + hex(seen) + ", expected " + hex(expected));
}

// ---------------------------------------------------------------------------------------------- cycles

void SchedBench::step(unsigned cycles) {
  for (; cycles > 0; --cycles) {
    Dut& dut = *dut_;
    if (random_bus_ && dut.rst_ni) drive_reader();
    dut.clk_i = 0;
    dut.eval();
    const bool busy = golden_->busy();
    const bool offers_address = dut.s_axil_awvalid_i && !address_held_, offers_data = dut.s_axil_wvalid_i && !data_held_;
    const std::uint32_t address = address_held_ ? held_address_ : addressed(dut.s_axil_awaddr_i, dut.s_axil_awprot_i);
    const std::uint32_t data = data_held_ ? held_data_ : dut.s_axil_wdata_i;
    const unsigned strobe = data_held_ ? held_strobe_ : dut.s_axil_wstrb_i;
    const bool both = (address_held_ || offers_address) && (data_held_ || offers_data);
    const bool to_clear = address == reg::kClear;
    const bool take_write = both && !write_waits_ && (!busy || to_clear);
    const bool stalls = busy && both && !to_clear && !write_waits_;
    const bool take_read = dut.s_axil_arvalid_i && !read_waits_;
    check_pin("AWREADY", dut.s_axil_awready_o, !address_held_);
    check_pin("WREADY", dut.s_axil_wready_o, !data_held_);
    check_pin("BVALID", dut.s_axil_bvalid_o, write_waits_);
    if (write_waits_) check_pin("BRESP", dut.s_axil_bresp_o, write_okay_ ? 0 : 2);
    check_pin("ARREADY", dut.s_axil_arready_o, !read_waits_);
    check_pin("RVALID", dut.s_axil_rvalid_o, read_waits_);
    if (read_waits_) {
      check_pin("RRESP", dut.s_axil_rresp_o, read_data_ ? 0 : 2);
      if (read_data_ && ((dut.s_axil_rdata_o ^ *read_data_) & read_specified_) != 0) {
        note("read of " + name_of(read_address_) + " gave " + hex(dut.s_axil_rdata_o) + ", expected " + hex(*read_data_) +
             (~read_specified_ ? " in the bits " + hex(read_specified_) : ""));
      }
    }
    check_pin("irq_o", dut.irq_o, golden_->irq());
    check_pin("busy_o", dut.busy_o, busy);
    dut_busy_cycles_ += dut.busy_o;

    const bool write_taken = write_waits_ && dut.s_axil_bready_i, read_taken = read_waits_ && dut.s_axil_rready_i;
    if (write_waits_ && !write_taken) ++*held_b_;
    if (read_waits_ && !read_taken) ++*held_r_;
    if (dut.s_axil_awvalid_i && !dut.s_axil_wvalid_i) ++*address_first_;
    if (dut.s_axil_wvalid_i && !dut.s_axil_awvalid_i) ++*data_first_;
    if (take_read && busy) ++*read_while_busy_;
    if (take_read && take_write) ++*both_accepted_;
    cover_bus(take_read);
    if (read_taken) last_read_ = read_data_ ? dut.s_axil_rdata_o : 0;
    if (write_taken) last_write_okay_ = dut.s_axil_bresp_o == 0, ++responses_;

    dut.clk_i = 1;
    dut.eval();
    if (!dut.rst_ni) {
      cover_reset();
      golden_->hard_reset();
      address_held_ = data_held_ = write_waits_ = read_waits_ = reader_drives_ = read_between_ = false;
      watched_.clear();
      ++cycle_;
      continue;
    }
    // What was taken need not stay on the lines.
    if (offers_address) {
      dut.s_axil_awvalid_i = 0;
      dut.s_axil_awaddr_i ^= 0xFFF;
      dut.s_axil_awprot_i ^= 0x7;
    }
    if (offers_data) {
      dut.s_axil_wvalid_i = 0;
      dut.s_axil_wdata_i = ~dut.s_axil_wdata_i;
      dut.s_axil_wstrb_i ^= 0xF;
    }
    if (take_write) cover_clear_in_halves({address, data, strobe});
    address_held_ = (address_held_ || offers_address) && !take_write;
    data_held_ = (data_held_ || offers_data) && !take_write;
    held_address_ = address;
    held_data_ = data;
    held_strobe_ = strobe;
    if (take_read) {  // what the register held in this cycle
      read_accepted_ = cycle_;
      read_address_ = dut.s_axil_araddr_i;
      read_data_ = golden_->read(read_address_);
      read_specified_ = golden_->specified(read_address_);
    }
    if (read_taken) read_waits_ = false;
    if (write_taken) write_waits_ = false;
    if (take_read) read_waits_ = true;
    if (take_read && reader_drives_) {
      reader_drives_ = false;
      release_read();
    }
    const auto& list = golden_->list();
    const Before before{
        golden_->sums_stale(),          golden_->debts_stale(), golden_->occupancy(), list.empty() ? 0 : list.front(),
        list.empty() ? 0 : list.back(), golden_->busy_left(),   golden_->work()};
    golden_->clock(stalls);
    if (golden_->ended() != Work::None && random_bus_) watch_outcome(golden_->ended());
    if (take_write) {
      const Golden::Answer answer = golden_->write(address, data, strobe);
      write_waits_ = true;
      write_okay_ = answer.okay;
      last_write_ = name_of(address) + " = " + hex(data);
      cover_write(address, data, answer, before);
      const bool command = address == reg::kInsert || address == reg::kRemove || address == reg::kServe;
      if (command && strobe == 0xF && !answer.okay) ++refusals_;
      if (address == reg::kInsert && answer.okay) refusals_before_[data & 0xFFFF] = refusals_;
      if (answer.busy > 0) work_begins_ = cycle_;
      write_accepted_ = cycle_;
      stalled_by_ = Work::None;
    } else if (stalls) {
      stalled_by_ = before.work;
    }
    ++cycle_;
  }
}

// A write that lacks a right is answered like one to an address without a register.
std::uint32_t SchedBench::addressed(std::uint32_t address, unsigned protection) const {
  return dut_protects() && (protection & 3) != kAllowed ? 0xFFF : address;
}

void SchedBench::drive_write(std::uint32_t address, std::uint32_t data, unsigned strobe, unsigned protection) {
  dut_->s_axil_awvalid_i = dut_->s_axil_wvalid_i = 1;
  dut_->s_axil_awaddr_i = static_cast<std::uint16_t>(address);
  dut_->s_axil_awprot_i = static_cast<std::uint8_t>(protection);
  dut_->s_axil_wdata_i = data;
  dut_->s_axil_wstrb_i = static_cast<std::uint8_t>(strobe);
}

void SchedBench::release_write() { dut_->s_axil_awvalid_i = dut_->s_axil_wvalid_i = 0; }

void SchedBench::drive_read(std::uint32_t address) {
  dut_->s_axil_arvalid_i = 1;
  dut_->s_axil_araddr_i = static_cast<std::uint16_t>(address);
}

void SchedBench::release_read() { dut_->s_axil_arvalid_i = 0; }

// ---------------------------------------------------------------------------------------------- accesses

// The model says when a write is accepted and answered; a design that does otherwise has been noted and does not hang the bench.
bool SchedBench::write(std::uint32_t address, std::uint32_t data, unsigned strobe, unsigned protection) {
  const bool pauses = random_bus_ && chance(15);
  if (pauses) {
    if (chance(50)) step(1 + static_cast<unsigned>(below(3)));
    drive_write(address, data, strobe, protection);
    const bool address_first = chance(50);
    (address_first ? dut_->s_axil_wvalid_i : dut_->s_axil_awvalid_i) = 0;
    step(static_cast<unsigned>(below(3)));
    dut_->s_axil_bready_i = chance(50);
    (address_first ? dut_->s_axil_wvalid_i : dut_->s_axil_awvalid_i) = 1;
  } else {
    drive_write(address, data, strobe, protection);
  }
  const bool to_clear = addressed(address, protection) == reg::kClear;
  while (write_waits_ || (golden_->busy() && !to_clear)) step();
  step();
  release_write();
  if (pauses) step(static_cast<unsigned>(below(4)));
  dut_->s_axil_bready_i = 1;
  while (write_waits_) step();
  return last_write_okay_;
}

std::vector<bool> SchedBench::write_queued(const std::vector<BusWrite>& writes, unsigned pauses) {
  Dut& dut = *dut_;
  std::vector<bool> okay;
  std::size_t addresses = 0, data = 0;  // taken
  while (okay.size() < writes.size()) {
    const auto offers = [&](std::size_t next) { return next < writes.size() && !(pauses && chance(pauses)); };
    if (!dut.s_axil_awvalid_i && offers(addresses)) {
      dut.s_axil_awvalid_i = 1;
      dut.s_axil_awaddr_i = static_cast<std::uint16_t>(writes[addresses].address);
      dut.s_axil_awprot_i = kAllowed;
    }
    if (!dut.s_axil_wvalid_i && offers(data)) {
      dut.s_axil_wvalid_i = 1;
      dut.s_axil_wdata_i = writes[data].data;
      dut.s_axil_wstrb_i = static_cast<std::uint8_t>(writes[data].strobe);
    }
    dut.s_axil_bready_i = !(pauses && chance(pauses));
    const bool offered_address = dut.s_axil_awvalid_i, offered_data = dut.s_axil_wvalid_i;
    const std::uint64_t responses = responses_;
    step();
    addresses += offered_address && !dut.s_axil_awvalid_i;
    data += offered_data && !dut.s_axil_wvalid_i;
    if (responses_ != responses) okay.push_back(last_write_okay_);
  }
  dut.s_axil_bready_i = 1;
  return okay;
}

std::uint32_t SchedBench::read(std::uint32_t address) {
  drive_read(address);
  while (read_waits_) step();
  step();
  release_read();
  while (read_waits_) step();
  return last_read_;
}

unsigned SchedBench::work(std::uint32_t address, std::uint32_t data) {
  wait();
  const std::uint64_t before = dut_busy_cycles_;
  write(address, data);
  wait();
  return static_cast<unsigned>(dut_busy_cycles_ - before);
}

void SchedBench::wait() {
  while (golden_->busy()) step();
}

void SchedBench::check_all_registers() {
  for (const auto& info : reg::kRegisters) read(info.offset);
}

// ---------------------------------------------------------------------------------------------- reader

void SchedBench::drive_reader() {
  if (!reader_drives_ && !dut_->s_axil_arvalid_i) {
    if (!watched_.empty()) {
      drive_read(watched_.front());
      watched_.pop_front();
      reader_drives_ = true;
    } else if (chance(40)) {
      drive_read(chance(97) ? reg::kRegisters[below(std::size(reg::kRegisters))].offset
                            : static_cast<std::uint32_t>(below(0x1000)));
      reader_drives_ = true;
    }
  }
  dut_->s_axil_rready_i = chance(85);
}

void SchedBench::watch_outcome(Work work) {
  if (is_operation(work)) watch(reg::kCycles);
  if (work == Work::Decide) {
    for (const std::uint32_t address :
         {reg::kResult, reg::kResultKey, reg::kRefused, reg::kExpired, reg::kNext, reg::kSweep, reg::kDue}) {
      watch(address);
    }
  } else if (work == Work::Cluster) {
    for (const std::uint32_t address :
         {reg::kClusterCount, reg::kOrderCost, reg::kOrderTags0, reg::kOrderTags1, reg::kOrderTags2}) {
      watch(address);
    }
    for (unsigned first = 0; first < parameters_.entries; first += 32) watch(reg::kMask0 + first / 8);
  } else {
    if (chance(30)) watch(reg::kStatus);
    if (chance(10) || work == Work::Serve) watch(reg::kHeadPos);
  }
}

void SchedBench::drain() {
  while (!watched_.empty() || reader_drives_ || read_waits_) step();
}

// ---------------------------------------------------------------------------------------------- random values

std::int64_t SchedBench::random_angle() {
  const auto turn = static_cast<std::uint64_t>(parameters_.turn());
  if (few_values_) return static_cast<std::int64_t>((turn - 14 + 7 * below(7)) % turn);
  if (chance(10)) return static_cast<std::int64_t>((turn - 2 + below(4)) % turn);
  return static_cast<std::int64_t>(below(turn));
}

std::int64_t SchedBench::random_time() {
  const auto turn = static_cast<std::uint64_t>(parameters_.turn());
  const auto limit = static_cast<std::uint64_t>(parameters_.time_limit());
  if (few_values_) return static_cast<std::int64_t>(below(3) * 7);
  if (chance(5)) return static_cast<std::int64_t>(limit - below(3));
  if (chance(10)) return static_cast<std::int64_t>(below(limit + 1));
  if (chance(20)) return 0;
  return static_cast<std::int64_t>(below(turn / 2));
}

std::int64_t SchedBench::random_cylinder() {
  const std::uint64_t cylinders = std::uint64_t{1} << parameters_.cyl_w;
  if (few_values_) return static_cast<std::int64_t>(cylinders / 2 + below(3) - 1);
  if (chance(10)) return static_cast<std::int64_t>(chance(50) ? below(3) : cylinders - 1 - below(3));
  if (chance(20)) return static_cast<std::int64_t>(cylinders / 2 + below(cylinders / 16));
  if (const auto other = random_entry(); other && chance(20)) return golden_->entries()[*other].cyl;
  return static_cast<std::int64_t>(below(cylinders));
}

// What an entry has waited, around the clamp often.
std::int64_t SchedBench::random_age() {
  if (few_values_) return static_cast<std::int64_t>(below(3) * 7);
  if (chance(50)) return static_cast<std::int64_t>(below(static_cast<std::uint64_t>(parameters_.turn())));
  if (chance(50)) return parameters_.time_limit() - 2 + static_cast<std::int64_t>(below(5));
  return sum_bits(static_cast<std::int64_t>(random_() >> 1));
}

std::optional<unsigned> SchedBench::random_entry() {
  const auto& list = golden_->list();
  if (list.empty()) return std::nullopt;
  return list[below(list.size())];
}

void SchedBench::load_seek_table(SeekTable kind) {
  const bool random_bus = random_bus_;
  random_bus_ = false;
  const unsigned m = parameters_.seg_m;
  const double turn = std::ldexp(1.0, static_cast<int>(parameters_.angle_w));
  // First distance of each cell, and the one after the last.
  const auto first = [m](unsigned index) {
    const unsigned steps = 1U << m;
    return index < steps ? double(index) : std::ldexp(double(steps + index % steps), static_cast<int>(index / steps) - 1);
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
  random_bus_ = random_bus;
}

// ---------------------------------------------------------------------------------------------- random configuration

void SchedBench::random_epoch() {
  few_values_ = chance(35);
  constexpr unsigned kShares[] = {0, 4, 10, 30, 60, 100};
  continuous_percent_ = kShares[below(std::size(kShares))];
  const unsigned entries = parameters_.entries;
  const unsigned goals[] = {0, 1, 2, 3, 4, parameters_.order_m + 1, entries / 4, entries / 2, entries - 1, entries};
  goal_ = std::min(entries, goals[below(std::size(goals))]);
  guarded_ = chance(75);
  constexpr unsigned kParts[] = {0, 0, 10, 50, 100};  // of the entries that have a limit, or a rest
  limit_percent_ = kParts[below(std::size(kParts))];
  rest_percent_ = kParts[below(std::size(kParts))];
  const auto instant = [this] {
    return chance(30) ? parameters_.sum_limit() - static_cast<std::int64_t>(below(4U << parameters_.angle_w))
                      : sum_bits(static_cast<std::int64_t>(random_() >> 1));
  };
  day_ = instant();
  weighted_ = instant();
  write(reg::kAgeNow, u32(weighted_));
  randomize_configuration();
  if (chance(50)) {
    for (unsigned tag = 0; tag < entries && golden_->occupancy() < goal_; ++tag) insert_random(tag);
  }
}

void SchedBench::randomize_configuration() {
  const std::int64_t turn = parameters_.turn();
  write(reg::kHeadSwitch, u32(random_time()));
  const std::int64_t settle = random_time();
  write(reg::kWriteSettle, u32(chance(40) ? -settle : settle));
  for (const std::uint32_t address : {reg::kOverheadRr, reg::kOverheadRw, reg::kOverheadWr, reg::kOverheadWw, reg::kDelay}) {
    write(address, u32(random_time()));
  }
  const auto threshold = [&](std::int64_t share) {
    const std::int64_t ticks[] = {0, few_values_ ? 7 : 1, few_values_ ? 14 : turn / share,
                                  static_cast<std::int64_t>(below(static_cast<std::uint64_t>(turn))), turn - 1};
    return u32(ticks[below(chance(70) ? 3 : 5)]);
  };
  write(reg::kMargin, threshold(50));
  write(reg::kRisk, threshold(10));
  write(reg::kRiskCharge, u32(few_values_  ? std::int64_t(below(2) * 7)
                              : chance(20) ? turn - 1
                                           : std::int64_t(below(static_cast<std::uint64_t>(turn)))));
  randomize_features();
}

void SchedBench::randomize_features() {
  const auto turn = static_cast<std::uint64_t>(parameters_.turn());
  write(reg::kDefer, u32(few_values_ ? std::int64_t(below(4) * 7) : random_time()));
  write(reg::kGrace, u32(few_values_  ? std::int64_t(below(4) * 7)
                         : chance(20) ? static_cast<std::int64_t>(random_() >> 1)
                                      : std::int64_t(below(8 * turn))));
  write(reg::kAgeCap, u32(few_values_  ? std::int64_t(below(4) * 7)
                          : chance(30) ? static_cast<std::int64_t>(random_() >> 1)
                                       : std::int64_t(below(turn))));
  constexpr std::uint32_t kFewWeights[] = {0, 32, 64, 128};
  write(reg::kAgeScale, chance(50)    ? 0
                        : few_values_ ? kFewWeights[below(4)]
                        : chance(30)  ? static_cast<std::uint32_t>(random_())
                                      : static_cast<std::uint32_t>(1 + below(256)));
  // A look at many takes long; in a large table they are rare.
  const unsigned entries = parameters_.entries;
  const bool many = chance(entries > 64 ? 1 : 20);
  const std::uint32_t mosts[] = {1, 2, 3, static_cast<std::uint32_t>(1 + below(8)), entries - 1, entries, entries + 1, 511};
  const std::uint32_t most = chance(entries > 64 ? 75 : 50) ? 0 : mosts[many ? 4 + below(4) : below(4)];
  write(reg::kAhead, most | static_cast<std::uint32_t>(chance(10) ? 0 : 1 + below(7)) << 16 |
                         static_cast<std::uint32_t>(random_() & 0xFFF8FE00));
  std::uint32_t shares = 0;
  constexpr std::uint32_t kFewShares[] = {0, 64, 128, 255};
  for (unsigned i = 0; i < 4; ++i) {
    shares = shares << 8 | (few_values_ || chance(40) ? kFewShares[below(4)] : static_cast<std::uint32_t>(below(256)));
  }
  write(reg::kAheadShare, shares);
}

void SchedBench::randomize_head() {
  const std::uint64_t head = below(chance(50) ? 2 : 64);
  write(reg::kHeadPos, u32(random_cylinder() | std::int64_t(head) << 21 | std::int64_t(below(2)) << 27));
  const std::int64_t turn = parameters_.turn();
  std::int64_t now = day_ + static_cast<std::int64_t>(below(4)) * turn;
  if (chance(10)) now += static_cast<std::int64_t>(below(64)) * turn;  // later than many a deadline
  now = (now & -turn) | random_angle();
  write(reg::kHeadTime, u32(sum_bits(now)));
  if (chance(20)) day_ = sum_bits(day_ + turn);
  if (chance(30)) {
    weighted_ = sum_bits(weighted_ + random_time());
    write(reg::kAgeNow, u32(weighted_));
  }
}

// Ages are exact while no entry outlives the insertion numbers: with few of them, take the old ones out.
void SchedBench::retire_old_entries() {
  if (parameters_.seq_w >= 24) return;
  const std::uint32_t numbers = 1U << parameters_.seq_w;
  for (unsigned i = 0; i < parameters_.entries; ++i) {
    const Golden::Entry& entry = golden_->entries()[i];
    const std::uint32_t age = (golden_->next_seq() - entry.seq) & (numbers - 1);
    if (entry.valid && age > numbers - 8) write(reg::kRemove, i);
  }
}

// On a random bus they may follow each other at once.
void SchedBench::random_writes(const std::vector<BusWrite>& writes) {
  if (random_bus_ && chance(30)) {
    constexpr unsigned kPauses[] = {0, 20, 50};
    write_queued(writes, kPauses[below(std::size(kPauses))]);
    return;
  }
  for (const BusWrite& one : writes) write(one.address, one.data, one.strobe);
}

std::vector<BusWrite> SchedBench::staged_random(bool continuous) {
  std::vector<BusWrite> writes;
  const auto stage = [&](std::uint32_t address, std::uint32_t data) { writes.push_back({address, data}); };
  const auto turn = static_cast<std::uint64_t>(parameters_.turn());
  const auto heads = [this] { return std::int64_t(below(few_values_ || chance(50) ? 2 : 64)) << 21; };
  const auto ticks = [&](std::uint64_t most) { return few_values_ ? std::int64_t(below(3) * 7) : std::int64_t(below(most)); };
  constexpr unsigned kOthers[] = {0, 0, 2, 3};
  const unsigned klass = continuous ? Golden::kContinuous : kOthers[below(4)];
  const std::int64_t limit_kind = chance(limit_percent_) ? 1 + std::int64_t(below(3)) : 0;
  stage(reg::kEPos,
        u32(random_cylinder() | heads() | std::int64_t(below(2)) << 27 | std::int64_t{klass} << 28 | limit_kind << 30));
  if (limit_percent_ > 0) {
    stage(reg::kELimit,
          chance(10) ? u32(static_cast<std::int64_t>(random_() >> 1)) : u32(day_ - 2 * parameters_.turn() + ticks(12 * turn)));
  }
  if (rest_percent_ > 0) {
    stage(reg::kERest, !chance(rest_percent_) ? 0 : chance(20) ? u32(parameters_.turn() - 1 - ticks(3)) : u32(ticks(turn)));
  }
  stage(reg::kEAngle, u32(random_angle()));
  if (!few_values_ || chance(50)) {
    stage(reg::kEEndPos, u32(random_cylinder() | heads()));
    stage(reg::kEEndAngle, u32(random_angle()));
    const unsigned kind = static_cast<unsigned>(below(100));
    stage(reg::kETransfer, kind < 3   ? u32(static_cast<std::int64_t>(random_() >> 1))
                           : kind < 5 ? u32(parameters_.sum_limit() - ticks(turn))
                                      : u32(ticks(kind < 50 ? turn / 8 : 4 * turn)));
  }
  const unsigned kind = static_cast<unsigned>(below(100));
  stage(reg::kEDeadline, kind < 5    ? u32(static_cast<std::int64_t>(random_() >> 1))
                         : kind < 10 ? u32(day_ - ticks(turn))
                         : kind < 30 ? u32(day_ + ticks(16 * turn))
                                     : u32(day_ + 64 * parameters_.turn() + ticks(512 * turn)));
  stage(reg::kEAge, u32(sum_bits(weighted_ - random_age())));
  return writes;
}

void SchedBench::insert_random(unsigned tag) {
  retire_old_entries();
  std::vector<BusWrite> writes = staged_random(chance(continuous_percent_));
  writes.push_back({reg::kInsert, tag | u32(static_cast<std::int64_t>(random_() & 0xFFFF0000))});
  random_writes(writes);
}

// ---------------------------------------------------------------------------------------------- random course

void SchedBench::take_out_random() {
  const auto tag = random_entry();
  if (tag) write(chance(50) ? reg::kRemove : reg::kServe, *tag);
}

unsigned SchedBench::free_tag() {
  unsigned tag = static_cast<unsigned>(below(parameters_.entries));
  while (golden_->entries()[tag].valid) tag = (tag + 1) % parameters_.entries;
  return tag;
}

void SchedBench::change_table() {
  if (chance(2)) {  // fill or empty it
    const bool fill = chance(60);
    for (unsigned i = 0; i < parameters_.entries; ++i) {
      if (fill != golden_->entries()[i].valid) fill ? insert_random(i) : void(write(reg::kRemove, i));
    }
  }
  for (std::uint64_t n = below(5); n > 0; --n) {
    const unsigned occupancy = golden_->occupancy();
    const bool insert = occupancy != goal_ ? occupancy < goal_ : chance(50);
    if (insert && occupancy < parameters_.entries) {
      insert_random(free_tag());
    } else {
      take_out_random();
    }
    disturb(4);
    if (chance(2)) {  // no pause before an operation either
      write(reg::kOp, static_cast<std::uint32_t>(below(2)));
      drain();
    }
  }
}

// A command on any tag, with what is staged.
void SchedBench::follow_up() {
  const auto tag = static_cast<unsigned>(below(parameters_.entries));
  if (golden_->entries()[tag].valid) {
    write(chance(50) ? reg::kRemove : reg::kServe, tag);
  } else {
    write(reg::kInsert, tag);
  }
}

// A wait of exactly MARGIN or RISK, or one tick less: from the head by turning the spindle, elsewhere by moving the limit.
void SchedBench::near_limits() {
  const auto e = random_entry();
  if (!e) return;
  const std::int64_t turn = parameters_.turn();
  if (chance(60)) {
    const Golden::Hop hop = golden_->hop_from_head(*e);
    const std::int64_t wait = (chance(50) ? golden_->margin() : golden_->risk()) - (chance(50) ? 1 : 0);
    const std::int64_t angle = (golden_->entries()[*e].angle - hop.arrival - wait) & (turn - 1);
    write(reg::kHeadTime, u32((golden_->head_time() & -turn) | angle));
    return;
  }
  unsigned from = *e, to = *random_entry();
  const std::vector<unsigned> sweep = golden_->sweep_order();
  const unsigned kind = static_cast<unsigned>(below(4));
  if (kind < 2 && sweep.size() > 1) {
    const std::size_t i = below(sweep.size() - 1);
    from = sweep[i];
    to = sweep[std::min<std::size_t>(i + 1 + (kind == 1), sweep.size() - 1)];
  } else if (kind == 2 && !sweep.empty()) {
    to = sweep.front();
  }
  const std::int64_t wait = golden_->hop_between(from, to).wait + static_cast<std::int64_t>(below(2));
  write(chance(50) ? reg::kMargin : reg::kRisk, u32(wait));
}

// A wait of exactly what the access may begin in the middle for, or one tick less.
void SchedBench::near_rest() {
  const auto e = random_entry();
  if (!e || golden_->entries()[*e].rest == 0) return;
  const std::int64_t turn = parameters_.turn();
  const Golden::Entry& entry = golden_->entries()[*e];
  const std::int64_t angle =
      (entry.angle - golden_->hop_from_head(*e).arrival - entry.rest + std::int64_t(below(3)) - 1) & (turn - 1);
  write(reg::kHeadTime, u32((golden_->head_time() & -turn) | angle));
}

// What an entry has waited is about the cap, or weighs about as much as can be.
void SchedBench::near_cap() {
  const auto e = random_entry();
  if (!e) return;
  constexpr std::int64_t kMaxCap = (1 << 17) - 1, kMaxScale = (1 << 18) - 1;
  const std::int64_t waited = golden_->waited(*e);
  if (chance(50)) {
    if (waited <= kMaxCap) write(reg::kAgeCap, u32(std::max<std::int64_t>(waited + std::int64_t(below(3)) - 1, 0)));
    if (golden_->age_scale() == 0) write(reg::kAgeScale, static_cast<std::uint32_t>(1 + below(200)));
    return;
  }
  const std::int64_t product = parameters_.time_limit() << 6, least = product / kMaxScale + 1;
  if (waited < least || least > kMaxCap) return;
  const std::int64_t cap =
      std::min(least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(least))), std::min(waited, kMaxCap));
  write(reg::kAgeCap, u32(cap));
  const std::int64_t steps = 64 / cap + 1;  // of the weight, for a tick
  write(reg::kAgeScale,
        u32(product / cap + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(4 * steps))) - 2 * steps));
}

void SchedBench::near_grace() {
  for (const unsigned tag : golden_->list()) {
    if (golden_->entries()[tag].limit_kind != 3 || golden_->missed(tag) || chance(50)) continue;
    write(reg::kGrace, u32(golden_->to_limit(tag) + static_cast<std::int64_t>(below(3)) - (golden_->to_limit(tag) > 0)));
    return;
  }
}

// A command that just reaches its limit from where the head is, or misses it by a tick.
void SchedBench::insert_near_limit() {
  retire_old_entries();
  if (golden_->occupancy() == parameters_.entries) take_out_random();
  const unsigned tag = free_tag();
  std::vector<BusWrite> writes = staged_random(chance(continuous_percent_));
  writes.front().data = (writes.front().data & ~(3U << reg::kEPosLimitLsb)) | static_cast<std::uint32_t>(1 + below(3))
                                                                                  << reg::kEPosLimitLsb;
  wait();
  Golden ahead = *golden_;
  for (const BusWrite& one : writes) ahead.write(one.address, one.data);
  ahead.write(reg::kInsert, tag);
  writes.push_back(
      {reg::kELimit, u32(golden_->head_time() + ahead.hop_from_head(tag).worst + static_cast<std::int64_t>(below(3)) - 1)});
  writes.push_back({reg::kInsert, tag});
  random_writes(writes);
}

// A command whose key is the best total of the others, or a tick less or more.
void SchedBench::insert_near_total() {
  if (!golden_->looks_ahead() || golden_->age_scale() > 0 || golden_->occupancy() == parameters_.entries) return;
  retire_old_entries();
  const unsigned tag = free_tag();
  std::vector<BusWrite> writes = staged_random(chance(continuous_percent_));
  writes.push_back({reg::kEAge, u32(golden_->age_now())});
  wait();
  Golden ahead = *golden_;
  for (const BusWrite& one : writes) ahead.write(one.address, one.data);
  ahead.write(reg::kInsert, tag);
  ahead.write(reg::kOp, 0);
  const std::int64_t aged = ahead.key(tag) - ahead.decision().key + static_cast<std::int64_t>(below(3)) - 1;
  writes.back().data = u32(golden_->age_now() - std::clamp<std::int64_t>(aged, 0, parameters_.time_limit()));
  writes.push_back({reg::kInsert, tag});
  random_writes(writes);
}

// Time left such that one of the entries meets the deadline to the tick, or misses it by one.
void SchedBench::near_deadline() {
  Golden ahead = *golden_;
  ahead.write(reg::kOp, 0);
  const auto e = random_entry();
  if (!e || !ahead.active()) return;
  const std::int64_t turn = parameters_.turn();
  std::int64_t now = golden_->head_time();
  std::int64_t time = sum_bits(ahead.due() - now);
  if (time > parameters_.sum_limit() / 2) time -= parameters_.sum_limit() + 1;
  std::int64_t reserve = time - ahead.need(*e) + static_cast<std::int64_t>(below(4)) - 1;
  if (reserve < 0) {  // then by whole turns earlier
    const std::int64_t turns = (-reserve + turn - 1) / turn;
    if (time + turns * turn > parameters_.sum_limit() / 2) return;
    now = sum_bits(now - turns * turn);
    reserve += turns * turn;
    write(reg::kHeadTime, u32(now));
  }
  write(reg::kReserve, u32(reserve));
}

void SchedBench::random_cluster() {
  const unsigned entries = parameters_.entries, m = parameters_.order_m;
  const unsigned limits[] = {
      0,  1, 2, 3, std::max(m, 1U), m + 1, static_cast<unsigned>(1 + below(m + 1)), static_cast<unsigned>(below(entries + 2)),
      511};
  unsigned flags = static_cast<unsigned>(below(32));
  if (chance(70)) flags |= 1U << (reg::kClusterTakeDLsb - reg::kClusterTakeCLsb);
  if (chance(50)) flags |= 1U << (reg::kClusterOrderLsb - reg::kClusterTakeCLsb);
  write(reg::kCluster, limits[below(std::size(limits))] | flags << reg::kClusterTakeCLsb);
  const std::int64_t cylinders = std::int64_t{1} << parameters_.cyl_w;
  const auto cylinder_of_an_entry = [this] {
    const auto e = random_entry();
    return e ? golden_->entries()[*e].cyl : 0;
  };
  if (chance(80)) {
    const bool down = flags >> (reg::kClusterDownLsb - reg::kClusterTakeCLsb) & 1;
    const unsigned kind = static_cast<unsigned>(below(100));
    write(reg::kClusterFrom, u32(kind < 45   ? (down ? cylinders - 1 : 0)
                                 : kind < 55 ? (down ? 0 : cylinders - 1)
                                 : kind < 80 ? cylinder_of_an_entry()
                                             : random_cylinder()));
  }
  if (chance(80)) {
    const unsigned kind = static_cast<unsigned>(below(100));
    const std::int64_t between = std::abs(cylinder_of_an_entry() - cylinder_of_an_entry());
    write(reg::kClusterSpan, u32(kind < 45   ? cylinders - 1
                                 : kind < 55 ? 0
                                 : kind < 80 ? between - (chance(30) ? 1 : 0)
                                             : random_cylinder()));
  }
  if (chance(80)) drain();
  write(reg::kOp, 1 | u32(static_cast<std::int64_t>(random_() & 0xFFFFFFFE)));
}

void SchedBench::random_refusal() {
  const auto entry = random_entry();
  const unsigned entries = parameters_.entries;
  constexpr std::uint32_t kTagRegisters[] = {reg::kInsert, reg::kRemove, reg::kServe};
  const auto data = static_cast<std::uint32_t>(random_());
  if (dut_protects() && chance(30)) {
    write(reg::kRegisters[below(std::size(reg::kRegisters))].offset, data, 0xF, static_cast<unsigned>(below(8)) & ~1U);
    return;
  }
  switch (below(6)) {
    case 0: write(kTagRegisters[below(3)], entries + static_cast<std::uint32_t>(below(0x10000 - entries))); break;
    case 1:
      if (entry) write(reg::kInsert, *entry);
      break;
    case 2: {
      const auto tag = static_cast<unsigned>(below(entries));
      if (!golden_->entries()[tag].valid) write(kTagRegisters[1 + below(2)], tag);
      break;
    }
    case 3: write(static_cast<std::uint32_t>(below(0x1000)) | 1U << below(2), data); break;
    case 4: write(reg::kRegisters[below(std::size(reg::kRegisters))].offset, data, static_cast<unsigned>(below(15))); break;
    default: write(0x134 + 4 * static_cast<std::uint32_t>(below(0x300)), data); break;
  }
}

// CLEAR while work is under way: in the first cycle that can be met, the last, or any.
void SchedBench::disturb(unsigned percent) {
  if (golden_->busy() && chance(percent)) disturb();
}

void SchedBench::disturb() {
  const unsigned left = golden_->busy_left();
  const unsigned place = static_cast<unsigned>(below(3));
  step(place == 0 ? 0 : place == 1 || left < 3 ? left - 1 : 1 + static_cast<unsigned>(below(left - 2)));
  std::uint32_t bits = static_cast<std::uint32_t>(below(8));
  const bool reset = chance(40);
  if (reset) bits |= 1U << reg::kClearSoftResetLsb;
  if (chance(40)) {
    clear_in_halves(bits);
  } else {
    drive_write(reg::kClear, bits);  // now, in this very cycle
    step();
    release_write();
    step();
  }
  if (reset) {
    watched_.clear();
    random_epoch();
  }
}

// One half, a few cycles later the other; before that perhaps the same, or both at once, with a strobe that lacks bytes.
void SchedBench::clear_in_halves(std::uint32_t bits) {
  for (unsigned refused = static_cast<unsigned>(below(2)) + 1; refused-- > 0;) {
    drive_write(reg::kClear, bits, refused ? static_cast<unsigned>(below(15)) : 0xF);
    if (!refused || chance(60)) {
      std::uint8_t& later = chance(50) ? dut_->s_axil_wvalid_i : dut_->s_axil_awvalid_i;
      later = 0;
      step(1 + static_cast<unsigned>(below(4)));
      later = 1;
    }
    step(2);  // accepted, and its response taken
  }
}

// Writes behind each other, what starts work among them, some refused, at the end perhaps a soft reset.
void SchedBench::random_queue() {
  constexpr std::uint32_t kTargets[] = {reg::kReserve, reg::kRisk,   reg::kEPos,  reg::kEAngle, reg::kClear, reg::kOp,
                                        reg::kInsert,  reg::kRemove, reg::kServe, reg::kId,     0x400};
  std::vector<BusWrite> writes(2 + below(5));
  retire_old_entries();
  for (BusWrite& one : writes) {
    one.address = kTargets[below(std::size(kTargets))];
    one.data = one.address == reg::kClear ? static_cast<std::uint32_t>(below(8))
               : one.address >= reg::kInsert && one.address <= reg::kServe
                   ? static_cast<std::uint32_t>(below(parameters_.entries))
                   : static_cast<std::uint32_t>(random_());
    if (chance(15)) one.strobe = static_cast<unsigned>(below(15));
  }
  const bool reset = chance(25);
  if (reset) {
    for (unsigned refused = static_cast<unsigned>(below(2)) + 1; refused-- > 0;) {
      writes.push_back({reg::kClear, 1U << reg::kClearSoftResetLsb, refused ? static_cast<unsigned>(below(15)) : 0xF});
    }
  }
  constexpr unsigned kPauses[] = {0, 20, 50, 80};
  write_queued(writes, kPauses[below(std::size(kPauses))]);
  if (reset) {
    watched_.clear();
    random_epoch();
  }
}

// A reset that meets accesses at every stage, with each READY high or low.
void SchedBench::random_hard_reset() {
  if (chance(60)) wait();
  dut_->s_axil_bready_i = chance(40);
  drive_write(reg::kReserve, static_cast<std::uint32_t>(random_()));
  const unsigned halves = static_cast<unsigned>(below(4));  // of another write behind it
  step();
  if (halves & 1) {
    dut_->s_axil_awvalid_i = 1;
    dut_->s_axil_awaddr_i = reg::kClear;
    dut_->s_axil_awprot_i = kAllowed;
  }
  if (halves & 2) {
    dut_->s_axil_wvalid_i = 1;
    dut_->s_axil_wdata_i = static_cast<std::uint32_t>(random_());
  }
  step(static_cast<unsigned>(below(3)));
  dut_->s_axil_rready_i = chance(40);
  hard_reset();
  dut_->s_axil_bready_i = 1;
  random_epoch();
}

void SchedBench::run_random(unsigned decisions, unsigned stop_after_differences) {
  for (unsigned i = 0; i < decisions && differences_.size() < stop_after_differences; ++i) {
    random_bus_ = true;
    if (i % 500 == 0) {
      constexpr SeekTable kKinds[] = {SeekTable::Realistic, SeekTable::Arbitrary, SeekTable::Small};
      load_seek_table(kKinds[i / 500 % 3]);
    }
    if (i % 50 == 0) random_epoch();
    change_table();
    if (chance(5)) random_refusal();
    randomize_head();
    if (chance(40)) {
      random_cluster();
      disturb(15);
      if (chance(10)) follow_up();
    }
    if (chance(25)) {
      for (unsigned first = 0; first < parameters_.entries; first += 32) {
        write(reg::kMask0 + first / 8, chance(30) ? 0 : static_cast<std::uint32_t>(random_() | random_()));
      }
    }
    if (chance(25)) {
      write(reg::kCtrl, u32(static_cast<std::int64_t>(below(128) & ~1U & ~(chance(50) ? 8U : 0U)) | guarded_));
    }
    if (chance(40)) near_limits();
    if (rest_percent_ > 0 && chance(40)) near_rest();
    if (chance(25)) near_cap();
    if (limit_percent_ > 0 && chance(40)) insert_near_limit();
    if (limit_percent_ > 0 && chance(20)) near_grace();
    if (chance(30)) insert_near_total();
    if (guarded_ && chance(60)) {
      near_deadline();
    } else if (chance(20)) {
      write(reg::kReserve, chance(60) ? 0 : u32(static_cast<std::int64_t>(random_() >> 1)));
    }
    const bool follow = chance(20);  // by a command that waits
    if (follow) {
      retire_old_entries();
      stage_random(chance(continuous_percent_));
    }
    if (chance(80)) drain();
    write(reg::kOp, u32(static_cast<std::int64_t>(random_() & 0xFFFFFFFE)));
    disturb(15);
    if (follow) {
      follow_up();
      if (chance(50)) follow_up();
    } else if (chance(20) && golden_->decision().valid) {
      write(reg::kServe, golden_->decision().tag);
    } else if (chance(20)) {
      chance(80) ? random_cluster() : void(write(reg::kOp, static_cast<std::uint32_t>(below(2))));
    } else if (chance(30)) {
      step(static_cast<unsigned>(below(40)));
    }
    if (chance(10) && golden_->occupancy() < parameters_.entries) {  // only the debts are stale, if the sums are not
      retire_old_entries();
      stage_random(false);
      write(reg::kInsert, free_tag());
      write(reg::kOp, 0);
      disturb(40);
    }
    if (chance(5)) random_refusal();
    if (chance(5)) random_queue();
    if (chance(1)) random_hard_reset();
    if (chance(15)) write(reg::kClear, static_cast<std::uint32_t>(below(8)));
    if (i % 100 == 0) {
      for (const auto& info : reg::kRegisters) watch(info.offset);
      drain();
    }
  }
  wait();
  drain();
  random_bus_ = false;
  dut_->s_axil_rready_i = 1;
}

// ---------------------------------------------------------------------------------------------- coverage

void SchedBench::hit(const std::string& point) { ++cover_[point]; }

void SchedBench::hit_if(bool reached, const char* point) {
  if (reached) hit(point);
}

void SchedBench::declare_points() {
  const auto declare = [this](const std::string& point) { return &cover_[point]; };
  held_b_ = declare("bus: response to a write held back");
  held_r_ = declare("bus: response to a read held back");
  address_first_ = declare("bus: address before data");
  data_first_ = declare("bus: data before address");
  read_while_busy_ = declare("bus: read while busy");
  both_accepted_ = declare("bus: read and write in one cycle");
  other_address_ = declare("bus: another address offered while one is held");
  other_data_ = declare("bus: other data offered while some are held");
  for (const char* what : {"response to a write waits, BREADY low", "response to a read waits, RREADY low", "address held",
                           "data held", "both halves held", "work under way"}) {
    declare(std::string("reset: ") + what);
  }
  for (const char* clear : {"soft reset: ", "soft reset refused for its strobe: "}) {
    for (const char* halves : {"together", "address first", "data first", "both held"}) {
      declare(std::string(clear) + "halves " + halves);
    }
  }
  declare("soft reset: a read between its halves");
  for (const char* work : {"insert", "remove", "serve", "decide", "cluster"}) {
    for (const char* access : {"insert", "remove", "serve", "operation", "refused write", "another write"}) {
      declare(std::string("wait: ") + access + " for " + work);
    }
  }
  declare("clear: DONE in the last cycle of an operation");
  declare("clear: counters in the last cycle of an operation");
  declare("clear: counters while busy");
  for (const char* work : {"insert", "remove", "serve", "decide", "decide, debts stale", "decide, sums stale",
                           "decide, looking ahead", "cluster", "cluster, ordered"}) {
    if (parameters_.order_m == 0 && std::string(work) == "cluster, ordered") continue;
    if (!parameters_.has(Parameters::kLookAhead) && std::string(work) == "decide, looking ahead") continue;
    for (const char* where : {"early", "in the middle", "last"}) {
      declare("soft reset: " + std::string(work) + ", " + where);
    }
  }
  for (const char* point : {"table: insert into the empty table",
                            "table: insert fills it",
                            "table: insert among equal cylinders",
                            "table: insert below all",
                            "table: insert above all",
                            "table: lowest taken out",
                            "table: highest taken out",
                            "table: only one taken out",
                            "table: insert of a tag in use",
                            "table: insert of a tag out of range",
                            "table: remove of a free tag",
                            "table: remove of a tag out of range",
                            "table: serve of a free tag",
                            "table: serve of a tag out of range",
                            "decide: empty table",
                            "decide: full table",
                            "decide: guard off while stale",
                            "decide: guard on, nothing stale",
                            "decide: sums stale, no sweep",
                            "decide: sums stale",
                            "decide: nothing stale, no sweep",
                            "decide: debts stale",
                            "decide: masked",
                            "decide: masked by a cluster",
                            "decide: tie by age",
                            "decide: tie of three and more",
                            "decide: key below zero",
                            "decide: key zero",
                            "decide: nothing competes",
                            "decide: NEXT picked",
                            "decide: a continuous entry shut out by NEXT_C_ONLY",
                            "decide: refused some",
                            "decide: forced",
                            "decide: forced, nothing competes",
                            "decide: forced, NEXT masked",
                            "guard: need is what is left",
                            "guard: need is one tick more than is left",
                            "guard: need is one tick less than is left",
                            "guard: deadline past",
                            "guard: time passes zero before the deadline",
                            "guard: nothing left by the reserve",
                            "guard: debt below zero",
                            "age: none",
                            "age: a tick below the clamp",
                            "age: at the clamp",
                            "age: above the clamp",
                            "sweep: its sum clamps",
                            "sweep: due is the last deadline",
                            "sweep: due is the first deadline",
                            "sweep: due is one between",
                            "sweep: equal cylinders",
                            "cluster: empty table",
                            "cluster: nothing collected",
                            "cluster: everything before FROM",
                            "cluster: some before FROM",
                            "cluster: another class passed over",
                            "cluster: no class taken",
                            "cluster: ends at a continuous entry",
                            "cluster: ends at once at a continuous entry",
                            "cluster: ends by span",
                            "cluster: ends by number",
                            "cluster: ends with the list",
                            "cluster: no limit",
                            "cluster: of all",
                            "cluster: span met exactly",
                            "cluster: span exceeded by one cylinder",
                            "cluster: upward",
                            "cluster: downward",
                            "cluster: of both classes"}) {
    declare(point);
  }
  for (const char* way : {"up", "down"}) {
    for (const char* size : {"0", "1", "2", "3", "4 or more"}) declare(std::string("sweep: ") + way + ", of " + size);
  }
  for (unsigned c = 1; c <= std::max(parameters_.order_m, 4U); ++c) declare("cluster: of " + std::to_string(c));
  for (unsigned c = 1; c <= parameters_.order_m; ++c) {
    declare("order: of " + std::to_string(c));
    if (c > 1) declare("order: tie among " + std::to_string(c));
  }
  declare("order: more collected than are ordered");
  std::vector<std::string> places = {"head", "sweep", "debt"};
  if (parameters_.order_m > 1) places.push_back("order");
  for (const std::string& where : places) {
    for (const char* what : {"wait one below MARGIN", "wait of MARGIN", "wait one below RISK", "wait of RISK", "arrival clamps",
                             "reach clamps", "worst clamps", "settle below zero", "settle above the clamp"}) {
      declare("hop, " + where + ": " + what);
    }
  }
  declare("hop, head: cost above the clamp");
  declare("seek: below zero");
  declare("seek: above the clamp");
  for (const char* beyond : {"0", "1", "2", "3"}) declare(std::string("seek: ") + beyond + " ends of segments passed");
  if (parameters_.seq_w <= 8) {  // else it takes too many insertions
    declare("decide: tie by tag");
    declare("decide: tie that turns if refused commands take insertion numbers");
  }
  const auto declare_part = [&](unsigned part, std::initializer_list<const char*> points) {
    if (!parameters_.has(part)) return;
    for (const char* point : points) declare(point);
  };
  declare_part(
      Parameters::kAgeing,
      {"ageing: one unit below the cap", "ageing: of the cap", "ageing: one unit above the cap", "ageing: cap of zero",
       "ageing: weighs one tick less than the clamp", "ageing: weighs the clamp", "ageing: weighs one tick more than the clamp",
       "ageing: weight rounded down", "ageing: a weight of 64 is a tick a unit", "ageing: a continuous entry deferred",
       "ageing: a deferred entry picked", "ageing: one that ages goes before a deferred one of lower cost",
       "ageing: a continuous entry ages", "ageing: DEFER_C, another class ages", "ageing: DEFER of zero"});
  if (parameters_.has(Parameters::kLimits)) {
    for (const char* kind : {"1", "2", "3"}) {
      for (const char* what : {"met with a tick to spare", "met to the tick", "missed by a tick", "past",
                               "beyond the wrap of time", "missed by the risk alone"}) {
        declare(std::string("limit ") + kind + ": " + what);
      }
    }
  }
  declare_part(Parameters::kLimits, {"limit 3: a tick before GRACE",
                                     "limit 3: GRACE to the tick",
                                     "limit 3: a tick within GRACE",
                                     "limit 3: goes first",
                                     "limit 1: goes first",
                                     "limit: goes before a lower key",
                                     "limit: of two that go first the lower key",
                                     "limit: of two that go first the older",
                                     "limit: one that goes first is refused",
                                     "limit: one that goes first does not compete",
                                     "limit: of kind 0 past",
                                     "expired: one",
                                     "expired: several",
                                     "expired: shut out by the mask",
                                     "expired: had the lowest key",
                                     "expired: all, nothing picked",
                                     "expired: all, forced",
                                     "expired: NEXT",
                                     "expired: a continuous one, shut out by NEXT_C_ONLY too",
                                     "expired: tag 0"});
  declare_part(Parameters::kZeroLatency,
               {"rest: wait one below E_REST", "rest: wait of E_REST, REST_COST", "rest: wait of E_REST, no REST_COST",
                "rest: wait one above E_REST", "rest: late does not count", "rest: risk does not count", "rest: cost clamps",
                "rest: worst refuses what cost does not", "rest: picked in the middle", "rest: none while another has one"});
  if (parameters_.has(Parameters::kZeroLatency) && parameters_.has(Parameters::kLimits))
    declare("rest: the limit counts worst");
  declare_part(Parameters::kLookAhead, {"ahead: one candidate",
                                        "ahead: no candidate, nothing",
                                        "ahead: no candidate, forced",
                                        "ahead: DEPTH without MOST",
                                        "ahead: MOST without DEPTH",
                                        "ahead: ends by MOST",
                                        "ahead: ends without further",
                                        "ahead: ends by key",
                                        "ahead: next key is the best total",
                                        "ahead: next key is one tick below the best total",
                                        "ahead: the first picked",
                                        "ahead: a later one picked",
                                        "ahead: equal totals",
                                        "ahead: MOST is the number of candidates",
                                        "ahead: MOST is one less than the candidates",
                                        "ahead: examined 1",
                                        "ahead: examined 2",
                                        "ahead: examined 3",
                                        "ahead: examined 4 or more",
                                        "ahead: no entry left for access 1",
                                        "ahead: no entry left for access 2",
                                        "ahead: no entry left for access 3",
                                        "ahead: no entry left for access 4",
                                        "ahead: tie by age",
                                        "ahead: masked, the access would be another",
                                        "ahead: refused by the guard, taken as an access",
                                        "ahead: total below zero",
                                        "ahead: share rounds down",
                                        "ahead: cost above the clamp",
                                        "ahead: through a masked table of one",
                                        "ahead: shut out by NEXT_C_ONLY, taken as an access",
                                        "ahead: refused some",
                                        "ahead: after sums",
                                        "ahead: DELAY would change it",
                                        "ahead: arrival clamps",
                                        "ahead: total above what a key holds"});
  if (parameters_.has(Parameters::kLookAhead)) {
    for (const char* depth : {"1", "2", "3", "4", "5 or more"}) declare(std::string("ahead: DEPTH ") + depth);
    if (parameters_.seq_w <= 8) declare("ahead: tie by tag");
    if (parameters_.has(Parameters::kLimits)) {
      for (const char* point :
           {"ahead: ends by what goes first", "ahead: several that go first", "ahead: expired, taken as an access"}) {
        declare(point);
      }
    }
    if (parameters_.has(Parameters::kZeroLatency)) declare("ahead: an access with E_REST");
    if (parameters_.has(Parameters::kAgeing)) declare("ahead: with weighted ages");
  }
  for (unsigned lane = 0; lane < parameters_.lanes; ++lane) {
    for (const char* where : {"head", "debt"}) {
      const std::string text = std::string("lane ") + std::to_string(lane) + ", " + where + ": ";
      declare(text + "arrival passes the index");
      declare(text + "wait passes the index");
    }
  }
}

void SchedBench::cover_hop(const Golden::Hop& hop, const std::string& where) {
  const std::string text = "hop, " + where + ": ";
  const std::int64_t margin = golden_->margin(), risk = golden_->risk();
  if (hop.wait == margin - 1) hit(text + "wait one below MARGIN");
  if (hop.wait == margin && margin > 0) hit(text + "wait of MARGIN");
  if (hop.wait == risk - 1 && hop.risky) hit(text + "wait one below RISK");
  if (hop.wait == risk && risk > margin) hit(text + "wait of RISK");
  if (hop.arrival_above) hit(text + "arrival clamps");
  if (hop.reach_above) hit(text + "reach clamps");
  if (hop.worst_above) hit(text + "worst clamps");
  if (hop.settle_below) hit(text + "settle below zero");
  if (hop.settle_above) hit(text + "settle above the clamp");
}

void SchedBench::cover_bus(bool take_read) {
  const Dut& dut = *dut_;
  if (dut.s_axil_awvalid_i && address_held_ && dut.s_axil_awaddr_i != held_address_) ++*other_address_;
  if (dut.s_axil_wvalid_i && data_held_ && (dut.s_axil_wdata_i != held_data_ || dut.s_axil_wstrb_i != held_strobe_))
    ++*other_data_;
  read_between_ |= take_read && address_held_ != data_held_;
}

// Before the model follows.
void SchedBench::cover_reset() {
  hit_if(write_waits_ && !dut_->s_axil_bready_i, "reset: response to a write waits, BREADY low");
  hit_if(read_waits_ && !dut_->s_axil_rready_i, "reset: response to a read waits, RREADY low");
  hit_if(address_held_ && !data_held_, "reset: address held");
  hit_if(data_held_ && !address_held_, "reset: data held");
  hit_if(address_held_ && data_held_, "reset: both halves held");
  hit_if(golden_->busy(), "reset: work under way");
}

// In the cycle in which the write is accepted; a refused one counts only where a soft reset would have shown.
void SchedBench::cover_clear_in_halves(const BusWrite& write) {
  if (write.address == reg::kClear && (write.data >> reg::kClearSoftResetLsb & 1)) {
    const bool whole = write.strobe == 0xF;
    const char* halves = address_held_ ? (data_held_ ? "both held" : "address first") : data_held_ ? "data first" : "together";
    if (whole || golden_->occupancy() > 0) {
      hit(std::string(whole ? "soft reset: " : "soft reset refused for its strobe: ") + "halves " + halves);
    }
    hit_if(whole && read_between_, "soft reset: a read between its halves");
  }
  read_between_ = false;
}

void SchedBench::cover_write(std::uint32_t address, std::uint32_t data, const Golden::Answer& answer, const Before& before) {
  const unsigned tag = data & 0xFFFF;
  const bool command = address == reg::kInsert || address == reg::kRemove || address == reg::kServe;
  const char* name = address == reg::kInsert ? "insert" : address == reg::kRemove ? "remove" : "serve";
  if (stalled_by_ != Work::None) {
    const std::string work = std::string(" for ") + name_of(stalled_by_);
    if (!answer.okay) {
      hit("wait: refused write" + work);
    } else if (command) {
      hit("wait: " + std::string(name) + work);
    } else if (address == reg::kOp) {
      hit("wait: operation" + work);
    } else {
      hit("wait: another write" + work);
    }
  }
  if (command && !answer.okay) {
    const char* why = tag >= parameters_.entries ? " of a tag out of range"
                      : address == reg::kInsert  ? " of a tag in use"
                                                 : " of a free tag";
    hit(std::string("table: ") + name + why);
  }
  if (address == reg::kClear && answer.okay && before.busy_left > 0) {
    const bool last = before.busy_left == 1;
    hit_if(last && is_operation(before.work) && (data & 1), "clear: DONE in the last cycle of an operation");
    hit_if(last && is_operation(before.work) && (data & 4), "clear: counters in the last cycle of an operation");
    hit_if(data & 4, "clear: counters while busy");
    if (data >> reg::kClearSoftResetLsb & 1) {
      hit("soft reset: " + running_ + (last ? ", last" : cycle_ - work_begins_ == 2 ? ", early" : ", in the middle"));
    }
  }
  if (!answer.okay) return;
  if (address >= reg::kMask0 && address <= reg::kMask7) masked_by_cluster_ = false;
  if (address == reg::kInsert) {
    running_ = name;
    const auto& list = golden_->list();
    const auto& entries = golden_->entries();
    const auto place = static_cast<std::size_t>(std::find(list.begin(), list.end(), tag) - list.begin());
    hit_if(before.occupancy == 0, "table: insert into the empty table");
    hit_if(list.size() == parameters_.entries, "table: insert fills it");
    hit_if(place > 0 && entries[list[place - 1]].cyl == entries[tag].cyl && place + 1 < list.size(),
           "table: insert among equal cylinders");
    hit_if(before.occupancy > 0 && place == 0, "table: insert below all");
    hit_if(before.occupancy > 0 && place + 1 == list.size(), "table: insert above all");
  } else if (address == reg::kRemove || address == reg::kServe) {
    running_ = name;
    hit_if(before.occupancy == 1, "table: only one taken out");
    hit_if(before.occupancy > 1 && before.lowest == tag, "table: lowest taken out");
    hit_if(before.occupancy > 1 && before.highest == tag, "table: highest taken out");
  } else if (address == reg::kOp) {
    data & 1 ? cover_cluster() : cover_decide(before);
  }
}

void SchedBench::cover_decide(const Before& before) {
  const Golden& g = *golden_;
  const auto& entries = g.entries();
  const bool guard = g.guard_enabled();
  const std::vector<unsigned> sweep = g.sweep_order();
  const bool sums = guard && before.sums_stale, debts = guard && (before.sums_stale || before.debts_stale);
  running_ = g.looks_ahead() ? "decide, looking ahead" : sums ? "decide, sums stale" : debts ? "decide, debts stale" : "decide";
  hit_if(g.occupancy() == 0, "decide: empty table");
  hit_if(g.occupancy() == parameters_.entries, "decide: full table");
  hit_if(!guard && (before.sums_stale || before.debts_stale), "decide: guard off while stale");
  hit_if(guard && !debts, "decide: guard on, nothing stale");
  hit_if(sums && sweep.empty(), "decide: sums stale, no sweep");
  hit_if(sums && !sweep.empty(), "decide: sums stale");
  hit_if(guard && !debts && sweep.empty(), "decide: nothing stale, no sweep");
  hit_if(debts && !sums, "decide: debts stale");
  if (sums) {
    const std::string size = sweep.size() < 4 ? std::to_string(sweep.size()) : "4 or more";
    hit(std::string("sweep: ") + (g.sweeps_down() ? "down" : "up") + ", of " + size);
    for (std::size_t i = 0; i + 1 < sweep.size(); ++i) {
      cover_hop(g.hop_between(sweep[i], sweep[i + 1]), "sweep");
      if (i > 0) cover_hop(g.hop_between(sweep[i - 1], sweep[i + 1]), "sweep");
      hit_if(entries[sweep[i]].cyl == entries[sweep[i + 1]].cyl, "sweep: equal cylinders");
    }
    hit_if(!sweep.empty() && g.sweep() == parameters_.sum_limit(), "sweep: its sum clamps");
    if (sweep.size() > 2) {
      const bool first = entries[sweep.front()].deadline == g.due(), last = entries[sweep.back()].deadline == g.due();
      hit_if(last && !first, "sweep: due is the last deadline");
      hit_if(first && !last, "sweep: due is the first deadline");
      hit_if(!first && !last, "sweep: due is one between");
    }
  }
  const Golden::Decision& decision = g.decision();
  const unsigned first = decision.candidates.empty() ? decision.tag : decision.candidates.front();
  unsigned competing = 0, ties = 0;
  bool one_age = false, turns = false;
  // What would be compared if a refused command took an insertion number too
  const auto turned_age = [&](unsigned tag) {
    const std::uint32_t numbers = 1U << parameters_.seq_w;
    return (entries[tag].seq + refusals_before_[tag] - g.next_seq() - refusals_) & (numbers - 1);
  };
  for (const unsigned tag : g.list()) {
    const Golden::Entry& e = entries[tag];
    const std::string lane = "lane " + std::to_string(tag % parameters_.lanes);
    const Golden::Hop hop = g.hop_from_head(tag);
    cover_hop(hop, "head");
    if (hop.arrival_wraps) hit(lane + ", head: arrival passes the index");
    if (hop.wait_wraps) hit(lane + ", head: wait passes the index");
    hit_if(hop.cost > parameters_.time_limit(), "hop, head: cost above the clamp");
    hit_if(hop.seek_below, "seek: below zero");
    hit_if(hop.seek_above, "seek: above the clamp");
    hit("seek: " + std::to_string(hop.beyond) + " ends of segments passed");
    if (debts && !sweep.empty()) {
      const Golden::Hop onward = g.hop_between(tag, sweep.front());
      cover_hop(onward, "debt");
      if (onward.arrival_wraps) hit(lane + ", debt: arrival passes the index");
      if (onward.wait_wraps) hit(lane + ", debt: wait passes the index");
      hit_if(!g.is_next(tag) && e.debt < 0, "guard: debt below zero");
    }
    if (g.age_scale() == 0) {
      const std::int64_t age = g.waited(tag);
      hit_if(age == 0, "age: none");
      hit_if(age == parameters_.time_limit() - 1, "age: a tick below the clamp");
      hit_if(age == parameters_.time_limit(), "age: at the clamp");
      hit_if(age > parameters_.time_limit(), "age: above the clamp");
    }
    if (parameters_.has(Parameters::kAgeing)) cover_ageing(tag);
    if (parameters_.has(Parameters::kZeroLatency)) cover_zero_latency(tag);
    if (!g.competes(tag)) {
      hit_if(g.active() && g.next_only() && e.continuous() && !g.is_next(tag) && g.in_mask(tag),
             "decide: a continuous entry shut out by NEXT_C_ONLY");
      continue;
    }
    ++competing;
    if (g.active()) {
      const std::int64_t spare = g.left() - g.need(tag);
      hit_if(spare == 0, "guard: need is what is left");
      hit_if(spare == -1, "guard: need is one tick more than is left");
      hit_if(spare == 1, "guard: need is one tick less than is left");
      if (spare < 0) continue;
    }
    if (tag != first && g.key(tag) == g.key(first) && g.goes_first(tag) == g.goes_first(first)) {
      ++ties;
      one_age |= e.seq == entries[first].seq;
      turns |= e.seq != entries[first].seq && turned_age(tag) < turned_age(first);
    }
  }
  if (parameters_.has(Parameters::kLimits)) cover_limits();
  if (parameters_.has(Parameters::kLookAhead)) cover_look_ahead();
  hit_if(g.looks_ahead() && sums, "ahead: after sums");
  hit_if(ties > 0 && !one_age, "decide: tie by age");
  hit_if(one_age, "decide: tie by tag");
  hit_if(turns, "decide: tie that turns if refused commands take insertion numbers");
  hit_if(ties > 1, "decide: tie of three and more");
  hit_if(decision.valid && decision.key < 0, "decide: key below zero");
  hit_if(decision.valid && !decision.forced && decision.key == 0, "decide: key zero");
  hit_if(competing == 0 && g.occupancy() > 0 && !g.active(), "decide: nothing competes");
  hit_if(decision.valid && !decision.forced && g.active() && g.is_next(decision.tag), "decide: NEXT picked");
  hit_if(decision.refused > 0 && !decision.forced, "decide: refused some");
  hit_if(decision.forced, "decide: forced");
  hit_if(decision.forced && competing == 0, "decide: forced, nothing competes");
  hit_if(decision.forced && !g.in_mask(decision.tag), "decide: forced, NEXT masked");
  hit_if(g.masks(), "decide: masked");
  hit_if(g.masks() && masked_by_cluster_, "decide: masked by a cluster");
  if (g.active()) {
    const std::int64_t time = g.left() + g.reserve();
    hit_if(time < 0, "guard: deadline past");
    hit_if(time >= 0 && g.due() < g.head_time(), "guard: time passes zero before the deadline");
    hit_if(time >= 0 && g.left() < 0, "guard: nothing left by the reserve");
  }
}

void SchedBench::cover_ageing(unsigned tag) {
  const Golden& g = *golden_;
  const bool continuous = g.entries()[tag].continuous();
  hit_if(g.deferred(tag), "ageing: a continuous entry deferred");
  hit_if(g.deferred(tag) && g.key(tag) == g.cost(tag), "ageing: DEFER of zero");
  hit_if(g.deferred(tag) && g.decision().tag == tag && !g.decision().forced, "ageing: a deferred entry picked");
  if (g.decision().valid && !g.decision().forced && g.competes(tag)) {
    const unsigned picked = g.decision().tag;
    hit_if(g.deferred(tag) && !g.deferred(picked) && g.cost(tag) < g.cost(picked),
           "ageing: one that ages goes before a deferred one of lower cost");
  }
  if (g.deferred(tag) || g.age_scale() == 0) return;
  hit_if(continuous && g.aged(tag) > 0, "ageing: a continuous entry ages");
  hit_if(!continuous && g.aged(tag) > 0 && g.defers(), "ageing: DEFER_C, another class ages");
  const std::int64_t waited = g.waited(tag), cap = g.age_cap(), product = std::min(waited, cap) * g.age_scale();
  hit_if(waited == cap - 1, "ageing: one unit below the cap");
  hit_if(waited == cap && cap > 0, "ageing: of the cap");
  hit_if(waited == cap + 1 && cap > 0, "ageing: one unit above the cap");
  hit_if(waited > 0 && cap == 0, "ageing: cap of zero");
  hit_if(product >> 6 == parameters_.time_limit() - 1, "ageing: weighs one tick less than the clamp");
  hit_if(product >> 6 == parameters_.time_limit(), "ageing: weighs the clamp");
  hit_if(product >> 6 == parameters_.time_limit() + 1, "ageing: weighs one tick more than the clamp");
  hit_if((product & 63) > 31, "ageing: weight rounded down");
  hit_if(g.age_scale() == 64 && waited > 0 && waited <= cap, "ageing: a weight of 64 is a tick a unit");
}

void SchedBench::cover_limits() {
  const Golden& g = *golden_;
  const Golden::Decision& decision = g.decision();
  unsigned expired = 0, expired_candidates = 0, competing = 0;
  std::optional<std::int64_t> lowest_expired;
  for (const unsigned tag : g.list()) {
    const Golden::Entry& e = g.entries()[tag];
    const Golden::Hop hop = g.hop_from_head(tag);
    const std::int64_t spare = g.to_limit(tag) - hop.worst;
    hit_if(e.limit_kind == 0 && spare < 0, "limit: of kind 0 past");
    competing += g.competes(tag);
    if (e.limit_kind == 0) continue;
    const std::string limit = "limit " + std::to_string(e.limit_kind) + ": ";
    if (spare == 1) hit(limit + "met with a tick to spare");
    if (spare == 0) hit(limit + "met to the tick");
    if (spare == -1) hit(limit + "missed by a tick");
    if (g.to_limit(tag) < 0) hit(limit + "past");
    if (spare >= 0 && e.limit < g.head_time()) hit(limit + "beyond the wrap of time");
    if (spare < 0 && hop.reach <= g.to_limit(tag)) hit(limit + "missed by the risk alone");
    hit_if(e.rest > 0 && spare < 0 && g.cost(tag) <= g.to_limit(tag) && hop.worst == hop.reach, "rest: the limit counts worst");
    if (e.limit_kind == 3 && spare >= 0) {
      hit_if(g.to_limit(tag) == g.grace() + 1, "limit 3: a tick before GRACE");
      hit_if(g.to_limit(tag) == g.grace(), "limit 3: GRACE to the tick");
      hit_if(g.to_limit(tag) == g.grace() - 1, "limit 3: a tick within GRACE");
    }
    if (e.limit_kind == 2 && spare < 0) {
      hit_if(!g.in_mask(tag), "expired: shut out by the mask");
      if (g.in_mask(tag)) {
        ++expired;
        const bool otherwise = g.active() && g.next_only() && e.continuous() && !g.is_next(tag);
        hit_if(otherwise, "expired: a continuous one, shut out by NEXT_C_ONLY too");
        hit_if(g.active() && g.is_next(tag), "expired: NEXT");
        if (!otherwise && (!g.active() || g.need(tag) <= g.left())) {
          ++expired_candidates;
          lowest_expired = std::min(g.key(tag), lowest_expired.value_or(g.key(tag)));
        }
      }
    }
    if (g.goes_first(tag)) {
      hit_if(!g.competes(tag), "limit: one that goes first does not compete");
      hit_if(g.competes(tag) && g.active() && g.need(tag) > g.left(), "limit: one that goes first is refused");
    }
  }
  hit_if(expired == 1, "expired: one");
  hit_if(expired > 1, "expired: several");
  hit_if(decision.expired && *decision.expired == 0, "expired: tag 0");
  hit_if(expired > 0 && competing == 0 && !decision.valid, "expired: all, nothing picked");
  hit_if(expired > 0 && competing == 0 && decision.forced, "expired: all, forced");
  const auto& candidates = decision.candidates;
  if (candidates.empty()) return;
  const unsigned first = candidates.front();
  hit_if(lowest_expired && *lowest_expired < g.key(first) && !g.goes_first(first), "expired: had the lowest key");
  if (!g.goes_first(first)) return;
  hit_if(g.entries()[first].limit_kind == 1, "limit 1: goes first");
  hit_if(g.entries()[first].limit_kind == 3, "limit 3: goes first");
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const bool both = g.goes_first(candidates[i]);
    hit_if(!both && g.key(candidates[i]) < g.key(first), "limit: goes before a lower key");
    hit_if(both && g.key(candidates[i]) > g.key(first), "limit: of two that go first the lower key");
    hit_if(both && g.key(candidates[i]) == g.key(first), "limit: of two that go first the older");
  }
}

void SchedBench::cover_zero_latency(unsigned tag) {
  const Golden& g = *golden_;
  const std::int64_t rest = g.entries()[tag].rest;
  const Golden::Hop hop = g.hop_from_head(tag);
  if (rest == 0) {
    hit_if(rest_percent_ > 0, "rest: none while another has one");
    return;
  }
  hit_if(hop.wait == rest - 1, "rest: wait one below E_REST");
  hit_if(hop.wait == rest, g.rest_cost() ? "rest: wait of E_REST, REST_COST" : "rest: wait of E_REST, no REST_COST");
  hit_if(hop.wait == rest + 1, "rest: wait one above E_REST");
  hit_if(hop.late, "rest: late does not count");
  hit_if(hop.risky && hop.cost != hop.reach, "rest: risk does not count");
  const bool middle = hop.wait >= rest;
  hit_if(hop.arrival + (middle ? (g.rest_cost() ? rest : 0) : hop.wait) > parameters_.time_limit(), "rest: cost clamps");
  const bool competes = g.competes(tag);
  hit_if(competes && g.active() && g.need(tag) > g.left() && g.need(tag) - hop.worst + g.cost(tag) <= g.left(),
         "rest: worst refuses what cost does not");
  hit_if(middle && g.decision().valid && !g.decision().forced && g.decision().tag == tag, "rest: picked in the middle");
}

void SchedBench::cover_look_ahead() {
  const Golden& g = *golden_;
  const Golden::Decision& decision = g.decision();
  using End = Golden::AheadEnd;
  hit_if(g.depth() > 0 && g.most() == 0, "ahead: DEPTH without MOST");
  hit_if(g.depth() == 0 && g.most() > 0, "ahead: MOST without DEPTH");
  if (!g.looks_ahead()) return;
  const auto& examined = decision.examined;
  hit("ahead: DEPTH " + (g.depth() < 5 ? std::to_string(g.depth()) : "5 or more"));
  hit_if(decision.candidates.size() == 1, "ahead: one candidate");
  hit_if(!decision.valid, "ahead: no candidate, nothing");
  hit_if(decision.forced, "ahead: no candidate, forced");
  hit_if(decision.refused > 0, "ahead: refused some");
  if (examined.empty()) return;
  hit_if(decision.end == End::Most, "ahead: ends by MOST");
  hit_if(decision.end == End::NoFurther, "ahead: ends without further");
  hit_if(decision.end == End::Key, "ahead: ends by key");
  hit_if(decision.end == End::Due, "ahead: ends by what goes first");
  hit_if(g.most() == static_cast<std::int64_t>(decision.candidates.size()) && decision.end == End::Most,
         "ahead: MOST is the number of candidates");
  hit_if(g.most() + 1 == static_cast<std::int64_t>(decision.candidates.size()) && decision.end == End::Most,
         "ahead: MOST is one less than the candidates");
  if (decision.end == End::Key)
    hit_if(g.key(decision.candidates[examined.size()]) == decision.key, "ahead: next key is the best total");
  hit("ahead: examined " + (examined.size() < 4 ? std::to_string(examined.size()) : "4 or more"));
  hit_if(decision.tag == examined.front().tag, "ahead: the first picked");
  hit_if(decision.tag != examined.front().tag, "ahead: a later one picked");
  hit_if(decision.key < 0, "ahead: total below zero");
  hit_if(g.age_scale() > 0, "ahead: with weighted ages");
  const auto firsts = std::count_if(examined.begin(), examined.end(), [&](const auto& one) { return g.goes_first(one.tag); });
  hit_if(firsts > 1, "ahead: several that go first");
  std::optional<std::int64_t> best;
  for (const Golden::Examined& one : examined) {
    if (best) {
      hit_if(g.key(one.tag) == *best - 1, "ahead: next key is one tick below the best total");
      hit_if(one.total == *best, "ahead: equal totals");
    }
    best = best ? std::min(*best, one.total) : one.total;
    hit_if(one.tie_by_age, "ahead: tie by age");
    hit_if(one.tie_by_tag, "ahead: tie by tag");
    hit_if(one.total > std::int64_t{1} << (parameters_.time_w() + 1), "ahead: total above what a key holds");
    if (one.searches > one.taken.size()) hit("ahead: no entry left for access " + std::to_string(one.searches));
    unsigned from = one.tag;
    for (std::size_t i = 0; i < one.taken.size(); ++i) {
      const unsigned to = one.taken[i];
      const Golden::Hop hop = g.hop_ahead(from, to);
      hit_if((hop.cost * g.share(static_cast<unsigned>(i)) & 0xFF) > 0x80, "ahead: share rounds down");
      hit_if(hop.cost > parameters_.time_limit(), "ahead: cost above the clamp");
      hit_if(hop.arrival_above, "ahead: arrival clamps");
      hit_if(g.hop_between(from, to).cost != hop.cost, "ahead: DELAY would change it");
      hit_if(g.competes(to) && g.active() && g.need(to) > g.left(), "ahead: refused by the guard, taken as an access");
      hit_if(g.expired(to), "ahead: expired, taken as an access");
      hit_if(!g.competes(to) && !g.expired(to), "ahead: shut out by NEXT_C_ONLY, taken as an access");
      hit_if(g.entries()[to].rest > 0, "ahead: an access with E_REST");
      for (const unsigned other : g.list()) {
        hit_if(!g.in_mask(other) && g.hop_ahead(from, other).cost < hop.cost, "ahead: masked, the access would be another");
      }
      from = to;
    }
    hit_if(g.masks() && one.taken.empty() && g.occupancy() > 1, "ahead: through a masked table of one");
  }
}

void SchedBench::cover_cluster() {
  const Golden& g = *golden_;
  const Golden::Collection& found = g.collection();
  const Golden::ClusterSetting& setting = g.cluster_setting();
  const auto& entries = g.entries();
  const auto c = static_cast<unsigned>(found.tags.size());
  masked_by_cluster_ = c > 0;
  running_ = g.ordered() ? "cluster, ordered" : "cluster";
  hit_if(g.occupancy() == 0, "cluster: empty table");
  if (g.occupancy() == 0) return;
  hit_if(c == 0, "cluster: nothing collected");
  hit_if(found.before == g.occupancy(), "cluster: everything before FROM");
  hit_if(found.before > 0 && c > 0, "cluster: some before FROM");
  hit_if(found.not_taken > 0 && c > 0, "cluster: another class passed over");
  hit_if(!setting.take_c && !setting.take_d, "cluster: no class taken");
  hit_if(found.end == Golden::End::StopAtC, "cluster: ends at a continuous entry");
  hit_if(found.end == Golden::End::StopAtC && found.looked_at == 1, "cluster: ends at once at a continuous entry");
  hit_if(found.end == Golden::End::Span, "cluster: ends by span");
  hit_if(found.end == Golden::End::Max, "cluster: ends by number");
  hit_if(found.end == Golden::End::List, "cluster: ends with the list");
  hit_if(setting.max == 0 && c > 0, "cluster: no limit");
  hit_if(c == g.occupancy() && c > 1, "cluster: of all");
  hit_if(c > 0, setting.down ? "cluster: downward" : "cluster: upward");
  if (c > 0) {
    const auto distance = [&](unsigned tag) { return std::abs(entries[tag].cyl - entries[found.tags.front()].cyl); };
    hit_if(setting.span > 0 && distance(found.tags.back()) == setting.span, "cluster: span met exactly");
    if (found.end == Golden::End::Span) {
      const auto& list = g.list();
      const unsigned at = setting.down ? list[list.size() - found.looked_at] : list[found.looked_at - 1];
      hit_if(distance(at) == setting.span + 1, "cluster: span exceeded by one cylinder");
    }
    const auto continuous =
        std::count_if(found.tags.begin(), found.tags.end(), [&](unsigned tag) { return entries[tag].continuous(); });
    hit_if(continuous > 0 && continuous < c, "cluster: of both classes");
    hit("cluster: of " + (c <= std::max(parameters_.order_m, 4U) ? std::to_string(c) : "more"));
  }
  hit_if(setting.order && c > parameters_.order_m, "order: more collected than are ordered");
  if (!g.ordered()) return;
  hit("order: of " + std::to_string(c));
  if (g.order().tie) hit("order: tie among " + std::to_string(c));
  for (std::size_t i = 0; i < c; ++i) {
    for (std::size_t j = 0; j < c; ++j) {
      if (i != j) cover_hop(g.hop_between(found.tags[i], found.tags[j]), "order");
    }
  }
}

}  // namespace platter::testing
