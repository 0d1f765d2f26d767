import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { lacksIsolation } from "../src/testing/isolation.js";
import { parseReport } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, TempProject } from "../src/testing/temp-project.js";

/** For each evaluator: its spec, an example, a good and a bad recorded output, and the primary field. */
interface Case {
  spec: string;
  example: Record<string, unknown>;
  good: Record<string, unknown>;
  bad: Record<string, unknown>;
  field: string;
  files?: Record<string, string>;
}

const CASES: Case[] = [
  {
    spec: "answer_quality",
    example: { answer: "Paris" },
    good: { response: "paris." },
    bad: { response: "Rome" },
    field: "f1",
  },
  {
    spec: "summarization_quality",
    example: { answer: "testing one two" },
    good: { response: "testing one two" },
    bad: { response: "nothing of it" },
    field: "rouge_l_f1",
  },
  {
    spec: "summarization_quality:stem",
    example: { answer: "tests were running" },
    good: { response: "test were run" },
    bad: { response: "nothing" },
    field: "rouge_l_f1",
  },
  {
    spec: "multiple_choice_accuracy",
    example: { choices: ["Rome", "Paris"], answer: "Paris" },
    good: { response: "So the answer is (B)." },
    bad: { response: "The answer is A." },
    field: "mc_accuracy",
  },
  {
    spec: "math_equivalence",
    example: { answer: "x^2+2x+1" },
    good: { response: "Hence \\boxed{(x+1)^2}." },
    bad: { response: "Hence \\boxed{(x-1)^2}." },
    field: "math_equiv",
  },
  {
    spec: "nli_label_match",
    example: { answer: "contradiction" },
    good: { response: "The text contradicts it." },
    bad: { response: "It does not contradict it; it is entailed." },
    field: "nli_accuracy",
  },
  {
    spec: "ifeval_checker",
    example: { instruction_id_list: ["punctuation:no_comma"], kwargs: [{}] },
    good: { response: "No such mark here." },
    bad: { response: "Well, one." },
    field: "ifeval_strict",
  },
  {
    spec: "final_answer",
    example: { answer: "(A)" },
    good: { response: "So the answer is A." },
    bad: { response: "(B)" },
    field: "final_answer",
  },
  {
    spec: "json_schema:person.json",
    files: { "person.json": '{ "type": "object", "required": ["name"] }' },
    example: {},
    good: { response: '{"name": "Ada"}' },
    bad: { response: "{}" },
    field: "json_schema",
  },
  {
    spec: "numeric_tolerance:0.01",
    example: { answer: "3.14" },
    good: { response: "About 3.15." },
    bad: { response: "3.3" },
    field: "numeric_tolerance",
  },
  {
    spec: "regex:/^yes\\b/i",
    example: {},
    good: { response: "Yes, it is." },
    bad: { response: "No." },
    field: "regex",
  },
  {
    spec: "levenshtein",
    example: { answer: "kitten" },
    good: { response: "kittens" },
    bad: { response: "sitting" },
    field: "levenshtein",
  },
  {
    spec: "tool_call_match",
    example: { tool_calls: [{ name: "weather", arguments: { city: "Rome", days: 2 } }] },
    good: { response: "", tool_calls: [{ function: { name: "weather", arguments: '{"days": 2, "city": "Rome"}' } }] },
    bad: { response: '{"name": "weather", "arguments": {"city": "Rome"}}' },
    field: "tool_call_match",
  },
  {
    spec: "citation",
    example: { citations: [1, 2] },
    good: { response: "So it is [1][2]." },
    bad: { response: "So it is [3]." },
    field: "citation_f1",
  },
];

const CODE: Case = {
  spec: "code_execution",
  example: { test: "assert add(1, 2) == 3" },
  good: { response: "```python\ndef add(a, b):\n    return a + b\n```" },
  bad: { response: "def add(a, b):\n    return a - b" },
  field: "pass_at_1",
};

async function scored({ spec, example, good, bad, files = {} }: Case, ...more: string[]) {
  const space = new TempProject({
    ...files,
    "data.jsonl": [
      { id: "good", question: "?", ...example },
      { id: "bad", question: "?", ...example },
    ],
    "outputs.jsonl": [
      { id: "good", ...good },
      { id: "bad", ...bad },
    ],
  });
  const flags = ["--replay", "outputs.jsonl", "--dataset", "data.jsonl", "--evaluator", spec, "--output", "json"];
  return runPooledAssay(space.dir, "run", ...flags, ...more);
}

const isUnprotected = await lacksIsolation();

describe("recorded outputs", () => {
  it.each(CASES)("are scored by $spec", async (one) => {
    const finished = await scored(one);
    expect(finished.code, finished.stderr).toBe(0);
    const { rows } = parseReport(finished);
    expect(rows.map(({ outcome, primaryField }) => [outcome, primaryField])).toEqual([
      ["pass", one.field],
      ["fail", one.field],
    ]);
  });

  it.skipIf(isUnprotected)("are scored by code_execution", async () => {
    const { rows } = parseReport(await scored(CODE));
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "fail"]);
  });

  it("are scored by code_execution without a sandbox only with --unsafe-local-exec", async () => {
    const { rows } = parseReport(await scored(CODE, "--unsafe-local-exec"));
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "fail"]);
  });

  it.each([
    ["math_equivalence:strict", 'math_equivalence takes no argument after a colon, got "strict"'],
    ["math_equivalenc", 'Unknown evaluator "math_equivalenc". Did you mean "math_equivalence"?'],
    ["numeric_tolerance:much", "numeric_tolerance:0.01"],
    ["json_schema:none.json", "The schema none.json cannot be read"],
    ["regex:[", "regex: invalid pattern"],
    ["code_execution:perl", "code_execution runs python and javascript"],
    ["summarization_quality:lemma", "summarization_quality:stem"],
    ["llm_judge", "--judge-model"],
  ])("%s is rejected with advice", async (spec, message) => {
    const finished = await scored({ ...CODE, spec });
    expect(finished.code).toBe(2);
    expect(finished.stderr).toContain(message);
  });
});

describe("--evaluator", () => {
  it.each([
    ["data.jsonl=regex:5", 'this run has no dataset "data.jsonl". Did you mean "data"?'],
    ["my dat=regex:5", 'this run has no dataset "my dat"'],
    ["data=", 'the evaluator after "=" is missing'],
  ])("%s is rejected with the reason", async (spec, message) => {
    const finished = await scored({ ...CODE, spec });
    expect(finished.code).toBe(2);
    expect(finished.stderr).toContain(message);
  });
});

describe("several datasets", () => {
  const files = {
    "capitals.jsonl": CAPITAL_EXAMPLES,
    "sums.jsonl": [
      { id: "s1", question: "1+1?", answer: "2" },
      { id: "s2", question: "1/3?", answer: "1/3" },
    ],
    "outputs.jsonl": [
      ...CAPITAL_EXAMPLES.map(({ id, answer }) => ({ id, response: answer })),
      { id: "s1", response: "The answer is 2.0" },
      { id: "s2", response: "\\boxed{\\frac{2}{6}}" },
    ],
  };
  const BASE = ["run", "--replay", "outputs.jsonl", "--dataset", "capitals.jsonl", "--dataset", "sums.jsonl"];

  it("score each row by its own evaluators and primary field", async () => {
    const finished = await runPooledAssay(
      new TempProject(files).dir,
      ...BASE,
      "--evaluator",
      "sums=math_equivalence",
      "--output",
      "json",
    );
    expect(finished.code, finished.stderr).toBe(0);
    const { rows, summary } = parseReport(finished);
    expect(rows.map(({ primaryField }) => primaryField)).toEqual(["f1", "f1", "f1", "f1", "math_equiv", "math_equiv"]);
    expect(Object.keys(rows[0]?.scores ?? {})).toEqual(["f1", "exact_match", "recall", "contains"]);
    expect(Object.keys(rows[4]?.scores ?? {})).toEqual(["math_equiv"]);
    expect(summary.outputs).toMatchObject({ pass_rate: 1, "dataset:capitals": 1, "dataset:sums": 1 });
  });

  it("accept several evaluators for one dataset and another for all others", async () => {
    const flags = [
      "--evaluator",
      "sums=math_equivalence",
      "--evaluator",
      "sums=regex:\\d",
      "--evaluator",
      "levenshtein",
    ];
    const { rows } = parseReport(
      await runPooledAssay(new TempProject(files).dir, ...BASE, ...flags, "--output", "json"),
    );
    expect(Object.keys(rows[0]?.scores ?? {})).toEqual(["levenshtein"]);
    expect(Object.keys(rows[4]?.scores ?? {})).toEqual(["math_equiv", "regex"]);
  });

  it("reject a field that one of them cannot produce, before anything is run", async () => {
    const space = new TempProject(files);
    const flags = ["--evaluator", "sums=math_equivalence", "--score-field", "f1"];
    const finished = await runPooledAssay(space.dir, ...BASE, ...flags);
    expect(finished.code).toBe(2);
    expect(finished.stderr).toContain('No evaluator for sums produces the score field "f1".');
    expect(space.runs()).toEqual([]);
  });

  it("use one primary field for all on request", async () => {
    const { rows } = parseReport(
      await runPooledAssay(new TempProject(files).dir, ...BASE, "--score-field", "contains", "--output", "json"),
    );
    expect(new Set(rows.map(({ primaryField }) => primaryField))).toEqual(new Set(["contains"]));
  });
});
