// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace platter::crash {

/// Number of a write of the workload, from 1 on in the order of issue; 0: the block as it was before all writes, zeros.
using Version = std::uint32_t;

/// Fills `data` with the bytes that this write puts in this block: all zeros for version 0, and otherwise bytes that no other version or block has.
void fill(std::uint64_t block, Version version, std::uint8_t* data, std::size_t block_bytes);

/// What the drive has promised.
struct Promises {
  bool answered_is_durable = false;  ///< also of a write without FUA: no write cache, or one that is saved
  std::uint32_t torn_together = 1;   ///< blocks of a physical sector
  bool may_be_unreadable = true;     ///< a sector whose write was interrupted may be
  bool may_be_mixed = false;  ///< a block whose write was interrupted may have a front of the new bytes before the old ones
  std::uint32_t most_torn_sectors = 1;  ///< physical sectors that one loss of power can tear
};

/// The writes of a workload, and which values each block may have.
///
/// Commands over the same blocks are carried out in the order of issue. So a block has the value of its newest write that is known to be durable, or
/// of a later one.
class History {
 public:
  History(std::uint32_t block_bytes, const Promises& promises);

  std::uint32_t block_bytes() const { return block_bytes_; }

  // --- the workload ---

  /// A write of these blocks is issued; returns its version.
  Version issue(std::uint64_t first, std::uint32_t blocks, bool fua);
  /// The drive has taken the write: a flush after this is behind it.
  void accepted(Version version);
  /// The write has been answered.
  void answered(Version version, bool good);
  /// A flush is issued; returns what it covers, for `flushed`.
  std::vector<Version> covered() const;
  void flushed(const std::vector<Version>& covered);
  /// A read is issued. Returns the oldest version that each of its blocks may have.
  std::vector<Version> oldest(std::uint64_t first, std::uint32_t blocks) const;

  // --- checks: each returns what is wrong, or nothing ---

  /// The data of a read that ended with Good; `oldest`: from its issue.
  std::optional<std::string> read(std::uint64_t first, std::uint32_t blocks, const std::vector<Version>& oldest,
                                  const std::uint8_t* data);
  /// The block cannot be read.
  std::optional<std::string> unreadable(std::uint64_t block);
  /// After all blocks have been read: the sum of what they had.
  std::optional<std::string> summed_up() const;

  // --- losses of power ---

  /// The power fails: from now on a block keeps the value that is read of it.
  void power_lost();

  /// Blocks that have been written, ascending.
  std::vector<std::uint64_t> touched() const;
  /// Writes that have not been answered, or that are not durable.
  std::size_t open_writes() const { return open_.size(); }
  std::uint64_t torn() const { return torn_; }  ///< blocks found mixed or unreadable
  std::uint64_t old() const { return old_; }    ///< answered writes of a block that were lost, legally

 private:
  struct Write {
    std::uint64_t first = 0;
    std::uint32_t blocks = 0;
    bool fua = false;
    bool accepted = false;
    bool answered = false;
  };
  struct Mixed {
    Version front = 0;
    Version rest = 0;
    std::size_t length = 0;  ///< of the front
  };
  struct Block {
    Version floor = 0;             ///< durable
    Version answered = 0;          ///< the newest that was answered; at least `floor`
    std::vector<Version> later;    ///< issued after it, ascending
    bool lost = false;             ///< cannot be read, as it was found
    std::optional<Mixed> mixed{};  ///< instead of `floor`, as it was found
  };

  void durable(Version version);
  void settle(std::uint64_t block, Version version);
  bool has(std::uint64_t block, Version version, const std::uint8_t* data);
  std::optional<Mixed> mixture(std::uint64_t block, const Block& of, const std::uint8_t* data);
  /// A write that is not durable touches the physical sector of the block.
  bool may_be_torn(std::uint64_t block) const;
  void count_torn(std::uint64_t block);
  std::string expected(const Block& block, Version oldest) const;
  std::string found(std::uint64_t block, const std::uint8_t* data);

  std::uint32_t block_bytes_;
  Promises promises_;
  Version next_ = 1;
  Version cut_ = 0;  ///< the last version before the last loss of power
  std::uint32_t losses_ = 0;
  std::map<Version, Write> open_;  ///< those that are not durable
  std::unordered_map<std::uint64_t, Block> blocks_;
  std::map<std::uint64_t, std::uint32_t> torn_sectors_;  ///< by physical sector: found torn
  std::vector<std::uint8_t> pattern_;
  std::uint64_t torn_ = 0;
  std::uint64_t old_ = 0;
};

}  // namespace platter::crash
