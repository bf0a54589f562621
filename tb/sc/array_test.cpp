// SPDX-License-Identifier: Apache-2.0
#include "array_rig.h"

#include <algorithm>
#include <map>

#include "platter/core/random.h"

namespace platter::testing {
namespace {

/// A drive that accepts every command at once, records it, and responds after a fixed time, to one command after the other. A
/// flush is recorded as a read of zero bytes.
class StubDrive : public sc_core::sc_module {
 public:
  explicit StubDrive(const sc_core::sc_module_name& name)
      : sc_module(name), host_tgt_socket("host_tgt_socket"), answers_(this, &StubDrive::answer) {
    host_tgt_socket.register_nb_transport_fw(this, &StubDrive::nb_transport_fw);
  }

  tlm_utils::simple_target_socket<StubDrive> host_tgt_socket;
  Picoseconds service = 10 * kMs;
  CommandStatus status = CommandStatus::Good;  ///< status of its responses from now on
  std::uint64_t bad = ~std::uint64_t{0};       ///< address of a sector that it cannot read
  bool within_call = false;                    ///< it responds within the call, alternately by TLM_COMPLETED and by BEGIN_RESP
  std::uint32_t ends = 0;                      ///< END_RESP seen

  struct Seen {
    bool write;
    std::uint64_t address;
    std::uint32_t length;

    friend bool operator==(const Seen& a, const Seen& b) {
      return a.write == b.write && a.address == b.address && a.length == b.length;
    }
    friend std::ostream& operator<<(std::ostream& out, const Seen& s) {
      return out << (s.write ? "W" : "R") << s.address << "+" << s.length;
    }
  };
  std::vector<Seen> seen;
  std::uint32_t most = 0;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& /*delay*/) {
    if (phase == tlm::END_RESP) {
      ++ends;
      return tlm::TLM_COMPLETED;
    }
    if (within_call) service = 0;
    payload.acquire();
    seen.push_back({payload.is_write(), payload.get_address(), payload.get_data_length()});
    most = std::max(most, ++inside_);
    auto& extension = *payload.get_extension<CommandExtension>();
    const Picoseconds now = core::now_ps();
    free_ = std::max(free_, now) + service;
    extension.status = CommandStatus::Good;
    extension.timing = {};
    extension.timing.issued = extension.issued;
    extension.timing.accepted = now;
    extension.timing.started = free_ - service;
    extension.timing.completed = free_;
    extension.timing.queue = free_ - service - extension.issued;
    extension.timing.transfer = service;
    if (within_call) {
      payload.release();
      --inside_;
      phase = tlm::BEGIN_RESP;
      return seen.size() % 2 == 0 ? tlm::TLM_COMPLETED : tlm::TLM_UPDATED;
    }
    answers_.notify(payload, tlm::BEGIN_RESP, core::to_sc_time(free_ - now));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void answer(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& /*phase*/) {
    --inside_;
    auto& extension = *payload.get_extension<CommandExtension>();
    const bool unreadable = payload.get_address() <= bad && bad < payload.get_address() + payload.get_data_length();
    extension.status = unreadable ? CommandStatus::Unreadable : status;
    if (unreadable) extension.first_bad = bad / kSector;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host_tgt_socket->nb_transport_bw(payload, phase, delay);
    payload.release();
  }

  std::uint32_t inside_ = 0;
  Picoseconds free_ = 0;
  tlm_utils::peq_with_cb_and_phase<StubDrive> answers_;
};

/// Requests of a host, with their completion times.
class DirectHost : public ArrayClientIf {
 public:
  explicit DirectHost(Array& array) : array_(array) {}

  ArrayRequest& submit(bool write, std::uint64_t address, std::uint32_t length, RequestClass cls = RequestClass::Discrete,
                       std::uint32_t stream = 0, bool fua = false) {
    ArrayRequest& request = make(cls);
    request.fua = fua;
    request.operation = command::read_or_write(write);
    request.address = address;
    request.length = length;
    request.stream = stream;
    array_.submit(request);
    return request;
  }
  ArrayRequest& flush(RequestClass cls = RequestClass::Discrete) {
    ArrayRequest& request = make(cls);
    request.operation = command::Operation::Flush;
    array_.submit(request);
    return request;
  }
  void finished(ArrayRequest& request) override {
    EXPECT_EQ(request.timing.completed, core::now_ps());
    EXPECT_EQ(request.timing.parts(), request.timing.response());
    order.push_back(&request);
  }

  std::vector<ArrayRequest*> order;

 private:
  ArrayRequest& make(RequestClass cls) {
    requests_.push_back(std::make_unique<ArrayRequest>());
    requests_.back()->cls = cls;
    requests_.back()->client = this;
    return *requests_.back();
  }

  Array& array_;
  std::vector<std::unique_ptr<ArrayRequest>> requests_;
};

struct StubRig {
  explicit StubRig(ArrayConfig config) {
    config.drive_bytes = 1 << 30;
    array = std::make_unique<Array>("array", config);
    for (std::uint32_t i = 0; i < config.drives; ++i) {
      drives.push_back(std::make_unique<StubDrive>(("disk" + std::to_string(i)).c_str()));
      array->disk_init_sockets[i].bind(drives[i]->host_tgt_socket);
    }
    host = std::make_unique<DirectHost>(*array);
  }
  const std::vector<StubDrive::Seen>& seen(std::size_t drive) const { return drives[drive]->seen; }

  std::vector<std::unique_ptr<StubDrive>> drives;
  std::unique_ptr<Array> array;
  std::unique_ptr<DirectHost> host;
};

using Seen = std::vector<StubDrive::Seen>;

ArrayConfig config_of(std::uint32_t drives, std::vector<StripeArea> areas) {
  ArrayConfig config;
  config.drives = drives;
  config.areas = std::move(areas);
  return config;
}

/// Units of 4 KB, and buffers whose halves have so many of them.
ArrayConfig buffered(std::uint32_t drives, std::uint64_t units, std::uint32_t half) {
  ArrayConfig config = config_of(drives, {area_of(units, 4096)});
  config.holds_data = false;
  config.stream_buffers.units = half;
  return config;
}

TEST(Array, CutsAndJoinsByHand) {
  // Three drives, units of 4 KB, 32 of them, not mirrored; then 6 mirrored units of 2 KB from 45,056 on each drive.
  StubRig rig(config_of(3, {area_of(32, 4096), area_of(6, 2048, true)}));
  run_until(1);
  // 1 KB into unit 1 up to 1 KB into unit 8: units 1, 4, 7 on drive 1; 2, 5, 8 on drive 2; 3, 6 on drive 0.
  ArrayRequest& r = rig.host->submit(false, 4096 + 1024, 7 * 4096);
  run_until(100 * kMs);
  EXPECT_EQ(rig.seen(0), (Seen{{false, 4096, 8192}}));
  EXPECT_EQ(rig.seen(1), (Seen{{false, 1024, 3072 + 8192}}));
  EXPECT_EQ(rig.seen(2), (Seen{{false, 0, 8192 + 1024}}));
  EXPECT_EQ(r.timing.response(), 10 * kMs);
  // Over the border of the areas: the end of unit 31 (drive 1, row 10), then mirrored units 0 and 1 with backups on 1 and 2.
  rig.host->submit(true, 32 * 4096 - 512, 512 + 4096);
  run_until(200 * kMs);
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{true, 45056, 2048}));
  EXPECT_EQ(rig.drives[1]->seen.size(), 4u);
  EXPECT_EQ(rig.seen(1)[1], (StubDrive::Seen{true, 10 * 4096 + 3584, 512}));
  EXPECT_EQ(rig.seen(1)[2], (StubDrive::Seen{true, 45056 + 4096, 2048}));  // backup of unit 0
  EXPECT_EQ(rig.seen(1)[3], (StubDrive::Seen{true, 45056, 2048}));         // unit 1
  EXPECT_EQ(rig.seen(2).back(), (StubDrive::Seen{true, 45056 + 4096, 2048}));
  EXPECT_EQ(rig.host->order.size(), 2u);
  EXPECT_EQ(rig.host->order.back()->status, CommandStatus::Good);
  EXPECT_EQ(rig.host->order.back()->timing.response(), 30 * kMs);
}

TEST(Array, JoinsNoFurtherThanItMay) {
  ArrayConfig config = config_of(2, {area_of(32, 4096)});
  config.most_command_bytes = 8192;
  StubRig rig(config);
  run_until(1);
  rig.host->submit(false, 0, 10 * 4096);
  run_until(1000 * kMs);
  EXPECT_EQ(rig.seen(0), (Seen{{false, 0, 8192}, {false, 8192, 8192}, {false, 16384, 4096}}));
  EXPECT_EQ(rig.seen(1), rig.seen(0));
}

TEST(Array, WhatATagCannotTakeWaitsInTheHostByClass) {
  ArrayConfig config = config_of(1, {area_of(1024, 4096)});
  config.tags = 2;
  config.class_tags[0] = 1;
  StubRig rig(config);
  run_until(1);
  ArrayRequest& a = rig.host->submit(false, 0, 4096);
  ArrayRequest& b = rig.host->submit(false, 8192, 4096);
  ArrayRequest& back = rig.host->submit(false, 16384, 4096, RequestClass::Background);
  ArrayRequest& c = rig.host->submit(false, 81920, 4096, RequestClass::Continuous);
  EXPECT_EQ(rig.array->in_drive(0), 2u) << "one discrete at a time leaves a tag to others";
  EXPECT_EQ(rig.array->queued(0), 2u);
  run_until(1000 * kMs);
  // a and the background command are in; at 10 ms the continuous one goes ahead of b, b at 20 ms.
  EXPECT_EQ(rig.host->order, (std::vector<ArrayRequest*>{&a, &back, &c, &b}));
  EXPECT_EQ(a.host_queue, 0);
  EXPECT_EQ(c.host_queue, 10 * kMs);
  EXPECT_EQ(c.timing.response(), 30 * kMs);
  EXPECT_EQ(b.host_queue, 20 * kMs);
  EXPECT_EQ(b.timing.response(), 40 * kMs);
  const auto& counters = rig.array->counters(RequestClass::Discrete);
  EXPECT_EQ(counters.completed, 2u);
  EXPECT_EQ(counters.response, 50 * kMs);
  EXPECT_EQ(counters.host_queue, 20 * kMs);
  EXPECT_EQ(rig.drives[0]->most, 2u);
}

TEST(Array, KeepsTheOrderOfRequestsOverTheSameBytes) {
  StubRig rig(config_of(2, {area_of(16, 4096, true)}));
  run_until(1);
  rig.host->submit(true, 0, 4096, RequestClass::Background);
  rig.host->submit(false, 2048, 512, RequestClass::Continuous);
  rig.host->submit(false, 4096, 512, RequestClass::Continuous);  // another unit: at once
  run_until(5 * kMs);
  EXPECT_EQ(rig.seen(0), (Seen{{true, 0, 4096}}));
  EXPECT_EQ(rig.seen(1), (Seen{{true, 8 * 4096, 4096}, {false, 0, 512}}));
  run_until(100 * kMs);
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{false, 2048, 512}));
  EXPECT_EQ(rig.host->order.size(), 3u);
}

TEST(Array, TheCacheServesWhatItHas) {
  ArrayConfig config = config_of(2, {area_of(16, 8192), area_of(16, 8192)});
  config.areas[0].cached = true;
  config.cache.bytes = 3 * 4096;
  config.stream_buffers.units = 2;
  config.cache.block_bytes = 4096;
  config.holds_data = false;
  StubRig rig(config);
  run_until(1);
  const auto read = [&](std::uint64_t block, std::uint32_t offset = 0, std::uint32_t length = 4096) {
    const std::size_t before = rig.seen(0).size() + rig.seen(1).size();
    const Picoseconds at = core::now_ps();
    ArrayRequest& r = rig.host->submit(false, block * 4096 + offset, length);
    run_until(at + 100 * kMs);
    const std::size_t commands = rig.seen(0).size() + rig.seen(1).size() - before;
    EXPECT_EQ(r.timing.response(), commands == 0 ? 0 : 10 * kMs);
    return commands;
  };
  EXPECT_EQ(read(0, 512, 1024), 1u);  // the whole block is read
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{false, 0, 4096}));
  EXPECT_EQ(read(0), 0u);
  EXPECT_EQ(read(1), 1u);
  EXPECT_EQ(read(2), 1u);                                                           // 2 1 0
  EXPECT_EQ(read(0), 0u);                                                           // 0 2 1
  EXPECT_EQ(read(3), 1u);                                                           // 3 0 2
  EXPECT_EQ(read(1), 1u);                                                           // 1 3 0
  EXPECT_EQ(read(0, 0, 8192), 0u);                                                  // 0 and 1: 1 0 3
  EXPECT_EQ(read(3, 0, 4096), 0u);                                                  // 3 1 0
  EXPECT_EQ(read(2, 0, 16384), 2u) << "3 from the cache; 2 alone, 4 and 5 joined";  // 5 4 2
  rig.host->submit(true, 5 * 4096, 512);                                            // written through
  run_until(core::now_ps() + 100 * kMs);
  EXPECT_TRUE((rig.drives[0]->seen.back() == StubDrive::Seen{true, 8192 + 4096, 512}));
  EXPECT_EQ(read(5), 0u);
  EXPECT_EQ(read(4), 0u);
  EXPECT_EQ(read(3), 1u);
  EXPECT_EQ(read(32), 1u);
  EXPECT_EQ(read(32), 1u) << "the other area is not cached";
  EXPECT_EQ(read(3), 0u);
  ArrayRequest fua;
  fua.address = 3 * 4096;
  fua.length = 4096;
  fua.fua = true;
  fua.client = rig.host.get();
  rig.array->submit(fua);
  run_until(core::now_ps() + 100 * kMs);
  EXPECT_EQ(fua.timing.response(), 10 * kMs) << "FUA: from the drive";
  EXPECT_EQ(rig.array->counters(RequestClass::Discrete).cache_hits, 7u);
  for (const std::uint64_t block : {3u, 4u, 5u}) rig.host->submit(false, block * 4096, 4096, RequestClass::Continuous);
  EXPECT_EQ(rig.array->counters(RequestClass::Continuous).cache_hits, 3u) << "not of a stream's buffer";
}

TEST(Array, AFlushGoesToAllDrivesBetweenOlderAndYoungerWrites) {
  ArrayConfig config = config_of(3, {area_of(30, 4096)});
  config.tags = 2;
  StubRig rig(config);
  run_until(1);
  ArrayRequest& older = rig.host->submit(true, 0, 4096);
  ArrayRequest& flush = rig.host->flush();
  ArrayRequest& younger = rig.host->submit(true, 4096, 4096);
  ArrayRequest& behind = rig.host->submit(false, 4096 + 512, 512);  // waits for the younger write
  ArrayRequest& second = rig.host->flush();
  ArrayRequest& last = rig.host->submit(true, 2 * 4096, 4096);
  ArrayRequest& read = rig.host->submit(false, 5 * 4096, 4096, RequestClass::Continuous);  // waits for no other request
  const StubDrive::Seen kFlush{false, 0, 0};
  run_until(5 * kMs);
  EXPECT_EQ(rig.seen(0), (Seen{{true, 0, 4096}}));
  EXPECT_EQ(rig.seen(1), Seen{});
  EXPECT_EQ(rig.seen(2), (Seen{{false, 4096, 4096}}));
  run_until(15 * kMs);  // the older write has ended
  EXPECT_EQ(rig.seen(0), (Seen{{true, 0, 4096}, kFlush}));
  EXPECT_EQ(rig.seen(1), (Seen{kFlush}));
  EXPECT_EQ(rig.seen(2), (Seen{{false, 4096, 4096}, kFlush}));
  run_until(1000 * kMs);
  EXPECT_EQ(rig.seen(0), (Seen{{true, 0, 4096}, kFlush, kFlush}));
  EXPECT_EQ(rig.seen(1), (Seen{kFlush, {true, 0, 4096}, {false, 512, 512}, kFlush}));
  EXPECT_EQ(rig.seen(2), (Seen{{false, 4096, 4096}, kFlush, kFlush, {true, 0, 4096}}));
  EXPECT_EQ(rig.host->order, (std::vector<ArrayRequest*>{&older, &read, &flush, &younger, &behind, &second, &last}));
  EXPECT_EQ(flush.timing.response(), 20 * kMs);
  // The second goes out when the younger write has ended, and behind the read on that drive.
  EXPECT_EQ(second.timing.response(), 50 * kMs);
  for (const ArrayRequest* r : rig.host->order) EXPECT_EQ(r->status, CommandStatus::Good);
  EXPECT_EQ(rig.array->counters(RequestClass::Discrete).cache_hits, 0u);
  EXPECT_EQ(rig.array->outstanding(), 0u);
}

TEST(Array, AFlushSaysWhatAFailedDriveHasNotFlushed) {
  // Units 0 and 1 on drives 0 and 1; then mirrored ones.
  StubRig rig(config_of(2, {area_of(32, 4096), area_of(32, 4096, true)}));
  Array& array = *rig.array;
  Picoseconds at = 1;
  const auto flush = [&] {
    ArrayRequest& r = rig.host->flush();
    run_until(at += 100 * kMs);
    return r.status;
  };
  const auto write = [&](std::uint64_t address, std::uint32_t length) {
    ArrayRequest& r = rig.host->submit(true, address, length);
    run_until(at += 100 * kMs);
    return r.status;
  };
  run_until(at);
  EXPECT_EQ(write(0, 8192), CommandStatus::Good);
  EXPECT_EQ(flush(), CommandStatus::Good);
  array.fail(1);
  EXPECT_EQ(flush(), CommandStatus::Good) << "all that it had answered was flushed";
  EXPECT_EQ(write(32 * 4096, 8192), CommandStatus::Good);
  EXPECT_EQ(write(0, 1024), CommandStatus::Good);
  array.revive(1);
  run_until(at += 1000 * kMs);
  array.fail(1);
  EXPECT_EQ(flush(), CommandStatus::Good) << "of the mirrored area nothing is ever in a drive's buffer only";
  array.revive(1);
  EXPECT_EQ(write(2 * 4096, 8192), CommandStatus::Good);
  EXPECT_EQ(write(3 * 4096, 512), CommandStatus::Good);
  array.fail(1);
  ArrayRequest& told = rig.host->flush();
  run_until(at += 100 * kMs);
  EXPECT_EQ(told.status, CommandStatus::NoCopy);
  EXPECT_EQ(told.lost_bytes, 4096u + 512);
  EXPECT_EQ(flush(), CommandStatus::Good) << "it has been said";
  // A drive fails during the flush.
  array.revive(1);
  EXPECT_EQ(write(4096, 512), CommandStatus::Good);
  ArrayRequest& under = rig.host->flush();
  run_until(at += 5 * kMs);
  rig.drives[1]->status = CommandStatus::DriveFailed;
  run_until(at += 100 * kMs);
  EXPECT_EQ(under.status, CommandStatus::NoCopy);
  EXPECT_FALSE(array.alive(1));
  array.fail(0);
  EXPECT_EQ(flush(), CommandStatus::Good) << "no drive is left, and none had anything to lose";
  // A drive may refuse.
  rig.drives[1]->status = CommandStatus::Good;
  array.revive(0);
  array.revive(1);
  rig.drives[0]->status = CommandStatus::QueueFull;
  EXPECT_EQ(flush(), CommandStatus::QueueFull);
  EXPECT_EQ(array.outstanding(), 0u);
}

TEST(Array, ReadsAheadForAStreamByHand) {
  // One drive, units of 4 KB, halves of two units.
  StubRig rig(buffered(1, 64, 2));
  Array& array = *rig.array;
  Picoseconds at = 1;
  run_until(at);
  const auto read = [&](std::uint64_t address, std::uint32_t length, std::uint32_t stream = 7) {
    ArrayRequest& r = rig.host->submit(false, address, length, RequestClass::Continuous, stream);
    run_until(at += 100 * kMs);
    EXPECT_EQ(r.status, CommandStatus::Good);
    return r.timing.response();
  };
  EXPECT_EQ(read(0, 4096), 10 * kMs);
  EXPECT_EQ(rig.seen(0), (Seen{{false, 0, 4096}})) << "one read is no stream";
  EXPECT_EQ(read(4096, 2048), 10 * kMs);
  EXPECT_EQ(rig.seen(0).size(), 3u);
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{false, 6144, 8192})) << "behind the read, the first half";
  EXPECT_EQ(read(6144, 512), 0);
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{false, 6144 + 8192, 8192})) << "the first half is touched";
  rig.host->submit(false, 6144 + 512, 512, RequestClass::Continuous, 7,
                   true);  // FUA: from the drive, and no read of the stream
  run_until(at += 100 * kMs);
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{false, 6144 + 512, 512}));
  EXPECT_EQ(read(6144 + 512, 8192), 0) << "across both";
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{false, 6144 + 16384, 8192})) << "the second is touched";
  EXPECT_EQ(rig.seen(0).size(), 6u);
  EXPECT_EQ(read(6144 + 512 + 8192, 512), 0);
  EXPECT_EQ(rig.seen(0).size(), 6u);
  EXPECT_EQ(array.stream_buffer_counters().hits, 3u);
  EXPECT_EQ(array.stream_buffer_counters().misses, 1u) << "the one that showed it to be a stream";
  EXPECT_EQ(array.counters(RequestClass::Continuous).cache_hits, 0u);
  // A read that arrives while its half is being fetched waits for it.
  std::uint64_t next = 6144 + 512 + 8192 + 512;
  rig.host->submit(false, next, 8192 - 512, RequestClass::Continuous, 7);  // into the third half: the fourth is fetched
  ArrayRequest& early = rig.host->submit(false, next + 8192 - 512, 8192, RequestClass::Continuous, 7);
  run_until(at += 100 * kMs);
  EXPECT_EQ(early.timing.response(), 10 * kMs);
  EXPECT_EQ(array.stream_buffer_counters().hits, 4u);
  EXPECT_EQ(array.stream_buffer_counters().underruns, 1u);
  EXPECT_EQ(array.stream_buffer_counters().misses, 1u);
  next += 16384 - 512;
  // A write into the data read ahead: the rest of that half comes from the drive; the other half is still valid.
  const std::size_t before = rig.seen(0).size();
  rig.host->submit(true, next + 512, 512);
  run_until(at += 100 * kMs);
  EXPECT_EQ(read(next, 1024), 10 * kMs);
  EXPECT_EQ(array.stream_buffer_counters().misses, 2u);
  EXPECT_EQ(rig.seen(0).size(), before + 2) << "the write and the read";
  EXPECT_EQ(read(next + 1024, 8192 - 1024 - 512), 10 * kMs) << "up to the other half";
  EXPECT_EQ(read(next + 8192 - 512, 1024), 0);
  // A read at another place ends the sequence. Another stream has its own buffer.
  EXPECT_EQ(read(0, 1024), 10 * kMs);
  EXPECT_EQ(read(next + 2048, 1024), 10 * kMs);
  EXPECT_EQ(read(0, 1024, 8), 10 * kMs);
  EXPECT_EQ(read(1024, 1024, 8), 10 * kMs);
  EXPECT_EQ(read(next + 3072, 1024), 10 * kMs);
  EXPECT_EQ(read(2048, 1024, 8), 0);
  EXPECT_EQ(read(next + 4096, 1024), 0);
  EXPECT_EQ(array.stream_buffer_bytes(), 4u * 8192);
  // At the end of the array there is nothing to read ahead.
  EXPECT_EQ(read(62 * 4096, 4096), 10 * kMs);
  const std::size_t commands = rig.seen(0).size();
  EXPECT_EQ(read(63 * 4096, 4096), 10 * kMs);
  EXPECT_EQ(rig.seen(0).size(), commands + 1);
}

TEST(Array, ReadsAheadUpToASectorThatCannotBeRead) {
  StubRig rig(buffered(1, 64, 2));
  rig.drives[0]->bad = 5 * 4096 + 512;
  for (std::uint32_t unit = 0; unit < 8; ++unit) {
    run_until((1 + unit * 100) * kMs);
    rig.host->submit(false, unit * 4096, 4096, RequestClass::Continuous, 7);
  }
  run_until(1'000 * kMs);
  for (std::uint32_t unit = 0; unit < 8; ++unit)
    EXPECT_EQ(rig.host->order[unit]->status, unit == 5 ? CommandStatus::Unreadable : CommandStatus::Good) << unit;
  EXPECT_EQ(rig.array->errors().unreadable, 1u) << "the host's read, not the fetch";
  EXPECT_EQ(std::count_if(rig.seen(0).begin(), rig.seen(0).end(),
                          [](const StubDrive::Seen& s) { return s.address <= 20'992 && 20'992 < s.address + s.length; }),
            2)
      << "a fetch, and the read";
  EXPECT_EQ(rig.array->stream_buffer_counters().hits, 5u) << "units 2, 3, 4, 6 and 7";
}

/// Streams of a variable bit rate in rounds, each from its own start address on.
class StreamsInRounds : public ArrayClientIf {
 public:
  StreamsInRounds(Array& array, std::uint32_t streams, std::uint64_t seed)
      : array_(array), random_(seed, "streams"), reads_(streams) {
    for (std::uint32_t i = 0; i < streams; ++i) {
      reads_[i].cls = RequestClass::Continuous;
      reads_[i].stream = 100 + i;
      reads_[i].client = this;
      reads_[i].address = array.capacity_bytes() / streams * i / 512 * 512;
    }
  }
  static std::uint8_t fill(std::uint64_t address) { return static_cast<std::uint8_t>(address / 512 * 31 + address % 512); }

  std::uint64_t late = 0, served = 0;
  void round(Picoseconds length, std::uint32_t most_sectors) {
    for (ArrayRequest& r : reads_) {
      r.address += r.length;
      r.length = static_cast<std::uint32_t>(1 + random_.below(most_sectors)) * 512;
      r.deadline = core::now_ps() + length;
      bytes_[&r].assign(r.length, 0);
      r.data = bytes_[&r].data();
      array_.submit(r);
    }
  }
  void finished(ArrayRequest& r) override {
    EXPECT_EQ(r.status, CommandStatus::Good);
    for (std::uint32_t i = 0; i < r.length; ++i) ASSERT_EQ(r.data[i], fill(r.address + i));
    ++served;
    late += core::now_ps() > r.deadline ? 1u : 0u;
  }

 private:
  Array& array_;
  core::RandomStream random_;
  std::vector<ArrayRequest> reads_;
  std::map<ArrayRequest*, std::vector<std::uint8_t>> bytes_;
};

TEST(Array, ADoubleBufferIsFilledInTheRoundBefore) {
  ArrayConfig config = config_of(4, {area_of(1'500, 8192, true)});
  config.tags = 60;
  config.class_tags = {4, ~0u, 4};
  config.stream_buffers.units = 2;
  profile::DriveProfile profile = toy_profile();
  profile.queue_depth = 60;
  ArrayRig rig(config, profile, "OPS:SCAN/CI-SPTF");
  Array& array = *rig.array;
  constexpr std::uint32_t kStreams = 60;
  constexpr std::uint64_t kRounds = 20;
  StreamsInRounds streams(array, kStreams, 5);
  DirectHost others(array);
  core::RandomStream random(6, "others");
  Script script("script", array, [&](Script& s) {
    Transaction all(nullptr);
    all.set(true, 0, static_cast<std::uint32_t>(array.capacity_bytes() / 512));
    for (std::size_t i = 0; i < all.data.size(); ++i) all.data[i] = StreamsInRounds::fill(i);
    ASSERT_EQ(script.disk_init_socket->transport_dbg(all.payload), all.data.size());
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      streams.round(500 * kMs, 32);  // at most as much as a half
      if (round > 1) {
        s.pause(1);
        EXPECT_EQ(streams.served, (round + 1) * kStreams) << "a read of what is there takes no time";
      }
      for (int i = 0; i < 10; ++i) {
        s.pause(static_cast<Picoseconds>(1 + random.below(40)) * kMs);
        others.submit(false, random.below(array.capacity_bytes() / 512 - 8) * 512, 4096);
      }
      if (round == 10) array.fail(1);
      s.pause_until((static_cast<Picoseconds>(round) + 1) * 500 * kMs);
    }
  });
  run_until(20'000 * kMs);
  ASSERT_TRUE(script.done());
  EXPECT_EQ(streams.served, kRounds * kStreams);
  EXPECT_EQ(streams.late, 0u);
  const auto& counters = array.stream_buffer_counters();
  EXPECT_EQ(counters.misses, kStreams) << "the second read of each";
  EXPECT_EQ(counters.underruns, 0u);
  EXPECT_EQ(counters.hits, (kRounds - 2) * kStreams);
  EXPECT_EQ(array.stream_buffer_bytes(), kStreams * 2 * 16'384u);
  EXPECT_EQ(others.order.size(), kRounds * 10);
}

TEST(Array, AReadNeverWaitsForAFetchThatCameLater) {
  StubRig rig(buffered(1, 64, 2));
  run_until(1);
  const auto read = [&](std::uint64_t address) { rig.host->submit(false, address, 512, RequestClass::Continuous, 7); };
  read(4096);
  rig.host->submit(true, 4608, 512);
  read(4608);                         // behind the first write
  rig.host->submit(true, 4608, 512);  // behind that read
  read(3072);
  read(3584);  // a stream again, and what it wants next is behind the second write
  run_until(1'000 * kMs);
  EXPECT_EQ(rig.host->order.size(), 6u) << "they wait for each other";
  EXPECT_EQ(rig.array->in_drive(0), 0u);
}

TEST(Array, AStreamThatHasEndedGivesItsBufferToTheNext) {
  ArrayConfig config = buffered(2, 640, 1);
  config.stream_buffers.idle = 1'000 * kMs;
  StubRig rig(config);
  Picoseconds at = 1;
  run_until(at);
  for (std::uint32_t stream = 0; stream < 12; ++stream)  // three at a time
    for (std::uint32_t k = 0; k < 4; ++k) {
      rig.host->submit(false, (stream * 50 + k) * 4096, 4096, RequestClass::Continuous, stream);
      run_until(at += 100 * kMs);
    }
  EXPECT_EQ(rig.array->stream_buffer_counters().hits, 12u * 2);
  EXPECT_LE(rig.array->stream_buffer_bytes(), 4u * 2 * 4096);
  EXPECT_GE(rig.array->stream_buffer_bytes(), 3u * 2 * 4096);
}

TEST(Array, AWriteThatOneDriveRefusesIsGoodWithTheOther) {
  ArrayConfig config = config_of(2, {area_of(16, 4096, true)});
  config.rebuild.outstanding = 0;
  StubRig rig(config);
  run_until(1);
  rig.drives[1]->status = CommandStatus::QueueFull;
  ArrayRequest& one = rig.host->submit(true, 512, 512);
  run_until(100 * kMs);
  EXPECT_EQ(one.status, CommandStatus::Good);
  EXPECT_EQ(rig.array->stale_units(1), 1u);
  EXPECT_EQ(rig.array->stale_units(0), 0u);
  rig.drives[0]->status = CommandStatus::QueueFull;
  ArrayRequest& both = rig.host->submit(true, 512, 512);
  run_until(200 * kMs);
  EXPECT_EQ(both.status, CommandStatus::QueueFull);
  EXPECT_EQ(rig.array->stale_units(0), 0u);
}

TEST(Array, OneCopyOfAUnitIsNeverStale) {
  // Two writes over different bytes of one unit end on one drive each, in turns, before both drives fail.
  ArrayConfig config = config_of(2, {area_of(16, 4096, true)});
  config.tags = 1;
  config.rebuild.outstanding = 0;
  StubRig rig(config);
  Array& array = *rig.array;
  rig.drives[0]->service = 16 * kMs;
  run_until(1);
  rig.host->submit(false, 4096, 512);  // keeps drive 1 busy
  ArrayRequest& first = rig.host->submit(true, 0, 512);
  ArrayRequest& second =
      rig.host->submit(true, 2048, 512, RequestClass::Continuous);  // ahead of it on drive 1, behind it on drive 0
  run_until(25 * kMs);                                              // the first has ended on drive 0, the second on drive 1
  rig.drives[1]->status = CommandStatus::DriveFailed;
  run_until(31 * kMs);
  EXPECT_EQ(first.status, CommandStatus::Good);
  EXPECT_EQ(array.stale_units(1), 1u) << "it lacks the first write";
  rig.drives[0]->status = CommandStatus::DriveFailed;
  run_until(100 * kMs);
  EXPECT_EQ(second.status, CommandStatus::DriveFailed) << "drive 0 alone could have it, and perhaps has";
  EXPECT_EQ(array.stale_units(0), 0u);
  rig.drives[0]->status = CommandStatus::Good;
  array.revive(0);
  ArrayRequest& read = rig.host->submit(false, 0, 4096);
  run_until(200 * kMs);
  EXPECT_EQ(read.status, CommandStatus::Good);
}

TEST(Array, NoContinuousReadWaitsForARebuildByWayOfAWrite) {
  StubRig rig(config_of(2, {area_of(16, 4096, true)}));
  Array& array = *rig.array;
  run_until(1);
  array.fail(1);
  rig.host->submit(true, 0, 512);
  run_until(100 * kMs);
  EXPECT_EQ(array.stale_units(1), 1u);
  EXPECT_EQ(array.fresh_since(1), core::kNoDeadline);
  array.revive(1);  // the unit is read, 100 to 110 ms, to be written after
  run_until(101 * kMs);
  rig.host->submit(true, 1024, 512);                                                  // waits for that
  rig.host->submit(false, 1024, 512);                                                 // behind the write
  ArrayRequest& write = rig.host->submit(true, 1024, 1024);                           // behind the read
  ArrayRequest& read = rig.host->submit(false, 1536, 512, RequestClass::Continuous);  // behind the second write
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{true, 1024, 512})) << "not any more";
  run_until(1'000 * kMs);
  EXPECT_EQ(read.timing.response(), 49 * kMs) << "rebuild's read, write, read, write, read; not the rebuild's write";
  EXPECT_EQ(write.status, CommandStatus::Good);
  EXPECT_EQ(array.stale_units(1), 0u);
  EXPECT_EQ(array.rebuilt_units(1), 1u);
  EXPECT_EQ(array.fresh_since(0), 0);
  EXPECT_EQ(array.fresh_since(1), 170 * kMs) << "behind that read, the rebuild's read and write";
  const Seen& first = rig.seen(0);
  EXPECT_EQ(std::count(first.begin(), first.end(), (StubDrive::Seen{false, 0, 4096})), 2) << "the unit is read anew";
  EXPECT_EQ(rig.seen(1).back(), (StubDrive::Seen{true, 8 * 4096, 4096}));
  EXPECT_EQ(array.outstanding(), 0u);
}

class ArrayOvertaking : public ::testing::TestWithParam<int> {};

/// A continuous write overtakes a repair whose bytes have been read, and wait for a tag. The drive that they came from does not fail (0), or fails
/// before (1) or after (2) the write was sent.
TEST_P(ArrayOvertaking, AWriteThatARepairMeetsIsNotUndone) {
  ArrayConfig config = config_of(2, {area_of(16, 4096, true)});
  config.tags = 1;
  StubRig rig(config);
  Array& array = *rig.array;
  run_until(1);
  rig.drives[0]->status = CommandStatus::Unreadable;
  rig.host->submit(false, 0, 512);
  run_until(15 * kMs);
  rig.drives[0]->status = CommandStatus::Good;
  run_until(25 * kMs);  // the repair reads, 20 to 30 ms
  for (const std::uint64_t unit : {2u, 4u}) rig.host->submit(false, unit * 4096, 4096);
  run_until(31 * kMs);
  EXPECT_EQ(array.queued(0), 2u) << "a read and the repair's write";
  if (GetParam() == 1) array.fail(1);
  ArrayRequest& write = rig.host->submit(true, 0, 512, RequestClass::Continuous);
  run_until(32 * kMs);
  if (GetParam() == 2) array.fail(1);
  run_until(1'000 * kMs);
  EXPECT_EQ(write.status, CommandStatus::Good);
  EXPECT_EQ(array.outstanding(), 0u);
  EXPECT_EQ(array.stale_units(0), 0u);
  const Seen& seen = rig.seen(0);
  ASSERT_EQ(seen[3], (StubDrive::Seen{true, 0, 4096})) << "the repair's write, 45 to 55 ms";
  if (GetParam() == 0) {
    EXPECT_EQ(write.timing.response(), 10 * kMs) << "without a wait for the repair";
    EXPECT_EQ(array.rebuilt_units(0), 1u);
    EXPECT_EQ(Seen(seen.begin() + 4, seen.end()), (Seen{{true, 0, 4096}})) << "the rebuild";
  } else {
    EXPECT_EQ(write.timing.response(), 34 * kMs) << "no other drive can take it, so it waits for the repair";
    EXPECT_EQ(Seen(seen.begin() + 4, seen.end()), (Seen{{true, 0, 512}}));
    EXPECT_EQ(array.stale_units(1), GetParam() == 1 ? 1u : 0u) << "without registers the drive has carried on";
  }
}

INSTANTIATE_TEST_SUITE_P(Failures, ArrayOvertaking, ::testing::Values(0, 1, 2));

TEST(Array, ALargeUnitIsRebuiltByPieces) {
  constexpr std::uint32_t kPiece = host::array::kRebuildPiece;
  constexpr std::uint64_t kLarge = 2 * kPiece + 4096;
  StubRig rig(config_of(2, {area_of(4, kLarge, true)}));
  Array& array = *rig.array;
  run_until(1);
  array.fail(1);
  rig.host->submit(true, 0, 512);
  run_until(100 * kMs);
  array.revive(1);  // pieces are read and written by turns, 10 ms each
  run_until(135 * kMs);
  EXPECT_EQ(array.stale_units(1), 1u);
  rig.host->submit(true, 512, 512, RequestClass::Continuous);  // goes ahead, so the unit is copied again from its beginning
  run_until(1'000 * kMs);
  EXPECT_EQ(array.stale_units(1), 0u);
  EXPECT_EQ(array.rebuilt_units(1), 1u);
  EXPECT_EQ(array.rebuilt_bytes(1), kLarge);
  const std::uint64_t backup = 2 * kLarge;  // the second half of a drive
  const Seen copied = {{true, backup, kPiece}, {true, backup + kPiece, kPiece}, {true, backup + 2 * kPiece, 4096}};
  const Seen& seen = rig.seen(1);
  ASSERT_GE(seen.size(), 3u);
  EXPECT_EQ(Seen(seen.end() - 3, seen.end()), copied);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), copied[0]), 2);
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{false, 2 * kPiece, 4096}));
  EXPECT_EQ(array.outstanding(), 0u);
}

TEST(Array, TheSlowestRebuildIsSlow) {
  ArrayConfig config = config_of(2, {area_of(4, 1u << 26, true)});
  config.rebuild.bytes_per_s = 1;  // two years a unit
  StubRig rig(config);
  Array& array = *rig.array;
  run_until(1);
  array.fail(1);
  rig.host->submit(true, 0, 512);
  rig.host->submit(true, 1u << 27, 512);
  run_until(100 * kMs);
  ASSERT_EQ(array.stale_units(1), 2u);
  array.revive(1);
  run_until(100'000 * kMs);
  EXPECT_EQ(array.rebuilt_units(1), 1u) << "the first one begins at once";
}

TEST(Array, TransportDbgLeavesCopiesAndCacheAsTheyMustBe) {
  ArrayConfig config = config_of(2, {area_of(16, 4096, true)});
  config.areas[0].cached = true;
  config.cache.bytes = 65'536;
  config.cache.block_bytes = 4096;
  ArrayRig rig(config);
  Array& array = *rig.array;
  Script script("script", array, [&](Script& s) {
    Transaction t(nullptr);
    Transaction look(nullptr);
    const auto poke = [&](std::uint64_t lba, std::uint8_t fill) {
      look.set(true, lba, 8, fill);
      EXPECT_EQ(script.disk_init_socket->transport_dbg(look.payload), 8u * 512);
    };
    for (std::uint8_t k = 0; k < 60; ++k) {
      // At any time during a rebuild of unit 0.
      array.fail(1);
      s.access(t, true, 0, 1, 200);
      EXPECT_EQ(array.stale_units(1), 1u);
      array.revive(1);
      s.pause(k * 500 * kUs);
      poke(0, k);
      s.pause(1'000 * kMs);
      EXPECT_EQ(array.stale_units(1), 0u);
      for (std::uint32_t copy = 0; copy < 2; ++copy) {
        const UnitPlace place = array.map().place(array.map().areas()[0], 0, copy);
        std::vector<std::uint8_t> bytes(4096);
        rig.drives[place.drive]->media().read(place.address, bytes.data(), bytes.size());
        EXPECT_EQ(bytes, std::vector<std::uint8_t>(4096, k)) << "copy " << copy;
      }
    }
    for (int k = 0; k < 600; ++k) {
      // At any time during a read that fills the cache.
      const auto fill = static_cast<std::uint8_t>(k);
      poke(8, 200);
      s.spawn([&] {
        Transaction r(nullptr);
        s.access(r, false, 8, 1);
      });
      s.pause(k * 25 * kUs);
      poke(8, fill);
      s.pause(100 * kMs);
      s.access(t, false, 8, 8);
      EXPECT_EQ(t.data, std::vector<std::uint8_t>(4096, fill)) << k;
    }
  });
  script.run_to_end(200'000 * kMs);
}

TEST(Array, TransportDbgReachesNoBytesWhereThereAreNone) {
  ArrayConfig config = config_of(2, {area_of(16, 4096)});
  config.holds_data = false;
  ArrayRig rig(config);
  AtHost host("host", *rig.array);
  Transaction look(nullptr);
  look.set(false, 0, 16);
  run_until(1);
  EXPECT_EQ(host.disk_init_socket->transport_dbg(look.payload), 0u);
}

TEST(Array, DrivesMayAnswerWithinTheCall) {
  StubRig rig(config_of(2, {area_of(16, 4096, true)}));
  for (const auto& drive : rig.drives) drive->within_call = true;
  run_until(1);
  for (int i = 0; i < 100; ++i) rig.host->submit(i % 2 == 0, 0, 16 * 4096);
  rig.host->flush();
  run_until(10 * kMs);
  EXPECT_EQ(rig.host->order.size(), 101u);
  EXPECT_EQ(rig.array->in_drive(0) + rig.array->in_drive(1), 0u);
  for (const auto& drive : rig.drives) EXPECT_EQ(drive->ends, (drive->seen.size() + 1) / 2);
}

TEST(Array, SpeaksTheBaseProtocol) {
  ArrayRig rig(config_of(4, {area_of(64, 2048), area_of(32, 4096, true)}));
  AtHost host("host", *rig.array);
  host.end_response = EndResponse::Later;
  host.response_delay = 2 * kMs;
  host.request_delay = 1 * kMs;
  Transaction& write = host.submit(true, 10, 30, 5);
  Transaction& read = host.submit(false, 8, 34);
  const std::uint64_t sectors = rig.array->capacity_bytes() / 512;
  Transaction& beyond = host.submit(false, sectors - 1, 2);
  Transaction& flush = host.flush();
  Transaction& tagged = host.submit(false, 0, 1, 0, [](auto& e) { e.tag = 3; });
  Transaction& last = host.submit(false, sectors - 1, 1);
  run_until(1000 * kMs);
  EXPECT_TRUE(host.all_released());
  EXPECT_EQ(beyond.status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(flush.status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(tagged.status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(last.status(), tlm::TLM_OK_RESPONSE);
  for (std::size_t i = 0; i < read.data.size(); ++i) ASSERT_EQ(read.data[i], i >= 2 * 512 && i < 32 * 512 ? 5 : 0) << i;
  for (const Transaction* t : {&write, &read, &flush, &last}) {
    EXPECT_EQ(t->timing().parts(), t->timing().response());
    EXPECT_EQ(t->timing().completed, t->begin_resp);
  }
  const auto& counters = rig.array->counters(RequestClass::Discrete);
  EXPECT_EQ(counters.submitted, 6u);
  EXPECT_EQ(counters.completed, 4u);
  EXPECT_EQ(counters.failed, 2u);
  // transport_dbg sees and changes all copies.
  Transaction look(nullptr);
  look.set(false, 8, 34);
  EXPECT_EQ(host.disk_init_socket->transport_dbg(look.payload), 34u * 512);
  EXPECT_EQ(look.data, read.data);
  look.set(true, 256, 8, 3);
  EXPECT_EQ(host.disk_init_socket->transport_dbg(look.payload), 8u * 512);
  rig.array->fail(0);
  Transaction& backup = host.submit(false, 256, 8);
  run_until(2000 * kMs);
  EXPECT_EQ(backup.data, std::vector<std::uint8_t>(8 * 512, 3));
}

TEST(Array, BlockingCallsToo) {
  ArrayRig rig(config_of(4, {area_of(64, 2048), area_of(32, 4096, true)}));
  Script script("script", *rig.array, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 2, 40, 7);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    s.access(t, false, 2, 40);
    EXPECT_EQ(t.data, std::vector<std::uint8_t>(40 * 512, 7));
    s.access(t, true, 256, 64, 9);
    t.set_flush();
    s.transport(t);
    EXPECT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
    t.extension.flush = false;
    s.access(t, false, 250, 80);
    for (std::size_t i = 0; i < t.data.size(); ++i) ASSERT_EQ(t.data[i], i >= 6 * 512 && i < 70 * 512 ? 9 : 0) << i;
    rig.array->fail(1);
    s.access(t, false, 256, 64);
    EXPECT_EQ(t.data, std::vector<std::uint8_t>(64 * 512, 9));
    t.set(false, 4, 4);
    s.transport(t);
    EXPECT_EQ(t.status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(t.extension.status, CommandStatus::NoCopy);
  });
  script.run_to_end(10'000 * kMs);
  EXPECT_EQ(rig.array->outstanding(), 0u);
}

TEST(Array, RefusesTagsAndAttributesAndWhatIsOutOfRange) {
  StubRig rig(config_of(1, {area_of(16, 4096)}));
  run_until(1);
  std::array<ArrayRequest, 8> requests;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    ArrayRequest& r = requests[i];
    r.client = rig.host.get();
    r.operation = i < 4 ? command::Operation::Read : command::Operation::Flush;
    r.length = i < 4 ? 512 : 0;
    if (i % 4 == 0) r.tag = 3;
    if (i % 4 == 1) r.attribute = command::TaskAttribute::Ordered;
    if (i % 4 == 2) r.deadline = -1;
    if (i % 4 == 3) r.duration = 255;
    rig.array->submit(r);
  }
  run_until(100 * kMs);
  EXPECT_EQ(rig.host->order.size(), requests.size());
  for (const ArrayRequest& r : requests) EXPECT_EQ(r.status, CommandStatus::BadCommand);
  EXPECT_EQ(rig.seen(0), Seen{});
}

TEST(Array, RefusesADriveThatItDoesNotHave) {
  ArrayRig rig(config_of(2, {area_of(16, 4096)}));
  AtHost host("host", *rig.array);
  run_until(1);
  EXPECT_THROW(rig.array->fail(2), std::out_of_range);
  EXPECT_THROW(rig.array->revive(2), std::out_of_range);
  EXPECT_THROW(rig.array->replace(2), std::out_of_range);
  EXPECT_THROW(rig.array->drive_revived(2), std::out_of_range);
}

TEST(Array, RefusesWhatMakesNoArray) {
  EXPECT_THROW(Array("default", ArrayConfig{}), std::invalid_argument);
  ArrayConfig config = config_of(33, {area_of(4, 4096)});
  config.drive_bytes = 1 << 20;
  EXPECT_THROW(Array("a", config), std::invalid_argument);
  config.drives = 2;
  config.tags = 0;
  EXPECT_THROW(Array("b", config), std::invalid_argument);
  config.tags = 1;
  config.class_tags[2] = 0;
  EXPECT_THROW(Array("d", config), std::invalid_argument) << "background commands would wait for ever";
  config.class_tags[2] = 1;
  config.areas[0].cached = true;
  config.cache.bytes = 65536;
  EXPECT_THROW(Array("c", config), std::invalid_argument) << "a unit is no whole block";
}

}  // namespace
}  // namespace platter::testing
