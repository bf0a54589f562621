// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/params/row.h"
#include "platter/scheduling/arrival_parameters.h"
#include "platter/scheduling/interpretations.h"

namespace platter::scheduling {

/// Keys `scheduling.*`.
const params::Table<Interpretations>& interpretation_parameters();
/// Keys `guard.*` and `scheduling.*` of the spread of arrivals.
const params::Table<ArrivalParameters>& arrival_parameters();

}  // namespace platter::scheduling
