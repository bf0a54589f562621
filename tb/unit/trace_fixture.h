// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "platter/core/error.h"
#include "platter/workload/trace_reader.h"

namespace platter::workload {

namespace fs = std::filesystem;

inline fs::path source_dir() {
#ifdef PLATTER_SOURCE_DIR
  return PLATTER_SOURCE_DIR;
#else
  return fs::absolute(__FILE__).parent_path().parent_path().parent_path();
#endif
}

inline fs::path golden(const std::string& name) { return source_dir() / "tb" / "golden" / "traces" / name; }
inline fs::path shipped(const std::string& name) { return source_dir() / "models" / "configs" / "traces" / name; }

inline std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Files of one test, gone after it.
class TraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("platter_trace_" + std::to_string(getpid()) + "_" + info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file(const std::string& text, const std::string& name = "t.txt") const {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  static fs::path compressed_in(const fs::path& folder, const std::string& text) {
    const fs::path path = folder / "t.gz";
    gzFile out = gzopen(path.c_str(), "wb");
    gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
    gzclose(out);
    return path;
  }
  fs::path compressed(const std::string& text) const { return compressed_in(folder_, text); }

  /// The line and the message of the error that reading `text` gives.
  std::pair<std::size_t, std::string> error(const std::string& text, TraceOptions options = {}) const {
    return error_of(file(text), std::move(options));
  }

  static std::pair<std::size_t, std::string> error_of(const fs::path& path, TraceOptions options = {}) {
    try {
      read_all(path, options);
    } catch (const core::InputError& e) {
      EXPECT_EQ(e.file(), path.string());
      return {e.line(), e.what()};
    }
    ADD_FAILURE() << "no error";
    return {0, ""};
  }

  fs::path folder_;
};

inline TraceOptions with_format(const std::string& name) {
  TraceOptions options;
  options.format = name;
  return options;
}

inline void expect_record(const TraceRecord& record, std::int64_t time_ps, std::uint64_t offset, std::uint32_t length,
                          bool write, std::uint32_t line) {
  EXPECT_EQ(record.time_ps, time_ps);
  EXPECT_EQ(record.offset_bytes, offset);
  EXPECT_EQ(record.length_bytes, length);
  EXPECT_EQ(record.write, write);
  EXPECT_EQ(record.line, line);
}

inline void expect_error(const std::pair<std::size_t, std::string>& found, std::size_t line, const std::string& part) {
  EXPECT_EQ(found.first, line) << found.second;
  EXPECT_NE(found.second.find(part), std::string::npos) << found.second;
}

inline const std::string kDiskSim = "0.000000 0 100 8 1\n";

}  // namespace platter::workload
