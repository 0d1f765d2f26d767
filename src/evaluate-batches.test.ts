import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createPrice } from "./budget/index.js";
import { UsageError } from "./core/index.js";
import { evaluate } from "./evaluate.js";
import { FinalAnswer } from "./evaluators/index.js";
import { LLMJudge } from "./graders/index.js";
import { Batches, type BatchesOptions } from "./models/index.js";
import { ModelSystem } from "./systems/index.js";
import { type Mock, type MockScript, startMock } from "./testing/mock/index.js";

const FAST = { gatherMs: 30, firstPollMs: 5, maxPollMs: 20 };
const PRICE = createPrice(
  { input_per_1k: 0.1, output_per_1k: 1, batch: { input_per_1k: 0.05, output_per_1k: 0.5 } },
  "test",
);
const DIALECTS = ["chat", "responses", "anthropic", "gemini"] as const;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(script: MockScript): Promise<Mock> {
  const mock = await startMock({ reply: "The answer is 7.", ...script, keepBodies: true });
  closing.push(() => mock.close());
  return mock;
}

function makeRunsDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "assay-batches-"));
  closing.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

interface BatchedRun {
  readonly mock: Mock;
  readonly dialect?: (typeof DIALECTS)[number];
  readonly examples?: number;
  readonly trials?: number;
  readonly options?: BatchesOptions;
  readonly store?: { runsDir?: string; resume?: string };
  readonly judged?: boolean;
  readonly maxCostUsd?: number;
  readonly signal?: AbortSignal;
}

async function run({ mock, dialect = "chat", examples = 20, trials = 1, options, store = {}, ...more }: BatchedRun) {
  const batches = new Batches({ ...FAST, ...options });
  const limits = { price: PRICE, maxCostUsd: null, hardTimeoutMs: 1000 };
  const base = { baseUrl: mock.url, dialect, apiKey: null, maxTokens: 40, temperature: 0, limits, batches };
  const system = new ModelSystem({ ...base, model: "small", name: "small" });
  const judge = new ModelSystem({ ...base, model: "judge", name: "judge" });
  const { signal = new AbortController().signal } = more;
  try {
    return await evaluate({
      systems: [system],
      dataset: Array.from({ length: examples }, (_, i) => ({
        id: `e${i}`,
        question: `What is item e${i} ?`,
        answer: "7",
      })),
      evaluators: more.judged === true ? [new LLMJudge({ models: [judge], maxWorkers: 1000 })] : [new FinalAnswer()],
      trials,
      batches,
      maxWorkers: 1000,
      retry: { maxRetries: 8, maxWaitMs: 60_000 },
      signal: AbortSignal.any([signal, batches.leave]),
      ...(more.maxCostUsd === undefined ? {} : { budget: { run: { maxCostUsd: more.maxCostUsd } } }),
      ...store,
    });
  } finally {
    batches.close();
    await system.close();
    await judge.close();
  }
}

/** Requests that the mock was paid for, by question. */
function listPaid({ requests }: Mock): string[] {
  return requests.filter(({ usage, status }) => usage !== null && status === 200).map(({ task }) => task);
}

describe.each(DIALECTS)("a run in batches through %s", (dialect) => {
  it("pays the batch price and measures no time", async () => {
    const mock = await serve({});
    const { rows, notes } = await run({ mock, dialect });
    expect(notes).toContain("20 trials were answered in batches: no time is measured");
    expect(rows).toHaveLength(20);
    for (const row of rows) {
      expect(row).toMatchObject({
        outcome: "pass",
        costSource: "batch",
        latency: null,
        durationMs: null,
        ttftMs: null,
      });
      const { input = 0, output = 0 } = row.usage ?? {};
      expect(row.costUsd).toBeCloseTo((input * 0.05 + output * 0.5) / 1000, 9);
    }
    expect(mock.requests.filter(({ batch }) => batch !== null)).toHaveLength(20);
    expect(new Set(mock.requests.map(({ batch }) => batch).filter((id) => id !== null)).size).toBe(1);
  });

  it("sends failed and expired requests again, and keeps the failures as attempts", async () => {
    const mock = await serve({ batch: { delayMs: 60, expiresAfterMs: 40, errorRate: 0.2 } });
    const { rows } = await run({ mock, dialect });
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(20).fill("pass"));
    const messages = rows.flatMap(({ attempts }) => attempts.map(({ message }) => message));
    expect(messages.some((message) => message.includes("expired"))).toBe(true);
    expect(messages.some((message) => message.includes("500"))).toBe(true);
    expect(new Set(listPaid(mock)).size).toBe(20);
    expect(listPaid(mock)).toHaveLength(20);
  });

  it("collects what an earlier start has submitted, and pays once", async () => {
    const mock = await serve({ batch: { delayMs: 400 } });
    const runsDir = makeRunsDir();
    const first = await run({
      mock,
      dialect,
      trials: 2,
      options: { isAwaited: false },
      store: { runsDir },
      maxCostUsd: 5,
    });
    expect(first.rows.every(({ outcome }) => outcome === "skipped")).toBe(true);
    const resume = first.runDir ?? "";
    const { rows, budget } = await run({ mock, dialect, trials: 2, store: { resume }, maxCostUsd: 5 });
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(40).fill("pass"));
    expect(listPaid(mock)).toHaveLength(40);
    expect(budget).toMatchObject({ lostUsd: 0, lostTrials: 0, repeatedUsd: 0 });
    expect(budget?.spentUsd).toBeCloseTo(
      rows.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
      9,
    );
    expect(existsSync(join(resume, "batches.jsonl"))).toBe(true);
  });

  it("cancels a batch after its deadline and sends the rest one by one", async () => {
    const mock = await serve({ batch: { delayMs: 1000 } });
    const { rows, notes } = await run({ mock, dialect, options: { deadlineMs: 300 } });
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(20).fill("pass"));
    const sources = rows.map(({ costSource }) => costSource);
    expect(sources).toContain("priced");
    const late = sources.filter((source) => source === "priced").length;
    expect(notes.join()).toContain(`${late} trial${late === 1 ? " was" : "s were"} sent one by one after the deadline`);
    expect(listPaid(mock)).toHaveLength(20);
    const live = rows.find(({ costSource }) => costSource === "priced");
    const { input = 0, output = 0 } = live?.usage ?? {};
    expect(live?.costUsd).toBeCloseTo((input * 0.1 + output) / 1000, 9);
  });

  it("sends a request again without a parameter that the model rejects", async () => {
    const mock = await serve({ refuses: ["temperature"] });
    const { rows } = await run({ mock, dialect, examples: 3 });
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(3).fill("pass"));
  });
});

describe("a run in batches", () => {
  it("sends the judge's requests in batches, too", async () => {
    const reply = '{"reasoning": "So.", "cannot_judge": false, "verdict": "pass"}';
    const mock = await serve({ models: { judge: { reply } } });
    const { rows } = await run({ mock, judged: true, maxCostUsd: 5 });
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(20).fill("pass"));
    expect(rows.every(({ judgeCostUsd }) => (judgeCostUsd ?? 0) > 0)).toBe(true);
    expect(mock.requests.filter(({ model, batch }) => model === "judge" && batch !== null)).toHaveLength(20);
  });

  it("submits what the budget admits, and the rest when costs are known", async () => {
    const mock = await serve({ outputTokens: 20 });
    // A trial may cost two cents, and costs about one.
    const { rows } = await run({ mock, maxCostUsd: 0.3 });
    expect(rows.filter(({ outcome }) => outcome === "pass").length).toBeGreaterThan(13);
    const sizes = new Map<string, number>();
    for (const { batch } of mock.requests) if (batch !== null) sizes.set(batch, (sizes.get(batch) ?? 0) + 1);
    expect(sizes.size).toBeGreaterThan(1);
  });

  it("finds a batch that was created before its id was recorded", async () => {
    for (const dialect of DIALECTS) {
      const mock = await serve({ batch: { delayMs: 100 } });
      const runsDir = makeRunsDir();
      const { runDir } = await run({ mock, dialect, options: { isAwaited: false }, store: { runsDir } });
      const file = join(runDir ?? "", "batches.jsonl");
      const kept = readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => /"kind":"(?:open|prepare)"/.test(line));
      writeFileSync(file, `${kept.join("\n")}\n`);
      const { rows } = await run({ mock, dialect, store: { resume: runDir ?? "" } });
      expect(rows.map(({ outcome }) => outcome)).toEqual(Array(20).fill("pass"));
      expect(listPaid(mock)).toHaveLength(20);
    }
  });

  it("sends requests of a batch that was never created", async () => {
    const other = await serve({ batch: { delayMs: 60_000 } });
    const runsDir = makeRunsDir();
    const { runDir } = await run({ mock: other, options: { isAwaited: false }, store: { runsDir } });
    const file = join(runDir ?? "", "batches.jsonl");
    const kept = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => /"kind":"(?:open|prepare)"/.test(line));
    writeFileSync(file, `${kept.join("\n")}\n`);
    await other.close();
    const again = await startMock({ reply: "The answer is 7.", port: other.port });
    closing.push(() => again.close());
    const { rows } = await run({ mock: again, store: { resume: runDir ?? "" } });
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(20).fill("pass"));
    expect(listPaid(again)).toHaveLength(20);
  });

  it("rejects examples that ask several times", async () => {
    const mock = await serve({});
    const batches = new Batches(FAST);
    const system = new ModelSystem({ baseUrl: mock.url, apiKey: null, model: "small", batches });
    closing.push(() => system.close());
    const turns = [
      { role: "user", content: "One?" },
      { role: "user", content: "Two?" },
    ];
    await expect(
      evaluate({
        systems: [system],
        dataset: [{ id: "talk", turns, answer: "7" }],
        evaluators: [new FinalAnswer()],
        batches,
      }),
    ).rejects.toThrow(/"talk" asks several times/);
    expect(mock.counts.requests).toBe(0);
  });

  it("is a service tier of its own", () => {
    const batches = new Batches(FAST);
    const options = {
      baseUrl: "http://127.0.0.1:9",
      apiKey: null,
      model: "small",
      serviceTier: "flex",
      batches,
    } as const;
    expect(() => new ModelSystem(options)).toThrow(/The service tier flex cannot be used in batches/);
  });

  it("is an error of each trial if the provider rejects the model, and is not sent again and again", async () => {
    const mock = await serve({ models: { small: { batch: false } } });
    const { rows } = await run({ mock, examples: 3 });
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(3).fill("error"));
    expect(rows[0]?.attempts[0]?.message).toContain("The model small cannot be used in batches.");
    expect(listPaid(mock)).toEqual([]);
    expect(mock.counts.requests).toBeLessThan(5);
  });

  it("says that an endpoint has no batch API before anything is sent", async () => {
    const mock = await serve({ batch: false });
    const batches = new Batches(FAST);
    const system = new ModelSystem({ baseUrl: mock.url, apiKey: null, model: "small", batches });
    closing.push(() => system.close());
    const failure = batches.check(new AbortController().signal);
    await expect(failure).rejects.toThrow(UsageError);
    await expect(failure).rejects.toThrow(/has no batch API/);
  });
});
