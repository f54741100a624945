"""Arrays on a GPU; skipped where there is none."""

import gpu_arrays
import numpy as np
import pytest
from conftest import poisson, relative_residual

import amgsolve

pytestmark = pytest.mark.skipif(gpu_arrays.count() == 0, reason="there is no GPU")


def on_gpu(A):
    return tuple(gpu_arrays.Array(part) for part in (A.data, A.indices, A.indptr))


def solver_of(A, **options):
    return amgsolve.Solver(on_gpu(A), backend="cuda", **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matrix_and_vectors_stay_there(A, b, dtype):
    solver = solver_of(A.astype(dtype))
    rhs = gpu_arrays.Array(b.astype(dtype))
    x, info = solver.solve(rhs)
    assert isinstance(x, gpu_arrays.Array) and info.converged
    assert relative_residual(A, x.get(), b) < (2e-5 if dtype == np.float32 else 2e-8)
    again, info = solver.solve(rhs, x0=x)
    assert info.iterations == 0 and np.array_equal(again.get(), x.get())
    assert np.array_equal(rhs.get(), b.astype(dtype))


def test_columns_take_turns_with_none(A, b):
    columns = np.stack([b, 2 * b, np.ones_like(b)], axis=1)
    x, info = solver_of(A).solve(gpu_arrays.Array(columns))
    assert info.converged and relative_residual(A, x.get(), columns) < 2e-8


def test_a_copy_outlives_the_arrays(A, b):
    parts = on_gpu(A)
    solver = amgsolve.Solver(parts, backend="cuda", copy=True)
    parts[0].set(np.full_like(A.data, np.nan))
    del parts
    x, info = solver.solve(gpu_arrays.Array(b))
    assert info.converged and relative_residual(A, x.get(), b) < 2e-8


def test_new_values_are_taken(A, b):
    solver = solver_of(A, reuse="pattern")
    solver.update_values(on_gpu(4 * A))
    x, info = solver.solve(gpu_arrays.Array(b))
    assert info.converged and relative_residual(4 * A, x.get(), b) < 2e-8


def test_an_operator_fills_its_product(A, b):
    calls = []

    def operator(x, y, stream):
        calls.append(stream)
        gpu_arrays.fill(y, 2 * (A @ gpu_arrays.copy_of(x)))

    x, info = solver_of(A).solve(gpu_arrays.Array(b), operator=operator)
    assert info.converged and len(calls) > 1 and all(calls)
    assert relative_residual(2 * A, x.get(), b) < 2e-8
    with pytest.raises(amgsolve.InputError, match="function of"):
        solver_of(A).solve(gpu_arrays.Array(b), operator=A)


def test_a_cycle_is_symmetric(A):
    generator = np.random.default_rng(2)
    r, s = (generator.standard_normal(A.shape[0]) for _ in range(2))
    solver = solver_of(A)
    z, w = (solver.precondition(gpu_arrays.Array(v)).get() for v in (r, s))
    assert abs(z @ s - w @ r) < 1e-5 * abs(z @ s)


def test_residuals_are_absolute_as_in_pyamg(A, b):
    residuals = []
    solver = amgsolve.smoothed_aggregation_solver(A, backend="cuda")
    solver.solve(gpu_arrays.Array(b), residuals=residuals)
    assert residuals[0] == pytest.approx(np.linalg.norm(b)) and residuals[-1] < 1e-4 * residuals[0]


def test_matrices_of_the_host_are_carried_there(b):
    A = poisson(12, 3)
    rhs = np.ones(A.shape[0])
    x, info = amgsolve.Solver(A, backend="cuda").solve(rhs)
    assert info.converged and relative_residual(A, x, rhs) < 2e-8
