import { describe, expect, it } from "vitest";
import { type ErrorCategory, type EvalRow, makeRow, type Outcome } from "../core/row.js";
import { createRandom, type Random } from "../stats/index.js";
import { listNamedMetrics } from "./built-in.js";
import { type Summaries, summarize } from "./summarize.js";

const ROW_SETS = 400;

/** How the rows of one set are generated; sets differ, so that edge cases occur in every combination. */
interface Habits {
  systems: number;
  datasets: number;
  examples: number;
  trials: number;
  score: (random: Random) => number;
  amount: (random: Random) => number;
  /** The probability that a value is missing. */
  absent: number;
  /** The probability that a trial ends as an error, unscored or skipped. */
  unscored: number;
  /** The probability that a planned trial has no row. */
  missing: number;
  groups: number | null;
}

const SCORES: Habits["score"][] = [
  (random) => Number(random.next() < 0.5),
  (random) => Number(random.next() < 0.97),
  () => 1,
  () => 0,
  () => 0.7,
  (random) => random.int(3) / 2,
  (random) => random.next(),
  (random) => 1 - random.next() ** 8 / 1000,
];

const AMOUNTS: Habits["amount"][] = [
  () => 0,
  () => 0.1,
  (random) => random.next(),
  (random) => (random.next() < 0.9 ? 0 : random.next() * 1000),
  (random) => Math.exp(20 * random.next() - 10),
];

function pick<T>(random: Random, from: readonly T[]): T {
  return from[random.int(from.length)] as T;
}

function drawHabits(random: Random): Habits {
  return {
    systems: 1 + random.int(3),
    datasets: 1 + random.int(2),
    examples: pick(random, [1, 2, 3, 6, 30, 80]),
    trials: pick(random, [1, 1, 2, 4]),
    score: pick(random, SCORES),
    amount: pick(random, AMOUNTS),
    absent: pick(random, [0, 0.2, 1]),
    unscored: pick(random, [0, 0.3, 1]),
    missing: pick(random, [0, 0, 0.4]),
    groups: pick(random, [null, null, 1, 2, 10]),
  };
}

function drawRows(random: Random): EvalRow[] {
  const habits = drawHabits(random);
  const rows: EvalRow[] = [];
  for (let system = 0; system < habits.systems; system++)
    for (let dataset = 0; dataset < habits.datasets; dataset++)
      for (let example = 0; example < habits.examples; example++)
        for (let trial = 0; trial < habits.trials; trial++)
          if (random.next() >= habits.missing)
            rows.push(
              drawRow(random, habits, {
                system: `s${system}`,
                dataset: `d${dataset}`,
                exampleId: example,
                trial,
                facets: { subject: example % 2, depth: example % 3, length: example % 2 },
                group: habits.groups === null ? null : example % habits.groups,
              }),
            );
  return rows;
}

type Place = Pick<EvalRow, "system" | "dataset" | "exampleId" | "trial" | "facets" | "group">;

function drawRow(random: Random, habits: Habits, place: Place): EvalRow {
  const amount = () => habits.amount(random);
  const orAbsent = (draw: () => number) => (random.next() < habits.absent ? null : draw());
  if (random.next() < habits.unscored) {
    const outcome = pick<Outcome>(random, ["error", "unscored", "skipped"]);
    const errorCategory: ErrorCategory = outcome === "error" ? "api_error" : outcome === "skipped" ? "skipped" : "none";
    return makeRow({ ...place, outcome, errorCategory, costUsd: orAbsent(amount) });
  }
  const score = habits.score(random);
  const passed = score >= 0.7;
  return makeRow({
    ...place,
    outcome: passed ? "pass" : "fail",
    errorCategory: pick<ErrorCategory>(random, passed ? ["none"] : ["logic_error", "cost_killed", "time_killed"]),
    passed,
    scores: { f1: score },
    primaryField: "f1",
    inputTokens: Math.round(amount()),
    outputTokens: Math.round(amount()),
    usage: random.next() < habits.absent ? null : { input: amount(), output: amount() },
    costUsd: orAbsent(amount),
    latency: orAbsent(amount),
    durationMs: orAbsent(amount),
    metadata: { contextTokens: amount(), historyTokens: amount(), queryMs: amount(), ingestMs: orAbsent(amount) },
  });
}

/** The possible range of a value. */
function limitsOf(key: string): [least: number, most: number] {
  if (
    /^(?:dataset|facet|cell):|^(?:mean_score|pass_rate|coverage|error_rate|flaky_rate)$|^pass_(?:at|hat)_\d+$/.test(key)
  )
    return [0, 1];
  return key.endsWith("compression_ratio") ? [Number.NEGATIVE_INFINITY, 1] : [0, Number.POSITIVE_INFINITY];
}

/** Adds problems with the intervals of a summary, and returns the number of intervals. */
function lookAt(summary: Readonly<Record<string, number | null>>, faults: string[]): number {
  const keys = Object.keys(summary).filter((key) => `${key}_ci_low` in summary);
  for (const key of keys) {
    const [value, low, high] = [summary[key], summary[`${key}_ci_low`], summary[`${key}_ci_high`]];
    const [least, most] = limitsOf(key);
    const bounds = [least, low ?? least, value ?? low ?? least, high ?? most, most];
    const isOrdered = bounds.every((bound, i) => i === 0 || bound >= (bounds[i - 1] ?? 0));
    if (!isOrdered) faults.push(`${key}: ${value} [${low}, ${high}]`);
    // Trials that all agree are not certainty.
    if (most === 1 && least === 0 && low !== null && low === high) faults.push(`${key}: ${value} has no width`);
  }
  return keys.length;
}

function summariesOf(rows: readonly EvalRow[]): Summaries {
  return summarize(rows, listNamedMetrics(), { scoreField: "score", threshold: 0.7, seed: 1 });
}

describe("intervals of a summary", () => {
  it("contain their value and stay within its range, for every key of random rows", () => {
    const random = createRandom("plausible intervals");
    const faults: string[] = [];
    const seen = new Set<string>();
    let looked = 0;
    for (let i = 0; i < ROW_SETS; i++) {
      const { summary, across, notes } = summariesOf(drawRows(random));
      expect(notes.filter((note) => note.includes("failed"))).toEqual([]);
      for (const own of [...Object.values(summary), across]) {
        looked += lookAt(own, faults);
        for (const key of Object.keys(own)) if (key.endsWith("_ci_low")) seen.add(key.replace(/_ci_low$/, ""));
      }
    }
    expect(faults).toEqual([]);
    expect(looked).toBeGreaterThan(10_000);
    const keys = ["mean_score", "coverage", "mean_cost_usd", "latency_p99", "cost_per_pass_usd", "pass_hat_4"];
    expect([...seen]).toEqual(expect.arrayContaining([...keys, "prompt_compression_ratio", "frontier_cost_of_pass"]));
  });

  it("are equal for a mean of 0/1 scores and the pass rate, also with trials and groups", () => {
    const random = createRandom("binary scores");
    for (const [trials, groups] of [
      [1, null],
      [3, null],
      [1, 4],
      [2, 4],
    ] as const) {
      const rows = Array.from({ length: 24 * trials }, (_, i) => {
        const score = Number(random.next() < 0.8);
        return makeRow({
          ...{ system: "s", dataset: "d", exampleId: i % 24, trial: Math.floor(i / 24) },
          ...{ outcome: score === 1 ? "pass" : "fail", passed: score === 1, scores: { f1: score }, primaryField: "f1" },
          group: groups === null ? null : i % groups,
        });
      });
      const own = summariesOf(rows).summary.s ?? {};
      for (const end of ["", "_ci_low", "_ci_high", "_n"]) expect(own[`mean_score${end}`]).toBe(own[`pass_rate${end}`]);
      expect(own.mean_score_ci_low).not.toBe(own.mean_score_ci_high);
    }
  });

  it("are around the share of all planned trials, also if numbers of trials differ", () => {
    const row = (exampleId: number, trial: number, outcome: Outcome) =>
      makeRow({ system: "s", dataset: "d", exampleId, trial, outcome, group: exampleId % 10 });
    const rows = Array.from({ length: 40 }, (_, i) =>
      i < 10 ? [0, 1, 2].map((trial) => row(i, trial, "pass")) : [row(i, 0, "skipped")],
    ).flat();
    const own = summariesOf(rows).summary.s ?? {};
    expect(own.coverage).toBe(30 / 60);
    expect(own.coverage_ci_low).toBeLessThan(0.5);
    expect(own.coverage_ci_high).toBeGreaterThan(0.5);
  });
});
