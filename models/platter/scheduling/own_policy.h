// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "platter/own_policy_abi.h"
#include "platter/scheduling/flat_scheduler.h"
#include "platter/scheduling/policies.h"
#include "platter/version.h"

namespace platter::scheduling {

/// A parameter of a policy of your own: a number in the parentheses of its notation.
struct OwnParameter {
  const char* name;     ///< of one word, for messages and lists
  const char* meaning;  ///< a line of plain text, with the unit
  double least;         ///< smallest value that is accepted
  double most;          ///< largest value that is accepted
};

/// A policy of your own, as a shared object offers it. PLATTER_OWN_POLICY makes one.
struct OwnPolicy {
  const char* description;                                          ///< a line of plain text
  const OwnParameter* parameters;                                   ///< in the order of the notation
  std::uint32_t parameter_count;                                    ///< 0: a notation without parentheses
  std::unique_ptr<SchedulerIf> (*create)(const SchedulerContext&);  ///< values: SchedulerContext::parameters.own
};

/// What the program and a shared object must agree on: the headers, the C++ library and the compiler's binary interface.
inline constexpr char kOwnPolicyAbi[] = "platter " PLATTER_VERSION ", own policies 1, headers " PLATTER_OWN_POLICY_ABI
#ifdef __GXX_ABI_VERSION
                                        ", C++ ABI of GCC"
#endif
#ifdef _GLIBCXX_USE_CXX11_ABI
                                        ", libstdc++"
#endif
#ifdef _LIBCPP_VERSION
                                        ", libc++"
#endif
    ;

}  // namespace platter::scheduling

/// The registration line of a policy: its class, a line of description, and an OwnParameter for each number of its notation. It stands once in
/// the file, outside of all namespaces. The class is a SchedulerIf whose constructor takes a `const SchedulerContext&`.
#define PLATTER_OWN_POLICY(Class, description, ...)                                                                     \
  extern "C" __attribute__((visibility("default"))) const char* const platter_own_policy_abi =                          \
      platter::scheduling::kOwnPolicyAbi;                                                                               \
  extern "C" __attribute__((visibility("default"))) const platter::scheduling::OwnPolicy* platter_own_policy() {        \
    static const std::initializer_list<platter::scheduling::OwnParameter> parameters = {__VA_ARGS__};                   \
    static const platter::scheduling::OwnPolicy policy = {                                                              \
        description, parameters.begin(), static_cast<std::uint32_t>(parameters.size()),                                 \
        [](const platter::scheduling::SchedulerContext& context) -> std::unique_ptr<platter::scheduling::SchedulerIf> { \
          return std::make_unique<Class>(context);                                                                      \
        }};                                                                                                             \
    return &policy;                                                                                                     \
  }
