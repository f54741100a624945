#include "tests/reference/hostile_matrix_market.hpp"

#include <stdexcept>

#include "core/errors.hpp"
#include "problems/matrix_market.hpp"

namespace amgsolve::reference {
namespace {

void require(bool condition, const char* what) {
  if (!condition) {
    throw std::logic_error(what);
  }
}

void check_form(const CsrMatrix<double, Host>& A) {
  require(A.rows >= 0 && A.cols >= 0, "a negative size was read");
  require(A.row_offsets[0] == 0 && A.row_offsets[static_cast<std::size_t>(A.rows)] == A.nnz(), "offsets miss entries");
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    require(A.row_offsets[i] <= A.row_offsets[i + 1], "offsets descend");
    Index before = -1;
    for (auto e = static_cast<std::size_t>(A.row_offsets[i]); e < static_cast<std::size_t>(A.row_offsets[i + 1]); ++e) {
      require(A.col_indices[e] > before && A.col_indices[e] < A.cols, "columns out of range or order");
      before = A.col_indices[e];
    }
  }
}

}  // namespace

bool accepts_hostile(const std::function<void(Context<Host>&)>& parse) {
  constexpr std::size_t memory_allowed = std::size_t{8} << 20;
  Context<Host> ctx(1);
  ctx.memory().set_limit(memory_allowed);
  try {
    parse(ctx);
    return true;
  } catch (const InputError&) {
    return false;
  } catch (const OutOfMemoryError&) {
    return false;
  }
}

bool parse_hostile_text(std::string_view text) {
  const bool matrix =
      accepts_hostile([&](Context<Host>& ctx) { check_form(parse_matrix_market<double>(ctx, text, "hostile.mtx")); });
  const bool vectors = accepts_hostile([&](Context<Host>& ctx) { parse_vectors<float>(ctx, text, "hostile.mtx"); });
  return matrix || vectors;
}

}  // namespace amgsolve::reference
