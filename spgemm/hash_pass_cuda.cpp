#include "spgemm/hash_pass_cuda.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/timer.hpp"
#include "spgemm/hash_pass_rows_cuda.hpp"
#include "spgemm/tuning.hpp"

namespace amgsolve {
namespace {

bool has_even_rows(const Survey& survey, double mean_row_of_a) {
  return survey.uncounted_rows == 0 &&
         survey.longest_a <= tuning::pass_row_spread * mean_row_of_a + tuning::pass_row_spread;
}

template <class T>
HashPass choose_pass(const Survey& survey, double mean_row_of_b) {
  const double slots = std::max(survey.longest_sampled * tuning::pass_slots_per_entry, 32.0);
  HashPass pass{.lanes = std::clamp<int>(std::bit_ceil(static_cast<unsigned>(std::ceil(mean_row_of_b))), 4, 32),
                .slots = static_cast<int>(std::bit_ceil(static_cast<unsigned>(slots)))};
  const auto block_bytes = [&] { return pass.tile_rows() * pass.slots * (sizeof(T) + sizeof(Index)); };
  while (pass.lanes < 32 && block_bytes() > tuning::pass_block_bytes) {
    pass.lanes *= 2;
  }
  return pass;
}

double mean_row(Offset nnz, Index rows) { return static_cast<double>(nnz) / std::max(rows, 1); }

}  // namespace

template <class T>
std::optional<SpgemmProduct<T, Cuda>> hash_in_one_pass(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                                       const CsrMatrix<T, Cuda>& B, const Survey& survey) {
  if (!has_even_rows(survey, mean_row(A.nnz(), A.rows)) || B.nnz() > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  ScopedTimer timer(ctx, "hash");
  const HashPass pass = choose_pass<T>(survey, mean_row(B.nnz(), B.rows));
  OnePassResult<T> result =
      form_in_one_pass<T>(ctx, A.rows, B.cols, pass.tile_rows(), survey.entries_bound(),
                          [&](const OnePassTarget<T>& target) { hash_rows(ctx, A, B, pass, target); });
  if (result.unfit_rows > 0) {
    return std::nullopt;
  }
  return std::move(result.product);
}

template std::optional<SpgemmProduct<float, Cuda>> hash_in_one_pass(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                                    const CsrMatrix<float, Cuda>&, const Survey&);
template std::optional<SpgemmProduct<double, Cuda>> hash_in_one_pass(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                                     const CsrMatrix<double, Cuda>&, const Survey&);

}  // namespace amgsolve
