// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "platter/front/nbd/block_initiator.h"
#include "platter/front/nbd/protocol.h"
#include "platter/front/serving/memory.h"
#include "platter/front/serving/session_if.h"

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
/// Options: EXPORT_NAME, ABORT, LIST, INFO, GO, STRUCTURED_REPLY, and the two of meta contexts, of which the server has none. Commands: READ, WRITE,
/// FLUSH, DISC, with the flags FUA and DF. Every other command gets EINVAL, also TRIM, WRITE_ZEROES and CACHE, which are not offered. A request that
/// is too long, out of range or not of whole sectors gets EINVAL too, but a write out of range gets ENOSPC, and a READ with DF that is too long gets
/// EOVERFLOW. The session ends if the client breaks the protocol.
///
/// The data of requests takes memory that all sessions share. The data of a write takes it when it arrives, the data of a read from its issue until
/// it has been sent. A session that finds no memory takes nothing more from its client until there is some.
class Session : public serving::SessionIf, public BlockClientIf {
 public:
  static constexpr std::uint32_t kMaxBytes = 32u << 20;  ///< most data of a request

  /// The exports and the memory must outlive the session. The first export is the default, which also has the empty name.
  Session(const std::vector<Export>& exports, Memory& memory);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Room room() override;
  void received(std::size_t bytes) override;
  void resume() override;
  bool takes_input() const override { return state_ != State::Over && !full() && !memory_.blocked(); }
  Piece output() const override;
  void sent(std::size_t bytes) override;
  std::uint64_t unsent_bytes() const override { return unsent_; }
  /// A client that has sent DISC still gets the answers to its earlier requests.
  bool over() const override { return state_ == State::Over && (!finishing_ || requests_ == 0); }
  bool client_holds_memory() const override {
    return memory_.held() > Memory::kOwn && (unsent_ > 0 || (state_ == State::Data && !memory_.blocked()));
  }
  std::uint64_t held_bytes() const override { return memory_.held(); }

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
  static constexpr std::uint32_t kMaxOption = 16u << 10;              ///< bytes of an option's data
  static constexpr std::uint32_t kMaxRequests = 1024;                 ///< in progress
  static constexpr std::uint64_t kMaxHeld = std::uint64_t{64} << 20;  ///< bytes of requests in progress and of unsent answers
  static constexpr std::uint64_t kRequestBytes = 512;                 ///< bytes of a request without its data
  static constexpr std::size_t kPart = std::size_t{64} << 10;         ///< bytes by which the data of a write grows
  static constexpr std::size_t kCopied = std::size_t{16} << 10;       ///< smaller answers are joined with others

  bool full() const { return requests_ >= kMaxRequests || memory_.held() > kMaxHeld; }
  std::size_t available() const { return end_ - begin_; }
  /// Takes the next bytes of the input; null if they have not arrived.
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
  std::size_t begin_ = 0;  ///< of the input that has not been taken
  std::size_t end_ = 0;
  std::uint32_t option_ = 0;
  std::uint32_t option_bytes_ = 0;
  Header header_;
  BlockRequest* writing_ = nullptr;  ///< the write whose data is arriving
  std::size_t filled_ = 0;           ///< bytes of it that have arrived
  std::uint64_t left_ = 0;           ///< bytes of data that are still to arrive
  std::uint32_t requests_ = 0;       ///< in progress
  std::deque<std::vector<std::uint8_t>> output_;
  std::size_t sent_ = 0;      ///< bytes of its first part that have been sent
  std::uint64_t unsent_ = 0;  ///< bytes of the output
  Memory& shared_;
  Memory::Holder memory_;
};

}  // namespace platter::nbd
