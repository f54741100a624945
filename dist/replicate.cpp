#include "dist/replicate.hpp"

#include <span>
#include <utility>
#include <vector>

#include "core/instantiate.hpp"
#include "dist/collectively.hpp"
#include "spmv/shapes.hpp"

namespace amgsolve {
namespace {

/// all = what the ranks have of it, each `counts[rank]` values, of which `own` are this one's.
template <class T>
void gather_values(const Communicator& communicator, std::span<const T> own, std::span<T> all) {
  const std::vector<std::size_t> lengths = communicator.all_gather(own.size_bytes());
  communicator.gather_bytes(std::as_bytes(own), lengths, std::as_writable_bytes(all));
}

}  // namespace

template <class T>
CsrMatrix<T, Host> replicate(Context<Host>& ctx, const LocalMatrix<T>& A) {
  const Communicator& communicator = ctx.communicator();
  const std::int64_t rows = communicator.sum(std::int64_t{A.A.rows});
  const std::int64_t nnz = communicator.sum(A.A.nnz());
  CsrMatrix<T, Host> all;
  std::vector<Index> columns;
  std::vector<Offset> counts;
  collectively(communicator, [&] {
    all = CsrMatrix<T, Host>(ctx, checked_index(rows, "rows"), checked_index(A.layout->partition().rows(), "columns"),
                             nnz);
    columns.resize(A.A.col_indices.size());
    counts.resize(static_cast<std::size_t>(A.A.rows));
  });
  for (std::size_t k = 0; k < columns.size(); ++k) {
    columns[k] = static_cast<Index>(A.layout->row_of(A.A.col_indices[k]));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = A.A.row_offsets[i + 1] - A.A.row_offsets[i];
  }
  gather_values<Index>(communicator, columns, {all.col_indices.data(), all.col_indices.size()});
  gather_values<T>(communicator, {A.A.values.data(), A.A.values.size()}, {all.values.data(), all.values.size()});
  gather_values<Offset>(communicator, counts, {all.row_offsets.data() + 1, static_cast<std::size_t>(rows)});
  all.row_offsets[0] = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
    all.row_offsets[i + 1] += all.row_offsets[i];
  }
  return all;
}

template <class T>
void replicate_rows(Context<Host>& ctx, const Partition& partition, Same<MultiVectorView<const T, Host>> own,
                    Same<MultiVectorView<T, Host>> all) {
  const int own_rank = ctx.communicator().rank();
  expect_shape("own", shape_of(own), {static_cast<Index>(partition.rows(own_rank)), all.columns});
  expect_shape("all", shape_of(all), {static_cast<Index>(partition.rows()), all.columns});
  const std::size_t row_bytes = static_cast<std::size_t>(all.columns) * sizeof(T);
  std::vector<std::size_t> lengths(static_cast<std::size_t>(partition.ranks()));
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    lengths[rank] = static_cast<std::size_t>(partition.rows(static_cast<int>(rank))) * row_bytes;
  }
  ctx.communicator().gather_bytes(std::as_bytes(std::span(own.data, own.size())), lengths,
                                  std::as_writable_bytes(std::span(all.data, all.size())));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                        \
  template CsrMatrix<T, S> replicate(Context<S>&, const LocalMatrix<T>&); \
  template void replicate_rows<T>(Context<S>&, const Partition&, MultiVectorView<const T, S>, MultiVectorView<T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
