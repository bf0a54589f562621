// SPDX-License-Identifier: Apache-2.0
#include "platter/front/serving/pacing.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace platter::serving {

namespace {

template <typename Value>
bool parse_whole(const std::string& text, Value& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Pacing Pacing::parse(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
  Pacing pacing;
  const auto refuse = [&](const char* expected) {
    throw std::invalid_argument(fmt::format("found \"{}\", expected {}", text, expected));
  };
  if (kind == "realtime") {
    if (colon != std::string::npos && (!parse_whole(value, pacing.scale) || !(pacing.scale >= 1e-6 && pacing.scale <= 1e6)))
      refuse("realtime:SCALE with SCALE, the wall time of a simulated second, from 1e-6 to 1e6 s");
  } else if (kind == "lockstep") {
    pacing.kind = Kind::Lockstep;
    if (!parse_whole(value, pacing.depth) || pacing.depth < 1 || pacing.depth > 1024)
      refuse("lockstep:DEPTH with DEPTH from 1 to 1024");
  } else if (text == "asap") {
    pacing.kind = Kind::Asap;
  } else {
    refuse("realtime[:SCALE], lockstep:DEPTH or asap");
  }
  return pacing;
}

std::string Pacing::text() const {
  switch (kind) {
    case Kind::Realtime: return scale == 1 ? "realtime" : fmt::format("realtime:{:g}", scale);
    case Kind::Lockstep: return fmt::format("lockstep:{}", depth);
    case Kind::Asap: return "asap";
  }
  return "?";
}

}  // namespace platter::serving
