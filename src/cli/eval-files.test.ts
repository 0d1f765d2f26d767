import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ReporterError } from "../core/errors.js";
import { makeEvalResult, makeTrialRow, makeTrialRows } from "../testing/eval-result.js";
import { TempProject } from "../testing/temp-project.js";
import { writeEvalFiles } from "./eval-files.js";

/** A folder that collects notes. */
function space(files = {}): TempProject & { said: string[] } {
  const said: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  onTestFinished(() => spy.mockRestore());
  return Object.assign(new TempProject(files), { said });
}

const grade = { name: "g", type: "completed", kind: "code", passed: true, score: 1, evidence: "it is", status: "ok" };
const stored = (trial: number, more = {}) => ({
  system: "agent",
  dataset: "tidy",
  exampleId: "one",
  trial,
  output: { response: `said ${trial}` },
  ...more,
});

describe("writeEvalFiles", () => {
  it("writes a line for each trial, with and without its stored output", () => {
    const here = space({ "run/outputs.jsonl": [stored(0), stored(1, { grades: [grade] }), stored(9)] });
    const rows = [...makeTrialRows("PF", { costUsd: 0.5, turns: 3 }), makeTrialRow({ trial: 2, outcome: "skipped" })];
    const evals = { tidy: { skill: "sweep" } };
    writeEvalFiles(makeEvalResult(rows, { runDir: here.path("run"), evals }), here.path("out/deep"));
    const lines = here.read("out/deep/results.jsonl").trimEnd().split("\n");
    const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(read.map(({ trial, outcome, response, grades }) => [trial, outcome, response, grades])).toEqual([
      [0, "pass", "said 0", []],
      [1, "fail", "said 1", [grade]],
      [2, "skipped", null, []],
    ]);
    expect(read[0]).toMatchObject({ stimulus: "one", eval: "tidy", skill: "sweep", system: "agent", passed: true });
    expect(read[0]).toMatchObject({ score: 1, costUsd: 0.5, turns: 3, trajectory: null, errorCategory: "none" });
    expect(read[2]).toMatchObject({ score: null, passed: null, costUsd: null });
    const names = ["results.jsonl", "report.json", "report.md", "junit.xml"];
    expect(here.said).toEqual(names.map((name) => `Written: ${here.path("out/deep", name)}\n`));
  });

  it("reports which file cannot be written, and that the run is stored", () => {
    const here = space({ file: "" });
    const write = () => writeEvalFiles(makeEvalResult(makeTrialRows("P")), here.path("file/deep"));
    expect(write).toThrow(ReporterError);
    expect(write).toThrow(/results\.jsonl could not be written: .*\. The run itself is stored\.$/);
  });
});
