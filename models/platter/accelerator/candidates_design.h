// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/accelerator/rtl_design.h"

namespace platter::accelerator {

/// A change of the command table, as the port `platter_candidates` takes it. docs/reference/own_engine.md has the contract of the port.
struct CandidateUpdate {
  /// The numbers are those of the SystemVerilog type update_e.
  enum class Kind : std::uint8_t {
    Enter = 0,     ///< the command has arrived
    Serve = 1,     ///< it is served, and leaves the table
    Withdraw = 2,  ///< it will not be served, and leaves the table
  };
  Kind kind = Kind::Enter;
  std::uint8_t cls = 0;        ///< of Enter, as all that follow: core::RequestClass
  bool write = false;          ///< a write
  std::uint8_t head = 0;       ///< surface of the first block
  std::uint16_t tag = 0;       ///< number of the command, of all kinds
  std::uint32_t order = 0;     ///< order of arrival, modulo 2^32; less is older
  std::uint32_t cylinder = 0;  ///< of the first block
  std::uint32_t angle = 0;     ///< at which the first block begins; 2^32 is one turn
  std::uint32_t length = 0;    ///< blocks
  std::uint64_t deadline = 0;  ///< absolute, in picoseconds; core::kNoDeadline: none
};

/// Which command is served next? The state of the drive is that at `time`.
struct CandidateQuestion {
  std::uint32_t cylinder = 0;  ///< of the arm
  std::uint8_t head = 0;       ///< surface whose head is in use
  bool write = false;          ///< the last access was a write
  std::uint32_t angle = 0;     ///< under the heads; 2^32 is one turn
  std::uint64_t time = 0;      ///< when the access can begin, absolute, in picoseconds
};

struct CandidateAnswer {
  bool idle = true;       ///< no command is served now
  std::uint16_t tag = 0;  ///< otherwise the command that is served

  friend bool operator==(const CandidateAnswer& a, const CandidateAnswer& b) {
    return a.idle == b.idle && (a.idle || a.tag == b.tag);
  }
};

/// How an exchange over the port has ended.
enum class PortFault : std::uint8_t {
  None,              ///< well
  UpdateNotTaken,    ///< the engine is not ready for an update within the limit
  QuestionNotTaken,  ///< the engine is not ready for a question within the limit
  NoAnswer,          ///< no answer within the limit
  EarlyAnswer,       ///< an answer without a question
  ChangedAnswer,     ///< an answer that does not stay until it is taken
  SecondAnswer,      ///< a further answer after the one that was taken
};

struct PortResult {
  std::uint32_t cycles = 0;  ///< that the exchange has taken
  PortFault fault = PortFault::None;
};

/// The pins of the handshakes; for messages.
struct PortPins {
  bool update_ready = false;
  bool decide_ready = false;
  bool answer_valid = false;
  CandidateAnswer answer;
};

/// A Verilated engine of a user's own, with the master at its port. It is a shared object, which has only this file and those that it
/// includes in common with the program (candidates_master.h).
class CandidatesDesign : public TracedDesignIf {
 public:
  CandidatesDesign() = default;
  CandidatesDesign(const CandidatesDesign&) = delete;
  CandidatesDesign& operator=(const CandidatesDesign&) = delete;
  ~CandidatesDesign() override = default;

  static constexpr std::uint32_t kMaxCycles = 100'000;  ///< bound on the cycles of each handshake, and of an answer

  /// Commands that the table holds.
  virtual std::uint32_t depth() const = 0;
  virtual void reset() = 0;
  /// `start`: when the exchange begins; for waves only. At most one exchange runs at a time.
  virtual PortResult update(const CandidateUpdate& update, core::Picoseconds start) = 0;
  virtual PortResult decide(const CandidateQuestion& question, core::Picoseconds start, CandidateAnswer& answer) = 0;
  virtual PortPins pins() const = 0;
};

/// Version of what program and shared object have in common; to be increased with every change of it.
inline constexpr unsigned kCandidatesInterface = 2;

/// The functions of a shared object: the version of its interface, and a design in a context that outlives it.
using CandidatesInterfaceFunction = unsigned();
using CandidatesDesignFunction = CandidatesDesign*(RtlContext* context, core::Picoseconds clock_period, const char* name);
inline constexpr const char* kCandidatesInterfaceSymbol = "platter_own_engine_interface";
inline constexpr const char* kCandidatesDesignSymbol = "platter_own_engine";

}  // namespace platter::accelerator
