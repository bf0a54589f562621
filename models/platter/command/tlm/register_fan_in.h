// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

namespace platter::command {

/// Joins several initiators of register accesses to one target, whose socket takes one. Accesses pass unchanged and take no time here.
class RegisterFanIn : public sc_core::sc_module {
 public:
  explicit RegisterFanIn(const sc_core::sc_module_name& name)
      : sc_module(name), register_tgt_socket("register_tgt_socket"), register_init_socket("register_init_socket") {
    register_tgt_socket.register_b_transport(this, &RegisterFanIn::b_transport);
    register_tgt_socket.register_transport_dbg(this, &RegisterFanIn::transport_dbg);
  }

  tlm_utils::multi_passthrough_target_socket<RegisterFanIn> register_tgt_socket;  ///< of any number of initiators
  tlm_utils::simple_initiator_socket<RegisterFanIn> register_init_socket;         ///< to the target

 private:
  void b_transport(int /*initiator*/, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    register_init_socket->b_transport(payload, delay);
  }
  unsigned int transport_dbg(int /*initiator*/, tlm::tlm_generic_payload& payload) {
    return register_init_socket->transport_dbg(payload);
  }
};

}  // namespace platter::command
