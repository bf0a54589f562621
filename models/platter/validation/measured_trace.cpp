// SPDX-License-Identifier: Apache-2.0
#include "platter/validation/measured_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/core/error.h"
#include "platter/workload/text_file.h"

namespace platter::validation {

namespace {

constexpr std::string_view kForm = "R|W word block blocks response_us pause_us";
constexpr std::uint32_t kBlockBytes = 512;
/// Limit of the sum of all measured times and pauses; the rest of the 64 bits of picoseconds is for simulated times.
constexpr Picoseconds kLongestTrace = core::kNoDeadline / 2;

}  // namespace

std::vector<MeasuredRequest> read_measured_trace(const std::filesystem::path& file) {
  workload::TextFile text(file);
  workload::SourceLine line;
  std::vector<MeasuredRequest> requests;
  Picoseconds total = 0;
  const auto add = [&](const workload::Field& field, Picoseconds time) {
    if (time > kLongestTrace - total) line.fail(field.column, "the times up to here add up to more than 53 days");
    total += time;
    return time;
  };
  while (text.next(line)) {
    if (workload::is_blank(line.text) || workload::is_comment(line.text)) continue;
    const workload::Fields fields = workload::expect_fields(line, kForm);
    line.require_end();
    MeasuredRequest request;
    if (fields[0].text != "R" && fields[0].text != "W")
      line.fail(fields[0].column, fmt::format("found {}, expected R or W", workload::in_quotes(fields[0].text)));
    request.write = fields[0].text == "W";
    request.first = core::Lba(workload::parse_unsigned(line, fields[2], "block"));
    const std::uint64_t blocks = workload::parse_unsigned(line, fields[3], "size");
    if (blocks == 0 || blocks > 0xFFFF)
      line.fail(fields[3].column, fmt::format("size is {}, expected 1 to 65535 blocks", blocks));
    request.blocks = static_cast<std::uint32_t>(blocks);
    request.response = add(fields[4], workload::parse_time_ps(line, fields[4], workload::kMicroseconds));
    if (request.response == 0) line.fail(fields[4].column, "the response time is 0, expected a measured one");
    request.pause = add(fields[5], workload::parse_time_ps(line, fields[5], workload::kMicroseconds));
    request.line = line.number;
    requests.push_back(request);
  }
  if (requests.empty()) throw core::InputError(file.string(), 0, 0, "there are no requests in it");
  return requests;
}

ReplayProducer::ReplayProducer(const std::vector<MeasuredRequest>& requests, Reading reading, const workload::Target& drive,
                               const std::filesystem::path& file)
    : requests_(requests), reading_(reading) {
  if (drive.block_bytes != kBlockBytes)
    throw core::InputError(
        file.string(), requests.front().line, 0,
        fmt::format("the trace counts in blocks of {} bytes, but the drive has sectors of {}", kBlockBytes, drive.block_bytes));
  const std::uint64_t capacity = drive.blocks;
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i].first.value >= capacity || requests[i].blocks > capacity - requests[i].first.value)
      throw core::InputError(
          file.string(), requests[i].line, 0,
          fmt::format("request {} goes to blocks {} to {}, but the drive has {}", i + 1, requests[i].first.value,
                      requests[i].first.value + std::min<std::uint64_t>(requests[i].blocks - 1, ~requests[i].first.value),
                      capacity));
}

bool ReplayProducer::next(workload::Request& request, Picoseconds now) {
  if (next_ == requests_.size()) return false;
  const MeasuredRequest& measured = requests_[next_];
  const Picoseconds pause = next_ == 0 ? 0 : reading_ == Reading::Precedes ? measured.pause : requests_[next_ - 1].pause;
  request = workload::Request{};
  request.issued = now + pause;
  request.address = measured.first.value * kBlockBytes;
  request.length = measured.blocks * kBlockBytes;
  request.operation = command::read_or_write(measured.write);
  ++next_;
  return true;
}

}  // namespace platter::validation
