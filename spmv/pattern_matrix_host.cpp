#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "core/hash.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "spmv/pattern_matrix_rows.hpp"

namespace amgsolve {
namespace {

/// What products with the rows of a slice depend on: their patterns, and their values, which lie together in CSR.
template <class T>
struct SliceRows {
  const std::uint8_t* patterns;
  std::size_t rows;
  const T* values;
  std::size_t entries;

  SliceRows(const CsrMatrix<T, Host>& A, const RowPatterns<Host>& of, std::int64_t slice) {
    const std::int64_t first = slice * slice_rows;
    const std::int64_t last = std::min<std::int64_t>(first + slice_rows, A.rows);
    const Offset* const offsets = A.row_offsets.data();
    patterns = of.of_row.data() + first;
    rows = static_cast<std::size_t>(last - first);
    values = A.values.data() + offsets[first];
    entries = static_cast<std::size_t>(offsets[last] - offsets[first]);
  }

  /// Bit by bit.
  bool operator==(const SliceRows& other) const {
    const bool are_alike = rows == other.rows && entries == other.entries;
    // A matrix without entries has no array of values, which memcmp() must not have.
    return are_alike && std::memcmp(patterns, other.patterns, rows) == 0 &&
           (entries == 0 || std::memcmp(values, other.values, entries * sizeof(T)) == 0);
  }

  /// The same for equal ones, seldom for others. Sums in chains that need not wait for each other.
  std::uint64_t key() const {
    using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
    constexpr std::size_t chains = 8;
    std::array<std::uint64_t, chains> sums{};
    for (std::size_t k = 0; k < entries; k += chains) {
      for (std::size_t c = 0; c < std::min(chains, entries - k); ++c) {
        sums[c] = sums[c] * golden_factor + std::bit_cast<Bits>(values[k + c]);
      }
    }
    std::uint64_t key = rows;
    for (std::size_t i = 0; i < rows; ++i) {
      key = key * golden_factor + patterns[i];
    }
    return std::accumulate(sums.begin(), sums.end(), key,
                           [](std::uint64_t a, std::uint64_t b) { return hash64(a ^ b); });
  }
};

}  // namespace

/// By a table of keys. Most slices are those before them: comparing is all that they cost.
template <class T>
bool detail::find_first_alike(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const RowPatterns<Host>& patterns,
                              Span<Index, Host> firsts) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto keys = scope.take<std::uint64_t>(firsts.size());
  const auto leaders = scope.take<Index>(firsts.size());  // the first of neighbours that are equal
  const auto slices = static_cast<std::int64_t>(firsts.size());
  const auto rows_of = [&](std::int64_t slice) { return SliceRows<T>(A, patterns, slice); };
  parallel_ranges(
      ctx, slices,
      [&](std::int64_t begin, std::int64_t end) {
        Index leader = 0;
        for (std::int64_t s = begin; s < end; ++s) {
          if (s == begin || !(rows_of(s) == rows_of(s - 1))) {
            leader = static_cast<Index>(s);
            keys.data()[s] = rows_of(s).key();
          }
          leaders.data()[s] = leader;
        }
      },
      slice_rows * row_work);
  const auto for_leaders = [&](const auto& body) {
    parallel_for(
        ctx, slices,
        [&](std::int64_t s) {
          if (leaders.data()[s] == s) {
            body(s);
          }
        },
        slice_rows * row_work);
  };
  const AlikeTable<KeysOfSlices> table = empty_table<Host>(ctx, scope, keys);
  for_leaders([&](std::int64_t s) {
    if (!table.is_seen_full()) {
      firsts.data()[s] = table.enter(static_cast<Index>(s));
    }
  });
  if (*table.count > table.most) {
    std::iota(firsts.data(), firsts.data() + slices, Index{0});
    return false;
  }
  for_leaders([&](std::int64_t s) {
    Index& first = firsts.data()[s];
    first = table.firsts[first];
    if (first != s && !(rows_of(s) == rows_of(first))) {
      first = static_cast<Index>(s);
    }
  });
  parallel_for(ctx, slices, [&](std::int64_t s) { firsts.data()[s] = firsts.data()[leaders.data()[s]]; });
  Index slice = 0;
  return std::any_of(firsts.data(), firsts.data() + slices, [&](Index first) { return first != slice++; });
}

template <class T>
double different_slices(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const RowPatterns<Host>& patterns) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto firsts = scope.take<Index>(static_cast<std::size_t>(slice_count(A.rows)));
  detail::find_first_alike<T>(ctx, A, patterns, firsts);
  Index different = 0;
  for (Index s = 0; s < slice_count(A.rows); ++s) {
    different += firsts.data()[s] == s ? 1 : 0;
  }
  return static_cast<double>(different) / std::max(slice_count(A.rows), Index{1});
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                           \
  template PatternMatrix<T, S> store(Context<S>&, const CsrMatrix<T, S>&, RowPatterns<S>&&); \
  template double different_slices(Context<S>&, const CsrMatrix<T, S>&, const RowPatterns<S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
