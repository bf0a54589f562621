// SPDX-License-Identifier: Apache-2.0
#include "platter/config/parameter.h"

namespace platter::config {

namespace {

template <typename Object, typename Member>
std::function<Field(Object&)> at(Member Object::*member) {
  return [member](Object& object) -> Field { return &(object.*member); };
}

}  // namespace

const std::vector<Parameter<QosScenario>>& qos_parameters() {
  using S = QosScenario;
  constexpr double kInfinity = Parameter<S>::kInfinity;
  static const std::vector<Parameter<S>> table = {
      {"format", "", "version of the file format", at(&S::format), true, 1, 1, {}},
      {"policy", "", "scheduling policy, one of `platter list policies`; in firmware", at(&S::policy)},
      {"autoqos.enabled", "", "AutoQoS sets the token bucket's rate; otherwise it stays what `drive.port.token_rate_bytes_per_s` says",
       at(&S::enabled)},
      {"autoqos.classes", "", "what makes a stream multimedia: its label, or what the recogniser finds in its commands", at(&S::classes), false,
       -kInfinity, kInfinity, {"labels", "recognised"}},
      {"autoqos.knows_opens", "", "a multimedia stream that opens starts an inference; otherwise only the rates do", at(&S::knows_opens)},
      {"autoqos.disk_bytes_per_s", "bytes/s", "the disk's rate in a large sequential read", at(&S::disk_bytes_per_s), false, 1, 4294967295.0},
      {"autoqos.inference_fraction", "", "part of it that best effort keeps during inference", at(&S::inference_fraction), false, 0.001, 1},
      {"autoqos.inference_windows", "windows", "length of an inference", at(&S::inference_windows), false, 1, 1000},
      {"autoqos.window_s", "s", "length of a window", at(&S::window_s), false, 0.01, 1000},
      {"autoqos.tolerance", "", "a rate within this part of another is the same", at(&S::tolerance), false, 0, 1},
      {"autoqos.probe_fraction", "", "part of the disk's rate by which a probe raises the limit, and the least limit", at(&S::probe_fraction), false,
       0.001, 1},
      {"autoqos.probe_windows", "windows", "at multimedia's full rate before a probe", at(&S::probe_windows), false, 1, 1e6},
      {"autoqos.most_probe_windows", "windows", "the same after probes that did harm, each of which doubles it", at(&S::most_probe_windows), false, 1,
       1e6},
      {"autoqos.overload_share", "", "not in the paper: a disk busy for this share of a window, with best effort below its limit, is overloaded; 0: never",
       at(&S::overload_share), false, 0, 1},
      {"recogniser.streams", "", "streams that are followed at a time", at(&S::recogniser_streams), false, 1, 4096},
      {"recogniser.periods", "", "like periods that make a stream multimedia", at(&S::recogniser_periods), false, 2, 1024},
      {"recogniser.jitter", "", "mean deviation of like periods, as a part of their mean", at(&S::recogniser_jitter), false, 0, 1},
      {"recogniser.idle", "", "part of the time between two commands, at least, in which a stream pauses before a burst", at(&S::recogniser_idle), false,
       0.001, 1},
      {"recogniser.sequence", "", "commands in sequence before a stream is tried", at(&S::recogniser_sequence), false, 2, 1e6},
      {"recogniser.trial_s", "s", "a stream is treated as multimedia for so long, once, to see what it wants, and longer if it pauses; an heir of streams that were not waits longer each time; 0: never", at(&S::recogniser_trial_s),
       false, 0, 1000},
      {"recogniser.silence_s", "s", "a stream that is silent for longer has ended", at(&S::recogniser_silence_s), false, 0.01, 1000},
      {"recogniser.handover_s", "s", "a stream that begins so soon after another one's end, or next period, inherits what is known of it; 0: never",
       at(&S::recogniser_handover_s), false, 0, 1000},
      {"application.command_bytes", "bytes", "of each read, in whole sectors", at(&S::command_bytes), false, 512, 1 << 24},
      {"application.commands_per_period", "", "reads of a period, one after the other", at(&S::commands_per_period), false, 1, 10000},
      {"application.late_periods", "", "periods that a stream falls behind at most, and catches up with", at(&S::late_periods), false, 0, 1e6},
      {"application.clock_jitter", "", "of the host: a period begins late by up to this part of it, at random", at(&S::clock_jitter), false,
       0, 1},
      {"files.bytes", "bytes", "size of each stream's file; read again from the front where less than a command is left", at(&S::file_bytes), false, 512,
       1e15},
      {"files.placement", "", "the files one after the other from a random place on, or each at a random place", at(&S::placement), false, -kInfinity,
       kInfinity, {"together", "apart"}},
      {"files.gap_bytes", "bytes", "together: a file begins a random gap of less than this behind the last one; 0: none", at(&S::gap_bytes), false, 0,
       1e12},
      {"sim.seed", "", "seed of the places and of each stream's first instant", at(&S::seed), false, 0, 9.2e18},
      {"sim.warmup_s", "s", "simulated time before totals count; the series begin at 0", at(&S::warmup_s), false, 0, 1e6},
      {"sim.measure_s", "s", "simulated time that is counted", at(&S::measure_s), false, 1e-3, 1e6},
  };
  return table;
}

const std::vector<Parameter<QosStream>>& qos_stream_parameters() {
  using S = QosStream;
  constexpr double kInfinity = Parameter<S>::kInfinity;
  static const std::vector<Parameter<S>> table = {
      {"name", "", "of the stream", at(&S::name), true},
      {"label", "", "what the application is known as", at(&S::label), false, -kInfinity, kInfinity, {"best-effort", "multimedia"}},
      {"rate_bytes_per_s", "bytes/s", "wanted; 0: as much as it gets", at(&S::rate_bytes_per_s), false, 0, 1e10},
      {"enters_s", "s", "its first period begins within one period's time after this", at(&S::enters_s), false, 0, 1e6},
      {"leaves_s", "s", "no read from this time on; 0: never", at(&S::leaves_s), false, 0, 1e6},
      {"change_at_s", "s", "times at which the rate changes, ascending", at(&S::change_at_s)},
      {"change_to_bytes_per_s", "bytes/s", "and to what", at(&S::change_to_bytes_per_s)},
      {"pace", "", "equal periods, or exponential ones of the same mean", at(&S::pace), false, -kInfinity, kInfinity, {"periodic", "exponential"}},
      {"access", "", "reads follow each other in the file, or lie anywhere in it", at(&S::access), false, -kInfinity, kInfinity, {"sequential", "random"}},
  };
  return table;
}

}  // namespace platter::config
