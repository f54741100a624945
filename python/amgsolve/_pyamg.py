"""What lets a program that uses PyAMG go on with one line changed."""

import warnings

import numpy as np

from ._errors import ConfigurationError
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
        return_info=False,
    ):
        """Solve A x = b; return x, with return_info x and 0 where it converged, else the iterations done.

        b may have several columns. accel names PyAMG's Krylov methods; here conjugate gradients are always around the
        cycle, or what the option method says, so that it matters only where it is none of "cg", "fcg" and None.
        callback gets the number of iterations; residuals is filled with the norms ‖b − A x‖.
        """
        if cycle is not None and cycle != self._cycle():
            raise ConfigurationError(f"the cycle is chosen with the solver: cycle={cycle!r}, in place of solve()")
        if accel not in (None, "cg", "fcg"):
            raise ConfigurationError(f"accel={accel!r} is chosen with the solver: method={accel!r}, in place of solve()")
        x, info = Solver.solve(
            self,
            b,
            x0,
            tol,
            maxiter,
            callback=None if callback is None else lambda iterations, _: callback(iterations) is not False,
        )
        if residuals is not None:
            residuals[:] = list(info.history * (np.linalg.norm(b) or 1.0))
        return (x, 0 if info.converged else info.iterations) if return_info else x

    def _cycle(self):
        """The cycle of a symmetric matrix."""
        cycle = self.option("amg.cycle")
        return "V" if cycle == "auto" else cycle

    def aspreconditioner(self, cycle=None):
        if cycle is not None and cycle != self._cycle():
            raise ConfigurationError(f"the cycle is chosen with the solver: cycle={cycle!r}")
        return super().aspreconditioner()

    def __repr__(self):
        return "Multilevel" + super().__repr__()


def _strength(value):
    """PyAMG's strength of connection as options."""
    name, choices = value if isinstance(value, tuple) else (value, {})
    if name == "symmetric":
        return {"measure": "symmetric", "threshold": choices.get("theta")}
    if name is not None:
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
            options["coarse_size"] = value
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
