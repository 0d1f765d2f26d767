import "../builtins.js";
import { createPrice } from "../budget/index.js";
import { EXAMPLE_MODELS, EXIT, type Example, registry } from "../core/index.js";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { formatDollars, formatPlural } from "../report/index.js";
import { createRandom } from "../stats/index.js";
import { ModelSystem } from "../systems/index.js";
import { startMock } from "../testing/mock/index.js";
import type { DemoOptions } from "./demo.js";
import { detectScreen } from "./screen.js";
import { checkOutput, printNote, writeResult } from "./streams.js";

const EXAMPLES = 500;
const OUTPUT_TOKENS = 20;
/** Makes every trial cost $0.02. */
const PRICING = { input_per_1k: 0, output_per_1k: 1 };

const MODELS = {
  "old-model": { successRate: 0.78, outputTokens: OUTPUT_TOKENS, latencyMs: 2 },
  "new-model": { successRate: 0.93, outputTokens: OUTPUT_TOKENS, latencyMs: 2 },
};

/** `assay demo decide`: which of two simulated models is better, for less than a run of every task costs? Offline. */
export async function executeDemoDecide({ output, runsDir, seed }: DemoOptions): Promise<number> {
  checkOutput(output);
  const dataset = generateQuestions(seed);
  const answers = dataset.map(({ question = "", answer = "" }) => ({ question, answer }));
  const mock = await startMock({ seed, answers, models: MODELS, keepRequests: 0 });
  const systems = Object.keys(MODELS).map(
    (name) =>
      new ModelSystem({
        name,
        model: name,
        baseUrl: `${mock.url}/v1`,
        limits: { price: createPrice(PRICING, "assay demo decide"), maxCostUsd: null, hardTimeoutMs: 60_000 },
      }),
  );
  try {
    const result = await evaluate({
      title: "Is the new model better than the old one?",
      systems,
      dataset,
      evaluators: [new AnswerQuality()],
      scoreField: "contains",
      threshold: 1,
      until: "decided",
      seed,
      runsDir,
      invocation: { command: "demo" },
    });
    await writeResult(await registry.get("reporter", output).render(result, detectScreen()));
    const { spentUsd = null, fixedUsd = null } = result.sequential ?? {};
    printNote(
      `\nThis run cost ${formatDollars(spentUsd)}. A run of all ${formatPlural(2 * EXAMPLES, "trial")} would have cost ${formatDollars(fixedUsd)}.\nStored in ${result.runDir}\n${NEXT_STEPS}`,
    );
    return EXIT.fine;
  } finally {
    await Promise.all(systems.map((system) => system.close()));
    await mock.close();
  }
}

const NEXT_STEPS = `What to do next:
  assay serve                        view the run in the browser
  assay run --model openai/OLD --model ${EXAMPLE_MODELS.openai} --dataset prod.jsonl --until decided --max-cost 20
                                     compare real models on your own examples`;

function generateQuestions(seed: number): Example[] {
  const random = createRandom(seed);
  return Array.from({ length: EXAMPLES }, (_, id) => {
    const [a, b] = [1000 + random.int(9000), 1000 + random.int(9000)];
    return { id, question: `What is ${a} + ${b}? Question ${id}.`, answer: String(a + b) };
  });
}
