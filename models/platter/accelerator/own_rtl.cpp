// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/own_rtl.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <verilated.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <system_error>

#include "platter/accelerator/object_entry.h"
#include "platter/accelerator/rtl_build.h"
#include "platter/accelerator/rtl_library.h"
#include "platter/accelerator/rtl_recipe.h"
#include "platter/scheduling/own_policies.h"

namespace platter::accelerator {

namespace fs = std::filesystem;
using EngineCall = scheduling::OwnEngineCall;

namespace {

constexpr const char* kList = "files.f";
constexpr const char* kAdapter = "adapter.cpp";

/// The folder of an engine.
struct EngineSource {
  std::string given;  ///< as the user wrote it
  fs::path folder;
  std::vector<fs::path> files;  ///< as files.f has them
  std::string module;
};

[[noreturn]] void refuse_file(const fs::path& file, std::size_t line, const std::string& message) {
  throw core::InputError(file.string(), line, 0, message);
}

EngineSource read_folder(const std::string& given) {
  const fs::path folder = given;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    refuse_file(folder, 0, "there is no such folder; expected one as `platter engine new` makes it");
  EngineSource source{given, fs::canonical(folder, ignored), {}, {}};
  for (const char* file : {kList, kAdapter})
    if (!fs::is_regular_file(folder / file, ignored))
      refuse_file(folder / file, 0, "there is no such file; expected a folder as `platter engine new` makes it");
  std::stringstream list(text_of(folder / kList));
  std::size_t number = 0;
  for (std::string line; std::getline(list, line);) {
    ++number;
    line.erase(0, line.find_first_not_of(" \t"));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || line.rfind("//", 0) == 0 || line[0] == '#') continue;
    if (!fs::is_regular_file(folder / line, ignored))
      refuse_file(folder / kList, number,
                  fmt::format("found \"{}\", expected the name of a SystemVerilog file in the folder", line));
    source.files.emplace_back(line);
  }
  if (source.files.empty())
    refuse_file(folder / kList, 0, "it is empty; expected the names of SystemVerilog files, one a line");
  const fs::path& last = source.files.back();
  source.module = last.stem().string();
  if (!std::regex_match(source.module, std::regex("[A-Za-z_][A-Za-z0-9_]*")))
    refuse_file(folder / kList, number,
                fmt::format("found \"{}\", expected a file with the name of its module", last.string()));
  if (!std::regex_search(text_of(folder / last), std::regex("\\bmodule\\s+" + source.module + "\\b")))
    refuse_file(folder / last, 0,
                fmt::format("there is no module {}; expected it in this file, the last one of {}", source.module, kList));
  return source;
}

ObjectRecipe recipe_of(const EngineSource& source) {
  const fs::path sources = RtlLibrary::sources_folder();
  ObjectRecipe made;
  made.what = "engine own:" + source.given;
  made.prefix = "Vengine";
  made.verilator_options = {"--top-module", source.module, "--assert",    "-Wno-fatal", "--trace-structs",
                            "--x-assign",   "fast",        "--x-initial", "fast"};
  if (recipe::kWaves) made.verilator_options.emplace_back("--trace-fst");
  made.folder = source.folder;
  made.files = source.files;
  made.compiler_options = object_options(true);
  made.fast_options = {"-O2"};
  made.unit = source.folder / kAdapter;
  made.headers = sources / "shim";
  made.together = true;
  return made;
}

std::string engine_entry_name(const EngineSource& source, const ObjectRecipe& made) {
  Digest digest;
  digest.add(fmt::format("{} | {} | {} | {}", fmt::join(made.verilator_options, " "), fmt::join(made.compiler_options, " "),
                         fmt::join(made.fast_options, " "), recipe::kVerilatorVersion));
  std::set<fs::path> files;
  std::set<fs::path> folders = {source.folder};
  for (const fs::path& file : source.files) {
    digest.add(file.string());
    folders.insert(files.insert((source.folder / file).lexically_normal()).first->parent_path());
  }
  // Also what the sources may include.
  for (const fs::path& folder : folders)
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string ending = entry.path().extension().string();
      for (const char* of_source : {".sv", ".svh", ".v", ".vh", ".vlt", ".cpp", ".h", ".hpp"})
        if (ending == of_source) files.insert(entry.path());
    }
  for (const fs::path& file : files) {
    digest.add(file.lexically_relative(source.folder).string());
    digest.add(text_of(file));
  }
  for (const char* file : {"accelerator/candidates_master.h", "accelerator/candidates_design.h", "accelerator/rtl_design.h",
                           "accelerator/bus_access.h", "core/types.h"})
    digest.add(text_of(made.headers / "platter" / file));
  digest.add(text_of(made.headers / kVerilatedNames));
  return "own-" + source.module + "-" + digest.text();
}

/// The errors of a tool, as bad input: the first one's place, and the lines of all, at most so many.
[[noreturn]] void refuse_source(const EngineSource& source, const std::string& output) {
  constexpr std::size_t kLines = 12;
  static const std::regex kPlace(
      "^(?:%Error[^:]*: )?([^:]+\\.(?:sv|svh|v|vh|cpp|h)):([0-9]+):([0-9]+): (?:fatal )?(?:error: )?(.*)");
  std::stringstream in(output);
  std::string first, rest, file = source.given;
  std::size_t line_number = 0, column = 0, shown = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("%Error", 0) != 0 && line.find(": error: ") == std::string::npos &&
        line.find(": fatal error: ") == std::string::npos)
      continue;
    std::smatch found;
    if (first.empty() && std::regex_match(line, found, kPlace)) {
      const fs::path named = found[1].str();
      file = (named.is_absolute() && named.parent_path() == source.folder ? fs::path(source.given) / named.filename()
              : named.is_absolute()                                       ? named
                                                                          : fs::path(source.given) / named)
                 .string();
      line_number = std::stoul(found[2]);
      column = std::stoul(found[3]);
      first = found[4];
    } else if (line.rfind("%Error: Exiting due to", 0) != 0 && line != "%Error: Cannot continue" && shown < kLines) {
      rest += "\n  " + line;
      ++shown;
    }
  }
  if (first.empty()) first = "it does not compile";
  throw core::InputError(file, line_number, column,
                         fmt::format("{}; expected a module that compiles and has the port platter_candidates{}", first, rest));
}

/// The design's function; null if it is not such an object.
CandidatesDesignFunction* open_engine(const fs::path& object, std::string& problem) {
  void* handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    problem = dlerror();
    return nullptr;
  }
  auto* interface = reinterpret_cast<CandidatesInterfaceFunction*>(dlsym(handle, kCandidatesInterfaceSymbol));
  auto* design = reinterpret_cast<CandidatesDesignFunction*>(dlsym(handle, kCandidatesDesignSymbol));
  if (interface != nullptr && design != nullptr && interface() == kCandidatesInterface) return design;
  problem = interface == nullptr || design == nullptr ? "the adapter offers no engine; expected the line PLATTER_OWN_ENGINE"
                                                      : object.string() + ": is of another version of Platter";
  return nullptr;
}

CandidatesDesignFunction* load_engine(const std::string& given, std::string* module) {
  static std::map<std::string, CandidatesDesignFunction*> loaded;  // by name of the entry; objects are never unloaded
  const EngineSource source = read_folder(given);
  if (module != nullptr) *module = source.module;
  const ObjectRecipe made = recipe_of(source);
  const std::string name = engine_entry_name(source, made);
  CandidatesDesignFunction*& design = loaded[name];
  if (design != nullptr) return design;

  const auto tell = [&](const std::string& line) { fmt::print(stderr, "platter: {}: {}\n", made.what, line); };
  RtlLibrary::require_run_time(made.what);
  const fs::path folder = RtlLibrary::cache_folder();
  if (folder.empty())
    throw core::SimulationError("there is no folder for " + made.what + "; set PLATTER_RTL_CACHE to one that can be written");
  const ObjectEntry entry(folder / name);
  std::string problem;
  if (entry.state() == ObjectEntry::State::Whole) design = open_engine(entry.object(), problem);
  if (design != nullptr) return design;
  try {
    entry.ensure(
        !problem.empty(), tell,
        [&](ObjectEntry::State state) {
          if (state == ObjectEntry::State::Damaged) tell("its entry in the cache is damaged");
          tell(fmt::format("is compiled once, and kept in {}", entry.folder().string()));
        },
        [&](const fs::path& object) { make_object(made, object, [](const std::string&) {}); });
  } catch (const ToolFailure& failure) {
    refuse_source(source, failure.output());
  } catch (const std::system_error& error) {  // also fs::filesystem_error
    throw core::SimulationError(
        fmt::format("{} cannot be kept in {}: {}; set PLATTER_RTL_CACHE to a folder that can be written", made.what,
                    folder.string(), error.code().message()));
  }
  if ((design = open_engine(entry.object(), problem)) == nullptr) refuse_file(source.folder / kAdapter, 0, problem);
  return design;
}

std::string text_of_fault(PortFault fault) {
  switch (fault) {
    case PortFault::None: return {};
    case PortFault::UpdateNotTaken:
      return fmt::format("it has not taken an update within {} cycles, expected update_ready_o", CandidatesDesign::kMaxCycles);
    case PortFault::QuestionNotTaken:
      return fmt::format("it has not taken a question within {} cycles, expected decide_ready_o", CandidatesDesign::kMaxCycles);
    case PortFault::NoAnswer:
      return fmt::format("it has not answered within {} cycles, expected answer_valid_o", CandidatesDesign::kMaxCycles);
    case PortFault::EarlyAnswer:
      return "it answers without a question, or in the cycle of the question; expected one answer to each, in a later cycle";
    case PortFault::ChangedAnswer: return "its answer does not stay, expected the same until answer_ready_i is high";
    case PortFault::SecondAnswer: return "it answers twice, expected one answer to each question";
  }
  return {};
}

}  // namespace

std::string OwnRtl::build(const std::string& folder) {
  std::string module;
  load_engine(folder, &module);
  return module;
}

std::vector<std::string> OwnRtl::lint(const std::string& folder) {
  static const std::regex kWarning("^%Warning-([A-Z0-9]+): (.+:[0-9]+:[0-9]+): (.*)$");
  std::vector<std::string> warnings;
  std::istringstream in(lint_object(recipe_of(read_folder(folder))));
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, kWarning)) continue;
    const fs::path place = fs::path(folder) / found[2].str();  // FILE:LINE:COLUMN
    warnings.push_back(fmt::format("{}: warning: {} [{}]", place.string(), found[3].str(), found[1].str()));
  }
  return warnings;
}

fs::path OwnRtl::template_folder() { return RtlLibrary::sources_folder() / "own_engine"; }

OwnRtl::OwnRtl(const std::string& folder, core::Picoseconds clock_period, RtlCore::Tracing tracing, const std::string& name)
    : folder_(folder),
      notation_("own:" + folder),
      clock_period_(clock_period),
      context_(std::move(tracing)),
      is_traced_(context_ != nullptr) {
  CandidatesDesignFunction* const design = load_engine(folder, nullptr);
  if (!is_traced_) context_ = std::make_shared<VerilatedContext>();
  Verilated::threadContextp(context_.get());
  context_->threads(1);
  context_->fatalOnError(false);
  context_->errorLimit(1);
  const EngineCall call(notation_.c_str(), "its constructor");
  design_.reset(design(context_.get(), clock_period, name.c_str()));
  held_.assign(kTags, false);
  exchanges_.reserve(4096);
}

OwnRtl::~OwnRtl() = default;

void OwnRtl::reset() {
  record(0, Reset{});
  held_.assign(kTags, false);
  const EngineCall call(notation_.c_str(), "a reset");
  design_->reset();
}

std::uint32_t OwnRtl::update(const CandidateUpdate& update, core::Picoseconds start) {
  record(start, update);
  const PortResult result = [&] {
    const EngineCall call(notation_.c_str(), "an update");
    return design_->update(update, start);
  }();
  held_[update.tag] = update.kind == CandidateUpdate::Kind::Enter;
  check(result);
  return result.cycles;
}

std::uint32_t OwnRtl::decide(const CandidateQuestion& question, core::Picoseconds start, CandidateAnswer& answer) {
  record(start, question);
  const PortResult result = [&] {
    const EngineCall call(notation_.c_str(), "a question");
    return design_->decide(question, start, answer);
  }();
  if (result.fault == PortFault::None && !answer.idle && (answer.tag >= held_.size() || !held_[answer.tag]))
    throw OwnRtlFault(fmt::format("it answers with tag {}, expected the tag of a command in its table, or idle", answer.tag));
  check(result);
  return result.cycles;
}

void OwnRtl::check(const PortResult& result) const {
  if (result.fault != PortFault::None) throw OwnRtlFault(text_of_fault(result.fault));
  if (context_->gotError()) throw OwnRtlFault("an assertion of it failed, see the message above");
  if (context_->gotFinish()) throw OwnRtlFault("it has called $finish, expected an engine that runs on");
}

void OwnRtl::declare(VerilatedFstC& file) {
  if (!is_traced_) throw std::invalid_argument("the engine has no waves: it was made without tracing");
  design_->declare(file);
}

void OwnRtl::record(core::Picoseconds start, const std::variant<CandidateUpdate, CandidateQuestion, Reset>& what) {
  if (exchanges_.size() < kMaxRecord)
    exchanges_.push_back({start, what});
  else
    recorded_ = false;
}

core::Picoseconds OwnRtl::begin_of_last(std::size_t exchanges) const {
  if (exchanges_.empty()) return 0;
  return exchanges_[exchanges_.size() > exchanges ? exchanges_.size() - exchanges : 0].start;
}

void OwnRtl::replay(OwnRtl& other) const {
  for (const Exchange& exchange : exchanges_) {
    const EngineCall call(notation_.c_str(), "a replay");
    if (const auto* update = std::get_if<CandidateUpdate>(&exchange.what)) {
      other.design_->update(*update, exchange.start);
    } else if (const auto* question = std::get_if<CandidateQuestion>(&exchange.what)) {
      CandidateAnswer ignored;
      other.design_->decide(*question, exchange.start, ignored);
    } else {
      other.design_->reset();
    }
  }
}

}  // namespace platter::accelerator
