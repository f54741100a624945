#include "spmv/operator.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/collectively.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "spmv/alike_slices.hpp"
#include "spmv/connected_rows.hpp"
#include "spmv/conversions.hpp"
#include "spmv/shapes.hpp"
#include "spmv/spmv_steps.hpp"
#include "spmv/storage_choice.hpp"
#include "spmv/storage_tuning.hpp"
#include "spmv/stored_diagonal.hpp"
#include "spmv/stored_matrix.hpp"
#include "spmv/transfer.hpp"
#include "spmv/whole_size.hpp"

namespace amgsolve {
namespace {

/// A in the storage whose place among the alternatives is `index`; the last of them, patterns, is not for all matrices.
template <class T, MemorySpace S, std::size_t I = 0>
StoredMatrix<T, S> store_at(Context<S>& ctx, CsrMatrix<T, S>&& A, std::size_t index) {
  if constexpr (!std::same_as<std::variant_alternative_t<I + 1, StoredMatrix<T, S>>, PatternMatrix<T, S>>) {
    if (index != I) {
      return store_at<T, S, I + 1>(ctx, std::move(A), index);
    }
  }
  return store<std::variant_alternative_t<I, StoredMatrix<T, S>>>(ctx, std::move(A));
}

/// What `wanted` comes to where that is not automatic.
StorageChoice choice_of(Storage wanted) { return {std::min(wanted, Storage::sell), wanted == Storage::pattern}; }

/// A by patterns where that is the choice and they serve.
template <class T, MemorySpace S>
std::optional<PatternMatrix<T, S>> store_by_patterns(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                     const StorageChoice& choice, Storage wanted) {
  if (choice.by_pattern) {
    auto patterns = find_row_patterns(ctx, A.row_offsets, A.col_indices);
    if (patterns && (wanted == Storage::pattern || are_mostly_alike(ctx, *patterns))) {
      return store(ctx, A, std::move(*patterns));
    }
  }
  return std::nullopt;
}

}  // namespace

template <class T, MemorySpace S>
Operator<T, S> Operator<T, S>::leaving(Context<S>& ctx, CsrMatrix<T, S>& A, Storage storage,
                                       std::shared_ptr<OperandWindow<T, S>> window, std::int64_t first_row,
                                       Operator ready) {
  if (ready.is_light()) {
    return ready;
  }
  Operator B;
  if (storage == Storage::automatic && stays_lent(ctx, A)) {
    B = beside(ctx, A, storage, window, first_row);
    if (B.is_light()) {
      return B;
    }
    B = {};
  }
  B.take(ctx, std::move(A), storage, std::move(window), std::nullopt);
  if (const auto* const csr = std::get_if<CsrMatrix<T, S>>(&B.A_)) {
    A = borrow(*csr);
  }
  return B;
}

template <class T, MemorySpace S>
void Operator<T, S>::take(Context<S>& ctx, CsrMatrix<T, S>&& A, Storage storage,
                          std::shared_ptr<OperandWindow<T, S>> window, std::optional<OwnRows> own_rows) {
  if (window) {
    expect_shape("the strip", shape_of(A), {A.rows, window->columns()});
    window_ = std::move(window);
  }
  const OwnRows own = own_rows.value_or(all_own(A));
  const WholeSize whole = whole_size(ctx.communicator(), own.count, own.nnz);
  lanes_ = tuning::row_lanes(whole.mean_row_length());
  const StorageChoice choice = storage == Storage::automatic ? chosen_storage(ctx, A, own, whole) : choice_of(storage);
  collectively(ctx.communicator(), [&] {
    if (auto by_pattern = store_by_patterns(ctx, A, choice, storage)) {
      A_ = std::move(*by_pattern);
    } else {
      A_ = store_at(ctx, std::move(A), static_cast<std::size_t>(choice.listed) - 1);
    }
  });
}

template <class T, MemorySpace S>
Operator<T, S> Operator<T, S>::beside(Context<S>& ctx, const CsrMatrix<T, S>& A, Storage storage,
                                      std::shared_ptr<OperandWindow<T, S>> window, std::int64_t first_row,
                                      Operator ready) {
  const Communicator& communicator = ctx.communicator();
  Operator B(ctx, borrow(A), Storage::csr, std::move(window));
  if (storage != Storage::automatic && storage != Storage::pattern) {
    return B;
  }
  // How rows are summed depends on nothing that depends on how ranks share them.
  const WholeSize whole = whole_size(communicator, A.rows, A.nnz());
  const bool is_small = std::same_as<S, Cuda> && storage == Storage::automatic && whole.nnz < tuning::least_entries;
  if (is_small || !has_alike_slices(ctx, A, first_row, whole.rows)) {
    return B;
  }
  if (communicator.max(ready.is_light() ? 0 : 1) == 0) {
    return ready;
  }
  B.lanes_ = 1;
  const StorageChoice choice =
      storage == Storage::automatic ? cheapest_storage(ctx, A, all_own(A), whole) : choice_of(storage);
  std::optional<PatternMatrix<T, S>> by_pattern;
  collectively(communicator, [&] { by_pattern = store_by_patterns(ctx, A, choice, storage); });
  const bool is_light = by_pattern && by_pattern->may_share;
  if (communicator.max(is_light ? 0 : 1) == 0) {
    B.A_ = std::move(*by_pattern);
  }
  return B;
}

template <class T, MemorySpace S>
template <class U>
Operator<T, S> Operator<T, S>::converted_if_light(Context<S>& ctx, const Operator<U, S>& A, double factor,
                                                  std::shared_ptr<OperandWindow<T, S>> window) {
  Operator B;
  if (A.is_light()) {
    B.A_ = convert_values<T>(ctx, std::get<PatternMatrix<U, S>>(A.A_), factor);
    B.window_ = std::move(window);
  }
  return B;
}

template <class T, MemorySpace S>
Operator<T, S>::Operator(const Operator& resembling, FormProduct<T, S> product)
    : resembling_(&resembling), product_(std::move(product)) {}

template <class T, MemorySpace S>
void Operator<T, S>::update_values(Context<S>& ctx, CsrMatrix<T, S> A) {
  expect_shape("A", shape_of(A), {rows(), window_ ? window_->columns() : cols()});
  if (A.nnz() != nnz()) {
    throw std::invalid_argument(format_text("A has {} entries, expected {}", A.nnz(), nnz()));
  }
  std::visit(
      [&]<class Stored>(Stored& B) {
        if constexpr (std::same_as<Stored, CsrMatrix<T, S>>) {
          B = std::move(A);
        } else {
          replace_values(ctx, A, B);
        }
      },
      A_);
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
  const auto own = [](const auto& buffer) { return buffer.is_borrowed() ? 0 : buffer.bytes(); };
  return std::visit(
      [&]<class Stored>(const Stored& A) {
        if constexpr (std::same_as<Stored, CsrMatrix<T, S>>) {
          return own(A.row_offsets) + own(A.col_indices) + own(A.values);
        } else {
          return A.bytes();
        }
      },
      A_);
}

template <class T, MemorySpace S>
bool Operator<T, S>::is_light() const {
  const auto* const by_pattern = std::get_if<PatternMatrix<T, S>>(&A_);
  return by_pattern != nullptr && by_pattern->may_share;
}

template <class T, MemorySpace S>
void Operator<T, S>::extract_diagonal(Context<S>& ctx, Span<T, S> d) const {
  expect_length("d", d.size(), rows());
  std::visit([&](const auto& A) { detail::stored_diagonal(ctx, ref_of(A), stored().margins().below, d); }, stored().A_);
}

template <class T, MemorySpace S>
void Operator<T, S>::find_lowest_connected(Context<S>& ctx, Index block_size, Span<Index, S> lowest) const {
  if (block_size < 1 || rows() % block_size != 0) {
    throw std::invalid_argument(format_text("connected nodes: {} rows are no nodes of {}", rows(), block_size));
  }
  expect_length("the nodes", lowest.size(), rows() / block_size);
  std::visit([&](const auto& A) { detail::find_lowest_connected(ctx, ref_of(A), block_size, lowest); }, stored().A_);
}

template <class T, MemorySpace S>
CsrMatrix<T, Host> Operator<T, S>::to_csr(Context<S>& ctx, Context<Host>& host) const {
  return std::visit([&](const auto& A) { return amgsolve::to_csr<T>(host, download(ctx, host, A)); }, stored().A_);
}

template <class T, MemorySpace S>
CsrMatrix<T, S> Operator<T, S>::to_csr(Context<S>& ctx) const {
  if constexpr (std::is_same_v<S, Host>) {
    return to_csr(ctx, ctx);
  } else {
    Context<Host> host;
    return upload(ctx, to_csr(ctx, host));
  }
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                               \
  template class Operator<T, S>;                                                                                 \
  template Operator<float, S> Operator<float, S>::converted_if_light(Context<S>&, const Operator<T, S>&, double, \
                                                                     std::shared_ptr<OperandWindow<float, S>>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
