import type { Page } from "playwright-core";
import type { DashboardRuns } from "./stored-runs.js";

export interface DashboardPage {
  readonly name: string;
  readonly hash: string;
  readonly heading: string;
  /** Selector that is present once the page has its data. */
  readonly content: string;
}

/** All pages for the stored runs. */
export function listPages({ large, agent, nightly: [first = ""], trials }: DashboardRuns): DashboardPage[] {
  const title = "Three systems on five thousand questions";
  return [
    { name: "overview", hash: "#/", heading: "Overview", content: ".part .plot svg" },
    { name: "runs", hash: "#/runs", heading: "Runs", content: "tbody tr" },
    { name: "trends", hash: "#/trends", heading: "Trends", content: ".plot svg" },
    { name: "summary", hash: `#/run/${large}`, heading: title, content: ".summary tbody tr" },
    { name: "charts", hash: `#/run/${large}/charts`, heading: title, content: ".plot svg" },
    { name: "rows", hash: `#/run/${large}/rows`, heading: title, content: ".grid-row" },
    {
      name: "trial",
      hash: formatTrialHash(large, { system: "swift", dataset: "towns", example: "q-00007" }),
      heading: "q-00007 · trial 0",
      content: ".verdict",
    },
    {
      name: "timeline",
      hash: formatTrialHash(agent, { system: "claude", dataset: "repairs", example: "q-00001" }),
      heading: "q-00001 · trial 0",
      content: ".steps .step",
    },
    { name: "compare", hash: `#/compare?a=${first}&b=${trials}`, heading: "Compare", content: ".compare-verdict" },
  ];
}

interface TrialName {
  system: string;
  dataset: string;
  example: string;
}

/** The address of the first trial of an example. */
export function formatTrialHash(run: string, { system, dataset, example }: TrialName): string {
  const words = new URLSearchParams({ system, dataset, example: JSON.stringify(example), trial: "0" });
  return `#/run/${run}/trial?${words.toString()}`;
}

/** Waits until a page shows its content. */
export async function waitForPage(page: Page, { heading, content }: DashboardPage): Promise<void> {
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.locator(content).first().waitFor();
  await page.locator(".loading, [aria-busy=true]").first().waitFor({ state: "detached" });
  // Rows arrive in batches, and the first ones are already shown.
  await page.getByText("have arrived").waitFor({ state: "detached" });
}
