// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platter/front/serving/pacing.h"
#include "platter/system/run.h"

namespace platter::system {

/// How a scenario's drives are offered to clients.
struct ServeOptions {
  RunOptions run;
  std::string nbd;               ///< address of a server of network block devices; empty: none
  std::uint64_t nbd_memory = 0;  ///< bytes for the data of its clients' requests; 0: nbd::ServerOptions' default
  std::string iscsi;             ///< HOST:PORT of an iSCSI target; empty: none
  bool iscsi_remote = false;     ///< that address may be one that other machines reach
  std::string vfio_user;         ///< path of a Unix socket for a virtual machine; empty: none
  std::string control;           ///< path of a Unix socket that takes commands (serving::ControlServer); empty: none
  serving::Pacing pacing;
  std::vector<std::filesystem::path> images;  ///< first contents of the drives, in their order
  std::vector<std::filesystem::path> disks;   ///< files that have the drives' sectors, in their order; made if absent
  int stop_fd = -1;                           ///< readable when the run is to end
  std::function<void(const std::string& line)> listening;  ///< told where each drive is offered, once clients may come
  std::function<void(const std::string& line)> warning;    ///< told what the user would not expect of the result
};

/// The drives of a scenario, with their data, for clients outside of the simulation. `run` serves until `stop_fd` is readable. The load of the
/// scenario has no effect; of an array, each drive is offered alone.
///
/// Throws core::ConfigError for a scenario that cannot be served, core::InputError for an address or an image that cannot be used.
std::unique_ptr<RunIf> make_serve_run(const Scenario& scenario, const ServeOptions& options);

}  // namespace platter::system
