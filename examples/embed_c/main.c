/* Solves -Δu = 1 on the unit square, u = 0 on its boundary, with the five-point stencil in double precision; then
 * tridiag(-1, 5/2, -1) x = 1 in single precision, by an iteration of its own with one multigrid cycle a step. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <amgsolve/amgsolve.h>

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, amgsolve_last_error());
  return EXIT_FAILURE;
}

/* The five-point stencil on n × n unknowns, times h². The columns of each row ascend, as the solver expects them. */
static int64_t five_point_matrix(int32_t n, int32_t* row_offsets, int32_t* col_indices, double* values) {
  int32_t entries = 0;
  row_offsets[0] = 0;
  for (int32_t y = 0; y < n; ++y) {
    for (int32_t x = 0; x < n; ++x) {
      const int32_t i = y * n + x;
      const int32_t columns[] = {i - n, i - 1, i, i + 1, i + n};
      const int inside[] = {y > 0, x > 0, 1, x + 1 < n, y + 1 < n};
      for (int k = 0; k < 5; ++k) {
        if (inside[k]) {
          col_indices[entries] = columns[k];
          values[entries] = columns[k] == i ? 4.0 : -1.0;
          ++entries;
        }
      }
      row_offsets[i + 1] = entries;
    }
  }
  return entries;
}

static int print_residual(int iterations, double relative_residual, void* user) {
  (void)user;
  printf("%3d  %.3e\n", iterations, relative_residual);
  return 1; /* go on */
}

static int solve_square(int32_t n) {
  const int32_t rows = n * n;
  const double h = 1.0 / (n + 1);
  int32_t* row_offsets = malloc(((size_t)rows + 1) * sizeof *row_offsets);
  int32_t* col_indices = malloc(5 * (size_t)rows * sizeof *col_indices);
  double* values = malloc(5 * (size_t)rows * sizeof *values);
  double* b = malloc((size_t)rows * sizeof *b);
  double* u = malloc((size_t)rows * sizeof *u);
  if (row_offsets == NULL || col_indices == NULL || values == NULL || b == NULL || u == NULL) {
    fprintf(stderr, "out of memory\n");
    free(row_offsets);
    free(col_indices);
    free(values);
    free(b);
    free(u);
    return EXIT_FAILURE;
  }
  amgsolve_matrix A = {0};
  A.rows = rows;
  A.cols = rows;
  A.nonzeros = five_point_matrix(n, row_offsets, col_indices, values);
  A.offset_bits = 32;
  A.row_offsets = row_offsets;
  A.col_indices = col_indices;
  A.values = values;
  for (int32_t i = 0; i < rows; ++i) {
    b[i] = h * h;
    u[i] = 0.0;
  }

  amgsolve_options* options = NULL;
  amgsolve_solver* solver = NULL;
  amgsolve_result result;
  int exit_code = EXIT_FAILURE;
  if (amgsolve_options_create(&options) != AMGSOLVE_CONVERGED ||
      amgsolve_options_set_real(options, "solver.tolerance", 1e-10) != AMGSOLVE_CONVERGED ||
      amgsolve_options_set(options, "amg.smoother.type", "l1_jacobi") != AMGSOLVE_CONVERGED) {
    fail("options");
  } else if (amgsolve_create(AMGSOLVE_DOUBLE, options, NULL, &solver) != AMGSOLVE_CONVERGED ||
             amgsolve_on_iteration(solver, print_residual, NULL) != AMGSOLVE_CONVERGED ||
             amgsolve_setup(solver, &A, NULL, 0) != AMGSOLVE_CONVERGED) {
    fail("setup");
  } else if (amgsolve_solve(solver, rows, b, u, NULL, &result) != AMGSOLVE_CONVERGED) {
    fail("solve");
  } else {
    size_t length = 0;
    char* report = NULL;
    amgsolve_report(solver, NULL, 0, &length);
    report = malloc(length + 1);
    if (report != NULL && amgsolve_report(solver, report, length + 1, NULL) == AMGSOLVE_CONVERGED) {
      fputs(report, stdout);
    }
    free(report);
    /* 0.0736713532… is the solution's value in the middle; the stencil's error there is below h². */
    printf("u(1/2, 1/2) = %.6f after %d iterations, relative residual %.1e\n", u[rows / 2], result.iterations,
           result.relative_residual);
    exit_code = fabs(u[rows / 2] - 0.0736713532) < h * h ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  amgsolve_destroy(solver);
  amgsolve_options_destroy(options);
  free(row_offsets);
  free(col_indices);
  free(values);
  free(b);
  free(u);
  return exit_code;
}

/* Steps x += M⁻¹(b − A x) with the cycle as M, in single precision and with 64-bit offsets. */
static int iterate_on_its_own(void) {
  enum { n = 3000 };
  static int64_t row_offsets[n + 1];
  static int32_t col_indices[3 * n];
  static float values[3 * n];
  static float x[n], r[n], z[n];
  int64_t entries = 0;
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; ++j) {
      col_indices[entries] = j;
      values[entries] = j == i ? 2.5f : -1.0f;
      ++entries;
    }
    row_offsets[i + 1] = entries;
  }
  amgsolve_matrix A = {n, n, entries, 64, row_offsets, col_indices, values, AMGSOLVE_HOST, AMGSOLVE_BORROW};
  amgsolve_solver* solver = NULL;
  double largest = 1.0;
  if (amgsolve_create(AMGSOLVE_FLOAT, NULL, NULL, &solver) != AMGSOLVE_CONVERGED ||
      amgsolve_setup(solver, &A, NULL, 0) != AMGSOLVE_CONVERGED) {
    amgsolve_destroy(solver);
    return fail("setup");
  }
  for (int step = 0; step < 30 && largest > 1e-5; ++step) {
    largest = 0.0;
    for (int32_t i = 0; i < n; ++i) {
      float product = 0.0f;
      for (int64_t e = row_offsets[i]; e < row_offsets[i + 1]; ++e) {
        product += values[e] * x[col_indices[e]];
      }
      r[i] = 1.0f - product;
      largest = fabs(r[i]) > largest ? fabs(r[i]) : largest;
    }
    if (amgsolve_precondition(solver, n, r, z, 1, AMGSOLVE_HOST) != AMGSOLVE_CONVERGED) {
      amgsolve_destroy(solver);
      return fail("precondition");
    }
    for (int32_t i = 0; i < n; ++i) {
      x[i] += z[i];
    }
  }
  amgsolve_destroy(solver);
  printf("largest residual of the own iteration: %.1e\n", largest);
  return largest <= 1e-5 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(void) {
  printf("amgsolve %s\n", amgsolve_version());
  return solve_square(255) == EXIT_SUCCESS && iterate_on_its_own() == EXIT_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
