// SPDX-License-Identifier: Apache-2.0
//
// The registers of a drive, an AHCI adapter and an accelerator, by one table of accesses: what is refused and with which response, and when an access
// with an annotated delay takes effect and ends.
#include <array>
#include <cstring>
#include <optional>

#include "ahci_rig.h"
#include "platter/accelerator/accelerator_target.h"
#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/registers.h"
#include "platter/accelerator/rtl_core.h"
#include "platter/drive/register_map.h"
#include "testing.h"

namespace platter::testing {
namespace {

constexpr Picoseconds kClock = 5'000;
constexpr Picoseconds kDelay = 7 * kClock;
constexpr std::uint32_t kBefore = 0x1234'5678;

/// What a target is expected to do besides what all do.
struct Traits {
  std::uint32_t readable;  ///< a register that holds `content`
  std::uint32_t content;
  std::uint32_t writable;  ///< a register that reads as it was written, 0 at first
  bool lengths;            ///< takes 1, 2 and 8 bytes too
  bool waits;              ///< for the effective time; otherwise it returns ahead of the kernel
  Picoseconds took;        ///< by an access
  bool looks;              ///< has debug transport
};

struct Bus : sc_core::sc_module {
  explicit Bus(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<Bus> socket;
};

class RegisterTargets : public ::testing::TestWithParam<const char*> {
 protected:
  using Payload = tlm::tlm_generic_payload;
  using Change = std::function<void(Payload&)>;

  RegisterTargets() {
    const std::string kind = GetParam();
    if (kind == "drive") {
      disk_ = make_drive("disk", "FCFS", "firmware", toy_profile());
      host_.emplace("host");
      host_->disk_init_socket.bind(disk_->host_tgt_socket);
      bus_.socket.bind(disk_->register_tgt_socket);
      traits_ = {drive::reg::kId, drive::reg::kIdValue, drive::reg::kTokenRate, false, true, 0, true};
    } else if (kind == "ahci") {
      disk_ = make_drive("disk", "FCFS", "firmware", toy_profile());
      adapter_ = std::make_unique<ahci::AhciTarget>(
          "ahci", std::vector{ahci::AtaIdentity::of(toy_profile(), disk_->capacity_sectors(), "1")});
      memory_.emplace("memory", std::size_t{1} << 20);
      adapter_->dma_init_socket.bind(memory_->memory_tgt_socket);
      adapter_->interrupt.bind(interrupt_);
      adapter_->port(0).disk_init_socket.bind(disk_->host_tgt_socket);
      adapter_->port(0).register_init_socket.bind(disk_->register_tgt_socket);
      bus_.socket.bind(adapter_->register_tgt_socket);
      traits_ = {hba::kVs, hba::kVsValue, hba::kPorts + hba::kClbu, true, true, 0, true};
    } else {
      using accelerator::reg::kId, accelerator::reg::kIdValue, accelerator::reg::kHeadTime;
      accelerator_.emplace("accelerator",
                           std::make_unique<accelerator::ReferenceCore>(accelerator::RtlCore::built_parameters()), kClock);
      accelerator_->irq_o.bind(interrupt_);
      bus_.socket.bind(accelerator_->bus_tgt_socket);
      traits_ = {kId, kIdValue, kHeadTime, false, false, 2 * kClock, false};
    }
    run_until(1 * kMs);
  }

  struct Answer {
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    std::array<std::uint32_t, 4> data{};
    Picoseconds returned = 0;  ///< simulated time since the call
    Picoseconds delay = 0;
  };

  /// An access of a thread with `delay`; by default a word is read. The simulation goes on until it has returned.
  Answer access(const Change& change, Picoseconds delay = 0) {
    Answer answer;
    answer.data.fill(kBefore);
    sc_core::sc_spawn([&] {
      Payload payload;
      payload.set_command(tlm::TLM_READ_COMMAND);
      payload.set_address(traits_.readable);
      payload.set_data_ptr(reinterpret_cast<unsigned char*>(answer.data.data()));
      payload.set_data_length(4);
      payload.set_streaming_width(4);
      change(payload);
      const std::uint64_t address = payload.get_address();
      const std::uint32_t length = payload.get_data_length();
      sc_core::sc_time time = core::to_sc_time(delay);
      const Picoseconds begin = core::now_ps();
      bus_.socket->b_transport(payload, time);
      answer.status = payload.get_response_status();
      answer.returned = core::now_ps() - begin;
      answer.delay = core::to_ps(time);
      EXPECT_EQ(payload.get_address(), address);
      EXPECT_EQ(payload.get_data_length(), length);
      EXPECT_FALSE(payload.is_dmi_allowed());
    });
    run_until(core::now_ps() + 1 * kMs);
    return answer;
  }
  Answer write(std::uint32_t value, Picoseconds delay = 0) {
    return access(
        [&, value](Payload& p) {
          p.set_command(tlm::TLM_WRITE_COMMAND);
          p.set_address(traits_.writable);
          std::memcpy(p.get_data_ptr(), &value, sizeof value);
        },
        delay);
  }
  std::uint32_t written() {
    return access([this](Payload& p) { p.set_address(traits_.writable); }).data[0];
  }

  std::unique_ptr<drive::Drive> disk_;
  std::optional<AtHost> host_;
  std::unique_ptr<ahci::AhciTarget> adapter_;
  std::optional<Memory> memory_;
  std::optional<accelerator::AcceleratorTarget> accelerator_;
  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> interrupt_{"interrupt"};
  Bus bus_{"bus"};
  Traits traits_{};
};

TEST_P(RegisterTargets, RefuseWhatIsNoAccessOfARegister) {
  std::array<unsigned char, 4> all = {0xFF, 0xFF, 0xFF, 0xFF};
  std::array<unsigned char, 4> some = {0xFF, 0, 0xFF, 0};
  const auto length = [](std::uint32_t bytes) {
    return [bytes](Payload& p) {
      p.set_data_length(bytes);
      p.set_streaming_width(bytes);
    };
  };
  const auto enables = [](std::array<unsigned char, 4>& bytes, unsigned count) {
    return [&bytes, count](Payload& p) {
      p.set_byte_enable_ptr(bytes.data());
      p.set_byte_enable_length(count);
    };
  };
  const auto address = [](std::uint64_t at) { return [at](Payload& p) { p.set_address(at); }; };
  const auto from = [&](int error) {  // this error, in the order of the checks, and all after it
    return [&, error](Payload& p) {
      if (error <= 1) p.set_command(tlm::TLM_IGNORE_COMMAND);
      if (error <= 2) enables(some, 4)(p);
      if (error <= 3) length(3)(p);
      p.set_address(0x1002);
      p.set_data_ptr(nullptr);
    };
  };
  struct Case {
    const char* what;
    Change change;
    tlm::tlm_response_status status;
  };
  std::vector<Case> cases = {
      {"no command", [](Payload& p) { p.set_command(tlm::TLM_IGNORE_COMMAND); }, tlm::TLM_COMMAND_ERROR_RESPONSE},
      {"some bytes", enables(some, 4), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
      {"all bytes, by enables", enables(all, 4), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
      {"enables without a length", enables(all, 0), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
      {"no length", length(0), tlm::TLM_BURST_ERROR_RESPONSE},
      {"three bytes", length(3), tlm::TLM_BURST_ERROR_RESPONSE},
      {"16 bytes", length(16), tlm::TLM_BURST_ERROR_RESPONSE},
      {"a streaming width of nothing", [](Payload& p) { p.set_streaming_width(0); }, tlm::TLM_BURST_ERROR_RESPONSE},
      {"a streaming width below the length", [](Payload& p) { p.set_streaming_width(2); }, tlm::TLM_BURST_ERROR_RESPONSE},
      {"unaligned", address(2), tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {"at the end", address(0x1000), tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {"over the end", address(0xFFE), tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {"4 GiB further", address((std::uint64_t{1} << 32) + traits_.readable), tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {"end wraps", address(~std::uint64_t{0} - 3), tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {"no data", [](Payload& p) { p.set_data_ptr(nullptr); }, tlm::TLM_GENERIC_ERROR_RESPONSE},
      {"everything", from(1), tlm::TLM_COMMAND_ERROR_RESPONSE},
      {"enables, length, address and data", from(2), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
      {"length, address and data", from(3), tlm::TLM_BURST_ERROR_RESPONSE},
      {"address and data", from(4), tlm::TLM_ADDRESS_ERROR_RESPONSE},
  };
  for (const std::uint32_t bytes : {1u, 2u, 8u})
    if (!traits_.lengths) cases.push_back({"a length of others", length(bytes), tlm::TLM_BURST_ERROR_RESPONSE});
  for (const tlm::tlm_command command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
    for (const Case& c : cases) {
      const Answer answer = access(
          [&](Payload& p) {
            p.set_command(command);
            if (command == tlm::TLM_WRITE_COMMAND) p.set_address(traits_.writable);
            c.change(p);
          },
          kDelay);
      const std::string what = std::string(c.what) + (command == tlm::TLM_WRITE_COMMAND ? ", written" : ", read");
      EXPECT_EQ(answer.status, c.status) << what;
      EXPECT_EQ(answer.data[0], kBefore) << what;
      EXPECT_EQ(answer.returned, 0) << what;
      EXPECT_EQ(answer.delay, kDelay) << what;
    }
  }
  EXPECT_EQ(written(), 0u);
}

TEST_P(RegisterTargets, AnAccessTakesEffectAtItsEffectiveTime) {
  for (const Picoseconds delay : {Picoseconds{0}, kDelay}) {
    const Answer read = access([](Payload& p) { p.set_streaming_width(64); }, delay);
    EXPECT_EQ(read.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(read.data[0], traits_.content);
    EXPECT_EQ(read.returned, traits_.waits ? delay : 0);
    EXPECT_EQ(read.returned + read.delay, delay + traits_.took);
  }
  std::uint32_t before = ~0u;
  sc_core::sc_spawn([&] {
    sc_core::wait(core::to_sc_time(kDelay - 1));
    if (!traits_.looks) return;
    Payload payload;
    payload.set_address(traits_.writable);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&before));
    payload.set_data_length(4);
    payload.set_read();
    EXPECT_EQ(bus_.socket->transport_dbg(payload), 4u);
  });
  const Answer answer = write(0x1000, kDelay);
  EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(answer.returned + answer.delay, kDelay + traits_.took);
  EXPECT_EQ(before, traits_.looks ? 0 : ~0u) << "one picosecond earlier";
  EXPECT_EQ(written(), 0x1000u);
}

TEST_P(RegisterTargets, DebugTransportLooksAtOneWord) {
  const auto look = [this](tlm::tlm_command command, std::uint64_t address, unsigned length, bool has_data = true) {
    std::uint32_t data = kBefore;
    Payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(has_data ? reinterpret_cast<unsigned char*>(&data) : nullptr);
    payload.set_data_length(length);
    const unsigned got = bus_.socket->transport_dbg(payload);
    EXPECT_EQ(data, got == 4 ? traits_.content : kBefore);
    return got;
  };
  EXPECT_EQ(look(tlm::TLM_READ_COMMAND, traits_.readable, 4), traits_.looks ? 4u : 0u);
  EXPECT_EQ(look(tlm::TLM_READ_COMMAND, traits_.readable, 3), 0u);
  EXPECT_EQ(look(tlm::TLM_READ_COMMAND, traits_.readable + 2, 4), 0u);
  EXPECT_EQ(look(tlm::TLM_READ_COMMAND, 0x1000, 4), 0u);
  EXPECT_EQ(look(tlm::TLM_READ_COMMAND, (std::uint64_t{1} << 32) + traits_.readable, 4), 0u);
  EXPECT_EQ(look(tlm::TLM_WRITE_COMMAND, traits_.readable, 4), 0u);
  EXPECT_EQ(look(tlm::TLM_READ_COMMAND, traits_.readable, 4, false), 0u);
}

INSTANTIATE_TEST_SUITE_P(Of, RegisterTargets, ::testing::Values("drive", "ahci", "accelerator"),
                         [](const auto& about) { return std::string(about.param); });

}  // namespace
}  // namespace platter::testing
