// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "platter/system/run.h"

namespace platter::system {

// The rows of the table of hosts; each is in a file of its own.
HostInfo load_host(std::string_view description);
HostInfo media_server_host();
HostInfo mixed_server_host();
HostInfo autoqos_host();

}  // namespace platter::system
