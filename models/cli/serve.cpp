// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/front/serving/file_descriptor.h"
#include "platter/system/serve_run.h"
#include "simulation.h"

namespace platter::cli {

namespace {

/// While it lives, SIGTERM and SIGINT do not end the process but make a file descriptor readable.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
    fd_ = serving::FileDescriptor(signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_) throw std::system_error(errno, std::generic_category(), "signalfd");
  }
  /// What has come is taken away; from now on a signal ends the process.
  ~StopSignals() {
    signalfd_siginfo info{};
    while (read(fd_.get(), &info, sizeof info) > 0) {
    }
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return fd_.get(); }

 private:
  sigset_t signals_{};
  sigset_t before_{};
  serving::FileDescriptor fd_;
};

serving::Pacing pacing_of(const std::string& text) {
  try {
    return serving::Pacing::parse(text);
  } catch (const std::invalid_argument& error) {
    throw core::InputError("--pacing", 0, 0, error.what());
  }
}

}  // namespace

int serve(const ServeOptions& options) {
  system::ServeOptions serving;
  serving.pacing = pacing_of(options.pacing);
  if (options.nbd.empty() && options.iscsi.empty() && options.vfio_user.empty())
    throw core::InputError("platter serve", 0, 0, "expected --nbd, --iscsi or --vfio-user, by which clients find the drives");
  Simulation simulation(options);
  serving.run = simulation.leaves();
  serving.nbd = options.nbd;
  serving.nbd_memory = options.nbd_memory;
  serving.iscsi = options.iscsi;
  serving.iscsi_remote = options.iscsi_remote;
  serving.vfio_user = options.vfio_user;
  serving.control = options.control;
  serving.images.assign(options.images.begin(), options.images.end());
  serving.disks.assign(options.disks.begin(), options.disks.end());
  serving.listening = [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  serving.warning = [](const std::string& line) { fmt::print(stderr, "platter: warning: {}\n", line); };
  std::unique_ptr<system::RunIf> made;
  {
    const StopSignals signals;
    serving.stop_fd = signals.fd();
    made = system::make_serve_run(simulation.scenario(), serving);
    made->run();
  }
  return simulation.leave(*made);
}

}  // namespace platter::cli
