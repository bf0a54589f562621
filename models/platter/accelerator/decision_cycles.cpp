// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/decision_cycles.h"

namespace platter::accelerator {

namespace cycles = reg::cycles;

namespace {

/// Most accesses between the end of an access and the result of the next decision: CTRL, HEAD_POS, RESERVE, HEAD_TIME, OP, and
/// afterwards CLEAR and SERVE. The program's accesses are not included.
constexpr std::uint32_t kAccessesPerDecision = 7;
constexpr std::uint32_t kAccessesForGrace = 1;  ///< GRACE, in a decision
/// The staging registers and INSERT.
constexpr std::uint32_t kAccessesPerInsert = 8;
/// OP and CLEAR of an operation, and the cycle of its interrupt.
constexpr std::uint32_t kAccessesPerOperation = 2;
constexpr std::uint32_t kInterruptCycles = 1;
/// DELAY is set to 0 for an exact order, and back to its value for the guard.
constexpr std::uint32_t kAccessesPerOrder = 2;

}  // namespace

std::uint32_t insert_accesses(bool rests, bool limits) { return kAccessesPerInsert + (rests ? 1 : 0) + (limits ? 1 : 0); }

std::uint32_t operation_cycles(const reg::Parameters& built, const Effort& effort, std::uint32_t entries,
                               std::uint32_t decide) {
  const std::uint32_t operations = effort.decides + effort.clusters;
  std::uint32_t cycles = operations * kInterruptCycles + (operations - 1) * cycles::access() * kAccessesPerOperation +
                         effort.clusters * cycles::collect(entries);
  if (effort.decides > 0) cycles += decide + (effort.decides - 1) * cycles::decide_pass(built);
  if (effort.ahead > 0)
    cycles += cycles::ahead_begin() + cycles::ahead_end() +
              effort.candidates *
                  (cycles::ahead_candidate() + effort.ahead * cycles::ahead_access(built) + cycles::ahead_search(built));
  if (effort.ordered > 0) cycles += cycles::order(effort.ordered) + cycles::access() * kAccessesPerOrder;
  return cycles;
}

std::uint32_t decision_cycles(const reg::Parameters& built, const Effort& effort, std::uint32_t entries,
                              std::uint32_t begin_accesses, std::uint32_t decide) {
  return cycles::access() * (1 + begin_accesses + effort.accesses) + operation_cycles(built, effort, entries, decide);
}

std::uint32_t most_cycles(const reg::Parameters& built, const AcceleratorProgram& program, std::uint32_t tags, bool rests) {
  // All commands arrive at the last moment, while an operation runs whose result is then discarded.
  const Effort effort = program.most_effort(tags);
  const std::uint32_t limits = built.has(kLimits) ? 1 : 0;
  // With n entries, all of them continuous, the sums take at most 2 n and what they take without entries.
  const std::uint32_t decide =
      cycles::decide_pass(built) + cycles::stale() + 2 * tags + cycles::sums(0, 0) + cycles::debts(built);
  const std::uint32_t decision =
      operation_cycles(built, effort, tags, decide) +
      cycles::access() * (kAccessesPerDecision + limits * kAccessesForGrace + program.begin_accesses() + effort.accesses);
  const std::uint32_t insert =
      cycles::access() * (insert_accesses(rests, limits != 0) + program.stage_accesses()) + cycles::insert(0) + 1;
  const std::uint32_t withhold = cycles::access() + cycles::remove(tags) + insert + tags;  // and recalled at once
  return 2 * decision + tags * insert + tags * (tags - 1) / 2 + cycles::remove(tags) + program.most_withheld() * withhold;
}

}  // namespace platter::accelerator
