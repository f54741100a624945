"""What lets a program that uses PyAMG go on with one line changed."""

import math
import warnings

import numpy as np

from . import _arrays
from ._errors import ConfigurationError, InputError
from ._solver import Solver


class MultilevelSolver(Solver):
    """A Solver whose solve() is called, and returns, as PyAMG's does."""

    def solve(
        self,
        b,
        x0=None,
        tol=1e-5,
        maxiter=100,
        cycle=None,
        accel=None,
        callback=None,
        residuals=None,
        cycles_per_level=1,
        return_info=False,
    ):
        """Solve A x = b; return x, with return_info x and 0 where it converged, else the iterations done, at least 1.

        b may have several columns. accel names PyAMG's Krylov methods; here conjugate gradients are always around the
        cycle, or what the option method says, so that it matters only where it is none of these and not None. callback
        gets the number of iterations, where PyAMG's gets x; what it returns as False ends the solve. residuals is
        filled with the norms ‖b − A x‖ of one column, of a singular matrix without what of b has no solution; on a GPU
        those of b = 0 are relative to the first.
        """
        self._require_cycle(cycle)
        if accel not in (None, "cg", "fcg", self.option("solver.method")):
            raise ConfigurationError(f"accel={accel!r} is chosen with the solver: method={accel!r}, in place of solve()")
        if cycles_per_level != 1:
            raise ConfigurationError(f"cycles_per_level={cycles_per_level!r}: cycles go once to each level, or as W does")
        if residuals is not None:
            self._check_rows(_arrays.vector(b, self.dtype, "b"), "b")
            norm = _arrays.norm(b)  # now: what has none is told before the solve
            if np.ndim(b) == 2 and np.shape(b)[1] != 1:
                raise InputError(f"residuals are those of one column; b has {np.shape(b)[1]}")
        x, info = Solver.solve(
            self,
            b,
            x0,
            tol,
            maxiter,
            callback=None if callback is None else lambda iterations, _: callback(iterations),
        )
        if residuals is not None:
            residuals[:] = list(info.history * self._unit_of_residuals(norm, info.outside_range, x0, x))
        return (x, 0 if info.converged else max(1, info.iterations)) if return_info else x

    def _unit_of_residuals(self, norm, outside_range, x0, x):
        """The norm of b, or of what of it is in the range; of ‖A x0‖ where b is 0."""
        if norm == 0.0:
            return self._norm_of_image(x0) or 1.0
        inside = (1.0 - outside_range) * (1.0 + outside_range)
        if inside < 1e-3:  # next to nothing of b is, and the difference has no digits left: A x is that part
            return self._norm_of_image(x) or norm * math.sqrt(max(0.0, inside)) or 1.0
        return norm * math.sqrt(inside)

    def _norm_of_image(self, x):
        """‖A x‖, 0 where it is not to be had."""
        if x is None or self._csr is None or _arrays.is_on_device(x):
            return 0.0
        return float(np.linalg.norm(self._csr @ x))

    def _require_cycle(self, cycle):
        """Refuse another cycle than the solver's, which is V by default, as a symmetric matrix has it."""
        own = self.option("amg.cycle")
        if cycle is not None and str(cycle).upper() != ("V" if own == "auto" else own):
            raise ConfigurationError(f"the cycle is chosen with the solver: cycle={cycle!r} there, not here")

    def aspreconditioner(self, cycle=None):
        self._require_cycle(cycle)
        return super().aspreconditioner()

    def __repr__(self):
        return "Multilevel" + super().__repr__()


def _strength(value):
    """PyAMG's strength of connection, of which None is that of all couplings, as options; a dict is of options."""
    if isinstance(value, dict):
        return value
    name, choices = (*value, {})[:2] if isinstance(value, tuple) else (value, {})
    if name is None:
        return {"measure": "symmetric", "threshold": 0}
    if name == "symmetric":
        return {"measure": "symmetric", "threshold": (choices or {}).get("theta", 0)}
    warnings.warn(f"strength={name!r} has no counterpart; what the defaults choose is taken", stacklevel=3)
    return {}


def smoothed_aggregation_solver(A, B=None, **keywords):
    """``pyamg.smoothed_aggregation_solver(A, B)``: the same call for a MultilevelSolver of this package.

    Of PyAMG's keywords max_levels, max_coarse and strength="symmetric" mean what they do there;
    those without a counterpart are named in a warning and left out. All options of Solver may be given too.
    """
    options = {}
    for name, value in keywords.items():
        if name == "max_coarse":
            options["amg.coarse_size"] = value
        elif name == "strength":
            options["strength"] = _strength(value)
        elif name in _WITHOUT_COUNTERPART:
            warnings.warn(f"{name} is left out: {_IN_PLACE_OF.get(name, 'it has no counterpart')}", stacklevel=2)
        else:
            options[name] = value
    return MultilevelSolver(A, B, **options)


_IN_PLACE_OF = {
    "aggregate": "aggregation_passes chooses",
    "smooth": "prolongator_damping and prolongator_steps choose",
    "presmoother": "smoother and pre_sweeps choose",
    "postsmoother": "smoother and post_sweeps choose",
}

_WITHOUT_COUNTERPART = frozenset(
    (
        "BH",
        "symmetry",
        "aggregate",
        "smooth",
        "presmoother",
        "postsmoother",
        "improve_candidates",
        "diagonal_dominance",
        "keep",
        "coarse_solver",
    )
)
