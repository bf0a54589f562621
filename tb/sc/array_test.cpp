// SPDX-License-Identifier: Apache-2.0
#include "array_rig.h"

namespace platter::testing {
namespace {

/// A drive that takes everything at once, notes it, and answers after a fixed time, one command after the other.
class StubDrive : public sc_core::sc_module {
 public:
  explicit StubDrive(const sc_core::sc_module_name& name)
      : sc_module(name), host_tgt_socket("host_tgt_socket"), answers_(this, &StubDrive::answer) {
    host_tgt_socket.register_nb_transport_fw(this, &StubDrive::nb_transport_fw);
  }

  tlm_utils::simple_target_socket<StubDrive> host_tgt_socket;
  Picoseconds service = 10 * kMs;

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
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
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
    answers_.notify(payload, tlm::BEGIN_RESP, core::to_sc_time(free_ - now));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void answer(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& /*phase*/) {
    --inside_;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host_tgt_socket->nb_transport_bw(payload, phase, delay);
    payload.release();
  }

  std::uint32_t inside_ = 0;
  Picoseconds free_ = 0;
  tlm_utils::peq_with_cb_and_phase<StubDrive> answers_;
};

/// Requests of a host, with the times at which they ended.
class DirectHost : public ArrayClientIf {
 public:
  explicit DirectHost(Array& array) : array_(array) {}

  ArrayRequest& submit(bool write, std::uint64_t address, std::uint32_t length, RequestClass cls = RequestClass::Discrete) {
    requests_.push_back(std::make_unique<ArrayRequest>());
    ArrayRequest& request = *requests_.back();
    request.write = write;
    request.address = address;
    request.length = length;
    request.cls = cls;
    request.client = this;
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
  EXPECT_EQ(read(0, 512, 1024), 1u);  // the whole block comes
  EXPECT_EQ(rig.seen(0).back(), (StubDrive::Seen{false, 0, 4096}));
  EXPECT_EQ(read(0), 0u);
  EXPECT_EQ(read(1), 1u);
  EXPECT_EQ(read(2), 1u);  // 2 1 0
  EXPECT_EQ(read(0), 0u);  // 0 2 1
  EXPECT_EQ(read(3), 1u);  // 3 0 2
  EXPECT_EQ(read(1), 1u);  // 1 3 0
  EXPECT_EQ(read(0, 0, 8192), 0u);  // 0 and 1: 1 0 3
  EXPECT_EQ(read(3, 0, 4096), 0u);  // 3 1 0
  EXPECT_EQ(read(2, 0, 16384), 2u) << "3 from the cache; 2 alone, 4 and 5 joined";  // 5 4 2
  rig.host->submit(true, 5 * 4096, 512);  // through
  run_until(core::now_ps() + 100 * kMs);
  EXPECT_TRUE((rig.drives[0]->seen.back() == StubDrive::Seen{true, 8192 + 4096, 512}));
  EXPECT_EQ(read(5), 0u);
  EXPECT_EQ(read(4), 0u);
  EXPECT_EQ(read(3), 1u);
  EXPECT_EQ(read(32), 1u);
  EXPECT_EQ(read(32), 1u) << "the other area is not cached";
  EXPECT_EQ(rig.array->counters(RequestClass::Discrete).cache_hits, 6u);
}

TEST(Array, SpeaksTheBaseProtocol) {
  ArrayRig rig(config_of(4, {area_of(64, 2048), area_of(32, 4096, true)}));
  AtHost host("host");
  host.disk_init_socket.bind(rig.array->host_tgt_socket);
  host.end_response = EndResponse::Later;
  host.response_delay = 2 * kMs;
  host.request_delay = 1 * kMs;
  Transaction& write = host.submit(true, 10, 30, 5);
  Transaction& read = host.submit(false, 8, 34);
  const std::uint64_t sectors = rig.array->capacity_bytes() / 512;
  Transaction& beyond = host.submit(false, sectors - 1, 2);
  Transaction& flush = host.make();
  flush.set_flush();
  host.submit(flush);
  Transaction& last = host.submit(false, sectors - 1, 1);
  run_until(1000 * kMs);
  EXPECT_TRUE(host.all_released());
  EXPECT_EQ(beyond.status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(flush.status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(last.status(), tlm::TLM_OK_RESPONSE);
  for (std::size_t i = 0; i < read.data.size(); ++i) ASSERT_EQ(read.data[i], i >= 2 * 512 && i < 32 * 512 ? 5 : 0) << i;
  for (const Transaction* t : {&write, &read, &last}) {
    EXPECT_EQ(t->timing().parts(), t->timing().response());
    EXPECT_EQ(t->timing().completed, t->begin_resp);
  }
  const auto& counters = rig.array->counters(RequestClass::Discrete);
  EXPECT_EQ(counters.submitted, 5u);
  EXPECT_EQ(counters.completed, 3u);
  EXPECT_EQ(counters.failed, 2u);
  // transport_dbg sees and changes all copies.
  Transaction look(nullptr);
  look.set(false, 8, 34);
  EXPECT_EQ(host.disk_init_socket->transport_dbg(look.payload), 34u * 512);
  EXPECT_EQ(look.data, read.data);
  look.set(true, 256, 8, 3);
  EXPECT_EQ(host.disk_init_socket->transport_dbg(look.payload), 8u * 512);
  rig.array->kill(0);
  Transaction& backup = host.submit(false, 256, 8);
  run_until(2000 * kMs);
  EXPECT_EQ(backup.data, std::vector<std::uint8_t>(8 * 512, 3));
}

TEST(Array, BlockingCallsToo) {
  ArrayRig rig(config_of(4, {area_of(64, 2048), area_of(32, 4096, true)}));
  Script script("script", [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 2, 40, 7);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    s.access(t, false, 2, 40);
    EXPECT_EQ(t.data, std::vector<std::uint8_t>(40 * 512, 7));
    s.access(t, true, 256, 64, 9);
    s.access(t, false, 250, 80);
    for (std::size_t i = 0; i < t.data.size(); ++i) ASSERT_EQ(t.data[i], i >= 6 * 512 && i < 70 * 512 ? 9 : 0) << i;
    rig.array->kill(1);
    s.access(t, false, 256, 64);
    EXPECT_EQ(t.data, std::vector<std::uint8_t>(64 * 512, 9));
    t.set(false, 4, 4);
    s.transport(t);
    EXPECT_EQ(t.status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(t.extension.status, CommandStatus::NoCopy);
  });
  script.disk_init_socket.bind(rig.array->host_tgt_socket);
  run_until(10'000 * kMs);
  EXPECT_TRUE(script.done());
  EXPECT_EQ(rig.array->outstanding(), 0u);
}

TEST(Array, RefusesWhatMakesNoArray) {
  ArrayConfig config = config_of(33, {area_of(4, 4096)});
  config.drive_bytes = 1 << 20;
  EXPECT_THROW(Array("a", config), std::invalid_argument);
  config.drives = 2;
  config.tags = 0;
  EXPECT_THROW(Array("b", config), std::invalid_argument);
  config.tags = 1;
  config.areas[0].cached = true;
  config.cache.bytes = 65536;
  EXPECT_THROW(Array("c", config), std::invalid_argument) << "a unit is no whole block";
}

}  // namespace
}  // namespace platter::testing
