// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
  /// Adds a column with the names of the requests' jobs; to be called before a request ends.
  void add_jobs(std::vector<std::string> names) { jobs_ = std::move(names); }
  /// Adds a column with the response times that a trace has; to be called before a request ends.
  void add_recorded() { recorded_ = true; }
  /// Adds the columns of the turns missed and gained; to be called before a request ends.
  void add_missed() { missed_ = true; }
  /// Adds the columns of the recovery from media faults; to be called before a request ends.
  void add_recovery() { recovery_ = true; }
  /// Writes the head of the table if there is no row.
  void finish();
  /// Gives the file its name, under which it does not exist before.
  void commit() {
    finish();
    file_.commit();
  }
  OutputFile& file() { return file_; }

 private:
  OutputFile file_;
  std::vector<std::string> jobs_;  ///< empty: no column
  bool recorded_ = false;
  bool missed_ = false;
  bool recovery_ = false;
  bool begun_ = false;
};

}  // namespace platter::observe
