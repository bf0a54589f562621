// SPDX-License-Identifier: Apache-2.0
//
// Hosts that violate the rules of the base protocol or send attributes out of range. Nothing is corrupted, neither memory (the
// sanitizers check this) nor the statistics, and the commands of other hosts end normally.
#include "array_rig.h"

#include <array>
#include <limits>

#include "byte_load.h"
#include "platter/host/ew_array/ew_array.h"

namespace platter::testing {
namespace {

TLM_DECLARE_EXTENDED_PHASE(UNKNOWN_PHASE);

/// A host that a test controls phase by phase; it does nothing by itself.
class RawHost : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  SC_HAS_PROCESS(RawHost);
  explicit RawHost(const sc_core::sc_module_name& name) : sc_module(name), init_socket("init_socket") {
    init_socket.register_nb_transport_bw(this, &RawHost::nb_transport_bw);
  }

  tlm_utils::simple_initiator_socket<RawHost> init_socket;
  bool take_responses = false;
  std::vector<Transaction*> end_req;  ///< in the order of their phases
  std::vector<Transaction*> begin_resp;

  Transaction& make(bool write, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill = 0) {
    transactions.push_back(std::make_unique<Transaction>(this));
    Transaction& t = *transactions.back();
    t.set(write, lba, blocks, fill);
    t.payload.acquire();
    return t;
  }
  /// Makes the forward call. Returns its report, or nothing.
  std::string send(Transaction& t, tlm::tlm_phase phase, Picoseconds delay = 0) {
    sc_core::sc_time annotation = core::to_sc_time(delay);
    try {
      answer = init_socket->nb_transport_fw(t.payload, phase, annotation);
      if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) end_req.push_back(&t);
      return "";
    } catch (const sc_core::sc_report& report) {
      return report.get_msg();
    }
  }
  std::string call(Transaction& t) {
    sc_core::sc_time delay;
    try {
      init_socket->b_transport(t.payload, delay);
      return "";
    } catch (const sc_core::sc_report& report) {
      return report.get_msg();
    }
  }
  /// The transactions that the target still refers to.
  std::size_t held() const {
    return static_cast<std::size_t>(
        std::count_if(transactions.begin(), transactions.end(), [](const auto& t) { return t->payload.get_ref_count() > 1; }));
  }

  std::vector<std::unique_ptr<Transaction>> transactions;
  tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;

 private:
  void free(tlm::tlm_generic_payload*) override { ADD_FAILURE() << "a payload was released more often than it was acquired"; }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    for (const auto& t : transactions)
      if (&t->payload == &payload) (phase == tlm::END_REQ ? end_req : begin_resp).push_back(t.get());
    return phase == tlm::BEGIN_RESP && take_responses ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  }
};

/// The three targets to which a host of blocks may be bound.
struct Target {
  explicit Target(const std::string& kind, RawHost& host) {
    if (kind == "drive") {
      disk = make_drive("disk", "FCFS", "firmware", toy_profile());
      host.init_socket.bind(disk->host_tgt_socket);
    } else if (kind == "array") {
      ArrayConfig config;
      config.drives = 2;
      config.areas = {area_of(64, 4096, true)};
      rig = std::make_unique<ArrayRig>(config);
      host.init_socket.bind(rig->array->host_tgt_socket);
    } else {
      for (std::uint32_t i = 0; i < 2; ++i)
        drives.push_back(make_eager(("disk" + std::to_string(i)).c_str(), "SATF-EW", toy_profile(), 2, true, i + 1));
      ew_array = std::make_unique<host::EwArray>("array", host::EwArrayOptions{}, drives[0]->capacity_sectors() * 512);
      for (std::uint32_t i = 0; i < 2; ++i) ew_array->disk_init_sockets[i].bind(drives[i]->host_tgt_socket);
      host.init_socket.bind(ew_array->host_tgt_socket);
    }
  }

  std::unique_ptr<drive::Drive> disk;
  std::unique_ptr<ArrayRig> rig;
  std::vector<std::unique_ptr<drive::Drive>> drives;
  std::unique_ptr<host::EwArray> ew_array;
};

class BrokenHost : public ::testing::TestWithParam<const char*> {
 protected:
  RawHost host{"host"};
  Target target{GetParam(), host};
  bool eager() const { return target.ew_array != nullptr; }
  Picoseconds annotated() const { return eager() ? 0 : 10 * kUs; }  // the eager array accepts no annotated delay
};

std::string name_of(const ::testing::TestParamInfo<const char*>& test) { return test.param; }
INSTANTIATE_TEST_SUITE_P(All, BrokenHost, ::testing::Values("drive", "array", "ew_array"), name_of);

constexpr char kAgain[] = "BEGIN_REQ of a payload that is in flight already";

TEST_P(BrokenHost, SendsAPayloadAgainBeforeItsEnd) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Transaction& t = host.make(true, 8, 8, 0x5A);
  EXPECT_EQ(host.send(t, tlm::BEGIN_REQ), "");
  EXPECT_EQ(host.send(t, tlm::BEGIN_REQ), kAgain);  // in the queue
  EXPECT_EQ(host.send(t, tlm::BEGIN_REQ, annotated()), kAgain);
  EXPECT_EQ(host.call(t), "b_transport of a payload that is in flight already");
  run_until(100 * kMs);
  ASSERT_EQ(host.begin_resp, (std::vector<Transaction*>{&t}));
  EXPECT_EQ(host.send(t, tlm::BEGIN_REQ), kAgain);  // in its response phase
  run_until(200 * kMs);
  EXPECT_EQ(host.end_req.size(), 1u);
  EXPECT_EQ(host.send(t, tlm::END_RESP), "");
  EXPECT_EQ(host.begin_resp.size(), 1u);
  EXPECT_EQ(host.held(), 0u);
  EXPECT_EQ(t.payload.get_ref_count(), 1);
  // Now it may be sent again.
  t.set(false, 8, 8);
  EXPECT_EQ(host.send(t, tlm::BEGIN_REQ, annotated()), "");
  EXPECT_EQ(t.payload.get_ref_count(), 2) << "held from the call on, whatever its annotation";
  if (!eager()) {
    EXPECT_EQ(host.send(t, tlm::BEGIN_REQ, annotated()) == "", false);
  }
  run_until(300 * kMs);
  ASSERT_EQ(host.begin_resp.size(), 2u);
  EXPECT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(t.data, std::vector<std::uint8_t>(8 * 512, 0x5A));
  EXPECT_EQ(host.send(t, tlm::END_RESP), "");
  EXPECT_EQ(host.held(), 0u);
}

TEST_P(BrokenHost, EndsTheResponseOfAnother) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<Transaction*> t;
  for (std::uint64_t i = 0; i < 3; ++i) {
    t.push_back(&host.make(false, 8 * i, 8));
    EXPECT_EQ(host.send(*t[i], tlm::BEGIN_REQ), "");
  }
  Transaction& stranger = host.make(false, 0, 8);
  EXPECT_NE(host.send(*t[0], tlm::END_RESP), "") << "no response phase runs";
  run_until(200 * kMs);
  ASSERT_EQ(host.begin_resp.size(), 1u) << "the first response holds the others back";
  Transaction& first = *host.begin_resp[0];
  for (Transaction* other : {&stranger, t[0], t[1], t[2]}) {
    if (other == &first) continue;
    EXPECT_NE(host.send(*other, tlm::END_RESP), "");
    if (!eager()) {
      EXPECT_NE(host.send(*other, tlm::END_RESP, 5 * kUs), "");
    }
  }
  run_until(300 * kMs);
  EXPECT_EQ(host.begin_resp.size(), 1u);
  EXPECT_EQ(host.held(), 3u);
  EXPECT_EQ(stranger.payload.get_ref_count(), 1);
  EXPECT_EQ(host.send(first, tlm::END_RESP, annotated()), "");
  if (!eager()) {
    EXPECT_NE(host.send(first, tlm::END_RESP), "") << "it ends already";
  }
  host.take_responses = true;
  run_until(400 * kMs);
  EXPECT_EQ(host.begin_resp.size(), 3u);
  EXPECT_EQ(host.held(), 0u);
}

TEST_P(BrokenHost, NeverTakesAResponse) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint64_t i = 0; i < 40; ++i) {  // more than the drive's queue holds
    Transaction& t = host.make(i % 2 == 0, 8 * i, 8, static_cast<std::uint8_t>(i));
    if (host.send(t, tlm::BEGIN_REQ) != "") break;
    run_until(core::now_ps() + 50 * kMs);
  }
  run_until(core::now_ps() + 5000 * kMs);
  EXPECT_EQ(host.begin_resp.size(), 1u);
  const std::size_t taken = host.end_req.size();
  EXPECT_GE(taken, 32u);
  EXPECT_GE(host.held(), taken);
  host.take_responses = true;
  EXPECT_EQ(host.send(*host.begin_resp[0], tlm::END_RESP), "");
  run_until(core::now_ps() + 5000 * kMs);
  EXPECT_EQ(host.begin_resp.size(), host.end_req.size());
  EXPECT_EQ(host.held(), 0u);
  for (const Transaction* t : host.begin_resp) {
    EXPECT_EQ(t->status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(t->timing().parts(), t->timing().response());
  }
}

TEST_P(BrokenHost, SpeaksOtherProtocolsToo) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Transaction& t = host.make(true, 0, 8, 1);
  EXPECT_EQ(host.send(t, UNKNOWN_PHASE), "");
  EXPECT_EQ(host.answer, tlm::TLM_ACCEPTED);
  EXPECT_EQ(host.send(t, tlm::BEGIN_REQ), "");
  EXPECT_EQ(host.send(t, UNKNOWN_PHASE), "") << "an ignorable phase is ignored";
  EXPECT_EQ(host.send(t, UNKNOWN_PHASE, 1 * kUs), "");
  for (const tlm::tlm_phase& wrong : {tlm::tlm_phase(tlm::END_REQ), tlm::tlm_phase(tlm::BEGIN_RESP), tlm::tlm_phase()})
    EXPECT_NE(host.send(t, wrong), "") << wrong;
  run_until(200 * kMs);
  ASSERT_EQ(host.begin_resp.size(), 1u);
  EXPECT_EQ(host.send(t, UNKNOWN_PHASE), "");
  EXPECT_EQ(host.send(t, tlm::END_RESP), "");
  EXPECT_EQ(host.held(), 0u);
}

TEST_P(BrokenHost, SendsAttributesOutOfRange) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  host.take_responses = true;
  std::vector<Transaction*> refused;
  const auto refuse = [&](auto change) {
    Transaction& t = host.make(refused.size() % 2 == 0, 8, 8);
    change(t.extension);
    EXPECT_EQ(host.send(t, tlm::BEGIN_REQ), "");
    refused.push_back(&t);
    // b_transport also refuses it; this needs no thread, because it happens in the same instant.
    Transaction& same = host.make(false, 8, 8);
    change(same.extension);
    if (target.disk != nullptr) {
      EXPECT_EQ(host.call(same), "");
      EXPECT_EQ(same.extension.status, CommandStatus::BadCommand);
    }
    run_until(core::now_ps() + 1 * kMs);
  };
  for (const int cls : {3, 9, 255}) refuse([cls](CommandExtension& e) { e.cls = static_cast<RequestClass>(cls); });
  for (const int attribute : {3, 9, 255})
    refuse([attribute](CommandExtension& e) { e.attribute = static_cast<command::TaskAttribute>(attribute); });
  for (const Picoseconds deadline : {Picoseconds{-1}, std::numeric_limits<Picoseconds>::min()})
    refuse([deadline](CommandExtension& e) { e.deadline = deadline; });
  run_until(100 * kMs);
  EXPECT_EQ(host.begin_resp, refused);
  for (const Transaction* t : refused) {
    EXPECT_EQ(t->extension.status, CommandStatus::BadCommand);
    EXPECT_EQ(t->status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
  EXPECT_EQ(host.held(), 0u);
  if (target.disk != nullptr) {
    std::uint64_t failed = 0;
    for (const RequestClass cls : {RequestClass::Discrete, RequestClass::Continuous, RequestClass::Background})
      failed += target.disk->host_port().counters(cls).failed;
    EXPECT_EQ(failed, 2 * refused.size());
  }
}

TEST_P(BrokenHost, SaysThatItHadARequestLater) {
  run_until(10 * kMs);
  host.take_responses = true;
  constexpr Picoseconds kMax = std::numeric_limits<Picoseconds>::max();
  for (const Picoseconds later : {kMax, 1 * kMs, -kMax - 1, -kMax}) {
    Transaction& t = host.make(false, 8, 8);
    const Picoseconds sent = core::now_ps();
    t.extension.issued = later == 1 * kMs ? sent + later : later;
    t.extension.deadline = core::kNoDeadline - 1;
    EXPECT_EQ(host.send(t, tlm::BEGIN_REQ), "");
    run_until(sent + 100 * kMs);
    EXPECT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(t.timing().issued, sent) << "no response time is negative";
    EXPECT_GT(t.timing().response(), 0);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
  }
  EXPECT_EQ(host.held(), 0u);
}

/// Ends each response twice: by a separate call and by the return value.
class TwiceEndingHost : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(TwiceEndingHost);
  explicit TwiceEndingHost(const sc_core::sc_module_name& name) : sc_module(name), init_socket("init_socket") {
    init_socket.register_nb_transport_bw(this, &TwiceEndingHost::nb_transport_bw);
  }
  tlm_utils::simple_initiator_socket<TwiceEndingHost> init_socket;
  int responses = 0;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    ++responses;
    tlm::tlm_phase end = tlm::END_RESP;
    sc_core::sc_time delay;
    init_socket->nb_transport_fw(payload, end, delay);
    return tlm::TLM_COMPLETED;
  }
};

/// Only counts references.
struct Counted : tlm::tlm_mm_interface {
  void free(tlm::tlm_generic_payload*) override { ADD_FAILURE() << "released too often"; }
};

TEST(BrokenHostOfADrive, EndsAResponseTwice) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  TwiceEndingHost host("host");
  host.init_socket.bind(disk->host_tgt_socket);
  Counted counted;
  Transaction t(&counted);
  t.set(false, 0, 8);
  t.payload.acquire();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  host.init_socket->nb_transport_fw(t.payload, phase, delay);
  run_until(100 * kMs);
  EXPECT_EQ(host.responses, 1);
  EXPECT_EQ(t.payload.get_ref_count(), 1);
}

TEST(BrokenHostOfADrive, HoldsBackOnlyItselfAndLosesNothingWhenTheDriveFails) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  RawHost mute("mute");
  RawHost good("good");
  mute.init_socket.bind(disk->host_tgt_socket);
  good.init_socket.bind(disk->host_tgt_socket);
  good.take_responses = true;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(mute.send(mute.make(false, 8 * i, 8), tlm::BEGIN_REQ), "");
    EXPECT_EQ(good.send(good.make(true, 512 + 8 * i, 8, 7), tlm::BEGIN_REQ), "");
  }
  run_until(1000 * kMs);
  EXPECT_EQ(good.begin_resp.size(), 8u);
  EXPECT_EQ(good.held(), 0u);
  EXPECT_EQ(mute.begin_resp.size(), 1u);
  disk->set_alive(false);
  run_until(1001 * kMs);
  disk->set_alive(true);
  run_until(1100 * kMs);
  mute.take_responses = true;
  EXPECT_EQ(mute.send(*mute.begin_resp[0], tlm::END_RESP), "");
  run_until(1200 * kMs);
  EXPECT_EQ(mute.begin_resp.size(), 8u);
  EXPECT_EQ(mute.held(), 0u);
  EXPECT_EQ(disk->queue().occupancy(), 0u);
  const drive::PortCounters& counters = disk->host_port().counters(RequestClass::Discrete);
  EXPECT_EQ(counters.reads + counters.writes + counters.failed, 16u);
}

}  // namespace
}  // namespace platter::testing
