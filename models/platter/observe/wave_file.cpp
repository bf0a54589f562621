// SPDX-License-Identifier: Apache-2.0
//
// The only file that uses the hooks of Verilator's FST object: our own scopes are declared, and written, through its init,
// full and change callbacks. It includes no SystemC.
#include "platter/observe/wave_file.h"

#include <verilated.h>
#include <verilated_fst_c.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "platter/core/error.h"
#include "platter/drive/controller_state.h"
#include "platter/observe/fst_file.h"

namespace platter::observe {

using core::Picoseconds;

namespace {

constexpr std::size_t kSignals = static_cast<std::size_t>(WaveSignal::Count);

struct SignalInfo {
  const char* scope;  // within "disk"
  const char* name;
  int bits;   // 0: real
  int dtype;  // enumeration, -1: none
};

constexpr int kStateType = 1;
constexpr int kClassType = 2;

constexpr std::array<SignalInfo, kSignals> kInfo = {{
    {"mech", "cylinder", 18, -1},
    {"mech", "head", 6, -1},
    {"controller", "state", 3, kStateType},
    {"controller", "tag", 9, -1},
    {"controller", "busy", 1, -1},
    {"controller", "class", 2, kClassType},
    {"queue", "occupancy", 9, -1},
    {"mech", "angle", 0, -1},
    {"controller", "slack_ms", 0, -1},
    {"controller", "decision_prepared", 1, -1},
    {"controller", "scheduler_stall", 1, -1},
}};

constexpr std::array<const char*, 3> kScopes = {"mech", "controller", "queue"};

// In the order of core::RequestClass; a test reads them back.
const char* const kStateBits[] = {"000", "001", "010", "011", "100", "101", "110"};
const char* const kClassNames[] = {"DISCRETE", "CONTINUOUS", "BACKGROUND"};
const char* const kClassBits[] = {"00", "01", "10"};

constexpr std::uint32_t words(const SignalInfo& info) { return info.bits == 0 ? 2 : 1; }

constexpr std::uint32_t all_words() {
  std::uint32_t sum = 0;
  for (const SignalInfo& info : kInfo) sum += words(info);
  return sum;
}

}  // namespace

struct WaveFile::File {
  VerilatedFstC fst;
  std::array<std::uint64_t, kSignals> values{};
  std::array<double, kSignals> reals{};
  std::uint32_t code = 0;

  static void init(void* self, VerilatedFst* trace, std::uint32_t code) {
    auto& file = *static_cast<File*>(self);
    file.code = code;
    trace->declDTypeEnum(kStateType, "controller_state", 7, 3, const_cast<const char**>(drive::kControllerStateNames.data()),
                         const_cast<const char**>(kStateBits));
    trace->declDTypeEnum(kClassType, "request_class", 3, 2, const_cast<const char**>(kClassNames),
                         const_cast<const char**>(kClassBits));
    constexpr auto kModule = VerilatedTracePrefixType::SCOPE_MODULE;
    constexpr auto kNone = VerilatedTraceSigDirection::NONE;
    constexpr auto kWire = VerilatedTraceSigKind::WIRE;
    constexpr auto kLogic = VerilatedTraceSigType::LOGIC;
    trace->pushPrefix("disk", kModule);
    for (const char* scope : kScopes) {
      trace->pushPrefix(scope, kModule);
      std::uint32_t at = code;
      for (const SignalInfo& info : kInfo) {
        if (std::strcmp(info.scope, scope) == 0) {
          if (info.bits == 0)
            trace->declDouble(at, info.name, -1, kNone, VerilatedTraceSigKind::VAR, VerilatedTraceSigType::DOUBLE);
          else if (info.bits == 1)
            trace->declBit(at, info.name, -1, kNone, kWire, kLogic);
          else
            trace->declBus(at, info.name, info.dtype, kNone, kWire, kLogic, info.bits - 1, 0);
        }
        at += words(info);
      }
      trace->popPrefix();
    }
    trace->popPrefix();
  }

  template <bool kFull>
  static void write(void* self, VerilatedFst::Buffer* buffer) {
    auto& file = *static_cast<File*>(self);
    std::uint32_t code = file.code;
    for (std::size_t i = 0; i < kSignals; ++i) {
      const SignalInfo& info = kInfo[i];
      std::uint32_t* old = buffer->oldp(code);
      const auto value = static_cast<std::uint32_t>(file.values[i]);
      if (info.bits == 0)
        kFull ? buffer->fullDouble(old, file.reals[i]) : buffer->chgDouble(old, file.reals[i]);
      else if (info.bits == 1)
        kFull ? buffer->fullBit(old, value != 0) : buffer->chgBit(old, value != 0);
      else
        kFull ? buffer->fullIData(old, value, info.bits) : buffer->chgIData(old, value, info.bits);
      code += words(info);
    }
  }
};

WaveFile::WaveFile(const std::filesystem::path& file, Picoseconds from, Picoseconds to, accelerator::RtlCore* rtl)
    : file_(std::make_unique<File>()), name_(file.string()), output_(file, OutputFile::Access::Rewritten), rtl_(rtl), from_(from), to_(to) {
  VerilatedFst& trace = *file_->fst.spTrace();
  trace.set_time_unit("1ps");
  trace.set_time_resolution("1ps");
  trace.addInitCb(&File::init, file_.get(), "disk", false, all_words());
  trace.addFullCb(&File::write<true>, 0, file_.get());
  trace.addChgCb(&File::write<false>, 0, file_.get());
  if (rtl != nullptr) {
    rtl->declare(file_->fst);
    rtl->set_sampler(this);
  }
  file_->fst.open(output_.partial_path().c_str());
}

void WaveFile::unhook() {
  if (rtl_ != nullptr) rtl_->set_sampler(nullptr);
  rtl_ = nullptr;
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

void WaveFile::set(WaveSignal signal, std::uint64_t value, Picoseconds now) {
  flush(now);
  file_->values[static_cast<std::size_t>(signal)] = value;
  if (wants(now)) changed_ = now;
}

void WaveFile::set(WaveSignal signal, double value, Picoseconds now) {
  flush(now);
  file_->reals[static_cast<std::size_t>(signal)] = value;
  if (wants(now)) changed_ = now;
}

void WaveFile::sample(Picoseconds time) {
  flush(time);
  if (changed_ == time) changed_ = -1;  // goes with this sample
  dump(time);
}

OutputFile& WaveFile::close() {
  flush(core::kNoDeadline);
  unhook();
  const bool whole = finish();
  const std::string objection =
      !whole ? kNotWhole : complete_fst(output_.partial_path(), dumps_, last_ > 0 ? static_cast<std::uint64_t>(last_) : 0);
  if (!objection.empty()) throw core::SimulationError(name_ + ": " + objection);
  return output_;
}

}  // namespace platter::observe
