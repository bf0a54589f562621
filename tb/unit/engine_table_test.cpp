// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <regex>
#include <stdexcept>

#include "platter/mechanics/access_planner.h"
#include "platter/system/drives.h"
#include "platter/system/engine_table.h"
#include "platter/system/engines.h"

namespace platter::system {
namespace {

std::string choice(const char* notation) {
  const std::optional<EngineChoice> found = find_engine(notation);
  if (!found) return "none";
  std::string text(found->row->name);
  for (const std::uint64_t number : found->numbers) text += " " + std::to_string(number);
  return text;
}

TEST(EngineTable, ANotationIsANameAndThenTheNumbersOfItsRow) {
  EXPECT_EQ(choice("firmware"), "firmware");
  EXPECT_EQ(choice("model"), "model");
  EXPECT_EQ(choice("rtl"), "rtl");
  EXPECT_EQ(choice("lockstep"), "lockstep");
  EXPECT_EQ(choice("lockstep:sample=50"), "lockstep 50");
  EXPECT_EQ(choice("lockstep:sample=50/200"), "lockstep 50 200");
  EXPECT_EQ(find_engine("lockstep:sample=50/200")->notation, "lockstep:sample=50/200");
  for (const char* wrong : {"",
                            "fast",
                            "Model",
                            "model ",
                            ":",
                            "model:",
                            "rtl:sample=5",
                            "lockstep:",
                            "lockstep:sample",
                            "lockstep:sample=",
                            "lockstep:sample=x",
                            "lockstep:sample=5x",
                            "lockstep:sample=5/",
                            "lockstep:sample=5/20/",
                            "lockstep:sample=-5",
                            "lockstep:sample=0",
                            "lockstep:sample=05",
                            "lockstep:sample=5/020",
                            "lockstep:sample=5/5",
                            "lockstep:sample=5/4",
                            "lockstep:sample=1000000001",
                            "lockstep:sample=5/1000000001",
                            "lockstep:sample=99999999999999999999"})
    EXPECT_EQ(choice(wrong), "none") << wrong;
}

TEST(EngineTable, ANotationOfAUsersOwnEngineHasAFolder) {
  EXPECT_EQ(choice("own:near"), "own");
  EXPECT_EQ(choice("lockstep:own:near"), "lockstep:own");
  EXPECT_EQ(find_engine("own:../a:b/near")->folder, "../a:b/near");
  EXPECT_EQ(find_engine("lockstep:own:/tmp/near")->folder, "/tmp/near");
  for (const char* wrong : {"own", "own:", "lockstep:own", "lockstep:own:", "owner:near"})
    EXPECT_EQ(choice(wrong), "none") << wrong;
  EXPECT_FALSE(find_engine("own:near")->row->is_firmware());
  EXPECT_TRUE(find_engine("firmware")->row->is_firmware());
}

TEST(EngineTable, AnObjectionSaysWhatWasExpected) {
  EXPECT_EQ(engine_notation_objection("rtl"), "");
  EXPECT_EQ(engine_notation_objection("lockstep:sample=5"), "");
  EXPECT_EQ(
      engine_notation_objection("modle"),
      "found \"modle\", expected one of firmware, model, rtl, lockstep[:sample=K[/N]], own:DIR, lockstep:own:DIR (did you "
      "mean model?)");
  EXPECT_EQ(engine_notation_objection("rtl:sample=5"),
            "found \"rtl:sample=5\", expected one of firmware, model, rtl, lockstep[:sample=K[/N]], own:DIR, lockstep:own:DIR");
  EXPECT_EQ(engine_notation_objection("own:"),
            "found \"own:\", expected own:DIR with a folder as `platter engine new` makes it");
  EXPECT_EQ(engine_notation_objection("lockstep:sample=0"),
            "found \"lockstep:sample=0\", expected lockstep[:sample=K[/N]] with 0 < K < N, each at most 1000000000");
}

TEST(EngineTable, TheRegularExpressionMatchesTheNotations) {
  const std::regex pattern(engine_pattern());
  for (const char* good :
       {"firmware", "model", "rtl", "lockstep", "lockstep:sample=5", "lockstep:sample=5/20", "own:near", "lockstep:own:near"})
    EXPECT_TRUE(std::regex_match(good, pattern)) << good;
  for (const char* wrong :
       {"", "fast", "rtl:sample=5", "lockstep:", "lockstep:sample=0", "lockstep:sample=5/", "lockstep:sample=K", "own", "own:"})
    EXPECT_FALSE(std::regex_match(wrong, pattern)) << wrong;
}

TEST(EngineTable, AFactoryNeedsAnEngineAndAPolicy) {
  EngineOptions options;
  EXPECT_THROW(engine_factory(options), std::invalid_argument) << "no policy";
  options.policy = scheduling::find_policy("SPTF");
  EXPECT_NO_THROW(engine_factory(options));
  options.policy = scheduling::PolicySpec{};
  EXPECT_THROW(engine_factory(options), std::invalid_argument) << "a policy without a row";
  options.policy = scheduling::find_policy("SPTF");
  options.engine = EngineChoice{};
  EXPECT_THROW(engine_factory(options), std::invalid_argument) << "no engine";
}

TEST(EngineTable, OnlyTheEngineFirmwareTakesTheRulesOfAFirmware) {
  profile::DriveProfile profile = load_drive("atlas10k");
  profile.age_limit_s = 2;
  const mechanics::AccessPlanner planner(profile);
  EngineOptions options(profile);
  options.policy = scheduling::find_policy("SPTF");
  options.engine = *find_engine("model");
  const auto made = [&] { engine_factory(options)({planner, profile.queue_depth, 5'000}); };
  try {
    made();
    FAIL() << "a rule that the engine would not follow";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "drive.controller.age_limit_s: found 2, expected 0 with engine model: only the engine firmware has this");
  }
  EXPECT_TRUE(rules_objection(*find_engine("firmware"), options.rules, false).empty());
  EXPECT_EQ(
      rules_objection(*find_engine("firmware"), options.rules, true).message(),
      "drive.controller.age_limit_s: found 2, expected 0 with eager writing, where the policy chooses the place of each write");
  EXPECT_TRUE(rules_objection(options.engine, {}, true).empty()) << "no rule";
}

}  // namespace
}  // namespace platter::system
