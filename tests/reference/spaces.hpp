#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/copy.hpp"
#include "core/device.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/transfer.hpp"

/// What a typed test runs on. A test body builds its input on the host, uploads it into the memory space under test,
/// calls the operation, and downloads the result to compare it with a naive reference:
///
///     template <class I> class Product : public reference::SpaceTest<typename I::Space> {};
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

/// Of tests whose operation exists on the host alone.
using HostInstances = ::testing::Types<Instance<float, Host>, Instance<double, Host>>;

#if AMGSOLVE_HAVE_CUDA
using Instances =
    ::testing::Types<Instance<float, Host>, Instance<double, Host>, Instance<float, Cuda>, Instance<double, Cuda>>;
#else
using Instances = HostInstances;
#endif

/// Of tests that would learn nothing new from float.
#if AMGSOLVE_HAVE_CUDA
using DoubleInstances = ::testing::Types<Instance<double, Host>, Instance<double, Cuda>>;
#else
using DoubleInstances = ::testing::Types<Instance<double, Host>>;
#endif

/// Of tests whose input is too large for double.
#if AMGSOLVE_HAVE_CUDA
using FloatInstances = ::testing::Types<Instance<float, Host>, Instance<float, Cuda>>;
#else
using FloatInstances = ::testing::Types<Instance<float, Host>>;
#endif

/// Names instances in the test list: "float_host".
struct InstanceNames {
  template <class I>
  static std::string GetName(int) {
    const std::string value = std::is_same_v<typename I::Value, float> ? "float" : "double";
    return value + (std::is_same_v<typename I::Space, Host> ? "_host" : "_cuda");
  }
};

/// A test that is skipped where the machine has no such memory space.
template <MemorySpace S>
class SpaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::is_same_v<S, Cuda> && device_count() == 0) {
      GTEST_SKIP() << device_problem();
    }
  }
};

/// Calls body(ctx) with contexts of one, two and seven threads on the host, and with one context on a device.
template <MemorySpace S, class Body>
void for_contexts(const Body& body) {
  if constexpr (std::is_same_v<S, Host>) {
    for (const int threads : {1, 2, 7}) {
      SCOPED_TRACE(::testing::Message() << threads << " threads");
      Context<Host> ctx(threads);
      body(ctx);
    }
  } else {
    Context<S> ctx;
    body(ctx);
  }
}

/// A host matrix in the memory space of the context: on the host, itself.
template <class T>
CsrMatrix<T, Host> upload(Context<Host>&, CsrMatrix<T, Host> A) {
  return A;
}

template <class T>
CsrMatrix<T, Cuda> upload(Context<Cuda>& ctx, const CsrMatrix<T, Host>& A) {
  return amgsolve::upload(ctx, A);
}

/// A multivector of the given number of columns in the memory space of the context.
template <class T, MemorySpace S>
MultiVector<T, S> upload(Context<S>& ctx, const std::vector<T>& values, Index columns = 1) {
  MultiVector<T, S> x(ctx, static_cast<Index>(values.size() / static_cast<std::size_t>(columns)), columns);
  amgsolve::upload(ctx, Span<const T, Host>(values.data(), values.size()), x.view().span());
  return x;
}

/// A buffer with the given values in the memory space of the context.
template <class T, MemorySpace S>
Buffer<T, S> upload_buffer(Context<S>& ctx, const std::vector<T>& values) {
  return amgsolve::upload(ctx, Span<const T, Host>(values.data(), values.size()));
}

/// A matrix of any memory space on the host: on the host, itself.
template <class T>
CsrMatrix<T, Host> download(Context<Host>&, CsrMatrix<T, Host> A) {
  return A;
}

template <class T>
CsrMatrix<T, Host> download(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  static Context<Host> host;
  return amgsolve::download(ctx, host, A);
}

/// The values of a span in any memory space.
template <class T, MemorySpace S>
std::vector<std::remove_const_t<T>> download(Context<S>& ctx, Span<T, S> values) {
  std::vector<std::remove_const_t<T>> result(values.size());
  amgsolve::download(ctx, values, {result.data(), result.size()});
  return result;
}

/// The values of a multivector in any memory space, row-major.
template <class T, MemorySpace S>
std::vector<T> download(Context<S>& ctx, const MultiVector<T, S>& x) {
  return download(ctx, x.view().span());
}

}  // namespace amgsolve::reference
