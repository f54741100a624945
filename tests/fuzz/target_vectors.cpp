#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/checked_solve.hpp"
#include "tests/fuzz/targets.hpp"

namespace amgsolve::fuzz {
namespace {

template <class T>
bool takes(Bytes& bytes) {
  Options options;
  options.set("amg.coarse_size", 4).set("solver.threads", 1).set("solver.max_iterations", 50);
  options.set("amg.block_size", 1 + bytes.below(3)).set("solver.reuse", bytes.below(2) == 0 ? "none" : "pattern");
  const OwnMatrix<T, std::int64_t> A = laplacian<T, std::int64_t>(6);
  const auto n = static_cast<std::size_t>(A.rows);
  // Rarely a size that does not fit.
  const auto off = [&] { return bytes.below(32) == 31 ? 1U : 0U; };
  const std::vector<T> near_nullspace = bytes.numbers<T>(bytes.below(5) * n + off());
  const std::size_t columns = 1 + bytes.below(4);
  const std::vector<T> b = bytes.numbers<T>(columns * n + off());
  const std::vector<T> x = bytes.numbers<T>(columns * n + off());
  return solves(options, A, near_nullspace, b, x, static_cast<int>(columns));
}

}  // namespace

bool vectors(std::string_view input) {
  Bytes bytes(input);
  return bytes.below(2) == 0 ? takes<double>(bytes) : takes<float>(bytes);
}

}  // namespace amgsolve::fuzz
