#include "spmv/operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "spmv/connected_rows.hpp"
#include "spmv/conversions.hpp"
#include "spmv/shapes.hpp"
#include "spmv/spmv_steps.hpp"
#include "spmv/statistics.hpp"
#include "spmv/storage_tuning.hpp"
#include "spmv/stored_diagonal.hpp"
#include "spmv/transfer.hpp"

namespace amgsolve {
namespace {

/// Bytes of offsets, columns and values in the storages, of all ranks. Synchronises.
struct StorageBytes {
  double csr;
  double ell;
  double sell;
};

template <class T, MemorySpace S>
StorageBytes storage_bytes(Context<S>& ctx, const CsrMatrix<T, S>& A, double mean_row_length) {
  const Communicator& communicator = ctx.communicator();
  WorkspaceScope scope(ctx.workspace());
  const auto widths = scope.template take<Index>(static_cast<std::size_t>(slice_count(A.rows)));
  detail::find_slice_widths(ctx, A.row_offsets, widths);
  const auto longest = static_cast<double>(communicator.max(std::int64_t{reduce_max(ctx, widths, 0)}));
  const auto rows = static_cast<double>(communicator.sum(std::int64_t{A.rows}));
  constexpr double entry = sizeof(Index) + sizeof(T);
  return {rows * (sizeof(Offset) + entry * mean_row_length), rows * entry * longest,
          slice_rows * entry * static_cast<double>(communicator.sum(reduce_sum(ctx, widths)))};
}

/// The storage to take on the host. A borrowed matrix stays where it is: the copy would take more time than its
/// products save.
template <class T>
Storage cheapest_storage(Context<Host>& ctx, const CsrMatrix<T, Host>& A, double mean_row_length) {
  if (A.values.is_borrowed()) {
    return Storage::csr;
  }
  const StorageBytes bytes = storage_bytes(ctx, A, mean_row_length);
  return bytes.sell <= tuning::most_padding_on_host * bytes.csr ? Storage::sell : Storage::csr;
}

/// The storage to take on a device, by figures of all ranks. Synchronises.
template <class T>
Storage cheapest_storage(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, double mean_row_length) {
  if (ctx.communicator().sum(A.nnz()) < tuning::least_entries) {
    return Storage::csr;
  }
  const StorageBytes bytes = storage_bytes(ctx, A, mean_row_length);
  const double limit =
      bytes.csr * (mean_row_length > tuning::long_row ? tuning::most_padding_of_long_rows : tuning::most_padding);
  if (std::min(bytes.ell, bytes.sell) > limit) {
    return Storage::csr;
  }
  return bytes.ell * (1.0 - tuning::least_saving_of_slices) <= bytes.sell ? Storage::ell : Storage::sell;
}

}  // namespace

template <class T, MemorySpace S>
Operator<T, S>::Operator(Context<S>& ctx, CsrMatrix<T, S> A, Storage storage) {
  const double mean = mean_row_length(ctx, A);
  lanes_ = tuning::row_lanes(mean);
  switch (storage == Storage::automatic ? cheapest_storage(ctx, A, mean) : storage) {
    case Storage::ell:
      A_ = csr_to_ell(ctx, A);
      break;
    case Storage::sell:
      A_ = csr_to_sell(ctx, A);
      break;
    default:
      A_ = std::move(A);
  }
}

template <class T, MemorySpace S>
Operator<T, S>::Operator(Context<S>& ctx, CsrMatrix<T, S> A, Storage storage,
                         std::shared_ptr<OperandWindow<T, S>> window)
    : Operator(ctx, std::move(A), storage) {
  expect_shape("the strip", {rows(), cols()}, {rows(), window->columns()});
  window_ = std::move(window);
}

template <class T, MemorySpace S>
Operator<T, S>::Operator(const Operator& resembling, FormProduct<T, S> product)
    : resembling_(&resembling), product_(std::move(product)) {}

template <class T, MemorySpace S>
void Operator<T, S>::update_values(Context<S>& ctx, CsrMatrix<T, S> A) {
  expect_shape("A", shape_of(A), {rows(), window_ ? window_->columns() : cols()});
  if (A.nnz() != nnz()) {
    throw std::invalid_argument(fmt::format("A has {} entries, expected {}", A.nnz(), nnz()));
  }
  if (storage() == Storage::csr) {
    A_ = std::move(A);
    return;
  }
  std::visit([&](auto& B) { detail::store_entries(ctx, ref_of(A), ref_of(B), Span<Index, S>(), B.values.span()); }, A_);
}

template <class T, MemorySpace S>
Index Operator<T, S>::rows() const {
  return std::visit([](const auto& A) { return A.rows; }, stored().A_);
}

template <class T, MemorySpace S>
Index Operator<T, S>::cols() const {
  return stored().window_ ? stored().window_->own_rows()
                          : std::visit([](const auto& A) { return A.cols; }, stored().A_);
}

template <class T, MemorySpace S>
Offset Operator<T, S>::nnz() const {
  return std::visit([](const auto& A) { return A.nnz(); }, stored().A_);
}

template <class T, MemorySpace S>
std::size_t Operator<T, S>::bytes() const {
  return std::visit([](const auto& A) { return A.bytes(); }, A_);
}

template <class T, MemorySpace S>
void Operator<T, S>::extract_diagonal(Context<S>& ctx, Span<T, S> d) const {
  expect_length("d", d.size(), rows());
  std::visit([&](const auto& A) { detail::stored_diagonal(ctx, ref_of(A), d); }, stored().A_);
}

template <class T, MemorySpace S>
void Operator<T, S>::find_lowest_connected(Context<S>& ctx, Index block_size, Span<Index, S> lowest) const {
  expect_length("the nodes", lowest.size(), rows() / block_size);
  std::visit([&](const auto& A) { detail::find_lowest_connected(ctx, ref_of(A), block_size, lowest); }, A_);
}

template <class T, MemorySpace S>
CsrMatrix<T, Host> Operator<T, S>::to_csr(Context<S>& ctx, Context<Host>& host) const {
  return std::visit([&](const auto& A) { return amgsolve::to_csr(host, download(ctx, host, A)); }, A_);
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Operator<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
