// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace platter::scheduling {

/// Where the sweep of a round's continuous commands begins.
enum class SweepStart : std::uint8_t {
  Nearer,       ///< at the extreme nearer to the arm
  Alternating,  ///< alternately at the lowest and at the highest cylinder
  Upward,       ///< at the lowest cylinder
};

/// What CI-SPTF and CI-OPT do after the last continuous command of a round.
enum class AfterSweep : std::uint8_t {
  Intervals,  ///< the round's intervals remain as clusters
  Disk,       ///< the whole disk is one interval
  Idle,       ///< nothing until the next round
};

/// What the clusters of CLUST-REQ and CLUST-CYL hold.
enum class ClusterContents : std::uint8_t {
  Mixed,     ///< commands of both classes
  Discrete,  ///< commands without a deadline; a cluster ends before the next command that has one, which is a cluster by itself
};

/// Where a cluster of CLUST-REQ and CLUST-CYL begins.
enum class ClusterFrom : std::uint8_t {
  Front,  ///< where the one before it ended
  Arm,    ///< at the arm
};

/// The effect of a new round on the elevator of CLUST-REQ and CLUST-CYL.
enum class ClusterRound : std::uint8_t {
  Restart,   ///< it restarts, at the edge where the sweep of the continuous commands starts
  Continue,  ///< none
};

/// How long CI-SPTF, CI-OPT, CLUST-REQ and CLUST-CYL do not consider a command again that the deadline guard has refused.
enum class Postponed : std::uint8_t {
  Round,           ///< until the next round begins
  LastContinuous,  ///< until a continuous command arrives or the round's last one has been served
};

/// How long a list of the second phase of TPS:SCAN/(SCAN/CI-OPT(M)) lasts within a round.
enum class PhaseList : std::uint8_t {
  Whole,  ///< until all of it has been served
  Part,   ///< until its first part has been served: the next part is of a new list
};

/// Cello's elevator of the commands without a deadline.
enum class CelloElevator : std::uint8_t {
  Look,   ///< turns at the last command of its direction
  Scan,   ///< turns at the edge of the disk
  CLook,  ///< serves in one direction only
};

/// What Cello's slack takes for the rotational wait of an access.
enum class CelloRotation : std::uint8_t {
  Known,     ///< what it will be
  HalfTurn,  ///< half a turn, always
};

/// How the policies interpret Balafoutis et al., and Shenoy et al., where the text leaves it open. docs/reference/policies.md gives the reasons.
struct Interpretations {
  SweepStart sweep_start = SweepStart::Nearer;          ///< where a sweep begins
  AfterSweep after_sweep = AfterSweep::Intervals;       ///< CI-SPTF and CI-OPT after a sweep
  ClusterContents clusters = ClusterContents::Mixed;    ///< what a cluster holds
  ClusterFrom cluster_from = ClusterFrom::Front;        ///< where a cluster begins
  ClusterRound cluster_round = ClusterRound::Restart;   ///< what a new round does to the elevator
  Postponed postponed = Postponed::Round;               ///< how long a refused command waits
  PhaseList phase_list = PhaseList::Whole;              ///< how long a list of the second phase lasts
  double budget_interval_s = 2;                         ///< of Cello
  CelloElevator cello_elevator = CelloElevator::Look;   ///< of the commands without a deadline
  CelloRotation cello_rotation = CelloRotation::Known;  ///< of the slack

  /// All are equal.
  friend bool operator==(const Interpretations& a, const Interpretations& b) {
    return a.sweep_start == b.sweep_start && a.after_sweep == b.after_sweep && a.clusters == b.clusters &&
           a.cluster_from == b.cluster_from && a.cluster_round == b.cluster_round && a.postponed == b.postponed &&
           a.phase_list == b.phase_list && a.budget_interval_s == b.budget_interval_s && a.cello_elevator == b.cello_elevator &&
           a.cello_rotation == b.cello_rotation;
  }
};

}  // namespace platter::scheduling
