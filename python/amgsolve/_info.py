"""How a solve ended."""

import numpy as np

from ._errors import BY_STATUS


class Info:
    """How a solve ended. Of several right-hand sides the numbers are the worst column's.

    status              ``"converged"``, ``"not_converged"``, ``"breakdown"`` or ``"interrupted"``
    converged           whether it is the first of them
    message             one sentence that says why the iteration ended, and what to try
    iterations          of the method
    relative_residual   ‖b − A x‖ / ‖b‖, recomputed from x in double precision; where b = 0 relative to the first residual
    backward_error      ‖b − A x‖ / ‖|b| + |A| |x|‖: at a few roundings, x is as good as any solver gets it
                        (Rigal, Gaches 1967; Oettli, Prager 1964)
    jacobi_change       ‖D⁻¹(b − A x)‖ / ‖x‖ of an x that has converged where some rows are far larger than others, which
                        the norm of the residual may hide; else None
    outside_range       of a singular A: the norm of b's part out of its range, which was left out, relative to b's
    convergence_factor  geometric mean of the residual's reduction in an iteration; NaN where none was made
    history             the relative residual before the first and after each iteration
    """

    def __init__(self, result):
        self.status = result.status
        self.message = result.message
        self.iterations = result.iterations
        self.relative_residual = result.relative_residual
        self.backward_error = result.backward_error
        self.jacobi_change = result.jacobi_change
        self.outside_range = result.outside_range
        self.convergence_factor = result.convergence_factor
        self.history = np.array(result.residual_history)

    @property
    def converged(self):
        return self.status == "converged"

    def check(self):
        """Raise the exception of the status where the solve has not converged; return the info where it has."""
        if not self.converged:
            raise BY_STATUS[self.status](self.message)
        return self

    def plot(self, ax=None):
        """Draw the history on a logarithmic axis and return the axes. Needs Matplotlib."""
        if ax is None:
            try:
                import matplotlib.pyplot as pyplot
            except ImportError as error:
                raise ImportError("Info.plot() draws with Matplotlib, which is not installed (python3-matplotlib)") from error
            ax = pyplot.subplots()[1]
        ax.semilogy(np.arange(len(self.history)), self.history, marker=".")
        ax.set_xlabel("iteration")
        ax.set_ylabel("relative residual")
        factor = f", factor {self.convergence_factor:.3f}" if self.iterations else ""
        ax.set_title(f"{self.status.replace('_', ' ')}: {self.iterations} iterations{factor}")
        ax.grid(True, which="major", alpha=0.3)
        return ax

    def __repr__(self):
        factor = f", convergence factor {self.convergence_factor:.3f}" if self.iterations else ""
        return (
            f"<Info: {self.status}, {self.iterations} iterations, "
            f"relative residual {self.relative_residual:.3g}{factor}>"
        )
