#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace amgsolve {

/// What an operation moved and computed, where it knows: the fewest bytes (each input read once, each output written
/// once) and the floating-point operations.
struct Work {
  std::int64_t bytes = 0;
  std::int64_t flops = 0;

  Work& operator+=(const Work& other) {
    bytes += other.bytes;
    flops += other.flops;
    return *this;
  }
  friend Work operator*(std::int64_t times, const Work& work) { return {times * work.bytes, times * work.flops}; }
};

/// A tree of phases with the time, work and calls of each (phase, level), for example
/// `setup > galerkin product (level 1) > multiply`. Phases open and close like function calls.
class Profile {
 public:
  static constexpr int no_level = -1;

  struct Node {
    std::string phase;
    int level = no_level;  ///< of the hierarchy; no_level outside it
    int parent = -1;       ///< index of the enclosing phase in nodes(); −1 at the top
    std::int64_t calls = 0;
    std::int64_t timed_calls = 0;    ///< how many of them were timed
    double timed_seconds = 0.0;      ///< which took that long, with everything inside them
    Work work;                       ///< of this phase alone
    std::vector<std::string> notes;  ///< what was decided in it and why, each once

    /// Of all calls, as long on average as those that were timed.
    double seconds() const {
      return timed_calls > 0 ? timed_seconds * (static_cast<double>(calls) / static_cast<double>(timed_calls)) : 0.0;
    }
  };

  /// All phases in the order in which they were first opened, parents before children.
  const std::vector<Node>& nodes() const { return nodes_; }

  /// Seconds of the phases called `phase` at the top of the tree.
  double seconds(std::string_view phase) const;

  /// The phases open now, outermost first: "setup > galerkin product (level 1)"; empty when none is open.
  std::string current_path() const;

  /// Forget everything measured. Only while no phase is open and Context::collect_times() has nothing left to book.
  void clear();

  /// Open the phase (called by ScopedTimer); returns its index in nodes(). `level` no_level takes the enclosing
  /// phase's.
  int open(std::string_view phase, int level);
  /// Close the innermost phase, adding the seconds it took.
  void close(double seconds);
  /// Close it, untimed as far as is known now.
  void close();
  /// Add the seconds of a call of a phase that was closed without.
  void add_seconds(int node, double seconds);
  /// Add work to the innermost open phase; ignored while none is open.
  void add(const Work& work);
  /// Remember a choice and its reason with the innermost open phase, for a report to tell; ignored while none is open.
  /// A text that the phase has already is not repeated.
  void note(std::string text);

  /// Calls and work of a phase.
  struct Booking {
    int node;
    std::int64_t calls;
    Work work;
  };
  /// What was booked since the phases were `before`.
  std::vector<Booking> booked_since(const std::vector<Node>& before) const;
  /// Book that once more, or take it back: −1 times.
  void book(std::span<const Booking> bookings, std::int64_t times);

  /// Where it stands: bookings are those of the phases there.
  struct Place {
    std::int64_t clears;
    int open;  ///< the innermost phase; −1: none

    bool operator==(const Place&) const = default;
  };
  Place place() const { return {clears_, open_.empty() ? -1 : open_.back()}; }

 private:
  std::vector<Node> nodes_;
  std::vector<int> open_;
  std::int64_t clears_ = 0;
};

}  // namespace amgsolve
