#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "amg/result.hpp"
#include "bench/amgcl_solve.hpp"
#include "bench/command_line.hpp"
#include "bench/hypre_solve.hpp"
#include "core/context.hpp"
#include "problems/generated_problem.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"
#include "src/library/configuration.hpp"

/// Whole solves of A x = 1 from zero, setup and solve apart, by our solver and by peers.
namespace amgsolve::bench {

struct SolveOptions {
  int repetitions = 5;
  std::vector<std::string> settings;  ///< key=value of the library's sections
  std::vector<std::string> peers;     ///< "hypre", "amgcl"
  double amgcl_strength = amgcl_default_strength;
};

/// Adds --repetitions, --set, --peer and --amgcl-strength.
void add_solve_options(CommandLine& line, SolveOptions& options);

/// The defaults with the settings of the options. Throws ConfigurationError, also where a setting takes no effect in a
/// benchmark, and where there are peers and the backend is not the host.
Configuration configure(const SolveOptions& options, const std::string& backend);

/// Seconds of repetitions.
struct Times {
  std::vector<double> setup;
  std::vector<double> solve;

  double total() const;  ///< of the medians
};

/// What our solver did.
struct OurSolves {
  Times times;
  std::vector<double> updates;  ///< seconds of new values in the known pattern; empty without solver.reuse
  SolveResult result;
  HierarchySummary summary;
};

/// Where an elastic body's nodes lie; empty for other problems.
template <MemorySpace S>
MultiVector<double, S> nodes_of(Context<S>& ctx, const GeneratedProblem& problem);

/// Solves after one solve that warms up; ctx.profile() holds the last repetition.
/// @param coordinates  of the nodes of an elastic body, else empty
template <MemorySpace S>
OurSolves solve_repeatedly(Context<S>& ctx, const CsrMatrix<double, S>& A, const Configuration& configuration,
                           int repetitions, std::type_identity_t<MultiVectorView<const double, S>> coordinates = {});

struct PeerSolves {
  std::string peer;
  Times times;
  PeerResult result;
};

/// The same by the peers of the options, those of this rank. Collective.
std::vector<PeerSolves> solve_with_peers(const Ranks& ranks, const CsrMatrix<double, Host>& A, int threads,
                                         const SolverOptions& solver, const SolveOptions& options);

/// "setup_seconds" and "solve_seconds", medians, "iterations", "relative_residual".
nlohmann::json to_json(const Times& times, int iterations, double residual);

}  // namespace amgsolve::bench
