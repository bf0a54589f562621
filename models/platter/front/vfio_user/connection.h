// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "platter/front/serving/poller.h"
#include "platter/front/vfio_user/protocol.h"

namespace platter::vfio_user {

/// A message of the client, with its file descriptors.
struct Message {
  Header header;
  Bytes body;
  std::vector<serving::FileDescriptor> files;
};

/// Executes the client's messages.
class MessageHandlerIf {
 public:
  virtual ~MessageHandlerIf() = default;
  /// The handler may take the files.
  virtual Reply execute(Message& message) = 0;
};

/// The socket of one client. It divides the incoming bytes into messages, and sends the handler's reply to each. It also sends commands of the server
/// to the client, and waits for the answers.
///
/// A connection fails if the client closes it, breaks the framing, takes no replies or answers too late, or if a reply is fatal. A failed connection
/// receives and sends nothing more, and its owner must close it.
class Connection : private serving::PollHandlerIf {
 public:
  Connection(serving::Poller& poller, MessageHandlerIf& handler);
  ~Connection() override { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Precondition: the connection is closed.
  void open(serving::FileDescriptor client);
  void close();
  bool is_open() const { return static_cast<bool>(client_); }

  /// Sends pending output, as far as the client takes it now. Returns false if the connection has failed. Precondition: it is open.
  bool flush();

  /// Sets a file that `ask` watches while it waits: when the file is readable, the connection fails.
  void stop_on(int fd) { stop_fd_ = fd; }
  /// Sends a command, and waits for the body of the answer. Meanwhile it answers the client's own messages, because the client may hold a lock until it
  /// has those answers. All answers between two calls of `flush` may take 5 s together. Returns nothing if the client refuses the command, or if the
  /// connection is closed or fails.
  std::optional<Bytes> ask(Command command, const Bytes& body);

 private:
  /// A message to the client that waits for its reply.
  struct Question {
    std::uint16_t id = 0;
    bool open = false;  ///< waits for its answer
    std::uint32_t error = 0;
    Bytes answer;
  };
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 10;  ///< bytes of a message
  static constexpr std::size_t kMaxFiles = 16;                     ///< file descriptors of a message
  static constexpr std::size_t kMaxUnsent = 16 * kMaxBytes;
  /// Longest time for all answers of the client between two calls of `flush`.
  static constexpr std::chrono::milliseconds kPatience{5000};

  void ready(std::uint32_t events) override;
  bool receive();
  bool take_files(const void* control);
  void complete(Message message);
  void await_answer();
  void send(Header header, const Bytes& body);
  void push();

  serving::Poller& poller_;
  MessageHandlerIf& handler_;
  serving::FileDescriptor client_;
  std::uint32_t events_ = 0;  ///< events for which the client is polled
  bool failed_ = false;
  Header header_;             ///< of the incoming message
  Bytes body_;                ///< of the incoming message
  std::size_t received_ = 0;  ///< bytes of the incoming message so far, with its header
  std::vector<serving::FileDescriptor> files_;
  Bytes output_;
  Question question_;
  std::chrono::steady_clock::duration waited_{0};  ///< waited for the client's answers since the last `flush`
  int stop_fd_ = -1;
};

}  // namespace platter::vfio_user
