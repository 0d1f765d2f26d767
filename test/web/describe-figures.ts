import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { runAssay } from "../../src/testing/run-assay.js";
import { isSameFigure, readFigure } from "./read-figure.js";
import type { RealisticRuns } from "./realistic-runs.js";
import type { Site } from "./site.js";

type Figures = Readonly<Record<string, number | null>>;

interface ShownCell {
  system: string;
  key: string;
  text: string;
  low: string | null;
  high: string | null;
  unit: string;
}

/** Every cell of the tables, the blocks of efficiency and "All figures", as text. Runs in the page. */
const READ_CELLS = String.raw`(() => {
  const cells = [];
  for (const table of document.querySelectorAll("table.summary")) {
    const units = [...table.querySelectorAll("thead tr:last-child th")].map(
      (head) => head.querySelector(".unit")?.textContent.trim() ?? "");
    for (const row of table.querySelectorAll("tbody tr")) {
      const system = row.querySelector("th").textContent.trim();
      for (const [place, cell] of [...row.querySelectorAll("td")].entries()) {
        const [low = null, high = null] = cell.querySelector(".range-text")?.textContent.split("–") ?? [];
        cells.push({ system, key: cell.dataset.key, text: cell.firstElementChild.textContent, low, high, unit: units[place] });
      }
    }
  }
  for (const figure of document.querySelectorAll(".block-card dd[data-key]")) {
    const system = figure.closest(".block-card").querySelector("h3").textContent.trim();
    cells.push({ system, key: figure.dataset.key, text: figure.textContent, low: null, high: null, unit: "" });
  }
  for (const section of document.querySelectorAll(".all-figures")) {
    const system = section.querySelector("h3").textContent.trim();
    for (const figure of section.querySelectorAll("dd[data-key]")) {
      const interval = /\[(.*), (.*)\]/.exec(figure.textContent);
      const text = figure.textContent.replace(/\[.*\]/, "");
      cells.push({ system, key: figure.dataset.key, text, low: interval?.[1] ?? null, high: interval?.[2] ?? null, unit: "" });
    }
  }
  return cells;
})()`;

/** The figures of the page are those of `--output json`, cell by cell. */
export function describeFigures(site: Site<RealisticRuns>): void {
  describe("figures", () => {
    it.each(["first week", "last week", "bad night", "agents", "experiment"] as const)(
      "of the run of the %s equal the JSON report in every cell",
      async (name) => {
        const { weekly, badNight, agents, experiment } = site.runs;
        const runs = { "first week": weekly[0], "last week": weekly.at(-1), "bad night": badNight, agents, experiment };
        const id = runs[name] ?? "";
        const report = await readSummaries(site.runsDir, id);
        const page = await site.open(`#/run/${id}?keys=all`);
        await page.locator(".all-figures").first().waitFor();
        const cells = await page.evaluate<ShownCell[]>(READ_CELLS);
        expect(cells.length).toBeGreaterThan(30 * Object.keys(report).length);
        expect(await page.locator(".block-card").count()).toBeGreaterThan(0);
        expect(cells.flatMap((cell) => findDifference(cell, report[cell.system] ?? {}))).toEqual([]);
        await expectIntervals(page);
      },
    );
  });
}

async function readSummaries(runsDir: string, id: string): Promise<Record<string, Figures>> {
  const { stdout } = await runAssay(runsDir, "report", id, "--runs-dir", runsDir, "--output", "json");
  const { summary } = JSON.parse(stdout) as { summary: Record<string, Record<string, unknown>> };
  return Object.fromEntries(
    Object.entries(summary).map(([system, { efficiency, ...own }]) => [
      system,
      { ...own, ...(typeof efficiency === "object" ? efficiency : {}) } as Figures,
    ]),
  );
}

/** Times in milliseconds are shown in seconds or minutes. */
function readReported(figures: Figures, key: string): number | null {
  const value = figures[key] ?? null;
  return value !== null && /_ms(_ci_(low|high))?$/.test(key) ? value / 1000 : value;
}

function findDifference({ system, key, text, low, high, unit }: ShownCell, figures: Figures): string[] {
  const parts = [
    [key, text],
    [`${key}_ci_low`, low],
    [`${key}_ci_high`, high],
  ] as const;
  return parts.flatMap(([name, shown]) => {
    if (shown === null) return [];
    const expected = figures[`${key}_n`] === 0 ? null : readReported(figures, name);
    const found = readFigure(shown, unit);
    if (found === null || expected === null)
      return (found === null) === (expected === null) ? [] : [`${system} ${name}: ${shown} instead of ${expected}`];
    return isSameFigure(found, expected) ? [] : [`${system} ${name}: ${shown} ${unit} instead of ${expected}`];
  });
}

/** No value is outside of its own interval, and no share beyond 0 and 1. */
async function expectIntervals(page: Page): Promise<void> {
  const cells = await page.evaluate<ShownCell[]>(READ_CELLS);
  const wrong = cells.filter(({ key, text, low, high, unit }) => {
    const [value, from, to] = [text, low ?? "", high ?? ""].map((part) => readFigure(part, unit));
    if (!value || !from || !to) return false;
    const isShare = /^(pass_|mean_score|coverage|error_rate|facet:|dataset:)/.test(key);
    const isInside = from.value - from.rounding <= value.value && value.value <= to.value + to.rounding;
    return !isInside || (isShare && (from.value < 0 || to.value > 1));
  });
  expect(wrong).toEqual([]);
}
