// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace platter::testing {

/// A build with AddressSanitizer, where tests repeat less.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace platter::testing
