#pragma once

#include <optional>

#include "amg/options.hpp"
#include "amg/result.hpp"
#include "core/context.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// Looks whether the constants of block_size unknowns a node are what a symmetric A takes nearly to zero. Two products
/// for each of them, and two more where a node is said to be one unknown; 32 bytes of scratch for each of up to 6
/// vectors and each row. Synchronises. Phase: "constants check". Nothing where there is no memory for it: what
/// called has its own result. Where ranks share the rows collective, to the same figures as on one.
/// @param numbering  of A; by_node where ranks share the rows
template <class T, MemorySpace S>
std::optional<ConstantsCheck> check_constants(Context<S>& ctx, const Operator<T, S>& A, Index block_size,
                                              Numbering numbering = Numbering::by_node);

}  // namespace amgsolve
