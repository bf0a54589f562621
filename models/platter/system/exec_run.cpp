// SPDX-License-Identifier: Apache-2.0
#include "platter/system/exec_run.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "platter/core/error.h"
#include "platter/core/input_files.h"
#include "platter/core/sc_time.h"
#include "platter/front/exec/program_server.h"
#include "platter/front/exec/shared_channel.h"
#include "platter/media/disk_file.h"
#include "platter/observe/request_tap.h"
#include "platter/observe/write_log.h"
#include "platter/system/disk_identity.h"
#include "platter/system/disk_waves.h"
#include "platter/system/image_file.h"
#include "platter/system/load_result.h"
#include "platter/system/request_files.h"
#include "platter/system/simulated_drives.h"

namespace platter::system {

namespace {

std::vector<std::unique_ptr<media::DiskFile>> open_exec_disk(const Scenario& s, const ExecOptions& options) {
  std::vector<std::unique_ptr<media::DiskFile>> files;
  if (options.disk.empty()) return files;
  if (!options.image.empty())
    throw core::InputError("--image", 0, 0, "found --image and --disk, expected one of them: a disk has its own contents");
  files.push_back(std::make_unique<media::DiskFile>(options.disk, disk_identity(s, 0)));
  if (const std::string objection = core::note_input(options.disk); !objection.empty())
    throw core::InputError(options.disk, 0, 0, objection);
  return files;
}

drive::DriveConfig exec_drive_config(const Scenario& s) {
  drive::DriveConfig config = drive_config(s);
  config.holds_data = true;
  return config;
}

class ExecRun : public RunIf {
 public:
  ExecRun(const Scenario& scenario, const ExecOptions& options)
      : s_(scenario),
        files_(scenario, options.run),
        disk_files_(open_exec_disk(scenario, options)),
        disks_(scenario, exec_drive_config(scenario), engine_factory(engine_options(scenario, scenario.policy, options.run)),
               Disks::Layer::Joined, disk_files_),
        statistics_(0),
        waves_(scenario, options.run, disks_),
        options_(options) {
    files_.observe_drives(disks_);
    if (disks_.spread()) statistics_.count_misses();
    if (options.run.write_logs.size() > 1)
      throw core::InputError(options.run.write_logs[1], 0, 0, "found more logs than drives: the scenario has 1 drive");
    server_.bind(tap_);
    drive::Drive& drive = disks_.first();
    if (options.run.write_logs.empty()) {
      tap_.disk_init_socket.bind(drive.host_tgt_socket);
    } else {
      write_log_.emplace(options.run.write_logs.front(), s_.drive.geometry.sector_bytes);
      write_log_tap_.emplace("program_write_log", *write_log_);
      tap_.disk_init_socket.bind(write_log_tap_->host_tgt_socket);
      write_log_tap_->disk_init_socket.bind(drive.host_tgt_socket);
    }
    tap_.add_observer(statistics_);
    files_.observe(tap_);
  }

  void run() override {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const mechanics::Geometry& geometry = disks_.first().planner().geometry();
    exec::DeviceFacts facts;
    facts.path = options_.device;
    facts.block_bytes = geometry.sector_bytes();
    facts.capacity_bytes = disks_.first().capacity_sectors() * facts.block_bytes;
    facts.physical_bytes = facts.block_bytes * s_.drive.geometry.blocks_per_physical_sector();
    facts.clock_cost_ps = options_.clock_cost;
    facts.epoch_s = options_.epoch_s;
    if (!options_.image.empty())
      load_image(options_.image, facts.capacity_bytes, facts.block_bytes, -1,
                 [this](std::uint64_t at, std::uint8_t* data, std::size_t bytes) {
                   put_sectors(tap_.disk_init_socket, at, data, bytes);
                 });
    exec::SharedChannel channel(facts);
    const DisksAt begin(disks_);
    options_.start(*channel, channel.path());
    try {
      server_.serve(*channel, options_.over);
    } catch (...) {
      channel.close();
      options_.wait();
      throw;
    }
    for (const auto& disk : disk_files_) disk->sync();
    const core::Picoseconds end = core::now_ps();
    tap_.close([&](const workload::Request& request) { statistics_.outstanding(request, end); });
    statistics_.check_conservation();
    result_.measure(s_, statistics_, disks_, begin);
  }

  nlohmann::json result() const override { return params::to_json(load_rows(), &result_); }
  double simulated_s() const override { return core::to_milliseconds(core::now_ps()) * 1e-3; }
  std::optional<double> measured_s() const override { return result_.measured_s; }
  std::uint64_t decisions() const override { return result_.scheduler.decided.decisions; }
  std::vector<observe::OutputFile*> outputs() override {
    return files_.outputs(waves_.close(), write_log_ ? &*write_log_ : nullptr);
  }

 private:
  const Scenario& s_;
  RequestFiles files_;  // first member: a file that cannot be written is refused before anything is built
  std::vector<std::unique_ptr<media::DiskFile>> disk_files_;
  Disks disks_;
  observe::Statistics statistics_;
  std::uint64_t numbers_ = 0;
  observe::RequestTap tap_{"program_tap", numbers_};
  std::optional<observe::WriteLog> write_log_;
  std::optional<observe::WriteLogTap> write_log_tap_;
  DiskWaves waves_;
  exec::ProgramServer server_{"program_server"};
  const ExecOptions options_;
  LoadResult result_;
};

}  // namespace

std::unique_ptr<RunIf> make_exec_run(const Scenario& s, const ExecOptions& options) {
  if (!s.host->takes_clients || s.host->several_drives)
    s.refuse("host.kind", fmt::format("found {}, expected drive, because the program is the host of one drive", s.host->name));
  const std::uint32_t sector = s.drive.geometry.sector_bytes;
  if ((sector & (sector - 1)) != 0)
    s.refuse("drive", fmt::format("found sectors of {} bytes, expected a power of two, as block devices have", sector));
  if (s.drive.actuators_by == profile::ActuatorsBy::Lun)
    s.refuse("drive.actuators.by", "found lun, expected address: the device has no logical units");
  if (!options.image.empty() && s.drive.zones.model == profile::ZoneModel::Managed)
    throw core::InputError(options.image, 0, 0,
                           "found an image of a drive with zones, expected --disk: an image has no write pointers");
  check_engine(s);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  return std::make_unique<ExecRun>(s, options);
}

}  // namespace platter::system
