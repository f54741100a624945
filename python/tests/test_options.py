"""Options by keyword and dict, and what the schema says of them."""

import numpy as np
import pytest

import amgsolve


@pytest.mark.parametrize(
    "keywords, key, value",
    [
        ({"tolerance": 1e-9}, "solver.tolerance", "1e-09"),
        ({"solver": {"tolerance": 1e-9}}, "solver.tolerance", "1e-09"),
        ({"solver.tolerance": np.float64(1e-9)}, "solver.tolerance", "1e-09"),
        ({"max_iterations": np.int64(7)}, "solver.max_iterations", "7"),
        ({"cycle": "W"}, "amg.cycle", "W"),
        ({"amg": {"strength": {"threshold": 0.3}}}, "amg.strength.threshold", "0.3"),
        ({"strength": {"threshold": 0.3}}, "amg.strength.threshold", "0.3"),
        ({"amg": {"strength.threshold": 0.3}}, "amg.strength.threshold", "0.3"),
        ({"smoother": {"type": "jacobi", "damping": 1}}, "amg.smoother.damping", "1"),
        ({"amg.smoother": {"type": "jacobi"}}, "amg.smoother.type", "jacobi"),
        ({"amg.strength": {"threshold": 0.3}}, "amg.strength.threshold", "0.3"),
        ({"smoother.type": "jacobi"}, "amg.smoother.type", "jacobi"),
        ({"filter": True}, "amg.filter", "true"),
        ({"filter": np.True_}, "amg.filter", "true"),
        ({"replicate_below": 5}, "distributed.replicate_below", "5"),
        ({"aggregation_passes": [1, 2]}, "amg.aggregation_passes", "[1, 2]"),
        ({"aggregation_passes": np.array([1, 2])}, "amg.aggregation_passes", "[1, 2]"),
        ({"drop_zeros": True}, "spgemm.drop_zeros", "true"),
        ({"tolerance": None}, "solver.tolerance", "auto"),
    ],
)
def test_keywords_are_keys(A, keywords, key, value):
    assert amgsolve.Solver(A, **keywords).option(key) == value


@pytest.mark.parametrize(
    "keywords, message",
    [
        ({"tolerance": 1e-3, "solver": {"tolerance": 1e-9}}, "'solver.tolerance' is given twice"),
        ({"amg.smoother": {"type": "jacobi"}, "smoother": {"type": "jacobi"}}, "'amg.smoother.type' is given twice"),
        ({"amg.smoother": {"tipe": "jacobi"}}, "unknown key 'amg.smoother.tipe'; did you mean 'amg.smoother.type'?"),
        ({"toleranse": 1}, "unknown key 'toleranse'; did you mean 'solver.tolerance'?"),
        ({"tol": 1e-3}, "unknown key 'tol'; did you mean 'solver.tolerance'?"),
        ({"rtol": 1e-3}, "unknown key 'rtol'; did you mean 'solver.tolerance'?"),
        ({"maxiter": 3}, "unknown key 'maxiter'; did you mean 'solver.max_iterations'?"),
        ({"type": "jacobi"}, "unknown key 'type'; did you mean 'amg.smoother.type'?"),
        ({"amg": {"cicle": "W"}}, "did you mean 'amg.cycle'"),
        ({"zzz": 1}, "unknown key 'zzz'"),
        ({"threshold": 0.3}, "did you mean 'amg.strength.threshold'"),
        ({"tolerance": 2.0}, "it must be a number >= 0 and < 1, or auto"),
        ({"tolerance": "small"}, "'solver.tolerance' is 'small'"),
        ({"tolerance": {"of": 1}}, "'solver.tolerance.of'"),
        ({"cycle": "v"}, "V, W, F or K"),
        ({"amg": 3}, "'amg' has no value of its own"),
        ({"pre_sweeps": 2, "method": "cg"}, "so they must be equal"),
        ({"threads": -1}, "it must be an integer >= 0"),
        ({"block_size": 2**33}, "at most 2147483647"),
    ],
)
def test_mistakes_are_told_as_the_command_does(A, keywords, message):
    with pytest.raises(amgsolve.ConfigurationError) as caught:
        amgsolve.Solver(A, **keywords)
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_keys():
    assert "solver.tolerance" in amgsolve.keys()
    with pytest.raises(amgsolve.ConfigurationError, match="unknown key"):
        amgsolve.Solver(np.eye(3)).option("tolerance")
