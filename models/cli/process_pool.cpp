// SPDX-License-Identifier: Apache-2.0
#include "process_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "signals.h"

namespace platter::cli {

using nlohmann::json;

namespace {

struct Child {
  pid_t pid;
  int pipe;
  std::size_t job;
  std::string text;
};

json answer_of(const std::function<json(std::size_t)>& job, std::size_t i) {
  try {
    return {{"code", kGood}, {"result", job(i)}};
  } catch (const core::ConfigError& error) {
    return {{"code", kBadInput}, {"error", error.what()}};
  } catch (const core::InputError& error) {
    return {{"code", kBadInput}, {"error", error.what()}};
  } catch (const std::exception& error) {
    return {{"code", kFailed}, {"error", error.what()}};
  }
}

Child start(const std::function<json(std::size_t)>& job, std::size_t i) {
  int ends[2];
  if (pipe(ends) != 0) throw core::SimulationError("cannot make a pipe to a child process");
  std::fflush(stdout);
  const pid_t pid = fork_child();
  if (pid < 0) throw core::SimulationError("cannot start a child process");
  if (pid == 0) {
    close(ends[0]);
    const std::string text = core::json_text(answer_of(job, i), -1);
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t n = write(ends[1], text.data() + at, text.size() - at);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    _exit(0);  // without destroying the kernel's objects
  }
  close(ends[1]);
  return {pid, ends[0], i, {}};
}

ProcessAnswer collect(const Child& child) {
  close(child.pipe);
  while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  forget_child(child.pid);
  ProcessAnswer answer;
  const json said = json::parse(child.text, nullptr, false);
  if (said.is_discarded()) {
    answer.error = "a child process ended without a result";
    return answer;
  }
  answer.code = said["code"];
  answer.error = said.value("error", "");
  answer.result = said.value("result", json());
  return answer;
}

}  // namespace

std::vector<ProcessAnswer> run_processes(std::size_t count, std::size_t limit, const std::function<json(std::size_t)>& job,
                                         const std::string& noun) {
  const bool shown = !noun.empty() && isatty(STDERR_FILENO) != 0;
  std::vector<ProcessAnswer> answers(count);
  std::vector<Child> children;
  std::size_t next = 0;
  std::size_t done = 0;
  while (done < count) {
    while (next < count && children.size() < limit) children.push_back(start(job, next++));
    std::vector<pollfd> ends;
    ends.reserve(children.size());
    for (const Child& child : children) ends.push_back({child.pipe, POLLIN, 0});
    if (poll(ends.data(), ends.size(), -1) < 0) continue;
    for (std::size_t i = children.size(); i-- > 0;) {
      if (ends[i].revents == 0) continue;
      char piece[4096];
      const ssize_t n = read(children[i].pipe, piece, sizeof piece);
      if (n > 0) children[i].text.append(piece, static_cast<std::size_t>(n));
      if (n > 0 || (n < 0 && errno == EINTR)) continue;
      answers[children[i].job] = collect(children[i]);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
      if (shown) fmt::print(stderr, "\r{} of {} {} ", done, count, noun);
    }
  }
  if (shown) fmt::print(stderr, "\r{:40}\r", "");
  return answers;
}

void rethrow(const ProcessAnswer& answer) {
  if (answer.code == kBadInput) {  // its text begins with the file
    const std::size_t end = std::min(answer.error.find(": "), answer.error.size());
    throw core::InputError(answer.error.substr(0, end), 0, 0, answer.error.substr(std::min(end + 2, answer.error.size())));
  }
  if (answer.code != kGood) throw core::SimulationError(answer.error);
}

}  // namespace platter::cli
