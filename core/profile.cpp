#include "core/profile.hpp"

#include <algorithm>
#include <utility>

#include "core/format.hpp"

namespace amgsolve {

double Profile::seconds(std::string_view phase) const {
  double sum = 0.0;
  for (const Node& node : nodes_) {
    if (node.parent < 0 && node.phase == phase) {
      sum += node.seconds();
    }
  }
  return sum;
}

std::string Profile::current_path() const {
  std::string path;
  int level_shown = no_level;
  for (const int i : open_) {
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    path += path.empty() ? node.phase : " > " + node.phase;
    if (node.level != level_shown) {
      path += format_text(" (level {})", node.level);
      level_shown = node.level;
    }
  }
  return path;
}

void Profile::clear() {
  nodes_.clear();
  ++clears_;
}

int Profile::open(std::string_view phase, int level) {
  const int parent = open_.empty() ? -1 : open_.back();
  if (level == no_level && parent >= 0) {
    level = nodes_[static_cast<std::size_t>(parent)].level;
  }
  // A tree has some tens of phases: a search from the newest is quicker than any map.
  int found = -1;
  for (int i = static_cast<int>(nodes_.size()) - 1; i > parent; --i) {
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    if (node.parent == parent && node.level == level && node.phase == phase) {
      found = i;
      break;
    }
  }
  if (found < 0) {
    found = static_cast<int>(nodes_.size());
    nodes_.push_back({.phase = std::string(phase), .level = level, .parent = parent, .work = {}, .notes = {}});
  }
  open_.push_back(found);
  return found;
}

void Profile::close(double seconds) {
  add_seconds(open_.back(), seconds);
  close();
}

void Profile::close() {
  ++nodes_[static_cast<std::size_t>(open_.back())].calls;
  open_.pop_back();
}

void Profile::add_seconds(int node, double seconds) {
  Node& timed = nodes_[static_cast<std::size_t>(node)];
  timed.timed_seconds += seconds;
  ++timed.timed_calls;
}

void Profile::add(const Work& work) {
  if (!open_.empty()) {
    nodes_[static_cast<std::size_t>(open_.back())].work += work;
  }
}

std::vector<Profile::Booking> Profile::booked_since(const std::vector<Node>& before) const {
  std::vector<Booking> bookings;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& then = i < before.size() ? before[i] : Node{};
    bookings.push_back({static_cast<int>(i),
                        nodes_[i].calls - then.calls,
                        {nodes_[i].work.bytes - then.work.bytes, nodes_[i].work.flops - then.work.flops}});
  }
  std::erase_if(bookings, [](const Booking& b) { return b.calls == 0 && b.work.bytes == 0 && b.work.flops == 0; });
  return bookings;
}

void Profile::book(std::span<const Booking> bookings, std::int64_t times) {
  for (const Booking& booking : bookings) {
    Node& node = nodes_[static_cast<std::size_t>(booking.node)];
    node.calls += times * booking.calls;
    node.work += times * booking.work;
  }
}

void Profile::note(std::string text) {
  if (open_.empty()) {
    return;
  }
  std::vector<std::string>& notes = nodes_[static_cast<std::size_t>(open_.back())].notes;
  if (std::ranges::find(notes, text) == notes.end()) {
    notes.push_back(std::move(text));
  }
}

}  // namespace amgsolve
