// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the simulation tests: a drive whose times can be calculated by hand, TLM-2.0 hosts that use every variant of
// the base protocol, and small stimulus and observer modules.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif

#include <unistd.h>

#include <gtest/gtest.h>

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "../sanitized.h"
#include "platter/command/tlm/command_extension.h"
#include "platter/core/sc_time.h"
#include "platter/drive/drive.h"
#include "platter/drive/register_client.h"
#include "platter/system/drives.h"
#include "platter/system/engines.h"
#include "platter/workload/initiator.h"

namespace platter::testing {

using command::CommandExtension;
using command::CommandStatus;
using command::CommandTiming;
using core::Picoseconds;
using core::RequestClass;

inline constexpr Picoseconds kUs = core::kPicosecondsPerMicrosecond;
inline constexpr Picoseconds kMs = core::kPicosecondsPerMillisecond;

/// Tests repeat less if a sanitizer slows the program down.
inline constexpr std::uint32_t kScale = kSanitized ? 3 : 1;
constexpr std::uint32_t scaled(std::uint32_t count) { return count / kScale; }

/// Simulates until `time`.
inline void run_until(Picoseconds time) {
  if (time > core::now_ps()) sc_core::sc_start(core::to_sc_time(time - core::now_ps()));
}

// --- drives ----------------------------------------------------------------------------------------------------------

/// A drive whose times are easy to calculate by hand: 128 cylinders, 2 surfaces, 64 sectors a track, 100 us a sector (6.4 ms a
/// turn), no skew. A seek over d cylinders takes 1,000 + 10 (d - 1) us, a head switch 500 us, the settling of a write 200 us.
/// The command overhead is 300 us, plus 10 us after a write, plus 20 us for a write. A sector takes 5 us on the bus. Sector s
/// of every track starts at the phase of s * 100 us. FCFS decides in 180 cycles of 5 ns.
inline profile::DriveProfile toy_profile() {
  profile::DriveProfile p;
  p.name = "toy";
  p.source = "made up";
  p.geometry.cylinders = 128;
  p.geometry.surfaces = 2;
  profile::ZoneProfile zone;
  zone.last_cylinder = 127;
  zone.sectors_per_track = 64;
  p.geometry.zones = {zone};
  p.seek.points_us = {{1, 1000.0}, {127, 2260.0}};
  p.rpm = 9375;
  p.head_switch_us = 500;
  p.write_settle_us = 200;
  p.overhead.read_miss_us = {300, 310};
  p.overhead.write_us = {320, 330};
  p.bus_read_block_us = p.bus_write_block_us = 5;
  return p;
}

/// The toy drive with a buffer of eight segments of half a track, two of them for writes. A read from the buffer takes 50 us of overhead.
inline profile::DriveProfile cached_toy_profile(profile::WriteBack write_back) {
  profile::DriveProfile p = toy_profile();
  p.overhead.read_hit_us = {50, 60};
  p.cache.segments = 8;
  p.cache.segment_blocks = 32;
  p.cache.read_ahead = profile::ReadAhead::Segment;
  p.cache.keep_read_blocks = true;
  p.cache.write_segments = 2;
  p.cache.write_back = write_back;
  return p;
}

inline constexpr std::uint64_t kToyBlocks = 128 * 2 * 64;
inline constexpr std::uint64_t kToyTrack = 64;
inline constexpr std::uint64_t kToyCylinder = 128;
inline constexpr Picoseconds kToyTurn = 6'400 * kUs;
inline constexpr Picoseconds kToyFcfsDecision = 180 * 5'000;

/// The Atlas 10K with its buffer, on an interface of 80 MB/s. (Its profile has the slow bus of the measurement setup.)
inline profile::DriveProfile buffered_atlas_profile() {
  profile::DriveProfile profile = system::load_drive("atlas10k");
  profile.bus_read_block_us = profile.bus_write_block_us = 6.4;
  profile.bus_overlap = true;
  profile.zero_latency_read = profile.zero_latency_write = false;
  profile.firmware_base_cycles = 120;
  profile.firmware_candidate_cycles = 60;
  return profile;
}

inline profile::DriveProfile atlas_profile() {
  profile::DriveProfile profile = buffered_atlas_profile();
  profile.cache = {};
  return profile;
}

inline system::EngineOptions engine_options(const std::string& policy, const std::string& engine,
                                            const profile::DriveProfile& profile) {
  system::EngineOptions options(profile);
  options.engine = system::find_engine(engine).value();
  options.policy = scheduling::find_policy(policy).value();
  return options;
}

inline std::unique_ptr<drive::Drive> make_drive(const char* name, const std::string& policy, const std::string& engine,
                                                const profile::DriveProfile& profile, bool holds_data = true,
                                                const scheduling::Interpretations& interpretations = {}) {
  drive::DriveConfig config;
  config.profile = profile;
  config.holds_data = holds_data;
  system::EngineOptions options = engine_options(policy, engine, profile);
  options.interpretations = interpretations;
  return std::make_unique<drive::Drive>(name, config, system::engine_factory(options));
}

/// Does the policy guarantee deadlines, so that no round may be late?
inline bool keeps_deadlines(const std::string& policy) {
  return scheduling::find_policy(policy)->row->guard != scheduling::GuardMode::None;
}

/// Test parameter: a policy, and the engine that runs it.
struct Engine {
  const char* policy;
  const char* engine;

  friend std::ostream& operator<<(std::ostream& out, const Engine& e) { return out << e.policy << " on " << e.engine; }
};

inline std::string name_of_engine(const ::testing::TestParamInfo<Engine>& test) {
  std::string name = std::string(test.param.policy) + "_" + test.param.engine;
  name.erase(std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }),
             name.end());
  return name;
}

// --- commands --------------------------------------------------------------------------------------------------------

/// A command with its payload, its data and the times of its phases.
struct Transaction {
  explicit Transaction(tlm::tlm_mm_interface* manager) : payload(manager) { payload.set_extension(&extension); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() { payload.clear_extension(&extension); }

  /// `fill` is every byte of a write.
  void set(bool write, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill = 0) {
    data.assign(std::size_t{blocks} * 512, write ? fill : std::uint8_t{0xEE});
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(lba * 512);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    payload.set_byte_enable_ptr(nullptr);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  void set_flush() {
    set(false, 0, 0);
    payload.set_command(tlm::TLM_IGNORE_COMMAND);
    payload.set_data_ptr(nullptr);
    extension.flush = true;
  }

  bool write() const { return payload.get_command() == tlm::TLM_WRITE_COMMAND; }
  std::uint64_t lba() const { return payload.get_address() / 512; }
  std::uint32_t blocks() const { return payload.get_data_length() / 512; }
  const CommandTiming& timing() const { return extension.timing; }
  tlm::tlm_response_status status() const { return payload.get_response_status(); }

  tlm::tlm_generic_payload payload;
  CommandExtension extension;
  std::vector<std::uint8_t> data;
  Picoseconds begin_req = -1;
  Picoseconds end_req = -1;
  Picoseconds begin_resp = -1;
  std::uint64_t accepted_order = 0;
  std::uint64_t finished_order = 0;
  bool released = false;  ///< all references to the payload have been released
};

/// How a host ends a response phase.
enum class EndResponse {
  Completed,         ///< TLM_COMPLETED
  CompletedDelayed,  ///< TLM_COMPLETED with an annotated delay
  Updated,           ///< TLM_UPDATED with END_RESP
  Later,             ///< TLM_ACCEPTED, then END_RESP on the forward path
  LaterDelayed,      ///< as `Later`, with an annotated delay of END_RESP
};

/// An approximately-timed host: sends the given commands in order, one request phase at a time, and ends responses as configured.
class AtHost : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  SC_HAS_PROCESS(AtHost);
  explicit AtHost(const sc_core::sc_module_name& name)
      : sc_module(name), disk_init_socket("disk_init_socket"), phases_(this, &AtHost::delayed_phase) {
    disk_init_socket.register_nb_transport_bw(this, &AtHost::nb_transport_bw);
    SC_METHOD(pump);
    sensitive << pump_event_;
  }
  /// Bound to `target`, a drive or an array.
  template <typename Target>
  AtHost(const sc_core::sc_module_name& name, Target& target) : AtHost(name) {
    disk_init_socket.bind(target.host_tgt_socket);
  }

  tlm_utils::simple_initiator_socket<AtHost> disk_init_socket;

  EndResponse end_response = EndResponse::Completed;
  Picoseconds response_delay = 0;  ///< of END_RESP
  Picoseconds request_delay = 0;   ///< annotated to BEGIN_REQ
  std::function<void(Transaction&)> on_accepted;
  std::function<void(Transaction&)> on_finished;

  Transaction& make() {
    transactions_.push_back(std::make_unique<Transaction>(this));
    return *transactions_.back();
  }
  /// Returns a released transaction, or a new one.
  Transaction& reuse() {
    for (const auto& transaction : transactions_)
      if (transaction->released) {
        transaction->released = false;
        return *transaction;
      }
    return make();
  }
  void submit(Transaction& transaction) {
    backlog_.push_back(&transaction);
    pump_event_.notify(sc_core::SC_ZERO_TIME);
  }
  void submit_within(Transaction& transaction) {
    backlog_.push_back(&transaction);
    pump();
  }
  Transaction& submit(bool write, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill = 0) {
    Transaction& transaction = make();
    transaction.set(write, lba, blocks, fill);
    submit(transaction);
    return transaction;
  }
  /// `change` gets the command's extension.
  template <typename Change>
  Transaction& submit(bool write, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill, Change change) {
    Transaction& transaction = make();
    transaction.set(write, lba, blocks, fill);
    change(transaction.extension);
    submit(transaction);
    return transaction;
  }
  Transaction& flush() {
    Transaction& transaction = make();
    transaction.set_flush();
    submit(transaction);
    return transaction;
  }

  std::uint64_t accepted() const { return accepted_; }
  std::uint64_t finished() const { return finished_; }
  bool requesting() const { return requesting_ != nullptr; }
  std::size_t backlog() const { return backlog_.size(); }
  /// True if all references to all payloads have been released.
  bool all_released() const {
    return std::all_of(transactions_.begin(), transactions_.end(), [](const auto& t) { return t->released; });
  }

 private:
  void free(tlm::tlm_generic_payload* payload) override { find(*payload).released = true; }

  Transaction& find(const tlm::tlm_generic_payload& payload) {
    for (auto it = transactions_.rbegin(); it != transactions_.rend(); ++it)
      if (&(*it)->payload == &payload) return **it;
    throw std::logic_error("a payload that is not this host's");
  }

  void pump() {
    while (requesting_ == nullptr && !backlog_.empty()) {
      Transaction& transaction = *backlog_.front();
      backlog_.pop_front();
      requesting_ = &transaction;
      transaction.payload.acquire();
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = core::to_sc_time(request_delay);
      transaction.begin_req = core::now_ps() + request_delay;
      const tlm::tlm_sync_enum answer = disk_init_socket->nb_transport_fw(transaction.payload, phase, delay);
      if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) end_request(transaction);
      ASSERT_NE(answer, tlm::TLM_COMPLETED) << "the drive never completes within BEGIN_REQ";
    }
  }

  void end_request(Transaction& transaction) {
    EXPECT_EQ(requesting_, &transaction);
    requesting_ = nullptr;
    transaction.end_req = core::now_ps();
    transaction.accepted_order = accepted_++;
    if (on_accepted) on_accepted(transaction);
  }

  void finish(Transaction& transaction) {
    transaction.finished_order = finished_++;
    transaction.payload.release();
    if (on_finished) on_finished(transaction);
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    Transaction& transaction = find(payload);
    if (phase == tlm::END_REQ) {
      end_request(transaction);
      pump();
      return tlm::TLM_ACCEPTED;
    }
    EXPECT_EQ(phase, tlm::BEGIN_RESP);
    transaction.begin_resp = core::now_ps() + core::to_ps(delay);
    switch (end_response) {
      case EndResponse::Completed: finish(transaction); return tlm::TLM_COMPLETED;
      case EndResponse::CompletedDelayed:
        delay += core::to_sc_time(response_delay);
        finish(transaction);
        return tlm::TLM_COMPLETED;
      case EndResponse::Updated:
        phase = tlm::END_RESP;
        finish(transaction);
        return tlm::TLM_UPDATED;
      case EndResponse::Later:
      case EndResponse::LaterDelayed: {
        const bool annotated = end_response == EndResponse::LaterDelayed;
        phases_.notify(payload, tlm::END_RESP, core::to_sc_time(annotated ? 0 : response_delay));
        return tlm::TLM_ACCEPTED;
      }
    }
    return tlm::TLM_ACCEPTED;
  }

  void delayed_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    tlm::tlm_phase forward = phase;
    sc_core::sc_time delay = core::to_sc_time(end_response == EndResponse::LaterDelayed ? response_delay : 0);
    disk_init_socket->nb_transport_fw(payload, forward, delay);
    finish(find(payload));
  }

  std::vector<std::unique_ptr<Transaction>> transactions_;
  std::deque<Transaction*> backlog_;
  Transaction* requesting_ = nullptr;
  std::uint64_t accepted_ = 0;
  std::uint64_t finished_ = 0;
  sc_core::sc_event pump_event_;
  tlm_utils::peq_with_cb_and_phase<AtHost> phases_;
};

/// Runs a test's code as a thread, which can call the drive through b_transport.
class Script : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Script);
  explicit Script(const sc_core::sc_module_name& name, std::function<void(Script&)> body = {})
      : sc_module(name), disk_init_socket("disk_init_socket"), body_(std::move(body)) {
    SC_THREAD(run);
  }
  /// Bound to `target`, a drive or an array.
  template <typename Target>
  Script(const sc_core::sc_module_name& name, Target& target, std::function<void(Script&)> body)
      : Script(name, std::move(body)) {
    disk_init_socket.bind(target.host_tgt_socket);
  }

  tlm_utils::simple_initiator_socket_optional<Script> disk_init_socket;

  bool done() const { return done_; }
  void run_to_end(Picoseconds latest) {
    run_until(latest);
    EXPECT_TRUE(done_);
  }
  void run_to_end() {
    sc_core::sc_start();
    EXPECT_TRUE(done_);
  }
  void pause(Picoseconds time) { wait(core::to_sc_time(time)); }
  void pause_until(Picoseconds time) {
    if (time > core::now_ps()) wait(core::to_sc_time(time - core::now_ps()));
  }
  /// Starts another thread.
  void spawn(std::function<void()> body) { sc_core::sc_spawn(std::move(body)); }

  /// Carries out one command, with the annotated delay `annotated`.
  void transport(Transaction& transaction, Picoseconds annotated = 0) {
    sc_core::sc_time delay = core::to_sc_time(annotated);
    transaction.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    transaction.begin_req = core::now_ps() + annotated;
    disk_init_socket->b_transport(transaction.payload, delay);
    transaction.begin_resp = core::now_ps() + core::to_ps(delay);
  }
  void access(Transaction& transaction, bool write, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill = 0) {
    transaction.set(write, lba, blocks, fill);
    transport(transaction);
    ASSERT_EQ(transaction.status(), tlm::TLM_OK_RESPONSE);
  }

 private:
  void run() {
    if (body_) body_(*this);
    done_ = true;
  }

  std::function<void(Script&)> body_;
  bool done_ = false;
};

/// The registers of a drive.
struct Registers : drive::RegisterClient {
  Registers(const sc_core::sc_module_name& name, drive::Drive& disk) : RegisterClient(name) {
    register_init_socket.bind(disk.register_tgt_socket);
  }
};

/// Records a drive's states and accesses.
class DriveWatch : public drive::ProbeIf {
 public:
  struct State {
    drive::ControllerState state;
    Picoseconds since;
  };
  void entered(const drive::ActuatorReport& report) override { states.push_back({report.state, report.time}); }
  void occupied(Picoseconds /*time*/, std::uint32_t commands) override { most = std::max(most, commands); }
  void started(const drive::AccessReport& report) override { tags.push_back(static_cast<int>(report.tag)); }

  std::vector<State> states;
  std::vector<int> tags;
  std::uint32_t most = 0;
};

/// Records every request that has ended.
class Finished : public workload::RequestObserverIf {
 public:
  struct Row {
    workload::Request request;
    std::uint64_t number;
    CommandStatus status;
    CommandTiming timing;
  };
  void issued(const workload::Request& /*request*/) override { pass(issues++); }
  void finished(const workload::FinishedRequest& f) override {
    pass(issues);
    rows.push_back({f.request, f.number, f.status, f.timing});
    excess -= f.timing.completed - f.request.issued;
  }

  std::uint64_t issues = 0;
  std::vector<Row> rows;
  Picoseconds excess =
      0;  ///< requests between issue and end, integrated over the time, less their response times: 0 by Little's law
  Picoseconds since = 0;  ///< the last event

 private:
  void pass(std::uint64_t so_far) {
    excess += static_cast<Picoseconds>(so_far - rows.size()) * (core::now_ps() - std::exchange(since, core::now_ps()));
  }
};

inline bool same_times(const CommandTiming& a, const CommandTiming& b) {
  return a.issued == b.issued && a.accepted == b.accepted && a.started == b.started && a.completed == b.completed &&
         a.queue == b.queue && a.overhead == b.overhead && a.seek == b.seek && a.settle == b.settle &&
         a.rotation == b.rotation && a.transfer == b.transfer && a.bus == b.bus;
}

/// A file for the current test; it is removed with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& extension) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("platter_") + info->test_suite_name() + "_" + info->name() + extension;
    std::replace(name.begin(), name.end(), '/', '_');
    path_ = std::filesystem::path(::testing::TempDir()) / name;
    remove();
  }
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Number of this process's partial files in the same directory.
  std::size_t partials() const {
    const std::string begin = ".platter-" + std::to_string(getpid()) + "-";
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_.parent_path()))
      if (entry.path().filename().string().rfind(begin, 0) == 0) ++count;
    return count;
  }

 private:
  void remove() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path path_;
};

}  // namespace platter::testing
