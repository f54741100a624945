#include <algorithm>
#include <optional>
#include <utility>

#include "amg/coarsening_choices.hpp"
#include "amg/connected_components.hpp"
#include "amg/diagonal.hpp"
#include "amg/hierarchy.hpp"
#include "amg/shared_coarsening.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/halo.hpp"
#include "dist/replicate.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// @param strip  without a layout where its columns are those of the whole matrix
template <class T, MemorySpace S>
Operator<T, S> stored_strip(Context<S>& ctx, LocalMatrix<T, S> strip, Storage storage,
                            std::optional<OwnRows> own = std::nullopt) {
  std::shared_ptr<OperandWindow<T, S>> window;
  if (strip.layout != nullptr) {
    window = std::make_shared<Halo<T, S>>(std::move(strip.layout));
  }
  return Operator<T, S>(ctx, std::move(strip.A), storage, std::move(window), own);
}

/// This rank's part of values that each of them has, one for each node of as many unknowns.
template <class T, MemorySpace S>
Buffer<T, S> own_values(Context<S>& ctx, const Buffer<T, S>& whole, const Partition& rows, Index unknowns = 1) {
  const int rank = ctx.communicator().rank();
  Buffer<T, S> own;
  collectively(ctx.communicator(), [&] {
    own = Buffer<T, S>(ctx, static_cast<std::size_t>(rows.rows(rank) / unknowns));
    copy<T>(ctx, whole.span().subspan(static_cast<std::size_t>(rows.first(rank) / unknowns), own.size()), own.span());
  });
  return own;
}

/// Coarse rows for the ranks as they have the fine ones, those of a node together.
Partition coarse_partition(const Communicator& communicator, const Partition& fine, std::int64_t coarse_rows,
                           Index unknowns) {
  const auto begin = [&](std::int64_t fine_row) {
    // Each less than 2³¹, since a rank has the matrix whole.
    return coarse_rows / unknowns * fine_row / fine.rows() * unknowns;
  };
  const int rank = communicator.rank();
  return {communicator, begin(fine.end(rank)) - begin(fine.first(rank))};
}

}  // namespace

template <class T, MemorySpace S>
Hierarchy<T, S>::Hierarchy(Context<S>& ctx, LocalMatrix<T, S>& given, MultiVectorView<const T, S> near_nullspace,
                           const AmgOptions& options, Operator<T, S> light)
    : options_(options),
      reuse_(Reuse::none),
      make_smoother_(smoother_maker<T, S>(options.smoother.type, options.matrix)) {
  const Communicator& communicator = ctx.communicator();
  Index block_size = options.block_size.value_or(1);
  const auto window = given.layout;
  NodeStrip<T, S> A = with_whole_nodes(ctx, std::move(given), block_size);
  if (A.unknowns.layout != window) {
    light = {};
  }
  MultiVector<T, S> candidates;
  collectively(communicator, [&] {
    candidates = MultiVector<T, S>(ctx, near_nullspace.rows, near_nullspace.columns);
    copy<T, T>(ctx, near_nullspace, candidates);
  });
  const Offset replicated = replicated_entries(ctx, options);
  FinerLevels finer;
  double finest_largest = 0.0;
  WindowStrip<T, S> P;
  Buffer<T, S> d;
  for (std::size_t l = 0;; ++l) {
    const int number = static_cast<int>(l);
    const std::int64_t rows = A.unknowns.layout->partition().rows();
    const std::int64_t nnz = communicator.sum(A.unknowns.A.nnz());
    std::optional<SharedStep<T, S>> step;
    if (nnz > replicated && (l == 0 || nnz > set_up_whole_entries(ctx, options)) &&
        rows > std::max(options.coarse_size, options.direct_solve_limit) && number + 1 < options.max_levels) {
      ctx.notify({.phase = "setup", .step = number + 1, .steps = options.max_levels});
      if (l == 0) {
        d = positive_diagonal(ctx, A.unknowns.A, number, options.matrix, false, A.unknowns.layout.get(), light);
        collectively(communicator, [&] { finest_largest = largest_entry<T>(ctx, std::as_const(d).span()); });
        finest_largest = largest_of(communicator, finest_largest);
      }
      const MultiVectorView<const T, S> own = std::as_const(candidates).view();
      const SharedModel<T, S> model(ctx, A, std::as_const(d).span(), own, block_size, number, options.matrix);
      step = coarsen_shared(ctx, A, model, own, block_size, finer, options, light);
    }
    if (!step) {
      break;
    }
    if (l > 0) {
      store_shared_prolongator(ctx, std::move(P), l - 1);
    }
    const auto finest = [&] {  // not known row by row
      MultiVector<T, S> largest(ctx, step->R.A.cols);
      fill<T>(ctx, static_cast<T>(finest_largest), largest);
      return largest;
    };
    LocalMatrix<T, S>& coarse = step->A.unknowns;
    CoarseDiagonal<T, S> coarse_d = positive_coarse_diagonal<T, S>(
        ctx, step->R.A, finest, step->candidates.columns(), number + 1, options.matrix, coarse.A, coarse.layout.get());
    Level<T, S>& level = levels_.emplace_back();
    radii_.emplace_back();
    level.block_size = block_size;
    level.summary = std::move(step->summary);
    level.summary.rows = rows;
    level.summary.nnz = nnz;
    level.aggregate_of_node = std::move(step->aggregate_of_node);
    level.A = std::exchange(light, {});
    if (l == 0) {
      given.layout = A.unknowns.layout;
    }
    store_shared(ctx, std::move(A.unknowns), std::move(step->R), d.span(), step->spectral_radius, l);
    P = std::move(step->P);
    A = std::move(step->A);
    candidates = std::move(step->candidates);
    block_size = candidates.columns();
    finer = finer.below(step->kind, level.summary.density);
    d = std::move(coarse_d.entries);
    has_null_rows_ = has_null_rows_ || coarse_d.has_null_rows;
  }
  if (levels_.empty()) {
    given = std::move(A.unknowns);
    throw NotShareable();
  }
  gathered_ = {levels_.size(), A.unknowns.layout->partition(), finest_largest, replicated};
  CsrMatrix<T, S> whole = replicate(ctx, A.unknowns);
  A = {};
  MultiVector<T, S> all = replicated_rows<T>(ctx, gathered_->partition, candidates, "rows of a level");
  all_alike(communicator, [&] {
    const typename Context<S>::Alone alone(ctx);
    coarsen(ctx, std::move(whole), std::move(all), block_size, finer);
  });
  if (whole_levels_.empty()) {
    number_globally(ctx, P.rows);
  }
  store_shared_prolongator(ctx, std::move(P), gathered_->level - 1);
  share_whole_levels(ctx);
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::store_shared(Context<S>& ctx, LocalMatrix<T, S> A, LocalMatrix<T, S> R, Span<const T, S> diagonal,
                                   double rho, std::size_t l) {
  set_smoother(ctx, A.A, diagonal, smoother_radius(ctx, A.A, diagonal, rho, l, ctx.communicator()), l, A.layout);
  ScopedTimer timer(ctx, "storage", static_cast<int>(l));
  if (levels_[l].A.is_light()) {
    A = {};
  } else {
    levels_[l].A = stored_strip(ctx, std::move(A), options_.storage);
  }
  levels_[l].R = stored_strip(ctx, std::move(R), options_.storage);
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::store_shared_prolongator(Context<S>& ctx, WindowStrip<T, S> P, std::size_t l) {
  ScopedTimer timer(ctx, "storage", static_cast<int>(l));
  Level<T, S>& level = levels_[l];
  level.P = stored_strip(ctx, std::move(P.rows), options_.storage, P.own);
  level.summary.bytes = static_cast<std::size_t>(ctx.communicator().sum(
      static_cast<std::int64_t>(level.A.bytes() + level.P.bytes() + level.R.bytes() + level.smoother->bytes())));
}

template <class T, MemorySpace S>
void Hierarchy<T, S>::share_whole_levels(Context<S>& ctx) {
  for (std::size_t i = 0; i < whole_levels_.size(); ++i) {
    WholeLevel whole = std::move(whole_levels_[i]);
    const std::size_t l = gathered_->level;
    const Partition rows = std::move(gathered_->partition);
    const Partition coarse_rows = coarse_partition(ctx.communicator(), rows, whole.P.cols, levels_[l + 1].block_size);
    Level<T, S>& level = levels_[l];
    level.summary.rows = whole.A.rows;
    level.summary.nnz = whole.A.nnz();
    if (level.aggregate_of_node.size() > 0) {
      level.aggregate_of_node = own_values(ctx, level.aggregate_of_node, rows, level.block_size);
    }
    LocalMatrix<T, S> A;
    LocalMatrix<T, S> R;
    WindowStrip<T, S> P;
    {
      ScopedTimer timer(ctx, "storage", static_cast<int>(l));
      A = own_strip(ctx, whole.A, rows, rows);
      R = own_strip(ctx, whole.R, coarse_rows, rows);
      const bool is_last = i + 1 == whole_levels_.size();
      P = window_strip(ctx, whole.P, *A.layout, coarse_rows, !is_last);
      if (is_last) {
        number_globally(ctx, P.rows);
      }
    }
    const Buffer<T, S> diagonal = own_values(ctx, whole.diagonal, rows);
    store_shared(ctx, std::move(A), std::move(R), diagonal.span(), whole.rho, l);
    store_shared_prolongator(ctx, std::move(P), l);
    gathered_->level = l + 1;
    gathered_->partition = coarse_rows;
  }
  whole_levels_.clear();
}

template <class T, MemorySpace S>
bool Hierarchy<T, S>::is_connected(Context<S>& ctx) const {
  bool is_one_part = false;
  all_alike(ctx.communicator(), [&] {
    const typename Context<S>::Alone alone(ctx);
    const Level<T, S>& level = levels_[gathered_->level];
    is_one_part = !has_null_rows_ && connected_components(ctx, level.A, level.block_size).count == 1;
  });
  return is_one_part;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template Hierarchy<T, S>::Hierarchy(Context<S>&, LocalMatrix<T, S>&, MultiVectorView<const T, S>, const AmgOptions&, \
                                      Operator<T, S>);                                                                 \
  template void Hierarchy<T, S>::store_shared(Context<S>&, LocalMatrix<T, S>, LocalMatrix<T, S>, Span<const T, S>,     \
                                              double, std::size_t);                                                    \
  template void Hierarchy<T, S>::store_shared_prolongator(Context<S>&, WindowStrip<T, S>, std::size_t);                \
  template void Hierarchy<T, S>::share_whole_levels(Context<S>&);                                                      \
  template bool Hierarchy<T, S>::is_connected(Context<S>&) const;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
