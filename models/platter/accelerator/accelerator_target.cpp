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
      clock_period_(clock_period),
      rise_(core::Rank::Access, [this] { raise_irq(); }) {
  bus_tgt_socket.register_b_transport(this, &AcceleratorTarget::b_transport);
}

void AcceleratorTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  tlm::tlm_response_status refusal = tlm::TLM_OK_RESPONSE;
  if (payload.get_data_length() != 4 || payload.get_streaming_width() < 4)
    refusal = tlm::TLM_BURST_ERROR_RESPONSE;
  else if (payload.get_address() % 4 != 0 || payload.get_address() > 0xFFC)
    refusal = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  else if (payload.get_byte_enable_ptr() != nullptr)
    refusal = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  else if (!payload.is_read() && !payload.is_write())
    refusal = tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (refusal != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(refusal);
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
  // Work may end before the access itself does; even then the master's next access begins after this one.
  if (response.busy_cycles != 0) busy_until_ = request.start + clock_period_ * std::max(response.busy_cycles, response.cycles);
  // The interrupt follows DONE & IRQ_EN. A rise is notified for its own time. A fall cancels a rise that has not yet happened,
  // because then the master is ahead of the kernel.
  if (response.irq_cycles != 0) {
    announce_irq(request.start + clock_period_ * response.irq_cycles - now);
  } else if (response.irq && !irq_ && !rising_) {
    announce_irq(request.start + clock_period_ - now);  // enabled while DONE was set
  } else if (!response.irq) {
    rise_.cancel();
    rising_ = false;
    if (irq_) irq_o.write(irq_ = false);
  }
}

void AcceleratorTarget::announce_irq(Picoseconds in) {
  rising_ = true;
  rise_.in(in);
}

void AcceleratorTarget::raise_irq() {
  rising_ = false;
  irq_o.write(irq_ = true);
}

}  // namespace platter::accelerator
