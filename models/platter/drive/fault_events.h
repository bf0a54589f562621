// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "platter/core/timed_call.h"
#include "platter/drive/host_port.h"
#include "platter/drive/link_if.h"
#include "platter/drive/power.h"

namespace platter::drive {

/// @cond of the implementation

/// Carries out the faults that befall the drive as a whole: a loss of the link, and a restart of the firmware.
class FaultEvents : public FaultEventSinkIf {
 public:
  FaultEvents(media::Faults& faults, Power& power, HostPort& port)
      : faults_(faults), power_(power), port_(port), call_(core::Rank::Failure, [this] { due(); }) {}

  /// Null: none, so a host of the drive's own socket loses its waiting commands.
  void bind_link(LinkIf* link) { link_ = link; }
  /// The faults have changed.
  void changed() {
    const Picoseconds next = faults_.next_event();
    if (next != core::kNoDeadline) call_.at(std::max(next, core::now_ps()));
  }
  void befalls(media::Faults::Effect effect, Picoseconds delay) override {
    waiting_.emplace_back(effect, delay);
    call_.now();
  }

 private:
  void due() {
    Picoseconds delay = 0;
    for (const auto& [effect, of] : std::exchange(waiting_, {})) carry_out(effect, of);
    for (auto effect = faults_.take_event(core::now_ps(), delay); effect != media::Faults::Effect::None;
         effect = faults_.take_event(core::now_ps(), delay))
      carry_out(effect, delay);
    changed();
  }
  void carry_out(media::Faults::Effect effect, Picoseconds delay) {
    if (effect == media::Faults::Effect::Reset) {
      power_.reset(delay);
    } else if (link_ != nullptr) {
      link_->link_dropped();
    } else {
      port_.abort_waiting();
    }
  }

  media::Faults& faults_;
  Power& power_;
  HostPort& port_;
  LinkIf* link_ = nullptr;
  std::vector<std::pair<media::Faults::Effect, Picoseconds>> waiting_;
  core::TimedCall call_;
};

/// @endcond

}  // namespace platter::drive
