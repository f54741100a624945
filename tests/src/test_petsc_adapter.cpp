#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <petscksp.h>

#include <algorithm>
#include <amgsolve/petsc.hpp>
#include <cstdint>
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

  std::vector<double> applied() {
    ToyVec r{r_};
    ToyVec z{std::vector<double>(r_.size())};
    EXPECT_EQ(pc_.apply(&pc_, &r, &z), 0);
    EXPECT_EQ(r.arrays_out + z.arrays_out, 0);
    return z.values;
  }

  static std::vector<double> cycle(const OwnMatrix<double, std::int32_t>& A, const std::vector<double>& r,
                                   const Options& options = small_options(), const std::vector<double>& modes = {}) {
    Solver<double> solver(options);
    solver.setup(A.view(), modes);
    std::vector<double> z(r.size());
    solver.precondition(r, z);
    return z;
  }

  const OwnMatrix<double, std::int32_t> matrix_ = poisson<double, std::int32_t>(40);
  const std::vector<double> r_ = reference::random_values<double>(1600, 1);
  ToyMat A_;
  ToyPc pc_;
};

TEST_F(PetscAdapter, IsACycle) {
  EXPECT_EQ(pc_.type, PCSHELL);
  EXPECT_EQ(pc_.name, "amgsolve");
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  EXPECT_EQ(A_.arrays_out, 0);
  EXPECT_EQ(applied(), cycle(matrix_, r_));
}

TEST_F(PetscAdapter, TakesNewMatrices) {
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  OwnMatrix<double, std::int32_t> twice = matrix_;
  for (double& value : twice.values) {
    value *= 2.0;
  }
  const std::vector<double> before = applied();
  A_.values = twice.values;
  EXPECT_EQ(applied(), before) << "until it is set up again";
  ASSERT_EQ(pc_.set_up(&pc_), 0);
  EXPECT_EQ(applied(), cycle(twice, r_));
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
  EXPECT_EQ(applied(), cycle(matrix_, r_, small_options().set("amg.block_size", 2), modes));
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
  A_.is_seqaij = false;
  ToyPc pc;
  pc.A = &A_;
  ASSERT_EQ(use_as_preconditioner(&pc, small_options(), std::make_shared<const Alone>()), 0);
  ASSERT_EQ(pc.set_up(&pc), 0);
  EXPECT_EQ(A_.arrays_out + slope.arrays_out, 0);
  ToyVec r{r_};
  ToyVec z{std::vector<double>(r_.size())};
  EXPECT_EQ(pc.apply(&pc, &r, &z), 0);
  EXPECT_EQ(z.values, cycle(matrix_, r_, small_options(), modes));
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
  A_.is_seqaij = false;
  EXPECT_EQ(pc_.set_up(&pc_), PETSC_ERR_SUP);
  pc_.communicator = 3;
  EXPECT_EQ(pc_.set_up(&pc_), PETSC_ERR_SUP);
  EXPECT_THAT(toy_last_error, HasSubstr("3"));
}

}  // namespace
}  // namespace amgsolve
