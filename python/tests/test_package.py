"""The stubs, what pages say of options and files, and the package that pip makes."""

import ast
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

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


@pytest.fixture
def pip(tmp_path):
    """Runs pip, without a network, where it is installed and has a build folder to take the module from."""
    if not os.environ.get("AMGSOLVE_BUILD_DIR"):
        pytest.skip("AMGSOLVE_BUILD_DIR is not set")
    found = subprocess.run([sys.executable, "-c", "import setuptools, wheel, pip"], capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip("pip, setuptools or wheel is not installed (python3-pip)")
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INDEX": "1", "PIP_QUIET": "1"}

    def run(*arguments, python=sys.executable):
        command = [python, "-m", "pip", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    return run


@pytest.fixture
def source(tmp_path):
    """What pip builds from, in a folder of its own: it leaves its traces there."""
    folder = tmp_path / "source"
    folder.mkdir()
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "LICENSE", "python", "docs"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def test_a_source_archive_has_what_the_module_is_built_from(source, tmp_path):
    pytest.importorskip("setuptools")
    folders = ("amg", "cmake", "core", "dist", "include", "python", "spgemm", "spmv", "src/library")
    for name in ("MANIFEST.in", "amg", "cmake", "core", "include", "spgemm", "spmv", "src"):
        (source / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "dist", source / "dist")
    for earlier in ("amgsolve-0.1.0.tar.gz", "amgsolve-0.1.0-cp311-cp311-linux_x86_64.whl"):  # as builds leave them
        (source / "dist" / earlier).touch()
    program = f"import setuptools.build_meta as build; build.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", program], cwd=source, capture_output=True, check=True)
    with tarfile.open(tmp_path / f"amgsolve-{amgsolve.__version__}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    wanted = {path.relative_to(ROOT).as_posix() for path in files if path.suffix not in (".pyc", ".gz", ".whl")}
    assert wanted | {"CMakeLists.txt"} <= names
    assert not [name for name in names if name.startswith("tests/") or name.endswith((".gz", ".whl"))]


def check_installed(folder, python=sys.executable, path=""):
    """That a program solves with the package in the folder."""
    program = "import amgsolve; print(amgsolve.__file__, amgsolve.solve([[2.0, -1.0], [-1.0, 2.0]], [1.0, 1.0])[0])"
    environment = {**os.environ, "PYTHONPATH": str(path)}
    ran = subprocess.run(
        [python, "-c", program], env=environment, cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert str(folder) in ran.stdout and "[1. 1.]" in ran.stdout


def test_pip_installs_it(pip, source, tmp_path):
    """From this build folder, so that nothing is compiled again."""
    target = tmp_path / "installed"
    pip("install", "--no-build-isolation", "--no-deps", "--target", target, source)
    check_installed(target, path=target)
    assert (target / "amgsolve" / "py.typed").exists() and (target / "amgsolve" / "__init__.pyi").exists()
    assert not list(target.glob("amgsolve/__pycache__/bindings*"))


def test_a_wheel_works_without_its_source(pip, source, tmp_path):
    """In an environment that has NumPy and SciPy, by pip of that environment."""
    wheels = tmp_path / "wheels"
    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", wheels, source)
    shutil.rmtree(source)
    (wheel,) = wheels.iterdir()
    assert re.fullmatch(rf"amgsolve-{re.escape(amgsolve.__version__)}-cp3\d+-cp3\d+-linux_\w+\.whl", wheel.name)
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if not name.startswith(("amgsolve/", "amgsolve-"))]
    assert any(name.endswith("/LICENSE") for name in names)
    environment = tmp_path / "environment"
    made = [sys.executable, "-m", "venv", "--system-site-packages", environment]
    if subprocess.run(made, capture_output=True, check=False).returncode != 0:
        pytest.skip("environments cannot be made (python3-venv)")
    python = environment / "bin" / "python"
    pip("install", wheel, python=python)
    check_installed(environment, python)
