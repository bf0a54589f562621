// SPDX-License-Identifier: Apache-2.0
//
// Fuzzer of every way into a simulation but its files of configuration (fuzz_readers.cpp): registers and frames of AHCI, the streams of vfio-user and
// NBD, the control socket, TLM payloads and phases, disk files and images. After each input everything that was begun must have ended, and a good
// client must be served. A crash, a report of a sanitizer, more than the time limit or more than the memory limit is a failure too.
//
// The inputs come in sessions of 500, each a process of its own that starts from the same state. So input N is the same in every run of a build, and is
// repeated by the inputs of its session before it and itself.
//
//   fuzz_protocols --protocol NAME --work FOLDER [--seed S] [--first N] [--count N] [--limit-s SECONDS]
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <systemc>

#include "../sanitized.h"
#include "options.h"
#include "protocol.h"

#ifdef PLATTER_SANITIZED
#include <sanitizer/asan_interface.h>
#endif

namespace platter::fuzz {

void clean_stack() {
#ifdef PLATTER_SANITIZED
  constexpr std::size_t kBelow = std::size_t{256} << 10;
  auto* const here = static_cast<char*>(__builtin_frame_address(0));
  __asan_unpoison_memory_region(here - kBelow, kBelow);
#endif
}

}  // namespace platter::fuzz

namespace {

namespace fs = std::filesystem;
using namespace platter::fuzz;

constexpr std::uint64_t kSession = 500;
constexpr long kMaxMemoryKb = 512 * 1024;  // beyond what the process had before the session

struct Options : CommonOptions {
  std::string protocol;
};

struct Row {
  const char* name;
  std::unique_ptr<Protocol> (*make)(const fs::path& work);
};
constexpr Row kProtocols[] = {
    {"ahci", make_ahci}, {"vfio-user", make_vfio_user}, {"nbd", make_nbd},    {"control", make_control},
    {"tlm", make_tlm},   {"disk", make_disk},           {"image", make_image}};

/// What the process of a session tells the one that waits for it.
struct Progress {
  std::uint64_t input = 0;
  std::uint64_t slowest = 0;
  double slowest_s = 0;
};

long memory_kb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// An error of SystemC is an exception; a warning that nobody expects is a failure.
void report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_WARNING)
    throw Wrong(fmt::format("SystemC warning {}: {}", report.get_msg_type(), report.get_msg()));
  if ((actions & sc_core::SC_THROW) != 0) throw report;
}

/// The inputs [from, to), after those of the session before them. Returns whether all is well.
bool run_session(Protocol& protocol, const Options& options, std::uint64_t from, std::uint64_t to, Progress& progress) {
  const long memory = memory_kb();
  try {
    protocol.begin();
    for (std::uint64_t n = from / kSession * kSession; n < to; ++n) {
      progress.input = n;
      clean_stack();
      Random random(options.seed * 0x9E3779B97F4A7C15u + n);
      const auto begin = std::chrono::steady_clock::now();
      alarm(static_cast<unsigned>(options.limit_s * 5) + 1);
      protocol.input(random);
      protocol.check(random);
      alarm(0);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (seconds > progress.slowest_s) {
        progress.slowest_s = seconds;
        progress.slowest = n;
      }
      expect(seconds <= options.limit_s, fmt::format("{:.2f} s", seconds));
      expect(memory_kb() - memory <= kMaxMemoryKb, fmt::format("{} KB of memory", memory_kb() - memory));
    }
    return true;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz_protocols: {}\n", error.what());
  }
  return false;
}

int usage(const std::string& what) {
  fmt::print(stderr, "fuzz_protocols: {}; see the head of fuzz_protocols.cpp\n", what);
  return 2;
}

[[maybe_unused]] const int kQuiet = setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);

}  // namespace

int sc_main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) return usage("a value is missing");
    const std::string value = argv[i + 1];
    if (name == "--protocol")
      options.protocol = value;
    else if (!options.set(name, value))
      return usage("unknown argument " + name);
  }
  const Row* row = nullptr;
  for (const Row& each : kProtocols)
    if (options.protocol == each.name) row = &each;
  if (row == nullptr) return usage("there is no protocol \"" + options.protocol + "\"");
  if (options.work.empty()) return usage("--work is needed");
  fs::create_directories(options.work);
  options.work = fs::canonical(options.work);

  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions("/platter/host_port/phase", sc_core::SC_ERROR,
                                          sc_core::SC_DO_NOTHING);  // they are counted
  sc_core::sc_report_handler::set_handler(report);
  std::unique_ptr<Protocol> protocol;
  try {
    protocol = row->make(options.work);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const std::exception& error) {
    return usage(error.what());
  }

  auto* const progress =
      static_cast<Progress*>(mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (progress == MAP_FAILED) return 2;
  new (progress) Progress;
  const std::uint64_t end = options.first + options.count;
  for (std::uint64_t from = options.first; from < end;) {
    const std::uint64_t to = std::min(end, (from / kSession + 1) * kSession);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) _exit(run_session(*protocol, options, from, to, *progress) ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
      const std::string how = WIFSIGNALED(status) ? fmt::format("ended the process with signal {}{}", WTERMSIG(status),
                                                                WTERMSIG(status) == SIGALRM ? " (it took too long)" : "")
                                                  : "fails";
      fmt::print(
          stderr, "fuzz_protocols: input {} of seed {} {}; again: {} --protocol {} --work {} --seed {} --first {} --count 1\n",
          progress->input, options.seed, how, argv[0], options.protocol, options.work.string(), options.seed, progress->input);
      return 1;
    }
    from = to;
  }
  fmt::print("{}: {} inputs from input {} of seed {}, the slowest {:.2f} s (input {})\n", options.protocol, options.count,
             options.first, options.seed, progress->slowest_s, progress->slowest);
  fs::remove_all(options.work);
  return 0;
}
