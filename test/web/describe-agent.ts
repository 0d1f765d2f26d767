import { describe, expect, it } from "vitest";
import { formatTrialHash } from "./pages.js";
import type { Site } from "./site.js";
import type { DashboardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

/** The trial of an agent: its steps, changes and running cost. */
export function describeAgent(site: Site<DashboardRuns>): void {
  describe("the trial of an agent", () => {
    it("has a timeline with tool calls, a diff and the running cost", async () => {
      const page = await site.open(
        formatTrialHash(site.runs.agent, { system: "claude", dataset: "repairs", example: "q-00001" }),
      );
      const calls = page.locator(".step-call");
      await waitFor(() => calls.count()).toBe(3);
      expect(await calls.nth(0).textContent()).toMatch(/2\.00 s.*Read.*✓ done after 200/);
      expect(await calls.nth(2).textContent()).toMatch(/Bash.*✕ failed after 2\.00 s/);
      await calls.nth(1).locator("summary").click();
      expect(await calls.nth(1).locator(".diff-line").allTextContents()).toEqual(
        expect.arrayContaining(["-return a - b;", "+return a + b;"]),
      );
      expect(await page.locator(".running-line").first().textContent()).toContain("Cost over time: $0.0200");
      expect(await calls.nth(1).locator(".step-spent").textContent()).toContain("$0.0100");
      expect(await calls.nth(2).locator(".step-spent").textContent()).toContain("$0.0200");
    });

    it("is found without its dataset, and the address is completed", async () => {
      const page = await site.open(`#/run/${site.runs.agent}/trial?system=claude&example=q-00001`);
      await page.locator(".steps .step").first().waitFor();
      await waitFor(() => page.url()).toContain("dataset=repairs");
    });

    it("goes from a block of the flame graph to its step", async () => {
      const page = await site.open(
        formatTrialHash(site.runs.agent, { system: "claude", dataset: "repairs", example: "q-00001" }),
      );
      const block = page.locator(".flame-block.flame-1").last();
      await block.focus();
      await page.keyboard.press("Enter");
      await waitFor(() => page.locator(".steps .step:focus").count()).toBe(1);
    });

    it("shows failed steps only, and finds text in results", async () => {
      const page = await site.open(
        formatTrialHash(site.runs.agent, { system: "claude", dataset: "repairs", example: "q-00001" }),
      );
      await page.getByRole("checkbox", { name: /^Failed only/ }).check();
      await waitFor(() => page.locator(".steps .step-call").allTextContents()).toEqual([
        expect.stringContaining("Bash"),
      ]);
      await page.getByRole("searchbox", { name: "Find in the timeline" }).fill("no such text");
      await waitFor(() => page.locator(".steps .step").count()).toBe(0);
    });

    it("filters the steps by kind", async () => {
      const page = await site.open(
        formatTrialHash(site.runs.agent, { system: "claude", dataset: "repairs", example: "q-00001" }),
      );
      await page.getByRole("checkbox", { name: /^calls/ }).uncheck();
      await waitFor(() => page.locator(".step-call").count()).toBe(0);
      await page.reload();
      await page.locator(".steps .step").first().waitFor();
      expect(await page.locator(".step-call").count()).toBe(0);
    });
  });
}
