// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platter/scheduling/own_policy.h"

namespace platter::scheduling {

/// What a Python file offers as a policy of a user's own.
struct PythonPolicy {
  std::string file;
  std::string description;
  std::vector<std::string> words;        ///< name and meaning of each parameter, one after the other
  std::vector<OwnParameter> parameters;  ///< whose texts are in `words`
  std::uint64_t cycles = 0;              ///< of the firmware's processor, besides those of a search through all commands
  OwnPolicy policy{};                    ///< without `create`
};

/// Asks the interpreter what the file offers; null, and why not, if it offers nothing. The interpreter is `PLATTER_PYTHON` of the environment, or
/// python3; it needs the package platter_lab. A traceback goes to the standard error.
std::unique_ptr<PythonPolicy> read_python_policy(const std::string& file, std::string& objection);

/// Makes a scheduler that asks a process of its own for each decision, over a memory that both share. It throws core::SimulationError where the process
/// ends or does not answer. `python` must outlive it.
std::unique_ptr<SchedulerIf> create_python(const PythonPolicy& python, const SchedulerContext& context);

}  // namespace platter::scheduling
