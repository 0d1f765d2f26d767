import "../builtins.js";
import { createPrice, type Pricing } from "../budget/index.js";
import { EXAMPLE_MODELS, EXIT, type Example } from "../core/index.js";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { createRandom } from "../stats/index.js";
import { ModelSystem } from "../systems/index.js";
import { startMock } from "../testing/mock/index.js";
import type { DemoOptions } from "./demo.js";
import { buildMigrationReport, renderMigration } from "./migrate.js";
import { checkOutput, printNote, writeResult } from "./streams.js";

const EXAMPLES = 200;
const MARGIN = 0.05;

/** Three fictional models: the present one, a good and cheaper successor, and one that is cheaper still and worse. */
const MODELS: Readonly<Record<string, { pricing: Pricing; behavior: object }>> = {
  "old-model": {
    pricing: { input_per_1k: 0.0025, output_per_1k: 0.01 },
    behavior: { successRate: 0.94, latencyMs: 10 },
  },
  "new-model": {
    pricing: { input_per_1k: 0.0005, output_per_1k: 0.002 },
    behavior: { successRate: 0.99, latencyMs: 5 },
  },
  "new-mini": {
    pricing: { input_per_1k: 0.0001, output_per_1k: 0.0004 },
    behavior: { successRate: 0.8, latencyMs: 2 },
  },
};

/** `assay demo migrate`: may two simulated models replace a third? Offline, with real requests. */
export async function executeDemoMigrate({ output, runsDir, seed }: DemoOptions): Promise<number> {
  checkOutput(output);
  const dataset = generateQuestions(seed);
  const answers = dataset.map(({ question = "", answer = "" }) => ({ question, answer }));
  const models = Object.fromEntries(Object.entries(MODELS).map(([name, { behavior }]) => [name, behavior]));
  const mock = await startMock({ seed, answers, models, keepRequests: 0 });
  const systems = Object.entries(MODELS).map(
    ([name, { pricing }]) =>
      new ModelSystem({
        name,
        model: name,
        baseUrl: `${mock.url}/v1`,
        limits: { price: createPrice(pricing, "assay demo migrate"), maxCostUsd: null, hardTimeoutMs: 60_000 },
      }),
  );
  try {
    const result = await evaluate({
      title: "Which model may replace the old one?",
      systems,
      dataset,
      evaluators: [new AnswerQuality()],
      scoreField: "contains",
      threshold: 1,
      seed,
      runsDir,
      invocation: { command: "demo" },
    });
    const report = buildMigrationReport(result, { margin: MARGIN, recorded: null, failed: null });
    await writeResult(renderMigration(report, output));
    printNote(`\nStored in ${result.runDir}\n${NEXT_STEPS}`);
    return EXIT.fine;
  } finally {
    await Promise.all(systems.map((system) => system.close()));
    await mock.close();
  }
}

const NEXT_STEPS = `What to do next:
  assay serve                        view the run in the browser, with the outputs side by side
  assay migrate --from openai/OLD --to ${EXAMPLE_MODELS.openai} --dataset prod.jsonl --max-cost 20
                                     judge real models on your own examples`;

function generateQuestions(seed: number): Example[] {
  const random = createRandom(seed);
  return Array.from({ length: EXAMPLES }, (_, id) => {
    const [a, b] = [1000 + random.int(9000), 1000 + random.int(9000)];
    return { id, question: `What is ${a} + ${b}? Question ${id}.`, answer: String(a + b) };
  });
}
