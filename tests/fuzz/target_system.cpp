#include <algorithm>
#include <array>

#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/checked_solve.hpp"
#include "tests/fuzz/targets.hpp"

namespace amgsolve::fuzz {
namespace {

/// Values of options, for any key: most do not fit the one they are tried on.
constexpr std::array<std::string_view, 58> words{
    "auto",      "host",      "cuda",         "cg",           "fcg",       "amg",  "attainable", "strict", "none",
    "pattern",   "signed",    "true",         "false",        "V",         "W",    "F",          "jacobi", "same",
    "chebyshev", "l1_jacobi", "gauss_seidel", "block_jacobi", "mixed",     "csr",  "ell",        "sell",   "esc",
    "hash",      "dense",     "thin",         "hierarchy",    "symmetric", "0",    "1",          "2",      "3",
    "7",         "100",       "-1",           "0.5",          "0.99",      "1e-3", "1e-300",     "1e9",    "nan",
    "inf",       "[1]",       "[2,1]",        "[0,0,0]",      "[8,64]",    "1.9",  "1e-16",      "0.02",   "1.0",
    "[1,2,900]", "100000",    "row_merge",    "1e-8"};

/// Options that would ask for much work rather than for anything wrong.
Options chosen_options(Bytes& bytes) {
  static const std::vector<std::string> keys = Options::keys();
  Options options;
  options.set("amg.coarse_size", 4).set("amg.direct_solve_limit", 8);
  for (std::size_t n = bytes.below(8); n > 0; --n) {
    const std::string& key = keys[bytes.below(keys.size())];
    const std::size_t choice = bytes.byte();
    const std::string_view value = choice < words.size() ? words[choice] : bytes.word();
    try {
      options.set(key, value);
      const std::string text = options.get(key);
      options.set(key, text);
      if (options.get(key) != text) {
        throw std::logic_error("an option reads back as another one: " + key + "=" + text);
      }
    } catch (const std::invalid_argument&) {
    }
  }
  options.set("solver.threads", 1).set("solver.memory_limit", 64'000'000);
  for (const char* key : {"solver.max_iterations", "amg.pre_sweeps", "amg.post_sweeps", "amg.smoother.degree"}) {
    if (options.get(key).size() > 2) {
      options.set(key, 50);
    }
  }
  return options;
}

template <class T, class Offset>
OwnMatrix<T, Offset> raw_matrix(Bytes& bytes) {
  OwnMatrix<T, Offset> A{
      static_cast<std::int64_t>(bytes.below(8)) - 1, static_cast<std::int64_t>(bytes.below(8)) - 1, {}, {}, {}};
  for (std::size_t n = bytes.below(10); n > 0; --n) {
    A.row_offsets.push_back(static_cast<Offset>(bytes.byte()) - 1);
  }
  for (std::size_t n = bytes.below(32); n > 0; --n) {
    A.col_indices.push_back(static_cast<std::int32_t>(bytes.byte()) - 1);
  }
  A.values = bytes.numbers<T>(bytes.below(32));
  return A;
}

/// Symmetric; with `dominant` positive definite as long as no entry is hostile.
template <class T, class Offset>
OwnMatrix<T, Offset> symmetric_matrix(Bytes& bytes, bool dominant) {
  const std::size_t n = 1 + bytes.below(40);
  std::vector<T> dense(n * n, T{0});
  for (std::size_t i = 0; i < n; ++i) {
    dense[i * n + i] = dominant ? std::abs(bytes.number<T>()) : bytes.number<T>();
  }
  for (std::size_t m = bytes.byte(); m > 0 && !bytes.is_empty(); --m) {
    const std::size_t i = bytes.below(n);
    const std::size_t j = bytes.below(n);
    const T value = bytes.number<T>();
    if (i != j) {
      if (dominant) {
        dense[i * n + i] += std::abs(value);
        dense[j * n + j] += std::abs(value);
      }
      dense[i * n + j] = dense[j * n + i] = value;
    }
  }
  OwnMatrix<T, Offset> A{static_cast<std::int64_t>(n), static_cast<std::int64_t>(n), {0}, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j || !(dense[i * n + j] == T{0})) {
        A.col_indices.push_back(static_cast<std::int32_t>(j));
        A.values.push_back(dense[i * n + j]);
      }
    }
    A.row_offsets.push_back(static_cast<Offset>(A.values.size()));
  }
  return A;
}

template <class T, class Offset>
bool takes(Bytes& bytes) {
  const Options options = chosen_options(bytes);
  const std::size_t kind = bytes.below(8);
  const OwnMatrix<T, Offset> A = kind == 0   ? raw_matrix<T, Offset>(bytes)
                                 : kind == 1 ? laplacian<T, Offset>(2 + static_cast<std::int64_t>(bytes.below(12)))
                                             : symmetric_matrix<T, Offset>(bytes, kind > 3);
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(A.rows, 0));
  const std::size_t columns = 1 + bytes.below(3);
  const std::size_t candidates = bytes.below(8);  // none, as a rule
  const std::vector<T> near_nullspace = bytes.numbers<T>(candidates < 3 ? candidates * n : 0);
  const std::vector<T> b = bytes.is_empty() ? std::vector<T>(n * columns, T{1}) : bytes.numbers<T>(n * columns);
  return solves(options, A, near_nullspace, b, std::vector<T>(b.size(), T{0}), static_cast<int>(columns));
}

}  // namespace

bool system(std::string_view input) {
  Bytes bytes(input);
  switch (bytes.below(4)) {
    case 0:
      return takes<double, std::int32_t>(bytes);
    case 1:
      return takes<double, std::int64_t>(bytes);
    case 2:
      return takes<float, std::int32_t>(bytes);
    default:
      return takes<float, std::int64_t>(bytes);
  }
}

}  // namespace amgsolve::fuzz
