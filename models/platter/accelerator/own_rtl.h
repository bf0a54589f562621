// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "platter/accelerator/candidates_design.h"
#include "platter/accelerator/rtl_core.h"
#include "platter/core/error.h"

namespace platter::accelerator {

/// The RTL broke the contract of the port, or one of its assertions failed.
class OwnRtlFault : public core::SimulationError {
 public:
  using core::SimulationError::SimulationError;
};

/// An engine of a user's own behind the port `platter_candidates`: a folder with SystemVerilog and an adapter, of which a shared object is made when it
/// is first used (RtlLibrary has the same for sizes of the accelerator, and both keep their objects in the same folder). Every exchange runs the
/// clock until its handshake is made; between exchanges the clock rests.
class OwnRtl : public TracedDesignIf {
 public:
  /// Makes the shared object, unless it is there. Returns the module's name. Throws core::InputError about a file of the folder that is missing or does
  /// not compile, and core::SimulationError where a tool is missing. Lines on stderr say what is made.
  static std::string build(const std::string& folder);
  /// The warnings of Verilator's lint (-Wall) about the sources of such a folder, each a line: "FILE:LINE:COLUMN: warning: text [CODE]". Throws as
  /// build().
  static std::vector<std::string> lint(const std::string& folder);
  /// The folder of the files that an engine begins with (rtl/own_engine).
  static std::filesystem::path template_folder();

  /// As build(). `tracing`: null for a design without waves. `name`: of its scope in the wave file.
  OwnRtl(const std::string& folder, core::Picoseconds clock_period, RtlCore::Tracing tracing = nullptr,
         const std::string& name = "own");
  ~OwnRtl() override;

  /// Commands that the table holds; no more than the port can tell.
  std::uint32_t depth() const { return std::min<std::uint32_t>(design_->depth(), kTags); }
  void reset();
  /// Make one exchange, and return the cycles that it has taken. `start`: when it begins. Throw OwnRtlFault.
  std::uint32_t update(const CandidateUpdate& update, core::Picoseconds start);
  std::uint32_t decide(const CandidateQuestion& question, core::Picoseconds start, CandidateAnswer& answer);
  PortPins pins() const { return design_->pins(); }

  void declare(RtlWaves& file) override;
  void set_sampler(WaveSamplerIf* sampler) override { design_->set_sampler(sampler); }

  const std::string& folder() const { return folder_; }
  core::Picoseconds clock_period() const { return clock_period_; }
  /// False if there were more exchanges than are kept (kMaxRecord).
  bool can_replay() const { return recorded_; }
  /// When the last exchanges began, at most so many.
  core::Picoseconds begin_of_last(std::size_t exchanges) const;
  /// Makes the same exchanges with another design of the same folder, whose faults are ignored.
  void replay(OwnRtl& other) const;

 private:
  static constexpr std::size_t kMaxRecord = 4'000'000;
  static constexpr std::size_t kTags = 1024;  ///< that the port can tell

  struct Reset {};
  struct Exchange {
    core::Picoseconds start;
    std::variant<CandidateUpdate, CandidateQuestion, Reset> what;
  };

  void record(core::Picoseconds start, const std::variant<CandidateUpdate, CandidateQuestion, Reset>& what);
  void check(const PortResult& result) const;

  std::string folder_;
  std::string notation_;
  core::Picoseconds clock_period_;
  RtlCore::Tracing context_;  // outlives the design
  bool is_traced_;
  std::unique_ptr<CandidatesDesign> design_;
  std::vector<bool> held_;  ///< by tag: the command is in the table
  std::vector<Exchange> exchanges_;
  bool recorded_ = true;
};

}  // namespace platter::accelerator
