// SPDX-License-Identifier: Apache-2.0
//
// A SCSI target with one logical unit over a toy drive, and an initiator port that sends it commands.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <cstdlib>
#include <list>
#include <random>

#include "platter/command/tlm/register_fan_in.h"
#include "platter/core/big_endian.h"
#include "platter/front/scsi/scsi_target.h"
#include "platter/observe/request_tap.h"
#include "testing.h"

namespace platter::testing {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kScsiSector = 512;

inline profile::DriveProfile scsi_profile() {
  profile::DriveProfile p = cached_toy_profile(profile::WriteBack::Append);
  p.task_attributes = true;
  p.recovery.spares = 16;
  return p;
}

/// How many random inputs a test gives: 10,000, or as many as the environment variable PLATTER_INPUTS says.
inline std::uint64_t inputs() {
  const char* const asked = std::getenv("PLATTER_INPUTS");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 10'000;
}

inline Bytes some_bytes(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  Bytes b(count);
  for (std::uint8_t& byte : b) byte = static_cast<std::uint8_t>(random());
  return b;
}

/// Stands between a unit and the registers of its drive, and counts the accesses.
class RegisterCount : public sc_core::sc_module {
 public:
  explicit RegisterCount(const sc_core::sc_module_name& name)
      : sc_module(name), tgt_socket("tgt_socket"), init_socket("init_socket") {
    tgt_socket.register_b_transport(this, &RegisterCount::b_transport);
  }

  tlm_utils::simple_target_socket<RegisterCount> tgt_socket;
  tlm_utils::simple_initiator_socket<RegisterCount> init_socket;
  std::uint64_t accesses = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++accesses;
    init_socket->b_transport(payload, delay);
  }
};

/// A target whose drives keep their data. Where the profile says so, a drive has a unit for each actuator.
class ScsiRig : public scsi::TaskOwnerIf {
 public:
  explicit ScsiRig(std::size_t count = 1, const profile::DriveProfile& profile = scsi_profile()) {
    const bool by_lun = profile.actuators_by == profile::ActuatorsBy::Lun;
    const std::uint32_t of_drive = by_lun ? profile.geometry.actuators : 1;
    std::vector<scsi::UnitIdentity> identities;
    for (std::size_t i = 0; i < count; ++i) {
      drives.push_back(make_drive(("drive" + std::to_string(i)).c_str(), "SPTF", "firmware", profile, true));
      for (std::uint32_t unit = 0; unit < of_drive; ++unit) {
        const scsi::UnitIdentity whole = scsi::UnitIdentity::of(
            profile, drives[i]->capacity_sectors(), "SERIAL" + std::to_string(identities.size()), "iqn.2026-01.test:t");
        identities.push_back(by_lun ? whole.of_actuator(unit) : whole);
      }
    }
    target = std::make_unique<scsi::ScsiTarget>("target", identities);
    for (std::size_t i = 0; i < count; ++i) {
      registers.push_back(std::make_unique<RegisterCount>(("registers" + std::to_string(i)).c_str()));
      if (by_lun) {
        fans.push_back(std::make_unique<command::RegisterFanIn>(("fan" + std::to_string(i)).c_str()));
        fans.back()->register_init_socket.bind(registers[i]->tgt_socket);
      }
      for (std::uint32_t unit = 0; unit < of_drive; ++unit) {
        scsi::LogicalUnit& bound = target->unit(i * of_drive + unit);
        taps.push_back(std::make_unique<observe::RequestTap>(("tap" + std::to_string(taps.size())).c_str(), numbers));
        taps.back()->add_observer(heard);
        taps.back()->disk_init_socket.bind(drives[i]->host_tgt_socket);
        bound.disk_init_socket.bind_tap(*taps.back());
        if (by_lun)
          bound.register_init_socket.bind(fans.back()->register_tgt_socket);
        else
          bound.register_init_socket.bind(registers[i]->tgt_socket);
        bound.bind_zones(drives[i]->zones());
      }
      registers[i]->init_socket.bind(drives[i]->register_tgt_socket);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  void ended(scsi::Task& task) override {
    ++ends;
    last = &task;
  }

  std::vector<std::unique_ptr<drive::Drive>> drives;
  std::uint64_t numbers = 0;
  Finished heard;  ///< accesses of all units
  std::vector<std::unique_ptr<observe::RequestTap>> taps;
  std::vector<std::unique_ptr<RegisterCount>> registers;
  std::vector<std::unique_ptr<command::RegisterFanIn>> fans;
  std::unique_ptr<scsi::ScsiTarget> target;
  std::uint64_t ends = 0;
  scsi::Task* last = nullptr;
};

/// An initiator port.
class Port {
 public:
  Port(ScsiRig& rig, const std::string& name) : rig_(rig) {
    nexus.name = name;
    rig.target->attach(nexus);
  }
  ~Port() { rig_.target->detach(nexus); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  /// Begins a command; the task stays until the end of the port.
  scsi::Task& begin(const Bytes& cdb, const Bytes& out = {}, std::uint32_t limit = 0, std::uint64_t lun = 0,
                    command::TaskAttribute attribute = command::TaskAttribute::Simple) {
    scsi::Task& task = tasks_.emplace_back();
    task.owner = &rig_;
    task.nexus = &nexus;
    std::copy(cdb.begin(), cdb.end(), task.cdb.begin());
    task.data = out;
    task.limit = limit;
    task.attribute = attribute;
    rig_.target->begin(task, lun << 48);
    return task;
  }
  /// The same, and simulates until it has ended.
  scsi::Task& run(const Bytes& cdb, const Bytes& out = {}, std::uint32_t limit = 0, std::uint64_t lun = 0) {
    const std::uint64_t before = rig_.ends;
    scsi::Task& task = begin(cdb, out, limit, lun);
    for (int turn = 0; turn < 1000 && rig_.ends == before; ++turn) sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS));
    EXPECT_GT(rig_.ends, before);
    return task;
  }
  /// Takes the unit attention condition of a new port.
  void settle(std::uint64_t lun = 0) {
    while (run({0x00}, {}, 0, lun).sense.key == 6) {
    }
  }

  scsi::Nexus nexus;

 private:
  ScsiRig& rig_;
  std::list<scsi::Task> tasks_;
};

/// One that has taken its unit attention condition.
struct SettledPort : Port {
  SettledPort(ScsiRig& rig, const std::string& name) : Port(rig, name) { settle(); }
};

inline Bytes cdb10(std::uint8_t code, std::uint32_t lba, std::uint16_t blocks, std::uint8_t flags = 0) {
  Bytes b(10);
  b[0] = code;
  b[1] = flags;
  core::big_endian::put(&b[2], lba, 4);
  core::big_endian::put(&b[7], blocks, 2);
  return b;
}
inline Bytes cdb16(std::uint8_t code, std::uint64_t lba, std::uint32_t blocks, std::uint8_t flags = 0) {
  Bytes b(16);
  b[0] = code;
  b[1] = flags;
  core::big_endian::put(&b[2], lba, 8);
  core::big_endian::put(&b[10], blocks, 4);
  return b;
}

}  // namespace platter::testing
