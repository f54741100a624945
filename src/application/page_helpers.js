"use strict";
/* What the pages have in common. */
const byId = (id) => document.getElementById(id);

function element(name, text, className) {
  const result = document.createElement(name);
  result.textContent = text;
  if (className) result.className = className;
  return result;
}
const given = (value) => value !== null && value !== undefined;
const scientific = (x) => given(x) ? x.toExponential(2) : "not finite";
const fixed = (x, digits) => given(x) ? x.toFixed(digits) : "";
const count = (n) => given(n) ? n.toLocaleString("en-US") : "";
function duration(s) {
  if (!given(s)) return "";
  return s >= 1 ? s.toFixed(3) + " s" : s >= 1e-3 ? (s * 1e3).toFixed(2) + " ms" : (s * 1e6).toFixed(1) + " µs";
}
function size(bytes) {
  if (!given(bytes)) return "";
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes > 0 ? Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1) : 0;
  return (bytes / 1000 ** power).toFixed(power > 0 ? 1 : 0) + " " + units[power];
}

function table(id, heads, rows) {
  const result = document.createElement("table");
  if (heads.length > 0) {
    const head = result.createTHead().insertRow();
    heads.forEach((text) => head.append(element("th", text)));
  }
  const body = result.createTBody();
  rows.forEach((row) => {
    const line = body.insertRow();
    row.forEach((text) => line.append(element("td", text)));
  });
  byId(id).append(result);
}

/* The values of nested objects as text, by their dotted keys. */
function flattened(object) {
  const values = new Map();
  const visit = (prefix, value) => {
    if (value !== null && typeof value === "object" && !Array.isArray(value))
      Object.entries(value).forEach(([name, inner]) => visit(prefix ? prefix + "." + name : name, inner));
    else values.set(prefix, Array.isArray(value) ? "[" + value.join(", ") + "]" : String(value ?? ""));
  };
  visit("", object);
  return values;
}

/* The phases of a report with `own`, the time of each itself, without the phases inside it. */
function withOwnSeconds(phases) {
  phases.forEach((phase) => {
    const inside = phases.filter((other) => other.phase.startsWith(phase.phase + " > ") &&
      !other.phase.slice(phase.phase.length + 3).includes(" > ") && (phase.level === null || other.level === phase.level));
    phase.own = Math.max(0, inside.reduce((sum, other) => sum - other.seconds, phase.seconds));
  });
  return phases;
}

const palette = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#bcbd22", "#17becf"];
const otherColour = "#8a94a3";
const decades = {type: "logarithmic", ticks: {callback: (x) => Number.isInteger(Math.log10(x)) ? x.toExponential(0) : ""}};
const secondsInTooltip = {callbacks: {label: (item) => item.dataset.label + ": " + duration(item.raw)}};

/* Bars of seconds by label, stacked by what took them: all but the longest as one. `seconds` maps a name to its row of the labels. */
function stacked(labels, seconds) {
  const total = (data) => data.reduce((sum, value) => sum + value, 0);
  const other = seconds.get("other") ?? labels.map(() => 0);
  const datasets = [...seconds].filter(([name]) => name !== "other").sort(([, a], [, b]) => total(b) - total(a))
    .map(([label, data], k) => ({label, data, backgroundColor: palette[k]}));
  datasets.splice(palette.length).forEach((dataset) => dataset.data.forEach((value, i) => { other[i] += value; }));
  datasets.push({label: "other", data: other, backgroundColor: otherColour});
  return {type: "bar", data: {labels, datasets}, options: {
    indexAxis: "y", scales: {x: {stacked: true}, y: {stacked: true}},
    plugins: {legend: {position: "bottom", labels: {boxWidth: 10}}, tooltip: secondsInTooltip}}};
}

/* Draws plotsOf(colours), a plot for the canvas of each id, now and where light becomes dark; of a null one the figure is hidden. */
function show(plotsOf) {
  let charts = [];
  const draw = () => {
    charts.forEach((chart) => chart.destroy());
    const style = getComputedStyle(document.documentElement);
    const colours = Object.fromEntries(["text", "muted", "line", "accent"].map((name) => [name, style.getPropertyValue("--" + name).trim()]));
    Object.assign(Chart.defaults, {color: colours.muted, borderColor: colours.line, animation: false, maintainAspectRatio: false});
    const plots = Object.entries(plotsOf(colours));
    plots.forEach(([id, plot]) => { byId(id).closest("figure").hidden = plot === null; });
    charts = plots.filter(([, plot]) => plot !== null).map(([id, plot]) => new Chart(byId(id), plot));
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  ["beforeprint", "afterprint"].forEach((event) => addEventListener(event, () => charts.forEach((chart) => chart.resize())));
}
