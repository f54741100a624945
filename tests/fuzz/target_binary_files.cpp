#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/numpy.hpp"
#include "problems/petsc.hpp"
#include "spmv/statistics.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/reference/hostile_matrix_market.hpp"

namespace amgsolve::fuzz {
namespace {

using reference::accepts_hostile;

const std::string name = "hostile";

void parse_matrix(Context<Host>& ctx, std::string_view bytes) {
  std::vector<std::string> warnings;
  const CsrMatrix<double, Host> A = petsc_format().parse(ctx, bytes, name, warnings);
  try {
    check_structure(ctx, A);
  } catch (const InputError& error) {
    throw std::logic_error(error.what());
  }
}

}  // namespace

bool binary_files(std::string_view bytes) {
  if (is_numpy(bytes)) {
    return accepts_hostile([&](Context<Host>& ctx) { parse_numpy<float>(ctx, bytes, name); });
  }
  if (!is_petsc(bytes)) {
    return false;
  }
  const bool matrix = accepts_hostile([&](Context<Host>& ctx) { parse_matrix(ctx, bytes); });
  const bool vector = accepts_hostile([&](Context<Host>& ctx) { parse_petsc_vector<float>(ctx, bytes, name); });
  return matrix || vector;
}

}  // namespace amgsolve::fuzz
