// SPDX-License-Identifier: Apache-2.0
//
// The examples of docs/how_to/extend.md: an engine and a policy of a program that uses the library.
#include "testing.h"

namespace platter::testing {
namespace {

/// Serves the oldest command, and takes no time to decide.
class OldestFirst : public engine::EngineIf {
 public:
  void bind_sink(engine::DecisionSinkIf& sink) override { sink_ = &sink; }
  void insert(const scheduling::Command& command) override { commands_.push_back(&command); }
  bool withdraw(const scheduling::Command& command) override {
    commands_.erase(std::find(commands_.begin(), commands_.end(), &command));
    return true;
  }
  void moved(const scheduling::Command& /*command*/) override {}
  bool empty() const override { return commands_.empty(); }
  void prepare(const mechanics::HeadState& /*at*/, Picoseconds /*when*/) override {}
  void decide(const mechanics::HeadState& /*head*/, Picoseconds now) override {
    scheduling::Decision decision;  // idle
    if (!commands_.empty()) {
      decision = scheduling::Decision::serve(commands_.front()->tag);
      commands_.pop_front();
    }
    ++statistics_.decisions;
    sink_->decided(decision, now);
  }
  void reset() override { commands_.clear(); }
  Picoseconds prepared_from() const override { return core::kNoDeadline; }
  engine::EngineStatistics statistics() const override { return statistics_; }

 private:
  engine::DecisionSinkIf* sink_ = nullptr;
  std::deque<const scheduling::Command*> commands_;
  engine::EngineStatistics statistics_;
};

/// Serves the youngest command.
class YoungestFirst : public scheduling::SchedulerIf {
 public:
  void insert(const scheduling::Command& command) override { commands_.push_back(&command); }
  void remove(core::Tag tag) override {
    commands_.erase(std::find_if(commands_.begin(), commands_.end(), [tag](const auto* c) { return c->tag == tag; }));
  }
  bool empty() const override { return commands_.empty(); }
  scheduling::DecisionWork work(const mechanics::HeadState& /*head*/) override { return {empty() ? 0u : 1u, 0}; }
  scheduling::Decision pick(const mechanics::HeadState& /*head*/, Picoseconds /*now*/) override {
    if (empty()) return {};
    return scheduling::Decision::serve(commands_.back()->tag);
  }

 private:
  std::vector<const scheduling::Command*> commands_;
};

const scheduling::PolicyInfo kYoungest = {
    "YOUNGEST", "", "the youngest command first",
    [](const scheduling::SchedulerContext& /*context*/) -> std::unique_ptr<scheduling::SchedulerIf> {
      return std::make_unique<YoungestFirst>();
    }};

drive::DriveConfig toy_config() {
  drive::DriveConfig config;
  config.profile = toy_profile();
  return config;
}

/// The order in which a drive serves five reads that arrive while it is busy with another one.
std::vector<std::uint64_t> order_of(drive::Drive& disk) {
  AtHost host("host", disk);
  std::vector<Transaction*> reads;
  for (std::uint64_t i = 0; i < 6; ++i) {
    reads.push_back(&host.submit(false, 640 * i, 1));
    run_until(1 * kMs);
  }
  run_until(1000 * kMs);
  EXPECT_EQ(host.finished(), 6u);
  std::vector<std::uint64_t> order(reads.size());
  for (std::size_t i = 0; i < reads.size(); ++i) order[i] = reads[i]->finished_order;
  return order;
}

TEST(OwnEngine, ServesADriveInItsOrder) {
  drive::Drive disk("disk", toy_config(), [](const engine::EngineContext&) { return std::make_unique<OldestFirst>(); });
  EXPECT_EQ(order_of(disk), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_GE(disk.engine().statistics().decisions, 6u);
}

TEST(OwnEngine, ACommandThatIsAbortedOrLostIsNotServed) {
  drive::Drive disk("disk", toy_config(), [](const engine::EngineContext&) { return std::make_unique<OldestFirst>(); });
  AtHost host("host", disk);
  std::vector<Transaction*> reads;
  for (std::uint64_t i = 0; i < 4; ++i) reads.push_back(&host.submit(false, 640 * i, 1));
  run_until(1 * kMs);
  EXPECT_TRUE(disk.abort(core::Tag(2)));
  run_until(10 * kMs);
  disk.set_alive(false);
  run_until(20 * kMs);
  disk.set_alive(true);
  Transaction& after = host.submit(false, 0, 1);
  run_until(100 * kMs);
  EXPECT_EQ(reads[0]->extension.status, CommandStatus::Good);
  EXPECT_EQ(reads[2]->extension.status, CommandStatus::Aborted);
  EXPECT_EQ(reads[3]->extension.status, CommandStatus::DriveFailed);
  EXPECT_EQ(after.extension.status, CommandStatus::Good);
  EXPECT_TRUE(disk.engine().empty());
}

/// Answers with what a test gives it.
class Wrong : public OldestFirst {
 public:
  explicit Wrong(std::function<void(engine::DecisionSinkIf&, Picoseconds)> answer) : answer_(std::move(answer)) {}
  void bind_sink(engine::DecisionSinkIf& sink) override {
    sink_ = &sink;
    OldestFirst::bind_sink(sink);
  }
  void decide(const mechanics::HeadState& /*head*/, Picoseconds now) override { answer_(*sink_, now); }

 private:
  std::function<void(engine::DecisionSinkIf&, Picoseconds)> answer_;
  engine::DecisionSinkIf* sink_ = nullptr;
};

/// The message with which a simulation until `end` is stopped.
std::string stopped_until(Picoseconds end) {
  try {
    run_until(end);
  } catch (const sc_core::sc_report& report) {
    return report.get_msg();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing";
}

/// The message with which a drive stops such an engine.
std::string stopped_with(std::function<void(engine::DecisionSinkIf&, Picoseconds)> answer) {
  drive::Drive disk("disk", toy_config(),
                    [&answer](const engine::EngineContext&) { return std::make_unique<Wrong>(std::move(answer)); });
  AtHost host("host", disk);
  host.submit(false, 0, 1);
  return stopped_until(1 * kMs);
}

TEST(OwnEngine, ATagThatItDoesNotHoldStopsTheSimulation) {
  const std::string message = stopped_with(
      [](engine::DecisionSinkIf& sink, Picoseconds now) { sink.decided(scheduling::Decision::serve(core::Tag(7)), now); });
  EXPECT_NE(message.find("it has picked a tag that no command in it has (tag 7"), std::string::npos) << message;
}

TEST(OwnEngine, ATagBeyondTheQueueStopsTheSimulation) {
  const std::string message = stopped_with(
      [](engine::DecisionSinkIf& sink, Picoseconds now) { sink.decided(scheduling::Decision::serve(core::Tag(999)), now); });
  EXPECT_NE(message.find("it has picked a tag"), std::string::npos) << message;
}

/// Claims that it still reads a command that is withdrawn, and serves it.
class Stubborn : public OldestFirst {
 public:
  bool withdraw(const scheduling::Command& /*command*/) override { return false; }
};

TEST(OwnEngine, ACommandThatIsBeingWithdrawnStopsTheSimulation) {
  drive::Drive disk("disk", toy_config(), [](const engine::EngineContext&) { return std::make_unique<Stubborn>(); });
  AtHost host("host", disk);
  for (std::uint64_t i = 0; i < 4; ++i) host.submit(false, 640 * i, 1);
  run_until(1 * kMs);
  EXPECT_TRUE(disk.abort(core::Tag(2)));
  const std::string message = stopped_until(1000 * kMs);
  EXPECT_NE(message.find("it has picked a tag that no command in it has (tag 2"), std::string::npos) << message;
}

/// What is said of an engine that lets go of `tag`, which nobody withdraws.
void expect_stop_at_leaving(core::Tag tag) {
  const std::string message = stopped_with([tag](engine::DecisionSinkIf& sink, Picoseconds /*now*/) { sink.left(tag); });
  EXPECT_NE(message.find("it has let go of a command that is not being withdrawn (tag " + std::to_string(tag.value)),
            std::string::npos)
      << message;
}

TEST(OwnEngine, AWaitingCommandThatLeavesUnaskedStopsTheSimulation) { expect_stop_at_leaving(core::Tag(0)); }

TEST(OwnEngine, AFreeTagThatLeavesStopsTheSimulation) { expect_stop_at_leaving(core::Tag(7)); }

TEST(OwnEngine, ATagBeyondTheQueueThatLeavesStopsTheSimulation) { expect_stop_at_leaving(core::Tag(999)); }

/// Answers the first request twice, the second time while the access runs.
class Hasty : public OldestFirst {
 public:
  void bind_sink(engine::DecisionSinkIf& sink) override {
    sink_ = &sink;
    OldestFirst::bind_sink(sink);
  }
  void insert(const scheduling::Command& command) override {
    OldestFirst::insert(command);
    if (++inserted_ == 2) sink_->decided(scheduling::Decision::serve(command.tag), core::now_ps());
  }

 private:
  engine::DecisionSinkIf* sink_ = nullptr;
  int inserted_ = 0;
};

TEST(OwnEngine, AnAnswerWhileAnAccessRunsStopsTheSimulation) {
  drive::Drive disk("disk", toy_config(), [](const engine::EngineContext&) { return std::make_unique<Hasty>(); });
  AtHost host("host", disk);
  host.submit(false, 640, 1);
  run_until(1 * kMs);
  host.submit(false, 1280, 1);
  const std::string message = stopped_until(1000 * kMs);
  EXPECT_NE(message.find("it has answered without being asked"), std::string::npos) << message;
}

TEST(OwnEngine, ADecisionInThePastStopsTheSimulation) {
  const std::string message =
      stopped_with([](engine::DecisionSinkIf& sink, Picoseconds now) { sink.decided(scheduling::Decision{}, now - 1); });
  EXPECT_NE(message.find("its decision takes effect in the past"), std::string::npos) << message;
}

TEST(OwnEngine, TheAnswerAgainStopsTheSimulation) {
  const std::string message =
      stopped_with([](engine::DecisionSinkIf& sink, Picoseconds now) { sink.decided(scheduling::Decision::again(), now); });
  EXPECT_NE(message.find("it has answered with Again"), std::string::npos) << message;
}

TEST(OwnEngine, ASecondAnswerStopsTheSimulation) {
  const std::string message = stopped_with([](engine::DecisionSinkIf& sink, Picoseconds now) {
    sink.decided(scheduling::Decision{}, now);
    sink.decided(scheduling::Decision{}, now);
  });
  EXPECT_NE(message.find("it has answered without being asked"), std::string::npos) << message;
}

TEST(OwnPolicy, RunsInTheEngineFirmware) {
  const drive::DriveConfig config = toy_config();
  system::EngineOptions options(config.profile);
  options.policy = scheduling::PolicySpec{&kYoungest, {}, "YOUNGEST"};
  drive::Drive disk("disk", config, system::engine_factory(options));
  EXPECT_EQ(order_of(disk), (std::vector<std::uint64_t>{0, 5, 4, 3, 2, 1}));
}

}  // namespace
}  // namespace platter::testing
