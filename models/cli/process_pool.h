// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace platter::cli {

/// The result of a process, or its error.
struct ProcessAnswer {  // NOLINT(bugprone-exception-escape): moving a json value throws nothing
  nlohmann::json result;
  std::string error;
  int code = 1;  ///< an exit code of the command
};

/// Runs `job(0)` … `job(count - 1)`, each in a process of its own, because the SystemC kernel elaborates one design a process. At most
/// `limit` run at a time. The progress, "3 of 7 noun", is shown on stderr if that is a terminal and `noun` is not empty. An exception of a
/// job is returned as its error.
std::vector<ProcessAnswer> run_processes(std::size_t count, std::size_t limit,
                                         const std::function<nlohmann::json(std::size_t)>& job, const std::string& noun);

/// Throws the error of a process again: core::InputError for bad input, core::SimulationError for any other. Does nothing if there was none.
void rethrow(const ProcessAnswer& answer);

}  // namespace platter::cli
