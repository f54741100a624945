#include <algorithm>

#include "core/atomic_cuda.cuh"
#include "core/instantiate.hpp"
#include "spgemm/hash/hash_two_pass_rows_cuda.hpp"
#include "spgemm/hash/tuning.hpp"
#include "spgemm/rows/hash_table_cuda.cuh"
#include "spgemm/rows/row_walk_cuda.cuh"

namespace amgsolve {
namespace {

template <class Group>
constexpr int threads_of_block = std::max(hash::threads_of_lanes, Group::size);

template <class Group>
constexpr int block_groups = threads_of_block<Group> / Group::size;

/// Calls body(has_row, row, table) for the rows in the list, each by a group of threads with a cleared table; groups
/// without a row go along.
template <class Group, class T, class Body>
__device__ void for_each_row(int slots, const RowList& list, const Body& body) {
  extern __shared__ __align__(16) unsigned char shared[];
  HashTable<T> table(shared, slots, Group::index_in_block(), block_groups<Group>);
  const Offset length = *list.length;
  const Offset groups = static_cast<Offset>(gridDim.x) * block_groups<Group>;
  const Offset first = static_cast<Offset>(blockIdx.x) * block_groups<Group>;
  for (Offset i = first + Group::index_in_block(); Group::any(i < length); i += groups) {
    table.template clear<Group>();
    Group::sync();
    body(i < length, i < length ? list.rows[i] : 0, table);
    Group::sync();
  }
}

template <class Group>
__global__ void __launch_bounds__(threads_of_block<Group>)
    count_rows_kernel(CsrRef<NoValue> A, CsrRef<NoValue> B, int slots, RowList list, RowList too_long, Index limit,
                      Offset* counts) {
  for_each_row<Group, NoValue>(slots, list, [&](bool has_row, Index row, HashTable<NoValue>& table) {
    Index entries = 0;
    int counted = 0;  // of those that this thread added
    for_each_product<Group, Offset>(
        A, B, has_row ? A.row_offsets[row] : 0, has_row ? A.row_offsets[row + 1] : 0, ColumnKeys{B.col_indices},
        [&](bool is_active, Index col, NoValue) { table.add(is_active, col, {}); },
        [&] {
          entries += Group::count(table.entries > counted);
          counted = table.entries;
          return entries <= limit;
        });
    if (has_row && Group::rank() == 0) {
      if (entries <= limit) {
        counts[row] = entries;
      } else {
        too_long.rows[atomic_add(too_long.length, 1)] = row;
      }
    }
  });
}

template <class Group, class T>
__global__ void __launch_bounds__(threads_of_block<Group>)
    form_rows_kernel(CsrRef<T> A, CsrRef<T> B, int slots, RowList list, const Offset* row_offsets, Index* col_indices,
                     T* values) {
  for_each_row<Group, T>(slots, list, [&](bool has_row, Index row, HashTable<T>& table) {
    for_each_product<Group, Offset>(A, B, has_row ? A.row_offsets[row] : 0, has_row ? A.row_offsets[row + 1] : 0,
                                    ColumnKeys{B.col_indices},
                                    [&](bool is_active, Index col, T product) { table.add(is_active, col, product); });
    const int entries = table.template compact<Group>();
    SortedEntries<Group, T>(table, entries).write(col_indices + row_offsets[row], values + row_offsets[row]);
  });
}

/// Calls run(group, grid) for the groups of threads that the tables want.
template <class T, class Run>
void with_group(const HashTables& tables, Index rows, const Run& run) {
  const auto run_groups = [&]<class Group>(Group group) {
    const std::int64_t blocks =
        std::min<std::int64_t>(Grid::of_lanes(rows, Group::size, threads_of_block<Group>).blocks,
                               hash::most_threads / threads_of_block<Group>);
    run(group, Grid{blocks, threads_of_block<Group>, HashTable<T>::bytes(tables.slots, block_groups<Group>)});
  };
  if (tables.threads > warp_size) {
    run_groups(BlockGroup<hash::threads_of_block>());
  } else {
    with_lanes<4, warp_size>(tables.threads, run_groups);
  }
}

}  // namespace

template <class T>
void count_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const HashTables& tables,
                RowList list, RowList too_long, Span<Offset, Cuda> counts) {
  with_group<NoValue>(tables, A.rows, [&]<class Group>(Group, const Grid& grid) {
    launch(ctx, count_rows_kernel<Group>, grid, pattern_ref(A), pattern_ref(B), tables.slots, list, too_long,
           tables.limit(), counts.data());
  });
}

template <class T>
void form_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const HashTables& tables,
               RowList list, CsrMatrix<T, Cuda>& C) {
  with_group<T>(tables, A.rows, [&]<class Group>(Group, const Grid& grid) {
    launch(ctx, form_rows_kernel<Group, T>, grid, ref_of(A), ref_of(B), tables.slots, list, C.row_offsets.data(),
           C.col_indices.data(), C.values.data());
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template void count_rows(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, const HashTables&, RowList, \
                           RowList, Span<Offset, S>);                                                               \
  template void form_rows(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, const HashTables&, RowList,  \
                          CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
