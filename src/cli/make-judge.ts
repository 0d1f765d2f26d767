import { BudgetError, UsageError } from "../core/errors.js";
import { LLMJudge } from "../judge/index.js";
import type { ModelSystem } from "../systems/index.js";
import { inJudgeFlags } from "./judge-flags.js";
import { modelSystems } from "./model-systems.js";
import type { JudgeConfig, RunConfig } from "./run-config.js";

/** What a run says of its judge, and of where models and keys are found. */
export type Judged = Pick<RunConfig, "judge" | "modelsFile" | "allowInsecure" | "maxCost"> & { dryRun?: boolean };

/** The judge that a run describes; null when it describes none. */
export async function makeJudge({
  judge,
  maxCost,
  modelsFile,
  allowInsecure,
  dryRun,
}: Judged): Promise<LLMJudge | null> {
  if (judge === undefined) return null;
  const { models: given, ...options } = judge;
  // Nothing else of the run: its system prompt, headers and key are for what is measured, not for the judge.
  const models = await judgeModels(given, {
    ...(modelsFile === undefined ? {} : { modelsFile }),
    ...(allowInsecure === undefined ? {} : { allowInsecure }),
    ...(dryRun === undefined ? {} : { dryRun }),
  });
  if (maxCost !== undefined) requirePrices(models);
  return new LLMJudge({ ...options, models });
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
