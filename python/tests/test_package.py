"""The stubs, what pages say of options and files, and the package that pip makes."""

import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys

import numpy
import pytest
import scipy.sparse

import amgsolve

ROOT = pathlib.Path(__file__).resolve().parents[2]


def stub():
    return ast.parse((ROOT / "python" / "amgsolve" / "__init__.pyi").read_text())


def parameters_of_stub(function):
    arguments = function.args
    names = [argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
    return names + [argument.arg for argument in (arguments.vararg, arguments.kwarg) if argument]


def parameters_of(function):
    return [name for name, _ in sorted(inspect.signature(function).parameters.items(), key=lambda item: item[1].kind)]


def test_stubs_say_what_is_there():
    nodes = {node.name: node for node in stub().body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert set(amgsolve.__all__) - {"__version__"} == set(nodes) - {"OnDevice"}
    for name in set(nodes) - {"OnDevice"}:
        actual = getattr(amgsolve, name)
        if isinstance(nodes[name], ast.FunctionDef):
            assert sorted(parameters_of_stub(nodes[name])) == sorted(parameters_of(actual)), name
            continue
        for member in nodes[name].body:
            if isinstance(member, ast.FunctionDef) and not isinstance(getattr(actual, member.name), property):
                method = getattr(actual, member.name)
                assert sorted(parameters_of_stub(member)) == sorted(parameters_of(method)), (name, member.name)
    public = {name for name in vars(amgsolve.Solver) if not name.startswith("_")}
    assert public == {member.name for member in nodes["Solver"].body} - {"__init__"}


def test_stubs_name_the_statistics_of_a_level():
    level = next(node for node in stub().body if getattr(node, "name", "") == "Level")
    names = {member.target.id for member in level.body if isinstance(member, ast.AnnAssign)}
    assert names == {name for name in dir(amgsolve._amgsolve.LevelStatistics) if not name.startswith("_")}


def test_the_program_that_writes_amg_files_writes_one(tmp_path):
    """The bytes of one that the tests of the reader take."""
    names = {}
    text = (ROOT / "docs" / "formats.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    exec(compile(block, "docs/formats.md", "exec"), names)
    A = scipy.sparse.csr_matrix(numpy.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]]))
    names["write_amg"](tmp_path / "A.amg", A)
    expected = ROOT / "tests" / "fuzz" / "corpus" / "binary_files" / "amg_matrix"
    assert (tmp_path / "A.amg").read_bytes() == expected.read_bytes()


def test_other_libraries_options_are_led_to_keys_that_exist():
    named = set()
    for page in ("moving", "python"):
        text = (ROOT / "docs" / f"{page}.md").read_text()
        cells = [line.rsplit("|", 2)[1] for line in text.splitlines() if line.startswith("|")]
        named |= {key for cell in cells for key in re.findall(r"\b(?:solver|amg|spgemm)\.[a-z_.]*[a-z]", cell)}
    assert len(named) > 20
    assert named <= set(amgsolve.keys())


def test_pip_installs_it(tmp_path):
    """From this build folder, so that nothing is compiled again."""
    if not os.environ.get("AMGSOLVE_BUILD_DIR"):
        pytest.skip("AMGSOLVE_BUILD_DIR is not set")
    found = subprocess.run([sys.executable, "-c", "import setuptools, wheel, pip"], capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip("pip, setuptools or wheel is not installed (python3-pip)")
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "python", "docs"):
        (source / name).symlink_to(ROOT / name)
    target = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", "--quiet"]
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [*install, "--target", target, source], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    program = "import amgsolve; print(amgsolve.__file__, amgsolve.solve([[2.0, -1.0], [-1.0, 2.0]], [1.0, 1.0])[0])"
    environment["PYTHONPATH"] = str(target)
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert str(target) in ran.stdout and "[1. 1.]" in ran.stdout
    assert (target / "amgsolve" / "py.typed").exists() and (target / "amgsolve" / "__init__.pyi").exists()
    assert not list(target.glob("amgsolve/__pycache__/bindings*"))
