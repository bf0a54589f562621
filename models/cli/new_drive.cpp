// SPDX-License-Identifier: Apache-2.0
#include "commands.h"
#include "platter/core/error.h"
#include "platter/sheet/make_drive.h"
#include "platter/sheet/sheet.h"
#include "platter/system/drives.h"

namespace platter::cli {

int drive_new(const DriveNewOptions& options) {
  sheet::Sheet sheet;
  if (!options.sheet.empty()) sheet = sheet::load_sheet(options.sheet);
  if (!options.name.empty()) sheet::set_option(sheet, "NAME", "name", options.name);
  for (const auto& [key, text] : options.numbers)
    if (!text.empty()) sheet::set_option(sheet, option_of(key), key, text);
  const sheet::NewDrive drive = sheet::make_drive(sheet);
  std::vector<core::ConfigProblem> problems;
  system::check(drive.profile, "", sheet, {sheet.file.empty() ? "drive new" : sheet.file, 0, 0}, problems);
  if (!problems.empty()) throw core::ConfigError(problems);
  write_to(options.output, sheet::profile_text(drive, sheet));
  return kGood;
}

std::string option_of(const std::string& key) {
  std::string option = "--" + key;
  for (char& c : option)
    if (c == '_') c = '-';
  return option;
}

}  // namespace platter::cli
