// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "platter/front/nbd/block_initiator.h"
#include "platter/front/nbd/memory.h"
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
/// DISC; of their flags FUA and DF. Every other command gets EINVAL (TRIM, WRITE_ZEROES and CACHE among them, which are not offered), and so does a
/// request that is too long, out of range or not of whole sectors; a write out of range ENOSPC, a READ with DF that is too long EOVERFLOW. A client
/// that breaks the protocol is left.
///
/// The data of requests takes memory of all sessions: of a write as it comes, of a read from when it is issued until it has been sent. A session that
/// finds none takes nothing more from its client until there is.
class Session : public BlockClientIf {
 public:
  static constexpr std::uint32_t kMostBytes = 32u << 20;  ///< of a request's data

  /// The exports must stay; the first is the default, whose name may also be empty. So must the memory.
  Session(const std::vector<Export>& exports, Memory& memory);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Where the client's next bytes go, and how many at the most; none while the client has too much under way, does not take its answers, or waits
  /// for memory.
  struct Room {
    std::uint8_t* to;
    std::size_t bytes;
  };
  Room room();
  /// So many bytes have come there.
  void received(std::size_t bytes);
  /// Goes on with what has come, as far as it may.
  void resume();
  /// Will there be room? Takes no memory.
  bool takes_input() const { return state_ != State::Over && !full() && !memory_.blocked(); }

  /// The next bytes to be sent to the client; none if there is nothing to send.
  struct Piece {
    const std::uint8_t* from = nullptr;
    std::size_t bytes = 0;
  };
  Piece output() const;
  /// So many of them have been sent.
  void sent(std::size_t bytes);
  std::uint64_t unsent_bytes() const { return unsent_; }
  /// Nothing more is to come from the client, and nothing more to be answered: the connection may be closed when the output has been sent. A client
  /// that has taken its leave gets the answers that are due.
  bool over() const { return state_ == State::Over && (!finishing_ || requests_ == 0); }

  /// Does the session hold memory of others, and is it for its client to give it back: by taking answers, or by sending the rest of a write?
  bool client_holds_memory() const {
    return memory_.held() > Memory::kOwn && (unsent_ > 0 || (state_ == State::Data && !memory_.blocked()));
  }
  std::uint64_t held_bytes() const { return memory_.held(); }

  void answered(BlockRequest& request) override;

 private:
  enum class State : std::uint8_t { ClientFlags, Option, OptionData, Request, Issue, Data, Skip, Over };
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
  static constexpr std::uint64_t kRequestBytes = 512;                  ///< of a request without its data
  static constexpr std::size_t kPart = std::size_t{64} << 10;          ///< bytes by which the data of a write grows
  static constexpr std::size_t kCopied = std::size_t{16} << 10;        ///< data of an answer that is joined with others

  bool full() const { return requests_ >= kMostRequests || memory_.held() > kMostHeld; }
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
  bool may_issue();
  bool grow();
  std::uint32_t objection() const;
  void data();
  void skip();
  void issue(BlockRequest& request, command::Operation operation);
  void reply(std::uint64_t cookie, std::uint32_t error);
  void reply_data(BlockRequest& request);
  /// Appends to the output.
  class Output;
  Output out();

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
  std::size_t filled_ = 0;           ///< bytes of it that have come
  std::uint64_t left_ = 0;           ///< bytes of data to come
  std::uint32_t requests_ = 0;       ///< under way
  std::deque<std::vector<std::uint8_t>> output_;
  std::size_t sent_ = 0;      ///< bytes of its first part
  std::uint64_t unsent_ = 0;  ///< bytes
  Memory& shared_;
  Memory::Holder memory_;
};

}  // namespace platter::nbd
