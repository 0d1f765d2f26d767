import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import type { QueueState } from "../../src/queue/contract.js";
import { createSampleQueue, createSampleWorker, writeQueueFile } from "../../src/report/dashboard/queue-testing.js";
import { expectFits, expectHarmless, expectUsable, findViolations } from "./page-checks.js";
import { saveScreenshot } from "./screenshots.js";
import type { Site } from "./site.js";
import { createSlowSystem, type HardRuns, HOSTILE, startLiveRun } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

const TITLE = "A run over a queue";
const ALPHA = createSampleWorker({ host: "alpha", pid: 4121, done: 300, perSecond: 41.2 });
const BETA = createSampleWorker({ host: "beta", pid: 88, done: 100, waiting: "a place at https://api.example" });
const GAMMA = createSampleWorker({
  host: "gamma",
  pid: 9,
  done: 0,
  active: 0,
  perSecond: 0,
  refuses: "its code differs",
});
const BUDGET = {
  maxCostUsd: 2,
  spentUsd: 0.5,
  reservedUsd: 0.25,
  isRefusing: false,
  unknownCosts: 0,
  lostTrials: 3,
  lostUsd: 0.06,
};

type PublishState = (state: object) => void;

/** Publishes about once a second, like a coordinator; otherwise it would count as silent. */
function startPublishing(runDir: string): PublishState {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearInterval(timer);
  onTestFinished(stop);
  return (state) => {
    const now = () => writeQueueFile(runDir, { ...state, at: new Date().toISOString() });
    stop();
    timer = setInterval(now, 1000);
    now();
  };
}

/** A live run whose queue state is published by the test. */
interface QueuedRun {
  page: Page;
  workers: Locator;
  tell: PublishState;
  /** Ends its only trial, and with it the run. */
  finish(): Promise<void>;
}

/** The workers of a run, from the first to their final counts, without a reload. */
export function describeWorkers(site: Site<HardRuns>): void {
  /** Opens the run from the list of runs, which shows the number of workers. */
  async function openRun(first: QueueState): Promise<QueuedRun> {
    const { system, end } = createSlowSystem();
    const page = await site.open("#/runs");
    await page.getByText(/^1–\d+ of \d+ runs$/).waitFor();
    await page.evaluate("window.sameAsBefore = true");
    const finished = startLiveRun(site.runsDir, { system, title: TITLE, count: 1 });
    const link = page.getByRole("link", { name: TITLE });
    const id = ((await link.getAttribute("href")) ?? "").replace("#/run/", "");
    const tell = startPublishing(join(site.runsDir, id));
    tell(first);
    await page.getByRole("row", { name: TITLE }).getByText("2 workers").waitFor();
    await link.click();
    const workers = page.getByRole("region", { name: "Workers", exact: true });
    const finish = async () => {
      end("right");
      await finished;
    };
    return { page, workers, tell, finish };
  }

  describe("workers of a run", () => {
    it("are shown as they join, work, refuse and leave, and with their final counts", async () => {
      const notes = ["the worker delta:12 was lost with 3 running trials, which others take over"];
      const first = createSampleQueue({ workers: [ALPHA, BETA, GAMMA], budget: BUDGET, notes });
      const { page, workers, tell, finish } = await openRun(first);
      await expectWorkers(workers);
      await expectBudget(workers);
      expect(await findViolations(page)).toEqual([]);
      await saveScreenshot(page, "workers", workers);
      await expectSorting(page, workers);

      tell(createSampleQueue({ workers: [{ ...ALPHA, done: 550 }], waiting: 7 }));
      await waitFor(() => workers.getByRole("rowheader").allTextContents()).toEqual(["alpha pid 4121"]);
      await waitFor(() => workers.textContent()).toContain("1 worker takes part.");
      expect(await readWorkerRow(workers, "alpha")).toContain("550");

      tell({ ...createSampleQueue(), schema: "assay.queue-state/9" });
      await waitFor(() => workers.textContent()).toMatch(/queue\.json cannot be used.*assay\.queue-state\/9/);
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.getByRole("region", { name: "Live progress" }).waitFor();

      tell(createSampleQueue({ workers: [] }));
      await waitFor(() => workers.getByRole("code").textContent()).toBe("assay worker --queue redis://127.0.0.1:6379");

      tell(createSampleQueue({ workers: [ALPHA, BETA], isRunning: false, waiting: 0, active: 0 }));
      await finish();
      await page.locator(".live").waitFor({ state: "detached" });
      await waitFor(() => workers.textContent()).toContain("When the coordinator stopped, 2 workers had delivered 400");
      await workers.getByText("Work by worker").click();
      await waitFor(() => readWorkerRow(workers, "alpha")).toContain("75 %");
      expect(await page.evaluate("window.sameAsBefore")).toBe(true);
      await page.reload();
      await workers.getByText("Work by worker").waitFor();
    });

    it("are accessible, and shown as text whatever their name", async () => {
      const hostile = HOSTILE.map((text, pid) => createSampleWorker({ host: text, pid, waiting: text, done: pid }));
      const refusing = createSampleWorker({ host: "gamma", refuses: HOSTILE.join("\n") });
      const state = createSampleQueue({
        workers: [...hostile, refusing],
        budget: BUDGET,
        notes: HOSTILE,
        url: HOSTILE[0],
      });
      const id = site.runs.hostile;
      writeQueueFile(join(site.runsDir, id), { ...state, isRunning: false });
      const page = await site.open(`#/run/${id}`, { colorScheme: "light" });
      await page.getByText("Work by worker").click();
      await waitFor(() => page.getByRole("rowheader", { name: /onload=/ }).count()).toBeGreaterThan(0);
      await expectHarmless(page);
      await expectUsable(page);
      expect(await findViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await findViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 400, height: 800 });
      await expectFits(page);
    });
  });
}

async function expectWorkers(workers: Locator): Promise<void> {
  await waitFor(() => workers.getByRole("rowheader").allTextContents()).toEqual([
    "gamma pid 9",
    "alpha pid 4121",
    "beta pid 88",
  ]);
  expect(await readWorkerRow(workers, "gamma")).toContain("Refuses: its code differs");
  expect(await readWorkerRow(workers, "alpha")).toMatch(/300.*75 %.*41\.2/);
  expect(await readWorkerRow(workers, "beta")).toContain("a place at https://api.example");
  expect(await workers.getByLabel("Share of beta, process 88").getAttribute("value")).toBe("100");
  expect(await workers.textContent()).toContain("2 workers take part, 1 refuses.");
}

async function expectBudget(workers: Locator): Promise<void> {
  const text = await workers.textContent();
  expect(text).toContain("$0.5000 of $2.00 (25 %)");
  expect(text).toContain("3 trials were lost with the worker that ran them.");
  expect(text).toContain("delta:12 was lost");
}

/** By keyboard; kept in the address. */
async function expectSorting(page: Page, workers: Locator): Promise<void> {
  await workers.getByRole("button", { name: "Done" }).press("Enter");
  await waitFor(() => workers.getByRole("rowheader").first().textContent()).toBe("alpha pid 4121");
  expect(await workers.getByRole("columnheader", { name: "Done" }).getAttribute("aria-sort")).toBe("descending");
  expect(page.url()).toContain("workers=-done");
}

function readWorkerRow(workers: Locator, host: string): Promise<string | null> {
  return workers.getByRole("row", { name: new RegExp(`^${host} `) }).textContent();
}
