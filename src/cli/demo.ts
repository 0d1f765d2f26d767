import "../builtins.js";
import { createPrice, type Pricing, resolveBudgets } from "../budget/index.js";
import type { EvalResult, Example, Limits, Summary } from "../core/index.js";
import { EXIT, type Reporter, registry } from "../core/index.js";
import { loadDataset } from "../datasets/index.js";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { createLayout, formatDollars, formatShare } from "../report/index.js";
import { createRandom } from "../stats/index.js";
import { ModelSystem } from "../systems/index.js";
import { startMock } from "../testing/mock/index.js";
import { withSystems } from "./resolve.js";
import { detectScreen } from "./screen.js";
import { checkOutput, printNote, writeResult } from "./streams.js";

const SYSTEMS = [
  "passthrough",
  "truncate:0.3",
  "truncate:0.5",
  "truncate:0.5:tail",
  "truncate:0.5:middle",
  "extract:0.1",
  "extract:0.3",
  "extract:0.5",
  "window:0.3",
  "stopwords",
  "dedupe",
];
const EXAMPLES = 100;

export interface DemoOptions {
  output: string;
  runsDir: string;
  seed: number;
}

/** `assay demo`: an offline comparison of context compressors. */
export async function executeDemo({ output, runsDir, seed }: DemoOptions): Promise<number> {
  const reporter = registry.get("reporter", output);
  checkOutput(output);
  const dataset = await loadDataset("needle", { maxExamples: EXAMPLES, seed });
  const result = await withSystems(registry, { systems: SYSTEMS }, (systems) =>
    evaluate({
      title: "Which compressor keeps the answers?",
      systems,
      dataset,
      seed,
      runsDir,
      invocation: { command: "demo" },
    }),
  );
  return showDemo(result, { reporter, conclusion: describeDemo(result), next: DEMO_NEXT_STEPS });
}

/** Prints the report of a demo, its findings where people read it, and next steps. */
export async function showDemo(
  result: EvalResult,
  { reporter, conclusion, next }: { reporter: Reporter; conclusion: string; next: string },
): Promise<number> {
  const screen = detectScreen();
  await writeResult(await reporter.render(result, screen));
  if (reporter.name === "table") await writeResult(`\n${createLayout(screen).text(conclusion)}\n`);
  printNote(`\nStored in ${result.runDir}\n${next}`);
  return EXIT.fine;
}

const DEMO_NEXT_STEPS = `What to do next:
  assay serve                                              view the run in the browser
  assay datasets show needle                               see an example
  assay --system extract:0.2 --dataset needle -n 200       try another share
  assay --system ./my-system.ts --dataset questions.jsonl  measure your own`;

/** The best value is the system on the Pareto front with the most kept answers for the tokens it sends. */
function describeDemo({ summary }: EvalResult): string {
  const systems = Object.entries(summary).map(([name, values]) => ({
    name,
    kept: values.mean_score ?? 0,
    share: getTokenShare(values),
    rank: values.pareto_rank ?? 0,
  }));
  const compressing = systems.filter(({ share }) => share < 0.99);
  const best = compressing.reduce((a, b) => (computeValueForMoney(b) > computeValueForMoney(a) ? b : a));
  const worst = compressing.filter(({ share }) => share >= best.share).reduce((a, b) => (b.kept < a.kept ? b : a));
  const front = systems.filter(({ rank }) => rank === 1).map(({ name }) => name);
  return [
    `${best.name} keeps ${formatShare(best.kept)} of the answers with ${formatShare(best.share)} of the tokens.`,
    `${worst.name} uses ${formatShare(worst.share)} of the tokens and keeps only ${formatShare(worst.kept)}.`,
    `No system beats these on both (Pareto rank 1): ${front.join(", ")}.`,
  ].join("\n");
}

function getTokenShare(values: Summary): number {
  return 1 - (values.compression_ratio ?? 0);
}

/** Answers kept minus tokens sent, both weighted alike. */
function computeValueForMoney({ kept, share }: { kept: number; share: number }): number {
  return kept - share;
}

const SUM_EXAMPLES = 30;
const TRIALS = 2;

/** Three fictional models: a cheap one, a good one, and one that talks until its budget is spent. */
const MODELS: Readonly<Record<string, { pricing: Pricing; maxCostUsd?: number; behaviour: object }>> = {
  thrifty: {
    pricing: { input_per_1k: 0.0001, output_per_1k: 0.0004 },
    behaviour: { successRate: 0.7, outputTokens: 60, tokensPerSec: 4000, latencyMs: 5 },
  },
  steady: {
    pricing: { input_per_1k: 0.0025, output_per_1k: 0.01 },
    behaviour: { successRate: 0.95, outputTokens: 120, tokensPerSec: 3000, latencyMs: 15 },
  },
  rambler: {
    pricing: { input_per_1k: 0.005, output_per_1k: 0.025 },
    maxCostUsd: 0.01,
    behaviour: { successRate: 0.9, outputTokens: 3000, tokensPerSec: 6000, latencyMs: 10 },
  },
};

/** `assay demo budgets`: three simulated models, one of which reaches its cap. Offline, with real requests. */
export async function executeDemoBudgets({ output, runsDir, seed }: DemoOptions): Promise<number> {
  const reporter = registry.get("reporter", output);
  checkOutput(output);
  const dataset = generateSums(seed);
  const answers = dataset.map(({ question = "", answer = "" }) => ({ question, answer }));
  const models = Object.fromEntries(Object.entries(MODELS).map(([name, { behaviour }]) => [name, behaviour]));
  const mock = await startMock({ seed, answers, models });
  const systems = Object.keys(MODELS).map(
    (name) => new ModelSystem({ name, model: name, baseUrl: `${mock.url}/v1`, limits: getModelLimits(name) }),
  );
  try {
    const result = await evaluate({
      title: "What does a right answer cost?",
      systems,
      dataset,
      evaluators: [new AnswerQuality()],
      scoreField: "contains",
      threshold: 1,
      trials: TRIALS,
      seed,
      runsDir,
      invocation: { command: "demo" },
    });
    return await showDemo(result, { reporter, conclusion: describeBudgetsDemo(result), next: BUDGETS_NEXT_STEPS });
  } finally {
    await Promise.all(systems.map((system) => system.close()));
    await mock.close();
  }
}

const BUDGETS_NEXT_STEPS = `What to do next:
  assay serve                                           view the run in the browser
  assay mock --latency 50 --fault 429=0.1               start a model endpoint for experiments
  assay models                                          print how your models.yml is resolved
  assay gateway --max-cost 0.30 -- my-program           limit the cost of any program`;

function getModelLimits(name: string): Limits {
  const { pricing, maxCostUsd } = MODELS[name] ?? { pricing: { input_per_1k: 0, output_per_1k: 0 } };
  const budgets = maxCostUsd === undefined ? {} : { max_cost_usd: maxCostUsd };
  const resolved = resolveBudgets({ pricing, budgets });
  return {
    price: createPrice(pricing, "assay demo budgets"),
    maxCostUsd: resolved.maxCostUsd,
    hardTimeoutMs: resolved.hardTimeoutSecs * 1000,
  };
}

function generateSums(seed: number): Example[] {
  const random = createRandom(seed);
  return Array.from({ length: SUM_EXAMPLES }, (_, id) => {
    const [a, b] = [100 + random.int(900), 100 + random.int(900)];
    return { id, question: `What is ${a} + ${b}? Question ${id}.`, answer: String(a + b) };
  });
}

function describeBudgetsDemo({ summary }: EvalResult): string {
  const systems = Object.entries(summary).map(([name, values]) => ({ name, ...values }) as DemoFinding);
  const cheapest = systems.reduce((a, b) =>
    (b.cost_per_pass_usd ?? Infinity) < (a.cost_per_pass_usd ?? Infinity) ? b : a,
  );
  const best = systems.reduce((a, b) => (b.pass_rate > a.pass_rate ? b : a));
  const killed = systems.filter(({ cost_killed_count }) => cost_killed_count > 0);
  return [
    `${cheapest.name} gives the cheapest right answer: ${formatDollars(cheapest.cost_per_pass_usd)} each, ${formatShare(cheapest.pass_rate)} of its answers are right.`,
    `${best.name} is right most often, ${formatShare(best.pass_rate)}, at ${formatDollars(best.cost_per_pass_usd)} per right answer.`,
    ...killed.map(
      ({ name, cost_killed_count }) =>
        `${name} reached its cap of ${formatDollars(getModelLimits(name).maxCostUsd)} per trial ${cost_killed_count} times; its output up to that point was graded all the same.`,
    ),
  ].join("\n");
}

interface DemoFinding {
  name: string;
  pass_rate: number;
  cost_per_pass_usd: number | null;
  cost_killed_count: number;
}
