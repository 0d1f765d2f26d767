import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { coloursAt } from "./colours-at.js";
import { placeIn } from "./describe-pages.js";
import { expectUsable } from "./in-page.js";
import { settled } from "./places.js";
import type { Site } from "./site.js";
import { soon } from "./soon.js";
import type { ShownRuns } from "./stored-runs.js";
import { seriousViolations } from "./violations.js";

const NAMES = ["overview", "runs", "trends", "summary", "charts", "rows", "trial", "timeline", "compare"] as const;

/** Accessibility: light, dark, forced colors, color blindness and screen readers. */
export function describeLooks(site: Site<ShownRuns>): void {
  describe("looks", () => {
    it.each(NAMES)("have no serious axe violations on %s, in light and in dark", async (name) => {
      const place = placeIn(site, name);
      const page = await site.open(place.hash, { colorScheme: "light" });
      await settled(page, place);
      expect(await seriousViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await seriousViolations(page)).toEqual([]);
    });

    it("follow the system's dark mode, unless the reader chooses otherwise, which is kept", async () => {
      const page = await site.open("#/", { colorScheme: "dark" });
      expect(await lightness(page)).toBeLessThan(60);
      await page.getByLabel("Colours").selectOption("light");
      await soon(() => lightness(page)).toBeGreaterThan(200);
      await page.reload();
      await soon(() => lightness(page)).toBeGreaterThan(200);
      await page.emulateMedia({ colorScheme: "light" });
      await page.getByLabel("Colours").selectOption("dark");
      await page.reload();
      await soon(() => lightness(page)).toBeLessThan(60);
      await page.getByRole("link", { name: "Trends" }).click();
      await page.locator(".plot svg").first().waitFor();
      await expectUsable(page);
    });

    it("keep their marks in forced colors", async () => {
      const place = placeIn(site, "charts");
      const page = await site.open(place.hash, { forcedColors: "active", colorScheme: "dark" });
      await settled(page, place);
      const [ground, ...marks] = await coloursOfMarks(page);
      expect(marks).toHaveLength(3);
      for (const mark of marks) expect(distance(mark, ground)).toBeGreaterThan(60);
    });

    it("distinguish three systems without red and green", async () => {
      const place = placeIn(site, "charts");
      const page = await site.open(place.hash, { colorScheme: "light" });
      await settled(page, place);
      const session = await page.context().newCDPSession(page);
      await session.send("Emulation.setEmulatedVisionDeficiency", { type: "deuteranopia" });
      const [ground, ...marks] = await coloursOfMarks(page);
      expect(marks).toHaveLength(3);
      for (const [place, mark] of marks.entries())
        for (const other of [ground, ...marks.slice(place + 1)]) expect(distance(mark, other)).toBeGreaterThan(40);
    });
  });
}

/** Brightness of the page background, up to 255. */
async function lightness(page: Page): Promise<number> {
  const colour = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  const parts = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
  return parts.reduce((sum, part) => sum + part, 0) / 3;
}

type Colour = readonly number[];

/** Rendered colors of the radar background and of each system's mark. */
async function coloursOfMarks(page: Page): Promise<Colour[]> {
  const plot = page.getByRole("figure", { name: "Speed Radar" }).locator(".plot svg");
  await plot.scrollIntoViewIfNeeded();
  const boxes = await Promise.all((await plot.locator("path.mark").all()).map((mark) => mark.boundingBox()));
  const corner = await plot.boundingBox();
  const middles = boxes.map((box) => ({
    x: (box?.x ?? 0) + (box?.width ?? 0) / 2,
    y: (box?.y ?? 0) + (box?.height ?? 0) * 0.6,
  }));
  return coloursAt(page, [{ x: (corner?.x ?? 0) + 2, y: (corner?.y ?? 0) + 2 }, ...middles]);
}

function distance(one: Colour = [], other: Colour = []): number {
  return Math.hypot(...one.map((part, place) => part - (other[place] ?? 0)));
}
