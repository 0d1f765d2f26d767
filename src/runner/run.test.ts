import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CostBudget } from "../budget/index.js";
import { ScoreFieldError, TrialError } from "../core/errors.js";
import type { Evaluator, Scored } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { type EvalRow, OUTCOMES } from "../core/row.js";
import type { Output, StopReason, System, Tokenizer, TrialContext } from "../core/system.js";
import { makePlan, type PlanOptions } from "./plan.js";
import type { FinishedTrial, Progress, RowSink, RunPorts } from "./ports.js";
import { runPlan } from "./run.js";

const WORDS: Tokenizer = { name: "words", count: (text) => text.split(/\s+/).filter(Boolean).length };
const ANSWERED: Evaluator = { name: "answered", score: (_, { response }) => ({ em: response === "yes" ? 1 : 0 }) };

function examples(n: number): Example[] {
  return Array.from({ length: n }, (_, id) => ({ id, question: `question ${id}` }));
}

function systemOf(process: System["process"], name = "system"): System {
  return { name, process };
}

type Options = Partial<PlanOptions> & {
  dataset?: Iterable<Example> | AsyncIterable<Example>;
  ports?: Partial<RunPorts>;
};

async function rowsOf({ ports, dataset = examples(1), ...options }: Options): Promise<EvalRow[]> {
  const plan = await makePlan({ systems: [], datasets: [dataset], evaluators: [ANSWERED], metrics: [], ...options });
  return runPlan(plan, {
    clock: () => performance.now(),
    tokenizer: WORDS,
    cache: null,
    sink: null,
    signal: new AbortController().signal,
    maxWorkers: 4,
    budget: { limitsOf: ({ limits }) => limits ?? null, open: () => new CostBudget({}), run: null },
    retry: { maxRetries: 0, maxWaitMs: 0 },
    whenIdle: () => () => {},
    onProgress: null,
    ...ports,
  });
}

/** The row of one example, one system and one evaluator. */
async function rowOf(output: unknown, more: Options = {}): Promise<EvalRow> {
  const [row] = await rowsOf({ systems: [systemOf(() => output as Output)], ...more });
  if (row === undefined) throw new Error("no row");
  return row;
}

function scoring(...scored: unknown[]): Evaluator[] {
  return scored.map((value, i) => ({
    name: `e${i + 1}`,
    score: () => {
      if (value instanceof Error) throw value;
      return value as Scored;
    },
  }));
}

/** A promise and the function that resolves it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("outcomes", () => {
  it("pass at the threshold and fail below it", async () => {
    const at = { evaluators: scoring({ f1: 0.7 }) };
    expect(await rowOf({ response: "x" }, at)).toMatchObject({
      outcome: "pass",
      errorCategory: "none",
      passed: true,
      primaryField: "f1",
      scores: { f1: 0.7 },
    });
    expect(await rowOf({ response: "x" }, { ...at, threshold: 0.71 })).toMatchObject({
      outcome: "fail",
      errorCategory: "logic_error",
      passed: false,
    });
  });

  it.each(["cost_killed", "time_killed", "refused", "truncated"] as StopReason[])(
    "grade a %s output and keep its category",
    async (stopped) => {
      expect(await rowOf({ response: "yes", stopped })).toMatchObject({ outcome: "pass", errorCategory: stopped });
      expect(await rowOf({ response: "no", stopped })).toMatchObject({ outcome: "fail", errorCategory: stopped });
      expect(await rowOf({ response: "no", stopped }, { evaluators: scoring(new Error("down")) })).toMatchObject({
        outcome: "unscored",
        errorCategory: stopped,
      });
    },
  );

  it("reject an unknown stop reason as a system error", async () => {
    const row = await rowOf({ response: "yes", stopped: "length" });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error" });
    expect(row.attempts[0]?.message).toMatch(
      /stopped.*the string "length".*cost_killed, time_killed, refused, truncated/,
    );
    expect(await rowOf({ response: "yes", stopped: null })).toMatchObject({ outcome: "pass", errorCategory: "none" });
  });

  it.each(["api_error", "rate_limit", "timeout", "system_error"] as const)(
    "classify %s as an error",
    async (category) => {
      const system = systemOf(() => {
        throw new TrialError(category, "it broke");
      });
      const [row] = await rowsOf({ systems: [system] });
      expect(row).toMatchObject({ outcome: "error", errorCategory: category, passed: null, scores: {}, latency: null });
      expect(row?.attempts).toEqual([{ errorCategory: category, message: "it broke", durationMs: expect.any(Number) }]);
    },
  );

  it.each([undefined, null, "text", 7, [], true])("classify a returned %o as a system error", async (output) => {
    const row = await rowOf(output);
    expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error" });
    expect(row.attempts[0]?.message).toContain('The system "system" returned');
  });

  it.each([
    [{ answer: "two minutes" }, 'only "answer" (did you mean "response" instead of "answer"?)'],
    [{ output: "x", model: "m" }, 'only "output", "model" (did you mean "response" instead of "output"?)'],
    [{ text: "x" }, 'did you mean "response" instead of "text"?'],
    [{ content: "x" }, 'did you mean "response" instead of "content"?'],
    [{ completion: "x" }, 'did you mean "response" instead of "completion"?'],
    [{ respones: "x" }, 'did you mean "response" instead of "respones"?'],
    [{ Context: "x" }, 'did you mean "context" instead of "Context"?'],
    [{ label: "x" }, 'only "label".'],
    [{}, 'neither a "response" nor a "context" and no other field.'],
    [{ response: undefined, usage: null }, 'only "response" (undefined), "usage".'],
    [{ context: null }, 'only "context".'],
    [{ response: 42 }, 'has the number 42 as its "response"'],
    [{ response: { text: "x" } }, 'has an object as its "response"'],
    [{ response: "x", context: ["y"] }, 'has an array as its "context"'],
  ])("classify an output without text as a system error: %o", async (output, problem) => {
    const row = await rowOf(output);
    expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error", scores: {} });
    expect(row.attempts[0]?.message).toContain('The system "system" returned an output that has ');
    expect(row.attempts[0]?.message).toContain(problem);
  });

  it("keep the cost of an output without text", async () => {
    const usage = { input: 3, output: 4 };
    expect(await rowOf({ answer: "x", usage, costUsd: 0.5 })).toMatchObject({ outcome: "error", usage, costUsd: 0.5 });
  });

  it.each([
    [{ response: "" }],
    [{ response: null }],
    [{ context: "" }],
    [{ tool_calls: [] }],
    [{ stopped: "refused" }],
    [{ trajectory: { startedAt: 0, events: [] } }],
  ])("grade an output without a response that has other content: %o", async (output) => {
    expect((await rowOf(output)).outcome).toBe("fail");
  });

  it("are unscored when the evaluator fails, is missing, or returns nothing", async () => {
    expect(await rowOf({ response: "" }, { evaluators: scoring(new Error("judge is down")) })).toMatchObject({
      outcome: "unscored",
      errorCategory: "grader_error",
      notes: ["e1 failed: judge is down"],
    });
    expect(await rowOf({ response: "" }, { evaluators: [] })).toMatchObject({
      outcome: "unscored",
      errorCategory: "none",
      notes: ["no evaluators"],
    });
    expect(await rowOf({ response: "" }, { evaluators: scoring({}) })).toMatchObject({
      outcome: "unscored",
      passed: null,
    });
  });

  it("add up to the planned trials, whatever systems and evaluators do", async () => {
    const doing = fc.constantFrom("yes", "no", "throw", "reject", "undefined", "late");
    const judging = fc.constantFrom("score", "throw", "reject", "NaN", "nothing");
    const plans = fc.record({
      systems: fc.array(doing, { minLength: 1, maxLength: 3 }),
      judges: fc.array(judging, { maxLength: 2 }),
      trials: fc.integer({ min: 1, max: 3 }),
      maxWorkers: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(plans, async ({ systems, judges, trials, maxWorkers }) => {
        const rows = await rowsOf({
          systems: systems.map((what, i) => systemOf(() => acting(what) as Output, `s${i}`)),
          evaluators: judges.map((what, i) => ({ name: `e${i}`, score: () => judged(what, i) as Scored })),
          dataset: examples(4),
          trials,
          ports: { maxWorkers },
        });
        expect(rows).toHaveLength(systems.length * 4 * trials);
        const keys = new Set(rows.map((row) => `${row.system} ${row.exampleId} ${row.trial}`));
        expect(keys.size).toBe(rows.length);
        const counts = OUTCOMES.map((outcome) => rows.filter((row) => row.outcome === outcome).length);
        expect(counts.reduce((sum, count) => sum + count)).toBe(rows.length);
      }),
      { numRuns: 60 },
    );
  });
});

function acting(what: string): unknown {
  if (what === "throw") throw new Error("thrown");
  if (what === "reject") return Promise.reject(new Error("rejected"));
  if (what === "undefined") return undefined;
  return what === "late" ? turn({ response: "yes" }) : { response: what };
}

function judged(what: string, i: number): unknown {
  if (what === "throw") throw new Error("thrown");
  if (what === "reject") return Promise.reject(new Error("rejected"));
  return what === "nothing" ? undefined : { [`f${i}`]: what === "NaN" ? Number.NaN : 1 };
}

describe("isolation of failures", () => {
  it("keeps other rows when a system throws for one example", async () => {
    const picky = systemOf(({ id }) => {
      if (id === 1) throw new Error("not this one");
      return { response: "yes" };
    }, "picky");
    const rows = await rowsOf({ systems: [picky, systemOf(() => ({ response: "no" }))], dataset: examples(3) });
    expect(rows.map((row) => row.outcome)).toEqual(["pass", "error", "pass", "fail", "fail", "fail"]);
  });

  it("keeps other scores when an evaluator throws, rejects or returns no scores", async () => {
    const evaluators: Evaluator[] = [
      ...scoring({ f1: 1 }, new Error("thrown"), "text", null, [1], 5),
      { name: "rejecting", score: () => Promise.reject(new Error("rejected")) },
    ];
    const row = await rowOf({ response: "x" }, { evaluators });
    expect(row).toMatchObject({ outcome: "pass", scores: { f1: 1 } });
    expect(row.notes).toEqual([
      "e2 failed: thrown",
      'e3 returned the string "text" instead of scores',
      "e4 returned null instead of scores",
      "e5 returned an array instead of scores",
      "e6 returned the number 5 instead of scores",
      "rejecting failed: rejected",
    ]);
  });

  it("leaves the row unscored when the first evaluator fails, rather than using the second", async () => {
    const row = await rowOf({ response: "x" }, { evaluators: scoring(new Error("down"), { other: 1 }) });
    expect(row).toMatchObject({ outcome: "unscored", scores: { other: 1 }, primaryField: null });
  });

  it.each([
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ['the string "1"', "1"],
    ["the boolean true", true],
    ["null", null],
    ["the bigint 1", 1n],
  ])("ignores a score of %s with a note", async (shown, value) => {
    const row = await rowOf({ response: "x" }, { evaluators: scoring({ f1: value, em: 1 }), scoreField: "em" });
    expect(row.scores).toEqual({ em: 1 });
    expect(row.outcome).toBe("pass");
    expect(row.notes).toEqual([`e1 returned f1 = ${shown}; scores must be numbers in [0, 1], so it was ignored`]);
    const undecided = await rowOf({ response: "x" }, { evaluators: scoring({ f1: value }) });
    expect(undecided).toMatchObject({ outcome: "unscored", errorCategory: "grader_error" });
  });

  it.each([1.5, -0.1, 412, -1e9])("keeps a value of %d as a measure that decides nothing", async (value) => {
    const row = await rowOf({ response: "x" }, { evaluators: scoring({ f1: value, em: 1 }), scoreField: "em" });
    expect(row).toMatchObject({ scores: { em: 1 }, measures: { f1: value }, outcome: "pass" });
    expect(row.notes).toEqual([
      `e1 returned f1 = ${value}, which is outside [0, 1]: it is kept as a measure and does not decide pass or fail`,
    ]);
  });

  it.each([
    ["the first field", {}, { f1: 4, em: 1 }],
    ["the run's field", { scoreField: "f1" }, { em: 1, f1: 4 }],
    ["`score`", {}, { em: 1, score: 4 }],
  ])("leaves the row unscored when a measure replaces %s, and says why", async (_, options, scored) => {
    const row = await rowOf({ response: "x" }, { evaluators: scoring(scored), ...options });
    expect(row).toMatchObject({ outcome: "unscored", errorCategory: "grader_error", primaryField: null });
    expect(row.notes.at(-1)).toMatch(/^nothing decides: (?:f1|score) = 4, and the field that decides .*\[0, 1\]/);
  });

  it("adds no note for declared measures, and lets other fields decide", async () => {
    const length = { scores: {}, measures: { characters: 412, share: 0.5 } };
    const row = await rowOf({ response: "x" }, { evaluators: scoring(length, { measures: { lines: 3 } }, { em: 1 }) });
    expect(row).toMatchObject({ scores: { em: 1 }, primaryField: "em", outcome: "pass", notes: [] });
    expect(row.measures).toEqual({ characters: 412, share: 0.5, lines: 3 });
    const both = await rowOf({ response: "x" }, { evaluators: scoring({ scores: { em: 0 }, measures: { n: 2 } }) });
    expect(both).toMatchObject({ outcome: "fail", measures: { n: 2 }, notes: [] });
  });

  it("ignores measures that are not finite or repeat a name, with a note", async () => {
    const odd = { scores: { em: 1 }, measures: { a: Number.NaN, b: "2", em: 3 } };
    const row = await rowOf({ response: "x" }, { evaluators: scoring(odd) });
    expect(row).toMatchObject({ outcome: "pass", scores: { em: 1 }, measures: {} });
    expect(row.notes).toEqual([
      "e1 returned the measure a = NaN; measures must be finite numbers, so it was ignored",
      'e1 returned the measure b = the string "2"; measures must be finite numbers, so it was ignored',
      "e1 also returned em; the first evaluator's value was kept",
    ]);
  });

  it("accepts a score that rounding has pushed out of [0, 1]", async () => {
    const row = await rowOf({ response: "x" }, { evaluators: scoring({ cosine: 1 + 2e-16 * 3 }) });
    expect(row).toMatchObject({ outcome: "pass", scores: { cosine: 1 }, measures: {}, notes: [] });
    expect((await rowOf({ response: "x" }, { evaluators: scoring({ cosine: -1e-17 }) })).scores).toEqual({ cosine: 0 });
  });

  it("stops the run when a measure is requested as the score field", async () => {
    const evaluators = scoring({ scores: { em: 1 }, measures: { characters: 412 } });
    const failed = rowOf({ response: "x" }, { evaluators, scoreField: "characters" });
    await expect(failed).rejects.toThrow('"characters" is a measure and cannot decide pass or fail (here it is 412).');
  });

  it("accepts fields with unusual names", async () => {
    const row = await rowOf({ response: "x" }, { evaluators: scoring({ constructor: 1 }) });
    expect(row).toMatchObject({ outcome: "pass", notes: [] });
    expect(Object.entries(row.scores)).toEqual([["constructor", 1]]);
  });

  it("keeps the first evaluator's value when two return the same field", async () => {
    const row = await rowOf({ response: "x" }, { evaluators: scoring({ f1: 1 }, { f1: 0 }) });
    expect(row).toMatchObject({ scores: { f1: 1 }, notes: [expect.stringContaining("e2 also returned f1")] });
  });

  it("keeps evidence and names what could not be decided", async () => {
    const kept: FinishedTrial[] = [];
    const sink: RowSink = { append: (entry) => kept.push(entry), flush: () => {} };
    const scored = { scores: { f1: 1 }, evidence: { f1: "word for word" }, unscored: { tone: "no judge" } };
    const row = await rowOf({ response: "x" }, { evaluators: scoring(scored), ports: { sink } });
    expect(row).toMatchObject({ scores: { f1: 1 }, notes: ['e1 could not decide "tone": no judge'] });
    expect(kept[0]?.evidence).toEqual({ f1: "word for word" });
  });

  it("ignores metadata that JSON cannot hold, with a note", async () => {
    const circle: Record<string, unknown> = { model: "m" };
    circle.self = circle;
    const row = await rowOf({ response: "yes", metadata: circle });
    expect(row).toMatchObject({ outcome: "pass", metadata: null });
    expect(row.notes).toEqual([expect.stringContaining("metadata")]);
    expect((await rowOf({ response: "yes", metadata: { model: "m" } })).metadata).toEqual({ model: "m" });
    expect((await rowOf({ response: "yes", metadata: "text" })).metadata).toBeNull();
  });
});

describe("requested fields", () => {
  it("stop the run at the first row when no evaluator returns them", async () => {
    const wanted = rowOf({ response: "x" }, { evaluators: scoring({ f2: 1 }), scoreField: "f1" });
    await expect(wanted).rejects.toThrow(ScoreFieldError);
    await expect(wanted).rejects.toThrow('"f1". Did you mean "f2"?');
  });

  it("do not stop the run when the evaluator that may produce them failed or could not decide", async () => {
    const failing = { evaluators: scoring({ f2: 1 }, new Error("down")), scoreField: "f1" };
    expect(await rowOf({ response: "" }, failing)).toMatchObject({ outcome: "unscored" });
    const undecided = { evaluators: scoring({ scores: {}, unscored: { f1: "no gold" } }), scoreField: "f1" };
    expect(await rowOf({ response: "" }, undecided)).toMatchObject({ outcome: "unscored" });
  });
});

describe("a failing run", () => {
  it("keeps what was recorded, and ignores trials that finish later", async () => {
    const slow = gate();
    const appended: (string | number)[] = [];
    let flushed = 0;
    const sink: RowSink = {
      append: ({ row }) => appended.push(row.exampleId),
      flush: () => {
        flushed = appended.length;
      },
    };
    const system = systemOf(async ({ id }) => {
      if (id === 3) await slow.opened;
      return { response: id === 2 ? "bad" : "fine" };
    });
    const tokenizer: Tokenizer = {
      count: (text) => {
        if (text === "bad") throw new Error("cannot count");
        return 1;
      },
    };
    const failed = rowsOf({ systems: [system], dataset: examples(4), ports: { sink, tokenizer } });
    await expect(failed).rejects.toThrow("cannot count");
    const kept = [...appended];
    expect(kept).not.toContain(3);
    expect(flushed).toBe(kept.length);
    slow.open();
    await turn();
    await turn();
    expect(appended).toEqual(kept);
  });

  it.each([1, 8, 64])("starts no further trial when one cannot be recorded (%i workers)", async (maxWorkers) => {
    let calls = 0;
    const system = systemOf(() => {
      calls += 1;
      return { response: "yes" };
    });
    let counted = 0;
    const tokenizer: Tokenizer = {
      count: () => {
        counted += 1;
        if (counted === 30) throw new Error("cannot count");
        return 1;
      },
    };
    const failed = rowsOf({ systems: [system], dataset: examples(500), ports: { tokenizer, maxWorkers } });
    await expect(failed).rejects.toThrow("cannot count");
    expect(calls).toBeLessThanOrEqual(Math.max(30, maxWorkers));
  });

  it("fails with the error of the sink", async () => {
    const sink: RowSink = {
      append: () => {},
      flush: () => {
        throw new Error("disk full");
      },
    };
    for (const process of [() => ({ response: "" }), async () => ({ response: "" })]) {
      const failed = rowsOf({ systems: [systemOf(process)], dataset: examples(3), ports: { sink } });
      await expect(failed).rejects.toThrow("disk full");
    }
  });
});

describe("order", () => {
  async function calls(options: Options): Promise<string[]> {
    const seen: string[] = [];
    const recording = (name: string) =>
      systemOf(({ id }, { trial }) => {
        seen.push(`${trial} ${name} ${id}`);
        return { response: "" };
      }, name);
    await rowsOf({ systems: [recording("a"), recording("b")], dataset: examples(10), ...options });
    return seen;
  }

  it("is trial-major and balanced: every task once before any task twice", async () => {
    const seen = await calls({ trials: 3 });
    for (const trial of [0, 1, 2]) {
      const round = seen.slice(trial * 20, trial * 20 + 20);
      expect(round.every((call) => call.startsWith(`${trial} `))).toBe(true);
      expect(new Set(round).size).toBe(20);
    }
  });

  it("depends only on the seed", async () => {
    const first = await calls({ seed: 1, trials: 2 });
    expect(await calls({ seed: 1, trials: 2 })).toEqual(first);
    expect(await calls({ seed: 2, trials: 2 })).not.toEqual(first);
    const rounds = [first.slice(0, 20), first.slice(20)].map((round) => round.map((call) => call.slice(2)));
    expect(rounds[0]).not.toEqual(rounds[1]);
    expect(rounds[0]).not.toEqual(rounds[0]?.toSorted());
  });

  it("of the rows is by system, example and trial, whatever order they ran in", async () => {
    const late = systemOf(async ({ id }) => {
      for (let i = Number(id); i < 4; i++) await turn();
      return { response: "" };
    }, "late");
    const rows = await rowsOf({
      systems: [systemOf(() => ({ response: "" }), "a"), late],
      dataset: examples(4),
      trials: 2,
    });
    const expected = ["a", "late"].flatMap((name) => [0, 1, 2, 3].flatMap((id) => [0, 1].map((t) => [name, id, t])));
    expect(rows.map((row) => [row.system, row.exampleId, row.trial])).toEqual(expected);
  });
});

describe("the trial context", () => {
  it("holds the trial number, its own seed, no budget and the run's signal", async () => {
    const told: TrialContext[] = [];
    const system = systemOf((_, context) => {
      told.push(context);
      return { response: "" };
    });
    const controller = new AbortController();
    const options = { systems: [system], dataset: examples(3), trials: 2, ports: { signal: controller.signal } };
    await rowsOf(options);
    expect(told.map(({ trial }) => trial)).toEqual([0, 0, 0, 1, 1, 1]);
    expect(new Set(told.map(({ seed }) => seed)).size).toBe(6);
    expect(told[0]).toMatchObject({ budget: null, signal: controller.signal });
    const before = told.splice(0).map(({ seed }) => seed);
    await rowsOf(options);
    expect(told.splice(0).map(({ seed }) => seed)).toEqual(before);
    await rowsOf({ ...options, seed: 1 });
    expect(told.map(({ seed }) => seed)).not.toEqual(before);
  });

  it("logs messages to the row, also from a detached log and from a failed trial", async () => {
    const chatty = systemOf(async ({ id }, { log }) => {
      log("started");
      await turn();
      log("thinking");
      if (id === 1) throw new Error("gave up");
      return { response: "yes" };
    });
    const [fine, failed] = await rowsOf({ systems: [chatty], dataset: examples(2) });
    expect(fine?.notes).toEqual(["started", "thinking"]);
    expect(failed).toMatchObject({ outcome: "error", notes: ["started", "thinking"] });
  });

  it("passes on turns like all other fields", async () => {
    const turns = [
      { role: "user", content: "one two" },
      { role: "assistant", content: "three" },
    ];
    const seen: Example[] = [];
    const system = systemOf((example) => {
      seen.push(example);
      return { response: "yes" };
    });
    const [row] = await rowsOf({ systems: [system], dataset: [{ id: 1, turns }] });
    expect(seen[0]?.turns).toEqual(turns);
    expect(row).toMatchObject({ outcome: "pass", inputTokens: 3 });
  });
});

describe("sync and async", () => {
  it("behave the same for systems, evaluators and datasets", async () => {
    const plain = { systems: [systemOf(({ id }) => ({ response: id === 1 ? "yes" : "no" }))], dataset: examples(3) };
    async function* late() {
      for (const example of examples(3)) yield await turn(example);
    }
    const waiting: Options = {
      systems: [systemOf(async ({ id }) => turn({ response: id === 1 ? "yes" : "no" }))],
      dataset: late(),
      evaluators: [{ name: "answered", score: async (...given) => turn(await ANSWERED.score(...given)) }],
    };
    const timeless = (row: EvalRow) => ({ ...row, latency: null, durationMs: null });
    expect((await rowsOf(waiting)).map(timeless)).toEqual((await rowsOf(plain)).map(timeless));
  });

  it("waits for promises that are not native", async () => {
    // biome-ignore lint/suspicious/noThenProperty: that is what a foreign promise is.
    const foreign = { then: (resolve: (output: Output) => void) => resolve({ response: "yes" }) }; // oxlint-disable-line unicorn/no-thenable
    expect(await rowOf(foreign)).toMatchObject({ outcome: "pass" });
  });
});

describe("maxWorkers", () => {
  it.each([1, 3, 50])("%i: runs this many trials at a time and no more", async (maxWorkers) => {
    let running = 0;
    let most = 0;
    const system = systemOf(async () => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      return { response: "" };
    });
    await rowsOf({ systems: [system], dataset: examples(12), ports: { maxWorkers } });
    expect(most).toBe(Math.min(maxWorkers, 12));
  });
});

describe("a worker", () => {
  it("yields to the event loop among promises that settle at once", async () => {
    let turns = 0;
    let count = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const system = systemOf(async () => {
      const until = performance.now() + 1;
      while (performance.now() < until) count += 1;
      return { response: "yes" };
    });
    const seen: number[] = [];
    const sink = { append: () => {}, flush: () => void seen.push(turns) };
    await rowsOf({ systems: [system], dataset: examples(100), ports: { sink, maxWorkers: 2 } });
    clearInterval(timer);
    expect(count).toBeGreaterThan(0);
    expect(seen.length).toBeGreaterThan(4);
    expect(turns).toBeGreaterThan(2);
  });
});

describe("stopping", () => {
  it("skips everything when stopped before the start", async () => {
    const never = vi.fn(() => ({}));
    const rows = await rowsOf({
      systems: [systemOf(never)],
      dataset: examples(3),
      trials: 2,
      ports: { signal: AbortSignal.abort() },
    });
    expect(rows.map((row) => [row.outcome, row.errorCategory])).toEqual(Array(6).fill(["skipped", "skipped"]));
    expect(rows[0]?.inputTokens).toBe(0);
    expect(never).not.toHaveBeenCalled();
  });

  it("keeps finished trials, drops those that fail meanwhile, and skips the rest", async () => {
    const controller = new AbortController();
    const started: (string | number)[] = [];
    const system = systemOf(({ id }, { signal }) => {
      started.push(id);
      if (started.length < 3) return { response: "yes" };
      return new Promise<Output>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
        controller.abort();
      });
    });
    const ports = { signal: controller.signal, maxWorkers: 1 };
    const rows = await rowsOf({ systems: [system], dataset: examples(6), ports });
    const outcomes = OUTCOMES.map((outcome) => rows.filter((row) => row.outcome === outcome).length);
    expect(outcomes).toEqual([2, 0, 0, 0, 4]);
    expect(started).toHaveLength(3);
  });

  it("does not treat a stopped evaluator as one that could not decide", async () => {
    const controller = new AbortController();
    const judge: Evaluator = {
      name: "judge",
      score: async (_, __, context) => {
        controller.abort();
        context?.signal.throwIfAborted();
        return { quality: 1 };
      },
    };
    const row = await rowOf({ response: "x" }, { evaluators: [judge], ports: { signal: controller.signal } });
    expect(row).toMatchObject({ outcome: "skipped", errorCategory: "skipped" });
  });

  it("does not wait without limit for a system that ignores the signal", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const controller = new AbortController();
    const entered = gate();
    const deaf = systemOf(() => {
      entered.open();
      return new Promise<Output>(() => {});
    });
    const rows = rowsOf({ systems: [deaf], ports: { signal: controller.signal } });
    await entered.opened;
    controller.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await rows).map((row) => row.outcome)).toEqual(["skipped"]);
  });
});

describe("progress", () => {
  it("goes up to the total and counts outcomes", async () => {
    const seen: Progress[] = [];
    const system = systemOf(async ({ id }) => {
      await turn();
      if (id === 0) throw new Error("no");
      return { response: id === 1 ? "yes" : "no", costUsd: 0.5 };
    });
    const ports = { maxWorkers: 1, onProgress: (progress: Progress) => seen.push(progress) };
    await rowsOf({ systems: [system], dataset: examples(4), ports });
    expect(seen.map(({ done }) => done)).toEqual([1, 2, 3, 4]);
    const expected = { done: 4, total: 4, resumed: 0, passed: 1, scored: 3, errors: 1, costUsd: 1.5 };
    expect(seen.at(-1)).toMatchObject(expected);
  });

  it("is complete at the end of the run, also for systems that never wait", async () => {
    const seen: Progress[] = [];
    const ports = { onProgress: (progress: Progress) => seen.push(progress) };
    await rowsOf({ systems: [systemOf(() => ({ response: "" }))], dataset: examples(5), ports });
    const reports = seen.length;
    expect(seen.at(-1)?.done).toBe(5);
    await turn();
    expect(seen).toHaveLength(reports);
  });
});

describe("tokens", () => {
  const example = { id: 1, context: "a b c d e", question: "f g" };
  const tokens = async (output: Output, of: Example = example) => {
    const row = await rowOf(output, { dataset: [of] });
    return [row.inputTokens, row.outputTokens];
  };

  it("of the input are those of context, question and turns", async () => {
    expect(await tokens({})).toEqual([7, 0]);
    expect(await tokens({}, { id: 1, question: "q" })).toEqual([1, 0]);
    const turns = [{ role: "user", content: "h i j" }];
    expect(await tokens({}, { ...example, turns })).toEqual([10, 0]);
  });

  it("of the output are those of added or changed text; text echoed beside a response does not count", async () => {
    expect(await tokens({ response: "x y" })).toEqual([7, 2]);
    expect(await tokens({ ...example, response: "x y" })).toEqual([7, 2]);
    expect(await tokens({ response: "x y", context: "a b" })).toEqual([7, 4]);
    expect(await tokens({ response: "x", summary: "y z" })).toEqual([7, 3]);
    expect(await tokens({ response: "x", stopped: "truncated", latency: 3, metadata: { a: "b" } })).toEqual([7, 1]);
  });

  it("of the output include a context passed on, even when nothing was removed from it", async () => {
    expect(await tokens({ context: "a b" })).toEqual([7, 2]);
    expect(await tokens({ context: "a b c d e" })).toEqual([7, 5]);
    expect(await tokens({ ...example })).toEqual([7, 5]);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "7", undefined])(
    "stop the run when counted as %o",
    async (count) => {
      const tokenizer = { count: () => count as number };
      await expect(rowOf({ response: "" }, { ports: { tokenizer } })).rejects.toThrow(/The tokenizer counted/);
    },
  );

  describe("of a long output", () => {
    const response = "word ".repeat(100_000);
    const output = { response, reasoning: "so be it" };
    const slowly = (text: string, onPiece: () => void) =>
      (function* () {
        for (let start = 0; start < text.length; start += 50_000) {
          for (const end = performance.now() + 10; performance.now() < end; );
          onPiece();
          yield WORDS.count(text.slice(start, start + 50_000));
        }
      })();

    it("are counted in slices between other work", async () => {
      let turns = 0;
      const turnsAt: number[] = [];
      const other = setInterval(() => turns++, 0);
      const countPieces = (text: string) => slowly(text, () => turnsAt.push(turns));
      const row = await rowOf(output, { ports: { tokenizer: { ...WORDS, countPieces } } });
      clearInterval(other);
      expect(row.outputTokens).toBe(100_003);
      expect(new Set(turnsAt).size).toBeGreaterThan(5);
    });

    it("are counted at once by a tokenizer without countPieces", async () => {
      expect((await rowOf(output)).outputTokens).toBe(100_003);
    });

    it("stop the run when counting fails", async () => {
      const counting = (countPieces: Tokenizer["countPieces"]) =>
        rowOf(output, { ports: { tokenizer: { ...WORDS, ...(countPieces && { countPieces }) } } });
      await expect(counting(() => [1, Number.NaN])).rejects.toThrow(/The tokenizer counted the number NaN/);
      const broken = () => {
        throw new Error("no table");
      };
      await expect(counting(broken)).rejects.toThrow("The tokenizer failed: no table.");
    });
  });

  it("are counted once per example for all systems and trials", async () => {
    const counted: string[] = [];
    const tokenizer = { count: (text: string) => counted.push(text) };
    await rowsOf({
      systems: [systemOf(() => ({ tool_calls: [] }), "a"), systemOf(() => ({ tool_calls: [] }), "b")],
      dataset: [{ id: 1, context: "long", question: "q" }],
      trials: 3,
      ports: { tokenizer },
    });
    expect(counted).toEqual(["long", "q"]);
  });
});

describe("measurements of a system", () => {
  it("are kept, and invalid ones are unknown", async () => {
    const output = {
      response: "yes",
      usage: { input: 10, output: 5, cacheRead: 3, note: "kept apart" },
      costUsd: 0.25,
      ttftMs: 12,
      firstAttemptMs: 0,
      successAtMs: -1,
      turns: 2,
      tokensPerSec: Number.NaN,
      partial: true,
    };
    expect(await rowOf(output)).toMatchObject({
      usage: { input: 10, output: 5, cacheRead: 3 },
      costUsd: 0.25,
      costSource: "provider",
      ttftMs: 12,
      firstAttemptMs: 0,
      successAtMs: null,
      turns: 2,
      tokensPerSec: null,
      partial: true,
    });
    expect(await rowOf({ response: "yes" })).toMatchObject({ usage: null, costUsd: null, costSource: "unknown" });
    expect((await rowOf({ costUsd: -1 })).costUsd).toBeNull();
  });

  it("add a note when the usage is invalid", async () => {
    const row = await rowOf({ response: "yes", usage: { input: "10", output: 5 } });
    expect(row).toMatchObject({
      usage: null,
      notes: ["the system reported invalid usage, which was ignored"],
    });
    const odd = await rowOf({ response: "yes", usage: { input: 10, output: 5, cacheRead: Number.NaN } });
    expect(odd.usage).toBeNull();
  });

  it("use the system's own latency if valid, otherwise the time in process", async () => {
    let now = 0;
    const clock = () => now;
    const slow = systemOf(() => {
      now += 250;
      return { response: "yes" };
    });
    const [row] = await rowsOf({ systems: [slow], ports: { clock } });
    expect(row).toMatchObject({ latency: 0.25, durationMs: 250 });
    expect((await rowOf({ response: "", latency: 1.5 }, { ports: { clock } })).latency).toBe(1.5);
    for (const latency of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      expect((await rowOf({ response: "", latency }, { ports: { clock } })).latency).toBe(0);
    }
  });
});
