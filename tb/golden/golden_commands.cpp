// SPDX-License-Identifier: Apache-2.0
//
// What no scenario can ask for: flushes, FUA, task attributes, tags, commands that are refused, callers that block, failures between commands;
// to one drive, to a drive that writes eagerly and to arrays. One case a call; each command that has ended is a row of CSV on stdout.
#include <cstdio>
#include <map>
#include <random>

#include "../sc/array_rig.h"
#include "../sc/ew_array_rig.h"

namespace platter::testing {
namespace {

/// What a host sends.
struct Mix {
  std::uint64_t span = 4'000;  ///< sectors
  std::uint32_t most = 40;     ///< sectors of a command
  std::uint64_t align = 1;     ///< sectors
  int writes = 50;             ///< percent
  int flushes = 0;
  int fua = 0;
  int attributes = 0;  ///< ordered, and as many head-of-queue ones
  int bad = 0;         ///< of an address, a length or an attribute that is refused
  bool classes = false;
  bool tags = false;  ///< chosen by the host
};

/// A closed loop of such commands; for one that is refused or fails, the next one comes with the next that is served.
class Traffic {
 public:
  Traffic(AtHost& host, const Mix& mix, std::uint64_t seed) : host_(host), mix_(mix), random_(seed) {
    host.on_finished = [this](Transaction& t) { finished(t); };
  }
  void start(std::uint32_t outstanding, std::uint32_t commands) {
    left_ = commands;
    free_tags_.resize(outstanding);
    for (std::uint32_t i = 0; i < outstanding; ++i) free_tags_[i] = static_cast<int>(i);
    for (std::uint32_t i = 0; i < outstanding; ++i) next();
  }
  bool over() const { return done_ == started_ && left_ == 0; }
  std::uint32_t done() const { return done_; }
  /// Those that came to grief are followed now.
  void resume() {
    for (; owed_ > 0; --owed_) next();
  }
  std::function<void()> on_done;

  static void header() {
    std::puts(
        "host,number,op,lba,blocks,class,attribute,fua,tag,status,response,begin_req,end_req,begin_resp,issued,accepted,"
        "started,completed,"
        "queue,overhead,seek,settle,rotation,transfer,bus,data");
  }
  static void row(const char* host, std::uint64_t number, const Transaction& t) {
    const CommandTiming& c = t.timing();
    std::uint64_t data = 14'695'981'039'346'656'037u;  // FNV-1a
    for (const std::uint8_t byte : t.data) data = (data ^ byte) * 1'099'511'628'211u;
    std::printf("%s,%lu,%c,%lu,%u,%d,%d,%d,%d,%s,%d,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%016lx\n", host,
                number,
                t.extension.flush ? 'F'
                : t.write()       ? 'W'
                                  : 'R',
                t.lba(), t.blocks(), static_cast<int>(t.extension.cls), static_cast<int>(t.extension.attribute),
                t.extension.fua ? 1 : 0, t.extension.tag, std::string(to_string(t.extension.status)).c_str(),
                static_cast<int>(t.status()), t.begin_req, t.end_req, t.begin_resp, c.issued, c.accepted, c.started,
                c.completed, c.queue, c.overhead, c.seek, c.settle, c.rotation, c.transfer, c.bus, data);
  }

 private:
  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }

  void next() {
    if (left_ == 0) return;
    --left_;
    Transaction& t = host_.reuse();
    t.extension = {};
    t.payload.set_extension(&t.extension);
    if (chance(mix_.flushes)) {
      t.set_flush();
    } else {
      const std::uint64_t places = mix_.span / mix_.align;
      const auto blocks = static_cast<std::uint32_t>(mix_.align * (1 + random_() % (mix_.most / mix_.align)));
      const auto fill = static_cast<std::uint8_t>(random_());  // draws in an order that is no compiler's choice
      const std::uint64_t lba = random_() % places * mix_.align;
      t.set(chance(mix_.writes), lba, blocks, fill);
      if (t.write())
        for (std::size_t i = 0; i < t.data.size(); i += 512) t.data[i] = static_cast<std::uint8_t>(random_());
      t.extension.fua = chance(mix_.fua);
    }
    if (mix_.classes) {
      t.extension.cls = static_cast<RequestClass>(random_() % 3);
      if (t.extension.cls == RequestClass::Continuous) {
        t.extension.stream = static_cast<std::uint32_t>(random_() % 4);
        t.extension.deadline = core::now_ps() + static_cast<Picoseconds>(20 + random_() % 200) * kMs;
      }
    }
    if (chance(mix_.attributes)) t.extension.attribute = command::TaskAttribute::Ordered;
    if (chance(mix_.attributes)) t.extension.attribute = command::TaskAttribute::HeadOfQueue;
    if (chance(mix_.bad)) spoil(t);
    if (mix_.tags) {
      t.extension.tag = free_tags_.back();
      free_tags_.pop_back();
    }
    ++started_;
    host_.submit(t);
  }
  void spoil(Transaction& t) {
    switch (random_() % 4) {
      case 0: t.payload.set_address(std::uint64_t{1} << 50); break;
      case 1: t.payload.set_address(t.payload.get_address() + 100); break;
      case 2: t.extension.cls = static_cast<RequestClass>(7); break;
      default: t.payload.set_streaming_width(16); break;
    }
  }
  void finished(Transaction& t) {
    row(host_.name(), done_++, t);
    if (mix_.tags) free_tags_.push_back(t.extension.tag);
    ++owed_;
    if (t.extension.status == CommandStatus::Good) resume();
    if (on_done) on_done();
  }

  AtHost& host_;
  const Mix mix_;
  std::mt19937_64 random_;
  std::vector<int> free_tags_;
  std::uint32_t left_ = 0;
  std::uint32_t started_ = 0;
  std::uint32_t done_ = 0;
  std::uint32_t owed_ = 0;
};

/// Runs on until `over`, and says what has not ended after ten minutes.
template <typename Over>
void run_while_not(Over over) {
  for (int k = 0; k < 6'000 && !over(); ++k) run_until(core::now_ps() + 100 * kMs);
  if (!over()) throw std::runtime_error("commands that do not end");
}

profile::DriveProfile buffered(profile::WriteBack write_back, bool attributes = true) {
  profile::DriveProfile profile = toy_profile();
  profile.cache.segments = 6;
  profile.cache.segment_blocks = 96;
  profile.cache.read_ahead = profile::ReadAhead::Cylinder;
  profile.cache.write_back = write_back;
  profile.cache.write_segments = 3;
  profile.task_attributes = attributes;
  return profile;
}

// --- one drive -------------------------------------------------------------------------------------------------------

void to_drive(std::unique_ptr<drive::Drive> disk, const Mix& mix, EndResponse end_response = EndResponse::Completed,
              std::uint32_t commands = 1'500) {
  AtHost host("host");
  host.end_response = end_response;
  host.response_delay = 30 * kUs;
  host.disk_init_socket.bind(disk->host_tgt_socket);
  Traffic traffic(host, mix, 1);
  traffic.start(12, commands);
  run_while_not([&] { return traffic.over(); });
}

void to_drive(const std::string& policy, const std::string& engine, const profile::DriveProfile& profile, const Mix& mix,
              EndResponse end_response = EndResponse::Completed) {
  to_drive(make_drive("disk", policy, engine, profile), mix, end_response);
}

Mix everything() {
  Mix mix;
  mix.flushes = 5;
  mix.fua = 15;
  mix.attributes = 6;
  mix.classes = true;
  return mix;
}

void two_hosts() {
  profile::DriveProfile profile = buffered(profile::WriteBack::Append);
  profile.token_rate_bytes_per_s = 600'000;
  const auto disk = make_drive("disk", "SPTF", "firmware", profile);
  AtHost discrete("discrete");
  AtHost best_effort("best_effort");
  discrete.disk_init_socket.bind(disk->host_tgt_socket);
  best_effort.disk_init_socket.bind(disk->host_tgt_socket);
  Mix mix = everything();
  mix.classes = false;
  Traffic first(discrete, mix, 1);
  Traffic second(best_effort, mix, 2);
  first.start(4, 600);
  second.start(4, 600);
  run_while_not([&] { return first.over() && second.over(); });
}

/// Every so many commands the drive fails, under those that it has, and is revived.
void failures() {
  const auto disk = make_drive("disk", "SPTF", "firmware", buffered(profile::WriteBack::Append));
  AtHost host("host");
  host.disk_init_socket.bind(disk->host_tgt_socket);
  Traffic traffic(host, everything(), 1);
  std::uint32_t next = 200;
  traffic.on_done = [&] {
    if (traffic.done() != next) return;
    next += 260;
    disk->set_alive(false);
  };
  traffic.start(10, 1'500);
  run_while_not([&] {
    if (!disk->power().alive()) {
      disk->set_alive(true);
      traffic.resume();
    }
    return traffic.over();
  });
}

void blocking() {
  const auto disk = make_drive("disk", "SPTF", "firmware", buffered(profile::WriteBack::Interleaved));
  bool over = false;
  Script callers("callers", [&](Script& s) {
    int left = 4;
    for (int i = 0; i < left; ++i)
      s.spawn([&, i] {
        std::mt19937_64 random(static_cast<std::uint64_t>(i));
        Transaction t(nullptr);
        for (std::uint64_t n = 0; n < 150; ++n) {
          t.extension.flush = false;
          const auto fill = static_cast<std::uint8_t>(random());
          const auto blocks = static_cast<std::uint32_t>(1 + random() % 30);
          const std::uint64_t lba = random() % 4'000;
          t.set(random() % 2 == 0, lba, blocks, fill);
          if (random() % 16 == 0) t.set_flush();
          s.transport(t, static_cast<Picoseconds>(random() % 3) * 100 * kUs);
          Traffic::row(("caller" + std::to_string(i)).c_str(), n, t);
        }
        over = --left == 0;
      });
    while (!over) s.pause(1 * kMs);
  });
  callers.disk_init_socket.bind(disk->host_tgt_socket);
  run_while_not([&] { return over && callers.done(); });
}

// --- eager writing, arrays -------------------------------------------------------------------------------------------

void eager_drive(const std::string& policy) {
  Mix mix = everything();
  mix.attributes = 0;
  mix.classes = false;
  mix.flushes = 2;
  to_drive(make_eager("disk", policy, toy_profile()), mix);
}

void ew_array(host::WriteAnswer answer) {
  EwArrayRig rig(three_drives(answer));
  AtHost host("host");
  host.disk_init_socket.bind(rig.array->host_tgt_socket);
  Mix mix;
  mix.align = kBlock;
  mix.bad = 3;
  Traffic traffic(host, mix, 1);
  traffic.start(24, 1'500);
  run_while_not([&] { return traffic.over(); });
}

void striped(bool mirrored, bool fails) {
  ArrayConfig config;
  config.drives = 4;
  config.areas = {area_of(64, 16'384, mirrored), area_of(16, 8'192, !mirrored)};
  config.tags = 8;
  config.rebuild.outstanding = 2;
  ArrayRig rig(config, buffered(profile::WriteBack::Append), "SPTF");
  AtHost host("host");
  host.disk_init_socket.bind(rig.array->host_tgt_socket);
  Mix mix = everything();
  mix.attributes = 0;
  mix.span = rig.array->capacity_bytes() / 512 - 120;
  mix.most = 120;
  mix.bad = 2;
  Traffic traffic(host, mix, 1);
  std::uint32_t next = 300;
  traffic.on_done = [&] {
    if (!fails || traffic.done() != next) return;
    next += 300;
    if (rig.array->alive(1))
      rig.array->fail(1);
    else
      rig.array->drive_revived(1);
  };
  traffic.start(20, 1'500);
  run_while_not([&] { return traffic.over(); });
}

// --- cases -----------------------------------------------------------------------------------------------------------

const std::map<std::string, std::function<void()>>& cases() {
  using profile::WriteBack;
  static const std::map<std::string, std::function<void()>> all = {
      {"plain", [] { to_drive("FCFS", "firmware", toy_profile(), Mix{}); }},
      {"attributes", [] { to_drive("SPTF", "firmware", buffered(WriteBack::Off), everything()); }},
      {"append", [] { to_drive("SPTF", "firmware", buffered(WriteBack::Append), everything()); }},
      {"interleaved", [] { to_drive("OPS:SCAN/CI-OPT(4)", "firmware", buffered(WriteBack::Interleaved), everything()); }},
      {"late_end_resp", [] { to_drive("LOOK", "firmware", buffered(WriteBack::Append), everything(), EndResponse::Later); }},
      {"delayed_end_resp",
       [] { to_drive("LOOK", "firmware", buffered(WriteBack::Off), everything(), EndResponse::LaterDelayed); }},
      {"model", [] { to_drive("SPTF", "model", buffered(WriteBack::Append), everything()); }},
      {"lockstep", [] { to_drive("OPS:SCAN/CLUST-REQ(6)", "lockstep", buffered(WriteBack::Append), everything()); }},
      {"cello", [] { to_drive("CELLO(1|1|1)", "firmware", buffered(WriteBack::Interleaved), everything()); }},
      {"refused",
       [] {
         profile::DriveProfile profile = toy_profile();
         profile.queue_depth = 11;
         profile.reject_when_full = true;
         Mix mix = everything();
         mix.bad = 10;
         to_drive("SPTF", "firmware", profile, mix);
       }},
      {"host_tags",
       [] {
         Mix mix;
         mix.tags = true;
         to_drive("SSTF", "firmware", toy_profile(), mix);
       }},
      {"two_hosts", two_hosts},
      {"failures", failures},
      {"blocking", blocking},
      {"eager_satf", [] { eager_drive("SATF-EW"); }},
      {"eager_freebw", [] { eager_drive("FreeBW-SCAN"); }},
      {"ew_array_all", [] { ew_array(host::WriteAnswer::All); }},
      {"ew_array_first", [] { ew_array(host::WriteAnswer::First); }},
      {"array_mirrored", [] { striped(true, true); }},
      {"array_striped", [] { striped(false, true); }},
      {"array_revived", [] { striped(true, false); }},
  };
  return all;
}

/// Warnings, of commands that are refused, are not for stdout.
void report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if ((actions & sc_core::SC_THROW) != 0) throw report;
}

}  // namespace
}  // namespace platter::testing

int sc_main(int argc, char** argv) {
  const auto& cases = platter::testing::cases();
  const auto found = argc == 2 ? cases.find(argv[1]) : cases.end();
  if (found == cases.end()) {
    std::fputs("golden_commands: expected one of", stderr);
    for (const auto& entry : cases) std::fprintf(stderr, " %s", entry.first.c_str());
    std::fputs("\n", stderr);
    return 2;
  }
  sc_core::sc_report_handler::set_handler(platter::testing::report);
  platter::testing::Traffic::header();
  found->second();
  return 0;
}
