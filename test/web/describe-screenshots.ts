import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { runAssay } from "../../src/testing/run-assay.js";
import { formatTrialHash } from "./pages.js";
import { isScreenshotDue, saveScreenshot } from "./screenshots.js";
import type { Site } from "./site.js";
import type { DashboardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

interface View {
  name: string;
  hash: (runs: DashboardRuns) => string;
  /** Selector to wait for before the screenshot. */
  content: string;
  /** Selector at the top of the screenshot. Default: the top of the page. */
  from?: string;
}

const VIEWS: readonly View[] = [
  { name: "overview", hash: () => "#/?dataset=villages", content: ".part .plot svg" },
  { name: "runs", hash: () => "#/runs", content: "tbody tr" },
  { name: "trends", hash: () => "#/trends?dataset=villages", content: ".plot svg" },
  { name: "charts", hash: ({ large }) => `#/run/${large}/charts`, content: ".plot svg", from: ".charts" },
  { name: "rows", hash: ({ large }) => `#/run/${large}/rows?outcome=fail,error`, content: ".grid-row" },
  {
    name: "trial",
    hash: ({ trials }) => formatTrialHash(trials, { system: "steady", dataset: "villages", example: "q-00003" }),
    content: ".verdict",
  },
  {
    name: "timeline",
    hash: ({ agent }) => formatTrialHash(agent, { system: "claude", dataset: "repairs", example: "q-00001" }),
    content: ".steps .step",
    from: "#timeline",
  },
  {
    name: "compare",
    hash: ({ large }) => `#/compare?a=${large}&b=${large}&systemA=swift&systemB=steady`,
    content: ".forest svg",
  },
];

const REPORT = "report-dark";

/** The screenshots of the documentation. */
export function describeScreenshots(site: Site<DashboardRuns>): void {
  // Registered only if due, so that it does not count as a skipped test.
  const pictures = [...VIEWS.map(({ name }) => name), REPORT].filter(isScreenshotDue);
  if (pictures.length === 0) return;
  describe("pictures", () => {
    for (const view of VIEWS) if (pictures.includes(view.name)) it(view.name, () => takeScreenshot(site, view));

    if (!pictures.includes(REPORT)) return;
    it(REPORT, async () => {
      const { runsDir, runs } = site;
      const { stdout } = await runAssay(runsDir, "report", runs.trials, "--runs-dir", runsDir, "--output", "html");
      const file = join(runsDir, "report.html");
      writeFileSync(file, stdout);
      const page = await site.visit(`${pathToFileURL(file).href}#/run/${runs.trials}/charts`, { colorScheme: "dark" });
      await page.locator(".plot svg").first().waitFor();
      await saveScreenshot(page, REPORT);
    });
  });
}

async function takeScreenshot({ open, runs }: Site<DashboardRuns>, { name, hash, content, from }: View): Promise<void> {
  const page = await open(hash(runs), { viewport: { width: 1280, height: 720 } });
  await page.locator(content).first().waitFor();
  await page.locator("main .loading, main [aria-busy=true]").first().waitFor({ state: "detached" });
  if (name === "timeline") await openEdit(page);
  if (from !== undefined) await scrollTo(page, from);
  await saveScreenshot(page, name);
}

/** Scrolls to an element, as far as the page allows. */
async function scrollTo(page: Page, selector: string): Promise<void> {
  const scroll = `(document.querySelector(${JSON.stringify(selector)}).scrollIntoView(), scrollY)`;
  await waitFor(() => page.evaluate<number>(scroll)).toBeGreaterThan(100);
}

/** Opens the diff of a file. */
async function openEdit(page: Page): Promise<void> {
  await page.locator(".step-call summary", { hasText: "Edit" }).click();
  expect(await page.locator(".step-call .diff-added").first().textContent()).toBe("+return a + b;");
}
