// SPDX-License-Identifier: Apache-2.0
//
// An RV32IMC core that runs functions of a program and counts what they execute, by kind of instruction. Of machine mode it has the external
// interrupt: mret, wfi and the CSRs mstatus, mie, mip, mtvec (direct mode), mscratch, mepc and mcause. Memory begins at 0; what lies beyond is the
// device's, if there is one. An instruction that it does not know, and an access outside or not aligned, ends the program with exit code 1.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace platter::rv32 {

inline constexpr std::uint32_t kMemory = 8u << 20;
inline constexpr std::uint32_t kReturn = 0xFFFF'FFF0;  // where a called function returns to

struct Counts {
  std::uint64_t loads = 0, stores = 0, taken = 0, not_taken = 0, jumps = 0, mul = 0, mulh = 0, div = 0, other = 0;
  std::uint64_t instructions() const { return loads + stores + taken + not_taken + jumps + mul + mulh + div + other; }
};

inline std::int32_t sign(std::uint32_t value, unsigned bits) {
  return static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits);
}
inline std::uint32_t bits(std::uint32_t value, unsigned high, unsigned low) {
  return (value >> low) & ((2u << (high - low)) - 1);
}

/// What is on the bus beyond the memory. It may advance its own clock in each call.
class DeviceIf {
 public:
  virtual ~DeviceIf() = default;
  virtual std::uint32_t read(std::uint32_t address) = 0;
  virtual void write(std::uint32_t address, std::uint32_t value) = 0;
  /// An instruction was executed, or the core waits for an interrupt.
  virtual void step() = 0;
  virtual bool interrupt() const = 0;
};

class Core {
 public:
  explicit Core(DeviceIf* device = nullptr) : device_(device) {}

  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kMemory);

  std::uint32_t call(std::uint32_t address, std::uint32_t sp, const std::vector<std::uint32_t>& arguments) {
    std::memset(x_, 0, sizeof x_);
    x_[1] = kReturn;
    x_[2] = sp;
    for (std::size_t i = 0; i < arguments.size() && i < 8; ++i) x_[10 + i] = arguments[i];
    counts = {};
    mstatus_ = mie_ = 0;
    pc_ = address;
    while (pc_ != kReturn) step();
    return x_[10];
  }

  Counts counts;

 private:
  [[noreturn]] void fail(const char* what, std::uint32_t value) const {
    std::fprintf(stderr, "rv32sim: %s 0x%x at 0x%x\n", what, value, pc_);
    std::exit(1);
  }
  std::uint32_t read(std::uint32_t address, unsigned size) const {
    if (address % size != 0 || address > kMemory - size) fail("bad read of", address);
    std::uint32_t value = 0;
    std::memcpy(&value, &memory[address], size);
    return value;
  }
  void write(std::uint32_t address, unsigned size, std::uint32_t value) {
    if (address % size != 0 || address > kMemory - size) fail("bad write of", address);
    std::memcpy(&memory[address], &value, size);
  }
  void set(unsigned rd, std::uint32_t value) {
    if (rd != 0) x_[rd] = value;
  }
  bool is_device(std::uint32_t address, unsigned funct3) const {
    if (device_ == nullptr || address < kMemory) return false;
    if (funct3 != 2 || address % 4 != 0) fail("access to the device is not of a word:", address);
    return true;
  }
  void load(unsigned rd, std::uint32_t address, unsigned funct3) {
    ++counts.loads;
    if (is_device(address, funct3)) return set(rd, device_->read(address));
    switch (funct3) {
      case 0: set(rd, static_cast<std::uint32_t>(sign(read(address, 1), 8))); break;
      case 1: set(rd, static_cast<std::uint32_t>(sign(read(address, 2), 16))); break;
      case 2: set(rd, read(address, 4)); break;
      case 4: set(rd, read(address, 1)); break;
      case 5: set(rd, read(address, 2)); break;
      default: fail("unknown load", funct3);
    }
  }
  void store(std::uint32_t address, unsigned size, std::uint32_t value) {
    ++counts.stores;
    if (is_device(address, size == 4 ? 2 : 0)) return device_->write(address, value);
    write(address, size, value);
  }
  void branch(bool condition, std::int32_t offset, std::uint32_t length) {
    ++(condition ? counts.taken : counts.not_taken);
    pc_ += condition ? static_cast<std::uint32_t>(offset) : length;
  }
  void jump(unsigned rd, std::uint32_t target, std::uint32_t length) {
    ++counts.jumps;
    set(rd, pc_ + length);
    pc_ = target;
  }

  std::uint32_t arithmetic(unsigned funct3, bool alternative, std::uint32_t a, std::uint32_t b) const {
    switch (funct3) {
      case 0: return alternative ? a - b : a + b;
      case 1: return a << (b & 31);
      case 2: return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? 1 : 0;
      case 3: return a < b ? 1 : 0;
      case 4: return a ^ b;
      case 5: return alternative ? static_cast<std::uint32_t>(static_cast<std::int32_t>(a) >> (b & 31)) : a >> (b & 31);
      case 6: return a | b;
      default: return a & b;
    }
  }
  std::uint32_t multiply_divide(unsigned funct3, std::uint32_t a, std::uint32_t b) {
    ++(funct3 == 0 ? counts.mul : funct3 < 4 ? counts.mulh : counts.div);
    const auto sa = static_cast<std::int32_t>(a);
    const auto sb = static_cast<std::int32_t>(b);
    const bool overflow = a == 0x8000'0000 && b == 0xFFFF'FFFF;
    switch (funct3) {
      case 0: return a * b;
      case 1: return static_cast<std::uint32_t>((std::int64_t{sa} * sb) >> 32);
      case 2: return static_cast<std::uint32_t>((std::int64_t{sa} * std::int64_t{b}) >> 32);
      case 3: return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
      case 4: return b == 0 ? ~0u : overflow ? a : static_cast<std::uint32_t>(sa / sb);
      case 5: return b == 0 ? ~0u : a / b;
      case 6: return b == 0 ? a : overflow ? 0 : static_cast<std::uint32_t>(sa % sb);
      default: return b == 0 ? a : a % b;
    }
  }

  bool pending() const { return device_ != nullptr && device_->interrupt() && (mie_ & kExternal) != 0; }

  std::uint32_t& csr(std::uint32_t number, std::uint32_t instruction) {
    switch (number) {
      case 0x300: return mstatus_;
      case 0x304: return mie_;
      case 0x305: return mtvec_;
      case 0x340: return mscratch_;
      case 0x341: return mepc_;
      case 0x342: return mcause_;
      case 0x344: return mip_ = device_ != nullptr && device_->interrupt() ? kExternal : 0;
      default: fail("unknown CSR in", instruction);
    }
  }

  void system(std::uint32_t i, unsigned rd, unsigned funct3) {
    ++counts.other;
    if (i == 0x3020'0073) {  // mret
      mstatus_ = (mstatus_ & ~kEnabled) | ((mstatus_ & kEnabledBefore) != 0 ? kEnabled : 0) | kEnabledBefore;
      pc_ = mepc_ - 4;  // the caller adds the length
      return;
    }
    if (i == 0x1050'0073) {  // wfi
      for (std::uint32_t waited = 0; !pending(); ++waited) {
        if (device_ == nullptr || waited == kLongestWait) fail("no interrupt comes at wfi", i);
        device_->step();
      }
      return;
    }
    if (funct3 == 0 || funct3 == 4) fail("unknown instruction", i);
    const unsigned rs1 = bits(i, 19, 15);
    const std::uint32_t operand = funct3 >= 5 ? rs1 : x_[rs1];
    std::uint32_t& value = csr(bits(i, 31, 20), i);
    const std::uint32_t before = value;
    switch (funct3 & 3) {
      case 1: value = operand; break;
      case 2: value |= operand; break;
      default: value &= ~operand; break;
    }
    set(rd, before);
  }

  void take_interrupt() {
    mepc_ = pc_;
    mcause_ = 0x8000'000B;
    mstatus_ = (mstatus_ & ~(kEnabled | kEnabledBefore)) | ((mstatus_ & kEnabled) != 0 ? kEnabledBefore : 0);
    pc_ = mtvec_ & ~3u;
  }

  void step() {
    if ((mstatus_ & kEnabled) != 0 && pending()) take_interrupt();
    execute();
    if (device_ != nullptr) device_->step();
  }

  void execute() {
    const std::uint32_t half = read(pc_, 2);
    if ((half & 3) != 3)
      compressed(half);
    else
      full(half | read(pc_ + 2, 2) << 16);
  }

  void full(std::uint32_t i) {
    const unsigned rd = bits(i, 11, 7);
    const unsigned funct3 = bits(i, 14, 12);
    const std::uint32_t a = x_[bits(i, 19, 15)];
    const std::uint32_t b = x_[bits(i, 24, 20)];
    const auto immediate = static_cast<std::uint32_t>(sign(bits(i, 31, 20), 12));
    switch (bits(i, 6, 0)) {
      case 0x37: set(rd, i & 0xFFFF'F000), ++counts.other; break;
      case 0x17: set(rd, pc_ + (i & 0xFFFF'F000)), ++counts.other; break;
      case 0x6F:
        return jump(
            rd,
            pc_ + static_cast<std::uint32_t>(
                      sign(bits(i, 31, 31) << 20 | bits(i, 19, 12) << 12 | bits(i, 20, 20) << 11 | bits(i, 30, 21) << 1, 21)),
            4);
      case 0x67: return jump(rd, (a + immediate) & ~1u, 4);
      case 0x63: {
        const auto sa = static_cast<std::int32_t>(a);
        const auto sb = static_cast<std::int32_t>(b);
        bool condition = false;
        switch (funct3) {
          case 0: condition = a == b; break;
          case 1: condition = a != b; break;
          case 4: condition = sa < sb; break;
          case 5: condition = sa >= sb; break;
          case 6: condition = a < b; break;
          case 7: condition = a >= b; break;
          default: fail("unknown branch", i);
        }
        return branch(condition,
                      sign(bits(i, 31, 31) << 12 | bits(i, 7, 7) << 11 | bits(i, 30, 25) << 5 | bits(i, 11, 8) << 1, 13), 4);
      }
      case 0x03: load(rd, a + immediate, funct3); break;
      case 0x23: {
        if (funct3 > 2) fail("unknown store", i);
        const auto offset = static_cast<std::uint32_t>(sign(bits(i, 31, 25) << 5 | bits(i, 11, 7), 12));
        store(a + offset, 1u << funct3, b);
        break;
      }
      case 0x13:
        set(rd, arithmetic(funct3, funct3 == 5 && bits(i, 30, 30) != 0, a, immediate));
        ++counts.other;
        break;
      case 0x33:
        if (bits(i, 31, 25) == 1) {
          set(rd, multiply_divide(funct3, a, b));
        } else {
          if ((bits(i, 31, 25) & ~0x20u) != 0) fail("unknown instruction", i);
          set(rd, arithmetic(funct3, bits(i, 30, 30) != 0, a, b));
          ++counts.other;
        }
        break;
      case 0x73: system(i, rd, funct3); break;
      default: fail("unknown instruction", i);
    }
    pc_ += 4;
  }

  void compressed(std::uint32_t i) {
    const unsigned rd = bits(i, 11, 7);
    const unsigned rs2 = bits(i, 6, 2);
    const unsigned rd_low = 8 + bits(i, 4, 2);  // rd' or rs2'
    const unsigned rs_low = 8 + bits(i, 9, 7);  // rs1', also rd'
    const auto immediate = static_cast<std::uint32_t>(sign(bits(i, 12, 12) << 5 | bits(i, 6, 2), 6));
    const std::uint32_t word_offset = bits(i, 12, 10) << 3 | bits(i, 6, 6) << 2 | bits(i, 5, 5) << 6;
    const auto jump_offset = static_cast<std::uint32_t>(
        sign(bits(i, 12, 12) << 11 | bits(i, 11, 11) << 4 | bits(i, 10, 9) << 8 | bits(i, 8, 8) << 10 | bits(i, 7, 7) << 6 |
                 bits(i, 6, 6) << 7 | bits(i, 5, 3) << 1 | bits(i, 2, 2) << 5,
             12));
    const std::int32_t branch_offset =
        sign(bits(i, 12, 12) << 8 | bits(i, 11, 10) << 3 | bits(i, 6, 5) << 6 | bits(i, 4, 3) << 1 | bits(i, 2, 2) << 5, 9);
    switch (bits(i, 1, 0) << 3 | bits(i, 15, 13)) {
      case 000: {  // c.addi4spn
        const std::uint32_t offset = bits(i, 12, 11) << 4 | bits(i, 10, 7) << 6 | bits(i, 6, 6) << 2 | bits(i, 5, 5) << 3;
        if (offset == 0) fail("unknown instruction", i);
        set(rd_low, x_[2] + offset), ++counts.other;
        break;
      }
      case 002: load(rd_low, x_[rs_low] + word_offset, 2); break;       // c.lw
      case 006: store(x_[rs_low] + word_offset, 4, x_[rd_low]); break;  // c.sw
      case 010: set(rd, x_[rd] + immediate), ++counts.other; break;     // c.addi
      case 011: return jump(1, pc_ + jump_offset, 2);                   // c.jal
      case 012: set(rd, immediate), ++counts.other; break;              // c.li
      case 013:
        if (rd == 2)  // c.addi16sp
          set(2, x_[2] + static_cast<std::uint32_t>(sign(bits(i, 12, 12) << 9 | bits(i, 6, 6) << 4 | bits(i, 5, 5) << 6 |
                                                             bits(i, 4, 3) << 7 | bits(i, 2, 2) << 5,
                                                         10)));
        else
          set(rd, immediate << 12);  // c.lui
        ++counts.other;
        break;
      case 014:
        switch (bits(i, 11, 10)) {
          case 0: set(rs_low, x_[rs_low] >> rs2); break;                                                         // c.srli
          case 1: set(rs_low, static_cast<std::uint32_t>(static_cast<std::int32_t>(x_[rs_low]) >> rs2)); break;  // c.srai
          case 2: set(rs_low, x_[rs_low] & immediate); break;                                                    // c.andi
          default: {
            if (bits(i, 12, 12) != 0) fail("unknown instruction", i);
            const std::uint32_t a = x_[rs_low];
            const std::uint32_t b = x_[rd_low];
            const unsigned which = bits(i, 6, 5);
            set(rs_low, which == 0 ? a - b : which == 1 ? a ^ b : which == 2 ? a | b : a & b);
          }
        }
        ++counts.other;
        break;
      case 015: return jump(0, pc_ + jump_offset, 2);              // c.j
      case 016: return branch(x_[rs_low] == 0, branch_offset, 2);  // c.beqz
      case 017: return branch(x_[rs_low] != 0, branch_offset, 2);  // c.bnez
      case 020: set(rd, x_[rd] << rs2), ++counts.other; break;     // c.slli
      case 022:                                                    // c.lwsp
        load(rd, x_[2] + (bits(i, 12, 12) << 5 | bits(i, 6, 4) << 2 | bits(i, 3, 2) << 6), 2);
        break;
      case 024:
        if (rs2 == 0) {
          if (rd == 0) fail("unknown instruction", i);
          return jump(bits(i, 12, 12) != 0 ? 1 : 0, x_[rd] & ~1u, 2);  // c.jr, c.jalr
        }
        set(rd, bits(i, 12, 12) != 0 ? x_[rd] + x_[rs2] : x_[rs2]), ++counts.other;  // c.add, c.mv
        break;
      case 026:  // c.swsp
        store(x_[2] + (bits(i, 12, 9) << 2 | bits(i, 8, 7) << 6), 4, x_[rs2]);
        break;
      default: fail("unknown instruction", i);
    }
    pc_ += 2;
  }

  static constexpr std::uint32_t kEnabled = 1u << 3;         // mstatus.MIE
  static constexpr std::uint32_t kEnabledBefore = 1u << 7;   // mstatus.MPIE
  static constexpr std::uint32_t kExternal = 1u << 11;       // of mie and mip
  static constexpr std::uint32_t kLongestWait = 10'000'000;  // an interrupt comes sooner, or never

  DeviceIf* device_;
  std::uint32_t mstatus_ = 0, mie_ = 0, mip_ = 0, mtvec_ = 0, mscratch_ = 0, mepc_ = 0, mcause_ = 0;
  std::uint32_t x_[32] = {};
  std::uint32_t pc_ = 0;
};

}  // namespace platter::rv32
