#include "spgemm/hash/hash_one_pass_rows_cuda.hpp"
#include "spgemm/rows/row_walk_cuda.cuh"
#include "spmv/one_pass_tile_cuda.cuh"

namespace amgsolve {
namespace {

constexpr int block_threads = HashPass::block_threads;

/// Elements between the tables of neighbouring groups beyond their slots: groups that read the same slot of their
/// tables in fours use different banks.
constexpr int table_gap = 4;

/// A row's table: open addressing in buckets of four slots, which a lane reads at once. The lanes of a group never look
/// for the same column at a time. All lanes of the warp take part in everything together: what one did alone, the
/// others would wait for.
template <class T>
struct LaneTable {
  // As an unsigned number larger than any column.
  static constexpr std::uint32_t empty = 0xffffffffU;
  static constexpr int bucket_slots = 4;

  T* values;
  std::uint32_t* cols;
  int buckets;           ///< a power of two
  int shift;             ///< 32 − log2(buckets)
  int entries = 0;       ///< that this lane added
  bool is_full = false;  ///< whether this lane found no place for an entry

  __host__ __device__ static std::size_t bytes(int slots, int groups) {
    return static_cast<std::size_t>(groups) * (slots + table_gap) * (sizeof(T) + sizeof(std::uint32_t));
  }
  __device__ LaneTable(unsigned char* shared, int slots, int group, int groups)
      : values(reinterpret_cast<T*>(shared) + group * (slots + table_gap)),
        cols(reinterpret_cast<std::uint32_t*>(shared + groups * (slots + table_gap) * sizeof(T)) +
             group * (slots + table_gap)),
        buckets(slots / bucket_slots) {
    shift = __clz(buckets) + 1;
  }

  /// values[col] += x, for those lanes that take part.
  __device__ void add(bool takes_part, Index col, T x) {
    const auto wanted = static_cast<std::uint32_t>(col);
    // Fibonacci hashing (Knuth, vol. 3, 6.4).
    int bucket = static_cast<int>((wanted * 0x9E3779B9U) >> shift);
    // Lanes without a product do not even read: shared memory is what binds.
    int slot = takes_part ? find(bucket, wanted) : -1;
    bool searches = takes_part && slot < 0;
    for (int full_buckets = 0; __any_sync(all_lanes, searches);) {
      if (searches) {
        slot = find(bucket, empty);
        if (slot < 0) {
          bucket = (bucket + 1) & (buckets - 1);
          slot = find(bucket, wanted);
          is_full = is_full || ++full_buckets > buckets;
          searches = slot < 0 && !is_full;
        } else if (atomicCAS(cols + slot, empty, wanted) == empty) {
          values[slot] = 0;
          ++entries;
          searches = false;
        }
      }
    }
    if (takes_part && slot >= 0) {
      values[slot] += x;
    }
  }

 private:
  /// The slot of the bucket that holds `wanted`; negative where none does.
  __device__ int find(int bucket, std::uint32_t wanted) const {
    const uint4 found = reinterpret_cast<const uint4*>(cols)[bucket];
    const int slot = bucket_slots * bucket;
    int place = found.x == wanted ? slot : -1;
    place = found.y == wanted ? slot + 1 : place;
    place = found.z == wanted ? slot + 2 : place;
    return found.w == wanted ? slot + 3 : place;
  }
};

/// `Lanes` lanes a row.
template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads)
    hash_rows_kernel(Index rows, CsrRef<T> A, CsrRef<T> B, int slots, OnePassTarget<T> target) {
  constexpr int groups = block_threads / Lanes;
  extern __shared__ __align__(16) unsigned char shared[];
  const int group = static_cast<int>(threadIdx.x) / Lanes;
  const int rank = static_cast<int>(threadIdx.x) % Lanes;
  __shared__ Tile<T, block_threads> block;
  LaneTable<T> table(shared, slots, group, groups);
  for (int slot = rank; slot < slots; slot += Lanes) {
    table.cols[slot] = table.empty;
  }
  const std::int64_t tile = block.start(target);
  const std::int64_t row = tile * groups + group;

  const Offset products = for_each_product<Lanes>(
      A, B, row < rows ? A.row_offsets[row] : 0, row < rows ? A.row_offsets[row + 1] : 0, ColumnKeys{B.col_indices},
      [&](bool takes_part, Index col, T product) { table.add(takes_part, col, product); });

  block.announce(target, tile, table.entries);

  // While the tiles before this one may still be at work, the entries move to the front of the table.
  int entries = 0;
  const unsigned lanes_before = (1U << (threadIdx.x % warp_size)) - 1;
  const unsigned group_lanes = (Lanes == warp_size ? all_lanes : (1U << Lanes) - 1) << (threadIdx.x % warp_size - rank);
  for (int slot = rank; slot < slots; slot += Lanes) {
    const std::uint32_t col = table.cols[slot];
    const bool is_entry = col != table.empty;
    const T value = is_entry ? table.values[slot] : T{0};
    const unsigned found = __ballot_sync(all_lanes, is_entry) & group_lanes;
    __syncwarp();
    if (is_entry) {
      const int place = entries + __popc(found & lanes_before);
      table.cols[place] = col;
      table.values[place] = value;
    }
    entries += __popc(found);
  }
  __syncwarp();
  // Sorting reads columns in fours.
  if (rank < table_gap) {
    table.cols[entries + rank] = table.empty;
  }
  __syncwarp();

  // Every entry finds its place by counting the columns below its own: quadratic, but without a branch that depends on
  // the data. As many at a time as a lane remembers, the first before the tile's place is known.
  constexpr int remembered = 4;
  int places[remembered];
  const auto find_places = [&](int first) {
    std::uint32_t cols[remembered];
#pragma unroll
    for (int i = 0; i < remembered; ++i) {
      cols[i] = first + i * Lanes < entries ? table.cols[first + i * Lanes] : 0;
      places[i] = 0;
    }
    const auto* const fours = reinterpret_cast<const uint4*>(table.cols);
    for (int four = 0; 4 * four < entries; ++four) {
      const uint4 other = fours[four];
#pragma unroll
      for (int i = 0; i < remembered; ++i) {
        places[i] += (other.x < cols[i]) + (other.y < cols[i]) + (other.z < cols[i]) + (other.w < cols[i]);
      }
    }
  };
  find_places(rank);

  const unsigned full = __ballot_sync(all_lanes, table.is_full) & group_lanes;
  const bool is_first = rank == 0;
  const TilePlace place =
      block.place(target, tile, (tile + 1) * groups >= rows, is_first ? entries : 0, products, is_first && full != 0);
  const Offset begin = __shfl_sync(all_lanes, place.begin, 0, Lanes);
  if (row >= rows) {
    return;
  }
  if (is_first) {
    target.row_offsets[row + 1] = begin + entries;
  }
  if (!place.fits) {
    return;
  }
  for (int first = rank;;) {
#pragma unroll
    for (int i = 0; i < remembered; ++i) {
      if (const int entry = first + i * Lanes; entry < entries) {
        target.col_indices[begin + places[i]] = static_cast<Index>(table.cols[entry]);
        target.values[begin + places[i]] = table.values[entry];
      }
    }
    first += remembered * Lanes;
    if (first >= entries) {
      return;
    }
    find_places(first);
  }
}

template <class T, int Lanes>
void launch_pass(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, int slots,
                 const OnePassTarget<T>& target) {
  constexpr int groups = block_threads / Lanes;
  const Grid grid{(std::int64_t{A.rows} + groups - 1) / groups, block_threads, LaneTable<T>::bytes(slots, groups)};
  launch(ctx, hash_rows_kernel<T, Lanes>, grid, A.rows, ref_of(A), ref_of(B), slots, target);
}

}  // namespace

template <class T>
void hash_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const HashPass& pass,
               const OnePassTarget<T>& target) {
  switch (pass.lanes) {
    case 4:
      return launch_pass<T, 4>(ctx, A, B, pass.slots, target);
    case 8:
      return launch_pass<T, 8>(ctx, A, B, pass.slots, target);
    case 16:
      return launch_pass<T, 16>(ctx, A, B, pass.slots, target);
    default:
      return launch_pass<T, 32>(ctx, A, B, pass.slots, target);
  }
}

template void hash_rows(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&, const HashPass&,
                        const OnePassTarget<float>&);
template void hash_rows(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&, const HashPass&,
                        const OnePassTarget<double>&);

}  // namespace amgsolve
