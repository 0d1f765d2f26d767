import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { parseReport } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, TempProject } from "../src/testing/temp-project.js";

const files = { "capitals.jsonl": CAPITAL_EXAMPLES };
const BASE = ["--dataset", "capitals.jsonl", "--output", "json"];
const RECORDED = CAPITAL_EXAMPLES.map(({ id, answer }) => ({ id, response: answer }));

describe("--replay", () => {
  it("scores recorded outputs, with their usage, cost and latency", async () => {
    const records = RECORDED.map((record, i) => ({
      ...record,
      usage: { input: 10, output: 2 },
      cost_usd: 0.5,
      latency: i + 1,
    }));
    const finished = await runPooledAssay(
      new TempProject({ ...files, "outputs.jsonl": records }).dir,
      ...BASE,
      "--replay",
      "outputs.jsonl",
    );
    expect(finished.code).toBe(0);
    const { summary, rows } = parseReport(finished);
    expect(summary.outputs).toMatchObject({ pass_rate: 1, mean_cost_usd: 0.5, latency_mean: 2.5 });
    expect(rows[0]).toMatchObject({
      usage: { input: 10, output: 2 },
      costUsd: 0.5,
      costSource: "provider",
      latency: 1,
    });
  });

  it("reports missing and unknown ids, and counts the missing as errors", async () => {
    const records = [...RECORDED.slice(1), { id: "xx", response: "?" }];
    const space = new TempProject({ ...files, "outputs.jsonl": records });
    const finished = await runPooledAssay(space.dir, ...BASE, "--replay", "outputs.jsonl");
    expect(finished.stderr).toContain("outputs: no recorded output for 1 example (fr): counted as errors");
    expect(finished.stderr).toContain("outputs: 1 recorded id not in any dataset (xx): ignored");
    expect(finished.code).toBe(3);
    const [first] = parseReport(finished).rows;
    expect(first).toMatchObject({ exampleId: "fr", outcome: "error", errorCategory: "system_error" });
    expect(first?.attempts[0]?.message).toContain('has no recorded output for example "fr", trial 0');
  });

  it("uses the record of each trial, else the one without a trial", async () => {
    const records = [...RECORDED, { id: "fr", trial: 1, response: "Lyon" }];
    const space = new TempProject({ ...files, "outputs.jsonl": records });
    const { rows } = parseReport(
      await runPooledAssay(space.dir, ...BASE, "--replay", "outputs.jsonl", "--trials", "2"),
    );
    expect(rows.slice(0, 2).map(({ outcome }) => outcome)).toEqual(["pass", "fail"]);
  });

  describe("of multiple-choice questions", () => {
    const CITIES = ["Rome", "Paris", "Oslo", "Cairo"];
    // Every option is right a few times, so that wrong letters cannot score by chance.
    const rows = Array.from({ length: 24 }, (_, index) => ({
      question_id: `q${index}`,
      question: `Which city is meant by number ${index}?`,
      subject: "cities",
      choices: CITIES,
      answer: index % 4,
    }));
    const letters = rows.map(({ question_id: id, answer }) => ({ id, response: `The answer is ${"ABCD"[answer]}.` }));
    const args = ["--dataset", "mmlu=cities.jsonl", "--replay", "outputs.jsonl", "--output", "json"];
    const score = async (outputs: readonly object[], ...more: string[]) => {
      const space = new TempProject({ "cities.jsonl": rows, "outputs.jsonl": outputs });
      return runPooledAssay(space.dir, ...args, ...more);
    };

    it("reads letters in the order of the file, and says so", async () => {
      const finished = await score(letters);
      expect(finished.code).toBe(0);
      expect(finished.stderr).toContain('outputs: 24 recorded outputs without "choices" or "choice_order"');
      const report = parseReport(finished);
      expect(report.summary.outputs).toMatchObject({ mean_score: 1, pass_rate: 1 });
      expect(report.rows.map(({ exampleId }) => exampleId)).toEqual(rows.map(({ question_id: id }) => id));
      expect(report.rows[0]?.metadata).toEqual({ choice_order: [0, 1, 2, 3] });
    });

    it("reads letters in the recorded order", async () => {
      const seen = ["Cairo", "Oslo", "Rome", "Paris"];
      const outputs = rows.map(({ question_id: id, answer }) => ({
        id,
        response: `The answer is ${"ABCD"[seen.indexOf(CITIES[answer] ?? "")]}.`,
        choices: seen,
      }));
      const finished = await score(outputs);
      expect(finished.stderr).not.toContain("choice_order");
      expect(parseReport(finished).summary.outputs).toMatchObject({ mean_score: 1 });
      expect(parseReport(finished).rows[0]?.metadata).toEqual({ choice_order: [3, 2, 0, 1] });
    });

    it("leaves the shuffled order to systems that are called now", async () => {
      const system = "export default ({ answer_index }) => 'The answer is ' + 'ABCD'[answer_index] + '.';";
      const space = new TempProject({ "cities.jsonl": rows, "outputs.jsonl": letters, "now.mjs": system });
      const { summary, rows: scored } = parseReport(await runPooledAssay(space.dir, ...args, "--system", "./now.mjs"));
      expect(summary).toMatchObject({ outputs: { mean_score: 1 }, now: { mean_score: 1 } });
      const orders = scored.filter((row) => row.system === "now").map(({ metadata }) => JSON.stringify(metadata));
      expect(new Set(orders).size).toBeGreaterThan(5);
    });

    it("is graded again in the recorded order", async () => {
      const space = new TempProject({ "cities.jsonl": rows, "outputs.jsonl": letters });
      await runPooledAssay(space.dir, ...args);
      const graded = await runPooledAssay(
        space.dir,
        "grade",
        "latest",
        "--evaluator",
        "multiple_choice_accuracy",
        "--output",
        "json",
      );
      expect(parseReport(graded).summary.outputs).toMatchObject({ mean_score: 1 });
    });
  });

  it.each([
    [
      "a duplicate id",
      [...RECORDED, RECORDED[0]],
      'outputs.jsonl:5: the record repeats the id "fr" of outputs.jsonl:1',
    ],
    ["a record without an id", [{ response: "x" }], 'outputs.jsonl:1: the record has no "id"'],
    [
      "a record without an output",
      [{ id: "fr" }],
      'outputs.jsonl:1: the record has neither a "response" nor a "context"',
    ],
    [
      "a negative cost",
      [{ id: "fr", response: "x", cost_usd: -1 }],
      'outputs.jsonl:1: the record has the number -1 as its "cost_usd"',
    ],
    ["nothing", [], '"outputs.jsonl" is empty: it contains no recorded outputs.'],
    ["a broken line", `${JSON.stringify(RECORDED[0])}\n{"id": \n`, "outputs.jsonl:2: the record is not valid JSON"],
  ])("rejects %s", async (_, records, message) => {
    const space = new TempProject({ ...files, "outputs.jsonl": records });
    const { code, stdout, stderr } = await runPooledAssay(space.dir, ...BASE, "--replay", "outputs.jsonl");
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("rejects a missing file", async () => {
    const { code, stderr } = await runPooledAssay(new TempProject(files).dir, ...BASE, "--replay", "gone.jsonl");
    expect(stderr).toContain('File not found: "gone.jsonl"');
    expect(code).toBe(2);
  });
});
