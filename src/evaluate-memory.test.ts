import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeDataset } from "./core/dataset.js";
import { UsageError } from "./core/errors.js";
import type { Evaluator } from "./core/evaluator.js";
import type { Example, Turn } from "./core/example.js";
import {
  type EvaluateMemoryOptions,
  evaluateMemory,
  loadMemoryDataset,
  type MemoryDataset,
} from "./evaluate-memory.js";
import { LLMJudge } from "./graders/judge/index.js";
import { FunctionSystem, ModelSystem } from "./systems/index.js";
import type { MemorySystem } from "./systems/memory/index.js";
import { createMemoryFromModule } from "./systems/memory/index.js";
import { makeLocomoItems, makeLongMemEvalItems } from "./systems/memory/scripted-items.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-evaluate-memory-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function fileOf(items: unknown): string {
  const file = join(dir, `${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(items));
  return file;
}

const KNOWN: readonly [RegExp, RegExp, string][] = [
  [/Where did Vera/, /moved to Bern/, "Bern"],
  [/which year/, /2 June, 2023\]\n.*canoe/, "2023"],
  [/enjoy a concert/, /cello/, "Yes"],
  [/Who plays/, /cello(?:.|\n)*paint/, "Tobias, Mira"],
  [/Ida's dog/, /Rufus/, "Rufus"],
  [/Paul drink/, /tea/, "tea"],
  [/Which tea/, /green tea/, "green tea"],
  [/How many books/, /three books/, "3"],
];

/** Answers what the context tells, and abstains otherwise. */
function reads({ context = "", question = "" }: Example): string {
  const found = KNOWN.find(([asked, told]) => asked.test(question) && told.test(context));
  return found?.[2] ?? "unanswerable";
}

const READER = new FunctionSystem({ name: "regular reader", fn: reads });

function options(more: Partial<EvaluateMemoryOptions> = {}): EvaluateMemoryOptions {
  return {
    systems: ["full-history"],
    dataset: "locomo",
    load: { file: fileOf(makeLocomoItems()) },
    reader: READER,
    ...more,
  };
}

describe("evaluateMemory", () => {
  it("measures built-in memories on locomo end to end; one that forgets scores lower", async () => {
    const result = await evaluateMemory(options({ systems: ["full-history", "last-n:1", "bm25:3"], runsDir: dir }));
    const { "full-history": full, "last-n:1": last, "bm25:3": bm25 } = result.summary;
    expect(full).toMatchObject({ mean_score: 1, pass_rate: 1, context_share: 1 });
    expect(last?.mean_score).toBeLessThan(0.5);
    expect(bm25?.mean_score).toBeGreaterThan(last?.mean_score ?? 1);
    expect(bm25?.context_share).toBeLessThan(1);
    expect(last?.mean_context_tokens).toBeLessThan(full?.mean_context_tokens ?? 0);
    for (const key of ["ingest_seconds_p50", "ingest_seconds_p95", "query_seconds_p50", "query_seconds_p95"])
      expect(full?.[key]).toBeGreaterThanOrEqual(0);
    expect(full?.score_per_1k_context_tokens).toBeCloseTo(1000 / (full?.mean_context_tokens ?? 0), 9);
    expect(full).not.toHaveProperty("compression_ratio");
    const ingests = result.rows.filter(({ metadata }) => metadata?.ingestMs !== undefined);
    expect(ingests.map(({ system }) => system).toSorted()).toEqual([
      "bm25:3",
      "bm25:3",
      "full-history",
      "full-history",
      "last-n:1",
      "last-n:1",
    ]);
    const outputs = readFileSync(join(result.runDir ?? "", "outputs.jsonl"), "utf8");
    expect(outputs).toContain("retrieved");
  });

  it("scores abstention as right where nothing in the history answers", async () => {
    const load = { file: fileOf(makeLongMemEvalItems()) };
    const result = await evaluateMemory(options({ dataset: "longmemeval:oracle", load }));
    const scoreOf = (id: string) => result.rows.find(({ exampleId }) => exampleId === id)?.scores.f1;
    expect(scoreOf("d4e5f6_abs")).toBe(1);
    expect(scoreOf("a1b2c3")).toBe(1);
    const blunt = new FunctionSystem({ name: "blunt", fn: () => "seven" });
    const guessed = await evaluateMemory(options({ dataset: "longmemeval:oracle", load, reader: blunt }));
    expect(guessed.summary["full-history"]?.mean_score).toBe(0);
  });

  it("runs memories of one's own, trials side by side, each conversation once", async () => {
    const ingested: string[] = [];
    const closed: string[] = [];
    class Mine implements MemorySystem {
      readonly name = "mine";
      #turns: Turn[] = [];
      async reset() {
        this.#turns = [];
      }
      async ingest(turns: Turn[]) {
        await new Promise((resolve) => setImmediate(resolve));
        this.#turns = turns;
        ingested.push(String(turns[0]?.content));
      }
      async query(question: string) {
        return { answer: reads({ id: 1, question, context: this.#turns.map(({ content }) => content).join("\n") }) };
      }
      async close() {
        closed.push("x");
      }
    }
    const result = await evaluateMemory(
      options({ systems: [createMemoryFromModule({ default: Mine }, "./mine.ts")], trials: 3 }),
    );
    expect(result.rows).toHaveLength(21);
    expect(ingested.toSorted()).toEqual(["Ida: My dog is called Rufus.", "Mira: My sister Vera moved to Bern."]);
    expect(closed).toHaveLength(2);
    const { summary, reasons } = result;
    expect(summary.mine?.mean_score).toBeGreaterThan(0.7);
    expect(summary.mine?.mean_context_tokens).toBeNull();
    expect(reasons.mine?.mean_context_tokens).toBe("not measured in any trial");
  });

  it("counts a failing memory as errors of its own trials", async () => {
    const failing: MemorySystem = {
      name: "failing",
      reset: async () => {},
      ingest: async (turns) => {
        if (String(turns[0]?.content).startsWith("Ida")) throw Object.assign(new Error("too many"), { status: 429 });
      },
      query: async () => ({ answer: "Bern" }),
    };
    const { rows } = await evaluateMemory(options({ systems: [failing, "full-history"] }));
    const errors = rows.filter(({ outcome }) => outcome === "error");
    expect(errors.map(({ system, exampleId }) => [system, exampleId])).toEqual([
      ["failing", "conv-2-q1"],
      ["failing", "conv-2-q2"],
    ]);
    expect(errors[0]?.errorCategory).toBe("rate_limit");
    expect(errors[0]?.attempts.at(-1)?.message).toBe('ingest() of the memory "failing" failed: too many');
  });

  it("keeps what is done when the run is stopped, and stops a memory that waits", async () => {
    const stop = new AbortController();
    const memory: MemorySystem = {
      name: "waits",
      reset: async () => {},
      ingest: async () => {},
      query: (_question, trial) =>
        trial?.exampleId === "conv-1-q1"
          ? Promise.resolve({ answer: "Bern" })
          : new Promise((_resolve, reject) => {
              trial?.signal.addEventListener("abort", () => reject(new Error("told to stop")));
              stop.abort();
            }),
    };
    const { rows } = await evaluateMemory(
      options({ systems: [() => memory], signal: stop.signal, maxWorkers: 1, seed: 1 }),
    );
    expect(rows.every(({ outcome }) => outcome === "pass" || outcome === "skipped")).toBe(true);
    expect(rows.some(({ outcome }) => outcome === "skipped")).toBe(true);
  });

  it("stops a trial that takes too long, and goes on with the others", async () => {
    const limits = { price: null, maxCostUsd: null, hardTimeoutMs: 1000 };
    const memory: MemorySystem = {
      name: "sleepy",
      limits,
      reset: async () => {},
      ingest: async () => {},
      query: (_question, trial) =>
        trial?.exampleId !== "conv-1-q1"
          ? Promise.resolve({ answer: "Bern" })
          : new Promise((_resolve, reject) => {
              trial.signal.addEventListener("abort", () => reject(new Error("told to stop")));
            }),
    };
    const { rows } = await evaluateMemory(options({ systems: [memory] }));
    const categories = new Map(rows.map(({ exampleId, errorCategory }) => [exampleId, errorCategory]));
    expect(categories.get("conv-1-q1")).toBe("time_killed");
    expect(rows.filter(({ outcome }) => outcome === "error" || outcome === "skipped")).toEqual([]);
  });

  it("caches answers by the content of the conversation", async () => {
    const loaded = (city: string): MemoryDataset => {
      const turns = [{ role: "user", content: `I live in ${city}.` }];
      const examples = [{ id: 1, question: "Where do I live?", answer: city, conversation: "c" }];
      const conversations = new Map([["c", { id: "c", sessions: [{ id: "S1", turns }] }]]);
      return { dataset: makeDataset({ name: "own", examples }), conversations };
    };
    let calls = 0;
    const fn = ({ context = "" }: Example) => {
      calls += 1;
      return /live in (\w+)/.exec(context)?.[1] ?? "";
    };
    const reader = new FunctionSystem({ name: "r", fn });
    const found: Evaluator = {
      name: "found",
      score: ({ answer }, { response }) => ({ found: Number(answer === response) }),
    };
    const base = { systems: ["full-history"], reader, cacheDir: dir, evaluators: [found] };
    for (const city of ["Bern", "Bern", "Oslo"]) {
      const { summary } = await evaluateMemory({ ...base, dataset: loaded(city) });
      expect(summary["full-history"]?.mean_score).toBe(1);
    }
    expect(calls).toBe(2);
  });

  it("has a judge score besides the evaluators, and says when it is the model that answers", async () => {
    const judged: string[] = [];
    const judgeOf = (model: string) =>
      new LLMJudge({
        model: {
          name: model,
          ask: () => {
            judged.push(model);
            return { response: '{"reasoning": "Right.", "verdict": "pass"}' };
          },
          fingerprint: () => ({ model }),
        },
      });
    const asked = { name: "reader", model: "m-1", process: (example: Example) => ({ response: reads(example) }) };
    const same = await evaluateMemory(options({ reader: asked, judge: judgeOf("m-1") }));
    expect(same.summary["full-history"]).toMatchObject({ mean_score: 1 });
    expect(same.rows[0]?.scores).toMatchObject({ f1: 1, judge_score: 1 });
    expect(same.rows[0]?.primaryField).toBe("judge_score");
    expect(same.notes.join()).toContain("m-1 both answers and judges");
    const other = await evaluateMemory(options({ reader: asked, judge: judgeOf("m-2") }));
    expect(other.notes.join()).not.toContain("judges");
    expect(judged).toHaveLength(14);
  });

  it("has the judge decide, unless a field is named", async () => {
    const fields = ["kind"];
    const judge: Evaluator = { name: "kind judge", fields, score: () => ({ kind: 1 }) };
    const wrong = new FunctionSystem({ name: "wrong", fn: () => "seven" });
    const decided = async (more: Partial<EvaluateMemoryOptions>) => {
      const { rows, notes } = await evaluateMemory(options({ reader: wrong, ...more }));
      return { field: rows[0]?.primaryField, outcome: rows[0]?.outcome, notes: notes.join() };
    };
    expect(await decided({})).toMatchObject({ field: "f1", outcome: "fail" });
    expect(await decided({ judge })).toMatchObject({ field: "kind", outcome: "pass" });
    const both = { ...judge, fields: ["kind", "main"], primaryFields: ["main"], score: () => ({ kind: 1, main: 0 }) };
    expect(await decided({ judge: both })).toMatchObject({ field: "main", outcome: "fail" });
    expect(await decided({ judge, scoreField: "f1" })).toMatchObject({ field: "f1", outcome: "fail" });
    const { fields: _, ...shy } = judge;
    const undeclared = await decided({ judge: shy });
    expect(undeclared.field).toBe("f1");
    expect(undeclared.notes).toContain('The judge "kind judge" does not declare its fields');
  });

  it("counts whole histories before the first trial, never while a memory works", async () => {
    const counted: string[] = [];
    let working = 0;
    let started = false;
    const tokenizer = {
      count: (text: string) => {
        if (text.startsWith("[Session")) counted.push(started ? "late" : "early");
        return text.length;
      },
    };
    const works = async () => {
      started = true;
      working += 1;
      await new Promise((resolve) => setImmediate(resolve));
      working -= 1;
    };
    const memory: MemorySystem = {
      name: "m",
      reset: works,
      ingest: works,
      query: async () => {
        await works();
        return { answer: "Bern", contextTokens: 1 };
      },
    };
    const { rows } = await evaluateMemory(options({ systems: [() => ({ ...memory })], tokenizer, trials: 2 }));
    expect(rows).toHaveLength(14);
    expect(working).toBe(0);
    expect(counted).toEqual(["early", "early", "early", "early"]);
    expect(rows.every(({ metadata }) => Number(metadata?.historyTokens) > 50)).toBe(true);
  });

  it("gives nothing for an empty answer to a question that nothing answers", async () => {
    const mute = new FunctionSystem({ name: "mute", fn: () => " " });
    const locomo = await evaluateMemory(options({ reader: mute }));
    expect(locomo.summary["full-history"]?.mean_score).toBe(0);
    const load = { file: fileOf(makeLongMemEvalItems()) };
    const longMemEval = await evaluateMemory(options({ dataset: "longmemeval", load, reader: mute }));
    expect(longMemEval.summary["full-history"]?.mean_score).toBe(0);
  });

  it("says that f1 means little for answers that only describe what is wanted, without a judge", async () => {
    const [first, ...rest] = makeLongMemEvalItems();
    const items = [{ ...first, question_type: "single-session-preference" }, ...rest];
    const base = options({ dataset: "longmemeval:s", load: { file: fileOf(items) } });
    const notesOf = async (more: Partial<EvaluateMemoryOptions>) =>
      (await evaluateMemory({ ...base, ...more })).notes.join("\n");
    expect(await notesOf({})).toMatch(/1 question of the type single-session-preference: .*f1 .*judge/);
    const judge: Evaluator = { name: "j", fields: ["j"], score: () => ({ j: 1 }) };
    expect(await notesOf({ judge })).not.toMatch(/preference/);
    expect(await notesOf({ evaluators: [judge] })).not.toMatch(/preference/);
    const plain = { load: { file: fileOf(makeLongMemEvalItems()) } };
    expect(await notesOf(plain)).not.toMatch(/f1/);
    expect((await evaluateMemory(options())).notes.join()).not.toMatch(/f1/);
  });

  it("knows a judge made from a model's options as the model that answers", async () => {
    const endpoint = { baseUrl: "http://127.0.0.1:9/v1", model: "m-1", apiKey: null };
    const judge = new LLMJudge({ model: endpoint });
    const reader = new ModelSystem(endpoint);
    const stop = new AbortController();
    stop.abort();
    const { notes } = await evaluateMemory(
      options({
        reader,
        judge,
        signal: stop.signal,
        load: { file: fileOf(makeLocomoItems()), signal: new AbortController().signal },
      }),
    );
    expect(notes.join()).toContain("m-1 both answers and judges");
  });

  it("says what is missing", async () => {
    await expect(evaluateMemory(options({ systems: [] }))).rejects.toThrow("There is no memory to measure");
    const { reader: _, ...bare } = options();
    await expect(evaluateMemory(bare)).rejects.toThrow(UsageError);
    await expect(evaluateMemory(bare)).rejects.toThrow('"full-history" needs a reader');
    await expect(evaluateMemory(options({ maxWorker: 3 } as never))).rejects.toThrow(/no option "maxWorker"/);
  });

  it.each([
    [{ reader: null }, /`reader` must be .*, but is null/],
    [{ reader: 7 }, /`reader` must be .*, but is the number 7/],
    [{ systems: "bm25" }, /`systems` must be an array, but is the string "bm25"/],
    [{ systems: null }, /`systems` must be an array, but is null/],
    [{ systems: [null] }, /`systems` contains null/],
    [{ systems: [7] }, /`systems` contains the number 7/],
    [{ dataset: undefined }, /`dataset` must be .*, but is undefined/],
    [{ dataset: null }, /`dataset` must be .*, but is null/],
    [{ dataset: { dataset: [] } }, /`dataset` must be .* `conversations`/],
    [{ judge: null }, /`judge` must be an evaluator/],
    [{ judge: "gpt" }, /`judge` must be an evaluator/],
    [{ load: "file.json" }, /`load` must be an object/],
    [{ tokenizer: 5 }, /tokenizer/],
    [{ maxOpen: "3" }, /maxOpen must be a whole number/],
  ])("refuses %j", async (wrong, message) => {
    const evaluating = evaluateMemory(options(wrong as never));
    await expect(evaluating).rejects.toThrow(UsageError);
    await expect(evaluating).rejects.toThrow(message);
  });

  it("refuses to go without options, or with a reader that cannot answer", async () => {
    await expect(evaluateMemory(options({ reader: {} as never }))).rejects.toThrow("A reader has no name");
    await expect(evaluateMemory(undefined as never)).rejects.toThrow(UsageError);
  });
});

describe("loadMemoryDataset", () => {
  it("brings the evaluators along", async () => {
    const { dataset, conversations } = await loadMemoryDataset("locomo", {
      file: fileOf(makeLocomoItems()),
      maxExamples: 2,
    });
    expect(dataset.evaluators?.map(({ name }) => name)).toEqual(["answer_quality"]);
    expect([...dataset]).toHaveLength(2);
    expect(conversations.has("conv-2")).toBe(true);
  });
});
