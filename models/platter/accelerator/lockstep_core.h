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

/// Reference model and RTL side by side. Both get every access; their data, responses, cycles and interrupts must be equal. The
/// first difference throws LockstepMismatch with both states. The accesses since the last checkpoint are kept, so that they can
/// be replayed with waves.
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
  /// Sets a handler that is called with the report before the exception is thrown, for example to write the waves of the last
  /// accesses.
  void on_mismatch(std::function<void(const LockstepCore&, const std::string& report)> handler) {
    handler_ = std::move(handler);
  }

  /// Brings another core, which must just have been reset, to the state of the last checkpoint and repeats the accesses since.
  /// This is for waves, not for comparison: registers that only an operation writes (RESULT to ORDER_TAGS2) are right only after
  /// the first such operation, and the counters start at 0. Everything that a DECIDE keeps for the next one is stale: the first
  /// DECIDE with the guard recomputes it, so it may take more cycles than it did originally.
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
