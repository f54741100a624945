#ifndef AMGSOLVE_AMGSOLVE_H
#define AMGSOLVE_AMGSOLVE_H

/* The library for programs in C99, and for whatever calls C: the class Solver of <amgsolve/amgsolve.hpp>, which says in
 * full what each call does, behind opaque handles. amgsolve.f90 beside this file is a Fortran module for it.
 *
 *     amgsolve_solver* solver = NULL;
 *     amgsolve_status status = amgsolve_create(AMGSOLVE_DOUBLE, NULL, NULL, &solver);
 *     if (status == AMGSOLVE_CONVERGED) status = amgsolve_setup(solver, &A, NULL, 0);
 *     if (status == AMGSOLVE_CONVERGED) status = amgsolve_solve(solver, n, b, x, NULL, NULL);
 *     if (status != AMGSOLVE_CONVERGED) fprintf(stderr, "%s\n", amgsolve_last_error());
 *     amgsolve_destroy(solver);
 *
 * Every function that returns a status returns AMGSOLVE_CONVERGED where it did what it was asked for. Else
 * amgsolve_last_error() says in a sentence why, handles that were to be made are NULL, other outputs are unchanged
 * unless a comment says otherwise, and handles remain usable. Pointers that must not be NULL are checked; nothing here
 * prints, throws or ends the process. One thread at a time may use a handle. Solvers are of one process each: what
 * several share is for C++. */

#include <stddef.h>
#include <stdint.h>

#include <amgsolve/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Choices are numbers of type int, so that any that there is not can be told.
 *
 * How a call ended; the exit codes of the command are these numbers. */
typedef int amgsolve_status;
enum {
  AMGSOLVE_CONVERGED = 0, /* or just done */
  AMGSOLVE_NOT_CONVERGED = 1,
  AMGSOLVE_BAD_CONFIGURATION = 2,
  AMGSOLVE_BAD_INPUT = 3,
  AMGSOLVE_OUT_OF_MEMORY = 4,
  AMGSOLVE_BREAKDOWN = 5,
  AMGSOLVE_DEVICE_FAILED = 6,
  AMGSOLVE_INTERRUPTED = 7,
  AMGSOLVE_INTERNAL_ERROR = 70
};

/* Of all values of a solver: matrices, right-hand sides, solutions. */
typedef int amgsolve_precision;
enum { AMGSOLVE_DOUBLE = 0, AMGSOLVE_FLOAT = 1 };

/* Where arrays are: in host memory, or in that of the solver's GPU. */
typedef int amgsolve_memory;
enum { AMGSOLVE_HOST = 0, AMGSOLVE_DEVICE = 1 };

/* Whether arrays of a matrix are used where they are, and must stay unchanged meanwhile, or copied. */
typedef int amgsolve_ownership;
enum { AMGSOLVE_BORROW = 0, AMGSOLVE_COPY = 1 };

/* The matrices of a level: A of its own unknowns, P from the next coarser level to it, R = P^T, or P^T diag(y) where A
   is not symmetric and y evens out how its rows are scaled. */
typedef int amgsolve_level_part;
enum { AMGSOLVE_A = 0, AMGSOLVE_P = 1, AMGSOLVE_R = 2 };

typedef struct amgsolve_options amgsolve_options;
typedef struct amgsolve_solver amgsolve_solver;

/* A sparse matrix in compressed sparse row format; indices count from 0, the columns of a row ascend and are unique. */
typedef struct amgsolve_matrix {
  int64_t rows;
  int64_t cols;
  int64_t nonzeros;           /* row_offsets[rows] */
  int offset_bits;            /* of row_offsets: 32 or 64 */
  const void* row_offsets;    /* rows + 1 of int32_t or int64_t */
  const int32_t* col_indices; /* nonzeros of them */
  const void* values;         /* nonzeros of double or float, as the solver has them */
  amgsolve_memory memory;
  amgsolve_ownership ownership;
} amgsolve_matrix;

/* How one solve goes; amgsolve_settings_init() fills it with what a NULL in its place means. */
typedef struct amgsolve_settings {
  int columns;            /* right-hand sides, solved together: 1 */
  amgsolve_memory memory; /* of b and x: the host's */
  double tolerance;       /* in place of 'solver.tolerance'; negative: as the options say */
  int max_iterations;     /* in place of 'solver.max_iterations'; negative: as the options say */
  /* y = A x in place of the matrix that was set up; NULL: none. x and y have rows x columns values, row-major, where
   * the solver works: with the backend cuda on the GPU, in the order of `stream`, a cudaStream_t. */
  void (*product)(const void* x, void* y, int columns, void* stream, void* user);
  void* user; /* handed to product */
} amgsolve_settings;

/* The outcome of a solve; of several right-hand sides the worst column's. */
typedef struct amgsolve_result {
  amgsolve_status status;
  int iterations;
  double relative_residual;  /* |b - A x| / |b|, recomputed from x in double; where b = 0 relative to the first one */
  double backward_error;     /* |b - A x| / | |b| + |A| |x| | */
  double outside_range;      /* of a singular A: the part of b in its null space, which was left out, relative to b */
  double convergence_factor; /* geometric mean of the residual's reduction in an iteration; NaN where none was made */
  double jacobi_change;      /* of an x that has converged where some rows are far larger than others, which |b - A x|
                              * may hide: |D^-1 (b - A x)| / |x|; else NaN */
} amgsolve_result;

typedef struct amgsolve_hierarchy {
  int levels;
  double operator_complexity; /* sum of nonzeros / nonzeros of level 0 */
  double grid_complexity;     /* sum of rows / rows of level 0 */
} amgsolve_hierarchy;

typedef struct amgsolve_level {
  int64_t rows;
  int64_t nonzeros;
  int64_t bytes;
  int64_t aggregates; /* this and the next two: 0 on the coarsest level */
  double mean_aggregate_size;
  double strength_threshold;
  double spectral_radius; /* estimate of that of D^-1 A; 0 where none was needed */
} amgsolve_level;

/* The library's version, "0.1.0", and the name of a status as reports print it, "not_converged". */
AMGSOLVE_EXPORT const char* amgsolve_version(void);
AMGSOLVE_EXPORT const char* amgsolve_status_name(amgsolve_status status);

/* Why the last call on this thread that returned another status than AMGSOLVE_CONVERGED did so, in UTF-8; never NULL.
 * Cut off behind 1023 bytes. Holds until the next such call. */
AMGSOLVE_EXPORT const char* amgsolve_last_error(void);

/* Options at their defaults, by the keys of problem.yaml's sections solver, amg, spgemm and distributed
 * ("solver.tolerance"; see docs/configuration.md). Destroying NULL does nothing, here and below. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_options_create(amgsolve_options** options);
AMGSOLVE_EXPORT void amgsolve_options_destroy(amgsolve_options* options);

/* A value as problem.yaml spells it, or a number; what is refused changes nothing. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_options_set(amgsolve_options* options, const char* key, const char* value);
AMGSOLVE_EXPORT amgsolve_status amgsolve_options_set_integer(amgsolve_options* options, const char* key, int64_t value);
AMGSOLVE_EXPORT amgsolve_status amgsolve_options_set_real(amgsolve_options* options, const char* key, double value);

/* Texts go to the caller's memory: as much as `capacity` bytes hold, always ended by a zero byte. `length`, where it is
 * not NULL, receives the bytes of the whole text without that, so that a first call with capacity 0 tells what to
 * allocate; `text` may be NULL then. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_options_get(const amgsolve_options* options, const char* key, char* text,
                                                     size_t capacity, size_t* length);

/* A solver; `options` NULL are the defaults, and are not needed afterwards. `stream` is a cudaStream_t for all of its
 * work, or NULL. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_create(amgsolve_precision precision, const amgsolve_options* options,
                                                void* stream, amgsolve_solver** solver);
AMGSOLVE_EXPORT void amgsolve_destroy(amgsolve_solver* solver);

/* Build the hierarchy. near_nullspace: rows x vectors values, row-major, in the matrix's memory; NULL and 0: none. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_setup(amgsolve_solver* solver, const amgsolve_matrix* A,
                                               const void* near_nullspace, int vectors);

/* The same for an elastic body, by the rigid-body modes of its nodes. coordinates: nodes x dimensions (2 or 3) values,
 * row-major, in the matrix's memory, of the nodes in the order of their unknowns. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_setup_body(amgsolve_solver* solver, const amgsolve_matrix* A,
                                                    const void* coordinates, int64_t nodes, int dimensions);

/* Take new values in the same pattern. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_update_values(amgsolve_solver* solver, const amgsolve_matrix* A);

/* Solve A x = b from the x given: rows x columns values, row-major. `settings` and `result` may be NULL. Returns how
 * the solve ended, result->status; x holds the last iterate and *result is complete then, also where that is
 * AMGSOLVE_NOT_CONVERGED, AMGSOLVE_BREAKDOWN or AMGSOLVE_INTERRUPTED. Where a call fails before it solves, *result has
 * that status, 0 iterations and NaN. */
AMGSOLVE_EXPORT void amgsolve_settings_init(amgsolve_settings* settings);
AMGSOLVE_EXPORT amgsolve_status amgsolve_solve(amgsolve_solver* solver, int64_t rows, const void* b, void* x,
                                               const amgsolve_settings* settings, amgsolve_result* result);

/* z = M^-1 r, one multigrid cycle: the preconditioner alone. r and z have rows x columns values; they may be the same.
 * With 'amg.precision' mixed, and with auto where it chooses that, the cycle rounds to float, which only conjugate
 * gradients and flexible methods bear: others need same. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_precondition(amgsolve_solver* solver, int64_t rows, const void* r, void* z,
                                                      int columns, amgsolve_memory memory);

/* Another solver for the matrix that was set up, which shares its hierarchy and has work vectors, callbacks and a
 * report of its own, so that several solve at the same time, each on a thread of the program, which destroys each of
 * them. Until they are destroyed the first one takes no other matrix and no new values, and what it borrows stays in
 * use. `threads` of the host are for the new one's solves; 0: as the options say. `stream` as of amgsolve_create(). */
AMGSOLVE_EXPORT amgsolve_status amgsolve_share(amgsolve_solver* solver, int threads, void* stream,
                                               amgsolve_solver** sharing);

/* Have the solver ask `stop` often whether to end (not 0: yes), and call `go_on` after each iteration (0: end there).
 * NULL: no more. Neither may use the solver. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_stop_when(amgsolve_solver* solver, int (*stop)(void* user), void* user);
AMGSOLVE_EXPORT amgsolve_status amgsolve_on_iteration(
    amgsolve_solver* solver, int (*go_on)(int iterations, double relative_residual, void* user), void* user);

/* Of the last solve: one sentence that says how it ended, and the relative residuals before the first and after each
 * iteration, of which `values` receives at most `capacity`. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_message(const amgsolve_solver* solver, char* text, size_t capacity,
                                                 size_t* length);
AMGSOLVE_EXPORT amgsolve_status amgsolve_residual_history(const amgsolve_solver* solver, double* values,
                                                          size_t capacity, size_t* length);

/* Tables for a terminal, and the JSON of docs/report.md. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_report(const amgsolve_solver* solver, char* text, size_t capacity,
                                                size_t* length);
AMGSOLVE_EXPORT amgsolve_status amgsolve_report_json(const amgsolve_solver* solver, char* text, size_t capacity,
                                                     size_t* length);

/* What the hierarchy is like; level 0 is the finest. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_get_hierarchy(const amgsolve_solver* solver, amgsolve_hierarchy* hierarchy);
AMGSOLVE_EXPORT amgsolve_status amgsolve_get_level(const amgsolve_solver* solver, int level,
                                                   amgsolve_level* statistics);

/* A level's matrix in host memory, with 64-bit offsets. The arrays stay the solver's and hold until the next call of
 * this function for it, or its end. */
AMGSOLVE_EXPORT amgsolve_status amgsolve_get_level_matrix(amgsolve_solver* solver, int level, amgsolve_level_part part,
                                                          amgsolve_matrix* matrix);

#ifdef __cplusplus
}
#endif

#endif
