#include <algorithm>

#include "core/global_sum.hpp"
#include "core/superaccumulator.hpp"

namespace amgsolve::detail {

void accumulate_blocks(Context<Host>& ctx, Span<const double, Host> partial, Span<std::int64_t, Host> words,
                       Span<double, Host> rounded) {
  const std::size_t columns = words.size() / superaccumulator_words;
  const std::size_t blocks = partial.size() / std::max(columns, std::size_t{1});
  std::fill(words.begin(), words.end(), 0);
  for (std::size_t i = 0; i < partial.size(); ++i) {
    const SplitDouble x = split_double(partial[i]);
    std::int64_t* const target = words.data() + i / blocks * superaccumulator_words + x.word;
    for (std::size_t part = 0; part < 3; ++part) {
      target[part] += x.parts[part];
    }
  }
  round_sums(ctx, words, rounded);
}

void sum_over_ranks(Context<Host>& ctx, Span<std::int64_t, Host> words) { ctx.communicator().sum_ranks(words); }

void round_sums(Context<Host>&, Span<std::int64_t, Host> words, Span<double, Host> result) {
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j] = round_superaccumulator(words.data() + j * superaccumulator_words);
  }
}

}  // namespace amgsolve::detail
