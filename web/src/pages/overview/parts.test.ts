import { describe, expect, test } from "vitest";
import { sampleRun, sampleSystem } from "../../../../src/report/dashboard/card-testing.js";
import { entriesOf, partsOf, thresholdsOf } from "./parts.js";

const ALL = () => true;
const QA = { name: "qa", examples: 10, fingerprint: "f1" };
const CODE = { name: "code", examples: 5, fingerprint: "c1" };

function day(date: number): string {
  return `2026-11-${String(date).padStart(2, "0")}T12:00:00Z`;
}

describe("parts", () => {
  test("hold runs that were asked the same, the part with the newest run first", () => {
    const runs = [
      sampleRun("old", { createdAt: day(1), datasets: [QA, CODE] }),
      sampleRun("other content", { createdAt: day(2), datasets: [{ ...QA, fingerprint: "f2" }] }),
      sampleRun("newest", { createdAt: day(3), datasets: [CODE, QA] }),
    ];
    expect(partsOf(runs).map((part) => part.runs.map(({ id }) => id))).toEqual([["newest", "old"], ["other content"]]);
  });

  test("go by the dataset that is filtered by, whatever else a run was asked", () => {
    const runs = [sampleRun("both", { datasets: [QA, CODE] }), sampleRun("one", { datasets: [QA] })];
    expect(partsOf(runs)).toHaveLength(2);
    const [part, ...others] = partsOf(runs, "qa");
    expect(others).toEqual([]);
    expect(part?.datasets).toEqual([QA]);
    expect(part?.runs).toHaveLength(2);
  });
});

function linesOf(runs: Parameters<typeof partsOf>[0], fits: Parameters<typeof entriesOf>[1] = ALL) {
  return partsOf(runs).flatMap((part) => entriesOf(part, fits));
}

describe("lines of the leaderboard", () => {
  const scored = (rate: number) => sampleSystem("s", { pass_rate: rate });

  test("leave out a run that was stopped before it had anything, unless there is no other", () => {
    const outcomes = { pass: 0, fail: 0, error: 0, unscored: 0, skipped: 10 };
    const stopped = sampleRun("stopped", {
      createdAt: day(2),
      status: "incomplete",
      systems: [sampleSystem("s", {}, { outcomes }), sampleSystem("alone", {}, { outcomes })],
    });
    const broken = sampleRun("broken", {
      createdAt: day(3),
      systems: [sampleSystem("t", {}, { outcomes: { ...outcomes, error: 10, skipped: 0 } })],
    });
    const first = sampleRun("first", {
      createdAt: day(1),
      systems: [scored(0.1), sampleSystem("t", { pass_rate: 1 })],
    });
    const runOf = Object.fromEntries(linesOf([first, stopped, broken]).map(({ run, name }) => [name, run.id]));
    expect(runOf).toEqual({ s: "first", alone: "stopped", t: "broken" });
  });

  test("are the latest run of each system that has ended, with the run before that measured something", () => {
    const lines = linesOf([
      sampleRun("first", { createdAt: day(1), systems: [scored(0.1)] }),
      sampleRun("failed", { createdAt: day(2), systems: [sampleSystem("s")] }),
      sampleRun("latest", { createdAt: day(3), systems: [scored(0.3)], status: "incomplete" }),
      sampleRun("going", { createdAt: day(4), systems: [scored(0.4)], status: "running" }),
      sampleRun("broken", { createdAt: day(5), systems: [scored(0.5)], status: "damaged" }),
    ]);
    expect(lines.map(({ run, previous }) => [run.id, previous?.run.id])).toEqual([["latest", "first"]]);
  });

  test("that a filter leaves are still held against runs that it does not", () => {
    const runs = [1, 2, 3].map((date) => sampleRun(`r${date}`, { createdAt: day(date), systems: [scored(0.5)] }));
    const lines = linesOf(runs, ({ run }) => run.id === "r2");
    expect(lines.map(({ run, previous }) => [run.id, previous?.run.id])).toEqual([["r2", "r1"]]);
  });

  test("keep harnesses apart, and name them where a system has several", () => {
    const systems = [sampleSystem("m", {}, { harness: "codex" }), sampleSystem("alone", {}, { harness: "pi" })];
    const lines = linesOf([
      sampleRun("a", { systems }),
      sampleRun("b", { systems: [sampleSystem("m", {}, { harness: null })] }),
    ]);
    expect(lines.map(({ name }) => name).sort()).toEqual(["alone", "m (codex)", "m (no harness)"]);
  });

  test("are ranked by quality and cost per pass; what lacks one ranks last", () => {
    const figures = (quality: number, cost: number) => ({ mean_score: quality, cost_per_pass_usd: cost });
    const systems = [
      sampleSystem("best", figures(0.9, 3)),
      sampleSystem("cheap", figures(0.5, 1)),
      sampleSystem("beaten", figures(0.5, 2)),
      sampleSystem("free", figures(0.4, 0)),
      sampleSystem("unscored", { cost_per_pass_usd: 1 }),
    ];
    const ranks = Object.fromEntries(linesOf([sampleRun("r", { systems })]).map(({ name, rank }) => [name, rank]));
    expect(ranks).toEqual({ best: 1, cheap: 1, beaten: 2, free: 1, unscored: 3 });
  });

  test("are ranked by tokens for each pass where one of them has no price, as in its run", () => {
    const systems = [
      sampleSystem("dear", { mean_score: 0.9, cost_per_pass_usd: 3, cost_of_pass: 10 }, { costUsd: 9 }),
      sampleSystem("cheap", { mean_score: 0.5, cost_per_pass_usd: 1, cost_of_pass: 20 }, { costUsd: 3 }),
      sampleSystem("unpriced", { mean_score: 0.9, cost_of_pass: 5 }),
    ];
    const ranks = Object.fromEntries(linesOf([sampleRun("r", { systems })]).map(({ name, rank }) => [name, rank]));
    expect(ranks).toEqual({ dear: 2, cheap: 3, unpriced: 1 });
  });

  test("are ranked by dollars although one passed nothing or never ran", () => {
    const outcomes = (known: object) => ({
      outcomes: { pass: 0, fail: 0, error: 0, unscored: 0, skipped: 0, ...known },
    });
    const systems = [
      sampleSystem("good", { mean_score: 0.9, cost_per_pass_usd: 3 }, { costUsd: 9 }),
      sampleSystem("worse", { mean_score: 0.5, cost_per_pass_usd: 4 }, { costUsd: 9 }),
      sampleSystem("best by score", { mean_score: 0.95 }, { costUsd: 2, ...outcomes({ fail: 9 }) }),
      sampleSystem("broken", {}, outcomes({ error: 9 })),
    ];
    const ranks = Object.fromEntries(linesOf([sampleRun("r", { systems })]).map(({ name, rank }) => [name, rank]));
    expect(ranks).toEqual({ good: 1, worse: 2, "best by score": 1, broken: 3 });
  });

  test("are ranked by tokens for each pass where no price is known", () => {
    const systems = [
      sampleSystem("short", { mean_score: 0.5, cost_of_pass: 10 }),
      sampleSystem("long", { mean_score: 0.5, cost_of_pass: 20 }),
    ];
    expect(linesOf([sampleRun("r", { systems })]).map(({ rank }) => rank)).toEqual([1, 2]);
  });

  test("show marks in place of characters that hide", () => {
    const [line] = linesOf([sampleRun("r", { systems: [sampleSystem("a\u202eb")] })]);
    expect(line?.name).toBe("a⟨U+202E⟩b");
  });

  test("tell when runs were passed at different thresholds", () => {
    const runs = [
      sampleRun("a", { threshold: 0.7, systems: [sampleSystem("x")] }),
      sampleRun("b", { threshold: 0.5, systems: [sampleSystem("y")] }),
    ];
    expect(thresholdsOf(linesOf(runs))).toEqual([0.5, 0.7]);
  });
});
