// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/workload/trace_formats.h"

namespace platter::workload {

/// What a SCSI command is to a trace. By SBC and SPC: 6, 10, 12, 16 and 32 bytes do not matter here.
inline LineKind scsi_kind(std::uint16_t opcode, bool& write) {
  switch (opcode) {
    case 0x08:
    case 0x28:
    case 0xA8:
    case 0x88: write = false; return LineKind::Request;
    case 0x0A:
    case 0x2A:
    case 0xAA:
    case 0x8A:
    case 0x2E:
    case 0xAE:
    case 0x8E: write = true; return LineKind::Request;  // with verification
    case 0x35:
    case 0x91: return LineKind::Flush;
    case 0x42:
    case 0x41:
    case 0x93: return LineKind::Discard;  // UNMAP, WRITE SAME
    default: return LineKind::OtherAction;
  }
}

}  // namespace platter::workload
