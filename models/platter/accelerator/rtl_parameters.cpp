// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/rtl_core.h"

namespace platter::accelerator {

AcceleratorParameters RtlCore::built_parameters() {
  AcceleratorParameters parameters;  // sched_top's defaults; the driver checks PARAMS
  parameters.order_m = PLATTER_SCHED_ORDER_M;
  parameters.features = PLATTER_SCHED_FEATURES;
  return parameters;
}

}  // namespace platter::accelerator
