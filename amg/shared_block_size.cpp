#include "amg/shared_block_size.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "amg/block_size.hpp"
#include "core/instantiate.hpp"
#include "spmv/row_sample.hpp"

namespace amgsolve {
namespace {

/// A node and the first column of a block that it has an entry in.
using Block = std::pair<std::int64_t, std::int64_t>;

template <class T>
double fill_of_blocks(Context<Host>& ctx, const LocalMatrix<T>& A, Index block_size) {
  const Communicator& communicator = ctx.communicator();
  const Layout& layout = *A.layout;
  const RowStrata choice = sampled_nodes(layout.partition().rows() / block_size);
  std::vector<Block> blocks;  // of nodes whose rows are here, all or some
  std::int64_t entries = 0;
  for (Index stratum = 0; stratum < choice.count; ++stratum) {
    const std::int64_t node = choice.row(stratum);
    for (std::int64_t row = node * block_size; row < (node + 1) * block_size; ++row) {
      const std::int64_t i = row - layout.first_row();
      if (i < 0 || i >= layout.own_rows()) {
        continue;
      }
      for (Offset k = A.A.row_offsets.data()[i]; k < A.A.row_offsets.data()[i + 1]; ++k) {
        blocks.emplace_back(node, layout.row_of(A.A.col_indices.data()[k]) / block_size);
        ++entries;
      }
    }
  }
  std::ranges::sort(blocks);
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  // A border may cut a node: all of them are joined.
  std::vector<Block> all = communicator.all_gather_list(std::span<const Block>(blocks));
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const double touched = static_cast<double>(all.size()) * block_size * block_size;
  return touched > 0.0 ? static_cast<double>(communicator.sum(entries)) / touched : 0.0;
}

}  // namespace

template <class T>
bool may_have_blocks(Context<Host>& ctx, const LocalMatrix<T>& A) {
  const std::int64_t rows = A.layout->partition().rows();
  for (Index b = largest_node; b > 1; --b) {
    if (rows % b == 0 && fill_of_blocks(ctx, A, b) >= least_node_fill) {
      return true;
    }
  }
  return false;
}

template bool may_have_blocks(Context<Host>&, const LocalMatrix<float>&);
template bool may_have_blocks(Context<Host>&, const LocalMatrix<double>&);

}  // namespace amgsolve
