#include <gtest/gtest.h>

#include <algorithm>
#include <amgsolve/mpi.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <vector>

namespace amgsolve {
namespace {

/// What is no std::exception.
struct LostLink {};

/// All processes of the program, of which one call for all of them throws, on each.
template <class Error>
class FailingGroup final : public ProcessGroup {
 public:
  explicit FailingGroup(std::int64_t failing_call) : failing_call_(failing_call) {}

  std::int64_t calls() const { return calls_; }

  int rank() const override { return processes_.rank(); }
  int size() const override { return processes_.size(); }
  void sum(std::int64_t* x, std::size_t count) const override {
    count_call();
    processes_.sum(x, count);
  }
  std::int64_t max(std::int64_t x) const override {
    count_call();
    return processes_.max(x);
  }
  void gather(const std::byte* own, const std::vector<std::size_t>& lengths, std::byte* all) const override {
    count_call();
    processes_.gather(own, lengths, all);
  }
  void all_to_all(const std::int64_t* to, std::int64_t* from) const override {
    count_call();
    processes_.all_to_all(to, from);
  }
  void exchange(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) const override {
    processes_.exchange(sends, receives);
  }

 private:
  void count_call() const {
    if (calls_++ == failing_call_) {
      throw Error();
    }
  }

  MpiProcessGroup processes_{MPI_COMM_WORLD};
  std::int64_t failing_call_;
  mutable std::int64_t calls_ = 0;
};

/// tridiag(−1, 3, −1), 200 rows on each process.
void use_solver(const std::shared_ptr<const ProcessGroup>& processes) {
  constexpr std::int64_t rows = 200;
  const std::int64_t all_rows = rows * processes->size();
  std::vector<std::int64_t> row_offsets{0};
  std::vector<std::int64_t> columns;
  std::vector<double> values;
  for (std::int64_t i = rows * processes->rank(); i < rows * (processes->rank() + 1); ++i) {
    for (std::int64_t j = std::max<std::int64_t>(i - 1, 0); j < std::min(i + 2, all_rows); ++j) {
      columns.push_back(j);
      values.push_back(i == j ? 3.0 : -1.0);
    }
    row_offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  Options options;
  options.set("solver.backend", "host").set("amg.coarse_size", 10).set("amg.direct_solve_limit", 10);
  options.set("distributed.replicate_below", 50);
  Solver<double> solver(options, processes);
  const DistributedCsrView<double> A{rows, row_offsets, columns, values};
  solver.setup(A);
  solver.update_values(A);
  const std::vector<double> b(rows, 1.0);
  std::vector<double> x(rows);
  solver.precondition(b, x);
  solver.solve(b, x);
}

template <class Error>
class ProcessGroupErrors : public testing::Test {};
using Errors = testing::Types<std::bad_alloc, LostLink>;
TYPED_TEST_SUITE(ProcessGroupErrors, Errors);

TYPED_TEST(ProcessGroupErrors, LeaveTheSolversCallsAsTheyAre) {
  using Group = FailingGroup<TypeParam>;
  const auto whole = std::make_shared<const Group>(std::numeric_limits<std::int64_t>::max());
  use_solver(whole);
  ASSERT_GT(whole->calls(), 10);
  for (std::int64_t call = 0; call < whole->calls(); call += 1 + call / 8) {
    EXPECT_THROW(use_solver(std::make_shared<const Group>(call)), TypeParam) << "call " << call;
  }
}

}  // namespace
}  // namespace amgsolve
