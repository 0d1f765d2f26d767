import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { describeFigures } from "./describe-figures.js";
import { saveSheet, THEMES, toSheetPath, WIDTHS } from "./gallery.js";
import { expectFits, expectUsable, findViolations } from "./page-checks.js";
import { formatTrialHash } from "./pages.js";
import { type RealisticRuns, storeRealisticRuns } from "./realistic-runs.js";
import { type Site, useSite } from "./site.js";
import { createSlowSystem, startLiveRun } from "./stored-runs.js";

interface GalleryPage {
  readonly name: string;
  readonly hash: (runs: RealisticRuns) => string;
  /** Selector that is present once the page has its data. */
  readonly content: string;
}

/** The agent run has two trials of each task; this one took many steps. */
const AGENT_TRIAL = { system: "atlas-large [claude]", dataset: "repairs", example: "fix-parser" };

const PAGES: readonly GalleryPage[] = [
  { name: "overview", hash: () => "#/?dataset=villages", content: ".part .plot svg" },
  { name: "overview-agents", hash: () => "#/?dataset=repairs", content: ".part .plot svg" },
  { name: "runs", hash: () => "#/runs", content: "tbody:not(.gap) tr" },
  { name: "trends", hash: () => "#/trends?dataset=villages", content: ".plot svg" },
  { name: "run", hash: ({ weekly }) => `#/run/${weekly.at(-1)}`, content: ".summary tbody tr" },
  { name: "run-charts", hash: ({ weekly }) => `#/run/${weekly.at(-1)}/charts`, content: ".plot svg" },
  { name: "run-rows", hash: ({ weekly }) => `#/run/${weekly.at(-1)}/rows`, content: ".grid-row" },
  { name: "run-outputs", hash: ({ weekly }) => `#/run/${weekly.at(-1)}/outputs`, content: ".outputs .excerpt" },
  { name: "experiment-cases", hash: ({ experiment }) => `#/run/${experiment}/cases`, content: "main table" },
  { name: "bad-night", hash: ({ badNight }) => `#/run/${badNight}`, content: ".summary tbody tr" },
  { name: "bad-night-charts", hash: ({ badNight }) => `#/run/${badNight}/charts`, content: ".plot svg" },
  { name: "agents", hash: ({ agents }) => `#/run/${agents}`, content: ".summary tbody tr" },
  { name: "agents-charts", hash: ({ agents }) => `#/run/${agents}/charts`, content: ".plot svg" },
  { name: "agent-trial", hash: ({ agents }) => formatTrialHash(agents, AGENT_TRIAL), content: ".steps .step" },
  { name: "experiment", hash: ({ experiment }) => `#/run/${experiment}`, content: ".summary tbody tr" },
  { name: "large-rows", hash: ({ large }) => `#/run/${large}/rows?outcome=fail,error`, content: ".grid-row" },
  {
    name: "compare",
    hash: ({ weekly }) => `#/compare?a=${weekly[0]}&b=${weekly.at(-1)}`,
    content: ".compare-verdict",
  },
  {
    name: "compare-many",
    hash: ({ weekly: [a, b, ...also] }) =>
      `#/compare?a=${a}&b=${b}&also=${encodeURIComponent(JSON.stringify(also.slice(0, 2).map((id) => [id])))}`,
    content: ".compare-verdicts",
  },
  {
    name: "run-flipped",
    hash: ({ weekly }) => `#/run/${weekly.at(-1)}/outputs?show=flipped`,
    content: ".outputs .flip",
  },
  { name: "label-queue", hash: ({ weekly }) => `#/run/${weekly.at(-1)}/label`, content: "main h1" },
  { name: "not-found", hash: () => "#/nowhere", content: "h1" },
];

/** Where whole pages are put for a closer look. Default: nowhere. */
const FULL_PAGES = process.env.ASSAY_FULL_PAGES;

/** Every page on realistic runs, at three widths and in both themes: usable, accessible, and kept as a picture. */
describe.skipIf(isCommandMissing("chromium"))("pages of realistic runs", () => {
  const site = useSite(storeRealisticRuns);

  describeFigures(site);

  it.each(PAGES)("$name", async ({ name, hash, content }) => {
    await showPage(site, { name, hash: hash(site.runs), content });
  });

  describe("a run in progress", () => {
    const { system, end } = createSlowSystem();
    let finished: Promise<string> | undefined;
    const COUNT = 40;

    beforeAll(() => {
      finished = startLiveRun(site.runsDir, { system, title: "Nightly, in progress", count: COUNT });
      for (let trial = 0; trial < 25; trial++) end(trial % 7 === 3 ? "broken" : trial % 4 === 1 ? "wrong" : "right");
    });
    afterAll(async () => {
      for (let trial = 0; trial < COUNT; trial++) end("right");
      await finished;
    });

    it("live", async () => {
      const page = await site.open("#/runs");
      const href = await page.getByRole("link", { name: "Nightly, in progress" }).getAttribute("href");
      await showPage(site, { name: "live", hash: href ?? "", content: ".live" });
    });
  });
});

interface ShownPage {
  readonly name: string;
  readonly hash: string;
  readonly content: string;
}

async function showPage(site: Site<RealisticRuns>, place: ShownPage): Promise<void> {
  const rows: Buffer[][] = [];
  const violations: string[] = [];
  for (const theme of THEMES) {
    const page = await site.open(place.hash, { colorScheme: theme, viewport: WIDTHS[0] });
    await waitForContent(page, place.content);
    rows.push(await takePictures(page, `${place.name}-${theme}`));
    await expectUsable(page);
    violations.push(...(await findViolations(page)).map((violation) => `${theme}: ${violation}`));
  }
  expect(violations).toEqual([]);
  if (process.env.ASSAY_SCREENSHOTS === "1" || !existsSync(toSheetPath(place.name)))
    await saveSheet(site.browser, place.name, rows);
}

async function takePictures(page: Page, name: string): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  for (const size of WIDTHS) {
    await page.setViewportSize(size);
    await expectFits(page);
    pictures.push(await page.screenshot());
    if (FULL_PAGES !== undefined) await saveFullPage(page, `${name}-${size.width}`);
  }
  return pictures;
}

async function saveFullPage(page: Page, name: string): Promise<void> {
  mkdirSync(FULL_PAGES ?? "", { recursive: true });
  writeFileSync(join(FULL_PAGES ?? "", `${name}.png`), await page.screenshot({ fullPage: true }));
}

async function waitForContent(page: Page, content: string): Promise<void> {
  await page.locator(content).first().waitFor();
  await page.locator(".loading, [aria-busy=true]").first().waitFor({ state: "detached" });
  await page.getByText("have arrived").waitFor({ state: "detached" });
}
