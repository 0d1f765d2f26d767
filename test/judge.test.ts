import { describe, expect, it, onTestFinished } from "vitest";
import { type Mock, type MockOptions, startMock } from "../src/mock/index.js";
import { assay, type Finished, start } from "./assay.js";
import { Workspace } from "./workspace.js";

const verdict = (value: string) => `{"reasoning": "So.", "cannot_judge": false, "verdict": "${value}"}`;
const winner = (value: string) => `{"reasoning": "So.", "cannot_judge": false, "winner": "${value}"}`;

/** Passes what says it is right, and cannot judge what asks for that. */
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

function calibrate(space: Workspace, mock: Mock, ...more: string[]): Promise<Finished> {
  const fixed = ["judge", "calibrate", "--labels", "labels.jsonl", "--judge-url", mock.url, "--judge-model", "gpt-4o"];
  return assay(space.dir, ...fixed, ...more);
}

describe("assay judge calibrate", () => {
  it("prints agreement, bias and cost, with plain words", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const { code, stdout, stderr } = await calibrate(new Workspace({ "labels.jsonl": LABELS }), mock);
    expect(stderr).toBe("");
    expect(stdout).toMatch(
      /\| accuracy +\| +70 % \| 48\.1 % to 85\.5 % +\| +20 \| agrees with people on 70 % of 20 rows +\|/,
    );
    // pₒ = 0.7, pₑ = 0.6·0.5 + 0.4·0.5 = 0.5.
    expect(stdout).toMatch(/\| Cohen's kappa +\| +0\.4 \|/);
    expect(stdout).toMatch(/\| people ↓ judge → \| fail \| pass \|/);
    expect(stdout).toMatch(/\| fail +\| +6 \| +2 \|/);
    expect(stdout).toContain("length correlation");
    expect(stdout).toContain("- bias by position: not applicable, one answer is shown at a time");
    expect(stdout).toMatch(/- cost: \$0\.0\d+/);
    expect(code).toBe(0);
  });

  it.each(["chat", "responses", "anthropic", "gemini"])("asks in %s", async (api) => {
    const mock = await mockOf({ reply: LITERAL });
    const space = new Workspace({ "labels.jsonl": LABELS.slice(0, 2), "rubric.txt": "It must say that it is right." });
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

  it("finds a judge that takes whatever is shown first", async () => {
    const mock = await mockOf({ reply: winner("A") });
    const pairs = Array.from({ length: 12 }, (_, i) => ({
      question: `Q${i}?`,
      response_a: `one ${i}`,
      response_b: `another ${i}`,
      label: i % 2 ? "a" : "b",
    }));
    const { stdout } = await calibrate(new Workspace({ "labels.jsonl": pairs }), mock, "--judge-pairwise");
    expect(stdout).toContain("leans to the answer shown first: the first shown wins 100 % of 24 decided verdicts");
    expect(stdout).toContain("the verdict changes with the order for 100 % of 12 pairs");
    expect(stdout).not.toContain("not applicable");
    expect(mock.counts.requests).toBe(24);
  });

  it("judges by a panel on a scale", async () => {
    const score = (value: number) => `{"reasoning": "So.", "cannot_judge": false, "score": ${value}}`;
    const mock = await mockOf({ models: { kind: { reply: score(5) }, strict: { reply: score(2) } } });
    const space = new Workspace({ "labels.jsonl": rows(3, "x", 4) });
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
    const { stdout } = await assay(space.dir, "judge", "calibrate", ...args, ...flags);
    const { agreement, isCostPartial, costUsd } = JSON.parse(stdout);
    expect(agreement).toMatchObject({ meanDifference: { value: -2 }, quadraticKappa: { value: 0 } });
    expect(agreement.confusion[3]).toEqual([0, 3, 0, 0, 0]);
    expect({ isCostPartial, costUsd }).toEqual({ isCostPartial: true, costUsd: null });
    expect(mock.counts.maxOpen).toBeLessThanOrEqual(2);
  });

  it("names bad rows by line and rows that could not be judged, and goes on", async () => {
    const mock = await mockOf({ reply: LITERAL });
    const lines = [
      JSON.stringify(LABELS[0]),
      "{oops",
      '{"response": "x", "label": "maybe"}',
      "",
      JSON.stringify({ response: "impossible", label: 1 }),
    ];
    const { code, stdout, stderr } = await calibrate(new Workspace({ "labels.jsonl": lines.join("\n") }), mock);
    expect(stderr).toContain("labels.jsonl:2: is not valid JSON");
    expect(stderr).toContain('labels.jsonl:3: has a label that is the string "maybe"');
    expect(stdout).toContain("- labels.jsonl: 1 of 2 rows judged");
    expect(stdout).toContain("- 1 row could not be judged");
    expect(stdout).toContain("reason: the judge says it cannot judge: Nothing to go by.");
    expect(stdout).toContain("- 2 bad rows left out");
    expect(code).toBe(0);
  });

  it("prints what is there on Ctrl-C", async () => {
    const space = new Workspace({ "labels.jsonl": rows(200, "right", 1) });
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
    const running = start(space.dir, [...args, "--max-workers", "2"]);
    await some;
    running.child.kill("SIGINT");
    const { code, stdout } = await running.finished;
    expect(stdout).toMatch(/agrees with people on 100 % of \d+ rows/);
    expect(stdout).toMatch(/- stopped: \d+ rows not asked about/);
    expect(code).toBe(130);
  });

  it("ends with 3 when nobody could be reached", async () => {
    const mock = await mockOf({ requireKey: "dummy-key" });
    const { code, stdout, stderr } = await calibrate(new Workspace({ "labels.jsonl": LABELS }), mock);
    expect(stdout).toContain("- 20 rows failed");
    expect(stderr).toContain("Nothing was judged. The judge failed.");
    expect(code).toBe(3);
  });

  it.each([
    ["no labels", ["--judge-model", "m"], "--labels labels.jsonl"],
    ["no judge", ["--labels", "labels.jsonl"], "Add --judge-model"],
    [
      "a judge that nobody knows",
      ["--labels", "labels.jsonl", "--judge-model", "gpt"],
      "--judge-url URL --judge-model gpt",
    ],
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
      "a scale that is none",
      ["--labels", "labels.jsonl", "--judge-url", "http://127.0.0.1:9", "--judge-model", "m", "--judge-scale", "1-7"],
      "There is no scale",
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
      "no row that can be used",
    ],
  ])("refuses %s", async (_, args, message) => {
    const space = new Workspace({ "labels.jsonl": LABELS });
    const { code, stderr } = await assay(space.dir, "judge", "calibrate", ...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(2);
  });
});
