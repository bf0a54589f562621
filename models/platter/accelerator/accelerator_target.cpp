// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/accelerator_target.h"

#include <algorithm>
#include <cstring>

#include "platter/accelerator/registers.h"
#include "platter/core/error.h"

namespace platter::accelerator {

using core::Picoseconds;

AcceleratorTarget::AcceleratorTarget(const sc_core::sc_module_name& name, std::unique_ptr<BusCoreIf> core,
                                     Picoseconds clock_period)
    : sc_module(name),
      registers_("bus_tgt_socket", *this, {reg::kBytes}, command::RegisterTime::Ahead),
      bus_tgt_socket(registers_.socket),
      irq_o("irq_o"),
      core_(std::move(core)),
      clock_period_(clock_period),
      rise_(core::Rank::Access, [this] { raise_irq(); }) {}

tlm::tlm_response_status AcceleratorTarget::access(command::RegisterAccess& access) {
  BusRequest request;
  request.write = access.write;
  request.address = access.address;
  if (request.write) std::memcpy(&request.data, access.data, 4);
  request.start = std::max(access.at, busy_until_);
  BusResponse response;
  try {
    response = core_->access(request);
  } catch (const core::SimulationError& error) {
    SC_REPORT_ERROR("/platter/accelerator", error.what());
    return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  if (!request.write) std::memcpy(access.data, &response.data, 4);
  access_cycles_ += response.cycles;
  access.took = request.start - access.at + clock_period_ * response.cycles;
  // Work may end before the access itself does; even then the master's next access begins after this one.
  if (response.busy_cycles != 0) busy_until_ = request.start + clock_period_ * std::max(response.busy_cycles, response.cycles);
  // The interrupt follows DONE & IRQ_EN. A rise is notified for its own time. A fall cancels a rise that has not yet happened,
  // because then the master is ahead of the kernel.
  if (response.irq_cycles != 0) {
    announce_irq(request.start + clock_period_ * response.irq_cycles);
  } else if (response.irq && !irq_ && !rising_) {
    announce_irq(request.start + clock_period_);  // enabled while DONE was set
  } else if (!response.irq) {
    if (rising_) rise_.cancel();
    rising_ = false;
    if (irq_) irq_o.write(irq_ = false);
  }
  return response.ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE;
}

void AcceleratorTarget::announce_irq(Picoseconds when) {
  rising_ = true;
  rise_.at(when);
}

void AcceleratorTarget::raise_irq() {
  rising_ = false;
  irq_o.write(irq_ = true);
}

}  // namespace platter::accelerator
