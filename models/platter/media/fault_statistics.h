// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/media/faults.h"
#include "platter/params/statistic.h"

namespace platter::media {

/// Statistics of the errors of one drive or of several.
inline const params::Statistics<MediaErrors>& error_rows() {
  using E = MediaErrors;
  static const auto rows =
      params::Statistics<E>()
          .value("retried", "", "accesses that needed recovery", "count", [](const E& e) { return e.retried; }, {"retried"})
          .value("retry_turns", "", "turns of these recoveries, begun ones included", "sum",
                 [](const E& e) { return e.retry_turns; }, {"turns"})
          .value("recovered", "", "accesses that recovery saved", "count", [](const E& e) { return e.recovered; },
                 {"recovered"})
          .value("uncorrectable", "", "accesses that ended at a block that cannot be read (SMART 187)", "count",
                 [](const E& e) { return e.uncorrectable; }, {"uncorrectable"})
          .value("write_errors", "", "writes that no spare was left for", "count", [](const E& e) { return e.write_errors; })
          .value("lost_destages", "", "of them, those of writes that the buffer had answered; the next flush fails", "count",
                 [](const E& e) { return e.lost_destages; })
          .value("pending", "",
                 "physical sectors, at the end, that could not be read and have not been written since (197, 198)", "count",
                 [](const E& e) { return e.pending; }, {"pending"})
          .value("reallocated", "", "physical sectors, at the end, that are on spares (5)", "count",
                 [](const E& e) { return e.reallocated; }, {"reallocated"})
          .value("reallocations", "", "attempts to put a physical sector on a spare (196)", "count",
                 [](const E& e) { return e.reallocations; })
          .value("detours", "", "ways to spares that were in use", "count", [](const E& e) { return e.detours; })
          .value("read_ahead_stops", "", "read-aheads that ended before a block that needs recovery", "count",
                 [](const E& e) { return e.read_ahead_stops; })
          .value("timeouts", "", "commands that were never answered, and were aborted or lost by a restart (188)", "count",
                 [](const E& e) { return e.timeouts; })
          .value("resets", "", "restarts of the firmware", "count", [](const E& e) { return e.resets; })
          .value("link_drops", "", "losses of the link", "count", [](const E& e) { return e.link_drops; })
          .value("late", "", "answers that came later", "count", [](const E& e) { return e.late; })
          .value("silent_writes", "", "silent: sectors whose write was lost or went elsewhere", "count",
                 [](const E& e) { return e.silent_writes; }, {"silent writes"})
          .value("silent_reads", "", "silent: reads that returned wrong data", "count",
                 [](const E& e) { return e.silent_reads; }, {"silent reads"})
          .value("scrubbed_blocks", "", "blocks that scrubbing and self-tests have read", "count",
                 [](const E& e) { return e.scrubbed_blocks; })
          .value("wait_blocks", "", "blocks that were read in rotational waits", "count",
                 [](const E& e) { return e.wait_blocks; })
          .value("scrub_errors", "", "physical sectors that scrubbing or a self-test has found unreadable", "count",
                 [](const E& e) { return e.scrub_errors; });
  return rows;
}

}  // namespace platter::media
