// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "platter/axi/axil_signals.h"

namespace platter::axi {

/// How a violation is reported. It is always counted, and kept up to AxilCheckerOptions::most_kept.
enum class Reporting {
  Collect,  ///< no report
  Warning,  ///< SC_REPORT_WARNING
  Error     ///< SC_REPORT_ERROR, which throws unless the report handler is configured otherwise
};

/// What an AxilChecker is constructed with.
struct AxilCheckerOptions {
  Reporting reporting = Reporting::Warning;  ///< of violations; a warning is at most an SC_REPORT_WARNING
  /// A VALID that waits longer than this many cycles for its READY is a warning (a recommendation of ARM's, not a rule); 0: no
  /// limit.
  std::uint32_t max_wait_cycles = 0;
  std::size_t most_kept = 1000;  ///< further violations and warnings are only counted
};

/// Message type of the checker's reports.
inline constexpr const char* kAxilCheckerReport = "/platter/axi/checker";

/// Monitors an AXI4-Lite bus and checks it against the rules of ARM IHI 0022 at each rising edge of the clock. Rules have the
/// names of ARM's own protocol assertions; docs/reference/axi_bridge.md lists them.
class AxilChecker : public sc_core::sc_module {
 public:
  /// A rule that the bus broke, or a recommendation that it did not follow.
  struct Violation {
    std::string rule;       ///< ARM's name of the rule
    std::string text;       ///< the values that broke it
    std::uint64_t cycle;    ///< number of rising edges before this one
    sc_core::sc_time time;  ///< of that edge
  };

  SC_HAS_PROCESS(AxilChecker);
  /// Every port must be bound.
  explicit AxilChecker(const sc_core::sc_module_name& name, const AxilCheckerOptions& options = {});

  sc_core::sc_in<bool> clk_i;   ///< the rising edge counts
  sc_core::sc_in<bool> rst_ni;  ///< active low
  AxilMonitorPorts s_axil;      ///< the bus; all ports are inputs

  std::uint64_t violation_count() const { return violation_count_; }        ///< all of them, also those that were not kept
  const std::vector<Violation>& violations() const { return violations_; }  ///< the first `most_kept` of them
  std::uint64_t warning_count() const { return warning_count_; }            ///< all of them, also those that were not kept
  const std::vector<Violation>& warnings() const { return warnings_; }      ///< the first `most_kept` of them
  /// Was this rule violated, by the violations that were kept?
  bool violated(const std::string& rule) const;

  std::uint64_t cycles() const { return cycle_; }   ///< rising edges of the clock so far
  std::uint64_t reads() const { return reads_; }    ///< reads completed
  std::uint64_t writes() const { return writes_; }  ///< writes completed
  /// Number of reads under way: the address has been accepted, and the response has not yet been taken.
  std::uint64_t outstanding_reads() const { return read_requests_; }
  /// The same for writes: the address or the data has been accepted.
  std::uint64_t outstanding_writes() const { return std::max(write_addresses_, write_data_); }
  std::uint64_t most_outstanding_reads() const { return most_outstanding_reads_; }    ///< most at one time
  std::uint64_t most_outstanding_writes() const { return most_outstanding_writes_; }  ///< most at one time

 private:
  /// One channel at a rising edge.
  struct Beat {
    bool valid = false;
    bool ready = false;
    std::array<std::uint32_t, 2> payload{};
    bool taken() const { return valid && ready; }
  };
  /// The names of a channel, and its state at the previous edge.
  struct Channel {
    const char* name;                    ///< "AW"
    char driver;                         ///< of VALID: M or S
    std::array<const char*, 2> signals;  ///< of the payload
    std::array<unsigned, 2> bits;
    Beat before;
    std::uint64_t waited = 0;
  };
  enum { Aw, W, B, Ar, R, Channels };

  void edge();
  void check_reset(const Channel& channel, const Beat& beat);
  void check_handshake(Channel& channel, const Beat& beat);
  void check_payload(const Channel& channel, const Beat& beat);
  void check_response(const Channel& channel, const Beat& beat);
  void count(const std::array<Beat, Channels>& beats);
  void forget();
  void violation(const std::string& rule, const std::string& text);
  void warning(const std::string& rule, const std::string& text);

  AxilCheckerOptions options_;
  std::array<Channel, Channels> channels_;
  std::uint64_t cycle_ = 0;
  std::uint32_t reset_edges_ = 0;      ///< rising edges of the current reset
  bool was_reset_ = true;              ///< reset was active at some time since the last rising edge
  std::uint64_t write_addresses_ = 0;  ///< accepted and not yet followed by a response
  std::uint64_t write_data_ = 0;
  std::uint64_t read_requests_ = 0;
  std::uint64_t most_outstanding_reads_ = 0;
  std::uint64_t most_outstanding_writes_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t violation_count_ = 0;
  std::uint64_t warning_count_ = 0;
  std::vector<Violation> violations_;
  std::vector<Violation> warnings_;
};

}  // namespace platter::axi
