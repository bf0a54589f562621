// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/fio_job_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "platter/core/error.h"
#include "platter/core/input_files.h"
#include "platter/core/json_text.h"
#include "platter/workload/fio_notation.h"

namespace platter::workload {

namespace {

struct Option {
  std::string value;
  bool has_value = false;
  std::size_t line = 0;
};
using Options = std::map<std::string, Option>;

struct Section {
  std::string name;
  std::size_t line = 0;
  Options options;  ///< those of the global sections above included
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOtherNames = {{{"blocksize", "bs"},
                                                                                       {"readwrite", "rw"},
                                                                                       {"blocksize_range", "bsrange"},
                                                                                       {"ba", "blockalign"},
                                                                                       {"io_limit", "io_size"},
                                                                                       {"timeout", "runtime"},
                                                                                       {"start_delay", "startdelay"},
                                                                                       {"wait_for_previous", "stonewall"}}};

/// Options that change nothing in the requests that reach the drive.
bool has_no_effect(const std::string& key) {
  static const std::set<std::string> kKeys = {"description",
                                              "group_reporting",
                                              "new_group",
                                              "thread",
                                              "stats",
                                              "per_job_logs",
                                              "randrepeat",
                                              "allrandrepeat",
                                              "randseed",
                                              "random_generator",
                                              "invalidate",
                                              "fallocate",
                                              "create_on_open",
                                              "create_fsync",
                                              "create_serialize",
                                              "overwrite",
                                              "unlink",
                                              "refill_buffers",
                                              "buffer_pattern",
                                              "zero_buffers",
                                              "scramble_buffers",
                                              "dedupe_percentage",
                                              "buffer_compress_percentage",
                                              "buffer_compress_chunk",
                                              "disk_util",
                                              "lat_percentiles",
                                              "clat_percentiles",
                                              "slat_percentiles",
                                              "percentile_list",
                                              "bwavgtime",
                                              "iopsavgtime",
                                              "gtod_reduce",
                                              "clocksource",
                                              "cpus_allowed",
                                              "cpus_allowed_policy",
                                              "cpumask",
                                              "numa_cpu_nodes",
                                              "numa_mem_policy",
                                              "nice",
                                              "write_bw_log",
                                              "write_lat_log",
                                              "write_iops_log",
                                              "write_hist_log",
                                              "write_iolog",
                                              "log_avg_msec",
                                              "log_hist_msec",
                                              "log_max_value",
                                              "log_offset",
                                              "log_compression",
                                              "log_unix_epoch",
                                              "significant_figures",
                                              "unified_rw_reporting",
                                              "registerfiles",
                                              "fixedbufs",
                                              "hipri",
                                              "sqthread_poll",
                                              "userspace_reap",
                                              "softrandommap",
                                              "mem",
                                              "iomem",
                                              "iomem_align",
                                              "lockmem",
                                              "directory",
                                              "openfiles",
                                              "file_service_type",
                                              "filename_format",
                                              "unit_base",
                                              "continue_on_error"};
  return kKeys.count(key) != 0;
}

std::string trimmed(std::string text) {
  text.erase(std::min(text.find_first_of(";#"), text.size()));
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), space));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), space).base(), text.end());
  return text;
}

std::vector<Section> read_sections(const std::filesystem::path& file) {
  if (const std::string objection = core::note_input(file); !objection.empty()) throw core::InputError(file, 0, 0, objection);
  std::istringstream text(core::read_input(file));
  std::vector<Section> sections;
  Options global;
  Options* current = nullptr;
  std::string line;
  for (std::size_t number = 1; std::getline(text, line); ++number) {
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.front() == '[') {
      const std::size_t end = line.find(']');
      if (end == std::string::npos || end == 1)
        throw core::InputError(file, number, 1, "expected the name of a job in brackets");
      const std::string name = line.substr(1, end - 1);
      if (name != "global") sections.push_back({name, number, global});
      current = name == "global" ? &global : &sections.back().options;
      continue;
    }
    if (line.rfind("include ", 0) == 0)
      throw core::InputError(file, number, 1, "found an include, expected one file with all options");
    if (current == nullptr)
      throw core::InputError(file, number, 1, "found an option before the first [section]; expected a fio job file");
    const std::size_t equals = line.find('=');
    std::string key = trimmed(line.substr(0, equals));
    for (const auto& [other, usual] : kOtherNames)
      if (key == other) key = usual;
    (*current)[key] = {equals == std::string::npos ? "" : trimmed(line.substr(equals + 1)), equals != std::string::npos,
                       number};
  }
  if (sections.empty()) throw core::InputError(file, 0, 0, "found no job; expected a fio job file");
  return sections;
}

std::optional<double> positive_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

/// A time in seconds. `unit`: of a number without a suffix.
std::optional<double> seconds_of(std::string text, double unit) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string suffix = text.substr(end);
  const std::optional<double> value = positive_number(std::string_view(text).substr(0, end));
  static const std::map<std::string, double> kUnits = {{"d", 86400}, {"h", 3600},    {"m", 60},    {"s", 1},      {"sec", 1},
                                                       {"ms", 1e-3}, {"msec", 1e-3}, {"us", 1e-6}, {"usec", 1e-6}};
  if (!value) return std::nullopt;
  if (suffix.empty()) return *value * unit;
  const auto found = kUnits.find(suffix);
  return found != kUnits.end() ? std::optional(*value * found->second) : std::nullopt;
}

/// A job of the scenario: its keys with their values in TOML.
struct Job {
  std::string name;
  std::vector<std::pair<std::string, std::string>> keys;
  double startdelay_s = 0;
  std::optional<double> end_s;  ///< known only of a job that runs for a given time
};

class Import {
 public:
  explicit Import(std::string file) : file_(std::move(file)), sections_(read_sections(file_)) {}

  FioImport make(const std::string& drive) {
    for (const Section& section : sections_) add(section);
    if (!problems_.empty()) throw core::ConfigError(problems_);
    FioImport made;
    made.scenario = fmt::format("# The load of {}, by `platter config from-fio`.\n\nformat = 1\ndrive = {}\n\n[sim]\n",
                                std::filesystem::path(file_).filename().string(), quoted(drive));
    if (warmup_s_.value_or(0) > 0) made.scenario += fmt::format("warmup_s = {}\n", real(*warmup_s_));
    double end_s = 0;
    bool known = true;
    for (const Job& job : jobs_) {
      known = known && job.end_s.has_value();
      end_s = std::max(end_s, job.end_s.value_or(0));
    }
    made.scenario += known ? fmt::format("measure_s = {}\n", real(end_s - warmup_s_.value_or(0)))
                           : "measure_s = 0  # until the jobs have ended\n";
    for (const Job& job : jobs_) {
      made.scenario += fmt::format("\n[[workload.job]]\nname = {}\n", quoted(job.name));
      for (const auto& [key, value] : job.keys) made.scenario += fmt::format("{} = {}\n", key, value);
    }
    made.remarks = remarks_;
    return made;
  }

 private:
  /// Reads the options of one section. An option that has been asked for is taken; the others are refused at the end.
  class Reader {
   public:
    Reader(Import& import, const Section& section) : import_(import), options_(section.options), section_(section) {}

    const Option* find(const std::string& key) {
      taken_.insert(key);
      const auto found = options_.find(key);
      return found != options_.end() ? &found->second : nullptr;
    }
    void refuse(const std::string& key, const std::string& message) {
      const auto found = options_.find(key);
      import_.refuse(found != options_.end() ? found->second.line : section_.line, key, message);
    }
    void remark(const std::string& key, const std::string& message) {
      const auto found = options_.find(key);
      import_.remark(found != options_.end() ? found->second.line : section_.line, key, message);
    }
    bool flag(const std::string& key) {
      const Option* option = find(key);
      if (option == nullptr) return false;
      if (option->has_value && option->value != "0" && option->value != "1")
        refuse(key, fmt::format("found \"{}\", expected 0 or 1", option->value));
      return !option->has_value || option->value == "1";
    }
    double whole_number(const std::string& key, double otherwise) {
      const double value = number(key, otherwise);
      if (value != std::floor(value)) refuse(key, fmt::format("found {:g}, expected a whole number", value));
      return value;
    }
    double number(const std::string& key, double otherwise) {
      const Option* option = find(key);
      if (option == nullptr) return otherwise;
      const std::optional<double> value = positive_number(option->value);
      if (!value) refuse(key, fmt::format("found \"{}\", expected a number", option->value));
      return value.value_or(otherwise);
    }
    std::optional<double> seconds(const std::string& key, double unit) {
      const Option* option = find(key);
      if (option == nullptr) return std::nullopt;
      const std::optional<double> value = seconds_of(option->value, unit);
      constexpr double kLongest_s = 1e6;
      if (!value || *value > kLongest_s)
        refuse(key, fmt::format("found \"{}\", expected a time of at most {:g} s", option->value, kLongest_s));
      return value;
    }
    /// The text, if it has this form.
    template <typename Value>
    std::optional<Value> notated(const std::string& key, std::optional<Value> (*form)(std::string_view),
                                 std::string (*objection)(std::string_view)) {
      const Option* option = find(key);
      if (option == nullptr) return std::nullopt;
      std::optional<Value> value = form(option->value);
      if (!value) refuse(key, objection(option->value));
      return value;
    }
    void expect(const std::string& key, std::initializer_list<std::string_view> values, const std::string& why) {
      const Option* option = find(key);
      if (option != nullptr && std::find(values.begin(), values.end(), option->value) == values.end())
        refuse(key, fmt::format("found \"{}\": {}", option->value, why));
    }
    void refuse_the_rest() {
      for (const auto& [key, option] : options_)
        if (taken_.count(key) == 0 && !has_no_effect(key)) import_.refuse(option.line, key, "has no equivalent in a scenario");
    }

   private:
    Import& import_;
    const Options& options_;
    const Section& section_;
    std::set<std::string> taken_;
  };

  static std::string quoted(const std::string& text) { return core::json_text(text, -1); }
  static std::string real(double value) {
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }

  void refuse(std::size_t line, const std::string& key, const std::string& message) {
    for (const core::ConfigProblem& problem : problems_)
      if (problem.line == line && problem.key == key) return;  // of a global section, once
    problems_.push_back({file_, line, 1, key, message});
  }
  void remark(std::size_t line, const std::string& key, const std::string& message) {
    std::string text = fmt::format("{}:{}: {}: {}", file_, line, key, message);
    if (std::find(remarks_.begin(), remarks_.end(), text) == remarks_.end()) remarks_.push_back(std::move(text));
  }
  std::string unique_name(const std::string& given) {
    constexpr std::size_t kLongest = 50;
    std::string name = given.substr(0, kLongest);
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '-';
    std::string found = name;
    for (int number = 1; !names_.insert(found).second; ++number) found = fmt::format("{}-{}", name, number);
    return found;
  }

  void add(const Section& section);
  void add_rate(Reader& read, const std::string& rw, double reads_percent, Job& job);
  double add_depth(Reader& read, Job& job);
  void add_sizes(Reader& read, const Section& section, Job& job);
  void add_length(Reader& read, Job& job);
  void add_copies(Reader& read, const Job& job, const std::optional<Amount>& offset);

  std::string file_;
  std::vector<Section> sections_;
  std::vector<Job> jobs_;
  std::set<std::string> names_;
  std::optional<double> warmup_s_;
  std::optional<std::string> filename_;
  std::vector<core::ConfigProblem> problems_;
  std::vector<std::string> remarks_;
};

void Import::add_sizes(Reader& read, const Section& section, Job& job) {
  const auto size = read.notated("bs", find_block_size, block_size_objection);
  const auto range = read.notated("bsrange", find_block_range, block_range_objection);
  const auto split = read.notated("bssplit", find_block_split, block_split_objection);
  // fio takes the last of `bs` and `bsrange`.
  const auto line = [&](const char* key) {
    const auto found = section.options.find(key);
    return found != section.options.end() ? found->second.line : 0;
  };
  if (split)
    job.keys.emplace_back("bssplit", quoted(split->notation));
  else if (range && line("bsrange") > line("bs"))
    job.keys.emplace_back("bsrange", quoted(range->notation));
  else if (size)
    job.keys.emplace_back("bs", quoted(size->notation));
  if (const auto align = read.notated("blockalign", find_amount, amount_objection))
    job.keys.emplace_back("blockalign", quoted(align->notation));
}

/// Returns the number of requests that fio keeps outstanding.
double Import::add_depth(Reader& read, Job& job) {
  constexpr double kDeepest = 100'000;
  double depth = read.whole_number("iodepth", 1);
  if (depth > kDeepest) read.refuse("iodepth", fmt::format("found {:g}, expected at most {:g}", depth, kDeepest));
  const Option* engine = read.find("ioengine");
  const std::string name = engine != nullptr ? engine->value : "psync";
  static const std::set<std::string> kAsynchronous = {"libaio", "io_uring", "posixaio", "windowsaio", "solarisaio"};
  static const std::set<std::string> kSynchronous = {"sync", "psync", "vsync", "pvsync", "pvsync2"};
  if (kAsynchronous.count(name) == 0 && kSynchronous.count(name) == 0)
    read.refuse("ioengine",
                fmt::format("found \"{}\", expected an engine that reads and writes a block device, such as libaio", name));
  if (kSynchronous.count(name) != 0 && depth > 1) {
    read.remark("iodepth", fmt::format("1 instead of {:g}, because the engine {} has one request outstanding", depth, name));
    depth = 1;
  }
  job.keys.emplace_back("iodepth", fmt::format("{:.0f}", std::max(depth, 1.0)));
  return depth;
}

void Import::add_rate(Reader& read, const std::string& rw, double reads_percent, Job& job) {
  const Option* rate = read.find("rate_iops");
  const Option* process = read.find("rate_process");
  if (rate == nullptr) return;
  const std::size_t comma = rate->value.find(',');
  const std::optional<double> first = positive_number(std::string_view(rate->value).substr(0, comma));
  const std::optional<double> second =
      comma == std::string::npos ? first : positive_number(std::string_view(rate->value).substr(comma + 1));
  if (!first || !second) {
    read.refuse("rate_iops", fmt::format("found \"{}\", expected a rate, or two for reads and writes", rate->value));
    return;
  }
  double whole = rw == "write" || rw == "randwrite" ? *second : *first;
  if (rw == "rw" || rw == "readwrite" || rw == "randrw") {
    // fio limits each direction. A scenario limits their sum, so both limits must be reached at once.
    whole = *first + *second;
    if (std::abs(*first * 100 - reads_percent * whole) > 1e-9 * whole * 100) {
      read.refuse("rate_iops", fmt::format("found {:g} reads and {:g} writes a second beside {:g} % reads, expected rates with "
                                           "the same share",
                                           *first, *second, reads_percent));
      return;
    }
  }
  constexpr double kFastest = 1e9;
  if (whole > kFastest) read.refuse("rate_iops", fmt::format("found {:g}, expected at most {:g}", whole, kFastest));
  if (whole > 0) job.keys.emplace_back("rate_iops", real(whole));
  if (process != nullptr && process->value == "poisson")
    job.keys.emplace_back("rate_process", quoted("poisson"));
  else if (process != nullptr && process->value != "linear")
    read.refuse("rate_process", fmt::format("found \"{}\", expected linear or poisson", process->value));
}

/// Start, end and amount.
void Import::add_length(Reader& read, Job& job) {
  job.startdelay_s = read.seconds("startdelay", 1).value_or(0);
  const double ramp_s = read.seconds("ramp_time", 1).value_or(0);
  const double runtime_s = read.seconds("runtime", 1).value_or(0);  // 0: no limit
  const bool time_based = read.flag("time_based");
  const auto io_size = read.notated("io_size", find_amount, amount_objection);
  if (warmup_s_.value_or(ramp_s) != ramp_s)
    read.refuse("ramp_time", "expected the same time in all jobs, which becomes the warm-up of the run");
  warmup_s_ = ramp_s;
  if (ramp_s > 0 && !time_based) read.refuse("ramp_time", "expected time_based and runtime beside it");
  if (ramp_s > 0 && job.startdelay_s > 0) read.refuse("ramp_time", "expected no startdelay: the warm-up of a run begins at 0");
  if (time_based && runtime_s == 0) read.refuse("time_based", "expected runtime beside it");
  const bool waits = read.flag("stonewall");
  if (waits && !jobs_.empty()) {
    double end_s = 0;
    for (const Job& before : jobs_) {
      if (!before.end_s) {
        read.refuse("stonewall",
                    fmt::format("the end of job {} is not known before the run; expected time_based and runtime", before.name));
        break;
      }
      end_s = std::max(end_s, *before.end_s);
    }
    job.startdelay_s += end_s;
    if (ramp_s > 0 && end_s > 0) read.refuse("ramp_time", "expected none beside stonewall: the warm-up of a run begins at 0");
  }
  if (job.startdelay_s > 0) job.keys.emplace_back("startdelay", real(job.startdelay_s));
  if (runtime_s > 0) job.keys.emplace_back("runtime", real(runtime_s + ramp_s));
  if (time_based && runtime_s > 0)
    job.end_s = job.startdelay_s + ramp_s + runtime_s;
  else if (!time_based)
    job.keys.emplace_back("io_size", quoted(io_size ? io_size->notation : "100%"));
}

/// The job, as often as numjobs says.
void Import::add_copies(Reader& read, const Job& job, const std::optional<Amount>& offset) {
  constexpr double kMaxJobs = 1000;
  const double copies = read.whole_number("numjobs", 1);
  const auto increment = read.notated("offset_increment", find_amount, amount_objection);
  if (copies < 1 || copies > kMaxJobs) {
    read.refuse("numjobs", fmt::format("found {:g}, expected 1 to {:g}", copies, kMaxJobs));
    return;
  }
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50;
  const Amount begin = offset.value_or(Amount(0));
  if (increment && increment->bytes > kMaxBytes) read.refuse("offset_increment", "expected at most 1 PiB");
  if (increment && (begin.bytes > 0 || begin.percent) && begin.percent.has_value() != increment->percent.has_value())
    read.refuse("offset_increment", "expected bytes in this option and in offset, or % in both");
  for (int i = 0; i < static_cast<int>(copies); ++i) {
    Job copy = job;
    copy.name = unique_name(job.name);
    std::string at = begin.notation;
    if (increment && increment->percent)
      at = fmt::format("{}%", begin.percent.value_or(0) + i * *increment->percent);
    else if (increment)
      at = fmt::format("{}", begin.bytes + static_cast<std::uint64_t>(i) * increment->bytes);
    if (at != "0") copy.keys.emplace_back("offset", quoted(at));
    jobs_.push_back(std::move(copy));
  }
}

void Import::add(const Section& section) {
  Reader read(*this, section);
  Job job;
  job.name = section.name;

  const Option* rw = read.find("rw");
  const std::string kind = rw != nullptr ? rw->value : "read";
  static const std::set<std::string> kKinds = {"read", "write", "randread", "randwrite", "rw", "readwrite", "randrw"};
  if (kKinds.count(kind) == 0)
    read.refuse("rw", fmt::format("found \"{}\", expected read, write, randread, randwrite, rw, readwrite or randrw", kind));
  job.keys.emplace_back("rw", quoted(kind));
  double reads_percent = read.number("rwmixread", 50);
  if (read.find("rwmixwrite") != nullptr) reads_percent = 100 - read.number("rwmixwrite", 50);
  if (reads_percent < 0 || reads_percent > 100) read.refuse("rwmixread", "expected 0 to 100");
  if (kind == "rw" || kind == "readwrite" || kind == "randrw") job.keys.emplace_back("rwmixread", real(reads_percent));

  add_sizes(read, section, job);
  const double depth = add_depth(read, job);
  add_rate(read, kind, reads_percent, job);
  if (const std::optional<double> think_s = read.seconds("thinktime", 1e-6); think_s.value_or(0) > 0) {
    if (depth > 1)
      read.refuse(
          "thinktime",
          "expected iodepth = 1: fio empties the whole queue before it thinks, but here each request outstanding thinks alone");
    job.keys.emplace_back("thinktime", real(*think_s * 1e6));
  }
  read.expect("thinktime_blocks", {"1"}, "a job here thinks after each request; expected 1");

  const auto offset = read.notated("offset", find_amount, amount_objection);
  const auto size = read.notated("size", find_amount, amount_objection);
  if (size) job.keys.emplace_back("size", quoted(size->notation));
  if (const Option* law = read.find("random_distribution")) {
    const std::string text = law->value == "zipf" ? "zipf:1.1" : law->value == "pareto" ? "pareto:0.2" : law->value;
    if (!find_distribution(text)) read.refuse("random_distribution", distribution_objection(text));
    if (text != "random") job.keys.emplace_back("random_distribution", quoted(text));
  }
  if (read.flag("norandommap")) job.keys.emplace_back("norandommap", "true");
  add_length(read, job);

  if (!read.flag("direct")) read.remark("direct", "1 instead of 0: there is no page cache, so every request reaches the drive");
  if (const Option* name = read.find("filename")) {
    if (filename_.value_or(name->value) != name->value || name->value.find(':') != std::string::npos)
      read.refuse("filename",
                  fmt::format("found \"{}\", expected one file in all jobs, which stands for the drive", name->value));
    filename_ = name->value;
  } else {
    read.remark("filename",
                fmt::format("job {} has a file of its own in fio; here it uses its region of the drive", section.name));
  }
  read.expect("nrfiles", {"1"}, "expected 1 file, which stands for the drive");
  read.expect("loops", {"1"}, "expected 1");
  read.expect("percentage_random", {"100"}, "expected 100");
  read.expect("kb_base", {"1024"}, "expected 1024: the suffixes here are powers of 1024");
  for (const char* key : {"fsync", "fdatasync", "sync", "buffered", "create_only", "file_append"})
    read.expect(key, {"0"}, "expected 0");
  add_copies(read, job, offset);
  read.refuse_the_rest();
}

}  // namespace

FioImport import_fio(const std::filesystem::path& file, const std::string& drive) { return Import(file.string()).make(drive); }

}  // namespace platter::workload
