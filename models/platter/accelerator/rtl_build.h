// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/rtl_design.h"
#include "platter/core/error.h"

namespace platter::accelerator {

/// A tool that failed. Its output is kept, because the folder in which it ran is removed.
class ToolFailure : public core::SimulationError {
 public:
  ToolFailure(const std::string& message, std::string output) : SimulationError(message), output_(std::move(output)) {}

  const std::string& output() const { return output_; }

 private:
  std::string output_;
};

/// What a shared object is made of: Verilator makes C++ of SystemVerilog, and the compiler makes the object of it and of one more unit.
struct ObjectRecipe {
  std::string what;                            ///< for messages, such as "this size of the RTL"
  std::string prefix;                          ///< of the Verilated class
  std::vector<std::string> verilator_options;  ///< without `--prefix`
  std::filesystem::path folder;                ///< of the sources; the tool's messages name them as seen from here
  std::vector<std::filesystem::path> files;    ///< the sources in the order in which they are read
  std::vector<std::string> compiler_options;   ///< of all units
  std::vector<std::string> fast_options;       ///< of the unit that runs in every cycle
  std::filesystem::path unit;                  ///< the C++ file with the functions of the object
  std::vector<std::string> unit_options;       ///< of that file
  std::filesystem::path headers;               ///< folder of the headers that it has in common with the program
  bool together = false;                       ///< all in one unit, with `fast_options`: takes half the time for a small design
  std::string instead = {};                    ///< what a user can take who lacks a tool; the end of a message
};

/// Among the headers: the names that Verilator's run-time has in the program (scripts/cmake/PlatterVerilator.cmake).
inline constexpr const char* kVerilatedNames = "platter/accelerator/verilated_names.h";

/// The options of the compiler for every shared object; `waves`: it can write waves, if this build can.
std::vector<std::string> object_options(bool waves);

/// Makes `object`, with everything else beside it. `say` gets a line for each step. Throws ToolFailure, or core::SimulationError with what is missing.
void make_object(const ObjectRecipe& recipe, const std::filesystem::path& object,
                 const std::function<void(const std::string&)>& say);

/// What Verilator says about the sources of `recipe` with all of its warnings (-Wall). Throws core::SimulationError if there is no
/// Verilator, or it fails.
std::string lint_object(const ObjectRecipe& recipe);

/// How a design becomes a shared object: Verilator makes C++ of the RTL, and the compiler makes the object of it and of rtl_shim.cpp. The sources are
/// the folder rtl_sources of the build or of the installed package: `plain` and `both_edges` with the RTL, `shim` with the C++.
class RtlBuild {
 public:
  RtlBuild(const AcceleratorParameters& parameters, RtlCopy copy, std::filesystem::path sources)
      : parameters_(parameters), copy_(copy), sources_(std::move(sources)) {}

  /// The options of Verilator and of the compiler, in one text: with the sources, all that the object is made of.
  std::string options() const;
  /// The sources in the order in which they are read.
  std::vector<std::filesystem::path> files() const;
  /// About how long it takes on one core of the machine on which the project measures.
  int expected_seconds() const;

  /// Makes `object`, with everything else beside it. `say` gets a line for each step. Throws core::SimulationError with the last lines of a tool's
  /// output, or with what is missing.
  void make(const std::filesystem::path& object, const std::function<void(const std::string&)>& say) const;

 private:
  bool fast() const { return copy_ != RtlCopy::Waves; }
  std::filesystem::path rtl_folder() const { return sources_ / (fast() ? "both_edges" : "plain"); }
  std::vector<std::string> verilator_options() const;
  std::vector<std::string> compiler_options() const;
  std::vector<std::string> fast_options() const;

  AcceleratorParameters parameters_;
  RtlCopy copy_;
  std::filesystem::path sources_;
};

/// The text of a file; empty if it cannot be read.
std::string text_of(const std::filesystem::path& file);

}  // namespace platter::accelerator
