// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/parameters.h"

#include <array>
#include <string_view>

#include "platter/accelerator/registers.h"
#include "platter/scheduling/fixed_point.h"

namespace platter::accelerator {

using params::at;
using params::names_at;
using params::OneOf;
using params::Range;

namespace {

/// In the order of the bits of Feature.
constexpr std::array<std::string_view, 4> kFeatureNames = {"ageing", "look_ahead", "limits", "zero_latency"};
static_assert(kAllFeatures == (1u << kFeatureNames.size()) - 1);

}  // namespace

std::string feature_names(std::uint32_t features) {
  std::string names;
  for (std::size_t i = 0; i < kFeatureNames.size(); ++i)
    if ((features >> i & 1) != 0) names += (names.empty() ? "\"" : ", \"") + std::string(kFeatureNames[i]) + "\"";
  return "[" + names + "]";
}

const params::Table<AcceleratorOptions>& accelerator_parameters() {
  using P = AcceleratorOptions;
  static const params::Table<P> table = {
      {"accelerator.clock_mhz", "MHz", "clock of the scheduling accelerator", at(&P::clock_mhz), Range{1, 10000}},
      {"accelerator.entries", "",
       "queue entries of the accelerator, a multiple of the lanes; 0: 32, or as many as the queue has tags if it has more",
       at(&P::entries), Range{0, 256}},
      {"accelerator.lanes", "", "queue entries that are evaluated in a clock cycle: 1, 2, 4, 8 or 16", at(&P::lanes),
       Range{1, 16}},
      {"accelerator.order_m", "",
       "largest number of commands that the orderer puts into an exact order, at least 2; 0: no orderer", at(&P::order_m),
       Range{0, 12}},
      {"accelerator.angle_bits", "bit",
       "width of an angle; a tick, the accelerator's unit of time, is a turn divided by 2 to the power of this width",
       at(&P::angle_bits), Range{12, 20}},
      {"accelerator.cylinder_bits", "bit",
       "width of a cylinder number, 8 to 21; 0: 18, or as many as the drive's cylinders need if they need more",
       at(&P::cylinder_bits), Range{0, scheduling::FixedPointFormat::kMaxCylW}},
      {"accelerator.features", "", "optional parts of the accelerator; an empty list: none", names_at(&P::features),
       OneOf{{kFeatureNames.begin(), kFeatureNames.end()}}},
      {"accelerator.margin_ticks", "ticks",
       "margin: a rotational wait below this value plus 2 is charged one more turn; not given: as the drive's arrival spread "
       "and the policy say",
       at(&P::margin_ticks), Range{0, 32767}},
      {"accelerator.risk_ticks", "ticks",
       "a rotational wait of less than this above the margin may miss its sector; not given: as the drive's arrival spread "
       "says",
       at(&P::risk_ticks), Range{0, 32767}},
      {"accelerator.risk_probability", "",
       "probability of such a miss: the wait is charged this share of a turn, and a whole turn by the guard",
       at(&P::risk_probability), Range{0, 1}},
      {"accelerator.ahead_candidates", "", "policies that look ahead: number of candidates for which they do so",
       at(&P::ahead_candidates), Range{1, 256}},
      {"accelerator.ahead_accesses", "", "policies that look ahead: number of accesses that they look ahead; 0: no look-ahead",
       at(&P::ahead_accesses), Range{0, 4}},
  };
  return table;
}

}  // namespace platter::accelerator
