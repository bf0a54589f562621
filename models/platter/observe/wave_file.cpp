// SPDX-License-Identifier: Apache-2.0
//
// The only file that uses the hooks of Verilator's FST object: our own scopes are declared, and written, through its init,
// full and change callbacks. It includes no SystemC.
#include "platter/observe/wave_file.h"

#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <vector>

#include "platter/core/error.h"
#include "platter/observe/fst_file.h"

namespace platter::observe {

using core::Picoseconds;

namespace {

constexpr std::size_t kTextWords = params::SignalRow::kTextBytes / 4;

std::uint32_t words(const params::SignalRow& row) {
  return row.bits == 0 ? 2 : row.bits == params::SignalRow::kText ? kTextWords : 1;
}

/// The last character in the lowest bits.
std::array<WData, kTextWords> text_words(const std::string& text) {
  std::array<WData, kTextWords> words{};
  const std::size_t length = std::min<std::size_t>(text.size(), params::SignalRow::kTextBytes);
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t place = length - 1 - i;
    words[place / 4] |= static_cast<WData>(static_cast<unsigned char>(text[i])) << (place % 4 * 8);
  }
  return words;
}

params::SignalValue nothing(const params::SignalRow& row) {
  if (row.bits == 0) return 0.0;
  if (row.bits == params::SignalRow::kText) return std::string();
  return std::uint64_t{0};
}

/// The values of an enumeration in binary digits.
struct EnumerationText {
  int type;
  std::vector<std::string> digits;
  std::vector<const char*> bits;

  EnumerationText(int number, const params::SignalRow& row) : type(number) {
    for (std::size_t value = 0; value < row.values->values.size(); ++value) {
      std::string& text = digits.emplace_back();
      for (int bit = row.bits - 1; bit >= 0; --bit) text += (value >> static_cast<unsigned>(bit) & 1u) != 0 ? '1' : '0';
    }
    for (const std::string& text : digits) bits.push_back(text.c_str());
  }
};

}  // namespace

struct WaveFile::File {
  struct Scope {
    std::string name;
    std::vector<params::SignalRow> rows;
    std::vector<params::SignalValue> values;
    std::vector<std::uint32_t> codes;    ///< in the file, relative to the first one's
    std::vector<std::uint32_t> changed;  ///< rows whose values are newer than the file
    std::vector<bool> is_changed;
    std::uint32_t code = 0;  ///< of the first signal in the file

    void set(std::size_t row, params::SignalValue value) {
      values[row] = std::move(value);
      if (is_changed[row]) return;
      is_changed[row] = true;
      changed.push_back(static_cast<std::uint32_t>(row));
    }
  };

  VerilatedFstC fst;
  std::vector<std::unique_ptr<Scope>> scopes;

  static void init(void* self, VerilatedFst* trace, std::uint32_t code) {
    auto& scope = *static_cast<Scope*>(self);
    std::map<const params::Enumeration*, EnumerationText> enumerations;  // each scope numbers them anew, as each design does
    scope.code = code;
    for (const params::SignalRow& row : scope.rows) {
      if (row.values == nullptr || enumerations.count(row.values) != 0) continue;
      EnumerationText& text =
          enumerations.try_emplace(row.values, static_cast<int>(enumerations.size()) + 1, row).first->second;
      trace->declDTypeEnum(text.type, std::string(row.values->name).c_str(),
                           static_cast<std::uint32_t>(row.values->values.size()), static_cast<std::uint32_t>(row.bits),
                           const_cast<const char**>(row.values->values.data()), text.bits.data());
    }
    constexpr auto kModule = VerilatedTracePrefixType::SCOPE_MODULE;
    trace->pushPrefix(scope.name.c_str(), kModule);
    std::vector<std::string_view> inner;
    for (const params::SignalRow& row : scope.rows)
      if (std::find(inner.begin(), inner.end(), row.scope) == inner.end()) inner.push_back(row.scope);
    for (const std::string_view name : inner) {
      if (!name.empty()) trace->pushPrefix(std::string(name).c_str(), kModule);
      for (std::size_t i = 0; i < scope.rows.size(); ++i)
        if (scope.rows[i].scope == name) declare(*trace, code + scope.codes[i], scope.rows[i], enumerations);
      if (!name.empty()) trace->popPrefix();
    }
    trace->popPrefix();
  }

  static void declare(VerilatedFst& trace, std::uint32_t at, const params::SignalRow& row,
                      const std::map<const params::Enumeration*, EnumerationText>& enumerations) {
    constexpr auto kNone = VerilatedTraceSigDirection::NONE;
    constexpr auto kWire = VerilatedTraceSigKind::WIRE;
    constexpr auto kLogic = VerilatedTraceSigType::LOGIC;
    const std::string name(row.name);
    if (row.bits == 0)
      trace.declDouble(at, name.c_str(), -1, kNone, VerilatedTraceSigKind::VAR, VerilatedTraceSigType::DOUBLE);
    else if (row.bits == params::SignalRow::kText)
      trace.declWide(at, name.c_str(), -1, kNone, kWire, kLogic, row.bits - 1, 0);
    else if (row.bits == 1)
      trace.declBit(at, name.c_str(), -1, kNone, kWire, kLogic);
    else
      trace.declBus(at, name.c_str(), row.values == nullptr ? -1 : enumerations.at(row.values).type, kNone, kWire, kLogic,
                    row.bits - 1, 0);
  }

  template <bool kFull>
  static void write(void* self, VerilatedFst::Buffer* buffer) {
    auto& scope = *static_cast<Scope*>(self);
    if (kFull) {
      for (std::size_t i = 0; i < scope.rows.size(); ++i) write_row<kFull>(scope, i, *buffer);
    } else {
      for (const std::uint32_t row : scope.changed) write_row<kFull>(scope, row, *buffer);
    }
    for (const std::uint32_t row : scope.changed) scope.is_changed[row] = false;
    scope.changed.clear();
  }

  template <bool kFull>
  static void write_row(const Scope& scope, std::size_t i, VerilatedFst::Buffer& buffer) {
    const params::SignalRow& row = scope.rows[i];
    const params::SignalValue& value = scope.values[i];
    std::uint32_t* old = buffer.oldp(scope.code + scope.codes[i]);
    if (row.bits == 0) {
      const double real = std::get<double>(value);
      kFull ? buffer.fullDouble(old, real) : buffer.chgDouble(old, real);
    } else if (row.bits == params::SignalRow::kText) {
      const auto text = text_words(std::get<std::string>(value));
      kFull ? buffer.fullWData(old, text.data(), row.bits) : buffer.chgWData(old, text.data(), row.bits);
    } else {
      const auto whole = static_cast<std::uint32_t>(std::get<std::uint64_t>(value));
      if (row.bits == 1)
        kFull ? buffer.fullBit(old, whole != 0) : buffer.chgBit(old, whole != 0);
      else
        kFull ? buffer.fullIData(old, whole, row.bits) : buffer.chgIData(old, whole, row.bits);
    }
  }
};

bool WaveFile::is_built() { return true; }

WaveFile::WaveFile(std::vector<WaveWindow> windows) : file_(std::make_unique<File>()), windows_(std::move(windows)) {
  for (const WaveWindow& window : windows_)
    if (outputs_.empty() || outputs_.back()->name() != window.file)
      outputs_.push_back(std::make_unique<OutputFile>(window.file, OutputFile::Access::Rewritten));
  VerilatedFst& trace = *file_->fst.spTrace();
  trace.set_time_unit("1ps");
  trace.set_time_resolution("1ps");
}

WaveFile::Signals WaveFile::add(const std::string& scope, std::vector<params::SignalRow> rows) {
  require_closed();
  const std::size_t number = file_->scopes.size();
  File::Scope& added = *file_->scopes.emplace_back(std::make_unique<File::Scope>());
  added.name = scope;
  added.rows = std::move(rows);
  added.is_changed.resize(added.rows.size());
  std::uint32_t code = 0;
  for (const params::SignalRow& row : added.rows) {
    added.values.push_back(nothing(row));
    added.codes.push_back(code);
    code += words(row);
  }
  VerilatedFst& trace = *file_->fst.spTrace();
  trace.addInitCb(&File::init, &added, scope, false, code);
  trace.addFullCb(&File::write<true>, 0, &added);
  trace.addChgCb(&File::write<false>, 0, &added);
  return {number};
}

void WaveFile::require_closed() const {
  if (armed_)
    throw std::logic_error(outputs_[output_]->name().string() + ": signals can be added only before the recording starts");
}

void WaveFile::add(accelerator::TracedDesignIf& design) {
  require_closed();
  design.declare(file_->fst);
  design.set_sampler(this);
  designs_.push_back(&design);
}

void WaveFile::arm() {
  if (armed_) return;
  open();
  armed_ = true;
}

void WaveFile::open() { file_->fst.open(outputs_[output_]->partial_path().c_str()); }

void WaveFile::next_window() {
  flush(core::kNoDeadline);
  ++window_;
  if (windows_[window_].file == outputs_[output_]->name()) return;
  close_current();
  ++output_;
  dumps_ = 0;
  open();
}

void WaveFile::unhook() {
  for (accelerator::TracedDesignIf* design : designs_) design->set_sampler(nullptr);
  designs_.clear();
}

WaveFile::~WaveFile() {
  unhook();
  if (!finish()) keep(std::move(file_));
}

bool WaveFile::finish() {
  try {
    if (!broken_ && file_->fst.isOpen()) file_->fst.close();
  } catch (const std::runtime_error&) {  // fst_checks.h
    broken_ = true;
  }
  return !broken_;
}

void WaveFile::keep(std::unique_ptr<File> file) {
  static auto& kept = *new std::vector<File*>;
  kept.push_back(file.release());
}

void WaveFile::dump(Picoseconds time) {
  if (time <= last_) time = last_ + 1;
  last_ = time;
  ++dumps_;
  try {
    if (!broken_) file_->fst.dump(static_cast<std::uint64_t>(time));
  } catch (const std::runtime_error&) {
    broken_ = true;
  }
}

void WaveFile::flush(Picoseconds before) {
  if (changed_ < 0 || changed_ >= before) return;
  dump(changed_);
  changed_ = -1;
}

void WaveFile::set(Signals of, std::size_t row, params::SignalValue value, Picoseconds now) {
  turn(now);
  flush(now);
  file_->scopes[of.scope]->set(row, std::move(value));
  if (wants(now)) changed_ = now;
}

void WaveFile::sample(Picoseconds time) {
  turn(time);
  flush(time);
  if (changed_ == time) changed_ = -1;  // is written with this sample
  const Picoseconds step = time - sampled_;
  sampled_ = time;
  // Another core's clock has run ahead. The edges follow it at their own distance, until simulated time has caught up.
  dump(time <= last_ && step > 0 ? last_ + step : time);
}

void WaveFile::close_current() {
  const bool whole = finish();
  const OutputFile& output = *outputs_[output_];
  const std::string objection =
      !whole ? kNotWhole : complete_fst(output.partial_path(), dumps_, last_ > 0 ? static_cast<std::uint64_t>(last_) : 0);
  if (!objection.empty()) throw core::SimulationError(output.name().string() + ": " + objection);
}

std::vector<OutputFile*> WaveFile::close() {
  arm();                                                // a run without a kernel step also has a file
  while (window_ + 1 < windows_.size()) next_window();  // those that the run did not reach
  flush(core::kNoDeadline);
  unhook();
  close_current();
  std::vector<OutputFile*> files;
  files.reserve(outputs_.size());
  for (const auto& output : outputs_) files.push_back(output.get());
  return files;
}

}  // namespace platter::observe
