"""What the tests share."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sparse


def poisson(n, dimensions=2):
    """The five-point stencil (seven-point, three-point) on n × … × n unknowns."""
    one = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    identity = sparse.identity(n)
    A = one
    for _ in range(dimensions - 1):
        A = sparse.kron(A, identity) + sparse.kron(sparse.identity(A.shape[0]), one)
    return A.tocsr()


@pytest.fixture
def A():
    return poisson(40)


@pytest.fixture
def b(A):
    return np.random.default_rng(1).standard_normal(A.shape[0])


def relative_residual(A, x, b):
    return np.max(np.linalg.norm(b - A @ x, axis=0) / np.linalg.norm(b, axis=0))


def tolerance_of(method, value):
    """A relative tolerance as the method of SciPy calls it in this version."""
    names = inspect.signature(method).parameters
    keywords = {"rtol" if "rtol" in names else "tol": value, "atol": 0.0, "callback_type": "legacy"}
    return {name: setting for name, setting in keywords.items() if name in names}
