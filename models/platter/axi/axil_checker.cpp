// SPDX-License-Identifier: Apache-2.0
#include "platter/axi/axil_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace platter::axi {

namespace {

/// Names of ARM's assertions: AXI4_ERRM_AWADDR_STABLE is an error of the master, AXI4_RECS_... a recommendation to the slave.
std::string rule_name(const char* kind, char party, const std::string& rest) {
  return fmt::format("AXI4_{}{}_{}", kind, party, rest);
}

char other(char party) { return party == 'M' ? 'S' : 'M'; }

}  // namespace

AxilChecker::AxilChecker(const sc_core::sc_module_name& name, const AxilCheckerOptions& options)
    : sc_module(name),
      clk_i("clk_i"),
      rst_ni("rst_ni"),
      s_axil("s_axil"),
      options_(options),
      channels_{{{"AW", 'M', {"AWADDR", "AWPROT"}, {32, 3}, {}},
                 {"W", 'M', {"WDATA", "WSTRB"}, {32, 4}, {}},
                 {"B", 'S', {"BRESP", nullptr}, {2, 0}, {}},
                 {"AR", 'M', {"ARADDR", "ARPROT"}, {32, 3}, {}},
                 {"R", 'S', {"RDATA", "RRESP"}, {32, 2}, {}}}} {
  SC_METHOD(edge);
  sensitive << clk_i.pos() << rst_ni.neg();
  dont_initialize();
}

bool AxilChecker::violated(const std::string& rule) const {
  return std::any_of(violations_.begin(), violations_.end(), [&](const Violation& v) { return v.rule == rule; });
}

void AxilChecker::edge() {
  const bool in_reset = !rst_ni.read();
  if (in_reset && !was_reset_) {
    was_reset_ = true;
    reset_edges_ = 0;
    forget();
  }
  if (!clk_i.posedge()) return;

  const std::array<Beat, Channels> beats = {
      {{s_axil.awvalid.read(), s_axil.awready.read(), {s_axil.awaddr.read(), s_axil.awprot.read()}},
       {s_axil.wvalid.read(), s_axil.wready.read(), {s_axil.wdata.read(), s_axil.wstrb.read()}},
       {s_axil.bvalid.read(), s_axil.bready.read(), {s_axil.bresp.read(), 0}},
       {s_axil.arvalid.read(), s_axil.arready.read(), {s_axil.araddr.read(), s_axil.arprot.read()}},
       {s_axil.rvalid.read(), s_axil.rready.read(), {s_axil.rdata.read(), s_axil.rresp.read()}}}};
  if (was_reset_) {
    // A design with a synchronous reset sees the reset only at the first edge.
    if (!in_reset || reset_edges_ != 0)
      for (std::size_t c = 0; c < Channels; ++c) check_reset(channels_[c], beats[c]);
    ++reset_edges_;
  }
  if (!in_reset) {
    channels_[Aw].bits[0] = channels_[Ar].bits[0] = s_axil.address_bits;
    for (std::size_t c = 0; c < Channels; ++c) {
      check_handshake(channels_[c], beats[c]);
      if (beats[c].valid) check_payload(channels_[c], beats[c]);
      if (beats[c].valid && (c == B || c == R)) check_response(channels_[c], beats[c]);
      channels_[c].before = beats[c];
    }
    count(beats);
    was_reset_ = false;
  }
  ++cycle_;
}

/// A3.1.2: during reset, and at the first rising edge after it, every VALID is low.
void AxilChecker::check_reset(const Channel& channel, const Beat& beat) {
  if (!beat.valid) return;
  violation(
      rule_name("ERR", channel.driver, fmt::format("{}VALID_RESET", channel.name)),
      fmt::format("{}VALID is high {}", channel.name, rst_ni.read() ? "at the first rising edge after reset" : "during reset"));
}

/// A3.2.1: VALID and its payload stay unchanged until READY.
void AxilChecker::check_handshake(Channel& channel, const Beat& beat) {
  const Beat& before = channel.before;
  if (before.valid && !before.ready) {
    if (!beat.valid) {
      violation(rule_name("ERR", channel.driver, fmt::format("{}VALID_STABLE", channel.name)),
                fmt::format("{0}VALID fell before {0}READY was high", channel.name));
    } else {
      for (std::size_t i = 0; i < channel.signals.size(); ++i)
        if (channel.signals[i] != nullptr && beat.payload[i] != before.payload[i])
          violation(rule_name("ERR", channel.driver, fmt::format("{}_STABLE", channel.signals[i])),
                    fmt::format("{} went from 0x{:x} to 0x{:x} while {}VALID waited", channel.signals[i], before.payload[i],
                                beat.payload[i], channel.name));
    }
  }
  channel.waited = beat.valid && !beat.ready ? channel.waited + 1 : 0;
  if (options_.max_wait_cycles != 0 && channel.waited == std::uint64_t{options_.max_wait_cycles} + 1)
    warning(rule_name("REC", other(channel.driver), fmt::format("{}READY_MAX_WAIT", channel.name)),
            fmt::format("{0}READY is low for more than {1} cycles of {0}VALID", channel.name, options_.max_wait_cycles));
}

/// Pins have two values here: a value that does not fit the width of the pin stands for an unknown one.
void AxilChecker::check_payload(const Channel& channel, const Beat& beat) {
  for (std::size_t i = 0; i < channel.signals.size(); ++i)
    if (channel.signals[i] != nullptr && channel.bits[i] < 32 && beat.payload[i] >> channel.bits[i] != 0)
      violation(
          rule_name("ERR", channel.driver, fmt::format("{}_X", channel.signals[i])),
          fmt::format("{} is 0x{:x}, which is no number of {} bits", channel.signals[i], beat.payload[i], channel.bits[i]));
}

/// A3.3.1: a response needs a request that was accepted at an earlier edge; for a write, both its address and its data. B1.1.1:
/// EXOKAY is not allowed.
void AxilChecker::check_response(const Channel& channel, const Beat& beat) {
  const bool is_write = &channel == &channels_[B];
  if (is_write) {
    if (write_addresses_ == 0) violation("AXI4_ERRS_BRESP_AW", "BVALID is high and no write address was accepted for it");
    if (write_data_ == 0) violation("AXI4_ERRS_BRESP_WLAST", "BVALID is high and no write data was accepted for it");
  } else if (read_requests_ == 0) {
    violation("AXI4_ERRS_RID", "RVALID is high and no read address was accepted for it");
  }
  if (static_cast<Response>(beat.payload[is_write ? 0 : 1]) == Response::ExOkay)
    violation(fmt::format("AXI4LITE_ERRS_{}RESP_EXOKAY", channel.name), fmt::format("{}RESP is EXOKAY", channel.name));
}

void AxilChecker::count(const std::array<Beat, Channels>& beats) {
  if (beats[B].taken()) {
    ++writes_;
    if (write_addresses_ != 0) --write_addresses_;
    if (write_data_ != 0) --write_data_;
  }
  if (beats[R].taken()) {
    ++reads_;
    if (read_requests_ != 0) --read_requests_;
  }
  if (beats[Aw].taken()) ++write_addresses_;
  if (beats[W].taken()) ++write_data_;
  if (beats[Ar].taken()) ++read_requests_;
  most_outstanding_writes_ = std::max(most_outstanding_writes_, outstanding_writes());
  most_outstanding_reads_ = std::max(most_outstanding_reads_, outstanding_reads());
}

void AxilChecker::forget() {
  for (Channel& channel : channels_) {
    channel.before = {};
    channel.waited = 0;
  }
  write_addresses_ = write_data_ = read_requests_ = 0;
}

void AxilChecker::violation(const std::string& rule, const std::string& text) {
  ++violation_count_;
  if (violations_.size() < options_.most_kept) violations_.push_back({rule, text, cycle_, sc_core::sc_time_stamp()});
  const std::string line = fmt::format("{}: {}: {} (cycle {})", name(), rule, text, cycle_);
  if (options_.reporting == Reporting::Error)
    SC_REPORT_ERROR(kAxilCheckerReport, line.c_str());
  else if (options_.reporting == Reporting::Warning)
    SC_REPORT_WARNING(kAxilCheckerReport, line.c_str());
}

void AxilChecker::warning(const std::string& rule, const std::string& text) {
  ++warning_count_;
  if (warnings_.size() < options_.most_kept) warnings_.push_back({rule, text, cycle_, sc_core::sc_time_stamp()});
  if (options_.reporting != Reporting::Collect)
    SC_REPORT_WARNING(kAxilCheckerReport, fmt::format("{}: {}: {} (cycle {})", name(), rule, text, cycle_).c_str());
}

}  // namespace platter::axi
