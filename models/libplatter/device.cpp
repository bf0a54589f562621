// SPDX-License-Identifier: Apache-2.0
#include "libplatter/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include "platter/core/error.h"
#include "platter/core/input_files.h"
#include "platter/core/sc_time.h"
#include "platter/system/disk_identity.h"
#include "platter/system/engines.h"
#include "platter/system/simulated_drives.h"

namespace platter::c {

using command::CommandStatus;
using core::Picoseconds;

static_assert(PLATTER_DISCRETE == static_cast<int>(core::RequestClass::Discrete));
static_assert(PLATTER_CONTINUOUS == static_cast<int>(core::RequestClass::Continuous));
static_assert(PLATTER_BACKGROUND == static_cast<int>(core::RequestClass::Background));
static_assert(PLATTER_READ == static_cast<int>(command::Operation::Read));
static_assert(PLATTER_WRITE == static_cast<int>(command::Operation::Write));
static_assert(PLATTER_FLUSH == static_cast<int>(command::Operation::Flush));
static_assert(PLATTER_GOOD == static_cast<int>(CommandStatus::Good));
static_assert(PLATTER_DRIVE_FAILED == static_cast<int>(CommandStatus::DriveFailed));
static_assert(PLATTER_ABORTED == static_cast<int>(CommandStatus::Aborted));
static_assert(PLATTER_UNREADABLE == static_cast<int>(CommandStatus::Unreadable));
static_assert(PLATTER_WRITE_FAULT == static_cast<int>(CommandStatus::WriteFault));
static_assert(PLATTER_FOREVER == core::kNoDeadline);

namespace {

drive::DriveConfig data_config(const system::Scenario& s) {
  drive::DriveConfig config = system::drive_config(s);
  config.holds_data = true;
  return config;
}

/// What cannot be loaded for the scenario's engine or policy is an error of the scenario.
template <typename Load>
auto loaded(const system::Scenario& s, Load load) {
  try {
    return load();
  } catch (const core::SimulationError& error) {
    s.refuse(s.engine.row->is_firmware() ? "policy" : "engine", error.what());
  }
}

const system::Scenario& checked(const std::unique_ptr<const system::Scenario>& scenario) {
  const system::Scenario& s = *scenario;
  if (!s.host->takes_clients)
    s.refuse("host.kind", fmt::format("found {}, expected drive or array, because the program is the host", s.host->name));
  loaded(s, [&] { system::check_engine(s); });
  return s;
}

engine::EngineFactory engines(const system::Scenario& s) {
  return [&s, make = system::engine_factory(system::engine_options(s, s.policy, {}))](const engine::EngineContext& context) {
    return loaded(s, [&] { return make(context); });
  };
}

std::vector<std::unique_ptr<media::DiskFile>> open_disk(const system::Scenario& s, const std::string& disk) {
  std::vector<std::unique_ptr<media::DiskFile>> files;
  if (disk.empty()) return files;
  if (s.host->several_drives) throw core::InputError(disk, 0, 0, "found a disk file for an array, expected one drive");
  files.push_back(std::make_unique<media::DiskFile>(disk, system::disk_identity(s, 0)));
  if (const std::string objection = core::note_input(disk); !objection.empty()) throw core::InputError(disk, 0, 0, objection);
  return files;
}

[[noreturn]] void refuse(const char* field, const std::string& what) {
  throw std::invalid_argument(fmt::format("platter_request.{}: {}", field, what));
}

}  // namespace

Device::Device(const sc_core::sc_module_name& name, std::unique_ptr<const system::Scenario> scenario, const std::string& disk,
               platter_device* handle, CompletionSinkIf& sink)
    : sc_module(name),
      scenario_(std::move(scenario)),
      files_(open_disk(checked(scenario_), disk)),
      disks_(std::make_unique<system::Disks>(*scenario_, data_config(*scenario_), engines(*scenario_),
                                             system::Disks::Layer::Joined, files_)),
      statistics_(0),
      initiator_("program"),
      memory_(0, 0),
      block_bytes_(disks_->first().planner().geometry().sector_bytes()),
      handle_(handle),
      sink_(sink),
      own_tags_(!scenario_->host->several_drives) {
  disks_->bind(initiator_.disk_init_socket);
  if (disks_->spread()) statistics_.count_misses();
  begin_.emplace(*disks_);
  for (int tag = 0; own_tags_ && tag < static_cast<int>(scenario_->drive.queue_depth); ++tag) tags_.push_back(tag);
}

std::uint64_t Device::submit(const platter_request& request) {
  const bool data = request.operation == PLATTER_READ || request.operation == PLATTER_WRITE;
  if (!data && request.operation != PLATTER_FLUSH)
    refuse("operation", fmt::format("found {}, expected PLATTER_READ, PLATTER_WRITE or PLATTER_FLUSH", request.operation));
  if (request.cls < 0 || request.cls >= static_cast<int>(core::kRequestClasses))
    refuse("cls", fmt::format("found {}, expected 0 to {}", request.cls, core::kRequestClasses - 1));
  if (request.deadline < 0) refuse("deadline", fmt::format("found {}, expected a time from 0", request.deadline));
  constexpr std::uint32_t kMaxBytes = std::uint32_t{1} << 30;
  if (data && (request.blocks == 0 || request.blocks > kMaxBytes / block_bytes_))
    refuse("blocks", fmt::format("found {}, expected 1 to {}", request.blocks, kMaxBytes / block_bytes_));
  if (data && (request.block >= blocks() || blocks() - request.block < request.blocks))
    refuse("block", fmt::format("found {} with {} blocks, expected blocks below {}", request.block, request.blocks, blocks()));
  if (free_.empty()) {
    free_.push_back(open_.size());
    open_.emplace_back();
  }
  const std::size_t place = free_.back();
  free_.pop_back();
  nbd::BlockRequest& made = initiator_.acquire(*this);
  made.cookie = place;
  command::Command& command = made.command;
  command.operation = static_cast<command::Operation>(request.operation);
  command.cls = static_cast<core::RequestClass>(request.cls);
  command.deadline = request.deadline;
  command.stream = request.stream;
  command.fua = request.fua != 0;
  command.issued = core::now_ps();
  if (data) {
    command.address = request.block * block_bytes_;
    command.length = request.blocks * block_bytes_;
    const auto* bytes = static_cast<const std::uint8_t*>(request.data);
    if (bytes != nullptr && command.write()) made.data.assign(bytes, bytes + command.length);
    if (bytes != nullptr && command.read()) made.data.resize(command.length);
  }
  Open& open = open_[place];
  open.request = request;
  static_cast<command::Command&>(open.counted) = command;
  open.number = ++submitted_;
  open.made = &made;
  statistics_.issued(open.counted);
  sink_.issued();
  if (own_tags_ && (tags_.empty() || !waiting_.empty()))
    waiting_.push_back(&made);
  else
    issue(made);
  return open.number;
}

void Device::issue(nbd::BlockRequest& request) {
  if (own_tags_) {
    request.command.tag = tags_.front();
    std::pop_heap(tags_.begin(), tags_.end(), std::greater<>());
    tags_.pop_back();
  }
  initiator_.issue(request);
}

bool Device::cancel(std::uint64_t number) {
  if (!own_tags_) throw std::invalid_argument("found an array, expected a drive");
  const auto found = std::find_if(open_.begin(), open_.end(), [number](const Open& open) { return open.number == number; });
  if (number == 0 || found == open_.end()) return false;
  nbd::BlockRequest& made = *found->made;
  const int tag = made.command.tag;
  const command::Result result{CommandStatus::Aborted, command::CommandTiming::waited(made.command.issued, 0, core::now_ps())};
  if (tag == command::Attributes::kAnyTag) {
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &made));
    initiator_.release(made);
  } else {
    if (!initiator_.withdraw(made)) return disks_->first().abort(core::Tag(static_cast<std::uint16_t>(tag)));
    free_tag(tag);
  }
  complete(static_cast<std::size_t>(found - open_.begin()), result);
  return true;
}

void Device::free_tag(int tag) {
  tags_.push_back(tag);
  std::push_heap(tags_.begin(), tags_.end(), std::greater<>());
  if (waiting_.empty()) return;
  nbd::BlockRequest& next = *waiting_.front();
  waiting_.pop_front();
  issue(next);
}

void Device::answered(nbd::BlockRequest& made) {
  const platter_request& request = open_[made.cookie].request;
  if (request.data != nullptr && request.operation == PLATTER_READ && made.status == CommandStatus::Good)
    std::memcpy(request.data, made.data.data(), made.data.size());
  if (own_tags_) free_tag(made.command.tag);
  complete(made.cookie, made);
}

void Device::complete(std::size_t place, const command::Result& result) {
  Open& open = open_[place];
  statistics_.finished({open.counted, open.number - 1, result.status, result.timing});
  const command::CommandTiming& timing = result.timing;
  platter_completion done{};
  done.device = handle_;
  done.request = open.number;
  done.cookie = open.request.cookie;
  done.status = static_cast<int>(result.status);
  done.operation = open.request.operation;
  done.issued = timing.issued;
  done.started = timing.started;
  done.completed = timing.completed;
  done.queue = timing.queue;
  done.overhead = timing.overhead;
  done.seek = timing.seek;
  done.settle = timing.settle;
  done.rotation = timing.rotation;
  done.transfer = timing.transfer;
  done.bus = timing.bus;
  done.first_bad = result.first_bad;
  open.number = 0;
  free_.push_back(place);
  if (closed_) return;
  sink_.completed(done, callback_, context_);
  sink_.ended();
}

void Device::close() {
  closed_ = true;
  for (const Open& open : open_)
    if (open.number != 0) sink_.ended();
  for (nbd::BlockRequest* const request : waiting_) initiator_.release(*request);
  waiting_.clear();
  initiator_.forget(*this, memory_);
}

const std::string& Device::statistics() {
  observe::Statistics all = statistics_;
  for (const Open& open : open_)
    if (open.number != 0) all.outstanding(open.counted, core::now_ps());
  all.check_conservation();
  system::LoadResult result;
  result.measure(*scenario_, all, *disks_, *begin_);
  json_ = params::to_json(system::load_rows(), &result).dump(1);
  return json_;
}

void Device::begin_waves(const std::string& path) {
  if (waves_) throw std::invalid_argument("found a second file, expected one for a device");
  system::RunOptions options;
  options.wave_windows = {{path, 0, core::kNoDeadline}};
  waves_ = std::make_unique<system::DiskWaves>(*scenario_, options, *disks_);
}

void Device::end_waves() {
  if (!waves_) throw std::invalid_argument("found no file, expected platter_waves_begin() before");
  if (waves_ended_) throw std::invalid_argument("found a file that is complete, expected one call for a file");
  waves_ended_ = true;
  observe::commit_all(waves_->close());
}

}  // namespace platter::c
