import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSpec, readSpec } from "../read-spec.js";
import { createJudgingRegistry, createSpecFolder, TIDY_SKILL } from "../spec-testing.js";

const registry = createJudgingRegistry();

const SCENARIOS = `config: { max_parallel_scenarios: 2 }
scenarios:
  - name: Sort it
    prompt: Sort list.txt.
    setup:
      copy_test_files: true
      files:
        - { path: sub/a.txt, content: "a" }
        - { path: b.txt, source: data/b.txt }
      commands: [echo hi]
      additional_required_skills: [other]
    assertions:
      - { type: output_contains, value: "sorted" }
      - { type: file_contains, path: list.txt, value: "a" }
      - { type: exit_success }
      - type: run_command_and_assert
        command_to_run: test
        command_arguments: -f list.txt
        expected_exit_code: 0
        expected_std_output_contains: ""
        command_timeout: 20
    expect_tools: [bash]
    max_turns: 15
    rubric: [It is sorted]
    timeout: 120
    expect_activation: true
  - name: Leave it
    prompt: What is 1 + 1?
    expect_activation: false
`;

describe("eval files with scenarios", () => {
  const files = {
    "plugins/p/skills/tidy/SKILL.md": TIDY_SKILL,
    "plugins/p/skills/tidy/data/b.txt": "b",
    "plugins/p/skills/other/SKILL.md": TIDY_SKILL.replace("tidy", "other"),
    "tests/p/tidy/list.txt": "b\na\n",
  };

  it("become test cases with graders, files, limits and the skill of the same name", async () => {
    const text = SCENARIOS.replace('        expected_std_output_contains: ""\n', "");
    using folder = createSpecFolder("", { ...files, "tests/p/tidy/eval.yaml": text });
    const spec = await loadSpec(join(folder.path, "tests/p/tidy/eval.yaml"), { registry, judgeModel: "j" });
    const skill = join(folder.path, "plugins/p/skills/tidy");
    expect(spec.skill).toEqual({ name: "tidy", dir: skill });
    const [sorted, left] = spec.stimuli;
    expect(sorted?.limits).toEqual({ runs: null, timeoutMs: 120_000, maxCostUsd: null });
    expect(sorted?.line).toBe(3);
    expect(sorted?.environment).toEqual({
      skills: [skill, join(folder.path, "plugins/p/skills/other")],
      commands: ["echo hi"],
      files: [
        { src: join(folder.path, "tests/p/tidy/list.txt"), dest: "list.txt" },
        { dest: "sub/a.txt", content: "a" },
        { src: join(skill, "data/b.txt"), dest: "b.txt" },
      ],
    });
    expect(sorted?.graders).toMatchObject([
      { type: "output-contains", config: { substring: "sorted" } },
      { type: "file-contains", config: { path: "list.txt", value: "a" } },
      { type: "exit-success" },
      { type: "run-command", config: { command: "test -f list.txt", expected_exit_code: 0, timeout: "20s" } },
      { type: "prompt", name: "rubric" },
      { type: "skill-invocation", config: { required: ["tidy"] } },
      { type: "tool-calls", config: { required: ["bash"] } },
      { type: "turn-count", config: { max: 15 } },
    ]);
    expect(left?.graders).toMatchObject([{ type: "skill-invocation", config: { disallowed: ["tidy"] } }]);
    expect(spec.notes).toContain("config: ignored: use --workers to set how many trials run at a time");
  });

  it("are refused with all their problems at once, where they are", async () => {
    using folder = createSpecFolder(`scenarios:
  - name: a
    prompt: p
    speed: 3
    assertions:
      - { type: output_matches, pattern: "(" }
      - { type: output_contains, value: "" }
  - prompt: p
    setup: { files: [{ path: x.txt, source: gone.txt }] }
`);
    const { problems } = await readSpec(folder.file, { registry });
    expect(problems.map(({ line, text }) => `${line}: ${text.slice(0, 60)}`)).toEqual([
      expect.stringContaining("1: the skill that"),
      expect.stringContaining('4: test case "a": unknown key "speed"'),
      expect.stringContaining("6: the grader output-matches cannot be used"),
      expect.stringContaining("7: the grader output-contains cannot be used"),
      expect.stringContaining("8: test case 2: name is missing"),
      expect.stringContaining("9: the file or folder"),
    ]);
  });
});

describe("eval files of Vally", () => {
  it("load with tags of the file, negated graders, an effort of the judge, a workspace and the executor copilot-sdk", async () => {
    using folder = createSpecFolder(`tags: { kind: unit, area: all }
config: { runs: 2, timeout: 90, executor: copilot-sdk, judge_model: j, judge_reasoning_effort: low }
scoring: { weights: { output-matches: 2 } }
stimuli:
  - name: s
    prompt: p
    tags: { area: js }
    workspace: { git: { url: "https://host.test/x.git", depth: 1 } }
    graders:
      - { type: output-matches, name: calm, config: { pattern: "(?i:error|panic)", negate: true } }
      - { type: file-exists, path: a.txt, negate: true, required: true }
      - { type: prompt, config: { prompt: Is it good? } }
`);
    const spec = await loadSpec(folder.file, { registry });
    expect(spec.defaults).toMatchObject({ runs: 2, timeoutMs: 90_000, executor: "copilot" });
    const [stimulus] = spec.stimuli;
    expect(stimulus?.tags).toEqual({ kind: "unit", area: "js" });
    expect(stimulus?.environment.git).toEqual({ url: "https://host.test/x.git" });
    expect(stimulus?.graders).toEqual([
      {
        type: "not",
        name: "calm",
        weight: 2,
        config: { grader: { type: "output-matches", config: { pattern: "(?i:error|panic)" } } },
      },
      {
        type: "not",
        name: "not file-exists",
        required: true,
        config: { grader: { type: "file-exists", config: { path: "a.txt" } } },
      },
      { type: "prompt", config: { prompt: "Is it good?", model: "j", effort: "low" } },
    ]);
    expect(spec.notes).toContain("defaults.executor: copilot-sdk is read as copilot");
  });
});
