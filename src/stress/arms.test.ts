import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAgent } from "../agents/index.js";
import { createPrice, parseFaultRules } from "../budget/index.js";
import type { EvalRow, Example, System } from "../core/index.js";
import { renderChoices } from "../core/index.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { AnswerQuality, MultipleChoiceAccuracy } from "../evaluators/index.js";
import { ModelSystem } from "../systems/index.js";
import { type MockOptions, startMock } from "../testing/mock/index.js";
import { createArms, type StressPlan } from "./arms.js";
import { type PerturbationKind, perturbByRule, type Rewording } from "./perturb.js";

const TINY_AGENT = fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url));
const PRICE = createPrice({ input_per_1k: 0.001, output_per_1k: 0.002 }, "test");

const QUESTIONS: Example[] = Array.from({ length: 8 }, (_, id) => ({
  id,
  question: `What comes after ${id} in the usual sequence of numbers?`,
  answer: `number ${id + 1}`,
}));
const ANSWERS = QUESTIONS.map(({ question = "", answer = "" }) => ({ question, answer }));

async function openMock(script: MockOptions = {}) {
  const mock = await startMock({ answers: ANSWERS, ...script });
  onTestFinished(() => mock.close());
  return mock;
}

function openModel(url: string, more = {}): ModelSystem {
  const limits = { price: PRICE, maxCostUsd: null, hardTimeoutMs: 60_000 };
  const system = new ModelSystem({ name: "m", model: "m", baseUrl: url, limits, ...more });
  onTestFinished(() => system.close());
  return system;
}

async function openTinyAgent(url: string) {
  const agent = await openAgent({ command: `node ${TINY_AGENT} {prompt}`, name: "tiny", url, maxParallel: 4 });
  onTestFinished(() => agent.close());
  return agent;
}

const stress = (plan: Partial<StressPlan>): StressPlan => ({
  faults: [],
  perturbations: new Map(),
  asksConfidence: false,
  ...plan,
});

async function run(systems: readonly System[], plan: Partial<StressPlan>, more: Partial<EvaluateOptions> = {}) {
  return evaluate({
    systems: createArms(systems, stress(plan)),
    dataset: QUESTIONS,
    evaluators: [new AnswerQuality()],
    scoreField: "contains",
    ...more,
  });
}

/** The faults of each trial, in the order of trials. */
const faultsOf = (rows: readonly EvalRow[]): string[] =>
  rows
    .filter(({ system }) => system.endsWith("(faults)"))
    .map(({ exampleId, trial, faults }) =>
      [exampleId, trial, ...faults.map(({ kind, request }) => `${kind} at ${request}`)].join(" "),
    )
    .sort();

describe("a model under faults", () => {
  it("has as many faults on its rows as the endpoint did not see requests", async () => {
    const mock = await openMock();
    const { rows } = await run(
      [openModel(mock.url)],
      { faults: parseFaultRules("429=0.2:0,503=0.1,disconnect=0.1") },
      { trials: 3 },
    );
    const faulty = rows.filter(({ system }) => system === "m (faults)");
    const injected = faulty.flatMap(({ faults }) => faults);
    const retried = faulty.flatMap(({ attempts }) => attempts);
    expect(injected.length).toBeGreaterThan(3);
    // Every fault is a failed attempt, and none reached the endpoint.
    expect(retried).toHaveLength(injected.length);
    const answered = rows
      .filter(({ outcome }) => outcome === "pass" || outcome === "fail")
      .filter(({ errorCategory }) => errorCategory === "none" || errorCategory === "logic_error");
    expect(mock.requests).toHaveLength(answered.length);
    expect(
      rows.filter(({ system }) => system === "m").every(({ faults, passed }) => faults.length === 0 && passed),
    ).toBe(true);
    for (const { recoveryMs } of injected) expect(recoveryMs === null || recoveryMs > 0).toBe(true);
  });

  it("gets the same faults again in another run, and in one that is resumed", async () => {
    const dir = mkdtempSync(join(tmpdir(), "assay-stress-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const faults = parseFaultRules("429=0.3:0,cut=0.2,slow=0.1:0");
    const mock = await openMock();
    const whole = await run([openModel(mock.url)], { faults }, { trials: 2 });
    const stop = new AbortController();
    const first = await run(
      [openModel(mock.url)],
      { faults },
      {
        trials: 2,
        runsDir: dir,
        maxWorkers: 2,
        signal: stop.signal,
        onProgress: ({ done }) => done >= 9 && stop.abort(),
      },
    );
    expect(first.rows.some(({ outcome }) => outcome === "skipped")).toBe(true);
    const resumed = await run([openModel(mock.url)], { faults }, { trials: 2, resume: first.runDir ?? "" });
    expect(resumed.rows.every(({ outcome }) => outcome !== "skipped")).toBe(true);
    expect(faultsOf(resumed.rows)).toEqual(faultsOf(whole.rows));
    expect(faultsOf(whole.rows).filter((line) => line.includes(" at ")).length).toBeGreaterThan(3);
  });

  it("fails where it does not survive, which is not an error, does not stop the run, and costs what was received", async () => {
    const mock = await openMock();
    const retry = { maxRetries: 1, maxWaitMs: 1000 };
    const { rows, summary } = await run([openModel(mock.url)], { faults: parseFaultRules("500=1") }, { retry });
    const faulty = rows.filter(({ system }) => system === "m (faults)");
    expect(faulty).toHaveLength(QUESTIONS.length);
    for (const row of faulty) {
      expect(row).toMatchObject({
        outcome: "fail",
        passed: false,
        errorCategory: "api_error",
        scores: { contains: 0 },
        primaryField: "contains",
        usage: null,
      });
      expect(row.costUsd ?? 0).toBe(0);
      expect(row.faults).toHaveLength(2);
    }
    expect(summary).toMatchObject({ "m (faults)": { pass_rate: 0, coverage: 1 }, m: { pass_rate: 1, coverage: 1 } });
    expect(mock.requests).toHaveLength(QUESTIONS.length);
  });

  it("has the pass rate of all trials, not of those that survived", async () => {
    const mock = await openMock();
    const { rows, summary } = await run([openModel(mock.url)], { faults: parseFaultRules("cut=0.4") }, { trials: 2 });
    const faulty = rows.filter(({ system }) => system === "m (faults)");
    const passed = faulty.filter((row) => row.passed === true).length;
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(faulty.length);
    expect(summary["m (faults)"]?.pass_rate).toBeCloseTo(passed / faulty.length, 12);
    expect(summary["m (faults)"]?.mean_score).toBeCloseTo(passed / faulty.length, 12);
  });

  it("is billed for the part of an answer that came before it was cut", async () => {
    const mock = await openMock({ outputTokens: 400 });
    const { rows } = await run([openModel(mock.url)], { faults: parseFaultRules("cut=1") });
    const costs = (system: string) => rows.filter((row) => row.system === system).map(({ costUsd }) => costUsd ?? 0);
    expect(costs("m (faults)").every((cost) => cost > 0)).toBe(true);
    expect(Math.max(...costs("m (faults)"))).toBeLessThan(Math.min(...costs("m")));
    expect(rows.filter(({ system }) => system === "m (faults)").every(({ passed }) => passed === false)).toBe(true);
    expect(mock.counts.requests).toBe(2 * QUESTIONS.length);
  });

  it.each(["responses", "anthropic", "gemini"] as const)(
    "is reached through the gateway in the format %s",
    async (dialect) => {
      const mock = await openMock();
      const { rows } = await run([openModel(mock.url, { dialect })], { faults: parseFaultRules("slow=1:0") });
      expect(rows.every(({ passed }) => passed === true)).toBe(true);
      expect(rows.flatMap(({ faults }) => faults)).toHaveLength(QUESTIONS.length);
    },
  );
});

describe("an agent under faults", () => {
  it("recovers if it retries, and fails if it does not", async () => {
    const mock = await openMock({ usage: { input: 100 } });
    const agent = await openTinyAgent(mock.url);
    const dataset = QUESTIONS.slice(0, 6);
    // It retries statuses, but not answers that break.
    const retried = await run([agent], { faults: parseFaultRules("503=0.4") }, { dataset });
    const broken = await run([agent], { faults: parseFaultRules("cut=1") }, { dataset });
    const faulty = ({ rows }: typeof retried) => rows.filter(({ system }) => system === "tiny (faults)");
    const hit = faulty(retried).filter(({ faults }) => faults.length > 0);
    expect(hit.length).toBeGreaterThan(0);
    for (const { passed, faults, attempts } of hit) {
      expect([passed, attempts]).toEqual([true, []]);
      expect(faults.every(({ recoveryMs }) => recoveryMs !== null && recoveryMs > 0)).toBe(true);
    }
    for (const row of faulty(broken)) {
      expect(row).toMatchObject({
        outcome: "fail",
        passed: false,
        faults: [{ kind: "cut", request: 0, recoveryMs: null }],
      });
      // The run does not start the agent again: that would hide the failure.
      expect(row.attempts).toHaveLength(1);
    }
  }, 60_000);
});

describe("an arm with reworded tasks", () => {
  const CHOICES = ["Rome", "Paris", "Bern", "Oslo"];
  const CHOICE_QUESTIONS: Example[] = [0, 1, 2].map((id) => ({
    id,
    question: `Number ${id}: what is the capital of France?\n\n${renderChoices(CHOICES)}`,
    choices: CHOICES,
    answer: "B",
  }));

  const freeze = (kind: Exclude<PerturbationKind, "paraphrase">, examples: readonly Example[]) =>
    new Map([
      [
        kind,
        new Map(
          examples.flatMap((example) => {
            const made = perturbByRule(example, kind, 1);
            return made === null ? [] : [[`\u0000${example.id}`, made] satisfies [string, Rewording]];
          }),
        ),
      ],
    ]);

  it("is graded by the letter that the right choice has in its order", async () => {
    const asked: string[] = [];
    const reader: System = {
      name: "reader",
      // Finds Paris wherever it is.
      process: ({ question = "" }) => {
        asked.push(question);
        return { response: `The answer is ${/([A-D])\. Paris/.exec(question)?.[1]}` };
      },
    };
    const { rows } = await run(
      [reader],
      { perturbations: freeze("reorder", CHOICE_QUESTIONS) },
      {
        dataset: CHOICE_QUESTIONS,
        evaluators: [new MultipleChoiceAccuracy()],
        scoreField: "mc_accuracy",
      },
    );
    expect(rows.map(({ passed }) => passed)).toEqual(Array.from({ length: 6 }, () => true));
    expect(new Set(asked).size).toBe(6);
    const stubborn: System = { name: "stubborn", process: () => ({ response: "The answer is B" }) };
    const fixed = await run(
      [stubborn],
      { perturbations: freeze("reorder", CHOICE_QUESTIONS) },
      {
        dataset: CHOICE_QUESTIONS,
        evaluators: [new MultipleChoiceAccuracy()],
        scoreField: "mc_accuracy",
      },
    );
    expect(fixed.summary).toMatchObject({ stubborn: { pass_rate: 1 } });
    expect(
      fixed.rows.filter(({ system, passed }) => system === "stubborn (reorder)" && !passed).length,
    ).toBeGreaterThan(0);
  });

  it("does not run examples that its perturbation leaves as they are", async () => {
    const mixed: Example[] = [...CHOICE_QUESTIONS, { id: 9, question: "No choices here.", answer: "A" }];
    const system: System = { name: "s", process: () => ({ response: "A" }) };
    const { rows, config } = await run(
      [system],
      { perturbations: freeze("reorder", mixed) },
      { dataset: mixed, trials: 2 },
    );
    const counts = (name: string) => rows.filter((row) => row.system === name).length;
    expect([counts("s"), counts("s (reorder)")]).toEqual([8, 6]);
    expect(config.arms).toEqual({ s: { system: "s", kind: "clean" }, "s (reorder)": { system: "s", kind: "reorder" } });
  });
});

it("asks every arm for a confidence, which is graded apart from the answer", async () => {
  const system: System = {
    name: "s",
    process: ({ question = "" }) => ({
      response: question.includes("Confidence: 85%") ? "number 1\nConfidence: 40%" : "it was not asked",
    }),
  };
  const { rows } = await run([system], { asksConfidence: true, faults: [] }, { dataset: QUESTIONS.slice(0, 1) });
  expect(rows).toMatchObject([{ passed: true, confidence: 0.4 }]);
  expect(rows[0]?.notes ?? []).toEqual([]);
});

it("notes answers without a confidence, and the report counts them", async () => {
  const system: System = { name: "s", process: () => ({ response: "number 1" }) };
  const { rows, notes } = await run([system], { asksConfidence: true, faults: [] }, { dataset: QUESTIONS.slice(0, 2) });
  expect(rows[0]).toMatchObject({ passed: true, confidence: null, notes: ["no confidence was stated"] });
  expect(notes).toContain("s: no confidence was stated (2 of 2 trials)");
});

describe("createArms", () => {
  it("rejects recordings, and faults for systems that do not call models through the gateway", () => {
    const system: System = { name: "s", process: () => ({ response: "" }) };
    expect(() => createArms([{ ...system, isRecorded: true }], stress({}))).toThrow(/s is a recording/);
    expect(() => createArms([system], stress({ faults: parseFaultRules("429=0.1") }))).toThrow(
      /Faults cannot be injected into s: its model calls do not pass through Assay's gateway/,
    );
    const odd = new ModelSystem({
      model: "m",
      baseUrl: "https://h/v1/projects/p/publishers/anthropic",
      dialect: "anthropic",
    });
    expect(() => createArms([odd], stress({ faults: parseFaultRules("429=0.1") }))).toThrow(
      /Faults cannot be injected/,
    );
  });
});
