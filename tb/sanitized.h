// SPDX-License-Identifier: Apache-2.0
#pragma once

// GCC has a macro, Clang a feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLATTER_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PLATTER_SANITIZED
#endif

namespace platter::testing {

/// True in a build with AddressSanitizer, in which tests use fewer repetitions.
#ifdef PLATTER_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace platter::testing
