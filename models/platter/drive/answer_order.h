// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "platter/drive/slot.h"

namespace platter::drive {

/// When the host may hear of a command's end: an ordered command keeps the order of the answers, and a flush comes after every write.
class AnswerOrder {
 public:
  /// The command's last block is with the host at `when`. Returns when its answer may go.
  Picoseconds at(const Slot& slot, Picoseconds when) {
    // Data and status of older commands may still be on the bus when one that has waited for them ends.
    if (slot.asked.flush()) when = std::max(when, write_);
    if (!slot.head_of_queue()) when = std::max(when, slot.ordered() ? last_ : ordered_);
    if (slot.ordered()) ordered_ = when;
    if (slot.asked.write()) write_ = std::max(write_, when);
    last_ = std::max(last_, when);
    return when;
  }

 private:
  Picoseconds last_ = 0;
  Picoseconds write_ = 0;    ///< the last one of a write
  Picoseconds ordered_ = 0;  ///< of the last ordered command
};

}  // namespace platter::drive
