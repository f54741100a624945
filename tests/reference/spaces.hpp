#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

/// What a typed test runs on. A test body builds its input on the host, uploads it into the memory space under test,
/// calls the operation, and downloads the result to compare it with a naive reference:
///
///     template <class I> class Product : public ::testing::Test {};
///     TYPED_TEST_SUITE(Product, reference::Instances, reference::InstanceNames);
///     TYPED_TEST(Product, MatchesReference) {
///       using T = typename TypeParam::Value;
///       Context<typename TypeParam::Space> ctx;
///       ...
namespace amgsolve::reference {

/// The value type and memory space of one instance of a typed test.
template <class V, MemorySpace S>
struct Instance {
  using Value = V;
  using Space = S;
};

using Instances = ::testing::Types<Instance<float, Host>, Instance<double, Host>>;

/// Names instances in the test list: "float_host".
struct InstanceNames {
  template <class I>
  static std::string GetName(int) {
    const std::string value = std::is_same_v<typename I::Value, float> ? "float" : "double";
    return value + (std::is_same_v<typename I::Space, Host> ? "_host" : "_cuda");
  }
};

/// A host matrix in the memory space of the context: on the host, itself.
template <class T>
CsrMatrix<T, Host> upload(Context<Host>&, CsrMatrix<T, Host> A) {
  return A;
}

/// A fat vector of the given number of columns in the memory space of the context.
template <class T>
FatVector<T, Host> upload(Context<Host>& ctx, const std::vector<T>& values, Index columns = 1) {
  FatVector<T, Host> x(ctx, static_cast<Index>(values.size() / static_cast<std::size_t>(columns)), columns);
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

/// A buffer with the given values in the memory space of the context.
template <class T>
Buffer<T, Host> upload_buffer(Context<Host>& ctx, const std::vector<T>& values) {
  Buffer<T, Host> buffer(ctx, values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

/// A matrix of any memory space on the host: on the host, itself.
template <class T>
CsrMatrix<T, Host> download(Context<Host>&, CsrMatrix<T, Host> A) {
  return A;
}

/// The values of a span in any memory space.
template <class T>
std::vector<std::remove_const_t<T>> download(Context<Host>&, Span<T, Host> values) {
  return {values.begin(), values.end()};
}

/// The values of a fat vector in any memory space, row-major.
template <class T>
std::vector<T> download(Context<Host>&, const FatVector<T, Host>& x) {
  return {x.data(), x.data() + x.size()};
}

}  // namespace amgsolve::reference
