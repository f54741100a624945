#include "dist/fetch_rows.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/instantiate.hpp"
#include "dist/halo.hpp"

namespace amgsolve {
namespace {

/// Rows one after another for each neighbour, and where their entries begin and end.
template <class T>
struct Packed {
  std::vector<std::int64_t> columns;
  std::vector<T> values;
};

/// Exchanges the entries of rows of which both sides know how many there are.
template <class T>
void exchange_entries(Context<Host>& ctx, const std::vector<int>& ranks, const std::vector<Packed<T>>& sends,
                      std::vector<std::pair<std::span<std::int64_t>, std::span<T>>>& receives) {
  std::vector<Communicator::Outgoing> columns_out;
  std::vector<Communicator::Outgoing> values_out;
  std::vector<Communicator::Incoming> columns_in;
  std::vector<Communicator::Incoming> values_in;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!sends[i].columns.empty()) {
      columns_out.push_back({ranks[i], std::as_bytes(std::span(sends[i].columns))});
      values_out.push_back({ranks[i], std::as_bytes(std::span(sends[i].values))});
    }
    if (!receives[i].first.empty()) {
      columns_in.push_back({ranks[i], std::as_writable_bytes(receives[i].first)});
      values_in.push_back({ranks[i], std::as_writable_bytes(receives[i].second)});
    }
  }
  ctx.communicator().exchange(columns_out, columns_in);
  ctx.communicator().exchange(values_out, values_in);
}

template <class T>
GlobalRows<T> rows_for(Context<Host>& ctx, const std::vector<std::int64_t>& lengths) {
  GlobalRows<T> rows{Buffer<Offset, Host>(ctx, lengths.size() + 1), {}, {}};
  rows.row_offsets[0] = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    rows.row_offsets[i + 1] = rows.row_offsets[i] + lengths[i];
  }
  const auto nnz = static_cast<std::size_t>(rows.row_offsets[lengths.size()]);
  rows.col_indices = Buffer<std::int64_t, Host>(ctx, nnz);
  rows.values = Buffer<T, Host>(ctx, nnz);
  return rows;
}

}  // namespace

template <class T>
GlobalRows<T> fetch_rows(Context<Host>& ctx, const Layout& rows, const LocalMatrix<T>& B) {
  const Offset* const offsets = B.A.row_offsets.data();
  MultiVector<std::int64_t, Host> window(ctx, rows.columns());
  for (Index i = 0; i < rows.own_rows(); ++i) {
    window.data()[rows.first_own() + i] = offsets[i + 1] - offsets[i];
  }
  exchange_ghosts<std::int64_t>(ctx, rows, window);
  std::vector<std::int64_t> lengths(window.data(), window.data() + rows.first_own());
  lengths.insert(lengths.end(), window.data() + rows.first_own() + rows.own_rows(), window.data() + rows.columns());
  GlobalRows<T> fetched = rows_for<T>(ctx, lengths);
  std::vector<int> ranks;
  std::vector<Packed<T>> sends;
  std::vector<std::pair<std::span<std::int64_t>, std::span<T>>> receives;
  std::size_t ghost = 0;
  for (const Layout::Neighbour& neighbour : rows.neighbours()) {
    ranks.push_back(neighbour.rank);
    Packed<T>& packed = sends.emplace_back();
    for (const Index row : neighbour.needs) {
      for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
        packed.columns.push_back(B.layout->row_of(B.A.col_indices.data()[k]));
        packed.values.push_back(B.A.values.data()[k]);
      }
    }
    const auto begin = static_cast<std::size_t>(fetched.row_offsets[ghost]);
    ghost += static_cast<std::size_t>(neighbour.ghosts);
    const std::size_t count = static_cast<std::size_t>(fetched.row_offsets[ghost]) - begin;
    receives.push_back({{fetched.col_indices.data() + begin, count}, {fetched.values.data() + begin, count}});
  }
  exchange_entries(ctx, ranks, sends, receives);
  return fetched;
}

template <class T>
GlobalRows<T> hand_in_rows(Context<Host>& ctx, const Layout& rows, const GlobalRows<T>& strip) {
  const Offset* const offsets = strip.row_offsets.data();
  // The lengths of what comes, for each neighbour the rows that it has entries of.
  std::vector<std::vector<std::int64_t>> lengths_out;
  std::vector<std::vector<std::int64_t>> lengths_in;
  std::vector<Communicator::Outgoing> out;
  std::vector<Communicator::Incoming> in;
  std::vector<int> ranks;
  std::vector<Packed<T>> sends;
  for (const Layout::Neighbour& neighbour : rows.neighbours()) {
    ranks.push_back(neighbour.rank);
    std::vector<std::int64_t>& lengths = lengths_out.emplace_back();
    Packed<T>& packed = sends.emplace_back();
    for (Index row = neighbour.first_ghost; row < neighbour.first_ghost + neighbour.ghosts; ++row) {
      lengths.push_back(offsets[row + 1] - offsets[row]);
    }
    const Offset begin = offsets[neighbour.first_ghost];
    const Offset end = offsets[neighbour.first_ghost + neighbour.ghosts];
    packed.columns.assign(strip.col_indices.data() + begin, strip.col_indices.data() + end);
    packed.values.assign(strip.values.data() + begin, strip.values.data() + end);
    lengths_in.emplace_back(neighbour.needs.size());
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!lengths_out[i].empty()) {
      out.push_back({ranks[i], std::as_bytes(std::span(lengths_out[i]))});
    }
    if (!lengths_in[i].empty()) {
      in.push_back({ranks[i], std::as_writable_bytes(std::span(lengths_in[i]))});
    }
  }
  ctx.communicator().exchange(out, in);

  std::vector<Packed<T>> pieces(ranks.size());
  std::vector<std::pair<std::span<std::int64_t>, std::span<T>>> receives;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows.own_rows()));
  for (Index i = 0; i < rows.own_rows(); ++i) {
    lengths[static_cast<std::size_t>(i)] = offsets[rows.first_own() + i + 1] - offsets[rows.first_own() + i];
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::vector<Index>& needs = rows.neighbours()[i].needs;
    std::size_t total = 0;
    for (std::size_t r = 0; r < needs.size(); ++r) {
      lengths[static_cast<std::size_t>(needs[r])] += lengths_in[i][r];
      total += static_cast<std::size_t>(lengths_in[i][r]);
    }
    pieces[i] = {std::vector<std::int64_t>(total), std::vector<T>(total)};
    receives.push_back({pieces[i].columns, pieces[i].values});
  }
  exchange_entries(ctx, ranks, sends, receives);

  GlobalRows<T> whole = rows_for<T>(ctx, lengths);
  std::vector<Offset> next(whole.row_offsets.data(), whole.row_offsets.data() + rows.own_rows());
  const auto append = [&](Index row, const std::int64_t* columns, const T* values, std::int64_t count) {
    Offset& place = next[static_cast<std::size_t>(row)];
    std::copy_n(columns, count, whole.col_indices.data() + place);
    std::copy_n(values, count, whole.values.data() + place);
    place += count;
  };
  const auto append_piece = [&](std::size_t i) {
    std::int64_t begin = 0;
    const std::vector<Index>& needs = rows.neighbours()[i].needs;
    for (std::size_t r = 0; r < needs.size(); ++r) {
      append(needs[r], pieces[i].columns.data() + begin, pieces[i].values.data() + begin, lengths_in[i][r]);
      begin += lengths_in[i][r];
    }
  };
  const auto own_rank = ctx.communicator().rank();
  std::size_t i = 0;
  for (; i < ranks.size() && ranks[i] < own_rank; ++i) {
    append_piece(i);
  }
  for (Index row = 0; row < rows.own_rows(); ++row) {
    const Offset begin = offsets[rows.first_own() + row];
    append(row, strip.col_indices.data() + begin, strip.values.data() + begin,
           offsets[rows.first_own() + row + 1] - begin);
  }
  for (; i < ranks.size(); ++i) {
    append_piece(i);
  }
  return whole;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                      \
  template GlobalRows<T> fetch_rows(Context<S>&, const Layout&, const LocalMatrix<T>&); \
  template GlobalRows<T> hand_in_rows(Context<S>&, const Layout&, const GlobalRows<T>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
