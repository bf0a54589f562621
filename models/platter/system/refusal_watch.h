// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <systemc>

#include "platter/core/error.h"
#include "platter/workload/initiator.h"

namespace platter::system {

/// Stops the run at the first rejected request, unless its drive, or every drive of an array that holds its data, has failed.
class RefusalWatch : public workload::RequestObserverIf {
 public:
  void issued(const workload::Request& /*request*/) override {}
  void finished(const workload::FinishedRequest& finished) override {
    using command::CommandStatus;
    if (finished.status == CommandStatus::Good || finished.status == CommandStatus::DriveFailed ||
        finished.status == CommandStatus::NoCopy || refused_)
      return;
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
