import { describe, expect, it, onTestFinished } from "vitest";
import { runInPool, runPooledAssay } from "../src/testing/cli-pool.js";
import { type Mock, type MockOptions, startMock } from "../src/testing/mock/index.js";
import { type FinishedCommand, type PrintedReport, parseReport, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const verdict = (value: string) => `{"reasoning": "So.", "cannot_judge": false, "verdict": "${value}"}`;
const winner = (value: string) => `{"reasoning": "So.", "cannot_judge": false, "winner": "${value}"}`;

/** Passes answers that say they are right, and cannot judge those that ask for that. */
const LITERAL = [
  { match: "impossible", reply: '{"reasoning": "Nothing to go by.", "cannot_judge": true, "verdict": "fail"}' },
  { match: "/<answer-[0-9a-f]+>\\nright/", reply: verdict("pass") },
  { match: "/./", reply: verdict("fail") },
];

async function mockOf(script: MockOptions): Promise<Mock> {
  const mock = await startMock({ keepBodies: true, ...script });
  onTestFinished(() => mock.close());
  return mock;
}

const rows = (count: number, response: string, label: unknown) =>
  Array.from({ length: count }, (_, i) => ({ question: `Q${i}?`, response: `${response} ${i}`, label }));

const LABELS = [
  ...rows(8, "right", 1),
  ...rows(2, "right", "fail"),
  ...rows(6, "wrong", false),
  ...rows(4, "wrong", true),
];

function calibrate(space: TempProject, mock: Mock, ...more: string[]): Promise<FinishedCommand> {
  const fixed = ["judge", "calibrate", "--labels", "labels.jsonl", "--judge-url", mock.url, "--judge-model", "gpt-4o"];
  return runPooledAssay(space.dir, ...fixed, ...more);
}

describe("assay judge calibrate", () => {
  it("prints agreement, bias and cost, with an interpretation", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const { code, stdout, stderr } = await calibrate(new TempProject({ "labels.jsonl": LABELS }), mock);
    expect(stderr).toBe("");
    expect(stdout).toMatch(
      /\| accuracy +\| +70 % \| 48\.1 % to 85\.5 % +\| +20 \| agrees with people on 70 % of 20 rows +\|/,
    );
    // pₒ = 0.7, pₑ = 0.6·0.5 + 0.4·0.5 = 0.5.
    expect(stdout).toMatch(/\| Cohen's kappa +\| +0\.4 \|/);
    expect(stdout).toMatch(/\| human ↓ judge → \| fail \| pass \|/);
    expect(stdout).toMatch(/\| fail +\| +6 \| +2 \|/);
    expect(stdout).toContain("length correlation");
    expect(stdout).toContain("- position bias: not applicable, one answer is shown at a time");
    expect(stdout).toMatch(/- cost: \$0\.0\d+/);
    expect(code).toBe(0);
  });

  it("reads labels from CSV and lists the rows on which judge and people differ", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const lines = LABELS.map(({ question, response, label }) => `${question},${response},${String(label)}`);
    const space = new TempProject({ "labels.csv": ["Question,Response,Label", ...lines].join("\n") });
    const given = ["judge", "calibrate", "--labels", "labels.csv", "--judge-url", mock.url, "--judge-model", "gpt-4o"];
    const { code, stdout } = await runPooledAssay(space.dir, ...given);
    expect(stdout).toMatch(/\| accuracy +\| +70 % \|/);
    expect(stdout).toContain("Judge and people differ on 6 rows:");
    expect(stdout).toMatch(/\| +9 \| fail +\| pass +\| Q0\? +\| right 0 +\|/);
    expect(code).toBe(0);
    const { stdout: json } = await runPooledAssay(space.dir, ...given, "--output", "json");
    const { disagreements } = JSON.parse(json) as { disagreements: unknown[] };
    expect(disagreements).toHaveLength(6);
    expect(disagreements[0]).toEqual({ row: 9, question: "Q0?", response: "right 0", people: "fail", judge: "pass" });
  });

  it.each(["chat", "responses", "anthropic", "gemini"])("calls the judge in %s", async (api) => {
    const mock = await mockOf({ reply: LITERAL });
    const space = new TempProject({
      "labels.jsonl": LABELS.slice(0, 2),
      "rubric.txt": "It must say that it is right.",
    });
    const { code, stdout } = await calibrate(
      space,
      mock,
      "--judge-api",
      api,
      "--judge-rubric",
      "rubric.txt",
      "--output",
      "json",
    );
    expect(JSON.parse(stdout)).toMatchObject({ schema: "assay.judge-calibration/1", judged: 2, scale: "binary" });
    expect(JSON.stringify(mock.requests[0]?.body)).toContain("It must say that it is right.");
    expect(mock.requests[0]?.dialect).toBe(api);
    expect(code).toBe(0);
  });

  it("detects a judge that prefers whatever is shown first", async () => {
    const mock = await mockOf({ reply: winner("A") });
    const pairs = Array.from({ length: 12 }, (_, i) => ({
      question: `Q${i}?`,
      response_a: `one ${i}`,
      response_b: `another ${i}`,
      label: i % 2 ? "a" : "b",
    }));
    const { stdout } = await calibrate(new TempProject({ "labels.jsonl": pairs }), mock, "--judge-pairwise");
    expect(stdout).toContain("favors the answer shown first: the first shown wins 100 % of 24 decided verdicts");
    expect(stdout).toContain("the verdict changes with the order for 100 % of 12 pairs");
    expect(stdout).not.toContain("not applicable");
    expect(mock.counts.requests).toBe(24);
  });

  it("judges with a panel on a scale", async () => {
    const score = (value: number) => `{"reasoning": "So.", "cannot_judge": false, "score": ${value}}`;
    const mock = await mockOf({ models: { kind: { reply: score(5) }, strict: { reply: score(2) } } });
    const space = new TempProject({ "labels.jsonl": rows(3, "x", 4) });
    const args = [
      "--labels",
      "labels.jsonl",
      "--judge-url",
      mock.url,
      "--judge-model",
      "kind",
      "--judge-model",
      "strict",
    ];
    const flags = ["--judge-scale", "1-5", "--judge-panel", "min", "--output", "json", "--max-workers", "2"];
    const { stdout } = await runPooledAssay(space.dir, "judge", "calibrate", ...args, ...flags);
    const { agreement, isCostPartial, costUsd } = JSON.parse(stdout);
    expect(agreement).toMatchObject({ meanDifference: { value: -2 }, quadraticKappa: { value: 0 } });
    expect(agreement.confusion[3]).toEqual([0, 3, 0, 0, 0]);
    expect({ isCostPartial, costUsd }).toEqual({ isCostPartial: true, costUsd: null });
    expect(mock.counts.maxOpen).toBeLessThanOrEqual(2);
  });

  it("lists bad rows by line and rows that could not be judged, and continues", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const lines = [
      JSON.stringify(LABELS[0]),
      "{oops",
      '{"response": "x", "label": "maybe"}',
      "",
      JSON.stringify({ response: "impossible", label: 1 }),
    ];
    const { code, stdout, stderr } = await calibrate(new TempProject({ "labels.jsonl": lines.join("\n") }), mock);
    expect(stderr).toContain("labels.jsonl:2: is not valid JSON");
    expect(stderr).toContain('labels.jsonl:3: has a label that is the string "maybe"');
    expect(stdout).toContain("- labels.jsonl: 1 of 2 rows judged");
    expect(stdout).toContain("- 1 row could not be judged");
    expect(stdout).toContain("reason: the judge says it cannot judge: Nothing to go by.");
    expect(stdout).toContain("- 2 bad rows skipped");
    expect(code).toBe(0);
  });

  it("prints results so far on Ctrl-C", async () => {
    const space = new TempProject({ "labels.jsonl": rows(200, "right", 1) });
    let seen = () => {};
    const some = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const mock = await mockOf({
      reply: LITERAL,
      latencyMs: 20,
      onRequest: ({ index }) => {
        if (index === 10) seen();
      },
    });
    const args = ["judge", "calibrate", "--labels", "labels.jsonl", "--judge-url", mock.url, "--judge-model", "m"];
    const running = startAssay(space.dir, [...args, "--max-workers", "2"]);
    await some;
    running.child.kill("SIGINT");
    const { code, stdout } = await running.finished;
    expect(stdout).toMatch(/agrees with people on 100 % of \d+ rows/);
    expect(stdout).toMatch(/- stopped: \d+ rows not judged/);
    expect(code).toBe(130);
  });

  it("exits with 3 if the judge cannot be reached", async () => {
    const mock = await mockOf({ requireKey: "dummy-key" });
    const { code, stdout, stderr } = await calibrate(new TempProject({ "labels.jsonl": LABELS }), mock);
    expect(stdout).toContain("- 20 rows failed");
    expect(stderr).toContain("Nothing was judged. The judge failed.");
    expect(code).toBe(3);
  });

  it.each([
    ["no labels", ["--judge-model", "m"], "--labels labels.csv or labels.jsonl"],
    ["no judge", ["--labels", "labels.jsonl"], "Add --judge-model"],
    ["an unknown judge", ["--labels", "labels.jsonl", "--judge-model", "gpt"], "--judge-url URL --judge-model gpt"],
    [
      "a dialect that is none",
      ["--labels", "labels.jsonl", "--judge-url", "http://127.0.0.1:9", "--judge-api", "chatt"],
      '--judge-api "chatt"',
    ],
    [
      "a key that is missing",
      [
        "--labels",
        "labels.jsonl",
        "--judge-url",
        "http://127.0.0.1:9",
        "--judge-model",
        "m",
        "--judge-api-key-env",
        "NO_SUCH_KEY",
      ],
      "NO_SUCH_KEY is not set",
    ],
    [
      "an unknown scale",
      ["--labels", "labels.jsonl", "--judge-url", "http://127.0.0.1:9", "--judge-model", "m", "--judge-scale", "1-7"],
      "Unknown scale",
    ],
    [
      "labels that are not there",
      ["--labels", "no.jsonl", "--judge-url", "http://127.0.0.1:9", "--judge-model", "m"],
      "no.jsonl",
    ],
    [
      "a rubric that is not there",
      [
        "--labels",
        "labels.jsonl",
        "--judge-url",
        "http://127.0.0.1:9",
        "--judge-model",
        "m",
        "--judge-rubric",
        "no.txt",
      ],
      "no.txt",
    ],
    [
      "labels that do not fit",
      ["--labels", "labels.jsonl", "--judge-url", "http://127.0.0.1:9", "--judge-model", "m", "--judge-pairwise"],
      "no usable rows",
    ],
  ])("rejects %s", async (_, args, message) => {
    const space = new TempProject({ "labels.jsonl": LABELS });
    const { code, stderr } = await runPooledAssay(space.dir, "judge", "calibrate", ...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(2);
  });
});

describe("a run with a judge", () => {
  const DATA = ["right one", "wrong one", "impossible"].map((question, id) => ({ id, question, answer: "right" }));
  const OUTPUTS = DATA.map(({ id, question }) => ({ id, response: question }));
  const files = { "data.jsonl": DATA, "outputs.jsonl": OUTPUTS };
  const BASE = ["run", "--replay", "outputs.jsonl", "--dataset", "data.jsonl", "--output", "json"];

  it("is decided by the judge, whose cost is separate and counts against the budget", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const judge = ["--judge-url", mock.url, "--judge-model", "gpt-4o"];
    const finished = await runPooledAssay(
      new TempProject(files).dir,
      ...BASE,
      ...judge,
      "--max-cost",
      "1",
      "--min-coverage",
      "0",
    );
    expect(finished.code, finished.stderr).toBe(0);
    const { rows, summary, notes } = parseReport(finished);
    expect(rows.map(({ outcome, primaryField }) => [outcome, primaryField])).toEqual([
      ["pass", "judge_score"],
      ["fail", "judge_score"],
      // No other evaluator decides what the judge could not.
      ["unscored", null],
    ]);
    expect(rows[0]?.scores).toHaveProperty("f1");
    expect(rows[2]?.notes[0]).toContain('llm_judge could not decide "judge_score"');
    expect(rows[0]?.judgeCostUsd).toBeGreaterThan(0);
    expect(rows[0]?.costUsd).toBeNull();
    expect(summary.outputs?.judge_cost_usd).toBeGreaterThan(0);
    expect(notes.find((note) => note.startsWith("spent $0.00"))).toBeDefined();
  });

  it("prints what judging has cost, and in advance its minimum cost", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const judge = ["--judge-url", mock.url, "--judge-model", "gpt-4o", "--min-coverage", "0"];
    const space = new TempProject(files);
    const table = BASE.slice(0, -2);
    expect((await runPooledAssay(space.dir, ...table, ...judge)).stdout).toMatch(
      /- judging cost \$0\.0\d+, not included in the systems/,
    );
    const plan = await runPooledAssay(space.dir, ...table, ...judge, "--dry-run");
    expect(plan.stdout).toContain("judging costs extra: at least $0.00");
    const unpriced = ["--judge-url", mock.url, "--judge-model", "odd", "--min-coverage", "0"];
    const unknown = await runPooledAssay(space.dir, ...table, ...unpriced);
    expect(unknown.stdout).toContain("trials with an unknown judging cost: 3");
  });

  it("keeps its own primary field on request, in addition to the judge", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const judge = ["--judge-url", mock.url, "--judge-model", "gpt-4o", "--score-field", "contains"];
    const { rows } = parseReport(await runPooledAssay(new TempProject(files).dir, ...BASE, ...judge));
    expect(rows.map(({ primaryField }) => primaryField)).toEqual(["contains", "contains", "contains"]);
    expect(rows[0]?.scores.judge_score).toBe(1);
  });

  it("may be configured in a file, with criteria", async () => {
    const reply = '{"cannot_judge": false, "criteria": {"tone": {"reasoning": "So.", "verdict": "pass"}}}';
    const mock = await mockOf({ reply });
    const config = {
      replay: ["outputs.jsonl"],
      datasets: ["data.jsonl"],
      evaluators: ["llm_judge"],
      judge: { models: [{ model: "gpt-4o", proxy: mock.url }], criteria: { tone: "It is kind." } },
    };
    const space = new TempProject({ ...files, "assay.config.yaml": JSON.stringify(config) });
    const finished = await runPooledAssay(space.dir, "run", "--output", "json", "--min-coverage", "0");
    expect(Object.keys(parseReport(finished).rows[0]?.scores ?? {}).every((field) => field.startsWith("judge_"))).toBe(
      true,
    );
    expect(mock.requests.length).toBeGreaterThan(0);
  });

  it("can be judged afterwards without running the system again", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const space = new TempProject(files);
    await runPooledAssay(space.dir, ...BASE);
    const judge = ["--judge-url", mock.url, "--judge-model", "gpt-4o", "--min-coverage", "0"];
    const graded = parseReport(await runPooledAssay(space.dir, "grade", ...judge, "--output", "json"));
    expect(graded.rows.map(({ outcome }) => outcome)).toEqual(["pass", "fail", "unscored"]);
    expect(graded.rows[0]?.judgeCostUsd).toBeGreaterThan(0);
  });

  it("does not pass settings of the measured model to the judge: prompt, headers, key and limits", async () => {
    const measured = await mockOf({ reply: "right one" });
    const judging = await mockOf({ reply: LITERAL });
    const space = new TempProject(files);
    const model = ["--proxy", measured.url, "--model", "gpt-4o-mini", "--system-prompt", "You are a pirate."];
    const settings = [
      "--max-tokens",
      "7",
      "--temperature",
      "0.9",
      "--header",
      "X-Team: blue",
      "--extra-body",
      '{"top_p":0.5}',
    ];
    const judge = ["--judge-url", judging.url, "--judge-model", "gpt-4o"];
    const flags = [
      "run",
      ...model,
      ...settings,
      "--api-key-env",
      "MEASURED_KEY",
      "--dataset",
      "data.jsonl",
      ...judge,
      "--min-coverage",
      "0",
    ];
    const finished = await runInPool(space.dir, flags, { MEASURED_KEY: "dummy-measured" });
    expect(finished.code, finished.stderr).toBe(0);
    const heard = JSON.stringify(judging.requests);
    expect(judging.requests.length).toBe(3);
    for (const word of ["pirate", "max_tokens", "temperature", "x-team", "top_p", "authorization"])
      expect(heard.toLowerCase()).not.toContain(word);
    expect(JSON.stringify(measured.requests)).toContain("pirate");
    expect(JSON.stringify(measured.requests)).toContain("authorization");
  });

  it("finds its judge in a models file, though it measures no model", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const models = `models:\n  small:\n    provider: openai\n    api_name: gpt-4o\n    base_url: ${mock.url}/v1\n`;
    const space = new TempProject({ ...files, "m.yml": models });
    const judge = ["--judge-url", mock.url, "--judge-model", "small", "--models", "m.yml", "--min-coverage", "0"];
    const finished = await runPooledAssay(space.dir, ...BASE, ...judge);
    expect(finished.code, finished.stderr).toBe(0);
    expect(parseReport(finished).rows[0]?.outcome).toBe("pass");
  });

  it("is not judged again by a grading with other evaluators", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const space = new TempProject(files);
    await runPooledAssay(space.dir, ...BASE, "--judge-url", mock.url, "--judge-model", "gpt-4o", "--max-cost", "1");
    const asked = mock.counts.requests;
    const graded = await runPooledAssay(space.dir, "grade", "--evaluator", "levenshtein", "--output", "json");
    expect(Object.keys(parseReport(graded).rows[0]?.scores ?? {})).toEqual(["levenshtein"]);
    expect(mock.counts.requests).toBe(asked);
    await runPooledAssay(space.dir, "grade", space.runs()[0] ?? "", "--min-coverage", "0");
    expect(mock.counts.requests).toBe(2 * asked);
  });

  it("judges no output that might exceed the budget, and reports the cost", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const space = new TempProject(files);
    await runPooledAssay(space.dir, ...BASE);
    const judge = ["--judge-url", mock.url, "--judge-model", "gpt-4o", "--max-workers", "1", "--output", "json"];
    const [first] = parseReport(await runPooledAssay(space.dir, "grade", ...judge)).rows;
    const cost = Number(first?.judgeCostUsd);
    const asked = mock.counts.requests;
    // Enough for one, plus slightly less than a default reservation.
    const limit = ["--max-cost", String(2.4 * cost), "--min-coverage", "0"];
    const graded = parseReport(await runPooledAssay(space.dir, "grade", ...judge, ...limit)) as PrintedReport & {
      budget: object;
    };
    expect(graded.rows.map(({ outcome }) => outcome)).toEqual(["pass", "skipped", "skipped"]);
    expect(graded.notes).toContain("budget stopped: 2 outputs were not judged");
    expect(graded.budget).toMatchObject({ maxCostUsd: 2.4 * cost, spentUsd: expect.closeTo(cost, 9), lostUsd: 0 });
    expect(mock.counts.requests).toBe(asked + 1);
  });

  it("names the primary field in the reason for an unscored row", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const space = new TempProject({ ...files, "data.jsonl": DATA.map(({ id, question }) => ({ id, question })) });
    const judge = ["--judge-url", mock.url, "--judge-model", "gpt-4o", "--min-coverage", "0"];
    const { stdout } = await runPooledAssay(space.dir, ...BASE.slice(0, -2), ...judge);
    expect(stdout).toContain(
      '1 unscored, the first in example 2: llm_judge could not decide "judge_score": the judge says it cannot judge: Nothing to go by',
    );
  });

  it("leaves rows unscored, with a note, if the judge cannot be reached", async () => {
    const judge = ["--judge-url", "http://127.0.0.1:9", "--judge-model", "gpt-4o", "--evaluator", "llm_judge"];
    const space = new TempProject({ ...files, "data.jsonl": DATA.slice(0, 1) });
    const config = { judge: { models: [{ model: "gpt-4o", proxy: "http://127.0.0.1:9" }] } };
    space.write("assay.config.yaml", JSON.stringify(config));
    const finished = await runPooledAssay(space.dir, ...BASE, ...judge);
    expect(finished.code).toBe(3);
    const [row] = parseReport(finished).rows;
    expect(row).toMatchObject({ outcome: "unscored", errorCategory: "grader_error" });
    expect(row?.notes[0]).toContain("llm_judge failed");
  }, 180_000);

  it.each([
    [["--judge-scale", "1-5"], "No judge is set. Add --judge-model"],
    [
      ["--judge-url", "http://127.0.0.1:9", "--judge-model", "m", "--evaluator", "llm_judge:m"],
      "llm_judge takes no argument after a colon",
    ],
    [["--judge-model", "gpt"], "--judge-url URL --judge-model gpt"],
    [
      ["--judge-url", "http://127.0.0.1:9", "--judge-model", "odd", "--max-cost", "1"],
      "no price is known for the judge",
    ],
    [["--score-field", "judge_score"], "It comes from a judge: name one with --judge-model"],
  ])("explains what is wrong with %j", async (flags, message) => {
    const finished = await runPooledAssay(new TempProject(files).dir, ...BASE, ...flags);
    expect(finished.code).toBe(2);
    expect(finished.stderr).toContain(message);
  });
});
