from collections.abc import Callable
from typing import Any, Literal, NoReturn, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator

__version__: str

class OnDevice(Protocol):
    """An array in a GPU's memory, as CuPy's are."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

# A scipy.sparse matrix or array, a dense array, CuPy's CSR matrix, or (values, col_indices, row_offsets).
Matrix = Any
Option = str | bool | int | float | list[Any] | tuple[Any, ...] | dict[str, Any] | None

class Error(Exception):
    status: str

class ConfigurationError(Error, ValueError): ...
class InputError(Error, ValueError): ...
class OutOfMemoryError(Error, MemoryError): ...
class BreakdownError(Error, ArithmeticError): ...
class DeviceError(Error, RuntimeError): ...
class NotConvergedError(Error, ArithmeticError): ...
class StoppedError(Error): ...
class InternalError(Error, RuntimeError): ...

class Info:
    status: Literal["converged", "not_converged", "breakdown", "interrupted"]
    message: str
    iterations: int
    relative_residual: float
    backward_error: float
    jacobi_change: float | None
    outside_range: float
    convergence_factor: float
    history: NDArray[np.float64]
    @property
    def converged(self) -> bool: ...
    def check(self) -> Info: ...
    def plot(self, ax: Any = None) -> Any: ...

class Level:
    @property
    def A(self) -> csr_matrix: ...
    @property
    def P(self) -> csr_matrix: ...
    @property
    def R(self) -> csr_matrix: ...
    rows: int
    nonzeros: int
    bytes: int
    storage: Literal["csr", "ell", "sell", "pattern"]
    aggregates: int
    mean_aggregate_size: float
    strength_threshold: float
    dropped_weight: float
    prolongator_steps: int
    truncation: float
    density: float
    spectral_radius: float

class Solver:
    def __init__(
        self,
        A: Matrix,
        B: ArrayLike | OnDevice | None = None,
        *,
        coordinates: ArrayLike | OnDevice | None = None,
        dtype: Any = None,
        copy: bool = False,
        stream: int | None = None,
        **options: Option,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def update_values(self, A: Matrix) -> Solver: ...
    def solve(
        self,
        b: ArrayLike | OnDevice,
        x0: ArrayLike | OnDevice | None = None,
        tol: float | None = None,
        maxiter: int | None = None,
        *,
        operator: Any = None,
        callback: Callable[[int, float], object] | None = None,
        **others: NoReturn,
    ) -> tuple[Any, Info]: ...
    def precondition(self, r: ArrayLike | OnDevice) -> Any: ...
    def aspreconditioner(self) -> LinearOperator: ...
    def share(self, threads: int = 0, *, stream: int | None = None) -> Solver: ...
    @property
    def levels(self) -> list[Level]: ...
    def operator_complexity(self) -> float: ...
    def grid_complexity(self) -> float: ...
    def report(self) -> str: ...
    def report_json(self) -> str: ...
    def option(self, key: str) -> str: ...

class MultilevelSolver(Solver):
    def solve(  # type: ignore[override]
        self,
        b: ArrayLike | OnDevice,
        x0: ArrayLike | OnDevice | None = None,
        tol: float = 1e-5,
        maxiter: int = 100,
        cycle: str | None = None,
        accel: str | None = None,
        callback: Callable[[int], object] | None = None,
        residuals: list[float] | None = None,
        cycles_per_level: int = 1,
        return_info: bool = False,
    ) -> Any: ...
    def aspreconditioner(self, cycle: str | None = None) -> LinearOperator: ...

def smoothed_aggregation_solver(A: Matrix, B: ArrayLike | OnDevice | None = None, **keywords: Any) -> MultilevelSolver: ...
def solve(
    A: Matrix,
    b: ArrayLike | OnDevice,
    x0: ArrayLike | OnDevice | None = None,
    tol: float | None = None,
    maxiter: int | None = None,
    **options: Option,
) -> tuple[Any, Info]: ...
def keys() -> list[str]: ...
