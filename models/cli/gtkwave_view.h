// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "moments.h"
#include "platter/observe/decision_log.h"

namespace platter::cli {

/// What a wave file has beside the drives' signals.
struct ViewedSystem {
  bool array = false;  ///< an array above the drives
  bool rtl = false;    ///< the engines' RTL
};

/// A view of `wave_file` for GTKWave: a marker where each request of the window comes (A, C, …) and where it ends (B, D, …); of each drive that
/// held a part of one, the tags of these parts, the drive's signals, the array's of this drive and the RTL's. Without such a drive, of the
/// drive `disk`.
std::string gtkwave_view(const std::string& wave_file, const MomentWindow& window, const Moments& moments,
                         const std::vector<observe::Sight>& sights, const ViewedSystem& system);

}  // namespace platter::cli
