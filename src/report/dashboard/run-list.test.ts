import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Dataset } from "../../core/dataset.js";
import type { System } from "../../core/system.js";
import { evaluate } from "../../evaluate.js";
import { loadRun } from "../../runs/load-run.js";
import { lockRun } from "../../store/lock.js";
import type { RunCard, RunListQuery, RunPage } from "./contract.js";
import { RunList } from "./run-list.js";

let runsDir = "";
let loads: string[] = [];
let runs: RunList;

beforeEach(() => {
  runsDir = mkdtempSync(join(tmpdir(), "assay-list-"));
  loads = [];
  runs = newList();
});

/** An empty list that records which rows it reads. */
function newList(): RunList {
  const load = (dir: string, options: { soFar: boolean }) => {
    loads.push(basename(dir));
    return loadRun(dir, options);
  };
  return new RunList({ runsDir, load });
}

afterEach(() => rmSync(runsDir, { recursive: true, force: true }));

const answers = (name: string, isRight: (id: number) => boolean): System => ({
  name,
  model: `${name}-model`,
  harness: "api",
  process: ({ id, answer }) => ({ response: isRight(Number(id)) ? String(answer) : "no", costUsd: 0.5 }),
});
const good = answers("good", () => true);
const poor = answers("poor", (id) => id % 2 === 0);

const exact = {
  name: "exact",
  score: (asked: { answer?: string }, { response }: { response?: string }) => ({
    score: Number(asked.answer === response),
  }),
};

/** Four examples, two of each subject. */
function quizOf(name: string): Dataset {
  const examples = [1, 2, 3, 4].map((id) => {
    return { id, question: "?", answer: "yes", dataset: name, subject: id < 3 ? "law" : "art" };
  });
  const rest = { facets: ["subject"], primaryField: "score", evaluators: [exact] };
  return { name, examples, ...rest, [Symbol.iterator]: () => examples[Symbol.iterator]() };
}

interface Made {
  title?: string;
  systems?: System[];
  trials?: number;
  datasets?: string[];
}

/** Makes and stores a run, and returns its id. */
async function make({
  title = "run",
  systems = [good, poor],
  trials = 1,
  datasets = ["quiz"],
}: Made = {}): Promise<string> {
  const { runDir } = await evaluate({
    systems,
    datasets: datasets.map(quizOf),
    trials,
    runsDir,
    title,
    invocation: { command: "run" },
  });
  return basename(String(runDir));
}

const fileOf = (id: string, name: string) => join(runsDir, id, name);
const edit = (id: string, name: string, change: (content: Record<string, unknown>) => void) => {
  const content = JSON.parse(readFileSync(fileOf(id, name), "utf8")) as Record<string, unknown>;
  change(content);
  writeFileSync(fileOf(id, name), JSON.stringify(content));
};
const listed = async (query: RunListQuery = {}): Promise<readonly RunCard[]> => (await runs.list(query)).runs;
const only = async (query: RunListQuery = {}): Promise<RunCard | undefined> => (await listed(query))[0];
const systemOf = (card: RunCard | null | undefined, name: string) =>
  card?.systems.find(({ system }) => system === name);
/** Cuts the rows after the first few, as a kill leaves them. */
const kill = (id: string, rows: number) => {
  rmSync(fileOf(id, "summary.json"));
  const lines = readFileSync(fileOf(id, "rows.jsonl"), "utf8").split("\n").slice(0, rows);
  writeFileSync(fileOf(id, "rows.jsonl"), lines.map((line) => `${line}\n`).join(""));
};

describe("RunList", () => {
  it("sums the cost of priced systems, and counts unpriced ones", async () => {
    const free: System = { name: "unpriced", process: () => ({ response: "no" }) };
    await make({ systems: [good, free] });
    expect(await only()).toMatchObject({ costUsd: 2, unpricedSystems: 1 });
  });

  it("shows a finished run from its summary, without its rows", async () => {
    const id = await make({ trials: 2 });
    const card = await only();
    expect(card).toMatchObject({
      id,
      title: "run",
      status: "complete",
      command: "run",
      planned: 16,
      done: 16,
      datasets: [{ name: "quiz", examples: 4 }],
      tags: ["subject=art", "subject=law"],
      costUsd: 8,
      threshold: 0.7,
      parent: null,
      problem: null,
    });
    expect(card?.wallSeconds).toBeGreaterThanOrEqual(0);
    expect(systemOf(card, "poor")).toMatchObject({
      model: "poor-model",
      harness: "api",
      k: 2,
      figures: { mean_score: 0.5, mean_score_n: 4, pass_rate: 0.5, pass_hat: 0.5, coverage: 1, mean_cost_usd: 0.5 },
      outcomes: { pass: 4, fail: 4, error: 0, unscored: 0, skipped: 0 },
      categories: { logic_error: 4 },
      costUsd: 4,
    });
    expect(loads).toEqual([]);
  });

  it("gives the same from a card, a summary and rows", async () => {
    const id = await make({ trials: 3, datasets: ["quiz", "exam"] });
    const stored = await only();
    rmSync(join(runsDir, id, "card.json"));
    runs = newList();
    expect(await only()).toEqual(stored);
    writeFileSync(join(runsDir, id, "card.json"), JSON.stringify({ schema: "assay.card/0", sizes: [], card: {} }));
    runs = newList();
    expect(await only()).toEqual(stored);
    edit(id, "summary.json", (summary) => {
      delete summary.counts;
    });
    expect(await only()).toEqual(stored);
    expect(loads).toEqual([id]);
  });

  it("lists the newest first, ignores other folders, and is empty without a folder", async () => {
    const ids = [await make({ title: "a" }), await make({ title: "b" })];
    edit(ids[0] ?? "", "manifest.json", (manifest) => {
      manifest.createdAt = "2031-01-01T00:00:00.000Z";
    });
    mkdirSync(join(runsDir, "folder"));
    writeFileSync(join(runsDir, "file"), "");
    expect((await listed()).map(({ id }) => id)).toEqual(ids);
    expect(await new RunList({ runsDir: join(runsDir, "none"), load: loadRun }).list()).toMatchObject({
      runs: [],
      all: 0,
    });
  });

  it("reads again only what has changed", async () => {
    const [first, second] = [await make({ title: "a" }), await make({ title: "b" })];
    const before = await listed();
    expect((await listed()).map((card, i) => card === before[i])).toEqual([true, true]);
    edit(first, "manifest.json", ({ config }) => {
      (config as { title: string }).title = "a new title";
    });
    const after = await listed();
    expect(after.find(({ id }) => id === first)?.title).toBe("a new title");
    expect(after.find(({ id }) => id === second)).toBe(before.find(({ id }) => id === second));
    rmSync(join(runsDir, first), { recursive: true });
    expect((await listed()).map(({ id }) => id)).toEqual([second]);
  });

  it("finds a run by its name only inside of the folder", async () => {
    const id = await make();
    expect((await runs.getCard(id))?.id).toBe(id);
    for (const name of ["", ".", "..", "none", `../${basename(runsDir)}/${id}`, `${id}/..`])
      expect(await runs.getCard(name), name).toBeNull();
  });
});

describe("an unfinished run", () => {
  it("is incomplete when it was killed, with its rows so far", async () => {
    const id = await make();
    kill(id, 3);
    expect(await only()).toMatchObject({ status: "incomplete", planned: 8, done: 3, wallSeconds: null });
    await only();
    expect(loads).toEqual([id]);
  });

  it.each([
    ["nothing", ""],
    ["half a row", '{"system":"go'],
  ])("is incomplete when it has %s", async (_, content) => {
    const id = await make();
    kill(id, 0);
    writeFileSync(fileOf(id, "rows.jsonl"), content);
    const card = await only();
    expect(card).toMatchObject({ status: "incomplete", planned: 8, done: 0, costUsd: null, problem: null });
    expect(systemOf(card, "good")).toMatchObject({ k: 1, figures: { mean_score: null }, costUsd: null });
  });

  it("is complete when only its summary is missing or torn", async () => {
    const id = await make();
    const { wallSeconds: _, ...whole } = (await only()) ?? {};
    writeFileSync(fileOf(id, "summary.json"), '{"complete": tr');
    expect(await only()).toEqual({ ...whole, wallSeconds: null });
  });

  it("is not shown by its summary when it was continued since", async () => {
    const id = await make();
    kill(id, 3);
    writeFileSync(fileOf(id, "summary.json"), JSON.stringify({ complete: false, summary: {}, counts: {} }));
    const later = new Date(Date.now() + 60_000);
    utimesSync(fileOf(id, "rows.jsonl"), later, later);
    expect(await only()).toMatchObject({ status: "incomplete", done: 3 });
    utimesSync(fileOf(id, "summary.json"), later, later);
    expect(await only()).toMatchObject({ status: "incomplete", done: 0 });
  });

  it("is running while a living process holds it", async () => {
    const id = await make();
    kill(id, 3);
    const unlock = lockRun(fileOf(id, "lock"));
    expect(await only()).toMatchObject({ status: "running", done: 3, planned: 8 });
    unlock();
    expect(await only()).toMatchObject({ status: "incomplete", done: 3 });
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    writeFileSync(fileOf(id, "lock"), JSON.stringify({ pid, host: hostname(), start: "1" }));
    expect(await only()).toMatchObject({ status: "incomplete" });
  });

  it("is listed newest first while the first reading is not finished, and completely afterwards", async () => {
    const [older, newer] = [await make({ title: "a" }), await make({ title: "b" })];
    rmSync(fileOf(older, "summary.json"));
    let go = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const load = async (dir: string, options: { soFar: boolean }) => {
      await waiting;
      return loadRun(dir, options);
    };
    const slow = new RunList({ runsDir, load });
    const ids = ({ runs: found }: RunPage) => found.map(({ id }) => id);
    for (let time = 0; time < 2; time++) {
      const soFar = await slow.list({}, 1);
      expect(soFar).toMatchObject({ total: 1, all: 1, unread: 1 });
      expect(ids(soFar)).toEqual([newer]);
    }
    const whole = slow.list();
    go();
    expect(ids(await whole)).toEqual([newer, older]);
    expect(await slow.list({}, 1)).toMatchObject({ total: 2, all: 2, unread: 0 });
  });

  it("is not read all the time while it is running", async () => {
    const id = await make();
    const rows = readFileSync(fileOf(id, "rows.jsonl"), "utf8").split("\n");
    kill(id, 1);
    const unlock = lockRun(fileOf(id, "lock"));
    const slow = new RunList({
      runsDir,
      load: async (dir, options) => {
        loads.push(dir);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return loadRun(dir, options);
      },
    });
    await Promise.all([slow.list(), slow.list()]);
    appendFileSync(fileOf(id, "rows.jsonl"), `${rows[1]}\n`);
    expect((await slow.list()).runs[0]?.done).toBe(1);
    expect(loads).toHaveLength(1);
    unlock();
    expect((await slow.list()).runs[0]?.done).toBe(2);
  });
});

describe("a damaged run", () => {
  it("is listed with its problem, and hides no other", async () => {
    const [torn, rows, sound] = [await make({ title: "a" }), await make({ title: "b" }), await make({ title: "c" })];
    writeFileSync(fileOf(torn, "manifest.json"), "{");
    kill(rows, 2);
    appendFileSync(fileOf(rows, "rows.jsonl"), "no row\n");
    const cards = new Map((await listed()).map((card) => [card.id, card]));
    expect(cards.get(torn)).toMatchObject({ status: "damaged", title: torn, systems: [] });
    expect(cards.get(torn)?.problem).toContain("manifest.json cannot be read");
    expect(cards.get(rows)).toMatchObject({ status: "damaged", title: "b", planned: 8, done: 0 });
    expect(cards.get(rows)?.problem).toContain("rows.jsonl:3 is not a row");
    expect(cards.get(sound)).toMatchObject({ status: "complete", problem: null });
  });

  it.each([
    ["is not one of ours", { schema: "other" }, "was not written by Assay"],
    ["is of a later version", { schema: "assay.run/9" }, "Update Assay"],
    ["lacks its systems", { config: { datasets: [] } }, "parts of it are missing"],
  ])("is reported when its manifest %s", async (_, change, problem) => {
    const id = await make();
    edit(id, "manifest.json", (manifest) => Object.assign(manifest, change));
    const card = await only();
    expect(card).toMatchObject({ id, status: "damaged" });
    expect(card?.problem).toContain(problem);
  });
});

describe("a filtered list", () => {
  it("contains the runs with the dataset, with figures of its rows alone", async () => {
    const mixed = await make({ title: "mixed", datasets: ["quiz", "exam"] });
    const plain = await make({ title: "plain" });
    const cards = await listed({ dataset: "exam" });
    expect(cards.map(({ id }) => id)).toEqual([mixed]);
    expect(cards[0]).toMatchObject({ planned: 8, done: 8, costUsd: 4, datasets: [{ name: "exam", examples: 4 }] });
    expect(systemOf(cards[0], "poor")?.figures).toMatchObject({ mean_score: 0.5, mean_score_n: 4 });
    expect(loads).toEqual([mixed]);
    expect((await listed({ dataset: "quiz" })).map(({ id }) => id).sort()).toEqual([mixed, plain].sort());
    expect(loads).toEqual([mixed, mixed]);
    await listed({ dataset: "quiz" });
    expect(loads).toHaveLength(2);
    expect(await listed({ dataset: "none" })).toEqual([]);
  });

  it("contains only the rows with a tag, of one dataset or of all", async () => {
    await make({ systems: [answers("lawyer", (id) => id < 3), good], datasets: ["quiz", "exam"] });
    const law = await only({ tag: "subject=law" });
    expect(law).toMatchObject({ planned: 8, status: "complete" });
    expect(law?.tags).toContain("subject=art");
    expect(systemOf(law, "lawyer")?.figures).toMatchObject({ mean_score: 1, mean_score_n: 4 });
    expect(systemOf(await only({ tag: "subject=art" }), "lawyer")?.figures.mean_score).toBe(0);
    expect((await only({ tag: "subject=art", dataset: "exam" }))?.planned).toBe(4);
    expect(await listed({ tag: "subject=music" })).toEqual([]);
  });

  it("leaves out damaged runs", async () => {
    writeFileSync(fileOf(await make(), "manifest.json"), "{");
    expect(await listed({ dataset: "quiz" })).toEqual([]);
  });
});
