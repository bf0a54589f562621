// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/mapping/eager/options.h"
#include "platter/params/row.h"
#include "platter/params/source.h"

namespace platter::eager {

/// Keys `eager.*`.
const params::Table<EagerOptions>& eager_parameters();
void check(const EagerOptions& options, const profile::DriveProfile& drive, params::Findings& findings);

}  // namespace platter::eager
