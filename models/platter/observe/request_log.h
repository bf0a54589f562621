// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

#include "platter/observe/output_file.h"
#include "platter/workload/initiator.h"

namespace platter::observe {

/// Writes one CSV row for every request that has ended, in the order in which they ended; times in whole picoseconds.
class RequestLog : public workload::RequestObserverIf {
 public:
  /// Throws core::InputError where the file cannot be written.
  explicit RequestLog(const std::filesystem::path& file);

  void issued(const workload::Request& /*request*/) override {}
  void finished(const workload::FinishedRequest& finished) override;
  /// Gives the file its name, under which it does not exist before.
  void commit() { file_.commit(); }
  OutputFile& file() { return file_; }

 private:
  OutputFile file_;
};

}  // namespace platter::observe
