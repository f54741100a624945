#include "amg/smooth_unknowns.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "amg/constants_check.hpp"
#include "amg/tentative.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/operator.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// Structures: up to 1.3; discontinuous elements: 3 to 6.
constexpr double most_energy = 1.5;

/// What rounding may leave of zero, relative to the diagonal.
template <class T>
constexpr double no_energy = 64.0 * std::numeric_limits<T>::epsilon();

template <class T, MemorySpace S>
double sum_of_products(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Same<MultiVectorView<const T, S>> y) {
  Buffer<double, S> products(ctx, static_cast<std::size_t>(x.columns));
  dot<T>(ctx, x, y, products);
  std::vector<double> there(products.size());
  to_host(ctx, std::as_const(products).span(), there.data());
  return std::accumulate(there.begin(), there.end(), 0.0);
}

}  // namespace

template <class T, MemorySpace S>
bool SmoothUnknowns<T, S>::are_smooth(Context<S>& ctx, Index block_size) {
  if (!most_) {
    find_units(ctx);
    most_ = most_energy * energy_of_constants(ctx, 1) + no_energy<T> * trace(ctx);
  }
  return energy_of_constants(ctx, block_size) <= *most_;
}

template <class T, MemorySpace S>
void SmoothUnknowns<T, S>::find_units(Context<S>& ctx) {
  Margins margins;
  if (layout_) {
    window_ = std::make_shared<Halo<T, S>>(layout_);
    margins = window_->margins();
  }
  MultiVector<T, S> ones(ctx, A_->rows, 1, margins);
  fill<T>(ctx, T{1}, ones.view().widened(margins));
  units_ = scaled_constants(ctx, *A_, magnitudes_, ones, layout_.get());
}

/// |Σ_c t_cᵀ A t_c| for that many t_c.
template <class T, MemorySpace S>
double SmoothUnknowns<T, S>::energy_of_constants(Context<S>& ctx, Index columns) const {
  const Operator<T, S> whole = window_ ? Operator<T, S>(ctx, borrow(*A_), Storage::csr, window_)
                                       : Operator<T, S>(ctx, borrow(*A_), Storage::csr);
  const std::int64_t first_row = layout_ ? layout_->first_row() : 0;
  const auto before = static_cast<Index>(first_row % columns);  // of the first node's unknowns those on a lower rank
  MultiVector<T, S> constants(ctx, checked_index(std::int64_t{A_->rows} + before, "rows"), columns);
  fill_constant_candidates<T>(ctx, constants);
  const MultiVectorView<T, S> t(constants.data() + std::ptrdiff_t{before} * columns, A_->rows, columns);
  if (units_) {
    scale_rows<T>(ctx, units_->view().span(), t, t);
  }
  MultiVector<T, S> product(ctx, A_->rows, columns);
  whole.apply(ctx, T{1}, t, T{0}, product);
  return std::abs(sum_of_products<T>(ctx, t, std::as_const(product)));
}

/// Σ_i |a_ii| of a diagonal of one sign.
template <class T, MemorySpace S>
double SmoothUnknowns<T, S>::trace(Context<S>& ctx) const {
  MultiVector<T, S> diagonal(ctx, A_->rows);
  MultiVector<T, S> ones(ctx, A_->rows);
  extract_diagonal<T>(ctx, *A_, layout_ ? layout_->first_own() : 0, diagonal.view().span());
  fill<T>(ctx, T{1}, ones);
  for (int side = 0; units_ && side < 2; ++side) {
    scale_rows<T>(ctx, units_->view().span(), diagonal, diagonal);
  }
  return std::abs(sum_of_products<T>(ctx, std::as_const(diagonal), std::as_const(ones)));
}

#define AMGSOLVE_INSTANTIATE(T, S) template class SmoothUnknowns<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
