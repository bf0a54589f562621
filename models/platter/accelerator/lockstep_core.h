// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platter/accelerator/bus_core.h"
#include "platter/accelerator/reference_core.h"
#include "platter/core/error.h"

namespace platter::accelerator {

/// The first difference between reference model and RTL.
class LockstepMismatch : public core::SimulationError {
 public:
  using core::SimulationError::SimulationError;
};

/// Reference model and RTL side by side: both get every access, and data, response, cycles and interrupt must be equal. The
/// first difference throws LockstepMismatch with both states; the accesses since the last checkpoint are
/// kept, so that they can be run again with waves.
class LockstepCore : public BusCoreIf {
 public:
  struct Statistics {
    std::uint64_t responses = 0;
    std::uint64_t decisions = 0;  ///< operations: DECIDE and CLUSTER
    std::uint64_t mismatches = 0;
  };

  LockstepCore(std::unique_ptr<ReferenceCore> model, std::unique_ptr<BusCoreIf> rtl);

  BusResponse access(const BusRequest& request) override;
  void reset() override;

  const Statistics& statistics() const { return statistics_; }
  BusCoreIf& rtl() { return *rtl_; }
  /// Called with the report before the exception leaves; e.g. to write the waves of the last accesses.
  void on_mismatch(std::function<void(const LockstepCore&, const std::string& report)> handler) {
    handler_ = std::move(handler);
  }

  /// Brings another core, fresh from its reset, to the state of the last checkpoint and gives it the accesses since:
  /// for waves, not to be compared. Registers that only an operation writes (RESULT to ORDER_TAGS2) are right after the
  /// first of its kind since; the counters start at 0. All that a DECIDE keeps for the next one is stale: the first with
  /// the guard works it out anew, so it may take more cycles than it did.
  void replay(BusCoreIf& core) const;

 private:
  static constexpr std::size_t kCheckpointAccesses = 4096;

  void checkpoint();
  [[noreturn]] void fail(const BusRequest& request, const BusResponse& model, const BusResponse& rtl);

  std::unique_ptr<ReferenceCore> model_;
  std::unique_ptr<BusCoreIf> rtl_;
  ReferenceCore::State checkpoint_;
  std::vector<BusRequest> since_;
  Statistics statistics_;
  std::function<void(const LockstepCore&, const std::string&)> handler_;
};

/// Every readable register of a core, one a line: "NAME = 0x…".
std::string dump_registers(BusCoreIf& core);

}  // namespace platter::accelerator
