import { type ExecFileException, execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findProgram } from "../../src/exec/process/index.js";
import { ADAPTED_AGENTS, INSTALLED_AGENTS, MODELS } from "./real-agent.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EVAL_FILE = join("evals", "changelog", "eval.yaml");
const MOCK = ["--mock", join("evals", "changelog", "mock.yaml")];
const SKILL = "changelog-entry";
/** Appears only in SKILL.md: an agent whose trajectory contains it has read it. */
const OF_THE_SKILL = "sh add-entry.sh KIND TEXT ISSUE";
const SETUP_MS = 180_000;

/** An empty folder with the installed package. */
let dir: string;

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program in the folder. */
function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
  const options = { cwd: dir, env: { ...process.env, NO_COLOR: "1", ...env }, maxBuffer: 1 << 26 };
  return new Promise((resolve) => {
    const done = (error: ExecFileException | null, stdout: string, stderr: string) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    execFile(program, args, options, done).stdin?.end();
  });
}

const BINS = INSTALLED_AGENTS.map(({ bin }) => bin);

/** The command of the installed package, with the agents in PATH. */
function assay(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
  const own = { PATH: [...BINS, process.env.PATH].join(delimiter), TMPDIR: join(dir, "tmp") };
  return run(process.execPath, [join(dir, "node_modules", "assay", "bin", "assay.js"), ...args], {
    ...own,
    ...env,
  });
}

function textOf(...path: string[]): string {
  return readFileSync(join(dir, ...path), "utf8");
}

/** The fields of a results.jsonl line used here. */
interface Result {
  stimulus: string;
  system: string;
  outcome: string;
  grades: { name: string; passed: boolean; evidence: string }[];
  trajectory: { events: { type: string; name?: string }[] };
}

function resultsIn(folder: string): Result[] {
  const lines = textOf(folder, "results.jsonl").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Result);
}

/** The run folder that a command printed. */
function runIn({ stderr }: Said): string {
  const [, path] = /Stored in (.*)/.exec(stderr) ?? [];
  if (path === undefined) throw new Error(`no run is stored: ${stderr}`);
  return path;
}

/** A PATH folder with everything that grading may need, but no agent. */
function withoutAgents(): string {
  const bin = join(dir, "programs");
  mkdirSync(bin);
  for (const name of ["node", "git", "sh"]) {
    const program = findProgram(name);
    if (program !== null) symlinkSync(program, join(bin, name));
  }
  return bin;
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "assay-evals-"));
  if (!existsSync(join(ROOT, "dist", "cli", "main.js"))) throw new Error("There is no build to pack: npm run build");
  mkdirSync(join(dir, "tmp"));
  writeFileSync(join(dir, "package.json"), '{ "private": true, "type": "module" }\n');
  const packing = ["pack", "--silent", "--ignore-scripts", "--pack-destination", dir];
  const tarball = execFileSync("npm", packing, { cwd: ROOT, encoding: "utf8" }).trim();
  const installed = await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", join(dir, tarball)]);
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
}, SETUP_MS);

afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("starts with assay init, whose files have no lint errors", async () => {
  const made = await run("npx", ["--no-install", "assay", "init", "--executor", "claude"]);
  expect(made, made.stderr).toMatchObject({ code: 0 });
  expect(made.stdout.trimEnd().split("\n")).toContain(EVAL_FILE);
  expect(made.stderr).toContain("assay eval --mock");
  expect(await assay(["lint", "--strict"])).toMatchObject({ code: 0, stdout: "" });
  const oracle = await assay(["oracle", "--strict", "--output", "json", "--quiet"]);
  expect(oracle, oracle.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(oracle.stdout)).toMatchObject({ sound: 2, unsound: 0, survivors: 0 });
  expect(await assay(["init"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--force") });
});

describe.skipIf(INSTALLED_AGENTS.every(({ name }) => name !== "claude"))("an eval with claude", () => {
  let done: Said;
  let idle: Said;

  beforeAll(async () => {
    const files = ["--output-dir", "reports", "--junit", "ci/junit.xml", "--markdown", "ci/comment.md"];
    const summary = join(dir, "summary.md");
    const model = ["--executor", "claude", "--model", MODELS.claude ?? ""];
    done = await assay(["eval", ...MOCK, ...model, "--runs", "2", "--github", "summary", ...files], {
      GITHUB_STEP_SUMMARY: summary,
    });
    writeFileSync(join(dir, "idle.yaml"), "reply: I see.\n");
    idle = await assay(["eval", "--mock", "idle.yaml", ...model, "--runs", "1", "--output-dir", "idle"]);
  }, SETUP_MS);

  it("passes its gate, trial by trial", () => {
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(done.stdout).toContain("8 of 8 trials passed");
    expect(done.stdout).toContain("gate pass_rate >= 0.8: 1, passed");
    const results = resultsIn("reports");
    expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 8 }, () => "pass"));
    const fixed = results.find(({ stimulus }) => stimulus === "fixed-bug");
    expect(fixed?.grades.map(({ name }) => name)).toContain("constraint:expect_skills");
    expect(JSON.stringify(fixed?.trajectory)).toContain(OF_THE_SKILL);
  });

  it("fails its gate if the model does nothing", () => {
    expect(idle, idle.stderr).toMatchObject({ code: 1 });
    expect(idle.stderr).toContain("gate pass_rate >= 0.8: 0.25, failed");
    const outcomes = resultsIn("idle").map(({ stimulus, outcome }) => [stimulus.split(":")[0], outcome]);
    expect(Object.fromEntries(outcomes)).toEqual({
      "fixed-bug": "fail",
      "removed-flag": "fail",
      should: "fail",
      "should not": "pass",
    });
  });

  it("reports how well the skill is chosen", () => {
    expect(done.stdout).toContain(
      "activation: precision 1, recall 1, F1 1 (2 true positives, 0 false positives, 0 false negatives, 2 true negatives)",
    );
    expect(idle.stdout).toContain("recall 0");
    expect(idle.stdout).toContain("(0 true positives, 0 false positives, 1 false negative, 1 true negative)");
  });

  it("writes reports for machines, pull requests and workflows", () => {
    expect(textOf("ci", "junit.xml")).toBe(textOf("reports", "junit.xml"));
    expect(textOf("ci", "junit.xml")).toMatch(/<testsuite [^>]*tests="9" failures="0" errors="0" skipped="0"/);
    expect(textOf("idle", "junit.xml")).toMatch(/<testsuite [^>]*tests="5" failures="4"/);
    expect(textOf("ci", "comment.md")).toContain("all gates passed");
    expect(textOf("idle", "report.md")).toContain("1 of 1 gate failed");
    expect(textOf("summary.md")).toBe(textOf("ci", "comment.md"));
    expect(JSON.parse(textOf("reports", "report.json"))).toMatchObject({ parts: [{ eval: SKILL }] });
  });

  it("can be shown trial by trial, with the activated skill", async () => {
    const shown = await assay(["show", runIn(done), "fixed-bug#1"]);
    expect(shown, shown.stderr).toMatchObject({ code: 0 });
    expect(shown.stdout).toMatch(/^ +\+\d.* skill +changelog-entry$/m);
    expect(shown.stdout).toContain("modified  CHANGELOG.md");
  });

  it("is graded again without an agent", async () => {
    const PATH = withoutAgents();
    expect(await assay(["eval", ...MOCK], { PATH })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("claude"),
    });
    const graded = await assay(["grade", runIn(done)], { PATH });
    expect(graded, graded.stderr).toMatchObject({ code: 0 });
    expect(graded.stdout).toContain("8 of 8 trials passed");
  });

  it("is graded with a corrected eval, whose gate decides", async () => {
    const corrected = join("evals", "changelog", "corrected.yaml");
    const text = textOf(EVAL_FILE).replace("(]#42[", "(]#43[").replace("runs: 3", "runs: 2");
    writeFileSync(join(dir, corrected), text);
    const graded = await assay(["grade", runIn(done), "-e", corrected]);
    expect(graded, graded.stderr).toMatchObject({ code: 1 });
    expect(graded.stdout).toContain("6 of 8 trials passed");
    expect(graded.stderr).toContain("gate pass_rate >= 0.8: 0.75, failed");
  });

  it("is compared with another", async () => {
    const compared = await assay(["compare", runIn(done), runIn(idle), "--output", "json"]);
    expect(compared, compared.stderr).toMatchObject({ code: 0 });
    const [comparison] = (JSON.parse(compared.stdout) as { comparisons: unknown[] }).comparisons;
    expect(comparison).toMatchObject({ tasks: { paired: 4 } });
    const table = await assay(["compare", runIn(done), runIn(idle)]);
    expect(table.stdout).toContain("- fixed-bug: 2/2 → 0/1");
  });

  it("shows the effect of the skill in an experiment", async () => {
    const [experiment, json] = [
      ["experiment", "run", "experiment.yaml"],
      ["--output", "json"],
    ];
    const dry = await assay([...experiment, "--dry-run", ...json]);
    expect(dry, dry.stderr).toMatchObject({ code: 0, stderr: "" });
    const ran = await assay([...experiment, ...MOCK, "--runs", "1", "--max-cost", "10", "--quiet", ...json]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const { variants, lifts } = JSON.parse(ran.stdout);
    expect(variants).toMatchObject([
      { name: "without", trials: { pass: 0, fail: 2 } },
      { name: "with", trials: { pass: 2, fail: 0 } },
    ]);
    expect(lifts).toMatchObject([{ variant: "with", paired: 2 }]);
    const again = await assay(["experiment", "report", ...json]);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ variants, lifts });
  });
});

const OTHERS = ADAPTED_AGENTS.map(({ name }) => name).filter((name) => name !== "claude");

describe.skipIf(OTHERS.length === 0)("the same eval with the other agents, in one run", () => {
  let results: Result[];

  beforeAll(async () => {
    const executors = OTHERS.flatMap((name) => ["--executor", `${name}:${MODELS[name]}`]);
    const done = await assay([
      "eval",
      ...MOCK,
      ...executors,
      "--stimulus",
      "fixed-bug",
      "--runs",
      "1",
      "--output-dir",
      "others",
    ]);
    expect(done, `${done.stdout}\n${done.stderr}`).toMatchObject({ code: 0 });
    results = resultsIn("others");
  }, SETUP_MS);

  it.each(OTHERS)("%s is offered the skill, reads it, uses it and passes", (name) => {
    const result = results.find(({ system }) => system === `${name}:${MODELS[name]}`);
    expect(result, JSON.stringify(result)).toMatchObject({ stimulus: "fixed-bug", outcome: "pass" });
    const activated = result?.trajectory.events.filter(({ type }) => type === "skill_activation");
    expect(activated).toMatchObject([{ name: SKILL }]);
    expect(JSON.stringify(result?.trajectory)).toContain(OF_THE_SKILL);
  });
});

it("leaves no trial folder behind", () => {
  expect(readdirSync(join(dir, "tmp")).filter((name) => name.startsWith("assay-"))).toEqual([]);
});
