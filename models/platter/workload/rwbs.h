// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/workload/trace_line.h"

namespace platter::workload {

/// The meaning of the letters (RWBS) by which Linux's block layer names an operation.
struct BlockOperation {
  bool preflush = false;  ///< a flush comes first
  char kind = 'N';        ///< R, W, D (discard) or N (none)
};

/// One letter for the operation, an F before it for a flush that comes first, and after it F (force unit access), A (read-ahead), S (synchronous),
/// M (metadata), E (secure erase), B (barrier), U (atomic).
BlockOperation parse_rwbs(const SourceLine& line, const Field& field);

}  // namespace platter::workload
