// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "platter/accelerator/rtl_core.h"
#include "platter/core/types.h"
#include "platter/observe/output_file.h"

namespace platter::observe {

/// Signals of the drive in a wave file.
enum class WaveSignal : std::uint8_t {
  Cylinder,      ///< of the arm, also while it travels
  Head,
  State,         ///< drive::ControllerState, shown as text
  Tag,           ///< of the access that runs
  Busy,          ///< an access runs: Tag, Class and Slack are of it
  Class,         ///< core::RequestClass, shown as text
  Occupancy,     ///< commands in the queue
  Angle,         ///< of the spindle, in turns (real)
  SlackMs,       ///< to the deadline of the access that runs (real); 0 without one
  Prepared,      ///< while the arm is busy, the next decision is there
  Stall,         ///< the arm, which has just been busy, waits for a decision
  Count
};

/// One FST file with the drive's signals and, where there is one, the RTL's, on one time axis in picoseconds. Times never
/// go back in the file: the RTL runs ahead of the kernel within a decision (less than a microsecond), and a change of
/// the drive that falls into it is written at its end.
class WaveFile : public accelerator::WaveSamplerIf {
 public:
  /// `rtl` may be null, and outlives the file. Throws core::InputError where the file cannot be written.
  WaveFile(const std::filesystem::path& file, core::Picoseconds from, core::Picoseconds to, accelerator::RtlCore* rtl);
  ~WaveFile() override;

  void set(WaveSignal signal, std::uint64_t value, core::Picoseconds now);
  void set(WaveSignal signal, double value, core::Picoseconds now);

  bool wants(core::Picoseconds time) const override { return armed_ && time >= from_ && time <= to_; }
  /// Nothing is written before; what is done to a design before the simulation starts stays out of the file.
  void arm() { armed_ = true; }
  void sample(core::Picoseconds time) override;
  core::Picoseconds from() const { return from_; }
  /// Closes the file and checks that it is whole; `commit` of what is returned gives it its name. Without that nothing is left.
  OutputFile& close();
  void commit() { close().commit(); }

 private:
  void unhook();
  void flush(core::Picoseconds before);
  void dump(core::Picoseconds time);

  struct File;
  /// False if the file could not be written whole.
  bool finish();
  /// The destructor of a file that could not be written would try again, and end the program.
  static void keep(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
  std::string name_;
  OutputFile output_;
  accelerator::RtlCore* rtl_;
  core::Picoseconds from_;
  core::Picoseconds to_;
  bool armed_ = false;
  bool broken_ = false;
  core::Picoseconds changed_ = -1;  ///< time of changes that are not yet in the file
  core::Picoseconds last_ = -1;
  std::uint64_t dumps_ = 0;
};

}  // namespace platter::observe
