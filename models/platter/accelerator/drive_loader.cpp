// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/drive_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemc>

#include "platter/core/sc_time.h"

namespace platter::accelerator {

using core::Picoseconds;
using scheduling::Command;

namespace {

// The classes of commands have the same numbers in the model and in E_POS.CLASS.
static_assert(static_cast<std::uint32_t>(core::RequestClass::Discrete) == reg::kEPosClassDiscrete);
static_assert(static_cast<std::uint32_t>(core::RequestClass::Continuous) == reg::kEPosClassContinuous);
static_assert(static_cast<std::uint32_t>(core::RequestClass::Background) == reg::kEPosClassBackground);

/// Least margin: arrival and sector start are each rounded down by less than a tick.
constexpr std::uint32_t kMinMarginTicks = 2;
/// Largest excess of the seek table over the drive's seek curve that causes no warning.
constexpr std::uint32_t kSeekLiftTicks = 8;
/// Of the distance at which times of day can be compared, this many turns are kept in reserve.
constexpr Picoseconds kTurnsKept = 16;

}  // namespace

DriveLoader::DriveLoader(const mechanics::AccessPlanner& planner, const AcceleratorParameters& parameters)
    : planner_(planner),
      parameters_(parameters),
      built_(parameters.built()),
      scale_(parameters.format, planner.rotation().period()),
      seek_table_(scheduling::SeekTable::fit(planner.seek_curve(), scale_)),
      longest_hop_(planner.longest_hop()),
      rests_(parameters.has(kZeroLatency) && planner.zero_latency()) {}

void DriveLoader::check_identity(RegisterPort& port) const {
  const std::uint32_t id = port.read(reg::kId);
  const std::uint32_t version = port.read(reg::kVersion) >> reg::kVersionMajorLsb;
  const std::uint32_t shown = port.read(reg::kParams);
  const std::uint32_t orderer = port.read(reg::kOrderer);
  const std::uint32_t features = port.read(reg::kFeatures);
  const std::uint32_t expected = reg::constant(reg::kParams, built_);
  if (id != reg::kIdValue || version != reg::kVersionMajor || shown != expected || orderer != parameters_.order_m ||
      features != parameters_.features)
    SC_REPORT_ERROR(
        "/platter/accelerator/identity",
        fmt::format("ID 0x{:08x} VERSION {} PARAMS 0x{:08x} ORDERER {} FEATURES {}, expected 0x{:08x}, {}, 0x{:08x}, {} and {}",
                    id, version, shown, orderer, features, reg::kIdValue, reg::kVersionMajor, expected, parameters_.order_m,
                    parameters_.features)
            .c_str());
}

void DriveLoader::load_seek_table(RegisterPort& port) const {
  port.set(reg::kSeekIndex, 0);
  for (const scheduling::SeekTable::Segment& segment : seek_table_.segments) {
    port.write(reg::kSeekBase, static_cast<std::uint32_t>(segment.base));
    port.write(reg::kSeekDelta, static_cast<std::uint32_t>(segment.delta));
  }
  port.set(reg::kSeekCell, 0);
  for (const scheduling::SeekTable::Cell& cell : seek_table_.cells) {
    port.set(reg::kSeekLast, (cell.last[0] << reg::kSeekLastFirstLsb) | (cell.last[1] << reg::kSeekLastSecondLsb));
    port.write(reg::kSeekGroup, (cell.group << reg::kSeekGroupSegmentLsb) | (cell.last[2] << reg::kSeekGroupThirdLsb));
  }
  if (seek_table_.lift_ticks > kSeekLiftTicks)
    SC_REPORT_WARNING("/platter/accelerator/seek_table",
                      fmt::format("the drive's seek curve needs more than the accelerator's {} segments; the table lies up to "
                                  "{:.1f} us above it",
                                  parameters_.format.segments(), seek_table_.max_error_us)
                          .c_str());
}

void DriveLoader::load_mechanics(RegisterPort& port, const ArrivalMargins& margins) const {
  const scheduling::FixedPointFormat& format = parameters_.format;
  const std::uint32_t margin = std::min(kMinMarginTicks + margins.margin_ticks, format.angle_mask());
  port.set(reg::kMargin, margin);
  port.set(reg::kRisk, margins.risk_ticks > 0 ? std::min(margin + margins.risk_ticks, format.angle_mask()) : 0);
  port.set(reg::kRiskCharge,
           std::min(static_cast<std::uint32_t>(margins.risk_probability * format.turn()), format.angle_mask()));
  port.set(reg::kHeadSwitch, scale_.time(planner_.head_switch()));
  port.set(reg::kWriteSettle, static_cast<std::uint32_t>(scale_.ceil(planner_.most_write_settle())));
  port.set(reg::kOverheadRr, scale_.time(planner_.overhead(false, false)));
  port.set(reg::kOverheadRw, scale_.time(planner_.overhead(false, true)));
  port.set(reg::kOverheadWr, scale_.time(planner_.overhead(true, false)));
  port.set(reg::kOverheadWw, scale_.time(planner_.overhead(true, true)));
}

void DriveLoader::stage(RegisterPort& port, const Command& command, core::RequestClass cls, bool guarded, bool in_sweep,
                        const AcceleratorProgram::LimitUse& limit) const {
  const mechanics::Extent& extent = command.extent;
  port.set(reg::kEPos, position(extent.cylinder, extent.head, extent.write) |
                           (static_cast<std::uint32_t>(cls) << reg::kEPosClassLsb) | (limit.kind << reg::kEPosLimitLsb));
  // A deadline that is put earlier is safe. One that has passed stays so until the entry is staged again.
  const auto latest = [&] {
    const Picoseconds farthest = core::now_ps() + comparable() - kTurnsKept * planner_.rotation().period();
    return std::clamp(command.deadline, core::now_ps() - comparable() / 8, farthest - std::max<Picoseconds>(limit.later, 0)) -
           planner_.bus_block_time(false);
  };
  if (limit.kind != 0)
    port.set(reg::kELimit, scale_.time_of_day(limit.later == AcceleratorProgram::LimitUse::kPast
                                                  ? core::now_ps() - longest_hop_
                                                  : latest() - planner_.hold(extent) + limit.later));
  port.set(reg::kEAngle, scale_.angle(extent.start_angle));
  if (rests_) {
    const Picoseconds rest = planner_.least_wait_replaced(extent);
    port.set(reg::kERest, rest > 0 ? static_cast<std::uint32_t>(
                                         std::clamp<std::int64_t>(scale_.ceil(rest), 1, parameters_.format.angle_mask()))
                                   : 0);
  }
  port.set(reg::kEEndPos, position(extent.end_cylinder, extent.end_head, false));
  if (guarded) {
    port.set(reg::kEEndAngle, scale_.angle(extent.end_angle));
    port.set(reg::kETransfer, scale_.sum(planner_.hold(extent)));
    if (in_sweep) port.set(reg::kEDeadline, scale_.time_of_day(latest()));
  }
}

std::uint32_t DriveLoader::position(core::Cylinder cylinder, core::Head head, bool write) const {
  return (cylinder.value << reg::kHeadPosCylLsb) | (head.value << reg::kHeadPosHeadLsb) |
         (static_cast<std::uint32_t>(write) << reg::kHeadPosWriteLsb);
}

Picoseconds DriveLoader::grace(const std::vector<const Command*>& commands, Picoseconds bound) const {
  Picoseconds longest = 0;
  for (const Command* command : commands)
    if (command != nullptr) longest = std::max(longest, planner_.hold(command->extent));
  return longest + 2 * longest_hop_ + bound;
}

Picoseconds DriveLoader::comparable() const {
  return planner_.rotation().period() << (parameters_.format.sum_w() - parameters_.format.angle_w - 1);
}

}  // namespace platter::accelerator
