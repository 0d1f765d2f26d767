import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { describeFigures } from "./describe-figures.js";
import { describeZoom } from "./describe-zoom.js";
import { LAPTOP_WIDTHS, saveSheet, THEMES, toSheetPath, WIDTHS } from "./gallery.js";
import { expectFits, expectReadableLabels, expectUsable, findViolations } from "./page-checks.js";
import { formatTrialHash } from "./pages.js";
import { type RealisticRuns, storeRealisticRuns } from "./realistic-runs.js";
import { type ServedDashboard, type Site, serveRuns, useSite } from "./site.js";
import { createSlowSystem, startLiveRun } from "./stored-runs.js";

interface GalleryPage {
  readonly name: string;
  readonly hash: (runs: RealisticRuns) => string;
  /** Selector that is present once the page has its data. */
  readonly content: string;
}

/** The agent run has two trials of each task; this one took many steps. */
const AGENT_TRIAL = { system: "atlas-large [claude]", dataset: "repairs", example: "fix-parser" };

/** A model that answers once, without steps. */
const MODEL_TRIAL = { system: "swift-8b", dataset: "villages", example: "village-004" };

const PAGES: readonly GalleryPage[] = [
  { name: "overview", hash: () => "#/?dataset=villages", content: ".part .plot svg" },
  { name: "overview-agents", hash: () => "#/?dataset=repairs", content: ".part .plot svg" },
  { name: "runs", hash: () => "#/runs", content: "tbody tr" },
  { name: "trends", hash: () => "#/trends?dataset=villages", content: ".plot svg" },
  { name: "run", hash: ({ weekly }) => `#/run/${weekly.at(-1)}`, content: ".summary tbody tr" },
  { name: "run-charts", hash: ({ weekly }) => `#/run/${weekly.at(-1)}/charts`, content: ".plot svg" },
  { name: "run-rows", hash: ({ weekly }) => `#/run/${weekly.at(-1)}/rows`, content: ".grid-row" },
  { name: "run-outputs", hash: ({ weekly }) => `#/run/${weekly.at(-1)}/outputs`, content: ".outputs .excerpt" },
  { name: "experiment-cases", hash: ({ experiment }) => `#/run/${experiment}/cases`, content: "main table" },
  { name: "bad-night", hash: ({ badNight }) => `#/run/${badNight}`, content: ".summary tbody tr" },
  { name: "bad-night-charts", hash: ({ badNight }) => `#/run/${badNight}/charts`, content: ".plot svg" },
  { name: "stopped", hash: ({ stopped }) => `#/run/${stopped}`, content: ".summary tbody tr" },
  { name: "agents", hash: ({ agents }) => `#/run/${agents}`, content: ".summary tbody tr" },
  { name: "agents-charts", hash: ({ agents }) => `#/run/${agents}/charts`, content: ".plot svg" },
  { name: "agent-trial", hash: ({ agents }) => formatTrialHash(agents, AGENT_TRIAL), content: ".steps .step" },
  {
    name: "trial-pair",
    hash: ({ agents }) =>
      `${formatTrialHash(agents, AGENT_TRIAL)}&${new URLSearchParams({ withSystem: "pioneer-reasoner [codex]", withTrial: "1" }).toString()}`,
    content: ".pair-steps tbody tr",
  },
  {
    name: "model-trial",
    hash: ({ weekly }) => formatTrialHash(weekly.at(-1) ?? "", MODEL_TRIAL),
    content: ".verdict",
  },
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
  { name: "not-found", hash: () => "#/nowhere", content: "h1" },
];

/** Where whole pages are put for a closer look. Default: nowhere. */
const FULL_PAGES = process.env.ASSAY_FULL_PAGES;

/** Every page on realistic runs, at three widths and in both themes: usable, accessible, and kept as a picture. */
describe.skipIf(isCommandMissing("chromium"))("pages of realistic runs", () => {
  const site = useSite(storeRealisticRuns);

  describeFigures(site);
  describeZoom(site);

  it.each(PAGES)("$name", async ({ name, hash, content }) => {
    await showPage(site, { name, address: site.url + hash(site.runs), content });
  });

  describe("a server that writes labels", () => {
    let server: ServedDashboard | undefined;
    beforeAll(async () => {
      server = await serveRuns(site.runsDir, "--label", "--labeler", "Ann");
    });
    afterAll(() => server?.stop());

    it("trial-label", async () => {
      const address = `${server?.url}${formatTrialHash(site.runs.weekly.at(-1) ?? "", MODEL_TRIAL)}`;
      await showPage(site, { name: "trial-label", address, content: ".label-form" });
    });

    it("label-queue", async () => {
      const address = `${server?.url}#/run/${site.runs.weekly.at(-1)}/label`;
      await showPage(site, { name: "label-queue", address, content: ".label-buttons" });
    });
  });

  describe("a folder without runs", () => {
    const runsDir = mkdtempSync(join(tmpdir(), "assay-no-runs-"));
    let server: ServedDashboard | undefined;
    beforeAll(async () => {
      server = await serveRuns(runsDir);
    });
    afterAll(async () => {
      await server?.stop();
      rmSync(runsDir, { recursive: true });
    });

    it("no-runs", async () => {
      await showPage(site, { name: "no-runs", address: `${server?.url}#/`, content: "main h1" });
    });
  });

  it.each([
    ["overview", () => "#/?dataset=villages", ".part .table-scroll"],
    ["run", ({ weekly }: RealisticRuns) => `#/run/${weekly.at(-1)}`, ".summary"],
  ] as const)("the answer comes first: %s", async (_name, hash, table) => {
    const page = await site.open(hash(site.runs), { viewport: WIDTHS[0] });
    const [strip, quality, cost] = [".answers", "Quality", "Quality and cost"].map((name) =>
      name.startsWith(".") ? page.locator(name) : page.getByRole("figure", { name, exact: true }),
    );
    await cost?.locator("svg").first().waitFor();
    const find = async (part: Locator | undefined) => (await part?.first().boundingBox()) ?? { x: 0, y: 0, width: 0 };
    const wide = await Promise.all([strip, quality, cost, page.locator(table)].map(find));
    expect(wide.map(({ y }) => y)).toEqual(wide.map(({ y }) => y).toSorted((a, b) => a - b));
    expect(wide[1]?.y).toBe(wide[2]?.y);
    expect((await find(page.locator(".answer").last())).x).toBeGreaterThan((wide[0]?.width ?? 0) * 0.7);
    await page.setViewportSize({ width: 900, height: 900 });
    await expect.poll(async () => (await find(cost)).y > (await find(quality)).y).toBe(true);
  });

  it.each([
    ["overview", () => "#/"],
    ["run", ({ experiment }: RealisticRuns) => `#/run/${experiment}`],
  ] as const)("an experiment begins with what its variants change: %s", async (_name, hash) => {
    const page = await site.open(hash(site.runs));
    const answer = page.getByRole("region", { name: "Lift of each variant; baseline: without" });
    expect(await answer.textContent()).toMatch(/with.*inconclusive.*pass rate \+1 .*over 2 paired test cases/);
    await page.getByText("Note: with: 2 paired test cases are too few to detect any difference.").waitFor();
    expect(await page.getByText("the systems did not run the same examples").count()).toBe(0);
    await answer.getByRole("link", { name: "with", exact: true }).click();
    await page.getByRole("heading", { name: "Pass rate of each test case" }).waitFor();
  });

  it.each(["weekly", "agents", "experiment"] as const)("all parts of a run on paper: %s", async (name) => {
    const { weekly, agents, experiment } = site.runs;
    const id = { weekly: weekly.at(-1), agents, experiment }[name];
    const page = await site.open(`#/run/${id}?print=all`, { viewport: { width: 700, height: 1000 } });
    await page.locator(".print-all[aria-busy=false] .printed-rows").waitFor();
    expect(await findViolations(page)).toEqual([]);
    if (name === "experiment") await page.getByText(/^Columns left out: verdict, /).waitFor();
    await page.emulateMedia({ media: "print" });
    const heads = await page.locator(".print-all h2:visible").allTextContents();
    expect(heads).toEqual(["Summary", ...(name === "experiment" ? ["Test cases"] : []), "Charts", "Outputs", "Rows"]);
    if (name === "weekly") await page.getByText("The first 50 of 60 examples; 10 are left out.").waitFor();
    await expectFits(page);
    const cut = await page.locator(".print-all *").evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility() && !one.closest("svg, .unseen, .summary thead"))
        .filter((one) => one.getBoundingClientRect().right > 701)
        .map((one) => `${one.tagName}.${one.className}: ${one.textContent?.slice(0, 40)}`),
    );
    expect(cut).toEqual([]);
    expect(await page.getByRole("button").filter({ visible: true }).and(page.locator(".tools *")).count()).toBe(0);
    if (FULL_PAGES !== undefined) await page.pdf({ path: join(FULL_PAGES, `print-${name}.pdf`), format: "A4" });
  });

  describe("a run in progress", () => {
    const { system, end } = createSlowSystem();
    let finished: Promise<string> | undefined;
    const COUNT = 40;

    beforeAll(() => {
      finished = startLiveRun(site.runsDir, { system, title: "Nightly, in progress", count: COUNT, maxCostUsd: 1 });
      for (let trial = 0; trial < 25; trial++) end(trial % 7 === 3 ? "broken" : trial % 4 === 1 ? "wrong" : "right");
    });
    afterAll(async () => {
      for (let trial = 0; trial < COUNT; trial++) end("right");
      await finished;
    });

    it("live", async () => {
      const page = await site.open("#/runs");
      const href = await page.getByRole("link", { name: "Nightly, in progress" }).getAttribute("href");
      await showPage(site, { name: "live", address: `${site.url}${href}`, content: ".live" });
    });
  });
});

interface ShownPage {
  readonly name: string;
  readonly address: string;
  readonly content: string;
}

async function showPage(site: Site<RealisticRuns>, place: ShownPage): Promise<void> {
  const rows: Buffer[][] = [];
  const violations: string[] = [];
  for (const theme of THEMES) {
    const page = await site.visit(place.address, { colorScheme: theme, viewport: WIDTHS[0] });
    await waitForContent(page, place.content);
    rows.push(await takePictures(page, `${place.name}-${theme}`));
    await expectUsable(page);
    await expectFitsLaptops(page);
    await openAllParts(page);
    violations.push(...(await findViolations(page)).map((violation) => `${theme}: ${violation}`));
  }
  expect(violations).toEqual([]);
  if (process.env.ASSAY_SCREENSHOTS === "1" || !existsSync(toSheetPath(place.name)))
    await saveSheet(site.browser, place.name, rows);
}

/** What is folded must be accessible as well. */
async function openAllParts(page: Page): Promise<void> {
  // Drop-downs close each other, so each part is opened once; those inside of another one come after it.
  for (const folded of ["main details:not([open]) > summary", "main details details:not([open]) > summary"])
    for (const summary of await page.locator(folded).elementHandles())
      await summary.evaluate<void, { click(): void }>((element) => element.click());
  await waitForNoLoading(page);
}

async function waitForNoLoading(page: Page): Promise<void> {
  await page.locator(".loading, [aria-busy=true]").first().waitFor({ state: "detached" });
}

/** Tables are widest for their window between the widths of the pictures. */
async function expectFitsLaptops(page: Page): Promise<void> {
  for (const width of LAPTOP_WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectFits(page);
  }
}

async function takePictures(page: Page, name: string): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  for (const size of WIDTHS) {
    await page.setViewportSize(size);
    await expectFits(page);
    await expectReadableLabels(page);
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
  await waitForNoLoading(page);
  await page.getByText("have arrived").waitFor({ state: "detached" });
}
