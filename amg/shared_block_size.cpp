#include "amg/shared_block_size.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "amg/block_size.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "spmv/row_sample.hpp"

namespace amgsolve {
namespace {

/// A node and the first column of a block that it has an entry in.
using Block = std::pair<std::int64_t, std::int64_t>;

/// Sorts them.
std::int64_t count_different(std::vector<Block>& blocks) {
  std::ranges::sort(blocks);
  return std::unique(blocks.begin(), blocks.end()) - blocks.begin();
}

template <class T, MemorySpace S>
double fill_of_blocks(Context<S>& ctx, const LocalMatrix<T, S>& A, Index block_size) {
  const Communicator& communicator = ctx.communicator();
  const Layout<S>& layout = *A.layout;
  const RowStrata choice = sampled_nodes(layout.partition().rows() / block_size);
  std::vector<std::int64_t> nodes;  // of the rows chosen
  std::vector<Index> chosen;
  for (Index stratum = 0; stratum < choice.count; ++stratum) {
    const std::int64_t node = choice.row(stratum);
    for (std::int64_t row = node * block_size; row < (node + 1) * block_size; ++row) {
      if (const std::int64_t i = row - layout.first_row(); i >= 0 && i < layout.own_rows()) {
        nodes.push_back(node);
        chosen.push_back(static_cast<Index>(i));
      }
    }
  }
  const Buffer<Index, S> rows_of_choice = upload(ctx, Span<const Index, Host>(chosen.data(), chosen.size()));
  const GlobalRows<T, S> rows = gather_rows<T, S>(ctx, A, rows_of_choice.span());
  std::vector<Offset> offsets(rows.row_offsets.size());
  std::vector<std::int64_t> columns(rows.col_indices.size());
  download(ctx, rows.row_offsets.span(), {offsets.data(), offsets.size()});
  download(ctx, rows.col_indices.span(), {columns.data(), columns.size()});
  // A border may cut a node: what its rows on both sides touch is joined.
  const auto is_cut = [&](std::int64_t node) {
    return node * block_size < layout.first_row() || (node + 1) * block_size > layout.first_row() + layout.own_rows();
  };
  std::vector<Block> cut;
  std::int64_t touched = 0;  // blocks of nodes that are not cut
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < nodes.size();) {
    const std::int64_t node = nodes[i];
    blocks.clear();
    for (; i < nodes.size() && nodes[i] == node; ++i) {
      for (Offset k = offsets[i]; k < offsets[i + 1]; ++k) {
        blocks.emplace_back(node, columns[static_cast<std::size_t>(k)] / block_size);
      }
    }
    if (is_cut(node)) {
      cut.insert(cut.end(), blocks.begin(), blocks.end());
    } else {
      touched += count_different(blocks);
    }
  }
  std::array<std::int64_t, 2> sums{static_cast<std::int64_t>(columns.size()), touched};
  communicator.sum_ranks({sums.data(), sums.size()});
  cut = communicator.all_gather_list(std::span<const Block>(cut));
  const std::int64_t count = sums[1] + count_different(cut);
  return count > 0 ? static_cast<double>(sums[0]) / (static_cast<double>(count) * block_size * block_size) : 0.0;
}

}  // namespace

template <class T, MemorySpace S>
bool may_have_blocks(Context<S>& ctx, const LocalMatrix<T, S>& A) {
  const std::int64_t rows = A.layout->partition().rows();
  for (Index b = largest_node; b > 1; --b) {
    if (rows % b == 0 && fill_of_blocks(ctx, A, b) >= least_node_fill) {
      return true;
    }
  }
  return false;
}

#define AMGSOLVE_INSTANTIATE(T, S) template bool may_have_blocks(Context<S>&, const LocalMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
