#pragma once

#include <cmath>
#include <cstdint>

#include "amg/couplings.hpp"
#include "amg/lumping.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"

/// The steps of strong_couplings() that each memory space has its own of, and the tests that both make.
namespace amgsolve {

/// What is known of every row before its entries are judged.
template <class T>
struct CouplingScales {
  T* coupling;   ///< sign(B_i) / √a_ii
  T* candidate;  ///< B_i
  T* inverse;    ///< 1 / B_i; 0 where B_i is
  T* root;       ///< √m_i, m_i = max_j s_ij or 0
  T* largest;    ///< max_j(−a_ij B_j / B_i) or 0
};

/// The part of a row's dropped weight, min(1, weight), as an integer: sums of integers do not depend on the order.
inline constexpr double whole_weight = 1 << 16;

/// The tests on an entry a of row i and column j ≠ i; without branches, since no processor would foresee them.
template <class T>
struct CouplingTest {
  CouplingScales<T> scales;
  T threshold;
  bool filter;

  AMGSOLVE_HOST_DEVICE static T inverse(T b) { return b != T{0} ? T{1} / b : T{0}; }

  /// Scales of row i with diagonal d and candidate b.
  AMGSOLVE_HOST_DEVICE void prepare(std::int64_t i, T d, T b) const {
    const T root = d > T{0} ? T{1} / std::sqrt(d) : T{0};
    scales.coupling[i] = b < T{0} ? -root : root;
    scales.candidate[i] = b;
    scales.inverse[i] = inverse(b);
  }

  /// s_ij. The product of the scales commutes.
  AMGSOLVE_HOST_DEVICE T scaled(std::int64_t i, Index j, T a) const {
    return -a * (scales.coupling[i] * scales.coupling[j]);
  }
  /// a_ij B_j / B_i
  AMGSOLVE_HOST_DEVICE T pull(std::int64_t i, Index j, T a) const {
    return a * (scales.candidate[j] * scales.inverse[i]);
  }

  AMGSOLVE_HOST_DEVICE bool is_strong(std::int64_t i, Index j, T a) const {
    const T s = scaled(i, j, a);
    return (s > static_cast<T>(weakest_coupling)) & (s >= threshold * (scales.root[i] * scales.root[j]));
  }
  /// Whether A_F keeps an entry that is not strong.
  AMGSOLVE_HOST_DEVICE bool is_large(std::int64_t i, Index j, T a) const {
    const T u = -pull(i, j, a);
    return (u > T{0}) & (u >= threshold * scales.largest[i]);
  }

  /// The diagonal of A_F from that of A and the sum of what is dropped.
  AMGSOLVE_HOST_DEVICE static T lumped(T diagonal, T dropped) {
    const T sum = diagonal + dropped;
    return can_lump(diagonal, sum) ? sum : diagonal;
  }
  AMGSOLVE_HOST_DEVICE static Index weight(T diagonal, T dropped_magnitude) {
    const T share = diagonal > T{0} ? dropped_magnitude / diagonal : T{0};
    return static_cast<Index>((share < T{1} ? share : T{1}) * static_cast<T>(whole_weight));
  }
};

/// Where the counts of a pass over the rows go.
struct CouplingCounts {
  Offset* strong;  ///< of row i at [i]
  Offset* kept;    ///< entries of A_F, the diagonal included
  Index* weight;   ///< dropped, see whole_weight
};

/// Prepares the scales, then finds the rows' maxima.
template <class T>
void measure_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> diagonal,
                  Span<const T, Host> candidate, const CouplingTest<T>& test);
template <class T>
void measure_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> diagonal,
                  Span<const T, Cuda> candidate, const CouplingTest<T>& test);

template <class T>
void count_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> diagonal,
                     const CouplingTest<T>& test, const CouplingCounts& counts);
template <class T>
void count_couplings(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> diagonal,
                     const CouplingTest<T>& test, const CouplingCounts& counts);

/// Fills the values of A_F, whose pattern stands, from A and B.
template <class T>
void fill_filtered(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> candidate,
                   CsrMatrix<T, Host>& filtered);
template <class T>
void fill_filtered(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> candidate,
                   CsrMatrix<T, Cuda>& filtered);

/// Fills the graph, and A_F where it has room; the offsets of both are known.
template <class T>
void fill_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CouplingTest<T>& test,
                    Couplings<T, Host>& result);
template <class T>
void fill_couplings(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CouplingTest<T>& test,
                    Couplings<T, Cuda>& result);

#define AMGSOLVE_INSTANTIATE_COUPLING_STEPS(T, S)                                                              \
  template void measure_rows(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, Span<const T, S>,          \
                             const CouplingTest<T>&);                                                          \
  template void count_couplings(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, const CouplingTest<T>&, \
                                const CouplingCounts&);                                                        \
  template void fill_couplings(Context<S>&, const CsrMatrix<T, S>&, const CouplingTest<T>&, Couplings<T, S>&); \
  template void fill_filtered(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, CsrMatrix<T, S>&);

}  // namespace amgsolve
