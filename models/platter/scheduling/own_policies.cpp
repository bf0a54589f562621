// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/own_policies.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <typeinfo>
#include <vector>

#include "platter/core/error.h"
#include "platter/core/types.h"
#include "platter/scheduling/own_policy.h"
#include "platter/scheduling/python_policy.h"
#include "platter/scheduling/wrapped_scheduler.h"

namespace platter::scheduling {

namespace {

constexpr std::string_view kPrefix = "own:";

// --- the shared objects ----------------------------------------------------------------------------------------------

/// A shared object or a Python file that has been loaded, as a row of the policy table.
struct Loaded {
  std::string name;
  std::unique_ptr<PythonPolicy> python;  ///< null: a shared object
  PolicyInfo row;
};

/// By canonical path. They stay loaded, because policies that were made of them may live on.
std::map<std::string, Loaded>& loaded() {
  static std::map<std::string, Loaded> objects;
  return objects;
}

bool is_python(const std::string& path) { return path.size() > 3 && path.compare(path.size() - 3, 3, ".py") == 0; }

const Loaded* enter(const std::string& path, const std::string& file, const OwnPolicy& policy,
                    std::unique_ptr<PythonPolicy> python) {
  Loaded& entry = loaded()[path];
  entry.name = fmt::format("{}{}", kPrefix, file);
  entry.row = {entry.name, "", policy.description, policy.create};
  entry.row.own = &policy;
  entry.python = std::move(python);
  return &entry;
}

/// Empty if it has as many parameters as it may have, and each can have a value.
std::string objection_to(const OwnPolicy& policy) {
  if (policy.parameter_count > OwnValues::kMax)
    return fmt::format("it has {} parameters, expected at most {}", policy.parameter_count, OwnValues::kMax);
  for (std::uint32_t i = 0; i < policy.parameter_count; ++i) {
    const OwnParameter& parameter = policy.parameters[i];
    if (!(parameter.least < parameter.most))
      return fmt::format("parameter {}: found the range {:g} to {:g}, expected a smallest and a larger largest value",
                         parameter.name, parameter.least, parameter.most);
  }
  return {};
}

const Loaded* load_python(const std::string& path, const std::string& file, std::string& objection) {
  static std::map<std::string, std::string> refused;  // so that its traceback is printed once
  std::string& problem = refused[path];
  std::unique_ptr<PythonPolicy> python = problem.empty() ? read_python_policy(path, problem) : nullptr;
  objection = problem;
  if (python == nullptr) return nullptr;
  const OwnPolicy& policy = python->policy;
  if (const std::string wrong = objection_to(policy); !wrong.empty()) {
    objection = problem = fmt::format("{}: {}", file, wrong);
    return nullptr;
  }
  return enter(path, file, policy, std::move(python));
}

/// The file's policy, or an objection.
const Loaded* load(const std::string& file, std::string& objection) {
  const auto object = [&](const std::string& message) {
    objection = fmt::format("{}: {}", file, message);
    return nullptr;
  };
  std::error_code error;
  const std::string path = std::filesystem::canonical(file, error).string();
  // What shared objects need of this program. libplatter does not export it.
  const bool exported = dlsym(RTLD_DEFAULT, (std::string("_ZTI") + typeid(SchedulerIf).name()).c_str()) != nullptr;
  const char* const expected = exported
                                   ? "a shared object that `platter policy build` has made"
                                   : "a file in Python, because this library or program takes no shared objects of policies";
  if (error) return object(fmt::format("{}; expected {}", error.message(), expected));
  if (const auto known = loaded().find(path); known != loaded().end()) return &known->second;

  if (is_python(path)) return load_python(path, file, objection);
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::string reason = dlerror();
    if (reason.rfind(path + ": ", 0) == 0) reason.erase(0, path.size() + 2);
    return object(fmt::format("{}; expected {}", exported ? reason : "it cannot be loaded", expected));
  }
  const auto* abi = static_cast<const char* const*>(dlsym(handle, "platter_own_policy_abi"));
  const auto get = reinterpret_cast<const OwnPolicy* (*)()>(dlsym(handle, "platter_own_policy"));
  std::string problem;
  if (abi == nullptr || get == nullptr)
    problem = "it offers no policy; expected the registration line PLATTER_OWN_POLICY";
  else if (std::strcmp(*abi, kOwnPolicyAbi) != 0)
    problem = fmt::format(
        "it was made for \"{}\", expected \"{}\"; `platter policy build` makes it "
        "again",
        *abi, kOwnPolicyAbi);
  else
    problem = objection_to(*get());
  if (!problem.empty()) {
    dlclose(handle);
    return object(problem);
  }
  return enter(path, file, *get(), nullptr);
}

std::string shape_of(const OwnPolicy& policy, const std::string& name) {
  std::string text = name;
  for (std::uint32_t i = 0; i < policy.parameter_count; ++i)
    text += (i == 0 ? "(" : "|") + std::string(policy.parameters[i].name);
  return text + (policy.parameter_count > 0 ? ")" : "");
}

bool read(std::string_view text, const OwnParameter& parameter, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= parameter.least && value <= parameter.most;
}

// --- crashes and endless calls ---------------------------------------------------------------------------------------

/// The call of a policy or an engine that is under way; read by signal handlers.
struct UnderWay {
  const char* volatile kind = nullptr;
  const char* volatile policy = nullptr;
  const char* volatile call = nullptr;
  volatile std::sig_atomic_t serial = 0;
};
UnderWay under_way;
void (*clean_up)() = nullptr;

/// Async-signal-safe.
[[noreturn]] void end(const char* what) {
  std::array<char, 1024> text{};
  std::size_t size = 0;
  for (const char* part : {"platter: ", const_cast<const char*>(under_way.kind), const_cast<const char*>(under_way.policy),
                           what, const_cast<const char*>(under_way.call), "\n"})
    for (; *part != '\0' && size < text.size(); ++part) text[size++] = *part;
  if (write(STDERR_FILENO, text.data(), size) < 0) {
  }  // there is nobody to tell
  if (clean_up != nullptr) clean_up();
  _exit(1);
}

extern "C" void crashed(int signal) {
  if (under_way.call != nullptr) end(signal == SIGABRT ? " aborted in " : " crashed in ");
  std::signal(signal, SIG_DFL);
  raise(signal);
}

extern "C" void ticked(int /*signal*/) {
  static std::sig_atomic_t last = 0;
  static int seconds = 0;
  if (under_way.call == nullptr || under_way.serial != last) {
    last = under_way.serial;
    seconds = 0;
  } else if (++seconds >= kOwnPolicyLimit) {
    end(" has not returned within 10 s of processor time from ");
  }
}

void tick_each_second() {
  const itimerval second{{1, 0}, {1, 0}};
  setitimer(ITIMER_VIRTUAL, &second, nullptr);
}

/// Once for the process and its copies.
void watch() {
  static const bool watching = [] {
    static std::array<char, 65536> stack;  // a policy that recurses without end has used up its own
    stack_t other{};
    other.ss_sp = stack.data();
    other.ss_size = stack.size();
    sigaltstack(&other, nullptr);
    struct sigaction action{};
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    action.sa_handler = crashed;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
    action.sa_handler = ticked;
    sigaction(SIGVTALRM, &action, nullptr);
    tick_each_second();
    pthread_atfork(nullptr, nullptr, tick_each_second);  // a copy has no timer of its own
    std::atexit([] {                                     // Verilator's run-time does it where RTL does not settle
      if (under_way.call == nullptr) return;
      std::fflush(stdout);
      end(" has ended the process in ");
    });
    return true;
  }();
  static_cast<void>(watching);
}

/// While a policy is called.
class Call {
 public:
  Call(const char* policy, const char* name) {
    under_way.kind = "policy ";
    under_way.policy = policy;
    under_way.serial = under_way.serial + 1;
    under_way.call = name;
  }
  ~Call() { under_way.call = nullptr; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

// --- the answers -----------------------------------------------------------------------------------------------------

const PythonPolicy& python_of(const PolicyInfo& row) {
  for (const auto& [path, entry] : loaded())
    if (&entry.row == &row) return *entry.python;
  throw core::SimulationError("a policy without a file");
}

/// Checks the answers of a policy of your own, and says what it does while it does it.
class CheckedPolicy : public WrappedScheduler {
 public:
  CheckedPolicy(const PolicyInfo& row, const SchedulerContext& context)
      : WrappedScheduler(made(row, context)),
        name_(row.name),
        cylinders_(context.planner.geometry().cylinders()),
        held_(context.capacity, false) {}
  ~CheckedPolicy() override {
    const Call call(name_.c_str(), "its destructor");
    policy_.reset();
  }

  void insert(const Command& command) override {
    held_[command.tag.value] = true;
    ++count_;
    const Call call(name_.c_str(), "insert");
    policy_->insert(command);
  }
  void remove(Tag tag) override {
    forget(tag);
    const Call call(name_.c_str(), "remove");
    policy_->remove(tag);
  }
  void withdraw(Tag tag) override {
    forget(tag);
    const Call call(name_.c_str(), "withdraw");
    policy_->withdraw(tag);
  }
  bool empty() const override {
    const Call call(name_.c_str(), "empty");
    const bool empty = policy_->empty();
    if (empty != (count_ == 0)) fail(fmt::format("empty() is {}, but it holds {} commands", empty, count_));
    return empty;
  }
  Decision pick(const HeadState& head, Picoseconds now) override {
    const Call call(name_.c_str(), "pick");
    return checked(policy_->pick(head, now), now);
  }
  Decision next_of_sweep(const HeadState& head, Picoseconds now) override {
    const Call call(name_.c_str(), "next_of_sweep");
    return checked(policy_->next_of_sweep(head, now), now);
  }
  DecisionWork work(const HeadState& head) override {
    const Call call(name_.c_str(), "work");
    return policy_->work(head);
  }
  void put_first(const Command& command, const HeadState& head, Picoseconds now, Rule rule) override {
    const Call call(name_.c_str(), "put_first");
    WrappedScheduler::put_first(command, head, now, rule);
  }
  bool keeps_deadlines() const override {
    const Call call(name_.c_str(), "keeps_deadlines");
    return WrappedScheduler::keeps_deadlines();
  }
  bool knows_deadlines() const override {
    const Call call(name_.c_str(), "knows_deadlines");
    return WrappedScheduler::knows_deadlines();
  }
  bool leaves_time(const Command& command, const HeadState& head, Picoseconds now) override {
    const Call call(name_.c_str(), "leaves_time");
    return WrappedScheduler::leaves_time(command, head, now);
  }
  bool has_time(const HeadState& head, Picoseconds effective) override {
    const Call call(name_.c_str(), "has_time");
    return WrappedScheduler::has_time(head, effective);
  }
  bool awaited(const AwaitedDestages& since) override {
    const Call call(name_.c_str(), "awaited");
    return policy_->awaited(since);
  }

 private:
  static std::unique_ptr<SchedulerIf> made(const PolicyInfo& row, const SchedulerContext& context) {
    if (row.create == nullptr) return create_python(python_of(row), context);
    watch();
    const std::string name(row.name);
    const Call call(name.c_str(), "its constructor");
    return row.create(context);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw core::SimulationError(fmt::format("policy {}: {}", name_, what));
  }

  void forget(Tag tag) {
    held_[tag.value] = false;
    --count_;
  }

  Decision checked(const Decision& decision, Picoseconds now) {
    again_ = decision.kind == Decision::Kind::Again ? again_ + 1 : 0;
    switch (decision.kind) {
      case Decision::Kind::Serve:
        if (decision.tag.value >= held_.size() || !held_[decision.tag.value])
          fail(fmt::format("at {} ps it serves tag {}, expected the tag of one of the {} commands that it holds", now,
                           decision.tag.value, count_));
        break;
      case Decision::Kind::Move:
        if (decision.cylinder.value >= cylinders_)
          fail(fmt::format("at {} ps it moves the arm to cylinder {}, expected one below {}", now, decision.cylinder.value,
                           cylinders_));
        break;
      case Decision::Kind::Idle:
        if (decision.until <= now)
          fail(fmt::format("at {} ps it waits until {} ps, expected a later time", now, decision.until));
        break;
      case Decision::Kind::Again:
        if (again_ > held_.size()) fail(fmt::format("at {} ps it asks to be called again without end", now));
        break;
      case Decision::Kind::Write: fail(fmt::format("at {} ps it chooses the place of a write, expected Decision::serve", now));
    }
    return decision;
  }

  std::string name_;
  std::uint32_t cylinders_;
  std::vector<bool> held_;  ///< by tag
  std::size_t count_ = 0;
  std::size_t again_ = 0;
};

}  // namespace

void OwnValues::refuse(std::size_t index) const {
  const bool known = under_way.call != nullptr;
  throw core::SimulationError(fmt::format(
      "{}{}it reads parameters.own[{}], but has declared {} parameter{}; expected one more in the line PLATTER_OWN_POLICY",
      known ? std::string("policy ") + const_cast<const char*>(under_way.policy) + ": " : "",
      known ? std::string("in ") + const_cast<const char*>(under_way.call) + " " : "", index, count_, count_ == 1 ? "" : "s"));
}

bool is_own_policy(std::string_view notation) { return notation.substr(0, kPrefix.size()) == kPrefix; }

PolicySpec own_policy(std::string_view notation, std::string& objection) {
  std::string_view file = notation.substr(kPrefix.size());
  std::string without_blanks;
  const bool given = !file.empty() && file.back() == ')' && file.find('(') != std::string_view::npos;
  if (given) {
    const std::size_t open = file.rfind('(');
    for (const char each : file.substr(open + 1, file.size() - open - 2))
      if (each != ' ') without_blanks += each;
    file = file.substr(0, open);
  }
  std::string_view values = without_blanks;
  const Loaded* const found = load(std::string(file), objection);
  if (found == nullptr) return {};
  const OwnPolicy& policy = *found->row.own;
  PolicySpec spec{&found->row, {}, std::string(notation)};
  bool good = given == (policy.parameter_count > 0);
  for (std::uint32_t i = 0; good && i < policy.parameter_count; ++i) {
    const bool last = i + 1 == policy.parameter_count;
    const std::size_t end = last ? values.size() : values.find('|');
    double value = 0;
    good = end != std::string_view::npos && read(values.substr(0, end), policy.parameters[i], value);
    if (!good) break;
    spec.parameters.own.add(value);
    if (!last) values.remove_prefix(end + 1);
  }
  if (good) return spec;
  objection = fmt::format("policy \"{}\": expected {}", notation, shape_of(policy, found->name));
  for (std::uint32_t i = 0; i < policy.parameter_count; ++i)
    objection +=
        fmt::format(", {} from {:g} to {:g}", policy.parameters[i].name, policy.parameters[i].least, policy.parameters[i].most);
  return {};
}

bool has_process(const PolicySpec& policy) { return policy.row->own != nullptr && policy.row->create == nullptr; }

const OwnPolicy* own_policy_of(const std::string& file, std::string& objection) {
  const Loaded* const found = load(file, objection);
  return found != nullptr ? found->row.own : nullptr;
}

std::string own_policy_name(const PolicySpec& policy) {
  std::string text(policy.row->name);
  const std::uint32_t count = policy.row->own->parameter_count;
  for (std::uint32_t i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "(" : "|", policy.parameters.own[i]);
  return text + (count > 0 ? ")" : "");
}

std::unique_ptr<SchedulerIf> create_own(const PolicyInfo& row, const SchedulerContext& context) {
  return std::make_unique<CheckedPolicy>(row, context);
}

OwnEngineCall::OwnEngineCall(const char* engine, const char* name) {
  watch();
  under_way.kind = "engine ";
  under_way.policy = engine;
  under_way.serial = under_way.serial + 1;
  under_way.call = name;
}

OwnEngineCall::~OwnEngineCall() { under_way.call = nullptr; }

void before_own_policy_ends(void (*to_do)()) { clean_up = to_do; }

}  // namespace platter::scheduling
