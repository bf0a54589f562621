// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace platter::sheet {

/// What a number of a data sheet measures. The values in memory are in the unit of the comment.
enum class Measure {
  Size,   ///< bytes; the text has a unit
  Rate,   ///< bytes/s; without a unit: MB/s
  Time,   ///< us; without a unit: ms
  Turns,  ///< of the spindle; a fraction such as 3/29, too
  Speed,  ///< 1/min
  Count,  ///< a whole number
  Share,  ///< a number without a unit
};

/// Reads a quantity such as "22TB", "291 MB/s", "0.23", "3/29". Returns what is wrong with the text, "" if nothing is.
std::string read_quantity(std::string_view text, Measure measure, double& value);

/// The quantity as a text with its unit.
std::string show_quantity(double value, Measure measure);

/// The unit of a number that has none, or the units that the text may have: for help and pages.
std::string_view unit_of(Measure measure);

}  // namespace platter::sheet
