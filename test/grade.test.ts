import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { parseReport, startAssay } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, TempProject } from "../src/testing/temp-project.js";

const WORDY = CAPITAL_EXAMPLES.map(({ id, answer }, i) => ({ id, response: i === 3 ? "Bonn" : `It is ${answer}.` }));
const LENGTH = `export default { name: "brief", fields: ["brief"], score: (_, o) => ({ brief: o.response.length < 6 ? 1 : 0 }) };`;

async function measured(): Promise<TempProject> {
  const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "wordy.jsonl": WORDY, "brief.mjs": LENGTH });
  const run = ["run", "--replay", "wordy.jsonl", "--dataset", "capitals.jsonl", "--score-field", "exact_match"];
  const { code, stderr } = await runPooledAssay(space.dir, ...run, "--output", "json", "--threshold", "0.9", "--quiet");
  expect(code, stderr).toBe(0);
  return space;
}

describe("assay grade", () => {
  it("scores the latest run with another evaluator, and stores a run that names its parent", async () => {
    const space = await measured();
    const finished = await runPooledAssay(space.dir, "grade", "--evaluator", "./brief.mjs", "--output", "json");
    expect(finished.code, finished.stderr).toBe(0);
    const report = parseReport(finished);
    expect(report.rows.map(({ scores }) => scores)).toEqual([{ brief: 0 }, { brief: 0 }, { brief: 0 }, { brief: 1 }]);
    expect(report.config).toMatchObject({ threshold: 0.9, scoreField: "score" });
    const [parent, child] = space.runs();
    const manifest = JSON.parse(readFileSync(join(space.dir, child ?? "", "manifest.json"), "utf8"));
    expect(manifest.parent.runId).toBe(parent?.split("/").at(-1));
    expect(finished.stderr).toContain(`Grading ${parent}\n`);
    expect(finished.stderr).toContain(`Stored in ${child}\n`);
    expect(report.notes[0]).toBe(`graded again from the outputs of ${manifest.parent.runId}`);
    const shown = await runPooledAssay(space.dir, "report", child ?? "", "--output", "json");
    const { pass_rate, mean_score, cost_of_pass } = report.summary.wordy ?? {};
    expect(parseReport(shown).summary.wordy).toMatchObject({ pass_rate, mean_score, cost_of_pass });
  });

  it("grades like the run without other evaluators", async () => {
    const space = await measured();
    const again = parseReport(await runPooledAssay(space.dir, "grade", "--output", "json"));
    expect(again.config.scoreField).toBe("exact_match");
    expect(again.summary.wordy).toMatchObject({ pass_rate: 0 });
    // The latest run is a graded one by now; the measured run is graded.
    const other = parseReport(
      await runPooledAssay(space.dir, "grade", "--score-field", "contains", "--output", "json"),
    );
    expect(other.notes[0]).toBe(again.notes[0]);
    expect(other.summary.wordy).toMatchObject({ pass_rate: 0.75 });
  });

  it("checks its own gates", async () => {
    const space = await measured();
    const gates = ["--score-field", "contains", "--fail-under", "pass_rate=0.8"];
    const finished = await runPooledAssay(space.dir, "grade", ...gates);
    expect(finished.code).toBe(1);
    expect(finished.stderr).toContain("wordy: pass_rate = 0.75 is under 0.8");
  });

  it("works from another folder, with paths relative to it", async () => {
    const space = await measured();
    space.write("elsewhere/mine.mjs", LENGTH.replaceAll("brief", "terse"));
    const flags = ["--runs-dir", "../.assay/runs", "--evaluator", "capitals=./mine.mjs", "--output", "json"];
    const finished = await runPooledAssay(space.path("elsewhere"), "grade", ...flags);
    expect(finished.code, finished.stderr).toBe(0);
    expect(parseReport(finished).summary.wordy).toMatchObject({ mean_score: 0.25 });
    expect(space.runs()).toHaveLength(2);
  });

  it("uses corrected examples only if they are named", async () => {
    const space = await measured();
    space.write(
      "capitals.jsonl",
      CAPITAL_EXAMPLES.map((row) => (row.id === "de" ? { ...row, answer: "Bonn" } : row)),
    );
    const refused = await runPooledAssay(space.dir, "grade");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("capitals has changed since");
    const graded = await runPooledAssay(space.dir, "grade", "--dataset", "capitals.jsonl", "--output", "json");
    expect(parseReport(graded).summary.wordy).toMatchObject({ pass_rate: 0.25 });
  });

  it("accepts a file of another name for the only dataset of the run", async () => {
    const space = await measured();
    space.write(
      "corrected.jsonl",
      CAPITAL_EXAMPLES.map((row) => (row.id === "de" ? { ...row, answer: "Bonn" } : row)),
    );
    const graded = await runPooledAssay(space.dir, "grade", "--dataset", "corrected.jsonl", "--output", "json");
    expect(parseReport(graded).summary.wordy).toMatchObject({ pass_rate: 0.25, num_skipped: 0 });
  });

  it("rejects examples that the run does not have", async () => {
    const space = await measured();
    space.write("others.jsonl", [{ id: "zz", question: "?", answer: "!" }]);
    const refused = await runPooledAssay(space.dir, "grade", "--dataset", "others.jsonl");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("No example belongs to");
    expect(space.runs()).toHaveLength(1);
  });

  it("explains invalid input", async () => {
    const space = await measured();
    const cases: [string[], string][] = [
      [["nowhere"], "There is no run folder nowhere"],
      [["--evaluator", "answer_qualty"], 'Unknown evaluator "answer_qualty". Did you mean "answer_quality"?'],
      [["--evaluator", "capital=./brief.mjs"], 'this run has no dataset "capital". Did you mean "capitals"?'],
      [["--score-field", "brief"], 'No evaluator for capitals produces the score field "brief".'],
      [["--threshold", "2"], "threshold"],
      [["--resume", space.runs()[0] ?? ""], "is not a grading. Resume it with assay run --resume."],
    ];
    for (const [args, message] of cases) {
      const finished = await runPooledAssay(space.dir, "grade", ...args);
      expect(finished.code, args.join(" ")).toBe(2);
      expect(finished.stderr).toContain(message);
    }
    expect(space.runs()).toHaveLength(1);
  });

  it("keeps graded outputs when interrupted, and resumes from there", async () => {
    const space = await measured();
    const slow = `
      import { existsSync } from "node:fs";
      export default { name: "slow", fields: ["s"], score: async (example, output, { signal }) => {
        if (example.id !== "fr" && !existsSync("go")) {
          console.error("waiting");
          const timer = setInterval(() => {}, 1000);
          await new Promise((_, reject) => signal.addEventListener("abort", () => {
            clearInterval(timer);
            reject(new Error("stopped"));
          }));
        }
        return { s: 1 };
      } };`;
    space.write("slow.mjs", slow);
    const flags = ["grade", "--evaluator", "./slow.mjs", "--max-workers", "1"];
    const running = startAssay(space.dir, flags);
    await running.says("waiting");
    running.child.kill("SIGINT");
    const stopped = await running.finished;
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain("Resume with: assay grade");
    const [, child] = space.runs();
    expect(
      readFileSync(join(space.dir, child ?? "", "rows.jsonl"), "utf8")
        .trim()
        .split("\n"),
    ).toHaveLength(1);
    space.write("go", "");
    const resumed = await runPooledAssay(space.dir, "grade", "--resume", child ?? "", "--output", "json");
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(parseReport(resumed).rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass", "pass", "pass"]);
    expect(space.runs()).toHaveLength(2);
  });

  it("cannot be resumed by assay run", async () => {
    const space = await measured();
    await runPooledAssay(space.dir, "grade");
    const finished = await runPooledAssay(space.dir, "run", "--resume", space.runs()[1] ?? "");
    expect(finished.code).toBe(2);
    expect(finished.stderr).toContain("was created by `assay grade`");
  });
});
