// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "platter/drive/queue_entry.h"

namespace platter::drive {

/// Orders responses: those before and after an ordered command stay before and after its own, and a flush responds after every older write.
class AnswerOrder {
 public:
  /// The command's last block reaches the host at `when`. Returns the earliest time of its response.
  Picoseconds at(const QueueEntry& entry, Picoseconds when) {
    // When a command ends, data and status of older commands for which it has waited may still be on the bus.
    if (entry.asked.flush()) when = std::max(when, write_);
    if (!entry.head_of_queue()) when = std::max(when, entry.ordered() ? last_ : ordered_);
    if (entry.ordered()) ordered_ = when;
    if (entry.asked.write()) write_ = std::max(write_, when);
    last_ = std::max(last_, when);
    return when;
  }

 private:
  Picoseconds last_ = 0;
  Picoseconds write_ = 0;    ///< latest response of a write
  Picoseconds ordered_ = 0;  ///< response of the last ordered command
};

}  // namespace platter::drive
