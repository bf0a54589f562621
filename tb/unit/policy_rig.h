// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drives.h"
#include "platter/scheduling/policies.h"

namespace platter::testing {

using core::Picoseconds;

/// A drive to work by hand: sixty sectors a turn, each 100 us; d cylinders take d + 9 sectors, and overheads nothing.
inline constexpr std::uint32_t kSectors = 60;
inline profile::DriveProfile ruler(std::uint32_t cylinders = 100) {
  profile::DriveProfile drive = line_drive(cylinders);
  drive.geometry.zones[0].sectors_per_track = kSectors;
  drive.seek.points_us = {{1, 1000.0}, {2, 1100.0}, {cylinders - 1, 900.0 + 100.0 * (cylinders - 1)}};
  return drive;
}

/// What the policy says in the end; `order_steps` are added to.
inline scheduling::Decision settled(scheduling::SchedulerIf& scheduler, const mechanics::HeadState& head, Picoseconds now,
                                    std::uint64_t* order_steps = nullptr) {
  scheduling::Decision decision;
  do {
    const scheduling::DecisionWork work = scheduler.work(head);
    decision = scheduler.pick(head, now);
    if (order_steps != nullptr && decision.kind != scheduling::Decision::Kind::Idle) *order_steps += work.order_steps;
  } while (decision.kind == scheduling::Decision::Kind::Again);
  return decision;
}

/// A queue, a policy and an arm. Requests have names of one letter, continuous ones capital letters.
class Rig {
 public:
  explicit Rig(const std::string& notation, std::uint32_t cylinder = 0, const scheduling::Interpretations& interpretations = {},
               const scheduling::FirmwareRules& rules = {})
      : planner(ruler()) {
    scheduling::SchedulerContext context{planner, 64, 0, interpretations};
    context.rules = rules;
    scheduler = scheduling::find_policy(notation)->create(context);
    head.cylinder = core::Cylinder(cylinder);
    commands.reserve(64);
  }

  /// One sector.
  Rig& add(char name, std::uint32_t cylinder, std::uint32_t sector = 0,
           Picoseconds deadline = 100 * core::kPicosecondsPerSecond) {
    return add_extent(name, planner.resolve(core::Lba(cylinder * kSectors + sector), 1, false), deadline);
  }

  Rig& add_extent(char name, const mechanics::Extent& extent, Picoseconds deadline = 100 * core::kPicosecondsPerSecond) {
    scheduling::Command command;
    if (name >= 'A' && name <= 'Z') {
      command.stream = static_cast<std::uint32_t>(name - 'A');
      command.cls = core::RequestClass::Continuous;
      command.deadline = deadline;
    }
    command.extent = extent;
    return add_command(name, command);
  }

  /// With everything but tag and age as it is.
  Rig& add_command(char name, scheduling::Command command) {
    command.tag = core::Tag(static_cast<std::uint16_t>(commands.size()));
    command.sequence = commands.size();
    command.arrival = now;
    commands.push_back(command);
    names.push_back(name);
    scheduler->insert(commands.back());
    return *this;
  }

  /// Makes up to so many decisions; the names of the requests served, "!" before those that were forced, ">" for a run of the arm.
  std::string serve(int count = 1000) {
    std::string order;
    for (int i = 0; i < count; ++i) {
      const scheduling::Decision decision = settled(*scheduler, head, now, &order_steps);
      if (decision.kind == scheduling::Decision::Kind::Idle) break;
      if (decision.kind == scheduling::Decision::Kind::Move) {
        Picoseconds seek = 0;
        Picoseconds settle = 0;
        planner.move(head.cylinder, head.head, decision.cylinder, head.head, false, seek, settle);
        now += seek;
        busy += seek;
        head.cylinder = decision.cylinder;
        order += '>';
        continue;
      }
      if (decision.forced) order += '!';
      order += names[decision.tag.value];
      const Picoseconds taken = planner.commit(head, commands[decision.tag.value].extent, now).total();
      now += taken;
      busy += taken;
      scheduler->remove(decision.tag);
    }
    return order;
  }

  mechanics::AccessPlanner planner;
  std::unique_ptr<scheduling::SchedulerIf> scheduler;
  mechanics::HeadState head;
  Picoseconds now = 0;
  Picoseconds busy = 0;  ///< of all accesses and runs
  std::vector<scheduling::Command> commands;
  std::string names;
  std::uint64_t order_steps = 0;
};

}  // namespace platter::testing
