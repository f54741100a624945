#!/usr/bin/env python3
"""docs/scaling.md from a result of bench_scaling: what one and two GPUs take, and a model of many.

    bench/scaling_page.py RESULT.json

The model adds to the time of one GPU what ranks send. Counts of messages, sums and gathers, the levels that are shared
and the time of a message within a host come from the result; what this project could not measure is ASSUMED below."""

import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RANKS = [8, 64, 512, 4096]
GPUS_OF_A_HOST = 8

# Seconds and bytes a second of links: NVLink between GPUs of a host; 400 Gb/s a GPU between hosts.
ASSUMED = {
    "bytes_per_second": {"host": 200e9, "hosts": 45e9},
    "message": {"hosts": 30e-6},
    "sum": {"host": 10e-6, "hosts": 30e-6},  # of a few numbers of all ranks; doubles from 8 to 4096 ranks between hosts
    "broadcast": 2e-6,  # each one more of those that make up a gather
}
LAYOUTS_OF_A_LEVEL = 6  # in a setup, each with a number of every rank for every other one: log₂ ranks messages of hosts


def results_of(runs, ranks, transport):
    for run in runs:
        if run["ranks"] == ranks and run["device_messages"].startswith(transport) and run["discretization"] == "fd":
            return {r["name"]: r for r in run["results"]}, run
    sys.exit(f"no 7-point run of {ranks} ranks {transport}")


def link(ranks):
    return "host" if ranks <= GPUS_OF_A_HOST else "hosts"


class Model:
    def __init__(self, runs):
        self.one, self.run_of_one = results_of(runs, 1, "")
        self.two, self.run_of_two = results_of(runs, 2, "by NCCL")
        self.edges = sorted(int(name.split()[1]) for name in self.two if name.startswith("weak"))
        self.message = float(re.search(r"64 kB in (\d+) us by NCCL", self.run_of_two["device_messages"])[1]) * 1e-6
        low, high = self.result(self.two, self.edges[0]), self.result(self.two, self.edges[-1])
        self.exchanges_of_a_level = ((high["solve_exchanges"] / high["iterations"] - low["solve_exchanges"] / low["iterations"])
                                     / (high["shared_levels"] - low["shared_levels"]))
        self.fit_setup()

    @staticmethod
    def result(results, edge):
        return results[f"weak {edge}"]

    def levels(self, edge, ranks):
        """One more for eight times the unknowns, as from 128³ to 512³ on two."""
        return self.result(self.two, edge)["shared_levels"] + max(0, round(math.log(ranks / 2, 8)))

    def iteration(self, edge, ranks, plane=None):
        """Seconds by what takes them; plane: values between neighbours on the finest level."""
        two = self.result(self.two, edge)
        plane = plane or edge * edge
        exchanges = two["solve_exchanges"] / two["iterations"] + self.exchanges_of_a_level * (self.levels(edge, ranks) - two["shared_levels"])
        sent = two["solve_bytes_sent"] / two["iterations"] * plane / (edge * edge)
        message = self.message if link(ranks) == "host" else ASSUMED["message"]["hosts"]
        deeper = math.log2(max(ranks, GPUS_OF_A_HOST) / GPUS_OF_A_HOST) / 9
        # One gather an iteration brings the level below the shared ones to all ranks; the others are of a number each.
        numbers = (two["solve_sums"] + two["solve_gathers"]) / two["iterations"] - 1
        sums = numbers * ASSUMED["sum"][link(ranks)] * (1 + deeper)
        gather = message + (ranks - 2) * ASSUMED["broadcast"]
        return {"one GPU": self.result(self.one, edge)["iteration_s"], "waits for messages": exchanges * message,
                "bytes": sent / ASSUMED["bytes_per_second"][link(ranks)], "sums": sums, "gather": gather}

    def fit_setup(self):
        """Least squares for what two take longer: a part for each shared level, a part for each nonzero, neither negative."""
        rows = []
        for edge in self.edges:
            one, two = self.result(self.one, edge), self.result(self.two, edge)
            rows.append((two["shared_levels"], one["nonzeros"], two["setup_s"] - one["setup_s"], 1.0 / two["setup_s"]))
        a = sum((l * w) ** 2 for l, _, _, w in rows)
        b = sum(l * n * w * w for l, n, _, w in rows)
        c = sum((n * w) ** 2 for _, n, _, w in rows)
        p = sum(l * t * w * w for l, _, t, w in rows)
        q = sum(n * t * w * w for _, n, t, w in rows)
        self.of_a_level = (p * c - q * b) / (a * c - b * b)
        self.of_a_nonzero = (a * q - b * p) / (a * c - b * b)
        if self.of_a_nonzero < 0:
            self.of_a_level, self.of_a_nonzero = p / a, 0.0
        elif self.of_a_level < 0:
            self.of_a_level, self.of_a_nonzero = 0.0, q / c

    def setup(self, edge, ranks):
        one = self.result(self.one, edge)
        slower = 1.0 if link(ranks) == "host" else ASSUMED["message"]["hosts"] / self.message
        lists = LAYOUTS_OF_A_LEVEL * self.levels(edge, ranks) * math.log2(max(ranks / GPUS_OF_A_HOST, 1)) * ASSUMED["message"]["hosts"]
        return {"one GPU": one["setup_s"], "shared levels": self.of_a_level * self.levels(edge, ranks) * slower,
                "entries": self.of_a_nonzero * one["nonzeros"], "numbers of all for all": lists}


def efficiency(parts):
    return parts["one GPU"] / sum(parts.values())


def first_bound(parts):
    name = max((n for n in parts if n != "one GPU"), key=parts.get)
    return f"{name}, {parts[name] / sum(parts.values()):.0%}"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)]


def page(model, source):
    gpu = model.run_of_one["device"]["name"].replace("NVIDIA ", "")
    lines = ["# How it scales", "",
             f"Written by `bench/scaling_page.py` from `{source}`; do not edit it by hand. Poisson's equation, 7-point, defaults,",
             "boxes of n³ unknowns one above the other, a box for each GPU. Two GPUs of one host are measured; more are a model.", "",
             f"## Measured: one and two {gpu}s", ""]
    rows = []
    for edge in model.edges:
        one, two = model.result(model.one, edge), model.result(model.two, edge)
        rows.append([f"{edge}³", f"{1e3 * one['setup_s']:.1f}, {1e3 * one['iteration_s']:.2f}", f"{1e3 * two['setup_s']:.1f}, {1e3 * two['iteration_s']:.2f}",
                     f"{one['setup_s'] / two['setup_s']:.2f}, {one['iteration_s'] / two['iteration_s']:.2f}",
                     f"{efficiency(model.setup(edge, 2)):.2f}, {efficiency(model.iteration(edge, 2)):.2f}"])
    lines += table(["a GPU", "one: setup, iteration, ms", "two", "efficiency: setup, iteration", "the model's"], rows)
    lines += ["", f"An exchange of 64 kB takes {1e6 * model.message:.0f} µs by NCCL, and a level that is shared {model.exchanges_of_a_level:.0f} exchanges an iteration.",
              "The model takes that for every message, also for the short ones that two GPUs send from kernel to kernel, which are quicker.", "",
              "## Model", "",
              "Time of an iteration = that of one GPU + exchanges × time of a message + bytes / bandwidth + sums + a gather, nothing hidden behind work. Exchanges,",
              "bytes and sums are counted in the run of two; one more level is shared for eight times the GPUs, as for eight times the unknowns there.",
              f"A setup takes {1e3 * model.of_a_level:.1f} ms longer for each shared level and {1e9 * model.of_a_nonzero:.3f} ms for each million nonzeros of a GPU (least squares over the",
              f"three sizes, neither negative), and every rank tells every other one a number {LAYOUTS_OF_A_LEVEL} times a level, in log₂ messages of the hosts. Assumed, not measured:",
              f"{ASSUMED['bytes_per_second']['host'] / 1e9:.0f} GB/s within a host of {GPUS_OF_A_HOST} GPUs, between hosts {ASSUMED['bytes_per_second']['hosts'] / 1e9:.0f} GB/s and "
              f"{1e6 * ASSUMED['message']['hosts']:.0f} µs a message; {1e6 * ASSUMED['sum']['host']:.0f} and {1e6 * ASSUMED['sum']['hosts']:.0f} µs a sum, twice that on 4096;",
              f"{1e6 * ASSUMED['broadcast']:.0f} µs for each broadcast of which the gather is made up.", "",
              "### An iteration: efficiency, and what takes most of the rest", ""]
    lines += table(["a GPU", *(f"{p} GPUs" for p in RANKS), f"on {RANKS[-1]}"],
                   [[f"{edge}³", *(f"{efficiency(model.iteration(edge, p)):.2f}" for p in RANKS), first_bound(model.iteration(edge, RANKS[-1]))]
                    for edge in model.edges])
    lines += ["", "### A setup", ""]
    lines += table(["a GPU", *(f"{p} GPUs" for p in RANKS), f"on {RANKS[-1]}"],
                   [[f"{edge}³", *(f"{efficiency(model.setup(edge, p)):.2f}" for p in RANKS), first_bound(model.setup(edge, RANKS[-1]))]
                    for edge in model.edges])
    lines += ["", "### A cube, its rows in planes", "",
              "A cube of p n³ unknowns numbered plane by plane gives each rank a slice: its borders have p^(2/3) n² values, and beyond p = n^(3/2) a slice is less",
              "than a plane. Efficiency of an iteration; –: ghosts of more than the two neighbours' planes, which the model does not cover. Rows numbered box by box keep n².", ""]
    rows = []
    for edge in model.edges:
        row = [f"{edge}³"]
        for p in RANKS:
            plane = round((p ** (1 / 3) * edge) ** 2)
            row.append(f"{efficiency(model.iteration(edge, p, plane)):.2f}" if plane <= edge**3 else "–")
        rows.append(row)
    lines += table(["a GPU", *(f"{p} GPUs" for p in RANKS)], rows)
    lines += ["", "## What would bind first", "",
              "- The gather: every iteration the level below the shared ones comes to all ranks by one broadcast of each, beyond eight of them. An all-gather of equal parts, or few ranks with",
              "  the rest of the hierarchy, takes their place before a thousand GPUs.",
              "- Setups: waits for messages of each shared level.",
              "- Waits for messages. Products that work on rows without ghosts meanwhile took as long or longer on two H200s: second launches and events cost what",
              "  they hide (`bench/results/h200/2026-11-25_overlap_cuda.txt`).", ""]
    return "\n".join(lines)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    runs = json.loads(source.read_text())["runs"]
    target = ROOT / "docs" / "scaling.md"
    target.write_text(page(Model(runs), source.as_posix()))
    print(target)


if __name__ == "__main__":
    main()
