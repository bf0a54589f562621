// SPDX-License-Identifier: Apache-2.0
//
// A drive with a host that keeps no rule, and how it is made whole again: for the fuzzers of what is in front of a drive.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <optional>

#include "platter/media/fault.h"
#include "protocol.h"
#include "testing.h"

namespace platter::fuzz {

using core::Picoseconds;
using testing::kMs;
using testing::kUs;
using testing::Transaction;

/// The toy drive with a cache of writes, and few spares so that their end is met.
inline profile::DriveProfile fuzz_profile() {
  profile::DriveProfile profile = testing::cached_toy_profile(profile::WriteBack::Interleaved);
  profile.recovery.spares = 16;
  return profile;
}

/// A fault of the toy drive, sometimes an impossible one.
inline media::Fault any_fault(Random& random) {
  media::Fault fault;
  fault.kind = static_cast<media::FaultKind>(below(random, media::kFaultKindCount));
  const media::FaultPlace place = media::info_of(fault.kind).place;
  if (place == media::FaultPlace::Blocks || (place == media::FaultPlace::Commands && one_in(random, 2)))
    fault.first = one_in(random, 20) ? hostile(random) : below(random, testing::kToyBlocks);
  fault.blocks = one_in(random, 20) ? hostile(random) : 1 + below(random, 64);
  fault.surface = static_cast<std::uint32_t>(below(random, 3));
  if (one_in(random, 3)) fault.at_command = 1 + below(random, 4);
  if (one_in(random, 4)) fault.at_access = 1 + below(random, 3);
  if (one_in(random, 3)) fault.at = core::now_ps() + static_cast<Picoseconds>(below(random, 50)) * kMs;
  if (one_in(random, 2)) fault.lasts = static_cast<Picoseconds>(1 + below(random, 100)) * kMs;
  if (one_in(random, 2)) fault.count = 1 + below(random, 3);
  fault.tries = static_cast<std::uint32_t>(below(random, 6));
  fault.turns = static_cast<std::uint32_t>(below(random, 10));
  fault.delay = static_cast<Picoseconds>(below(random, 200)) * kMs;
  fault.other_block = below(random, testing::kToyBlocks);
  fault.bit = static_cast<std::uint32_t>(below(random, 5000));
  return fault;
}

/// Something happens to the drive.
inline void trouble(Random& random, drive::Drive& disk) {
  switch (below(random, 8)) {
    case 0: disk.set_alive(one_in(random, 2)); break;
    case 1: disk.cut_power(); break;
    case 2: disk.restore_power(); break;
    case 3: disk.restart(static_cast<Picoseconds>(below(random, 300)) * kMs); break;
    case 4: disk.clear_faults(); break;
    default: try { disk.add_fault(any_fault(random));
      } catch (const std::invalid_argument&) {
        clean_stack();
      }
  }
}

/// What made trouble is over: power, electronics, faults.
inline void mend(drive::Drive& disk) {
  disk.clear_faults();
  disk.restore_power();
  disk.set_alive(true);
  disk.set_token_bucket(0, 4096);
}

/// Whether waiting commands are aborted, as those that a fault holds end in no other way.
enum class Aborts : bool { No, Yes };

/// A fault may make a drive restart for a thousand seconds, and an access last for Fault::kMaxTurns turns.
constexpr Picoseconds kPatience = 20'000 * core::kPicosecondsPerSecond;

/// Simulates until `done`; `what` is wrong if that takes too long.
template <typename Done>
void drain(Aborts aborts, const std::vector<drive::Drive*>& disks, Done done, const char* what) {
  const Picoseconds limit = core::now_ps() + kPatience;
  for (Picoseconds step = 1 * kMs; !done(); step = std::min(2 * step, 1000 * kMs)) {
    if (core::now_ps() > limit) {
      std::string text = what;
      for (const drive::Drive* disk : disks)
        text += fmt::format("; {}: {} commands, {}, {}", disk->basename(), disk->queue().occupancy(),
                            disk->power().alive() ? "alive" : "failed", disk->power().ready() ? "ready" : "not ready");
      throw Wrong(text);
    }
    testing::run_until(core::now_ps() + step);
    if (aborts == Aborts::No || step < 100 * kMs) continue;
    for (drive::Drive* disk : disks)
      for (std::uint16_t tag = 0; tag < disk->queue().depth(); ++tag) disk->abort(core::Tag(tag));
  }
}

/// A host that sends anything, in any order.
class AnyHost : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  SC_HAS_PROCESS(AnyHost);
  explicit AnyHost(const sc_core::sc_module_name& name) : sc_module(name), init_socket("init_socket") {
    init_socket.register_nb_transport_bw(this, &AnyHost::nb_transport_bw);
  }

  tlm_utils::simple_initiator_socket<AnyHost> init_socket;
  testing::EndResponse manner = testing::EndResponse::Completed;
  std::list<Transaction> transactions;
  std::vector<Transaction*> responding;  ///< in their response phase
  std::size_t calls = 0;                 ///< of b_transport that have not returned

  Transaction& make(bool write, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill = 0) {
    transactions.emplace_back(this);
    Transaction& t = transactions.back();
    t.set(write, lba, blocks, fill);
    t.payload.acquire();
    return t;
  }
  /// Returns false if the target refuses the call.
  bool send(Transaction& t, tlm::tlm_phase phase, Picoseconds delay = 0) {
    sc_core::sc_time annotation = core::to_sc_time(delay);
    const bool ends = phase == tlm::END_RESP;
    const int before = refusals();
    init_socket->nb_transport_fw(t.payload, phase, annotation);
    if (refusals() != before) return false;
    if (ends) responding.erase(std::remove(responding.begin(), responding.end(), &t), responding.end());
    return true;
  }
  void call(Transaction& t) {
    ++calls;
    sc_core::sc_spawn([this, &t] {
      sc_core::sc_time delay;
      const Picoseconds begin = core::now_ps();
      const int before = refusals();
      init_socket->b_transport(t.payload, delay);
      if (core::now_ps() > begin || refusals() == before) answered(t);
      --calls;
    });
  }
  /// The transactions that the target still refers to.
  std::size_t held() const {
    return static_cast<std::size_t>(
        std::count_if(transactions.begin(), transactions.end(), [](const auto& t) { return t.payload.get_ref_count() > 1; }));
  }
  /// From now on responses end as they should, also those that have waited.
  void behave() {
    manner = testing::EndResponse::Completed;
    while (!responding.empty())
      if (!send(*responding.front(), tlm::END_RESP)) responding.erase(responding.begin());
  }
  bool idle() const { return held() == 0 && calls == 0; }
  void forget() { transactions.clear(); }

 private:
  /// Calls that a drive has refused, of all hosts.
  static int refusals() { return sc_core::sc_report_handler::get_count("/platter/host_port/phase"); }
  void free(tlm::tlm_generic_payload*) override { throw Wrong("a payload was released more often than it was acquired"); }
  void answered(const Transaction& t) const {
    expect(t.status() != tlm::TLM_INCOMPLETE_RESPONSE, "an answer without a status");
    if (t.payload.get_extension<command::CommandExtension>() == nullptr) return;
    expect(t.timing().parts() == t.timing().response(), "the parts of a response time do not sum to the whole");
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    const auto t =
        std::find_if(transactions.begin(), transactions.end(), [&](const auto& each) { return &each.payload == &payload; });
    expect(t != transactions.end(), "the answer of a payload that was never sent");
    answered(*t);
    switch (manner) {
      case testing::EndResponse::Completed: return tlm::TLM_COMPLETED;
      case testing::EndResponse::CompletedDelayed: delay = core::to_sc_time(3 * kMs); return tlm::TLM_COMPLETED;
      case testing::EndResponse::Updated: phase = tlm::END_RESP; return tlm::TLM_UPDATED;
      default: responding.push_back(&*t); return tlm::TLM_ACCEPTED;
    }
  }
};

/// A write and a read by a host that keeps the rules: the bytes come back.
inline void roundtrip(Random& random, AnyHost& host, drive::Drive& disk) {
  const auto fill = static_cast<std::uint8_t>(random());
  const std::uint64_t lba = below(random, disk.capacity_sectors() - 8);
  for (const bool write : {true, false}) {
    Transaction& t = host.make(write, lba, 8, fill);
    t.extension.fua = one_in(random, 2);
    expect(host.send(t, tlm::BEGIN_REQ), "a good command is refused");
    drain(Aborts::No, {&disk}, [&] { return t.payload.get_ref_count() == 1; }, "a good command has no answer");
    expect(t.status() == tlm::TLM_OK_RESPONSE,
           fmt::format("a good {} ends with: {}", write ? "write" : "read", command::to_string(t.extension.status)));
    expect(write || t.data == Bytes(8 * 512, fill), "a read returns other bytes than were written");
  }
  host.forget();
}

}  // namespace platter::fuzz
