import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parseFaultRules } from "../budget/index.js";
import type { Canary, Output, Price, System, TrialContext } from "../core/index.js";
import { getExampleKey, TrialError } from "../core/index.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { createArms } from "../stress/index.js";

/** A dollar for a thousand input tokens. */
const PRICE: Price = {
  input: 1_000_000_000,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  source: "test",
};

const CANARY: Canary = {
  example: { id: "(canary)", question: "Say ready" },
  findProblem: ({ response }) => (response === "ready" ? null : `it said ${response}`),
};

const dataset = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, question: `Question ${id}`, answer: "right" }));

interface Behavior {
  /** What it says to the canary. */
  readonly says?: string;
  readonly canary?: Partial<Canary> | null;
  readonly fails?: Error;
  /** Called before each call, with the number of calls so far. */
  readonly before?: (calls: number) => void;
}

/** A system that costs a dollar per trial, and half a dollar for its canary. Lists its calls. */
function makeSystem(name: string, { says = "ready", canary = {}, fails, before }: Behavior = {}) {
  const calls: (string | number)[] = [];
  const system: System = {
    name,
    limits: { price: PRICE, maxCostUsd: 1, hardTimeoutMs: null },
    ...(canary !== null && { canary: { ...CANARY, ...canary } }),
    process: ({ id, question }, { signal }: TrialContext): Output => {
      before?.(calls.length);
      signal.throwIfAborted();
      calls.push(id);
      const isCanary = question === "Say ready";
      if (isCanary && fails !== undefined) throw fails;
      return { response: isCanary ? says : "right", usage: { input: isCanary ? 500 : 1000, output: 0 } };
    },
  };
  return { system, calls };
}

function run(systems: readonly System[], options: Partial<EvaluateOptions> = {}) {
  return evaluate({
    systems,
    dataset: dataset(10),
    evaluators: [new AnswerQuality()],
    retry: { maxRetries: 0 },
    ...options,
  });
}

function makeRunsDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "assay-canary-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

it("runs before the trials, and a system that fails it is not run, while the others are", async () => {
  const good = makeSystem("good");
  const bad = makeSystem("bad", { says: "no tools" });
  const broken = makeSystem("broken", { fails: new TrialError("system_error", "unknown option --x") });
  const plain = makeSystem("plain", { canary: null });
  const { rows, notes } = await run([good.system, bad.system, broken.system, plain.system]);
  expect(good.calls).toHaveLength(11);
  expect(good.calls[0]).toBe("(canary)");
  expect([bad.calls, broken.calls]).toEqual([["(canary)"], ["(canary)"]]);
  expect(plain.calls).toHaveLength(10);
  const outcomes = (name: string) => [
    ...new Set(rows.filter(({ system }) => system === name).map((row) => row.outcome)),
  ];
  expect(["good", "bad", "broken", "plain"].map(outcomes)).toEqual([["pass"], ["skipped"], ["skipped"], ["pass"]]);
  expect(rows.find(({ system }) => system === "bad")?.notes).toEqual(["not run: its canary failed: it said no tools"]);
  expect(notes).toContainEqual(expect.stringContaining("good passed ($0.5000), bad failed ($0.5000), broken failed ("));
  expect(notes.join("\n")).toContain(
    '"broken" was stopped, and 10 trials were not run: its canary failed: unknown option --x. Fix it, then continue with --resume.',
  );
  expect(rows).toHaveLength(40);
});

it("is left out before fewer than ten trials of all such systems, unless it is wanted always", async () => {
  const few = makeSystem("few");
  await run([few.system], { dataset: dataset(9) });
  expect(few.calls).toHaveLength(9);
  const [one, two] = [makeSystem("one"), makeSystem("two")];
  await run([one.system, two.system], { dataset: dataset(5) });
  expect([one.calls.length, two.calls.length]).toEqual([6, 6]);
  const always = makeSystem("always", { canary: { isAlways: true } });
  await run([always.system], { dataset: dataset(1) });
  expect(always.calls).toEqual(["(canary)", 0]);
});

it("counts in the budget, apart from the trials, and only what it cost", async () => {
  const { system, calls } = makeSystem("good");
  const { rows, budget, notes } = await run([system], { budget: { run: { maxCostUsd: 8.5 } } });
  expect(calls).toHaveLength(9);
  expect(rows.filter(({ outcome }) => outcome === "pass")).toHaveLength(8);
  expect(budget).toMatchObject({ spentUsd: 8.5, trialsUsd: 8, canaryUsd: 0.5, ungradedUsd: 0, repeatedUsd: 0 });
  expect(notes).toContain("$0.5000 of what was spent went to canaries");
});

it("is run again on resume after its cause is fixed, and what it cost before still counts", async () => {
  const runsDir = makeRunsDir();
  const bad = makeSystem("agent", { says: "no" });
  const budget = { run: { maxCostUsd: 100 } };
  const first = await run([bad.system], { runsDir, budget });
  expect(first.budget).toMatchObject({ spentUsd: 0.5, trialsUsd: 0, canaryUsd: 0.5 });
  const resume = first.runDir ?? "";
  expect(readFileSync(join(resume, "rows.jsonl"), "utf8")).toContain('"why":"canary"');
  const fixed = makeSystem("agent");
  const again = await run([fixed.system], { resume, budget });
  expect(fixed.calls).toHaveLength(11);
  expect(again.rows.map(({ outcome }) => outcome)).toEqual(Array(10).fill("pass"));
  expect(again.budget).toMatchObject({ spentUsd: 11, trialsUsd: 10, canaryUsd: 1, lostUsd: 0 });
});

it("is not run again on resume when the system has worked before", async () => {
  const runsDir = makeRunsDir();
  const stop = new AbortController();
  const before = (calls: number) => {
    if (calls === 4) stop.abort();
  };
  const { system } = makeSystem("agent", { before });
  const options = { dataset: dataset(20), maxWorkers: 1 };
  const first = await run([system], { ...options, runsDir, signal: stop.signal });
  const done = first.rows.filter(({ outcome }) => outcome === "pass").length;
  expect(done).toBeGreaterThan(0);
  const rest = makeSystem("agent");
  await run([rest.system], { ...options, resume: first.runDir ?? "" });
  expect(rest.calls).toHaveLength(20 - done);
  expect(rest.calls).not.toContain("(canary)");
});

it("says nothing when the run was stopped meanwhile, so that all continues on resume", async () => {
  const stop = new AbortController();
  const { system, calls } = makeSystem("agent", { before: () => stop.abort() });
  const { rows, notes } = await run([system], { signal: stop.signal });
  expect(calls).toEqual([]);
  expect(rows.every(({ outcome, notes: said }) => outcome === "skipped" && said.length === 0)).toBe(true);
  expect(notes.join()).not.toContain("was stopped");
});

/** Clean, with faults and reworded: each a system with the same work. */
function makeArms(system: System): System[] {
  const rewordings = new Map([[getExampleKey(dataset(1)[0] ?? { id: 0 }), { text: "Reworded" }]]);
  const faults = parseFaultRules("slow=0.5:0");
  const perturbations = new Map([["typos" as const, rewordings]]);
  return createArms([{ ...system, takesFaults: true }], { faults, perturbations, asksConfidence: true });
}

it("runs once for all arms of a stress test, which are not run if it fails", async () => {
  const bad = makeSystem("bad", { says: "no tools" });
  const failed = await run(makeArms(bad.system), { dataset: dataset(5) });
  expect(bad.calls).toEqual(["(canary)"]);
  expect(failed.rows.map(({ outcome }) => outcome)).toEqual(Array(failed.rows.length).fill("skipped"));
  expect(failed.rows.find(({ system }) => system === "bad (faults)")?.notes).toEqual([
    "not run: its canary failed: it said no tools",
  ]);
  const good = makeSystem("good");
  const passed = await run(makeArms(good.system), { dataset: dataset(5) });
  expect(good.calls.filter((id) => id === "(canary)")).toHaveLength(1);
  expect(good.calls).toHaveLength(1 + passed.rows.length);
});

it("is left out before fewer than ten trials of all arms together", async () => {
  const { system, calls } = makeSystem("few");
  await run(makeArms(system), { dataset: dataset(4) });
  expect(calls).not.toContain("(canary)");
});
