// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "platter/front/serving/poller.h"
#include "platter/front/vfio_user/protocol.h"

namespace platter::vfio_user {

/// A message of the client, with the files that came with it.
struct Message {
  Header header;
  Bytes body;
  std::vector<serving::FileDescriptor> files;
};

/// Carries out the client's messages.
class MessageHandlerIf {
 public:
  virtual ~MessageHandlerIf() = default;
  /// The handler may take the files.
  virtual Reply execute(Message& message) = 0;
};

/// The socket of one client: cuts what comes into messages, answers each by the handler's reply, and asks the client for what the server wants.
///
/// A connection fails if the client leaves it, breaks the framing, takes no replies or is too slow with an answer, or if a reply is fatal. It then takes
/// and sends nothing more, and its owner has to close it.
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

  /// Sends what is left of the replies, as far as the client takes it. False if the connection has failed. Precondition: it is open.
  bool flush();

  /// While `ask` waits, it also looks at this file: if it can be read, the connection fails.
  void stop_on(int fd) { stop_fd_ = fd; }
  /// Sends a command and waits for the body of its answer. The client's own messages are handled meanwhile, as it may hold a lock until they are
  /// answered. All answers between two calls of `flush` have 5 s together. Nothing if the client refuses, or the connection is closed or fails.
  std::optional<Bytes> ask(Command command, const Bytes& body);

 private:
  struct Question {
    std::uint16_t id = 0;
    bool open = false;  ///< waits for its answer
    std::uint32_t error = 0;
    Bytes answer;
  };
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;  ///< of a message
  static constexpr std::size_t kMostFiles = 16;                     ///< of a message
  static constexpr std::size_t kMostUnsent = 16 * kMostBytes;
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
  std::uint32_t events_ = 0;  ///< polled for
  bool failed_ = false;
  Bytes input_;
  std::size_t received_ = 0;  ///< bytes of the message that is coming
  std::vector<serving::FileDescriptor> files_;
  Bytes output_;
  Question question_;
  std::chrono::steady_clock::duration waited_{0};  ///< for answers, since the last `flush`
  int stop_fd_ = -1;
};

}  // namespace platter::vfio_user
