// What the dashboard weighs, and how fast it is in a browser: first paint, a long list of runs, a large run opened and
// searched, and very many rows.
import { spawn } from "node:child_process";
import { accessSync, constants, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { AnswerQuality, evaluate, makeDataset } from "assay";
import { chromium } from "playwright-core";
import { ASSAY, inTempFolder } from "./measure.mjs";

const PAGE = fileURLToPath(new URL("../dist/web/", import.meta.url));
const [FEW_RUNS, MANY_RUNS, MANY_ROWS] = [20, 1000, 100_000];
/** Of a run whose outputs are stored: five systems on 4,000 examples. */
const [LARGE_SYSTEMS, LARGE_EXAMPLES] = [5, 4000];
/** A server and a page of their own each time; medians are reported. */
const ROUNDS = 5;
const TURNS_OF_THE_WHEEL = 100;

export async function measure() {
  const weight = ["index.html", "app.js", "app.css"].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(PAGE, file))).length,
    0,
  );
  const rows = [["page, gzipped, without data", "≤ 160 kB", `${(weight / 1000).toFixed(0)} kB`]];
  const executablePath = onPath("chromium");
  if (executablePath === undefined) return [...rows, ["the page in a browser", "", "chromium is missing"]];
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-background-networking"] });
  try {
    return [...rows, ...(await inTempFolder((dir) => inBrowser(browser, dir)))];
  } finally {
    await browser.close();
  }
}

async function inBrowser(browser, dir) {
  const run = await makeRun(join(dir, "one"));
  const few = copies(run, join(dir, "few"), FEW_RUNS);
  const many = copies(run, join(dir, "many"), MANY_RUNS);
  const rows = withRows(run, join(dir, "rows"));
  const large = await makeLargeRun(join(dir, "large"));
  const paint = await served(few, (url) => firstPaint(browser, url));
  const board = await served(few, (url) => untilShown(browser, `${url}#/`));
  const list = await served(many, async (url) => [
    await untilShown(browser, `${url}#/runs`),
    await untilShown(browser, `${url}#/runs`),
  ]);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push(await served(join(dir, "large"), (url) => openAndSearch(browser, url, large)));
  const median = (key) => ms(rounds.map((round) => round[key]).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]);
  const count = (LARGE_SYSTEMS * LARGE_EXAMPLES).toLocaleString("en");
  const scrolling = await served(rows, (url) => longestTask(browser, url));
  return [
    [`first paint, ${FEW_RUNS} runs`, "< 1 s", paint],
    [`until the leaderboard of ${FEW_RUNS} runs is drawn`, "< 1 s", board],
    [`until a list of ${MANY_RUNS.toLocaleString("en")} runs is drawn, the first time`, "< 1 s", list[0]],
    ["the same again", "far less", list[1]],
    [`a run of ${count} rows opened: the first time; again`, "< 1 s", `${median("openCold")}; ${median("openWarm")}`],
    [`its rows opened in a new tab`, "< 1 s", median("rowsWarm")],
    [`text searched in them: the first time; again`, "< 0.2 s", `${median("searchCold")}; ${median("searchWarm")}`],
    [`longest task while ${MANY_ROWS.toLocaleString("en")} rows scroll`, "< 50 ms", scrolling],
  ];
}

function onPath(command) {
  const places = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, command));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** One real run, of which all others are copies. */
async function makeRun(runsDir) {
  const examples = Array.from({ length: 40 }, (_, id) => ({ id: `q-${id}`, question: `${id}?`, answer: String(id) }));
  const systems = ["one", "two", "three"].map((name, system) => ({
    name,
    process: ({ id, answer }) => ({
      response: id.length % 3 === system ? "no" : answer,
      latency: 1 + system,
      usage: { input: 200, output: 50 },
      costUsd: 0.01 * (1 + system),
    }),
  }));
  const dataset = makeDataset({ name: "bench", examples });
  const { runDir } = await evaluate({ systems, dataset, evaluators: [new AnswerQuality()], runsDir });
  return runDir;
}

/** A run of many rows with questions and outputs of a few sentences. Every hundredth question is about a refund. */
async function makeLargeRun(runsDir) {
  const examples = Array.from({ length: LARGE_EXAMPLES }, (_, id) => ({
    id: `q-${id}`,
    question: `${id}: ${id % 100 === 0 ? "Can I have a refund?" : "When will it arrive?"} ${"I have waited for a while. ".repeat(8)}`,
    answer: String(id),
  }));
  const systems = Array.from({ length: LARGE_SYSTEMS }, (_, system) => ({
    name: `model-${system}`,
    process: ({ id, answer }) => ({
      response: `${id.length % LARGE_SYSTEMS === system ? "no" : answer} ${"Thank you for asking. ".repeat(30)}${id.endsWith("77") ? "Invoice" : ""}`,
      latency: 1 + system,
      usage: { input: 200, output: 50 },
      costUsd: 0.01 * (1 + system),
    }),
  }));
  const dataset = makeDataset({ name: "support", examples });
  const { runDir } = await evaluate({ systems, dataset, evaluators: [new AnswerQuality()], runsDir });
  return basename(runDir);
}

/** In milliseconds: of a server that has just started, and once more. */
async function openAndSearch(browser, url, id) {
  const count = (LARGE_SYSTEMS * LARGE_EXAMPLES).toLocaleString("en");
  const open = (address, find) =>
    onPage(browser, async (page) => {
      await page.goto(`${url}#/nowhere`);
      return timed(async () => {
        await page.goto(`${url}${address}`);
        await find(page).waitFor();
      });
    });
  const summary = (page) => page.locator("tbody tr").first();
  const allRows = (page) => page.getByText(`${count} of ${count} rows`, { exact: true });
  const openCold = await open(`#/run/${id}`, summary);
  const openWarm = await open(`#/run/${id}`, summary);
  const rowsWarm = await open(`#/run/${id}/rows`, allRows);
  const [searchCold, searchWarm] = await onPage(browser, async (page) => {
    await page.goto(`${url}#/run/${id}/rows`);
    await allRows(page).waitFor();
    const search = (text) => async () => {
      await page.getByLabel("Search").fill(text);
      await page.getByText(new RegExp(`^200 of ${count} rows`)).waitFor();
    };
    const cold = await timed(search("refund"));
    await page.getByLabel("Search").fill("");
    await allRows(page).waitFor();
    return [cold, await timed(search("invoice"))];
  });
  return { openCold, openWarm, rowsWarm, searchCold, searchWarm };
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function copies(run, runsDir, count) {
  for (let place = 0; place < count; place++) {
    const id = `20261116-${String(place).padStart(6, "0")}-bench`;
    cpSync(run, join(runsDir, id), { recursive: true });
    changeManifest(join(runsDir, id), {
      runId: id,
      createdAt: new Date(Date.UTC(2026, 10, 16) - place * 3_600_000).toISOString(),
    });
  }
  return runsDir;
}

function withRows(run, runsDir) {
  const dir = join(runsDir, "20261116-000000-rows");
  mkdirSync(dir, { recursive: true });
  for (const file of readdirSync(run)) if (file !== "summary.json") cpSync(join(run, file), join(dir, file));
  const rows = readFileSync(join(run, "rows.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const lines = Array.from({ length: MANY_ROWS }, (_, place) =>
    JSON.stringify({ ...rows[place % rows.length], exampleId: `row-${place}` }),
  );
  writeFileSync(join(dir, "rows.jsonl"), `${lines.join("\n")}\n`);
  changeManifest(dir, { runId: "20261116-000000-rows", planned: MANY_ROWS });
  return runsDir;
}

function changeManifest(dir, changes) {
  const path = join(dir, "manifest.json");
  const text = JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...changes });
  writeFileSync(path, text);
  changeCard(dir, { createdAt: changes.createdAt, size: text.length });
}

/** The card of a run holds for the manifest that it was made of. */
function changeCard(dir, { createdAt, size }) {
  const path = join(dir, "card.json");
  if (createdAt === undefined) return;
  const { schema, sizes, card } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ schema, sizes: [size, ...sizes.slice(1)], card: { ...card, createdAt } }));
}

async function served(runsDir, work) {
  const args = [ASSAY, "serve", "--no-open", "--port", "0", "--runs-dir", runsDir];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const url = await new Promise((resolve, reject) => {
      child.stdout.setEncoding("utf8").once("data", (text) => resolve(text.trim()));
      child.once("exit", (code) => reject(new Error(`assay serve ended with ${code}`)));
    });
    return await work(url);
  } finally {
    child.kill("SIGKILL");
  }
}

async function onPage(browser, work) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  try {
    return await work(page);
  } finally {
    await page.close();
  }
}

/** The second visit: the first one also pays for the start of the browser. */
function firstPaint(browser, url) {
  return onPage(browser, async (page) => {
    for (const _ of ["warm", "measured"]) await page.goto(url, { waitUntil: "load" });
    const painted =
      'new Promise((resolve) => new PerformanceObserver((list) => list.getEntriesByName("first-contentful-paint").forEach((entry) => resolve(entry.startTime))).observe({ type: "paint", buffered: true }))';
    return ms(await page.evaluate(painted));
  });
}

/** From the click on a link to it, so to speak: the page is open, and another one is asked for. */
function untilShown(browser, address) {
  return onPage(browser, async (page) => {
    await page.goto(`${new URL(address).origin}/#/nowhere`);
    const started = performance.now();
    await page.goto(address);
    await page.locator("tbody tr").first().waitFor();
    return ms(performance.now() - started);
  });
}

/** By the clock, and of the processor: on a busy machine they differ. */
function longestTask(browser, url) {
  return onPage(browser, async (page) => {
    await page.goto(`${url}#/run/20261116-000000-rows/rows`);
    await page.getByText(/^100,000 of 100,000 rows$/).waitFor({ timeout: 120_000 });
    const grid = await page.getByRole("grid", { name: "Rows" }).boundingBox();
    await page.mouse.move(grid.x + 200, grid.y + 150);
    await browser.startTracing(page, { categories: ["toplevel"] });
    for (let turn = 0; turn < TURNS_OF_THE_WHEEL; turn++) {
      await page.mouse.wheel(0, turn % 10 === 9 ? 200_000 : 800);
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
    }
    const tasks = tasksIn(JSON.parse((await browser.stopTracing()).toString("utf8")).traceEvents);
    const most = (key) => ms(Math.max(...tasks.map((task) => (task[key] ?? 0) / 1000)));
    return `${most("dur")} (${most("tdur")} of the processor)`;
  });
}

/** What pages did, piece by piece. */
function tasksIn(events) {
  const mains = events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const threads = new Set(mains.map(({ pid, tid }) => `${pid} ${tid}`));
  return events.filter(
    ({ name, ph, pid, tid }) => ph === "X" && name.endsWith("RunTask") && threads.has(`${pid} ${tid}`),
  );
}

function ms(value) {
  return `${Math.round(value)} ms`;
}
