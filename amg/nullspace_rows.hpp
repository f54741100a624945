#pragma once

#include <cmath>

#include "amg/nullspace_steps.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "spmv/spmv_steps.hpp"

/// The bodies of nullspace_steps.hpp, written once for both memory spaces: parallel_for, transform_reduce and
/// find_first are those of the context.
namespace amgsolve::detail {

/// Below this part of its square a pivot is what rounding left of a candidate that depends on others.
inline constexpr double vanishing_square = 1e-12;

/// Whether a sum is more than rounding may leave of a zero.
AMGSOLVE_HOST_DEVICE inline bool is_beyond_zero(double sum, double magnitude, double tolerance) {
  return !(std::fabs(sum) <= tolerance * magnitude);
}

/// The component of a node; null numbers: there is one component.
AMGSOLVE_HOST_DEVICE inline Index component_of(const Index* of_node, std::int64_t node) {
  return of_node == nullptr ? 0 : of_node[node];
}

/// Row i of A times column j of B.
template <class T>
AMGSOLVE_HOST_DEVICE JudgedSum image_of_row(const CsrRef<T>& A, std::int64_t i, const PlacedVectors<T>& B,
                                            std::int64_t j) {
  JudgedSum sum{};
  for (Offset entry = A.row_offsets[i]; entry < A.row_offsets[i + 1]; ++entry) {
    sum += static_cast<double>(A.values[entry]) * B.value(A.col_indices[entry], j);
  }
  return sum;
}

/// Whether row i has |A B| > tolerance |A| |B| for a column of B.
template <class T>
AMGSOLVE_HOST_DEVICE bool is_row_beyond_zero(const CsrRef<T>& A, std::int64_t i, const PlacedVectors<T>& B,
                                             double tolerance) {
  for (std::int64_t j = 0; j < B.columns; ++j) {
    const JudgedSum sum = image_of_row(A, i, B, j);
    if (is_beyond_zero(sum.value + sum.error, sum.magnitude, tolerance)) {
      return true;
    }
  }
  return false;
}

template <class T, MemorySpace S>
bool has_row_beyond_zero(Context<S>& ctx, const CsrMatrix<T, S>& A, Same<MultiVectorView<const T, S>> candidates,
                         double tolerance, Index rows) {
  const CsrRef<T> a = ref_of(A);
  const PlacedVectors<T> B{candidates.data, candidates.columns, candidates.rows, candidates.rows};
  const std::int64_t first = find_first(ctx, rows, [a, B, tolerance] AMGSOLVE_HOST_DEVICE(std::int64_t row) {
    return is_row_beyond_zero(a, row, B, tolerance);
  });
  return first < rows;
}

template <class T, MemorySpace S>
bool has_node_without_candidates(Context<S>& ctx, Same<MultiVectorView<const T, S>> candidates, Index block_size) {
  const T* const B = candidates.data;
  const std::int64_t values = std::int64_t{block_size} * candidates.columns;
  const std::int64_t nodes = candidates.rows / block_size;
  return find_first(ctx, nodes, [B, values] AMGSOLVE_HOST_DEVICE(std::int64_t node) {
           bool is_zero = true;
           for (std::int64_t i = node * values; is_zero && i < (node + 1) * values; ++i) {
             is_zero = B[i] == T{0};
           }
           return is_zero;
         }) < nodes;
}

template <class T, MemorySpace S>
std::int64_t count_rows_beyond_zero(Context<S>& ctx, const CsrMatrix<T, S>& A, const PlacedVectors<T>& B,
                                    double tolerance, RowStrata sample) {
  const CsrRef<T> a = ref_of(A);
  return transform_reduce(
      ctx, sample.count, std::int64_t{0},
      [a, B, tolerance, sample] AMGSOLVE_HOST_DEVICE(std::int64_t stratum) {
        return std::int64_t{is_row_beyond_zero(a, sample.row(stratum), B, tolerance) ? 1 : 0};
      },
      [] AMGSOLVE_HOST_DEVICE(std::int64_t x, std::int64_t y) { return x + y; });
}

AMGSOLVE_HOST_DEVICE inline std::int64_t in_units_of_image(double part) {
  return static_cast<std::int64_t>(part * units_of_image + 0.5);
}

/// a_ii B_ij.
/// @param own  the row of B, and the column of A, that belongs to row i
template <class T>
AMGSOLVE_HOST_DEVICE double own_part(const CsrRef<T>& A, std::int64_t i, const PlacedVectors<T>& B, std::int64_t j,
                                     std::int64_t own) {
  double part = 0.0;
  for (Offset entry = A.row_offsets[i]; entry < A.row_offsets[i + 1]; ++entry) {
    if (A.col_indices[entry] == own) {
      part = static_cast<double>(A.values[entry]) * B.value(own, j);
    }
  }
  return part;
}

/// Whether no other a_ik B_kj has the sign of a_ii B_ij.
/// @param own  the row of B, and the column of A, that belongs to row i
template <class T>
AMGSOLVE_HOST_DEVICE bool is_lone(const CsrRef<T>& A, std::int64_t i, const PlacedVectors<T>& B, std::int64_t j,
                                  std::int64_t own, bool is_positive) {
  bool result = true;
  for (Offset entry = A.row_offsets[i]; result && entry < A.row_offsets[i + 1]; ++entry) {
    const Index column = A.col_indices[entry];
    const double part = static_cast<double>(A.values[entry]) * B.value(column, j);
    result = column == own || !(is_positive ? part > 0.0 : part < 0.0);
  }
  return result;
}

template <class T, MemorySpace S>
RelativeImages sum_relative_images(Context<S>& ctx, const CsrMatrix<T, S>& A, const PlacedVectors<T>& B,
                                   RowStrata sample, std::int64_t first_row, Index first_own) {
  const CsrRef<T> a = ref_of(A);
  const std::int64_t rows = A.rows;
  return transform_reduce(
      ctx, sample.count, RelativeImages{},
      [a, B, sample, first_row, first_own, rows] AMGSOLVE_HOST_DEVICE(std::int64_t stratum) {
        const std::int64_t row = sample.row(stratum) - first_row;
        double largest = 0.0;
        double opposite = 0.0;
        double lone = 0.0;
        double by_signs = 0.0;
        for (std::int64_t j = 0; row >= 0 && row < rows && j < B.columns; ++j) {
          const JudgedSum sum = image_of_row(a, row, B, j);
          const double signed_image = sum.value + sum.error;
          const double image = std::fabs(signed_image);
          const double part = image < sum.magnitude ? image / sum.magnitude : sum.magnitude == 0.0 ? 0.0 : 1.0;
          largest = part > largest ? part : largest;
          const double own = own_part(a, row, B, j, first_own + row);
          if (own < 0.0 ? signed_image > 0.0 : own > 0.0 && signed_image < 0.0) {
            opposite = part > opposite ? part : opposite;
            lone = part > lone && is_lone(a, row, B, j, first_own + row, own > 0.0) ? part : lone;
          }
          const double beyond_others = 2.0 * std::fabs(own) - sum.magnitude;
          const double left = beyond_others > 0.0 ? part - beyond_others / sum.magnitude : part;
          by_signs = left > by_signs ? left : by_signs;
        }
        return RelativeImages{in_units_of_image(largest), in_units_of_image(opposite), in_units_of_image(lone),
                              in_units_of_image(by_signs)};
      },
      [] AMGSOLVE_HOST_DEVICE(RelativeImages x, RelativeImages y) {
        return RelativeImages{x.all + y.all, x.opposite + y.opposite, x.lone + y.lone, x.by_signs + y.by_signs};
      });
}

template <class T, MemorySpace S>
void flag_nodes_beyond_zero(Context<S>& ctx, Same<MultiVectorView<const double, S>> residual,
                            Same<MultiVectorView<const T, S>> magnitudes, double tolerance, Index block_size,
                            Same<MultiVectorView<double, S>> flags) {
  const double* const r = residual.data;
  const T* const m = magnitudes.data;
  double* const to = flags.data;
  const std::int64_t k = flags.columns;
  const std::int64_t b = block_size;
  parallel_for(ctx, static_cast<std::int64_t>(flags.size()),
               [r, m, to, k, b, tolerance] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 double flag = 0.0;
                 for (std::int64_t u = 0; u < b; ++u) {
                   const std::int64_t place = (i / k * b + u) * k + i % k;
                   if (is_beyond_zero(r[place], static_cast<double>(m[place]), tolerance)) {
                     flag = 1.0;
                   }
                 }
                 to[i] = flag;
               });
}

template <class T, MemorySpace S>
void relative_images(Context<S>& ctx, Same<MultiVectorView<const double, S>> images,
                     Same<MultiVectorView<const T, S>> magnitudes, double tolerance,
                     Same<MultiVectorView<double, S>> result) {
  const double* const r = images.data;
  const T* const m = magnitudes.data;
  double* const to = result.data;
  const std::int64_t k = images.columns;
  parallel_for(ctx, images.rows, [r, m, to, k, tolerance] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    double whole = 0.0;
    for (std::int64_t place = i * k; place < (i + 1) * k; ++place) {
      whole += static_cast<double>(m[place]);
    }
    for (std::int64_t place = i * k; place < (i + 1) * k; ++place) {
      to[place] = is_beyond_zero(r[place], static_cast<double>(m[place]), tolerance) ? r[place] / whole : 0.0;
    }
  });
}

template <class T, MemorySpace S>
void keep_candidates(Context<S>& ctx, Same<MultiVectorView<const T, S>> candidates, Index block_size,
                     const Aggregates<S>& components, Same<MultiVectorView<const double, S>> flagged,
                     Same<MultiVectorView<double, S>> kept) {
  const T* const B = candidates.data;
  const double* const flags = flagged.data;
  const Index* const of_node = components.of_node.data();
  double* const to = kept.data;
  const std::int64_t k = candidates.columns;
  const std::int64_t b = block_size;
  parallel_for(ctx, static_cast<std::int64_t>(kept.size()),
               [B, flags, of_node, to, k, b] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 const bool counts = flags[component_of(of_node, i / (k * b)) * k + i % k] == 0.0;
                 to[i] = counts ? static_cast<double>(B[i]) : 0.0;
               });
}

template <class T, MemorySpace S>
void multiply_nodes(Context<S>& ctx, Same<MultiVectorView<const double, S>> N, Same<MultiVectorView<const T, S>> X,
                    Index block_size, Same<MultiVectorView<double, S>> products) {
  const double* const n = N.data;
  const T* const x = X.data;
  double* const to = products.data;
  const std::int64_t k = N.columns;
  const std::int64_t c = X.columns;
  const std::int64_t b = block_size;
  parallel_for(ctx, static_cast<std::int64_t>(products.size()),
               [n, x, to, k, c, b] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 const std::int64_t node = i / (k * c);
                 const std::int64_t p = i / c % k;
                 const std::int64_t q = i % c;
                 double sum = 0.0;
                 for (std::int64_t row = node * b; row < (node + 1) * b; ++row) {
                   sum += n[row * k + p] * static_cast<double>(x[row * c + q]);
                 }
                 to[i] = sum;
               });
}

/// k of the k × k matrices of components.
template <class Matrices>
std::int64_t candidates_of(const Matrices& components) {
  return std::lround(std::sqrt(static_cast<double>(components.columns)));
}

template <MemorySpace S>
NullityCounts factor_components(Context<S>& ctx, MultiVectorView<double, S> gram) {
  double* const all = gram.data;
  const std::int64_t k = candidates_of(gram);
  return transform_reduce(
      ctx, gram.rows, NullityCounts{0, 0},
      [all, k] AMGSOLVE_HOST_DEVICE(std::int64_t component) {
        double* const L = all + component * k * k;
        std::int64_t rank = 0;
        for (std::int64_t j = 0; j < k; ++j) {
          double pivot = L[j * k + j];
          const double least = vanishing_square * pivot;
          for (std::int64_t p = 0; p < j; ++p) {
            pivot -= L[j * k + p] * L[j * k + p];
          }
          const bool counts = pivot > least;
          rank += counts;
          L[j * k + j] = counts ? std::sqrt(pivot) : 0.0;
          for (std::int64_t i = j + 1; i < k; ++i) {
            double sum = L[i * k + j];
            for (std::int64_t p = 0; p < j; ++p) {
              sum -= L[i * k + p] * L[j * k + p];
            }
            L[i * k + j] = counts ? sum / L[j * k + j] : 0.0;
          }
        }
        return NullityCounts{rank, rank > 0};
      },
      [] AMGSOLVE_HOST_DEVICE(const NullityCounts& a, const NullityCounts& b) {
        return NullityCounts{a.candidates + b.candidates, a.components + b.components};
      });
}

template <MemorySpace S>
void solve_components(Context<S>& ctx, MultiVectorView<const double, S> factors, MultiVectorView<double, S> sums) {
  const double* const all = factors.data;
  double* const s = sums.data;
  const std::int64_t k = candidates_of(factors);
  const std::int64_t c = sums.columns / k;
  // Column q of component i's sums, k × c.
  parallel_for(ctx, std::int64_t{sums.rows} * c, [all, s, k, c] AMGSOLVE_HOST_DEVICE(std::int64_t item) {
    const double* const L = all + item / c * k * k;
    double* const y = s + item / c * k * c + item % c;
    for (std::int64_t i = 0; i < k; ++i) {
      for (std::int64_t p = 0; p < i; ++p) {
        y[i * c] -= L[i * k + p] * y[p * c];
      }
      y[i * c] = L[i * k + i] > 0.0 ? y[i * c] / L[i * k + i] : 0.0;
    }
    for (std::int64_t i = k; i-- > 0;) {
      for (std::int64_t p = i + 1; p < k; ++p) {
        y[i * c] -= L[p * k + i] * y[p * c];
      }
      y[i * c] = L[i * k + i] > 0.0 ? y[i * c] / L[i * k + i] : 0.0;
    }
  });
}

template <class T, MemorySpace S>
void subtract_candidates(Context<S>& ctx, Same<MultiVectorView<const double, S>> N,
                         Same<MultiVectorView<const double, S>> coefficients, Index block_size,
                         const Aggregates<S>& components, Same<MultiVectorView<T, S>> X) {
  const double* const n = N.data;
  const double* const s = coefficients.data;
  const Index* const of_node = components.of_node.data();
  T* const x = X.data;
  const std::int64_t k = N.columns;
  const std::int64_t c = X.columns;
  const std::int64_t b = block_size;
  parallel_for(ctx, static_cast<std::int64_t>(X.size()),
               [n, s, of_node, x, k, c, b] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 const std::int64_t row = i / c;
                 const double* const y = s + component_of(of_node, row / b) * k * c + i % c;
                 double sum = 0.0;
                 for (std::int64_t p = 0; p < k; ++p) {
                   sum += n[row * k + p] * y[p * c];
                 }
                 x[i] = static_cast<T>(static_cast<double>(x[i]) - sum);
               });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template bool has_row_beyond_zero(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>, double, Index);  \
  template bool has_node_without_candidates<T>(Context<S>&, MultiVectorView<const T, S>, Index);                       \
  template std::int64_t count_rows_beyond_zero(Context<S>&, const CsrMatrix<T, S>&, const PlacedVectors<T>&, double,   \
                                               RowStrata);                                                             \
  template RelativeImages sum_relative_images(Context<S>&, const CsrMatrix<T, S>&, const PlacedVectors<T>&, RowStrata, \
                                              std::int64_t, Index);                                                    \
  template void flag_nodes_beyond_zero<T>(Context<S>&, MultiVectorView<const double, S>, MultiVectorView<const T, S>,  \
                                          double, Index, MultiVectorView<double, S>);                                  \
  template void relative_images<T>(Context<S>&, MultiVectorView<const double, S>, MultiVectorView<const T, S>, double, \
                                   MultiVectorView<double, S>);                                                        \
  template void keep_candidates<T>(Context<S>&, MultiVectorView<const T, S>, Index, const Aggregates<S>&,              \
                                   MultiVectorView<const double, S>, MultiVectorView<double, S>);                      \
  template void multiply_nodes<T>(Context<S>&, MultiVectorView<const double, S>, MultiVectorView<const T, S>, Index,   \
                                  MultiVectorView<double, S>);                                                         \
  template void subtract_candidates<T>(Context<S>&, MultiVectorView<const double, S>,                                  \
                                       MultiVectorView<const double, S>, Index, const Aggregates<S>&,                  \
                                       MultiVectorView<T, S>);

}  // namespace amgsolve::detail
