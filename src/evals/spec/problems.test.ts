import { describe, expect, it } from "vitest";
import { readSpec } from "./read-spec.js";
import { createJudgingRegistry, createSpecFolder, TIDY_SKILL } from "./spec-testing.js";

const registry = createJudgingRegistry();

/** A valid file except for what is added to it. */
const STIMULI = "stimuli: [{ name: s, prompt: p, graders: [{ type: completed }] }]\n";

const stimulus = (rest: string) => `stimuli:\n  - name: s\n    prompt: p\n    ${rest}\n`;

interface Case {
  readonly what: string;
  readonly spec: string;
  readonly at: string;
  readonly says: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** Each file has exactly one defect. */
const CASES: readonly Case[] = [
  { what: "a key that objects have", spec: `__proto__: {}\n${STIMULI}`, at: "1:1", says: 'unknown key "__proto__".' },
  { what: "no YAML", spec: "stimuli: [", at: "1:11", says: "Fix the YAML" },
  { what: "an empty file", spec: "", at: "1:1", says: "the file is empty: give it a name and stimuli." },
  { what: "a list", spec: "- a\n", at: "1:1", says: "is not a mapping" },
  { what: "a key given twice", spec: `name: a\nname: b\n${STIMULI}`, at: "2:1", says: "duplicate key" },
  { what: "no test cases", spec: "name: a\n", at: "1:1", says: "nothing to run" },
  { what: "an empty list", spec: "name: a\nstimuli: []\n", at: "2:10", says: "nothing to run" },
  { what: "an unknown key", spec: `nmae: a\n${STIMULI}`, at: "1:1", says: 'unknown key "nmae". Did you mean "name"?' },
  {
    what: "a key without a value",
    spec: `name:\n${STIMULI}`,
    at: "1:6",
    says: "name has no value: give it one, or remove",
  },
  { what: "an empty text", spec: `name: " "\n${STIMULI}`, at: "1:7", says: "name is empty" },
  {
    what: "a number for a text",
    spec: `name: 3\n${STIMULI}`,
    at: "1:7",
    says: "name must be text, not the number 3: put it in",
  },
  { what: "another type", spec: `type: regres\n${STIMULI}`, at: "1:7", says: 'Did you mean "regression"?' },
  {
    what: "a list of another harness",
    spec: "tasks: [tasks/*.yaml]\n",
    at: "1:1",
    says: "tasks lists files of another harness",
  },
  { what: "no runs", spec: `defaults: { runs: 0 }\n${STIMULI}`, at: "1:19", says: "defaults.runs must be at least 1." },
  {
    what: "half a run",
    spec: `defaults: { runs: 1.5 }\n${STIMULI}`,
    at: "1:19",
    says: "defaults.runs must be a whole number.",
  },
  {
    what: "a bare number of seconds",
    spec: `defaults: { timeout: 120 }\n${STIMULI}`,
    at: "1:22",
    says: 'defaults.timeout is 120 without a unit: write "120s" for seconds, or "120ms".',
  },
  { what: "a bare number in quotes", spec: `defaults: { timeout: "5" }\n${STIMULI}`, at: "1:22", says: 'write "5s"' },
  {
    what: "no duration",
    spec: `defaults: { timeout: soon }\n${STIMULI}`,
    at: "1:22",
    says: "must be a duration with a unit",
  },
  { what: "no time at all", spec: `defaults: { timeout: 0s }\n${STIMULI}`, at: "1:22", says: "must be a duration" },
  {
    what: "no models",
    spec: `defaults: { model: [] }\n${STIMULI}`,
    at: "1:20",
    says: "defaults.model is an empty list",
  },
  {
    what: "an invalid model",
    spec: `defaults: { model: 3 }\n${STIMULI}`,
    at: "1:20",
    says: "must be the name of a model, or a list",
  },
  { what: "a debt", spec: `defaults: { max_cost_usd: -1 }\n${STIMULI}`, at: "1:27", says: "must not be negative" },
  {
    what: "both defaults and config",
    spec: `config: { runs: 1 }\ndefaults: { runs: 2 }\n${STIMULI}`,
    at: "1:1",
    says: "config and defaults mean the same",
  },
  {
    what: "two test cases with the same name",
    spec: `stimuli:\n  - &a { name: s, prompt: p, graders: [{ type: completed }] }\n  - *a\n`,
    at: "3:5",
    says: 'the name "s" is used by another test case',
  },
  {
    what: "a test case without a name",
    spec: "stimuli:\n  - prompt: p\n    graders: [{ type: completed }]\n",
    at: "2:5",
    says: "test case 1: name is missing.",
  },
  {
    what: "a test case without a prompt",
    spec: "stimuli:\n  - name: s\n    graders: [{ type: completed }]\n",
    at: "2:5",
    says: 'test case "s" has no prompt',
  },
  {
    what: "both prompt and turns",
    spec: stimulus("turns: [a]\n    graders: [{ type: completed }]"),
    at: "4:5",
    says: "has both a prompt and turns",
  },
  {
    what: "a last turn of the agent",
    spec: "stimuli:\n  - name: s\n    turns: [a, { role: assistant, content: b }]\n    graders: [{ type: completed }]\n",
    at: "3:16",
    says: "the last turn must be the user's",
  },
  {
    what: "a grader after a turn that there is not",
    spec: "stimuli:\n  - name: s\n    turns: [a, b]\n    graders: [{ type: completed, after_turn: 3 }]\n",
    at: "4:46",
    says: 'the grader completed judges after turn 3, but the test case "s" has 2 turns of the user',
  },
  {
    what: "an unknown constraint",
    spec: stimulus("constraints: { max_turn: 3 }"),
    at: "4:20",
    says: 'constraints: unknown key "max_turn". Did you mean "max_turns"?',
  },
  {
    what: "a constraint without a unit",
    spec: stimulus("constraints: { max_duration: 90 }"),
    at: "4:34",
    says: 'test case "s": constraints.max_duration is 90 without a unit',
  },
  {
    what: "a threshold above 1",
    spec: stimulus("threshold: 7\n    graders: [{ type: completed }]"),
    at: "4:16",
    says: "threshold must be between 0 and 1.",
  },
  {
    what: "an unknown grader",
    spec: stimulus("graders: [{ type: file-exist, config: { path: a } }]"),
    at: "4:15",
    says: 'Unknown grader type "file-exist". Did you mean "file-exists"?',
  },
  {
    what: "a grader without a type",
    spec: stimulus("graders: [{ config: { path: a } }]"),
    at: "4:15",
    says: "graders[0].type is missing.",
  },
  {
    what: "a setting that is missing",
    spec: stimulus("graders: [{ type: file-exists }]"),
    at: "4:15",
    says: "path is missing",
  },
  {
    what: "a setting that is unknown",
    spec: stimulus("graders: [{ type: completed, config: { a: 1 } }]"),
    at: "4:44",
    says: 'unknown key "a"',
  },
  {
    what: "a setting that is wrong",
    spec: stimulus("graders: [{ type: output-matches, config: { pattern: '(' } }]"),
    at: "4:58",
    says: "pattern is not a regular expression",
  },
  {
    what: "a slip beside the type",
    spec: stimulus("graders: [{ type: completed, requried: true }]"),
    at: "4:34",
    says: 'unknown key "requried". Did you mean "required"?',
  },
  {
    what: "a key beside type and config",
    spec: stimulus("graders: [{ type: file-exists, config: { path: a }, value: b }]"),
    at: "4:57",
    says: 'unknown key "value"',
  },
  {
    what: "graders that all count nothing",
    spec: stimulus("graders: [{ type: completed, weight: 0 }]"),
    at: "4:14",
    says: "all of its graders have the weight 0",
  },
  {
    what: "weights that take all away",
    spec: `scoring: { weights: { completed: 0 } }\n${STIMULI}`,
    at: "2:42",
    says: "all of its graders have the weight 0",
  },
  {
    what: "a negative weight",
    spec: `scoring: { weights: { completed: -1 } }\n${STIMULI}`,
    at: "1:34",
    says: "scoring.weights.completed must not be negative.",
  },
  {
    what: "a judge without a model",
    spec: stimulus("rubric: [good]\n    graders: [{ type: prompt }]"),
    at: "5:15",
    says: "model is missing",
  },
  {
    what: "a bad pattern of tools",
    spec: stimulus("constraints: { expect_tools: ['('] }"),
    at: "4:34",
    says: "constraint:expect_tools cannot be used",
  },
  {
    what: "a file that does not exist",
    spec: `environment:\n  files:\n    - { src: gone.js, dest: a.js }\n${STIMULI}`,
    at: "3:14",
    says: "the file or folder",
  },
  {
    what: "a place outside of the workspace",
    spec: `environment:\n  files: [{ content: x, dest: ../a.js }]\n${STIMULI}`,
    at: "2:31",
    says: "leaves the folder: name a path inside the workspace",
  },
  {
    what: "a file without content",
    spec: `environment:\n  files: [{ dest: a.js }]\n${STIMULI}`,
    at: "2:11",
    says: "environment.files[0] has neither src nor content",
  },
  {
    what: "a file with src and content",
    spec: `environment:\n  files: [{ src: eval.yaml, content: x, dest: a.js }]\n${STIMULI}`,
    at: "2:11",
    says: "has both src and content",
  },
  {
    what: "a variable that is no text",
    spec: `environment: { env: { CI: 1 } }\n${STIMULI}`,
    at: "1:27",
    says: "environment.env.CI must be text, not the number 1",
  },
  {
    what: "a repository that does not exist",
    spec: `environment: { git: { url: ./repo } }\n${STIMULI}`,
    at: "1:28",
    says: "the repository",
  },
  {
    what: "an option for git",
    spec: `environment: { git: { url: --upload-pack=x } }\n${STIMULI}`,
    at: "1:28",
    says: "begins with a dash",
  },
  {
    what: "a skill without a SKILL.md",
    spec: `environment: { skills: [sub] }\n${STIMULI}`,
    at: "1:25",
    says: "has no SKILL.md",
    files: { "sub/x": "" },
  },
  {
    what: "a skill that does not exist",
    spec: `environment: { skills: [gone] }\n${STIMULI}`,
    at: "1:25",
    says: "the folder",
  },
  {
    what: "an invalid server",
    spec: `environment: { mcpServers: { a: { args: [x] } } }\n${STIMULI}`,
    at: "1:33",
    says: "environment.mcpServers.a needs either a command or a url.",
  },
  {
    what: "an environment that is a number",
    spec: `environment: 3\n${STIMULI}`,
    at: "1:14",
    says: "must be a mapping, or the name of an environment",
  },
  {
    what: "an unknown environment",
    spec: `environment: node\n${STIMULI}`,
    at: "1:14",
    says: 'the project file has no environment "node".',
  },
  {
    what: "a patch that does not exist",
    spec: stimulus("graders: [{ type: completed }]\n    golden_patch: { path: gone.diff }"),
    at: "5:27",
    says: "the golden patch",
  },
  {
    what: "an empty patch",
    spec: stimulus("graders: [{ type: completed }]\n    golden_patch: a.diff"),
    at: "5:19",
    says: "is empty",
    files: { "a.diff": "\n" },
  },
  {
    what: "a skill under test that does not exist",
    spec: `skill: gone\n${STIMULI}`,
    at: "1:8",
    says: "the folder",
  },
  {
    what: "a skill under test that says nothing",
    spec: `skill: .\nenvironment: { skills: [.] }\n${STIMULI}`,
    at: "1:8",
    says: "no description",
    files: { "SKILL.md": "---\nname: a\n---\n" },
  },
  {
    what: "a skill under test that no test case offers",
    spec: `skill: ./\n${STIMULI}`,
    at: "1:8",
    says: "is offered to the agent in no test case. Add ./ to environment.skills.",
    files: { "SKILL.md": TIDY_SKILL },
  },
  {
    what: "a skill under test that only some test cases offer",
    spec: "skill: ./\nstimuli:\n  - { name: a, prompt: p, graders: [{ type: completed }], environment: { skills: [.] } }\n  - { name: b, prompt: p, graders: [{ type: completed }] }\n",
    at: "1:8",
    says: 'in not all test cases (not "b")',
    files: { "SKILL.md": TIDY_SKILL },
  },
  {
    what: "triggers without a skill",
    spec: "triggers: { should: [a] }\n",
    at: "1:1",
    says: "name the skill under test with skill",
  },
  {
    what: "a duplicate trigger",
    spec: "skill: .\nenvironment: { skills: [.] }\ntriggers: { should: [a], should_not: [a] }\n",
    at: "3:39",
    says: "this prompt is a duplicate",
    files: { "SKILL.md": TIDY_SKILL },
  },
  {
    what: "a gate without a value",
    spec: `gate: { metric: pass_rate, op: ">=" }\n${STIMULI}`,
    at: "1:7",
    says: "gate.value is missing.",
  },
  {
    what: "a gate in percent",
    spec: `gate: { metric: pass_hat_3, op: ">=", value: 80 }\n${STIMULI}`,
    at: "1:46",
    says: "the gate pass_hat_3 >= 80 can never be met, because pass_hat_3 is a share: use a value from 0 to 1",
  },
  {
    what: "a gate that is always met",
    spec: `gates: [{ metric: coverage, op: "<", value: 2 }]\n${STIMULI}`,
    at: "1:45",
    says: "the gate coverage < 2 is always met",
  },
  {
    what: "a gate that nothing is above",
    spec: `gate: { metric: mean_score, op: ">", value: 1 }\n${STIMULI}`,
    at: "1:45",
    says: "the gate mean_score > 1 can never be met",
  },
  {
    what: "runs beyond all measure",
    spec: `defaults: { runs: 1e15 }\n${STIMULI}`,
    at: "1:19",
    says: "defaults.runs must be at most 10000.",
  },
  { what: "a tag that means nothing", spec: `name: !foo a\n${STIMULI}`, at: "1:7", says: "unknown tag !foo" },
  { what: "two documents", spec: `name: a\n---\n${STIMULI}`, at: "2:1", says: "a second document begins here" },
  {
    what: "a gate that compares in no way",
    spec: `gate: [{ metric: pass_rate, op: "=>", value: 1 }]\n${STIMULI}`,
    at: "1:33",
    says: 'gate[0].op is "=>", but must be one of >= <= > < ==.',
  },
];

describe("problems of an eval file", () => {
  it.each(CASES)("$what: $at", async ({ spec, at, says, files }) => {
    using folder = createSpecFolder(spec, files);
    const { problems } = await readSpec(folder.file, { registry });
    expect(problems.map(({ line, column, text }) => [`${line}:${column}`, text])).toEqual([
      [at, expect.stringContaining(says)],
    ]);
    expect(problems[0]?.text).toMatch(/\.$/);
  });

  it("report an invalid pattern once, also inside another grader", async () => {
    const bad = '{ type: output-matches, config: { pattern: "(", flags: i } }';
    using folder = createSpecFolder(stimulus(`graders: [${bad}, { type: all-of, config: { graders: [${bad}] } }]`));
    const { problems } = await readSpec(folder.file, { registry });
    expect(problems.map(({ text }) => text.split("Invalid regular expression").length - 1)).toEqual([1, 1]);
  });

  it("do not include gates that can be met and missed, or metrics that are not shares", async () => {
    const gates = ["pass_rate >= 0", "pass_rate > 0", "pass_rate < 1", "error_rate <= 0", "pass_rate == 1", "cost > 3"]
      .map((gate) => gate.split(" "))
      .map(([metric, op, value]) => `{ metric: ${metric}, op: "${op}", value: ${value} }`);
    using folder = createSpecFolder(`gate: [${gates.join(", ")}]\n${STIMULI}`);
    expect((await readSpec(folder.file, { registry })).problems).toEqual([]);
  });

  it("are reported all at once, including those of other files", async () => {
    using folder = createSpecFolder(
      `environment: { skills: [gone] }\n${stimulus("graders: [{ type: nothing }]\n    golden_patch: gone")}`,
    );
    const { problems, spec } = await readSpec(folder.file, { registry });
    expect(problems).toHaveLength(3);
    expect(spec?.stimuli).toHaveLength(1);
  });
});
