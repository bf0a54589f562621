// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/host/autoqos/qos_manager.h"

namespace platter::host::autoqos {

/// AutoQoS above one drive: at the end of each window it reads the drive's counters by class through its registers (DriveRegisters), asks the
/// manager, and writes the rate of the token bucket. Registers it cannot read or write are reported as "/platter/autoqos/register".
class AutoQos : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(AutoQos);
  /// `opened` says how many multimedia streams were opened so far; empty: nobody knows, and only the rates speak. `window` > 0.
  AutoQos(const sc_core::sc_module_name& name, const QosManagerOptions& options, Picoseconds window,
          std::function<std::uint64_t()> opened = {});

  tlm_utils::simple_initiator_socket<AutoQos> register_init_socket;

  /// A window, and what was decided at its end.
  struct Record {
    QosWindow window;
    QosState state;
    std::uint32_t limit;  ///< bytes/s, 0: none
    std::uint64_t multimedia_rate;
    std::uint64_t aggregate_rate;
  };
  const std::vector<Record>& records() const { return records_; }

 private:
  void run();
  std::uint32_t access(tlm::tlm_command command, std::uint32_t address, std::uint32_t data);
  std::uint64_t read64(std::uint32_t address);
  /// Read and written, from time 0.
  std::uint64_t bytes(core::RequestClass cls);

  QosManager manager_;
  Picoseconds window_;
  std::function<std::uint64_t()> opened_;
  std::vector<Record> records_;
};

}  // namespace platter::host::autoqos
