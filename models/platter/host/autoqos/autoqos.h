// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/host/autoqos/qos_manager.h"

namespace platter::host::autoqos {

/// AutoQoS above one drive. At the end of each window it reads the drive's counters of each class from its registers (DriveRegisters), calls the
/// manager, and writes the rate of the token bucket. Failed register accesses are reported as "/platter/autoqos/register".
class AutoQos : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(AutoQos);
  /// `opened` returns the number of multimedia streams opened so far; empty: unknown, and the manager uses only the rates. `window` > 0.
  AutoQos(const sc_core::sc_module_name& name, const QosManagerOptions& options, Picoseconds window,
          std::function<std::uint64_t()> opened = {});

  tlm_utils::simple_initiator_socket<AutoQos> register_init_socket;

  /// A window, and the decision at its end.
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
  /// Bytes read and written by class `cls`, from time 0.
  std::uint64_t bytes(core::RequestClass cls);

  QosManager manager_;
  Picoseconds window_;
  std::function<std::uint64_t()> opened_;
  std::vector<Record> records_;
};

}  // namespace platter::host::autoqos
