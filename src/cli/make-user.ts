import { BudgetError, omitUndefined, type UserSimulator } from "../core/index.js";
import { createUserSimulator } from "../systems/index.js";
import { openModelSystems } from "./model-systems.js";
import type { RunConfig } from "./run-config.js";
import type { PlanFlags } from "./run-flags.js";

/** What plays the users of examples; undefined if the run names no model for it. */
export async function openUserSimulator(run: RunConfig & PlanFlags): Promise<UserSimulator | undefined> {
  const { userModel, modelsFile, allowInsecure, dryRun, queue, simulated, traffic, maxCost } = run;
  if (userModel === undefined) return undefined;
  // The run's system prompt, headers and key are for the measured systems.
  const [model] = await openModelSystems({
    models: [userModel],
    ...omitUndefined({ modelsFile, allowInsecure, dryRun, queue, simulated, traffic }),
  });
  if (model === undefined) return undefined;
  if (maxCost !== undefined && model.limits?.price == null)
    throw new BudgetError(
      `The run has a budget in dollars, but no price is known for the simulated user ${model.name}. Add \`pricing\` to models.yml, or remove the budget.`,
    );
  return createUserSimulator(model);
}
