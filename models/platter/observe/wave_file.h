// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "platter/accelerator/rtl_core.h"
#include "platter/core/types.h"
#include "platter/observe/output_file.h"
#include "platter/params/signal.h"

namespace platter::observe {

/// One FST file with the signals of drives and arrays and, where there is RTL, the RTL's, on one time axis in picoseconds. Times never go
/// back in the file. The RTL runs ahead of the kernel within a decision (less than a microsecond); a change of the drive within that time
/// is written at its end. Decisions of several drives at one time are written one after the other, each with its clock's period, until
/// simulated time has caught up.
class WaveFile : public accelerator::WaveSamplerIf {
 public:
  /// Throws core::InputError where the file cannot be written.
  WaveFile(const std::filesystem::path& file, core::Picoseconds from, core::Picoseconds to);
  ~WaveFile() override;

  // To be called before `arm`.
  /// The signals of a scope: the index of the first one's value.
  struct Signals {
    std::size_t first = 0;
  };
  Signals add(const std::string& scope, std::vector<params::SignalRow> rows);
  /// Adds a design, which must be built for tracing and outlive the file.
  void add(accelerator::RtlCore& rtl);

  void set(Signals of, std::size_t row, params::SignalValue value, core::Picoseconds now);
  /// Sets those signals that are read after one of `events`.
  template <typename View>
  void set(Signals of, const std::vector<params::Signal<View>>& signals, const View& view, std::uint32_t events,
           core::Picoseconds now) {
    for (std::size_t i = 0; i < signals.size(); ++i)
      if ((signals[i].events & events) != 0) set(of, i, signals[i].value(view), now);
  }

  bool wants(core::Picoseconds time) const override { return armed_ && time >= from_ && time <= to_; }
  /// Starts the recording. What happens to a design before the simulation starts is not in the file.
  void arm();
  void sample(core::Picoseconds time) override;
  core::Picoseconds from() const { return from_; }
  /// Closes the file and checks that it is complete; `commit` of the returned file gives it its name. Without `commit` nothing remains.
  OutputFile& close();
  void commit() { close().commit(); }

 private:
  void unhook();
  void flush(core::Picoseconds before);
  void dump(core::Picoseconds time);

  struct File;
  /// False if the file could not be written completely.
  bool finish();
  /// Keeps a file that could not be written alive: its destructor would try to write again, and end the program.
  static void keep(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
  std::string name_;
  OutputFile output_;
  std::vector<accelerator::RtlCore*> designs_;
  core::Picoseconds from_;
  core::Picoseconds to_;
  bool armed_ = false;
  bool broken_ = false;
  core::Picoseconds changed_ = -1;  ///< time of changes that are not yet in the file
  core::Picoseconds last_ = -1;     ///< time of the last values in the file
  core::Picoseconds sampled_ = -1;  ///< time of a core that was last sampled
  std::uint64_t dumps_ = 0;
};

}  // namespace platter::observe
