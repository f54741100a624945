#pragma once

#include <cstdint>

#include "core/context.hpp"
#include "problems/generated_problem.hpp"
#include "spmv/multi_vector.hpp"

/// Right-hand sides that need no file; for those of a known solution see problems/manufactured.hpp. The same bits for
/// any number of threads and on a device.
namespace amgsolve {

/// b_ij = random_uniform(seed + j, first_row + i), uniform in [−1, 1): column j is the vector of the seed `seed` + j,
/// however many columns there are.
/// @param first_row  of a vector that b is a strip of
template <class T, MemorySpace S>
void random_right_hand_side(Context<S>& ctx, std::uint64_t seed, MultiVectorView<T, S> b, std::int64_t first_row = 0);

/// b = 1: all columns are the same.
template <class T, MemorySpace S>
void ones_right_hand_side(Context<S>& ctx, MultiVectorView<T, S> b);

/// The load vector of an elastic body in the scaling of generate_matrix, the same in all columns; see ElasticBody.
/// @param rows  those of the whole vector that b is
/// Throws ConfigurationError as problem.validate() and validate_load do, std::invalid_argument where b does not have
/// that many rows.
template <class T, MemorySpace S>
void load_right_hand_side(Context<S>& ctx, const GeneratedProblem& problem, MultiVectorView<T, S> b,
                          RowRange rows = all_rows);

/// Throws ConfigurationError where a problem that is valid else is no body, or has no free side for its load.
void validate_load(const GeneratedProblem& problem);

}  // namespace amgsolve
