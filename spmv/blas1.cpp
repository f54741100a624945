#include "spmv/blas1.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/copy.hpp"
#include "spmv/blas1_steps.hpp"
#include "spmv/shapes.hpp"
#include "spmv/work.hpp"

namespace amgsolve {
namespace {

std::int64_t length(std::size_t n) { return static_cast<std::int64_t>(n); }

/// What entries are divided by before they are squared, and the most that one then counts as: sums of squares do not
/// overflow, as nothing should in a program that traps it.
struct NormUnit {
  double value;
  double most;
};
constexpr NormUnit usual_unit{1.0, 0x1p480};
constexpr NormUnit small_unit{0x1p-600, 0x1p-120};  ///< in which the square of the smallest number does not vanish
constexpr NormUnit large_unit{0x1p600, std::numeric_limits<double>::infinity()};

/// unit · ‖x_j / unit‖₂ of every column j.
template <class T, MemorySpace S>
std::vector<double> norms_in_units(Context<S>& ctx, const NormUnit& unit, MultiVectorView<const T, S> x) {
  const auto columns = static_cast<std::size_t>(x.columns);
  WorkspaceScope<S> scope(ctx.workspace());
  const auto squares = scope.template take<double>(columns);
  std::vector<double> result(columns);
  detail::global_sums(ctx, x.rows, detail::ScaledSquare<T>{{}, 1.0 / unit.value, unit.most, x.data}, squares);
  book_passes<T>(ctx, x.size(), 1, 3);
  to_host(ctx, squares, result.data());
  std::ranges::transform(result, result.begin(), [=](double square) { return unit.value * std::sqrt(square); });
  return result;
}

}  // namespace

template <class T, MemorySpace S>
void fill(Context<S>& ctx, T value, Same<MultiVectorView<T, S>> x) {
  detail::for_values(ctx, length(x.size()), 1, detail::Fill<T>{{}, value, x.data});
  book_passes<T>(ctx, x.size(), 1, 0);
}

template <class T, class U, MemorySpace S>
void copy(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Same<MultiVectorView<U, S>> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  detail::for_values(ctx, length(x.size()), 1, detail::Convert<T, U>{{}, x.data, y.data});
  book_passes<T>(ctx, x.size(), 1, 0);
  book_passes<U>(ctx, x.size(), 1, 0);
}

template <class T, class U, MemorySpace S>
void scale_columns(Context<S>& ctx, Same<Span<const double, S>> factors, Same<MultiVectorView<const T, S>> x,
                   Same<MultiVectorView<U, S>> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  expect_length("factors", factors.size(), x.columns);
  detail::for_values(ctx, x.rows, x.columns, detail::ScaleColumns<T, U>{factors.data(), x.data, y.data});
  book_passes<T>(ctx, x.size(), 1, 1);
  book_passes<U>(ctx, x.size(), 1, 0);
}

template <class T, MemorySpace S>
void axpby(Context<S>& ctx, T alpha, Same<MultiVectorView<const T, S>> x, T beta, Same<MultiVectorView<T, S>> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  detail::for_values(ctx, length(x.size()), 1, detail::Axpby<T>{{}, alpha, x.data, beta, y.data});
  const bool reads_y = beta != T{0};
  book_passes<T>(ctx, x.size(), reads_y ? 3 : 2, reads_y ? 3 : 1);
}

template <class T, MemorySpace S>
void add_columns(Context<S>& ctx, Same<Span<const double, S>> numerator, Same<Span<const double, S>> denominator,
                 Same<MultiVectorView<const T, S>> x, Same<MultiVectorView<T, S>> y, double sign) {
  expect_shape("y", shape_of(y), shape_of(x));
  expect_length("numerator", numerator.size(), x.columns);
  if (!denominator.empty()) {
    expect_length("denominator", denominator.size(), x.columns);
  }
  detail::for_values(ctx, x.rows, x.columns,
                     detail::AddColumns<T>{
                         {static_cast<T>(sign), numerator.data(), denominator.empty() ? nullptr : denominator.data()},
                         x.data,
                         y.data});
  book_passes<T>(ctx, x.size(), 3, 2);
}

template <class T, MemorySpace S>
void scale_rows(Context<S>& ctx, Same<Span<const T, S>> d, Same<MultiVectorView<const T, S>> x,
                Same<MultiVectorView<T, S>> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  expect_length("d", d.size(), x.rows);
  detail::for_values(ctx, x.rows, x.columns, detail::ScaleRows<T>{{}, d.data(), x.data, y.data});
  book_passes<T>(ctx, x.size(), 2, 1);
  book_passes<T>(ctx, d.size(), 1, 0);
}

template <class T, class U, MemorySpace S>
void dot(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Same<MultiVectorView<const U, S>> y,
         Same<Span<double, S>> result) {
  expect_shape("y", shape_of(y), shape_of(x));
  expect_length("result", result.size(), x.columns);
  detail::global_sums(ctx, x.rows, detail::Dot<T, U>{{}, x.data, y.data}, result);
  const bool is_square = static_cast<const void*>(x.data) == y.data;
  book_passes<T>(ctx, x.size(), 1, 2);
  book_passes<U>(ctx, x.size(), is_square ? 0 : 1, 0);
}

template <class T, MemorySpace S>
void inner_products(Context<S>& ctx, Same<MultiVectorView<const double, S>> x, Same<MultiVectorView<const T, S>> y,
                    Same<Span<double, S>> result) {
  expect_shape("y", shape_of(y), {x.rows, y.columns});
  expect_length("result", result.size(), x.columns * y.columns);
  detail::global_sums(ctx, x.rows, detail::InnerProducts<T>{x.data, x.columns, y.data, y.columns}, result);
  book_passes<double>(ctx, x.size(), 1, 2 * y.columns);
  book_passes<T>(ctx, y.size(), 1, 0);
}

template <class T, MemorySpace S>
std::vector<double> norms(Context<S>& ctx, Same<MultiVectorView<const T, S>> x) {
  // From it on no square that counts is lost to the lower end of the range of doubles.
  constexpr double least = 0x1p-450;
  std::vector<double> result = norms_in_units<T, S>(ctx, usual_unit, x);
  if (!std::ranges::all_of(result, [](double norm) { return norm >= least && norm < usual_unit.most; })) {
    const std::vector<double> small = norms_in_units<T, S>(ctx, small_unit, x);
    const std::vector<double> large = norms_in_units<T, S>(ctx, large_unit, x);
    for (std::size_t j = 0; j < result.size(); ++j) {
      result[j] = result[j] < least ? small[j] : result[j] < usual_unit.most ? result[j] : large[j];
    }
  }
  return result;
}

template <class T, MemorySpace S>
bool is_zero(Context<S>& ctx, Same<MultiVectorView<const T, S>> x) {
  return std::ranges::all_of(norms_in_units<T, S>(ctx, small_unit, x), [](double norm) { return norm == 0.0; });
}

template <class T, MemorySpace S>
void cg_update(Context<S>& ctx, Same<Span<const double, S>> rho, Same<Span<const double, S>> curvature,
               Same<Span<const double, S>> units, Same<MultiVectorView<const T, S>> p,
               Same<MultiVectorView<const T, S>> q, Same<MultiVectorView<T, S>> x, Same<MultiVectorView<T, S>> r,
               Same<Span<double, S>> residual_squared, Same<MultiVectorView<float, S>> rounded) {
  expect_shape("q", shape_of(q), shape_of(p));
  expect_shape("x", shape_of(x), shape_of(p));
  expect_shape("r", shape_of(r), shape_of(p));
  expect_length("rho", rho.size(), p.columns);
  expect_length("curvature", curvature.size(), p.columns);
  expect_length("units", units.size(), p.columns);
  expect_length("residual_squared", residual_squared.size(), p.columns);
  const detail::CgUpdate<T> update{rho.data(), curvature.data(), units.data(), p.data, q.data, x.data, r.data};
  if (rounded.data == nullptr) {
    detail::global_sums(ctx, p.rows, update, residual_squared);
  } else {
    expect_shape("rounded", shape_of(rounded), shape_of(p));
    detail::global_sums(ctx, p.rows, detail::RoundingCgUpdate<T>{update, rounded.data}, residual_squared);
    book_passes<float>(ctx, p.size(), 1, 0);
  }
  book_passes<T>(ctx, p.size(), 6, 6);
}

template <class T, class U, MemorySpace S>
void cg_direction(Context<S>& ctx, Same<Span<const double, S>> numerator, Same<Span<const double, S>> denominator,
                  Same<MultiVectorView<const U, S>> z, Same<MultiVectorView<T, S>> p, double sign) {
  expect_shape("z", shape_of(z), shape_of(p));
  expect_length("numerator", numerator.size(), p.columns);
  expect_length("denominator", denominator.size(), p.columns);
  detail::for_values(
      ctx, p.rows, p.columns,
      detail::CgDirection<T, U>{{static_cast<T>(sign), numerator.data(), denominator.data()}, z.data, p.data});
  book_passes<T>(ctx, p.size(), 2, 2);
  book_passes<U>(ctx, z.size(), 1, 0);
}

template <class T, MemorySpace S>
void lanczos_step(Context<S>& ctx, Same<Span<const T, S>> d, Same<MultiVectorView<const T, S>> q,
                  Same<MultiVectorView<const T, S>> v, Same<Span<const double, S>> curvature,
                  Same<Span<const double, S>> norm_squared, Same<Span<const double, S>> previous_squared,
                  Same<MultiVectorView<T, S>> v_previous, Same<Span<double, S>> next_squared) {
  expect_length("d", d.size(), v.rows);
  expect_shape("q", shape_of(q), {v.rows, 1});
  expect_shape("v", shape_of(v), {v.rows, 1});
  expect_shape("v_previous", shape_of(v_previous), {v.rows, 1});
  detail::global_sums(ctx, v.rows,
                      detail::LanczosStep<T>{curvature.data(), norm_squared.data(), previous_squared.data(), d.data(),
                                             q.data, v.data, v_previous.data},
                      next_squared);
  book_passes<T>(ctx, v.size(), 5, 9);
}

template <MemorySpace S>
void to_host(Context<S>& ctx, Same<Span<const double, S>> values, double* host_values) {
  download(ctx, values, {host_values, values.size()});
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                   \
  template void fill(Context<S>&, T, MultiVectorView<T, S>);                                                         \
  template void copy<T, float, S>(Context<S>&, MultiVectorView<const T, S>, MultiVectorView<float, S>);              \
  template void copy<T, double, S>(Context<S>&, MultiVectorView<const T, S>, MultiVectorView<double, S>);            \
  template void scale_columns<T, float, S>(Context<S>&, Span<const double, S>, MultiVectorView<const T, S>,          \
                                           MultiVectorView<float, S>);                                               \
  template void scale_columns<T, double, S>(Context<S>&, Span<const double, S>, MultiVectorView<const T, S>,         \
                                            MultiVectorView<double, S>);                                             \
  template void axpby(Context<S>&, T, MultiVectorView<const T, S>, T, MultiVectorView<T, S>);                        \
  template void add_columns<T, S>(Context<S>&, Span<const double, S>, Span<const double, S>,                         \
                                  MultiVectorView<const T, S>, MultiVectorView<T, S>, double);                       \
  template void scale_rows<T, S>(Context<S>&, Span<const T, S>, MultiVectorView<const T, S>, MultiVectorView<T, S>); \
  template void dot<T, float, S>(Context<S>&, MultiVectorView<const T, S>, MultiVectorView<const float, S>,          \
                                 Span<double, S>);                                                                   \
  template void dot<T, double, S>(Context<S>&, MultiVectorView<const T, S>, MultiVectorView<const double, S>,        \
                                  Span<double, S>);                                                                  \
  template void inner_products<T, S>(Context<S>&, MultiVectorView<const double, S>, MultiVectorView<const T, S>,     \
                                     Span<double, S>);                                                               \
  template std::vector<double> norms<T, S>(Context<S>&, MultiVectorView<const T, S>);                                \
  template bool is_zero<T, S>(Context<S>&, MultiVectorView<const T, S>);                                             \
  template void cg_update<T, S>(Context<S>&, Span<const double, S>, Span<const double, S>, Span<const double, S>,    \
                                MultiVectorView<const T, S>, MultiVectorView<const T, S>, MultiVectorView<T, S>,     \
                                MultiVectorView<T, S>, Span<double, S>, MultiVectorView<float, S>);                  \
  template void cg_direction<T, float, S>(Context<S>&, Span<const double, S>, Span<const double, S>,                 \
                                          MultiVectorView<const float, S>, MultiVectorView<T, S>, double);           \
  template void cg_direction<T, double, S>(Context<S>&, Span<const double, S>, Span<const double, S>,                \
                                           MultiVectorView<const double, S>, MultiVectorView<T, S>, double);         \
  template void lanczos_step<T, S>(Context<S>&, Span<const T, S>, MultiVectorView<const T, S>,                       \
                                   MultiVectorView<const T, S>, Span<const double, S>, Span<const double, S>,        \
                                   Span<const double, S>, MultiVectorView<T, S>, Span<double, S>);

AMGSOLVE_INSTANTIATE(float, Host)
AMGSOLVE_INSTANTIATE(double, Host)
template void to_host(Context<Host>&, Span<const double, Host>, double*);
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(float, Cuda)
AMGSOLVE_INSTANTIATE(double, Cuda)
template void to_host(Context<Cuda>&, Span<const double, Cuda>, double*);
#endif
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
