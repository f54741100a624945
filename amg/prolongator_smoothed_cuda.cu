#include <cuda_pipeline.h>

#include <algorithm>

#include "amg/prolongator.hpp"
#include "core/hash.hpp"
#include "core/search_cuda.cuh"
#include "spgemm/csr_ref_cuda.hpp"
#include "spgemm/survey_cuda.hpp"
#include "spgemm/tile_cuda.cuh"

namespace amgsolve {
namespace {

constexpr int block_threads = 128;
constexpr int block_warps = block_threads / warp_size;
constexpr unsigned all_lanes = 0xffffffffU;

/// Entries of the longest rows of A that threads keep in registers: in double, those of a block's rows fill 48 kB of
/// shared memory.
constexpr int widest = 28;

/// Blocks that a multiprocessor is to hold, which decides the registers of a thread: with 8 threads of short rows
/// hardly spill; of the widest shared memory holds no more than 4.
template <int Width>
constexpr int resident_blocks = Width <= 8 ? 8 : 4;

/// Rows that a guess at the entries of P is made from.
constexpr Index most_samples = 4096;

/// What an entry of A is to the rows of P: the aggregate of its column's node, or, above all aggregates, one of these.
using Label = std::uint32_t;
constexpr auto none = static_cast<Label>(Aggregates<Cuda>::none);
constexpr Label weak = none - 1;  ///< the filter drops the entry

__device__ int lane_of_warp() { return static_cast<int>(threadIdx.x) % warp_size; }

/// What P is made of, as kernels take it.
template <class T>
struct Smoothing {
  CsrRef<T> A;
  Index rows;
  const Offset* strong_offsets;  ///< null: no entry is dropped
  const Index* strong_neighbours;
  const Index* of_node;
  Index block_size;
  const T* basis;
  Index k;
  T damping;

  /// Rows of a warp: a lane for each of the k columns of a row's aggregates.
  AMGSOLVE_HOST_DEVICE int warp_rows() const { return k <= warp_size ? warp_size / k : 1; }

  __device__ Index node(Index unknown) const { return block_size == 1 ? unknown : unknown / block_size; }
  __device__ Label aggregate(Index unknown) const { return static_cast<Label>(of_node[node(unknown)]); }
  __device__ T t(Index unknown, Index c) const { return basis[std::int64_t{unknown} * k + c]; }

  /// Whether the filter drops the entries of A in this row and column.
  __device__ bool is_weak(Index row, Index col) const {
    const Index mine = node(row);
    const Index other = node(col);
    if (strong_offsets == nullptr || other == mine) {
      return false;
    }
    const Offset last = strong_offsets[mine + 1];
    const Offset place = lower_bound(strong_neighbours, strong_offsets[mine], last, other);
    return place == last || strong_neighbours[place] != other;
  }
  __device__ Label label(Index row, Index col) const { return is_weak(row, col) ? weak : aggregate(col); }
};

/// How the entries of a row of P follow from sums over its row of A.
template <class T>
struct RowFactors {
  T scale;
  T own_factor;

  RowFactors() = default;
  __device__ RowFactors(T diagonal, T dropped, T damping) {
    // Lumping may not turn the diagonal around: then the row keeps its own.
    const bool lumped = diagonal + dropped > T{0};
    const T filtered_diagonal = lumped ? diagonal + dropped : diagonal;
    scale = filtered_diagonal != T{0} ? -damping / filtered_diagonal : T{0};
    own_factor = T{1} + (lumped ? scale * dropped : T{0});
  }

  /// From Σ a_ij t_jc over the strong entries in an aggregate, and t_ic where the aggregate is the row's own.
  __device__ T entry(T sum, bool is_own, T t) const {
    const T smoothed = sum * scale;
    return is_own ? smoothed + own_factor * t : smoothed;
  }
};

/// A row by all lanes of a warp, whatever its length. The aggregates that it touches are found in ascending order, each
/// as the lowest above the one before, which needs no room for a list.
template <class T>
class WarpRow {
 public:
  __device__ WarpRow(const Smoothing<T>& smoothing, Index row)
      : smoothing_(smoothing),
        row_(row),
        begin_(smoothing.A.row_offsets[row]),
        end_(smoothing.A.row_offsets[row + 1]),
        own_(smoothing.aggregate(row)) {
#pragma unroll
    for (int i = 0; i < kept; ++i) {
      kept_[i] = label(begin_ + i * warp_size + lane_of_warp());
    }
  }

  __device__ Offset length() const { return end_ - begin_; }

  /// The number of aggregates that the row touches.
  __device__ Index count() const {
    Index found = 0;
    for (Label aggregate = next(0); aggregate < weak; aggregate = next(aggregate + 1)) {
      ++found;
    }
    return found;
  }

  /// Writes the row's `entries` entries from `begin` on: a lane for each in turn. All of them walk along A's row
  /// together, so that every sum has its order.
  __device__ void write(const OnePassTarget<T>& target, Offset begin, Index entries) const {
    const Smoothing<T>& s = smoothing_;
    Label aggregate = next(0);
    Index number = 0;  // of that aggregate in the row
    for (Index first = 0; first < entries; first += warp_size) {
      const Index entry = first + lane_of_warp();
      const Index c = entry % s.k;
      Label mine = aggregate;
      while (number < (min(first + warp_size, entries) - 1) / s.k) {
        aggregate = next(aggregate + 1);
        ++number;
        mine = entry / s.k >= number ? aggregate : mine;
      }
      T sum = 0;
      T diagonal = 0;
      T dropped = 0;
      for (Offset chunk = begin_; chunk < end_; chunk += warp_size) {
        const Offset place = chunk + lane_of_warp();
        const Label my_label = label(place);
        const Index my_col = place < end_ ? s.A.col_indices[place] : 0;
        const T my_value = place < end_ ? s.A.values[place] : T{0};
        const int chunk_entries = static_cast<int>(min(end_ - chunk, Offset{warp_size}));
        for (int m = 0; m < chunk_entries; ++m) {
          const Label of_entry = __shfl_sync(all_lanes, my_label, m);
          const Index col = __shfl_sync(all_lanes, my_col, m);
          const T value = __shfl_sync(all_lanes, my_value, m);
          diagonal += col == row_ ? value : T{0};
          dropped += of_entry == weak ? value : T{0};
          if (of_entry == mine) {
            sum += value * s.t(col, c);
          }
        }
      }
      if (entry < entries) {
        const RowFactors<T> factors(diagonal, dropped, s.damping);
        target.col_indices[begin + entry] = static_cast<Index>(mine) * s.k + c;
        target.values[begin + entry] = factors.entry(sum, mine == own_, s.t(row_, c));
      }
    }
  }

 private:
  /// Labels that a lane keeps: those of rows of up to 128 entries.
  static constexpr int kept = 4;

  __device__ Label label(Offset place) const {
    return place < end_ ? smoothing_.label(row_, smoothing_.A.col_indices[place]) : none;
  }

  /// The lowest aggregate from `least` on that the row touches, its own included; weak or none where there is none.
  __device__ Label next(Label least) const {
    Label lowest = own_ >= least ? own_ : none;
#pragma unroll
    for (int i = 0; i < kept; ++i) {
      lowest = kept_[i] >= least ? min(lowest, kept_[i]) : lowest;
    }
    for (Offset place = begin_ + kept * warp_size + lane_of_warp(); place < end_; place += warp_size) {
      const Label found = label(place);
      lowest = found >= least ? min(lowest, found) : lowest;
    }
    return __reduce_min_sync(all_lanes, lowest);
  }

  const Smoothing<T>& smoothing_;
  Index row_;
  Offset begin_;
  Offset end_;
  Label own_;
  Label kept_[kept];
};

/// Counts the entries of a row of P and of A by a warp, of a random row of each of as many strata as there are samples.
template <class T>
__global__ void sample_rows_kernel(Smoothing<T> smoothing, Index samples, Survey* survey) {
  const std::int64_t sample = thread_index() / warp_size;
  if (sample >= samples) {
    return;
  }
  const std::int64_t begin = sample * smoothing.rows / samples;
  const std::int64_t end = (sample + 1) * smoothing.rows / samples;
  const auto choice = static_cast<std::int64_t>(hash64(static_cast<std::uint64_t>(sample)) >> 1);
  const WarpRow<T> row(smoothing, static_cast<Index>(begin + choice % (end - begin)));
  const auto entries = static_cast<unsigned long long>(row.count()) * static_cast<unsigned>(smoothing.k);
  if (lane_of_warp() == 0) {
    atomicMax(&survey->longest_a, static_cast<Index>(row.length()));
    atomicAdd(reinterpret_cast<unsigned long long*>(&survey->sampled_entries), entries);
    atomicAdd(reinterpret_cast<unsigned long long*>(&survey->sampled_squares), entries * entries);
  }
}

/// A survey of A T for the number of its entries. longest_a is the longest of the sampled rows. Synchronises.
template <class T>
Survey survey_rows(Context<Cuda>& ctx, const Smoothing<T>& smoothing) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto survey = scope.take<Survey>(1);
  set_zero(ctx, survey);
  const Index samples = std::min(smoothing.rows, most_samples);
  launch(ctx, sample_rows_kernel<T>, Grid::of_lanes(samples, warp_size, block_threads), smoothing, samples,
         survey.data());
  Survey result = element(ctx, survey, 0);
  result.rows = smoothing.rows;
  result.sampled_rows = samples;
  return result;
}

/// Lists of a warp's rows of A or P in shared memory, whose entries are a stride apart: so lanes at the same entry of
/// their lists, and groups of 8 lanes that go along a list each, use different banks.
template <class T, int Width>
class RowLists {
 public:
  __device__ Index& col(int list, int entry) { return cols_[entry * col_stride + list]; }
  __device__ T& value(int list, int entry) { return values_[entry * value_stride + list]; }

  /// Reads the first `lists` lists from A: list l has the place and length (at most Width) that lane l · `step` knows.
  __device__ void read(const CsrRef<T>& A, Offset begin, int length, int lists, int step) {
#pragma unroll
    for (int first = 0; first < warp_size; first += lists_at_once) {
      const int list = first + lane_of_warp() / group;
      const bool is_wanted = list < lists;
      const Offset list_begin = __shfl_sync(all_lanes, begin, is_wanted ? list * step : 0);
      const int list_length = __shfl_sync(all_lanes, length, is_wanted ? list * step : 0);
#pragma unroll
      for (int from = 0; from < Width; from += group) {
        const int entry = from + lane_of_warp() % group;
        if (is_wanted && entry < list_length) {
          __pipeline_memcpy_async(&col(list, entry), A.col_indices + list_begin + entry, sizeof(Index));
          __pipeline_memcpy_async(&value(list, entry), A.values + list_begin + entry, sizeof(T));
        }
      }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
  }

  /// Writes the list of each lane from `begin` on, its entries `step` apart.
  __device__ void write(const OnePassTarget<T>& target, Offset begin, int length, Index step) {
    __syncwarp();
#pragma unroll
    for (int first = 0; first < warp_size; first += lists_at_once) {
      const int list = first + lane_of_warp() / group;
      const Offset list_begin = __shfl_sync(all_lanes, begin, list);
      const int list_length = __shfl_sync(all_lanes, length, list);
      for (int entry = lane_of_warp() % group; entry < list_length; entry += group) {
        target.col_indices[list_begin + entry * step] = col(list, entry);
        target.values[list_begin + entry * step] = value(list, entry);
      }
    }
  }

 private:
  static constexpr int group = 8;
  static constexpr int lists_at_once = warp_size / group;
  static constexpr int col_stride = warp_size + 4;
  static constexpr int value_stride = warp_size + (sizeof(T) == 8 ? 2 : 4);
  static constexpr int longest = Width + 1;  // a row without diagonal may touch its own aggregate besides

  T values_[longest * value_stride];
  Index cols_[longest * col_stride];
};

/// A column c of the aggregates in a row of P, by a thread that holds the row of A in registers.
template <class T, int Width>
class ThreadRow {
 public:
  /// Takes the row from its list.
  __device__ ThreadRow(const Smoothing<T>& s, RowLists<T, Width>& lists, int list, int length, Index row, Index c) {
    unsigned kept = (1U << length) - 1;  // by the filter
    T dropped = 0;
    if (s.strong_offsets != nullptr) {
      for (int i = 0; i < length; ++i) {
        if (s.is_weak(row, lists.col(list, i))) {
          kept &= ~(1U << i);
          dropped += lists.value(list, i);
        }
      }
    }
    T diagonal = 0;
    const auto gather = [&](const auto& node_of) {
#pragma unroll
      for (int i = 0; i < Width; ++i) {
        // Without a branch, so that all loads are on their way at once.
        const bool is_kept = (kept >> i & 1U) != 0;
        const Index listed_col = lists.col(list, i);
        const Index col = is_kept ? listed_col : row;
        const T value = lists.value(list, i);
        const auto aggregate = static_cast<Label>(s.of_node[node_of(col)]);
        label_[i] = is_kept ? aggregate : none;
        product_[i] = value * s.t(col, c);
        diagonal += is_kept && col == row ? value : T{0};
      }
    };
    if (s.block_size == 1) {
      gather([](Index unknown) { return unknown; });
    } else {
      gather([&](Index unknown) { return unknown / s.block_size; });
    }
    factors_ = RowFactors<T>(diagonal, dropped, s.damping);
  }

  /// Calls emit(aggregate, entry) for the aggregates that the row touches, ascending. Each is the lowest one left, and
  /// its products are summed in the order of A's row. t is t_ic.
  template <class Emit>
  __device__ void contract(Label own, T t, const Emit& emit) {
    for (Label low = lowest(own); low < weak; low = lowest(own > low ? own : none)) {
      T sum = 0;
#pragma unroll
      for (int i = 0; i < Width; ++i) {
        if (label_[i] == low) {
          sum += product_[i];
          label_[i] = none;
        }
      }
      emit(low, factors_.entry(sum, low == own, t));
    }
  }

 private:
  __device__ Label lowest(Label low) const {
#pragma unroll
    for (int i = 0; i < Width; ++i) {
      low = min(low, label_[i]);
    }
    return low;
  }

  Label label_[Width];  ///< none where the entry joins no aggregate, or none any more
  T product_[Width];
  RowFactors<T> factors_;
};

/// A lane for each of the k columns of a row's aggregates. The warp reads its rows of A into shared memory, since lanes
/// that read a row each would not read side by side. Rows of A that are longer than `Width`, and all where k exceeds a
/// warp, are formed by the warp together, one after another.
template <class T, int Width>
__global__ void __launch_bounds__(block_threads, resident_blocks<Width>)
    smooth_rows_kernel(Smoothing<T> s, OnePassTarget<T> target) {
  __shared__ RowLists<T, Width> lists_of_warp[block_warps];
  __shared__ Tile<T, block_threads> block;
  const int lane = lane_of_warp();
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  RowLists<T, Width>& lists = lists_of_warp[warp];
  const std::int64_t tile = block.start(target);

  const int warp_rows = s.warp_rows();
  const int list = s.k == 1 ? lane : lane / s.k;
  const Index c = lane - list * s.k;
  const std::int64_t wanted_row = (tile * block_warps + warp) * warp_rows + list;
  const bool has_row = list < warp_rows && wanted_row < s.rows;
  const auto row = has_row ? static_cast<Index>(wanted_row) : 0;
  const Offset a_begin = s.A.row_offsets[row];
  const Offset a_length = s.A.row_offsets[row + 1] - a_begin;
  const bool is_short = has_row && a_length <= Width && s.k <= warp_size;
  const int length = is_short ? static_cast<int>(a_length) : 0;

  const Label own = is_short ? s.aggregate(row) : none;
  const T t = s.t(row, c);
  lists.read(s.A, a_begin, length, warp_rows, s.k);
  ThreadRow<T, Width> entries(s, lists, list, length, row, c);
  __syncwarp();  // the lists of P take the place of those of A
  int staged = 0;
  entries.contract(own, t, [&](Label aggregate, T value) {
    lists.col(lane, staged) = static_cast<Index>(aggregate) * s.k + c;
    lists.value(lane, staged) = value;
    ++staged;
  });

  int row_entries = c == 0 ? staged * s.k : 0;
  const unsigned long_rows = __ballot_sync(all_lanes, has_row && !is_short && c == 0);
  for (unsigned left = long_rows; left != 0; left &= left - 1) {
    const int lane_of_row = __ffs(static_cast<int>(left)) - 1;
    const Index aggregates = WarpRow<T>(s, __shfl_sync(all_lanes, row, lane_of_row)).count();
    row_entries = lane == lane_of_row ? aggregates * s.k : row_entries;
  }

  block.announce(target, tile, row_entries);
  const bool is_last = (tile + 1) * block_warps * warp_rows >= s.rows;
  const TilePlace place = block.place(target, tile, is_last, row_entries, 0, false);
  if (has_row && c == 0) {
    target.row_offsets[row + 1] = place.begin + row_entries;
  }
  if (!place.fits) {
    return;
  }
  lists.write(target, __shfl_sync(all_lanes, place.begin, lane - c) + c, staged, s.k);
  for (unsigned left = long_rows; left != 0; left &= left - 1) {
    const int lane_of_row = __ffs(static_cast<int>(left)) - 1;
    WarpRow<T>(s, __shfl_sync(all_lanes, row, lane_of_row))
        .write(target, __shfl_sync(all_lanes, place.begin, lane_of_row),
               __shfl_sync(all_lanes, row_entries, lane_of_row));
  }
}

}  // namespace

template <class T>
CsrMatrix<T, Cuda> smoothed_prolongator(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const Graph<Cuda>* strong,
                                        const Aggregates<Cuda>& aggregates, Index block_size,
                                        const Tentative<T, Cuda>& tentative, std::type_identity_t<T> damping) {
  const Index k = tentative.basis.columns();
  const Smoothing<T> smoothing{.A = csr_ref(A),
                               .rows = A.rows,
                               .strong_offsets = strong != nullptr ? strong->row_offsets.data() : nullptr,
                               .strong_neighbours = strong != nullptr ? strong->col_indices.data() : nullptr,
                               .of_node = aggregates.of_node.data(),
                               .block_size = block_size,
                               .basis = tentative.basis.data(),
                               .k = k,
                               .damping = damping};
  const Survey survey = survey_rows(ctx, smoothing);
  const auto kernel = survey.longest_a <= 8    ? smooth_rows_kernel<T, 8>
                      : survey.longest_a <= 16 ? smooth_rows_kernel<T, 16>
                                               : smooth_rows_kernel<T, widest>;
  const int tile_rows = block_warps * smoothing.warp_rows();
  CsrMatrix<T, Cuda> P =
      form_in_one_pass<T>(ctx, A.rows, tentative.coarse_candidates.rows(), tile_rows, survey.entries_bound(),
                          [&](const OnePassTarget<T>& target) {
                            const Grid grid{(A.rows + std::int64_t{tile_rows} - 1) / tile_rows, block_threads};
                            launch(ctx, kernel, grid, smoothing, target);
                          })
          .product.C;
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(A.bytes() + P.bytes() + tentative.basis.bytes() + aggregates.of_node.bytes()),
       .flops = 2 * A.nnz() * k});
  return P;
}

template CsrMatrix<float, Cuda> smoothed_prolongator(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const Graph<Cuda>*,
                                                     const Aggregates<Cuda>&, Index, const Tentative<float, Cuda>&,
                                                     float);
template CsrMatrix<double, Cuda> smoothed_prolongator(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                      const Graph<Cuda>*, const Aggregates<Cuda>&, Index,
                                                      const Tentative<double, Cuda>&, double);

}  // namespace amgsolve
