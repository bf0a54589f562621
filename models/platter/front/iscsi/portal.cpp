// SPDX-License-Identifier: Apache-2.0
#include "platter/front/iscsi/portal.h"

#include <algorithm>

#include "platter/front/iscsi/session.h"

namespace platter::iscsi {

Command& Portal::acquire() {
  std::unique_ptr<Command> fresh;
  if (idle_.empty()) {
    fresh = std::make_unique<Command>();
  } else {
    fresh = std::move(idle_.back());
    idle_.pop_back();
    std::vector<std::uint8_t> data = std::move(fresh->data);
    data.clear();
    *fresh = Command();
    fresh->data = std::move(data);
  }
  busy_.push_back(std::move(fresh));
  return *busy_.back();
}

void Portal::release(Command& command) {
  const auto at = std::find_if(busy_.begin(), busy_.end(), [&command](const auto& each) { return each.get() == &command; });
  std::unique_ptr<Command> freed = std::move(*at);
  *at = std::move(busy_.back());
  busy_.pop_back();
  if (idle_.size() >= kKept) return;
  if (freed->data.capacity() > kKeptBytes) freed->data = {};
  idle_.push_back(std::move(freed));
}

void Portal::orphan(Command& command, serving::Memory& memory) {
  memory.use(command.held);
  command.session = nullptr;
  command.owner = this;
  orphans_.emplace_back(&command, &memory);
}

void Portal::ended(scsi::Task& task) {
  auto& command = static_cast<Command&>(task);
  const auto at =
      std::find_if(orphans_.begin(), orphans_.end(), [&command](const auto& each) { return each.first == &command; });
  at->second->use(0 - command.held);
  orphans_.erase(at);
  release(command);
}

void Portal::leave(Session& session) {
  sessions_.erase(std::remove(sessions_.begin(), sessions_.end(), &session), sessions_.end());
}

void Portal::reinstate(const Session& by, const std::string& nexus) {
  for (Session* const each : sessions_)
    if (each != &by && each->nexus().name == nexus) each->close();
}

void Portal::say_farewell() {
  for (Session* const each : sessions_) each->say_farewell();
}

void Portal::drop_pending(const Session& by, std::uint64_t lun, bool all_units, bool tells) {
  for (Session* const each : sessions_)
    if (each != &by && each->drop_pending(lun, all_units) && tells) target_.tell_cleared(each->nexus(), lun);
}

}  // namespace platter::iscsi
