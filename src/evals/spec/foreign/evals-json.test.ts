import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { lint } from "../../lint/lint.js";
import { findSpecs } from "../find-specs.js";
import { loadSpec, readSpec } from "../read-spec.js";
import { createJudgingRegistry, createSpecFolder, TIDY_SKILL } from "../spec-testing.js";

const registry = createJudgingRegistry();

/** A skill folder with the given evals.json. */
function createSkillFolder(evals: unknown, files: Readonly<Record<string, string>> = {}) {
  const text = typeof evals === "string" ? evals : JSON.stringify(evals, null, 2);
  const folder = createSpecFolder("", { "SKILL.md": TIDY_SKILL, "evals/evals.json": text, ...files });
  return Object.assign(folder, { evals: join(folder.path, "evals/evals.json") });
}

describe("evals/evals.json of a skill", () => {
  it("becomes test cases with a rubric, files and the skill above", async () => {
    using folder = createSkillFolder(
      {
        skill_name: "tidy",
        evals: [
          {
            id: 1,
            prompt: "Sort evals/files/list.txt.",
            expected_output: "A sorted list",
            files: ["evals/files/list.txt", "own.txt"],
            expectations: ["a comes first"],
          },
          { id: 2, name: "say", prompt: "How?", assertions: [{ name: "x", check: "says how" }, { text: "is short" }] },
          { id: 3, prompt: "Hm?", expected_output: "Asks back", files: [], assertions: [], category: "talk" },
        ],
      },
      { "evals/files/list.txt": "b\na\n", "evals/own.txt": "own" },
    );
    const spec = await loadSpec(folder.evals, { registry, judgeModel: "j" });
    expect(spec).toMatchObject({ name: "tidy", skill: { dir: folder.path, name: "tidy" } });
    expect(spec.stimuli.map(({ name, rubric, line }) => ({ name, rubric, line }))).toEqual([
      { name: "1", rubric: ["a comes first"], line: 4 },
      { name: "say", rubric: ["says how", "is short"], line: expect.any(Number) as number },
      { name: "3", rubric: ["Asks back"], line: expect.any(Number) as number },
    ]);
    expect(spec.stimuli[0]?.environment).toEqual({
      skills: [folder.path],
      files: [
        { src: join(folder.path, "evals/files/list.txt"), dest: "evals/files/list.txt" },
        { src: join(folder.path, "evals/own.txt"), dest: "own.txt" },
      ],
    });
    expect(spec.stimuli[0]?.graders).toEqual([
      { type: "prompt", name: "rubric", config: { rubric: ["a comes first"], model: "j" } },
    ]);
    expect(spec.notes).toEqual([
      "evals.expected_output: the judge gets expectations instead, where there are any",
      "evals.category: ignored: it is not checked",
    ]);
  });

  it("says once which rubrics need a judge", async () => {
    const evals = [1, 2, 3, 4, 5].map((id) => ({ id, prompt: "p", expectations: ["e"] }));
    using folder = createSkillFolder({ skill_name: "tidy", evals });
    const { notes } = await loadSpec(folder.evals, { registry });
    expect(notes).toEqual([
      'test cases "1", "2", "3" and 2 more: the rubric is not checked. Set defaults.judge_model, or pass --judge-model',
      'test cases "1", "2", "3" and 2 more: neither graders nor constraints: the trials are unscored',
    ]);
  });

  it("may test the skill in the folder skill of its repository", async () => {
    using folder = createSpecFolder("", {
      "skill/SKILL.md": TIDY_SKILL,
      "evals/evals.json": '{"skill_name": "other", "evals": [{"id": 1, "prompt": "p"}]}',
    });
    const spec = await loadSpec(join(folder.path, "evals/evals.json"), { registry });
    expect(spec.skill).toEqual({ name: "tidy", dir: join(folder.path, "skill") });
  });

  it("may be only the list, and may be beside the skills of a repository", async () => {
    using folder = createSkillFolder([{ id: "a", prompt: "p", expect: ["e"] }]);
    expect((await loadSpec(folder.evals, { registry })).stimuli).toMatchObject([{ name: "a", rubric: ["e"] }]);
    const repository = join(folder.path, "repository");
    for (const [name, text] of [
      ["skills/tidy/SKILL.md", TIDY_SKILL],
      ["evals/evals.json", '{"skill_name": "tidy", "evals": [{"id": 1, "prompt": "p"}]}'],
    ] as const) {
      mkdirSync(dirname(join(repository, name)), { recursive: true });
      writeFileSync(join(repository, name), text);
    }
    const spec = await loadSpec(join(repository, "evals/evals.json"), { registry });
    expect(spec.skill).toEqual({ name: "tidy", dir: join(repository, "skills/tidy") });
  });

  it("reports problems where they are in the file", async () => {
    using folder = createSkillFolder(`{
  "skill_name": "tidy",
  "evals": [
    { "id": 1, "prompt": "p", "files": ["gone.txt"],
      "expectations": ["", 3] }
  ]
}`);
    const { problems } = await readSpec(folder.evals, { registry });
    expect(problems).toMatchObject([
      { line: 4, column: 41, text: expect.stringContaining("gone.txt does not exist") },
      { line: 5, column: 24, text: 'test case "1": rubric[0] is empty: fill it in, or remove the line.' },
      { line: 5, column: 28, text: expect.stringContaining("rubric[1] must be text") },
    ]);
    using lost = createSpecFolder("", {
      "evals/evals.json": '{"skill_name": "x", "evals": [{"id": 1, "prompt": "p"}]}',
    });
    const { problems: missing } = await readSpec(join(lost.path, "evals/evals.json"), { registry });
    expect(missing).toMatchObject([
      { line: 1, column: 16, text: expect.stringContaining("there is no SKILL.md in .., .") },
    ]);
  });

  it("is found and checked in the folder of the skill", async () => {
    using folder = createSkillFolder(
      { skill_name: "tidy", evals: [{ id: 1, prompt: "p", expectations: ["e"], files: ["gone.txt"] }] },
      { "evals/other/evals.json": '{"cases": []}' },
    );
    expect(await findSpecs([join(folder.path, "evals")])).toEqual([folder.evals]);
    const { files, findings } = await lint(["evals", "SKILL.md"], { cwd: folder.path, registry });
    expect(files).toEqual(["SKILL.md", "evals/evals.json"]);
    const own = findings.filter(({ file }) => file === "evals/evals.json");
    expect(own.map(({ code, line }) => `${line} ${code}`)).toEqual(["7 EVAL-RUBRIC-JUDGE", "11 EVAL-PATH-DEAD"]);
  });
});
