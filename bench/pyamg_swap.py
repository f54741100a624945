#!/usr/bin/env python3
"""The same few lines of Python with PyAMG and with amgsolve, in turns; of each the least times count.

    OMP_NUM_THREADS=2 PYTHONPATH=build/release/python bench/pyamg_swap.py [--rounds N] [--json FILE]

Solves the model problems P1 and P3 (b = 1) to 1e-8 by conjugate gradients around a cycle, and compares what the two return.
PyAMG has to be importable beside this package. Figures are worth keeping from a machine that does nothing else."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import numpy as np
import pyamg
import scipy
import scipy.sparse as sparse

import amgsolve

PROBLEMS = {"P1": (1024, 1024), "P3": (101, 101, 101)}
TOLERANCE = 1e-8


def poisson(grid):
    """The five- or seven-point stencil with Dirichlet conditions, as CSR with 32-bit indices."""
    A = sparse.csr_matrix((1, 1))
    for n in grid:
        line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
        A = sparse.kron(A, sparse.identity(n)) + sparse.kron(sparse.identity(A.shape[0]), line)
    A = A.tocsr()
    A.sort_indices()
    return A


def swap(package, A, b):
    """What a program of PyAMG's does, with either."""
    residuals = []
    begin = time.perf_counter()
    ml = package.smoothed_aggregation_solver(A)
    after_setup = time.perf_counter()
    x = ml.solve(b, tol=TOLERANCE, accel="cg", residuals=residuals)
    end = time.perf_counter()
    return x, {
        "setup_seconds": after_setup - begin,
        "solve_seconds": end - after_setup,
        "iterations": len(residuals) - 1,
        "relative_residual": float(np.linalg.norm(b - A @ x) / np.linalg.norm(b)),
        "operator_complexity": float(ml.operator_complexity()),
        "levels": [{"rows": int(level.A.shape[0]), "nnz": int(level.A.nnz)} for level in ml.levels],
    }


def measure(grid, rounds):
    A = poisson(grid)
    b = np.ones(A.shape[0])
    least = {}
    for _ in range(rounds):
        solutions = {}
        for package in (amgsolve, pyamg):
            name = package.__name__
            solutions[name], result = swap(package, A, b)
            before = least.setdefault(name, result)
            for phase in ("setup_seconds", "solve_seconds"):
                before[phase] = min(before[phase], result[phase])
        ours, theirs = solutions["amgsolve"], solutions["pyamg"]
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    totals = {name: result["setup_seconds"] + result["solve_seconds"] for name, result in least.items()}
    return {
        "rows": A.shape[0],
        "nnz": A.nnz,
        **least,
        "difference_of_solutions": float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs)),
        "times_as_fast": totals["pyamg"] / totals["amgsolve"],
    }


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def busy_seconds():
    """Of all cores since the machine began, and of this process."""
    jiffies = [int(word) for word in pathlib.Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:]]
    own = os.times()
    return (sum(jiffies) - jiffies[3] - jiffies[4]) / os.sysconf("SC_CLK_TCK"), own.user + own.system


def commit():
    describe = ["git", "-C", pathlib.Path(__file__).parent, "describe", "--always", "--dirty"]
    return os.environ.get("AMGSOLVE_COMMIT") or subprocess.run(
        describe, capture_output=True, text=True, check=True
    ).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--problem", action="append", choices=PROBLEMS)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    result = {
        "benchmark": "pyamg_swap",
        "commit": commit(),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": {"cores": len(os.sched_getaffinity(0)), "processor": processor()},
        "threads": int(os.environ.get("OMP_NUM_THREADS", len(os.sched_getaffinity(0)))),
        "versions": {package.__name__: package.__version__ for package in (pyamg, np, scipy)},
        "python": platform.python_version(),
        "rounds": arguments.rounds,
        "tolerance": TOLERANCE,
        "problems": [],
    }
    begin, (all_before, own_before) = time.perf_counter(), busy_seconds()
    print(f"{'':8}  {'':8}  {'setup':>7}  {'solve':>7}  iterations  residual  complexity  times as fast")
    for problem in arguments.problem or PROBLEMS:
        measured = measure(PROBLEMS[problem], arguments.rounds)
        result["problems"].append({"problem": problem, **measured})
        for name in ("pyamg", "amgsolve"):
            of = measured[name]
            print(f"{problem:8}  {name:8}  {of['setup_seconds']:>6.3f}s  {of['solve_seconds']:>6.3f}s  {of['iterations']:>10}"
                  f"  {of['relative_residual']:8.1e}  {of['operator_complexity']:>10.3f}"
                  + (f"  {measured['times_as_fast']:.2f}" if name == "amgsolve" else ""))
    all_after, own_after = busy_seconds()
    others = (all_after - all_before) - (own_after - own_before)
    result["cores_that_others_kept_busy"] = round(others / (time.perf_counter() - begin), 3)
    print(f"meanwhile other programs kept {result['cores_that_others_kept_busy']:.2f} cores busy")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
