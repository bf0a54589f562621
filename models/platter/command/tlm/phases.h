// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

namespace platter::command {

/// A phase that is not of the base protocol: a partner may ignore it (IEEE 1666-2011, 15.2.5).
inline bool ignorable(const tlm::tlm_phase& phase) {
  return phase != tlm::UNINITIALIZED_PHASE && phase != tlm::BEGIN_REQ && phase != tlm::END_REQ && phase != tlm::BEGIN_RESP &&
         phase != tlm::END_RESP;
}

}  // namespace platter::command
