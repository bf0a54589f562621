// SPDX-License-Identifier: Apache-2.0
//
// Mutation fuzzer of every reader. Each input is a seed file, changed at random; case N of a seed is the same on every machine.
// A reader either takes it or throws core::ConfigError or core::InputError with a message that names the file (or `--set`): anything
// else, more than the time limit or more than the memory limit is a failure, which leaves the input behind.
//
//   fuzz_readers --seeds FOLDER --work FOLDER [--seed S] [--first N] [--count N] [--reader NAME] [--limit-s SECONDS]
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "../sanitized.h"
#include "options.h"
#include "platter/core/error.h"
#include "platter/import/disksim_import.h"
#include "platter/profile/parameters.h"
#include "platter/sheet/make_drive.h"
#include "platter/sheet/sheet.h"
#include "platter/system/drives.h"
#include "platter/system/scenario.h"
#include "platter/validation/measured_trace.h"
#include "platter/workload/fio_job_file.h"
#include "platter/workload/generators.h"
#include "platter/workload/job.h"
#include "platter/workload/stream_table.h"
#include "platter/workload/trace_reader.h"

namespace {

namespace fs = std::filesystem;
using namespace platter;

constexpr long kMaxMemoryKb = 512 * 1024;  // beyond what the process had before the case

struct Options : fuzz::CommonOptions {
  fs::path seeds;
  std::string reader;
};

/// One way in: the seeds of a folder, and what reads them.
struct Way {
  std::string name;
  std::string seeds;  ///< folder below the seeds
  bool packed;        ///< half of the inputs as gzip
  std::function<void(const fs::path&)> read;
};

fs::path configs() { return system::config_directory(); }

/// The file's text as the value of a --set of a scenario that is good.
void read_override(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  system::load_scenario(configs() / "scenarios" / "random_4k.toml", {text});
}

/// What a scenario asks of the generators, so that times made of its numbers are looked at too.
void read_scenario(const fs::path& file) {
  const system::Scenario s = system::load_scenario(file);
  if (s.discrete.source != "poisson") return;
  workload::RandomProducer::Options options;
  options.rate_per_s = s.discrete.generated.rate_per_s;
  options.mean_bytes = static_cast<double>(s.discrete.generated.mean_bytes);
  workload::RandomProducer producer({1'000'000, s.drive.geometry.sector_bytes}, options);
  workload::Request request;
  core::Picoseconds last = 0;
  for (int i = 0; i < 10 && producer.next(request, last); ++i) {
    if (request.issued < last) throw std::logic_error("an arrival lies before the one before it");
    last = request.issued;
  }
}

/// Jobs, and their first requests.
void read_jobs(const fs::path& file) {
  const system::Scenario s = system::load_scenario(file);
  const workload::Target target{1'000'000, s.drive.geometry.sector_bytes};
  for (std::size_t i = 0; i < s.jobs.size(); ++i) {
    if (workload::region_objection(s.jobs[i], target)) continue;
    workload::JobProducer producer(s.jobs[i], static_cast<std::int32_t>(i), 0, target, 1);
    workload::Request request;
    for (int k = 0; k < 50 && producer.next(request, core::kPicosecondsPerSecond); ++k)
      if (request.issued < 0 || request.length == 0 || request.length % target.block_bytes != 0 ||
          request.address + request.length > target.blocks * target.block_bytes)
        throw std::logic_error("a request goes back in time, is empty, or lies outside the drive");
  }
}

/// A trace as a load: every request is looked at.
void read_trace(const fs::path& file) {
  workload::TraceOptions options;
  options.device = "*";
  workload::TraceProducer producer(file, options, {std::uint64_t{1} << 40, 1}, {0.001, 0, 0});
  workload::Request request;
  core::Picoseconds last = 0;
  while (producer.next(request, 0)) {
    if (request.issued < last || request.length == 0) throw std::logic_error("a request goes back in time, or is empty");
    last = request.issued;
  }
}

/// Sorted, spread and scaled: what the options do with the numbers of a trace.
void read_ordered_trace(const fs::path& file) {
  workload::TraceOptions options;
  options.device = "*";
  options.sort_window = 8;
  options.spread_ps = core::kPicosecondsPerSecond;
  options.past_end = workload::PastEnd::Scale;
  options.capacity_bytes = std::uint64_t{1} << 30;
  workload::TraceReader reader(file, options);
  workload::TraceRecord record;
  std::int64_t last = 0;
  while (reader.next(record)) {
    if (record.time_ps < last || record.length_bytes == 0 || record.offset_bytes + record.length_bytes > options.capacity_bytes)
      throw std::logic_error("a request goes back in time, is empty, or lies outside the drive");
    last = record.time_ps;
  }
}

void read_sheet(const fs::path& file) {
  const sheet::Sheet sheet = sheet::load_sheet(file);
  const sheet::NewDrive drive = sheet::make_drive(sheet);
  sheet::profile_text(drive, sheet);
  std::vector<core::ConfigProblem> problems;
  system::check(drive.profile, "", sheet, {file.string(), 0, 0}, problems);
}

const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"scenario", "scenario", false, read_scenario},
      {"set", "set", false, read_override},
      {"jobs", "jobs", false, read_jobs},
      {"fio", "fio", false, [](const fs::path& f) { workload::import_fio(f, "cheetah9lp"); }},
      {"server", "server", false, [](const fs::path& f) { system::load_scenario(f); }},
      {"mixed-server", "mixed_server", false, [](const fs::path& f) { system::load_scenario(f); }},
      {"qos", "qos", false, [](const fs::path& f) { system::load_scenario(f); }},
      {"drive", "drive", false, [](const fs::path& f) { profile::to_toml(system::load_drive(f.string())); }},
      {"import", "import", false, [](const fs::path& f) { disksim::profile_file(disksim::import_drive(f.string())); }},
      {"sheet", "sheet", false, read_sheet},
      {"trace", "trace", true, read_trace},
      {"trace-info", "trace", true, [](const fs::path& f) { workload::summarize_trace(f, {}); }},
      {"trace-ordered", "trace", true, read_ordered_trace},
      {"measured", "measured", true, [](const fs::path& f) { validation::read_measured_trace(f); }},
      {"frames", "frames", true, [](const fs::path& f) { workload::StreamTable::load(f).peak_rate_bytes_per_s(1'000'000); }},
  };
  return all;
}

// --- mutations -------------------------------------------------------------------------------------------------------

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); }

/// Numbers at the edges of types, of units and of what a text may be.
const std::vector<std::string>& hostile() {
  static const std::vector<std::string> words = {"0",
                                                 "-0",
                                                 "-1",
                                                 "1",
                                                 "2",
                                                 "255",
                                                 "256",
                                                 "65535",
                                                 "65536",
                                                 "2147483647",
                                                 "2147483648",
                                                 "4294967295",
                                                 "4294967296",
                                                 "9007199254740993",
                                                 "9223372036854775807",
                                                 "-9223372036854775808",
                                                 "9223372036854775808",
                                                 "18446744073709551615",
                                                 "18446744073709551616",
                                                 "1e-7",
                                                 "1e-9",
                                                 "1e-308",
                                                 "1e308",
                                                 "1e400",
                                                 "-1e300",
                                                 "0.5",
                                                 "nan",
                                                 "-nan",
                                                 "inf",
                                                 "-inf",
                                                 "true",
                                                 "\"\"",
                                                 "\"text\"",
                                                 "[]",
                                                 "[[]]",
                                                 "{}",
                                                 "[1, nan]",
                                                 "0x7fffffffffffffff",
                                                 "1979-05-27",
                                                 "\n",
                                                 "\r\n",
                                                 "\t",
                                                 "\"",
                                                 "'",
                                                 "\"\"\"",
                                                 "[",
                                                 "]",
                                                 "{",
                                                 "}",
                                                 "=",
                                                 ".",
                                                 ",",
                                                 "#",
                                                 "\\",
                                                 "\xff",
                                                 "\xc3\x28",
                                                 "\xef\xbb\xbf",
                                                 std::string(1, '\0'),
                                                 "/",
                                                 "../",
                                                 "~",
                                                 "%s%n",
                                                 "file = \"",
                                                 "source "};
  return words;
}

constexpr std::size_t kNumbers = 31;  // that come first

/// A run of digits with what belongs to a number, if there is one.
bool find_number(Random& random, const std::string& text, std::size_t& at, std::size_t& length) {
  if (text.empty()) return false;
  std::size_t i = text.find_first_of("0123456789", below(random, text.size()));
  if (i == std::string::npos) i = text.find_first_of("0123456789");
  if (i == std::string::npos) return false;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.eE+-_", i), text.size());
  at = i;
  length = end - i;
  return true;
}

void mutate(Random& random, std::string& text, const std::vector<std::string>& others) {
  const auto any = [&] { return below(random, text.size() + 1); };
  const auto line_at = [&](std::size_t at) {
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
    const std::size_t end = text.find('\n', at);
    return std::pair<std::size_t, std::size_t>(begin, (end == std::string::npos ? text.size() : end + 1) - begin);
  };
  const std::string& word = hostile()[below(random, hostile().size())];
  std::size_t at = 0;
  std::size_t length = 0;
  switch (below(random, 16)) {
    case 0:
    case 1:
    case 2:  // most often by what is a number too
      if (find_number(random, text, at, length))
        text.replace(at, length, below(random, 4) == 0 ? word : hostile()[below(random, kNumbers)]);
      break;
    case 12:
    case 13:
    case 14:
    case 15:  // another digit, so that most of it stays good
      if (find_number(random, text, at, length)) text[at] = static_cast<char>('0' + below(random, 10));
      break;
    case 3:  // a digit more or less
      if (find_number(random, text, at, length))
        below(random, 2) == 0 ? text.insert(at, std::string(1 + below(random, 20), '9')) : text.erase(at, 1);
      break;
    case 4:
      if (find_number(random, text, at, length)) text.insert(at, "-");
      break;
    case 5: text.insert(any(), word); break;
    case 6:
      if (!text.empty()) text[below(random, text.size())] = static_cast<char>(random());
      break;
    case 7: text.erase(any(), 1 + below(random, 16)); break;
    case 8: {  // a line twice, or many times
      const auto [begin, size] = line_at(any());
      const std::string line = text.substr(begin, size);
      for (std::size_t n = 1 + (below(random, 8) == 0 ? below(random, 200) : 0); n > 0; --n) text.insert(begin, line);
      break;
    }
    case 9: {
      const auto [begin, size] = line_at(any());
      text.erase(begin, size);
      break;
    }
    case 10: text.resize(any()); break;
    case 11: {  // a piece of another seed
      const std::string& other = others[below(random, others.size())];
      const std::size_t from = below(random, other.size() + 1);
      text.insert(any(), other, from, below(random, 200));
      break;
    }
  }
  if (text.size() > 100'000) text.resize(100'000);
}

void write(const fs::path& file, const std::string& text, bool packed) {
  if (!packed) {
    std::ofstream(file, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    return;
  }
  gzFile out = gzopen(file.c_str(), "wb1");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
}

// --- the loop --------------------------------------------------------------------------------------------------------

char end_message[512];
std::size_t end_length = 0;

extern "C" void on_end(int signal) {
  const ssize_t written = ::write(STDERR_FILENO, end_message, end_length);
  std::signal(signal, SIG_DFL);
  raise(written < 0 ? SIGABRT : signal);
}

long memory_kb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Corpus {
  std::vector<fs::path> names;
  std::vector<std::string> texts;
};

Corpus load(const fs::path& folder) {
  Corpus corpus;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))  // folders in it hold what the seeds name
    if (entry.is_regular_file()) corpus.names.push_back(entry.path());
  std::sort(corpus.names.begin(), corpus.names.end());
  for (const fs::path& name : corpus.names) {
    std::ifstream in(name, std::ios::binary);
    corpus.texts.emplace_back((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  }
  return corpus;
}

int usage(const char* what) {
  fmt::print(stderr, "fuzz_readers: {}; see the head of fuzz_readers.cpp\n", what);
  return 2;
}

}  // namespace

// libsystemc's main() prints its banner before it calls sc_main(), unless this variable is set.
namespace {
[[maybe_unused]] const int kQuiet = setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
}

int sc_main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) return usage("a value is missing");
    const std::string value = argv[i + 1];
    if (name == "--seeds")
      options.seeds = value;
    else if (name == "--reader")
      options.reader = value;
    else if (!options.set(name, value))
      return usage(("unknown argument " + name).c_str());
  }
  if (options.seeds.empty() || options.work.empty()) return usage("--seeds and --work are needed");
  std::vector<Way> chosen;
  std::vector<Corpus> corpora;
  for (const Way& way : ways())
    if (options.reader.empty() || way.name == options.reader) {
      chosen.push_back(way);
      corpora.push_back(load(options.seeds / way.seeds));
      if (corpora.back().names.empty()) return usage(("no seeds for " + way.name).c_str());
    }
  if (chosen.empty()) return usage(("there is no reader " + options.reader).c_str());
  fs::create_directories(options.work);
  // A crash and a reader that hangs: the handlers say which case it was.
  std::signal(SIGALRM, on_end);
  std::signal(SIGABRT, on_end);
  if (!testing::kSanitized) {
    std::signal(SIGSEGV, on_end);
    std::signal(SIGFPE, on_end);
  }

  // A seed that is refused would hide everything behind the first check.
  for (std::size_t i = 0; i < chosen.size(); ++i)
    for (const fs::path& name : corpora[i].names) {
      try {
        chosen[i].read(name);
      } catch (const std::exception& error) {
        fmt::print(stderr, "fuzz_readers: the seed {} of reader {} is refused: {}\n", name.string(), chosen[i].name,
                   error.what());
        return 1;
      }
    }

  std::uint64_t taken = 0;
  std::uint64_t refused = 0;
  double slowest_s = 0;
  std::uint64_t slowest = 0;
  for (std::uint64_t n = options.first; n < options.first + options.count; ++n) {
    Random random(options.seed * 0x9E3779B97F4A7C15u + n);
    const std::size_t which = n % chosen.size();
    const Way& way = chosen[which];
    const Corpus& corpus = corpora[which];
    const std::size_t seed = below(random, corpus.texts.size());
    std::string text = corpus.texts[seed];
    for (std::size_t k = below(random, 2) == 0 ? 1 : 2 + below(random, 3); k > 0; --k) mutate(random, text, corpus.texts);
    // Beside copies of its seed's neighbours, so that files that name others find them.
    const fs::path folder = options.work / way.seeds;
    const fs::path file = folder / ("fuzzed" + corpus.names[seed].extension().string());
    if (!fs::exists(folder)) fs::copy(options.seeds / way.seeds, folder, fs::copy_options::recursive);
    write(file, text, way.packed && below(random, 2) == 0);
    end_length = static_cast<std::size_t>(
        fmt::format_to_n(end_message, sizeof end_message,
                         "fuzz_readers: case {} of seed {} ended the process, or took too long: reader {}, input {}\n", n,
                         options.seed, way.name, file.string())
            .out -
        end_message);
    const long memory = memory_kb();
    const auto begin = std::chrono::steady_clock::now();
    alarm(static_cast<unsigned>(options.limit_s * 10) + 1);
    std::string wrong;
    try {
      way.read(file);
      ++taken;
    } catch (const core::ConfigError& error) {
      ++refused;
      wrong = error.what();
    } catch (const core::InputError& error) {
      ++refused;
      wrong = error.what();
    } catch (const std::exception& error) {
      wrong = std::string("\n") + error.what();
    }
    alarm(0);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (seconds > slowest_s) {
      slowest_s = seconds;
      slowest = n;
    }
    if (!wrong.empty() && wrong.front() == '\n')
      wrong = "another exception than ConfigError and InputError: " + wrong.substr(1);
    else if (!wrong.empty() && wrong.find(options.work.string()) == std::string::npos &&
             wrong.find(".toml:") == std::string::npos && wrong.find("--set") == std::string::npos)
      wrong = "a message without a file: " + wrong;
    else if (seconds > options.limit_s)
      wrong = fmt::format("{:.2f} s", seconds);
    else if (memory_kb() - memory > kMaxMemoryKb)
      wrong = fmt::format("{} KB of memory", memory_kb() - memory);
    else
      continue;
    fmt::print(stderr, "fuzz_readers: case {} of seed {} fails: reader {}, input {}\n{}\n", n, options.seed, way.name,
               file.string(), wrong);
    return 1;
  }
  fmt::print("{} inputs from case {} of seed {}: {} taken, {} refused, the slowest {:.2f} s (case {})\n", options.count,
             options.first, options.seed, taken, refused, slowest_s, slowest);
  fs::remove_all(options.work);
  return 0;
}
