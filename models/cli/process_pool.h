// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace platter::cli {

/// What a process has found out, or why not.
struct ProcessAnswer {  // NOLINT(bugprone-exception-escape): moving a json value throws nothing
  nlohmann::json result;
  std::string error;
  int code = 1;  ///< an exit code of the command
};

/// Runs `job(0)` … `job(count - 1)` in processes of their own, `limit` at a time: the SystemC kernel elaborates one design a
/// process. `noun`, "3 of 7 noun", is shown on stderr where that is a terminal; empty: nothing. A job's exceptions become its answer.
std::vector<ProcessAnswer> run_processes(std::size_t count, std::size_t limit,
                                         const std::function<nlohmann::json(std::size_t)>& job, const std::string& noun);

}  // namespace platter::cli
