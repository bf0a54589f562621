// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included before Verilator's FST writer is compiled (scripts/cmake/PlatterVerilator.cmake). The writer's internal checks end the program
// when its stream has failed, for example on a full disk. With this file they throw instead, and WaveFile reports the problem.

#include <cstdlib>
#include <stdexcept>

namespace std {
[[noreturn]] inline void platter_fst_check_failed() { throw runtime_error("a check of the FST writer has failed"); }
}  // namespace std

#define abort platter_fst_check_failed
