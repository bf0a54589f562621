// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace platter::observe {

inline constexpr char kNotWhole[] = "the waves could not be written whole: is the disk, or the one for temporary files, full?";

/// Completes an FST file that a writer has closed: the writer notes the wall-clock date, which goes, so that equal runs give equal bytes, and
/// says nothing about a disk that was full, so the file is held against what it must be: whole blocks from its front to its end, as many of
/// value changes as its header says, at most `times` time stamps in them, none later than `last`. Returns what is wrong, "" if nothing is.
std::string complete_fst(const std::filesystem::path& file, std::uint64_t times, std::uint64_t last);

}  // namespace platter::observe
