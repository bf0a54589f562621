// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

namespace platter::command {

/// Stands between an initiator and a target and checks the TLM-2.0 base protocol (IEEE 1666-2011, clauses 14 to 16). Use one for each
/// initiator-target pair. DMI requests are not passed on, and ignorable phases count as violations. It checks:
///
///  - the phases of each transaction in order, none skipped but END_REQ (implied by BEGIN_RESP), none after completion;
///  - one request phase and one response phase at a time, also by their annotated times;
///  - a return value that fits the phase: TLM_ACCEPTED leaves phase and delay alone, TLM_UPDATED moves on by a legal phase;
///  - a memory manager and a live reference behind every payload of nb_transport;
///  - the response status INCOMPLETE at the start and not INCOMPLETE at BEGIN_RESP or at the end;
///  - every other attribute as the initiator set it, until the transaction is over;
///  - annotated delays that are no wrapped negative numbers, and effective times of a transaction that never go back.
///
/// A violation is kept in `violations()` if `record()` was called. Otherwise it is given to `on_violation` if that is set, and else it is
/// an SC_ERROR of type "/platter/base_protocol".
class BaseProtocolChecker : public sc_core::sc_module {
 public:
  /// Both sockets must be bound.
  explicit BaseProtocolChecker(const sc_core::sc_module_name& name)
      : sc_module(name), checked_tgt_socket("checked_tgt_socket"), checked_init_socket("checked_init_socket") {
    checked_tgt_socket.register_b_transport(this, &BaseProtocolChecker::b_transport);
    checked_tgt_socket.register_nb_transport_fw(this, &BaseProtocolChecker::nb_transport_fw);
    checked_tgt_socket.register_transport_dbg(this, &BaseProtocolChecker::transport_dbg);
    checked_init_socket.register_nb_transport_bw(this, &BaseProtocolChecker::nb_transport_bw);
  }

  tlm_utils::simple_target_socket<BaseProtocolChecker> checked_tgt_socket;      ///< to the initiator
  tlm_utils::simple_initiator_socket<BaseProtocolChecker> checked_init_socket;  ///< to the target

  /// Called with the text of each violation, instead of the report; empty: the report. Not called after record().
  std::function<void(const std::string&)> on_violation;

  /// Violations are kept from now on, and not reported.
  void record() { recording_ = true; }
  const std::vector<std::string>& violations() const { return violations_; }  ///< those since record()
  std::uint64_t completed() const { return completed_; }                      ///< transactions that have ended
  std::size_t outstanding() const { return live_.size(); }  ///< transactions of nb_transport that have not ended

 private:
  using Payload = tlm::tlm_generic_payload;

  enum class Stage { Request, Waiting, Response };

  struct Attributes {
    explicit Attributes(const Payload& p)
        : command(p.get_command()),
          address(p.get_address()),
          data(p.get_data_ptr()),
          length(p.get_data_length()),
          enables(p.get_byte_enable_ptr()),
          enable_length(p.get_byte_enable_length()),
          width(p.get_streaming_width()),
          option(p.get_gp_option()) {}
    bool operator==(const Attributes& o) const {
      return command == o.command && address == o.address && data == o.data && length == o.length && enables == o.enables &&
             enable_length == o.enable_length && width == o.width && option == o.option;
    }
    tlm::tlm_command command;
    sc_dt::uint64 address;
    unsigned char* data;
    unsigned length;
    unsigned char* enables;
    unsigned enable_length;
    unsigned width;
    tlm::tlm_gp_option option;
  };
  struct Live {
    Stage stage;
    Attributes attributes;
    sc_core::sc_time effective;
  };

  void violation(const std::string& text) {
    const std::string line = sc_core::sc_time_stamp().to_string() + ": " + text;
    if (recording_)
      violations_.push_back(line);
    else if (on_violation)
      on_violation(line);
    else
      SC_REPORT_ERROR("/platter/base_protocol", (std::string(name()) + ", " + line).c_str());
  }

  static sc_core::sc_time effective(const sc_core::sc_time& delay) { return sc_core::sc_time_stamp() + delay; }

  void check_delay(const sc_core::sc_time& delay) {
    if (delay.value() >> 63 != 0) violation("negative timing annotation");
  }

  void check_attributes(const Payload& payload, const Attributes& before, const char* when) {
    if (!(Attributes(payload) == before)) violation(std::string("payload attributes changed ") + when);
  }

  void check_status_set(const Payload& payload, const char* when) {
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
      violation(std::string("response status still INCOMPLETE at ") + when);
  }

  /// The transaction moves on at `time`, which may not lie before its last phase.
  void advance(Live& live, Stage stage, const sc_core::sc_time& time) {
    if (time < live.effective) violation("a phase takes effect before the one that it follows");
    live.stage = stage;
    live.effective = time;
  }

  // The two channels: who holds them, and until when they are held by annotation.
  void begin_request(Payload& payload, const sc_core::sc_time& time) {
    if (request_ != nullptr)
      violation("BEGIN_REQ although the previous request phase has not ended");
    else if (time < request_free_)
      violation("BEGIN_REQ takes effect before the previous END_REQ");
    request_ = &payload;
  }
  void end_request(Payload& payload, const sc_core::sc_time& time) {
    if (request_ != &payload) return;
    request_ = nullptr;
    request_free_ = time;
  }
  void begin_response(Payload& payload, const sc_core::sc_time& time) {
    if (response_ != nullptr)
      violation("BEGIN_RESP although the previous response phase has not ended");
    else if (time < response_free_)
      violation("BEGIN_RESP takes effect before the previous END_RESP");
    response_ = &payload;
  }
  void end_response(Payload& payload, const sc_core::sc_time& time) {
    if (response_ != &payload) return;
    response_ = nullptr;
    response_free_ = time;
  }

  void complete(Payload& payload, const sc_core::sc_time& time) {
    end_request(payload, time);
    end_response(payload, time);
    live_.erase(&payload);
    ++completed_;
  }

  void to_waiting(Payload& payload, Live& live, const sc_core::sc_time& time) {
    if (live.stage != Stage::Request) violation("END_REQ out of order");
    advance(live, Stage::Waiting, time);
    end_request(payload, time);
  }
  void to_response(Payload& payload, Live& live, const sc_core::sc_time& time) {
    if (live.stage == Stage::Response) violation("BEGIN_RESP out of order");
    end_request(payload, time);
    begin_response(payload, time);
    advance(live, Stage::Response, time);
    check_status_set(payload, "BEGIN_RESP");
  }
  /// Does the transaction still live, in `stage`? A call may have moved it on before it returned.
  Live* still(Payload& payload, Stage stage) {
    const auto it = live_.find(&payload);
    return it != live_.end() && it->second.stage == stage ? &it->second : nullptr;
  }

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    check_delay(delay);
    if (phase == tlm::BEGIN_REQ) {
      if (!payload.has_mm()) violation("nb_transport_fw with a payload that has no memory manager");
      if (payload.has_mm() && payload.get_ref_count() < 1) violation("nb_transport_fw with a payload without a reference");
      if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
        violation("response status not INCOMPLETE at BEGIN_REQ");
      if (live_.count(&payload) != 0) violation("BEGIN_REQ for a transaction that is under way");
      begin_request(payload, effective(delay));
      live_.erase(&payload);
      live_.emplace(&payload, Live{Stage::Request, Attributes(payload), effective(delay)});
    } else if (phase == tlm::END_RESP) {
      const auto it = live_.find(&payload);
      if (it == live_.end()) {
        violation("END_RESP for a transaction that is over or never began");
      } else {
        if (it->second.stage != Stage::Response) violation("END_RESP out of order");
        check_attributes(payload, it->second.attributes, "before END_RESP");
        advance(it->second, Stage::Response, effective(delay));
        complete(payload, effective(delay));
      }
    } else {
      violation("nb_transport_fw with a phase that is not the initiator's");
    }

    const tlm::tlm_phase sent = phase;
    const sc_core::sc_time sent_delay = delay;
    const tlm::tlm_sync_enum answer = checked_init_socket->nb_transport_fw(payload, phase, delay);
    check_delay(delay);
    if (delay < sent_delay) violation("the target took time back from the annotation");
    if (answer == tlm::TLM_ACCEPTED) {
      if (phase != sent || delay != sent_delay) violation("TLM_ACCEPTED with phase or delay changed");
      return answer;
    }
    if (sent == tlm::END_RESP) {
      if (answer == tlm::TLM_UPDATED) violation("TLM_UPDATED in answer to END_RESP");
      return answer;
    }
    Live* live = still(payload, Stage::Request);
    if (live == nullptr) {
      violation("a phase returned that a backward call has overtaken");
    } else if (answer == tlm::TLM_COMPLETED) {
      check_attributes(payload, live->attributes, "before TLM_COMPLETED");
      check_status_set(payload, "TLM_COMPLETED");
      complete(payload, effective(delay));
    } else if (phase == tlm::END_REQ) {
      check_attributes(payload, live->attributes, "before END_REQ");
      to_waiting(payload, *live, effective(delay));
    } else if (phase == tlm::BEGIN_RESP) {
      check_attributes(payload, live->attributes, "before BEGIN_RESP");
      to_response(payload, *live, effective(delay));
    } else {
      violation("TLM_UPDATED without a phase of the target");
    }
    return answer;
  }

  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    check_delay(delay);
    const auto it = live_.find(&payload);
    if (it == live_.end()) {
      violation("nb_transport_bw for a transaction that is over or never began");
    } else if (phase == tlm::END_REQ) {
      check_attributes(payload, it->second.attributes, "before END_REQ");
      to_waiting(payload, it->second, effective(delay));
    } else if (phase == tlm::BEGIN_RESP) {
      check_attributes(payload, it->second.attributes, "before BEGIN_RESP");
      to_response(payload, it->second, effective(delay));
    } else {
      violation("nb_transport_bw with a phase that is not the target's");
    }

    const tlm::tlm_phase sent = phase;
    const sc_core::sc_time sent_delay = delay;
    const tlm::tlm_sync_enum answer = checked_tgt_socket->nb_transport_bw(payload, phase, delay);
    check_delay(delay);
    if (delay < sent_delay) violation("the initiator took time back from the annotation");
    if (answer == tlm::TLM_ACCEPTED) {
      if (phase != sent || delay != sent_delay) violation("TLM_ACCEPTED with phase or delay changed");
      return answer;
    }
    Live* live = still(payload, Stage::Response);
    if (sent != tlm::BEGIN_RESP)
      violation("only BEGIN_RESP can be answered by more than TLM_ACCEPTED");
    else if (answer == tlm::TLM_UPDATED && phase != tlm::END_RESP)
      violation("TLM_UPDATED without a phase of the initiator");
    else if (live == nullptr)
      violation("END_RESP returned that a forward call has overtaken");
    else
      complete(payload, effective(delay));
    return answer;
  }

  void b_transport(Payload& payload, sc_core::sc_time& delay) {
    check_delay(delay);
    if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
      violation("response status not INCOMPLETE at b_transport");
    const Attributes before(payload);
    const sc_core::sc_time start = effective(delay);
    checked_init_socket->b_transport(payload, delay);
    check_delay(delay);
    if (effective(delay) < start) violation("b_transport returned before it began");
    check_attributes(payload, before, "in b_transport");
    check_status_set(payload, "the end of b_transport");
    ++completed_;
  }

  unsigned int transport_dbg(Payload& payload) { return checked_init_socket->transport_dbg(payload); }

  bool recording_ = false;
  std::vector<std::string> violations_;
  std::map<const Payload*, Live> live_;
  Payload* request_ = nullptr;
  Payload* response_ = nullptr;
  sc_core::sc_time request_free_;
  sc_core::sc_time response_free_;
  std::uint64_t completed_ = 0;
};

}  // namespace platter::command
