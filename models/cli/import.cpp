// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "commands.h"
#include "platter/core/json_text.h"
#include "platter/import/disksim_import.h"
#include "platter/observe/output_file.h"
#include "platter/workload/fio_job_file.h"

namespace platter::cli {

void write_to(const std::string& output, const std::string& text) {
  if (output.empty()) {
    fmt::print("{}", text);
    return;
  }
  observe::OutputFile file(output);
  file.write(text);
  file.commit();
}

int drive_import(const DriveImportOptions& options) {
  const disksim::Import import = disksim::import_drive(options.file, {options.disk, options.name});
  write_to(options.output, disksim::profile_file(import));
  // Only the profile goes to the standard output; the remarks go to stderr.
  fmt::print(stderr, "{}",
             options.json ? core::json_text(disksim::remarks_json(import)) + "\n" : disksim::remarks_text(import));
  return kGood;
}

int config_from_fio(const std::string& file, const std::string& drive, const std::string& output) {
  const workload::FioImport import = workload::import_fio(file, drive);
  write_to(output, import.scenario);
  for (const std::string& remark : import.remarks) fmt::print(stderr, "{}\n", remark);
  return kGood;
}

}  // namespace platter::cli
