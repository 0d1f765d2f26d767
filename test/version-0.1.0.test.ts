import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FinishedCommand, parseReport, runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

/**
 * A project written by version 0.1.0: a config, a cache, a finished run, and one that was killed after two of six trials.
 * FOLDER and HOST stand for where it was written.
 */
const PROJECT = join(import.meta.dirname, "version-0.1.0");

function openProject(): TempProject {
  const space = new TempProject();
  cpSync(PROJECT, space.dir, { recursive: true });
  for (const run of ["finished", "interrupted"]) fill(space.path("runs", run, "manifest.json"), "FOLDER", space.dir);
  fill(space.path("runs/interrupted/lock"), "HOST", hostname());
  return space;
}

function fill(file: string, placeholder: string, value: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(placeholder, value));
}

/** Example ids that the system was called with. */
function readCalls(space: TempProject): string[] {
  return existsSync(space.path("calls.txt")) ? space.read("calls.txt").trim().split("\n") : [];
}

function summarize(finished: FinishedCommand) {
  const { summary, config, rows } = parseReport(finished);
  return { ...config, passRate: summary.capitals?.pass_rate, outcomes: rows.map(({ outcome }) => outcome).sort() };
}

const OUTCOMES = ["fail", "fail", "pass", "pass", "pass", "pass"];

describe("data of version 0.1.0", () => {
  it("contains a run that can be reported with its figures", async () => {
    const space = openProject();
    const report = summarize(await runAssay(space.dir, "report", "runs/finished", "--output", "json"));
    const stored = JSON.parse(space.read("runs/finished/summary.json")) as { summary: { capitals: object } };
    expect(stored.summary.capitals).toMatchObject({ pass_rate: report.passRate, num_pass: 4 });
    expect(report).toMatchObject({ title: "Capitals", scoreField: "contains", seed: 7, outcomes: OUTCOMES });
  });

  it("contains a run whose trials can be shown, queried and compared", async () => {
    const space = openProject();
    expect((await runAssay(space.dir, "show", "runs/finished", "it#1")).stdout).toContain("The capital is Rome.");
    const counted = await runAssay(
      space.dir,
      "query",
      "select count(*) as n from rows",
      "--runs-dir",
      "runs",
      "--output",
      "json",
    );
    expect(counted.stdout).toMatch(/"n": ?8\b/);
    expect(await runAssay(space.dir, "compare", "runs/finished", "runs/interrupted")).toMatchObject({ code: 0 });
  });

  it("contains a run that can be graded again without calling the system", async () => {
    const space = openProject();
    const args = ["grade", "runs/finished", "--score-field", "exact_match", "--quiet", "--output", "json"];
    const { title, passRate } = summarize(await runAssay(space.dir, ...args));
    expect(title).toBe("Capitals, graded again");
    expect(passRate).toBeCloseTo(1 / 3, 12);
    expect(readCalls(space)).toEqual([]);
  });

  it("contains a run that can be resumed: only missing trials are run", async () => {
    const space = openProject();
    const finished = await runAssay(space.dir, "run", "--resume", "runs/interrupted", "--quiet", "--output", "json");
    expect(summarize(finished)).toMatchObject({ title: "Interrupted", outcomes: OUTCOMES });
    expect(readCalls(space).sort()).toEqual(["fr", "it", "pe", "pe"]);
  });

  it("is not resumed with another scoring: answer_quality has changed since", async () => {
    const space = openProject();
    const resumed = await runAssay(space.dir, "run", "--resume", "runs/finished", "--quiet");
    expect(resumed.code).toBe(2);
    expect(resumed.stderr).toContain('evaluator "answer_quality": its code or settings changed');
  });

  it("contains a valid config and a usable cache", async () => {
    const space = openProject();
    const finished = await runAssay(space.dir, "run", "--quiet", "--output", "json");
    expect(finished.code).toBe(0);
    expect(summarize(finished)).toMatchObject({
      title: "Capitals",
      threshold: 1,
      trials: 2,
      seed: 7,
      outcomes: OUTCOMES,
    });
    expect(parseReport(finished).rows.every(({ cached }) => cached)).toBe(true);
    expect(readCalls(space)).toEqual([]);
    expect(readdirSync(space.path("runs"))).toHaveLength(3);
  });
});
