// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/ageing.h"

#include "platter/core/random.h"
#include "platter/mapping/eager/free_search.h"

namespace platter::eager {

void age(BlockMap& map, const mechanics::AccessPlanner& planner, double turnovers, std::uint64_t seed) {
  const FreeSearch search(planner, map, 0);
  const BlockLayout& layout = map.layout();
  core::RandomStream random(seed, "eager.ageing");
  const auto any = [&] { return Block(static_cast<std::uint32_t>(random.below(map.blocks()))); };
  bool upward = true;
  const auto writes = static_cast<std::uint64_t>(turnovers * map.blocks());
  for (std::uint64_t i = 0; i < writes; ++i) {
    const Place read = map.place_of(any());
    const std::size_t on = layout.track_of(read);
    const BlockLayout::Track& track = layout.track(on);
    const mechanics::HeadState head{Cylinder(static_cast<std::uint32_t>(on / layout.surfaces())),
                                    Head(static_cast<std::uint32_t>(on % layout.surfaces())), false, 0};
    const Block block = any();
    map.move(block,
             search.closest(search.departure_at(head, layout.end_phase(track, read.value - track.first_place)), upward).place);
  }
}

}  // namespace platter::eager
