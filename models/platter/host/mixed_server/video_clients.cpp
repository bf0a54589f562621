// SPDX-License-Identifier: Apache-2.0
#include "platter/host/mixed_server/video_clients.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "platter/core/random.h"

namespace platter::host::mixed_server {

using core::kPicosecondsPerSecond;
using workload::Request;

VideoClients::VideoClients(const VideoOptions& video, std::vector<workload::StreamTable> tables, std::uint64_t address,
                           std::uint64_t seed)
    : unit_bytes_(video.unit_bytes), staggered_(video.staggered), tables_(std::move(tables)), address_(address) {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    File file;
    file.table = i;
    if (!video.bits_per_s.empty()) file.scale = video.bits_per_s[i] / 8 / tables_[i].mean_rate_bytes_per_s();
    const double bytes = tables_[i].mean_rate_bytes_per_s() * file.scale * video.file_s;
    file.first_unit = units_;
    file.units = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(bytes / unit_bytes_, 0x1p60)) + 1);
    units_ += file.units;
    files_.push_back(file);
  }
  core::RandomStream random(seed, "mixed_server.video.clients");
  for (std::uint32_t c = 0; c < video.clients; ++c) {
    Client client;
    client.file = random.below(files_.size());
    const File& file = files_[client.file];
    client.start_us = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(tables_[file.table].duration_us())));
    client.next_unit = random.below(file.units);
    client.position = static_cast<double>(client.next_unit) * unit_bytes_;
    clients_.push_back(client);
  }
}

Picoseconds VideoClients::next() const {
  if (clients_.empty()) return core::kNoDeadline;
  const auto clients = static_cast<Picoseconds>(clients_.size());
  return round_ * kPicosecondsPerSecond + (staggered_ ? kPicosecondsPerSecond / clients * next_client_ : 0);
}

void VideoClients::make(core::RingBuffer<Request>& made) {
  const Picoseconds begin = next();
  if (staggered_) {
    make(next_client_, begin, made);
    next_client_ = (next_client_ + 1) % static_cast<std::uint32_t>(clients_.size());
    if (next_client_ == 0) ++round_;
    return;
  }
  for (std::uint32_t c = 0; c < clients_.size(); ++c) make(c, begin, made);
  ++round_;
}

void VideoClients::make(std::uint32_t c, Picoseconds begin, core::RingBuffer<Request>& made) {
  Client& client = clients_[c];
  const File& file = files_[client.file];
  client.position += static_cast<double>(tables_[file.table].bytes_in_round(client.start_us, 1'000'000, round_)) * file.scale;
  const auto behind = static_cast<std::uint64_t>(std::ceil(client.position / unit_bytes_));
  for (; client.next_unit < behind; ++client.next_unit) {
    const std::uint64_t unit = file.first_unit + client.next_unit % file.units;
    Request request;
    request.issued = begin;
    request.address = address_ + unit * unit_bytes_;
    request.length = unit_bytes_;
    request.cls = core::RequestClass::Continuous;
    request.stream = c;
    request.deadline = begin + kPicosecondsPerSecond;
    made.push_back(request);
  }
}

}  // namespace platter::host::mixed_server
