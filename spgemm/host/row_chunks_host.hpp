#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/workspace.hpp"
#include "spgemm/rows/product_blocks_host.hpp"

namespace amgsolve {

/// Room for the blocks of rows of a product whose entries are not counted before they are formed. Threads write one
/// block after another into chunks of memory, each into one of its own; where all chunks are full, blocks have to wait
/// until more are added, as many as the blocks formed so far let expect. The chunk of a worker with a single block has
/// the size of that.
template <class T>
class RowChunks {
 public:
  /// A block's rows, one after the other.
  struct Block {
    Index* cols = nullptr;
    T* values = nullptr;
    Offset entries = 0;
  };

  /// Entries behind those of a block that may be overwritten while it is formed.
  static constexpr Offset slack = 16;

  explicit RowChunks(const ProductBlocks& blocks)
      : product_blocks_(&blocks),
        chunk_size_(std::max(blocks.largest_room(0), std::min(blocks.products(), smallest_chunk)) + slack),
        blocks_(static_cast<std::size_t>(blocks.count())),
        open_(blocks.workers()) {}

  /// Forms all blocks: write(worker, block, cols, values) writes the rows of one and returns their entries.
  template <class Write>
  void fill(Context<Host>& ctx, WorkspaceScope<Host>& scope, const Write& write) {
    std::vector<std::int64_t> waiting(blocks_.size());
    for (std::size_t k = 0; k < waiting.size(); ++k) {
      waiting[k] = static_cast<std::int64_t>(k);
    }
    for (std::size_t worker = product_blocks_->threads(); worker < open_.size(); ++worker) {
      open_[worker] = take_chunk(scope, product_blocks_->largest_room(worker) + slack);
    }
    while (!waiting.empty()) {
      add_chunks(scope, waiting.size());
      parallel_blocks(
          ctx, static_cast<std::int64_t>(waiting.size()),
          [&](std::int64_t k) {
            const std::int64_t block = waiting[static_cast<std::size_t>(k)];
            const std::size_t worker = product_blocks_->worker(block, thread_number(ctx));
            OpenChunk& chunk = open_[worker];
            if (reserve(chunk, product_blocks_->room(block) + slack)) {
              const Offset entries = write(worker, block, chunk.cols, chunk.values);
              blocks_[static_cast<std::size_t>(block)] = {chunk.cols, chunk.values, entries};
              chunk.advance(entries);
            }
          },
          ProductBlocks::products_per_block);
      std::erase_if(waiting,
                    [&](std::int64_t block) { return blocks_[static_cast<std::size_t>(block)].cols != nullptr; });
    }
  }

  const Block& block(std::int64_t k) const { return blocks_[static_cast<std::size_t>(k)]; }

 private:
  // 6 MB in double: past what an allocation takes from the system as large pages.
  static constexpr Offset smallest_chunk = 1 << 19;

  /// Of one worker; two cache lines apart from the next.
  struct alignas(128) OpenChunk {
    Index* cols = nullptr;
    T* values = nullptr;
    Offset room = -1;

    void advance(Offset entries) {
      cols += entries;
      values += entries;
      room -= entries;
    }
  };

  static OpenChunk take_chunk(WorkspaceScope<Host>& scope, Offset room) {
    const auto size = static_cast<std::size_t>(room);
    return {scope.take<Index>(size).data(), scope.take<T>(size).data(), room};
  }

  void add_chunks(WorkspaceScope<Host>& scope, std::size_t waiting) {
    Offset entries = 0;
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const bool is_in_chunks = product_blocks_->worker(static_cast<std::int64_t>(k), 0) == 0;
      entries += is_in_chunks ? blocks_[k].entries : 0;
    }
    const std::size_t formed = blocks_.size() - waiting;
    const double expected =
        formed == 0 ? 0.0 : static_cast<double>(entries) / static_cast<double>(formed) * static_cast<double>(waiting);
    const std::size_t wanted =
        product_blocks_->threads() + static_cast<std::size_t>(1.1 * expected / static_cast<double>(chunk_size_));
    chunks_.clear();
    for (std::size_t k = 0; k < wanted; ++k) {
      chunks_.push_back(take_chunk(scope, chunk_size_));
    }
    next_chunk_ = 0;
  }

  /// Whether the chunk, or the next one in its place, has the room.
  bool reserve(OpenChunk& chunk, Offset room) {
    if (chunk.room >= room) {
      return true;
    }
    const std::size_t k = next_chunk_.fetch_add(1);
    if (k >= chunks_.size()) {
      return false;
    }
    chunk = chunks_[k];
    return true;
  }

  const ProductBlocks* product_blocks_;
  Offset chunk_size_;
  std::vector<Block> blocks_;
  std::vector<OpenChunk> open_;
  std::vector<OpenChunk> chunks_;
  std::atomic<std::size_t> next_chunk_ = 0;
};

}  // namespace amgsolve
