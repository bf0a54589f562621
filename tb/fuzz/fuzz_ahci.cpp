// SPDX-License-Identifier: Apache-2.0
//
// AHCI: accesses to the adapter's registers, and command lists, tables and frames in memory that no driver would write, while the drive has faults.
#include "ahci_commands.h"
#include "ahci_rig.h"
#include "served_drive.h"

namespace platter::fuzz {
namespace {

namespace hba = ahci::reg;

class Ahci : public Protocol {
 public:
  Ahci() : pc_("pc", fuzz_profile()) {}

  void input(Random& random) override {
    if (one_in(random, 2)) pc_.start();
    for (std::uint64_t n = 1 + below(random, 8); n > 0; --n) act(random);
  }

  void check(Random& random) override {
    drive::Drive& disk = *pc_.drives[0];
    mend(disk);
    reset();
    drain(
        Aborts::Yes, {&disk}, [&] { return disk.queue().occupancy() == 0; },
        "a command does not end after a reset of the adapter");
    store(testing::Computer::at(hba::kClbu), 0);
    store(testing::Computer::at(hba::kFbu), 0);
    pc_.start();
    expect(run(testing::command_frame(0xEC, 0, 0), 512, false) && pc_.word(0) == 0x0040, "IDENTIFY DEVICE fails");
    const std::uint64_t lba = below(random, testing::kToyBlocks - 8);
    const Bytes data(4096, static_cast<std::uint8_t>(random()));
    std::copy(data.begin(), data.end(), pc_.memory.bytes.begin() + static_cast<std::ptrdiff_t>(pc_.data(0)));
    expect(run(testing::command_frame(0x35, lba, 8), 4096, true), "a good write fails");
    std::fill_n(pc_.memory.bytes.begin() + static_cast<std::ptrdiff_t>(pc_.data(0)), 4096, std::uint8_t{0});
    expect(run(testing::queued_frame(false, lba, 8, 0), 4096, false), "a good read fails");
    expect(pc_.bytes_of(0, 4096) == data, "a read returns other bytes than were written");
  }

 private:
  void reset() {
    store(hba::kGhc, hba::kGhcReset | hba::kGhcAhci);
    testing::Computer::settle();
  }
  void store(std::uint32_t offset, std::uint32_t value) { pc_.access(tlm::TLM_WRITE_COMMAND, offset, &value, 4); }
  bool run(const testing::Frame& frame, std::uint32_t bytes, bool write) {
    pc_.set_port(hba::kPxIs, ~0u);
    pc_.prepare(0, frame, bytes, write);
    pc_.issue(1, frame[2] == 0x60);
    return pc_.idle(60'000 * kMs) && (pc_.port(hba::kPxIs) & (hba::kTfes | hba::kHbfs | hba::kIfs)) == 0 &&
           pc_.port(hba::kCi) == 0 && pc_.port(hba::kSact) == 0;
  }

  void act(Random& random) {
    switch (below(random, 10)) {
      case 0:
      case 1: access(random); break;
      case 2: testing::run_until(core::now_ps() + static_cast<Picoseconds>(below(random, 40)) * kMs); break;
      case 3: trouble(random, *pc_.drives[0]); break;
      case 4:
        for (std::uint64_t n = 1 + below(random, 16); n > 0; --n) {  // anything anywhere among lists and tables
          const auto value = static_cast<std::uint32_t>(hostile(random));
          pc_.memory.put((one_in(random, 2) ? testing::kList : testing::kTables) + below(random, 0x2000), value);
        }
        break;
      default: command(random);
    }
  }

  void access(Random& random) {
    std::array<std::uint8_t, 16> data{};
    std::uint64_t value = hostile(random);
    std::uint64_t offset = below(random, hba::kBytes);
    std::uint32_t bytes = 4;
    if (!one_in(random, 4)) {
      offset =
          pick(random, {hba::kGhc, hba::kIs, hba::kPorts + hba::kClb, hba::kPorts + hba::kClbu, hba::kPorts + hba::kFb,
                        hba::kPorts + hba::kPxIs, hba::kPorts + hba::kPxIe, hba::kPorts + hba::kCmd, hba::kPorts + hba::kSctl,
                        hba::kPorts + hba::kSerr, hba::kPorts + hba::kSact, hba::kPorts + hba::kCi, hba::kPorts + hba::kTfd});
      value = pick(random, {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{hba::kFre | hba::kSt},
                            std::uint64_t{hba::kFre}, std::uint64_t{hba::kClo}, value, std::uint64_t{testing::kList}});
    }
    if (one_in(random, 6)) bytes = 1u << below(random, 5);
    if (one_in(random, 20)) bytes = static_cast<std::uint32_t>(below(random, 16));
    std::memcpy(data.data(), &value, sizeof value);
    pc_.access(pick(random, {tlm::TLM_WRITE_COMMAND, tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND, tlm::TLM_IGNORE_COMMAND}),
               one_in(random, 20) ? hostile(random) : offset & ~std::uint64_t{bytes - 1}, data.data(), bytes);
  }

  void command(Random& random) {
    const AnyCommand any = any_command(random, testing::kToyBlocks);
    const auto slot = static_cast<std::uint32_t>(below(random, 32));
    std::vector<testing::Region> regions;
    for (std::uint64_t n = one_in(random, 6) ? below(random, 200) : one_in(random, 3) ? below(random, 4) : 0; n > 0; --n) {
      const std::uint64_t address =
          one_in(random, 10) ? hostile(random) : testing::kData + below(random, 32 * testing::kDataStride);
      regions.push_back({address, static_cast<std::uint32_t>(one_in(random, 8) ? hostile(random) : 2 + below(random, 20'000)),
                         one_in(random, 4)});
    }
    pc_.prepare(slot, any.frame, any.bytes, any.write, regions,
                one_in(random, 8) ? static_cast<std::uint32_t>(random() & 0xFFFF) : 0);
    if (one_in(random, 12))
      pc_.memory.put(testing::kList + 32 * slot + 2, static_cast<std::uint16_t>(hostile(random)));  // entries of the table
    const std::uint32_t slots = 1u << slot | (one_in(random, 8) ? static_cast<std::uint32_t>(hostile(random)) : 0);
    if (any.queued != one_in(random, 16)) store(testing::Computer::at(hba::kSact), slots);
    store(testing::Computer::at(hba::kCi), slots);
  }

  testing::Computer pc_;
};

}  // namespace

std::unique_ptr<Protocol> make_ahci(const std::filesystem::path& /*work*/) { return std::make_unique<Ahci>(); }

}  // namespace platter::fuzz
