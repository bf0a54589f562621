// SPDX-License-Identifier: Apache-2.0
#include "platter/host/autoqos/autoqos.h"

#include <string>
#include <utility>

#include "platter/core/sc_time.h"
#include "platter/drive/drive_registers.h"

namespace platter::host::autoqos {

using core::RequestClass;
namespace reg = drive::reg;

AutoQos::AutoQos(const sc_core::sc_module_name& name, const QosManagerOptions& options, Picoseconds window, std::function<std::uint64_t()> opened)
    : sc_module(name), register_init_socket("register_init_socket"), manager_(options), window_(window), opened_(std::move(opened)) {
  SC_THREAD(run);
}

std::uint32_t AutoQos::access(tlm::tlm_command command, std::uint32_t address, std::uint32_t data) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
  payload.set_data_length(sizeof data);
  payload.set_streaming_width(sizeof data);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  register_init_socket->b_transport(payload, delay);
  if (!payload.is_response_ok()) SC_REPORT_ERROR("/platter/autoqos/register", ("register " + std::to_string(address) + ": " + payload.get_response_string()).c_str());
  return data;
}

/// Read and written, from time 0.
std::uint64_t AutoQos::bytes(RequestClass cls) {
  std::uint64_t sum = 0;
  for (const std::uint32_t counter : {reg::kReadBytes, reg::kWrittenBytes}) {
    const std::uint32_t address = reg::counter(cls, counter);
    const std::uint64_t low = access(tlm::TLM_READ_COMMAND, address, 0);
    sum += low | std::uint64_t{access(tlm::TLM_READ_COMMAND, address + 4, 0)} << 32;
  }
  return sum;
}

void AutoQos::run() {
  std::uint64_t multimedia = 0, best_effort = 0, opened = 0;
  for (;;) {
    wait(core::to_sc_time(window_));
    const std::uint64_t multimedia_now = bytes(RequestClass::Continuous);
    const std::uint64_t best_effort_now = bytes(RequestClass::Discrete) + bytes(RequestClass::Background);
    const std::uint64_t opened_now = opened_ ? opened_() : 0;
    const QosWindow window{window_, multimedia_now - multimedia, best_effort_now - best_effort, opened_now - opened};
    multimedia = multimedia_now;
    best_effort = best_effort_now;
    opened = opened_now;
    const std::uint32_t before = manager_.limit();
    const std::uint32_t limit = manager_.window(window);
    if (limit != before) access(tlm::TLM_WRITE_COMMAND, reg::kTokenRate, limit);
    records_.push_back({window, manager_.state(), limit, manager_.multimedia_rate(), manager_.aggregate_rate()});
  }
}

}  // namespace platter::host::autoqos
