// SPDX-License-Identifier: Apache-2.0
//
// A design as a shared object, for a size that is not part of the program (rtl_library.h). The object has the Verilated class; Verilator's run-time
// is the program's. PLATTER_VSCHED is the class, PLATTER_RTL_FAST stands for a copy for speed and PLATTER_RTL_CHECKED for its assertions.
#include "platter/accelerator/rtl_master.h"

#include PLATTER_VSCHED_HEADER

#define PLATTER_EXPORT extern "C" __attribute__((visibility("default")))

#ifdef PLATTER_RTL_FAST
PLATTER_FAST_PHASES(PLATTER_VSCHED)
#ifdef PLATTER_RTL_CHECKED
using Pins = platter::accelerator::FastPins<PLATTER_VSCHED, true>;
#else
using Pins = platter::accelerator::FastPins<PLATTER_VSCHED, false>;
#endif
#else
using Pins = platter::accelerator::WavePins<PLATTER_VSCHED>;
#endif

PLATTER_EXPORT unsigned platter_rtl_interface() { return platter::accelerator::kRtlInterface; }

PLATTER_EXPORT platter::accelerator::RtlDesign* platter_rtl_design(VerilatedContext* context,
                                                                   platter::core::Picoseconds clock_period, const char* name) {
  return new platter::accelerator::RtlMaster<Pins>(*context, clock_period, name);
}
