#pragma once

#include <petscksp.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <amgsolve/amgsolve.hpp>
#include <amgsolve/operators.hpp>

/// One multigrid cycle as the preconditioner of PETSc's methods, a PC of type shell. Optional: for programs that have
/// PETSc, 3.17 or newer, with real numbers.
///
///     KSPGetPC(ksp, &pc);
///     amgsolve::use_as_preconditioner(pc, options);
///     KSPSolve(ksp, b, x);
namespace amgsolve {

namespace detail {

static_assert(std::is_same<PetscScalar, double>::value || std::is_same<PetscScalar, float>::value,
              "amgsolve has real numbers only");

/// What a PC of type shell has of ours: it goes with that.
class PetscShell {
 public:
  PetscShell(const Options& options, std::shared_ptr<const ProcessGroup> processes)
      : options_(options), processes_(std::move(processes)) {}

  static PetscErrorCode set_up(PC pc) {
    return in_c([&] { return of(pc).set_up_operator(pc); });
  }

  static PetscErrorCode apply(PC pc, Vec r, Vec z) {
    PetscInt rows_of_r = 0;
    PetscInt rows_of_z = 0;
    const PetscScalar* from = nullptr;
    PetscScalar* to = nullptr;
    PetscCall(VecGetLocalSize(r, &rows_of_r));
    PetscCall(VecGetLocalSize(z, &rows_of_z));
    PetscCall(VecGetArrayRead(r, &from));
    PetscCall(VecGetArrayWrite(z, &to));
    const PetscErrorCode error = in_c([&] {
      PetscShell& self = of(pc);
      if (!self.solver_) {
        throw Exception(Status::bad_input, "the PC is not set up, or that failed");
      }
      self.solver_->precondition({from, static_cast<std::size_t>(rows_of_r)},
                                 {to, static_cast<std::size_t>(rows_of_z)});
      return PetscErrorCode{};
    });
    PetscCall(VecRestoreArrayWrite(z, &to));
    PetscCall(VecRestoreArrayRead(r, &from));
    return error;
  }

  /// Of a symmetric matrix, whose cycle is its own transpose.
  static PetscErrorCode apply_transpose(PC pc, Vec r, Vec z) {
    Mat A = nullptr;
    PetscBool is_known = PETSC_FALSE;
    PetscBool is_symmetric = PETSC_FALSE;
    PetscCall(PCGetOperators(pc, nullptr, &A));
    PetscCall(MatIsSymmetricKnown(A, &is_known, &is_symmetric));
    if (!is_known || !is_symmetric) {
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
              "amgsolve has the transposed cycle of symmetric matrices only: if this is one, say "
              "MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE)");
    }
    return apply(pc, r, z);
  }

  static PetscErrorCode destroy(PC pc) {
    return in_c([&] {
      delete &of(pc);
      return PetscErrorCode{};
    });
  }

 private:
  using Offset = std::conditional_t<sizeof(PetscInt) == sizeof(std::int64_t), std::int64_t, std::int32_t>;
  using Modes = std::vector<PetscScalar>;  ///< rows × modes, row-major

  /// The same numbers, by the name that the solver has for their type.
  static const Offset* offsets(const PetscInt* numbers) {
    return static_cast<const Offset*>(static_cast<const void*>(numbers));
  }

  static PetscShell& of(PC pc) {
    void* shell = nullptr;
    if (PCShellGetContext(pc, &shell) != 0 || shell == nullptr) {
      throw Exception(Status::bad_input, "this PC is not one of amgsolve's");
    }
    return *static_cast<PetscShell*>(shell);
  }

  PetscErrorCode set_up_operator(PC pc) {
    Mat A = nullptr;
    PetscCall(PCGetOperators(pc, nullptr, &A));
    if (processes_) {
      return set_up_rows(A);
    }
    int processes = 1;
    MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &processes);
    if (processes > 1) {
      SETERRQ(
          PETSC_COMM_SELF, PETSC_ERR_SUP,
          "amgsolve was not told of its %d processes: use_as_preconditioner(pc, options, amgsolve::mpi(communicator))",
          processes);
    }
    return set_up_arrays(A);
  }

  /// Of one process, by PETSc's arrays.
  PetscErrorCode set_up_arrays(Mat A) {
    // Other types have other arrays, some of which MatGetRowIJ() hands out as well.
    PetscBool is_seqaij = PETSC_FALSE;
    PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(A), MATSEQAIJ, &is_seqaij));
    if (!is_seqaij) {
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "amgsolve takes matrices of type seqaij");
    }
    PetscInt rows = 0;
    const PetscInt* row_offsets = nullptr;
    const PetscInt* col_indices = nullptr;
    const PetscScalar* values = nullptr;
    PetscBool done = PETSC_FALSE;
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_offsets, &col_indices, &done));
    PetscCall(MatSeqAIJGetArrayRead(A, &values));
    Modes modes;
    PetscCall(near_nullspace_of(A, rows, modes));
    const PetscErrorCode error = in_c([&] {
      const auto entries = static_cast<std::size_t>(row_offsets[rows]);
      // PETSc's matrix may change before the next set-up, and its columns may be numbers of 64 bits.
      const std::vector<std::int32_t> columns(col_indices, col_indices + entries);
      const CsrView<PetscScalar, Offset> view{rows,
                                              rows,
                                              {offsets(row_offsets), static_cast<std::size_t>(rows) + 1},
                                              columns,
                                              {values, entries},
                                              MemoryKind::host,
                                              Ownership::copy};
      return take(A, view, modes);
    });
    PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &row_offsets, &col_indices, &done));
    return error;
  }

  /// Of several processes, by the rows of this one.
  PetscErrorCode set_up_rows(Mat A) {
    PetscInt first = 0;
    PetscInt last = 0;
    PetscCall(MatGetOwnershipRange(A, &first, &last));
    std::vector<std::int64_t> row_offsets{0};
    std::vector<Offset> columns;
    std::vector<PetscScalar> values;
    for (PetscInt row = first; row < last; ++row) {
      PetscInt count = 0;
      const PetscInt* columns_of_row = nullptr;
      const PetscScalar* values_of_row = nullptr;
      PetscCall(MatGetRow(A, row, &count, &columns_of_row, &values_of_row));
      columns.insert(columns.end(), columns_of_row, columns_of_row + count);
      values.insert(values.end(), values_of_row, values_of_row + count);
      row_offsets.push_back(static_cast<std::int64_t>(values.size()));
      PetscCall(MatRestoreRow(A, row, &count, &columns_of_row, &values_of_row));
    }
    Modes modes;
    PetscCall(near_nullspace_of(A, last - first, modes));
    using View = DistributedCsrView<PetscScalar, std::int64_t, Offset>;
    return take(A, View{last - first, row_offsets, columns, values}, modes);
  }

  /// Makes a hierarchy of A, or hands its values to the one at hand where that is of this matrix and pattern and
  /// 'solver.reuse' leaves something of it. Throws what Solver does.
  template <class View>
  PetscErrorCode take(Mat A, const View& rows, const Modes& modes) {
    PetscObjectId matrix = 0;
    PetscObjectState pattern = 0;
    PetscCall(PetscObjectGetId(reinterpret_cast<PetscObject>(A), &matrix));
    PetscCall(MatGetNonzeroState(A, &pattern));
    // Where A is refused, the PC has none: PETSc would go on with the former one and not tell.
    std::unique_ptr<Solver<PetscScalar>> solver = std::move(solver_);
    if (solver && matrix == matrix_ && pattern == pattern_ && options_.get("solver.reuse") != "none") {
      solver->update_values(rows);
    } else {
      solver.reset();  // or there are two hierarchies at a time
      solver = new_solver(options_for(A));
      solver->setup(rows, modes);
    }
    solver_ = std::move(solver);
    matrix_ = matrix;
    pattern_ = pattern;
    return {};
  }

  std::unique_ptr<Solver<PetscScalar>> new_solver(const Options& options) const {
    return processes_ ? std::make_unique<Solver<PetscScalar>>(options, processes_)
                      : std::make_unique<Solver<PetscScalar>>(options);
  }

  /// The vectors of MatSetNearNullSpace(), as MatNullSpaceCreateRigidBody() makes them; the constants are the default.
  static PetscErrorCode near_nullspace_of(Mat A, PetscInt rows, Modes& modes) {
    MatNullSpace space = nullptr;
    PetscCall(MatGetNearNullSpace(A, &space));
    if (space == nullptr) {
      return {};
    }
    PetscBool has_constants = PETSC_FALSE;
    PetscInt count = 0;
    const Vec* vectors = nullptr;
    PetscCall(MatNullSpaceGetVecs(space, &has_constants, &count, &vectors));
    const auto first = static_cast<std::size_t>(has_constants == PETSC_TRUE && count > 0 ? 1 : 0);
    const std::size_t k = static_cast<std::size_t>(count) + first;
    modes.assign(static_cast<std::size_t>(rows) * k, PetscScalar{1});
    for (std::size_t j = first; j < k; ++j) {
      const PetscScalar* values = nullptr;
      PetscCall(VecGetArrayRead(vectors[j - first], &values));
      for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
        modes[i * k + j] = values[i];
      }
      PetscCall(VecRestoreArrayRead(vectors[j - first], &values));
    }
    return {};
  }

  /// With as many unknowns a node as the matrix says, and a cycle for any method, where the program does not choose.
  Options options_for(Mat A) const {
    Options options = linear_cycle(options_);
    PetscInt block_size = 1;
    if (MatGetBlockSize(A, &block_size) == 0 && block_size > 1 && options.get("amg.block_size") == "auto") {
      options.set("amg.block_size", static_cast<std::int64_t>(block_size));
    }
    return options;
  }

  /// Calls the body, which may throw, for a caller in C.
  template <class Body>
  static PetscErrorCode in_c(Body&& body) {
    try {
      return body();
    } catch (const std::exception& error) {
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "amgsolve: %s", error.what());
    }
  }

  Options options_;
  std::shared_ptr<const ProcessGroup> processes_;
  std::unique_ptr<Solver<PetscScalar>> solver_;
  PetscObjectId matrix_ = 0;      ///< that solver_ has
  PetscObjectState pattern_ = 0;  ///< of it
};

}  // namespace detail

/// Makes a PC of PETSc one cycle of amgsolve on the matrix that KSP hands to it (Pmat of KSPSetOperators()), of type
/// seqaij; or, where the processes are told, of any type whose rows MatGetRow() gives, such as mpiaij:
///
///     amgsolve::use_as_preconditioner(pc, options, amgsolve::mpi(PETSC_COMM_WORLD));  // of <amgsolve/mpi.hpp>
///
/// They are those of the matrix, and the call and the PC's end are collective. The hierarchy is set up when PETSc sets
/// up the PC: at the first solve, and after each change of the matrix; where 'solver.reuse' is not none, new values of
/// the same Mat in the same pattern go to Solver::update_values(), with the near-null space of before.
/// ('solver.rebuild_factor' has no effect; KSPSetReusePreconditioner() keeps all.) Block size and near-null space are
/// those of the matrix (MatSetBlockSize(), MatSetNearNullSpace()).
///
/// Of the options' auto, 'amg.precision' is same and 'amg.cycle' V here, as PETSc's methods take the cycle to be
/// linear. Conjugate gradients and flexible methods (KSPFCG, KSPFGMRES, KSPGCR) bear 'amg.precision' mixed, which is
/// faster. An 'amg.cycle' of K is for flexible ones alone, F for all but conjugate gradients and MINRES. Transposed
/// solves are for symmetric matrices that are told to be (MAT_SYMMETRIC), with V or W. Errors are PETSc's, with
/// amgsolve's message.
inline PetscErrorCode use_as_preconditioner(PC pc, const Options& options = {},
                                            std::shared_ptr<const ProcessGroup> processes = nullptr) {
  using detail::PetscShell;
  auto shell = std::make_unique<PetscShell>(options, std::move(processes));
  PetscCall(PCSetType(pc, PCNONE));  // a shell that the PC is already goes, and its hierarchy
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetName(pc, "amgsolve"));
  PetscCall(PCShellSetSetUp(pc, PetscShell::set_up));
  PetscCall(PCShellSetApply(pc, PetscShell::apply));
  PetscCall(PCShellSetApplyTranspose(pc, PetscShell::apply_transpose));
  PetscCall(PCShellSetDestroy(pc, PetscShell::destroy));
  PetscCall(PCShellSetContext(pc, shell.get()));
  shell.release();
  return {};
}

}  // namespace amgsolve
