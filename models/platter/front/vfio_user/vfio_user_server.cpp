// SPDX-License-Identifier: Apache-2.0
#include "platter/front/vfio_user/vfio_user_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "platter/front/ahci/registers.h"

namespace platter::vfio_user {

using serving::FileDescriptor;

namespace {

enum Command : std::uint16_t {
  kVersion = 1,
  kDmaMap = 2,
  kDmaUnmap = 3,
  kDeviceGetInfo = 4,
  kGetRegionInfo = 5,
  kGetIrqInfo = 7,
  kSetIrqs = 8,
  kRegionRead = 9,
  kRegionWrite = 10,
  kDmaRead = 11,
  kDmaWrite = 12,
  kDeviceReset = 13,
};

constexpr std::size_t kHeaderBytes = 16;
constexpr std::uint32_t kTypeMask = 0xF;
constexpr std::uint32_t kTypeReply = 1;
constexpr std::uint32_t kNoReply = 0x10;
constexpr std::uint32_t kError = 0x20;

// As in linux/vfio.h
constexpr std::uint32_t kRegions = 9;
constexpr std::uint32_t kBar5 = 5;
constexpr std::uint32_t kConfigRegion = 7;
constexpr std::uint32_t kIrqs = 5;
constexpr std::uint32_t kIntx = 0;
constexpr std::uint32_t kMsi = 1;
constexpr std::uint32_t kIrqNone = 1, kIrqBool = 2, kIrqEventfd = 4, kIrqMask = 8, kIrqUnmask = 0x10, kIrqTrigger = 0x20;
constexpr std::uint32_t kMapRead = 1, kMapWrite = 2;
constexpr std::uint32_t kUnmapAll = 2;

// PCI configuration space (PCI Local Bus 3.0, chapter 6)
constexpr std::uint32_t kPciCommand = 0x04;
constexpr std::uint8_t kBusMaster = 1u << 2;  // of the command register
constexpr std::uint32_t kPciBar5 = 0x24;
constexpr std::uint32_t kPciInterruptLine = 0x3C;
constexpr std::uint32_t kMsiCapability = 0x80;

template <typename Number>
Number get(const std::vector<std::uint8_t>& from, std::size_t at) {
  Number value{};
  std::memcpy(&value, &from[at], sizeof value);
  return value;
}

/// The body of a message. Little-endian like this machine, because both sides of the protocol are on one machine.
class Body {
 public:
  template <typename Number>
  Body& put(Number value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(&bytes_[at], &value, sizeof value);
    return *this;
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Makes writes to an eventfd non-blocking. Returns false if the file is no eventfd.
bool make_event(const FileDescriptor& file) {
  struct stat kind{};
  if (fstat(file.get(), &kind) != 0 || (kind.st_mode & S_IFMT) != 0) return false;
  const int flags = fcntl(file.get(), F_GETFL);
  return flags >= 0 && fcntl(file.get(), F_SETFL, flags | O_NONBLOCK) == 0;
}

/// True if the file cannot shrink, so that its mapping is safe. An access beyond the end of the file would raise SIGBUS.
bool keeps_size(const FileDescriptor& file) {
  constexpr auto kHugePages = 0x958458F6;  // linux/magic.h
  struct statfs system{};
  const int seals = fcntl(file.get(), F_GET_SEALS);
  return (seals >= 0 && (seals & F_SEAL_SHRINK) != 0) || (fstatfs(file.get(), &system) == 0 && system.f_type == kHugePages);
}

/// Copies bytes between a file and a buffer. Returns false if not all of them could be copied.
bool transfer_by_file(bool write, int file, std::uint64_t offset, std::uint8_t* data, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const auto at = static_cast<off_t>(offset + done);
    const ssize_t part = write ? pwrite(file, data + done, bytes - done, at) : pread(file, data + done, bytes - done, at);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return false;
    done += static_cast<std::uint64_t>(part);
  }
  return true;
}

}  // namespace

VfioUserServer::VfioUserServer(const sc_core::sc_module_name& name, serving::Poller& poller)
    : sc_module(name),
      register_init_socket("register_init_socket"),
      memory_tgt_socket("memory_tgt_socket"),
      interrupt("interrupt"),
      poller_(poller),
      input_(kMostBytes) {
  memory_tgt_socket.register_b_transport(this, &VfioUserServer::memory_access);
  reset_config();
  SC_METHOD(raise);
  sensitive << interrupt.pos();
  dont_initialize();
  SC_METHOD(raise_again);
  sensitive << acknowledged_;
  dont_initialize();
}

VfioUserServer::~VfioUserServer() {
  if (client_) poller_.remove(client_.get(), *this);
  unmap_all();
}

// --- the connection ---------------------------------------------------------------------------------------------------

void VfioUserServer::listen(const std::string& path) {
  listener_ = std::make_unique<serving::Listener>(path, poller_, [this](FileDescriptor client) { connect(std::move(client)); });
}

void VfioUserServer::connect(FileDescriptor client) {
  if (client_) return;  // there is a client already, so the new one is closed
  client_ = std::move(client);
  ++clients_;
  events_ = EPOLLIN;
  poller_.add(client_.get(), events_, *this);
}

void VfioUserServer::ready(std::uint32_t events) {
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  while (!failed_ && receive()) {
  }
}

/// Reads the next part of a message, but not beyond its end: the file descriptors of the next message come with the first byte of that one. Returns
/// false if no more has arrived.
bool VfioUserServer::receive() {
  std::size_t wanted = kHeaderBytes;
  if (received_ >= kHeaderBytes) wanted = get<std::uint32_t>(input_, 4);
  iovec part{input_.data() + received_, wanted - received_};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostFiles)> control{};
  msghdr message_header{};
  message_header.msg_iov = &part;
  message_header.msg_iovlen = 1;
  message_header.msg_control = control.data();
  message_header.msg_controllen = control.size();
  const ssize_t bytes = recvmsg(client_.get(), &message_header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
  const bool files_good = bytes < 0 || take_files(&message_header);
  if (bytes <= 0) {
    failed_ = true;
    return false;
  }
  received_ += static_cast<std::size_t>(bytes);
  if (received_ < kHeaderBytes) return true;
  const auto size = get<std::uint32_t>(input_, 4);
  if (size < kHeaderBytes || size > kMostBytes || !files_good) {
    const Header header{get<std::uint16_t>(input_, 0), get<std::uint16_t>(input_, 2), size, get<std::uint32_t>(input_, 8), 0};
    send(header, {files_good ? EMSGSIZE : EMFILE, {}, true});
    failed_ = true;
    return false;
  }
  return received_ < size || message();
}

/// Takes the file descriptors of a message. Returns false if there were more than allowed.
bool VfioUserServer::take_files(const void* control) {
  auto* const header = const_cast<msghdr*>(static_cast<const msghdr*>(control));
  for (cmsghdr* c = CMSG_FIRSTHDR(header); c != nullptr; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
      files_.emplace_back(fd);
    }
  }
  return (header->msg_flags & MSG_CTRUNC) == 0 && files_.size() <= kMostFiles;
}

/// Handles a complete message. Returns false if the connection is to be closed.
bool VfioUserServer::message() {
  const Header header{get<std::uint16_t>(input_, 0), get<std::uint16_t>(input_, 2), get<std::uint32_t>(input_, 4),
                      get<std::uint32_t>(input_, 8), get<std::uint32_t>(input_, 12)};
  input_.resize(header.size);
  const bool answer = (header.flags & kTypeMask) == kTypeReply && question_.open && header.id == question_.id;
  Reply reply;
  if (answer) {
    question_.open = false;
    question_.error = (header.flags & kError) != 0 ? std::max(header.error, 1u) : 0;
    question_.body.assign(input_.begin() + kHeaderBytes, input_.end());
  } else {
    reply = (header.flags & kTypeMask) != 0 ? Reply{EINVAL, {}, true} : execute(header);
  }
  input_.resize(kMostBytes);
  received_ = 0;
  files_.clear();
  if (!answer && (header.flags & kNoReply) == 0) send(header, reply);
  failed_ = failed_ || reply.fatal;
  return !failed_;
}

void VfioUserServer::send(const Header& to, const Reply& reply) {
  Body frame;
  frame.put(to.id).put(to.command).put(static_cast<std::uint32_t>(kHeaderBytes + (reply.error == 0 ? reply.body.size() : 0)));
  frame.put(kTypeReply | (reply.error != 0 ? kError : 0)).put(static_cast<std::uint32_t>(reply.error));
  const std::vector<std::uint8_t> bytes = frame.take();
  output_.insert(output_.end(), bytes.begin(), bytes.end());
  push(reply.error == 0 ? reply.body : std::vector<std::uint8_t>());
}

/// Sends pending output and these bytes, as far as the client takes them now.
void VfioUserServer::push(const std::vector<std::uint8_t>& bytes) {
  output_.insert(output_.end(), bytes.begin(), bytes.end());
  const ssize_t sent = ::send(client_.get(), output_.data(), output_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) output_.erase(output_.begin(), output_.begin() + sent);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) failed_ = true;
  if (output_.size() > 16 * kMostBytes) failed_ = true;  // the client does not take its replies
}

void VfioUserServer::flush() {
  waited_ = {};
  if (!client_) return;
  if (failed_) return disconnect();
  if (!output_.empty()) push({});
  if (failed_) return disconnect();
  const std::uint32_t wanted = EPOLLIN | (output_.empty() ? 0u : std::uint32_t{EPOLLOUT});
  if (wanted == events_) return;
  events_ = wanted;
  poller_.change(client_.get(), events_, *this);
}

void VfioUserServer::disconnect() {
  poller_.remove(client_.get(), *this);
  client_.close();
  failed_ = greeted_ = false;
  received_ = 0;
  files_.clear();
  output_.clear();
  question_ = {};
  reset();
  msi_.close();
  intx_.close();
  unmap_all();
}

void VfioUserServer::reset() {
  std::uint32_t value = ahci::reg::kGhcReset;
  access_registers(tlm::TLM_WRITE_COMMAND, ahci::reg::kGhc, reinterpret_cast<std::uint8_t*>(&value), sizeof value);
  reset_config();
}

// --- the messages -----------------------------------------------------------------------------------------------------

VfioUserServer::Reply VfioUserServer::execute(const Header& header) {
  if (!greeted_ && header.command != kVersion) return {EINVAL, {}, true};
  switch (header.command) {
    case kVersion: return version();
    case kDmaMap: return map_memory();
    case kDmaUnmap: return unmap_memory();
    case kDeviceGetInfo: return device_info();
    case kGetRegionInfo: return region_info();
    case kGetIrqInfo: return interrupt_info();
    case kSetIrqs: return set_interrupts();
    case kRegionRead: return access_region(false);
    case kRegionWrite: return access_region(true);
    case kDeviceReset: reset(); return {};
    default: return {ENOTSUP, {}, false};
  }
}

/// Reads the client's capabilities, which follow its version. Returns false if they are no JSON, or cannot be met.
bool VfioUserServer::negotiate() {
  most_transfer_ = kMostTransfer;
  const auto begin = input_.begin() + kHeaderBytes + 4;
  const auto end = std::find(begin, input_.end(), 0);
  if (begin == end) return true;
  const nlohmann::json said = nlohmann::json::parse(begin, end, nullptr, false);
  if (!said.is_object()) return false;
  const nlohmann::json::json_pointer limit("/capabilities/max_data_xfer_size");
  if (!said.contains(limit)) return true;
  if (!said.at(limit).is_number_unsigned() || said.at(limit) == 0) return false;
  most_transfer_ = static_cast<std::size_t>(std::min<std::uint64_t>(said.at(limit).get<std::uint64_t>(), kMostTransfer));
  return true;
}

VfioUserServer::Reply VfioUserServer::version() {
  if (greeted_ || input_.size() < kHeaderBytes + 4) return {EINVAL, {}, true};
  if (get<std::uint16_t>(input_, kHeaderBytes) != 0) return {ENOTSUP, {}, true};
  if (!negotiate()) return {EINVAL, {}, true};
  greeted_ = true;
  constexpr std::string_view kCapabilities =
      R"({"capabilities":{"max_msg_fds":8,"max_data_xfer_size":32768,"max_dma_maps":4096,"pgsizes":4096}})";
  Body body;
  body.put(std::uint16_t{0}).put(std::uint16_t{0});
  for (const char c : kCapabilities) body.put(c);
  return {0, body.put('\0').take(), false};
}

VfioUserServer::Reply VfioUserServer::map_memory() {
  if (input_.size() != kHeaderBytes + 32 || files_.size() > 1) return {EINVAL, {}, true};
  const auto flags = get<std::uint32_t>(input_, kHeaderBytes + 4);
  const auto offset = get<std::uint64_t>(input_, kHeaderBytes + 8);
  const auto address = get<std::uint64_t>(input_, kHeaderBytes + 16);
  const auto bytes = get<std::uint64_t>(input_, kHeaderBytes + 24);
  const auto after = std::find_if(memory_.begin(), memory_.end(), [&](const Mapping& m) { return m.address > address; });
  const bool free = (after == memory_.end() || bytes <= after->address - address) &&
                    (after == memory_.begin() || std::prev(after)->bytes <= address - std::prev(after)->address);
  if (bytes == 0 || address + (bytes - 1) < address || !free) return {EINVAL, {}, false};
  if (memory_.size() == kMostMappings) return {ENOSPC, {}, false};
  Mapping mapping{address, bytes};
  if (!files_.empty()) {
    struct stat file{};
    if (fstat(files_[0].get(), &file) != 0 || !S_ISREG(file.st_mode) || offset % 4096 != 0 ||
        offset > static_cast<std::uint64_t>(file.st_size) || bytes > static_cast<std::uint64_t>(file.st_size) - offset)
      return {EINVAL, {}, false};
    const int rights = ((flags & kMapRead) != 0 ? PROT_READ : 0) | ((flags & kMapWrite) != 0 ? PROT_WRITE : 0);
    if (rights != (PROT_READ | PROT_WRITE)) {
      // not mapped: memory that cannot be written, such as firmware, is not used for DMA
    } else if (!keeps_size(files_[0])) {
      mapping.file = std::make_shared<FileDescriptor>(std::move(files_[0]));
      mapping.offset = offset;
    } else {
      void* const at = mmap(nullptr, bytes, rights, MAP_SHARED, files_[0].get(), static_cast<off_t>(offset));
      if (at == MAP_FAILED) return {errno, {}, false};
      mapping.at = static_cast<std::uint8_t*>(at);
    }
  }
  memory_.insert(after, mapping);
  return {};
}

VfioUserServer::Reply VfioUserServer::unmap_memory() {
  if (input_.size() < kHeaderBytes + 24) return {EINVAL, {}, true};
  const auto flags = get<std::uint32_t>(input_, kHeaderBytes + 4);
  const auto address = get<std::uint64_t>(input_, kHeaderBytes + 8);
  const auto bytes = get<std::uint64_t>(input_, kHeaderBytes + 16);
  if ((flags & kUnmapAll) != 0) {
    unmap_all();
  } else {
    const auto found = std::find_if(memory_.begin(), memory_.end(),
                                    [&](const Mapping& m) { return m.address == address && m.bytes == bytes; });
    if (found == memory_.end()) return {EINVAL, {}, false};
    if (found->at != nullptr) munmap(found->at, found->bytes);
    memory_.erase(found);
  }
  return {0, {input_.begin() + kHeaderBytes, input_.begin() + kHeaderBytes + 24}, false};
}

void VfioUserServer::unmap_all() {
  for (const Mapping& mapping : memory_)
    if (mapping.at != nullptr) munmap(mapping.at, mapping.bytes);
  memory_.clear();
}

VfioUserServer::Reply VfioUserServer::device_info() {
  constexpr std::uint32_t kResets = 1, kPci = 2;
  return {0, Body().put(std::uint32_t{16}).put(kResets | kPci).put(kRegions).put(kIrqs).take(), false};
}

VfioUserServer::Reply VfioUserServer::region_info() const {
  if (input_.size() < kHeaderBytes + 32) return {EINVAL, {}, true};
  const auto index = get<std::uint32_t>(input_, kHeaderBytes + 8);
  if (index >= kRegions) return {EINVAL, {}, false};
  constexpr std::uint32_t kReadWrite = 3;
  const std::uint64_t bytes = index == kBar5 ? ahci::reg::kBytes : index == kConfigRegion ? kConfigBytes : 0;
  Body body;
  body.put(std::uint32_t{32})
      .put(bytes > 0 ? kReadWrite : 0u)
      .put(index)
      .put(std::uint32_t{0})
      .put(bytes)
      .put(std::uint64_t{0});
  return {0, body.take(), false};
}

VfioUserServer::Reply VfioUserServer::interrupt_info() const {
  if (input_.size() < kHeaderBytes + 16) return {EINVAL, {}, true};
  const auto index = get<std::uint32_t>(input_, kHeaderBytes + 8);
  if (index >= kIrqs) return {EINVAL, {}, false};
  constexpr std::uint32_t kEventfd = 1, kMaskable = 2, kAutomasked = 4, kFixed = 8;
  const std::uint32_t flags = index == kIntx ? kEventfd | kMaskable | kAutomasked : index == kMsi ? kEventfd | kFixed : 0;
  return {0, Body().put(std::uint32_t{16}).put(flags).put(index).put(flags != 0 ? 1u : 0u).take(), false};
}

VfioUserServer::Reply VfioUserServer::set_interrupts() {
  if (input_.size() < kHeaderBytes + 20) return {EINVAL, {}, true};
  const auto flags = get<std::uint32_t>(input_, kHeaderBytes + 4);
  const auto index = get<std::uint32_t>(input_, kHeaderBytes + 8);
  const auto start = get<std::uint32_t>(input_, kHeaderBytes + 12);
  const auto count = get<std::uint32_t>(input_, kHeaderBytes + 16);
  if (index >= kIrqs || start != 0 || count > 1 || files_.size() > count) return {EINVAL, {}, false};
  if ((flags & kIrqBool) != 0 && input_.size() < kHeaderBytes + 20 + count) return {EINVAL, {}, true};
  if (index != kIntx && index != kMsi) return {count == 0 ? 0 : EINVAL, {}, false};
  FileDescriptor& event = index == kIntx ? intx_ : msi_;
  const bool set = (flags & kIrqBool) == 0 || (count == 1 && input_[kHeaderBytes + 20] != 0);
  if ((flags & kIrqTrigger) != 0) {
    if (!files_.empty() && !make_event(files_[0])) return {EINVAL, {}, false};
    if ((flags & kIrqEventfd) != 0)
      event = files_.empty() ? FileDescriptor() : std::move(files_[0]);
    else if ((flags & kIrqNone) != 0 && count == 0)
      event.close();
    else if (count == 1 && set)
      raise();
    if (index == kIntx) intx_masked_ = false;
  } else if (index == kIntx && set && (flags & (kIrqMask | kIrqUnmask)) != 0) {
    intx_masked_ = (flags & kIrqMask) != 0;
  }
  if (interrupt.read()) raise();
  return {};
}

VfioUserServer::Reply VfioUserServer::access_region(bool write) {
  if (input_.size() < kHeaderBytes + 16) return {EINVAL, {}, true};
  const auto offset = get<std::uint64_t>(input_, kHeaderBytes);
  const auto region = get<std::uint32_t>(input_, kHeaderBytes + 8);
  const auto count = get<std::uint32_t>(input_, kHeaderBytes + 12);
  if (write ? input_.size() != kHeaderBytes + 16 + std::size_t{count} : input_.size() != kHeaderBytes + 16)
    return {EINVAL, {}, true};
  std::vector<std::uint8_t> body(input_.begin() + kHeaderBytes, input_.begin() + kHeaderBytes + 16);
  if (region == kConfigRegion) {
    if (offset > kConfigBytes || count > kConfigBytes - offset) return {EINVAL, {}, false};
    const auto at = static_cast<std::uint32_t>(offset);
    if (write)
      write_config(at, input_.data() + kHeaderBytes + 16, count);
    else
      body.insert(body.end(), config_.begin() + at, config_.begin() + at + count);
    return {0, std::move(body), false};
  }
  if (region != kBar5 || (count != 1 && count != 2 && count != 4 && count != 8)) return {EINVAL, {}, false};
  std::array<std::uint8_t, 8> data{};
  if (write) std::memcpy(data.data(), input_.data() + kHeaderBytes + 16, count);
  if (!access_registers(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, offset, data.data(), count))
    return {EINVAL, {}, false};
  if (!write) body.insert(body.end(), data.begin(), data.begin() + count);
  if (write && offset <= ahci::reg::kIs && offset + count > ahci::reg::kIs) acknowledged_.notify(sc_core::SC_ZERO_TIME);
  return {0, std::move(body), false};
}

// --- the device -------------------------------------------------------------------------------------------------------

void VfioUserServer::reset_config() {
  config_ = {};
  const auto put = [this](std::size_t at, std::uint32_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) config_[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
  };
  put(0x00, 0x2922'8086, 4);  // an ICH9, which every driver of AHCI knows
  put(0x06, 0x0010, 2);       // it has capabilities
  put(0x08, 0x0106'0102, 4);  // mass storage, SATA, AHCI
  put(0x2C, 0x2922'8086, 4);
  put(0x34, kMsiCapability, 1);
  put(0x3D, 1, 1);                      // INTA
  put(kMsiCapability, 0x0080'0005, 4);  // MSI: one message, an address of 64 bits
}

void VfioUserServer::write_config(std::uint32_t offset, const std::uint8_t* data, std::uint32_t bytes) {
  const auto mask_of = [](std::uint32_t at) -> std::uint8_t {
    if (at == kPciCommand) return 0x47;      // I/O, memory, master, parity
    if (at == kPciCommand + 1) return 0x05;  // SERR, INTx disable
    if (at == kPciBar5 + 1) return 0xF0;     // 4 KiB
    if (at == kPciBar5 + 2 || at == kPciBar5 + 3 || at == kPciInterruptLine) return 0xFF;
    if (at == kMsiCapability + 2) return 0x01;
    if (at == kMsiCapability + 4) return 0xFC;
    return at > kMsiCapability + 4 && at < kMsiCapability + 14 ? 0xFF : 0;
  };
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const std::uint8_t mask = mask_of(offset + i);
    std::uint8_t& byte = config_[offset + i];
    byte = static_cast<std::uint8_t>((byte & ~mask) | (data[i] & mask));
  }
}

bool VfioUserServer::access_registers(tlm::tlm_command command, std::uint64_t offset, std::uint8_t* data, std::uint32_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(offset);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  register_init_socket->b_transport(payload, delay);
  return payload.is_response_ok();
}

/// Waits for the client's answer. Returns false if it takes too long, or if the server is to stop; the connection then ends.
bool VfioUserServer::await_answer() {
  const auto begin = std::chrono::steady_clock::now();
  std::array<pollfd, 2> waiting{};
  waiting[1] = {stop_fd_, POLLIN, 0};  // without a file (-1) poll ignores it
  while (question_.open && !failed_) {
    if (!output_.empty()) push({});
    waiting[0] = {client_.get(), static_cast<short>(output_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(kPatience - waited_ - (std::chrono::steady_clock::now() - begin));
    const int ready = poll(waiting.data(), waiting.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready == 0 || (ready < 0 && errno != EINTR) || left.count() <= 0 || waiting[1].revents != 0) failed_ = true;
    while (question_.open && !failed_ && receive()) {
    }
  }
  waited_ += std::chrono::steady_clock::now() - begin;
  return !question_.open;
}

/// Sends DMA_READ or DMA_WRITE, and waits for the answer. Meanwhile it answers the client's own messages, because the client may hold a lock until
/// it has those answers.
bool VfioUserServer::transfer_by_message(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t part = std::min<std::uint64_t>(bytes - done, most_transfer_);
    const std::size_t carried = write ? part : 0;
    Body body;
    body.put(++question_.id)
        .put(static_cast<std::uint16_t>(write ? kDmaWrite : kDmaRead))
        .put(static_cast<std::uint32_t>(kHeaderBytes + 16 + carried));
    body.put(std::uint32_t{0}).put(std::uint32_t{0}).put(address + done).put(part);
    std::vector<std::uint8_t> message = body.take();
    message.insert(message.end(), data + done, data + done + carried);
    question_.open = true;
    push(message);
    const std::size_t expected = 16 + (write ? 0 : part);
    if (!await_answer() || question_.error != 0 || (!write && question_.body.size() != expected)) {
      question_.open = false;
      return false;
    }
    if (!write) std::memcpy(data + done, question_.body.data() + 16, part);
    done += part;
  }
  return true;
}

void VfioUserServer::memory_access(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  if ((config_[kPciCommand] & kBusMaster) == 0) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  std::uint64_t address = payload.get_address();
  std::uint8_t* data = payload.get_data_ptr();
  for (std::uint64_t left = payload.get_data_length(); left > 0;) {
    const auto after = std::upper_bound(memory_.begin(), memory_.end(), address,
                                        [](std::uint64_t at, const Mapping& m) { return at < m.address; });
    if (after == memory_.begin() || address - std::prev(after)->address >= std::prev(after)->bytes) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    const Mapping mapping = *std::prev(after);  // messages may change the list
    const std::uint64_t offset = address - mapping.address;
    const std::uint64_t part = std::min(left, mapping.bytes - offset);
    if (mapping.file != nullptr) {
      if (!transfer_by_file(payload.is_write(), mapping.file->get(), mapping.offset + offset, data, part)) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
      }
    } else if (mapping.at == nullptr) {
      if (failed_ || !client_ || !transfer_by_message(payload.is_write(), address, data, part)) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
      }
    } else if (payload.is_write()) {
      std::memcpy(mapping.at + offset, data, part);
    } else {
      std::memcpy(data, mapping.at + offset, part);
    }
    address += part;
    data += part;
    left -= part;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

/// The client has cleared bits of IS. If other bits are set, or bits are set again before the signal has fallen, the signal has no edge. The client
/// must get an interrupt message nevertheless (AHCI 1.3.1, 10.7.2.1). The signal follows the register one delta cycle later.
void VfioUserServer::raise_again() {
  if (std::exchange(looked_, !looked_)) {
    if (interrupt.read()) raise();
  } else {
    next_trigger(sc_core::SC_ZERO_TIME);
  }
}

/// Sends an interrupt: the signal has risen, or is still high.
void VfioUserServer::raise() {
  const std::uint64_t one = 1;
  const FileDescriptor& event = msi_ ? msi_ : intx_;
  if (!event || (!msi_ && std::exchange(intx_masked_, true))) return;
  // A write fails only if the counter of the event is full, that is, if events are pending anyway.
  [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof one);
}

}  // namespace platter::vfio_user
