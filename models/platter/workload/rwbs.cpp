// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/rwbs.h"

#include <fmt/format.h>

namespace platter::workload {

BlockOperation parse_rwbs(const SourceLine& line, const Field& field) {
  std::string_view rest = field.text;
  BlockOperation operation;
  while (!rest.empty() && rest.front() == 'F') {
    operation.preflush = true;
    rest.remove_prefix(1);
  }
  if (rest.empty()) return operation;
  operation.kind = rest.front();
  rest.remove_prefix(1);
  constexpr std::string_view kKinds = "RWDN";
  constexpr std::string_view kFlags = "FASMEBU";
  if (kKinds.find(operation.kind) == std::string_view::npos || rest.find_first_not_of(kFlags) != std::string_view::npos) {
    line.fail(field.column, fmt::format("unknown operation {}, expected R, W, D or N with the flags F, A, S, M, E, B, U",
                                        in_quotes(field.text)));
  }
  return operation;
}

}  // namespace platter::workload
