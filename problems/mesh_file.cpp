#include "problems/mesh_file.hpp"

#include <utility>

#include "core/timer.hpp"
#include "problems/mesh_gmsh.hpp"
#include "problems/mesh_text.hpp"
#include "problems/text_file.hpp"

namespace amgsolve {

Mesh read_mesh(Context<Host>& ctx, const std::filesystem::path& path, ElementsOfNodes& around) {
  const ScopedTimer timer(ctx, "read");
  TextFile file(ctx, path);
  if (!is_gmsh(file.text())) {
    return parse_mesh_text(ctx, file.text(), file.path(), around);
  }
  return read_gmsh(ctx, std::move(file), around);
}

}  // namespace amgsolve
