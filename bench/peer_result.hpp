#pragma once

namespace amgsolve::bench {

/// A whole solve by a peer.
struct PeerResult {
  int iterations = 0;
  double relative_residual = 0.0;
  double setup_seconds = 0.0;
  double solve_seconds = 0.0;
};

}  // namespace amgsolve::bench
