// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/params/row.h"
#include "platter/scheduling/readings.h"

namespace platter::scheduling {

/// Keys `scheduling.*`.
const params::Table<Readings>& readings_parameters();

}  // namespace platter::scheduling
