// SPDX-License-Identifier: Apache-2.0
//
// Tests of the checker: each rule of the base protocol is violated once, and the checker must report it; traffic that the
// protocol allows must cause no report.
#include "base_protocol_checker.h"

#include "testing.h"

namespace platter::testing {
namespace {

using sc_core::sc_time;
using sc_core::SC_ZERO_TIME;
using tlm::TLM_ACCEPTED;
using tlm::TLM_COMPLETED;
using tlm::TLM_UPDATED;

/// Both sides of the checker; functions that a test sets give the responses.
class Puppets : public sc_core::sc_module {
 public:
  using Answer = std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_time&)>;

  explicit Puppets(const sc_core::sc_module_name& name)
      : sc_module(name), init_socket("init_socket"), tgt_socket("tgt_socket") {
    init_socket.register_nb_transport_bw(this, &Puppets::backward);
    tgt_socket.register_nb_transport_fw(this, &Puppets::forward);
    tgt_socket.register_b_transport(this, &Puppets::blocking);
    tgt_socket.register_transport_dbg(this, &Puppets::debug);
  }

  tlm_utils::simple_initiator_socket<Puppets> init_socket;
  tlm_utils::simple_target_socket<Puppets> tgt_socket;
  Answer on_forward;
  Answer on_backward;
  std::function<void(tlm::tlm_generic_payload&, sc_time&)> on_blocking;

  tlm::tlm_sync_enum fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, sc_time delay = SC_ZERO_TIME) {
    return init_socket->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, sc_time delay = SC_ZERO_TIME) {
    return tgt_socket->nb_transport_bw(payload, phase, delay);
  }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_time& delay) {
    return on_forward ? on_forward(p, phase, delay) : TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_time& delay) {
    return on_backward ? on_backward(p, phase, delay) : TLM_ACCEPTED;
  }
  void blocking(tlm::tlm_generic_payload& p, sc_time& delay) {
    if (on_blocking) on_blocking(p, delay);
  }
  unsigned int debug(tlm::tlm_generic_payload& p) { return p.get_data_length(); }
};

class Keeper : public tlm::tlm_mm_interface {
 public:
  void free(tlm::tlm_generic_payload* /*payload*/) override {}
};

class BaseProtocolCheckerTest : public ::testing::Test {
 protected:
  BaseProtocolCheckerTest() : a(&keeper), b(&keeper) {
    puppets.init_socket.bind(checker.checked_tgt_socket);
    checker.checked_init_socket.bind(puppets.tgt_socket);
    checker.record();
    for (Transaction* t : {&a, &b}) {
      t->set(false, 0, 1);
      t->payload.acquire();
    }
    sc_core::sc_start(SC_ZERO_TIME);
  }

  void answer(tlm::tlm_generic_payload& payload) { payload.set_response_status(tlm::TLM_OK_RESPONSE); }

  /// Expects exactly one violation, whose message contains this text.
  void expect_one(const std::string& text) {
    ASSERT_EQ(checker.violations().size(), 1u) << ::testing::PrintToString(checker.violations());
    EXPECT_NE(checker.violations()[0].find(text), std::string::npos) << checker.violations()[0];
  }
  void expect_none() { EXPECT_TRUE(checker.violations().empty()) << ::testing::PrintToString(checker.violations()); }

  Keeper keeper;
  BaseProtocolChecker checker{"checker"};
  Puppets puppets{"puppets"};
  Transaction a;
  Transaction b;
};

TEST_F(BaseProtocolCheckerTest, LegalSequencesPass) {
  // Four phases, one by one; the second transaction begins its request while the first one is in its response phase.
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.bw(a.payload, tlm::END_REQ);
  puppets.fw(b.payload, tlm::BEGIN_REQ);
  answer(a.payload);
  puppets.bw(a.payload, tlm::BEGIN_RESP);
  puppets.bw(b.payload, tlm::END_REQ);
  puppets.fw(a.payload, tlm::END_RESP);
  // END_REQ implied by BEGIN_RESP, END_RESP returned.
  puppets.on_backward = [](auto&, tlm::tlm_phase& phase, auto&) {
    phase = tlm::END_RESP;
    return TLM_UPDATED;
  };
  answer(b.payload);
  puppets.bw(b.payload, tlm::BEGIN_RESP);
  // Completion at once.
  a.set(false, 0, 1);
  puppets.on_forward = [this](auto& payload, auto&, auto&) {
    answer(payload);
    return TLM_COMPLETED;
  };
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  // END_REQ by the return path with a delay, and the next BEGIN_REQ at the time where it takes effect.
  puppets.on_forward = [](auto&, tlm::tlm_phase& phase, sc_time& delay) {
    phase = tlm::END_REQ;
    delay += sc_time(5, sc_core::SC_NS);
    return TLM_UPDATED;
  };
  a.set(false, 0, 1);
  b.set(false, 0, 1);
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.fw(b.payload, tlm::BEGIN_REQ, sc_time(5, sc_core::SC_NS));
  expect_none();
  EXPECT_EQ(checker.completed(), 3u);
  EXPECT_EQ(checker.outstanding(), 2u);
}

TEST_F(BaseProtocolCheckerTest, LegalBlockingCallPasses) {
  puppets.on_blocking = [this](auto& payload, sc_time& delay) {
    delay += sc_time(1, sc_core::SC_MS);
    answer(payload);
  };
  sc_time delay = SC_ZERO_TIME;
  puppets.init_socket->b_transport(a.payload, delay);
  expect_none();
  EXPECT_EQ(checker.completed(), 1u);
  EXPECT_EQ(puppets.init_socket->transport_dbg(a.payload), 512u);
}

TEST_F(BaseProtocolCheckerTest, SecondRequestBeforeEndOfTheFirst) {
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.fw(b.payload, tlm::BEGIN_REQ);
  expect_one("previous request phase has not ended");
}

TEST_F(BaseProtocolCheckerTest, RequestEffectiveBeforeTheEndOfThePrevious) {
  puppets.on_forward = [](auto&, tlm::tlm_phase& phase, sc_time& delay) {
    phase = tlm::END_REQ;
    delay += sc_time(5, sc_core::SC_NS);
    return TLM_UPDATED;
  };
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.fw(b.payload, tlm::BEGIN_REQ, sc_time(4, sc_core::SC_NS));
  expect_one("before the previous END_REQ");
}

TEST_F(BaseProtocolCheckerTest, SecondResponseBeforeEndOfTheFirst) {
  for (Transaction* t : {&a, &b}) {
    puppets.fw(t->payload, tlm::BEGIN_REQ);
    puppets.bw(t->payload, tlm::END_REQ);
    answer(t->payload);
  }
  puppets.bw(a.payload, tlm::BEGIN_RESP);
  puppets.bw(b.payload, tlm::BEGIN_RESP);
  expect_one("previous response phase has not ended");
}

TEST_F(BaseProtocolCheckerTest, ResponseEffectiveBeforeTheEndOfThePrevious) {
  for (Transaction* t : {&a, &b}) {
    puppets.fw(t->payload, tlm::BEGIN_REQ);
    puppets.bw(t->payload, tlm::END_REQ);
    answer(t->payload);
  }
  puppets.on_backward = [](auto&, auto&, sc_time& delay) {
    delay += sc_time(5, sc_core::SC_NS);
    return TLM_COMPLETED;
  };
  puppets.bw(a.payload, tlm::BEGIN_RESP);
  puppets.bw(b.payload, tlm::BEGIN_RESP, sc_time(4, sc_core::SC_NS));
  expect_one("before the previous END_RESP");
}

TEST_F(BaseProtocolCheckerTest, TwoEndsOfOneRequest) {
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.bw(a.payload, tlm::END_REQ);
  puppets.bw(a.payload, tlm::END_REQ);
  expect_one("END_REQ out of order");
}

TEST_F(BaseProtocolCheckerTest, EndOfAResponseThatHasNotBegun) {
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.bw(a.payload, tlm::END_REQ);
  puppets.fw(a.payload, tlm::END_RESP);
  expect_one("END_RESP out of order");
}

TEST_F(BaseProtocolCheckerTest, PhaseAfterCompletion) {
  puppets.on_forward = [this](auto& payload, auto&, auto&) {
    answer(payload);
    return TLM_COMPLETED;
  };
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.bw(a.payload, tlm::BEGIN_RESP);
  expect_one("over or never began");
}

TEST_F(BaseProtocolCheckerTest, EndOfAResponseThatIsOver) {
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  answer(a.payload);
  puppets.on_backward = [](auto&, auto&, auto&) { return TLM_COMPLETED; };
  puppets.bw(a.payload, tlm::BEGIN_RESP);
  puppets.fw(a.payload, tlm::END_RESP);
  expect_one("END_RESP for a transaction that is over");
}

TEST_F(BaseProtocolCheckerTest, SameTransactionTwice) {
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.bw(a.payload, tlm::END_REQ);
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  expect_one("under way");
}

TEST_F(BaseProtocolCheckerTest, PhasesOfTheWrongSide) {
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.bw(a.payload, tlm::END_RESP);
  expect_one("not the target's");
  puppets.fw(a.payload, tlm::BEGIN_RESP);
  ASSERT_EQ(checker.violations().size(), 2u);
  EXPECT_NE(checker.violations()[1].find("not the initiator's"), std::string::npos);
}

TEST_F(BaseProtocolCheckerTest, AttributesChangedByTheTarget) {
  const std::function<void(tlm::tlm_generic_payload&)> changes[] = {
      [](auto& p) { p.set_address(p.get_address() + 1); },
      [](auto& p) { p.set_command(tlm::TLM_WRITE_COMMAND); },
      [](auto& p) { p.set_data_ptr(nullptr); },
      [](auto& p) { p.set_data_length(1); },
      [](auto& p) { p.set_streaming_width(1); },
      [](auto& p) { p.set_byte_enable_ptr(p.get_data_ptr()); },
      [](auto& p) { p.set_byte_enable_length(7); },
  };
  std::size_t expected = 0;
  for (const auto& change : changes) {
    a.set(false, 0, 1);
    a.payload.set_byte_enable_length(0);
    puppets.fw(a.payload, tlm::BEGIN_REQ);
    change(a.payload);
    puppets.on_backward = [](auto&, auto&, auto&) { return TLM_COMPLETED; };
    answer(a.payload);
    puppets.bw(a.payload, tlm::BEGIN_RESP);
    ASSERT_EQ(checker.violations().size(), ++expected);
    EXPECT_NE(checker.violations().back().find("attributes changed"), std::string::npos);
  }
}

TEST_F(BaseProtocolCheckerTest, ResponseWithoutStatus) {
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.bw(a.payload, tlm::BEGIN_RESP);
  expect_one("still INCOMPLETE at BEGIN_RESP");
}

TEST_F(BaseProtocolCheckerTest, CompletionWithoutStatus) {
  puppets.on_forward = [](auto&, auto&, auto&) { return TLM_COMPLETED; };
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  expect_one("still INCOMPLETE at TLM_COMPLETED");
}

TEST_F(BaseProtocolCheckerTest, RequestWithAStatusAlready) {
  answer(a.payload);
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  expect_one("not INCOMPLETE at BEGIN_REQ");
}

TEST_F(BaseProtocolCheckerTest, PayloadWithoutMemoryManager) {
  Transaction loose(nullptr);
  loose.set(false, 0, 1);
  puppets.fw(loose.payload, tlm::BEGIN_REQ);
  expect_one("no memory manager");
}

TEST_F(BaseProtocolCheckerTest, PayloadThatNobodyHolds) {
  Transaction loose(&keeper);
  loose.set(false, 0, 1);
  puppets.fw(loose.payload, tlm::BEGIN_REQ);
  expect_one("without a reference");
}

TEST_F(BaseProtocolCheckerTest, NegativeAnnotation) {
  puppets.fw(a.payload, tlm::BEGIN_REQ, SC_ZERO_TIME - sc_time(1, sc_core::SC_NS));
  ASSERT_FALSE(checker.violations().empty());
  EXPECT_NE(checker.violations()[0].find("negative timing annotation"), std::string::npos);
}

TEST_F(BaseProtocolCheckerTest, AnnotationTakenBack) {
  puppets.on_forward = [](auto&, tlm::tlm_phase& phase, sc_time& delay) {
    phase = tlm::END_REQ;
    delay = SC_ZERO_TIME;
    return TLM_UPDATED;
  };
  puppets.fw(a.payload, tlm::BEGIN_REQ, sc_time(1, sc_core::SC_NS));
  ASSERT_EQ(checker.violations().size(), 2u);
  EXPECT_NE(checker.violations()[0].find("took time back"), std::string::npos);
  EXPECT_NE(checker.violations()[1].find("before the one that it follows"), std::string::npos);
}

TEST_F(BaseProtocolCheckerTest, AcceptedButChanged) {
  puppets.on_forward = [](auto&, tlm::tlm_phase& phase, auto&) {
    phase = tlm::END_REQ;
    return TLM_ACCEPTED;
  };
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  expect_one("TLM_ACCEPTED with phase or delay changed");
}

TEST_F(BaseProtocolCheckerTest, UpdatedWithoutAPhase) {
  puppets.on_forward = [](auto&, auto&, auto&) { return TLM_UPDATED; };
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  expect_one("TLM_UPDATED without a phase of the target");
  puppets.on_backward = [](auto&, auto&, auto&) { return TLM_UPDATED; };
  answer(a.payload);
  puppets.bw(a.payload, tlm::BEGIN_RESP);
  ASSERT_EQ(checker.violations().size(), 2u);
  EXPECT_NE(checker.violations()[1].find("TLM_UPDATED without a phase of the initiator"), std::string::npos);
}

TEST_F(BaseProtocolCheckerTest, EndOfRequestAnsweredByMoreThanAccepted) {
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  puppets.on_backward = [](auto&, auto&, auto&) { return TLM_COMPLETED; };
  puppets.bw(a.payload, tlm::END_REQ);
  expect_one("only BEGIN_RESP");
}

TEST_F(BaseProtocolCheckerTest, ReturnedPhaseThatABackwardCallHasOvertaken) {
  puppets.on_forward = [this](auto& payload, tlm::tlm_phase& phase, auto&) {
    puppets.bw(payload, tlm::END_REQ);
    phase = tlm::END_REQ;
    return TLM_UPDATED;
  };
  puppets.fw(a.payload, tlm::BEGIN_REQ);
  expect_one("has overtaken");
}

TEST_F(BaseProtocolCheckerTest, BlockingCallThatLeavesNoStatusOrChangesAttributes) {
  sc_time delay = SC_ZERO_TIME;
  puppets.init_socket->b_transport(a.payload, delay);
  expect_one("still INCOMPLETE at the end of b_transport");
  puppets.on_blocking = [this](auto& payload, sc_time&) {
    payload.set_address(1);
    answer(payload);
  };
  b.set(false, 0, 1);
  puppets.init_socket->b_transport(b.payload, delay);
  ASSERT_EQ(checker.violations().size(), 2u);
  EXPECT_NE(checker.violations()[1].find("attributes changed"), std::string::npos);
}

}  // namespace
}  // namespace platter::testing
