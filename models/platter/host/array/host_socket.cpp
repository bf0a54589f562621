// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/host_socket.h"

#include "platter/command/tlm/command_extension.h"
#include "platter/core/sc_time.h"

namespace platter::host::array {

using command::CommandExtension;
using command::CommandStatus;
using core::now_ps;

CommandStatus HostSocket::objection(const tlm::tlm_generic_payload& payload) {
  const auto* extension = payload.get_extension<CommandExtension>();
  if (extension != nullptr && !extension->in_range()) return CommandStatus::BadCommand;
  if (extension != nullptr && extension->flush)
    return payload.is_read() || payload.is_write() ? CommandStatus::BadCommand : CommandStatus::Good;
  if (!payload.is_read() && !payload.is_write()) return CommandStatus::BadCommand;
  if (payload.get_byte_enable_ptr() != nullptr) return CommandStatus::BadByteEnable;
  if (payload.get_streaming_width() < payload.get_data_length()) return CommandStatus::BadBurst;
  return CommandStatus::Good;
}

HostSocket::SocketRequest& HostSocket::accept(tlm::tlm_generic_payload& payload) {
  SocketRequest& request = requests_.take();
  static_cast<ArrayRequest&>(request) = {};
  request.payload = &payload;
  request.blocking_call = false;
  request.over = false;
  request.client = this;
  static_cast<command::Command&>(request) = command::command_of(payload);
  if (!core::valid(request.cls)) request.cls = core::RequestClass::Discrete;  // any class will do: the request is refused
  request.data = payload.get_data_ptr();
  return request;
}

void HostSocket::submit(SocketRequest& request) {
  const CommandStatus status = objection(*request.payload);
  if (status == CommandStatus::Good)
    owner_.submit(request);
  else
    owner_.refuse(request, status);
}

bool HostSocket::begin(int host, tlm::tlm_generic_payload& payload) {
  SocketRequest& request = accept(payload);
  request.host = host;
  submit(request);
  return true;
}

void HostSocket::finished(ArrayRequest& ended) {
  auto& request = static_cast<SocketRequest&>(ended);
  if (!request.blocking_call) {
    port_.respond(request.host, *request.payload, &request);
    respond();
    return;
  }
  close(request);
  request.over = true;
  request.done.notify(sc_core::SC_ZERO_TIME);
}

void HostSocket::answer(tlm::tlm_generic_payload& /*payload*/, SocketRequest* request) {
  close(*request);
  requests_.give_back(*request);
}

void HostSocket::close(SocketRequest& request) {
  if (request.timing.completed != now_ps()) {  // the host kept the response channel busy
    const Picoseconds waited = now_ps() - request.timing.completed;
    (request.status == CommandStatus::Good ? request.timing.bus : request.timing.queue) += waited;
    request.timing.completed = now_ps();
  }
  command::set_result(*request.payload, request);
}

void HostSocket::call(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  command::wait_for(delay);
  SocketRequest& request = accept(payload);
  request.blocking_call = true;
  submit(request);
  while (!request.over) sc_core::wait(request.done);
  requests_.give_back(request);
}

}  // namespace platter::host::array
