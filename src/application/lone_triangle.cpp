#include "src/application/lone_triangle.hpp"

#include "core/communicator.hpp"
#include "core/format.hpp"
#include "core/reduce_host.hpp"

namespace amgsolve {
namespace {

/// On which sides of the diagonal there are entries.
struct Sides {
  bool below = false;
  bool above = false;
};

template <class Rows>
Sides sides_of(Context<Host>& ctx, const Rows& A, std::int64_t rows, std::int64_t first_row) {
  const Offset* const offsets = A.row_offsets.data();
  const auto any_row = [&](const auto& is_wanted) {
    return find_first(ctx, rows, [&](std::int64_t i) {
             return offsets[i] < offsets[i + 1] && is_wanted(first_row + i, offsets[i], offsets[i + 1] - 1);
           }) < rows;
  };
  const auto* const columns = A.col_indices.data();
  return {any_row([&](std::int64_t row, Offset first, Offset) { return columns[first] < row; }),
          any_row([&](std::int64_t row, Offset, Offset last) { return columns[last] > row; })};
}

void warn(Sides sides, const std::string& name, std::vector<std::string>& warnings) {
  if (sides.below != sides.above) {
    warnings.push_back(format_text(
        "{}: all entries beside the diagonal are {} it: where that is one triangle of a symmetric matrix, solve with "
        "both, which 'symmetric' in the first line of a Matrix Market file stands for",
        name, sides.below ? "below" : "above"));
  }
}

}  // namespace

void warn_of_lone_triangle(Context<Host>& ctx, const CsrMatrix<double, Host>& A, const std::string& name,
                           std::vector<std::string>& warnings) {
  if (A.rows == A.cols) {
    warn(sides_of(ctx, A, A.rows, 0), name, warnings);
  }
}

void warn_of_lone_triangle(Context<Host>& ctx, const GlobalRows<double, Host>& own, std::int64_t first_row,
                           const std::string& name, std::vector<std::string>& warnings) {
  const Sides sides = sides_of(ctx, own, own.rows(), first_row);
  const Communicator& ranks = ctx.communicator();
  warn({ranks.max(sides.below ? 1 : 0) > 0, ranks.max(sides.above ? 1 : 0) > 0}, name, warnings);
}

}  // namespace amgsolve
