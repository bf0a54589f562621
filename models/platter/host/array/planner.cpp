// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/planner.h"

#include <algorithm>

namespace platter::host::array {

using Kind = Fragment::Kind;

void Planner::cut(ArrayRequest& request) {
  const std::uint64_t end = request.address + request.length;
  ++request.progress.pending;  // keeps the request from ending before all fragments exist
  for (std::uint64_t at = request.address; at < end;) {
    const StripeMap::Area& area = map_.area_at(at);
    const std::uint64_t within = (at - area.begin) % area.unit_bytes;
    if (!request.write() && cached(area)) {
      const std::uint32_t block_bytes = config_.cache.block_bytes;
      const std::uint64_t block = at - within % block_bytes;
      add(request, area, block, block_bytes, Kind::Read);
      at = block + block_bytes;
    } else {
      const auto length = static_cast<std::uint32_t>(std::min(area.unit_bytes - within, end - at));
      add(request, area, at, length, request.write() ? Kind::Write : Kind::Read);
      at += length;
    }
  }
  if (--request.progress.pending == 0) sink_.ended(request);
}

void Planner::add(ArrayRequest& request, const StripeMap::Area& area, std::uint64_t address, std::uint32_t length, Kind kind) {
  Fragment& fragment = order_.make();
  fragment.request = &request;
  fragment.area = &area;
  fragment.unit = map_.unit_at(area, address);
  fragment.within = address - map_.address_of(area, fragment.unit);
  fragment.length = length;
  fragment.kind = kind;
  fragment.ahead = request.cls == core::RequestClass::Continuous;
  const bool held = kind == Kind::Write && flushes_.holds();
  if (held) flushes_.hold(fragment);
  ++request.progress.pending;
  order_.enter(fragment, held);
}

void Planner::settle(Fragment& fragment) {
  ArrayRequest& request = *fragment.request;
  order_.leave(fragment);
  if (--request.progress.pending == 0) sink_.ended(request);
}

void Planner::lose(Fragment& fragment) {
  ArrayRequest& request = *fragment.request;
  request.status = command::CommandStatus::NoCopy;
  const std::uint64_t begin = fragment.address();
  request.lost_bytes +=
      std::min<std::uint64_t>(begin + fragment.length, request.address + request.length) - std::max(begin, request.address);
  settle(fragment);
}

}  // namespace platter::host::array
