#include <algorithm>

#include "amg/prolongator_row_lanes_cuda.cuh"
#include "amg/prolongator_row_thread_cuda.cuh"
#include "core/atomic_cuda.cuh"
#include "core/instantiate.hpp"
#include "spmv/one_pass_tile_cuda.cuh"
#include "spmv/row_sample.hpp"

namespace amgsolve {
namespace {

using namespace prolongator;

/// What is counted: the entries of rows of P, and the longest of the rows of A that they come from.
struct Counts {
  RowSample P;
  Index longest_of_A = 0;
};

/// Counts the entries of a row of P and of A by a warp, of a random row of each of as many strata as there are samples.
template <class T>
__global__ void sample_rows_kernel(Smoothing<T> smoothing, Index samples, Counts* counts) {
  const std::int64_t sample = thread_index() / warp_size;
  if (sample >= samples) {
    return;
  }
  LanesRow<T, warp_size> row(smoothing, true, RowStrata{smoothing.rows, samples}.row(sample), widest_window);
  const Offset entries = Offset{row.count()} * smoothing.k;
  if (row.rank() == 0) {
    atomicMax(&counts->longest_of_A, static_cast<Index>(row.length()));
    atomic_add(&counts->P.entries, entries);
    atomic_add(&counts->P.squares, entries * entries);
  }
}

/// What a sample of the rows tells.
struct RowEstimate {
  Index longest;   ///< entries of the longest row of A among them
  Offset entries;  ///< of P: some standard errors above the estimate, and at most as many as P can have
};

/// From up to most_samples rows, each of which a warp forms without its values. Synchronises.
template <class T>
RowEstimate estimate_rows(Context<Cuda>& ctx, const Smoothing<T>& smoothing, Offset most_entries) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto counts = scope.take<Counts>(1);
  set_zero(ctx, counts);
  const Index samples = std::min(smoothing.rows, most_samples);
  Grid grid = Grid::of_lanes(samples, warp_size, warp_size);
  grid.shared_bytes = static_cast<std::size_t>(LanesRow<T, warp_size>::shared_bytes(widest_window));
  launch(ctx, sample_rows_kernel<T>, grid, smoothing, samples, counts.data());
  Counts result = element(ctx, counts, 0);
  result.P.rows = smoothing.rows;
  result.P.sampled_rows = samples;
  return {result.longest_of_A, std::min(result.P.entries_bound(), most_entries)};
}

/// A lane for each of the k columns of a row's aggregates, for rows of A of up to longest_of_thread entries; longer
/// ones do not fit.
template <class T>
__global__ void __launch_bounds__(prolongator::block_threads, resident_blocks_of_threads)
    smooth_rows_by_threads_kernel(Smoothing<T> s, OnePassTarget<T> target) {
  __shared__ RowLists<T> lists_of_warp[block_warps];
  __shared__ Tile<T, prolongator::block_threads> block;
  const std::int64_t tile = block.start(target);
  const WarpRows<T> rows(s, lists_of_warp[warp_of_block()], tile * block_warps + warp_of_block());

  const int row_entries = rows.is_first ? rows.staged * s.k : 0;
  block.announce(target, tile, row_entries);
  const bool is_last = (tile + 1) * block_warps * warp_rows(s.k) >= s.rows;
  const TilePlace place = block.place(target, tile, is_last, row_entries, 0, rows.is_first && !rows.fits);
  if (rows.is_first) {
    target.row_offsets[rows.row + 1] = place.begin + row_entries;
  }
  if (place.fits) {
    rows.write(place.begin, [&](Offset entry, Index col, T value) {
      target.col_indices[entry] = col;
      target.values[entry] = value;
    });
  }
}

/// The values of P's rows, whose pattern stands, by threads. Rows that do not fit are counted and left out.
template <class T>
__global__ void __launch_bounds__(prolongator::block_threads, resident_blocks_of_threads)
    refill_rows_by_threads_kernel(Smoothing<T> s, const Offset* row_offsets, T* values, Offset* unfit_rows) {
  __shared__ RowLists<T> lists_of_warp[block_warps];
  const WarpRows<T> rows(s, lists_of_warp[warp_of_block()], thread_index() / warp_size);
  if (rows.is_first && !rows.fits) {
    atomic_add(unfit_rows, Offset{1});
  }
  rows.write(row_offsets[rows.row], [&](Offset entry, Index, T value) { values[entry] = value; });
}

/// `Lanes` lanes for each row.
template <class T, int Lanes>
__global__ void __launch_bounds__(prolongator::block_threads, resident_blocks_of_lanes)
    smooth_rows_by_lanes_kernel(Smoothing<T> s, int window, OnePassTarget<T> target) {
  constexpr int tile_rows = prolongator::block_threads / Lanes;
  __shared__ Tile<T, prolongator::block_threads> block;
  const std::int64_t tile = block.start(target);
  const std::int64_t wanted_row = tile * tile_rows + LaneGroup<Lanes>::index_in_block();
  const bool has_row = wanted_row < s.rows;
  const auto row = has_row ? static_cast<Index>(wanted_row) : 0;

  LanesRow<T, Lanes> entries(s, has_row, row, window);
  const Index aggregates = entries.count();
  const bool is_first = has_row && entries.rank() == 0;
  const int row_entries = is_first ? aggregates * s.k : 0;
  block.announce(target, tile, row_entries);
  const TilePlace place = block.place(target, tile, (tile + 1) * tile_rows >= s.rows, row_entries, 0, false);
  if (is_first) {
    target.row_offsets[row + 1] = place.begin + row_entries;
  }
  if (place.fits) {
    entries.write(target, __shfl_sync(all_lanes, place.begin, 0, Lanes), aggregates);
  }
}

/// The window for rows of A of up to `length` entries, a multiple of Lanes.
template <int Lanes>
int window_for(Index length) {
  return std::clamp((length + Lanes - 1) / Lanes * Lanes, narrowest_window, widest_window);
}

/// `Lanes` lanes for each of the rows, with a window each.
template <class T, int Lanes>
Grid lanes_grid(Index rows, int window) {
  Grid grid = Grid::of_lanes(rows, Lanes, prolongator::block_threads);
  grid.shared_bytes =
      static_cast<std::size_t>(prolongator::block_threads / Lanes * LanesRow<T, Lanes>::shared_bytes(window));
  return grid;
}

/// Forms P, which has `cols` columns, with `Lanes` lanes a row.
template <int Lanes, class T>
CsrMatrix<T, Cuda> smooth_rows_by_lanes(Context<Cuda>& ctx, const Smoothing<T>& smoothing, Index cols,
                                        const RowEstimate& estimate, const RowMargins& margins) {
  constexpr int tile_rows = prolongator::block_threads / Lanes;
  const int window = window_for<Lanes>(estimate.longest);
  const Grid grid = lanes_grid<T, Lanes>(smoothing.rows, window);
  return form_in_one_pass<T>(ctx, smoothing.rows, cols, tile_rows, estimate.entries, margins,
                             [&](const OnePassTarget<T>& target) {
                               launch(ctx, smooth_rows_by_lanes_kernel<T, Lanes>, grid, smoothing, window, target);
                             })
      .matrix;
}

template <class T>
Grid threads_grid(const Smoothing<T>& smoothing) {
  const int block_rows = block_warps * warp_rows(smoothing.k);
  return {(std::int64_t{smoothing.rows} + block_rows - 1) / block_rows, prolongator::block_threads};
}

/// The same with a thread for each column of a row. Not complete where rows did not fit.
template <class T>
OnePassResult<T> smooth_rows_by_threads(Context<Cuda>& ctx, const Smoothing<T>& smoothing, Index cols,
                                        const RowEstimate& estimate, const RowMargins& margins) {
  const Grid grid = threads_grid(smoothing);
  return form_in_one_pass<T>(
      ctx, smoothing.rows, cols, block_warps * warp_rows(smoothing.k), estimate.entries, margins,
      [&](const OnePassTarget<T>& target) { launch(ctx, smooth_rows_by_threads_kernel<T>, grid, smoothing, target); });
}

/// Forms P by threads where no row of A is too long for them, else by lanes.
template <class T>
CsrMatrix<T, Cuda> smooth_rows(Context<Cuda>& ctx, const Smoothing<T>& smoothing, Index cols, Offset most_entries,
                               const RowMargins& margins) {
  const RowEstimate estimate = estimate_rows(ctx, smoothing, most_entries);
  if (estimate.longest <= longest_of_thread && smoothing.k <= warp_size) {
    OnePassResult<T> result = smooth_rows_by_threads(ctx, smoothing, cols, estimate, margins);
    if (result.unfit_rows == 0) {
      return std::move(result.matrix);
    }
  }
  return estimate.longest <= longest_of_few_lanes
             ? smooth_rows_by_lanes<few_lanes>(ctx, smoothing, cols, estimate, margins)
             : smooth_rows_by_lanes<warp_size>(ctx, smoothing, cols, estimate, margins);
}

/// The values of P's rows, whose pattern stands, by `Lanes` lanes each.
template <class T, int Lanes>
__global__ void __launch_bounds__(prolongator::block_threads, resident_blocks_of_lanes)
    refill_rows_kernel(Smoothing<T> s, int window, const Offset* row_offsets, const Index* col_indices, T* values) {
  const std::int64_t wanted_row = thread_index() / Lanes;
  const bool has_row = wanted_row < s.rows;
  const auto row = has_row ? static_cast<Index>(wanted_row) : 0;
  LanesRow<T, Lanes> entries(s, has_row, row, window);
  const Offset begin = row_offsets[row];
  entries.refill(col_indices + begin, values + begin, has_row ? static_cast<int>(row_offsets[row + 1] - begin) : 0);
}

template <int Lanes, class T>
void refill_rows_by_lanes(Context<Cuda>& ctx, const Smoothing<T>& smoothing, Index length, CsrMatrix<T, Cuda>& P) {
  const int window = window_for<Lanes>(length);
  const CsrRef<T> pattern = ref_of(P);
  launch(ctx, refill_rows_kernel<T, Lanes>, lanes_grid<T, Lanes>(P.rows, window), smoothing, window,
         pattern.row_offsets, pattern.col_indices, P.values.data());
}

/// False where rows did not fit: those are not refilled.
template <class T>
bool refill_rows_by_threads(Context<Cuda>& ctx, const Smoothing<T>& smoothing, CsrMatrix<T, Cuda>& P) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto unfit_rows = scope.take<Offset>(1);
  set_zero(ctx, unfit_rows);
  launch(ctx, refill_rows_by_threads_kernel<T>, threads_grid(smoothing), smoothing, ref_of(P).row_offsets,
         P.values.data(), unfit_rows.data());
  return element(ctx, unfit_rows, 0) == 0;
}

}  // namespace

template <class T>
CsrMatrix<T, Cuda> form_prolongator(Context<Cuda>& ctx, const ProlongatorOperands<T, Cuda>& operands) {
  // A row of P has an aggregate for each entry of A's row at most, and its own.
  const Offset most_entries = (operands.A.nnz() + operands.A.rows) * operands.candidates();
  return smooth_rows(ctx, kernel_operands(operands), operands.coarse_rows(), most_entries, operands.rows.margins);
}

template <class T>
void refill_prolongator(Context<Cuda>& ctx, const ProlongatorOperands<T, Cuda>& operands, CsrMatrix<T, Cuda>& P) {
  const Smoothing<T> smoothing = kernel_operands(operands);
  const auto mean = static_cast<Index>(operands.A.nnz() / std::max(operands.A.rows, 1));
  if (mean <= longest_of_thread && smoothing.k <= warp_size && refill_rows_by_threads(ctx, smoothing, P)) {
    return;
  }
  // Rows past the window are read once more, which is cheaper than to look for the longest.
  const Index length = 2 * mean;
  if (length <= longest_of_few_lanes) {
    refill_rows_by_lanes<few_lanes>(ctx, smoothing, length, P);
  } else {
    refill_rows_by_lanes<warp_size>(ctx, smoothing, length, P);
  }
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                          \
  template CsrMatrix<T, S> form_prolongator(Context<S>&, const ProlongatorOperands<T, S>&); \
  template void refill_prolongator(Context<S>&, const ProlongatorOperands<T, S>&, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
