// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <tlm>

#include "platter/core/error.h"

namespace platter::system {

/// Takes whole sectors of an image for the drive.
using PutSectors = std::function<void(std::uint64_t at, std::uint8_t* data, std::size_t bytes)>;

/// Gives the bytes of an image file to `put`, from the drive's start on, by whole sectors; sectors that are all zero may be left out. Ends early
/// when `stop_fd` is readable (-1: none). Throws core::InputError if it is no regular file or block device, cannot be read, or is larger than the
/// drive.
void load_image(const std::filesystem::path& file, std::uint64_t capacity, std::uint32_t sector_bytes, int stop_fd,
                const PutSectors& put);

/// Writes sectors of an image through the debug interface of a drive, or of what is before it. Throws core::SimulationError if it does not take them.
template <typename Socket>
void put_sectors(Socket& disk, std::uint64_t at, std::uint8_t* data, std::size_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(at);
  payload.set_data_ptr(data);
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  if (disk->transport_dbg(payload) != bytes)
    throw core::SimulationError(fmt::format("the drive did not take {} bytes of an image at byte {}", bytes, at));
}

}  // namespace platter::system
