// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/command/command.h"
#include "platter/core/types.h"

namespace platter::workload {

/// A request as a producer makes it; `issued` is the time at which the host gets it.
struct Request : command::Command {
  core::Picoseconds recorded = -1;  ///< response time that a trace has of it; -1: none
  std::int32_t job = kNoJob;        ///< number of the job that made it

  static constexpr std::int32_t kNoJob = -1;  ///< no job made it
};

/// Produces the requests of a workload, in the order of their times.
class ProducerIf {
 public:
  virtual ~ProducerIf() = default;
  ProducerIf() = default;
  ProducerIf(const ProducerIf&) = delete;
  ProducerIf& operator=(const ProducerIf&) = delete;

  /// Sets every field of `request`, which may hold those of an earlier request, except `number`. `issued` is not before that of the last request.
  /// `now`: the present time. Returns false after the last request, or if a closed producer has none at present (see more()).
  ///
  /// An open producer is asked for its next request when the one before is issued. A closed producer is asked closed_depth() times at the start,
  /// and again after each of its requests that ends, unless it has failed in the instant of its issue, or with its drive.
  virtual bool next(Request& request, core::Picoseconds now) = 0;
  /// Number of requests to keep outstanding; 0: open, requests come at their own times.
  virtual std::uint32_t closed_depth() const { return 0; }
  /// The request that next() gave last is not issued, because it would be at or after the end of the run.
  virtual void dropped() {}
  /// One of its requests has ended with Good.
  virtual void ended(const Request& /*request*/) {}
  /// Asked after each replacement. True: a closed producer now has a request that next() had to refuse earlier; the host calls next() again.
  virtual bool more() const { return false; }
};

/// Assigns a class to each request when the host gets it, whatever class its producer gave it.
class ClassifierIf {
 public:
  virtual ~ClassifierIf() = default;
  /// The class that the request gets.
  virtual core::RequestClass class_of(const Request& request) = 0;
};

}  // namespace platter::workload
