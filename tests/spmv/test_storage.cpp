#include "core/parallel_host.hpp"
#include "spmv/spmv_steps_host.hpp"
#include "tests/spmv/single_entry_matrix.hpp"

namespace amgsolve {

// Also for the test on a device.
template CsrMatrix<double, Host> detail::collect_entries(Context<Host>&, const SingleEntryRef<double>&, Index, Offset);

namespace {

TEST(Storage, OfOnesOwnHasAllOperations) { expect_operations_of_single_entries<Host>(); }

}  // namespace
}  // namespace amgsolve
