// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace platter::observe {

inline constexpr char kNotWhole[] = "the waves could not be written whole: is the disk, or the one for temporary files, full?";

/// Completes an FST file that a writer has closed, and checks it. The wall-clock date that the writer notes is erased, so that equal runs
/// give equal bytes. The writer does not report a full disk, so this function checks that the file consists of whole blocks from its front
/// to its end, that it has as many blocks of value changes as its header says, that these hold at most `times` time stamps, and that none
/// is later than `last`. Returns the problem, "" if there is none.
std::string complete_fst(const std::filesystem::path& file, std::uint64_t times, std::uint64_t last);

}  // namespace platter::observe
