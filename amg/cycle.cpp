#include "amg/cycle.hpp"

#include <bit>
#include <cmath>

#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "core/shared_blocks.hpp"
#include "core/timer.hpp"
#include "dist/replicate.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// Of the two steps of a K-cycle, for each column.
constexpr std::size_t cycle_scalars = 5;

/// The product of all over-corrections, which must stay below 2.
constexpr double most_over_correction = 1.9;

}  // namespace

template <class T, MemorySpace S>
Cycle<T, S>::Cycle(Context<S>& ctx, const Hierarchy<T, S>& hierarchy, const AmgOptions& options)
    : hierarchy_(&hierarchy),
      type_(options.cycle == CycleType::automatic ? CycleType::v : options.cycle),
      pre_sweeps_(options.smoother.pre_sweeps),
      post_sweeps_(options.smoother.post_sweeps),
      over_correction_(options.over_correction),
      vectors_(hierarchy.levels().size()) {
  reserve(ctx, 1);
}

template <class T, MemorySpace S>
void Cycle<T, S>::reserve(Context<S>& ctx, Index columns) {
  columns_.reserve(ctx.communicator(), columns, [&] {
    repeated_.forget();
    for (std::size_t l = 0; l < vectors_.size(); ++l) {
      const Level<T, S>& level = hierarchy_->levels()[l];
      const auto vector = [&](bool needed, Margins margins = {}) {
        return needed ? MultiVector<T, S>(ctx, level.A.rows(), columns, margins) : MultiVector<T, S>(ctx, 0, columns);
      };
      const Margins of_products =
          l > 0 ? join(level.A.margins(), hierarchy_->levels()[l - 1].P.margins()) : level.A.margins();
      Vectors& v = vectors_[l];
      v = {};
      const bool is_accelerated = type_ == CycleType::k && l > 0 && !is_exact(l);
      v = {vector(l > 0),
           vector(!is_exact(l), level.R.margins()),
           vector(is_accelerated, level.A.margins()),
           vector(is_accelerated),
           vector(is_accelerated),
           MultiVector<T, S>(ctx, hierarchy_->gathered(l + 1) != nullptr ? level.R.rows() : 0, columns),
           Buffer<double, S>(ctx, is_accelerated ? cycle_scalars * static_cast<std::size_t>(columns) : 0),
           {vector(true, of_products), vector(!is_exact(l), of_products)}};
    }
  });
}

template <class T, MemorySpace S>
bool Cycle<T, S>::is_exact(std::size_t level) const {
  return level + 1 == vectors_.size() && hierarchy_->coarse_solver() != nullptr;
}

template <class T, MemorySpace S>
std::size_t Cycle<T, S>::bytes(std::size_t level) const {
  const Vectors& v = vectors_[level];
  return v.b.bytes() + v.r.bytes() + v.first.bytes() + v.product.bytes() + v.rest.bytes() + v.scalars.bytes() +
         v.restricted.bytes() + v.iterate.x.bytes() + v.iterate.next.bytes();
}

template <class T, MemorySpace S>
MultiVectorView<const T, S> Cycle<T, S>::apply(Context<S>& ctx, MultiVectorView<const T, S> b) {
  reserve(ctx, b.columns);
  const WorkArguments arguments{std::bit_cast<std::uintptr_t>(b.data), hierarchy_->updates()};
  return repeated_.run(ctx, arguments, [&]() -> MultiVectorView<const T, S> {
    visit(ctx, 0, type_, b, Start::zero);
    return std::as_const(vectors_.front().iterate.x);
  });
}

template <class T, MemorySpace S>
template <class Work>
void Cycle<T, S>::on_level(Context<S>& ctx, std::size_t level, const Work& work) {
  if (hierarchy_->gathered(level) == nullptr) {
    work();
    return;
  }
  all_alike(ctx.communicator(), [&] {
    const typename Context<S>::Alone alone(ctx);
    work();
  });
}

template <class T, MemorySpace S>
void Cycle<T, S>::visit(Context<S>& ctx, std::size_t l, CycleType type, MultiVectorView<const T, S> b, Start start) {
  const Level<T, S>& level = hierarchy_->levels()[l];
  const int number = static_cast<int>(l);
  Vectors& fine = vectors_[l];
  if (is_exact(l)) {
    ScopedTimer timer(ctx, "coarse solve", number);
    hierarchy_->coarse_solver()->solve(ctx, b, fine.iterate.x);
    return;
  }
  smooth(ctx, l, Side::before, b, start);
  if (l + 1 < vectors_.size()) {
    Vectors& coarse = vectors_[l + 1];
    {
      ScopedTimer timer(ctx, "residual", number);
      level.A.residual(ctx, b, fine.iterate.x, fine.r);
    }
    {
      ScopedTimer timer(ctx, "restriction", number);
      restrict_residual(ctx, l);
    }
    double scale = 1.0;
    on_level(ctx, l + 1, [&] {
      if (type == CycleType::k && !is_exact(l + 1)) {
        accelerate(ctx, l + 1, coarse.b);
      } else {
        visit(ctx, l + 1, type, coarse.b, Start::zero);
      }
      if (!is_exact(l + 1)) {
        if (type == CycleType::w || type == CycleType::f) {
          visit(ctx, l + 1, type == CycleType::w ? CycleType::w : CycleType::v, coarse.b, Start::x);
        } else if (type == CycleType::v && std::pow(over_correction_, number + 1) < most_over_correction) {
          scale = over_correction_;
        }
      }
    });
    prolongate(ctx, l, scale);
  }
  smooth(ctx, l, Side::after, b, l + 1 < vectors_.size() ? Start::with_ghosts : Start::x);
}

template <class T, MemorySpace S>
void Cycle<T, S>::prolongate(Context<S>& ctx, std::size_t l, double scale) {
  ScopedTimer timer(ctx, "prolongation", static_cast<int>(l));
  const Level<T, S>& level = hierarchy_->levels()[l];
  const MultiVectorView<T, S> x = vectors_[l].iterate.x;  // its residual needed the same of other ranks
  level.P.apply(ctx, static_cast<T>(scale), vectors_[l + 1].iterate.x, T{1},
                l < hierarchy_->shared_levels() ? x.widened(level.A.margins()) : x);
}

template <class T, MemorySpace S>
void Cycle<T, S>::restrict_residual(Context<S>& ctx, std::size_t l) {
  const Operator<T, S>& R = hierarchy_->levels()[l].R;
  const MultiVectorView<const T, S> r = std::as_const(vectors_[l].r);
  const MultiVectorView<T, S> coarse = vectors_[l + 1].b;
  if (const Partition* partition = hierarchy_->gathered(l + 1)) {
    R.apply(ctx, T{1}, r, T{0}, vectors_[l].restricted);
    replicate_rows<T>(ctx, *partition, vectors_[l].restricted, coarse);
    return;
  }
  R.apply(ctx, T{1}, r, T{0}, coarse);
}

template <class T, MemorySpace S>
void Cycle<T, S>::accelerate(Context<S>& ctx, std::size_t l, MultiVectorView<const T, S> b) {
  const Operator<T, S>& A = hierarchy_->levels()[l].A;
  Vectors& v = vectors_[l];
  const auto columns = static_cast<std::size_t>(b.columns);
  const auto scalar = [&](std::size_t i) { return v.scalars.span().subspan(i * columns, columns); };
  const auto along_first = scalar(0);
  const auto first_square = scalar(1);
  const auto overlap = scalar(2);
  const auto along_second = scalar(3);
  const auto second_square = scalar(4);
  visit(ctx, l, CycleType::k, b, Start::zero);
  {
    ScopedTimer timer(ctx, "acceleration", static_cast<int>(l));
    const SameRows<S> same_rows(ctx, A.rows());
    copy<T, T>(ctx, v.iterate.x, v.first);
    A.apply(ctx, T{1}, std::as_const(v.first), T{0}, v.product);
    dot<T>(ctx, v.product, b, along_first);
    dot<T>(ctx, v.product, v.product, first_square);
    copy<T, T>(ctx, b, v.rest);
    add_columns<T>(ctx, along_first, first_square, v.product, v.rest, -1.0);
  }
  visit(ctx, l, CycleType::k, std::as_const(v.rest), Start::zero);
  ScopedTimer timer(ctx, "acceleration", static_cast<int>(l));
  const SameRows<S> same_rows(ctx, A.rows());
  MultiVector<T, S>& second_product = v.r;
  A.apply(ctx, T{1}, std::as_const(v.iterate.x), T{0}, second_product);
  dot<T>(ctx, second_product, v.product, overlap);
  add_columns<T>(ctx, overlap, first_square, v.product, second_product, -1.0);
  add_columns<T>(ctx, overlap, first_square, v.first, v.iterate.x, -1.0);
  dot<T>(ctx, second_product, v.rest, along_second);
  dot<T>(ctx, second_product, second_product, second_square);
  fill<T>(ctx, T{0}, v.iterate.next);
  add_columns<T>(ctx, along_first, first_square, v.first, v.iterate.next);
  add_columns<T>(ctx, along_second, second_square, v.iterate.x, v.iterate.next);
  std::swap(v.iterate.x, v.iterate.next);
}

template <class T, MemorySpace S>
void Cycle<T, S>::smooth(Context<S>& ctx, std::size_t l, Side side, MultiVectorView<const T, S> b, Start start) {
  const int sweeps = side == Side::before ? pre_sweeps_ : post_sweeps_;
  const Level<T, S>& level = hierarchy_->levels()[l];
  Iterate<T, S>& iterate = vectors_[l].iterate;
  ScopedTimer timer(ctx, "smoothing", static_cast<int>(l));
  if (sweeps == 0 && start == Start::zero) {
    fill<T>(ctx, T{0}, iterate.x);
  }
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    level.smoother->sweep(ctx, level.A, side, sweep == 0 ? start : Start::x, b, iterate);
  }
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Cycle<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
