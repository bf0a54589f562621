// SPDX-License-Identifier: Apache-2.0
//
// Policies that break their contract, one for each value of the parameter.

#include <cstdlib>

#include "platter/scheduling/own_policy.h"

using namespace platter::scheduling;

class Broken : public FlatScheduler {
 public:
  explicit Broken(const SchedulerContext& context)
      : FlatScheduler(context.capacity), kind_(static_cast<int>(context.parameters.own[0])) {
    if (kind_ == 10) kind_ = static_cast<int>(context.parameters.own[1]);  // not declared
  }

  bool empty() const override { return kind_ == 5 || FlatScheduler::empty(); }
  bool keeps_deadlines() const override { return kind_ == 6; }
  Decision pick(const HeadState& head, Picoseconds now) override {
    if (commands().empty()) return {};
    if (++count_ > 50) switch (kind_) {
        case 0: return Decision::serve(Tag(static_cast<std::uint16_t>(commands().oldest().tag.value + 1000)));  // never held
        case 1: return Decision::wait(now);
        case 2: return Decision::again();
        case 3: return *static_cast<Decision*>(nullptr);
        case 4:
          for (volatile int forever = 0; forever == 0;) {
          }
          break;
        case 7: return Decision{};                                                        // keeps what it has
        case 8: return Decision::serve(std::rand() % 2 == 0 ? first(head) : last(head));  // two schedulers differ
        case 9: std::abort();
        default: break;
      }
    return Decision::serve(kind_ == 6 ? last(head) : first(head));
  }

 private:
  Tag first(const HeadState& /*head*/) const { return commands().oldest().tag; }
  Tag last(const HeadState& /*head*/) const {
    Tag tag;
    for (const Command* command : commands()) tag = command->tag;
    return tag;
  }

  int kind_;
  int count_ = 0;
};

PLATTER_OWN_POLICY(Broken, "breaks its contract", {"kind", "what it does", 0, 10})
