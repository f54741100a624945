#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "core/vectors_host.hpp"
#include "spmv/spmv_steps.hpp"

/// A row of a product on the host, in any storage.
namespace amgsolve::detail {

/// The values that sums of terms are made of.
template <class Sum>
using ScalarOf = std::conditional_t<std::is_floating_point_v<Sum>, Sum, double>;

/// Several sums side by side.
template <class Sum, std::size_t Lanes>
struct LaneSums {
  Vector<Sum, Lanes> values;

  void add(const Vector<Sum, Lanes>& terms) { values += terms; }
  void store_to(Sum* sums) const { store_lanes<Lanes>(values, sums); }
};

template <std::size_t Lanes>
struct LaneSums<JudgedSum, Lanes> {
  Vector<double, Lanes> values;
  Vector<double, Lanes> errors;
  Vector<double, Lanes> magnitudes;

  void add(const Vector<double, Lanes>& terms) {
    add_exactly(values, errors, terms);
    magnitudes += terms < 0.0 ? -terms : terms;
  }
  void store_to(JudgedSum* sums) const {
    double of_lanes[3][Lanes];
    store_lanes<Lanes>(values, of_lanes[0]);
    store_lanes<Lanes>(errors, of_lanes[1]);
    store_lanes<Lanes>(magnitudes, of_lanes[2]);
    for (std::size_t l = 0; l < Lanes; ++l) {
      sums[l].value = of_lanes[0][l];
      sums[l].error = of_lanes[1][l];
      sums[l].magnitude = of_lanes[2][l];
    }
  }
};

/// The sums of Width columns of a row, in vectors: those of an array the compiler would load and store again for each
/// entry, which takes twice as long.
template <Index Width, class Sum>
class RowSums {
 public:
  /// @param x  the values of X that `value` is a factor of, for each column
  template <class T>
  [[gnu::always_inline]] void add(T value, const T* x) {
    const auto factor = static_cast<Scalar>(value);
#pragma GCC unroll 16
    for (std::size_t v = 0; v < vectors; ++v) {
      sums_[v].add(factor * __builtin_convertvector(load_lanes<lanes>(x + v * lanes), Vector<Scalar, lanes>));
    }
  }
  [[gnu::always_inline]] void store_to(Sum* sums) const {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < vectors; ++v) {
      sums_[v].store_to(sums + v * lanes);
    }
  }

 private:
  using Scalar = ScalarOf<Sum>;
  static constexpr std::size_t lanes = lanes_of<Scalar>(Width);
  static constexpr std::size_t vectors = Width / lanes;
  LaneSums<Sum, lanes> sums_[vectors] = {};
};

template <class Sum>
class RowSums<1, Sum> {
 public:
  template <class T>
  [[gnu::always_inline]] void add(T value, const T* x) {
    sum_ += static_cast<Sum>(value) * static_cast<Sum>(*x);
  }
  [[gnu::always_inline]] void store_to(Sum* sum) const { *sum = sum_; }

 private:
  Sum sum_ = {};
};

// How many entries ahead they are asked for, across the ends of rows and past the end of the arrays too: the longer the
// rows, the more it saves.
inline constexpr Offset prefetch_distance = 256;

/// sums_j = Σ_l a_il x_lj for Width columns j of one row from `first` on, in the order of its entries. X has k columns.
template <Index Width, class T, class Columns, class Sum>
[[gnu::always_inline]] inline void multiply_row(const CsrRef<T>& A, Index i, const T* X, Columns k, Index first,
                                                Sum* sums) {
  constexpr Offset cache_line = 64 / sizeof(T);
  RowSums<Width, Sum> row;
  Offset entry = A.row_offsets[i];
  const Offset end = A.row_offsets[i + 1];
  while (entry < end) {
    __builtin_prefetch(A.values + entry + prefetch_distance);
    __builtin_prefetch(A.col_indices + entry + prefetch_distance);
    const Offset chunk_end = std::min(entry + cache_line, end);
    for (; entry < chunk_end; ++entry) {
      row.add(A.values[entry], X + Offset{A.col_indices[entry]} * k + first);
    }
  }
  row.store_to(sums);
}

/// The same for a padded storage. The other rows of its block lie between the entries: the first row brings them all
/// into cache.
template <Index Width, class Ref, class T, class Columns, class Sum>
[[gnu::always_inline]] inline void multiply_row(const Ref& A, Index i, const T* X, Columns k, Index first, Sum* sums) {
  RowSums<Width, Sum> row;
  const auto entries = A.row(i);
  for (Index e = 0; e < entries.count; ++e) {
    const Index column = entries.column(e);
    if (Ref::has_padding && column == padding) {
      break;
    }
    row.add(A.values[entries.place(e)], X + Offset{column} * k + first);
  }
  row.store_to(sums);
}

}  // namespace amgsolve::detail
