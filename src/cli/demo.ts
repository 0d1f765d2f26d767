import "../builtins.js";
import { EXIT } from "../core/errors.js";
import { type Reporter, registry } from "../core/registry.js";
import type { EvalResult, Summary } from "../core/result.js";
import { loadDataset } from "../datasets/load-dataset.js";
import { evaluate } from "../evaluate.js";
import { formatShare } from "../report/format.js";
import { withSystems } from "./resolve.js";
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
  await writeResult(await reporter.render(result));
  if (reporter.name === "table") await writeResult(`\n${conclusion}\n`);
  printNote(`\nStored in ${result.runDir}\n${next}`);
  return EXIT.fine;
}

const DEMO_NEXT_STEPS = `What to do next:
  assay serve                                                 view the run in the browser
  assay datasets show needle                                  see an example of the dataset
  assay --system extract:0.2 --dataset needle -n 200          try another share
  assay --system ./my-system.ts --dataset my-questions.jsonl  measure your own system`;

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
