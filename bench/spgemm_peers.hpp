#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/cusparse_spgemm.hpp"
#include "bench/eigen_products.hpp"
#include "bench/row_marker_spgemm.hpp"
#include "spmv/csr_matrix.hpp"

/// The peers of sparse products: Eigen (one thread) and AMGCL's method on the host, cuSPARSE on a device.
namespace amgsolve::bench {

/// A peer, ready to form one product.
struct SpgemmPeer {
  std::string name;
  std::function<void()> multiply;           ///< forms the product and frees it
  std::function<std::size_t()> peak_bytes;  ///< most memory beside operands and result; empty where it is not known
};

/// @param algorithms  of cuSPARSE
template <class T>
std::vector<SpgemmPeer> spgemm_peers(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                     const std::vector<std::string>& /*algorithms*/) {
  return {{"Eigen", eigen_spgemm(A, B), {}}, {"row marker", row_marker_spgemm(ctx, A, B), {}}};
}

#if AMGSOLVE_HAVE_CUDA
template <class T>
std::vector<SpgemmPeer> spgemm_peers(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                     const std::vector<std::string>& algorithms) {
  std::vector<SpgemmPeer> peers;
  for (const std::string& algorithm : algorithms) {
    CusparseSpgemm peer = cusparse_spgemm(ctx, A, B, algorithm);
    peers.push_back({peer.name, [multiply = peer.multiply] { multiply(); },
                     [&ctx, &A, &B, algorithm] {
                       ctx.synchronize();
                       Context<Cuda> empty(ctx.device());
                       const CusparseSpgemm again = cusparse_spgemm(empty, A, B, algorithm);
                       const std::size_t result_bytes = again.multiply().bytes;
                       return empty.memory().peak_bytes() - again.operand_bytes - result_bytes;
                     }});
  }
  return peers;
}
#endif

}  // namespace amgsolve::bench
