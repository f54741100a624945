"""What a program that uses PyAMG goes on with."""

import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from conftest import relative_residual, tolerance_of

import amgsolve


def test_solve_is_called_as_there(A, b):
    ml = amgsolve.smoothed_aggregation_solver(A, max_coarse=50, max_levels=4)
    residuals = []
    x = ml.solve(b, tol=1e-8, residuals=residuals)
    assert relative_residual(A, x, b) <= 1.01e-8
    assert residuals[0] == pytest.approx(np.linalg.norm(b))
    assert residuals[-1] == pytest.approx(np.linalg.norm(b - A @ x), rel=1e-3)
    assert ml.option("amg.coarse_size") == "50" and ml.option("amg.max_levels") == "4"
    y, failed = ml.solve(b, x0=np.zeros_like(b), tol=1e-8, maxiter=30, cycle="V", accel="cg", return_info=True)
    assert failed == 0 and np.array_equal(x, y)
    assert ml.solve(b, tol=1e-12, maxiter=2, return_info=True)[1] == 2
    counts = []
    ml.solve(b, callback=lambda x: counts.append(1))
    assert counts
    assert ml.solve(b[:, None]).shape == (A.shape[0], 1)


def test_residuals_are_those_of_the_vectors(A, b):
    ml = amgsolve.smoothed_aggregation_solver(A)
    guess, residuals = np.ones_like(b), []
    x = ml.solve(np.zeros_like(b), x0=guess, residuals=residuals)
    assert residuals[0] == pytest.approx(np.linalg.norm(A @ guess))
    assert residuals[-1] == pytest.approx(np.linalg.norm(A @ x), rel=1e-3)
    with pytest.raises(amgsolve.InputError, match="of one column; b has 2"):
        ml.solve(np.ones((len(b), 2)), residuals=residuals)


def test_residuals_of_a_singular_matrix_are_those_in_its_range(b):
    n = len(b)
    ends = np.r_[1.0, np.full(n - 2, 2.0), 1.0]
    A = sparse.diags([-1.0, ends, -1.0], [-1, 0, 1], shape=(n, n)).tocsr()
    ml = amgsolve.smoothed_aggregation_solver(A)
    in_range = b - b.mean()
    for share in (1.0, 1e-8):  # next to nothing, of which 1 - outside_range**2 tells nothing
        residuals = []
        x = ml.solve(share * b + 2.0, tol=1e-6, residuals=residuals)
        assert residuals[0] == pytest.approx(share * np.linalg.norm(in_range), rel=1e-4)
        if share == 1.0:
            assert residuals[-1] == pytest.approx(np.linalg.norm(in_range - A @ x), rel=1e-3)


def test_arguments_mean_what_they_mean_there(A, b):
    ml = amgsolve.smoothed_aggregation_solver(A)
    assert ml.solve(b, maxiter=0, return_info=True)[1] == 1
    x = ml.solve(b, None, 1e-8, 100, "v", "cg", None, None, 1)
    assert relative_residual(A, x, b) <= 1.01e-8
    with pytest.raises(amgsolve.ConfigurationError, match="cycles_per_level=2"):
        ml.solve(b, cycles_per_level=2)
    counts = []
    ml.solve(b, tol=1e-8, callback=lambda count: counts.append(count) or 0.0)
    assert len(counts) > 2
    _, failed = ml.solve(b, callback=lambda count: np.bool_(count < 2), return_info=True)
    assert failed == 2
    gmres = amgsolve.smoothed_aggregation_solver(A, method="gmres")
    assert gmres.solve(b, accel="gmres", return_info=True)[1] == 0


def test_strengths_that_have_a_counterpart(A):
    for strength, measure, threshold in (
        (None, "symmetric", "0"),
        (("symmetric",), "symmetric", "0"),  # as theta is there
        (("symmetric", {"theta": 0.1}), "symmetric", "0.1"),
        ("symmetric", "symmetric", "0"),
        ({"threshold": 0.3}, "auto", "0.3"),
    ):
        ml = amgsolve.smoothed_aggregation_solver(A, strength=strength)
        assert (ml.option("amg.strength.measure"), ml.option("amg.strength.threshold")) == (measure, threshold)


def test_default_tolerance_is_theirs(A, b):
    x = amgsolve.smoothed_aggregation_solver(A).solve(b)
    assert relative_residual(A, x, b) <= 1.01e-5


def test_preconditions_and_prints(A, b):
    ml = amgsolve.smoothed_aggregation_solver(A, B=np.ones((A.shape[0], 1)), strength=("symmetric", {"theta": 0.1}))
    assert linalg.cg(A, b, M=ml.aspreconditioner(cycle="V"), **tolerance_of(linalg.cg, 1e-8))[1] == 0
    assert str(ml).startswith("MultilevelSolver\nNumber of Levels:")
    assert ml.option("amg.strength.threshold") == "0.1"
    assert ml.option("amg.strength.measure") == "symmetric"
    assert ml.levels[0].A.shape == A.shape
    assert ml.operator_complexity() > 1


def test_what_has_no_counterpart_is_told(A, b):
    with pytest.warns(UserWarning, match="presmoother is left out: smoother and pre_sweeps choose"):
        amgsolve.smoothed_aggregation_solver(A, presmoother="gauss_seidel")
    with pytest.warns(UserWarning, match="evolution"):
        amgsolve.smoothed_aggregation_solver(A, strength="evolution")
    ml = amgsolve.smoothed_aggregation_solver(A)
    for keywords in ({"cycle": "W"}, {"accel": "gmres"}):
        with pytest.raises(amgsolve.ConfigurationError):
            ml.solve(b, **keywords)
    with pytest.raises(amgsolve.ConfigurationError):
        ml.aspreconditioner(cycle="W")
    with pytest.raises(amgsolve.ConfigurationError, match="'amg.coarse_size' is given twice"):
        amgsolve.smoothed_aggregation_solver(A, max_coarse=10, coarse_size=20)
    with pytest.raises(amgsolve.ConfigurationError, match="unknown key"):
        amgsolve.smoothed_aggregation_solver(A, no_such_thing=1)
