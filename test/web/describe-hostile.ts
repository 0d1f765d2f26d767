import { describe, expect, it } from "vitest";
import { expectHarmless } from "./in-page.js";
import { trialHash } from "./places.js";
import type { Site } from "./site.js";
import { soon } from "./soon.js";
import { ECHO, type HardRuns, HOSTILE, hostileIds, LONG_LENGTH } from "./stored-runs.js";

/** A click is answered within this time, whatever the page is doing. */
const ANSWERED_MS = 2000;

/** Model output is shown as text and has no effect. */
export function describeHostile(site: Site<HardRuns>): void {
  const trialOf = (place: number) =>
    trialHash(site.runs.hostile, { system: ECHO, dataset: "hostile", example: hostileIds()[place] ?? "" });

  describe("model output", () => {
    it("is shown as text, even if it contains markup", async () => {
      const page = await site.open(trialOf(0));
      const response = page.getByRole("group", { name: "response", exact: true });
      for (const [place, text] of HOSTILE.entries()) {
        await page.goto(`${site.url}${trialOf(place)}`);
        await soon(() => response.textContent()).toMatch(visible(text));
        await expectHarmless(page);
      }
    });

    it("is shown as text in lists, names, titles and charts", async () => {
      const { hostile } = site.runs;
      const page = await site.open("#/");
      for (const hash of ["#/", "#/runs", "#/trends", `#/run/${hostile}`, `#/run/${hostile}/charts`]) {
        await page.goto(`${site.url}${hash}`);
        await page.getByText("<b onmouseover=").or(page.getByText("Hostile <script>")).first().waitFor();
        await expectHarmless(page);
      }
      await page.goto(`${site.url}#/run/${hostile}/rows`);
      await page.getByRole("link", { name: "0 <script>window.pwned = 1</script>" }).waitFor();
      await page.getByRole("link", { name: "gnp.exe" }).hover();
      await expectHarmless(page);
    });

    it("opens in full at five megabytes, while the page stays responsive", async () => {
      const page = await site.open(trialOf(HOSTILE.length));
      const shown = page.getByRole("group", { name: "response", exact: true });
      await page.getByRole("button", { name: /^Show all 5,000,010 characters of response/ }).click();
      const before = performance.now();
      await page.getByLabel("Colours").selectOption("dark");
      await soon(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
      expect(performance.now() - before).toBeLessThan(ANSWERED_MS);
      await soon(async () => (await shown.textContent())?.length).toBe(LONG_LENGTH);
      expect((await shown.textContent())?.endsWith("0123456789 end")).toBe(true);
      await expectHarmless(page);
    });
  });
}

/** Characters that affect a terminal or the text direction. */
const ACTIVE = "\\u0007\\u001b\\u202a-\\u202e\\u2066-\\u2069";

/** The text as shown: active characters are replaced by a visible mark. */
function visible(text: string): RegExp {
  const parts = text.split(new RegExp(`[${ACTIVE}]`));
  return new RegExp(`^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join(`[^\\s${ACTIVE}]+`)}$`);
}
