// SPDX-License-Identifier: Apache-2.0
//
// The functions of platter.h. Exceptions end here.
#include "libplatter/platter.h"

#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <thread>
#include <vector>

#include "libplatter/device.h"
#include "platter/command/command.h"
#include "platter/core/error.h"
#include "platter/core/sc_time.h"
#include "platter/system/disk_identity.h"
#include "platter/version.h"

using platter::c::Device;

struct platter_device {
  std::unique_ptr<Device> device;
  bool destroyed = false;
};

/// libsystemc.so has a `main` that calls it. A program of C has a `main` of its own.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 1; }

namespace {

namespace core = platter::core;

/// Counts the calls that have not returned.
class Within {
 public:
  explicit Within(int& calls) : calls_(calls) { ++calls_; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  ~Within() { --calls_; }

 private:
  int& calls_;
};

/// The simulation of the process.
class Process : public platter::c::CompletionSinkIf {
 public:
  static Process& only() {
    static auto* const process = new Process;  // modules must not be destroyed before the kernel's own objects
    return *process;
  }

  void issued() override { ++outstanding; }
  void ended() override {
    if (--outstanding == 0 && running > 0) sc_core::sc_pause();
  }
  void completed(const platter_completion& completion, platter_callback callback, void* context) override {
    if (callback != nullptr) {
      const Within within(calling);
      callback(&completion, context);
      return;
    }
    completions.push_back(completion);
    if (running > 0) sc_core::sc_pause();
  }
  void check_thread() const {
    if (std::this_thread::get_id() != thread)
      throw std::logic_error("called from another thread; expected the one that made the first call");
  }

  std::vector<std::unique_ptr<platter_device>> devices;
  std::deque<platter_completion> completions;
  std::uint64_t outstanding = 0;
  bool started = false;
  int running = 0;  ///< calls of platter_run()
  int calling = 0;  ///< calls of callbacks
  bool broken = false;

 private:
  Process() {
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);  // else the kernel prints it
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  }

  const std::thread::id thread = std::this_thread::get_id();
};

thread_local std::string last_error;

int failed(int code, const std::string& text) {
  last_error = text;
  return code;
}

/// Runs `body`, and makes a code of what it throws.
template <typename Body>
int guarded(const char* function, Body body) {
  try {
    Process::only().check_thread();
    body();
    return PLATTER_OK;
  } catch (const core::ConfigError& error) {
    return failed(PLATTER_BAD_INPUT, error.what());
  } catch (const core::InputError& error) {
    return failed(PLATTER_BAD_INPUT, error.what());
  } catch (const std::invalid_argument& error) {
    return failed(PLATTER_BAD_ARGUMENT, fmt::format("{}: {}", function, error.what()));
  } catch (const std::logic_error& error) {
    return failed(PLATTER_BAD_STATE, fmt::format("{}: {}", function, error.what()));
  } catch (const sc_core::sc_report& report) {
    Process::only().broken = Process::only().started;
    return failed(PLATTER_FAILED, report.get_msg());
  } catch (const std::exception& error) {
    Process::only().broken = Process::only().started;
    return failed(PLATTER_FAILED, error.what());
  }
}

Device& of(platter_device* handle) {
  if (handle == nullptr || handle->destroyed)
    throw std::invalid_argument("found no device, expected one that platter_create() has made");
  return *handle->device;
}

void outside_callbacks() {
  if (Process::only().calling > 0) throw std::logic_error("called from a callback; expected a call after it has returned");
}

int create(const char* function, platter::system::Scenario (*read)(const std::string&, const std::string&), const char* text,
           const char* name, const char* disk, platter_device** device) {
  return guarded(function, [&] {
    if (text == nullptr || device == nullptr)
      throw std::invalid_argument("found a null pointer, expected a scenario and a place for the device");
    *device = nullptr;
    outside_callbacks();
    Process& process = Process::only();
    if (process.started) throw std::logic_error("called after the first platter_run(); expected all devices before it");
    const std::string called = name != nullptr && *name != '\0' ? name : fmt::format("device{}", process.devices.size());
    auto scenario = std::make_unique<const platter::system::Scenario>(read(text, called));
    auto handle = std::make_unique<platter_device>();
    handle->device = std::make_unique<Device>(sc_core::sc_module_name(called.c_str()), std::move(scenario),
                                              disk != nullptr ? disk : "", handle.get(), process);
    *device = handle.get();
    process.devices.push_back(std::move(handle));
  });
}

}  // namespace

extern "C" {

int platter_abi(void) { return PLATTER_ABI; }
const char* platter_version(void) { return PLATTER_VERSION; }
const char* platter_error(void) { return last_error.c_str(); }

const char* platter_status_text(int status) {
  const auto known = static_cast<platter::command::CommandStatus>(status);
  return status < 0 || status > 255 ? "?" : platter::command::to_string(known).data();
}

int platter_create(const char* scenario, const char* name, const char* disk, platter_device** device) {
  return create(
      __func__, [](const std::string& text, const std::string& called) { return platter::system::read_scenario(text, called); },
      scenario, name, disk, device);
}

int platter_create_from_file(const char* path, const char* name, const char* disk, platter_device** device) {
  return create(
      __func__, [](const std::string& file, const std::string& /*called*/) { return platter::system::load_scenario(file); },
      path, name, disk, device);
}

void platter_destroy(platter_device* device) {
  if (device == nullptr || device->destroyed) return;
  static_cast<void>(guarded(__func__, [device] {
    outside_callbacks();
    device->device->close();
    device->destroyed = true;
    auto& completions = Process::only().completions;
    for (auto at = completions.begin(); at != completions.end();) at = at->device == device ? completions.erase(at) : at + 1;
  }));
}

uint32_t platter_block_bytes(const platter_device* device) {
  return device != nullptr && !device->destroyed ? device->device->block_bytes() : 0;
}
uint64_t platter_blocks(const platter_device* device) {
  return device != nullptr && !device->destroyed ? device->device->blocks() : 0;
}

void platter_request_init(platter_request* request) {
  if (request == nullptr) return;
  *request = {};
  request->size = sizeof *request;
  request->operation = PLATTER_READ;
  request->cls = PLATTER_DISCRETE;
  request->blocks = 1;
  request->deadline = PLATTER_FOREVER;
}

int platter_submit(platter_device* device, const platter_request* request, uint64_t* number) {
  return guarded(__func__, [&] {
    Device& to = of(device);
    if (request == nullptr) throw std::invalid_argument("found no request");
    if (request->size != sizeof *request)
      throw std::invalid_argument(fmt::format("platter_request.size: found {}, expected {}, as platter_request_init() sets it",
                                              request->size, sizeof *request));
    const std::uint64_t given = to.submit(*request);
    if (number != nullptr) *number = given;
  });
}

int platter_cancel(platter_device* device, uint64_t number, int* cancelled) {
  return guarded(__func__, [&] {
    const bool done = of(device).cancel(number);
    if (cancelled != nullptr) *cancelled = done ? 1 : 0;
  });
}

int64_t platter_now(void) { return core::now_ps(); }

int platter_run(int64_t until) {
  return guarded(__func__, [until] {
    Process& process = Process::only();
    outside_callbacks();
    if (process.broken) throw std::logic_error("called after the simulation has failed");
    if (until < core::now_ps())
      throw std::invalid_argument(fmt::format("found the time {} ps, expected one from now on ({} ps)", until, core::now_ps()));
    constexpr core::Picoseconds kLongest = core::Picoseconds{1} << 62;  // leaves room, because a drive adds times
    if (until > kLongest && until != PLATTER_FOREVER)
      throw std::invalid_argument(
          fmt::format("found the time {} ps, expected at most {} ps or PLATTER_FOREVER", until, kLongest));
    process.started = true;
    const Within running(process.running);
    while (process.completions.empty()) {
      if (sc_core::sc_pending_activity_at_current_time() || core::now_ps() == 0) sc_core::sc_start(sc_core::SC_ZERO_TIME);
      if (!process.completions.empty()) return;
      if (sc_core::sc_pending_activity_at_current_time()) continue;
      if (core::now_ps() == until) return;
      if (until == PLATTER_FOREVER) {
        if (process.outstanding == 0 || !sc_core::sc_pending_activity_at_future_time()) return;
        if (sc_core::sc_time_to_pending_activity() > core::to_sc_time(kLongest - core::now_ps()))
          throw std::runtime_error("simulated time has come to its end");
      }
      sc_core::sc_start(core::to_sc_time(std::min<core::Picoseconds>(until, kLongest) - core::now_ps()),
                        until == PLATTER_FOREVER ? sc_core::SC_EXIT_ON_STARVATION : sc_core::SC_RUN_TO_TIME);
    }
  });
}

int platter_next(platter_completion* completion) {
  bool taken = false;
  static_cast<void>(guarded(__func__, [&] {
    if (completion == nullptr) throw std::invalid_argument("found no place for the completion");
    auto& completions = Process::only().completions;
    if (completions.empty()) return;
    *completion = completions.front();
    completions.pop_front();
    taken = true;
  }));
  return taken ? 1 : 0;
}

int platter_on_completion(platter_device* device, platter_callback callback, void* context) {
  return guarded(__func__, [&] {
    outside_callbacks();
    of(device).set_callback(callback, context);
  });
}

int platter_cut_power(platter_device* device) {
  return guarded(__func__, [device] {
    outside_callbacks();
    of(device).disks().supply().cut(0);
  });
}

int platter_restore_power(platter_device* device) {
  return guarded(__func__, [device] {
    outside_callbacks();
    of(device).disks().supply().restore();
  });
}

int platter_power_image(platter_device* device, uint32_t drive, const char* path) {
  return guarded(__func__, [&] {
    outside_callbacks();
    Device& from = of(device);
    if (path == nullptr) throw std::invalid_argument("found no path");
    const auto& drives = from.disks().drives();
    if (drive >= drives.size())
      throw std::invalid_argument(fmt::format("found drive {}, expected one below {}", drive, drives.size()));
    platter::system::save_power_image(from.scenario(), *drives[drive], drive, path);
  });
}

int platter_statistics(platter_device* device, const char** json) {
  return guarded(__func__, [&] {
    outside_callbacks();
    if (json == nullptr) throw std::invalid_argument("found no place for the text");
    *json = of(device).statistics().c_str();
  });
}

int platter_waves_begin(platter_device* device, const char* path) {
  return guarded(__func__, [&] {
    outside_callbacks();
    Device& of_waves = of(device);
    if (path == nullptr) throw std::invalid_argument("found no path");
    if (Process::only().started) throw std::logic_error("called after the first platter_run(); expected a call before it");
    of_waves.begin_waves(path);
  });
}

int platter_waves_end(platter_device* device) {
  return guarded(__func__, [device] {
    outside_callbacks();
    of(device).end_waves();
  });
}

}  // extern "C"
