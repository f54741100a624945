#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// What <amgsolve/petsc.hpp> calls of PETSc, on toys: matrices in CSR, vectors and shells of one process.

using PetscScalar = double;
using PetscInt = int;
using PetscErrorCode = int;
using PetscObjectId = std::int64_t;
using PetscObjectState = std::int64_t;
using MPI_Comm = int;
enum PetscBool { PETSC_FALSE, PETSC_TRUE };
constexpr MPI_Comm PETSC_COMM_SELF = 1;  // the processes of a communicator
constexpr int PETSC_ERR_SUP = 56;
constexpr int PETSC_ERR_LIB = 76;
constexpr const char* PCNONE = "none";
constexpr const char* PCSHELL = "shell";
constexpr const char* MATSEQAIJ = "seqaij";

/// What matrices and preconditioners begin with.
struct ToyObject {
  std::string type;
  PetscObjectId id = 0;
  MPI_Comm communicator = PETSC_COMM_SELF;
};
using PetscObject = ToyObject*;

struct ToyVec {
  std::vector<PetscScalar> values;
  int arrays_out = 0;
};
using Vec = ToyVec*;

struct ToyNullSpace {
  PetscBool has_constants;
  std::vector<Vec> vectors;
};
using MatNullSpace = ToyNullSpace*;

struct ToyMat {
  ToyObject header{MATSEQAIJ};
  std::vector<PetscInt> row_offsets;
  std::vector<PetscInt> col_indices;
  std::vector<PetscScalar> values;
  PetscInt block_size = 1;
  MatNullSpace near_nullspace = nullptr;
  PetscObjectState pattern = 0;
  PetscBool is_symmetry_known = PETSC_FALSE;
  PetscBool is_symmetric = PETSC_FALSE;
  int arrays_out = 0;
};
using Mat = ToyMat*;

struct ToyPc;
using PC = ToyPc*;
struct ToyPc {
  ToyObject header;
  Mat A = nullptr;
  int shells_gone = 0;
  std::string name;
  PetscErrorCode (*set_up)(PC) = nullptr;
  PetscErrorCode (*apply)(PC, Vec, Vec) = nullptr;
  PetscErrorCode (*apply_transpose)(PC, Vec, Vec) = nullptr;
  PetscErrorCode (*destroy)(PC) = nullptr;
  void* context = nullptr;
};

inline std::string toy_last_error;

template <class... Arguments>
PetscErrorCode toy_error(PetscErrorCode code, const char* message, Arguments... arguments) {
  toy_last_error = message;
  ((toy_last_error += std::string(" ") +
                      [](auto argument) {
                        if constexpr (std::is_arithmetic_v<decltype(argument)>) {
                          return std::to_string(argument);
                        } else {
                          return std::string(argument);
                        }
                      }(arguments)),
   ...);
  return code;
}

#define PetscCall(call)                                             \
  do {                                                              \
    if (const PetscErrorCode code = (call); code != 0) return code; \
  } while (false)
#define SETERRQ(communicator, code, ...) return toy_error(code, __VA_ARGS__)

inline MPI_Comm PetscObjectComm(PetscObject object) { return object->communicator; }
inline PetscErrorCode PetscObjectGetId(PetscObject object, PetscObjectId* id) {
  *id = object->id;
  return 0;
}
inline PetscErrorCode PetscObjectBaseTypeCompare(PetscObject object, const char* type, PetscBool* is_of_type) {
  *is_of_type = object->type.starts_with(type) ? PETSC_TRUE : PETSC_FALSE;
  return 0;
}
inline int MPI_Comm_size(MPI_Comm communicator, int* size) {
  *size = communicator;
  return 0;
}

inline PetscErrorCode VecGetLocalSize(Vec x, PetscInt* size) {
  *size = static_cast<PetscInt>(x->values.size());
  return 0;
}
inline PetscErrorCode VecGetArrayRead(Vec x, const PetscScalar** values) {
  ++x->arrays_out;
  *values = x->values.data();
  return 0;
}
inline PetscErrorCode VecGetArrayWrite(Vec x, PetscScalar** values) {
  ++x->arrays_out;
  *values = x->values.data();
  return 0;
}
inline PetscErrorCode VecRestoreArrayRead(Vec x, const PetscScalar** values) {
  --x->arrays_out;
  *values = nullptr;
  return 0;
}
inline PetscErrorCode VecRestoreArrayWrite(Vec x, PetscScalar** values) {
  --x->arrays_out;
  *values = nullptr;
  return 0;
}

inline PetscErrorCode MatGetRowIJ(Mat A, PetscInt, PetscBool, PetscBool, PetscInt* rows, const PetscInt** row_offsets,
                                  const PetscInt** col_indices, PetscBool* done) {
  ++A->arrays_out;
  *rows = static_cast<PetscInt>(A->row_offsets.size()) - 1;
  *row_offsets = A->row_offsets.data();
  *col_indices = A->col_indices.data();
  *done = PETSC_TRUE;
  return 0;
}
inline PetscErrorCode MatRestoreRowIJ(Mat A, PetscInt, PetscBool, PetscBool, PetscInt*, const PetscInt**,
                                      const PetscInt**, PetscBool*) {
  --A->arrays_out;
  return 0;
}
inline PetscErrorCode MatSeqAIJGetArrayRead(Mat A, const PetscScalar** values) {
  ++A->arrays_out;
  *values = A->values.data();
  return 0;
}
inline PetscErrorCode MatSeqAIJRestoreArrayRead(Mat A, const PetscScalar**) {
  --A->arrays_out;
  return 0;
}
inline PetscErrorCode MatGetOwnershipRange(Mat A, PetscInt* first, PetscInt* last) {
  *first = 0;
  *last = static_cast<PetscInt>(A->row_offsets.size()) - 1;
  return 0;
}
inline PetscErrorCode MatGetRow(Mat A, PetscInt row, PetscInt* count, const PetscInt** columns,
                                const PetscScalar** values) {
  const auto i = static_cast<std::size_t>(row);
  ++A->arrays_out;
  *count = A->row_offsets[i + 1] - A->row_offsets[i];
  *columns = A->col_indices.data() + A->row_offsets[i];
  *values = A->values.data() + A->row_offsets[i];
  return 0;
}
inline PetscErrorCode MatRestoreRow(Mat A, PetscInt, PetscInt*, const PetscInt**, const PetscScalar**) {
  --A->arrays_out;
  return 0;
}
inline PetscErrorCode MatGetBlockSize(Mat A, PetscInt* size) {
  *size = A->block_size;
  return 0;
}
inline PetscErrorCode MatGetNonzeroState(Mat A, PetscObjectState* state) {
  *state = A->pattern;
  return 0;
}
inline PetscErrorCode MatIsSymmetricKnown(Mat A, PetscBool* is_known, PetscBool* is_symmetric) {
  *is_known = A->is_symmetry_known;
  *is_symmetric = A->is_symmetric;
  return 0;
}
inline PetscErrorCode MatGetNearNullSpace(Mat A, MatNullSpace* space) {
  *space = A->near_nullspace;
  return 0;
}
inline PetscErrorCode MatNullSpaceGetVecs(MatNullSpace space, PetscBool* has_constants, PetscInt* count,
                                          const Vec** vectors) {
  *has_constants = space->has_constants;
  *count = static_cast<PetscInt>(space->vectors.size());
  *vectors = space->vectors.data();
  return 0;
}

inline PetscErrorCode PCGetOperators(PC pc, Mat* A, Mat* P) {
  if (A != nullptr) {
    *A = pc->A;
  }
  *P = pc->A;
  return 0;
}
inline PetscErrorCode PCSetType(PC pc, const char* type) {
  if (pc->header.type == type) {
    return 0;
  }
  ToyPc made;
  made.header = pc->header;
  made.header.type = type;
  made.A = pc->A;
  made.shells_gone = pc->shells_gone;
  if (pc->destroy != nullptr) {
    ++made.shells_gone;
    PetscCall(pc->destroy(pc));
  }
  *pc = made;
  return 0;
}
inline PetscErrorCode PCShellSetName(PC pc, const char* name) {
  pc->name = name;
  return 0;
}
inline PetscErrorCode PCShellSetSetUp(PC pc, PetscErrorCode (*set_up)(PC)) {
  pc->set_up = set_up;
  return 0;
}
inline PetscErrorCode PCShellSetApply(PC pc, PetscErrorCode (*apply)(PC, Vec, Vec)) {
  pc->apply = apply;
  return 0;
}
inline PetscErrorCode PCShellSetApplyTranspose(PC pc, PetscErrorCode (*apply_transpose)(PC, Vec, Vec)) {
  pc->apply_transpose = apply_transpose;
  return 0;
}
inline PetscErrorCode PCShellSetDestroy(PC pc, PetscErrorCode (*destroy)(PC)) {
  pc->destroy = destroy;
  return 0;
}
inline PetscErrorCode PCShellSetContext(PC pc, void* context) {
  pc->context = context;
  return 0;
}
inline PetscErrorCode PCShellGetContext(PC pc, void* context) {
  *static_cast<void**>(context) = pc->context;
  return 0;
}
