// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace platter::iscsi {

/// What initiator and target have agreed on (RFC 7143, 13). The values are the defaults of the RFC.
struct Parameters {
  std::string initiator;   ///< InitiatorName
  std::string target;      ///< TargetName
  bool discovery = false;  ///< SessionType
  bool header_digest = false;
  bool data_digest = false;
  bool initial_r2t = true;
  bool immediate_data = true;
  std::uint32_t max_data = 8192;  ///< MaxRecvDataSegmentLength of the initiator
  std::uint32_t max_burst = 262'144;
  std::uint32_t first_burst = 65'536;
  bool refused_authentication = false;  ///< the initiator does not offer AuthMethod None
  bool bad_session_type = false;
};

/// A text of `key=value` pairs, each with a zero behind it.
class Text {
 public:
  void add(std::string_view key, std::string_view value);
  const std::string& bytes() const { return bytes_; }

  struct Pair {
    std::string_view key;
    std::string_view value;
  };
  /// Returns false if the text is not a list of pairs.
  static bool parse(std::string_view text, std::vector<Pair>& pairs);

 private:
  std::string bytes_;
};

/// Negotiates keys: takes what the initiator offers into `parameters`, and adds the answers. `seen`: keys of this negotiation; a key may come once.
/// Returns false if the text breaks the rules.
bool negotiate(std::string_view text, bool full_feature, Parameters& parameters, std::vector<std::string>& seen, Text& answers);

}  // namespace platter::iscsi
