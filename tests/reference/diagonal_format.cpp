#include "tests/reference/diagonal_format.hpp"

#include <sstream>

#include "core/errors.hpp"

namespace amgsolve::reference {
namespace {

bool begins_with_name(std::string_view text) { return text.starts_with("diagonal "); }

MatrixSize size(std::string_view text, const std::string& /*path*/) {
  std::istringstream numbers{std::string(text.substr(text.find(' ')))};
  Index n = 0;
  numbers >> n;
  return {n, n};
}

CsrMatrix<double, Host> parse(Context<Host>& ctx, std::string_view text, const std::string& path,
                              std::vector<std::string>& /*warnings*/) {
  std::istringstream numbers{std::string(text.substr(text.find(' ')))};
  Index n = 0;
  numbers >> n;
  CsrMatrix<double, Host> A(ctx, n, n, n);
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    A.row_offsets[row] = i;
    A.col_indices[row] = i;
    numbers >> A.values[row];
  }
  A.row_offsets[static_cast<std::size_t>(n)] = n;
  if (!numbers) {
    throw InputError(path + ":1: expected a number and as many entries");
  }
  return A;
}

}  // namespace

MatrixFormat diagonal_format() {
  return {.name = "diagonal", .recognises = begins_with_name, .size = size, .parse = parse};
}

}  // namespace amgsolve::reference
