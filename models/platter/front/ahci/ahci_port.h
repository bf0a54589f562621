// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/command/tlm/initiator_port.h"
#include "platter/drive/link_if.h"
#include "platter/front/ahci/ahci_probe.h"
#include "platter/front/ahci/ata_device.h"
#include "platter/front/ahci/drive_control.h"
#include "platter/front/ahci/region_list.h"
#include "platter/front/ahci/registers.h"

namespace platter::ahci {

/// @cond of the implementation

/// The host's memory, for a port. A transfer may take time, so it must be called from a thread.
class DmaIf {
 public:
  virtual ~DmaIf() = default;
  /// Returns false if the memory has not answered with OK.
  virtual bool read(std::uint64_t address, void* to, std::uint32_t bytes) = 0;
  virtual bool write(std::uint64_t address, const void* from, std::uint32_t bytes) = 0;
};

/// @endcond

/// A port of an AHCI host bus adapter (AHCI 1.3.1, sections 3.3 and 5), and the disk behind it.
///
/// One thread fetches commands and moves data, because a port has one link. It sends a command to the drive when it has fetched the FIS and, for a
/// write, the data. It moves the data of a read when the drive has answered. Registers are read and written at once, from any process.
///
/// A reset, or the error of a queued command, withdraws commands. A withdrawn command whose access has begun ends on the media and gets no answer.
/// The next command waits until then.
///
/// A queued command has the same tag in the drive's queue. So the port must be the only initiator of its drive: a command of another one takes the
/// lowest free tag, and the drive then refuses the port's next command with that tag.
class AhciPort : public sc_core::sc_module, public tlm::tlm_mm_interface, public drive::LinkIf {
 public:
  SC_HAS_PROCESS(AhciPort);
  /// @cond of the implementation
  /// `interrupt_changed` is notified when `interrupts()` may have changed.
  AhciPort(const sc_core::sc_module_name& name, const AtaIdentity& identity, const AtaDevice::Options& options, DmaIf& dma,
           sc_core::sc_event& interrupt_changed);
  ~AhciPort() override;
  /// @endcond

  command::TappedSocket<AhciPort> disk_init_socket;  ///< to `host_tgt_socket` of the drive, or to a tap before it

 private:
  DriveControl control_;

 public:
  DriveControl::Socket& register_init_socket;  ///< to `register_tgt_socket` of the drive

  /// The zones of the drive, for reports; null if it has none. Required if the identity has zones.
  void bind_zones(const zones::Zones* zones) { control_.bind_zones(zones); }

  /// @cond of the implementation
  /// `offset`: from the port's first register. `mask`: the bits that are written.
  std::uint32_t read(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint32_t data, std::uint32_t mask);
  /// Resets the port with the adapter: all is as after power-up, except the addresses of command list and received FISes (AHCI 1.3.1, 10.4.3).
  void reset();
  /// True if an interrupt is pending and enabled.
  bool interrupts() const { return (is() & r_.ie) != 0; }

  /// The device sends COMINIT after a CRC error: the host has to restart the port, and loses what was in progress.
  void link_dropped() override;

  const AtaDevice& device() const { return device_; }
  /// `number`: the port's number in the reports.
  void set_probes(const AhciProbes& probes, std::uint32_t number) {
    probes_ = &probes;
    number_ = number;
  }

 private:
  /// The command in a slot, from its FIS to its answer. The slot is the extension of its own payload.
  struct Slot : command::CommandExtension {
    Slot(tlm::tlm_mm_interface* manager, std::uint32_t slot) : payload(manager), number(slot) {}
    tlm::tlm_generic_payload payload;
    std::uint32_t number;
    RegisterFis fis;
    Task task;
    RegionList regions;
    command::DurationTable limits;   ///< of the command, if it has a limit
    std::uint32_t moved = 0;         ///< bytes so far
    std::vector<std::uint8_t> data;  ///< the data of the drive's command
    bool in_drive = false;
    bool wanted = false;     ///< the host waits for its answer
    bool abandoned = false;  ///< it is in the drive, and the host no longer waits for it
  };
  struct Registers {
    std::uint64_t clb = 0;
    std::uint64_t fb = 0;
    std::uint32_t is = 0;
    std::uint32_t ie = 0;
    std::uint32_t cmd = reg::kSud | reg::kPod;
    std::uint32_t tfd = 0x7F;
    std::uint32_t sig = ~0u;
    std::uint32_t ssts = 0;
    std::uint32_t sctl = 0;
    std::uint32_t serr = 0;
    std::uint32_t sact = 0;
    std::uint32_t ci = 0;
  };

  void free(tlm::tlm_generic_payload* payload) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  static Slot& slot_of(tlm::tlm_generic_payload& payload) {
    return static_cast<Slot&>(*payload.get_extension<command::CommandExtension>());
  }

  void tell() const;

  // Registers
  bool device_there() const { return (r_.ssts & 0xF) == 3; }
  std::uint32_t is() const { return r_.is | ((r_.serr & reg::kSerrExchanged) != 0 ? reg::kPcs : 0); }
  void write_command(std::uint32_t value);
  void write_link(std::uint32_t value);
  void set_link_power(std::uint32_t state);
  void link_up();
  void raise(std::uint32_t events);
  /// Reports an error. Afterwards the port does nothing until PxCMD.ST has been cleared.
  void stop(std::uint32_t events, std::uint32_t serr = 0);
  /// From now on the host waits for no command in progress.
  void forget_all();
  /// Ends, for the device, a command that has not reached the drive or for whose end the host does not wait.
  void give_up(const Task& task);
  /// A command for which the host no longer waits has ended.
  void forgotten(const Slot& slot);

  // The thread
  void run();
  bool step();
  bool may_fetch() const;
  /// True if no withdrawn command is in the drive.
  bool drained() const;
  void fetch(Slot& slot);
  void begin(Slot& slot);
  void control(Slot& slot, bool clears_busy);
  void link_reset();
  bool take_signature(bool hard);
  void look_at_drive();
  void withdraw();
  void to_drive(Slot& slot);
  void send();
  void answered(Slot& slot);

  // Data and frames
  bool collect(Slot& slot);
  /// Sends `count` bytes to the host.
  bool deliver(Slot& slot, const std::uint8_t* data, std::uint32_t count);
  bool announce(const Slot& slot, bool in);
  bool pio_block(Slot& slot, std::uint32_t bytes, bool in, bool interrupt);
  template <typename Move>
  bool move(Slot& slot, std::uint32_t bytes, Move how);
  void finish(Slot& slot, const Outcome& outcome);
  void finish_queued(Slot& slot, const Outcome& outcome);
  bool write_frame(std::uint64_t at, const void* frame, std::uint32_t bytes);
  /// Returns false if the memory has refused, which stops the port, or if the command was withdrawn meanwhile.
  bool write_memory(std::uint64_t address, const void* from, std::uint32_t bytes);
  bool take(const Outcome& outcome, std::uint8_t flags);

  DmaIf& dma_;
  sc_core::sc_event& interrupt_changed_;
  AtaDevice device_;
  Registers r_;
  std::vector<std::unique_ptr<Slot>> slots_;
  command::InitiatorPort way_;
  struct {
    std::vector<Slot*> to_send;   ///< they wait for the end of the previous request phase
    std::vector<Slot*> answered;  ///< the drive has ended their commands; the thread handles them next
    bool sending = false;
  } lines_;
  struct {
    bool reset = false;           ///< a COMRESET that has not been carried out yet
    std::uint32_t unfetched = 0;  ///< bits of PxCI whose commands have not been fetched
    std::uint32_t last = reg::kSlots - 1;
    Slot* begun = nullptr;  ///< its command has been fetched and goes to the device next
    bool stopped = false;
    bool soft_reset = false;
  } state_;
  std::uint32_t losses_ = 0;  ///< of the drive's power, at the last look
  bool lost_write_ = false;   ///< the answer of an abandoned flush has told of one: the next flush tells the host
  std::uint64_t epoch_ = 0;   ///< increases when commands are withdrawn; a transfer of an earlier one has no effect
  bool moving_ = false;       ///< the thread is working, possibly waiting for a DMA transfer
  sc_core::sc_event work_;
  const AhciProbes* probes_ = nullptr;
  std::uint32_t number_ = 0;
  /// @endcond
};

}  // namespace platter::ahci
