// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "platter/scheduling/policies.h"

namespace platter::scheduling {

/// True for a notation of a policy of your own: `own:FILE.so` or `own:FILE.so(0.5|3)`.
bool is_own_policy(std::string_view notation);

/// The policy of the shared object that the notation names, which is loaded if it was not yet. A null row and an objection if there is none, if it
/// was made for another version or compiler, or if a value is out of range.
PolicySpec own_policy(std::string_view notation, std::string& objection);

/// What the shared object offers, which is loaded if it was not yet; null and an objection as of own_policy().
const OwnPolicy* own_policy_of(const std::string& file, std::string& objection);

/// True for a policy that decides in a process of its own, which a copy of this process cannot ask.
bool has_process(const PolicySpec& policy);

/// The notation in its shortest form.
std::string own_policy_name(const PolicySpec& policy);

/// Makes a scheduler of a shared object's policy. It stands inside another one that checks its answers: a decision to serve a command that the
/// policy does not hold, or to do what no policy may, throws core::SimulationError. While it is called, a crash or a call that takes longer than
/// kOwnPolicyLimit ends the process with exit code 1 and a message.
std::unique_ptr<SchedulerIf> create_own(const PolicyInfo& row, const SchedulerContext& context);

/// While RTL of a user's own runs. A crash, or a call that takes longer than kOwnPolicyLimit, ends the process in the same way. Both texts must outlive
/// the object.
class OwnEngineCall {
 public:
  OwnEngineCall(const char* engine, const char* name);
  ~OwnEngineCall();
  OwnEngineCall(const OwnEngineCall&) = delete;
  OwnEngineCall& operator=(const OwnEngineCall&) = delete;
};

/// Longest call of a policy of your own, in seconds of processor time.
constexpr int kOwnPolicyLimit = 10;

/// What happens before the process ends by a crash or an endless call of a policy; called by a signal handler.
void before_own_policy_ends(void (*clean_up)());

}  // namespace platter::scheduling
