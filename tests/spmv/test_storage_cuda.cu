#include "core/parallel_cuda.cuh"
#include "spmv/spmv_steps_cuda.cuh"
#include "tests/spmv/single_entry_matrix.hpp"

namespace amgsolve {
namespace {

class CudaStorage : public reference::SpaceTest<Cuda> {};

TEST_F(CudaStorage, OfOnesOwnHasAllOperations) { expect_operations_of_single_entries<Cuda>(); }

}  // namespace
}  // namespace amgsolve
