import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLEAN_EVALS, EVAL_CASES } from "./eval/eval-cases.js";
import { LINT_RULES, type LintCode, lint } from "./lint.js";
import { createLintFolder, createLintOptions, requireClean } from "./lint-testing.js";
import { CLEAN_SKILLS, SKILL_CASES } from "./skill/skill-cases.js";

const CASES = { ...SKILL_CASES, ...EVAL_CASES };
const CLEAN = { ...CLEAN_SKILLS, ...CLEAN_EVALS };

/** Files beside the checked ones belong to the case but not to the finding. */
async function findingsIn(files: Readonly<Record<string, string>>) {
  using folder = createLintFolder(files);
  return (await lint([], { cwd: folder.path, ...createLintOptions() })).findings;
}

describe("lint", () => {
  it("has a case for every code", () => {
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(LINT_RULES).sort());
  });

  it.each(Object.keys(LINT_RULES) as LintCode[])("finds %s and nothing else", async (code) => {
    const findings = await findingsIn(CASES[code]);
    expect(findings.map((finding) => `${finding.code} ${finding.message}`)).toEqual([
      expect.stringMatching(new RegExp(`^${code} `)),
    ]);
    const [finding] = findings;
    expect(finding?.severity).toBe(LINT_RULES[code].severity);
    expect(finding?.message).toMatch(/\w.*[.?]$/s);
    expect(finding?.fix).not.toBe("");
    expect(finding?.line).toBeGreaterThan(0);
    expect(finding?.column).toBeGreaterThan(0);
    expect(Object.keys(CASES[code])).toContain(finding?.file);
  });

  it.each(Object.entries(CLEAN))("finds nothing in: %s", async (_, files) => {
    using folder = createLintFolder(files);
    await requireClean(folder.path);
  });

  it("reports the location of a finding", async () => {
    const [broken] = await findingsIn(SKILL_CASES["SKILL-REFERENCE-BROKEN"]);
    expect(broken).toMatchObject({ file: "tidy/SKILL.md", line: 7, column: 17 });
    const [dead] = await findingsIn(EVAL_CASES["EVAL-PATH-DEAD"]);
    expect(dead).toMatchObject({ file: "eval.yaml", line: 2, column: 31 });
    const [unreachable] = await findingsIn(EVAL_CASES["EVAL-UNREACHABLE"]);
    expect(unreachable).toMatchObject({ file: "eval.yaml", line: 7, column: 9 });
  });

  it("finds gates that are always met, which a run would accept", async () => {
    const [text = ""] = Object.values(EVAL_CASES["EVAL-GATE-VALUE"]);
    const files = { "eval.yaml": text.replace("value: 80", "value: 0") };
    expect((await findingsIn(files)).map(({ code, message }) => [code, message])).toEqual([
      ["EVAL-GATE-VALUE", "The gate pass_rate >= 0 is always met."],
    ]);
  });

  it("finds several problems at once, in the order of the file", async () => {
    const files = { "tidy/SKILL.md": "---\nname: Tidy\ncolour: blue\n---\n" };
    const codes = (await findingsIn(files)).map(({ code }) => code);
    expect(codes).toEqual(["SKILL-DESCRIPTION-MISSING", "SKILL-NAME", "SKILL-KEY-UNKNOWN", "SKILL-BODY-EMPTY"]);
  });

  it("skips disabled rules and rejects unknown codes", async () => {
    using folder = createLintFolder(SKILL_CASES["SKILL-NAME"]);
    const report = await lint(["."], { cwd: folder.path, disable: ["SKILL-NAME"] });
    expect(report).toEqual({ files: ["tidy/SKILL.md"], findings: [] });
    await expect(lint(["."], { cwd: folder.path, disable: ["SKILL-NAMES"] })).rejects.toThrow(
      /Did you mean "SKILL-NAME"/,
    );
  });

  it("accepts files, folders and patterns, and reports when there is nothing to check", async () => {
    using folder = createLintFolder({
      ...CLEAN_SKILLS["a skill with the least there can be"],
      "a/one.eval.yaml": "",
      "b/x.txt": "",
    });
    const filesOf = async (...paths: string[]) => (await lint(paths, { cwd: folder.path })).files;
    expect(await filesOf()).toEqual(["a/one.eval.yaml", "tidy/SKILL.md"]);
    expect(await filesOf("a")).toEqual(["a/one.eval.yaml"]);
    expect(await filesOf("*/*.eval.yaml", "tidy/SKILL.md")).toEqual(["a/one.eval.yaml", "tidy/SKILL.md"]);
    expect(await filesOf("**/SKILL.md", join(folder.path, "tidy"))).toEqual(["tidy/SKILL.md"]);
    await expect(filesOf("b")).rejects.toMatchObject({ code: "USAGE", exitCode: 2 });
    await expect(filesOf("b/x.txt")).rejects.toThrow(/neither a SKILL.md nor an eval file/);
    await expect(filesOf("c")).rejects.toThrow(/No file or folder c/);
  });

  it("skips folders of tools", async () => {
    using folder = createLintFolder({
      "node_modules/x/SKILL.md": "",
      ".cache/x/SKILL.md": "",
      ".claude/skills/tidy/SKILL.md": CLEAN_SKILLS["a skill with the least there can be"]?.["tidy/SKILL.md"] ?? "",
    });
    expect((await lint([], { cwd: folder.path })).files).toEqual([".claude/skills/tidy/SKILL.md"]);
  });
});
