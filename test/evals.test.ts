import { describe, expect, it } from "vitest";
import { runInPool, runPooledAssay } from "../src/testing/cli-pool.js";
import { runAssay, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const ANSWER = `
export function answer(example: { question: string }): string {
  return example.question.includes("France") ? "It is Paris." : "No idea.";
}
`;

const CAPITALS = `
import { defineEval } from "assay";
import { answer } from "./answer.js";

export default defineEval({
  data: async () => [
    { question: "Capital of France?", answer: "Paris", continent: "Europe" },
    { question: "Capital of Japan?", answer: "Tokyo", continent: "Asia" },
  ],
  system: answer,
  evaluators: [{ names_it: ({ example, response }) => response.includes(example.answer) }],
  gates: { pass_rate: { min: 0.5 }, latency_p95: { max: 60 } },
});
`;

const files = { "answer.ts": ANSWER, "capitals.eval.ts": CAPITALS };

const makeEval = (keys: string) =>
  `export default { data: [{ question: "2 + 2?", answer: "4" }], system: (example) => example.answer, ${keys} };`;

interface EvalsReport {
  schema: string;
  evals: {
    file: string;
    exitCode: number;
    error: string | null;
    failedGates: string[];
    report: { schema: string; config: { title: string; trials: number }; rows: Record<string, unknown>[] } | null;
  }[];
}

const parseEvals = (stdout: string) => JSON.parse(stdout) as EvalsReport;

describe("eval files", () => {
  it("are found without arguments, and each is a run", async () => {
    const project = new TempProject({ ...files, "sub/sum.eval.mjs": makeEval(`name: "sums"`) });
    project.write("node_modules/x/other.eval.mjs", "throw new Error('not mine')");
    project.write(".hidden/other.eval.mjs", "throw new Error('not mine')");
    project.write("dist/other.eval.mjs", "throw new Error('not mine')");
    const { stdout, stderr, code } = await runPooledAssay(project.dir);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain("✓ capitals  1 of 2 passed · 50 %");
    expect(stdout).toContain("✗ answer · Capital of Japan?");
    expect(stdout).toMatch(/expected {2}Tokyo\n\s+received {2}No idea\.\n/);
    expect(stdout).toContain("✓ sums  1 of 1 passed");
    expect(stdout).toMatch(/Evals {2}2 passed \(2\)\n\s+Trials {2}2 passed \| 1 failed \(3\)\n\s+Duration /);
    expect(project.runs()).toHaveLength(2);
  });

  it("fail by their gates, and the worst exit code counts", async () => {
    const project = new TempProject({
      ...files,
      "strict.eval.mjs": makeEval(`evaluators: [{ no: () => 0 }], gates: { pass_rate: { min: 0.9 } }`),
    });
    const { stdout, code } = await runPooledAssay(project.dir, "run");
    expect(code).toBe(1);
    expect(stdout).toContain("✗ strict: pass_rate = 0 is under 0.9");
    expect(stdout).toContain("Evals  1 passed | 1 failed (2)");
  });

  it("that cannot be loaded do not keep the others from running", async () => {
    const project = new TempProject({
      ...files,
      "a.eval.ts": `const x: number = ;`,
      "b.eval.ts": "\nthrow new Error('no database');",
    });
    const { stdout, code } = await runPooledAssay(project.dir, "run");
    expect(stdout).toMatch(/✗ a\.eval\.ts {2}not run\n.*a\.eval\.ts:1:\d+: /);
    expect(stdout).toMatch(/✗ b\.eval\.ts {2}not run\n.*no database \(b\.eval\.ts:2\)/);
    expect(stdout).toContain("✓ capitals");
    expect(code).toBe(2);
  });

  it("can be named, with flags that override them, and give one JSON document", async () => {
    const project = new TempProject({
      ...files,
      "more/sum.eval.mjs": makeEval("trials: 2"),
      "bad.eval.mjs": "export default 5;",
    });
    const args = [
      "run",
      "capitals.eval.ts",
      "more",
      "bad.eval.mjs",
      "--output",
      "json",
      "--trials",
      "3",
      "-n",
      "1",
      "--head",
    ];
    const { stdout, code } = await runPooledAssay(project.dir, ...args);
    const { schema, evals } = parseEvals(stdout);
    expect(schema).toBe("assay.evals/1");
    expect(evals.map(({ file, exitCode }) => [file, exitCode])).toEqual([
      ["capitals.eval.ts", 0],
      ["more/sum.eval.mjs", 0],
      ["bad.eval.mjs", 2],
    ]);
    expect(evals[0]?.report).toMatchObject({ schema: "assay.report/1", config: { title: "capitals", trials: 3 } });
    expect(evals[0]?.report?.rows).toHaveLength(3);
    expect(evals[2]).toMatchObject({ report: null, error: expect.stringContaining("is the number 5, not an eval") });
    expect(code).toBe(2);
  });

  it("give one JUnit file, one comment and one GitHub summary, which agree with the exit code", async () => {
    const project = new TempProject({
      ...files,
      "bad.eval.mjs": "export default 5;",
      "strict.eval.mjs": makeEval(`evaluators: [{ no: () => 0 }], gates: { pass_rate: { min: 0.9 } }`),
    });
    const env = { GITHUB_STEP_SUMMARY: project.path("summary.md"), GITHUB_OUTPUT: project.path("output.txt") };
    const args = ["run", "--junit", "x.xml", "--markdown", "x.md", "--github", "summary"];
    expect((await runInPool(project.dir, args, env)).code).toBe(2);
    const [xml, markdown] = [project.read("x.xml"), project.read("x.md")];
    expect(xml.match(/<testsuites /g)).toHaveLength(1);
    for (const name of [
      "bad.eval.mjs: gates",
      "capitals: answer",
      "capitals: gates",
      "strict: strict",
      "strict: gates",
    ])
      expect(xml).toContain(`<testsuite name="${name}"`);
    expect(markdown.match(/<!-- assay:/g)).toHaveLength(1);
    expect(markdown).toContain("### ❌ Evals: 2 of 3 evals failed: bad.eval.mjs, strict\n");
    expect(markdown).toContain("### ❌ bad.eval.mjs: not run");
    expect(markdown).toContain("### ✅ capitals: all gates passed");
    expect(markdown).toContain("### ❌ strict: 1 of 1 gate failed");
    expect(project.read("summary.md")).toBe(markdown);
    expect(project.read("output.txt").match(/^exit-code<<.*\n(.*)/m)?.[1]).toBe("2");
  });

  it("are only planned with --dry-run", async () => {
    const project = new TempProject({ ...files, "sum.eval.mjs": makeEval("") });
    const { stdout, code } = await runPooledAssay(project.dir, "run", "--dry-run", "--output", "json");
    expect(parseEvals(stdout).evals).toMatchObject([{ report: { trials: 1 } }, { exitCode: 0 }]);
    expect(code).toBe(0);
    expect(project.runs()).toEqual([]);
  });

  it("run after the config, if that describes a run", async () => {
    const config = `systems: [./a.mjs]\ndatasets: [q.jsonl]\ntitle: From the config\n`;
    const project = new TempProject({
      ...files,
      "q.jsonl": [{ question: "a", answer: "a" }],
      "a.mjs": "export default (e) => e.answer;",
    });
    project.write("assay.config.yaml", config);
    const both = await runPooledAssay(project.dir);
    expect(both.stdout.indexOf("✓ From the config")).toBe(0);
    expect(both.stdout).toContain("✓ capitals");
    const flags = await runPooledAssay(project.dir, "--system", "./a.mjs");
    expect(flags.stdout).toContain("# From the config");
    expect(flags.stdout).not.toContain("capitals");
    project.write("assay.config.yaml", "threshold: 0.5\n");
    expect((await runPooledAssay(project.dir)).stdout).not.toContain("From the config");
  });

  it("keep cached outputs of an imported system while the eval changes, not those of a system written in the file", async () => {
    const project = new TempProject({ ...files, "inline.eval.mjs": makeEval("") });
    const run = async () => {
      const { stdout } = await runAssay(project.dir, "run", "--cache-dir", "--output", "json");
      return parseEvals(stdout).evals.map(({ report }) => report?.rows.map(({ cached }) => cached));
    };
    const [fresh, again] = [await run(), await run()];
    expect(fresh).toEqual([[false, false], [false]]);
    expect(again).toEqual([[true, true], [true]]);
    for (const file of ["capitals.eval.ts", "inline.eval.mjs"])
      project.write(file, `${project.read(file)}\n// changed\n`);
    expect(await run()).toEqual([[true, true], [false]]);
    project.write("answer.ts", `${ANSWER}\n// changed\n`);
    expect(await run()).toEqual([[false, false], [true]]);
  });

  it("are resumed like any run after Ctrl-C, and those not run are named", async () => {
    const slow = `
      import { existsSync } from "node:fs";
      let asked = 0;
      export default {
        data: [{ question: "a" }, { question: "b" }], maxWorkers: 1,
        system: (example, trial) => {
          if (existsSync("go") || asked++ === 0) return "x";
          console.error("waiting");
          const alive = setInterval(() => {}, 1000);
          return new Promise((_, reject) => trial.signal.addEventListener("abort", () => {
            clearInterval(alive);
            reject(new Error("stopped"));
          }));
        },
        evaluators: [{ fine: () => true }],
      };`;
    const project = new TempProject({ "a.eval.mjs": slow, "b.eval.mjs": makeEval("") });
    const command = startAssay(project.dir, ["run"]);
    await command.says("waiting");
    command.child.kill("SIGINT");
    const { code, stderr } = await command.finished;
    expect(code).toBe(130);
    expect(stderr).toContain("Not run: b.eval.mjs");
    const resume = /Resume with: assay (run --resume \S+)/.exec(stderr)?.[1] ?? "";
    project.write("go", "");
    const resumed = await runAssay(project.dir, ...resume.split(" "), "--output", "summary");
    expect(resumed.stdout).toContain("✓ a  2 of 2 passed");
  });

  it.each([
    ["nothing", "", "has no default export"],
    ["no data", "export default { system: () => 1 };", "has no data"],
    ["wrong data", "export default { data: 5, system: () => '' };", "data is the number 5"],
    [
      "data that fails",
      "export default { data: () => { throw new Error('offline'); }, system: () => '' };",
      "data() of x.eval.mjs failed: offline (x.eval.mjs:1)",
    ],
    ["data without rows", "export default { data: () => 7, system: () => '' };", "returned the number 7, not rows"],
    ["a row without a question", "export default { data: [{ input: 'a' }], system: () => '' };", "row 1 of"],
    ["no rows", "export default { data: [], system: () => '' };", "is empty"],
    ["no system", "export default { data: [{ question: 'a' }] };", "No system is given"],
    ["two kinds of systems", "export default { data: [], system: () => '', systems: [] };", "both system and systems"],
    [
      "a wrong system",
      makeEval("").replace("(example) => example.answer", "{ a: 5 }"),
      'unknown key "a". Known: command, ',
    ],
    ["an evaluator without a name", makeEval("evaluators: [() => 1]"), "a function without a name"],
    ["evaluators that are no list", makeEval("evaluators: () => 1"), "not a list"],
    ["a gate without a bound", makeEval("gates: { pass_rate: 0.9 }"), "the gate on pass_rate is the number 0.9"],
    ["an unknown gate", makeEval("gates: { pas_rate: { min: 1 } }"), "pass_rate"],
    ["an unknown key", makeEval("treshold: 1"), `unknown key "treshold". Did you mean "threshold"?`],
    ["a key of configs", makeEval("failUnder: { pass_rate: 1 }"), "Write gates"],
    ["a report", makeEval(`output: "json"`), "Use the flag --output"],
  ])("with %s say what is wrong", async (_, text, message) => {
    const { stdout, code } = await runPooledAssay(new TempProject({ "x.eval.mjs": text }).dir, "run", "x.eval.mjs");
    expect(stdout).toContain(message);
    expect(stdout).not.toMatch(/^\s+at /m);
    expect(code).toBe(2);
  });

  it.each([
    [["run", "none.eval.ts"], "There is no eval file or folder none.eval.ts."],
    [["none/"], "There is no eval file or folder none/."],
    [["run", "answer.ts"], "Did you mean --system answer.ts?"],
    [["run", "empty"], "There is no eval file in empty. Name it NAME.eval.ts."],
    [["run", "capitals.eval.ts", "--resume"], "--resume cannot be combined with eval files."],
    [["run", "capitals.eval.ts", "--config", "x.yaml"], "--config cannot be combined with eval files."],
    [["run", ".", "sub", "--output", "junit"], "--output junit is one file for one run, but there are 2 evals."],
    [["run", "--output", "tabel"], `Unknown reporter "tabel". Did you mean "table"?`],
  ])("refuses %j", async (args, message) => {
    const project = new TempProject({ ...files, "empty/x.txt": "", "sub/x.eval.mjs": makeEval("") });
    const { stderr, code } = await runPooledAssay(project.dir, ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
