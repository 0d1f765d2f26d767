import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { System } from "../../src/core/system.js";
import { evaluate } from "../../src/evaluate.js";
import { AnswerQuality } from "../../src/evaluators/answer-quality.js";
import { htmlReporter } from "../../src/report/dashboard/html-report.js";
import { createSampleQueue, createSampleWorker, writeQueueFile } from "../../src/report/dashboard/queue-testing.js";
import { loadRun } from "../../src/runs/load-run.js";
import { isCommandMissing } from "../../src/testing/system-command.js";

const ATTACK = "</script><!--<script>globalThis.wasRun = true</script><img src=x onerror='globalThis.wasRun = true'>";
const HOSTILE = `${ATTACK} \u001b[31mred \u202eright to left \u2028`;
const TITLE = `A report ${ATTACK}`;

/** A page with its problems and requests. */
interface Watched {
  page: Page;
  requests: string[];
  problems: string[];
}

describe.skipIf(isCommandMissing("chromium"))("the single HTML file, opened from disk without a network", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-html-"));
  const file = join(folder, "report.html");
  let browser: Browser;
  let run = "";

  beforeAll(async () => {
    run = await writeReport(folder, file);
    const executablePath = onPath("chromium") ?? "chromium";
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(hash: string): Promise<Watched> {
    const context = await browser.newContext({ offline: true });
    const page = await context.newPage();
    const requests: string[] = [];
    const problems: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("dialog", (dialog) => problems.push(`dialog: ${dialog.message()}`));
    await page.goto(`${pathToFileURL(file).href}${hash}`);
    return { page, requests, problems };
  }

  /** Checks that only the file itself was requested, and that no other script ran. */
  async function expectQuiet({ page, requests, problems }: Watched): Promise<void> {
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !/^(?:file|data|blob):/.test(url))).toEqual([]);
    expect(requests.filter((url) => url.startsWith("file:"))).toHaveLength(1);
    expect(await page.evaluate("globalThis.wasRun")).toBeUndefined();
    await page.context().close();
  }

  it("shows the run under its title", async () => {
    const watched = await open(`#/run/${run}`);
    const { page } = watched;
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.title()).toContain("A report </script>");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("A report </script>");
    await page.getByText("good").first().waitFor();
    await expectQuiet(watched);
  });

  it("shows the overview", async () => {
    const watched = await open("");
    await watched.page.getByText("poor").first().waitFor();
    await expectQuiet(watched);
  });

  it("shows model output as text, even five megabytes", async () => {
    for (const example of [0, 1]) {
      const watched = await open(`#/run/${run}/trial?system=poor&example=${example}`);
      await watched.page.getByText("globalThis.wasRun = true").first().waitFor();
      expect(await watched.page.locator("main img, main script").count()).toBe(0);
      await expectQuiet(watched);
    }
  });

  it("shows the work of each queue worker", async () => {
    const watched = await open(`#/run/${run}`);
    const workers = watched.page.getByRole("region", { name: "Workers", exact: true });
    await workers.getByText("Work by worker").click();
    await workers.getByRole("row", { name: /^machine 1 pid 7 / }).waitFor();
    expect(await workers.textContent()).toContain("1 worker had delivered 12 trials");
    expect(await workers.textContent()).not.toMatch(/vault|redis:/);
    await expectQuiet(watched);
  });

  it("compares two systems", async () => {
    const watched = await open(`#/compare?a=${run}&b=${run}&systemA=good&systemB=poor`);
    await watched.page.getByText("from A to B").first().waitFor({ state: "attached" });
    await expectQuiet(watched);
  });
});

/** Writes the report of a real run, and returns its id. */
async function writeReport(folder: string, file: string): Promise<string> {
  const dataset = Array.from({ length: 6 }, (_, id) => ({ id, question: HOSTILE, answer: "yes" }));
  const { runDir } = await evaluate({
    systems: [answering("good", () => "yes"), answering("poor", (id) => (id === 0 ? HOSTILE.repeat(40_000) : HOSTILE))],
    dataset,
    evaluators: [new AnswerQuality()],
    scoreField: "f1",
    runsDir: folder,
    title: TITLE,
  });
  const workers = [createSampleWorker({ host: "vault", pid: 7, done: 12 })];
  writeQueueFile(runDir ?? "", createSampleQueue({ workers, isRunning: false }));
  const page = await htmlReporter.render(await loadRun(runDir ?? ""));
  writeFileSync(file, [...page].join(""));
  return basename(runDir ?? "");
}

function answering(name: string, answer: (id: unknown) => string): System {
  return { name, process: ({ id }) => ({ response: answer(id) }) };
}

function onPath(command: string): string | undefined {
  const places = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, command));
  return places.find((place) => existsSync(place));
}
