#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <random>
#include <vector>

#include "spmv/csr_matrix.hpp"

/// Matrices with bad coefficients that no generator of the product makes, assembled naively on the host.
namespace amgsolve::bench {

/// Finite volumes on a box of cells with Dirichlet boundaries: the entry between neighbours is minus the conductance of
/// their face, the diagonal the sum over all faces.
/// @param conductance  of the face behind cell (x, y, z) in direction d; index −1 is the face before the first cell
using Conductance = std::function<double(int d, const std::array<Index, 3>& cell)>;
CsrMatrix<double, Host> finite_volumes(Context<Host>& ctx, std::array<Index, 3> cells, const Conductance& conductance);

/// The harmonic mean of the coefficients of a face's cells, as a conductance; a cell outside has its neighbour's.
Conductance harmonic(std::array<Index, 3> cells, std::function<double(const std::array<Index, 3>&)> coefficient);

/// Cells whose coefficients are exp(σ z), z normal.
/// @param correlation  edge in cells of the windows over which independent numbers are averaged; 1: they stay so
std::function<double(const std::array<Index, 3>&)> log_normal(std::array<Index, 3> cells, double sigma,
                                                              Index correlation, std::uint64_t seed);

/// Conductances of cells whose edges grow geometrically by `ratio` in all along the directions wanted.
Conductance stretched(std::array<Index, 3> cells, double ratio, std::array<bool, 3> directions);

/// Trilinear elements of −∇·diag(k)∇ on a cube of n³ interior nodes with Dirichlet boundaries.
CsrMatrix<double, Host> trilinear(Context<Host>& ctx, Index n, std::array<double, 3> k);

/// Bilinear elements on n² interior nodes, diffusion 1 along circles around the square's centre and ε across.
CsrMatrix<double, Host> circular_field(Context<Host>& ctx, Index n, double epsilon);

/// Linear elements of −∇·K∇ on the triangles or tetrahedra of a file of ../shared/data, without the nodes of the
/// boundary. K is diag(1, ε, ε) rotated by the angle in the plane of x and y.
CsrMatrix<double, Host> simplices(Context<Host>& ctx, const std::filesystem::path& mesh, double epsilon,
                                  double degrees);

/// exp(σ z) for each row, z normal.
std::vector<double> random_units(Index rows, double sigma);

/// S A S with S = diag(units): A where unknowns are in units of their own.
CsrMatrix<double, Host> in_units(CsrMatrix<double, Host> A, const std::vector<double>& units);

/// The Laplacian of the largest component of a graph, without its first node.
CsrMatrix<double, Host> grounded_laplacian(Context<Host>& ctx, const CsrMatrix<double, Host>& adjacency);

/// What an edge of a network couples its two nodes by: k × k, row by row, symmetric and positive definite.
using Coupling = std::function<std::vector<double>(std::mt19937_64& random)>;

/// A network of so many nodes, of which each takes two edges to any others, by couplings W of sizes from 0.1 to 1.1:
/// W and −W where an edge's nodes meet, and 0.01 on the diagonal.
CsrMatrix<double, Host> random_network(Context<Host>& ctx, Index nodes, Index unknowns, const Coupling& coupling);

}  // namespace amgsolve::bench
