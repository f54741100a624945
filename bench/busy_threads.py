#!/usr/bin/env python3
"""What the number of threads costs where other programs keep all cores busy.

    bench/busy_threads.py build/release/bin/amgsolve [--busy N] [--runs N] [--json FILE]

Starts N loops that never wait, one for each core unless told otherwise, and solves Poisson's equation in 3D in several sizes,
with the default number of threads and with each from 1 to that of the cores, in turns; of each the least time counts. The
bound is that the default takes at most 1.5 times as long as the best choice. Of a machine that is busy otherwise, too, the
figures say nothing: the load before the loops begin is in the result.
"""

import argparse
import datetime
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile

EDGES = (22, 40, 64, 100)
BOUND = 1.5


def spin():
    while True:
        pass


def solve(command, edge, threads, folder):
    """Seconds of setup and solve; threads 0: the default."""
    report = os.path.join(folder, "report.json")
    arguments = [command, "--preset", "poisson-3d", "--set", f"problem.generate.grid=[{edge}, {edge}, {edge}]",
                 "--set", "solver.backend=host", "--quiet", "--json", report]
    subprocess.run(arguments + (["--threads", str(threads)] if threads else []), check=True)
    with open(report, encoding="utf-8") as file:
        result = json.load(file)
    return result["setup"]["seconds"] + result["solve"]["seconds"]


def measure(command, busy, runs):
    cores = len(os.sched_getaffinity(0))
    loops = [multiprocessing.Process(target=spin, daemon=True) for _ in range(cores if busy is None else busy)]
    result = {"benchmark": "busy_threads", "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "cores": cores, "busy_loops": len(loops), "runs": runs, "load_before": os.getloadavg()[0], "sizes": []}
    for loop in loops:
        loop.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for edge in EDGES:
                seconds = {threads: [] for threads in range(cores + 1)}
                for _ in range(runs):
                    for threads, times in seconds.items():
                        times.append(solve(command, edge, threads, folder))
                least = {threads: min(times) for threads, times in seconds.items()}
                best = min(range(1, cores + 1), key=least.get)
                result["sizes"].append({"rows": edge**3, "default_seconds": least[0], "best_threads": best,
                                        "best_seconds": least[best], "ratio": least[0] / least[best],
                                        "seconds": {str(threads): least[threads] for threads in range(1, cores + 1)}})
    finally:
        for loop in loops:
            loop.terminate()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--busy", type=int, help="loops that never wait; one for each core by default")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    result = measure(arguments.command, arguments.busy, arguments.runs)
    print(f"{result['busy_loops']} busy loops on {result['cores']} cores, load before {result['load_before']:.1f}, "
          f"the least of {result['runs']}")
    print(f"{'rows':>9}  {'default':>9}  {'best':>9}  with  ratio")
    for size in result["sizes"]:
        print(f"{size['rows']:>9}  {size['default_seconds']:>8.4f}s  {size['best_seconds']:>8.4f}s  "
              f"{size['best_threads']:>4}  {size['ratio']:>5.2f}{'' if size['ratio'] <= BOUND else '  beyond the bound'}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
