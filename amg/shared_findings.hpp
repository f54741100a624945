#pragma once

#include "amg/options.hpp"
#include "amg/result.hpp"
#include "dist/local_matrix.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/operator.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// What a caller tells of the nodes of all ranks, as AmgSolver takes it.
template <class T, MemorySpace S>
struct GivenOfAll {
  MultiVectorView<const T, S> near_nullspace;
  MultiVectorView<const T, S> coordinates;

  bool is_none() const { return near_nullspace.rows == 0 && coordinates.rows == 0; }
};

/// What is known of the rows of all ranks.
template <class T, MemorySpace S>
struct SharedFindings {
  RowMagnitudes magnitudes{};
  Operator<T, S> light{};  ///< A, where its slices share values and the diagonal is positive; else empty
  bool is_symmetric = true;
  bool is_negated = false;  ///< the diagonal is negative
  Index block_size = 1;
  bool tells_block_size = false;   ///< by the pattern of A
  MultiVector<T, S> candidates{};  ///< of this rank's rows, with margins for the window of A
  Modes modes = Modes::given;      ///< relaxed ones are found later
  bool are_scaled = false;         ///< by 1 / √a_ii
  bool is_singular = false;        ///< takes them to zero
  bool is_plain = false;           ///< such that ranks may share the levels; else what is above may not be known
};

/// What ranks find of A before they share it. Collective. Throws InputError on all of them where none can work with a
/// rank's rows, naming the row as the whole matrix has it.
/// @param method  that is asked for
template <class T, MemorySpace S>
SharedFindings<T, S> find_of_shared(Context<S>& ctx, const LocalMatrix<T, S>& A, const GivenOfAll<T, S>& given,
                                    const AmgOptions& amg, Method method);

}  // namespace amgsolve
