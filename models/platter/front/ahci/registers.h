// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Offsets and bits of the registers of an AHCI host bus adapter (AHCI 1.3.1, section 3), with the standard's names.
namespace platter::ahci::reg {

inline constexpr std::uint32_t kBytes = 0x1000;
inline constexpr std::uint32_t kMaxPorts = 4;
inline constexpr std::uint32_t kSlots = 32;

// 3.1, generic host control
inline constexpr std::uint32_t kCap = 0x00;
inline constexpr std::uint32_t kCapSlotsPlace = 8;       // NCS, minus one
inline constexpr std::uint32_t kCapPartial = 1u << 13;   // PSC
inline constexpr std::uint32_t kCapSlumber = 1u << 14;   // SSC
inline constexpr std::uint32_t kCapPmd = 1u << 15;       // PIO transfers of several blocks
inline constexpr std::uint32_t kCapAhciOnly = 1u << 18;  // SAM
inline constexpr std::uint32_t kCapSpeedPlace = 20;      // ISS
inline constexpr std::uint32_t kCapClo = 1u << 24;       // SCLO
inline constexpr std::uint32_t kCapNcq = 1u << 30;       // SNCQ
inline constexpr std::uint32_t kCap64 = 1u << 31;        // S64A
inline constexpr std::uint32_t kGhc = 0x04;
inline constexpr std::uint32_t kGhcReset = 1u << 0;
inline constexpr std::uint32_t kGhcInterrupts = 1u << 1;
inline constexpr std::uint32_t kGhcAhci = 1u << 31;
inline constexpr std::uint32_t kIs = 0x08;
inline constexpr std::uint32_t kPi = 0x0C;
inline constexpr std::uint32_t kVs = 0x10;
inline constexpr std::uint32_t kVsValue = 0x0001'0301;

// 3.3, a port
inline constexpr std::uint32_t kPorts = 0x100;
inline constexpr std::uint32_t kPortBytes = 0x80;
inline constexpr std::uint32_t kClb = 0x00;
inline constexpr std::uint32_t kClbu = 0x04;
inline constexpr std::uint32_t kFb = 0x08;
inline constexpr std::uint32_t kFbu = 0x0C;
inline constexpr std::uint32_t kPxIs = 0x10;
inline constexpr std::uint32_t kPxIe = 0x14;
inline constexpr std::uint32_t kCmd = 0x18;
inline constexpr std::uint32_t kTfd = 0x20;
inline constexpr std::uint32_t kSig = 0x24;
inline constexpr std::uint32_t kSsts = 0x28;
inline constexpr std::uint32_t kSctl = 0x2C;
inline constexpr std::uint32_t kSerr = 0x30;
inline constexpr std::uint32_t kSact = 0x34;
inline constexpr std::uint32_t kCi = 0x38;

// PxIS and PxIE
inline constexpr std::uint32_t kDhrs = 1u << 0;   // register FIS
inline constexpr std::uint32_t kPss = 1u << 1;    // PIO setup FIS
inline constexpr std::uint32_t kDss = 1u << 2;    // DMA setup FIS
inline constexpr std::uint32_t kSdbs = 1u << 3;   // set device bits FIS
inline constexpr std::uint32_t kDps = 1u << 5;    // a PRD with bit I has been completed
inline constexpr std::uint32_t kPcs = 1u << 6;    // PxSERR.DIAG.X
inline constexpr std::uint32_t kOfs = 1u << 24;   // more bytes than the PRDT has room for
inline constexpr std::uint32_t kIfs = 1u << 27;   // interface fatal error
inline constexpr std::uint32_t kHbfs = 1u << 29;  // host bus fatal error
inline constexpr std::uint32_t kTfes = 1u << 30;  // task file error
inline constexpr std::uint32_t kIsEvents = kDhrs | kPss | kDss | kSdbs | kDps | kOfs | kIfs | kHbfs | kTfes;
inline constexpr std::uint32_t kIeMask = 0xFDC0'00FF;

// PxCMD
inline constexpr std::uint32_t kSt = 1u << 0;
inline constexpr std::uint32_t kSud = 1u << 1;
inline constexpr std::uint32_t kPod = 1u << 2;
inline constexpr std::uint32_t kClo = 1u << 3;
inline constexpr std::uint32_t kFre = 1u << 4;
inline constexpr std::uint32_t kCcsPlace = 8;
inline constexpr std::uint32_t kAtapi = 1u << 24;
inline constexpr std::uint32_t kDlae = 1u << 25;
inline constexpr std::uint32_t kIccPlace = 28;
inline constexpr std::uint32_t kIccActive = 1;  // as PxSSTS.IPM
inline constexpr std::uint32_t kIccPartial = 2;
inline constexpr std::uint32_t kIccSlumber = 6;
inline constexpr std::uint32_t kFr = 1u << 14;
inline constexpr std::uint32_t kCr = 1u << 15;

// PxSERR
inline constexpr std::uint32_t kSerrPhyChange = 1u << 16;
inline constexpr std::uint32_t kSerrCrc = 1u << 21;
inline constexpr std::uint32_t kSerrHandshake = 1u << 22;
inline constexpr std::uint32_t kSerrExchanged = 1u << 26;
inline constexpr std::uint32_t kSerrMask = 0x07FF'0F03;

}  // namespace platter::ahci::reg
