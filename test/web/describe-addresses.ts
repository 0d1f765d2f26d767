import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectUsable } from "./page-checks.js";
import type { Site } from "./site.js";
import type { DashboardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

const GUIDE = new URL("../../docs/guides/dashboard.md", import.meta.url);

/** Tables, rows, charts and texts: what is on a page once it has its data. */
const CONTENT = "tbody tr, .grid-row, .plot svg, .excerpt, .verdict, .compare-verdict";

/** The addresses of the guide, where `…/charts` stands for a tab of a run. */
function readDocumentedAddresses(): string[] {
  const found = readFileSync(GUIDE, "utf8").matchAll(/`((?:#|…)\/[^`]*)`/g);
  return [...new Set(Array.from(found, ([, address = ""]) => address.replace(/^…/, "#/run/ID")))];
}

/** Puts names of the stored runs in the place of those of the guide. */
function fillAddress(address: string, { trials, nightly: [first = ""] }: DashboardRuns): string {
  const [path = "", words] = address.replace("ID", trials).split("?");
  const query = new URLSearchParams(words);
  const names = {
    a: first,
    b: trials,
    dataset: "villages",
    tag: "depth=0.5",
    from: "2026-10-01",
    system: "swift",
    systemA: "swift",
    systemB: "steady",
    withSystem: "steady",
    withTrial: "1",
    example: JSON.stringify("q-00007"),
    text: "town",
    page: "1",
    min: "0",
    max: "1",
  };
  for (const [name, value] of Object.entries(names)) if (query.has(name)) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** The addresses that the guide names. */
export function describeAddresses(site: Site<DashboardRuns>): void {
  describe("documented addresses", () => {
    const addresses = readDocumentedAddresses();

    it("are of every page", () => {
      const pages = new Set(addresses.map((address) => /^#\/(run\/ID\/)?\w*/.exec(address)?.[0]));
      expect([...pages].toSorted()).toEqual(
        [
          "#/",
          "#/compare",
          "#/run/ID/charts",
          "#/run/ID/outputs",
          "#/run/ID/rows",
          "#/run/ID/trial",
          "#/run",
          "#/runs",
          "#/trends",
        ].toSorted(),
      );
    });

    it.each(addresses)("%s", async (address) => {
      const page = await site.open(fillAddress(address, site.runs));
      const main = page.getByRole("main");
      await main.locator(CONTENT).first().waitFor();
      await waitFor(() => main.locator(".loading, [aria-busy=true]").count()).toBe(0);
      // Charts keep an empty place for problems.
      const problems = main.locator(".problem, .empty-title").filter({ hasText: /\S/ });
      expect(await problems.allTextContents()).toEqual([]);
      await expectUsable(page);
    });
  });
}
