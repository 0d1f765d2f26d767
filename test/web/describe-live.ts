import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { saveScreenshot } from "./screenshots.js";
import type { Site } from "./site.js";
import { createSlowSystem, type HardRuns, startLiveRun } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

const TITLE = "A live run";
const TRIALS = 8;

/** A real run, from its first trial to its end without a reload. */
export function describeLive(site: Site<HardRuns>): void {
  describe("live run", () => {
    it("is updated while it runs, and ends on its final figures", async () => {
      const page = await site.open("#/runs");
      await page.getByText(/^1–\d+ of \d+ runs$/).waitFor();
      await page.evaluate("window.sameAsBefore = true");
      const { system, end } = createSlowSystem();
      const finished = startLiveRun(site.runsDir, { system, title: TITLE, count: TRIALS, maxCostUsd: 1 });
      end("right");
      await page.getByRole("link", { name: TITLE }).click();
      await expectProgress(page, { done: 1, spent: "$0.0100" });
      await page.getByText("None so far.").waitFor();
      end("wrong");
      end("broken");
      await expectProgress(page, { done: 3, spent: "$0.0200" });
      await expectFailures(page);
      await expectSameHead(page);
      await saveScreenshot(page, "run-live");
      for (let trial = 3; trial < TRIALS; trial++) end("right");
      await finished;
      await page.locator(".live").waitFor({ state: "detached" });
      await waitFor(() => readFact(page, "Trials")).toBe("8 of 8");
      await waitFor(() => readFact(page, "Cost")).toBe("$0.0700 of $1.00 budget");
      await waitFor(() => page.locator(".summary tbody tr").first().textContent()).toMatch(/0\.857/);
      expect(await page.evaluate("window.sameAsBefore")).toBe(true);
    });
  });
}

async function expectProgress(page: Page, { done, spent }: { done: number; spent: string }): Promise<void> {
  const live = page.getByRole("region", { name: "Live progress" });
  await waitFor(() => live.textContent()).toContain(`${done} of ${TRIALS}`);
  await waitFor(() => live.textContent()).toContain(spent);
  expect(await live.getByLabel("Finished trials").getAttribute("value")).toBe(String(done));
}

/** The head of the page and the panel come from one state, and both name the budget. */
async function expectSameHead(page: Page): Promise<void> {
  const panel = page.getByRole("region", { name: "Live progress" });
  const spent = panel.locator("dl div").filter({ hasText: "Spent" }).locator("dd");
  expect(await spent.textContent()).toBe("$0.0200 of $1.00 budget");
  await waitFor(() => readFact(page, "Cost")).toBe("$0.0200 of $1.00 budget");
  await waitFor(() => readFact(page, "Trials")).toBe(`3 of ${TRIALS}`);
}

async function expectFailures(page: Page): Promise<void> {
  const failures = page.locator(".failures li");
  await waitFor(() => failures.count()).toBe(2);
  expect(await failures.first().textContent()).toContain("the endpoint of slow is overloaded");
}

async function readFact(page: Page, name: string): Promise<string | null> {
  return page
    .locator("dl div")
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator("dd")
    .first()
    .textContent();
}
