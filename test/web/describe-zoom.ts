import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectUsable } from "./page-checks.js";
import type { RealisticRuns } from "./realistic-runs.js";
import type { Site } from "./site.js";
import { waitFor } from "./wait-for.js";

const SYSTEMS = 10;

/** Charts can be zoomed by dragging, with buttons and with keys. */
export function describeZoom(site: Site<RealisticRuns>): void {
  describe("zoom", () => {
    it("shows what the pointer dragged over, on both scales, until it is reset", async () => {
      const { page, chart } = await openChart(site, "Quality and cost");
      await dragAround(page, findMark(chart, /^cedar-70b \[pi\]/));
      await waitFor(() => countMarks(chart)).toBe(1);
      await chart.getByRole("button", { name: "Linear" }).click();
      await waitFor(() => countMarks(chart)).toBe(1);
      await expectUsable(page);
      await chart.getByRole("button", { name: "Reset zoom" }).click();
      await waitFor(() => countMarks(chart)).toBe(SYSTEMS);
      expect(await chart.getByRole("button", { name: "Reset zoom" }).count()).toBe(0);
      expect(page.url()).toContain("/charts");
    });

    it("keeps the focused point in view when it is zoomed by keyboard", async () => {
      const { page, chart } = await openChart(site, "Cost–Speed Frontier");
      await findMark(chart, /^meadow-flash/).focus();
      for (let step = 0; step < 4; step++) await page.keyboard.press("+");
      await waitFor(() => countMarks(chart)).toBe(1);
      expect(await chart.locator("[data-mark]:focus").getAttribute("aria-label")).toMatch(/^meadow-flash/);
      await page.keyboard.press("0");
      await waitFor(() => countMarks(chart)).toBe(SYSTEMS);
    });

    it("goes in and out with buttons, which keep the focus", async () => {
      const { chart } = await openChart(site, "Cost–Speed Frontier");
      await chart.getByRole("button", { name: "Zoom in: Cost–Speed Frontier" }).press("Enter");
      await chart.getByRole("button", { name: "Reset zoom" }).waitFor();
      expect(await countMarks(chart)).toBeGreaterThan(0);
      await chart.getByRole("button", { name: "Zoom out: Cost–Speed Frontier" }).press("Enter");
      await waitFor(() => countMarks(chart)).toBe(SYSTEMS);
      await waitFor(() => chart.locator("button:focus").getAttribute("aria-label")).toMatch(/^Zoom in/);
    });

    it("selects a span of time in trends", async () => {
      const page = await site.open("#/trends?dataset=villages");
      const chart = page.getByRole("figure", { name: "Success rate", exact: true });
      const first = chart.locator("[data-mark]").first();
      await first.waitFor({ state: "attached" });
      const all = await countMarks(chart);
      await dragAround(page, first);
      await chart.getByRole("button", { name: "Reset zoom" }).waitFor();
      expect(await countMarks(chart)).toBeLessThan(all);
      expect(await countMarks(chart)).toBeGreaterThan(0);
      await expectUsable(page);
    });
  });
}

async function openChart(site: Site<RealisticRuns>, title: string): Promise<{ page: Page; chart: Locator }> {
  const page = await site.open(`#/run/${site.runs.agents}/charts`);
  const chart = page.getByRole("figure", { name: title, exact: true });
  await waitFor(() => countMarks(chart)).toBe(SYSTEMS);
  return { page, chart };
}

function findMark(chart: Locator, name: RegExp): Locator {
  return chart.getByRole("button", { name }).and(chart.locator("[data-mark]")).first();
}

function countMarks(chart: Locator): Promise<number> {
  return chart.locator("[data-mark]").count();
}

async function dragAround(page: Page, mark: Locator): Promise<void> {
  await mark.scrollIntoViewIfNeeded();
  const ring = await mark.locator("circle").boundingBox();
  if (ring === null) throw new Error("The mark is not on the page.");
  await page.mouse.move(ring.x - 15, ring.y - 15);
  await page.mouse.down();
  await page.mouse.move(ring.x + ring.width + 15, ring.y + ring.height + 15, { steps: 4 });
  await page.mouse.up();
}
