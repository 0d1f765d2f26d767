import { readFileSync } from "node:fs";
import type { Download, Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectUsable, isDrawing } from "./page-checks.js";
import type { Site } from "./site.js";
import type { DashboardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

/** Every chart of the dashboard, by page. */
const CHARTS: readonly { hash: (runs: DashboardRuns) => string; titles: readonly string[] }[] = [
  {
    hash: ({ large }) => `#/run/${large}/charts`,
    titles: [
      "Quality and cost",
      "Cost–Speed Frontier",
      "Speed Radar",
      "Cost Radar",
      "Cost by class of token",
      "Latency",
      "towns: depth by length",
    ],
  },
  { hash: ({ trials }) => `#/run/${trials}/charts`, titles: ["pass@k and pass^k"] },
  { hash: () => "#/trends?dataset=villages", titles: ["Success rate", "Error categories"] },
];

/** Charts whose marks show a number of rows. */
const COUNTED_MARKS: readonly (readonly [string, RegExp])[] = [
  ["Latency", /^steady, .*Trials ([\d,]+) of/],
  ["towns: depth by length", /Tasks ([\d,]+)/],
];

const METRICS = ["Time to success", "Cost per success", "Mean score", "Error rate", "Success rate"] as const;

const PNG_SIGNATURE = "89504e470d0a1a0a";

/** Every chart is drawn with its summary, its table and both downloads, and links to its rows. */
export function describeCharts(site: Site<DashboardRuns>): void {
  describe("charts", () => {
    for (const { hash, titles } of CHARTS)
      it(`draws ${titles.length > 3 ? "charts of a run" : titles.join(" and ")}`, async () => {
        const page = await site.open(hash(site.runs));
        for (const title of titles) await expectWholeChart(page, title);
        expect(await page.locator("figure.chart").count()).toBeGreaterThanOrEqual(titles.length);
        await expectUsable(page);
      });

    it("link from a point to its rows, and from a row to its trial", async () => {
      const page = await site.open(`#/run/${site.runs.large}/charts`);
      await findMark(findChart(page, "Quality and cost"), /^steady,/).click({ force: true });
      await page.waitForURL(/\/rows\?system=steady$/);
      await page.getByText("5,000 of 15,000 rows").waitFor();
      await page.getByRole("gridcell", { name: "q-00003" }).getByRole("link").click();
      await page.getByRole("heading", { name: "q-00003 · trial 0" }).waitFor();
      await page.locator(".verdict").waitFor();
    });

    it("link to as many rows as stated", async () => {
      const page = await site.open(`#/run/${site.runs.large}/charts`);
      for (const [title, pattern] of COUNTED_MARKS) {
        const mark = findMark(findChart(page, title), pattern);
        const said = pattern.exec((await mark.getAttribute("aria-label")) ?? "")?.[1];
        await mark.focus();
        await page.keyboard.press("Enter");
        await page.getByText(`${said} of 15,000 rows`, { exact: true }).waitFor();
        await page.goBack();
      }
    });

    it("list the error codes of a run, and link to as many rows as stated", async () => {
      const page = await site.open(`#/run/${site.runs.large}/charts`);
      const link = findChart(page, "Top error codes").locator("tbody a").first();
      const said = await link.textContent();
      await link.click();
      await page.getByText(`${said} of 15,000 rows`, { exact: true }).waitFor();
      await page.goBack();
      await findChart(page, "Top error codes").getByRole("button", { name: "Categories" }).click();
      await findChart(page, "Top error codes").locator(".plot svg").waitFor();
    });

    it("show each metric over the runs", async () => {
      const page = await site.open("#/trends?dataset=villages");
      for (const metric of METRICS) {
        await page.getByRole("combobox", { name: "Metric" }).selectOption({ label: metric });
        await findChart(page, metric).locator(".plot svg").waitFor();
        await expectUsable(page);
      }
    });

    it("isolate a system by its name at the end of its line, and show all again", async () => {
      const page = await site.open("#/trends?dataset=villages&metric=cost");
      const chart = findChart(page, "Cost per success");
      const names = chart.getByRole("button", { name: /^Isolate / });
      await names.first().waitFor();
      const count = await names.count();
      expect(count).toBeGreaterThan(1);
      await names.first().click();
      await page.waitForURL(/systems=/);
      await waitFor(() => names.count()).toBe(1);
      await expectUsable(page);
      await names.first().focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(/^(?!.*systems=)/);
      await waitFor(() => names.count()).toBe(count);
      await chart.getByRole("button", { name: "Linear" }).click();
      expect(await chart.getByRole("button", { name: "Linear" }).getAttribute("aria-pressed")).toBe("true");
      await expectUsable(page);
    });

    it("show only the systems that are picked, and keep the choice in the address", async () => {
      const page = await site.open(`#/run/${site.runs.large}/charts`);
      const chart = findChart(page, "Quality and cost");
      await findMark(chart, /^swift,/).waitFor({ state: "attached" });
      await page.getByRole("button", { name: "Only steady" }).click();
      await page.waitForURL(/systems=steady/);
      await waitFor(() => chart.locator("[data-mark]").count()).toBe(1);
      await page.getByRole("button", { name: "All", exact: true }).click();
      await waitFor(() => chart.locator("[data-mark]").count()).toBe(3);
      await expectUsable(page);
    });

    it("describe a point on hover and with the arrow keys", async () => {
      const page = await site.open(`#/run/${site.runs.large}/charts`);
      const drawn = findChart(page, "Quality and cost");
      await findMark(drawn, /^swift,/).hover({ force: true });
      await waitFor(() => drawn.getByRole("tooltip").textContent()).toMatch(/swift.*Cost per attempt/);
      await findMark(drawn, /^swift,/).focus();
      await page.keyboard.press("ArrowRight");
      await waitFor(() => drawn.locator("[data-mark]:focus").getAttribute("aria-label")).toMatch(/^steady,/);
    });
  });
}

function findChart(page: Page, title: string): Locator {
  return page.getByRole("figure", { name: title, exact: true });
}

function findMark(drawn: Locator, name: RegExp): Locator {
  return drawn.getByRole("button", { name }).and(drawn.locator("[data-mark]")).first();
}

async function expectWholeChart(page: Page, title: string): Promise<void> {
  const drawn = findChart(page, title);
  await drawn.locator(".plot svg").waitFor();
  expect((await drawn.locator(".words").textContent())?.length, title).toBeGreaterThan(20);
  await drawn.getByRole("button", { name: "Table", exact: true }).click();
  expect(await drawn.locator("table tbody tr").count(), title).toBeGreaterThan(0);
  const svg = await downloadFile(page, drawn.getByRole("button", { name: "Download SVG" }));
  expect(await isDrawing(page, svg.toString("utf8")), title).toBe(true);
  const png = await downloadFile(page, drawn.getByRole("button", { name: "Download PNG" }));
  expect(png.subarray(0, 8).toString("hex"), title).toBe(PNG_SIGNATURE);
  // The PNG's width follows the name of its first chunk; a chart is twice as wide as on the page.
  expect(png.readUInt32BE(16), title).toBeGreaterThan(600);
}

async function downloadFile(page: Page, button: Locator): Promise<Buffer> {
  const [download] = await Promise.all<[Promise<Download>, Promise<void>]>([
    page.waitForEvent("download"),
    button.click(),
  ]);
  return readFileSync(await download.path());
}
