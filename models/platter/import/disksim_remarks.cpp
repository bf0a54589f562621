// SPDX-License-Identifier: Apache-2.0
#include "platter/import/disksim_remarks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "platter/core/json_text.h"
#include "platter/profile/parameters.h"

namespace platter::disksim {

namespace fs = std::filesystem;

std::string plain(const std::string& text) {
  std::string out = nlohmann::json::parse(core::json_text(text, -1)).get<std::string>();
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return out;
}

std::string relative_name(const std::string& file, const Import& import) {
  const fs::path folder = fs::path(import.files.front()).parent_path();
  const fs::path relative = fs::path(file).lexically_normal().lexically_relative(folder.lexically_normal());
  return plain(folder.empty() || relative.empty() ? fs::path(file).lexically_normal().string() : relative.string());
}

namespace {

std::string_view heading(Remark::Kind kind) {
  switch (kind) {
    case Remark::Kind::NotCarriedOver: return "Not carried over:";
    case Remark::Kind::Changed: return "Carried over with a change:";
    case Remark::Kind::Doubtful: return "Carried over unchanged, but doubtful:";
    case Remark::Kind::NoEffect: return "Left out, because it has no effect in DiskSim either:";
  }
  return {};
}

template <typename Name>
std::string listing(const Import& import, const std::string& indent, const Name& name) {
  std::string text;
  std::optional<Remark::Kind> last;
  for (const Remark& entry : import.remarks) {
    if (last != entry.kind) text += fmt::format("{}{}\n", indent, heading(entry.kind));
    last = entry.kind;
    text += fmt::format("{}  {}:{}: {}{}{}: {}\n", indent, name(entry.file), entry.line, entry.key,
                        entry.value.empty() ? "" : " = ", entry.value, entry.why);
  }
  return text;
}

}  // namespace

std::string_view to_string(Remark::Kind kind) {
  switch (kind) {
    case Remark::Kind::NotCarriedOver: return "not-carried-over";
    case Remark::Kind::Changed: return "changed";
    case Remark::Kind::Doubtful: return "doubtful";
    case Remark::Kind::NoEffect: return "no-effect";
  }
  return {};
}

std::string profile_file(const Import& import) {
  std::string text = fmt::format("# Made by `platter drive import` from {}.\n", import.profile.source);
  text += listing(import, "# ", [&import](const std::string& file) { return relative_name(file, import); });
  return text + profile::to_toml(import.profile);
}

std::string remarks_text(const Import& import) {
  return listing(import, "", [](const std::string& file) { return file; });
}

nlohmann::json remarks_json(const Import& import) {
  nlohmann::json remarks = nlohmann::json::array();
  for (const Remark& entry : import.remarks)
    remarks.push_back({{"kind", to_string(entry.kind)},
                       {"file", plain(entry.file)},
                       {"line", entry.line},
                       {"column", entry.column},
                       {"key", entry.key},
                       {"value", entry.value},
                       {"why", entry.why}});
  nlohmann::json files = nlohmann::json::array();
  for (const std::string& name : import.files) files.push_back(plain(name));
  return {{"name", import.profile.name}, {"files", files}, {"blocks", import.blocks}, {"remarks", remarks}};
}

}  // namespace platter::disksim
