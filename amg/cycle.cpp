#include "amg/cycle.hpp"

#include <cmath>

#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// The product of all over-corrections, which must stay below 2.
constexpr double most_over_correction = 1.9;

}  // namespace

template <class T, MemorySpace S>
Cycle<T, S>::Cycle(Context<S>& ctx, const Hierarchy<T, S>& hierarchy, const AmgOptions& options)
    : hierarchy_(&hierarchy),
      type_(options.cycle),
      pre_sweeps_(options.smoother.pre_sweeps),
      post_sweeps_(options.smoother.post_sweeps),
      over_correction_(options.over_correction),
      vectors_(hierarchy.levels().size()) {
  allocate(ctx, 1);
}

template <class T, MemorySpace S>
void Cycle<T, S>::allocate(Context<S>& ctx, Index columns) {
  for (std::size_t l = 0; l < vectors_.size(); ++l) {
    const auto vector = [&](bool needed) {
      return FatVector<T, S>(ctx, needed ? hierarchy_->levels()[l].A.rows() : 0, columns);
    };
    Vectors& v = vectors_[l];
    v = {};
    v = {vector(l > 0), vector(!is_exact(l)), {vector(true), vector(!is_exact(l))}};
  }
}

template <class T, MemorySpace S>
bool Cycle<T, S>::is_exact(std::size_t level) const {
  return level + 1 == vectors_.size() && hierarchy_->coarse_solver() != nullptr;
}

template <class T, MemorySpace S>
std::size_t Cycle<T, S>::bytes(std::size_t level) const {
  const Vectors& v = vectors_[level];
  return v.b.bytes() + v.r.bytes() + v.iterate.x.bytes() + v.iterate.next.bytes();
}

template <class T, MemorySpace S>
FatView<const T, S> Cycle<T, S>::apply(Context<S>& ctx, FatView<const T, S> b) {
  if (b.columns != vectors_.front().iterate.x.columns()) {
    allocate(ctx, b.columns);
  }
  visit(ctx, 0, type_, b, true);
  return std::as_const(vectors_.front().iterate.x);
}

template <class T, MemorySpace S>
void Cycle<T, S>::visit(Context<S>& ctx, std::size_t l, CycleType type, FatView<const T, S> b, bool from_zero) {
  const Level<T, S>& level = hierarchy_->levels()[l];
  const int number = static_cast<int>(l);
  Vectors& fine = vectors_[l];
  if (is_exact(l)) {
    ScopedTimer timer(ctx, "coarse solve", number);
    hierarchy_->coarse_solver()->solve(ctx, b, fine.iterate.x);
    return;
  }
  smooth(ctx, l, pre_sweeps_, b, from_zero);
  if (l + 1 < vectors_.size()) {
    Vectors& coarse = vectors_[l + 1];
    {
      ScopedTimer timer(ctx, "residual", number);
      level.A.residual(ctx, b, fine.iterate.x, fine.r);
    }
    {
      ScopedTimer timer(ctx, "restriction", number);
      level.R.apply(ctx, T{1}, fine.r, T{0}, coarse.b);
    }
    visit(ctx, l + 1, type, coarse.b, true);
    double scale = 1.0;
    if (!is_exact(l + 1)) {
      if (type != CycleType::v) {
        visit(ctx, l + 1, type == CycleType::w ? CycleType::w : CycleType::v, coarse.b, false);
      } else if (std::pow(over_correction_, number + 1) < most_over_correction) {
        scale = over_correction_;
      }
    }
    ScopedTimer timer(ctx, "prolongation", number);
    level.P.apply(ctx, static_cast<T>(scale), coarse.iterate.x, T{1}, fine.iterate.x);
  }
  smooth(ctx, l, post_sweeps_, b, false);
}

template <class T, MemorySpace S>
void Cycle<T, S>::smooth(Context<S>& ctx, std::size_t l, int sweeps, FatView<const T, S> b, bool from_zero) {
  const Level<T, S>& level = hierarchy_->levels()[l];
  Iterate<T, S>& iterate = vectors_[l].iterate;
  ScopedTimer timer(ctx, "smoothing", static_cast<int>(l));
  if (sweeps == 0 && from_zero) {
    fill<T>(ctx, T{0}, iterate.x);
  }
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    level.smoother->sweep(ctx, level.A, from_zero && sweep == 0, b, iterate);
  }
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Cycle<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
