// SPDX-License-Identifier: Apache-2.0
//
// The smallest TLM-2.0 system with a drive. It needs a profile, a policy, an engine and a socket. The argument is the name of the engine.
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <cstring>
#include <systemc>

#include "platter/drive/drive.h"
#include "platter/system/drives.h"
#include "platter/system/engines.h"

namespace {

using namespace platter;

class System : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(System);
  System(const sc_core::sc_module_name& name, const drive::DriveConfig& config, const engine::EngineFactory& engine)
      : sc_module(name), disk_init_socket("disk_init_socket"), disk("disk", config, engine) {
    disk_init_socket.bind(disk.host_tgt_socket);
    SC_THREAD(run);
  }

  tlm_utils::simple_initiator_socket<System> disk_init_socket;
  drive::Drive disk;
  bool good = false;

 private:
  void run() {
    unsigned char out[4096];
    unsigned char in[4096] = {};
    for (std::size_t i = 0; i < sizeof out; ++i) out[i] = static_cast<unsigned char>(i * 7);
    good = transfer(tlm::TLM_WRITE_COMMAND, out) && transfer(tlm::TLM_READ_COMMAND, in) && std::memcmp(in, out, sizeof in) == 0;
  }

  bool transfer(tlm::tlm_command command, unsigned char* data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(1'000'000 * 512ull);
    payload.set_data_ptr(data);
    payload.set_data_length(4096);
    payload.set_streaming_width(4096);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    disk_init_socket->b_transport(payload, delay);
    return payload.is_response_ok();
  }
};

}  // namespace

int sc_main(int argc, char** argv) {
  drive::DriveConfig config;
  config.profile = system::load_drive("atlas10k");
  system::EngineOptions engine(config.profile);
  // This setting alone selects firmware, model, RTL or lock-step.
  engine.engine = system::find_engine(argc > 1 ? argv[1] : "rtl").value();
  engine.policy = scheduling::find_policy("SPTF").value();
  System system("system", config, system::engine_factory(engine));
  sc_core::sc_start();
  std::printf("%s: %s after %s\n", engine.engine.notation.c_str(), system.good ? "read what was written" : "failed",
              sc_core::sc_time_stamp().to_string().c_str());
  return system.good ? 0 : 1;
}
