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
  Early,      ///< as soon as the request has been accepted
  AfterValid  ///< one cycle after VALID was seen; each access takes one cycle more
};

/// What an AxilBridge is constructed with.
struct AxilBridgeOptions {
  ResponseReady response_ready = ResponseReady::Early;  ///< READY of the channels B and R
  std::uint32_t timeout_cycles = 0;                     ///< most cycles that one AXI access may take; 0 for any number
  std::uint32_t prot = 0;                               ///< AWPROT and ARPROT of every access
};

/// TLM-2.0 target and AXI4-Lite master: every aligned word of a TLM access that has an enabled byte becomes one AXI access, in the
/// order of the data. One AXI access is on the bus at a time; callers are served in order of arrival. See
/// docs/reference/axi_bridge.md.
///
/// b_transport waits for its annotated delay and for the bus, and returns with a delay of zero at the clock edge that takes the
/// last response. nb_transport uses the socket's conversion to b_transport. Debug transport moves no byte; DMI is refused.
class AxilBridge : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(AxilBridge);
  /// Every port must be bound.
  explicit AxilBridge(const sc_core::sc_module_name& name, const AxilBridgeOptions& options = {});

  tlm_utils::simple_target_socket<AxilBridge> bus_tgt_socket;  ///< TLM-2.0 side, 32 bits of data
  sc_core::sc_in<bool> clk_i;                                  ///< the rising edge counts
  sc_core::sc_in<bool> rst_ni;  ///< active low; may fall at any time, must rise synchronously to the clock
  AxilMasterPorts m_axil;       ///< AXI4-Lite side

  std::uint64_t reads() const { return reads_; }        ///< AXI reads completed
  std::uint64_t writes() const { return writes_; }      ///< AXI writes completed
  std::uint64_t timeouts() const { return timeouts_; }  ///< TLM accesses ended by a timeout

 private:
  /// A TLM access in progress, on its caller's stack.
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
    /// Advances to the next word that has an enabled byte.
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
  std::deque<Access*> queue_;  ///< the first access has the bus, or gets it next
  bool busy_ = false;          ///< an AXI access is in progress
  bool ours_ = false;          ///< it belongs to the first access in the queue; otherwise its response is discarded
  bool write_ = false;
  bool request_ = false;      ///< the request has not yet been accepted completely
  bool ready_ = false;        ///< level of the response channel's READY
  std::uint32_t waited_ = 0;  ///< cycles for the current word of the first access
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t timeouts_ = 0;
};

}  // namespace platter::axi
