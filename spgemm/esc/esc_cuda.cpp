#include "spgemm/esc/esc.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/format.hpp"
#include "core/timer.hpp"
#include "spgemm/esc/esc_rows_cuda.hpp"
#include "spgemm/esc/tuning.hpp"
#include "spgemm/rows/long_rows_cuda.hpp"
#include "spgemm/rows/row_bins_cuda.hpp"
#include "spgemm/rows/row_products.hpp"
#include "spgemm/rows/stack_rows_cuda.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

using Limits = std::array<Offset, RowBins::lists>;

/// The groups of rows, in the order of their lists.
enum Group : std::size_t { four_lanes, eight_lanes, warps, small_blocks, blocks, large };

/// @param of_warp, of_block  most products of a row that they sort
Limits choose_limits(const std::array<Offset, 3>& bins, Offset of_warp, Offset of_block) {
  static_assert(largest_bins ==
                std::array<Offset, 3>{esc::most_four_lane_products, esc::most_warp_products, esc::most_block_products});
  constexpr std::array<const char*, 3> workers = {"four lanes", "a warp", "a block"};
  Offset before = 0;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    if (bins[b] > largest_bins[b]) {
      throw std::invalid_argument(
          format_text("sparse product by 'esc': {} can form rows of at most {} products, not {}", workers[b],
                      largest_bins[b], bins[b]));
    }
    if (bins[b] < before) {
      throw std::invalid_argument(format_text(
          "sparse product by 'esc': the limits of the bins must ascend from 0: {}, {}, {}", bins[0], bins[1], bins[2]));
    }
    before = bins[b];
  }
  const Offset of_warps = std::clamp(of_warp, bins[0], bins[1]);
  const Offset of_blocks = std::clamp(of_block, of_warps, bins[2]);
  return {bins[0],   std::clamp<Offset>(esc::most_eight_lane_products, bins[0], of_warps),
          of_warps,  std::clamp<Offset>(esc::most_small_block_products, of_warps, of_blocks),
          of_blocks, std::numeric_limits<Offset>::max()};
}

/// Rows begin … end − 1 of A, over its arrays.
template <class T>
CsrMatrix<T, Cuda> borrow_rows(const CsrMatrix<T, Cuda>& A, Index begin, Index end) {
  CsrMatrix<T, Cuda> rows = borrow(A);
  rows.rows = end - begin;
  rows.row_offsets = Buffer<Offset, Cuda>::borrow(
      A.row_offsets.span().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows.rows) + 1));
  return rows;
}

template <class T>
class EscProduct {
 public:
  EscProduct(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& B, const SpgemmOptions& options)
      : ctx_(&ctx),
        B_(&B),
        limits_(choose_limits(options.bins, esc::most_warp_products_of(B.cols),
                              esc::most_block_products_of<T>(B.cols, compute_capability(ctx.device())))),
        slice_products_(options.slice_products) {}

  SpgemmProduct<T, Cuda> form(const CsrMatrix<T, Cuda>& A) const;

 private:
  Offset most_products(Offset wanted) const;
  SpgemmProduct<T, Cuda> form_slices(const CsrMatrix<T, Cuda>& A, Span<const Offset, Cuda> product_offsets,
                                     Offset limit) const;
  void form_group(const char* phase, const CsrMatrix<T, Cuda>& A, const RowBins& rows, Group group, Offset length,
                  const esc::RowTarget<T>& target) const;

  Context<Cuda>* ctx_;
  const CsrMatrix<T, Cuda>* B_;
  Limits limits_;
  Offset slice_products_;
};

/// Of those wanted, the products to form at a time: as many as half of the free memory holds; the other half is for C.
template <class T>
Offset EscProduct<T>::most_products(Offset wanted) const {
  if (slice_products_ > 0 || wanted <= esc::least_slice) {
    return slice_products_ > 0 ? slice_products_ : wanted;
  }
  const std::size_t affordable = ctx_->memory().free().bytes / 2 / (sizeof(Index) + sizeof(T));
  return std::max(static_cast<Offset>(affordable), esc::least_slice);
}

template <class T>
void EscProduct<T>::form_group(const char* phase, const CsrMatrix<T, Cuda>& A, const RowBins& rows, Group group,
                               Offset length, const esc::RowTarget<T>& target) const {
  if (length == 0) {
    return;
  }
  ScopedTimer timer(*ctx_, phase);
  const RowSelection selection{length == A.rows ? nullptr : rows.list(group).data(), static_cast<Index>(length)};
  const auto limit = static_cast<int>(limits_[group]);
  switch (group) {
    case four_lanes:
      return esc::form_rows_by_four_lanes(*ctx_, A, *B_, selection, target);
    case eight_lanes:
      return esc::form_rows_by_eight_lanes(*ctx_, A, *B_, selection, target);
    case warps:
      return esc::form_rows_by_warps(*ctx_, A, *B_, selection, limit, target);
    case small_blocks:
      return esc::form_rows_by_small_blocks(*ctx_, A, *B_, selection, limit, target);
    case blocks:
      return esc::form_rows_by_blocks(*ctx_, A, *B_, selection, limit, target);
    case large:
      break;
  }
}

template <class T>
SpgemmProduct<T, Cuda> EscProduct<T>::form_slices(const CsrMatrix<T, Cuda>& A, Span<const Offset, Cuda> product_offsets,
                                                  Offset limit) const {
  SpgemmProduct<T, Cuda> result;
  std::vector<CsrMatrix<T, Cuda>> slices;
  for (Index begin = 0; begin < A.rows;) {
    const Index end = esc::slice_end(*ctx_, product_offsets, begin, limit);
    SpgemmProduct<T, Cuda> slice = form(borrow_rows(A, begin, end));
    result.products += slice.products;
    slices.push_back(std::move(slice.C));
    begin = end;
  }
  result.C = stack_rows(*ctx_, B_->cols, std::move(slices));
  return result;
}

template <class T>
SpgemmProduct<T, Cuda> EscProduct<T>::form(const CsrMatrix<T, Cuda>& A) const {
  Context<Cuda>& ctx = *ctx_;
  SpgemmProduct<T, Cuda> result;
  CsrMatrix<T, Cuda>& C = result.C;
  C.rows = A.rows;
  C.cols = B_->cols;

  WorkspaceScope<Cuda> scope(ctx.workspace());
  const RowBins rows(scope, A.rows);
  const auto n = static_cast<std::size_t>(A.rows);
  // In turn the products of each row that is formed on chip, and where those of all rows begin.
  const Span<Offset, Cuda> product_offsets = scope.take<Offset>(n + 1);
  const Span<Offset, Cuda> products = product_offsets.subspan(1, n);
  std::array<Offset, RowBins::lists + 1> lengths;
  Span<const Index, Cuda> large_rows;
  Offset products_on_chip = 0;
  {
    ScopedTimer timer(ctx, "analysis");
    count_row_products(ctx, A, *B_, products);
    fill_bins(ctx, products, limits_, rows);
    download(ctx, rows.lengths, {lengths.data(), lengths.size()});
    result.products = lengths[RowBins::lists];
    large_rows = rows.list(large).subspan(0, static_cast<std::size_t>(lengths[large]));
    if (large_rows.empty()) {
      accumulate_counts(ctx, product_offsets);
      products_on_chip = result.products;
    } else {
      esc::clear_sizes(ctx, large_rows, products);
      products_on_chip = counts_to_offsets(ctx, product_offsets);
    }
  }
  if (const Offset limit = most_products(products_on_chip); products_on_chip > limit && A.rows > 1) {
    return form_slices(A, product_offsets, limit);
  }

  C.row_offsets = Buffer<Offset, Cuda>(ctx, n + 1);
  const Span<Offset, Cuda> counts = C.row_offsets.span().subspan(1, n);
  set_zero(ctx, counts);  // of rows without products
  Buffer<Index, Cuda> cols(ctx, static_cast<std::size_t>(products_on_chip));
  Buffer<T, Cuda> values(ctx, static_cast<std::size_t>(products_on_chip));
  const esc::RowTarget<T> target{product_offsets.data(), cols.data(), values.data(), counts.data()};
  form_group("lanes", A, rows, four_lanes, lengths[four_lanes], target);
  form_group("lanes", A, rows, eight_lanes, lengths[eight_lanes], target);
  form_group("warps", A, rows, warps, lengths[warps], target);
  form_group("blocks", A, rows, small_blocks, lengths[small_blocks], target);
  form_group("blocks", A, rows, blocks, lengths[blocks], target);
  const LongRows<T> formed_apart(ctx, A, *B_, large_rows, counts, slice_products_);

  ScopedTimer timer(ctx, "reorder");
  const Offset nnz = counts_to_offsets(ctx, C.row_offsets);
  if (large_rows.empty() && nnz == products_on_chip) {
    C.col_indices = std::move(cols);
    C.values = std::move(values);
    return result;
  }
  C.col_indices = Buffer<Index, Cuda>(ctx, static_cast<std::size_t>(nnz));
  C.values = Buffer<T, Cuda>(ctx, static_cast<std::size_t>(nnz));
  esc::reorder_rows<T>(ctx, product_offsets, cols.span(), values.span(), C);
  formed_apart.write(ctx, C);
  return result;
}

}  // namespace

template <class T>
SpgemmProduct<T, Cuda> multiply_esc(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                    const SpgemmOptions& options) {
  return EscProduct<T>(ctx, B, options).form(A);
}

template SpgemmProduct<float, Cuda> multiply_esc(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                 const CsrMatrix<float, Cuda>&, const SpgemmOptions&);
template SpgemmProduct<double, Cuda> multiply_esc(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                  const CsrMatrix<double, Cuda>&, const SpgemmOptions&);

}  // namespace amgsolve
