import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Site } from "./site.js";
import type { DashboardRuns } from "./stored-runs.js";
import { readStoredRows } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

/** The rows of a run: filters, order and keyboard. */
export function describeRows(site: Site<DashboardRuns>): void {
  const open = async (query = ""): Promise<Page> => {
    const page = await site.open(`#/run/${site.runs.large}/rows${query}`);
    await page.locator(".grid-row").first().waitFor();
    return page;
  };
  const countOf = (isWanted: (row: ReturnType<typeof readStoredRows>[number]) => boolean) =>
    readStoredRows(site.runsDir, site.runs.large).filter(isWanted).length;

  describe("rows", () => {
    it("are filtered by outcome", async () => {
      const page = await open();
      await page.locator("details.many", { hasText: "Outcome" }).locator("summary").click();
      await page.getByRole("checkbox", { name: "error" }).check();
      await expectCount(
        page,
        countOf(({ outcome }) => outcome === "error"),
      );
      await page.getByRole("checkbox", { name: "fail" }).check();
      await expectCount(
        page,
        countOf(({ outcome }) => outcome === "error" || outcome === "fail"),
      );
    });

    it("are filtered by score", async () => {
      const page = await open();
      await page.getByRole("combobox", { name: "Score", exact: true }).selectOption("f1");
      await page.getByLabel("Score from").fill("0.5");
      await page.keyboard.press("Enter");
      await expectCount(
        page,
        countOf(({ scores }) => (scores.f1 ?? 0) >= 0.5),
      );
      await page.getByLabel("Score to").fill("0.4");
      await page.keyboard.press("Enter");
      await page.getByText("No row has all of this.").waitFor();
    });

    it("are searched by id, question and response", async () => {
      const page = await open();
      const search = page.getByLabel("Search");
      await search.fill("q-00042");
      await expectCount(page, 3);
      await search.fill("town number 4999?");
      await expectCount(page, 3);
      await search.fill("It is Town4321.");
      await expectCount(
        page,
        countOf(({ exampleId, outcome }) => exampleId === "q-04321" && outcome === "pass"),
      );
    });

    it("are sorted by score", async () => {
      const page = await open("?system=steady");
      const head = page.getByRole("columnheader", { name: "f1" });
      await head.getByRole("button").click();
      await waitFor(() => head.getAttribute("aria-sort")).toBe("descending");
      await waitFor(() => readVisibleScores(page)).toSatisfy(areAll("0.50"));
      await head.getByRole("button").click();
      await waitFor(() => head.getAttribute("aria-sort")).toBe("ascending");
      await waitFor(() => readVisibleScores(page)).toSatisfy(areAll("0.00"));
    });

    it("can be navigated with the keyboard", async () => {
      const page = await open();
      await page.getByRole("grid", { name: "Rows" }).focus();
      await press(page, "ArrowDown", "ArrowDown", "ArrowUp");
      await waitFor(() => readActiveRow(page)).toBe(1);
      await press(page, "PageDown");
      await waitFor(() => readActiveRow(page)).toBeGreaterThan(8);
      // The End key goes to the last of the rows loaded so far.
      await expectCount(page, 15_000);
      await press(page, "End");
      await waitFor(() => readActiveRow(page)).toBe(14_999);
      await waitFor(() => page.locator(".grid-active").textContent()).toBe("q-04999");
      await press(page, "Home", "ArrowRight", "ArrowRight", "ArrowRight");
      await waitFor(() => page.locator(".grid-active").textContent()).toBe("swift");
      await press(page, "ArrowDown", "ArrowDown", "Enter");
      await page.getByRole("heading", { name: "q-00002 · trial 0" }).waitFor();
    });

    it("can be sorted with the keyboard from the column head", async () => {
      const page = await open();
      await page.getByRole("grid", { name: "Rows" }).focus();
      await press(page, "ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight", "Enter");
      await waitFor(() => page.getByRole("columnheader", { name: "System" }).getAttribute("aria-sort")).toBe(
        "ascending",
      );
      await waitFor(() => page.locator(".grid-row").first().textContent()).toContain("lavish");
    });

    it("show question, expected answer and response in one line, when they come into view", async () => {
      const page = await open("?system=swift&outcome=pass");
      const texts = async (at: string) => {
        const row = page.locator(`.grid-row[aria-rowindex="${at}"]`);
        return (await row.getByRole("gridcell").allTextContents()).slice(7, 10);
      };
      const [first = "", ...others] = readStoredRows(site.runsDir, site.runs.large)
        .filter(({ system, outcome }) => system === "swift" && outcome === "pass")
        .map(({ exampleId }) => String(exampleId).slice(2))
        .sort();
      const last = others.at(-1) ?? "";
      const describeTexts = (n: string) => [
        expect.stringContaining(`town number ${Number(n)}?`),
        expect.stringContaining(`Town${Number(n)}`),
        expect.stringContaining(`It is Town${Number(n)}.`),
      ];
      await waitFor(() => texts("2")).toEqual(describeTexts(first));
      await expectCount(page, others.length + 1);
      await page.getByRole("grid", { name: "Rows" }).press("End");
      await waitFor(() => texts(String(others.length + 2))).toEqual(describeTexts(last));
      expect(await page.getByRole("columnheader", { name: "Response" }).getByRole("button").count()).toBe(0);
    });

    it("show the outcome and the score on a small screen", async () => {
      const page = await open();
      await page.setViewportSize({ width: 390, height: 800 });
      for (const name of ["Example", "Outcome", "Score"]) {
        const box = await page.getByRole("columnheader", { name, exact: true }).boundingBox();
        expect((box?.x ?? 390) + (box?.width ?? 0), name).toBeLessThanOrEqual(390);
      }
    });

    it("lead to the next one of the same list", async () => {
      const page = await open("?outcome=fail&system=swift");
      const rows = readStoredRows(site.runsDir, site.runs.large);
      const failed = rows.filter(({ system, outcome }) => system === "swift" && outcome === "fail");
      const [first = "", second = ""] = failed.map(({ exampleId }) => String(exampleId)).sort();
      await page.getByRole("link", { name: first }).click();
      await page.getByRole("link", { name: "Next →" }).click();
      await page.getByRole("heading", { name: `${second} · trial 0` }).waitFor();
      await page.getByText(`2 of ${failed.length.toLocaleString("en-US")}`).waitFor();
    });
  });
}

async function expectCount(page: Page, count: number): Promise<void> {
  const words = `${count.toLocaleString("en-US")} of 15,000 rows`;
  await waitFor(() => page.locator(".rows-state").textContent()).toMatch(`${words}`);
  await waitFor(() => page.locator(".rows-state").textContent()).not.toContain("searching");
  expect(await page.locator(".rows-state").textContent()).toMatch(new RegExp(`^${words}`));
}

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

async function readActiveRow(page: Page): Promise<number> {
  return Number(await page.locator(".grid-active-row").getAttribute("data-index"));
}

/** The rendered cells of the sort column. */
async function readVisibleScores(page: Page): Promise<string[]> {
  const heads = await page.getByRole("columnheader").allTextContents();
  const column = heads.findIndex((text) => text.startsWith("f1"));
  return page.locator(`.grid-row .grid-cell:nth-child(${column + 1})`).allTextContents();
}

function areAll(text: string): (texts: string[]) => boolean {
  return (texts) => texts.length > 5 && texts.every((found) => found === text);
}
