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
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/partition.hpp"
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

template <MemorySpace S>
bool has_flag(Context<S>& ctx, const MultiVector<double, S>& flags) {
  return std::ranges::max(norms<double>(ctx, flags)) > 0.0;
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
Nullspace<T, S>::Nullspace(Context<S>& ctx, Aggregates<S> components, Index block_size)
    : block_size_(block_size), components_(std::move(components)) {
  if (is_connected()) {
    components_.of_node = {};
    return;
  }
  const auto nodes = static_cast<Index>(components_.of_node.size());
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
  pieces_ = matrix_of_ones(ctx, pieces, std::move(grouped.nodes), nodes);
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
    : Nullspace(ctx, connected_components(ctx, A, block_size), block_size) {
  tolerance_ = tolerance;
  MultiVector<double, S> flags(ctx, A.rows() / block_size, candidates.columns);
  MultiVector<T, S> combined;
  {
    const CandidateImages<T, S> of(ctx, A, candidates);
    detail::flag_nodes_beyond_zero<T>(ctx, of.images, of.magnitudes, tolerance_, block_size, flags);
    if (candidates.columns > 1 && has_flag(ctx, flags)) {
      combined = combine(ctx, A, candidates, of);
    }
  }
  if (combined.rows() > 0) {
    const CandidateImages<T, S> of(ctx, A, std::as_const(combined));
    detail::flag_nodes_beyond_zero<T>(ctx, of.images, of.magnitudes, tolerance_, block_size, flags);
    candidates = std::as_const(combined);
  }
  keep(ctx, candidates, flags);
}

template <class T, MemorySpace S>
Nullspace<T, S> Nullspace<T, S>::of_connected(Context<S>& ctx, const Operator<T, S>& A,
                                              MultiVectorView<const T, S> candidates, Index block_size) {
  Nullspace result(ctx, Aggregates<S>{1, {}}, block_size);
  result.tolerance_ = zero_tolerance<T>(whole_size(ctx.communicator(), A.rows(), A.nnz()).mean_row_length());
  result.keep_all(ctx, candidates);
  return result;
}

template <class T, MemorySpace S>
Nullspace<T, S> Nullspace<T, S>::of_known(Context<S>& ctx, const Operator<T, S>& graph,
                                          MultiVectorView<const T, S> null_vectors, Index block_size, double defect) {
  Nullspace result(ctx, connected_components(ctx, graph, block_size), block_size);
  result.tolerance_ = defect;
  result.keep_all(ctx, null_vectors);
  return result;
}

template <class T, MemorySpace S>
void Nullspace<T, S>::keep(Context<S>& ctx, MultiVectorView<const T, S> candidates,
                           const MultiVector<double, S>& flags) {
  MultiVector<double, S> flagged(ctx, components_.count, candidates.columns);
  if (is_connected()) {
    dot<double>(ctx, flags, flags, flagged.view().span());  // flags are 0 or 1
  } else {
    flagged = sum_by_component(ctx, flags);
  }
  candidates_ = MultiVector<double, S>(ctx, candidates.rows, candidates.columns);
  detail::keep_candidates<T>(ctx, candidates, block_size_, components_, flagged, candidates_);
  factor(ctx);
}

template <class T, MemorySpace S>
void Nullspace<T, S>::keep_all(Context<S>& ctx, MultiVectorView<const T, S> candidates) {
  collectively(ctx.communicator(),
               [&] { candidates_ = MultiVector<double, S>(ctx, candidates.rows, candidates.columns); });
  copy<T, double>(ctx, candidates, candidates_);
  factor(ctx);
}

/// Where a combination of candidates is a null vector that none of them is by itself, the columns of V = W A B, with
/// rows of one size, depend on each other, and a pivot of VᵀV vanishes: B − B (VᵀV)⁻¹ VᵀV is that combination in the
/// column of the pivot, and zero in columns with another. Once more, of A B' in place of A B, it takes out what
/// rounding has left, as the conditions of V and VᵀV differ.
template <class T, MemorySpace S>
MultiVector<T, S> Nullspace<T, S>::combine(Context<S>& ctx, const Operator<T, S>& A,
                                           MultiVectorView<const T, S> candidates,
                                           const CandidateImages<T, S>& of) const {
  const Index n = candidates.rows;
  const Index k = candidates.columns;
  MultiVector<T, S> result(ctx, n, k);
  MultiVector<double, S> B(ctx, n, k);
  MultiVector<double, S> V(ctx, n, k);
  copy<T, T>(ctx, candidates, result);
  copy<T, double>(ctx, candidates, B);
  detail::relative_images<T>(ctx, of.images, of.magnitudes, tolerance_, V);
  MultiVector<double, S> factors = products_by_component<double>(ctx, V, std::as_const(V));
  MultiVector<double, S> coefficients(ctx, factors.rows(), factors.columns());
  copy<double, double>(ctx, std::as_const(factors), coefficients);
  detail::factor_components(ctx, factors.view());
  const auto subtract = [&] {
    detail::solve_components<S>(ctx, factors.view(), coefficients);
    detail::subtract_candidates<T>(ctx, B, std::as_const(coefficients), block_size_, components_, result);
  };
  subtract();
  MultiVector<double, S> left(ctx, n, k);
  const CandidateImages<T, S> of_result(ctx, A, std::as_const(result));
  detail::relative_images<T>(ctx, of_result.images, of.magnitudes, 0.0, left);
  coefficients = products_by_component<double>(ctx, V, std::as_const(left));
  subtract();
  return result;
}

template <class T, MemorySpace S>
void Nullspace<T, S>::factor(Context<S>& ctx) {
  factors_ = products_by_component<double>(ctx, candidates_, std::as_const(candidates_));
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
template <class U>
MultiVector<double, S> Nullspace<T, S>::products_by_component(Context<S>& ctx, MultiVectorView<const double, S> N,
                                                              MultiVectorView<const U, S> X) const {
  if (is_connected()) {
    MultiVector<double, S> products(ctx, 1, N.columns * X.columns);
    inner_products<U>(ctx, N, X, products.view().span());
    return products;
  }
  MultiVector<double, S> of_nodes(ctx, X.rows / block_size_, N.columns * X.columns);
  detail::multiply_nodes<U>(ctx, N, X, block_size_, of_nodes);
  return sum_by_component(ctx, std::as_const(of_nodes));
}

template <class T, MemorySpace S>
void Nullspace<T, S>::project(Context<S>& ctx, MultiVectorView<T, S> X) const {
  const MultiVectorView<const double, S> N = candidates_;
  MultiVector<double, S> sums = products_by_component<T>(ctx, N, X);
  detail::solve_components<S>(ctx, factors_.view(), sums);
  detail::subtract_candidates<T>(ctx, N, std::as_const(sums), block_size_, components_, X);
}

template <class T, MemorySpace S>
Projected<T, S> Nullspace<T, S>::in_range(Context<S>& ctx, MultiVectorView<const T, S> b) const {
  MultiVector<T, S> inside;
  MultiVector<T, S> outside;
  Projected<T, S> result;
  collectively(ctx.communicator(), [&] {
    for (MultiVector<T, S>* const vectors : {&inside, &outside, &result.b}) {
      *vectors = MultiVector<T, S>(ctx, b.rows, b.columns);
    }
  });
  copy<T, T>(ctx, b, inside);
  project(ctx, inside);
  project(ctx, inside);  // of what rounding has left of a large part outside
  copy<T, T>(ctx, b, outside);
  axpby<T>(ctx, T{-1}, std::as_const(inside), T{1}, outside);
  const std::vector<double> whole = norms<T>(ctx, b);
  const std::vector<double> left = norms<T>(ctx, std::as_const(inside));
  const std::vector<double> taken = norms<T>(ctx, std::as_const(outside));
  // What rounding leaves of a b that lies in the null space is not solved for.
  std::vector<double> factors(whole.size(), 1.0);
  for (std::size_t j = 0; j < whole.size(); ++j) {
    if (whole[j] > 0.0) {
      if (taken[j] / whole[j] > result.outside_range) {
        result.outside_range = taken[j] / whole[j];
        result.outside_column = static_cast<int>(j);
      }
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
  const auto rows = static_cast<double>(ctx.communicator().sum(N.rows));
  std::vector<double> factors;
  for (const double length : norms<double>(ctx, N)) {
    factors.insert(factors.end(), static_cast<std::size_t>(columns), length > 0.0 ? std::sqrt(rows) / length : 0.0);
  }
  MultiVector<double, S> random(ctx, components_.count, N.columns * columns);
  MultiVector<double, S> coefficients(ctx, random.rows(), random.columns());
  fill_random<double>(ctx, 1, random);
  scale_columns<double, double>(ctx, upload(ctx, Span<const double, Host>(factors.data(), factors.size())).span(),
                                std::as_const(random), coefficients);
  auto X = collectively(ctx.communicator(), [&] { return MultiVector<T, S>(ctx, N.rows, columns); });
  fill<T>(ctx, T{0}, X);
  detail::subtract_candidates<T>(ctx, N, std::as_const(coefficients), block_size_, components_, X);
  return X;
}

template <class T, MemorySpace S>
bool Nullspace<T, S>::is_also_of(Context<S>& ctx, const Operator<T, S>& C, const Operator<T, S>& stored, Index columns,
                                 bool is_two_sided) const {
  const MultiVector<T, S> null_vectors = random_null_vectors(ctx, columns);
  const Index rows = null_vectors.rows();
  MultiVector<T, S> any;
  MultiVector<T, S> image;
  collectively(ctx.communicator(), [&] {
    any = MultiVector<T, S>(ctx, rows, columns);
    image = MultiVector<T, S>(ctx, rows, columns);
  });
  const auto first = static_cast<std::uint64_t>(Partition(ctx.communicator(), rows).first(ctx.communicator().rank()));
  fill_random<T>(ctx, 2, any, first * static_cast<std::uint64_t>(columns));
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
  MultiVector<double, S> flags(ctx, rows / block_size_, columns);
  const CandidateImages<T, S> of(ctx, C, null_vectors);
  detail::flag_nodes_beyond_zero<T>(ctx, of.images, of.magnitudes, tolerance, block_size_, flags);
  return !has_flag(ctx, flags);
}

template <class T, MemorySpace S>
std::string Nullspace<T, S>::description() const {
  return format_text("singular: {}, in {} of {} of the graph", format_count(dimension_, "null vector"),
                     singular_components_, format_count(components_.count, "component"));
}

template <class T, MemorySpace S>
const Nullspace<T, S>* nullspace_for(Context<S>& ctx, const Nullspace<T, S>* known, const Operator<T, S>& A,
                                     const Operator<T, S>& stored, Index columns, bool is_two_sided) {
  if (known == nullptr || A.is_stored()) {
    return known;
  }
  ScopedTimer timer(ctx, "null space");
  return known->is_also_of(ctx, A, stored, columns, is_two_sided) ? known : nullptr;
}

template <class T, MemorySpace S>
std::vector<double> null_columns(Context<S>& ctx, const Operator<T, S>& A, Index block_size,
                                 std::type_identity_t<MultiVectorView<const T, S>> Y) {
  const double tolerance = zero_tolerance<T>(whole_size(ctx.communicator(), A.rows(), A.nnz()).mean_row_length());
  const auto of = CandidateImages<T, S>::of_shared(ctx, A, Y);
  MultiVector<double, S> flags;
  collectively(ctx.communicator(), [&] { flags = MultiVector<double, S>(ctx, Y.rows / block_size, Y.columns); });
  detail::flag_nodes_beyond_zero<T>(ctx, of.images, of.magnitudes, tolerance, block_size, flags);
  const std::vector<double> lengths = norms<T>(ctx, Y);
  std::vector<double> result = norms<double>(ctx, std::as_const(flags));
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j] = result[j] == 0.0 && lengths[j] > 0.0 ? 1.0 : 0.0;
  }
  return result;
}

template <class T, MemorySpace S>
bool maps_to_zero(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> candidates) {
  const double tolerance = zero_tolerance<T>(whole_size(ctx.communicator(), A.rows, A.nnz()).mean_row_length());
  // Where boundary conditions hold the solution, one of the first rows mostly tells.
  constexpr Index first_rows = 1 << 14;
  const auto beyond = [&](Index rows) { return detail::has_row_beyond_zero<T>(ctx, A, candidates, tolerance, rows); };
  return !(A.rows > first_rows && beyond(first_rows)) && !beyond(A.rows);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                   \
  template class Nullspace<T, S>;                                                                                    \
  template const Nullspace<T, S>* nullspace_for(Context<S>&, const Nullspace<T, S>*, const Operator<T, S>&,          \
                                                const Operator<T, S>&, Index, bool);                                 \
  template std::vector<double> null_columns(Context<S>&, const Operator<T, S>&, Index, MultiVectorView<const T, S>); \
  template bool maps_to_zero(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
