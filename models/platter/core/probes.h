// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

namespace platter::core {

/// The probes of an object, in the order in which they are notified.
template <typename Probe>
class Probes {
 public:
  void add(Probe& probe) { all_.push_back(&probe); }
  void remove(Probe& probe) { all_.erase(std::remove(all_.begin(), all_.end(), &probe), all_.end()); }
  bool empty() const { return all_.empty(); }

  template <typename Tell>
  void tell(Tell tell) const {
    for (Probe* probe : all_) tell(*probe);
  }

 private:
  std::vector<Probe*> all_;
};

}  // namespace platter::core
