// SPDX-License-Identifier: Apache-2.0
#include "platter/front/exec/shared_channel.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

namespace platter::exec {

namespace {

void make_robust(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

}  // namespace

SharedChannel::SharedChannel(const DeviceFacts& facts) : memory_(memfd_create("platter_channel", MFD_CLOEXEC)) {
  if (facts.path.size() >= Channel::kMaxPath) throw std::invalid_argument("the path of the device is too long");
  if (!memory_ || ftruncate(memory_.get(), sizeof(Channel)) != 0)
    throw std::system_error(errno, std::generic_category(), "memory for a program");
  void* const at = mmap(nullptr, sizeof(Channel), PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "memory for a program");
  channel_ = new (at) Channel;
  channel_->capacity_bytes = facts.capacity_bytes;
  channel_->block_bytes = facts.block_bytes;
  channel_->physical_bytes = facts.physical_bytes;
  channel_->clock_cost = facts.clock_cost_ps;
  channel_->epoch_s = facts.epoch_s;
  std::copy(facts.path.begin(), facts.path.end(), channel_->device);  // the memory is zero behind it
  make_robust(channel_->alive);
  make_robust(channel_->turn);
  pthread_mutex_lock(&channel_->alive);
  channel_->magic = Channel::kMagic;
}

SharedChannel::~SharedChannel() {
  close();
  munmap(channel_, sizeof(Channel));
}

void SharedChannel::close() {
  if (!open_) return;
  open_ = false;
  pthread_mutex_unlock(&channel_->alive);
  wake(channel_->answered);
}

std::string SharedChannel::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), memory_.get()); }

}  // namespace platter::exec
