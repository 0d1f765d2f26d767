import { describe, expect, it, onTestFinished } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { type Mock, startMock } from "../src/testing/mock/index.js";
import { type FinishedCommand, parseReport } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const REPLIES = [
  { match: "/Compare the answers/", reply: '{"reasoning": "So.", "cannot_judge": false, "winner": "A"}' },
  { match: "/<answer-[0-9a-f]+>\\nbad/", reply: '{"reasoning": "So.", "cannot_judge": false, "verdict": "fail"}' },
  { match: "/./", reply: '{"reasoning": "So.", "cannot_judge": false, "verdict": "pass", "score": 4}' },
];

const user = (content: string) => ({ role: "user", content });
const TALKS = [
  { id: 1, turns: [user("Write."), user("Shorter.")] },
  { id: 2, turns: [user("Sing."), user("Louder.")] },
];
const SPOKEN = [
  { id: 1, response: "good", replies: ["bad", "good"] },
  { id: 2, response: "good", replies: ["good"] },
];
const TASKS = `export function register(registry) {
  const examples = [{ id: 1, question: "Q?", baseline: "other", dataset: "duels" }];
  registry.register("dataset", "duels", {
    evaluators: ["llm_judge"],
    primaryField: "judge_score",
    load: () => ({ examples, judge: { pairwise: true } }),
  });
  const talks = ${JSON.stringify(TALKS.slice(0, 1))}.map((talk) => ({ ...talk, dataset: "talks" }));
  registry.register("dataset", "talks", {
    evaluators: ["llm_judge"],
    primaryField: "judge_score",
    load: () => ({ examples: talks, judge: { perTurn: true } }),
  });
}`;
const FILES = {
  "talks.jsonl": TALKS,
  "spoken.jsonl": SPOKEN,
  "tasks.mjs": TASKS,
  "good.mjs": `export default { name: "good", process: (e) => ({ response: "good", ...(e.turns && { replies: ["bad", "good"] }) }) };`,
};

async function mockJudge(): Promise<Mock> {
  const mock = await startMock({ reply: REPLIES, keepBodies: true });
  onTestFinished(() => mock.close());
  return mock;
}

const judgedBy = (mock: Mock) => ["--judge-url", mock.url, "--judge-model", "gpt-4o"];
const scoresOf = (finished: FinishedCommand) => parseReport(finished).rows.map(({ scores }) => scores);

describe("a judge of each turn", () => {
  it("is enabled with --judge-per-turn: a field for each turn, and their mean", async () => {
    const mock = await mockJudge();
    const base = [
      "--dataset",
      "talks.jsonl",
      "--replay",
      "spoken.jsonl",
      "--evaluator",
      "llm_judge",
      "--min-coverage",
      "0",
    ];
    const finished = await runPooledAssay(
      new TempProject(FILES).dir,
      ...["run", ...base, ...judgedBy(mock), "--judge-per-turn", "--output", "json"],
    );
    expect(scoresOf(finished)).toEqual([{ judge_turn_1: 0, judge_turn_2: 1, judge_score: 0.5 }, {}]);
    expect(parseReport(finished).rows[1]?.notes.join()).toContain("1 of the 2 answers");
  });

  it("is enabled in a config file", async () => {
    const mock = await mockJudge();
    const config = `replay: [spoken.jsonl]\ndatasets: [talks.jsonl]\nevaluators: [llm_judge]\nminCoverage: 0\njudge: { models: [{ model: gpt-4o, proxy: "${mock.url}" }], perTurn: true }\n`;
    const space = new TempProject({ ...FILES, "assay.config.yaml": config });
    expect(scoresOf(await runPooledAssay(space.dir, "run", "--output", "json"))[0]).toMatchObject({
      judge_turn_1: 0,
      judge_score: 0.5,
    });
  });

  it("cannot be calibrated with labels of single answers", async () => {
    const mock = await mockJudge();
    const space = new TempProject({ "labels.jsonl": [{ question: "Q", response: "good", label: 1 }] });
    const finished = await runPooledAssay(
      space.dir,
      "judge",
      "calibrate",
      "--labels",
      "labels.jsonl",
      ...judgedBy(mock),
      "--judge-per-turn",
    );
    expect(finished).toMatchObject({ code: 2 });
    expect(finished.stderr).toContain("--judge-per-turn is only for runs");
  });
});

describe("datasets that set a judging mode", () => {
  const BASE = [
    "--plugin",
    "tasks.mjs",
    "--dataset",
    "duels",
    "--dataset",
    "talks",
    "--system",
    "./good.mjs",
    "--output",
    "json",
  ];

  it("are each judged in their mode, also when graded again", async () => {
    const mock = await mockJudge();
    const space = new TempProject(FILES);
    const expected = [{ judge_score: 0.5 }, { judge_turn_1: 0, judge_turn_2: 1, judge_score: 0.5 }];
    expect(scoresOf(await runPooledAssay(space.dir, "run", ...BASE, ...judgedBy(mock)))).toEqual(expected);
    const again = await runPooledAssay(
      space.dir,
      "grade",
      ...judgedBy(mock),
      "--evaluator",
      "llm_judge",
      "--output",
      "json",
    );
    expect(scoresOf(again)).toEqual(expected);
  });

  it("are judged in the run's mode if it sets one", async () => {
    const mock = await mockJudge();
    const space = new TempProject(FILES);
    const run = (...more: string[]) => runPooledAssay(space.dir, "run", ...BASE, ...judgedBy(mock), ...more);
    expect(scoresOf(await run("--judge-scale", "1-5"))[0]).toEqual({ judge_score: 0.75 });
    const perTurn = scoresOf(await run("--judge-per-turn"));
    expect(perTurn).toEqual([
      { judge_turn_1: 1, judge_score: 1 },
      { judge_turn_1: 0, judge_turn_2: 1, judge_score: 0.5 },
    ]);
  });
});

describe("cost estimate of judging", () => {
  const BASE = ["--dataset", "talks.jsonl", "--evaluator", "llm_judge", "--output", "json"];
  type Plan = { isJudged: boolean; outputs?: number; judgeCostUsd: { low: number | null; high: number | null } };
  const planOf = ({ stdout }: FinishedCommand) => JSON.parse(stdout) as Plan;

  it("is printed by assay run --dry-run, with the longest answers as maximum", async () => {
    const mock = await mockJudge();
    const space = new TempProject(FILES);
    const model = ["--proxy", mock.url, "--model", "gpt-4o-mini"];
    const run = (...more: string[]) =>
      runPooledAssay(space.dir, "run", ...BASE, ...model, ...judgedBy(mock), "--dry-run", ...more);
    const open = planOf(await run());
    expect(open).toMatchObject({ isJudged: true, judgeCostUsd: { low: expect.any(Number), high: null } });
    const bounded = planOf(await run("--max-tokens", "1000")).judgeCostUsd;
    // Two answers of at most 1000 tokens at 2.5 dollars per million, and two verdicts of 300 at 10 dollars.
    expect((bounded.high ?? 0) - (bounded.low ?? 0)).toBeCloseTo(2 * (1000 * 2.5e-6 + 300 * 10e-6), 6);
    const words = await run("--max-tokens", "1000", "--output", "table");
    expect(words.stdout).toMatch(
      /judging costs extra: at least \$0\.00\d+ \(its prompts without the answers\), about \$0\.0\d+ at most/,
    );
    expect(mock.requests).toEqual([]);
  });

  it("is printed by assay grade --dry-run from the stored outputs, and nothing is judged or stored", async () => {
    const mock = await mockJudge();
    const space = new TempProject(FILES);
    await runPooledAssay(
      space.dir,
      "run",
      "--dataset",
      "talks.jsonl",
      "--replay",
      "spoken.jsonl",
      "--min-coverage",
      "0",
    );
    const grade = (...more: string[]) =>
      runPooledAssay(space.dir, "grade", "--evaluator", "llm_judge", ...judgedBy(mock), "--dry-run", ...more);
    const plan = planOf(await grade("--output", "json"));
    expect(plan).toMatchObject({ isJudged: true, outputs: 2 });
    expect((plan.judgeCostUsd.high ?? 0) - (plan.judgeCostUsd.low ?? 0)).toBeCloseTo(2 * 300 * 10e-6, 6);
    expect((await grade()).stdout).toMatch(/2 stored outputs to score again[\s\S]*at least \$0\.00\d+ \(its prompts\)/);
    expect(mock.requests).toEqual([]);
    expect(space.runs()).toHaveLength(1);
  });

  it("is unknown for a judge without a price", async () => {
    const mock = await mockJudge();
    const space = new TempProject(FILES);
    const judge = ["--judge-url", mock.url, "--judge-model", "my-own"];
    const finished = await runPooledAssay(space.dir, "run", ...BASE, "--replay", "spoken.jsonl", ...judge, "--dry-run");
    expect(planOf(finished).judgeCostUsd).toEqual({ low: null, high: null });
    const table = ["run", ...BASE, "--replay", "spoken.jsonl", ...judge, "--dry-run", "--output", "table"];
    expect((await runPooledAssay(space.dir, ...table)).stdout).toContain("has no price. Set `pricing` for its model");
  });
});

describe("assay judge calibrate --max-cost", () => {
  const LABELS = Array.from({ length: 12 }, (_, i) => ({ question: `Q${i}`, response: "good", label: 1 }));

  it("stops before more is spent, and says how many rows were skipped", async () => {
    const mock = await mockJudge();
    const space = new TempProject({ "labels.jsonl": LABELS });
    const run = (...more: string[]) =>
      runPooledAssay(
        space.dir,
        "judge",
        "calibrate",
        "--labels",
        "labels.jsonl",
        ...judgedBy(mock),
        "--output",
        "json",
        ...more,
      );
    const all = JSON.parse((await run()).stdout) as { judged: number; costUsd: number };
    expect(all.judged).toBe(12);
    const half = JSON.parse((await run("--max-cost", String(all.costUsd / 2))).stdout) as typeof all;
    expect(half.costUsd).toBeLessThanOrEqual(all.costUsd / 2 + 1e-12);
    expect(half.judged).toBeGreaterThan(2);
    expect(half).toMatchObject({
      notAsked: 12 - half.judged,
      reasons: ["judging the rest might exceed the cost limit"],
    });
  });

  it("requires a price", async () => {
    const mock = await mockJudge();
    const space = new TempProject({ "labels.jsonl": LABELS });
    const judge = ["--judge-url", mock.url, "--judge-model", "my-own"];
    const finished = await runPooledAssay(
      space.dir,
      "judge",
      "calibrate",
      "--labels",
      "labels.jsonl",
      ...judge,
      "--max-cost",
      "1",
    );
    expect(finished).toMatchObject({ code: 2 });
    expect(finished.stderr).toContain("no price is known for the judge");
  });
});
