// SPDX-License-Identifier: Apache-2.0
#include "platter/front/iscsi/pdu_stream.h"

#include <algorithm>
#include <cstring>

#include "platter/front/iscsi/crc32c.h"

namespace platter::iscsi {

namespace {

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

/// A digest is sent with its lowest byte first (RFC 7143, 13.1).
bool fits(const Crc32c& crc, const std::uint8_t* digest) {
  const std::uint32_t value = crc.value();
  for (std::size_t i = 0; i < kDigestBytes; ++i)
    if (digest[i] != static_cast<std::uint8_t>(value >> 8 * i)) return false;
  return true;
}
void append(std::vector<std::uint8_t>& to, const Crc32c& crc) {
  const std::uint32_t value = crc.value();
  for (std::size_t i = 0; i < kDigestBytes; ++i) to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

}  // namespace

serving::SessionIf::Room PduReader::room() {
  if (failed_) return {nullptr, 0};
  if (begin_ > 0) {
    std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == input_.size()) input_.resize(2 * input_.size());  // a PDU that is longer, and of which this much has come
  return {input_.data() + end_, input_.size() - end_};
}

std::optional<Pdu> PduReader::next() {
  const std::size_t there = end_ - begin_;
  if (failed_ || there < kHeaderBytes) return std::nullopt;
  const std::uint8_t* const header = input_.data() + begin_;
  const std::size_t additional = std::size_t{4} * header[4];
  const std::size_t data_bytes = get(header + 5, 3);
  if (data_bytes > kMaxData) {
    failed_ = true;
    return std::nullopt;
  }
  const std::size_t head = kHeaderBytes + additional;
  const std::size_t data_at = head + (digests_.header ? kDigestBytes : 0);
  const std::size_t data_end = data_at + padded(data_bytes);
  const std::size_t total = data_end + (digests_.data && data_bytes > 0 ? kDigestBytes : 0);
  if (digests_.header && there >= data_at && !fits(Crc32c().add(header, head), header + head)) {
    failed_ = true;
    return std::nullopt;
  }
  if (there < total) return std::nullopt;
  Pdu pdu;
  pdu.header = header;
  pdu.data = header + data_at;
  pdu.data_bytes = data_bytes;
  pdu.damaged = total > data_end && !fits(Crc32c().add(pdu.data, padded(data_bytes)), header + data_end);
  begin_ += total;
  return pdu;
}

void PduWriter::add(Header& header, const std::uint8_t* data, std::size_t bytes) {
  if (output_.empty() || output_.back().size() >= kPart) output_.emplace_back();
  std::vector<std::uint8_t>& to = output_.back();
  const std::size_t before = to.size();
  put(header.data() + 5, bytes, 3);
  to.insert(to.end(), header.data(), header.data() + kHeaderBytes);
  if (digests_.header) append(to, Crc32c().add(header.data(), kHeaderBytes));
  if (bytes > 0) {
    const std::size_t begin = to.size();
    to.insert(to.end(), data, data + bytes);
    to.resize(begin + padded(bytes));
    if (digests_.data) append(to, Crc32c().add(&to[begin], to.size() - begin));
  }
  unsent_ += to.size() - before;
  memory_.add(to.size() - before);
}

serving::SessionIf::Piece PduWriter::output() const {
  if (unsent_ == 0) return {};
  return {output_.front().data() + sent_, output_.front().size() - sent_};
}

void PduWriter::sent(std::size_t bytes) {
  if (bytes == 0) return;
  sent_ += bytes;
  unsent_ -= bytes;
  if (sent_ < output_.front().size()) return;
  memory_.give_back(sent_);
  sent_ = 0;
  if (output_.front().capacity() > 4 * kPart || output_.size() > 1)
    output_.pop_front();
  else
    output_.front().clear();
}

}  // namespace platter::iscsi
