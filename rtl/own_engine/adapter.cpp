// SPDX-License-Identifier: Apache-2.0
//
// The adapter between Platter and the pins of fcfs_engine. Platter drives the handshakes
// (platter/accelerator/candidates_master.h); this file says which value belongs to which pin.
// Change it only if you change the ports.
#include "platter/accelerator/candidates_master.h"

#include "Vengine.h"

namespace {

using namespace platter::accelerator;

class Pins {
 public:
  Pins(VerilatedContext& context, const char* name) : top_(&context, name) {}
  ~Pins() { top_.final(); }

  void clock(bool high) {
    top_.clk_i = high;
    top_.eval();
  }
  void reset(bool active) { top_.rst_ni = !active; }
  std::uint32_t depth() const { return top_.depth_o; }

  void offer(const CandidateUpdate& update) {
    top_.update_valid_i = 1;
    top_.update_kind_i = static_cast<std::uint8_t>(update.kind);
    top_.update_tag_i = update.tag;
    top_.update_order_i = update.order;
    top_.update_cylinder_i = update.cylinder;
    top_.update_head_i = update.head;
    top_.update_angle_i = update.angle;
    top_.update_length_i = update.length;
    top_.update_class_i = update.cls;
    top_.update_deadline_i = update.deadline;
    top_.update_write_i = update.write;
  }
  void ask(const CandidateQuestion& question) {
    top_.decide_valid_i = 1;
    top_.decide_cylinder_i = question.cylinder;
    top_.decide_head_i = question.head;
    top_.decide_angle_i = question.angle;
    top_.decide_time_i = question.time;
    top_.decide_write_i = question.write;
  }
  void rest() { top_.update_valid_i = top_.decide_valid_i = top_.answer_ready_i = 0; }
  void take() { top_.answer_ready_i = 1; }

  bool update_ready() const { return top_.update_ready_o; }
  bool decide_ready() const { return top_.decide_ready_o; }
  bool answers() const { return top_.answer_valid_o; }
  CandidateAnswer answer() const { return {bool(top_.answer_idle_o), top_.answer_tag_o}; }

  PLATTER_WAVES_OF(top_)

 private:
  Vengine top_;
};

}  // namespace

PLATTER_OWN_ENGINE(Pins)
