// SPDX-License-Identifier: Apache-2.0
#include "platter/front/ahci/ahci_target.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace platter::ahci {

AhciTarget::AhciTarget(const sc_core::sc_module_name& name, const std::vector<AtaIdentity>& devices,
                       const AtaDevice::Options& options)
    : sc_module(name),
      registers_("register_tgt_socket", *this, {reg::kBytes, 1, 8}, command::RegisterTime::Kernel),
      register_tgt_socket(registers_.socket),
      dma_init_socket("dma_init_socket"),
      interrupt("interrupt") {
  if (devices.empty() || devices.size() > reg::kMaxPorts)
    throw std::invalid_argument("an AHCI adapter has 1 to " + std::to_string(reg::kMaxPorts) + " ports");
  for (const AtaIdentity& device : devices)
    ports_.push_back(std::make_unique<AhciPort>(("port" + std::to_string(ports_.size())).c_str(), device, options,
                                                static_cast<DmaIf&>(*this), interrupt_changed_));
  for (std::uint32_t i = 0; i < ports_.size(); ++i) ports_[i]->set_probes(probes_, i);
  SC_METHOD(drive_interrupt);
  sensitive << interrupt_changed_;
}

std::uint32_t AhciTarget::pending() const {
  std::uint32_t bits = is_;
  for (std::size_t i = 0; i < ports_.size(); ++i) bits |= ports_[i]->interrupts() ? 1u << i : 0;
  return bits;
}

void AhciTarget::drive_interrupt() {
  is_ = pending();
  interrupt.write(enabled_ && is_ != 0);
}

std::uint32_t AhciTarget::read(std::uint32_t offset) const {
  const auto ports = static_cast<std::uint32_t>(ports_.size());
  if (offset >= reg::kPorts) {
    const std::uint32_t number = (offset - reg::kPorts) / reg::kPortBytes;
    return number < ports ? ports_[number]->read((offset - reg::kPorts) % reg::kPortBytes) : 0;
  }
  switch (offset) {
    case reg::kCap:
      return reg::kCap64 | reg::kCapNcq | reg::kCapClo | 3u << reg::kCapSpeedPlace | reg::kCapAhciOnly | reg::kCapPmd |
             reg::kCapPartial | reg::kCapSlumber | (reg::kSlots - 1) << reg::kCapSlotsPlace | (ports - 1);
    case reg::kGhc: return reg::kGhcAhci | (enabled_ ? reg::kGhcInterrupts : 0);
    case reg::kIs: return pending();
    case reg::kPi: return (1u << ports) - 1;
    case reg::kVs: return reg::kVsValue;
    default: return 0;
  }
}

void AhciTarget::write(std::uint32_t offset, std::uint32_t data, std::uint32_t mask) {
  is_ = pending();
  if (offset >= reg::kPorts) {
    const std::uint32_t number = (offset - reg::kPorts) / reg::kPortBytes;
    if (number < ports_.size()) ports_[number]->write((offset - reg::kPorts) % reg::kPortBytes, data, mask);
    return;
  }
  if (offset == reg::kGhc) {
    if ((data & mask & reg::kGhcReset) != 0) {
      enabled_ = false;
      is_ = 0;
      for (const auto& port : ports_) port->reset();
    } else if ((mask & reg::kGhcInterrupts) != 0) {
      enabled_ = (data & reg::kGhcInterrupts) != 0;
    }
  } else if (offset == reg::kIs) {
    is_ &= ~(data & mask);
    is_ = pending();
  }
  interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
}

tlm::tlm_response_status AhciTarget::access(command::RegisterAccess& access) {
  for (std::uint32_t at = 0; at < access.bytes; at += 4) {
    const std::uint32_t offset = (access.address + at) & ~3u;
    const std::uint32_t part = access.bytes < 4 ? access.bytes : 4;
    const std::uint32_t shift = 8 * (access.address % 4);
    std::uint32_t word = 0;
    if (access.write) {
      std::memcpy(&word, access.data + at, part);
    } else {
      word = read(offset) >> shift;
      std::memcpy(access.data + at, &word, part);
    }
    const RegisterReport report{access.at, access.address + at, word, access.write};
    probes_.tell([&report](AhciProbeIf& probe) { probe.accessed(report); });
    if (access.write) write(offset, word << shift, (part == 4 ? ~0u : (1u << 8 * part) - 1) << shift);
  }
  return tlm::TLM_OK_RESPONSE;
}

bool AhciTarget::transfer(tlm::tlm_command command, std::uint64_t address, void* data, std::uint32_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  dma_init_socket->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  return payload.is_response_ok();
}

}  // namespace platter::ahci
