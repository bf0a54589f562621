// SPDX-License-Identifier: Apache-2.0
#include "platter/front/iscsi/parameters.h"

#include <algorithm>
#include <optional>

namespace platter::iscsi {

namespace {

constexpr std::size_t kMaxKey = 63;
constexpr std::size_t kMaxValue = 255;

/// The number of a value: decimal or hexadecimal; nothing: it is none, or out of range.
std::optional<std::uint32_t> number_of(std::string_view value, std::uint32_t least, std::uint32_t most) {
  const bool hexadecimal = value.size() > 2 && value[0] == '0' && (value[1] == 'x' || value[1] == 'X');
  if (hexadecimal) value.remove_prefix(2);
  if (value.empty() || value.size() > 10) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : value) {
    const int digit = c >= '0' && c <= '9'                  ? c - '0'
                      : hexadecimal && c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : hexadecimal && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                            : -1;
    if (digit < 0) return std::nullopt;
    number = number * (hexadecimal ? 16 : 10) + static_cast<std::uint64_t>(digit);
  }
  if (number < least || number > most) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

bool offers(std::string_view list, std::string_view value) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == value) return true;
    at = end + 1;
  }
  return false;
}

/// The answer to a key; nothing: the key is declared, not negotiated.
using Answer = std::optional<std::string>;
constexpr const char* kRejected = "Reject";

template <std::string Parameters::* Member>
Answer text(Parameters& p, std::string_view value) {
  p.*Member = value;
  return std::nullopt;
}

/// The smaller one of the initiator's number and the target's.
template <std::uint32_t Parameters::* Member, std::uint32_t Least, std::uint32_t Most, std::uint32_t Ours>
Answer smaller(Parameters& p, std::string_view value) {
  const std::optional<std::uint32_t> offered = number_of(value, Least, Most);
  if (!offered) return kRejected;
  p.*Member = std::min(*offered, Ours);
  return std::to_string(p.*Member);
}

/// A number that can have one result only.
template <std::uint32_t Least, std::uint32_t Most, std::uint32_t Result>
Answer fixed(Parameters& /*p*/, std::string_view value) {
  return number_of(value, Least, Most) ? std::to_string(Result) : kRejected;
}
Answer time_to_wait(Parameters& /*p*/, std::string_view value) {  // the larger one; the target needs none
  const std::optional<std::uint32_t> offered = number_of(value, 0, 3600);
  return offered ? std::to_string(*offered) : kRejected;
}

/// Yes or No, where the target takes the initiator's value.
template <bool Parameters::* Member>
Answer theirs(Parameters& p, std::string_view value) {
  if (value != "Yes" && value != "No") return kRejected;
  p.*Member = value == "Yes";
  return std::string(value);
}
/// The same with one result only.
template <bool Result>
Answer always(Parameters& /*p*/, std::string_view value) {
  if (value != "Yes" && value != "No") return kRejected;
  return std::string(Result ? "Yes" : "No");
}

/// The initiator's first choice of None and CRC32C.
template <bool Parameters::* Member>
Answer digest(Parameters& p, std::string_view value) {
  const std::string list = "," + std::string(value) + ",";
  const std::size_t none = list.find(",None,");
  const std::size_t crc = list.find(",CRC32C,");
  if (none == std::string::npos && crc == std::string::npos) return kRejected;
  p.*Member = crc < none;
  return std::string(p.*Member ? "CRC32C" : "None");
}

Answer authentication(Parameters& p, std::string_view value) {
  p.refused_authentication = !offers(value, "None");
  return p.refused_authentication ? kRejected : std::string("None");
}
Answer session_type(Parameters& p, std::string_view value) {
  p.discovery = value == "Discovery";
  p.bad_session_type = !p.discovery && value != "Normal";
  return std::nullopt;
}
Answer max_data(Parameters& p, std::string_view value) {
  const std::optional<std::uint32_t> declared = number_of(value, 512, (1u << 24) - 1);
  if (!declared) return kRejected;
  p.max_data = *declared;
  return std::nullopt;
}
Answer ignored(Parameters& /*p*/, std::string_view /*value*/) { return std::nullopt; }
Answer reporting(Parameters& /*p*/, std::string_view value) {
  return offers(value, "RFC3720") ? Answer("RFC3720") : Answer(kRejected);
}
Answer irrelevant(Parameters& /*p*/, std::string_view /*value*/) { return std::string("Irrelevant"); }

constexpr std::uint32_t kMaxLength = (1u << 24) - 1;

/// A key is a row here (RFC 7143, 13).
struct Key {
  std::string_view name;
  Answer (*answer)(Parameters& parameters, std::string_view value);
  bool full_feature = false;  ///< may also come after the login
};
constexpr Key kKeys[] = {
    {"AuthMethod", authentication},
    {"DataDigest", digest<&Parameters::data_digest>},
    {"DataPDUInOrder", always<true>},
    {"DataSequenceInOrder", always<true>},
    {"DefaultTime2Retain", fixed<0, 3600, 0>},
    {"DefaultTime2Wait", time_to_wait},
    {"ErrorRecoveryLevel", fixed<0, 2, 0>},
    {"FirstBurstLength", smaller<&Parameters::first_burst, 512, kMaxLength, 65'536>},
    {"HeaderDigest", digest<&Parameters::header_digest>},
    {"IFMarker", always<false>},
    {"IFMarkInt", irrelevant},
    {"ImmediateData", theirs<&Parameters::immediate_data>},
    {"InitialR2T", theirs<&Parameters::initial_r2t>},
    {"InitiatorAlias", ignored, true},
    {"InitiatorName", text<&Parameters::initiator>},
    {"MaxBurstLength", smaller<&Parameters::max_burst, 512, kMaxLength, 1'048'576>},
    {"MaxConnections", fixed<1, 65'535, 1>},
    {"MaxOutstandingR2T", fixed<1, 65'535, 1>},
    {"MaxRecvDataSegmentLength", max_data, true},
    {"OFMarker", always<false>},
    {"OFMarkInt", irrelevant},
    {"SessionType", session_type},
    {"TargetName", text<&Parameters::target>},
    {"TaskReporting", reporting},
    {"iSCSIProtocolLevel", fixed<0, 31, 1>},
};

}  // namespace

void Text::add(std::string_view key, std::string_view value) { bytes_.append(key).append("=").append(value).push_back('\0'); }

bool Text::parse(std::string_view text, std::vector<Pair>& pairs) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    const std::string_view pair = text.substr(at, end - at);
    at = end + 1;
    if (pair.empty()) continue;  // padding
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals > kMaxKey || pair.size() - equals - 1 > kMaxValue)
      return false;
    pairs.push_back({pair.substr(0, equals), pair.substr(equals + 1)});
  }
  return true;
}

bool negotiate(std::string_view text, bool full_feature, Parameters& parameters, std::vector<std::string>& seen,
               Text& answers) {
  std::vector<Text::Pair> pairs;
  if (!Text::parse(text, pairs)) return false;
  for (const Text::Pair& pair : pairs) {
    if (std::find(seen.begin(), seen.end(), pair.key) != seen.end()) return false;
    seen.emplace_back(pair.key);
    const auto* const found =
        std::find_if(std::begin(kKeys), std::end(kKeys), [&pair](const Key& k) { return k.name == pair.key; });
    if (found == std::end(kKeys)) {
      answers.add(pair.key, "NotUnderstood");
    } else if (full_feature && !found->full_feature) {
      answers.add(pair.key, kRejected);
    } else if (const Answer answer = found->answer(parameters, pair.value)) {
      answers.add(pair.key, *answer);
    }
  }
  return true;
}

}  // namespace platter::iscsi
