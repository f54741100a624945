"""Smoothed-aggregation algebraic multigrid on CPU cores and NVIDIA GPUs, for SciPy's matrices.

    import amgsolve
    solver = amgsolve.Solver(A)                   # a symmetric positive definite scipy.sparse matrix
    x, info = solver.solve(b, tol=1e-10)
    M = solver.aspreconditioner()                 # for scipy.sparse.linalg.cg, gmres, lobpcg

docs/python.md is a guide, docs/configuration.md lists the options.
"""

from ._amgsolve import __version__
from ._errors import (
    BreakdownError,
    ConfigurationError,
    DeviceError,
    Error,
    InputError,
    InternalError,
    NotConvergedError,
    OutOfMemoryError,
    StoppedError,
)
from ._info import Info
from ._options import keys
from ._pyamg import MultilevelSolver, smoothed_aggregation_solver
from ._solver import Level, Solver


def solve(A, b, x0=None, tol=None, maxiter=None, **options):
    """Solve A x = b once: ``Solver(A, **options).solve(b, x0, tol, maxiter)``."""
    return Solver(A, **options).solve(b, x0, tol, maxiter)


__all__ = [
    "BreakdownError",
    "ConfigurationError",
    "DeviceError",
    "Error",
    "Info",
    "InputError",
    "InternalError",
    "Level",
    "MultilevelSolver",
    "NotConvergedError",
    "OutOfMemoryError",
    "Solver",
    "StoppedError",
    "__version__",
    "keys",
    "smoothed_aggregation_solver",
    "solve",
]
