// SPDX-License-Identifier: Apache-2.0
#include "platter/host/autoqos/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platter/workload/parameters.h"

namespace platter::host::autoqos {

using params::at;
using params::OneOf;
using params::Range;
using params::required;

const params::Table<AutoQosParameters>& autoqos_parameters() {
  using P = AutoQosParameters;
  static const params::Table<P> table = {
      {"autoqos.enabled", "",
       "true: AutoQoS sets the rate of the token bucket; false: the rate stays at `drive.port.token_rate_bytes_per_s`",
       at(&P::enabled)},
      {"autoqos.classes", "", "what makes a stream multimedia: its label, or what the recogniser finds in its commands",
       at(&P::classes), OneOf{{"labels", "recognised"}}},
      {"autoqos.knows_opens", "", "true: a multimedia stream that opens starts an inference; false: only the rates start one",
       at(&P::knows_opens)},
      {"autoqos.disk_bytes_per_s", "bytes/s", "rate of the disk in a large sequential read", at(&P::disk_bytes_per_s),
       Range{1, 4294967295.0}},
      {"autoqos.inference_fraction", "", "part of `autoqos.disk_bytes_per_s` that best effort keeps during an inference",
       at(&P::inference_fraction), Range{0.001, 1}},
      {"autoqos.inference_windows", "windows", "length of an inference", at(&P::inference_windows), Range{1, 1000}},
      {"autoqos.window_s", "s", "length of a window", at(&P::window_s), Range{0.01, 1000}},
      {"autoqos.tolerance", "", "rates that differ by at most this part count as equal", at(&P::tolerance), Range{0, 1}},
      {"autoqos.probe_fraction", "",
       "part of the disk's rate by which a probe raises the limit; this part is also the lowest limit", at(&P::probe_fraction),
       Range{0.001, 1}},
      {"autoqos.probe_windows", "windows", "windows in which multimedia has its full rate before a probe",
       at(&P::probe_windows), Range{1, 1e6}},
      {"autoqos.most_probe_windows", "windows",
       "upper limit of `autoqos.probe_windows`, which each confirmed interference doubles", at(&P::most_probe_windows),
       Range{1, 1e6}},
      {"autoqos.overload_share", "",
       "a disk that is busy for this share of a window counts as overloaded if best effort is below its limit; 0: never. The "
       "rule is not in the paper",
       at(&P::overload_share), Range{0, 1}},
      {"recogniser.streams", "", "streams that are tracked at the same time", at(&P::recogniser_streams), Range{1, 4096}},
      {"recogniser.periods", "", "similar periods after which a stream is multimedia", at(&P::recogniser_periods),
       Range{2, 1024}},
      {"recogniser.jitter", "", "mean deviation of similar periods, as a part of their mean", at(&P::recogniser_jitter),
       Range{0, 1}},
      {"recogniser.idle", "", "least pause of a stream before a burst, as a part of the time between two commands",
       at(&P::recogniser_idle), Range{0.001, 1}},
      {"recogniser.sequence", "", "commands in sequence before a stream is tried", at(&P::recogniser_sequence), Range{2, 1e6}},
      {"recogniser.trial_s", "s",
       "time for which a stream is treated as multimedia once, to measure its demand; it is longer if the stream pauses; the "
       "heir of streams whose trials failed waits longer before each trial; 0: no trials",
       at(&P::recogniser_trial_s), Range{0, 1000}},
      {"recogniser.silence_s", "s", "a stream that is silent for longer than this has ended", at(&P::recogniser_silence_s),
       Range{0.01, 1000}},
      {"recogniser.handover_s", "s",
       "a stream that begins within this time after another one's end, or after its next period, inherits what is known of "
       "that stream; 0: never",
       at(&P::recogniser_handover_s), Range{0, 1000}},
      {"application.command_bytes", "bytes", "size of each read, in whole sectors", at(&P::command_bytes), Range{512, 1 << 24}},
      {"application.commands_per_period", "", "reads in a period, one after the other", at(&P::commands_per_period),
       Range{1, 10000}},
      {"application.late_periods", "", "most periods that a stream falls behind and then catches up with", at(&P::late_periods),
       Range{0, 1e6}},
      {"application.clock_jitter", "",
       "jitter of the host's clock: a period begins late by a random time of up to this part of its length",
       at(&P::clock_jitter), Range{0, 1}},
      {"files.bytes", "bytes", "size of each stream's file; reading restarts at the front if less than a command is left",
       at(&P::file_bytes), Range{512, 1e15}},
      {"files.placement", "",
       "together: the files follow each other from a random place on; apart: each file lies at a random place",
       at(&P::placement), OneOf{{"together", "apart"}}},
      {"files.gap_bytes", "bytes", "together: between two files lies a random gap of less than this; 0: no gaps",
       at(&P::gap_bytes), Range{0, 1e12}},
  };
  return table;
}

const params::Table<StreamParameters>& stream_parameters() {
  using P = StreamParameters;
  static const params::Table<P> table = {
      required<P>({"name", "", "name of the stream", at(&P::name)}),
      {"label", "", "label of the application", at(&P::label), OneOf{{"best-effort", "multimedia"}}},
      {"rate_bytes_per_s", "bytes/s", "rate that the stream wants; 0: as much as it gets", at(&P::rate_bytes_per_s),
       Range{0, 1e10}},
      {"enters_s", "s", "the first period begins within one period's length after this time", at(&P::enters_s), Range{0, 1e6}},
      {"leaves_s", "s", "the stream issues no read from this time on; 0: it never leaves", at(&P::leaves_s), Range{0, 1e6}},
      {"change_at_s", "s", "times at which the rate changes, ascending", at(&P::change_at_s)},
      {"change_to_bytes_per_s", "bytes/s", "rate from each of these times on", at(&P::change_to_bytes_per_s)},
      {"pace", "", "periods of equal length, or exponentially distributed periods with the same mean", at(&P::pace),
       OneOf{{"periodic", "exponential"}}},
      {"access", "", "reads follow each other in the file, or lie at random places in it", at(&P::access),
       OneOf{{"sequential", "random"}}},
  };
  return table;
}

namespace {

constexpr double kLatest_s = 1e6;  // upper limit of every key that is a time

}  // namespace

void check(const AutoQosParameters& s, const profile::DriveProfile& drive, params::Findings& findings) {
  if (s.most_probe_windows < s.probe_windows)
    findings.add("autoqos.most_probe_windows",
                 fmt::format("found {}, expected at least autoqos.probe_windows, {}", s.most_probe_windows, s.probe_windows));
  if (s.command_bytes % drive.geometry.sector_bytes != 0)
    findings.add("application.command_bytes",
                 fmt::format("found {}, expected whole sectors of {} bytes", s.command_bytes, drive.geometry.sector_bytes));
  if (s.file_bytes < s.command_bytes)
    findings.add("files.bytes",
                 fmt::format("found {}, expected at least a command of {} bytes", s.file_bytes, s.command_bytes));
  for (std::size_t i = 0; i < s.streams.size(); ++i) {
    const StreamParameters& stream = s.streams[i];
    const auto wrong = [&](const char* key, const std::string& message) {
      findings.add("stream", fmt::format("{} of \"{}\": {}", key, stream.name, message));
    };
    for (std::size_t before = 0; before < i; ++before)
      if (s.streams[before].name == stream.name) wrong("name", "another stream has the same name");
    if (stream.leaves_s != 0 && stream.leaves_s <= stream.enters_s)
      wrong("leaves_s",
            fmt::format("found {:g}, expected 0 or more than enters_s, which is {:g}", stream.leaves_s, stream.enters_s));
    if (stream.change_at_s.size() != stream.change_to_bytes_per_s.size())
      wrong("change_to_bytes_per_s", fmt::format("found {} rates, expected one for each of the {} times of change_at_s",
                                                 stream.change_to_bytes_per_s.size(), stream.change_at_s.size()));
    if (!std::is_sorted(stream.change_at_s.begin(), stream.change_at_s.end()) ||
        (!stream.change_at_s.empty() && stream.change_at_s.front() < 0))
      wrong("change_at_s", "expected ascending times from 0");
    for (const double rate : stream.change_to_bytes_per_s)
      if (rate < 0 || rate > 1e10) wrong("change_to_bytes_per_s", fmt::format("found {:g}, expected 0 to 1e+10 bytes/s", rate));
    if (stream.pace == "exponential" && stream.rate_bytes_per_s == 0)
      wrong("pace", "exponential periods need a rate_bytes_per_s above 0");
    const auto check_period = [&](const char* key, double rate) {
      const double period_s = static_cast<double>(s.command_bytes) * static_cast<double>(s.commands_per_period) / rate;
      if (rate > 0 && period_s > workload::kLongestMean_s)
        wrong(key, fmt::format("found {:g}, which makes a period of {:g} s, expected one of at most {:g} s", rate, period_s,
                               workload::kLongestMean_s));
      else if (rate > 0 && period_s * static_cast<double>(s.late_periods) > workload::kLongestMean_s)
        findings.add("application.late_periods", fmt::format("found {} periods of {:g} s each, expected at most {:g} s in all",
                                                             s.late_periods, period_s, workload::kLongestMean_s));
    };
    if (stream.rate_bytes_per_s > 0) check_period("rate_bytes_per_s", static_cast<double>(stream.rate_bytes_per_s));
    for (const double rate : stream.change_to_bytes_per_s)
      if (rate >= 1) check_period("change_to_bytes_per_s", std::floor(rate));
    if (!stream.change_at_s.empty() && stream.change_at_s.back() > kLatest_s)
      wrong("change_at_s", fmt::format("found {:g}, expected times up to {:g} s", stream.change_at_s.back(), kLatest_s));
  }
}

}  // namespace platter::host::autoqos
