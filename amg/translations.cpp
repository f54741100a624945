#include "amg/translations.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "amg/translations_steps.hpp"
#include "core/instantiate.hpp"
#include "spmv/spmv.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// The square of what is left of a vector of length 1 that others span, as far as the digits of files go.
constexpr double spanned = 1e-6;

/// How much less smooth than the vectors given a translation may be.
constexpr double most_translation_energy = 5.0;

/// The inner products of the columns: xᵀ x.
template <class T, MemorySpace S>
Eigen::MatrixXd gram(Context<S>& ctx, Same<MultiVectorView<const T, S>> x) {
  const Index k = x.columns;
  MultiVector<T, S> spread(ctx, x.rows, k);
  Buffer<double, S> products(ctx, static_cast<std::size_t>(k));
  Eigen::MatrixXd G(k, k);
  for (Index j = 0; j < k; ++j) {
    detail::spread_column<T>(ctx, x, j, spread);
    dot<T>(ctx, x, std::as_const(spread), products);
    to_host(ctx, std::as_const(products).span(), G.col(j).data());
  }
  return G;
}

/// The Rayleigh quotients w_jᵀ A w_j / w_jᵀ D w_j.
template <class T, MemorySpace S>
std::vector<double> energies(Context<S>& ctx, const CsrMatrix<T, S>& A, Same<MultiVectorView<const T, S>> w) {
  MultiVector<T, S> product(ctx, w.rows, w.columns);
  MultiVector<T, S> diagonal(ctx, w.rows);
  Buffer<double, S> sums(ctx, static_cast<std::size_t>(w.columns));
  std::vector<double> result(sums.size());
  std::vector<double> sizes(sums.size());
  spmv(ctx, T{1}, A, w, T{0}, product.view());
  dot<T>(ctx, w, std::as_const(product), sums);
  to_host(ctx, std::as_const(sums).span(), result.data());
  extract_diagonal<T>(ctx, A, diagonal.view().span());
  scale_rows<T>(ctx, std::as_const(diagonal).view().span(), w, product);
  dot<T>(ctx, w, std::as_const(product), sums);
  to_host(ctx, std::as_const(sums).span(), sizes.data());
  std::transform(result.begin(), result.end(), sizes.begin(), result.begin(), std::divides<>());
  return result;
}

/// What of vector j of a Gram matrix with ones on its diagonal is left by those before it, squared; `kept` are those of
/// them that count.
double left_of(const Eigen::MatrixXd& G, const std::vector<Eigen::Index>& kept, Eigen::Index j) {
  if (kept.empty()) {
    return 1.0;
  }
  const Eigen::MatrixXd inner = G(kept, kept);
  const Eigen::VectorXd coupled = G(kept, j);
  return 1.0 - coupled.dot(inner.completeOrthogonalDecomposition().solve(coupled));
}

/// The translations and then the vectors given, and the inner products of all these over their lengths.
template <class T, MemorySpace S>
struct TranslationsFirst {
  MultiVector<T, S> all;
  Eigen::MatrixXd G;

  TranslationsFirst(Context<S>& ctx, MultiVectorView<const T, S> vectors, Index block_size)
      : all(ctx, vectors.rows, block_size + vectors.columns) {
    detail::put_translations_before<T>(ctx, vectors, block_size, all);
    G = gram<T>(ctx, std::as_const(all));
    const Eigen::VectorXd scale = G.diagonal().array().rsqrt();
    G = scale.asDiagonal() * G * scale.asDiagonal();
  }

  /// See begins_with_translations().
  bool are_all_given(Eigen::Index b) const {
    bool are_given = G.rows() >= 2 * b;
    for (Eigen::Index c = 0; are_given && c < b; ++c) {
      are_given = left_of(G, {b + c}, c) <= spanned;
    }
    return are_given;
  }
};

}  // namespace

template <class T, MemorySpace S>
bool begins_with_translations(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> vectors,
                              Index block_size) {
  return TranslationsFirst<T, S>(ctx, vectors, block_size).are_all_given(block_size);
}

template <class T, MemorySpace S>
WithTranslations<T, S> with_translations(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                         std::type_identity_t<MultiVectorView<const T, S>> vectors, Index block_size) {
  const Eigen::Index b = block_size;
  const Eigen::Index k = vectors.columns;
  const TranslationsFirst<T, S> joined(ctx, vectors, block_size);
  if (joined.are_all_given(b)) {
    return {};
  }
  const auto& [all, G] = joined;
  const auto range = [](Eigen::Index first, Eigen::Index last) {
    std::vector<Eigen::Index> result;
    for (; first < last; ++first) {
      result.push_back(first);
    }
    return result;
  };
  WithTranslations<T, S> result;
  const std::vector<double> energy = energies<T>(ctx, A, std::as_const(all));
  const double most =
      most_translation_energy * std::max(*std::max_element(energy.begin() + b, energy.end()),
                                         std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())));
  for (Eigen::Index c = 0; c < b; ++c) {
    if (left_of(G, range(b, b + k), c) > spanned) {
      ++result.missing;
      if (energy[static_cast<std::size_t>(c)] > most) {
        return {};
      }
    }
  }
  std::vector<Eigen::Index> kept = range(0, b);
  for (Eigen::Index j = b; j < b + k; ++j) {
    if (left_of(G, kept, j) > spanned) {
      kept.push_back(j);
    }
  }
  result.vectors = MultiVector<T, S>(ctx, vectors.rows, static_cast<Index>(kept.size()));
  for (std::size_t to = 0; to < kept.size(); ++to) {
    detail::copy_column<T>(ctx, std::as_const(all), static_cast<Index>(kept[to]), result.vectors,
                           static_cast<Index>(to));
  }
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                    \
  template bool begins_with_translations<T, S>(Context<S>&, MultiVectorView<const T, S>, Index);                      \
  template WithTranslations<T, S> with_translations(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>, \
                                                    Index);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
