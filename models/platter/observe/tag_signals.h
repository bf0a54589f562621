// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platter/command/command.h"
#include "platter/params/signal.h"

namespace platter::observe {

/// Two rows for each tag of a drive, below its name: `tags.tagN`, the command that has it as a text, and `tags.tagN_stage`.
std::vector<params::SignalRow> tag_signals(std::uint32_t tags);
constexpr std::size_t text_row(std::uint32_t tag) { return std::size_t{tag} * 2; }
constexpr std::size_t stage_row(std::uint32_t tag) { return text_row(tag) + 1; }

/// For example "read 12345+8 discrete #17": first block, number of blocks, class (a continuous one with its stream) and the host's number.
std::string command_text(const command::Command& command, std::uint32_t sector_bytes);

}  // namespace platter::observe
