import type { Dataset, DatasetJudging } from "../core/dataset.js";
import { BudgetError, UsageError } from "../core/errors.js";
import type { ExampleSource } from "../core/example.js";
import { given } from "../core/shape.js";
import { LLMJudge } from "../graders/judge/index.js";
import type { ModelSystem } from "../systems/index.js";
import { inJudgeFlags } from "./judge-flags.js";
import { modelSystems } from "./model-systems.js";
import type { Planning } from "./planned-only.js";
import type { JudgeConfig, RunConfig } from "./run-config.js";

/** What a run says of its judge, and of where models and keys are found. */
export type Judged = Pick<RunConfig, "judge" | "modelsFile" | "allowInsecure" | "maxCost"> & Planning;

/** The judge that a run describes; null when it describes none. */
export async function makeJudge(run: Judged): Promise<LLMJudge | null> {
  const { judge, maxCost, modelsFile, allowInsecure, dryRun, queue } = run;
  if (judge === undefined) return null;
  const { models: named, ...options } = judge;
  // Nothing else of the run: its system prompt, headers and key are for what is measured, not for the judge.
  const models = await judgeModels(named, given({ modelsFile, allowInsecure, dryRun, queue }));
  if (maxCost !== undefined) requirePrices(models);
  return new LLMJudge({ ...options, models });
}

/** The judge of a run, and the same for datasets that are judged in another way. */
export interface Judges {
  readonly usual: LLMJudge;
  for(dataset: Dataset | ExampleSource): LLMJudge;
}

/** The judges of a run: a dataset is judged as it declares unless the run says how. They share models and limits. */
export async function makeJudges(config: Judged): Promise<Judges | null> {
  const usual = await makeJudge(config);
  const { judge: said } = config;
  if (usual === null || said === undefined) return null;
  const made = new Map<string, LLMJudge>();
  const inWay = (way: "pairwise" | "perTurn") => {
    const judge = made.get(way) ?? usual.as({ [way]: true });
    made.set(way, judge);
    return judge;
  };
  return {
    usual,
    for(dataset) {
      const way = wayOf("judge" in dataset ? dataset.judge : undefined, said);
      return way === null ? usual : inWay(way);
    },
  };
}

/** A scale or criteria are for answers that are scored one by one. */
function wayOf(declared: DatasetJudging | undefined, said: JudgeConfig): "pairwise" | "perTurn" | null {
  const { pairwise, perTurn, scale, criteria } = said;
  if (pairwise !== undefined || perTurn !== undefined) return null;
  if (declared?.pairwise === true) return scale === undefined && criteria === undefined ? "pairwise" : null;
  return declared?.perTurn === true ? "perTurn" : null;
}

async function judgeModels(
  models: JudgeConfig["models"],
  found: Omit<Judged, "judge" | "maxCost">,
): Promise<ModelSystem[]> {
  try {
    return await modelSystems({ ...found, models });
  } catch (error) {
    throw error instanceof UsageError ? inJudgeFlags(error) : error;
  }
}

/** What a judge without a price spends could not be held to the budget of the run. */
function requirePrices(models: readonly ModelSystem[]): void {
  const unpriced = models.filter(({ limits }) => limits?.price == null).map(({ name }) => name);
  if (unpriced.length === 0) return;
  throw new BudgetError(
    `There is a budget in dollars, but no price is known for the judge ${unpriced.join(", ")}. Give \`pricing\` in models.yml, or leave the budget out.`,
  );
}
