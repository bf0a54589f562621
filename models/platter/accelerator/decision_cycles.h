// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/accelerator_program.h"
#include "platter/accelerator/registers.h"

namespace platter::accelerator {

/// Clock cycles that the firmware and the accelerator need, from the cycles of the contract (reg::cycles).

/// Accesses by which a command is staged and inserted, without those of the program. `rests`, `limits`: E_REST and E_LIMIT are
/// among them.
std::uint32_t insert_accesses(bool rests, bool limits);

/// Cycles of a decision in addition to one DECIDE and the accesses of the engine and the program.
std::uint32_t further_cycles(const reg::Parameters& built, const Effort& effort, std::uint32_t entries);

/// Cycles of a decision, from its last register before OP: `decide`: of its first DECIDE.
std::uint32_t decision_cycles(const reg::Parameters& built, const Effort& effort, std::uint32_t entries,
                              std::uint32_t begin_accesses, std::uint32_t decide);

/// Most cycles between the end of an access and the start of the next, for a queue of `tags`.
std::uint32_t most_cycles(const reg::Parameters& built, const AcceleratorProgram& program, std::uint32_t tags, bool rests);

}  // namespace platter::accelerator
