#pragma once

#include "spmv/csr_matrix.hpp"

/// Random matrices, the same for the same arguments, whatever the threads. Values are in [−1, 1).
namespace amgsolve::bench {

/// A rectangular matrix with about density · rows · cols entries at places that are equally likely.
template <class T>
CsrMatrix<T, Host> random_sparse_matrix(Context<Host>& ctx, Index rows, Index cols, double density,
                                        std::uint64_t seed = 1);

/// A square matrix like the graph of links between `rows` web pages, as large and uneven as webbase-1M (Williams et al.
/// 2007: 1 000 005 rows, 3 105 536 entries, 4700 in the longest row). The rows in random order have about
/// longest_row · r^(−α) entries, r = 1, 2, …, with α such that there are `entries` in all; half of them lie within 100
/// (or the length of the row) of the diagonal, the other half in columns whose rank r, in the same order as the rows',
/// has a probability of about r^(−0.6). So long rows and columns meet, as they do there. Duplicates are summed:
/// somewhat fewer entries.
template <class T>
CsrMatrix<T, Host> scale_free_matrix(Context<Host>& ctx, Index rows = 1'000'000, Offset entries = 3'200'000,
                                     Index longest_row = 4700);

}  // namespace amgsolve::bench
