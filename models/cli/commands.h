// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace platter::cli {

/// Exit codes: 0 good, 1 the simulation failed, 2 usage or input.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadInput = 2;

struct RunOptions {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string result;
  std::string requests;
  std::string block_trace;
  std::vector<std::string> write_logs;
  std::string timeline;
  std::string waves;
  std::string wave_from_s;  ///< empty: as the scenario says
  std::string wave_to_s;
  std::string wave_when;  ///< an expression over requests: waves around those that meet it
  bool quiet = false;
};

/// Writes a text to a file, or to the standard output if the name is empty.
void write_to(const std::string& output, const std::string& text);

/// The functions below report errors as exceptions: core::ConfigError and core::InputError (bad input), core::SimulationError.
int run(const RunOptions& options);

struct ExplainOptions {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string when;
  bool late = false;
  std::vector<std::uint64_t> numbers;
  std::optional<std::size_t> slowest;  ///< empty: 3, or as many as there are numbers
  double before_ms = 10;
  double after_ms = 10;
  std::string folder = "explain";
  bool waves = true;
  bool all = false;
  bool quiet = false;
};
int explain(const ExplainOptions& options);

struct ServeOptions : RunOptions {
  std::string nbd;
  std::string iscsi;
  bool iscsi_remote = false;
  std::string vfio_user;
  std::string control;
  std::string pacing = "realtime";
  std::uint64_t nbd_memory = std::uint64_t{256} << 20;
  std::vector<std::string> images;
  std::vector<std::string> disks;
};
int serve(const ServeOptions& options);

struct ExecOptions : RunOptions {
  std::string device = "/dev/pl0";
  std::uint32_t clock_cost_ns = 50;
  std::int64_t epoch_s = 1'767'225'600;  ///< the first second of 2026
  std::string image;
  std::string disk;
  std::vector<std::string> program;  ///< with its arguments
};
/// Returns the exit code of the program.
int exec(const ExecOptions& options);

struct CrashOptions {
  std::string scenario;
  std::vector<std::string> overrides;
  std::uint64_t cuts = 1000;
  std::uint64_t seed = 1;
  std::uint32_t flush_every = 16;
  double fua_share = 0.1;
  std::string method = "fork";
  std::size_t jobs = 0;                 ///< 0: as many as there are processors
  std::optional<std::uint64_t> replay;  ///< this cut only
  std::string waves;                    ///< of the replay
  std::string result;
  bool quiet = false;
};
int crash(const CrashOptions& options);

int list(const std::string& what, bool json);
/// The policy of a shared object, with its parameters.
int list_own(const std::string& file);

struct PolicyBuildOptions {
  std::string file;
  std::string output;                         ///< empty: the file with the ending .so
  std::string compiler;                       ///< empty: that of the program
  std::vector<std::string> compiler_options;  ///< further ones
};
/// Makes a shared object of a policy of your own, and prints its notation.
int policy_build(const PolicyBuildOptions& options);

struct PolicyCheckOptions {
  std::string policy;
  std::string drive = "cheetah9lp";
  std::uint64_t situations = 100'000;
  std::uint64_t seed = 1;
};
int policy_check(const PolicyCheckOptions& options);

struct EngineNewOptions {
  std::string folder;  ///< its last part is the name of the module
};
/// Writes the folder of an engine of a user's own, and prints its notation.
int engine_new(const EngineNewOptions& options);
struct EngineBuildOptions {
  std::string folder;
  bool strict = false;  ///< warnings are errors
};
/// Makes the shared object of such a folder, unless it is there, and prints its notation. Prints the warnings about its sources.
int engine_build(const EngineBuildOptions& options);

struct DriveShowOptions {
  std::string drive;
  std::string sheet;   ///< empty: none to compare with
  std::string result;  ///< empty: none
  bool json = false;
};
int drive_show(const DriveShowOptions& options);

struct DriveNewOptions {
  std::string name;
  std::string sheet;                           ///< empty: the options have all numbers
  std::map<std::string, std::string> numbers;  ///< by key of the sheet, as they were given; empty: not given
  std::string output;                          ///< empty: the standard output
};
int drive_new(const DriveNewOptions& options);
/// The option of a key of a sheet.
std::string option_of(const std::string& key);

struct DriveImportOptions {
  std::string file;
  std::string disk;
  std::string name;
  std::string output;  ///< empty: the standard output
  bool json = false;
};
int drive_import(const DriveImportOptions& options);
int drive_locate(const std::string& name, bool map);
/// The least times between the accesses of requests, which come from the standard input, on the drive of a scenario.
int drive_costs(const std::string& scenario, const std::vector<std::string>& overrides);

struct ValidateOptions {
  std::string directory;
  std::vector<std::string> drives;  ///< empty: all
  std::string profile;              ///< name or file, for one drive
  std::string profiles;             ///< folder of profiles named like the drives' folders
  bool calibrated = false;
  std::string reading = "follows";
  std::string half = "all";
  std::string result;
  std::string requests;
  std::string plots;     ///< folder
  std::size_t jobs = 0;  ///< 0: as many as there are processors
  bool quiet = false;
};
int validate(const ValidateOptions& options);

struct BenchOptions {
  std::string drive = "cheetah9lp";
  std::string engine = "firmware";
  std::vector<std::uint32_t> depths{1, 32, 128, 256};
  std::vector<std::string> policies{"FCFS", "SPTF"};
  std::vector<std::string> transports{"nb", "b"};
  std::uint64_t requests = 250'000;
  std::uint64_t seed = 1;
  std::string result;
  bool quiet = false;
};
int bench(const BenchOptions& options);

/// How a trace is read; what is empty or below 0 is left to its format.
struct TraceInputOptions {
  std::string file;
  std::string format = "auto";
  std::string device;
  std::string action = "Q";
  std::string time_unit;
  std::uint64_t lba_bytes = 0;
  std::int64_t sort_window = -1;
  double spread_s = 0;
  std::string last_line = "error";
  bool skip_empty = false;
};
struct TraceInfoOptions : TraceInputOptions {
  bool json = false;
};
int trace_info(const TraceInfoOptions& options);

struct TraceConvertOptions : TraceInputOptions {
  std::string output;
  std::string to;
  std::string name = "trace";
  std::uint64_t capacity_bytes = 0;
  std::string past_end = "error";
  std::uint64_t span_bytes = 0;
};
int trace_convert(const TraceConvertOptions& options);

int config_check(const std::string& scenario, const std::vector<std::string>& overrides);
/// `check`: first as config_check() does.
int config_dump(const std::string& scenario, const std::vector<std::string>& overrides, bool json, bool check);
/// Makes a scenario of a fio job file. `output`: empty: the standard output.
int config_from_fio(const std::string& file, const std::string& drive, const std::string& output);
int config_schema(const std::string& what);
int config_reference();
int config_statistics();

}  // namespace platter::cli
