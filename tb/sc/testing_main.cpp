// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <systemc>

#include "../sanitized.h"

#ifdef PLATTER_SANITIZED
/// Objects referenced only from the stack of a suspended SC_THREAD look like leaks, and the leak search cannot handle the stacks of coroutines. (The
/// options are set here and not in the environment, because gtest_discover_tests passes on only one variable.)
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

namespace {

/// A warning that no test expects is a failure; errors throw, as SystemC does by default.
void report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_WARNING)
    ADD_FAILURE() << "SystemC warning " << report.get_msg_type() << ": " << report.get_msg();
  if ((actions & sc_core::SC_THROW) != 0) throw report;
}

}  // namespace

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  sc_core::sc_report_handler::set_handler(report);
  return RUN_ALL_TESTS();
}
