// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/mechanics/tree_layout.h"
#include "platter/profile/drive_profile.h"

namespace platter::mechanics {

/// Refuses keys that the profile's kind of layout does not use. Throws LayoutError.
void check_keys(const profile::GeometryProfile& profile);

/// The tree of a layout of bands: on each surface, `band_tracks` tracks follow each other; the bands of all surfaces on the same cylinders
/// are a group. A zone is a sequence of groups, the last of which may have fewer cylinders. Where the surfaces' zones have different
/// boundaries, each boundary starts a new group. Throws LayoutError.
LayoutTree band_tree(const profile::GeometryProfile& profile);

}  // namespace platter::mechanics
