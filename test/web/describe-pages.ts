import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectFits, expectUsable } from "./page-checks.js";
import { type DashboardPage, listPages, waitForPage } from "./pages.js";
import type { Site } from "./site.js";
import type { DashboardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

const NAMES = ["overview", "runs", "trends", "summary", "charts", "rows", "trial", "timeline", "compare"] as const;

/** Pages by name; the runs exist only when the tests run. */
export function findPage({ runs }: Site<DashboardRuns>, name: string): DashboardPage {
  const place = listPages(runs).find((candidate) => candidate.name === name);
  if (place === undefined) throw new Error(`Unknown page "${name}".`);
  return place;
}

/** Every page renders at its own address, also on a narrow screen. */
export function describePages(site: Site<DashboardRuns>): void {
  describe.each(NAMES)("%s", (name) => {
    it("renders, is the same after a reload, and fits a narrow screen", async () => {
      const place = findPage(site, name);
      const page = await site.open(place.hash);
      await waitForPage(page, place);
      await expectUsable(page);
      const before = await readText(page);
      await page.reload();
      await waitForPage(page, place);
      await waitFor(() => readText(page)).toBe(before);
      expect(page.url()).toContain(place.hash);
      await page.setViewportSize({ width: 390, height: 800 });
      await expectFits(page);
      const pages = page.getByRole("navigation", { name: "Pages" });
      expect(await pages.evaluate((nav) => nav.scrollWidth > nav.clientWidth)).toBe(false);
      await expectUsable(page);
    });
  });
}

function readText(page: Page): Promise<string | null> {
  return page.locator("main").textContent();
}
