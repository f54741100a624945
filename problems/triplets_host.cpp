#include "problems/triplets.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

constexpr Offset block_entries = Offset{1} << 16;

/// Calls body(block, begin, end) for the blocks of `entries` entries in parallel.
template <class Body>
void for_entry_blocks(Context<Host>& ctx, Offset entries, Body&& body) {
  parallel_blocks(ctx, (entries + block_entries - 1) / block_entries, [&](std::int64_t block) {
    const Offset begin = block * block_entries;
    body(static_cast<std::size_t>(block), static_cast<std::size_t>(begin),
         static_cast<std::size_t>(std::min(begin + block_entries, entries)));
  });
}

/// Those among the first `entries` triplets, whose matrix is A.
template <class T>
DuplicateEntries find_duplicates(const CooMatrix<T, Host>& triplets, Offset entries, const CsrMatrix<T, Host>& A) {
  DuplicateEntries duplicates;
  std::vector<bool> seen(static_cast<std::size_t>(A.nnz()));
  for (Offset e = 0; e < entries; ++e) {
    const auto row = static_cast<std::size_t>(triplets.row_indices[static_cast<std::size_t>(e)]);
    const Index* const begin = A.col_indices.data() + A.row_offsets[row];
    const Index* const end = A.col_indices.data() + A.row_offsets[row + 1];
    const Index* const found = std::lower_bound(begin, end, triplets.col_indices[static_cast<std::size_t>(e)]);
    const auto position = static_cast<std::size_t>(found - A.col_indices.data());
    if (seen[position] && duplicates.entries++ == 0) {
      duplicates.first_entry = e;
    }
    seen[position] = true;
  }
  return duplicates;
}

}  // namespace

template <class M, class T>
MirroredEntries mirror_lower_triangle(Context<Host>& ctx, M& A, Offset entries, T sign) {
  auto* const rows = A.row_indices.data();
  auto* const cols = A.col_indices.data();
  T* const values = A.values.data();
  struct Block {
    Offset images = 0;
    Offset upper = 0;
    Offset first_upper = 0;
  };
  std::vector<Block> blocks(static_cast<std::size_t>((entries + block_entries - 1) / block_entries));

  for_entry_blocks(ctx, entries, [&](std::size_t b, std::size_t begin, std::size_t end) {
    Block block;
    for (std::size_t e = begin; e < end; ++e) {
      block.images += rows[e] != cols[e] ? 1 : 0;
      if (rows[e] < cols[e]) {
        std::swap(rows[e], cols[e]);
        values[e] *= sign;
        if (block.upper++ == 0) {
          block.first_upper = static_cast<Offset>(e);
        }
      }
    }
    blocks[b] = block;
  });

  MirroredEntries result{.entries = entries};
  std::vector<std::size_t> images_begin;
  images_begin.reserve(blocks.size());
  for (const Block& block : blocks) {
    images_begin.push_back(static_cast<std::size_t>(result.entries));
    result.entries += block.images;
    if (result.upper_entries == 0) {
      result.first_upper_entry = block.first_upper;
    }
    result.upper_entries += block.upper;
  }

  for_entry_blocks(ctx, entries, [&](std::size_t b, std::size_t begin, std::size_t end) {
    std::size_t image = images_begin[b];
    for (std::size_t e = begin; e < end; ++e) {
      if (rows[e] != cols[e]) {
        rows[image] = cols[e];
        cols[image] = rows[e];
        values[image] = sign * values[e];
        ++image;
      }
    }
  });
  return result;
}

template <class T>
CsrMatrix<T, Host> assemble(Context<Host>& ctx, const CooMatrix<T, Host>& triplets, Offset entries,
                            DuplicateEntries& duplicates) {
  Offset merged = 0;
  CsrMatrix<T, Host> A = coo_to_csr(ctx, triplets, &merged);
  duplicates = merged > 0 ? find_duplicates(triplets, entries, A) : DuplicateEntries{};
  return A;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                              \
  template MirroredEntries mirror_lower_triangle(Context<S>&, CooMatrix<T, S>&, Offset, T);     \
  template MirroredEntries mirror_lower_triangle(Context<S>&, GlobalEntries<T, S>&, Offset, T); \
  template CsrMatrix<T, S> assemble(Context<S>&, const CooMatrix<T, S>&, Offset, DuplicateEntries&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
