import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { copyRunTimes } from "../../src/testing/fixture-runs.js";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { findViolations, readFocus } from "./page-checks.js";
import { useSite } from "./site.js";
import { storeSmallRun } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

const COPIES = 1100;
/** Includes the copied run. */
const TOTAL = "1,101";

/** More runs than fit on a page, and than the aggregate pages use. */
async function manyRuns(runsDir: string): Promise<void> {
  copyRunTimes(join(runsDir, await storeSmallRun(runsDir)), COPIES);
}

describe.skipIf(isCommandMissing("chromium"))("more than a thousand runs in a browser", () => {
  const site = useSite(manyRuns);

  it("are browsed page by page, also with the keyboard, and the address keeps the position", async () => {
    const page = await site.open("#/runs?sort=title&q=copy");
    await page.getByText(`1–100 of 1,100 runs, out of ${TOTAL}`).waitFor();
    await page.getByText("Page 1 of 11").waitFor();
    await expectFirst(page, "Copy 0");
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Next →" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("101–200 of 1,100 runs").waitFor();
    await expectFirst(page, "Copy 100");
    expect(await readFocus(page)).toMatch(/Next/);
    expect(page.url()).toContain("page=2");
    await page.reload();
    await expectFirst(page, "Copy 100");
    await page.getByRole("button", { name: "← Previous" }).click();
    await expectFirst(page, "Copy 0");
    await page.goBack();
    await expectFirst(page, "Copy 100");
  });

  it("are searched and sorted over all pages, starting on the first page", async () => {
    const page = await site.open("#/runs?page=3");
    await page.getByText(`201–300 of ${TOTAL} runs`).waitFor();
    await page.getByLabel("Search").fill("copy 104");
    await page.getByText(`1–11 of 11 runs, out of ${TOTAL}`).waitFor();
    await expectFirst(page, "Copy 1049");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expectFirst(page, "Copy 104");
    expect(page.url()).not.toContain("page=");
    await page.getByLabel("Search").fill("no run is called so");
    await page.getByText("No run matches").waitFor();
  });

  it("are compared across pages, including old ones", async () => {
    const page = await site.open("#/runs?sort=title&q=copy");
    await page.getByRole("checkbox", { name: "Compare Copy 0, copy-000" }).check();
    await page.getByRole("button", { name: "Next →" }).click();
    await page.getByRole("checkbox", { name: "Compare Copy 100, copy-100" }).check();
    await waitFor(() => page.locator(".compare-names").textContent()).toMatch(/A Copy 0B Copy 100/);
    await page.getByRole("link", { name: "Compare the two" }).click();
    await page.getByText(`This page has the newest 1,000 of ${TOTAL} runs.`).waitFor();
    await waitFor(() => page.getByLabel("Run").first().inputValue()).toBe("copy-000");
    await page.getByRole("heading", { level: 2 }).first().waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it.each(["#/", "#/trends"])("are shown as the newest thousand on %s", async (hash) => {
    const page = await site.open(hash);
    await page.getByText(`This page has the newest 1,000 of ${TOTAL} runs.`).waitFor();
  });

  it("have no page after the last, and say so", async () => {
    const page = await site.open("#/runs?page=99");
    await page.getByText("The list has no such page").waitFor();
    await page.getByRole("link", { name: "Go to the first page." }).click();
    await page.getByText(`1–100 of ${TOTAL} runs`).waitFor();
  });
});

async function expectFirst(page: Page, title: string): Promise<void> {
  await waitFor(() => page.locator("tbody th").first().textContent()).toBe(title);
}
