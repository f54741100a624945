#include "problems/solution_writer.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/format.hpp"
#include "problems/amg_file.hpp"
#include "problems/matrix_market.hpp"
#include "problems/numpy.hpp"
#include "problems/vtk_writer.hpp"

namespace amgsolve {

template <class T>
Writers write_solution(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
                       const ImageGeometry* image, const PointGeometry& points, const PointFields<T>& fields) {
  const std::string extension = path.extension().string();
  constexpr std::array<std::string_view, 5> known{".mtx", ".npy", ".amg", ".vti", ".vtu"};
  if (std::ranges::find(known, extension) == known.end() || (extension == ".vti" && image == nullptr) ||
      (extension == ".vtu" && points.points.data == nullptr)) {
    throw std::invalid_argument(format_text("a solution cannot be written to '{}'", path.string()));
  }
  const std::vector<RowsSection> file = extension == ".mtx"   ? matrix_market_file(ctx, x)
                                        : extension == ".npy" ? numpy_file(ctx, x)
                                        : extension == ".amg" ? amg_file_of_vectors(ctx, x)
                                        : extension == ".vti" ? vti_file(ctx, x, *image, fields)
                                                              : vtu_file(ctx, x, points, fields);
  return write_rows_file(ctx, path, file);
}

template Writers write_solution(Context<Host>&, const std::filesystem::path&, MultiVectorView<const float, Host>,
                                const ImageGeometry*, const PointGeometry&, const PointFields<float>&);
template Writers write_solution(Context<Host>&, const std::filesystem::path&, MultiVectorView<const double, Host>,
                                const ImageGeometry*, const PointGeometry&, const PointFields<double>&);

}  // namespace amgsolve
