// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

namespace platter::system {

/// Takes whole sectors of an image for the drive.
using PutSectors = std::function<void(std::uint64_t at, std::uint8_t* data, std::size_t bytes)>;

/// Gives the bytes of an image file to `put`, from the drive's start on, by whole sectors; sectors that are all zero may be left out. Ends early
/// when `stop_fd` is readable (-1: none). Throws core::InputError if it is no regular file or block device, cannot be read, or is larger than the
/// drive.
void load_image(const std::filesystem::path& file, std::uint64_t capacity, std::uint32_t sector_bytes, int stop_fd,
                const PutSectors& put);

}  // namespace platter::system
