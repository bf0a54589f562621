// SPDX-License-Identifier: Apache-2.0
//
// NBD: streams of clients that break the protocol, in pieces of any size, that take their answers or not, and that leave at any time.
#include "served_drive.h"

#include "nbd_messages.h"
#include "platter/front/nbd/session.h"
#include "session_client.h"

namespace platter::fuzz {
namespace {

namespace wire = nbd::wire;

using testing::nbd_says::greeting;
using testing::nbd_says::named;
using testing::nbd_says::option;
using testing::nbd_says::request;

void append(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

/// A session whose client is here.
struct Client {
  Client(const std::vector<nbd::Export>& exports, nbd::Memory& memory) : session(exports, memory) {}

  nbd::Session session;
  Bytes said;

  std::size_t give(const Bytes& bytes, std::size_t chunk) { return testing::give(session, bytes, chunk); }
  void take() { append(said, testing::take(session)); }
};

class Nbd : public Protocol {
 public:
  Nbd() {
    initiator_.disk_init_socket.bind(disk_->host_tgt_socket);
    exports_ = {{"disk", "a toy", testing::kToyBlocks * 512, 512, &initiator_}};
  }

  void input(Random& random) override {
    for (std::uint64_t n = 1 + below(random, 3); n > 0; --n) clients_.push_back(std::make_unique<Client>(exports_, memory_));
    if (one_in(random, 4)) trouble(random, *disk_);
    for (const auto& client : clients_) talk(random, *client);
    while (!clients_.empty() && !one_in(random, 4))
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(below(random, clients_.size())));
    serve(random);
  }

  void check(Random& random) override {
    mend(*disk_);
    if (one_in(random, 2)) {  // they take all their answers before they go
      drain(
          Aborts::Yes, {disk_.get()},
          [this] {
            for (const auto& client : clients_) {
              client->take();
              client->session.resume();
            }
            return disk_->queue().occupancy() == 0;
          },
          "a command does not end");
    }
    clients_.clear();
    // Also commands that a fault holds: the good client's would wait for those to the same blocks.
    drain(
        Aborts::Yes, {disk_.get()}, [this] { return memory_.used() == 0 && disk_->queue().occupancy() == 0; },
        "memory is held, or a command does not end, for clients that have gone");
    expect(!memory_.anybody_waits(), "somebody waits for memory");
    Client good(exports_, memory_);
    good.take();
    good.said.clear();
    const std::uint64_t offset = below(random, testing::kToyBlocks - 8) * 512;
    const Bytes data(4096, static_cast<std::uint8_t>(random()));
    Bytes stream = greeting();
    append(stream, option(wire::kGo, named("disk")));
    append(stream, request(wire::kWrite, offset, 4096, 1, one_in(random, 2) ? wire::kFua : std::uint16_t{0}, data));
    expect(good.give(stream, ~std::size_t{0}) == stream.size(), "a good client is not read");
    good.take();  // the answers to the options
    answer(good);
    const Bytes read = request(wire::kRead, offset, 4096, 2);
    expect(good.give(read, ~std::size_t{0}) == read.size(), "a good client is not read");
    good.said.clear();
    answer(good);
    Bytes expected;
    wire::Writer(expected)
        .put(wire::kSimpleReplyMagic)
        .put(std::uint32_t{0})
        .put(std::uint64_t{2})
        .put(data.data(), data.size());
    const auto differ =
        std::mismatch(good.said.begin(), good.said.end(), expected.begin(), expected.end()).first - good.said.begin();
    expect(good.said == expected, fmt::format("a good client does not get what it wrote: {} of {} bytes, byte {} differs",
                                              good.said.size(), expected.size(), differ));
  }

 private:
  void answer(Client& client) {
    testing::run_until(core::now_ps() + 1);
    drain(Aborts::No, {disk_.get()}, [&] { return client.session.unsent_bytes() > 0; }, "a good command does not end");
    client.take();
  }

  void talk(Random& random, Client& client) {
    Bytes stream = one_in(random, 8) ? greeting(static_cast<std::uint32_t>(below(random, 8))) : greeting();
    for (std::uint64_t n = below(random, 3); n > 0; --n) append(stream, any_option(random));
    append(stream,
           one_in(random, 8) ? option(wire::kExportName, {'d', 'i', 's', 'k'}) : option(wire::kGo, named("disk", {0, 3})));
    const std::uint64_t requests = one_in(random, 12) ? below(random, 200) : below(random, 12);
    for (std::uint64_t n = requests; n > 0; --n) append(stream, any_request(random));
    if (one_in(random, 3)) mutate(random, stream);
    const std::size_t chunk = one_in(random, 2) ? ~std::size_t{0} : 1 + below(random, one_in(random, 2) ? 40 : 5000);
    for (Bytes left = stream; !left.empty();) {
      const std::size_t taken = client.give(left, chunk);
      left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(taken));
      if (taken == 0 || one_in(random, 8)) {
        serve(random);
        if (one_in(random, 3)) break;
      }
    }
  }
  void serve(Random& random) {
    testing::run_until(core::now_ps() + static_cast<Picoseconds>(below(random, 40)) * kMs + 1);
    for (const auto& client : clients_) {
      if (one_in(random, 2)) client->take();
      client->session.resume();
    }
  }

  Bytes any_option(Random& random) const {
    switch (below(random, 8)) {
      case 0: return option(wire::kStructuredReply);
      case 1: return option(wire::kList);
      case 2: return option(wire::kInfo, named(one_in(random, 2) ? "disk" : "other", {1, 2, 3}));
      case 3: {
        Bytes data = named("disk");
        data.resize(8);
        wire::Writer(data).put(static_cast<std::uint32_t>(hostile(random)));
        mutate(random, data);
        return option(one_in(random, 2) ? wire::kListMetaContext : wire::kSetMetaContext, data);
      }
      case 4: {
        Bytes data = named("disk", {0, 1});
        mutate(random, data);
        return option(wire::kInfo, data);
      }
      case 5: return option(static_cast<std::uint32_t>(hostile(random)), Bytes(below(random, 100)));
      case 6: {
        Bytes b;
        wire::Writer(b)
            .put(wire::kOptionMagic)
            .put(static_cast<std::uint32_t>(below(random, 12)))
            .put(static_cast<std::uint32_t>(hostile(random)));
        return b;
      }
      default: return {};
    }
  }
  Bytes any_request(Random& random) const {
    const auto type = one_in(random, 12)
                          ? static_cast<std::uint16_t>(below(random, 12))
                          : pick<std::uint16_t>(random, {wire::kRead, wire::kRead, wire::kWrite, wire::kWrite, wire::kFlush});
    const auto flags = static_cast<std::uint16_t>(one_in(random, 3) ? (one_in(random, 3) ? random() : wire::kFua) : 0);
    std::uint64_t offset = type == wire::kFlush ? 0 : below(random, testing::kToyBlocks) * 512;
    auto length = type == wire::kFlush ? 0 : static_cast<std::uint32_t>(1 + below(random, 32)) * 512;
    const std::uint32_t data = length;
    if (one_in(random, 12)) offset = hostile(random);
    if (one_in(random, 12)) length = static_cast<std::uint32_t>(hostile(random));
    const std::uint64_t cookie = random();
    return request(type, offset, length, cookie, flags,
                   type == wire::kWrite ? Bytes(data, static_cast<std::uint8_t>(random())) : Bytes());
  }

  std::unique_ptr<drive::Drive> disk_ = testing::make_drive("disk", "SPTF", "firmware", fuzz_profile());
  nbd::BlockInitiator initiator_{"initiator"};
  std::vector<nbd::Export> exports_;
  nbd::Memory memory_{std::uint64_t{1} << 20, std::uint64_t{512} << 10};
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace

std::unique_ptr<Protocol> make_nbd(const std::filesystem::path& /*work*/) { return std::make_unique<Nbd>(); }

}  // namespace platter::fuzz
