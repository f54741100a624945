#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <petscksp.h>

#include <algorithm>
#include <amgsolve/petsc.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "tests/reference/matrices.hpp"
#include "tests/src/own_matrix.hpp"

// The adapter to PETSc on toys (tests/reference/toy_petsc): what is called, and what goes through.
namespace amgsolve {
namespace {

using testing::HasSubstr;

/// One process, which has nobody to send messages to.
class Alone final : public ProcessGroup {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(std::int64_t*, std::size_t) const override {}
  std::int64_t max(std::int64_t x) const override { return x; }
  void gather(const std::byte* own, const std::vector<std::size_t>& lengths, std::byte* all) const override {
    std::copy_n(own, lengths.at(0), all);
  }
  void exchange(const std::vector<Outgoing>&, const std::vector<Incoming>&) const override {}
};

class PetscAdapter : public testing::Test {
 protected:
  PetscAdapter() {
    A_.row_offsets = matrix_.row_offsets;
    A_.col_indices = matrix_.col_indices;
    A_.values = matrix_.values;
    pc_.A = &A_;
    EXPECT_EQ(use_as_preconditioner(&pc_, small_options()), 0);
  }
  ~PetscAdapter() override { EXPECT_EQ(pc_.destroy(&pc_), 0); }

  std::vector<double> applied(PetscErrorCode (*apply)(PC, Vec, Vec) = nullptr) {
    ToyVec r{r_};
    ToyVec z{std::vector<double>(r_.size())};
    EXPECT_EQ((apply != nullptr ? apply : pc_.apply)(&pc_, &r, &z), 0);
    EXPECT_EQ(r.arrays_out + z.arrays_out, 0);
    return z.values;
  }

  static Options linear_options() { return small_options().set("amg.cycle", "V").set("amg.precision", "same"); }

  static std::vector<double> cycle(const OwnMatrix<double, std::int32_t>& A, const std::vector<double>& r,
                                   const Options& options = linear_options(), const std::vector<double>& modes = {}) {
    Solver<double> solver(options);
    solver.setup(A.view(), modes);
    std::vector<double> z(r.size());
    solver.precondition(r, z);
    return z;
  }

  static OwnMatrix<double, std::int32_t> times(double factor, OwnMatrix<double, std::int32_t> A) {
    for (double& value : A.values) {
      value *= factor;
    }
    return A;
  }

  const OwnMatrix<double, std::int32_t> matrix_ = poisson<double, std::int32_t>(40);
  const std::vector<double> r_ = reference::random_values<double>(1600, 1);
  ToyMat A_;
  ToyPc pc_;
};

TEST_F(PetscAdapter, IsACycle) {
  EXPECT_EQ(pc_.header.type, PCSHELL);
  EXPECT_EQ(pc_.name, "amgsolve");
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  EXPECT_EQ(A_.arrays_out, 0);
  EXPECT_EQ(applied(), cycle(matrix_, r_));
}

TEST_F(PetscAdapter, IsLinearUnlessTheProgramChooses) {
  OwnMatrix<double, std::int32_t> upwind = matrix_;
  for (std::int64_t row = 0; row < upwind.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    for (auto e = static_cast<std::size_t>(upwind.row_offsets[i]);
         e < static_cast<std::size_t>(upwind.row_offsets[i + 1]); ++e) {
      upwind.values[e] *= upwind.col_indices[e] < row ? 1.5 : upwind.col_indices[e] == row ? 1.25 : 1.0;
    }
  }
  A_.values = upwind.values;
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  EXPECT_EQ(applied(), cycle(upwind, r_));
  const Options chosen = small_options().set("amg.cycle", "K").set("amg.precision", "mixed");
  ASSERT_EQ(use_as_preconditioner(&pc_, chosen), 0);
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  EXPECT_EQ(applied(), cycle(upwind, r_, chosen));
  EXPECT_NE(applied(), cycle(upwind, r_));
}

TEST_F(PetscAdapter, TakesNewMatrices) {
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  const OwnMatrix<double, std::int32_t> twice = times(2.0, matrix_);
  const std::vector<double> before = applied();
  A_.values = twice.values;
  EXPECT_EQ(applied(), before) << "until it is set up again";
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  EXPECT_EQ(applied(), cycle(twice, r_));
}

TEST_F(PetscAdapter, ReusesTheHierarchyAsToldTo) {
  const OwnMatrix<double, std::int32_t> twice = times(2.0, matrix_);
  Solver<double> solver(linear_options().set("solver.reuse", "pattern"));
  solver.setup(matrix_.view());
  solver.update_values(twice.view());
  std::vector<double> kept(1600);
  solver.precondition(r_, kept);
  ToyVec slope{std::vector<double>(1600)};
  for (std::size_t i = 0; i < 1600; ++i) {
    slope.values[i] = 1.0 + static_cast<double>(i % 40);
  }
  ToyNullSpace space{PETSC_FALSE, {&slope}};
  const std::shared_ptr<const ProcessGroup> groups[] = {nullptr, std::make_shared<const Alone>()};
  for (const auto& processes : groups) {
    ASSERT_EQ(use_as_preconditioner(&pc_, small_options().set("solver.reuse", "pattern"), processes), 0);
    A_.values = matrix_.values;
    A_.near_nullspace = nullptr;
    ASSERT_EQ(pc_.set_up(&pc_), 0);
    A_.values = twice.values;
    A_.near_nullspace = &space;
    ASSERT_EQ(pc_.set_up(&pc_), 0);
    EXPECT_EQ(applied(), kept);
    ++A_.pattern;
    ASSERT_EQ(pc_.set_up(&pc_), 0);
    EXPECT_EQ(applied(), cycle(twice, r_, linear_options(), slope.values)) << "another pattern";
    A_.near_nullspace = nullptr;
    ++A_.header.id;
    ASSERT_EQ(pc_.set_up(&pc_), 0);
    EXPECT_EQ(applied(), cycle(twice, r_)) << "another matrix";
    A_.values[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(pc_.set_up(&pc_), PETSC_ERR_LIB);
    ToyVec r{r_};
    EXPECT_EQ(pc_.apply(&pc_, &r, &r), PETSC_ERR_LIB) << "nothing is set up";
  }
}

TEST_F(PetscAdapter, IsItsTransposeWhereTheMatrixIs) {
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  ToyVec r{r_};
  EXPECT_EQ(pc_.apply_transpose(&pc_, &r, &r), PETSC_ERR_SUP);
  EXPECT_THAT(toy_last_error, HasSubstr("MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE)"));
  A_.is_symmetry_known = PETSC_TRUE;
  EXPECT_EQ(pc_.apply_transpose(&pc_, &r, &r), PETSC_ERR_SUP);
  A_.is_symmetric = PETSC_TRUE;
  EXPECT_EQ(applied(pc_.apply_transpose), cycle(matrix_, r_));
}

TEST_F(PetscAdapter, PartsWithAnEarlierShell) {
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  EXPECT_EQ(pc_.shells_gone, 0);
  ASSERT_EQ(use_as_preconditioner(&pc_, small_options()), 0);
  EXPECT_EQ(pc_.shells_gone, 1);
}

TEST_F(PetscAdapter, KnowsTheNearNullspaceAndTheBlockSize) {
  ToyVec slope{std::vector<double>(1600)};
  std::vector<double> modes(3200);
  for (std::size_t i = 0; i < 1600; ++i) {
    slope.values[i] = static_cast<double>(i % 40);
    modes[2 * i] = 1.0;
    modes[2 * i + 1] = slope.values[i];
  }
  ToyNullSpace space{PETSC_TRUE, {&slope}};
  A_.near_nullspace = &space;
  A_.block_size = 2;
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  EXPECT_EQ(applied(), cycle(matrix_, r_, linear_options().set("amg.block_size", 2), modes));
}

// tests/dist/ has solvers of several; here is which rows and modes they get, of matrices of any type.
TEST_F(PetscAdapter, TakesTheRowsOfItsProcess) {
  ToyVec slope{std::vector<double>(1600)};
  std::vector<double> modes(1600);
  for (std::size_t i = 0; i < 1600; ++i) {
    slope.values[i] = modes[i] = 1.0 + static_cast<double>(i % 40);
  }
  ToyNullSpace space{PETSC_FALSE, {&slope}};
  A_.near_nullspace = &space;
  A_.header.type = "mpiaij";
  ToyPc pc;
  pc.A = &A_;
  ASSERT_EQ(use_as_preconditioner(&pc, small_options(), std::make_shared<const Alone>()), 0);
  ASSERT_EQ(pc.set_up(&pc), 0);
  EXPECT_EQ(A_.arrays_out + slope.arrays_out, 0);
  ToyVec r{r_};
  ToyVec z{std::vector<double>(r_.size())};
  EXPECT_EQ(pc.apply(&pc, &r, &z), 0);
  EXPECT_EQ(z.values, cycle(matrix_, r_, linear_options(), modes));
  EXPECT_EQ(pc.destroy(&pc), 0);
}

TEST_F(PetscAdapter, FailsAsPetscDoes) {
  ToyVec r{r_};
  ToyVec z{std::vector<double>(7)};
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  EXPECT_EQ(pc_.apply(&pc_, &r, &z), PETSC_ERR_LIB);
  EXPECT_THAT(toy_last_error, HasSubstr("amgsolve"));
  A_.values[0] = -1.0;
  EXPECT_EQ(pc_.set_up(&pc_), PETSC_ERR_LIB);
  EXPECT_THAT(toy_last_error, HasSubstr("row 1"));
  EXPECT_EQ(A_.arrays_out, 0);
  EXPECT_EQ(pc_.apply(&pc_, &r, &r), PETSC_ERR_LIB) << "nothing is set up";
  for (const char* type : {"seqsbaij", "seqbaij", "mpiaij"}) {
    A_.header.type = type;
    EXPECT_EQ(pc_.set_up(&pc_), PETSC_ERR_SUP) << type;
    EXPECT_THAT(toy_last_error, HasSubstr("seqaij")) << type;
  }
  pc_.header.communicator = 3;
  EXPECT_EQ(pc_.set_up(&pc_), PETSC_ERR_SUP);
  EXPECT_THAT(toy_last_error, HasSubstr("3"));
}

}  // namespace
}  // namespace amgsolve
