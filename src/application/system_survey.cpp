#include "src/application/system_survey.hpp"

#include <utility>

#include "amg/solver.hpp"
#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "src/application/file_at_fault.hpp"
#include "src/application/linear_system.hpp"
#include "src/application/shared_lines.hpp"
#include "src/application/shared_matrix.hpp"
#include "src/application/small_copies.hpp"

namespace amgsolve {
namespace {

/// Of a system that has been read, by the first steps of its setup where there is memory for them.
SystemSize size_by_first_steps(const JobConfiguration& configuration, const MatrixSource& source,
                               const LinearSystem<Host>& system, const Context<Host>& host, bool on_host,
                               std::vector<std::string>& warnings) {
  Context<Host> beside(host.threads());  // whose peak is not that of a run
  SystemSize size = source.size_of(beside, system.A, configuration.amg);
  size.columns = system.b.columns();
  try {
    AmgSolver<double, Host> solver(configuration.amg, configuration.solver);
    solver.survey(beside, system.A, std::as_const(system.near_nullspace), std::as_const(system.coordinates), size);
    if (!on_host) {
      size.forget_stored_bytes();
    }
  } catch (const OutOfMemoryError&) {  // so a guess has to do
  } catch (const BreakdownError& error) {
    warnings.push_back(failure_ahead(error));
  }
  return size;
}

}  // namespace

SystemSize measured_size(const JobConfiguration& configuration, const Context<Host>& host, bool on_host,
                         SystemSize size) {
  measure_on_copies(configuration, host, size);
  if (!on_host) {
    size.forget_stored_bytes();
  }
  return size;
}

SystemSize surveyed_size(const JobConfiguration& configuration, Context<Host>& host, const Communicator& ranks,
                         bool on_host, std::vector<std::string>& warnings) {
  const ProblemConfiguration& problem = configuration.problem;
  SystemSize size;
  all_alike(ranks, [&] {
    require_file_for_ranks(ranks, problem.matrix);
    require_file_for_ranks(ranks, problem.mesh);
    const Context<Host>::Alone alone(host);
    MatrixSource source(host, problem);
    size = source.size(configuration.amg.block_size);
    if (problem.is_generated()) {
      try {
        size = measured_size(configuration, host, on_host, size);
      } catch (const OutOfMemoryError&) {  // so a guess has to do
      } catch (const Error& error) {
        warnings.push_back(format_text("a small copy of this problem ends with: {}", error.what()));
      }
    }
    if (!source.is_file()) {
      return;
    }
    source.require_memory(host);
    if (ranks.size() > 1) {
      const CsrMatrix<double, Host> A = source.read(host, warnings);
      naming_the_file(problem, [&] { size = source.size_of(host, A, configuration.amg); });
      size.reading = bytes_to_read_shared(host, problem.matrix, size.reading, size.rows, size.nnz, ranks.size());
      return;
    }
    const LinearSystem<Host> system = load_system(host, host, problem, source, warnings);
    naming_the_file(problem,
                    [&] { size = size_by_first_steps(configuration, source, system, host, on_host, warnings); });
  });
  return size;
}

std::string failure_ahead(const BreakdownError& error) { return format_text("a run will end with: {}", error.what()); }

}  // namespace amgsolve
