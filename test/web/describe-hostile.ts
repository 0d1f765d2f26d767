import { describe, expect, it } from "vitest";
import { expectHarmless } from "./page-checks.js";
import { formatTrialHash } from "./pages.js";
import type { Site } from "./site.js";
import { ECHO, type HardRuns, HOSTILE, LONG_LENGTH, listHostileIds } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

/** A click is answered within this time, whatever the page is doing. */
const MAX_RESPONSE_MS = 2000;

/** Model output is shown as text and has no effect. */
export function describeHostile(site: Site<HardRuns>): void {
  const trialOf = (place: number) =>
    formatTrialHash(site.runs.hostile, { system: ECHO, dataset: "hostile", example: listHostileIds()[place] ?? "" });

  describe("model output", () => {
    it("is shown as text, even if it contains markup", async () => {
      const page = await site.open(trialOf(0));
      const response = page.getByRole("group", { name: "response", exact: true });
      for (const [place, text] of HOSTILE.entries()) {
        await page.goto(`${site.url}${trialOf(place)}`);
        await waitFor(() => response.textContent()).toMatch(toVisiblePattern(text));
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
      await page.getByLabel("Theme").selectOption("dark");
      await waitFor(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
      expect(performance.now() - before).toBeLessThan(MAX_RESPONSE_MS);
      await waitFor(async () => (await shown.textContent())?.length).toBe(LONG_LENGTH);
      expect((await shown.textContent())?.endsWith("0123456789 end")).toBe(true);
      await expectHarmless(page);
    });
  });
}

/** Characters that affect a terminal or the text direction. */
const ACTIVE_CHARACTERS = "\\u0007\\u001b\\u202a-\\u202e\\u2066-\\u2069";

/** The text as shown: active characters are replaced by a visible mark. */
function toVisiblePattern(text: string): RegExp {
  const parts = text.split(new RegExp(`[${ACTIVE_CHARACTERS}]`));
  return new RegExp(
    `^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join(`[^\\s${ACTIVE_CHARACTERS}]+`)}$`,
  );
}
