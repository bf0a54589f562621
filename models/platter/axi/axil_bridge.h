// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>

#include "platter/axi/axil_signals.h"

namespace platter::axi {

/// When READY of the response channels rises.
enum class ResponseReady {
  Early,      ///< as soon as the request was accepted
  AfterValid  ///< a cycle after VALID was seen; an access takes one cycle more
};

struct AxilBridgeOptions {
  ResponseReady response_ready = ResponseReady::Early;
  std::uint32_t timeout_cycles = 0;  ///< most cycles that one AXI access may take; 0 for any number
  std::uint32_t prot = 0;            ///< AWPROT and ARPROT of every access
};

/// TLM-2.0 target, AXI4-Lite master: every aligned word of a TLM access becomes one AXI access, in order of addresses.
/// One access is on the bus at a time; callers are served in the order in which they came. docs/reference/axi_bridge.md.
///
/// b_transport waits for its annotated delay and for the bus, and returns at the clock edge that takes the last response, with
/// a delay of zero. nb_transport goes through the socket's conversion; debug transport moves no byte, DMI is refused.
class AxilBridge : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(AxilBridge);
  explicit AxilBridge(const sc_core::sc_module_name& name, const AxilBridgeOptions& options = {});

  tlm_utils::simple_target_socket<AxilBridge> bus_tgt_socket;
  sc_core::sc_in<bool> clk_i;
  sc_core::sc_in<bool> rst_ni;  ///< active low; may fall at any time, must rise in step with the clock
  AxilMasterPorts m_axil;

  std::uint64_t reads() const { return reads_; }        ///< AXI reads answered
  std::uint64_t writes() const { return writes_; }      ///< AXI writes answered
  std::uint64_t timeouts() const { return timeouts_; }  ///< TLM accesses given up

 private:
  /// A TLM access under way; lives on its caller's stack.
  class Access {
   public:
    Access(AxilBridge& bridge, tlm::tlm_generic_payload& payload);
    ~Access() { bridge_.forget(*this); }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

    bool over() const { return offset_ >= payload_.get_data_length(); }
    bool is_write() const { return payload_.is_write(); }
    std::uint32_t address() const;
    std::uint32_t strobe() const;
    std::uint32_t data() const;
    void store(std::uint32_t word);
    /// To the next word of which a byte is enabled.
    void next();
    void finish(tlm::tlm_response_status status);

    sc_core::sc_event finished;
    bool done = false;

   private:
    void skip();

    AxilBridge& bridge_;
    tlm::tlm_generic_payload& payload_;
    unsigned offset_ = 0;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const;
  void forget(Access& access);

  void edge();
  void reset();
  void begin();
  void sample();
  void respond(Response response, std::uint32_t data);
  void count_time();
  void end_front(tlm::tlm_response_status status);

  AxilBridgeOptions options_;
  std::deque<Access*> queue_;  ///< the first one has the bus, or is next to have it
  bool busy_ = false;          ///< an AXI access is under way
  bool ours_ = false;          ///< it belongs to the first one in the queue; otherwise its answer is thrown away
  bool write_ = false;
  bool request_ = false;      ///< not all of it is accepted yet
  bool ready_ = false;        ///< level of the response channel's READY
  std::uint32_t waited_ = 0;  ///< cycles of the first one's present word
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t timeouts_ = 0;
};

}  // namespace platter::axi
