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

/// Looks whether the candidates are what a symmetric A takes nearly to zero in most rows, of 4096 that are spread
/// evenly or all: those given or made from coordinates, and the constants of several unknowns a node by the one
/// numbering and the other. Synchronises.
/// @param vectors     the candidates where `modes` are not constants
/// @param numbering   that A is said to have; where it is by_field and A has not been ordered by node, of_coordinates
///                    are by node all the same
/// @param is_ordered  A, said to be by field, and the candidates have been ordered by node
template <class T, MemorySpace S>
ModesCheck check_modes(Context<S>& ctx, const CsrMatrix<T, S>& A, Modes modes,
                       std::type_identity_t<MultiVectorView<const T, S>> vectors, Index block_size, Numbering numbering,
                       bool is_ordered);

}  // namespace amgsolve
