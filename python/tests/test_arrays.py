"""What is taken as a matrix or a vector, and where copies are made."""

import types

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import relative_residual

import amgsolve
from amgsolve import _arrays

HOST = {"backend": "host", "coarse_size": 50}


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
def test_every_format_of_scipy(A, b, form):
    expected = amgsolve.solve(A, b, **HOST)[0]
    x, info = amgsolve.solve(A.asformat(form), b, **HOST)
    assert info.converged and np.array_equal(x, expected)


def test_sparse_arrays_dense_arrays_and_tuples(A, b):
    expected = amgsolve.solve(A, b, **HOST)[0]
    for matrix in (sparse.csr_array(A), A.toarray(), np.asfortranarray(A.toarray()), (A.data, A.indices, A.indptr)):
        assert np.array_equal(amgsolve.solve(matrix, b, **HOST)[0], expected)


def test_csr_is_used_in_place(A):
    for dtype in (np.float32, np.float64):
        matrix = A.astype(dtype)
        arrays = _arrays.matrix(matrix)
        assert [x is y for x, y in zip(arrays.keep, (matrix.data, matrix.indices, matrix.indptr))] == [True] * 3
        copied = _arrays.matrix(matrix, copy=True)
        assert not np.shares_memory(copied.keep[0], matrix.data)
    arrays = _arrays.matrix(A, dtype=np.float32)
    assert arrays.dtype == np.float32 and not np.shares_memory(arrays.keep[0], A.data)


def with_reversed_rows(A):
    """The values, column indices and row offsets of A, each row from its end."""
    order = np.concatenate([np.arange(begin, end)[::-1] for begin, end in zip(A.indptr, A.indptr[1:])])
    return A.data[order], A.indices[order], A.indptr.copy()


def csr_of(shape, parts):
    """A matrix in just these arrays."""
    A = sparse.csr_matrix(shape, dtype=parts[0].dtype)
    A.data, A.indices, A.indptr = parts
    return A


def test_matrices_that_are_not_canonical_are_put_in_order(A, b):
    expected = amgsolve.solve(A, b, **HOST)[0]
    row, column, value = sparse.find(A)
    half = np.concatenate([value, value]) / 2
    unordered = sparse.csr_matrix(
        (np.concatenate([A.data, [0.5]]), np.concatenate([A.indices, [0]]), np.append(A.indptr[:-1], A.nnz + 1)), A.shape
    )
    unordered.data[-1] = 0.0
    reversed_rows = csr_of(A.shape, with_reversed_rows(A))
    duplicates = sparse.coo_matrix((half, (np.tile(row, 2), np.tile(column, 2))), A.shape)
    for matrix in (unordered, reversed_rows, duplicates):
        assert np.array_equal(amgsolve.solve(matrix, b, **HOST)[0], expected)


@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, int])
def test_arrays_that_another_matrix_has_too_stay_as_they_are(A, dtype, index):
    values, col_indices, row_offsets = with_reversed_rows(A)
    parts = values.astype(dtype), col_indices.astype(index), row_offsets.astype(index)
    before = [part.copy() for part in parts]
    solver = amgsolve.Solver(A, **HOST)
    for is_writable in (True, False):
        for part in parts:
            part.flags.writeable = is_writable
        for keywords in ({}, {"dtype": np.float32}, {"dtype": np.float64}, {"copy": True}):
            for matrix in (csr_of(A.shape, parts), parts):
                arrays = _arrays.matrix(matrix, **keywords)
                assert all(np.array_equal(x, y) for x, y in zip(arrays.keep, (A.data, A.indices, A.indptr)))
        solver.update_values(csr_of(A.shape, parts))
        assert all(np.array_equal(x, y) for x, y in zip(parts, before))


def test_arrays_of_other_types_and_with_room_to_spare_are_taken(A, b):
    expected = amgsolve.solve(A, b, **HOST)[0]
    for dtype in (np.int16, np.uint32, ">i4", np.int64):
        matrix = A.copy()
        matrix.indptr = matrix.indptr.astype(dtype)
        assert np.array_equal(amgsolve.solve(matrix, b, **HOST)[0], expected)
    for index in (np.int32, np.int64):
        parts = np.append(A.data, [9.0, np.nan]), np.append(A.indices, [0, 10**6]), A.indptr
        roomy = csr_of(A.shape, (parts[0], parts[1].astype(index), parts[2].astype(index)))
        assert np.array_equal(amgsolve.solve(roomy, b, **HOST)[0], expected)


def test_masks_are_refused(A, b):
    masked = np.ma.masked_array(b, np.arange(len(b)) == 3)
    with pytest.raises(amgsolve.InputError, match="b has a mask"):
        amgsolve.solve(A, masked, **HOST)
    assert np.array_equal(amgsolve.solve(A, np.ma.masked_array(b), **HOST)[0], amgsolve.solve(A, b, **HOST)[0])


def test_wide_indices_and_integers(A, b):
    expected = amgsolve.solve(A, b, **HOST)[0]
    wide = A.copy()
    wide.indices = wide.indices.astype(np.int64)
    wide.indptr = wide.indptr.astype(np.int64)
    arrays = _arrays.matrix(wide)
    assert arrays.keep[2] is wide.indptr, "64-bit offsets are taken as they are"
    assert arrays.csr.indices is arrays.keep[1] and arrays.keep[1].dtype == np.int32
    assert np.array_equal(amgsolve.solve(wide, b, **HOST)[0], expected)
    assert np.array_equal(amgsolve.solve(A.astype(int), b, **HOST)[0], expected)
    integers = np.arange(A.shape[0])
    x, info = amgsolve.solve(A, integers, **HOST)
    assert info.converged and relative_residual(A, x, integers) <= 1.01e-8
    assert np.array_equal(amgsolve.solve(A, list(b), **HOST)[0], expected)
    wide.indices[5] += 2**32
    with pytest.raises(amgsolve.InputError, match="column index is outside"):
        amgsolve.Solver(wide, **HOST)


def test_strided_and_read_only_vectors(A, b):
    expected = amgsolve.solve(A, b, **HOST)[0]
    spread = np.zeros((A.shape[0], 3))
    spread[:, 1] = b
    assert np.array_equal(amgsolve.solve(A, spread[:, 1], **HOST)[0], expected)
    fixed = b.copy()
    fixed.flags.writeable = False
    assert np.array_equal(amgsolve.solve(A, fixed, x0=fixed * 0, **HOST)[0], expected)


class OfDlpack:
    """An array that offers nothing but DLPack."""

    def __init__(self, array, device=(1, 0)):
        self.array = array
        self.device = device

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.device


def test_dlpack_in_host_memory_is_not_copied(A, b):
    array = _arrays.host_array(OfDlpack(b), np.float64, "b")
    assert array.address == b.ctypes.data
    assert np.array_equal(amgsolve.solve(A, OfDlpack(b), **HOST)[0], amgsolve.solve(A, b, **HOST)[0])
    with pytest.raises(amgsolve.InputError, match="no __cuda_array_interface__"):
        amgsolve.solve(A, OfDlpack(b, (2, 0)), **HOST)


class RefusedByDlpack(OfDlpack):
    def __dlpack__(self, **keywords):
        raise BufferError("read-only")


def test_what_dlpack_refuses_is_told(A, b):
    with pytest.raises(amgsolve.InputError, match="b: read-only"):
        amgsolve.solve(A, RefusedByDlpack(b), **HOST)


def on_gpu(array, **changes):
    """What an array of a GPU tells, at the address of one in the host's memory."""
    interface = {
        "shape": array.shape,
        "typestr": array.dtype.str,
        "data": (array.ctypes.data, False),
        "version": 3,
        **changes,
    }
    return types.SimpleNamespace(__cuda_array_interface__=interface, owner=array)


def test_cuda_array_interface_is_read(A, b):
    array = _arrays.vector(on_gpu(b), np.float64, "b")
    assert array.on_device and array.address == b.ctypes.data and array.shape == b.shape
    columns = np.ones((4, 3))
    assert _arrays.columns_of(_arrays.vector(on_gpu(columns, strides=(24, 8)), np.float64, "b")) == 3
    empty = on_gpu(np.ones(0), data=(None, False))
    assert _arrays.device_array(empty, "b").address == 0
    for changes, message in (
        ({"strides": (16,)}, "not contiguous"),
        ({"typestr": "<f4"}, "float32 on the GPU"),
        ({"mask": b}, "mask"),
        ({"data": ()}, "not complete"),
        ({"shape": (1, 1, 1600)}, "3 dimensions"),
    ):
        with pytest.raises(amgsolve.InputError, match=message):
            _arrays.vector(on_gpu(b, **changes), np.float64, "b")


def test_indices_without_a_sign_are_taken(A, b):
    unsigned = A.copy()
    unsigned.indices = A.indices.astype(np.uint64)
    unsigned.indptr = A.indptr.astype(np.uint64)
    x, info = amgsolve.Solver(unsigned).solve(b)
    assert info.converged and np.array_equal(x, amgsolve.Solver(A).solve(b)[0])


def test_a_matrix_on_a_gpu_is_handed_through(A, b):
    parts = tuple(on_gpu(part) for part in (A.data, A.indices, A.indptr))
    arrays = _arrays.matrix(parts)
    assert arrays.on_device and arrays.shape == A.shape and arrays.dtype == np.float64
    like_cupy = types.SimpleNamespace(data=parts[0], indices=parts[1], indptr=parts[2], shape=A.shape, format="csr")
    assert _arrays.matrix(like_cupy).on_device
    with pytest.raises(amgsolve.InputError, match="device memory"):
        amgsolve.Solver(parts, **HOST)
    with pytest.raises(amgsolve.InputError, match="device memory"):
        amgsolve.Solver(A, **HOST).precondition(on_gpu_with_zeros(b))
    for wrong, message in (
        ((parts[0], parts[1], A.indptr), "row_offsets is in host memory"),
        ((on_gpu(A.data.astype(int)), *parts[1:]), "int64 on the GPU"),
        ((parts[0], on_gpu(A.indices.astype(np.int64)), parts[2]), "must be int32"),
        ((on_gpu(A.data[1:]), *parts[1:]), "column indices but"),
        (parts[:2], "not 2"),
    ):
        with pytest.raises(amgsolve.InputError, match=message):
            _arrays.matrix(wrong)


def test_memory_of_the_library_is_shown_as_an_array(b):
    view = _arrays.view_of(b.ctypes.data, (800, 2), np.float64, False, False, 0)
    assert np.shares_memory(view, b) and view.shape == (800, 2) and not view.flags.writeable
    interface = _arrays.view_of(b.ctypes.data, b.shape, np.float64, True, True, 4096).__cuda_array_interface__
    assert interface["data"] == (b.ctypes.data, False) and interface["stream"] == 4096
    assert interface["typestr"] == "<f8" and interface["shape"] == b.shape


def test_x0_and_b_must_be_in_the_same_memory(A, b):
    with pytest.raises(amgsolve.InputError, match="not in the same memory"):
        amgsolve.Solver(A, **HOST).solve(b, x0=on_gpu(b))


def on_gpu_with_zeros(array):
    """One whose module makes zeros of its kind, as CuPy's does."""

    class Array(types.SimpleNamespace):
        pass

    Array.__module__ = __name__
    result = Array(**vars(on_gpu(array)))
    return result


def zeros_like(array):
    return on_gpu(np.zeros_like(array.owner))


class linalg:
    """What it computes with."""

    @staticmethod
    def norm(array):
        return np.linalg.norm(array.owner)


class cuda:
    """Its streams."""

    waited = 0

    @classmethod
    def get_current_stream(cls):
        return cls

    @classmethod
    def synchronize(cls):
        cls.waited += 1


def test_arrays_on_a_gpu_are_waited_for(b):
    before = cuda.waited
    array = on_gpu_with_zeros(b)
    _arrays.vector(array, np.float64, "b")
    assert cuda.waited == before + 1
    assert _arrays.is_on_device(_arrays.zeros_like(array))
    assert _arrays.norm(array) == np.linalg.norm(b)


def test_residuals_of_an_array_on_a_gpu(A, b, monkeypatch):
    info = types.SimpleNamespace(history=np.array([1.0, 0.5]), outside_range=0.0, iterations=1, converged=True)
    monkeypatch.setattr(amgsolve.Solver, "solve", lambda *_, **__: (None, info))
    residuals = []
    amgsolve.smoothed_aggregation_solver(A).solve(on_gpu_with_zeros(b), residuals=residuals)
    assert residuals == [np.linalg.norm(b), np.linalg.norm(b) / 2]


def test_who_makes_no_arrays_on_a_gpu_is_told(b):
    for of_library in (_arrays.zeros_like, _arrays.norm):
        with pytest.raises(amgsolve.InputError, match="array of types"):
            of_library(on_gpu(b))


@pytest.mark.parametrize(
    "matrix, message",
    [
        (np.ones(4), "1 dimensions"),
        (np.eye(3) * 1j, "complex"),
        (sparse.identity(3) * 1j, "complex"),
        (np.full((2, 2), "a"), "no numbers"),
        ((np.ones(3), np.arange(3), np.array([0, 1, 2, 4])), ""),
        ((np.ones(2), np.arange(3), np.arange(4)), "3 column indices but 2 values"),
        ((np.ones(3), np.arange(3) + 0.5, np.arange(4)), "col_indices are float64; they must be integers"),
        ((np.ones(3), np.arange(3), np.arange(4.0)), "row_offsets are float64; they must be integers"),
        (([], [], []), "row_offsets has no elements"),
        ((np.ones(3), np.arange(3), -np.arange(4)), "from 0 to at most 3, the number of entries"),
        ((np.ones(3), np.arange(3), np.array([0, 1, 2, 2**62])), "from 0 to at most 3, the number of entries"),
        (([], [], [0]), "no rows"),
        ((1.0, 2, 3), "values has 0 dimensions"),
        ([[2.0, 1.0], [1.0]], "inhomogeneous|setting an array element"),
    ],
)
def test_what_is_no_matrix_is_told(matrix, message):
    with pytest.raises(amgsolve.InputError, match=message):
        amgsolve.Solver(matrix, **HOST)


def tampered(A, form, part, change):
    A = A.asformat(form) if form != "bsr" else sparse.bsr_matrix(A, blocksize=(2, 2))
    array = getattr(A, part).copy()
    setattr(A, part, change(array))
    return A


def with_item(place, value):
    def change(array):
        array[place] = value
        return array

    return change


@pytest.mark.parametrize("dtype", ["float32", "f8", ">f8"])
def test_a_type_may_be_given_in_any_byte_order(A, dtype):
    solver = amgsolve.Solver(A, dtype=dtype, **HOST)
    assert solver.dtype == np.dtype(dtype).newbyteorder("=")


@pytest.mark.parametrize("dtype", ["f2", "i4", complex, object, "no type"])
def test_a_type_that_is_not_solved_in_is_refused_by_its_name(A, dtype):
    with pytest.raises(amgsolve.InputError, match="^dtype"):
        amgsolve.Solver(A, dtype=dtype, **HOST)


def test_indices_too_large_for_any_type_are_refused(A):
    matrix = A.tolil()
    matrix.rows[3] = [2**40] * len(matrix.rows[3])
    with pytest.raises(amgsolve.InputError, match="the matrix"):
        amgsolve.Solver(matrix, **HOST)


@pytest.mark.parametrize("name", ["B", "coordinates"])
@pytest.mark.parametrize("shape, message", [((0, 2), "no rows"), ((1600, 0), "no columns")])
def test_vectors_beside_the_matrix_that_are_empty_are_refused(A, name, shape, message):
    with pytest.raises(amgsolve.InputError, match=f"{name} has {message}"):
        amgsolve.Solver(A, **{name: np.zeros(shape)}, **HOST)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
@pytest.mark.parametrize(
    "part, change, message",
    [
        ("indptr", with_item(5, 10**6), "offsets must ascend"),
        ("indptr", with_item(5, -7), "offsets must ascend"),
        ("indptr", with_item(-1, 10**6), "offsets must ascend"),
        ("indptr", with_item(0, 1), "offsets must ascend"),
        ("indptr", lambda offsets: offsets[:-4], "offsets for a matrix of 1600 x 1600"),
        ("indptr", lambda offsets: offsets + 0.5, "integers"),
        ("indices", with_item(3, 1605), "outside"),
        ("indices", with_item(3, -5), "outside"),
        ("indices", lambda indices: indices + 0.5, "integers"),
        ("indices", lambda indices: indices[:-4], "offsets must ascend"),
        ("data", lambda data: data[:-4], "offsets must ascend"),
    ],
)
def test_what_scipy_would_follow_out_of_bounds_is_told(A, form, part, change, message):
    with pytest.raises(amgsolve.InputError, match=message):
        amgsolve.Solver(tampered(A, form, part, change), **HOST)


@pytest.mark.parametrize("form", ["csc", "coo", "dok"])
def test_sizes_past_the_limits_are_told_before_anything_takes_memory(form):
    shape = (2**40, 1 if form == "csc" else 2**40)
    with pytest.raises(amgsolve.InputError, match="at most 2147483647 rows are possible"):
        amgsolve.Solver(sparse.coo_matrix(([1.0], ([0], [0])), shape).asformat(form), **HOST)


@pytest.mark.parametrize(
    "part, change, message",
    [
        ("row", with_item(3, 1600), "a row index is outside"),
        ("col", with_item(3, -1), "a column index is outside"),
        ("data", lambda data: data[:-4], "7840 row indices, 7840 column indices and 7836 values"),
    ],
)
def test_triplets_are_looked_at_too(A, part, change, message):
    with pytest.raises(amgsolve.InputError, match=message):
        amgsolve.Solver(tampered(A, "coo", part, change), **HOST)


@pytest.mark.parametrize(
    "form, part, change, message",
    [
        ("lil", "rows", with_item(3, [2, 3]), "row 4: 2 column indices and 4 values"),
        ("lil", "rows", lambda rows: rows[:-4], "1596 and 1600 lists for the 1600 rows"),
        ("lil", "rows", with_item(3, [2, 3, 4, 1605]), "row 4: column 1606 is outside"),
        ("dia", "offsets", lambda offsets: offsets[:-1], "the matrix: operands could not be broadcast"),
        ("bsr", "data", lambda data: data[:, :0], "the matrix: integer division or modulo by zero"),
    ],
)
def test_what_scipy_would_stumble_over_is_told(A, form, part, change, message):
    with pytest.raises(amgsolve.InputError, match=message):
        amgsolve.Solver(tampered(A, form, part, change), **HOST)


@pytest.mark.filterwarnings("error")
def test_numbers_that_are_too_large_for_float32_are_told(A, b):
    def refused(name, row):
        message = f"{name} is .*e\\+.* in row {row}, counted from 1, which is too large for float32, in which"
        return pytest.raises(amgsolve.InputError, match=message)

    large = A.copy()
    large.data[np.searchsorted(large.indices[large.indptr[6] : large.indptr[7]], 6) + large.indptr[6]] = 4e60
    for matrix in (large, large.tocoo(), large.toarray(), (large.data, large.indices, large.indptr)):
        with refused("the matrix", 7):
            amgsolve.Solver(matrix, dtype="f4", **HOST)
    solver = amgsolve.Solver(A.astype("f4"), **HOST)
    with refused("the matrix", 7):
        solver.update_values(large)
    wrong = b.copy()
    wrong[2] = -1e60
    for vector in (wrong, np.asfortranarray(np.column_stack((b, wrong))), wrong.astype(np.longdouble)):
        with refused("b", 3):
            solver.solve(vector)
    with refused("x0", 3):
        solver.solve(b, x0=wrong)
    with refused("r", 3):
        solver.precondition(wrong)
    with refused("B", 3):
        amgsolve.Solver(A, wrong, dtype="f4", **HOST)
    assert solver.solve(b)[1].converged
    with pytest.raises(amgsolve.InputError, match="the right-hand side is NaN or infinite in row 3"):
        solver.solve(np.where(np.arange(len(b)) == 2, np.inf, b))
