#pragma once

#include <string>
#include <vector>

#include "amg/result.hpp"

namespace amgsolve {

/// How much slower solves have become since a setup whose levels new values have kept in part: tells when to set up
/// anew. Solves to several tolerances are compared as far as both have reduced the residual, each its own first one.
class HierarchyWear {
 public:
  /// Of a solve with the matrix that was set up or updated. One without iterations says nothing.
  /// @param has_new_values  since the setup
  /// @param has_own_end     it had a tolerance or a limit of its own: to end short of the former or at the latter is no
  ///                        failure of the hierarchy
  void take(const SolveResult& solve, bool has_new_values, bool has_own_end);

  /// Whether the last solve has failed, or took more than `factor` times as many iterations as the first one by the
  /// values of the setup, and at least two more: a setup costs more than an iteration. Where there was no such solve,
  /// that counts as one iteration.
  bool is_outdated(double factor) const;

  /// Why it is, in words.
  std::string reason() const;

 private:
  std::vector<double> first_history_;  ///< of the first solve by the values of the setup; empty before
  bool has_failed_ = false;            ///< the last solve
  int last_iterations_ = 0;            ///< for the reduction; 0 before any solve
  int first_iterations_ = 0;           ///< likewise; 0 where there was none
  double reduction_ = 1.0;             ///< that both have reached
};

}  // namespace amgsolve
