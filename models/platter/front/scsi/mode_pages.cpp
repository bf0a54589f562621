// SPDX-License-Identifier: Apache-2.0
#include "platter/front/scsi/mode_pages.h"

#include <algorithm>
#include <utility>

#include "platter/front/scsi/duration_pages.h"

namespace platter::scsi {

namespace {

constexpr std::uint8_t kAllPages = 0x3F;
constexpr std::uint8_t kAllSubpages = 0xFF;

std::vector<std::uint8_t> page(std::uint8_t code, std::size_t bytes,
                               std::initializer_list<std::pair<std::size_t, std::uint8_t>> values) {
  std::vector<std::uint8_t> made(bytes);
  made[0] = code;
  made[1] = static_cast<std::uint8_t>(bytes - 2);
  for (const auto& [at, value] : values) made[at] = value;
  return made;
}

std::uint8_t bit(bool set, unsigned place) { return static_cast<std::uint8_t>(set ? 1u << place : 0u); }

}  // namespace

ModePages::ModePages(const UnitIdentity& d) : durations_(d.durations) {
  const auto segments = static_cast<std::uint8_t>(std::min(d.segments, 255u));
  // Read-write error recovery (SBC-3, 6.5.8): AWRE, ARRE; the host may set PER and the recovery time limit.
  pages_.push_back({page(kRecovery, 12, {{2, 0xC0}}), page(kRecovery, 12, {{2, 0x04}, {10, 0xFF}, {11, 0xFF}}), {}});
  // Caching (SBC-3, 6.5.6): WCE, DRA, and how many segments there are.
  pages_.push_back({page(kCaching, 20, {{2, bit(d.write_cache, 2)}, {12, bit(!d.read_ahead, 5)}, {13, segments}}),
                    page(kCaching, 20, {{2, bit(d.write_cache, 2)}, {12, bit(d.read_ahead, 5)}}),
                    {}});
  // Control (SPC-4, 7.5.8): GLTSD, unrestricted reordering; the host may set D_SENSE and SWP.
  pages_.push_back({page(kControl, 12, {{2, 0x02}, {3, 0x10}}), page(kControl, 12, {{2, 0x04}, {4, 0x08}}), {}});
  if (d.duration_limits)
    for (const bool write : {false, true})
      pages_.push_back({duration_page::make(d.durations, write), duration_page::changeable(write), {}});
  // Informational exceptions control (SPC-4, 7.5.12): reported by request only.
  pages_.push_back({page(kExceptions, 12, {{3, 0x06}}), page(kExceptions, 12, {}), {}});
  reset();
}

void ModePages::reset() {
  for (Page& each : pages_) each.current = each.initial;
  read_durations();
}

void ModePages::read_durations() {
  for (const Page& each : pages_)
    if (each.subcode() != 0) duration_page::read(each.current, each.subcode() == duration_page::kT2B, durations_);
}

const ModePages::Page* ModePages::find(std::uint8_t code) const {
  for (const Page& each : pages_)
    if (each.code() == code && each.subcode() == 0) return &each;
  return nullptr;
}

std::optional<std::vector<std::uint8_t>> ModePages::pages(std::uint8_t code, std::uint8_t subcode, Control control) const {
  std::vector<std::uint8_t> all;
  for (const Page& each : pages_) {
    if (code != kAllPages && code != each.code()) continue;
    if (subcode != kAllSubpages && subcode != each.subcode()) continue;
    const std::vector<std::uint8_t>& from = control == Control::Current      ? each.current
                                            : control == Control::Changeable ? each.changeable
                                                                             : each.initial;
    all.insert(all.end(), from.begin(), from.end());
  }
  if (all.empty()) return std::nullopt;
  return all;
}

std::optional<SenseData> ModePages::put(const std::vector<std::uint8_t>& list, std::size_t begin, std::vector<Page>& pages) {
  const auto wrong = [](std::size_t at) {
    return SenseData(sense::kInvalidParameter, SenseData::Field{false, static_cast<std::uint16_t>(at), 8});
  };
  for (std::size_t at = begin; at < list.size();) {
    if (list.size() - at < 2) return SenseData(sense::kListLength);
    const std::uint8_t subcode = (list[at] & 0x40) != 0 ? list[at + 1] : std::uint8_t{0};
    const auto found = std::find_if(pages.begin(), pages.end(),
                                    [&](const Page& p) { return p.code() == (list[at] & 0x3F) && p.subcode() == subcode; });
    if (found == pages.end() || (list[at] & 0x80) != 0 || (subcode == 0 && (list[at] & 0x40) != 0)) return wrong(at);  // PS
    for (std::size_t i = 1; i < found->header(); ++i) {
      if (list.size() - at <= i) return SenseData(sense::kListLength);
      if (list[at + i] != found->initial[i]) return wrong(at + i);
    }
    if (list.size() - at < found->initial.size()) return SenseData(sense::kListLength);
    for (std::size_t i = found->header(); i < found->initial.size(); ++i) {
      if (((list[at + i] ^ found->current[i]) & ~found->changeable[i]) != 0) return wrong(at + i);
      found->current[i] = list[at + i];
    }
    if (found->subcode() != 0)
      if (const std::size_t bad = duration_page::objection(found->current, found->subcode() == duration_page::kT2B); bad != 0)
        return wrong(at + bad);
    at += found->initial.size();
  }
  return std::nullopt;
}

std::optional<SenseData> ModePages::check(const std::vector<std::uint8_t>& list, std::size_t begin, bool& write_cache) const {
  std::vector<Page> after = pages_;
  const std::optional<SenseData> wrong = put(list, begin, after);
  for (const Page& each : after)
    if (each.code() == kCaching) write_cache = ModePages::write_cache(each);
  return wrong;
}

bool ModePages::select(const std::vector<std::uint8_t>& list, std::size_t begin) {
  const std::vector<Page> before = pages_;
  put(list, begin, pages_);
  read_durations();
  return !std::equal(before.begin(), before.end(), pages_.begin(),
                     [](const Page& a, const Page& b) { return a.current == b.current; });
}

}  // namespace platter::scsi
