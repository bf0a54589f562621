// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace platter::system {

/// For programs that are built against the installed CMake package, which defines where its drive profiles and scenarios are. Returns true.
bool use_packaged_configs(const char* directory);
#ifdef PLATTER_PACKAGE_CONFIG_DIR
inline const bool kUsesPackagedConfigs = use_packaged_configs(PLATTER_PACKAGE_CONFIG_DIR);
#endif

}  // namespace platter::system
