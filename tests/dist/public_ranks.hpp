#pragma once

#include <gtest/gtest.h>

#include <amgsolve/amgsolve.hpp>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "problems/generate.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/reference/model_problems.hpp"

/// What tests of the library's solver on several processes share.
namespace amgsolve::ranks {

/// What a process hands over of a matrix.
template <class T>
struct Rows {
  std::vector<std::int64_t> row_offsets;
  std::vector<std::int64_t> columns;
  std::vector<T> values;
  std::int64_t rows = 0;

  DistributedCsrView<T, std::int64_t> view() const { return {rows, row_offsets, columns, values}; }
};

template <class T>
Rows<T> own_rows(const CsrMatrix<double, Host>& A, const Partition& partition) {
  Context<Host> ctx(1, world());
  const GlobalRows<double, Host> own = rows_of(ctx, A, partition);
  Rows<T> rows;
  rows.rows = own.rows();
  rows.row_offsets.assign(own.row_offsets.span().begin(), own.row_offsets.span().end());
  rows.columns.assign(own.col_indices.span().begin(), own.col_indices.span().end());
  rows.values.assign(own.values.span().begin(), own.values.span().end());
  return rows;
}

inline CsrMatrix<double, Host> poisson() {
  Context<Host> ctx(1);
  return generate_matrix<double>(ctx, reference::poisson(reference::grid({18, 17, 19}), Discretization::fd));
}

/// So that levels are shared.
inline Options small_levels(const char* backend = "host") {
  Options options;
  options.set("solver.backend", backend).set("solver.threads", 1).set("solver.tolerance", 1e-6);
  options.set("amg.coarse_size", 50).set("amg.direct_solve_limit", 50).set("distributed.replicate_below", 3000);
  const char* const messages = std::getenv("AMGSOLVE_TEST_DEVICE_MESSAGES");
  if (messages != nullptr && messages != std::string("direct")) {  // which MPI may not take
    options.set("distributed.device_messages", messages);
  }
  if (backend == std::string("cuda")) {
    options.set("solver.device", device());
  }
  return options;
}

/// What a call throws; all processes have to throw the same.
struct Failure {
  Status status = Status::converged;
  std::string message;
};

template <class Call>
Failure failure_of(const Call& call) {
  Failure failure;
  try {
    call();
  } catch (const Exception& error) {
    failure = {error.status(), error.what()};
  }
  const std::string mine = std::to_string(static_cast<int>(failure.status)) + failure.message;
  const std::vector<char> all = world().all_gather_list(std::span<const char>(mine));
  std::string expected;
  for (int rank = 0; rank < world().size(); ++rank) {
    expected += mine;
  }
  EXPECT_EQ(std::string(all.begin(), all.end()), expected);
  return failure;
}

}  // namespace amgsolve::ranks
