// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

/// Defines a function that takes the place of the C library's function `name`. Its C++ name differs, so the declarations of the system's headers do not
/// matter, with their exceptions and fortified forms.
#define PLATTER_INTERPOSE(result, name, ...)                                                           \
  extern "C" __attribute__((visibility("default"))) result platter_##name(__VA_ARGS__) __asm__(#name); \
  result platter_##name(__VA_ARGS__)

/// The same function under another name.
#define PLATTER_ALSO(name, other) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(platter_##name) platter_##other __asm__(#other);

/// The next function of the name in the order of the libraries, which is usually the C library's. `like`: a function of ours with the same type.
#define PLATTER_NEXT_LIKE(like, name)                                                               \
  ([] {                                                                                             \
    static auto* const next = reinterpret_cast<decltype(&platter_##like)>(dlsym(RTLD_NEXT, #name)); \
    return next;                                                                                    \
  }())
#define PLATTER_NEXT(name) PLATTER_NEXT_LIKE(name, name)
