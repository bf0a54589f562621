// SPDX-License-Identifier: Apache-2.0
#include "platter/front/ahci/ata_device.h"

namespace platter::ahci {

using command::Operation;
using command::Sense;

namespace {

/// Commands (ACS-4, 7).
enum AtaCommand : std::uint8_t {
  kReadSectors = 0x20,
  kReadSectorsExt = 0x24,
  kReadDmaExt = 0x25,
  kReadMultipleExt = 0x29,
  kReadLogExt = 0x2F,
  kWriteLogExt = 0x3F,
  kRequestSense = 0x0B,
  kWriteSectors = 0x30,
  kWriteSectorsExt = 0x34,
  kWriteDmaExt = 0x35,
  kWriteMultipleExt = 0x39,
  kWriteDmaFuaExt = 0x3D,
  kZoneIn = 0x4A,
  kReadVerify = 0x40,
  kReadVerifyExt = 0x42,
  kReadLogDmaExt = 0x47,
  kWriteLogDmaExt = 0x57,
  kReadQueued = 0x60,
  kWriteQueued = 0x61,
  kNonDataQueued = 0x63,
  kReceiveQueued = 0x65,
  kZoneOut = 0x9F,
  kDiagnostic = 0x90,
  kSmart = 0xB0,
  kReadMultiple = 0xC4,
  kWriteMultiple = 0xC5,
  kSetMultiple = 0xC6,
  kReadDma = 0xC8,
  kWriteDma = 0xCA,
  kStandbyImmediate = 0xE0,
  kIdleImmediate = 0xE1,
  kStandby = 0xE2,
  kIdle = 0xE3,
  kCheckPower = 0xE5,
  kSleep = 0xE6,
  kFlush = 0xE7,
  kFlushExt = 0xEA,
  kIdentify = 0xEC,
  kSetFeatures = 0xEF,
};

/// Commands to the media with an address of 28 bits.
constexpr bool is_28bit(std::uint8_t command) {
  return command == kReadSectors || command == kWriteSectors || command == kReadVerify || command == kReadMultiple ||
         command == kWriteMultiple || command == kReadDma || command == kWriteDma;
}

/// Subcommands of SET FEATURES (ACS-4, 7.45).
enum Feature : std::uint8_t {
  kTransferMode = 0x03,
  kWriteCacheOn = 0x02,
  kWriteCacheOff = 0x82,
  kReadAheadOn = 0xAA,
  kReadAheadOff = 0x55,
  kSenseReporting = 0xC3,
  kDurationLimits = 0x0D,
  kSuccessSense = 0xC4,
  kSerialAtaOn = 0x10,
  kSerialAtaOff = 0x90,
};

/// Subcommands of SMART.
enum Smart : std::uint8_t {
  kSmartData = 0xD0,
  kSmartThresholds = 0xD1,
  kSmartAutosave = 0xD2,
  kSmartTest = 0xD4,
  kSmartLog = 0xD5,
  kSmartWriteLog = 0xD6,
  kSmartOn = 0xD8,
  kSmartOff = 0xD9,
  kSmartStatus = 0xDA,
};

constexpr std::uint8_t kSettingsPreservation = 0x06;  // a Serial ATA feature (Serial ATA 3.x, 13.5)
constexpr std::uint64_t kSmartKey = 0xC2'4F00;        // in the middle and upper bytes of the LBA

constexpr std::uint8_t kNonDataZones = 7;      // subcommand of NCQ NON-DATA (ZAC, 8.2): ZAC Management Out
constexpr std::uint8_t kDeadlineHandling = 1;  // the same (Serial ATA 3.x, 13.6.6.3)
constexpr std::uint8_t kReceiveZones = 2;      // of RECEIVE FPDMA QUEUED: ZAC Management In
constexpr std::uint8_t kReportZones = 0;       // action of ZAC Management In

constexpr bool is_queued(std::uint8_t command) {
  return command == kReadQueued || command == kWriteQueued || command == kNonDataQueued || command == kReceiveQueued;
}

constexpr std::uint16_t kSctErc = 3;  // error recovery control, an SCT action
constexpr std::size_t kMaxErrors = DeviceHistory::kErrors;

constexpr Sense kInvalidCommand{0x5, 0x20, 0x00};
constexpr Sense kOutOfRange{0x5, 0x21, 0x00};
constexpr Sense kInvalidField{0x5, 0x24, 0x00};
constexpr Sense kInvalidParameter{0x5, 0x26, 0x00};

/// The time that ICC gives (Serial ATA 3.x, 13.6.3.1): steps of 10 ms, or of half a second.
Picoseconds completion_time(std::uint8_t icc) {
  const Picoseconds step = (icc & 0x80) != 0 ? 500 : 10;
  return ((icc & 0x7F) + 1) * step * core::kPicosecondsPerMillisecond;
}

}  // namespace

AtaDevice::AtaDevice(const AtaIdentity& identity, DriveControlIf& control, const Options& options)
    : identity_(identity), control_(control), options_(options) {
  settings_ = at_power_up();
}

AtaSettings AtaDevice::at_power_up() const {
  AtaSettings settings;
  settings.smart = settings_.smart;  // the only one that lasts
  settings.write_cache = identity_.write_cache;
  settings.read_ahead = identity_.read_ahead;
  settings.durations = identity_.durations;
  settings.multiple = static_cast<std::uint8_t>(identity_.most_multiple());
  return settings;
}

void AtaDevice::restore_settings() {
  settings_ = at_power_up();
  control_.set_write_cache(settings_.write_cache);
  control_.set_read_ahead(settings_.read_ahead);
}

void AtaDevice::power_up() {
  restore_settings();
  reset(true);
}

Outcome AtaDevice::reset(bool hard) {
  queued_ = 0;
  successes_.valid = 0;
  late_ends_ = {};
  halted_ = asleep_ = false;
  if (hard) {
    sense_ = {};
    settings_.sense_reporting = false;
    if (!settings_.preserved) {
      restore_settings();
      settings_.preserved = false;
    }
  }
  Outcome signature;
  signature.error = 0x01;  // the diagnostics have passed
  signature.lba = identity_.zones.model == profile::ZoneModel::Managed ? 0xABCD01 : 0x000001;
  signature.count = 1;
  return signature;
}

Outcome AtaDevice::error(const RegisterFis& fis, std::uint8_t error, const Sense& sense, std::uint64_t lba) {
  sense_ = sense;
  Outcome outcome;
  outcome.status = static_cast<std::uint8_t>(
      Outcome::kReady | Outcome::kErr |
      (settings_.sense_reporting || ((zoned() || settings_.duration_limits) && is_queued(fis.command)) ? Outcome::kSense : 0));
  outcome.error = error;
  outcome.lba = lba;
  outcome.device = fis.device;
  outcome.count = fis.count;
  return outcome;
}

Task AtaDevice::answer(const RegisterFis& fis, Outcome outcome) const {
  Task task;
  outcome.device = fis.device;
  task.outcome = outcome;
  return task;
}

Task AtaDevice::abort(const RegisterFis& fis) {
  Task task;
  task.outcome = error(fis, Outcome::kAbort, kInvalidCommand, 0);
  return task;
}

Task AtaDevice::send_page(const RegisterFis& fis, std::optional<Page> page, Transfer transfer) {
  if (!page) return abort(fis);
  page_ = std::move(*page);
  Task task = answer(fis);
  task.transfer = transfer;
  task.bytes = static_cast<std::uint32_t>(page_.size());
  task.block_bytes = 512;
  return task;
}

Task AtaDevice::take_page(const RegisterFis& fis, Transfer transfer) const {
  Task task = answer(fis);
  task.transfer = transfer;
  task.bytes = task.block_bytes = 512;
  return task;
}

/// Commands are written to log E0h (ACS-4, 8), and duration descriptors to log 18h. Of the commands only error recovery control is there.
Outcome AtaDevice::received(const RegisterFis& fis, const std::vector<std::uint8_t>& data) {
  if (static_cast<std::uint8_t>(fis.lba) != kLogDurations) return sct_command(fis, data);
  if (!read_duration_log(data, settings_.durations)) return error(fis, Outcome::kAbort, kInvalidParameter, fis.lba);
  Outcome good;
  good.device = fis.device;
  return good;
}

drive::DurationStatistics AtaDevice::durations_for(std::uint8_t log) {
  constexpr std::uint8_t kDeviceStatistics = 0x04;
  return identity_.duration_limits && log == kDeviceStatistics ? control_.durations() : drive::DurationStatistics{};
}

Task AtaDevice::limited(Task task, std::uint32_t number) const {
  if (settings_.duration_limits) task.command.duration = static_cast<std::uint8_t>(number & 0x7);
  return task;
}

Outcome AtaDevice::sct_command(const RegisterFis& fis, const std::vector<std::uint8_t>& data) {
  const auto word_of = [&data](std::size_t index) {
    return static_cast<std::uint16_t>(data[2 * index] | data[2 * index + 1] << 8);
  };
  const std::uint16_t action = word_of(0);
  const std::uint16_t function = word_of(1);
  const std::uint16_t selection = word_of(2);
  if (action != kSctErc || function < 1 || function > 2 || selection < 1 || selection > 2)
    return error(fis, Outcome::kAbort, kInvalidField, fis.lba);
  history_.sct_action = action;
  history_.sct_function = function;
  const bool write = selection == 2;
  Outcome good;
  good.device = fis.device;
  if (function == 1) {
    control_.set_recovery_limit(write, word_of(3) * 100u);
  } else {  // the answer is in the registers
    const std::uint32_t value = control_.recovery_limit(write) / 100;
    good.count = static_cast<std::uint16_t>(value & 0xFF);
    good.lba = value >> 8 & 0xFF;
  }
  return good;
}

Task AtaDevice::self_test(const RegisterFis& fis) {
  constexpr std::uint8_t kShort = 1;
  constexpr std::uint8_t kExtended = 2;
  constexpr std::uint8_t kStop = 0x7F;
  const auto which = static_cast<std::uint8_t>(fis.lba);
  if (which != 0 && which != kShort && which != kExtended && which != kStop) return abort(fis);
  look_at_test(control_.counters());
  if (which == 0) return answer(fis);  // off-line data collection has nothing to do
  control_.stop_test();
  look_at_test(control_.counters());  // the log has the one that this ends
  if (which == kStop) return answer(fis);
  control_.start_test(which == kExtended);
  test_started_ = true;
  return answer(fis);
}

void AtaDevice::look_at_test(const AtaCounters& counters) {
  history_.test = control_.test();
  if (!test_started_ || history_.test.status == kTestRuns) return;
  test_started_ = false;
  if (history_.tests.size() == DeviceHistory::kTests) history_.tests.erase(history_.tests.begin());
  history_.tests.push_back({history_.test, counters.power_on_s});
}

void AtaDevice::record(const RegisterFis& fis, const Outcome& outcome) {
  ++history_.error_count;
  if (history_.errors.size() == kMaxErrors) history_.errors.erase(history_.errors.begin());
  history_.errors.push_back({fis.command, fis.features, fis.count, fis.lba, fis.device, outcome.status, outcome.error,
                             outcome.lba, control_.counters().power_on_s});
}

Task AtaDevice::flush(const RegisterFis& fis) const {
  Task task = answer(fis);
  task.next = Task::Next::Drive;
  task.command.operation = Operation::Flush;
  return task;
}

Task AtaDevice::media(const RegisterFis& fis, Operation operation, Transfer transfer, std::uint64_t lba, std::uint32_t count) {
  Task task = answer(fis);
  if (lba >= identity_.sectors || count > identity_.sectors - lba) {
    task.outcome = error(fis, Outcome::kNotFound, kOutOfRange, lba);
    return task;
  }
  task.next = Task::Next::Drive;
  task.transfer = transfer;
  task.command.operation = operation;
  task.command.address = lba * identity_.sector_bytes;
  task.command.length = count * identity_.sector_bytes;
  task.bytes = transfer == Transfer::None ? 0 : task.command.length;
  const bool several = fis.command == kReadMultiple || fis.command == kReadMultipleExt || fis.command == kWriteMultiple ||
                       fis.command == kWriteMultipleExt;
  task.block_bytes = (several ? settings_.multiple : 1) * identity_.sector_bytes;
  if (several && settings_.multiple == 0) return abort(fis);
  return task;
}

Task AtaDevice::media48(const RegisterFis& fis, Operation operation, Transfer transfer, bool fua) {
  Task task = media(fis, operation, transfer, fis.lba, fis.count48());
  task.command.fua = fua;
  return task;
}

Task AtaDevice::accept_queued(const RegisterFis& fis, Picoseconds now) {
  const std::uint32_t mask = 1u << fis.tag();
  Task task;
  task.queued = true;
  task.tag = fis.tag();
  if (fis.tag() >= identity_.queue_depth || (queued_ & mask) != 0) {
    // The tag does not exist or is in use: the whole queue is lost (Serial ATA 3.x, 13.6.4).
    task.outcome = failed(fis, task, error(fis, Outcome::kAbort, sense_of(command::CommandStatus::BadTag), fis.lba));
    return task;
  }
  if (fis.command == kNonDataQueued || fis.command == kReceiveQueued) {
    task.command.tag = fis.tag();
    const bool out = fis.command == kNonDataQueued;
    if (out && identity_.duration_limits &&
        (fis.features & 0xF) == kDeadlineHandling) {  // it takes effect at once, and ends at once
      late_ends_ = {(fis.features >> 5 & 1) != 0, (fis.features >> 4 & 1) != 0};
      return task;
    }
    const bool known = zoned() && (out ? (fis.features & 0xF) == kNonDataZones
                                       : fis.subcommand() == kReceiveZones && (fis.auxiliary & 0xFF) == kReportZones);
    if (!known) return invalid_field(fis, task);
    if (out) return manage_zones(fis, task, fis.auxiliary & 0x1F, (fis.auxiliary >> 8 & 1) != 0);
    return report_zones(fis, task, fis.queued_count(), static_cast<std::uint8_t>(fis.auxiliary >> 8));
  }
  queued_ |= mask;
  task.next = Task::Next::Drive;
  task.transfer = fis.command == kReadQueued ? Transfer::DmaIn : Transfer::DmaOut;
  task.command.operation = command::read_or_write(fis.command == kWriteQueued);
  task.command.address = fis.lba * identity_.sector_bytes;
  task.command.length = fis.queued_count() * identity_.sector_bytes;
  task.command.tag = fis.tag();
  task.command.fua = (fis.device & RegisterFis::kFua) != 0;
  // RARC: the host has another copy, so the recovery is as short as it can be (rebuild assist).
  if (fis.command == kReadQueued && (fis.count & 1) != 0) task.command.recovery_limit = 1;
  task.bytes = task.command.length;
  switch (fis.priority()) {
    case 1:
      task.command.cls = core::RequestClass::Continuous;
      task.command.deadline = now + completion_time(fis.icc);
      task.command.expires = fis.command == kReadQueued ? late_ends_.reads : late_ends_.writes;
      break;
    case 2:
      task.command.deadline = now + options_.high_priority;
      task.command.high_priority = true;
      break;
    default: break;
  }
  return limited(task, fis.auxiliary);
}

Task AtaDevice::invalid_field(const RegisterFis& fis, Task task) {
  task.outcome = failed(fis, task, error(fis, Outcome::kAbort, kInvalidField, fis.lba));
  return task;
}

Task AtaDevice::manage_zones(const RegisterFis& fis, Task task, std::uint32_t action, bool all) {
  if (action < 1 || action > 4) return invalid_field(fis, task);
  if (task.queued) queued_ |= 1u << task.tag;
  task.next = Task::Next::Drive;
  task.command.operation = Operation::Zone;
  task.command.zone_action = static_cast<command::ZoneAction>(action);
  task.command.all_zones = all;
  task.command.address = all ? 0 : fis.lba * identity_.sector_bytes;
  return task;
}

Task AtaDevice::report_zones(const RegisterFis& fis, Task task, std::uint32_t pages, std::uint8_t options) {
  using zones::ZoneReport;
  constexpr std::uint8_t kPartial = 0x80;
  constexpr std::uint8_t kOption = 0x3F;
  const zones::Zones* const zones = control_.zones();
  if (zones == nullptr) return invalid_field(fis, task);
  const std::size_t bytes = std::size_t{pages} * 512;
  ZoneReport report;
  const command::CommandStatus status =
      zones->report(fis.lba, options & kOption, (options & kPartial) != 0,
                    (bytes - ZoneReport::kHeaderBytes) / ZoneReport::kDescriptorBytes, report);
  if (status != command::CommandStatus::Good) {
    const std::uint8_t why = status == command::CommandStatus::BadAddress ? Outcome::kNotFound : Outcome::kAbort;
    task.outcome = failed(fis, task, error(fis, why, sense_of(status), fis.lba));
    return task;
  }
  page_ = zone_report(report, bytes);
  if (task.queued) queued_ |= 1u << task.tag;
  task.transfer = Transfer::DmaIn;
  task.bytes = task.block_bytes = static_cast<std::uint32_t>(bytes);
  return task;
}

Task AtaDevice::set_features(const RegisterFis& fis) {
  switch (static_cast<std::uint8_t>(fis.features)) {
    case kTransferMode: {
      const auto mode = static_cast<std::uint8_t>(fis.count);
      if (mode >= 0x40 && mode <= 0x46)
        settings_.udma_mode = mode & 0x07;
      else if (mode > 0x0C && (mode < 0x20 || mode > 0x22))  // PIO, multiword DMA
        return abort(fis);
      return answer(fis);
    }
    case kWriteCacheOn:
      if (!identity_.write_cache) return abort(fis);
      settings_.write_cache = true;
      control_.set_write_cache(true);
      return answer(fis);
    case kWriteCacheOff: return identity_.write_cache ? flush(fis) : abort(fis);
    case kReadAheadOn:
    case kReadAheadOff:
      if (!identity_.read_ahead) return abort(fis);
      settings_.read_ahead = static_cast<std::uint8_t>(fis.features) == kReadAheadOn;
      control_.set_read_ahead(settings_.read_ahead);
      return answer(fis);
    case kDurationLimits:
      if (!identity_.duration_limits || (fis.count & ~1) != 0) return abort(fis);
      settings_.duration_limits = (fis.count & 1) != 0;
      return answer(fis);
    case kSuccessSense:
      if (!identity_.duration_limits || (fis.count & ~1) != 0) return abort(fis);
      settings_.success_sense = (fis.count & 1) != 0;
      return answer(fis);
    case kSenseReporting:
      if ((fis.count & ~1) != 0) return abort(fis);
      settings_.sense_reporting = fis.count == 1;
      return answer(fis);
    case kSerialAtaOn:
    case kSerialAtaOff:
      if ((fis.count & 0xFF) != kSettingsPreservation) return abort(fis);
      settings_.preserved = static_cast<std::uint8_t>(fis.features) == kSerialAtaOn;
      return answer(fis);
    default: return abort(fis);
  }
}

Task AtaDevice::smart(const RegisterFis& fis) {
  if ((fis.lba & 0xFF'FF00) != kSmartKey) return abort(fis);
  const auto subcommand = static_cast<std::uint8_t>(fis.features);
  if (!settings_.smart && subcommand != kSmartOn) return abort(fis);
  switch (subcommand) {
    case kSmartData: {
      const AtaCounters counters = control_.counters();
      look_at_test(counters);
      return send_page(fis, smart_data(counters, history_.test), Transfer::PioIn);
    }
    case kSmartTest: return self_test(fis);
    case kSmartWriteLog:
      if (static_cast<std::uint8_t>(fis.lba) != kLogSctStatus || (fis.count & 0xFF) != 1) return abort(fis);
      return take_page(fis, Transfer::PioOut);
    case kSmartThresholds: return send_page(fis, smart_thresholds(), Transfer::PioIn);
    case kSmartAutosave: return answer(fis);
    case kSmartLog: {
      const AtaCounters counters = control_.counters();
      look_at_test(counters);
      const auto log = static_cast<std::uint8_t>(fis.lba);
      const drive::DurationStatistics durations = durations_for(log);
      return send_page(fis, log_pages(source(counters, control_.power(), durations), log, 0, fis.count & 0xFF, false),
                       Transfer::PioIn);
    }
    case kSmartOn:
    case kSmartOff: settings_.smart = subcommand == kSmartOn; return answer(fis);
    case kSmartStatus: {
      Outcome good;
      good.lba = kSmartKey;
      return answer(fis, good);
    }
    default: return abort(fis);
  }
}

Task AtaDevice::power_command(const RegisterFis& fis) {
  switch (fis.command) {
    case kCheckPower: {
      Outcome outcome;
      const PowerMode mode = control_.power();
      outcome.count = mode == PowerMode::Standby ? 0x00 : mode == PowerMode::Idle ? 0x80 : 0xFF;
      return answer(fis, outcome);
    }
    case kIdle:
    case kIdleImmediate: control_.set_power(PowerMode::Idle); return answer(fis);
    default: return flush(fis);  // the cached writes go to the media first
  }
}

Task AtaDevice::accept(const RegisterFis& fis, Picoseconds now) {
  if (asleep_) {
    Task task;
    task.next = Task::Next::Nothing;
    return task;
  }
  const bool deadlines =
      identity_.duration_limits && fis.command == kNonDataQueued && (fis.features & 0xF) == kDeadlineHandling;
  const bool queued =
      is_queued(fis.command) && (zoned() || deadlines || fis.command == kReadQueued || fis.command == kWriteQueued);
  const bool reads_error = (fis.command == kReadLogExt || fis.command == kReadLogDmaExt) && (fis.lba & 0xFF) == kLogQueuedError;
  if (halted_ && !reads_error) {
    Task task = abort(fis);
    task.queued = queued;
    task.tag = queued ? fis.tag() : 0;
    return task;
  }
  if (queued) return accept_queued(fis, now);
  if (queued_ != 0) {
    Task task = abort(fis);
    queued_error_ = {false,      0,         task.outcome.status, task.outcome.error, fis.lba,
                     fis.device, fis.count, sense_.key,          sense_.code,        sense_.qualifier};
    halted_ = true;
    queued_ = 0;
    return task;
  }

  // Without this bit the address is cylinder, head and sector, which are no longer in the standard.
  if (is_28bit(fis.command) && (fis.device & RegisterFis::kLba) == 0) return abort(fis);

  switch (fis.command) {
    case kReadSectors:
    case kReadMultiple: return media(fis, Operation::Read, Transfer::PioIn, fis.lba28(), fis.count28());
    case kReadDma: return media(fis, Operation::Read, Transfer::DmaIn, fis.lba28(), fis.count28());
    case kReadVerify: return media(fis, Operation::Read, Transfer::None, fis.lba28(), fis.count28());
    case kReadSectorsExt:
    case kReadMultipleExt: return media48(fis, Operation::Read, Transfer::PioIn);
    case kReadDmaExt: return limited(media48(fis, Operation::Read, Transfer::DmaIn), fis.features);
    case kReadVerifyExt: return media48(fis, Operation::Read, Transfer::None);
    case kWriteSectors:
    case kWriteMultiple: return media(fis, Operation::Write, Transfer::PioOut, fis.lba28(), fis.count28());
    case kWriteDma: return media(fis, Operation::Write, Transfer::DmaOut, fis.lba28(), fis.count28());
    case kWriteSectorsExt:
    case kWriteMultipleExt: return media48(fis, Operation::Write, Transfer::PioOut);
    case kWriteDmaExt: return limited(media48(fis, Operation::Write, Transfer::DmaOut), fis.features);
    case kWriteDmaFuaExt: return media48(fis, Operation::Write, Transfer::DmaOut, true);
    case kFlush:
    case kFlushExt: return flush(fis);
    case kZoneIn:
      if (!zoned()) return abort(fis);
      if ((fis.features & 0xFF) != kReportZones) return invalid_field(fis, answer(fis));
      return report_zones(fis, answer(fis), fis.count48(), static_cast<std::uint8_t>(fis.features >> 8));
    case kZoneOut:
      if (!zoned()) return abort(fis);
      return manage_zones(fis, answer(fis), fis.features & 0x1F, (fis.features >> 8 & 1) != 0);
    case kIdentify: return send_page(fis, identify(identity_, settings_), Transfer::PioIn);
    case kReadLogExt:
    case kReadLogDmaExt: {
      const AtaCounters counters = control_.counters();
      look_at_test(counters);
      const auto log = static_cast<std::uint8_t>(fis.lba);
      const auto first = static_cast<std::uint32_t>((fis.lba >> 8 & 0xFF) | (fis.lba >> 32 & 0xFF) << 8);
      const Transfer transfer = fis.command == kReadLogExt ? Transfer::PioIn : Transfer::DmaIn;
      const drive::DurationStatistics durations = durations_for(log);
      Task task =
          send_page(fis, log_pages(source(counters, control_.power(), durations), log, first, fis.count, true), transfer);
      if (log == kLogSuccessSense) successes_.valid = 0;
      if (reads_error && !task.outcome.failed()) halted_ = false;
      return task;
    }
    case kWriteLogExt:
    case kWriteLogDmaExt:
      if (fis.count != 1 || (fis.lba >> 8 & 0xFF) != 0 ||
          (static_cast<std::uint8_t>(fis.lba) != kLogSctStatus &&
           !(identity_.duration_limits && static_cast<std::uint8_t>(fis.lba) == kLogDurations)))
        return abort(fis);
      return take_page(fis, fis.command == kWriteLogExt ? Transfer::PioOut : Transfer::DmaOut);
    case kSetFeatures: return set_features(fis);
    case kSetMultiple: {
      const auto sectors = static_cast<std::uint8_t>(fis.count);
      if (sectors > identity_.most_multiple() || (sectors & (sectors - 1)) != 0) return abort(fis);
      settings_.multiple = sectors;
      return answer(fis);
    }
    case kSmart: return smart(fis);
    case kRequestSense: {
      Outcome outcome;
      outcome.lba = std::uint64_t{sense_.key} << 16 | std::uint64_t{sense_.code} << 8 | sense_.qualifier;
      return answer(fis, outcome);
    }
    case kDiagnostic: return answer(fis, reset(false));
    case kStandby:
    case kStandbyImmediate:
    case kIdle:
    case kIdleImmediate:
    case kCheckPower:
    case kSleep: return power_command(fis);
    default: return abort(fis);
  }
}

Outcome AtaDevice::failed(const RegisterFis& fis, const Task& task, const Outcome& outcome) {
  if (!task.queued) return outcome;
  queued_error_ = {true,       task.tag,  outcome.status, outcome.error, outcome.lba,
                   fis.device, fis.count, sense_.key,     sense_.code,   sense_.qualifier};
  halted_ = true;
  queued_ = 0;
  return outcome;
}

Outcome AtaDevice::short_of_data(const RegisterFis& fis, const Task& task) {
  return failed(fis, task, error(fis, Outcome::kAbort, kInvalidField, fis.lba));
}

std::uint32_t AtaDevice::readable_bytes(const Task& task, const command::Result& result) const {
  if (!inbound(task.transfer)) return 0;
  if (result.status == command::CommandStatus::Good) return task.bytes;
  if (result.status != command::CommandStatus::Unreadable || task.transfer != Transfer::DmaIn) return 0;
  return static_cast<std::uint32_t>(result.first_bad * identity_.sector_bytes - task.command.address);
}

Outcome AtaDevice::ended(const RegisterFis& fis, const Task& task, const command::Result& result) {
  using command::CommandStatus;
  if (result.status == CommandStatus::Unavailable) {  // it ends well, and the sense data says that there is no data
    dropped(task);
    Outcome good;
    good.device = fis.device;
    sense_ = result.sense();
    if (task.queued ? settings_.success_sense : settings_.sense_reporting)
      good.status = static_cast<std::uint8_t>(good.status | Outcome::kSense);
    if (task.queued && settings_.success_sense) successes_.set(task.tag, result.sense());
    return good;
  }
  if (result.status == CommandStatus::Good) {
    if (fis.command == kSetFeatures) {
      settings_.write_cache = false;
      control_.set_write_cache(false);
    } else if (task.command.flush() && fis.command != kFlush && fis.command != kFlushExt) {
      control_.set_power(PowerMode::Standby);
      asleep_ = fis.command == kSleep;
    }
    dropped(task);
    Outcome good;
    good.device = fis.device;
    return good;
  }
  const bool unreadable = result.status == CommandStatus::Unreadable;
  const bool of_media = unreadable || (result.status == CommandStatus::WriteFault && !task.command.flush());
  const std::uint64_t lba = of_media ? result.first_bad : task.command.address / identity_.sector_bytes;
  const std::uint8_t why = unreadable                                                 ? Outcome::kUncorrectable
                           : result.sense().key == 0x5 && result.sense().code == 0x21 ? Outcome::kNotFound
                                                                                      : Outcome::kAbort;
  Outcome outcome = error(fis, why, result.sense(), lba);
  if (result.status == CommandStatus::DriveFailed) outcome.status = static_cast<std::uint8_t>(outcome.status | Outcome::kFault);
  record(fis, outcome);
  return failed(fis, task, outcome);
}

}  // namespace platter::ahci
