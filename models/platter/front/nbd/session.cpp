// SPDX-License-Identifier: Apache-2.0
#include "platter/front/nbd/session.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace platter::nbd {

using command::CommandStatus;
using command::Operation;

namespace {

std::uint32_t error_of(CommandStatus status) {
  switch (status) {
    case CommandStatus::Good: return 0;
    case CommandStatus::BadAddress:
    case CommandStatus::BadLength:
    case CommandStatus::BadCommand: return wire::kInvalid;
    default: return wire::kIo;
  }
}

std::string_view text_of(const std::uint8_t* from, std::size_t bytes) { return {reinterpret_cast<const char*>(from), bytes}; }

}  // namespace

/// Writes to the end of the output, and accounts for it.
class Session::Output {
 public:
  explicit Output(Session& session) : session_(session) {
    auto& parts = session.output_;
    if (parts.empty() || parts.back().size() >= kPart) parts.emplace_back();
    before_ = parts.back().size();
  }
  ~Output() {
    const std::size_t bytes = session_.output_.back().size() - before_;
    session_.unsent_ += bytes;
    session_.memory_.add(bytes);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  template <typename... Values>
  Output& put(Values... values) {
    wire::Writer(session_.output_.back()).put(values...);
    return *this;
  }
  Output& zeroes(std::size_t count) {
    wire::Writer(session_.output_.back()).zeroes(count);
    return *this;
  }

 private:
  Session& session_;
  std::size_t before_;
};

Session::Output Session::out() { return Output(*this); }

Session::Session(const std::vector<Export>& exports, Memory& memory)
    : exports_(exports), input_(kInputBytes), shared_(memory), memory_(memory) {
  out().put(wire::kMagic).put(wire::kOptionMagic).put(static_cast<std::uint16_t>(wire::kFixedNewstyle | wire::kNoZeroes));
}

Session::~Session() {
  if (writing_ != nullptr) export_->drive->release(*writing_);
  if (export_ != nullptr) export_->drive->forget(*this, shared_);
}

Session::Room Session::room() {
  if (state_ == State::Over || full()) return {nullptr, 0};
  if (state_ == State::Data && available() == 0) {
    if (!grow()) return {nullptr, 0};
    return {writing_->data.data() + filled_, writing_->data.size() - filled_};
  }
  if (state_ == State::Issue) return {nullptr, 0};
  if (begin_ > 0) {
    std::memmove(input_.data(), input_.data() + begin_, available());
    end_ -= begin_;
    begin_ = 0;
  }
  return {input_.data() + end_, input_.size() - end_};
}

void Session::received(std::size_t bytes) {
  if (bytes > 0 && state_ == State::Data && available() == 0) {
    filled_ += bytes;
    left_ -= bytes;
    if (left_ == 0) data();
  } else {
    end_ += bytes;
  }
  while (!full() && step()) {
  }
}

void Session::resume() {
  if (state_ == State::Data && memory_.blocked() && !grow()) return;
  received(0);
}

/// Makes room for the next data of a write. Returns false if there is no memory.
bool Session::grow() {
  std::vector<std::uint8_t>& data = writing_->data;
  if (filled_ < data.size()) return true;
  const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPart));
  if (!memory_.take(part)) return false;
  data.resize(filled_ + part);
  return true;
}

Session::Piece Session::output() const {
  if (unsent_ == 0) return {};
  return {output_.front().data() + sent_, output_.front().size() - sent_};
}

void Session::sent(std::size_t bytes) {
  if (bytes == 0) return;
  sent_ += bytes;
  unsent_ -= bytes;
  if (unsent_ > 0 && sent_ < output_.front().size()) return;
  memory_.give_back(sent_);
  sent_ = 0;
  if (output_.front().capacity() > 2 * kPart || output_.size() > 1)
    output_.pop_front();
  else
    output_.front().clear();
}

const std::uint8_t* Session::take(std::size_t bytes) {
  if (available() < bytes) return nullptr;
  const std::uint8_t* const taken = input_.data() + begin_;
  begin_ += bytes;
  return taken;
}

/// Interprets the next part of the input. Returns false if it has not come yet, or if the session is over.
bool Session::step() {
  switch (state_) {
    case State::ClientFlags: {
      const std::uint8_t* const from = take(4);
      if (from == nullptr) return false;
      const auto flags = wire::get<std::uint32_t>(from);
      zeroes_ = (flags & wire::kNoZeroes) == 0;
      const bool known = (flags & ~std::uint32_t{wire::kFixedNewstyle | wire::kNoZeroes}) == 0;
      state_ = known ? State::Option : State::Over;
      return true;
    }
    case State::Option: {
      const std::uint8_t* const from = take(16);
      if (from == nullptr) return false;
      option_ = wire::get<std::uint32_t>(from + 8);
      option_bytes_ = wire::get<std::uint32_t>(from + 12);
      const bool good = wire::get<std::uint64_t>(from) == wire::kOptionMagic;
      state_ = State::OptionData;
      const bool answered = option_ != wire::kExportName;
      if (!good || (!answered && option_bytes_ > kMaxOption)) {
        state_ = State::Over;
      } else if (option_bytes_ > kMaxOption) {
        reply_option(option_, wire::kErrorTooBig, "the option's data is too long");
        left_ = option_bytes_;
        state_ = State::Skip;
      }
      return true;
    }
    case State::OptionData: return option();
    case State::Request: {
      const std::uint8_t* const from = take(28);
      if (from == nullptr) return false;
      if (wire::get<std::uint32_t>(from) != wire::kRequestMagic) {
        state_ = State::Over;
        return false;
      }
      header_ = {wire::get<std::uint16_t>(from + 4), wire::get<std::uint16_t>(from + 6), wire::get<std::uint64_t>(from + 8),
                 wire::get<std::uint64_t>(from + 16), wire::get<std::uint32_t>(from + 24)};
      request();
      return true;
    }
    case State::Issue: return may_issue();
    case State::Data: {
      if (available() == 0 || !grow()) return false;
      const std::size_t bytes = std::min(writing_->data.size() - filled_, available());
      std::memcpy(writing_->data.data() + filled_, take(bytes), bytes);
      filled_ += bytes;
      left_ -= bytes;
      if (left_ == 0) data();
      return true;
    }
    case State::Skip: {
      const std::size_t bytes = std::min<std::uint64_t>(left_, available());
      if (bytes == 0) return false;
      take(bytes);
      left_ -= bytes;
      if (left_ == 0) skip();
      return true;
    }
    case State::Over: return false;
  }
  return false;
}

// --- negotiation ------------------------------------------------------------------------------------------------------

void Session::reply_option(std::uint32_t option, std::uint32_t type, std::string_view text) {
  out().put(wire::kOptionReplyMagic).put(option).put(type).put(static_cast<std::uint32_t>(text.size())).put(text);
}

const Export* Session::find(std::string_view name) const {
  if (name.empty()) return &exports_.front();
  const auto found = std::find_if(exports_.begin(), exports_.end(), [&](const Export& e) { return e.name == name; });
  return found == exports_.end() ? nullptr : &*found;
}

std::uint16_t Session::transmission_flags() const {
  return wire::kHasFlags | wire::kSendFlush | wire::kSendFua | wire::kRotational | wire::kMultiConn |
         (structured_ ? wire::kSendDf : std::uint16_t{0});
}

bool Session::option() {
  const std::uint8_t* const from = take(option_bytes_);
  if (from == nullptr) return false;
  const std::vector<std::uint8_t> data(from, from + option_bytes_);
  state_ = State::Option;
  switch (option_) {
    case wire::kExportName: {
      const Export* const chosen = find(text_of(data.data(), data.size()));
      if (chosen == nullptr) {
        state_ = State::Over;
        break;
      }
      out().put(chosen->bytes).put(transmission_flags()).zeroes(zeroes_ ? 124 : 0);
      enter(*chosen);
      break;
    }
    case wire::kAbort:
      reply_option(option_, wire::kAck);
      state_ = State::Over;
      break;
    case wire::kList:
      if (!data.empty()) {
        reply_option(option_, wire::kErrorInvalid, "LIST has no data");
        break;
      }
      for (const Export& each : exports_) {
        std::vector<std::uint8_t> entry;
        wire::Writer(entry).put(static_cast<std::uint32_t>(each.name.size())).put(each.name).put(each.description);
        reply_option(option_, wire::kServer, text_of(entry.data(), entry.size()));
      }
      reply_option(option_, wire::kAck);
      break;
    case wire::kInfo:
    case wire::kGo: describe(option_, data); break;
    case wire::kStructuredReply:
      structured_ = structured_ || data.empty();
      reply_option(option_, data.empty() ? wire::kAck : wire::kErrorInvalid,
                   data.empty() ? "" : "STRUCTURED_REPLY has no data");
      break;
    case wire::kListMetaContext:
    case wire::kSetMetaContext: meta_context(data); break;
    default: reply_option(option_, wire::kErrorUnsupported, "this server does not have the option");
  }
  return true;
}

/// The server has no meta context, so every list of queries gets an empty answer.
void Session::meta_context(const std::vector<std::uint8_t>& data) {
  bool good = false;
  std::string_view name;
  if (data.size() >= 8) {
    const auto length = wire::get<std::uint32_t>(data.data());
    if (length <= data.size() - 8) {
      name = text_of(data.data() + 4, length);
      std::uint64_t at = 4 + std::uint64_t{length} + 4;
      std::uint32_t queries = wire::get<std::uint32_t>(data.data() + 4 + length);
      for (; queries > 0 && at + 4 <= data.size(); --queries) at += 4 + std::uint64_t{wire::get<std::uint32_t>(&data[at])};
      good = queries == 0 && at == data.size();
    }
  }
  if (!good || !structured_)
    reply_option(option_, wire::kErrorInvalid, good ? "STRUCTURED_REPLY comes first" : "the lengths do not fit together");
  else if (find(name) == nullptr)
    reply_option(option_, wire::kErrorUnknown, "there is no such export");
  else
    reply_option(option_, wire::kAck);
}

/// INFO and GO.
void Session::describe(std::uint32_t option, const std::vector<std::uint8_t>& data) {
  const std::uint32_t length = data.size() >= 6 ? wire::get<std::uint32_t>(data.data()) : 0;
  if (data.size() < 6 || length > data.size() - 6 ||
      data.size() - 6 - length != 2 * std::size_t{wire::get<std::uint16_t>(&data[4 + length])})
    return reply_option(option, wire::kErrorInvalid, "the lengths do not fit together");
  const Export* const chosen = find(text_of(data.data() + 4, length));
  if (chosen == nullptr) return reply_option(option, wire::kErrorUnknown, "there is no such export");
  const auto reply = [&](const std::vector<std::uint8_t>& body) {
    reply_option(option, wire::kInfoReply, text_of(body.data(), body.size()));
  };
  std::vector<std::uint8_t> body;
  wire::Writer(body).put(std::uint16_t{wire::kInfoExport}).put(chosen->bytes).put(transmission_flags());
  reply(body);
  for (std::size_t at = 6 + length; at < data.size(); at += 2) {
    body.clear();
    const auto asked = wire::get<std::uint16_t>(&data[at]);
    wire::Writer writer(body);
    if (asked == wire::kInfoName)
      writer.put(asked).put(chosen->name);
    else if (asked == wire::kInfoDescription)
      writer.put(asked).put(chosen->description);
    else
      continue;
    reply(body);
  }
  body.clear();  // also for clients that do not ask: they must send whole sectors
  wire::Writer(body)
      .put(std::uint16_t{wire::kInfoBlockSize})
      .put(chosen->sector_bytes)
      .put(std::max(chosen->sector_bytes, 4096u))
      .put(kMaxBytes);
  reply(body);
  reply_option(option, wire::kAck);
  if (option == wire::kGo) enter(*chosen);
}

void Session::enter(const Export& chosen) {
  export_ = &chosen;
  state_ = State::Request;
}

// --- transmission -----------------------------------------------------------------------------------------------------

/// Returns the error of a request that cannot go to the drive, otherwise 0.
std::uint32_t Session::objection() const {
  const std::uint16_t known = header_.type == wire::kRead && structured_ ? wire::kFua | wire::kDontFragment : wire::kFua;
  const bool write = header_.type == wire::kWrite;
  if (header_.type != wire::kRead && !write && header_.type != wire::kFlush) return wire::kInvalid;  // also what is not offered
  if ((header_.flags & ~known) != 0) return wire::kInvalid;
  if (header_.type == wire::kFlush) return header_.offset != 0 || header_.length != 0 ? wire::kInvalid : 0;
  if (header_.length == 0 || header_.length % export_->sector_bytes != 0 || header_.offset % export_->sector_bytes != 0)
    return wire::kInvalid;
  if (header_.length > kMaxBytes) return (header_.flags & wire::kDontFragment) != 0 ? wire::kOverflow : wire::kInvalid;
  if (header_.offset > export_->bytes || header_.length > export_->bytes - header_.offset)
    return write ? wire::kNoSpace : wire::kInvalid;
  return 0;
}

void Session::request() {
  const std::uint32_t error = objection();
  if (header_.type == wire::kDisconnect) {
    state_ = State::Over;
    finishing_ = true;
  } else if (header_.type == wire::kWrite && error != 0) {
    left_ = header_.length;  // the client sends the data nevertheless
    state_ = State::Skip;
    if (left_ == 0) skip();
  } else if (error != 0) {
    reply(header_.cookie, error);
  } else {
    state_ = State::Issue;
  }
}

/// Begins a request. Returns false if there is no memory for it.
bool Session::may_issue() {
  const bool read = header_.type == wire::kRead;
  if (!memory_.take(kRequestBytes + (read ? header_.length : 0))) return false;
  BlockRequest& fresh = export_->drive->acquire(*this);
  fresh.cookie = header_.cookie;
  fresh.command.fua = (header_.flags & wire::kFua) != 0;
  fresh.command.address = header_.offset;
  fresh.command.length = header_.length;
  if (header_.type == wire::kWrite) {
    writing_ = &fresh;
    fresh.data.reserve(header_.length);  // takes addresses only: a page takes memory when it is written
    filled_ = 0;
    left_ = header_.length;
    state_ = State::Data;
  } else {
    memory_.leave();
    state_ = State::Request;
    fresh.data.resize(read ? header_.length : 0);
    issue(fresh, read ? Operation::Read : Operation::Flush);
  }
  return true;
}

void Session::issue(BlockRequest& request, Operation operation) {
  ++requests_;
  request.command.operation = operation;
  export_->drive->issue(request);
}

/// The data of a write is complete.
void Session::data() {
  state_ = State::Request;
  memory_.leave();
  issue(*std::exchange(writing_, nullptr), Operation::Write);
}

/// All data of a refused request has been skipped.
void Session::skip() {
  state_ = export_ == nullptr ? State::Option : State::Request;
  if (export_ != nullptr) reply(header_.cookie, objection());
}

void Session::answered(BlockRequest& request) {
  --requests_;
  memory_.give_back(kRequestBytes + request.data.size());
  const std::uint32_t error = error_of(request.status);
  if (error == 0 && request.command.read())
    reply_data(request);
  else
    reply(request.cookie, error);
}

void Session::reply(std::uint64_t cookie, std::uint32_t error) {
  if (!structured_) {
    out().put(wire::kSimpleReplyMagic).put(error).put(cookie);
    return;
  }
  out().put(wire::kStructuredReplyMagic).put(wire::kDone);
  if (error == 0)
    out().put(wire::kChunkNone).put(cookie).put(std::uint32_t{0});
  else
    out().put(wire::kChunkError).put(cookie).put(std::uint32_t{6}).put(error).put(std::uint16_t{0});
}

void Session::reply_data(BlockRequest& request) {
  const auto bytes = static_cast<std::uint32_t>(request.data.size());
  if (structured_)
    out()
        .put(wire::kStructuredReplyMagic)
        .put(wire::kDone)
        .put(wire::kChunkData)
        .put(request.cookie)
        .put(bytes + 8)
        .put(request.command.address);
  else
    out().put(wire::kSimpleReplyMagic).put(std::uint32_t{0}).put(request.cookie);
  if (bytes <= kCopied) {
    out().put(request.data.data(), std::size_t{bytes});
    return;
  }
  output_.push_back(std::move(request.data));
  request.data = {};
  unsent_ += bytes;
  memory_.add(bytes);
}

}  // namespace platter::nbd
