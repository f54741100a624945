#pragma once

#include <vector>

#include "core/exchange.hpp"
#include "spmv/global_rows.hpp"

namespace amgsolve {

/// Messages of the columns and the values of entries that lie one after another, as many at once as there are
/// neighbours.
template <MemorySpace S>
class EntryMessages {
 public:
  template <class T>
  void send(int rank, const std::int64_t* columns, const T* values, Offset begin, Offset end) {
    const auto count = static_cast<std::size_t>(end - begin);
    add_message(sends_, rank, Span<const std::int64_t, S>(columns + begin, count));
    add_message(sends_, rank, Span<const T, S>(values + begin, count));
  }
  template <class T>
  void receive(int rank, GlobalRows<T, S>& rows, Offset begin, Offset end) {
    const auto first = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end - begin);
    add_message(receives_, rank, rows.col_indices.span().subspan(first, count));
    add_message(receives_, rank, rows.values.span().subspan(first, count));
  }
  void exchange(Context<S>& ctx) const { amgsolve::exchange(ctx, sends_, receives_); }

 private:
  std::vector<Communicator::Outgoing> sends_;
  std::vector<Communicator::Incoming> receives_;
};

/// `count` of the values, from the one behind `first` others.
template <class T, MemorySpace S>
Span<T, S> part(Span<T, S> values, Index first, Index count) {
  return values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace amgsolve
