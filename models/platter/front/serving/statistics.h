// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/front/serving/kernel_loop.h"
#include "platter/params/statistic.h"

namespace platter::serving {

/// The clients and the pacing, for the result.
struct ServingResult {
  Pacing pacing;
  PacingAccount account;
  std::uint64_t clients = 0;
};

const params::Statistics<ServingResult>& serving_rows();

}  // namespace platter::serving
