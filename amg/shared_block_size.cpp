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
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "dist/halo.hpp"
#include "spmv/row_sample.hpp"

namespace amgsolve {
namespace {

/// A node and the first column of a block that it has an entry in.
using Block = std::pair<std::int64_t, std::int64_t>;

/// Sorts them.
template <class Number>
std::int64_t count_different(std::vector<Number>& numbers) {
  std::ranges::sort(numbers);
  return std::unique(numbers.begin(), numbers.end()) - numbers.begin();
}

/// The rows of this rank among those of the nodes sampled for a size of blocks.
struct NodeSample {
  Index block_size;
  std::vector<std::int64_t> nodes{};  ///< of the rows, ascending
  std::vector<Index> rows{};          ///< of the rank

  template <MemorySpace S>
  NodeSample(const Layout<S>& layout, Index block_size_) : block_size(block_size_) {
    const RowStrata choice = sampled_nodes(layout.partition().rows() / block_size);
    for (Index stratum = 0; stratum < choice.count; ++stratum) {
      const std::int64_t node = choice.row(stratum);
      for (std::int64_t row = node * block_size; row < (node + 1) * block_size; ++row) {
        if (const std::int64_t i = row - layout.first_row(); i >= 0 && i < layout.own_rows()) {
          nodes.push_back(node);
          rows.push_back(static_cast<Index>(i));
        }
      }
    }
  }
};

/// The columns of some rows, one row after another.
struct SampledColumns {
  std::vector<Offset> offsets;
  std::vector<std::int64_t> columns;
};

template <class T, MemorySpace S>
SampledColumns columns_of(Context<S>& ctx, const LocalMatrix<T, S>& A, const std::vector<NodeSample>& samples) {
  std::vector<Index> chosen;
  for (const NodeSample& sample : samples) {
    chosen.insert(chosen.end(), sample.rows.begin(), sample.rows.end());
  }
  const Buffer<Index, S> rows_of_choice = upload(ctx, Span<const Index, Host>(chosen.data(), chosen.size()));
  const GlobalRows<T, S> rows = gather_rows<T, S>(ctx, A, rows_of_choice.span());
  SampledColumns sampled{std::vector<Offset>(rows.row_offsets.size()),
                         std::vector<std::int64_t>(rows.col_indices.size())};
  download(ctx, rows.row_offsets.span(), {sampled.offsets.data(), sampled.offsets.size()});
  download(ctx, rows.col_indices.span(), {sampled.columns.data(), sampled.columns.size()});
  return sampled;
}

/// What blocks_of() counts, of all ranks, but for the nodes that borders cut.
struct BlockCounts {
  std::int64_t entries = 0;
  std::int64_t touched = 0;  ///< blocks with an entry
};

/// @param begin  of the first row of the sample among those of `sampled`
/// @param cut    receives what rows of nodes that a border cuts touch, which is to be joined with what others' do
template <MemorySpace S>
BlockCounts blocks_of(const Layout<S>& layout, const NodeSample& sample, const SampledColumns& sampled,
                      std::size_t begin, std::vector<Block>& cut) {
  const Offset* const offsets = sampled.offsets.data() + begin;
  const std::size_t rows = sample.rows.size();
  BlockCounts counts{.entries = offsets[rows] - offsets[0]};
  std::vector<std::int64_t> blocks;
  for (std::size_t i = 0; i < rows;) {
    const std::int64_t node = sample.nodes[i];
    const std::int64_t first_row = node * sample.block_size - layout.first_row();
    blocks.clear();
    for (; i < rows && sample.nodes[i] == node; ++i) {
      for (Offset k = offsets[i]; k < offsets[i + 1]; ++k) {
        blocks.push_back(sampled.columns[static_cast<std::size_t>(k)] / sample.block_size);
      }
    }
    if (first_row >= 0 && first_row + sample.block_size <= layout.own_rows()) {
      counts.touched += count_different(blocks);
    } else {
      for (const std::int64_t block : blocks) {
        cut.emplace_back(node, block);
      }
    }
  }
  return counts;
}

}  // namespace

template <class T, MemorySpace S>
bool has_blocks(Context<S>& ctx, const LocalMatrix<T, S>& A) {
  const Communicator& communicator = ctx.communicator();
  const Layout<S>& layout = *A.layout;
  std::vector<NodeSample> samples;
  for (Index b = largest_node; b > 1; --b) {
    if (layout.partition().rows() % b == 0) {
      samples.emplace_back(layout, b);
    }
  }
  const SampledColumns sampled = columns_of(ctx, A, samples);
  SmoothUnknowns<T, S> unknowns(A.A, std::make_shared<Halo<T, S>>(A.layout), layout.first_own(), layout.first_row());
  std::size_t begin = 0;
  for (const NodeSample& sample : samples) {
    std::vector<Block> cut;
    const BlockCounts own = blocks_of(layout, sample, sampled, begin, cut);
    begin += sample.rows.size();
    std::array<std::int64_t, 2> sums{own.entries, own.touched};
    communicator.sum_ranks({sums.data(), sums.size()});
    cut = communicator.all_gather_list(std::span<const Block>(cut));
    const auto room = static_cast<double>((sums[1] + count_different(cut)) * sample.block_size * sample.block_size);
    if (room > 0.0 && static_cast<double>(sums[0]) >= least_node_fill * room &&
        unknowns.are_smooth(ctx, sample.block_size)) {
      return true;
    }
  }
  return false;
}

#define AMGSOLVE_INSTANTIATE(T, S) template bool has_blocks(Context<S>&, const LocalMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
