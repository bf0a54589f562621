// SPDX-License-Identifier: Apache-2.0
//
// Tests of the bridge from TLM-2.0 to AXI4-Lite, with a slave that may be slow on every channel and with the protocol checker connected; and of the
// checker itself: each rule is violated once on purpose, and traffic that the protocol allows must cause no report.
#include "testing.h"

#include <map>

#include "platter/axi/axil_bridge.h"
#include "platter/axi/axil_checker.h"
#include "platter/axi/axil_signals.h"
#include "platter/core/random.h"

namespace platter::testing {
namespace {

using axi::AxilBridge;
using axi::AxilBridgeOptions;
using axi::AxilChecker;
using axi::AxilCheckerOptions;
using axi::AxilSignals;
using axi::Reporting;
using axi::Response;
using axi::ResponseReady;
using core::RandomStream;
using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;

constexpr int kCycleNs = 10;
constexpr std::uint32_t kSlvErrFrom = 0x8000;
constexpr std::uint32_t kDecErrFrom = 0xC000;
using Bytes = std::vector<std::uint8_t>;

/// How often a slave is ready, in percent of the cycles.
struct Manners {
  const char* name = "prompt";
  std::uint64_t aw = 100;
  std::uint64_t w = 100;
  std::uint64_t b = 100;
  std::uint64_t ar = 100;
  std::uint64_t r = 100;
  bool w_after_aw = false;   ///< accepts data only after its address
  bool aw_after_w = false;   ///< accepts an address only after its data
  bool after_valid = false;  ///< READY of the requests is low until VALID is high

  friend std::ostream& operator<<(std::ostream& out, const Manners& m) { return out << m.name; }
};

/// A memory of 64 KB behind AXI4-Lite; the third quarter responds with SLVERR, the last with DECERR.
class SlaveMemory : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(SlaveMemory);
  explicit SlaveMemory(const sc_core::sc_module_name& name)
      : sc_module(name), clk_i("clk_i"), rst_ni("rst_ni"), s_axil("s_axil"), random_(5, "slave") {
    SC_METHOD(edge);
    sensitive << clk_i.pos() << rst_ni.neg();
    dont_initialize();
  }

  sc_core::sc_in<bool> clk_i;
  sc_core::sc_in<bool> rst_ni;
  axi::AxilSlavePorts s_axil;
  Manners manners;
  std::map<std::uint32_t, std::uint32_t> words;
  std::vector<std::uint32_t> addresses;  ///< of all accesses, in order
  std::vector<std::uint32_t> strobes;    ///< of the writes
  std::uint64_t address_first = 0;
  std::uint64_t data_first = 0;
  std::uint64_t together = 0;
  std::uint32_t prot = 0;

 private:
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }
  static Response response(std::uint32_t address) {
    return address >= kDecErrFrom ? Response::DecErr : address >= kSlvErrFrom ? Response::SlvErr : Response::Okay;
  }

  void edge() {
    if (!rst_ni.read()) {
      aw_.clear();
      w_.clear();
      ar_.clear();
      for (auto* pin : {&s_axil.awready, &s_axil.wready, &s_axil.bvalid, &s_axil.arready, &s_axil.rvalid}) pin->write(false);
      return;
    }
    const bool aw_taken = s_axil.awvalid.read() && s_axil.awready.read();
    const bool w_taken = s_axil.wvalid.read() && s_axil.wready.read();
    const bool ar_taken = s_axil.arvalid.read() && s_axil.arready.read();
    if (aw_taken) {
      aw_.push_back(s_axil.awaddr.read());
      prot = s_axil.awprot.read();
    }
    if (w_taken) w_.emplace_back(s_axil.wdata.read(), s_axil.wstrb.read());
    if (ar_taken) ar_.push_back(s_axil.araddr.read());
    if (aw_taken && w_taken && aw_.size() == w_.size())
      ++together;
    else if (aw_taken && aw_.size() > w_.size())
      ++address_first;
    else if (w_taken && w_.size() > aw_.size())
      ++data_first;

    bool bvalid = s_axil.bvalid.read() && !s_axil.bready.read();
    if (!bvalid && !aw_.empty() && !w_.empty() && chance(manners.b)) {
      write(aw_.front(), w_.front().first, w_.front().second);
      s_axil.bresp.write(static_cast<std::uint32_t>(response(aw_.front())));
      aw_.pop_front();
      w_.pop_front();
      bvalid = true;
    }
    s_axil.bvalid.write(bvalid);
    bool rvalid = s_axil.rvalid.read() && !s_axil.rready.read();
    if (!rvalid && !ar_.empty() && chance(manners.r)) {
      addresses.push_back(ar_.front());
      s_axil.rdata.write(words[ar_.front()]);
      s_axil.rresp.write(static_cast<std::uint32_t>(response(ar_.front())));
      ar_.pop_front();
      rvalid = true;
    }
    s_axil.rvalid.write(rvalid);

    const auto ready = [&](std::uint64_t percent, bool valid, bool taken) {
      return (!manners.after_valid || (valid && !taken)) && chance(percent);
    };
    s_axil.awready.write(ready(manners.aw, s_axil.awvalid.read(), aw_taken) && (!manners.aw_after_w || aw_.size() < w_.size()));
    s_axil.wready.write(ready(manners.w, s_axil.wvalid.read(), w_taken) && (!manners.w_after_aw || w_.size() < aw_.size()));
    s_axil.arready.write(ready(manners.ar, s_axil.arvalid.read(), ar_taken));
  }

  void write(std::uint32_t address, std::uint32_t data, std::uint32_t strobe) {
    addresses.push_back(address);
    strobes.push_back(strobe);
    std::uint32_t mask = 0;
    for (unsigned lane = 0; lane < 4; ++lane)
      if ((strobe >> lane & 1) != 0) mask |= 0xFFu << (8 * lane);
    if (response(address) == Response::Okay) words[address] = (words[address] & ~mask) | (data & mask);
  }

  RandomStream random_;
  std::deque<std::uint32_t> aw_;
  std::deque<std::pair<std::uint32_t, std::uint32_t>> w_;
  std::deque<std::uint32_t> ar_;
};

/// The initiator; any thread may call its accesses.
class Host : public sc_core::sc_module {
 public:
  explicit Host(const sc_core::sc_module_name& name) : sc_module(name), bus_init_socket("bus_init_socket") {
    bus_init_socket.register_nb_transport_bw(this, &Host::nb_transport_bw);
  }

  tlm_utils::simple_initiator_socket<Host> bus_init_socket;

  tlm::tlm_response_status transport(tlm::tlm_generic_payload& payload, sc_time delay = SC_ZERO_TIME) {
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    bus_init_socket->b_transport(payload, delay);
    EXPECT_EQ(delay, SC_ZERO_TIME);
    return payload.get_response_status();
  }
  tlm::tlm_response_status access(bool write, std::uint64_t address, Bytes& data, Bytes* enables = nullptr,
                                  unsigned width = 0) {
    tlm::tlm_generic_payload payload;
    fill(payload, write, address, data);
    if (width != 0) payload.set_streaming_width(width);
    if (enables != nullptr) {
      payload.set_byte_enable_ptr(enables->data());
      payload.set_byte_enable_length(static_cast<unsigned>(enables->size()));
    }
    return transport(payload);
  }
  static void fill(tlm::tlm_generic_payload& payload, bool write, std::uint64_t address, Bytes& data) {
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    payload.set_byte_enable_ptr(nullptr);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  tlm::tlm_response_status write(std::uint64_t address, std::uint32_t word) {
    Bytes data = bytes(word);
    return access(true, address, data);
  }
  tlm::tlm_response_status read(std::uint64_t address, std::uint32_t& word) {
    Bytes data(4);
    const tlm::tlm_response_status status = access(false, address, data);
    word = data[0] | static_cast<std::uint32_t>(data[1]) << 8 | static_cast<std::uint32_t>(data[2]) << 16 |
           static_cast<std::uint32_t>(data[3]) << 24;
    return status;
  }
  std::uint32_t read(std::uint64_t address) {
    std::uint32_t word = 0;
    EXPECT_EQ(read(address, word), tlm::TLM_OK_RESPONSE) << address;
    return word;
  }
  static Bytes bytes(std::uint32_t word) {
    Bytes data;
    for (unsigned lane = 0; lane < 4; ++lane) data.push_back(static_cast<std::uint8_t>(word >> (8 * lane)));
    return data;
  }

  sc_core::sc_event responded;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& /*payload*/, tlm::tlm_phase& phase, sc_time& /*delay*/) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    responded.notify(SC_ZERO_TIME);
    return tlm::TLM_COMPLETED;
  }
};

/// Initiator, bridge, slave and checker; rising edges at 10, 20, 30 ns and so on.
class Bus {
 public:
  explicit Bus(const AxilBridgeOptions& options = {}, const Manners& manners = {})
      : bridge("bridge", options), checker("checker", AxilCheckerOptions{Reporting::Collect, 0, 1000}) {
    host.bus_init_socket.bind(bridge.bus_tgt_socket);
    bridge.clk_i(clk);
    bridge.rst_ni(rst_n);
    bridge.m_axil.bind(axil);
    slave.clk_i(clk);
    slave.rst_ni(rst_n);
    slave.s_axil.bind(axil);
    checker.clk_i(clk);
    checker.rst_ni(rst_n);
    checker.s_axil.bind(axil);
    slave.manners = manners;
    spawn([this] {
      pause(5);
      release_at(25);
    });
    finish();
  }
  ~Bus() {
    for (const AxilChecker::Violation& v : checker.violations())
      ADD_FAILURE() << v.time.to_string() << " " << v.rule << ": " << v.text;
  }

  static void pause(int ns) { sc_core::wait(sc_time(ns, SC_NS)); }
  static void cycles(int n) { pause(n * kCycleNs); }
  static std::uint64_t now_cycle() { return static_cast<std::uint64_t>(core::now_ps() / 1000 / kCycleNs); }
  void release_at(int ns) {
    sc_core::wait(sc_time(ns, SC_NS) - sc_core::sc_time_stamp());
    rst_n.write(true);
  }
  sc_core::sc_process_handle spawn(std::function<void()> body) {
    ++running_;
    return sc_core::sc_spawn([this, body = std::move(body)] {
      body();
      --running_;
    });
  }
  /// Simulates until every thread has ended; one that hangs is a failure.
  void finish() {
    for (int us = 0; running_ != 0; ++us) {
      ASSERT_LT(us, 20'000) << "an access hangs";
      sc_core::sc_start(sc_time(1, sc_core::SC_US));
    }
  }
  void run(std::function<void()> body) {
    spawn(std::move(body));
    finish();
  }
  /// A thread that was killed.
  void gone() { --running_; }

  sc_core::sc_clock clk{"clk", sc_time(kCycleNs, SC_NS), 0.5, sc_time(kCycleNs, SC_NS)};
  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> rst_n{"rst_n"};
  AxilSignals<16> axil{"axil"};
  Host host{"host"};
  AxilBridge bridge;
  SlaveMemory slave{"slave"};
  AxilChecker checker;

 private:
  int running_ = 0;
};

// --- the bridge: data and time -----------------------------------------------------------------------------------------

TEST(AxilBridgeTest, AnAccessToAPromptSlaveTakesTwoCycles) {
  Bus bus;
  bus.run([&] {
    bus.pause(5);  // between two edges
    const std::uint64_t start = bus.now_cycle() + 1;
    EXPECT_EQ(bus.host.write(0x10, 0xCAFE'F00D), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bus.now_cycle(), start + 2);
    bus.pause(5);
    EXPECT_EQ(bus.host.read(0x10), 0xCAFE'F00Du);
    EXPECT_EQ(bus.now_cycle(), start + 5) << "starts at the next edge";
    Bytes burst(40);
    bus.pause(5);
    EXPECT_EQ(bus.host.access(false, 0, burst), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bus.now_cycle(), start + 6 + 20) << "the words of an access follow each other without a gap";
    EXPECT_EQ(sc_core::sc_time_stamp() % sc_time(kCycleNs, SC_NS), SC_ZERO_TIME);
  });
  EXPECT_EQ(bus.checker.writes(), 1u);
  EXPECT_EQ(bus.checker.reads(), 11u);
  EXPECT_EQ(bus.bridge.writes(), 1u);
  EXPECT_EQ(bus.bridge.reads(), 11u);
}

TEST(AxilBridgeTest, ReadyAfterValidTakesOneCycleMore) {
  AxilBridgeOptions options;
  options.response_ready = ResponseReady::AfterValid;
  options.prot = 2;
  Bus bus(options);
  bus.run([&] {
    bus.pause(5);
    const std::uint64_t start = bus.now_cycle() + 1;
    EXPECT_EQ(bus.host.write(0x10, 1), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bus.now_cycle(), start + 3);
    EXPECT_EQ(bus.host.read(0x10), 1u);
  });
  EXPECT_EQ(bus.slave.prot, 2u);
}

TEST(AxilBridgeTest, AnnotatedDelayPassesFirst) {
  Bus bus;
  bus.run([&] {
    Bytes data(4);
    tlm::tlm_generic_payload payload;
    Host::fill(payload, false, 0, data);
    const sc_time start = sc_core::sc_time_stamp();
    EXPECT_EQ(bus.host.transport(payload, sc_time(1003, SC_NS)), tlm::TLM_OK_RESPONSE);
    EXPECT_GT(sc_core::sc_time_stamp(), start + sc_time(1003, SC_NS));
    EXPECT_LT(sc_core::sc_time_stamp(), start + sc_time(1003 + 4 * kCycleNs, SC_NS));
  });
}

class AxilBridgeUnder : public ::testing::TestWithParam<Manners> {};

TEST_P(AxilBridgeUnder, RandomAccessesAreAllRight) {
  AxilBridgeOptions options;
  options.response_ready = GetParam().b % 2 == 0 ? ResponseReady::Early : ResponseReady::AfterValid;
  Bus bus(options, GetParam());
  Bytes expected(0x400);
  bus.run([&] {
    RandomStream random(7, "accesses");
    for (std::uint32_t i = 0; i < scaled(3'000); ++i) {
      const bool write = random.below(2) == 0;
      const std::size_t length = 4 * (1 + random.below(random.below(4) == 0 ? 16 : 2));
      const std::size_t address = 4 * random.below((expected.size() - length) / 4 + 1);
      Bytes data(length);
      for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random.bits());
      const Bytes before = data;
      Bytes enables(1 + random.below(9));
      for (std::uint8_t& enable : enables) enable = random.below(3) == 0 ? 0 : 0xFF;
      const bool enabled = random.below(3) == 0;
      ASSERT_EQ(bus.host.access(write, address, data, enabled ? &enables : nullptr), tlm::TLM_OK_RESPONSE);
      for (std::size_t b = 0; b < length; ++b) {
        const bool on = !enabled || enables[b % enables.size()] != 0;
        if (write && on) expected[address + b] = data[b];
        if (!write) {
          ASSERT_EQ(data[b], on ? expected[address + b] : before[b]) << "access " << i << " byte " << b;
        }
      }
      if (random.below(4) == 0) bus.pause(static_cast<int>(random.below(100)));
    }
  });
  for (std::size_t b = 0; b < expected.size(); ++b)
    ASSERT_EQ(bus.slave.words[static_cast<std::uint32_t>(b & ~3ull)] >> (8 * (b % 4)) & 0xFF, expected[b]) << b;
  EXPECT_EQ(bus.checker.outstanding_reads() + bus.checker.outstanding_writes(), 0u);
  EXPECT_EQ(bus.checker.most_outstanding_reads(), 1u);
  EXPECT_EQ(bus.checker.most_outstanding_writes(), 1u);
  EXPECT_EQ(bus.checker.reads() + bus.checker.writes(), bus.slave.addresses.size());
  const Manners& m = GetParam();
  if (m.aw_after_w) {
    EXPECT_EQ(bus.slave.address_first + bus.slave.together, 0u);
  } else if (m.w_after_aw) {
    EXPECT_EQ(bus.slave.data_first + bus.slave.together, 0u);
  } else if (m.aw != 100) {
    EXPECT_GT(bus.slave.address_first, 0u);
    EXPECT_GT(bus.slave.data_first, 0u);
    EXPECT_GT(bus.slave.together, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Slaves, AxilBridgeUnder,
                         ::testing::Values(Manners{}, Manners{"half", 50, 50, 50, 50, 50}, Manners{"slow", 10, 15, 21, 10, 20},
                                           Manners{"slow_address", 10, 90, 95, 10, 90},
                                           Manners{"slow_data", 90, 10, 95, 90, 20},
                                           Manners{"data_after_address", 70, 70, 70, 70, 70, true},
                                           Manners{"address_after_data", 70, 70, 70, 70, 70, false, true},
                                           Manners{"after_valid", 60, 60, 60, 60, 60, false, false, true}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(AxilBridgeTest, ByteEnablesBecomeStrobesAndDisabledWordsAreLeftOut) {
  Bus bus;
  bus.run([&] {
    Bytes data(16, 0xAA);
    Bytes enables = {0xFF, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0xFF, 0xFF, 0xFF, 0xFF};
    EXPECT_EQ(bus.host.access(true, 0x20, data, &enables), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bus.slave.addresses, (std::vector<std::uint32_t>{0x20, 0x28, 0x2C}));
    EXPECT_EQ(bus.slave.strobes, (std::vector<std::uint32_t>{0x9, 0x6, 0xF}));
    Bytes nothing = {0};
    EXPECT_EQ(bus.host.access(true, 0x20, data, &nothing), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bus.slave.addresses.size(), 3u);
    Bytes in(8, 0x11);
    Bytes pattern = {0, 0xFF, 0, 0};  // repeats
    EXPECT_EQ(bus.host.access(false, 0x28, in, &pattern), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(in, (Bytes{0x11, 0xAA, 0x11, 0x11, 0x11, 0xAA, 0x11, 0x11}));
  });
}

TEST(AxilBridgeTest, StreamingAccessesTheSameWordsAgain) {
  Bus bus;
  bus.run([&] {
    Bytes data(20);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i);
    EXPECT_EQ(bus.host.access(true, 0x40, data, nullptr, 8), tlm::TLM_OK_RESPONSE);
  });
  EXPECT_EQ(bus.slave.addresses, (std::vector<std::uint32_t>{0x40, 0x44, 0x40, 0x44, 0x40}));
  EXPECT_EQ(bus.slave.words[0x40], 0x1312'1110u);
  EXPECT_EQ(bus.slave.words[0x44], 0x0F0E'0D0Cu);
}

// --- the bridge: errors ------------------------------------------------------------------------------------------------

TEST(AxilBridgeTest, ErrorResponses) {
  Bus bus;
  bus.run([&] {
    std::uint32_t word = 0;
    EXPECT_EQ(bus.host.write(kSlvErrFrom, 1), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bus.host.read(kSlvErrFrom, word), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bus.host.write(kDecErrFrom, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(bus.host.read(kDecErrFrom, word), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    bus.slave.addresses.clear();
    Bytes burst(16, 0x5A);
    EXPECT_EQ(bus.host.access(true, kSlvErrFrom - 8, burst), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bus.slave.addresses, (std::vector<std::uint32_t>{kSlvErrFrom - 8, kSlvErrFrom - 4, kSlvErrFrom}))
        << "the first error ends the access";
    EXPECT_EQ(bus.host.read(kSlvErrFrom - 4), 0x5A5A'5A5Au);
  });
}

TEST(AxilBridgeTest, BadAccessesNeverReachTheBus) {
  Bus bus;
  bus.run([&] {
    Bytes data(16);
    Bytes bad_enables = {0xFF, 0x01};
    const auto status = [&](const std::function<void(tlm::tlm_generic_payload&)>& change) {
      tlm::tlm_generic_payload payload;
      Host::fill(payload, true, 0x100, data);
      change(payload);
      return bus.host.transport(payload);
    };
    EXPECT_EQ(status([](auto& p) { p.set_command(tlm::TLM_IGNORE_COMMAND); }), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& p) { p.set_data_length(6); }), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& p) { p.set_data_length(0); }), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& p) { p.set_streaming_width(0); }), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& p) { p.set_streaming_width(6); }), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& p) { p.set_address(0x102); }), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& p) { p.set_address(0xFFF4); }), tlm::TLM_ADDRESS_ERROR_RESPONSE) << "leaves 16 bits";
    EXPECT_EQ(status([](auto& p) { p.set_address(~std::uint64_t{3}); }), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(status([](auto& p) { p.set_data_ptr(nullptr); }), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(status([&](auto& p) {
                p.set_byte_enable_ptr(bad_enables.data());
                p.set_byte_enable_length(2);
              }),
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_EQ(status([&](auto& p) {
                p.set_byte_enable_ptr(bad_enables.data());
                p.set_byte_enable_length(0);
              }),
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    EXPECT_TRUE(bus.slave.addresses.empty());
    EXPECT_EQ(status([](auto& p) { p.set_address(0xFFF0); }), tlm::TLM_ADDRESS_ERROR_RESPONSE) << "the slave's DECERR";
    EXPECT_EQ(bus.slave.addresses.size(), 1u);
  });
}

TEST(AxilBridgeTest, NoDebugTransportAndNoDmi) {
  Bus bus;
  Bytes data(4);
  tlm::tlm_generic_payload payload;
  Host::fill(payload, false, 0, data);
  EXPECT_EQ(bus.host.bus_init_socket->transport_dbg(payload), 0u);
  tlm::tlm_dmi dmi;
  EXPECT_FALSE(bus.host.bus_init_socket->get_direct_mem_ptr(payload, dmi));
}

TEST(AxilBridgeTest, NonBlockingTransport) {
  Bus bus;
  bus.run([&] {
    struct : tlm::tlm_mm_interface {
      void free(tlm::tlm_generic_payload* /*payload*/) override {}
    } keeper;
    Bytes data = Host::bytes(0x1234'5678);
    tlm::tlm_generic_payload payload(&keeper);
    for (const bool write : {true, false}) {
      if (!write) data.assign(4, 0);
      Host::fill(payload, write, 0x30, data);
      payload.acquire();
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_time delay = SC_ZERO_TIME;
      EXPECT_NE(bus.host.bus_init_socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
      sc_core::wait(bus.host.responded);
      EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
      bus.cycles(1);
      payload.release();
    }
    EXPECT_EQ(data, Host::bytes(0x1234'5678));
  });
}

// --- the bridge: several initiators, reset, timeout --------------------------------------------------------------------

TEST(AxilBridgeTest, InitiatorsAreServedInTheOrderInWhichTheyCame) {
  Bus bus({}, Manners{"half", 50, 50, 50, 50, 50});
  std::vector<int> asked;
  std::vector<int> served;
  for (int i = 0; i < 6; ++i)
    bus.spawn([&, i] {
      RandomStream random(static_cast<std::uint64_t>(i), "initiator");
      for (std::uint32_t n = 0; n < scaled(200); ++n) {
        const std::uint64_t address = 0x100u * static_cast<unsigned>(i) + 4 * random.below(16);
        const auto value = static_cast<std::uint32_t>(random.bits());
        for (const bool write : {true, false}) {
          Bytes data = Host::bytes(write ? value : 0);
          asked.push_back(i);
          EXPECT_EQ(bus.host.access(write, address, data), tlm::TLM_OK_RESPONSE);
          served.push_back(i);
          EXPECT_EQ(data, Host::bytes(value));
        }
        if (random.below(3) == 0) bus.pause(static_cast<int>(random.below(300)));
      }
    });
  bus.finish();
  EXPECT_EQ(asked, served);
  EXPECT_EQ(served.size(), 6u * 2u * scaled(200));
}

TEST(AxilBridgeTest, ResetEndsAccessesWithAnError) {
  Bus bus({}, Manners{"half", 40, 40, 40, 40, 40});
  RandomStream random(3, "reset");
  std::uint64_t ended = 0;
  std::uint64_t survived = 0;
  for (std::uint32_t round = 0; round < scaled(400); ++round) {
    int over = 0;
    for (int i = 0; i < 3; ++i)
      bus.spawn([&, i] {
        Bytes data(8, 1);
        const tlm::tlm_response_status status = bus.host.access((round + static_cast<unsigned>(i)) % 2 == 0, 0x40, data);
        EXPECT_TRUE(status == tlm::TLM_OK_RESPONSE || status == tlm::TLM_GENERIC_ERROR_RESPONSE);
        ++(status == tlm::TLM_OK_RESPONSE ? survived : ended);
        ++over;
      });
    bus.spawn([&] {
      bus.pause(1 + static_cast<int>(random.below(250)));
      bus.rst_n.write(false);
      sc_core::wait(SC_ZERO_TIME);
      sc_core::wait(SC_ZERO_TIME);
      sc_core::wait(SC_ZERO_TIME);
      EXPECT_EQ(over, 3) << "at once, without a clock";
      EXPECT_FALSE(bus.axil.awvalid.read() || bus.axil.wvalid.read() || bus.axil.arvalid.read());
      bus.pause(static_cast<int>(random.below(40)));
      sc_core::wait(bus.clk.negedge_event());
      bus.rst_n.write(true);
    });
    bus.finish();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(ended, scaled(200));
  EXPECT_GT(survived, scaled(100));
  bus.run([&] {
    EXPECT_EQ(bus.host.write(0x40, 77), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bus.host.read(0x40), 77u);
  });
}

TEST(AxilBridgeTest, AnAccessDuringResetWaitsForItsEnd) {
  Bus bus;
  bus.spawn([&] {
    bus.rst_n.write(false);
    bus.pause(500);
    sc_core::wait(bus.clk.negedge_event());
    bus.rst_n.write(true);
  });
  bus.run([&] {
    bus.pause(100);
    const std::uint64_t start = bus.now_cycle();
    EXPECT_EQ(bus.host.write(0, 5), tlm::TLM_OK_RESPONSE);
    EXPECT_GT(bus.now_cycle(), start + 39);
    EXPECT_EQ(bus.host.read(0), 5u);
  });
}

class AxilBridgeStuck : public ::testing::TestWithParam<Manners> {};

TEST_P(AxilBridgeStuck, TimesOutAndGoesOnWhenTheSlaveDoes) {
  AxilBridgeOptions options;
  options.timeout_cycles = 50;
  Bus bus(options);
  const bool write = GetParam().ar != 0 && GetParam().r != 0;
  bus.run([&] {
    EXPECT_EQ(bus.host.write(0x20, 20), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bus.host.write(0x24, 24), tlm::TLM_OK_RESPONSE);
    bus.slave.manners = GetParam();
    bus.cycles(2);
    bus.pause(5);
    const std::uint64_t start = bus.now_cycle() + 1;
    Bytes data = Host::bytes(99);
    EXPECT_EQ(bus.host.access(write, 0x20, data), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bus.now_cycle(), start + 50);
    EXPECT_EQ(bus.bridge.timeouts(), 1u);
    // The bus is still occupied, so the next access ends in the same way.
    std::uint32_t word = 0;
    EXPECT_EQ(bus.host.read(0x24, word), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(bus.bridge.timeouts(), 2u);
    // The late response is not taken for that of another access.
    bus.slave.manners = {};
    EXPECT_EQ(bus.host.read(0x24), 24u);
    EXPECT_EQ(bus.host.read(0x20), write ? 99u : 20u);
  });
  EXPECT_EQ(bus.bridge.timeouts(), 2u);
  EXPECT_EQ(bus.checker.outstanding_reads() + bus.checker.outstanding_writes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Slaves, AxilBridgeStuck,
                         ::testing::Values(Manners{"no_awready", 0}, Manners{"no_wready", 100, 0},
                                           Manners{"no_bvalid", 100, 100, 0}, Manners{"no_arready", 100, 100, 100, 0},
                                           Manners{"no_rvalid", 100, 100, 100, 100, 0}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(AxilBridgeTest, TimeoutDuringResetAndBetweenWords) {
  AxilBridgeOptions options;
  options.timeout_cycles = 3;
  Bus bus(options);
  bus.run([&] {
    Bytes burst(64);
    EXPECT_EQ(bus.host.access(false, 0, burst), tlm::TLM_OK_RESPONSE) << "the time is that of one word";
    bus.rst_n.write(false);
    bus.cycles(2);
    std::uint32_t word = 0;
    EXPECT_EQ(bus.host.read(0, word), tlm::TLM_GENERIC_ERROR_RESPONSE) << "a reset that does not end";
  });
}

TEST(AxilBridgeTest, AnInitiatorThatIsKilledLeavesNothingBehind) {
  Bus bus({}, Manners{"slow", 10, 10, 10, 10, 10});
  RandomStream random(4, "kill");
  for (std::uint32_t round = 0; round < scaled(100); ++round) {
    Bytes doomed(8, 0xFF);
    sc_core::sc_process_handle victim = bus.spawn([&] {
      bus.host.access(false, 0x40, doomed);
      bus.pause(1'000'000);
    });
    bus.spawn([&] {
      bus.pause(static_cast<int>(1 + random.below(300)));
      victim.kill();
      bus.gone();
      doomed.assign(8, 0xEE);
    });
    bus.spawn([&] {
      bus.pause(50);
      EXPECT_EQ(bus.host.write(0x44, round), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bus.host.read(0x44), round);
    });
    bus.finish();
    EXPECT_EQ(doomed, Bytes(8, 0xEE));
    if (::testing::Test::HasFailure()) return;
  }
}

// --- the checker -------------------------------------------------------------------------------------------------------

/// The values of all pins in one cycle.
struct Pins {
  bool rst_n = true;
  bool awvalid = false;
  bool awready = false;
  std::uint32_t awaddr = 0;
  std::uint32_t awprot = 0;
  bool wvalid = false;
  bool wready = false;
  std::uint32_t wdata = 0;
  std::uint32_t wstrb = 0xF;
  bool bvalid = false;
  bool bready = false;
  std::uint32_t bresp = 0;
  bool arvalid = false;
  bool arready = false;
  std::uint32_t araddr = 0;
  std::uint32_t arprot = 0;
  bool rvalid = false;
  bool rready = false;
  std::uint32_t rdata = 0;
  std::uint32_t rresp = 0;
};

/// Cycles of a bus, good or bad. Begins with two cycles of reset and an idle one.
class Sequence {
 public:
  Sequence() {
    add([](Pins& p) { p.rst_n = false; }, 2);
    add([](Pins& /*p*/) {});
  }
  Sequence& add(const std::function<void(Pins&)>& change, int times = 1) {
    for (int i = 0; i < times; ++i) {
      cycles.emplace_back();
      change(cycles.back());
    }
    return *this;
  }
  /// A whole request, accepted at once; the response is still to come.
  Sequence& write() {
    return add([](Pins& p) { p.awvalid = p.awready = p.wvalid = p.wready = true; });
  }
  Sequence& read() {
    return add([](Pins& p) { p.arvalid = p.arready = true; });
  }
  Sequence& b() {
    return add([](Pins& p) { p.bvalid = p.bready = true; });
  }
  Sequence& r() {
    return add([](Pins& p) { p.rvalid = p.rready = true; });
  }
  std::uint64_t size() const { return cycles.size(); }

  std::vector<Pins> cycles;
};

/// Drives both sides of a bus from a list of cycles, one a clock.
class PinDriver : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(PinDriver);
  PinDriver(const sc_core::sc_module_name& name, const AxilCheckerOptions& options, std::vector<Pins> cycles)
      : sc_module(name), checker("checker", options), cycles_(std::move(cycles)) {
    checker.clk_i(clk);
    checker.rst_ni(rst_n);
    checker.s_axil.bind(axil);
    SC_METHOD(drive);  // also at time 0: the first cycle ends with the edge at 10 ns
    sensitive << clk.posedge_event();
  }
  void run() { sc_core::sc_start(sc_time(static_cast<double>(cycles_.size()) * kCycleNs + 5, SC_NS)); }

  sc_core::sc_clock clk{"clk", sc_time(kCycleNs, SC_NS), 0.5, sc_time(kCycleNs, SC_NS)};
  sc_core::sc_signal<bool> rst_n{"rst_n"};
  AxilSignals<16> axil{"axil"};
  AxilChecker checker;

 private:
  void drive() {
    if (next_ == cycles_.size()) return;
    const Pins& p = cycles_[next_++];
    rst_n.write(p.rst_n);
    axil.awvalid.write(p.awvalid);
    axil.awready.write(p.awready);
    axil.awaddr.write(p.awaddr);
    axil.awprot.write(p.awprot);
    axil.wvalid.write(p.wvalid);
    axil.wready.write(p.wready);
    axil.wdata.write(p.wdata);
    axil.wstrb.write(p.wstrb);
    axil.bvalid.write(p.bvalid);
    axil.bready.write(p.bready);
    axil.bresp.write(p.bresp);
    axil.arvalid.write(p.arvalid);
    axil.arready.write(p.arready);
    axil.araddr.write(p.araddr);
    axil.arprot.write(p.arprot);
    axil.rvalid.write(p.rvalid);
    axil.rready.write(p.rready);
    axil.rdata.write(p.rdata);
    axil.rresp.write(p.rresp);
  }

  std::vector<Pins> cycles_;
  std::size_t next_ = 0;
};

constexpr AxilCheckerOptions kQuiet{Reporting::Collect, 0, 1000};

TEST(AxilCheckerTest, WhatTheProtocolAllowsPasses) {
  Sequence s;
  s.write().b().read().r();
  // Requests wait, stay stable, and are accepted in any order.
  s.add([](Pins& p) { p.awvalid = true, p.awaddr = 0xFFFC, p.awprot = 7; }, 3);
  s.add([](Pins& p) { p.awvalid = p.awready = true, p.awaddr = 0xFFFC, p.awprot = 7; });
  s.add([](Pins& p) { p.wvalid = true, p.wdata = 0xFFFF'FFFF, p.wstrb = 0; }, 2);
  s.add([](Pins& p) { p.wvalid = p.wready = true, p.wdata = 0xFFFF'FFFF, p.wstrb = 0; });
  s.add([](Pins& p) { p.bvalid = true, p.bresp = 3; }, 2);
  s.add([](Pins& p) { p.bvalid = p.bready = true, p.bresp = 3; });
  // Data before its address, several writes and reads outstanding, next request with the response of the last.
  s.add([](Pins& p) { p.wvalid = p.wready = true; }, 3);
  s.add([](Pins& p) { p.awvalid = p.awready = true; }, 2);
  s.add([](Pins& p) { p.awvalid = p.awready = p.bvalid = p.bready = true; });
  s.b().b();
  s.add([](Pins& p) { p.arvalid = p.arready = true; }, 4);
  s.add([](Pins& p) { p.arvalid = p.arready = p.rvalid = p.rready = true, p.rresp = 2, p.rdata = 1; });
  s.r().r().r().r();
  // READY may rise and fall while VALID is low; the payload without VALID has no meaning.
  s.add([](Pins& p) { p.awready = p.wready = p.bready = p.arready = p.rready = true, p.awaddr = 1u << 20, p.wstrb = 99; });
  s.add([](Pins& p) { p.bresp = p.rresp = 1; });
  // A reset cancels every request.
  s.read();
  s.add([](Pins& p) { p.awvalid = p.wvalid = p.arvalid = true; });
  s.add([](Pins& p) { p.rst_n = false, p.rvalid = true; });  // a slave with synchronous reset
  s.add([](Pins& p) { p.rst_n = false; }, 2);
  s.add([](Pins& /*p*/) {});
  s.read().r();
  PinDriver bus("bus", kQuiet, s.cycles);
  bus.run();
  for (const AxilChecker::Violation& v : bus.checker.violations()) ADD_FAILURE() << v.cycle << " " << v.rule << " " << v.text;
  EXPECT_EQ(bus.checker.violation_count(), 0u);
  EXPECT_EQ(bus.checker.cycles(), s.size());
  EXPECT_EQ(bus.checker.writes(), 5u);
  EXPECT_EQ(bus.checker.reads(), 7u);
  EXPECT_EQ(bus.checker.most_outstanding_writes(), 3u);
  EXPECT_EQ(bus.checker.most_outstanding_reads(), 4u);
  EXPECT_EQ(bus.checker.outstanding_reads() + bus.checker.outstanding_writes(), 0u);
}

/// A fault and the only rule that it violates. The last cycle shows the violation.
struct Fault {
  const char* rule;
  std::function<void(Sequence&)> make;

  friend std::ostream& operator<<(std::ostream& out, const Fault& f) { return out << f.rule; }
};

class AxilCheckerRule : public ::testing::TestWithParam<Fault> {};

TEST_P(AxilCheckerRule, IsReported) {
  Sequence s;
  GetParam().make(s);
  PinDriver bus("bus", kQuiet, s.cycles);
  bus.run();
  ASSERT_EQ(bus.checker.violation_count(), 1u);
  ASSERT_EQ(bus.checker.violations().size(), 1u);
  const AxilChecker::Violation& v = bus.checker.violations().front();
  EXPECT_EQ(v.rule, GetParam().rule) << v.text;
  EXPECT_EQ(v.cycle, s.size() - 1);
  EXPECT_EQ(v.time, sc_time(static_cast<double>(s.size()) * kCycleNs, SC_NS));
  EXPECT_TRUE(bus.checker.violated(GetParam().rule));
  EXPECT_FALSE(bus.checker.violated("AXI4_ERRM_NOTHING"));
}

using P = Pins;
const Fault kFaults[] = {
    // VALID falls before READY
    {"AXI4_ERRM_AWVALID_STABLE", [](Sequence& s) { s.add([](P& p) { p.awvalid = true; }).add([](P&) {}); }},
    {"AXI4_ERRM_WVALID_STABLE", [](Sequence& s) { s.add([](P& p) { p.wvalid = true; }).add([](P&) {}); }},
    {"AXI4_ERRS_BVALID_STABLE", [](Sequence& s) { s.write().add([](P& p) { p.bvalid = true; }).add([](P&) {}); }},
    {"AXI4_ERRM_ARVALID_STABLE", [](Sequence& s) { s.add([](P& p) { p.arvalid = true; }).add([](P&) {}); }},
    {"AXI4_ERRS_RVALID_STABLE", [](Sequence& s) { s.read().add([](P& p) { p.rvalid = true; }).add([](P&) {}); }},
    // payload changes under VALID
    {"AXI4_ERRM_AWADDR_STABLE",
     [](Sequence& s) { s.add([](P& p) { p.awvalid = true; }).add([](P& p) { p.awvalid = p.awready = true, p.awaddr = 4; }); }},
    {"AXI4_ERRM_AWPROT_STABLE",
     [](Sequence& s) { s.add([](P& p) { p.awvalid = true; }).add([](P& p) { p.awvalid = p.awready = true, p.awprot = 1; }); }},
    {"AXI4_ERRM_WDATA_STABLE",
     [](Sequence& s) { s.add([](P& p) { p.wvalid = true; }).add([](P& p) { p.wvalid = p.wready = true, p.wdata = 4; }); }},
    {"AXI4_ERRM_WSTRB_STABLE",
     [](Sequence& s) { s.add([](P& p) { p.wvalid = true; }).add([](P& p) { p.wvalid = p.wready = true, p.wstrb = 1; }); }},
    {"AXI4_ERRS_BRESP_STABLE",
     [](Sequence& s) {
       s.write().add([](P& p) { p.bvalid = true; }).add([](P& p) { p.bvalid = p.bready = true, p.bresp = 2; });
     }},
    {"AXI4_ERRM_ARADDR_STABLE",
     [](Sequence& s) { s.add([](P& p) { p.arvalid = true; }).add([](P& p) { p.arvalid = p.arready = true, p.araddr = 4; }); }},
    {"AXI4_ERRM_ARPROT_STABLE",
     [](Sequence& s) { s.add([](P& p) { p.arvalid = true; }).add([](P& p) { p.arvalid = p.arready = true, p.arprot = 4; }); }},
    {"AXI4_ERRS_RDATA_STABLE",
     [](Sequence& s) {
       s.read().add([](P& p) { p.rvalid = true; }).add([](P& p) { p.rvalid = p.rready = true, p.rdata = 4; });
     }},
    {"AXI4_ERRS_RRESP_STABLE",
     [](Sequence& s) {
       s.read().add([](P& p) { p.rvalid = true; }).add([](P& p) { p.rvalid = p.rready = true, p.rresp = 2; });
     }},
    // VALID during reset, and at the first edge after it
    {"AXI4_ERRM_AWVALID_RESET",
     [](Sequence& s) { s.add([](P& p) { p.rst_n = false; }).add([](P& p) { p.rst_n = false, p.awvalid = true; }); }},
    {"AXI4_ERRM_WVALID_RESET",
     [](Sequence& s) { s.add([](P& p) { p.rst_n = false; }).add([](P& p) { p.wvalid = p.wready = true; }); }},
    {"AXI4_ERRS_BVALID_RESET",
     [](Sequence& s) { s.add([](P& p) { p.rst_n = false; }, 2).add([](P& p) { p.rst_n = false, p.bvalid = true; }); }},
    {"AXI4_ERRM_ARVALID_RESET", [](Sequence& s) { s.add([](P& p) { p.rst_n = false; }).add([](P& p) { p.arvalid = true; }); }},
    {"AXI4_ERRS_RVALID_RESET",
     [](Sequence& s) { s.add([](P& p) { p.rst_n = false; }).add([](P& p) { p.rst_n = false, p.rvalid = true; }); }},
    // a response without its request
    {"AXI4_ERRS_BRESP_AW", [](Sequence& s) { s.add([](P& p) { p.wvalid = p.wready = true; }).b(); }},
    {"AXI4_ERRS_BRESP_WLAST", [](Sequence& s) { s.add([](P& p) { p.awvalid = p.awready = true; }).b(); }},
    {"AXI4_ERRS_BRESP_WLAST",
     [](Sequence& s) {  // with the data, not after it
       s.add([](P& p) { p.awvalid = p.awready = true; });
       s.add([](P& p) { p.wvalid = p.wready = p.bvalid = p.bready = true; });
     }},
    {"AXI4_ERRS_BRESP_AW",
     [](Sequence& s) {  // two responses to one request
       s.write().add([](P& p) { p.wvalid = p.wready = p.bvalid = p.bready = true; }).b();
     }},
    {"AXI4_ERRS_RID", [](Sequence& s) { s.r(); }},
    {"AXI4_ERRS_RID", [](Sequence& s) { s.read().r().r(); }},
    {"AXI4_ERRS_RID",
     [](Sequence& s) {  // a reset has cancelled the request
       s.read().add([](P& p) { p.rst_n = false; }, 2).add([](P&) {}).r();
     }},
    // codes that AXI4-Lite does not have
    {"AXI4LITE_ERRS_BRESP_EXOKAY", [](Sequence& s) { s.write().add([](P& p) { p.bvalid = p.bready = true, p.bresp = 1; }); }},
    {"AXI4LITE_ERRS_RRESP_EXOKAY", [](Sequence& s) { s.read().add([](P& p) { p.rvalid = p.rready = true, p.rresp = 1; }); }},
    // a value that does not fit the width of the pin
    {"AXI4_ERRM_AWADDR_X", [](Sequence& s) { s.add([](P& p) { p.awvalid = p.awready = true, p.awaddr = 0x1'0000; }); }},
    {"AXI4_ERRM_AWPROT_X", [](Sequence& s) { s.add([](P& p) { p.awvalid = p.awready = true, p.awprot = 8; }); }},
    {"AXI4_ERRM_WSTRB_X", [](Sequence& s) { s.add([](P& p) { p.wvalid = p.wready = true, p.wstrb = 0x10; }); }},
    {"AXI4_ERRS_BRESP_X", [](Sequence& s) { s.write().add([](P& p) { p.bvalid = p.bready = true, p.bresp = 4; }); }},
    {"AXI4_ERRM_ARADDR_X", [](Sequence& s) { s.add([](P& p) { p.arvalid = p.arready = true, p.araddr = 0x8000'0000; }); }},
    {"AXI4_ERRM_ARPROT_X", [](Sequence& s) { s.add([](P& p) { p.arvalid = p.arready = true, p.arprot = 9; }); }},
    {"AXI4_ERRS_RRESP_X", [](Sequence& s) { s.read().add([](P& p) { p.rvalid = p.rready = true, p.rresp = 7; }); }},
};

INSTANTIATE_TEST_SUITE_P(Faults, AxilCheckerRule, ::testing::ValuesIn(kFaults),
                         [](const auto& test) { return std::string(test.param.rule) + "_" + std::to_string(test.index); });

TEST(AxilCheckerTest, LongWaitsAreWarnings) {
  Sequence s;
  s.add([](Pins& p) { p.awvalid = p.wvalid = p.arvalid = true; }, 4);
  s.add([](Pins& p) { p.awvalid = p.wvalid = p.arvalid = p.awready = p.wready = p.arready = true; });
  const std::uint64_t shown_requests = 3 + 3;  // waits for the fourth cycle
  s.add([](Pins& p) { p.bvalid = p.rvalid = true; }, 3);
  s.add([](Pins& p) { p.bvalid = p.rvalid = p.bready = true; });
  s.add([](Pins& p) { p.rvalid = p.rready = true; });
  PinDriver bus("bus", AxilCheckerOptions{Reporting::Collect, 3, 1000}, s.cycles);
  bus.run();
  EXPECT_EQ(bus.checker.violation_count(), 0u);
  std::vector<std::string> rules;
  for (const AxilChecker::Violation& w : bus.checker.warnings()) rules.push_back(w.rule);
  EXPECT_EQ(rules, (std::vector<std::string>{"AXI4_RECS_AWREADY_MAX_WAIT", "AXI4_RECS_WREADY_MAX_WAIT",
                                             "AXI4_RECS_ARREADY_MAX_WAIT", "AXI4_RECM_RREADY_MAX_WAIT"}));
  EXPECT_EQ(bus.checker.warnings().front().cycle, shown_requests);
  EXPECT_EQ(bus.checker.warning_count(), 4u);
}

TEST(AxilCheckerTest, BreadyWait) {
  Sequence s;
  s.write().add([](Pins& p) { p.bvalid = true; }, 2);
  PinDriver bus("bus", AxilCheckerOptions{Reporting::Collect, 1, 1000}, s.cycles);
  bus.run();
  ASSERT_EQ(bus.checker.warning_count(), 1u);
  EXPECT_EQ(bus.checker.warnings().front().rule, "AXI4_RECM_BREADY_MAX_WAIT");
}

/// The messages that SystemC's report handler has received.
std::vector<std::pair<sc_core::sc_severity, std::string>> reports;
void remember(const sc_core::sc_report& report, const sc_core::sc_actions& /*actions*/) {
  if (std::string(report.get_msg_type()) == axi::kAxilCheckerReport)
    reports.emplace_back(report.get_severity(), report.get_msg());
}

TEST(AxilCheckerTest, ReportsAndKeepsNoMoreThanAsked) {
  Sequence s;
  s.r().r().r();
  PinDriver bus("bus", AxilCheckerOptions{Reporting::Warning, 0, 2}, s.cycles);
  sc_core::sc_report_handler::set_handler(remember);
  bus.run();
  EXPECT_EQ(bus.checker.violation_count(), 3u);
  EXPECT_EQ(bus.checker.violations().size(), 2u);
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].first, sc_core::SC_WARNING);
  EXPECT_EQ(reports[0].second, "bus.checker: AXI4_ERRS_RID: RVALID is high and no read address was accepted for it (cycle 3)");
}

TEST(AxilCheckerTest, ReportsErrors) {
  Sequence s;
  s.r();
  PinDriver bus("bus", AxilCheckerOptions{Reporting::Error, 0, 1000}, s.cycles);
  sc_core::sc_report_handler::set_handler(remember);
  bus.run();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].first, sc_core::SC_ERROR);
}

}  // namespace
}  // namespace platter::testing
