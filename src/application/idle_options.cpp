#include "src/application/idle_options.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "core/format.hpp"

namespace amgsolve {
namespace {

struct OptionEffect {
  std::string_view key;
  bool (*takes_effect)(const JobConfiguration& configuration);
  std::string_view what_for;  ///< as the end of a sentence, "it is for ..."
};

template <class E>
bool is_any_of(E value, std::initializer_list<E> others) {
  return std::ranges::find(others, value) != others.end();
}

bool has_random_vectors(const ProblemConfiguration& problem) {
  return (problem.rhs.file.empty() && problem.rhs.word == RightHandSide::random) ||
         (problem.initial_guess.file.empty() && problem.initial_guess.word == InitialGuess::random);
}

constexpr std::array<OptionEffect, 7> effects{{
    {"problem.seed", [](const JobConfiguration& c) { return has_random_vectors(c.problem); },
     "a random 'problem.rhs' or 'problem.initial_guess'"},
    {"solver.device", [](const JobConfiguration& c) { return c.backend != Backend::host; },
     "another 'solver.backend' than host"},
    {"solver.restart",
     [](const JobConfiguration& c) {
       return is_any_of(c.solver.method, {Method::automatic, Method::gmres, Method::fgmres});
     },
     "'solver.method' gmres or fgmres"},
    {"amg.smoother.damping",
     [](const JobConfiguration& c) {
       return is_any_of(c.amg.smoother.type, {SmootherType::jacobi, SmootherType::block_jacobi});
     },
     "'amg.smoother.type' jacobi or block_jacobi"},
    {"amg.smoother.degree",
     [](const JobConfiguration& c) {
       return is_any_of(c.amg.smoother.type,
                        {SmootherType::automatic, SmootherType::chebyshev, SmootherType::chebyshev_opt_fourth,
                         SmootherType::block_chebyshev, SmootherType::gmres_polynomial});
     },
     "polynomials, as chebyshev, as 'amg.smoother.type'"},
    {"amg.smoother.lower_fraction",
     [](const JobConfiguration& c) {
       return is_any_of(c.amg.smoother.type, {SmootherType::automatic, SmootherType::chebyshev});
     },
     "'amg.smoother.type' chebyshev"},
    {"distributed.device_messages", [](const JobConfiguration& c) { return c.backend != Backend::host; },
     "another 'solver.backend' than host"},
}};

}  // namespace

std::vector<std::string> describe_idle_options(const Schema& schema, const JobConfiguration& configuration) {
  std::vector<std::string> sentences;
  for (const OptionEffect& effect : effects) {
    const SchemaEntry& entry = *schema.find(effect.key);
    if (const Value value = entry.get(); value != entry.default_value && !effect.takes_effect(configuration)) {
      sentences.push_back(format_text("'{}' is {}, which takes no effect here: it is for {}", entry.key, format(value),
                                      effect.what_for));
    }
  }
  return sentences;
}

}  // namespace amgsolve
