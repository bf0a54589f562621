// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "platter/accelerator/rtl_core.h"
#include "platter/core/error.h"
#include "platter/core/types.h"
#include "platter/observe/output_file.h"
#include "platter/params/signal.h"

namespace platter::observe {

/// A span of simulated time that a file records.
struct WaveWindow {
  std::filesystem::path file;  ///< name of the file; several windows may have one file
  core::Picoseconds from;      ///< first time that is recorded, absolute
  core::Picoseconds to;        ///< last time that is recorded
};

/// FST files, usually one, with the signals of drives and arrays and, where there is RTL, the RTL's, on one time axis in picoseconds. Times never go
/// back in the file. The RTL runs ahead of the kernel within a decision (less than a microsecond); a change of the drive within that time
/// is written at its end. Decisions of several drives at one time are written one after the other, each with its clock's period, until
/// simulated time has caught up.
///
/// Order of the calls in a program: construct the file, and a WaveProbe for each drive; add() the RTL of each drive
/// that has one (system::rtl_of()); run the simulation; commit().
class WaveFile : public accelerator::WaveSamplerIf {
 public:
  /// Can this build write wave files? They need Verilator's FST writer, of the version that the project is verified with.
  static bool is_built();
  /// Throws core::InputError about `file` where it cannot; so does the constructor.
  static void require(const std::filesystem::path& file) {
    if (!is_built())
      throw core::InputError(file.string(), 0, 0,
                             "this build of Platter writes no waves; expected one with the RTL and the verified version of "
                             "Verilator (docs/how_to/build_without_scripts.md)");
  }

  /// Throws core::InputError where the file cannot be written.
  WaveFile(const std::filesystem::path& file, core::Picoseconds from, core::Picoseconds to)
      : WaveFile(std::vector<WaveWindow>{{file, from, to}}) {}
  /// Precondition: at least one window, each before the next. Windows of one file follow each other.
  explicit WaveFile(std::vector<WaveWindow> windows);
  ~WaveFile() override;

  /// The signals of a scope, by its number.
  struct Signals {
    std::size_t scope = 0;  ///< its number
  };
  /// Adds a scope with its signals. To be called before the simulation starts: a WaveProbe opens the file at time 0. Throws std::logic_error
  /// if the file is open. The texts of the rows, which are views, must live as long as the file:
  ///
  ///     const observe::WaveFile::Signals bench = file.add("bench", {{"", "waiting", "requests that wait", 8}});
  ///     file.set(bench, 0, std::uint64_t{3}, core::now_ps());
  Signals add(const std::string& scope, std::vector<params::SignalRow> rows);
  /// Adds the RTL of a drive's engine (system::rtl_of(), system::traced_design_of()). Its system::EngineOptions::tracing must have been set;
  /// throws std::invalid_argument otherwise. The RTL must outlive the file. For the rest as the function above.
  void add(accelerator::TracedDesignIf& design);

  /// The signal of this row has this value from `now` on.
  void set(Signals of, std::size_t row, params::SignalValue value, core::Picoseconds now);
  /// Sets those signals that are read after one of `events`.
  template <typename View>
  void set(Signals of, const std::vector<params::Signal<View>>& signals, const View& view, std::uint32_t events,
           core::Picoseconds now) {
    for (std::size_t i = 0; i < signals.size(); ++i)
      if ((signals[i].events & events) != 0) set(of, i, signals[i].value(view), now);
  }

  /// Does a window record this time?
  bool wants(core::Picoseconds time) const override {
    if (!armed_) return false;
    std::size_t i = window_;
    while (i + 1 < windows_.size() && time > windows_[i].to) ++i;
    return time >= windows_[i].from && time <= windows_[i].to;
  }
  /// Opens the file and starts the recording; later calls have no effect. A WaveProbe calls it at time 0, so call it only in a program without
  /// a probe. What the RTL does before the simulation starts (loading its tables) is not in the file.
  void arm();
  /// Called by the RTL in each half of a clock cycle for which wants() is true: writes its signals.
  void sample(core::Picoseconds time) override;
  /// The begin of the first window that begins after `now`; kNoDeadline: none.
  core::Picoseconds next_from(core::Picoseconds now) const {
    for (std::size_t i = window_; i < windows_.size(); ++i)
      if (windows_[i].from > now) return windows_[i].from;
    return core::kNoDeadline;
  }
  /// Closes the files and checks that they are complete; throws core::SimulationError otherwise. `commit` of the returned files gives them their
  /// names. Without `commit` nothing remains.
  std::vector<OutputFile*> close();
  /// Closes the files as close() does, and gives them their names.
  void commit() { commit_all(close()); }

 private:
  void require_closed() const;
  void unhook();
  /// Ends the windows that end before `time`, and their files.
  void turn(core::Picoseconds time) {
    while (armed_ && window_ + 1 < windows_.size() && time > windows_[window_].to) next_window();
  }
  void next_window();
  void open();
  /// Throws core::SimulationError if the open file is not complete.
  void close_current();
  void flush(core::Picoseconds before);
  void dump(core::Picoseconds time);

  struct File;
  /// False if the file could not be written completely.
  bool finish();
  /// Keeps a file that could not be written alive: its destructor would try to write again, and end the program.
  static void keep(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
  std::vector<WaveWindow> windows_;
  std::size_t window_ = 0;  ///< the current one, or the next
  std::vector<std::unique_ptr<OutputFile>> outputs_;
  std::size_t output_ = 0;  ///< the one that is written
  std::vector<accelerator::TracedDesignIf*> designs_;
  bool armed_ = false;
  bool broken_ = false;
  core::Picoseconds changed_ = -1;  ///< time of changes that are not yet in the file
  core::Picoseconds last_ = -1;     ///< time of the last values in the file
  core::Picoseconds sampled_ = -1;  ///< time of a core that was last sampled
  std::uint64_t dumps_ = 0;
};

}  // namespace platter::observe
