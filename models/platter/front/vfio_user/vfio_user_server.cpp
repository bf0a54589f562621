// SPDX-License-Identifier: Apache-2.0
#include "platter/front/vfio_user/vfio_user_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "platter/front/ahci/registers.h"

namespace platter::vfio_user {

using serving::FileDescriptor;

namespace {

// Of a PCI device, as in linux/vfio.h
constexpr std::uint32_t kRegions = 9;
constexpr std::uint32_t kBar5 = 5;
constexpr std::uint32_t kConfigRegion = 7;

// Of DMA_MAP and DMA_UNMAP
constexpr std::uint32_t kMapReadWrite = 3;
constexpr std::uint32_t kUnmapAll = 2;

constexpr std::size_t kAccessBytes = 16;  // of REGION_READ and REGION_WRITE, before the data

/// Reads the client's capabilities, which follow its version. Returns the most bytes of a DMA message, or nothing if the capabilities are no JSON, or
/// cannot be met.
std::optional<std::uint64_t> most_transfer(const Bytes& version) {
  const auto begin = version.begin() + 4;
  const auto end = std::find(begin, version.end(), 0);
  if (begin == end) return kMaxTransfer;
  const nlohmann::json said = nlohmann::json::parse(begin, end, nullptr, false);
  if (!said.is_object()) return std::nullopt;
  const nlohmann::json::json_pointer limit("/capabilities/max_data_xfer_size");
  if (!said.contains(limit)) return kMaxTransfer;
  if (!said.at(limit).is_number_unsigned() || said.at(limit) == 0) return std::nullopt;
  return said.at(limit).get<std::uint64_t>();
}

Reply device_info() {
  constexpr std::uint32_t kResets = 1, kPci = 2;
  return Reply(body_of(std::uint32_t{16}, kResets | kPci, kRegions, Interrupts::kIndices));
}

Reply region_info(const Bytes& body) {
  if (body.size() < 32) return Reply::leave(EINVAL);
  const auto index = get<std::uint32_t>(body, 8);
  if (index >= kRegions) return Reply::refuse(EINVAL);
  constexpr std::uint32_t kReadWrite = 3;
  const std::uint64_t bytes = index == kBar5 ? ahci::reg::kBytes : index == kConfigRegion ? PciConfig::kBytes : 0;
  return Reply(body_of(std::uint32_t{32}, bytes > 0 ? kReadWrite : 0u, index, std::uint32_t{0}, bytes, std::uint64_t{0}));
}

Reply interrupt_info(const Bytes& body) {
  if (body.size() < 16) return Reply::leave(EINVAL);
  const auto index = get<std::uint32_t>(body, 8);
  if (index >= Interrupts::kIndices) return Reply::refuse(EINVAL);
  return Reply(body_of(std::uint32_t{16}, Interrupts::info(index), index, Interrupts::exists(index) ? 1u : 0u));
}

/// The reply to an access to a region: the fields of the access, and the bytes that a read returns.
Reply accessed(const Bytes& access, const std::uint8_t* data, std::size_t bytes) {
  Bytes body(access.begin(), access.begin() + kAccessBytes);
  body.insert(body.end(), data, data + bytes);
  return Reply(std::move(body));
}

}  // namespace

VfioUserServer::VfioUserServer(const sc_core::sc_module_name& name, serving::Poller& poller)
    : sc_module(name),
      register_init_socket("register_init_socket"),
      memory_tgt_socket("memory_tgt_socket"),
      interrupt("interrupt"),
      poller_(poller),
      connection_(poller, *this),
      memory_(connection_) {
  memory_tgt_socket.register_b_transport(this, &VfioUserServer::memory_access);
  SC_METHOD(raise);
  sensitive << interrupt.pos();
  dont_initialize();
  SC_METHOD(raise_again);
  sensitive << acknowledged_;
  dont_initialize();
}

// --- the client -------------------------------------------------------------------------------------------------------

void VfioUserServer::listen(const std::string& path) {
  listener_ = std::make_unique<serving::Listener>(path, poller_, [this](FileDescriptor client) { connect(std::move(client)); });
}

void VfioUserServer::connect(FileDescriptor client) {
  if (connection_.is_open()) return;  // there is a client already, so the new one is closed
  ++clients_;
  connection_.open(std::move(client));
}

void VfioUserServer::flush() {
  if (!connection_.is_open() || connection_.flush()) return;
  connection_.close();
  greeted_ = false;
  reset();
  interrupts_.close();
  memory_.unmap_all();
}

void VfioUserServer::reset() {
  std::uint32_t value = ahci::reg::kGhcReset;
  transport(tlm::TLM_WRITE_COMMAND, ahci::reg::kGhc, reinterpret_cast<std::uint8_t*>(&value), sizeof value);
  config_.reset();
}

// --- its messages -----------------------------------------------------------------------------------------------------

Reply VfioUserServer::execute(Message& message) {
  if (!greeted_ && message.header.command != kVersion) return Reply::leave(EINVAL);
  switch (message.header.command) {
    case kVersion: return version(message.body);
    case kDmaMap: return map_memory(message);
    case kDmaUnmap: return unmap_memory(message.body);
    case kDeviceGetInfo: return device_info();
    case kGetRegionInfo: return region_info(message.body);
    case kGetIrqInfo: return interrupt_info(message.body);
    case kSetIrqs: return set_interrupts(message);
    case kRegionRead: return access_region(false, message.body);
    case kRegionWrite: return access_region(true, message.body);
    case kDeviceReset: reset(); return {};
    default: return Reply::refuse(ENOTSUP);
  }
}

Reply VfioUserServer::version(const Bytes& body) {
  if (greeted_ || body.size() < 4) return Reply::leave(EINVAL);
  if (get<std::uint16_t>(body, 0) != 0) return Reply::leave(ENOTSUP);
  const std::optional<std::uint64_t> most = most_transfer(body);
  if (!most) return Reply::leave(EINVAL);
  memory_.limit_messages(*most);
  greeted_ = true;
  constexpr std::string_view kCapabilities =
      R"({"capabilities":{"max_msg_fds":8,"max_data_xfer_size":32768,"max_dma_maps":4096,"pgsizes":4096}})";
  Bytes said = body_of(std::uint16_t{0}, std::uint16_t{0});
  said.insert(said.end(), kCapabilities.begin(), kCapabilities.end());
  said.push_back(0);
  return Reply(std::move(said));
}

Reply VfioUserServer::map_memory(Message& message) {
  const Bytes& body = message.body;
  if (body.size() != 32 || message.files.size() > 1) return Reply::leave(EINVAL);
  GuestMemory::Part part;
  part.writable = (get<std::uint32_t>(body, 4) & kMapReadWrite) == kMapReadWrite;
  part.offset = get<std::uint64_t>(body, 8);
  part.address = get<std::uint64_t>(body, 16);
  part.bytes = get<std::uint64_t>(body, 24);
  const int error = memory_.map(part, message.files.empty() ? FileDescriptor() : std::move(message.files[0]));
  return error == 0 ? Reply() : Reply::refuse(error);
}

Reply VfioUserServer::unmap_memory(const Bytes& body) {
  if (body.size() < 24) return Reply::leave(EINVAL);
  if ((get<std::uint32_t>(body, 4) & kUnmapAll) != 0)
    memory_.unmap_all();
  else if (!memory_.unmap(get<std::uint64_t>(body, 8), get<std::uint64_t>(body, 16)))
    return Reply::refuse(EINVAL);
  return Reply(Bytes(body.begin(), body.begin() + 24));
}

Reply VfioUserServer::set_interrupts(Message& message) {
  const Bytes& body = message.body;
  if (body.size() < 20) return Reply::leave(EINVAL);
  Interrupts::Change change;
  change.flags = get<std::uint32_t>(body, 4);
  change.index = get<std::uint32_t>(body, 8);
  const auto start = get<std::uint32_t>(body, 12);
  change.count = get<std::uint32_t>(body, 16);
  if (change.index >= Interrupts::kIndices || start != 0 || change.count > 1 || message.files.size() > change.count)
    return Reply::refuse(EINVAL);
  const bool given = (change.flags & Interrupts::kFlagBool) != 0;  // on or off, in a byte
  if (given && body.size() < 20 + change.count) return Reply::leave(EINVAL);
  if (!Interrupts::exists(change.index)) return change.count == 0 ? Reply() : Reply::refuse(EINVAL);
  change.on = !given || (change.count == 1 && body[20] != 0);
  const int error = interrupts_.set(change, message.files.empty() ? FileDescriptor() : std::move(message.files[0]));
  if (error != 0) return Reply::refuse(error);
  if (interrupt.read()) raise();
  return {};
}

Reply VfioUserServer::access_region(bool write, const Bytes& body) {
  if (body.size() < kAccessBytes) return Reply::leave(EINVAL);
  const auto offset = get<std::uint64_t>(body, 0);
  const auto region = get<std::uint32_t>(body, 8);
  const auto count = get<std::uint32_t>(body, 12);
  if (body.size() - kAccessBytes != (write ? std::size_t{count} : 0)) return Reply::leave(EINVAL);
  if (region == kConfigRegion) return access_config(write, offset, count, body);
  if (region == kBar5) return access_registers(write, offset, count, body);
  return Reply::refuse(EINVAL);
}

Reply VfioUserServer::access_config(bool write, std::uint64_t offset, std::uint32_t count, const Bytes& body) {
  if (offset > PciConfig::kBytes || count > PciConfig::kBytes - offset) return Reply::refuse(EINVAL);
  const auto at = static_cast<std::uint32_t>(offset);
  if (!write) return accessed(body, config_.at(at), count);
  config_.write(at, body.data() + kAccessBytes, count);
  return accessed(body, nullptr, 0);
}

Reply VfioUserServer::access_registers(bool write, std::uint64_t offset, std::uint32_t count, const Bytes& body) {
  if (count != 1 && count != 2 && count != 4 && count != 8) return Reply::refuse(EINVAL);
  std::array<std::uint8_t, 8> data{};
  if (write) std::copy_n(body.begin() + kAccessBytes, count, data.begin());
  if (!transport(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, offset, data.data(), count))
    return Reply::refuse(EINVAL);
  if (write && offset <= ahci::reg::kIs && offset + count > ahci::reg::kIs) acknowledged_.notify(sc_core::SC_ZERO_TIME);
  return accessed(body, data.data(), write ? 0 : count);
}

// --- the adapter ------------------------------------------------------------------------------------------------------

bool VfioUserServer::transport(tlm::tlm_command command, std::uint64_t offset, std::uint8_t* data, std::uint32_t bytes) {
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

void VfioUserServer::memory_access(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  payload.set_response_status(config_.bus_master() ? memory_.access(payload.is_write(), payload.get_address(),
                                                                    payload.get_data_ptr(), payload.get_data_length())
                                                   : tlm::TLM_ADDRESS_ERROR_RESPONSE);
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

}  // namespace platter::vfio_user
