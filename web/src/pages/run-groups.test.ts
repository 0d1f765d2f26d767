import { describe, expect, test } from "vitest";
import { createRunCard, createSystemCard } from "../../../src/report/dashboard/card-testing.js";
import {
  buildLeaderboardEntries,
  explainPassedOver,
  groupRuns,
  listSystemNames,
  listThresholds,
} from "./run-groups.js";

const ALL = () => true;
const QA = { name: "qa", examples: 10, fingerprint: "f1" };
const CODE = { name: "code", examples: 5, fingerprint: "c1" };

function day(date: number): string {
  return `2026-11-${String(date).padStart(2, "0")}T12:00:00Z`;
}

describe("groups of runs", () => {
  test("hold runs over the same examples, the group with the newest run first", () => {
    const runs = [
      createRunCard("old", { createdAt: day(1), datasets: [QA, CODE] }),
      createRunCard("other content", { createdAt: day(2), datasets: [{ ...QA, fingerprint: "f2" }] }),
      createRunCard("newest", { createdAt: day(3), datasets: [CODE, QA] }),
    ];
    expect(groupRuns(runs).map((group) => group.runs.map(({ id }) => id))).toEqual([
      ["newest", "old"],
      ["other content"],
    ]);
  });

  test("follow the dataset of the filter, whatever else a run used", () => {
    const runs = [createRunCard("both", { datasets: [QA, CODE] }), createRunCard("one", { datasets: [QA] })];
    expect(groupRuns(runs)).toHaveLength(2);
    const [group, ...others] = groupRuns(runs, "qa");
    expect(others).toEqual([]);
    expect(group?.datasets).toEqual([QA]);
    expect(group?.runs).toHaveLength(2);
  });
});

function buildEntries(
  runs: Parameters<typeof groupRuns>[0],
  fits: Parameters<typeof buildLeaderboardEntries>[1] = ALL,
) {
  return groupRuns(runs).flatMap((group) => buildLeaderboardEntries(group, fits));
}

describe("the entries of a leaderboard", () => {
  const scored = (rate: number) => createSystemCard("s", { pass_rate: rate });

  test("leave out a run that was stopped before it had results, unless there is no other", () => {
    const outcomes = { pass: 0, fail: 0, error: 0, unscored: 0, skipped: 10 };
    const stopped = createRunCard("stopped", {
      createdAt: day(2),
      status: "incomplete",
      systems: [createSystemCard("s", {}, { outcomes }), createSystemCard("alone", {}, { outcomes })],
    });
    const broken = createRunCard("broken", {
      createdAt: day(3),
      systems: [createSystemCard("t", {}, { outcomes: { ...outcomes, error: 10, skipped: 0 } })],
    });
    const first = createRunCard("first", {
      createdAt: day(1),
      systems: [scored(0.1), createSystemCard("t", { pass_rate: 1 })],
    });
    const runsByName = Object.fromEntries(
      buildEntries([first, stopped, broken]).map(({ run, name }) => [name, run.id]),
    );
    expect(runsByName).toEqual({ s: "first", alone: "stopped", t: "broken" });
  });

  test("keep a good run when a newer one hardly worked, and say which was left out and why", () => {
    const covered = (coverage: number, rate: number) => createSystemCard("s", { coverage, pass_rate: rate });
    const good = createRunCard("good", { createdAt: day(1), systems: [covered(1, 0.8)] });
    const bad = createRunCard("bad", { createdAt: day(2), systems: [covered(0.35, 0.6)] });
    const stopped = createRunCard("stopped", { createdAt: day(3), status: "incomplete", systems: [covered(0.32, 1)] });
    const [entry] = buildEntries([good, bad, stopped]);
    expect(entry).toMatchObject({ run: { id: "good" }, doubt: null, previous: null });
    const passedOver = entry?.passedOver;
    expect(passedOver?.run.id).toBe("stopped");
    expect(explainPassedOver(passedOver ? [passedOver] : [])).toBe(
      "the run was stopped: only 32 % of the planned trials were scored",
    );
    expect(
      explainPassedOver([
        { run: bad, card: covered(0.4, 1) },
        { run: bad, card: covered(0.3, 1) },
      ]),
    ).toBe("only 30 % to 40 % of the planned trials of each system were scored");
    const [alone] = buildEntries([bad]);
    expect(alone).toMatchObject({
      run: { id: "bad" },
      doubt: "35 % of its planned trials were scored",
      passedOver: null,
    });
  });

  test("name the systems of all runs, by which colors are assigned", () => {
    const pi = createSystemCard("s", {}, { harness: "pi" });
    const runs = [
      createRunCard("one", { systems: [pi, createSystemCard("t")] }),
      createRunCard("two", { systems: [pi, createSystemCard("s", {}, { harness: "codex" })] }),
    ];
    expect(listSystemNames({ runs })).toEqual(["s (pi)", "t", "s (codex)"]);
  });

  test("are the latest finished run of each system, with the previous run that has figures", () => {
    const lines = buildEntries([
      createRunCard("first", { createdAt: day(1), systems: [scored(0.1)] }),
      createRunCard("failed", { createdAt: day(2), systems: [createSystemCard("s")] }),
      createRunCard("latest", { createdAt: day(3), systems: [scored(0.3)], status: "incomplete" }),
      createRunCard("going", { createdAt: day(4), systems: [scored(0.4)], status: "running" }),
      createRunCard("broken", { createdAt: day(5), systems: [scored(0.5)], status: "damaged" }),
    ]);
    expect(lines.map(({ run, previous }) => [run.id, previous?.run.id])).toEqual([["latest", "first"]]);
  });

  test("are compared with previous runs that the filter hides", () => {
    const runs = [1, 2, 3].map((date) => createRunCard(`r${date}`, { createdAt: day(date), systems: [scored(0.5)] }));
    const lines = buildEntries(runs, ({ run }) => run.id === "r2");
    expect(lines.map(({ run, previous }) => [run.id, previous?.run.id])).toEqual([["r2", "r1"]]);
  });

  test("separate harnesses, and name them where a system has several", () => {
    const systems = [createSystemCard("m", {}, { harness: "codex" }), createSystemCard("alone", {}, { harness: "pi" })];
    const lines = buildEntries([
      createRunCard("a", { systems }),
      createRunCard("b", { systems: [createSystemCard("m", {}, { harness: null })] }),
    ]);
    expect(lines.map(({ name }) => name).sort()).toEqual(["alone", "m (codex)", "m (no harness)"]);
  });

  test("are ranked by quality and cost per pass; those without one of them come last", () => {
    const figures = (quality: number, cost: number) => ({ mean_score: quality, cost_per_pass_usd: cost });
    const systems = [
      createSystemCard("best", figures(0.9, 3)),
      createSystemCard("cheap", figures(0.5, 1)),
      createSystemCard("beaten", figures(0.5, 2)),
      createSystemCard("free", figures(0.4, 0)),
      createSystemCard("unscored", { cost_per_pass_usd: 1 }),
    ];
    const ranks = Object.fromEntries(
      buildEntries([createRunCard("r", { systems })]).map(({ name, rank }) => [name, rank]),
    );
    expect(ranks).toEqual({ best: 1, cheap: 1, beaten: 2, free: 1, unscored: 3 });
  });

  test("are ranked by tokens per pass where one of them has no price", () => {
    const systems = [
      createSystemCard("dear", { mean_score: 0.9, cost_per_pass_usd: 3, cost_of_pass: 10 }, { costUsd: 9 }),
      createSystemCard("cheap", { mean_score: 0.5, cost_per_pass_usd: 1, cost_of_pass: 20 }, { costUsd: 3 }),
      createSystemCard("unpriced", { mean_score: 0.9, cost_of_pass: 5 }),
    ];
    const ranks = Object.fromEntries(
      buildEntries([createRunCard("r", { systems })]).map(({ name, rank }) => [name, rank]),
    );
    expect(ranks).toEqual({ dear: 2, cheap: 3, unpriced: 1 });
  });

  test("are ranked by dollars although one passed nothing or never ran", () => {
    const outcomes = (known: object) => ({
      outcomes: { pass: 0, fail: 0, error: 0, unscored: 0, skipped: 0, ...known },
    });
    const systems = [
      createSystemCard("good", { mean_score: 0.9, cost_per_pass_usd: 3 }, { costUsd: 9 }),
      createSystemCard("worse", { mean_score: 0.5, cost_per_pass_usd: 4 }, { costUsd: 9 }),
      createSystemCard("best by score", { mean_score: 0.95 }, { costUsd: 2, ...outcomes({ fail: 9 }) }),
      createSystemCard("broken", {}, outcomes({ error: 9 })),
    ];
    const ranks = Object.fromEntries(
      buildEntries([createRunCard("r", { systems })]).map(({ name, rank }) => [name, rank]),
    );
    expect(ranks).toEqual({ good: 1, worse: 2, "best by score": 1, broken: 3 });
  });

  test("are ranked by tokens per pass where no price is known", () => {
    const systems = [
      createSystemCard("short", { mean_score: 0.5, cost_of_pass: 10 }),
      createSystemCard("long", { mean_score: 0.5, cost_of_pass: 20 }),
    ];
    expect(buildEntries([createRunCard("r", { systems })]).map(({ rank }) => rank)).toEqual([1, 2]);
  });

  test("reveal hidden characters in names", () => {
    const [line] = buildEntries([createRunCard("r", { systems: [createSystemCard("a\u202eb")] })]);
    expect(line?.name).toBe("a⟨U+202E⟩b");
  });

  test("list the different thresholds of their runs", () => {
    const runs = [
      createRunCard("a", { threshold: 0.7, systems: [createSystemCard("x")] }),
      createRunCard("b", { threshold: 0.5, systems: [createSystemCard("y")] }),
    ];
    expect(listThresholds(buildEntries(runs))).toEqual([0.5, 0.7]);
  });
});
