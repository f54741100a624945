#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "amg/couplings.hpp"
#include "amg/lumping.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"

/// The steps of strong_couplings() that each memory space has its own of, and the tests that both make.
namespace amgsolve {

/// What is known of a row before its entries are judged, side by side: an entry of its column reads it at once.
template <class T>
struct alignas(4 * sizeof(T)) RowScales {
  T coupling;   ///< sign(B_i) / √a_ii
  T candidate;  ///< B_i
  T root;       ///< √m_i, m_i = max_j s_ij or 0
  T largest;    ///< max_j(−a_ij B_j / B_i) or 0
};

/// The part of a row's dropped weight, min(1, weight), as an integer: sums of integers do not depend on the order.
inline constexpr double whole_weight = 1 << 16;

/// The tests on an entry a of row i and column j ≠ i; without branches, since no processor would foresee them.
template <class T>
struct CouplingTest {
  static constexpr T least_positive = std::numeric_limits<T>::denorm_min();
  static constexpr T least = std::numeric_limits<T>::lowest();

  RowScales<T>* scales;
  T threshold;
  bool filter;

  /// A row whose entries are judged.
  struct Row {
    T coupling;
    T inverse;  ///< 1 / B_i; 0 where B_i is
    T root;
    T threshold;   ///< θ
    T least_kept;  ///< of −a_ij B_j / B_i where the entry is not strong: θ times the largest, and more than 0; any
                   ///< without filter
  };

  AMGSOLVE_HOST_DEVICE static T larger(T a, T b) { return a > b ? a : b; }
  AMGSOLVE_HOST_DEVICE static T inverse(T b) { return b != T{0} ? T{1} / b : T{0}; }

  /// Scales of row i with diagonal d and candidate b.
  AMGSOLVE_HOST_DEVICE void prepare(std::int64_t i, T d, T b) const {
    const T root = d > T{0} ? T{1} / std::sqrt(d) : T{0};
    scales[i] = {b < T{0} ? -root : root, b, T{0}, T{0}};
  }
  AMGSOLVE_HOST_DEVICE Row row(std::int64_t i) const {
    const T least_kept = larger(least_positive, threshold * scales[i].largest);
    return {scales[i].coupling, inverse(scales[i].candidate), scales[i].root, threshold, filter ? least_kept : least};
  }

  /// s_ij. The product of the scales commutes.
  AMGSOLVE_HOST_DEVICE static T scaled(const Row& i, const RowScales<T>& j, T a) {
    return -a * (i.coupling * j.coupling);
  }
  /// a_ij B_j / B_i
  AMGSOLVE_HOST_DEVICE static T pull(const Row& i, const RowScales<T>& j, T a) { return a * (j.candidate * i.inverse); }

  /// Never of a diagonal entry, whose s is −1 or 0.
  AMGSOLVE_HOST_DEVICE static bool is_strong(const Row& i, const RowScales<T>& j, T a) {
    return scaled(i, j, a) >= larger(static_cast<T>(weakest_coupling), i.threshold * (i.root * j.root));
  }
  /// Whether A_F keeps an entry that is not strong.
  AMGSOLVE_HOST_DEVICE static bool is_large(const Row& i, const RowScales<T>& j, T a) {
    return -pull(i, j, a) >= i.least_kept;
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

/// What is found of an entry: the sum of these.
inline constexpr std::uint8_t strong_coupling = 1;
inline constexpr std::uint8_t kept_coupling = 2;      ///< in A_F, as is the diagonal
inline constexpr std::uint8_t diagonal_coupling = 4;  ///< a_ii; a device says so, where what follows knows no rows

/// Where what is found of the entries and of each row goes.
template <class T>
struct CouplingVerdicts {
  std::uint8_t* entries;  ///< of entry k of A, at [k]
  Offset* strong;         ///< the strong entries of row i, at [i]
  Offset* kept;           ///< entries of A_F
  T* dropped;             ///< Σ_dropped a_ij B_j / B_i
  Index* weight;          ///< dropped, see whole_weight
};

/// Prepares the scales of the rows from `first` on.
template <class T, MemorySpace S>
void prepare_rows(Context<S>& ctx, Span<const T, S> diagonal, Span<const T, S> candidate, const CouplingTest<T>& test,
                  Index first);

/// Finds the maxima of all rows.
template <class T>
void measure_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CouplingTest<T>& test);
template <class T>
void measure_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CouplingTest<T>& test);

/// Judges each entry once.
/// @param diagonal  of the rows from `first` on: the others have no entries
template <class T>
void judge_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> diagonal, Index first,
                     const CouplingTest<T>& test, const CouplingVerdicts<T>& verdicts);
template <class T>
void judge_couplings(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> diagonal, Index first,
                     const CouplingTest<T>& test, const CouplingVerdicts<T>& verdicts);

/// Fills the values of A_F, whose pattern stands, from A and B.
template <class T>
void fill_filtered(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> candidate,
                   CsrMatrix<T, Host>& filtered);
template <class T>
void fill_filtered(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const T, Cuda> candidate,
                   CsrMatrix<T, Cuda>& filtered);

/// Fills the graph, and A_F where it has room; the offsets of both are known.
template <class T>
void fill_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CouplingVerdicts<T>& verdicts,
                    Couplings<T, Host>& result);
template <class T>
void fill_couplings(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CouplingVerdicts<T>& verdicts,
                    Couplings<T, Cuda>& result);

#define AMGSOLVE_INSTANTIATE_COUPLING_STEPS(T, S)                                                                     \
  template void prepare_rows(Context<S>&, Span<const T, S>, Span<const T, S>, const CouplingTest<T>&, Index);         \
  template void measure_rows(Context<S>&, const CsrMatrix<T, S>&, const CouplingTest<T>&);                            \
  template void judge_couplings(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, Index, const CouplingTest<T>&, \
                                const CouplingVerdicts<T>&);                                                          \
  template void fill_couplings(Context<S>&, const CsrMatrix<T, S>&, const CouplingVerdicts<T>&, Couplings<T, S>&);    \
  template void fill_filtered(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, CsrMatrix<T, S>&);

}  // namespace amgsolve
