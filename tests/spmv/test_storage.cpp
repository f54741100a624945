#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/parallel_host.hpp"
#include "spmv/global_rows.hpp"
#include "spmv/spmv_steps_host.hpp"
#include "tests/spmv/single_entry_matrix.hpp"

namespace amgsolve {

// Also for the test on a device.
template CsrMatrix<double, Host> detail::collect_entries(Context<Host>&, const SingleEntryRef<double>&, Index, Offset);

namespace {

TEST(Storage, OfOnesOwnHasAllOperations) { expect_operations_of_single_entries<Host>(); }

/// Zeros of which only those that are touched take memory; null where there are not so many addresses.
template <class V>
class Untouched {
 public:
  explicit Untouched(std::size_t n) : bytes_(n * sizeof(V)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Untouched() {
    if (memory_ != MAP_FAILED) {
      munmap(memory_, bytes_);
    }
  }
  Untouched(const Untouched&) = delete;
  Untouched& operator=(const Untouched&) = delete;

  V* data() const { return memory_ == MAP_FAILED ? nullptr : static_cast<V*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

TEST(Storage, LargestMatrixHasProductsOfItsLastRows) {
  constexpr Index count = 127;
  constexpr Index first = max_index - count;
  for (const Index k : {1, 5}) {
    const Untouched<Offset> offsets(std::size_t{max_index} + 1);
    const Untouched<double> y(std::size_t{max_index} * static_cast<std::size_t>(k));
    if (offsets.data() == nullptr || y.data() == nullptr) {
      GTEST_SKIP() << "the process has no room for " << 8 * (k + 1) << " times 2^31 bytes: " << std::strerror(errno);
    }
    for (Index i = 0; i <= count; ++i) {
      offsets.data()[first + i] = i;
    }
    const std::vector<Index> columns(std::size_t{count}, 0);
    const std::vector<double> values(std::size_t{count}, 2.0);
    const std::vector<double> x(static_cast<std::size_t>(k), 3.0);
    const CsrRef<double> A{offsets.data(), columns.data(), values.data(), max_index};
    detail::multiply_between(A, first, max_index, MultiVectorView<const double, Host>(x.data(), 1, k),
                             detail::MultiplyAdd<double>{1.0, 0.0, y.data()});
    for (Offset i = Offset{first} * k; i < Offset{max_index} * k; ++i) {
      ASSERT_EQ(y.data()[i], 6.0) << i;
    }
  }
  EXPECT_EQ((SellRef<double>{max_index, nullptr, nullptr, nullptr}.rooms()), Offset{1} << 31);
}

TEST(Storage, MostRowsAreCounted) {
  GlobalRows<double, Host> rows;
  rows.row_offsets = Buffer<Offset, Host>::borrow(Span<const Offset, Host>(nullptr, std::size_t{max_index} + 1));
  EXPECT_EQ(rows.rows(), max_index);
}

}  // namespace
}  // namespace amgsolve
