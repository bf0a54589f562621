// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/trace_formats.h"

#include <fmt/format.h>
#include <algorithm>

#include "platter/core/nearest.h"

namespace platter::workload {

const std::vector<TraceFormat>& trace_formats() {
  constexpr std::uint64_t kSector = kTraceSectorBytes;
  constexpr std::uint32_t kSorted = 0;
  constexpr std::uint32_t kWindow = 1u << 16;
  static const std::vector<TraceFormat> kFormats = {
      {"blkparse",
       "text that blkparse prints by default from a blktrace recording (Linux block layer)",
       {kSeconds, kSector, kSector},
       kWindow,
       false,
       detect_blkparse,
       read_blkparse},
      {"fio-iolog",
       "log that fio writes with write_iolog, version 2 (waits, no time stamps) or 3",
       {kMicroseconds, 1, 1},
       kSorted,
       false,
       detect_fio_iolog,
       read_fio_iolog},
      {"disksim-ascii",
       "DiskSim's default ASCII trace: time, device, block, size, flags (bit 0 set: read)",
       {kMilliseconds, kSector, kSector},
       kSorted,
       false,
       detect_disksim_ascii,
       read_disksim_ascii},
      {"mqsim",
       "MQSim's ASCII trace: time, device, sector, size, type (1: read, 0: write)",
       {kNanoseconds, kSector, kSector},
       kSorted,
       false,
       detect_mqsim,
       read_mqsim},
      {"blktrace",
       "binary recording of Linux's blktrace: one file, or NAME for all of NAME.blktrace.0, .1, ... merged by time",
       {kNanoseconds, kSector, 1},
       kSorted,
       false,
       detect_blktrace,
       read_blktrace},
      {"vscsi",
       "CloudPhysics' binary trace, records of version 1 (32 bytes) or 2 (40 bytes, with response times)",
       {kMicroseconds, kSector, 1},
       kSorted,
       true,
       detect_vscsi,
       read_vscsi},
      {"msr",
       "MSR Cambridge: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
       {kFiletime, 1, 1},
       kSorted,
       true,
       detect_msr,
       read_msr},
      {"systor",
       "SYSTOR '17: Timestamp,Response,IOType,LUN,Offset,Size",
       {kSeconds, 1, 1},
       kWindow,
       true,
       detect_systor,
       read_systor},
      {"spc",
       "Storage Performance Council, as the UMass traces: ASU,LBA,size,opcode,time, and more fields",
       {kSeconds, kSector, 1},
       kSorted,
       false,
       detect_spc,
       read_spc},
      {"alibaba",
       "Alibaba block traces of 2020: device_id,opcode,offset,length,timestamp",
       {kMicroseconds, 1, 1},
       kSorted,
       false,
       detect_alibaba,
       read_alibaba},
      {"tencent",
       "Tencent CBS: Timestamp,Offset,Size,IOType,VolumeID (type 0: read, 1: write; whole seconds)",
       {kSeconds, kSector, kSector},
       kWindow,
       false,
       detect_tencent,
       read_tencent},
      {"fiu",
       "FIU: time, process number, process, block, blocks, W or R, device major, minor, checksum of the data",
       {kNanoseconds, kSector, kSector},
       kSorted,
       false,
       detect_fiu,
       read_fiu},
      {"biosnoop",
       "text that biosnoop prints (BCC, libbpf-tools): TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)",
       {kSeconds, kSector, 1},
       kWindow,
       true,
       detect_biosnoop,
       read_biosnoop},
      {"iosnoop",
       "text that iosnoop -s prints (perf-tools): STARTs COMM PID TYPE DEV BLOCK BYTES LATms",
       {kSeconds, kSector, 1},
       kWindow,
       true,
       detect_iosnoop,
       read_iosnoop},
      {"ftrace",
       "text of Linux's ftrace, trace-cmd or perf script with events block_bio_queue, block_rq_issue or block_rq_complete",
       {kSeconds, kSector, kSector},
       kWindow,
       false,
       detect_ftrace,
       read_ftrace},
      {"libcachesim",
       "libCacheSim's CSV, columns by their names: time, lbn (or obj_id), size, op; others are ignored",
       {kSeconds, kSector, 1},
       kSorted,
       false,
       detect_libcachesim,
       read_libcachesim},
  };
  return kFormats;
}

const TraceFormat* find_trace_format(std::string_view name) {
  const std::vector<TraceFormat>& formats = trace_formats();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const TraceFormat& format) { return format.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

std::string to_string(const TraceUnits& units) {
  const auto name = [](std::uint64_t bytes) {
    return bytes == 1 ? std::string("bytes") : fmt::format("units of {} bytes", bytes);
  };
  const std::string address = name(units.address_bytes);
  const std::string size = name(units.size_bytes);
  return fmt::format("time in {}, address {}", units.time.plural,
                     address == size ? "and size in " + size : fmt::format("in {}, size in {}", address, size));
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
