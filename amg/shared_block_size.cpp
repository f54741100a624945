#include "amg/shared_block_size.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "amg/block_size.hpp"
#include "amg/smooth_unknowns.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "dist/halo.hpp"
#include "spmv/row_sample.hpp"

namespace amgsolve {
namespace {

/// A node and the first column of a block that it has an entry in, both by blocks.
using Block = std::pair<std::int64_t, std::int64_t>;

std::vector<Block> each_once(std::vector<Block> blocks) {
  std::ranges::sort(blocks);
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

/// The own rows, counted from the first, of nodes of the sample that have rows of other ranks, too.
template <MemorySpace S>
std::vector<Index> rows_of_cut_nodes(const Layout<S>& layout, const RowStrata& nodes, Index block_size) {
  const std::int64_t first = layout.first_row();
  const std::int64_t end = first + layout.own_rows();
  std::vector<Index> rows;
  for (std::int64_t row = first; row < end; ++row) {
    const std::int64_t begin_of_node = row / block_size * block_size;
    if (begin_of_node >= first && begin_of_node + block_size <= end) {
      row = std::max(row, (end / block_size) * block_size - 1);  // on to the node that the end cuts
    } else if (nodes.has(row / block_size)) {
      rows.push_back(static_cast<Index>(row - first));
    }
  }
  return rows;
}

/// The blocks that rows of this rank have entries in, with the node of the row.
template <class T, MemorySpace S>
std::vector<Block> blocks_of_rows(Context<S>& ctx, const LocalMatrix<T, S>& A, const std::vector<Index>& rows,
                                  Index block_size) {
  std::vector<Block> blocks;
  if (rows.empty()) {
    return blocks;
  }
  const Buffer<Index, S> chosen = upload(ctx, Span<const Index, Host>(rows.data(), rows.size()));
  const GlobalRows<T, S> gathered = gather_rows<T, S>(ctx, A, chosen.span());
  std::vector<Offset> offsets(gathered.row_offsets.size());
  std::vector<std::int64_t> columns(gathered.col_indices.size());
  download(ctx, gathered.row_offsets.span(), {offsets.data(), offsets.size()});
  download(ctx, gathered.col_indices.span(), {columns.data(), columns.size()});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto k = static_cast<std::size_t>(offsets[i]); k < static_cast<std::size_t>(offsets[i + 1]); ++k) {
      blocks.emplace_back((A.layout->first_row() + rows[i]) / block_size, columns[k] / block_size);
    }
  }
  return blocks;
}

/// Of the rows of all ranks. Collective.
template <class T, MemorySpace S>
BlockCounts count_blocks_of_all(Context<S>& ctx, const LocalMatrix<T, S>& A, Index block_size) {
  const Communicator& communicator = ctx.communicator();
  const Layout<S>& layout = *A.layout;
  const RowStrata nodes = sampled_nodes(layout.partition().rows() / block_size);
  BlockCounts own;
  std::vector<Block> own_cut;
  collectively(communicator, [&] {
    own = count_sampled_blocks(ctx, A.A, layout.window(), block_size, nodes);
    own_cut = each_once(blocks_of_rows(ctx, A, rows_of_cut_nodes(layout, nodes, block_size), block_size));
  });
  std::array<std::int64_t, 2> sums{own.entries, own.touched};
  communicator.sum_ranks({sums.data(), sums.size()});
  const std::vector<Block> cut = each_once(communicator.all_gather_list(std::span<const Block>(own_cut)));
  return {sums[0], sums[1] + static_cast<std::int64_t>(cut.size())};
}

}  // namespace

template <class T, MemorySpace S>
Index find_shared_block_size(Context<S>& ctx, const LocalMatrix<T, S>& A, const RowMagnitudes& magnitudes) {
  const Layout<S>& layout = *A.layout;
  SmoothUnknowns<T, S> unknowns(A.A, magnitudes, A.layout);
  for (Index b = largest_node; b > 1; --b) {
    if (layout.partition().rows() % b == 0 && are_full(count_blocks_of_all(ctx, A, b), b) &&
        unknowns.are_smooth(ctx, b)) {
      return b;
    }
  }
  return 1;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template Index find_shared_block_size(Context<S>&, const LocalMatrix<T, S>&, const RowMagnitudes&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
