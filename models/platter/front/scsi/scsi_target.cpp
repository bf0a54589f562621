// SPDX-License-Identifier: Apache-2.0
#include "platter/front/scsi/scsi_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace platter::scsi {

namespace {

constexpr std::size_t kMaxUnits = 256;  ///< that peripheral addresses reach

constexpr std::uint8_t kRequestSense = 0x03;
constexpr std::uint8_t kInquiry = 0x12;
constexpr std::uint8_t kReportLuns = 0xA0;

}  // namespace

ScsiTarget::ScsiTarget(const sc_core::sc_module_name& name, const std::vector<UnitIdentity>& units) : sc_module(name) {
  if (units.empty() || units.size() > kMaxUnits)
    throw std::invalid_argument(fmt::format("ScsiTarget: found {} logical units, expected 1 to {}", units.size(), kMaxUnits));
  for (std::size_t i = 0; i < units.size(); ++i) {
    units_.push_back(std::make_unique<LogicalUnit>(fmt::format("unit{}", i).c_str(), units[i]));
    units_.back()->set_units(static_cast<std::uint32_t>(units.size()));
  }
}

LogicalUnit* ScsiTarget::find(std::uint64_t lun) const {
  // A single level: peripheral device addressing (00b) or flat space addressing (01b), and zeroes.
  const std::uint64_t first = lun >> 48;
  const std::uint64_t number = first & 0x3FFF;
  if ((lun & 0xFFFF'FFFF'FFFFu) != 0 || first >> 14 > 1 || number >= units_.size()) return nullptr;
  return units_[number].get();
}

void ScsiTarget::attach(const Nexus& nexus) {
  for (const auto& unit : units_) unit->attach(nexus);
}

void ScsiTarget::detach(const Nexus& nexus) {
  for (const auto& unit : units_) {
    unit->abort_all([&nexus](const Task& task) { return task.nexus == &nexus; });
    unit->detach(nexus);
  }
}

void ScsiTarget::begin(Task& task, std::uint64_t lun) {
  if (LogicalUnit* const unit = find(lun)) return unit->begin(task);
  if (task.cdb[0] == kReportLuns) return units_.front()->begin(task);
  task.status = Status::Good;
  task.sense = {};
  task.wanted = 0;
  task.aborted = false;
  task.descriptors = false;
  if (task.cdb[0] == kInquiry || task.cdb[0] == kRequestSense) {
    const bool inquiry = task.cdb[0] == kInquiry;
    const std::size_t allocation = inquiry ? std::size_t{task.cdb[3]} << 8 | task.cdb[4] : task.cdb[4];
    task.data = inquiry ? no_unit_inquiry() : to_bytes(sense::kNoSuchUnit, false);
    task.wanted = std::min(task.data.size(), allocation);
    task.data.resize(std::min<std::size_t>(task.wanted, task.limit));
  } else {
    task.status = Status::CheckCondition;
    task.sense = sense::kNoSuchUnit;
  }
  task.owner->ended(task);
}

void ScsiTarget::abort(Task& task, std::uint64_t lun) {
  LogicalUnit* const unit = find(lun);
  (unit != nullptr ? unit : units_.front().get())->abort(task);
}

bool ScsiTarget::manage(Management function, const Nexus& nexus, std::uint64_t lun) {
  if (function == Management::TargetWarmReset || function == Management::TargetColdReset) {
    for (const auto& unit : units_) unit->reset(sense::kPowerOn);
    return true;
  }
  LogicalUnit* const unit = find(lun);
  if (unit == nullptr) return false;
  switch (function) {
    case Management::AbortTaskSet: unit->abort_all([&nexus](const Task& task) { return task.nexus == &nexus; }); break;
    case Management::ClearTaskSet: {
      std::vector<const Nexus*> others;
      unit->abort_all([&](const Task& task) {
        if (task.nexus != &nexus) others.push_back(task.nexus);
        return true;
      });
      unit->establish(sense::kCommandsCleared,
                      [&others](const Nexus& each) { return std::find(others.begin(), others.end(), &each) != others.end(); });
      break;
    }
    case Management::UnitReset: unit->reset(sense::kBusDeviceReset); break;
    default: break;
  }
  return true;
}

void ScsiTarget::tell_cleared(const Nexus& nexus, std::uint64_t lun) {
  if (LogicalUnit* const unit = find(lun))
    unit->establish(sense::kCommandsCleared, [&nexus](const Nexus& each) { return &each == &nexus; });
}

}  // namespace platter::scsi
