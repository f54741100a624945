#include "amg/relaxed_constants.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "amg/check_matrix.hpp"
#include "amg/constants_check.hpp"
#include "amg/diagonal.hpp"
#include "amg/polynomial_smoother.hpp"
#include "amg/spectral_radius.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/halo.hpp"
#include "spmv/blas1.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {
namespace {

/// Of all matrices of docs/robustness.md one has more, and gains by it; small meshes of obtuse tetrahedra have 0.0035.
/// A sixth of a percent of the rows in other units has as much, coefficients by cells that were scaled to a unit
/// diagonal 0.006 to 0.03.
constexpr double most_opposite_image = 0.005;

/// M-matrices as they come have none; jumps in space that were scaled to a unit diagonal have 0.0002 to 0.005, and most
/// of them several times the iterations with constants.
constexpr double most_lone_image = 1e-4;

/// What has more has signs of its own where it is smooth, and A takes hardly anything away from constants.
constexpr double most_image_by_signs = 0.5;

/// What is enough: meshes with their constants have it for boundaries.
constexpr double image_that_is_enough = 0.01;

/// A mass term, or what has no near-nullspace, hardly changes; where constants are rough a first round leaves 0.97.
constexpr double least_change_of_image = 0.01;

constexpr double most_image_left = 0.5;

constexpr int sweeps_of_round = 2;

/// Rounds of 2 × 8 products gain more than 4 × 6 of Lottes' polynomial, which is for smoothing beside coarse levels,
/// and nearly what 2 × 12 on 0.02 do, which are more than simple cases need.
constexpr int degree_of_sweep = 8;
constexpr double lower_fraction_of_sweep = 0.03;
constexpr int most_relaxing_products = 4 * sweeps_of_round * degree_of_sweep;

}  // namespace

template <class T, MemorySpace S>
std::optional<RelaxedConstants<T, S>> relaxed_constants(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                        const MultiVector<T, S>& constants,
                                                        std::type_identity_t<std::shared_ptr<const Layout<S>>> layout) {
  const MeanImages before = mean_images(ctx, A, constants, layout.get());
  const double lone = before.all > most_image_of_usual_constants ? before.lone : 0.0;
  if (before.opposite <= most_opposite_image && lone <= most_lone_image && before.by_signs <= most_image_by_signs) {
    return std::nullopt;
  }
  ScopedTimer timer(ctx, "relaxation", 0);
  const Communicator& ranks = ranks_of(ctx, layout.get());
  const Margins margins = constants.view().margins;
  const Index first_own = layout ? layout->first_own() : 0;
  Buffer<T, S> diagonal;
  Iterate<T, S> iterate;
  MultiVector<T, S> zero;
  const bool is_positive = collectively(ranks, [&] {
    diagonal = diagonal_of(ctx, A, first_own);
    iterate.x = MultiVector<T, S>(ctx, A.rows, constants.columns(), margins);
    iterate.next = MultiVector<T, S>(ctx, A.rows, constants.columns(), margins);
    zero = MultiVector<T, S>(ctx, A.rows, constants.columns());
    copy<T, T>(ctx, constants.view(), iterate.x);
    fill<T>(ctx, T{0}, zero);
    return diagonal_signs(ctx, A, first_own).all_positive();
  });
  if (ranks.max(is_positive ? 0 : 1) > 0) {
    return std::nullopt;
  }
  const Operator<T, S> product(ctx, borrow(A), Storage::csr, layout ? std::make_shared<Halo<T, S>>(layout) : nullptr);
  const Span<const T, S> d = std::as_const(diagonal).span();
  const double rho =
      spectral_radius<T>(ctx, product, d, default_spectral_radius_steps, layout ? layout->first_row() : 0);
  const auto smoother = make_chebyshev<T, S>(ctx, {.A = A, .diagonal = d, .spectral_radius = rho},
                                             {.degree = degree_of_sweep, .lower_fraction = lower_fraction_of_sweep});
  Relaxation relaxation{.image_before = before.all, .image = before.all};
  for (bool goes_on = true; goes_on && relaxation.products < most_relaxing_products;) {
    for (int sweep = 0; sweep < sweeps_of_round; ++sweep) {
      smoother->sweep(ctx, product, Side::before, Start::x, std::as_const(zero).view(), iterate);
      relaxation.products += degree_of_sweep;
    }
    if (layout) {
      exchange_ghosts<T, S>(ctx, *layout, iterate.x.view().widened(margins));
    }
    const double image = mean_images(ctx, A, iterate.x, layout.get()).all;
    goes_on =
        image > image_that_is_enough && std::abs(image - relaxation.image) >= least_change_of_image * relaxation.image;
    relaxation.image = image;
  }
  if (!(relaxation.image <= most_image_left * before.all)) {
    return std::nullopt;
  }
  return RelaxedConstants<T, S>{std::move(iterate.x), relaxation};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                  \
  template std::optional<RelaxedConstants<T, S>> relaxed_constants( \
      Context<S>&, const CsrMatrix<T, S>&, const MultiVector<T, S>&, std::shared_ptr<const Layout<S>>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
