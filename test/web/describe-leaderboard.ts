import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { formatDollars, formatSeconds, formatShare } from "../../src/report/format.js";
import { paretoFronts } from "../../src/stats/pareto.js";
import { parseReport, runAssay } from "../../src/testing/run-assay.js";
import { expectInOrder, type Sorted } from "./in-order.js";
import type { Site } from "./site.js";
import type { DashboardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

type Figures = Readonly<Record<string, number | null>>;

interface Card {
  title: string;
  createdAt: string;
  status: string;
  done: number;
  costUsd: number | null;
  wallSeconds: number | null;
  datasets: { name: string }[];
  systems: { system: string; figures: Figures }[];
}

/** The server's sort keys of the leaderboard. */
const FIGURE_KEYS: Readonly<Record<string, string>> = {
  "Mean score": "mean_score",
  "Pass rate": "pass_rate",
  "Per pass, $": "cost_per_pass_usd",
  "To success, s": "median_time_to_success_ms",
  Efficiency: "speed_efficiency_score",
  "pass^k": "pass_hat",
  Coverage: "coverage",
};

/** Sort values of the list of runs. */
const RUN_VALUES: Readonly<Record<string, (card: Card) => Sorted>> = {
  Run: ({ title }) => title,
  Status: ({ status }) => status,
  When: ({ createdAt }) => Date.parse(createdAt),
  Command: () => "program",
  Datasets: ({ datasets }) => datasets.map(({ name }) => name).join(", "),
  Systems: ({ systems }) => systems.map(({ system }) => system).join(", "),
  Done: ({ done }) => done,
  Time: ({ wallSeconds }) => wallSeconds,
  Cost: ({ costUsd }) => costUsd,
};

/** Figures match the report; every column sorts; every filter works. */
export function describeLeaderboard(site: Site<DashboardRuns>): void {
  describe("leaderboard", () => {
    it("shows the figures of the report", async () => {
      const { summary } = await readReport(site);
      const page = await site.open("#/?dataset=towns");
      for (const [system, figures] of Object.entries(summary))
        expect(await readCells(page, system), system).toMatchObject(formatExpectedCells(figures));
    });

    it("ranks systems by quality and cost like the report", async () => {
      const page = await site.open("#/?dataset=towns");
      const { systems = [] } = (await fetchCards(site)).find(({ title }) => title.startsWith("Three systems")) ?? {};
      const fronts = paretoFronts(
        systems.map(({ figures }) => ({ quality: figures.mean_score ?? 0, cost: figures.cost_per_pass_usd ?? 0 })),
      );
      for (const [place, { system }] of systems.entries())
        expect((await readCells(page, system)).pareto, system).toBe(String(fronts[place]));
    });

    it("sorts by every column in both directions", async () => {
      const page = await site.open("#/?dataset=towns");
      const cards = (await fetchCards(site)).find(({ title }) => title.startsWith("Three systems"))?.systems ?? [];
      for (const title of await readHeads(findBoard(page)))
        for (const shown of await sortTwice(findBoard(page), title, "th[scope=row] a")) {
          const figure = FIGURE_KEYS[title];
          if (figure === undefined) expect(shown.names).toHaveLength(3);
          else expectInOrder(listValues(shown.names, cards, figure), shown.isDescending, title);
        }
    });

    it("sorts the list of runs by every column in both directions", async () => {
      const page = await site.open("#/runs");
      const cards = await fetchCards(site);
      const table = page.getByRole("group", { name: "Runs" });
      for (const title of await readHeads(table))
        for (const { names, isDescending } of await sortTwice(table, title, "th[scope=row] a")) {
          const value = RUN_VALUES[title];
          const shown = names.map((name) => cards.find((card) => card.title === name));
          expect(shown).toHaveLength(cards.length);
          if (value !== undefined)
            expectInOrder(
              shown.map((card) => (card === undefined ? null : value(card))),
              isDescending,
              title,
            );
        }
    });

    it("filters by dataset, tag, harness and time", async () => {
      const page = await site.open("#/");
      await waitFor(() => readBoardTitles(page)).toEqual(["repairs", "villages", "towns"]);
      await page.getByRole("combobox", { name: "Dataset" }).selectOption("villages");
      await waitFor(() => readBoardTitles(page)).toEqual(["villages"]);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByRole("combobox", { name: "Harness" }).selectOption("claude");
      await waitFor(() => readBoardTitles(page)).toEqual(["repairs"]);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByRole("textbox", { name: "From" }).fill("2026-10-03");
      await page.getByRole("textbox", { name: "To", exact: true }).fill("2026-10-05");
      await waitFor(() => page.locator("table time").first().textContent()).toMatch(/5 Oct 2026/);
      expect(await readBoardTitles(page)).toEqual(["villages"]);
    });

    it("counts only the rows of a tag", async () => {
      const { summary } = await readReport(site);
      const page = await site.open("#/?dataset=towns");
      await page.getByRole("combobox", { name: "Tag" }).selectOption("depth=0.5");
      const expected = Number(summary.swift?.["facet:depth=0.5"]).toFixed(4);
      await waitFor(async () => (await readCells(page, "swift")).quality).toContain(`${expected} [`);
    });

    it("opens the comparison of two systems", async () => {
      const page = await site.open("#/?dataset=towns");
      await page.getByRole("checkbox", { name: "Compare swift" }).check();
      await page.getByRole("checkbox", { name: "Compare steady" }).check();
      await page.getByRole("link", { name: "Compare the two" }).click();
      await page.getByRole("heading", { name: "A swift → B steady" }).waitFor();
      await page.locator(".flips").first().waitFor();
    });
  });
}

async function readReport({ runsDir, runs }: Site<DashboardRuns>) {
  return parseReport(await runAssay(runsDir, "report", runs.large, "--runs-dir", runsDir, "--output", "json"));
}

/** By the key of the column. Here the mean score equals the pass rate, so that both are one column. */
function formatExpectedCells(summary: Readonly<Record<string, unknown>>): Record<string, string> {
  const { efficiency, ...rest } = summary as { efficiency: Figures } & Figures;
  const figure = (key: string) => rest[key] ?? 0;
  const interval = (key: string, format: (value: number) => string) =>
    `${format(figure(key))} [${format(figure(`${key}_ci_low`))}, ${format(figure(`${key}_ci_high`))}]`;
  return {
    quality: interval("mean_score", (value) => value.toFixed(4)),
    cost_per_pass: interval("cost_per_pass_usd", formatDollars),
    time_to_success: formatSeconds((efficiency.median_time_to_success_ms ?? 0) / 1000),
    speed: (efficiency.speed_efficiency_score ?? 0).toFixed(2),
    pass_hat: "–",
    coverage: formatShare(figure("coverage")),
  };
}

function findBoard(page: Page): Locator {
  return page.getByRole("group", { name: /^Systems on/ });
}

/** The figures of a system by column; where a cell is rounded, the full text. */
async function readCells(page: Page, system: string): Promise<Record<string, string>> {
  const row = findBoard(page)
    .locator("tbody tr")
    .filter({ has: page.getByRole("link", { name: system, exact: true }) });
  await row.waitFor();
  const cells = await row.locator("td.number").all();
  const entries = cells.map(async (cell) => {
    const inFull = cell.locator("> [title]");
    const text = (await inFull.count()) > 0 ? await inFull.getAttribute("title") : await cell.textContent();
    return [(await cell.getAttribute("data-key")) ?? "", text || ((await cell.textContent()) ?? "")];
  });
  return Object.fromEntries((await Promise.all(entries)) as [string, string][]);
}

async function readBoardTitles(page: Page): Promise<string[]> {
  return page.locator("section.part > h2").allTextContents();
}

async function readHeads(table: Locator): Promise<string[]> {
  await table.locator("tbody tr").first().waitFor();
  const heads = await table.locator("thead button").allTextContents();
  return heads.map((text) => text.replace(/[▾▴]/, ""));
}

interface SortedView {
  names: string[];
  isDescending: boolean;
}

/** Row names after a first and a second click on a column head. */
async function sortTwice(table: Locator, title: string, name: string): Promise<SortedView[]> {
  const shown: SortedView[] = [];
  for (const _ of ["once", "twice"]) {
    const before = await readSort(table);
    await table.getByRole("button", { name: title, exact: true }).click();
    await waitFor(() => readSort(table)).not.toBe(before);
    const names = await table.locator(name).allTextContents();
    shown.push({ names, isDescending: (await readSort(table)).endsWith("descending") });
  }
  expect(new Set(shown.map(({ isDescending }) => isDescending)).size, title).toBe(2);
  return shown;
}

async function readSort(table: Locator): Promise<string> {
  const head = table.locator("th[aria-sort]");
  return `${await head.textContent()} ${await head.getAttribute("aria-sort")}`;
}

async function fetchCards({ url }: Site<DashboardRuns>): Promise<Card[]> {
  const { runs } = (await (await fetch(`${url}api/runs`)).json()) as { runs: Card[] };
  return runs;
}

function listValues(names: readonly string[], cards: Card["systems"], figure: string): Sorted[] {
  return names.map((name) => cards.find(({ system }) => system === name)?.figures[figure] ?? null);
}
