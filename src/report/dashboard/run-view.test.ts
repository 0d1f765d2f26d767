import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EvalConfig } from "../../core/result.js";
import { ERROR_CATEGORIES, makeRow, OUTCOMES } from "../../core/row.js";
import type { System } from "../../core/system.js";
import { evaluate } from "../../evaluate.js";
import { standardMetrics } from "../../metrics/index.js";
import { loadRun } from "../../runs/load-run.js";
import { readManifest } from "../../store/journal.js";
import { makeManifest, makeTiming } from "../../testing/make-run.js";
import { RunResult } from "../result.js";
import { buildRunCard, toCardParts } from "./cards.js";
import type { RunView } from "./contract.js";
import { RunList } from "./run-list.js";
import { buildRunView } from "./run-view.js";

let runsDir = "";
beforeEach(() => {
  runsDir = mkdtempSync(join(tmpdir(), "assay-view-"));
});
afterEach(() => rmSync(runsDir, { recursive: true, force: true }));

async function viewOf(dir: string, options = { soFar: false }): Promise<RunView> {
  const card = await new RunList({ runsDir: dirname(dir), load: loadRun }).getCard(basename(dir));
  if (card === null) throw new Error("there is no such run");
  return buildRunView({ result: await loadRun(dir, options), manifest: readManifest(dir), card });
}

describe("buildRunView", () => {
  const price = { input: 1e6, output: 2e6, cacheRead: 1e5, cacheWrite: 1e6, cacheWrite1h: 2e6, source: "test" };
  const cheap: System = {
    name: "cheap",
    harness: "api",
    limits: { price, maxCostUsd: 0, hardTimeoutMs: null },
    process: ({ id }) => ({ response: Number(id) < 3 ? "yes" : "no", usage: { input: 10, output: 5 } }),
  };
  const expensive: System = { name: "expensive", process: () => ({ response: "yes", costUsd: 0.5 }) };
  const make = (systems: System[], signal?: AbortSignal) =>
    evaluate({
      systems,
      dataset: [1, 2, 3, 4].map((id) => ({ id, question: "?", answer: "yes" })),
      evaluators: [{ name: "exact", score: ({ answer }, { response }) => ({ score: Number(answer === response) }) }],
      scoreField: "score",
      trials: 2,
      runsDir,
      ...(signal === undefined ? {} : { signal }),
    });

  it("contains the plan, the results and the charts", async () => {
    const result = await make([cheap, expensive]);
    const view = await viewOf(String(result.runDir));
    expect(view).toMatchObject({
      card: { status: "complete", done: 16 },
      config: { trials: 2, scoreField: "score" },
      gitRevision: readManifest(String(result.runDir)).gitRevision,
      assayVersion: readManifest(String(result.runDir)).assayVersion,
    });
    expect(view.summary).toEqual(JSON.parse(JSON.stringify(result.toJSON().summary)));
    expect(view.timing?.wallSeconds).toBe(result.timing.wallSeconds);
    const { charts } = view;
    expect(charts.qualityCost.front).toEqual(["cheap", "expensive"]);
    expect(charts.qualityCost.points[0]).toMatchObject({ harness: "api", quality: 0.5, cost: 2e-5, membership: 1 });
    expect(charts.passCurves.map(({ points }) => points.length)).toEqual([2, 2]);
    expect(charts.tokenCosts[0]?.classes[0]).toEqual({ name: "input", tokens: 80, costUsd: 8e-5 });
    expect(charts.latencies.map(({ n }) => n)).toEqual([8, 8]);
    expect(charts.heatMaps).toEqual([]);
  });

  it("works before the first trial is finished", async () => {
    const { runDir } = await make([expensive], AbortSignal.abort());
    rmSync(join(String(runDir), "summary.json"));
    const view = await viewOf(String(runDir), { soFar: true });
    expect(view).toMatchObject({ card: { status: "incomplete", done: 0 }, timing: null, summary: {} });
    expect(view.charts.qualityCost.points).toMatchObject([{ system: "expensive", quality: null, n: 0 }]);
    expect(view.charts.latencies).toEqual([{ system: "expensive", n: 0, quantiles: null, bins: [] }]);
  });
});

const amount = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0));
const rows = fc.array(
  fc
    .record({
      system: fc.constantFrom("a", "b", "constructor"),
      exampleId: fc.integer({ min: 0, max: 5 }),
      dataset: fc.constantFrom("needle", "other"),
      trial: fc.integer({ min: 0, max: 2 }),
      outcome: fc.constantFrom(...OUTCOMES),
      errorCategory: fc.constantFrom(...ERROR_CATEGORIES),
      score: fc.option(fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0)),
      usage: fc.option(
        fc.record({
          input: fc.nat(),
          output: fc.nat(),
          cacheRead: fc.nat(),
          cacheWrite: fc.nat(),
          reasoning: fc.nat(),
        }),
      ),
      costUsd: amount,
      latency: amount,
      durationMs: amount,
      successAtMs: amount,
      turns: amount,
      tokensPerSec: amount,
      group: fc.option(fc.constantFrom("one", "two")),
      facets: fc.option(fc.record({ depth: fc.constantFrom(0, 0.5), length: fc.constantFrom(1000, "long") })),
    })
    .map(({ score, outcome, ...known }) =>
      makeRow({
        ...known,
        outcome,
        scores: score === null ? {} : { score },
        primaryField: score === null ? null : "score",
        passed: outcome === "pass" ? true : outcome === "fail" ? false : null,
      }),
    ),
  { maxLength: 25 },
);

const dataset = { examples: 6, fingerprint: "", primaryField: "score", evaluators: {} };
const config: EvalConfig = {
  title: "any rows",
  systems: ["a", "b", "constructor", "never run"],
  datasets: ["needle", "other"].map((name) => ({ ...dataset, name, tags: [name] })),
  evaluators: [],
  metrics: [],
  scoreField: "score",
  threshold: 0.7,
  trials: 3,
  seed: 0,
  tokenizer: "none",
};
const tier = { input: 3, output: 5, cacheRead: 7, cacheWrite: 11, cacheWrite1h: 13 };
const manifest = makeManifest({
  planned: 1,
  config,
  systems: {
    a: {
      fingerprint: "a",
      limits: { price: { ...tier, tiers: [{ ...tier, over: 1e6 }], source: "" }, maxCostUsd: 0, hardTimeoutMs: null },
    },
  },
});
const timing = makeTiming();

describe("of any rows", () => {
  it("the view is valid JSON: nothing is undefined, infinite or NaN", () => {
    fc.assert(
      fc.property(rows, (any) => {
        const result = new RunResult({
          rows: any,
          metrics: standardMetrics(3, 2),
          config,
          timing,
          runDir: null,
          notes: [],
        });
        const about = { id: "any", manifest, planned: any.length, wallSeconds: 1, status: "complete" as const };
        const card = buildRunCard({ ...about, ...toCardParts(result) });
        const view = buildRunView({ result, manifest, card });
        // Not with toStrictEqual, which mistakes the system of that name for the constructor of its summary.
        expect(isDeepStrictEqual(JSON.parse(JSON.stringify(view)), view), JSON.stringify(view)).toBe(true);
        expect(card.done).toBe(any.filter(({ outcome }) => outcome !== "skipped").length);
      }),
      { numRuns: 60 },
    );
  });
});
