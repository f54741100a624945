#pragma once

namespace amgsolve {

/// Starts the command anew, in its place, with threads that spin for at most some microseconds where they wait for each
/// other, and sleep then: GOMP_SPINCOUNT, which the OpenMP runtime reads before main() begins. By default they spin for
/// a millisecond, and where other programs use the cores they keep those from working whom they wait for. Returns where
/// the environment says how to wait (OMP_WAIT_POLICY, GOMP_SPINCOUNT), or where there is no starting anew.
/// @param argv  of main()
void limit_spinning(char** argv);

}  // namespace amgsolve
