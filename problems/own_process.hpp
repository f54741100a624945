#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Libraries that read files for us, in a process of their own: one that falls over on damaged data, waits for ever or
/// takes all memory ends in an error, and one that works long can be left.
namespace amgsolve {

/// What that process sends, in the order in which it is taken.
class ProcessSink {
 public:
  explicit ProcessSink(int pipe) : pipe_(pipe) {}

  template <class V>
  void put(const V& value) const {
    static_assert(std::is_trivially_copyable_v<V>);
    write(&value, sizeof(V));
  }
  /// Their number goes first.
  template <class V>
  void put(const V* values, std::size_t count) const {
    put(count);
    write(values, count * sizeof(V));
  }

 private:
  void write(const void* bytes, std::size_t size) const;

  int pipe_;
};

class ProcessSource {
 public:
  /// @param wait  is called until there are bytes, or no more will come
  ProcessSource(int pipe, std::function<void()> wait) : pipe_(pipe), wait_(std::move(wait)) {}

  /// Each throws Ended where the process ends before.
  struct Ended {};
  template <class V>
  V take() const {
    V value;
    read(&value, sizeof(V));
    return value;
  }
  template <class V>
  std::vector<V> take_all() const {
    const auto count = take<std::size_t>();
    std::vector<V> values;
    // A process that has lost its mind may claim any number.
    constexpr std::size_t step = std::size_t{1} << 20;
    while (values.size() < count) {
      const std::size_t there = values.size();
      values.resize(std::min(count, there + std::max(there, step)));
      read(values.data() + there, (values.size() - there) * sizeof(V));
    }
    return values;
  }
  /// As many as were put.
  template <class V>
  void take_all(V* values, std::size_t count) const {
    if (take<std::size_t>() != count) {
      throw Ended();
    }
    read(values, count * sizeof(V));
  }
  /// Whether nothing more comes, which it waits for.
  bool is_at_end() const;

 private:
  void read(void* bytes, std::size_t size) const;

  int pipe_;
  std::function<void()> wait_;
};

/// What a process may take.
struct ProcessBounds {
  std::chrono::duration<double> time{std::numeric_limits<double>::infinity()};
  std::size_t memory = std::numeric_limits<std::size_t>::max();  ///< bytes of address space, beside what is there

  /// For reading a file: a hundred times what a good one takes.
  static ProcessBounds of_file(std::size_t bytes);
};

/// Calls work(sink) in a process that is forked for it, where nothing but the library should be at work, least of all
/// threads, and take(source) here.
/// @param name     of the file or problem, for errors
/// @param library  its name, for errors
/// @param poll     is called here every some milliseconds; what it throws ends the process
/// Throws InputError that work() threw; InputError "name: ..." where the process falls over, takes too long or sends
/// something else than what is taken; OutOfMemoryError where it has no memory, or none is there for another process.
void in_own_process(const std::string& name, std::string_view library, const ProcessBounds& bounds,
                    const std::function<void()>& poll, const std::function<void(const ProcessSink&)>& work,
                    const std::function<void(const ProcessSource&)>& take);

}  // namespace amgsolve
