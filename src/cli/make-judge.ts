import type { Dataset, DatasetJudging, ExampleSource } from "../core/index.js";
import { BudgetError, omitUndefined, UsageError } from "../core/index.js";
import { LLMJudge } from "../graders/index.js";
import type { ModelSystem } from "../systems/index.js";
import { openModelSystems } from "./model-systems.js";
import type { JudgeConfig, RunConfig } from "./run-config.js";
import type { PlanFlags } from "./run-flags.js";
import { renameJudgeFlags } from "./shared-flags.js";

/** What a run configures for its judge. */
export type JudgedRunConfig = Pick<RunConfig, "judge" | "modelsFile" | "allowInsecure" | "maxCost"> & PlanFlags;

/** The judge of a run; null if none is configured. */
export async function makeRunJudge(run: JudgedRunConfig): Promise<LLMJudge | null> {
  const { judge, maxCost, modelsFile, allowInsecure, dryRun, queue, simulated, batches, traffic } = run;
  if (judge === undefined) return null;
  const { models: named, ...options } = judge;
  // The run's system prompt, headers and key are for the measured systems, not for the judge.
  const models = await openJudgeModels(
    named,
    omitUndefined({ modelsFile, allowInsecure, dryRun, queue, simulated, batches, traffic }),
  );
  if (maxCost !== undefined) requireJudgePrices(models);
  return new LLMJudge({ ...options, models, ...(batches !== undefined && { maxWorkers: batches.maxWorkers }) });
}

/** The judge of a run, with variants for datasets that are judged in another mode. */
export interface RunJudges {
  readonly default: LLMJudge;
  select(dataset: Dataset | ExampleSource): LLMJudge;
}

/** A dataset is judged in the mode it declares unless the run sets one. All judges share models and limits. */
export async function makeJudges(config: JudgedRunConfig): Promise<RunJudges | null> {
  const usual = await makeRunJudge(config);
  const { judge: said } = config;
  if (usual === null || said === undefined) return null;
  const made = new Map<string, LLMJudge>();
  const inWay = (way: "pairwise" | "perTurn") => {
    const judge = made.get(way) ?? usual.as({ [way]: true });
    made.set(way, judge);
    return judge;
  };
  return {
    default: usual,
    select(dataset) {
      const way = chooseJudgingMode("judge" in dataset ? dataset.judge : undefined, said);
      return way === null ? usual : inWay(way);
    },
  };
}

/** A scale or criteria apply only to answers scored one by one. */
function chooseJudgingMode(declared: DatasetJudging | undefined, said: JudgeConfig): "pairwise" | "perTurn" | null {
  const { pairwise, perTurn, scale, criteria } = said;
  if (pairwise !== undefined || perTurn !== undefined) return null;
  if (declared?.pairwise === true) return scale === undefined && criteria === undefined ? "pairwise" : null;
  return declared?.perTurn === true ? "perTurn" : null;
}

async function openJudgeModels(
  models: JudgeConfig["models"],
  found: Omit<JudgedRunConfig, "judge" | "maxCost">,
): Promise<ModelSystem[]> {
  try {
    return await openModelSystems({ ...found, models });
  } catch (error) {
    throw error instanceof UsageError ? renameJudgeFlags(error) : error;
  }
}

/** The cost of a judge without a price could not be limited. */
function requireJudgePrices(models: readonly ModelSystem[]): void {
  const unpriced = models.filter(({ limits }) => limits?.price == null).map(({ name }) => name);
  if (unpriced.length === 0) return;
  throw new BudgetError(
    `The run has a budget in dollars, but no price is known for the judge ${unpriced.join(", ")}. Add \`pricing\` to models.yml, or remove the budget.`,
  );
}
