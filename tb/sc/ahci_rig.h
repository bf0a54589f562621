// SPDX-License-Identifier: Apache-2.0
//
// A small computer: memory, an interrupt, an AHCI adapter with a drive at each port, and a driver that uses it by its registers alone.
#pragma once

#include <array>
#include <cstring>
#include <map>

#include "ahci_frame.h"
#include "platter/drive/drive.h"
#include "platter/front/ahci/ahci_target.h"
#include "platter/observe/request_tap.h"
#include "testing.h"

namespace platter::testing {

namespace hba = ahci::reg;

/// Memory from 0 on. An access past its end, or to a page that has been made bad, is an address error.
class Memory : public sc_core::sc_module {
 public:
  Memory(const sc_core::sc_module_name& name, std::size_t size, Picoseconds latency = 0)
      : sc_module(name), memory_tgt_socket("memory_tgt_socket"), bytes(size), latency_(latency) {
    memory_tgt_socket.register_b_transport(this, &Memory::b_transport);
  }

  tlm_utils::simple_target_socket<Memory> memory_tgt_socket;
  std::vector<std::uint8_t> bytes;
  std::uint64_t bad = ~std::uint64_t{0};  ///< an address that answers with an error

  template <typename T>
  T get(std::uint64_t at) const {
    T value{};
    std::memcpy(&value, &bytes.at(at), sizeof value);
    return value;
  }
  template <typename T>
  void put(std::uint64_t at, const T& value) {
    std::memcpy(&bytes.at(at), &value, sizeof value);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t at = payload.get_address();
    const std::uint64_t length = payload.get_data_length();
    delay += core::to_sc_time(latency_);
    if (at > bytes.size() || length > bytes.size() - at || (bad >= at && bad - at < length)) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (payload.is_write())
      std::memcpy(&bytes[at], payload.get_data_ptr(), length);
    else
      std::memcpy(payload.get_data_ptr(), &bytes[at], length);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  Picoseconds latency_;
};

/// Where things are in the memory, for each port: the command list, the received FISes, command tables, and data.
inline constexpr std::uint64_t kList = 0x1000;
inline constexpr std::uint64_t kReceived = 0x2000;
inline constexpr std::uint64_t kTables = 0x10000;  // 4 KiB each
inline constexpr std::uint64_t kData = 0x100000;   // 128 KiB for each slot
inline constexpr std::uint64_t kDataStride = 0x20000;

/// One region of a command's data.
struct Region {
  std::uint64_t address;
  std::uint32_t bytes;
  bool interrupt = false;
};

inline Frame command_frame28(std::uint8_t command, std::uint32_t lba, std::uint32_t count) {
  return command_frame(command, lba & 0xFF'FFFF, count & 0xFF, 0, static_cast<std::uint8_t>(0x40 | lba >> 24));
}
inline Frame queued_frame(bool write, std::uint64_t lba, std::uint32_t count, std::uint32_t tag, bool fua = false) {
  return command_frame(write ? 0x61 : 0x60, lba, tag << 3, static_cast<std::uint16_t>(count),
                       static_cast<std::uint8_t>(fua ? 0xC0 : 0x40));
}

class Computer : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Computer);
  Computer(const sc_core::sc_module_name& name, const profile::DriveProfile& profile, std::size_t ports = 1,
           const std::string& policy = "SPTF", Picoseconds memory_latency = 0, observe::RequestTap* tap = nullptr)
      : sc_module(name),
        memory("memory", 0x100000 + 32 * kDataStride, memory_latency),
        register_init_socket("register_init_socket") {
    std::vector<ahci::AtaIdentity> devices;
    for (std::size_t i = 0; i < ports; ++i) {
      drives.push_back(make_drive(("drive" + std::to_string(i)).c_str(), policy, "firmware", profile, true));
      devices.push_back(ahci::AtaIdentity::of(profile, drives[i]->capacity_sectors(), "SERIAL" + std::to_string(i)));
    }
    adapter = std::make_unique<ahci::AhciTarget>("ahci", devices);
    adapter->dma_init_socket.bind(memory.memory_tgt_socket);
    adapter->interrupt.bind(interrupt);
    register_init_socket.bind(adapter->register_tgt_socket);
    for (std::size_t i = 0; i < ports; ++i) {
      if (tap != nullptr) {
        adapter->port(i).disk_init_socket.bind_tap(*tap);
        tap->disk_init_socket.bind(drives[i]->host_tgt_socket);
      } else {
        adapter->port(i).disk_init_socket.bind(drives[i]->host_tgt_socket);
      }
      adapter->port(i).register_init_socket.bind(drives[i]->register_tgt_socket);
      adapter->port(i).bind_zones(drives[i]->zones());
    }
    SC_METHOD(interrupted);
    sensitive << interrupt.posedge_event();
    dont_initialize();
  }

  std::vector<std::unique_ptr<drive::Drive>> drives;
  Memory memory;
  std::unique_ptr<ahci::AhciTarget> adapter;
  sc_core::sc_signal<bool> interrupt{"interrupt"};
  tlm_utils::simple_initiator_socket<Computer> register_init_socket;
  std::uint64_t interrupts = 0;

  std::uint32_t read(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, offset, &value, 4), tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, offset, &value, 4), tlm::TLM_OK_RESPONSE);
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset, void* data, std::uint32_t bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay;
    register_init_socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  static std::uint32_t at(std::uint32_t reg, std::uint32_t port = 0) { return hba::kPorts + port * hba::kPortBytes + reg; }
  std::uint32_t port(std::uint32_t reg, std::uint32_t number = 0) { return read(at(reg, number)); }
  void set_port(std::uint32_t reg, std::uint32_t value, std::uint32_t number = 0) { write(at(reg, number), value); }

  /// Both areas given, FIS receive and the command list on, all interrupts enabled.
  void start(std::uint32_t number = 0) {
    set_port(hba::kClb, kList, number);
    set_port(hba::kFb, kReceived, number);
    set_port(hba::kSerr, ~0u, number);
    set_port(hba::kPxIs, ~0u, number);
    set_port(hba::kCmd, hba::kFre, number);
    settle();
    set_port(hba::kPxIe, ~0u, number);
    set_port(hba::kCmd, hba::kFre | hba::kSt, number);
    write(hba::kGhc, hba::kGhcInterrupts);
  }
  void stop() { set_port(hba::kCmd, hba::kFre); }
  /// After an error: PxCMD.ST off and on (AHCI 1.3.1, 6.2.2.1).
  void restart() {
    stop();
    set_port(hba::kSerr, ~0u);
    set_port(hba::kPxIs, ~0u);
    set_port(hba::kCmd, hba::kFre | hba::kSt);
    settle();
  }

  /// COMRESET, with the port stopped around it.
  void reset_link() {
    stop();
    set_port(hba::kSctl, 1);
    set_port(hba::kSctl, 0);
    settle();
    restart();
  }

  /// Lets the adapter do what takes no time.
  static void settle() { run_until(core::now_ps() + 1); }
  /// Until PxCI and PxSACT are 0, or the port has an error; false after `most`.
  bool idle(Picoseconds most = 10'000 * kMs) {
    const Picoseconds end = core::now_ps() + most;
    while (core::now_ps() < end) {
      if ((port(hba::kCi) == 0 && port(hba::kSact) == 0) || (port(hba::kPxIs) & (hba::kTfes | hba::kHbfs | hba::kIfs)) != 0)
        return true;
      run_until(core::now_ps() + 1 * kMs / 10);
    }
    return false;
  }

  std::uint64_t data(std::uint32_t slot) const { return kData + slot * kDataStride; }
  /// Prepares a slot; `regions` empty: one of `bytes` in the slot's own data.
  void prepare(std::uint32_t slot, const Frame& frame, std::uint32_t bytes, bool write_command,
               std::vector<Region> regions = {}, std::uint32_t flags = 0) {
    if (regions.empty() && bytes > 0) regions = {{data(slot), bytes}};
    const std::uint64_t table = kTables + slot * 0x1000;
    memory.put(table, frame);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      memory.put(table + 0x80 + 16 * i, regions[i].address);
      memory.put(table + 0x80 + 16 * i + 8, 0u);
      memory.put(table + 0x80 + 16 * i + 12, (regions[i].bytes - 1) | (regions[i].interrupt ? 1u << 31 : 0));
    }
    memory.put(kList + 32 * slot,
               5u | (write_command ? 1u << 6 : 0) | flags | static_cast<std::uint32_t>(regions.size()) << 16);
    memory.put(kList + 32 * slot + 4, 0xFFFF'FFFFu);
    memory.put(kList + 32 * slot + 8, table);
  }
  void issue(std::uint32_t slots, bool queued) {
    if (queued) set_port(hba::kSact, slots);
    set_port(hba::kCi, slots);
  }
  /// One command alone; true if it has ended without an error.
  bool run(const Frame& frame, std::uint32_t bytes = 0, bool write_command = false, std::vector<Region> regions = {}) {
    set_port(hba::kPxIs, ~0u);
    prepare(0, frame, bytes, write_command, std::move(regions));
    const bool queued = frame[2] == 0x60 || frame[2] == 0x61 || frame[2] == 0x63 || frame[2] == 0x65;
    issue(1, queued);
    EXPECT_TRUE(idle());
    return (port(hba::kPxIs) & (hba::kTfes | hba::kHbfs | hba::kIfs)) == 0;
  }
  std::vector<std::uint8_t> bytes_of(std::uint32_t slot, std::size_t count) const {
    const auto from = memory.bytes.begin() + static_cast<std::ptrdiff_t>(data(slot));
    return {from, from + static_cast<std::ptrdiff_t>(count)};
  }
  std::uint16_t word(std::uint32_t index) const { return memory.get<std::uint16_t>(kData + 2 * index); }

 private:
  void interrupted() { ++interrupts; }
};

/// One whose first port has been started.
struct StartedComputer : Computer {
  explicit StartedComputer(const profile::DriveProfile& profile, std::size_t ports = 1, const std::string& policy = "SPTF",
                           Picoseconds memory_latency = 0, observe::RequestTap* tap = nullptr)
      : Computer("pc", profile, ports, policy, memory_latency, tap) {
    start();
  }
};

}  // namespace platter::testing
