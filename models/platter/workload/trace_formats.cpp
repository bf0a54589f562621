// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/trace_formats.h"

#include <fmt/format.h>
#include <algorithm>

#include "platter/core/nearest.h"

namespace platter::workload {

const std::vector<TraceFormat>& trace_formats() {
  static const std::vector<TraceFormat> kFormats = {
      {"blkparse", "text that blkparse prints by default from a blktrace recording (Linux block layer)",
       "time in seconds, address and size in sectors of 512 bytes", detect_blkparse, read_blkparse},
      {"fio-iolog", "log that fio writes with write_iolog, version 2 or 3",
       "time in microseconds (version 3; version 2 has waits only), address and size in bytes", detect_fio_iolog,
       read_fio_iolog},
      {"disksim-ascii", "DiskSim's default ASCII trace: time, device, block, size, flags (bit 0 set: read)",
       "time in milliseconds, address and size in blocks of 512 bytes", detect_disksim_ascii, read_disksim_ascii},
      {"mqsim", "MQSim's ASCII trace: time, device, sector, size, type (1: read, 0: write)",
       "time in nanoseconds, address and size in sectors of 512 bytes", detect_mqsim, read_mqsim},
  };
  return kFormats;
}

const TraceFormat* find_trace_format(std::string_view name) {
  const std::vector<TraceFormat>& formats = trace_formats();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const TraceFormat& format) { return format.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

std::string unknown_trace_format(const std::string& name) {
  std::vector<std::string_view> names;
  std::string all = "auto";
  for (const TraceFormat& format : trace_formats()) {
    names.push_back(format.name);
    all.append(", ").append(format.name);
  }
  return fmt::format("there is no trace format \"{}\"{}; expected one of {}", name, core::did_you_mean(name, names), all);
}

}  // namespace platter::workload
