// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace platter::drive {

/// The adapter between a drive and its host, as far as a loss of the link concerns it.
class LinkIf {
 public:
  virtual ~LinkIf() = default;
  /// The link has been lost and is there again. Whatever was on its way is lost.
  virtual void link_dropped() = 0;
};

}  // namespace platter::drive
