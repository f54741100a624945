#include "dist/product.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/instantiate.hpp"
#include "dist/collectively.hpp"
#include "dist/fetch_rows.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

/// The rows of B that are A's columns, over one window: B's own rows between those fetched.
template <class T>
LocalMatrix<T> with_fetched(Context<Host>& ctx, const Layout& rows, const LocalMatrix<T>& B,
                            const GlobalRows<T>& fetched) {
  const Communicator& communicator = ctx.communicator();
  const Partition& columns = B.layout->partition();
  const std::int64_t first = columns.first(communicator.rank());
  const std::int64_t end = columns.end(communicator.rank());
  std::vector<std::int64_t> ghosts;
  std::copy_if(fetched.col_indices.data(), fetched.col_indices.data() + fetched.nnz(), std::back_inserter(ghosts),
               [&](std::int64_t column) { return column < first || column >= end; });
  ghosts.insert(ghosts.end(), B.layout->ghosts().begin(), B.layout->ghosts().end());
  std::ranges::sort(ghosts);
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  LocalMatrix<T> result{{}, std::make_shared<const Layout>(communicator, columns, std::move(ghosts))};
  const Layout& layout = *result.layout;
  collectively(communicator, [&] {
    result.A = CsrMatrix<T, Host>(ctx, rows.columns(), layout.columns(), B.A.nnz() + fetched.nnz());
  });
  std::vector<Index> renumbered(static_cast<std::size_t>(B.layout->columns()));
  for (std::size_t column = 0; column < renumbered.size(); ++column) {
    renumbered[column] = layout.column_of(B.layout->row_of(static_cast<Index>(column)));
  }
  Offset next = 0;
  Index row = 0;
  const auto begin_row = [&] { result.A.row_offsets.data()[row++] = next; };
  const auto add = [&](Index column, T value) {
    result.A.col_indices.data()[next] = column;
    result.A.values.data()[next++] = value;
  };
  const auto add_fetched = [&](Index first_row, Index last_row) {
    for (Index i = first_row; i < last_row; ++i) {
      begin_row();
      for (Offset k = fetched.row_offsets.data()[i]; k < fetched.row_offsets.data()[i + 1]; ++k) {
        add(layout.column_of(fetched.col_indices.data()[k]), fetched.values.data()[k]);
      }
    }
  };
  add_fetched(0, rows.first_own());
  for (Index i = 0; i < rows.own_rows(); ++i) {
    begin_row();
    for (Offset k = B.A.row_offsets.data()[i]; k < B.A.row_offsets.data()[i + 1]; ++k) {
      add(renumbered[static_cast<std::size_t>(B.A.col_indices.data()[k])], B.A.values.data()[k]);
    }
  }
  add_fetched(rows.first_own(), fetched.rows());
  begin_row();
  return result;
}

}  // namespace

template <class T>
LocalMatrix<T> multiply(Context<Host>& ctx, const LocalMatrix<T>& A, const LocalMatrix<T>& B,
                        const SpgemmOptions& options) {
  const GlobalRows<T> fetched = fetch_rows(ctx, *A.layout, B);
  const LocalMatrix<T> rows = with_fetched(ctx, *A.layout, B, fetched);
  LocalMatrix<T> C{{}, rows.layout};
  collectively(ctx.communicator(), [&] { C.A = multiply(ctx, A.A, rows.A, options); });
  return C;
}

template <class T>
LocalMatrix<T> transpose(Context<Host>& ctx, const LocalMatrix<T>& A, const Partition& rows) {
  CsrMatrix<T, Host> strip;
  collectively(ctx.communicator(), [&] { strip = transpose(ctx, A.A); });
  const std::int64_t first = rows.first(ctx.communicator().rank());
  GlobalRows<T> global{std::move(strip.row_offsets), Buffer<std::int64_t, Host>(ctx, strip.col_indices.size()),
                       std::move(strip.values)};
  std::transform(strip.col_indices.data(), strip.col_indices.data() + strip.col_indices.size(),
                 global.col_indices.data(), [&](Index row) { return first + row; });
  return to_local(ctx, rows, hand_in_rows(ctx, *A.layout, global));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                   \
  template LocalMatrix<T> multiply(Context<S>&, const LocalMatrix<T>&, const LocalMatrix<T>&, const SpgemmOptions&); \
  template LocalMatrix<T> transpose(Context<S>&, const LocalMatrix<T>&, const Partition&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
