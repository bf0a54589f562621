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
  bool own = false;    ///< engines of a user's own
};

/// The file of a view that ships, those installed beside the program before those of the source tree; relative where it is below the present
/// folder. Empty without it.
std::string shipped_view(const std::string& name);

/// A view of `wave_file`, to lie beside it, for GTKWave: a marker where each request of the window comes (A, C, …) and where it ends (B, D, …);
/// of each drive that held a part of one, the tags of these parts, the drive's signals, the array's of this drive and the RTL's. Without such a
/// drive, of the drive `disk`.
std::string gtkwave_view(const std::string& wave_file, const MomentWindow& window, const Moments& moments,
                         const std::vector<observe::Sight>& sights, const ViewedSystem& system);

}  // namespace platter::cli
