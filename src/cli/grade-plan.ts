import type { Dataset, Evaluator, ExampleSource } from "../core/index.js";
import { EXIT, hasOutput } from "../core/index.js";
import { resolveTokenizer } from "../models/index.js";
import { formatPlural, toOneLine } from "../report/index.js";
import { makePlan, type Plan } from "../runner/index.js";
import type { Manifest } from "../store/index.js";
import { createRowLookup, encodeKey, readOutputs, readRows } from "../store/index.js";
import {
  addCostRange,
  type CostRange,
  describeJudgingCost,
  estimateOutputJudging,
  findJudgingPrices,
} from "./dry-run.js";
import type { PrintReport } from "./report.js";
import type { RunConfig } from "./run-config.js";
import { writeResult } from "./streams.js";

export interface GradePlanRequest {
  dir: string;
  parent: Manifest;
  config: RunConfig;
  datasets: (Dataset | ExampleSource)[];
  evaluators: Evaluator[] | undefined;
}

/** What a grading would do, before anything is spent. */
interface GradeReport {
  schema: "assay.grade-plan/1";
  run: string;
  /** Stored outputs whose examples are available. */
  outputs: number;
  datasets: { name: string; evaluators: string[]; passField: string | null }[];
  threshold: number;
  isJudged: boolean;
  /** Cost of the judge's prompts, and with verdicts of typical length; null if it has no price. */
  judgeCostUsd: CostRange;
}

/** `assay grade --dry-run`: the outputs are stored, so the judge's prompts are known. */
export async function planGrading(request: GradePlanRequest): Promise<PrintReport> {
  const plan = await makeGradePlan(request);
  await findJudgingPrices(plan);
  const report = buildGradeReport(plan, request);
  const text = request.config.output === "json" ? `${JSON.stringify(report, null, 2)}\n` : formatGradeReport(report);
  return async () => {
    await writeResult(text);
    return EXIT.fine;
  };
}

function makeGradePlan({ parent, config, datasets, evaluators }: GradePlanRequest): Promise<Plan> {
  const { systems, trials, seed, threshold } = parent.config;
  return makePlan({
    systems: systems.map((name) => ({ name, process: () => ({}), fingerprint: () => name, listInputTexts: () => [] })),
    datasets,
    metrics: [],
    trials,
    seed,
    threshold: config.threshold ?? threshold,
    ...(evaluators === undefined ? {} : { evaluators }),
    ...(config.scoreField === undefined ? {} : { scoreField: config.scoreField }),
  });
}

function buildGradeReport(plan: Plan, { dir, parent, config }: GradePlanRequest): GradeReport {
  const judgeCostUsd: CostRange = { low: 0, high: 0 };
  const tokenizer = resolveTokenizer(config.tokenizer);
  const indexOf = createRowLookup(plan);
  let outputs = 0;
  const graded = new Set(readRows(dir).filter(hasOutput).map(encodeKey));
  for (const stored of readOutputs(dir)) {
    // An output still waiting for its first grading belongs to --resume.
    if (!graded.has(encodeKey(stored))) continue;
    const found = findExample(plan, indexOf(stored));
    if (found === null) continue;
    outputs += 1;
    const { example, evaluators } = found;
    addCostRange(
      judgeCostUsd,
      estimateOutputJudging({ example, output: stored.output }, evaluators, (text) => tokenizer.count(text)),
    );
  }
  return {
    schema: "assay.grade-plan/1",
    run: parent.runId,
    outputs,
    datasets: plan.datasetPlans.map((datasetPlan) => ({
      name: datasetPlan.dataset || "examples",
      evaluators: datasetPlan.evaluators.map(({ name }) => name),
      passField: datasetPlan.forcedField ?? datasetPlan.primaryFields?.[0] ?? null,
    })),
    threshold: plan.threshold,
    isJudged: plan.datasetPlans.some(({ evaluators }) => evaluators.some(({ isPaid }) => isPaid === true)),
    judgeCostUsd,
  };
}

/** Rows are ordered by system, then example, then trial. */
function findExample({ examples, trials, datasetPlans, datasetIndexes }: Plan, index: number | undefined) {
  if (index === undefined) return null;
  const at = Math.floor(index / trials) % examples.length;
  const example = examples[at];
  const datasetPlan = datasetPlans[datasetIndexes[at] ?? 0];
  return example === undefined || datasetPlan === undefined ? null : { example, evaluators: datasetPlan.evaluators };
}

function formatGradeReport({ run, outputs, datasets, threshold, isJudged, judgeCostUsd }: GradeReport): string {
  const lines = [
    `${run}: ${formatPlural(outputs, "stored output")} to score again`,
    ...datasets.map(({ name, evaluators, passField }) => {
      const field = passField ?? "the first evaluator's first field";
      return `dataset ${name}: evaluators ${evaluators.join(", ") || "none"}, pass = ${field} ≥ ${threshold}`;
    }),
    ...(isJudged ? [describeJudgingCost(judgeCostUsd, "its prompts")] : []),
  ];
  return `${lines.map((line) => `- ${toOneLine(line)}`).join("\n")}\n`;
}
