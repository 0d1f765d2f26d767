import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createPriceLimits } from "../budget/models-file.js";
import { createPrice } from "../budget/price.js";
import type { GraderSpec } from "../core/grader.js";
import { evaluate } from "../evaluate.js";
import { gradeRun } from "../runs/grade-run.js";
import { ModelSystem, ReplaySystem } from "../systems/index.js";
import { startMock } from "../testing/mock/index.js";
import { GraderEvaluator } from "./index.js";

/** One dollar per thousand input tokens. */
const LIMITS = createPriceLimits(createPrice({ input_per_1k: 1, output_per_1k: 0 }, "test"));

/** Reads the answer, and passes if it runs in a folder that is not a workspace. */
const READS_ANSWER = `
  const { output, workspace } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const isAlone = workspace === null && process.env.ASSAY_WORKSPACE === undefined;
  console.log(JSON.stringify({ passed: isAlone && output.response === "Paris", evidence: output.response }));`;

const PASSING: GraderSpec[] = [
  { type: "wall-time", config: { max: "10m" } },
  { type: "cost-budget", config: { max_usd: 2 } },
  { type: "program", config: { program: "node", args: ["-e", READS_ANSWER] } },
  {
    type: "program",
    name: "brought",
    config: { program: "sh", args: ["a.sh"], files: [{ dest: "a.sh", content: "true" }] },
  },
];
const FAILING: GraderSpec[] = [
  { type: "wall-time", config: { max: "1ms" } },
  { type: "cost-budget", config: { max_usd: 0.5 } },
  { type: "program", config: { program: "false" } },
];

async function openFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "assay-plain-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it("is graded by time, cost and programs, without a trajectory or a workspace", async () => {
  const runsDir = await openFolder();
  const scratch = await openFolder();
  vi.stubEnv("TMPDIR", scratch);
  onTestFinished(() => void vi.unstubAllEnvs());
  const mock = await startMock({ reply: "Paris", usage: { input: 1000 }, latencyMs: 20 });
  onTestFinished(() => mock.close());
  const system = new ModelSystem({ name: "m", model: "m", baseUrl: mock.url, limits: LIMITS });
  onTestFinished(() => system.close());
  const dataset = [
    { id: "kept", question: "Where?", graders: PASSING },
    { id: "exceeded", question: "Where?", graders: FAILING },
  ];
  const evaluators = [new GraderEvaluator()];
  const { rows, runDir } = await evaluate({ systems: [system], dataset, evaluators, runsDir });
  expect(rows.map(({ outcome, costUsd }) => [outcome, costUsd])).toEqual([
    ["pass", 1],
    ["fail", 1],
  ]);
  expect(rows[0]?.scores).toMatchObject({ "wall-time": 1, "cost-budget": 1, program: 1, brought: 1 });
  expect(rows[1]?.scores).toMatchObject({ "cost-budget": 0.5, program: 0 });
  expect(rows[1]?.scores["wall-time"]).toBeLessThan(1);
  expect(readdirSync(scratch)).toEqual([]);
  // The same from a stored run: time and cost come from its rows.
  const again = await gradeRun(runDir ?? "", { datasets: [dataset], evaluators });
  expect(again.rows.map(({ scores }) => scores)).toEqual(rows.map(({ scores }) => scores));
});

it("ends in error for a cost limit if its cost is unknown", async () => {
  const result = await evaluate({
    systems: [{ name: "free", process: () => ({ response: "Paris" }) }],
    dataset: [{ id: 1, question: "Where?", graders: [{ type: "cost-budget", config: { max_usd: 1 } }] }],
    evaluators: [new GraderEvaluator()],
  });
  expect(result.rows[0]).toMatchObject({ outcome: "unscored" });
  expect(result.rows[0]?.notes.join()).toContain("has no price");
});

it("ends in error for a time limit if its time was not measured", async () => {
  const result = await evaluate({
    systems: [new ReplaySystem({ name: "recorded", records: [{ id: 1, response: "Paris" }] })],
    dataset: [{ id: 1, question: "Where?", graders: [{ type: "wall-time", config: { max: "1m" } }] }],
    evaluators: [new GraderEvaluator()],
  });
  expect(result.rows[0]).toMatchObject({ outcome: "unscored" });
  expect(result.rows[0]?.notes.join()).toContain("its duration was not measured");
});
