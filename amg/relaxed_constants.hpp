#pragma once

#include <memory>
#include <optional>

#include "amg/result.hpp"
#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
struct RelaxedConstants {
  MultiVector<T, S> vectors;
  Relaxation relaxation;
};

/// Candidates B = p(D⁻¹A)² ... p(D⁻¹A)² C of constants C, or scaled_constants(), with p the Chebyshev polynomial of
/// degree 8 on [0.03 ρ, 1.1 ρ], p(0) = 1: what smoothing A x = 0 leaves of C, as where neither the rows' units nor what
/// A takes to zero can be seen in its diagonal (Brezina, Falgout, MacLachlan, Manteuffel, McCormick, Ruge, Adaptive
/// smoothed aggregation, 2005). Squares keep all of what is smooth positive: p alone has either sign.
///
/// Where row sums of A C have the sign of C they are boundaries and mass terms, and C serves. Rows of the opposite sign
/// show that C has too much at some nodes and too little at others, which smoothing levels out: it is done where these
/// have 0.005 of mean_images(), or other signs of C could take away 0.5, until they are 0.01 or hardly change, at most
/// four times. In rows of M-matrices nothing else makes them: 1e-4 will do, unless all have 0.02 or less, as where
/// the diagonal is another at boundaries. Nothing where it halves them not, or where the diagonal is not positive.
///
/// Costs mean_images() where nothing is to be done, else up to 64 products with A and those of spectral_radius(), and
/// three vectors for each column of C and two. The same for any number of ranks. Synchronises. Phase: "relaxation".
/// @param A          symmetric
/// @param constants  or a body's rigid-body modes, scaled or not; with the ghosts' in their margins
/// @param layout     of A's columns where A is a strip of a matrix that ranks share. Then collective
template <class T, MemorySpace S>
std::optional<RelaxedConstants<T, S>> relaxed_constants(
    Context<S>& ctx, const CsrMatrix<T, S>& A, const MultiVector<T, S>& constants,
    std::type_identity_t<std::shared_ptr<const Layout<S>>> layout = nullptr);

}  // namespace amgsolve
