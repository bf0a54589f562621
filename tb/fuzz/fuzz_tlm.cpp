// SPDX-License-Identifier: Apache-2.0
//
// TLM payloads and phases: a host that sends any attribute and any phase to a drive, by every kind of call, and accesses its registers, while the drive
// fails, restarts and loses its power.
#include "served_drive.h"

#include "platter/drive/register_map.h"

namespace platter::fuzz {
namespace {

TLM_DECLARE_EXTENDED_PHASE(OTHER_PHASE);

/// Has the socket to the registers, as a socket belongs to a module.
struct RegisterHost : sc_core::sc_module {
  explicit RegisterHost(const sc_core::sc_module_name& name) : sc_module(name), init_socket("init_socket") {}
  tlm_utils::simple_initiator_socket<RegisterHost> init_socket;
};

class Tlm : public Protocol {
 public:
  Tlm() {
    profile::DriveProfile profile = fuzz_profile();
    profile.recovery.scrub_after_ms = 50;
    profile.task_attributes = true;
    disk_ = testing::make_drive("disk", "SPTF", "firmware", profile);
    any_.init_socket.bind(disk_->host_tgt_socket);
    good_.init_socket.bind(disk_->host_tgt_socket);
    registers_.init_socket.bind(disk_->register_tgt_socket);
  }

  void input(Random& random) override {
    any_.manner = static_cast<testing::EndResponse>(below(random, 5));
    for (std::uint64_t n = 1 + below(random, 8); n > 0; --n) act(random);
  }

  void check(Random& random) override {
    mend(*disk_);
    any_.behave();
    drain(
        Aborts::Yes, {disk_.get()},
        [this] {
          any_.behave();
          return any_.idle();
        },
        "a command does not end");
    any_.forget();
    roundtrip(random, good_, *disk_);
  }

 private:
  void act(Random& random) {
    Transaction* const old =
        any_.transactions.empty() || one_in(random, 2)
            ? nullptr
            : &*std::next(any_.transactions.begin(), static_cast<std::ptrdiff_t>(below(random, any_.transactions.size())));
    switch (below(random, 12)) {
      case 0: {
        const Picoseconds delay = pick(random, {Picoseconds{0}, 1 * kUs, 10 * kMs});
        any_.send(old != nullptr ? *old : fresh(random),
                  pick(random, {tlm::tlm_phase(tlm::BEGIN_REQ), tlm::tlm_phase(tlm::END_RESP), tlm::tlm_phase(tlm::END_REQ),
                                tlm::tlm_phase(tlm::BEGIN_RESP), tlm::tlm_phase(), tlm::tlm_phase(OTHER_PHASE)}),
                  delay);
        break;
      }
      case 1:
        if (!any_.responding.empty()) any_.send(*pick(random, any_.responding), tlm::END_RESP, one_in(random, 2) ? 0 : 2 * kMs);
        break;
      case 2: any_.call(old != nullptr ? *old : fresh(random)); break;
      case 3: {
        Transaction& t = fresh(random);
        any_.init_socket->transport_dbg(t.payload);
        tlm::tlm_dmi dmi;
        any_.init_socket->get_direct_mem_ptr(t.payload, dmi);
        break;
      }
      case 4: access(random); break;
      case 5: trouble(random, *disk_); break;
      case 6: disk_->abort(core::Tag(static_cast<std::uint16_t>(one_in(random, 8) ? random() : below(random, 32)))); break;
      case 7: testing::run_until(core::now_ps() + static_cast<Picoseconds>(below(random, 40)) * kMs); break;
      default: any_.send(fresh(random), tlm::BEGIN_REQ, one_in(random, 8) ? 1 * kMs : 0);
    }
  }

  /// A command, most often one with at most two wrong attributes.
  Transaction& fresh(Random& random) {
    Transaction& t = any_.make(one_in(random, 2), below(random, testing::kToyBlocks),
                               1 + static_cast<std::uint32_t>(below(random, 64)), static_cast<std::uint8_t>(random()));
    if (one_in(random, 16)) t.set_flush();
    t.extension.cls = static_cast<core::RequestClass>(below(random, 3));
    t.extension.fua = one_in(random, 4);
    if (t.extension.cls == core::RequestClass::Continuous)
      t.extension.deadline = core::now_ps() + static_cast<Picoseconds>(below(random, 200)) * kMs;
    for (std::uint64_t n = below(random, 3); n > 0; --n) spoil(random, t);
    return t;
  }
  void spoil(Random& random, Transaction& t) {
    tlm::tlm_generic_payload& p = t.payload;
    const auto number = hostile(random);
    switch (below(random, 14)) {
      case 0: p.set_address(number); break;
      case 1: p.set_address(testing::kToyBlocks * 512 - below(random, 4096)); break;
      case 2:  // the host's memory has what it says; longer commands are refused by their length or end
        p.set_data_length(static_cast<unsigned>(number));
        p.set_data_ptr(memory_.data());
        break;
      case 3: p.set_data_ptr(nullptr); break;
      case 4: p.set_streaming_width(static_cast<unsigned>(number)); break;
      case 5:
        p.set_byte_enable_ptr(memory_.data());
        p.set_byte_enable_length(static_cast<unsigned>(below(random, 8)));
        break;
      case 6: p.set_command(pick(random, {tlm::TLM_IGNORE_COMMAND, tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND})); break;
      case 7: p.set_response_status(tlm::TLM_OK_RESPONSE); break;
      case 8: t.extension.cls = static_cast<core::RequestClass>(random()); break;
      case 9:
        t.extension.attribute = static_cast<command::TaskAttribute>(one_in(random, 3) ? random() : below(random, 3));
        break;
      case 10: t.extension.deadline = static_cast<Picoseconds>(number); break;
      case 11: t.extension.tag = static_cast<int>(one_in(random, 2) ? number : below(random, 32)); break;
      case 12: t.extension.issued = static_cast<Picoseconds>(number); break;
      default:
        t.extension.recovery_limit = static_cast<Picoseconds>(number);
        t.extension.stream = static_cast<std::uint32_t>(number);
    }
  }

  void access(Random& random) {
    tlm::tlm_generic_payload p;
    p.set_command(pick(random, {tlm::TLM_IGNORE_COMMAND, tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}));
    p.set_address(one_in(random, 8) ? hostile(random)
                                    : below(random, one_in(random, 2) ? 0x90 : drive::reg::kBytes) & ~std::uint64_t{3});
    p.set_data_length(one_in(random, 8) ? static_cast<unsigned>(below(random, 16)) : 4);
    p.set_streaming_width(one_in(random, 8) ? static_cast<unsigned>(hostile(random)) : 4);
    std::array<std::uint8_t, 16> data{};
    const std::uint64_t value = one_in(random, 2) ? below(random, 4) : hostile(random);
    std::memcpy(data.data(), &value, sizeof value);
    p.set_data_ptr(data.data());
    sc_core::sc_time delay;
    registers_.init_socket->b_transport(p, delay);
    expect(p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, "an access to a register without a status");
  }

  std::unique_ptr<drive::Drive> disk_;
  AnyHost any_{"any"};
  AnyHost good_{"good"};
  RegisterHost registers_{"registers"};
  Bytes memory_ = Bytes(testing::kToyBlocks * 512);
};

}  // namespace

std::unique_ptr<Protocol> make_tlm(const std::filesystem::path& /*work*/) { return std::make_unique<Tlm>(); }

}  // namespace platter::fuzz
