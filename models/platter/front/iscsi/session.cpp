// SPDX-License-Identifier: Apache-2.0
#include "platter/front/iscsi/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace platter::iscsi {

namespace {

constexpr std::uint8_t kStages = 0x0F;    ///< of byte 1 of a login: CSG and NSG
constexpr std::uint8_t kOperational = 1;  ///< stage; 0 is the security stage
constexpr std::uint8_t kFullFeatureStage = 3;

std::string_view text_of(const Pdu& pdu) { return {reinterpret_cast<const char*>(pdu.data), pdu.data_bytes}; }
const std::uint8_t* bytes_of(const std::string& text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

/// Serial numbers wrap (RFC 1982): whether `a` comes before `b`.
bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace

Session::Session(Portal& portal, serving::Memory& memory)
    : portal_(portal), shared_(memory), memory_(memory), writer_(memory_) {
  portal_.enter(*this);
}

Session::~Session() {
  portal_.leave(*this);
  close();
}

void Session::close() {
  state_ = State::Over;
  drop_pending(0, true);
  if (std::exchange(attached_, false)) portal_.target().detach(nexus_);
  numbered_ = 0;
  for (Command* const command : std::exchange(commands_, {})) {  // their accesses have begun
    memory_.give_back(command->held);
    portal_.orphan(*command, shared_);
  }
  managements_.clear();
}

bool Session::client_holds_memory() const {
  const auto awaited = [](const Command* c) { return c->state == Command::State::Receiving && c->held > 0; };
  return memory_.held() > serving::Memory::kOwn &&
         (writer_.unsent_bytes() > 0 || std::any_of(commands_.begin(), commands_.end(), awaited));
}

void Session::received(std::size_t bytes) {
  reader_.received(bytes);
  while (takes_input() && step()) {
  }
  if (reader_.failed()) close();
}

void Session::resume() {
  while (!waiting_.empty() && take_memory(*waiting_.front())) {
    Command& command = *waiting_.front();
    waiting_.pop_front();
    proceed(command);
  }
  if (ordered_ > 0) run_ready();
  received(0);
}

bool Session::step() {
  const std::optional<Pdu> pdu = reader_.next();
  if (!pdu) return false;
  if (state_ == State::FullFeature)
    full_feature(*pdu);
  else if (pdu->opcode() == kLogin)
    login(*pdu);
  else
    close();  // nothing else may come before the login is complete
  return true;
}

void Session::send(Header& header, bool status, const std::uint8_t* data, std::size_t bytes) {
  header.set(24, next_.status).set(28, next_.command).set(32, last_number());
  if (status) ++next_.status;
  writer_.add(header, data, bytes);
}

// --- login -----------------------------------------------------------------------------------------------------------

bool Session::collect(const Pdu& pdu) {
  login_.text.append(text_of(pdu));
  if (login_.text.size() > kMaxText) {
    close();
    return false;
  }
  return (pdu.flags() & kContinue) == 0;
}

LoginStatus Session::objection(const Pdu& pdu) const {
  const auto stage = static_cast<std::uint8_t>(pdu.flags() >> 2 & 3);
  const auto next = static_cast<std::uint8_t>(pdu.flags() & 3);
  if (pdu.header[3] > 0) return LoginStatus::Version;  // the lowest version that the initiator knows
  if (stage > kOperational || (pdu.final() && (next <= stage || next == 2))) return LoginStatus::InitiatorError;
  if (get<std::uint16_t>(pdu.header + 14) != 0) return LoginStatus::NoSession;  // one connection a session
  return LoginStatus::Success;
}

void Session::answer_login(const Pdu& pdu, LoginStatus status, std::uint8_t flags, const Text& answers) {
  Header header(kLoginResponse, flags);
  std::copy_n(pdu.header + 8, 6, header.data() + 8);  // ISID
  const bool complete = status == LoginStatus::Success && (flags & kFinal) != 0 && (flags & 3) == kFullFeatureStage;
  header.set(14, static_cast<std::uint16_t>(complete ? portal_.next_handle() : 0));
  header.tag(pdu.tag()).set(36, static_cast<std::uint16_t>(status));
  send(header, true, bytes_of(answers.bytes()), answers.bytes().size());
}

void Session::login(const Pdu& pdu) {
  next_.command = pdu.number(24);
  const auto refuse_login = [&](LoginStatus status) {
    answer_login(pdu, status, 0, Text());
    close();
  };
  if (++login_.pdus > kMaxLogins) return close();
  if (const LoginStatus status = objection(pdu); status != LoginStatus::Success) return refuse_login(status);
  if (!collect(pdu)) {
    if (state_ == State::Login) answer_login(pdu, LoginStatus::Success, pdu.flags() & (kStages & 0x0C), Text());
    return;
  }
  Text answers;
  const std::string offered = std::exchange(login_.text, {});
  if (!negotiate(offered, false, parameters_, login_.keys, answers)) return refuse_login(LoginStatus::InitiatorError);
  if (parameters_.refused_authentication) return refuse_login(LoginStatus::Authentication);
  if (parameters_.bad_session_type) return refuse_login(LoginStatus::SessionType);
  if (parameters_.initiator.empty()) return refuse_login(LoginStatus::MissingParameter);
  if (!parameters_.discovery && parameters_.target.empty()) return refuse_login(LoginStatus::MissingParameter);
  if (!parameters_.discovery && parameters_.target != portal_.name()) return refuse_login(LoginStatus::NotFound);
  if (!parameters_.discovery && !std::exchange(login_.named, true)) answers.add("TargetPortalGroupTag", "1");
  if ((pdu.flags() >> 2 & 3) == kOperational && !std::exchange(login_.declared, true))
    answers.add("MaxRecvDataSegmentLength", std::to_string(PduReader::kMaxData));
  const bool moves = pdu.final();
  answer_login(pdu, LoginStatus::Success, static_cast<std::uint8_t>(pdu.flags() & (moves ? kFinal | kStages : kStages & 0x0C)),
               answers);
  if (moves && (pdu.flags() & 3) == kFullFeatureStage) enter_full_feature(pdu);
}

void Session::enter_full_feature(const Pdu& pdu) {
  state_ = State::FullFeature;
  parameters_.first_burst = std::min(parameters_.first_burst, parameters_.max_burst);
  const Digests digests{parameters_.header_digest, parameters_.data_digest};
  reader_.set_digests(digests);
  writer_.set_digests(digests);
  if (!pdu.immediate()) ++next_.command;
  if (parameters_.discovery) return;
  std::string name = parameters_.initiator + ",i,0x";
  for (std::size_t i = 8; i < 14; ++i) name += fmt::format("{:02x}", pdu.header[i]);
  portal_.reinstate(*this, name);
  nexus_.name = name;
  portal_.target().attach(nexus_);
  attached_ = true;
}

// --- the full feature phase ------------------------------------------------------------------------------------------

bool Session::in_sequence(const Pdu& pdu) {
  if (pdu.immediate()) return true;
  const std::uint32_t number = pdu.number(24);
  if (before(number, next_.command) || before(last_number(), number)) return false;
  if (number != next_.command) {  // on one connection nothing can be lost in between
    reject(pdu, RejectReason::ProtocolError);
    close();
    return false;
  }
  ++next_.command;
  return true;
}

void Session::full_feature(const Pdu& pdu) {
  if (pdu.damaged) {
    reject(pdu, RejectReason::DataDigest);
    return close();
  }
  const Opcode opcode = pdu.opcode();
  if (opcode == kDataOut) return data_out(pdu);
  if (opcode == kSnack) return reject(pdu, RejectReason::Snack);
  if (opcode == kNopOut && pdu.tag() == kNoTag) return;  // an answer, for which no number is used
  if (opcode != kNopOut && opcode != kScsiCommand && opcode != kTaskManagement && opcode != kText && opcode != kLogout) {
    reject(pdu, opcode == kLogin ? RejectReason::ProtocolError : RejectReason::NotSupported);
    return close();
  }
  if (!in_sequence(pdu)) return;
  if (parameters_.discovery && opcode != kText && opcode != kLogout && opcode != kNopOut)
    return reject(pdu, RejectReason::ProtocolError);
  switch (opcode) {
    case kNopOut: return nop(pdu);
    case kScsiCommand: return begin_command(pdu);
    case kTaskManagement: return manage(pdu);
    case kText: return text(pdu);
    default: return logout(pdu);
  }
}

void Session::reject(const Pdu& pdu, RejectReason reason) {
  Header header(kReject, kFinal);
  header.byte(2, static_cast<std::uint8_t>(reason)).tag(kNoTag);
  const std::vector<std::uint8_t> copy(pdu.header, pdu.header + kHeaderBytes);
  send(header, true, copy.data(), copy.size());
}

void Session::nop(const Pdu& pdu) {
  Header header(kNopIn, kFinal);
  header.lun(pdu.lun()).tag(pdu.tag()).transfer_tag(kNoTag);
  send(header, true, pdu.data, std::min<std::size_t>(pdu.data_bytes, parameters_.max_data));
}

void Session::text(const Pdu& pdu) {
  Header header(kTextResponse, kFinal);
  header.lun(pdu.lun()).tag(pdu.tag()).transfer_tag(kNoTag);
  if (!collect(pdu)) {
    if (state_ == State::Over) return;
    header.byte(1, 0).transfer_tag(1);
    return send(header, true);
  }
  const std::string offered = std::exchange(login_.text, {});
  std::vector<Text::Pair> pairs;
  if (!Text::parse(offered, pairs)) return reject(pdu, RejectReason::ProtocolError);
  Text answers;
  std::string rest;
  for (const Text::Pair& pair : pairs) {
    if (pair.key != "SendTargets") {
      rest.append(pair.key).append("=").append(pair.value).push_back('\0');
      continue;
    }
    const bool meant = pair.value == portal_.name() || (pair.value == "All" && parameters_.discovery) ||
                       (pair.value.empty() && !parameters_.discovery);
    if (!meant) continue;
    answers.add("TargetName", portal_.name());
    if (!address_.empty()) answers.add("TargetAddress", address_ + ",1");
  }
  std::vector<std::string> keys;
  if (!negotiate(rest, true, parameters_, keys, answers)) return reject(pdu, RejectReason::ProtocolError);
  if (!pdu.final()) header.byte(1, 0).transfer_tag(1);  // more requests follow, and it is the initiator that ends them
  send(header, true, bytes_of(answers.bytes()), answers.bytes().size());
}

void Session::logout(const Pdu& pdu) {
  const auto reason = static_cast<std::uint8_t>(pdu.flags() & 0x7F);
  Header header(kLogoutResponse, kFinal);
  header.byte(2, reason > 1 ? 2 : 0).tag(pdu.tag());  // 2: no recovery of connections
  send(header, true);
  if (reason <= 1) close();
}

void Session::say_farewell() {
  if (state_ != State::FullFeature) return;
  Header header(kAsyncMessage, kFinal);
  constexpr std::uint8_t kRequestsLogout = 1;
  header.tag(kNoTag).byte(36, kRequestsLogout).set(42, std::uint16_t{1});  // within a second
  send(header, true);
}

// --- SCSI commands ---------------------------------------------------------------------------------------------------

Command* Session::find(std::uint32_t tag) const {
  for (Command* const each : commands_)
    if (each->tag == tag) return each;
  return nullptr;
}

void Session::begin_command(const Pdu& pdu) {
  if (find(pdu.tag()) != nullptr) return reject(pdu, RejectReason::TaskInProgress);
  if (pdu.immediate() && commands_.size() - numbered_ >= portal_.window()) return reject(pdu, RejectReason::TooManyImmediate);
  const bool reads = (pdu.flags() & kReads) != 0;
  const bool writes = (pdu.flags() & kWrites) != 0;
  const std::uint32_t expected = pdu.number(20);
  const bool more = !pdu.final();
  // Immediate data, and unsolicited data that follows, only as far as was agreed.
  const bool unexpected = (pdu.data_bytes > 0 && (!writes || !parameters_.immediate_data)) ||
                          (more && (!writes || parameters_.initial_r2t)) || pdu.data_bytes > parameters_.first_burst ||
                          pdu.data_bytes > expected;
  if (unexpected) {
    reject(pdu, RejectReason::ProtocolError);
    return close();
  }
  Command& command = portal_.acquire();
  command.owner = this;
  command.session = this;
  command.nexus = &nexus_;
  command.tag = pdu.tag();
  command.lun = pdu.lun();
  std::copy_n(pdu.header + 32, command.cdb.size(), command.cdb.begin());
  command.expected = expected;
  command.reads = reads;
  command.writes = writes;
  command.limit = reads && !writes ? expected : 0;
  command.unsolicited = more;
  command.burst_end = std::min(expected, parameters_.first_burst);
  command.transfer_tag = kNoTag;
  command.held = kCommandBytes + pdu.data_bytes;
  memory_.add(command.held);
  commands_.push_back(&command);
  command.numbered = !pdu.immediate();
  if (command.numbered) ++numbered_;
  command.data.assign(pdu.data, pdu.data + pdu.data_bytes);
  const auto attribute = static_cast<std::uint8_t>(pdu.flags() & 7);
  if (attribute == 2 || attribute == 3)
    command.attribute = attribute == 2 ? command::TaskAttribute::Ordered : command::TaskAttribute::HeadOfQueue;
  if (command.attribute == command::TaskAttribute::Ordered) ++ordered_;
  if (attribute > 3) return refuse(command, scsi::sense::kInvalidMessage);  // ACA
  if ((reads && writes) || expected > kMaxBytes) return refuse(command, scsi::sense::kInvalidField);
  if (!command.unsolicited) proceed(command);
}

void Session::refuse(Command& command, const scsi::Sense& sense) {
  command.status = scsi::Status::CheckCondition;
  command.sense = sense;
  command.data.clear();
  command.state = Command::State::Waiting;
  ended(command);
  run_ready();  // others may have waited for it
}

/// The shared memory for the data of a command that has not come yet, or that will be read.
bool Session::take_memory(Command& command) {
  const std::uint64_t bytes = command.writes ? command.expected - command.data.size() : command.limit;
  if (!memory_.take(bytes)) return false;
  command.held += bytes;
  memory_.leave();
  return true;
}

/// The unsolicited data of a command is complete, or it has got memory.
void Session::proceed(Command& command) {
  const bool all = !command.writes || command.data.size() == command.expected;
  const bool has_memory = command.state == Command::State::Waiting;
  if (!has_memory && (!all || command.limit > 0)) {
    command.state = Command::State::Waiting;
    if (!waiting_.empty() || !take_memory(command)) {
      waiting_.push_back(&command);
      return;
    }
  }
  if (!all) {
    command.state = Command::State::Receiving;
    command.data.reserve(command.expected);
    return request_data(command);
  }
  ready(command);
}

void Session::request_data(Command& command) {
  const auto at = static_cast<std::uint32_t>(command.data.size());
  const std::uint32_t bytes = std::min(parameters_.max_burst, command.expected - at);
  if (++next_.transfer == kNoTag) next_.transfer = 0;
  command.transfer_tag = next_.transfer;
  command.burst_end = at + bytes;
  command.data_sn = 0;
  Header header(kReadyToTransfer, kFinal);
  header.lun(command.lun).tag(command.tag).transfer_tag(command.transfer_tag);
  header.set(36, command.sequences++).set(40, at).set(44, bytes);
  send(header, false);
}

void Session::data_out(const Pdu& pdu) {
  Command* const command = find(pdu.tag());
  if (command == nullptr || command->state != Command::State::Receiving) return;  // of a command that has ended
  const std::uint64_t at = command->data.size();
  const bool fits = pdu.transfer_tag() == command->transfer_tag && pdu.number(36) == command->data_sn && pdu.number(40) == at &&
                    at + pdu.data_bytes <= command->burst_end && (command->unsolicited || command->transfer_tag != kNoTag);
  const bool last = pdu.final();
  const bool short_burst = last && !command->unsolicited && at + pdu.data_bytes < command->burst_end;
  if (!fits || short_burst) return refuse(*command, scsi::sense::kDataPhase);
  command->data.insert(command->data.end(), pdu.data, pdu.data + pdu.data_bytes);
  ++command->data_sn;
  if (command->unsolicited) {
    command->held += pdu.data_bytes;
    memory_.add(pdu.data_bytes);
    if (!last) return;
    command->unsolicited = false;
    return proceed(*command);
  }
  if (!last) return;
  if (command->data.size() < command->expected) return request_data(*command);
  command->state = Command::State::Ready;
  run_ready();
}

/// The data of a command is complete.
void Session::ready(Command& command) {
  command.state = ordered_ > 0 ? Command::State::Ready : Command::State::Running;
  if (ordered_ > 0)
    run_ready();
  else
    portal_.target().begin(command, command.lun);
}

/// Gives the target what is ready. An ordered command waits for all commands before it, and those behind it wait for it.
void Session::run_ready() {
  if (std::exchange(reviewing_, true)) return;
  bool behind = false;  // an earlier command is not with the target yet
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    Command& command = *commands_[i];
    if (command.state == Command::State::Running) continue;
    const bool ordered = command.attribute == command::TaskAttribute::Ordered;
    const bool begins = command.state == Command::State::Ready && !(ordered && behind);
    if (!begins && ordered) break;
    if (!begins) {
      behind = true;
      continue;
    }
    if (ordered) --ordered_;
    command.state = Command::State::Running;
    portal_.target().begin(command, command.lun);
    i = ~std::size_t{0};  // from the beginning: it may have ended, and others with it
    behind = false;
  }
  reviewing_ = false;
}

void Session::ended(scsi::Task& task) {
  auto& command = static_cast<Command&>(task);
  withdraw(command);  // before the response, which opens the window for the next command
  if (!command.aborted) respond(command);
  release(command);
}

void Session::remove(Command& command) {
  withdraw(command);
  release(command);
}

void Session::withdraw(Command& command) {
  if (command.state != Command::State::Running && command.attribute == command::TaskAttribute::Ordered) --ordered_;
  commands_.erase(std::find(commands_.begin(), commands_.end(), &command));
  if (command.numbered) --numbered_;
  const auto waits = std::find(waiting_.begin(), waiting_.end(), &command);
  if (waits != waiting_.end()) {
    waiting_.erase(waits);
    if (waiting_.empty()) memory_.leave();
  }
}

void Session::release(Command& command) {
  const bool managed = command.managed;
  if (managed)
    for (Management& each : managements_)
      each.awaited.erase(std::remove(each.awaited.begin(), each.awaited.end(), &command), each.awaited.end());
  memory_.give_back(command.held);
  portal_.release(command);
  if (managed) answer_managements();
}

/// Sends the data of a read, in PDUs as large as the initiator takes.
void Session::send_data(Command& command, bool with_status) {
  const std::size_t all = std::min<std::size_t>(command.data.size(), command.limit);
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < all; ++number) {
    const std::size_t burst_end = std::min(all, (at / parameters_.max_burst + 1) * parameters_.max_burst);
    const std::size_t bytes = std::min<std::size_t>(burst_end - at, parameters_.max_data);
    const bool last = at + bytes == all;
    Header header(kDataIn, at + bytes == burst_end ? kFinal : std::uint8_t{0});
    header.lun(command.lun).tag(command.tag).transfer_tag(kNoTag).set(36, number).set(40, static_cast<std::uint32_t>(at));
    if (last && with_status) {
      header.byte(1, kFinal | kHasStatus).byte(3, static_cast<std::uint8_t>(command.status));
      if (command.wanted > command.expected)
        header.byte(1, kFinal | kHasStatus | kOverflow).set(44, static_cast<std::uint32_t>(command.wanted - command.expected));
      else if (all < command.expected)
        header.byte(1, kFinal | kHasStatus | kUnderflow).set(44, static_cast<std::uint32_t>(command.expected - all));
    }
    send(header, last && with_status, command.data.data() + at, bytes);
    at += bytes;
  }
  command.sequences += number;
}

void Session::respond(Command& command) {
  // A command may end well, and have sense data.
  const bool sensed = command.status == scsi::Status::CheckCondition || command.sense.key != 0;
  if (command.limit > 0 && !command.data.empty()) {
    send_data(command, !sensed);
    if (!sensed) return;
  }
  const std::uint64_t moved = command.writes      ? std::min<std::uint64_t>(command.wanted, command.expected)
                              : command.limit > 0 ? command.data.size()
                                                  : 0;
  Header header(kScsiResponse, kFinal);
  header.tag(command.tag).byte(3, static_cast<std::uint8_t>(command.status)).set(36, command.sequences);
  if (command.wanted > command.expected)
    header.byte(1, kFinal | kOverflow).set(44, static_cast<std::uint32_t>(command.wanted - command.expected));
  else if (moved < command.expected)
    header.byte(1, kFinal | kUnderflow).set(44, static_cast<std::uint32_t>(command.expected - moved));
  if (!sensed) return send(header, true);
  const std::vector<std::uint8_t> sense = scsi::to_bytes(command.sense, command.descriptors);
  std::vector<std::uint8_t> data(2);
  put(data.data(), sense.size(), 2);
  data.insert(data.end(), sense.begin(), sense.end());
  send(header, true, data.data(), data.size());
}

// --- task management -------------------------------------------------------------------------------------------------

void Session::management_response(std::uint32_t tag, ManagementResponse response) {
  Header header(kTaskManagementResponse, kFinal);
  header.byte(2, static_cast<std::uint8_t>(response)).tag(tag);
  send(header, true);
}

void Session::answer_managements() {
  for (auto at = managements_.begin(); at != managements_.end();) {
    if (!at->carried_out || !at->awaited.empty()) {
      ++at;
      continue;
    }
    management_response(at->tag, ManagementResponse::Complete);
    at = managements_.erase(at);
  }
}

bool Session::drop_pending(std::uint64_t lun, bool all_units) {
  bool dropped = false;
  const std::vector<Command*> all = commands_;
  for (Command* const each : all) {
    if (each->state == Command::State::Running || (!all_units && !portal_.target().same_unit(each->lun, lun))) continue;
    remove(*each);
    dropped = true;
  }
  if (dropped) run_ready();
  return dropped;
}

void Session::manage(const Pdu& pdu) {
  using Function = scsi::Management;
  const auto function = static_cast<Function>(pdu.flags() & 0x7F);
  const std::uint64_t lun = pdu.lun();
  const bool of_target = function == Function::TargetWarmReset || function == Function::TargetColdReset;
  if (function == Function::TaskReassign) return management_response(pdu.tag(), ManagementResponse::NoReassign);
  if (function == Function::ClearAca || function < Function::AbortTask || function > Function::TaskReassign)
    return management_response(pdu.tag(), ManagementResponse::NotSupported);
  if (!of_target && !portal_.target().has(lun)) return management_response(pdu.tag(), ManagementResponse::NoUnit);

  std::vector<Command*> meant;
  if (function == Function::AbortTask) {
    Command* const command = find(pdu.transfer_tag());  // the Referenced Task Tag
    if (command == nullptr || !portal_.target().same_unit(command->lun, lun))
      return management_response(pdu.tag(), ManagementResponse::NoTask);
    meant.push_back(command);
  } else {
    for (Command* const each : commands_)
      if (of_target || portal_.target().same_unit(each->lun, lun)) meant.push_back(each);
  }
  // Those that the target has may end later. The response waits for them.
  Management& management = managements_.emplace_back(Management{pdu.tag(), {meant.begin(), meant.end()}});
  for (Command* const each : meant) each->managed = true;
  if (function == Function::AbortTask) {
    Command& command = *meant.front();
    if (command.state == Command::State::Running)
      portal_.target().abort(command, lun);
    else
      remove(command);
  } else {
    for (Command* const each : meant)
      if (each->state != Command::State::Running) remove(*each);
    if (function != Function::AbortTaskSet) portal_.drop_pending(*this, lun, of_target, function == Function::ClearTaskSet);
    portal_.target().manage(function, nexus_, lun);
  }
  management.carried_out = true;
  answer_managements();
  run_ready();
}

}  // namespace platter::iscsi
