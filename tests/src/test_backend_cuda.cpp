#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <amgsolve/amgsolve.hpp>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "core/device.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "problems/right_hand_side.hpp"
#include "spmv/conversions.hpp"
#include "spmv/operator.hpp"
#include "tests/reference/meshes.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/src/job_fixture.hpp"

namespace amgsolve {
namespace {

using nlohmann::json;
using testing::HasSubstr;

void skip_without_device() {
  if (device_count() == 0) {
    GTEST_SKIP() << device_problem();
  }
}

class CudaJob : public JobFixture {
 protected:
  void SetUp() override { skip_without_device(); }

  /// Runs the job on both backends and expects the same hierarchy and, within rounding, the same course.
  void expect_backends_agree() {
    configuration_.backend = Backend::host;
    ASSERT_EQ(run(), 0) << errors_;
    const json host = report();
    configuration_.backend = Backend::cuda;
    ASSERT_EQ(run(), 0) << errors_;
    const json device = report();
    ASSERT_EQ(device["levels"].size(), host["levels"].size());
    for (std::size_t l = 0; l < host["levels"].size(); ++l) {
      EXPECT_EQ(device["levels"][l]["rows"], host["levels"][l]["rows"]) << "level " << l;
      EXPECT_EQ(device["levels"][l]["nnz"], host["levels"][l]["nnz"]) << "level " << l;
    }
    EXPECT_LE(std::abs(int{device["iterations"]} - int{host["iterations"]}), 1);
    EXPECT_LE(device["relative_residual"], default_tolerance<double>);
    EXPECT_EQ(device["problem"]["nnz"], host["problem"]["nnz"]);
  }
};

TEST_F(CudaJob, AgreesWithTheHostOnGeneratedProblems) {
  configuration_.problem.generate = reference::poisson(reference::grid({31, 29, 23}), Discretization::q1);
  configuration_.problem.rhs.word = RightHandSide::random;
  configuration_.problem.initial_guess.word = InitialGuess::random;
  configuration_.problem.columns = 3;
  expect_backends_agree();
}

TEST_F(CudaJob, AgreesWithTheHostOnSingularProblems) {
  configuration_.problem.generate.boundary = Boundary::neumann;
  configuration_.problem.rhs.word = RightHandSide::manufactured;
  expect_backends_agree();
}

TEST_F(CudaJob, AgreesWithTheHostOnFiles) {
  Context<Host> host;
  const auto A = generate_matrix<double>(host, configuration_.problem.generate);
  write_matrix_market(host, file("A.mtx"), A);
  configuration_.problem.generate = ProblemConfiguration().generate;
  configuration_.problem.matrix = file("A.mtx");
  expect_backends_agree();
}

TEST_F(CudaJob, AgreesWithTheHostOnMeshes) {
  configuration_.problem.generate = ProblemConfiguration().generate;
  configuration_.problem.generate.pde = Pde::elasticity;
  configuration_.problem.conditions = {
      .fixed = {{"boundary", {0.0}}}, .flux = {}, .source = {{"domain", {1.0}}}, .regions = {}};
  for (const int dimensions : {2, 3}) {
    Context<Host> host;
    const Mesh mesh = reference::box_mesh(host, dimensions, dimensions == 2 ? 32 : 10, 0.15);
    configuration_.problem.mesh = directory_.write("box.txt", reference::text_of(mesh));
    configuration_.output.solution = file("u.vtu");
    expect_backends_agree();
  }
  configuration_.problem.conditions = {};
  configuration_.problem.rhs.word = RightHandSide::manufactured;
  expect_backends_agree();
  EXPECT_LT(report()["problem"]["discretization_error"][0]["l2"], 0.1);
}

TEST_F(CudaJob, ReportsTheDeviceItsMemoryAndTimes) {
  configuration_.backend = Backend::automatic;
  ASSERT_EQ(run(), 0) << errors_;
  EXPECT_THAT(output_, testing::StartsWith("Device "));
  EXPECT_THAT(output_, HasSubstr("peak device memory"));
  const json report = this->report();
  EXPECT_EQ(report["backend"], "cuda");
  EXPECT_EQ(report["machine"]["device"]["name"], describe_device().name);
  EXPECT_GT(report["memory"]["peak_bytes"], 5860 * 12);
  EXPECT_GT(report["setup"]["seconds"], 0.0);
  EXPECT_GT(report["solve"]["seconds"], 0.0);
}

TEST_F(CudaJob, WritesTheSolution) {
  configuration_.backend = Backend::cuda;
  for (const char* name : {"u.npy", "u.mtx", "u.vti"}) {
    configuration_.output.solution = file(name);
    EXPECT_EQ(run(), 0) << name;
    EXPECT_GT(std::filesystem::file_size(file(name)), 1200U) << name;
  }
}

TEST_F(CudaJob, GivesTheSameBitsEveryTime) {
  configuration_.backend = Backend::cuda;
  configuration_.problem.generate.grid = reference::grid({31, 29, 23});
  configuration_.problem.rhs.word = RightHandSide::random;
  configuration_.output.solution = file("one.npy");
  ASSERT_EQ(run(), 0);
  configuration_.output.solution = file("two.npy");
  ASSERT_EQ(run(), 0);
  EXPECT_TRUE(reference::bytes_of_file(file("one.npy")) == reference::bytes_of_file(file("two.npy")));
}

TEST_F(CudaJob, TellsWhereMemoryRanOut) {
  configuration_.backend = Backend::cuda;
  configuration_.problem.generate.grid = reference::grid({100, 100});
  bool is_on_level = false;
  for (std::int64_t limit = 1'000'000;; limit += 200'000) {
    configuration_.memory_limit = limit;
    const int exit_code = run();
    if (exit_code == 0) {
      break;
    }
    ASSERT_EQ(exit_code, 4) << limit;
    EXPECT_THAT(errors_, HasSubstr("out of device memory in ")) << limit;
    EXPECT_EQ(report()["status"], "out_of_memory") << limit;
    is_on_level = is_on_level ||
                  (errors_.find("in setup > ") != std::string::npos && errors_.find("(level 0)") != std::string::npos);
  }
  EXPECT_TRUE(is_on_level) << errors_;
}

TEST_F(CudaJob, RefusesADeviceThatDoesNotExist) {
  configuration_.backend = Backend::cuda;
  configuration_.device = device_count();
  EXPECT_EQ(run(), 6);
  EXPECT_THAT(errors_, HasSubstr("choose 0 to " + std::to_string(device_count() - 1)));
  EXPECT_EQ(report()["status"], "device_failed");
}

/// A stream that ends with the test.
class Stream {
 public:
  Stream() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

template <class T>
class CudaSolver : public testing::Test {
 protected:
  void SetUp() override { skip_without_device(); }

  static constexpr double tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-9;

  static Options options() {
    Options result;
    result.set("solver.backend", "cuda").set("solver.tolerance", tolerance).set("amg.coarse_size", 50);
    return result;
  }

  static CsrMatrix<T, Cuda> poisson(Context<Cuda>& ctx) {
    return generate_matrix<T>(ctx, reference::poisson(reference::grid({40, 40}), Discretization::fd));
  }

  template <class V, MemorySpace S>
  static std::span<const V> span_of(const Buffer<V, S>& x) {
    return {x.data(), x.size()};
  }

  template <MemorySpace S>
  static CsrView<T, std::int64_t> view_of(const CsrMatrix<T, S>& A) {
    return {A.rows,
            A.cols,
            span_of(A.row_offsets),
            span_of(A.col_indices),
            span_of(A.values),
            std::same_as<S, Cuda> ? MemoryKind::device : MemoryKind::host};
  }
};

using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaSolver, Values);

TYPED_TEST(CudaSolver, TakesNewValuesOnTheDevice) {
  using T = TypeParam;
  const Stream stream;
  Context<Cuda> ctx(-1, stream.get());
  const auto A = this->poisson(ctx);
  const auto stiffer = reference::upload(ctx, [&] {
    auto host = reference::download(ctx, A);
    for (T& value : host.values.span()) {
      value *= T{3};
    }
    return host;
  }());
  MultiVector<T, Cuda> b(ctx, A.rows, 1);
  random_right_hand_side(ctx, 1, b.view());
  for (const char* reuse : {"none", "pattern", "hierarchy"}) {
    MultiVector<T, Cuda> x(ctx, A.rows, 1);
    set_zero(ctx, x.view().span());
    Solver<T> solver(this->options().set("solver.reuse", reuse), stream.get());
    solver.setup(this->view_of(A));
    solver.update_values(this->view_of(stiffer));
    const Result result = solver.solve({b.data(), b.size()}, std::span<T>(x.data(), x.size()), 1, MemoryKind::device);
    EXPECT_EQ(result.status, Status::converged) << reuse << ": " << result.message;
    EXPECT_LE(result.relative_residual, this->tolerance) << reuse;
  }
}

TYPED_TEST(CudaSolver, UsesDeviceArraysWhereTheyAreOnTheCallersStream) {
  using T = TypeParam;
  const Stream stream;
  Context<Cuda> ctx(-1, stream.get());
  const auto A = this->poisson(ctx);
  MultiVector<T, Cuda> b(ctx, A.rows, 2);
  MultiVector<T, Cuda> x(ctx, A.rows, 2);
  random_right_hand_side(ctx, 1, b.view());
  set_zero(ctx, x.view().span());
  Solver<T> solver(this->options(), stream.get());
  solver.setup(this->view_of(A));
  const Result result = solver.solve({b.data(), b.size()}, std::span<T>(x.data(), x.size()), 2, MemoryKind::device);
  EXPECT_EQ(result.status, Status::converged) << result.message;

  // The same from the host gives the same bits.
  const std::vector<T> b_host = reference::download(ctx, b);
  std::vector<T> x_host(b_host.size(), T{0});
  const auto A_host = reference::download(ctx, A);
  Solver<T> other(this->options());
  other.setup(CsrView<T, std::int64_t>{A_host.rows,
                                       A_host.cols,
                                       {A_host.row_offsets.data(), A_host.row_offsets.size()},
                                       {A_host.col_indices.data(), A_host.col_indices.size()},
                                       {A_host.values.data(), A_host.values.size()}});
  EXPECT_EQ(other.solve(b_host, x_host, 2).iterations, result.iterations);
  EXPECT_EQ(reference::download(ctx, x), x_host);
  const auto peak = [](const Solver<T>& s) -> std::size_t {
    return json::parse(s.report_json())["memory"]["peak_bytes"];
  };
  EXPECT_LE(peak(solver) + A.bytes(), peak(other)) << "borrowed arrays are not copied";
}

TYPED_TEST(CudaSolver, CopiesAMatrixThatWillGo) {
  using T = TypeParam;
  const Stream stream;
  Context<Cuda> ctx(-1, stream.get());
  Solver<T> solver(this->options(), stream.get());
  {
    auto A = this->poisson(ctx);
    CsrView<T, std::int64_t> view = this->view_of(A);
    view.ownership = Ownership::copy;
    solver.setup(view);
    set_zero(ctx, A.values.span());
  }
  const std::vector<T> b(1600, T{1});
  std::vector<T> x(1600, T{0});
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
}

TYPED_TEST(CudaSolver, TakesNarrowOffsetsOnTheDevice) {
  using T = TypeParam;
  const Stream stream;
  Context<Cuda> ctx(-1, stream.get());
  const auto A = this->poisson(ctx);
  const std::vector<Offset> wide = reference::download(ctx, A.row_offsets.span());
  const auto narrow = reference::upload_buffer(ctx, std::vector<std::int32_t>(wide.begin(), wide.end()));
  Solver<T> solver(this->options(), stream.get());
  solver.setup(CsrView<T, std::int32_t>{A.rows, A.cols, this->span_of(narrow), this->span_of(A.col_indices),
                                        this->span_of(A.values), MemoryKind::device});
  const std::vector<T> b(1600, T{1});
  std::vector<T> x(1600, T{0});
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
}

TYPED_TEST(CudaSolver, PreconditionsInEitherMemory) {
  using T = TypeParam;
  const Stream stream;
  Context<Cuda> ctx(-1, stream.get());
  const auto A = this->poisson(ctx);
  MultiVector<T, Cuda> r(ctx, A.rows, 2);
  MultiVector<T, Cuda> z(ctx, A.rows, 2);
  random_right_hand_side(ctx, 1, r.view());
  Solver<T> solver(this->options(), stream.get());
  solver.setup(this->view_of(A));
  solver.precondition({r.data(), r.size()}, std::span<T>(z.data(), z.size()), 2, MemoryKind::device);
  const std::vector<T> r_host = reference::download(ctx, r);
  std::vector<T> z_host(r_host.size(), T{0});
  solver.precondition(r_host, z_host, 2);
  EXPECT_EQ(reference::download(ctx, z), z_host);
  EXPECT_NE(z_host, r_host);
}

TYPED_TEST(CudaSolver, SolvesWithAMatrixThatIsNotAssembledOnTheStream) {
  using T = TypeParam;
  const Stream stream;
  Context<Cuda> ctx(-1, stream.get());
  const auto A = this->poisson(ctx);
  const std::vector<T> b(1600, T{1});
  std::vector<T> x(1600, T{0});
  std::vector<T> y(1600, T{0});
  Solver<T> solver(this->options(), stream.get());
  solver.setup(this->view_of(A));
  const Result assembled = solver.solve(b, x);
  const Operator<T, Cuda> same(ctx, borrow(A), Storage::csr);
  SolveSettings<T> settings;
  settings.product = [&](const T* in, T* out, int columns, void* given) {
    EXPECT_EQ(given, stream.get());
    same.apply(ctx, T{1}, {in, 1600, columns}, T{0}, {out, 1600, columns});
  };
  const Result free = solver.solve(b, y, settings);
  EXPECT_EQ(free.status, Status::converged) << free.message;
  EXPECT_LE(free.relative_residual, this->tolerance);
  EXPECT_EQ(free.iterations, assembled.iterations);
}

TYPED_TEST(CudaSolver, HandsOutLevelMatrices) {
  using T = TypeParam;
  Context<Cuda> ctx;
  const auto A = this->poisson(ctx);
  const auto A_host = reference::download(ctx, A);
  for (const char* storage : {"csr", "ell", "sell"}) {
    Solver<T> solver(this->options().set("amg.storage", storage));
    Solver<T> host(this->options().set("amg.storage", storage).set("solver.backend", "host"));
    ctx.synchronize();
    solver.setup(this->view_of(A));
    host.setup(CsrView<T, std::int64_t>{A_host.rows,
                                        A_host.cols,
                                        {A_host.row_offsets.data(), A_host.row_offsets.size()},
                                        {A_host.col_indices.data(), A_host.col_indices.size()},
                                        {A_host.values.data(), A_host.values.size()}});
    EXPECT_EQ(solver.hierarchy().levels[0].storage, storage);
    for (const LevelMatrix part : {LevelMatrix::A, LevelMatrix::P, LevelMatrix::R}) {
      const CsrArrays<T> there = solver.level_matrix(0, part);
      const CsrArrays<T> here = host.level_matrix(0, part);
      EXPECT_EQ(there.rows, here.rows);
      EXPECT_EQ(there.cols, here.cols);
      EXPECT_EQ(there.row_offsets, here.row_offsets);
      EXPECT_EQ(there.col_indices, here.col_indices);
      EXPECT_EQ(there.values.size(), here.values.size());
      if (part == LevelMatrix::A) {
        EXPECT_EQ(there.values, here.values);
      }
    }
  }
}

TYPED_TEST(CudaSolver, RefusesHostPointersAsDeviceMemory) {
  using T = TypeParam;
  Context<Cuda> ctx;
  auto A = this->poisson(ctx);
  ctx.synchronize();
  const std::vector<T> values(A.values.size(), T{1});
  CsrView<T, std::int64_t> view = this->view_of(A);
  view.values = values;
  Solver<T> solver(this->options());
  try {
    solver.setup(view);
    FAIL() << "took a host array for device memory";
  } catch (const Exception& error) {
    EXPECT_EQ(error.status(), Status::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("values is a host pointer"));
  }
  solver.setup(this->view_of(A));
  const std::vector<T> b(1600, T{1});
  std::vector<T> x(1600, T{0});
  EXPECT_THROW(solver.solve(b, x, 1, MemoryKind::device), Exception);
  EXPECT_EQ(solver.solve(b, x).status, Status::converged) << "the solver works on";
}

TYPED_TEST(CudaSolver, LeavesACaptureOfItsStreamAsItIs) {
  using T = TypeParam;
  const Stream stream;
  Context<Cuda> ctx(-1, stream.get());
  const auto A = this->poisson(ctx);
  Solver<T> solver(this->options(), stream.get());
  solver.setup(this->view_of(A));
  const std::vector<T> b(1600, T{1});
  std::vector<T> x(1600, T{0});
  ASSERT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed), cudaSuccess);
  try {
    solver.solve(b, x);
    ADD_FAILURE() << "solved in a capture";
  } catch (const Exception& error) {
    EXPECT_EQ(error.status(), Status::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("captured into a graph"));
  }
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream.get(), &graph), cudaSuccess) << "the capture is as it was";
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(solver.solve(b, x).status, Status::converged) << "the solver works on";
}

// On machines with one device it tells less.
TYPED_TEST(CudaSolver, WorksOnItsDeviceAndLeavesTheThreadItsOwn) {
  using T = TypeParam;
  Context<Host> host;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({40, 40}), Discretization::fd));
  const auto n = static_cast<std::size_t>(A.rows);
  const std::vector<T> b(n, T{1});
  const auto current = [] {
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    return device;
  };
  const int last = device_count() - 1;
  std::vector<std::unique_ptr<Solver<T>>> solvers;
  for (const int device : {0, last}) {
    solvers.push_back(std::make_unique<Solver<T>>(this->options().set("solver.device", device)));
    EXPECT_EQ(current(), 0);
  }
  std::vector<std::vector<T>> solutions;
  for (const int of_thread : {0, last}) {
    ASSERT_EQ(cudaSetDevice(of_thread), cudaSuccess);
    for (auto& solver : solvers) {
      solver->setup(this->view_of(A));
      std::vector<T>& x = solutions.emplace_back(n, T{0});
      EXPECT_EQ(solver->solve(b, x).status, Status::converged);
      solver->level_matrix(0, LevelMatrix::A);
      Solver<T> sharing = solver->share();
      EXPECT_EQ(sharing.solve(b, solutions.emplace_back(n, T{0})).status, Status::converged);
      EXPECT_EQ(current(), of_thread);
    }
  }
  for (const auto& x : solutions) {
    EXPECT_EQ(x, solutions.front());
  }
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  std::thread([&] { solvers.clear(); }).join();
  EXPECT_EQ(current(), 0);
}

TYPED_TEST(CudaSolver, RefusesDevicePointersAsHostMemoryAndThoseBetweenValues) {
  using T = TypeParam;
  Context<Cuda> ctx;
  const auto A = this->poisson(ctx);
  MultiVector<T, Cuda> x(ctx, A.rows, 2);
  set_zero(ctx, x.view().span());
  ctx.synchronize();
  Solver<T> solver(this->options());
  const auto expect_refused = [](const char* message, auto&& call) {
    try {
      call();
      ADD_FAILURE() << "taken; expected: " << message;
    } catch (const Exception& error) {
      EXPECT_EQ(error.status(), Status::bad_input);
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  };
  CsrView<T, std::int64_t> view = this->view_of(A);
  view.memory = MemoryKind::host;
  expect_refused("row_offsets is device memory", [&] { solver.setup(view); });
  view = this->view_of(A);
  view.values = {reinterpret_cast<const T*>(reinterpret_cast<const char*>(A.values.data()) + 2), A.values.size()};
  expect_refused("values does not begin at a multiple of", [&] { solver.setup(view); });
  solver.setup(this->view_of(A));
  const std::vector<T> b(1600, T{1});
  const ArrayView<T> column(x.data(), b.size());
  expect_refused("x is device memory", [&] { solver.solve(b, column); });
  expect_refused("z is device memory", [&] { solver.precondition(b, column); });
  std::vector<T> host_x(1600, T{0});
  EXPECT_EQ(solver.solve(b, host_x).status, Status::converged) << "the solver works on";
}

}  // namespace
}  // namespace amgsolve
