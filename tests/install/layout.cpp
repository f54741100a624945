#include <amgsolve/amgsolve.h>

#include <amgsolve/amgsolve.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>

/// Prints the sizes of what programs and the library hand to each other, and where members lie: a part of the record
/// abi.txt.
namespace {

#define PRINT_SIZE(type) std::printf("size %s %zu\n", #type, sizeof(type))
#define PRINT_PLACE(type, member) std::printf("place %s.%s %zu\n", #type, #member, offsetof(type, member))

void print_layout_of_c() {
  PRINT_SIZE(amgsolve_matrix);
  PRINT_PLACE(amgsolve_matrix, cols);
  PRINT_PLACE(amgsolve_matrix, nonzeros);
  PRINT_PLACE(amgsolve_matrix, offset_bits);
  PRINT_PLACE(amgsolve_matrix, row_offsets);
  PRINT_PLACE(amgsolve_matrix, col_indices);
  PRINT_PLACE(amgsolve_matrix, values);
  PRINT_PLACE(amgsolve_matrix, memory);
  PRINT_PLACE(amgsolve_matrix, ownership);
  PRINT_SIZE(amgsolve_settings);
  PRINT_PLACE(amgsolve_settings, memory);
  PRINT_PLACE(amgsolve_settings, tolerance);
  PRINT_PLACE(amgsolve_settings, max_iterations);
  PRINT_PLACE(amgsolve_settings, product);
  PRINT_PLACE(amgsolve_settings, user);
  PRINT_SIZE(amgsolve_result);
  PRINT_PLACE(amgsolve_result, iterations);
  PRINT_PLACE(amgsolve_result, relative_residual);
  PRINT_PLACE(amgsolve_result, backward_error);
  PRINT_PLACE(amgsolve_result, outside_range);
  PRINT_PLACE(amgsolve_result, convergence_factor);
  PRINT_PLACE(amgsolve_result, jacobi_change);
  PRINT_SIZE(amgsolve_hierarchy);
  PRINT_PLACE(amgsolve_hierarchy, operator_complexity);
  PRINT_PLACE(amgsolve_hierarchy, grid_complexity);
  PRINT_SIZE(amgsolve_level);
  PRINT_PLACE(amgsolve_level, nonzeros);
  PRINT_PLACE(amgsolve_level, bytes);
  PRINT_PLACE(amgsolve_level, aggregates);
  PRINT_PLACE(amgsolve_level, mean_aggregate_size);
  PRINT_PLACE(amgsolve_level, strength_threshold);
  PRINT_PLACE(amgsolve_level, spectral_radius);
}

void print_sizes_of_cpp() {
  using namespace amgsolve;
  PRINT_SIZE(Options);
  PRINT_SIZE(Exception);
  PRINT_SIZE(Solver<double>);
  PRINT_SIZE(ArrayView<double>);
  using View = CsrView<double, std::int64_t>;
  PRINT_SIZE(View);
  using DistributedView = DistributedCsrView<double, std::int64_t>;
  PRINT_SIZE(DistributedView);
  PRINT_SIZE(Coordinates<double>);
  PRINT_SIZE(CsrArrays<double>);
  PRINT_SIZE(LevelStatistics);
  PRINT_SIZE(HierarchyStatistics);
  PRINT_SIZE(SolveSettings<double>);
  PRINT_SIZE(Result);
}

}  // namespace

int main() {
  print_layout_of_c();
  print_sizes_of_cpp();
}
