#include "src/application/idle_options.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "amg/approach.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

struct OptionEffect {
  std::string_view key;
  bool (*takes_effect)(const JobConfiguration& configuration, const TakenChoices& taken);
  std::string_view what_for;  ///< as the end of a sentence, "it is for ..."
};

template <class E>
bool is_any_of(E value, std::initializer_list<E> others) {
  return std::ranges::find(others, value) != others.end();
}

bool has_random_vectors(const JobConfiguration& configuration, const TakenChoices&) {
  const ProblemConfiguration& problem = configuration.problem;
  return (problem.rhs.file.empty() && problem.rhs.word == RightHandSide::random) ||
         (problem.initial_guess.file.empty() && problem.initial_guess.word == InitialGuess::random);
}

/// Whether it may be the smoother of a type, of which `automatic` may be one.
template <SmootherType... types>
bool has_smoother(const JobConfiguration& configuration, const TakenChoices&) {
  return is_any_of(configuration.amg.smoother.type, {types...});
}

template <Method... methods>
bool may_have_method(const JobConfiguration&, const TakenChoices& taken) {
  return is_any_of(taken.method, {Method::automatic, methods...});
}

template <CycleType... cycles>
bool may_have_cycle(const JobConfiguration&, const TakenChoices& taken) {
  return is_any_of(taken.cycle, {CycleType::automatic, cycles...});
}

bool may_be_on_device(const JobConfiguration&, const TakenChoices& taken) { return taken.backend != Backend::host; }
bool is_shared(const JobConfiguration&, const TakenChoices& taken) { return taken.ranks > 1; }
bool never(const JobConfiguration&, const TakenChoices&) { return false; }

constexpr std::array<OptionEffect, 12> effects{{
    {"problem.seed", has_random_vectors, "a random 'problem.rhs' or 'problem.initial_guess'"},
    {"solver.device", may_be_on_device, "the backend cuda"},
    {"solver.restart", may_have_method<Method::gmres, Method::fgmres>, "'solver.method' gmres or fgmres"},
    {"solver.rebuild_factor", never, "new values, which programs give to the library"},
    {"amg.over_correction", may_have_cycle<CycleType::v, CycleType::f>, "'amg.cycle' V or F"},
    {"amg.smoother.damping", has_smoother<SmootherType::jacobi, SmootherType::block_jacobi>,
     "'amg.smoother.type' jacobi or block_jacobi"},
    {"amg.smoother.degree",
     has_smoother<SmootherType::automatic, SmootherType::chebyshev, SmootherType::chebyshev_opt_fourth,
                  SmootherType::block_chebyshev, SmootherType::gmres_polynomial>,
     "polynomials, as chebyshev, as 'amg.smoother.type'"},
    {"amg.smoother.lower_fraction", has_smoother<SmootherType::automatic, SmootherType::chebyshev>,
     "'amg.smoother.type' chebyshev"},
    {"distributed.replicate_below", is_shared, "several ranks"},
    {"distributed.device_messages",
     [](const JobConfiguration& c, const TakenChoices& t) { return is_shared(c, t) && may_be_on_device(c, t); },
     "several ranks on the backend cuda"},
    {"spgemm.bins", may_be_on_device, "the backend cuda"},
    {"spgemm.slice_products", may_be_on_device, "the backend cuda"},
}};

/// What `auto` stands for, as far as the method tells of the matrix.
CycleType taken_cycle(const Configuration& configuration, Method method) {
  const AmgOptions& amg = configuration.amg;
  const Method wanted = configuration.solver.method;
  if (amg.cycle != CycleType::automatic || method == Method::automatic) {
    return amg.cycle;
  }
  const CycleType of_general = cycle_for(amg.cycle, MatrixKind::general, method);
  const bool may_be_general = !needs_symmetry(method) && method_for(wanted, amg, false) == method;
  if (!may_be_general || of_general == CycleType::automatic) {
    return CycleType::v;
  }
  const bool may_be_symmetric = method_for(wanted, amg, true) == method;
  return may_be_symmetric ? CycleType::automatic : of_general;
}

}  // namespace

TakenChoices taken_choices(const Configuration& configuration, const Report& report, int ranks) {
  const Method method = report.result ? report.result->method : configuration.solver.method;
  return {.backend = report.backend ? report.backend->backend : configuration.backend,
          .method = method,
          .cycle = taken_cycle(configuration, method),
          .ranks = ranks};
}

std::vector<std::string> describe_idle_options(const Schema& schema, const JobConfiguration& configuration,
                                               const TakenChoices& taken) {
  std::vector<std::string> sentences;
  for (const OptionEffect& effect : effects) {
    const SchemaEntry& entry = *schema.find(effect.key);
    if (const Value value = entry.get(); value != entry.default_value && !effect.takes_effect(configuration, taken)) {
      sentences.push_back(format_text("'{}' is {}, which takes no effect here: it is for {}", entry.key, format(value),
                                      effect.what_for));
    }
  }
  return sentences;
}

void tell_idle_options(const Schema& schema, const JobConfiguration& configuration, int ranks, Report& report) {
  for (std::string& sentence :
       describe_idle_options(schema, configuration, taken_choices(configuration, report, ranks))) {
    if (std::ranges::find(report.warnings, sentence) == report.warnings.end()) {
      report.warnings.push_back(std::move(sentence));
    }
  }
}

}  // namespace amgsolve
