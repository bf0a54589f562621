// SPDX-License-Identifier: Apache-2.0
//
// What own_policy.cpp and own_rtl.cpp have in common: a drive, and readers that each send one read after the other, to random places.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <systemc>

#include "platter/core/sc_time.h"
#include "platter/drive/drive.h"

class RandomReads : public sc_core::sc_module {
 public:
  static constexpr unsigned kBytes = 4096;  // of a read

  /// `drive_bytes`: capacity of the drive. With the same numbers every drive gets the same reads.
  RandomReads(const sc_core::sc_module_name& name, unsigned readers, unsigned reads, std::uint64_t drive_bytes)
      : sc_module(name), disk_init_socket("disk_init_socket"), reads_(reads), blocks_(drive_bytes / kBytes) {
    for (unsigned reader = 0; reader < readers; ++reader)
      sc_core::sc_spawn([this, reader] { run(reader); }, ("reader_" + std::to_string(reader)).c_str());
  }

  tlm_utils::simple_initiator_socket<RandomReads> disk_init_socket;
  unsigned ended = 0;                      ///< reads that have ended well
  platter::core::Picoseconds longest = 0;  ///< response time
  platter::core::Picoseconds last = 0;     ///< when the last one ended

 private:
  void run(unsigned reader) {
    std::mt19937_64 places(reader);
    unsigned char data[kBytes];
    for (unsigned i = 0; i < reads_; ++i) {
      tlm::tlm_generic_payload payload;
      payload.set_read();
      payload.set_address(places() % blocks_ * kBytes);
      payload.set_data_ptr(data);
      payload.set_data_length(kBytes);
      payload.set_streaming_width(kBytes);
      const platter::core::Picoseconds begin = platter::core::now_ps();
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      disk_init_socket->b_transport(payload, delay);
      if (!payload.is_response_ok()) continue;
      ++ended;
      last = platter::core::now_ps();
      longest = std::max(longest, last - begin);
    }
  }

  unsigned reads_;
  std::uint64_t blocks_;
};

/// A drive with 32 readers.
struct ReadDrive {
  static constexpr unsigned kReaders = 32;

  ReadDrive(const char* name, const platter::drive::DriveConfig& config, const platter::engine::EngineFactory& engine,
            unsigned reads)
      : disk(name, config, engine),
        host((std::string(name) + "_host").c_str(), kReaders, reads,
             disk.capacity_sectors() * config.profile.geometry.sector_bytes),
        expected(kReaders * reads) {
    host.disk_init_socket.bind(disk.host_tgt_socket);
  }

  /// Prints how long the reads have taken. Returns true if all have ended well.
  bool report() const {
    std::printf("%s: %u reads in %.0f ms, the longest took %.0f ms\n", disk.basename(), host.ended,
                static_cast<double>(host.last) / 1e9, static_cast<double>(host.longest) / 1e9);
    return host.ended == expected;
  }

  platter::drive::Drive disk;
  RandomReads host;
  unsigned expected;
};
