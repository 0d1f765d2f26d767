import { describe, expect, it } from "vitest";
import type { EvalConfig } from "../core/result.js";
import { type EvalRow, type Facets, makeRow } from "../core/row.js";
import { summarize } from "../metrics/index.js";
import { buildFacetLayouts, listFacetKeys, renderFacets } from "./facets.js";

function row(exampleId: number, f1: number, facets: Facets, more: Partial<EvalRow> = {}): EvalRow {
  const outcome = f1 >= 0.7 ? "pass" : "fail";
  return makeRow({
    system: "s",
    dataset: "d",
    exampleId,
    outcome,
    scores: { f1 },
    primaryField: "f1",
    facets,
    ...more,
  });
}

function partsOf(rows: readonly EvalRow[], tags: readonly string[] = ["d"], isAsked = false): string[] {
  const config = { datasets: [{ tags }] } as unknown as EvalConfig;
  const { summary } = summarize(rows, [], { scoreField: "score", threshold: 0.7, seed: 0, datasets: tags });
  const lines = Object.entries(summary).map(([system, own]) => ({ system, summary: own }));
  const layouts = buildFacetLayouts({ rows, config });
  for (const key of listFacetKeys(layouts)) expect(Object.keys(summary.s ?? {})).toContain(key);
  return renderFacets(lines, layouts, { isAsked });
}

/** The cells of a part's table, line by line. */
function cellsOf(part = ""): string[][] {
  const lines = part.split("\n").filter((line) => line.startsWith("|") && !line.startsWith("| -"));
  return lines.map((line) =>
    line
      .slice(2, -2)
      .split(" | ")
      .map((cell) => cell.trim()),
  );
}

const at = (depth: number, length: number) => ({ depth, length });

describe("the heat map", () => {
  const GRID = [
    [0, 500, 1],
    [0, 2000, 0.9],
    [0.5, 500, 0.7],
    [0.5, 2000, 0.1],
    [1, 500, 0.5],
    [1, 2000, 0.3],
  ] as const;
  const rows = GRID.flatMap(([depth, length, f1], id) => [id, id + 10].map((one) => row(one, f1, at(depth, length))));

  it("has depth down and length across, a shade for each score, and means at the edges", () => {
    const [map = "", ...others] = partsOf(rows);
    expect(others).toEqual([]);
    expect(map).toMatch(/^s: mean score by depth and length, 2 tasks per cell \(██ from 0\.8, .*·· below\)\.\n\n/);
    expect(cellsOf(map)).toEqual([
      ["depth ↓ length →", "500", "2000", "mean"],
      ["0", "██ 1.00", "██ 0.90", "██ 0.95"],
      ["0.5", "▓▓ 0.70", "·· 0.10", "▒▒ 0.40"],
      ["1", "▒▒ 0.50", "░░ 0.30", "▒▒ 0.40"],
      ["mean", "▓▓ 0.73", "▒▒ 0.43", "▒▒ 0.58"],
    ]);
  });

  it("is aligned in a terminal", () => {
    const lines = (partsOf(rows)[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
    expect(new Set(lines.map((line) => [...line].length)).size).toBe(1);
  });

  it("shows the number of tasks of each cell when they differ, and weights the mean by them", () => {
    const uneven = [row(1, 1, at(0, 500)), row(2, 1, at(0, 500)), row(3, 0, at(1, 2000)), row(4, 1, at(0, 2000))];
    const [map] = partsOf(uneven);
    expect(map).toContain("the number of tasks in parentheses");
    expect(cellsOf(map).slice(1)).toEqual([
      ["0", "██ 1.00 (2)", "██ 1.00 (1)", "██ 1.00 (3)"],
      ["1", "–", "·· 0.00 (1)", "·· 0.00 (1)"],
      ["mean", "██ 1.00 (2)", "▒▒ 0.50 (2)", "▓▓ 0.75 (4)"],
    ]);
  });

  it("is rendered for each system and dataset, with a dash where nothing was scored", () => {
    const failed = { outcome: "error", scores: {}, primaryField: null, system: "t" } as const;
    const two = [row(1, 1, at(0, 500)), row(1, 0, at(0, 500), failed)];
    const [s, t] = partsOf(two, ["d", "other"]);
    expect(s).toMatch(/^s: mean score by depth and length of d, 1 task per cell/);
    expect(cellsOf(t).slice(1)).toEqual([
      ["0", "–", "–"],
      ["mean", "–", "–"],
    ]);
  });

  it("is replaced by a hint where there are many systems, unless it is requested", () => {
    const many = ["s", "t", "u", "v", "w"].map((system) => row(1, 1, at(0, 500), { system }));
    expect(partsOf(many)).toEqual([
      "Mean score by depth and length: --columns facets shows a map for each of the 5 systems.",
    ]);
    expect(partsOf(many, ["d"], true)).toHaveLength(5);
    expect(partsOf(many.slice(0, 4))).toHaveLength(4);
  });

  it("leaves the other facets to tables", () => {
    const parts = partsOf(rows.map((one) => ({ ...one, facets: { ...one.facets, paraphrased: one.exampleId === 0 } })));
    expect(parts).toHaveLength(2);
    expect(parts[1]).toMatch(/^Mean score by paraphrased\.\n/);
    expect(partsOf(rows.map((one, id) => row(id, 1, { depth: one.facets?.depth ?? 0 })))[0]).toMatch(/by depth\.\n/);
  });
});

describe("the table of a facet", () => {
  it("has a column for each system, and names with the lowest mean first", () => {
    const rows = ["s", "t"].flatMap((system) => [
      row(1, system === "s" ? 1 : 0, { subject: "law" }, { system }),
      row(2, 0.5, { subject: "law" }, { system }),
      row(3, 0.25, { subject: "art|1" }, { system }),
    ]);
    const [table, ...others] = partsOf(rows);
    expect(others).toEqual([]);
    expect(table).toMatch(/^Mean score by subject\.\n/);
    expect(cellsOf(table)).toEqual([
      ["subject", "n", "s [95 %]", "t [95 %]"],
      ["art\\|1", "1", "0.25", "0.25"],
      ["law", "2", "0.75 [0.01, 0.999]", "0.25 [0.001, 0.99]"],
    ]);
  });

  it("sorts numbers by value, and shows counts that differ between systems", () => {
    const failed = { outcome: "error", scores: {}, primaryField: null, system: "t" } as const;
    const rows = [10, 9, 100].flatMap((year, id) => [
      row(id, id / 4, { year }),
      row(id, id / 4, { year }, year === 9 ? failed : { system: "t" }),
    ]);
    expect(cellsOf(partsOf(rows)[0]).slice(1)).toEqual([
      ["9", "1, 0", "0.25", "–"],
      ["10", "1", "0 [0, 0.793]", "0 [0, 0.793]"],
      ["100", "1", "0.5", "0.5"],
    ]);
  });

  it("shows the thirty lowest of many values, and where the others are", () => {
    const subjects = Array.from({ length: 57 }, (_, id) => row(id, 1 - id / 100, { subject: `subject ${id}` }));
    const [table] = partsOf(subjects);
    expect(table).toContain("by subject: the 30 lowest of 57 values; the JSON report has all.");
    const names = cellsOf(table)
      .slice(1)
      .map(([name]) => name);
    expect(names).toEqual(Array.from({ length: 30 }, (_, i) => `subject ${56 - i}`));
  });

  it("cannot be broken by a value", () => {
    const [table = ""] = partsOf([row(1, 1, { "a\nb": "x\n| y \u001b[2J" })]);
    expect(table).not.toContain("\u001b");
    expect(table.split("\n")).toHaveLength(5);
  });

  it("is left out without facets", () => {
    expect(partsOf([makeRow({ system: "s", exampleId: 1, outcome: "pass" })])).toEqual([]);
  });
});
