import { realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../core/errors.js";
import { SpecError } from "./problems.js";
import { loadSpec, readSpec } from "./read-spec.js";
import { SPEC_FILES, WHOLE_SPEC } from "./spec-samples.js";
import { createJudgingRegistry, createSpecFolder, TIDY_SKILL } from "./spec-testing.js";

const registry = createJudgingRegistry();

describe("loadSpec", () => {
  it("resolves absolute paths, converts durations to milliseconds and fills in defaults", async () => {
    using folder = createSpecFolder(WHOLE_SPEC, SPEC_FILES);
    const spec = await loadSpec(folder.file, { registry });
    expect(spec).toMatchObject({
      file: folder.file,
      name: "test-writer-eval",
      description: "Writes tests.",
      type: "regression",
      skill: { dir: folder.path, name: "tidy" },
      defaults: {
        runs: 5,
        timeoutMs: 120_000,
        executor: "claude",
        models: ["haiku", "sonnet"],
        judgeModel: "gpt-5",
        maxCostUsd: 0.3,
      },
      gates: [{ metric: "pass_hat_3", op: ">=", value: 0.8 }],
      notes: [],
    });
    expect(spec.stimuli.map(({ name, trigger }) => [name, trigger])).toEqual([
      ["basic-test-generation", null],
      ["talk", null],
      ["should: Please tidy up", "should"],
      ["should not: What is the weather like?", "should_not"],
    ]);
    expect(spec.stimuli[0]).toMatchObject({
      prompt: "Write unit tests for add(a, b). Save them to add.test.js.\n",
      turns: [],
      tags: { area: "js", size: "3", kinds: "a,b" },
      rubric: ["covers negative numbers"],
      threshold: 0.7,
      goldenPatch: { file: join(folder.path, "golden.diff"), text: "diff --git a/x b/x\n" },
      line: 14,
      column: 5,
    });
    expect(spec.stimuli[0]?.environment).toEqual({
      git: { url: "https://example.com/repo.git" },
      files: [
        { src: join(folder.path, "fixtures/app"), dest: "." },
        { dest: "add.js", content: "export const add = 0;" },
      ],
      commands: ["npm ci", "npm test"],
      env: { CI: "1", LEVEL: "high" },
      skills: [folder.path],
      mcpServers: { docs: { command: "node", args: ["server.js"] }, web: { url: "http://127.0.0.1:1/mcp" } },
    });
    expect(spec.stimuli[1]).toMatchObject({
      prompt: "What now?",
      turns: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi" },
      ],
      threshold: 0.5,
      environment: { git: { url: join(folder.path, "repo"), ref: "main" } },
    });
  });

  it("adds every check to the graders", async () => {
    using folder = createSpecFolder(WHOLE_SPEC, SPEC_FILES);
    const { stimuli } = await loadSpec(folder.file, { registry });
    const held = { required: true, weight: 0 };
    expect(stimuli[0]?.graders).toEqual([
      { type: "file-exists", config: { path: "add.test.js" }, required: true },
      { type: "output-contains", config: { substring: "test" }, weight: 0.5 },
      { type: "output-contains", config: { substring: "add" }, weight: 2 },
      { type: "prompt", name: "rubric", config: { rubric: ["covers negative numbers"], model: "gpt-5" } },
      { type: "turn-count", config: { max: 10 }, name: "constraint:max_turns", ...held },
      { type: "token-budget", config: { max: 5000 }, name: "constraint:max_tokens", ...held },
      { type: "tool-call-count", config: { max: 20 }, name: "constraint:max_tool_calls", ...held },
      { type: "wall-time", config: { max: "90s" }, name: "constraint:max_duration", ...held },
      { type: "tool-calls", config: { required: ["write"] }, name: "constraint:expect_tools", ...held },
      { type: "skill-invocation", config: { required: ["tidy"] }, name: "constraint:expect_skills", ...held },
      { type: "skill-invocation", config: { disallowed: ["other"] }, name: "constraint:reject_skills", ...held },
    ]);
    expect(stimuli[2]).toMatchObject({
      graders: [{ type: "skill-invocation", config: { required: ["tidy"] } }],
      threshold: null,
    });
    expect(stimuli[3]?.graders).toEqual([{ type: "skill-invocation", config: { disallowed: ["tidy"] } }]);
  });

  it("requires only stimuli, and takes the name of the folder", async () => {
    using folder = createSpecFolder("stimuli: [{ name: hi, prompt: Say hi, graders: [{ type: completed }] }]\n");
    const spec = await loadSpec(folder.file, { registry });
    expect(spec).toMatchObject({
      name: folder.path.split("/").at(-1),
      type: "capability",
      skill: null,
      defaults: { runs: 1, timeoutMs: null, executor: null, models: [], judgeModel: null, maxCostUsd: null },
      gates: [{ metric: "pass_rate", op: ">=", value: 1 }],
    });
  });
});

it.each(["hi", "[low, hi]", "0", "[low, 1.5]"])(
  "an effort of %s is an error that says what it can be",
  async (effort) => {
    const stimuli = "stimuli:\n  - { name: s, prompt: p, graders: [{ type: completed }] }\n";
    using folder = createSpecFolder(`defaults: { effort: ${effort} }\n${stimuli}`);
    const { problems } = await readSpec(folder.file, { registry });
    expect(problems.map(({ text }) => text)).toEqual([
      expect.stringMatching(/must be none, .*, or a number of thinking tokens\.$/),
    ]);
  },
);

describe("options of loadSpec", () => {
  const FILE = `type: regression\ndefaults: { runs: 2, judge_model: a }\nstimuli:\n  - { name: s, prompt: p, rubric: [good], graders: [{ type: completed }] }\n`;

  it("override the values of the file", async () => {
    using folder = createSpecFolder(FILE);
    const spec = await loadSpec(folder.file, { registry, runs: 7, judgeModel: "b" });
    expect(spec.gates).toEqual([{ metric: "pass_hat_7", op: ">=", value: 1 }]);
    expect(spec.defaults).toMatchObject({ runs: 7, judgeModel: "b" });
    expect(spec.stimuli[0]?.graders.at(-1)).toMatchObject({ config: { model: "b" } });
  });

  it("may edit the document, which is then checked like the file", async () => {
    using folder = createSpecFolder(FILE);
    const edit = (raw: unknown) => ({ ...(raw as object), defaults: { runs: 3 } });
    expect((await loadSpec(folder.file, { registry, edit })).defaults.runs).toBe(3);
    const bad = (raw: unknown) => ({ ...(raw as object), defaults: { rnus: 3 } });
    await expect(loadSpec(folder.file, { registry, edit: bad })).rejects.toThrow('unknown key "rnus"');
    expect((await loadSpec(folder.file, { registry })).defaults.runs).toBe(2);
  });

  it("may edit in place what an anchor shares with others", async () => {
    using folder = createSpecFolder(
      "stimuli:\n  - { name: a, prompt: p, graders: &g [{ type: completed }] }\n  - { name: b, prompt: p, graders: *g }\n",
    );
    const edit = (raw: unknown) => {
      (raw as { stimuli: [{ graders: unknown[] }] }).stimuli[0].graders.push({ type: "exit-success" });
      return raw;
    };
    const { stimuli } = await loadSpec(folder.file, { registry, edit });
    expect(stimuli.map(({ graders }) => graders.length)).toEqual([2, 1]);
  });

  it("let a variant omit the skill under test, with a note", async () => {
    using folder = createSpecFolder(`skill: .\nenvironment: { skills: [.] }\n${FILE}`, { "SKILL.md": TIDY_SKILL });
    const edit = (raw: unknown) => ({ ...(raw as object), environment: { skills: [] } });
    const { notes } = await loadSpec(folder.file, { registry, edit });
    expect(notes.join()).toContain("the skill under test is offered to the agent in no test case");
  });
});

describe("an empty list of skills", () => {
  const OWN = "  - { name: without, prompt: p, graders: [{ type: completed }], environment: { skills: [] } }\n";
  const WITH = "  - { name: with, prompt: p, graders: [{ type: completed }] }\n";
  const files = { "tidy/SKILL.md": TIDY_SKILL };

  it("removes those of the file for a test case, with a note", async () => {
    using folder = createSpecFolder(`environment: { skills: [tidy] }\nstimuli:\n${OWN}${WITH}`, files);
    const { stimuli, notes } = await loadSpec(folder.file, { registry });
    expect(stimuli.map(({ environment }) => environment.skills)).toEqual([[], [join(folder.path, "tidy")]]);
    expect(notes).toEqual(['test case "without": its empty environment.skills removes those of the file']);
  });

  it("removes those of a shared environment, without a note if there are none", async () => {
    using folder = createSpecFolder(`environment: { use: base, skills: [] }\nstimuli:\n${WITH}${OWN}`, files);
    const environments = { base: { environment: { skills: ["tidy"] }, dir: folder.path } };
    const { stimuli, notes } = await loadSpec(folder.file, { registry, environments });
    expect(stimuli.map(({ environment }) => environment.skills)).toEqual([[], []]);
    expect(notes).toEqual(['an empty environment.skills removes those of the environment "base"']);
  });

  it("is an error if it removes the skill under test", async () => {
    using folder = createSpecFolder(`skill: tidy\nenvironment: { skills: [tidy] }\nstimuli:\n${OWN}${WITH}`, files);
    const { problems } = await readSpec(folder.file, { registry });
    expect(problems.map(({ text }) => text)).toEqual([expect.stringContaining('not all test cases (not "without")')]);
  });
});

describe("shared environments", () => {
  const SPEC = `environment: node
stimuli:
  - { name: a, prompt: p, graders: [{ type: completed }] }
  - { name: b, prompt: p, graders: [{ type: completed }], environment: { use: more, env: { A: own } } }
`;

  it("are merged by name, with paths relative to their file", async () => {
    using project = createSpecFolder("", { "app/x.js": "1", "skill/SKILL.md": TIDY_SKILL });
    using folder = createSpecFolder(SPEC);
    const environments = {
      node: { environment: { files: [{ src: "app", dest: "." }], env: { A: "1", B: "1" } }, dir: project.path },
      more: { environment: { skills: ["skill/SKILL.md"], commands: ["ls"], env: { A: "2" } }, dir: project.path },
    };
    const { stimuli } = await loadSpec(folder.file, { registry, environments });
    expect(stimuli[0]?.environment).toEqual({
      files: [{ src: join(project.path, "app"), dest: "." }],
      env: { A: "1", B: "1" },
    });
    expect(stimuli[1]?.environment).toEqual({
      files: [{ src: join(project.path, "app"), dest: "." }],
      env: { A: "own", B: "1" },
      commands: ["ls"],
      skills: [join(project.path, "skill")],
    });
  });

  it("report unknown names with a suggestion, and their problems where they are used", async () => {
    using folder = createSpecFolder(SPEC);
    const environments = {
      nod: { environment: {}, dir: "." },
      more: { environment: { skills: ["gone"] }, dir: folder.path },
    };
    const { problems } = await readSpec(folder.file, { registry, environments });
    expect(problems).toEqual([
      {
        line: 1,
        column: 14,
        text: 'the project file has no environment "node". Did you mean "nod"? Known: more, nod.',
      },
      {
        line: 4,
        column: 79,
        text: `the environment "more": the folder ${join(folder.path, "gone")} does not exist: a skill is a folder with a SKILL.md.`,
      },
    ]);
  });
});

describe("a skill by its path in the repository", () => {
  const TEXT = "skill: skills/tidy\nenvironment: { skills: [skills/tidy] }\nstimuli: [{ name: s, prompt: p }]\n";

  it("is found when nothing is beside the eval file, and never outside of the repository", async () => {
    using folder = createSpecFolder("", {
      "repository/.git": "gitdir: elsewhere\n",
      "repository/skills/tidy/SKILL.md": TIDY_SKILL,
      "repository/evals/tidy/eval.yaml": TEXT,
      "skills/tidy/SKILL.md": TIDY_SKILL,
      "evals/eval.yaml": TEXT,
    });
    const spec = await loadSpec(join(folder.path, "repository/evals/tidy/eval.yaml"), { registry });
    expect(spec.skill?.dir).toBe(join(folder.path, "repository/skills/tidy"));
    const outside = await readSpec(join(folder.path, "evals/eval.yaml"), { registry });
    expect(outside.problems[0]?.text).toContain(`${join(folder.path, "evals/skills/tidy")} does not exist`);
  });
});

describe("weights, rubrics and constraints", () => {
  const graders = async (stimulus: string, rest = "") => {
    using folder = createSpecFolder(`${rest}\nstimuli: [{ name: s, prompt: p, ${stimulus} }]\n`);
    const spec = await loadSpec(folder.file, { registry });
    return { graders: spec.stimuli[0]?.graders, notes: spec.notes };
  };

  it("give constraints a weight if nothing else has one", async () => {
    expect((await graders("constraints: { max_turns: 3 }")).graders).toMatchObject([{ weight: 1, required: true }]);
    const reported = "graders: [{ type: completed, weight: 0 }], constraints: { max_turns: 3 }";
    expect((await graders(reported)).graders).toMatchObject([{ weight: 0 }, { weight: 1 }]);
  });

  it("take the turn that is judged, and read that of Vally, which counts from 0", async () => {
    using folder = createSpecFolder(
      "stimuli: [{ name: s, turns: [a, b], graders: [{ type: completed, after_turn: 1 }, { type: completed, turn: 1 }] }]\n",
    );
    const { stimuli, notes } = await loadSpec(folder.file, { registry });
    expect(stimuli[0]?.graders).toEqual([
      { type: "completed", after_turn: 1 },
      { type: "completed", after_turn: 2 },
    ]);
    expect(notes.join()).toContain("turn is read as after_turn");
  });

  it("pass the rubric and the judge to graders that ask a model, also nested ones", async () => {
    const inner = "{ type: not, config: { grader: { type: prompt } } }";
    const own = "{ type: prompt, config: { model: mine, prompt: Is it good? } }";
    const panel = "{ type: panel, config: { models: [a, b] } }";
    const found = await graders(
      `rubric: [good], graders: [${inner}, ${own}, ${panel}]`,
      "defaults: { judge_model: j }",
    );
    expect(found.graders).toEqual([
      { type: "not", config: { grader: { type: "prompt", config: { rubric: ["good"], model: "j" } } } },
      { type: "prompt", config: { model: "mine", prompt: "Is it good?", rubric: ["good"] } },
      { type: "panel", config: { models: ["a", "b"], rubric: ["good"] } },
    ]);
  });

  it("note a rubric without a judge, and a test case without checks", async () => {
    const { graders: made, notes } = await graders("rubric: [good]");
    expect(made).toEqual([]);
    expect(notes).toEqual([
      'test case "s": the rubric is not checked. Set defaults.judge_model, or pass --judge-model',
      'test case "s": neither graders nor constraints: the trials are unscored',
    ]);
  });

  it("put the graders of the file before those of the test case", async () => {
    const { graders: made } = await graders("graders: [{ type: completed }]", "graders: [{ type: exit-success }]");
    expect(made?.map(({ type }) => type)).toEqual(["exit-success", "completed"]);
  });

  it("use a program beside the eval file, and leave others to the workspace", async () => {
    using folder = createSpecFolder(
      "stimuli:\n  - name: s\n    prompt: p\n    graders: [{ type: program, program: ./check.sh }, { type: program, program: ./made.sh }]\n",
      { "check.sh": "" },
    );
    const { stimuli } = await loadSpec(folder.file, { registry });
    expect(stimuli[0]?.graders.map(({ config }) => config?.program)).toEqual([
      join(folder.path, "check.sh"),
      "./made.sh",
    ]);
  });

  it("note a weight without a grader", async () => {
    const { notes } = await graders("graders: [{ type: completed }]", "scoring: { weights: { complete: 2 } }");
    expect(notes).toEqual(["scoring.weights.complete has no effect: there is no grader of this type"]);
  });
});

describe("triggers", () => {
  it("have unique names, however long and similar the prompts are", async () => {
    const long = `Tidy ${"up ".repeat(40)}`;
    using folder = createSpecFolder(
      `skill: .\nenvironment: { skills: [.] }\ntriggers:\n  tags: [quick]\n  should: ["${long}a", "${long}b"]\n`,
      { "SKILL.md": TIDY_SKILL },
    );
    const { stimuli } = await loadSpec(folder.file, { registry });
    expect(stimuli.map(({ name }) => name.length)).toEqual([67, 69]);
    expect(stimuli.map(({ name }) => name.slice(-3))).toEqual(["p…", "…-2"].map((end) => expect.stringContaining(end)));
    expect(stimuli[0]?.tags).toEqual({ quick: "true" });
    expect(stimuli[1]).toMatchObject({ line: 5, column: 12 + `"${long}a", `.length, prompt: `${long}b` });
  });
});

describe("SpecError", () => {
  it("has a line for each problem, in the order of the file", async () => {
    using folder = createSpecFolder("type: regresion\nstimuli: [{ nam: a, prompt: p }]\n");
    const error = await loadSpec(folder.file, { registry }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SpecError);
    expect(error).toMatchObject({ code: "SPEC", exitCode: EXIT.usage, file: folder.file });
    expect((error as SpecError).message).toBe(
      [
        `${folder.file}:1:7: type is the string "regresion". Did you mean "regression"? Known: capability, regression.`,
        `${folder.file}:2:11: test case 1: name is missing.`,
        `${folder.file}:2:13: test case 1: unknown key "nam". Did you mean "name"? Known: constraints, environment, golden_patch, graders, max_cost_usd, name, prompt, rubric, runs, tags, threshold, timeout, turns.`,
      ].join("\n"),
    );
  });

  it("is not thrown for a missing file", async () => {
    await expect(readSpec("no/such/eval.yaml")).rejects.toMatchObject({ code: "USAGE" });
  });
});

it("identifies a skill by its folder, whatever path leads there", async () => {
  using folder = createSpecFolder(
    "skill: sub/../\nenvironment: { skills: [./SKILL.md] }\nstimuli: [{ name: s, prompt: p, graders: [{ type: completed }] }]\n",
    { "SKILL.md": TIDY_SKILL, "sub/x": "" },
  );
  const { skill } = await loadSpec(folder.file, { registry });
  expect(skill && realpathSync(skill.dir)).toBe(realpathSync(folder.path));
});
