"""Solver and its levels."""

import numbers

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import LinearOperator

from . import _amgsolve, _arrays
from ._errors import Error, InputError
from ._info import Info
from ._options import make_options, number_of, refuse


class Level:
    """A level of the hierarchy; 0 is the finest.

    A, P, R  its matrices as SciPy CSR, copied from the hierarchy when first asked for, which must be before new values
             come: A of its own unknowns, P from the next coarser level to it, R = Pᵀ; A of the next level is R A P. The
             coarsest level has neither P nor R.
    rows, nonzeros, bytes, storage, aggregates, mean_aggregate_size, strength_threshold, dropped_weight,
    prolongator_steps, truncation, density, spectral_radius
             statistics, described in docs/report.md
    """

    def __init__(self, solver, number, hierarchy):
        self._solver = solver
        self._number = number
        self._hierarchy = hierarchy
        self._statistics = hierarchy.levels[number]
        self._matrices = {}

    def __getattr__(self, name):
        if name in ("P", "R"):  # as in PyAMG, so that hasattr() tells
            raise AttributeError(f"level {self._number} is the coarsest: it has no {name}")
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._statistics, name)

    def __dir__(self):
        names = (name for name in dir(self._statistics) if not name.startswith("_"))
        return sorted({*super().__dir__(), *names})

    def _matrix(self, part):
        if part not in self._matrices:
            if part != "A" and self._number == len(self._hierarchy.levels) - 1:
                raise AttributeError(part)
            self._matrices[part] = self._solver._level_matrix(self._hierarchy, self._number, part)
        return self._matrices[part]

    @property
    def A(self):
        return self._matrix("A")

    @property
    def P(self):
        return self._matrix("P")

    @property
    def R(self):
        return self._matrix("R")

    def __repr__(self):
        return f"<Level {self._number}: {self.rows} unknowns, {self.nonzeros} nonzeros>"


class Solver:
    """Solves A x = b by smoothed-aggregation multigrid under a Krylov method.

    The hierarchy is that of Vaněk, Mandel and Brezina (Computing 56, 1996): from strong couplings, aggregates around a
    distance-2 maximal independent set; from these and the near-nullspace B a tentative prolongator T; smoothed,
    P = (I − ω D⁻¹A) T; the next level's matrix is Pᵀ A P. One cycle on it preconditions conjugate gradients.

    A             symmetric positive (semi-)definite: a SciPy sparse matrix of any format, a dense array, CuPy's CSR
                  matrix, or a tuple (values, col_indices, row_offsets) of arrays, also on a GPU. CSR in float32 or
                  float64 is used in place, but for column indices of other than 32 bits: its arrays must not change
                  before update_values(). Other integers and real numbers become float64.
    B             near-nullspace: n × k values that coarse levels must reproduce, as the rigid-body modes of an elastic
                  body; the constant by default, over √a_ii where unknowns are in units of their own
    coordinates   of the nodes of an elastic body, nodes × 2 or 3: B are its rigid-body modes
    dtype         float32 or float64, to convert A to
    copy          whether to copy A in any case, so that its arrays may go
    stream        the address of a cudaStream_t for all GPU work
    **options     by the keys of problem.yaml (docs/configuration.md), with or without their section: tolerance=1e-10
                  is solver.tolerance, cycle="W" is amg.cycle; dicts nest: amg={"strength": {"threshold": 0.3}}.

    Raises ConfigurationError, InputError, OutOfMemoryError, BreakdownError, DeviceError; all are amgsolve.Error.
    The interpreter's lock is released while the solver works, on all cores or on the GPU. Ctrl-C ends the work with
    KeyboardInterrupt; the solver can be used again. Threads that call one solver take turns.
    """

    def __init__(self, A, B=None, *, coordinates=None, dtype=None, copy=False, stream=None, **options):
        self._options = make_options(options)
        self._copy = copy
        arrays = _arrays.matrix(A, dtype, copy)
        self._shape, self._dtype = arrays.shape, arrays.dtype
        kind = _amgsolve.SolverOfFloat if arrays.dtype == np.float32 else _amgsolve.SolverOfDouble
        self._solver = kind(self._options, _address_of(stream))
        self._set_up(arrays, B, coordinates)

    # Shapes and types, as of a matrix.

    @property
    def shape(self):
        return self._shape

    @property
    def dtype(self):
        return self._dtype

    def _set_up(self, arrays, B, coordinates):
        near_nullspace, nodes = (
            self._beside(arrays, values, name) for values, name in ((B, "B"), (coordinates, "coordinates"))
        )
        if near_nullspace is not None and near_nullspace.shape[0] != arrays.shape[0]:
            raise InputError(f"B has {near_nullspace.shape[0]} rows; the matrix has {arrays.shape[0]}")
        self._solver.setup(
            arrays.matrix,
            near_nullspace.address if near_nullspace is not None else 0,
            near_nullspace.size if near_nullspace is not None else 0,
            nodes.address if nodes is not None else 0,
            nodes.shape[0] if nodes is not None else 0,
            _arrays.columns_of(nodes) if nodes is not None else 3,
        )
        self._csr = arrays.csr

    @staticmethod
    def _beside(arrays, values, name):
        """An array in the matrix's memory and type, or None."""
        if values is None:
            return None
        vector = _arrays.vector(values, arrays.dtype, name)
        if vector.on_device != arrays.on_device:
            raise InputError(f"{name} and the matrix are not in the same memory")
        if vector.size == 0:
            raise InputError(f"{name} has no {'columns' if vector.shape[0] > 0 else 'rows'}")
        return vector

    def update_values(self, A):
        """Take new values for a matrix of the same pattern.

        ``reuse="pattern"`` or ``"hierarchy"``, given to the constructor, says what is kept; by default all is set up
        anew, which a solver with B or coordinates cannot be. A may be the former matrix with other values in it. One
        that is refused, with NaN in it for example, leaves the solver as it was; of the former matrix, once its former
        values are back. One that cannot be set up leaves none: the next values are set up anew.
        """
        arrays = _arrays.matrix(A, self.dtype, self._copy)
        self._solver.update_values(arrays.matrix)
        self._csr = arrays.csr
        return self

    def solve(self, b, x0=None, tol=None, maxiter=None, *, operator=None, callback=None, **others):
        """Solve A x = b; return x and an Info.

        b         n values, or n × k for k right-hand sides that are solved together. An array on a GPU (by the CUDA
                  array interface) is used there, and x is of its kind.
        x0        where to start; zero by default. Not changed.
        tol       stop at ‖b − A x‖ ≤ tol · ‖b‖ in every column; the option tolerance by default: 1e-8, in float32 1e-5
        maxiter   give up after so many iterations; the option max_iterations by default
        operator  solve with this operator in place of A, which then only makes the hierarchy: a LinearOperator, a
                  matrix, or a function. In host memory it gets x and returns its product with it, of the same shape.
                  On a GPU a function of (x, y, stream) gets objects with the CUDA array interface, and fills y. What
                  it gets is memory of the solver: a copy is to be made of what is kept beyond the call. Where A is
                  singular, a product or two tell whether the operator is in the same way; where it is not, all of b
                  is solved for, which must be in the range of an operator that is singular in another way.
        callback  called after each iteration with their number and the relative residual; what it returns as False,
                  and nothing else, ends the solve

        A solve that does not converge is no exception: ask info.converged, or call info.check(). Other keywords, as
        SciPy's rtol, raise TypeError, which names the right one.
        """
        refuse(others)
        b_array = _arrays.vector(b, self.dtype, "b")
        self._check_rows(b_array, "b")
        x = _arrays.zeros_like(b) if b_array.on_device else np.zeros(b_array.shape, self.dtype)
        if x0 is not None:
            guess = _arrays.vector(x0, self.dtype, "x0")
            if guess.shape != b_array.shape:
                raise InputError(f"x0 has the shape {guess.shape} and b {b_array.shape}")
            if guess.on_device != b_array.on_device:
                raise InputError("x0 and b are not in the same memory")
            x[...] = guess.owner
        x_array = _arrays.vector(x, self.dtype, "x")
        product = None if operator is None else self._product_with(operator, b_array.shape)
        tolerance = number_of("solver.tolerance", tol, float)
        limit = number_of("solver.max_iterations", maxiter, int)
        go_on = None if callback is None else lambda *progress: not _is_false(callback(*progress))
        result = self._solver.solve(
            b_array.address,
            x_array.address,
            b_array.shape[0],
            _arrays.columns_of(b_array),
            b_array.on_device,
            tolerance,
            limit,
            product,
            go_on,
        )
        return x, Info(result)

    def precondition(self, r):
        """z = M⁻¹ r, one multigrid cycle for A z = r from z = 0; symmetric positive definite unless options forbid."""
        r_array = _arrays.vector(r, self.dtype, "r")
        self._check_rows(r_array, "r")
        z = _arrays.zeros_like(r) if r_array.on_device else np.empty(r_array.shape, self.dtype)
        z_array = _arrays.vector(z, self.dtype, "z")
        self._solver.precondition(
            r_array.address, z_array.address, r_array.size, _arrays.columns_of(r_array), r_array.on_device
        )
        return z

    def aspreconditioner(self):
        """The cycle as a scipy.sparse.linalg.LinearOperator, for SciPy's cg, gmres, lobpcg and their kind."""
        return LinearOperator(
            self.shape,
            matvec=lambda r: self.precondition(np.reshape(r, -1)),
            matmat=self.precondition,
            dtype=self.dtype,
        )

    def share(self, threads=0, *, stream=None):
        """Another solver with this hierarchy, and work vectors and callbacks of its own.

        Solvers that share solve at the same time on threads of the program, to the bits of solves one after the other.
        It takes no new values, nor does this one while any that shares is there.

        threads  for its solves on the host; 0: as the options say. With several at work, their shares of the cores
        stream   the address of a cudaStream_t for its GPU work; on a GPU, call this on the thread that will solve
        """
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        count = number_of("solver.threads", threads, int) or 0
        other._solver = self._solver.share(count, _address_of(stream))
        if count > 0:
            other._options = self._options.copy()
            other._options.set("solver.threads", str(count))
        return other

    @property
    def levels(self):
        """The levels of the hierarchy, finest first."""
        hierarchy = self._hierarchy()
        return [Level(self, number, hierarchy) for number in range(len(hierarchy.levels))]

    def _hierarchy(self):
        return self._solver.hierarchy()

    def operator_complexity(self):
        """Σ nonzeros of all levels / nonzeros of A: what a cycle costs, in products with A and from below."""
        return self._hierarchy().operator_complexity

    def grid_complexity(self):
        """Σ unknowns of all levels / unknowns of A."""
        return self._hierarchy().grid_complexity

    def report(self):
        """The tables of the command for the last setup and solve: hierarchy, history, times, outcome."""
        return self._solver.report()

    def report_json(self):
        """The same as JSON text, described in docs/report.md."""
        return self._solver.report_json()

    def option(self, key):
        """The value of a key of problem.yaml, as text."""
        return self._options.get(key)

    def __repr__(self):
        try:
            levels = self.levels
        except Error as error:
            return f"Solver without levels to show: {error}"
        total = sum(level.nonzeros for level in levels)
        lines = [
            "Solver",
            f"Number of Levels:     {len(levels)}",
            f"Operator Complexity: {self.operator_complexity():6.3f}",
            f"Grid Complexity:     {self.grid_complexity():6.3f}",
            f"Coarse Solver:        '{self._hierarchy().coarse_solver}'",
            "  level   unknowns     nonzeros",
        ]
        for number, level in enumerate(levels):
            share = 100.0 * level.nonzeros / total
            lines.append(f"{number:6} {level.rows:11} {level.nonzeros:12} [{share:5.2f}%]")
        return "\n".join(lines) + "\n"

    def __reduce__(self):
        raise TypeError("a Solver cannot be copied or pickled: share() makes another one with its hierarchy")

    def _level_matrix(self, hierarchy, number, part):
        arrays, shape = self._solver.level_matrix(hierarchy, number, getattr(_amgsolve.LevelMatrix, part))
        types = (self.dtype, np.int32, np.int64)
        return sparse.csr_matrix(tuple(np.frombuffer(*array) for array in zip(arrays, types)), shape=shape, copy=False)

    def _check_rows(self, array, name):
        if array.shape[0] != self.shape[0]:
            raise InputError(f"{name} has {array.shape[0]} rows; the matrix is {self.shape[0]} x {self.shape[1]}")

    def _product_with(self, operator, shape):
        dtype = self.dtype
        apply = getattr(operator, "dot", operator)
        if not callable(apply):
            raise InputError(f"operator is a {type(operator).__name__}; it must be a LinearOperator, a matrix or a function")
        if getattr(operator, "shape", self.shape) != self.shape:
            raise InputError(f"operator is {operator.shape}; the matrix is {self.shape}")

        def product(x_address, y_address, columns, stream):
            on_device = stream != 0
            x = _arrays.view_of(x_address, shape, dtype, False, on_device, stream)
            y = _arrays.view_of(y_address, shape, dtype, True, on_device, stream)
            if not on_device:
                y[...] = _arrays.product(apply(x), shape)
            elif callable(operator):
                operator(x, y, stream)
            else:
                raise InputError("operator must be a function of (x, y, stream) on a GPU")

        return product


def _address_of(stream):
    """That of a cudaStream_t, where one is given."""
    if stream is None:
        return 0
    if not isinstance(stream, numbers.Integral) or not 0 <= stream < 2**64:
        raise InputError(f"stream is {stream!r}; it must be the address of a cudaStream_t, an integer")
    return int(stream)


def _is_false(answer):
    """What a callback returns as the wish to end."""
    return isinstance(answer, (bool, np.bool_)) and not answer
