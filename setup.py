"""Builds the Python package with CMake.

AMGSOLVE_BUILD_DIR   a build folder to use and keep; one that is configured for this interpreter already is only built in
CMAKE_ARGS           further arguments of CMake, for example -DAMGSOLVE_NATIVE=ON for this machine's processor alone
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    return re.search(r"project\(amgsolve VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class BuildByCMake(build_ext):
    def build_extension(self, extension):
        kept = os.environ.get("AMGSOLVE_BUILD_DIR")
        folder = pathlib.Path(kept or self.build_temp).resolve()
        if not (kept and (folder / "CMakeCache.txt").exists()):
            configure = ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DAMGSOLVE_PYTHON=ON"]
            configure += ["-DAMGSOLVE_UNITY_BUILD=ON"]
            configure += [f"-DPython_EXECUTABLE={sys.executable}"]
            configure += [f"-DAMGSOLVE_BUILD_{part}=OFF" for part in ("APPLICATION", "TESTS", "BENCHMARKS")]
            subprocess.run(configure + shlex.split(os.environ.get("CMAKE_ARGS", "")), check=True)
        jobs = str(len(os.sched_getaffinity(0)))
        subprocess.run(["cmake", "--build", folder, "--target", "_amgsolve", "--parallel", jobs], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        built = folder / "python" / "amgsolve" / target.name
        if not built.exists():
            raise SystemExit(f"{built} was not built: is {folder} configured for {sys.executable}?")
        shutil.copy(built, target)


setup(
    version=version(),
    ext_modules=[Extension("amgsolve._amgsolve", sources=[])],
    cmdclass={"build_ext": BuildByCMake},
)
