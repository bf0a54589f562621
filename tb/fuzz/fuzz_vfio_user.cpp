// SPDX-License-Identifier: Apache-2.0
//
// vfio-user: messages of a client that breaks the protocol, with files of every kind, and of a driver behind it that writes what no driver would.
#include <dirent.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ahci_commands.h"
#include "ahci_frame.h"
#include "platter/front/ahci/ahci_target.h"
#include "platter/front/vfio_user/vfio_user_server.h"
#include "served_drive.h"
#include "vfio_user_messages.h"

namespace platter::fuzz {
namespace {

namespace hba = ahci::reg;
using serving::FileDescriptor;
using vfio_user::body_of;

constexpr std::uint64_t kMemory = std::uint64_t{1} << 20;

std::size_t open_files() {
  std::size_t count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

class VfioUser : public Protocol {
 public:
  VfioUser() {
    adapter_.dma_init_socket.bind(server_.memory_tgt_socket);
    server_.register_init_socket.bind(adapter_.register_tgt_socket);
    adapter_.interrupt.bind(interrupt_);
    server_.interrupt.bind(interrupt_);
    adapter_.port(0).disk_init_socket.bind(disk_->host_tgt_socket);
    adapter_.port(0).register_init_socket.bind(disk_->register_tgt_socket);
  }

  void begin() override {
    memory_ = FileDescriptor(memfd_create("guest", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    shrinking_ = FileDescriptor(memfd_create("shrinking", MFD_CLOEXEC));
    null_ = FileDescriptor(open("/dev/null", O_RDWR | O_CLOEXEC));
    event_ = FileDescriptor(eventfd(0, EFD_CLOEXEC));
    expect(ftruncate(memory_.get(), kMemory) == 0 && fcntl(memory_.get(), F_ADD_SEALS, F_SEAL_SHRINK) == 0,
           "no memory for a guest");
    guest_ = static_cast<std::uint8_t*>(mmap(nullptr, kMemory, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0));
    files_ = open_files();
  }

  void input(Random& random) override {
    expect(ftruncate(shrinking_.get(), static_cast<off_t>(kMemory)) == 0, "no memory for a guest");
    connect();
    asks_ = false;
    if (!one_in(random, 8)) greet(random);
    if (!one_in(random, 4)) say(2, map(0, kMemory), {memory_.get()});
    if (one_in(random, 4)) trouble(random, *disk_);
    if (one_in(random, 2)) start();
    for (std::uint64_t n = 1 + below(random, 8); n > 0; --n) act(random);
    serve();
    // While the adapter waits for the client's memory the client answers nothing more than this, and is then gone.
    if (asks_ && server_.connected()) {
      for (std::uint16_t id = 0; id < below(random, 6); ++id) answer(random, id);
      shutdown(client_.get(), SHUT_WR);
    }
    testing::run_until(core::now_ps() + static_cast<Picoseconds>(below(random, 60)) * kMs + 1);
    serve();
    if (one_in(random, 4)) expect(ftruncate(shrinking_.get(), 0) == 0, "no memory for a guest");
  }

  void check(Random& random) override {
    mend(*disk_);
    client_.close();
    serve();
    expect(!server_.connected() && server_.regions_mapped() == 0, "a client that has gone is still there");
    drain(
        Aborts::Yes, {disk_.get()}, [this] { return disk_->queue().occupancy() == 0; },
        "a command does not end when its client has gone");
    expect(open_files() == files_, fmt::format("{} files are open, before {}", open_files(), files_));
    connect();
    say(1, Bytes{0, 0, 0, 0, '{', '}', 0});
    say(10, body_of(std::uint64_t{4}, 7u, 2u, std::uint16_t{6}));
    say(2, map(0, kMemory), {memory_.get()});
    start();
    const auto fill = static_cast<std::uint8_t>(random());
    const std::uint64_t lba = below(random, testing::kToyBlocks - 8);
    std::memset(guest_ + 0x4000, fill, 4096);
    expect(run(testing::command_frame(0x35, lba, 8), true), "a good write fails");
    std::memset(guest_ + 0x4000, 0, 4096);
    expect(run(testing::command_frame(0x25, lba, 8), false), "a good read fails");
    expect(std::all_of(guest_ + 0x4000, guest_ + 0x5000, [fill](std::uint8_t b) { return b == fill; }),
           "a read returns other bytes than were written");
    client_.close();
    serve();
  }

 private:
  static constexpr std::uint64_t kPort = hba::kPorts;

  static Bytes map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset = 0, std::uint32_t flags = 3) {
    return body_of(std::uint32_t{32}, flags, offset, address, bytes);
  }

  void connect() {
    std::array<int, 2> ends{};
    expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, "no socket");
    client_ = FileDescriptor(ends[0]);
    server_.connect(FileDescriptor(ends[1]));
  }
  /// Lets the server read what has come, and reads its answers.
  void serve() {
    server_.flush();
    for (int turn = 0; turn < 100 && poller_.wait(std::chrono::nanoseconds(0)); ++turn) {
      poller_.dispatch();
      server_.flush();
      take();
    }
    take();
  }
  void take() {
    if (!client_) return;
    std::array<std::uint8_t, 65536> part{};
    while (recv(client_.get(), part.data(), part.size(), MSG_DONTWAIT) > 0) {
    }
  }
  void raw(const Bytes& bytes, const std::vector<int>& files = {}) {
    if (!bytes.empty()) [[maybe_unused]]
      const ssize_t sent = testing::send_with_files(client_.get(), bytes, files, MSG_NOSIGNAL | MSG_DONTWAIT);
    serve();
  }
  void say(std::uint16_t command, const Bytes& body, const std::vector<int>& files = {}) {
    raw(testing::vfio_user_message(command, body), files);
  }
  void store(std::uint64_t offset, std::uint32_t value) { say(10, body_of(offset, 5u, 4u, value)); }

  void greet(Random& random) {
    Bytes version{0, 0, 0, 0};
    const std::string said =
        pick<std::string>(random, {"{}", "{}", "", "[1]", R"({"capabilities":{"max_data_xfer_size":4096}})",
                                   R"({"capabilities":{"max_data_xfer_size":1}})", R"({"capabilities":[]})"});
    version.insert(version.end(), said.begin(), said.end());
    version.push_back(0);
    if (one_in(random, 12)) mutate(random, version);
    say(1, version);
    if (!one_in(random, 8)) say(10, body_of(std::uint64_t{4}, 7u, 2u, std::uint16_t{6}));
  }
  void start() {
    store(hba::kGhc, hba::kGhcAhci | hba::kGhcInterrupts);
    store(kPort + hba::kClb, 0x1000);
    store(kPort + hba::kClbu, 0);
    store(kPort + hba::kFbu, 0);
    store(kPort + hba::kFb, 0x2000);
    store(kPort + hba::kCmd, hba::kFre);
    store(kPort + hba::kCmd, hba::kFre | hba::kSt);
    store(kPort + hba::kSerr, ~0u);
    store(kPort + hba::kPxIs, ~0u);
    store(kPort + hba::kPxIe, ~0u);
  }
  void prepare(std::uint32_t slot, const std::array<std::uint8_t, 20>& frame, std::uint32_t bytes, bool write) {
    const auto put = [this](std::size_t at, const Bytes& what) { std::memcpy(guest_ + at, what.data(), what.size()); };
    put(0x1000 + 32 * slot, body_of(static_cast<std::uint16_t>(5 | (write ? 0x40 : 0)), std::uint16_t{1}, 0u,
                                    std::uint64_t{0x3000} + slot * 0x100));
    put(0x3000 + slot * 0x100, Bytes(frame.begin(), frame.end()));
    put(0x3080 + slot * 0x100, body_of(std::uint64_t{0x6000}, 0u, bytes > 0 ? bytes - 1 : 0));
  }
  bool run(const std::array<std::uint8_t, 20>& frame, bool write) {
    prepare(0, frame, 4096, write);
    const Bytes at = body_of(std::uint64_t{0x4000}, 0u, 4095u);
    std::memcpy(guest_ + 0x3080, at.data(), at.size());
    testing::run_until(core::now_ps() + 1);
    store(kPort + hba::kPxIs, ~0u);
    store(kPort + hba::kCi, 1);
    const auto failed = [this] { return (adapter_.port(0).read(hba::kPxIs) & (hba::kTfes | hba::kHbfs | hba::kIfs)) != 0; };
    drain(
        Aborts::No, {disk_.get()}, [&] { return adapter_.port(0).read(hba::kCi) == 0 || failed(); },
        "a good command does not end");
    return !failed();
  }

  void act(Random& random) {
    switch (below(random, 10)) {
      case 0:
      case 1: {
        const AnyCommand any = any_command(random, testing::kToyBlocks);
        const auto slot = static_cast<std::uint32_t>(below(random, 16));
        prepare(slot, any.frame, any.bytes, any.write);
        if (one_in(random, 4)) guest_[0x1000 + below(random, 0x3000)] = static_cast<std::uint8_t>(random());
        if (any.queued) store(kPort + hba::kSact, 1u << slot);
        store(kPort + hba::kCi, 1u << slot);
        break;
      }
      case 2: {
        const std::uint64_t address = one_in(random, 3) ? hostile(random) : below(random, 8) * 0x100000;
        const auto flags = static_cast<std::uint32_t>(one_in(random, 4) ? random() : 3);
        const Bytes body =
            map(address, one_in(random, 3) ? hostile(random) : kMemory, one_in(random, 4) ? hostile(random) : 0, flags);
        const int file = pick(random, {memory_.get(), shrinking_.get(), null_.get(), event_.get(), -1});
        asks_ = asks_ || file < 0 || (flags & 3) != 3;
        say(2, body, file < 0 ? std::vector<int>() : std::vector<int>{file});
        break;
      }
      case 3:
        say(3, body_of(std::uint32_t{24}, static_cast<std::uint32_t>(below(random, 4)), one_in(random, 2) ? 0 : hostile(random),
                       kMemory));
        break;
      case 4:
        say(8,
            body_of(std::uint32_t{20}, one_in(random, 2) ? 0x24u : static_cast<std::uint32_t>(below(random, 64)),
                    static_cast<std::uint32_t>(below(random, 6)), static_cast<std::uint32_t>(below(random, 2)),
                    static_cast<std::uint32_t>(below(random, 3)), static_cast<std::uint8_t>(random())),
            one_in(random, 2) ? std::vector<int>{pick(random, {event_.get(), null_.get(), memory_.get()})}
                              : std::vector<int>());
        break;
      case 5: {  // any access
        const auto count = static_cast<std::uint32_t>(one_in(random, 4) ? below(random, 70'000) : 1u << below(random, 4));
        const bool write = one_in(random, 2);
        Bytes body = body_of(one_in(random, 6) ? hostile(random) : below(random, 0x200),
                             static_cast<std::uint32_t>(one_in(random, 2) ? 5 : below(random, 10)), count);
        if (write) body.insert(body.end(), std::min<std::size_t>(count, 60'000), static_cast<std::uint8_t>(random()));
        say(write ? 10 : 9, body);
        break;
      }
      case 6: {  // any message
        Bytes body(below(random, 64));
        for (std::uint8_t& byte : body) byte = static_cast<std::uint8_t>(one_in(random, 2) ? 0 : random());
        Bytes whole = testing::vfio_user_message(static_cast<std::uint16_t>(below(random, 16)), body,
                                                 one_in(random, 3) ? static_cast<std::uint32_t>(below(random, 64)) : 0);
        if (one_in(random, 2)) mutate(random, whole);
        raw(whole, one_in(random, 6) ? std::vector<int>(1 + below(random, 32), null_.get()) : std::vector<int>());
        break;
      }
      case 7: say(13, {}); break;
      case 8:
        if (asks_) break;  // it may wait for the client
        testing::run_until(core::now_ps() + static_cast<Picoseconds>(below(random, 30)) * kMs + 1);
        break;
      default:
        say(static_cast<std::uint16_t>(4 + below(random, 4)),
            body_of(std::uint64_t{32}, below(random, 12), std::uint64_t{0}, std::uint64_t{0}));
    }
  }
  /// An answer to a question that the server will ask, with a body of a size that may be wrong; not read before it asks.
  void answer(Random& random, std::uint16_t id) {
    Bytes body(16 + pick<std::size_t>(random, {0, 4, 20, 32, 512, 4096, below(random, 9000)}));
    Bytes whole = body_of(static_cast<std::uint16_t>(id + 1), static_cast<std::uint16_t>(11 + below(random, 2)),
                          static_cast<std::uint32_t>(16 + body.size()), one_in(random, 8) ? 0x21u : 1u, std::uint32_t{0});
    whole.insert(whole.end(), body.begin(), body.end());
    if (one_in(random, 8)) mutate(random, whole);
    [[maybe_unused]] const ssize_t sent = send(client_.get(), whole.data(), whole.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  std::unique_ptr<drive::Drive> disk_ = testing::make_drive("disk", "SPTF", "firmware", fuzz_profile());
  serving::Poller poller_;
  ahci::AhciTarget adapter_{"adapter", {ahci::AtaIdentity::of(fuzz_profile(), testing::kToyBlocks, "1")}};
  vfio_user::VfioUserServer server_{"server", poller_};
  sc_core::sc_signal<bool> interrupt_{"interrupt"};
  FileDescriptor client_;
  FileDescriptor memory_;
  FileDescriptor shrinking_;
  FileDescriptor null_;
  FileDescriptor event_;
  std::uint8_t* guest_ = nullptr;
  std::size_t files_ = 0;
  bool asks_ = false;  ///< the guest has memory that is accessed by messages: without a file, or not writable
};

}  // namespace

std::unique_ptr<Protocol> make_vfio_user(const std::filesystem::path& /*work*/) { return std::make_unique<VfioUser>(); }

}  // namespace platter::fuzz
