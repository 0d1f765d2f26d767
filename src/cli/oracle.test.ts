import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { UsageError } from "../core/errors.js";
import { findTestEngine } from "../testing/containers.js";
import { isCommandMissing } from "../testing/system-command.js";
import { TempProject } from "../testing/temp-project.js";
import { addOracleCommand } from "./commands/oracle.js";

const SPEC = `name: sums
environment:
  files: [{ src: app, dest: . }]
stimuli:
  - name: fix-add
    prompt: Mend add.
    golden_patch: { path: golden.diff }
    graders:
      - { type: file-contains, config: { path: add.mjs, value: "a + b" } }
      - { type: output-contains, config: { substring: done } }
  - name: explain
    prompt: What does add do?
    graders:
      - { type: output-contains, config: { substring: sum } }
`;
const ADD = "export const add = (a, b) => {\n  return a - b;\n};\n";
const GOLDEN = `diff --git a/add.mjs b/add.mjs
--- a/add.mjs
+++ b/add.mjs
@@ -1,3 +1,5 @@
 export const add = (a, b) => {
-  return a - b;
+  // Numbers alone.
+  if (Number.isNaN(a)) throw new RangeError("a");
+  return a + b;
 };
`;

const FILES = { "eval.yaml": SPEC, "golden.diff": GOLDEN, "app/add.mjs": ADD };

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command in a folder with these files and collects its output. */
async function oracle(files: Record<string, string>, ...args: string[]): Promise<Said> {
  const { dir } = new TempProject(files);
  const before = process.cwd();
  process.chdir(dir);
  onTestFinished(() => process.chdir(before));
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    const spy = vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  }
  let code = -1;
  const program = new Command().exitOverride();
  addOracleCommand(program, (exitCode) => {
    code = exitCode;
  });
  await program.parseAsync(["oracle", ...args], { from: "user" });
  return { code, ...said };
}

describe.skipIf(isCommandMissing("git"))("assay oracle", () => {
  it("reports each test case, missed lines and skipped graders", async () => {
    const { code, stdout } = await oracle(FILES, "-e", "eval.yaml");
    expect(code).toBe(0);
    expect(stdout).toMatch(/\| fix-add +\| fail +\| pass +\| +4 \| +1 \| +2 \| +1 \|/);
    expect(stdout).toMatch(/\| explain +\| not checked +\|/);
    expect(stdout).toContain(
      '- fix-add · add.mjs:3 (golden.diff:8) left out "if (Number.isNaN(a)) throw new RangeError(\\"a\\");": passed · file-contains: ',
    );
    expect(stdout).toContain('- fix-add · add.mjs:2 (golden.diff:6) kept "return a - b;": passed');
    expect(stdout).toContain("## Harmless-looking lines that no grader notices\n\n- fix-add · add.mjs:2");
    expect(stdout).toContain("- sound: 1 of 1 checked test cases; 2 missing lines that no grader noticed");
    expect(stdout).toContain("not checked, without a golden patch or solution/solve.sh: explain");
    expect(stdout).toContain("fix-add: skipped graders, because no agent was started: output-contains (");
  });

  it("fails on missing lines that no grader noticed only with --strict, and tries no lines with --max-omissions 0", async () => {
    expect((await oracle(FILES, "-e", "eval.yaml", "--strict", "--workers", "3")).code).toBe(1);
    expect((await oracle(FILES, "-e", ".", "--strict", "--max-omissions", "0")).code).toBe(0);
  });

  it("prints everything as JSON", async () => {
    const { code, stdout } = await oracle(FILES, "-e", "eval.yaml", "--output", "json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: "assay.oracle/1",
      sound: 1,
      unsound: 0,
      unchecked: 1,
      survivors: 2,
      stimuli: [
        {
          stimulus: "fix-add",
          line: 5,
          untouched: { outcome: "fail" },
          omissions: { tried: 4, caught: 1, survived: 2 },
        },
        { stimulus: "explain", status: "unchecked", cause: "no-patch" },
      ],
    });
  });

  it("exits with 1 if graders pass the untouched state or fail the golden one, and says why", async () => {
    const lax = SPEC.replace('value: "a + b"', "value: return");
    const passes = await oracle({ ...FILES, "eval.yaml": lax }, "-e", "eval.yaml");
    expect(passes.code).toBe(1);
    expect(passes.stdout).toMatch(/\| fix-add +\| pass ✗ +\| pass +\| +– \|/);
    expect(passes.stdout).toContain(
      "- eval.yaml:5:5: fix-add: the graders pass the untouched state: passed · file-contains:",
    );
    const never = SPEC.replace('value: "a + b"', "value: never");
    const fails = await oracle({ ...FILES, "eval.yaml": never }, "-e", "eval.yaml");
    expect(fails.code).toBe(1);
    expect(fails.stdout).toContain(
      "fix-add: the graders fail the golden state: not passed; failed graders: file-contains",
    );
  });

  it("exits with 1 and git's message if a patch does not apply", async () => {
    const { code, stdout } = await oracle({ ...FILES, "app/add.mjs": "other\n" }, "-e", "eval.yaml");
    expect(code).toBe(1);
    expect(stdout).toContain("The golden patch does not apply: git apply failed: error: patch failed: add.mjs:1");
  });

  it("exits with 3 if nothing can be checked, or a folder cannot be set up", async () => {
    const none = await oracle(FILES, "-e", "eval.yaml", "--stimulus", "explain");
    expect(none.code).toBe(3);
    const failing = SPEC.replace("dest: . }]", "dest: . }]\n  commands: [exit 3]");
    const broken = await oracle({ ...FILES, "eval.yaml": failing }, "-e", "eval.yaml");
    expect(broken.code).toBe(3);
    expect(broken.stdout).toContain("fix-add cannot be checked: The set-up failed: the command `exit 3` failed");
  });

  it("reads files, plugins and environments from the project's config", async () => {
    // It registers nothing, because all tests share the registry.
    const plugin = `export function register(registry) {
      if (typeof registry.register === "function") globalThis.registeredForOracle = true;
    }`;
    const config =
      "plugins: [plugin.mjs]\nevals:\n  paths: [evals]\n  environments:\n    app: { files: [{ src: app, dest: . }] }\n";
    const spec = SPEC.replace(/environment:\n.*\n/, "environment: app\n").replace("golden.diff", "../golden.diff");
    const files = { ...FILES, "assay.config.yaml": config, "plugin.mjs": plugin, "evals/eval.yaml": spec };
    const { code, stdout } = await oracle(files, "--max-omissions", "1");
    expect(stdout).toMatch(/\| fix-add +\| fail +\| pass +\| +1 \|/);
    expect(code).toBe(0);
    expect(globalThis).toHaveProperty("registeredForOracle", true);
    Reflect.deleteProperty(globalThis, "registeredForOracle");
  });

  it("searches this folder by default", async () => {
    const { code, stdout } = await oracle(FILES, "--max-omissions", "0");
    expect(stdout).toMatch(/\| fix-add +\| fail +\| pass +\|/);
    expect(code).toBe(0);
  });

  it("rejects invalid files and flags", async () => {
    await expect(oracle({})).rejects.toThrow(UsageError);
    await expect(oracle(FILES, "-e", "eval.yaml", "--output", "xml")).rejects.toThrow(
      "--output table or --output json",
    );
    await expect(oracle(FILES, "-e", "eval.yaml", "--stimulus", "fix-ad")).rejects.toThrow('"fix-add"');
    await expect(oracle(FILES, "-e", "none.yaml")).rejects.toThrow("none.yaml");
  });

  it("stops on Ctrl-C, reports what it has, and leaves no folder behind", async () => {
    const { dir } = new TempProject({});
    const tmp = new TempProject({}).dir;
    vi.stubEnv("TMPDIR", tmp);
    onTestFinished(() => void vi.unstubAllEnvs());
    const started = join(dir, "started");
    const slow = `type: run-command, config: { command: "touch ${started}; sleep 60", timeout: 2m }`;
    const spec = SPEC.replace('type: file-contains, config: { path: add.mjs, value: "a + b" }', slow);
    const others = process.listeners("SIGINT");
    const running = oracle({ ...FILES, "eval.yaml": spec }, "-e", "eval.yaml");
    await vi.waitUntil(() => existsSync(started), { timeout: 120_000 });
    // Calls only the command's own listeners: the signal is not for the test runner.
    for (const listener of process.listeners("SIGINT")) if (!others.includes(listener)) listener("SIGINT");
    const { code, stdout, stderr } = await running;
    expect(code).toBe(130);
    expect(stderr).toContain("Stopping");
    expect(stdout).toContain("fix-add cannot be checked: it was stopped");
    expect(readdirSync(tmp).filter((name) => name.startsWith("assay-workspace-"))).toEqual([]);
    expect(readdirSync(tmp).filter((name) => name.startsWith("assay-grading-"))).toEqual([]);
  });
});

const HARBOR = {
  "task.toml": '[agent]\ntimeout_sec = 90\n[solution.env]\nWORD = "hello"\n',
  "instruction.md": "Write hello to hello.txt.",
  "environment/Dockerfile": "FROM scratch\n",
  "tests/test.sh": `if test "$(cat hello.txt)" = "$(cat /tests/expected.txt)" && test -e /opt/tool
then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi`,
  "tests/expected.txt": "hello\n",
  "solution/solve.sh": 'mkdir -p /opt && cp /solution/tool /opt/tool && echo "$WORD" > hello.txt\n',
  "solution/tool": "tool",
};

function createTasks(tasks: Readonly<Record<string, Readonly<Record<string, string>>>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tasks).flatMap(([name, changed]) =>
      Object.entries({ ...HARBOR, ...changed }).flatMap(([path, text]) => [[`tasks/${name}/${path}`, text]]),
    ),
  );
}

describe("assay oracle for task folders", () => {
  it("says what it needs", async () => {
    const files = createTasks({ hello: {} });
    const DATASET = ["--dataset", "harbor:tasks"];
    await expect(oracle(files, ...DATASET)).rejects.toThrow(
      /an image of its own Dockerfile: add --isolation container:/,
    );
    await expect(oracle(files, ...DATASET, "--isolation", "box")).rejects.toThrow(/add --isolation container:/);
    await expect(oracle(files, ...DATASET, "-e", "eval.yaml")).rejects.toThrow(/cannot be combined/);
    await expect(oracle(files, "--dataset", "gsm8k")).rejects.toThrow(/only task folders .* --dataset harbor:DIR/);
    await expect(oracle(files, "--dataset", "harbor:none")).rejects.toThrow(/no folder none/);
    vi.stubEnv("PATH", new TempProject({}).dir);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(oracle(files, ...DATASET, "--isolation", "container:docker")).rejects.toThrow(
      /No container can be made/,
    );
  });
});

const engine = await findTestEngine();
const { isolation, image } = engine ?? { isolation: "container:podman", image: "" };

describe.skipIf(engine === null)("assay oracle for task folders in containers", () => {
  it("runs the solution, then the tests: untouched fails, solved passes", async () => {
    const Dockerfile = { "environment/Dockerfile": `FROM ${image}\nWORKDIR /app\n` };
    const files = createTasks({
      hello: Dockerfile,
      wrong: { ...Dockerfile, "solution/solve.sh": "echo bye > hello.txt; echo no tool >&2; exit 3" },
      easy: { ...Dockerfile, "tests/test.sh": "echo 1 > /logs/verifier/reward.txt" },
    });
    const dataset = ["--dataset", "harbor:tasks", "--isolation", isolation];
    const { code, stdout, stderr } = await oracle(files, ...dataset);
    expect(code).toBe(1);
    expect(stderr).toContain("Runs in containers: solution/solve.sh and tests/test.sh of 3 tasks");
    expect(stdout).toMatch(/\| hello +\| fail +\| pass +\| +– \|/);
    expect(stdout).toMatch(/\| wrong +\| fail +\| fail ✗ \|/);
    expect(stdout).toMatch(/\| easy +\| pass ✗ +\| pass +\|/);
    expect(stdout).toContain("the graders fail the golden state");
    expect(stdout).toContain("wrong: the solution ended with 3: no tool");
    expect(stdout).toContain("sound: 1 of 3 checked test cases");
  });

  it("lists tasks without a solution, and exits 0 when the others are sound", async () => {
    const files = createTasks({ hello: { "environment/Dockerfile": `FROM ${image}\nWORKDIR /app\n` }, bare: {} });
    Reflect.deleteProperty(files, "tasks/bare/solution/solve.sh");
    const { code, stdout } = await oracle(files, "--dataset", "harbor:tasks", "--isolation", isolation);
    expect(stdout).toContain("not checked, without a golden patch or solution/solve.sh: bare");
    expect(stdout).toMatch(/\| hello +\| fail +\| pass +\|/);
    expect(code).toBe(0);
  });
});
