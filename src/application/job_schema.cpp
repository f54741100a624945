#include "src/application/job_schema.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/format.hpp"
#include "problems/matrix_formats.hpp"
#include "src/library/schema_builders.hpp"

namespace amgsolve {
namespace {

using namespace schema;

template <class E>
SchemaEntry word_or_file(std::string_view key, WordOrFile<E>& target, const Words<E>& words, std::string_view help) {
  const auto get = [&target, words] {
    return Value(target.file.empty() ? spelling(words, target.word) : target.file.string());
  };
  const auto set = [&target, words](const Value& value) {
    const std::string& text = std::get<std::string>(value);
    const auto word = std::ranges::find(words, text, &std::pair<std::string_view, E>::first);
    target = word == words.end() ? WordOrFile<E>{.file = text} : WordOrFile<E>{.word = word->second};
  };
  return {.key = key,
          .help = help,
          .type = ValueType::input_file,
          .choices = spellings(words),
          .get = get,
          .set = set,
          .default_value = get()};
}

SchemaEntry grid_sizes(std::string_view key, StructuredGrid& target, std::string_view help) {
  const auto get = [&target] {
    return Value(std::vector<std::int64_t>(target.size.begin(), target.size.begin() + target.dimensions));
  };
  const auto set = [&target](const Value& value) {
    const auto& sizes = std::get<std::vector<std::int64_t>>(value);
    target = {.dimensions = static_cast<int>(sizes.size())};
    std::ranges::copy(sizes, target.size.begin());
  };
  return {.key = key,
          .help = help,
          .unit = "unknowns",
          .type = ValueType::integer_list,
          .range = {.low = 1, .high = static_cast<double>(max_index)},
          .min_items = 2,
          .max_items = 3,
          .get = get,
          .set = set,
          .default_value = get()};
}

std::vector<SchemaEntry> generate_entries(ProblemConfiguration& problem) {
  GeneratedProblem& p = problem.generate;
  MeshConditions& on_mesh = problem.conditions;
  constexpr std::size_t most_directions = 3;
  return entries_of({
      choice("problem.generate.pde", p.pde,
             {{"poisson", Pde::poisson},
              {"diffusion", Pde::diffusion},
              {"convection_diffusion", Pde::convection_diffusion},
              {"elasticity", Pde::elasticity}},
             "The equation: -div(grad u) = f, -div(c K grad u) = f with anisotropy K and coefficient c, -div(grad u) "
             "+ Pe w.grad u = f with velocity w and Peclet number Pe, or that of an elastic body's displacements"),
      grid_sizes("problem.generate.grid", p.grid,
                 "Unknowns per direction, of elasticity nodes with unknowns: [nx, ny] or [nx, ny, nz]"),
      choice("problem.generate.discretization", p.discretization,
             {{"fd", Discretization::fd}, {"q1", Discretization::q1}, {"p1", Discretization::p1}},
             "Finite differences, bilinear (trilinear) finite elements, or for elasticity linear ones on triangles "
             "(tetrahedra)"),
      choice("problem.generate.stencil", p.stencil, {{"auto", 0}, {"5", 5}, {"7", 7}, {"9", 9}, {"15", 15}, {"27", 27}},
             "Points of the stencil: fd has 5 and the box 9 in 2D, 7 and the box 27 in 3D; q1 has 9 and 27, p1 7 and "
             "15"),
      choice("problem.generate.boundary", p.boundary,
             {{"dirichlet", Boundary::dirichlet},
              {"neumann", Boundary::neumann},
              {"periodic", Boundary::periodic},
              {"clamped_face", Boundary::clamped_face}},
             "Condition on all sides; neumann and periodic give a singular matrix with the constants, of elasticity "
             "the rigid-body modes, as nullspace. clamped_face, of elasticity, fixes the side of least x alone"),
      real("problem.generate.anisotropy.epsilon", p.anisotropy.epsilon, above(0),
           "Diffusion across the direction of 'angle', relative to 1 along it"),
      real("problem.generate.anisotropy.angle", p.anisotropy.angle, {},
           "Direction of strong diffusion, from the x axis towards the y axis", "degrees"),
      choice("problem.generate.coefficient.type", p.coefficient.type,
             {{"constant", CoefficientType::constant},
              {"checkerboard", CoefficientType::checkerboard},
              {"random", CoefficientType::random},
              {"inclusions", CoefficientType::inclusions}},
             "The same everywhere, or by blocks of cells: alternating, random between low and high, or balls of high "
             "in low"),
      real("problem.generate.coefficient.value", p.coefficient.value, above(0), "The coefficient of type constant"),
      real("problem.generate.coefficient.low", p.coefficient.low, above(0), "Lowest coefficient of the other types"),
      real("problem.generate.coefficient.high", p.coefficient.high, above(0), "Highest coefficient of the other types"),
      integer("problem.generate.coefficient.block", p.coefficient.block,
              {.low = 1, .high = static_cast<double>(max_index)}, "Edge of a block", "cells"),
      integer("problem.generate.coefficient.seed", p.coefficient.seed, at_least(0),
              "Seed of the types random and inclusions"),
      choice("problem.generate.velocity", p.velocity,
             {{"constant", Velocity::constant},
              {"rotating", Velocity::rotating},
              {"recirculating", Velocity::recirculating}},
             "Velocity of convection: the same everywhere, around the middle of the box, or along closed stream lines"),
      real("problem.generate.peclet", p.peclet, above(0),
           "Peclet number of convection, for the box and a velocity of 1"),
      choice("problem.generate.scheme", p.scheme, {{"upwind", Scheme::upwind}, {"central", Scheme::central}},
             "Differences of convection: of first order and stable at any Peclet number, or of second order"),
      real("problem.generate.young", p.body.young, above(0), "Young's modulus of elasticity"),
      real("problem.generate.poisson", p.body.poisson, strictly_between(-1, 1),
           "Poisson's ratio of elasticity, below 0.5 but in plane stress"),
      choice("problem.generate.plane", p.body.plane, {{"strain", PlaneState::strain}, {"stress", PlaneState::stress}},
             "State of an elastic body in 2D: no strain across the plane, or no stress"),
      choice("problem.generate.load", p.body.load,
             {{"gravity", Load::gravity}, {"bending", Load::bending}, {"tension", Load::tension}},
             "Load of an elastic body, for problem.rhs load: its weight against the last direction, or a traction on "
             "the side of largest x, in the last direction or in x"),
      choice(
          "problem.generate.domain", problem.domain,
          {{"none", MeshDomain::none},
           {"square", MeshDomain::square},
           {"cube", MeshDomain::cube},
           {"disk", MeshDomain::disk},
           {"horseshoe", MeshDomain::horseshoe},
           {"plate_with_hole", MeshDomain::plate_with_hole}},
          "A domain that Gmsh makes a mesh of, in the place of grid; docs/meshes.md says where it lies and what groups "
          "it has"),
      real("problem.generate.h", problem.h, {.low = 0, .high = 1, .low_open = true},
           "Length of the edges of that mesh, in domains of size 1 to 2"),
      named_numbers("problem.generate.fixed", on_mesh.fixed, {}, most_directions, true,
                    "Values of the solution on groups of a mesh, {left: 0, bottom: [free, 0]}: a number, of elasticity "
                    "also one for each direction. A mesh knows the groups of its file, boundary and domain"),
      named_numbers("problem.generate.flux", on_mesh.flux, {}, most_directions, false,
                    "What comes in through groups of sides of a mesh, c du/dn or the traction on a body; 0 through "
                    "others"),
      named_numbers("problem.generate.source", on_mesh.source, {}, most_directions, false,
                    "The right-hand side f of the equation in groups of elements of a mesh, of elasticity the force; 0 "
                    "in others"),
      named_numbers("problem.generate.regions", on_mesh.regions, above(0), 1, false,
                    "The coefficient c, or Young's modulus, in groups of elements of a mesh; in others it is "
                    "coefficient.value, or young"),
  });
}

std::string_view matrix_help() {
  static const std::string help = [] {
    std::vector<std::string_view> names;
    for (const MatrixFormat& format : matrix_formats()) {
      names.push_back(format.name);
    }
    return format_text("File of A ({}), plain or compressed by gzip or xz", fmt::join(names, ", "));
  }();
  return help;
}

std::vector<SchemaEntry> problem_entries(ProblemConfiguration& p) {
  return entries_of({
      input_file("problem.mesh", p.mesh,
                 "File of a mesh of triangles or tetrahedra, on which problem.generate is discretised by linear "
                 "elements (docs/meshes.md)"),
      input_file("problem.matrix", p.matrix, matrix_help()),
      word_or_file(
          "problem.rhs", p.rhs,
          {{"auto", RightHandSide::automatic},
           {"ones", RightHandSide::ones},
           {"random", RightHandSide::random},
           {"manufactured", RightHandSide::manufactured},
           {"load", RightHandSide::load}},
          "Right-hand side, also of a file (Matrix Market, NumPy, PETSc binary, MATLAB 7.3, .amg); manufactured has a "
          "known solution and reports the discretisation error, load is that of problem.generate.load, or of "
          "source, flux and fixed on a mesh. auto is load on a mesh, else ones"),
      word_or_file("problem.initial_guess", p.initial_guess,
                   {{"zero", InitialGuess::zero}, {"random", InitialGuess::random}}, "Where the iteration starts"),
      word_or_file(
          "problem.near_nullspace", p.near_nullspace,
          {{"auto", NearNullspace::automatic},
           {"constant", NearNullspace::constant},
           {"rigid_body", NearNullspace::rigid_body}},
          "What coarse levels must reproduce: a constant for each unknown of a node, over the root of its diagonal "
          "entry where unknowns are in units of their own, smoothed where A takes that far from zero, the rigid-body "
          "modes of the coordinates, or the vectors of a file, one a column (Matrix Market, NumPy), whose translations "
          "are added where they are missing. auto is rigid_body where nodes of several unknowns have coordinates, else "
          "constant"),
      input_file("problem.coordinates", p.coordinates,
                 "File of where the nodes lie, one a row with 2 or 3 columns (Matrix Market, NumPy); a generated body "
                 "knows"),
      integer("problem.columns", p.columns, at_least(1),
              "Right-hand sides, solved together. auto is as many as the file of problem.rhs has, else one; another "
              "number than "
              "a file has is an error"),
      integer("problem.seed", p.seed, at_least(0), "Seed of random right-hand sides and initial guesses"),
  });
}

std::vector<SchemaEntry> output_entries(OutputConfiguration& o) {
  return entries_of({
      output_file("output.report", o.report,
                  "JSON report; - is the standard output, where nothing else is then printed"),
      output_file("output.html", o.html,
                  "The report as a page for any browser, with charts and without a network; - is the standard output, "
                  "where nothing else is then printed"),
      output_file(
          "output.solution", o.solution,
          "Solution, as its name ends: Matrix Market (.mtx), NumPy (.npy), amgsolve's own (.amg), or for ParaView "
          "the grid of a generated problem (.vti), or a mesh or the points of problem.coordinates (.vtu). On a mesh it "
          "has all nodes, fixed ones too"),
      output_folder(
          "output.hierarchy", o.hierarchy,
          "Directory for the matrices of the levels in Matrix Market files: A0.mtx of the finest, P0.mtx that "
          "prolongates to it, R0.mtx that restricts from it, A1.mtx, and so on; made where it is missing"),
  });
}

}  // namespace

Schema job_schema(JobConfiguration& configuration) {
  Schema result(generate_entries(configuration.problem));
  result.append(problem_entries(configuration.problem));
  result.append(library_entries(configuration));
  result.append(output_entries(configuration.output));
  return result;
}

std::string_view reason_not_to_take(std::string_view key, const ProblemConfiguration& problem) {
  using namespace std::string_view_literals;
  constexpr std::string_view section = "problem.generate.";
  constexpr std::array for_both{"pde"sv, "coefficient.value"sv, "young"sv, "poisson"sv, "plane"sv};
  constexpr std::array for_meshes{"domain"sv, "h"sv, "fixed"sv, "flux"sv, "source"sv, "regions"sv};
  if (!key.starts_with(section) || std::ranges::count(for_both, key.substr(section.size())) > 0) {
    return {};
  }
  const bool is_for_meshes = std::ranges::count(for_meshes, key.substr(section.size())) > 0;
  if (is_for_meshes && !problem.mesh.empty() && (key.ends_with(".domain") || key.ends_with(".h"))) {
    return "is for meshes that are made, and there is 'problem.mesh'";
  }
  return is_for_meshes == problem.has_mesh() ? ""
         : is_for_meshes ? "is for problems on a mesh: give 'problem.mesh' or 'problem.generate.domain'"
                         : "is for problems on a grid, and there is a mesh";
}

std::vector<const SchemaEntry*> effective_entries(const Schema& schema, const JobConfiguration& configuration) {
  std::vector<const SchemaEntry*> result;
  for (const SchemaEntry& entry : schema.entries()) {
    const bool is_of_file = !configuration.problem.matrix.empty() && entry.key.starts_with("problem.generate.");
    if (!is_of_file && reason_not_to_take(entry.key, configuration.problem).empty()) {
      result.push_back(&entry);
    }
  }
  return result;
}

}  // namespace amgsolve
