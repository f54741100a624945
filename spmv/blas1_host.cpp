#include "spmv/blas1.hpp"

#include <algorithm>

#include "core/parallel_host.hpp"
#include "spmv/lanczos_factors.hpp"
#include "spmv/shapes.hpp"
#include "spmv/work.hpp"

namespace amgsolve {
namespace {

// Rows whose sums are formed together: short enough to stay in cache, long enough to hide the cost of a partial sum.
constexpr std::int64_t block_rows = 2048;
constexpr std::int64_t block_values = 4096;

// Independent sums of a block: two cache lines of doubles, enough to hide the latency of an addition.
constexpr Index lanes = 16;

std::int64_t work_size(std::size_t n) { return static_cast<std::int64_t>(n); }

/// Calls body(begin, end) for fixed blocks of the values of vectors.
template <class Body>
void for_value_blocks(const Context<Host>& ctx, std::size_t n, const Body& body) {
  parallel_fixed_blocks(ctx, work_size(n), block_values, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    body(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  });
}

/// Calls step(i, lane) for the values i of rows [begin, end) of a fat vector, where values of one lane all belong to
/// column lane mod k. There are `lanes` lanes where k divides it and k otherwise.
template <class Step>
[[gnu::always_inline]] inline void for_lanes(std::int64_t begin, std::int64_t end, Index k, const Step& step) {
  const auto first = static_cast<std::size_t>(begin) * static_cast<std::size_t>(k);
  const auto last = static_cast<std::size_t>(end) * static_cast<std::size_t>(k);
  std::size_t i = first;
  if (lanes % k == 0) {
    constexpr std::size_t width = lanes;
    for (; i + width <= last; i += width) {
#pragma GCC ivdep
      for (std::size_t lane = 0; lane < width; ++lane) {
        step(i + lane, lane);
      }
    }
    for (std::size_t lane = 0; i < last; ++i, ++lane) {
      step(i, lane);
    }
  } else {
    for (; i < last; i += static_cast<std::size_t>(k)) {
#pragma GCC ivdep
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(k); ++lane) {
        step(i + lane, lane);
      }
    }
  }
}

std::size_t lane_count(Index k) { return static_cast<std::size_t>(lanes % k == 0 ? lanes : k); }

/// result_j = the sum over all rows of what accumulate(begin, end, sums) adds up for rows [begin, end) in one sum a
/// lane.
template <class Accumulate>
void sum_rows(Context<Host>& ctx, Index rows, Index k, Span<double, Host> result, const Accumulate& accumulate) {
  const std::size_t width = lane_count(k);
  const auto blocks = static_cast<std::size_t>((rows + block_rows - 1) / block_rows);
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto partial = scope.take<double>(blocks * width);
  parallel_fixed_blocks(ctx, rows, block_rows, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    double* sums = partial.data() + static_cast<std::size_t>(block) * width;
    std::fill_n(sums, width, 0.0);
    accumulate(begin, end, sums);
  });
  const auto columns = static_cast<std::size_t>(k);
  std::fill(result.begin(), result.end(), 0.0);
  for (std::size_t i = 0; i < partial.size(); ++i) {
    result[i % columns] += partial[i];
  }
  for (double& sum : result) {
    sum = ctx.communicator().sum(sum);
  }
}

/// For every lane the quotient of its column, 0 where the denominator is.
template <class T>
Span<T, Host> lane_quotients(WorkspaceScope<Host>& scope, Span<const double, Host> numerator,
                             Span<const double, Host> denominator) {
  const std::size_t columns = numerator.size();
  const auto quotients = scope.take<T>(lane_count(static_cast<Index>(columns)));
  for (std::size_t lane = 0; lane < quotients.size(); ++lane) {
    const std::size_t j = lane % columns;
    quotients[lane] = denominator[j] == 0.0 ? T{0} : static_cast<T>(numerator[j] / denominator[j]);
  }
  return quotients;
}

}  // namespace

template <class T>
void fill(Context<Host>& ctx, T value, FatView<T, Host> x) {
  for_value_blocks(ctx, x.size(),
                   [&](std::size_t begin, std::size_t end) { std::fill(x.data + begin, x.data + end, value); });
  book_passes<T>(ctx, x.size(), 1, 0);
}

template <class T, class U>
void copy(Context<Host>& ctx, FatView<const T, Host> x, FatView<U, Host> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  for_value_blocks(ctx, x.size(), [&](std::size_t begin, std::size_t end) {
    std::transform(x.data + begin, x.data + end, y.data + begin, [](T value) { return static_cast<U>(value); });
  });
  book_passes<T>(ctx, x.size(), 1, 0);
  book_passes<U>(ctx, x.size(), 1, 0);
}

template <class T>
void axpby(Context<Host>& ctx, T alpha, FatView<const T, Host> x, T beta, FatView<T, Host> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  if (beta == T{0}) {
    for_value_blocks(ctx, x.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        y.data[i] = alpha * x.data[i];
      }
    });
    book_passes<T>(ctx, x.size(), 2, 1);
  } else {
    for_value_blocks(ctx, x.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        y.data[i] = alpha * x.data[i] + beta * y.data[i];
      }
    });
    book_passes<T>(ctx, x.size(), 3, 3);
  }
}

template <class T>
void scale_rows(Context<Host>& ctx, Span<const T, Host> d, FatView<const T, Host> x, FatView<T, Host> y) {
  expect_shape("y", shape_of(y), shape_of(x));
  expect_length("d", d.size(), x.rows);
  const auto columns = static_cast<std::size_t>(x.columns);
  parallel_fixed_blocks(ctx, x.rows, block_rows, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      const T factor = d[row];
      for (std::size_t j = 0; j < columns; ++j) {
        y.data[row * columns + j] = factor * x.data[row * columns + j];
      }
    }
  });
  book_passes<T>(ctx, x.size(), 2, 1);
  book_passes<T>(ctx, d.size(), 1, 0);
}

template <class T>
void dot(Context<Host>& ctx, FatView<const T, Host> x, FatView<const T, Host> y, Span<double, Host> result) {
  expect_shape("y", shape_of(y), shape_of(x));
  expect_length("result", result.size(), x.columns);
  sum_rows(ctx, x.rows, x.columns, result, [&](std::int64_t begin, std::int64_t end, double* sums) {
    for_lanes(begin, end, x.columns, [=](std::size_t i, std::size_t lane) {
      sums[lane] += static_cast<double>(x.data[i]) * static_cast<double>(y.data[i]);
    });
  });
  book_passes<T>(ctx, x.size(), x.data == y.data ? 1 : 2, 2);
}

template <class T>
void cg_update(Context<Host>& ctx, Span<const double, Host> rho, Span<const double, Host> curvature,
               FatView<const T, Host> p, FatView<const T, Host> q, FatView<T, Host> x, FatView<T, Host> r,
               Span<double, Host> residual_squared) {
  expect_shape("q", shape_of(q), shape_of(p));
  expect_shape("x", shape_of(x), shape_of(p));
  expect_shape("r", shape_of(r), shape_of(p));
  expect_length("rho", rho.size(), p.columns);
  expect_length("curvature", curvature.size(), p.columns);
  expect_length("residual_squared", residual_squared.size(), p.columns);
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto alpha = lane_quotients<T>(scope, rho, curvature);
  sum_rows(ctx, p.rows, p.columns, residual_squared, [&](std::int64_t begin, std::int64_t end, double* sums) {
    for_lanes(begin, end, p.columns, [=](std::size_t i, std::size_t lane) {
      x.data[i] += alpha.data()[lane] * p.data[i];
      const T residual = r.data[i] - alpha.data()[lane] * q.data[i];
      r.data[i] = residual;
      sums[lane] += static_cast<double>(residual) * static_cast<double>(residual);
    });
  });
  book_passes<T>(ctx, p.size(), 6, 6);
}

template <class T>
void cg_direction(Context<Host>& ctx, Span<const double, Host> numerator, Span<const double, Host> denominator,
                  FatView<const T, Host> z, FatView<T, Host> p, double sign) {
  expect_shape("z", shape_of(z), shape_of(p));
  expect_length("numerator", numerator.size(), p.columns);
  expect_length("denominator", denominator.size(), p.columns);
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto beta = lane_quotients<T>(scope, numerator, denominator);
  for (T& factor : beta) {
    factor *= static_cast<T>(sign);
  }
  parallel_fixed_blocks(ctx, p.rows, block_rows, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for_lanes(begin, end, p.columns, [=](std::size_t i, std::size_t lane) {
      const T factor = beta.data()[lane];
      p.data[i] = factor == T{0} ? z.data[i] : z.data[i] + factor * p.data[i];
    });
  });
  book_passes<T>(ctx, p.size(), 3, 2);
}

template <class T>
void lanczos_step(Context<Host>& ctx, Span<const T, Host> d, FatView<const T, Host> q, FatView<const T, Host> v,
                  Span<const double, Host> curvature, Span<const double, Host> norm_squared,
                  Span<const double, Host> previous_squared, FatView<T, Host> v_previous,
                  Span<double, Host> next_squared) {
  expect_lanczos_shapes(d.size(), shape_of(q), shape_of(v), shape_of(v_previous));
  const LanczosFactors<T> factors(curvature[0], norm_squared[0], previous_squared[0]);
  sum_rows(ctx, v.rows, 1, next_squared, [&](std::int64_t begin, std::int64_t end, double* sums) {
    for_lanes(begin, end, 1, [=](std::size_t i, std::size_t lane) {
      const T next = factors.next(d.data()[i], q.data[i], v.data[i], v_previous.data + i);
      v_previous.data[i] = next;
      sums[lane] += static_cast<double>(d.data()[i]) * static_cast<double>(next) * static_cast<double>(next);
    });
  });
  book_passes<T>(ctx, v.size(), 5, 9);
}

void to_host(Context<Host>&, Span<const double, Host> values, double* host_values) {
  std::copy(values.begin(), values.end(), host_values);
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                       \
  template void fill(Context<Host>&, T, FatView<T, Host>);                                                            \
  template void copy(Context<Host>&, FatView<const T, Host>, FatView<float, Host>);                                   \
  template void copy(Context<Host>&, FatView<const T, Host>, FatView<double, Host>);                                  \
  template void axpby(Context<Host>&, T, FatView<const T, Host>, T, FatView<T, Host>);                                \
  template void scale_rows(Context<Host>&, Span<const T, Host>, FatView<const T, Host>, FatView<T, Host>);            \
  template void dot(Context<Host>&, FatView<const T, Host>, FatView<const T, Host>, Span<double, Host>);              \
  template void cg_update(Context<Host>&, Span<const double, Host>, Span<const double, Host>, FatView<const T, Host>, \
                          FatView<const T, Host>, FatView<T, Host>, FatView<T, Host>, Span<double, Host>);            \
  template void cg_direction(Context<Host>&, Span<const double, Host>, Span<const double, Host>,                      \
                             FatView<const T, Host>, FatView<T, Host>, double);                                       \
  template void lanczos_step(Context<Host>&, Span<const T, Host>, FatView<const T, Host>, FatView<const T, Host>,     \
                             Span<const double, Host>, Span<const double, Host>, Span<const double, Host>,            \
                             FatView<T, Host>, Span<double, Host>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
