#include <algorithm>

#include "core/atomic_cuda.cuh"
#include "spgemm/hash/hash_two_pass_rows_cuda.hpp"
#include "spgemm/hash/tuning.hpp"
#include "spgemm/rows/hash_table_cuda.cuh"

namespace amgsolve {
namespace {

using namespace hash;

// Small blocks for groups of lanes: a row that takes long keeps few others' shared memory.
constexpr int lanes_block = 128;

/// Calls body(group, row, scaled_rows, table) for the rows in the list, each by a group of threads with a cleared
/// table.
template <class Group, class T, class Body>
__device__ void for_each_row(const SharedLayout<T>& layout, const RowList& list, const Body& body) {
  extern __shared__ __align__(16) unsigned char shared[];
  const Group group(layout.threads);
  ScaledRow<T>* const scaled_rows = layout.scaled_rows(shared, group);
  const Table<T> table = layout.table(shared, group);
  const Offset length = *list.length;
  const Offset groups = static_cast<Offset>(gridDim.x) * (layout.block_threads / layout.threads);
  const Offset first = static_cast<Offset>(blockIdx.x) * (layout.block_threads / layout.threads);
  for (Offset i = first + group.index_in_block(); i < length; i += groups) {
    table.clear(group);
    group.sync();
    body(group, list.rows[i], scaled_rows, table);
    group.sync();
  }
}

template <class Group>
__global__ void count_rows_kernel(CsrRef<NoValue> A, CsrRef<NoValue> B, SharedLayout<NoValue> layout, RowList list,
                                  RowList too_long, Index limit, Offset* counts) {
  for_each_row<Group>(
      layout, list, [&](const Group& group, Index row, ScaledRow<NoValue>* scaled_rows, const Table<NoValue>& table) {
        const Index entries = for_each_product(group, A, B, row, scaled_rows, limit, [&](Offset k, NoValue) {
          bool is_new;
          table.find_or_insert(B.col_indices[k], is_new);
          return is_new;
        });
        if (group.rank() == 0) {
          if (entries <= limit) {
            counts[row] = entries;
          } else {
            const auto place = atomic_add(too_long.length, 1);
            too_long.rows[place] = row;
          }
        }
      });
}

/// Writes the table's entries in the order of their columns: moved to the front of the table, each finds its place by
/// counting the columns below its own. Quadratic, but without a branch that depends on the data.
template <class T>
__device__ void write_sorted(const LaneGroup& group, const Table<T>& table, Index entries, Index* col_indices,
                             T* values) {
  int moved = 0;
  for (int first = 0; first < table.slots; first += group.size()) {
    const int slot = first + group.rank();
    const std::uint32_t col = table.cols[slot];
    const bool is_entry = col != Table<T>::empty;
    const T value = is_entry ? table.values[slot] : T{0};
    int before;
    const int found = group.count(is_entry, before);  // behind it, all have read what the first of them overwrite
    if (is_entry) {
      table.cols[moved + before] = col;
      table.values[moved + before] = value;
    }
    moved += found;
  }
  group.sync();
  for (Index entry = group.rank(); entry < entries; entry += group.size()) {
    const std::uint32_t col = table.cols[entry];
    Index place = 0;
    for (Index other = 0; other < entries; ++other) {
      place += table.cols[other] < col ? 1 : 0;
    }
    col_indices[place] = static_cast<Index>(col);
    values[place] = table.values[entry];
  }
}

/// The same by a bitonic sort of all slots, of which empty ones come last.
template <class T>
__device__ void write_sorted(const BlockGroup& group, const Table<T>& table, Index entries, Index* col_indices,
                             T* values) {
  for (int run = 2; run <= table.slots; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      for (int pair = group.rank(); pair < table.slots / 2; pair += group.size()) {
        const int low = 2 * pair - (pair & (distance - 1));
        const int high = low + distance;
        const std::uint32_t low_col = table.cols[low];
        const std::uint32_t high_col = table.cols[high];
        const bool ascending = (low & run) == 0;
        if (ascending ? high_col < low_col : low_col < high_col) {
          table.cols[low] = high_col;
          table.cols[high] = low_col;
          const T value = table.values[low];
          table.values[low] = table.values[high];
          table.values[high] = value;
        }
      }
      group.sync();
    }
  }
  for (Index entry = group.rank(); entry < entries; entry += group.size()) {
    col_indices[entry] = static_cast<Index>(table.cols[entry]);
    values[entry] = table.values[entry];
  }
}

template <class Group, class T>
__global__ void form_rows_kernel(CsrRef<T> A, CsrRef<T> B, SharedLayout<T> layout, RowList list, Index limit,
                                 const Offset* row_offsets, Index* col_indices, T* values) {
  for_each_row<Group>(
      layout, list, [&](const Group& group, Index row, ScaledRow<T>* scaled_rows, const Table<T>& table) {
        const Index entries = for_each_product(group, A, B, row, scaled_rows, limit, [&](Offset k, T scale) {
          bool is_new;
          const int slot = table.find_or_insert(B.col_indices[k], is_new);
          table.values[slot] = (is_new ? T{0} : table.values[slot]) + scale * B.values[k];
          return is_new;
        });
        write_sorted(group, table, entries, col_indices + row_offsets[row], values + row_offsets[row]);
      });
}

/// Launches the kernel for groups of lanes or that for blocks.
template <class T, class LaneKernel, class BlockKernel, class... Arguments>
void launch_groups(Context<Cuda>& ctx, LaneKernel lane_kernel, BlockKernel block_kernel, const HashTables& tables,
                   Index rows, const CsrRef<T>& A, const CsrRef<T>& B, Arguments... arguments) {
  const bool is_block = tables.threads > warp_size;
  const int threads = is_block ? tables.threads : lanes_block;
  const SharedLayout<T> layout{tables.slots, tables.threads, threads};
  const std::int64_t blocks =
      std::min<std::int64_t>(Grid::of_lanes(rows, tables.threads, threads).blocks, most_threads / threads);
  launch(ctx, is_block ? block_kernel : lane_kernel, Grid{blocks, threads, layout.bytes()}, A, B, layout, arguments...);
}

}  // namespace

template <class T>
void count_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const HashTables& tables,
                RowList list, RowList too_long, Span<Offset, Cuda> counts) {
  launch_groups(ctx, count_rows_kernel<LaneGroup>, count_rows_kernel<BlockGroup>, tables, A.rows, pattern_ref(A),
                pattern_ref(B), list, too_long, tables.limit(), counts.data());
}

template <class T>
void form_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const HashTables& tables,
               RowList list, CsrMatrix<T, Cuda>& C) {
  launch_groups(ctx, form_rows_kernel<LaneGroup, T>, form_rows_kernel<BlockGroup, T>, tables, A.rows, ref_of(A),
                ref_of(B), list, tables.limit(), C.row_offsets.data(), C.col_indices.data(), C.values.data());
}

#define AMGSOLVE_INSTANTIATE(T)                                                                                     \
  template void count_rows(Context<Cuda>&, const CsrMatrix<T, Cuda>&, const CsrMatrix<T, Cuda>&, const HashTables&, \
                           RowList, RowList, Span<Offset, Cuda>);                                                   \
  template void form_rows(Context<Cuda>&, const CsrMatrix<T, Cuda>&, const CsrMatrix<T, Cuda>&, const HashTables&,  \
                          RowList, CsrMatrix<T, Cuda>&);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
