// SPDX-License-Identifier: Apache-2.0
#include "platter/system/exec_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/front/serving/file_descriptor.h"
#include "program_file.h"
#include "simulation.h"

namespace platter::cli {

namespace {

namespace fs = std::filesystem;

// What signal handlers need.
volatile pid_t exec_program = 0;  ///< 0: it has ended, and its number may be another process's
exec::Channel* exec_channel = nullptr;

extern "C" void exec_program_changed(int /*signal*/) {
  const int before = errno;
  exec::ring(*exec_channel);
  errno = before;
}
extern "C" void exec_pass_on(int signal) {
  const int before = errno;
  if (exec_program > 0) kill(exec_program, signal);
  errno = before;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}
bool is_ignored(int signal) {
  struct sigaction now{};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

/// The library that is preloaded into the program.
std::string preloaded_library() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::string file = "libplatter_exec.so";
  const fs::path installed = (folder / PLATTER_EXEC_FROM_PROGRAM / file).lexically_normal();
  const fs::path built = folder / file;
  const fs::path& found = fs::exists(installed, ignored) ? installed : built;
  if (!fs::exists(found, ignored))
    throw core::SimulationError(
        fmt::format("found neither {} nor {}, one of which platter exec needs", installed.string(), built.string()));
  if (found.string().find_first_of(" :") != std::string::npos)
    throw core::SimulationError(
        fmt::format("{}: found a space or a colon in the path, which LD_PRELOAD cannot name", found.string()));
  return found.string();
}

void check_device(const std::string& device) {
  const auto refuse = [&device](const char* expected) {
    throw core::InputError("--device", 0, 0, fmt::format("found \"{}\", expected {}", device, expected));
  };
  if (device.empty() || device.front() != '/') refuse("an absolute path");
  if (fs::path(device).lexically_normal() != fs::path(device) || device.back() == '/')
    refuse("the path of a file, without /../, /./ and // in it");
  if (device.size() >= exec::Channel::kMaxPath) refuse("a shorter path");
  struct stat facts{};
  if (lstat(device.c_str(), &facts) == 0)
    refuse("a path at which there is no file, because another process would open that file");
}

/// The program in its own process.
class Program {
 public:
  Program(const std::vector<std::string>& command, int stdout_fd)
      : command_(command), file_(find_program(command.front())), stdout_fd_(stdout_fd) {}

  /// Throws core::InputError if the system does not execute it.
  void start(exec::Channel& channel, const std::string& path) {
    const std::vector<std::string> variables = environment(path);
    std::vector<char*> argv = pointers(command_);
    std::vector<char*> envp = pointers(variables);
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    serving::FileDescriptor from(ends[0]);
    serving::FileDescriptor to(ends[1]);
    exec_channel = &channel;
    std::fflush(nullptr);
    handle(SIGCHLD, exec_program_changed);
    // A process inherits which signals are blocked.
    sigset_t needed{};
    sigset_t before{};
    sigemptyset(&needed);
    sigaddset(&needed, SIGCHLD);
    sigprocmask(SIG_UNBLOCK, &needed, &before);
    pid_ = fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) execute(argv, envp, before, to.get());
    exec_program = pid_;
    // The terminal sends these to the program, too. The drive remains until it has ended.
    for (const int signal : {SIGINT, SIGQUIT}) handle(signal, SIG_IGN);
    for (const int signal : {SIGTERM, SIGHUP})
      if (!is_ignored(signal)) handle(signal, exec_pass_on);
    to.close();
    int error = 0;
    while (read(from.get(), &error, sizeof error) < 0 && errno == EINTR) {
    }
    if (error == 0) return;
    wait();
    throw core::InputError(file_, 0, 0, std::strerror(error));
  }

  bool ended() {
    look(WNOHANG);
    return ended_;
  }
  void wait() {
    while (!ended_) look(0);
  }
  /// As a shell has it.
  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_); }

 private:
  void look(int options) {
    if (ended_ || waitpid(pid_, &status_, options) != pid_) return;
    ended_ = true;
    exec_program = 0;
  }

  static std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
    all.push_back(nullptr);
    return all;
  }

  static std::vector<std::string> environment(const std::string& channel) {
    std::vector<std::string> variables;
    std::string preload = "LD_PRELOAD=" + preloaded_library();
    const std::string channel_variable = std::string(exec::kChannelVariable) + "=";
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string text = *variable;
      if (text.rfind("LD_PRELOAD=", 0) == 0)
        preload += ":" + text.substr(std::strlen("LD_PRELOAD="));
      else if (text.rfind(channel_variable, 0) != 0)
        variables.push_back(text);
    }
    variables.push_back(preload);
    variables.push_back(channel_variable + channel);
    return variables;
  }

  /// In the child.
  [[noreturn]] void execute(std::vector<char*>& argv, std::vector<char*>& envp, const sigset_t& blocked, int report) {
    std::signal(SIGXFSZ, SIG_DFL);  // what end_cleanly_on_signals() ignores
    std::signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
    if (dup2(stdout_fd_, STDOUT_FILENO) >= 0) execve(file_.c_str(), argv.data(), envp.data());
    const int error = errno;
    if (write(report, &error, sizeof error) < 0) _exit(126);
    _exit(127);
  }

  const std::vector<std::string> command_;
  const std::string file_;
  const int stdout_fd_;
  pid_t pid_ = 0;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace

int exec(const ExecOptions& options) {
  if (options.program.empty())
    throw core::InputError("platter exec", 0, 0, "found no program, expected -- PROGRAM ARGUMENTS at the end");
  check_device(options.device);
  // The program has the standard output. All lines of this process go to the standard error.
  const serving::FileDescriptor output(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!output || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw std::system_error(errno, std::generic_category(), "standard output");
  Program program(options.program, output.get());
  preloaded_library();
  Simulation simulation(options);
  system::ExecOptions executing;
  executing.run = simulation.leaves();
  executing.device = options.device;
  executing.clock_cost = static_cast<core::Picoseconds>(options.clock_cost_ns) * 1000;
  executing.epoch_s = options.epoch_s;
  executing.image = options.image;
  executing.disk = options.disk;
  executing.start = [&program](exec::Channel& channel, const std::string& path) { program.start(channel, path); };
  executing.over = [&program] { return program.ended(); };
  executing.wait = [&program] { program.wait(); };
  const std::unique_ptr<system::RunIf> made = system::make_exec_run(simulation.scenario(), executing);
  made->run();
  const int left = simulation.leave(*made);
  return left != kGood ? left : program.exit_code();
}

}  // namespace platter::cli
