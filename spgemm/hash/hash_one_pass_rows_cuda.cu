#include "spgemm/hash/hash_one_pass_rows_cuda.hpp"
#include "spgemm/rows/hash_table_cuda.cuh"
#include "spgemm/rows/row_walk_cuda.cuh"
#include "spmv/one_pass_tile_cuda.cuh"

namespace amgsolve {
namespace {

template <class Group, class T>
__global__ void __launch_bounds__(hash::threads_of_lanes)
    hash_rows_kernel(Index rows, CsrRef<T> A, CsrRef<T> B, int slots, OnePassTarget<T> target) {
  constexpr int groups = hash::threads_of_lanes / Group::size;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Tile<T, hash::threads_of_lanes> block;
  HashTable<T> table(shared, slots, Group::index_in_block(), groups);
  table.template clear<Group>();
  const std::int64_t tile = block.start(target);
  const std::int64_t row = tile * groups + Group::index_in_block();

  const Offset products = for_each_product<Group>(
      A, B, row < rows ? A.row_offsets[row] : 0, row < rows ? A.row_offsets[row + 1] : 0, ColumnKeys{B.col_indices},
      [&](bool is_active, Index col, T product) { table.add(is_active, col, product); });

  block.announce(target, tile, table.entries);

  // The tiles before this one may still be at work.
  const int entries = table.template compact<Group>();
  SortedEntries<Group, T> sorted(table, entries);

  const bool is_first = Group::rank() == 0;
  int before;
  const bool is_unfit = Group::count(table.is_full, before) > 0;
  const TilePlace place =
      block.place(target, tile, (tile + 1) * groups >= rows, is_first ? entries : 0, products, is_first && is_unfit);
  const Offset begin = __shfl_sync(all_lanes, place.begin, 0, Group::size);
  if (row >= rows) {
    return;
  }
  if (is_first) {
    target.row_offsets[row + 1] = begin + entries;
  }
  if (place.fits) {
    sorted.write(target.col_indices + begin, target.values + begin);
  }
}

}  // namespace

template <class T>
void hash_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const HashPass& pass,
               const OnePassTarget<T>& target) {
  with_lanes<4, warp_size>(pass.lanes, [&]<class Group>(Group) {
    constexpr int groups = hash::threads_of_lanes / Group::size;
    const Grid grid{(std::int64_t{A.rows} + groups - 1) / groups, hash::threads_of_lanes,
                    HashTable<T>::bytes(pass.slots, groups)};
    launch(ctx, hash_rows_kernel<Group, T>, grid, A.rows, ref_of(A), ref_of(B), pass.slots, target);
  });
}

template void hash_rows(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&, const HashPass&,
                        const OnePassTarget<float>&);
template void hash_rows(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&, const HashPass&,
                        const OnePassTarget<double>&);

}  // namespace amgsolve
