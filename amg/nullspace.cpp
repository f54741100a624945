#include "amg/nullspace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "amg/aggregate_nodes.hpp"
#include "amg/candidate_images.hpp"
#include "amg/connected_components.hpp"
#include "amg/nullspace_steps.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"
#include "spmv/spmv.hpp"
#include "spmv/whole_size.hpp"

namespace amgsolve {
namespace {

/// Entries that a component's sum takes in one go.
constexpr Offset piece_length = 4096;

/// What rounding may leave of the zeros of A B, relative to |A| |B|.
template <class T>
double zero_tolerance(double row_length) {
  return 4.0 * (row_length + 3.0) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// A matrix of ones with the rows [offsets_i, offsets_i+1) of the columns given.
template <MemorySpace S>
CsrMatrix<double, S> matrix_of_ones(Context<S>& ctx, const std::vector<Offset>& offsets, Buffer<Index, S> columns,
                                    Index cols) {
  CsrMatrix<double, S> A;
  A.rows = checked_index(static_cast<std::int64_t>(offsets.size()) - 1, "pieces of components");
  A.cols = cols;
  A.row_offsets = upload(ctx, Span<const Offset, Host>(offsets.data(), offsets.size()));
  A.values = Buffer<double, S>(ctx, columns.size());
  A.col_indices = std::move(columns);
  fill<double>(ctx, 1.0, MultiVectorView<double, S>(A.values.data(), static_cast<Index>(A.values.size())));
  return A;
}

}  // namespace

template <class T, MemorySpace S>
Nullspace<T, S>::Nullspace(Context<S>& ctx, const Operator<T, S>& graph, Index block_size)
    : block_size_(block_size), components_(connected_components(ctx, graph, block_size)) {
  AggregateNodes<S> grouped = aggregate_nodes(ctx, components_);
  std::vector<Offset> ends(grouped.offsets.size());
  download(ctx, std::as_const(grouped.offsets).span(), {ends.data(), ends.size()});
  std::vector<Offset> pieces{0};
  std::vector<Offset> of_component{0};
  std::vector<Index> numbers;
  for (std::size_t c = 0; c + 1 < ends.size(); ++c) {
    while (pieces.back() < ends[c + 1]) {
      pieces.push_back(std::min(pieces.back() + piece_length, ends[c + 1]));
      numbers.push_back(static_cast<Index>(numbers.size()));
    }
    of_component.push_back(static_cast<Offset>(numbers.size()));
  }
  pieces_ = matrix_of_ones(ctx, pieces, std::move(grouped.nodes), graph.rows() / block_size);
  of_component_ = matrix_of_ones(ctx, of_component,
                                 upload(ctx, Span<const Index, Host>(numbers.data(), numbers.size())), pieces_.rows);
}

template <class T, MemorySpace S>
Nullspace<T, S>::Nullspace(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates,
                           Index block_size)
    : Nullspace(ctx, A, candidates, block_size,
                zero_tolerance<T>(static_cast<double>(A.nnz()) / std::max(A.rows(), Index{1}))) {}

template <class T, MemorySpace S>
Nullspace<T, S>::Nullspace(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> candidates,
                           Index block_size, double tolerance)
    : Nullspace(ctx, A, block_size) {
  MultiVector<double, S> flags(ctx, A.rows() / block_size, candidates.columns);
  tolerance_ = tolerance;
  {
    const CandidateImages<T, S> of(ctx, A, candidates);
    detail::flag_nodes_beyond_zero<T>(ctx, of.images, of.magnitudes, tolerance_, block_size, flags);
  }
  keep(ctx, candidates, flags);
}

template <class T, MemorySpace S>
Nullspace<T, S> Nullspace<T, S>::of_known(Context<S>& ctx, const Operator<T, S>& graph,
                                          MultiVectorView<const T, S> null_vectors, Index block_size, double defect) {
  Nullspace result(ctx, graph, block_size);
  result.tolerance_ = defect;
  MultiVector<double, S> no_flags(ctx, graph.rows() / block_size, null_vectors.columns);
  fill<double>(ctx, 0.0, no_flags);
  result.keep(ctx, null_vectors, no_flags);
  return result;
}

template <class T, MemorySpace S>
void Nullspace<T, S>::keep(Context<S>& ctx, MultiVectorView<const T, S> candidates,
                           const MultiVector<double, S>& flags) {
  const Index k = candidates.columns;
  const MultiVector<double, S> flagged = sum_by_component(ctx, flags);
  candidates_ = MultiVector<double, S>(ctx, candidates.rows, k);
  detail::keep_candidates<T>(ctx, candidates, block_size_, components_, flagged, candidates_);

  MultiVector<double, S> products(ctx, candidates.rows / block_size_, k * k);
  const MultiVectorView<const double, S> kept = std::as_const(candidates_);
  detail::multiply_nodes<double>(ctx, kept, kept, block_size_, products);
  factors_ = sum_by_component(ctx, std::as_const(products));
  const detail::NullityCounts counts = detail::factor_components(ctx, factors_.view());
  dimension_ = counts.candidates;
  singular_components_ = static_cast<Index>(counts.components);
}

template <class T, MemorySpace S>
MultiVector<double, S> Nullspace<T, S>::sum_by_component(Context<S>& ctx, MultiVectorView<const double, S> rows) const {
  MultiVector<double, S> partial(ctx, pieces_.rows, rows.columns);
  MultiVector<double, S> sums(ctx, of_component_.rows, rows.columns);
  spmv(ctx, 1.0, pieces_, rows, 0.0, partial);
  spmv(ctx, 1.0, of_component_, std::as_const(partial), 0.0, sums);
  return sums;
}

template <class T, MemorySpace S>
void Nullspace<T, S>::project(Context<S>& ctx, MultiVectorView<T, S> X) const {
  const MultiVectorView<const double, S> N = candidates_;
  MultiVector<double, S> products(ctx, X.rows / block_size_, N.columns * X.columns);
  detail::multiply_nodes<T>(ctx, N, X, block_size_, products);
  MultiVector<double, S> sums = sum_by_component(ctx, std::as_const(products));
  detail::solve_components<S>(ctx, factors_.view(), sums);
  detail::subtract_candidates<T>(ctx, N, std::as_const(sums), block_size_, components_, X);
}

template <class T, MemorySpace S>
Projected<T, S> Nullspace<T, S>::in_range(Context<S>& ctx, MultiVectorView<const T, S> b) const {
  MultiVector<T, S> inside(ctx, b.rows, b.columns);
  copy<T, T>(ctx, b, inside);
  project(ctx, inside);
  project(ctx, inside);  // of what rounding has left of a large part outside
  MultiVector<T, S> outside(ctx, b.rows, b.columns);
  copy<T, T>(ctx, b, outside);
  axpby<T>(ctx, T{-1}, std::as_const(inside), T{1}, outside);
  const std::vector<double> whole = norms<T>(ctx, b);
  const std::vector<double> left = norms<T>(ctx, std::as_const(inside));
  const std::vector<double> taken = norms<T>(ctx, std::as_const(outside));
  // What rounding leaves of a b that lies in the null space is not solved for.
  std::vector<double> factors(whole.size(), 1.0);
  Projected<T, S> result{MultiVector<T, S>(ctx, b.rows, b.columns)};
  for (std::size_t j = 0; j < whole.size(); ++j) {
    if (whole[j] > 0.0) {
      result.outside_range = std::max(result.outside_range, taken[j] / whole[j]);
      factors[j] = left[j] <= 16.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * whole[j] ? 0.0 : 1.0;
    }
  }
  scale_columns<T, T>(ctx, upload(ctx, Span<const double, Host>(factors.data(), factors.size())).span(),
                      std::as_const(inside), result.b);
  return result;
}

template <class T, MemorySpace S>
MultiVector<T, S> Nullspace<T, S>::random_null_vectors(Context<S>& ctx, Index columns) const {
  const MultiVectorView<const double, S> N = candidates_;
  std::vector<double> factors;
  for (const double length : norms<double>(ctx, N)) {
    factors.insert(factors.end(), static_cast<std::size_t>(columns), length > 0.0 ? std::sqrt(N.rows) / length : 0.0);
  }
  MultiVector<double, S> random(ctx, components_.count, N.columns * columns);
  MultiVector<double, S> coefficients(ctx, random.rows(), random.columns());
  fill_random<double>(ctx, 1, random);
  scale_columns<double, double>(ctx, upload(ctx, Span<const double, Host>(factors.data(), factors.size())).span(),
                                std::as_const(random), coefficients);
  MultiVector<T, S> X(ctx, N.rows, columns);
  fill<T>(ctx, T{0}, X);
  detail::subtract_candidates<T>(ctx, N, std::as_const(coefficients), block_size_, components_, X);
  return X;
}

template <class T, MemorySpace S>
bool Nullspace<T, S>::is_also_of(Context<S>& ctx, const Operator<T, S>& C, const Operator<T, S>& stored, Index columns,
                                 bool is_two_sided) const {
  const MultiVector<T, S> null_vectors = random_null_vectors(ctx, columns);
  MultiVector<T, S> any(ctx, null_vectors.rows(), columns);
  MultiVector<T, S> image(ctx, any.rows(), columns);
  fill_random<T>(ctx, 2, any);
  // A multiple of the identity that C has beside A shows most in null vectors.
  axpby<T>(ctx, T{1}, null_vectors, T{1}, any);
  C.apply(ctx, T{1}, std::as_const(any), T{0}, image);
  if (!(in_range(ctx, std::as_const(image)).outside_range <= tolerance_)) {
    return false;
  }
  if (!is_two_sided) {
    return true;
  }
  const double size_of_C = std::ranges::max(norms<T>(ctx, std::as_const(image)));
  stored.apply(ctx, T{1}, std::as_const(any), T{0}, image);
  const double tolerance = tolerance_ * size_of_C / std::ranges::max(norms<T>(ctx, std::as_const(image)));
  MultiVector<double, S> flags(ctx, any.rows() / block_size_, columns);
  const CandidateImages<T, S> of(ctx, C, null_vectors);
  detail::flag_nodes_beyond_zero<T>(ctx, of.images, of.magnitudes, tolerance, block_size_, flags);
  return std::ranges::max(norms<double>(ctx, std::as_const(flags))) == 0.0;
}

template <class T, MemorySpace S>
bool maps_to_zero(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> candidates) {
  const double tolerance = zero_tolerance<T>(whole_size(ctx.communicator(), A.rows, A.nnz()).mean_row_length());
  // Where boundary conditions hold the solution, one of the first rows mostly tells.
  constexpr Index first_rows = 1 << 14;
  const auto beyond = [&](Index rows) { return detail::has_row_beyond_zero<T>(ctx, A, candidates, tolerance, rows); };
  return !(A.rows > first_rows && beyond(first_rows)) && !beyond(A.rows);
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template class Nullspace<T, S>;  \
  template bool maps_to_zero(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
