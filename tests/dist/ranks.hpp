#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/copy.hpp"
#include "dist/local_matrix.hpp"
#include "dist/partition.hpp"

/// What the tests that run under mpirun share. All ranks run all tests; one prints.
namespace amgsolve::ranks {

/// All ranks of the program, with room that is filled with NaN (−1 where it holds integers) before anything is
/// received.
const Communicator& world();

/// The same ranks for contexts of devices, of which ranks of one machine share those that there are.
const Communicator& device_world();

/// The device of this rank.
int device();

/// A context of all ranks, and one of this rank alone.
template <MemorySpace S>
Context<S> shared_context() {
  if constexpr (std::same_as<S, Host>) {
    return Context<Host>(1, world());
  } else {
    return Context<Cuda>(device(), nullptr, device_world());
  }
}
template <MemorySpace S>
Context<S> own_context() {
  if constexpr (std::same_as<S, Host>) {
    return Context<Host>(1);
  } else {
    return Context<Cuda>(device());
  }
}

/// Cuts of n rows for the ranks at hand: even ones, uneven ones, everything on the last rank, and empty strips between
/// others.
enum class Cut { even, uneven, last, gaps };

inline std::string to_string(Cut cut) {
  constexpr const char* names[] = {"even", "uneven", "last", "gaps"};
  return names[static_cast<int>(cut)];
}

inline std::vector<Cut> all_cuts() { return {Cut::even, Cut::uneven, Cut::last, Cut::gaps}; }

/// Rows of this rank.
inline std::int64_t own_rows(const Communicator& communicator, Cut cut, std::int64_t n) {
  const std::int64_t size = communicator.size();
  const std::int64_t rank = communicator.rank();
  const auto begin = [&](std::int64_t r) {
    if (r <= 0 || r >= size) {
      return r <= 0 ? std::int64_t{0} : n;
    }
    switch (cut) {
      case Cut::even:
        return n * r / size;
      case Cut::uneven:  // a strip within a block of 4096 among them
        return std::min(n, 1000 * r + n * r * r / (2 * size * size));
      case Cut::last:
        break;
      case Cut::gaps:
        return n * ((r + 1) / 2 * 2 - 1) / size;  // every second one is empty
    }
    return std::int64_t{0};
  };
  return begin(rank + 1) - begin(rank);
}

/// This rank's rows of a matrix.
template <class T>
GlobalRows<T, Host> rows_of(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const Partition& partition) {
  const auto first = static_cast<std::size_t>(partition.first(ctx.communicator().rank()));
  const auto rows = static_cast<std::size_t>(partition.rows(ctx.communicator().rank()));
  const auto begin = static_cast<std::size_t>(A.row_offsets[first]);
  const auto entries = static_cast<std::size_t>(A.row_offsets[first + rows]) - begin;
  GlobalRows<T, Host> result{Buffer<Offset, Host>(ctx, rows + 1), Buffer<std::int64_t, Host>(ctx, entries),
                             Buffer<T, Host>(ctx, entries)};
  for (std::size_t i = 0; i <= rows; ++i) {
    result.row_offsets[i] = A.row_offsets[first + i] - A.row_offsets[first];
  }
  std::copy_n(A.col_indices.data() + begin, entries, result.col_indices.data());
  std::copy_n(A.values.data() + begin, entries, result.values.data());
  return result;
}

/// The same with 32 bits a column.
template <class T>
RankRows<T, Host> narrow_rows_of(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const Partition& partition) {
  GlobalRows<T, Host> wide = rows_of(ctx, A, partition);
  Buffer<Index, Host> columns(ctx, wide.col_indices.size());
  std::ranges::transform(wide.col_indices.span(), columns.data(), [](std::int64_t c) { return static_cast<Index>(c); });
  RankRows<T, Host> result(std::move(wide));
  result.col_indices = std::move(columns);
  return result;
}

/// Rows of a rank in the memory of a context.
template <class T, MemorySpace S>
GlobalRows<T, S> upload_rows(Context<S>& ctx, const CsrMatrix<T, Host>& A, const Partition& partition) {
  Context<Host> host(1, world());
  const GlobalRows<T, Host> rows = rows_of(host, A, partition);
  return {upload(ctx, rows.row_offsets.span()), upload(ctx, rows.col_indices.span()), upload(ctx, rows.values.span())};
}

/// This rank's rows of values that all ranks know, k of them a row.
template <class T>
std::vector<T> rows_of(const std::vector<T>& values, const Partition& partition, int rank, std::size_t k = 1) {
  return {values.begin() + static_cast<std::ptrdiff_t>(partition.first(rank)) * static_cast<std::ptrdiff_t>(k),
          values.begin() + static_cast<std::ptrdiff_t>(partition.end(rank)) * static_cast<std::ptrdiff_t>(k)};
}

/// Whether two vectors have the same bits.
template <class T>
bool same_bits(std::span<const T> x, std::span<const T> y) {
  return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size_bytes()) == 0);
}

}  // namespace amgsolve::ranks
