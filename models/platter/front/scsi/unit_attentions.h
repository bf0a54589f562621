// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "platter/front/scsi/task.h"

namespace platter::scsi {

/// @cond of the implementation

/// The unit attention conditions of a logical unit, for each initiator port (SAM-5, 5.14), and its deferred errors.
class UnitAttentions {
 public:
  /// A new port hears of the last power-on.
  void add(const Nexus& nexus) { waiting_.push_back({&nexus, {sense::kPowerOn}}); }
  void remove(const Nexus& nexus) {
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.nexus == &nexus; }),
                   waiting_.end());
    for (Deferred& each : deferred_)
      if (each.nexus == &nexus) each.nexus = nullptr;
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
  /// A command of the port has failed that has ended before. `nexus` null: the port has gone, and the next port that asks is told.
  void defer(const Nexus* nexus, SenseData sense) {
    sense.deferred = true;
    deferred_.push_back({nexus, sense});
  }
  void drop_deferred() { deferred_.clear(); }
  /// Takes the first condition of a port, or all of its deferred errors as one.
  std::optional<SenseData> take(const Nexus& nexus) {
    for (Waiting& each : waiting_) {
      if (each.nexus != &nexus || each.conditions.empty()) continue;
      const Sense first = each.conditions.front();
      each.conditions.erase(each.conditions.begin());
      return first;
    }
    std::optional<SenseData> error;
    const auto mine = std::remove_if(deferred_.begin(), deferred_.end(), [&](const Deferred& each) {
      const bool told = each.nexus == nullptr || each.nexus == &nexus;
      if (told) error = each.sense;
      return told;
    });
    deferred_.erase(mine, deferred_.end());
    return error;
  }

 private:
  struct Waiting {
    const Nexus* nexus;
    std::vector<Sense> conditions;
  };
  struct Deferred {
    const Nexus* nexus;
    SenseData sense;
  };
  std::vector<Waiting> waiting_;
  std::vector<Deferred> deferred_;
};

/// @endcond

}  // namespace platter::scsi
