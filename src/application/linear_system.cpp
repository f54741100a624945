#include "src/application/linear_system.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "amg/candidates.hpp"
#include "amg/check_matrix.hpp"
#include "amg/connectivity.hpp"
#include "amg/measured_step.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/timer.hpp"
#include "dist/partition.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "problems/manufactured.hpp"
#include "problems/mesh_assembly.hpp"
#include "problems/mesh_file.hpp"
#include "problems/mesh_manufactured.hpp"
#include "problems/right_hand_side.hpp"
#include "problems/vector_file.hpp"
#include "spmv/transfer.hpp"
#include "src/application/lone_triangle.hpp"
#include "src/application/shared_lines.hpp"
#include "src/application/shared_matrix.hpp"
#include "src/application/shared_vectors.hpp"
#include "src/library/memory_plan.hpp"

namespace amgsolve {
namespace {

std::shared_ptr<const MeshProblem> read_mesh_problem(Context<Host>& host, const ProblemConfiguration& problem) {
  std::shared_ptr<MeshProblem> result;
  all_alike(host.communicator(), [&] {
    if (!problem.mesh.empty()) {
      require_file_for_ranks(host.communicator(), problem.mesh);
    }
    const Context<Host>::Alone alone(host);
    ElementsOfNodes around;
    Mesh mesh = problem.mesh.empty() ? generate_mesh(host, problem.domain, problem.h, around)
                                     : read_mesh(host, problem.mesh, around);
    result = std::make_shared<MeshProblem>(
        make_mesh_problem(host, std::move(mesh), std::move(around), problem.mesh_equation()));
    if (has_known_solution(problem)) {
      set_manufactured(host, *result);
    }
  });
  return result;
}

template <MemorySpace S>
GlobalRows<double, S> upload(Context<S>& ctx, const GlobalRows<double, Host>& rows) {
  return {upload(ctx, rows.row_offsets.span()), upload(ctx, rows.col_indices.span()), upload(ctx, rows.values.span())};
}

template <MemorySpace S>
class SystemLoader {
 public:
  SystemLoader(Context<S>& ctx, Context<Host>& host, const ProblemConfiguration& problem, MatrixSource& source,
               std::vector<std::string>& warnings)
      : ctx_(&ctx), host_(&host), problem_(&problem), source_(&source), warnings_(&warnings) {}

  LinearSystem<S> load(bool solves) {
    LinearSystem<S> system;
    system.mesh = source_->mesh();
    const Communicator& ranks = host_->communicator();
    if (ranks.size() == 1) {
      system.A = problem_->is_generated() ? generate() : read();
    } else {
      system.strip = problem_->is_generated() ? generate_own_rows() : read_own_rows();
    }
    const Partition partition(ranks, ranks.size() == 1 ? system.A.rows : system.strip.rows());
    rows_ = system.rows = {partition.first(ranks.rank()), partition.end(ranks.rank())};
    all_rows_ = partition.rows();
    if (ranks.size() > 1 && all_rows_ < ranks.size()) {
      warnings_->push_back(
          format_text("{} ranks share {}: some have none", ranks.size(), format_count(all_rows_, "row")));
    }
    const bool has_file = !problem_->near_nullspace.file.empty();
    if (has_file) {
      system.near_nullspace = own_vectors_from(problem_->near_nullspace.file);
    }
    if (problem_->has_rigid_body_modes() || (has_file && system.mesh && system.mesh->components > 1) ||
        (has_file && !problem_->coordinates.empty())) {
      system.coordinates = coordinates();
      if (problem_->near_nullspace.word == NearNullspace::rigid_body && system.coordinates.rows() == all_rows_) {
        throw ConfigurationError(
            "'problem.near_nullspace' is rigid_body, but the nodes of 'problem.coordinates' have one unknown each");
      }
    }
    if (solves) {
      system.b = right_hand_side();
      system.x = initial_guess(system.b);
    }
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
      auto on_host = read();
      for (const Profile::Node& phase : host_->profile().nodes()) {
        std::ranges::for_each(phase.notes, [&](const std::string& note) { ctx_->profile().note(note); });
      }
      return upload(*ctx_, on_host);
    }
  }

  CsrMatrix<double, S> read() {
    return in_space([&] { return source_->read(*host_, *warnings_); });
  }

  GlobalRows<double, S> read_own_rows() {
    return in_space([&] { return source_->read_own_rows(*host_, *warnings_); });
  }

  CsrMatrix<double, S> generate() {
    ctx_->notify({.phase = "generate"});
    const ScopedTimer timer(*ctx_, "generate");
    return generate_matrix<double>(*ctx_, problem_->generate);
  }

  RankRows<double, S> generate_own_rows() {
    ctx_->notify({.phase = "generate"});
    const ScopedTimer timer(*ctx_, "generate");
    const GeneratedProblem& generate = problem_->generate;
    return generate_strip<double>(*ctx_, generate, shared_rows(host_->communicator(), generate.unknowns()));
  }

  Vectors coordinates() {
    if (const std::filesystem::path& file = problem_->coordinates; !file.empty()) {
      Vectors x = in_space([&] { return read_whole(file, {}); });
      if (x.rows() == 0) {
        throw InputError(format_text("{}: expected coordinates of nodes, found none", file.string()));
      }
      return x;
    }
    if (const auto& mesh = source_->mesh()) {
      return in_space([&] { return free_points(*host_, *mesh); });
    }
    const ScopedTimer timer(*ctx_, "generate");
    const StructuredGrid& grid = problem_->generate.grid;
    Vectors x(*ctx_, checked_index(grid.unknowns(), "nodes whose coordinates every rank has"), grid.dimensions);
    grid_coordinates(*ctx_, problem_->generate, x.view());
    return x;
  }

  Index number_of_rows() const { return checked_index(all_rows_, "rows of vectors that every rank reads whole"); }
  Index own_rows() const { return static_cast<Index>(rows_.count()); }

  /// All rows of a file's vectors, on every rank.
  MultiVector<double, Host> read_whole(const std::filesystem::path& file, std::optional<Index> rows) {
    MultiVector<double, Host> x;
    all_alike(host_->communicator(), [&] {
      require_file_for_ranks(host_->communicator(), file);
      const Context<Host>::Alone alone(*host_);
      x = read_vectors<double>(*host_, file, warnings_, rows);
      if (x.columns() == 0) {
        throw InputError(format_text("{}: expected a vector a column, found no columns", file.string()));
      }
    });
    return x;
  }

  /// Vectors of which the rank has the rows that it has of A.
  Vectors own_vectors_from(const std::filesystem::path& file) {
    return in_space([&] {
      std::optional<MultiVector<double, Host>> own;
      if (host_->communicator().size() > 1) {
        const ScopedTimer timer(*host_, "read");
        own = read_shared_vectors(*host_, file, Partition(host_->communicator(), own_rows()));
      }
      return own ? std::move(*own) : own_part(read_whole(file, number_of_rows()));
    });
  }

  MultiVector<double, Host> own_part(MultiVector<double, Host> all) {
    if (own_rows() == all.rows()) {
      return all;
    }
    MultiVector<double, Host> own(*host_, own_rows(), all.columns());
    std::copy_n(all.data() + rows_.first * all.columns(), own.view().size(), own.data());
    return own;
  }

  /// What acts on the mesh, or what is asked for in place of that.
  Vectors mesh_right_hand_side(const MeshProblem& mesh, RightHandSide word) {
    return in_space([&] {
      MultiVector<double, Host> all(*host_, number_of_rows(), problem_->columns.value_or(1));
      if (word == RightHandSide::ones || word == RightHandSide::random) {
        if (word == RightHandSide::ones) {
          ones_right_hand_side(*host_, all.view());
        } else {
          random_right_hand_side(*host_, static_cast<std::uint64_t>(problem_->seed), all.view());
        }
        clear_fixed(*host_, mesh, all.view());
      } else {
        mesh_load(*host_, mesh, all.view());
      }
      return own_part(std::move(all));
    });
  }

  Vectors right_hand_side() {
    if (!problem_->rhs.file.empty()) {
      Vectors b = own_vectors_from(problem_->rhs.file);
      if (problem_->columns && *problem_->columns != b.columns()) {
        throw InputError(format_text("{}: {}; 'problem.columns' is {}", problem_->rhs.file.string(),
                                     format_count(b.columns(), "column"), *problem_->columns));
      }
      return b;
    }
    const ScopedTimer timer(*ctx_, "generate");
    const RightHandSide word = problem_->right_hand_side();
    if (const auto& mesh = source_->mesh()) {
      return mesh_right_hand_side(*mesh, word);
    }
    Vectors b(*ctx_, own_rows(), problem_->columns.value_or(1));
    switch (word) {
      case RightHandSide::automatic:
      case RightHandSide::ones:
        ones_right_hand_side(*ctx_, b.view());
        break;
      case RightHandSide::random:
        random_right_hand_side(*ctx_, static_cast<std::uint64_t>(problem_->seed), b.view(), rows_.first);
        break;
      case RightHandSide::manufactured:
        manufactured_right_hand_side(*ctx_, problem_->generate, b.view(), rows_);
        break;
      case RightHandSide::load:
        load_right_hand_side(*ctx_, problem_->generate, b.view(), rows_);
        break;
    }
    return b;
  }

  Vectors initial_guess(const Vectors& b) {
    const auto& [word, file] = problem_->initial_guess;
    if (!file.empty()) {
      Vectors x = own_vectors_from(file);
      if (x.columns() != b.columns()) {
        throw InputError(format_text("{}: {} for {}", file.string(), format_count(x.columns(), "column"),
                                     format_count(b.columns(), "right-hand side")));
      }
      return x;
    }
    const ScopedTimer timer(*ctx_, "generate");
    Vectors x(*ctx_, b.rows(), b.columns());
    if (word == InitialGuess::random) {
      // Another seed than that of a random right-hand side.
      random_right_hand_side(*ctx_, static_cast<std::uint64_t>(problem_->seed) + 1, x.view(), rows_.first);
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
  RowRange rows_{};            ///< of this rank
  std::int64_t all_rows_ = 0;  ///< of A
};

}  // namespace

MatrixSource::MatrixSource(Context<Host>& host, const ProblemConfiguration& problem) : problem_(&problem) {
  if (problem.has_mesh()) {
    mesh_ = read_mesh_problem(host, problem);
  } else if (is_file() && host.communicator().size() == 1) {
    file_.emplace(host, problem.matrix);
    size_of_file_ = file_->size();
    rows_of_file_ = size_of_file_.rows;
    bytes_to_read_ = file_->bytes_to_read(host);
  }
}

SystemSize MatrixSource::size(std::optional<Index> block_size) const {
  constexpr Index modes_in_plane = 3;
  constexpr Index modes_in_space = 6;
  SystemSize size{.columns = problem_->columns.value_or(1)};
  const Index expected = mesh_                         ? mesh_->components
                         : problem_->matrix.empty()    ? problem_->generate.components()
                         : problem_->has_coordinates() ? 3
                                                       : 1;
  size.block_size = block_size.value_or(expected);
  if (!problem_->near_nullspace.file.empty() || problem_->has_rigid_body_modes()) {
    size.candidates = size.block_size == 2 ? modes_in_plane : size.block_size == 3 ? modes_in_space : size.block_size;
  }
  if (is_file()) {
    size.rows = static_cast<double>(rows_of_file_);
    size.nnz = static_cast<double>(size_of_file_.nnz);
    size.reading = bytes_to_read_;
    return size;
  }
  if (mesh_) {
    size.rows = checked_index(mesh_->unknowns(), "unknowns of the mesh");
    size.nnz = mesh_->nonzeros();
    size.connectivity = mesh_->mesh.dimensions() == 3 ? Connectivity::space : Connectivity::plane;
    return size;
  }
  const GeneratedProblem& generate = problem_->generate;
  size.rows = static_cast<double>(generate.unknowns());
  size.nnz = generate.nonzeros();
  size.is_symmetric = generate.is_symmetric();
  size.has_whole_blocks = size.block_size == generate.components();
  size.is_grid = true;
  size.has_alike_rows = generate.components() == 1 && expects_alike_rows(static_cast<double>(generate.grid.size[0]));
  size.different_slices = generate.repeats_rows() ? repeated_slices : 1.0;
  size.connectivity = generate.grid.dimensions == 3 ? Connectivity::space
                      : generate.is_directed()      ? Connectivity::directed
                                                    : Connectivity::plane;
  return size;
}

SystemSize MatrixSource::size_of(Context<Host>& host, const CsrMatrix<double, Host>& A, const AmgOptions& amg) const {
  const MatrixFindings findings = check_matrix(host, A);
  const bool is_symmetric = findings.is_symmetric();
  const bool tells = !problem_->has_coordinates() && amg.unknowns == Numbering::by_node;
  const MatrixKind kind = is_symmetric ? MatrixKind::definite : MatrixKind::general;
  SystemSize result = size(tells ? find_unknowns_a_node(host, A, findings.magnitudes, 0, amg, kind) : amg.block_size);
  result.rows = A.rows;
  result.nnz = static_cast<double>(A.nnz());
  result.connectivity = connectivity_of(A);
  result.is_symmetric = is_symmetric;
  measure_patterns(host, A, result);
  return result;
}

void MatrixSource::require_memory(Context<Host>& host) const {
  if (!file_) {
    return;
  }
  const double needed = file_->bytes_beside_text(host.threads());
  const AvailableMemory available = host.memory().free();
  if (needed >= least_planned_bytes && needed > static_cast<double>(available.bytes)) {
    throw OutOfMemoryError(
        format_text("{}: not enough memory: about {} needed to read {} and {}, {} available: {}",
                    problem_->matrix.string(), format_bytes(static_cast<std::size_t>(needed)),
                    format_count(size_of_file_.rows, "row"), format_count(size_of_file_.nnz, "nonzero"),
                    format_bytes(available.bytes), available.limit),
        static_cast<std::size_t>(needed), available.bytes);
  }
}

CsrMatrix<double, Host> MatrixSource::read(Context<Host>& host, std::vector<std::string>& warnings) {
  if (mesh_) {
    const ScopedTimer timer(host, "generate");
    return mesh_matrix(host, *mesh_);
  }
  CsrMatrix<double, Host> A = file_->parse(host, warnings);
  file_.reset();
  warn_of_lone_triangle(host, A, problem_->matrix.string(), warnings);
  return A;
}

GlobalRows<double, Host> MatrixSource::read_own_rows(Context<Host>& host, std::vector<std::string>& warnings) {
  if (mesh_) {
    return shared_rows_of(host, read(host, warnings));
  }
  const Communicator& ranks = host.communicator();
  GlobalRows<double, Host> A = read_shared_matrix(host, problem_->matrix, warnings, bytes_to_read_);
  rows_of_file_ = ranks.sum(std::int64_t{A.rows()});
  warn_of_lone_triangle(host, A, shared_rows(ranks, rows_of_file_).first, problem_->matrix.string(), warnings);
  size_of_file_.nnz = ranks.sum(A.nnz());
  return A;
}

bool has_known_solution(const ProblemConfiguration& problem) {
  return problem.matrix.empty() && problem.rhs.file.empty() && problem.rhs.word == RightHandSide::manufactured;
}

template <MemorySpace S>
LinearSystem<S> load_system(Context<S>& ctx, Context<Host>& host, const ProblemConfiguration& problem,
                            MatrixSource& source, std::vector<std::string>& warnings, bool solves) {
  return SystemLoader<S>(ctx, host, problem, source, warnings).load(solves);
}

template LinearSystem<Host> load_system(Context<Host>&, Context<Host>&, const ProblemConfiguration&, MatrixSource&,
                                        std::vector<std::string>&, bool);
#if AMGSOLVE_HAVE_CUDA
template LinearSystem<Cuda> load_system(Context<Cuda>&, Context<Host>&, const ProblemConfiguration&, MatrixSource&,
                                        std::vector<std::string>&, bool);
#endif

std::string describe(const ProblemConfiguration& problem) {
  if (!problem.matrix.empty()) {
    return problem.matrix.string();
  }
  const GeneratedProblem& generate = problem.generate;
  if (problem.has_mesh()) {
    return format_text(
        "{}, p1, {}", to_string(generate.pde),
        problem.mesh.empty() ? format_text("{} of h {}", to_string(problem.domain), problem.h) : problem.mesh.string());
  }
  const std::span sizes(generate.grid.size.data(), static_cast<std::size_t>(generate.grid.dimensions));
  std::string detail;
  if (generate.pde == Pde::convection_diffusion) {
    detail = format_text(" ({}, Peclet {:g}, {})", to_string(generate.velocity), generate.peclet,
                         to_string(generate.scheme));
  } else if (generate.pde == Pde::elasticity) {
    detail = format_text(" ({}Poisson's ratio {:g})",
                         generate.grid.dimensions == 3 ? "" : format_text("plane {}, ", to_string(generate.body.plane)),
                         generate.body.poisson);
  }
  return format_text("{}{}, {} {}-point, {}, {}", to_string(generate.pde), detail, to_string(generate.discretization),
                     generate.stencil_points(), fmt::join(sizes, " x "), to_string(generate.boundary));
}

std::string describe_right_hand_side(const ProblemConfiguration& problem) {
  if (!problem.rhs.file.empty()) {
    return problem.rhs.file.string();
  }
  switch (problem.right_hand_side()) {
    case RightHandSide::automatic:
    case RightHandSide::ones:
      return "ones";
    case RightHandSide::random:
      return "random";
    case RightHandSide::load:
      return problem.has_mesh() ? "load" : to_string(problem.generate.body.load);
    case RightHandSide::manufactured:
      break;
  }
  return "manufactured";
}

std::string describe(const Mesh& mesh) {
  std::vector<std::string_view> names;
  for (const MeshGroup& group : mesh.groups) {
    if (std::ranges::find(names, group.name) == names.end()) {
      names.push_back(group.name);
    }
  }
  return format_text("{}, {}{}{}", format_count(mesh.nodes(), "node"),
                     mesh.dimensions() == 2 ? format_count(mesh.elements(), "triangle")
                     : mesh.elements() == 1 ? "1 tetrahedron"
                                            : format_text("{} tetrahedra", mesh.elements()),
                     names.empty() ? "" : ", groups ", fmt::join(names, ", "));
}

std::optional<ImageGeometry> image_of(const ProblemConfiguration& problem) {
  if (!problem.is_generated()) {
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
