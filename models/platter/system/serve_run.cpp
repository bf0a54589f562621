// SPDX-License-Identifier: Apache-2.0
#include "platter/system/serve_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "platter/command/tlm/register_fan_in.h"
#include "platter/core/error.h"
#include "platter/core/input_files.h"
#include "platter/front/ahci/ahci_target.h"
#include "platter/front/iscsi/server.h"
#include "platter/front/nbd/server.h"
#include "platter/front/scsi/scsi_target.h"
#include "platter/front/serving/kernel_loop.h"
#include "platter/front/vfio_user/vfio_user_server.h"
#include "platter/media/disk_file.h"
#include "platter/observe/ahci_waves.h"
#include "platter/observe/request_tap.h"
#include "platter/observe/write_log.h"
#include "platter/system/disk_identity.h"
#include "platter/system/disk_waves.h"
#include "platter/system/image_file.h"
#include "platter/system/load_result.h"
#include "platter/system/request_files.h"
#include "platter/system/serve_control.h"
#include "platter/system/simulated_drives.h"
#include "platter/system/timeline.h"

namespace platter::system {

namespace {

drive::DriveConfig data_config(const Scenario& s, const ServeOptions& options) {
  drive::DriveConfig config = drive_config(s);
  config.holds_data = true;
  if (!options.iscsi.empty()) config.profile.task_attributes = true;  // a SCSI drive has them
  return config;
}

/// Where the measured time begins: with the first command that a client sends or gets back after the warm-up, since nothing else happens then.
/// To be told of every command before the statistics.
class MeasuredFrom : public workload::RequestObserverIf {
 public:
  MeasuredFrom(const Disks& disks, observe::Statistics& statistics, core::Picoseconds warmup)
      : disks_(disks), statistics_(statistics), warmup_(warmup) {}

  void issued(const workload::Request& /*request*/) override { look(); }
  void finished(const workload::FinishedRequest& /*finished*/) override { look(); }
  void look() {
    if (!begin_ && core::now_ps() >= warmup_) start();
  }
  void start() {
    begin_.emplace(disks_);
    statistics_.begin(begin_->time);
  }
  const std::optional<DisksAt>& begin() const { return begin_; }

 private:
  const Disks& disks_;
  observe::Statistics& statistics_;
  core::Picoseconds warmup_;
  std::optional<DisksAt> begin_;
};

/// The files of the drives, opened and locked; none if no file was asked for.
std::vector<std::unique_ptr<media::DiskFile>> open_disks(const Scenario& s, const ServeOptions& options) {
  std::vector<std::unique_ptr<media::DiskFile>> files;
  if (options.disks.empty()) return files;
  if (!options.images.empty())
    throw core::InputError("--image", 0, 0, "found --image and --disk, expected one of them: a disk has its own contents");
  const std::size_t drives = s.host->several_drives ? s.array.drives : 1;
  if (options.disks.size() != drives)
    throw core::InputError("--disk", 0, 0,
                           fmt::format("found {} disk{}, expected {}: one for each drive", options.disks.size(),
                                       options.disks.size() == 1 ? "" : "s", drives));
  for (std::size_t i = 0; i < drives; ++i) {
    files.push_back(std::make_unique<media::DiskFile>(options.disks[i], disk_identity(s, static_cast<std::uint32_t>(i))));
    if (const std::string objection = core::note_input(options.disks[i]); !objection.empty())
      throw core::InputError(options.disks[i], 0, 0, objection);
  }
  return files;
}

/// The name of the iSCSI target, in a domain that is nobody's (RFC 2606).
constexpr const char* kTargetName = "iqn.2026-01.example.platter:drives";

class ServeRun : public RunIf, private serving::PollHandlerIf {
 public:
  ServeRun(const Scenario& scenario, const ServeOptions& options)
      : s_(scenario),
        files_(scenario, options.run),
        disk_files_(open_disks(scenario, options)),
        disks_(scenario, data_config(scenario, options),
               system::engine_factory(engine_options(scenario, scenario.policy, options.run)), Disks::Layer::Apart,
               disk_files_),
        statistics_(core::kNoDeadline),
        from_(disks_, statistics_, seconds(scenario.run.warmup_s)),
        waves_(scenario, options.run, disks_),
        loop_(options.pacing, poller_),
        options_(options) {
    files_.observe_drives(disks_);
    if (disks_.spread()) statistics_.count_misses();
    result_.serving.emplace();
    result_.serving->pacing = options.pacing;
    const std::size_t drives = disks_.drives().size();
    if (options.images.size() > drives)
      throw core::InputError(
          options.images[drives], 0, 0,
          fmt::format("found more images than drives: the scenario has {} drive{}", drives, drives == 1 ? "" : "s"));
    if (options.run.write_logs.size() > drives)
      throw core::InputError(
          options.run.write_logs[drives], 0, 0,
          fmt::format("found more logs than drives: the scenario has {} drive{}", drives, drives == 1 ? "" : "s"));
    for (const std::filesystem::path& file : options.run.write_logs)
      write_logs_.push_back(std::make_unique<observe::WriteLog>(file, s_.drive.geometry.sector_bytes));
    if (!options.images.empty() && scenario.drive.zones.model == profile::ZoneModel::Managed)
      throw core::InputError(options.images.front(), 0, 0,
                             "found an image of a drive with zones, expected --disk: an image has no write pointers");
    if (!options.nbd.empty()) offer_blocks();
    if (!options.iscsi.empty()) offer_target();
    if (!options.vfio_user.empty()) offer_adapter();
    poller_.add(options.stop_fd, EPOLLIN, *this);
  }

  void run() override {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (std::size_t i = 0; i < options_.images.size(); ++i)
      load_image(options_.images[i], bytes_of(*disks_.drives()[i]), s_.drive.geometry.sector_bytes, options_.stop_fd,
                 [&to = *taps_[i]](std::uint64_t at, std::uint8_t* data, std::size_t bytes) {
                   put_sectors(to.disk_init_socket, at, data, bytes);
                 });
    listen();
    from_.look();
    loop_.run();
    if (portal_) portal_->say_farewell();
    for (const auto& disk : disk_files_) disk->sync();
    from_.look();
    if (!from_.begin()) {
      from_.start();
      options_.warning(fmt::format(
          "nothing was measured: serving ended after {} s of simulated time, within the warm-up of {} s (sim.warmup_s)",
          simulated_s(), s_.run.warmup_s));
    }
    const core::Picoseconds end = core::now_ps();
    for (const auto& tap : taps_) tap->close([&](const workload::Request& request) { statistics_.outstanding(request, end); });
    statistics_.check_conservation();
    result_.measure(s_, statistics_, disks_, *from_.begin());
    result_.serving->account = loop_.account();
    result_.serving->clients =
        (nbd_ ? nbd_->clients() : 0) + (portal_ ? portal_->clients() : 0) + (machine_ ? machine_->clients() : 0);
  }

  nlohmann::json result() const override { return params::to_json(load_rows(), &result_); }
  double simulated_s() const override { return core::to_milliseconds(core::now_ps()) * 1e-3; }
  std::optional<double> measured_s() const override { return result_.measured_s; }
  std::uint64_t decisions() const override { return result_.scheduler.decided.decisions; }
  std::vector<observe::OutputFile*> outputs() override {
    std::vector<observe::OutputFile*> outputs = files_.outputs(waves_.close());
    for (const auto& log : write_logs_) {
      log->finish();
      outputs.push_back(&log->file());
    }
    return outputs;
  }

 private:
  void ready(std::uint32_t /*events*/) override { loop_.stop(); }

  std::uint64_t bytes_of(const drive::Drive& drive) const {
    return drive.capacity_sectors() * drive.planner().geometry().sector_bytes();
  }

  /// A tap between an initiator and the drive.
  observe::RequestTap& tap(const std::string& name, drive::Drive& drive) {
    taps_.push_back(std::make_unique<observe::RequestTap>(name.c_str(), numbers_));
    observe::RequestTap& tap = *taps_.back();
    if (taps_.size() <= write_logs_.size()) {  // one tap a drive, in their order
      log_taps_.push_back(
          std::make_unique<observe::WriteLogTap>((name + "_write_log").c_str(), *write_logs_[taps_.size() - 1]));
      tap.disk_init_socket.bind(log_taps_.back()->host_tgt_socket);
      log_taps_.back()->disk_init_socket.bind(drive.host_tgt_socket);
    } else {
      tap.disk_init_socket.bind(drive.host_tgt_socket);
    }
    tap.add_observer(loop_);
    tap.add_observer(from_);
    tap.add_observer(statistics_);
    files_.observe(tap);
    return tap;
  }

  void offer_blocks() {
    if (s_.drive.actuators_by == profile::ActuatorsBy::Lun)
      s_.refuse("drive.actuators.by", "found lun, expected address: only a SCSI target has logical units");
    const std::uint32_t sector = s_.drive.geometry.sector_bytes;
    if ((sector & (sector - 1)) != 0)
      s_.refuse("drive", fmt::format("found sectors of {} bytes, expected a power of two, as NBD requires", sector));
    for (const auto& drive : disks_.drives()) {
      const std::string name = drive->basename();
      blocks_.push_back(std::make_unique<nbd::BlockInitiator>((name + "_nbd").c_str()));
      blocks_.back()->disk_init_socket.bind_tap(tap(name + "_nbd_tap", *drive));
      exports_.push_back({name, fmt::format("{}, {}, engine {}", s_.drive.name, s_.policy.notation, s_.engine.notation),
                          bytes_of(*drive), drive->planner().geometry().sector_bytes(), blocks_.back().get()});
    }
  }

  void offer_target() {
    const bool by_lun = s_.drive.actuators_by == profile::ActuatorsBy::Lun;
    const std::uint32_t of_drive = by_lun ? s_.drive.geometry.actuators : 1;
    if (s_.drive.queue_depth < of_drive)
      s_.refuse("drive.queue.depth", fmt::format("found {}, expected at least {}, a tag for each logical unit of the drive",
                                                 s_.drive.queue_depth, of_drive));
    if (by_lun && !write_logs_.empty())
      s_.refuse("drive.actuators.by", "found lun, expected address with a log of the writes, which is of a whole drive");
    std::vector<scsi::UnitIdentity> units;
    for (const auto& drive : disks_.drives())
      for (std::uint32_t i = 0; i < of_drive; ++i) {
        const scsi::UnitIdentity whole =
            scsi::UnitIdentity::of(s_.drive, drive->capacity_sectors(), fmt::format("{:04}", units.size() + 1), kTargetName);
        units.push_back(by_lun ? whole.of_actuator(i) : whole);
      }
    target_device_ = std::make_unique<scsi::ScsiTarget>("scsi", units);
    for (std::size_t i = 0; i < units.size(); ++i) {
      drive::Drive& drive = *disks_.drives()[i / of_drive];
      const std::string name = drive::numbered(drive.basename(), i % of_drive);
      scsi::LogicalUnit& unit = target_device_->unit(i);
      unit.disk_init_socket.bind_tap(tap(name + "_scsi_tap", drive));
      if (i % of_drive == 0 && by_lun) {
        register_fans_.push_back(std::make_unique<command::RegisterFanIn>((name + "_registers").c_str()));
        register_fans_.back()->register_init_socket.bind(drive.register_tgt_socket);
      }
      if (by_lun)
        unit.register_init_socket.bind(register_fans_.back()->register_tgt_socket);
      else
        unit.register_init_socket.bind(drive.register_tgt_socket);
      unit.bind_zones(drive.zones());
      unit.set_defects([&drive] {
        std::vector<std::uint64_t> sectors;
        for (const auto& [sector, spare] : drive.faults().spares()) sectors.push_back(sector * drive.faults().together());
        return sectors;
      });
    }
  }

  void open_portal() {
    portal_ = std::make_unique<iscsi::Server>(options_.iscsi, *target_device_, kTargetName, s_.drive.queue_depth, poller_);
    const serving::Listener& listener = portal_->listener();
    if (listener.is_unix()) throw std::invalid_argument(fmt::format("{}: expected HOST:PORT", options_.iscsi));
    if (listener.is_local()) return;
    if (!options_.iscsi_remote)
      throw std::invalid_argument(fmt::format(
          "{}: other machines reach this address; add --iscsi-remote to accept them without authentication", options_.iscsi));
    options_.warning(fmt::format("{}: any machine that reaches this address can read and write the drives", options_.iscsi));
  }

  void offer_adapter() {
    if (s_.drive.actuators_by == profile::ActuatorsBy::Lun)
      s_.refuse("drive.actuators.by", "found lun, expected address: an ATA device has no logical units");
    const auto& drives = disks_.drives();
    if (drives.size() > ahci::reg::kMaxPorts)
      s_.refuse("array.drives", fmt::format("found {}, expected at most {}, because each drive needs a port of the adapter",
                                            drives.size(), std::size_t{ahci::reg::kMaxPorts}));
    std::vector<ahci::AtaIdentity> devices;
    devices.reserve(drives.size());
    for (const auto& drive : drives)
      devices.push_back(ahci::AtaIdentity::of(s_.drive, drive->capacity_sectors(), fmt::format("{:04}", devices.size() + 1)));
    adapter_ = std::make_unique<ahci::AhciTarget>("ahci", devices);
    machine_ = std::make_unique<vfio_user::VfioUserServer>("vfio_user", poller_);
    machine_->stop_on(options_.stop_fd);
    machine_->register_init_socket.bind(adapter_->register_tgt_socket);
    adapter_->dma_init_socket.bind(machine_->memory_tgt_socket);
    adapter_->interrupt.bind(interrupt_);
    machine_->interrupt.bind(interrupt_);
    for (std::size_t i = 0; i < drives.size(); ++i) {
      const std::string name = std::string(drives[i]->basename()) + "_ahci_tap";
      adapter_->port(i).disk_init_socket.bind_tap(tap(name, *drives[i]));
      adapter_->port(i).register_init_socket.bind(drives[i]->register_tgt_socket);
      adapter_->port(i).bind_zones(drives[i]->zones());
      drives[i]->bind_link(&adapter_->port(i));
    }
    if (waves_.file() != nullptr) adapter_waves_.emplace(*adapter_, *waves_.file(), "ahci");
    loop_.add(*machine_);
  }

  nbd::ServerOptions nbd_options() const {
    nbd::ServerOptions options;
    if (options_.nbd_memory > 0) options.memory = options_.nbd_memory;
    return options;
  }

  /// From now on clients come.
  void listen() {
    const auto open = [](const char* option, const auto& how) {
      try {
        how();
      } catch (const std::invalid_argument& error) {
        throw core::InputError(option, 0, 0, error.what());
      }
    };
    if (!blocks_.empty()) {
      open("--nbd", [this] { nbd_ = std::make_unique<nbd::Server>(options_.nbd, exports_, poller_, nbd_options()); });
      loop_.add(*nbd_);
    }
    if (target_device_) {
      loop_.wait_for([this] { return target_device_->awaited(); });
      open("--iscsi", [this] { open_portal(); });
      loop_.add(*portal_);
    }
    if (machine_) open("--vfio-user", [this] { machine_->listen(options_.vfio_user); });
    if (!options_.control.empty()) {  // before the first line: who reads it can use the socket
      open("--control", [this] {
        control_ = std::make_unique<serving::ControlServer>(options_.control, control_commands(target_), poller_);
      });
      loop_.add(*control_);
    }
    for (const nbd::Export& each : exports_) options_.listening(fmt::format("{} at {}", each.name, nbd_->uri(each.name)));
    for (std::size_t i = 0; portal_ && i < target_device_->units(); ++i) {
      const std::size_t of_drive = target_device_->units() / disks_.drives().size();
      const std::string name = drive::numbered(disks_.drives()[i / of_drive]->basename(), i % of_drive);
      options_.listening(fmt::format("{} at {}", name, portal_->url(i)));
    }
    if (machine_) {
      const char* const who = disks_.drives().size() == 1 ? "disk" : "all drives";
      options_.listening(fmt::format("{} at {}, as an AHCI adapter (vfio-user-pci)", who, options_.vfio_user));
    }
  }

  const Scenario& s_;
  RequestFiles files_;  // first member: a file that cannot be written is refused before anything is built
  std::vector<std::unique_ptr<media::DiskFile>> disk_files_;
  Disks disks_;
  std::vector<std::unique_ptr<observe::WriteLog>> write_logs_;
  std::vector<std::unique_ptr<observe::WriteLogTap>> log_taps_;
  observe::Statistics statistics_;
  MeasuredFrom from_;
  std::uint64_t numbers_ = 0;
  std::vector<std::unique_ptr<observe::RequestTap>> taps_;
  DiskWaves waves_;
  serving::Poller poller_;
  serving::KernelLoop loop_;
  std::vector<std::unique_ptr<nbd::BlockInitiator>> blocks_;
  std::vector<nbd::Export> exports_;
  std::unique_ptr<nbd::Server> nbd_;
  std::vector<std::unique_ptr<command::RegisterFanIn>> register_fans_;  ///< of drives with a logical unit for each actuator
  std::unique_ptr<scsi::ScsiTarget> target_device_;
  std::unique_ptr<iscsi::Server> portal_;
  std::unique_ptr<ahci::AhciTarget> adapter_;
  std::optional<observe::AhciWaves> adapter_waves_;
  std::unique_ptr<vfio_user::VfioUserServer> machine_;
  sc_core::sc_signal<bool> interrupt_{"interrupt"};
  ControlTarget target_{disks_.drives(), disks_.supply(), [this] { loop_.stop(); },
                        [this](const std::string& text) {
                          for (const auto& log : write_logs_) log->mark(text);
                        },
                        [this](std::size_t drive, const std::string& file) {
                          return save_power_image(s_, *disks_.drives()[drive], static_cast<std::uint32_t>(drive), file);
                        }};
  std::unique_ptr<serving::ControlServer> control_;
  const ServeOptions options_;
  LoadResult result_;
};

}  // namespace

std::unique_ptr<RunIf> make_serve_run(const Scenario& s, const ServeOptions& options) {
  if (!s.host->takes_clients)
    s.refuse("host.kind", fmt::format("found {}, expected {}, because the clients are the host", s.host->name,
                                      hosts_that(&HostInfo::takes_clients)));
  const int doors = int{!options.nbd.empty()} + int{!options.iscsi.empty()} + int{!options.vfio_user.empty()};
  if (doors > 1)
    throw core::InputError(
        "platter serve", 0, 0,
        "found several of --nbd, --iscsi and --vfio-user, expected one of them, because an AHCI port and a SCSI "
        "target assign the tags of their drives");
  if (options.nbd_memory > 0 && options.nbd_memory < nbd::Server::kMinMemory)
    throw core::InputError("--nbd-memory", 0, 0,
                           fmt::format("found {} bytes, expected at least {}, which is twice the largest request",
                                       options.nbd_memory, nbd::Server::kMinMemory));
  check_engine(s);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  return std::make_unique<ServeRun>(s, options);
}

}  // namespace platter::system
