#!/usr/bin/env python3
"""docs/robustness.md and its figures from results of bench_robustness:

    bench/robustness_page.py [--times] RESULT.json ...

Results of the host make the tables; those of a device stand beside them. Peers that the first result of the host lacks are taken from the next ones. --times shows times, too: where nothing else ran on the machine. Needs nothing but Python's standard library."""

import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ["hypre", "amgcl"]

# Family, heading, what it is.
FAMILIES = [
    ("model", "Model problems", "P1 to P4: Poisson's equation, 5-point, bilinear, 7-point, trilinear. P6: diffusion 1 along 30° and 1e-3 "
     "across, bilinear elements. P7: 1 and 1e4 in a checkerboard of 8³ cells, 7-point."),
    ("five_points", "One weak direction, 5-point", "Differences in 2D with ε along y."),
    ("seven_points", "One and two weak directions, 7-point", "Differences in 3D with ε along one or two axes."),
    ("trilinear", "One and two weak directions, trilinear elements", ""),
    ("field", "Fields", "Diffusion 1 along circles and 1e-3 across, bilinear elements; cells stretched to 1e4 along both axes (2D) and 1e3 "
     "along one (3D); log-normal coefficients of σ = 3, independent by cell or averaged over windows of 6 (2D) and 4 cells (3D)."),
    ("jumps", "Jumping coefficients", "By blocks of cells, from 1 to the contrast in the name: a checkerboard, log-uniform at random, balls in a "
     "matrix; 5- and 7-point. Where the contrast is 1e6 and more, rounding may keep the residual of b = 1 above 1e-8: any solver's does."),
    ("networks", "Networks", "Edge³ nodes, each coupled to two others anywhere: by a number, by one full 3 × 3 matrix, and by springs in random "
     "directions of a space of 3 or 6 unknowns, which are a tenth as stiff across."),
    ("files", "Real matrices and meshes", "From the SuiteSparse collection and others; graphs as Laplacians without their first node; linear "
     "elements on meshes of triangles (cmm2d) and tetrahedra (anu, backstep3d). Elasticity and shells (bcsstk, s3rmt3m3, nos3, "
     "pyamg_bar, the beam) are here without their rigid-body modes, as by a user who gives none. No iterations: b = 1 is in the null space."),
    ("units", "Unknowns in units of their own", "Rows and columns of problems from above times exp(σ N), N normal, 1e3 and 1e-3 in turn, or 1/√a_ii, for "
     "a unit diagonal; an elastic body of bilinear elements without its coordinates."),
]
# Figure, heading, the curves: (family, problem, label).
FIGURES = [
    ("robustness-model", "Model problems", [("model", name, name) for name in ["P1", "P2", "P3", "P4", "P6", "P7"]]),
    ("robustness-fields", "Weak directions and fields", [
        ("five_points", "one weak 1e-3", "5-point, one weak direction 1e-3"),
        ("seven_points", "two weak 1e-3", "7-point, two weak directions 1e-3"),
        ("field", "stretched 2D", "stretched 2D"), ("field", "log-normal 2D", "log-normal 2D"),
        ("field", "log-normal 3D", "log-normal 3D"), ("field", "circular", "circular")]),
]
COLOURS = ["#1f5fa8", "#c8501e", "#2e8b57", "#8a4fa3", "#b8860b", "#444444"]


def iterations(solver):
    if solver is None:
        return ""
    if "iterations" not in solver:
        return "✗"
    mark = "°" if solver.get("attained") else "" if solver["converged"] else "✗"
    return f"{solver['iterations']}{mark}"


def complexity(solver):
    return f"{solver['operator_complexity']:.2f}" if solver and "operator_complexity" in solver else ""


def products(row, phase):
    ours = row.get("amgsolve", {}) if row else {}
    return f"{ours[phase + '_seconds'] / row['product_seconds']:.0f}" if phase + "_seconds" in ours else ""


def table(rows, cuda, times):
    head = ["problem", "edge", "rows", "iterations", "complexity"] + (["setup", "solve"] if times else [])
    head += (["iterations, cuda"] + (["setup, cuda", "solve, cuda"] if times else [])) if cuda else []
    peers = [peer for peer in PEERS if any(peer in row for row in rows)]
    lines = ["| " + " | ".join(head + peers) + " |", "|---" * len(head + peers) + "|"]
    for row in rows:
        there = cuda.get((row["family"], row["problem"], row["size"]))
        cells = [row["problem"], str(row["size"] or ""), str(row["rows"]), iterations(row["amgsolve"]), complexity(row["amgsolve"])]
        cells += [products(row, "setup"), products(row, "solve")] if times else []
        cells += [iterations(there and there["amgsolve"])] if cuda else []
        cells += [products(there, "setup"), products(there, "solve")] if cuda and times else []
        lines.append("| " + " | ".join(cells + [iterations(row.get(peer)) for peer in peers]) + " |")
    return lines


def rotated(rows):
    peers = [peer for peer in PEERS if any(peer in row for row in rows)]
    head = ["ε", "edge", "angles", "mean", "most, at", "complexity"] + [f"{peer}: mean, most" for peer in peers]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for key in sorted({(row["problem"].split()[0], row["size"]) for row in rows}, key=lambda k: (-float(k[0]), k[1])):
        mine = [row for row in rows if (row["problem"].split()[0], row["size"]) == key]
        worst = max(mine, key=lambda row: row["amgsolve"]["iterations"])

        def mean(solver):
            return sum(row[solver]["iterations"] for row in mine) / len(mine)

        cells = [key[0], str(key[1]), str(len(mine)), f"{mean('amgsolve'):.1f}",
                 f"{iterations(worst['amgsolve'])}, {worst['problem'].split()[-1]}°",
                 f"{max(row['amgsolve']['operator_complexity'] for row in mine):.2f}"]
        cells += [f"{mean(peer):.1f}, {max(row[peer]['iterations'] for row in mine)}" for peer in peers]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def figure(path, curves):
    """Iterations over the rows of the matrix, which grow geometrically."""
    width, height, left, bottom, legend = 640, 340, 50, 40, 220
    points = [point for _, curve in curves for point in curve]
    least, most = (f(math.log10(x) for x, _ in points) for f in (min, max))
    top = 5 * math.ceil((max(y for _, y in points) + 1) / 5)

    def at(x, y):
        return (left + (math.log10(x) - least) / (most - least) * (width - left - legend), height - bottom - y / top * (height - bottom - 20))

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for y in range(0, top + 1, 5):
        x0, y0 = at(10**least, y)
        svg.append(f'<path d="M{x0:.0f} {y0:.1f}H{width - legend}" stroke="#ddd"/><text x="{x0 - 8:.0f}" y="{y0 + 4:.1f}" text-anchor="end">{y}</text>')
    for exponent in range(math.ceil(least), math.floor(most) + 1):
        x, y = at(10**exponent, 0)
        svg.append(f'<path d="M{x:.1f} {y:.0f}v5" stroke="#333"/><text x="{x:.1f}" y="{y + 18:.0f}" text-anchor="middle">1e{exponent}</text>')
    svg.append(f'<text x="{(left + width - legend) / 2:.0f}" y="{height - 6}" text-anchor="middle">rows</text>'
               f'<text x="14" y="{(height - bottom) / 2:.0f}" transform="rotate(-90 14 {(height - bottom) / 2:.0f})" text-anchor="middle">iterations</text>')
    for number, (label, curve) in enumerate(curves):
        colour = COLOURS[number]
        places = [at(*point) for point in sorted(curve)]
        svg.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        svg += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
        svg.append(f'<circle cx="{width - legend + 16}" cy="{30 + 20 * number}" r="4" fill="{colour}"/>'
                   f'<text x="{width - legend + 26}" y="{34 + 20 * number}">{label}</text>')
    path.write_text("\n".join(svg + ["</svg>"]) + "\n")


def origin(result, path):
    machine = result["machine"]["processor"]
    where = result["device"]["name"] if "device" in result else f"threads: {result['threads']}, cores: {result['machine']['cores']}, {machine}"
    return f"{where}, commit {result['commit']}, {result['date'][:10]} (`{path.resolve().relative_to(ROOT)}`)"


def rows_of(results, backend):
    """The rows by problem; what several results have is the first one's."""
    rows = {}
    for result in results:
        for row in result["problems"] if result["backend"] == backend else []:
            key = row["family"], row["problem"], row["size"]
            rows[key] = {**row, **rows.get(key, {})}
    return rows


def main(paths, times):
    results = [json.loads(path.read_text()) for path in paths]
    host = list(rows_of(results, "host").values())
    cuda = rows_of(results, "cuda")
    page = ["# Robustness", "",
            "Default options on problems that are not easy, A x = 1 from zero to a relative residual of 1e-8, at most 1000 iterations. Written by",
            "`bench/robustness_page.py` from results of `bench_robustness`; do not edit it by hand. ✗: not converged. °: converged as far as",
            "rounding errors allow, with a backward error at rounding level, where the tolerance is out of reach. Complexity is that of the",
            "operators, Σ nnz / nnz of the finest level. Setup and solve, where shown, are in products of the finest level's matrix with a",
            "vector.", ""]
    page += [] if times else ["- Other programs ran beside these: times are left out; iterations do not depend on them."]
    page += [f"- {result['backend']}: {origin(result, path)}." for result, path in zip(results, paths)]
    if len({result["commit"] for result in results}) > 1:
        page += ["- Of several results of a backend the first one's rows count, and the others' where it has none. Between commits defaults differ:",
                 "  where the backends' commits are not the same, neither need be their iterations."]
    page += ["- Peers: hypre's BoomerAMG and AMGCL's smoothed aggregation (spai0, eps_strong 0.08), both under conjugate gradients with their",
             "  defaults. AMGCL factors systems of up to 3000 rows: one iteration. Where a cell is empty, the peer was not run.", "", "## Growth under refinement", ""]
    for name, heading, curves in FIGURES:
        drawn = []
        for family, problem, label in curves:
            curve = [(row["rows"], row["amgsolve"]["iterations"]) for row in host if (row["family"], row["problem"]) == (family, problem)]
            if len(curve) > 1:
                drawn.append((label, curve))
        if drawn:
            figure(ROOT / "docs" / f"{name}.svg", drawn)
            page += [f"{heading}:", "", f"![iterations over rows: {heading}]({name}.svg)", ""]
    rows = [row for row in host if row["family"] == "rotated"]
    if rows:
        page += ["## Rotated anisotropy", "", "Diffusion 1 along a direction and ε across, bilinear elements, angles from 0 to 90°.", ""] + rotated(rows) + [""]
    for family, heading, text in FAMILIES:
        rows = [row for row in host if row["family"] == family]
        if rows:
            page += [f"## {heading}", ""] + ([text, ""] if text else []) + table(rows, cuda, times) + [""]
    (ROOT / "docs" / "robustness.md").write_text("\n".join(page).rstrip() + "\n")


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--times"]
    if not arguments:
        sys.exit(__doc__)
    main([pathlib.Path(path) for path in arguments], "--times" in sys.argv)
