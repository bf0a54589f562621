// SPDX-License-Identifier: Apache-2.0
//
// Replays accesses on a netlist and counts how often each of its nets changes. With the delay zero gates are evaluated once in a clock edge,
// in the order of their levels, where an input has changed: there are no glitches. With the delay unit each takes one step.
//
//   replay zero|unit NETLIST ACCESSES CYCLE_PS FROM TO OUT [FROM TO OUT ...]
//
// NETLIST: lines of power.py's Netlist.simulation. ACCESSES: lines of tb/rtl/accesses_main.cpp. FROM, TO: a window in cycles; OUT gets of it
// the cycles and those of them in which it rests, and a line a net: its changes, and those of them while it rests. Of a gap between accesses
// two blocks of 256 cycles are simulated. They must have the same changes of each net, but for a counter that counts on;
// those of the rest of the gap are added in proportion.
// Fails if an answer is not the recorded one.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using Net = std::uint32_t;
using Nets = std::vector<Net>;

[[noreturn]] void stop(const std::string& why, int code = 1) {
  std::cerr << "replay: " << why << "\n";
  std::exit(code);
}

/// A gate, a latch (while `clock` is high its output is its input) or a read port of a memory.
struct Node {
  enum class Kind { Gate, Latch, Read } kind;
  std::uint32_t level;
  std::uint32_t table;  // of a gate: bit i is its output for the inputs i; of a read port: the memory
  Nets inputs, outputs;
};

struct FlipFlop {
  Net output, data;
};

struct Memory {
  std::uint32_t width;
  std::vector<std::vector<std::uint8_t>> rows;
  std::vector<std::uint32_t> readers;  // nodes
};

struct WritePort {
  std::uint32_t memory;
  Nets enables, data, address;
};

class Netlist {
 public:
  Netlist(const char* file, bool unit_delay) : unit_delay_(unit_delay) {
    std::ifstream in(file);
    if (!in) stop(std::string("no file ") + file, 2);
    std::string line, kind;
    while (std::getline(in, line)) {
      std::istringstream words(line);
      words >> kind;
      if (kind == "nets") {
        std::size_t nets = 0;
        words >> nets;
        value_.assign(nets, 0);
        count.assign(nets, 0);
        users_.resize(nets);
        flops_of_.resize(nets);
        writes_of_.resize(nets);
      } else if (kind == "gate" || kind == "latch") {
        Node node{kind == "gate" ? Node::Kind::Gate : Node::Kind::Latch, 0, 0, {}, {0}};
        words >> node.level >> node.table >> node.outputs[0];
        node.inputs = rest(words);
        add(std::move(node));
      } else if (kind == "flop") {
        FlipFlop flop{};
        Net clock = 0;
        words >> flop.output >> flop.data >> clock;
        flops_of_.at(clock).push_back(flop);
      } else if (kind == "memory") {
        Memory memory{};
        std::size_t size = 0;
        words >> memory.width >> size;
        memory.rows.assign(size, std::vector<std::uint8_t>(memory.width, 0));
        memories_.push_back(std::move(memory));
      } else if (kind == "read") {
        Node node{Node::Kind::Read, 0, static_cast<std::uint32_t>(memories_.size() - 1), {}, {}};
        words >> node.level;
        node.outputs = some(words, memories_.back().width);
        node.inputs = rest(words);
        memories_.back().readers.push_back(static_cast<std::uint32_t>(nodes_.size()));
        add(std::move(node));
      } else if (kind == "write") {
        WritePort port{static_cast<std::uint32_t>(memories_.size() - 1), {}, {}, {}};
        Net clock = 0;
        words >> clock;
        port.enables = some(words, memories_.back().width);
        port.data = some(words, memories_.back().width);
        port.address = rest(words);
        writes_of_.at(clock).push_back(std::move(port));
      } else if (kind == "port") {
        std::string name;
        words >> name;
        ports_[name] = rest(words);
      } else {
        stop("no kind of line: " + kind, 2);
      }
    }
    if (value_.size() < 2) stop("there are no nets", 2);
    value_[1] = 1;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) schedule(i);
    settle();
    for (auto& number : count) number = 0;
  }

  const Nets& port(const std::string& name) const {
    const auto found = ports_.find(name);
    if (found == ports_.end()) stop("the netlist has no port " + name);
    return found->second;
  }
  std::uint32_t get(const Nets& bits) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) value |= std::uint32_t{value_[bits[i]]} << i;
    return value;
  }
  void set(const Nets& bits, std::uint32_t value) {
    for (std::size_t i = 0; i < bits.size(); ++i) change(bits[i], (value >> i) & 1);
  }

  /// Everything that follows from changed inputs: first the clocks that rise, then what they clock.
  void settle() {
    propagate();
    if (rising_.empty()) return;
    std::vector<std::pair<Net, std::uint8_t>> sampled;
    for (const Net clock : rising_) {
      for (const FlipFlop& flop : flops_of_[clock]) sampled.emplace_back(flop.output, value_[flop.data]);
      for (const WritePort& port : writes_of_[clock]) pending_.push_back(&port);
    }
    rising_.clear();
    for (const WritePort* port : pending_) write(*port);
    pending_.clear();
    for (const auto& [net, value] : sampled) change(net, value);
    propagate();
    if (!rising_.empty()) stop("a clock rises behind a flip-flop");
  }

  std::vector<std::uint64_t> count;  ///< changes of each net

 private:
  static Nets some(std::istringstream& words, std::size_t number) {
    Nets nets(number);
    for (Net& net : nets) words >> net;
    return nets;
  }
  static Nets rest(std::istringstream& words) {
    Nets nets;
    for (Net net = 0; words >> net;) nets.push_back(net);
    return nets;
  }

  void add(Node node) {
    for (const Net net : node.inputs) users_.at(net).push_back(static_cast<std::uint32_t>(nodes_.size()));
    if (buckets_.size() <= node.level) buckets_.resize(node.level + 1);
    nodes_.push_back(std::move(node));
    waits_.push_back(0);
  }
  void schedule(std::uint32_t node) {
    if (waits_[node]) return;
    waits_[node] = 1;
    buckets_[nodes_[node].level].push_back(node);
  }
  void change(Net net, std::uint8_t value) {
    if (value_[net] == value) return;
    value_[net] = value;
    ++count[net];
    for (const std::uint32_t user : users_[net]) schedule(user);
    if (value && (!flops_of_[net].empty() || !writes_of_[net].empty())) rising_.push_back(net);
  }
  void propagate() {
    if (unit_delay_) return propagate_in_steps();
    for (auto& bucket : buckets_) {
      for (std::size_t i = 0; i < bucket.size(); ++i) {
        waits_[bucket[i]] = 0;
        evaluate(nodes_[bucket[i]], [this](Net net, std::uint8_t value) { change(net, value); });
      }
      bucket.clear();
    }
  }
  /// All gates whose inputs changed in a step change their outputs in the next one.
  void propagate_in_steps() {
    std::vector<std::pair<Net, std::uint8_t>> outputs;
    do {
      outputs.clear();
      for (auto& bucket : buckets_) {
        for (const std::uint32_t node : bucket) {
          waits_[node] = 0;
          evaluate(nodes_[node], [&](Net net, std::uint8_t value) { outputs.emplace_back(net, value); });
        }
        bucket.clear();
      }
      for (const auto& [net, value] : outputs) change(net, value);
    } while (!outputs.empty());
  }
  template <typename Give>
  void evaluate(const Node& node, const Give& give) {
    switch (node.kind) {
      case Node::Kind::Gate: give(node.outputs[0], static_cast<std::uint8_t>((node.table >> get(node.inputs)) & 1)); break;
      case Node::Kind::Latch:
        if (value_[node.inputs[1]]) give(node.outputs[0], value_[node.inputs[0]]);
        break;
      case Node::Kind::Read: {
        const std::uint32_t row = get(node.inputs);
        const Memory& memory = memories_[node.table];
        for (std::size_t bit = 0; bit < node.outputs.size(); ++bit)
          give(node.outputs[bit], row < memory.rows.size() ? memory.rows[row][bit] : std::uint8_t{0});
        break;
      }
    }
  }
  void write(const WritePort& port) {
    Memory& memory = memories_[port.memory];
    const std::uint32_t row = get(port.address);
    if (row >= memory.rows.size()) return;
    bool written = false;
    for (std::size_t bit = 0; bit < memory.width; ++bit)
      if (value_[port.enables[bit]]) memory.rows[row][bit] = value_[port.data[bit]], written = true;
    if (!written) return;
    for (const std::uint32_t reader : memory.readers) schedule(reader);
  }

  bool unit_delay_;
  std::vector<std::uint8_t> value_;
  std::vector<std::vector<std::uint32_t>> users_;
  std::vector<std::vector<FlipFlop>> flops_of_;    // by clock
  std::vector<std::vector<WritePort>> writes_of_;  // by clock
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> waits_;
  std::vector<std::vector<std::uint32_t>> buckets_;  // by level
  std::vector<Memory> memories_;
  std::vector<const WritePort*> pending_;
  Nets rising_;
  std::map<std::string, Nets> ports_;
};

struct Access {
  std::uint64_t cycle;
  bool write;
  std::uint32_t address, data;
  bool ok;
};

struct Window {
  std::uint64_t from, to;
  const char* out;
};

class Bench {
 public:
  Bench(const char* netlist, bool unit_delay, std::vector<Window> windows)
      : top_(netlist, unit_delay), windows_(std::move(windows)), rest_(top_.count.size()) {}

  int run(const std::vector<Access>& accesses) {
    top_.set(rst_n_, 0);
    top_.set(bready_, 1);
    top_.set(rready_, 1);
    top_.set(wstrb_, 0xF);
    for (int i = 0; i < 4; ++i) edges();
    top_.set(rst_n_, 1);
    begin_window();
    for (const Access& access : accesses) {
      if (window_ == windows_.size()) break;
      idle_until(access.cycle);
      if (window_ < windows_.size()) perform(access);
    }
    if (window_ < windows_.size()) idle_until(windows_.back().to);
    return good_ ? 0 : 1;
  }

 private:
  static constexpr std::uint64_t kBlock = 256, kTicks = 32;

  void edges() {
    top_.set(clk_, 0);
    top_.settle();
    const bool address = top_.get(awready_), data = top_.get(wready_), read = top_.get(arready_);
    top_.set(clk_, 1);
    top_.settle();
    if (address) top_.set(awvalid_, 0);
    if (data) top_.set(wvalid_, 0);
    if (read) top_.set(arvalid_, 0);
  }

  void cycle() {
    edges();
    ++now_;
    begin_window();
    end_window();
  }

  void begin_window() {
    if (window_ == windows_.size() || now_ != windows_[window_].from) return;
    std::fill(top_.count.begin(), top_.count.end(), 0);
    std::fill(rest_.begin(), rest_.end(), 0);
    rest_cycles_ = 0;
  }

  void end_window() {
    if (window_ == windows_.size() || now_ < windows_[window_].to) return;
    const Window& window = windows_[window_];
    std::ofstream out(window.out);
    out << now_ - window.from << " " << rest_cycles_ << "\n";
    for (std::size_t i = 0; i < rest_.size(); ++i) out << top_.count[i] << " " << rest_[i] << "\n";
    if (!out) stop(std::string("cannot write ") + window.out, 2);
    ++window_;
    begin_window();
  }

  std::vector<std::uint64_t> changes_of_block() {
    std::vector<std::uint64_t> changes = top_.count;
    for (std::uint64_t i = 0; i < kBlock; ++i) edges();
    now_ += kBlock;
    for (std::size_t i = 0; i < changes.size(); ++i) changes[i] = top_.count[i] - changes[i];
    return changes;
  }

  void idle_until(std::uint64_t to) {
    constexpr std::uint64_t kSettle = 8;
    while (now_ < to && window_ < windows_.size()) {
      // Up to the next change of the window.
      const Window& window = windows_[window_];
      const std::uint64_t end = std::min(to, now_ < window.from ? window.from : window.to);
      if (end - now_ <= kSettle + 2 * kBlock) {
        cycle();
        continue;
      }
      const std::uint64_t begin = now_;
      for (std::uint64_t i = 0; i < kSettle; ++i) cycle();
      if (now_ < window.from) {  // what happens there is not counted
        now_ = end - 1;
        cycle();
        continue;
      }
      const std::uint64_t cycles = end - now_;
      const std::vector<std::uint64_t> before = changes_of_block(), last = changes_of_block();
      const std::uint64_t left = end - now_;
      for (std::size_t i = 0; i < last.size(); ++i) {
        if (std::max(last[i], before[i]) > std::min(last[i], before[i]) + kTicks)
          stop("the design does not come to rest after cycle " + std::to_string(begin));
        const std::uint64_t more = left * (before[i] + last[i]) / (2 * kBlock);
        top_.count[i] += more;
        rest_[i] += before[i] + last[i] + more;
      }
      rest_cycles_ += cycles;
      now_ = end;
      begin_window();
      end_window();
    }
  }

  void perform(const Access& access) {
    top_.set(access.write ? awaddr_ : araddr_, access.address);
    top_.set(awvalid_, access.write);
    top_.set(wvalid_, access.write);
    top_.set(arvalid_, !access.write);
    if (access.write) top_.set(wdata_, access.data);
    for (int left = 70000;; --left) {
      const bool answered = top_.get(access.write ? bvalid_ : rvalid_);
      if (answered) {
        const bool ok = top_.get(access.write ? bresp_ : rresp_) == 0;
        const std::uint32_t data = access.write ? access.data : top_.get(rdata_);
        if (good_ && (ok != access.ok || (ok && data != access.data))) {
          std::cerr << "replay: " << (access.write ? "write to" : "read of") << " register " << access.address << " at cycle "
                    << now_ << " answers " << data << (ok ? "" : " with an error") << "; recorded " << access.data
                    << (access.ok ? "" : " with an error") << "\n";
          good_ = false;
        }
      }
      if (window_ == windows_.size()) return;
      cycle();
      if (answered) break;
      if (left == 0) stop("no answer to an access of register " + std::to_string(access.address));
    }
    for (int left = 70000; top_.get(busy_) && left > 0 && window_ < windows_.size(); --left) cycle();
  }

  Netlist top_;
  std::vector<Window> windows_;
  std::vector<std::uint64_t> rest_;  ///< changes while it rests
  std::uint64_t rest_cycles_ = 0;
  std::size_t window_ = 0;
  std::uint64_t now_ = 0;
  bool good_ = true;
  const Nets clk_ = top_.port("clk_i"), rst_n_ = top_.port("rst_ni"), busy_ = top_.port("busy_o");
  const Nets awvalid_ = top_.port("s_axil_awvalid_i"), awready_ = top_.port("s_axil_awready_o"),
             awaddr_ = top_.port("s_axil_awaddr_i");
  const Nets wvalid_ = top_.port("s_axil_wvalid_i"), wready_ = top_.port("s_axil_wready_o"),
             wdata_ = top_.port("s_axil_wdata_i"), wstrb_ = top_.port("s_axil_wstrb_i");
  const Nets bvalid_ = top_.port("s_axil_bvalid_o"), bready_ = top_.port("s_axil_bready_i"),
             bresp_ = top_.port("s_axil_bresp_o");
  const Nets arvalid_ = top_.port("s_axil_arvalid_i"), arready_ = top_.port("s_axil_arready_o"),
             araddr_ = top_.port("s_axil_araddr_i");
  const Nets rvalid_ = top_.port("s_axil_rvalid_o"), rready_ = top_.port("s_axil_rready_i"),
             rdata_ = top_.port("s_axil_rdata_o"), rresp_ = top_.port("s_axil_rresp_o");
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 8 || (argc - 5) % 3 != 0) stop("expected zero|unit NETLIST ACCESSES CYCLE_PS FROM TO OUT ...", 2);
  const std::string delay = argv[1];
  if (delay != "zero" && delay != "unit") stop("found the delay \"" + delay + "\", expected zero or unit", 2);
  const std::uint64_t cycle_ps = std::stoull(argv[4]);
  std::ifstream in(argv[3]);
  if (!in) stop(std::string("no file ") + argv[3], 2);
  std::vector<Access> accesses;
  std::uint64_t time = 0;
  char kind = 0;
  std::uint32_t address = 0, data = 0, cycles = 0;
  int ok = 0;
  while (in >> time >> kind >> address >> data >> ok >> cycles)
    accesses.push_back({time / cycle_ps, kind == 'w', address, data, ok != 0});
  std::vector<Window> windows;
  for (int i = 5; i + 2 < argc; i += 3) windows.push_back({std::stoull(argv[i]), std::stoull(argv[i + 1]), argv[i + 2]});
  return Bench(argv[2], delay == "unit", std::move(windows)).run(accesses);
}
