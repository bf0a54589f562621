// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "platter/core/sc_time.h"

namespace platter::observe {

using core::Picoseconds;
using drive::ControllerState;

namespace {

// Processes and threads are numbered from 1: to viewers, 0 is the machine's idle process.
constexpr std::size_t kHost = 1;
constexpr std::size_t kFirstDrive = 2;
constexpr int kRequests = 1;
enum Thread : int { kEngine = 1, kActuator, kChannel, kBusReads, kBusWrites };
constexpr std::array<const char*, 5> kThreadNames = {"engine", "actuator", "channel", "bus, reads", "bus, writes"};
/// A decision that was ready when it was asked for is drawn for a nanosecond: an arrow needs a span.
constexpr Picoseconds kShortest = 1000;

constexpr std::array<const char*, 16> kConditions = {
    "no write pointer", "empty", "implicitly open", "explicitly open", "closed", "", "", "", "", "", "", "", "",
    "read-only",        "full",  "offline"};
constexpr std::array<const char*, 5> kActions = {"zone", "close", "finish", "open", "reset"};

/// In microseconds, exactly.
std::string us(Picoseconds time) { return fmt::format("{}.{:06}", time / 1'000'000, time % 1'000'000); }

}  // namespace

/// The threads of an actuator; with the first one those of the drive's bus.
class ChromeTrace::Watch : public drive::ProbeIf, public drive::DecisionProbeIf {
 public:
  Watch(ChromeTrace& trace, drive::Drive& drive, std::uint32_t actuator, std::size_t process)
      : trace_(trace), drive_(drive), actuator_(actuator), process_(process) {
    drive_.add_probe(*this);
    drive_.add_decision_probe(*this);
  }

  void decided(const drive::DecisionReport& report) override {
    if (report.actuator != actuator_) return;
    const Picoseconds begin = std::max(report.asked, engine_free_);
    engine_free_ = std::max(report.effective, begin + kShortest);
    std::string name = report.chosen != nullptr ? fmt::format("tag {}", report.chosen->command.tag.value) : "none";
    if (report.decision.kind == scheduling::Decision::Kind::Move) name = "move";
    const auto waiting =
        std::count_if(report.engine.begin(), report.engine.end(), [](const drive::QueueEntry* one) { return one != nullptr; });
    std::string arguments = fmt::format("\"commands\":{},\"forced\":{}", waiting, report.decision.forced);
    if (report.decision.rule != scheduling::Rule::Policy)
      arguments += fmt::format(R"(,"rule":"{}")", scheduling::to_string(report.decision.rule));
    trace_.slice(process_, kEngine, name, {begin, engine_free_}, arguments);
    decision_ = {begin, engine_free_};
  }

  void entered(const drive::ActuatorReport& report) override {
    if (report.actuator != actuator_) return;
    end_phase(report.time);
    switch (report.state) {
      case ControllerState::Decide:  // either the access before has ended, or the next one waits for its decision
        if (access_.begin <= report.time) end_access(report.time);
        return;
      case ControllerState::Idle: end_access(report.time); return;
      default: break;
    }
    if (access_.begin < 0) access_ = {report.time, "move", "", decision_};
    phase_ = {report.time, report.state};
  }

  void started(const drive::AccessReport& report) override {
    if (report.actuator != actuator_) return;
    access_ = {report.begin,
               fmt::format("tag {} {} {}", report.tag, core::to_string(report.cls), report.write ? "write" : "read"),
               fmt::format("\"first_block\":{},\"blocks\":{}", report.first.value, report.blocks), decision_};
  }

  void occupied(Picoseconds time, std::uint32_t commands) override {
    if (actuator_ > 0 || !trace_.inside({time, time})) return;
    constexpr const char* kCounter = "{{\"ph\":\"C\",\"name\":\"{}\",\"pid\":{},\"ts\":{},\"args\":{{\"{}\":{}}}}}";
    trace_.event(fmt::format(kCounter, "queue", process_, us(time), "commands", commands));
    if (drive_.zones() != nullptr)
      trace_.event(fmt::format(kCounter, "open zones", process_, us(time), "zones", drive_.zones()->open()));
  }
  const drive::Drive& drive() const { return drive_; }
  /// The run ends.
  void close(Picoseconds now) {
    if (phase_.begin < now) end_phase(now);
    if (access_.begin < now) end_access(now);
  }

  void carried(const drive::BusReport& report) override {
    if (actuator_ > 0) return;
    Picoseconds& free = bus_free_[report.write];
    const Picoseconds begin = std::max(report.begin, free);
    free = std::max(report.end, begin);
    trace_.slice(process_, report.write ? kBusWrites : kBusReads, fmt::format("{} blocks", report.blocks), {begin, free});
  }

 private:
  struct Phase {
    Picoseconds begin;
    ControllerState state;
  };

  void end_phase(Picoseconds now) {
    if (phase_.begin < 0) return;
    phases_.push_back({{phase_.begin, now}, phase_.state});
    phase_.begin = -1;
  }
  /// Writes the access, or the movement, and then its phases: of two spans that begin together, viewers nest the later one.
  void end_access(Picoseconds now) {
    if (access_.begin >= 0 && access_.begin <= now) {  // otherwise the drive has failed before the access began
      const Span span{access_.begin, now};
      trace_.slice(process_, kActuator, access_.name, span, access_.arguments);
      for (const auto& [phase, state] : phases_) {
        trace_.slice(process_, kActuator, drive::kControllerStateNames[static_cast<std::size_t>(state)], phase);
        if (state == ControllerState::Transfer) trace_.slice(process_, kChannel, access_.name, phase);
      }
      if (trace_.inside(span) && trace_.inside(access_.decision)) arrow();
    }
    access_.begin = -1;
    phases_.clear();
  }
  /// From the decision to the access.
  void arrow() {
    constexpr const char* kArrow =
        "{{\"ph\":\"{}\",\"cat\":\"decision\",\"name\":\"access\",\"id\":\"{}.{}\",\"pid\":{},\"tid\":{},\"ts\":{}{}}}";
    const auto end = [&](char phase, Thread thread, Picoseconds time, const char* binding) {
      trace_.event(fmt::format(kArrow, phase, process_, arrows_, process_, static_cast<int>(thread), us(time), binding));
    };
    ++arrows_;
    end('s', kEngine, access_.decision.begin, "");
    end('f', kActuator, access_.begin, ",\"bp\":\"e\"");
  }

  ChromeTrace& trace_;
  drive::Drive& drive_;
  std::uint32_t actuator_;
  std::size_t process_;
  struct {
    Picoseconds begin;  ///< may lie ahead: the decision takes effect then; -1: none
    std::string name;
    std::string arguments;
    Span decision;
  } access_{-1, {}, {}, {}};
  Phase phase_{-1, ControllerState::Idle};                ///< the present one
  std::vector<std::pair<Span, ControllerState>> phases_;  ///< of the access, so far
  Span decision_{};                                       ///< the last one
  Picoseconds engine_free_ = 0;
  std::array<Picoseconds, 2> bus_free_{};
  std::uint64_t arrows_ = 0;
};

ChromeTrace::ChromeTrace(const std::filesystem::path& file, Picoseconds from, Picoseconds to)
    : file_(file), from_(from), to_(to) {
  file_.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"tid":{},"args":{{"name":"host"}}}})", kHost, kRequests));
}
ChromeTrace::~ChromeTrace() = default;

void ChromeTrace::watch(drive::Drive& drive, const std::string& name) {
  for (std::uint32_t i = 0; i < drive.actuators(); ++i) watch(drive, drive::numbered(name, i), i);
}

void ChromeTrace::watch(drive::Drive& drive, const std::string& name, std::uint32_t actuator) {
  const std::size_t process = watches_.size() + kFirstDrive;
  event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})", process,
                    static_cast<int>(kEngine), name));
  const std::size_t threads = actuator == 0 ? kThreadNames.size() : std::size_t{kChannel};
  for (std::size_t i = 0; i < threads; ++i) {
    event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})", process, i + 1,
                      kThreadNames[i]));
    event(fmt::format(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", process, i + 1,
                      i + 1));
  }
  watches_.push_back(std::make_unique<Watch>(*this, drive, actuator, process));
}

void ChromeTrace::finished(const workload::FinishedRequest& finished) {
  const command::CommandTiming& t = finished.timing;
  outstanding_.erase(finished.number);
  if (!inside({t.issued, t.completed})) return;
  begin(finished.request, finished.number, t.completed > finished.request.deadline);
  request('e', finished.request, finished.number, t.completed, "");
}

void ChromeTrace::request(char phase, const workload::Request& r, std::uint64_t number, Picoseconds time,
                          std::string_view arguments) {
  const std::string cls(core::to_string(r.cls));
  const char* operation = r.flush()   ? "flush"
                          : r.zone()  ? kActions[static_cast<std::size_t>(r.zone_action)]
                          : r.write() ? "write"
                                      : "read";
  event(fmt::format(R"({{"ph":"{}","cat":"{}","name":"{} {}","id":{},"pid":{},"tid":{},"ts":{}{}}})", phase, cls, cls,
                    operation, number, kHost, kRequests, us(time), arguments));
}

void ChromeTrace::begin(const workload::Request& r, std::uint64_t number, bool late) {
  request('b', r, number, r.issued,
          fmt::format(R"(,"args":{{"number":{},"stream":{},"offset_bytes":{},"length_bytes":{},"late":{}{}}})", number,
                      r.stream, r.address, r.length, late, zone_of(r)));
}

std::string ChromeTrace::zone_of(const workload::Request& request) const {
  if (watches_.size() != 1 || watches_.front()->drive().zones() == nullptr || request.all_zones || request.flush()) return {};
  const drive::Drive& drive = watches_.front()->drive();
  const zones::Zones& zones = *drive.zones();
  const std::uint32_t zone = zones.zone_of(request.address / drive.planner().geometry().sector_bytes());
  if (zone >= zones.count()) return {};
  return fmt::format(R"(,"zone":{},"condition":"{}")", zone,
                     kConditions[static_cast<std::size_t>(zones.descriptor(zone).condition)]);
}

void ChromeTrace::slice(std::size_t process, int thread, std::string_view name, const Span& span, std::string_view arguments) {
  if (!inside(span)) return;
  event(fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})", name, process, thread,
                    us(span.begin), us(span.end - span.begin), arguments));
}

void ChromeTrace::event(std::string_view json) {
  file_.write(any_ ? ",\n" : "\n");
  any_ = true;
  file_.write(json);
}

OutputFile& ChromeTrace::close() {
  const Picoseconds now = core::now_ps();
  for (const auto& watch : watches_) watch->close(now);
  for (const auto& [number, r] : outstanding_)
    if (inside({r.issued, now})) begin(r, number, now > r.deadline);
  file_.write("\n]}\n");
  return file_;
}

}  // namespace platter::observe
