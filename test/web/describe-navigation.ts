import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findViolations, readFocus } from "./page-checks.js";
import type { Site } from "./site.js";
import type { DashboardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

/** More than the tab stops of any page before its content. */
const MAX_TABS = 60;

/** Back and forward, and navigation by keyboard. */
export function describeNavigation(site: Site<DashboardRuns>): void {
  describe("ways", () => {
    it("back and forward restore filters, row and focus", async () => {
      const page = await site.open(`#/run/${site.runs.large}/rows`);
      await page.locator("details.many", { hasText: "Outcome" }).locator("summary").click();
      await page.getByRole("checkbox", { name: "error" }).check();
      const filtered = page.url();
      await page.getByRole("grid", { name: "Rows" }).focus();
      for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
      const heading = page.getByRole("heading", { level: 1, name: /· trial 0$/ });
      await heading.waitFor();
      const opened = (await heading.textContent())?.split(" ")[0];
      await waitFor(() => readFocus(page)).toContain("· trial 0");
      await page.goBack();
      expect(page.url()).toBe(filtered);
      await waitFor(() => page.locator(".grid-active").textContent()).toBe(opened);
      await waitFor(() => readFocus(page)).not.toMatch(/^body/);
      await page.goForward();
      await heading.waitFor();
      await page.getByRole("link", { name: "Back to the rows" }).click();
      await page.getByText(/^121 of 15,000 rows/).waitFor();
    });

    it("the keyboard leads from the overview to a trial and back", async () => {
      const page = await site.open("#/?dataset=towns");
      await page.getByRole("link", { name: "steady", exact: true }).first().waitFor();
      await tabTo(page, /^a: steady/);
      await page.keyboard.press("Enter");
      await page.locator(".grid-row").first().waitFor();
      await tabTo(page, /^grid: Rows/);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "q-00001 · trial 0" }).waitFor();
      await tabTo(page, /^a: Back to the rows/);
      await page.keyboard.press("Enter");
      await page.getByText("5,000 of 15,000 rows").waitFor();
      await tabTo(page, /^a: Overview/, "Shift+Tab");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Overview" }).waitFor();
    });

    it("the tabs of a run are switched with arrow keys", async () => {
      const page = await site.open(`#/run/${site.runs.trials}`);
      await page.getByRole("tab", { name: "Summary" }).focus();
      await page.keyboard.press("ArrowRight");
      await page.getByRole("figure", { name: "pass@k and pass^k" }).waitFor();
      await page.keyboard.press("ArrowRight");
      await page.locator(".outputs .excerpt").first().waitFor();
      await page.keyboard.press("ArrowRight");
      await page.locator(".grid-row").first().waitFor();
      expect(await readFocus(page)).toMatch(/^tab: Rows/);
    });

    it("j and k move, / searches and ? shows the keys", async () => {
      const page = await site.open(`#/run/${site.runs.large}/rows`);
      await page.locator(".grid-row").first().waitFor();
      for (const key of ["j", "j", "k", "Enter"]) await page.keyboard.press(key);
      const heading = page.getByRole("heading", { level: 1 });
      await waitFor(() => heading.textContent()).toMatch(/^q-00001 /);
      await page.locator("a[rel=next]").waitFor();
      await page.keyboard.press("j");
      await waitFor(() => heading.textContent()).not.toMatch(/^q-00001 · trial 0/);
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      expect(await findViolations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.goto(`${site.url}#/run/${site.runs.trials}/outputs`);
      await page.locator(".outputs .excerpt").first().waitFor();
      for (const key of ["j", "j"]) await page.keyboard.press(key);
      const focused = await readFocus(page);
      await page.keyboard.press("k");
      expect(await readFocus(page)).not.toBe(focused);
      await page.keyboard.press("/");
      await page.keyboard.press("j");
      await waitFor(() => page.getByLabel("Search").inputValue()).toBe("j");
    });

    it("the first tab stop skips to the content", async () => {
      const page = await site.open("#/runs");
      await page.keyboard.press("Tab");
      expect(await readFocus(page)).toBe("button: Skip to the content");
      await page.keyboard.press("Enter");
      await waitFor(() => readFocus(page)).toMatch(/^main/);
    });

    it("an unknown address shows a message", async () => {
      const page = await site.open("#/nowhere", { expected: /404/ });
      await page.getByText("Nothing is at this address.").waitFor();
      await page.goto(`${site.url}#/run/no-such-run`);
      await waitFor(() => page.getByRole("alert").textContent()).toMatch(/no-such-run/);
    });
  });
}

/** Presses Tab until the focus is on the wanted element. */
async function tabTo(page: Page, wanted: RegExp, key = "Tab"): Promise<void> {
  for (let step = 0; step < MAX_TABS; step++) {
    if (wanted.test(await readFocus(page))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${MAX_TABS} times ${key} do not lead to ${wanted}; the focus is on ${await readFocus(page)}`);
}
