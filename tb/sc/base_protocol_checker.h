// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "platter/command/tlm/base_protocol_checker.h"

namespace platter::testing {

/// Reports each violation as a failure of the test.
class BaseProtocolChecker : public command::BaseProtocolChecker {
 public:
  explicit BaseProtocolChecker(const sc_core::sc_module_name& name) : command::BaseProtocolChecker(name) {
    on_violation = [this](const std::string& text) { ADD_FAILURE() << "base protocol, " << this->name() << ", " << text; };
  }
};

}  // namespace platter::testing
