"""Solver, on the host."""

import contextlib
import copy
import gc
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from conftest import poisson, relative_residual, tolerance_of

import amgsolve
from amgsolve import _amgsolve, _arrays

HOST = {"backend": "host", "coarse_size": 50}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_solves(A, b, dtype):
    tolerance = 1e-4 if dtype == np.float32 else 1e-10
    A, b = A.astype(dtype), b.astype(dtype)
    solver = amgsolve.Solver(A, tolerance=tolerance, **HOST)
    assert solver.shape == A.shape
    assert solver.dtype == dtype
    x, info = solver.solve(b)
    assert x.dtype == dtype and x.shape == b.shape
    assert info.converged and info.status == "converged"
    assert info.relative_residual <= tolerance
    assert relative_residual(A.astype(float), x.astype(float), b.astype(float)) <= 1.01 * tolerance
    assert len(info.history) == info.iterations + 1
    assert info.history[-1] == info.relative_residual
    assert "converged" in repr(info)
    assert info.check() is info


def test_what_large_rows_may_hide_is_told(A, b):
    _, info = amgsolve.solve(A, b, **HOST)
    assert info.jacobi_change is None
    A[0, 0] += 1e9
    b[0] += 1e9
    _, info = amgsolve.solve(A, b, **HOST)
    assert info.converged and 0 < info.jacobi_change <= 1e-5


def test_columns_are_solved_together(A):
    B = np.random.default_rng(2).standard_normal((A.shape[0], 3))
    x, info = amgsolve.Solver(A, **HOST).solve(B)
    assert x.shape == B.shape
    assert relative_residual(A, x, B) <= 1.01e-8
    by_columns, _ = amgsolve.Solver(A, **HOST).solve(np.asfortranarray(B))
    assert np.array_equal(x, by_columns)
    alone, _ = amgsolve.solve(A, B[:, 1].copy(), **HOST)
    assert info.converged and np.allclose(x[:, 1], alone, rtol=0, atol=1e-6 * np.abs(alone).max())


def test_settings_are_of_one_solve(A, b):
    solver = amgsolve.Solver(A, **HOST)
    x, info = solver.solve(b)
    again, none = solver.solve(b, x0=x)
    assert none.iterations == 0 and np.array_equal(again, x) and again is not x
    loose = solver.solve(b, tol=1e-2)[1]
    assert loose.iterations < info.iterations
    cut = solver.solve(b, maxiter=2)[1]
    assert cut.iterations == 2 and not cut.converged and cut.status == "not_converged"
    with pytest.raises(amgsolve.NotConvergedError, match="not converged"):
        cut.check()
    with pytest.raises(amgsolve.ConfigurationError, match="'solver.tolerance'"):
        solver.solve(b, tol=2.0)
    with pytest.raises(amgsolve.ConfigurationError, match="'solver.max_iterations'"):
        solver.solve(b, maxiter=-1)
    assert np.array_equal(solver.solve(b)[0], x)


def test_settings_of_a_solve_are_taken_as_the_options_are(A, b):
    solver = amgsolve.Solver(A, **HOST)
    assert solver.solve(b, maxiter=2.0)[1].iterations == 2
    assert solver.solve(b, maxiter=np.int64(2))[1].iterations == 2
    assert solver.solve(b, tol="1e-3")[1].history[-1] <= 1e-3
    assert np.array_equal(solver.solve(b, tol="auto")[0], solver.solve(b)[0])
    for keywords, message in (
        ({"tol": 2}, "'solver.tolerance' is '2'; it must be a number >= 0 and < 1"),
        ({"tol": [1e-8]}, "'solver.tolerance' is"),
        ({"tol": 1j}, "'solver.tolerance' is '1j'"),
        ({"maxiter": 3.5}, "'solver.max_iterations' is '3.5'; it must be an integer"),
        ({"maxiter": -1}, "'solver.max_iterations' is '-1'"),
        ({"maxiter": 2**40}, "it must be at most 2147483647"),
    ):
        with pytest.raises(amgsolve.ConfigurationError, match=re.escape(message)):
            solver.solve(b, **keywords)


def test_near_nullspace(A, b):
    solver = amgsolve.Solver(A, np.ones((A.shape[0], 1)), **HOST)
    assert np.array_equal(solver.solve(b)[0], amgsolve.Solver(A, **HOST).solve(b)[0])
    for wrong in (np.ones(7), np.zeros(A.shape[0]), np.ones((A.shape[0], 0))):
        with pytest.raises(amgsolve.InputError):
            amgsolve.Solver(A, wrong, **HOST)


def bar(n):
    """A bar of n springs in the plane, clamped at its beginning, and where its nodes lie."""
    ends = np.array([[1.0, -1.0], [-1.0, 1.0]])
    stretch, bend = np.kron(ends, [[1.0, 0.0], [0.0, 0.0]]), np.kron(ends, [[0.0, 0.0], [0.0, 0.3]])
    A = sparse.lil_matrix((2 * n + 2, 2 * n + 2))
    for i in range(n):
        A[2 * i : 2 * i + 4, 2 * i : 2 * i + 4] += stretch + bend
    return sparse.csr_matrix(A)[2:, 2:], np.column_stack([np.arange(1.0, n + 1), np.zeros(n)])


def test_coordinates():
    A, x = bar(400)
    b = np.ones(A.shape[0])
    solver = amgsolve.Solver(A, coordinates=x, **HOST)
    assert solver.solve(b)[1].converged
    modes = np.zeros((800, 3))
    modes[::2, 0] = modes[1::2, 1] = 1.0
    modes[1::2, 2] = (x[:, 0] - x[:, 0].mean()) / np.sqrt(np.mean((x[:, 0] - x[:, 0].mean()) ** 2))
    by_modes = amgsolve.Solver(A, modes, block_size=2, **HOST)
    assert len(solver.levels) == len(by_modes.levels)
    for wrong in (np.ones((7, 2)), np.ones((400, 4)), np.full((400, 2), np.nan)):
        with pytest.raises(amgsolve.InputError):
            amgsolve.Solver(A, coordinates=wrong, **HOST)


def test_new_values(A, b):
    for reuse in ("none", "pattern", "hierarchy"):
        solver = amgsolve.Solver(A, reuse=reuse, **HOST)
        changed = (A + 0.1 * sparse.identity(A.shape[0])).tocsr()
        assert solver.update_values(changed) is solver
        x, info = solver.solve(b)
        assert info.converged and relative_residual(changed, x, b) <= 1.01e-8
        with pytest.raises(amgsolve.InputError, match="100 x 100"):
            solver.update_values(poisson(10))
        spoilt = changed.copy()
        spoilt.data[7] = np.nan
        with pytest.raises(amgsolve.InputError, match="NaN"):
            solver.update_values(spoilt)
        assert np.array_equal(solver.solve(b)[0], x), "works on as before"


def test_slow_solves_end_a_hierarchy_whatever_their_tolerance(A):
    ends = np.where(np.arange(A.shape[0]) % 7 == 0, 30.0, 1.0)
    other = (sparse.diags(ends) @ A @ sparse.diags(ends)).tocsr()
    b = np.ones(A.shape[0])
    solver = amgsolve.Solver(A, reuse="hierarchy", **HOST)
    first = solver.solve(b, tol=1e-6)[1].iterations
    slow = solver.update_values(other).solve(b, tol=1e-4)[1].iterations
    assert slow > 2 * first
    assert solver.update_values(other).solve(b, tol=1e-4)[1].iterations < slow / 1.5
    solver.solve(b, maxiter=1)
    again = solver.solve(b, tol=1e-4)[1].iterations
    solver.update_values(other).solve(b, maxiter=1)
    assert solver.update_values(other).solve(b, tol=1e-4)[1].iterations == again


def test_levels_are_the_hierarchy(A):
    solver = amgsolve.Solver(A, precision="same", **HOST)
    assert len(solver.levels) >= 2
    assert (solver.levels[0].A != A).nnz == 0
    for fine, coarse in zip(solver.levels, solver.levels[1:]):
        assert (fine.R != fine.P.T).nnz == 0
        galerkin = (fine.R @ fine.A @ fine.P - coarse.A).tocsr()
        assert abs(galerkin).max() <= 1e-13 * abs(A).max()
        assert fine.rows == fine.A.shape[0] and fine.nonzeros == fine.A.nnz
    coarsest = solver.levels[-1]
    with pytest.raises(AttributeError, match="level [0-9]+ is the coarsest: it has no P"):
        coarsest.P
    assert not hasattr(coarsest, "R") and hasattr(solver.levels[0], "R")
    assert coarsest.A.shape == (coarsest.rows, coarsest.rows)
    total = sum(level.nonzeros for level in solver.levels)
    assert solver.operator_complexity() == pytest.approx(total / A.nnz)
    assert solver.grid_complexity() == pytest.approx(sum(level.rows for level in solver.levels) / A.shape[0])
    assert solver.levels[0].storage in ("csr", "ell", "sell", "pattern")
    with pytest.raises(AttributeError):
        coarsest.no_such_statistic


def test_levels_of_an_earlier_hierarchy_are_told(A):
    solver = amgsolve.Solver(A, **HOST)
    level = solver.levels[0]
    P = level.P
    solver.update_values(2 * A)
    assert level.P is P
    with pytest.raises(amgsolve.InputError, match="earlier hierarchy"):
        level.R
    assert (solver.levels[0].A != 2 * A).nnz == 0


def test_prints_like_pyamg(A):
    text = str(amgsolve.Solver(A, **HOST))
    lines = text.splitlines()
    assert lines[1].startswith("Number of Levels:")
    assert lines[2].startswith("Operator Complexity:")
    assert lines[3].startswith("Grid Complexity:")
    assert lines[4].startswith("Coarse Solver:")
    assert lines[6].split()[:3] == ["0", "1600", str(A.nnz)]
    assert sum(float(line.split("[")[1].rstrip("%]")) for line in lines[6:]) == pytest.approx(100.0, abs=0.1)


def test_reports(A, b):
    solver = amgsolve.Solver(A, **HOST)
    solver.solve(b)
    assert "galerkin product" in solver.report()
    assert '"iterations"' in solver.report_json()


def test_preconditions_scipys_methods(A, b):
    solver = amgsolve.Solver(A, **HOST)
    M = solver.aspreconditioner()
    assert M.shape == A.shape and M.dtype == np.float64
    for method in (linalg.cg, linalg.gmres, linalg.bicgstab, linalg.minres):
        steps = []
        x, failed = method(A, b, M=M, **tolerance_of(method, 1e-8), callback=lambda _: steps.append(1))
        assert failed == 0 and len(steps) < 30, method
        assert relative_residual(A, x, b) <= 1e-6
    X = np.random.default_rng(0).standard_normal((A.shape[0], 3))
    values, _ = linalg.lobpcg(A, X, M=M, largest=False, tol=1e-7, maxiter=30)
    exact = np.sort(np.add.outer(*[2 - 2 * np.cos(np.pi * np.arange(1, 41) / 41)] * 2).ravel())[:3]
    assert np.allclose(np.sort(values), exact, rtol=1e-6)
    r = np.random.default_rng(3).standard_normal((A.shape[0], 2))
    z = M @ r
    assert np.array_equal(z, solver.precondition(r))
    assert r[:, 0] @ z[:, 1] == pytest.approx(z[:, 0] @ r[:, 1], rel=1e-5), "symmetric up to single precision"


def test_solves_with_an_operator_that_is_not_assembled(A, b):
    n = A.shape[0]
    D = sparse.diags(1 + 0.1 * np.sin(6 * np.arange(n) / n))
    other = (D @ A @ D).tocsr()
    solver = amgsolve.Solver(A, **HOST)
    columns = np.stack([b, -2 * b], axis=1)
    for operator in (other, linalg.aslinearoperator(other), lambda x: other @ x):
        for rhs in (b, columns):
            x, info = solver.solve(rhs, operator=operator)
            assert info.converged and relative_residual(other, x, rhs) <= 1.01e-8
    with pytest.raises(amgsolve.InputError, match=r"operator is \(3, 3\); the matrix is \(1600, 1600\)"):
        solver.solve(b, operator=sparse.identity(3))
    with pytest.raises(ZeroDivisionError):
        solver.solve(b, operator=lambda x: x / 0 if False else 1 // 0)
    with pytest.raises(amgsolve.InputError, match=r"product has the shape \(1599,\); it must be \(1600,\)"):
        solver.solve(b, operator=lambda x: x[:-1])
    with pytest.raises(amgsolve.InputError, match="product is complex"):
        solver.solve(b, operator=lambda x: x * 1j)
    with pytest.raises(amgsolve.InputError, match="operator is a str"):
        solver.solve(b, operator="A")
    with pytest.raises(amgsolve.InputError, match="or A times it has NaN"):
        solver.solve(b, operator=lambda x: x * np.nan)
    with pytest.raises(ValueError, match="read-only"):
        solver.solve(b, operator=lambda x: x.fill(0.0))


def test_operators_need_not_be_singular_where_the_matrix_is(b):
    n = 40
    second = sparse.diags([-1.0, np.r_[1.0, np.full(n - 2, 2.0), 1.0], -1.0], [-1, 0, 1], shape=(n, n))
    neumann = (sparse.kron(second, sparse.identity(n)) + sparse.kron(sparse.identity(n), second)).tocsr()
    D = sparse.diags(1 + 0.1 * np.sin(6 * np.arange(n * n) / n**2))
    for method in ("auto", "minres", "gmres"):
        solver = amgsolve.Solver(neumann, method=method, **HOST)
        for shift in (1.0, 1e-3):
            step = neumann + shift * sparse.identity(n * n)
            for rhs in (b + 1, np.stack([b + 1, b], axis=1)):
                x, info = solver.solve(rhs, operator=step)
                assert info.converged and info.outside_range == 0 and "singular" not in info.message
                assert relative_residual(step, x, rhs) <= 1.01e-8
        x, info = solver.solve(b + 1, operator=2 * neumann)
        assert info.converged and info.outside_range > 0.5 and "the matrix is singular" in info.message
        rhs = D @ (neumann @ (D @ b))
        x, info = solver.solve(rhs, operator=lambda v: D @ (neumann @ (D @ v)))
        assert info.converged and relative_residual(D @ neumann @ D, x, rhs) <= 1.01e-8


def test_callback_watches_and_ends(A, b):
    solver = amgsolve.Solver(A, **HOST)
    seen = []
    _, info = solver.solve(b, callback=lambda iterations, residual: seen.append((iterations, residual)))
    assert [iterations for iterations, _ in seen] == list(range(1, info.iterations + 1))
    _, info = solver.solve(b, callback=lambda iterations, _: iterations < 2)
    assert info.status == "interrupted" and info.iterations == 2
    with pytest.raises(amgsolve.StoppedError):
        info.check()

    def fail(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        solver.solve(b, callback=fail)
    with pytest.raises(amgsolve.InputError, match="at work"):
        solver.solve(b, callback=lambda *_: solver.solve(b))
    for answer in (None, 0, 0.0, "", np.ones(2)):
        assert solver.solve(b, callback=lambda *_: answer)[1].converged, "it is not False"
    assert solver.solve(b, callback=lambda *_: np.False_)[1].status == "interrupted"
    with pytest.raises(TypeError):
        solver.solve(b, callback=lambda: None)
    shown = []
    solver.solve(b, callback=lambda *_: shown.append(repr(solver)))
    assert set(shown) == {"Solver without levels to show: the solver is at work: a callback must not use it"}
    assert solver.solve(b)[1].converged


def test_ctrl_c_ends_a_solve_and_the_solver_goes_on():
    A = poisson(300)
    b = np.ones(A.shape[0])
    # Nothing converges so soon: each iteration waits.
    solver = amgsolve.Solver(A, tolerance=0.0, stopping="strict", max_iterations=100000, method="amg", **HOST)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() - start < 60:
            solver.solve(b, callback=lambda *_: time.sleep(0.005))
    timer.join()
    assert solver.solve(b, tol=1e-6)[1].converged


@pytest.fixture
def alarm():
    """Whose signal raises KeyboardInterrupt, as Ctrl-C does."""
    former = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, former)


def test_a_solver_can_be_used_whenever_a_signal_came(alarm):
    solver = amgsolve.Solver(poisson(10), **HOST, threads=1)
    r = np.ones(100)
    delays = np.random.default_rng(5).uniform(2e-5, 4e-4, 3000)
    for delay in delays:
        with contextlib.suppress(KeyboardInterrupt):
            alarm(delay)
            for _ in range(10000):
                solver.precondition(r)
        solver.precondition(r)
    with ThreadPoolExecutor(1) as other:
        other.submit(solver.precondition, r).result(timeout=60)


def test_ctrl_c_ends_the_wait_for_another_thread(A, b, alarm):
    solver = amgsolve.Solver(A, **HOST)
    is_at_work, may_end = threading.Event(), threading.Event()

    def stay(*_):
        is_at_work.set()
        may_end.wait(60)

    with ThreadPoolExecutor(1) as other:
        work = other.submit(solver.solve, b, callback=stay)
        assert is_at_work.wait(60)
        try:
            with pytest.raises(KeyboardInterrupt):
                alarm(0.3)
                solver.precondition(b)
            assert not work.done()
        finally:
            may_end.set()
        x, info = work.result(timeout=60)
    assert info.converged and np.array_equal(solver.solve(b)[0], x)


def test_other_threads_run_while_a_solver_works():
    A = poisson(200)
    done = threading.Event()
    counted = []

    def count():
        while not done.is_set():
            counted.append(1)
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    while not counted:
        time.sleep(0.001)
    before = len(counted)
    try:
        solver = amgsolve.Solver(A, **HOST)
        solver.solve(np.ones(A.shape[0]))
        after = len(counted)
    finally:
        done.set()
        thread.join()
    assert after - before >= 3


def test_goes_on_after_values_that_cannot_be_set_up(A, b):
    indefinite = (A - 3.0 * sparse.identity(A.shape[0])).tocsr()
    for reuse in ("none", "pattern"):
        solver = amgsolve.Solver(A, reuse=reuse, **HOST)
        expected = solver.solve(b)[0]
        with pytest.raises(amgsolve.BreakdownError):
            solver.update_values(indefinite)
        with pytest.raises(amgsolve.InputError, match="failed"):
            solver.solve(b)
        assert re.fullmatch("Solver without levels to show: .*failed since", repr(solver))
        solver.update_values(A)
        assert (solver.solve(b)[0] == expected).all()


def test_is_not_copied(A):
    solver = amgsolve.Solver(A, **HOST)
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            make(solver)


def test_a_printed_solver_that_shares_is_gone_when_it_is_deleted(A):
    solver = amgsolve.Solver(A, **HOST)
    sharing = solver.share()
    assert repr(sharing) and len(sharing.levels) == len(solver.levels)
    del sharing
    solver.update_values(A)


def test_forked_workers_solve():
    program = """
import multiprocessing, sys
import numpy as np
import scipy.sparse as sparse
import amgsolve
one = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(200, 200))
A = (sparse.kron(one, sparse.identity(200)) + sparse.kron(sparse.identity(200), one)).tocsr()
b = np.ones(A.shape[0])
def solve(_):
    return amgsolve.Solver(A, threads=2).solve(b)[0]
expected = solve(0)
with multiprocessing.get_context("fork").Pool(2) as workers:
    sys.exit(any((x != expected).any() for x in workers.map(solve, range(2))))
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=120).returncode == 0


def test_threads_take_turns(A, b):
    solver = amgsolve.Solver(A, **HOST)
    expected = solver.solve(b)[0]
    results = [None] * 4

    def solve(i):
        results[i] = solver.solve(b)[0]

    threads = [threading.Thread(target=solve, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(x, expected) for x in results)


def test_solvers_that_share_a_hierarchy_work_at_the_same_time(A):
    columns = np.random.default_rng(3).standard_normal((4, A.shape[0]))
    solver = amgsolve.Solver(A, reuse="pattern")
    alone = [solver.solve(b)[0] for b in columns]
    sharing = [solver.share(1) for _ in columns]
    together = [None] * len(columns)

    def work(k):
        together[k], info = sharing[k].solve(columns[k])
        assert info.converged

    assert [other.option("solver.threads") for other in (solver, *sharing)] == ["0", "1", "1", "1", "1"]
    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(columns))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(x, y) for x, y in zip(alone, together))
    assert sharing[0].levels[1].rows == solver.levels[1].rows
    with pytest.raises(amgsolve.InputError, match="4 solvers still share"):
        solver.update_values(A)
    with pytest.raises(amgsolve.InputError, match="another solver"):
        sharing[0].update_values(A)
    del sharing
    assert solver.update_values(A).solve(columns[0])[1].converged


def test_errors_tell_what_is_wrong(A, b):
    indefinite = A.copy()
    indefinite[0, 0] = -1.0
    broken = A.copy()
    broken.data[3] = np.nan
    for matrix, kind, message in (
        (indefinite, amgsolve.BreakdownError, "not positive"),
        (broken, amgsolve.InputError, "row 2, column 1 is NaN"),
        (A[:, :-1], amgsolve.InputError, "not square"),
    ):
        with pytest.raises(kind, match=message):
            amgsolve.Solver(matrix, **HOST)
    with pytest.raises(amgsolve.OutOfMemoryError):
        amgsolve.Solver(A, memory_limit=1000, **HOST)
    with pytest.raises(MemoryError):
        amgsolve.Solver(A, memory_limit=1000, **HOST)
    solver = amgsolve.Solver(A, **HOST)
    for wrong, message in (
        (b[:-1], "b has 1599 rows"),
        (np.ones((1600, 1, 1)), "3 dimensions"),
        (b + 0j, "complex"),
        (np.full(1600, np.inf), "the right-hand side is NaN or infinite in row 1, counted from 1"),
        (np.full(1600, "a"), "no numbers"),
    ):
        with pytest.raises(amgsolve.InputError, match=message):
            solver.solve(wrong)
    with pytest.raises(amgsolve.InputError, match="the initial guess is NaN or infinite in row 8, counted from 1"):
        solver.solve(b, x0=np.where(np.arange(1600) == 7, np.nan, 0.0))
    for keywords, message in (
        ({"rtol": 1e-3}, "solve\\(\\) takes no 'rtol'; did you mean 'tol'?"),
        ({"tolerance": 1e-3}, "did you mean 'tol'?"),
        ({"max_iterations": 3}, "did you mean 'maxiter'?"),
        ({"cycle": "W"}, "takes no 'cycle'; options are given to the constructor"),
    ):
        with pytest.raises(TypeError, match=message):
            solver.solve(b, **keywords)
    with pytest.raises(amgsolve.InputError, match="x0 has the shape"):
        solver.solve(b, x0=np.ones((1600, 2)))
    for keywords, message in (
        ({"threads": 2.5}, "'solver.threads' is '2.5'; it must be an integer >= 0"),
        ({"threads": -1}, "'solver.threads' is '-1'"),
        ({"stream": -1}, "stream is -1; it must be the address"),
        ({"stream": 1.0}, "stream is 1.0; it must be the address"),
    ):
        with pytest.raises(ValueError, match=message):
            solver.share(**keywords)
    with pytest.raises(amgsolve.InputError, match="stream is '1'"):
        amgsolve.Solver(A, stream="1")
    with pytest.raises(amgsolve.InputError):
        solver.precondition(b[:-1])
    with pytest.raises(ValueError):
        solver.solve(b[:-1])


def test_version_and_help():
    assert amgsolve.__version__.count(".") == 2
    for name in amgsolve.__all__:
        assert name == "__version__" or getattr(amgsolve, name).__doc__


def test_no_iteration_has_no_convergence_factor(A, b):
    info = amgsolve.solve(A, b, maxiter=0, **HOST)[1]
    assert info.iterations == 0 and np.isnan(info.convergence_factor)
    assert "factor" not in repr(info)


def test_plot(A, b):
    info = amgsolve.solve(A, b, **HOST)[1]
    try:
        import matplotlib
    except ImportError:
        with pytest.raises(ImportError, match="Matplotlib"):
            info.plot()
    else:
        matplotlib.use("Agg")
        assert info.plot().get_yscale() == "log"

    class Axes:
        def __getattr__(self, name):
            return lambda *arguments, **_: setattr(self, "called_" + name, arguments)

    axes = Axes()
    assert info.plot(axes) is axes
    assert np.array_equal(axes.called_semilogy[1], info.history)


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))


class _StoppedAfterwards:
    """A solver of the library whose update is followed by a signal."""

    def __init__(self, solver):
        self._solver = solver

    def __getattr__(self, name):
        return getattr(self._solver, name)

    def update_values(self, matrix):
        self._solver.update_values(matrix)
        raise KeyboardInterrupt


def test_what_an_interrupted_update_borrows_stays(A, b):
    solver = amgsolve.Solver(A, reuse="pattern", storage="csr")
    library = solver._solver
    solver._solver = _StoppedAfterwards(library)
    second = (2.0 * A).tocsr()
    values = weakref.ref(second.data)
    with pytest.raises(KeyboardInterrupt):
        solver.update_values(second)
    solver._solver = library
    del second
    refused = A.copy()
    refused.data[0] = np.nan
    with pytest.raises(amgsolve.InputError):
        solver.update_values(refused)
    assert values() is not None  # the library still reads them
    x, info = solver.solve(b)
    assert info.converged and relative_residual(2.0 * A, x, b) <= 1.01e-8
    solver.update_values(A)
    gc.collect()
    assert values() is None


def test_what_was_copied_is_not_kept(A):
    for copy in (False, True):
        library = _amgsolve.SolverOfDouble(_amgsolve.Options(), 0)
        values = A.data.copy()
        arrays = _arrays.MatrixArrays(
            A.shape,
            _arrays.host_array(values, np.float64, "data"),
            _arrays.host_array(A.indices, np.int32, "indices"),
            _arrays.host_array(A.indptr, np.int32, "indptr"),
            copy=copy,
        )
        library.setup(arrays.matrix, 0, 0, 0, 0, 3)
        is_kept = weakref.ref(values)
        del values, arrays
        gc.collect()
        assert (is_kept() is None) == copy


def test_a_product_of_another_shape_is_refused(A):
    b = np.ones((A.shape[0], 2))
    solver = amgsolve.Solver(A)
    with pytest.raises(amgsolve.InputError, match="operator's product has the shape"):
        solver.solve(b, operator=lambda x: (A @ x).T)
    x, info = solver.solve(b[:, 0], operator=lambda x: (A @ x).reshape(-1, 1))
    assert info.converged
