#include "spgemm/hash/hash_one_pass.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spgemm/hash/hash_one_pass_rows_cuda.hpp"
#include "spgemm/hash/tuning.hpp"
#include "spgemm/rows/lanes_for_row_cuda.hpp"

namespace amgsolve {
namespace {

bool has_even_rows(const RowSizeEstimate& estimate, double mean_row_of_a) {
  return estimate.uncounted_rows == 0 && estimate.longest_a <= hash::row_spread * mean_row_of_a + hash::row_spread;
}

template <class T>
HashPass choose_pass(const RowSizeEstimate& estimate, const CsrMatrix<T, Cuda>& B, std::size_t most_block_bytes) {
  const auto slots = static_cast<unsigned>(estimate.sample.longest * hash::slots_per_entry);
  HashPass pass{.lanes = lanes_for_rows(B), .slots = static_cast<int>(std::bit_ceil(std::max(slots, 32U)))};
  const auto block_bytes = [&] {
    return static_cast<std::size_t>(pass.tile_rows() * pass.slots) * (sizeof(T) + sizeof(Index));
  };
  while (pass.lanes < 32 && block_bytes() > most_block_bytes) {
    pass.lanes *= 2;
  }
  return pass;
}

}  // namespace

template <class T>
std::optional<SpgemmProduct<T, Cuda>> hash_in_one_pass(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                                       const CsrMatrix<T, Cuda>& B, const RowSizeEstimate& estimate,
                                                       const RowMargins& margins) {
  if (!has_even_rows(estimate, static_cast<double>(A.nnz()) / std::max(A.rows, 1)) ||
      B.nnz() > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  ScopedTimer timer(ctx, "hash");
  const HashPass pass = choose_pass(estimate, B, hash::tuning_for(compute_capability(ctx.device())).block_bytes);
  OnePassResult<T> result =
      form_in_one_pass<T>(ctx, A.rows, B.cols, pass.tile_rows(), estimate.sample.entries_bound(), margins,
                          [&](const OnePassTarget<T>& target) { hash_rows(ctx, A, B, pass, target); });
  if (result.unfit_rows > 0) {
    return std::nullopt;
  }
  return SpgemmProduct<T, Cuda>{std::move(result.matrix), result.products};
}

#define AMGSOLVE_INSTANTIATE(T, S)                              \
  template std::optional<SpgemmProduct<T, S>> hash_in_one_pass( \
      Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, const RowSizeEstimate&, const RowMargins&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
