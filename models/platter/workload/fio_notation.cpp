// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/fio_notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace platter::workload {

namespace {

constexpr double kWhole = 100;
constexpr double kRounding = 1e-6;  ///< of a sum of percentages

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> percent_of(std::string_view text) {
  const std::optional<double> value = number_of(text);
  return value && *value >= 0 && *value <= kWhole ? value : std::nullopt;
}

std::optional<std::uint64_t> bytes_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string suffix(end, text.data() + text.size());
  for (char& c : suffix) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (suffix.empty() || suffix == "b") return value;
  if (suffix.size() == 2 && suffix[1] == 'b') suffix.pop_back();
  constexpr std::string_view kPrefixes = "kmgtp";
  const std::size_t prefix = suffix.size() == 1 ? kPrefixes.find(suffix[0]) : std::string_view::npos;
  if (prefix == std::string_view::npos) return std::nullopt;
  const auto shift = static_cast<unsigned>(10 * (prefix + 1));
  if (value > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return value << shift;
}

std::optional<std::uint64_t> size_of(std::string_view text) {
  const std::optional<std::uint64_t> bytes = bytes_of(text);
  return bytes && *bytes > 0 ? bytes : std::nullopt;
}

/// Reads `values` of `Both`: one value for both directions, or two separated by a comma. `read` returns the value of a text, if it is one.
template <typename Both, typename Value, typename Read>
std::optional<Both> find_both(std::string_view text, std::array<Value, 2> Both::* values, const Read& read) {
  const std::vector<std::string_view> parts = split(text, ',');
  Both found;
  found.notation = text;
  if (parts.size() > (found.*values).size()) return std::nullopt;
  for (std::size_t i = 0; i < (found.*values).size(); ++i) {
    std::optional<Value> value = read(parts[std::min(i, parts.size() - 1)]);
    if (!value) return std::nullopt;
    (found.*values)[i] = std::move(*value);
  }
  return found;
}

/// Divides what is left of 100 % evenly between the shares that are not given. False if the sum is not 100.
bool complete(const std::vector<double*>& given, const std::vector<double*>& open) {
  double rest = kWhole;
  for (const double* share : given) rest -= *share;
  if (rest < -kRounding || (open.empty() && rest > kRounding)) return false;
  for (double* share : open) *share = std::max(rest, 0.0) / static_cast<double>(open.size());
  return true;
}

std::optional<std::vector<BlockShare>> shares_of(std::string_view text) {
  std::vector<BlockShare> shares;
  std::vector<bool> is_given;
  for (const std::string_view part : split(text, ':')) {
    const std::size_t slash = part.find('/');
    const std::optional<std::uint64_t> bytes = size_of(part.substr(0, slash));
    const std::string_view share = slash == std::string_view::npos ? std::string_view() : part.substr(slash + 1);
    const std::optional<double> percent = share.empty() ? 0.0 : percent_of(share);
    if (!bytes || !percent) return std::nullopt;
    shares.push_back({*bytes, *percent});
    is_given.push_back(!share.empty());
  }
  std::vector<double*> given;
  std::vector<double*> open;
  for (std::size_t i = 0; i < shares.size(); ++i) (is_given[i] ? given : open).push_back(&shares[i].percent);
  return complete(given, open) ? std::optional(shares) : std::nullopt;
}

bool read_zones(std::string_view text, std::vector<Distribution::Zone>& zones) {
  struct Given {
    bool accesses, size;
  };
  std::vector<Given> is_given;
  for (const std::string_view part : split(text, ':')) {
    const std::vector<std::string_view> pair = split(part, '/');
    if (pair.size() > 2) return false;
    const std::string_view size = pair.size() == 2 ? pair[1] : std::string_view();
    const std::optional<double> accesses_percent = pair[0].empty() ? 0.0 : percent_of(pair[0]);
    const std::optional<double> size_percent = size.empty() ? 0.0 : percent_of(size);
    if (!accesses_percent || !size_percent) return false;
    zones.push_back({*accesses_percent, *size_percent});
    is_given.push_back({!pair[0].empty(), !size.empty()});
  }
  std::vector<double*> accesses_given;
  std::vector<double*> accesses_open;
  std::vector<double*> sizes_given;
  std::vector<double*> sizes_open;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    (is_given[i].accesses ? accesses_given : accesses_open).push_back(&zones[i].accesses_percent);
    (is_given[i].size ? sizes_given : sizes_open).push_back(&zones[i].size_percent);
  }
  if (!complete(accesses_given, accesses_open) || !complete(sizes_given, sizes_open)) return false;
  for (const Distribution::Zone& zone : zones)
    if (zone.accesses_percent > 0 && zone.size_percent == 0) return false;
  return true;
}

std::string objection(std::string_view text, std::string_view expected) {
  return fmt::format("found \"{}\", expected {}", text, expected);
}

}  // namespace

std::uint64_t Amount::of(std::uint64_t capacity) const {
  if (!percent) return bytes;
  return static_cast<std::uint64_t>(static_cast<double>(capacity) * (*percent / kWhole));
}

std::optional<Amount> find_amount(std::string_view text) {
  Amount amount;
  amount.notation = text;
  if (!text.empty() && text.back() == '%') {
    amount.percent = percent_of(text.substr(0, text.size() - 1));
    return amount.percent ? std::optional(amount) : std::nullopt;
  }
  const std::optional<std::uint64_t> bytes = bytes_of(text);
  if (!bytes) return std::nullopt;
  amount.bytes = *bytes;
  return amount;
}

std::string amount_objection(std::string_view text) {
  return objection(text, "bytes such as \"64k\" or \"2g\" (k, m, g, t, p: powers of 1024), or a share such as \"25%\"");
}

std::optional<BlockSize> find_block_size(std::string_view text) { return find_both(text, &BlockSize::bytes, size_of); }

std::string block_size_objection(std::string_view text) {
  return objection(text, "a size such as \"4k\" (k, m, g: powers of 1024), or two such as \"4k,64k\" for reads and writes");
}

std::optional<BlockRange> find_block_range(std::string_view text) {
  if (text.empty()) return BlockRange();
  return find_both(text, &BlockRange::bounds, [](std::string_view part) -> std::optional<BlockRange::Bounds> {
    const std::size_t dash = part.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const std::optional<std::uint64_t> least = size_of(part.substr(0, dash));
    const std::optional<std::uint64_t> most = size_of(part.substr(dash + 1));
    if (!least || !most || *least > *most) return std::nullopt;
    return BlockRange::Bounds{*least, *most};
  });
}

std::string block_range_objection(std::string_view text) {
  return objection(text, "a range such as \"4k-64k\", or two such as \"4k-8k,64k-128k\" for reads and writes");
}

std::optional<BlockSplit> find_block_split(std::string_view text) {
  if (text.empty()) return BlockSplit();
  return find_both(text, &BlockSplit::shares, shares_of);
}

std::string block_split_objection(std::string_view text) {
  return objection(
      text,
      "sizes with percentages that add up to 100, such as \"4k/60:64k/40\", or two of these, separated by a comma, "
      "for reads and writes");
}

std::optional<Distribution> find_distribution(std::string_view text) {
  using Kind = Distribution::Kind;
  Distribution found;
  found.notation = text;
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (text == "random") return found;
  if (name == "zoned" && !rest.empty()) {
    found.kind = Kind::Zoned;
    return read_zones(rest, found.zones) ? std::optional(found) : std::nullopt;
  }
  const std::optional<double> parameter = number_of(rest);
  if (!parameter) return std::nullopt;
  found.parameter = *parameter;
  constexpr double kMinTheta = 0.01;
  constexpr double kMaxTheta = 10;
  if (name == "zipf") {
    found.kind = Kind::Zipf;
    return *parameter >= kMinTheta && *parameter <= kMaxTheta ? std::optional(found) : std::nullopt;
  }
  if (name == "pareto") {
    found.kind = Kind::Pareto;
    return *parameter > 0 && *parameter < 1 ? std::optional(found) : std::nullopt;
  }
  return std::nullopt;
}

std::string distribution_objection(std::string_view text) {
  return objection(text,
                   "random, zipf:THETA (0.01 to 10), pareto:H (above 0, below 1), or zoned:ACCESSES/SIZE:... with percentages "
                   "that add up to 100 each, such as \"zoned:80/20:20/80\"");
}

std::optional<Percentages> find_percentages(std::string_view text) {
  return find_both(text, &Percentages::percent, percent_of);
}

std::string percentages_objection(std::string_view text) {
  return objection(text, "a percentage such as \"5\", or two such as \"5,0\" for reads and writes");
}

}  // namespace platter::workload
