#include "problems/matrix_formats.hpp"

#include <algorithm>
#include <array>

#include "core/timer.hpp"
#include "problems/matrix_market.hpp"
#include "problems/text_file.hpp"

namespace amgsolve {

std::span<const MatrixFormat> matrix_formats() {
  static const std::array formats{
      matrix_market_format(),
  };
  return formats;
}

CsrMatrix<double, Host> read_matrix(Context<Host>& ctx, const std::filesystem::path& path,
                                    std::vector<std::string>& warnings, std::span<const MatrixFormat> formats) {
  const ScopedTimer timer(ctx, "read");
  const TextFile file(ctx, path);
  const auto found =
      std::ranges::find_if(formats, [&](const MatrixFormat& format) { return format.recognises(file.text()); });
  const MatrixFormat& format = found == formats.end() ? formats.front() : *found;
  return format.parse(ctx, file.text(), file.path(), warnings);
}

}  // namespace amgsolve
