#include "problems/mesh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "core/errors.hpp"
#include "problems/gmsh_model.hpp"
#include "problems/mesh_file.hpp"
#include "problems/mesh_text.hpp"
#include "tests/problems/reading.hpp"
#include "tests/reference/meshes.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Mesh parse(Context<Host>& ctx, const std::string& text) {
  ElementsOfNodes around;
  return parse_mesh_text(ctx, text, "m.txt", around);
}

std::string error_of_text(const std::string& text) {
  Context<Host> ctx;
  return message_of([&] { parse(ctx, text); });
}

TEST(MeshText, ReadsPointsAndElements) {
  Context<Host> ctx;
  const Mesh mesh = parse(ctx, "# a square\n# of two triangles\n\n4 2 2 3\n0 0\n1 0\n\n1.5e0 1\n0 1\r\n0 1 2\n 0 2 3");
  EXPECT_EQ(mesh.nodes(), 4);
  EXPECT_EQ(mesh.dimensions(), 2);
  EXPECT_EQ(mesh.elements(), 2);
  EXPECT_THAT(std::vector<double>(mesh.points.data(), mesh.points.data() + 8), ElementsAre(0, 0, 1, 0, 1.5, 1, 0, 1));
  EXPECT_THAT(std::vector<Index>(mesh.corners.data(), mesh.corners.data() + 6), ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_TRUE(mesh.groups.empty());
}

/// Gmsh lists elements by its entities, whose numbers need not ascend: groups name elements by theirs.
TEST(MeshOfGmsh, HasTheElementsOfItsGroups) {
  Context<Host> ctx;
  const GmshModel model{.dimensions = 2,
                        .elements = {20, 10},
                        .corners = {1, 3, 4, 1, 2, 3},
                        .nodes = {1, 2, 3, 4},
                        .coordinates = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
                        .groups = {{"upper", 2, {20}}, {"lower", 2, {10}}}};
  ElementsOfNodes around;
  const Mesh mesh = mesh_of_model(ctx, model, "square", around);
  const auto corners_of = [&](std::size_t group) {
    const auto nodes = mesh.element(mesh.groups[group].members.at(0));
    return std::vector<Index>(nodes.begin(), nodes.end());
  };
  EXPECT_THAT(corners_of(0), ElementsAre(0, 2, 3));
  EXPECT_THAT(corners_of(1), ElementsAre(0, 1, 2));
  GmshModel twice = model;
  twice.elements = {10, 10};
  EXPECT_THROW(mesh_of_model(ctx, twice, "square", around), InputError);
}

TEST(MeshText, TakesCommentsAnywhere) {
  Context<Host> ctx;
  const Mesh mesh = parse(ctx, "3 2 1 3# sizes\n# points\n0 0\n1 0 # (1, 0)\n0 1#, 2\n# elements\n0 1 2#\n# end\n");
  EXPECT_THAT(std::vector<double>(mesh.points.data(), mesh.points.data() + 6), ElementsAre(0, 0, 1, 0, 0, 1));
  EXPECT_EQ(mesh.elements(), 1);
}

TEST(MeshText, IsTheSameForAnyNumberOfThreadsAndCompressed) {
  Context<Host> one(1);
  Context<Host> four(4);
  const Mesh mesh = reference::box_mesh(one, 3, 30, 0.1);  // several megabytes
  const Mesh read = parse(four, reference::text_of(mesh));
  EXPECT_TRUE(std::ranges::equal(mesh.corners.span(), read.corners.span()));
  EXPECT_TRUE(std::equal(mesh.points.data(), mesh.points.data() + mesh.points.size(), read.points.data()));
}

struct Malformed {
  const char* text;
  const char* message;
};

class MalformedMesh : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedMesh, IsNamedWithItsLine) {
  EXPECT_THAT(error_of_text(GetParam().text), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Text, MalformedMesh,
    testing::Values(
        Malformed{"", "m.txt:1: expected 'points dimensions elements nodes_per_element', found the end of the file"},
        Malformed{"# only\n", "m.txt:1: expected 'points dimensions elements nodes_per_element', found the end"},
        Malformed{"x 2 1 3\n", "m.txt:1: expected a number of points, found 'x'"},
        Malformed{"0 2 1 3\n", "m.txt:1: expected a number of points, found '0'"},
        Malformed{"99999999999 2 1 3\n", "m.txt:1: expected a number of points, found '99999999999'"},
        Malformed{"3 1 1 2\n", "m.txt:1: expected 2 or 3 dimensions, found '1'"},
        Malformed{"3 2\n", "m.txt:1: expected a number of elements, found the end of the line"},
        Malformed{"4 2 1 4\n", "m.txt:1: expected 3 nodes per element: in 2 dimensions they are triangles, found '4'"},
        Malformed{"4 3 1 3\n", "m.txt:1: expected 4 nodes per element: in 3 dimensions they are tetrahedra, found '3'"},
        Malformed{"3 2 1 3 7\n", "m.txt:1: expected the end of the line, found '7'"},
        Malformed{"3 2 1 3\n0 0\n1 0\n0 1\n", "m.txt:4: the file ends; 3 lines of points and 1 of elements should"},
        Malformed{"2000000000 3 2000000000 4\n0 0\n", "m.txt:2: the file ends; 2000000000 lines of points"},
        Malformed{"3 2 1 3\n0 0\n1 0\n0 1\n0 1 2\n0 1 2\n", "m.txt:6: expected the end of the file behind the last"},
        Malformed{"3 2 1 3\n0 0\n1\n0 1\n0 1 2\n", "m.txt:3: expected a coordinate, a finite number, found the end of"},
        Malformed{"3 2 1 3\n0 0\n1 nan\n0 1\n0 1 2\n", "m.txt:3: expected a coordinate, a finite number, found 'nan'"},
        Malformed{"3 2 1 3\n0 0\n1 0 0\n0 1\n0 1 2\n", "m.txt:3: expected the end of the line, found '0'"},
        Malformed{"3 2 1 3\n0 0\n# two\n1\n0 1\n0 1 2\n", "m.txt:4: expected a coordinate, a finite number, found"},
        Malformed{"3 2 1 3\n0 0\n1 # 0\n0 1\n0 1 2\n",
                  "m.txt:3: expected a coordinate, a finite number, found the end"},
        Malformed{"3 2 1 3\n0 0\n1 0\n0 1\n0 1 2\n#\n0 1 2\n", "m.txt:7: expected the end of the file behind the"},
        Malformed{"3 2 1 3\n0 0\n1 0\n0 1\n0 1 3\n", "m.txt:5: expected a node from 0 to 2, found '3'"},
        Malformed{"3 2 1 3\n0 0\n1 0\n0 1\n-1 1 2\n", "m.txt:5: expected a node from 0 to 2, found '-1'"},
        Malformed{"3 2 1 3\n0 0\n1 0\n0 1\n0 1\n", "m.txt:5: expected a node from 0 to 2, found the end of the line"},
        Malformed{"3 2 1 3\n0 0\n1 0\n0 1\n0 1 2 0\n", "m.txt:5: expected the end of the line, found '0'"},
        Malformed{"3 2 1 3\n0 0\n1 0\n0 1\n0 2 1\n", "m.txt:5: the element is turned inside out"},
        Malformed{"3 2 1 3\n0 0\n1 0\n0 1\n0 1 1\n", "m.txt:5: the element is degenerate: it has no area"},
        Malformed{"3 2 1 3\n0 0\n1 1\n2 2\n0 1 2\n", "m.txt:5: the element is degenerate: it has no area"},
        Malformed{"3 2 1 3\n0 0\n0 0\n0 0\n0 1 2\n", "m.txt:5: the element is degenerate: it has no area"},
        Malformed{"4 3 1 4\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 1 2 3\n",
                  "m.txt:6: the element is degenerate: it has no vol"},
        Malformed{"4 2 1 3\n0 0\n5 5\n1 0\n0 1\n0 2 3\n", "m.txt:3: the node is a corner of no element"},
        Malformed{"5 2 3 3\n0 0\n1 0\n0 1\n0 2\n0 3\n0 1 2\n0 1 3\n0 1 4\n",
                  "m.txt:7: the element has a side that three"}));

TEST(MeshFile, NamesTheFile) {
  Context<Host> ctx;
  const reference::TemporaryDirectory directory;
  ElementsOfNodes around;
  EXPECT_EQ(error_of([&] { read_mesh(ctx, directory.write("plate.txt", "1 2\n"), around); }),
            "plate.txt:1: expected a number of elements, found the end of the line");
  EXPECT_THAT(message_of([&] { read_mesh(ctx, directory.path() / "none.txt", around); }), HasSubstr("cannot open"));
}

TEST(MeshFile, ReadsTheMeshesOfOthers) {
  struct Other {
    const char* name;
    Index nodes;
    Index elements;
  };
  for (const auto& [name, nodes, elements] :
       {Other{"mesh_anu.txt.xz", 16675, 92172}, Other{"mesh_backstep3d.txt.xz", 7253, 32410},
        Other{"mesh_cmm2d.txt.xz", 55601, 107020}}) {
    const std::filesystem::path path = std::filesystem::path(AMGSOLVE_DATA_DIR) / name;
    if (!std::filesystem::exists(path)) {
      GTEST_SKIP() << path << " is not there";
    }
    Context<Host> ctx;
    ElementsOfNodes around;
    const Mesh mesh = read_mesh(ctx, path, around);
    EXPECT_EQ(mesh.nodes(), nodes);
    EXPECT_EQ(mesh.elements(), elements);
  }
}

TEST(MeshSides, OfABoxAreThoseOnItsFaces) {
  Context<Host> ctx;
  for (const int dimensions : {2, 3}) {
    const Mesh mesh = reference::box_mesh(ctx, dimensions, 4, 0.1);
    const std::vector<Index> sides =
        boundary_sides(ctx, mesh, elements_across(ctx, mesh, elements_of_nodes(ctx, mesh)).span());
    const auto size = static_cast<std::size_t>(dimensions);
    // 4 edges of 4, or 6 faces of 16 squares of two triangles.
    EXPECT_EQ(sides.size(), size * (dimensions == 2 ? 16 : 192));
    std::set<std::set<Index>> unique;
    for (std::size_t k = 0; k < sides.size(); k += size) {
      unique.emplace(sides.begin() + static_cast<std::ptrdiff_t>(k),
                     sides.begin() + static_cast<std::ptrdiff_t>(k + size));
      bool is_on_face = false;
      for (int d = 0; d < dimensions; ++d) {
        for (const double wall : {0.0, 1.0}) {
          is_on_face |= std::all_of(sides.begin() + static_cast<std::ptrdiff_t>(k),
                                    sides.begin() + static_cast<std::ptrdiff_t>(k + size),
                                    [&](Index node) { return mesh.point(node)[d] == wall; });
        }
      }
      EXPECT_TRUE(is_on_face);
    }
    EXPECT_EQ(unique.size() * size, sides.size());
  }
}

/// In any numbering of the elements' corners, by comparing all pairs of elements.
TEST(MeshSides, AreThoseThatElementsAcrossHaveInCommon) {
  for (const int dimensions : {2, 3}) {
    Context<Host> ctx(3);
    const Mesh mesh = reference::box_mesh(ctx, dimensions, dimensions == 2 ? 12 : 4, 0.1);
    const Buffer<Index, Host> across = elements_across(ctx, mesh, elements_of_nodes(ctx, mesh));
    ASSERT_EQ(across.size(), mesh.corners.size());
    auto next = across.span().begin();
    for (Index e = 0; e < mesh.elements(); ++e) {
      for (const Index opposite : mesh.element(e)) {
        Index expected = -1;
        for (Index other = 0; other < mesh.elements(); ++other) {
          const auto has = [&](Index node) { return std::ranges::count(mesh.element(other), node) > 0; };
          if (other != e && std::ranges::all_of(mesh.element(e), [&](Index n) { return n == opposite || has(n); })) {
            expected = other;
          }
        }
        ASSERT_EQ(*next++, expected) << e << ", opposite to " << opposite;
      }
    }
  }
}

/// The sides of all three have another number of the least node among the corners of their elements.
TEST(MeshSides, OfThreeTetrahedraAreRefusedAtTheFirst) {
  const std::string points = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -1\n1 1 2\n2 2 -9\n";
  EXPECT_THAT(error_of_text("7 3 4 4\n" + points + "1 4 2 6\n0 1 2 3\n1 0 2 4\n2 0 1 5\n"),
              HasSubstr("m.txt:10: the element has a side that three"));
}

/// Whose elements all have one node.
TEST(MeshSides, OfAFanAreFound) {
  constexpr Index n = 50'000;
  std::string text = std::to_string(n + 1) + " 2 " + std::to_string(n) + " 3\n0 0\n";
  for (Index i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / n;
    text += std::to_string(10 * std::cos(angle)) + " " + std::to_string(10 * std::sin(angle)) + "\n";
  }
  for (Index i = 0; i < n; ++i) {
    text += "0 " + std::to_string(i + 1) + " " + std::to_string((i + 1) % n + 1) + "\n";
  }
  Context<Host> ctx;
  ElementsOfNodes around;
  const Mesh mesh = parse_mesh_text(ctx, text, "fan.txt", around);
  const std::vector<Index> sides = boundary_sides(ctx, mesh, elements_across(ctx, mesh, around).span());
  ASSERT_EQ(sides.size(), 2U * n);
  EXPECT_EQ(std::ranges::count(sides, 0), 0);
}

TEST(MeshElements, StandAtTheirNodesInOrder) {
  Context<Host> ctx;
  const Mesh mesh = reference::box_mesh(ctx, 2, 5, 0.2);
  const ElementsOfNodes around = elements_of_nodes(ctx, mesh);
  for (Index node = 0; node < mesh.nodes(); ++node) {
    std::vector<Index> expected;
    for (Index e = 0; e < mesh.elements(); ++e) {
      if (std::ranges::count(mesh.element(e), node) > 0) {
        expected.push_back(e);
      }
    }
    EXPECT_TRUE(std::ranges::equal(around.of(node), expected));
  }
}

}  // namespace
}  // namespace amgsolve
