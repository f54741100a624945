#include "dist/product.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/exchange.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/fetch_rows.hpp"
#include "dist/fetch_rows_steps.hpp"
#include "dist/local_matrix_steps.hpp"
#include "dist/product_columns.hpp"
#include "dist/window_rows.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

/// Some rows of B, one after another, between rows below and rows above them.
/// @param chosen  rows of the strip
/// @param others  the rows below, then those above
/// @param below   how many of the others are below
template <class T, MemorySpace S>
GlobalRows<T, S> gather_between(Context<S>& ctx, const LocalMatrix<T, S>& B, Span<const Index, S> chosen,
                                const GlobalRows<T, S>& others, std::size_t below) {
  const auto rest = [](auto span, std::size_t first) { return span.subspan(first, span.size() - first); };
  const std::size_t count = chosen.size();
  const auto of_others = others.row_offsets.span();
  GlobalRows<T, S> all{Buffer<Offset, S>(ctx, of_others.size() + count), {}, {}};
  const auto offsets = all.row_offsets.span();
  detail::count_row_entries<S>(ctx, of_others.subspan(0, below + 1), offsets.subspan(1, below));
  detail::count_row_entries<S>(ctx, B.A.row_offsets.span(), chosen, offsets.subspan(1 + below, count));
  detail::count_row_entries<S>(ctx, rest(of_others, below), rest(offsets, 1 + below + count));
  allocate_entries(ctx, all);
  detail::copy_rows<T, S>(ctx, B.A, B.layout->window(), chosen, offsets.subspan(below, count), all);
  const auto begin = static_cast<std::size_t>(element(ctx, of_others, below));
  const std::size_t end = begin + static_cast<std::size_t>(all.nnz() - others.nnz());
  const auto put = [&](const auto& from, auto& to) {
    copy(ctx, from.span().subspan(0, begin), to.span().subspan(0, begin));
    copy(ctx, rest(from.span(), begin), rest(to.span(), end));
  };
  put(others.col_indices, all.col_indices);
  put(others.values, all.values);
  return all;
}

/// See second_factor().
/// @param columns  of the factor
template <class T, MemorySpace S>
SecondFactor<T, S> factor_of(Context<S>& ctx, const Layout<S>& window, LocalMatrix<T, S>& B,
                             const GlobalRows<T, S>& fetched, std::shared_ptr<const Layout<S>> columns) {
  ScopedTimer timer(ctx, "window");
  CsrMatrix<T, S> rows =
      collectively(ctx.communicator(), [&] { return window_rows(ctx, window, B, fetched, columns); });
  return {std::move(rows), std::move(columns)};
}

/// The ghosts of B's window, and what else of other ranks is among some columns. Collective.
template <class T, MemorySpace S>
GhostRows<S> ghosts_of(Context<S>& ctx, const LocalMatrix<T, S>& B, Span<const std::int64_t, S> columns) {
  return collectively(ctx.communicator(), [&] {
    return foreign_rows<std::int64_t, S>(ctx, {B.layout->ghosts(), columns}, B.layout->partition());
  });
}

/// Sends numbers to the neighbours of a window that need own rows, and returns, one after another, what those say whose
/// rows this rank needs. Collective.
/// @param said  to each neighbour
template <MemorySpace S>
Buffer<std::int64_t, S> hear_neighbours(Context<S>& ctx, const Layout<S>& layout,
                                        const std::vector<Buffer<std::int64_t, S>>& said) {
  const Communicator& communicator = ctx.communicator();
  const auto& neighbours = layout.neighbours();
  std::vector<std::int64_t> out(static_cast<std::size_t>(communicator.size()));
  std::vector<std::int64_t> in(out.size());
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    out[static_cast<std::size_t>(neighbours[n].rank)] = static_cast<std::int64_t>(said[n].size());
  }
  communicator.all_to_all(out, in);
  Buffer<std::int64_t, S> heard = collectively(communicator, [&] {
    return Buffer<std::int64_t, S>(ctx, static_cast<std::size_t>(std::reduce(in.begin(), in.end())));
  });
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  std::size_t place = 0;
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    const auto length = static_cast<std::size_t>(in[static_cast<std::size_t>(neighbours[n].rank)]);
    add_message(sends, neighbours[n].rank, said[n].span());
    add_message(receives, neighbours[n].rank, heard.span().subspan(place, length));
    place += length;
  }
  exchange(ctx, sends, receives);
  return heard;
}

}  // namespace

template <class T, MemorySpace S>
SecondFactor<T, S> second_factor(Context<S>& ctx, const Layout<S>& window, LocalMatrix<T, S>& B) {
  const GlobalRows<T, S> fetched = fetch_rows(ctx, window, B);
  GhostRows<S> ghosts = ghosts_of<T, S>(ctx, B, fetched.col_indices.span());
  return factor_of(ctx, window, B, fetched,
                   std::make_shared<const Layout<S>>(ctx, B.layout->partition(), std::move(ghosts)));
}

template <class T, MemorySpace S>
SecondFactor<T, S> second_factor_within(Context<S>& ctx, const Layout<S>& window, LocalMatrix<T, S>& B) {
  return factor_of(ctx, window, B, fetch_rows(ctx, window, B), B.layout);
}

template <class T, MemorySpace S>
SecondFactor<T, S> second_factor(Context<S>& ctx, const LocalMatrix<T, S>& A, LocalMatrix<T, S>& B,
                                 const Layout<S>& product_rows) {
  const GlobalRows<T, S> fetched = fetch_rows(ctx, *A.layout, B);
  const Partition& columns = B.layout->partition();
  GhostRows<S> ghosts = ghosts_of<T, S>(ctx, B, fetched.col_indices.span());
  const std::vector<Buffer<std::int64_t, S>> said = collectively(ctx.communicator(), [&] {
    return product_columns(ctx, A, B, fetched, std::as_const(ghosts.rows).span(), product_rows);
  });
  const Buffer<std::int64_t, S> heard = hear_neighbours<S>(ctx, product_rows, said);
  ghosts = collectively(ctx.communicator(), [&] {
    return foreign_rows<std::int64_t, S>(ctx, {std::as_const(ghosts.rows).span(), heard.span()}, columns);
  });
  return factor_of(ctx, *A.layout, B, fetched, std::make_shared<const Layout<S>>(ctx, columns, std::move(ghosts)));
}

template <class T, MemorySpace S>
CsrMatrix<T, S> take_rows(SecondFactor<T, S> factor, LocalMatrix<T, S> B) {
  const auto own = [](auto& buffer, auto& lender) {
    if (buffer.is_borrowed()) {
      const auto before = static_cast<std::size_t>(std::as_const(lender).data() - std::as_const(buffer).data());
      lender.widen(before, buffer.size() - before - lender.size());
      buffer = std::move(lender);
    }
  };
  own(factor.rows.col_indices, B.A.col_indices);
  own(factor.rows.values, B.A.values);
  return std::move(factor.rows);
}

template <class T, MemorySpace S>
LocalMatrix<T, S> multiply(Context<S>& ctx, const LocalMatrix<T, S>& A, const SecondFactor<T, S>& B,
                           const SpgemmOptions& options) {
  LocalMatrix<T, S> C{{}, B.columns};
  collectively(ctx.communicator(), [&] { C.A = multiply(ctx, A.A, B.rows, options); });
  return C;
}

template <class T, MemorySpace S>
NarrowOperands<T, S> narrow_operands(Context<S>& ctx, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& B,
                                     bool is_last) {
  const Layout<S>& window = *A.layout;
  const GlobalRows<T, S> fetched = fetch_rows(ctx, window, B);
  CsrMatrix<T, S> narrow;
  GlobalRows<T, S> rows;
  collectively(ctx.communicator(), [&] {
    const Buffer<std::int64_t, S> used =
        each_number<Index, S>(ctx, std::as_const(A.A.col_indices).span(), window.columns());
    const auto below = static_cast<std::size_t>(window.first_own());
    const std::size_t own_count = used.size() - window.ghosts().size();
    Buffer<Index, S> own(ctx, own_count);
    detail::find_columns<std::int64_t, S>(ctx, {window.first_own(), 0, window.own_rows(), nullptr, 0},
                                          used.span().subspan(below, own_count), own.span());
    rows = gather_between<T, S>(ctx, B, std::as_const(own).span(), fetched, below);
    narrow = borrow(A.A);
    narrow.cols = static_cast<Index>(used.size());
    narrow.col_indices = Buffer<Index, S>(ctx, A.A.col_indices.size());
    detail::find_columns<Index, S>(ctx, {0, 0, 0, used.data(), narrow.cols}, A.A.col_indices.span(),
                                   narrow.col_indices.span());
  });
  return {std::move(narrow), to_local(ctx, B.layout->partition(), std::move(rows), !is_last)};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                      \
  template SecondFactor<T, S> second_factor(Context<S>&, const Layout<S>&, LocalMatrix<T, S>&);         \
  template SecondFactor<T, S> second_factor(Context<S>&, const LocalMatrix<T, S>&, LocalMatrix<T, S>&,  \
                                            const Layout<S>&);                                          \
  template SecondFactor<T, S> second_factor_within(Context<S>&, const Layout<S>&, LocalMatrix<T, S>&);  \
  template CsrMatrix<T, S> take_rows(SecondFactor<T, S>, LocalMatrix<T, S>);                            \
  template LocalMatrix<T, S> multiply(Context<S>&, const LocalMatrix<T, S>&, const SecondFactor<T, S>&, \
                                      const SpgemmOptions&);                                            \
  template NarrowOperands<T, S> narrow_operands(Context<S>&, const LocalMatrix<T, S>&, const LocalMatrix<T, S>&, bool);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
