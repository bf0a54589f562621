// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace platter::system {

/// For programs that are built against the installed CMake package, which defines where its drive profiles and scenarios are. Returns true.
bool use_packaged_configs(const char* directory);
#ifdef PLATTER_PACKAGE_CONFIG_DIR
inline const bool kUsesPackagedConfigs = use_packaged_configs(PLATTER_PACKAGE_CONFIG_DIR);
#endif

/// The same for programs that take their options from pkg-config, whose files cannot have a text in quotation marks: they are found from where
/// this header is. Returns true.
bool use_configs_of_headers(const char* header);
#ifdef PLATTER_PACKAGE_OF_HEADERS
inline const bool kUsesConfigsOfHeaders = use_configs_of_headers(__FILE__);
#endif

}  // namespace platter::system
