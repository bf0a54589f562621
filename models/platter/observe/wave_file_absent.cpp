// SPDX-License-Identifier: Apache-2.0
//
// WaveFile of a build without wave files. It cannot be constructed, so its other functions are never called.
#include "platter/observe/wave_file.h"

namespace platter::observe {

struct WaveFile::File {};

bool WaveFile::is_built() { return false; }
WaveFile::WaveFile(std::vector<WaveWindow> windows) { require(windows.front().file); }
WaveFile::~WaveFile() = default;
WaveFile::Signals WaveFile::add(const std::string&, std::vector<params::SignalRow>) { return {}; }
void WaveFile::add(accelerator::TracedDesignIf&) {}
void WaveFile::set(Signals, std::size_t, params::SignalValue, core::Picoseconds) {}
void WaveFile::arm() {}
void WaveFile::sample(core::Picoseconds) {}
std::vector<OutputFile*> WaveFile::close() { return {}; }
void WaveFile::next_window() {}

}  // namespace platter::observe
