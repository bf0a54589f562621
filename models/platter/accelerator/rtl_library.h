// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/rtl_design.h"

namespace platter::accelerator {

/// Designs of sizes that are not part of the program, each a shared object. Some come with the build. Any other is verilated and compiled when
/// it is first used, and kept in a folder (docs/reference/scheduler_accelerator.md, "Sizes in a scenario"). The name of its entry has a digest of all
/// that it is made of, so a changed source makes another entry. An entry appears under its name when it is complete, and processes that need
/// the same one wait for the first of them. Lines on stderr say what is made, how long it takes and who is waited for.
class RtlLibrary {
 public:
  static RtlLibrary& instance();

  /// A design in a context that outlives it. Throws core::SimulationError where it can be neither found nor made.
  std::unique_ptr<RtlDesign> design(const AcceleratorParameters& parameters, RtlCopy copy, RtlContext& context,
                                    core::Picoseconds clock_period, const std::string& name);

  /// The folder of the package's data, where it is neither beside the program nor where the build has installed it. To be called before the first
  /// design is made.
  static void set_package(std::filesystem::path folder);
  /// Shared objects use the run-time of Verilator that is part of the program. Throws core::SimulationError if the program does not export it, as a
  /// shared library with a C interface does not. `what`: begins the message.
  static void require_run_time(const std::string& what);
  /// The folder of the sources from which shared objects are made; it also has the files of an engine of a user's own. Throws core::SimulationError
  /// where it cannot be found.
  static std::filesystem::path sources_folder();
  /// The folder of the entries: PLATTER_RTL_CACHE, else beside the build, else in the user's folder of caches. Empty if there is none.
  static std::filesystem::path cache_folder();

 private:
  RtlLibrary() = default;

  RtlDesignFunction* load(const AcceleratorParameters& parameters, RtlCopy copy);

  std::map<std::string, RtlDesignFunction*> loaded_;  ///< by name; objects are never unloaded
};

}  // namespace platter::accelerator
