// SPDX-License-Identifier: Apache-2.0
#include "platter/front/ahci/ahci_port.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "platter/core/sc_time.h"

namespace platter::ahci {

using Heard = command::InitiatorPort::Heard;

namespace {

constexpr std::uint32_t kHeaderBytes = 32;    // of a command header
constexpr std::uint64_t kRegionsAt = 0x80;    // in a command table
constexpr std::size_t kKeptBytes = 1u << 20;  // memory that a slot keeps between commands

std::uint32_t speed_field(std::uint32_t limit) { return (limit == 0 ? 3 : std::min(limit, 3u)) << 4; }

}  // namespace

AhciPort::AhciPort(const sc_core::sc_module_name& name, const AtaIdentity& identity, const AtaDevice::Options& options,
                   DmaIf& dma, sc_core::sc_event& interrupt_changed)
    : sc_module(name),
      disk_init_socket("disk_init_socket"),
      control_("control"),
      register_init_socket(control_.register_init_socket),
      dma_(dma),
      interrupt_changed_(interrupt_changed),
      device_(identity, control_, options) {
  disk_init_socket.register_nb_transport_bw(this, &AhciPort::nb_transport_bw);
  for (std::uint32_t i = 0; i < reg::kSlots; ++i) {
    slots_.push_back(std::make_unique<Slot>(this, i));
    slots_.back()->payload.set_extension<command::CommandExtension>(slots_.back().get());
    slots_.back()->payload.set_byte_enable_ptr(nullptr);
  }
  link_up();
  SC_THREAD(run);
}

AhciPort::~AhciPort() {
  for (const auto& slot : slots_) slot->payload.clear_extension<command::CommandExtension>();
}

void AhciPort::free(tlm::tlm_generic_payload* /*payload*/) {}

// --- registers --------------------------------------------------------------------------------------------------------

std::uint32_t AhciPort::read(std::uint32_t offset) const {
  switch (offset) {
    case reg::kClb: return static_cast<std::uint32_t>(r_.clb);
    case reg::kClbu: return static_cast<std::uint32_t>(r_.clb >> 32);
    case reg::kFb: return static_cast<std::uint32_t>(r_.fb);
    case reg::kFbu: return static_cast<std::uint32_t>(r_.fb >> 32);
    case reg::kPxIs: return is();
    case reg::kPxIe: return r_.ie;
    case reg::kCmd:  // FR and CR stay set until the transfer in progress has ended
      return r_.cmd | ((r_.cmd & reg::kFre) != 0 || moving_ ? reg::kFr : 0) |
             ((r_.cmd & reg::kSt) != 0 || moving_ ? reg::kCr : 0);
    case reg::kTfd: return r_.tfd;
    case reg::kSig: return r_.sig;
    case reg::kSsts: return r_.ssts;
    case reg::kSctl: return r_.sctl;
    case reg::kSerr: return r_.serr;
    case reg::kSact: return r_.sact;
    case reg::kCi: return r_.ci;
    default: return 0;
  }
}

void AhciPort::write(std::uint32_t offset, std::uint32_t data, std::uint32_t mask) {
  const auto merged = [&](std::uint32_t old) { return (old & ~mask) | (data & mask); };
  const auto low = [&](std::uint64_t old, std::uint32_t aligned) {
    return (old & ~std::uint64_t{0xFFFF'FFFF}) | (merged(static_cast<std::uint32_t>(old)) & aligned);
  };
  const auto high = [&](std::uint64_t old) {
    return (old & 0xFFFF'FFFF) | std::uint64_t{merged(static_cast<std::uint32_t>(old >> 32))} << 32;
  };
  data &= mask;
  switch (offset) {
    case reg::kClb: r_.clb = low(r_.clb, ~0x3FFu); break;
    case reg::kClbu: r_.clb = high(r_.clb); break;
    case reg::kFb: r_.fb = low(r_.fb, ~0xFFu); break;
    case reg::kFbu: r_.fb = high(r_.fb); break;
    case reg::kPxIs: r_.is &= ~data; break;
    case reg::kPxIe: r_.ie = merged(r_.ie) & reg::kIeMask; break;
    case reg::kCmd: write_command(merged(r_.cmd)); break;
    case reg::kSctl: write_link(merged(r_.sctl) & 0xFFF); break;
    case reg::kSerr: r_.serr &= ~data; break;
    case reg::kSact:
      if ((r_.cmd & reg::kSt) != 0) r_.sact |= data;
      break;
    case reg::kCi:
      if ((r_.cmd & reg::kSt) == 0) break;
      set_link_power(reg::kIccActive);
      state_.unfetched |= data & ~r_.ci;
      r_.ci |= data;
      work_.notify(sc_core::SC_ZERO_TIME);
      break;
    default: break;
  }
  interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
  tell();
}

void AhciPort::tell() const {
  if (probes_ == nullptr || probes_->empty()) return;
  PortReport report{core::now_ps(), number_, read(reg::kCmd), r_.ci, r_.sact, is(), r_.tfd, 0};
  for (const auto& slot : slots_) report.in_drive |= slot->in_drive ? 1u << slot->number : 0;
  probes_->tell([&report](AhciProbeIf& probe) { probe.changed(report); });
}

void AhciPort::write_command(std::uint32_t value) {
  const bool ran = (r_.cmd & reg::kSt) != 0;
  constexpr std::uint32_t kWritten = reg::kSt | reg::kFre | reg::kAtapi | reg::kDlae;
  if ((value & reg::kClo) != 0 && !ran && device_there()) r_.tfd &= ~std::uint32_t{Outcome::kBusy | Outcome::kDrq};
  r_.cmd = (r_.cmd & ~kWritten) | (value & kWritten);
  set_link_power(value >> reg::kIccPlace);
  if (ran && (value & reg::kSt) == 0) {
    forget_all();
    r_.ci = r_.sact = 0;
    r_.cmd &= ~(0x1Fu << reg::kCcsPlace);
    state_.unfetched = 0;
    state_.last = reg::kSlots - 1;
    state_.stopped = false;
  }
  work_.notify(sc_core::SC_ZERO_TIME);
}

/// Carries out PxCMD.ICC (AHCI 1.3.1, 8.3.1.2). The link enters a low-power state only if PxSCTL.IPM allows it and no command is outstanding. The
/// change takes no time.
void AhciPort::set_link_power(std::uint32_t state) {
  if (!device_there()) return;
  const std::uint32_t forbidden = r_.sctl >> 8;
  const bool low = (state == reg::kIccPartial && (forbidden & 1) == 0) || (state == reg::kIccSlumber && (forbidden & 2) == 0);
  if (state == reg::kIccActive || (low && (r_.ci | r_.sact) == 0)) r_.ssts = (r_.ssts & 0xFF) | state << 8;
}

void AhciPort::write_link(std::uint32_t value) {
  const std::uint32_t before = r_.sctl & 0xF;
  const std::uint32_t detection = value & 0xF;
  r_.sctl = value;
  if (detection == before) return;
  if (detection == 1 || detection == 4) {  // 1: COMRESET; 4: the link is off
    forget_all();
    r_.ssts = detection == 4 ? 4 : 0;
    r_.tfd = 0x7F;
    r_.sig = ~0u;
    state_.reset = false;
  } else if (detection == 0) {
    link_up();
    work_.notify(sc_core::SC_ZERO_TIME);
  }
}

void AhciPort::link_up() {
  r_.ssts = 0x103 | speed_field(r_.sctl >> 4 & 0xF);
  r_.serr |= reg::kSerrExchanged;
  state_.reset = true;
}

void AhciPort::link_dropped() {
  if (!device_there()) return;
  forget_all();
  link_up();
  stop(reg::kIfs, reg::kSerrCrc | reg::kSerrPhyChange);
  work_.notify(sc_core::SC_ZERO_TIME);
}

void AhciPort::reset() {
  forget_all();
  const Registers before = std::exchange(r_, {});
  r_.clb = before.clb;
  r_.fb = before.fb;
  state_ = {};
  link_up();
  work_.notify(sc_core::SC_ZERO_TIME);
  interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
}

void AhciPort::raise(std::uint32_t events) {
  r_.is |= events;
  interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
}

void AhciPort::stop(std::uint32_t events, std::uint32_t serr) {
  state_.stopped = true;
  r_.serr |= serr;
  raise(events);
}

void AhciPort::forget_all() {
  for (const auto& slot : slots_) {
    slot->wanted = false;
    slot->abandoned = slot->in_drive;
  }
  for (const Slot* slot : lines_.to_send) {
    disk_init_socket.withdrawn(slot->task.command);
    give_up(slot->task);
  }
  lines_.to_send.clear();
  if (std::exchange(state_.begun, nullptr) != nullptr) r_.tfd &= ~std::uint32_t{Outcome::kBusy};
  ++epoch_;
}

void AhciPort::give_up(const Task& task) {
  device_.dropped(task);
  if (!task.queued) r_.tfd &= ~std::uint32_t{Outcome::kBusy};
}

void AhciPort::forgotten(const Slot& slot) {
  const bool busy = state_.reset || state_.begun != nullptr;  // with something that has come since
  if (busy)
    device_.dropped(slot.task);
  else
    give_up(slot.task);
}

// --- the thread -------------------------------------------------------------------------------------------------------

void AhciPort::run() {
  for (;;) {
    moving_ = true;
    const bool more = step();
    moving_ = false;
    tell();
    if (!more) wait(work_);
  }
}

bool AhciPort::step() {
  if (state_.reset) {
    state_.reset = false;
    link_reset();
    return true;
  }
  if (!lines_.answered.empty()) {
    Slot& slot = *lines_.answered.front();
    lines_.answered.erase(lines_.answered.begin());
    const std::uint64_t epoch = epoch_;
    answered(slot);
    if (epoch != epoch_) forgotten(slot);
    return true;
  }
  if (state_.begun != nullptr && drained()) {
    Slot& slot = *std::exchange(state_.begun, nullptr);
    const std::uint64_t epoch = epoch_;
    begin(slot);
    if (epoch != epoch_) forgotten(slot);
    return true;
  }
  if (!may_fetch()) return false;
  do state_.last = (state_.last + 1) % reg::kSlots;
  while ((state_.unfetched >> state_.last & 1) == 0);
  state_.unfetched &= ~(1u << state_.last);
  fetch(*slots_[state_.last]);
  return true;
}

bool AhciPort::may_fetch() const {
  if ((r_.cmd & reg::kSt) == 0 || state_.stopped || state_.unfetched == 0 || !device_there()) return false;
  return (r_.tfd & (Outcome::kBusy | Outcome::kDrq)) == 0;
}

bool AhciPort::drained() const {
  return std::none_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->abandoned; });
}

void AhciPort::fetch(Slot& slot) {
  r_.cmd = (r_.cmd & ~(0x1Fu << reg::kCcsPlace)) | slot.number << reg::kCcsPlace;
  slot.wanted = true;
  slot.moved = 0;
  std::array<std::uint8_t, kHeaderBytes> header{};
  std::array<std::uint8_t, RegisterFis::kBytes> frame{};
  std::uint16_t flags = 0;
  std::uint16_t regions = 0;
  std::uint64_t table = 0;
  bool good = dma_.read(r_.clb + std::uint64_t{kHeaderBytes} * slot.number, header.data(), kHeaderBytes);
  std::memcpy(&flags, &header[0], sizeof flags);
  std::memcpy(&regions, &header[2], sizeof regions);
  std::memcpy(&table, &header[8], sizeof table);
  table &= ~std::uint64_t{0x7F};
  good = good && dma_.read(table, frame.data(), frame.size());
  std::vector<std::uint8_t> entries(std::size_t{regions} * RegionList::kEntryBytes);
  if (good && !entries.empty())
    good = dma_.read(table + kRegionsAt, entries.data(), static_cast<std::uint32_t>(entries.size()));
  if (!slot.wanted) return;
  if (!good) return stop(reg::kHbfs);
  constexpr std::uint32_t kWords = RegisterFis::kBytes / 4;
  if ((flags & 0x1F) < kWords || frame[0] != fis::kToDevice) return stop(reg::kIfs, reg::kSerrHandshake);
  slot.regions.assign(entries);
  slot.fis = RegisterFis::parse(frame.data());
  if (!slot.fis.is_command) return control(slot, (flags >> 10 & 1) != 0);
  r_.tfd |= Outcome::kBusy;
  state_.begun = &slot;
}

void AhciPort::begin(Slot& slot) {
  look_at_drive();
  slot.task = device_.accept(slot.fis, core::now_ps());
  const Task& task = slot.task;
  if (task.next == Task::Next::Nothing) return;
  if (task.next == Task::Next::Answer && task.queued && !task.outcome.failed()) {  // the device itself has the data
    const bool good = take({}, 0);
    if (good) r_.ci &= ~(1u << slot.number);
    device_.dropped(task);
    if (good && (!inbound(task.transfer) || deliver(slot, device_.page().data(), task.bytes)))
      finish_queued(slot, task.outcome);
    return;
  }
  if (task.next == Task::Next::Answer) {
    if (!task.outcome.failed() && inbound(task.transfer) && !deliver(slot, device_.page().data(), task.bytes)) return;
    Outcome outcome = task.outcome;
    if (!outcome.failed() && outbound(task.transfer)) {  // data for the device itself
      if (!collect(slot)) return;
      outcome = device_.received(slot.fis, slot.data);
    }
    finish(slot, outcome);
    return;
  }
  bool ready = true;
  if (task.queued) {  // tell the host that the device is ready for the next command
    ready = take({}, 0);
    if (ready) r_.ci &= ~(1u << slot.number);
  }
  if (ready && (!outbound(task.transfer) || collect(slot)))
    to_drive(slot);
  else
    device_.dropped(task);
}

void AhciPort::control(Slot& slot, bool clears_busy) {
  slot.wanted = false;
  if ((slot.fis.control & RegisterFis::kSoftReset) != 0) {
    withdraw();
    device_.reset(false);
    state_.soft_reset = true;
  } else if (std::exchange(state_.soft_reset, false)) {
    if (!take_signature(false)) return;
    clears_busy = true;
  }
  if (clears_busy) r_.ci &= ~(1u << slot.number);
}

void AhciPort::link_reset() {
  withdraw();
  r_.tfd = Outcome::kBusy;
  state_.soft_reset = false;
  take_signature(true);
}

/// Takes the register FIS that follows a reset. It sets the registers even if FIS receive is off (AHCI 1.3.1, 3.3.7, FRE). Returns false like `take`.
bool AhciPort::take_signature(bool hard) {
  look_at_drive();
  const Outcome signature = device_.reset(hard);
  if (!take(signature, 0)) return false;
  r_.sig = static_cast<std::uint32_t>(signature.lba << 8 | signature.count);
  return true;
}

/// After a loss of power the device is as at power-up.
void AhciPort::look_at_drive() {
  const std::uint32_t losses = control_.read(drive::reg::kPowerLosses);
  if (std::exchange(losses_, losses) == losses) return;
  control_.busy();
  device_.power_up();
}

void AhciPort::withdraw() {
  forget_all();
  for (const auto& slot : slots_) {
    if (slot->in_drive) control_.abort(static_cast<std::uint32_t>(slot->task.command.tag));
  }
}

// --- the drive --------------------------------------------------------------------------------------------------------

void AhciPort::to_drive(Slot& slot) {
  if (!slot.task.queued) slot.task.command.tag = 0;  // no other command is in the drive
  slot.task.command.issued = core::now_ps();
  if (slot.task.command.duration != 0) {
    slot.limits = device_.durations();
    slot.task.command.durations = &slot.limits;
  }
  slot.data.resize(slot.task.command.length);
  disk_init_socket.issued(slot.task.command);
  command::set_command(slot.payload, slot, slot.task.command, slot.data.data());
  lines_.to_send.push_back(&slot);
  send();
}

void AhciPort::send() {
  if (lines_.sending) return;  // this is a nested call: the drive has answered within `way_.send`
  lines_.sending = true;
  while (!lines_.to_send.empty() && !way_.busy()) {
    Slot& slot = *lines_.to_send.front();
    lines_.to_send.erase(lines_.to_send.begin());
    slot.in_drive = true;
    tlm::tlm_phase phase = tlm::END_RESP;
    if (way_.send(disk_init_socket, slot.payload) == Heard::Answered) {
      sc_core::sc_time delay;
      nb_transport_bw(slot.payload, phase, delay);
    }
  }
  lines_.sending = false;
}

tlm::tlm_sync_enum AhciPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& /*delay*/) {
  const Heard heard = way_.receive(payload, phase);
  if (heard == Heard::Taken) send();
  if (heard != Heard::Answered) return tlm::TLM_ACCEPTED;
  Slot& slot = slot_of(payload);
  slot.in_drive = false;
  payload.release();
  lines_.answered.push_back(&slot);
  work_.notify(sc_core::SC_ZERO_TIME);
  send();
  return tlm::TLM_COMPLETED;
}

void AhciPort::answered(Slot& slot) {
  control_.busy();
  const bool flush = slot.task.command.flush();
  if (std::exchange(slot.abandoned, false) || !slot.wanted) {
    lost_write_ = lost_write_ || (flush && slot.status == command::CommandStatus::WriteFault);
    if (slot.data.capacity() > kKeptBytes) slot.data = {};
    forgotten(slot);
    return;
  }
  if (flush && slot.status == command::CommandStatus::Good && std::exchange(lost_write_, false))
    slot.status = command::CommandStatus::WriteFault;
  const Outcome outcome = device_.ended(slot.fis, slot.task, slot);
  // A host takes the data before a sector that cannot be read as good.
  const std::uint32_t bytes = device_.readable_bytes(slot.task, slot);
  if (bytes > 0 && !deliver(slot, slot.data.data(), bytes)) return;
  if (slot.task.queued)
    finish_queued(slot, outcome);
  else
    finish(slot, outcome);
}

// --- data and frames --------------------------------------------------------------------------------------------------

template <typename Move>
bool AhciPort::move(Slot& slot, std::uint32_t bytes, Move how) {
  bool good = true;
  const std::uint32_t before = slot.moved;
  slot.moved += slot.regions.advance(bytes, [&](std::uint64_t address, std::uint32_t part, std::uint32_t offset) {
    good = how(address, part, before + offset);
    return good && slot.wanted;
  });
  if (!slot.wanted) return false;
  if (slot.regions.take_interrupt()) raise(reg::kDps);
  if (!good) {
    stop(reg::kHbfs);
    slot.wanted = false;
  } else if (slot.moved - before < bytes) {
    raise(reg::kOfs);
  }
  return good;
}

bool AhciPort::collect(Slot& slot) {
  const Task& task = slot.task;
  slot.data.resize(task.bytes);
  if (task.queued && !announce(slot, false)) return false;
  const auto into = [&](std::uint64_t address, std::uint32_t bytes, std::uint32_t at) {
    return dma_.read(address, &slot.data[at], bytes);
  };
  const std::uint32_t block = task.transfer == Transfer::PioOut ? task.block_bytes : task.bytes;
  for (std::uint32_t at = 0; at < task.bytes && slot.moved == at; at += block) {
    const std::uint32_t bytes = std::min(block, task.bytes - at);
    if (task.transfer == Transfer::PioOut && !pio_block(slot, bytes, false, at > 0)) return false;
    if (!move(slot, bytes, into)) return false;
  }
  r_.tfd = task.transfer == Transfer::PioOut ? std::uint32_t{Outcome::kBusy} : r_.tfd;
  if (slot.moved == task.bytes) return true;
  const Outcome outcome = device_.short_of_data(slot.fis, task);  // nothing goes to the drive
  if (task.queued)
    finish_queued(slot, outcome);
  else
    finish(slot, outcome);
  return false;
}

bool AhciPort::deliver(Slot& slot, const std::uint8_t* data, std::uint32_t count) {
  const Task& task = slot.task;
  const auto from = [&](std::uint64_t address, std::uint32_t bytes, std::uint32_t at) {
    return dma_.write(address, data + at, bytes);
  };
  if (task.queued && !announce(slot, true)) return false;
  const std::uint32_t block = task.transfer == Transfer::PioIn ? task.block_bytes : count;
  for (std::uint32_t at = 0; at < count; at += block) {
    const std::uint32_t bytes = std::min(block, count - at);
    if (task.transfer == Transfer::PioIn && !pio_block(slot, bytes, true, at > 0)) return false;
    if (!move(slot, bytes, from)) return false;
  }
  return true;
}

/// Writes the DMA setup FIS that precedes the data of a queued command.
bool AhciPort::announce(const Slot& slot, bool in) {
  std::array<std::uint8_t, 28> setup{};
  setup[0] = fis::kDmaSetup;
  setup[1] = in ? fis::kIn : 0;
  setup[4] = slot.task.tag;
  std::memcpy(&setup[20], &slot.task.bytes, sizeof slot.task.bytes);
  return write_frame(fis::kDmaSetupAt, setup.data(), setup.size());
}

/// Writes the PIO setup FIS that precedes a block of data. `interrupt`: raises the interrupt of the previous block.
bool AhciPort::pio_block(Slot& slot, std::uint32_t bytes, bool in, bool interrupt) {
  Outcome ready;
  ready.status = Outcome::kReady | Outcome::kDrq;
  ready.device = slot.fis.device;
  std::array<std::uint8_t, 20> frame =
      ready.to_fis(fis::kPioSetup, static_cast<std::uint8_t>(fis::kInterrupt | (in ? fis::kIn : 0)));
  frame[15] = in ? Outcome::kReady : Outcome::kBusy;
  std::memcpy(&frame[16], &bytes, 2);
  if (!write_frame(fis::kPioSetupAt, frame.data(), frame.size())) return false;
  r_.tfd = ready.status;
  if (interrupt) raise(reg::kPss);
  return slot.wanted;
}

void AhciPort::finish(Slot& slot, const Outcome& outcome) {
  if (!slot.wanted) return;
  if (slot.data.capacity() > kKeptBytes) slot.data = {};
  if (slot.task.queued) {  // the device did not accept it, and says so by a register FIS
    if (!take(outcome, fis::kInterrupt)) return;
    slot.wanted = false;
    stop(reg::kTfes);
    withdraw();
    return;
  }
  if (!write_memory(r_.clb + std::uint64_t{kHeaderBytes} * slot.number + 4, &slot.moved, sizeof slot.moved)) return;
  const bool by_setup = slot.task.transfer == Transfer::PioIn && !outcome.failed();
  if (by_setup)
    r_.tfd = outcome.status;
  else if (!take(outcome, fis::kInterrupt))
    return;
  slot.wanted = false;
  if (!outcome.failed()) {
    r_.ci &= ~(1u << slot.number);
    raise(by_setup ? reg::kPss : reg::kDhrs);
    return;
  }
  stop(reg::kTfes);  // the frame raises no interrupt of its own: the error comes first (AHCI 1.3.1, 5.3.8.1)
  if (device_.halted()) withdraw();
}

void AhciPort::finish_queued(Slot& slot, const Outcome& outcome) {
  if (!slot.wanted) return;
  if (slot.data.capacity() > kKeptBytes) slot.data = {};
  const std::uint32_t done = outcome.failed() ? 0 : 1u << slot.task.tag;
  const auto status = static_cast<std::uint8_t>(outcome.status & 0x77);
  std::array<std::uint8_t, 8> frame{fis::kSetDeviceBits, fis::kInterrupt, status, outcome.error};
  std::memcpy(&frame[4], &done, sizeof done);
  if (!write_frame(fis::kSetDeviceBitsAt, frame.data(), frame.size())) return;
  slot.wanted = false;
  r_.tfd = (r_.tfd & (Outcome::kBusy | Outcome::kDrq)) | status | std::uint32_t{outcome.error} << 8;
  r_.sact &= ~done;
  if (!outcome.failed()) return raise(reg::kSdbs);
  stop(reg::kTfes);
  withdraw();
}

bool AhciPort::write_frame(std::uint64_t at, const void* frame, std::uint32_t bytes) {
  return (r_.cmd & reg::kFre) == 0 || write_memory(r_.fb + at, frame, bytes);
}

bool AhciPort::write_memory(std::uint64_t address, const void* from, std::uint32_t bytes) {
  const std::uint64_t epoch = epoch_;
  const bool good = dma_.write(address, from, bytes);
  if (epoch != epoch_) return false;
  if (!good) stop(reg::kHbfs);
  return good;
}

/// Takes a register FIS from the device. If `flags` asks for an interrupt, the caller raises it when the command has left PxCI. Returns false like
/// `write_memory`.
bool AhciPort::take(const Outcome& outcome, std::uint8_t flags) {
  const auto frame = outcome.to_fis(fis::kToHost, flags);
  if (!write_frame(fis::kToHostAt, frame.data(), frame.size())) return false;
  r_.tfd = outcome.status | std::uint32_t{outcome.error} << 8;
  return true;
}

}  // namespace platter::ahci
