// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/front/serving/file_descriptor.h"

namespace platter::vfio_user {

/// The interrupts of the device, MSI and INTx. Each is an eventfd of the client. MSI is used while it has an eventfd. INTx masks itself when it is
/// raised, until the client unmasks it. The numbers are those of linux/vfio.h.
class Interrupts {
 public:
  static constexpr std::uint32_t kIndices = 5;   ///< interrupts of a PCI device
  static constexpr std::uint32_t kFlagBool = 2;  ///< flag of a `Change`: a byte of the message says whether the change holds

  static bool exists(std::uint32_t index);
  /// Returns flags VFIO_IRQ_INFO_*, or 0 for an index that does not exist.
  static std::uint32_t info(std::uint32_t index);

  /// A change that SET_IRQS requests.
  struct Change {
    std::uint32_t flags = 0;  ///< VFIO_IRQ_SET_*
    std::uint32_t index = 0;
    std::uint32_t count = 0;  ///< 0 or 1
    bool on = false;          ///< with kFlagBool the byte of the message, otherwise true
  };
  /// Returns an errno, or 0 if the change is done. Precondition: the index exists.
  int set(const Change& change, serving::FileDescriptor event);

  /// Sends an interrupt.
  void raise();
  /// Closes the client's eventfds.
  void close();

 private:
  serving::FileDescriptor msi_;
  serving::FileDescriptor intx_;
  bool intx_masked_ = false;
};

}  // namespace platter::vfio_user
