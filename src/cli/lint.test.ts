import { Command } from "commander";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EVAL_CASES } from "../evals/lint/eval/eval-cases.js";
import { createLintFolder } from "../evals/lint/lint-testing.js";
import { CLEAN_SKILLS, SKILL_CASES } from "../evals/lint/skill/skill-cases.js";
import { addLintCommand } from "./commands/lint.js";

interface Shown {
  code: number;
  stdout: string;
  stderr: string;
}

type Files = Readonly<Record<string, string>>;

/** Runs the command in a folder with these files. */
async function lintIn(files: Files, ...args: string[]): Promise<Shown> {
  using folder = createLintFolder(files);
  const shown: Shown = { code: -1, stdout: "", stderr: "" };
  const spies = [
    vi.spyOn(process, "cwd").mockReturnValue(folder.path),
    ...(["stdout", "stderr"] as const).map((stream) =>
      vi.spyOn(process[stream], "write").mockImplementation((text) => {
        shown[stream] += String(text);
        return true;
      }),
    ),
  ];
  const restore = () => spies.map((spy) => spy.mockRestore());
  onTestFinished(() => void restore());
  const program = new Command("assay").exitOverride();
  addLintCommand(program, (code) => {
    shown.code = code;
  });
  try {
    await program.parseAsync(["node", "assay", "lint", ...args]);
  } finally {
    restore();
  }
  return shown;
}

const CLEAN = CLEAN_SKILLS["a skill with the least there can be"] ?? {};

describe("assay lint", () => {
  it("prints only a summary for clean files", async () => {
    expect(await lintIn(CLEAN)).toEqual({ code: 0, stdout: "", stderr: "1 file checked: no findings.\n" });
  });

  it("exits with 1 for errors, and for warnings only with --strict", async () => {
    const error = await lintIn(SKILL_CASES["SKILL-NAME"], "tidy");
    expect(error.code).toBe(1);
    expect(error.stdout).toMatch(/^tidy\/SKILL\.md:2:1: error SKILL-NAME: .*\n {4}\S.*\n$/);
    expect((await lintIn(SKILL_CASES["SKILL-KEY-UNKNOWN"])).code).toBe(0);
    expect((await lintIn(SKILL_CASES["SKILL-KEY-UNKNOWN"], "--strict")).code).toBe(1);
    const quiet = await lintIn(SKILL_CASES["SKILL-NAME"], "--strict", "--disable", "SKILL-NAME,EVAL-SCHEMA");
    expect(quiet.code).toBe(0);
  });

  it("reports the position of an unknown config key", async () => {
    const config = "evals:\n  paths: [.]\n  environments:\n    a:\n      env: {}\n      use: b\n";
    await expect(lintIn({ ...CLEAN, "assay.config.yaml": config })).rejects.toThrow(
      /assay\.config\.yaml:6:7: environments\.a: use is only for/,
    );
  });

  it("knows the metrics of a run", async () => {
    const { code, stdout } = await lintIn(EVAL_CASES["EVAL-GATE-METRIC"], "-e", "eval.yaml", "--output", "json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: "assay.lint/1",
      errors: 1,
      files: ["eval.yaml"],
      findings: [{ code: "EVAL-GATE-METRIC", message: expect.stringContaining('Did you mean "pass_rate"?') as string }],
    });
    const gates = "gate: [{ metric: pass_rate, op: '>=', value: 1 }, { metric: cost_per_pass_usd, op: '<', value: 1 }]";
    const known = EVAL_CASES["EVAL-GATE-METRIC"]["eval.yaml"]?.replace(/gate:.*/, gates) ?? "";
    expect(await lintIn({ "eval.yaml": known })).toMatchObject({ code: 0, stdout: "" });
  });

  it("reads shared environments from the config file", async () => {
    const files = {
      "eval.yaml": "stimuli:\n  - { name: a, prompt: Go., environment: app, graders: [{ type: completed }] }\n",
      "app/a.js": "1\n",
    };
    expect((await lintIn(files)).stdout).toContain("EVAL-SCHEMA");
    const config = "evals: { environments: { app: { files: [{ src: app, dest: . }] } } }\n";
    expect(await lintIn({ ...files, "assay.config.yaml": config })).toMatchObject({ code: 0, stdout: "" });
  });

  it("writes annotations for a workflow", async () => {
    const { stdout } = await lintIn(SKILL_CASES["SKILL-NAME-FOLDER"], "--output", "github");
    expect(stdout).toMatch(/^::error file=tidy\/SKILL\.md,line=2,col=1,title=SKILL-NAME-FOLDER::The name is .*\n$/);
  });

  it("lists all rules", async () => {
    const { code, stdout } = await lintIn({}, "--rules");
    expect(code).toBe(0);
    expect(stdout).toContain("EVAL-INERT-GRADER");
    const { stdout: json } = await lintIn({}, "--rules", "--output", "json");
    expect(JSON.parse(json)).toMatchObject({ schema: "assay.lint-rules/1" });
  });

  it("rejects invalid requests with exit code 2", async () => {
    await expect(lintIn({})).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("Nothing to lint") as string,
    });
    await expect(lintIn(CLEAN, "nowhere")).rejects.toMatchObject({ exitCode: 2 });
    await expect(lintIn(CLEAN, "--output", "xml")).rejects.toMatchObject({ exitCode: 2 });
    await expect(lintIn(CLEAN, "--disable", "SKILL")).rejects.toMatchObject({ exitCode: 2 });
  });
});
