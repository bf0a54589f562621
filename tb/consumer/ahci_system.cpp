// SPDX-License-Identifier: Apache-2.0
//
// A computer in SystemC: memory, an interrupt, an AHCI adapter and its drive, and a processor that runs the driver of ahci_driver.c. The driver writes
// and reads back with a full queue, and recovers from a command past the end of the drive.
//
//   ahci_system [ENGINE [DRIVE]]
//
// ENGINE is firmware (the default), model, rtl or lockstep. The last two need a build with the RTL. DRIVE is a profile, whose sectors have 512 bytes.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "ahci_driver.h"
#include "platter/drive/drive.h"
#include "platter/front/ahci/ahci_target.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"
#include "platter/system/engine_table.h"
#include "platter/system/engines.h"

namespace {

using namespace platter;

class Memory : public sc_core::sc_module {
 public:
  Memory(const sc_core::sc_module_name& name, std::size_t size)
      : sc_module(name), memory_tgt_socket("memory_tgt_socket"), bytes(size) {
    memory_tgt_socket.register_b_transport(this, &Memory::b_transport);
  }

  tlm_utils::simple_target_socket<Memory> memory_tgt_socket;
  std::vector<unsigned char> bytes;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    const sc_dt::uint64 at = payload.get_address();
    const unsigned length = payload.get_data_length();
    if (at > bytes.size() || length > bytes.size() - at) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (payload.is_write())
      std::memcpy(&bytes[at], payload.get_data_ptr(), length);
    else
      std::memcpy(payload.get_data_ptr(), &bytes[at], length);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

constexpr unsigned kSectors = 16;
constexpr unsigned kCommands = 400;
constexpr std::size_t kBuffers = 0x10000;  // after the driver's memory: one buffer for each command

class Processor : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Processor);
  Processor(const sc_core::sc_module_name& name, Memory& memory)
      : sc_module(name), register_init_socket("register_init_socket"), interrupt("interrupt"), memory_(memory) {
    SC_THREAD(run);
  }

  tlm_utils::simple_initiator_socket<Processor> register_init_socket;
  sc_core::sc_in<bool> interrupt;
  bool good = false;
  unsigned most = 0;  ///< commands in the queue

 private:
  struct Io {
    Processor* processor = nullptr;
    bool done = false;
    std::uint8_t error = 0;
  };

  static Processor& self(void* context) { return *static_cast<Processor*>(context); }
  static std::uint32_t read(void* context, std::uint32_t offset) {
    std::uint32_t value = 0;
    self(context).access(tlm::TLM_READ_COMMAND, offset, value);
    return value;
  }
  static void write(void* context, std::uint32_t offset, std::uint32_t value) {
    self(context).access(tlm::TLM_WRITE_COMMAND, offset, value);
  }
  static void wait_for_interrupt(void* context) {
    Processor& p = self(context);
    if (!p.interrupt.read()) p.wait(sc_core::sc_time(1, sc_core::SC_MS), p.interrupt.posedge_event());
  }
  static void done(void* context, unsigned /*tag*/, std::uint8_t error) {
    Io& io = *static_cast<Io*>(context);
    io.done = true;
    io.error = error;
  }

  void access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay(100, sc_core::SC_NS);
    register_init_socket->b_transport(payload, delay);
    wait(delay);
  }

  bool transfer(bool writes, const std::vector<std::uint64_t>& places) {
    std::vector<Io> ios(places.size());
    std::size_t sent = 0;
    const auto ended = [&ios] {
      return static_cast<std::size_t>(std::count_if(ios.begin(), ios.end(), [](const Io& io) { return io.done; }));
    };
    while (ended() < ios.size()) {
      while (sent < ios.size() &&
             ahci_submit(&port_, writes, places[sent], kSectors, kBuffers + sent * kSectors * 512, done, &ios[sent]) >= 0)
        ++sent;
      most = std::max(most, static_cast<unsigned>(sent - ended()));
      wait_for_interrupt(this);
      ahci_interrupt(&port_);
    }
    return std::all_of(ios.begin(), ios.end(), [](const Io& io) { return io.error == 0; });
  }

  void run() {
    const ahci_bus bus = {this, read, write, wait_for_interrupt, memory_.bytes.data(), 0};
    if (!ahci_start(&port_, &bus)) return;
    std::printf("a disk of %llu sectors, a queue of %u\n", static_cast<unsigned long long>(port_.sectors), port_.depth);
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> places;
    const std::uint64_t step = port_.sectors / kCommands;
    for (unsigned i = 0; i < kCommands; ++i) places.push_back(i * step + random() % (step - kSectors));
    std::shuffle(places.begin(), places.end(), random);
    unsigned char* const data = &memory_.bytes[kBuffers];
    const std::size_t bytes = std::size_t{kCommands} * kSectors * 512;
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(random());
    const std::vector<unsigned char> written(data, data + bytes);
    if (!transfer(true, places) || !ahci_flush(&port_)) return;
    std::memset(data, 0, bytes);
    if (!transfer(false, places) || !std::equal(written.begin(), written.end(), data)) return;

    // One command among good ones goes past the end of the drive. It alone must fail.
    std::memset(data, 0, bytes);
    std::vector<Io> ios(port_.depth);
    for (std::size_t i = 0; i < ios.size(); ++i)
      ahci_submit(&port_, false, i == 7 ? port_.sectors : places[i], kSectors, kBuffers + i * kSectors * 512, done, &ios[i]);
    while (port_.busy != 0) {
      wait_for_interrupt(this);
      ahci_interrupt(&port_);
    }
    for (std::size_t i = 0; i < ios.size(); ++i) {
      const std::size_t at = i * kSectors * 512;
      const bool same = std::equal(data + at, data + at + kSectors * 512, &written[at]);
      if (!ios[i].done || (i == 7 ? ios[i].error != 0x10 : ios[i].error != 0 || !same)) return;
    }
    good = port_.errors == 1;
  }

  Memory& memory_;
  ahci_port port_{};
};

}  // namespace

int sc_main(int argc, char** argv) {
  const std::string notation = argc > 1 ? argv[1] : "firmware";
  const auto choice = system::find_engine(notation);
  if (!choice) {
    std::fprintf(stderr, "ahci_system: %s\n", system::engine_notation_objection(notation).c_str());
    return 2;
  }
  drive::DriveConfig config;
  config.profile = system::load_drive(argc > 2 ? argv[2] : "atlas10k");
  system::EngineOptions engine(config.profile);
  engine.engine = *choice;
  engine.policy = scheduling::find_policy("SPTF").value();
  drive::Drive disk("disk", config, system::engine_factory(engine));

  Memory memory("memory", kBuffers + std::size_t{kCommands} * kSectors * 512);
  Processor processor("processor", memory);
  ahci::AhciTarget adapter("ahci", {ahci::AtaIdentity::of(config.profile, disk.capacity_sectors(), "0001")});
  sc_core::sc_signal<bool> interrupt("interrupt");
  processor.register_init_socket.bind(adapter.register_tgt_socket);
  processor.interrupt.bind(interrupt);
  adapter.interrupt.bind(interrupt);
  adapter.dma_init_socket.bind(memory.memory_tgt_socket);
  adapter.port(0).disk_init_socket.bind(disk.host_tgt_socket);
  adapter.port(0).register_init_socket.bind(disk.register_tgt_socket);

  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_SEC));
  std::printf("%s: %s; at most %u commands in the queue\n", engine.engine.notation.c_str(),
              processor.good ? "read what was written, recovered from an error" : "failed", processor.most);
  return processor.good ? 0 : 1;
}
