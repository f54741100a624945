#include "src/application/linear_system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/timer.hpp"
#include "problems/generate.hpp"
#include "problems/manufactured.hpp"
#include "problems/matrix_market.hpp"
#include "problems/right_hand_side.hpp"

namespace amgsolve {
namespace {

using Vectors = FatVector<double, Host>;

bool is_generated(const ProblemConfiguration& problem) { return problem.matrix.empty(); }

class SystemLoader {
 public:
  SystemLoader(Context<Host>& ctx, const ProblemConfiguration& problem, std::vector<std::string>& warnings)
      : ctx_(&ctx), problem_(&problem), warnings_(&warnings) {}

  LinearSystem load() {
    LinearSystem system;
    system.A = is_generated(*problem_) ? generate() : read_matrix();
    if (!problem_->near_nullspace.empty()) {
      system.near_nullspace = read_vectors_for(system.A.rows, problem_->near_nullspace);
    }
    system.b = right_hand_side(system.A.rows);
    system.x = initial_guess(system.b);
    return system;
  }

 private:
  CsrMatrix<double, Host> generate() {
    ctx_->notify({.phase = "generate"});
    const ScopedTimer timer(*ctx_, "generate");
    return generate_matrix<double>(*ctx_, problem_->generate);
  }

  CsrMatrix<double, Host> read_matrix() {
    MatrixMarketNotes notes;
    CsrMatrix<double, Host> A = read_matrix_market<double>(*ctx_, problem_->matrix, &notes);
    warn(notes, problem_->matrix);
    return A;
  }

  Vectors read_vectors_for(Index rows, const std::filesystem::path& file) {
    MatrixMarketNotes notes;
    Vectors x = read_vectors<double>(*ctx_, file, &notes);
    warn(notes, file);
    if (x.rows() != rows) {
      throw InputError(fmt::format("{}: vectors of {} rows for a matrix of {} rows", file.string(), x.rows(), rows));
    }
    return x;
  }

  Vectors right_hand_side(Index rows) {
    if (!problem_->rhs.file.empty()) {
      Vectors b = read_vectors_for(rows, problem_->rhs.file);
      if (problem_->columns != 1 && problem_->columns != b.columns()) {
        throw InputError(fmt::format("{}: {} columns; 'problem.columns' is {}", problem_->rhs.file.string(),
                                     b.columns(), problem_->columns));
      }
      project(b);
      return b;
    }
    const ScopedTimer timer(*ctx_, "generate");
    Vectors b(*ctx_, rows, problem_->columns);
    switch (problem_->rhs.word) {
      case RightHandSide::ones:
        ones_right_hand_side<double>(*ctx_, b);
        break;
      case RightHandSide::random:
        random_right_hand_side<double>(*ctx_, static_cast<std::uint64_t>(problem_->seed), b);
        break;
      case RightHandSide::manufactured:
        manufactured_right_hand_side<double>(*ctx_, problem_->generate, b);
        break;
    }
    project(b);
    return b;
  }

  Vectors initial_guess(const Vectors& b) {
    const auto& [word, file] = problem_->initial_guess;
    if (!file.empty()) {
      Vectors x = read_vectors_for(b.rows(), file);
      if (x.columns() != b.columns()) {
        throw InputError(fmt::format("{}: {} columns for {}", file.string(), x.columns(),
                                     format_count(b.columns(), "right-hand side")));
      }
      return x;
    }
    const ScopedTimer timer(*ctx_, "generate");
    Vectors x(*ctx_, b.rows(), b.columns());
    if (word == InitialGuess::random) {
      // Another seed than that of a random right-hand side.
      random_right_hand_side<double>(*ctx_, static_cast<std::uint64_t>(problem_->seed) + 1, x);
    } else {
      std::fill_n(x.data(), x.size(), 0.0);
    }
    return x;
  }

  /// A singular system has solutions only where b is in the range of the matrix.
  void project(Vectors& b) {
    if (!is_generated(*problem_) || !problem_->generate.is_singular()) {
      return;
    }
    subtract_mean<double>(*ctx_, b);
    if (!has_known_solution(*problem_)) {
      const bool nothing_left = std::all_of(b.data(), b.data() + b.size(), [](double x) { return x == 0.0; });
      warnings_->push_back(
          fmt::format("the matrix is singular (boundary {}): the mean of the right-hand side was subtracted{}",
                      to_string(problem_->generate.boundary), nothing_left ? ", which leaves zero" : ""));
    }
  }

  void warn(const MatrixMarketNotes& notes, const std::filesystem::path& file) {
    std::ranges::copy(amgsolve::describe(notes, file.string()), std::back_inserter(*warnings_));
  }

  Context<Host>* ctx_;
  const ProblemConfiguration* problem_;
  std::vector<std::string>* warnings_;
};

}  // namespace

bool has_known_solution(const ProblemConfiguration& problem) {
  return is_generated(problem) && problem.rhs.file.empty() && problem.rhs.word == RightHandSide::manufactured;
}

LinearSystem load_system(Context<Host>& ctx, const ProblemConfiguration& problem, std::vector<std::string>& warnings) {
  return SystemLoader(ctx, problem, warnings).load();
}

std::string describe(const ProblemConfiguration& problem) {
  if (!is_generated(problem)) {
    return problem.matrix.string();
  }
  const GeneratedProblem& generate = problem.generate;
  const std::span sizes(generate.grid.size.data(), static_cast<std::size_t>(generate.grid.dimensions));
  return fmt::format("{}, {} {}-point, {}, {}", to_string(generate.pde), to_string(generate.discretization),
                     generate.stencil_points(), fmt::join(sizes, " x "), to_string(generate.boundary));
}

std::optional<ImageGeometry> image_of(const ProblemConfiguration& problem) {
  if (!is_generated(problem)) {
    return std::nullopt;
  }
  const GeneratedProblem& generate = problem.generate;
  ImageGeometry image;
  image.grid = generate.grid;
  const double h = generate.spacing();
  image.spacing = {h, h, h};
  for (std::size_t d = 0; d < static_cast<std::size_t>(generate.grid.dimensions); ++d) {
    image.origin[d] = generate.first_unknown() * h;
  }
  return image;
}

}  // namespace amgsolve
