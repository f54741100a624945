"""What callers hand over, as addresses, sizes and owners that stay alive: NumPy, SciPy, and arrays on a GPU by the
CUDA array interface (https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html) or, in host memory, by DLPack.
Nothing is copied whose layout and type serve as they are."""

import contextlib
import importlib

import numpy as np
import scipy.sparse as sparse

from . import _amgsolve
from ._errors import InputError

_INDEX_LIMIT = np.iinfo(np.int32).max
_KDL_CPU = 1
_WITHOUT_WRITABLE_ARRAYS = ("jax", "jaxlib", "tensorflow")


@contextlib.contextmanager
def _refused(name):
    """What NumPy and SciPy refuse, as InputError."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError, IndexError, ArithmeticError, BufferError, RuntimeError) as error:
        raise InputError(f"{name}: {error}") from error


class Array:
    """A contiguous array, wherever it is."""

    def __init__(self, owner, address, shape, dtype, on_device):
        self.owner = owner
        self.address = address
        self.shape = shape
        self.dtype = dtype
        self.on_device = on_device

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=np.int64))


def is_on_device(x):
    """Whether x lies in a GPU's memory by what it says of itself."""
    return hasattr(x, "__cuda_array_interface__")


def device_array(x, name):
    """An Array of what x.__cuda_array_interface__ tells."""
    interface = x.__cuda_array_interface__
    try:
        shape = tuple(int(n) for n in interface["shape"])
        dtype = np.dtype(interface["typestr"])
        address = int(interface["data"][0] or 0)
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{name}: __cuda_array_interface__ is not complete: {error}") from error
    strides = interface.get("strides")
    if strides is not None:
        expected = dtype.itemsize
        for n, stride in zip(reversed(shape), reversed(tuple(strides))):
            if n > 1 and stride != expected:
                raise InputError(f"{name} is on the GPU and not contiguous (row-major); copy it into an array that is")
            expected *= n
    if interface.get("mask") is not None:
        raise InputError(f"{name} has a mask, which nothing here knows")
    _synchronize(x)
    return Array(x, address, shape, dtype, True)


def _as_numpy(x, name):
    """x as a NumPy array, by DLPack where it offers nothing else."""
    if sparse.issparse(x):
        raise InputError(f"{name} is a sparse matrix; {name}.toarray() is a dense one")
    with _refused(name):
        if isinstance(x, np.ndarray) or not hasattr(x, "__dlpack__") or hasattr(x, "__array__"):
            array = np.asarray(x)
        elif x.__dlpack_device__()[0] == _KDL_CPU:
            array = np.from_dlpack(x)
        else:
            raise InputError(f"{name} is on a device and has no __cuda_array_interface__")
    if np.ma.is_masked(x):
        raise InputError(f"{name} has a mask, which nothing here knows")
    if array.dtype.kind == "c":
        raise InputError(f"{name} is complex; only real systems are solved")
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name} has elements of type {array.dtype}, which are no numbers")
    return array


def _require_room(values, converted, name, row_of):
    """Refuse numbers that their conversion has made infinite; the i-th of them is in row row_of(i)."""
    if converted.dtype.kind == "f" and converted.dtype.itemsize < values.dtype.itemsize:
        is_too_large = np.isinf(converted) & np.isfinite(values)
        if is_too_large.any():
            i = int(is_too_large.argmax())
            raise InputError(
                f"{name} is {values.flat[i]} in row {row_of(i) + 1}, counted from 1, which is too large for "
                f"{converted.dtype}, in which the solver works"
            )


def host_array(x, dtype, name):
    """An Array of x in the host's memory, row-major and of the type; a copy only where it is not that."""
    values = _as_numpy(x, name)
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(values, dtype=dtype)
    _require_room(values, array, name, lambda i: i * len(array) // array.size)
    return Array(array, array.ctypes.data, array.shape, array.dtype, False)


def vector(x, dtype, name, columns=None):
    """An Array of one or several columns, in either memory."""
    if is_on_device(x):
        array = device_array(x, name)
        if array.dtype != dtype:
            raise InputError(f"{name} is {array.dtype} on the GPU; the solver works in {dtype}")
    else:
        array = host_array(x, dtype, name)
    if len(array.shape) not in (1, 2):
        raise InputError(f"{name} has {len(array.shape)} dimensions; it must have one, or two for several columns")
    return array


def product(y, shape):
    """What an operator of the caller returned, in the shape of what it was given."""
    array = _as_numpy(y, "the operator's product")
    is_vector = np.prod(shape) == shape[0] and array.size == shape[0]  # n x 1 and np.matrix, too
    if array.shape != shape and not is_vector:
        raise InputError(f"the operator's product has the shape {array.shape}; it must be {shape}")
    return array.reshape(shape)


def columns_of(array):
    return 1 if len(array.shape) == 1 else array.shape[1]


def _library_of(x):
    """The package that the class of x is from, CuPy or PyTorch for example."""
    return importlib.import_module(type(x).__module__.partition(".")[0])


def _synchronize(x):
    """Wait until x is complete: its library works on streams of its own, and the solver on another one."""
    cuda = getattr(_library_of(x), "cuda", None)
    if hasattr(cuda, "get_current_stream"):  # CuPy
        with getattr(x, "device", contextlib.nullcontext()):
            cuda.get_current_stream().synchronize()
        return
    if hasattr(cuda, "current_stream"):  # PyTorch
        cuda.current_stream(getattr(x, "device", None)).synchronize()
        return
    if hasattr(cuda, "synchronize"):
        cuda.synchronize()


def _library_for_solutions(b):
    """That of b, which is on a GPU."""
    library = _library_of(b)
    if not hasattr(library, "zeros_like") or library.__name__ in _WITHOUT_WRITABLE_ARRAYS:
        raise InputError(
            f"b is on the GPU in an array of {library.__name__}, which makes none that could take the solution; CuPy and "
            "PyTorch do"
        )
    return library


def zeros_like(b):
    """Zeros on the GPU where b is, of the same kind."""
    return _library_for_solutions(b).zeros_like(b)


def norm(b):
    """‖b‖ of a right-hand side in either memory."""
    if is_on_device(b):
        return float(_library_for_solutions(b).linalg.norm(b))
    return float(np.linalg.norm(_as_numpy(b, "b")))


class _HostView:
    """What NumPy needs to see memory that the library owns."""

    def __init__(self, address, shape, dtype, writable):
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": np.dtype(dtype).str,
            "data": (address, not writable),
        }


class _DeviceView:
    """The same for what reads the CUDA array interface."""

    def __init__(self, address, shape, dtype, writable, stream):
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": np.dtype(dtype).str,
            "data": (address, not writable),
            "strides": None,
            "stream": stream or 1,  # 1 is the default stream
        }


def view_of(address, shape, dtype, writable, on_device, stream):
    """Memory that belongs to somebody else, as an array; it must not be kept."""
    if on_device:
        return _DeviceView(address, shape, dtype, writable, stream)
    return np.asarray(_HostView(address, shape, dtype, writable))


def value_type(dtype):
    """float32 and float64 stay; all other real numbers become float64."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        raise InputError("the matrix is complex; only real systems are solved")
    if dtype.kind not in "fiub":
        raise InputError(f"the matrix has values of type {dtype}, which are no numbers")
    return dtype if dtype in (np.float32, np.float64) else np.dtype(np.float64)


class MatrixArrays:
    """A matrix in CSR in the arrays of `keep`, and where they are; in host memory also as SciPy's."""

    def __init__(self, shape, values, col_indices, row_offsets, copy=False):
        self.shape = tuple(int(n) for n in shape)
        self.dtype = values.dtype
        self.on_device = values.on_device
        if row_offsets.size != self.shape[0] + 1:
            raise InputError(f"{row_offsets.size} row offsets for a matrix of {self.shape[0]} x {self.shape[1]}")
        if col_indices.size != values.size:
            raise InputError(f"{col_indices.size} column indices but {values.size} values")
        if col_indices.dtype != np.int32 or row_offsets.dtype not in (np.int32, np.int64):
            raise InputError(
                f"column indices are {col_indices.dtype} and row offsets {row_offsets.dtype} on the GPU; they must be "
                "int32, and int32 or int64"
            )
        self.keep = (values.owner, col_indices.owner, row_offsets.owner)
        self.csr = None
        if not self.on_device:
            self.csr = sparse.csr_matrix(self.shape, dtype=self.dtype)
            self.csr.data, self.csr.indices, self.csr.indptr = self.keep
        self.matrix = _amgsolve.Matrix(
            self.shape[0],
            self.shape[1],
            values.size,
            8 * row_offsets.dtype.itemsize,
            row_offsets.address,
            col_indices.address,
            values.address,
            values.on_device,
            copy,
            self.keep,
        )


def _require_integers(array, name):
    if array.size > 0 and array.dtype.kind not in "iu":
        raise InputError(f"{name} are {array.dtype}; they must be integers")


def _require_range(indices, limit, name, shape):
    _require_integers(indices, f"{name} indices")
    if indices.size > 0 and not (0 <= indices.min() and indices.max() < limit):
        raise InputError(f"a {name} index is outside of the matrix, which is {shape[0]} x {shape[1]}")


def _require_ascending(offsets, entries, along):
    if offsets[0] != 0 or offsets[-1] > entries or (offsets[1:] < offsets[:-1]).any():
        raise InputError(f"{along} offsets must ascend from 0 to at most {entries}, the number of entries")


def _require_sound(A):
    """Refuse a matrix of SciPy whose arrays were tampered with: its methods would follow them out of bounds."""
    if A.format == "coo":
        if not len(A.row) == len(A.col) == len(A.data):
            raise InputError(f"{len(A.row)} row indices, {len(A.col)} column indices and {len(A.data)} values")
        _require_range(A.row, A.shape[0], "row", A.shape)
        _require_range(A.col, A.shape[1], "column", A.shape)
    elif A.format == "lil":
        columns, values = ([len(row) for row in rows] for rows in (A.rows, A.data))
        if not len(columns) == len(values) == A.shape[0]:
            raise InputError(f"{len(columns)} and {len(values)} lists for the {A.shape[0]} rows of the matrix")
        for i, (indices, entries) in enumerate(zip(columns, values)):
            if indices != entries:
                raise InputError(f"row {i + 1}: {indices} column indices and {entries} values")
    elif A.format in ("csr", "csc", "bsr"):
        along, across = ("column", "row") if A.format == "csc" else ("row", "column")
        sizes = A.shape[::-1] if A.format == "csc" else A.shape
        block = A.data.shape[1:] or (1, 1)
        lines, offsets = sizes[0] // block[0], A.indptr
        _require_integers(offsets, f"{along} offsets")
        if len(offsets) != lines + 1:
            raise InputError(f"{len(offsets)} {along} offsets for a matrix of {A.shape[0]} x {A.shape[1]}")
        _require_ascending(offsets, min(len(A.indices), len(A.data)), along)
        if A.format == "csr":  # whose indices the library looks at
            _require_integers(A.indices, "column indices")
        else:
            _require_range(A.indices, sizes[1] // block[1], across, A.shape)


def _first(values, count):
    """An array without what it has room for beyond."""
    return values if len(values) == count else values[:count]


def _canonical_csr(A, dtype, copy):
    """A in CSR and in values of the type, the columns of a row ascending and unique. It is A itself where that is so,
    unless it is to be copied; SciPy's methods would change the arrays of what they are called for, so that what is not
    canonical is copied first."""
    is_own = not (sparse.issparse(A) and A.format == "csr")
    if is_own:
        A = sparse.csr_matrix(A)
    elif "u8" in (A.indices.dtype.str[1:], A.indptr.dtype.str[1:]):
        A = sparse.csr_matrix((A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64)), shape=A.shape)
    if not A.has_canonical_format:
        if not is_own:
            A, is_own = A.copy(), True
        A.sum_duplicates()
    if A.dtype != dtype:
        with np.errstate(over="ignore"):
            converted = A.astype(dtype, copy=not is_own)
        _require_room(
            _first(A.data, A.nnz),
            _first(converted.data, A.nnz),
            "the matrix",
            lambda i: int(np.searchsorted(A.indptr, i, side="right")) - 1,
        )
        return converted
    return A.copy() if copy and not is_own else A


def _host_matrix(A, dtype, copy):
    """Of anything that SciPy takes for a matrix."""
    if not sparse.issparse(A):
        A = _as_numpy(A, "the matrix")
    if A.ndim != 2:
        raise InputError(f"the matrix has {A.ndim} dimensions; it must have two")
    if max(A.shape) > _INDEX_LIMIT:  # before a conversion takes memory for as many
        raise InputError(f"the matrix is {A.shape[0]} x {A.shape[1]}; at most {_INDEX_LIMIT} rows are possible")
    dtype = value_type(A.dtype if dtype is None or A.dtype.kind == "c" else dtype)
    if sparse.issparse(A):
        _require_sound(A)
    A = _canonical_csr(A, dtype, copy)
    values, col_indices = (_first(part, A.nnz) for part in (A.data, A.indices))
    if col_indices.dtype != np.int32:
        _require_range(col_indices, A.shape[1], "column", A.shape)
    offsets = A.indptr.dtype if A.indptr.dtype in (np.int32, np.int64) else np.int64
    return MatrixArrays(
        A.shape,
        host_array(values, dtype, "data"),
        host_array(col_indices, np.int32, "indices"),
        host_array(A.indptr, offsets, "indptr"),
    )


def matrix(A, dtype=None, copy=False):
    """A as MatrixArrays: a SciPy sparse matrix or array of any format, a dense one, CuPy's CSR matrix, or a tuple
    (values, col_indices, row_offsets) of arrays in either memory."""
    if dtype is not None:
        with _refused("dtype"):
            dtype = np.dtype(np.dtype(dtype).type)  # NumPy makes views of arrays whose dtype is another object
        if dtype not in (np.float32, np.float64):
            raise InputError(f"dtype is {dtype}; it must be float32 or float64")
    if isinstance(A, tuple):
        if len(A) != 3:
            raise InputError(f"a matrix as a tuple has three arrays: values, column indices, row offsets; not {len(A)}")
        parts, shape = A, None
    elif not sparse.issparse(A) and all(hasattr(A, part) for part in ("data", "indices", "indptr", "shape")):
        if getattr(A, "format", "csr") != "csr":
            A = A.tocsr()
        parts, shape = (A.data, A.indices, A.indptr), A.shape
    else:
        with _refused("the matrix"):
            return _host_matrix(A, dtype, copy)
    if not any(is_on_device(part) for part in parts):
        parts = [_as_numpy(part, name) for part, name in zip(parts, ("values", "col_indices", "row_offsets"))]
        for part, name in zip(parts, ("values", "col_indices", "row_offsets")):
            if part.ndim != 1:
                raise InputError(f"{name} has {part.ndim} dimensions; it must have one")
        for part, name in zip(parts[1:], ("col_indices", "row_offsets")):
            _require_integers(part, name)
        rows = len(parts[2]) - 1
        if rows < 0:
            raise InputError("row_offsets has no elements; it must have one more than there are rows")
        shape = shape or (rows, rows)
        if len(parts[0]) != len(parts[1]):
            raise InputError(f"{len(parts[1])} column indices but {len(parts[0])} values")
        _require_ascending(parts[2], len(parts[1]), "row")  # SciPy would cut the arrays off by them
        with _refused("the matrix"):
            return _host_matrix(sparse.csr_matrix(tuple(parts), shape=shape), dtype, copy)
    values, col_indices, row_offsets = (
        device_array(part, name)
        if is_on_device(part)
        else _refuse_mixture(name)
        for part, name in zip(parts, ("values", "col_indices", "row_offsets"))
    )
    if values.dtype not in (np.float32, np.float64) or (dtype is not None and values.dtype != dtype):
        raise InputError(f"values are {values.dtype} on the GPU; they must be {dtype or 'float32 or float64'}")
    rows = row_offsets.size - 1
    return MatrixArrays(shape or (rows, rows), values, col_indices, row_offsets, copy=copy)


def _refuse_mixture(name):
    raise InputError(f"{name} is in host memory and other arrays of the matrix are on the GPU")
