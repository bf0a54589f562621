// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platter/accelerator/bus_core.h"
#include "platter/accelerator/reference_core.h"
#include "platter/core/error.h"
#include "platter/core/random.h"

namespace platter::accelerator {

/// The first difference between reference model and RTL.
class LockstepMismatch : public core::SimulationError {
 public:
  using core::SimulationError::SimulationError;
};

/// Which operations (DECIDE and CLUSTER) a lock-step compares: of every `interval` operations `compared` in succession, in a window
/// whose place within the interval is random, except that the first one begins at once. 0: all operations.
struct Sampling {
  std::uint64_t compared = 0;
  std::uint64_t interval = 0;
  std::uint64_t seed = 0;
  std::string name = "sched";  ///< of the drive: each has its own places

  bool all() const { return compared == 0; }
};

/// Reference model and RTL side by side. Both get every access; their data, responses, cycles and interrupts must be equal. The first difference
/// throws LockstepMismatch with both states. The accesses since the last checkpoint are kept, so that they can be replayed with waves.
///
/// With sampling, the RTL rests between windows and the model alone responds. A window begins before the first access at which the model's
/// state can be loaded into the RTL (load_state), and ends before the operation that would be one too many. Within a window every access
/// is compared. Of the counters the difference since the window's begin is compared; of a register that only an operation writes, what
/// the window's operations have written.
class LockstepCore : public BusCoreIf {
 public:
  LockstepCore(std::unique_ptr<ReferenceCore> model, std::unique_ptr<BusCoreIf> rtl, Sampling sampling = {});

  BusResponse access(const BusRequest& request) override;
  void reset() override;

  /// Compared responses, operations (DECIDE and CLUSTER) among them, mismatches; of a sampled lock-step windows.
  engine::EngineStatistics statistics() const override;
  const AcceleratorParameters& parameters() const { return model_->parameters(); }
  bool sampled() const { return !sampling_.all(); }
  RtlCore* rtl() override { return rtl_->rtl(); }
  /// Sets a handler that is called with the report before the exception is thrown, for example to write the waves of the last accesses.
  void on_mismatch(std::function<void(const LockstepCore&, const std::string& report)> handler) {
    handler_ = std::move(handler);
  }

  /// Brings another core, which must just have been reset, to the state of the last checkpoint (load_state) and repeats the accesses since.
  void replay(BusCoreIf& core) const;

 private:
  static constexpr std::size_t kCheckpointAccesses = 4096;

  void checkpoint();
  /// Before an access: begins a window that is due, ends one that is complete. Is the access compared?
  bool compares(const BusRequest& request);
  void begin_window(core::Picoseconds start);
  /// The RTL's response as it would be if the RTL had run from the beginning.
  void complete(const BusRequest& request, const BusResponse& model, BusResponse& rtl) const;
  void note_known(const BusRequest& request);
  [[noreturn]] void fail(const BusRequest& request, const BusResponse& model, const BusResponse& rtl);

  std::unique_ptr<ReferenceCore> model_;
  std::unique_ptr<BusCoreIf> rtl_;
  ReferenceCore::State checkpoint_;
  std::vector<BusRequest> since_;
  struct {
    std::uint64_t responses = 0;
    std::uint64_t operations = 0;
    std::uint64_t mismatches = 0;
    std::uint64_t windows = 0;
  } compared_;

  // Sampling.
  Sampling sampling_;
  core::RandomStream places_;
  bool window_ = true;
  std::uint64_t decided_ = 0;               ///< operations so far
  std::uint64_t interval_begin_ = 0;        ///< of the interval that has the present or the next window: its first operation
  std::uint64_t window_begin_ = 0;          ///< the operation before which the present or the next window begins
  std::uint64_t left_ = 0;                  ///< operations of the present window that are still to come
  bool seek_table_loaded_ = true;           ///< the RTL has the model's
  bool knows_decision_ = true;              ///< a DECIDE has written RESULT, RESULT_KEY and REFUSED
  bool knows_cluster_ = true;               ///< a CLUSTER has written CLUSTER_COUNT to ORDER_TAGS2
  bool knows_operation_ = true;             ///< either has written CYCLES
  bool knows_sweep_ = true;                 ///< NEXT, SWEEP, DUE
  std::array<std::uint32_t, 5> counted_{};  ///< the model's counters when the window began

  std::function<void(const LockstepCore&, const std::string&)> handler_;
};

/// Every readable register of a core, one a line: "NAME = 0x…".
std::string dump_registers(BusCoreIf& core);

}  // namespace platter::accelerator
