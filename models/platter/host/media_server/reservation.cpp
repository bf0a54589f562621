// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/reservation.h"

#include <algorithm>

namespace platter::host::media_server {

namespace {

/// A time for each slot and disk.
class Times {
 public:
  explicit Times(const ReservationSize& size, std::size_t per_disk = 1)
      : row_(size.disks * per_disk), times_(size.slots * row_, 0) {}

  Nanoseconds& at(std::size_t slot, std::size_t index) { return times_[slot * row_ + index]; }
  Nanoseconds at(std::size_t slot, std::size_t index) const { return times_[slot * row_ + index]; }
  void clear(std::size_t slot) { std::fill_n(times_.begin() + static_cast<std::ptrdiff_t>(slot * row_), row_, 0); }

 private:
  std::size_t row_;
  std::vector<Nanoseconds> times_;
};

/// Reserves for the primary copy only, and nothing for a failure.
class PrimaryReservation : public ReservationIf {
 public:
  explicit PrimaryReservation(const ReservationSize& size) : budget_(size.budget), primary_(size) {}

  bool fits(std::size_t slot, const RoundDemand& demand) const override {
    return primary_.at(slot, demand.primary.disk) + demand.primary.time <= budget_;
  }
  Copy reserve(std::size_t slot, const RoundDemand& demand) override {
    primary_.at(slot, demand.primary.disk) += demand.primary.time;
    return Copy::Primary;
  }
  Nanoseconds reserved(std::size_t slot, std::uint32_t disk) const override { return primary_.at(slot, disk); }
  Nanoseconds reserved_for_failure(std::size_t, std::uint32_t) const override { return 0; }
  void clear(std::size_t slot) override { primary_.clear(slot); }

 private:
  Nanoseconds budget_;
  Times primary_;
};

/// Reserves for both copies (section 4, figure 4).
class MirroringReservation : public ReservationIf {
 public:
  explicit MirroringReservation(const ReservationSize& size) : budget_(size.budget), primary_(size), backup_(size) {}

  bool fits(std::size_t slot, const RoundDemand& demand) const override {
    const auto within = [&](const TimedRead& read) { return reserved(slot, read.disk) + read.time <= budget_; };
    return within(demand.primary) && std::all_of(demand.backups.begin(), demand.backups.end(), within);
  }
  Copy reserve(std::size_t slot, const RoundDemand& demand) override {
    primary_.at(slot, demand.primary.disk) += demand.primary.time;
    for (const TimedRead& read : demand.backups) backup_.at(slot, read.disk) += read.time;
    return Copy::Primary;
  }
  Nanoseconds reserved(std::size_t slot, std::uint32_t disk) const override {
    return primary_.at(slot, disk) + backup_.at(slot, disk);
  }
  Nanoseconds reserved_for_failure(std::size_t slot, std::uint32_t disk) const override { return backup_.at(slot, disk); }
  void clear(std::size_t slot) override {
    primary_.clear(slot);
    backup_.clear(slot);
  }

 private:
  Nanoseconds budget_;
  Times primary_;
  Times backup_;
};

/// Reserves for the primary copies, and for the backup copies of the one other disk whose failure would need most time (section 4, figure 5).
class MinimumReservation : public ReservationIf {
 public:
  explicit MinimumReservation(const ReservationSize& size)
      : disks_(size.disks), budget_(size.budget), primary_(size), backup_of_(size, size.disks), largest_(size) {}

  bool fits(std::size_t slot, const RoundDemand& demand) const override {
    const TimedRead& primary = demand.primary;
    if (reserved(slot, primary.disk) + primary.time > budget_) return false;
    return std::all_of(demand.backups.begin(), demand.backups.end(), [&](const TimedRead& read) {
      const Nanoseconds more = backup_of_.at(slot, pair(read.disk, primary.disk)) + read.time;
      return primary_.at(slot, read.disk) + std::max(largest_.at(slot, read.disk), more) <= budget_;
    });
  }
  Copy reserve(std::size_t slot, const RoundDemand& demand) override {
    primary_.at(slot, demand.primary.disk) += demand.primary.time;
    for (const TimedRead& read : demand.backups) {
      const Nanoseconds sum = backup_of_.at(slot, pair(read.disk, demand.primary.disk)) += read.time;
      Nanoseconds& largest = largest_.at(slot, read.disk);
      largest = std::max(largest, sum);
    }
    return Copy::Primary;
  }
  Nanoseconds reserved(std::size_t slot, std::uint32_t disk) const override {
    return primary_.at(slot, disk) + largest_.at(slot, disk);
  }
  Nanoseconds reserved_for_failure(std::size_t slot, std::uint32_t disk) const override { return largest_.at(slot, disk); }
  void clear(std::size_t slot) override {
    primary_.clear(slot);
    backup_of_.clear(slot);
    largest_.clear(slot);
  }

 private:
  /// Index of the backups on `disk` of data whose primary copy is on disk `primary`.
  std::size_t pair(std::uint32_t disk, std::uint32_t primary) const { return std::size_t{disk} * disks_ + primary; }

  std::uint32_t disks_;
  Nanoseconds budget_;
  Times primary_;
  Times backup_of_;
  Times largest_;  ///< maximum of `backup_of_` over the primary disks
};

/// Dynamic balancing (section 5): reserves for one copy, on the disk that has less time reserved in this round; for the primary
/// one if they are equal.
class BalancedReservation : public ReservationIf {
 public:
  explicit BalancedReservation(const ReservationSize& size) : budget_(size.budget), read_(size) {}

  bool fits(std::size_t slot, const RoundDemand& demand) const override {
    const TimedRead& read = chosen(slot, demand);
    return read_.at(slot, read.disk) + read.time <= budget_;
  }
  Copy reserve(std::size_t slot, const RoundDemand& demand) override {
    const TimedRead& read = chosen(slot, demand);
    read_.at(slot, read.disk) += read.time;
    return &read == &demand.primary ? Copy::Primary : Copy::Backup;
  }
  Nanoseconds reserved(std::size_t slot, std::uint32_t disk) const override { return read_.at(slot, disk); }
  Nanoseconds reserved_for_failure(std::size_t, std::uint32_t) const override { return 0; }
  void clear(std::size_t slot) override { read_.clear(slot); }

 private:
  /// A backup copy is not declustered here: it is one read.
  const TimedRead& chosen(std::size_t slot, const RoundDemand& demand) const {
    if (demand.backups.empty()) return demand.primary;
    const TimedRead& backup = *demand.backups.begin();
    return read_.at(slot, backup.disk) < read_.at(slot, demand.primary.disk) ? backup : demand.primary;
  }

  Nanoseconds budget_;
  Times read_;
};

template <typename Reservation>
std::unique_ptr<ReservationIf> make(const ReservationSize& size) {
  return std::make_unique<Reservation>(size);
}

}  // namespace

StreamSchedule::StreamSchedule(const StoredStream& stream, const DiskTimes& times, std::uint32_t block_bytes) {
  const auto timed = [&](const Fragment& fragment) {
    return TimedRead{fragment.disk, times.access(std::uint64_t{fragment.blocks} * block_bytes)};
  };
  backup_begin_.push_back(0);
  for (Round round = 0; round < stream.rounds(); ++round) {
    primary_.push_back(timed(stream.primary(round)));
    for (const Fragment& fragment : stream.backups(round)) backups_.push_back(timed(fragment));
    backup_begin_.push_back(backups_.size());
  }
}

const std::vector<ReservationInfo>& reservation_table() {
  static const std::vector<ReservationInfo> table = {
      {"primary", "the primary copy only", false, false, make<PrimaryReservation>},
      {"mirroring", "both copies (section 4)", true, true, make<MirroringReservation>},
      {"minimum", "the primary copy, and the most that the failure of any one other disk would ask for (section 4)", true, true,
       make<MinimumReservation>},
      {"dynamic-balancing", "of the two copies the one on the disk that has less reserved in the round (section 5)", true,
       false, make<BalancedReservation>},
  };
  return table;
}

const ReservationInfo* find_reservation(std::string_view name) {
  for (const ReservationInfo& row : reservation_table())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace platter::host::media_server
