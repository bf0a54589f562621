// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/params/row.h"
#include "platter/scheduling/interpretations.h"

namespace platter::scheduling {

/// Keys `scheduling.*`.
const params::Table<Interpretations>& interpretation_parameters();

}  // namespace platter::scheduling
