// SPDX-License-Identifier: Apache-2.0
//
// The vfio-user server by its messages, with a client's memory, events and mistakes.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <atomic>
#include <random>
#include <thread>

#include "platter/drive/drive.h"
#include "platter/front/ahci/ahci_target.h"
#include "platter/front/vfio_user/vfio_user_server.h"
#include "testing.h"
#include "vfio_user_messages.h"

namespace platter::testing {
namespace {

namespace hba = ahci::reg;
using serving::FileDescriptor;
using vfio_user::body_of;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kMemory = std::uint64_t{1} << 20;

template <typename Number>
Number number_at(const Bytes& bytes, std::size_t at) {
  Number number{};
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, &bytes[at], sizeof number);
  return number;
}

std::size_t open_files() {
  std::size_t count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

/// The adapter with a toy drive, as a virtual machine sees it.
class VfioUser : public ::testing::Test {
 protected:
  VfioUser() {
    adapter.dma_init_socket.bind(server.memory_tgt_socket);
    server.register_init_socket.bind(adapter.register_tgt_socket);
    adapter.interrupt.bind(interrupt);
    server.interrupt.bind(interrupt);
    adapter.port(0).disk_init_socket.bind(disk->host_tgt_socket);
    adapter.port(0).register_init_socket.bind(disk->register_tgt_socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  void connect() {
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    client = FileDescriptor(ends[0]);
    server.connect(FileDescriptor(ends[1]));
  }
  /// Lets the server run, for so much simulated time.
  void pump(double milliseconds = 0) {
    server.flush();
    while (poller.wait(std::chrono::nanoseconds(0))) {
      poller.dispatch();
      server.flush();
    }
    sc_core::sc_start(sc_core::sc_time(milliseconds + 1e-6, sc_core::SC_MS));
  }
  bool send(const Bytes& bytes, const std::vector<int>& files = {}) {
    return send_with_files(client.get(), bytes, files, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  Bytes receive() {
    Bytes reply(70'000);
    const ssize_t bytes = recv(client.get(), reply.data(), reply.size(), MSG_DONTWAIT);
    reply.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return reply;
  }
  /// The body of a reply; `error` expected in its header.
  Bytes ask(std::uint16_t command, const Bytes& content, const std::vector<int>& files = {}, int error = 0) {
    EXPECT_TRUE(send(vfio_user_message(command, content), files));
    pump();
    Bytes reply = receive();
    EXPECT_EQ(number_at<std::uint16_t>(reply, 0), 77);
    EXPECT_EQ(number_at<std::uint16_t>(reply, 2), command);
    EXPECT_EQ(number_at<std::uint32_t>(reply, 4), reply.size()) << command;
    EXPECT_EQ(number_at<std::uint32_t>(reply, 8), error == 0 ? 1u : 0x21u) << command;
    EXPECT_EQ(number_at<std::uint32_t>(reply, 12), static_cast<std::uint32_t>(error)) << command;
    return reply.size() > 16 ? Bytes(reply.begin() + 16, reply.end()) : Bytes();
  }
  bool closed() {
    pump();
    std::uint8_t byte = 0;
    ssize_t got = 0;
    while ((got = recv(client.get(), &byte, 1, MSG_DONTWAIT)) > 0) {
    }
    return got == 0 || errno == ECONNRESET;
  }
  void greet() {
    connect();
    ask(1, Bytes{0, 0, 0, 0, '{', '}', 0});
    master(true);
  }
  /// The bit of the PCI command register.
  void master(bool on) { ask(10, body_of(std::uint64_t{4}, 7u, 2u, std::uint16_t(on ? 6 : 2))); }
  /// Maps memory of the client at address 0, of a file that may shrink or not.
  void map(bool may_shrink = false) {
    memory = FileDescriptor(memfd_create("guest", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(ftruncate(memory.get(), kMemory), 0);
    if (!may_shrink) {
      ASSERT_EQ(fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    }
    guest = static_cast<std::uint8_t*>(mmap(nullptr, kMemory, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0));
    ask(2, map_body(0, kMemory), {memory.get()});
  }
  static Bytes map_body(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset = 0, std::uint32_t flags = 3) {
    return body_of(std::uint32_t{32}, flags, offset, address, bytes);
  }
  std::uint32_t reg(std::uint64_t offset) {
    return number_at<std::uint32_t>(ask(9, body_of(offset, std::uint32_t{5}, std::uint32_t{4})), 16);
  }
  void set_reg(std::uint64_t offset, std::uint32_t value) {
    ask(10, body_of(offset, std::uint32_t{5}, std::uint32_t{4}, value));
  }
  void set_irq(std::uint32_t index, std::uint32_t flags, std::uint32_t count, const std::vector<int>& files = {},
               int error = 0) {
    ask(8, body_of(std::uint32_t{20}, flags, index, std::uint32_t{0}, count), files, error);
  }
  static std::uint64_t events(const FileDescriptor& event) {
    std::uint64_t count = 0;
    return read(event.get(), &count, sizeof count) == sizeof count ? count : 0;
  }
  /// Starts port 0 and issues IDENTIFY DEVICE in slot 0.
  void identify() {
    set_reg(hba::kGhc, hba::kGhcAhci | hba::kGhcInterrupts);
    set_reg(hba::kPorts + hba::kClb, 0x1000);
    set_reg(hba::kPorts + hba::kFb, 0x2000);
    set_reg(hba::kPorts + hba::kCmd, hba::kFre);
    set_reg(hba::kPorts + hba::kCmd, hba::kFre | hba::kSt);
    set_reg(hba::kPorts + hba::kSerr, ~0u);
    set_reg(hba::kPorts + hba::kPxIs, ~0u);
    set_reg(hba::kIs, ~0u);
    set_reg(hba::kPorts + hba::kPxIe, hba::kPss);
    const auto put = [this](std::size_t at, const Bytes& bytes) { std::memcpy(guest + at, bytes.data(), bytes.size()); };
    put(0x1000, body_of(std::uint16_t{5}, std::uint16_t{1}, std::uint32_t{0}, std::uint64_t{0x3000}));
    put(0x3000, {0x27, 0x80, 0xEC, 0, 0, 0, 0, 0x40});
    put(0x3080, body_of(std::uint64_t{0x4000}, std::uint32_t{0}, std::uint32_t{511}));
    set_reg(hba::kPorts + hba::kCi, 1);
    pump(1);
  }
  ~VfioUser() override {
    if (guest != nullptr) munmap(guest, kMemory);
  }

  std::unique_ptr<drive::Drive> disk = make_drive("disk", "SPTF", "firmware", toy_profile(), true);
  serving::Poller poller;
  ahci::AhciTarget adapter{"adapter", {ahci::AtaIdentity::of(toy_profile(), disk->capacity_sectors(), "1")}};
  vfio_user::VfioUserServer server{"server", poller};
  sc_core::sc_signal<bool> interrupt{"interrupt"};
  FileDescriptor client;
  FileDescriptor memory;
  std::uint8_t* guest = nullptr;
};

TEST_F(VfioUser, SaysWhatItIs) {
  greet();
  EXPECT_EQ(ask(4, body_of(16u, 0u, 0u, 0u)), body_of(16u, 3u, 9u, 5u));
  EXPECT_EQ(ask(5, body_of(32u, 0u, 5u, 0u, std::uint64_t{0}, std::uint64_t{0})),
            body_of(32u, 3u, 5u, 0u, std::uint64_t{4096}, std::uint64_t{0}));
  EXPECT_EQ(number_at<std::uint64_t>(ask(5, body_of(32u, 0u, 7u, 0u, std::uint64_t{0}, std::uint64_t{0})), 16), 256u);
  EXPECT_EQ(number_at<std::uint64_t>(ask(5, body_of(32u, 0u, 0u, 0u, std::uint64_t{0}, std::uint64_t{0})), 16), 0u);
  ask(5, body_of(32u, 0u, 9u, 0u, std::uint64_t{0}, std::uint64_t{0}), {}, EINVAL);
  EXPECT_EQ(ask(7, body_of(16u, 0u, 1u, 0u)), body_of(16u, 9u, 1u, 1u));
  EXPECT_EQ(number_at<std::uint32_t>(ask(9, body_of(std::uint64_t{8}, 7u, 4u)), 16), 0x0106'0102u) << "SATA, AHCI";
  ask(10, body_of(std::uint64_t{0x24}, 7u, 4u, ~0u));
  EXPECT_EQ(number_at<std::uint32_t>(ask(9, body_of(std::uint64_t{0x24}, 7u, 4u)), 16), 0xFFFF'F000u) << "4 KiB";
  EXPECT_EQ(reg(hba::kVs), 0x0001'0301u);
  ask(9, body_of(std::uint64_t{0x1000}, 5u, 4u), {}, EINVAL);
  ask(9, body_of(std::uint64_t{0}, 5u, 3u), {}, EINVAL);
  ask(9, body_of(~std::uint64_t{0}, 7u, 4u), {}, EINVAL);
  ask(99, {}, {}, ENOTSUP);
}

TEST_F(VfioUser, ADriverIdentifiesTheDiskInTheClientsMemory) {
  greet();
  map();
  const FileDescriptor event(eventfd(0, EFD_NONBLOCK));
  set_irq(1, 0x24, 1, {event.get()});
  identify();
  EXPECT_EQ(reg(hba::kPorts + hba::kCi), 0u);
  EXPECT_EQ(reg(hba::kPorts + hba::kPxIs) & hba::kPss, hba::kPss);
  EXPECT_EQ(number_at<std::uint16_t>(Bytes(guest + 0x4000, guest + 0x4200), 2 * 76) & 0x100, 0x100) << "NCQ";
  EXPECT_EQ(events(event), 1u);
  set_reg(hba::kIs, 1);
  EXPECT_EQ(events(event), 1u) << "the port's event is pending still: a message again";
  set_reg(hba::kPorts + hba::kPxIs, ~0u);
  set_reg(hba::kIs, 1);
  EXPECT_EQ(events(event), 0u);
}

TEST_F(VfioUser, MemoryThatShrinksUnderADmaIsAnErrorOfTheBus) {
  greet();
  map(true);
  identify();
  EXPECT_EQ(reg(hba::kPorts + hba::kCi), 0u);
  EXPECT_EQ(number_at<std::uint16_t>(Bytes(guest + 0x4000, guest + 0x4200), 2 * 76) & 0x100, 0x100);
  ASSERT_EQ(ftruncate(memory.get(), 0x3000), 0);
  set_reg(hba::kPorts + hba::kCi, 1);
  pump(1);
  EXPECT_EQ(reg(hba::kPorts + hba::kPxIs) & hba::kHbfs, hba::kHbfs);
}

TEST_F(VfioUser, ThereIsNoDmaWithoutBusMaster) {
  greet();
  map();
  master(false);
  identify();
  EXPECT_EQ(reg(hba::kPorts + hba::kPxIs) & hba::kHbfs, hba::kHbfs);
  master(true);
  identify();
  EXPECT_EQ(reg(hba::kPorts + hba::kPxIs) & (hba::kHbfs | hba::kPss), hba::kPss);
}

TEST_F(VfioUser, CapabilitiesThatCannotBeMetEndTheConnection) {
  for (const std::string said : {"no JSON", "[1]", R"({"capabilities":{"max_data_xfer_size":0}})",
                                 R"({"capabilities":{"max_data_xfer_size":"much"}})"}) {
    connect();
    Bytes version(4);
    version.insert(version.end(), said.begin(), said.end());
    version.push_back(0);
    ask(1, version, {}, EINVAL);
    EXPECT_TRUE(closed()) << said;
  }
  connect();
  const std::string small = R"({"capabilities":{"max_data_xfer_size":4096}})";
  Bytes version(4);
  version.insert(version.end(), small.begin(), small.end());
  const Bytes reply = ask(1, version);
  EXPECT_NE(std::string(reply.begin(), reply.end()).find("max_dma_maps"), std::string::npos);
}

TEST_F(VfioUser, TheLineInterruptMasksItself) {
  greet();
  map();
  const FileDescriptor event(eventfd(0, EFD_NONBLOCK));
  set_irq(0, 0x24, 1, {event.get()});
  identify();
  EXPECT_EQ(events(event), 1u);
  set_reg(hba::kIs, 1);
  EXPECT_EQ(events(event), 0u) << "masked until the client unmasks it";
  set_irq(0, 0x11, 1);
  EXPECT_EQ(events(event), 1u) << "pending still";
  set_irq(0, 0x21, 0);
  set_irq(0, 0x11, 1);
  EXPECT_EQ(events(event), 0u) << "taken away";
  const FileDescriptor file(open("/dev/null", O_RDWR | O_CLOEXEC));
  set_irq(1, 0x24, 1, {file.get()}, EINVAL);
}

TEST_F(VfioUser, MemoryComesAndGoes) {
  greet();
  map();
  ask(2, map_body(kMemory - 4096, 8192), {memory.get()}, EINVAL);
  ask(2, map_body(kMemory, 4096, kMemory), {memory.get()}, EINVAL);
  ask(2, map_body(~std::uint64_t{0} - 4095, 8192), {}, EINVAL);
  ask(2, map_body(kMemory, 0), {}, EINVAL);
  ask(2, map_body(kMemory, 4096), {});
  EXPECT_EQ(server.regions_mapped(), 2u);
  const Bytes unmap = body_of(24u, 0u, std::uint64_t{0}, kMemory);
  EXPECT_EQ(ask(3, unmap), unmap);
  ask(3, unmap, {}, EINVAL);
  EXPECT_EQ(server.regions_mapped(), 1u);
  identify();
  EXPECT_EQ(reg(hba::kPorts + hba::kPxIs) & hba::kHbfs, hba::kHbfs) << "there is no memory for the command list";
}

/// A client whose memory is not shared: a thread of its own answers DMA_READ and DMA_WRITE while the server waits.
TEST_F(VfioUser, MemoryThatIsNotSharedIsReachedByMessages) {
  greet();
  std::vector<std::uint8_t> own(kMemory);
  ask(2, map_body(0, kMemory));
  guest = own.data();
  std::atomic<unsigned> transfers{0};
  std::atomic<bool> refuses{false};
  std::atomic<unsigned> clears_at{0};  // the transfer before whose answer the client clears its interrupts
  const FileDescriptor event(eventfd(0, EFD_NONBLOCK));
  set_irq(1, 0x24, 1, {event.get()});
  set_reg(hba::kGhc, hba::kGhcAhci | hba::kGhcInterrupts);
  set_reg(hba::kPorts + hba::kPxIe, hba::kPss);
  const auto serve = [&](std::uint32_t limit) {  // until so many transfers have been asked for, or nothing comes
    std::vector<std::uint8_t> in;
    pollfd waiting{client.get(), POLLIN, 0};
    while (transfers < limit && poll(&waiting, 1, 1000) > 0) {
      std::array<std::uint8_t, 4096> part{};
      const ssize_t bytes = recv(client.get(), part.data(), part.size(), 0);
      if (bytes <= 0) return;
      in.insert(in.end(), part.begin(), part.begin() + bytes);
      while (in.size() >= 16 && in.size() >= number_at<std::uint32_t>(in, 4)) {
        const auto size = number_at<std::uint32_t>(in, 4);
        const auto command = number_at<std::uint16_t>(in, 2);
        const auto address = number_at<std::uint64_t>(in, 16);
        const auto count = number_at<std::uint64_t>(in, 24);
        Bytes reply(in.begin() + 16, in.begin() + 32);
        if (command == 12) std::memcpy(&own[address], &in[32], count);
        if (command == 11)
          reply.insert(reply.end(), own.begin() + static_cast<std::ptrdiff_t>(address),
                       own.begin() + static_cast<std::ptrdiff_t>(address + count));
        Bytes answer = vfio_user_message(command, refuses ? Bytes() : reply, refuses ? 0x21 : 1);
        std::memcpy(answer.data(), in.data(), 2);  // its number
        if (++transfers == clears_at) {
          send(vfio_user_message(10, body_of(std::uint64_t{hba::kPorts + hba::kPxIs}, 5u, 4u, ~0u), 0x10));
          send(vfio_user_message(10, body_of(std::uint64_t{hba::kIs}, 5u, 4u, 1u), 0x10));
        }
        send(answer);
        in.erase(in.begin(), in.begin() + size);
      }
    }
  };
  const auto put = [&own](std::size_t at, const Bytes& bytes) { std::memcpy(&own[at], bytes.data(), bytes.size()); };
  put(0x1000, body_of(std::uint16_t{5}, std::uint16_t{1}, std::uint32_t{0}, std::uint64_t{0x3000}));
  put(0x3000, {0x27, 0x80, 0xEC, 0, 0, 0, 0, 0x40});
  put(0x3080, body_of(std::uint64_t{0x4000}, std::uint32_t{0}, std::uint32_t{511}));
  set_reg(hba::kPorts + hba::kClb, 0x1000);
  set_reg(hba::kPorts + hba::kFb, 0x2000);
  const auto write_and_serve = [&](std::uint64_t offset, std::uint32_t value, std::uint32_t limit) {
    send(vfio_user_message(10, body_of(offset, std::uint32_t{5}, std::uint32_t{4}, value), 0x10));
    std::thread other(serve, limit);
    pump(1);
    other.join();
  };
  set_reg(hba::kPorts + hba::kCmd, hba::kFre);
  set_reg(hba::kPorts + hba::kCmd, hba::kFre | hba::kSt);
  write_and_serve(hba::kPorts + hba::kCi, 1, 6);  // header, frame, table; setup, data, count
  EXPECT_EQ(reg(hba::kPorts + hba::kCi), 0u);
  EXPECT_EQ(number_at<std::uint16_t>(Bytes(own.begin() + 0x4000, own.begin() + 0x4200), 2 * 76) & 0x100, 0x100) << "NCQ";
  EXPECT_EQ(events(event), 1u);
  // The events are cleared while the next command ends: the line does not fall, but there is a message.
  transfers = 0;
  clears_at = 5;
  write_and_serve(hba::kPorts + hba::kCi, 1, 6);
  EXPECT_EQ(reg(hba::kPorts + hba::kPxIs) & hba::kPss, hba::kPss);
  EXPECT_GE(events(event), 1u);
  refuses = true;
  transfers = 0;
  write_and_serve(hba::kPorts + hba::kCi, 1, 1);
  EXPECT_EQ(reg(hba::kPorts + hba::kPxIs) & hba::kHbfs, hba::kHbfs);
  guest = nullptr;
}

/// A client whose memory is not shared answers each message for one byte, after a while, for ever.
TEST_F(VfioUser, ADmaByMessagesHasALimitedTime) {
  const auto slow = [this](int stop_fd) {
    connect();
    const std::string said = R"({"capabilities":{"max_data_xfer_size":1}})";
    Bytes version(4);
    version.insert(version.end(), said.begin(), said.end());
    version.push_back(0);
    ask(1, version);
    master(true);
    ask(2, map_body(0, kMemory));
    server.stop_on(stop_fd);
    for (const auto& [offset, value] :
         std::vector<std::pair<std::uint64_t, std::uint32_t>>{{hba::kGhc, hba::kGhcAhci | hba::kGhcInterrupts},
                                                              {hba::kPorts + hba::kClb, 0x1000},
                                                              {hba::kPorts + hba::kFb, 0x2000},
                                                              {hba::kPorts + hba::kCmd, hba::kFre},
                                                              {hba::kPorts + hba::kCmd, hba::kFre | hba::kSt}})
      set_reg(offset, value);
    send(vfio_user_message(10, body_of(std::uint64_t{hba::kPorts + hba::kCi}, std::uint32_t{5}, std::uint32_t{4}, 1u), 0x10));
    std::atomic<bool> over{false};
    std::thread other([&] {
      while (!over) {
        pollfd waiting{client.get(), POLLIN, 0};
        if (poll(&waiting, 1, 20) <= 0) continue;
        Bytes in(16 + 16 + 1);
        const ssize_t got = recv(client.get(), in.data(), in.size(), 0);
        if (got <= 0) return;
        Bytes reply(in.begin() + 16, in.begin() + 32);
        if (number_at<std::uint16_t>(in, 2) == 11) reply.push_back(0);
        Bytes answer = vfio_user_message(number_at<std::uint16_t>(in, 2), reply, 1);
        std::memcpy(answer.data(), in.data(), 2);
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        send(answer);
      }
    });
    const auto begin = std::chrono::steady_clock::now();
    pump(1);
    over = true;
    other.join();
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(closed());
    server.stop_on(-1);
    return std::chrono::duration<double>(took).count();
  };
  const FileDescriptor stop(eventfd(0, EFD_NONBLOCK));
  EXPECT_LT(slow(stop.get()), 8.0) << "of its 32 bytes at 0.4 s each, 12.8 s";
  const std::uint64_t one = 1;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ASSERT_EQ(write(stop.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  });
  EXPECT_LT(slow(stop.get()), 1.5) << "the server is to end";
  later.join();
}

TEST_F(VfioUser, AClientAtATimeAndTheNextOneFindsItReset) {
  greet();
  map();
  set_reg(hba::kGhc, hba::kGhcAhci | hba::kGhcInterrupts);
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const FileDescriptor second(ends[0]);
  server.connect(FileDescriptor(ends[1]));
  std::uint8_t byte = 0;
  EXPECT_EQ(recv(second.get(), &byte, 1, MSG_DONTWAIT), 0) << "refused";
  client.close();
  pump();
  EXPECT_FALSE(server.connected());
  EXPECT_EQ(server.regions_mapped(), 0u);
  greet();
  EXPECT_EQ(reg(hba::kGhc), hba::kGhcAhci);
  EXPECT_EQ(server.clients(), 2u);
}

TEST_F(VfioUser, WhoBreaksTheProtocolIsLeft) {
  const auto leaves = [this](const char* what, const Bytes& bytes, bool greeted = true) {
    if (greeted)
      greet();
    else
      connect();
    send(bytes);
    pump();
    const Bytes reply = receive();
    EXPECT_EQ(number_at<std::uint32_t>(reply, 8), 0x21u) << what;
    EXPECT_TRUE(closed()) << what;
    EXPECT_FALSE(server.connected()) << what;
  };
  leaves("VERSION comes first", vfio_user_message(4, body_of(16u, 0u, 0u, 0u)), false);
  leaves("another major version", vfio_user_message(1, Bytes{1, 0, 0, 0, '{', '}', 0}), false);
  leaves("VERSION again", vfio_user_message(1, Bytes{0, 0, 0, 0, '{', '}', 0}));
  leaves("a message without its header", body_of(std::uint16_t{1}, std::uint16_t{4}, 15u, 0u, 0u));
  leaves("a message of 4 GiB", body_of(std::uint16_t{1}, std::uint16_t{4}, ~0u, 0u, 0u));
  leaves("a reply", vfio_user_message(9, body_of(std::uint64_t{0}, 5u, 4u), 1));
  leaves("a write without its data", vfio_user_message(10, body_of(std::uint64_t{0}, 5u, 4u)));
  leaves("a map that is too short", vfio_user_message(2, body_of(32u, 3u)));
}

/// Messages of any command with any numbers, sizes, file descriptors and cuts. Each ends in a reply, an error or a closed connection; no file or
/// mapping stays; the next client is served.
TEST_F(VfioUser, AnyMessagesAreBorne) {
  std::mt19937 random(9);
  const auto below = [&random](std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
  };
  greet();
  map();
  const std::size_t files_before = open_files();
  const FileDescriptor event(eventfd(0, EFD_NONBLOCK));
  const std::array<std::uint64_t, 8> numbers = {0, 1, 4, 5, 4096, kMemory, ~std::uint64_t{0}, std::uint64_t{1} << 63};
  const std::array<std::size_t, 6> sizes = {0, 4, 16, 20, 24, 32};
  for (int turn = 0; turn < (kSanitized ? 20'000 : 100'000); ++turn) {
    if (!server.connected()) {
      connect();
      if (below(8) != 0) send(vfio_user_message(1, Bytes{0, 0, 0, 0, '{', '}', 0}));
    }
    Bytes content(sizes[below(6)] + below(2) * below(9));
    for (std::size_t at = 0; at + 4 <= content.size(); at += 4) {
      const auto word = static_cast<std::uint32_t>(below(3) == 0 ? random() : numbers[below(8)]);
      std::memcpy(&content[at], &word, 4);
    }
    Bytes bytes = vfio_user_message(static_cast<std::uint16_t>(below(17)), content,
                                    below(12) == 0  ? static_cast<std::uint32_t>(random())
                                    : below(8) == 0 ? 0x10
                                                    : 0);
    if (below(30) == 0) bytes[4 + below(4)] = static_cast<std::uint8_t>(random());
    std::vector<int> files;
    if (below(3) == 0) files.assign(1 + (below(6) == 0 ? below(40) : 0), below(2) == 0 ? memory.get() : event.get());
    if (below(40) == 0) bytes.resize(1 + below(static_cast<std::uint32_t>(bytes.size())));
    send(bytes, files);
    pump();
    receive();
    if (below(60) == 0) client.close();
  }
  client.close();
  pump();
  EXPECT_FALSE(server.connected());
  EXPECT_EQ(server.regions_mapped(), 0u);
  EXPECT_EQ(open_files(), files_before - 1) << "of the two ends of a connection and one event, the event is there";
  greet();
  ask(2, map_body(0, kMemory), {memory.get()});
  identify();
  EXPECT_EQ(reg(hba::kPorts + hba::kCi), 0u);
}

}  // namespace
}  // namespace platter::testing
