// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "platter/observe/output_file.h"

namespace platter::cli {

namespace {

constexpr std::array<int, 6> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU};

/// Process ids of running children; 0: free entry.
std::array<std::atomic<pid_t>, 4096> children{};

/// Async-signal-safe: it only reads tables of atomics and makes system calls.
extern "C" void end_by(int signal) {
  for (const auto& child : children)
    if (const pid_t pid = child.load(); pid > 0) kill(pid, SIGTERM);
  for (const auto& child : children)
    if (const pid_t pid = child.load(); pid > 0)
      while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
  observe::OutputFile::discard_all();
  _exit(128 + signal);
}

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

}  // namespace

void end_cleanly_on_signals() {
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding a file size limit is a write error
  struct sigaction action{};
  action.sa_handler = end_by;
  action.sa_mask = ending_signals();
  for (const int signal : kSignals) {
    struct sigaction before{};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

pid_t fork_child() {
  // Blocks signals between the start of the child and its entry in the table.
  const sigset_t ending = ending_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &ending, &before);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    for (auto& child : children) child.store(0);
    observe::OutputFile::forget_all();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // in case a signal that it cannot handle kills the parent
    if (getppid() != parent) _exit(128 + SIGTERM);
#endif
  } else if (pid > 0) {
    for (auto& child : children) {
      pid_t free = 0;
      if (child.compare_exchange_strong(free, pid)) break;
    }
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

void forget_child(pid_t pid) noexcept {
  for (auto& child : children) {
    pid_t noted = pid;
    if (child.compare_exchange_strong(noted, 0)) return;
  }
}

}  // namespace platter::cli
