// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace platter::workload {

/// The archive of which these are the first bytes, or which has such a name: "a tar archive, whose first file is "x""; "" for neither.
std::string archive_text(std::string_view first_bytes, std::string_view file_name);

}  // namespace platter::workload
