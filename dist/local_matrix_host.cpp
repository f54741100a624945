#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "dist/collectively.hpp"
#include "dist/local_matrix.hpp"

namespace amgsolve {
namespace {

/// Throws where a column is outside the matrix.
template <class T>
std::vector<std::int64_t> ghosts_of(const GlobalRows<T>& rows, const Partition& columns, int rank) {
  std::vector<std::int64_t> ghosts;
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Offset k = rows.row_offsets.data()[i]; k < rows.row_offsets.data()[i + 1]; ++k) {
      const std::int64_t column = rows.col_indices.data()[k];
      if (column < 0 || column >= columns.rows()) {
        throw InputError(fmt::format("row {} of the rank's rows has an entry in column {} of a matrix with {} columns",
                                     i + 1, column + 1, columns.rows()));
      }
      // Neighbouring rows share their ghosts, which come in runs.
      if ((column < columns.first(rank) || column >= columns.end(rank)) &&
          (ghosts.empty() || ghosts.back() != column)) {
        ghosts.push_back(column);
      }
    }
  }
  std::ranges::sort(ghosts);
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  return ghosts;
}

}  // namespace

template <class T>
GlobalRows<T> with_wide_columns(Context<Host>& ctx, CsrMatrix<T, Host> rows) {
  Buffer<std::int64_t, Host> columns(ctx, rows.col_indices.size());
  parallel_for(ctx, rows.nnz(), [&](std::int64_t k) { columns.data()[k] = rows.col_indices.data()[k]; });
  return {std::move(rows.row_offsets), std::move(columns), std::move(rows.values)};
}

template <class T>
LocalMatrix<T> to_local(Context<Host>& ctx, const Partition& columns, GlobalRows<T> rows) {
  const Communicator& communicator = ctx.communicator();
  std::vector<std::int64_t> ghosts;
  collectively(communicator, [&] { ghosts = ghosts_of(rows, columns, communicator.rank()); });
  LocalMatrix<T> local{{}, std::make_shared<const Layout>(communicator, columns, std::move(ghosts))};
  const Layout& layout = *local.layout;
  CsrMatrix<T, Host>& A = local.A;
  collectively(communicator, [&] { A.col_indices = Buffer<Index, Host>(ctx, rows.col_indices.size()); });
  parallel_for(ctx, rows.nnz(),
               [&](std::int64_t k) { A.col_indices.data()[k] = layout.column_of(rows.col_indices.data()[k]); });
  A.rows = rows.rows();
  A.cols = layout.columns();
  A.row_offsets = std::move(rows.row_offsets);
  A.values = std::move(rows.values);
  return local;
}

template <class T>
GlobalRows<T> to_global(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const Layout& layout) {
  GlobalRows<T> rows{Buffer<Offset, Host>(ctx, A.row_offsets.size()),
                     Buffer<std::int64_t, Host>(ctx, A.col_indices.size()), Buffer<T, Host>(ctx, A.values.size())};
  std::copy_n(A.row_offsets.data(), A.row_offsets.size(), rows.row_offsets.data());
  std::copy_n(A.values.data(), A.values.size(), rows.values.data());
  parallel_for(ctx, A.nnz(),
               [&](std::int64_t k) { rows.col_indices.data()[k] = layout.row_of(A.col_indices.data()[k]); });
  return rows;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                \
  template GlobalRows<T> with_wide_columns(Context<S>&, CsrMatrix<T, S>);         \
  template LocalMatrix<T> to_local(Context<S>&, const Partition&, GlobalRows<T>); \
  template GlobalRows<T> to_global(Context<S>&, const CsrMatrix<T, S>&, const Layout&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
