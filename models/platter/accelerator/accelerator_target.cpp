// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/accelerator_target.h"

#include <algorithm>
#include <cstring>

#include "platter/core/error.h"
#include "platter/core/sc_time.h"

namespace platter::accelerator {

using core::Picoseconds;

AcceleratorTarget::AcceleratorTarget(const sc_core::sc_module_name& name, std::unique_ptr<BusCoreIf> core,
                                     Picoseconds clock_period)
    : sc_module(name),
      bus_tgt_socket("bus_tgt_socket"),
      irq_o("irq_o"),
      core_(std::move(core)),
      clock_period_(clock_period) {
  bus_tgt_socket.register_b_transport(this, &AcceleratorTarget::b_transport);
  SC_METHOD(raise_irq);
  sensitive << irq_event_;
  dont_initialize();
}

void AcceleratorTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.get_data_length() != 4 || payload.get_address() % 4 != 0 || payload.get_address() > 0xFFC) {
    payload.set_response_status(payload.get_data_length() != 4 ? tlm::TLM_BURST_ERROR_RESPONSE
                                                               : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const Picoseconds now = core::now_ps();
  BusRequest request;
  request.write = payload.is_write();
  request.address = static_cast<std::uint32_t>(payload.get_address());
  if (request.write) std::memcpy(&request.data, payload.get_data_ptr(), 4);
  request.start = std::max(now + core::to_ps(delay), busy_until_);
  BusResponse response;
  try {
    response = core_->access(request);
  } catch (const core::SimulationError& error) {
    SC_REPORT_ERROR("/platter/accelerator", error.what());
    return;
  }
  if (!request.write) std::memcpy(payload.get_data_ptr(), &response.data, 4);
  payload.set_response_status(response.ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  access_cycles_ += response.cycles;
  delay = core::to_sc_time(request.start - now + clock_period_ * response.cycles);
  if (response.irq_cycles != 0) {
    busy_until_ = request.start + clock_period_ * response.irq_cycles;
    irq_event_.notify(core::to_sc_time(busy_until_ - now));
  } else if (irq_ && !response.irq) {
    irq_ = false;
    irq_o.write(false);
  }
}

void AcceleratorTarget::raise_irq() {
  irq_ = true;
  irq_o.write(true);
}

}  // namespace platter::accelerator
