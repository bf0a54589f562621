// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/bus_core.h"
#include "platter/accelerator/reference_core.h"

namespace platter::accelerator {

/// Can a core be brought to this state by accesses? Not while the result of an operation waits, and not between the INSERT of an
/// entry that is not continuous and the next DECIDE: the sums of a sweep are then valid, and the debts are not.
bool is_loadable(const ReferenceCore::State& state);

/// Brings another core to a loadable state by accesses over its bus: a soft reset, the seek table (if `seek_table`; a soft reset
/// leaves it), the entries in the order of their insertion, the registers, and a DECIDE if sums and debts are valid. Every later
/// access has the same response, cycles included, except for a read of
/// - the counters DECISIONS to FORCED_COUNT: they start at 0;
/// - a register that only an operation writes (RESULT to CYCLES, CLUSTER_COUNT to ORDER_TAGS2; NEXT to DUE if the sums are stale): it
///   is right after the next operation that writes it.
/// Ages are equal as long as no entry outlives 2^24 insertions. If the state is not loadable, sums and debts are stale afterwards.
void load_state(BusCoreIf& core, const ReferenceCore::State& state, core::Picoseconds start, bool seek_table);

}  // namespace platter::accelerator
