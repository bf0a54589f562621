// SPDX-License-Identifier: Apache-2.0
//
// The iSCSI door, PDU by PDU, against RFC 7143.
#include <arpa/inet.h>
#include <sys/socket.h>

#include "platter/front/iscsi/crc32c.h"
#include "platter/front/iscsi/server.h"
#include "scsi_rig.h"
#include "session_client.h"

namespace platter::testing {
namespace {

using core::big_endian::get;
using core::big_endian::put;
using iscsi::Crc32c;

constexpr const char* kName = "iqn.2026-01.test:t";

/// A text of key=value pairs; `|` stands for the zero behind each.
std::string pairs(std::string text) {
  std::replace(text.begin(), text.end(), '|', '\0');
  return text;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A PDU as an initiator makes it.
struct Made {
  Bytes header = Bytes(48);
  Bytes data;
  bool header_digest = false;
  bool data_digest = false;

  Made(std::uint8_t opcode, std::uint8_t flags) {
    header[0] = opcode;
    header[1] = flags;
  }
  Made& set(std::size_t at, std::uint64_t value, std::size_t bytes) {
    put(&header[at], value, bytes);
    return *this;
  }
  Made& with(const Bytes& bytes) {
    data = bytes;
    return *this;
  }
  Made& with(const std::string& text) { return with(Bytes(text.begin(), text.end())); }
  Bytes bytes() const {
    const auto digest = [](const Bytes& of) {
      const std::uint32_t crc = Crc32c().add(of.data(), of.size()).value();
      return Bytes{static_cast<std::uint8_t>(crc), static_cast<std::uint8_t>(crc >> 8), static_cast<std::uint8_t>(crc >> 16),
                   static_cast<std::uint8_t>(crc >> 24)};
    };
    Bytes head = header;
    put(&head[5], data.size(), 3);
    Bytes padded = data;
    padded.resize((data.size() + 3) / 4 * 4);
    return head + (header_digest ? digest(head) : Bytes()) + padded + (data_digest && !data.empty() ? digest(padded) : Bytes());
  }
};

/// A PDU of the target.
struct Said {
  Bytes header;
  Bytes data;
  std::uint8_t opcode() const { return header[0] & 0x3F; }
  std::uint32_t number(std::size_t at) const { return get<std::uint32_t>(&header[at]); }
  std::string text() const { return std::string(data.begin(), data.end()); }
};

std::vector<Said> split(const Bytes& bytes, bool header_digest = false, bool data_digest = false) {
  std::vector<Said> all;
  for (std::size_t at = 0; at + 48 <= bytes.size();) {
    Said said;
    const auto from = [&bytes](std::size_t i) { return bytes.begin() + static_cast<std::ptrdiff_t>(i); };
    said.header.assign(from(at), from(at + 48));
    const std::size_t count = get(&bytes[at + 5], 3);
    at += header_digest ? 52 : 48;
    said.data.assign(from(at), from(at + count));
    at += (count + 3) / 4 * 4 + (data_digest && count > 0 ? 4 : 0);
    all.push_back(said);
  }
  return all;
}

class Iscsi : public ::testing::Test {
 protected:
  ScsiRig rig{2};
  serving::Memory memory{std::uint64_t{256} << 20, iscsi::Session::kMaxBytes};
  iscsi::Portal portal{*rig.target, kName, 32};
};

/// An initiator.
class Client {
 public:
  Client(iscsi::Portal& portal, serving::Memory& memory, std::size_t chunk = ~std::size_t{0})
      : session(portal, memory), chunk_(chunk) {}

  iscsi::Session session;
  std::uint32_t command_sn = 100;
  bool header_digest = false;
  bool data_digest = false;

  std::size_t give(const Bytes& bytes) { return testing::give(session, bytes, chunk_); }
  std::vector<Said> take() { return split(testing::take(session), header_digest, data_digest); }
  std::vector<Said> ask(Made made) {
    made.header_digest = header_digest;
    made.data_digest = data_digest;
    give(made.bytes());
    return take();
  }
  std::vector<Said> run(const Made& made) {
    std::vector<Said> all = ask(made);
    for (int turn = 0; turn < 100 && all.empty(); ++turn) {
      sc_core::sc_start(sc_core::sc_time(50, sc_core::SC_MS));
      session.resume();
      all = take();
    }
    return all;
  }
  static Made login_pdu(const std::string& text, std::uint8_t flags = 0x87) {
    Made made(0x43, flags);
    return made.set(8, 0x0000'0000'0001, 6).set(24, 100, 4).with(text);
  }
  static std::string names(const std::string& more = "") {
    return pairs("InitiatorName=iqn.2026-01.test:one|SessionType=Normal|TargetName=") + kName + '\0' + more;
  }
  /// Logs in; the unit attention condition of the power-on is taken.
  std::vector<Said> login(const std::string& more = "") {
    std::vector<Said> said = ask(login_pdu(names(more)));
    run(command({0x00}, 0));
    run(command({0x00}, 0, 0x80, std::uint64_t{1} << 48));
    return said;
  }
  Made command(const Bytes& cdb, std::uint32_t expected, std::uint8_t flags = 0x80, std::uint64_t lun = 0) {
    Made made(0x01, static_cast<std::uint8_t>(flags | 1));
    made.set(8, lun, 8).set(16, ++tag, 4).set(20, expected, 4).set(24, command_sn++, 4);
    std::copy(cdb.begin(), cdb.end(), made.header.begin() + 32);
    return made;
  }
  /// A command outside of the window.
  Made immediate(const Bytes& cdb, std::uint32_t expected, std::uint8_t flags = 0x80) {
    Made made = command(cdb, expected, flags);
    --command_sn;
    made.header[0] |= 0x40;
    return made;
  }
  Made management(std::uint8_t function, std::uint32_t own_tag, std::uint32_t task = ~0u) {
    return Made(0x42, static_cast<std::uint8_t>(0x80 | function)).set(16, own_tag, 4).set(20, task, 4).set(24, command_sn, 4);
  }
  Made data_out(std::uint32_t transfer_tag, std::uint32_t number, std::uint32_t at, const Bytes& bytes, bool final = true) {
    Made made(0x05, final ? 0x80 : 0);
    return made.set(16, tag, 4).set(20, transfer_tag, 4).set(36, number, 4).set(40, at, 4).with(bytes);
  }
  std::uint32_t tag = 0;

 private:
  std::size_t chunk_;
};
struct LoggedIn : Client {
  LoggedIn(iscsi::Portal& portal, serving::Memory& memory) : Client(portal, memory) { login(); }
};

constexpr std::uint8_t kRead = 0xC0;
constexpr std::uint8_t kWrite = 0xA0;

TEST(Crc32cTest, KnownValues) {  // RFC 7143, appendix A.4
  const Bytes zeroes(32);
  EXPECT_EQ(Crc32c().add(zeroes.data(), 32).value(), 0x8A91'36AAu);
  Bytes ones(32, 0xFF);
  EXPECT_EQ(Crc32c().add(ones.data(), 32).value(), 0x62A8'AB43u);
  Bytes rising(32);
  for (std::size_t i = 0; i < 32; ++i) rising[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(Crc32c().add(rising.data(), 13).add(&rising[13], 19).value(), 0x46DD'794Eu);
}

TEST_F(Iscsi, NegotiatesEachKeyOnce) {
  Client client(portal, memory);
  const std::string offered = pairs(
      "HeaderDigest=CRC32C,None|DataDigest=None|InitialR2T=No|ImmediateData=Yes|MaxBurstLength=16776192|FirstBurstLength="
      "262144|MaxOutstandingR2T=8|MaxConnections=4|ErrorRecoveryLevel=2|DefaultTime2Wait=2|DefaultTime2Retain=20|"
      "DataPDUInOrder=No|IFMarker=Yes|X-unknown=1|");
  const std::vector<Said> said = client.ask(Client::login_pdu(Client::names(offered)));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].opcode(), 0x23);
  EXPECT_EQ(said[0].header[1], 0x87);
  EXPECT_EQ(get(&said[0].header[36], 2), 0u);
  EXPECT_NE(get(&said[0].header[14], 2), 0u) << "TSIH";
  const std::string text = said[0].text();
  for (const char* answer :
       {"HeaderDigest=CRC32C", "DataDigest=None", "InitialR2T=No", "ImmediateData=Yes", "MaxBurstLength=1048576",
        "FirstBurstLength=65536", "MaxOutstandingR2T=1", "MaxConnections=1", "ErrorRecoveryLevel=0", "DefaultTime2Wait=2",
        "DefaultTime2Retain=0", "DataPDUInOrder=Yes", "IFMarker=No", "X-unknown=NotUnderstood", "TargetPortalGroupTag=1",
        "MaxRecvDataSegmentLength=262144"})
    EXPECT_NE(text.find(std::string(answer) + '\0'), std::string::npos) << answer;
}

TEST_F(Iscsi, GoesThroughTheStages) {
  Client client(portal, memory);
  std::vector<Said> said = client.ask(Client::login_pdu(Client::names(pairs("AuthMethod=CHAP,None|")), 0x81));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[1], 0x81);
  EXPECT_NE(said[0].text().find("AuthMethod=None"), std::string::npos);
  said = client.ask(Client::login_pdu("", 0x04));  // nothing to say, and no transit
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[1], 0x04);
  said = client.ask(Client::login_pdu("", 0x87));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[1], 0x87);
}

TEST_F(Iscsi, RefusesALoginByItsStatus) {
  struct Row {
    std::string text;
    std::uint8_t flags;
    std::uint8_t least_version;
    std::uint16_t handle;
    std::uint32_t status;
  };
  const Row rows[] = {
      {Client::names(), 0x87, 1, 0, 0x0205},
      {Client::names(), 0x87, 0, 5, 0x020A},
      {Client::names(), 0x84, 0, 0, 0x0200},
      {std::string("TargetName=") + kName + '\0', 0x87, 0, 0, 0x0207},
      {pairs("InitiatorName=i|"), 0x87, 0, 0, 0x0207},
      {pairs("InitiatorName=i|TargetName=iqn.x:other|"), 0x87, 0, 0, 0x0203},
      {pairs("InitiatorName=i|SessionType=Odd|"), 0x87, 0, 0, 0x0209},
      {Client::names(pairs("AuthMethod=CHAP|")), 0x81, 0, 0, 0x0201},
      {Client::names(Client::names()), 0x87, 0, 0, 0x0200},
      {"no pair", 0x87, 0, 0, 0x0200},
  };
  for (const Row& row : rows) {
    Client client(portal, memory);
    const std::vector<Said> said =
        client.ask(Client::login_pdu(row.text, row.flags).set(3, row.least_version, 1).set(14, row.handle, 2));
    ASSERT_EQ(said.size(), 1u) << std::hex << row.status;
    EXPECT_EQ(get(&said[0].header[36], 2), row.status);
    EXPECT_TRUE(client.session.over());
  }
}

TEST_F(Iscsi, DiscoveryNamesTheTarget) {
  Client client(portal, memory);
  client.session.connected("127.0.0.1:3260");
  client.ask(Client::login_pdu(pairs("InitiatorName=i|SessionType=Discovery|")));
  Made text(0x04, 0x80);
  text.set(16, 7, 4).set(20, ~0u, 4).set(24, 100, 4).with(pairs("SendTargets=All|"));
  const std::vector<Said> said = client.ask(text);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].opcode(), 0x24);
  EXPECT_EQ(said[0].text(), pairs("TargetName=iqn.2026-01.test:t|TargetAddress=127.0.0.1:3260,1|"));
  ++client.command_sn;
  const std::vector<Said> refused = client.ask(client.command({0x00}, 0));
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].opcode(), 0x3F) << "no SCSI command in a discovery session";
}

TEST_F(Iscsi, DiscoveryNamesTheHostAsGivenOrTheAddressThatTheInitiatorReached) {
  for (const auto& [host, named] : {std::pair<std::string, std::string>{"0.0.0.0", "127.0.0.2"}, {"127.2", "127.2"}}) {
    serving::Poller poller;
    iscsi::Server server(host + ":0", *rig.target, kName, 32, poller);
    const std::string port = server.listener().address().substr(host.size() + 1);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoul(port)));
    to.sin_addr.s_addr = htonl(0x7F00'0002);
    const serving::FileDescriptor initiator(socket(AF_INET, SOCK_STREAM, 0));
    ASSERT_EQ(connect(initiator.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    Made text(0x04, 0x80);
    text.set(16, 7, 4).set(20, ~0u, 4).set(24, 100, 4).with(pairs("SendTargets=All|"));
    const Bytes all = Client::login_pdu(pairs("InitiatorName=i|SessionType=Discovery|")).bytes() + text.bytes();
    ASSERT_EQ(send(initiator.get(), all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
    Bytes got(4096);
    std::size_t count = 0;
    for (int turn = 0; turn < 100 && split(Bytes(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(count))).size() < 2;
         ++turn) {
      if (poller.wait(std::chrono::milliseconds(100))) poller.dispatch();
      server.flush();
      count +=
          static_cast<std::size_t>(std::max<ssize_t>(recv(initiator.get(), &got[count], got.size() - count, MSG_DONTWAIT), 0));
    }
    got.resize(count);
    const std::vector<Said> said = split(got);
    ASSERT_EQ(said.size(), 2u);
    EXPECT_EQ(said[1].text(), pairs("TargetName=iqn.2026-01.test:t|TargetAddress=" + named + ":" + port + ",1|"));
  }
}

TEST_F(Iscsi, ATextEndsWhenTheInitiatorSaysSo) {  // RFC 7143, 11.11.1
  LoggedIn client(portal, memory);
  Made text(0x04, 0x00);
  text.set(16, 7, 4).set(20, ~0u, 4).set(24, client.command_sn++, 4).with(pairs("SendTargets=|"));
  std::vector<Said> said = client.ask(text);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[1] & 0x80, 0) << "F";
  EXPECT_NE(said[0].number(20), ~0u);
  EXPECT_FALSE(said[0].text().empty());
  Made last(0x04, 0x80);
  said = client.ask(last.set(16, 7, 4).set(20, said[0].number(20), 4).set(24, client.command_sn++, 4));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[1] & 0x80, 0x80);
  EXPECT_EQ(said[0].number(20), ~0u);
  EXPECT_TRUE(said[0].text().empty());
}

TEST_F(Iscsi, ReadsWhatWasWrittenInEachWay) {
  const Bytes data = some_bytes(64 * kScsiSector);
  const auto size = static_cast<std::uint32_t>(data.size());
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{47}, ~std::size_t{0}}) {
    for (const bool digests : {false, true}) {
      Client client(portal, memory, chunk);
      const std::string more = pairs("InitialR2T=No|MaxBurstLength=8192|FirstBurstLength=4096|MaxRecvDataSegmentLength=4096|") +
                               (digests ? pairs("HeaderDigest=CRC32C|DataDigest=CRC32C|") : "");
      client.ask(Client::login_pdu(Client::names(more)));
      client.header_digest = client.data_digest = digests;
      client.run(client.command({0x00}, 0));
      // Immediate data, one unsolicited PDU, then R2Ts.
      Made write = client.command(cdb10(0x2A, 200, 64), size, kWrite & 0x7F);
      client.ask(write.with(Bytes(data.begin(), data.begin() + 1024)));
      std::vector<Said> said = client.ask(client.data_out(~0u, 0, 1024, Bytes(data.begin() + 1024, data.begin() + 4096)));
      std::uint32_t sequences = 0;
      while (!said.empty() && said[0].opcode() == 0x31) {
        EXPECT_EQ(said[0].number(36), sequences++);
        const std::uint32_t at = said[0].number(40);
        const std::uint32_t bytes = said[0].number(44);
        EXPECT_EQ(bytes, std::min(8192u, size - at));
        const auto from = data.begin() + at;
        client.ask(client.data_out(said[0].number(20), 0, at, Bytes(from, from + bytes / 2), false));
        said = client.run(client.data_out(said[0].number(20), 1, at + bytes / 2, Bytes(from + bytes / 2, from + bytes)));
      }
      EXPECT_EQ(sequences, 4u);
      ASSERT_EQ(said.size(), 1u);
      EXPECT_EQ(said[0].opcode(), 0x21);
      EXPECT_EQ(said[0].header[3], 0);
      EXPECT_EQ(said[0].number(36), 4u) << "ExpDataSN";
      said = client.run(client.command(cdb10(0x28, 200, 64), size, kRead));
      Bytes back;
      for (std::size_t i = 0; i < said.size(); ++i) {
        EXPECT_EQ(said[i].opcode(), 0x25);
        EXPECT_EQ(said[i].number(36), i) << "DataSN";
        EXPECT_EQ(said[i].number(40), back.size());
        EXPECT_EQ(said[i].header[1], i + 1 == said.size() ? 0x81 : i % 2 == 1 ? 0x80 : 0) << i;
        back = back + said[i].data;
      }
      EXPECT_EQ(back, data);
    }
  }
}

TEST_F(Iscsi, ToldOfResiduals) {
  LoggedIn client(portal, memory);
  std::vector<Said> said = client.run(client.command(cdb10(0x28, 0, 2), 512, kRead));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[1], 0x85) << "final, overflow, status";
  EXPECT_EQ(said[0].number(44), 512u);
  said = client.run(client.command(cdb10(0x28, 0, 1), 1000, kRead));
  EXPECT_EQ(said[0].header[1], 0x83);
  EXPECT_EQ(said[0].number(44), 488u);
  said = client.run(client.command(cdb10(0x28, 0, 1), 0));
  EXPECT_EQ(said[0].opcode(), 0x21);
  EXPECT_EQ(said[0].header[1], 0x84);
  said = client.run(client.command(cdb10(0x2A, 0, 1), 1024, kWrite).with(Bytes(1024)));
  EXPECT_EQ(said[0].header[1], 0x82);
  EXPECT_EQ(said[0].number(44), 512u);
}

TEST_F(Iscsi, SenseComesWithTheResponse) {
  LoggedIn client(portal, memory);
  const std::vector<Said> said = client.run(client.command(cdb10(0x28, 0xFFFF'FFFF, 1), 512, kRead));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[3], 2);
  ASSERT_EQ(said[0].data.size(), 20u);
  EXPECT_EQ(get(said[0].data.data(), 2), 18u);
  EXPECT_EQ(said[0].data[2 + 2], 5);
  EXPECT_EQ(said[0].data[2 + 12], 0x21);
}

TEST_F(Iscsi, TheWindowIsTheQueueDepth) {
  LoggedIn client(portal, memory);
  for (std::uint32_t i = 0; i < 32; ++i) client.ask(client.command(cdb10(0x28, 100 * i, 1), 512, kRead));
  const std::vector<Said> none = client.ask(client.command(cdb10(0x28, 7, 1), 512, kRead));
  EXPECT_TRUE(none.empty());
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
  const std::vector<Said> said = client.take();
  EXPECT_EQ(said.size(), 32u) << "the command beyond the window was ignored";
  EXPECT_EQ(said.back().number(32) - said.back().number(28) + 1, 32u) << "MaxCmdSN";
  --client.command_sn;
  EXPECT_EQ(client.run(client.command(cdb10(0x28, 7, 1), 512, kRead)).size(), 1u);
  EXPECT_TRUE(client.ask(client.command({0x00}, 0).set(24, client.command_sn - 5, 4)).empty()) << "below the window";
}

TEST_F(Iscsi, ImmediateCommandsAreOutsideOfTheWindow) {  // RFC 7143, 4.2.2.1
  LoggedIn client(portal, memory);
  std::uint32_t last = client.command_sn - 1;  // MaxCmdSN
  std::size_t ended = 0;
  const auto watch = [&](const std::vector<Said>& said) {
    for (const Said& each : said) {
      EXPECT_GE(each.number(32), last) << "MaxCmdSN never decreases";
      last = each.number(32);
      if (each.opcode() == 0x25) ++ended;
    }
  };
  Made nop(0x40, 0x80);
  nop.set(16, 9, 4).set(20, ~0u, 4).set(24, client.command_sn, 4);
  watch(client.ask(nop));
  EXPECT_EQ(last, client.command_sn + 31);
  for (std::uint32_t i = 0; i < 32; ++i) {
    watch(client.ask(client.immediate(cdb10(0x28, 100 * i, 1), 512, kRead)));
    watch(client.ask(nop));
  }
  const std::vector<Said> refused = client.ask(client.immediate(cdb10(0x28, 7, 1), 512, kRead));
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].opcode(), 0x3F);
  EXPECT_EQ(refused[0].header[2], 0x06) << "too many immediate commands";
  watch(refused);
  EXPECT_EQ(last, client.command_sn + 31) << "the window is as wide as before";
  const std::uint32_t first = client.command_sn;
  for (std::uint32_t i = 0; i < 32; ++i) watch(client.ask(client.command(cdb10(0x28, 50 + 100 * i, 1), 512, kRead)));
  watch(client.ask(nop));
  EXPECT_EQ(last, first + 31) << "it is full";
  for (int i = 0; i < 100; ++i) {
    sc_core::sc_start(sc_core::sc_time(50, sc_core::SC_MS));
    watch(client.take());
  }
  EXPECT_EQ(ended, 64u);
  EXPECT_EQ(last, client.command_sn + 31);
}

TEST_F(Iscsi, AnswersNopAndLogout) {
  LoggedIn client(portal, memory);
  Made nop(0x40, 0x80);
  nop.set(16, 9, 4).set(20, ~0u, 4).set(24, client.command_sn, 4).with("ping");
  std::vector<Said> said = client.ask(nop);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].opcode(), 0x20);
  EXPECT_EQ(said[0].text(), "ping");
  EXPECT_TRUE(client.ask(nop.set(16, ~0u, 4)).empty());
  client.session.say_farewell();
  said = client.take();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].opcode(), 0x32);
  EXPECT_EQ(said[0].header[36], 1);
  said = client.ask(Made(0x46, 0x80).set(16, 10, 4).set(24, client.command_sn, 4));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].opcode(), 0x26);
  EXPECT_TRUE(client.session.over());
}

TEST_F(Iscsi, ATaskManagementResponseComesAfterTheCommands) {
  LoggedIn client(portal, memory);
  for (std::uint32_t i = 0; i < 8; ++i) client.ask(client.command(cdb10(0x28, 100 * i, 1), 512, kRead));
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  Made abort(0x42, 0x82);  // ABORT TASK SET
  std::vector<Said> said = client.ask(abort.set(16, 900, 4).set(20, ~0u, 4).set(24, client.command_sn, 4));
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  for (const Said& each : client.take()) said.push_back(each);
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.back().opcode(), 0x22);
  EXPECT_EQ(said.back().header[2], 0);
  for (std::size_t i = 0; i + 1 < said.size(); ++i) EXPECT_EQ(said[i].opcode(), 0x25) << "ended before";
  said = client.ask(Made(0x42, 0x81).set(16, 901, 4).set(20, 77, 4).set(24, client.command_sn, 4));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[2], 1) << "no such task";
  said = client.ask(Made(0x42, 0x88).set(16, 902, 4).set(24, client.command_sn, 4));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[2], 4) << "TASK REASSIGN";
  said = client.ask(Made(0x42, 0x85).set(8, std::uint64_t{9} << 48, 8).set(16, 903, 4).set(24, client.command_sn, 4));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[2], 2) << "no such unit";
}

TEST_F(Iscsi, EachOfSeveralManagementFunctionsIsAnsweredOnceAfterTheCommand) {
  LoggedIn client(portal, memory);
  Client other(portal, memory);
  other.ask(Client::login_pdu(Client::names()).set(8, 0x0000'0000'0002, 6));
  other.run(other.command({0x00}, 0));
  client.ask(client.command(cdb10(0x28, 9'000, 1), 512, kRead));
  const std::uint32_t under_way = client.tag;
  sc_core::sc_start(sc_core::sc_time(500, sc_core::SC_US));
  for (std::uint32_t i = 0; i < 4; ++i) client.ask(client.command(cdb10(0x28, 100 * i, 1), 512, kRead));
  sc_core::sc_start(sc_core::sc_time(500, sc_core::SC_US));
  std::vector<Said> said;
  const auto add = [&said](const std::vector<Said>& more) { said.insert(said.end(), more.begin(), more.end()); };
  add(client.ask(client.management(1, 900, under_way)));
  add(client.ask(client.management(1, 901, under_way)));
  add(client.ask(client.management(2, 902)));
  other.ask(other.management(5, 910));
  add(client.ask(client.management(4, 903)));
  add(client.ask(client.management(5, 904)));
  add(client.ask(client.management(1, 905, under_way)));
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  add(client.take());
  EXPECT_TRUE(said.empty()) << "the access of the command goes on";
  EXPECT_EQ(rig.drives[0]->queue().occupancy(), 1u);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  add(client.take());
  std::vector<std::uint32_t> answered;
  for (const Said& each : said) {
    EXPECT_EQ(each.opcode(), 0x22) << "no aborted command has a response";
    EXPECT_EQ(each.header[2], 0);
    answered.push_back(each.number(16));
  }
  std::sort(answered.begin(), answered.end());
  EXPECT_EQ(answered, (std::vector<std::uint32_t>{900, 901, 902, 903, 904, 905}));
  EXPECT_EQ(rig.drives[0]->queue().occupancy(), 0u);
  said = client.ask(client.management(1, 906, under_way));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].header[2], 1) << "it has ended";
  EXPECT_EQ(memory.used(), 0u);
}

TEST_F(Iscsi, AClearedTaskSetIsToldToWhoeverLostACommand) {
  LoggedIn client(portal, memory);
  Client pending(portal, memory);  // its data has not come yet
  pending.ask(Client::login_pdu(Client::names()).set(8, 0x0000'0000'0002, 6));
  pending.run(pending.command({0x00}, 0));
  Client running(portal, memory);
  running.ask(Client::login_pdu(Client::names()).set(8, 0x0000'0000'0003, 6));
  running.run(running.command({0x00}, 0));
  Client idle(portal, memory);
  idle.ask(Client::login_pdu(Client::names()).set(8, 0x0000'0000'0004, 6));
  idle.run(idle.command({0x00}, 0));
  ASSERT_EQ(pending.ask(pending.command(cdb10(0x2A, 5, 8), 4096, kWrite)).size(), 1u) << "an R2T";
  client.ask(client.command(cdb10(0x2A, 5, 8), 4096, kWrite));
  running.ask(running.command(cdb10(0x28, 9'000, 1), 512, kRead));
  std::vector<Said> said = client.ask(client.management(4, 900));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].opcode(), 0x22);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_TRUE(pending.take().empty());
  EXPECT_TRUE(running.take().empty());
  for (Client* const each : {&pending, &running}) {
    said = each->run(each->command({0x00}, 0));
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0].header[3], 2);
    ASSERT_GE(said[0].data.size(), 16u);
    EXPECT_EQ(said[0].data[2 + 2], 6);
    EXPECT_EQ(said[0].data[2 + 12], 0x2F) << "commands cleared by another initiator";
    EXPECT_EQ(each->run(each->command({0x00}, 0))[0].header[3], 0) << "once";
  }
  EXPECT_EQ(idle.run(idle.command({0x00}, 0))[0].header[3], 0);
  EXPECT_EQ(client.run(client.command({0x00}, 0))[0].header[3], 0);
}

TEST_F(Iscsi, ASessionThatGoesTakesItsCommandsAlong) {
  {
    LoggedIn client(portal, memory);
    for (std::uint32_t i = 0; i < 20; ++i) client.ask(client.command(cdb10(0x28, 100 * i, 1), 512, kRead));
    client.ask(client.command(cdb10(0x2A, 5, 8), 4096, kWrite));
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  }
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
  EXPECT_EQ(rig.drives[0]->queue().occupancy(), 0u);
  EXPECT_EQ(memory.used(), 0u);
  LoggedIn other(portal, memory);
  EXPECT_EQ(other.run(other.command(cdb10(0x28, 5, 1), 512, kRead)).size(), 1u);
}

TEST_F(Iscsi, TheSamePortTakesTheSessionOver) {
  LoggedIn first(portal, memory);
  LoggedIn second(portal, memory);
  EXPECT_TRUE(first.session.over());
  EXPECT_EQ(second.run(second.command({0x00}, 0)).size(), 1u);
}

TEST_F(Iscsi, WhatBreaksTheProtocolEndsThatSessionOnly) {
  Client witness(portal, memory);
  std::string text = Client::names();
  witness.ask(Client::login_pdu(text).set(8, 0x0000'0000'0002, 6));
  const auto ends = [&](const char* what, const std::function<void(Client&)>& act) {
    Client client(portal, memory);
    client.ask(Client::login_pdu(text));
    act(client);
    EXPECT_TRUE(client.session.over()) << what;
  };
  ends("a login in the full feature phase", [](Client& c) { c.ask(Client::login_pdu("").set(24, c.command_sn, 4)); });
  ends("an unknown opcode", [](Client& c) { c.ask(Made(0x1C, 0x80)); });
  ends("a target's opcode", [](Client& c) { c.ask(Made(0x25, 0x80)); });
  ends("a data segment that is too long", [](Client& c) {
    Bytes pdu(48);
    put(&pdu[5], 262'145, 3);
    c.give(pdu);
  });
  ends("data beyond the command's", [](Client& c) { c.ask(c.command(cdb10(0x2A, 0, 1), 512, kWrite).with(Bytes(513))); });
  ends("data of a read", [](Client& c) { c.ask(c.command(cdb10(0x28, 0, 1), 512, kRead).with(Bytes(512))); });
  ends("unsolicited data that was not agreed", [](Client& c) { c.ask(c.command(cdb10(0x2A, 0, 1), 512, kWrite & 0x7F)); });
  ends("a gap in CmdSN", [](Client& c) { c.ask(c.command({0x00}, 0).set(24, c.command_sn + 3, 4)); });
  Client before(portal, memory);
  before.ask(Made(0x01, 0x80));
  EXPECT_TRUE(before.session.over()) << "a command before the login";
  EXPECT_FALSE(witness.session.over());
  EXPECT_EQ(witness.run(witness.command({0x00}, 0)).size(), 1u);
}

TEST_F(Iscsi, ADigestThatDoesNotFitEndsTheSession) {
  for (const std::size_t damaged : {std::size_t{20}, std::size_t{60}}) {
    Client client(portal, memory);
    client.ask(Client::login_pdu(Client::names(pairs("HeaderDigest=CRC32C|DataDigest=CRC32C|"))));
    client.header_digest = client.data_digest = true;
    Made write = client.command(cdb10(0x2A, 0, 1), 512, kWrite).with(Bytes(512, 0x77));
    write.header_digest = write.data_digest = true;
    Bytes bytes = write.bytes();
    bytes[damaged] ^= 1;
    client.give(bytes);
    EXPECT_TRUE(client.session.over()) << damaged;
  }
}

TEST_F(Iscsi, DataOutOfPlaceFailsTheCommand) {
  LoggedIn client(portal, memory);
  struct Row {
    std::uint32_t number;
    std::uint32_t at;
    std::size_t bytes;
    bool right_tag;
  };
  for (const Row& row :
       {Row{1, 0, 512, true}, Row{0, 512, 512, true}, Row{0, 0, 2048, true}, Row{0, 0, 512, true}, Row{0, 0, 1024, false}}) {
    std::vector<Said> said = client.ask(client.command(cdb10(0x2A, 0, 2), 1024, kWrite));
    ASSERT_EQ(said.size(), 1u);
    ASSERT_EQ(said[0].opcode(), 0x31);
    said = client.ask(client.data_out(said[0].number(20) + (row.right_tag ? 0 : 9), row.number, row.at, Bytes(row.bytes)));
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said[0].header[3], 2);
    EXPECT_EQ(said[0].data[2 + 2], 0xB);
    EXPECT_TRUE(client.ask(client.data_out(1, 0, 0, Bytes(512))).empty()) << "what still comes is dropped";
  }
  EXPECT_FALSE(client.session.over());
}

TEST_F(Iscsi, WhatWaitsForAnOrderedCommandGoesOnWhenThatIsDropped) {
  for (const bool cleared : {false, true}) {
    LoggedIn client(portal, memory);
    Client other(portal, memory);
    other.ask(Client::login_pdu(Client::names()).set(8, 0x0000'0000'0002, 6));
    Made ordered = client.command(cdb10(0x2A, 0, 2), 1024, kWrite);
    ordered.header[1] = 0xA2;
    const std::vector<Said> asked = client.ask(ordered);
    ASSERT_EQ(asked.size(), 1u);
    const std::uint32_t tag = client.tag;
    EXPECT_TRUE(client.ask(client.command({0x12, 0, 0, 0, 36}, 36, kRead, std::uint64_t{1} << 48)).empty()) << "it waits";
    std::vector<Said> said;
    if (cleared)
      other.ask(other.management(4, 900));
    else
      said = client.ask(client.data_out(asked[0].number(20) + 9, 0, 0, Bytes(512)).set(16, tag, 4));
    for (const Said& each : client.take()) said.push_back(each);
    ASSERT_EQ(said.size(), cleared ? 1u : 2u);
    EXPECT_EQ(said.back().opcode(), 0x25) << "the data of INQUIRY";
  }
}

TEST_F(Iscsi, ManySessionsComeAndGo) {
  std::list<Client> clients;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    Client& client = clients.emplace_back(portal, memory);
    const std::vector<Said> said = client.ask(Client::login_pdu(Client::names()).set(8, i % 3'000, 6));
    ASSERT_EQ(said.size(), 1u);
    ASSERT_EQ(said[0].header[1], 0x87);
    client.ask(client.command(cdb10(0x28, 5, 1), 512, kRead));
    if (i % 3 == 0) clients.pop_front();
    while (clients.size() > 1'000) clients.pop_front();
    if (i % 1'000 == 0) sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  }
  clients.clear();
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_EQ(rig.drives[0]->queue().occupancy(), 0u);
}

TEST_F(Iscsi, ALoginThatNeverEndsIsCutOff) {
  Client client(portal, memory);
  int logins = 0;
  for (; logins < 100 && !client.session.over(); ++logins)
    client.ask(Client::login_pdu("", 0x44));  // more text follows, again and again
  EXPECT_LE(logins, 33);
}

TEST_F(Iscsi, AnR2tThatIsNeverAnsweredHoldsNobodyUp) {
  serving::Memory little(std::uint64_t{2} << 20, std::uint64_t{1} << 20);
  LoggedIn slow(portal, little);
  const auto size = std::uint32_t{1} << 19;
  for (int i = 0; i < 3; ++i) slow.ask(slow.command(cdb10(0x2A, 0, size / 512), size, kWrite));
  EXPECT_TRUE(slow.session.client_holds_memory());
  Client other(portal, little);
  other.ask(Client::login_pdu(Client::names()).set(8, 0x0000'0000'0002, 6));
  other.run(other.command({0x00}, 0));
  EXPECT_FALSE(other.run(other.command(cdb10(0x28, 0, size / 512), size, kRead)).empty()) << "the last part is for it";
}

TEST_F(Iscsi, AnyPdusAreBorne) {
  std::mt19937 random(5);
  const auto below = [&random](std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random); };
  const drive::HostPort& at_drive = rig.drives[0]->host_port();
  const std::uint64_t before = at_drive.completed();
  for (std::uint64_t turn = 0; turn < inputs(); ++turn) {
    if (turn % 50 == 0) {  // a good client starts a unit that a random command has stopped
      LoggedIn good(portal, memory);
      good.run(good.command({0x1B, 0, 0, 0, 1}, 0));
    }
    Client client(portal, memory, 1 + below(3000));
    const bool digests = below(4) == 0;
    Bytes all;
    if (below(10) > 0)
      all = Client::login_pdu(Client::names(digests ? pairs("HeaderDigest=CRC32C|DataDigest=CRC32C|InitialR2T=No|")
                                                    : pairs("InitialR2T=No|")))
                .bytes();
    if (!all.empty()) {  // TEST UNIT READY takes the unit attention condition of the new session
      Made ready = client.command({0x00}, 0);
      ready.header_digest = digests;
      all = all + ready.bytes();
    }
    for (std::size_t i = below(10); i > 0; --i) {
      Made made(0, 0);
      const auto blocks = static_cast<std::uint16_t>(below(20));
      const auto first = static_cast<std::uint32_t>(below(kToyBlocks - 20));
      switch (below(16)) {
        case 0:
          made = client.command(cdb10(0x28, 5, static_cast<std::uint16_t>(below(20))), static_cast<std::uint32_t>(below(9000)),
                                kRead);
          break;
        case 1:
          made = client.command(cdb10(0x2A, 5, static_cast<std::uint16_t>(below(20))), static_cast<std::uint32_t>(below(9000)),
                                below(2) == 0 ? kWrite : kWrite & 0x7F);
          made.with(Bytes(below(2) == 0 ? 0 : below(2000)));
          break;
        case 2: made = client.data_out(below(2) == 0 ? ~0u : 1, 0, 0, Bytes(below(2000)), below(2) == 0); break;
        case 3: made = Made(0x42, static_cast<std::uint8_t>(0x80 | below(10))).set(20, below(5), 4); break;
        case 4: made = Made(0x04, 0x80).set(24, client.command_sn++, 4).with(pairs("SendTargets=All|")); break;
        case 5: made = Made(0x40, 0x80).with(Bytes(below(100))); break;
        case 6:
          made = client.command({static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random())},
                                static_cast<std::uint32_t>(random()));
          break;
        case 7: made = Made(static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random())); break;
        case 8:
        case 9:
        case 10:
          made = client.command(cdb10(0x2A, first, blocks), blocks * kScsiSector, kWrite).with(Bytes(blocks * kScsiSector));
          break;
        default: made = client.command(cdb10(0x28, first, blocks), blocks * kScsiSector, kRead); break;
      }
      made.header_digest = made.data_digest = digests && !all.empty();
      all = all + made.bytes();
    }
    for (std::size_t i = below(3); i > 0 && !all.empty(); --i) {
      const std::size_t at = below(all.size());
      switch (below(3)) {
        case 0: all[at] = static_cast<std::uint8_t>(random()); break;
        case 1: all.erase(all.begin() + static_cast<std::ptrdiff_t>(at)); break;
        default: all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), below(2) == 0 ? 0xFF : 0);
      }
    }
    client.give(all);
    if (below(3) > 0) {  // the others go while their commands are in progress
      sc_core::sc_start(sc_core::sc_time(turn % 50 == 0 ? 1'000 : 30, sc_core::SC_MS));
      client.session.resume();
    }
  }
  sc_core::sc_start(sc_core::sc_time(120, sc_core::SC_SEC));
  EXPECT_EQ(rig.heard.excess, 0);
  EXPECT_EQ(rig.drives[0]->queue().occupancy(), 0u);
  EXPECT_EQ(memory.used(), 0u);
  // Most streams are cut, changed, or end with an error, so they are closed early.
  EXPECT_GT(at_drive.completed() - before, inputs() / 3) << "accesses to the drive";
  LoggedIn client(portal, memory);
  client.run(client.command({0x1B, 0, 0, 0, 1}, 0));
  const std::vector<Said> said = client.run(client.command(cdb10(0x28, 5, 1), 512, kRead));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].opcode(), 0x25);
  EXPECT_EQ(said[0].header[3], 0) << "GOOD";
}

}  // namespace
}  // namespace platter::testing
