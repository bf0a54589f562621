// SPDX-License-Identifier: Apache-2.0
#include "platter/host/autoqos/autoqos.h"

#include <fmt/format.h>

#include <utility>

#include "platter/core/sc_time.h"
#include "platter/drive/drive_registers.h"

namespace platter::host::autoqos {

using core::RequestClass;
namespace reg = drive::reg;

AutoQos::AutoQos(const sc_core::sc_module_name& name, const QosManagerOptions& options, Picoseconds window,
                 std::function<std::uint64_t()> opened)
    : sc_module(name),
      register_init_socket("register_init_socket"),
      manager_(options),
      window_(window),
      opened_(std::move(opened)) {
  SC_THREAD(run);
}

std::uint32_t AutoQos::access(tlm::tlm_command command, std::uint32_t address, std::uint32_t data) {
  if (drive::access_register(register_init_socket, command, address, data) != tlm::TLM_OK_RESPONSE)
    SC_REPORT_ERROR("/platter/autoqos/register", fmt::format("the drive has no register 0x{:03x}", address).c_str());
  return data;
}

std::uint64_t AutoQos::read64(std::uint32_t address) {
  const std::uint64_t low = access(tlm::TLM_READ_COMMAND, address, 0);
  return low | std::uint64_t{access(tlm::TLM_READ_COMMAND, address + 4, 0)} << 32;
}

std::uint64_t AutoQos::bytes(RequestClass cls) {
  return read64(reg::counter(cls, reg::kReadBytes)) + read64(reg::counter(cls, reg::kWrittenBytes));
}

void AutoQos::run() {
  QosWindow before{0};  // counters from time 0
  // The drive may have begun with another limit.
  access(tlm::TLM_WRITE_COMMAND, reg::kTokenRate, manager_.limit());
  for (;;) {
    wait(core::to_sc_time(window_));
    const QosWindow now{before.length + window_, bytes(RequestClass::Continuous),
                        bytes(RequestClass::Discrete) + bytes(RequestClass::Background), opened_ ? opened_() : 0,
                        static_cast<Picoseconds>(read64(reg::kBusyLow))};
    const QosWindow window{window_, now.multimedia_bytes - before.multimedia_bytes,
                           now.best_effort_bytes - before.best_effort_bytes, now.opened - before.opened,
                           now.busy - before.busy};
    before = now;
    const std::uint32_t limit = manager_.limit();
    if (manager_.window(window) != limit) access(tlm::TLM_WRITE_COMMAND, reg::kTokenRate, manager_.limit());
    records_.push_back({window, manager_.state(), manager_.limit(), manager_.multimedia_rate(), manager_.aggregate_rate()});
  }
}

}  // namespace platter::host::autoqos
