import { join } from "node:path";
import { printedOutcome } from "./outcome.mjs";
import { projectEnv, TASK, writeProject } from "./project.mjs";

const ENV = { MASTRA_TELEMETRY_DISABLED: "1" };

const PROGRAM = `
import { createScorer, runExperiment } from "@mastra/core/scores";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import { answer, exact, examples, overlap, printOutcome, workers } from ${TASK};

const inputSchema = z.object({ question: z.string() });
const outputSchema = z.object({ response: z.string() });
const execute = async ({ inputData }) => ({ response: await answer(inputData.question) });
const target = createWorkflow({ id: "bench", inputSchema, outputSchema })
  .then(createStep({ id: "answer", inputSchema, outputSchema, execute }))
  .commit();
const scorer = (name, score) =>
  createScorer({ name, description: name }).generateScore(({ run }) => score(run.output.response, run.groundTruth));

const exactScores = [];
await runExperiment({
  target,
  concurrency: workers,
  scorers: [scorer("exact", exact), scorer("overlap", overlap)],
  data: examples().map(({ question, answer }) => ({ input: { question }, groundTruth: answer })),
  onItemComplete: ({ scorerResults }) => exactScores.push(scorerResults.exact.score),
});
printOutcome(exactScores);
process.exit(0);
`;

function evaluation(trial) {
  writeProject(trial.dir, { "bench.mjs": PROGRAM });
  return {
    args: [join(trial.dir, "bench.mjs")],
    env: { ...projectEnv(trial), ...ENV },
    results: [],
  };
}

export const mastra = {
  name: "mastra",
  role: "library",
  packages: ["@mastra/core@0.24.9", "zod@3.25.76"],
  pinned: "the last that runs on Node 20; 1.x needs Node 22.13",
  stores: null,
  notes:
    "`runExperiment` over a workflow of one step; it gives means and calls back for each example, and keeps nothing.",
  startup: () => ({ imports: ["@mastra/core/scores", "@mastra/core/workflows"], env: ENV }),
  echo: evaluation,
  requests: evaluation,
  outcome: printedOutcome,
};
