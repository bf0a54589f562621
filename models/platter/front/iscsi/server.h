// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/front/iscsi/portal.h"
#include "platter/front/iscsi/session.h"
#include "platter/front/serving/session_server.h"

namespace platter::iscsi {

/// Offers a SCSI target by iSCSI on a TCP port: one target name, one portal group, one connection a session.
class Server : public serving::FlushIf {
 public:
  /// `address`: see serving::Listener, which may throw. `name`: the iSCSI name of the target. `window`: commands that a session may have in progress.
  Server(const std::string& address, scsi::ScsiTarget& target, const std::string& name, std::uint32_t window,
         serving::Poller& poller, const serving::SessionLimits& limits = {});

  void flush() override { server_.flush(); }
  /// The target shuts down: every initiator is asked to log out.
  void say_farewell();

  /// The address of a logical unit for a client: an iSCSI URL.
  std::string url(std::size_t lun) const;
  const serving::Listener& listener() const { return server_.listener(); }
  std::uint64_t clients() const { return server_.clients(); }

 private:
  Portal portal_;
  serving::SessionServer server_;
};

}  // namespace platter::iscsi
