// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/python_policy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "platter/core/error.h"
#include "platter/scheduling/own_policies.h"

namespace platter::scheduling {

namespace {

// --- processes -------------------------------------------------------------------------------------------------------

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }
  void reset() {
    if (number_ >= 0) close(std::exchange(number_, -1));
  }
  int get() const { return number_; }

 private:
  int number_ = -1;
};

/// Both ends of a connection. It raises no signal when the other end has gone.
std::pair<Descriptor, Descriptor> make_connection() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw core::SimulationError(fmt::format("no connection to a process: {}", std::strerror(errno)));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Starts the interpreter on the module of policies. Its standard output is ours for errors; `given` become its descriptors 3, 4, ...; returns 0 and
/// the reason in `errno` if it cannot be started.
pid_t start(std::vector<std::string> words, const std::vector<int>& given, int output) {
  const char* const named = std::getenv("PLATTER_PYTHON");
  words.insert(words.begin(), {named != nullptr && *named != '\0' ? named : "python3", "-m", "platter_lab.policy_process"});
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string seed = "PYTHONHASHSEED=0";  // the order of a set is part of a policy's decisions
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, "PYTHONHASHSEED=", 15) != 0) variables.push_back(*variable);
  variables.push_back(seed.data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  constexpr int kFirst = 3;
  std::vector<Descriptor> above;  // copies that are no target
  above.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    above.emplace_back(fcntl(given[i], F_DUPFD_CLOEXEC, kFirst + static_cast<int>(given.size())));
    posix_spawn_file_actions_adddup2(&actions, above.back().get(), kFirst + static_cast<int>(i));
  }
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  errno = error;
  return error == 0 ? pid : 0;
}

using Clock = std::chrono::steady_clock;

/// Waits until a process has ended, and ends one that has not by then. It may have threads or copies of its own.
int status_of(pid_t pid, Clock::time_point limit = Clock::now() + std::chrono::seconds(kOwnPolicyLimit)) {
  constexpr useconds_t kPause = 2000;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
    if (Clock::now() >= limit) kill(pid, SIGKILL);
    usleep(kPause);
  }
  return ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The processes of all schedulers of a run end side by side. The last scheduler that goes waits for all of them, with one limit.
class Processes {
 public:
  void begin() { ++living_; }
  /// `pid`: 0 if there is none to wait for.
  void end(pid_t pid) {
    if (pid > 0) leaving_.push_back(pid);
    if (--living_ > 0) return;
    const Clock::time_point limit = Clock::now() + std::chrono::seconds(kOwnPolicyLimit);
    for (const pid_t one : leaving_) status_of(one, limit);
    leaving_.clear();
  }

 private:
  int living_ = 0;
  std::vector<pid_t> leaving_;
};
Processes& processes() {
  static Processes all;
  return all;
}

/// Waits until there is something to read, or the other end has gone. Returns false after so many seconds.
bool can_be_read(int connection, int seconds) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd ready{connection, POLLIN, 0};
    const int polled = poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (polled > 0 || (polled < 0 && errno != EINTR)) return true;
    if (polled == 0) return false;
  }
}

/// Seconds in which a file must be loaded, with all that it imports, and its policy constructed.
constexpr int kLoadLimit = 60;

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = line.find('\t', at);
    parts.push_back(line.substr(at, end - at));
    if (end == std::string::npos) return parts;
    at = end + 1;
  }
}

// --- the shared memory -----------------------------------------------------------------------------------------------

/// Numbers before the columns; platter_lab.policy_process has the same order.
enum Word : std::size_t { kCount, kNow, kCylinder, kHead, kLastWasWrite, kAnswer, kWords = 8 };
/// Columns of the queue, each with a number for every command, the oldest first.
enum Column : std::size_t {
  kTag,
  kArrival,
  kDeadline,
  kClass,
  kStream,
  kWrite,
  kBlock,
  kBlocks,
  kCommandCylinder,
  kCommandHead,
  kPositioning,
  kColumns
};

class PythonScheduler : public FlatScheduler {
 public:
  PythonScheduler(const PythonPolicy& python, const SchedulerContext& context)
      : FlatScheduler(context.capacity),
        python_(python),
        planner_(context.planner),
        capacity_(context.capacity),
        owner_(getpid()) {
    const std::size_t bytes = (kWords + kColumns * capacity_) * sizeof(std::int64_t);
    const Descriptor memory(memfd_create("platter-policy", MFD_CLOEXEC));
    if (memory.get() < 0 || ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) fail(std::strerror(errno));
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
    if (mapped == MAP_FAILED) fail(std::strerror(errno));
    words_ = static_cast<std::int64_t*>(mapped);
    bytes_ = bytes;
    auto [ours, its] = make_connection();
    std::vector<std::string> words{"serve", python.file, fmt::format("{}", capacity_)};
    for (std::size_t i = 0; i < python.parameters.size(); ++i) words.push_back(fmt::format("{}", context.parameters.own[i]));
    pid_ = start(std::move(words), {its.get(), memory.get()}, STDERR_FILENO);
    if (pid_ == 0) fail(std::strerror(errno));
    processes().begin();
    connection_ = std::move(ours);
  }

  PythonScheduler(const PythonScheduler&) = delete;
  PythonScheduler& operator=(const PythonScheduler&) = delete;
  ~PythonScheduler() override {
    connection_.reset();  // it ends where there is nothing more to read
    if (words_ != nullptr) munmap(words_, bytes_);
    processes().end(owner_ == getpid() ? pid_ : 0);
  }

  DecisionWork work(const HeadState& /*head*/) override { return {commands().size(), 0, python_.cycles}; }

  Decision pick(const HeadState& head, Picoseconds now) override {
    if (commands().empty()) return {};
    tell(head, now);
    const std::int64_t answer = answer_of();
    return answer < 0 ? Decision{} : Decision::serve(Tag(static_cast<std::uint16_t>(answer)));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw core::SimulationError(fmt::format("policy own:{}: {}", python_.file, what));
  }

  void tell(const HeadState& head, Picoseconds now) {
    words_[kCount] = static_cast<std::int64_t>(commands().size());
    words_[kNow] = now;
    words_[kCylinder] = head.cylinder.value;
    words_[kHead] = head.head.value;
    words_[kLastWasWrite] = head.last_was_write ? 1 : 0;
    std::int64_t* row = words_ + kWords;
    for (const Command* command : commands()) {
      const auto set = [&](Column column, std::int64_t value) { row[column * capacity_] = value; };
      const Extent& extent = command->extent;
      set(kTag, command->tag.value);
      set(kArrival, command->arrival);
      set(kDeadline, command->deadline);
      set(kClass, static_cast<std::int64_t>(command->cls));
      set(kStream, command->stream);
      set(kWrite, extent.write ? 1 : 0);
      set(kBlock, static_cast<std::int64_t>(extent.first.value));
      set(kBlocks, extent.blocks);
      set(kCommandCylinder, extent.cylinder.value);
      set(kCommandHead, extent.head.value);
      set(kPositioning,
          planner_.estimate_without_deviation(head, extent, now, command->data_ready, command->overhead_end).positioning());
      ++row;
    }
  }

  /// Waits for the answer of the process.
  std::int64_t answer_of() {
    if (owner_ != getpid()) fail("a copy of the process cannot ask it; expected a run without copies");
    if (!constructed_) await("its file and its constructor have", kLoadLimit);
    constructed_ = true;
    const char byte = 0;
    send(connection_.get(), &byte, 1, MSG_NOSIGNAL);
    await("pick has", kOwnPolicyLimit);
    return words_[kAnswer];
  }

  /// Waits for a byte of the process. `what`: begins a message.
  void await(const char* what, int seconds) {
    char byte = 0;
    if (!can_be_read(connection_.get(), seconds)) {
      kill(pid_, SIGKILL);
      fail(fmt::format("{} not returned within {} s", what, seconds));
    }
    if (recv(connection_.get(), &byte, 1, 0) != 1) fail("its process has ended; the standard error has its message");
  }

  const PythonPolicy& python_;
  const AccessPlanner& planner_;
  std::size_t capacity_;
  pid_t owner_;
  std::int64_t* words_ = nullptr;
  std::size_t bytes_ = 0;
  Descriptor connection_;
  pid_t pid_ = 0;
  bool constructed_ = false;
};

}  // namespace

std::unique_ptr<PythonPolicy> read_python_policy(const std::string& file, std::string& objection) {
  auto [output, end] = make_connection();
  const pid_t pid = start({"describe", file}, {}, end.get());
  end.reset();
  if (pid == 0) {
    objection = fmt::format("{}: no Python: {}; expected python3, or the variable PLATTER_PYTHON", file, std::strerror(errno));
    return nullptr;
  }
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    if (!can_be_read(output.get(), kLoadLimit)) {
      kill(pid, SIGKILL);
      status_of(pid);
      objection =
          fmt::format("{}: it was not loaded within {} s, expected a file that only declares its policy", file, kLoadLimit);
      return nullptr;
    }
    const ssize_t got = recv(output.get(), piece.data(), piece.size(), 0);
    if (got == 0) break;
    if (got > 0)
      text.append(piece.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR)
      break;
  }
  if (status_of(pid) != 0) {
    objection = fmt::format(
        "{}: it offers no policy; expected one class of platter_lab.policy.Policy, and a Python with the package platter_lab "
        "(variable PLATTER_PYTHON)",
        file);
    return nullptr;
  }
  // A line with description and cycles, and a line for each parameter: name, meaning, least, most.
  auto python = std::make_unique<PythonPolicy>();
  python->file = file;
  std::vector<std::pair<double, double>> ranges;
  for (std::size_t at = 0, end_of_line = 0; (end_of_line = text.find('\n', at)) != std::string::npos; at = end_of_line + 1) {
    const std::vector<std::string> parts = fields(text.substr(at, end_of_line - at));
    if (at == 0) {
      python->description = parts.at(0);
      python->cycles = std::stoull(parts.at(1));
      continue;
    }
    python->words.insert(python->words.end(), {parts.at(0), parts.at(1)});
    ranges.emplace_back(std::stod(parts.at(2)), std::stod(parts.at(3)));
  }
  for (std::size_t i = 0; i < ranges.size(); ++i)
    python->parameters.push_back(
        {python->words[2 * i].c_str(), python->words[2 * i + 1].c_str(), ranges[i].first, ranges[i].second});
  python->policy = {python->description.c_str(), python->parameters.data(),
                    static_cast<std::uint32_t>(python->parameters.size()), nullptr};
  return python;
}

std::unique_ptr<SchedulerIf> create_python(const PythonPolicy& python, const SchedulerContext& context) {
  return std::make_unique<PythonScheduler>(python, context);
}

}  // namespace platter::scheduling
