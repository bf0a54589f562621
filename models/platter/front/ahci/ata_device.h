// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "platter/command/command.h"
#include "platter/front/ahci/ata_pages.h"
#include "platter/front/ahci/fis.h"

namespace platter::ahci {

using core::Picoseconds;

/// @cond of the implementation

/// What the device does with its drive besides sending commands; the drive has registers for it.
class DriveControlIf {
 public:
  virtual ~DriveControlIf() = default;
  virtual void set_write_cache(bool on) = 0;
  virtual void set_read_ahead(bool on) = 0;
  virtual void set_power(PowerMode mode) = 0;
  virtual PowerMode power() = 0;
  virtual AtaCounters counters() = 0;
  /// Most time that a command spends on recovery, ms; 0: no limit.
  virtual void set_recovery_limit(bool write, std::uint32_t milliseconds) = 0;
  virtual std::uint32_t recovery_limit(bool write) = 0;
  virtual void start_test(bool extended) = 0;
  virtual void stop_test() = 0;
  virtual SelfTest test() = 0;
  virtual drive::DurationStatistics durations() = 0;
  /// The zones of the drive; null if it has none.
  virtual const zones::Zones* zones() const = 0;
};

/// How the data of a command goes between host and device.
enum class Transfer : std::uint8_t { None, PioIn, PioOut, DmaIn, DmaOut };
constexpr bool inbound(Transfer t) { return t == Transfer::PioIn || t == Transfer::DmaIn; }
constexpr bool outbound(Transfer t) { return t == Transfer::PioOut || t == Transfer::DmaOut; }

/// What an accepted command requires.
struct Task {
  enum class Next : std::uint8_t {
    Answer,  ///< answer with `outcome`; if it is good, first transfer `AtaDevice::page()`. A queued task ends with `AtaDevice::dropped`
    Drive,    ///< send `command` to the drive, then call `AtaDevice::ended`
    Nothing,  ///< the device sleeps: it stays busy until it is reset
  };
  Next next = Next::Answer;
  Transfer transfer = Transfer::None;
  bool queued = false;
  std::uint8_t tag = 0;
  std::uint32_t bytes = 0;        ///< size of the transfer
  std::uint32_t block_bytes = 0;  ///< size of a data block of a PIO transfer
  command::Command command;
  Outcome outcome;
};

/// @endcond

/// An ATA disk (ACS-4) without time. It decodes commands, and determines what they require and how they ended. Its drive holds the data and takes
/// the time.
///
/// Queued commands (Serial ATA 3.x, 13.6) become commands of the drive with the same tag. Their priority becomes class and deadline. An isochronous
/// command is continuous with the deadline that ICC gives. A command of high priority is discrete with a deadline of `high_priority`, and has
/// priority under the policy LSPTF. A command of normal priority is discrete without a deadline.
class AtaDevice {
 public:
  /// Settings of a device.
  struct Options {
    /// Time in ps from the arrival of a command of high priority to its deadline; the default is 50 ms.
    Picoseconds high_priority = 50 * core::kPicosecondsPerMillisecond;
  };

  /// @cond of the implementation
  AtaDevice(const AtaIdentity& identity, DriveControlIf& control, const Options& options);

  const AtaIdentity& identity() const { return identity_; }

  /// Decodes a command that has come at `now`.
  Task accept(const RegisterFis& fis, Picoseconds now);
  /// Returns the outcome of a task whose command the drive has ended.
  Outcome ended(const RegisterFis& fis, const Task& task, const command::Result& result);
  /// Bytes of data that the device sends for a command that the drive has ended: of a failed read by DMA, those before the bad sector.
  std::uint32_t readable_bytes(const Task& task, const command::Result& result) const;
  /// As `ended`, for a withdrawn task, which needs no outcome.
  void dropped(const Task& task) {
    if (task.queued) queued_ &= ~(1u << task.tag);
  }
  /// Takes the data that the host has sent to the device itself.
  Outcome received(const RegisterFis& fis, const std::vector<std::uint8_t>& data);
  /// Returns the outcome of a write of which the host has not given all data.
  Outcome short_of_data(const RegisterFis& fis, const Task& task);
  /// The data of the last command that reads data of the device itself, such as a log.
  const Page& page() const { return page_; }

  /// After the error of a queued command, until its log has been read or the device has been reset, every other command is aborted, and what
  /// was in the queue is lost.
  bool halted() const { return halted_; }
  /// The duration descriptors at present.
  const command::DurationTable& durations() const { return settings_.durations; }
  /// Tags of the commands in the queue, one bit each.
  std::uint32_t queued() const { return queued_; }

  /// Resets by COMRESET (`hard`) or by a soft reset. Returns the signature of a disk.
  Outcome reset(bool hard);
  /// The drive has lost its power since the last command.
  void power_up();
  /// @endcond

 private:
  AtaSettings at_power_up() const;
  void restore_settings();
  Task answer(const RegisterFis& fis, Outcome outcome = {}) const;
  Task abort(const RegisterFis& fis);
  Task send_page(const RegisterFis& fis, std::optional<Page> page, Transfer transfer);
  Task flush(const RegisterFis& fis) const;
  Task accept_queued(const RegisterFis& fis, Picoseconds now);
  /// A zone management command, queued or not.
  Task manage_zones(const RegisterFis& fis, Task task, std::uint32_t action, bool all);
  /// Makes the page of a report, of `pages` of 512 bytes, queued or not. `options`: those of the command, and the flag PARTIAL.
  Task report_zones(const RegisterFis& fis, Task task, std::uint32_t pages, std::uint8_t options);
  /// A command for the media, with this number of a duration descriptor.
  Task limited(Task task, std::uint32_t number) const;
  /// A command with this field out of range.
  Task invalid_field(const RegisterFis& fis, Task task);
  bool zoned() const { return identity_.zones.model != profile::ZoneModel::None; }
  Task media(const RegisterFis& fis, command::Operation operation, Transfer transfer, std::uint64_t lba, std::uint32_t count);
  Task media48(const RegisterFis& fis, command::Operation operation, Transfer transfer, bool fua = false);
  Task set_features(const RegisterFis& fis);
  Task smart(const RegisterFis& fis);
  Task power_command(const RegisterFis& fis);
  /// A task that takes a page from the host.
  Task take_page(const RegisterFis& fis, Transfer transfer) const;
  Outcome sct_command(const RegisterFis& fis, const std::vector<std::uint8_t>& data);
  Task self_test(const RegisterFis& fis);
  /// Enters the end of a self-test in the log.
  void look_at_test(const AtaCounters& counters);
  void record(const RegisterFis& fis, const Outcome& outcome);
  /// Notes that a task has failed with this outcome, and returns the outcome. A queued task stops the queue.
  Outcome failed(const RegisterFis& fis, const Task& task, const Outcome& outcome);
  Outcome error(const RegisterFis& fis, std::uint8_t error, const command::Sense& sense, std::uint64_t lba);
  PageSource source(const AtaCounters& counters, PowerMode power, const drive::DurationStatistics& durations) const {
    return {identity_, settings_, counters, queued_error_, history_, power, successes_, durations};
  }
  /// The counters of duration limits, if the log has them.
  drive::DurationStatistics durations_for(std::uint8_t log);

  AtaIdentity identity_;
  DriveControlIf& control_;
  Options options_;
  AtaSettings settings_;
  std::uint32_t queued_ = 0;
  bool halted_ = false;
  bool asleep_ = false;
  QueuedError queued_error_;
  DeviceHistory history_;
  SuccessSense successes_;
  struct {
    bool reads = false;  ///< RDNC: a read that is late ends the queue
    bool writes = false;
  } late_ends_;
  bool test_started_ = false;  ///< the end of a self-test is not in the log yet
  command::Sense sense_;       ///< of the last error, for REQUEST SENSE DATA EXT
  Page page_;
};

}  // namespace platter::ahci
