#pragma once

#include <amgsolve/amgsolve.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <utility>

#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/timer.hpp"
#include "src/library/caller_arrays.hpp"
#include "src/library/distributed_rows.hpp"
#include "src/library/session.hpp"

/// What a program asks of a session with arrays of its own, here or on a device, and with all of a matrix or its own
/// rows of it. Sizes that do not fit together throw InputError, where there are several processes on all of them alike.
namespace amgsolve {

inline Index rows_of(std::size_t size, int columns, const char* what) {
  if (columns < 1) {
    throw InputError(format_text("columns of {} is {}; there must be at least 1", what, columns));
  }
  if (size % static_cast<std::size_t>(columns) != 0) {
    throw InputError(format_text("{} has {} values, which do not make {} columns", what, size, columns));
  }
  return checked_index(static_cast<std::int64_t>(size) / columns, "rows");
}

inline Index candidates_in(std::size_t size, Index rows) {
  if (rows == 0 || size % static_cast<std::size_t>(rows) != 0) {
    throw InputError(
        format_text("the near-nullspace has {} values, which is no multiple of the {} rows of the matrix", size, rows));
  }
  return checked_index(static_cast<std::int64_t>(size) / rows, "near-nullspace vectors");
}

/// Whether this is what each of several processes has of a matrix.
template <class View>
constexpr bool is_distributed = requires(const View& A) {
  A.global_columns;
};

/// The caller's matrix as the session takes it: all of it, or the rows of this process.
template <MemorySpace S, class T, class Offset>
CsrMatrix<T, S> matrix_of(Context<S>& ctx, const CsrView<T, Offset>& A) {
  return CallerArrays<S>(ctx, A.memory, A.ownership).matrix_in_space(A);
}
template <MemorySpace S, class T, class Offset, class Column>
RankRows<T, S> matrix_of(Context<S>& ctx, const DistributedCsrView<T, Offset, Column>& A) {
  RankRows<T, S> rows;
  collectively(ctx.communicator(), [&] { rows = rows_in_space<T, S>(ctx, A); });
  return rows;
}

/// Refuses coordinates of other nodes than those that a process has the rows of, and none where others have some.
/// Collective. Numbers of nodes that do not go into those of rows altogether are refused with the whole matrix.
inline void require_own_nodes(const Communicator& ranks, std::int64_t rows, std::int64_t nodes) {
  const std::int64_t all_rows = ranks.sum(rows);
  const std::int64_t all_nodes = ranks.sum(nodes);
  if (all_nodes == 0) {
    return;
  }
  collectively(ranks, [&] {
    if (rows > 0 && nodes == 0) {
      throw InputError(
          format_text("there are no coordinates for {} rows of the matrix, but there are for those of others", rows));
    }
  });
  if (all_rows % all_nodes != 0) {
    return;
  }
  collectively(ranks, [&] {
    if (const std::int64_t unknowns = all_rows / all_nodes; nodes * unknowns != rows) {
      throw InputError(format_text("there are coordinates of {} nodes for {} rows of the matrix, with {} a node", nodes,
                                   rows, unknowns));
    }
  });
}

/// @param unknowns  how they are numbered: by field the nodes of a process's rows are any
template <class T, MemorySpace S, class View>
void set_up(Session<T, S>& session, const View& A, ArrayView<const T> near_nullspace, const Coordinates<T>& coordinates,
            Numbering unknowns) {
  Context<S>& ctx = session.context();
  auto matrix = matrix_of<S>(ctx, A);
  Buffer<T, S> candidates;
  MultiVectorView<const T, S> candidates_view;
  Buffer<T, S> positions;
  MultiVectorView<const T, S> positions_view;
  collectively(ctx.communicator(), [&] {
    CallerArrays<S> arrays(ctx, A.memory, Ownership::borrow);
    if (!near_nullspace.empty()) {
      const Index rows = checked_index(A.rows, "rows");
      candidates = arrays.in_space(near_nullspace, "near_nullspace");
      candidates_view = {std::as_const(candidates).data(), rows, candidates_in(near_nullspace.size(), rows)};
    }
    if (!coordinates.values.empty()) {
      const Index nodes = rows_of(coordinates.values.size(), coordinates.dimensions, "coordinates");
      positions = arrays.in_space(coordinates.values, "coordinates");
      positions_view = {std::as_const(positions).data(), nodes, coordinates.dimensions};
    }
  });
  if constexpr (is_distributed<View>) {
    if (unknowns == Numbering::by_node) {
      require_own_nodes(ctx.communicator(), A.rows, positions_view.rows);
    }
    const MultiVector<T, S> nodes = rows_of_all(ctx, positions_view, "the coordinates");
    session.setup(std::move(matrix), candidates_view, nodes.view());
  } else {
    session.setup(std::move(matrix), candidates_view, positions_view);
  }
}

/// What a callback of the program's says; std::invalid_argument where it throws.
template <class Callback>
auto answer_of(const char* callback, const Callback& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    throw std::invalid_argument(format_text("{} has thrown, which it must not: {}", callback, error.what()));
  } catch (...) {
    throw std::invalid_argument(format_text("{} has thrown, which it must not", callback));
  }
}

/// The product that a solve takes in place of the assembled matrix's, in the session's terms. Where several processes
/// share the rows it is collective, so that what it throws on one of them is thrown on all.
template <MemorySpace S, class T>
FormProduct<T, S> form_product(const ProductCallback<T>& product) {
  if (!product) {
    return {};
  }
  return [&product](Context<S>& ctx, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
    const ScopedTimer timer(ctx, "product");
    void* stream = nullptr;
    if constexpr (std::same_as<S, Cuda>) {
      stream = ctx.stream();
    }
    collectively(ctx.communicator(),
                 [&] { answer_of("the product of a solve", [&] { product(X.data, Y.data, X.columns, stream); }); });
  };
}

/// Of addresses and no ends, which sizes that are wrong may put anywhere.
template <class T>
void check_apart(ArrayView<const T> b, ArrayView<T> x) {
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b.data());
  const auto x_begin = reinterpret_cast<std::uintptr_t>(x.data());
  const bool is_b_first = b_begin <= x_begin;
  const std::uintptr_t between = is_b_first ? x_begin - b_begin : b_begin - x_begin;
  if (!b.empty() && !x.empty() && between / sizeof(T) < (is_b_first ? b.size() : x.size())) {
    throw InputError(format_text(
        "b and x share memory, of {} and {} values: the right-hand side is needed until the end", b.size(), x.size()));
  }
}

template <class T, MemorySpace S>
void solve(Session<T, S>& session, ArrayView<const T> b, ArrayView<T> x, const SolveSettings<T>& settings) {
  Context<S>& ctx = session.context();
  const int columns = settings.columns;
  CallerArrays<S> arrays(ctx, settings.memory, Ownership::borrow);
  Index b_rows = 0;
  Index x_rows = 0;
  Buffer<T, S> b_here;
  Buffer<T, S> x_here;
  collectively(ctx.communicator(), [&] {
    check_apart(b, x);
    b_rows = rows_of(b.size(), columns, "b");
    x_rows = rows_of(x.size(), columns, "x");
    b_here = arrays.in_space(b, "b");
    x_here = arrays.in_space(x, "x");
  });
  session.solve({std::as_const(b_here).data(), b_rows, columns}, {x_here.data(), x_rows, columns},
                {settings.tolerance, settings.max_iterations, form_product<S>(settings.product)});
  ctx.set_stop({});  // what came out is handed over whole
  arrays.hand_over(x_here, x);
}

template <class T, MemorySpace S>
void precondition(Session<T, S>& session, ArrayView<const T> r, ArrayView<T> z, int columns, MemoryKind memory) {
  Context<S>& ctx = session.context();
  CallerArrays<S> arrays(ctx, memory, Ownership::borrow);
  Index r_rows = 0;
  Index z_rows = 0;
  Buffer<T, S> r_here;
  Buffer<T, S> z_here;
  collectively(ctx.communicator(), [&] {
    r_rows = rows_of(r.size(), columns, "r");
    z_rows = rows_of(z.size(), columns, "z");
    r_here = arrays.in_space(r, "r");
    z_here = arrays.room_in_space(z, "z");
  });
  session.precondition({std::as_const(r_here).data(), r_rows, columns}, {z_here.data(), z_rows, columns});
  arrays.hand_over(z_here, z);
}

}  // namespace amgsolve
