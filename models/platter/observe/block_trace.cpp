// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/block_trace.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace platter::observe {

namespace {

// linux/blktrace_api.h
constexpr std::uint32_t kMagic = 0x6561'7407;
enum Action : std::uint32_t { kQueue = 1, kGetRequest = 4, kIssue = 7, kComplete = 8, kInsert = 12 };
enum Category : std::uint32_t {
  kRead = 1u << 0,
  kWrite = 1u << 1,
  kFlush = 1u << 2,
  kQueued = 1u << 4,
  kIssued = 1u << 6,
  kCompleted = 1u << 7
};
constexpr std::uint32_t category(std::uint32_t bits) { return bits << 16; }

constexpr std::uint32_t kProcess = 1;
constexpr std::uint32_t kDevice = 8u << 20;
constexpr std::uint32_t kSectorBytes = 512;

}  // namespace

void BlockTrace::finished(const workload::FinishedRequest& finished) {
  const workload::Request& r = finished.request;
  const command::CommandTiming& t = finished.timing;
  if (const auto found = outstanding_.find(r.issued); found != outstanding_.end()) outstanding_.erase(found);
  const std::uint32_t kind = r.flush() ? kFlush : r.write() ? kWrite : kRead;
  const bool failed = finished.status != command::CommandStatus::Good;
  const auto add = [&](core::Picoseconds time, std::uint32_t action, std::uint32_t what) {
    waiting_.push({time, number_++, r.address / kSectorBytes, r.length, action | category(what | kind), failed});
  };
  add(t.issued, kQueue, kQueued);
  add(t.issued, kGetRequest, kQueued);
  add(t.issued, kInsert, kQueued);
  add(t.accepted, kIssue, kIssued);
  add(t.completed, kComplete, kCompleted);
  // What a request that is still outstanding will add is not before the host got it.
  while (!waiting_.empty() && (outstanding_.empty() || waiting_.top().time < *outstanding_.begin())) {
    write(waiting_.top());
    waiting_.pop();
  }
}

void BlockTrace::finish() {
  for (; !waiting_.empty(); waiting_.pop()) write(waiting_.top());
}

void BlockTrace::write(const Event& event) {
  std::array<char, 48> record{};
  std::size_t at = 0;
  const auto put = [&](auto value) {
    std::memcpy(&record[at], &value, sizeof value);
    at += sizeof value;
  };
  put(kMagic);
  put(++written_);
  put(static_cast<std::uint64_t>(event.time / 1000));
  put(event.sector);
  put(event.bytes);
  put(event.action);
  put(kProcess);
  put(kDevice);
  put(std::uint32_t{0});  // processor
  put(static_cast<std::uint16_t>(event.failed && (event.action & 0xFFFF) == kComplete ? EIO : 0));
  put(std::uint16_t{0});  // bytes that follow
  file_.write({record.data(), record.size()});
}

}  // namespace platter::observe
