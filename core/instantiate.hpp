#pragma once

/// Explicit instantiation, at the end of a source that is written once for both memory spaces: INSTANTIATE(T, S) for
/// the value types and the memory spaces of this build.
#define AMGSOLVE_FOR_VALUES(INSTANTIATE, S) INSTANTIATE(float, S) INSTANTIATE(double, S)
#if AMGSOLVE_HAVE_CUDA
#define AMGSOLVE_FOR_VALUES_AND_SPACES(INSTANTIATE) \
  AMGSOLVE_FOR_VALUES(INSTANTIATE, Host)            \
  AMGSOLVE_FOR_VALUES(INSTANTIATE, Cuda)
#else
#define AMGSOLVE_FOR_VALUES_AND_SPACES(INSTANTIATE) AMGSOLVE_FOR_VALUES(INSTANTIATE, Host)
#endif
