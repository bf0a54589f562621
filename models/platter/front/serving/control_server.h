// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platter/front/serving/kernel_loop.h"
#include "platter/front/serving/listener.h"

namespace platter::serving {

/// The arguments of a command of the control socket. A key that no call has asked for is an error of the client.
class ControlArguments {
 public:
  /// Precondition: an object.
  explicit ControlArguments(const nlohmann::json& object) : object_(object) {}

  bool has(const std::string& key) const { return object_.contains(key); }
  /// The value, or nothing if there is none. Throw std::invalid_argument for a value of another type.
  const nlohmann::json* find(const std::string& key);
  std::string text(const std::string& key);
  std::uint64_t whole(const std::string& key, std::uint64_t otherwise);
  double real(const std::string& key, double otherwise);
  /// Throws std::invalid_argument for the first key that nobody has asked for.
  void finish() const;

 private:
  const nlohmann::json& object_;
  std::set<std::string> used_;
};

/// A command of the control socket. `run` returns what the answer has besides `ok`; it throws std::invalid_argument for a command that cannot
/// be carried out, and then has had no effect.
struct ControlCommand {
  std::string_view name;
  std::string_view meaning;
  std::function<nlohmann::json(ControlArguments& arguments)> run;
};

/// Takes commands at a Unix socket while a simulation is served: one JSON object a line, such as {"command": "help"}, and one line with one
/// JSON object as the answer to each, in their order. An answer has `"ok": true`, or `"ok": false` and `error`. A command takes effect at the
/// present simulated time, after everything that is due.
class ControlServer : public FlushIf {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// `path`: of the Unix socket; see Listener, which may throw. The command `help` is added to `commands`.
  ControlServer(const std::string& path, std::vector<ControlCommand> commands, Poller& poller);
  ~ControlServer() override;

  /// Sends what could not be sent at once, and removes clients that have gone.
  void flush() override;

  /// The answer to a line, without its end.
  std::string answer(std::string_view line) const;

 private:
  class Client;

  nlohmann::json run(const nlohmann::json& request) const;

  Poller& poller_;
  std::vector<ControlCommand> commands_;
  std::vector<std::unique_ptr<Client>> clients_;
  Listener listener_;
};

}  // namespace platter::serving
