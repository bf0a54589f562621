// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/array.h"

#include "testing.h"

namespace platter::testing {
namespace {

using host::array::Array;
using host::array::ArrayClientIf;
using host::array::ArrayConfig;
using host::array::ArrayRequest;
using host::array::StripeArea;

constexpr std::uint64_t kToyBytes = kToyBlocks * 512;

/// Drives with an array above them.
struct Rig {
  explicit Rig(ArrayConfig config, mechanics::DriveProfile profile = toy_profile(), const std::string& policy = "FCFS") {
    config.drive_bytes = kToyBytes;
    for (std::uint32_t i = 0; i < config.drives; ++i)
      drives.push_back(make_drive(("disk" + std::to_string(i)).c_str(), policy, "firmware", profile, config.holds_data));
    array = std::make_unique<Array>("array", config);
    for (std::uint32_t i = 0; i < config.drives; ++i) {
      array->disk_init_sockets[i].bind(drives[i]->host_tgt_socket);
      array->register_init_sockets[i].bind(drives[i]->register_tgt_socket);
    }
  }

  std::vector<std::unique_ptr<drive::Drive>> drives;
  std::unique_ptr<Array> array;
};

StripeArea area(std::uint64_t units, std::uint64_t unit_bytes, bool mirrored = false) {
  StripeArea a;
  a.bytes = units * unit_bytes;
  a.unit_bytes = unit_bytes;
  a.mirrored = mirrored;
  return a;
}

TEST(Array, WritesAndReadsBackThroughTheSocket) {
  ArrayConfig config;
  config.drives = 4;
  config.areas = {area(64, 2048), area(32, 4096, true)};
  Rig rig(config);
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
  });
  script.disk_init_socket.bind(rig.array->host_tgt_socket);
  run_until(10'000 * kMs);
  EXPECT_TRUE(script.done());
  EXPECT_EQ(rig.array->outstanding(), 0u);
}

}  // namespace
}  // namespace platter::testing
