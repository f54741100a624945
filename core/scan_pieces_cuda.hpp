#pragma once

#include <cstddef>

#include "core/context.hpp"

namespace amgsolve::detail {

/// accumulate_counts() by scans of at most `piece` ≥ 2 numbers each.
void accumulate_counts(Context<Cuda>& ctx, Span<Offset, Cuda> offsets, std::size_t piece);

}  // namespace amgsolve::detail
