// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "libplatter/platter.h"
#include "platter/front/nbd/block_initiator.h"
#include "platter/media/disk_file.h"
#include "platter/observe/statistics.h"
#include "platter/system/disk_waves.h"
#include "platter/system/disks.h"
#include "platter/system/load_result.h"
#include "platter/system/scenario.h"

namespace platter::c {

/// What the process has to know of its devices' requests.
class CompletionSinkIf {
 public:
  virtual ~CompletionSinkIf() = default;
  /// A request has been issued.
  virtual void issued() = 0;
  /// A request has ended, and its callback, if there is one, has returned.
  virtual void ended() = 0;
  /// A completion: for `callback`, or if it is null for platter_next().
  virtual void completed(const platter_completion& completion, platter_callback callback, void* context) = 0;
};

/// The disks of a scenario, with the requests of a program in C. To be constructed during elaboration.
class Device : public sc_core::sc_module, private nbd::BlockClientIf {
 public:
  /// `disk`: path of a disk file; empty: the contents are in memory. Throws what Disks throws, and core::InputError for a disk file or a scenario
  /// that does not suit.
  Device(const sc_core::sc_module_name& name, std::unique_ptr<const system::Scenario> scenario, const std::string& disk,
         platter_device* handle, CompletionSinkIf& sink);

  std::uint32_t block_bytes() const { return block_bytes_; }
  std::uint64_t blocks() const { return disks_->capacity_bytes() / block_bytes_; }
  system::Disks& disks() { return *disks_; }
  const system::Scenario& scenario() const { return *scenario_; }

  /// Issues a request now, and returns its number. Throws std::invalid_argument for one that makes no command.
  std::uint64_t submit(const platter_request& request);
  /// Withdraws a request that waits. Throws std::invalid_argument for an array.
  bool cancel(std::uint64_t number);
  void set_callback(platter_callback callback, void* context) {
    callback_ = callback;
    context_ = context;
  }
  /// The program takes no completions any more.
  void close();

  const std::string& statistics();
  void begin_waves(const std::string& path);
  void end_waves();

 private:
  /// A request that has not completed.
  struct Open {
    platter_request request;
    workload::Request counted;          ///< for the statistics
    std::uint64_t number = 0;           ///< 0: this place is free
    nbd::BlockRequest* made = nullptr;  ///< its cookie is the place
  };

  void issue(nbd::BlockRequest& request);
  /// The tag is free: the next request takes it.
  void free_tag(int tag);
  void answered(nbd::BlockRequest& request) override;
  /// Frees the place, and tells the program.
  void complete(std::size_t place, const command::Result& result);

  std::unique_ptr<const system::Scenario> scenario_;
  std::vector<std::unique_ptr<media::DiskFile>> files_;
  std::unique_ptr<system::Disks> disks_;
  observe::Statistics statistics_;
  std::optional<system::DisksAt> begin_;
  nbd::BlockInitiator initiator_;
  serving::Memory memory_;
  std::unique_ptr<system::DiskWaves> waves_;
  bool waves_ended_ = false;  ///< the file is complete
  const std::uint32_t block_bytes_;
  platter_device* const handle_;
  CompletionSinkIf& sink_;
  platter_callback callback_ = nullptr;
  void* context_ = nullptr;
  bool closed_ = false;
  std::uint64_t submitted_ = 0;
  std::vector<Open> open_;
  std::vector<std::size_t> free_;           ///< places in it
  const bool own_tags_;                     ///< the host of an array chooses none
  std::deque<nbd::BlockRequest*> waiting_;  ///< requests for which there is no tag
  std::vector<int> tags_;                   ///< free ones, a heap with the lowest at the front, as a drive chooses it
  std::string json_;
};

}  // namespace platter::c
