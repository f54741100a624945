#pragma once

#include <array>
#include <cstdint>

#include "problems/structured_grid.hpp"

/// The model problems −∇·(c K ∇u) = f, −Δu + Pe w·∇u = f and −∇·σ(u) = f on a box, discretised on a structured grid, in
/// the words of `problem.generate`.
namespace amgsolve {

class Mistakes;

enum class Pde { poisson, diffusion, convection_diffusion, elasticity };
enum class Discretization { fd, q1, p1 };
enum class Boundary { dirichlet, neumann, periodic, clamped_face };
enum class Velocity { constant, rotating, recirculating };
enum class Scheme { upwind, central };
enum class PlaneState { strain, stress };
enum class Load { gravity, bending, tension };
enum class CoefficientType { constant, checkerboard, random, inclusions };

/// K = ε I + (1 − ε) d dᵀ with d = (cos angle, sin angle) or (cos angle, sin angle, 0): diffusion 1 along d and ε
/// across it. In 2D that is diag(1, ε) rotated by the angle; in 3D both directions across d have ε.
struct Anisotropy {
  double epsilon = 1.0;
  double angle = 0.0;  ///< degrees, from the x axis towards the y axis
};

/// The tensor K: its diagonal and its only other entry, K_xy = K_yx.
struct DiffusionTensor {
  std::array<double, 3> diagonal{1.0, 1.0, 1.0};
  double xy = 0.0;
};

/// The scalar c > 0, constant on each cell. Cells form cubes of block^d cells, from the grid's first corner on.
///   constant      c = value
///   checkerboard  blocks alternate between low and high; the first is low
///   random        each block has its own c between low and high, uniform in log c (to 16 bits)
///   inclusions    each block has one ball of diameter block/2 with c = high, its centre at random within the block;
///                 low elsewhere
struct Coefficient {
  CoefficientType type = CoefficientType::constant;
  double value = 1.0;
  double low = 1.0;
  double high = 1.0e4;
  std::int64_t block = 8;  ///< cells per direction
  std::uint64_t seed = 0;
};

/// An isotropic elastic body, σ = λ (∇·u) I + μ (∇u + ∇uᵀ), and the load on it.
///   plane     in 2D: strain, where u_z = 0, or stress, where σ_zz = 0
///   gravity   a body force of 1 against the last direction
///   bending   a traction of 1 in the last direction on the side of largest x
///   tension   a traction of 1 in x there
struct ElasticBody {
  double young = 1.0;    ///< E
  double poisson = 0.3;  ///< ν, −1 < ν < ½ (1 in plane stress)
  PlaneState plane = PlaneState::strain;
  Load load = Load::gravity;
};

/// Lamé's constants: μ = E / (2 (1 + ν)), λ = E ν / ((1 + ν) (1 − 2 ν)), in plane stress E ν / (1 − ν²).
struct LameConstants {
  double lambda = 0.0;
  double mu = 0.0;
};

LameConstants lame_constants(const ElasticBody& body);

/// Add to the mistakes, naming the key below problem.generate, values that are not possible, or given although the
/// equation has none.
void check_constant_coefficient(Pde pde, double value, Mistakes& mistakes);
void check_body(Pde pde, const ElasticBody& body, Mistakes& mistakes);

/// The unknowns are spaced by the same h in every direction; the longest side of the box is 1, so h is one over the
/// most cells in a direction and side d measures h · cells_d:
///
///   boundary          unknown i lies at       cells
///   dirichlet         (i + 1) h               n + 1   u = 0 on the boundary, whose values are eliminated
///   neumann,  fd      (i + ½) h               n       no flux through the boundary, cell-centred
///   neumann,  q1      i h                     n − 1   no flux, the natural boundary of the finite elements
///   periodic          i h                     n
///   clamped_face      as dirichlet on the side of least x alone, as neumann on the others
///
/// fd: 5-/7-point differences times h²: −K_dd c between neighbours along direction d, where c is the harmonic mean of
/// the coefficients of both (each unknown is a cell; at a Dirichlet boundary its own), and minus their sum on the
/// diagonal. Stencil 9 or 27 is the box instead, −c for each of the 8 or 26 neighbours: an M-matrix, h² (−∇·c∇) times 3
/// or 9. q1: bi-/trilinear elements of stiffness ∫ c ∇φᵢ·K∇φⱼ, integrated exactly and divided by h^(d−2); c is the
/// element's.
///
/// These matrices are symmetric; positive definite with Dirichlet boundaries, otherwise singular with the constants as
/// their nullspace.
///
/// convection_diffusion: fd of 5 or 7 points with Dirichlet boundaries and c = 1. Pe is the Péclet number for the box
/// and a velocity of 1; s = x / L_x and t = y / L_y run from 0 to 1:
///
///   velocity        w
///   constant        (0.8, 0.6), in 3D (0.48, 0.6, 0.64)
///   rotating        (1 − 2t, 2s − 1, 0)
///   recirculating   (4 s (s − 1) (1 − 2t), −4 t (t − 1) (1 − 2s), 0): closed stream lines
///
/// Each direction adds Pe h w_d (u_i − u_before) for w_d > 0, else Pe h w_d (u_after − u_i), by upwind differences: an
/// M-matrix for every Pe, of first order. Central ones, Pe h w_d (u_after − u_before) / 2, are of second order, and
/// give an M-matrix while Pe h |w_d| ≤ 2. Neither matrix is symmetric.
///
/// elasticity: d unknowns a node, the displacements in x, y (and z), numbered node by node; `grid` counts nodes. q1 are
/// bi-/trilinear elements and p1 linear ones on the d! simplices that share the diagonal of a cell (Kuhn 1960), with
/// the stiffness ∫ λ (∇·u)(∇·v) + μ (∇u + ∇uᵀ) : ∇v, integrated exactly and divided by h^(d−2). Positive definite where
/// displacements are fixed (dirichlet, clamped_face); with Neumann boundaries rigid-body modes are the nullspace.
struct GeneratedProblem {
  Pde pde = Pde::poisson;
  StructuredGrid grid;
  Discretization discretization = Discretization::fd;
  int stencil = 0;  ///< points; 0: 5 (fd) or 9 (q1) in 2D, 7 (fd) or 27 (q1) in 3D
  Boundary boundary = Boundary::dirichlet;
  Anisotropy anisotropy;                   ///< of pde diffusion
  Coefficient coefficient;                 ///< of pde diffusion
  Velocity velocity = Velocity::constant;  ///< this and what follows is of pde convection_diffusion
  double peclet = 1.0;
  Scheme scheme = Scheme::upwind;
  ElasticBody body{};  ///< of pde elasticity

  /// Throws ConfigurationError with a line for each key that is out of range or does not fit the others: its value and
  /// what it may be.
  void validate() const;

  /// Unknowns of a point of the grid.
  Index components() const { return pde == Pde::elasticity ? grid.dimensions : 1; }

  /// The rows of the matrix. Throws InputError where they are too many to be counted in 64 bits.
  std::int64_t unknowns() const;

  /// The rows in a range, cut off at the end. Throws InputError where they are more than the rows of a matrix can be.
  RowRange rows(RowRange range) const { return cut_rows(range, unknowns()); }

  /// Whether the matrix has the constants in its nullspace, so that a right-hand side must have mean zero.
  bool is_singular() const { return boundary == Boundary::neumann || boundary == Boundary::periodic; }

  /// Whether values on the first side of the box in direction d, or on the last, are fixed and eliminated.
  bool is_fixed_before(int d) const {
    return boundary == Boundary::dirichlet || (boundary == Boundary::clamped_face && d == 0);
  }
  bool is_fixed_after() const { return boundary == Boundary::dirichlet; }

  /// Whether nearly all rows have the values of others, as where coefficients are constant or take turns.
  bool repeats_rows() const {
    return pde == Pde::convection_diffusion ? velocity == Velocity::constant
                                            : pde != Pde::diffusion || coefficient.type == CoefficientType::constant ||
                                                  coefficient.type == CoefficientType::checkerboard;
  }

  bool is_symmetric() const { return pde != Pde::convection_diffusion; }

  /// The points of the stencil, with the default resolved.
  int stencil_points() const;

  /// Whether differences couple all of the 8 or 26 neighbours.
  bool has_box_stencil() const;

  /// The entries of the matrix, those that are 0 by chance included.
  double nonzeros() const;

  /// Whether diffusion along one direction is ten times as strong as along another one, or more.
  bool is_directed() const;

  DiffusionTensor diffusion_tensor() const;

  /// Cells between the two sides of the box in direction d; 0 past grid.dimensions.
  std::int64_t cells(int d) const;

  /// The spacing h.
  double spacing() const;

  /// The coordinate of the first unknown in direction d, in units of h: 1, ½ or 0.
  double first_unknown(int d) const;
};

const char* to_string(Pde pde);
const char* to_string(Discretization discretization);
const char* to_string(Boundary boundary);
const char* to_string(CoefficientType type);
const char* to_string(Velocity velocity);
const char* to_string(Scheme scheme);
const char* to_string(PlaneState plane);
const char* to_string(Load load);

}  // namespace amgsolve
