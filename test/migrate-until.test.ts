import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SequentialReport } from "../src/core/index.js";
import { createRandom } from "../src/stats/index.js";
import { type Mock, startMock } from "../src/testing/mock/index.js";
import { runAssay, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const EXAMPLES = Array.from({ length: 200 }, (_, i) => ({
  id: `q${i}`,
  question: `What is ${1000 + i} + ${i}?`,
  answer: String(1000 + 2 * i),
}));

const MODELS = ["old", "good", "bad", "same"]
  .map((name) => `${name}:\n  base_url: URL/v1\n  pricing: { input_per_1k: 0.001, output_per_1k: 0.002 }\n`)
  .join("");

const FLAGS = ["--dataset", "q.jsonl", "--score-field", "contains", "--margin", "0.1", "--max-workers", "4"];

interface Report {
  level: number;
  margin: number;
  verdict: { exitCode: number; words: string };
  sequential: SequentialReport;
  candidates: {
    system: string;
    verdict: string;
    quality: Record<"from" | "to" | "difference" | "low" | "high", number> & { method: string; n: number };
    early: { tasks: number; planned: number; isFinal: boolean; notRun: number; notSpentUsd: number };
    differences: { metric: string; difference: number | null; low: number | null }[];
  }[];
}

/** A model that knows the answer to a share of the questions. Asked again, as after a kill, it answers the same. */
function knows(model: string, share: number): { answers: { question: string; answer: string }[] } {
  const answers = EXAMPLES.map(({ question, answer }) => ({
    question,
    answer: createRandom(`${model} ${question}`).next() < share ? answer : "I do not know.",
  }));
  return { answers };
}

async function bench(onRequest?: (mock: number) => void): Promise<{ space: TempProject; mock: Mock }> {
  let calls = 0;
  const mock = await startMock({
    models: { old: knows("old", 0.95), good: knows("good", 1), bad: knows("bad", 0.4), same: knows("same", 0.95) },
    onRequest: () => onRequest?.(++calls),
  });
  onTestFinished(() => mock.close());
  return { space: new TempProject({ "q.jsonl": EXAMPLES, "models.yml": MODELS.replaceAll("URL", mock.url) }), mock };
}

const migrate = (space: TempProject, ...flags: string[]) => runAssay(space.dir, "migrate", ...flags);

function countRows(space: TempProject): number {
  const lines = readFileSync(space.path(space.runs()[0] ?? "", "rows.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.filter((line) => "outcome" in (JSON.parse(line) as object)).length;
}

const UNTIL = ["--from", "old", "--to", "good", "--to", "bad", ...FLAGS, "--until", "decided"];

describe("assay migrate --until decided", () => {
  it("stops each candidate when it is decided, and pays for no other call", async () => {
    const { space, mock } = await bench();
    const files = ["--html", "r.html", "--markdown", "r.md", "--junit", "r.xml"];
    const { code, stdout, stderr } = await migrate(space, ...UNTIL, ...files, "--output", "json");
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as Report;
    const [good, bad] = report.candidates;
    expect(good).toMatchObject({ system: "good", verdict: "non-inferior", quality: { method: "anytime" } });
    expect(bad).toMatchObject({ system: "bad", verdict: "inferior", early: { isFinal: false, planned: 200 } });
    expect(good?.quality.low).toBeGreaterThanOrEqual(-0.1);
    expect(bad?.quality.high).toBeLessThanOrEqual(-0.1);
    expect(bad?.quality.to).toBeCloseTo((bad?.quality.from ?? 0) + (bad?.quality.difference ?? 0), 12);
    expect(bad?.early.tasks).toBe(report.sequential.findings[1]?.decidedAfter);
    expect(good?.differences.every(({ low }) => low === null)).toBe(true);
    expect(good?.differences[0]?.difference).toBeTypeOf("number");

    const rows = countRows(space);
    expect(mock.counts.requests).toBe(rows);
    expect(report.sequential.arms.reduce((sum, { notRun }) => sum + notRun, 0)).toBe(600 - rows);
    expect(rows).toBeLessThan(300);

    for (const file of ["r.html", "r.md"]) {
      const text = readFileSync(space.path(file), "utf8");
      expect(text).toMatch(/bad: inferior after \d+ of 200 tasks/);
      expect(text).toMatch(/spent, .* not spent: \d+ trials were not needed/);
      expect(text).not.toMatch(/one-sided|p non-inferior|difference \[95 %\]|Tango/);
    }
    expect(readFileSync(space.path("r.xml"), "utf8")).toMatch(/message="inferior after \d+ of 200 tasks"/);

    const [run = ""] = space.runs();
    const again = await migrate(space, "--resume", run, "--output", "table");
    expect(again.stderr).toContain("is decided: nothing is run");
    expect(again.stdout).toContain(`inferior after ${bad?.early.tasks} of 200 tasks`);
    expect(mock.counts.requests).toBe(rows);

    const other = await migrate(space, "--resume", run, "--margin", "0.3");
    expect(other.stderr).toMatch(/--margin 0\.1.*cannot be resumed.*its guarantee would be lost/s);
    expect(other.code).toBe(2);

    const whole = await migrate(space, "--resume", run, "--until", "none", "--output", "json");
    expect(mock.counts.requests).toBe(600);
    const after = JSON.parse(whole.stdout) as Report;
    expect(after.sequential.findings).toEqual(report.sequential.findings);
    expect(after.candidates[1]?.early).toMatchObject({ tasks: bad?.early.tasks, notRun: 0 });
  });

  it("gives the same verdict after a kill and --resume", async () => {
    const undisturbed = await bench();
    const whole = JSON.parse((await migrate(undisturbed.space, ...UNTIL, "--output", "json")).stdout) as Report;

    const process: { kill?: () => void } = {};
    const { space, mock } = await bench((calls) => {
      if (calls === 30) process.kill?.();
    });
    const running = startAssay(space.dir, ["migrate", ...UNTIL]);
    process.kill = () => void running.child.kill("SIGKILL");
    expect((await running.finished).signal).toBe("SIGKILL");
    expect(mock.counts.requests).toBeLessThan(60);
    const resumed = await migrate(space, "--resume", "--output", "json");
    expect(resumed.stderr).toContain("Resuming");
    const report = JSON.parse(resumed.stdout) as Report;
    expect(report.sequential.findings).toEqual(whole.sequential.findings);
    expect(report.candidates.map(({ early }) => early.tasks)).toEqual(whole.candidates.map(({ early }) => early.tasks));
    expect(report.verdict).toEqual(whole.verdict);
  });

  it("exits 1 if all are inferior, and 3 if one is undecided after all tasks", async () => {
    const { space } = await bench();
    const inferior = await migrate(space, "--from", "old", "--to", "bad", ...FLAGS, "--until", "decided");
    expect(inferior.code, inferior.stderr).toBe(1);
    const few = ["--from", "old", "--to", "same", ...FLAGS, "--until", "decided", "-n", "8"];
    const undecided = await migrate(space, ...few, "--confidence", "0.99");
    expect(undecided.code).toBe(3);
    expect(undecided.stdout).toContain("same: undecided after 8 of 8 tasks");
    expect(undecided.stdout).toContain("[any time, 99 %]");
  });

  it.each<[string, string[], RegExp]>([
    ["another question", ["--until", "best"], /it takes --until decided, got --until best/],
    ["a detail without a question", ["--confidence", "0.9"], /--confidence needs --until/],
    ["batches", ["--until", "decided", "--batch"], /--until cannot be combined with --batch/],
  ])("rejects %s", async (_, flags, message) => {
    const { space } = await bench();
    const { code, stderr } = await migrate(space, "--from", "old", "--to", "good", ...FLAGS, ...flags);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});
