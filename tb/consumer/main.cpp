// SPDX-License-Identifier: Apache-2.0
//
// The smallest TLM-2.0 system with a drive. It needs a profile, a policy, an engine and a socket.
//
//   consumer [ENGINE [POLICY]]
//
// ENGINE is firmware (the default), model, rtl or lockstep. The last two need a build with the RTL. POLICY is SPTF by default.
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <systemc>

#include "platter/command/tlm/command_extension.h"
#include "platter/core/sc_time.h"
#include "platter/drive/drive.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"
#include "platter/system/engine_table.h"
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
  bool good = false;               ///< what was written has been read
  sc_core::sc_time compared_at;    ///< when that was known
  command::CommandExtension read;  ///< attributes and result of the read of a stream

 private:
  static constexpr unsigned kBytes = 4096;  // of each command; a whole number of sectors

  void run() {
    unsigned char out[kBytes];
    unsigned char in[kBytes] = {};
    for (std::size_t i = 0; i < sizeof out; ++i) out[i] = static_cast<unsigned char>(i * 7);
    const std::uint64_t address = 1'000'000 * 512ull;  // bytes from the start of the drive
    good = transfer(tlm::TLM_WRITE_COMMAND, address, out) && transfer(tlm::TLM_READ_COMMAND, address, in) &&
           std::memcmp(in, out, sizeof in) == 0;
    compared_at = sc_core::sc_time_stamp();

    read.cls = core::RequestClass::Continuous;
    read.stream = 1;
    read.deadline = core::now_ps() + 50 * core::kPicosecondsPerMillisecond;
    transfer(tlm::TLM_READ_COMMAND, 2 * address, in, &read);
  }

  /// Sends one command, and returns when it has ended.
  bool transfer(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                command::CommandExtension* extension = nullptr) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);  // bytes
    payload.set_data_ptr(data);
    payload.set_data_length(kBytes);
    payload.set_streaming_width(kBytes);
    if (extension != nullptr) payload.set_extension(extension);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    disk_init_socket->b_transport(payload, delay);                 // returns when the command has ended; delay is then 0
    if (extension != nullptr) payload.clear_extension(extension);  // the payload would delete it
    if (!payload.is_response_ok()) std::fprintf(stderr, "consumer: %s\n", payload.get_response_string().c_str());
    return payload.is_response_ok();
  }
};

}  // namespace

int sc_main(int argc, char** argv) {
  // This setting alone selects firmware, model, RTL or lock-step.
  const std::string engine_notation = argc > 1 ? argv[1] : "firmware";
  const std::string policy_notation = argc > 2 ? argv[2] : "SPTF";
  const auto engine = system::find_engine(engine_notation);
  const auto policy = scheduling::find_policy(policy_notation);
  if (!engine || !policy) {
    const std::string objection =
        engine ? scheduling::policy_objection(policy_notation) : system::engine_notation_objection(engine_notation);
    std::fprintf(stderr, "consumer: %s\n", objection.c_str());
    return 2;
  }
  drive::DriveConfig config;
  config.profile = system::load_drive("atlas10k");
  system::EngineOptions options(config.profile);
  options.engine = *engine;
  options.policy = policy;
  System system("system", config, system::engine_factory(options));
  sc_core::sc_start();
  const char* const name = engine->notation.c_str();
  std::printf("%s: %s after %s\n", name, system.good ? "read what was written" : "failed",
              system.compared_at.to_string().c_str());
  const std::string status(command::to_string(system.read.status));
  const core::Picoseconds response = system.read.timing.response();
  const bool in_time = system.read.timing.completed <= system.read.deadline;
  std::printf("%s: the read of a stream ended with the status \"%s\" after %lld ps, %s\n", name, status.c_str(),
              static_cast<long long>(response), in_time ? "in time" : "late");
  return system.good && system.read.status == command::CommandStatus::Good ? 0 : 1;
}
