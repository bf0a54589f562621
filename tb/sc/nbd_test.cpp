// SPDX-License-Identifier: Apache-2.0
//
// The NBD server's session, byte by byte, against the protocol's reference (doc/proto.md of NetworkBlockDevice/nbd).
#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "nbd_messages.h"
#include "platter/front/nbd/server.h"
#include "platter/front/serving/listener.h"
#include "platter/observe/request_tap.h"
#include "session_client.h"
#include "testing.h"

namespace platter::testing {
namespace {

namespace wire = nbd::wire;
using nbd_says::Bytes;
using nbd_says::greeting;
using nbd_says::named;
using nbd_says::option;
using nbd_says::request;

constexpr std::uint32_t kSector = 512;

/// A toy drive with its data, and clients of it.
class Nbd : public ::testing::Test {
 protected:
  Nbd() {
    initiator.disk_init_socket.bind(disk->host_tgt_socket);
    exports = {{"disk", "a toy", disk->capacity_sectors() * kSector, kSector, &initiator}};
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  static profile::DriveProfile profile() {
    profile::DriveProfile p = cached_toy_profile(profile::WriteBack::Append);
    p.recovery.spares = 0;
    return p;
  }
  std::unique_ptr<drive::Drive> disk = make_drive("disk", "SPTF", "firmware", profile(), true);
  nbd::BlockInitiator initiator{"initiator"};
  std::vector<nbd::Export> exports;
  nbd::Memory memory{std::uint64_t{256} << 20, std::uint64_t{32} << 20};
};

/// A socket's path of its own.
std::string socket_path(const char* name) {
  return (std::filesystem::temp_directory_path() / ("platter-" + std::to_string(getpid()) + "-" + name)).string();
}

TEST(Listener, RefusesAClientForWhomThereIsNoFileAndGoesOn) {
  const std::string path = socket_path("full");
  serving::Poller poller;
  int taken = 0;
  const serving::Listener listener(path, poller, [&taken](const serving::FileDescriptor&) { ++taken; });
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), name.sun_path);
  const auto call = [&name] {
    serving::FileDescriptor client(socket(AF_UNIX, SOCK_STREAM, 0));
    EXPECT_EQ(connect(client.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    return client;
  };
  const auto serve = [&poller] {
    int turns = 0;
    for (; turns < 10 && poller.wait(std::chrono::nanoseconds(0)); ++turns) poller.dispatch();
    return turns;
  };
  const serving::FileDescriptor first = call();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int next = dup(first.get());
  close(next);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(serve(), 1) << "it is not found again";
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(taken, 0);
  char byte = 0;
  EXPECT_EQ(recv(first.get(), &byte, 1, MSG_DONTWAIT), 0) << "refused";
  const serving::FileDescriptor second = call();
  EXPECT_EQ(serve(), 1);
  EXPECT_EQ(taken, 1);
}

TEST(Listener, LeavesAFileThatIsNotItsOwn) {
  const std::string path = socket_path("other");
  serving::Poller poller;
  {
    const serving::Listener listener(path, poller, [](const serving::FileDescriptor&) {});
    std::filesystem::remove(path);
    std::ofstream(path) << "of somebody else";
  }
  EXPECT_TRUE(std::filesystem::remove(path));
  {
    const serving::Listener listener(path, poller, [](const serving::FileDescriptor&) {});
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

class Client {
 public:
  Client(const std::vector<nbd::Export>& exports, nbd::Memory& memory, std::size_t chunk = ~std::size_t{0})
      : session(exports, memory), chunk_(chunk) {}

  nbd::Session session;

  std::size_t give(const Bytes& bytes) { return testing::give(session, bytes, chunk_); }
  /// What the server has said since the last call.
  Bytes take() { return testing::take(session); }
  Bytes ask(const Bytes& bytes) {
    give(bytes);
    return take();
  }
  /// As `ask`, and simulates until the drive has ended everything.
  Bytes run(const Bytes& bytes) {
    give(bytes);
    sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
    return take();
  }

 private:
  std::size_t chunk_;
};

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Bytes go() { return greeting() + option(wire::kGo, named("disk")); }
/// A client that has entered the transmission.
struct Connected : Client {
  template <typename... Arguments>
  explicit Connected(Arguments&&... arguments) : Client(std::forward<Arguments>(arguments)...) {
    take();
    ask(go());
  }
};
Bytes simple(std::uint32_t error, std::uint64_t cookie = 7, const Bytes& data = {}) {
  Bytes b;
  wire::Writer(b).put(wire::kSimpleReplyMagic).put(error).put(cookie).put(data.data(), data.size());
  return b;
}
Bytes option_reply(std::uint32_t number, std::uint32_t type) {
  Bytes b;
  wire::Writer(b).put(wire::kOptionReplyMagic).put(number).put(type).put(std::uint32_t{0});
  return b;
}
Bytes pattern(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  Bytes b(count);
  for (std::uint8_t& byte : b) byte = static_cast<std::uint8_t>(random());
  return b;
}
std::uint32_t type_of(const Bytes& reply) { return reply.size() < 20 ? 0 : wire::get<std::uint32_t>(&reply[12]); }

TEST_F(Nbd, GreetsAsFixedNewstyle) {
  Client client(exports, memory);
  Bytes hello;
  wire::Writer(hello).put(std::string_view("NBDMAGICIHAVEOPT")).put(std::uint16_t{3});
  EXPECT_EQ(client.take(), hello);
}

TEST_F(Nbd, SaysWhatItOffers) {
  Client client(exports, memory);
  client.take();
  const Bytes said = client.ask(greeting() + option(wire::kGo, named("disk", {wire::kInfoName, wire::kInfoBlockSize})));
  Bytes expected;
  const std::uint16_t flags = wire::kHasFlags | wire::kSendFlush | wire::kSendFua | wire::kRotational | wire::kMultiConn;
  const auto reply = [&](std::uint32_t bytes) {
    wire::Writer(expected).put(wire::kOptionReplyMagic).put(std::uint32_t{wire::kGo}).put(wire::kInfoReply).put(bytes);
    return wire::Writer(expected);
  };
  reply(12).put(std::uint16_t{0}).put(exports[0].bytes).put(flags);
  reply(6).put(std::uint16_t{1}).put(std::string_view("disk"));
  reply(14).put(std::uint16_t{3}).put(kSector).put(std::uint32_t{4096}).put(std::uint32_t{32 << 20});
  EXPECT_EQ(said, expected + option_reply(wire::kGo, wire::kAck));
}

TEST_F(Nbd, ListsAndRefusesByTheirErrors) {
  Client client(exports, memory);
  client.take();
  EXPECT_EQ(type_of(client.ask(greeting() + option(wire::kList))), wire::kServer);
  EXPECT_EQ(type_of(client.ask(option(wire::kList, {1}))), wire::kErrorInvalid);
  EXPECT_EQ(type_of(client.ask(option(wire::kGo, named("nobody")))), wire::kErrorUnknown);
  EXPECT_EQ(type_of(client.ask(option(wire::kGo, {0, 0, 0, 9, 'x', 0, 0}))), wire::kErrorInvalid);
  EXPECT_EQ(type_of(client.ask(option(5))), wire::kErrorUnsupported) << "STARTTLS";
  EXPECT_EQ(type_of(client.ask(option(99, Bytes(20'000)))), wire::kErrorTooBig);
  EXPECT_EQ(type_of(client.ask(option(wire::kSetMetaContext, named("disk")))), wire::kErrorInvalid)
      << "without structured replies";
  EXPECT_EQ(client.ask(option(wire::kStructuredReply)), option_reply(wire::kStructuredReply, wire::kAck));
  const Bytes no_query = Bytes{0, 0, 0, 4, 'd', 'i', 's', 'k', 0, 0, 0, 0};
  EXPECT_EQ(client.ask(option(wire::kListMetaContext, no_query)), option_reply(wire::kListMetaContext, wire::kAck));
  EXPECT_EQ(type_of(client.ask(option(wire::kListMetaContext, {0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}))), wire::kErrorInvalid);
  EXPECT_FALSE(client.session.over());
  EXPECT_EQ(client.ask(option(wire::kAbort)), option_reply(wire::kAbort, wire::kAck));
  EXPECT_TRUE(client.session.over());
}

TEST_F(Nbd, TakesTheOldWayIn) {
  Client client(exports, memory);
  client.take();
  Bytes flags(4);
  const Bytes said = client.ask(flags + option(wire::kExportName, {'d', 'i', 's', 'k'}));
  ASSERT_EQ(said.size(), 8u + 2 + 124) << "the client has not asked to leave out the zeroes";
  EXPECT_EQ(wire::get<std::uint64_t>(said.data()), exports[0].bytes);
  EXPECT_EQ(client.run(request(wire::kFlush, 0, 0)), simple(0));
  Client other(exports, memory);
  other.take();
  EXPECT_EQ(other.ask(greeting() + option(wire::kExportName, {'x'})), Bytes()) << "no such export: the connection ends";
  EXPECT_TRUE(other.session.over());
}

TEST_F(Nbd, ReadsWhatWasWrittenInPiecesOfAnySize) {
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{27}, std::size_t{29}, std::size_t{4096}, ~std::size_t{0}}) {
    Connected client(exports, memory, chunk);
    const Bytes data = pattern(3 * kSector, static_cast<unsigned>(chunk));
    EXPECT_EQ(client.run(request(wire::kWrite, 5 * kSector, 3 * kSector, 1, 0, data)), simple(0, 1)) << chunk;
    EXPECT_EQ(client.run(request(wire::kRead, 5 * kSector, 3 * kSector, 2)), simple(0, 2, data)) << chunk;
  }
}

TEST_F(Nbd, AForcedWriteIsOnTheMediaWhenItIsAnswered) {
  Connected client(exports, memory);
  const Bytes data = pattern(kSector);
  EXPECT_EQ(client.run(request(wire::kWrite, 0, kSector, 1, wire::kFua, data)), simple(0, 1));
  Bytes media(kSector);
  disk->media().read(0, media.data(), media.size());
  EXPECT_EQ(media, data);
}

TEST_F(Nbd, RepliesInStructuresWhereAsked) {
  Client client(exports, memory);
  client.take();
  client.ask(greeting() + option(wire::kStructuredReply) + option(wire::kGo, named("")));
  const Bytes said = client.run(request(wire::kRead, kSector, kSector, 9, wire::kDontFragment));
  Bytes expected;
  wire::Writer(expected).put(wire::kStructuredReplyMagic).put(wire::kDone).put(wire::kChunkData).put(std::uint64_t{9});
  wire::Writer(expected).put(std::uint32_t{8 + kSector}).put(std::uint64_t{kSector}).zeroes(kSector);
  EXPECT_EQ(said, expected);
  Bytes error;
  wire::Writer(error).put(wire::kStructuredReplyMagic).put(wire::kDone).put(wire::kChunkError).put(std::uint64_t{7});
  wire::Writer(error).put(std::uint32_t{6}).put(wire::kInvalid).put(std::uint16_t{0});
  EXPECT_EQ(client.ask(request(wire::kRead, exports[0].bytes, kSector)), error);
  EXPECT_EQ(client.ask(request(wire::kRead, 0, (32u << 20) + kSector)), error) << "too long";
  Bytes overflow;
  wire::Writer(overflow).put(wire::kStructuredReplyMagic).put(wire::kDone).put(wire::kChunkError).put(std::uint64_t{7});
  wire::Writer(overflow).put(std::uint32_t{6}).put(wire::kOverflow).put(std::uint16_t{0});
  EXPECT_EQ(client.ask(request(wire::kRead, 0, (32u << 20) + kSector, 7, wire::kDontFragment)), overflow)
      << "the only answer to be EOVERFLOW: to a READ that must not be fragmented";
}

TEST_F(Nbd, RefusesWhatItCannotDo) {
  Connected client(exports, memory);
  const std::uint64_t end = exports[0].bytes;
  EXPECT_EQ(client.ask(request(wire::kRead, end, kSector)), simple(wire::kInvalid));
  EXPECT_EQ(client.ask(request(wire::kRead, ~std::uint64_t{0} - 511, 2 * kSector)), simple(wire::kInvalid));
  EXPECT_EQ(client.ask(request(wire::kRead, 1, kSector)), simple(wire::kInvalid));
  EXPECT_EQ(client.ask(request(wire::kRead, 0, 0)), simple(wire::kInvalid));
  EXPECT_EQ(client.ask(request(wire::kRead, 0, ~0u & ~511u)), simple(wire::kInvalid)) << "longer than is offered";
  EXPECT_EQ(client.ask(request(wire::kRead, 0, (32u << 20) + kSector)), simple(wire::kInvalid));
  EXPECT_EQ(client.ask(request(wire::kRead, 0, kSector, 7, 1 << 9)), simple(wire::kInvalid)) << "an unknown flag";
  EXPECT_EQ(client.ask(request(wire::kRead, 0, kSector, 7, wire::kDontFragment)), simple(wire::kInvalid)) << "not offered";
  EXPECT_EQ(client.ask(request(wire::kFlush, 8, 0)), simple(wire::kInvalid));
  for (const std::uint16_t type : std::initializer_list<std::uint16_t>{4, 5, 6, 7, 77})
    EXPECT_EQ(client.ask(request(type, 0, kSector)), simple(wire::kInvalid)) << type;
  EXPECT_EQ(client.ask(request(wire::kWrite, end, kSector, 7, 0, Bytes(kSector))), simple(wire::kNoSpace));
  EXPECT_EQ(client.ask(request(wire::kWrite, 3, kSector, 7, 0, Bytes(kSector))), simple(wire::kInvalid));
  EXPECT_EQ(client.ask(request(wire::kWrite, 0, 0)), simple(wire::kInvalid));
  EXPECT_EQ(client.run(request(wire::kRead, 0, kSector, 3)), simple(0, 3, Bytes(kSector))) << "and goes on";
  EXPECT_EQ(client.ask(Bytes(28)), Bytes());
  EXPECT_TRUE(client.session.over()) << "no request";
}

TEST_F(Nbd, AClientThatTakesNothingIsNotReadFurther) {
  Connected client(exports, memory);
  Bytes many;
  for (unsigned i = 0; i < 5000; ++i) many = many + request(wire::kRead, 0, kSector, i);
  const std::size_t taken = client.give(many);
  EXPECT_LT(taken, many.size());
  EXPECT_GE(taken, 1024u * 28);
  Bytes said;
  for (std::size_t given = taken; said.size() < 5000u * (16 + kSector);) {
    sc_core::sc_start(sc_core::sc_time(60, sc_core::SC_SEC));
    const Bytes more = client.take();
    ASSERT_FALSE(more.empty());
    said = said + more;
    client.session.resume();  // what has come already
    given += client.give(Bytes(many.begin() + static_cast<std::ptrdiff_t>(given), many.end()));
  }
  EXPECT_EQ(said.size(), 5000u * (16 + kSector));
}

TEST_F(Nbd, WhoTakesItsLeaveGetsTheAnswersThatAreDue) {
  Connected client(exports, memory);
  client.give(request(wire::kWrite, 0, kSector, 1, 0, pattern(kSector)) + request(wire::kDisconnect, 0, 0));
  EXPECT_FALSE(client.session.over());
  EXPECT_EQ(client.session.room().bytes, 0u);
  EXPECT_EQ(client.run({}), simple(0, 1));
  EXPECT_TRUE(client.session.over());
}

TEST_F(Nbd, ASlowClientsAnswersTakeNoMoreRoomThanIsAllowed) {
  Connected client(exports, memory);
  std::uint64_t most = 0;
  for (unsigned i = 0; i < 400; ++i) {
    client.give(request(wire::kRead, 0, 128 * kSector, i));
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
    while (client.session.unsent_bytes() > 100'000)  // never all of it
      client.session.sent(std::min<std::size_t>(client.session.output().bytes, client.session.unsent_bytes() - 100'000));
    most = std::max(most, client.session.unsent_bytes());
    EXPECT_LT(client.session.held_bytes(), client.session.unsent_bytes() + 200'000);
  }
  EXPECT_LT(most, 1'000'000u) << "of 26 MB in all";
}

TEST_F(Nbd, AClientThatDiesLeavesTheDriveWhole) {
  const Bytes data = pattern(kSector);
  media::Fault fault;
  fault.kind = media::FaultKind::WriteFault;
  fault.first = 16;
  disk->add_fault(fault);
  {
    Connected client(exports, memory);
    client.give(request(wire::kWrite, 0, kSector, 1, 0, data));
    client.give(request(wire::kWrite, 16 * kSector, kSector, 3, 0, data) + request(wire::kFlush, 0, 0, 4));
    client.give(request(wire::kWrite, 8 * kSector, kSector, 2, 0, Bytes(100)));  // not complete
  }
  Connected other(exports, memory);
  EXPECT_EQ(other.run(request(wire::kRead, 0, kSector)), simple(0, 7, data)) << "what the drive had got is carried out";
  EXPECT_EQ(other.run(request(wire::kRead, 8 * kSector, kSector)), simple(0, 7, Bytes(kSector)));
  EXPECT_EQ(disk->media_errors().lost_destages, 1u);
  for (const std::uint32_t told : {wire::kIo, 0u}) EXPECT_EQ(other.run(request(wire::kFlush, 0, 0)), simple(told));
}

// --- the memory of a server -------------------------------------------------------------------------------------------

/// A server of the toy drive with little memory, and sockets of its clients.
class NbdServer : public Nbd {
 protected:
  static constexpr std::uint64_t kMemory = std::uint64_t{4} << 20;
  static constexpr std::uint32_t kLarge = std::uint32_t{1} << 20;  ///< bytes of a request

  NbdServer() {
    exports[0].bytes = 2 * kLarge;
    server = std::make_unique<nbd::Server>(path, exports, poller, nbd::ServerOptions{kMemory, std::chrono::milliseconds(300)});
  }
  /// A client in the transmission phase; its socket does not block.
  serving::FileDescriptor connect_one() {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), name.sun_path);
    serving::FileDescriptor client(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    EXPECT_EQ(connect(client.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    pump();
    EXPECT_TRUE(give(client, go()));
    pump();
    EXPECT_GT(take(client).size(), 60u);
    return client;
  }
  /// Looks at the sockets until nothing comes, and simulates.
  void pump() {
    for (int turn = 0; turn < 3; ++turn) {
      server->flush();
      if (poller.wait(std::chrono::nanoseconds(0))) poller.dispatch();
      sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_MS));
      most = std::max(most, server->memory().used());
    }
  }
  /// Whether all of it was sent.
  static bool give(const serving::FileDescriptor& client, const Bytes& bytes) {
    return send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  static Bytes take(const serving::FileDescriptor& client) {
    Bytes all;
    Bytes part(1 << 20);
    for (ssize_t got = 0; (got = recv(client.get(), part.data(), part.size(), 0)) > 0;)
      all.insert(all.end(), part.begin(), part.begin() + got);
    return all;
  }
  bool gone(const serving::FileDescriptor& client) {
    pump();
    char byte = 0;
    const ssize_t got = recv(client.get(), &byte, 1, MSG_PEEK);
    return got == 0 || (got < 0 && errno != EAGAIN);
  }
  /// Sends a request's data as the server takes it; false if it does not take all of it in `turns`.
  bool give_all(const serving::FileDescriptor& client, const Bytes& bytes, int turns = 2000) {
    std::size_t at = 0;
    for (; turns > 0 && at < bytes.size(); --turns) {
      const ssize_t sent = send(client.get(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent > 0) at += static_cast<std::size_t>(sent);
      pump();
    }
    return at == bytes.size();
  }
  /// A whole answer of so many bytes, taken as it comes.
  Bytes answer(const serving::FileDescriptor& client, std::size_t bytes, int turns = 2000) {
    Bytes all;
    for (; turns > 0 && all.size() < bytes; --turns) {
      pump();
      all = all + take(client);
    }
    return all;
  }
  static std::size_t heap() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  }

  const std::string path = socket_path("memory");
  serving::Poller poller;
  std::unique_ptr<nbd::Server> server;
  std::uint64_t most = 0;
};

TEST_F(NbdServer, ARequestWithoutItsDataTakesNoMemory) {
  std::vector<serving::FileDescriptor> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(connect_one());
    ASSERT_TRUE(give(clients.back(), request(wire::kWrite, 0, kLarge)));
  }
  pump();
  EXPECT_EQ(server->memory().used(), 0u);
  const serving::FileDescriptor other = connect_one();
  ASSERT_TRUE(give_all(other, request(wire::kWrite, 0, kLarge, 1, 0, pattern(kLarge))));
  EXPECT_EQ(answer(other, 16), simple(0, 1)) << "they are in nobody's way";
  ASSERT_TRUE(give_all(clients[70], pattern(kLarge)));
  EXPECT_EQ(answer(clients[70], 16), simple(0));
}

TEST_F(NbdServer, ReadersThatAreGoneLeaveNothing) {
  const std::size_t before = heap();
  {
    std::vector<serving::FileDescriptor> clients;
    for (int i = 0; i < 40; ++i) {
      clients.push_back(connect_one());
      for (unsigned k = 0; k < 50; ++k) give(clients.back(), request(wire::kRead, 0, kLarge, k));
    }
    server->flush();
    if (poller.wait(std::chrono::nanoseconds(0))) poller.dispatch();
    server->flush();
    EXPECT_GT(server->memory().used(), kMemory / 2);
    if (!kSanitized) {
      EXPECT_LT(heap() - before, kMemory + (std::size_t{16} << 20));
    }
  }
  for (int turn = 0; turn < 40; ++turn) pump();
  EXPECT_LE(most, kMemory);
  EXPECT_EQ(server->memory().used(), 0u);
  EXPECT_LT(initiator.data_bytes(), std::uint64_t{5} << 20);
  const serving::FileDescriptor other = connect_one();
  ASSERT_TRUE(give(other, request(wire::kRead, 0, kLarge)));
  EXPECT_EQ(answer(other, 16 + kLarge).size(), 16u + kLarge);
  if (!kSanitized) {
    EXPECT_LT(heap() - before, std::size_t{12} << 20);
  }
}

TEST_F(NbdServer, ReadersThatDoNotReadAreLeftWhenOthersNeedTheMemory) {
  std::vector<serving::FileDescriptor> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(connect_one());
    for (unsigned k = 0; k < 10; ++k) give(clients.back(), request(wire::kRead, 0, kLarge, k));
  }
  const serving::FileDescriptor other = connect_one();
  ASSERT_TRUE(give(other, request(wire::kRead, 0, 8 * kSector, 1)));
  EXPECT_EQ(answer(other, 16 + 8 * kSector, 4).size(), 16u + 8 * kSector) << "what is small has memory of its own";
  ASSERT_TRUE(give(other, request(wire::kRead, 0, kLarge, 2)));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(answer(other, 16 + kLarge, 1'000'000).size(), 16u + kLarge);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_LE(most, kMemory + 100'000) << "beside the frames of the answers";
  std::size_t left = 0;
  for (const serving::FileDescriptor& each : clients) left += gone(each) ? 1u : 0u;
  EXPECT_LT(left, clients.size()) << "those that hold nothing may stay";
}

/// All are larger together than the memory, and none can be completed without more of it.
TEST_F(NbdServer, WritesThatFillTheMemoryTogetherAreCompleted) {
  server.reset();
  server = std::make_unique<nbd::Server>(path, exports, poller, nbd::ServerOptions{kMemory, std::chrono::minutes(1)});
  std::vector<serving::FileDescriptor> clients;
  std::vector<Bytes> left;
  for (unsigned i = 0; i < 12; ++i) {
    clients.push_back(connect_one());
    left.push_back(request(wire::kWrite, i % 2 * kLarge, kLarge, i, 0, pattern(kLarge, i)));
  }
  std::size_t done = 0;
  for (int turn = 0; turn < 4000 && done < clients.size(); ++turn) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      const ssize_t sent = send(clients[i].get(), left[i].data(), std::min<std::size_t>(left[i].size(), 100'000), MSG_NOSIGNAL);
      if (sent > 0) left[i].erase(left[i].begin(), left[i].begin() + sent);
      done += take(clients[i]) == simple(0, i) ? 1u : 0u;
    }
    pump();
  }
  EXPECT_EQ(done, clients.size());
  EXPECT_LE(most, kMemory + 100'000);
  EXPECT_GT(most, kMemory / 2) << "there was enough for all, and the test shows nothing";
}

TEST_F(NbdServer, AWriterThatStopsIsLeftWhenOthersNeedTheMemory) {
  std::vector<serving::FileDescriptor> clients;
  for (unsigned i = 0; i < 8; ++i) {
    clients.push_back(connect_one());
    Bytes most_of_it = request(wire::kWrite, 0, kLarge, i, 0, pattern(kLarge - 1));
    give_all(clients.back(), most_of_it, 20);
  }
  const serving::FileDescriptor other = connect_one();
  EXPECT_TRUE(give_all(other, request(wire::kWrite, 0, kLarge, 1, 0, pattern(kLarge)), 1'000'000));
  EXPECT_EQ(answer(other, 16, 1'000'000), simple(0, 1));
  EXPECT_LE(most, kMemory + 100'000);
}

TEST_F(NbdServer, ClientsThatLeaveInAnyStateLeaveNothing) {
  std::mt19937 random(3);
  const auto below = [&random](std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random); };
  std::vector<serving::FileDescriptor> clients;
  for (int turn = 0; turn < (kSanitized ? 400 : 1500); ++turn) {
    const std::size_t which = below(8);
    if (clients.size() <= which) clients.push_back(connect_one());
    serving::FileDescriptor& client = clients[std::min(which, clients.size() - 1)];
    const std::uint32_t length = below(3) == 0 ? kLarge : static_cast<std::uint32_t>((1 + below(64)) * kSector);
    switch (below(6)) {
      case 0: give(client, request(wire::kRead, 0, length)); break;
      case 1: give(client, request(wire::kWrite, 0, length, 7, 0, Bytes(below(length + 1)))); break;
      case 2: give(client, request(wire::kFlush, 0, 0)); break;
      case 3: give(client, Bytes(below(50'000), static_cast<std::uint8_t>(random()))); break;
      case 4: take(client); break;
      default: client = connect_one();
    }
    if (gone(client)) client = connect_one();
  }
  EXPECT_LE(most, kMemory + 100'000);
  clients.clear();
  for (int turn = 0; turn < 40; ++turn) pump();
  EXPECT_EQ(server->memory().used(), 0u);
  const serving::FileDescriptor other = connect_one();
  ASSERT_TRUE(give(other, request(wire::kRead, 0, kLarge)));
  EXPECT_EQ(answer(other, 16 + kLarge).size(), 16u + kLarge);
}

TEST(NbdTap, CountsRequestsThatWaitBeforeTheDrive) {
  profile::DriveProfile profile = toy_profile();
  profile.queue_depth = 4;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  std::uint64_t numbers = 0;
  observe::RequestTap tap("tap", numbers);
  nbd::BlockInitiator initiator("initiator");
  initiator.disk_init_socket.bind_tap(tap);
  tap.disk_init_socket.bind(disk->host_tgt_socket);
  Finished heard;
  tap.add_observer(heard);
  struct : nbd::BlockClientIf {
    void answered(nbd::BlockRequest& /*request*/) override {}
  } client;
  run_until(1);
  for (std::uint64_t i = 0; i < 20; ++i) {
    nbd::BlockRequest& request = initiator.acquire(client);
    request.command.address = i * 65'536;
    request.command.length = 4096;
    initiator.issue(request);
  }
  EXPECT_EQ(heard.issues, 20u);
  run_until(1 * kMs);
  nbd::Memory memory(1, 1);
  initiator.forget(client, memory);
  ASSERT_EQ(heard.rows.size(), 15u) << "the queue and the request phase keep five";
  for (const Finished::Row& row : heard.rows) EXPECT_EQ(row.status, CommandStatus::Aborted);
  run_until(1'000 * kMs);
  ASSERT_EQ(heard.rows.size(), 20u);
  EXPECT_EQ(heard.rows.back().number, 4u);
  EXPECT_EQ(heard.issues, 20u) << "each once";
  EXPECT_EQ(heard.excess, 0);
}

TEST(Listener, TakesOnAllAddressesOfTheLoopback) {
  serving::Poller poller;
  int taken = 0;
  const serving::Listener listener(":0", poller, [&taken](const serving::FileDescriptor&) { ++taken; });
  const auto port = static_cast<std::uint16_t>(std::stoi(listener.address().substr(listener.address().rfind(':') + 1)));
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  v6.sin6_addr = in6addr_loopback;
  const serving::FileDescriptor first(socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(connect(first.get(), reinterpret_cast<const sockaddr*>(&v4), sizeof v4), 0);
  const serving::FileDescriptor second(socket(AF_INET6, SOCK_STREAM, 0));
  const serving::FileDescriptor probe(socket(AF_INET6, SOCK_STREAM, 0));
  sockaddr_in6 any = v6;
  any.sin6_port = 0;
  const bool has_v6 = probe && bind(probe.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
  EXPECT_TRUE(!has_v6 || connect(second.get(), reinterpret_cast<const sockaddr*>(&v6), sizeof v6) == 0);
  for (int turn = 0; turn < 10 && poller.wait(std::chrono::nanoseconds(0)); ++turn) poller.dispatch();
  EXPECT_EQ(taken, has_v6 ? 2 : 1);
}

TEST(Listener, RefusesAPortThatThereIsNot) {
  serving::Poller poller;
  for (const char* address : {"localhost:65536", "localhost:70000", ":99999", "127.0.0.1:4294977296", "[::1]:65536"})
    EXPECT_THROW(serving::Listener(address, poller, [](const serving::FileDescriptor&) {}), std::invalid_argument) << address;
}

/// Valid conversations with bytes changed, left out, doubled: the session ends or goes on, and the drive is whole.
TEST_F(Nbd, AnyBytesAreBorne) {
  std::mt19937 random(5);
  const auto below = [&random](std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random); };
  const std::vector<Bytes> parts = {greeting(),
                                    option(wire::kStructuredReply),
                                    option(wire::kInfo, named("disk", {0, 1, 2, 3})),
                                    option(wire::kList),
                                    option(wire::kSetMetaContext, named("disk")),
                                    option(wire::kGo, named("disk")),
                                    request(wire::kRead, 0, kSector),
                                    request(wire::kWrite, 0, kSector, 1, 0, Bytes(kSector)),
                                    request(wire::kFlush, 0, 0),
                                    request(4, 0, 0)};
  for (int turn = 0; turn < (kSanitized ? 3000 : 20'000); ++turn) {
    Client client(exports, memory, 1 + below(200));
    Bytes said = turn % 2 == 0 ? go() : Bytes();
    for (std::size_t i = below(8); i > 0; --i) said = said + parts[below(parts.size())];
    for (std::size_t i = below(4); i > 0 && !said.empty(); --i) {
      const std::size_t at = below(said.size());
      switch (below(3)) {
        case 0: said[at] = static_cast<std::uint8_t>(random()); break;
        case 1: said.erase(said.begin() + static_cast<std::ptrdiff_t>(at)); break;
        default: said.insert(said.begin() + static_cast<std::ptrdiff_t>(at), below(2) == 0 ? 0xFF : 0);
      }
    }
    client.give(said);
    if (turn % 50 == 0) sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  }
  sc_core::sc_start(sc_core::sc_time(60, sc_core::SC_SEC));
  Connected client(exports, memory);
  EXPECT_EQ(client.run(request(wire::kFlush, 0, 0)), simple(0));
  EXPECT_EQ(disk->queue().occupancy(), 0u);
}

}  // namespace
}  // namespace platter::testing
