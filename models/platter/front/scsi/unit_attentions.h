// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "platter/front/scsi/task.h"

namespace platter::scsi {

/// @cond of the implementation

/// The unit attention conditions of a logical unit, for each initiator port (SAM-5, 5.14).
class UnitAttentions {
 public:
  /// A new port hears of the last power-on.
  void add(const Nexus& nexus) { waiting_.push_back({&nexus, {sense::kPowerOn}}); }
  void remove(const Nexus& nexus) {
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.nexus == &nexus; }),
                   waiting_.end());
  }
  /// Establishes a condition for each port for which `of` is true. A reset takes the place of all others.
  template <typename Of>
  void establish(const Sense& sense, const Of& of) {
    for (Waiting& each : waiting_) {
      if (!of(*each.nexus)) continue;
      if (sense.code == sense::kPowerOn.code) each.conditions.clear();
      if (std::find(each.conditions.begin(), each.conditions.end(), sense) == each.conditions.end())
        each.conditions.push_back(sense);
    }
  }
  /// Takes the first condition of a port.
  std::optional<Sense> take(const Nexus& nexus) {
    for (Waiting& each : waiting_) {
      if (each.nexus != &nexus || each.conditions.empty()) continue;
      const Sense first = each.conditions.front();
      each.conditions.erase(each.conditions.begin());
      return first;
    }
    return std::nullopt;
  }

 private:
  struct Waiting {
    const Nexus* nexus;
    std::vector<Sense> conditions;
  };
  std::vector<Waiting> waiting_;
};

/// @endcond

}  // namespace platter::scsi
