// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/ahci_waves.h"

namespace platter::observe {

using ahci::PortReport;
using params::SignalValue;

const std::vector<params::Signal<PortReport>>& ahci_port_signals() {
  using R = PortReport;
  static const std::vector<params::Signal<R>> signals = {
      {{"", "cmd", "PxCMD", 32}, 1, [](const R& r) { return SignalValue{std::uint64_t{r.cmd}}; }},
      {{"", "ci", "PxCI: slots with a command", 32}, 1, [](const R& r) { return SignalValue{std::uint64_t{r.ci}}; }},
      {{"", "sact", "PxSACT: tags of queued commands", 32}, 1, [](const R& r) { return SignalValue{std::uint64_t{r.sact}}; }},
      {{"", "in_drive", "slots whose commands are in the drive", 32},
       1,
       [](const R& r) { return SignalValue{std::uint64_t{r.in_drive}}; }},
      {{"", "is", "PxIS: events", 32}, 1, [](const R& r) { return SignalValue{std::uint64_t{r.is}}; }},
      {{"", "tfd", "PxTFD: error and status", 16}, 1, [](const R& r) { return SignalValue{std::uint64_t{r.tfd}}; }},
  };
  return signals;
}

const std::vector<params::Signal<AccessView>>& ahci_access_signals() {
  using V = AccessView;
  static const std::vector<params::Signal<V>> signals = {
      {{"", "offset", "register that the host has accessed last", 12},
       1,
       [](const V& v) { return SignalValue{std::uint64_t{v.last.offset}}; }},
      {{"", "data", "what it has read or written", 32}, 1, [](const V& v) { return SignalValue{std::uint64_t{v.last.data}}; }},
      {{"", "write", "it has written", 1}, 1, [](const V& v) { return SignalValue{std::uint64_t{v.last.write}}; }},
      {{"", "accesses", "so far", 32}, 1, [](const V& v) { return SignalValue{v.accesses}; }},
  };
  return signals;
}

AhciWaves::AhciWaves(ahci::AhciTarget& adapter, WaveFile& file, const std::string& scope)
    : adapter_(adapter), file_(file), host_(file.add(scope + ".host", params::rows_of(ahci_access_signals()))) {
  for (std::uint32_t port = 0; port < adapter.ports(); ++port)
    ports_.push_back(file.add(scope + ".port" + std::to_string(port), params::rows_of(ahci_port_signals())));
  adapter.add_probe(*this);
}

AhciWaves::~AhciWaves() { adapter_.remove_probe(*this); }

void AhciWaves::changed(const PortReport& report) {
  file_.set(ports_[report.port], ahci_port_signals(), report, 1, report.time);
}

void AhciWaves::accessed(const ahci::RegisterReport& report) {
  access_.last = report;
  ++access_.accesses;
  file_.set(host_, ahci_access_signals(), access_, 1, report.time);
}

}  // namespace platter::observe
