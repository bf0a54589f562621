// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>

#include "platter/core/sc_time.h"

namespace platter::command {

/// The addresses of a target's registers, from 0 on, and the lengths of an access: powers of two.
struct RegisterSpace {
  std::uint64_t bytes;
  std::uint32_t shortest = 4;
  std::uint32_t longest = 4;
};

/// Whether registers change at the kernel's time, or keep a time of their own that may be ahead of it.
enum class RegisterTime : std::uint8_t { Kernel, Ahead };

/// An access that has been checked: it lies within the space, aligned to its length.
struct RegisterAccess {
  bool write;
  std::uint32_t address;
  std::uint32_t bytes;
  unsigned char* data;       ///< `bytes` bytes, little-endian
  core::Picoseconds at;      ///< when it takes effect
  core::Picoseconds took{};  ///< from then to its end; set by the owner of the registers
};

/// Returns the reason why a transaction is refused as a register access, or TLM_OK_RESPONSE if it is valid. The checks are in this order: a command that
/// is neither read nor write; byte enables, whatever they are; a length that the registers do not have, or a streaming width below it; an address that
/// is not aligned to the length, or out of range (IEEE 1666-2011, clause 14); no data pointer.
inline tlm::tlm_response_status objection_to(const tlm::tlm_generic_payload& payload, const RegisterSpace& space) {
  const std::uint64_t address = payload.get_address();
  const std::uint32_t bytes = payload.get_data_length();
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (bytes < space.shortest || bytes > space.longest || (bytes & (bytes - 1)) != 0 || payload.get_streaming_width() < bytes)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if ((address & (bytes - 1)) != 0 || address >= space.bytes || bytes > space.bytes - address)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return payload.get_data_ptr() == nullptr ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
}

/// Registers behind a TLM-2.0 target socket. This class checks each access, and applies its delay by one rule (IEEE 1666-2011, 11.1.3).
///
/// An access takes effect at its effective time, which is the simulated time of the call plus the delay. When b_transport returns, the simulated time
/// plus the delay is the end of the access. With `RegisterTime::Kernel` b_transport waits for the effective time first. With `RegisterTime::Ahead` the
/// owner receives the effective time, and b_transport never waits. A refused access has no effect, takes no time, and leaves the delay as it was.
///
/// transport_dbg reads one aligned word of 4 bytes. There is no DMI.
///
/// The owner has the registers, and these members, which this class calls as its friend:
///
///     tlm::tlm_response_status access(RegisterAccess&)      reads into `data`, or writes it
///     bool look(std::uint32_t address, std::uint32_t& word)  reads an aligned word without side effect; false if it cannot be read
template <typename Owner, sc_core::sc_port_policy Policy = sc_core::SC_ONE_OR_MORE_BOUND>
class RegisterTarget {
 public:
  using Socket = tlm_utils::simple_target_socket_b<RegisterTarget, 32, tlm::tlm_base_protocol_types, Policy>;

  /// Precondition: called in the constructor of the owner, which is a module. The socket gets the name.
  RegisterTarget(const char* name, Owner& owner, const RegisterSpace& space, RegisterTime time)
      : socket(name), owner_(owner), space_(space), time_(time) {
    socket.register_b_transport(this, &RegisterTarget::b_transport);
    socket.register_transport_dbg(this, &RegisterTarget::transport_dbg);
  }

  Socket socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    tlm::tlm_response_status status = objection_to(payload, space_);
    if (status == tlm::TLM_OK_RESPONSE) {
      if (time_ == RegisterTime::Kernel && delay != sc_core::SC_ZERO_TIME) {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
      }
      const core::Picoseconds ahead = core::to_ps(delay);
      RegisterAccess access{payload.is_write(), static_cast<std::uint32_t>(payload.get_address()), payload.get_data_length(),
                            payload.get_data_ptr(), core::now_ps() + ahead};
      status = owner_.access(access);
      delay = core::to_sc_time(ahead + access.took);
    }
    payload.set_response_status(status);
  }

  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    std::uint32_t word = 0;
    if (!payload.is_read() || payload.get_data_ptr() == nullptr || payload.get_data_length() < 4 || address % 4 != 0 ||
        address >= space_.bytes || !owner_.look(static_cast<std::uint32_t>(address), word))
      return 0;
    std::memcpy(payload.get_data_ptr(), &word, 4);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return 4;
  }

  Owner& owner_;
  RegisterSpace space_;
  RegisterTime time_;
};

}  // namespace platter::command
