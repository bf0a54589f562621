// SPDX-License-Identifier: Apache-2.0
//
// The control socket: lines that are no commands, and commands with any argument, while hosts use the drives.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "platter/drive/power_supply.h"
#include "platter/front/serving/control_server.h"
#include "platter/system/serve_control.h"
#include "served_drive.h"

namespace platter::fuzz {
namespace {

using nlohmann::json;

class Control : public Protocol {
 public:
  explicit Control(const std::filesystem::path& work) : work_(work) {
    target_.mark = [](const std::string&) {};
    for (int i = 0; i < 2; ++i) {
      disks_.push_back(testing::make_drive(("disk" + std::to_string(i)).c_str(), "SPTF", "firmware", fuzz_profile()));
      disks_.back()->connect(supply_);
      hosts_.push_back(std::make_unique<AnyHost>(("host" + std::to_string(i)).c_str()));
      hosts_.back()->init_socket.bind(disks_.back()->host_tgt_socket);
    }
  }

  void begin() override {
    poller_ = std::make_unique<serving::Poller>();
    path_ = (work_ / ("control-" + std::to_string(getpid()))).string();
    server_ = std::make_unique<serving::ControlServer>(path_, system::control_commands(target_), *poller_);
    connect();
  }

  void input(Random& random) override {
    load(random);
    Bytes bytes;
    for (std::uint64_t n = 1 + below(random, 4); n > 0; --n) {
      const std::string line = any_line(random);
      bytes.insert(bytes.end(), line.begin(), line.end());
      bytes.push_back('\n');
    }
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t part = std::min<std::size_t>(bytes.size() - at, one_in(random, 2) ? 1 + below(random, 64) : 60'000);
      const ssize_t sent = send(client_.get(), &bytes[at], part, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) break;  // the server has closed the connection
      at += sent > 0 ? static_cast<std::size_t>(sent) : 0;
      serve();
    }
    if (one_in(random, 8)) connect();  // the client goes, and its answers with it
    if (one_in(random, 2)) testing::run_until(core::now_ps() + static_cast<Picoseconds>(below(random, 30)) * kMs);
  }

  void check(Random& random) override {
    if (closed_) connect();
    serve();
    said_.clear();
    expect(ask(R"({"command": "restore_power"})"), "the power does not return");
    for (std::size_t i = 0; i < disks_.size(); ++i) {
      expect(ask(fmt::format(R"({{"command": "clear_fault", "drive": {}}})", i)), "the faults cannot be cleared");
      expect(ask(fmt::format(R"({{"command": "revive", "drive": {}}})", i)), "a drive cannot be revived");
      drive::Drive& disk = *disks_[i];
      mend(disk);
      drain(Aborts::Yes, {&disk}, [&] { return hosts_[i]->idle(); }, "a command does not end");
      hosts_[i]->forget();
      roundtrip(random, *hosts_[i], disk);
    }
    expect(ask(R"({"command": "statistics"})") && ask(R"({"command": "faults", "drive": 1})"), "a good command is refused");
  }

 private:
  void connect() {
    client_ = serving::FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::copy(path_.begin(), path_.end(), name.sun_path);
    expect(::connect(client_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0, "the server takes no client");
    closed_ = false;
    said_.clear();
    serve();
  }
  void serve() {
    for (int turn = 0; turn < 1000 && poller_->wait(std::chrono::nanoseconds(0)); ++turn) {
      poller_->dispatch();
      server_->flush();
      take();
    }
    take();
  }
  void take() {
    std::array<char, 4096> part{};
    ssize_t got = 0;
    while ((got = recv(client_.get(), part.data(), part.size(), MSG_DONTWAIT)) > 0)
      said_.append(part.data(), static_cast<std::size_t>(got));
    closed_ = closed_ || got == 0 || (errno != EAGAIN && errno != EINTR);
    for (std::size_t end = said_.find('\n'); end != std::string::npos; end = said_.find('\n')) {
      const json answer = json::parse(said_.substr(0, end), nullptr, false);
      expect(answer.is_object() && answer.contains("ok") && answer["ok"].is_boolean() &&
                 (answer["ok"] == true || answer.contains("error")),
             "no answer: " + said_.substr(0, end));
      last_ = answer["ok"] == true;
      said_.erase(0, end + 1);
      ++answers_;
    }
  }
  /// Returns whether the answer is good.
  bool ask(const std::string& line) {
    const std::uint64_t before = answers_;
    const std::string whole = line + '\n';
    expect(send(client_.get(), whole.data(), whole.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(whole.size()),
           "the server takes no line");
    serve();
    expect(answers_ == before + 1, "a line does not have one answer");
    return last_;
  }

  void load(Random& random) {
    const std::size_t i = below(random, disks_.size());
    hosts_[i]->send(hosts_[i]->make(one_in(random, 2), below(random, testing::kToyBlocks - 64),
                                    1 + static_cast<std::uint32_t>(below(random, 64))),
                    tlm::BEGIN_REQ);
  }

  std::string any_line(Random& random) {
    if (one_in(random, 12)) {
      const std::string open = pick<std::string>(random, {"[", "{\"command\":", "[{\"a\":"});
      const std::uint64_t deep = one_in(random, 8) ? below(random, 60'000) : below(random, 40);
      std::string line = one_in(random, 2) ? "{\"command\":" : "";
      for (std::uint64_t n = deep; n > 0; --n) line += open;
      if (open == "[" && one_in(random, 2)) line += std::string(deep, ']') + (line[0] == '{' ? "}" : "");
      return line;
    }
    if (one_in(random, 200))
      return std::string(below(random, 2 * serving::ControlServer::kLongestLine), one_in(random, 2) ? ' ' : 'x');
    json line = json::object();
    line["command"] =
        pick<std::string>(random, {"statistics", "fail", "revive", "add_fault", "add_fault", "add_fault", "clear_fault",
                                   "faults", "cut_power", "restore_power", "mark", "stop", "help", "", "Help"});
    if (line["command"] == "add_fault") {
      const media::Fault fault = any_fault(random);
      line["kind"] = media::info_of(fault.kind).name;
      if (!fault.any_block()) line["block"] = fault.first;
      line["blocks"] = fault.blocks;
      line["tries"] = fault.tries;
      line["turns"] = fault.turns;
      line["delay_ms"] = static_cast<double>(fault.delay) / kMs;
      if (fault.kind == media::FaultKind::Surface) line["surface"] = fault.surface;
      if (fault.kind == media::FaultKind::SilentMisdirected) line["other_block"] = fault.other_block;
      if (fault.count > 0) line["count"] = fault.count;
      if (fault.at_command > 0) line["at_command"] = fault.at_command;
    }
    static const std::vector<std::string> kKeys = {
        "drive", "fault", "block",    "blocks",      "surface", "at_s",  "at_command", "at_access", "for_s",   "count",
        "tries", "turns", "delay_ms", "other_block", "bit",     "off_s", "text",       "kind",      "command", "unknown"};
    if (one_in(random, 2)) line["drive"] = below(random, 3);
    for (std::uint64_t n = below(random, 3); n > 0; --n) line[pick(random, kKeys)] = any_value(random);
    std::string text = line.dump();
    if (!one_in(random, 4)) return text;
    Bytes bytes(text.begin(), text.end());
    mutate(random, bytes);
    text.assign(bytes.begin(), bytes.end());
    return text;
  }
  static json any_value(Random& random) {
    switch (below(random, 10)) {
      case 0: return hostile(random);
      case 1: return -static_cast<std::int64_t>(below(random, 100));
      case 2: return below(random, 10);
      case 3: return pick(random, {0.5, 1e-9, 1e6, 999'999.9, 1e300, -1e300, 5e-324});
      case 4: return nullptr;
      case 5: return one_in(random, 2);
      case 6: return json::array({1, json::object()});
      case 7: return json::object({{"command", "help"}});
      case 8: return std::string("\xff\xfe text \x01", 9).substr(3);
      default: return std::string(below(random, 300), 'x');
    }
  }

  std::filesystem::path work_;
  std::vector<std::unique_ptr<drive::Drive>> disks_;
  std::vector<std::unique_ptr<AnyHost>> hosts_;
  drive::PowerSupply supply_{drive::PowerSupply::Plan{}};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
  system::ControlTarget target_{disks_, supply_,
                                [] {}};  // the other functions belong to commands that no input has, or are set
#pragma GCC diagnostic pop
  std::unique_ptr<serving::Poller> poller_;
  std::string path_;
  std::unique_ptr<serving::ControlServer> server_;
  serving::FileDescriptor client_;
  std::string said_;
  std::uint64_t answers_ = 0;
  bool last_ = false;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<Protocol> make_control(const std::filesystem::path& work) { return std::make_unique<Control>(work); }

}  // namespace platter::fuzz
