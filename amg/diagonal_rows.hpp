#pragma once

#include <cmath>
#include <limits>

#include "amg/diagonal.hpp"
#include "core/instantiate.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of diagonal.hpp that go row by row, written once for both memory spaces: parallel_for,
/// transform_reduce and find_first are those of the context.
namespace amgsolve {

template <class T, MemorySpace S>
Index find_non_positive_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> d) {
  const CsrRef<T> a = ref_of(A);
  const T* const diagonal = d.data();
  // Rows whose entries have to be read are rare.
  const std::int64_t row = find_first(ctx, A.rows, [a, diagonal] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    if (diagonal[i] > T{0}) {
      return false;
    }
    bool bad = diagonal[i] != T{0};
    for (Offset k = a.row_offsets[i]; !bad && k < a.row_offsets[i + 1]; ++k) {
      bad = a.values[k] != T{0};
    }
    return bad;
  });
  return row == A.rows ? -1 : static_cast<Index>(row);
}

struct Larger {
  AMGSOLVE_HOST_DEVICE double operator()(double a, double b) const { return a < b ? b : a; }
};

/// Whether row i of a coarse A may be what rounding leaves of zero, by its entries' places and its diagonal entry.
template <class T>
struct MayBeRounding {
  CsrRef<T> A;
  const T* diagonal;
  Index node_size;

  AMGSOLVE_HOST_DEVICE bool operator()(std::int64_t i) const {
    return A.row_offsets[i + 1] - A.row_offsets[i] <= node_size || !(diagonal[i] > T{0});
  }
};

/// Whether it is, beside the terms of its sums.
template <class T>
struct IsRounding {
  /// Of sums over the nodes of aggregates of aggregates.
  static constexpr T some_roundings = 64 * std::numeric_limits<T>::epsilon();

  MayBeRounding<T> may_be;
  CsrRef<T> R;
  const T* finest;

  AMGSOLVE_HOST_DEVICE bool operator()(std::int64_t i) const {
    if (!may_be(i)) {
      return false;
    }
    T terms = 0;
    for (Offset k = R.row_offsets[i]; k < R.row_offsets[i + 1]; ++k) {
      terms += R.values[k] * R.values[k] * std::abs(finest[R.col_indices[k]]);
    }
    bool is_rounding = terms > T{0};
    const CsrRef<T>& A = may_be.A;
    for (Offset k = A.row_offsets[i]; is_rounding && k < A.row_offsets[i + 1]; ++k) {
      is_rounding = std::abs(A.values[k]) <= some_roundings * terms;
    }
    return is_rounding;
  }
};

template <class T, MemorySpace S>
bool may_have_rounding_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> d,
                            Index node_size) {
  return find_first(ctx, A.rows, MayBeRounding<T>{ref_of(A), d.data(), node_size}) < A.rows;
}

template <class T, MemorySpace S>
bool clear_rounding_rows(Context<S>& ctx, const CsrMatrix<T, S>& R, std::type_identity_t<Span<const T, S>> f,
                         std::type_identity_t<Span<const T, S>> d, Index node_size, CsrMatrix<T, S>& A) {
  const IsRounding<T> is_rounding{{ref_of(A), d.data(), node_size}, ref_of(R), f.data()};
  if (find_first(ctx, A.rows, is_rounding) == A.rows) {
    return false;
  }
  T* const values = A.values.data();
  parallel_for(ctx, A.rows, [is_rounding, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    if (is_rounding(i)) {
      const CsrRef<T>& a = is_rounding.may_be.A;
      for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
        values[k] = T{0};
      }
    }
  });
  return true;
}

template <class T, MemorySpace S>
double largest_entry(Context<S>& ctx, Span<const T, S> d) {
  const T* const entries = d.data();
  return transform_reduce(
      ctx, static_cast<std::int64_t>(d.size()), 0.0,
      [entries] AMGSOLVE_HOST_DEVICE(std::int64_t i) { return std::abs(static_cast<double>(entries[i])); }, Larger());
}

template <class T, MemorySpace S>
void invert_diagonal(Context<S>& ctx, Span<const T, S> d, std::type_identity_t<Span<T, S>> inverse) {
  const T* const diagonal = d.data();
  T* const result = inverse.data();
  parallel_for(ctx, static_cast<std::int64_t>(d.size()), [diagonal, result] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    result[i] = diagonal[i] > T{0} ? T{1} / diagonal[i] : T{0};
  });
}

template <class T, MemorySpace S>
void equilibrate_rows(Context<S>& ctx, Span<const T, S> d, std::type_identity_t<Span<T, S>> scale,
                      std::type_identity_t<Span<T, S>> inverse) {
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T most = T{1} / least;
  const T* const diagonal = d.data();
  T* const scales = scale.data();
  T* const inverses = inverse.data();
  parallel_for(ctx, static_cast<std::int64_t>(d.size()),
               [diagonal, scales, inverses] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 const T size = std::abs(diagonal[i]);
                 const bool is_ordinary = size > least && size < most;
                 scales[i] = is_ordinary ? T{1} / size : T{1};
                 inverses[i] = is_ordinary ? size : T{1};
               });
}

template <class T, MemorySpace S>
void invert_roots(Context<S>& ctx, Span<const T, S> d, std::type_identity_t<Span<T, S>> inverse) {
  const T* const diagonal = d.data();
  T* const result = inverse.data();
  parallel_for(ctx, static_cast<std::int64_t>(d.size()), [diagonal, result] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    result[i] = diagonal[i] != T{0} ? T{1} / std::sqrt(std::abs(diagonal[i])) : T{0};
  });
}

template <class T, MemorySpace S>
void scale_by_roots(Context<S>& ctx, std::type_identity_t<Span<const T, S>> d, std::type_identity_t<Span<T, S>> x) {
  const T* const diagonal = d.data();
  T* const result = x.data();
  parallel_for(ctx, static_cast<std::int64_t>(d.size()), [diagonal, result] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    result[i] = diagonal[i] > T{0} ? std::sqrt(diagonal[i]) * result[i] : T{0};
  });
}

template <class T, MemorySpace S>
double largest_inverse_product(Context<S>& ctx, Span<const T, S> x, std::type_identity_t<Span<const T, S>> d) {
  const T* const factors = x.data();
  const T* const diagonal = d.data();
  return transform_reduce(
      ctx, static_cast<std::int64_t>(x.size()), 0.0,
      [factors, diagonal] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        return diagonal[i] > T{0} ? 1.0 / (static_cast<double>(factors[i]) * static_cast<double>(diagonal[i])) : 0.0;
      },
      Larger());
}

template <class T, MemorySpace S>
void invert_hybrid_norms(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_rows,
                         std::type_identity_t<Span<T, S>> inverse) {
  const CsrRef<T> a = ref_of(A);
  T* const result = inverse.data();
  parallel_for(ctx, A.rows, [a, block_rows, result] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    T diagonal = 0;
    T outside = 0;
    for (Offset k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      const Index j = a.col_indices[k];
      if (j == i) {
        diagonal += a.values[k];
      } else if (j / block_rows != i / block_rows) {
        outside += std::abs(a.values[k]);
      }
    }
    result[i] = diagonal > T{0} ? T{1} / (diagonal + outside) : T{0};
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template Index find_non_positive_diagonal(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>);                 \
  template bool may_have_rounding_rows(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, Index);               \
  template bool clear_rounding_rows(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, Span<const T, S>, Index, \
                                    CsrMatrix<T, S>&);                                                              \
  template double largest_entry(Context<S>&, Span<const T, S>);                                                     \
  template void invert_diagonal(Context<S>&, Span<const T, S>, Span<T, S>);                                         \
  template void equilibrate_rows(Context<S>&, Span<const T, S>, Span<T, S>, Span<T, S>);                            \
  template void invert_roots(Context<S>&, Span<const T, S>, Span<T, S>);                                            \
  template void scale_by_roots<T, S>(Context<S>&, Span<const T, S>, Span<T, S>);                                    \
  template double largest_inverse_product(Context<S>&, Span<const T, S>, Span<const T, S>);                         \
  template void invert_hybrid_norms(Context<S>&, const CsrMatrix<T, S>&, Index, Span<T, S>);                        \
  template void invert_l1_norms(Context<S>&, const CsrMatrix<T, S>&, Span<T, S>);

}  // namespace amgsolve
