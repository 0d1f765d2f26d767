import { TIDY_SKILL } from "./spec-testing.js";

/** The complete example of the documentation. */
export const WHOLE_SPEC = `name: test-writer-eval
description: Writes tests.
type: regression
skill: ./
defaults: { runs: 5, timeout: 2m, model: [haiku, sonnet], executor: claude, judge_model: gpt-5, max_cost_usd: 0.30 }
environment:
  files:    [{ src: fixtures/app, dest: . }]
  commands: [npm ci]
  env:      { CI: "1", LEVEL: low }
  skills:   [./]
  mcpServers: { docs: { command: node, args: [server.js] }, web: { url: "http://127.0.0.1:1/mcp" } }
  git: { url: ./repo, ref: main }
stimuli:
  - name: basic-test-generation
    prompt: |
      Write unit tests for add(a, b). Save them to add.test.js.
    turns: []
    tags: { area: js, size: 3, kinds: [a, b] }
    rubric: ["covers negative numbers"]
    environment:
      files: [{ dest: add.js, content: "export const add = 0;" }]
      commands: [npm test]
      env: { LEVEL: high }
      git: { url: "https://example.com/repo.git" }
    constraints: { max_turns: 10, max_tokens: 5000, max_tool_calls: 20, max_duration: 90s, expect_tools: [write], reject_tools: [], expect_skills: [tidy], reject_skills: [other] }
    golden_patch: { path: golden.diff }
    graders:
      - { type: file-exists, config: { path: add.test.js }, required: true }
      - { type: output-contains, config: { substring: test } }
      - { type: output-contains, config: { substring: add }, weight: 2 }
  - name: talk
    turns: [Hello, { role: assistant, content: Hi }, "What now?"]
    threshold: 0.5
    graders: [{ type: completed }]
triggers:
  should: ["Please tidy up"]
  should_not: ["What is the weather like?"]
scoring: { threshold: 0.7, weights: { output-contains: 0.5 } }
gate: { metric: pass_hat_3, op: ">=", value: 0.8 }
`;

/** The files beside it. */
export const SPEC_FILES = {
  "SKILL.md": TIDY_SKILL,
  "fixtures/app/a.js": "1",
  "golden.diff": "diff --git a/x b/x\n",
  "repo/HEAD": "",
};

/** As one harness writes them: config for defaults, worktrees, SKILL.md paths, judges without a prompt, anchors. */
export const SPEC_WITH_CONFIG = `name: my-skill-eval
description: Evaluates a skill
version: "1.0"
type: capability
config:
  runs: 3
  timeout: 120s
  model: some-model
  judge_model: some-judge
  executor: { name: copilot-sdk, config: { quiet: true } }
environment:
  skills: [./skill/SKILL.md]
  git: { type: worktree, source: ., ref: HEAD }
  mcp_servers:
    docs: { type: stdio, command: npx, args: ["-y", docs], tools: ["*"] }
stimuli:
  - name: basic usage
    prompt: "Do it."
    tags: { area: routing, tier: smoke }
    environment:
      files:
        - &shared { src: fixtures/in.txt, dest: in.txt }
    graders:
      - type: exit-success
      - &judge { type: prompt }
      - type: skill-invocation
        config: { required: [tidy] }
      - type: tool-calls
        config: { required: [{ name: "^read$" }] }
    rubric: [Says why., Says how.]
    constraints: { max_turns: 10, max_tokens: 5000, expect_tools: [write_file], max_duration: 1m }
  - name: edge case
    prompt: Again.
    expect_activation: true
    environment: { files: [*shared] }
    graders: [*judge]
    rubric: [Is short.]
scoring:
  weights: { exit-success: 1.0, prompt: 0.5 }
  threshold: 0.7
`;

/** As another one writes them: trials, seconds, ids, inputs, settings beside the type. */
export const SPEC_WITH_TRIALS = `name: demo
config: { trials_per_task: 4, timeout_seconds: 90, parallel: true, maxWorkers: 2, judgeModel: j, maxCostUsd: 0.5 }
metrics: [{ name: task_completion, weight: 1 }]
graders: [{ type: exit_success }]
stimuli:
  - id: one
    input: Say hi.
    graders:
      - { type: output-contains, substring: hi, caseSensitive: true, weight: 2 }
      - { type: file_exists, path: hi.txt, required: true }
      - { type: output-contains, config: { substring: hi, caseSensitive: false } }
    constraints: { maxTurns: 3, max_duration_seconds: 20 }
`;
