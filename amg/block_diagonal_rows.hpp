#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "amg/block_diagonal.hpp"
#include "core/instantiate.hpp"
#include "core/search.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/work.hpp"

/// The bodies of amg/block_diagonal.hpp, written once for both memory spaces: parallel_for and transform_reduce are
/// those of the context.
namespace amgsolve {
namespace detail {

/// The k × k block of a node, row-major, from the rows of A, which are sorted.
template <class T>
AMGSOLVE_HOST_DEVICE void read_block(const CsrRef<T>& A, std::int64_t node, Index k, bool add_l1, Index first,
                                     T* block) {
  for (Index i = 0; i < k * k; ++i) {
    block[i] = T{0};
  }
  const auto first_col = static_cast<Index>(first + node * k);
  for (Index r = 0; r < k; ++r) {
    const std::int64_t row = node * k + r;
    const Offset end = A.row_offsets[row + 1];
    Offset entry = A.row_offsets[row];
    if (!add_l1) {
      entry = lower_bound(A.col_indices, entry, end, first_col);
    }
    for (; entry < end; ++entry) {
      const Index place = A.col_indices[entry] - first_col;
      if (place >= 0 && place < k) {
        block[r * k + place] += A.values[entry];
      } else if (add_l1) {
        block[r * k + r] += std::fabs(A.values[entry]);
      } else {
        break;
      }
    }
  }
}

/// The inverse in the block's own place. A pivot vanishes that is at most `vanishing` times what stood there. What a
/// step has taken is marked in `taken`, bit by bit.
template <class T>
AMGSOLVE_HOST_DEVICE void invert_block(T* block, Index k, T vanishing) {
  T before[largest_block];
  for (Index i = 0; i < k; ++i) {
    before[i] = std::fabs(block[i * k + i]);
  }
  const auto left_of = [&](Index i) { return std::fabs(block[i * k + i]); };
  const auto share_left_of = [&](Index i) { return before[i] > T{0} ? left_of(i) / before[i] : T{0}; };
  std::uint64_t taken = 0;
  for (Index step = 0; step < k; ++step) {
    Index pivot = -1;
    for (Index i = 0; i < k; ++i) {
      if ((taken >> i & 1) == 0 && (pivot < 0 || share_left_of(i) > share_left_of(pivot))) {
        pivot = i;
      }
    }
    if (!(left_of(pivot) > vanishing * before[pivot])) {
      break;
    }
    const T p = block[pivot * k + pivot];
    taken |= std::uint64_t{1} << pivot;
    for (Index i = 0; i < k; ++i) {
      const T factor = i == pivot ? T{0} : block[i * k + pivot] / p;
      for (Index j = 0; j < k; ++j) {
        if (j != pivot) {
          block[i * k + j] -= factor * block[pivot * k + j];
        }
      }
      block[i * k + pivot] = -factor;
    }
    for (Index j = 0; j < k; ++j) {
      block[pivot * k + j] = j == pivot ? T{1} / p : block[pivot * k + j] / p;
    }
  }
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) {
      if ((taken >> i & 1) == 0 || (taken >> j & 1) == 0) {
        block[i * k + j] = T{0};
      }
    }
  }
}

}  // namespace detail

template <class T, MemorySpace S>
BlockDiagonal<T, S> invert_diagonal_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, bool add_l1,
                                           Index first) {
  const auto values = static_cast<std::size_t>(A.rows) * static_cast<std::size_t>(block_size);
  BlockDiagonal<T, S> result{block_size, Buffer<T, S>(ctx, values)};
  const CsrRef<T> a = ref_of(A);
  T* const blocks = result.inverse.data();
  const T vanishing = static_cast<T>(block_size) * std::numeric_limits<T>::epsilon();
  parallel_for(
      ctx, A.rows / block_size,
      [a, block_size, add_l1, first, vanishing, blocks] AMGSOLVE_HOST_DEVICE(std::int64_t node) {
        T* const block = blocks + node * block_size * block_size;
        detail::read_block(a, node, block_size, add_l1, first, block);
        detail::invert_block(block, block_size, vanishing);
      },
      std::int64_t{block_size} * block_size * block_size + A.nnz() / std::max<Index>(A.rows, 1) * block_size);
  const std::size_t bytes_read = add_l1 ? A.bytes() : result.inverse.bytes();
  ctx.profile().add({static_cast<std::int64_t>(bytes_read + result.inverse.bytes()),
                     2 * std::int64_t{A.rows} * block_size * block_size});
  return result;
}

template <class T, MemorySpace S>
double least_part_left(Context<S>& ctx, const CsrMatrix<T, S>& A, const BlockDiagonal<T, S>& D, Index first) {
  const Index k = D.block_size;
  const CsrRef<T> a = ref_of(A);
  const T* const inverse = D.inverse.data();
  book_passes<T>(ctx, static_cast<std::size_t>(A.rows), 2, 2);
  return transform_reduce(
      ctx, A.rows, 1.0,
      [=] AMGSOLVE_HOST_DEVICE(std::int64_t row) {
        const auto i = static_cast<double>(inverse[row * k + row % k]);
        const auto d = static_cast<double>(entry_or_zero(a, row, static_cast<Index>(first + row)));
        const double product = d * i;
        return i == 0.0 ? 1.0 : product > 0.0 ? 1.0 / product : 0.0;
      },
      [] AMGSOLVE_HOST_DEVICE(double x, double y) { return x < y ? x : y; });
}

template <class T, MemorySpace S>
void apply_blocks(Context<S>& ctx, std::type_identity_t<T> alpha, const BlockDiagonal<T, S>& D,
                  std::type_identity_t<MultiVectorView<const T, S>> X, std::type_identity_t<T> beta,
                  std::type_identity_t<MultiVectorView<T, S>> Y) {
  const Index k = D.block_size;
  const Index columns = X.columns;
  const T* const inverse = D.inverse.data();
  const T* const x = X.data;
  T* const y = Y.data;
  parallel_for(
      ctx, X.rows,
      [=] AMGSOLVE_HOST_DEVICE(std::int64_t row) {
        const T* const block_row = inverse + row * k;
        const std::int64_t first = row - row % k;
        for (Index j = 0; j < columns; ++j) {
          T sum = 0;
          for (Index c = 0; c < k; ++c) {
            sum += block_row[c] * x[(first + c) * columns + j];
          }
          const std::int64_t position = row * columns + j;
          y[position] = beta == T{0} ? alpha * sum : alpha * sum + beta * y[position];
        }
      },
      std::int64_t{k} * columns);
  book_passes<T>(ctx, D.inverse.size(), 1, 2 * columns);
  book_passes<T>(ctx, X.size(), beta == T{0} ? 2 : 3, 3);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                              \
  template BlockDiagonal<T, S> invert_diagonal_blocks(Context<S>&, const CsrMatrix<T, S>&, Index, bool, Index); \
  template double least_part_left(Context<S>&, const CsrMatrix<T, S>&, const BlockDiagonal<T, S>&, Index);      \
  template void apply_blocks<T, S>(Context<S>&, T, const BlockDiagonal<T, S>&, MultiVectorView<const T, S>, T,  \
                                   MultiVectorView<T, S>);

}  // namespace amgsolve
