// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/write_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "platter/core/error.h"

namespace platter::observe {

namespace {

constexpr std::uint64_t kMagic = 0x006A736677736872;
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kFlush = 1;
constexpr std::uint64_t kFua = 2;
constexpr std::uint64_t kMark = 8;
constexpr std::size_t kEntryBytes = 32;

void put_number(std::uint8_t* at, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

}  // namespace

WriteLog::WriteLog(const std::filesystem::path& file, std::uint32_t sector_bytes)
    : file_(file, OutputFile::Access::Rewritten), sector_bytes_(sector_bytes) {
  stream_ = std::fopen(file_.partial_path().c_str(), "wb");
  if (stream_ == nullptr) throw core::InputError(file, 0, 0, std::strerror(errno));
  put_super();
}

WriteLog::~WriteLog() {
  if (stream_ != nullptr) std::fclose(stream_);
}

void WriteLog::put(const void* data, std::size_t length) {
  if (std::fwrite(data, 1, length, stream_) != length)
    throw core::SimulationError(fmt::format("{}: {}", file_.name().string(), std::strerror(errno)));
}

void WriteLog::put_super() {
  std::vector<std::uint8_t> sector(sector_bytes_);
  put_number(sector.data(), kMagic, 8);
  put_number(sector.data() + 8, kVersion, 8);
  put_number(sector.data() + 16, entries_, 8);
  put_number(sector.data() + 24, sector_bytes_, 4);
  put(sector.data(), sector.size());
}

void WriteLog::entry(std::uint64_t sector, std::uint64_t sectors, std::uint64_t flags, std::string_view inside) {
  ++entries_;
  inside = inside.substr(0, sector_bytes_ - kEntryBytes - 1);
  std::vector<std::uint8_t> bytes(sector_bytes_);
  put_number(bytes.data(), sector, 8);
  put_number(bytes.data() + 8, sectors, 8);
  put_number(bytes.data() + 16, flags, 8);
  put_number(bytes.data() + 24, inside.size(), 8);
  std::memcpy(bytes.data() + kEntryBytes, inside.data(), inside.size());
  put(bytes.data(), bytes.size());
}

void WriteLog::written(std::uint64_t address, std::uint32_t length, const std::uint8_t* data, bool fua) {
  Write write{next_++, address / sector_bytes_, std::vector<std::uint8_t>(length)};
  if (data != nullptr) {
    std::memcpy(write.data.data(), data, length);
  } else {
    for (std::size_t at = 0; at + 16 <= length; at += 16) {
      put_number(write.data.data() + at, write.sector + at / sector_bytes_, 8);
      put_number(write.data.data() + at + 8, write.number + 1, 8);
    }
  }
  if (!fua) {
    unflushed_.push_back(std::move(write));
    return;
  }
  supersede(write.sector, write.sector + length / sector_bytes_);
  entry(write.sector, length / sector_bytes_, kFua, {});
  put(write.data.data(), write.data.size());
}

void WriteLog::supersede(std::uint64_t first, std::uint64_t end) {
  for (auto old = unflushed_.begin(); old != unflushed_.end();) {
    const std::uint64_t from = old->sector;
    const std::uint64_t to = from + old->data.size() / sector_bytes_;
    if (to <= first || end <= from) {
      ++old;
      continue;
    }
    const auto keep = [&](std::uint64_t low, std::uint64_t high) {
      if (low >= high) return;
      const auto at = [&](std::uint64_t sector) {
        return old->data.begin() + static_cast<std::ptrdiff_t>((sector - from) * sector_bytes_);
      };
      unflushed_.insert(old, {old->number, low, {at(low), at(high)}});
    };
    keep(from, first);
    keep(end, to);
    old = unflushed_.erase(old);
  }
}

void WriteLog::flushed(FlushMark mark) {
  while (!unflushed_.empty() && unflushed_.front().number < mark) {
    const Write& write = unflushed_.front();
    entry(write.sector, write.data.size() / sector_bytes_, 0, {});
    put(write.data.data(), write.data.size());
    unflushed_.pop_front();
  }
  entry(0, 0, kFlush, {});
}

void WriteLog::mark(std::string_view text) { entry(0, 0, kMark, text); }

void WriteLog::finish() {
  if (stream_ == nullptr) return;
  for (const Write& write : unflushed_) {
    entry(write.sector, write.data.size() / sector_bytes_, 0, {});
    put(write.data.data(), write.data.size());
  }
  unflushed_.clear();
  mark("end");
  if (std::fseek(stream_, 0, SEEK_SET) != 0)
    throw core::SimulationError(fmt::format("{}: {}", file_.name().string(), std::strerror(errno)));
  put_super();
  std::FILE* const stream = std::exchange(stream_, nullptr);
  if (std::fclose(stream) != 0) throw core::SimulationError(fmt::format("{}: {}", file_.name().string(), std::strerror(errno)));
}

// --- the tap -----------------------------------------------------------------------------------------------------------

WriteLogTap::WriteLogTap(const sc_core::sc_module_name& name, WriteLog& log)
    : sc_module(name), host_tgt_socket("host_tgt_socket"), disk_init_socket("disk_init_socket"), log_(log) {
  host_tgt_socket.register_nb_transport_fw(this, &WriteLogTap::nb_transport_fw);
  host_tgt_socket.register_transport_dbg(this, &WriteLogTap::transport_dbg);
  disk_init_socket.register_nb_transport_bw(this, &WriteLogTap::nb_transport_bw);
}

tlm::tlm_sync_enum WriteLogTap::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  const auto* extension = payload.get_extension<command::CommandExtension>();
  if (phase == tlm::BEGIN_REQ && extension != nullptr && extension->flush) flushes_[&payload] = log_.flush_issued();
  const tlm::tlm_sync_enum answer = disk_init_socket->nb_transport_fw(payload, phase, delay);
  if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) end(payload);
  return answer;
}

tlm::tlm_sync_enum WriteLogTap::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_RESP) end(payload);
  return host_tgt_socket->nb_transport_bw(payload, phase, delay);
}

void WriteLogTap::end(const tlm::tlm_generic_payload& payload) {
  const auto flush = flushes_.find(&payload);
  const bool good = payload.get_response_status() == tlm::TLM_OK_RESPONSE;
  if (flush != flushes_.end()) {
    if (good) log_.flushed(flush->second);
    flushes_.erase(flush);
  } else if (good && payload.is_write()) {
    const auto* extension = payload.get_extension<command::CommandExtension>();
    log_.written(payload.get_address(), payload.get_data_length(), payload.get_data_ptr(),
                 extension != nullptr && extension->fua);
  }
}

}  // namespace platter::observe
