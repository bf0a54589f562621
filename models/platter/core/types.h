// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace platter::core {

/// A number that does not mix with other numbers by accident. `Marker` only distinguishes the types.
template <typename Rep, typename Marker>
struct Strong {
  Rep value{};  ///< the number itself

  constexpr Strong() = default;
  /// Of a number, never by an implicit conversion.
  constexpr explicit Strong(Rep v) : value(v) {}

  /// @{
  /// Comparison of the numbers.
  friend constexpr bool operator==(Strong a, Strong b) { return a.value == b.value; }
  friend constexpr bool operator!=(Strong a, Strong b) { return a.value != b.value; }
  friend constexpr bool operator<(Strong a, Strong b) { return a.value < b.value; }
  friend constexpr bool operator<=(Strong a, Strong b) { return a.value <= b.value; }
  friend constexpr bool operator>(Strong a, Strong b) { return a.value > b.value; }
  friend constexpr bool operator>=(Strong a, Strong b) { return a.value >= b.value; }
  /// @}
};

using Lba = Strong<std::uint64_t, struct LbaMarker>;             ///< logical block (sector) number
using Cylinder = Strong<std::uint32_t, struct CylinderMarker>;   ///< counted from the outer edge
using Head = Strong<std::uint32_t, struct HeadMarker>;           ///< data surface
using SectorIndex = Strong<std::uint32_t, struct SectorMarker>;  ///< sector on its track
using Tag = Strong<std::uint16_t, struct TagMarker>;             ///< number of a command in a queue or an engine

/// Time in picoseconds, 64 bit (106 days). core::to_sc_time() and core::to_ps() (platter/core/sc_time.h) convert to and from sc_time.
using Picoseconds = std::int64_t;
/// Fraction of a turn: 2^32 is one turn, so sums wrap at a full turn.
using Angle = std::uint32_t;

inline constexpr Picoseconds kPicosecondsPerNanosecond = 1'000;           ///< unit of to_picoseconds()
inline constexpr Picoseconds kPicosecondsPerMicrosecond = 1'000'000;      ///< unit of to_picoseconds()
inline constexpr Picoseconds kPicosecondsPerMillisecond = 1'000'000'000;  ///< unit of to_picoseconds()
inline constexpr Picoseconds kPicosecondsPerSecond = 1'000'000'000'000;   ///< unit of to_picoseconds()

/// No deadline. Where a time of an event is meant: never.
inline constexpr Picoseconds kNoDeadline = std::numeric_limits<Picoseconds>::max();

/// Nearest picosecond of a time given in another unit; for loading profiles and for generators only. Values outside the range of the type
/// are clamped to it, so that a time that is too late stays late.
constexpr Picoseconds to_picoseconds(double value, Picoseconds unit) {
  const double scaled = value * static_cast<double>(unit);
  if (!(scaled < 0x1p63)) return std::numeric_limits<Picoseconds>::max();
  if (scaled < -0x1p63) return std::numeric_limits<Picoseconds>::min();
  return static_cast<Picoseconds>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

/// `time` + `by`, or kNoDeadline where the sum would be later than that. Neither is negative.
constexpr Picoseconds later_by(Picoseconds time, Picoseconds by) { return by >= kNoDeadline - time ? kNoDeadline : time + by; }

/// For what is shown.
constexpr double to_milliseconds(Picoseconds time) { return static_cast<double>(time) * 1e-9; }

/// Service class of a request. The numbers are those of the accelerator's field E_POS.CLASS.
enum class RequestClass : std::uint8_t {
  Discrete = 0,    ///< best effort: usually without a deadline
  Continuous = 1,  ///< of a multimedia stream, with a deadline at the end of its round
  /// A drive's own writes of cached data, scrubbing, repairs and rebuilds. Most policies treat it like Discrete, and hosts send it last.
  Background = 2,
};
inline constexpr std::size_t kRequestClasses = 3;  ///< how many there are
/// A host may send any number as a class; `valid` checks it.
constexpr std::size_t index_of(RequestClass cls) { return static_cast<std::size_t>(cls); }
/// Is it one of the classes?
constexpr bool valid(RequestClass cls) { return index_of(cls) < kRequestClasses; }

/// Its name in results and logs.
constexpr std::string_view to_string(RequestClass cls) {
  switch (cls) {
    case RequestClass::Discrete: return "discrete";
    case RequestClass::Continuous: return "continuous";
    case RequestClass::Background: return "background";
  }
  return "?";
}

}  // namespace platter::core
