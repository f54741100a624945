#pragma once

#include "amg/couplings_steps.hpp"

/// The step of strong_couplings() that is written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve {

template <class T, MemorySpace S>
void prepare_rows(Context<S>& ctx, Span<const T, S> diagonal, Span<const T, S> candidate, const CouplingTest<T>& test,
                  Index first) {
  const T* const d = diagonal.data();
  const T* const b = candidate.data();
  parallel_for(ctx, static_cast<std::int64_t>(diagonal.size()),
               [d, b, test, first] AMGSOLVE_HOST_DEVICE(std::int64_t i) { test.prepare(first + i, d[i], b[i]); });
}

}  // namespace amgsolve
