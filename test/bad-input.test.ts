import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { parseReport, runAssay } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, ORACLE_SYSTEM, TempProject, type TestFileContent } from "../src/testing/temp-project.js";

interface Case {
  what: string;
  files?: Record<string, TestFileContent>;
  args: string[];
  says: RegExp;
}

const FINE = ["--dataset", "capitals.jsonl", "--system", "./oracle.mjs"];
const withData = (...extra: string[]) => [...FINE.slice(2), "--dataset", ...extra];

const USAGE_ERRORS: Case[] = [
  {
    what: "a malformed JSONL line",
    files: { "bad.jsonl": '{"id":1,"question":"x"}\n{"id":\n' },
    args: withData("bad.jsonl"),
    says: /bad\.jsonl:2: the row is not valid JSON \(.*\)\. Fix the row, or pass --skip-bad-rows/,
  },
  {
    what: "duplicate ids",
    files: {
      "twice.jsonl": [
        { id: 1, question: "a" },
        { id: 2, question: "b" },
        { id: 1, question: "c" },
      ],
    },
    args: withData("twice.jsonl"),
    says: /twice\.jsonl:3: the id "1" is already used at twice\.jsonl:1\. Make ids unique/,
  },
  {
    what: "a row with neither context nor question",
    files: { "blank.jsonl": [{ id: 1, answer: "x" }] },
    args: withData("blank.jsonl"),
    says: /blank\.jsonl:1: the row has neither a context nor a question \(its columns: id, answer; choose one with --map question=COLUMN/,
  },
  {
    what: "an empty dataset",
    files: { "empty.jsonl": "" },
    args: withData("empty.jsonl"),
    says: /"empty\.jsonl" is empty/,
  },
  {
    what: "a file that is not there",
    args: withData("gone.csv"),
    says: /File not found: "gone\.csv" \(\/.*\)/,
  },
  {
    what: "a folder as a dataset",
    files: { "d/x": "" },
    args: withData("./d"),
    says: /"\.\/d" is a folder\. Pass a file inside it/,
  },
  {
    what: "an unknown format",
    files: { "d.txt": "x" },
    args: withData("./d.txt"),
    says: /has the extension "\.txt".*Supported: \.jsonl/,
  },
  {
    what: "a column that is not there",
    args: [...FINE, "--map", "question=promt"],
    says: /has a column "promt".*Its columns: id, question, answer, part/,
  },
  {
    what: "a filter nothing matches",
    args: [...FINE, "--filter", "part=north"],
    says: /No row of "capitals\.jsonl" matches part=north\..*west/,
  },
  { what: "an unknown dataset", args: withData("nedle"), says: /Unknown dataset "nedle"\. Did you mean "needle"\?/ },
  {
    what: "an unknown system",
    args: [...FINE, "--system", "tuncate:0.5"],
    says: /Unknown system "tuncate"\. Did you mean "truncate"\? Known: .*extract/,
  },
  {
    what: "a system's wrong argument",
    args: [...FINE, "--system", "truncate:50"],
    says: /"50" is not a number above 0 and up to 1.*Write shares as 0\.5, not 50/,
  },
  {
    what: "an unknown evaluator",
    args: [...FINE, "--evaluator", "answer_qualty"],
    says: /Unknown evaluator "answer_qualty"\. Did you mean "answer_quality"\?/,
  },
  {
    what: "an unknown metric",
    args: [...FINE, "--metric", "mean_scor"],
    says: /Unknown metric "mean_scor"\. Did you mean "mean_score"\?/,
  },
  {
    what: "an unknown reporter",
    args: [...FINE, "--output", "jsn"],
    says: /Unknown reporter "jsn"\. Did you mean "json"\?/,
  },
  {
    what: "an unknown tokenizer",
    args: [...FINE, "--tokenizer", "gpt2"],
    says: /Unknown tokenizer "gpt2"\. Known: cl100k_base, o200k_base/,
  },
  {
    what: "an unknown column group",
    args: [...FINE, "--columns", "sped"],
    says: /Unknown column group "sped"\. Did you mean "speed"\?/,
  },
  {
    what: "an unknown flag",
    args: [...FINE, "--treshold", "1"],
    says: /unknown option '--treshold'\n\(Did you mean --threshold\?\)/,
  },
  {
    what: "an unknown command",
    args: ["dmo"],
    says: /Unknown command "dmo"\. Did you mean "demo"\? Known: baseline, ci, compare, cost, datasets, demo/,
  },
  { what: "a stray argument", args: ["run", "needle"], says: /There is no eval file or folder needle\./ },
  { what: "no system", args: ["--dataset", "needle"], says: /No system is given\. Add --model/ },
  { what: "no dataset", args: ["--system", "passthrough"], says: /No dataset is given\. Add --dataset/ },
  {
    what: "a score field no evaluator produces",
    args: [...FINE, "--score-field", "f2"],
    says: /No evaluator for capitals produces the score field "f2"\. Did you mean "f1"\?/,
  },
  {
    what: "a threshold above 1",
    args: [...FINE, "--threshold", "70"],
    says: /The threshold must be between 0 and 1, but is .*70\. Scores are fractions/,
  },
  { what: "a threshold below 0", args: [...FINE, "--threshold=-0.1"], says: /The threshold must be between 0 and 1/ },
  {
    what: "a threshold that is no number",
    args: [...FINE, "--threshold", "high"],
    says: /argument 'high' is invalid\. It must be a number/,
  },
  {
    what: "k above the number of trials",
    args: [...FINE, "--trials", "2", "--fail-under", "pass_at_3=0.5"],
    says: /--fail-under pass_at_3 needs at least 3 trials of each task, but the run has 2\. Pass --trials 3/,
  },
  { what: "no trials", args: [...FINE, "--trials", "0"], says: /argument '0' is invalid\. It must be at least 1/ },
  { what: "half a worker", args: [...FINE, "--max-workers", "1.5"], says: /It must be a whole number/ },
  {
    what: "a coverage above 1",
    args: [...FINE, "--min-coverage", "95"],
    says: /--min-coverage must be between 0 and 1, got 95/,
  },
  {
    what: "a gate without a value",
    args: [...FINE, "--fail-under", "pass_rate"],
    says: /It must look like name=value/,
  },
  { what: "a run folder that is not there", args: ["--resume", "gone"], says: /There is no run folder \S*gone/ },
  {
    what: "a run folder that is none",
    files: { "other/x": "" },
    args: ["--resume", "other"],
    says: /other is not a run folder: it has no manifest\.json/,
  },
  {
    what: "a file as a run folder",
    args: ["--resume", "capitals.jsonl"],
    says: /capitals\.jsonl is a file, not a run folder/,
  },
  {
    what: "a foreign run folder",
    files: { "other/manifest.json": '{"name":"x"}' },
    args: ["--resume", "other"],
    says: /manifest\.json was not written by Assay/,
  },
  {
    what: "a damaged run folder",
    files: { "other/manifest.json": "{" },
    args: ["--resume", "other"],
    says: /manifest\.json cannot be read: /,
  },
  {
    what: "a run folder of a later version",
    files: { "other/manifest.json": '{"schema":"assay.run/99"}' },
    args: ["--resume", "other"],
    says: /has the format assay\.run\/99; this version reads up to assay\.run\/1\. Update Assay/,
  },
  {
    what: "nothing to resume",
    args: ["--resume"],
    says: /There is no unfinished run in \.assay\/runs\. Name one with --resume FOLDER/,
  },
  {
    what: "two systems with one name",
    files: { "again.mjs": ORACLE_SYSTEM.replace("example.answer", '"?"') },
    args: [...FINE, "--system", "./again.mjs"],
    says: /Two systems have the name "oracle" \(two different systems\)\..*rename one/,
  },
  {
    what: "one system twice",
    args: [...FINE, "--system", "./oracle.mjs"],
    says: /Two systems have the name "oracle" \(the same system given twice\)/,
  },
  {
    what: "two datasets with one name",
    files: { "d/capitals.csv": "id,question\n1,x\n" },
    args: [...FINE, "--dataset", "d/capitals.csv"],
    says: /Two datasets are named "capitals"/,
  },
];

describe("bad input", () => {
  it.each(USAGE_ERRORS)(
    "$what: says what is wrong and what to do, exits 2, stores nothing",
    async ({ files, args, says }) => {
      const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "oracle.mjs": ORACLE_SYSTEM, ...files });
      const { code, stdout, stderr } = await runPooledAssay(space.dir, ...args);
      expect(stderr).toMatch(says);
      expect(stderr).not.toMatch(/^\s+at |not expected/m);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(space.runs()).toEqual([]);
    },
  );

  it("shows a stack trace with causes only with --verbose", async () => {
    const space = new TempProject({ "broken.mjs": "import './gone.mjs';" });
    const args = ["--plugin", "./broken.mjs", "--system", "passthrough", "--dataset", "needle"];
    const [plain, verbose] = await Promise.all([
      runAssay(space.dir, ...args),
      runAssay(space.dir, ...args, "--verbose"),
    ]);
    expect(plain.stderr).not.toMatch(/^\s+at /m);
    expect(verbose.stderr).toMatch(/^ModuleError: The plugin[\s\S]*^\s+at [\s\S]*Caused by: [\s\S]*^\s+at /m);
    expect([plain.code, verbose.code]).toEqual([2, 2]);
  });

  it("reports an invalid score on its row, and keeps the others", async () => {
    const evaluator = `export default { name: "wild", score: (example) => ({ good: 0.9, wild: { fr: NaN, it: 1.5, es: -1, de: 0.5 }[example.id] }) };`;
    const space = new TempProject({
      "capitals.jsonl": CAPITAL_EXAMPLES,
      "oracle.mjs": ORACLE_SYSTEM,
      "wild.mjs": evaluator,
    });
    const finished = await runPooledAssay(
      space.dir,
      ...FINE,
      "--evaluator",
      "./wild.mjs",
      "--score-field",
      "wild",
      "--output",
      "json",
    );
    const { rows } = parseReport(finished);
    expect(rows.map(({ outcome }) => outcome)).toEqual(["unscored", "unscored", "unscored", "fail"]);
    expect(rows.map(({ scores }) => scores.good)).toEqual([0.9, 0.9, 0.9, 0.9]);
    expect(rows[0]?.notes).toEqual(["wild returned wild = NaN; scores must be numbers in [0, 1], so it was ignored"]);
    expect(rows[1]?.notes[0]).toContain("wild = 1.5");
    expect(finished.code).toBe(3);
  });

  it("prints the stack trace of an error in a system once, with --verbose", async () => {
    const system = "export default () => load();\nfunction load() {\n  throw new Error('boom');\n}\n";
    const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "shaky.mjs": system });
    const args = ["--dataset", "capitals.jsonl", "--system", "./shaky.mjs"];
    const plain = await runAssay(space.dir, ...args);
    expect(plain.stdout + plain.stderr).toContain("boom (shaky.mjs:3)");
    expect(plain.stderr).not.toContain("at load (");
    const verbose = await runAssay(space.dir, ...args, "--verbose");
    expect(verbose.code).toBe(3);
    expect(verbose.stderr.match(/at load \(.*shaky\.mjs:3:9\)/g)).toHaveLength(1);
  });

  it("keeps all other results if a system or an evaluator throws", async () => {
    const system = `export default { name: "shaky", process: (e) => { if (e.id === "it") throw new Error("boom"); if (e.id === "es") throw "a string"; if (e.id === "de") return null; return { response: e.answer }; } };`;
    const evaluator = `export default { name: "picky", score: () => { throw new Error("no opinion"); } };`;
    const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "shaky.mjs": system, "picky.mjs": evaluator });
    const base = ["--dataset", "capitals.jsonl", "--system", "./shaky.mjs", "--output", "json"];
    const finished = await runPooledAssay(
      space.dir,
      ...base,
      "--evaluator",
      "answer_quality",
      "--evaluator",
      "./picky.mjs",
    );
    const { rows } = parseReport(finished);
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "error", "error", "error"]);
    expect(rows[0]?.notes).toEqual(["picky failed: no opinion (picky.mjs:1)"]);
    expect(rows.slice(1).map(({ attempts }) => attempts[0]?.message)).toEqual([
      "boom (shaky.mjs:1)",
      "a string",
      expect.stringContaining('The system "shaky" returned null'),
    ]);
    expect(finished.code).toBe(3);
  });

  it("finds a misspelled gate before the run; among custom metrics after it, with the report written", async () => {
    const own = `export const metric = { name: "rows", compute: (rows) => ({ row_count: rows.length }) };`;
    const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "oracle.mjs": ORACLE_SYSTEM, "own.mjs": own });
    for (const flag of ["--fail-under", "--fail-over"]) {
      const early = await runPooledAssay(space.dir, ...FINE, flag, "pass_rte=1");
      expect(early.stderr).toContain(`${flag} pass_rte: this run has no such metric. Did you mean "pass_rate"?`);
      expect(early).toMatchObject({ code: 2, stdout: "" });
    }
    const late = await runPooledAssay(
      space.dir,
      ...FINE,
      "--output",
      "json",
      "--metric",
      "./own.mjs",
      "--fail-under",
      "row_cont=1",
    );
    expect(late.stderr).toContain('--fail-under row_cont: there is no such metric. Did you mean "row_count"?');
    expect(late.code).toBe(2);
    expect(parseReport(late).rows).toHaveLength(4);
  });

  it("derives the id of a row without one from its content", async () => {
    const space = new TempProject({
      "q.jsonl": [
        { question: "a", answer: "x" },
        { question: "b", answer: "y" },
      ],
      "oracle.mjs": ORACLE_SYSTEM,
    });
    const ids = async () =>
      parseReport(await runPooledAssay(space.dir, ...withData("q.jsonl"), "--output", "json")).rows.map(
        ({ exampleId }) => exampleId,
      );
    const first = await ids();
    expect(first).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(await ids()).toEqual(first);
  });
});
