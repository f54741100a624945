#include "problems/mesh_gmsh.hpp"

#if AMGSOLVE_HAVE_GMSH
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"
#include "core/timer.hpp"
#include "problems/gmsh_model.hpp"
#include "problems/gmsh_session.hpp"
#include "problems/own_process.hpp"

namespace amgsolve {

bool is_gmsh(std::string_view text) { return text.starts_with("$MeshFormat"); }

const char* to_string(MeshDomain domain) {
  switch (domain) {
    case MeshDomain::none:
      return "none";
    case MeshDomain::square:
      return "square";
    case MeshDomain::cube:
      return "cube";
    case MeshDomain::disk:
      return "disk";
    case MeshDomain::horseshoe:
      return "horseshoe";
    case MeshDomain::plate_with_hole:
      return "plate_with_hole";
  }
  return "";
}

#if AMGSOLVE_HAVE_GMSH

namespace {

struct Position {
  double x;
  double y;
};

/// A line, or an arc of less than half a circle, from where the one before ends.
struct Curve {
  Position end;
  const char* group;
  const Position* centre = nullptr;  ///< of an arc
};

/// A closed curve from the end of its last part.
using Outline = std::vector<Curve>;

Outline square_outline() { return {{{1, 0}, "bottom"}, {{1, 1}, "right"}, {{0, 1}, "top"}, {{0, 0}, "left"}}; }

Outline circle_outline(const Position& centre, double radius, const char* group) {
  return {{{centre.x, centre.y + radius}, group, &centre},
          {{centre.x - radius, centre.y}, group, &centre},
          {{centre.x, centre.y - radius}, group, &centre},
          {{centre.x + radius, centre.y}, group, &centre}};
}

constexpr Position origin{0, 0};
constexpr Position middle{0.5, 0.5};

/// The first one goes around the domain, others around holes.
std::vector<Outline> outlines(MeshDomain domain) {
  switch (domain) {
    case MeshDomain::disk:
      return {circle_outline(origin, 1.0, "")};
    case MeshDomain::horseshoe:
      return {{{{1, -1}, "right_end"},
               {{1, 0}, "outer"},
               {{0, 1}, "outer", &origin},
               {{-1, 0}, "outer", &origin},
               {{-1, -1}, "outer"},
               {{-0.5, -1}, "left_end"},
               {{-0.5, 0}, "inner"},
               {{0, 0.5}, "inner", &origin},
               {{0.5, 0}, "inner", &origin},
               {{0.5, -1}, "inner"}}};
    case MeshDomain::plate_with_hole:
      return {square_outline(), circle_outline(middle, 0.2, "hole")};
    case MeshDomain::none:
    case MeshDomain::square:
    case MeshDomain::cube:
      break;
  }
  return {square_outline()};
}

/// Draws a domain and has Gmsh make its mesh.
class Drawing {
 public:
  Drawing(const GmshSession& gmsh, double h) : gmsh_(gmsh), h_(h) {}

  void draw(MeshDomain domain) {
    AMGSOLVE_GMSH(gmsh_, gmshModelAdd, to_string(domain));
    std::vector<int> loops;
    for (const Outline& outline : outlines(domain)) {
      loops.push_back(add_loop(outline));
    }
    const int surface = AMGSOLVE_GMSH(gmsh_, gmshModelGeoAddPlaneSurface, loops.data(), loops.size(), -1);
    const bool is_cube = domain == MeshDomain::cube;
    const std::vector<std::pair<std::string, int>> faces = is_cube ? extrude(surface) : std::move(curves_);
    AMGSOLVE_GMSH(gmsh_, gmshModelGeoSynchronize);
    name_groups(faces, is_cube ? 2 : 1);
    AMGSOLVE_GMSH(gmsh_, gmshModelMeshGenerate, is_cube ? 3 : 2);
  }

 private:
  using Named = std::vector<std::pair<std::string, int>>;

  int add_point(const Position& at) const {
    return AMGSOLVE_GMSH(gmsh_, gmshModelGeoAddPoint, at.x, at.y, 0.0, h_, -1);
  }

  int add_loop(const Outline& outline) {
    const int first = add_point(outline.back().end);
    int from = first;
    std::vector<int> loop;
    for (const Curve& curve : outline) {
      const int to = &curve == &outline.back() ? first : add_point(curve.end);
      loop.push_back(curve.centre == nullptr ? AMGSOLVE_GMSH(gmsh_, gmshModelGeoAddLine, from, to, -1)
                                             : AMGSOLVE_GMSH(gmsh_, gmshModelGeoAddCircleArc, from,
                                                             add_point(*curve.centre), to, -1, 0.0, 0.0, 0.0));
      curves_.emplace_back(curve.group, loop.back());
      from = to;
    }
    constexpr int as_given = 0;
    return AMGSOLVE_GMSH(gmsh_, gmshModelGeoAddCurveLoop, loop.data(), loop.size(), -1, as_given);
  }

  /// The faces of the cube over a square.
  Named extrude(int surface) const {
    int square[] = {2, surface};
    GmshArray<int> made(
        gmsh_);  // dimension and number of the top, the volume, and the sides in the order of the curves
    AMGSOLVE_GMSH(gmsh_, gmshModelGeoExtrude, square, std::size_t{2}, 0.0, 0.0, 1.0, &made.data, &made.size,
                  static_cast<int*>(nullptr), std::size_t{0}, static_cast<double*>(nullptr), std::size_t{0}, 0);
    return {{"bottom", surface},     {"top", made.data[1]},  {"front", made.data[5]},
            {"right", made.data[7]}, {"back", made.data[9]}, {"left", made.data[11]}};
  }

  void name_groups(const Named& parts, int dimension) const {
    std::vector<std::string> names;
    for (const auto& [name, ignored] : parts) {
      if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) {
        continue;
      }
      names.push_back(name);
      std::vector<int> members;
      for (const auto& [other, part] : parts) {
        if (other == name) {
          members.push_back(part);
        }
      }
      const int tag = AMGSOLVE_GMSH(gmsh_, gmshModelAddPhysicalGroup, dimension, members.data(), members.size(), -1);
      AMGSOLVE_GMSH(gmsh_, gmshModelSetPhysicalName, dimension, tag, name.c_str());
    }
  }

  const GmshSession& gmsh_;
  double h_;
  Named curves_;
};

/// A text that Gmsh, which reads files only, can open as one: on no disk, and gone with the process.
class FileInMemory {
 public:
  /// Throws InputError "name: ..." where there is no memory for it.
  FileInMemory(const std::string& name, std::string_view text) : descriptor_(memfd_create("mesh", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || !write_all(descriptor_, text, OnSignal::go_on)) {
      const std::string reason = std::generic_category().message(errno);
      close(descriptor_);
      throw InputError(format_text("{}: cannot hand it to Gmsh: {}", name, reason));
    }
  }
  ~FileInMemory() { close(descriptor_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;

  std::string path() const { return format_text("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

/// Throws where a mesh of a domain would have too many nodes to be counted.
void require_countable(MeshDomain domain, double h) {
  constexpr double largest_area = 3.2;
  const double nodes = domain == MeshDomain::cube ? std::pow(1.0 / h, 3.0) : largest_area * std::pow(1.0 / h, 2.0);
  if (!(nodes < max_index)) {
    throw InputError(
        format_text("problem.generate.h is {}; a mesh would have about {:.3g} nodes, and a matrix has at "
                    "most {} rows",
                    h, nodes, max_index));
  }
}

/// Of the model that prepare(gmsh) has Gmsh hold.
template <class Prepare>
Mesh mesh_by_gmsh(Context<Host>& ctx, const std::string& name, const ProcessBounds& bounds, ElementsOfNodes& around,
                  Prepare&& prepare) {
  GmshModel model;
  in_own_process(
      name, "Gmsh", bounds, [&ctx] { ctx.poll(); },
      [&](const ProcessSink& sink) {
        const GmshSession gmsh(name);
        prepare(gmsh);
        send(sink, model_of(gmsh, name));
      },
      [&](const ProcessSource& source) { model = take_model(source); });
  return mesh_of_model(ctx, model, name, around);
}

}  // namespace

bool has_gmsh() { return true; }

Mesh read_gmsh(Context<Host>& ctx, TextFile file, ElementsOfNodes& around) {
  const ScopedTimer timer(ctx, "parse");
  const std::string name = file.path();
  const std::size_t bytes = file.text().size();
  const FileInMemory copy = [&] {
    const TextFile original = std::move(file);  // gone before Gmsh wants memory
    return FileInMemory(name, original.text());
  }();
  const std::string path = copy.path();
  return mesh_by_gmsh(ctx, name, ProcessBounds::of_file(bytes), around, [&](const GmshSession& gmsh) {
    try {
      AMGSOLVE_GMSH(gmsh, gmshOpen, path.c_str());
    } catch (const InputError& error) {
      std::string message = error.what();
      if (const std::size_t at = message.find(path); at != std::string::npos) {
        message.replace(at, path.size(), name);
      }
      throw InputError(message);
    }
  });
}

Mesh generate_mesh(Context<Host>& ctx, MeshDomain domain, double h, ElementsOfNodes& around) {
  const ScopedTimer timer(ctx, "generate");
  require_countable(domain, h);
  return mesh_by_gmsh(ctx, to_string(domain), {}, around,
                      [&](const GmshSession& gmsh) { Drawing(gmsh, h).draw(domain); });
}

#else

namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw InputError(format_text("{}: this takes Gmsh, which the build does not know (Debian's libgmsh-dev)", name));
}

}  // namespace

bool has_gmsh() { return false; }

Mesh read_gmsh(Context<Host>&, TextFile file, ElementsOfNodes&) { refuse(file.path()); }

Mesh generate_mesh(Context<Host>&, MeshDomain domain, double, ElementsOfNodes&) { refuse(to_string(domain)); }

#endif

}  // namespace amgsolve
