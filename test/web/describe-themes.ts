import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findPage } from "./describe-pages.js";
import { expectUsable, findViolations } from "./page-checks.js";
import { waitForPage } from "./pages.js";
import { readColors } from "./read-colors.js";
import type { Site } from "./site.js";
import type { DashboardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

const NAMES = ["overview", "runs", "trends", "summary", "charts", "rows", "trial", "timeline", "compare"] as const;

/** Accessibility: light, dark, forced colors, color blindness and screen readers. */
export function describeThemes(site: Site<DashboardRuns>): void {
  describe("looks", () => {
    it.each(NAMES)("have no serious axe violations on %s, in light and in dark", async (name) => {
      const place = findPage(site, name);
      const page = await site.open(place.hash, { colorScheme: "light" });
      await waitForPage(page, place);
      expect(await findViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await findViolations(page)).toEqual([]);
    });

    it("follow the system's dark mode, unless the reader chooses otherwise, which is kept", async () => {
      const page = await site.open("#/", { colorScheme: "dark" });
      expect(await measureLightness(page)).toBeLessThan(60);
      await page.getByLabel("Theme").selectOption("light");
      await waitFor(() => measureLightness(page)).toBeGreaterThan(200);
      await page.reload();
      await waitFor(() => measureLightness(page)).toBeGreaterThan(200);
      await page.emulateMedia({ colorScheme: "light" });
      await page.getByLabel("Theme").selectOption("dark");
      await page.reload();
      await waitFor(() => measureLightness(page)).toBeLessThan(60);
      await page.getByRole("link", { name: "Trends" }).click();
      await page.locator(".plot svg").first().waitFor();
      await expectUsable(page);
    });

    it("keep their marks in forced colors", async () => {
      const place = findPage(site, "charts");
      const page = await site.open(place.hash, { forcedColors: "active", colorScheme: "dark" });
      await waitForPage(page, place);
      const [ground, ...marks] = await readMarkColors(page);
      expect(marks).toHaveLength(3);
      for (const mark of marks) expect(measureDistance(mark, ground)).toBeGreaterThan(60);
    });

    it("distinguish three systems without red and green", async () => {
      const place = findPage(site, "charts");
      const page = await site.open(place.hash, { colorScheme: "light" });
      await waitForPage(page, place);
      const session = await page.context().newCDPSession(page);
      await session.send("Emulation.setEmulatedVisionDeficiency", { type: "deuteranopia" });
      const [ground, ...marks] = await readMarkColors(page);
      expect(marks).toHaveLength(3);
      for (const [place, mark] of marks.entries())
        for (const other of [ground, ...marks.slice(place + 1)])
          expect(measureDistance(mark, other)).toBeGreaterThan(40);
    });
  });
}

/** Brightness of the page background, up to 255. */
async function measureLightness(page: Page): Promise<number> {
  const colour = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  const parts = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
  return parts.reduce((sum, part) => sum + part, 0) / 3;
}

type Color = readonly number[];

/** Rendered colors of the radar background and of each system's mark. */
async function readMarkColors(page: Page): Promise<Color[]> {
  const plot = page.getByRole("figure", { name: "Speed Radar" }).locator(".plot svg");
  await plot.scrollIntoViewIfNeeded();
  const boxes = await Promise.all((await plot.locator("path.mark").all()).map((mark) => mark.boundingBox()));
  const corner = await plot.boundingBox();
  const middles = boxes.map((box) => ({
    x: (box?.x ?? 0) + (box?.width ?? 0) / 2,
    y: (box?.y ?? 0) + (box?.height ?? 0) * 0.6,
  }));
  return readColors(page, [{ x: (corner?.x ?? 0) + 2, y: (corner?.y ?? 0) + 2 }, ...middles]);
}

function measureDistance(one: Color = [], other: Color = []): number {
  return Math.hypot(...one.map((part, place) => part - (other[place] ?? 0)));
}
