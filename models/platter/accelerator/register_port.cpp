// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/register_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemc>

#include "platter/core/sc_time.h"

namespace platter::accelerator {

using core::Picoseconds;

RegisterPort::RegisterPort(Picoseconds clock_period)
    : bus_init_socket("bus_init_socket"), clock_period_(clock_period), values_(reg::kBytes / 4), known_(reg::kBytes / 4) {
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&word_));
  payload_.set_data_length(4);
  payload_.set_streaming_width(4);
  payload_.set_byte_enable_ptr(nullptr);
}

void RegisterPort::access(std::uint32_t address) {
  payload_.set_address(address);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  const Picoseconds now = core::now_ps();
  sc_core::sc_time delay = core::to_sc_time(std::max<Picoseconds>(free_ - now, 0));
  bus_init_socket->b_transport(payload_, delay);
  free_ = now + core::to_ps(delay);
  if (payload_.is_response_error())
    SC_REPORT_ERROR("/platter/accelerator/refused",
                    (payload_.is_write() ? fmt::format("write of 0x{:x} to register 0x{:03x} was refused", word_, address)
                                         : fmt::format("read of register 0x{:03x} was refused", address))
                        .c_str());
}

void RegisterPort::write(std::uint32_t address, std::uint32_t data) {
  word_ = data;
  payload_.set_command(tlm::TLM_WRITE_COMMAND);
  access(address);
}

std::uint32_t RegisterPort::read(std::uint32_t address) {
  payload_.set_command(tlm::TLM_READ_COMMAND);
  access(address);
  return word_;
}

void RegisterPort::set(std::uint32_t address, std::uint32_t data) {
  if (holds(address, data)) return;
  assume(address, data);
  write(address, data);
}

void RegisterPort::assume(std::uint32_t address, std::uint32_t data) {
  values_[address / 4] = data;
  known_[address / 4] = 1;
}

void RegisterPort::forget_all() { std::fill(known_.begin(), known_.end(), std::uint8_t{0}); }

}  // namespace platter::accelerator
