// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platter/front/nbd/block_initiator.h"
#include "platter/front/nbd/protocol.h"

namespace platter::nbd {

/// A drive that clients can ask for by its name.
struct Export {
  std::string name;
  std::string description;
  std::uint64_t bytes = 0;
  std::uint32_t sector_bytes = 512;
  BlockInitiator* drive = nullptr;
};

/// One connection of the NBD protocol, fixed newstyle (doc/proto.md of NetworkBlockDevice/nbd), without the socket: bytes in, bytes out.
///
/// Options: EXPORT_NAME, ABORT, LIST, INFO, GO, STRUCTURED_REPLY, and the two of meta contexts, of which there is none. Commands: READ, WRITE, FLUSH,
/// DISC; of their flags FUA and DF. Every other command gets ENOTSUP (TRIM, WRITE_ZEROES and CACHE among them), a request that is out of range or not
/// of whole sectors EINVAL or, of a write, ENOSPC. A client that breaks the protocol is left.
class Session : public BlockClientIf {
 public:
  static constexpr std::uint32_t kMostBytes = 32u << 20;  ///< of a request's data

  /// The exports must stay; the first is the default, whose name may also be empty.
  explicit Session(const std::vector<Export>& exports);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Where the client's next bytes go, and how many at the most; none while the client has too much under way or does not take its answers.
  struct Room {
    std::uint8_t* to;
    std::size_t bytes;
  };
  Room room();
  /// So many bytes have come there.
  void received(std::size_t bytes);

  /// What is to be sent to the client; the front of it that has been sent is taken away.
  const std::vector<std::uint8_t>& output() const { return output_; }
  void sent(std::size_t bytes);
  /// Bytes of the output that have not been sent begin here.
  std::size_t sent_so_far() const { return sent_; }
  /// Nothing more is to come from the client, and nothing more to be answered: the connection may be closed when the output has been sent. A client
  /// that has taken its leave gets the answers that are due.
  bool over() const { return state_ == State::Over && (!finishing_ || requests_ == 0); }

  void answered(BlockRequest& request) override;

 private:
  enum class State : std::uint8_t { ClientFlags, Option, OptionData, Request, Data, Skip, Over };
  struct Header {
    std::uint16_t flags = 0;
    std::uint16_t type = 0;
    std::uint64_t cookie = 0;
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
  };
  static constexpr std::size_t kInputBytes = std::size_t{64} << 10;
  static constexpr std::uint32_t kMostOption = 16u << 10;              ///< bytes of an option's data
  static constexpr std::uint32_t kMostRequests = 1024;                 ///< under way
  static constexpr std::uint64_t kMostHeld = std::uint64_t{64} << 20;  ///< bytes of requests under way and of unsent answers

  bool full() const { return requests_ >= kMostRequests || held_ + (output_.size() - sent_) > kMostHeld; }
  std::size_t available() const { return end_ - begin_; }
  /// The next bytes of the input, if they are there.
  const std::uint8_t* take(std::size_t bytes);
  bool step();
  bool option();
  void meta_context(const std::vector<std::uint8_t>& data);
  void describe(std::uint32_t option, const std::vector<std::uint8_t>& data);
  void enter(const Export& chosen);
  void reply_option(std::uint32_t option, std::uint32_t type, std::string_view text = {});
  const Export* find(std::string_view name) const;
  std::uint16_t transmission_flags() const;
  void request();
  std::uint32_t objection() const;
  void data();
  void skip();
  void issue(BlockRequest& request, command::Operation operation);
  void reply(std::uint64_t cookie, std::uint32_t error);
  void reply_data(const BlockRequest& request);
  wire::Writer out() { return wire::Writer(output_); }

  const std::vector<Export>& exports_;
  const Export* export_ = nullptr;
  State state_ = State::ClientFlags;
  bool finishing_ = false;   ///< DISC has come
  bool zeroes_ = true;       ///< the client expects 124 zeroes after EXPORT_NAME
  bool structured_ = false;  ///< replies
  std::vector<std::uint8_t> input_;
  std::size_t begin_ = 0;  ///< of what has come and has not been taken
  std::size_t end_ = 0;
  std::uint32_t option_ = 0;
  std::uint32_t option_bytes_ = 0;
  Header header_;
  BlockRequest* writing_ = nullptr;  ///< whose data is coming
  std::uint64_t left_ = 0;           ///< bytes of data to come
  std::uint32_t requests_ = 0;       ///< under way
  std::uint64_t held_ = 0;           ///< bytes of their data
  std::vector<std::uint8_t> output_;
  std::size_t sent_ = 0;
};

}  // namespace platter::nbd
