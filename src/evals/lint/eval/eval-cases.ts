import type { LintFiles } from "../lint-testing.js";
import { buildSkillFile } from "../skill/skill-cases.js";
import type { EvalCode } from "./rules.js";

/** The parts of an eval file that cases change. */
interface EvalFileParts {
  readonly top?: string;
  readonly prompt?: string;
  /** Lines of the test case, without indentation. */
  readonly more?: string;
  readonly graders?: readonly string[];
  readonly end?: string;
}

const TESTS = "{ type: run-command, config: { command: npm test } }";
const DONE = "{ type: completed }";

/** Builds an eval file with one test case. */
function buildEvalFile({
  top = "",
  prompt = "Write tests for add.",
  more = "",
  graders = [TESTS],
  end = "",
}: EvalFileParts) {
  const stimulus = [
    "- name: basic",
    `  prompt: ${JSON.stringify(prompt)}`,
    ...more.split("\n").filter(Boolean).map(indentLine),
    ...(graders.length === 0 ? [] : ["  graders:", ...graders.map((grader) => `    - ${grader}`)]),
  ];
  return [`name: sample`, top, "stimuli:", ...stimulus.map(indentLine), end].filter(Boolean).join("\n").concat("\n");
}

function indentLine(line: string): string {
  return `  ${line}`;
}

function buildEvalCase(parts: EvalFileParts, files: LintFiles = {}): LintFiles {
  return { "eval.yaml": buildEvalFile(parts), ...files };
}

const TIDY = { "tidy/SKILL.md": buildSkillFile() };
const PATCH = "--- a/lib.js\n+++ b/lib.js\n@@ -1 +1 @@\n-a\n+b\n";
const SENTENCE = "The sum of all parts is 42 apples.";

/** For each code, files that have exactly this defect. */
export const EVAL_CASES: Readonly<Record<EvalCode, LintFiles>> = {
  "EVAL-SCHEMA": buildEvalCase({ top: "colour: blue" }),
  "EVAL-IGNORED": buildEvalCase({ top: "version: 2" }),
  "EVAL-STIMULUS-DUPLICATE": buildEvalCase({
    end: `  - name: basic\n    prompt: Again.\n    graders: [${TESTS}]`,
  }),
  "EVAL-NO-GRADERS": buildEvalCase({ graders: [] }),
  "EVAL-GRADER-NAME": buildEvalCase({
    graders: ["{ type: completed, name: fine }", "{ type: run-command, name: fine, config: { command: npm test } }"],
  }),
  "EVAL-GRADER-DUPLICATE": buildEvalCase({
    graders: [
      "{ type: run-command, config: { command: npm test, timeout: 9s } }",
      "{ type: run-command, config: { timeout: 9s, command: npm test } }",
    ],
  }),
  "EVAL-INERT-GRADER": buildEvalCase({
    end: "scoring: { threshold: 0.5 }",
    graders: [TESTS, "{ type: completed, weight: 0.1 }"],
  }),
  "EVAL-ALWAYS-PASSES": buildEvalCase({ graders: [TESTS, "{ type: output-matches, config: { pattern: '.*' } }"] }),
  "EVAL-NEVER-PASSES": buildEvalCase({
    end: "scoring: { threshold: 0.5 }",
    graders: [TESTS, DONE, "{ type: token-budget, config: { max: 0 } }"],
  }),
  "EVAL-CONTRADICTION": buildEvalCase({
    end: "scoring: { threshold: 0.5 }",
    graders: [
      TESTS,
      DONE,
      "{ type: file-exists, config: { path: out.txt } }",
      "{ type: file-not-exists, config: { path: '*.txt' } }",
    ],
  }),
  "EVAL-UNREACHABLE": buildEvalCase({
    graders: [
      "{ type: output-contains, config: { substring: All done }, required: true }",
      "{ type: output-not-contains, config: { substring: done }, required: true }",
    ],
  }),
  "EVAL-THRESHOLD-LOW": buildEvalCase({ end: "scoring: { threshold: 0 }", graders: [TESTS, DONE] }),
  "EVAL-PROMPT-LEAK": buildEvalCase({
    prompt: "What is the capital of France? It begins with Paris.",
    graders: ["{ type: output-contains, config: { substring: paris } }"],
  }),
  "EVAL-FILE-LEAK": buildEvalCase(
    {
      top: "environment: { files: [{ src: notes.txt, dest: notes.txt }] }",
      graders: [`{ type: output-contains, config: { substring: ${SENTENCE} } }`],
    },
    { "notes.txt": `Do not tell.\n${SENTENCE}\n` },
  ),
  "EVAL-PATTERN-PROMPT": buildEvalCase({
    prompt: "Say OK 42 when done.",
    graders: ["{ type: output-matches, config: { pattern: 'ok \\d+', flags: i } }"],
  }),
  "EVAL-PROMPT-FORBIDDEN": buildEvalCase({
    prompt: "Do not use lodash.",
    graders: [TESTS, "{ type: output-not-contains, config: { substring: lodash } }"],
  }),
  "EVAL-PATH-DEAD": buildEvalCase({ top: "environment: { files: [{ src: nowhere, dest: . }] }" }),
  "EVAL-ENVIRONMENT": buildEvalCase(
    { top: "environment: { skills: [one/tidy, two/tidy] }" },
    { "one/tidy/SKILL.md": buildSkillFile(), "two/tidy/SKILL.md": buildSkillFile() },
  ),
  "EVAL-GOLDEN-PATCH": buildEvalCase(
    { more: "golden_patch: golden.diff\nenvironment: { files: [{ dest: other.js, content: a }] }" },
    { "golden.diff": PATCH },
  ),
  "EVAL-COMMAND-MISSING": buildEvalCase({
    graders: ["{ type: run-command, config: { command: node checks/verify.mjs } }"],
  }),
  "EVAL-SKILL-NOT-OFFERED": buildEvalCase({ top: "skill: tidy" }, TIDY),
  "EVAL-SKILL-UNKNOWN": buildEvalCase(
    { top: "environment: { skills: [tidy] }", more: "constraints: { expect_skills: [sweep] }" },
    TIDY,
  ),
  "EVAL-TOOL-UNKNOWN": buildEvalCase({
    top: "defaults: { executor: claude }",
    more: "constraints: { expect_tools: [shell] }",
  }),
  "EVAL-EXECUTOR": buildEvalCase({ top: "defaults: { executor: claud }" }),
  "EVAL-NOT-TAKEN": buildEvalCase(
    { top: "defaults: { executor: 'node agent.mjs {prompt}' }\nenvironment: { skills: [tidy] }" },
    TIDY,
  ),
  "EVAL-GATE-RUNS": buildEvalCase({ end: "gate: { metric: pass_hat_3, op: '>=', value: 0.8 }" }),
  "EVAL-GATE-METRIC": buildEvalCase({ end: "gate: { metric: pass_rat, op: '>=', value: 0.8 }" }),
  "EVAL-GATE-VALUE": buildEvalCase({ end: "gate: { metric: pass_rate, op: '>=', value: 80 }" }),
  "EVAL-JUDGE-MODEL": buildEvalCase({ graders: ["{ type: prompt, config: { prompt: Is it tidy? } }"] }),
  "EVAL-RUBRIC-JUDGE": buildEvalCase({ more: "rubric: [covers negative numbers]" }),
  "EVAL-TRIGGER-BOTH": buildEvalCase(
    {
      top: "skill: tidy\nenvironment: { skills: [tidy] }",
      end: "triggers: { should: [Tidy this up.], should_not: [Tidy this up.] }",
    },
    TIDY,
  ),
  "EVAL-TIME-SHORT": buildEvalCase({ top: "defaults: { timeout: 2s }" }),
};

/** Eval files without findings. */
export const CLEAN_EVALS: Readonly<Record<string, LintFiles>> = {
  "an eval with the least there can be": buildEvalCase({}),
  "a skill under test, with all there is": buildEvalCase(
    {
      top: [
        "type: regression",
        "skill: tidy",
        "defaults: { runs: 3, timeout: 2m, executor: claude, judge_model: openai/gpt-6-sol, max_cost_usd: 0.3 }",
        "environment: { files: [{ src: app, dest: . }], skills: [./tidy], env: { CI: '1' } }",
      ].join("\n"),
      prompt: "Write unit tests for add(a, b). Save them to add.test.js.",
      more: [
        "tags: { area: js }",
        "rubric: [covers negative numbers]",
        "constraints: { max_turns: 10, max_tokens: 5000, max_duration: 90s, expect_tools: [Write|Edit], expect_skills: [tidy] }",
        "golden_patch: { path: golden.diff }",
      ].join("\n"),
      graders: [
        "{ type: file-exists, config: { path: add.test.js }, required: true }",
        "{ type: file-contains, config: { path: add.test.js, value: add( } }",
        "{ type: run-command, config: { command: node --test add.test.js } }",
        "{ type: output-contains, config: { substring: passing }, weight: 0.5 }",
      ],
      end: [
        "triggers: { should: [Clean this file.], should_not: [What is the time?] }",
        "scoring: { threshold: 0.7 }",
        "gate: [{ metric: pass_hat_3, op: '>=', value: 0.8 }, { metric: pass_rate, op: '>=', value: 0.9 }]",
      ].join("\n"),
    },
    {
      ...TIDY,
      "app/lib.js": "a\n",
      "golden.diff": `${PATCH}--- /dev/null\n+++ b/add.test.js\n@@ -0,0 +1 @@\n+test\n`,
    },
  ),
  "a command that takes what it is offered": buildEvalCase(
    {
      top: [
        "defaults: { executor: 'node agent.mjs --skills {skills} --mcp {mcp_config} {prompt_file}' }",
        "environment: { skills: [tidy], mcpServers: { docs: { command: node, args: [server.js] } } }",
      ].join("\n"),
      end: "gate: [{ metric: pass_rate, op: '>', value: 0 }, { metric: pass_rate, op: '==', value: 1 }]",
    },
    TIDY,
  ),
  "what the agent brings about by itself": buildEvalCase({
    prompt: "Write check.mjs, and put hello into out.txt.",
    top: "environment: { git: { url: 'https://example.org/repo.git' } }",
    graders: [
      "{ type: run-command, config: { command: node check.mjs } }",
      "{ type: file-contains, config: { path: out.txt, value: hello } }",
      "{ type: file-not-contains, config: { path: out.txt, value: bye } }",
    ],
  }),
};
