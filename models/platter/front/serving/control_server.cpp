// SPDX-License-Identifier: Apache-2.0
#include "platter/front/serving/control_server.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace platter::serving {

using nlohmann::json;

namespace {

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

/// No command has values within values. The limit is there because a value is written to messages by recursion, so that a line of a client that
/// only opens brackets would end the process.
constexpr int kDeepest = 8;

json parse(std::string_view line) {
  return json::parse(line, [](int depth, json::parse_event_t, json&) {
    if (depth > kDeepest) refuse(fmt::format("found values within more than {} others", kDeepest));
    return true;
  });
}

}  // namespace

// --- arguments --------------------------------------------------------------------------------------------------------

const json* ControlArguments::find(const std::string& key) {
  used_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

std::string ControlArguments::text(const std::string& key) {
  const json* const value = find(key);
  if (value == nullptr) refuse(fmt::format("{}: is missing", key));
  if (!value->is_string()) refuse(fmt::format("{}: found {}, expected a text", key, value->dump()));
  return value->get<std::string>();
}

std::uint64_t ControlArguments::whole(const std::string& key, std::uint64_t otherwise) {
  const json* const value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number_unsigned())
    refuse(fmt::format("{}: found {}, expected a whole number of at least 0", key, value->dump()));
  return value->get<std::uint64_t>();
}

double ControlArguments::real(const std::string& key, double otherwise) {
  const json* const value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) refuse(fmt::format("{}: found {}, expected a number", key, value->dump()));
  return value->get<double>();
}

void ControlArguments::finish() const {
  for (const auto& [key, value] : object_.items())
    if (used_.count(key) == 0) refuse(fmt::format("{}: this command has no such argument", key));
}

// --- clients ----------------------------------------------------------------------------------------------------------

class ControlServer::Client : public PollHandlerIf {
 public:
  Client(FileDescriptor socket, ControlServer& server) : server_(server), socket_(std::move(socket)) {
    server_.poller_.add(socket_.get(), EPOLLIN, *this);
  }
  ~Client() override { server_.poller_.remove(socket_.get(), *this); }

  void ready(std::uint32_t events) override {
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive();
    send_output();
  }
  void send_output() {
    while (!gone_ && !output_.empty()) {
      const ssize_t sent = send(socket_.get(), output_.data(), output_.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) {
        gone_ = errno != EAGAIN;
        break;
      }
      output_.erase(0, static_cast<std::size_t>(sent));
    }
    // A client that does not take its answers sends no further commands.
    const std::uint32_t wanted = output_.empty() ? EPOLLIN : std::uint32_t{EPOLLOUT};
    if (wanted == wanted_) return;
    wanted_ = wanted;
    server_.poller_.change(socket_.get(), wanted, *this);
  }
  bool gone() const { return gone_; }

 private:
  void receive() {
    std::array<char, 4096> part{};
    const ssize_t received = recv(socket_.get(), part.data(), part.size(), 0);
    if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR)) gone_ = true;
    if (received <= 0) return;
    input_.append(part.data(), static_cast<std::size_t>(received));
    std::size_t begin = 0;
    for (std::size_t end = input_.find('\n'); end != std::string::npos; end = input_.find('\n', begin)) {
      output_ += server_.answer(std::string_view(input_).substr(begin, end - begin)) + '\n';
      begin = end + 1;
    }
    input_.erase(0, begin);
    if (input_.size() > kLongestLine) gone_ = true;
  }

  ControlServer& server_;
  FileDescriptor socket_;
  std::string input_;
  std::string output_;
  std::uint32_t wanted_ = EPOLLIN;
  bool gone_ = false;
};

// --- the server -------------------------------------------------------------------------------------------------------

ControlServer::ControlServer(const std::string& path, std::vector<ControlCommand> commands, Poller& poller)
    : poller_(poller), commands_(std::move(commands)), listener_(path, poller, [this](FileDescriptor client) {
        clients_.push_back(std::make_unique<Client>(std::move(client), *this));
      }) {
  if (!listener_.is_unix()) throw std::invalid_argument(fmt::format("{}: expected the path of a Unix socket", path));
}

ControlServer::~ControlServer() { clients_.clear(); }

void ControlServer::flush() {
  for (const auto& client : clients_) client->send_output();
  clients_.erase(std::remove_if(clients_.begin(), clients_.end(), [](const auto& client) { return client->gone(); }),
                 clients_.end());
}

json ControlServer::run(const json& request) const {
  if (!request.is_object()) refuse("expected a JSON object");
  ControlArguments arguments(request);
  const std::string name = arguments.text("command");
  if (name == "help") {
    arguments.finish();
    json all = json::object();
    for (const ControlCommand& command : commands_) all[std::string(command.name)] = command.meaning;
    return {{"commands", std::move(all)}};
  }
  for (const ControlCommand& command : commands_)
    if (command.name == name) return command.run(arguments);
  refuse(fmt::format("command: there is no {}; the command help lists them", json(name).dump()));
}

std::string ControlServer::answer(std::string_view line) const {
  json answer = json::object();
  try {
    answer = run(parse(line));
    answer["ok"] = true;
  } catch (const json::exception&) {
    answer = {{"ok", false}, {"error", "the line is no JSON"}};
  } catch (const std::invalid_argument& error) {
    answer = {{"ok", false}, {"error", error.what()}};
  }
  return answer.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace platter::serving
