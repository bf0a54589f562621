// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <list>
#include <string_view>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/observe/output_file.h"

namespace platter::observe {

/// Writes the writes of a host in the format of Linux's dm-log-writes, in the order in which they became durable: a write when the next flush has
/// ended, a write with FUA when it has ended. docs/reference/power_loss.md describes the format.
class WriteLog {
 public:
  /// Which writes a flush covers.
  using FlushMark = std::uint64_t;

  /// Throws core::InputError where the file cannot be written.
  WriteLog(const std::filesystem::path& file, std::uint32_t sector_bytes);
  ~WriteLog();
  WriteLog(const WriteLog&) = delete;
  WriteLog& operator=(const WriteLog&) = delete;

  /// A write has ended with Good. Without data (null) the log gets bytes that name the write and the sector.
  void written(std::uint64_t address, std::uint32_t length, const std::uint8_t* data, bool fua);
  /// A flush has been issued, and has ended with Good.
  FlushMark flush_issued() const { return next_; }
  void flushed(FlushMark mark);
  /// Adds a mark.
  void mark(std::string_view text);
  /// Writes what has not been flushed, the mark "end", and the number of entries.
  void finish();
  OutputFile& file() { return file_; }

 private:
  struct Write {
    FlushMark number;
    std::uint64_t sector;
    std::vector<std::uint8_t> data;
  };

  void entry(std::uint64_t sector, std::uint64_t sectors, std::uint64_t flags, std::string_view inside);
  /// A durable write has replaced these sectors of the writes that have not been flushed.
  void supersede(std::uint64_t first, std::uint64_t end);
  void put(const void* data, std::size_t length);
  void put_super();

  OutputFile file_;
  std::FILE* stream_;
  std::uint32_t sector_bytes_;
  std::uint64_t entries_ = 0;
  FlushMark next_ = 0;
  std::list<Write> unflushed_;
};

/// Stands between a host and a drive or an array, and tells a log of every write and flush.
class WriteLogTap : public sc_core::sc_module {
 public:
  WriteLogTap(const sc_core::sc_module_name& name, WriteLog& log);

  tlm_utils::simple_target_socket<WriteLogTap> host_tgt_socket;
  tlm_utils::simple_initiator_socket<WriteLogTap> disk_init_socket;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) { return disk_init_socket->transport_dbg(payload); }
  void end(const tlm::tlm_generic_payload& payload);

  WriteLog& log_;
  std::unordered_map<const tlm::tlm_generic_payload*, WriteLog::FlushMark> flushes_;  ///< that have not ended
};

}  // namespace platter::observe
