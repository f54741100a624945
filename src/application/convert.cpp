#include "src/application/convert.hpp"

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"
#include "problems/amg_file.hpp"
#include "problems/matrix_formats.hpp"
#include "problems/matrix_market.hpp"
#include "problems/solution_writer.hpp"
#include "problems/sorted_matrix.hpp"
#include "problems/vector_file.hpp"
#include "src/application/lone_triangle.hpp"

namespace amgsolve {

std::vector<std::string> convert_file(const std::filesystem::path& from, const std::filesystem::path& to,
                                      const std::function<bool()>& stop) {
  const std::string ending = to.extension().string();
  if (ending != ".amg" && ending != ".mtx" && ending != ".npy") {
    throw ConfigurationError(
        format_text("'{}' cannot be written: its name must end in .amg, .mtx or .npy", to.string()));
  }
  if (is_written_over(to, from)) {
    throw ConfigurationError(format_text("'{}' cannot be written: it is the file that is read", to.string()));
  }
  std::vector<std::string> warnings;
  Context<Host> ctx;
  ctx.set_stop(stop);
  const MatrixFile file(ctx, from);
  if (holds_vectors(file.file())) {
    write_solution<double>(ctx, to, parse_vector_file<double>(ctx, file.file(), &warnings).view());
  } else {
    const CsrMatrix<double, Host> A = file.parse(ctx, warnings);
    if (ending == ".npy") {
      throw ConfigurationError(format_text("'{}' cannot be written: {} holds a matrix, which .amg and .mtx take",
                                           to.string(), from.string()));
    }
    require_finite_entries(ctx, A, file.file().path());
    warn_of_lone_triangle(ctx, A, file.file().path(), warnings);
    ending == ".amg" ? write_amg_file(ctx, to, A) : write_matrix_market(ctx, to, A);
  }
  return warnings;
}

}  // namespace amgsolve
