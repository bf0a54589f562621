// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace platter::cli {

/// The file of a program that is called by its name, as a shell finds it. Throws core::InputError if there is none, or if a preloaded library has no
/// effect on it: a static program, one of another machine or C library, one with set-uid, set-gid or capabilities.
std::string find_program(const std::string& name);

}  // namespace platter::cli
