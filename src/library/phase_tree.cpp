#include "src/library/phase_tree.hpp"

#include <algorithm>

namespace amgsolve {
namespace {

const Profile::Node& parent_of(const Profile& profile, const Profile::Node& node) {
  return profile.nodes()[static_cast<std::size_t>(node.parent)];
}

/// The phase of that name, added at the end where there is none.
Phase& find_or_add(std::vector<Phase>& phases, const std::string& name) {
  const auto found = std::ranges::find(phases, name, &Phase::name);
  return found != phases.end() ? *found : phases.emplace_back(Phase{.name = name});
}

Phase& find_or_add(std::vector<Phase>& top, const Profile& profile, const Profile::Node& node) {
  std::vector<Phase>& siblings = node.parent < 0 ? top : find_or_add(top, profile, parent_of(profile, node)).phases;
  return find_or_add(siblings, node.phase);
}

/// Bytes of each node with everything inside it; −1 where they are unknown, as they are for a node that holds no other
/// and counts none.
std::vector<std::int64_t> inclusive_bytes(const Profile& profile) {
  const std::vector<Profile::Node>& nodes = profile.nodes();
  std::vector<std::int64_t> bytes(nodes.size(), 0);
  std::vector<bool> holds_others(nodes.size(), false);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const bool counts = holds_others[i] || nodes[i].work.bytes > 0;
    bytes[i] = bytes[i] < 0 || !counts ? -1 : bytes[i] + nodes[i].work.bytes;
    if (nodes[i].parent >= 0) {
      const auto parent = static_cast<std::size_t>(nodes[i].parent);
      bytes[parent] = bytes[parent] < 0 || bytes[i] < 0 ? -1 : bytes[parent] + bytes[i];
      holds_others[parent] = true;
    }
  }
  return bytes;
}

}  // namespace

std::vector<Phase> phases_of(const Profile& profile) {
  const std::vector<std::int64_t> bytes = inclusive_bytes(profile);
  std::vector<Phase> top;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Profile::Node& node = profile.nodes()[i];
    Phase& phase = find_or_add(top, profile, node);
    phase.seconds += node.seconds();
    phase.bytes = phase.bytes < 0 || bytes[i] < 0 ? -1 : phase.bytes + bytes[i];
    if (node.level != Profile::no_level) {
      phase.seconds_of_level[node.level] += node.seconds();
    }
  }
  return top;
}

std::string path_of(const Profile& profile, const Profile::Node& node) {
  return node.parent < 0 ? node.phase : path_of(profile, parent_of(profile, node)) + " > " + node.phase;
}

}  // namespace amgsolve
