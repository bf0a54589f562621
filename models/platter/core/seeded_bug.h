// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bugs of a drive or an array, to test the checks of `platter crash`. Only the program platter_seeded of the tests has them: its copies of the
// files that ask for one are compiled with PLATTER_SEEDED_BUGS, and the environment variable PLATTER_SEEDED_BUG selects one. Everywhere else
// `seeded` is false when it is compiled. Only .cpp files ask, because a header must have the same content in both.

#ifdef PLATTER_SEEDED_BUGS
#include <cstdlib>
#include <string_view>
#endif

namespace platter::core {

#ifdef PLATTER_SEEDED_BUGS
inline namespace with_seeded_bugs {
inline bool seeded(const char* bug) {
  const char* const selected = std::getenv("PLATTER_SEEDED_BUG");
  return selected != nullptr && std::string_view(selected) == bug;
}
}  // namespace with_seeded_bugs
#else
constexpr bool seeded(const char* /*bug*/) { return false; }
#endif

}  // namespace platter::core
