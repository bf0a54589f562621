// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <systemc>

#include "platter/core/error.h"
#include "platter/workload/initiator.h"

namespace platter::system {

/// Stops the run at the first request that is refused, because the scenario then does not fit its drive. A request that a failure or a fault of
/// the drive ends is no refusal.
class RefusalWatch : public workload::RequestObserverIf {
 public:
  void issued(const workload::Request& /*request*/) override {}
  void finished(const workload::FinishedRequest& finished) override {
    using command::CommandStatus;
    switch (finished.status) {
      case CommandStatus::Good:
      case CommandStatus::DriveFailed:
      case CommandStatus::NoCopy:
      case CommandStatus::Aborted:
      case CommandStatus::Unreadable:
      case CommandStatus::WriteFault:
      case CommandStatus::LimitBefore:
      case CommandStatus::LimitDuring:
      case CommandStatus::LimitInRecovery:
      case CommandStatus::Unavailable: return;
      default: break;
    }
    if (refused_) return;
    const workload::Request& r = finished.request;
    refused_ =
        fmt::format("the drive refused request {} ({} {} of {} bytes at byte {}): {}", finished.number, core::to_string(r.cls),
                    r.write() ? "write" : "read", r.length, r.address, command::to_string(finished.status));
    sc_core::sc_stop();
  }
  /// Throws core::InputError, at the scenario's file, if one was refused.
  void rethrow(const std::string& file) const {
    if (refused_) throw core::InputError(file, 0, 0, *refused_);
  }

 private:
  std::optional<std::string> refused_;
};

}  // namespace platter::system
