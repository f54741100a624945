#include <algorithm>
#include <iterator>

#include "problems/matrix_market.hpp"

namespace amgsolve {
namespace {

bool begins_with_banner(std::string_view text) { return text.starts_with("%%MatrixMarket"); }

CsrMatrix<double, Host> parse(Context<Host>& ctx, std::string_view text, const std::string& path,
                              std::vector<std::string>& warnings) {
  MatrixMarketNotes notes;
  CsrMatrix<double, Host> A = parse_matrix_market<double>(ctx, text, path, &notes);
  std::ranges::move(describe(notes, path), std::back_inserter(warnings));
  return A;
}

}  // namespace

MatrixFormat matrix_market_format() {
  return {.name = "Matrix Market", .recognises = begins_with_banner, .parse = parse};
}

}  // namespace amgsolve
