// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/unit_order.h"

namespace platter::host::array {

using Kind = Fragment::Kind;

bool UnitOrder::conflict(const Fragment& older, const Fragment& younger) {
  if (older.within >= younger.end() || younger.within >= older.end()) return false;
  if (younger.kind == Kind::Read || younger.kind == Kind::Rebuild) return older.kind == Kind::Write;
  return older.kind != Kind::Rebuild || !younger.ahead;
}

void UnitOrder::put_ahead(Fragment& fragment) {
  if (fragment.ahead || fragment.blockers == 0) return;
  for (Fragment* older = units_[bucket_of(fragment.unit)]; older != nullptr; older = older->older) {
    if (older->unit != fragment.unit || older->order >= fragment.order || !conflict(*older, fragment)) continue;
    if (older->kind != Kind::Rebuild) {
      put_ahead(*older);
    } else {
      older->spoiled = true;
      release(fragment);
    }
  }
  fragment.ahead = true;
}

void UnitOrder::chain(Fragment& fragment) {
  Fragment*& front = units_[bucket_of(fragment.unit)];
  fragment.older = front;
  fragment.younger = nullptr;
  if (front != nullptr) front->younger = &fragment;
  front = &fragment;
}

void UnitOrder::grow() {
  std::vector<Fragment*> chains(units_.size() * 4, nullptr);
  chains.swap(units_);
  for (Fragment* f : chains)
    while (f != nullptr) {
      Fragment* next = f->older;
      chain(*f);
      f = next;
    }
}

Fragment& UnitOrder::make() {
  if (fragments_.in_use() >= 2 * units_.size()) grow();
  return make_apart();
}

Fragment& UnitOrder::make_apart() {
  Fragment& fragment = fragments_.take();
  fragment = {};
  return fragment;
}

void UnitOrder::enter(Fragment& fragment, bool held) {
  fragment.order = next_++;
  const bool write = fragment.kind == Kind::Write;
  if (fragment.kind != Kind::Read || writers_ > 0)
    for (Fragment* older = units_[bucket_of(fragment.unit)]; older != nullptr; older = older->older) {
      if (older->unit != fragment.unit) continue;
      if (conflict(*older, fragment)) {
        ++fragment.blockers;
        if (fragment.ahead && rebuilds_ > 0) put_ahead(*older);
      } else if (older->kind == Kind::Rebuild && write) {
        older->spoiled = true;
      }
    }
  if (fragment.kind != Kind::Read) ++writers_;
  if (fragment.kind == Kind::Rebuild) ++rebuilds_;
  if (held) ++fragment.blockers;
  chain(fragment);
  if (fragment.blockers == 0) ready_.push_back(&fragment);
}

void UnitOrder::leave(Fragment& fragment) {
  if (writers_ > 0)
    for (Fragment* f = units_[bucket_of(fragment.unit)]; f != nullptr; f = f->older)
      if (f->unit == fragment.unit && f->order > fragment.order && conflict(fragment, *f)) release(*f);
  if (fragment.kind != Kind::Read) --writers_;
  if (fragment.kind == Kind::Rebuild) --rebuilds_;
  (fragment.younger != nullptr ? fragment.younger->older : units_[bucket_of(fragment.unit)]) = fragment.older;
  if (fragment.older != nullptr) fragment.older->younger = fragment.younger;
  give_back(fragment);
}

Fragment& UnitOrder::take_ready() {
  Fragment& fragment = *ready_.front();
  ready_.pop_front();
  return fragment;
}

bool UnitOrder::behind_rebuild(const Fragment& write) const {
  for (const Fragment* f = units_[bucket_of(write.unit)]; f != nullptr; f = f->older)
    if (f->unit == write.unit && f->kind == Kind::Rebuild && f->order < write.order) return true;
  return false;
}

bool UnitOrder::wait_for_rebuild(Fragment& write) {
  if (!behind_rebuild(write)) return false;
  write.ahead = false;
  ++write.blockers;
  return true;
}

std::uint32_t UnitOrder::rebuilt_copies(std::uint64_t unit) const {
  std::uint32_t copies = 0;
  if (rebuilds_ > 0) each_of(unit, [&](const Fragment& f) { copies |= f.kind == Kind::Rebuild ? f.to : 0u; });
  return copies;
}

void UnitOrder::spoil(std::uint64_t unit) {
  for (Fragment* f = units_[bucket_of(unit)]; f != nullptr; f = f->older)
    if (f->unit == unit) f->spoiled = true;
}

}  // namespace platter::host::array
