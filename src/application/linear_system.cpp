#include "src/application/linear_system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/reduction.hpp"
#include "core/timer.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "problems/manufactured.hpp"
#include "problems/right_hand_side.hpp"
#include "problems/vector_file.hpp"
#include "spmv/transfer.hpp"
#include "src/library/memory_plan.hpp"

namespace amgsolve {
namespace {

bool is_generated(const ProblemConfiguration& problem) { return problem.matrix.empty(); }

template <MemorySpace S>
class SystemLoader {
 public:
  SystemLoader(Context<S>& ctx, Context<Host>& host, const ProblemConfiguration& problem, MatrixSource& source,
               std::vector<std::string>& warnings)
      : ctx_(&ctx), host_(&host), problem_(&problem), source_(&source), warnings_(&warnings) {}

  LinearSystem<S> load() {
    LinearSystem<S> system;
    system.A = is_generated(*problem_) ? generate() : in_space([&] { return source_->read(*host_, *warnings_); });
    const bool has_file = !problem_->near_nullspace.file.empty();
    if (has_file) {
      system.near_nullspace = vectors_from(problem_->near_nullspace.file, system.A.rows);
    }
    if (problem_->has_rigid_body_modes() || (has_file && !problem_->coordinates.empty())) {
      system.coordinates = coordinates();
    }
    system.b = right_hand_side(system.A.rows);
    system.x = initial_guess(system.b);
    return system;
  }

 private:
  using Vectors = MultiVector<double, S>;

  /// What read() reads on the host, in the context's space.
  template <class Read>
  auto in_space(Read&& read) {
    if constexpr (std::same_as<S, Host>) {
      return read();
    } else {
      const ScopedTimer timer(*ctx_, "read");  // the host's own is in a profile that nobody sees
      return upload(*ctx_, read());
    }
  }

  CsrMatrix<double, S> generate() {
    ctx_->notify({.phase = "generate"});
    const ScopedTimer timer(*ctx_, "generate");
    return generate_matrix<double>(*ctx_, problem_->generate);
  }

  Vectors coordinates() {
    if (const std::filesystem::path& file = problem_->coordinates; !file.empty()) {
      Vectors x = vectors_from(file, {});
      if (x.rows() == 0) {
        throw InputError(fmt::format("{}: expected coordinates of nodes, found none", file.string()));
      }
      return x;
    }
    const ScopedTimer timer(*ctx_, "generate");
    const StructuredGrid& grid = problem_->generate.grid;
    Vectors x(*ctx_, static_cast<Index>(grid.unknowns()), grid.dimensions);
    grid_coordinates(*ctx_, problem_->generate, x.view());
    return x;
  }

  Vectors vectors_from(const std::filesystem::path& file, std::optional<Index> rows) {
    return in_space([&] {
      MultiVector<double, Host> x = read_vectors<double>(*host_, file, warnings_, rows);
      if (x.columns() == 0) {
        throw InputError(fmt::format("{}: expected a vector a column, found no columns", file.string()));
      }
      return x;
    });
  }

  Vectors right_hand_side(Index rows) {
    if (!problem_->rhs.file.empty()) {
      Vectors b = vectors_from(problem_->rhs.file, rows);
      if (problem_->columns != 1 && problem_->columns != b.columns()) {
        throw InputError(fmt::format("{}: {}; 'problem.columns' is {}", problem_->rhs.file.string(),
                                     format_count(b.columns(), "column"), problem_->columns));
      }
      return b;
    }
    const ScopedTimer timer(*ctx_, "generate");
    Vectors b(*ctx_, rows, problem_->columns);
    switch (problem_->rhs.word) {
      case RightHandSide::ones:
        ones_right_hand_side(*ctx_, b.view());
        break;
      case RightHandSide::random:
        random_right_hand_side(*ctx_, static_cast<std::uint64_t>(problem_->seed), b.view());
        break;
      case RightHandSide::manufactured:
        manufactured_right_hand_side(*ctx_, problem_->generate, b.view());
        break;
      case RightHandSide::load:
        load_right_hand_side(*ctx_, problem_->generate, b.view());
        break;
    }
    return b;
  }

  Vectors initial_guess(const Vectors& b) {
    const auto& [word, file] = problem_->initial_guess;
    if (!file.empty()) {
      Vectors x = vectors_from(file, b.rows());
      if (x.columns() != b.columns()) {
        throw InputError(fmt::format("{}: {} for {}", file.string(), format_count(x.columns(), "column"),
                                     format_count(b.columns(), "right-hand side")));
      }
      return x;
    }
    const ScopedTimer timer(*ctx_, "generate");
    Vectors x(*ctx_, b.rows(), b.columns());
    if (word == InitialGuess::random) {
      // Another seed than that of a random right-hand side.
      random_right_hand_side(*ctx_, static_cast<std::uint64_t>(problem_->seed) + 1, x.view());
    } else {
      set_zero(*ctx_, x.view().span());
    }
    return x;
  }

  Context<S>* ctx_;
  Context<Host>* host_;
  const ProblemConfiguration* problem_;
  MatrixSource* source_;
  std::vector<std::string>* warnings_;
};

/// The rows of a rank, nearly as many as others have.
RowRange shared_rows(const Communicator& communicator, std::int64_t rows) {
  constexpr std::int64_t many_blocks = 16;
  const std::int64_t ranks = communicator.size();
  const std::int64_t unit = rows / reduction_block >= many_blocks * ranks ? reduction_block : 1;
  const auto first = [&](std::int64_t rank) { return rank < ranks ? rows / unit * rank / ranks * unit : rows; };
  return {first(communicator.rank()), first(communicator.rank() + 1)};
}

}  // namespace

MatrixSource::MatrixSource(Context<Host>& host, const ProblemConfiguration& problem) : problem_(&problem) {
  if (!is_generated(problem)) {
    file_.emplace(host, problem.matrix);
    size_of_file_ = file_->size();
  }
}

SystemSize MatrixSource::size(std::optional<Index> block_size) const {
  constexpr Index modes_in_plane = 3;
  constexpr Index modes_in_space = 6;
  SystemSize size{.columns = problem_->columns};
  const Index expected = problem_->matrix.empty()      ? problem_->generate.components()
                         : problem_->has_coordinates() ? 3
                                                       : 1;
  size.block_size = block_size.value_or(expected);
  if (!problem_->near_nullspace.file.empty() || problem_->has_rigid_body_modes()) {
    size.candidates = size.block_size == 2 ? modes_in_plane : size.block_size == 3 ? modes_in_space : size.block_size;
  }
  if (file_) {
    size.rows = size_of_file_.rows;
    size.nnz = static_cast<double>(size_of_file_.nnz);
    return size;
  }
  const GeneratedProblem& generate = problem_->generate;
  size.rows = checked_index(generate.unknowns(), "unknowns of the grid");
  size.nnz = generate.nonzeros();
  size.is_symmetric = generate.is_symmetric();
  size.connectivity = generate.grid.dimensions == 3 ? Connectivity::space
                      : generate.is_directed()      ? Connectivity::directed
                                                    : Connectivity::plane;
  return size;
}

void MatrixSource::require_memory(Context<Host>& host) const {
  if (!file_) {
    return;
  }
  const auto& [rows, entries] = size_of_file_;
  const auto nnz = static_cast<double>(entries);
  constexpr double triplet = 2.0 * sizeof(Index) + sizeof(double);
  constexpr double entry = sizeof(Index) + sizeof(double);
  constexpr double row = sizeof(Offset);
  // Each thread counts all rows, as far as that takes no more than the entries.
  const double counts = std::min(nnz, static_cast<double>(rows) * host.threads());
  const double needed = (triplet + entry) * nnz + row * (rows + counts);
  const AvailableMemory available = host.memory().free();
  if (needed >= least_planned_bytes && needed > static_cast<double>(available.bytes)) {
    throw OutOfMemoryError(fmt::format("{}: not enough memory: about {} needed to read {} and {}, {} available: {}",
                                       problem_->matrix.string(), format_bytes(static_cast<std::size_t>(needed)),
                                       format_count(rows, "row"), format_count(entries, "nonzero"),
                                       format_bytes(available.bytes), available.limit),
                           static_cast<std::size_t>(needed), available.bytes);
  }
}

CsrMatrix<double, Host> MatrixSource::read(Context<Host>& host, std::vector<std::string>& warnings) {
  CsrMatrix<double, Host> A = file_->parse(host, warnings);
  file_.reset();
  return A;
}

SharedSystem load_shared_system(Context<Host>& ctx, const ProblemConfiguration& problem) {
  if (!is_generated(problem) || !problem.rhs.file.empty() || !problem.initial_guess.file.empty() ||
      !problem.near_nullspace.file.empty() || !problem.coordinates.empty()) {
    throw ConfigurationError("several ranks read no files yet: they solve 'problem.generate' only");
  }
  ctx.notify({.phase = "generate"});
  const ScopedTimer timer(ctx, "generate");
  const GeneratedProblem& generate = problem.generate;
  SharedSystem system;
  system.rows = shared_rows(ctx.communicator(), generate.unknowns());
  system.A = with_wide_columns(ctx, generate_matrix<double>(ctx, generate, system.rows));
  const auto rows = static_cast<Index>(system.rows.count());
  system.b = MultiVector<double, Host>(ctx, rows, problem.columns);
  switch (problem.rhs.word) {
    case RightHandSide::ones:
      ones_right_hand_side(ctx, system.b.view());
      break;
    case RightHandSide::random:
      random_right_hand_side(ctx, static_cast<std::uint64_t>(problem.seed), system.b.view(), system.rows.first);
      break;
    case RightHandSide::manufactured:
      manufactured_right_hand_side(ctx, generate, system.b.view(), system.rows);
      break;
    case RightHandSide::load:
      load_right_hand_side(ctx, generate, system.b.view(), system.rows);
      break;
  }
  system.x = MultiVector<double, Host>(ctx, rows, problem.columns);
  if (problem.initial_guess.word == InitialGuess::random) {
    random_right_hand_side(ctx, static_cast<std::uint64_t>(problem.seed) + 1, system.x.view(), system.rows.first);
  } else {
    set_zero(ctx, system.x.view().span());
  }
  if (problem.has_rigid_body_modes()) {
    const StructuredGrid& grid = generate.grid;
    system.coordinates = MultiVector<double, Host>(ctx, static_cast<Index>(grid.unknowns()), grid.dimensions);
    grid_coordinates(ctx, generate, system.coordinates.view());
  }
  return system;
}

bool has_known_solution(const ProblemConfiguration& problem) {
  return is_generated(problem) && problem.rhs.file.empty() && problem.rhs.word == RightHandSide::manufactured;
}

template <MemorySpace S>
LinearSystem<S> load_system(Context<S>& ctx, Context<Host>& host, const ProblemConfiguration& problem,
                            MatrixSource& source, std::vector<std::string>& warnings) {
  return SystemLoader<S>(ctx, host, problem, source, warnings).load();
}

template LinearSystem<Host> load_system(Context<Host>&, Context<Host>&, const ProblemConfiguration&, MatrixSource&,
                                        std::vector<std::string>&);
#if AMGSOLVE_HAVE_CUDA
template LinearSystem<Cuda> load_system(Context<Cuda>&, Context<Host>&, const ProblemConfiguration&, MatrixSource&,
                                        std::vector<std::string>&);
#endif

std::string describe(const ProblemConfiguration& problem) {
  if (!is_generated(problem)) {
    return problem.matrix.string();
  }
  const GeneratedProblem& generate = problem.generate;
  const std::span sizes(generate.grid.size.data(), static_cast<std::size_t>(generate.grid.dimensions));
  std::string detail;
  if (generate.pde == Pde::convection_diffusion) {
    detail = fmt::format(" ({}, Peclet {:g}, {})", to_string(generate.velocity), generate.peclet,
                         to_string(generate.scheme));
  } else if (generate.pde == Pde::elasticity) {
    detail = fmt::format(" ({}Poisson's ratio {:g})",
                         generate.grid.dimensions == 3 ? "" : fmt::format("plane {}, ", to_string(generate.body.plane)),
                         generate.body.poisson);
  }
  return fmt::format("{}{}, {} {}-point, {}, {}", to_string(generate.pde), detail, to_string(generate.discretization),
                     generate.stencil_points(), fmt::join(sizes, " x "), to_string(generate.boundary));
}

std::string describe_right_hand_side(const ProblemConfiguration& problem) {
  if (!problem.rhs.file.empty()) {
    return problem.rhs.file.string();
  }
  switch (problem.rhs.word) {
    case RightHandSide::ones:
      return "ones";
    case RightHandSide::random:
      return "random";
    case RightHandSide::load:
      return to_string(problem.generate.body.load);
    case RightHandSide::manufactured:
      break;
  }
  return "manufactured";
}

std::optional<ImageGeometry> image_of(const ProblemConfiguration& problem) {
  if (!is_generated(problem)) {
    return std::nullopt;
  }
  const GeneratedProblem& generate = problem.generate;
  ImageGeometry image;
  image.grid = generate.grid;
  image.components = generate.components();
  const double h = generate.spacing();
  image.spacing = {h, h, h};
  for (std::size_t d = 0; d < static_cast<std::size_t>(generate.grid.dimensions); ++d) {
    image.origin[d] = generate.first_unknown(static_cast<int>(d)) * h;
  }
  return image;
}

}  // namespace amgsolve
