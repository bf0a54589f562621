// SPDX-License-Identifier: Apache-2.0
//
// Runs functions of an RV32IMC program on the core of rv32_core.h and counts what they execute, by kind of instruction.
//
// Commands, a line each, numbers in hexadecimal:
//   put ADDRESS BYTES            write memory
//   get ADDRESS LENGTH           print memory
//   call ADDRESS SP [ARGUMENT]...  call a function; prints what it returned, and the counts
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "rv32_core.h"

using platter::rv32::Core;
using platter::rv32::Counts;
using platter::rv32::kMemory;

int main() {
  static Core core;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string command;
    std::uint32_t address = 0;
    in >> command >> std::hex >> address;
    if (command == "put") {
      std::string text;
      in >> text;
      if (address + text.size() / 2 > kMemory) return 1;
      for (std::size_t b = 0; b + 1 < text.size(); b += 2)
        core.memory[address + b / 2] = static_cast<std::uint8_t>(std::stoul(text.substr(b, 2), nullptr, 16));
    } else if (command == "get") {
      std::uint32_t length = 0;
      in >> length;
      if (address > kMemory || length > kMemory - address) return 1;
      for (std::uint32_t b = 0; b < length; ++b) std::printf("%02x", core.memory[address + b]);
      std::printf("\n");
    } else if (command == "call") {
      std::uint32_t sp = 0;
      in >> sp;
      std::vector<std::uint32_t> arguments;
      for (std::uint32_t value = 0; in >> value;) arguments.push_back(value);
      const std::uint32_t result = core.call(address, sp, arguments);
      const Counts& c = core.counts;
      std::printf("%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu\n", static_cast<unsigned long long>(result),
                  static_cast<unsigned long long>(c.instructions()), static_cast<unsigned long long>(c.loads),
                  static_cast<unsigned long long>(c.stores), static_cast<unsigned long long>(c.taken),
                  static_cast<unsigned long long>(c.not_taken), static_cast<unsigned long long>(c.jumps),
                  static_cast<unsigned long long>(c.mul), static_cast<unsigned long long>(c.mulh),
                  static_cast<unsigned long long>(c.div), static_cast<unsigned long long>(c.other));
    } else {
      std::fprintf(stderr, "rv32sim: unknown command \"%s\"\n", command.c_str());
      return 1;
    }
    std::fflush(stdout);
  }
  return 0;
}
