#include "problems/mesh_file.hpp"

#include "core/timer.hpp"
#include "problems/mesh_text.hpp"
#include "problems/text_file.hpp"

namespace amgsolve {

Mesh read_mesh(Context<Host>& ctx, const std::filesystem::path& path, ElementsOfNodes& around) {
  const ScopedTimer timer(ctx, "read");
  const TextFile file(ctx, path);
  return parse_mesh_text(ctx, file.text(), file.path(), around);
}

}  // namespace amgsolve
