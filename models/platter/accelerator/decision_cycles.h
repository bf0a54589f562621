// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/accelerator_program.h"
#include "platter/accelerator/registers.h"

namespace platter::accelerator {

/// Clock cycles that the firmware and the accelerator need, from the cycles of the contract (reg::cycles).

/// Accesses that stage and insert a command, without those of the program. `rests` and `limits` tell whether E_REST and E_LIMIT are written too.
std::uint32_t insert_accesses(bool rests, bool limits);

/// Cycles of a decision's operations, with the accesses to OP and CLEAR between them. The program's accesses and the engine's at
/// the begin and the end are not included. `decide`: cycles of the first DECIDE, if the decision makes one.
std::uint32_t operation_cycles(const reg::Parameters& built, const Effort& effort, std::uint32_t entries, std::uint32_t decide);

/// Most cycles of a decision, from the access before `begin` until its result is known. `begin_accesses`: of the program's
/// `begin`. `decide`: cycles of the first DECIDE, if the decision makes one.
std::uint32_t decision_cycles(const reg::Parameters& built, const Effort& effort, std::uint32_t entries,
                              std::uint32_t begin_accesses, std::uint32_t decide);

/// Most cycles between the end of an access and the start of the next, for a queue of `tags` commands. `rests`: the drive uses
/// E_REST (see insert_accesses).
std::uint32_t most_cycles(const reg::Parameters& built, const AcceleratorProgram& program, std::uint32_t tags, bool rests);

}  // namespace platter::accelerator
