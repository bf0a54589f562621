// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/front/serving/file_descriptor.h"

namespace platter::vfio_user {

/// The interrupts of the device, MSI and INTx: events (eventfd) that the client has given. While there is an event for MSI, it is used; INTx masks itself
/// when it is raised, until the client unmasks it. The numbers are those of linux/vfio.h.
class Interrupts {
 public:
  static constexpr std::uint32_t kIndices = 5;   ///< of a PCI device
  static constexpr std::uint32_t kFlagBool = 2;  ///< of `Change::flags`: whether it holds is a byte of the message

  static bool exists(std::uint32_t index);
  /// VFIO_IRQ_INFO_*; 0 for an index that does not exist.
  static std::uint32_t info(std::uint32_t index);

  /// What SET_IRQS asks for.
  struct Change {
    std::uint32_t flags = 0;  ///< VFIO_IRQ_SET_*
    std::uint32_t index = 0;
    std::uint32_t count = 0;  ///< 0 or 1
    bool on = false;          ///< with kFlagBool the byte, otherwise true
  };
  /// Returns an errno; 0: done. Precondition: the index exists.
  int set(const Change& change, serving::FileDescriptor event);

  void raise();
  /// Gives the client's events back.
  void close();

 private:
  serving::FileDescriptor msi_;
  serving::FileDescriptor intx_;
  bool intx_masked_ = false;
};

}  // namespace platter::vfio_user
