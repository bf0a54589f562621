// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/decision_course.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <stdexcept>

namespace platter::accelerator {

namespace {

using Stage = DecisionCourse::Stage;
using Next = std::optional<Stage>;

constexpr Next kNever = std::nullopt;

/// By stage and event. The columns: Prepare, Change, Start, Await, Outdate, Discard, Complete, Deliver.
constexpr std::array<std::array<Next, 8>, 8> kNext = {{
    // Unprepared
    {Stage::Prepared, Stage::Unprepared, kNever, kNever, kNever, kNever, kNever, kNever},
    // Prepared
    {Stage::Prepared, Stage::Prepared, Stage::Running, Stage::Asked, kNever, kNever, kNever, kNever},
    // Running
    {Stage::Outdated, Stage::Running, kNever, Stage::Awaited, Stage::Outdated, Stage::Prepared, Stage::Ready, kNever},
    // Outdated
    {Stage::Outdated, Stage::Outdated, kNever, Stage::AwaitedOutdated, Stage::Outdated, Stage::Prepared, kNever, kNever},
    // Ready
    {Stage::Prepared, Stage::Prepared, kNever, Stage::Ready, kNever, kNever, kNever, Stage::Unprepared},
    // Asked
    {Stage::Asked, Stage::Asked, Stage::Awaited, kNever, kNever, kNever, kNever, Stage::Unprepared},
    // Awaited
    {Stage::AwaitedOutdated, Stage::Awaited, kNever, kNever, Stage::AwaitedOutdated, Stage::Asked, Stage::Ready, kNever},
    // AwaitedOutdated
    {Stage::AwaitedOutdated, Stage::AwaitedOutdated, kNever, kNever, Stage::AwaitedOutdated, Stage::Asked, kNever, kNever},
}};

}  // namespace

void DecisionCourse::on(Event event) {
  const Next& next = kNext[static_cast<std::size_t>(stage_)][static_cast<std::size_t>(event)];
  if (!next)
    throw std::logic_error(
        fmt::format("event {} cannot happen in stage {} of a decision", static_cast<int>(event), static_cast<int>(stage_)));
  stage_ = *next;
}

void DecisionCourse::prepare(const scheduling::HeadState& head, core::Picoseconds when, core::Picoseconds now) {
  head_ = head;
  when_ = when;
  asked = now;
  on(Event::Prepare);
}

}  // namespace platter::accelerator
