#include "problems/mesh_gmsh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "problems/mesh_file.hpp"
#include "problems/simplex.hpp"
#include "tests/problems/reading.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two triangles of the unit square, with a point, an edge and a surface that have names, another edge that has a
/// number, and a centre of something that no element has.
constexpr const char* square_22 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
0 4 "corner"
1 1 "left"
2 3 "steel"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
9 .5 .5 0
$EndNodes
$Elements
5
1 15 2 4 3 3
2 1 2 1 4 4 1
3 1 2 7 2 2 3
4 2 2 3 1 1 2 3
5 2 2 3 1 1 3 4
$EndElements
)";

constexpr const char* square_41 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
0 4 "corner"
1 1 "left"
2 3 "steel"
$EndPhysicalNames
$Entities
1 2 1 0
3 1 1 0 1 4
4 0 0 0 0 1 0 1 1 0
2 1 0 0 1 1 0 1 7 0
1 0 0 0 1 1 0 1 3 0
$EndEntities
$Nodes
1 5 1 9
2 1 0 5
1
2
3
4
9
0 0 0
1 0 0
1 1 0
0 1 0
.5 .5 0
$EndNodes
$Elements
4 5 1 5
0 3 15 1
1 3
1 4 1 1
2 4 1
1 2 1 1
3 2 3
2 1 2 2
4 1 2 3
5 1 3 4
$EndElements
)";

class MeshGmsh : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_gmsh()) {
      GTEST_SKIP() << "the build does not know Gmsh";
    }
    if (const std::string error = message_of([&] { generate_mesh(ctx_, MeshDomain::square, 0.5, around_); });
        error.find("cannot be loaded") != std::string::npos) {
      GTEST_SKIP() << error;
    }
  }

  Mesh read(const std::string& text) { return read_mesh(ctx_, directory_.write("plate.msh", text), around_); }
  std::string error_with(std::string text, const std::string& part, const std::string& other) {
    return error_of([&] { read(text.replace(text.find(part), part.size(), other)); });
  }

  static const MeshGroup& group(const Mesh& mesh, const std::string& name) {
    return *std::ranges::find(mesh.groups, name, &MeshGroup::name);
  }

  Context<Host> ctx_;
  ElementsOfNodes around_;
  reference::TemporaryDirectory directory_;
};

TEST_F(MeshGmsh, ReadsBothFormats) {
  for (const char* text : {square_22, square_41}) {
    const Mesh mesh = read(text);
    EXPECT_EQ(mesh.nodes(), 4);
    EXPECT_EQ(mesh.dimensions(), 2);
    EXPECT_THAT(std::vector<double>(mesh.points.data(), mesh.points.data() + 8), ElementsAre(0, 0, 1, 0, 1, 1, 0, 1));
    EXPECT_THAT(std::vector<Index>(mesh.corners.data(), mesh.corners.data() + 6), ElementsAre(0, 1, 2, 0, 2, 3));
    ASSERT_EQ(mesh.groups.size(), 4U);
    EXPECT_THAT(group(mesh, "corner").members, ElementsAre(2));
    EXPECT_EQ(group(mesh, "corner").dimension, 0);
    EXPECT_THAT(group(mesh, "left").members, ElementsAre(3, 0));
    EXPECT_THAT(group(mesh, "7").members, ElementsAre(1, 2));
    EXPECT_THAT(group(mesh, "steel").members, ElementsAre(0, 1));
    EXPECT_EQ(group(mesh, "steel").dimension, 2);
  }
}

TEST_F(MeshGmsh, TurnsWhatIsSeenFromBelow) {
  std::string text = square_22;
  text.replace(text.find("4 2 2 3 1 1 2 3"), 15, "4 2 2 3 1 2 1 3");
  text.replace(text.find("5 2 2 3 1 1 3 4"), 15, "5 2 2 3 1 3 1 4");
  const Mesh mesh = read(text);
  EXPECT_THAT(std::vector<Index>(mesh.corners.data(), mesh.corners.data() + 6), ElementsAre(0, 1, 2, 0, 2, 3));
}

TEST_F(MeshGmsh, NamesWhatIsWrong) {
  EXPECT_EQ(error_with(square_22, "5 2 2 3 1 1 3 4", "5 2 2 3 1 3 1 4"),
            "plate.msh: element 5 is turned inside out: its corners go the wrong way around");
  EXPECT_EQ(error_with(square_22, "4 0 1 0", "4 2 2 0"), "plate.msh: element 5 is degenerate: it has no area");
  EXPECT_THAT(error_with(square_22, "5 2 2 3 1 1 3 4", "5 3 2 3 1 1 2 3 4"), HasSubstr("elements of the type 'Quad"));
  EXPECT_THAT(error_with(square_22, "3 1 1 0", "3 1 1 2"),
              HasSubstr("plate.msh: the triangles do not lie in the plane"));
  EXPECT_THAT(error_with(square_22, "3 1 2 7 2 2 3", "3 1 2 7 2 2 9"),
              HasSubstr("plate.msh: node 9 of the group '7' belongs to no element"));
  EXPECT_THAT(error_with(square_22, "5\n1 15", "3\n1 15"),
              HasSubstr("plate.msh: the mesh has no triangles or tetrahedra"));
  EXPECT_THAT(message_of([&] { read("$MeshFormat\nnothing\n"); }), HasSubstr("plate.msh: Gmsh says: "));
}

// On some of them Gmsh 4.8 falls over or takes all memory.
TEST_F(MeshGmsh, DamagedFilesAreReadOrRefused) {
  const char* const numbers[] = {"0",     "-1",  "99", "999999999", "2147483648", "18446744073709551615",
                                 "1e400", "nan", "$"};
  int refused = 0;
  for (const std::string whole : {square_22, square_41}) {
    std::size_t at = whole.find("$EndMeshFormat");
    for (std::size_t k = 0; (at = whole.find_first_of("0123456789", at)) != std::string::npos; k += 7) {
      const std::size_t end = whole.find_first_of(" \n", at);
      if (k % 9 == 0) {  // each takes the start of Gmsh
        std::string text = whole;
        text.replace(at, end - at, numbers[k % std::size(numbers)]);
        try {
          read(text);
        } catch (const InputError& error) {
          EXPECT_THAT(error.what(), HasSubstr("plate.msh: "));
          ++refused;
        } catch (const OutOfMemoryError&) {
          ++refused;
        }
      }
      at = end;
    }
  }
  EXPECT_GE(refused, 3);
}

/// Area or volume of a mesh.
double size_of(const Mesh& mesh) {
  double size = 0.0;
  for (Index e = 0; e < mesh.elements(); ++e) {
    size += with_dimensions(mesh, [&](auto dimensions) { return Simplex<dimensions>(mesh, e).volume; });
  }
  return size;
}

TEST_F(MeshGmsh, FillsTheDomains) {
  struct Domain {
    MeshDomain domain;
    double size;
    std::vector<std::string> groups;
  };
  constexpr double pi = std::numbers::pi;
  const std::vector<Domain> domains{
      {MeshDomain::square, 1.0, {"bottom", "left", "right", "top"}},
      {MeshDomain::cube, 1.0, {"back", "bottom", "front", "left", "right", "top"}},
      {MeshDomain::disk, pi, {}},
      {MeshDomain::horseshoe, 0.375 * pi + 1.0, {"inner", "left_end", "outer", "right_end"}},
      {MeshDomain::plate_with_hole, 1.0 - 0.04 * pi, {"bottom", "hole", "left", "right", "top"}},
  };
  for (const auto& [domain, size, names] : domains) {
    SCOPED_TRACE(to_string(domain));
    constexpr double h = 0.1;
    const Mesh mesh = generate_mesh(ctx_, domain, h, around_);
    // Polygons in place of circles of radius 0.2 or more take h² / (8 r²) of what is around them.
    EXPECT_NEAR(size_of(mesh), size, 0.02 * size);
    std::set<std::string> found;
    std::size_t sides = 0;
    for (const MeshGroup& each : mesh.groups) {
      EXPECT_EQ(each.dimension, mesh.dimensions() - 1);
      found.insert(each.name);
      sides += each.members.size();
    }
    EXPECT_THAT(found, testing::ElementsAreArray(std::set<std::string>(names.begin(), names.end())));
    // Every side of the boundary is in one of them.
    if (!names.empty()) {
      EXPECT_EQ(sides, boundary_sides(ctx_, mesh, elements_across(ctx_, mesh, around_).span()).size());
    }
    const Mesh again = generate_mesh(ctx_, domain, h, around_);
    EXPECT_TRUE(std::ranges::equal(mesh.corners.span(), again.corners.span()));
    EXPECT_TRUE(std::ranges::equal(mesh.points.view().span(), again.points.view().span()));
  }
}

TEST_F(MeshGmsh, PutsTheSidesOfTheCubeWhereTheirNamesSay) {
  const Mesh mesh = generate_mesh(ctx_, MeshDomain::cube, 0.5, around_);
  struct Side {
    const char* name;
    int direction;
    double at;
  };
  for (const auto& [name, direction, at] : {Side{"left", 0, 0}, Side{"right", 0, 1}, Side{"front", 1, 0},
                                            Side{"back", 1, 1}, Side{"bottom", 2, 0}, Side{"top", 2, 1}}) {
    for (const Index node : group(mesh, name).members) {
      EXPECT_NEAR(mesh.point(node)[direction], at, 1e-12) << name;
    }
  }
}

TEST_F(MeshGmsh, RefusesEdgesThatAreTooShortToCount) {
  EXPECT_THAT(message_of([&] { generate_mesh(ctx_, MeshDomain::cube, 1e-4, around_); }),
              HasSubstr("problem.generate.h is 0.0001; a mesh would have about 1e+12 nodes"));
}

TEST(MeshGmshMissing, IsSaid) {
  if (has_gmsh()) {
    GTEST_SKIP() << "the build knows Gmsh";
  }
  const reference::TemporaryDirectory directory;
  Context<Host> ctx;
  ElementsOfNodes around;
  EXPECT_EQ(error_of([&] { read_mesh(ctx, directory.write("plate.msh", square_22), around); }),
            "plate.msh: this takes Gmsh, which the build does not know (Debian's libgmsh-dev)");
}

}  // namespace
}  // namespace amgsolve
