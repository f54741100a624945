#include "amg/row_balance.hpp"

#include <limits>
#include <optional>
#include <utility>

#include "amg/diagonal.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "dist/halo.hpp"
#include "spmv/blas1.hpp"
#include "spmv/spmv.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

constexpr int balancing_steps = 20;

/// After so many steps scales that serve have half of the imbalance left at most; what flows has more.
constexpr int trial_steps = 5;
constexpr double most_left_of_trial = 0.5;

/// Of the mean row: up to this a matrix is left as it is.
constexpr double least_imbalance = 2e-3;

/// What scales must bring it down to, relative to that of the matrix.
constexpr double most_left = 0.25;

/// Scales that steps improve.
template <class T, MemorySpace S>
class Balance {
 public:
  /// @param w     of the window
  /// @param rows  of all ranks
  Balance(Context<S>& ctx, const CsrMatrix<T, S>& At, Span<const T, S> Aw, Span<const T, S> w, const Layout<S>* layout,
          std::int64_t rows)
      : ctx_(ctx),
        ranks_(ranks_of(ctx, layout)),
        At_(At),
        Aw_(Aw),
        w_(w),
        layout_(layout),
        first_own_(layout != nullptr ? layout->first_own() : 0),
        rows_(static_cast<double>(rows)),
        window_(ctx, static_cast<std::size_t>(At.cols)),
        next_(ctx, Aw.size()),
        best_(ctx, Aw.size()) {}

  Span<T, S> scales() { return window_.span().subspan(static_cast<std::size_t>(first_own_), Aw_.size()); }
  void set_to_one() { fill<T>(ctx_, T{1}, MultiVectorView<T, S>(scales().data(), At_.rows)); }

  /// How far the mean row is from being balanced by the scales, from which a step then goes on.
  double step() {
    if (layout_ != nullptr) {
      exchange_ghosts<T, S>(ctx_, *layout_, {window_.data(), At_.cols, 1});
    }
    const std::int64_t units =
        detail::balance_rows<T, S>(ctx_, At_, Aw_, w_, std::as_const(window_).span(), first_own_, next_.span());
    const double imbalance = static_cast<double>(ranks_.sum(units)) * 0x1p-20 / rows_;
    if (imbalance < least_) {
      least_ = imbalance;
      copy<T>(ctx_, Span<const T, S>(scales()), best_.span());
    }
    copy<T>(ctx_, std::as_const(next_).span(), scales());
    return imbalance;
  }

  /// Of the scales seen so far.
  double least() const { return least_; }
  Buffer<T, S> best() { return std::move(best_); }

 private:
  Context<S>& ctx_;
  const Communicator& ranks_;
  const CsrMatrix<T, S>& At_;
  Span<const T, S> Aw_;
  Span<const T, S> w_;
  const Layout<S>* layout_;
  Index first_own_;
  double rows_;
  Buffer<T, S> window_;
  Buffer<T, S> next_;
  double least_ = std::numeric_limits<double>::infinity();
  Buffer<T, S> best_;
};

}  // namespace

template <class T, MemorySpace S>
Buffer<T, S> balancing_scales(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& At,
                              std::type_identity_t<Span<const T, S>> w, std::type_identity_t<const Layout<S>*> layout) {
  const Buffer<T, S> window = layout != nullptr ? window_of<T, S>(ctx, *layout, w) : Buffer<T, S>::borrow(w);
  const Communicator& ranks = ranks_of(ctx, layout);
  const std::int64_t rows = ranks.sum(std::int64_t{At.rows});
  MultiVector<T, S> Aw;
  std::optional<Balance<T, S>> of_rows;
  collectively(ranks, [&] {
    Aw = MultiVector<T, S>(ctx, A.rows);
    spmv<T>(ctx, T{1}, A, MultiVectorView<const T, S>(window.data(), A.cols), T{0}, Aw);
    of_rows.emplace(ctx, At, std::as_const(Aw).view().span(), window.span(), layout, rows);
  });
  Balance<T, S>& balance = *of_rows;
  balance.set_to_one();
  const double before = balance.step();
  if (before <= least_imbalance) {
    return {};
  }
  collectively(ranks, [&] {
    const Buffer<T, S> diagonal = diagonal_of(ctx, A, layout != nullptr ? layout->first_own() : 0);
    invert_diagonal<T>(ctx, diagonal.span(), balance.scales());
  });
  if (balance.step() >= before) {
    balance.set_to_one();
    balance.step();
  }
  for (int step = 1; step <= balancing_steps; ++step) {
    balance.step();
    if (balance.least() > most_left_of_trial * before && step >= trial_steps) {
      return {};
    }
  }
  return balance.least() <= most_left * before ? balance.best() : Buffer<T, S>();
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                    \
  template Buffer<T, S> balancing_scales(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                         Span<const T, S>, const Layout<S>*);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
