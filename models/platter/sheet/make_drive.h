// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "platter/profile/drive_profile.h"
#include "platter/sheet/sheet.h"

namespace platter::sheet {

/// A drive made from a data sheet.
struct NewDrive {
  profile::DriveProfile profile;
  std::map<std::string, std::string>
      reasons;  ///< by key of the profile: the number of the sheet, the rule or the default that made it
};

/// Makes every value of a profile from the sheet's numbers. A number that the sheet lacks is made by a rule; docs/reference/data_sheet.md has
/// the rules. Throws core::ConfigError with the contradictions of the sheet.
NewDrive make_drive(const Sheet& sheet);

/// The profile as a file: each key with its reason above it.
std::string profile_text(const NewDrive& drive, const Sheet& sheet);

}  // namespace platter::sheet
