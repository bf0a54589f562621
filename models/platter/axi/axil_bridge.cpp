// SPDX-License-Identifier: Apache-2.0
#include "platter/axi/axil_bridge.h"

#include <algorithm>

namespace platter::axi {

// --- a TLM access, word by word ---------------------------------------------------------------------------------------

AxilBridge::Access::Access(AxilBridge& bridge, tlm::tlm_generic_payload& payload) : bridge_(bridge), payload_(payload) {
  skip();
}

std::uint32_t AxilBridge::Access::address() const {
  return static_cast<std::uint32_t>(payload_.get_address() + offset_ % payload_.get_streaming_width());
}

std::uint32_t AxilBridge::Access::strobe() const {
  const unsigned char* enables = payload_.get_byte_enable_ptr();
  if (enables == nullptr) return 0xF;
  std::uint32_t strobe = 0;
  for (unsigned lane = 0; lane < 4; ++lane)
    if (enables[(offset_ + lane) % payload_.get_byte_enable_length()] == TLM_BYTE_ENABLED) strobe |= 1u << lane;
  return strobe;
}

std::uint32_t AxilBridge::Access::data() const {
  const unsigned char* bytes = payload_.get_data_ptr() + offset_;
  std::uint32_t word = 0;
  for (unsigned lane = 0; lane < 4; ++lane) word |= std::uint32_t{bytes[lane]} << (8 * lane);
  return word;
}

void AxilBridge::Access::store(std::uint32_t word) {
  unsigned char* bytes = payload_.get_data_ptr() + offset_;
  const std::uint32_t enabled = strobe();
  for (unsigned lane = 0; lane < 4; ++lane)
    if ((enabled >> lane & 1) != 0) bytes[lane] = static_cast<unsigned char>(word >> (8 * lane));
}

void AxilBridge::Access::next() {
  offset_ += 4;
  skip();
}

void AxilBridge::Access::skip() {
  while (!over() && strobe() == 0) offset_ += 4;
}

void AxilBridge::Access::finish(tlm::tlm_response_status status) {
  payload_.set_response_status(status);
  done = true;
  finished.notify(sc_core::SC_ZERO_TIME);
}

// --- the TLM side -----------------------------------------------------------------------------------------------------

AxilBridge::AxilBridge(const sc_core::sc_module_name& name, const AxilBridgeOptions& options)
    : sc_module(name), bus_tgt_socket("bus_tgt_socket"), clk_i("clk_i"), rst_ni("rst_ni"), m_axil("m_axil"), options_(options) {
  bus_tgt_socket.register_b_transport(this, &AxilBridge::b_transport);
  SC_METHOD(edge);
  sensitive << clk_i.pos() << rst_ni.neg();
  dont_initialize();
}

tlm::tlm_response_status AxilBridge::check(const tlm::tlm_generic_payload& payload) const {
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const std::uint64_t length = payload.get_data_length();
  const std::uint64_t width = payload.get_streaming_width();
  if (length == 0 || length % 4 != 0 || width == 0 || (width < length && width % 4 != 0)) return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint64_t address = payload.get_address();
  const std::uint64_t range = std::min(width, length);
  const std::uint64_t size = std::uint64_t{1} << m_axil.address_bits;
  if (address % 4 != 0 || range > size || address > size - range) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (const unsigned char* enables = payload.get_byte_enable_ptr()) {
    const unsigned count = payload.get_byte_enable_length();
    if (count == 0) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    for (unsigned i = 0; i < count; ++i)
      if (enables[i] != TLM_BYTE_ENABLED && enables[i] != TLM_BYTE_DISABLED) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

void AxilBridge::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const tlm::tlm_response_status refusal = check(payload);
  if (refusal != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(refusal);
    return;
  }
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  Access access(*this, payload);
  if (access.over()) {  // no byte is enabled
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  queue_.push_back(&access);
  if (queue_.size() == 1) waited_ = 0;
  while (!access.done) sc_core::wait(access.finished);
}

/// The caller is done, or its process was killed or reset while it waited.
void AxilBridge::forget(Access& access) {
  const auto it = std::find(queue_.begin(), queue_.end(), &access);
  if (it == queue_.end()) return;
  if (it == queue_.begin()) {
    ours_ = false;
    waited_ = 0;
  }
  queue_.erase(it);
}

void AxilBridge::end_front(tlm::tlm_response_status status) {
  Access& access = *queue_.front();
  queue_.pop_front();
  ours_ = false;
  waited_ = 0;
  access.finish(status);
}

// --- the AXI side -----------------------------------------------------------------------------------------------------

void AxilBridge::edge() {
  if (!rst_ni.read()) {
    reset();
    if (clk_i.posedge()) count_time();
    return;
  }
  if (busy_) sample();
  if (!busy_ && !queue_.empty())
    begin();
  else
    count_time();
}

/// Ends the accesses in progress and in the queue; accesses that arrive during the reset wait for its end.
void AxilBridge::reset() {
  if (!rst_ni.negedge()) return;
  m_axil.awvalid.write(false);
  m_axil.wvalid.write(false);
  m_axil.bready.write(false);
  m_axil.arvalid.write(false);
  m_axil.rready.write(false);
  busy_ = request_ = ready_ = false;
  while (!queue_.empty()) end_front(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void AxilBridge::begin() {
  const Access& access = *queue_.front();
  busy_ = ours_ = request_ = true;
  ready_ = false;
  write_ = access.is_write();
  if (write_) {
    m_axil.awvalid.write(true);
    m_axil.awaddr.write(access.address());
    m_axil.awprot.write(options_.prot);
    m_axil.wvalid.write(true);
    m_axil.wdata.write(access.data());
    m_axil.wstrb.write(access.strobe());
  } else {
    m_axil.arvalid.write(true);
    m_axil.araddr.write(access.address());
    m_axil.arprot.write(options_.prot);
  }
}

void AxilBridge::sample() {
  sc_core::sc_out<bool>& ready = write_ ? m_axil.bready : m_axil.rready;
  const bool valid = write_ ? m_axil.bvalid.read() : m_axil.rvalid.read();
  if (request_) {
    // The VALID of a channel falls once the channel has been accepted. The response is taken only after the whole request, so an
    // early response does no harm.
    bool waits = false;
    const auto accept = [&](sc_core::sc_out<bool>& request_valid, bool request_ready) {
      if (!request_valid.read()) return;
      if (request_ready)
        request_valid.write(false);
      else
        waits = true;
    };
    if (write_) {
      accept(m_axil.awvalid, m_axil.awready.read());
      accept(m_axil.wvalid, m_axil.wready.read());
    } else {
      accept(m_axil.arvalid, m_axil.arready.read());
    }
    if (waits) return;
    request_ = false;
    if (options_.response_ready == ResponseReady::Early) ready.write(ready_ = true);
  } else if (valid && ready_) {
    ready.write(ready_ = false);
    busy_ = false;
    respond(static_cast<Response>((write_ ? m_axil.bresp.read() : m_axil.rresp.read()) & 3), m_axil.rdata.read());
  } else if (valid) {
    ready.write(ready_ = true);
  }
}

void AxilBridge::respond(Response response, std::uint32_t data) {
  ++(write_ ? writes_ : reads_);
  if (!ours_) return;
  Access& access = *queue_.front();
  switch (response) {
    case Response::Okay:
      if (!write_) access.store(data);
      access.next();
      waited_ = 0;
      if (access.over()) end_front(tlm::TLM_OK_RESPONSE);
      break;
    case Response::DecErr: end_front(tlm::TLM_ADDRESS_ERROR_RESPONSE); break;
    case Response::ExOkay:
    case Response::SlvErr: end_front(tlm::TLM_GENERIC_ERROR_RESPONSE); break;
  }
}

/// AXI cannot cancel a request: an access that has timed out stays on the bus until its response, and the others wait for that.
void AxilBridge::count_time() {
  if (options_.timeout_cycles == 0 || queue_.empty()) return;
  if (++waited_ < options_.timeout_cycles) return;
  ++timeouts_;
  end_front(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

}  // namespace platter::axi
